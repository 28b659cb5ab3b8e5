/// A value that is stored once, however many hold it.
///
/// A copy is a reference, and a change makes a value of its own, so it behaves as the value itself would. It is for
/// settings: many bytes that are read seldom, are the same for thousands of connections, and would otherwise stand in
/// each part of each connection.
@usableFromInline
package struct Shared<Value: Sendable & Hashable>: Sendable, Hashable {
    @usableFromInline
    final class Box: Sendable {
        @usableFromInline let value: Value

        @usableFromInline
        init(_ value: Value) {
            self.value = value
        }
    }

    @usableFromInline var box: Box

    /// Stores a value.
    package init(_ value: Value) {
        box = Box(value)
    }

    /// Stores a value, unless it is the same as what `usual` has: then that one is shared.
    package init(_ value: Value, unless usual: Shared) {
        self = value == usual.value ? usual : Shared(value)
    }

    /// The value. Setting it leaves what others hold as it is.
    @inlinable
    package var value: Value {
        _read { yield box.value }
        set { box = Box(newValue) }
    }

    @usableFromInline
    package static func == (one: Shared, other: Shared) -> Bool {
        one.box === other.box || one.value == other.value
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        hasher.combine(value)
    }
}

// swift-format-ignore-file
// A stand-in for SwiftUI: just what the chat of the examples uses, to type-check it where there is no SwiftUI.

@_exported import Foundation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

@resultBuilder
public enum ViewBuilder {
    public static func buildBlock<each Content: View>(
        _ content: repeat each Content
    ) -> TupleView<(repeat each Content)> { fatalError() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildEither<First: View, Second: View>(first: First) -> EitherView<First, Second> {
        fatalError()
    }
    public static func buildEither<First: View, Second: View>(second: Second) -> EitherView<First, Second> {
        fatalError()
    }
}

public struct TupleView<Content>: View { public var body: Never { fatalError() } }
public struct EitherView<First: View, Second: View>: View { public var body: Never { fatalError() } }
public struct ModifiedView<Content: View>: View { public var body: Never { fatalError() } }

@MainActor @preconcurrency
public protocol Scene {
    associatedtype Body: Scene
    var body: Body { get }
}

extension Never: Scene {}

@MainActor @preconcurrency
public protocol App {
    associatedtype Body: Scene
    var body: Body { get }
    init()
}

extension App {
    public static func main() {}
}

public struct WindowGroup<Content: View>: Scene {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

@propertyWrapper
public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
    public var projectedValue: Binding<Value> { fatalError() }
}

extension State where Value: ExpressibleByNilLiteral {
    public init() {}
}

@propertyWrapper
public struct Binding<Value> {
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set { fatalError() }
    }
}

public struct Text: View {
    public init<S: StringProtocol>(_ content: S) {}
    public var body: Never { fatalError() }
}

public struct TextField: View {
    public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
    public var body: Never { fatalError() }
}

public struct Button: View {
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
    public var body: Never { fatalError() }
}

public struct VStack<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

public struct HStack<Content: View>: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError() }
}

public struct List<Data: RandomAccessCollection, RowContent: View>: View where Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent) {}
    public var body: Never { fatalError() }
}

extension View {
    public func disabled(_ disabled: Bool) -> ModifiedView<Self> { fatalError() }
    public func task(_ action: @escaping @MainActor @Sendable () async -> Void) -> ModifiedView<Self> { fatalError() }
}

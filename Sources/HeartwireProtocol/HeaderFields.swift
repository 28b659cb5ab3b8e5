/// HTTP header fields in the order in which they stand on the wire (RFC 9110 §5).
///
/// Names are compared without regard to ASCII case and kept as they were written; a name may occur
/// more than once. The description names the fields and never shows a value, so that a token
/// does not reach a log by accident.
public struct HeaderFields: Sendable, Hashable {
    fileprivate struct Field: Sendable, Hashable {
        let name: String
        let value: String

        static func == (one: Field, other: Field) -> Bool {
            HTTPSyntax.equalsIgnoringCase(one.name, other.name) && one.value == other.value
        }

        func hash(into hasher: inout Hasher) {
            for byte in name.utf8 { hasher.combine(HTTPSyntax.lowercased(byte)) }
            hasher.combine(value)
        }
    }

    private var fields: [Field] = []

    /// No fields.
    public init() {}

    /// How many fields there are, repeated names counted each time.
    public var count: Int { fields.count }

    /// Whether there is none.
    public var isEmpty: Bool { fields.isEmpty }

    /// The value of the first field with this name.
    ///
    /// Setting puts the value in that field's place, or at the end, and removes the name's other
    /// fields; setting `nil` removes them all.
    public subscript(name: String) -> String? {
        get { fields.first { HTTPSyntax.equalsIgnoringCase($0.name, name) }?.value }
        set {
            let index = fields.firstIndex { HTTPSyntax.equalsIgnoringCase($0.name, name) }
            fields.removeAll { HTTPSyntax.equalsIgnoringCase($0.name, name) }
            guard let newValue else { return }
            fields.insert(Field(name: name, value: newValue), at: index ?? fields.count)
        }
    }

    /// The values of every field with this name, in order.
    public func all(_ name: String) -> [String] {
        fields.compactMap { HTTPSyntax.equalsIgnoringCase($0.name, name) ? $0.value : nil }
    }

    /// Adds a field behind the others, whether or not the name occurs already.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Checks that every name is a token and that no value holds a control character, so that
    /// nothing can break out of its line (RFC 9110 §5.1, §5.5).
    ///
    /// - Throws: ``OpeningRequestError`` for the first field that is unlawful. It never holds a value.
    public func validate() throws(OpeningRequestError) {
        for (position, field) in fields.enumerated() {
            guard HTTPSyntax.isToken(field.name.utf8) else {
                throw .illegalHeaderName(position: position)
            }
            guard field.value.utf8.allSatisfy(HTTPSyntax.isFieldValueByte) else {
                throw .illegalHeaderValue(name: field.name)
            }
        }
    }

    /// Whether a list, spread over any number of fields with this name, has this token
    /// in any case (RFC 9110 §5.6.1).
    func listContains(_ token: String, in name: String) -> Bool {
        all(name).contains { value in
            HTTPSyntax.listElements(value).contains { HTTPSyntax.equalsIgnoringCase($0, token) }
        }
    }
}

extension HeaderFields: Sequence {
    /// One field: its name as written, and its value.
    public typealias Element = (name: String, value: String)

    /// Goes through the fields in order.
    public struct Iterator: IteratorProtocol {
        private var fields: IndexingIterator<[Field]>

        fileprivate init(_ fields: IndexingIterator<[Field]>) {
            self.fields = fields
        }

        /// The next field, or `nil` behind the last.
        public mutating func next() -> Element? {
            fields.next().map { ($0.name, $0.value) }
        }
    }

    /// Begins with the first field.
    public func makeIterator() -> Iterator {
        Iterator(fields.makeIterator())
    }
}

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Takes the fields in the order in which they are written; a repeated name is kept.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }
}

extension HeaderFields: CustomStringConvertible {
    /// The names in order, such as `[Host, Authorization]`; never a value.
    public var description: String {
        "[\(fields.map { DisplayText.excerpt($0.name) }.joined(separator: ", "))]"
    }
}

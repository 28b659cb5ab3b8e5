/// What stands behind the program's name on its command line.
enum ProcessArguments {
    /// The arguments as text.
    ///
    /// - Parameter vector: the name and the arguments as the system gives them, with a null pointer behind the last;
    ///   those of this process, but for tests.
    /// - Throws: ``UsageError`` for one that is not UTF-8. Sent or opened with replacement characters it would be another
    ///   host, header or file than was meant.
    static func read(
        _ vector: UnsafePointer<UnsafeMutablePointer<CChar>?> = UnsafePointer(
            CommandLine.unsafeArgv)
    ) throws(UsageError) -> [String] {
        var arguments: [String] = []
        guard vector[0] != nil else { return arguments }
        while let bytes = vector[arguments.count + 1] {
            guard let argument = String(validatingCString: bytes) else {
                throw UsageError("argument \(arguments.count + 1) is not UTF-8")
            }
            arguments.append(argument)
        }
        return arguments
    }
}

public import HeartwireProtocol

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension ProxyConfiguration {
    /// As the process's environment has it at this moment: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in
    /// either case; see ``ProxyVariables``. Nothing in the environment is heeded unless this is asked for.
    ///
    /// - Throws: ``ProxyURLError`` for a proxy there that cannot be understood.
    public static func environment() throws(ProxyURLError) -> ProxyConfiguration {
        var variables: [String: String] = [:]
        for name in ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD"] {
            for spelling in [name, name.lowercased()] {
                if let value = getenv(spelling) { variables[spelling] = String(cString: value) }
            }
        }
        return .variables(try ProxyVariables(variables))
    }
}

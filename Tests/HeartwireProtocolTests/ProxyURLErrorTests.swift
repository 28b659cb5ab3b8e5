import HeartwireProtocol
import Testing

@Suite struct ProxyURLErrorTests {
    @Test("P6: each error says what to change, and shows nothing of the URL")
    func descriptions() {
        #expect("\(ProxyURLError.unsupportedScheme)".contains("http://"))
        #expect("\(ProxyURLError.unexpectedPath)".contains("path"))
        #expect("\(ProxyURLError.illegalCredentials)".contains("255"))
        let nested = ProxyURLError.illegalAuthority(.illegalPort)
        #expect("\(nested)".contains("\(WebSocketURLError.illegalPort)"))
    }

    @Test("K05-18: a password in a proxy's URL is in no error")
    func secrets() {
        for text in ["ftp://u:hunter2@p", "http://u:hunter2@p/x", "http://u:hunter2@p:0"] {
            #expect {
                try ProxyServer(text)
            } throws: {
                !"\($0)".contains("hunter2")
            }
        }
    }
}

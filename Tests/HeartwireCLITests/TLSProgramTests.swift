#if os(Linux)
    import Foundation
    import HeartwireSession
    import HeartwireSocket
    import Testing

    @testable import HeartwireCLI

    /// Certificates as files, which go with this object.
    private final class IdentityFolder {
        private let folder: URL
        let server: String
        let certificate: String
        let key: String
        /// Certificate and key in one file.
        let both: String

        init() throws {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("heartwire-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            func write(_ text: String, _ name: String) throws -> String {
                let place = folder.appendingPathComponent(name)
                try Data(text.utf8).write(to: place)
                return place.path
            }
            self.folder = folder
            let identity = try TLSIdentity.selfMade()
            certificate = try write(identity.certificates, "certificate.pem")
            key = try write(identity.privateKey, "key.pem")
            both = try write(identity.certificates + identity.privateKey, "both.pem")
            server = folder.appendingPathComponent("server.pem").path
        }

        deinit { try? FileManager.default.removeItem(at: folder) }
    }

    /// The commands that are clients, against an endpoint that speaks TLS, in real time.
    @Suite("The programs by TLS", .enabled(if: programURL() != nil), .serialized)
    struct TLSProgramTests {
        private let files: IdentityFolder

        init() throws { files = try IdentityFolder() }

        private func endpoint(_ words: [String]) async throws -> (RunningProgram, url: String) {
            let program = try RunningProgram(
                ["endpoint", "--quiet", "--tls", "--write-cert", files.server] + words)
            let line = await program.line()
            try #require(line.hasPrefix("listening wss://"))
            return (program, String(line.dropFirst("listening ".count).dropLast()))
        }

        private func connect(_ url: String, _ words: [String]) async throws -> ProgramRun {
            try await runProgram(
                ["connect", "--ca", files.server] + words + [url], input: Array("canary\n".utf8))
        }

        @Test("P3: a client with --cert is let in by an endpoint that asks for one; without, not")
        func clientCertificate() async throws {
            let (program, url) = try await endpoint(["--client-ca", files.certificate])
            for words in [
                ["--cert", files.certificate, "--key", files.key], ["--cert", files.both],
            ] {
                let ran = try await connect(url, words)
                #expect(ran.status == 0, "\(ran.diagnostics)")
                #expect(ran.text == "canary\n")
            }
            let nobody = try await connect(url, [])
            #expect(nobody.status == 3)
            // TLS 1.3: certificate_required (RFC 8446 §6.2).
            #expect(nobody.diagnostics.contains("the peer gave up with alert 116"))
            let stranger = try TLSIdentity.selfMade()
            try Data((stranger.certificates + stranger.privateKey).utf8).write(
                to: URL(fileURLWithPath: files.both))
            let other = try await connect(url, ["--cert", files.both])
            #expect(other.status == 3)
            #expect(other.diagnostics.contains("the peer gave up with alert"))
            program.send(SIGTERM)
            #expect(await program.end().status == 143)
        }

        @Test("P3: certificate and key may come through one pipe, which can be read once only")
        func pipe() async throws {
            let pipe = FileManager.default.temporaryDirectory
                .appendingPathComponent("heartwire-\(UUID().uuidString)").path
            #expect(mkfifo(pipe, 0o600) == 0)
            defer { unlink(pipe) }
            let text = try Data(contentsOf: URL(fileURLWithPath: files.both))
            let (program, url) = try await endpoint(["--client-ca", files.certificate])
            async let fed: Void = offPool { try? text.write(to: URL(fileURLWithPath: pipe)) }
            let ran = try await connect(url, ["--cert", pipe])
            await fed
            #expect(ran.status == 0, "\(ran.diagnostics)")
            program.send(SIGTERM)
            _ = await program.end()
        }

        @Test("P3: a certificate that cannot be used is told before anything is sent")
        func unusable() async throws {
            let url = "wss://127.0.0.1:1/"
            let other = try TLSIdentity.selfMade()
            try Data(other.privateKey.utf8).write(to: URL(fileURLWithPath: files.both))
            try Data("nothing".utf8).write(to: URL(fileURLWithPath: files.server))
            for (words, line) in [
                (["--cert", "/does/not/exist"], "cannot read /does/not/exist"),
                (["--cert", files.certificate], "there is no private key in PEM"),
                (
                    ["--cert", files.server],
                    "\(files.server): TLS is not configured right: there is"
                ),
                (["--ca", files.server], "\(files.server): TLS is not configured right: there is"),
                (
                    ["--cert", files.certificate, "--key", files.both],
                    "\(files.certificate) and \(files.both): TLS is not configured right"
                ),
            ] {
                let ran = try await runProgram(["connect"] + words + [url])
                #expect(ran.status == 1)
                #expect(ran.diagnostics.contains(line), "\(ran.diagnostics)")
                #expect(!ran.diagnostics.contains("connecting"))
            }
        }

        @Test("P3: accept recognises an endpoint by TLS with --ca or --insecure, and not without")
        func accept() async throws {
            let (program, url) = try await endpoint([])
            func accept(_ words: [String]) async throws -> ProgramRun {
                try await runProgram(
                    [
                        "accept", "--interval=20", "--only", "pong-in-time,refused-http", "--url",
                        url,
                    ]
                        + words)
            }
            for words in [["--ca", files.server], ["--insecure"]] {
                let ran = try await accept(words)
                #expect(ran.status == 0, "\(ran.text)")
                #expect(ran.text.contains("2 passed, 0 failed, 0 skipped"))
            }
            let stranger = try await accept([])
            #expect(stranger.status == 1)
            #expect(stranger.text.contains("the server's certificate is not trusted"))
            let missing = try await accept(["--ca", "/does/not/exist"])
            #expect(missing.status == 1)
            #expect(missing.diagnostics.contains("cannot read /does/not/exist"))
            program.send(SIGTERM)
            #expect(await program.end().status == 143)
        }
    }
#endif

import HeartwireProtocol
import HeartwireSession
import Testing

@testable import HeartwireURLSession

/// A self-signed certificate for pin.test, and what OpenSSL says is its key and that key's hash.
private let pem = """
    -----BEGIN CERTIFICATE-----
    MIIBkTCCATigAwIBAgIUTSy3ADBDXLOo2r6O6y9M8yizmPwwCgYIKoZIzj0EAwIwEzERMA8GA1UE
    AwwIcGluLnRlc3QwIBcNMjYxMTMwMTM0NzA1WhgPMjEyNjExMDYxMzQ3MDVaMBMxETAPBgNVBAMM
    CHBpbi50ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEIWTS3MntHN35gOgndqchSc/wFLAn
    yeHVTK+AUrYrLZbn09OB7oiNeDNIqealzEt2g6v/DLrd2DnpvOZdc7p9CKNoMGYwHQYDVR0OBBYE
    FJQ9p4/qMFKcAwcbRyTy2iuAV1kXMB8GA1UdIwQYMBaAFJQ9p4/qMFKcAwcbRyTy2iuAV1kXMA8G
    A1UdEwEB/wQFMAMBAf8wEwYDVR0RBAwwCoIIcGluLnRlc3QwCgYIKoZIzj0EAwIDRwAwRAIgPEDt
    W6T4bpaQUjkWZvKhHVW5xJF1KcZupvOllw+Dvw8CIHEnml/4UVhzQSdfLuunRj0KlG5rf/YvmP5V
    V2TPMThq
    -----END CERTIFICATE-----
    """
private let key = """
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEIWTS3MntHN35gOgndqchSc/wFLAnyeHVTK+AUrYr\
    LZbn09OB7oiNeDNIqealzEt2g6v/DLrd2DnpvOZdc7p9CA==
    """
private let hash = "ptmRclEyRmBKw7/hZ5XLT1Qpdq5727lin859l1pxjl0="

@Suite("Keys of certificates")
struct CertificateKeyTests {
    @Test("T3, P3: the key is found in the certificate, to the byte, and its pin fits")
    func found() throws {
        let certificates = CertificateKey.certificates(inPEM: pem + "\n" + pem)
        #expect(certificates.count == 2)
        let certificate = try #require(certificates.first)
        let expected = try #require(Base64.decode(key))
        #expect(CertificateKey.subjectPublicKeyInfo(in: certificate) == expected)
        let pin = try #require(PublicKeyPin(hash))
        let other = try #require(PublicKeyPin(sha256: [UInt8](repeating: 0, count: 32)))
        let sha256: ([UInt8]) -> [UInt8] = { $0 == expected ? pin.sha256 : [] }
        #expect(CertificateKey.isPinned([certificate], to: [other, pin], sha256: sha256))
        #expect(CertificateKey.isPinned([[], certificate], to: [pin], sha256: sha256))
        #expect(!CertificateKey.isPinned([certificate], to: [other], sha256: sha256))
        #expect(!CertificateKey.isPinned([certificate], to: [pin], sha256: { _ in [1] }))
        #expect(!CertificateKey.isPinned([], to: [pin], sha256: sha256))
    }

    @Test("P5, T3: what is cut or spoilt anywhere has no key or another, and never traps")
    func spoilt() throws {
        let certificate = try #require(CertificateKey.certificates(inPEM: pem).first)
        for count in 0..<certificate.count {
            #expect(
                CertificateKey.subjectPublicKeyInfo(in: Array(certificate.prefix(count))) == nil)
        }
        for index in certificate.indices {
            for value in [0x00, 0x30, 0x80, 0x84, 0x85, 0xA0, 0xFF] as [UInt8] {
                var spoilt = certificate
                spoilt[index] = value
                _ = CertificateKey.subjectPublicKeyInfo(in: spoilt)
            }
        }
    }

    @Test("A certificate of the first version, without that word, has its key in the same place")
    func firstVersion() {
        let sequence: [UInt8] = [0x30, 0x00]
        let fields: [UInt8] = [0x02, 0x01, 0x07] + sequence + sequence + sequence + sequence
        let signed = fields + [0x30, 0x01, 0x05]
        let whole = [0x30, UInt8(signed.count + 2), 0x30, UInt8(signed.count)] + signed
        #expect(CertificateKey.subjectPublicKeyInfo(in: whole) == [0x30, 0x01, 0x05])
        #expect(CertificateKey.subjectPublicKeyInfo(in: [0x30, 0x02, 0x31, 0x00]) == nil)
        #expect(CertificateKey.subjectPublicKeyInfo(in: [0x31, 0x00]) == nil)
    }

    @Test("What is no certificate is left out of PEM text")
    func pemText() {
        #expect(CertificateKey.certificates(inPEM: "").isEmpty)
        #expect(CertificateKey.certificates(inPEM: "words\n-----END CERTIFICATE-----").isEmpty)
        let spoilt = "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----"
        #expect(CertificateKey.certificates(inPEM: spoilt).isEmpty)
        let folded = pem.split(separator: "\n").map { "  \($0)" }.joined(separator: "\r\n")
        #expect(CertificateKey.certificates(inPEM: folded).count == 1)
    }
}

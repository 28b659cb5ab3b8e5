// swift-tools-version: 6.2
// The house: every target imports only from floors below it (docs/architecture.md,
// checked by scripts/check-imports).

import PackageDescription

/// Settings that every target shares: the manner of the house.
let manner: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The pure targets import no system module; every unsafe construct in them is marked.
let pure: [SwiftSetting] = manner + [.strictMemorySafety()]

let package = Package(
    name: "Heartwire",
    platforms: [
        .macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2),
    ],
    products: [
        .library(name: "Heartwire", targets: ["Heartwire"]),
        .library(name: "HeartwireTesting", targets: ["HeartwireTesting"]),
        .library(name: "HeartwireProtocol", targets: ["HeartwireProtocol"]),
        .executable(name: "heartwire", targets: ["HeartwireCLI"]),
    ],
    targets: [
        // Floor 0: C libraries.
        .systemLibrary(name: "CLinux", path: "Sources/CLinux"),
        .systemLibrary(
            name: "COpenSSL", path: "Sources/COpenSSL", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(
            name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),

        // Floor 1: pure values.
        .target(name: "HeartwireProtocol", swiftSettings: pure),
        .target(
            name: "HeartwireSession", dependencies: ["HeartwireProtocol"], swiftSettings: pure),

        // Floor 2: transports.
        .target(
            name: "HeartwireSocket",
            dependencies: [
                "CZlib", "HeartwireProtocol", "HeartwireSession",
                .target(name: "CLinux", condition: .when(platforms: [.linux])),
                .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: manner),
        .target(
            name: "HeartwireURLSession", dependencies: ["HeartwireProtocol", "HeartwireSession"],
            swiftSettings: manner),

        // Floor 3: the client.
        .target(
            name: "Heartwire",
            dependencies: [
                "HeartwireProtocol", "HeartwireSession", "HeartwireSocket", "HeartwireURLSession",
                "CSQLite",
            ],
            swiftSettings: manner),

        // Floor 4: the means to prove it.
        .target(
            name: "HeartwireTesting",
            dependencies: [
                "Heartwire", "HeartwireProtocol", "HeartwireSession", "HeartwireSocket",
            ],
            swiftSettings: manner),

        // Floor 5: the command.
        .executableTarget(
            name: "HeartwireCLI",
            dependencies: [
                "Heartwire", "HeartwireProtocol", "HeartwireSession", "HeartwireSocket",
                "HeartwireTesting", "HeartwireURLSession",
            ],
            swiftSettings: manner),

        // An example, no product: it sees what any app sees (Examples/Chat/README.md).
        .target(
            name: "ChatModel", dependencies: ["Heartwire"], path: "Examples/Chat/Sources/ChatModel",
            packageAccess: false, swiftSettings: manner),
        .executableTarget(
            name: "Chat", dependencies: ["ChatModel", "Heartwire"],
            path: "Examples/Chat/Sources/Chat", packageAccess: false, swiftSettings: manner),
        .testTarget(
            name: "ChatTests",
            dependencies: ["ChatModel", "Heartwire", "HeartwireTesting", "HeartwireSocket"],
            path: "Examples/Chat/Tests", swiftSettings: manner),

        .testTarget(
            name: "HeartwireProtocolTests", dependencies: ["HeartwireProtocol"],
            swiftSettings: manner),
        .testTarget(
            name: "HeartwireSessionTests", dependencies: ["HeartwireSession", "HeartwireProtocol"],
            swiftSettings: manner),
        // Networks that tests make for themselves; no product.
        .target(
            name: "NetworkNamespaces", dependencies: ["HeartwireSocket"],
            path: "Tests/NetworkNamespaces", swiftSettings: manner),
        .testTarget(
            name: "HeartwireSocketTests",
            dependencies: [
                "HeartwireSocket", "HeartwireSession", "HeartwireProtocol", "HeartwireTesting",
                "NetworkNamespaces",
            ],
            swiftSettings: manner),
        .testTarget(
            name: "HeartwireURLSessionTests",
            dependencies: [
                "HeartwireURLSession", "HeartwireTesting", "Heartwire", "HeartwireSocket",
                "HeartwireSession", "HeartwireProtocol",
            ],
            swiftSettings: manner),
        // What the kill test kills (Tests/HeartwireTests/KillTests.swift); no product.
        .executableTarget(
            name: "KillChild", dependencies: ["Heartwire"], path: "Tests/KillChild",
            swiftSettings: manner),
        // What the benchmarks drive from outside (Benchmarks/run); no product.
        .executableTarget(
            name: "BenchInstruments", dependencies: ["Heartwire"],
            path: "Benchmarks/Instruments", swiftSettings: manner),
        .testTarget(
            name: "BenchInstrumentsTests",
            dependencies: [
                "BenchInstruments", "Heartwire", "HeartwireTesting", "HeartwireSocket",
            ],
            swiftSettings: manner),
        .testTarget(
            name: "HeartwireTests",
            dependencies: [
                "Heartwire", "HeartwireTesting", "HeartwireSocket", "HeartwireURLSession",
                "HeartwireSession",
                "HeartwireProtocol", "CSQLite", "KillChild", "NetworkNamespaces",
            ],
            swiftSettings: manner),
        .testTarget(
            name: "HeartwireTestingTests",
            dependencies: [
                "HeartwireTesting", "Heartwire", "HeartwireSocket", "HeartwireSession",
                "HeartwireProtocol",
            ],
            swiftSettings: manner),
        .testTarget(
            name: "HeartwireCLITests",
            dependencies: [
                "HeartwireCLI", "HeartwireTesting", "Heartwire", "HeartwireSocket",
                "HeartwireURLSession", "HeartwireSession", "HeartwireProtocol",
            ],
            swiftSettings: manner),
    ]
)

// It looks inside of a module, which only a release build with -enable-testing lets it: Benchmarks/check.
if Context.environment["HEARTWIRE_BENCH"] != nil {
    package.targets.append(
        .executableTarget(
            name: "MicroBench",
            dependencies: [
                "CZlib", "Heartwire", "HeartwireProtocol", "HeartwireSession", "HeartwireSocket",
            ],
            path: "Benchmarks/Micro", swiftSettings: manner))
}

// libFuzzer brings the `main` of these, so a build that does not ask for them must not see them: `make fuzz`.
if Context.environment["HEARTWIRE_FUZZ"] != nil {
    let house: [Target.Dependency] = ["FuzzSupport", "HeartwireProtocol", "HeartwireSocket"]
    let fuzzers: [(name: String, dependencies: [Target.Dependency], exclude: [String])] = [
        ("Frames", Array(house.prefix(2)), ["corpus"]),
        ("Handshake", Array(house.prefix(2)), ["corpus", "dictionary"]),
        ("Engine", Array(house.prefix(2)), ["corpus"]),
        ("Extensions", house, ["corpus", "dictionary"]),
        ("Inflate", house, ["corpus"]),
        ("Routes", Array(house.prefix(2)), ["corpus"]),
    ]
    package.targets += [
        .target(
            name: "FuzzSupport", dependencies: ["HeartwireProtocol"], path: "Fuzz/Support",
            swiftSettings: manner),
        .executableTarget(
            name: "EngineDriver", dependencies: ["FuzzSupport", "HeartwireProtocol"],
            path: "Fuzz/Driver", swiftSettings: manner),
    ]
    for (name, dependencies, exclude) in fuzzers {
        package.targets.append(
            .executableTarget(
                name: "Fuzz\(name)", dependencies: dependencies, path: "Fuzz/\(name)",
                exclude: exclude, swiftSettings: manner))
        package.products.append(.executable(name: "Fuzz\(name)", targets: ["Fuzz\(name)"]))
    }
}

// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// The products of the library that a program is built on.
func ours(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "swift-reactive") } }

// A separate package, so that the dependencies of the measurements, above all the peers, are never dependencies of
// the library.
let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "swift-reactive", path: "../..", traits: ["Libuv", "Libevent", "TLS", "HTTP"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.36.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // Functions of libc that Swift cannot call, and those of the allocation counter if it is loaded.
        .target(name: "CMeasure"),
        // The output line of every program, and the clocks.
        .target(name: "Measure", dependencies: ["CMeasure"]),
        // Our loops by name.
        .target(
            name: "LoopName",
            dependencies: ["Measure"]
                + ours("ReactiveCore", "SchedulerDispatch", "SchedulerLibuv", "SchedulerLibevent")
        ),
        // Loops: one program for each library, so that each links only its own.
        .executableTarget(
            name: "reactive-bench",
            dependencies: ["Measure", "LoopName"]
                + ours(
                    "ReactiveCore",
                    "ReactiveSignals",
                    "ReactiveSockets",
                    "SchedulerEngine",
                    "SchedulerDispatch",
                    "SchedulerLibuv",
                    "SchedulerLibevent"
                ),
            path: "Sources/ReactiveBench"
        ),
        // The servers of the programs on SwiftNIO.
        .target(
            name: "NIOServers",
            dependencies: [
                "Measure",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
        .executableTarget(
            name: "nio-bench",
            dependencies: [
                "Measure", "NIOServers",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/NIOBench"
        ),
        // The same for TLS.
        .executableTarget(
            name: "reactive-tls-bench",
            dependencies: ["Measure", "LoopName"]
                + ours("ReactiveCore", "ReactiveSignals", "ReactiveSockets", "ReactiveTLS"),
            path: "Sources/ReactiveTLSBench"
        ),
        .executableTarget(
            name: "nio-tls-bench",
            dependencies: [
                "Measure", "NIOServers",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/NIOTLSBench"
        ),
        // The same for HTTP.
        .executableTarget(
            name: "reactive-http-bench",
            dependencies: ["Measure", "LoopName", .product(name: "HTTPTypes", package: "swift-http-types")]
                + ours("ReactiveCore", "ReactiveSignals", "ReactiveSockets", "ReactiveHTTP"),
            path: "Sources/ReactiveHTTPBench"
        ),
        .executableTarget(
            name: "nio-http-bench",
            dependencies: [
                "Measure", "NIOServers",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            path: "Sources/NIOHTTPBench"
        ),
        // Signals: both libraries in one program. It counts the allocations of the whole process.
        .target(name: "AllocationCount"),
        .executableTarget(
            name: "signal-bench",
            dependencies: [
                "AllocationCount", "CMeasure",
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "OpenCombineDispatch", package: "OpenCombine"),
            ] + ours("ReactiveSignals", "SchedulerDispatch"),
            path: "Sources/SignalBench"
        ),
        // The two candidate implementations of a signal.
        .target(name: "SignalShapes"),
        .executableTarget(name: "shape-bench", dependencies: ["SignalShapes"], path: "Sources/ShapeBench"),
    ]
)

for target in package.targets where !["CMeasure", "AllocationCount"].contains(target.name) {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),  // SE-0335
            .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
            .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
            .treatAllWarnings(as: .error),
        ]
}

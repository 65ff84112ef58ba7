// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// What many targets under Tests depend on.
let signals: [Target.Dependency] = ["ReactiveCore", "ReactiveSupport", "ReactiveSignals"]
let engine: [Target.Dependency] = ["ReactiveCore", "ReactiveSupport", "SchedulerEngine"]
let backEnds: [Target.Dependency] = ["SchedulerDispatch", "SchedulerLibuv", "SchedulerLibevent"]
func target(_ name: String, trait: String) -> Target.Dependency {
    .target(name: name, condition: .when(traits: [trait]))
}
let libraries = [target("CLibuv", trait: "Libuv"), target("CLibevent", trait: "Libevent")]
let openSSL = target("COpenSSL", trait: "TLS")
let sockets: [Target.Dependency] = ["ReactiveCore", "ReactiveSignals", "ReactiveSockets"]
// Every package dependency is behind a trait, so that a build without traits fetches none.
func product(_ name: String, of package: String, trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}
let lifecycle = "swift-service-lifecycle"
func logging(_ name: String) -> Target.Dependency { product(name, of: "swift-log", trait: "Logging") }
func metrics(_ name: String) -> Target.Dependency { product(name, of: "swift-metrics", trait: "Metrics") }
func service(_ name: String) -> Target.Dependency { product(name, of: lifecycle, trait: "ServiceLifecycle") }

let package = Package(
    name: "swift-reactive",
    products: [
        "Reactive", "ReactiveCore", "ReactiveSignals", "ReactiveCommands", "ReactiveSockets", "ReactiveTesting",
        "SchedulerEngine", "SchedulerDispatch", "SchedulerLibuv", "SchedulerLibevent", "SchedulerConformance",
        "ReactiveNATS", "ReactiveTLS", "ReactiveSimulation", "ReactiveLogging", "ReactiveMetrics",
        "ReactiveServiceLifecycle",
    ].map { module in .library(name: module, targets: [module]) },
    traits: [
        .trait(name: "Libuv", description: "LibuvLoop, on libuv (Debian: libuv1-dev)"),
        .trait(name: "Libevent", description: "LibeventLoop, on libevent (Debian: libevent-dev)"),
        .trait(name: "NATS", description: "ReactiveNATS, on nats.c (Debian: libnats-dev)"),
        .trait(name: "TLS", description: "ReactiveTLS, on OpenSSL 3 (Debian: libssl-dev)"),
        .trait(name: "Simulation", description: "Yield points in locks, at which ReactiveSimulation stops threads"),
        .trait(name: "Logging", description: "ReactiveLogging, on swift-log"),
        .trait(name: "Metrics", description: "ReactiveMetrics, on swift-metrics"),
        .trait(name: "ServiceLifecycle", description: "ReactiveServiceLifecycle, on swift-service-lifecycle"),
        // A dependent package needs no C library and fetches nothing unless it asks: Docs/Decisions/0034.
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "CLibevent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        // What Swift cannot import from libc: epoll, thread-locals, a signal handler, the main queue's two entry points.
        .target(name: "CReactive"),
        .target(name: "ReactiveCore"),
        // The lock's state lies inside of it, at an address that stays the same: Docs/Decisions/0028.
        .target(
            name: "ReactiveSupport",
            dependencies: ["ReactiveCore", "CReactive"],
            swiftSettings: [.enableExperimentalFeature("RawLayout")]
        ),
        .target(name: "ReactiveSignals", dependencies: ["ReactiveCore", "ReactiveSupport"]),
        .target(name: "ReactiveCommands", dependencies: ["ReactiveCore", "ReactiveSupport", "ReactiveSignals"]),
        .target(name: "SchedulerEngine", dependencies: ["ReactiveCore", "ReactiveSupport", "CReactive"]),
        .target(name: "SchedulerDispatch", dependencies: engine + ["CReactive"]),
        .target(
            name: "SchedulerLibuv",
            dependencies: ["ReactiveCore", "SchedulerEngine", target("CLibuv", trait: "Libuv")]
        ),
        .target(
            name: "SchedulerLibevent",
            dependencies: ["ReactiveCore", "SchedulerEngine", target("CLibevent", trait: "Libevent")]
        ),
        .target(name: "ReactiveSockets", dependencies: signals + ["CReactive"]),
        // Re-exports these, and declares nothing itself.
        .target(name: "Reactive", dependencies: sockets + ["ReactiveCommands"]),
        .target(
            name: "ReactiveNATS",
            dependencies: signals + ["ReactiveCommands", "ReactiveSockets", target("CNats", trait: "NATS")]
        ),
        .target(name: "ReactiveTLS", dependencies: sockets + ["ReactiveSupport", openSSL]),
        .target(name: "ReactiveLogging", dependencies: sockets + [logging("Logging")]),
        .target(name: "ReactiveMetrics", dependencies: sockets + [metrics("CoreMetrics")]),
        .target(name: "ReactiveServiceLifecycle", dependencies: sockets + [service("ServiceLifecycle")]),

        .target(name: "ReactiveTesting", dependencies: signals),
        .target(
            name: "ReactiveSimulation",
            dependencies: engine + ["ReactiveSignals", "ReactiveSockets", "CReactive"]
        ),

        .target(
            name: "SchedulerConformance",
            dependencies: signals + ["ReactiveTesting", "ReactiveSockets", "ReactiveTLS", openSSL, "CReactive"]
        ),

        .testTarget(
            name: "ReactiveSignalsTests",
            dependencies: signals + [
                "ReactiveCommands", "ReactiveTesting", "SchedulerConformance", "LoopTestSupport", "HeapProbe",
                "MarblePictures", "ReactiveSimulation", "SchedulerEngine",
            ]
        ),
        .testTarget(
            name: "ReactiveTLSTests",
            dependencies: sockets + ["ReactiveTLS", "SchedulerConformance", "LoopTestSupport", openSSL]
        ),
        .testTarget(name: "ReactiveTestingTests", dependencies: signals + ["ReactiveTesting"]),
        .testTarget(
            name: "ReactiveSimulationTests",
            dependencies: signals + [
                "SchedulerEngine", "Reactive", "ReactiveSockets", "ReactiveSimulation", "KeyValueService",
            ]
        ),
        .testTarget(
            name: "ReactiveCommandsTests",
            dependencies: signals + [
                "SchedulerEngine", "ReactiveCommands", "ReactiveTesting", "SchedulerConformance", "LoopTestSupport",
                "CommandLoad",
            ]
        ),
        .testTarget(
            name: "ReactiveSocketsTests",
            dependencies: signals + [
                "SchedulerEngine", "SchedulerConformance", "ReactiveSockets", "LoopTestSupport",
            ]
        ),
        .testTarget(
            name: "NATSTests",
            dependencies: signals + [
                "SchedulerEngine", "ReactiveCommands", "ReactiveSockets", "ReactiveNATS", "SchedulerConformance",
                "LoopTestSupport",
            ]
        ),
        .testTarget(
            name: "AdapterTests",
            dependencies: sockets + [
                "SchedulerEngine", "LoopTestSupport", "ReactiveLogging", "ReactiveMetrics", "ReactiveServiceLifecycle",
                logging("Logging"), logging("InMemoryLogging"),
                metrics("CoreMetrics"), metrics("MetricsTestKit"),
                service("ServiceLifecycle"), service("ServiceLifecycleTestKit"), service("UnixSignals"),
            ]
        ),
        .testTarget(
            name: "SchedulerEngineTests",
            dependencies: engine + ["ConformanceLoops", "SchedulerConformance", "LoopTestSupport"]
        ),
        .testTarget(
            name: "LoopTests",
            dependencies: signals + backEnds + libraries + [
                "SchedulerEngine", "SchedulerConformance", "ReactiveTesting", "LoopTestSupport",
            ]
        ),
        .testTarget(
            name: "GuestTests",
            dependencies: signals + backEnds + libraries + [
                "SchedulerEngine", "ReactiveSockets", "GuestHosts", "SchedulerConformance", "LoopTestSupport",
            ]
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "SchedulerConformance", "ConformanceLoops", "ConformanceProgram", "ConformanceFixture",
                "LoopTestSupport",
            ]
        ),
        // Each of these tests runs in its own process.
        .testTarget(
            name: "ProcessTests",
            dependencies: ["LoopTestSupport", "MainLoopProgram", "ExhaustionProgram", "ForkProgram"]
        ),
        .testTarget(
            name: "TraceTests",
            dependencies: ["ReactiveCore", "ReactiveSupport", "LoopTestSupport", "TracePrograms", "traces"],
            path: "Tests/Traces/TraceTests"
        ),
        // The snippets of the pages that no example program contains.
        .testTarget(
            name: "SnippetTests",
            dependencies: signals + backEnds + [
                "SchedulerEngine", "ReactiveCommands", "ReactiveSockets", "ReactiveTesting", "SchedulerConformance",
                target("ReactiveNATS", trait: "NATS"), target("ReactiveTLS", trait: "TLS"),
            ],
            exclude: ["README.md"]
        ),

        // No products from here on: what tests have in common, and programs for them.
        // The three loops by name, waits with a time limit, programs to run.
        .target(
            name: "LoopTestSupport",
            dependencies: engine + backEnds + ["SchedulerConformance"],
            path: "Tests/LoopTestSupport"
        ),
        // Hosts' loops that a test drives, and guests on them that look like any loop.
        .target(name: "GuestHosts", dependencies: engine + backEnds + libraries, path: "Tests/GuestHosts"),
        // The loops of this build as the kit knows them, and the command that checks them.
        .target(
            name: "ConformanceLoops",
            dependencies: engine + backEnds + [
                "SchedulerConformance", "ReactiveTesting", "GuestHosts", "CReactive", "ReactiveSimulation",
            ],
            path: "Tests/ConformanceLoops"
        ),
        .executableTarget(
            name: "ConformanceProgram",
            dependencies: ["SchedulerConformance", "ConformanceLoops"],
            path: "Tests/Conformance"
        ),
        // Rules that go wrong, for the tests of the kit itself.
        .executableTarget(
            name: "ConformanceFixture",
            dependencies: engine + ["SchedulerConformance", "ConformanceLoops", "SchedulerDispatch"],
            path: "Tests/ConformanceFixture"
        ),
        .executableTarget(
            name: "MainLoopProgram",
            dependencies: engine + ["SchedulerDispatch", "SchedulerConformance", "LoopTestSupport", "Refusals"],
            path: "Tests/MainLoopProgram"
        ),
        .executableTarget(
            name: "ExhaustionProgram",
            dependencies: signals + [
                "SchedulerEngine", "ReactiveSockets", "SchedulerDispatch", "SchedulerConformance", "LoopTestSupport",
                "Refusals",
            ],
            path: "Tests/ExhaustionProgram"
        ),
        .executableTarget(
            name: "ForkProgram",
            dependencies: signals + ["SchedulerEngine", "ReactiveSockets", "SchedulerConformance", "LoopTestSupport"],
            path: "Tests/ForkProgram"
        ),
        .target(name: "Refusals", path: "Tests/Refusals"),
        .target(  // Random programs, traced on simulated time on every loop.
            name: "TracePrograms",
            dependencies: engine + backEnds + ["SchedulerConformance", "LoopTestSupport"],
            path: "Tests/Traces/TracePrograms"
        ),
        .executableTarget(
            name: "traces",
            dependencies: ["SchedulerConformance", "LoopTestSupport", "TracePrograms"],
            path: "Tests/Traces/TraceCommand"
        ),
        // What each operator does, played in virtual time, tested and drawn.
        .target(
            name: "MarblePictures",
            dependencies: ["ReactiveCore", "ReactiveSignals", "ReactiveCommands", "ReactiveTesting"],
            path: "Tests/MarblePictures"
        ),
        .executableTarget(
            name: "marble-pictures",
            dependencies: ["MarblePictures"],
            path: "Tests/MarblePicturesProgram"
        ),
        // What fuzzers have in common, and the parsers of network data under fuzzing.
        .target(name: "FuzzSupport", dependencies: ["SchedulerConformance"], path: "Tests/Fuzz/FuzzSupport"),
        // The key-value server of the examples, once more, for fuzzers and simulations.
        .target(
            name: "KeyValueService",
            dependencies: sockets + ["ReactiveCommands"],
            path: "Examples/KeyValueServer",
            exclude: ["KeyValueServer.swift", "KeyValueTests"]
        ),
        .executableTarget(
            name: "fuzz",
            dependencies: signals + [
                "FuzzSupport", "SchedulerConformance", "KeyValueService", "ReactiveSockets", "SchedulerDispatch",
                "SchedulerEngine", target("ReactiveNATS", trait: "NATS"),
            ],
            path: "Tests/Fuzz/FuzzCommand"
        ),
        .target(name: "HeapProbe", path: "Tests/HeapProbe"),
        // Commands under load, and for a profiler.
        .executableTarget(
            name: "CommandLoad",
            dependencies: [
                "ReactiveCore", "ReactiveSignals", "ReactiveCommands", "SchedulerConformance", "LoopTestSupport",
                "HeapProbe",
            ],
            path: "Tests/CommandLoad"
        ),
    ]
)

for target in package.targets
where [.regular, .test, .executable].contains(target.type)
    && !["CReactive", "HeapProbe", "Refusals"].contains(target.name)
{
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),  // SE-0335
            .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
            .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
            .treatAllWarnings(as: .error),
        ]
    // SE-0458, for every target under Sources: test support and tests have a path or another type.
    if target.type == .regular, target.path == nil { target.swiftSettings?.append(.strictMemorySafety()) }
}

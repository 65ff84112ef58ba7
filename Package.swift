// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "swift-reactive",
    products: [
        .library(name: "ReactiveCore", targets: ["ReactiveCore"]),
        .library(name: "ReactiveSignals", targets: ["ReactiveSignals"]),
        .library(name: "ReactiveCommands", targets: ["ReactiveCommands"]),
        .library(name: "SchedulerEngine", targets: ["SchedulerEngine"]),
        .library(name: "SchedulerDispatch", targets: ["SchedulerDispatch"]),
        .library(name: "SchedulerLibuv", targets: ["SchedulerLibuv"]),
        .library(name: "SchedulerLibevent", targets: ["SchedulerLibevent"]),
        .library(name: "ReactiveSockets", targets: ["ReactiveSockets"]),
        .library(name: "ReactiveNATS", targets: ["ReactiveNATS"]),
        .library(name: "ReactiveTesting", targets: ["ReactiveTesting"]),
        .library(name: "SchedulerConformance", targets: ["SchedulerConformance"]),
    ],
    traits: [
        .trait(name: "Libuv", description: "LibuvLoop, on libuv (Debian: libuv1-dev)"),
        .trait(name: "Libevent", description: "LibeventLoop, on libevent (Debian: libevent-dev)"),
        .trait(name: "NATS", description: "ReactiveNATS, on nats.c (Debian: libnats-dev)"),
        .default(enabledTraits: ["Libuv", "Libevent"]),
    ],
    targets: [
        .systemLibrary(name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "CLibevent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "CNats", pkgConfig: "libnats", providers: [.apt(["libnats-dev"])]),
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
        .target(
            name: "SchedulerDispatch",
            dependencies: ["ReactiveCore", "ReactiveSupport", "SchedulerEngine", "CReactive"]
        ),
        .target(
            name: "SchedulerLibuv",
            dependencies: [
                "ReactiveCore", "SchedulerEngine",
                .target(name: "CLibuv", condition: .when(traits: ["Libuv"])),
            ]
        ),
        .target(
            name: "SchedulerLibevent",
            dependencies: [
                "ReactiveCore", "SchedulerEngine",
                .target(name: "CLibevent", condition: .when(traits: ["Libevent"])),
            ]
        ),
        .target(
            name: "ReactiveSockets",
            dependencies: ["ReactiveCore", "ReactiveSupport", "ReactiveSignals", "CReactive"]
        ),
        .target(
            name: "ReactiveNATS",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "ReactiveSignals", "ReactiveCommands", "ReactiveSockets",
                .target(name: "CNats", condition: .when(traits: ["NATS"])),
            ]
        ),

        .target(name: "ReactiveTesting", dependencies: ["ReactiveCore", "ReactiveSupport", "ReactiveSignals"]),

        .target(
            name: "SchedulerConformance",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "ReactiveSignals", "ReactiveTesting", "ReactiveSockets", "CReactive",
            ]
        ),

        .testTarget(
            name: "ReactiveSignalsTests",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "ReactiveSignals", "ReactiveCommands", "ReactiveTesting",
                "SchedulerConformance", "LoopTestSupport", "HeapProbe", "MarblePictures",
            ]
        ),
        // Not a product: what each operator does, played in virtual time, tested and drawn.
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
        .testTarget(
            name: "ReactiveTestingTests",
            dependencies: ["ReactiveCore", "ReactiveSupport", "ReactiveSignals", "ReactiveTesting"]
        ),
        .testTarget(
            name: "ReactiveSocketsTests",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "ReactiveSignals", "ReactiveSockets", "SchedulerEngine",
                "SchedulerConformance", "LoopTestSupport",
            ]
        ),
        // Not a product: the three loops by name, latches, sockets, programs to run.
        .target(
            name: "LoopTestSupport",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "SchedulerEngine", "SchedulerDispatch", "SchedulerLibuv",
                "SchedulerLibevent",
            ],
            path: "Tests/LoopTestSupport"
        ),
        .testTarget(
            name: "SchedulerEngineTests",
            dependencies: ["ReactiveCore", "ReactiveSupport", "SchedulerEngine", "ConformanceLoops", "LoopTestSupport"]
        ),
        .testTarget(
            name: "LoopTests",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "ReactiveSignals", "SchedulerEngine", "LoopTestSupport",
                .target(name: "CLibuv", condition: .when(traits: ["Libuv"])),
                .target(name: "CLibevent", condition: .when(traits: ["Libevent"])),
            ]
        ),
        .testTarget(
            name: "SchedulerDispatchTests",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "SchedulerEngine", "SchedulerDispatch", "LoopTestSupport",
            ]
        ),
        // Not a product: hosts' loops that a test drives, and guests on them that look like any loop.
        .target(
            name: "GuestHosts",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "SchedulerEngine", "SchedulerDispatch", "SchedulerLibuv",
                "SchedulerLibevent",
                .target(name: "CLibuv", condition: .when(traits: ["Libuv"])),
                .target(name: "CLibevent", condition: .when(traits: ["Libevent"])),
            ],
            path: "Tests/GuestHosts"
        ),
        // Not products: the loops of this build as the kit is told about them, and the command that checks them.
        .target(
            name: "ConformanceLoops",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "SchedulerConformance", "SchedulerEngine", "SchedulerDispatch",
                "SchedulerLibuv", "SchedulerLibevent", "ReactiveTesting", "GuestHosts", "CReactive",
            ],
            path: "Tests/ConformanceLoops"
        ),
        .executableTarget(
            name: "ConformanceProgram",
            dependencies: ["SchedulerConformance", "ConformanceLoops"],
            path: "Tests/Conformance"
        ),
        // Not a product: rules that go wrong, for the tests of the kit itself.
        .executableTarget(
            name: "ConformanceFixture",
            dependencies: [
                "ReactiveCore", "SchedulerConformance", "ConformanceLoops", "SchedulerEngine", "SchedulerDispatch",
            ],
            path: "Tests/ConformanceFixture"
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: [
                "SchedulerConformance", "ConformanceLoops", "ConformanceProgram", "ConformanceFixture",
                "LoopTestSupport",
            ]
        ),
        // Not a product: random programs, traced on simulated time on every loop.
        .target(
            name: "TracePrograms",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "SchedulerEngine", "SchedulerDispatch", "SchedulerLibuv",
                "SchedulerLibevent", "SchedulerConformance", "LoopTestSupport",
            ],
            path: "Tests/Traces/TracePrograms"
        ),
        .executableTarget(
            name: "traces",
            dependencies: ["ReactiveCore", "ReactiveSupport", "LoopTestSupport", "TracePrograms"],
            path: "Tests/Traces/TraceCommand"
        ),
        .testTarget(
            name: "TraceTests",
            dependencies: ["ReactiveCore", "ReactiveSupport", "LoopTestSupport", "TracePrograms", "traces"],
            path: "Tests/Traces/TraceTests"
        ),
        // Not products: what fuzzers have in common, and the parsers of network data under fuzzing.
        .target(name: "FuzzSupport", path: "Tests/Fuzz/FuzzSupport"),
        // The key-value server's protocol, once more: the server belongs to the package of the examples.
        .target(
            name: "KeyValueProtocol",
            dependencies: ["ReactiveCore", "ReactiveSignals", "ReactiveSockets"],
            path: "Examples/KeyValueServer/Protocol",
            exclude: ["CommandFailure.swift", "Request.swift"]
        ),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "FuzzSupport", "KeyValueProtocol", "ReactiveCore", "ReactiveSupport", "ReactiveSignals",
                "ReactiveSockets", "SchedulerEngine", "SchedulerDispatch",
                .target(name: "ReactiveNATS", condition: .when(traits: ["NATS"])),
            ],
            path: "Tests/Fuzz/FuzzCommand"
        ),
        // Not a product: how much malloc has given out, which Swift's Glibc does not say.
        .target(name: "HeapProbe", path: "Tests/HeapProbe"),
        .executableTarget(
            name: "MainLoopProgram",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "SchedulerEngine", "SchedulerDispatch", "LoopTestSupport",
                "Refusals",
            ],
            path: "Tests/MainLoopPrograms/MainLoopProgram"
        ),
        // Commands under load, and for a profiler.
        .executableTarget(
            name: "CommandLoad",
            dependencies: [
                "ReactiveCore", "ReactiveSignals", "ReactiveCommands", "LoopTestSupport", "HeapProbe",
            ],
            path: "Tests/CommandPrograms/CommandLoad"
        ),
        .testTarget(
            name: "ReactiveCommandsTests",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "ReactiveSignals", "ReactiveCommands", "ReactiveTesting",
                "SchedulerEngine", "LoopTestSupport", "CommandLoad",
            ]
        ),
        .testTarget(
            name: "NATSTests",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "ReactiveSignals", "ReactiveCommands", "ReactiveSockets",
                "ReactiveNATS",
                "SchedulerEngine", "LoopTestSupport",
            ]
        ),
        .testTarget(
            name: "GuestTests",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "ReactiveSignals", "ReactiveSockets", "SchedulerEngine",
                "SchedulerDispatch", "SchedulerLibuv", "SchedulerLibevent", "GuestHosts", "LoopTestSupport",
                .target(name: "CLibuv", condition: .when(traits: ["Libuv"])),
                .target(name: "CLibevent", condition: .when(traits: ["Libevent"])),
            ]
        ),
        .testTarget(name: "MainLoopTests", dependencies: ["LoopTestSupport", "MainLoopProgram"]),
        // Every loop and socket without descriptors, threads and kernel memory.
        .target(name: "Refusals", path: "Tests/Exhaustion/Refusals"),
        .executableTarget(
            name: "ExhaustionProgram",
            dependencies: [
                "ReactiveCore", "ReactiveSignals", "ReactiveSockets", "SchedulerEngine", "SchedulerDispatch",
                "LoopTestSupport", "Refusals",
            ],
            path: "Tests/Exhaustion/ExhaustionProgram"
        ),
        .testTarget(
            name: "ExhaustionTests",
            dependencies: ["LoopTestSupport", "ExhaustionProgram"],
            path: "Tests/Exhaustion/ExhaustionTests"
        ),
        // Forked children of a process with loops.
        .executableTarget(
            name: "ForkProgram",
            dependencies: [
                "ReactiveCore", "ReactiveSupport", "ReactiveSignals", "ReactiveSockets", "SchedulerEngine",
                "LoopTestSupport",
            ],
            path: "Tests/Forks/ForkProgram"
        ),
        .testTarget(
            name: "ForkTests",
            dependencies: ["LoopTestSupport", "ForkProgram"],
            path: "Tests/Forks/ForkTests"
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

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
let (libuv, libevent) = (target("CLibuv", trait: "Libuv"), target("CLibevent", trait: "Libevent"))
let libraries = [libuv, libevent]
let openSSL = target("COpenSSL", trait: "TLS")
let cares = target("CCares", trait: "CAres")
let sockets: [Target.Dependency] = ["ReactiveCore", "ReactiveSignals", "ReactiveSockets"]
let service: [Target.Dependency] = signals + ["ReactiveSockets", "ReactiveCommands"]
let loopTests = service + ["SchedulerEngine", "SchedulerConformance", "LoopTestSupport"]
// Every package dependency is behind a trait, so that a build without traits fetches none.
func product(_ name: String, of package: String, trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}
func logging(_ name: String) -> Target.Dependency { product(name, of: "swift-log", trait: "Logging") }
func metrics(_ name: String) -> Target.Dependency { product(name, of: "swift-metrics", trait: "Metrics") }
func lifecycle(_ name: String) -> Target.Dependency {
    product(name, of: "swift-service-lifecycle", trait: "ServiceLifecycle")
}
let httpTypes = product("HTTPTypes", of: "swift-http-types", trait: "HTTP")
let http = [httpTypes, target("CZlib", trait: "HTTP")]
let tracing = [httpTypes, product("Tracing", of: "swift-distributed-tracing", trait: "Tracing")]
let traced =
    loopTests + ["ReactiveHTTP", "ReactiveTracing"] + tracing
    + [product("InMemoryTracing", of: "swift-distributed-tracing", trait: "Tracing")]
let nats = target("ReactiveNATS", trait: "NATS")

// Targets that are no products. The optimiser compiles the sources in a release build. Tests are optimised too if users specialise and
// inline in their own modules what these tests call. The others are clients that specialise nothing (Docs/Decisions/0065).
enum Optimization { case likeSources, none }
func tests(
    _ name: String,
    _ dependencies: [Target.Dependency],
    exclude: [String] = [],
    optimization: Optimization = .none
) -> Target {
    .testTarget(
        name: name,
        dependencies: dependencies,
        exclude: exclude,
        swiftSettings: optimization == .none ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : []
    )
}
func support(_ name: String, _ dependencies: [Target.Dependency] = [], at path: String) -> Target {
    .target(name: name, dependencies: dependencies, path: path)
}
func program(_ name: String, _ dependencies: [Target.Dependency], at path: String) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path)
}

let package = Package(
    name: "swift-reactive",
    products: [
        "Reactive", "ReactiveCore", "ReactiveSignals", "ReactiveCommands", "ReactiveSockets", "ReactiveTesting",
        "SchedulerEngine", "SchedulerDispatch", "SchedulerLibuv", "SchedulerLibevent", "SchedulerConformance",
        "ReactiveNATS", "ReactiveTLS", "ReactiveSimulation", "ReactiveLogging", "ReactiveMetrics",
        "ReactiveServiceLifecycle", "ReactiveHTTP", "ReactiveDashboard", "ReactiveTracing", "ReactiveCAres",
    ].map { module in .library(name: module, targets: [module]) },
    traits: [
        .trait(name: "Libuv", description: "LibuvLoop, on libuv (Debian: libuv1-dev)"),
        .trait(name: "Libevent", description: "LibeventLoop, on libevent (Debian: libevent-dev)"),
        .trait(name: "NATS", description: "ReactiveNATS (Debian: libssl-dev)", enabledTraits: ["TLS"]),
        .trait(name: "TLS", description: "ReactiveTLS, on OpenSSL 3 (Debian: libssl-dev)"),
        .trait(name: "Simulation", description: "Yield points in locks, at which ReactiveSimulation stops threads"),
        .trait(name: "Logging", description: "ReactiveLogging, on swift-log"),
        .trait(name: "Metrics", description: "ReactiveMetrics, on swift-metrics"),
        .trait(name: "ServiceLifecycle", description: "ReactiveServiceLifecycle, on swift-service-lifecycle"),
        .trait(name: "HTTP", description: "ReactiveHTTP, on swift-http-types and zlib (Debian: zlib1g-dev)"),
        .trait(name: "Tracing", description: "Spans, on swift-distributed-tracing", enabledTraits: ["HTTP"]),
        .trait(name: "CAres", description: "ReactiveCAres, on c-ares (Debian: libc-ares-dev)"),
        // A dependent package needs no C library and fetches nothing unless it asks: Docs/Decisions/0034.
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),  // No Foundation.
    ],
    targets: [
        .systemLibrary(name: "CLibuv", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
        .systemLibrary(name: "CLibevent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCares", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
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
        .target(name: "SchedulerLibuv", dependencies: engine + [libuv]),
        .target(name: "SchedulerLibevent", dependencies: engine + [libevent]),
        .target(name: "ReactiveSockets", dependencies: signals + ["CReactive"]),
        // Re-exports these, and declares nothing itself.
        .target(name: "Reactive", dependencies: sockets + ["ReactiveCommands"]),
        .target(
            name: "ReactiveNATS",
            dependencies: service + ["ReactiveTLS", target("COpenSSL", trait: "NATS")]
        ),
        .target(name: "ReactiveTLS", dependencies: sockets + ["ReactiveSupport", openSSL]),
        .target(name: "ReactiveHTTP", dependencies: service + http),
        .target(name: "ReactiveDashboard", dependencies: sockets + ["ReactiveSupport", "ReactiveHTTP", httpTypes]),
        .target(name: "ReactiveTracing", dependencies: service + ["ReactiveHTTP", nats] + tracing),
        .target(name: "ReactiveCAres", dependencies: sockets + ["ReactiveSupport", cares]),
        .target(name: "ReactiveLogging", dependencies: sockets + [logging("Logging")]),
        .target(name: "ReactiveMetrics", dependencies: sockets + ["ReactiveCommands", metrics("CoreMetrics")]),
        .target(name: "ReactiveServiceLifecycle", dependencies: sockets + [lifecycle("ServiceLifecycle")]),

        .target(name: "ReactiveTesting", dependencies: signals),
        .target(
            name: "ReactiveSimulation",
            dependencies: sockets + ["ReactiveSupport", "SchedulerEngine", "CReactive"]
        ),

        .target(
            name: "SchedulerConformance",
            dependencies: signals + ["ReactiveTesting", "ReactiveSockets", "CReactive"]
        ),

        tests(
            "ReactiveSignalsTests",
            signals + [
                "ReactiveCommands", "ReactiveTesting", "SchedulerConformance", "LoopTestSupport", "HeapProbe",
                "MarblePictures", "ReactiveSimulation", "SchedulerEngine",
            ],
            optimization: .likeSources
        ),
        tests(
            "ReactiveTLSTests",
            loopTests + ["ReactiveTLS", openSSL, "ConformanceLoops", "ConformanceProgram", "TLSRules"]
        ),
        tests("ReactiveHTTPTests", loopTests + ["ReactiveHTTP", "ReactiveTLS", httpTypes]),
        tests("ReactiveDashboardTests", loopTests + ["ReactiveHTTP", "ReactiveDashboard"]),
        tests("ReactiveTracingTests", traced + [nats, "TracingTestSupport"]),
        tests(
            "ReactiveCAresTests",
            loopTests + ["ReactiveCAres", "ReactiveSimulation", "DNSServers", "ResolverProgram"]
        ),
        tests("ReactiveTestingTests", signals + ["ReactiveTesting"], optimization: .likeSources),
        tests(
            "ReactiveSimulationTests",
            service + [
                "SchedulerEngine", "SchedulerConformance", "Reactive", "ReactiveSimulation", "KeyValueService",
                "RequestReply",
            ]
        ),
        tests("KeyValueServiceTests", loopTests + ["ReactiveTesting", "KeyValueService"]),
        tests("RequestReplyTests", loopTests + ["RequestReply"]),
        tests("ReactiveCommandsTests", loopTests + ["ReactiveTesting", "CommandLoad"], optimization: .likeSources),
        tests("ReactiveSocketsTests", loopTests + ["CReactive"]),
        tests("NATSTests", traced + ["ReactiveNATS", "TracingTestSupport"]),
        tests(
            "AdapterTests",
            loopTests + [
                "ReactiveLogging", "ReactiveMetrics", "ReactiveServiceLifecycle",
                logging("Logging"), logging("InMemoryLogging"),
                metrics("CoreMetrics"), metrics("MetricsTestKit"),
                lifecycle("ServiceLifecycle"), lifecycle("ServiceLifecycleTestKit"), lifecycle("UnixSignals"),
            ]
        ),
        tests("SchedulerEngineTests", engine + ["ConformanceLoops", "SchedulerConformance", "LoopTestSupport"]),
        tests("LoopTests", loopTests + backEnds + libraries + ["ReactiveTesting"]),
        tests("GuestTests", loopTests + backEnds + libraries + ["GuestHosts"]),
        tests(
            "ConformanceTests",
            [
                "SchedulerConformance", "ConformanceLoops", "ConformanceProgram", "ConformanceFixture", "TLSRules",
                "LoopTestSupport",
            ]
        ),
        // Each of these tests runs in its own process.
        tests("ProcessTests", ["LoopTestSupport", "MainLoopProgram", "ExhaustionProgram", "ForkProgram"]),
        .testTarget(
            name: "TraceTests",
            dependencies: ["ReactiveCore", "ReactiveSupport", "LoopTestSupport", "TracePrograms", "traces"],
            path: "Tests/Traces/TraceTests"
        ),
        // The snippets of the pages that no example program contains.
        tests(
            "SnippetTests",
            signals + backEnds + [
                "SchedulerEngine", "ReactiveCommands", "ReactiveSockets", "ReactiveTesting", "SchedulerConformance",
                nats, target("ReactiveTLS", trait: "TLS"), "ReactiveHTTP", httpTypes,
                "ReactiveDashboard", "ReactiveCAres",
            ],
            exclude: ["README.md"],
            optimization: .likeSources
        ),

        // No products from here on: what tests have in common, and programs for them.
        // The three loops by name, waits with a time limit, programs to run.
        support(
            "LoopTestSupport",
            engine + backEnds + ["ReactiveSockets", "SchedulerConformance"],
            at: "Tests/LoopTestSupport"
        ),
        // A tracer that keeps spans in memory.
        support("TracingTestSupport", traced, at: "Tests/TracingTestSupport"),
        // Hosts' loops that a test drives, and guests on them that look like any loop.
        support("GuestHosts", engine + backEnds + libraries, at: "Tests/GuestHosts"),
        // The loops of this build as the kit knows them, and the command that checks them.
        support(
            "ConformanceLoops",
            engine + backEnds + [
                "SchedulerConformance", "ReactiveTesting", "GuestHosts", "CReactive", "ReactiveSimulation",
            ],
            at: "Tests/ConformanceLoops"
        ),
        // The rules of TLS over the sockets of a loop, for the kit's runner.
        support(
            "TLSRules",
            service + ["SchedulerConformance", "ReactiveTLS", openSSL, "CReactive"],
            at: "Tests/TLSRules"
        ),
        program(
            "ConformanceProgram",
            ["SchedulerConformance", "ConformanceLoops", "TLSRules"],
            at: "Tests/Conformance"
        ),
        // Rules that go wrong, for the tests of the kit itself.
        program(
            "ConformanceFixture",
            engine + ["SchedulerConformance", "ConformanceLoops", "SchedulerDispatch"],
            at: "Tests/ConformanceFixture"
        ),
        program(
            "MainLoopProgram",
            engine + ["SchedulerDispatch", "SchedulerConformance", "LoopTestSupport", "Refusals"],
            at: "Tests/MainLoopProgram"
        ),
        program(
            "ExhaustionProgram",
            signals + [
                "SchedulerEngine", "ReactiveSockets", "SchedulerDispatch", "SchedulerConformance", "LoopTestSupport",
                "Refusals",
            ],
            at: "Tests/ExhaustionProgram"
        ),
        program(
            "ForkProgram",
            signals + ["SchedulerEngine", "ReactiveSockets", "SchedulerConformance", "LoopTestSupport"],
            at: "Tests/ForkProgram"
        ),
        support("Refusals", at: "Tests/Refusals"),
        // The protocol of Docs/WritingAProtocol.md.
        support("RequestReply", ["ReactiveCore", "ReactiveSignals", "ReactiveSockets"], at: "Tests/RequestReply"),
        support(  // Random programs, traced on simulated time on every loop.
            "TracePrograms",
            engine + backEnds + ["SchedulerConformance", "LoopTestSupport"],
            at: "Tests/Traces/TracePrograms"
        ),
        program(
            "traces",
            ["SchedulerConformance", "LoopTestSupport", "TracePrograms"],
            at: "Tests/Traces/TraceCommand"
        ),
        // What each operator does, played in virtual time, tested and drawn.
        support(
            "MarblePictures",
            ["ReactiveCore", "ReactiveSignals", "ReactiveCommands", "ReactiveTesting"],
            at: "Tests/MarblePictures"
        ),
        program("marble-pictures", ["MarblePictures"], at: "Tests/MarblePicturesProgram"),
        // What fuzzers have in common, and the parsers of network data under fuzzing.
        support("FuzzSupport", ["ReactiveSupport", "SchedulerConformance"], at: "Tests/Fuzz/FuzzSupport"),
        // The key-value server of the examples, once more, for fuzzers and simulations.
        .target(
            name: "KeyValueService",
            dependencies: sockets + ["ReactiveCommands"],
            path: "Examples/KeyValueServer",
            exclude: ["KeyValueServer.swift"]
        ),
        program(
            "fuzz",
            signals + [
                "FuzzSupport", "SchedulerConformance", "KeyValueService", "ReactiveSockets", "SchedulerDispatch",
                "SchedulerEngine", nats, "ReactiveHTTP", httpTypes,
            ],
            at: "Tests/Fuzz/FuzzCommand"
        ),
        // Servers whose answers a test decides, and a process whose threads and descriptors a test counts.
        support("DNSServers", sockets + ["SchedulerConformance"], at: "Tests/DNSServers"),
        program(
            "ResolverProgram",
            loopTests + ["ReactiveCAres", "DNSServers", "Refusals"],
            at: "Tests/ResolverProgram"
        ),
        support("HeapProbe", at: "Tests/HeapProbe"),
        // Commands under load, and for a profiler.
        program(
            "CommandLoad",
            [
                "ReactiveCore", "ReactiveSignals", "ReactiveCommands", "SchedulerConformance", "LoopTestSupport",
                "HeapProbe",
            ],
            at: "Tests/CommandLoad"
        ),
    ]
)

// REACTIVE_TARGETS="ReactiveTLSTests fuzz" limits the package to these targets and what they need. `make asan TARGETS=…`
// sets it, because a build with a sanitizer would compile tests that it then skips.
if let names = Context.environment["REACTIVE_TARGETS"]?.split(whereSeparator: \.isWhitespace).map(String.init),
    !names.isEmpty
{
    func needed(_ name: String, _ found: inout Set<String>) {
        guard let target = package.targets.first(where: { $0.name == name }) else { return }
        guard found.insert(name).inserted else { return }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): needed(name, &found)
            default: break
            }
        }
    }
    var found: Set<String> = []
    for name in names { needed(name, &found) }
    guard found.isSuperset(of: names) else { fatalError("REACTIVE_TARGETS names no target of this package: \(names)") }
    package.targets.removeAll { !found.contains($0.name) }
    package.products.removeAll { !found.contains($0.name) }
}

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

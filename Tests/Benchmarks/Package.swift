// swift-tools-version: 6.2
import PackageDescription

// The products of the library itself that a program is built on.
func ours(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "swift-reactive") } }

// A package of its own, so that what the measurements need, the peers above all, is never a dependency of the library.
let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "swift-reactive", path: "../..", traits: ["Libuv", "Libevent"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        // What Swift cannot ask of libc, and the allocation counter's two functions where one is loaded.
        .target(name: "CMeasure"),
        // The line that every program prints, and the clocks it reads.
        .target(name: "Measure", dependencies: ["CMeasure"]),
        // Loops: a program for each library, so that neither pays for the other.
        .executableTarget(
            name: "reactive-bench",
            dependencies: ["Measure"]
                + ours(
                    "ReactiveCore",
                    "ReactiveSignals",
                    "ReactiveSockets",
                    "SchedulerDispatch",
                    "SchedulerLibuv",
                    "SchedulerLibevent"
                ),
            path: "Sources/ReactiveBench"
        ),
        .executableTarget(
            name: "nio-bench",
            dependencies: [
                "Measure",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Sources/NIOBench"
        ),
        // Signals: both libraries in one program. It counts allocations of the whole process it is linked into.
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
        // The two shapes that a signal could have had.
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

// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what the measurements need (peers, in time) is never a dependency of the library.
let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "swift-reactive", path: "../..")],
    targets: [
        .target(name: "SignalShapes"),
        .executableTarget(name: "shape-bench", dependencies: ["SignalShapes"], path: "Sources/ShapeBench"),
        .executableTarget(
            name: "signal-bench",
            dependencies: [.product(name: "ReactiveSignals", package: "swift-reactive")],
            path: "Sources/SignalBench"
        ),
    ]
)

for target in package.targets {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),  // SE-0335
            .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
            .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
            .treatAllWarnings(as: .error),
        ]
}

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "LinkageCheck",
    dependencies: [.package(name: "swift-reactive", path: "../..")],
    targets: [
        .executableTarget(
            name: "LinkageCheck",
            dependencies: [
                .product(name: "ReactiveCore", package: "swift-reactive"),
                .product(name: "ReactiveSignals", package: "swift-reactive"),
                .product(name: "ReactiveSockets", package: "swift-reactive"),
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
            ]
        )
    ]
)

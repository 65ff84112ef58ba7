// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "my-service",
    dependencies: [
        .package(url: "https://github.com/OWNER/swift-reactive", from: "0.1.0", traits: ["ServiceLifecycle"]),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .executableTarget(
            name: "my-service",
            dependencies: [
                .product(name: "Reactive", package: "swift-reactive"),
                .product(name: "ReactiveServiceLifecycle", package: "swift-reactive"),
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        )
    ]
)

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "my-service",
    dependencies: [
        .package(url: "https://github.com/OWNER/swift-reactive", from: "0.1.0", traits: ["CAres"])
    ],
    targets: [
        .executableTarget(
            name: "my-service",
            dependencies: [
                .product(name: "Reactive", package: "swift-reactive"),
                .product(name: "ReactiveCAres", package: "swift-reactive"),
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
            ]
        )
    ]
)

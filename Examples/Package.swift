// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Examples",
    products: [
        .executable(name: "echo-server", targets: ["EchoServer"])
    ],
    traits: [
        .trait(name: "Libuv", description: "--loop libuv"),
        .trait(name: "Libevent", description: "--loop libevent"),
        .default(enabledTraits: ["Libuv", "Libevent"]),
    ],
    dependencies: [
        .package(
            name: "swift-reactive",
            path: "..",
            traits: [
                .trait(name: "Libuv", condition: .when(traits: ["Libuv"])),
                .trait(name: "Libevent", condition: .when(traits: ["Libevent"])),
            ]
        ),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        // Which loops this build has, by name.
        .target(
            name: "Loops",
            dependencies: [
                .product(name: "ReactiveCore", package: "swift-reactive"),
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
                .product(name: "SchedulerLibuv", package: "swift-reactive", condition: .when(traits: ["Libuv"])),
                .product(name: "SchedulerLibevent", package: "swift-reactive", condition: .when(traits: ["Libevent"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Loops"
        ),
        .executableTarget(
            name: "EchoServer",
            dependencies: [
                "Loops",
                .product(name: "ReactiveCore", package: "swift-reactive"),
                .product(name: "ReactiveSignals", package: "swift-reactive"),
                .product(name: "ReactiveSockets", package: "swift-reactive"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "EchoServer"
        ),
        // Not a product: what the smoke test measures.
        .executableTarget(
            name: "RelayServer",
            dependencies: [
                "Loops",
                .product(name: "ReactiveCore", package: "swift-reactive"),
                .product(name: "ReactiveSignals", package: "swift-reactive"),
                .product(name: "ReactiveSockets", package: "swift-reactive"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "RelayServer"
        ),
    ]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}

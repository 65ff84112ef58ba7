// swift-tools-version: 6.2
import PackageDescription

// What every program here uses.
let sockets: [Target.Dependency] = ["ReactiveCore", "ReactiveSignals", "ReactiveSockets"].map { name in
    .product(name: name, package: "swift-reactive")
}

let package = Package(
    name: "Examples",
    products: [
        .executable(name: "echo-server", targets: ["EchoServer"]),
        .executable(name: "key-value-server", targets: ["KeyValueServer"]),
        .executable(name: "chat", targets: ["Chat"]),
        .executable(name: "port-forward", targets: ["PortForward"]),
        .executable(name: "udp-echo", targets: ["UdpEcho"]),
    ],
    traits: [
        .trait(name: "Libuv", description: "--loop libuv"),
        .trait(name: "Libevent", description: "--loop libevent"),
        .trait(name: "NATS", description: "the chat"),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(
            name: "swift-reactive",
            path: "..",
            traits: [
                // The echo server logs.
                "Logging",
                .trait(name: "Libuv", condition: .when(traits: ["Libuv"])),
                .trait(name: "Libevent", condition: .when(traits: ["Libevent"])),
                .trait(name: "NATS", condition: .when(traits: ["NATS"])),
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
                .product(name: "ReactiveSockets", package: "swift-reactive"),
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
                .product(name: "SchedulerLibuv", package: "swift-reactive", condition: .when(traits: ["Libuv"])),
                .product(name: "SchedulerLibevent", package: "swift-reactive", condition: .when(traits: ["Libevent"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Loops"
        ),
        // README's first screen, word for word.
        .executableTarget(
            name: "HelloEcho",
            dependencies: sockets + [
                .product(name: "SchedulerDispatch", package: "swift-reactive")
            ],
            path: "HelloEcho"
        ),
        .executableTarget(
            name: "EchoServer",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveCommands", package: "swift-reactive"),
                .product(name: "ReactiveLogging", package: "swift-reactive"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "EchoServer"
        ),
        // A server that Redis clients talk to: framing, commands, properties, timers, several loops.
        .executableTarget(
            name: "KeyValueServer",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveCommands", package: "swift-reactive"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "KeyValueServer",
            exclude: ["KeyValueTests"]
        ),
        .testTarget(
            name: "KeyValueTests",
            dependencies: sockets + [
                "KeyValueServer", "Loops",
                .product(name: "ReactiveCommands", package: "swift-reactive"),
                .product(name: "ReactiveTesting", package: "swift-reactive"),
            ],
            path: "KeyValueServer/KeyValueTests"
        ),
        // Rooms on NATS: any number of processes, on any loops.
        .executableTarget(
            name: "Chat",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveNATS", package: "swift-reactive", condition: .when(traits: ["NATS"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Chat",
            exclude: ["load.py"]
        ),
        .executableTarget(
            name: "PortForward",
            dependencies: sockets + [
                "Loops",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "PortForward"
        ),
        .executableTarget(
            name: "UdpEcho",
            dependencies: sockets + [
                "Loops",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "UdpEcho"
        ),
        // Ten lines.
        .executableTarget(
            name: "Client",
            dependencies: sockets + [
                .product(name: "SchedulerDispatch", package: "swift-reactive")
            ],
            path: "Client"
        ),
        // A guest of a foreign host loop (Docs/Guests.md).
        .executableTarget(
            name: "Guest",
            dependencies: sockets + [
                .product(name: "SchedulerEngine", package: "swift-reactive"),
                .product(name: "SchedulerLibuv", package: "swift-reactive", condition: .when(traits: ["Libuv"])),
            ],
            path: "Guest"
        ),
        // Three ways of framing, as Docs/Framing.md shows them.
        .executableTarget(
            name: "LineServer",
            dependencies: sockets + [
                .product(name: "SchedulerDispatch", package: "swift-reactive")
            ],
            path: "LineServer"
        ),
        // The program of the tutorial "A service with limits and drain".
        .executableTarget(
            name: "LimitedServer",
            dependencies: sockets + [
                .product(name: "SchedulerDispatch", package: "swift-reactive")
            ],
            path: "LimitedServer"
        ),
        // What Docs/Commands.md shows.
        .executableTarget(
            name: "Commands",
            dependencies: sockets + [
                .product(name: "ReactiveCommands", package: "swift-reactive"),
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
            ],
            path: "Commands"
        ),
        // Not a product: what the smoke test measures.
        .executableTarget(
            name: "RelayServer",
            dependencies: sockets + [
                "Loops",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "RelayServer"
        ),
    ]
)

for target in package.targets {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
    // Users' own settings: the first screen has none.
    if ["HelloEcho", "Client", "LineServer", "LimitedServer", "Commands"].contains(target.name) { continue }
    target.swiftSettings? += [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

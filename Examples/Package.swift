// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// The products that each program here uses.
let sockets: [Target.Dependency] = ["ReactiveCore", "ReactiveSignals", "ReactiveSockets"].map { name in
    .product(name: name, package: "swift-reactive")
}

// The programs of Docs/Gallery.md. Each is one file, which README's manifest can build in an empty folder.
let gallery = [
    "line-server", "health-checker", "tcp-proxy", "pub-sub", "rate-limiter", "retrying-client", "cron", "log-shipper",
    "udp-collector", "supervisor",
].map { name in
    Target.executableTarget(
        name: name,
        dependencies: [
            "Loops",
            .product(name: "Reactive", package: "swift-reactive"),
            .product(name: "ReactiveCore", package: "swift-reactive"),
            .product(name: "SchedulerDispatch", package: "swift-reactive"),
        ],
        path: "Gallery/\(name)",
        plugins: ["EveryLoop"]
    )
}

let package = Package(
    name: "Examples",
    products: [
        .executable(name: "echo-server", targets: ["EchoServer"]),
        .executable(name: "key-value-server", targets: ["KeyValueServer"]),
        .executable(name: "chat", targets: ["Chat"]),
        .executable(name: "port-forward", targets: ["PortForward"]),
        .executable(name: "udp-echo", targets: ["UdpEcho"]),
        .executable(name: "tls-client", targets: ["TLSClient"]),
        .executable(name: "http-server", targets: ["HTTPServer"]),
        .executable(name: "websocket-echo", targets: ["WebSocketEcho"]),
        .executable(name: "web-chat", targets: ["WebChat"]),
        .executable(name: "http-client", targets: ["HTTPClient"]),
        .executable(name: "reverse-proxy", targets: ["ReverseProxy"]),
        .executable(name: "gateway", targets: ["Gateway"]),
    ],
    traits: [
        .trait(name: "Libuv", description: "Enables --loop libuv"),
        .trait(name: "Libevent", description: "Enables --loop libevent"),
        .trait(name: "NATS", description: "Builds the chat, which needs OpenSSL"),
        .trait(name: "TLS", description: "Enables --tls-cert, and builds the TLS client; both need libssl"),
        .trait(
            name: "HTTP",
            description: "Enables --dashboard, and builds the programs of HTTP and WebSocket; all need zlib"
        ),
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
                .trait(name: "TLS", condition: .when(traits: ["TLS"])),
                .trait(name: "HTTP", condition: .when(traits: ["HTTP"])),
            ]
        ),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
    ],
    targets: [
        // Maps the value of --loop to a loop of this build, and reads the certificates of --tls-cert.
        .target(
            name: "Loops",
            dependencies: [
                .product(name: "ReactiveCore", package: "swift-reactive"),
                .product(name: "ReactiveSockets", package: "swift-reactive"),
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
                .product(name: "SchedulerLibuv", package: "swift-reactive", condition: .when(traits: ["Libuv"])),
                .product(name: "SchedulerLibevent", package: "swift-reactive", condition: .when(traits: ["Libevent"])),
                .product(name: "ReactiveTLS", package: "swift-reactive", condition: .when(traits: ["TLS"])),
                .product(name: "ReactiveSignals", package: "swift-reactive"),
                .product(name: "ReactiveDashboard", package: "swift-reactive", condition: .when(traits: ["HTTP"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Loops"
        ),
        // The first snippet of README.
        .executableTarget(
            name: "HelloEcho",
            dependencies: [
                .product(name: "Reactive", package: "swift-reactive"),
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
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
        // A server for Redis clients: framing, commands, properties, timers, several loops.
        .executableTarget(
            name: "KeyValueServer",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveCommands", package: "swift-reactive"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "KeyValueServer"
        ),
        // A chat on NATS. Any number of processes, on any loops, share its rooms.
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
        // `make test-tls` runs it against the servers of others.
        .executableTarget(
            name: "TLSClient",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveTLS", package: "swift-reactive", condition: .when(traits: ["TLS"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "TLSClient"
        ),
        // `make test-http` runs clients of other projects against it.
        .executableTarget(
            name: "HTTPServer",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveCommands", package: "swift-reactive"),
                .product(name: "ReactiveHTTP", package: "swift-reactive", condition: .when(traits: ["HTTP"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTP"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "HTTPServer"
        ),
        // `make test-websocket` runs the Autobahn TestSuite against it.
        .executableTarget(
            name: "WebSocketEcho",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveHTTP", package: "swift-reactive", condition: .when(traits: ["HTTP"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "WebSocketEcho"
        ),
        // `make test-browser` runs it with Chromium.
        .executableTarget(
            name: "WebChat",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveHTTP", package: "swift-reactive", condition: .when(traits: ["HTTP"])),
                .product(name: "ReactiveNATS", package: "swift-reactive", condition: .when(traits: ["NATS"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTP"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "WebChat"
        ),
        .executableTarget(
            name: "HTTPClient",
            dependencies: sockets + [
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
                .product(name: "ReactiveHTTP", package: "swift-reactive", condition: .when(traits: ["HTTP"])),
                .product(name: "ReactiveTLS", package: "swift-reactive", condition: .when(traits: ["TLS"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTP"])),
            ],
            path: "HTTPClient"
        ),
        // `make test-proxy` uploads gigabytes through it.
        .executableTarget(
            name: "ReverseProxy",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveHTTP", package: "swift-reactive", condition: .when(traits: ["HTTP"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTP"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "ReverseProxy"
        ),
        // An HTTP front of the key-value server. `make test-gateway` tests it.
        .executableTarget(
            name: "Gateway",
            dependencies: sockets + [
                "Loops",
                .product(name: "ReactiveHTTP", package: "swift-reactive", condition: .when(traits: ["HTTP"])),
                .product(name: "HTTPTypes", package: "swift-http-types", condition: .when(traits: ["HTTP"])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Gateway"
        ),
        // The first snippet of Docs/Sockets.md.
        .executableTarget(
            name: "Client",
            dependencies: sockets + [
                .product(name: "SchedulerDispatch", package: "swift-reactive")
            ],
            path: "Client"
        ),
        // A guest of a host loop (Docs/Guests.md).
        .executableTarget(
            name: "Guest",
            dependencies: sockets + [
                .product(name: "SchedulerEngine", package: "swift-reactive"),
                .product(name: "SchedulerLibuv", package: "swift-reactive", condition: .when(traits: ["Libuv"])),
            ],
            path: "Guest"
        ),
        // The snippets of Docs/Framing.md.
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
        // The snippets of Docs/Commands.md.
        .executableTarget(
            name: "Commands",
            dependencies: sockets + [
                .product(name: "ReactiveCommands", package: "swift-reactive"),
                .product(name: "SchedulerDispatch", package: "swift-reactive"),
            ],
            path: "Commands"
        ),
        // Not a product: `make greedy` measures its memory.
        .executableTarget(
            name: "RelayServer",
            dependencies: sockets + [
                "Loops",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "RelayServer"
        ),
        .plugin(name: "EveryLoop", capability: .buildTool(), path: "EveryLoop"),
    ] + gallery
)

// These are built with the settings of a new package, so the pages' snippets compile there too.
let plain = ["HelloEcho", "Client", "LineServer", "LimitedServer", "Commands"] + gallery.map(\.name)
for target in package.targets where target.type != .plugin {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
    if plain.contains(target.name) { continue }
    target.swiftSettings? += [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

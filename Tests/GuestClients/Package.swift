// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// Two C libraries with their own clients, on one loop with our sockets and timers: `make guests`. The root package
// builds without them. The traits are those of the examples, with whose scratch path it is built: no module is compiled
// twice.
let package = Package(
    name: "GuestClients",
    dependencies: [
        .package(
            name: "swift-reactive",
            path: "../..",
            traits: ["Logging", "Libuv", "Libevent", "NATS", "TLS", "HTTP"]
        )
    ],
    targets: [
        .target(
            name: "CClients",
            path: "CClients",
            linkerSettings: ["hiredis", "nats", "uv", "event_core", "event_pthreads"].map { .linkedLibrary($0) }
        ),
        .executableTarget(
            name: "guest-clients",
            dependencies: [
                "CClients",
                .product(name: "ReactiveCore", package: "swift-reactive"),
                .product(name: "ReactiveSignals", package: "swift-reactive"),
                .product(name: "ReactiveSockets", package: "swift-reactive"),
                .product(name: "SchedulerLibuv", package: "swift-reactive"),
                .product(name: "SchedulerLibevent", package: "swift-reactive"),
            ],
            path: "Clients",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
    ]
)

// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

let package = Package(
    name: "LinkageCheck",
    // Enables every trait that could link a library into a program that does not use it.
    dependencies: [
        .package(
            name: "swift-reactive",
            path: "../..",
            traits: ["Libuv", "Libevent", "NATS", "TLS", "Logging", "Metrics", "ServiceLifecycle", "HTTP", "Tracing"]
        )
    ],
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

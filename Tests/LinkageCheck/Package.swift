// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

let package = Package(
    name: "LinkageCheck",
    // Enables the traits of the examples, with whose scratch path `make linkage` builds this package: no module is
    // compiled twice. Each of these traits could link a library into a program that does not use it.
    dependencies: [
        .package(
            name: "swift-reactive",
            path: "../..",
            traits: ["Logging", "Libuv", "Libevent", "NATS", "TLS", "HTTP"]
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

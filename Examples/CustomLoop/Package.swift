// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// A custom loop, and a program that checks it with the conformance kit. Both use only products of the package.
let package = Package(
    name: "CustomLoop",
    dependencies: [
        // Without traits, neither libuv nor libevent is needed.
        .package(name: "swift-reactive", path: "../..", traits: [])
    ],
    targets: [
        .target(
            name: "PollLoop",
            dependencies: [
                .product(name: "ReactiveCore", package: "swift-reactive"),
                .product(name: "SchedulerEngine", package: "swift-reactive"),
            ]
        ),
        .executableTarget(
            name: "PollEcho",
            dependencies: [
                "PollLoop",
                .product(name: "ReactiveCore", package: "swift-reactive"),
                .product(name: "ReactiveSignals", package: "swift-reactive"),
                .product(name: "ReactiveSockets", package: "swift-reactive"),
            ]
        ),
        .executableTarget(
            name: "PollRules",
            dependencies: [
                "PollLoop",
                .product(name: "SchedulerConformance", package: "swift-reactive"),
            ]
        ),
        .testTarget(
            name: "PollLoopTests",
            dependencies: [
                "PollRules",
                .product(name: "SchedulerConformance", package: "swift-reactive"),
            ]
        ),
    ]
)

for target in package.targets { target.swiftSettings = [.treatAllWarnings(as: .error)] }

// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT
import PackageDescription

// The line server of Docs/Gallery.md on SwiftNIO, for `make compare-line-server`.
let package = Package(
    name: "line-server",
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    ],
    targets: [
        .executableTarget(
            name: "line-server",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
            ]
        )
    ]
)

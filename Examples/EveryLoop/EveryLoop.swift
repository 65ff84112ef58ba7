// SPDX-License-Identifier: MIT
import Foundation
import PackagePlugin

/// Compiles Gallery/DispatchLoop.swift into a program of the gallery, so that one build of the program runs on every
/// loop.
@main
struct EveryLoop: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let source = context.package.directoryURL.appending(path: "Gallery/DispatchLoop.swift")
        let copy = context.pluginWorkDirectoryURL.appending(path: "DispatchLoop.swift")
        return [
            .buildCommand(
                displayName: "Adding every loop to \(target.name)",
                executable: URL(filePath: "/bin/cp"),
                arguments: [source.path, copy.path],
                inputFiles: [source],
                outputFiles: [copy]
            )
        ]
    }
}

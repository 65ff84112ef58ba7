// SPDX-License-Identifier: MIT
import Foundation
import SchedulerConformance

/// A program of this package, run as a child process with a time limit.
package enum ChildProgram {
    package struct Outcome: Sendable, Equatable {
        /// The exit code, or the negated number of the signal that killed it.
        package let code: Int32
        package let output: String
    }

    /// Runs a built program to its end. If it takes too long, kills it and throws. Does not block the caller's thread.
    package static func run(_ name: String, _ arguments: String...) async throws -> Outcome {
        try await run(name, arguments: arguments)
    }

    /// Runs a program that prints "ok" last. Returns `nil` if it has done so and exited with success.
    package static func failure(of name: String, _ arguments: String...) async throws -> Outcome? {
        let outcome = try await run(name, arguments: arguments)
        return outcome.code == 0 && outcome.output.hasSuffix("ok\n") ? nil : outcome
    }

    package static func run(_ name: String, arguments: [String]) async throws -> Outcome {
        try await onThread { try runAndWait(name, arguments) }
    }

    private static func runAndWait(_ name: String, _ arguments: [String]) throws -> Outcome {
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let process = Process()
        process.executableURL = folder.appendingPathComponent(name)
        process.arguments = arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        let ended = Latch()
        process.terminationHandler = { _ in ended.arrive() }
        try process.run()
        let output = Box("")
        let reader = TestThread {
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            output.value = String(decoding: data, as: UTF8.self)
        }
        do {
            try ended.wait("\(name) \(arguments)")
        } catch {
            // Kill its children too, which would keep the pipe open. Foundation puts the process in its own process
            // group.
            kill(-process.processIdentifier, SIGKILL)
            kill(process.processIdentifier, SIGKILL)
            try reader.join()
            throw TimeLimitExceeded(description: "\(error); it printed: \(output.value)")
        }
        try reader.join()
        let isExit = process.terminationReason == .exit
        return Outcome(code: isExit ? process.terminationStatus : -process.terminationStatus, output: output.value)
    }
}

// SPDX-License-Identifier: MIT
import Foundation

/// A program that runs fuzzers. A worker process runs the cases, so a trap or a hang names its case too.
package enum FuzzProgram {
    /// The time limit of one case, in seconds.
    private static let patience: UInt32 = 30
    /// The exit code of a worker that found a wrong result without a trap.
    private static let wrongResult: Int32 = 3

    /// Runs the program and exits.
    package static func run(_ fuzzers: [Fuzzer]) -> Never {
        do throws(FuzzUsageError) {
            let options = try FuzzOptions(CommandLine.arguments.dropFirst())
            let chosen = fuzzers.filter { options.only == nil || options.only == $0.name }
            if chosen.isEmpty {
                throw FuzzUsageError(text: "the fuzzers are \(fuzzers.map(\.name).joined(separator: ", "))")
            }
            if options.progress != nil || options.chosen != nil {
                work(chosen[0], options)
            }
            var failures = 0
            for fuzzer in chosen where !supervise(fuzzer, (options.count + fuzzer.share - 1) / fuzzer.share, options) {
                failures += 1
            }
            exit(failures == 0 ? 0 : 1)
        } catch {
            FileHandle.standardError.write(Data("fuzz: \(error.text)\n\(FuzzOptions.usage)\n".utf8))
            exit(64)
        }
    }

    /// Prints a line at once, because a worker may trap next.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    // MARK: The worker

    private static func work(_ fuzzer: Fuzzer, _ options: FuzzOptions) -> Never {
        let progress = options.progress.map { open($0, O_WRONLY | O_CREAT, 0o600) }
        for index in options.chosen.map({ $0..<$0 + 1 }) ?? 0..<options.count {
            if let progress {
                // Numbers only grow, so the new digits cover the old ones.
                let number = "\(index)"
                pwrite(progress, number, number.utf8.count, 0)
            }
            alarm(patience)
            let input = options.input ?? fuzzer.input(seed: options.seed, case: index)
            if let failure = fuzzer.failure(of: input, seed: options.seed, case: index) {
                say(failure)
                exit(wrongResult)
            }
        }
        exit(0)
    }

    // MARK: The supervisor

    /// Runs all cases of one fuzzer. Returns false if one fails.
    private static func supervise(_ fuzzer: Fuzzer, _ count: Int, _ options: FuzzOptions) -> Bool {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("fuzz-\(getpid())-\(fuzzer.name)")
        defer { try? FileManager.default.removeItem(at: file) }
        let start = Date()
        let arguments = ["--only", fuzzer.name, "--seed", "\(options.seed)"]
        let (status, output) = run(arguments + ["--count", "\(count)", "--progress", file.path])
        if status == 0 {
            let seconds = String(format: "%.1f", Date().timeIntervalSince(start))
            say("\(fuzzer.name): \(count) cases from seed \(options.seed) hold (\(seconds) s)")
            return true
        }
        let index = (try? String(contentsOf: file, encoding: .utf8)).flatMap { Int($0) } ?? 0
        say("\(fuzzer.name): case \(index) from seed \(options.seed) fails (\(describe(status)))")
        say("\(output.prefix(3000))")
        let again = arguments + ["--case", "\(index)"]
        let input = minimised(fuzzer.input(seed: options.seed, case: index)) { input in
            run(again + ["--input", FuzzOptions.hex(input)]).status != 0
        }
        say("input, minimised: \(String(decoding: input, as: UTF8.self).debugDescription)")
        let command = [CommandLine.arguments[0]] + again + ["--input", FuzzOptions.hex(input)]
        say("again: \(command.joined(separator: " "))")
        return false
    }

    private static func describe(_ status: Int32) -> String {
        switch status {
        case wrongResult: "a wrong result"
        case SIGALRM + 256: "no end after \(patience) s"
        case 256...: "signal \(status - 256)"
        default: "exit \(status)"
        }
    }

    /// Removes bytes that the failure does not need, in up to 400 attempts.
    private static func minimised(_ input: [UInt8], fails: ([UInt8]) -> Bool) -> [UInt8] {
        guard fails(input) else { return input }
        var best = input
        var (size, tries) = (max(1, input.count / 2), 0)
        while tries < 400 {
            var place = 0
            var isSmaller = false
            while place < best.count, tries < 400 {
                var candidate = best
                candidate.removeSubrange(place..<min(best.count, place + size))
                tries += 1
                if fails(candidate) {
                    best = candidate
                    isSmaller = true
                } else {
                    place += size
                }
            }
            if size == 1, !isSmaller { break }
            size = max(1, size / 2)
        }
        return best
    }

    /// Runs this program again. A signal is reported as 256 plus its number.
    private static func run(_ arguments: [String]) -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments
        // The failure is reported as one line. The command that repeats the case shows the location.
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = environment["SWIFT_BACKTRACE"] ?? "enable=no"
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        do { try process.run() } catch { return (1, "the worker does not start: \(error)") }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let isKilled = process.terminationReason == .uncaughtSignal
        return (process.terminationStatus + (isKilled ? 256 : 0), String(decoding: output, as: UTF8.self))
    }
}

// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

/// The kit as a program: `@main enum MyRules { static func main() { Conformance.main([mine]) } }`.
///
/// Each check runs in a child process, started from the same program. So checks may use the main thread, process
/// signals and limits. A crash or a hang fails only one rule, and each leak is attributed to its check.
public enum Conformance {
    /// Runs the checks that the command line selects (see `--help`), and exits. The exit code is 0 if no rule fails, 1
    /// if a rule fails or a file cannot be written, and 64 for an invalid command line.
    ///
    /// Call it first in a synchronous `main`, on the main thread, because checks may need that thread.
    ///
    /// - Parameters:
    ///   - loops: The loops to check. Rules about two loops pair the checked loop with every loop in `loops`, even with
    ///     those that `--loop` excludes.
    ///   - rules: The rules to check.
    public static func main(_ loops: [LoopDescription], rules: [Rule] = Rule.all) -> Never {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") {
            Program.write(CommandLineCall.usage, to: 1)
            Platform.end(0)
        }
        do throws(CommandLineCall.Mistake) {
            let call = try CommandLineCall(arguments)
            Platform.end(try perform(call, loops, rules))
        } catch {
            Program.write("\(error.message)\n\n\(CommandLineCall.usage)", to: 2)
            Platform.end(64)
        }
    }

    private static func perform(
        _ call: CommandLineCall,
        _ loops: [LoopDescription],
        _ rules: [Rule]
    ) throws(CommandLineCall.Mistake) -> Int32 {
        let (chosenLoops, chosenRules) = (try call.chosen(of: loops), try call.chosen(of: rules))
        if call.isList {
            Program.write(chosenRules.map { "\($0.id)\t\($0.level.rawValue)\t\($0.statement)\n" }.joined(), to: 1)
            return 0
        }
        if call.isBook {
            Program.write(RuleBook(rules: rules).tables, to: 1)
            return 0
        }
        var options = RunOptions(seed: call.seed, timeScale: call.timeScale)
        options.isLong = call.isLong
        if call.isChild {
            guard let loop = chosenLoops.first, let rule = chosenRules.first else { return 64 }
            let run = CheckRun(rule: rule, description: loop, peers: loops, options: options)
            run.run { result in Program.write(ResultLines.encode(result), to: 1) }
            return 0
        }
        let runner = Runner(loops: loops, options: options)
        if call.isLines {
            var isInOrder = true
            for loop in chosenLoops {
                for rule in chosenRules {
                    let result = runner.run(rule, on: loop)
                    Program.write(ResultLines.encode(result), to: 1)
                    isInOrder = isInOrder && result.isInOrder
                }
            }
            return isInOrder ? 0 : 1
        }
        return CommandLineReport(call: call, runner: runner, loops: chosenLoops, rules: chosenRules).run()
    }
}

extension Rule {
    /// Checks the rule on a loop, in a program that calls ``Conformance/main(_:rules:)``. Use it in tests.
    ///
    /// ```swift
    /// @Test(arguments: Rule.all) func holds(_ rule: Rule) async {
    ///     let result = await rule.check(on: "poll", by: "PollRules")
    ///     #expect(result.isInOrder, "\(result)")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - loop: The loop's name in that program.
    ///   - program: The program's path, or its name if it is in the same folder as this program, as products of a package
    ///     are.
    ///   - isLong: Whether to run all rounds of a stochastic rule.
    ///   - seed: The seed of the check's random choices. nil chooses one, which the result of a failure names.
    public func check(
        on loop: String,
        by program: String,
        isLong: Bool = false,
        seed: UInt64? = nil
    ) async -> RuleResult {
        await withCheckedContinuation { continuation in
            // The thread is not joined.
            _ = SystemThread.orTrap(name: "kit-runner") {
                continuation.resume(returning: checkInProgram(loop, program, isLong, seed))
            }
        }
    }

    private func checkInProgram(_ loop: String, _ program: String, _ isLong: Bool, _ seed: UInt64?) -> RuleResult {
        let start = Platform.now
        let path = Program.beside(program)
        var arguments = ["--lines", "--loop", loop, "--rule", id] + (isLong ? ["--long"] : [])
        if let seed { arguments += ["--seed", "\(seed)"] }
        // The program itself limits each check. This limit applies to a program that does not call the kit.
        let answer = Program.run(path, arguments, limit: .seconds(3600))
        if let result = ResultLines.decode(answer.output) { return result }
        let failure = RuleResult.Failure(
            expected: "\(path) is a program that calls Conformance.main, with a loop \(loop)",
            seen: "\(answer.end): \(answer.complaints)",
            trace: []
        )
        return RuleResult(rule: id, loop: loop, verdict: .failed(failure), duration: Platform.now - start)
    }
}

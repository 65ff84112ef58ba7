// SPDX-License-Identifier: MIT
import ReactiveCommands
import ReactiveSignals
import Testing

@Suite struct CommandDescriptionTests {
    @Test("A command describes its access and counts its executions")
    func states() {
        let input = Subject<Int, Never>()
        let isAllowed = Property(true)
        let command = Command<Int, Int, Never>(.queue(limit: 2), enabledIf: isAllowed.signal) { _ in input.signal }
        #expect("\(command)" == "Command (enabled, 0 under way, 0 waiting)")
        for number in 0..<3 { command.execute(number) }
        #expect("\(command)" == "Command (disabled, 1 under way, 2 waiting)")
        isAllowed.value = false
        input.complete()
        #expect("\(command)" == "Command (disabled, 0 under way, 0 waiting)")
        isAllowed.value = true
        #expect("\(command)" == "Command (enabled, 0 under way, 0 waiting)")
        command.end()
        #expect("\(command)" == "Command (ended, 0 under way, 0 waiting)")
    }
}

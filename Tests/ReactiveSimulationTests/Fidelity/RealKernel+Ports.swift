// SPDX-License-Identifier: MIT
import Foundation

extension RealKernel {
    /// The number of connections in TIME_WAIT with which a program rarely meets the port of another one: 28,000 ports are
    /// given to sockets without a port.
    private static let fewConnections = 500
    /// Linux keeps a connection in TIME_WAIT for a minute.
    private static let longestWait = 90

    /// Waits until few connections of this machine are in TIME_WAIT.
    static func waitForFreePorts() {
        for _ in 0..<longestWait where waitingConnections > fewConnections { sleep(1) }
    }

    /// The number after `tw` in a line such as `TCP: inuse 5 orphan 0 tw 377 alloc 5 mem 967`.
    private static var waitingConnections: Int {
        let text = (try? String(contentsOfFile: "/proc/net/sockstat", encoding: .utf8)) ?? ""
        let words = text.split { $0.isWhitespace }
        guard let place = words.firstIndex(of: "tw"), place + 1 < words.endIndex else { return 0 }
        return Int(words[place + 1]) ?? 0
    }
}

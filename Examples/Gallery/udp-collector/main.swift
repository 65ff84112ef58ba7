// SPDX-License-Identifier: MIT
// udp-collector [PORT [SECONDS]]: adds up datagrams such as "requests:3", and prints the sums every SECONDS.
import Glibc
import Reactive
import SchedulerDispatch

let loop = DispatchLoop.main  // Or LibuvLoop.main, from SchedulerLibuv.

/// Prints an error and exits. The exit code is 64 if the arguments are wrong.
func quit(_ message: String, code: Int32 = 1) -> Never {
    let line = "udp-collector: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(code)
}

func report(_ line: String) {
    print(line)
    fflush(nil)  // Otherwise a program that reads this from a pipe would wait.
}

/// A name and a number. It is nil for a datagram of another form, or a number with which a sum could overflow.
func sample(in datagram: Datagram) -> (name: String, number: Int)? {
    let parts = String(datagram.bytes).split(whereSeparator: { character in character == ":" || character == "\n" })
    guard !datagram.isTruncated, parts.count == 2,
        let number = WireInteger(decimal: parts[1])?.value(in: -1_000_000_000...1_000_000_000)
    else { return nil }
    return (String(parts[0]), number)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count <= 2, let port = UInt16(arguments.first ?? "8125"),
    let seconds = Double(arguments.dropFirst().first ?? "10"), seconds > 0, seconds <= 86400
else { quit("usage: udp-collector [PORT [SECONDS]], with above 0 and at most 86400 seconds", code: 64) }

/// The first SIGTERM or SIGINT. A second one terminates the process.
let stopping: Signal<ProcessSignal, Never> = loop.processSignals(.terminate, .interrupt).take(1)
    .flatMapError { error in quit("\(error)") }

do {
    let socket = try DatagramSocket(on: .loopback(port: port), loop: loop, maximumSize: 512)
    // At most 100 000 samples wait. After the first signal, the waiting samples are printed.
    socket.received
        .compactMap { datagram in sample(in: datagram) }
        .take(until: stopping)
        .collect(every: .seconds(seconds), count: 100_000, on: loop)
        .subscribe(
            onValue: { samples in
                let sums = Dictionary(samples.map { ($0.name, $0.number) }, uniquingKeysWith: +)
                for (name, sum) in sums.sorted(by: { $0.key < $1.key }) { report("\(name) \(sum)") }
            },
            onTermination: { end in if case .failed(let error) = end { quit("\(error)") } else { loop.stop() } }
        )
    report("receiving at \(socket.localAddress)")
    try loop.run()
} catch {
    quit("\(error)")
}

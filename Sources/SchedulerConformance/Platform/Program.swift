// SPDX-License-Identifier: MIT
import CReactive
import Glibc
import ReactiveCore
import ReactiveSupport

/// A program that ran as a child with a time limit: its output and how it ended.
///
/// Safe: the system calls receive strings, arrays and local variables with their sizes, and keep no pointer.
struct Program {
    enum End: Equatable { case exited(Int32), signalled(Int32), killed, notStarted(Int32) }

    let end: End
    let output: String
    let complaints: String

    /// The path of this program's file.
    static var own: String { ProcFS.target(of: "/proc/self/exe") ?? "/proc/self/exe" }

    /// The path of a program in the same folder as this one.
    static func beside(_ name: String) -> String {
        if name.contains("/") { return name }
        return own.reversed().drop { $0 != "/" }.reversed() + name
    }

    /// Runs a program and waits on the calling thread. Kills the program if it runs longer than `limit`.
    static func run(_ path: String, _ arguments: [String], limit: Duration) -> Program {
        let (output, complaints) = (Descriptor.pipe(), Descriptor.pipe())
        let null = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        // The child's own streams are blocking, as programs expect.
        for end in [output.writing, complaints.writing] { _ = fcntl(end, F_SETFL, 0) }
        // The child inherits no other descriptor, because a check would count a socket of the parent as a leak of its
        // own loop.
        let streams = [null, output.writing, complaints.writing]
        let (code, identifier) = start(path, arguments, streams, inherits: false)
        for descriptor in streams { close(descriptor) }
        defer { for descriptor in [output.reading, complaints.reading] { close(descriptor) } }
        if code != 0 { return Program(end: .notStarted(code), output: "", complaints: "") }
        var collected = [[UInt8](), [UInt8]()]
        let end = collect([output.reading, complaints.reading], &collected, identifier, Platform.now + limit)
        return Program(
            end: end,
            output: String(decoding: collected[0], as: UTF8.self),
            complaints: String(decoding: collected[1], as: UTF8.self)
        )
    }

    /// Starts a program with three descriptors as its standard streams; -1 stands for the stream of this process. Returns
    /// 0 and the process identifier, or an error number. With `inherits`, the program keeps the other descriptors of this
    /// process.
    static func start(
        _ path: String,
        _ arguments: [String],
        _ streams: [Int32],
        inherits: Bool
    ) -> (code: Int32, identifier: Int32) {
        var identifier: Int32 = 0
        var texts = unsafe ([path] + arguments).map { unsafe strdup($0) }
        unsafe texts.append(nil)
        defer { unsafe texts.forEach { text in unsafe free(text) } }
        let code = unsafe reactive_spawn(path, texts, nil, nil, streams, inherits, &identifier)
        return (code, identifier)
    }

    /// Reads both streams until the child has ended. The child's own children may keep the streams open for longer.
    private static func collect(
        _ streams: [Int32],
        _ collected: inout [[UInt8]],
        _ identifier: Int32,
        _ deadline: LoopInstant
    ) -> End {
        var open = [true, true]
        var isKilled = false
        while true {
            var waited = streams.enumerated().map { index, stream in
                pollfd(fd: open[index] ? stream : -1, events: Int16(POLLIN), revents: 0)
            }
            // If both streams have ended, the child is about to exit.
            unsafe poll(&waited, 2, open.contains(true) ? 20 : 1)
            var status: Int32 = 0
            let ended = unsafe waitpid(identifier, &status, WNOHANG)
            // If this process ignores SIGCHLD, the system keeps no status.
            let isOver = ended == identifier || ended < 0 && errno == ECHILD
            for index in 0..<2 where open[index] { open[index] = drain(streams[index], &collected[index]) }
            if isOver {
                if isKilled { return .killed }
                let signal = status & 0x7f
                return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
            }
            if !isKilled, Platform.now > deadline {
                isKilled = true
                kill(identifier, SIGKILL)
            }
        }
    }

    /// Reads the available output. Returns whether more output may follow.
    private static func drain(_ stream: Int32, _ bytes: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = unsafe read(stream, &chunk, chunk.count)
            if count > 0 { bytes += chunk[..<count] } else { return count < 0 && errno == EAGAIN }
        }
    }

    /// Writes a complete text to one of this process's own streams.
    static func write(_ text: String, to stream: Int32) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(stream, $0.baseAddress, $0.count) }
            if count > 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR && errno != EAGAIN { return }
        }
    }

    /// Creates or replaces a file. Returns the system's message if that fails.
    static func writeFile(_ text: String, _ path: String) -> String? {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        if descriptor < 0 { return unsafe "\(path): \(String(cString: strerror(errno)))" }
        write(text, to: descriptor)
        return close(descriptor) == 0 ? nil : unsafe "\(path): \(String(cString: strerror(errno)))"
    }
}

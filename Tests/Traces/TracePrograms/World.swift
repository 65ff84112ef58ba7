// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSupport
import SchedulerConformance

/// The channels of a program. Their ends are numbered, whatever descriptors they have.
final class World: Sendable {
    private struct End {
        /// -1 if the end is closed.
        var descriptor: Int32
        /// Whether the end was written to until its buffer was full. Reads then take everything, so that no step
        /// depends on the buffer sizes of the kernel.
        var isFilled = false
    }

    private let kinds: [Program.Channel]
    private let time: SimulatedTime
    private let ends: Lock<[End]>

    init(_ kinds: [Program.Channel], _ time: SimulatedTime) {
        self.kinds = kinds
        self.time = time
        ends = Lock(kinds.flatMap { kind in World.make(kind).map { End(descriptor: $0) } })
        for end in kinds.indices.flatMap({ [2 * $0, 2 * $0 + 1] }) { time.setPlace(end, of: descriptor(of: end)) }
    }

    func descriptor(of end: Int) -> Int32 { ends.withLock { ends in ends[end].descriptor } }

    private func isSocket(_ end: Int) -> Bool { kinds[end / 2] == .sockets }

    private static func make(_ kind: Program.Channel) -> [Int32] {
        switch kind {
        case .sockets:
            let (near, far) = Descriptor.sockets()
            return [near, far]
        case .pipe:
            let (reading, writing) = Descriptor.pipe()
            return [reading, writing]
        }
    }

    // MARK: Steps, which return a description of their result

    func write(_ count: Int, to end: Int) -> String {
        ends.withLock { ends in write(count, to: end, ends) }
    }

    private func write(_ count: Int, to end: Int, _ ends: [End]) -> String {
        let descriptor = ends[end].descriptor
        if descriptor < 0 { return "closed" }
        let bytes = [UInt8](repeating: 7, count: count)
        let written: Int
        if isSocket(end) {
            written = send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
        } else {
            // A write would send SIGPIPE.
            if ends[end ^ 1].descriptor < 0 { return "no reader" }
            written = Glibc.write(descriptor, bytes, count)
        }
        return written < 0 ? "error \(errno)" : "\(written)"
    }

    func fill(_ end: Int) -> String {
        ends.withLock { ends in
            let first = write(4096, to: end, ends)
            guard Int(first) != nil else { return first }
            while Int(write(4096, to: end, ends)) != nil {}
            while Int(write(1, to: end, ends)) != nil {}
            ends[end].isFilled = true
            return "all"
        }
    }

    func read(_ count: Int, from end: Int) -> String {
        ends.withLock { ends in
            let descriptor = ends[end].descriptor
            if descriptor < 0 { return "closed" }
            var bytes = [UInt8](repeating: 0, count: 65536)
            if ends[end ^ 1].isFilled {
                while Glibc.read(descriptor, &bytes, bytes.count) > 0 {}
                ends[end ^ 1].isFilled = false
                return "all"
            }
            let taken = Glibc.read(descriptor, &bytes, count)
            return taken < 0 ? "error \(errno)" : "\(taken)"
        }
    }

    func shut(_ end: Int) -> String {
        let descriptor = descriptor(of: end)
        guard descriptor >= 0, isSocket(end) else { return "not a socket" }
        return shutdown(descriptor, Int32(SHUT_WR)) == 0 ? "done" : "error \(errno)"
    }

    func close(_ end: Int) -> String {
        ends.withLock { ends in
            if ends[end].descriptor < 0 { return "closed already" }
            Glibc.close(ends[end].descriptor)
            ends[end].descriptor = -1
            waitForHangUp(of: ends[end ^ 1].descriptor)
            return "done"
        }
    }

    /// Waits until the other end reports the hang-up. While another test of this process starts a program, that
    /// program holds a copy of every descriptor, and the hang-up needs the last copy to be closed.
    private func waitForHangUp(of descriptor: Int32) {
        guard descriptor >= 0 else { return }
        var other = pollfd(fd: descriptor, events: 0, revents: 0)
        // A hang-up is reported without being requested. The limit is ten seconds: a process that holds a copy longer
        // will keep it.
        poll(&other, 1, 10_000)
    }

    /// Replaces both ends if they are open, and keeps their numbers.
    func renew(_ channel: Int) {
        let made = World.make(kinds[channel])
        for (end, new) in zip([2 * channel, 2 * channel + 1], made) {
            let descriptor = ends.withLock { ends in
                let old = ends[end].descriptor
                if old < 0 {
                    ends[end] = End(descriptor: new)
                } else {
                    dup2(new, old)
                    _ = fcntl(old, F_SETFD, FD_CLOEXEC)
                    Glibc.close(new)
                    ends[end] = End(descriptor: old)
                }
                return ends[end].descriptor
            }
            time.setPlace(end, of: descriptor)
        }
    }

    /// Called after the loop has ended.
    func closeAll() {
        for end in 0..<(kinds.count * 2) { _ = close(end) }
    }
}

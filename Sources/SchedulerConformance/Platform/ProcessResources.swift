// SPDX-License-Identifier: MIT
import Glibc
import ReactiveSockets
import ReactiveSupport

/// The open descriptors of a process, by number, and the threads that its loops own.
///
/// Safe: the system calls receive strings and arrays with their sizes, and keep no pointer.
package struct ProcessResources {
    /// The target of each descriptor in `/proc/self/fd`.
    let descriptors: [Int32: String]
    /// The names of the threads that loops of checks own.
    let threads: [String]

    static func current() -> ProcessResources {
        if let machine = Platform.simulated {
            return ProcessResources(descriptors: machine.openDescriptors, threads: Self.loopThreads())
        }
        var descriptors: [Int32: String] = [:]
        for number in 0..<Self.limit where fcntl(number, F_GETFD) != -1 {
            descriptors[number] = ProcFS.target(of: "/proc/self/fd/\(number)") ?? "?"
        }
        return ProcessResources(descriptors: descriptors, threads: Self.loopThreads())
    }

    /// The resources that `before` does not contain, as text.
    func leftSince(_ before: ProcessResources) -> [String] {
        let extra = descriptors.filter { number, target in before.descriptors[number] != target }
        return extra.sorted { $0.key < $1.key }.map { number, target in "descriptor \(number), \(target)" }
            + threads.map { "thread \($0)" }
    }

    /// The numbers that a check may have opened.
    private static let limit: Int32 = 4096

    /// The names of the threads of this process that belong to loops of checks.
    static func loopThreads() -> [String] {
        if let threads = SimulatedProcess.current?.threads {
            return threads.names.filter { $0.hasPrefix(Platform.threadPrefix) }
        }
        return tasks().compactMap { task in firstLine("/proc/self/task/\(task)/comm") }
            .filter { name in name.hasPrefix(Platform.threadPrefix) }
    }

    /// The number of this process's threads, whatever started them.
    static var threadCount: Int { tasks().count }

    /// True if all other threads are blocked. Fork only then: a thread inside a one-time initialisation of the Swift
    /// runtime holds a lock that the child could never acquire.
    static var othersSleep: Bool {
        let own = ProcFS.target(of: "/proc/thread-self")?.split(separator: "/").last ?? ""
        return tasks().allSatisfy { task in
            guard task != own, let stat = contents("/proc/self/task/\(task)/stat") else { return true }
            // The state follows the name, which may contain parentheses.
            return stat.split(separator: ")").last?.hasPrefix(" S") == true
        }
    }

    /// The numbers of this process's threads.
    private static func tasks() -> [String] { ProcFS.names(in: "/proc/self/task") ?? [] }

    static func firstLine(_ path: String) -> String? {
        contents(path).map { text in String(text.prefix { $0 != "\n" }) }
    }

    /// A small file of `/proc`.
    package static func contents(_ path: String) -> String? { ProcFS.text(of: path) }

    /// The sum of the counters of all eventfds that are not in `before`: how often threads wrote to them.
    static func eventCount(since before: Set<Int32>) -> UInt64 {
        if let machine = Platform.simulated {
            let new = machine.openDescriptors.keys.filter { !before.contains($0) }
            return new.reduce(0) { sum, number in sum + machine.signalCount(number) }
        }
        var sum: UInt64 = 0
        for number in 0..<limit where !before.contains(number) && fcntl(number, F_GETFD) != -1 {
            guard let lines = contents("/proc/self/fdinfo/\(number)")?.split(separator: "\n") else { continue }
            for line in lines where line.hasPrefix("eventfd-count:") {
                sum += UInt64(line.dropFirst(14).filter { !$0.isWhitespace }, radix: 16) ?? 0
            }
        }
        return sum
    }
}

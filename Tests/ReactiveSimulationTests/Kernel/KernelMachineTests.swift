// SPDX-License-Identifier: MIT
import Glibc
import ReactiveCore
import ReactiveSockets
import Testing

@testable import ReactiveSimulation

/// The calls that the peers of the conformance kit make.
@Suite struct KernelMachineTests {
    @Test("A duplicate shares its object, which is closed with the last number")
    func duplicates() {
        let host = KernelLab().client
        let (near, far) = host.openPair(.stream)
        let copy = host.duplicate(near, from: 10)
        #expect(copy == host.firstDescriptor + 10)
        #expect(host.openDescriptors.count == 3)
        #expect(host.close(near) == 0)
        #expect(host.send(copy, [1, 2]) == 2)
        #expect(host.receive(far, 10) == [1, 2])
        #expect(host.close(copy) == 0)
        #expect(host.receive(far, 10) == [], "the end of stream")
        #expect(host.duplicate(copy, from: 0) == -EBADF)
    }

    @Test("dup2 closes the file that had the number")
    func onto() {
        let host = KernelLab().client
        let (pair, other) = (host.openPair(.stream), host.openPair(.stream))
        #expect(host.duplicate(other.near, onto: pair.near) == pair.near)
        #expect(host.receive(pair.far, 10) == [], "the end of stream")
        #expect(host.send(other.far, [7]) == 1)
        #expect(host.receive(pair.near, 10) == [7])
        #expect(host.duplicate(pair.far, onto: pair.far) == pair.far)
        #expect(host.duplicate(pair.far, onto: 7) == -EBADF, "a number of the real system")
    }

    @Test("As with epoll, a registration outlives its number while its object has another one")
    func registrations() {
        let host = KernelLab().client
        let set = host.makePollSet {}
        let pair = host.openPair(.stream)
        #expect(set.register(pair.near, .read, token: 1) == 0)
        let copy = host.duplicate(pair.near, from: 10)
        #expect(host.close(pair.near) == 0)
        #expect(set.deregister(pair.near) == ENOENT)
        // The number gets another object, which has a registration of its own.
        let file = host.openEvent()
        #expect(file == pair.near)
        #expect(set.register(file, .read, token: 2) == 0)
        #expect(host.send(pair.far, [1]) == 1)
        host.signalEvent(file)
        var reports: [PollSet.Report] = []
        set.collect(into: &reports)
        #expect(reports.map(\.token).sorted() == [1, 2])
        #expect(host.close(copy) == 0)
        reports = []
        set.collect(into: &reports)
        #expect(reports.map(\.token) == [2])
    }

    @Test("A pipe has two ends that do one thing each", arguments: [false, true])
    func pipes(closesReader: Bool) {
        let host = KernelLab().client
        let (reading, writing) = host.openPipe()
        #expect(host.readiness(reading) == [])
        #expect(host.readiness(writing) == .write)
        #expect(host.send(writing, [1]) == 1)
        #expect(host.readiness(reading) == .read)
        #expect(host.receive(reading, 10) == [1])
        _ = host.close(closesReader ? reading : writing)
        #expect(host.readiness(closesReader ? writing : reading) == [.read, .write], "a hang-up is everything")
    }

    @Test("A file cannot be watched")
    func files() {
        let host = KernelLab().client
        let set = host.makePollSet {}
        #expect(set.register(host.openFile(), .read, token: 1) == EPERM)
    }

    @Test("A socket's file needs a folder, and only a dead socket's file is replaced")
    func folders() throws {
        let host = KernelLab().client
        func bind(_ path: String) throws -> Int32 { host.bind(host.open(.stream, .unix), try .unix(path: path)) }
        #expect(try bind("/tmp/a") == 0)
        #expect(try bind("relative") == 0)
        #expect(try bind("/nowhere/a") == ENOENT)
        host.makeFolder(at: "/nowhere")
        #expect(try bind("/nowhere/a") == 0)
        host.removeFolder(at: "/nowhere")
        #expect(try bind("/nowhere/b") == ENOENT)
        host.removeDeadFile(at: "/tmp/a")
        #expect(try bind("/tmp/a") == EADDRINUSE, "a socket is bound to it")
        host.makeFile(at: "/tmp/b")
        host.removeDeadFile(at: "/tmp/b")
        #expect(try bind("/tmp/b") == EADDRINUSE, "no socket's file")
        for descriptor in host.openDescriptors.keys { _ = host.close(descriptor) }
        host.removeDeadFile(at: "/tmp/a")
        #expect(try bind("/tmp/a") == 0)
    }

    @Test("Signals of an event are counted until it is cleared")
    func counts() {
        let host = KernelLab().client
        let event = host.openEvent()
        for _ in 0..<3 { host.signalEvent(event) }
        #expect(host.signalCount(event) == 3)
        host.clearEvent(event)
        #expect(host.signalCount(event) == 0)
        #expect(!host.isHandled(SIGUSR1))
        #expect(host.addListener(event, to: SIGUSR1) == 0)
        #expect(host.isHandled(SIGUSR1))
        host.raise(SIGUSR1)
        #expect(host.signalCount(event) == 1)
    }
}

extension HostKernel {
    fileprivate func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { send(descriptor, $0) }
    }

    /// The received bytes, or nil after an error.
    fileprivate func receive(_ descriptor: Int32, _ limit: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = bytes.withUnsafeMutableBytes { receive(descriptor, $0, peeks: false) }
        return count < 0 ? nil : Array(bytes[..<count])
    }
}

// SPDX-License-Identifier: MIT
import Glibc
import LoopTestSupport
import Refusals
import SchedulerConformance

/// A resource of the system that runs out.
enum Resource: String, CaseIterable {
    case descriptors, threads, memory, buffers

    /// Whether a limit on the number held exhausts the resource, rather than refused calls.
    var isLimited: Bool { self == .descriptors }

    func refuse(after: Int, count: Int) {
        guard isLimited else { return Refusals.refuse(calls, error, after, count) }
        DescriptorLimit.leave(after)
    }

    func allow() {
        refuse_nothing()
        if isLimited { DescriptorLimit.set(1024) }
    }

    private var error: Int32 {
        switch self {
        case .descriptors: EMFILE
        case .threads: EAGAIN
        case .memory: ENOMEM
        case .buffers: ENOBUFS
        }
    }

    private var calls: UInt32 {
        let calls: [refusable]
        switch self {
        case .descriptors: calls = []
        case .threads: calls = [REFUSABLE_THREAD, REFUSABLE_SPAWN]
        case .memory:
            calls = [
                REFUSABLE_EPOLL_CREATE, REFUSABLE_EPOLL_ADD, REFUSABLE_EVENTFD, REFUSABLE_TIMERFD, REFUSABLE_PIPE,
                REFUSABLE_SOCKETPAIR, REFUSABLE_SOCKET, REFUSABLE_ACCEPT, REFUSABLE_BIND, REFUSABLE_CONNECT,
                REFUSABLE_SEND, REFUSABLE_RECEIVE, REFUSABLE_SPAWN,
            ]
        case .buffers:
            calls = [
                REFUSABLE_SOCKET, REFUSABLE_ACCEPT, REFUSABLE_BIND, REFUSABLE_LISTEN, REFUSABLE_CONNECT,
                REFUSABLE_SEND, REFUSABLE_RECEIVE,
            ]
        }
        return calls.reduce(0) { set, call in set | call.rawValue }
    }
}

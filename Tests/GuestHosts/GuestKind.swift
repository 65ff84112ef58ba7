// SPDX-License-Identifier: MIT
import Dispatch
package import ReactiveCore
import SchedulerDispatch
package import SchedulerEngine
import SchedulerLibevent
import SchedulerLibuv

extension PollerLoop: DrivenGuest where Back: ~Copyable {}

/// The libraries of this build that can host a guest.
package enum GuestKind: String, Sendable, CaseIterable {
    case dispatch
    #if Libuv
        case libuv
    #endif
    #if Libevent
        case libevent
    #endif

    package static var all: [GuestKind] { allCases }

    /// libdispatch opens its own descriptors for the first source of a process. This creates that source, so that
    /// tests which count descriptors do not see them.
    private static let libdispatchIsUp: Void = {
        let host = DispatchHost(DispatchQueue(label: "first"))
        guard let first = try? DispatchLoop(attachedTo: host, name: "first") else { return }
        first.dispose()
        host.released.wait()
    }()

    /// Creates a host loop of this kind and its guest. If `isOwned` is true, its own thread runs it; otherwise the
    /// caller does.
    package func make(name: String = "guest", isOwned: Bool = false) throws(LoopError) -> HostedLoop {
        switch self {
        case .dispatch:
            _ = Self.libdispatchIsUp
            let queue = DispatchQueue(label: name)
            if isOwned {
                let host = DispatchHost(queue)
                return HostedLoop(try DispatchLoop(attachedTo: host, name: name), on: OwnQueue(host), isOwned: true)
            }
            let host = QueueHost(queue)
            return HostedLoop(try DispatchLoop(attachedTo: host, name: name), on: host, isOwned: false)
        #if Libuv
            case .libuv:
                let host = LibuvHostLoop()
                return HostedLoop(try LibuvLoop(attachedTo: host.native, name: name), on: host, isOwned: isOwned)
        #endif
        #if Libevent
            case .libevent:
                let host = LibeventHostLoop()
                return HostedLoop(try LibeventLoop(attachedTo: host.native, name: name), on: host, isOwned: isOwned)
        #endif
        }
    }
}

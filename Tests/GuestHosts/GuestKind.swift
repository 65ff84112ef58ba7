import Dispatch
package import ReactiveCore
import SchedulerDispatch
package import SchedulerEngine
import SchedulerLibevent
import SchedulerLibuv

extension PollerLoop: DrivenGuest where Back: ~Copyable {}

/// The libraries that a guest can be a guest of, in this build.
package enum GuestKind: String, Sendable, CaseIterable {
    case dispatch
    #if Libuv
        case libuv
    #endif
    #if Libevent
        case libevent
    #endif

    package static var all: [GuestKind] { allCases }

    /// libdispatch opens descriptors of its own for the first source of a process: this is that one, for who counts descriptors.
    private static let libdispatchIsUp: Void = {
        let host = DispatchHost(DispatchQueue(label: "first"))
        guard let first = try? DispatchLoop(attachedTo: host, name: "first") else { return }
        first.dispose()
        host.released.wait()
    }()

    /// A host's loop of the kind, and a guest of it. One that owns its thread is run by that; else its caller runs it.
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

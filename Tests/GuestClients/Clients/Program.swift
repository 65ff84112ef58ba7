// SPDX-License-Identifier: MIT
import CClients
import Glibc
import ReactiveCore
import ReactiveSignals
import ReactiveSockets
import SchedulerLibevent
import SchedulerLibuv

/// `guest-clients libuv|libevent REDIS-SOCKET NATS-URL COUNT`: hiredis, nats.c, our sockets and our timers run at the
/// same time on one host loop, COUNT operations each. Prints the total time and the lag of the loop. Exits with 1 if
/// a reply is missing or out of order.
@main
enum Program {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let count = Int32(arguments[4]), ["libuv", "libevent"].contains(arguments[1]) else {
            print("usage: guest-clients libuv|libevent REDIS-SOCKET NATS-URL COUNT")
            exit(64)
        }
        let isLibuv = arguments[1] == "libuv"
        let host = isLibuv ? clients_uv_new() : clients_event_new()
        let guest: any LoopScheduler =
            isLibuv ? try LibuvLoop(attachedTo: host) : try LibeventLoop(attachedTo: host)
        let start = guest.now
        let load = try Load(guest, Int(count)) { guest.dispose() }
        let context = Unmanaged.passRetained(load)
        load.clients = clients_start(host, isLibuv ? 1 : 0, arguments[2], arguments[3], count, told, context.toOpaque())
        // Returns when the host loop has no client and no guest left.
        if isLibuv { clients_uv_run(host) } else { clients_event_run(host) }
        if isLibuv { clients_uv_free(host) } else { clients_event_free(host) }
        let took = guest.now - start
        context.release()
        print("\(arguments[1]): \(load.summary) in \(took)")
        exit(load.isRight ? 0 : 1)
    }
}

/// Called on the loop's thread for hiredis and on a thread of nats.c for NATS. Both cases hop to the guest.
private func told(_ context: UnsafeMutableRawPointer, _ which: Int32, _ answered: Int32, _ wrong: Int32) {
    let load = Unmanaged<Load>.fromOpaque(context).takeUnretainedValue()
    load.ended(which == 0 ? "Redis" : "NATS", Int(answered), wrong: Int(wrong))
}

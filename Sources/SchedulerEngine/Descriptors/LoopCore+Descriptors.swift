// SPDX-License-Identifier: MIT
import ReactiveCore
import ReactiveSupport

extension LoopCore {
    func watch(
        _ descriptor: Int32,
        for interest: Readiness,
        _ callee: WatchEntry.Callee
    ) throws(LoopError) -> WatchEntry {
        if isDisposed { throw error(.disposed, "watch") }
        return try withPoller("watch") { (state) throws(LoopError) in
            let entry = WatchEntry(self, descriptor, interest, turn: state.turn, callee)
            try state.add(entry)
            return entry
        }
    }

    func unwatch(_ watch: WatchEntry) {
        if (try? withPoller("dispose", { state in state.remove(watch) })) != nil { return }
        // If the caller is on another thread, or inside the poller's wait, a later job of the loop removes the watch.
        // Until then `dispatch` finds it disposed and does not call it (rule D2).
        execute { [self] in state.value.remove(watch) }
    }

    func onSignal(
        _ signal: ProcessSignal,
        _ handler: @escaping @Sendable () -> Void
    ) throws(LoopError) -> SignalListener {
        if isDisposed { throw error(.disposed, "onSignal") }
        return try withPoller("onSignal") { (state) throws(LoopError) in
            let listener = try SignalListener(self, signal, handler)
            state.listeners[ObjectIdentifier(listener)] = listener
            return listener
        }
    }

    /// Removes a disposed listener. It has no effect on a disposed loop, which has already closed its listeners.
    func release(_ listener: SignalListener) {
        let close: @Sendable (LoopState) -> Void = { state in
            guard state.listeners.removeValue(forKey: ObjectIdentifier(listener)) != nil else { return }
            state.remove(listener.watch)
            listener.close()
        }
        if (try? withPoller("dispose", { state in close(state) })) != nil { return }
        execute { [self] in close(state.value) }
    }

    /// The C library's loop. It is `nil` if there is none, and after disposal.
    var nativeHandle: UnsafeMutableRawPointer? {
        // The documentation of `PollerLoop` says that only the loop's thread may use it.
        unsafe isDisposed ? nil : UnsafeMutableRawPointer(bitPattern: nativeAddress)
    }
}

// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore

    /// Whether a value is being delivered to a subscriber. The subscriber may end its own connection in that call. Its
    /// termination then waits until the call returns (law 2). Only the connection's loop uses it.
    struct DeliveryState<Failure: Error> {
        private enum State {
            case none
            case underWay
            case underWayBefore(Termination<Failure>)
        }

        private var state = State.none

        @inline(__always)
        mutating func begin() { state = .underWay }

        /// Records that the delivery has returned. Returns the termination that has waited for it.
        @inline(__always)
        mutating func end() -> Termination<Failure>? {
            defer { state = .none }
            if case .underWayBefore(let termination) = state { return termination }
            return nil
        }

        /// Returns whether the termination waits. Then ``end()`` returns it.
        mutating func defers(_ termination: Termination<Failure>) -> Bool {
            if case .none = state { return false }
            state = .underWayBefore(termination)
            return true
        }
    }
#endif

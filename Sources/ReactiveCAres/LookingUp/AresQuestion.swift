// SPDX-License-Identifier: MIT
#if CAres
    import ReactiveCore
    import ReactiveSockets

    /// A name that is looked up, and the look-ups that wait for its addresses. All members are called on the loop.
    final class AresQuestion {
        enum State {
            case waiting
            case asked
            case answered
        }

        /// The name as the first look-up spells it.
        let name: String
        /// The name as a key. DNS ignores the case.
        let key: String
        var state = State.waiting
        private var lookUps: [AresLookUp] = []
        private(set) var lookUpCount = 0

        init(_ name: String, _ key: String) {
            self.name = name
            self.key = key
        }

        func add(_ lookUp: AresLookUp) {
            lookUps.append(lookUp)
            lookUpCount += 1
            lookUp.question = self
        }

        /// Records that a look-up has been cancelled. The array is compacted when most of it is cancelled look-ups.
        func removeOne() {
            lookUpCount -= 1
            if lookUps.count > 2 * lookUpCount + 16 { lookUps.removeAll { $0.question == nil } }
        }

        /// Removes and returns the look-ups that have not been cancelled, oldest first.
        func takeLookUps() -> [AresLookUp] {
            let all = lookUps.filter { $0.question != nil }
            lookUps = []
            lookUpCount = 0
            for lookUp in all { lookUp.question = nil }
            return all
        }
    }
#endif

// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveCore
    import ReactiveSignals
    import Synchronization

    /// The rooms that have members in this process.
    final class Rooms: Sendable {
        private struct Room {
            let lines = Subject<String, Never>()
            var members = 0
        }

        private let rooms = Mutex<[String: Room]>([:])
        private let backplane: (any Backplane)?
        /// The number of members in all rooms of this process.
        let memberCount = Property(0)

        /// Creates rooms. With a backplane, all processes share them.
        init(_ backplane: (any Backplane)?) {
            self.backplane = backplane
            backplane?.lines.subscribe(onValue: { [self] line in deliver(line.text, in: line.room) })
        }

        /// The lines of a room. Each subscription is a member.
        ///
        /// A member that does not read loses the oldest of more than 256 lines that wait for it. So it can delay nobody,
        /// and its memory is bounded.
        func lines(of room: String) -> Signal<String, Never> {
            Signal { [self] emitter, subscription in
                let lines = rooms.withLock { rooms in
                    rooms[room, default: Room()].members += 1
                    return rooms[room, default: Room()].lines
                }
                memberCount.modify { $0 += 1 }
                subscription.onDispose { [self] in leave(room) }
                lines.signal.buffer(256, whenFull: .dropOldest).subscribe(emitter, in: subscription)
            }
        }

        private func leave(_ room: String) {
            rooms.withLock { rooms in
                rooms[room]?.members -= 1
                if rooms[room]?.members == 0 { rooms[room] = nil }
            }
            memberCount.modify { $0 -= 1 }
        }

        /// Sends a line to all members of a room, in all processes.
        func say(_ text: String, in room: String) {
            if let backplane { backplane.publish(text, in: room) } else { deliver(text, in: room) }
        }

        private func deliver(_ text: String, in room: String) {
            rooms.withLock { $0[room]?.lines }?.send(text)
        }
    }
#endif

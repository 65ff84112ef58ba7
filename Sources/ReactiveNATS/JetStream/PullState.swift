// SPDX-License-Identifier: MIT
#if NATS
    /// The state of a reader: whether it has a consumer, and how often in a row JetStream has not answered.
    ///
    /// The transitions call no other code. Each asserts the states from which it is legal.
    struct PullState {
        enum Phase: Equatable {
            /// JetStream has not named the consumer yet. Each failure fails the reader.
            case starting
            /// The consumer sends messages.
            case reading(consumer: String)
            /// The reader re-creates its consumer.
            case restoring
            case over
        }

        /// The number of misses in a row that fails the reader. At 10 to 15 seconds each, they outlast the election of a
        /// leader in a cluster, and the expiry of a request at a server that sends no heartbeats.
        private static let mostMisses = 4

        private(set) var phase = Phase.starting
        /// The number of requests in a row that JetStream has not answered, or has refused.
        private(set) var misses = 0

        var isOver: Bool { phase == .over }
        /// Whether JetStream has named a consumer, and the reader continues.
        var hasStarted: Bool { phase != .starting && phase != .over }
        var consumer: String? { if case .reading(let consumer) = phase { consumer } else { nil } }

        /// The reader creates a consumer. Returns the name of the one that it replaces.
        mutating func create() -> String? {
            assert(!isOver, "a consumer is created in \(phase)")
            guard let consumer else { return nil }
            phase = .restoring
            return consumer
        }

        /// JetStream has named the new consumer.
        mutating func didCreate(_ consumer: String) {
            assert(phase == .starting || phase == .restoring, "a consumer is named in \(phase)")
            phase = .reading(consumer: consumer)
        }

        /// A message or a status has arrived.
        mutating func didReceive() {
            assert(consumer != nil, "JetStream answers in \(phase)")
            misses = 0
        }

        /// A new connection exists, which starts a new count.
        mutating func didConnect() { misses = 0 }

        /// A request was not answered, or was refused. Returns false if it was the last miss that the reader allows.
        mutating func miss() -> Bool {
            assert(hasStarted, "a miss in \(phase)")
            misses += 1
            return misses < Self.mostMisses
        }

        /// The reader stops. Returns the name of its consumer.
        mutating func end() -> String? {
            assert(!isOver, "a reader stops twice")
            defer { phase = .over }
            return consumer
        }
    }
#endif

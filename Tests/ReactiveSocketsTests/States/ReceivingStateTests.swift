// SPDX-License-Identifier: MIT
import Testing

@testable import ReactiveSockets

@Suite struct ReceivingStateTests {
    private typealias State = ReceivingState

    /// A state whose peer's stream has reached `stream`.
    private func state(_ stream: State.Stream) -> State {
        var state = State()
        switch stream {
        case .open: break
        case .unread: state.findUnread()
        case .endHeld: state.holdEnd()
        case .ended: state.reachEnd()
        }
        return state
    }

    private let streams: [State.Stream] = [.open, .unread, .endHeld, .ended]

    @Test("The states of a stream advance and never go back")
    func stream() {
        for stream in streams {
            var resumed = state(stream)
            resumed.resume()
            #expect(resumed.stream == (stream == .unread ? .open : stream))
            if stream != .ended {
                var held = state(stream)
                held.holdEnd()
                #expect(held.stream == .endHeld)
            }
            var ended = state(stream)
            ended.reachEnd()
            #expect(ended.hasEnded)
            #expect(state(stream).hasEnded == (stream == .ended))
        }
    }

    @Test("A reader's termination waits until the delivery returns (law 2)")
    func delivery() {
        var state = State()
        let early = state.defersTermination()
        #expect(!early && !state.isDelivering)
        state.beginDelivery()
        #expect(state.isDelivering)
        let plain = state.endDelivery()
        #expect(!plain && !state.isDelivering)
        state.beginDelivery()
        let inside = state.defersTermination()
        #expect(inside && state.isDelivering)
        let terminates = state.endDelivery()
        #expect(terminates && state.delivery == .none)
    }

    @Test("Chunks are small while the application keeps them")
    func chunks() {
        var state = State()
        #expect(state.chunkLimit.byteCount == SlabCache.longestSlab)
        state.delivered(isKept: true)
        #expect(state.chunkLimit.byteCount == 16 * 1024)
        state.delivered(isKept: false)
        #expect(state.chunkLimit == .large)
    }

    @Test("A receiving reader reads, unless transformed bytes or a delayed termination must be delivered first (N11)")
    func receiving() {
        for stream in streams {
            for holdsBytes in [false, true] {
                for observesEnd in [false, true] {
                    let state = state(stream)
                    let need = state.watchNeed(of: .receiving, holdsBytes: holdsBytes, observesEnd: observesEnd)
                    #expect(need == (holdsBytes || stream == .endHeld ? .quiet : .read))
                    #expect(!state.peeks(for: .receiving, holdsBytes: holdsBytes))
                }
            }
        }
    }

    @Test("Without a reader, or with a paused one and observers, a connection peeks until it finds bytes (N26)")
    func peeking() {
        for stream in streams {
            for holdsBytes in [false, true] {
                for reader in [State.ReaderState.none, .paused] {
                    let state = state(stream)
                    let peeks = stream == .open && !holdsBytes
                    #expect(state.peeks(for: reader, holdsBytes: holdsBytes) == peeks)
                    let observed = state.watchNeed(of: reader, holdsBytes: holdsBytes, observesEnd: true)
                    #expect(observed == (peeks ? .read : .quiet))
                    let unobserved = state.watchNeed(of: reader, holdsBytes: holdsBytes, observesEnd: false)
                    #expect(unobserved == (reader == .paused ? .quiet : peeks ? .peek : .none))
                }
            }
        }
    }

    @Test("The states fit into the bytes that a connection reserves for them")
    func size() {
        #expect(MemoryLayout<ReceivingState>.size == 3)
        #expect(MemoryLayout<SendingState>.size == 22)
        #expect(MemoryLayout<ConnectionPhase>.size == MemoryLayout<Int>.size)
    }
}

// SPDX-License-Identifier: MIT
import ReactiveSignals
import ReactiveSupport
import ReactiveTracing
import SchedulerConformance
import Testing

/// The headers of the W3C recommendation Trace Context.
@Suite struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"
    private static let example = "00-\(trace)-\(span)-01"

    @Test("A valid header is parsed and written")
    func valid() throws {
        let context = try #require(
            TraceContext(traceparent: Self.example, tracestate: "rojo=00f067aa0ba902b7, congo=t61")
        )
        #expect(context.traceID.description == Self.trace)
        #expect(context.spanID.description == Self.span)
        #expect(context.isSampled)
        #expect(context.state["congo"] == "t61")
        #expect(context.state.header == "rojo=00f067aa0ba902b7,congo=t61")
        #expect(context.traceparent == Self.example)
    }

    @Test(
        "Other versions and flags",
        arguments: [
            ("00-\(trace)-\(span)-00", false), ("00-\(trace)-\(span)-ff", true), ("cc-\(trace)-\(span)-01", true),
            ("cc-\(trace)-\(span)-01-what-the-future-brings", true), ("01-\(trace)-\(span)-02", false),
        ]
    )
    func accepted(_ header: String, _ isSampled: Bool) throws {
        let context = try #require(TraceContext(traceparent: header))
        #expect(context.isSampled == isSampled)
        #expect(context.traceparent == "00-\(Self.trace)-\(Self.span)-\(isSampled ? "01" : "00")")
    }

    @Test(
        "Invalid headers give no context",
        arguments: [
            "", "00", example + " ", example + "-", example + "-00", "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01",
            "00-\(trace)-\(span)-1", "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span.uppercased())-01",
            "00-\(String(repeating: "0", count: 32))-\(span)-01", "00-\(trace)-\(String(repeating: "0", count: 16))-01",
            "00_\(trace)-\(span)-01", "00-\(trace)\(span)--01", "cc-\(trace)-\(span)-01.", "00-\(trace)-\(span)-0x",
            "00-\(trace)-\(span)-0Ａ", "0０-\(trace)-\(span)-01", " \(example)", "-\(trace)-\(span)-01-",
        ]
    )
    func rejected(_ header: String) {
        #expect(TraceContext(traceparent: header) == nil)
    }

    @Test(
        "Valid states",
        arguments: [
            ("", ""), (" ", ""), ("a=1", "a=1"), ("a=1,,b=2,", "a=1,b=2"), ("\t a=1 \t,\tb=2 ", "a=1,b=2"),
            ("a= 1", "a= 1"), ("0tenant@system=x", "0tenant@system=x"), ("a_-*/9=~!", "a_-*/9=~!"),
        ]
    )
    func validStates(_ header: String, _ written: String) {
        #expect(TraceState(header)?.header == written)
    }

    @Test(
        "Invalid states",
        arguments: [
            "a", "a=", "=1", "a=1=2", "A=1", "9=1", "a b=1", "a=é", "a=\u{7}", "a@=1", "@a=1", "a@9=1", "a@b@c=1",
            "a=1,a=2",
            "a =1", "a\(String(repeating: "a", count: 256))=1", "a=\(String(repeating: "x", count: 257))",
            "a@\(String(repeating: "b", count: 15))=1", (0...32).map { "k\($0)=1" }.joined(separator: ","),
        ]
    )
    func invalidStates(_ header: String) {
        #expect(TraceState(header) == nil)
        // The trace itself stays valid.
        #expect(TraceContext(traceparent: Self.example, tracestate: header)?.state == TraceState())
    }

    @Test("The limits of a state")
    func limits() throws {
        var state = try #require(TraceState((0..<32).map { "k\($0)=1" }.joined(separator: ",")))
        state.insert(try #require(TraceState.Entry("own", "2")))
        #expect(state.entries.count == 32)
        #expect(state.entries.first?.key == "own")
        #expect(state["k31"] == nil)
        state.insert(try #require(TraceState.Entry("k3", "3")))
        #expect(state.entries.map(\.key).filter { $0 == "k3" }.count == 1)
        let long = String(repeating: "x", count: 200)
        let mixed = try #require(TraceState("a=\(long),b=1,c=\(long),d=\(long),e=2"))
        // The longest header is 512 characters. Long entries are left out first, the oldest one at the beginning.
        #expect(mixed.header == "a=\(long),b=1,c=\(long),e=2")
        // An entry of 128 characters is not long.
        let value = String(repeating: "x", count: 126)
        let rest = "b=\(value),c=\(value),d=\(value)"
        #expect(TraceState("a=\(long),\(rest)")?.header == rest)
    }

    @Test("Children belong to the same trace")
    func children() {
        let parent = TraceContext(isSampled: false)
        let child = parent.child()
        #expect(child.traceID == parent.traceID)
        #expect(child.spanID != parent.spanID)
        #expect(!child.isSampled)
    }

    /// 100,000 headers that a hostile peer may send. What is accepted is written in the same way each time.
    @Test("Mutated headers are rejected or normalised")
    func mutations() {
        var random = SplitMix64(seed: 28)
        let states = "rojo=00f067aa0ba902b7,t61@congo=x y,a=1"
        var accepted = 0
        for _ in 0..<100_000 {
            let parent = Self.mutated(Self.example, &random)
            let context = TraceContext(traceparent: parent, tracestate: Self.mutated(states, &random))
            guard let context else { continue }
            accepted += 1
            let again = TraceContext(traceparent: context.traceparent, tracestate: context.state.header)
            #expect(again == context)
        }
        #expect((100..<90_000).contains(accepted))
    }

    private static func mutated(_ text: String, _ random: inout SplitMix64) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: place)
            case 2: bytes.remove(at: place)
            default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("A subscription keeps the current trace")
    func propagation() {
        let subject = Subject<Int, Never>()
        let seen = Box<[TraceContext?]>([])
        let context = TraceContext()
        TraceContext.$current.withValue(context) {
            _ = subject.signal.propagating(TraceContext.$current)
                .subscribe(onValue: { _ in seen.update { $0.append(TraceContext.current) } })
        }
        subject.send(1)
        #expect(seen.value == [context])
    }
}

// SPDX-License-Identifier: MIT
import ReactiveSupport
import SchedulerConformance
import Testing

@testable import ReactiveSockets

@Suite struct BytesTests {
    @Test("Random slices equal the same slices of an array")
    func slices() {
        var random = SplitMix64(seed: 1)
        let array = noise(1000)
        for _ in 0..<200 {
            var model = array[...]
            var bytes = Bytes(array)
            for _ in 0..<5 {
                let low = Int.random(in: model.startIndex...model.endIndex, using: &random)
                let high = Int.random(in: low...model.endIndex, using: &random)
                model = model[low..<high]
                bytes = bytes[low..<high]
                #expect(bytes.elementsEqual(model))
                #expect(bytes.count == model.count && bytes.isEmpty == model.isEmpty)
                #expect(bytes.startIndex == model.startIndex && bytes.endIndex == model.endIndex)
                #expect(bytes.first == model.first && bytes.last == model.last)
                #expect(Array(bytes.reversed()) == Array(model.reversed()))
                #expect(bytes.dropFirst(3).elementsEqual(model.dropFirst(3)))
                #expect(bytes.prefix(7).elementsEqual(model.prefix(7)))
                #expect(bytes.suffix(7).elementsEqual(model.suffix(7)))
                #expect(bytes.firstIndex(of: 7) == model.firstIndex(of: 7))
                for index in bytes.indices { #expect(bytes[index] == model[index]) }
            }
        }
    }

    @Test("Copies contain all bytes, or as many as fit")
    func copying() {
        let array = noise(1000)
        let bytes = Bytes(array)[100..<900]
        #expect(Array(bytes) == Array(array[100..<900]))
        var text: [UInt8] = [1, 2]
        text.append(contentsOf: bytes)
        text.append(contentsOf: Bytes())
        #expect(text == [1, 2] + array[100..<900])
        #expect(Bytes(array[100..<900]) == bytes && Bytes(bytes) == bytes && Bytes([]).slab == nil)
        let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 300)
        defer { room.deallocate() }
        var (rest, end) = room.initialize(from: bytes)
        #expect(end == 300 && Array(room) == Array(array[100..<400]))
        #expect(rest.next() == array[400])
    }

    @Test("Index arithmetic matches that of an array slice")
    func indices() {
        let bytes = Bytes(0..<100)[10..<90]
        #expect(bytes.index(bytes.startIndex, offsetBy: 5) == 15)
        #expect(bytes.index(bytes.startIndex, offsetBy: 81, limitedBy: bytes.endIndex) == nil)
        #expect(bytes.distance(from: 20, to: 15) == -5)
        #expect(bytes.index(after: 10) == 11 && bytes.index(before: 90) == 89)
    }

    @Test("A slice shares the memory and retains it")
    func sharing() {
        weak var slab: Slab?
        var slice: Bytes?
        do {
            let bytes = Bytes(noise(1000))
            slab = bytes.slab
            slice = bytes[100..<110]
            #expect(slice?.slab === bytes.slab)
        }
        #expect(slab != nil)
        #expect(slice?.elementsEqual(noise(1000)[100..<110]) == true)
        slice = slice?.compacted()
        #expect(slab == nil)
        #expect(slice?.elementsEqual(noise(1000)[100..<110]) == true)
    }

    @Test("Compacting copies bytes that fill less than half of their memory")
    func compacting() {
        let bytes = Bytes(noise(1000))
        #expect(bytes.compacted().slab === bytes.slab)
        #expect(bytes[500...].compacted().slab === bytes.slab)
        let small = bytes[501...].compacted()
        #expect(small.slab !== bytes.slab)
        #expect(small.startIndex == 0 && small == bytes[501...])
        #expect(bytes[7..<7].compacted().slab == nil)
        #expect(Bytes().compacted().isEmpty)
    }

    @Test("Conversions from and to arrays, strings, spans and literals preserve the bytes")
    func conversions() {
        let array = noise(300)
        #expect(Array(Bytes(array)) == array)
        #expect(Array(Bytes(array[10..<20])) == Array(array[10..<20]))
        #expect(Array(Bytes(Set([5 as UInt8]))) == [5])
        #expect(Array(Bytes(array.span)) == array)
        #expect(Bytes(array).withSpan { span in span.count } == 300)
        #expect(Bytes().withSpan { span in span.count } == 0)
        #expect(Bytes(array)[3...].withUnsafeBytes { Array($0) } == Array(array[3...]))
        #expect(Bytes("grüße") == Bytes("grüße".utf8))
        #expect(String(Bytes("grüße")) == "grüße")
        #expect(String(Bytes([0x61, 0xff])) == "a\u{fffd}")
        #expect("\(Bytes("text"))" == "text" && "\(Bytes([0xff, 0xfe]))" == "2 bytes")
        let literal: Bytes = "abc"
        let numbers: Bytes = [97, 98, 99]
        #expect(literal == numbers)
        #expect(Bytes(joining: []).isEmpty)
        #expect(Bytes(joining: ["ab", Bytes(), Bytes("cdef")[1...2]]) == "abde")
    }

    @Test("The same bytes are equal and have the same hash, wherever they are stored")
    func equality() {
        let array = noise(500) + noise(500)
        let bytes = Bytes(array)
        let (front, back) = (bytes[..<500], bytes[500...])
        #expect(front == back)
        #expect(front.hashValue == back.hashValue)
        #expect(front != bytes && front != bytes[1..<501])
        #expect(Set([front, back, Bytes(), bytes[3..<3]]).count == 2)
        #expect(Bytes().hashValue == bytes[9..<9].hashValue)
    }

    @Test("A thread's slab is reused unless a chunk of it is retained, and then filled after that chunk")
    func cache() {
        let cache = SlabCache()
        func read(_ byte: UInt8, _ count: Int) -> Bytes? {
            cache.read(atMost: SlabCache.slabSize) { memory in
                let count = min(count, memory.count)
                for index in 0..<count { memory[index] = byte }
                return count
            }.bytes
        }
        let first = read(1, 100).map { ($0.slab, Array($0)) }?.1
        #expect(first == [UInt8](repeating: 1, count: 100))
        let isFree = cache.isFree
        #expect(isFree)
        let kept = read(2, 100)
        let isStillFree = cache.isFree
        #expect(!isStillFree)
        let behind = read(3, 50_000)
        #expect(behind?.slab === kept?.slab)
        let later = read(4, 50_000)
        let next = read(5, 60_000)
        #expect(next?.slab !== kept?.slab)
        #expect(kept?.allSatisfy { $0 == 2 } == true)
        #expect(behind?.allSatisfy { $0 == 3 } == true && later?.allSatisfy { $0 == 4 } == true)
        #expect(next?.allSatisfy { $0 == 5 } == true)
        let nothing = cache.read(atMost: 10) { _ in 0 }
        let refusal = cache.read(atMost: 10) { memory in -memory.count }
        #expect(nothing.bytes == nil && refusal.result == -10)
    }

    @Test("Reads grow after a chunk that fills its slab, until a chunk is retained")
    func longCache() {
        let cache = SlabCache()
        func read(_ count: Int = .max) -> Bytes? {
            cache.read(atMost: SlabCache.longestSlab) { memory in
                let count = min(count, memory.count)
                memory.copyBytes(from: repeatElement(7, count: count))
                return count
            }.bytes
        }
        let small = SlabCache.slabSize
        #expect(read(small - 1)?.count == small - 1)
        #expect(read()?.count == small, "a chunk that does not fill the slab changes nothing")
        #expect(read()?.count == 2 * small)
        #expect(read(10)?.count == 10)
        #expect(read()?.count == 2 * small, "and it stays")
        let kept = [read(), read()]
        #expect(
            kept.map { $0?.count } == [2 * small, small],
            "a slab of the usual size follows a retained chunk"
        )
        #expect(kept.allSatisfy { $0?.allSatisfy { $0 == 7 } == true })
    }
}

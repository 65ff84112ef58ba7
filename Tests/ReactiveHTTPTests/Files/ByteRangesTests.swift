// SPDX-License-Identifier: MIT
#if HTTP
    import ReactiveSupport
    import SchedulerConformance
    import Testing

    @testable import ReactiveHTTP

    @Suite struct ByteRangesTests {
        private func ranges(_ field: String?, _ length: Int = 1000, limit: Int = 4) -> ByteRanges {
            ByteRanges(field, length: length, limit: limit)
        }

        @Test("The examples of RFC 9110 section 14.1.2, for 10000 bytes")
        func examples() {
            #expect(ranges("bytes=0-499", 10000) == .some([0..<500]))
            #expect(ranges("bytes=500-999", 10000) == .some([500..<1000]))
            #expect(ranges("bytes=-500", 10000) == .some([9500..<10000]))
            #expect(ranges("bytes=9500-", 10000) == .some([9500..<10000]))
            #expect(ranges("bytes=0-0,-1", 10000) == .some([0..<1, 9999..<10000]))
            #expect(ranges("bytes= 0-999, 4500-5499, -1000", 10000) == .some([0..<1000, 4500..<5500, 9000..<10000]))
            #expect(ranges("bytes=500-600,601-999", 10000) == .some([500..<1000]))
            #expect(ranges("bytes=500-700,601-999", 10000) == .some([500..<1000]))
        }

        @Test(
            "Another unit, invalid syntax and too many ranges mean the whole file",
            arguments: [
                nil, "", "bytes", "bytes=", "bytes=,", "items=0-1", "bytes=1-0", "bytes=-", "bytes=a-", "bytes=1",
                "bytes=--1",
                "bytes=1-2-3", "bytes=0x1-2", "bytes=+1-2", "bytes=0-1,x", "bytes=0-0,2-2,4-4,6-6,8-8", "bytes 0-1",
                "bytes=0-1, 5-4", "bytes=1 - 2",
            ]
        )
        func whole(_ field: String?) {
            #expect(ranges(field) == .whole)
        }

        @Test("Ranges behind the end of the file are left out, and alone they are unsatisfiable")
        func unsatisfiable() {
            #expect(ranges("bytes=1000-") == .unsatisfiable && ranges("bytes=1000-2000, 5000-") == .unsatisfiable)
            #expect(ranges("bytes=-0") == .unsatisfiable)
            #expect(ranges("bytes=1000-,0-0") == .some([0..<1]))
            let large = "99999999999999999999999999"
            #expect(ranges("bytes=\(large)-") == .unsatisfiable && ranges("bytes=-\(large)") == .some([0..<1000]))
            #expect(ranges("bytes=999-\(large)") == .some([999..<1000]))
            #expect(ranges("bytes=\(Int.max)-\(Int.max)") == .unsatisfiable)
        }

        @Test("The beginning of an empty file is the whole file, because some clients ask for ranges of every file")
        func emptyFile() {
            for field in [
                "bytes=0-", "bytes=0-0", "bytes=0-99", "bytes=-1", "bytes=5-,0-", "bytes=5-9,-3", "bytes=00-",
            ] {
                #expect(ranges(field, 0) == .whole, "\(field)")
            }
            for field in ["bytes=1-", "bytes=5-9", "bytes=-0", "bytes=1-,2-3,-0"] {
                #expect(ranges(field, 0) == .unsatisfiable, "\(field)")
            }
            for field in [nil, "bytes=", "bytes=1-0", "bytes=a-"] { #expect(ranges(field, 0) == .whole) }
        }

        @Test("The unit and blanks do not matter")
        func syntax() {
            #expect(ranges("BYTES=0-1") == .some([0..<2]) && ranges("bytes=\t0-1 ,, \t3-") == .some([0..<2, 3..<1000]))
        }

        @Test("Random ranges are those of a model that marks each byte, 20,000 times")
        func model() {
            var random = SplitMix64(seed: 14)
            for round in 0..<20_000 {
                let length = Int.random(in: 1...40, using: &random)
                var (texts, marks, isValid): ([String], Set<Int>, Bool) = ([], [], true)
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let (first, last) = (Int.random(in: 0...50, using: &random), Int.random(in: 0...50, using: &random))
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0:
                        texts.append("\(first)-\(last)")
                        if first > last { isValid = false } else { marks.formUnion(first...last) }
                    case 1:
                        texts.append("\(first)-")
                        if first < length { marks.formUnion(first..<length) }
                    default:
                        texts.append("-\(last)")
                        if last > 0 { marks.formUnion(max(0, length - last)..<length) }
                    }
                }
                marks = marks.filter { $0 < length }
                let result = ranges("bytes=" + texts.joined(separator: ","), length)
                switch result {
                case .whole: #expect(!isValid, "round \(round): \(texts)")
                case .unsatisfiable: #expect(isValid && marks.isEmpty, "round \(round): \(texts) of \(length)")
                case .some(let ranges):
                    let all = ranges.flatMap(Array.init)
                    #expect(
                        isValid && Set(all) == marks && all.count == marks.count,
                        "\(texts) of \(length): \(ranges)"
                    )
                }
            }
        }
    }
#endif

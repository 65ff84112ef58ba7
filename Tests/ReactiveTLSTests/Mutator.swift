// SPDX-License-Identifier: MIT
#if TLS
    import ReactiveSockets
    import ReactiveSupport

    extension SplitMix64 {
        mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
    }

    /// Changes the bytes that one side sends, as an attacker on the path or a hostile peer does.
    struct Mutator {
        var random: SplitMix64
        /// Records of this and of earlier sessions, to repeat them.
        private(set) var old: [[UInt8]] = []

        init(seed: UInt64) { random = SplitMix64(seed: seed) }

        /// Changes a flight in one to three ways.
        mutating func mutated(_ bytes: Bytes) -> Bytes {
            if bytes.isEmpty { return bytes }
            var records = Self.records(Array(bytes))
            for record in records where old.count < 64 { old.append(record) }
            old[random.number(0...old.count - 1)] = records[random.number(0...records.count - 1)]
            for _ in 0..<random.number(1...3) where !records.isEmpty {
                if random.number(0...1) == 0 { mutateOrder(&records) } else { mutateRecord(&records) }
            }
            return Bytes(records.flatMap { $0 })
        }

        /// Cuts bytes into records. The last one may be incomplete.
        private static func records(_ bytes: [UInt8]) -> [[UInt8]] {
            var (all, rest): ([[UInt8]], ArraySlice<UInt8>) = ([], bytes[...])
            while rest.count > 5 {
                let length = Int(rest[rest.startIndex + 3]) << 8 | Int(rest[rest.startIndex + 4])
                all.append(Array(rest.prefix(5 + length)))
                rest = rest.dropFirst(5 + length)
            }
            return rest.isEmpty ? all : all + [Array(rest)]
        }

        private static func record(_ type: UInt8, _ body: some Collection<UInt8>) -> [UInt8] {
            [type, 3, 3, UInt8(truncatingIfNeeded: body.count >> 8), UInt8(truncatingIfNeeded: body.count)] + body
        }

        /// Removes, repeats, swaps, splits, joins or inserts records.
        private mutating func mutateOrder(_ records: inout [[UInt8]]) {
            let place = random.number(0...records.count - 1)
            let other = random.number(0...records.count - 1)
            switch random.number(0...9) {
            case 0: records.remove(at: place)
            case 1: records.insert(records[place], at: other)
            case 2: records.swapAt(place, other)
            case 3: records.insert(old[random.number(0...old.count - 1)], at: place)
            case 4: records.removeSubrange(place...)
            case 5: split(&records, at: place)
            case 6: join(&records, at: place)
            case 7:
                // Empty records of any type, more than OpenSSL accepts or fewer.
                let empty = Self.record(UInt8(random.number(19...25)), [])
                records.insert(contentsOf: repeatElement(empty, count: random.number(1...40)), at: place)
            case 8:
                let alert = Self.record(21, [UInt8(random.number(0...3)), UInt8(random.number(0...120))])
                records.insert(contentsOf: repeatElement(alert, count: random.number(1...8)), at: place)
            default:
                // HelloRequest, NewSessionTicket, KeyUpdate and others, without a key.
                let message = [UInt8(random.number(0...25)), 0, 0, 1, UInt8(random.number(0...1))]
                records.insert(Self.record(UInt8(random.number(20...22)), message), at: place)
            }
        }

        /// Divides a record into two, each with a header. That is legal before encryption.
        private mutating func split(_ records: inout [[UInt8]], at place: Int) {
            let record = records[place]
            guard record.count > 6 else { return }
            let body = record[5...]
            let cut = random.number(6...record.count - 1)
            records.replaceSubrange(
                place...place,
                with: [
                    Self.record(record[0], body[..<cut]), Self.record(record[0], body[cut...]),
                ]
            )
        }

        private mutating func join(_ records: inout [[UInt8]], at place: Int) {
            guard place + 1 < records.count, let type = records[place].first else { return }
            let body = records[place].dropFirst(5) + records[place + 1].dropFirst(5)
            records.replaceSubrange(place...place + 1, with: [Self.record(type, body)])
        }

        /// Changes the header, a length or some bytes of a record.
        private mutating func mutateRecord(_ records: inout [[UInt8]]) {
            let index = random.number(0...records.count - 1)
            var record = records[index]
            guard !record.isEmpty else { return }
            let place = random.number(0...record.count - 1)
            let edge = [0, 1, 2, 3, 4, 0x20, 0x7F, 0x80, 0xFF, 0x100, 0x3FFF, 0x4000, 0x4001, 0x4100, 0x4101, 0xFFFF]
            let number = edge[random.number(0...edge.count - 1)]
            switch random.number(0...10) {
            case 0: record[place] ^= 1 << UInt8(random.number(0...7))
            case 1: record[place] = UInt8(random.number(0...255))
            case 2: record.removeSubrange(place..<min(record.count, place + random.number(1...40)))
            case 3: record.insert(contentsOf: record[place...].prefix(20), at: place)
            case 4: record.insert(UInt8(random.number(0...255)), at: place)
            case 5: record.removeLast(min(record.count, random.number(1...200)))
            case 6: put(number, in: &record, at: 3)
            case 7: record[0] = UInt8(random.number(18...26))
            case 8: put(number, in: &record, at: 7)
            case 9: put(number, in: &record, at: place)
            default:
                // The length of the record follows from its changed body, so that the change reaches the parser.
                guard record.count > 5 else { return }
                let body = record.dropFirst(5)
                let at = random.number(5...record.count - 1)
                let inserted = (0..<random.number(0...30)).map { _ in UInt8(random.number(0...255)) }
                let end = min(record.count, at + random.number(0...30))
                record = Self.record(record[0], body[..<at] + inserted + body[end...])
            }
            records[index] = record
        }

        /// Writes a number of two bytes.
        private func put(_ number: Int, in record: inout [UInt8], at place: Int) {
            guard place + 1 < record.count else { return }
            record[place] = UInt8(truncatingIfNeeded: number >> 8)
            record[place + 1] = UInt8(truncatingIfNeeded: number)
        }
    }
#endif

// SPDX-License-Identifier: MIT
#if HTTP
    /// The ranges of a file that a request asks for (RFC 9110 section 14.2).
    enum ByteRanges: Equatable {
        /// The whole file: the field is missing, invalid, of another unit, or asks for too much. Also an empty file from its
        /// beginning.
        case whole
        /// No range overlaps the file: 416.
        case unsatisfiable
        /// Ranges in the order of the request. None is empty, and no two overlap.
        case some([Range<Int>])

        /// Reads the field `Range`.
        ///
        /// A server may ignore the field, and does so if it has more than `limit` ranges. Overlapping and adjacent ranges are
        /// combined, as RFC 9110 section 15.3.7.2 permits. So a response is never longer than the file, apart from the
        /// heads of its parts.
        init(_ field: String?, length: Int, limit: Int) {
            self = .whole
            guard let field, let equals = field.utf8.firstIndex(of: UInt8(ascii: "=")),
                field[..<equals].lowercased() == "bytes"
            else { return }
            let parts = field[field.utf8.index(after: equals)...].split(
                separator: ",",
                omittingEmptySubsequences: false
            )
            var (ranges, count): ([Range<Int>], Int) = ([], 0)
            for part in parts {
                let text = part.utf8.drop(while: ASCII.isBlank)
                guard let end = text.lastIndex(where: { !ASCII.isBlank($0) }) else { continue }
                count += 1
                guard count <= limit, let range = Self.range(text[...end], length) else { return }
                if !range.isEmpty { ranges.append(range) }
            }
            if count == 0 { return }
            if ranges.isEmpty {
                self = .unsatisfiable
                return
            }
            self = .some(Self.combine(ranges))
        }

        /// One range. It is empty if it does not overlap the file. `nil` means that the field is ignored: the syntax is
        /// invalid, or the range is the whole of an empty file, which a response of 206 cannot express. Some clients ask for a
        /// range of every file.
        private static func range(_ text: Substring.UTF8View, _ length: Int) -> Range<Int>? {
            guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
            let (first, last) = (text[..<dash], text[text.index(after: dash)...])
            guard first.allSatisfy(ASCII.isDigit), last.allSatisfy(ASCII.isDigit) else { return nil }
            if first.isEmpty {
                if last.isEmpty || length == 0 && number(last) > 0 { return nil }
                return max(0, length - number(last))..<length
            }
            let start = number(first)
            let end = last.isEmpty ? Int.max : number(last)
            if end < start || length == 0 && start == 0 { return nil }
            return start >= length ? 0..<0 : start..<min(end, length - 1) + 1
        }

        /// A number of digits. More than fits counts as the largest one, which is beyond every file.
        private static func number(_ digits: Substring.UTF8View) -> Int { Int(Substring(digits)) ?? Int.max }

        /// Combines ranges that overlap or touch. The result is in the order in which its ranges begin in the request.
        private static func combine(_ ranges: [Range<Int>]) -> [Range<Int>] {
            var combined: [Range<Int>] = []
            for range in ranges {
                var range = range
                var insertion: Int?
                // At most `limit` ranges, so the square of their number is small.
                for (index, other) in combined.enumerated().reversed()
                where other.lowerBound <= range.upperBound && range.lowerBound <= other.upperBound {
                    range = min(range.lowerBound, other.lowerBound)..<max(range.upperBound, other.upperBound)
                    combined.remove(at: index)
                    insertion = index
                }
                combined.insert(range, at: insertion ?? combined.count)
            }
            return combined
        }
    }
#endif

// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc
    import Synchronization

    /// The `Date` field (RFC 9110 section 6.6.1): `Date: Sun, 06 Nov 1994 08:49:37 GMT`.
    enum HTTPDate {
        /// The calendar of one day, computed once a day. The number of the day comes with it, so any thread may replace it.
        private static let today = Atomic<UInt64>(Day(number: 0).packed)

        /// Appends the field for the current second of the system's clock.
        static func append(to buffer: inout HeadBuffer) {
            append(secondsSince1970: time(nil), to: &buffer)
        }

        /// Appends the field for a second of the years from 1970 to 9999.
        static func append(secondsSince1970 seconds: Int, to buffer: inout HeadBuffer) {
            let (number, second) = (seconds / 86_400, seconds % 86_400)
            var day = Day(packed: today.load(ordering: .relaxed))
            if day.number != number {
                day = Day(number: number)
                today.store(day.packed, ordering: .relaxed)
            }
            buffer.append("Date: ")
            append(day, second, to: &buffer)
            buffer.append("\r\n")
        }

        /// The text of a second (`IMF-fixdate`). Seconds outside of the years from 1970 to 9999 count as the next one inside.
        static func text(secondsSince1970 seconds: Int) -> String {
            let seconds = min(max(seconds, 0), 253_402_300_799)
            let bytes = HeadBuffer.bytes(capacity: 29) { buffer in
                append(Day(number: seconds / 86_400), seconds % 86_400, to: &buffer)
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        private static func append(_ day: Day, _ second: Int, to buffer: inout HeadBuffer) {
            buffer.append(names[day.weekday])
            buffer.append(pair: day.day)
            buffer.append(names[7 + day.month])
            buffer.append(pair: day.year / 100)
            buffer.append(pair: day.year % 100)
            buffer.append(byte: ASCII.space)
            buffer.append(pair: second / 3600)
            buffer.append(byte: ASCII.colon)
            buffer.append(pair: second / 60 % 60)
            buffer.append(byte: ASCII.colon)
            buffer.append(pair: second % 60)
            buffer.append(" GMT")
        }

        /// The days of the week, then the months.
        static let names: [StaticString] = [
            "Sun, ", "Mon, ", "Tue, ", "Wed, ", "Thu, ", "Fri, ", "Sat, ",
            " Jan ", " Feb ", " Mar ", " Apr ", " May ", " Jun ", " Jul ", " Aug ", " Sep ", " Oct ", " Nov ", " Dec ",
        ]

        /// A day of the Gregorian calendar.
        private struct Day {
            /// The days since 1 January 1970.
            let number: Int
            /// Sunday is 0.
            let weekday: Int
            let day: Int
            /// January is 0.
            let month: Int
            let year: Int

            var packed: UInt64 {
                UInt64(truncatingIfNeeded: number << 32 | weekday << 28 | day << 20 | month << 16 | year)
            }

            init(packed: UInt64) {
                let bits = Int(truncatingIfNeeded: packed)
                number = bits >> 32
                weekday = bits >> 28 & 15
                day = bits >> 20 & 255
                month = bits >> 16 & 15
                year = bits & 0xFFFF
            }

            init(number: Int) {
                self.number = number
                // 1 January 1970 was a Thursday.
                weekday = (number + 4) % 7
                var (year, rest) = (1970, number)
                while rest >= Self.days(of: year) {
                    rest -= Self.days(of: year)
                    year += 1
                }
                var month = 0
                while rest >= Self.days(of: month, year) {
                    rest -= Self.days(of: month, year)
                    month += 1
                }
                self.year = year
                self.month = month
                day = rest + 1
            }

            private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
            private static func days(of year: Int) -> Int { isLeap(year) ? 366 : 365 }
            private static func days(of month: Int, _ year: Int) -> Int {
                month == 1 ? (isLeap(year) ? 29 : 28) : [3, 5, 8, 10].contains(month) ? 30 : 31
            }
        }
    }
#endif

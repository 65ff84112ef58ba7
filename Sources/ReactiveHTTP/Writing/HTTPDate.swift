// SPDX-License-Identifier: MIT
#if HTTP
    import Glibc

    /// The `Date` field (RFC 9110 section 6.6.1): `Date: Sun, 06 Nov 1994 08:49:37 GMT`.
    enum HTTPDate {
        /// Appends the field for the current second of the system's clock.
        static func append(to buffer: inout HeadBuffer) {
            append(secondsSince1970: time(nil), to: &buffer)
        }

        /// Appends the field for a second of the years from 1970 to 9999.
        static func append(secondsSince1970 seconds: Int, to buffer: inout HeadBuffer) {
            buffer.append("Date: ")
            append(seconds, to: &buffer)
            buffer.append("\r\n")
        }

        /// The text of a second (`IMF-fixdate`). Seconds outside of the years from 1970 to 9999 count as the next one inside.
        static func text(secondsSince1970 seconds: Int) -> String {
            let seconds = min(max(seconds, 0), 253_402_300_799)
            let bytes = HeadBuffer.bytes(capacity: 29) { append(seconds, to: &$0) }
            return String(decoding: bytes, as: UTF8.self)
        }

        private static func append(_ seconds: Int, to buffer: inout HeadBuffer) {
            let (number, second) = (seconds / 86_400, seconds % 86_400)
            // The days from 1 March of the year 0. Years begin in March, so that the leap day is the last day of its year.
            let days = number + 719_468
            let century = (4 * days + 3) / 146_097
            let dayOfCentury = days - 146_097 * century / 4
            let yearOfCentury = (4 * dayOfCentury + 3) / 1461
            let dayOfYear = dayOfCentury - 1461 * yearOfCentury / 4
            let month = (5 * dayOfYear + 2) / 153
            let day = dayOfYear - (153 * month + 2) / 5 + 1
            let year = 100 * century + yearOfCentury + (month < 10 ? 0 : 1)
            // 1 January 1970 was a Thursday.
            buffer.append(names[(number + 4) % 7])
            buffer.append(pair: day)
            buffer.append(names[7 + (month + 2) % 12])
            buffer.append(pair: year / 100)
            buffer.append(pair: year % 100)
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
    }
#endif

// SPDX-License-Identifier: MIT
#if HTTP
    extension HTTPDate {
        /// The seconds since 1970 of a date in one of the three forms of RFC 9110 section 5.6.7, or `nil`.
        ///
        /// - Parameter now: The current time. A year of two digits that would be more than 50 years later is in the past.
        static func seconds(_ text: String, now: Int) -> Int? {
            let parts = text.split(whereSeparator: { " ,-".contains($0) }).map(String.init)
            switch parts.count {
            // Sun, 06 Nov 1994 08:49:37 GMT
            case 6 where parts[5] == "GMT" && !text.contains("-") && parts[3].utf8.count == 4:
                guard text.utf8.count == 29, let year = number(parts[3], 4) else { return nil }
                return seconds(year, parts[2], parts[1], parts[4])
            // Sunday, 06-Nov-94 08:49:37 GMT
            case 6 where parts[5] == "GMT" && parts[3].utf8.count == 2:
                guard let short = number(parts[3], 2) else { return nil }
                let thisYear = 1970 + now / 31_556_952
                var year = thisYear / 100 * 100 + short
                if year > thisYear + 50 { year -= 100 }
                return seconds(year, parts[2], parts[1], parts[4])
            // Sun Nov  6 08:49:37 1994
            case 5:
                guard text.utf8.count == 24, let year = number(parts[4], 4) else { return nil }
                let day = parts[2].utf8.count == 1 ? "0" + parts[2] : parts[2]
                return seconds(year, parts[1], day, parts[3])
            default: return nil
            }
        }

        private static func seconds(_ year: Int, _ month: String, _ day: String, _ time: String) -> Int? {
            let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0), 2) }
            let name = " \(month) "
            guard let month = names.dropFirst(7).firstIndex(where: { $0.description == name }),
                let day = number(day, 2), clock.count == 3,
                let hour = clock[0], let minute = clock[1], let second = clock[2],
                (1...31).contains(day), hour < 24, minute < 60, second <= 60, (1...9999).contains(year)
            else { return nil }
            return days(year, month - 6, day) * 86_400 + hour * 3600 + minute * 60 + second
        }

        /// The days between 1 January 1970 and a day of the Gregorian calendar.
        private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
            // The year begins in March, so that the leap day is its last day.
            let year = month <= 2 ? year - 1 : year
            let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
            return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
        }

        /// A number of exactly `count` digits.
        private static func number(_ text: String, _ count: Int) -> Int? {
            text.utf8.count == count && text.utf8.allSatisfy(ASCII.isDigit) ? Int(text) : nil
        }
    }
#endif

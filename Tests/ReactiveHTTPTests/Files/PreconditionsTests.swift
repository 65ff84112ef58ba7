// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import Testing

    @testable import ReactiveHTTP
    @testable import ReactiveSockets

    /// The order and the comparisons of RFC 9110 section 13.
    @Suite struct PreconditionsTests {
        private static let now = 1_700_000_000
        /// Tue, 14 Nov 2023 22:13:10 GMT
        private static let modified = now - 10
        private static let date = "Tue, 14 Nov 2023 22:13:10 GMT"
        private static let earlier = "Tue, 14 Nov 2023 22:13:09 GMT"
        private static let later = "Tue, 14 Nov 2023 22:13:11 GMT"

        private func evaluate(_ fields: [HTTPField.Name: String], tag: String = "\"t,\"") -> Preconditions {
            var all = HTTPFields()
            for (name, value) in fields { all[name] = value }
            return .evaluate(all, FileVersion(tag: tag, modified: Self.modified, hasStrongDate: true, now: Self.now))
        }
        private let full = Preconditions.perform(allowsRange: true)

        @Test("Entity tags are compared strongly for If-Match and weakly for If-None-Match")
        func tags() {
            #expect(evaluate([:]) == full)
            for list in ["\"t,\"", "*", "\"a\", \"t,\"", "W/\"x\",\"t,\"", ", ,\"t,\","] {
                #expect(evaluate([.ifMatch: list]) == full && evaluate([.ifNoneMatch: list]) == .notModified, "\(list)")
            }
            for list in ["\"a\"", "t,", "\"T,\"", "", "\"t,", "x\"t,\"", "\"t\""] {
                #expect(evaluate([.ifMatch: list]) == .failed && evaluate([.ifNoneMatch: list]) == full, "\(list)")
            }
            #expect(evaluate([.ifMatch: "W/\"t,\""]) == .failed && evaluate([.ifNoneMatch: "W/\"t,\""]) == .notModified)
        }

        @Test("Dates are compared by seconds, and invalid ones are ignored")
        func dates() {
            #expect(evaluate([.ifModifiedSince: Self.earlier]) == full)
            #expect(evaluate([.ifModifiedSince: Self.date]) == .notModified)
            #expect(evaluate([.ifModifiedSince: Self.later]) == .notModified)
            #expect(evaluate([.ifUnmodifiedSince: Self.earlier]) == .failed)
            #expect(
                evaluate([.ifUnmodifiedSince: Self.date]) == full && evaluate([.ifUnmodifiedSince: Self.later]) == full
            )
            for text in ["yesterday", "", "Tue, 14 Nov 2023 22:13:11", "14 Nov 2023 22:13:11 GMT"] {
                #expect(evaluate([.ifModifiedSince: text, .ifUnmodifiedSince: text]) == full)
            }
        }

        @Test("Tags take precedence over dates, and If-Match over If-None-Match")
        func order() {
            #expect(evaluate([.ifMatch: "*", .ifUnmodifiedSince: Self.earlier]) == full)
            #expect(evaluate([.ifNoneMatch: "\"a\"", .ifModifiedSince: Self.later]) == full)
            #expect(evaluate([.ifMatch: "\"a\"", .ifNoneMatch: "*"]) == .failed)
            #expect(evaluate([.ifUnmodifiedSince: Self.earlier, .ifNoneMatch: "*"]) == .failed)
            #expect(evaluate([.ifMatch: "*", .ifNoneMatch: "*"]) == .notModified)
            #expect(evaluate([.ifNoneMatch: "*", .ifRange: "\"a\""]) == .notModified)
        }

        @Test("If-Range is compared strongly, and a date must be the same")
        func ifRange() {
            let whole = Preconditions.perform(allowsRange: false)
            #expect(evaluate([.ifRange: "\"t,\""]) == full && evaluate([.ifRange: Self.date]) == full)
            for validator in ["W/\"t,\"", "\"a\"", Self.earlier, Self.later, "x", ""] {
                #expect(evaluate([.ifRange: validator]) == whole, "\(validator)")
            }
            let young = FileVersion(tag: "\"t\"", modified: Self.now, hasStrongDate: false, now: Self.now)
            #expect(.evaluate([.ifRange: "Tue, 14 Nov 2023 22:13:20 GMT"], young) == whole)
        }

        @Test("Dates in the three forms of RFC 9110 section 5.6.7")
        func forms() {
            let second = 784_111_777
            for text in [
                "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            ] {
                #expect(HTTPDate.seconds(text, now: Self.now) == second, "\(text)")
            }
            // A year of two digits is at most 50 years ahead.
            let old = HTTPDate.seconds("Monday, 06-Nov-74 00:00:00 GMT", now: Self.now)
            #expect(old == HTTPDate.seconds("Wed, 06 Nov 1974 00:00:00 GMT", now: Self.now))
            let ahead = HTTPDate.seconds("Monday, 06-Nov-73 00:00:00 GMT", now: Self.now)
            #expect(ahead == HTTPDate.seconds("Mon, 06 Nov 2073 00:00:00 GMT", now: Self.now))
            for text in [
                "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 19945 08:49:37 GMT",
                "Sun, 06 Nov 1994 08:49 GMT", "784111777", "Sun, 06 Nov 0000 08:49:37 GMT",
            ] {
                #expect(HTTPDate.seconds(text, now: Self.now) == nil, "\(text)")
            }
        }

        @Test("A date that is written can be read, on each day of 1970 to 2199 and at the limits")
        func roundTrip() {
            for day in 0..<84_000 {
                let second = day * 86_400 + day % 86_400
                guard HTTPDate.seconds(HTTPDate.text(secondsSince1970: second), now: Self.now) == second else {
                    Issue.record("day \(day): \(HTTPDate.text(secondsSince1970: second))")
                    return
                }
            }
            #expect(HTTPDate.text(secondsSince1970: -5) == "Thu, 01 Jan 1970 00:00:00 GMT")
            #expect(HTTPDate.text(secondsSince1970: 253_402_300_800) == "Fri, 31 Dec 9999 23:59:59 GMT")
            #expect(HTTPDate.text(secondsSince1970: .max) == "Fri, 31 Dec 9999 23:59:59 GMT")
        }
    }
#endif

// SPDX-License-Identifier: MIT
#if HTTP
    @testable import ReactiveHTTP

    /// The first difference between the results of our parser and of llhttp.
    struct HTTPDifference {
        /// What the parsers do with the first message on which they differ.
        enum Kind: String {
            case stricter = "we reject, llhttp does not"
            case looser = "llhttp rejects, we do not"
            case content = "both accept, with different content"
        }

        let kind: Kind
        /// Our message, or llhttp's reason, or the part of the message that differs.
        let reason: String
        let ours: HTTPDigest
        let theirs: HTTPDigest

        /// `nil` if there is no difference.
        init?(_ stream: [UInt8], isResponse: Bool, ours: HTTPDigest, theirs: HTTPDigest) {
            self.ours = ours
            self.theirs = theirs
            var index = 0
            while index < ours.messages.count, index < theirs.messages.count, ours.messages[index].isComplete,
                theirs.messages[index].isComplete
            {
                if let part = Self.part(ours.messages[index], theirs.messages[index]) {
                    (kind, reason) = (.content, part)
                    return
                }
                index += 1
            }
            let (mine, other) = (Outcome(ours, index), Outcome(theirs, index))
            if mine != other, Self.hasTabAfterCoding(stream, theirs, index) {
                (kind, reason) = (.content, "a tab follows the transfer coding")
                return
            }
            switch (mine, other) {
            case (.rejected, .rejected), (.pending, .pending), (.paused, .paused): return nil
            // Nothing follows the last message, so llhttp has not noticed that it is the last.
            case (.paused, .pending) where theirs.messages.count == index: return nil
            case (.paused, _): (kind, reason) = (.content, "our connection ends, and llhttp goes on")
            case (_, .paused): (kind, reason) = (.content, "llhttp ends, and our connection goes on")
            case (.rejected, _): (kind, reason) = (.stricter, ours.error ?? "")
            case (_, .rejected):
                // llhttp checks each byte, and our parser each line.
                if mine == .pending, Self.endsWithError(stream, isResponse) { return nil }
                (kind, reason) = (.looser, theirs.error ?? "")
            // llhttp waits for the rest of the preface of HTTP/2.
            case (.complete, .pending) where ours.messages[index].method == "PRI":
                (kind, reason) = (.looser, "Expected HTTP/2 Connection Preface")
            default: (kind, reason) = (.content, "\(mine) here, \(other) by llhttp")
            }
        }

        /// Whether our parser rejects the stream when the line and the head are complete.
        private static func endsWithError(_ stream: [UInt8], _ isResponse: Bool) -> Bool {
            [[13, 10], [13, 10, 13, 10], [10]].contains { end in
                HTTPDigest(stream + end, isResponse: isResponse).error != nil
            }
        }

        /// llhttp trims spaces after a value, and no tabs.
        private static func hasTabAfterCoding(_ stream: [UInt8], _ theirs: HTTPDigest, _ index: Int) -> Bool {
            guard index < theirs.messages.count else { return false }
            let codings = theirs.messages[index].fields.filter { $0.name == "transfer-encoding" }
            let hasChunked = codings.contains { String(decoding: $0.value, as: UTF8.self).lowercased() == "chunked" }
            return hasChunked && String(decoding: stream, as: UTF8.self).lowercased().contains("chunked\t\r\n")
        }

        private enum Outcome {
            case complete, rejected, pending, paused

            init(_ digest: HTTPDigest, _ index: Int) {
                if index < digest.messages.count, digest.messages[index].isComplete {
                    self = .complete
                } else {
                    self = digest.error != nil ? .rejected : digest.isPaused ? .paused : .pending
                }
            }
        }

        /// The part in which two complete messages differ.
        private static func part(_ ours: HTTPDigest.Message, _ theirs: HTTPDigest.Message) -> String? {
            let framing = ["host", "content-length", "transfer-encoding", "connection", "expect", "upgrade"]
            if ours.method != theirs.method { return "method" }
            if ours.status != theirs.status { return "status" }
            // llhttp returns the absolute form as it is.
            if ours.target != theirs.target, !theirs.target.contains("://") { return "target" }
            if ours.version != theirs.version { return "version" }
            let isRequest = !ours.method.isEmpty
            if ours.fields != theirs.fields.filter({ !isRequest || $0.name != "host" }) { return "fields" }
            if ours.body != theirs.body { return "body" }
            if ours.trailers != theirs.trailers.filter({ !framing.contains($0.name) }) { return "trailers" }
            return nil
        }

        /// A description, unless the difference belongs to a class of Docs/HTTPParsing.md.
        var unexplained: String? {
            if HTTPDifferenceClass.all.contains(where: { $0.contains(self) }) { return nil }
            return "\(kind.rawValue): \(reason)\nours: \(ours)\ntheirs: \(theirs)"
        }
    }
#endif

// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets

    /// Writes the head of a response, and a stored body with it.
    ///
    /// It writes the fields that belong to the connection and the framing itself: `Connection`, `Keep-Alive`,
    /// `Transfer-Encoding`, `Content-Length`, and `Date` if the response has none. A service's own values of these are
    /// left out, except a `Content-Length` that describes content which is not sent: of a response to HEAD, or of 304.
    struct HeadWriter {
        /// Whether the request has the method HEAD, so that the content is not sent (RFC 9110 section 9.3.2).
        var isForHead: Bool
        /// The minor version of the request.
        var minorVersion: Int
        /// Whether the connection persists after the response.
        var isPersistent: Bool
        /// How the peer finds the end of the content.
        var body: MessageFraming.BodyLength

        /// The largest size of what is written apart from the fields and the content, without the reason phrase.
        private static let overhead = 192

        func write(_ head: HTTPResponse, _ content: Bytes = Bytes()) -> Bytes {
            let status = head.status
            // RFC 9112 section 6.3, rule 1.
            let hasContent = status.allowsBody && !isForHead
            // RFC 9110 section 8.6: the length of content that is not sent.
            let keepsLength = status.code == 304 || status.allowsBody && isForHead
            let fields = head.headerFields
            // Each character of the reason phrase becomes one byte.
            let size =
                HeadBuffer.size(fields) + status.reasonPhrase.utf8.count + Self.overhead
                + (hasContent ? content.count : 0)
            return HeadBuffer.bytes(capacity: size) { buffer in
                buffer.append("HTTP/1.1 ")
                buffer.append(byte: UInt8(ascii: "0") + UInt8(truncatingIfNeeded: status.code / 100))
                buffer.append(pair: status.code % 100)
                buffer.append(byte: ASCII.space)
                Self.append(reason: status.reasonPhrase, to: &buffer)
                buffer.append("\r\n")
                var (hasLength, hasDate) = (false, false)
                for field in fields {
                    switch FramingField(field.name) {
                    case .connection: continue
                    case .length where !keepsLength || hasLength: continue
                    case .length: hasLength = true
                    case .date: hasDate = true
                    case nil: break
                    }
                    buffer.append(field)
                }
                if status.code >= 200, !hasDate { HTTPDate.append(to: &buffer) }
                // RFC 9110 section 8.6 and RFC 9112 section 6.1: 1xx and 204 have neither field, and 304 needs none.
                if !hasLength, status.allowsBody { buffer.append(length: body) }
                appendConnection(status, to: &buffer)
                buffer.append("\r\n")
                if hasContent { buffer.append(content) }
            }
        }

        private func appendConnection(_ status: HTTPResponse.Status, to buffer: inout HeadBuffer) {
            if status.code == 101 {
                buffer.append("Connection: upgrade\r\n")
            } else if status.code < 200 || body == .tunnel {
                return
            } else if !isPersistent {
                buffer.append("Connection: close\r\n")
            } else if minorVersion == 0 {
                buffer.append("Connection: keep-alive\r\n")
            }
        }

        /// A reason phrase in ISO 8859-1. Characters that it lacks become question marks.
        private static func append(reason: String, to buffer: inout HeadBuffer) {
            if reason.utf8.allSatisfy({ ASCII.isContent($0) && $0 < 0x80 }) { return buffer.append(reason) }
            for scalar in reason.unicodeScalars {
                let byte = UInt8(exactly: scalar.value) ?? UInt8(ascii: "?")
                buffer.append(byte: ASCII.isContent(byte) ? byte : ASCII.space)
            }
        }
    }

    extension HTTPResponse.Status {
        /// Whether a response with this status has a body, except for HEAD (RFC 9110 section 6.4.1).
        var allowsBody: Bool { code >= 200 && code != 204 && code != 304 }
    }

    extension HTTPFields {
        /// Whether the sender asks for the end of the connection.
        var asksToClose: Bool {
            guard !isEmpty, let value = self[.connection] else { return false }
            return value.split(separator: ",").contains { token in
                token.filter { $0 != " " && $0 != "\t" }.lowercased() == "close"
            }
        }
    }

    /// A field that belongs to the framing of a message, or to the connection.
    enum FramingField {
        case length, connection, date

        /// `nil` for all other fields, and nearly always after one comparison of the length.
        @inline(__always)
        init?(_ name: HTTPField.Name) {
            let text = name.canonicalName
            switch text.utf8.count {
            case 4 where text == "date": self = .date
            case 10 where text == "connection" || text == "keep-alive": self = .connection
            case 14 where text == "content-length": self = .length
            case 17 where text == "transfer-encoding": self = .connection
            default:
                // No field, but HTTPFields can hold it.
                guard text.utf8.first == ASCII.colon else { return nil }
                self = .connection
            }
        }
    }
#endif

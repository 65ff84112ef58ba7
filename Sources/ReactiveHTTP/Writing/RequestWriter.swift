// SPDX-License-Identifier: MIT
#if HTTP
    import HTTPTypes
    import ReactiveSockets

    /// Writes the head of a request, and a stored body with it.
    ///
    /// It writes `Connection`, `Transfer-Encoding` and `Content-Length` itself, and leaves out the caller's values. It
    /// writes one `Host`: the caller's field, or otherwise the authority.
    struct RequestWriter {
        /// Whether the connection persists after the response.
        var isPersistent = true
        /// How the peer finds the end of the content. `none` means that the request has no content.
        var body: MessageFraming.BodyLength

        /// - Throws: `malformed` if the method has no valid target. The path must begin with a slash, and contain only the
        ///   characters of ``ASCII/target``. OPTIONS may also have the path `*`. CONNECT needs an authority, and an
        ///   authority must be visible ASCII. The fields contain more than one `Host`, or an invalid one.
        func write(_ head: HTTPRequest, _ content: Bytes = Bytes()) throws(HTTPError) -> Bytes {
            let target = try target(of: head)
            let fields = head.headerFields
            let host = try host(of: fields) ?? head.authority ?? ""
            let size =
                HeadBuffer.size(fields) + head.method.rawValue.utf8.count + target.utf8.count + host.utf8.count
                + content.count + 128
            return HeadBuffer.bytes(capacity: size) { buffer in
                buffer.append(head.method.rawValue)
                buffer.append(byte: ASCII.space)
                buffer.append(target)
                // RFC 9110 section 7.2: Host ought to be the first field.
                buffer.append(" HTTP/1.1\r\nHost: ")
                buffer.append(host)
                buffer.append("\r\n")
                for field in fields where !isWritten(field.name) { buffer.append(field) }
                buffer.append(length: body)
                if fields.contains(.upgrade) {
                    buffer.append(isPersistent ? "Connection: upgrade\r\n" : "Connection: upgrade, close\r\n")
                } else if !isPersistent {
                    buffer.append("Connection: close\r\n")
                }
                buffer.append("\r\n")
                buffer.append(content)
            }
        }

        private func isWritten(_ name: HTTPField.Name) -> Bool {
            let field = FramingField(name)
            return field == .connection || field == .length || name.canonicalName == "host"
        }

        /// RFC 9112 section 3.2: exactly one Host field.
        private func host(of fields: HTTPFields) throws(HTTPError) -> String? {
            guard fields.contains(.hostField) else { return nil }
            let hosts = fields[values: .hostField]
            guard hosts.count == 1, Authority.isValid(hosts[0]) else {
                throw HTTPError(.malformed, "the fields contain more than one Host, or a Host that is invalid")
            }
            return hosts[0]
        }

        private func target(of head: HTTPRequest) throws(HTTPError) -> String {
            // HTTPTypes admits no CR, LF or NUL, but a space would end the target.
            if let authority = head.authority, !authority.utf8.allSatisfy({ $0 > ASCII.space && $0 < 0x7F }) {
                throw HTTPError(
                    .malformed,
                    "the authority of a request contains whitespace or another invalid character"
                )
            }
            if head.method == .connect {
                guard let authority = head.authority, !authority.isEmpty else {
                    throw HTTPError(.malformed, "a CONNECT request has no authority")
                }
                return authority
            }
            let path = head.path ?? ""
            let isAsterisk = path == "*" && head.method == .options
            guard path.utf8.first == UInt8(ascii: "/") || isAsterisk, path.utf8.allSatisfy(ASCII.target.contains) else {
                throw HTTPError(
                    .malformed,
                    "the path of a request does not begin with a slash or contains an invalid character"
                )
            }
            return path
        }
    }

    extension HTTPField.Name {
        /// `Host`. HTTPTypes offers no constant for it, because usually the authority is the host.
        static let hostField: HTTPField.Name = {
            guard let name = HTTPField.Name("Host") else { fatalError("HTTPTypes refuses the field name Host") }
            return name
        }()
    }
#endif

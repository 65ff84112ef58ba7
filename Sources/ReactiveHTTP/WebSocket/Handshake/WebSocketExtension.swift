// SPDX-License-Identifier: MIT
#if HTTP
    /// An element of `Sec-WebSocket-Extensions` (RFC 6455 section 9.1): `permessage-deflate; client_max_window_bits=10`.
    struct WebSocketExtension: Sendable, Equatable {
        struct Parameter: Sendable, Equatable {
            var name: String
            var value: String?
        }

        var name: String
        var parameters: [Parameter]

        /// Parses a list. Returns `nil` if it violates the syntax.
        static func list(_ text: String) -> [WebSocketExtension]? {
            var scanner = Scanner(text)
            return scanner.list()
        }

        private struct Scanner {
            private var rest: Substring.UTF8View

            init(_ text: String) { rest = Substring(text).utf8 }

            mutating func list() -> [WebSocketExtension]? {
                var all: [WebSocketExtension] = []
                repeat {
                    skipSpace()
                    // An empty element is allowed (RFC 9110 section 5.6.1).
                    if rest.isEmpty || rest.first == UInt8(ascii: ",") { continue }
                    guard let name = token(), let parameters = parameters() else { return nil }
                    all.append(WebSocketExtension(name: name, parameters: parameters))
                } while skip(",")
                return rest.isEmpty ? all : nil
            }

            private mutating func parameters() -> [Parameter]? {
                var all: [Parameter] = []
                while skip(";") {
                    skipSpace()
                    guard let name = token() else { return nil }
                    var parameter = Parameter(name: name)
                    if skip("=") {
                        skipSpace()
                        guard let value = rest.first == UInt8(ascii: "\"") ? quoted() : token() else { return nil }
                        parameter.value = value
                    }
                    all.append(parameter)
                }
                return all
            }

            private mutating func skipSpace() { rest = rest.drop(while: ASCII.isBlank) }

            private mutating func skip(_ separator: Unicode.Scalar) -> Bool {
                skipSpace()
                guard rest.first == UInt8(ascii: separator) else { return false }
                rest.removeFirst()
                return true
            }

            private mutating func token() -> String? {
                let text = rest.prefix(while: ASCII.token.contains)
                rest = rest[text.endIndex...]
                return text.isEmpty ? nil : String(Substring(text))
            }

            /// A quoted value must be a token after its escapes have been resolved.
            private mutating func quoted() -> String? {
                rest.removeFirst()
                var text: [UInt8] = []
                while let byte = rest.popFirst() {
                    if byte == UInt8(ascii: "\"") {
                        guard !text.isEmpty, text.allSatisfy(ASCII.token.contains) else { return nil }
                        return String(decoding: text, as: UTF8.self)
                    }
                    if byte == UInt8(ascii: "\\") {
                        guard let escaped = rest.popFirst() else { return nil }
                        text.append(escaped)
                    } else {
                        text.append(byte)
                    }
                }
                return nil
            }
        }
    }
#endif

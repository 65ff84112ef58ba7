// SPDX-License-Identifier: MIT
#if NATS
    import ReactiveSockets

    /// A JSON value of JetStream's requests and responses.
    enum JSONValue: Sendable, Hashable {
        case null
        case bool(Bool)
        case integer(WireInteger)
        case number(Double)
        case string(String)
        case array([JSONValue])
        case object([String: JSONValue])

        subscript(name: String) -> JSONValue? {
            if case .object(let members) = self { members[name] } else { nil }
        }

        var string: String? { if case .string(let string) = self { string } else { nil } }

        /// The number if it is an integer within `range`, otherwise nil. See `WireInteger`.
        func integer(in range: ClosedRange<Int>) -> Int? {
            if case .integer(let integer) = self { integer.value(in: range) } else { nil }
        }

        var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }

        var array: [JSONValue]? { if case .array(let array) = self { array } else { nil } }

        /// The JSON text, with members sorted by name.
        var text: String {
            switch self {
            case .null: return "null"
            case .bool(let bool): return bool ? "true" : "false"
            case .integer(let integer): return "\(integer)"
            case .number(let number): return "\(number)"
            case .string(let string): return Self.quoted(string)
            case .array(let array): return "[\(array.map(\.text).joined(separator: ","))]"
            case .object(let members):
                let parts = members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)):\($0.value.text)" }
                return "{\(parts.joined(separator: ","))}"
            }
        }

        private static func quoted(_ string: String) -> String {
            var result = "\""
            for scalar in string.unicodeScalars {
                switch scalar {
                case "\"": result += "\\\""
                case "\\": result += "\\\\"
                case _ where scalar.value < 32:
                    let digits = String(scalar.value, radix: 16)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                default: result.unicodeScalars.append(scalar)
                }
            }
            return result + "\""
        }
    }
#endif

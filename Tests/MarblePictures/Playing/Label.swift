// SPDX-License-Identifier: MIT
import ReactiveCore

/// The text on the marble of a value.
func label(of value: Any) -> String {
    switch value {
    case let text as String: return text
    case let isOn as Bool: return isOn ? "t" : "f"
    case let event as Event<String, Trouble>:
        switch event {
        case .value(let value): return value
        case .ended(.completed): return "|"
        case .ended(.failed): return "#"
        }
    case let values as [Any]: return "[" + values.map { label(of: $0) }.joined(separator: " ") + "]"
    default:
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .tuple, !mirror.children.isEmpty else { return "\(value)" }
        return mirror.children.map { label(of: $0.value) }.joined()
    }
}

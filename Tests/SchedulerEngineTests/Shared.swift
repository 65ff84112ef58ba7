// SPDX-License-Identifier: MIT
/// One value for several threads.
final class Shared<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}

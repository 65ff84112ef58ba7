// SPDX-License-Identifier: MIT
import ReactiveSupport
import Testing

/// The table that stores what a component must visit in an order that does not depend on addresses.
@Suite struct IdentityTableTests {
    private final class Key {}

    @Test("Values are in the order of their insertion, whatever their removals and changes")
    func order() {
        let keys = (0..<200).map { _ in Key() }
        var table = IdentityTable<Int>()
        for (number, key) in keys.enumerated() { table[ObjectIdentifier(key)] = number }
        #expect(table.values == Array(0..<200) && table.count == 200)
        for number in stride(from: 0, to: 200, by: 2) {
            #expect(table.removeValue(forKey: ObjectIdentifier(keys[number])) == number)
        }
        // A change keeps the position. An insertion after a removal is a new one.
        table[ObjectIdentifier(keys[1])] = -1
        table[ObjectIdentifier(keys[0])] = 200
        #expect(table.values == [-1] + Array(stride(from: 3, to: 200, by: 2)) + [200])
        #expect(table[ObjectIdentifier(keys[2])] == nil)
        for key in keys { table[ObjectIdentifier(key)] = nil }
        #expect(table.isEmpty && table.values == [])
    }
}

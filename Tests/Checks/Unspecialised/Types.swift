// SPDX-License-Identifier: MIT

/// A letter, with the operations that the pictures call.
protocol Text: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation
where StringLiteralType == String, StringInterpolation == DefaultStringInterpolation {
    func uppercased() -> Self
    static func + (left: Self, right: Self) -> Self
    static func += (left: inout Self, right: Self)
}

/// A number, with the operations that the pictures and the cases call.
protocol Whole: SignedNumeric, Comparable, Hashable, Sendable {
    init?(text: String)
    static func % (left: Self, right: Self) -> Self
}

extension Whole {
    init?(_ letter: some Text) { self.init(text: letter.description) }
}

/// A failure, with the cases that the pictures and the cases of operators raise.
protocol Fault: Error, Hashable {
    static var lost: Self { get }
    static var late: Self { get }
    static var broken: Self { get }
    static var other: Self { get }
}

/// The types of a run. They are known at run time only, because generic code receives them as `any Kinds`.
protocol Kinds: Sendable {
    associatedtype Letter: Text
    associatedtype Number: Whole
    associatedtype Failure: Fault
}

/// Types of the standard library, and a failure of one byte.
struct SmallKinds: Kinds {
    typealias Letter = String
    typealias Number = Int
    typealias Failure = SmallFault
}

/// Types of several words, whose copies retain an object.
struct WideKinds: Kinds {
    typealias Letter = WideLetter
    typealias Number = WideNumber
    typealias Failure = WideFault
}

extension String: Text {}

extension Int: Whole {
    init?(text: String) { self.init(text, radix: 10) }
}

enum SmallFault: Fault {
    case lost, late, broken, other
}

/// An object that each copy of a wide value retains.
final class Witness: Hashable, Sendable {
    static func == (left: Witness, right: Witness) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

struct WideLetter: Text {
    let witness = Witness()
    let text: String

    init(stringLiteral text: String) { self.text = text }
    var description: String { text }
    func uppercased() -> WideLetter { "\(text.uppercased())" }
    static func + (left: WideLetter, right: WideLetter) -> WideLetter { "\(left)\(right)" }
    static func += (left: inout WideLetter, right: WideLetter) { left = left + right }
}

struct WideNumber: Whole, CustomStringConvertible {
    let padding = (1, 2)
    let witness = Witness()
    let number: Int

    init(integerLiteral number: Int) { self.number = number }
    init?<T: BinaryInteger>(exactly number: T) { self.init(integerLiteral: Int(number)) }
    init?(text: String) {
        guard let number = Int(text: text) else { return nil }
        self.init(integerLiteral: number)
    }
    var description: String { "\(number)" }
    var magnitude: UInt { number.magnitude }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
    static func == (left: WideNumber, right: WideNumber) -> Bool { left.number == right.number }
    static func < (left: WideNumber, right: WideNumber) -> Bool { left.number < right.number }
    static func + (left: WideNumber, right: WideNumber) -> WideNumber {
        .init(integerLiteral: left.number + right.number)
    }
    static func - (left: WideNumber, right: WideNumber) -> WideNumber {
        .init(integerLiteral: left.number - right.number)
    }
    static func * (left: WideNumber, right: WideNumber) -> WideNumber {
        .init(integerLiteral: left.number * right.number)
    }
    static func *= (left: inout WideNumber, right: WideNumber) { left = left * right }
    static func % (left: WideNumber, right: WideNumber) -> WideNumber {
        .init(integerLiteral: left.number % right.number)
    }
}

struct WideFault: Fault {
    let witness = Witness()
    let name: String
    static var lost: WideFault { WideFault(name: "lost") }
    static var late: WideFault { WideFault(name: "late") }
    static var broken: WideFault { WideFault(name: "broken") }
    static var other: WideFault { WideFault(name: "other") }
}

// SPDX-License-Identifier: MIT
import Glibc
import Synchronization

/// The one enabled mutant, and the state that mutants need.
private enum Faults {
    static let inForce: Mutant? = {
        guard let value = unsafe getenv("MUTANT") else { return nil }
        let name = unsafe String(cString: value)
        guard let mutant = Mutant(rawValue: name) else {
            preconditionFailure("MUTANT=\(name): no file of Tests/Mutants defines a mutant of that name")
        }
        return mutant
    }()
    static let passes = Atomic<Int>(0)
    static let remembered = Atomic<Int64>(0)
    static let leaked = Lock<[UnsafeTransfer<Any>]>([])
}

/// Whether the mutant is enabled.
@usableFromInline
package func fault(_ mutant: Mutant) -> Bool { mutant == Faults.inForce }

/// Whether the mutant is enabled. Returns true for one of every `count` calls.
@usableFromInline
package func fault(_ mutant: Mutant, every count: Int) -> Bool {
    mutant == Faults.inForce && Faults.passes.add(1, ordering: .relaxed).newValue % count == 0
}

/// Keeps the value until the process ends, if the mutant is enabled.
package func leak(_ mutant: Mutant, _ value: @autoclosure () -> Any) {
    guard mutant == Faults.inForce else { return }
    let value = UnsafeTransfer(value())
    Faults.leaked.withLock { leaked in leaked.append(value) }
}

/// Stores a number that ``remembered(_:)`` returns later, if the mutant is enabled.
package func remember(_ mutant: Mutant, _ value: @autoclosure () -> Int64) {
    if mutant == Faults.inForce { Faults.remembered.store(value(), ordering: .relaxed) }
}

/// The number that ``remember(_:_:)`` stored last, or zero.
package func remembered(_ mutant: Mutant) -> Int64 { Faults.remembered.load(ordering: .relaxed) }

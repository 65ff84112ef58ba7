#if MUTANTS
    import Glibc
    import Synchronization

    /// Which fault is in force, from the environment, and what faults need to remember.
    private enum Faults {
        static let inForce: Mutant? = {
            guard let value = getenv("MUTANT") else { return nil }
            let name = String(cString: value)
            guard let mutant = Mutant.allCases.first(where: { "\($0)" == name }) else {
                preconditionFailure("MUTANT=\(name): Sources/ReactiveSupport/Mutant.swift has no such one")
            }
            return mutant
        }()
        static let passes = Atomic<Int>(0)
        static let remembered = Atomic<Int64>(0)
        static let leaked = Lock<[Confined<Any>]>([])
    }

    /// Whether a fault is to happen here.
    @usableFromInline
    package func fault(_ mutant: Mutant) -> Bool { mutant == Faults.inForce }

    /// The same for one that happens every so many times.
    package func fault(_ mutant: Mutant, every count: Int) -> Bool {
        mutant == Faults.inForce && Faults.passes.add(1, ordering: .relaxed).newValue % count == 0
    }

    /// Keeps a value for good, where that is the fault.
    package func leak(_ mutant: Mutant, _ value: @autoclosure () -> Any) {
        guard mutant == Faults.inForce else { return }
        let value = Confined(value())
        Faults.leaked.withLock { leaked in leaked.append(value) }
    }

    /// Keeps a number until ``remembered(_:)`` asks for it, where the fault is in force.
    package func remember(_ mutant: Mutant, _ value: @autoclosure () -> Int64) {
        if mutant == Faults.inForce { Faults.remembered.store(value(), ordering: .relaxed) }
    }

    package func remembered(_ mutant: Mutant) -> Int64 { Faults.remembered.load(ordering: .relaxed) }
#else
    /// False: faults are for builds with `-DMUTANTS`. Inlinable, like all of these, so that other modules' code is as if it were
    /// not there.
    @inlinable
    @inline(__always)
    package func fault(_ mutant: Mutant) -> Bool { false }

    /// False.
    @inlinable
    @inline(__always)
    package func fault(_ mutant: Mutant, every count: Int) -> Bool { false }

    /// Nothing.
    @inlinable
    @inline(__always)
    package func leak(_ mutant: Mutant, _ value: @autoclosure () -> Any) {}

    /// Nothing.
    @inlinable
    @inline(__always)
    package func remember(_ mutant: Mutant, _ value: @autoclosure () -> Int64) {}

    /// Nothing.
    @inlinable
    @inline(__always)
    package func remembered(_ mutant: Mutant) -> Int64 { 0 }
#endif

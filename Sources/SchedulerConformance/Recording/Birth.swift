// SPDX-License-Identifier: MIT
import ReactiveSupport
import Synchronization

/// The location at which an object of a check was created. An object that is alive after the check is a leak.
final class Birth: Sendable {
    private static let isCounting = Atomic(false)
    /// The number of living objects by the location of their creation.
    private static let living = Lock<[String: Int]>([:])

    private let place: String

    private init(_ place: String) {
        self.place = place
        Self.living.withLock { living in living[place, default: 0] += 1 }
    }

    deinit {
        Self.living.withLock { [place] living in
            living[place, default: 0] -= 1
            if living[place] == 0 { living[place] = nil }
        }
    }

    /// Counts one more object. Returns `nil` if counting is off. Only a process that runs a check counts.
    static func of(_ what: String, _ file: StaticString, _ line: Int) -> Birth? {
        isCounting.load(ordering: .relaxed) ? Birth("\(what) of \(file):\(line)") : nil
    }

    /// Starts to count new objects.
    static func startCounting() { isCounting.store(true, ordering: .relaxed) }

    static var left: [String: Int] { living.withLock { living in living } }
}

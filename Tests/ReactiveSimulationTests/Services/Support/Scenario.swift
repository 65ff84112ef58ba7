// SPDX-License-Identifier: MIT
import ReactiveSimulation

/// A service with its clients, the faults of its network, and the checks of its outcome.
///
/// A run of it throws a ``Violation`` if the service breaks a promise. With a bug, some seed must find that.
protocol Scenario {
    /// The name of the service.
    static var name: String { get }
    /// The bugs that this service can have.
    static var bugs: [ServiceBug] { get }
    /// Runs the service in `world`. nil means the correct service.
    static func run(in world: World, with bug: ServiceBug?) throws
}

/// A broken promise.
struct Violation: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

func require(_ condition: Bool, _ text: @autoclosure () -> String) throws(Violation) {
    if !condition { throw Violation(text()) }
}

/// All services.
enum Scenarios {
    static var all: [any Scenario.Type] {
        [
            EchoScenario.self, ProxyScenario.self, KeyValueScenario.self, LineScenario.self, ChatScenario.self,
            CommandScenario.self,
        ]
    }
}

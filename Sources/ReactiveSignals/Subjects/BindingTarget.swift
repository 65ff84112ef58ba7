// SPDX-License-Identifier: MIT
import ReactiveCore

/// A consumer of values with a limited lifetime: the target of a binding.
///
/// Its closure is called with each value, on the thread that sends the value. If several signals are bound to one
/// target, calls may overlap. Bindings end with the lifetime.
public struct BindingTarget<Value: Sendable>: Sendable {
    let ended: Signal<Never, Never>
    let action: @Sendable (Value) -> Void

    /// Creates a target that calls `action` with each value until `lifetime` ends. It does not retain the lifetime.
    ///
    /// If the lifetime has ended already, `action` is never called.
    public init(during lifetime: Lifetime, _ action: @escaping @Sendable (Value) -> Void) {
        ended = lifetime.ended
        self.action = action
    }

    init(_ ended: Signal<Never, Never>, _ action: @escaping @Sendable (Value) -> Void) {
        self.ended = ended
        self.action = action
    }
}

extension Property {
    /// A target that sets the property to each value. It does not retain the property. Bindings end when the property
    /// is released.
    public var target: BindingTarget<Value> {
        BindingTarget(signal.ignoreValues(Never.self)) { [weak self] value in self?.value = value }
    }
}

extension Signal where Failure == Never {
    /// Sends every value to `target`, until the signal completes, the target's lifetime ends, or the result is
    /// disposed.
    ///
    /// - Returns: The subscription. Releasing it does not end the binding.
    @discardableResult
    public func bind(to target: BindingTarget<Value>) -> SignalSubscription {
        take(until: target.ended).subscribe(onValue: target.action)
    }

    /// Sets `property` to every value, until the signal completes, the property is released, or the result is disposed.
    ///
    /// - Returns: The subscription. Releasing it does not end the binding.
    @discardableResult
    public func bind(to property: Property<Value>) -> SignalSubscription { bind(to: property.target) }
}

infix operator <~ : AssignmentPrecedence

/// Binds `target` to `signal`; see ``Signal/bind(to:)-(BindingTarget<Value>)``.
@discardableResult
public func <~ <Value: Sendable>(target: BindingTarget<Value>, signal: Signal<Value, Never>) -> SignalSubscription {
    signal.bind(to: target)
}

/// Binds `property` to `signal`; see ``Signal/bind(to:)-(Property<Value>)``.
@discardableResult
public func <~ <Value: Sendable>(property: Property<Value>, signal: Signal<Value, Never>) -> SignalSubscription {
    signal.bind(to: property)
}

// SPDX-License-Identifier: MIT
/// A handle that can keep `runUntilIdle` from returning: a watch, or a handler of a process signal.
public protocol LoopHandle: Disposable {
    /// Whether `runUntilIdle` continues while this handle is not disposed (rule K1). The initial value is true for
    /// watches and false for signal handlers.
    ///
    /// Read and set it on the loop's thread, or while the loop does not run. On another thread, access traps. After
    /// `dispose`, setting it has no effect on the loop.
    var keepsLoopAlive: Bool { get set }
}

/// Something of a loop's that can keep `runUntilIdle` from returning: a watch, a handler for a process signal.
public protocol LoopHandle: Disposable {
    /// Whether the loop stays in `runUntilIdle` for its sake. Setting it twice is the same as once (rule K1).
    ///
    /// Read and set it on the loop's thread, or while the loop does not run; elsewhere it traps.
    var keepsLoopAlive: Bool { get set }
}

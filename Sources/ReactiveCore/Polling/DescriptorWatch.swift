/// A request to be called whenever a descriptor is ready, until it is disposed.
///
/// The descriptor stays open until all its watches are disposed. ``LoopScheduler/watch(_:for:_:)`` says when it may be closed.
public protocol DescriptorWatch: LoopHandle {
    /// What is watched for.
    ///
    /// Read it on the loop's thread, or while the loop does not run; elsewhere reading it traps. After `dispose` it keeps
    /// its last value.
    var interest: Readiness { get }

    /// Watches for something else from now on; nothing at all is legal and silences the watch, hang-ups included.
    ///
    /// On the loop's thread, also from inside the watch's own call. After `dispose` it does nothing.
    ///
    /// - Throws: `wrongThread` off the loop's thread while it runs; `systemCall` where the kernel refuses. The interest is
    ///   then as before.
    func setInterest(_ interest: Readiness) throws(LoopError)
}

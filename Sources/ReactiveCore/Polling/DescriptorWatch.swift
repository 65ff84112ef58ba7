/// A standing request to be told when a descriptor is ready.
public protocol DescriptorWatch: LoopHandle {
    /// What is watched for.
    var interest: Readiness { get }

    /// Watches for something else from now on; nothing at all is legal and silences the watch, hang-ups included.
    ///
    /// On the loop's thread, also from inside the watch's own call. After `dispose` it does nothing.
    ///
    /// - Throws: `wrongThread` off the loop's thread while it runs; `systemCall`.
    func setInterest(_ interest: Readiness) throws(LoopError)
}

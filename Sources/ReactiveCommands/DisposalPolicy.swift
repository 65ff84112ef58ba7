/// What happens to an execution when its subscriber is disposed, or when its command ends.
public enum DisposalPolicy: Sendable, Hashable {
    /// The work is cancelled: its signal is disposed, its task is cancelled. A running function is not interrupted.
    case cancel
    /// The work continues. Its disposed subscriber gets no more events. The command's observers do, until it ends.
    case finish
}

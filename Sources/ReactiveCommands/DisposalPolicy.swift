/// What becomes of an execution that somebody lets go of.
public enum DisposalPolicy: Sendable, Hashable {
    /// Its work is cancelled: the signal is disposed, the task cancelled. A function that is running is not interrupted.
    case cancel
    /// Its work goes on, and the command tells of it; whoever let go hears no more.
    case finish
}

/// In which order the replies to requests are sent.
public enum ReplyOrder: Sendable, Hashable {
    /// In the order of the requests, whichever execution ends first: what pipelining protocols ask for.
    case asRequested
    /// As they come: the values of several executions may alternate.
    case asFinished
}

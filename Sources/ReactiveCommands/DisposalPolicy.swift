// SPDX-License-Identifier: MIT
/// The policy for an execution when its subscription is disposed, or when its command ends.
public enum DisposalPolicy: Sendable, Hashable {
    /// The work is cancelled: its signal is disposed, or its task is cancelled. A running function is not interrupted,
    /// and its result is dropped.
    case cancel
    /// The work continues. The disposed subscription receives no more events. The command's observers continue to
    /// receive events until the command ends.
    case finish
}

// SPDX-License-Identifier: MIT
extension Rule {
    /// All rules of the rule book (Docs/Contract.md), in its order.
    public static let all: [Rule] = groups.joined().sorted { one, two in
        one.place(inBook: RuleGroup.all) < two.place(inBook: RuleGroup.all)
    }

    /// The rules by the files that declare them. The type of this array makes it quick to check.
    private static let groups: [[Rule]] = [
        OrderRules.all, FairnessRules.all,
        TimerTimeRules.all, TimerOrderRules.all, TimerEndRules.all, CancellationRules.all,
        HopRules.all, IdleRules.all,
        CurrentRules.all,
        RunningRules.all,
        AliveRules.all,
        SignalRules.all, ForkRules.all, MainLoopUseRules.all, ExhaustionRules.all,
        MainLoopRules.all,
        DisposalRules.all, ReuseRules.all, DisposalNoticeRules.all,
        ReadinessRules.all, RandomReadinessRules.all,
        ListeningRules.all, ConnectingRules.all, SendingRules.all, ReceivingRules.all,
        ClosingRules.all, TimeoutRules.all,
        AddressRules.all, DatagramRules.all, PermutationRules.all,
        ResourceRules.all, ReleaseRules.all,
        SignalLawRules.all,
    ]

    /// The position of the rule: groups are in the order of the book, and rules are ordered by number.
    func place(inBook groups: [RuleGroup]) -> Int {
        let group = groups.firstIndex { $0.letter == self.group } ?? groups.count
        return group * 1000 + (Int(id.drop { $0.isLetter }) ?? 0)
    }
}

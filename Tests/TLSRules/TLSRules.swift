// SPDX-License-Identifier: MIT
package import SchedulerConformance

/// TLS1–TLS12: TLS over the sockets of a loop. A build without the trait `TLS` states the rules, and skips them.
package enum TLSRules {
    package static let all = [tls1, tls2, tls3, tls4, tls5, tls6, tls7, tls8, tls9, tls10, tls11, tls12]

    private static let needs: Set<Capability> = [.sockets, .tls]

    /// The description of a loop that also says whether these rules can be checked.
    package static func describe(_ loop: LoopDescription) -> LoopDescription {
        var loop = loop
        #if TLS
            if loop.machine != nil { loop.absent[.tls] = "the peers of these rules expect that bytes arrive at once" }
        #else
            loop.absent[.tls] = "this build does not have the trait TLS"
        #endif
        return loop
    }

    static let tls1 = Rule(
        "TLS1",
        "A paused receiver gets no decrypted byte; all follow the resume, even from a silent peer (RFC 8446 section 5.1).",
        needs: needs
    ) { check in
        #if TLS
            try TLSPauseChecks.pausing(check)
        #endif
    }

    static let tls2 = Rule(
        "TLS2",
        "Closing while paused sends close_notify and the end; aborting resets; both release everything (RFC 8446 section 6.1).",
        needs: needs
    ) { check in
        #if TLS
            try TLSPauseChecks.closing(check)
        #endif
    }

    static let tls3 = Rule(
        "TLS3",
        "Each end of a stream is a close_notify; an end without one fails with `truncated` (RFC 8446 section 6.1).",
        needs: needs
    ) { check in
        #if TLS
            try TLSEndChecks.notifying(check)
        #endif
    }

    static let tls4 = Rule(
        "TLS4",
        "After a close_notify TLS 1.3 still sends; TLS 1.2 closes both ways (RFC 8446 section 6.1, RFC 5246 section 7.2.1).",
        needs: needs
    ) { check in
        #if TLS
            try TLSEndChecks.halfClosing(check)
        #endif
    }

    static let tls5 = Rule(
        "TLS5",
        "Many KeyUpdates from a peer that does not read take bounded memory; the bytes stay correct (RFC 8446 section 4.6.3).",
        needs: needs
    ) { check in
        #if TLS
            try TLSRecordChecks.keyUpdates(check)
        #endif
    }

    static let tls6 = Rule(
        "TLS6",
        "Records of one byte, and handshakes and records that are split at any byte, are received (RFC 8446 section 5.1).",
        needs: needs
    ) { check in
        #if TLS
            try TLSRecordChecks.splitting(check)
        #endif
    }

    static let tls7 = Rule(
        "TLS7",
        "Plain text on a TLS port, and TLS on a plain port, are typed errors, and the peer gets an alert (RFC 8446 section 6.2).",
        needs: needs
    ) { check in
        #if TLS
            try TLSErrorChecks.plainText(check)
        #endif
    }

    static let tls8 = Rule(
        "TLS8",
        "A stalled handshake fails with `timedOut`, never early, and takes at most 256 KiB (RFC 8446 section 4).",
        needs: needs
    ) { check in
        #if TLS
            try TLSHandshakeChecks.stalling(check)
        #endif
    }

    static let tls9 = Rule(
        "TLS9",
        "A handshake that is reset, ended, aborted, closed or disposed in any state releases all, and terminates once (RFC 8446 section 6).",
        needs: needs,
        limit: .seconds(40)
    ) { check in
        #if TLS
            try TLSAbortChecks.aborting(check)
        #endif
    }

    static let tls10 = Rule(
        "TLS10",
        "A session ticket of one loop resumes the session on each loop of the same server (RFC 8446 section 4.6.1).",
        needs: needs
    ) { check in
        #if TLS
            try TLSTicketChecks.resuming(check)
        #endif
    }

    static let tls11 = Rule(
        "TLS11",
        "A peer that does not read pauses the source, even during the handshake; a paused receiver stops the peer (RFC 9293 section 3.8.6).",
        needs: needs
    ) { check in
        #if TLS
            try TLSFlowChecks.pressing(check)
        #endif
    }

    static let tls12 = Rule(
        "TLS12",
        "Refused certificates, versions and records fail with the same error on each loop, and send their alert (RFC 8446 section 6.2).",
        needs: needs
    ) { check in
        #if TLS
            try TLSErrorChecks.refusals(check)
        #endif
    }
}

extension Capability {
    /// The build has TLS, which needs the trait `TLS`.
    fileprivate static let tls = Capability("TLS")
}

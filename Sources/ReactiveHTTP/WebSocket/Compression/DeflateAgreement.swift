// SPDX-License-Identifier: MIT
#if HTTP
    /// What both peers have agreed on (RFC 7692 section 7.1).
    struct DeflateAgreement: Sendable, Equatable {
        /// The messages of the server.
        var server = DeflateParameters()
        /// The messages of the client.
        var client = DeflateParameters()

        static let name = "permessage-deflate"

        /// The four parameters, as they stand in a header field.
        private struct Terms {
            var serverKeepsContext = true
            var clientKeepsContext = true
            var serverWindowBits: Int?
            var clientWindowBits: Int?
            /// Whether `client_max_window_bits` is there, perhaps without a value.
            var allowsClientWindow = false

            /// Returns `nil` if a parameter is unknown, duplicate or invalid.
            init?(_ parameters: [WebSocketExtension.Parameter], isOffer: Bool) {
                var seen: Set<String> = []
                for parameter in parameters {
                    guard seen.insert(parameter.name).inserted else { return nil }
                    switch (parameter.name, parameter.value) {
                    case ("server_no_context_takeover", nil): serverKeepsContext = false
                    case ("client_no_context_takeover", nil): clientKeepsContext = false
                    case ("server_max_window_bits", let value?):
                        guard let bits = Self.bits(value) else { return nil }
                        serverWindowBits = bits
                    case ("client_max_window_bits", let value):
                        allowsClientWindow = true
                        if value == nil, isOffer { continue }
                        guard let bits = value.flatMap(Self.bits) else { return nil }
                        clientWindowBits = bits
                    default: return nil
                    }
                }
            }

            /// A number from 8 to 15 without leading zeros.
            private static func bits(_ text: String) -> Int? {
                (8...15).first { String($0) == text }
            }
        }

        // MARK: Servers

        /// Accepts the first offer of a client that is possible. Returns the agreement and the text of the answer.
        static func accept(
            _ offers: [WebSocketExtension],
            _ settings: WebSocketCompression
        ) -> (agreement: DeflateAgreement, answer: String)? {
            for offer in offers where offer.name == name {
                // zlib cannot compress with a window of 256 bytes.
                guard let terms = Terms(offer.parameters, isOffer: true), terms.serverWindowBits != 8 else { continue }
                var agreement = DeflateAgreement()
                var answer = name
                agreement.server.keepsContext = terms.serverKeepsContext && settings.keepsSendContext
                if !agreement.server.keepsContext { answer += "; server_no_context_takeover" }
                agreement.client.keepsContext = terms.clientKeepsContext && settings.keepsReceiveContext
                if !agreement.client.keepsContext { answer += "; client_no_context_takeover" }
                agreement.server.windowBits = min(terms.serverWindowBits ?? 15, settings.sendWindowBits)
                if terms.serverWindowBits != nil || agreement.server.windowBits < 15 {
                    answer += "; server_max_window_bits=\(agreement.server.windowBits)"
                }
                if terms.allowsClientWindow {
                    agreement.client.windowBits = min(terms.clientWindowBits ?? 15, settings.receiveWindowBits)
                    if agreement.client.windowBits < 15 {
                        answer += "; client_max_window_bits=\(agreement.client.windowBits)"
                    }
                }
                return (agreement, answer)
            }
            return nil
        }

        // MARK: Clients

        /// The offer of a client.
        static func offer(_ settings: WebSocketCompression) -> String {
            var offer = name
            if !settings.keepsReceiveContext { offer += "; server_no_context_takeover" }
            if !settings.keepsSendContext { offer += "; client_no_context_takeover" }
            if settings.receiveWindowBits < 15 { offer += "; server_max_window_bits=\(settings.receiveWindowBits)" }
            offer += "; client_max_window_bits"
            if settings.sendWindowBits < 15 { offer += "=\(settings.sendWindowBits)" }
            return offer
        }

        /// Checks a server's answer to ``offer(_:)``. Returns `nil` if it violates RFC 7692 section 7.1.
        static func confirm(_ answer: WebSocketExtension, _ settings: WebSocketCompression) -> DeflateAgreement? {
            guard answer.name == name, let terms = Terms(answer.parameters, isOffer: false) else { return nil }
            var agreement = DeflateAgreement()
            agreement.server.keepsContext = terms.serverKeepsContext
            agreement.client.keepsContext = terms.clientKeepsContext && settings.keepsSendContext
            agreement.server.windowBits = terms.serverWindowBits ?? 15
            agreement.client.windowBits = min(terms.clientWindowBits ?? 15, settings.sendWindowBits)
            // The server must comply with the offer.
            if !settings.keepsReceiveContext, terms.serverKeepsContext { return nil }
            if agreement.server.windowBits > settings.receiveWindowBits { return nil }
            // zlib cannot compress with a window of 256 bytes.
            return agreement.client.windowBits == 8 ? nil : agreement
        }
    }
#endif

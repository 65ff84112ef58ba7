// SPDX-License-Identifier: MIT
/// The words of an inline request. Blanks separate the words. Quotes enclose a word that contains blanks.
///
/// Double quotes allow escapes such as `\n` and `\x41`. Single quotes allow only `\'`.
struct QuotedWords {
    private var position: Int
    private let end: Int

    /// Appends the words between `start` and `end` to `found`.
    static func split(
        _ bytes: Span<UInt8>,
        _ start: Int,
        _ end: Int,
        into found: inout RequestScanner.Found
    ) throws(ProtocolError) {
        var words = QuotedWords(position: start, end: end)
        while words.skipBlanks(bytes) {
            let begin = found.unquoted.count
            try words.readWord(bytes, &found.unquoted)
            found.words.append(Batch.Word(start: -1 - begin, count: found.unquoted.count - begin))
        }
    }

    /// Skips blanks. Returns false at the end.
    private mutating func skipBlanks(_ bytes: Span<UInt8>) -> Bool {
        while position < end, ASCII.isSpace(bytes[position]) { position += 1 }
        return position < end
    }

    private mutating func readWord(_ bytes: Span<UInt8>, _ text: inout [UInt8]) throws(ProtocolError) {
        while position < end {
            let byte = bytes[position]
            if ASCII.isSpace(byte) { return }
            position += 1
            switch byte {
            case ASCII.quote, ASCII.apostrophe: return try readQuoted(bytes, until: byte, &text)
            default: text.append(byte)
            }
        }
    }

    /// Reads up to the closing quote. A blank or the end must follow it.
    private mutating func readQuoted(
        _ bytes: Span<UInt8>,
        until quote: UInt8,
        _ text: inout [UInt8]
    ) throws(ProtocolError) {
        while position < end {
            let byte = bytes[position]
            position += 1
            switch byte {
            case quote:
                if position < end, !ASCII.isSpace(bytes[position]) { throw .unbalancedQuotes }
                return
            case ASCII.backslash where quote == ASCII.quote && position < end:
                text.append(readEscape(bytes))
            case ASCII.backslash where position < end && bytes[position] == quote:
                text.append(quote)
                position += 1
            default: text.append(byte)
            }
        }
        throw .unbalancedQuotes
    }

    /// Reads an escape after its backslash.
    private mutating func readEscape(_ bytes: Span<UInt8>) -> UInt8 {
        let byte = bytes[position]
        if byte == UInt8(ascii: "x"), position + 2 < end,
            let high = ASCII.hexadecimal(bytes[position + 1]), let low = ASCII.hexadecimal(bytes[position + 2])
        {
            position += 3
            return high << 4 | low
        }
        position += 1
        switch byte {
        case 0x6E: return ASCII.lineFeed
        case 0x72: return ASCII.carriageReturn
        case 0x74: return 9
        case 0x62: return 8
        case 0x61: return 7
        default: return byte
        }
    }
}

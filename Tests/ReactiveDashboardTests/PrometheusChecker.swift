// SPDX-License-Identifier: MIT
#if HTTP
    import Testing

    /// Checks text against the format 0.0.4: comments before samples, unique samples, histograms that grow.
    ///
    /// It compares Unicode scalars: a reader of the format does not know that `\r\n` is one character of Swift.
    func checkPrometheus(_ text: String) throws {
        let name = #/[a-zA-Z_:][a-zA-Z0-9_:]*/#.matchingSemantics(.unicodeScalar)
        let label = #/[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*"/#.matchingSemantics(.unicodeScalar)
        let number = #/(?:\+Inf|NaN|-?[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?)/#
        #expect(text.utf8.last == UInt8(ascii: "\n") && !text.contains("\n\n"))
        var (types, seen, current) = ([String: String](), Set<String>(), "")
        for line in text.unicodeScalars.split(separator: "\n").map({ Substring($0) }) {
            if line.hasPrefix("# HELP ") {
                current = String(line.split(separator: " ")[2])
                #expect(types[current] == nil, "two groups of \(current)")
            } else if line.hasPrefix("# TYPE ") {
                let parts = line.split(separator: " ")
                #expect(
                    parts.count == 4 && parts[2] == current && ["counter", "gauge", "histogram"].contains(parts[3])
                )
                types[current] = String(parts[3])
            } else {
                var rest = line
                let found = try #require(rest.prefixMatch(of: name), "\(line)")
                rest = rest[found.range.upperBound...]
                let base =
                    types[current] == "histogram" ? ["_bucket", "_sum", "_count"].map { current + $0 } : [current]
                #expect(base.contains(String(found.output)), "\(line) in the group \(current)")
                if rest.hasPrefix("{") {
                    rest = rest.dropFirst()
                    while let next = rest.prefixMatch(of: label) {
                        rest = rest[next.range.upperBound...]
                        if rest.hasPrefix(",") { rest = rest.dropFirst() }
                    }
                    #expect(rest.hasPrefix("} "), "\(line)")
                    rest = rest.dropFirst()
                }
                let key = String(line[..<rest.startIndex])
                #expect(seen.insert(key).inserted, "\(key) occurs twice")
                #expect(rest.hasPrefix(" ") && rest.dropFirst().wholeMatch(of: number) != nil, "\(line)")
            }
        }
        #expect(!types.isEmpty)
        try checkHistograms(text)
    }

    private func checkHistograms(_ text: String) throws {
        var last: [String: Double] = [:]
        for line in text.split(separator: "\n") where line.contains("_bucket{") {
            let key = String(line.split(separator: "le=")[0])
            let value = try #require(line.split(separator: " ").last.flatMap { Double($0) })
            #expect(value >= last[key] ?? 0, "\(line)")
            last[key] = value
        }
        let counts = text.split(separator: "\n").filter { $0.contains("_count{") && $0.hasPrefix("reactive_loop_turn") }
        #expect(
            counts.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }
                == counts.map { _ in
                    last.values.first ?? -1
                } || counts.count > 1
        )
    }
#endif

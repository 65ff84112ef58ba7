// SPDX-License-Identifier: MIT
#if CAres
    import ReactiveSupport

    /// The options of a configuration file that c-ares 1.18 does not read: `timeout` and `attempts` (resolv.conf(5)).
    struct ConfigurationOptions {
        private(set) var timeout: Duration?
        private(set) var attempts: Int?

        init(file path: String) {
            guard let text = ProcFS.text(of: path) else { return }
            for line in text.split(separator: "\n") {
                let words = line.split { $0 == " " || $0 == "\t" }
                guard words.first == "options" else { continue }
                // The limits are those of glibc.
                for word in words.dropFirst() {
                    if let seconds = Self.number(word, "timeout:") { timeout = .seconds(min(seconds, 30)) }
                    if let count = Self.number(word, "attempts:") { attempts = min(count, 5) }
                }
            }
        }

        private static func number(_ word: Substring, _ name: String) -> Int? {
            guard word.hasPrefix(name), let number = Int(word.dropFirst(name.count)), number > 0 else { return nil }
            return number
        }
    }
#endif

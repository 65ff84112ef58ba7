// SPDX-License-Identifier: MIT
/// The parsed command line.
struct CommandLineCall {
    /// An invalid command line. The message says what is allowed.
    struct Mistake: Error {
        let message: String
    }

    /// The first argument of a process that runs one check.
    static let childMark = "--check"

    static let usage = """
        usage: PROGRAM [--loop NAME[,NAME…]] [--rule ID[,ID…]] [--seed NUMBER] [--long] [--time-scale NUMBER]
                       [--json [FILE]] [--junit FILE] [--markdown FILE] [--list] [--book] [--lines]

          --loop        check only these loops
          --rule        check only these rules; the letters of a group select all of its rules
          --seed        the seed of random choices, to repeat a run; every run prints its seed
          --long        run all rounds of the stochastic rules
          --time-scale  multiply every time limit; the default is CONFORMANCE_TIME_SCALE, or else 10 under a sanitizer
          --json        write the results as JSON to FILE, or to the standard output instead of the table
          --junit, --markdown   write the results in that format to FILE
          --list        print the rules and exit
          --book        print the tables of the rule book and exit
          --lines       print each result as key:value lines, for another program

        """

    var isChild = false
    var loops: [String]?
    var rules: [String]?
    var seed: UInt64?
    var timeScale: Double?
    var isLong = false
    var isJSON = false
    var jsonFile: String?
    var junitFile: String?
    var markdownFile: String?
    var isList = false
    var isBook = false
    var isLines = false

    init(_ arguments: [String]) throws(Mistake) {
        var rest = arguments[...]
        func value(_ name: String) throws(Mistake) -> String {
            guard let value = rest.popFirst(), !value.hasPrefix("--") else {
                throw Mistake(message: "\(name) needs a value")
            }
            return value
        }
        func names(_ name: String) throws(Mistake) -> [String] {
            try value(name).split(separator: ",").map { String($0) }
        }
        while let argument = rest.popFirst() {
            switch argument {
            case Self.childMark: isChild = true
            case "--loop": loops = (loops ?? []) + (try names(argument))
            case "--rule": rules = (rules ?? []) + (try names(argument))
            case "--seed":
                guard let number = UInt64(try value(argument)) else {
                    throw Mistake(message: "--seed needs a whole number that is not negative")
                }
                seed = number
            case "--time-scale":
                guard let number = Double(try value(argument)), number > 0 else {
                    throw Mistake(message: "--time-scale needs a number above 0")
                }
                timeScale = number
            case "--long": isLong = true
            case "--json":
                isJSON = true
                if let file = rest.first, !file.hasPrefix("--") {
                    jsonFile = file
                    rest.removeFirst()
                }
            case "--junit": junitFile = try value(argument)
            case "--markdown": markdownFile = try value(argument)
            case "--list": isList = true
            case "--book": isBook = true
            case "--lines": isLines = true
            default: throw Mistake(message: "unknown argument \(argument)")
            }
        }
    }

    /// The requested loops.
    func chosen(of all: [LoopDescription]) throws(Mistake) -> [LoopDescription] {
        guard let loops else { return all }
        var chosen: [LoopDescription] = []
        for name in loops {
            guard let loop = all.first(where: { $0.name == name }) else {
                throw Mistake(message: "there is no loop \(name), only \(all.map(\.name).joined(separator: ", "))")
            }
            chosen.append(loop)
        }
        return chosen
    }

    /// The requested rules.
    func chosen(of all: [Rule]) throws(Mistake) -> [Rule] {
        guard let rules else { return all }
        var ids: Set<String> = []
        for name in rules {
            let named = all.filter { $0.id == name || $0.group == name }
            if named.isEmpty { throw Mistake(message: "there is no rule or group \(name); --list prints all rules") }
            ids.formUnion(named.map(\.id))
        }
        return all.filter { ids.contains($0.id) }
    }
}

// SPDX-License-Identifier: MIT
import FuzzSupport

/// `fuzz [--count N] [--seed S] [--only name]`: runs every parser of network data on mutated inputs.
@main
enum FuzzCommand {
    static func main() {
        let sockets = [FramingFuzzer.parsing, FramingFuzzer.encoding, WireIntegerFuzzer.fuzzer]
        var http: [Fuzzer] = []
        #if HTTP
            http.append(HTTPFuzzer.fuzzer)
        #endif
        FuzzProgram.run(sockets + [RequestFuzzer.fuzzer, ReplyFuzzer.fuzzer] + NATSFuzzers.all + http)
    }
}

// SPDX-License-Identifier: MIT
import FuzzSupport

/// `fuzz [--count N] [--seed S] [--only name]`: runs every parser of network data on mutated inputs.
@main
enum FuzzCommand {
    static func main() {
        let sockets = [FramingFuzzer.parsing, FramingFuzzer.encoding, WireIntegerFuzzer.fuzzer]
        #if HTTP
            let http = [HTTPFuzzer.fuzzer]
        #else
            let http: [Fuzzer] = []
        #endif
        FuzzProgram.run(sockets + [RequestFuzzer.fuzzer, ReplyFuzzer.fuzzer] + NATSFuzzers.all + http)
    }
}

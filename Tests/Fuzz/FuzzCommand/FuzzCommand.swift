import FuzzSupport

/// `fuzz [--count N] [--seed S] [--only name]`: every parser of network data on spoiled inputs.
@main
enum FuzzCommand {
    static func main() {
        FuzzProgram.run([FramingFuzzer.parsing, FramingFuzzer.encoding, WireIntegerFuzzer.fuzzer] + NATSFuzzers.all)
    }
}

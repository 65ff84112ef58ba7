// SPDX-License-Identifier: MIT
import ReactiveSimulation
import Testing

@Suite struct RandomTests {
    @Test("A seed gives the published numbers of SplitMix64")
    func published() {
        var random = SimulationRandom(seed: 0)
        #expect(random.next() == 0xE220_A839_7B1D_CDAF)
        #expect(random.next() == 0x6E78_9E6A_A1B9_65F4)
    }
}

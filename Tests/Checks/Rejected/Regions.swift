// SPDX-License-Identifier: MIT
import ReactiveSignals

final class Draft {
    var text = ""
}

// The compiler detects this error only when it generates code, not when it only checks types.
@MainActor
func tasks(_ names: Signal<String, Never>, _ draft: Draft) {
    Task.detached {  // rejected: passing closure as a 'sending' parameter risks causing data races
        for await name in names.values { draft.text = name }
    }
}

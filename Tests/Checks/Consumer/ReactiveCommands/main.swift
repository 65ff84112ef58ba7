import ReactiveCommands
import ReactiveSignals

let text = Property("")
let copy = Command<Int, String, Never>(state: text.readOnly, enabledIf: { !$0.isEmpty }) { text, count in
    .just(String(repeating: text, count: count))
}
print(copy.isEnabled.value)  // Prints "false".
text.value = "ab"
print(copy.isEnabled.value)  // Prints "true".
copy.execute(2).subscribe(onValue: { print($0) }, onTermination: { print($0) })  // Prints "abab", "completed".

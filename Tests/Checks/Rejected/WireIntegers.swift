// SPDX-License-Identifier: MIT
import ReactiveSockets

func unchecked(_ length: WireInteger, _ room: Int, _ buffer: [UInt8]) {
    _ = room - length  // rejected: cannot convert value of type 'WireInteger' to expected argument type 'Int'
    _ = length + 8  // rejected: cannot convert value of type 'WireInteger' to expected argument type 'Int'
    _ = Int(length)  // rejected: no exact matches in call to initializer
    _ = buffer[length]  // rejected: no exact matches in call to subscript
    _ = buffer.prefix(length)  // rejected: cannot convert value of type 'WireInteger' to expected argument type 'Int'
    let count: Int = length  // rejected: cannot convert value of type 'WireInteger' to specified type 'Int'
    _ = count
}

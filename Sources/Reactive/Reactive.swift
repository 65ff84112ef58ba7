// SPDX-License-Identifier: MIT
// The umbrella module: one import for programs that use signals, sockets and commands. It declares nothing itself.
@_exported public import ReactiveCommands
@_exported public import ReactiveCore
@_exported public import ReactiveSignals
@_exported public import ReactiveSockets

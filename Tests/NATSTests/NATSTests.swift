// SPDX-License-Identifier: MIT
#if NATS
    import Testing

    /// Tests with Debian's nats-server, which `make test-nats` installs. They run one at a time: each starts its own
    /// server, and some send a million messages.
    @Suite(.serialized) struct NATSTests {}
#endif

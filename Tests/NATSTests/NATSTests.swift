#if NATS
    import Testing

    /// Against Debian's nats-server; `make test-nats` installs what they need. One after the other: each has a server of its own, and
    /// some move a million messages.
    @Suite(.serialized) struct NATSTests {}
#endif

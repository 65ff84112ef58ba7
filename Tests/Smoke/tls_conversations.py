# SPDX-License-Identifier: MIT
"""Conversations with PyPI's tlslite-ng: versions, fragments, alerts, KeyUpdate and malformed records, as client and as server.

    .build/tls-python/bin/python Tests/Smoke/tls_conversations.py [LOOP ...]

Each conversation states what RFC 5246 or RFC 8446 requires. DEVIATIONS lists where OpenSSL answers otherwise, and why that is
harmless; Docs/TLS.md repeats the list. A new deviation fails, and so does one that no longer occurs.
"""
import socket
import sys
import threading

from tlslite.messages import Alert, ClientHello, KeyUpdate
from tlslite.constants import AlertDescription as A
from tlslite.constants import AlertLevel
from tlslite.errors import TLSAbruptCloseError, TLSRemoteAlert

import report
from server import Failed, expect
from tls_clients import tls_echo
from tls_lite import DATA, HANDSHAKE, Hello, Lite, answer, certificate, dial, hello, raw_answer, raw_end, settings
from tls_peer import file
from tls_servers import client

VERSIONS = ["1.2", "1.3"]
TEXT = bytes(range(256)) * 4
CHANGE_CIPHER_SPEC = 20

# The conversation, what happens, and the reason.
DEVIATIONS = {
    "TLS 1.2: an alert in two records": (A.unexpected_message, "RFC 5246 allows it, and RFC 8446 forbids it"),
    "an alert instead of a hello": (A.unexpected_message, "no alert needs an answer"),
    "close_notify instead of a hello": (A.unexpected_message, "no alert needs an answer"),
    "KeyUpdate with two bytes": (A.illegal_parameter, "the length is checked before the contents"),
    "TLS 1.2: an encrypted record that is empty": (A.internal_error, "the alert has another number"),
    "TLS 1.3: a record of another version": (A.decode_error, "no implementation sends such a record"),
    "no ciphers": (A.illegal_parameter, "the alert has another number"),
    "an empty name of the server": ("handshake 2", "the empty name counts as no name"),
}


def check(name, body):
    """As in report, but every error of tlslite is a failure too."""
    def checked():
        try:
            return body()
        except (Failed, OSError):
            raise
        except Exception as error:
            raise Failed(f"{type(error).__name__}: {error}") from error
    report.check(name, checked)


def outcome(name, found, required):
    """The peer must do what the RFC requires, or what DEVIATIONS says."""
    required = required if isinstance(required, tuple) else (required,)
    if name in DEVIATIONS:
        expect(found == DEVIATIONS[name][0], f"{found}: the deviation is {DEVIATIONS[name][0]}")
        return f"deviation: {found}, not {required}"
    expect(found in required, f"{found}, not {required}")
    return f"{found}"


class Conversations:
    """Conversations with one server."""

    def __init__(self, loop, server):
        self.loop, self.server = loop, server

    def works(self, name, chosen, prepare=lambda lite: None, data=TEXT, after=lambda lite: None):
        """The handshake succeeds, bytes return, and both sides end with close_notify."""
        def talk():
            with dial(self.server) as lite:
                prepare(lite)
                lite.greet(chosen)
                after(lite)
                lite.exchange(data)
                lite.finish()
        check(f"{self.loop}: {name}", talk)

    def ends(self, name, required, body, chosen=None, greet=True):
        """The server ends the conversation as required, and serves the next client."""
        def talk():
            with dial(self.server) as lite:
                def all_of_it(lite):
                    if greet:
                        lite.greet(chosen)
                        lite.exchange(b"first")
                    body(lite)
                found = answer(lite, all_of_it)
            with dial(self.server) as other:
                other.greet().exchange(b"another")
            return outcome(name, found, required)
        check(f"{self.loop}: {name}", talk)

    def hello(self, name, required, change, chosen=None):
        """The server answers a changed hello as required."""
        def talk():
            changed = Hello(hello(self.server, chosen))
            data = change(changed) or changed.record()
            return outcome(name, raw_answer(self.server, data), required)
        check(f"{self.loop}: {name}", talk)

    # Versions

    def versions(self):
        for version in VERSIONS:
            self.works(f"TLS {version}", settings(version))
        self.works("TLS 1.0 to 1.3 are offered", settings("1.3", lowest="1.0"))
        for version in ["1.0", "1.1"]:
            self.ends(f"only TLS {version} is offered", A.protocol_version, lambda lite: lite.greet(settings(version)), greet=False)
        self.ends("TLS 1.2 with the SCSV of a fallback", A.inappropriate_fallback,
                  lambda lite: lite.greet(settings("1.2", sendFallbackSCSV=True)), greet=False)
        self.works("no key share, so the server asks for one", settings("1.3", keyShares=[]))
        for group in ["secp256r1", "secp384r1", "x25519"]:
            self.works(f"TLS 1.3 with {group}", settings("1.3", eccCurves=[group], keyShares=[group], dhGroups=[]))
        for group in ["secp521r1", "x448"]:
            chosen = settings("1.3", eccCurves=[group], keyShares=[group], dhGroups=[])
            self.ends(f"TLS 1.3 with {group}", A.handshake_failure, lambda lite: lite.greet(chosen), greet=False)
        self.works("no extended master secret", settings("1.2", useExtendedMasterSecret=False))
        self.works("no encrypt-then-MAC", settings("1.2", useEncryptThenMAC=False))
        self.hello("unknown versions, ciphers and extensions (GREASE, RFC 8701)", "handshake 2", self.grease)
        self.hello("only unknown versions", A.protocol_version, lambda hello: hello.put(43, b"\x04\x5a\x5a\x7f\x7f"))
        self.hello("no cipher in common", A.handshake_failure, lambda hello: setattr(hello, "ciphers", b"\x00\x2f\x5a\x5a"))

    @staticmethod
    def grease(hello):
        hello.put(43, b"\x06\x5a\x5a\x7f\x7f\x03\x04")
        hello.extensions.insert(0, (0x5A5A, b"xyz"))
        hello.ciphers = b"\x5a\x5a" + hello.ciphers

    # Fragments

    def fragments(self):
        def single(lite):
            lite.wire.single = True

        def short(size):
            return lambda lite: setattr(lite, "recordSize", size)

        for version in VERSIONS:
            self.works(f"TLS {version}: each byte arrives alone", settings(version), single, TEXT[:300])
            for size in [1, 2, 5, 100]:
                self.works(f"TLS {version}: records of {size} bytes", settings(version), short(size))
            self.works(f"TLS {version}: records of 1 byte, and each byte arrives alone", settings(version),
                       lambda lite: (single(lite), short(1)(lite)), TEXT[:200])
            self.coalesced(version)
            self.ends(f"TLS {version}: 20 empty records", "close_notify",
                      lambda lite: ([lite.message(DATA, b"") for _ in range(20)], lite.exchange(TEXT), lite.finish()),
                      settings(version))
            self.ends(f"TLS {version}: 33 empty records", A.unexpected_message,
                      lambda lite: [lite.message(DATA, b"") for _ in range(33)], settings(version))

    def coalesced(self, version):
        """The last messages of the handshake, data and close_notify arrive in one segment."""
        def talk():
            with dial(self.server) as lite:
                # From the second flight of the client on, everything is kept back.
                flights = []

                def edit(data):
                    flights.append(data)
                    if len(flights) == 2 and lite.wire.kept is None and version == "1.3":
                        lite.wire.kept = b""
                    return data

                lite.wire.edit = edit
                lite.greet(settings(version))
                if lite.wire.kept is None:
                    lite.wire.kept = b""
                lite.write(b"one ")
                lite.write(b"two")
                for _ in lite._sendMsg(Alert().create(A.close_notify, AlertLevel.warning)):
                    pass
                lite.wire.release()
                back = b""
                while chunk := lite.read(min=1):
                    back += chunk
                allowed = [b"one two"] if version == "1.3" else [b"one two", b"one ", b""]
                expect(back in allowed, f"{back}")
        check(f"{self.loop}: TLS {version}: the end of the handshake, data and close_notify in one segment", talk)

    # Alerts

    def alerts(self):
        def send(level, description):
            return lambda lite: lite.message(21, bytes([level, description]))

        for version in VERSIONS:
            name = f"TLS {version}"
            chosen = settings(version)
            self.ends(f"{name}: a fatal alert", ("end", "reset"), send(2, A.internal_error), chosen)
            self.ends(f"{name}: a warning that is unknown",
                      ("end", "reset", "close_notify"),
                      lambda lite: (send(1, 200)(lite), lite.finish()), chosen)
            self.ends(f"{name}: user_canceled, then close_notify", "close_notify",
                      lambda lite: (send(1, A.user_canceled)(lite), lite.message(21, bytes([1, 0]))), chosen)
            self.ends(f"{name}: an alert of one byte", (A.decode_error, A.unexpected_message), lambda lite: lite.message(21, b"\x02"), chosen)
            self.ends(f"{name}: an alert of an unknown level", (A.illegal_parameter, A.decode_error, "end"), send(3, A.internal_error), chosen)
            self.ends(f"{name}: no close_notify", ("end", "reset"),
                      lambda lite: lite.wire.plain.shutdown(socket.SHUT_WR), chosen)
            self.ends(f"{name}: an alert in two records", A.unexpected_message if version == "1.3" else ("end", "reset"),
                      lambda lite: (lite.message(21, b"\x02"), lite.message(21, b"\x50")), chosen)
            # OpenSSL ends a connection after the fifth warning, as RFC 9325 recommends for floods.
            self.ends(f"{name}: five warnings", (A.unexpected_message, "end"),
                      lambda lite: [send(1, A.user_canceled)(lite) for _ in range(5)], chosen)
        self.hello("an alert instead of a hello", ("end", "reset"), lambda hello: b"\x15\x03\x01\x00\x02\x02\x50")
        self.hello("close_notify instead of a hello", ("end", "reset", A.close_notify), lambda hello: b"\x15\x03\x01\x00\x02\x01\x00")

    # KeyUpdate

    def key_updates(self):
        def update(kind):
            return lambda lite: (lite.message(HANDSHAKE, KeyUpdate().create(kind).write()), rekey(lite))

        def rekey(lite):
            session = lite.session
            session.cl_app_secret, session.sr_app_secret = lite._recordLayer.calcTLS1_3KeyUpdate_reciever(
                session.cipherSuite, session.cl_app_secret, session.sr_app_secret)

        self.works("KeyUpdate", settings(), after=update(0))
        self.works("KeyUpdate that requests one", settings(), after=update(1))
        self.works("100 KeyUpdates with data between them", settings(),
                   after=lambda lite: [(update(number % 2)(lite), lite.exchange(b"between")) for number in range(100)])
        self.works("KeyUpdate in records of 1 byte", settings(),
                   after=lambda lite: (setattr(lite, "recordSize", 1), list(lite.send_keyupdate_request(1))))
        self.unread_updates(update)
        self.ends("KeyUpdate with an unknown value", A.illegal_parameter, update(2))
        self.ends("KeyUpdate without a value", A.decode_error, lambda lite: lite.message(HANDSHAKE, b"\x18\x00\x00\x00"))
        self.ends("KeyUpdate with two bytes", A.decode_error, lambda lite: lite.message(HANDSHAKE, b"\x18\x00\x00\x02\x00\x00"))
        self.ends("KeyUpdate that is not at the end of its record", A.unexpected_message,
                  lambda lite: lite.message(HANDSHAKE, b"\x18\x00\x00\x01\x00" * 2))
        self.ends("KeyUpdate in TLS 1.2", A.unexpected_message, lambda lite: lite.message(HANDSHAKE, b"\x18\x00\x00\x01\x00"),
                  settings("1.2"))
        self.ends("KeyUpdate, then a record with the old keys", A.bad_record_mac,
                  lambda lite: (lite.message(HANDSHAKE, b"\x18\x00\x00\x01\x00"), lite.write(TEXT)))

    def unread_updates(self, update):
        """The client requests 2,000 KeyUpdates and sends data, but does not read. The server's memory stays bounded."""
        def talk():
            with dial(self.server) as warm:
                warm.greet().exchange(TEXT)
                warm.finish()
            with dial(self.server) as lite:
                lite.greet(settings())
                before = self.server.memory()
                for _ in range(2000):
                    update(1)(lite)
                    lite.write(b"a line")
                lite.wire.until_read()
                growth = self.server.memory() - before
                back = lite.read(max=12_000, min=12_000)
                expect(back == b"a line" * 2000, "other bytes came back")
                lite.finish()
            expect(growth < 4 << 20, f"memory grew by {growth} bytes")
            return f"memory +{growth // 1024} KiB"
        check(f"{self.loop}: 2,000 KeyUpdates of a client that does not read", talk)

    # Malformed records

    def records(self):
        def changed(place):
            def edit(data):
                data[place] ^= 1
                return data

            def body(lite):
                lite.wire.edit = edit
                lite.write(TEXT)
            return body

        def header(*front):
            def body(lite):
                lite.wire.edit = lambda data: bytes(front) + data[len(front):]
                lite.write(TEXT)
            return body

        for version in VERSIONS:
            name, chosen = f"TLS {version}", settings(version)
            for place, what in [(7, "the first bytes"), (600, "the middle"), (-1, "the last byte")]:
                self.ends(f"{name}: a record changed in {what}", A.bad_record_mac, changed(place), chosen)
            self.ends(f"{name}: a record sent twice", A.bad_record_mac,
                      lambda lite: (setattr(lite.wire, "edit", lambda data: data + data), lite.write(TEXT)), chosen)
            self.ends(f"{name}: an unknown type of record", (A.unexpected_message, A.bad_record_mac), header(99), chosen)
            self.ends(f"{name}: a record of heartbeat", A.unexpected_message, lambda lite: lite.message(24, b"\x01\x00\x00" + bytes(16)), chosen)
            # The version of a record must be ignored in TLS 1.3 (RFC 8446 section 5.1).
            self.ends(f"{name}: a record of another version", A.protocol_version if version == "1.2" else "close_notify",
                      lambda lite: (header(23, 3, 1)(lite), setattr(lite.wire, "edit", lambda data: data), lite.finish()), chosen)
            self.ends(f"{name}: a record with more than 16 KiB", A.record_overflow, lambda lite: lite.message(DATA, bytes(16385)), chosen)
            self.ends(f"{name}: a record with 40,000 bytes", A.record_overflow, lambda lite: lite.message(DATA, bytes(40_000)), chosen)
            self.ends(f"{name}: an encrypted record that is empty", (A.bad_record_mac, A.decode_error, A.unexpected_message),
                      lambda lite: lite.wire.plain.sendall(b"\x17\x03\x03\x00\x00"), chosen)
            self.ends(f"{name}: a record without its end", ("end", "reset"),
                      lambda lite: (lite.wire.plain.sendall(b"\x17\x03\x03\x01\x00short"),
                                    lite.wire.plain.shutdown(socket.SHUT_WR)), chosen)
            self.ends(f"{name}: plain text after the handshake", (A.unexpected_message, A.record_overflow, A.protocol_version, A.bad_record_mac, "end"),
                      lambda lite: lite.wire.plain.sendall(b"GET / HTTP/1.1\r\n\r\n"), chosen)
            self.ends(f"{name}: ChangeCipherSpec after the handshake", A.unexpected_message,
                      lambda lite: lite.message(CHANGE_CIPHER_SPEC, b"\x01"), chosen)
            self.ends(f"{name}: Finished after the handshake", A.unexpected_message,
                      lambda lite: lite.message(HANDSHAKE, b"\x14\x00\x00\x0c" + bytes(12)), chosen)
            self.ends(f"{name}: a handshake message of 16 MiB is announced", (A.unexpected_message, A.illegal_parameter, A.decode_error),
                      lambda lite: lite.message(HANDSHAKE, b"\x0b\xff\xff\xff" + bytes(100)), chosen)
        self.ends("TLS 1.3: a record of zeros only", A.unexpected_message,
                  lambda lite: (setattr(lite._recordLayer, "padding_cb", None), lite.message(0, b"")))
        self.works("TLS 1.3: records with padding", settings("1.3", padding_cb=lambda length, kind, most: min(1000, most)))
        self.ends("TLS 1.2: renegotiation", A.no_renegotiation, self.renegotiate, settings("1.2"))
        self.ends("TLS 1.3: a second hello", A.unexpected_message, self.renegotiate)

    @staticmethod
    def renegotiate(lite):
        again = ClientHello().create((3, 3), bytearray(32), bytearray(0), [0xC02B, 0xC02F, 0x1301])
        lite.message(HANDSHAKE, again.write())
        lite.exchange(b"still here")
        lite.finish()

    # Hellos

    def hellos(self):
        def twice(hello):
            hello.extensions.insert(0, hello.extensions[0])

        self.hello("a hello as it is", "handshake 2", lambda hello: None)
        self.hello("an extension twice", A.illegal_parameter, twice)
        self.hello("bytes after the extensions", A.decode_error, lambda hello: setattr(hello, "tail", b"x"))
        self.hello("no extensions", A.protocol_version, lambda hello: hello.extensions.clear() or setattr(hello, "version", b"\x03\x01"))
        self.hello("no key exchange groups", A.missing_extension, lambda hello: (hello.drop(10), None)[1])
        self.hello("no signature algorithms", A.missing_extension, lambda hello: (hello.drop(13), None)[1])
        self.hello("compression in TLS 1.3", A.illegal_parameter, lambda hello: setattr(hello, "compressions", b"\x01\x00"))
        self.hello("compression in TLS 1.2", "handshake 2", lambda hello: setattr(hello, "compressions", b"\x01\x00"), settings("1.2"))
        self.hello("only compression in TLS 1.2", (A.illegal_parameter, A.decode_error, A.handshake_failure), lambda hello: setattr(hello, "compressions", b"\x01"), settings("1.2"))
        self.hello("no compression method", A.decode_error, lambda hello: setattr(hello, "compressions", b""), settings("1.2"))
        self.hello("an odd number of bytes of ciphers", A.decode_error, lambda hello: setattr(hello, "ciphers", hello.ciphers + b"\x00"))
        self.hello("no ciphers", A.decode_error, lambda hello: setattr(hello, "ciphers", b""))
        self.hello("a session of 33 bytes", A.decode_error, lambda hello: setattr(hello, "session", bytes(33)))
        self.hello("a key share of the wrong length", A.illegal_parameter, lambda hello: hello.put(51, b"\x00\x0a\x00\x1d\x00\x06abcdef"))
        self.hello("a point that is not on the curve", A.illegal_parameter,
                   lambda hello: hello.put(51, b"\x00\x45\x00\x17\x00\x41\x04" + b"\x01" * 64))
        self.hello("an empty name of the server", (A.decode_error, A.illegal_parameter), lambda hello: hello.put(0, b"\x00\x03\x00\x00\x00"))
        self.hello("a message that is no hello", A.unexpected_message, lambda hello: b"\x16\x03\x01\x00\x04\x10\x00\x00\x00")
        self.hello("a hello whose length is 16 MiB", (A.illegal_parameter, A.decode_error, A.record_overflow),
                   lambda hello: b"\x16\x03\x01\x00\x10\x01\xff\xff\xff" + bytes(12))


class ServerConversations:
    """Conversations of our client with a server of tlslite."""

    def __init__(self, loop):
        self.loop = loop

    def talk(self, name, serve, says, status=1, arguments=(), required=None):
        """`serve` has the conversation, and returns what the client has done. The client prints this text."""
        def conversation():
            found = []
            with socket.create_server(("127.0.0.1", 0)) as listener:
                listener.settimeout(30)

                def accept():
                    with Lite(listener.accept()[0]) as lite:
                        try:
                            found.append(serve(lite))
                        except TLSRemoteAlert as alert:
                            found.append(alert.description)
                        except TLSAbruptCloseError:
                            found.append("end")
                        except ConnectionError:
                            found.append("reset")
                        except Exception as error:
                            found.append(f"{type(error).__name__}: {error}")

                thread = threading.Thread(target=accept)
                thread.start()
                try:
                    said = client(self.loop, listener.getsockname()[1], *arguments, status=status)
                finally:
                    thread.join()
            expect(said.startswith(says), f"the client says {said!r}, and did {found[0]}")
            result = outcome(name, found[0], required) if required is not None else f"{found[0]}"
            return f"{result}; {said.strip()}"
        check(f"{self.loop}: client: {name}", conversation)

    @staticmethod
    def greet(lite, version, key="server", **more):
        chain, private = certificate(key)
        lite.handshakeServer(certChain=chain, privateKey=private, settings=settings(version, **more))

    def all(self):
        for version in VERSIONS:
            self.successes(version)
            self.failures(version)
        self.talk("only TLS 1.1", lambda lite: self.greet(lite, "1.1", "rsa"), "Error: no common version: ")

    def successes(self, version):
        def echo(lite, prepare=lambda: None, after=lambda: None):
            prepare()
            self.greet(lite, version)
            lite.recordSize = min(lite.recordSize, 1 << 14)
            after()
            lite.exchange_back(300)
            lite.finish()
            return "fine"

        name = f"TLS {version}"
        arguments = ["--input", file("text"), "--count", "300"]
        says = f"received 300 bytes; {name}"
        with open(file("text"), "wb") as text:
            text.write(TEXT[:300])

        def simple(what, prepare=lambda lite: None, after=lambda lite: None):
            self.talk(f"{name}: {what}", lambda lite: echo(lite, lambda: prepare(lite), lambda: after(lite)), says, status=0,
                      arguments=arguments, required="fine")

        simple("echo")
        simple("each byte arrives alone", lambda lite: setattr(lite.wire, "single", True))
        for size in [1, 2, 100]:
            simple(f"records of {size} bytes", lambda lite: setattr(lite, "recordSize", size))
        if version == "1.3":
            simple("KeyUpdate", after=lambda lite: list(lite.send_keyupdate_request(0)))
            simple("KeyUpdate that requests one", after=lambda lite: list(lite.send_keyupdate_request(1)))

    def failures(self, version):
        def after(body):
            def serve(lite):
                self.greet(lite, version)
                return answer(lite, body)
            return serve

        def changed(number):
            """Changes the last byte of the server's flight with this number."""
            def serve(lite):
                flights = []

                def edit(data):
                    flights.append(data)
                    if len(flights) == number:
                        data[-1] ^= 1
                    return data

                lite.wire.edit = edit
                return answer(lite, lambda lite: self.greet(lite, version))
            return serve

        name = f"TLS {version}"
        only = ["--version", version]
        self.talk(f"{name}: a fatal alert", after(lambda lite: lite.message(21, b"\x02\x50")),
                  "Error: alert: the peer refused", required=("end", "reset"), arguments=only)
        self.talk(f"{name}: a fatal alert instead of a hello", self.plain(b"\x15\x03\x03\x00\x02\x02\x28"),
                  "Error: alert: ", required=("end", "reset"), arguments=only)
        self.talk(f"{name}: plain text", self.plain(b"HTTP/1.1 400 Bad Request\r\n\r\n"), "Error: not TLS: ",
                  required=(A.protocol_version, A.unexpected_message, "end", "reset"), arguments=only)
        self.talk(f"{name}: no close_notify", after(lambda lite: lite.wire.plain.shutdown(socket.SHUT_WR)),
                  "Error: truncated: ", arguments=only)
        self.talk(f"{name}: a changed record",
                  after(lambda lite: (setattr(lite.wire, "edit", lambda data: data[:-1] + bytes([data[-1] ^ 1])), lite.write(TEXT))),
                  "Error: bad record: ", required=A.bad_record_mac, arguments=only)
        self.talk(f"{name}: a record with more than 16 KiB", after(lambda lite: lite.message(DATA, bytes(16385))),
                  "Error: record too large: ", required=A.record_overflow, arguments=only)
        self.talk(f"{name}: the handshake ends in a hello",
                  lambda lite: (lite.wire.plain.recv(5000), lite.wire.plain.sendall(b"\x16\x03\x03\x00\x40\x02\x00\x00\x3c\x03"))[0] and "ended",
                  "Error: truncated: ", arguments=only)
        self.talk(f"{name}: a wrong key of the certificate", lambda lite: self.wrong_key(lite, version),
                  "Error: ", required=A.decrypt_error, arguments=only)
        cipher, extension = (b"\x00\x2f", b"\x00\x00") if version == "1.2" else (b"\x13\x05", b"\x00\x06\x00\x2b\x00\x02\x03\x04")
        hello = b"\x03\x03" + bytes(32) + b"\x00" + cipher + b"\x00" + extension
        message = b"\x02" + len(hello).to_bytes(3) + hello
        self.talk(f"{name}: a cipher that was not offered", self.plain(b"\x16\x03\x03" + len(message).to_bytes(2) + message),
                  "Error: malformed: ", required=A.illegal_parameter, arguments=only)

    @staticmethod
    def plain(data):
        """The server answers the hello with these bytes."""
        def serve(lite):
            lite.wire.plain.recv(5000)
            lite.wire.plain.sendall(data)
            return raw_end(lite.wire.plain)
        return serve

    @staticmethod
    def wrong_key(lite, version):
        """The server signs with another key than that of its certificate."""
        chain, _ = certificate("server")
        _, private = certificate("client")
        return answer(lite, lambda lite: lite.handshakeServer(certChain=chain, privateKey=private, settings=settings(version)))


def main():
    loops = sys.argv[1:] or ["dispatch", "libuv", "libevent"]
    for loop in loops:
        with tls_echo(loop) as server:
            all_of_them = Conversations(loop, server)
            for part in ["versions", "fragments", "alerts", "key_updates", "records", "hellos"]:
                getattr(all_of_them, part)()
        ServerConversations(loop).all()
    return report.totals()


if __name__ == "__main__":
    sys.exit(main())

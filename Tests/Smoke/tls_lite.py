# SPDX-License-Identifier: MIT
"""Peers of PyPI's tlslite-ng that send what no ordinary peer sends: changed records, strange messages, one byte at a time."""
import socket
import struct
import sys
import time

from tlslite.api import HandshakeSettings, TLSConnection, X509, X509CertChain, parsePEMKey
from tlslite.errors import TLSAbruptCloseError, TLSRemoteAlert
from tlslite.messages import Message

from server import Failed, expect
from tls_peer import file

NUMBERS = {"1.0": (3, 1), "1.1": (3, 2), "1.2": (3, 3), "1.3": (3, 4)}
ALERT, HANDSHAKE, DATA = 21, 22, 23


def settings(version="1.3", lowest=None, **more):
    """The settings of one version, or of several."""
    result = HandshakeSettings()
    result.minVersion, result.maxVersion = NUMBERS[lowest or version], NUMBERS[version]
    result.versions = [number for number in result.versions if result.minVersion <= number <= result.maxVersion]
    result.eccCurves = [name for name in result.eccCurves if not name.startswith("brainpool")]
    for name, value in more.items():
        setattr(result, name, value)
    return result


def unread(plain):
    """The number of bytes that the peer of this IPv4 connection has not read: a request of sock_diag(7). 0 if it has closed."""
    (here, port), (there, other) = plain.getsockname(), plain.getpeername()
    request = struct.pack("=IHHII", 72, 20, 1, 0, 0) + struct.pack("=BBBBI", socket.AF_INET, socket.IPPROTO_TCP, 0, 0, 0xFFFFFFFF)
    request += struct.pack(">HH", other, port) + socket.inet_aton(there).ljust(16, b"\0") + socket.inet_aton(here).ljust(16, b"\0")
    request += struct.pack("=III", 0, 0xFFFFFFFF, 0xFFFFFFFF)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as kernel:
        kernel.send(request)
        answer = kernel.recv(4096)
    return int.from_bytes(answer[72:76], sys.byteorder) if int.from_bytes(answer[4:6], sys.byteorder) == 20 else 0


class Wire:
    """The socket below a tlslite connection. It can change what is sent, send single bytes, or keep bytes back."""

    def __init__(self, plain):
        self.plain = plain
        plain.settimeout(30)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.edit = lambda data: data
        self.single = False
        self.kept = None

    def send(self, data):
        self.sendall(data)
        return len(data)

    def sendall(self, data):
        data = bytes(self.edit(bytearray(data)))
        if self.kept is not None:
            self.kept += data
        elif self.single:
            for place in range(len(data)):
                self.plain.sendall(data[place:place + 1])
                self.until_read()
        else:
            self.plain.sendall(data)

    def until_read(self):
        """Waits until the peer, which is on this machine, has read everything."""
        end = time.monotonic() + 20
        while unread(self.plain):
            expect(time.monotonic() < end, "the peer does not read")

    def release(self):
        """Sends the bytes that were kept back, in one call."""
        kept, self.kept = self.kept, None
        self.plain.sendall(bytes(kept))

    def __getattr__(self, name):
        return getattr(self.plain, name)


class Lite(TLSConnection):
    """A connection of tlslite, with messages that its API does not offer."""

    def __init__(self, plain):
        self.wire = Wire(plain)
        super().__init__(self.wire)
        self.ignoreAbruptClose = False

    def greet(self, chosen=None, **more):
        self.handshakeClientCert(settings=chosen or settings(), serverName="localhost", **more)
        return self

    def message(self, kind, data):
        """Sends a message as it is, in one record."""
        for _ in self._recordLayer.sendRecord(Message(kind, bytearray(data))):
            pass
        self.sock.flush()

    def exchange(self, data):
        self.write(data)
        back = self.read(max=len(data), min=len(data))
        expect(back == data, f"{len(back)} of {len(data)} bytes came back, or others")

    def exchange_back(self, count):
        """Returns so many bytes to the peer."""
        self.write(self.read(max=count, min=count))

    def finish(self):
        """Both sides send close_notify, in one record each."""
        self.recordSize = 1 << 14
        self.closeSocket = False
        self.close()
        self.wire.plain.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.wire.plain.close()


def dial(server):
    return Lite(socket.create_connection(server.address, timeout=30))


def certificate(name):
    """The chain and key of a certificate of the test CA."""
    chain, identity = X509CertChain(), X509()
    with open(file(f"{name}.pem"), encoding="ascii") as text:
        identity.parse(text.read())
    chain.x509List = [identity]
    with open(file(f"{name}.key"), encoding="ascii") as text:
        return chain, parsePEMKey(text.read(), private=True)


def answer(lite, body):
    """What the peer does to the conversation: the description of its fatal alert, "close_notify", "end" or "reset"."""
    try:
        body(lite)
        while lite.read(min=1):
            pass
        return "close_notify"
    except TLSRemoteAlert as alert:
        return alert.description
    except TLSAbruptCloseError:
        return "end"
    except (ConnectionResetError, BrokenPipeError):
        return "reset"


def raw_answer(server, data):
    """The description of the alert that the server sends in plain text, or the type of its first handshake message."""
    with socket.create_connection(server.address, timeout=20) as peer:
        peer.sendall(data)
        return raw_end(peer)


def raw_end(peer):
    """What arrives until the end: an alert's description, "handshake" and the type of a message, "end" or "reset"."""
    heard = b""
    try:
        while chunk := peer.recv(65536):
            heard += chunk
            if heard[0] == HANDSHAKE and len(heard) > 5:
                return f"handshake {heard[5]}"
    except ConnectionResetError:
        if not heard:
            return "reset"
    if not heard:
        return "end"
    expect(heard[0] == ALERT, f"a record of type {heard[0]}")
    return heard[6]


def hello(server, chosen=None):
    """The record with the hello that tlslite would send."""
    class Caught(Exception):
        pass

    def catch(data):
        raise Caught(bytes(data))

    with dial(server) as lite:
        lite.wire.edit = catch
        try:
            lite.greet(chosen)
        except Caught as caught:
            return caught.args[0]
    raise Failed("tlslite sent no hello")


class Hello:
    """A hello whose parts can be changed."""

    def __init__(self, record):
        body = record[9:]
        self.version, self.random = body[:2], body[2:34]
        place = 34

        def vector(size):
            nonlocal place
            count = int.from_bytes(body[place:place + size])
            found = body[place + size:place + size + count]
            place += size + count
            return found

        self.session, self.ciphers, self.compressions, rest = vector(1), vector(2), vector(1), vector(2)
        self.extensions, self.tail = [], b""
        while rest:
            count = int.from_bytes(rest[2:4])
            self.extensions.append((int.from_bytes(rest[:2]), rest[4:4 + count]))
            rest = rest[4 + count:]

    def put(self, kind, data):
        """Replaces an extension, or adds it. The key of a session must be the last one."""
        self.extensions = [each for each in self.extensions if each[0] != kind] + [(kind, data)]

    def drop(self, kind):
        self.extensions = [each for each in self.extensions if each[0] != kind]

    def record(self):
        extensions = b"".join(kind.to_bytes(2) + len(data).to_bytes(2) + data for kind, data in self.extensions)
        body = (self.version + self.random + bytes([len(self.session)]) + self.session + len(self.ciphers).to_bytes(2)
                + self.ciphers + bytes([len(self.compressions)]) + self.compressions + len(extensions).to_bytes(2) + extensions
                + self.tail)
        message = b"\x01" + len(body).to_bytes(3) + body
        return b"\x16\x03\x01" + len(message).to_bytes(2) + message

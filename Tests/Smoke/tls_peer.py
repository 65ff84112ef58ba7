# SPDX-License-Identifier: MIT
"""A TLS client of Python's ssl module in memory, so that each record can be sent, kept back or split."""
import socket
import ssl

from server import ROOT, expect

CERTIFICATES = ROOT / ".build/certificates"


def file(name):
    return str(CERTIFICATES / name)


def settings(version=None, client=None, ciphers=None, trust="ca.pem"):
    """A context that trusts the test CA, with the only version "1.2" or "1.3", and a client certificate."""
    context = ssl.create_default_context(cafile=file(trust))
    if version:
        number = ssl.TLSVersion.TLSv1_2 if version == "1.2" else ssl.TLSVersion.TLSv1_3
        context.minimum_version = context.maximum_version = number
    if client:
        context.load_cert_chain(file(f"{client}.pem"), file(f"{client}.key"))
    if ciphers:
        context.set_ciphers(ciphers)
    return context


class Peer:
    """A client's connection."""

    def __init__(self, server, context, session=None, name="localhost"):
        self.socket = socket.create_connection(server.address, timeout=30)
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.incoming, self.outgoing, server_hostname=name, session=session)
        self.ended = False

    def flush(self):
        if data := self.outgoing.read():
            self.socket.sendall(data)

    def feed(self):
        """Waits for bytes of the server."""
        data = self.socket.recv(1 << 18)
        if data:
            self.incoming.write(data)
        else:
            self.incoming.write_eof()

    def until_done(self, call):
        """Calls until OpenSSL needs no more bytes."""
        while True:
            try:
                result = call()
                self.flush()
                return result
            except ssl.SSLWantReadError:
                self.flush()
                self.feed()
            except ssl.SSLError:
                self.flush()
                raise

    def handshake(self):
        self.until_done(self.tls.do_handshake)
        return self

    def read(self, size=1 << 18):
        """The next bytes. Empty after close_notify."""
        try:
            return self.until_done(lambda: self.tls.read(size))
        except ssl.SSLZeroReturnError:
            return b""

    def exchange(self, data, at_a_time=1 << 17):
        """Sends, and reads the same bytes back."""
        back = bytearray()
        for start in range(0, len(data), at_a_time):
            part = data[start:start + at_a_time]
            self.tls.write(part)
            self.flush()
            while len(back) < start + len(part):
                chunk = self.read()
                expect(chunk, f"the stream ended after {len(back)} of {len(data)} bytes")
                back += chunk
        expect(back == data, "other bytes came back")

    def finish(self):
        """Sends close_notify. The other direction stays open."""
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.flush()

    def rest(self):
        """Everything until the server's close_notify. A stream that ends without it raises an error."""
        back = bytearray()
        while chunk := self.read():
            back += chunk
        return bytes(back)

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.close()

# SPDX-License-Identifier: MIT
"""Runs a server of the examples as a child process, and reads its statistics from the system."""
import contextlib
import os
import random
import re
import resource
import select
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BINARIES = Path(os.environ.get("SMOKE_BINARIES", ROOT / "Examples/.build/release"))


class Failed(Exception):
    """A failed check. The text describes the failure."""


def expect(condition, text):
    if not condition:
        raise Failed(text)


@contextlib.contextmanager
def serving(handle):
    """The port of a server in this process, which calls `handle` with one connection at a time."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection:
                        handle(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield str(listener.getsockname()[1])


class Server:
    """Runs a server on a port that the system chooses, and that the server's first line names."""

    def __init__(self, program, *arguments, descriptor_limit=None):
        def prepare():
            # A shell ignores SIGINT in background processes, and the server would inherit that.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            if descriptor_limit:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptor_limit, descriptor_limit))

        self.process = subprocess.Popen(
            [BINARIES / program, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=prepare,
        )
        ready, _, _ = select.select([self.process.stdout], [], [], 60)
        self.first_line = self.process.stdout.readline() if ready else ""
        found = re.search(r"(?:listening on|receiving at) (\S+):(\d+)", self.first_line)
        if not found:
            self.process.kill()
            raise Failed(f"{program} did not say where it listens: {self.first_line!r} {self.process.communicate()}")
        self.host = found[1].strip("[]")
        self.port = int(found[2])

    @property
    def address(self):
        return (self.host, self.port)

    def memory(self, kind="RssAnon"):
        """The resident anonymous memory in bytes, without the pages of the program file. With "VmRSS", all resident memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{kind}:\s+(\d+) kB", status)[1]) * 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor_time(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def settles_at(self, descriptors, within=60):
        """Waits until the server holds at most this many descriptors, because closed peers take a moment."""
        end = time.monotonic() + within
        while self.descriptors() > descriptors:
            expect(time.monotonic() < end, f"the server holds {self.descriptors()} descriptors, not {descriptors}")
            time.sleep(0.02)

    def returns_to(self, memory, within=10):
        """Waits until at most this many bytes are resident, because the server returns freed memory some seconds later."""
        end = time.monotonic() + within
        while (resident := self.memory("VmRSS")) > memory:
            expect(time.monotonic() < end, f"{resident >> 10} KiB are resident after {within} s, not {memory >> 10} KiB")
            time.sleep(0.1)

    def stop(self):
        """Ends the server with SIGTERM. Returns its output after the first line."""
        expect(self.process.poll() is None, f"the server has ended by itself: {self.process.poll()}")
        self.process.send_signal(signal.SIGTERM)
        try:
            output, errors = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failed("the server did not end within 60 s of SIGTERM")
        expect(self.process.returncode == 0, f"the server ended with {self.process.returncode}: {errors}")
        expect(errors == "", f"the server printed errors: {errors}")
        return output

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if self.process.poll() is None:
            if kind is None:
                self.stop()
            else:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()


class Peak:
    """Samples the server's memory until the block ends."""

    def __init__(self, server):
        self.server, self.over = server, threading.Event()
        self.before = self.peak = server.memory()

    def watch(self):
        while not self.over.wait(0.01):
            self.peak = max(self.peak, self.server.memory())

    def __enter__(self):
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()
        self.peak = max(self.peak, self.server.memory())


def free_port():
    """A TCP port of loopback that nothing uses. It is below those that the system gives to other sockets."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", random.randrange(10_000, lowest) if lowest > 11_000 else 0))
            return probe.getsockname()[1]


@contextlib.contextmanager
def started(command, port):
    """Runs a program of another project, which listens on a port of loopback. It ends with the block."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 60
        while True:
            expect(process.poll() is None, f"{command[0]} has ended with {process.poll()}")
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            expect(time.monotonic() < end, f"{command[0]} does not listen")
            time.sleep(0.05)
        yield process
    finally:
        process.terminate()
        process.wait()


def head_of(server, request):
    """The head of the response to a request that http.client does not send."""
    with socket.create_connection(server.address, timeout=60) as connection:
        connection.sendall(request)
        head = b""
        while b"\r\n\r\n" not in head and (part := connection.recv(65536)):
            head += part
        return head.partition(b"\r\n\r\n")[0].decode()

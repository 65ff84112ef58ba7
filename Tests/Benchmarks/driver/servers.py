# SPDX-License-Identifier: MIT
"""Servers that are started for one measurement, and the load on them."""
import contextlib
import os
import re
import subprocess
import sys
import time

import places
from model import OURS

# Each is (command, whether it prints its port).
_port = [17000]


class Failed(Exception):
    """A server that does not serve, or a load that fails."""


def next_port():
    _port[0] += 1
    return _port[0]


def echo_servers(threads=1):
    ours = [places.swift("reactive-bench"), "echo", "--threads", str(threads)]
    return {
        "c-epoll": ([places.c("epoll_echo"), "{port}", "lt"], False),
        "c-libuv": ([places.c("uv_echo"), "{port}", "poll"], False),
        "c-libevent": ([places.c("lev_echo"), "{port}", "raw"], False),
        "nio": ([places.swift("nio-bench"), "echo", "--threads", str(threads)], True),
        "dispatch": ([*ours, "--loop", "dispatch"], True),
        "libuv": ([*ours, "--loop", "libuv"], True),
        "libevent": ([*ours, "--loop", "libevent"], True),
        "guest": ([*ours, "--loop", "dispatch", "--host", "dispatchMain"], True),
    }


def spinning_servers():
    """Our servers, each of which busy-polls for a millisecond before it blocks."""
    ours = [places.swift("reactive-bench"), "echo", "--spin", "1000"]
    return {f"{who} spinning": ([*ours, "--loop", who], True) for who in OURS}


# Runs a program without huge pages, because one of them is as large as thousands of connections: `prctl(PR_SET_THP_DISABLE, 1)`.
SMALL_PAGES = [
    sys.executable,
    "-c",
    "import ctypes, os, sys; ctypes.CDLL(None).prctl(41, 1, 0, 0, 0); os.execvp(sys.argv[1], sys.argv[1:])",
]


class Server:
    """A server that runs during the `with`. `around` is put before its command: strace, valgrind."""

    def __init__(self, command, says_port, cpu=0, around=(), environment=None):
        self.port = next_port()
        command = [part.format(port=self.port) for part in command]
        self.says_port = says_port
        self.has_child = bool(around) and around[0] == "strace"
        self.command = places.bound([*around, *command], cpu)
        self.environment = environment

    def __enter__(self):
        output = subprocess.PIPE if self.says_port else subprocess.DEVNULL
        self.process = subprocess.Popen(
            self.command, stdout=output, text=True, env={**os.environ, **(self.environment or {})}
        )
        if self.says_port:
            line = self.process.stdout.readline()
            found = re.search(r":(\d+),", line)
            if not found:
                self.process.kill()
                self.process.wait()
                raise Failed(f"{' '.join(self.command)} does not listen: {line!r}")
            self.port = int(found.group(1))
        return self

    @property
    def pid(self):
        if not self.has_child:
            return self.process.pid
        # strace takes a moment to start it.
        for _ in range(500):
            with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
                found = children.read().split()
            if found:
                return int(found[0])
            time.sleep(0.01)
        raise Failed(f"{' '.join(self.command)} has started nothing")

    def __exit__(self, *_):
        try:
            os.kill(self.pid, 15)
        except (ProcessLookupError, FileNotFoundError, Failed):
            pass
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def load(server, arguments, cpu=1, timeout=120, program="load"):
    """Runs the load generator once, and returns its output as numbers."""
    command = _load_command(server, arguments, program)
    run = subprocess.run(places.bound(command, cpu), capture_output=True, text=True, timeout=timeout)
    if run.returncode != 0:
        raise Failed(f"{' '.join(command)}, against {' '.join(server.command)}: {run.stderr.strip() or run.returncode}")
    return _numbers(run.stdout)


def load_between(server, arguments, look, cpu=1, program="load"):
    """Also returns how much the value of `look()` grew during the measurement, while all connections exist."""
    command = _load_command(server, [*arguments, "-H"], program)
    with subprocess.Popen(places.bound(command, cpu), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        begin, before = run.stdout.readline(), look()
        line, after = run.stdout.readline(), look()
        run.stdin.close()
        if begin != "begin\n" or run.wait() != 0:
            raise Failed(f"{' '.join(command)}, against {' '.join(server.command)}: {run.returncode}")
    return _numbers(line), after - before


class Loaded:
    """A server with connections that send only in their turn, during the `with`."""

    def __init__(self, server, arguments, cpu=1, program="load"):
        self.server = server
        self.program = program
        self.arguments = arguments
        self.cpu = cpu

    def __enter__(self):
        with contextlib.ExitStack() as ends:
            ends.enter_context(self.server)
            self.command = places.bound(_load_command(self.server, [*self.arguments, "-T"], self.program), self.cpu)
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            ends.callback(self._end)
            self._read("ready")
            self.ends = ends.pop_all()
        return self

    def measure(self, seconds):
        try:
            self.process.stdin.write(f"{seconds}\n")
            self.process.stdin.flush()
        except OSError as error:
            raise self._failed(error) from None
        return _numbers(self._read("mode="))

    def _read(self, beginning):
        line = self.process.stdout.readline()
        if not line.startswith(beginning):
            raise self._failed(line.strip() or "aborted")
        return line

    def _failed(self, why):
        return Failed(f"{' '.join(self.command)}, against {' '.join(self.server.command)}: {why}")

    def _end(self):
        # Output to a terminated process does not matter.
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.stdout.close()
        try:
            self.status = self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.status = self.process.wait()

    def __exit__(self, *failure):
        self.ends.close()
        if self.status != 0 and failure[0] is None:
            raise self._failed(self.status)


def _load_command(server, arguments, program="load"):
    return [places.c(program), "-p", str(server.port), "-S", str(server.pid), *arguments]


def _numbers(line):
    return {name: float(value) for name, value in re.findall(r"(\w+)=([\d.]+)", line)}


def idle(command, says_port, count):
    """The memory of a server with this many idle connections, before and after one message on each."""
    with Server(command, says_port, around=SMALL_PAGES) as server:
        return load(server, ["-M", "idle", "-c", str(count), "-m", "64", "-a", "20"])

# SPDX-License-Identifier: MIT
"""HTTP servers that answer with 1 KiB, and echo servers of WebSockets: one loop thread on CPU 0, and the load on CPU 1."""
import contextlib
import glob
import os
import re
import socket
import subprocess
import time

import places
import servers
import turns
from model import OURS, Column, Group, Limit, Part, Table

FOLDER = os.path.join(places.OUT, "web")
SCRIPT = os.path.join(FOLDER, "pipelined.lua")
BODY = 1024
ROWS = {"http 50 x 1 KiB": [], "http 50 x 1 KiB x 16": ["-s", SCRIPT]}
TITLES = {
    "http 50 x 1 KiB": "50 connections, a response of 1 KiB",
    "http 50 x 1 KiB x 16": "50 connections, 16 pipelined requests",
}
WHOS = ["nginx", "nio", *OURS]
ECHO = ["-c", "50", "-m", "64"]
# The same load as bytes of a connection and as messages of a WebSocket.
ECHOES = {"tcp": "50 connections × 64 B", "websocket": "50 WebSockets × 64 B"}
TURNS = 6


def web_servers():
    """Each is (command, whether it prints its port)."""
    ours = [places.swift("reactive-http-bench"), "--bytes", str(BODY)]
    return {
        "nginx": (["nginx", "-p", FOLDER, "-c", os.path.join(FOLDER, "nginx.{port}.conf")], False),
        "nio": ([places.swift("nio-http-bench"), "--bytes", str(BODY)], True),
        **{who: ([*ours, "--loop", who], True) for who in OURS},
    }


def echo_sides():
    options = ["--websocket", "1"]
    commands = {
        "nio": ([places.swift("nio-http-bench"), *options], True),
        **{who: ([places.swift("reactive-http-bench"), *options, "--loop", who], True) for who in OURS},
    }
    return {
        **{("tcp", who): (servers.echo_servers()[who], ECHO) for who in commands},
        **{("websocket", who): (command, [*ECHO, "-F"]) for who, command in commands.items()},
    }


def prepare():
    os.makedirs(FOLDER, exist_ok=True)
    with open(SCRIPT, "w") as script:
        script.write(
            "init = function(args)\n  local requests = {}\n  for i = 1, 16 do requests[i] = wrk.format() end\n"
            "  all = table.concat(requests)\nend\nrequest = function() return all end\n"
        )


def configure(port):
    """nginx as one process, without a log, whose connections last as long as those of the others."""
    with open(os.path.join(FOLDER, f"nginx.{port}.conf"), "w") as file:
        file.write(
            f"daemon off; master_process off; pid {FOLDER}/nginx.{port}.pid; error_log stderr;\n"
            "events { worker_connections 4096; }\n"
            "http {\n  access_log off; keepalive_requests 1000000000; tcp_nodelay on; default_type text/plain;\n"
            + "".join(f"  {kind}_temp_path {FOLDER}/{kind};\n" for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
            + f"  server {{ listen 127.0.0.1:{port}; location / {{ return 200 \"{'x' * BODY}\"; }} }}\n}}\n"
        )


def cpu_ns(pid):
    """The CPU time of all threads, in nanoseconds."""
    total = 0
    for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
        with open(path) as file:
            total += int(file.read().split()[0])
    return total


def load(server, seconds, arguments):
    """Runs wrk. Returns the number of requests, the CPU time of the server and the duration."""
    command = ["wrk", "-t", "1", "-c", "50", "-d", f"{seconds:g}s", *arguments, f"http://127.0.0.1:{server.port}/"]
    before, begun = cpu_ns(server.pid), time.monotonic()
    run = subprocess.run(places.bound(command, 1), capture_output=True, text=True, timeout=120)
    used, lasted = cpu_ns(server.pid) - before, time.monotonic() - begun
    found = re.search(r"(\d+) requests in", run.stdout)
    if run.returncode != 0 or not found or "Non-2xx" in run.stdout or "Socket errors" in run.stdout:
        raise servers.Failed(f"{' '.join(command)}: {run.stdout or run.stderr}")
    return int(found[1]), used, lasted


def wait_until_open(server):
    """nginx does not tell when it listens."""
    for _ in range(500):
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", server.port)).close()
            return
        time.sleep(0.01)
    raise servers.Failed(f"{' '.join(server.command)} does not listen")


def group(row, arguments, seconds):
    def turn(who, server):
        def measure():
            count, used, lasted = load(server, seconds, arguments)
            return [{"row": row, "who": who, "n": count, "cpu_ns": used / count, "ns": lasted * 1e9 / count}]

        return measure

    @contextlib.contextmanager
    def opened():
        with contextlib.ExitStack() as ends:
            sides = {}
            for who, command in web_servers().items():
                server = servers.Server(*command)
                configure(server.port)
                sides[who] = turn(who, ends.enter_context(server))
                wait_until_open(server)
            yield sides

    return Group(row, opened, turns=TURNS)


def part(options):
    return Part(
        name="web",
        title="HTTP",
        intro=(
            "CPU time of an HTTP server for each request, user and system. The response has a body of 1 KiB and the fields `Date`, "
            "`Server`, `Content-Type` and `Content-Length`. One loop thread runs alone on CPU 0, and wrk on CPU 1 with 50 "
            "connections. SwiftNIO's server is a handler behind `configureHTTPServerPipeline`. nginx is one process, and answers "
            "with `return`. The load of the echo servers is that of the section Echo, as bytes and as binary messages. All servers of a "
            "round run at the same time, and get load in turn."
        ),
        products=["reactive-http-bench", "nio-http-bench", "reactive-bench", "nio-bench"],
        groups=[
            *[group(row, arguments, max(1, round(options.seconds))) for row, arguments in ROWS.items()],
            turns.mixed("websocket", turns.echoing(options.seconds), echo_sides()),
        ],
        tables=[
            Table("Server CPU, ns a request", "ns", [Column(row, TITLES[row], reference="nio") for row in TITLES], WHOS),
            Table("Server CPU, ns a message", "ns", [Column(row, ECHOES[row], reference="nio") for row in ECHOES], ["nio", *OURS]),
        ],
        limits=[Limit("websocket", who, 1.25, who, against_row="tcp") for who in OURS]
        + [Limit("websocket", who, 1.0, "nio") for who in OURS]
        + [
            Limit(row, who, most, against)
            for row in TITLES
            for who in OURS
            for most, against in [(0.7, "nio"), (2.0, "nginx")]
        ],
        prepare=prepare,
    )

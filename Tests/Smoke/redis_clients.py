# SPDX-License-Identifier: MIT
"""The clients of Redis with the key-value server: redis-cli and redis-benchmark."""
import re
import subprocess
import time

from report import run
from server import expect


def cli(server, *words, text=None):
    return run("redis-cli", "-p", str(server.port), *words, input=text).decode()


def talk(server):
    """Typed commands, with the output of redis-cli."""
    expect(cli(server, "ping") == "PONG\n", "no PONG")
    expect(cli(server, "set", "greeting", "hello world") == "OK\n", "SET")
    expect(cli(server, "get", "greeting") == "hello world\n", "GET")
    expect(cli(server, "get", "nothing") == "\n", "GET of nothing")
    expect(cli(server, "--no-raw", "mget", "greeting", "nothing") == '1) "hello world"\n2) (nil)\n', "MGET")
    # All in one connection, as at the prompt.
    lines = "set n 1\nincr n\ndel n\nexists n\nttl greeting\necho 'a b'\n"
    expect(cli(server, "--no-raw", text=lines.encode()) == 'OK\n(integer) 2\n(integer) 1\n(integer) 0\n(integer) -1\n"a b"\n',
           "a session")
    for words, error in [
        (("get",), "ERR wrong number of arguments for 'get' command"),
        (("nothing", "a"), "ERR unknown command 'nothing', with args beginning with: 'a' "),
        (("set", "a", "b", "ex", "0"), "ERR invalid expire time in 'set' command"),
        (("set", "a", "b", "c"), "ERR syntax error"),
        (("incr", "greeting"), "ERR value is not an integer or out of range"),
    ]:
        said = cli(server, *words).strip("\n")
        expect(said == error, f"{words}: {said!r}")
    expect(b"redis_version:" in cli(server, "info", "server").encode(), "INFO")
    expect(int(cli(server, "command", "count")) > 30, "COMMAND COUNT")
    # `--scan` and similar options need commands that the server does not have.
    expect(cli(server, "flushall") == "OK\n" and cli(server, "dbsize") == "0\n", "FLUSHALL")


def benchmark(server):
    """Every test must finish without an error."""
    printed = run("redis-benchmark", "-p", str(server.port), "-t", "ping,set,get,incr,mset", "-P", "16", "-c", "50",
                  "-n", "100000", "-r", "10000", "--csv").decode()
    rates = dict(re.findall(r'^"([^"]+)","([\d.]+)"', printed, re.M))
    expect({"PING_INLINE", "PING_MBULK", "SET", "GET", "INCR", "MSET (10 keys)"} <= set(rates), printed)
    expect("rror" not in printed, printed)
    # INCR used random keys, one for each request.
    return f"SET {float(rates['SET']):.0f}/s, GET {float(rates['GET']):.0f}/s"


def monitor(server):
    """MONITOR shows the commands of other clients. It needs a separate redis-cli process."""
    watching = subprocess.Popen(["redis-cli", "-p", str(server.port), "monitor"], stdout=subprocess.PIPE, text=True)
    try:
        expect(watching.stdout.readline() == "OK\n", "MONITOR was not accepted")
        cli(server, "set", "watched", 'a "b"')
        seen = ""
        while '"watched"' not in seen:
            seen = watching.stdout.readline()
            expect(seen, "MONITOR ended")
        expect(re.fullmatch(r'\d+\.\d{6} \[0 127\.0\.0\.1:\d+\] "set" "watched" "a \\"b\\""\n', seen), f"MONITOR: {seen!r}")
    finally:
        watching.terminate()
        watching.communicate()


def shuts_down(server):
    """SHUTDOWN ends the server in order, even with connected clients."""
    waiting = subprocess.Popen(["redis-cli", "-p", str(server.port), "subscribe", "news"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        expect("subscribe" in waiting.stdout.readline(), "no subscription")
        cli(server, "shutdown", "nosave")
        output, errors = server.process.communicate(timeout=10)
        expect(server.process.returncode == 0 and errors == "", f"{server.process.returncode}: {errors}")
        expect("served" in output, output)
        return output.strip()
    finally:
        waiting.kill()
        waiting.communicate()

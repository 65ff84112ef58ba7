"""What the guards measure: counts, and memory, which do not depend on what else the machine does. figures[row][metric] = value."""
import os
import re
import subprocess

import counting
import places
import servers
from model import OURS

ECHO = ["-c", "50", "-m", "64"]
LARGE = ["-c", "10", "-m", "16384", "-P", "4"]
# How many messages one wait finds ready is a matter of who is quicker, so waits have a limit of their own.
METRICS = ("allocations", "calls_but_waits", "waits", "instructions")
# Rows of signal-bench whose instructions are counted too; allocations are in all of them.
SIGNALS = ("source to sink", "map, filter", "scan", "merge", "combineLatest", "fan-out")


def measure(say):
    figures = {}
    for who in OURS:
        say(f"echo, {who}")
        figures[f"echo 50 x 64 B, {who}"] = counting.of_server(who, ECHO, METRICS)
    for who in OURS:
        say(f"idle connections, {who}")
        # After an echo: a connection that waits for the next one.
        found = servers.idle(*servers.echo_servers()[who], 5000)
        figures[f"idle connections, {who}"] = {"bytes": found["bytes_per_conn_echoed"]}
    say("echo, 16 KiB")
    large = counting.of_server("libuv", LARGE, ("allocations",))
    # How many messages are there to be read at once is too: the fewest calls of three. What cannot be counted is left out.
    runs = [counting.of_server("libuv", LARGE, ("system_calls",)) for _ in range(3)]
    figures["echo 10 x 16 KiB x 4, libuv"] = {**large, **min(runs, key=lambda run: run.get("system_calls", float("inf")))}
    say("echo, with an idle timeout")
    figures["echo 50 x 64 B with an idle timeout, libuv"] = idle_timeout()
    say("timers")
    add_timers(figures)
    say("hops")
    add_hops(figures)
    say("signals")
    add_signals(figures)
    return figures


def idle_timeout():
    """What a deadline costs that every message pushes back."""
    command, says_port = servers.echo_servers()["libuv"]
    command = [*command, "--idle", "60"]
    return {
        "allocations": counting.allocations(command, says_port, ECHO),
        "instructions": counting.instructions(command, says_port, ECHO),
    }


def counted(command):
    """Allocations by row, from the program that counts them itself where the counter is loaded."""
    return {
        sample["row"]: sample["allocations"]
        for sample in places.samples(command, environment={"LD_PRELOAD": places.c("mcount.so")})
    }


def add_timers(figures):
    program = places.swift("reactive-bench")
    command = [program, "timers", "--loop", "libuv", "--count", "10000", "--cycles", "2", "--pushes", "20000"]
    instructions, allocations = counting.of_program(command), counted(command)
    for row in ("insert 10000 warm", "cancel 10000 warm", "push back"):
        figures[f"timers: {row}"] = {
            "allocations": allocations[row], "instructions": instructions[(row, "libuv")][-1],
        }
    repeating = counted([program, "firing", "--loop", "libuv", "--only", "repeat"])
    figures["timers: repeat"] = {"allocations": repeating["repeat"]}


def add_hops(figures):
    command = [places.swift("reactive-bench"), "hops", "--loop", "libuv", "--count", "200000", "--only", "execute"]
    figures["hops: execute"] = {
        "allocations": counted(command)["execute"],
        "instructions": counting.of_program(command)[("execute", "libuv")][0],
    }
    # A wake-up is a write to the loop's descriptor; it may write once for each time that it waits.
    out = os.path.join(places.OUT, "strace.hops")
    subprocess.run(["strace", "-f", "-c", "-o", out, *command], check=True, stdout=subprocess.DEVNULL)
    with open(out) as file:
        calls = dict(
            (name, int(number))
            for number, name in re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", file.read(), re.M)
        )
    waits = sum(number for name, number in calls.items() if counting.is_wait(name))
    figures["hops: execute"]["wake_ups_a_wait"] = calls.get("write", 0) / max(1, waits)


def add_signals(figures):
    program = places.swift("signal-bench")
    for sample in places.samples([program, "--json", "--rounds", "1", "--who", "ours"]):
        figures[f"signals: {sample['row']}"] = {"allocations": sample["allocations"]}
    # One at a time: under valgrind threads take turns, and the row that hops would wait for ever.
    for name in SIGNALS:
        command = [program, "--json", "--rounds", "1", "--who", "ours", "--only", name]
        for (row, _), values in counting.of_program(command).items():
            figures[f"signals: {row}"]["instructions"] = values[0]

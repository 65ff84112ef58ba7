# SPDX-License-Identifier: MIT
"""The cost of a message. Instructions and system calls are the difference between two loads, so that neither the start nor the
connections count. Allocations are counted during a load."""
import glob
import mmap
import os
import re
import struct
import subprocess
import sys

import places
import servers


# The cost of a start or a connection varies a little, which would distort results from fewer messages.
LEAST_MESSAGES = 2000


def _slope(count, short, long):
    """The cost of a message, from `count(seconds)` -> (how many, messages)."""
    few, few_messages = count(short)
    for _ in range(7):
        many, many_messages = count(long)
        if many_messages - few_messages >= LEAST_MESSAGES:
            break
        # The machine paused for part of the run.
        long *= 2
    else:
        raise servers.Failed(f"{many_messages - few_messages:.0f} messages more in {long / 2:.1f} s are too few to count by")
    return (many - few) / (many_messages - few_messages)


def _messages(server, load_arguments, seconds, program):
    return servers.load(server, [*load_arguments, "-w", "0", "-d", str(seconds)], program=program)["msgs"]


def instructions(command, says_port, load_arguments, program="load", short=0.2, long=0.8):
    """Counts instructions of the process, without those of the kernel."""
    out = os.path.join(places.OUT, "callgrind.out")
    command = [places.stripped(command[0]), *command[1:]]

    def count(seconds):
        for old in glob.glob(out + "*"):
            os.remove(old)
        around = ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"]
        with servers.Server(command, says_port, around=around) as server:
            messages = _messages(server, load_arguments, seconds, program)
        with open(out) as file:
            return int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.M).group(1)), messages

    return _slope(count, short, long)


def is_wait(name):
    return name.startswith("epoll_") and "wait" in name


def waits(command, says_port, load_arguments, program="load"):
    return system_calls(command, says_port, load_arguments, program, is_wait)


def calls_but_waits(command, says_port, load_arguments, program="load"):
    return system_calls(command, says_port, load_arguments, program, lambda name: not is_wait(name))


def system_calls(command, says_port, load_arguments, program="load", is_meant=lambda name: True, short=0.2, long=0.8):
    """Counts the system calls whose names `is_meant` accepts; by default all."""
    out = os.path.join(places.OUT, "strace.out")

    def count(seconds):
        with servers.Server(command, says_port, around=["strace", "-f", "-c", "-o", out]) as server:
            messages = _messages(server, load_arguments, seconds, program)
        with open(out) as file:
            calls = re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", file.read(), re.M)
        return sum(int(number) for number, name in calls if name != "total" and is_meant(name)), messages

    return _slope(count, short, long)


def allocations(command, says_port, load_arguments, program="load", seconds=0.5):
    """Counts the allocations of messages only, without those of connections."""
    path = os.path.join(places.OUT, f"mcount.{os.getpid()}")
    environment = {"LD_PRELOAD": places.c("mcount.so"), "MCOUNT": path}
    if os.path.exists(path):
        os.remove(path)
    with servers.Server(command, says_port, environment=environment) as server:
        # The first load pays for one-time allocations.
        _messages(server, load_arguments, 0.1, program)
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 8, prot=mmap.PROT_READ) as shared:

            def calls():
                return struct.unpack("<Q", shared[:8])[0]

            found, grown = servers.load_between(server, [*load_arguments, "-w", "0.2", "-d", str(seconds)], calls, program=program)
    os.remove(path)
    return grown / found["msgs"]


def of_server(who, load_arguments, what=("instructions", "system_calls", "allocations"), command=None, program="load"):
    command, says_port = command or servers.echo_servers()[who]
    functions = {
        "instructions": instructions, "system_calls": system_calls, "allocations": allocations,
        "waits": waits, "calls_but_waits": calls_but_waits,
    }
    found = {}
    for name in what:
        try:
            found[name] = functions[name](command, says_port, load_arguments, program)
        except (servers.Failed, OSError, AttributeError, IndexError, subprocess.TimeoutExpired) as failure:
            print(f"\n{who}: {name} cannot be counted: {failure}", file=sys.stderr)
    return found


def of_program(command):
    """Instructions for each event of every `measure` in a program, which starts and stops the counting itself."""
    out = os.path.join(places.OUT, "callgrind.rows")
    for old in glob.glob(out + "*"):
        os.remove(old)
    command = [places.stripped(command[0]), *command[1:]]
    subprocess.run(
        ["valgrind", "-q", "--tool=callgrind", "--fair-sched=yes", "--instr-atstart=no", f"--callgrind-out-file={out}", *command],
        check=True, stdout=subprocess.DEVNULL, timeout=300,
    )
    rows = {}
    for path in glob.glob(out + "*"):
        with open(path) as file:
            text = file.read()
        trigger = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.M)
        total = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
        if trigger and total:
            row, who, events = trigger.group(1).split("|")
            rows.setdefault((row, who), []).append(int(total.group(1)) / int(events))
    return rows

# SPDX-License-Identifier: MIT
"""Runs checks, prints and counts their results, and runs programs that must succeed."""
import subprocess
import time

from server import Failed, expect

passed, failed = 0, 0


def check(name, body):
    global passed, failed
    began = time.monotonic()
    try:
        detail = body() or ""
        passed += 1
        result = "ok    "
    except (Failed, OSError, subprocess.SubprocessError) as error:
        detail = f"{type(error).__name__}: {error}"
        failed += 1
        result = "FAILED"
    print(f"{result} {name} ({time.monotonic() - began:.1f} s) {detail}".rstrip(), flush=True)


def totals():
    """Prints the totals, and returns the exit status."""
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, timeout=900, **options)
    expect(result.returncode == 0, f"{command[0]} ended with {result.returncode}: {result.stderr.decode()[-500:]}")
    return result.stdout


def fields(line):
    return dict(field.split("=") for field in line.split())


def load(program, server, *arguments):
    line = run(program, "-p", str(server.port), "-V", *arguments).decode().strip()
    found = fields(line)
    expect(found["bad"] == "0" and int(found["msgs"]) > 0, line)
    return f"{int(float(found['rate']))} messages/s, half of them within {found['p50us']} us"

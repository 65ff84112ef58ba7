# SPDX-License-Identifier: MIT
"""The Autobahn TestSuite (PyPI autobahntestsuite) against the WebSocket echo of the examples, as server and as client, on every loop.

    python3 Tests/Smoke/autobahn.py [server] [client]

Uses the release programs of Examples/.build (or of SMOKE_BINARIES). The suite runs on Python 2.7, which pyenv provides. The script installs
the suite into .build/autobahn. SMOKE_LOOPS selects the loops (all three). AUTOBAHN_CASES selects the cases: `full` (the default), `short`,
which leaves out the large messages and most of the compression, or patterns of their numbers, such as "9.* 12.1.*". The reports are in
.build/autobahn-reports. Runs as many at once as there are CPUs, and prints one line for each. Exits with 1 if a case is FAILED,
NON-STRICT, UNIMPLEMENTED, or closed in a wrong way.
"""
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from python_packages import INSTALL
from report import check, totals
from server import BINARIES, ROOT, Server, expect, free_port

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
NAMED = {
    "full": ["*"],
    "short": ["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*", "12.1.1", "12.2.1", "13.1.1", "13.2.1", "13.3.1", "13.4.1",
              "13.5.1", "13.6.1", "13.7.1"],
}
CASES = NAMED.get(os.environ.get("AUTOBAHN_CASES", "full")) or os.environ["AUTOBAHN_CASES"].split()
# INFORMATIONAL cases have no right answer.
ALLOWED = {"OK", "INFORMATIONAL"}
SUITE = ROOT / ".build/autobahn"
REPORTS = ROOT / ".build/autobahn-reports"
VERSION = "25.10.1"
LIMIT = str(64 << 20)
ENVIRONMENT = {**os.environ, "PYENV_VERSION": "2.7.18"}
ENVIRONMENT.pop("PYTHONPATH", None)
# A folder of PYTHONPATH would not load the namespace package zope.
START = f"import site; site.addsitedir({str(SUITE)!r}); from autobahntestsuite.wstest import run; run()"


def install():
    marker = SUITE / f".installed-{VERSION}"
    if marker.exists():
        return
    expect(shutil.which("python2.7"), "python2.7 is missing: install it, for example with `pyenv install 2.7.18`")
    shutil.rmtree(SUITE, ignore_errors=True)
    command = ["python2.7", *INSTALL, "--target", SUITE, f"autobahntestsuite=={VERSION}"]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    expect(done.returncode == 0, f"pip cannot install the suite: {done.stderr[-2000:]}")
    marker.touch()


def wstest(mode, specification, name, cases):
    folder = REPORTS / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = folder / "specification.json"
    chosen = {"cases": cases, "exclude-cases": [], "exclude-agent-cases": {}}
    path.write_text(json.dumps({"outdir": str(folder), **chosen, **specification}))
    log = open(folder / "wstest.log", "w")
    command = ["python2.7", "-c", START, "-m", mode, "-s", path, "-u", "0"]
    return folder, subprocess.Popen(command, env=ENVIRONMENT, stdout=log, stderr=log)


def is_wrong(case):
    return case["behavior"] not in ALLOWED or case["behaviorClose"] not in ALLOWED


def judged(run):
    """Runs all cases. Those that fail run again, twice at most: the suite gives a peer one second, for which the machine may pause."""
    cases, left = {}, CASES
    for attempt in range(1, 4):
        cases |= next(iter(json.loads((run(left, attempt) / "index.json").read_text()).values()))
        left = [name for name, case in cases.items() if is_wrong(case)]
        if not left:
            break
    return judge(cases, attempt)


def judge(cases, attempts):
    """Fails with the cases whose result is not allowed. Returns the counts of all results."""
    counts, wrong = {}, []
    for name, case in cases.items():
        counts[case["behavior"]] = counts.get(case["behavior"], 0) + 1
        if is_wrong(case):
            wrong.append(f"{name} {case['behavior']}, close {case['behaviorClose']}")
    wrong.sort(key=lambda text: [int(number) for number in re.findall(r"\d+", text)[:3]])
    expect(not wrong, f"{len(wrong)} of {len(cases)} cases: {'; '.join(wrong[:20])}")
    results = ", ".join(f"{count} {result}" for result, count in sorted(counts.items()))
    return f"{len(cases)} cases: {results}" + (f", in {attempts} attempts" if attempts > 1 else "")


def server(loop):
    with Server("websocket-echo", "--loop", loop, "--port", "0", "--compress", "--limit", LIMIT) as echo:
        url = f"ws://{echo.host}:{echo.port}"

        def run(cases, attempt):
            name = f"server-{loop}" + (f"-{attempt}" if attempt > 1 else "")
            folder, process = wstest("fuzzingclient", {"servers": [{"agent": loop, "url": url}]}, name, cases)
            expect(process.wait(timeout=3600) == 0, f"wstest failed: see {folder}/wstest.log")
            return folder

        return judged(run)


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def client(loop):
    def run(cases, attempt):
        port = free_port()
        name = f"client-{loop}" + (f"-{attempt}" if attempt > 1 else "")
        folder, process = wstest("fuzzingserver", {"url": f"ws://127.0.0.1:{port}"}, name, cases)
        try:
            end = time.monotonic() + 60
            while not listens(port):
                expect(process.poll() is None and time.monotonic() < end, f"wstest does not listen: see {folder}/wstest.log")
                time.sleep(0.1)
            command = [BINARIES / "websocket-echo", "--loop", loop, "--autobahn", str(port), "--compress", "--limit", LIMIT]
            done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
            expect(done.returncode == 0 and done.stderr == "", f"the client ended with {done.returncode}: {done.stderr}")
            return folder
        finally:
            process.terminate()
            process.wait()

    return judged(run)


def main():
    install()
    sides = sys.argv[1:] or ["server", "client"]
    parts = [(side, loop) for side in sides for loop in LOOPS]

    def run(part):
        side, loop = part
        check(f"{side}, {loop}", lambda: (server if side == "server" else client)(loop))

    # The suite uses one CPU. `list` raises what a run has raised.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(run, parts))
    sys.exit(totals())


if __name__ == "__main__":
    main()

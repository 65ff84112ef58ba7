# SPDX-License-Identifier: MIT
"""Runs suites of tests with and without mutants."""

import concurrent.futures
import dataclasses
import json
import os
import re
import signal
import subprocess
import tempfile
import time

import run

LOOP = "libuv"
# A wait of a test ends after so many seconds. A mutant may therefore fail a test by the limit of a wait.
WAIT_LIMIT = 30
# A run without a mutant may take this long. With a mutant it may take as long as without, and this long on top.
RUN_LIMIT = 120
# After the first failed assertion, other tests get this long to fail too.
GRACE = 2
WAITED = re.compile(r"still lacks .* after \d+ s|: not within \d+ s|TimeLimitExceeded")
# How mutants end. A hang counts as a survivor, because a test must end by an assertion.
KINDS = {
    "assertion": "killed by an assertion",
    "wait": "by the time limit of a wait",
    "trap": "by a trap",
    "hang": "HANG",
    None: "SURVIVE",
    "not run": "not run",
}


@dataclasses.dataclass
class Outcome:
    """The result of a run of suites."""

    code: int | None = None  # None means that the run reached its limit
    seconds: float = 0
    passed: int = 0
    failed: dict[str, str] = dataclasses.field(default_factory=dict)  # the first issue of each failed test
    running: list[str] = dataclasses.field(default_factory=list)  # tests that have begun and not ended
    complaint: str = ""

    @property
    def holds(self):
        return self.code == 0 and self.passed > 0 and not self.failed

    @property
    def kind(self):
        """How the mutant was detected: assertion, wait, trap or hang. `None` means that it survives."""
        if self.failed:
            return "wait" if all(WAITED.search(text) for text in self.failed.values()) else "assertion"
        if self.code is None:
            return "hang"
        return None if self.code == 0 else "trap"

    @property
    def tests(self):
        """The tests that have detected the mutant."""
        if self.failed:
            return list(self.failed)
        return self.running if self.kind else []

    def __str__(self):
        names = " ".join(self.tests[:3]) + (f" and {len(self.tests) - 3} more" if len(self.tests) > 3 else "")
        match self.kind:
            case "assertion":
                return f"killed by {names}"
            case "wait":
                return f"killed by the time limit of a wait in {names}"
            case "trap":
                return f"killed by a trap in {names or 'the program'}"
            case "hang":
                return f"HANGS in {names or 'the program'}"
        return "SURVIVES"


class Program:
    """The test program, built from the copy that contains the mutants."""

    def __init__(self, path, jobs):
        self.path, self.jobs = os.path.abspath(path), jobs

    def check(self, name, loop, suites, limit):
        """Runs suites. `name` is the enabled mutant, or None."""
        environment = {key: value for key, value in os.environ.items() if key != "MUTANT"}
        environment |= {"TEST_LOOPS": loop, "TEST_WAIT_LIMIT": str(WAIT_LIMIT)}
        environment |= {"SWIFT_BACKTRACE": "enable=no", "SWIFT_DETERMINISTIC_HASHING": "1"}
        # As in Tests/Checks/tests.sh: otherwise a task of a test waits behind all other tests. Two mutants run at once.
        environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = "4"
        if name:
            environment["MUTANT"] = name
        command = [self.path, "--testing-library", "swift-testing"]
        for suite in suites:
            command += ["--filter", "^" + re.escape(suite) + r"(/|\(|$)"]
        begin, failed_at = time.monotonic(), None
        with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "log"), "w+b") as log:
            events = os.path.join(folder, "events")
            command += ["--event-stream-version", "0", "--event-stream-output-path", events]
            # A session of its own: the children of the tests are then found and ended too.
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
            try:
                while (code := process.poll()) is None:
                    now = time.monotonic()
                    if failed_at is None and name and _has_failed(events):
                        failed_at = now
                    if now - begin > limit or failed_at and now - failed_at > GRACE:
                        break
                    time.sleep(0.1)
            finally:
                _end(process)
            seen = _read(events)
            log.seek(0)
            seen.complaint = log.read().decode(errors="replace").strip()[-300:]
        seen.code, seen.seconds = code, time.monotonic() - begin
        return seen


def run_all(program, mutants):
    """Maps the name of each mutant to its outcome and its suites. Prints each result."""
    missing = run.unknown(program.path, mutants)
    if missing:
        raise SystemExit(f"mutants: {program.path} does not contain {', '.join(missing)}: build it with `make mutants`")
    durations = baseline(program, mutants)

    def check(mutant):
        loop = mutant.loop or LOOP
        usable = [suite for suite in mutant.suites if (loop, suite) in durations]
        if not usable:
            return mutant, None
        limit = RUN_LIMIT + sum(durations[loop, suite] for suite in usable)
        return mutant, program.check(mutant.name, loop, usable, limit)

    results = {}
    with concurrent.futures.ThreadPoolExecutor(program.jobs) as pool:
        for mutant, outcome in pool.map(check, mutants):
            results[mutant.name] = outcome
            print(f"{mutant.name:44} {outcome or 'NOT RUN: its suites fail without a mutant'}", flush=True)
            for test in (outcome.tests if outcome else [])[:3]:
                text = outcome.failed.get(test) or outcome.complaint.replace("\n", " ")[-160:]
                print(f"{'':44} {text[:160]}", flush=True)
    return results


def detecting(mutant, outcome):
    """Returns the suites of a mutant that have detected it. A run ends soon after the first failed assertion."""
    if outcome is None or outcome.kind in (None, "hang"):
        return []
    found = [suite for suite in mutant.suites if any(test.startswith(suite) for test in outcome.tests)]
    return found or list(mutant.suites)


def baseline(program, mutants):
    """Maps loop and suite to the seconds that the suite takes without a mutant. A suite that fails proves nothing."""
    suites = sorted({(mutant.loop or LOOP, suite) for mutant in mutants for suite in mutant.suites})

    def check(use):
        for _ in range(run.ATTEMPTS):
            outcome = program.check(None, use[0], [use[1]], RUN_LIMIT * 3)
            if outcome.holds:
                break
        return use, outcome

    durations = {}
    with concurrent.futures.ThreadPoolExecutor(program.jobs) as pool:
        for use, outcome in pool.map(check, suites):
            if outcome.holds:
                durations[use] = outcome.seconds
            else:
                why = outcome if outcome.passed or outcome.tests else "this build has no such suite"
                print(f"{use[1]} on {use[0]} without a mutant: {why}: {outcome.complaint}", flush=True)
    return durations


def _has_failed(events):
    """Whether a test has failed so far. Parses the event stream only if it contains an issue, because it may be long."""
    try:
        with open(events, "rb") as file:
            return b"issueRecorded" in file.read() and bool(_read(events).failed)
    except FileNotFoundError:
        return False


def _read(events):
    """Reads the event stream of Swift Testing as far as it has been written."""
    outcome, names, running = Outcome(), {}, {}
    try:
        with open(events, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        return outcome
    for line in lines:
        try:
            record = json.loads(line)
        except ValueError:
            # The last line may be incomplete.
            continue
        payload = record["payload"]
        if record["kind"] == "test":
            if payload["kind"] == "function":
                names[payload["id"]] = payload["id"].rsplit("/", 1)[0]
            continue
        test = payload.get("testID")
        match payload["kind"]:
            case "testStarted" if test in names:
                running[test] = names[test]
            case "testEnded" if test in names:
                running.pop(test, None)
                outcome.passed += not any(message["symbol"] == "fail" for message in payload["messages"])
            case "issueRecorded":
                issue = payload.get("issue", {})
                if issue.get("isKnown") or issue.get("isFailure") is False:
                    continue
                text = " ".join(" ".join(message["text"] for message in payload["messages"]).split())
                outcome.failed.setdefault(names.get(test, test or "the program"), text)
    outcome.running = list(running.values())
    return outcome


def _end(process):
    """Kills a process and the children that it has left, which have its session."""
    for _ in range(10):
        left = [process.pid] if process.poll() is None else []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat") as file:
                    # The name may contain spaces. The state and the session follow it.
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z" and int(fields[3]) == process.pid:
                left.append(int(entry))
        if not left:
            return
        for child in set(left):
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass
        try:
            process.wait(1)
        except subprocess.TimeoutExpired:
            pass

# SPDX-License-Identifier: MIT
"""The web chat in headless Chromium, on every loop: two pages, a lost server, and server-sent events.

    python3 Tests/Smoke/browser.py [--screenshot FILE]

Uses the release programs of Examples/.build (or of SMOKE_BINARIES), and Debian's chromium. SMOKE_LOOPS selects the loops (all three). With
--screenshot it writes a PNG of a page. Prints one line for each check, and exits with 1 if one failed.
"""
import argparse
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from report import check, totals
from server import Server, expect

LOOPS = os.environ.get("SMOKE_LOOPS", "dispatch libuv libevent").split()
TIME_LIMIT = 60


class Browser:
    """Chromium, driven by the DevTools protocol over two pipes. Each message is JSON, and ends with NUL."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="reactive-browser-")
        command_read, self.command = os.pipe()
        self.answer, answer_write = os.pipe()

        def prepare():
            # Chromium reads from descriptor 3, and writes to 4.
            os.dup2(command_read, 13)
            os.dup2(answer_write, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [
                "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
                f"--user-data-dir={self.folder}", "--window-size=900,560", "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=prepare,
            close_fds=False,
            start_new_session=True,
        )
        os.close(command_read)
        os.close(answer_write)
        self.number = 0
        self.buffer = b""

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.command, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + TIME_LIMIT
        while True:
            answer = self.receive(end, method)
            if answer.get("id") == self.number:
                expect("error" not in answer, f"{method}: {answer.get('error')}")
                return answer["result"]

    def receive(self, end, method):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.answer], [], [], max(0, end - time.monotonic()))
            expect(ready, f"Chromium did not answer {method} within {TIME_LIMIT} s")
            part = os.read(self.answer, 1 << 20)
            expect(part, f"Chromium has ended during {method}")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        os.close(self.command)
        os.close(self.answer)
        shutil.rmtree(self.folder, ignore_errors=True)


class Page:
    """A tab of the browser."""

    def __init__(self, browser, address):
        self.browser = browser
        target = browser.call("Target.createTarget", url=address, newWindow=True)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def evaluate(self, expression):
        result = self.browser.call(
            "Runtime.evaluate", self.session, expression=expression, returnByValue=True, awaitPromise=True
        )
        expect("exceptionDetails" not in result, f"{expression}: {result.get('exceptionDetails')}")
        return result["result"].get("value")

    def wait(self, expression, what):
        end = time.monotonic() + TIME_LIMIT
        # While the page loads, its elements do not exist, and the expression throws.
        while not self.evaluate(f"(() => {{ try {{ return {expression} }} catch {{ return false }} }})()"):
            expect(time.monotonic() < end, f"{what}: {self.evaluate('document.body?.innerText')}")
            time.sleep(0.05)

    def wait_for_text(self, text):
        self.wait(f"document.body.innerText.includes({json.dumps(text)})", f"the page does not show {text!r}")

    def say(self, text):
        self.evaluate(
            f"document.getElementById('text').value = {json.dumps(text)}; document.getElementById('form').requestSubmit()"
        )


def conversation(browser, loop, screenshot):
    server = Server("web-chat", "--loop", loop, "--port", "0")
    try:
        address = f"http://localhost:{server.port}/?room=garden&name="
        ada, ben = (Page(browser, address + name) for name in ("ada", "ben"))
        for page, name in ((ada, "ada"), (ben, "ben")):
            page.wait_for_text(f"You are in the room as {name}.")
            page.wait("document.getElementById('members').textContent == '2'", "not two members")
        ada.say("Is the kettle on?")
        ben.wait_for_text("Is the kettle on?")
        ben.say("<b>Yes</b> & ready \u2615")
        ada.wait_for_text("<b>Yes</b> & ready \u2615")
        ada.wait("!document.querySelector('#lines b b')", "a text became an element")
        ben.say("x" * 500)
        ben.evaluate("socket.send('y'.repeat(2001))")
        ben.wait_for_text("The connection is lost.")
        ada.wait_for_text("x" * 500)
        expect(not ada.evaluate("document.body.innerText.includes('yyyy')"), "a long text has arrived")
        # The page connects again.
        ben.wait("socket.readyState == 1", "no second connection")
        ada.wait("document.getElementById('members').textContent == '2'", "not two members again")
        if screenshot:
            ben.say("Two cups, please.")
            ada.wait_for_text("Two cups, please.")
            ada.evaluate("for (const line of [...document.querySelectorAll('#lines div')])"
                         " if (line.innerText.includes('xxx')) line.remove()")
            png = ada.browser.call("Page.captureScreenshot", ada.session, format="png")["data"]
            with open(screenshot, "wb") as file:
                file.write(base64.b64decode(png))
        # Another origin may not connect.
        other = Page(browser, f"http://127.0.0.1:{server.port}/?room=garden&name=eve")
        other.wait_for_text("You are in the room as eve.")
        refused = other.evaluate(
            f"new Promise(done => {{ const s = new WebSocket('ws://localhost:{server.port}/chat?room=garden&name=eve');"
            " s.onopen = () => done(false); s.onerror = () => done(true); })"
        )
        expect(refused, "a page of another origin has connected")
        reconnection(server, loop, (ada, ben))
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def reconnection(server, loop, pages):
    """The pages connect again when the server is back, both the WebSocket and the event stream."""
    port = server.port
    server.process.kill()
    server.process.wait()
    for page in pages:
        page.wait("document.getElementById('members').textContent == '?'", "the event stream has not noticed")
    again = Server("web-chat", "--loop", loop, "--port", str(port))
    try:
        for page in pages:
            page.wait("Number(document.getElementById('members').textContent) >= 2 && socket.readyState == 1", "not back")
        pages[0].say("We are back.")
        pages[1].wait_for_text("We are back.")
        before = again.memory()
        # A page that does not run cannot read. Its lines are dropped, and others are not delayed.
        pages[1].evaluate("setTimeout(() => { const end = Date.now() + 3000; while (Date.now() < end); }, 0)")
        for number in range(20):
            pages[0].say(f"line {number}")
        pages[0].wait_for_text("line 19")
        pages[1].wait_for_text("line 19")
        expect(again.memory() - before < 8 << 20, "the memory has grown")
        again.stop()
    finally:
        if again.process.poll() is None:
            again.process.kill()
            again.process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshot", help="write a PNG of a page to this file")
    options = parser.parse_args()
    browser = Browser()
    try:
        for loop in LOOPS:
            picture = options.screenshot if loop == LOOPS[0] else None
            check(f"{loop}: chat of two pages, origin, reconnection", lambda: conversation(browser, loop, picture))
    finally:
        browser.close()
    return totals()


if __name__ == "__main__":
    sys.exit(main())

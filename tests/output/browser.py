"""A headless Chromium, driven by the DevTools protocol over a pipe: JSON, parted by zero bytes."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time

# As Debian's package `chromium` names it, and others.
NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions",
    "--remote-debugging-pipe",
)  # fmt: skip
PATIENCE = 120
"""Seconds until an answer that does not come fails the test."""


def required():
    """The program that must be there; empty where its absence only skips tests."""
    return os.environ.get("KERNEL_ADVISOR_BROWSER", "")


def found():
    """The path of a Chromium, or None, and what was looked for."""
    names = (required(),) if required() else NAMES
    return next(filter(None, map(shutil.which, names)), None), " or ".join(names)


class Browser:
    """One process with one page. What the page complains of or asks for is kept in `events`."""

    def __init__(self, program, profile):
        theirs, self.into = os.pipe()
        self.out, ours = os.pipe()
        self.number = 0
        self.buffer = b""
        self.events = []
        self.session = None
        # The protocol's pipes are its descriptors 3 and 4.
        script = f'exec "$0" "$@" 3<&{theirs} 4>&{ours}'
        command = ["bash", "-c", script, program, *OPTIONS, f"--user-data-dir={profile}"]
        self.process = subprocess.Popen(
            [*command, "about:blank"], pass_fds=(theirs, ours),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs)
        os.close(ours)
        targets = self.send("Target.getTargets")["targetInfos"]
        page = next(item["targetId"] for item in targets if item["type"] == "page")
        attached = self.send("Target.attachToTarget", targetId=page, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method, **parameters):
        """The result of a call; events that arrive before it are kept."""
        self.number += 1
        call = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            call["sessionId"] = self.session
        os.write(self.into, json.dumps(call).encode() + b"\0")
        while True:
            message = self._receive()
            if message.get("id") == self.number:
                assert "error" not in message, (method, message["error"])
                return message["result"]
            self.events.append(message)

    def _receive(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.out], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            piece = os.read(self.out, 1 << 20)
            assert piece, "the browser has ended"
            self.buffer += piece
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def open(self, address, width=1280, height=900, scripts=True, dark=False):
        """Loads a page anew in a window of that width."""
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=False,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", media="", features=[scheme])
        # A page that differs in its fragment only would not be loaded again.
        self._go("about:blank")
        self._go(address)

    def _go(self, address):
        self.events.clear()
        self.send("Page.navigate", url=address)
        while not any(item.get("method") == "Page.loadEventFired" for item in self.events):
            self.events.append(self._receive())

    def run(self, code):
        """The value of an expression in the page; a promise is waited for."""
        done = self.send("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def press(self, key, code=0):
        """A key, as the keyboard sends it."""
        text = {"Enter": "\r", " ": " "}.get(key, "")
        about = {"key": key, "windowsVirtualKeyCode": code, "text": text}
        self.send("Input.dispatchKeyEvent", type="keyDown", **about)
        self.send("Input.dispatchKeyEvent", type="keyUp", **about)

    def type(self, text):
        """Text into the field that has the focus."""
        self.send("Input.insertText", text=text)

    def picture(self, path, whole=False):
        """A screenshot as PNG."""
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def print(self):
        """The page as PDF."""
        return base64.b64decode(self.send("Page.printToPDF")["data"])

    def requests(self):
        """Every address that was asked for since the page was opened."""
        sent = [e for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def complaints(self):
        """What stands in the console."""
        told = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [event["params"] for event in self.events if event.get("method") in told]

    def close(self):
        """Ends the process."""
        self.session = None
        self.send("Browser.close")
        self.process.wait(60)
        os.close(self.into)
        os.close(self.out)

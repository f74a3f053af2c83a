"""Debian's Chromium without a window, driven over a pipe: opens pages, runs JavaScript in them, takes pictures."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")


def program():
    """Where the browser is, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class BrowserError(Exception):
    """The browser did not do what it was asked."""


class Page:
    """A page that is open. `problems` are errors of its scripts; `requests` what it asked for beside itself."""

    def __init__(self, browser, session):
        self.browser, self.session = browser, session
        self.problems, self.requests = [], []

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def evaluate(self, expression):
        """The value of an expression, or of the promise that it yields."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def wait_for(self, expression, seconds=60):
        """Asks until an expression is true."""
        deadline = time.time() + seconds
        while not self.evaluate(f"Boolean({expression})"):
            if time.time() > deadline:
                raise BrowserError(f"never came true: {expression}")
            time.sleep(0.02)

    def press(self, key, **more):
        """A key that types nothing but itself."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **more)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=count)

    def colours(self, scheme):
        """Light or dark, as the system would have it."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def picture(self, path, whole=True):
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def close(self):
        self.call("Page.close")


class Browser:
    """Use as a context. The browser has a folder of its own for what it keeps."""

    def __init__(self, width=1280, height=900, javascript=True):
        self.size = width, height
        self.javascript = javascript
        self.number = 0
        self.pages = {}
        self.buffer = b""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="browser_", ignore_cleanup_errors=True)
        to_browser, self.commands = os.pipe()
        self.answers, from_browser = os.pipe()

        def pipes():  # the browser reads 3 and writes 4; neither end may be either before it is moved
            read, write = os.dup(to_browser), os.dup(from_browser)
            while read in (3, 4):
                read = os.dup(read)
            while write in (3, 4):
                write = os.dup(write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        command = [program(), "--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
                   "--disable-background-networking", "--hide-scrollbars", "--force-device-scale-factor=1",
                   f"--user-data-dir={self.folder.name}", f"--window-size={self.size[0]},{self.size[1]}", "about:blank"]
        if os.geteuid() == 0:
            command.insert(1, "--no-sandbox")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=pipes)
        os.close(to_browser)
        os.close(from_browser)
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except (BrowserError, OSError):
            self.process.kill()
        self.process.wait(timeout=30)
        os.close(self.commands)
        os.close(self.answers)
        self.folder.cleanup()

    def _next(self):
        """The next message of the browser."""
        while b"\0" not in self.buffer:
            block = os.read(self.answers, 1 << 20)
            if not block:
                raise BrowserError("the browser has ended")
            self.buffer += block
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def _note(self, message):
        """Keeps what an event says of a page."""
        page = self.pages.get(message.get("sessionId"))
        if page is None:
            return
        method, said = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = said["exceptionDetails"]
            page.problems.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and said["type"] in ("error", "warning", "assert"):
            page.problems.append(json.dumps(said["args"]))
        elif method == "Log.entryAdded" and said["entry"]["level"] in ("error", "warning"):
            page.problems.append(said["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            page.requests.append(said["request"]["url"])

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.commands, text):]
        while True:
            answer = self._next()
            if answer.get("id") != self.number:
                self._note(answer)
                continue
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            return answer["result"]

    def open(self, path):
        """A page of a file once it has been loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        if not self.javascript:
            page.call("Emulation.setScriptExecutionDisabled", value=True)
        page.call("Page.navigate", url="file://" + os.path.abspath(path))
        page.wait_for("document.readyState === 'complete' && location.href !== 'about:blank'")
        page.requests = [url for url in page.requests if url != "file://" + os.path.abspath(path)]
        return page

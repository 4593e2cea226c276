"""What the tests of limber's window share: a display of their own (Xvfb), synthetic input (xdotool),
and waiting for what the window says about itself in its --state file. Nothing here depends on how
fast pictures are drawn."""
import atexit
import json
import os
import shutil
import signal
import subprocess
import time

from cli_testing import PROGRAM, Failure, Skip, check

PATIENCE = 40  # seconds; only something that never comes takes so long
QUICK = "shadows=0,sky=0,ground=0"  # settings for software rendering

_display = None


def display():
    """The number of a display that lives as long as the script."""
    global _display
    if _display:
        return _display
    for program in ("Xvfb", "xdotool"):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed: make deps")
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "900x600x24",
                               "-nolisten", "tcp"], pass_fds=[write], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
    os.close(write)
    atexit.register(server.kill)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        raise Skip("Xvfb does not start here")
    _display = ":" + number
    return _display


def environment(**changes):
    return dict(os.environ, DISPLAY=display(), LIBGL_ALWAYS_SOFTWARE="1", **changes)


class Window:
    """limber view in a window of its own; as `with Window(...) as window:` it ends in any case."""

    def __init__(self, folder, *words, width=240, height=180, panel=False, settings=QUICK, cwd=None,
                 ready=True):
        self.state_path = os.path.join(folder, "state.json")
        self.env = environment()
        command = [PROGRAM, "view", *[str(word) for word in words], "--width", str(width),
                   "--height", str(height), "--json", "--state", self.state_path]
        command += ["--set", settings] if settings else []
        command += [] if panel else ["--no-panel"]
        self.process = subprocess.Popen(command, cwd=cwd or folder, env=self.env, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.width, self.height = width, height
        self.id = None
        if ready:
            self.wait("the first pictures", lambda state: state["frames"] >= 2)
            self.place()

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    # ---- what it says ----

    def state(self):
        try:
            with open(self.state_path) as file:
                return json.load(file)
        except (FileNotFoundError, json.JSONDecodeError):
            return None

    def wait(self, what, holds):
        """The first state for which it holds."""
        end = time.time() + PATIENCE
        while time.time() < end:
            state = self.state()
            if state and holds(state):
                return state
            if self.process.poll() is not None:
                out, err = self.process.communicate()
                raise Failure(f"the window ended (status {self.process.returncode}) before {what}: "
                              f"{out}{err}")
            time.sleep(0.03)
        raise Failure(f"{what} did not come; the state is {self.state()}")

    def frames(self, count=2):
        """After so many pictures more, begun after now: the file may be older than that."""
        before = self.state()["frames"]
        before = self.wait("a picture", lambda state: state["frames"] > before)["frames"]
        return self.wait(f"{count} pictures", lambda state: state["frames"] >= before + count)

    def setting(self, name, otherwise=None):
        return dict(item.split("=") for item in self.state()["link"].split("&")).get(name, otherwise)

    def wait_setting(self, name, value):
        """Settings that are the scene's own are in no link: value None."""
        self.wait(f"{name}={value}",
                  lambda _: self.setting(name) == (None if value is None else str(value)))

    # ---- input ----

    def xdotool(self, *words):
        done = subprocess.run(["xdotool", *[str(word) for word in words]], env=self.env, text=True,
                              capture_output=True, timeout=PATIENCE)
        check(done.returncode == 0, f"xdotool {words}: {done.stderr}")
        return done.stdout

    def place(self):
        """Finds the window, puts it in the corner of the screen and gives it the keys."""
        self.id = self.xdotool("search", "--sync", "--onlyvisible", "--class", "limber").split()[-1]
        self.xdotool("windowmove", self.id, 0, 0, "windowfocus", self.id)

    def point(self, x, y):
        self.xdotool("mousemove", x, y)

    def middle(self):
        self.point(self.width // 2, self.height // 2)

    def press(self, button=1):
        self.xdotool("mousedown", button)

    def release(self, button=1):
        self.xdotool("mouseup", button)

    def keys(self, *names):
        self.xdotool("key", *names)

    def drag(self, start, end, button=1):
        """Down, through the middle of the way, and up."""
        self.point(*start)
        self.press(button)
        self.point((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
        self.point(*end)
        self.release(button)
        self.frames()

    # ---- the end ----

    def end(self, status=0):
        """Waits for it; the JSON summary."""
        try:
            out, err = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failure("the window does not close") from None
        check(self.process.returncode == status,
              f"the exit status is {self.process.returncode}, not {status}: {err}")
        check("Sanitizer" not in err, err)
        return json.loads(out) if status == 0 else err

    def quit(self):
        self.keys("q")
        return self.end()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)
        return self.end()

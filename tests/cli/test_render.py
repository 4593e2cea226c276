#!/usr/bin/env python3
"""limber render: pictures and videos without a display, and what can go wrong.

Cases that draw are skipped where EGL gives no OpenGL 3.3 context, those of videos where ffmpeg is
not installed. Under sanitizers only what fails before drawing is tried, and one picture: software
rendering is slow enough without them.
"""
import os
import shutil
import signal
import struct
import subprocess
import time

from cli_testing import (PROGRAM, SANITIZED, Skip, bar_scene, case, check, fast_case, limber, run_cases, write,
                         write_json)

SIZE = ("--width", 64, "--height", 48)
# The drivers keep memory of their own until the program ends.
SUPPRESSIONS = "leak:_dri.so\nleak:libgallium\nleak:libEGL\nleak:libepoxy\nleak:libLLVM\n" \
               "leak:<unknown module>\n"


def scene(folder):
    body = {"method": "modal", "reduce": {"modes": 4}}
    return write_json(folder, "bar.json", bar_scene(**body))


def environment(folder, **changes):
    path = write(folder, "leaks.txt", SUPPRESSIONS)
    return dict(os.environ, LSAN_OPTIONS=f"suppressions={path}:print_suppressions=0", **changes)


def render(folder, output, *words, **changes):
    return limber("render", scene(folder), "-o", os.path.join(folder, output), *words,
                  env=environment(folder, **changes))


probed = []  # the message of a first picture


def needs_graphics(folder):
    if not probed:
        result = render(folder, "probe.png", *SIZE)
        if "cannot draw without a display" not in result.err:
            result.expect(0)
            os.remove(os.path.join(folder, "probe.png"))
        probed.append(result.err.strip())
    if "cannot draw without a display" in probed[0]:
        raise Skip(probed[0])


def needs_video(folder):
    if not shutil.which("ffmpeg") or not shutil.which("ffprobe"):
        raise Skip("ffmpeg is not installed")
    needs_graphics(folder)


def left(folder):
    """What a failed command has left besides its input."""
    return sorted(set(os.listdir(folder)) - {"bar.json", "leaks.txt"})


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(26)
    check(head[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG")
    width, height, depth, kind = struct.unpack(">IIBB", head[16:26])
    check((depth, kind) == (8, 2), f"{depth} bits of kind {kind}, not 8 bits of RGB")
    return width, height


def probe(path):
    """Codec, width, height and number of frames of a video."""
    words = ["ffprobe", "-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries",
             "stream=codec_name,width,height,nb_read_frames", "-of", "csv=p=0", path]
    codec, width, height, frames = subprocess.check_output(words).decode().strip().split(",")[:4]
    return codec, int(width), int(height), int(frames)


# ---- wrong command lines -------------------------------------------------------------------------


def refused(words, part):
    def run(folder):
        render(folder, *words).message(part, status=2)
        check(left(folder) == [], f"left {left(folder)}")
    return run


WRONG = {
    "an unknown extension": (("x.avi",), ".png, .mp4, .webm, .gif or .webp"),
    "no extension": (("x",), ".png"),
    "a width of nothing": (("x.png", "--width", 0), "width is 0"),
    "a negative height": (("x.png", "--height", -5), "height is -5"),
    "a huge width": (("x.png", "--width", 100000), "width is 100000"),
    "a size that is no number": (("x.png", "--width", "wide"), "width"),
    "no frames": (("x.mp4", "--fps", 0), "fps is 0"),
    "an end before the beginning": (("x.mp4", "--from", 2, "--to", 1), "to is 1"),
    "a time before the beginning": (("x.png", "--time", -1), "to is -1"),
    "a moment of a video": (("x.mp4", "--time", 1), "--from and --to"),
    "the end of a picture": (("x.png", "--to", 1), "--time"),
    "an angle of view of 180": (("x.png", "--fov", 180), "fov is 180"),
    "a zoom of nothing": (("x.png", "--zoom", 0), "zoom is 0"),
    "too many samples": (("x.png", "--samples", 64), "samples is 64"),
    "an unknown map": (("x.png", "--map", "heat"), "displacement, speed, stress, pressure or weights"),
    "an unknown setting": (("x.png", "--set", "wirefram=1"), 'did you mean "wireframe"'),
    "a setting without a value": (("x.png", "--set", "sky=on,ground"), "name=value"),
    "a button": (("x.png", "--set", "reset=1"), "reset"),
    "half a place": (("x.png", "--camera", "1,2"), "three numbers"),
}
for name, (words, part) in WRONG.items():
    function = refused(words, part)
    function.__name__ = name.replace(" ", "_") + "_is_a_wrong_command_line"
    case(function)


@case
def no_output_is_a_wrong_command_line(folder):
    limber("render", scene(folder)).message("-o", status=2)
    limber("render", "-o", "x.png").message("render", status=2)


# ---- what fails before long work -----------------------------------------------------------------


@case
def a_missing_folder_is_named(folder):
    render(folder, "no/where/x.png").message("no/where/x.png")
    render(folder, "no/where/x.mp4").message("no/where/x.mp4")


@case
def without_a_driver_the_packages_are_named(folder):
    for variables in ({"__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere.json"},
                      {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere.json", "EGL_PLATFORM": "x11"}):
        result = render(folder, "x.png", **variables)
        if result.status == 0:
            raise Skip("EGL here has drivers that cannot be hidden")
        result.message("libegl1", "libgl1-mesa-dri")
        check(left(folder) == [], f"left {left(folder)}")


@case
def without_ffmpeg_the_package_is_named(folder):
    needs_graphics(folder)
    render(folder, "x.mp4", *SIZE, PATH="/nowhere").message("ffmpeg", "Debian")
    check(left(folder) == [], f"left {left(folder)}")


@case
def what_cannot_be_opened_is_named_and_nothing_is_left(folder):
    needs_graphics(folder)
    write(folder, "bar.json", "{")
    environ = environment(folder)
    for output in ("x.png",) if SANITIZED else ("x.png", "x.mp4"):
        limber("render", os.path.join(folder, "bar.json"), "-o", os.path.join(folder, output),
               *SIZE, env=environ).message("bar.json")
        limber("render", os.path.join(folder, "none.glb"), "-o", os.path.join(folder, output),
               *SIZE, env=environ).message("none.glb")
        check(left(folder) == [], f"left {left(folder)}")


@case
def a_setting_that_the_scene_refuses_is_named(folder):
    needs_graphics(folder)
    render(folder, "x.png", *SIZE, "--set", "map=heat").message("map", "heat")
    render(folder, "x.png", *SIZE, "--set", "young=1e5").message("Young")
    check(left(folder) == [], f"left {left(folder)}")


# ---- pictures ------------------------------------------------------------------------------------


@case
def a_picture_has_the_size_that_was_asked_for(folder):
    needs_graphics(folder)
    report = render(folder, "x.png", "--width", 101, "--height", 57, "--json").json()
    check(png_size(os.path.join(folder, "x.png")) == (101, 57), "the size is wrong")
    check((report["width"], report["height"], report["frames"]) == (101, 57, 1), f"{report}")
    check(report["steps"] == 0 and report["seconds"] == 0 and report["device"], f"{report}")
    check(left(folder) == ["x.png"], f"left {left(folder)}")


def pixels(folder, name, *words):
    render(folder, name, *SIZE, *words).expect(0)
    with open(os.path.join(folder, name), "rb") as file:
        return file.read()


@fast_case
def pictures_are_the_same_every_time_and_follow_the_options(folder):
    needs_graphics(folder)
    first = pixels(folder, "a.png", "--time", 0.05)
    check(pixels(folder, "b.png", "--time", 0.05) == first, "two runs differ")
    seen = {first}
    for words in (("--azimuth", 70), ("--elevation", -20), ("--zoom", 2), ("--fov", 90),
                  ("--camera", "3,-3,2"), ("--at", "0,0,0"), ("--map", "speed"), ("--wireframe",),
                  ("--set", "sky=off,ground=off"), ("--set", "gravity=3&shadows=0")):
        picture = pixels(folder, "c.png", "--time", 0.05, *words)
        check(picture not in seen, f"{words} changes nothing")
        seen.add(picture)


@fast_case
def time_is_that_of_the_simulation_at_any_speed(folder):
    needs_graphics(folder)
    one = render(folder, "a.png", *SIZE, "--time", 0.5, "--json").json()
    slow = render(folder, "b.png", *SIZE, "--time", 0.5, "--set", "speed=0.25", "--json").json()
    check(one["steps"] == slow["steps"] == 50, f"{one['steps']} and {slow['steps']} steps, not 50")
    with open(os.path.join(folder, "a.png"), "rb") as a, open(os.path.join(folder, "b.png"),
                                                              "rb") as b:
        check(a.read() == b.read(), "slow motion changes the picture")


@case
def a_full_disk_is_reported(folder):
    if not os.path.exists("/dev/full"):
        raise Skip("/dev/full is not there")
    needs_graphics(folder)
    os.symlink("/dev/full", os.path.join(folder, "x.png"))
    render(folder, "x.png", *SIZE).message("x.png", "No space left")


# ---- videos --------------------------------------------------------------------------------------


@fast_case
def videos_have_the_frames_that_were_asked_for(folder):
    needs_video(folder)
    for name, codec, size in (("x.mp4", "h264", (64, 48)), ("x.gif", "gif", (65, 49)),
                              ("x.webm", "vp9", (64, 48))):
        report = render(folder, name, "--width", 65, "--height", 49, "--from", 0.1, "--to", 0.5,
                        "--fps", 25, "--json").json()
        check(report["frames"] == 10, f"{name}: {report}")
        check(abs(report["seconds"] - 0.46) < 1e-9, f"{name}: {report}")
        found = probe(os.path.join(folder, name))
        check(found == (codec, *size, 10), f"{name}: {found}")
    check(left(folder) == ["x.gif", "x.mp4", "x.webm"], f"left {left(folder)}")


@fast_case
def a_video_lasts_as_long_as_its_scene(folder):
    needs_video(folder)
    report = render(folder, "x.mp4", *SIZE, "--fps", 100, "--json").json()
    check(report["frames"] == 5, f"{report}")  # 5 steps of 0.01 s
    slow = render(folder, "x.mp4", *SIZE, "--fps", 100, "--set", "speed=0.5", "--json").json()
    check(slow["frames"] == 10, f"{slow}")


@fast_case
def a_video_on_a_full_disk_is_reported_in_the_words_of_ffmpeg(folder):
    if not os.path.exists("/dev/full"):
        raise Skip("/dev/full is not there")
    needs_video(folder)
    os.symlink("/dev/full", os.path.join(folder, "x.mp4"))
    render(folder, "x.mp4", *SIZE, "--to", 0.1).message("x.mp4", "ffmpeg", "No space left")


@fast_case
def a_gif_that_no_memory_holds_is_refused(folder):
    needs_video(folder)
    render(folder, "x.gif", "--to", 600).message("x.gif", "mp4")
    check(left(folder) == [], f"left {left(folder)}")


@fast_case
def ctrl_c_leaves_nothing_half_written(folder):
    needs_video(folder)
    for name in ("x.mp4", "x.gif"):
        program = subprocess.Popen(
            [PROGRAM, "render", scene(folder), "-o", os.path.join(folder, name), *map(str, SIZE),
             "--to", "1000"], env=environment(folder), stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        time.sleep(1.5)
        program.send_signal(signal.SIGINT)
        program.communicate(timeout=30)
        check(program.returncode == 1, f"exit status {program.returncode}")
        check(left(folder) == [], f"{name}: left {left(folder)}")


if __name__ == "__main__":
    run_cases()

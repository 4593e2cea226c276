#!/usr/bin/env python3
"""test_window.py LIMBER [PART OF A NAME]: limber view in a window under Xvfb, with synthetic input.
Cases are skipped where Xvfb or xdotool is missing."""
import json
import os
import struct
import subprocess

import gltf_testing
from cli_testing import (ROOT, Skip, bar_scene, case, check, check_close, limber, read_json,
                         run_cases, write, write_json)
from window_testing import Window, display, environment

BAR = {"method": "subspace", "reduce": {"modes": 4, "dimension": 6, "editable": True}}


def bar(folder, name="bar.json", **changes):
    """A bar that is held at its left end and seen in the middle of the window."""
    scene = bar_scene(**{**BAR, **changes})
    scene["title"] = name
    return write_json(folder, name, scene)


def picture_size(path):
    with open(path, "rb") as file:
        head = file.read(24)
    check(head[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG")
    return struct.unpack(">II", head[16:24])


def grab(window):
    """Holds the bar at its middle."""
    window.middle()
    window.press()
    return window.wait("a grab", lambda state: state["holding"] == 1)


# ---- pointers ------------------------------------------------------------------------------------


@case
def a_drag_on_a_body_pulls_it_until_the_release_also_outside_the_window(folder):
    with Window(folder, bar(folder)) as window:
        camera = window.setting("azimuth")
        before = grab(window)
        check(before["grabs"] == 1, f"{before['grabs']} grabs")
        window.point(window.width // 2, window.height // 4)
        window.wait("the pull", lambda state: state["largest_pull"] > 0.05)
        window.point(window.width + 300, 300)  # outside
        pulled = window.wait("a larger pull", lambda state: state["largest_pull"] > 0.15)
        check(pulled["holding"] == 1, "the grab ended at the window's edge")
        window.release()
        window.wait("the release", lambda state: state["holding"] == 0)
        check(window.setting("azimuth") == camera, "the camera turned as well")
        summary = window.quit()
    check(summary["grabs"] == 1, f"{summary['grabs']} grabs")
    check(summary["largest_force"] > 0, "no force was felt")


@case
def a_drag_beside_the_body_turns_the_right_button_pans_the_wheel_zooms(folder):
    with Window(folder, bar(folder)) as window:
        def camera():
            return {name: float(window.setting(name)) for name in
                    ("azimuth", "elevation", "distance", "at.x", "at.y", "at.z")}
        first = camera()
        window.drag((10, 10), (90, 10))
        turned = camera()
        check(abs(turned["azimuth"] - first["azimuth"]) > 0.2, f"not turned: {first} {turned}")
        check(turned["distance"] == first["distance"], "turning changed the distance")
        window.drag((10, 10), (60, 40), button=3)
        panned = camera()
        check(panned["azimuth"] == turned["azimuth"], "panning turned the camera")
        check(any(abs(panned[name] - turned[name]) > 0.01 for name in ("at.x", "at.y", "at.z")),
              f"not panned: {turned} {panned}")
        window.xdotool("keydown", "shift")
        window.drag((10, 10), (60, 40))
        window.xdotool("keyup", "shift")
        check(camera()["azimuth"] == turned["azimuth"] and camera() != panned, "shift does not pan")
        near = camera()["distance"]
        window.xdotool("click", 5)
        window.wait("the wheel", lambda _: float(window.setting("distance")) > 1.05 * near)
        window.xdotool("click", 4, "click", 4)
        window.wait("the wheel", lambda _: float(window.setting("distance")) < 0.95 * near)
        check(window.quit()["grabs"] == 0, "something was grabbed")


@case
def double_presses_and_control_pin_and_x_lets_go(folder):
    with Window(folder, bar(folder)) as window:
        window.middle()
        window.xdotool("click", "--repeat", 2, "--delay", 20, 1)
        window.wait("a pin", lambda state: state["pins"] == 1 and state["holding"] == 0)
        window.frames(3)
        window.point(10, 10)  # somewhere else, so that the next pair begins anew
        window.xdotool("click", 1)
        window.frames(3)
        window.middle()
        window.xdotool("click", "--repeat", 2, "--delay", 20, 1)
        window.wait("no pin", lambda state: state["pins"] == 0)
        window.frames(3)
        window.point(window.width // 2 + 15, window.height // 2)
        window.press()
        window.wait("a grab", lambda state: state["holding"] == 1)
        window.xdotool("keydown", "ctrl")
        window.release()
        window.xdotool("keyup", "ctrl")
        window.wait("a pin from a grab", lambda state: state["pins"] == 1)
        window.keys("x")
        window.wait("the end of the pin", lambda state: state["pins"] == 0)
        window.quit()


@case
def each_tool_does_its_own(folder):
    with Window(folder, bar(folder)) as window:
        camera = window.setting("azimuth")
        window.keys("4")
        grab(window)  # a ball
        window.release()
        window.wait("no ball", lambda state: state["holding"] == 0)
        window.frames(3)
        window.keys("2")
        window.middle()
        window.press()
        window.release()
        window.wait("a pin", lambda state: state["pins"] == 1)
        window.keys("x", "3")
        window.frames(3)
        window.point(window.width // 2 + 12, window.height // 2)
        window.press()
        state = window.frames(3)
        check(state["holding"] == 0 and state["pins"] == 0, f"a poke holds something: {state}")
        window.release()
        check(window.setting("azimuth") == camera, "a press on the body turned the camera")
        window.keys("1")
        window.frames(3)
        window.point(window.width // 2 - 12, window.height // 2)
        window.press()
        window.wait("a grab", lambda state: state["grabs"] == 1)
        window.release()
        check(window.quit()["grabs"] == 1, "another tool grabbed")


@case
def a_grab_ends_when_the_window_is_hidden_or_loses_the_focus(folder):
    with Window(folder, bar(folder)) as window:
        grab(window)
        window.xdotool("windowunmap", window.id)
        window.wait("the end of the grab", lambda state: state["holding"] == 0)
        window.xdotool("windowmap", window.id)
        window.release()
        window.xdotool("windowfocus", window.id)
        window.frames(3)
        grab(window)
        window.keys("Escape")
        window.wait("Escape", lambda state: state["holding"] == 0)
        window.release()
        window.quit()


# ---- keys ----------------------------------------------------------------------------------------


@case
def keys_set_what_the_table_says(folder):
    with Window(folder, bar(folder), width=300) as window:
        window.keys("space")
        window.wait_setting("paused", 1)
        before = window.frames(2)["steps"]
        check(window.frames(3)["steps"] == before, "steps are taken during the pause")
        window.keys("period")
        window.wait("a single step", lambda state: state["steps"] == before + 1)
        window.keys("space")
        window.wait("steps", lambda state: state["steps"] > before + 2)
        window.keys("period")  # pauses
        window.wait_setting("paused", 1)
        for key, name, value in (("g", "gravity_on", 0), ("m", "map", 1), ("w", "wireframe", 1),
                                 ("e", "simulation_mesh", 1), ("b", "fixed_nodes", 1),
                                 ("bracketleft", "speed", 0.5), ("n", "method", 2),
                                 ("c", "compare", 1)):
            window.keys(key)
            window.wait_setting(name, value)
        window.keys("M")
        window.wait_setting("map", None)
        window.keys("backslash")
        window.wait_setting("speed", None)
        azimuth = window.setting("azimuth")
        window.keys("Left")
        window.wait("an arrow", lambda _: window.setting("azimuth") != azimuth)
        window.keys("question")
        window.wait("the list of keys", lambda state: state["help"])
        window.keys("Escape")
        window.wait("its end", lambda state: not state["help"])
        window.keys("Tab")
        window.wait("the panel", lambda state: state["panel"])
        window.keys("j")
        window.wait("a message", lambda state: "no other scene" in state["note"])
        window.quit()


@case
def presses_on_the_panel_do_not_reach_the_scene(folder):
    with Window(folder, bar(folder), width=700, height=400, panel=True) as window:
        first = window.state()["link"]
        window.point(100, 22)  # its title
        window.press()
        window.point(200, 24)
        window.release()
        check(window.frames()["link"] == first, "a drag on the panel changed the scene")
        window.drag((690, 10), (600, 60))
        check(window.state()["link"] != first, "a drag beside the panel does nothing")
        window.quit()


# ---- saving --------------------------------------------------------------------------------------


@case
def pictures_are_saved_under_the_next_free_number_without_the_panel(folder):
    write(folder, "limber-002.png", "taken")
    with Window(folder, bar(folder), width=600, height=300, panel=True) as window:
        window.keys("space", "p")
        window.wait("the first", lambda state: state["saved"] == 1)
        window.keys("Tab", "p")
        window.wait("the second", lambda state: state["saved"] == 2)
        check("limber-003.png" in window.state()["note"], window.state()["note"])
        window.quit()
    paths = [os.path.join(folder, f"limber-00{i}.png") for i in (1, 3)]
    for path in paths:
        check(picture_size(path) == (600, 300), f"{path}: {picture_size(path)}")
    with open(paths[0], "rb") as one, open(paths[1], "rb") as other:
        check(one.read() == other.read(), "the panel is in the picture, or moves it")


@case
def videos_animations_and_sketches_are_saved(folder):
    with Window(folder, bar(folder)) as window:
        window.keys("v", "a", "k")
        grab(window)
        window.point(window.width // 2, window.height // 4)
        window.wait("the pull", lambda state: state["largest_pull"] > 0.05)
        window.release()
        window.wait("the release", lambda state: state["holding"] == 0)
        window.frames(3)
        window.keys("k")
        window.wait("the sketch", lambda state: state["saved"] == 1)
        window.keys("a")
        window.wait("the animation", lambda state: state["saved"] == 2)
        summary = window.quit()  # ends the video
    check(summary["saved"] == 3, f"saved: {summary['saved']}")
    sketch = read_json(os.path.join(folder, "limber-001.sketch.json"))
    check(len(sketch["loads"]) >= 1, f"the sketch has no load: {sketch}")
    found = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=width,height",
                            "-of", "json", os.path.join(folder, "limber-001.mp4")],
                           capture_output=True, text=True, check=True).stdout
    stream = json.loads(found)["streams"][0]
    check((stream["width"], stream["height"]) == (240, 180), f"the video is {stream}")
    gltf_testing.validate(os.path.join(folder, "limber-001.glb"))


@case
def a_folder_that_cannot_be_written_gives_a_message(folder):
    with Window(folder, bar(folder), cwd="/proc") as window:
        window.keys("p")
        state = window.wait("the message", lambda state: state["note"])
        check("limber-001.png" in state["note"] and state["saved"] == 0, state["note"])
        window.keys("k", "k")
        window.wait("the sketch's", lambda state: "sketch.json" in state["note"])
        window.quit()


# ---- the window itself ---------------------------------------------------------------------------


@case
def the_window_may_have_any_size(folder):
    with Window(folder, bar(folder), panel=True) as window:
        for width, height in ((500, 90), (1, 1), (3, 400), (800, 500), (240, 180)):
            window.xdotool("windowsize", window.id, width, height)
            window.wait("the new size", lambda state: (state["width"], state["height"]) ==
                        (width, height))
            window.frames()
        window.keys("p")
        window.wait("a picture", lambda state: state["saved"] == 1)
        grab(window)
        window.release()
        window.quit()
    check(picture_size(os.path.join(folder, "limber-001.png")) == (240, 180), "another size")


@case
def a_scene_of_the_gallery_that_cannot_be_opened_leaves_the_old_one(folder):
    bar(folder, "first.json")
    write(folder, "broken.json", '{ "limber": 1, "bodies": [')
    bar(folder, "last.json")
    write_json(folder, "gallery.json", ["first.json", "broken.json", "missing.json", "last.json"])
    with Window(folder, folder) as window:
        window.keys("j")
        state = window.wait("a refusal", lambda state: state["refused"] == 1)
        check("broken.json" in state["note"], state["note"])
        check(state["title"] == "first.json", f"shown: {state['title']}")
        window.keys("j")
        window.wait("another", lambda state: state["refused"] == 2)
        window.keys("j")
        state = window.wait("the last", lambda state: state["opened"] == 2)
        check(state["title"] == "last.json", f"shown: {state['title']}")
        window.keys("a")  # an animation that ends with its scene
        window.frames(3)
        window.keys("j")
        state = window.wait("the first", lambda state: state["opened"] == 3)
        check(state["title"] == "first.json", f"shown: {state['title']}")
        grab(window)
        window.release()
        summary = window.terminate()
    check(summary["refused"] == 2 and summary["opened"] == 3, f"{summary}")


@case
def models_scenes_and_meshes_open(folder):
    limber("build", bar(folder), "-o", os.path.join(folder, "model.glb"), "--accuracy",
           "none").expect(0)
    write(folder, "box.obj", "".join(f"v {x} {y} {z}\n" for z in (0, 0.06) for y in (0, 0.06)
                                     for x in (0, 1)) +
          "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n")
    for name in ("model.glb", "box.obj", os.path.join(ROOT, "tests", "data", "world-2.glb")):
        with Window(folder, name) as window:
            check(window.state()["opened"] == 1, f"{name} is not open")
            window.terminate()
        os.remove(os.path.join(folder, "state.json"))


@case
def a_typed_path_is_opened_and_a_wrong_one_leaves_the_old(folder):
    other = bar(folder, "other.json")
    with Window(folder, bar(folder), width=700, height=400, panel=True) as window:
        window.keys("o")
        window.frames(3)
        window.xdotool("type", "nowhere.json")
        window.frames(3)
        window.keys("Return")
        window.wait("a refusal", lambda state: "nowhere.json" in state["note"])
        check(window.state()["opened"] == 1, "something else is open")
        window.keys("Escape")
        window.frames(3)
        window.keys("o")  # what was typed is there, and selected
        window.frames(3)
        window.xdotool("type", os.path.basename(other))
        window.frames(3)
        window.keys("Return")
        window.wait("the other scene", lambda state: state["opened"] == 2)
        window.frames(3)
        window.quit()  # the field is gone: keys are the window's again


@case
def closing_ends_long_work(folder):
    slow = bar(folder, mesh={"generate": "bar", "size": [1, 0.2, 0.2], "cells": [60, 12, 12]},
               reduce={"modes": 20, "dimension": 60})
    with Window(folder, slow, ready=False, settings=None) as window:
        window.place()
        window.keys("q")
        summary = window.end()
    check(summary["opened"] == 0, "it was opened after all")
    check(not os.listdir(folder) or sorted(os.listdir(folder)) in
          (["bar.json"], ["bar.json", "state.json"]), f"left: {os.listdir(folder)}")


# ---- refusals ------------------------------------------------------------------------------------


@case
def without_a_display_or_opengl_there_is_a_message(folder):
    path = bar(folder)
    bare = {key: value for key, value in os.environ.items()
            if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    limber("view", path, env=bare).message("no window", "DISPLAY", "limber view --web",
                                           "limber render")
    limber("view", path, env=dict(bare, DISPLAY=":9999")).message("no window", ":9999")
    old = environment(MESA_GL_VERSION_OVERRIDE="2.1", MESA_GLSL_VERSION_OVERRIDE="120")
    limber("view", path, env=old).message("no window", "limber render")


@case
def bad_files_and_options_are_refused(folder):
    env = environment()
    path = bar(folder)
    limber("view", "missing.json", cwd=folder, env=env).message("missing.json")
    write(folder, "broken.glb", b"glTF\x02\0\0\0 and no more")
    limber("view", "broken.glb", cwd=folder, env=env).message("broken.glb")
    write(folder, "text.obj", "this is no mesh\n")
    limber("view", "text.obj", cwd=folder, env=env).message("text.obj")
    for words in (["--width", "0"], ["--height", "99999"], ["--port", "-1"], ["--seconds", "-1"],
                  ["--set", "colour=1"], ["--set", "speed"], ["--sett", "speed=1"], [path]):
        limber("view", path, *words, env=env).message(status=2)
    limber("view", path, "--set", "map=blue", env=env).message("map", "blue", status=1)


@case
def it_closes_by_itself_after_seconds(folder):
    result = limber("view", bar(folder), "--seconds", "1", "--width", "120", "--height", "90",
                    "--json", env=environment()).json()
    check(result["opened"] == 1 and result["frames"] >= 1, f"{result}")
    check_close(result["width"], 120, 0, "width")
    check("llvmpipe" in result["device"] or result["device"], "no device")


run_cases()

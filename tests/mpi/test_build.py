#!/usr/bin/env python3
"""limber-mpi build: the models of limber build, array by array, and its JSON."""
import os

from mpi_testing import generate, limber_mpi, model_arrays, worst_difference
from cli_testing import case, check, limber, run_cases

# Of the largest value of an array. Solutions with K are good to its condition times rounding, and
# vectors of nearly equal singular values share that out among each other.
TOLERANCE = 1e-6
ROUNDING = {"modal.residuals"}
# Gravity does nothing to a free body, and rounding is all there is.
ROUNDING_WHEN_FREE = {"modal.gravity", "modal.launch", "subspace.gravity", "subspace.launch",
                      "subspace.pull"}
# What tells of the machine or the time.
OTHER = {"seconds", "time", "file", "output", "bytes", "accuracy"}


def build(folder, ranks, *words):
    paths = [os.path.join(folder, name) for name in ("one.glb", "parts.glb")]
    words = ("build",) + words + ("--accuracy", "none", "--json", "-o")
    documents = [limber(*words, paths[0]).json(), limber_mpi(ranks, *words, paths[1]).json()]
    return documents, [model_arrays(path) for path in paths]


def compare(folder, ranks, *words):
    (expected, found), (first, other) = build(folder, ranks, *words)
    check(found.keys() == expected.keys(), f"JSON: {sorted(found)}, expected {sorted(expected)}")
    for key in expected.keys() - OTHER:
        if isinstance(expected[key], (int, str)):
            check(found[key] == expected[key], f"{key}: {found[key]}, expected {expected[key]}")
    check(other.keys() == first.keys(), f"other arrays: {sorted(other.keys() ^ first.keys())}")
    left_out = ROUNDING | (ROUNDING_WHEN_FREE if "--free" in words else set())
    worst = (0.0, "")
    for name in first.keys() - left_out:
        check(other[name][0] == first[name][0], f"{name} is {other[name][0]}, not {first[name][0]}")
        worst = max(worst, (worst_difference(other[name][1], first[name][1]), name))
    text = f"{ranks} ranks: residual {worst[0]:.1e} ({worst[1]}), tolerance {TOLERANCE:.0e}"
    print(f"  {text}")
    check(worst[0] <= TOLERANCE, text)


@case
def modes_derivatives_and_coefficients_of_a_bar(folder):
    for ranks in (1, 2):
        compare(folder, ranks, "scenes/bar.json", "--modes", 8, "--dimension", 12)


@case
def free_sphere_of_tets(folder):
    compare(folder, 2, generate(folder, "sphere"), "--free", "--dimension", 15)


@case
def editable_bar_with_the_defaults_of_a_mesh(folder):
    compare(folder, 3, generate(folder, "bar", "--cells", "8,3,2"), "--editable", "--dimension", 10)


@case
def modal_model(folder):
    compare(folder, 2, "scenes/bar.json", "--method", "modal", "--modes", 6)


@case
def cubature_with_poses_that_are_shortened(folder):
    mesh = generate(folder, "bar", "--cells", "8,3,2")
    compare(folder, 2, mesh, "--material", "neohookean", "--modes", 6, "--dimension", 6, "--poses",
            40, "--amplitude", 1.5)


@case
def extended_modes_of_bodies_that_are_held_and_free(folder):
    compare(folder, 2, "scenes/bar.json", "--basis", "extended", "--modes", 3)
    compare(folder, 3, generate(folder, "sphere"), "--free", "--basis", "extended", "--modes", 2)


@case
def what_parts_cannot_do_is_said(folder):
    output, vectors = os.path.join(folder, "x.glb"), os.path.join(folder, "u.npy")
    with open(vectors, "w") as file:
        file.write("1,0,0\n")
    result = limber_mpi(2, "build", "scenes/bar.json", "--basis", vectors, "-o", output)
    check(result.status == 1 and "use limber itself" in result.err, f"{result.err!r}")
    check(not os.path.exists(output), "a file was written")


run_cases()

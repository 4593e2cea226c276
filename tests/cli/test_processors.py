#!/usr/bin/env python3
"""Models are the same on every processor: built with the BLAS kernels of several.

OPENBLAS_CORETYPE chooses the kernels; those that this processor cannot run are left out. They round
differently, which decides about the vectors of repeated eigenvalues where nothing else does.
"""
import os

from cli_testing import SANITIZED, Skip, add_case, check, fast_case, limber, read_npz, run_cases

NEEDS = {"Haswell": {"avx2", "fma"}, "Prescott": {"pni"}, "Sandybridge": {"avx"},
         "Zen": {"avx2", "fma"}, "SkylakeX": {"avx512f", "avx512dq", "avx512bw", "avx512vl"}}
BODIES = {
    "bar": ["bar", "--size", "1,0.2,0.2", "--cells", "10,2,2", "--element", "brick8"],
    "tet bar": ["bar", "--size", "1,0.2,0.2", "--cells", "8,2,2"],
    "cube": ["bar", "--size", "1,1,1", "--cells", "4,4,4", "--element", "brick8"],
    "cylinder": ["cylinder", "--element", "brick8"],
    "sphere": ["sphere", "--element", "brick8"],
}
# Of the largest value of an array. The modes of a free body are found among six rigid motions, which
# costs digits.
HELD, FREE = 1e-8, 1e-7
# Residuals are rounding; gravity does nothing to a free body, and rounding is all there is.
ROUNDING = {"modal.residuals"}
ROUNDING_WHEN_FREE = {"modal.gravity", "modal.launch", "subspace.gravity", "subspace.launch",
                      "subspace.pull"}


def core_types():
    try:
        with open("/proc/cpuinfo") as file:
            flags = next(line for line in file if line.startswith("flags")).split()
    except (OSError, StopIteration):
        raise Skip("this processor does not tell what it can do") from None
    return [name for name, needs in NEEDS.items() if needs <= set(flags)]


def build(folder, core, mesh, *options):
    """The arrays of a model that was built with the kernels of this processor."""
    model = os.path.join(folder, "model.glb")
    environment = dict(os.environ, OPENBLAS_CORETYPE=core)
    limber("build", mesh, "-o", model, "--accuracy", "none", "--quiet", *options,
           env=environment).expect(0)
    limber("export", model, "-o", model + ".npz", "--quiet").expect(0)
    return read_npz(model + ".npz")


def compare(folder, mesh, *options):
    cores = core_types()
    free, worst = "--free" in options, (0.0, "", "")
    first = build(folder, cores[0], mesh, *options)
    for core in cores[1:]:
        other = build(folder, core, mesh, *options)
        check(other.keys() == first.keys(), f"{core}: other arrays than {cores[0]}")
        for name, (shape, numbers, _) in first.items():
            check(other[name][0] == shape, f"{core}: {name} is {other[name][0]}, not {shape}")
            if name in ROUNDING or (free and name in ROUNDING_WHEN_FREE) or not numbers:
                continue
            scale = max(abs(x) for x in numbers)
            away = max(abs(x - y) for x, y in zip(numbers, other[name][1]))
            worst = max(worst, (away / scale if scale else away, name, core))
    tolerance = FREE if free else HELD
    text = f"residual {worst[0]:.1e} ({worst[1]}, {worst[2]}), tolerance {tolerance:.0e}"
    print(f"  {', '.join(cores)}: {text}")
    check(worst[0] <= tolerance, text)


def add_body(name, options):
    def same_model(folder):
        mesh = os.path.join(folder, "body.msh")
        limber("mesh", "--generate", *BODIES[name], "-o", mesh, "--quiet").expect(0)
        compare(folder, mesh, *options)
    add_case(" ".join(["the same model of a", name] + [o.strip("-") for o in options]), same_model)


if not SANITIZED:
    for body in BODIES:
        add_body(body, [])
        add_body(body, ["--free"])
    for options in (["--metric", "lumped"], ["--basis", "extended", "--modes", "3"],
                    ["--basis", "linear", "--modes", "7"], ["--dimension", "3"],
                    ["--method", "modal", "--modes", "9", "--discard"],
                    ["--forces", "cubature", "--dimension", "8", "--elements", "20"],
                    ["--forces", "cubature", "--dimension", "8", "--elements", "20", "--free"]):
        add_body("bar", options)


@fast_case
def a_repeatable_model_has_the_same_bytes(folder):
    """Whatever the kernels and the number of threads: of subspace with its check, and of modal."""
    mesh = os.path.join(folder, "body.msh")
    limber("mesh", "--generate", *BODIES["sphere"], "-o", mesh, "--quiet").expect(0)
    cores = core_types()
    for options in (["--dimension", "6"], ["--method", "modal"]):
        models = []
        for core, threads in ((cores[0], 1), (cores[-1], 2), ("Prescott", 3)):
            model = os.path.join(folder, "model.glb")
            limber("build", mesh, "--modes", 5, *options, "--repeatable", "--threads", threads, "--quiet", "-o",
                   model, env=dict(os.environ, OPENBLAS_CORETYPE=core)).expect(0)
            with open(model, "rb") as file:
                models.append(file.read())
        check(models[0] == models[1] == models[2], f"{options}: bytes differ")


@fast_case
def a_square_bar_with_a_cut_pair_says_so(folder):
    """Three vectors of this basis end between two that bend the bar along one side each."""
    mesh = os.path.join(folder, "body.msh")
    limber("mesh", "--generate", *BODIES["bar"], "-o", mesh, "--quiet").expect(0)
    for dimension in range(1, 9):
        model = os.path.join(folder, "model.glb")
        result = limber("build", mesh, "-o", model, "--accuracy", "none", "--modes", "5",
                        "--dimension", dimension).expect(0)
        values = read_values(folder, mesh)
        cut = values[dimension - 1] - values[dimension] <= 1e-4 * values[dimension - 1]
        check(("matter equally" in result.err) == cut,
              f"dimension {dimension}: {result.err!r}, values {values}")
        provenance = limber("info", model).expect(0).out
        check((f"{dimension} of " in provenance) and ("cut between equal" in provenance) == cut,
              f"dimension {dimension}: {provenance}")


def read_values(folder, mesh):
    whole = os.path.join(folder, "whole.glb")
    limber("build", mesh, "-o", whole, "--accuracy", "none", "--modes", "5", "--dimension", "9",
           "--quiet").expect(0)
    limber("export", whole, "-o", whole + ".npz", "--quiet").expect(0)
    return read_npz(whole + ".npz")["subspace.values"][1]


run_cases()

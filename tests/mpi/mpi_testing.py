"""Running limber-mpi beside limber; see tests/cli/cli_testing.py."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))

from cli_testing import PROGRAM, Failure, Result, check, limber, read_npz  # noqa: E402

LIMBER_MPI = os.path.join(os.path.dirname(PROGRAM), "limber-mpi")
# Root in a container, more ranks than processors, no spinning beside other tests.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                   OMPI_MCA_hwloc_base_binding_policy="none",
                   OMPI_MCA_btl_vader_single_copy_mechanism="none")


def limber_mpi(ranks, *words, timeout=120):
    command = ["mpirun", "-n", str(ranks), LIMBER_MPI] + [str(word) for word in words]
    try:
        done = subprocess.run(command, env=ENVIRONMENT, timeout=timeout, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        raise Failure(f"no end after {timeout} s\n  command: {' '.join(command)}") from None
    return Result(command, done.returncode, done.stdout.decode(), done.stderr.decode(), 0)


def generate(folder, name, *options):
    path = os.path.join(folder, f"{name}.msh")
    limber("mesh", "--generate", name, *options, "-o", path, "--quiet").expect(0)
    return path


def worst_difference(found, expected):
    """The largest difference, of the largest expected value."""
    check(len(found) == len(expected), f"{len(found)} values, expected {len(expected)}")
    scale = max((abs(x) for x in expected), default=0)
    away = max((abs(x - y) for x, y in zip(found, expected)), default=0)
    return away / scale if scale else away


def model_arrays(model):
    limber("export", model, "-o", model + ".npz", "--quiet").expect(0)
    return read_npz(model + ".npz")

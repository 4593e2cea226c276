#!/usr/bin/env python3
"""limber-mpi: restarts, ranks that die, memory that is not there, the iterative solver."""
import glob
import os
import signal
import subprocess
import time

from mpi_testing import ENVIRONMENT, LIMBER_MPI, generate, limber_mpi
from cli_testing import Failure, case, check, limber, run_cases


def read(path):
    with open(path, "rb") as file:
        return file.read()


@case
def a_second_build_goes_on_from_the_first(folder):
    mesh, kept = generate(folder, "bar", "--cells", "6,2,2"), os.path.join(folder, "kept")
    paths = [os.path.join(folder, f"{i}.glb") for i in range(2)]
    words = ("build", mesh, "--modes", 5, "--dimension", 6, "--restart", kept, "-o")
    limber_mpi(2, *words, paths[0]).expect(0)
    files = sorted(glob.glob(os.path.join(kept, "*")))
    check(len(files) == 3, f"{files}: expected modes, basis and polynomials")
    with open(files[0], "r+b") as file:  # one is damaged: its stage is done again
        file.seek(-1, os.SEEK_END)
        last = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([last[0] ^ 1]))
    again = limber_mpi(1, *words, paths[1]).expect(0)
    check("finished before" in again.err, again.err)
    check(again.err.count("done again") == 1, again.err)
    other = limber_mpi(1, "build", mesh, "--modes", 4, "--dimension", 6, "--restart", kept, "-o",
                       paths[1]).expect(0)
    check("finished before" not in other.err, "other options took the same files")


def children(pid):
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            fields = read(path).decode("utf-8", "replace").rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(path.split("/")[2]))
    return sorted(found)


@case
def a_rank_that_dies_ends_the_program_and_the_restart_goes_on(folder):
    mesh, kept = generate(folder, "bar", "--cells", "10,4,4"), os.path.join(folder, "kept")
    output = os.path.join(folder, "x.glb")
    words = ("build", mesh, "--modes", 20, "--dimension", 40, "--restart", kept, "-o", output)
    command = ["mpirun", "-n", "2", LIMBER_MPI] + [str(word) for word in words]
    job = subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    start = time.time()
    while not glob.glob(os.path.join(kept, "modes-*.restart")):
        if job.poll() is not None or time.time() - start > 90:
            job.kill()
            raise Failure(f"no modes: {job.communicate()[1].decode()}")
        time.sleep(0.01)
    ranks = children(job.pid)
    check(len(ranks) >= 2, f"{ranks}: expected two ranks")
    os.kill(ranks[1], signal.SIGKILL)
    _, err = job.communicate(timeout=60)
    check(job.returncode != 0 and "signal 9" in err.decode(), f"{job.returncode}: {err.decode()!r}")
    check(not os.path.exists(output), "half a job has written its file")
    again = limber_mpi(2, *words).expect(0)
    check("finished before" in again.err and os.path.exists(output), again.err)


@case
def a_mesh_that_no_memory_holds_is_said_before_the_work(folder):
    mesh = generate(folder, "bar")
    result = limber_mpi(2, "modes", mesh, "--memory", 1e-5)
    check(result.status == 1 and "GB a rank" in result.err, f"{result.status}: {result.err!r}")
    check(not result.out, result.out)


def write_loose_bars(folder):
    """Two bars of bricks, one after the other in one file, that nothing joins."""
    points, bricks = [], []
    for part in range(2):
        first, cells = len(points), (5 + part, 2, 2)
        def vertex(i, j, k):
            return first + (i * 3 + j) * 3 + k + 1
        points += [(0.1 * i, 0.1 * j + part, 0.1 * k) for i in range(cells[0] + 1)
                   for j in range(3) for k in range(3)]
        bricks += [[vertex(i + x, j + y, k + z) for x, y, z in
                    ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0),
                     (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))]
                   for i in range(cells[0]) for j in range(2) for k in range(2)]
    path = os.path.join(folder, "loose.msh")
    with open(path, "w") as file:
        file.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(points)}\n")
        for n, (x, y, z) in enumerate(points):
            file.write(f"{n + 1} {x} {y} {z}\n")
        file.write(f"$EndNodes\n$Elements\n{len(bricks)}\n")
        for n, brick in enumerate(bricks):
            file.write(f"{n + 1} 5 2 1 1 {' '.join(str(v) for v in brick)}\n")
        file.write("$EndElements\n")
    return path


@case
def the_iterative_solver_finds_the_rigid_motions_of_loose_parts(folder):
    words = ("modes", write_loose_bars(folder), "--count", 5, "--json")
    expected = limber(*words).json()["frequencies_hz"]
    found = limber_mpi(3, *words, "--solver", "iterative").json()
    check(found["rigid_modes"] == 12, f"{found['rigid_modes']} rigid modes")
    worst = max(abs(a / b - 1) for a, b in zip(found["frequencies_hz"], expected))
    check(worst <= 1e-8, f"frequencies: residual {worst:.1e}, tolerance 1e-08")
    print(f"  residual {worst:.1e}, tolerance 1e-08")


@case
def the_iterative_solver_finds_the_same_frequencies(folder):
    mesh = generate(folder, "sphere")
    words = ("modes", mesh, "--count", 6, "--json")
    expected = limber(*words).json()["frequencies_hz"]
    found = limber_mpi(2, *words, "--solver", "iterative").json()
    check(found["rigid_modes"] == 6, f"{found['rigid_modes']} rigid modes")
    worst = max(abs(a / b - 1) for a, b in zip(found["frequencies_hz"], expected))
    check(worst <= 1e-8, f"frequencies: residual {worst:.1e}, tolerance 1e-08")
    print(f"  residual {worst:.1e}, tolerance 1e-08")


run_cases()

"""Run by test_matrices.py with a Python that has SciPy: reads the files that limber wrote and prints,
as JSON, the residuals of what must hold for them. usage: scipy_matrices.py FOLDER"""
import json
import sys

import numpy
import scipy.io
import scipy.sparse

folder = sys.argv[1] + "/"


def both(name):
    """A sparse matrix from its .mtx, and how far the .npz is from it."""
    market = scipy.sparse.csr_matrix(scipy.io.mmread(folder + name + ".mtx"))
    archive = scipy.sparse.load_npz(folder + name + ".npz")
    assert archive.format == "csr" and archive.has_sorted_indices
    return market, abs(market - archive).max()


def largest(matrix):
    return float(abs(matrix).max())


found = {}
K, found["stiffness files differ"] = both("stiffness")
M, found["mass files differ"] = both("mass")
L, found["lumped files differ"] = both("lumped")
Kh, found["held stiffness files differ"] = both("held-stiffness")
Mh, found["held mass files differ"] = both("held-mass")

arrays = numpy.load(folder + "modes.npz")
phi, values = arrays["modes"], arrays["eigenvalues"]
found["modes files differ"] = largest(scipy.io.mmread(folder + "modes.mtx") - phi)
held = numpy.load(folder + "held-modes.npz")
free_rows = (3 * held["vertices"][:, None] + numpy.arange(3)).ravel()
found["held modes are rows of the modes"] = largest(held["modes"] - phi[free_rows])
fixed_rows = numpy.setdiff1d(numpy.arange(K.shape[0]), free_rows)
found["modes move fixed vertices"] = largest(phi[fixed_rows]) if len(fixed_rows) else 0.0

# K with the rows of free vertices is the matrix of --held; both are symmetric
found["K is not symmetric"] = largest(K - K.T) / largest(K)
found["M is not symmetric"] = largest(M - M.T) / largest(M)
found["held K is no part of K"] = largest(Kh - K[free_rows][:, free_rows]) / largest(K)
found["held M is no part of M"] = largest(Mh - M[free_rows][:, free_rows]) / largest(M)

# K Phi = M Phi Lambda, Phi^T M Phi = 1
residual = Kh @ held["modes"] - (Mh @ held["modes"]) * values
found["K Phi = M Phi Lambda"] = largest(residual) / largest(Kh @ held["modes"])
found["Phi^T M Phi = 1"] = largest(phi.T @ (M @ phi) - numpy.eye(phi.shape[1]))

# U^T M U = 1: the finding that nobody could check a basis
U = numpy.load(folder + "basis.npz")["basis"]
found["basis files differ"] = largest(scipy.io.mmread(folder + "basis.mtx") - U)
found["U^T M U = 1"] = largest(U.T @ (M @ U) - numpy.eye(U.shape[1]))
lumped_gram = largest(U.T @ (L @ U) - numpy.eye(U.shape[1]))

# row sums of M are the lumped masses
sums = numpy.asarray(M.sum(axis=1)).ravel()
found["row sums of M are not the lumped masses"] = largest(sums - L.diagonal()) / largest(sums)
found["L is not diagonal"] = largest(L - scipy.sparse.diags(L.diagonal()))

# rigid translations cost nothing
ones = numpy.tile(numpy.eye(3), (K.shape[0] // 3, 1))
found["translations strain K"] = largest(K @ ones) / largest(K)

# K Phi_ij = -(H : Phi_i) Phi_j: by finite differences, see test_matrices.py
d = numpy.load(folder + "derivatives.npz")
count = len(values)
pairs = [(i, j) for i in range(count) for j in range(i, count)]
found["pairs"] = 0.0 if [tuple(p) for p in d["pairs"]] == pairs else 1.0
found["modes of the derivatives"] = largest(d["modes"] - phi) / largest(phi)
assert d["derivatives"].shape == (K.shape[0], len(pairs)), d["derivatives"].shape
forces = K @ d["derivatives"][:, [pairs.index((0, 0)), pairs.index((0, 1))]]
# K's own rows at fixed vertices give the reactions, which are not compared
forces[fixed_rows] = 0
numpy.savetxt(folder + "forces.csv", numpy.hstack([forces, phi[:, :2]]), delimiter=",",
              fmt="%.17g")
print(json.dumps({"residuals": {k: float(v) for k, v in found.items()}, "rows": K.shape[0],
                  "mass": float(M.sum() / 3), "lumped_gram": lumped_gram}))

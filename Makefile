# The front door. `make` leaves the program at build/limber.
.PHONY: all deps deps-mpi mpi run web test check bench clean

all:
	@tools/deps.sh build
	@cmake --preset release -Wno-dev -DLIMBER_TESTS=OFF > /dev/null
	@cmake --build build --target limber-cli

# Installs what is missing, by name; does nothing, offline, when all is there.
deps:
	@tools/deps.sh

# PETSc, SLEPc and MPI, with which limber-mpi is built beside limber (docs/mpi.md).
deps-mpi:
	@tools/deps.sh mpi

# limber-mpi, beside limber.
mpi: deps-mpi all
	@cmake --build build --target limber-mpi

# The main job: the gallery in a window, or in pictures where there is no display.
run: all
	@tools/demo.sh

# Everything: gcc, clang without SIMD, sanitizers, fuzzing. The last line counts the tests.
test: deps
	@python3 tools/run_tests.py

# The quick part for daily work: one build, its tests.
check: deps
	@python3 tools/run_tests.py --quick

# The page as a static folder, web/dist: engine and renderer in WebAssembly, and the gallery.
web: all
	@tools/deps.sh web
	@cmake --preset web -Wno-dev > /dev/null
	@cmake --build build-web --target limber-page limber-builder
	@python3 tools/make_page.py build/limber build-web/page

bench: all
	@build/limber bench

clean:
	rm -rf build build-* web/dist

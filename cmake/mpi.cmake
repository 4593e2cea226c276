# limber-mpi: the engine "petsc" and the verbs that use it, where PETSc, SLEPc and MPI are installed
# (`make deps-mpi`). Nothing else links any of it.
pkg_check_modules(SLEPC IMPORTED_TARGET SLEPc)
pkg_check_modules(PETSC IMPORTED_TARGET PETSc)
find_package(MPI COMPONENTS C QUIET)
find_library(LIMBER_MUMPS dmumps) # which PETSc's packages bring along
set(LIMBER_MPI OFF)
if(SLEPC_FOUND AND PETSC_FOUND AND MPI_C_FOUND AND LIMBER_MUMPS AND NOT LIMBER_SANITIZE)
  set(LIMBER_MPI ON)
  limber_layer_sources(petsc_sources petsc)
  add_library(limber-petsc STATIC ${petsc_sources})
  limber_set_up(limber-petsc)
  target_compile_definitions(limber-petsc PRIVATE _GNU_SOURCE)
  target_link_libraries(limber-petsc PUBLIC limber-build
    PRIVATE PkgConfig::SLEPC PkgConfig::PETSC ${LIMBER_MUMPS} MPI::MPI_C)

  # The verbs are those of limber itself.
  set(mpi_verbs build cubature info mesh models modes options output reduced regions scenes)
  list(TRANSFORM mpi_verbs PREPEND ${CMAKE_SOURCE_DIR}/apps/cli/)
  list(TRANSFORM mpi_verbs APPEND .c)
  add_executable(limber-mpi ${CMAKE_SOURCE_DIR}/apps/mpi/bench.c ${CMAKE_SOURCE_DIR}/apps/mpi/main.c ${mpi_verbs})
  limber_set_up(limber-mpi)
  target_compile_definitions(limber-mpi PRIVATE _GNU_SOURCE)
  target_include_directories(limber-mpi PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(limber-mpi PRIVATE limber-petsc limber-build PkgConfig::JANSSON)

  # What tests/mpi/test_systems.py runs.
  if(LIMBER_TESTS)
    add_executable(mpi-systems ${CMAKE_SOURCE_DIR}/tests/mpi/systems.c)
    limber_set_up(mpi-systems)
    target_include_directories(mpi-systems PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(mpi-systems PRIVATE limber-petsc limber-build
      PkgConfig::SLEPC PkgConfig::PETSC MPI::MPI_C)
  endif()
endif()

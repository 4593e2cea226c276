#!/bin/sh
# fuzz/contact.sh BUILD_FOLDER [COUNT [FIRST]]: so many random scenes of bodies that touch (1 000),
# as tests/world/test_contact_fuzz.c makes them. Prints those in which energy rises or surfaces
# overlap by more than is stated; the same numbers are the same scenes everywhere.
set -eu
LIMBER_SCENES=${2:-1000} LIMBER_FIRST_SCENE=${3:-0} exec "$1/test-world-contact_fuzz"

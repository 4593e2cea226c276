#!/bin/sh
# tools/check_engine.sh PROGRAM ENGINE: a program with limber's own engine has no symbol of BLAS, LAPACK,
# CHOLMOD or METIS in it and is linked with no such library; one with suitesparse has them, or this
# check would be blind.
set -u
program=$1
engine=$2
[ -f "$program" ] || { echo "$program: not found, build it first"; exit 1; }
libraries=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -i -E 'blas|lapack|cholmod|suitesparse|metis|^lib(amd|camd|colamd|ccolamd|gfortran)\.')
symbols=$(nm "$program" | sed 's/.* //; s/@.*//' | sort -u | grep -i -E \
  -e '^(cblas|lapacke|cholmod|openblas|metis)_' -e '^[sd](ge|sy|po|tr|or|st|bd|la)[a-z0-9]{2,4}_$')
case $engine in
own)
  [ -z "$libraries$symbols" ] && { echo "engine own: no BLAS, LAPACK, CHOLMOD"; exit 0; }
  echo "$program has" $libraries $symbols
  exit 1 ;;
suitesparse)
  [ -n "$libraries" ] && [ -n "$symbols" ] && { echo "engine suitesparse:" $libraries; exit 0; }
  echo "$program: neither its libraries ($libraries) nor its symbols were recognised"
  exit 1 ;;
*)
  echo "there is no engine $engine"
  exit 1 ;;
esac

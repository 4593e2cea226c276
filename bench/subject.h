// What benchmarks of bars, tubes and toys are measured on.
#ifndef LIMBER_BENCH_SUBJECT_H
#define LIMBER_BENCH_SUBJECT_H

#include "limber/build.h"

// A shape of one material, held where it is least along an axis; with a negative one free.
typedef struct benchSubject {
  lbMesh *mesh;
  lbFem *fem;
} benchSubject;

// What a failure leaves is for bench_subject_release.
lbStatus bench_subject_make(const lbShapeDef *shape, lbMaterial material, lbMassKind mass, int axis,
                            benchSubject *subject, lbError *err);
void bench_subject_release(benchSubject *subject);

#endif

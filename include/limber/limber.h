// limber/limber.h: the run side in reading order. It needs libm alone.
#ifndef LIMBER_LIMBER_H
#define LIMBER_LIMBER_H

#include "limber/base.h"
#include "limber/rounding.h"
#include "limber/math.h"
#include "limber/embedding.h"
#include "limber/element.h"
#include "limber/material.h"
#include "limber/model.h"
#include "limber/body.h"
#include "limber/render_mesh.h"
#include "limber/frames.h"
#include "limber/edit.h"
#include "limber/path.h"
#include "limber/world.h"
#include "limber/contact.h"
#include "limber/haptics.h"

#endif

// Small bodies of frames and what tests ask of them.
#ifndef LIMBER_TESTS_BODY_FRAME_BODIES_H
#define LIMBER_TESTS_BODY_FRAME_BODIES_H

#include "scene_bodies.h"

#include "method/frames/frames.h"

#define BEAM "'mesh':{'generate':'bar','size':[1,0.2,0.2],'cells':[10,2,2],'element':'brick8'}"
#define SCENE(frames, more)                                                                        \
  "{'limber':1,'bodies':[{'name':'bar','method':'frames'," BEAM                                    \
  ",'material':{'young':1e5,'poisson':0.3,'density':1000,'model':'stable_neohookean'},'frames':{'" \
  "samples':320," frames "}" more "}]}"
#define TIP 10 // node at the free end

#endif

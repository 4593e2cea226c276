// How many frames a body may have.
#ifndef LB_MODEL_FRAMES_LIMIT_H
#define LB_MODEL_FRAMES_LIMIT_H

// Up to LB_FRAMES_MOST (limber/model.h) the systems of a body are factored whole, and its forces
// may be springs; those of more frames are solved by conjugate gradients.
#define LB_FRAMES_LIMIT 200

#endif

// Placeholder until the container lands.
#include "model/model.h"
void lb_model_owner_release(struct lbModelOwner *owner) { (void)owner; }

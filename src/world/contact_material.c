// How surfaces touch: friction, compliance, restitution and rolling friction of bodies and
// colliders, and of pairs of them.
#include "world/touch.h"

lbContactMaterial lb_contact_material(void) { return (lbContactMaterial){ NAN, NAN, NAN, NAN }; }

// NAN where the file has -1: the world's.
static double stored_number(const double *values, size_t index, double missing) {
  if (!values) return missing;
  return values[index] < 0 ? NAN : values[index];
}

static lbContactMaterial stored_material(const double *frictions, const double *materials,
                                         size_t index, double missing) {
  return (lbContactMaterial){ .friction = stored_number(frictions, index, NAN),
                              .compliance = stored_number(materials, 3 * index, missing),
                              .restitution = stored_number(materials, 3 * index + 1, missing),
                              .rolling_friction =
                                  stored_number(materials, 3 * index + 2, missing) };
}

lbContactMaterial lb_world_contact_material(const lbWorldDef *def, int32_t body) {
  if (body < 0) return stored_material(def->contact_friction, def->contact_material, 0, 0);
  return stored_material(def->body_frictions, def->body_contact_materials, (size_t)body, NAN);
}

lbContactMaterial lb_world_collider_material(const lbWorldDef *def, int32_t collider) {
  return stored_material(def->collider_frictions, def->collider_contact_materials, (size_t)collider,
                         NAN);
}

// ---- checks ------------------------------------------------------------------------------------

static lbStatus check_number(double value, double most, const char *name, const char *range,
                             lbError *err) {
  if (isnan(value) || (value >= 0 && value <= most)) return LB_OK;
  return lb_fail(err, LB_ERR_ARGUMENT, "%s is %g; it must be %s", name, value, range);
}

lbStatus lb_check_contact_material(const lbContactMaterial *m, lbError *err) {
  lbStatus status = check_number(m->friction, LB_BODY_MOST, "friction", "0 or more", err);
  if (!status)
    status = check_number(m->compliance, LB_BODY_MOST, "compliance", "0 m/N or more", err);
  if (!status) status = check_number(m->restitution, 1, "restitution", "from 0 to 1", err);
  if (!status)
    status =
        check_number(m->rolling_friction, LB_BODY_MOST, "rolling_friction", "0 m or more", err);
  return status;
}

lbStatus lb_world_set_contact_material(lbWorld *world, lbBodyId id,
                                       const lbContactMaterial *material, lbError *err) {
  if (!world) return lb_refuse_null(err, "world");
  if (!material) return lb_refuse_null(err, "material");
  lbWorldSlot *slot = lb_world_slot(world, id);
  if (!slot) return lb_world_refuse_id(id, err);
  lbStatus status = lb_check_contact_material(material, err);
  if (status) return status;
  lb_sleep_wake(world, (int32_t)(slot - world->slots), true);
  slot->material = *material;
  return LB_OK;
}

// ---- pairs -------------------------------------------------------------------------------------

static double or_default(double value, double missing) { return isnan(value) ? missing : value; }

static lbContactMaterial with_defaults(const lbContactMaterial *own, const lbWorldSettings *s) {
  return (lbContactMaterial){ or_default(own->friction, s->friction),
                              or_default(own->compliance, s->compliance),
                              or_default(own->restitution, s->restitution),
                              or_default(own->rolling_friction, s->rolling_friction) };
}

lbContactMaterial lb_pair_material(const lbWorld *world, const lbContactMaterial *first,
                                   const lbContactMaterial *second) {
  lbContactMaterial a = with_defaults(first, &world->settings);
  lbContactMaterial b = with_defaults(second, &world->settings);
  return (lbContactMaterial){ .friction = sqrt(a.friction * b.friction),
                              .compliance = a.compliance + b.compliance,
                              .restitution = fmax(a.restitution, b.restitution),
                              .rolling_friction = sqrt(a.rolling_friction * b.rolling_friction) };
}

// Gmsh 2.2 text. Version 2 has one physical tag per element, so an element in several groups is
// written once for each, as Gmsh does; groups without a tag get one. A group without a tag that
// holds every element says nothing beside other groups and is left out.
#include "limber/file.h"
#include "meshio/formats.h"
#include "meshio/group_tags.h"
#include "arrayio/print.h"

#include <stdlib.h>

typedef struct Writer {
  FILE *stream;
  const lbMesh *mesh;
  int32_t *tags;        // (group_count); 0: left out
  int32_t *memberships; // per item of the kind at hand: groups it is in
  int32_t free_entity;  // for what is in no group
  int64_t number;       // of the element written last
} Writer;

typedef struct Kind {
  lbGroupKind kind;
  int32_t dimension, count;
} Kind;

static void kinds_of(const lbMesh *mesh, Kind kinds[3]) {
  kinds[0] = (Kind){ LB_GROUP_VERTICES, 0, mesh->vertex_count };
  kinds[1] = (Kind){ LB_GROUP_TRIANGLES, 2, mesh->triangle_count };
  kinds[2] = (Kind){ LB_GROUP_ELEMENTS, 3, lb_mesh_element_count(mesh) };
}

static int32_t dimension_of(lbGroupKind kind) {
  return kind == LB_GROUP_VERTICES ? 0 : kind == LB_GROUP_TRIANGLES ? 2 : 3;
}

static void choose_groups(Writer *writer) {
  const lbMesh *mesh = writer->mesh;
  int32_t element_groups = 0;
  for (int32_t i = 0; i < mesh->group_count; i++)
    element_groups += mesh->groups[i].kind == LB_GROUP_ELEMENTS;
  for (int32_t i = 0; i < mesh->group_count; i++) {
    const lbGroup *group = &mesh->groups[i];
    if (group->kind == LB_GROUP_ELEMENTS && group->tag == 0 && element_groups > 1 &&
        group->count == lb_mesh_element_count(mesh))
      writer->tags[i] = 0;
    int32_t entity = abs(writer->tags[i]);
    if (entity >= writer->free_entity && entity < INT32_MAX) writer->free_entity = entity + 1;
  }
}

static void write_msh_name(FILE *stream, const char *name) {
  for (; *name; name++)
    fputc(*name == '"' || *name == '\n' || *name == '\r' ? '\'' : *name, stream);
}

static void write_names(const Writer *writer) {
  const lbMesh *mesh = writer->mesh;
  int32_t count = 0;
  for (int32_t i = 0; i < mesh->group_count; i++)
    count += writer->tags[i] && mesh->groups[i].name[0];
  if (!count) return;
  fprintf(writer->stream, "$PhysicalNames\n%d\n", (int)count);
  for (int32_t i = 0; i < mesh->group_count; i++) {
    const lbGroup *group = &mesh->groups[i];
    if (!writer->tags[i] || !group->name[0]) continue;
    fprintf(writer->stream, "%d %d \"", (int)dimension_of(group->kind), abs(writer->tags[i]));
    write_msh_name(writer->stream, group->name);
    fputs("\"\n", writer->stream);
  }
  fputs("$EndPhysicalNames\n", writer->stream);
}

static void write_nodes(const Writer *writer) {
  const lbMesh *mesh = writer->mesh;
  fprintf(writer->stream, "$Nodes\n%d\n", (int)mesh->vertex_count);
  for (int32_t i = 0; i < mesh->vertex_count; i++) {
    fprintf(writer->stream, "%d", (int)i + 1);
    for (int k = 0; k < 3; k++) {
      fputc(' ', writer->stream);
      lb_print_number(writer->stream, mesh->positions[3 * (size_t)i + (size_t)k], 17);
    }
    fputc('\n', writer->stream);
  }
  fputs("$EndNodes\n", writer->stream);
}

static void write_element(Writer *writer, lbGroupKind kind, int32_t id, int32_t tag) {
  const lbMesh *mesh = writer->mesh;
  const int32_t *vertices = &id;
  int type = 15, corners = 1;
  if (kind == LB_GROUP_TRIANGLES) {
    type = 2, corners = 3, vertices = mesh->triangles + 3 * (size_t)id;
  } else if (kind == LB_GROUP_ELEMENTS && id < mesh->tet_count) {
    type = 4, corners = 4, vertices = mesh->tets + 4 * (size_t)id;
  } else if (kind == LB_GROUP_ELEMENTS) {
    type = 5, corners = 8, vertices = mesh->bricks + 8 * (size_t)(id - mesh->tet_count);
  }
  // The second tag is the geometric entity, which Gmsh wants to be positive.
  fprintf(writer->stream, "%lld %d 2 %d %d", (long long)++writer->number, type, (int)tag,
          tag ? abs(tag) : (int)writer->free_entity);
  for (int k = 0; k < corners; k++) fprintf(writer->stream, " %d", (int)vertices[k] + 1);
  fputc('\n', writer->stream);
}

// How often the items of a kind are written: once for each group, groupless ones once.
static void count_memberships(Writer *writer, const Kind *kind) {
  const lbMesh *mesh = writer->mesh;
  for (int32_t i = 0; i < kind->count; i++) writer->memberships[i] = 0;
  for (int32_t i = 0; i < mesh->group_count; i++)
    for (int32_t k = 0; k < mesh->groups[i].count; k++)
      if (mesh->groups[i].kind == kind->kind && writer->tags[i])
        writer->memberships[mesh->groups[i].ids[k]]++;
}

static int64_t count_lines(Writer *writer) {
  Kind kinds[3];
  int64_t lines = 0;
  kinds_of(writer->mesh, kinds);
  for (int k = 0; k < 3; k++) {
    count_memberships(writer, &kinds[k]);
    for (int32_t i = 0; i < kinds[k].count; i++)
      lines += writer->memberships[i] || k == 0 ? writer->memberships[i] : 1;
  }
  return lines;
}

// Every item in its order with the tag of its first group; then the further groups.
static void write_kind(Writer *writer, const Kind *kind, int32_t *first_group) {
  const lbMesh *mesh = writer->mesh;
  for (int32_t i = 0; i < kind->count; i++) first_group[i] = -1;
  for (int32_t g = 0; g < mesh->group_count; g++) {
    if (mesh->groups[g].kind != kind->kind || !writer->tags[g]) continue;
    for (int32_t k = 0; k < mesh->groups[g].count; k++) {
      int32_t id = mesh->groups[g].ids[k];
      if (first_group[id] < 0) first_group[id] = g;
    }
  }
  for (int32_t i = 0; i < kind->count; i++)
    if (first_group[i] >= 0 || kind->kind != LB_GROUP_VERTICES)
      write_element(writer, kind->kind, i, first_group[i] < 0 ? 0 : writer->tags[first_group[i]]);
  for (int32_t g = 0; g < mesh->group_count; g++) {
    if (mesh->groups[g].kind != kind->kind || !writer->tags[g]) continue;
    for (int32_t k = 0; k < mesh->groups[g].count; k++)
      if (first_group[mesh->groups[g].ids[k]] != g)
        write_element(writer, kind->kind, mesh->groups[g].ids[k], writer->tags[g]);
  }
}

static void write_elements(Writer *writer) {
  Kind kinds[3];
  kinds_of(writer->mesh, kinds);
  fprintf(writer->stream, "$Elements\n%lld\n", (long long)count_lines(writer));
  for (int k = 0; k < 3; k++) write_kind(writer, &kinds[k], writer->memberships);
  fputs("$EndElements\n", writer->stream);
}

lbStatus lb_write_msh(const lbMesh *mesh, const char *path, lbError *err) {
  lbFileWriter file = { 0 };
  Writer writer = { .mesh = mesh, .tags = lb_group_tags(mesh), .free_entity = 1 };
  int32_t largest = mesh->vertex_count;
  if (mesh->triangle_count > largest) largest = mesh->triangle_count;
  if (lb_mesh_element_count(mesh) > largest) largest = lb_mesh_element_count(mesh);
  writer.memberships = lb_alloc((size_t)largest, sizeof *writer.memberships);
  lbStatus status = writer.tags && writer.memberships ? LB_OK : lb_fail_memory(err);
  if (!status) status = lb_file_begin(&file, path, err);
  if (!status) {
    writer.stream = file.stream;
    choose_groups(&writer);
    fputs("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", file.stream);
    write_names(&writer);
    write_nodes(&writer);
    write_elements(&writer);
    status = lb_file_commit(&file, err);
  }
  lb_free(writer.tags);
  lb_free(writer.memberships);
  return status;
}

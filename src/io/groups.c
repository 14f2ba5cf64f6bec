#include "io/groups.h"

#include <string.h>

typedef struct span {
    dr_group_name name;
    int32_t first, end; // triangles
} span;

static bool push_span(dr_groups* groups, dr_group_name name, int32_t end)
{
    span* place = dr_list_push(&groups->spans, 1, sizeof *place);
    if (place != NULL) {
        *place = (span){name, groups->first, end};
    }
    return place != NULL;
}

bool dr_groups_close(dr_groups* groups, int32_t triangle_count)
{
    bool is_kept = true;
    if (triangle_count > groups->first) {
        for (int k = 0; k < groups->name_count; ++k) {
            is_kept = is_kept && push_span(groups, groups->names[k], triangle_count);
        }
        if (groups->object.length > 0) {
            is_kept = is_kept && push_span(groups, groups->object, triangle_count);
        }
    }
    groups->first = triangle_count;
    return is_kept;
}

static int compare_names(const dr_group_name* a, const dr_group_name* b)
{
    size_t common = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->letters, b->letters, common);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

static int compare_spans(const void* left, const void* right)
{
    const span* a = left;
    const span* b = right;
    int order = compare_names(&a->name, &b->name);
    return order != 0 ? order : (a->first > b->first) - (a->first < b->first);
}

static int compare_vertices(const void* left, const void* right)
{
    int32_t a = *(const int32_t*)left;
    int32_t b = *(const int32_t*)right;
    return (a > b) - (a < b);
}

// The vertices of one span that the stamp of their group does not mark yet.
static bool collect_span(const span* from, const int32_t* triangles, int32_t stamp, int32_t* stamps,
                         dr_list* vertices)
{
    for (size_t k = 3 * (size_t)from->first; k < 3 * (size_t)from->end; ++k) {
        int32_t vertex = triangles[k];
        if (stamps[vertex] == stamp) {
            continue;
        }
        stamps[vertex] = stamp;
        int32_t* place = dr_list_push(vertices, 1, sizeof *place);
        if (place == NULL) {
            return false;
        }
        *place = vertex;
    }
    return true;
}

static void sort_vertices(int32_t* vertices, size_t count)
{
    // Most meshes name their vertices in order; only the others pay.
    for (size_t k = 1; k < count; ++k) {
        if (vertices[k] < vertices[k - 1]) {
            qsort(vertices, count, sizeof *vertices, compare_vertices);
            return;
        }
    }
}

// Adds one group from spans of the same name.
static bool collect_group(drape_mesh_data* mesh, const span* spans, size_t span_count,
                          int32_t* stamps)
{
    dr_list vertices = {0};
    drape_mesh_group* group = &mesh->groups[mesh->group_count];
    bool is_kept = true;
    for (size_t k = 0; is_kept && k < span_count; ++k) {
        is_kept =
            collect_span(&spans[k], mesh->triangles, mesh->group_count + 1, stamps, &vertices);
    }
    dr_group_name name = spans[0].name;
    char* letters = is_kept ? malloc(name.length + 1) : NULL;
    if (letters == NULL) {
        dr_list_free(&vertices);
        return false;
    }
    memcpy(letters, name.letters, name.length);
    letters[name.length] = '\0';
    sort_vertices(vertices.data, vertices.count);
    group->name = letters;
    group->vertex_count = (int)vertices.count;
    group->vertices = dr_list_take(&vertices, sizeof(int32_t));
    ++mesh->group_count;
    return true;
}

bool dr_groups_collect(dr_groups* groups, drape_mesh_data* mesh)
{
    span* spans = groups->spans.data;
    size_t span_count = groups->spans.count;
    if (span_count == 0) {
        return true;
    }
    qsort(spans, span_count, sizeof *spans, compare_spans);
    int32_t* stamps = calloc((size_t)mesh->vertex_count, sizeof *stamps);
    mesh->groups = calloc(span_count, sizeof *mesh->groups);
    bool is_kept = stamps != NULL && mesh->groups != NULL;
    for (size_t first = 0; is_kept && first < span_count;) {
        size_t end = first + 1;
        while (end < span_count && compare_names(&spans[first].name, &spans[end].name) == 0) {
            ++end;
        }
        is_kept = collect_group(mesh, &spans[first], end - first, stamps);
        first = end;
    }
    free(stamps);
    return is_kept;
}

void dr_groups_free(dr_groups* groups)
{
    dr_list_free(&groups->spans);
}

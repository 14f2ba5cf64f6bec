#include "contact/self_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collide/tree_build.h"
#include "contact/block_plan.h"
#include "core/isa.h"

const dr_self_walk_kernels* dr_self_walk_kernels_for(drape_isa isa);
DR_KERNEL_TABLE(dr_self_walk_kernels)

// --- Trees ---

static dr_surface surface_of(const dr_mesh* mesh)
{
    return (dr_surface){
        .vertex_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .edge_count = mesh->edge_count,
        .triangles = (const int32_t(*)[3])mesh->triangles,
        .rest = mesh->rest,
        .triangle_edges = mesh->triangle_edges,
        .owned = mesh->owned,
    };
}

static bool create_tree(dr_tree* tree, dr_memory* memory, const dr_sheets_part* part, drape_isa isa)
{
    dr_surface surface = surface_of(part->mesh);
    dr_tree_plan plan = {0};
    bool is_done = part->columns > 0 ? dr_plan_blocks(&plan, memory, part->columns, part->rows)
                                     : dr_plan_swept(&plan, memory, &surface);
    is_done = is_done && dr_tree_create(tree, memory, &plan, &surface, isa);
    dr_plan_free(&plan, memory);
    return is_done;
}

// --- Masks ---

// Where each triangle of a part is: the node of its leaf, and the lane.
typedef struct seat {
    int32_t leaf, lane;
} seat;

static void find_seats(const dr_tree* tree, seat* seats)
{
    for (int n = 0; n < tree->node_count; ++n) {
        for (int i = 0; tree->nodes[n].is_leaf && i < tree->nodes[n].child_count; ++i) {
            seats[tree->triangle_of_place[tree->nodes[n].first + i]] = (seat){n, i};
        }
    }
}

// Adds one near pair to the mask of two leaves, the first of which is the one being listed.
static bool add_near(dr_self_tree* of, dr_memory* memory, int begin, int i, seat other)
{
    dr_leaf_mask* masks = of->masks.data;
    int k = begin;
    while (k < of->masks.count && masks[k].leaf != other.leaf) {
        ++k;
    }
    if (k == of->masks.count) {
        if (!dr_array_push(memory, &of->masks, sizeof *masks)) {
            return false;
        }
        masks = of->masks.data;
        masks[k] = (dr_leaf_mask){.leaf = other.leaf};
    }
    masks[k].near |= 1ull << (8 * i + other.lane);
    return true;
}

// Near lists have each pair at its lower number; masks want it at the leaf that comes first, so
// both directions are needed here.
typedef struct both_ways {
    int32_t *start, *list;
} both_ways;

static bool list_both_ways(both_ways* ways, dr_memory* memory, const dr_near* near, int first,
                           int count)
{
    ways->start = dr_new_zeroed(memory, int32_t, (size_t)count + 2);
    int total = 2 * (near->start[first + count] - near->start[first]);
    ways->list = dr_new(memory, int32_t, (size_t)total + 1);
    if (!ways->start || !ways->list) {
        return false;
    }
    for (int pass = 0; pass < 2; ++pass) {
        // First the numbers, one place ahead, then the lists, which move the beginnings back.
        for (int t = 0; t < count; ++t) {
            int near_count;
            const int32_t* others = dr_near_of(near, first + t, &near_count);
            for (int i = 0; i < near_count; ++i) {
                int other = others[i] - first;
                if (pass == 0) {
                    ++ways->start[t + 2];
                    ++ways->start[other + 2];
                } else {
                    ways->list[ways->start[t + 1]++] = other;
                    ways->list[ways->start[other + 1]++] = t;
                }
            }
        }
        for (int t = 0; t < count && pass == 0; ++t) {
            ways->start[t + 2] += ways->start[t + 1];
        }
    }
    return true;
}

static bool list_leaf(dr_self_tree* of, dr_memory* memory, const both_ways* ways, const seat* seats,
                      int leaf)
{
    const dr_tree* tree = &of->tree;
    int begin = of->masks.count;
    for (int i = 0; i < tree->nodes[leaf].child_count; ++i) {
        int t = tree->triangle_of_place[tree->nodes[leaf].first + i];
        for (int k = ways->start[t]; k < ways->start[t + 1]; ++k) {
            seat other = seats[ways->list[k]];
            if (other.leaf >= leaf && !add_near(of, memory, begin, i, other)) {
                return false;
            }
        }
    }
    return true;
}

// Lanes that do not exist count as near: a mask may be full then as well. Then what is left.
static void finish_masks(dr_self_tree* of, int leaf)
{
    const dr_tree* tree = &of->tree;
    dr_leaf_mask* masks = of->masks.data;
    for (int k = of->mask_start[leaf]; k < of->masks.count; ++k) {
        for (int i = 0; i < 8; ++i) {
            int there = i < tree->nodes[leaf].child_count ? tree->nodes[masks[k].leaf].lanes : 0;
            masks[k].near |= (uint64_t)(~there & 0xff) << 8 * i;
            int far = (int)(~masks[k].near >> 8 * i & 0xff);
            masks[k].has_far |= (uint8_t)((far != 0) << i);
            masks[k].has_far_too |= (uint8_t)far;
        }
    }
}

static bool create_masks(dr_self_tree* of, dr_memory* memory, const dr_near* near,
                         const dr_sheets_part* part)
{
    int count = part->mesh->triangle_count;
    both_ways ways = {0};
    seat* seats = dr_new(memory, seat, (size_t)count + 1);
    of->mask_start = dr_new_zeroed(memory, int32_t, (size_t)of->tree.node_count + 1);
    bool is_done =
        seats && of->mask_start && list_both_ways(&ways, memory, near, part->first_triangle, count);
    if (is_done) {
        find_seats(&of->tree, seats);
    }
    for (int n = 0; n < of->tree.node_count && is_done; ++n) {
        of->mask_start[n] = of->masks.count;
        if (of->tree.nodes[n].is_leaf) {
            is_done = list_leaf(of, memory, &ways, seats, n);
            finish_masks(of, n);
        }
        of->mask_start[n + 1] = of->masks.count;
    }
    int total = 2 * (near->start[part->first_triangle + count] - near->start[part->first_triangle]);
    dr_delete(memory, ways.start, (size_t)count + 2);
    dr_delete(memory, ways.list, (size_t)total + 1);
    dr_delete(memory, seats, (size_t)count + 1);
    return is_done;
}

// --- Create and free ---

static bool create_parts(dr_self_search* search, dr_memory* memory)
{
    const dr_sheets* sheets = search->sheets;
    search->parts = dr_new_zeroed(memory, dr_self_tree, (size_t)sheets->part_count + 1);
    for (int p = 0; p < sheets->part_count && search->parts; ++p) {
        dr_self_tree* part = &search->parts[p];
        if (!create_tree(&part->tree, memory, &sheets->parts[p], search->isa)) {
            return false;
        }
        part->has_changed = dr_new_zeroed(memory, uint8_t, (size_t)part->tree.node_count + 1);
        if (!part->has_changed ||
            !create_masks(part, memory, &search->near, &sheets->parts[p])) {
            return false;
        }
    }
    return search->parts != NULL;
}

// The fourth float of a record says which vertex it is.
static void number_records(float* records, int count)
{
    for (int v = 0; v < count; ++v) {
        records[4 * v + 3] = dr_tree_key(v);
    }
}

bool dr_self_search_create(dr_self_search* search, dr_memory* memory, const dr_sheets* sheets,
                           int ring, bool use_tree, drape_isa isa)
{
    *search = (dr_self_search){.sheets = sheets, .use_tree = use_tree};
    search->isa = dr_isa_resolve(isa);
    // Kernels read one vertex further.
    size_t floats = 4 * ((size_t)sheets->vertex_count + 2);
    search->start = dr_new_zeroed(memory, float, floats);
    search->end = dr_new_zeroed(memory, float, floats);
    if (search->end) {
        number_records(search->end, sheets->vertex_count);
    }
    return search->start && search->end && dr_near_create(&search->near, memory, sheets, ring) &&
           (use_tree ? create_parts(search, memory)
                     : dr_box_list_create(&search->boxes, memory, sheets->triangles[0], 3,
                                          sheets->triangle_count));
}

static void free_part(dr_self_tree* part, dr_memory* memory)
{
    dr_delete(memory, part->mask_start, (size_t)part->tree.node_count + 1);
    dr_delete(memory, part->has_changed, (size_t)part->tree.node_count + 1);
    dr_array_free(memory, &part->masks, sizeof(dr_leaf_mask));
    dr_pair_search_free(&part->search, memory);
    dr_tree_free(&part->tree, memory);
}

void dr_self_search_free(dr_self_search* search, dr_memory* memory)
{
    if (!search->sheets) {
        return;
    }
    size_t floats = 4 * ((size_t)search->sheets->vertex_count + 2);
    dr_delete(memory, search->start, floats);
    dr_delete(memory, search->end, floats);
    for (int p = 0; p < search->sheets->part_count && search->parts; ++p) {
        free_part(&search->parts[p], memory);
    }
    dr_delete(memory, search->parts, (size_t)search->sheets->part_count + 1);
    dr_pair_search_free(&search->cross, memory);
    dr_box_list_free(&search->boxes, memory);
    dr_all_pairs_free(&search->all, memory);
    dr_near_free(&search->near, memory);
    dr_array_free(memory, &search->pairs, sizeof(dr_pair));
    *search = (dr_self_search){0};
}

// --- Search ---

static void copy_records(float* records, const drape_vec3* places, int count)
{
    for (int v = 0; v < count; ++v) {
        records[4 * v] = places[v].x;
        records[4 * v + 1] = places[v].y;
        records[4 * v + 2] = places[v].z;
    }
}

static dr_motion motion_of(const dr_self_search* search, dr_self_span span, int first_vertex)
{
    const float *start = search->start + 4 * first_vertex, *end = search->end + 4 * first_vertex;
    bool is_step = span == DR_SPAN_STEP;
    return (dr_motion){.start = is_step ? start : end, .end = is_step ? end : NULL, .stride = 4};
}

// --- Changes ---

// From the back, so that what is below a node is known: subtrees follow their node.
static void mark_nodes(dr_self_tree* part, const uint8_t* changed)
{
    const dr_tree* tree = &part->tree;
    for (int n = tree->node_count - 1; n >= 0; --n) {
        const dr_tree_node* node = &tree->nodes[n];
        uint8_t any = 0;
        if (node->is_leaf) {
            for (int i = 0; i < node->child_count; ++i) {
                any |= changed[tree->triangle_of_place[node->first + i]];
            }
        } else {
            for (int child = n + 1; child < node->end; child = tree->nodes[child].end) {
                any |= part->has_changed[child];
            }
        }
        part->has_changed[n] = any;
    }
}

static bool skip_node(void* context, int node)
{
    const dr_self_tree* part = context;
    return !part->has_changed[node];
}

static bool skip_nodes(void* context, int a, int b)
{
    const dr_self_tree* part = context;
    return !(part->has_changed[a] | part->has_changed[b]);
}

// Pairs of the last search of which neither changed are still right.
static void keep_unchanged(dr_self_search* search)
{
    dr_pair* pairs = search->pairs.data;
    int count = 0;
    for (int i = 0; i < search->pairs.count; ++i) {
        dr_pair pair = pairs[i];
        pairs[count] = pair;
        count += !(search->changed[pair.a] | search->changed[pair.b]);
    }
    search->pairs.count = count;
}

// Takes pairs over with the numbers of all cloths, the lower first.
static bool take_pairs(dr_self_search* search, dr_memory* memory, const dr_array* found,
                       int first_a, int first_b)
{
    dr_array* list = &search->pairs;
    int total = list->count + found->count;
    if (found->count == 0) {
        return true;
    }
    if (total > list->capacity &&
        !dr_array_reserve(memory, list, sizeof(dr_pair), total + total / 4)) {
        return false;
    }
    const dr_pair* from = found->data;
    dr_pair* to = (dr_pair*)list->data + list->count;
    const uint8_t* changed = search->changed;
    for (int i = 0; i < found->count; ++i) {
        int32_t a = from[i].a + first_a, b = from[i].b + first_b;
        *to = a < b ? (dr_pair){a, b} : (dr_pair){b, a};
        to += !changed || (changed[a] | changed[b]);
    }
    list->count = (int)(to - (dr_pair*)list->data);
    return true;
}

static bool search_part(dr_self_search* search, dr_memory* memory, dr_pool* pool, int p)
{
    dr_self_tree* part = &search->parts[p];
    dr_pair_filter filter = {.context = part};
    if (search->changed) {
        mark_nodes(part, search->changed + search->sheets->parts[p].first_triangle);
        filter.skip_self = skip_node;
        filter.skip_pair = skip_nodes;
    }
    dr_walk walk = {.a = &part->tree, .b = &part->tree, .filter = &filter};
    dr_walk_fn* pairs = dr_self_walk_kernels_for(search->isa)->pairs;
    if (!dr_walk_run(&part->search, memory, pool, &walk, pairs, 1)) {
        return false;
    }
    search->box_tests += part->search.box_tests;
    int first = search->sheets->parts[p].first_triangle;
    return take_pairs(search, memory, &part->search.lists[0], first, first);
}

static bool search_two(dr_self_search* search, dr_memory* memory, dr_pool* pool, int p, int q)
{
    const dr_sheets_part* parts = search->sheets->parts;
    if (!dr_tree_tree_pairs(&search->cross, memory, pool, &search->parts[p].tree,
                            &search->parts[q].tree, NULL)) {
        return false;
    }
    search->box_tests += search->cross.box_tests;
    return take_pairs(search, memory, &search->cross.lists[0], parts[p].first_triangle,
                      parts[q].first_triangle);
}

static double largest_of(double largest, const float* reach, int step, int count)
{
    for (int r = 0; r < 6; ++r) {
        for (int i = 0; i < count; ++i) {
            largest = fmax(largest, fabs((double)reach[r * step + i]));
        }
    }
    return largest;
}

static bool search_trees(dr_self_search* search, dr_memory* memory, dr_pool* pool,
                         dr_self_span span)
{
    int part_count = search->sheets->part_count;
    for (int p = 0; p < part_count; ++p) {
        dr_motion motion = motion_of(search, span, search->sheets->parts[p].first_vertex);
        dr_tree* tree = &search->parts[p].tree;
        dr_tree_refit(tree, pool, &motion);
        search->largest = largest_of(search->largest, tree->root, 1, tree->node_count > 0);
    }
    for (int p = 0; p < part_count; ++p) {
        if (!search_part(search, memory, pool, p)) {
            return false;
        }
        for (int q = p + 1; q < part_count; ++q) {
            if (!search_two(search, memory, pool, p, q)) {
                return false;
            }
        }
    }
    return true;
}

static bool is_not_near(const void* context, int one, int other)
{
    const dr_self_search* search = context;
    return !dr_near_has(&search->near, one, other);
}

static bool search_all(dr_self_search* search, dr_memory* memory, dr_pool* pool, dr_self_span span)
{
    dr_motion motion = motion_of(search, span, 0);
    dr_box_list_refit(&search->boxes, pool, &motion, search->isa);
    search->largest = largest_of(0.0, search->boxes.rows, search->boxes.step, search->boxes.count);
    if (!dr_all_pairs_run(&search->all, memory, pool, search->isa, &search->boxes, &search->boxes,
                          is_not_near, search)) {
        return false;
    }
    search->box_tests = search->all.box_tests;
    return take_pairs(search, memory, &search->all.pairs, 0, 0);
}

bool dr_self_search_run(dr_self_search* search, dr_memory* memory, dr_pool* pool, dr_self_span span)
{
    return dr_self_search_again(search, memory, pool, span, NULL);
}

bool dr_self_search_again(dr_self_search* search, dr_memory* memory, dr_pool* pool,
                          dr_self_span span, const uint8_t* changed)
{
    const dr_sheets* sheets = search->sheets;
    copy_records(search->start, sheets->start, sheets->vertex_count);
    copy_records(search->end, sheets->end, sheets->vertex_count);
    search->changed = search->use_tree ? changed : NULL;
    if (search->changed) {
        keep_unchanged(search);
    } else {
        search->pairs.count = 0;
    }
    search->box_tests = 0;
    search->largest = 0.0;
    return search->use_tree ? search_trees(search, memory, pool, span)
                            : search_all(search, memory, pool, span);
}

static int compare_pairs(const void* a, const void* b)
{
    const dr_pair *p = a, *q = b;
    return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

void dr_pairs_sort(dr_pair* pairs, int count)
{
    if (count > 1) {
        qsort(pairs, (size_t)count, sizeof *pairs, compare_pairs);
    }
}

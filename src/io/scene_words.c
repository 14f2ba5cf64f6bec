#include "io/scene_words.h"

#include <drape/types.h>
#include <stddef.h>
#include <string.h>

const dr_word dr_words_model[] = {
    {"xpbd", DRAPE_MODEL_XPBD},
    {"elastic", DRAPE_MODEL_ELASTIC},
    {"springs", DRAPE_MODEL_SPRINGS},
    {NULL, 0},
};

const dr_word dr_words_integrator[] = {
    {"verlet", DRAPE_INTEGRATOR_VERLET},
    {"implicit", DRAPE_INTEGRATOR_IMPLICIT},
    {NULL, 0},
};

const dr_word dr_words_obstacles[] = {
    {"predictive", DRAPE_OBSTACLES_PREDICTIVE},
    {"slide", DRAPE_OBSTACLES_SLIDE},
    {"ray", DRAPE_OBSTACLES_RAY},
    {"filter", DRAPE_OBSTACLES_FILTER},
    {"discrete", DRAPE_OBSTACLES_DISCRETE},
    {NULL, 0},
};

const dr_word dr_words_self[] = {
    {"none", DRAPE_SELF_NONE},
    {"geometric", DRAPE_SELF_GEOMETRIC},
    {"boxes", DRAPE_SELF_BOXES},
    {"particles", DRAPE_SELF_PARTICLES},
    {"predictive", DRAPE_SELF_PREDICTIVE},
    {"guarded", DRAPE_SELF_GUARDED},
    {NULL, 0},
};

const dr_word dr_words_hierarchy[] = {
    {"none", DRAPE_HIERARCHY_NONE},           {"material", DRAPE_HIERARCHY_MATERIAL},
    {"bottom-up", DRAPE_HIERARCHY_BOTTOM_UP}, {"octree", DRAPE_HIERARCHY_OCTREE},
    {"swept", DRAPE_HIERARCHY_SWEPT},         {NULL, 0},
};

const dr_word dr_words_diagonals[] = {
    {"alternate", DRAPE_DIAGONALS_ALTERNATE},
    {"forward", DRAPE_DIAGONALS_FORWARD},
    {"backward", DRAPE_DIAGONALS_BACKWARD},
    {NULL, 0},
};

const dr_word dr_words_ease[] = {
    {"smooth", DRAPE_EASE_SMOOTH},
    {"linear", DRAPE_EASE_LINEAR},
    {NULL, 0},
};

const dr_word dr_words_bend[] = {
    {"plate", DRAPE_BEND_PLATE},
    {"abs", DRAPE_BEND_ABS},
    {"paper", DRAPE_BEND_PAPER},
    {NULL, 0},
};

const dr_word dr_words_spring_order[] = {
    {"to_and_fro", DRAPE_ORDER_TO_AND_FRO},
    {"from_pins", DRAPE_ORDER_FROM_PINS},
    {NULL, 0},
};

const dr_word dr_words_form[] = {
    {"plain", DRAPE_FORM_PLAIN},
    {"split", DRAPE_FORM_SPLIT},
    {"stiff", DRAPE_FORM_STIFF},
    {NULL, 0},
};

const dr_word dr_words_features[] = {
    {"mesh", DR_FEATURES_MESH},
    {"points", DR_FEATURES_POINTS},
    {NULL, 0},
};

const dr_word dr_words_corner[] = {
    {"bottom-left", 0}, {"bottom-right", 1}, {"top-left", 2}, {"top-right", 3}, {NULL, 0},
};

const char* const dr_words_method[] = {
    "drape",  "slide",  "slide_paper", "box",           "box_paper",
    "sensor", "spring", "predict",     "predict_paper",
};
const int dr_words_method_count = sizeof(dr_words_method) / sizeof(dr_words_method[0]);

// Longer words are not compared; none of ours is.
#define LONGEST_WORD 31

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c == '_' || c == ' ' ? '-' : c;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

// Letters to change, insert, leave out or swap with their neighbour to turn one word into the
// other.
static int word_distance(const char* a, const char* b)
{
    int rows[3][LONGEST_WORD + 1];
    int length = (int)strlen(b);
    for (int j = 0; j <= length; ++j) {
        rows[0][j] = j;
    }
    for (int i = 1; a[i - 1] != '\0'; ++i) {
        int* row = rows[i % 3];
        const int* above = rows[(i + 2) % 3];
        const int* two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= length; ++j) {
            int change = above[j - 1] + (lower(a[i - 1]) != lower(b[j - 1]) ? 1 : 0);
            row[j] = least(change, 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], 1 + two_above[j - 2]);
            }
        }
    }
    return rows[strlen(a) % 3][length];
}

const char* dr_word_nearest(const char* word, const char* const* candidates, int count)
{
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD) {
        return NULL;
    }
    const char* nearest = NULL;
    // Half of the letters may be wrong, at most three.
    int best = 1 + least(3, (int)(length < 3 ? 1 : length / 2));
    for (int i = 0; i < count; ++i) {
        int distance =
            strlen(candidates[i]) <= LONGEST_WORD ? word_distance(word, candidates[i]) : best;
        if (distance < best && (size_t)distance < length) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}

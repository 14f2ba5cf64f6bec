// io/scene_words.h: the words of scene files, and the nearest one to a misspelt word.
#ifndef DR_SCENE_WORDS_H
#define DR_SCENE_WORDS_H

// A word and the value it stands for. Tables end with a null word.
typedef struct dr_word {
    const char* word;
    int value;
} dr_word;

// What predictive self-collision keeps apart.
typedef enum dr_features { DR_FEATURES_MESH, DR_FEATURES_POINTS } dr_features;

// Values of drape/types.h.
extern const dr_word dr_words_model[];
extern const dr_word dr_words_integrator[];
extern const dr_word dr_words_obstacles[];
extern const dr_word dr_words_self[];
extern const dr_word dr_words_hierarchy[];
extern const dr_word dr_words_diagonals[];
extern const dr_word dr_words_ease[];
extern const dr_word dr_words_bend[];
extern const dr_word dr_words_form[];
extern const dr_word dr_words_spring_order[];
// Values of this header.
extern const dr_word dr_words_features[];
// Corners of a grid: rows from below, columns from the left; two bits, 1 right and 2 top.
extern const dr_word dr_words_corner[];
// Presets; their choices come from drape_method_by_name().
extern const char* const dr_words_method[];
extern const int dr_words_method_count;

// The most words that any list of choices has.
#define DR_WORDS_MAX 40

// The candidate that `word` was probably meant to be, or null when none is near.
const char* dr_word_nearest(const char* word, const char* const* candidates, int count);

#endif

// What is done to the cloth: a short list for every change, then all of it, larger.
#include "torture.h"

static const cli_torture_case cases[] = {
    // Small ones, for every change.
    {"table-21", "table", .size = {21, 21}, .is_quick = true},
    {"ground-21", "ground", .size = {21, 21}, .is_quick = true},
    {"twist-121", "torture/twist", .size = {121, 13}, .is_quick = true},
    {"wring-61", "torture/wring", .size = {61, 13}, .is_quick = true},
    {"ring-31", "torture/ring", .size = {31, 31}, .is_quick = true},
    {"plates-31", "torture/plates", .size = {31, 31}, .is_quick = true},
    {"pinch-11-flat", "torture/pinch", .size = {11, 11},
     .sets = "cloths.0.place.rotate=[90,0,0] cloths.0.place.translate=[0,0.05,0]",
     .is_quick = true},
    {"pinch-21", "torture/pinch", .size = {21, 21}, .is_quick = true},
    {"shot-41", "torture/shot", .size = {41, 31}, .is_quick = true},
    {"needles-21", "torture/needles", .size = {21, 21}, .sheets = 5, .frames = 90,
     .is_quick = true},
    {"shirt", "torture/shirt", .is_quick = true},
    {"random-500", "torture/random", .frames = 500, .is_quick = true},

    // Scenes that come along.
    {"ground-51", "ground", .size = {51, 51}, .is_quick = true},
    {"table-51", "table", .size = {51, 51}, .is_quick = true},
    {"sphere-51", "sphere", .size = {51, 51}, .is_quick = true},
    {"rotating-sphere-51", "rotating-sphere", .size = {51, 51}, .is_quick = true},
    {"knot", "knot", .is_quick = true},
    {"curtain-41", "curtain", .size = {41, 31}, .is_quick = true},
    {"curtain-81", "curtain", .size = {81, 61}},
    {"solid-51", "solid", .size = {51, 51}, .is_quick = true},
    {"character", "character", .is_quick = true},
    {"ground-101", "ground", .size = {101, 101}, .is_quick = true},
    {"table-101", "table", .size = {101, 101}, .is_quick = true},
    {"sphere-101", "sphere", .size = {101, 101}, .is_quick = true},
    {"rotating-sphere-101", "rotating-sphere", .size = {101, 101}},
    {"curtain-101", "curtain", .size = {101, 76}},
    {"solid-101", "solid", .size = {101, 101}},

    // Large steps, thin cloth.
    {"ground-51-substeps-2", "ground", .size = {51, 51},
     .sets = "solver.substeps=2 solver.iterations=8", .is_quick = true},
    {"table-51-substeps-2", "table", .size = {51, 51},
     .sets = "solver.substeps=2 solver.iterations=8", .is_quick = true},
    {"curtain-41-substeps-2", "curtain", .size = {41, 31},
     .sets = "solver.substeps=2 solver.iterations=8", .is_quick = true},
    {"solid-51-substeps-2", "solid", .size = {51, 51},
     .sets = "solver.substeps=2 solver.iterations=8", .is_quick = true},
    {"needles-31-substeps-2", "torture/needles", .size = {31, 31}, .sheets = 5,
     .sets = "solver.substeps=2 solver.iterations=8", .is_quick = true},
    {"ground-51-thin", "ground", .size = {51, 51}, .sets = "collision.thickness=0.0005",
     .is_quick = true},
    {"table-51-thin", "table", .size = {51, 51}, .sets = "collision.thickness=0.0005",
     .is_quick = true},
    {"sphere-51-thin", "sphere", .size = {51, 51}, .sets = "collision.thickness=0.0005",
     .is_quick = true},
    {"needles-31-thin", "torture/needles", .size = {31, 31}, .sheets = 5,
     .sets = "collision.thickness=0.0005", .is_quick = true},
    {"ground-101-thin", "ground", .size = {101, 101}, .sets = "collision.thickness=0.0005"},

    // Torture proper, larger.
    {"needles-31", "torture/needles", .size = {31, 31}, .sheets = 5},
    {"needles-51", "torture/needles", .size = {51, 51}, .sheets = 5},
    {"needles-101", "torture/needles", .size = {101, 101}, .sheets = 5},
    {"twist-161", "torture/twist", .size = {161, 17}, .is_quick = true},
    {"twist-241", "torture/twist", .size = {241, 25}},
    {"wring-101", "torture/wring", .size = {101, 21}, .is_quick = true},
    {"wring-151", "torture/wring", .size = {151, 31}},
    {"ring-51", "torture/ring", .size = {51, 51}, .is_quick = true},
    {"ring-101", "torture/ring", .size = {101, 101}},
    {"plates-51", "torture/plates", .size = {51, 51}, .is_quick = true},
    // Finer cloth lies lower: a third is 23 mm in place of 34.
    {"plates-101", "torture/plates", .size = {101, 101},
     .sets = "colliders.1.keys.1.translate=[0,0.0732,0] colliders.1.keys.2.translate=[0,0.0732,0]"},
    {"shot-81", "torture/shot", .size = {81, 61}, .is_quick = true},
    {"shot-101", "torture/shot", .size = {101, 76}},
    {"random-10000", "torture/random", .frames = 10000},
};

const cli_torture_case* cli_torture_cases(int* count)
{
    *count = sizeof cases / sizeof cases[0];
    return cases;
}

// contact/sensor_march.h: how far vertices are from one of them, along the rest shape.
//
// Distances spread from vertex to vertex, nearest first. Along an edge they are sums; across a
// triangle the source is put where both ends of an edge see it, as if everything up to there were
// laid flat, and the third corner sees it too:
//
//       source *- - - - - - a           |source - a| and |source - b| are known: so is the source,
//                ` .       / \          and then |source - c|, if the line from it passes between
//                    ` .  /   \         a and b. Otherwise the way bends round a or b.
//                        b-----c
//
// On flat pieces with a clear view this is exact; elsewhere good to about a hundredth. Where
// triangles are obtuse a corner may be reached before the edge that sees it better: vertices are
// looked at again as long as they come nearer.
#ifndef DR_SENSOR_MARCH_H
#define DR_SENSOR_MARCH_H

#include "mesh/mesh.h"

// Heap and marks, kept from one march to the next.
typedef struct dr_march {
    const dr_mesh* mesh;
    int32_t* heap;
    int32_t* place; // of a vertex in the heap, -1 when it is not
    int heap_count;
} dr_march;

// False when memory is short; free it then all the same.
bool dr_march_create(dr_march* march, dr_memory* memory, const dr_mesh* mesh);
void dr_march_free(dr_march* march, dr_memory* memory);

// Distances of all vertices from `source`, infinite where no way leads.
void dr_march_run(dr_march* march, int source, double* distance);

#endif

// io/ply.h: the Stanford polygon format, ascii and binary of either byte order.
//
// Of the element `vertex` the properties x y z are read, and s t, u v or texture_u texture_v as uv;
// of the element `face` the list vertex_indices or vertex_index. Scalars may be of any type. Other
// properties and elements are passed over. Vertices keep their order; io/polygon.h cuts the
// polygons. In ascii files an element takes one line, and empty lines between them are passed over.
//
// Sentences name the line of an ascii file and of a header, the byte of a binary body.
//
//     ply_header.c   header text      → elements and properties, each property with its role
//     ply.c          rows of numbers  → mesh; and the writer
#ifndef DR_PLY_H
#define DR_PLY_H

#include "io/list.h"
#include "io/text.h"

// Scalar types, by the older of their two names.
typedef enum dr_ply_type {
    DR_PLY_CHAR,
    DR_PLY_UCHAR,
    DR_PLY_SHORT,
    DR_PLY_USHORT,
    DR_PLY_INT,
    DR_PLY_UINT,
    DR_PLY_FLOAT,
    DR_PLY_DOUBLE,
} dr_ply_type;

// What a property means to us.
typedef enum dr_ply_role {
    DR_PLY_X,
    DR_PLY_Y,
    DR_PLY_Z,
    DR_PLY_U,
    DR_PLY_V,
    DR_PLY_CORNERS,
    DR_PLY_OTHER,
} dr_ply_role;

typedef struct dr_ply_property {
    dr_ply_role role;
    dr_ply_type type; // of the scalar, or of the items of a list
    dr_ply_type count_type;
    bool is_list;
} dr_ply_property;

typedef enum dr_ply_kind {
    DR_PLY_VERTEX,
    DR_PLY_FACE,
    DR_PLY_UNKNOWN,
} dr_ply_kind;

typedef struct dr_ply_element {
    dr_ply_kind kind;
    int64_t count;
    size_t first_property, property_count; // in dr_ply_header.properties
    unsigned roles;                        // a bit for each role that is there
} dr_ply_element;

typedef struct dr_ply_header {
    dr_list elements;
    dr_list properties;
    bool is_ascii;
    bool is_big_endian;
    int64_t vertex_count; // of the element vertex
} dr_ply_header;

// Bytes of a scalar in a binary file.
size_t dr_ply_type_size(dr_ply_type type);
// Reads the header and leaves `text` at the first byte of the body. The counts are still only
// words: they are not held against the size of the file. Free the header whatever the result.
bool dr_ply_header_parse(dr_ply_header* header, dr_text* text, drape_error* error);
void dr_ply_header_free(dr_ply_header* header);

// True when the data starts like a PLY file.
bool dr_ply_recognise(const char* data, size_t size);
// Reads a file in memory; `name` is what sentences call it. False leaves `mesh` empty.
bool dr_ply_parse(const char* data, size_t size, const char* name, drape_mesh_data* mesh,
                  drape_error* error);
// Writes a little-endian file: float x y z, s t when there is uv, and triangles. Failures stay with
// `out`.
void dr_ply_write(dr_output* out, const drape_mesh_view* mesh);

#endif

// `drape convert`: meshes, point caches and sequences of meshes, from one format to another.
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "args.h"
#include "frames.h"
#include "io/file.h"

static const char help[] =
    "usage: drape convert IN OUT [--mesh FILE] [--fps RATE]\n"
    "\n"
    "Writes a file in another format, told by the endings of the names:\n"
    "\n"
    "  .obj, .ply             a mesh; positions, triangles and uv are kept, groups are not\n"
    "  .pc2, .mdd             a point cache\n"
    "  NAME_%04d.obj or .ply  a sequence of meshes, numbered from 0\n"
    "\n"
    "A mesh becomes a mesh; caches and sequences become each other. IN may be a folder that\n"
    "`drape run` wrote for one cloth.\n"
    "\n"
    "  --mesh FILE   the triangles, when a cache becomes a sequence; default the .obj or .ply\n"
    "                beside the cache with its name\n"
    "  --fps RATE    frames a second, when a sequence becomes a cache; default 30\n"
    "\n"
    "examples:\n"
    "  drape convert cloth.obj cloth.ply\n"
    "  drape convert out/cloth.pc2 cloth.mdd\n"
    "  drape convert out/cloth.pc2 'frames/frame_%04d.obj'\n"
    "  drape convert 'frames/frame_%04d.obj' cloth.pc2 --fps 24\n";

typedef struct request {
    const char* in;
    const char* out;
    const char* mesh;
    float fps; // 0: not given
} request;

static bool is_mesh(const char* path)
{
    return dr_path_has_ending(path, ".obj") || dr_path_has_ending(path, ".ply");
}

static bool is_cache(const char* path)
{
    return dr_path_has_ending(path, ".pc2") || dr_path_has_ending(path, ".mdd");
}

// --- Folders ---

static bool is_folder(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Whether this file of a folder begins an animation; a sequence does so with its frame 0.
static bool is_start(const char* file)
{
    return file[0] != '.' && (is_cache(file) || strcmp(file, "frame_0000.obj") == 0 ||
                              strcmp(file, "frame_0000.ply") == 0);
}

// The animation in a folder, when there is just one.
static bool find_in_folder(const char* folder, char* path, drape_error* error)
{
    DIR* directory = opendir(folder);
    char found[256] = "";
    int count = 0;
    for (struct dirent* file; directory != NULL && (file = readdir(directory)) != NULL;) {
        if (is_start(file->d_name)) {
            snprintf(found, sizeof found, "%s", file->d_name);
            ++count;
        }
    }
    if (directory != NULL) {
        closedir(directory);
    }
    if (count != 1) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "%s: expected one animation in the folder (.pc2, .mdd or frame_0000.obj), "
                     "found %d",
                     folder, count);
        return false;
    }
    if (!is_cache(found)) {
        snprintf(found, sizeof found, "frame_%%04d.%s", strrchr(found, '.') + 1);
    }
    return cli_path_join(path, folder, found, error);
}

// --- Conversions ---

static bool convert_mesh(const request* asked, drape_error* error)
{
    drape_mesh_data mesh;
    if (!drape_mesh_read(asked->in, &mesh, error)) {
        return false;
    }
    drape_mesh_view view = {.positions = mesh.positions,
                            .uv = mesh.uv,
                            .triangles = mesh.triangles,
                            .vertex_count = mesh.vertex_count,
                            .triangle_count = mesh.triangle_count};
    bool is_written = drape_mesh_write(asked->out, &view, error);
    drape_mesh_data_free(&mesh);
    return is_written;
}

static bool convert_frames(const request* asked, drape_error* error)
{
    cli_frames frames;
    if (!cli_frames_read(&frames, asked->in, asked->fps > 0.0f ? asked->fps : 30.0f, error)) {
        return false;
    }
    bool needs_mesh = cli_is_pattern(asked->out) && !cli_is_pattern(asked->in);
    bool is_written =
        (!needs_mesh || cli_frames_read_mesh(&frames, asked->in, asked->mesh, error)) &&
        cli_frames_write(&frames, asked->out, error);
    cli_frames_free(&frames);
    return is_written;
}

// Null when the options fit the conversion, else the one that does not.
static const char* find_misfit(const request* asked)
{
    bool from_sequence = cli_is_pattern(asked->in);
    bool to_sequence = cli_is_pattern(asked->out);
    bool wants_mesh = !from_sequence && to_sequence && is_cache(asked->in);
    bool wants_fps = from_sequence && !to_sequence;
    return asked->mesh != NULL && !wants_mesh ? "--mesh"
           : asked->fps > 0.0f && !wants_fps  ? "--fps"
                                              : NULL;
}

static bool expect(const char* name, const char* what, drape_error* error)
{
    dr_error_set(error, DRAPE_ERROR_INPUT, "%s: expected %s", name, what);
    return false;
}

static bool convert_any(const request* asked, drape_error* error)
{
    bool from_mesh = is_mesh(asked->in) && !cli_is_pattern(asked->in);
    bool to_mesh = is_mesh(asked->out) && !cli_is_pattern(asked->out);
    if (!is_mesh(asked->in) && !is_cache(asked->in)) {
        return expect(asked->in, "a name that ends in .obj, .ply, .pc2 or .mdd, or a folder",
                      error);
    }
    if (!is_mesh(asked->out) && !is_cache(asked->out)) {
        return expect(asked->out, "a name that ends in .obj, .ply, .pc2 or .mdd", error);
    }
    if (cli_is_pattern(asked->out) && is_cache(asked->out)) {
        return expect(asked->out, "one cache for all frames, without a number in its name", error);
    }
    if (from_mesh != to_mesh) {
        return expect(asked->out,
                      from_mesh ? "a mesh, .obj or .ply, for one mesh"
                                : "a cache, or a sequence such as frame_%04d.obj, for an animation",
                      error);
    }
    const char* misfit = find_misfit(asked);
    if (misfit != NULL) {
        return expect(misfit, "a conversion that has use for it", error);
    }
    return from_mesh ? convert_mesh(asked, error) : convert_frames(asked, error);
}

static int convert(const cli_command* command, int argc, char** argv)
{
    request asked = {0};
    const cli_option options[] = {
        {"--mesh", CLI_TEXT, .value = &asked.mesh},
        {"--fps", CLI_POSITIVE, .value = &asked.fps},
        {0},
    };
    const cli_operand operands[] = {
        {"IN", &asked.in, .is_needed = true},
        {"OUT", &asked.out, .is_needed = true},
        {0},
    };
    int code = cli_args_read(command, argc, argv, options, operands);
    if (code != CLI_GO_ON) {
        return code;
    }
    drape_error error = {0};
    char found[CLI_PATH_SIZE];
    if (is_folder(asked.in)) {
        if (!find_in_folder(asked.in, found, &error)) {
            return cli_fail(command, &error);
        }
        asked.in = found;
    }
    return convert_any(&asked, &error) ? CLI_DONE : cli_fail(command, &error);
}

const cli_command cli_command_convert = {"convert", "meshes and animations to other formats", help,
                                         convert};

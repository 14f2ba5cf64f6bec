#include "checkpoint_file.h"

#include <string.h>

#include "core/base.h"

// How a checkpoint begins.
typedef struct header {
    char magic[8];
    uint32_t order;
    char version[20];
    uint64_t fingerprint;
    int64_t first, last;
    uint64_t frame_size, state_size;
} header;

static const char magic[8] = "drapeCP1";
enum { byte_order = 0x01020304 };

static size_t frame_bytes(const cli_checkpoint_file* file)
{
    return file->frame_size * (size_t)(file->last - file->first + 1);
}

bool cli_checkpoint_file_write(const cli_checkpoint_file* file, const char* path,
                               drape_error* error)
{
    header head = {.order = byte_order,
                   .fingerprint = file->fingerprint,
                   .first = file->first,
                   .last = file->last,
                   .frame_size = file->frame_size,
                   .state_size = file->state_size};
    memcpy(head.magic, magic, sizeof magic);
    strncpy(head.version, drape_version(), sizeof head.version - 1);
    uint64_t hash = dr_hash_bytes(DR_HASH_START, &head, sizeof head);
    hash = dr_hash_bytes(hash, file->frames, frame_bytes(file));
    dr_output out;
    if (!dr_output_open(&out, path, error)) {
        return false;
    }
    dr_output_write(&out, &head, sizeof head);
    dr_output_write(&out, file->frames, frame_bytes(file));
    dr_output_write(&out, file->state, file->state_size);
    dr_output_write(&out, &hash, sizeof hash);
    return dr_output_close(&out, error);
}

static bool refuse(drape_error* error, const char* path, const char* why)
{
    dr_error_set(error, DRAPE_ERROR_INPUT, "%s: %s", path, why);
    return false;
}

static bool check_version(const header* head, const char* path, drape_error* error)
{
    if (memcmp(head->magic, magic, sizeof magic) != 0) {
        return refuse(error, path, "expected a checkpoint of drape");
    }
    if (head->order != byte_order) {
        return refuse(error, path, "the checkpoint is from another kind of machine");
    }
    if (strncmp(head->version, drape_version(), sizeof head->version) != 0) {
        dr_error_set(error, DRAPE_ERROR_INPUT,
                     "%s: the checkpoint is of version %.19s, expected %s", path, head->version,
                     drape_version());
        return false;
    }
    return true;
}

// Whether frames and state are as many bytes as there are behind the header.
static bool has_room(const header* head, size_t size)
{
    if (head->first < 0 || head->last < head->first) {
        return false;
    }
    uint64_t frames = (uint64_t)(head->last - head->first);
    uint64_t most = (size - sizeof(uint64_t)) / head->frame_size;
    return frames < most &&
           size - sizeof(uint64_t) - (frames + 1) * head->frame_size == head->state_size;
}

bool cli_checkpoint_file_parse(cli_checkpoint_file* file, const dr_file* bytes, size_t frame_size,
                               const char* path, drape_error* error)
{
    header head;
    uint64_t hash;
    if (bytes->size < sizeof head + sizeof hash) {
        return refuse(error, path, "expected a checkpoint of drape");
    }
    memcpy(&head, bytes->data, sizeof head);
    if (!check_version(&head, path, error)) {
        return false;
    }
    if (head.frame_size != frame_size) {
        return refuse(error, path,
                      "the checkpoint is of another scene: its cloths have other vertices");
    }
    if (!has_room(&head, bytes->size - sizeof head)) {
        return refuse(error, path, "the checkpoint is damaged");
    }
    size_t before_state = bytes->size - sizeof hash - head.state_size;
    memcpy(&hash, bytes->data + bytes->size - sizeof hash, sizeof hash);
    if (hash != dr_hash_bytes(DR_HASH_START, bytes->data, before_state)) {
        return refuse(error, path, "the checkpoint is damaged");
    }
    *file = (cli_checkpoint_file){.fingerprint = head.fingerprint,
                                  .first = head.first,
                                  .last = head.last,
                                  .frame_size = frame_size,
                                  .state_size = head.state_size,
                                  .frames = bytes->data + sizeof head,
                                  .state = bytes->data + before_state};
    return true;
}

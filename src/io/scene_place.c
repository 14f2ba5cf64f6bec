#include <math.h>

#include "io/scene_build.h"

drape_transform dr_place_pose(dr_place_desc place)
{
    return (drape_transform){place.translate, drape_quat_from_degrees(place.rotate)};
}

drape_transform dr_pose_combine(drape_transform outer, drape_transform inner)
{
    drape_vec3 turned = drape_quat_rotate(outer.rotate, inner.translate);
    return (drape_transform){
        .translate = {outer.translate.x + turned.x, outer.translate.y + turned.y,
                      outer.translate.z + turned.z},
        .rotate = drape_quat_multiply(outer.rotate, inner.rotate),
    };
}

drape_quat dr_rotation_from_up(drape_vec3 up)
{
    double length = sqrt((double)up.x * up.x + (double)up.y * up.y + (double)up.z * up.z);
    // The shortest turn: about the axis across both, half the angle by adding the unit vectors.
    double x = up.z / length;
    double z = -up.x / length;
    double w = 1.0 + up.y / length;
    double norm = sqrt(x * x + z * z + w * w);
    if (norm < 1e-6) {
        return (drape_quat){1.0f, 0.0f, 0.0f, 0.0f}; // straight down: half a turn about x
    }
    return (drape_quat){(float)(x / norm), 0.0f, (float)(z / norm), (float)(w / norm)};
}

// --- Keys ---

// Turns beyond this get keys in between; the core goes the short way, which is lost at 180.
#define FAR_TURN 150.0
// Degrees from one of them to the next.
#define TURN_STEP 15.0
// More keys than this is a slip of the pen.
#define MAX_KEYS 1000000

static double farthest_turn(drape_vec3 from, drape_vec3 to)
{
    double x = fabs((double)to.x - from.x);
    double y = fabs((double)to.y - from.y);
    double z = fabs((double)to.z - from.z);
    return fmax(x, fmax(y, z));
}

// How many keys stand for the one at `index`.
static int key_pieces(dr_motion_desc motion, int index)
{
    if (index == 0) {
        return 1;
    }
    double turn =
        farthest_turn(motion.keys[index - 1].place.rotate, motion.keys[index].place.rotate);
    return turn > FAR_TURN ? (int)ceil(turn / TURN_STEP) : 1;
}

static float mix(float from, float to, double share)
{
    return (float)(from + share * ((double)to - from));
}

static drape_vec3 mix_vec3(drape_vec3 from, drape_vec3 to, double share)
{
    return (drape_vec3){mix(from.x, to.x, share), mix(from.y, to.y, share),
                        mix(from.z, to.z, share)};
}

// Key number `piece` of `pieces` on the way to a key; straight between them, eased as a whole.
static drape_key key_on_the_way(const dr_key_desc* to, int piece, int pieces)
{
    const dr_key_desc* from = to - 1;
    double time = (double)piece / pieces;
    double share = to->ease == DRAPE_EASE_SMOOTH ? time * time * (3.0 - 2.0 * time) : time;
    dr_place_desc place = {mix_vec3(from->place.translate, to->place.translate, share),
                           mix_vec3(from->place.rotate, to->place.rotate, share)};
    return (drape_key){mix(from->time, to->time, time), dr_place_pose(place), DRAPE_EASE_LINEAR};
}

const drape_key* dr_motion_keys(dr_reader* reader, dr_motion_desc motion, drape_transform inner,
                                int* count)
{
    size_t total = 0;
    for (int i = 0; i < motion.key_count; ++i) {
        total += (size_t)key_pieces(motion, i);
    }
    *count = 0;
    if (total > MAX_KEYS) {
        dr_sentence sentence = dr_reader_fail(reader, motion.node);
        dr_sentence_add(&sentence, "expected fewer turns: they take more than a million keys");
        return NULL;
    }
    drape_key* keys = total > 0 ? dr_reader_allocate(reader, total, sizeof(*keys)) : NULL;
    for (int i = 0; keys != NULL && i < motion.key_count; ++i) {
        const dr_key_desc* key = &motion.keys[i];
        int pieces = key_pieces(motion, i);
        for (int piece = 1; piece < pieces; ++piece) {
            keys[(*count)++] = key_on_the_way(key, piece, pieces);
        }
        drape_ease ease = pieces > 1 ? DRAPE_EASE_LINEAR : key->ease;
        keys[(*count)++] = (drape_key){key->time, dr_place_pose(key->place), ease};
    }
    for (int i = 0; i < *count; ++i) {
        keys[i].pose = dr_pose_combine(keys[i].pose, inner);
    }
    return keys;
}

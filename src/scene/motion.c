#include "scene/motion.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "core/base.h"
#include "core/random.h"
#include "core/vec_math.h"

static double smooth(double u)
{
    return u * u * (3.0 - 2.0 * u);
}

__attribute__((format(printf, 3, 4))) static bool refuse(char* sentence, size_t sentence_size,
                                                         const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sentence_size, format, arguments);
    va_end(arguments);
    return false;
}

static bool pose_is_finite(drape_transform pose)
{
    drape_vec3 t = pose.translate;
    drape_quat r = pose.rotate;
    return isfinite(t.x) && isfinite(t.y) && isfinite(t.z) && isfinite(r.x) && isfinite(r.y) &&
           isfinite(r.z) && isfinite(r.w);
}

static double quat_length(drape_quat q)
{
    return sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
}

bool dr_motion_check(const drape_key* keys, int key_count, char* sentence, size_t sentence_size)
{
    if (keys == NULL || key_count < 1) {
        return refuse(sentence, sentence_size, "a motion needs at least one key");
    }
    for (int i = 0; i < key_count; ++i) {
        const drape_key* key = &keys[i];
        if (!isfinite(key->time)) {
            return refuse(sentence, sentence_size, "key %d: the time is not a finite number", i);
        }
        if (i > 0 && !(key->time > key[-1].time)) {
            return refuse(sentence, sentence_size,
                          "key %d: the time %g s does not come after %g s of the key before it", i,
                          (double)key->time, (double)key[-1].time);
        }
        if (!pose_is_finite(key->pose)) {
            return refuse(sentence, sentence_size, "key %d: the pose is not finite", i);
        }
        double length = quat_length(key->pose.rotate);
        if (fabs(length - 1.0) > 1e-3) {
            return refuse(sentence, sentence_size,
                          "key %d: the quaternion of its rotation has length %g, expected 1", i,
                          length);
        }
        if (key->ease != DRAPE_EASE_SMOOTH && key->ease != DRAPE_EASE_LINEAR) {
            return refuse(sentence, sentence_size,
                          "key %d: the ease is %d, expected DRAPE_EASE_SMOOTH or DRAPE_EASE_LINEAR",
                          i, (int)key->ease);
        }
    }
    return true;
}

// The first key after the time, or key_count.
static int key_after(const drape_key* keys, int key_count, double time)
{
    int low = 0, high = key_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (keys[middle].time > time) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

drape_transform dr_motion_at(const drape_key* keys, int key_count, double time)
{
    DR_ASSERT(key_count > 0);
    int next = key_after(keys, key_count, time);
    if (next == 0) {
        return keys[0].pose;
    }
    if (next == key_count) {
        return keys[key_count - 1].pose;
    }
    const drape_key *from = &keys[next - 1], *to = &keys[next];
    double u = (time - from->time) / ((double)to->time - from->time);
    double t = to->ease == DRAPE_EASE_SMOOTH ? smooth(u) : u;
    return (drape_transform){
        .translate = dr_lerp(from->pose.translate, to->pose.translate, (float)t),
        .rotate = dr_quat_slerp(from->pose.rotate, to->pose.rotate, t),
    };
}

void dr_frames_at(const drape_vec3* frames, int frame_count, int point_count, float fps,
                  double time, drape_vec3* places)
{
    DR_ASSERT(frame_count > 0 && fps > 0.0f);
    double position = time * fps;
    // Written so that a time that is no number holds the first frame.
    int frame = 0;
    double rest = 0.0;
    if (position >= frame_count - 1) {
        frame = frame_count - 1;
    } else if (position > 0.0) {
        frame = (int)position;
        rest = position - frame;
    }
    const drape_vec3* from = frames + (size_t)frame * (size_t)point_count;
    const drape_vec3* to = frame + 1 < frame_count ? from + point_count : from;
    for (int i = 0; i < point_count; ++i) {
        places[i] = dr_lerp(from[i], to[i], (float)rest);
    }
}

// Random values at whole steps, joined smoothly.
static double octave(uint32_t seed, double steps)
{
    // So far out that steps have no fraction left: calm.
    if (!(fabs(steps) < 0x1p50)) {
        return 0.0;
    }
    int64_t step = (int64_t)steps;
    step -= (double)step > steps;
    double from = dr_random_signed(seed, (uint32_t)step);
    double to = dr_random_signed(seed, (uint32_t)(step + 1));
    return from + (to - from) * smooth(steps - (double)step);
}

double dr_gust(uint32_t seed, double time)
{
    // Periods in s that share no rhythm, each with its share of the strength.
    static const double periods[3] = {2.9, 1.3, 0.6}, weights[3] = {0.5, 0.3125, 0.1875};
    double noise = 0.0;
    for (uint32_t i = 0; i < 3; ++i) {
        noise += weights[i] * octave(dr_random_u32(seed, i), time / periods[i]);
    }
    return noise;
}

drape_vec3 dr_wind_at(const drape_wind* wind, double time)
{
    drape_vec3 velocity = wind->velocity;
    if (wind->gust == 0.0f) {
        return velocity;
    }
    const float sideways = 0.25f;
    float along = 1.0f + wind->gust * (float)dr_gust(wind->seed, time);
    float across = sideways * wind->gust * (float)dr_gust(~wind->seed, time);
    // Level and across the wind; along x when the wind itself stands upright.
    drape_vec3 side = dr_normalize((drape_vec3){velocity.z, 0.0f, -velocity.x});
    if (velocity.x == 0.0f && velocity.z == 0.0f) {
        side.x = 1.0f;
    }
    side = dr_scale(side, dr_length(velocity));
    return dr_add(dr_scale(velocity, along), dr_scale(side, across));
}

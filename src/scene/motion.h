// scene/motion.h: where things that move by themselves are at a time.
//
// Keys: poses at rising times. Before the first key its pose holds, after the last key its pose; in
// between translations go straight and rotations turn steadily the short way, so a turn of half a
// circle or more needs keys on the way. A key says how it is approached: smooth (3 u^2 - 2 u^3, at
// rest at both ends) or linear.
//
// Frames: places of some points at a steady rate, straight in between, held at both ends.
//
// Wind: a steady part and gusts. A gust is noise of three octaves, the slowest some seconds long;
// each joins random values at whole steps by 3 u^2 - 2 u^3, so it has no jumps and no kinks.
//
// All results are the same bits on every machine.
#ifndef DR_MOTION_H
#define DR_MOTION_H

#include <drape/types.h>

// True for a list that dr_motion_at may use: at least one key, finite times that rise, finite
// poses, quaternions of length 1 within 1 in 1000. Else a sentence of at most `sentence_size` - 1
// letters says what is wrong, naming the key by its index from 0.
bool dr_motion_check(const drape_key* keys, int key_count, char* sentence, size_t sentence_size);
// The pose at a time. `keys` has passed dr_motion_check.
drape_transform dr_motion_at(const drape_key* keys, int key_count, double time);

// Writes the places of `point_count` points at a time. `frames` holds frame_count times point_count
// places; frame_count >= 1, fps > 0.
void dr_frames_at(const drape_vec3* frames, int frame_count, int point_count, float fps,
                  double time, drape_vec3* places);

// Noise in [-1, 1], smooth in time, its mean zero over long times.
double dr_gust(uint32_t seed, double time);
// The velocity of the air: velocity * (1 + gust * noise), and a quarter as much to and fro across
// it.
drape_vec3 dr_wind_at(const drape_wind* wind, double time);

#endif

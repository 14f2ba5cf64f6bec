// stats.h: the file of --stats, one JSON object a line.
//
// A line for each frame that was stepped, then one for the run with the `hash` of the positions,
// the number of `frames`, and `average` and `maximum` over the same keys. Values that are not
// finite, such as the gap to colliders where there are none, become null and do not count.
#ifndef CLI_STATS_H
#define CLI_STATS_H

#include "io/file.h"
#include "io/json_write.h"

#define CLI_STATS_KEYS 37

typedef struct cli_stats {
    dr_output out;
    dr_json_writer json;
    int frame_count;
    double sums[CLI_STATS_KEYS];
    double maxima[CLI_STATS_KEYS];
    int counts[CLI_STATS_KEYS]; // of finite values
    bool is_open;
} cli_stats;

bool cli_stats_open(cli_stats* stats, const char* path, drape_error* error);
// What the report of a frame does not say.
typedef struct cli_stats_seen {
    double output_ms;   // the time its files took
    double crossings;   // not a number when nobody looked for them
    double p99_stretch; // 99 of 100 edges are not stretched further; not a number as well
} cli_stats_seen;

// The values of a frame.
void cli_stats_row(double row[CLI_STATS_KEYS], const drape_step_report* report,
                   const cli_stats_seen* seen);
// The crossings in a row.
double cli_stats_crossings(const double row[CLI_STATS_KEYS]);
// Adds the next frame, at `time`; does nothing when no file is open.
bool cli_stats_add(cli_stats* stats, const double row[CLI_STATS_KEYS], double time,
                   drape_error* error);
// Writes the last line and gives the file its name.
bool cli_stats_close(cli_stats* stats, uint64_t hash, drape_error* error);
// Forgets the file.
void cli_stats_discard(cli_stats* stats);

#endif

// progress.h: the line that tells how a run goes, redrawn in place.
//
//     frame 31 of 90   14.2 ms a frame   1 s left
//
// It is there only while the standard error output is a terminal; in a pipe nothing of it appears.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

typedef struct cli_progress {
    int frame_count;
    double start;  // ms
    double drawn;  // when the line was drawn last, ms
    int width;     // letters of the line that is there now
    bool is_shown; // on a terminal, and not asked to be quiet
} cli_progress;

cli_progress cli_progress_begin(int frame_count, bool is_quiet);
// After frame `frame` is done.
void cli_progress_show(cli_progress* progress, int frame);
// For work that is not counted in frames: the share that is done, 0 to 1.
void cli_progress_share(cli_progress* progress, double share);
// Takes the line away, so that a sentence can stand in its place.
void cli_progress_clear(cli_progress* progress);

#endif

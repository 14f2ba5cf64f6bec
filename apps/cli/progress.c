#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "command.h"

// Drawn no more often than this; a terminal can be slower than the cloth.
#define DRAW_INTERVAL_MS 100.0

cli_progress cli_progress_begin(int frame_count, bool is_quiet)
{
    double now = cli_now_ms();
    return (cli_progress){
        .frame_count = frame_count,
        .start = now,
        .drawn = now,
        .is_shown = !is_quiet && isatty(STDERR_FILENO),
    };
}

// "42 s", "3 min 07 s", "2 h 05 min".
static void write_duration(char* text, size_t size, double seconds)
{
    long long whole = (long long)(seconds + 0.5);
    if (whole < 60) {
        snprintf(text, size, "%lld s", whole);
    } else if (whole < 3600) {
        snprintf(text, size, "%lld min %02lld s", whole / 60, whole % 60);
    } else {
        snprintf(text, size, "%lld h %02lld min", whole / 3600, whole / 60 % 60);
    }
}

// Whether the line may be drawn now.
static bool is_due(const cli_progress* progress, double now)
{
    return progress->is_shown && now - progress->drawn >= DRAW_INTERVAL_MS;
}

static void draw(cli_progress* progress, const char* line, int width, double now)
{
    // Blanks wipe out what a longer line left behind.
    int blanks = progress->width > width ? progress->width - width : 0;
    fprintf(stderr, "\r%s%*s", line, blanks, "");
    fflush(stderr);
    progress->width = width;
    progress->drawn = now;
}

void cli_progress_show(cli_progress* progress, int frame)
{
    double now = cli_now_ms();
    if (!is_due(progress, now)) {
        return;
    }
    double ms = (now - progress->start) / frame;
    char left[64];
    write_duration(left, sizeof left, 1e-3 * ms * (progress->frame_count - frame));
    char line[160];
    int width = snprintf(line, sizeof line, "frame %d of %d   %.1f ms a frame   %s left", frame,
                         progress->frame_count, ms, left);
    draw(progress, line, width, now);
}

void cli_progress_share(cli_progress* progress, double share)
{
    double now = cli_now_ms();
    if (!is_due(progress, now) || !(share > 0.0)) {
        return;
    }
    char left[64];
    write_duration(left, sizeof left, 1e-3 * (now - progress->start) * (1.0 / share - 1.0));
    char line[160];
    int width = snprintf(line, sizeof line, "%3.0f %%   %s left", 100.0 * share, left);
    draw(progress, line, width, now);
}

void cli_progress_clear(cli_progress* progress)
{
    if (progress->width > 0) {
        fprintf(stderr, "\r%*s\r", progress->width, "");
        fflush(stderr);
        progress->width = 0;
    }
}

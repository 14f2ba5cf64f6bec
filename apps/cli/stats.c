#include "stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/vec_math.h"

// Times first, which stand in an object of their own.
#define TIME_KEYS 7
// The one that is looked up in a row.
#define CROSSINGS_KEY 11
static const char* const keys[CLI_STATS_KEYS] = {
    "total",
    "predict",
    "detect",
    "solve",
    "guard",
    "output",
    "detect_self",
    "contacts",
    "box_tests",
    "exact_tests",
    "runs",
    [CROSSINGS_KEY] = "crossings",
    "smallest_gap",
    "max_stretch",
    "p99_stretch",
    "kinetic_energy",
    "heap_calls",
    "guarded",
    "pinched",
    "cut_vertices",
    "guard_energy",
    "guard_momentum",
    "crossed",
    "touching",
    "self_contacts",
    "self_pairs",
    "self_searches",
    // What the runs did.
    "substeps",
    "sweeps",
    "planes",
    "far_pairs",
    "conflicts",
    "clamped",
    "frozen",
    "forced",
    "halved",
    "unconverged",
};

// To the tenth of a microsecond; what is behind is noise.
static double round_ms(double ms)
{
    return round(1e4 * ms) / 1e4;
}

void cli_stats_row(double row[CLI_STATS_KEYS], const drape_step_report* report,
                   const cli_stats_seen* seen)
{
    const drape_stage_ms* ms = &report->ms;
    const drape_run_counts* counts = &report->counts;
    const double values[CLI_STATS_KEYS] = {
        round_ms(ms->total + seen->output_ms),
        round_ms(ms->predict),
        round_ms(ms->detect),
        round_ms(ms->solve),
        round_ms(ms->guard),
        round_ms(seen->output_ms),
        round_ms(ms->detect_self),
        report->contact_count,
        (double)report->box_tests,
        (double)report->exact_tests,
        report->runs,
        [CROSSINGS_KEY] = seen->crossings,
        (double)report->smallest_gap,
        (double)report->max_stretch,
        seen->p99_stretch,
        report->kinetic_energy,
        report->heap_calls,
        report->guarded_count,
        report->pinched_count,
        report->cut_count,
        report->guard_energy,
        dr_length_double(report->guard_momentum),
        report->crossed_count,
        report->touching_count,
        report->self_contact_count,
        report->self_pair_count,
        report->self_search_count,
        report->substeps,
        (double)counts->sweeps,
        (double)counts->planes,
        (double)counts->far_pairs,
        (double)counts->conflicts,
        (double)counts->clamped,
        (double)counts->frozen,
        (double)counts->forced,
        (double)counts->halved,
        (double)counts->unconverged,
    };
    for (int k = 0; k < CLI_STATS_KEYS; ++k) {
        row[k] = values[k];
    }
}

double cli_stats_crossings(const double row[CLI_STATS_KEYS])
{
    return row[CROSSINGS_KEY];
}

// In the fewest letters that keep the value: counts whole, single precision as such.
static void put_number(dr_json_writer* json, const char* key, double value)
{
    if (fabs(value) < 9e15 && floor(value) == value) {
        dr_json_put_integer(json, key, (int64_t)value);
    } else if (isfinite(value) && (double)(float)value == value) {
        dr_json_put_float(json, key, (float)value);
    } else {
        dr_json_put_double(json, key, value);
    }
}

static void put_row(dr_json_writer* json, const double* row)
{
    dr_json_open_object(json, "ms");
    for (int k = 0; k < TIME_KEYS; ++k) {
        put_number(json, keys[k], row[k]);
    }
    dr_json_close_object(json);
    for (int k = TIME_KEYS; k < CLI_STATS_KEYS; ++k) {
        put_number(json, keys[k], row[k]);
    }
}

static bool write_line(cli_stats* stats, drape_error* error)
{
    dr_json_end_line(&stats->json);
    if (stats->json.failed) {
        dr_error_set_memory(error, stats->out.path);
        return false;
    }
    dr_output_write(&stats->out, stats->json.text, stats->json.length);
    dr_json_writer_clear(&stats->json);
    return dr_output_check(&stats->out, error);
}

bool cli_stats_open(cli_stats* stats, const char* path, drape_error* error)
{
    *stats = (cli_stats){0};
    stats->is_open = dr_output_open(&stats->out, path, error);
    return stats->is_open;
}

bool cli_stats_add(cli_stats* stats, const double row[CLI_STATS_KEYS], double time,
                   drape_error* error)
{
    if (!stats->is_open) {
        return true;
    }
    for (int k = 0; k < CLI_STATS_KEYS; ++k) {
        if (isfinite(row[k])) {
            stats->sums[k] += row[k];
            stats->maxima[k] = stats->counts[k] == 0 ? row[k] : fmax(stats->maxima[k], row[k]);
            ++stats->counts[k];
        }
    }
    ++stats->frame_count;
    dr_json_open_object(&stats->json, NULL);
    dr_json_put_integer(&stats->json, "frame", stats->frame_count);
    dr_json_put_double(&stats->json, "time", time);
    put_row(&stats->json, row);
    dr_json_close_object(&stats->json);
    return write_line(stats, error);
}

static bool write_last_line(cli_stats* stats, uint64_t hash, drape_error* error)
{
    double averages[CLI_STATS_KEYS];
    for (int k = 0; k < CLI_STATS_KEYS; ++k) {
        averages[k] = stats->counts[k] > 0 ? stats->sums[k] / stats->counts[k] : (double)NAN;
        stats->maxima[k] = stats->counts[k] > 0 ? stats->maxima[k] : (double)NAN;
    }
    char digits[17];
    snprintf(digits, sizeof digits, "%016" PRIx64, hash);
    dr_json_open_object(&stats->json, NULL);
    dr_json_put_string(&stats->json, "hash", digits);
    dr_json_put_integer(&stats->json, "frames", stats->frame_count);
    dr_json_open_object(&stats->json, "average");
    put_row(&stats->json, averages);
    dr_json_close_object(&stats->json);
    dr_json_open_object(&stats->json, "maximum");
    put_row(&stats->json, stats->maxima);
    dr_json_close_object(&stats->json);
    dr_json_close_object(&stats->json);
    return write_line(stats, error);
}

bool cli_stats_close(cli_stats* stats, uint64_t hash, drape_error* error)
{
    if (!stats->is_open) {
        return true;
    }
    if (!write_last_line(stats, hash, error)) {
        cli_stats_discard(stats);
        return false;
    }
    stats->is_open = false;
    dr_json_writer_free(&stats->json);
    return dr_output_close(&stats->out, error);
}

void cli_stats_discard(cli_stats* stats)
{
    if (stats->is_open) {
        stats->is_open = false;
        dr_json_writer_free(&stats->json);
        dr_output_discard(&stats->out);
    }
}

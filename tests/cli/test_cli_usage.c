// Words that the command takes, and the sentences for those it does not take.
#include "cli_test.h"

typedef struct bad_usage {
    const char* line;
    const char* words;
} bad_usage;

static const bad_usage bad_usages[] = {
    // Commands.
    {"chekc out", "drape: chekc: no such command; there are run, check, info, scenes, convert"},
    {"view table", "drape: view: no such command; there are run"},
    {"rnu table", "did you mean run?"},
    {"help rnu", "drape: rnu: no such command"},
    {"--frames 3", "drape: --frames: no such command"},
    // Options.
    {"run", "drape run: expected SCENE, found nothing; see drape run --help"},
    {"run table sphere", "drape run: sphere: expected no further argument"},
    {"run table --farmes 3", "drape run: --farmes: no such option, did you mean --frames"},
    {"run table -x", "drape run: -x: no such option"},
    {"run table --frames", "drape run: --frames: expected a value, found none"},
    {"run table --frames many",
     "drape run: --frames: expected a whole number of at least 0, found \"many\""},
    {"run table --frames -1", "--frames: expected a whole number of at least 0, found \"-1\""},
    {"run table --frames 3.5", "--frames: expected a whole number of at least 0, found \"3.5\""},
    {"run table --frames 99999999999", "--frames: expected a whole number of at least 0"},
    {"run table --frames=", "--frames: expected a whole number of at least 0, found \"\""},
    {"run table --threads 0", "--threads: expected a whole number from 1 to 64, found \"0\""},
    {"run table --threads 65", "--threads: expected a whole number from 1 to 64, found \"65\""},
    {"run table --format stl",
     "--format: expected one of pc2, mdd, obj, ply, glb, usda, found \"stl\""},
    {"run table --isa mmx", "--isa: expected one of auto, plain, sse2, avx2, neon, wasm"},
    {"run table --isa wasm", "--isa: expected an instruction set of this machine and build"},
    {"run table --set substeps", "--set: expected path=value, found \"substeps\""},
    {"run table --set =3", "--set: expected path=value, found \"=3\""},
    {"run table --quiet=yes", "--quiet: expected no value, found \"yes\""},
    // Parts of the contract that come later.
    {"run table --format glb", "drape run: --format glb: not built yet"},
    {"run table --format usda", "drape run: --format usda: not built yet"},
    {"run table --checkpoint 10", "drape run: --checkpoint: expected -o DIR"},
    {"run table --resume", "drape run: --resume: expected -o DIR"},
    {"run pins-center --particles", "drape run: --particles: expected -o DIR"},
    {"run table --particles -o out", "drape run: --particles: expected a scene with sensor"},
    // Scenes.
    {"run tabel", "drape run: tabel: no such scene, did you mean table"},
    {"run nothing.json", "drape run: nothing.json: "},
    {"run ./table", "drape run: ./table: "},
    {"run table --method magic", "--method: "},
    {"run table --set solver.substeps=0",
     "--set solver.substeps: expected a whole number from 1 to 1000, found 0"},
    {"run table --set sover.substeps=3", "sover"},
    {"run table-paper --set solver.elastic.bend=soft", "expected one of plate, abs, paper"},
    {"run table-paper --set solver.elastic.form=3", "expected one of plain, split, stiff, found 3"},
    {"run table-paper --set solver.elastic.dt=-1", "expected a number above 0, found -1"},
    {"run table-paper --set collision.max_runs=0", "expected a whole number from 1 to 1000"},
    {"run table-paper --set collision.continuous=7", "expected true or false, found 7"},
    {"run table-paper --set collision.obstacles=predictive",
     "the cloth model `elastic` needs the obstacle response `slide`"},
    {"run pins-center --set solver.integrator=euler", "expected one of verlet, implicit, found"},
    {"run pins-center --set solver.springs.sweeps=-1", "expected a whole number from 0 to 1000"},
    {"run pins-center --set solver.springs.order=up", "expected one of to_and_fro, from_pins"},
    {"run pins-center --set solver.springs.max_elongation=-1", "expected a number from 0 to 100"},
    {"run pins-center --set collision.particles.count=65", "expected a whole number from 0 to 64"},
    {"run pins-center --set collision.particles.tolerance=0", "expected a number above 0, found 0"},
    {"run pins-center --set collision.particles.gate=maybe", "expected true or false, found"},
    {"run pins-center --set collision.hierarchy=none",
     "self-collision `particles` needs a hierarchy, `bottom-up`"},
    {"run pins-center --set collision.obstacles=predictive",
     "the cloth model `springs` needs the obstacle response `ray`, `filter` or `slide`"},
    {"run table-paper --set collision.obstacles=filter",
     "the obstacle response `filter` needs the cloth model `springs`"},
    // The other commands.
    {"info", "drape info: expected SCENE or FILE, found nothing"},
    {"info nothing.obj", "drape info: nothing.obj: "},
    {"info nothing.pc2", "drape info: nothing.pc2: "},
    {"info tabel", "drape info: tabel: no such scene"},
    {"scenes table", "drape scenes: table: expected no further argument"},
    {"scenes --name", "did you mean --names"},
    {"check", "drape check: expected FILE or DIR, found nothing"},
    {"check nothing.obj", "drape check: nothing.obj: "},
    {"ccd", "drape ccd: expected FILE, found nothing"},
    {"convert", "drape convert: expected IN, found nothing"},
    {"convert a.obj", "drape convert: expected OUT, found nothing"},
    {"convert a.obj b.ply c.ply", "drape convert: c.ply: expected no further argument"},
    {"convert a.obj b.ply --fps fast", "--fps: expected a number above 0, found \"fast\""},
    {"convert a.obj b.ply --fps 0", "--fps: expected a number above 0, found \"0\""},
    {"bench nothing", "drape bench: nothing: no such benchmark; there are solve, geometry, papers, "
                      "sensor, spring, crossings, guard, predict, crowd and torture"},
    {"bench --isa mmx", "drape bench: --isa: expected one of"},
};

START_TEST(bad_usage_is_named)
{
    const bad_usage* usage = &bad_usages[_i];
    expect_refusal(usage->line, 2, usage->words);
    // Two files take what was printed; there is nothing else.
    ck_assert_int_eq(test_folder_count(&folder), 2);
}
END_TEST

START_TEST(no_words_print_the_usage)
{
    const cli_test_result* result = drape("");
    expect_code(result, 2, "");
    ck_assert_str_eq(result->out, "");
    expect_words(result->err, "usage: drape COMMAND", "");
}
END_TEST

static const char* const commands_with_help[] = {"run",   "check", "info", "scenes", "convert",
                                                 "bench", "ccd",   "plot", "render"};

START_TEST(help_goes_to_the_output)
{
    const char* const* commands = commands_with_help;
    char line[64];
    snprintf(line, sizeof line, "%s --help", commands[_i]);
    const cli_test_result* result = drape_done(line);
    char usage[64];
    snprintf(usage, sizeof usage, "usage: drape %s ", commands[_i]);
    expect_words(result->out, usage, line);
    expect_words(result->out, "examples:\n  ", line);
    ck_assert_str_eq(result->err, "");
    // All ways to ask get the same answer.
    char first[sizeof result->out];
    snprintf(first, sizeof first, "%s", result->out);
    snprintf(line, sizeof line, "help %s", commands[_i]);
    ck_assert_str_eq(drape_done(line)->out, first);
    expect_words(drape_done("--help")->out, commands[_i], "--help");
}
END_TEST

START_TEST(version_is_told)
{
    char line[64];
    snprintf(line, sizeof line, "drape %s\n", drape_version());
    ck_assert_str_eq(drape_done("--version")->out, line);
}
END_TEST

START_TEST(options_come_in_all_shapes)
{
    drape_done("run --frames=1 -oone --quiet table");
    ck_assert(file_exists("one/cloth.pc2"));
    drape_done("run -o two --frames 1 --quiet -- table");
    ck_assert(file_exists("two/cloth.pc2"));
    // The last one wins.
    drape_done("run table --frames 9 --frames 2 --quiet -o three");
    drape_cache_data cache;
    drape_error error = {0};
    ck_assert(drape_cache_read(in_folder("three/cloth.pc2"), &cache, &error));
    ck_assert_int_eq(cache.frame_count, 3);
    drape_cache_data_free(&cache);
}
END_TEST

START_TEST(full_output_is_told)
{
    static const char* const lines[] = {"scenes", "--help", "run --help", "info table"};
    char command[1024];
    snprintf(command, sizeof command, "'%s' %s >/dev/full 2>'%s'", DRAPE_COMMAND, lines[_i],
             in_folder(".err"));
    int status = system(command);
    ck_assert_int_eq(WEXITSTATUS(status), 1);
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("usage");
    TCase* bad = cli_test_case(suite, "bad usage");
    tcase_add_loop_test(bad, bad_usage_is_named, 0, sizeof bad_usages / sizeof bad_usages[0]);
    tcase_add_test(bad, no_words_print_the_usage);
    tcase_add_loop_test(bad, full_output_is_told, 0, 4);
    TCase* good = cli_test_case(suite, "good usage");
    tcase_add_loop_test(good, help_goes_to_the_output, 0,
                        sizeof commands_with_help / sizeof commands_with_help[0]);
    tcase_add_test(good, version_is_told);
    tcase_add_test(good, options_come_in_all_shapes);
    return test_run(suite);
}

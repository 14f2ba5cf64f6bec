// JSON: what is read, what is refused and in which words, numbers to the last bit, writing.
#include <check.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/json.h"
#include "io/json_number.h"
#include "io/json_write.h"

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static dr_json_node* parse(dr_json* json, const char* text, drape_error* error)
{
    return dr_json_parse(json, text, strlen(text), "f.json", error);
}

// --- Reading ---

START_TEST(values_and_positions)
{
    dr_json json = {0};
    drape_error error;
    dr_json_node* root = parse(&json,
                               "// a comment\n"
                               "{ \"a\": [1, -2.5e1, true, false, null],\r\n"
                               "  \"b\": // here too\n"
                               "      { \"\\u00e9\": \"x\\n\\\"\" } }\n",
                               &error);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(root->kind, DR_JSON_OBJECT);
    ck_assert_int_eq(root->child_count, 2);
    dr_json_node* a = dr_json_find(root, "a");
    ck_assert_int_eq(a->child_count, 5);
    ck_assert_int_eq(a->line, 2);
    ck_assert_int_eq(a->column, 8);
    ck_assert_double_eq(dr_json_at(a, 1)->number, -25.0);
    ck_assert_int_eq(dr_json_at(a, 1)->column, 12);
    ck_assert(dr_json_at(a, 2)->boolean);
    ck_assert(!dr_json_at(a, 3)->boolean);
    ck_assert_int_eq(dr_json_at(a, 4)->kind, DR_JSON_NULL);
    ck_assert_ptr_null(dr_json_at(a, 5));
    dr_json_node* b = dr_json_find(root, "b");
    ck_assert_int_eq(b->line, 4);
    ck_assert_int_eq(b->key_line, 3);
    ck_assert_str_eq(dr_json_find(b, "é")->string, "x\n\"");
    ck_assert_ptr_null(dr_json_find(b, "e"));
    dr_json_free(&json);
}
END_TEST

START_TEST(columns_count_letters_not_bytes)
{
    dr_json json = {0};
    drape_error error;
    dr_json_node* root = parse(&json, "{\"é€😀\": 1, /", &error);
    ck_assert_ptr_null(root);
    ck_assert_str_eq(error.sentence, "f.json:1:12: expected a value; comments begin with \"//\"");
    root = parse(&json, "[\"\\ud83d\\ude00\\u20AC\\t\"]", &error);
    ck_assert_str_eq(root->first_child->string, "😀€\t");
    root = parse(&json, "\xEF\xBB\xBF[true]", &error);
    ck_assert_int_eq(root->column, 1);
    dr_json_free(&json);
}
END_TEST

typedef struct bad_text {
    const char* text;
    const char* sentence;
} bad_text;

static const bad_text bad_texts[] = {
    {"", "1:1: expected a value, found the end of the text"},
    {"\n  ", "2:3: expected a value, found the end of the text"},
    {"{", "1:2: expected a key in double quotes, found the end of the text"},
    {"[1", "1:3: expected \",\" or \"]\", found the end of the text"},
    {"[1,]", "1:4: expected a value, found \"]\""},
    {"[,1]", "1:2: expected a value, found \",\""},
    {"[1 2]", "1:4: expected \",\" or \"]\", found \"2\""},
    {"{\"a\":1,}", "1:8: expected a key in double quotes, found \"}\""},
    {"{a:1}", "1:2: expected a key in double quotes, found \"a\""},
    {"{'a':1}", "1:2: expected a key in double quotes, found \"'\""},
    {"{\"a\" 1}", "1:6: expected \":\" after the key, found \"1\""},
    {"{\"a\"=1}", "1:5: expected \":\" after the key, found \"=\""},
    {"{\"a\":1 \"b\":2}", "1:8: expected \",\" or \"}\", found '\"'"},
    {"{\"a\":1,\n \"a\":2}", "2:2: the key \"a\" comes twice"},
    {"{\"a\":1, \"\\u0061\":2}", "1:9: the key \"a\" comes twice"},
    {"1 2", "1:3: expected the end of the text, found \"2\""},
    {"[1]]", "1:4: expected the end of the text, found \"]\""},
    {"nul", "1:1: expected a value, found \"nul\""},
    {"nulll", "1:1: expected a value, found \"nulll\""},
    {"True", "1:1: expected a value, found \"True\""},
    {"NaN", "1:1: expected a value, found \"NaN\""},
    {"[Infinity]", "1:2: expected a value, found \"Infinity\""},
    {"-Infinity", "1:1: expected a number such as -1.5e3, found \"-Infinity\""},
    {"+1", "1:1: expected a value, found \"+1\""},
    {".5", "1:1: expected a value, found \".5\""},
    {"5.", "1:1: expected a number such as -1.5e3, found \"5.\""},
    {"01", "1:1: expected a number such as -1.5e3, found \"01\""},
    {"-", "1:1: expected a number such as -1.5e3, found \"-\""},
    {"1e", "1:1: expected a number such as -1.5e3, found \"1e\""},
    {"1e+", "1:1: expected a number such as -1.5e3, found \"1e+\""},
    {"0x10", "1:1: expected a number such as -1.5e3, found \"0x10\""},
    {"1e999", "1:1: expected a number below 1.8e308, found \"1e999\""},
    {"/* no */ 1", "1:1: expected a value; comments begin with \"//\""},
    {"# no", "1:1: expected a value, found \"#\""},
    {"\"abc", "1:5: the string does not end; expected '\"'"},
    {"\"a\nb\"", "1:3: the string does not end; expected '\"'"},
    {"\"a\tb\"", "1:3: control letters in strings are written as escapes"},
    {"\"\\x\"", "1:2: unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"},
    {"\"\\", "1:2: unknown escape; expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u"},
    {"\"\\u12g4\"", "1:2: expected four hexadecimal digits after \"\\u\""},
    {"\"\\u0000\"", "1:8: the zero letter \"\\u0000\" is not allowed"},
    {"\"\\ude00\"", "1:8: the second half of a pair stands alone"},
    {"\"\\ud83dx\"", "1:8: expected the second half of a pair after \"\\uD800\" to \"\\uDBFF\""},
    {"\"\xC3\"", "1:2: the string is not UTF-8"},
    {"\"\xC0\x80\"", "1:2: the string is not UTF-8"},
    {"\"\xED\xA0\x80\"", "1:2: the string is not UTF-8"},
    {"\"\xF4\x90\x80\x80\"", "1:2: the string is not UTF-8"},
    {"\xFF", "1:1: expected a value, found the byte 255"},
    {"// \xFF", "1:4: expected UTF-8 text in the comment"},
    {"\x01", "1:1: expected a value, found the byte 1"},
    {"\x7F", "1:1: expected a value, found the byte 127"},
    // What would speak to a terminal does not get there.
    {"{\"\\u001b[7m\": 1, \"\\u001b[7m\": 2}", "1:18: the key \"?[7m\" comes twice"},
    {"é", "1:1: expected a value, found \"é\""},
};

START_TEST(refuses_with_a_sentence)
{
    dr_json json = {0};
    drape_error error;
    const bad_text* bad = &bad_texts[_i];
    ck_assert_ptr_null(parse(&json, bad->text, &error));
    ck_assert_int_eq(error.kind, DRAPE_ERROR_INPUT);
    char expected[256];
    snprintf(expected, sizeof(expected), "f.json:%s", bad->sentence);
    ck_assert_str_eq(error.sentence, expected);
    dr_json_free(&json);
}
END_TEST

START_TEST(zero_byte_is_no_end)
{
    dr_json json = {0};
    drape_error error;
    ck_assert_ptr_null(dr_json_parse(&json, "[1]\0", 4, "f.json", &error));
    ck_assert_str_eq(error.sentence, "f.json:1:4: expected the end of the text, found the byte 0");
    dr_json_free(&json);
}
END_TEST

START_TEST(depth_is_limited)
{
    char text[400];
    drape_error error;
    dr_json json = {0};
    memset(text, '[', 200);
    memset(text + 200, ']', 200);
    ck_assert_ptr_null(dr_json_parse(&json, text, 400, "f.json", &error));
    ck_assert_str_eq(error.sentence, "f.json:1:65: nested too deeply");
    ck_assert_ptr_nonnull(
        dr_json_parse(&json, text + 200 - DR_JSON_DEPTH, 2 * DR_JSON_DEPTH, "f.json", &error));
    dr_json_free(&json);
}
END_TEST

START_TEST(many_keys_are_fast)
{
    int count = 200000;
    size_t size = (size_t)count * 16 + 16;
    char* text = malloc(size);
    size_t length = 0;
    for (int i = 0; i < count; ++i) {
        length +=
            (size_t)snprintf(text + length, size - length, "%c\"%d\":%d", i == 0 ? '{' : ',', i, i);
    }
    length += (size_t)snprintf(text + length, size - length, "}");
    dr_json json = {0};
    drape_error error;
    dr_json_node* root = dr_json_parse(&json, text, length, "f.json", &error);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(root->child_count, count);
    dr_json_free(&json);
    free(text);
}
END_TEST

// --- The tree ---

static void path_of(const dr_json_node* node, char* text, size_t size)
{
    dr_sentence sentence = dr_sentence_begin(text, size);
    dr_json_add_path(&sentence, node);
}

START_TEST(tree_can_be_changed)
{
    dr_json json = {0};
    drape_error error;
    dr_json_node* root = parse(&json, "{\"a\": [1, {\"b\": 2}, 3]}", &error);
    dr_json_node* a = dr_json_find(root, "a");
    dr_json_node* b = dr_json_find(dr_json_at(a, 1), "b");
    char path[64];
    path_of(b, path, sizeof(path));
    ck_assert_str_eq(path, "a[1].b");
    path_of(root, path, sizeof(path));
    ck_assert_str_eq(path, "");

    dr_json_replace(b, parse(&json, "[4]", &error));
    path_of(dr_json_at(dr_json_find(dr_json_at(a, 1), "b"), 0), path, sizeof(path));
    ck_assert_str_eq(path, "a[1].b[0]");
    dr_json_detach(dr_json_at(a, 0));
    ck_assert_int_eq(a->child_count, 2);
    ck_assert_int_eq(dr_json_at(a, 0)->kind, DR_JSON_OBJECT);
    dr_json_attach(a, NULL, parse(&json, "\"end\"", &error));
    ck_assert_str_eq(dr_json_at(a, 2)->string, "end");
    dr_json_attach(root, "c", parse(&json, "null", &error));
    ck_assert_int_eq(dr_json_find(root, "c")->kind, DR_JSON_NULL);
    dr_json_free(&json);
}
END_TEST

START_TEST(sentences_are_cut_at_letters)
{
    char text[8];
    dr_sentence sentence = dr_sentence_begin(text, sizeof(text));
    dr_sentence_join(&sentence, "abc", "€€", NULL);
    ck_assert_str_eq(text, "abc€");
    dr_sentence_add_integer(&sentence, -7654);
    ck_assert_str_eq(text, "abc€-");
    sentence = dr_sentence_begin(text, sizeof(text));
    dr_sentence_add_integer(&sentence, INT64_MIN);
    ck_assert_str_eq(text, "-922337");
}
END_TEST

// --- Numbers ---

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof(a)) == 0;
}

START_TEST(numbers_are_correctly_rounded)
{
    static const char* const texts[] = {
        "0",
        "-0",
        "1",
        "0.1",
        "123456789012345678901234567890",
        "1E+2",
        "5e-324",
        "1e22",
        "1e23",
        "9007199254740993",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623158e308",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "0.0000000000000000000001e22",
        "1e-400",
        "1e-99999999999",
        "0e99999999999",
        // Halfway between two doubles, then a hair above.
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203126",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); ++i) {
        double value = dr_number_read(texts[i], strlen(texts[i]));
        ck_assert_msg(same_bits(value, strtod(texts[i], NULL)), "%s", texts[i]);
    }
    ck_assert(isinf(dr_number_read("1e400", 5)));
    ck_assert(isinf(dr_number_read("-1e99999999999", 14)));
}
END_TEST

// The middle between two neighbouring doubles in all its digits, and the same with a digit added a
// thousand places further on.
START_TEST(numbers_halfway_are_correctly_rounded)
{
    for (int i = 0; i < 500; ++i) {
        uint64_t bits =
            random_bits() & (i % 2 == 0 ? 0x7FEFFFFFFFFFFFFFull : 0x001FFFFFFFFFFFFFull);
        double low;
        memcpy(&low, &bits, sizeof(low));
        double high = nextafter(low, INFINITY);
        if (!isfinite(high)) {
            continue;
        }
        char text[2200];
        char longer[2300];
        int length = snprintf(text, sizeof(text), "%.1100Le", ((long double)low + high) / 2);
        int digits = (int)strcspn(text, "e");
        snprintf(longer, sizeof(longer), "%.*s01%s", digits, text, text + digits);
        ck_assert_msg(same_bits(dr_number_read(text, (size_t)length), strtod(text, NULL)), "%s",
                      text);
        ck_assert_msg(same_bits(dr_number_read(longer, strlen(longer)), strtod(longer, NULL)), "%s",
                      longer);
    }
}
END_TEST

static int digit_count(const char* text)
{
    int count = 0;
    int zeros = 0;
    for (; *text != '\0' && *text != 'e'; ++text) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) {
            continue;
        }
        ++count;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

// Fewest digits by trying: the first precision of printf that reads back.
static int fewest_digits(double value)
{
    char text[64];
    for (int precision = 1; precision < 17; ++precision) {
        snprintf(text, sizeof(text), "%.*e", precision - 1, value);
        if (strtod(text, NULL) == value) {
            return precision;
        }
    }
    return 17;
}

START_TEST(doubles_are_written_shortest)
{
    for (int i = 0; i < 5000; ++i) {
        uint64_t bits = random_bits();
        bits &= i % 3 == 0 ? ~(uint64_t)0 << (random_bits() % 53) : ~(uint64_t)0;
        bits &= i % 5 == 0 ? 0x800FFFFFFFFFFFFFull : ~(uint64_t)0;
        double value;
        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value)) {
            continue;
        }
        char text[DR_NUMBER_SIZE];
        size_t length = dr_number_write_double(text, value);
        ck_assert_uint_eq(length, strlen(text));
        ck_assert_msg(same_bits(strtod(text, NULL), value), "%s %.17g", text, value);
        ck_assert_msg(same_bits(dr_number_read(text, length), value), "%s %.17g", text, value);
        ck_assert_msg(value == 0 || digit_count(text) <= fewest_digits(value), "%s", text);
    }
}
END_TEST

START_TEST(floats_are_written_shortest)
{
    for (int i = 0; i < 20000; ++i) {
        uint32_t bits = (uint32_t)random_bits() & (i % 4 == 0 ? 0xFF800000u : 0xFFFFFFFFu);
        float value;
        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value)) {
            continue;
        }
        char text[DR_NUMBER_SIZE];
        dr_number_write_float(text, value);
        float back = strtof(text, NULL);
        ck_assert_msg(memcmp(&back, &value, sizeof(value)) == 0, "%s %.9g", text, (double)value);
        ck_assert_int_le(digit_count(text), 9);
    }
}
END_TEST

START_TEST(numbers_are_written_plainly)
{
    static const struct {
        double value;
        const char* text;
    } cases[] = {
        {0.0, "0"},
        {-0.0, "-0"},
        {1.0, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.000001, "0.000001"},
        {1e-7, "1e-7"},
        {123456.0, "123456"},
        {1e20, "100000000000000000000"},
        {1e21, "1e+21"},
        {1.5e300, "1.5e+300"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
    };
    char text[DR_NUMBER_SIZE];
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        dr_number_write_double(text, cases[i].value);
        ck_assert_str_eq(text, cases[i].text);
    }
    dr_number_write_float(text, 0.1f);
    ck_assert_str_eq(text, "0.1");
}
END_TEST

// --- Writing ---

START_TEST(writer_makes_what_reader_reads)
{
    dr_json_writer out = {0};
    dr_json_open_object(&out, NULL);
    dr_json_put_integer(&out, "frame", -12);
    dr_json_put_double(&out, "time", 0.4);
    dr_json_put_float(&out, "gap", 0.002f);
    dr_json_put_double(&out, "none", (double)INFINITY);
    dr_json_put_float(&out, "nan", NAN);
    dr_json_put_boolean(&out, "done", true);
    dr_json_put_null(&out, "nil");
    dr_json_put_string(&out, "na\"me", "a\\b\n\x1F é");
    dr_json_open_array(&out, "list");
    dr_json_put_integer(&out, NULL, 1);
    dr_json_open_object(&out, NULL);
    dr_json_close_object(&out);
    dr_json_put_integer(&out, NULL, 2);
    dr_json_close_array(&out);
    dr_json_close_object(&out);
    dr_json_end_line(&out);
    ck_assert(!out.failed);
    ck_assert_str_eq(
        out.text, "{\"frame\": -12, \"time\": 0.4, \"gap\": 0.002, \"none\": null, \"nan\": null, "
                  "\"done\": true, \"nil\": null, \"na\\\"me\": \"a\\\\b\\u000a\\u001f é\", "
                  "\"list\": [1, {}, 2]}\n");
    dr_json json = {0};
    drape_error error;
    dr_json_node* root = dr_json_parse(&json, out.text, out.length, "out", &error);
    ck_assert_ptr_nonnull(root);
    ck_assert_str_eq(dr_json_find(root, "na\"me")->string, "a\\b\n\x1F é");
    dr_json_free(&json);

    dr_json_writer_clear(&out);
    dr_json_put_null(&out, NULL);
    ck_assert_str_eq(out.text, "null");
    dr_json_writer_free(&out);
}
END_TEST

// --- Damage ---

// Changed, cut and doubled texts either read or give a sentence; what reads is a sound tree.
static int count_nodes(const dr_json_node* node)
{
    int count = 1;
    if (node->kind == DR_JSON_ARRAY || node->kind == DR_JSON_OBJECT) {
        int children = 0;
        for (const dr_json_node* at = node->first_child; at != NULL; at = at->next) {
            ck_assert_ptr_eq(at->parent, node);
            ck_assert((at->key != NULL) == (node->kind == DR_JSON_OBJECT));
            count += count_nodes(at);
            ++children;
        }
        ck_assert_int_eq(children, node->child_count);
    }
    return count;
}

START_TEST(damaged_text_never_breaks)
{
    static const char sound[] =
        "// scene\n{\"a\": [1, -2.5e-3, 1e400, \"\\u00e9\\ud83d\\ude00\\\\\"], \"b\": {\"c\": "
        "null, \"d\": [[], {}, true]},\n \"é\": 123456789.123456789e12}";
    int read_count = 0;
    for (int round = 0; round < 50000; ++round) {
        char text[sizeof(sound)];
        size_t length = sizeof(sound) - 1;
        memcpy(text, sound, sizeof(sound));
        for (uint64_t changes = random_bits() % 4; changes > 0; --changes) {
            static const char letters[] = "{}[]\",:/\\0123456789eE+-.u\n\t tfn";
            uint64_t pick = random_bits();
            text[pick % length] = pick & 0x100000 ? letters[(pick >> 32) % (sizeof(letters) - 1)]
                                                  : (char)(pick >> 40);
        }
        length = random_bits() % 4 == 0 ? random_bits() % (length + 1) : length;
        // A block of exactly this size lets the address sanitizer see a step too far.
        char* exact = malloc(length > 0 ? length : 1);
        memcpy(exact, text, length);
        dr_json json = {0};
        drape_error error = {0};
        dr_json_node* root = dr_json_parse(&json, exact, length, "f", &error);
        if (root != NULL) {
            ck_assert_int_gt(count_nodes(root), 0);
            ++read_count;
        } else {
            ck_assert_int_eq(error.kind, DRAPE_ERROR_INPUT);
            ck_assert_int_eq(strncmp(error.sentence, "f:", 2), 0);
        }
        dr_json_free(&json);
        free(exact);
    }
    ck_assert_int_gt(read_count, 10);
}
END_TEST

// A comma as decimal point must not reach us.
START_TEST(locale_does_not_matter)
{
    const char* names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE"};
    for (int i = 0; i < 3 && setlocale(LC_ALL, names[i]) == NULL; ++i) {
    }
    char text[DR_NUMBER_SIZE];
    ck_assert_double_eq(dr_number_read("1.25", 4), 1.25);
    dr_number_write_double(text, 1.25);
    ck_assert_str_eq(text, "1.25");
    setlocale(LC_ALL, "C");
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("json");
    TCase* reading = tcase_create("reading");
    tcase_add_test(reading, values_and_positions);
    tcase_add_test(reading, columns_count_letters_not_bytes);
    tcase_add_loop_test(reading, refuses_with_a_sentence, 0,
                        (int)(sizeof(bad_texts) / sizeof(bad_texts[0])));
    tcase_add_test(reading, zero_byte_is_no_end);
    tcase_add_test(reading, depth_is_limited);
    tcase_add_test(reading, many_keys_are_fast);
    tcase_add_test(reading, tree_can_be_changed);
    tcase_add_test(reading, sentences_are_cut_at_letters);
    tcase_add_test(reading, damaged_text_never_breaks);
    suite_add_tcase(suite, reading);
    TCase* numbers = tcase_create("numbers");
    tcase_add_test(numbers, numbers_are_correctly_rounded);
    tcase_add_test(numbers, numbers_halfway_are_correctly_rounded);
    tcase_add_test(numbers, doubles_are_written_shortest);
    tcase_add_test(numbers, floats_are_written_shortest);
    tcase_add_test(numbers, numbers_are_written_plainly);
    tcase_add_test(numbers, locale_does_not_matter);
    suite_add_tcase(suite, numbers);
    TCase* writing = tcase_create("writing");
    tcase_add_test(writing, writer_makes_what_reader_reads);
    suite_add_tcase(suite, writing);
    SRunner* runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}

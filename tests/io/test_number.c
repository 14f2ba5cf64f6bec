// Numbers as text: rounding against the C library, exact round trips, the letters of "%.9g".
#include <locale.h>

#include "io/number.h"
#include "io_test.h"

static void float_reads_like_strtof(const char* text)
{
    char* wanted_end;
    float wanted = strtof(text, &wanted_end);
    float value = 0.0f;
    const char* end = dr_parse_float(text, text + strlen(text), &value);
    if (wanted_end == text) {
        ck_assert_msg(end == NULL, "\"%s\" is no number", text);
        return;
    }
    ck_assert_msg(end == wanted_end, "\"%s\" ends elsewhere", text);
    bool is_same = memcmp(&value, &wanted, sizeof value) == 0 || (isnan(value) && isnan(wanted));
    ck_assert_msg(is_same, "\"%s\" is %a, not %a", text, (double)wanted, (double)value);
}

START_TEST(odd_texts_read_like_strtof)
{
    // The last two are on both sides of the middle behind the greatest float.
    char texts[] =
        "0 -0 +1 .5 5. 1.5abc 1..2 0000000000000000000000000000000001.5 . - e5 +.e1 1e 1e+ "
        "1e- 1e5x inf -Infinity NaN infin nothing 1e-400 1e400 1e99999999999999999999 "
        "-1e-99999999999999999999 0e9999999999 1e-45 7e-46 7.1e-46 1.17549435e-38 "
        "1.17549421e-38 16777217 16777219 123456789012345678901234567890 "
        "3.40282356779733661637539395458142568447e38 "
        "3.40282356779733661637539395458142568448e38";
    float_reads_like_strtof("");
    for (char* text = strtok(texts, " "); text != NULL; text = strtok(NULL, " ")) {
        float_reads_like_strtof(text);
    }
}
END_TEST

START_TEST(random_decimals_read_like_strtof)
{
    uint64_t state = 1;
    for (int k = 0; k < 50000; ++k) {
        char text[128];
        unsigned long long before = test_random(&state) >> test_random(&state) % 64;
        unsigned long long behind = test_random(&state) >> test_random(&state) % 64;
        snprintf(text, sizeof text, "%llu.%llue%d", before, behind,
                 (int)(test_random(&state) % 120) - 70);
        float_reads_like_strtof(text);
    }
}
END_TEST

// The middle between two floats, cut at any length, written out, and with a digit far behind it.
START_TEST(middles_read_like_strtof)
{
    uint64_t state = 2;
    for (int k = 0; k < 3000; ++k) {
        float value = test_random_float(&state);
        double middle = ((double)value + (double)nextafterf(value, INFINITY)) / 2.0;
        char text[512];
        snprintf(text, sizeof text, "%.*e", (int)(test_random(&state) % 170), middle);
        float_reads_like_strtof(text);
        snprintf(text, sizeof text, "%.160e", middle);
        float_reads_like_strtof(text);
        const char* exponent = strchr(text, 'e');
        char longer[600];
        snprintf(longer, sizeof longer, "%.*s000001%s", (int)(exponent - text), text, exponent);
        float_reads_like_strtof(longer);
    }
}
END_TEST

START_TEST(floats_are_written_like_printf_and_come_back)
{
    uint64_t state = 3;
    for (int k = 0; k < 100000; ++k) {
        // Any bits, then numbers such as meshes have, where ties of the ninth digit live.
        float value = k % 2 == 0 ? test_random_float(&state)
                                 : (float)((int)(test_random(&state) % 4000000) - 2000000) /
                                       (float)(1 << test_random(&state) % 24);
        char text[DR_NUMBER_LETTERS + 1];
        char* end = dr_format_float(text, value);
        ck_assert_int_le(end - text, DR_NUMBER_LETTERS);
        *end = '\0';
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%.9g", (double)value);
        ck_assert_str_eq(text, wanted);
        float back;
        ck_assert_ptr_eq(dr_parse_float(text, end, &back), end);
        ck_assert_mem_eq(&back, &value, sizeof value);
    }
}
END_TEST

START_TEST(text_ends_where_it_is_told)
{
    float value;
    const char* digits = "123456";
    ck_assert_ptr_eq(dr_parse_float(digits, digits + 3, &value), digits + 3);
    ck_assert_float_eq(value, 123.0f);
    ck_assert_ptr_null(dr_parse_float(digits, digits, &value));
    int64_t integer;
    ck_assert_ptr_eq(dr_parse_integer(digits, digits + 2, &integer), digits + 2);
    ck_assert_int_eq(integer, 12);
    ck_assert_ptr_null(dr_parse_integer(digits, digits, &integer));
}
END_TEST

START_TEST(integers_saturate)
{
    static const struct {
        const char* text;
        int64_t value;
    } cases[] = {
        {"0", 0},
        {"-0", 0},
        {"+7", 7},
        {"9223372036854775807", INT64_MAX},
        {"9223372036854775808", INT64_MAX},
        {"99999999999999999999999999", INT64_MAX},
        {"-9223372036854775807", -INT64_MAX},
        {"-99999999999999999999999999", INT64_MIN},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        int64_t value;
        const char* end = cases[k].text + strlen(cases[k].text);
        ck_assert_ptr_eq(dr_parse_integer(cases[k].text, end, &value), end);
        ck_assert_int_eq(value, cases[k].value);
        char text[DR_NUMBER_LETTERS + 1];
        *dr_format_integer(text, value) = '\0';
        ck_assert_int_eq(strtoll(text, NULL, 10), value);
    }
}
END_TEST

// In a locale with a decimal comma; not every machine has one.
START_TEST(locale_does_not_matter)
{
    static const char* const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    for (size_t k = 0; k < sizeof locales / sizeof locales[0]; ++k) {
        setlocale(LC_ALL, locales[k]);
    }
    float value = 0.0f;
    const char* text = "0.25";
    ck_assert_ptr_eq(dr_parse_float(text, text + 4, &value), text + 4);
    ck_assert_float_eq(value, 0.25f);
    // The second has a tie in its ninth digit, which goes the long way.
    char written[DR_NUMBER_LETTERS + 1];
    *dr_format_float(written, 0.25f) = '\0';
    ck_assert_str_eq(written, "0.25");
    *dr_format_float(written, 1048576.125f) = '\0';
    ck_assert_str_eq(written, "1048576.12");
    setlocale(LC_ALL, "C");
}
END_TEST

int main(void)
{
    Suite* suite = suite_create("number");
    TCase* numbers = tcase_create("numbers");
    tcase_add_test(numbers, odd_texts_read_like_strtof);
    tcase_add_test(numbers, random_decimals_read_like_strtof);
    tcase_add_test(numbers, middles_read_like_strtof);
    tcase_add_test(numbers, floats_are_written_like_printf_and_come_back);
    tcase_add_test(numbers, text_ends_where_it_is_told);
    tcase_add_test(numbers, integers_saturate);
    tcase_add_test(numbers, locale_does_not_matter);
    suite_add_tcase(suite, numbers);
    return test_run(suite);
}

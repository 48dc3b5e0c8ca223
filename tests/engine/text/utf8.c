/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: validity, cuts between characters, folding, against utf8proc. */
#include "engine/text/utf8.h"
#include "engine/base/err.h"
#include "tests/support/unit.h"
#include <stdlib.h>
#include <utf8proc.h>

static bool valid(const char *text)
{
    /* Of exactly its size, for the sanitizer. */
    size_t len = strlen(text);
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, text, len);
    bool ok = utf8_valid(copy, len);
    free(copy);
    return ok;
}

static void validity_is_that_of_rfc_3629(void **state)
{
    static const char *const good[] = {"",
                                       "plain",
                                       "0123456789abcdef",
                                       "\x7F",
                                       "\xC2\x80",
                                       "\xDF\xBF",
                                       "\xE0\xA0\x80",
                                       "\xED\x9F\xBF",
                                       "\xEE\x80\x80",
                                       "\xEF\xBF\xBF",
                                       "\xF0\x90\x80\x80",
                                       "\xF4\x8F\xBF\xBF",
                                       "1234567\xC3\xA9 12345678"};
    static const char *const bad[] = {"\x80",
                                      "\xBF",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC2",
                                      "\xC2\x41",
                                      "\xE0\x9F\xBF",
                                      "\xE1\x80",
                                      "\xE1\x80\x41",
                                      "\xED\xA0\x80",
                                      "\xED\xBF\xBF",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF0\x90\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xFF",
                                      "\xFE",
                                      "12345678\xC3",
                                      "1234567\xC3 1234567"};
    for (size_t i = 0; i < SOSIA_LEN(good); i++)
        assert_true(valid(good[i]));
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_false(valid(bad[i]));
    assert_true(utf8_valid("a\0b", 3));
}

static void validity_agrees_with_utf8proc(void **state)
{
    for (unsigned lead = 0x80; lead < 0x100; lead++) {
        for (unsigned rest = 0; rest < 0x1000; rest++) {
            char text[5] = {(char)lead, (char)(rest >> 4), (char)((rest << 4 & 0xF0) | 0x80),
                            (char)0x80, 0};
            utf8proc_int32_t c;
            utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)text, 4, &c);
            unsigned mine = utf8_sequence(text, 4);
            assert_int_equal(mine, n < 0 ? 0 : n);
            if (mine)
                assert_int_equal(utf8_code_point(text, mine), c);
        }
    }
}

static void code_points_are_written_as_they_are_read(void **state)
{
    for (unsigned c = 0; c < 0x110000; c++) {
        char text[4];
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        unsigned n = (unsigned)(utf8_put(text, c) - text);
        assert_int_equal(utf8_sequence(text, n), n);
        assert_int_equal(utf8_code_point(text, n), c);
    }
}

static void texts_are_cut_between_characters(void **state)
{
    const char *text = "a\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80";
    static const size_t want[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (size_t max = 0; max < SOSIA_LEN(want); max++)
        assert_int_equal(utf8_truncate(text, strlen(text), max), want[max]);
}

static void error_texts_end_in_whole_characters(void **state)
{
    for (int shift = 0; shift < 4; shift++) {
        struct sosia_err err;
        char name[600];
        memset(name, 'x', sizeof name);
        for (size_t i = (size_t)shift; i + 4 < sizeof name; i += 4)
            memcpy(name + i, "\xF0\x9F\x98\x80", 4);
        name[sizeof name - 1] = 0;
        sosia_fail(&err, SOSIA_E_INVALID, NULL, NULL, "%s", name);
        assert_true(utf8_valid(err.text, strlen(err.text)));
        assert_true(strlen(err.text) > sizeof err.text - 5);
        sosia_fail(&err, SOSIA_E_INVALID, NULL, NULL, "\"%.7s\" is wrong", "abcde\xC3\xA9\xC3\xA9");
        assert_string_equal(err.text, "\"abcde\xC3\xA9\" is wrong");
        sosia_fail(&err, SOSIA_E_INVALID, NULL, NULL, "\"%.6s\" is wrong", "abcde\xC3\xA9\xC3\xA9");
        assert_string_equal(err.text, "\"abcde\" is wrong");
    }
}

static void folding_forgets_case_and_accents(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"Plain ASCII 123", "plain ascii 123"},
        {"\xC3\x84rger, STRASSE", "arger, strasse"}, /* Ä */
        {"A\xCC\x88rger, Stra\xC3\x9F"
         "e",
         "arger, strasse"},                       /* A and U+0308; sharp s */
        {"\xC4\xB0stanbul", "istanbul"},          /* dotted capital I */
        {"\xCE\x91\xCE\xA3", "\xCE\xB1\xCF\x83"}, /* final sigma is a sigma */
        {"\xCF\x82", "\xCF\x83"},
        {"\xD0\x81\xD0\x9B", "\xD0\xB5\xD0\xBB"}, /* Cyrillic Io is Ie */
        {"\xEF\xAC\x81n", "fin"},                 /* ligature */
        {"\xD7\xA9\xD7\x81\xD6\xB8", "\xD7\xA9"}, /* Hebrew points */
        {"\xD9\x83\xD9\x8E", "\xD9\x83"},         /* Arabic fatha */
        {"so\xC2\xAD"
         "ft\xE2\x80\x8D\xEF\xB8\x8F",
         "soft"}, /* soft hyphen, joiner, variation selector */
        {"\xE0\xA4\x95\xE0\xA5\x80", "\xE0\xA4\x95\xE0\xA5\x80"}, /* Devanagari vowel sign stays */
        {"\xE3\x82\xAB\xE3\x82\x99", "\xE3\x82\xAC"}, /* ka and its voice mark compose */
        {"\xE0\xB8\x81\xE0\xB8\xB8", "\xE0\xB8\x81\xE0\xB8\xB8"}, /* Thai vowel below stays */
        {"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "\xED\x95\x9C"}, /* Hangul composes */
        {"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x80"},
        {"a\xFF"
         "b\xC3",
         "ab"},
    };
    struct arena a;
    arena_init(&a, 0);
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        assert_string_equal(utf8_fold(&a, cases[i].text), cases[i].want);
    arena_done(&a);
}

static void folding_twice_changes_nothing(void **state)
{
    struct arena a;
    arena_init(&a, 0);
    for (unsigned c = 1; c < 0x110000; c++) {
        char text[16];
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        memcpy(utf8_put(text, c), "\xE0\xA4\xBC\xCC\x81", 6); /* with a nukta and an accent */
        const char *once = utf8_fold(&a, text);
        assert_true(utf8_valid(once, strlen(once)));
        assert_string_equal(utf8_fold(&a, once), once);
        arena_reset(&a);
    }
    arena_done(&a);
}

/* A text of nothing but marks that must be sorted would take hours in quadratic time. */
static void folding_marks_is_linear(void **state)
{
    enum { N = 400000 };
    struct arena a;
    char *text = malloc(6 * N + 2);
    assert_non_null(text);
    text[0] = 'a';
    for (size_t i = 0; i < N; i++)
        memcpy(text + 1 + 6 * i, "\xE3\x82\x99\xE0\xA4\xBC", 6); /* classes 8 and 7 */
    text[6 * N + 1] = 0;
    arena_init(&a, 0);
    const char *folded = utf8_fold(&a, text);
    assert_true(strlen(folded) < 100);
    assert_string_equal(utf8_fold(&a, folded), folded);
    arena_done(&a);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(validity_is_that_of_rfc_3629),
        cmocka_unit_test(validity_agrees_with_utf8proc),
        cmocka_unit_test(code_points_are_written_as_they_are_read),
        cmocka_unit_test(texts_are_cut_between_characters),
        cmocka_unit_test(error_texts_end_in_whole_characters),
        cmocka_unit_test(folding_forgets_case_and_accents),
        cmocka_unit_test(folding_twice_changes_nothing),
        cmocka_unit_test(folding_marks_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a text: what is whitespace, what counts how much, where it may end. */
#include "services/mail/core/mime/snippet.h"
#include "engine/base/err.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <string.h>

static struct mail_snippet snippet;

static const char *of(const char *text)
{
    memset(&snippet, 0, sizeof snippet);
    mail_snippet_add(&snippet, text, strlen(text));
    snippet.text[snippet.len] = 0;
    return snippet.text;
}

static const char *of_two(const char *one, const char *two)
{
    of(one);
    mail_snippet_add(&snippet, two, strlen(two));
    snippet.text[snippet.len] = 0;
    return snippet.text;
}

#define MARK "\xEF\xBB\xBF"
#define ICHI "\xE4\xB8\x80"
#define KANA "\xE3\x82\xA2"
#define HIRA "\xE3\x81\x82"

static void blanks_are_one_space(void **state)
{
    (void)state;
    static const struct {
        const char *text, *is;
    } cases[] = {
        {"", ""},
        {" \t\r\n", ""},
        {"  a \t\n b\x7F\x01"
         "c  ",
         "a b c"},
        {"a\xFF\xFE"
         "b",
         "a b"}, /* what is not UTF-8 is whitespace */
        {"\xFF"
         "a",
         "a"},
        {"a\xC3", "a"},
        {"!\xC2\x80", "!\xC2\x80"},
        {MARK, ""},
        {MARK "a" MARK "b", "a" MARK "b"},
        {" " MARK "a", MARK "a"},
        /* Between scripts without spaces a line end is nothing, other whitespace is a space. */
        {ICHI "\n" ICHI, ICHI ICHI},
        {ICHI " \n\t" ICHI, ICHI ICHI},
        {ICHI "\r\n" ICHI, ICHI ICHI},
        {ICHI "\n\n" ICHI, ICHI ICHI},
        {ICHI "\n " ICHI, ICHI ICHI},
        {ICHI " " ICHI, ICHI " " ICHI},
        {ICHI "\na", ICHI " a"},
        {"a\n" ICHI, "a " ICHI},
        {KANA "\n" HIRA "\n" KANA, KANA HIRA KANA},
        {"1\n" KANA, "1 " KANA},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        if (strcmp(of(cases[i].text), cases[i].is) != 0)
            fail_msg("%zu: %s", i, snippet.text);
    assert_string_equal(of_two("a", "b"), "a b");
    assert_string_equal(of_two("", "b"), "b");
    assert_string_equal(of_two("a ", " b"), "a b");
    assert_string_equal(of_two("", MARK "b"), "b");
    assert_string_equal(of_two("a", MARK "b"), "a " MARK "b");
    assert_string_equal(of_two(ICHI, ICHI), ICHI ICHI);
}

/* n letters, then what follows them: how much of that is there. */
static const char *behind(size_t n, const char *rest)
{
    char text[1000];
    memset(text, 'a', n);
    snprintf(text + n, sizeof text - n, "%s", rest);
    const char *is = of(text);
    return strlen(is) < n ? "(none)" : is + n;
}

static void characters_count_as_html_has_them(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        const char *rest, *is;
    } cases[] = {
        {201, "", ""},
        {199, " b c", " b"},
        {199, " b\xC3\xA9 c", ""},
        {195, " < c", " <"},
        {196, " < c", " <"},
        {197, " < c", ""},
        {196, " > c", " >"},
        {197, " > c", ""},
        {195, " & c", " &"},
        {196, " & c", ""},
        {195, " ' c", " '"},
        {196, " ' c", ""},
        {194, " \" c", " \""},
        {195, " \" c", ""},
        {199, " \xF0\x9F\x98\x80 c", " \xF0\x9F\x98\x80"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        if (strcmp(behind(cases[i].n, cases[i].rest), cases[i].is) != 0)
            fail_msg("%zu: %s", i, snippet.text + cases[i].n);
    assert_int_equal(
        strlen(of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                  "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")),
        201);
    assert_true(snippet.full);
    assert_int_equal(snippet.chars, 201);
    assert_int_equal(strlen(of_two("one two", "three")), 13);
    assert_int_equal(snippet.chars, 13);
    assert_false(snippet.full);
    behind(300, "");
    mail_snippet_add(&snippet, "b", 1);
    assert_int_equal(snippet.len, 201); /* nothing comes behind what is full */
}

/* 196 letters and a space are 197: four more characters fit. */
static void it_ends_between_segments(void **state)
{
    (void)state;
    static const struct {
        const char *rest, *is;
    } cases[] = {
        {" bcde", " bcde"},
        {" bcdef", ""},
        {" b cde", " b"},
        {" b/cde", " b/"},
        {" b1cde", ""},
        {" 12345", ""},
        {" b_cde", ""},
        {" b.cde", ""},
        {" 1.234", ""},
        {" b.123", " b."},
        {" 1.bcd", " 1."},
        {" b'cd", ""},
        {" b\xE2\x80\x99"
         "cde",
         ""},
        {" 1\xE2\x80\x99"
         "234",
         ""},
        {" b..cde", " b.."},
        {" b.", " b."},
        {" .bcde", " ."},
        {" b:cde", ""},
        {" 1:234", " 1:"},
        {" b:123", " b:"},
        {" 1:bcd", " 1:"},
        {" b\xC2\xB7"
         "cde",
         ""},
        {" 1\xC2\xB7"
         "234",
         " 1\xC2\xB7"},
        {" 1,234", ""},
        {" b,cde", " b,"},
        {" b,123", " b,"},
        {" 1,bcd", " 1,"},
        {" 1;234", ""},
        {" b;cde", " b;"},
        {" 1/234", " 1/"},
        {" bc\xCC\x81"
         "defg",
         ""}, /* an accent belongs to its letter */
        {" bcd/\xCC\x81"
         "efg",
         " bcd"},
        {" ab\xE2\x80\x8D"
         "cdef",
         ""},
        {" \xE0\xA4\x95\xE0\xA4\xBE\xE0\xA4\x95\xE0\xA4\x95\xE0\xA4\x95", ""},
        {" " ICHI ICHI ICHI ICHI ICHI, " " ICHI ICHI ICHI ICHI},
        {" " HIRA HIRA HIRA HIRA HIRA, " " HIRA HIRA HIRA HIRA},
        {" " KANA KANA KANA KANA KANA, ""},
        {" " ICHI KANA KANA KANA KANA, " " ICHI},
        {" a" KANA KANA KANA KANA, " a"},
        {" " KANA "aaaa", " " KANA},
        {" abc" ICHI ICHI, " abc" ICHI},
        {" " ICHI "." ICHI "bcd", " " ICHI "." ICHI},
        {" \xD0\xB0\xD0\xB1\xD0\xB2\xD0\xB3\xD0\xB4", ""}, /* Cyrillic */
        {" \xE2\x85\xA0\xE2\x85\xA0\xE2\x85\xA0\xE2\x85\xA0\xE2\x85\xA0",
         ""},                                              /* numbers of letters */
        {" \xC7\x85\xC7\x85\xC7\x85\xC7\x85\xC7\x85", ""}, /* title case */
        {" \xCA\xB0\xCA\xB0\xCA\xB0\xCA\xB0\xCA\xB0", ""}, /* modifiers */
        {" \xD7\x90\xD7\x90\xD7\x90\xD7\x90\xD7\x90", ""}, /* Hebrew */
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        if (strcmp(behind(196, cases[i].rest), cases[i].is) != 0)
            fail_msg("%zu: %s", i, snippet.text + 196);
}

static size_t utf8(char *to, unsigned c)
{
    if (c < 0x800) {
        to[0] = (char)(0xC0 | c >> 6);
        to[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xE0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 63));
        to[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    to[0] = (char)(0xF0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 63));
    to[2] = (char)(0x80 | (c >> 6 & 63));
    to[3] = (char)(0x80 | (c & 63));
    return 4;
}

/* Is a line end between two of them none? */
static bool has_no_spaces(unsigned c)
{
    char text[16];
    size_t n = utf8(text, c);
    text[n] = '\n';
    size_t m = utf8(text + n + 1, c);
    text[n + 1 + m] = 0;
    of(text);
    assert_true(snippet.len == 2 * n || snippet.len == 2 * n + 1);
    return snippet.len == 2 * n;
}

static void scripts_without_spaces_have_their_ranges(void **state)
{
    (void)state;
    static const unsigned ranges[][2] = {
        {0x0E01, 0x0E30}, {0x0EDC, 0x0EFF}, {0x1000, 0x102A},   {0x109E, 0x109F},
        {0x1780, 0x17B3}, {0x17F0, 0x17FF}, {0x3000, 0x3029},   {0x3041, 0x3096},
        {0x309D, 0x30FF}, {0x31F0, 0x31FF}, {0x3400, 0x3410},   {0x9FF0, 0x9FFF},
        {0xF900, 0xFAFF}, {0xFF01, 0xFF0F}, {0x20000, 0x20010}, {0x3FFF0, 0x3FFFF},
    };
    static const unsigned others[] = {0x0DF4,  0x0F00,  0x0FDA, 0x10A0, 0x177F, 0x1780 - 0x10,
                                      0x1800,  0x2FFB,  0x3105, 0x318E, 0x31EF, 0x3200,
                                      0x33FF,  0xA000,  0xF8FF, 0xFB00, 0xFF00, 0xFF10,
                                      0x1FFFD, 0x40000, 0xE9,   0x4E8};
    for (size_t i = 0; i < SOSIA_LEN(ranges); i++)
        for (unsigned c = ranges[i][0]; c <= ranges[i][1]; c++)
            if (!has_no_spaces(c))
                fail_msg("%x", c);
    for (size_t i = 0; i < SOSIA_LEN(others); i++)
        if (has_no_spaces(others[i]))
            fail_msg("%x", others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_are_one_space),
        cmocka_unit_test(characters_count_as_html_has_them),
        cmocka_unit_test(it_ends_between_segments),
        cmocka_unit_test(scripts_without_spaces_have_their_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

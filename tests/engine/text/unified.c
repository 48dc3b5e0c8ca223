/* SPDX-License-Identifier: Apache-2.0 */
/* Unified diffs: those of known texts, and that applying one to the first text gives the second. */
#include "engine/text/unified.h"
#include "engine/base/err.h"
#include "tests/support/unit.h"
#include <stdio.h>
#include <stdlib.h>

static struct arena arena;
static struct buf out;

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 0);
    buf_init(&out, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_done(&arena);
    buf_done(&out);
    return 0;
}

static const char *diff(const char *from, const char *to, size_t context)
{
    buf_clear(&out);
    assert_int_equal(unified_hunks(&arena, (struct unified_text){from, strlen(from)},
                                   (struct unified_text){to, strlen(to)}, context, &out),
                     0);
    return buf_str(&out);
}

static void texts_that_differ_are_shown_with_what_is_around(void **state)
{
    (void)state;
    assert_string_equal(diff("a\nb\n", "a\nb\n", 3), "");
    assert_string_equal(diff("", "", 3), "");
    assert_string_equal(diff("", "a\n", 3), "@@ -0,0 +1,1 @@\n+a\n");
    assert_string_equal(diff("a\n", "", 3), "@@ -1,1 +0,0 @@\n-a\n");
    assert_string_equal(diff("a\nb\nc\n", "a\nB\nc\n", 1), "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
    assert_string_equal(diff("a\nb\nc\n", "a\nB\nc\n", 0), "@@ -2,1 +2,1 @@\n-b\n+B\n");
    assert_string_equal(diff("a", "a\n", 3),
                        "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n");
    /* Changes are in one hunk as long as their contexts meet. */
    assert_string_equal(diff("1\n2\n3\n4\n5\n", "x\n2\n3\n4\ny\n", 2),
                        "@@ -1,5 +1,5 @@\n-1\n+x\n 2\n 3\n 4\n-5\n+y\n");
    assert_string_equal(diff("1\n2\n3\n4\n5\n", "x\n2\n3\n4\ny\n", 1),
                        "@@ -1,2 +1,2 @@\n-1\n+x\n 2\n@@ -4,2 +4,2 @@\n 4\n-5\n+y\n");
}

/* ---- any texts ---- */

static unsigned random_of(unsigned *seed, unsigned n)
{
    *seed = *seed * 1103515245u + 12345u;
    return *seed / 65536u % n;
}

static const char *some_text(unsigned *seed, unsigned lines)
{
    struct buf b;
    buf_init(&b, 0);
    for (unsigned i = 0; i < lines; i++)
        buf_printf(&b, "%c%s", 'a' + (int)random_of(seed, 5),
                   i + 1 < lines || random_of(seed, 3) ? "\n" : "");
    const char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const char *line_behind(const char *p)
{
    const char *feed = strchr(p, '\n');
    return feed ? feed + 1 : p + strlen(p);
}

/* What the hunks make of a text; each says its numbers right. */
static const char *applied(const char *from, const char *hunks)
{
    struct buf b;
    const char *at = from;
    unsigned line = 1;
    buf_init(&b, 0);
    for (const char *p = hunks; *p;) {
        unsigned start, n, to, m;
        assert_int_equal(sscanf(p, "@@ -%u,%u +%u,%u @@", &start, &n, &to, &m), 4);
        for (; line < start + (n == 0); line++) {
            buf_add(&b, at, (size_t)(line_behind(at) - at));
            at = line_behind(at);
        }
        for (p = line_behind(p); *p && *p != '@';) {
            const char *next = line_behind(p);
            bool bare = *next == '\\';
            size_t len = (size_t)(next - p) - 1 - bare;
            if (*p != '+') {
                assert_true(n--);
                assert_memory_equal(at, p + 1, len);
                at = line_behind(at);
                line++;
            }
            if (*p != '-') {
                assert_true(m--);
                buf_add(&b, p + 1, len);
            }
            p = bare ? line_behind(next) : next;
        }
        assert_int_equal(n + m, 0);
    }
    buf_puts(&b, at);
    const char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void a_diff_leads_from_one_text_to_the_other(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 500; seed++) {
        unsigned r = seed;
        const char *from = some_text(&r, random_of(&r, 30)), *to = some_text(&r, random_of(&r, 30));
        const char *hunks = diff(from, to, random_of(&r, 5));
        if (strcmp(applied(from, hunks), to) != 0)
            fail_msg("seed %u:\n%s----\n%s----\n%s", seed, from, to, hunks);
    }
}

static void texts_that_have_little_in_common_are_one_change(void **state)
{
    struct buf x, y;
    (void)state;
    buf_init(&x, 0);
    buf_init(&y, 0);
    buf_puts(&x, "same\n");
    buf_puts(&y, "same\n");
    for (int i = 0; i < 4000; i++) {
        buf_printf(&x, "x%d\n", i);
        buf_printf(&y, "y%d\n", i);
    }
    const char *from = arena_strdup(&arena, buf_str(&x)), *to = arena_strdup(&arena, buf_str(&y));
    const char *hunks = diff(from, to, 3);
    assert_int_equal(strncmp(hunks, "@@ -1,4001 +1,4001 @@\n same\n-x0\n", 32), 0);
    assert_string_equal(applied(from, hunks), to);
    buf_done(&x);
    buf_done(&y);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(texts_that_differ_are_shown_with_what_is_around),
        T(a_diff_leads_from_one_text_to_the_other),
        T(texts_that_have_little_in_common_are_one_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas, buffers, maps, numbers, base64 and error values. */
#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "engine/base/err.h"
#include "engine/base/lock.h"
#include "engine/base/map.h"
#include "tests/support/unit.h"
#include <stdlib.h>
#include <float.h>
#include <pthread.h>
#include <stdio.h>

static void arena_keeps_what_it_gave(void **state)
{
    struct arena a;
    arena_init(&a, 0);
    char *first = arena_strdup(&a, "first");
    for (int i = 0; i < 10000; i++)
        arena_printf(&a, "filling %d", i);
    assert_string_equal(first, "first");
    assert_false(arena_failed(&a));
    arena_reset(&a);
    assert_string_equal(arena_strdup(&a, "again"), "again");
    assert_string_equal(ARENA_JOIN(&a, "", "one ", "", "and two"), "one and two");
    arena_done(&a);
}

static void arena_over_its_limit_fails_without_null(void **state)
{
    struct arena a;
    arena_init(&a, 64 * 1024);
    for (int i = 0; i < 100; i++) {
        char *p = arena_alloc(&a, 1000);
        assert_non_null(p);
        p[999] = 1;
    }
    assert_true(arena_failed(&a));
    char *large = arena_alloc(&a, 1 << 20);
    large[(1 << 20) - 1] = 1;
    arena_reset(&a);
    assert_false(arena_failed(&a));
    arena_done(&a);
}

static void buf_over_its_maximum_fails_and_drops_its_content(void **state)
{
    struct buf b;
    buf_init(&b, 10);
    buf_puts(&b, "12345");
    assert_false(buf_failed(&b));
    buf_puts(&b, "678901");
    assert_true(buf_failed(&b));
    buf_puts(&b, "1"); /* there would be room for it */
    buf_byte(&b, '2');
    assert_int_equal(b.len, 0);
    assert_string_equal(buf_str(&b), "");
    buf_clear(&b);
    buf_puts(&b, "1234567890");
    assert_string_equal(buf_str(&b), "1234567890");
    buf_done(&b);
}

static void buf_text_is_kept_in_an_arena(void **state)
{
    struct arena a;
    struct buf b;
    arena_init(&a, 0);
    buf_init(&b, 4);
    buf_puts(&b, "1234");
    const char *text = buf_keep(&b, &a);
    assert_string_equal(text, "1234");
    assert_null(b.data);
    buf_init(&b, 4);
    buf_puts(&b, "12345");
    assert_string_equal(buf_keep(&b, &a), ""); /* it failed */
    assert_string_equal(text, "1234");
    arena_done(&a);
}

static void buf_prints_numbers(void **state)
{
    struct buf b;
    buf_init(&b, 0);
    buf_i64(&b, INT64_MIN);
    buf_byte(&b, ' ');
    buf_u64(&b, UINT64_MAX);
    buf_printf(&b, " %s", "x");
    assert_string_equal(buf_str(&b), "-9223372036854775808 18446744073709551615 x");
    buf_done(&b);
}

static void map_finds_what_was_set_and_forgets_what_was_removed(void **state)
{
    struct map m;
    char key[16];
    map_init(&m);
    for (intptr_t i = 1; i <= 1000; i++) {
        snprintf(key, sizeof key, "k%d", (int)i);
        assert_int_equal(map_set(&m, key, (void *)i), 0);
    }
    for (intptr_t i = 1; i <= 1000; i += 3) {
        snprintf(key, sizeof key, "k%d", (int)i);
        assert_int_equal((intptr_t)map_remove(&m, key), i);
    }
    for (intptr_t i = 1; i <= 1000; i++) {
        snprintf(key, sizeof key, "k%d", (int)i);
        assert_int_equal((intptr_t)map_get(&m, key), i % 3 == 1 ? 0 : i);
    }
    map_done(&m);
}

/* Bytes, and their characters bit by bit: malloc'ed. */
static char *base32_of(char *ret_bytes, size_t n)
{
    char *text = calloc(1, n * 2 + 1);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++)
        ret_bytes[i] = (char)(i * 89 + n);
    for (size_t i = 0; i < BASE32HEX_LEN(n); i++) {
        unsigned v = 0;
        for (size_t bit = i * 5; bit < i * 5 + 5; bit++)
            v = v * 2 + (bit / 8 < n ? (uint8_t)ret_bytes[bit / 8] >> (7 - bit % 8) & 1 : 0);
        text[i] = "0123456789abcdefghijklmnopqrstuv"[v];
    }
    return text;
}

static void base64_goes_both_ways_and_refuses_what_it_would_not_write(void **state)
{
    struct arena a;
    struct buf b;
    uint8_t *data;
    size_t len;
    arena_init(&a, 0);
    buf_init(&b, 0);
    base64_add(&b, "\xff\xfe\xfd\x01", 4);
    assert_string_equal(buf_str(&b), "//79AQ==");
    assert_int_equal(base64_decode(&a, "__79AQ", 6, &data, &len), 0);
    assert_int_equal(len, 4);
    assert_memory_equal(data, "\xff\xfe\xfd\x01", 4);
    const char *bad[] = {"A", "AB=C", "AR", "A*==", "====", "AAAAA"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(base64_decode(&a, bad[i], strlen(bad[i]), &data, &len), -1);
    buf_clear(&b);
    base32hex_add(&b, "foobar", 6);
    assert_string_equal(buf_str(&b), "cpnmuoj1e8");
    /* In one piece and in several: the same characters, and nothing behind the end. */
    for (size_t n = 0; n <= 100; n++) {
        char from[100], whole[BASE32HEX_LEN(100) + 1], *known = base32_of(from, n);
        memset(whole, '#', sizeof whole);
        base32hex_encode(whole, from, n);
        assert_int_equal(strlen(known), BASE32HEX_LEN(n));
        assert_string_equal(whole, known);
        buf_clear(&b);
        base32hex_add(&b, from, n);
        assert_string_equal(buf_str(&b), known);
        free(known);
    }
    buf_done(&b);
    arena_done(&a);
}

static void percent_decoding_is_strict(void **state)
{
    struct arena a;
    char *text;
    size_t len;
    arena_init(&a, 0);
    assert_int_equal(percent_decode(&a, "a%2Fb+c", 7, false, &text, &len), 0);
    assert_string_equal(text, "a/b+c");
    assert_int_equal(percent_decode(&a, "a+c", 3, true, &text, &len), 0);
    assert_string_equal(text, "a c");
    const char *bad[] = {"%", "%2", "%zz", "%00", "a%"};
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(percent_decode(&a, bad[i], strlen(bad[i]), true, &text, &len), -1);
    arena_done(&a);
}

static void numbers_are_whole_texts_in_range(void **state)
{
    int64_t i;
    uint64_t u;
    double d;
    assert_int_equal(parse_i64("-9223372036854775808", 20, &i), 0);
    assert_true(i == INT64_MIN);
    assert_int_equal(parse_i64("9223372036854775808", 19, &i), -1);
    assert_int_equal(parse_u64("18446744073709551616", 20, &u), -1);
    assert_int_equal(parse_i64("", 0, &i), -1);
    assert_int_equal(parse_i64("1 ", 2, &i), -1);
    assert_int_equal(parse_double("-12.5e1", 7, &d), 0);
    assert_true(d == -125.0);
    assert_int_equal(parse_double("01", 2, &d), -1);
    assert_int_equal(parse_double("1.", 2, &d), -1);
    assert_int_equal(parse_double("1e999999999", 11, &d), -1);
    assert_int_equal(parse_double("1e309", 5, &d), -1);
    assert_int_equal(parse_double("1.7976931348623157e308", 22, &d), 0);
    assert_true(d == DBL_MAX);
    assert_int_equal(parse_double("1e-99999", 8, &d), 0);
    assert_true(d == 0);
    /* the nearest one, and of the text no more than its length */
    assert_int_equal(parse_double("44.7869145221", 12, &d), 0);
    assert_true(d == 44.786914522);
    assert_int_equal(parse_double("0.00000048494", 13, &d), 0);
    assert_true(d == 0.00000048494);
    char digits[200];
    memset(digits, '1', sizeof digits);
    assert_int_equal(parse_double(digits, sizeof digits, &d), 0);
    assert_true(d > 1.1e199 && d < 1.2e199);
}

static void words_are_compared_without_their_case(void **state)
{
    static const char *const names[] = {"Host", "ETag"}, *const prefixes[] = {"X-Goog-", ":"};
    assert_true(str_eq_nocase("etag", "ETag") && !str_eq_nocase("etag", "ETags"));
    assert_true(str_is_nocase("countx", 5, "COUNT") && str_is_nocase("", 0, ""));
    assert_false(str_is_nocase("COUNT", 5, "COUNTS") || str_is_nocase("COUNTS", 6, "COUNT"));
    assert_true(str_in_nocase("HOST", names, 2) && !str_in_nocase("Hos", names, 2));
    assert_false(str_in_nocase("host", names, 0));
    assert_true(str_starts_in_nocase("x-goog-api", prefixes, 2));
    assert_true(str_starts_in_nocase(":path", prefixes, 2));
    assert_false(str_starts_in_nocase("x-goo", prefixes, 2));
}

static void an_error_carries_its_parts(void **state)
{
    struct sosia_err err;
    assert_int_equal(sosia_fail(&err, SOSIA_E_GONE, "deleted", "eventId", "%s is gone", "it"), -1);
    assert_int_equal(sosia_code_status(err.code), 410);
    assert_string_equal(err.text, "it is gone");
    assert_string_equal(sosia_code_name(SOSIA_E_GONE), "GONE");
    assert_int_equal(sosia_fail(NULL, SOSIA_E_IO, NULL, NULL, "x"), -1);
}

/* ---- locks ---- */

enum { TAKERS = 4, TAKES = 20000 };

static struct lock shared_lock;
static uint64_t shared_count; /* under the lock */

/* Every other time it does not wait for ever. */
static void *take_often(void *arg)
{
    (void)arg;
    for (int i = 0; i < TAKES; i++) {
        if (i % 2)
            lock_take(&shared_lock);
        else
            while (!lock_try_soon(&shared_lock))
                ;
        shared_count++;
        lock_drop(&shared_lock);
    }
    return NULL;
}

static void a_lock_is_one_thread_s_at_a_time(void **state)
{
    pthread_t threads[TAKERS];
    (void)state;
    for (size_t i = 0; i < TAKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_often, NULL), 0);
    for (size_t i = 0; i < TAKERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(shared_count, TAKERS * TAKES);
    assert_true(lock_try(&shared_lock));
    assert_false(lock_try_soon(&shared_lock)); /* and comes back */
    lock_drop(&shared_lock);
    assert_true(lock_try_soon(&shared_lock));
    lock_drop(&shared_lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_keeps_what_it_gave),
        cmocka_unit_test(arena_over_its_limit_fails_without_null),
        cmocka_unit_test(buf_over_its_maximum_fails_and_drops_its_content),
        cmocka_unit_test(buf_text_is_kept_in_an_arena),
        cmocka_unit_test(buf_prints_numbers),
        cmocka_unit_test(map_finds_what_was_set_and_forgets_what_was_removed),
        cmocka_unit_test(base64_goes_both_ways_and_refuses_what_it_would_not_write),
        cmocka_unit_test(percent_decoding_is_strict),
        cmocka_unit_test(numbers_are_whole_texts_in_range),
        cmocka_unit_test(words_are_compared_without_their_case),
        cmocka_unit_test(an_error_carries_its_parts),
        cmocka_unit_test(a_lock_is_one_thread_s_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

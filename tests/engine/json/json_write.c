/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON writer: vendors' spacing and escapes, full buffers, values without a text. */
#include "engine/json/build.h"
#include "engine/json/quote.h"
#include "engine/json/thin.h"
#include "vendors/google/mask.h"
#include "tests/engine/json/json_fixture.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- writer ---- */

static void sample(struct json_writer *w)
{
    json_obj(w, NULL);
    json_str(w, "kind", "calendar#events");
    json_str_opt(w, "absent", NULL);
    json_str(w, "null", NULL);
    json_bool(w, "yes", true);
    json_bool_opt(w, "no", false);
    json_int(w, "min", INT64_MIN);
    json_int_str(w, "id", 9007199254740993);
    json_number(w, "ratio", "1.50e3", 6);
    json_obj(w, "empty");
    json_end(w);
    json_arr(w, "none");
    json_end(w);
    json_arr(w, "items");
    json_obj(w, NULL);
    json_str(w, "a", "1");
    json_end(w);
    json_arr(w, NULL);
    json_int(w, NULL, 1);
    json_null(w, NULL);
    json_end(w);
    json_str(w, NULL, "x");
    json_end(w);
    json_end(w);
}

static void pretty_output_is_as_google_prints_it(void **state)
{
    struct json_writer w;
    begin(&w, true, NULL);
    sample(&w);
    assert_string_equal(written(), "{\n"
                                   "  \"kind\": \"calendar#events\",\n"
                                   "  \"null\": null,\n"
                                   "  \"yes\": true,\n"
                                   "  \"min\": -9223372036854775808,\n"
                                   "  \"id\": \"9007199254740993\",\n"
                                   "  \"ratio\": 1.50e3,\n"
                                   "  \"empty\": {},\n"
                                   "  \"none\": [],\n"
                                   "  \"items\": [\n"
                                   "    {\n"
                                   "      \"a\": \"1\"\n"
                                   "    },\n"
                                   "    [\n"
                                   "      1,\n"
                                   "      null\n"
                                   "    ],\n"
                                   "    \"x\"\n"
                                   "  ]\n"
                                   "}\n");
    begin(&w, true, NULL);
    json_obj(&w, NULL);
    json_end(&w);
    assert_string_equal(written(), "{}\n");
    begin(&w, true, NULL);
    json_str(&w, NULL, "x");
    assert_string_equal(written(), "\"x\"\n");
}

static void compact_output_has_no_blanks(void **state)
{
    struct json_writer w;
    begin(&w, false, NULL);
    sample(&w);
    assert_string_equal(
        written(),
        "{\"kind\":\"calendar#events\",\"null\":null,\"yes\":true,\"min\":-9223372036854775808,"
        "\"id\":\"9007199254740993\",\"ratio\":1.50e3,\"empty\":{},\"none\":[],"
        "\"items\":[{\"a\":\"1\"},[1,null],\"x\"]}");
}

static void strings_and_keys_are_escaped(void **state)
{
    struct json_writer w;
    const char *volatile odd = "a\"\\\n", *volatile long_one = "12345678\n"; /* no constants */
    begin(&w, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, odd, "\"\\/\b\f\n\r\t\x01\x1f\x7f<>&'= \xC3\xA9\xE2\x80\xA8\xF0\x9F\x98\x80");
    json_strn(&w, "nul", "a\0b", 3);
    json_str(&w, long_one, "12345678\n12345678\n\n");
    json_end(&w);
    assert_string_equal(written(),
                        "{\"a\\\"\\\\\\n\":\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f<>&'= "
                        "\xC3\xA9\xE2\x80\xA8\xF0\x9F\x98\x80\",\"nul\":\"a\\u0000b\","
                        "\"12345678\\n\":\"12345678\\n12345678\\n\\n\"}");
}

static void escape_html_escapes_what_google_does(void **state)
{
    struct json_writer w;
    const char *volatile odd = "<k>"; /* no constant */
    begin(&w, false, NULL);
    w.escape_html = true;
    json_obj(&w, NULL);
    json_str(&w, odd, "Ann \"A\" <ann@example.org> & 'co' a=b \x7f");
    json_str(&w, "raw", "\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x98\x80 \xC2\xA0 \xE2\x82\xAC");
    json_str(&w, "format",
             "\xC2\x85\xC2\xAD\xD8\x80\xDB\x9D\xDC\x8F\xE1\x9E\xB4\xE2\x80\x8B\xE2\x80\xA8\xE2\x81"
             "\xA0\xEF\xBB\xBF");
    json_str(&w, "pairs", "\xF0\x9D\x85\xB3\xF3\xA0\x80\x81");
    json_str(&w, "broken", "\xE2\x80");
    json_end(&w);
    assert_string_equal(
        written(),
        "{\"\\u003ck\\u003e\":\"Ann \\\"A\\\" \\u003cann@example.org\\u003e & 'co' a=b \\u007f\","
        "\"raw\":\"\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x98\x80 \xC2\xA0 \xE2\x82\xAC\","
        "\"format\":\"\\u0085\\u00ad\\u0600\\u06dd\\u070f\\u17b4\\u200b\\u2028\\u2060\\ufeff\","
        "\"pairs\":\"\\ud834\\udd73\\udb40\\udc01\","
        "\"broken\":\"\xE2\x80\"}");
}

static size_t encode(char *p, uint32_t c)
{
    if (c < 0x80)
        return (size_t)(snprintf(p, 5, "%c", (int)c));
    if (c < 0x800)
        return (size_t)(snprintf(p, 5, "%c%c", (int)(0xC0 | c >> 6), (int)(0x80 | (c & 63))));
    if (c < 0x10000)
        return (size_t)(snprintf(p, 5, "%c%c%c", (int)(0xE0 | c >> 12), (int)(0x80 | (c >> 6 & 63)),
                                 (int)(0x80 | (c & 63))));
    return (size_t)(snprintf(p, 5, "%c%c%c%c", (int)(0xF0 | c >> 18), (int)(0x80 | (c >> 12 & 63)),
                             (int)(0x80 | (c >> 6 & 63)), (int)(0x80 | (c & 63))));
}

/* Runs of 16 characters at every alignment to the eight-byte steps. */
static void every_character_goes_there_and_back(void **state)
{
    struct arena a;
    arena_init(&a, 0);
    for (int html = 0; html < 2; html++) {
        for (uint32_t c = 1; c < 0x110000; c += 16) {
            char text[128] = "1234567";
            size_t n = c / 16 % 8;
            for (uint32_t k = c; k < c + 16 && k < 0x110000; k++)
                if (k < 0xD800 || k > 0xDFFF)
                    n += encode(text + n, k);
            struct json_writer w;
            const struct json *v;
            begin(&w, false, NULL);
            w.escape_html = html;
            json_strn(&w, NULL, text, n);
            assert_false(buf_failed(&out));
            assert_int_equal(json_parse(&a, out.data, out.len, NULL, &v, NULL), 0);
            assert_int_equal(v->n, n);
            assert_memory_equal(v->str, text, n);
            arena_reset(&a);
        }
    }
    arena_done(&a);
}

static void writer_fails_its_buffer_when_too_deep(void **state)
{
    struct json_writer w;
    begin(&w, true, NULL);
    for (int i = 0; i < JSON_DEPTH; i++)
        json_arr(&w, NULL);
    for (int i = 0; i < JSON_DEPTH; i++)
        json_end(&w);
    assert_false(buf_failed(&out));
    begin(&w, true, NULL);
    for (int i = 0; i < JSON_DEPTH + 3; i++)
        json_obj(&w, i ? "k" : NULL);
    json_int(&w, "a", 1);
    for (int i = 0; i < JSON_DEPTH + 3; i++)
        json_end(&w);
    assert_true(buf_failed(&out));
    assert_int_equal(w.depth, 0);
    assert_int_equal(w.skip, 0);
}

static void writer_survives_a_full_buffer(void **state)
{
    struct json_writer w;
    begin(&w, true, NULL);
    sample(&w);
    size_t full = out.len;
    for (size_t max = 1; max < full + 60; max++) {
        struct buf small;
        buf_init(&small, max);
        json_init(&w, &small, true, NULL);
        sample(&w);
        assert_int_equal(w.depth, 0);
        if (!buf_failed(&small))
            assert_int_equal(small.len, full);
        if (max < full)
            assert_true(buf_failed(&small));
        if (max > full + 40)
            assert_false(buf_failed(&small));
        buf_done(&small);
    }
}

static void times_are_rfc_3339(void **state)
{
    static const struct {
        int64_t us;
        enum json_time form;
        const char *want;
    } cases[] = {
        {0, JSON_TIME_S_Z, "\"1970-01-01T00:00:00Z\""},
        {1773300400173439, JSON_TIME_MS_Z, "\"2026-03-12T07:26:40.173Z\""},
        {1773300400173439, JSON_TIME_US_Z, "\"2026-03-12T07:26:40.173439Z\""},
        {1773300400999999, JSON_TIME_S_Z, "\"2026-03-12T07:26:40Z\""},
        {-1, JSON_TIME_US_Z, "\"1969-12-31T23:59:59.999999Z\""},
        {951782400000000, JSON_TIME_S_Z, "\"2000-02-29T00:00:00Z\""},
        {-62135596800000000, JSON_TIME_S_Z, "\"0001-01-01T00:00:00Z\""},
        {-62135596800000001, JSON_TIME_S_Z, "null"},
        {253402300799999999, JSON_TIME_MS_Z, "\"9999-12-31T23:59:59.999Z\""},
        {253402300800000000, JSON_TIME_MS_Z, "null"},
        {INT64_MIN, JSON_TIME_S_Z, "null"},
        {INT64_MAX, JSON_TIME_S_Z, "null"},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct json_writer w;
        begin(&w, false, NULL);
        json_time(&w, NULL, cases[i].us, cases[i].form);
        assert_string_equal(written(), cases[i].want);
    }
}

static void stored_json_takes_on_style_and_mask(void **state)
{
    const char *stored = "{\"b\":[1, {\"x\":\"<\"}],\"a\":1e2}";
    const struct json_mask *mask;
    struct json_writer w;
    struct arena a;
    arena_init(&a, 0);
    begin(&w, false, NULL);
    json_arr(&w, NULL);
    json_raw(&w, NULL, stored, strlen(stored));
    json_raw(&w, NULL, "2", 1);
    json_end(&w);
    assert_string_equal(written(), "[{\"b\":[1, {\"x\":\"<\"}],\"a\":1e2},2]");
    begin(&w, true, NULL);
    json_obj(&w, NULL);
    json_raw(&w, "k", stored, strlen(stored));
    json_raw(&w, "broken", "{", 1);
    json_end(&w);
    assert_string_equal(
        written(),
        "{\n  \"k\": {\n    \"b\": [\n      1,\n      {\n        \"x\": \"<\"\n      }\n    ],\n"
        "    \"a\": 1e2\n  },\n  \"broken\": null\n}\n");
    begin(&w, false, NULL);
    w.escape_html = true;
    json_raw(&w, NULL, stored, strlen(stored));
    assert_string_equal(written(), "{\"b\":[1,{\"x\":\"\\u003c\"}],\"a\":1e2}");
    assert_int_equal(google_mask_parse(&a, "k/b/x", &mask, NULL), 0);
    begin(&w, false, mask);
    json_obj(&w, NULL);
    json_raw(&w, "k", stored, strlen(stored));
    json_raw(&w, "z", stored, strlen(stored));
    json_end(&w);
    assert_string_equal(written(), "{\"k\":{\"b\":[{\"x\":\"<\"}]}}");
    arena_done(&a);
}

static void values_deeper_than_the_writer_fail_its_buffer(void **state)
{
    enum { DEEP = 5000 };
    struct json_limits lim = {.max_depth = DEEP};
    struct json_writer w;
    struct arena a;
    const struct json *v;
    static char text[2 * DEEP];
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    arena_init(&a, 0);
    assert_int_equal(json_parse(&a, text, sizeof text, &lim, &v, NULL), 0);
    begin(&w, false, NULL);
    json_value(&w, NULL, v);
    assert_true(buf_failed(&out));
    assert_int_equal(w.depth, 0);
    assert_int_equal(w.skip, 0);
    arena_done(&a);
}

static int setup(void **state)
{
    buf_init(&out, 0);
    return 0;
}

static int teardown(void **state)
{
    buf_done(&out);
    return 0;
}

/* JSON in a string: the same text as where every character is looked at, whatever its length. */
static void a_document_is_a_string(void **state)
{
    static const char all[] =
        "{\"a\":\"b\\\\c\\\"\",\"Grüße\":[1,2.5,true,null],\"x\":\"\\u003c\\n\"}";
    struct json_writer w;
    char expected[2 * sizeof all + 32];
    for (size_t from = 0; from < sizeof all; from++)
        for (size_t n = 0; n <= sizeof all - 1 - from; n++) {
            begin(&w, false, NULL);
            json_obj(&w, NULL);
            json_strn(&w, "text", all + from, n);
            json_int(&w, "n", 1);
            json_end(&w);
            strcpy(expected, written());
            begin(&w, false, NULL);
            json_obj(&w, NULL);
            json_quoted(&w, "text", all + from, n);
            json_int(&w, "n", 1);
            json_end(&w);
            assert_string_equal(written(), expected);
        }
}

/* A text suits if each of its bytes does, and then a string of it has no other escapes. */
static void texts_of_quotes_alone_to_escape_are_found(void **state)
{
    struct json_writer w;
    char text[40], expected[100];
    for (size_t n = 0; n < sizeof text; n++) {
        memset(text, '"', n);
        assert_true(quote_suits(text, n));
        for (size_t at = 0; at < n; at++)
            for (int c = 0; c < 256; c++) {
                text[at] = (char)c;
                assert_int_equal(quote_suits(text, n), (c >= 0x20 && c < 0x80) || c == '\n');
                if (quote_suits(text, n)) {
                    begin(&w, false, NULL);
                    json_strn(&w, NULL, text, n);
                    strcpy(expected, written());
                    begin(&w, false, NULL);
                    json_quoted(&w, NULL, text, n);
                    assert_string_equal(written(), expected);
                }
                text[at] = '"';
            }
    }
}

/* Quotes and newlines at all places of a step, and text beyond a part, whatever the processor can
 * do. */
static void quotes_and_newlines_get_a_backslash_each(void **state)
{
    static char text[9000], copy[2 * sizeof text], expected[2 * sizeof text];
    static const size_t sizes[] = {0,  1,  7,  8,  15,   16,   17,         31,
                                   32, 33, 63, 65, 4095, 4097, sizeof text};
    uint32_t next = 1;
    for (int round = 0; round < 200; round++)
        for (size_t k = 0; k < SOSIA_LEN(sizes); k++) {
            size_t n = sizes[k], len = 0;
            for (size_t i = 0; i < n; i++) {
                next = next * 1664525 + 1013904223;
                unsigned kind = next >> 24 & (round % 2 ? 3 : 15);
                text[i] = kind == 0   ? '"'
                          : kind == 1 ? '\\'
                          : kind == 2 ? '\n'
                                      : (char)('a' + kind);
                if (kind < 3)
                    expected[len++] = '\\';
                expected[len++] = text[i] == '\n' ? 'n' : text[i];
            }
            const char *end;
            for (unsigned way = 0; (end = quote_put_by(way, copy, text, n)); way++) {
                assert_int_equal(end - copy, len);
                assert_memory_equal(copy, expected, len);
            }
            struct json_writer w;
            begin(&w, false, NULL);
            json_quoted(&w, NULL, text, n);
            assert_int_equal(out.len, len + 2);
            assert_memory_equal(out.data + 1, expected, len);
        }
}

/* The end of a page, behind which is one that nobody may touch. */
static char *before_a_fence(char **ret_whole)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *m = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(m != MAP_FAILED);
    assert_int_equal(mprotect(m + page, page, PROT_NONE), 0);
    *ret_whole = m;
    return m + page;
}

/* Neither reads behind a text nor writes behind its room, by each way, with all bytes. */
static void quoting_stays_within_the_text_and_its_room(void **state)
{
    enum { MOST = 150 };
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *of_text, *of_copy, expected[2 * MOST];
    char *text_end = before_a_fence(&of_text), *copy_end = before_a_fence(&of_copy);
    uint32_t next = 1;
    (void)state;
    for (int round = 0; round < 40; round++)
        for (size_t n = 0; n <= MOST; n++) {
            char *text = text_end - n, *copy = copy_end - 2 * n;
            size_t len = 0;
            bool suits = true;
            for (size_t i = 0; i < n; i++) {
                next = next * 1664525 + 1013904223;
                unsigned char c = (unsigned char)(next >> 24);
                if (next >> 20 & 1 || round == 0)
                    c = (unsigned char)"\"\\\n#"[next >> 22 & 3];
                text[i] = (char)c;
                suits = suits && c < 0x80 && (c >= 0x20 || c == '\n');
                if (c == '"' || c == '\\' || c == '\n')
                    expected[len++] = '\\';
                expected[len++] = c == '\n' ? 'n' : (char)c;
            }
            assert_int_equal(quote_suits(text, n), suits);
            const char *end;
            for (unsigned way = 0; (end = quote_put_by(way, copy, text, n)); way++) {
                assert_int_equal(end - copy, len);
                assert_memory_equal(copy, expected, len);
            }
        }
    munmap(of_text, 2 * page);
    munmap(of_copy, 2 * page);
}

static void what_was_written_since_a_mark_is_gone(void **state)
{
    struct json_writer w;
    begin(&w, false, NULL);
    json_arr(&w, NULL);
    struct json_mark first = json_mark(&w);
    json_obj(&w, NULL);
    json_obj(&w, "a");
    json_back(&w, &first);
    json_int(&w, NULL, 1);
    struct json_mark second = json_mark(&w);
    json_arr(&w, NULL);
    json_back(&w, &second);
    json_int(&w, NULL, 2);
    json_end(&w);
    assert_string_equal(written(), "[1,2]");
}

/* ---- values without a text ---- */

/* Not a constant, which would need no escape. */
static const char *volatile odd_key = "a key \"with\" quotes and more than sixteen bytes";

/* Every way to put a value. */
static void everything(struct json_writer *w)
{
    static const char raw[] = "{\"deep\":[1,{\"x\":\"\\u00e9\\n\"},[],true,null]}";
    struct arena a;
    arena_init(&a, 0);
    json_obj(w, NULL);
    json_str(w, "text", "a \"quote\", a \\ and\ttab, \xC3\xA9");
    json_strn(w, odd_key, "part of it", 4);
    json_str(w, "null", NULL);
    json_str(w, "", "");
    json_word(w, "word", "plain");
    json_quoted(w, "quoted", "{\"a\":1}", 7);
    json_bool(w, "yes", true);
    json_bool(w, "no", false);
    json_int(w, "min", INT64_MIN);
    json_int_str(w, "id", 7);
    json_number(w, "ratio", "1.50e3", 6);
    json_time(w, "at", 0, JSON_TIME_MS_Z);
    json_raw(w, "raw", raw, strlen(raw));
    json_raw(w, "rawText", "\"x\"", 3);
    json_value(w, "value", parse(&a, raw));
    json_value_without(w, "less", parse(&a, "{\"a\":1,\"b\":[2]}"), "a");
    arena_done(&a);
    json_obj(w, "sample");
    json_end(w);
    json_arr(w, "items");
    for (int i = 0; i < 100; i++) { /* more than there is room for at first */
        json_arr(w, NULL);
        json_int(w, NULL, i);
        json_item_again(w, "{\"again\":1}", 11);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static const struct json *built(struct arena *a, void (*fn)(struct json_writer *w))
{
    struct json_builder b;
    struct json_writer w;
    buf_clear(&out);
    json_build_init(&b, a);
    json_init_build(&w, &b, &out);
    assert_true(json_wants(&w, "anything"));
    fn(&w);
    const struct json *v = buf_failed(&out) ? NULL : json_build_root(&b);
    json_build_done(&b);
    return v;
}

static void same_values(const struct json *x, const struct json *y)
{
    assert_int_equal(x->type, y->type);
    assert_int_equal(x->truth, y->truth);
    assert_int_equal(x->n, y->n);
    if (x->type == JSON_STRING || x->type == JSON_NUMBER)
        assert_memory_equal(x->str, y->str, x->n + 1);
    for (uint32_t i = 0; x->type == JSON_ARRAY && i < x->n; i++)
        same_values(&x->items[i], &y->items[i]);
    for (uint32_t i = 0; x->type == JSON_OBJECT && i < x->n; i++) {
        assert_int_equal(x->members[i].key_len, y->members[i].key_len);
        assert_string_equal(x->members[i].key, y->members[i].key);
        same_values(&x->members[i].value, &y->members[i].value);
    }
}

static void built_values_are_those_of_the_text(void **state)
{
    static void (*const all[])(struct json_writer * w) = {sample, everything};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct arena a;
        struct json_writer w;
        arena_init(&a, 0);
        begin(&w, false, NULL);
        all[i](&w);
        const struct json *read = parse(&a, written());
        const struct json *v = built(&a, all[i]);
        assert_non_null(v);
        assert_int_equal(out.len, 0);
        same_values(v, read);
        arena_done(&a);
    }
}

static void write_too_deep(struct json_writer *w)
{
    for (int i = 0; i < 200; i++)
        json_arr(w, NULL);
    json_int(w, NULL, 1);
    for (int i = 0; i < 200; i++)
        json_end(w);
}

static void write_as_deep_as_read(struct json_writer *w)
{
    for (int i = 0; i < 100; i++)
        json_arr(w, NULL);
    json_raw(w, NULL, "1", 1);
    for (int i = 0; i < 100; i++)
        json_end(w);
}

static void write_raw_too_deep(struct json_writer *w)
{
    for (int i = 0; i < 99; i++)
        json_arr(w, NULL);
    json_raw(w, NULL, "[[]]", 4);
    for (int i = 0; i < 99; i++)
        json_end(w);
}

static void write_broken_raw(struct json_writer *w)
{
    json_obj(w, NULL);
    json_raw(w, "a", "{", 1);
    json_str(w, "b", "c");
    json_end(w);
}

static void write_again(struct json_writer *w)
{
    json_obj(w, NULL);
    json_again(w, "\"a\":1", 5);
    json_end(w);
}

static void what_can_not_be_built_fails_its_buffer(void **state)
{
    static void (*const all[])(struct json_writer * w) = {write_too_deep, write_raw_too_deep,
                                                          write_broken_raw, write_again};
    struct arena a;
    arena_init(&a, 0);
    assert_non_null(built(&a, write_as_deep_as_read));
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        assert_null(built(&a, all[i]));
        buf_done(&out);
        buf_init(&out, 0);
    }
    arena_done(&a);
    arena_init(&a, 20000); /* a block, and none for the rest */
    assert_null(built(&a, everything));
    arena_done(&a);
    buf_done(&out);
    buf_init(&out, 0);
}

/* One byte at a time, as RFC 8259 has it. */
static size_t escaped(char *p, const char *s, size_t n)
{
    char *start = p;
    for (size_t i = 0; i < n; i++) {
        static const char from[] = "\"\\\b\t\n\f\r", to[] = "\"\\btnfr";
        const char *named = memchr(from, s[i], sizeof from - 1);
        if (named)
            p += sprintf(p, "\\%c", to[named - from]);
        else if ((unsigned char)s[i] < 0x20)
            p += sprintf(p, "\\u%04x", s[i]);
        else
            *p++ = s[i];
    }
    return (size_t)(p - start);
}

static void escapes_are_the_same_at_every_place(void **state)
{
    (void)state;
    static char text[5000], expected[6 * sizeof text + 2];
    static const size_t sizes[] = {1, 15, 16, 31, 32, 33, 47, 48, 100, 4095, 4097, sizeof text};
    uint32_t next = 1;
    for (int round = 0; round < 300; round++)
        for (size_t k = 0; k < SOSIA_LEN(sizes); k++) {
            size_t n = sizes[k];
            for (size_t i = 0; i < n; i++) {
                next = next * 1664525 + 1013904223;
                unsigned what = next >> 24;
                text[i] = (char)('0' + what % 40);
                if (what < 40)
                    text[i] = "\"\\\n\r\t"[what % 5];
                else if (what == 40)
                    text[i] = (char)(next >> 19 & 31);
            }
            expected[0] = '"';
            size_t len = escaped(expected + 1, text, n) + 1;
            expected[len++] = '"';
            struct json_writer w;
            buf_done(&out);
            buf_init(&out, 0);
            begin(&w, false, NULL);
            json_strn(&w, NULL, text, n);
            assert_int_equal(out.len, len);
            assert_memory_equal(out.data, expected, len);
        }
}

static void is_thin(const char *text, const char *expected)
{
    for (size_t n = strlen(text), cut = 0; cut <= n; cut++) { /* of text that ends anywhere */
        struct buf b;
        buf_init(&b, 0);
        char *copy = malloc(cut + 1); /* what is read beyond it is found */
        memcpy(copy, text, cut);
        json_thin(&b, copy, cut, 2, "body", "labels");
        assert_in_range(b.len, 0, cut);
        if (cut == n)
            assert_string_equal(buf_str(&b), expected);
        free(copy);
        buf_done(&b);
    }
}

static void members_are_left_out_of_a_text(void **state)
{
    (void)state;
    is_thin("{}", "{}");
    is_thin("{\"body\":1,\"a\":{\"b\":2}}", "{\"body\":1,\"a\":{\"b\":2}}");
    is_thin("{\"r\":{\"body\":\"{\\\"body\\\":\\\\}\"},\"s\":1}", "{\"r\":{},\"s\":1}");
    is_thin("{\"r\":{\"a\":\"body\",\"body\":{\"x\":[1,\"]}\"]}},\"s\":{\"body\":null,\"b\":[]}}",
            "{\"r\":{\"a\":\"body\"},\"s\":{\"b\":[]}}");
    is_thin("{\"r\":{\"a\":1,\"body\":\"0123456789012345678901234567890123456789\",\"c\":2}}",
            "{\"r\":{\"a\":1,\"c\":2}}");
    is_thin("{\"r\":[{\"body\":1}],\"s\":[\"body\"],\"t\":{\"bodys\":1}}",
            "{\"r\":[{\"body\":1}],\"s\":[\"body\"],\"t\":{\"bodys\":1}}");
    is_thin(
        "{\"labels\":{\"body\":1},\"r\":{\"body\":2},\"s\":{\"labels\":{\"body\":3},\"body\":4}}",
        "{\"labels\":{\"body\":1},\"r\":{},\"s\":{\"labels\":{\"body\":3}}}");
    /* as others may have written it */
    is_thin("{\"r\":{\"a\":1,\"body\":1,\"body\":[2]}}", "{\"r\":{\"a\":1}}");
    is_thin("{\"r\":{\"body\":1,\"body\":2}}", "{\"r\":{}}");
    is_thin("{\"r\":{\"a\":1 ,\n\"body\": 1 }}", "{\"r\":{\"a\":1 }}");
    is_thin("{ \"r\" : { \"body\": {} , \"a\" : 1 } }", "{ \"r\" : {  \"a\" : 1 } }");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_left_out_of_a_text),
        cmocka_unit_test(escapes_are_the_same_at_every_place),
        cmocka_unit_test(pretty_output_is_as_google_prints_it),
        cmocka_unit_test(compact_output_has_no_blanks),
        cmocka_unit_test(strings_and_keys_are_escaped),
        cmocka_unit_test(a_document_is_a_string),
        cmocka_unit_test(texts_of_quotes_alone_to_escape_are_found),
        cmocka_unit_test(quotes_and_newlines_get_a_backslash_each),
        cmocka_unit_test(quoting_stays_within_the_text_and_its_room),
        cmocka_unit_test(what_was_written_since_a_mark_is_gone),
        cmocka_unit_test(built_values_are_those_of_the_text),
        cmocka_unit_test(what_can_not_be_built_fails_its_buffer),
        cmocka_unit_test(escape_html_escapes_what_google_does),
        cmocka_unit_test(every_character_goes_there_and_back),
        cmocka_unit_test(writer_fails_its_buffer_when_too_deep),
        cmocka_unit_test(writer_survives_a_full_buffer),
        cmocka_unit_test(times_are_rfc_3339),
        cmocka_unit_test(stored_json_takes_on_style_and_mask),
        cmocka_unit_test(values_deeper_than_the_writer_fail_its_buffer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

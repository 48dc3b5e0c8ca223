/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/hostile_bytes.h"
#include "tests/support/dose.h"
#include "tests/support/world.h"

static uint64_t state_of_chance;

void hostile_begin(uint64_t seed)
{
    state_of_chance = seed;
}

uint32_t hostile_chance(size_t n)
{
    state_of_chance ^= state_of_chance << 13;
    state_of_chance ^= state_of_chance >> 7;
    state_of_chance ^= state_of_chance << 17;
    return (uint32_t)(state_of_chance >> 11) % (uint32_t)n;
}

/* ---- what nobody should send ---- */

#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }

static const struct bytes few[] = {
    BYTES(""),
    BYTES("\0"),
    BYTES("a\0b"),
    BYTES(" "),
    BYTES("\r\nX-Evil: 1"),
    BYTES("\xff\xfe"),
    BYTES("\xed\xa0\x80"),
    BYTES("\xc0\xaf"),
    BYTES("\xf4\x90\x80\x80"),
    BYTES("caf\xc3"),
    BYTES("\xe2\x80\xae\xf0\x9f\x91\xa9\xe2\x80\x8d"),
    BYTES("../../etc/passwd"),
    BYTES("%s%n%00"),
    BYTES("'; drop table meta; --"),
    BYTES("1e9.5"),
    BYTES(".."),
    BYTES("1e400"),
    BYTES("-1e400"),
    BYTES("1e-400"),
    BYTES("-1"),
    BYTES("0"),
    BYTES("-0"),
    BYTES("1.5"),
    BYTES("2147483648"),
    BYTES("9223372036854775807"),
    BYTES("9223372036854775808"),
    BYTES("-9223372036854775808"),
    BYTES("18446744073709551616"),
    BYTES("9999999999.999999"),
    BYTES("99999999999.000000"),
    BYTES("1771185600.9999999999999"),
    BYTES("0000000000.000000"),
    BYTES("0x10"),
    BYTES("NaN"),
    BYTES("null"),
    BYTES("true"),
    BYTES("[]"),
    BYTES("{}"),
    BYTES("[[]]"),
    BYTES("[{}]"),
    BYTES("[null]"),
    BYTES("[1e400]"),
    BYTES("{\"\":null}"),
    BYTES("{\"a\":1,\"a\":[]}"),
    BYTES("{\"type\":1}"),
    BYTES("[{\"type\":\"section\",\"type\":\"divider\"}]"),
    BYTES("\"\\u0000\""),
    BYTES("\"\\ud800\""),
    BYTES("\"\\udc00\\ud800\""),
    BYTES("[\"\\ud800\"]"),
    BYTES("[1,2"),
    BYTES("{\"a\""),
    BYTES("\"a"),
    BYTES("*"),
    BYTES(","),
    BYTES(",,C0DEV,,C0DEV,"),
    BYTES("U0ADA,U0ADA,U0DEPLOY,U0DORA"),
    BYTES("C0SECRET"),
    BYTES("C0VAULT"),
    BYTES("C0BETA"),
    BYTES("T0BETA"),
    BYTES("U0DORA"),
    BYTES("U0CAROL"),
    BYTES("B0DEPLOY"),
    BYTES("A0DEPLOY"),
    BYTES("F0PLAN"),
    BYTES("F0TASKS"),
    BYTES("F0HIDDEN"),
    BYTES("#dev"),
    BYTES("<!channel> <@U0BOB|x> <#C0SECRET|y> &amp;&lt;&"),
    BYTES("dXNlcjpVMEJPQg=="),
    BYTES("bmV4dF90czo5OTk5OTk5OTk5OTk5OTk5"),
    BYTES("bmV4dF90czotMQ=="),
    BYTES("AAAAAAAAAAA="),
    BYTES("CAAQAA"),
    BYTES("~!!~AI9FV7"),
    BYTES("2026-13-45T99:99:99Z"),
    BYTES("0001-01-01T00:00:00-23:59"),
    BYTES("9999-12-31T23:59:59.999999999+14:00"),
    BYTES("2026-02-30"),
    BYTES("http://"),
    BYTES("https://[::1"),
    BYTES("javascript:alert(1)"),
    BYTES("a@b@c"),
    BYTES("bob@acme.example,carol@acme.example"),
    BYTES("dora@beta.example"),
    BYTES("RRULE:FREQ=SECONDLY;COUNT=999999999"),
    BYTES("(((((((((("),
    BYTES("from:me has:x in:#secret after:9999-99-99 \"unclosed"),
    BYTES("me"),
    BYTES("me/../bob"),
    BYTES("hidden"),
};

/* One text again and again, and what closes it. */
static const struct {
    const char *text, *middle, *close;
    int n;
} many[] = {
    {"a", "", "", 100},
    {"a", "", "", 5000},
    {"a", "", "", 100000},
    {"\xc3\xa9", "", "", 20000},
    {"9", "", "", 1000},
    {"-", "", "", 10000},
    {"[", "", "", 10000},
    {"[", "", "]", 10000},
    {"{\"a\":", "1", "}", 10000},
    {"{\"elements\":[", "", "]}", 5000},
    {",", "", "", 20000},
    {"U0ADA,", "", "", 5000},
    {"*_~`", "", "", 5000},
    {"<", "", "", 20000},
    {"<@U0BOB>", "", "", 5000},
    {"&amp;", "", "", 5000},
    {"> ", "", "", 5000},
    {"- a\n  ", "", "", 3000},
    {"# a\n", "", "", 5000},
    {"|a|b|\n", "", "", 3000},
    {"[a](", "", ")", 3000},
    {"(", "", ")", 10000},
    {"-", "a", "", 3000},
    {"a OR ", "a", "", 3000},
    {":a:", "", "", 5000},
    {"[{\"type\":\"divider\"},", "1", "", 1},
    {"\xe2\x80\x8d", "", "", 5000},
};

static struct bytes repeated(struct arena *a, size_t which, int n)
{
    struct buf b;
    buf_init(&b, 0);
    for (int i = 0; i < n; i++)
        buf_puts(&b, many[which].text);
    buf_puts(&b, many[which].middle);
    for (int i = 0; i < n && *many[which].close; i++)
        buf_puts(&b, many[which].close);
    struct bytes all = {arena_memdup(a, buf_str(&b), b.len), b.len};
    buf_done(&b);
    return all;
}

const char *hostile_forced;

struct bytes hostile_bytes(struct arena *a)
{
    if (hostile_forced)
        return (struct bytes){hostile_forced, strlen(hostile_forced)};
    uint32_t i = hostile_chance(SOSIA_LEN(few) + SOSIA_LEN(many));
    if (i < SOSIA_LEN(few))
        return few[i];
    i -= (uint32_t)SOSIA_LEN(few);
    int most = many[i].n == 100000 ? dose(10 << 20, 100000) : many[i].n;
    return repeated(a, i, most);
}

/* ---- JSON that is nearly right ---- */

/* Writes v, with one value in it (the one to which `at` counts down) in the place of which there is
 * something else. */
static void write_spoilt(struct arena *a, struct buf *b, const struct json *v, int *at);

void hostile_text(struct buf *b, const char *text, size_t len)
{
    buf_byte(b, '"');
    for (size_t i = 0; i < len; i++) {
        size_t from = i;
        while (i < len && (unsigned char)text[i] >= 0x20 && text[i] != '"' && text[i] != '\\')
            i++;
        buf_add(b, text + from, i - from);
        if (i < len) {
            char digits[] = "0123456789abcdef", six[] = "\\u0000";
            six[4] = digits[(unsigned char)text[i] / 16];
            six[5] = digits[(unsigned char)text[i] % 16];
            buf_add(b, six, 6);
        }
    }
    buf_byte(b, '"');
}

bool hostile_is_json(struct bytes v)
{
    return v.len && strchr("[{\"-0123456789tfn", v.data[0]);
}

static void write_hostile(struct arena *a, struct buf *b)
{
    struct bytes v = hostile_bytes(a);
    if (hostile_is_json(v) && hostile_chance(4))
        buf_add(b, v.data, v.len);
    else
        hostile_text(b, v.data, v.len);
}

static void write_member(struct arena *a, struct buf *b, const struct json_member *m, int *at)
{
    hostile_text(b, m->key, strlen(m->key));
    buf_byte(b, ':');
    write_spoilt(a, b, &m->value, at);
}

static void write_members(struct arena *a, struct buf *b, const struct json *v, int *at)
{
    buf_byte(b, '{');
    for (uint32_t i = 0; i < v->n; i++) {
        int before = *at;
        if (i)
            buf_byte(b, ',');
        write_member(a, b, &v->members[i], at);
        if (before > 0 && *at <= 0 && !hostile_chance(4)) { /* the same name again */
            int none = -1;
            buf_byte(b, ',');
            write_member(a, b, &v->members[i], &none);
        }
    }
    buf_byte(b, '}');
}

static void write_spoilt(struct arena *a, struct buf *b, const struct json *v, int *at)
{
    if (*at >= 0 && --*at < 0) {
        *at = -1;
        write_hostile(a, b);
        return;
    }
    if (v->type == JSON_OBJECT) {
        write_members(a, b, v, at);
    } else if (v->type == JSON_ARRAY) {
        buf_byte(b, '[');
        for (uint32_t i = 0; i < v->n; i++) {
            if (i)
                buf_byte(b, ',');
            write_spoilt(a, b, &v->items[i], at);
        }
        buf_byte(b, ']');
    } else {
        buf_puts(b, json_to_text(a, v));
    }
}

static int count_values(const struct json *v)
{
    int n = 1;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        n += count_values(&v->members[i].value);
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        n += count_values(&v->items[i]);
    return n;
}

struct bytes hostile_json(struct arena *a, const char *text, bool spoil)
{
    struct sosia_err err;
    const struct json *v;
    struct buf b;
    if (json_parse(a, text, strlen(text), NULL, &v, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    int at = spoil ? (int)hostile_chance((size_t)count_values(v)) : -1;
    buf_init(&b, 0);
    write_spoilt(a, &b, v, &at);
    struct bytes all = {arena_memdup(a, buf_str(&b), b.len), b.len};
    buf_done(&b);
    return all;
}

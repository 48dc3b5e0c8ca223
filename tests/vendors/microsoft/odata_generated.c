/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generated filters: each is read, printed and read again as the same, and finds what the rules of
 * logic with three values say, which are worked out beside it while it is made.
 */
#include "tests/support/unit.h"
#include "vendors/microsoft/odata/odata.h"

enum tri { NO, YES, UNKNOWN };

static const char document[] =
    "{\"subject\":\"Plan\",\"isRead\":false,\"isDraft\":true,\"importance\":\"high\","
    "\"receivedDateTime\":\"2026-03-04T05:06:07Z\",\"categories\":[\"Red\",\"Blue\"],"
    "\"toRecipients\":[{\"emailAddress\":{\"address\":\"bob@acme.example\"}}]}";

static const struct {
    const char *text;
    enum tri is;
} atoms[] = {
    {"isRead", NO},
    {"isDraft", YES},
    {"hasAttachments", UNKNOWN}, /* it is not in the document */
    {"null", UNKNOWN},
    {"subject eq 'plan'", YES},
    {"'x''y' ne subject", YES},
    {"conversationId eq null", YES},
    {"conversationId gt 'a'", NO},
    {"contains(conversationId,'a')", UNKNOWN},
    {"length(subject) mul 2 ge 9", NO},
    {"receivedDateTime lt 2026-03-04T05:06:08.5+00:00", YES},
    {"importance in ('low','normal')", NO},
    {"categories/any(c:c eq 'blue')", YES},
    {"toRecipients/all(r:r/emailAddress/address eq 'eve')", NO},
    {"receivedDateTime sub duration'P1D' lt 2026-03-03", NO},
    {"-1.5e1 lt 2 and 3 mod 2 eq 1", YES},
};

static struct arena arena;
static uint64_t seed;

static unsigned below(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

static enum tri made(struct buf *out, unsigned depth);

/* Some operands joined; brackets around each, so that the generator needs no precedence. */
static enum tri joined(struct buf *out, unsigned depth, bool either)
{
    enum tri is = either ? NO : YES;
    unsigned n = 2 + below(3);
    for (unsigned i = 0; i < n; i++) {
        if (i)
            buf_puts(out, either ? " or " : " and ");
        buf_byte(out, '(');
        enum tri kid = made(out, depth - 1);
        buf_byte(out, ')');
        if (kid == (either ? YES : NO) || is == (either ? YES : NO))
            is = either ? YES : NO;
        else if (kid == UNKNOWN)
            is = UNKNOWN;
    }
    return is;
}

static enum tri made(struct buf *out, unsigned depth)
{
    unsigned what = depth ? below(4) : 0;
    if (what == 0) {
        unsigned i = below(SOSIA_LEN(atoms));
        buf_puts(out, atoms[i].text);
        return atoms[i].is;
    }
    if (what < 3)
        return joined(out, depth, what == 1);
    buf_puts(out, "not (");
    enum tri kid = made(out, depth - 1);
    buf_byte(out, ')');
    return kid == UNKNOWN ? UNKNOWN : kid == YES ? NO : YES;
}

static const struct odata_expr *parsed(const char *text)
{
    struct sosia_err err;
    const struct odata_expr *e = NULL;
    if (odata_parse_filter(&arena, edm_type_find("message", 7), NULL, text, &e, NULL, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return e;
}

static void generated_filters_read_back_and_find(void **state)
{
    struct odata_ctx ctx = {.arena = &arena, .get = odata_get_json};
    unsigned held = 0;
    (void)state;
    for (unsigned n = 1; n <= 10000; n++) {
        struct buf text, once, twice;
        const struct json *v;
        seed = n;
        arena_init(&arena, 0);
        buf_init(&text, 0);
        buf_init(&once, 0);
        buf_init(&twice, 0);
        assert_int_equal(json_parse(&arena, document, sizeof document - 1, NULL, &v, NULL), 0);
        enum tri is = made(&text, 1 + n % 3);
        const struct odata_expr *e = parsed(buf_str(&text));
        odata_print(&once, e);
        odata_print(&twice, parsed(buf_str(&once)));
        assert_string_equal(buf_str(&twice), buf_str(&once));
        if (odata_matches(&ctx, e, v) != (is == YES))
            fail_msg("%s", buf_str(&text));
        assert_int_equal(odata_matches(&ctx, parsed(buf_str(&once)), v), is == YES);
        held += is == YES;
        buf_done(&text);
        buf_done(&once);
        buf_done(&twice);
        arena_done(&arena);
    }
    assert_in_range(held, 2000, 8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_filters_read_back_and_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

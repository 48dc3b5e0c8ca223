/* SPDX-License-Identifier: Apache-2.0 */
/* $search: the questions that it is read as, and what is refused, as measured (MG-560 to 566). */
#include "tests/support/unit.h"
#include "vendors/microsoft/odata/kql.h"

enum { FROM = 1, TO = 2, CC = 4, SUBJECT = 8, BODY = 16 };

static struct arena arena;
static struct sosia_err err;

static const char *const levels[] = {"low", "medium", "high", NULL};
static const struct kql_property properties[] = {
    {.name = "from", .kind = KQL_TEXT, .fields = FROM},
    {.name = "to", .kind = KQL_TEXT, .fields = TO},
    {.name = "subject", .kind = KQL_TEXT, .fields = SUBJECT},
    {.name = "participants", .kind = KQL_TEXT, .fields = FROM | TO | CC},
    {.name = "hasAttachments", .kind = KQL_FLAG, .id = 1},
    {.name = "received", .kind = KQL_TIME, .id = 2},
    {.name = "size", .kind = KQL_SIZE, .id = 3},
    {.name = "importance", .kind = KQL_WORD, .values = levels, .id = 4},
};

static const struct search *own(void *arg, struct arena *a, const struct kql_property *p,
                                int64_t from, int64_t to)
{
    struct search *n = arena_calloc(a, 1, sizeof *n);
    n->kind = SEARCH_OWN;
    n->id = p->id;
    n->from = from;
    n->to = to;
    return n;
}

static void write_number(struct buf *b, int64_t n)
{
    if (n == INT64_MIN || n == INT64_MAX)
        buf_puts(b, n < 0 ? "-" : "+");
    else
        buf_i64(b, n);
}

static void write_search(struct buf *b, const struct search *n)
{
    static const char *const words[] = {"and", "or", "not"};
    if (n->kind == SEARCH_PHRASE) {
        buf_printf(b, "%u'%s'", n->fields, n->text);
        return;
    }
    if (n->kind == SEARCH_OWN) {
        buf_printf(b, "#%d[", (int)n->id);
        write_number(b, n->from);
        buf_byte(b, ',');
        write_number(b, n->to);
        buf_byte(b, ']');
        return;
    }
    buf_puts(b, words[n->kind]);
    buf_byte(b, '(');
    for (size_t i = 0; i < n->n_kids; i++) {
        if (i)
            buf_byte(b, ' ');
        write_search(b, n->kids[i]);
    }
    buf_byte(b, ')');
}

static int parse(const char *text, const char **ret)
{
    const struct kql_language l = {.properties = properties,
                                   .n = SOSIA_LEN(properties),
                                   .any = FROM | SUBJECT | BODY,
                                   .now_us = INT64_C(1772604000000000), /* a Wednesday */
                                   .own = own};
    const struct search *n;
    struct buf b;
    if (kql_parse(&arena, &l, text, &n, &err) < 0)
        return -1;
    buf_init(&b, 0);
    if (n)
        write_search(&b, n);
    *ret = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return 0;
}

static void questions_are_read(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"pizza", "25'pizza'"},
        {"pizza plan", ""}, /* dropped */
        {"\"pizza\"", "25'pizza'"},
        {"\"pizza plan\"", "and(25'pizza' 25'plan')"},
        {"\"subject:a b\"", "and(8'a' 25'b')"},
        {"\"subject:(a b)\"", "and(8'a' 8'b')"},
        {"\"subject:(a OR from:b)\"", "or(8'a' 1'b')"},
        {"\"Subject: a\"", "8'a'"},
        {"\"subject:\\\"a b\\\" c\"", "and(8'a b' 25'c')"},
        {"\"'a b'\"", "and(25''a' 25'b'')"},
        {"\"a AND b OR c\"", "or(and(25'a' 25'b') 25'c')"},
        {"\"a and b or c\"", "and(25'a' 25'and' 25'b' 25'or' 25'c')"},
        {"\"a (b OR c)\"", "and(25'a' or(25'b' 25'c'))"},
        {"\"NOT a -b +c -(d OR e)\"", "and(not(25'a') not(25'b') 25'c' not(or(25'd' 25'e')))"},
        {"\"plan* -\"", "25'plan'"},
        {"\"OR a OR\"", "25'a'"},
        {"\"()\"", "and()"},
        {"\"from:ada@acme.example participants:bob\"", "and(1'ada@acme.example' 7'bob')"},
        {"\"subject<>a\"", "not(8'a')"},
        {"\"hasattachments:true\"", "#1[1,2]"},
        {"\"hasAttachments:no\"", "#1[0,1]"},
        {"\"hasAttachments:maybe\"", "or()"},
        {"\"importance:medium\"", "#4[1,2]"},
        {"\"importance:urgent\"", "or()"},
        {"\"received:2026-03-04\"", "#2[1772582400000000,1772668800000000]"},
        {"\"received:3/4/2026\"", "#2[1772582400000000,1772668800000000]"},
        {"\"received:today\"", "#2[1772582400000000,1772668800000000]"},
        {"\"received:yesterday\"", "#2[1772496000000000,1772582400000000]"},
        {"\"received:\\\"this week\\\"\"", "#2[1772323200000000,1772928000000000]"},
        {"\"received:\\\"last month\\\"\"", "#2[1769904000000000,1772323200000000]"},
        {"\"received>=2026-03-04\"", "#2[1772582400000000,+]"},
        {"\"received>2026-03-04\"", "#2[1772668800000000,+]"},
        {"\"received<=2026-03-04\"", "#2[-,1772668800000000]"},
        {"\"received<2026-03-04\"", "#2[-,1772582400000000]"},
        {"\"received<>2026-03-04\"", "not(#2[1772582400000000,1772668800000000])"},
        {"\"received:2026-03-04..2026-03-05\"", "#2[1772582400000000,1772755200000000]"},
        {"\"received:2026-03-05..2026-03-04\"", "or()"},
        {"\"received:2026-03-04T06:00:00Z\"", "#2[1772604000000000,1772604001000000]"},
        {"\"received:2026-13-04\"", "or()"},
        {"\"received:2/30/2026\"", "or()"},
        {"\"size>2KB\"", "#3[2049,+]"},
        {"\"size:9999999999999KB\"", "or()"},
        {"\"http://a.example/b color:red\"", "and(25'http://a.example/b' 25'color:red')"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *got;
        if (parse(cases[i].text, &got) < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_string_equal(got, cases[i].want);
    }
}

static void quotes_go_around_the_whole(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"subject:X", "Syntax error: character ':' is not valid at position 7 in 'subject:X'."},
        {"\"subject:\"a b\"\"",
         "Syntax error: character 'a' is not valid at position 10 in '\"subject:\"a b\"\"'."},
        {"\"a", "There is an unterminated string literal at position 2 in '\"a'."},
        {"\"\"", "Expression expected at position 1 in '\"\"'."},
        {"\"(a\"", "Syntax error: ')' expected in '\"(a\"'."},
        {"\"a)\"", "Syntax error: character ')' is not expected in '\"a)\"'."},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *got;
        assert_int_equal(parse(cases[i].text, &got), -1);
        assert_string_equal(err.text, cases[i].want);
        assert_string_equal(err.reason, "BadRequest");
    }
}

static void bombs_are_refused(void **state)
{
    struct buf b;
    const char *got;
    (void)state;
    for (int k = 0; k < 2; k++) {
        int n = k ? 51 : 50;
        buf_init(&b, 0);
        buf_byte(&b, '"');
        for (int i = 0; i < n; i++)
            buf_byte(&b, '(');
        buf_byte(&b, 'a');
        for (int i = 0; i < n; i++)
            buf_byte(&b, ')');
        buf_byte(&b, '"');
        assert_int_equal(parse(buf_str(&b), &got), k ? -1 : 0);
        if (k)
            assert_string_equal(err.text, "Recursion depth exceeded allowed limit.");
        buf_done(&b);
    }
    char *text = arena_alloc(&arena, 9001);
    memset(text, 'a', 9000);
    text[9000] = 0;
    assert_int_equal(parse(text, &got), -1);
}

static int setup(void **state)
{
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    arena_done(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_are_read),
        cmocka_unit_test(quotes_go_around_the_whole),
        cmocka_unit_test(bombs_are_refused),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

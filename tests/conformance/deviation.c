/* SPDX-License-Identifier: Apache-2.0 */
/* Differences from the real services: how their files are read, and the page made of them. */
#include "tests/support/unit.h"
#include "conformance/report/deviation.h"
#include <stdio.h>
#include <stdlib.h>

static struct sosia_err err;

static struct deviation_source sources[] = {
    {"all.txt", "Everywhere", NULL, "",
     "# about\n\n# ---- All ----\nALL-1 limit unknown *: At most one.\n"},
    {"cal.txt", "A Calendar", "calendar.google", "calendar.",
     "> A note on it.\n\n"
     "# ---- Rules ----\n> And on these.\n"
     "X-1 chosen concluded acl.*: Rules: a | b.\n"
     "X-2 deliberate recorded acl.get,events.insert GC-12,GC-13: Both.\n"
     "X-3 not-held documented acl.get: The third.\n"},
    {0},
};

static struct deviations *read(const struct deviation_source *from)
{
    struct deviations *d = NULL;
    if (deviations_open(from, &d, &err) < 0)
        fail_msg("%s", err.text);
    return d;
}

static void methods_are_named_by_patterns(void **state)
{
    struct deviations *d = read(sources);
    assert_int_equal(d->n, 4);
    assert_int_equal(deviations_of(d, "calendar.google", "calendar.acl.get"), 3);
    assert_int_equal(deviations_of(d, "calendar.google", "calendar.acl.list"), 1);
    assert_int_equal(deviations_of(d, "calendar.google", "calendar.events.insert"), 1);
    assert_int_equal(deviations_of(d, "calendar.google", "calendar.events.list"), 0);
    /* Another service's method of the name, and one without the prefix. */
    assert_int_equal(deviations_of(d, "chat.slack", "calendar.acl.get"), 0);
    assert_int_equal(deviations_of(d, "calendar.google", "acl.get"), 0);
    deviations_free(d);
}

static void a_page_lists_methods_and_entries(void **state)
{
    struct deviations *d = read(sources);
    struct buf b;
    buf_init(&b, 0);
    deviations_markdown(d, &b);
    static const char *const expected[] = {
        "4 differences between",
        "| [A Calendar](#a-calendar) | 3 |\n",
        "\n## A Calendar\n\nA note on it.\n\n| method | differences |\n",
        "| <a id=\"calendar.acl.get\"></a>`calendar.acl.get` | [X-1](#X-1) – [X-3](#X-3) |\n",
        "| <a id=\"calendar.events.insert\"></a>`calendar.events.insert` | [X-2](#X-2) |\n",
        "\n### Rules\n\nAnd on these.\n\n| id |",
        "| <a id=\"X-1\"></a>X-1 | `acl.*` | Rules: a \\| b. | chosen | concluded |  |\n",
        "| <a id=\"X-2\"></a>X-2 | `acl.get`, `events.insert` | Both. | deliberate | recorded | "
        "GC-12, "
        "GC-13 |\n",
        "| <a id=\"ALL-1\"></a>ALL-1 | `*` | At most one. | limit | unknown |  |\n",
    };
    for (size_t i = 0; i < SOSIA_LEN(expected); i++)
        if (!strstr(buf_str(&b), expected[i]))
            fail_msg("the page must have \"%s\", and has not: %s", expected[i], buf_str(&b));
    assert_null(strstr(buf_str(&b), "calendar.events.list"));
    buf_clear(&b);
    deviations_text(d, "calendar.acl.list", &b);
    assert_string_equal(buf_str(&b), "X-1 chosen, concluded: Rules: a | b.\n");
    buf_clear(&b);
    deviations_json(d, &b);
    assert_non_null(strstr(buf_str(&b), "\"calendar.events.insert\""));
    buf_done(&b);
    deviations_free(d);
}

static void broken_entries_are_named_by_line(void **state)
{
    static const char *const texts[][2] = {
        {"X-1 chosen\n", "x.txt:1: a line must be \"ID KIND CERTAINTY METHODS [RULES]: TEXT\", not "
                         "\"X-1 chosen\""},
        {"\nX-1 taken recorded acl.get: a\n", "x.txt:2: a line must be"},
        {"X-1 chosen seen acl.get: a\n", "x.txt:1: a line must be"},
        {"X-1 chosen recorded: a\n", "x.txt:1: a line must be"},
        {"X-1 chosen recorded acl.get GC-1 GC-2: a\n", "x.txt:1: a line must be"},
        {"X-1 chosen recorded acl.get: \n", "x.txt:1: a line must be"},
        {"X-1 chosen recorded acl.get: a\nX-1 chosen recorded acl.get: b\n",
         "x.txt:2: X-1 is here twice"},
        {"X-1 chosen recorded acl.got: a\n",
         "x.txt:1: X-1 must name a method that is routed, not \"calendar.acl.got\""},
        {"X-1 chosen recorded acl.get,rules.*: a\n", "not \"calendar.rules.*\""},
    };
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        const struct deviation_source from[] = {
            {"x.txt", "X", "calendar.google", "calendar.", texts[i][0]}, {0}};
        struct deviations *d = NULL;
        assert_int_equal(deviations_open(from, &d, &err), -1);
        assert_null(d);
        if (!strstr(err.text, texts[i][1]))
            fail_msg("a message must have \"%s\", not \"%s\"", texts[i][1], err.text);
    }
}

static const char *source_file(char ret_path[4096], const char *name)
{
    const char *root = getenv("SOSIA_SOURCE");
    snprintf(ret_path, 4096, "%s/%s", root ? root : ".", name);
    return ret_path;
}

static void rules_that_entries_name_exist(void **state)
{
    char path[4096];
    struct deviations *d = read(NULL), *own = read(sources);
    struct coverage *rules;
    assert_int_equal(coverage_open(source_file(path, "conformance/rules.txt"), &rules, &err), 0);
    if (deviations_check(d, rules, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(deviations_check(own, rules, &err), 0);
    map_remove(&rules->by_id, "GC-13");
    assert_int_equal(deviations_check(own, rules, &err), -1);
    assert_string_equal(err.text, "cal.txt:6: X-2 must name a rule, not \"GC-13\"");
    coverage_free(rules);
    deviations_free(own);
    deviations_free(d);
}

static bool some_entry_names(const struct deviations *d, const char *rule)
{
    for (size_t i = 0; i < d->n; i++)
        for (const char *const *p = d->list[i].rules; *p; p++)
            if (strcmp(*p, rule) == 0)
                return true;
    return false;
}

/* "(docs/fidelity.md)" behind a rule says that an entry is about it. */
static void rules_that_lead_to_the_page_are_there(void **state)
{
    char path[4096];
    struct deviations *d = read(NULL);
    struct coverage *rules;
    size_t leading = 0;
    assert_int_equal(coverage_open(source_file(path, "conformance/rules.txt"), &rules, &err), 0);
    for (size_t i = 0; i < rules->n_rules; i++) {
        const struct coverage_rule *r = &rules->rules[i];
        if (!r->not_held || !strstr(r->not_held, "docs/fidelity.md"))
            continue;
        leading++;
        if (!some_entry_names(d, r->id))
            fail_msg("%s must be named by a difference, as its reason leads there", r->id);
    }
    assert_true(leading > 0);
    coverage_free(rules);
    deviations_free(d);
}

static void the_page_of_the_documents_is_the_one_that_is_made(void **state)
{
    char path[4096], chunk[65536];
    struct deviations *d = read(NULL);
    struct buf made, kept;
    size_t n;
    buf_init(&made, 0);
    buf_init(&kept, 0);
    deviations_markdown(d, &made);
    FILE *f = fopen(source_file(path, "docs/fidelity.md"), "rb");
    assert_non_null(f);
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(&kept, chunk, n);
    fclose(f);
    if (made.len != kept.len || memcmp(made.data, kept.data, made.len) != 0)
        fail_msg("docs/fidelity.md must be printed anew: sosia conformance differences --markdown");
    buf_done(&made);
    buf_done(&kept);
    deviations_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_named_by_patterns),
        cmocka_unit_test(a_page_lists_methods_and_entries),
        cmocka_unit_test(broken_entries_are_named_by_line),
        cmocka_unit_test(rules_that_entries_name_exist),
        cmocka_unit_test(rules_that_lead_to_the_page_are_there),
        cmocka_unit_test(the_page_of_the_documents_is_the_one_that_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

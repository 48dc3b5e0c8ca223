/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia policy`: what a policy says, in process; and the policies of a running server's worlds.
 * `sosia approvals`: what they hold. */
#include "cli/cli.h"
#include "cli/import/import.h"
#include "engine/base/codec.h"
#include "guard/cases.h"
#include <stdio.h>
#include <string.h>

/* ---- without a server ---- */

static int complain(const struct sosia_err *err)
{
    fprintf(stderr, "sosia: %s\n", err->text);
    return EXIT_REFUSED;
}

static void show_policy(const struct json *p)
{
    show_name(show_text(p, "name"));
    if (json_get(p, "broken")) {
        show_member("  can't be read: ", p, "broken");
    } else {
        if (json_get(p, "version"))
            show_member("  version ", p, "version");
        printf("  rules %lld", (long long)json_get_int(p, "rules", 0));
        show_member("  ", p, "hash");
    }
    putchar('\n');
}

static int check(const char *file, bool as_json)
{
    char name[DOCUMENT_NAME_MAX + 1];
    struct sosia_err err = {0};
    struct sosia_blob blob;
    struct buf text;
    buf_init(&text, 0);
    if (read_file(file, &text) < 0) {
        buf_done(&text);
        return EXIT_REFUSED;
    }
    int rc = sosia_policy_check(text.data ? text.data : "", text.len, document_name(file, name),
                                &blob, &err);
    buf_done(&text);
    if (rc < 0)
        return complain(&err);
    struct arena a;
    const struct json *v;
    arena_init(&a, 0);
    if (as_json || json_parse(&a, blob.data, blob.len, NULL, &v, &err) < 0)
        fwrite(blob.data, 1, blob.len, stdout);
    else
        show_policy(v);
    arena_done(&a);
    sosia_blob_free(&blob);
    return EXIT_OK;
}

struct base {
    struct sosia_engine *engine;
    struct arena *arena;
};

static int make_fixture(void *arg, const char *name, uint64_t *ret_world, struct sosia_err *err)
{
    const struct base *b = arg;
    struct fixture f;
    if ((fixture_is_path(name) ? fixture_read(b->arena, name, &f, err)
                               : fixture_find(b->arena, NULL, name, &f, err)) < 0)
        return -1;
    const struct sosia_world_options opt = {
        .seed_doc = f.text, .seed_doc_len = f.len, .seed_doc_name = f.file};
    return sosia_world_create(b->engine, &opt, ret_world, err);
}

static void show_tainted(const struct json *list)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        show_member("        ", &list->items[i], "argument");
        show_member(" has ", &list->items[i], "value");
        show_member(", by ", &list->items[i], "author");
        show_member(" in ", &list->items[i], "row");
        putchar('\n');
    }
}

static void show_case(const struct json *c, bool explain)
{
    const struct json *expected = json_get(c, "expected");
    bool bad = json_is_false(json_get(c, "good"));
    printf("%-8s", !expected ? "" : bad ? "WRONG" : "good");
    show_name(show_text(c, "id"));
    show_member("  ", c, "decision");
    if (json_get(c, "rule"))
        show_member(" by ", c, "rule");
    putchar('\n');
    if (bad) {
        show_member("        expected ", expected,
                    json_get(expected, "decision") ? "decision" : "rule");
        if (json_get(expected, "decision") && json_get(expected, "rule"))
            show_member(" by ", expected, "rule");
        putchar('\n');
    }
    if (explain) {
        show_member("        ", c, "as");
        show_member(": ", c, "call");
        printf(" gives %lld\n", (long long)json_get_int(c, "status", 0));
        if (json_get(c, "method"))
            show_member("        the method is ", c, "method");
        if (json_get(c, "policy"))
            show_member(", the policy is ", c, "policy");
        if (json_get(c, "why"))
            show_member(", because ", c, "why");
        putchar('\n');
        show_tainted(json_get(c, "tainted"));
    }
}

static void show_cases(const struct sosia_blob *blob, bool as_json, bool explain)
{
    const struct json *v, *list;
    struct sosia_err err;
    struct arena a;
    arena_init(&a, 0);
    if (as_json || json_parse(&a, blob->data, blob->len, NULL, &v, &err) < 0) {
        fwrite(blob->data, 1, blob->len, stdout);
    } else {
        list = show_list(v, "cases");
        for (uint32_t i = 0; list && i < list->n; i++)
            show_case(&list->items[i], explain);
    }
    arena_done(&a);
}

static int run_cases(const char *policy, const char *cases, bool explain, bool as_json)
{
    char policy_name[DOCUMENT_NAME_MAX + 1], name[DOCUMENT_NAME_MAX + 1];
    struct sosia_err err = {0};
    struct sosia_blob blob;
    struct buf rules, calls;
    struct arena arena;
    struct base base = {.arena = &arena};
    const struct cases_options opt = {.fixture = make_fixture, .arg = &base};
    bool good = false;
    int rc = EXIT_REFUSED;
    buf_init(&rules, 0);
    buf_init(&calls, 0);
    arena_init(&arena, 0);
    if (read_file(policy, &rules) == 0 && read_file(cases, &calls) == 0) {
        document_name(policy, policy_name);
        document_name(cases, name);
        if (sosia_engine_open(NULL, &base.engine, &err) < 0 ||
            policy_cases(base.engine, rules.data ? rules.data : "", rules.len, policy_name,
                         calls.data ? calls.data : "", calls.len, name, &opt, &blob, &good,
                         &err) < 0) {
            complain(&err);
        } else {
            show_cases(&blob, as_json, explain);
            sosia_blob_free(&blob);
            rc = good ? EXIT_OK : EXIT_REFUSED;
        }
        sosia_engine_close(base.engine);
    }
    arena_done(&arena);
    buf_done(&rules);
    buf_done(&calls);
    return rc;
}

/* ---- of worlds ---- */

static void show_policies(const struct json *answer)
{
    const struct json *list = show_list(answer, "policies");
    for (uint32_t i = 0; list && i < list->n; i++)
        show_policy(&list->items[i]);
}

static void show_simulation(const struct json *answer)
{
    const struct json *list = show_list(answer, "decisions");
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *one = &list->items[i];
        printf("%lld  ", (long long)json_get_int(one, "seq", 0));
        show_name(show_text(one, "decision"));
        show_member("  ", one, "actor");
        show_member("  ", one, "method");
        if (json_get(one, "rule"))
            show_member("  by ", one, "rule");
        if (json_get(one, "why"))
            show_member("  because ", one, "why");
        putchar('\n');
    }
    printf("of %lld calls %lld are allowed, %lld denied, %lld held, %lld tried\n",
           (long long)json_get_int(answer, "calls", 0),
           (long long)json_get_int(answer, "allowed", 0),
           (long long)json_get_int(answer, "denied", 0), (long long)json_get_int(answer, "held", 0),
           (long long)json_get_int(answer, "tried", 0));
}

static void show_derived(const struct json *answer)
{
    const struct json *unused = show_list(json_get(answer, "scopes"), "unused");
    printf("%s\n", show_text(answer, "policy"));
    for (uint32_t i = 0; unused && i < unused->n; i++)
        fprintf(stderr, "sosia: scope not used: %s\n", unused->items[i].str);
}

static int of_world(struct client *c, const char *what, const char *argument)
{
    struct buf path, text;
    char name[DOCUMENT_NAME_MAX + 1];
    int rc = EXIT_USAGE;
    bool simulate = strcmp(what, "simulate") == 0, set = simulate || strcmp(what, "set") == 0;
    buf_init(&path, 0);
    buf_init(&text, 0);
    if (client_world_path(&path, c) < 0 || (set && read_file(argument, &text) < 0)) {
        buf_done(&path);
        buf_done(&text);
        return EXIT_REFUSED;
    }
    buf_puts(&path, "/policies");
    if (set) {
        document_name(argument, name);
        buf_puts(&path, simulate ? "/simulate?document_name=" : "?document_name=");
        percent_add(&path, name, strlen(name));
        rc =
            client_show(c, "POST", buf_str(&path), &text, simulate ? show_simulation : show_policy);
    } else if (strcmp(what, "derive") == 0) {
        buf_puts(&path, "/derive");
        rc = client_show(c, "POST", buf_str(&path), NULL, show_derived);
    } else if (strcmp(what, "remove") == 0) {
        buf_byte(&path, '/');
        percent_add(&path, argument, strlen(argument));
        rc = client_show(c, "DELETE", buf_str(&path), NULL, NULL);
    } else {
        rc = client_show(c, "GET", buf_str(&path), NULL, show_policies);
    }
    buf_done(&path);
    buf_done(&text);
    return rc;
}

static int run_policy(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const struct option_row rows[] = {WORLD_OPTION(&c), CLIENT_OPTIONS(&c)};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    const char *what = n > 0 ? argv[1] : "";
    if (n == 2 && strcmp(what, "check") == 0)
        return check(argv[2], c.json);
    if (n == 3 && (strcmp(what, "test") == 0 || strcmp(what, "explain") == 0))
        return run_cases(argv[2], argv[3], what[0] == 'e', c.json);
    bool one =
        strcmp(what, "set") == 0 || strcmp(what, "remove") == 0 || strcmp(what, "simulate") == 0;
    if ((one && n == 2) || ((strcmp(what, "list") == 0 || strcmp(what, "derive") == 0) && n == 1)) {
        int rc = of_world(&c, what, one ? argv[2] : NULL);
        client_close(&c);
        return rc;
    }
    return usage(self, "the arguments must be check FILE, test FILE CASES, explain FILE CASES, "
                       "set FILE, simulate FILE, derive, list, or remove NAME");
}

const struct command policy_command = {
    "policy", "check|test|explain|simulate|derive|set|list|remove ...",
    "rules on what calls may do",
    "check reads a policy and says what is wrong by name and line. test makes the calls of a file "
    "of "
    "cases, each in a fork of its own, and compares what is decided on them with what the file "
    "says; "
    "explain prints which rule decided and why. simulate runs the journal of a world of a running "
    "server again beside it, with the policy in place, and "
    "prints what would have been decided otherwise; derive prints the least policy with which that "
    "journal passes. set, list and remove are about a world of a "
    "running "
    "server. Examples:\n  sosia policy check policy.yaml\n  sosia policy test policy.yaml "
    "cases.yaml\n  sosia policy set policy.yaml --world office",
    run_policy};

/* ---- approvals ---- */

static void show_approval(const struct json *a)
{
    show_name(show_text(a, "action"));
    show_member("  ", a, "state");
    show_member("  ", a, "actor");
    show_member("  ", a, "method");
    if (json_get(a, "arguments")) {
        printf("  ");
        show_value(json_get(a, "arguments"));
    }
    if (json_get(a, "asked"))
        show_member("  for ", a, "asked");
    if (json_get(a, "by"))
        show_member("  by ", a, "by");
    putchar('\n');
}

/* What a program has asked, which is held. */
static void show_asked(const struct json *calls)
{
    for (uint32_t i = 0; calls && calls->type == JSON_ARRAY && i < calls->n; i++) {
        const struct json *call = &calls->items[i];
        show_member("  asked ", call, "verb");
        show_member(" ", call, "target");
        printf("  %lld\n", (long long)json_get_int(call, "status", 0));
    }
}

static void show_approvals(const struct json *answer)
{
    const struct json *list = show_list(answer, "approvals");
    for (uint32_t i = 0; list && i < list->n; i++) {
        show_approval(&list->items[i]);
        if (json_get(&list->items[i], "outcome"))
            show_diff(json_get(&list->items[i], "outcome"));
        show_asked(json_get(&list->items[i], "calls"));
    }
}

static int decide(struct client *c, const char *what, const char *arguments, const char *to,
                  const char *by, const char *comment, struct buf *path)
{
    struct json_writer w;
    struct buf body;
    json_start(&w, &body);
    json_obj(&w, NULL);
    json_str(&w, "decision", what);
    json_str_opt(&w, "arguments", arguments);
    json_str_opt(&w, "to", to);
    json_str_opt(&w, "by", by);
    json_str_opt(&w, "comment", comment);
    json_end(&w);
    int rc = client_show(c, "POST", buf_str(path), &body, show_approvals);
    buf_done(&body);
    return rc;
}

static int run_approvals(const struct command *self, int argc, char **argv)
{
    static const char *const words[] = {"show", "approve", "reject", "edit", "escalate", NULL};
    struct client c = {0};
    const char *arguments = NULL, *to = NULL, *by = NULL, *comment = NULL;
    const struct option_row rows[] = {
        {"arguments", "JSON", "edit: an object of values by path", .text = &arguments},
        {"to", "NAME", "escalate: who is to decide, or a class of the policy's approvers",
         .text = &to},
        {"by", "NAME", "who decides, for the journal", .text = &by},
        {"comment", "TEXT", "why", .text = &comment},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c)};
    struct buf path;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv), rc = EXIT_REFUSED;
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    int word = n == 2 ? str_place(words, argv[1]) : -1;
    if (word < 0 && !(n == 1 && strcmp(argv[1], "list") == 0) && n != 0)
        return usage(self,
                     "the arguments must be list, or show, approve, reject, edit or escalate, "
                     "and an action");
    buf_init(&path, 0);
    if (client_world_path(&path, &c) == 0) {
        buf_puts(&path, "/approvals");
        if (word >= 0) {
            buf_byte(&path, '/');
            percent_add(&path, argv[2], strlen(argv[2]));
        }
        rc = word > 0 ? decide(&c, words[word], arguments, to, by, comment, &path)
                      : client_show(&c, "GET", buf_str(&path), NULL, show_approvals);
    }
    buf_done(&path);
    client_close(&c);
    return rc;
}

const struct command approvals_command = {
    "approvals", "[list|show|approve|reject|edit|escalate ACTION]", "calls that a policy holds",
    "Without arguments it lists them. show prints what one would do. One that is approved is "
    "executed when its caller calls again. Examples:\n  sosia approvals --world office\n  sosia "
    "approvals approve act_0123456789abcdef --world office --by ada",
    run_approvals};

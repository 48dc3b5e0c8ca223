/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia grade`: the score of a world by a suite. */
#include "cli/cli.h"
#include "engine/base/codec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool failed; /* the task of the last response was not passed */

static void indent(int depth)
{
    printf("%*s", 2 + 4 * depth, "");
}

/* A change by its name, a thing of the state or a call by what it has for one. */
static void print_thing(const struct json *thing, int depth, const char *word)
{
    static const char *const members[] = {"change", "name", "method", "target", "id", "title"};
    indent(depth);
    printf("    %s:", word);
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        if (json_get(thing, members[i]))
            show_member(" ", thing, members[i]);
    putchar('\n');
}

static void print_near(const struct json *near, int depth)
{
    const struct json *differs = show_list(near, "differs");
    print_thing(near, depth, "near");
    for (uint32_t i = 0; differs && i < differs->n; i++) {
        const struct json *one = &differs->items[i];
        indent(depth);
        show_member("      ", one, "field");
        if (json_get(one, "why")) {
            show_member(": ", one, "why");
            putchar('\n');
            continue;
        }
        printf(": expected ");
        show_value(json_get(one, "expected"));
        printf(", found ");
        show_value(json_get(one, "found"));
        putchar('\n');
    }
}

static void print_part(const struct json *part, int depth)
{
    const struct json *near = show_list(part, "near"), *line = json_get(part, "line"),
                      *matched = show_list(part, "matched"), *inner = show_list(part, "inner");
    bool passed = json_get_true(part, "passed");
    indent(depth);
    printf("%s  %s", passed ? "ok    " : "FAILED", show_text(part, "assertion"));
    if (line && line->type == JSON_NUMBER)
        printf(" (line %.*s)", (int)line->n, line->str);
    printf("  %s", show_text(part, "kind"));
    if (json_get(part, "entity"))
        printf(" %s", show_text(part, "entity"));
    if (json_get(part, "description")) {
        printf("  ");
        show_value(json_get(part, "description"));
    }
    putchar('\n');
    if (!passed && json_get(part, "why")) {
        indent(depth);
        printf("    ");
        show_value(json_get(part, "why"));
        putchar('\n');
    }
    for (uint32_t i = 0; near && i < near->n; i++)
        print_near(&near->items[i], depth);
    for (uint32_t i = 0; matched && i < matched->n; i++)
        print_thing(&matched->items[i], depth, "matches");
    for (uint32_t i = 0; inner && i < inner->n; i++)
        print_part(&inner->items[i], depth + 1);
}

/* The entry of the journal, and the method. */
static void print_call(const char *word, const struct json *call)
{
    printf("%s call ", word);
    show_value(json_get(call, "seq"));
    if (json_get(call, "method"))
        show_member(" ", call, "method");
}

static void print_result(const struct json *r)
{
    const struct json *parts = show_list(r, "parts"), *unexpected = show_list(r, "unexpected"),
                      *calls = show_list(r, "unexpected_calls"), *reward = json_get(r, "reward");
    bool passed = json_get_true(r, "passed");
    failed |= !passed;
    printf("%s %s: %s, reward ", show_text(r, "suite"), show_text(r, "task"),
           passed ? "passed" : "not passed");
    show_value(reward);
    putchar('\n');
    if (json_get(r, "reason")) {
        const struct json *failures = show_list(r, "failures");
        printf("  %s: ", show_text(r, "reason"));
        if (failures && failures->n)
            show_value(&failures->items[0]);
        putchar('\n');
    }
    for (uint32_t i = 0; parts && i < parts->n; i++)
        print_part(&parts->items[i], 0);
    for (uint32_t i = 0; unexpected && i < unexpected->n; i++) {
        const struct json *c = &unexpected->items[i];
        printf("  unexpected: %s ", show_text(c, "change"));
        show_value(json_get(c, json_get(c, "name") ? "name" : "entity"));
        if (json_get(c, "title")) {
            printf("  ");
            show_value(json_get(c, "title"));
        }
        if (json_get(c, "seq"))
            print_call(" by", c);
        putchar('\n');
    }
    for (uint32_t i = 0; calls && i < calls->n; i++) {
        printf("  unexpected:");
        print_call("", &calls->items[i]);
        show_member("  ", &calls->items[i], "target");
        putchar('\n');
    }
}

static void show_results(const struct json *answer)
{
    const struct json *list = show_list(answer, "results");
    for (uint32_t i = 0; list && i < list->n; i++)
        print_result(&list->items[i]);
}

/* With --json the exit code has to be found as well. */
static int answer_of(struct client *c, struct buf *text)
{
    const struct json *answer, *list;
    struct arena a;
    arena_init(&a, 0);
    int rc = client_read(c, &a, text, &answer);
    list = rc == 0 ? show_list(answer, "results") : NULL;
    for (uint32_t i = 0; list && i < list->n; i++)
        failed |= !json_get_true(&list->items[i], "passed");
    if (rc == 0 && c->json)
        fwrite(text->data, 1, text->len, stdout);
    else if (rc == 0)
        show_results(answer);
    arena_done(&a);
    return rc ? rc : failed ? EXIT_REFUSED : EXIT_OK;
}

/* What was said, and what others made of it. */
struct said {
    const char *answer, *answer_file, *judgements_file;
};

static int write_said(const struct said *s, struct json_writer *w)
{
    const char *const files[] = {s->answer_file, s->judgements_file};
    json_str_opt(w, "answer", s->answer);
    for (size_t i = 0; i < SOSIA_LEN(files); i++) {
        const struct json *v;
        struct sosia_err err;
        struct arena a;
        struct buf text;
        if (!files[i])
            continue;
        buf_init(&text, 0);
        arena_init(&a, 0);
        int rc = read_text(files[i], &text);
        if (rc == 0 && i == 0) {
            json_strn(w, "answer", buf_str(&text), text.len);
        } else if (rc == 0 && (rc = json_parse(&a, buf_str(&text), text.len, NULL, &v, &err)) < 0) {
            fprintf(stderr, "sosia: %s: must be JSON: %s\n", files[i], err.text);
        } else if (rc == 0) {
            json_value(w, "judgements", v);
        }
        arena_done(&a);
        buf_done(&text);
        if (rc < 0)
            return -1;
    }
    return 0;
}

static int grade_world(struct client *c, const char *file, const char *task, const char *from,
                       const struct said *said, const char *world)
{
    struct buf suite, body, text;
    struct json_writer w;
    char name[DOCUMENT_NAME_MAX + 1];
    int rc = EXIT_REFUSED;
    buf_init(&suite, 0);
    buf_init(&body, 0);
    buf_init(&text, 0);
    if (read_text(file, &suite) == 0) {
        json_init(&w, &body, false, NULL);
        json_obj(&w, NULL);
        json_strn(&w, "suite", suite.data ? suite.data : "", suite.len);
        json_str(&w, "suite_name", document_name(file, name));
        json_str_opt(&w, "task", task);
        json_str_opt(&w, "from", from);
        int good = write_said(said, &w);
        json_arr(&w, "worlds");
        json_str(&w, NULL, world);
        json_end(&w);
        json_end(&w);
        rc = buf_failed(&body) || good < 0
                 ? EXIT_REFUSED
                 : client_call(c, "POST", "/worlds/grade", body.data, body.len, &text);
        if (buf_failed(&body))
            fprintf(stderr, "sosia: %s: must fit into a request of 1 GiB, does not\n", file);
        if (rc == 0)
            rc = answer_of(c, &text);
    }
    buf_done(&suite);
    buf_done(&body);
    buf_done(&text);
    return rc;
}

/* A diff's own messages name it so. */
#define DIFF_NAME "diff:"

/* A diff in a file, without a server. */
static int grade_rows(struct client *c, const char *file, const char *task, const char *rows)
{
    struct sosia_suite *suite = NULL;
    struct sosia_blob blob;
    struct sosia_err err;
    struct buf doc, diff, text;
    char name[DOCUMENT_NAME_MAX + 1];
    int rc = EXIT_REFUSED;
    buf_init(&doc, 0);
    buf_init(&diff, 0);
    buf_init(&text, 0);
    if (read_file(file, &doc) == 0 && read_file(rows, &diff) == 0) {
        if (sosia_suite_open_rows(doc.data ? doc.data : "", doc.len, document_name(file, name),
                                  &suite, &err) < 0 ||
            sosia_grade_rows(suite, task, diff.data ? diff.data : "", diff.len, &blob, &err) < 0) {
            bool of_rows = suite && str_starts(err.text, DIFF_NAME);
            fprintf(stderr, "sosia: %s%s\n", of_rows ? document_name(rows, name) : "",
                    err.text + (of_rows ? sizeof DIFF_NAME - 2 : 0));
        } else {
            buf_puts(&text, "{\"results\":[");
            buf_add(&text, blob.data, blob.len);
            buf_puts(&text, "]}");
            rc = answer_of(c, &text);
            sosia_blob_free(&blob);
        }
    }
    sosia_suite_close(suite);
    buf_done(&doc);
    buf_done(&diff);
    buf_done(&text);
    return rc;
}

static int run_grade(const struct command *self, int argc, char **argv)
{
    struct client c = {0};
    const char *task = NULL, *from = NULL, *rows_file = NULL;
    struct said said = {0};
    const struct option_row rows[] = {
        {"task", "ID", "of the suite's tasks (default: the only one)", .text = &task},
        {"from", "WORLD", "the state before (default: what the world resets to)", .text = &from},
        {"answer", "TEXT", "what the agent said at the end", .text = &said.answer},
        {"answer-file", "FILE", "the same, of a file", .text = &said.answer_file},
        {"judgements", "FILE", "what others judged, by name: a JSON object",
         .text = &said.judgements_file},
        {"rows", "FILE", "judge this diff {inserts, updates, deletes} in the place of a world",
         .text = &rows_file},
        WORLD_OPTION(&c),
        CLIENT_OPTIONS(&c),
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n < 1 || n > 2 || (rows_file && n != 1))
        return usage(self, "the arguments must be a suite's file and, without --rows, a world");
    if (said.answer && said.answer_file)
        return usage(self, "an answer must be given once, is given twice");
    if (rows_file && (said.answer || said.answer_file || said.judgements_file))
        return usage(self,
                     "an answer and judgements must be of a world, with --rows there is none");
    if (rows_file)
        return grade_rows(&c, argv[1], task, rows_file);
    if (client_world(&c, self, n == 2 ? argv[2] : NULL) < 0)
        return EXIT_USAGE;
    const char *world = c.world ? c.world : getenv("SOSIA_WORLD");
    if (!world || !*world)
        return usage(self, "a world must be named, none is");
    int rc = grade_world(&c, argv[1], task, from, &said, world);
    client_close(&c);
    return rc;
}

const struct command grade_command = {
    "grade", "SUITE [WORLD]", "judge what was done in a world by a task's assertions",
    "The exit code is 0 if the task was passed, else 1. Example:\n"
    "  sosia grade suites/office.yaml --task move-budget try-1",
    run_grade};

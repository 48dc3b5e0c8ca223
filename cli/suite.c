/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia suite`: the content of a suite, and whether it is sound; in process, without a server. */
#include "cli/cli.h"
#include "cli/origin.h"
#include "cli/import/import.h"
#include "grading/lint.h"
#include "sandbox/runner.h"
#include "grading/suite.h"
#include <stdio.h>
#include <string.h>

struct bases {
    struct sosia_engine *engine;
    struct arena arena;
    struct {
        const char *name;
        uint64_t world;
    } made[16];
    size_t n;
};

static int make_fixture(void *arg, const char *name, uint64_t *ret_world, struct sosia_err *err)
{
    struct bases *b = arg;
    struct fixture f;
    for (size_t i = 0; i < b->n; i++) {
        if (strcmp(b->made[i].name, name) == 0) {
            *ret_world = b->made[i].world;
            return 0;
        }
    }
    if (fixture_load(&b->arena, NULL, name, &f, err) < 0)
        return -1;
    const struct sosia_world_options opt = {
        .seed_doc = f.text, .seed_doc_len = f.len, .seed_doc_name = f.file};
    if (sosia_world_create(b->engine, &opt, ret_world, err) < 0) {
        origins_mend(f.origins, err);
        return -1;
    }
    if (b->n < SOSIA_LEN(b->made)) {
        b->made[b->n].name = name;
        b->made[b->n++].world = *ret_world;
    }
    return 0;
}

static void print_number(const struct json *v)
{
    if (v && v->type == JSON_NUMBER)
        printf("%.*s", (int)v->n, v->str);
    else
        putchar('-');
}

static void print_task(const struct json *t)
{
    const struct json *survivors = show_list(t, "survivors"), *never = show_list(t, "never_fail"),
                      *failures = show_list(t, "failures"),
                      *unexpected = show_list(t, "unexpected"),
                      *calls = show_list(t, "unexpected_calls");
    printf("%-20s empty ", show_text(t, "task"));
    print_number(json_get(t, "empty"));
    printf("  reference ");
    print_number(json_get(t, "reference"));
    printf("  mutants ");
    print_number(json_get(t, "killed"));
    putchar('/');
    print_number(json_get(t, "mutants"));
    putchar('\n');
    for (uint32_t i = 0; failures && i < failures->n; i++)
        printf("    the reference fails: %s\n", failures->items[i].str);
    for (uint32_t i = 0; unexpected && i < unexpected->n; i++) {
        const struct json *c = &unexpected->items[i];
        printf("    the reference does what nobody expects: %s %s", show_text(c, "change"),
               show_text(c, json_get(c, "name") ? "name" : "entity"));
        if (json_get(c, "method"))
            printf(" by %s", show_text(c, "method"));
        putchar('\n');
    }
    for (uint32_t i = 0; calls && i < calls->n; i++)
        printf("    the reference does what nobody expects: %s %s\n",
               show_text(&calls->items[i], "method"), show_text(&calls->items[i], "target"));
    for (uint32_t i = 0; survivors && i < survivors->n; i++) {
        const struct json *s = &survivors->items[i];
        printf("    survives: %s", show_text(s, "mutation"));
        if (json_get(s, "value"))
            printf(" of %s", show_text(s, "value"));
        if (json_get(s, "line")) {
            printf(" in line ");
            print_number(json_get(s, "line"));
        }
        putchar('\n');
    }
    for (uint32_t i = 0; never && i < never->n; i++)
        printf("    never fails: %s\n", never->items[i].str);
}

static int print_lint(const struct sosia_blob *blob, bool as_json)
{
    const struct json *v, *tasks;
    struct sosia_err err;
    struct arena a;
    if (as_json) {
        fwrite(blob->data, 1, blob->len, stdout);
        return 0;
    }
    arena_init(&a, 0);
    if (json_parse(&a, blob->data, blob->len, NULL, &v, &err) == 0) {
        tasks = show_list(v, "tasks");
        for (uint32_t i = 0; tasks && i < tasks->n; i++)
            print_task(&tasks->items[i]);
        printf("mutants that are not passed: ");
        print_number(json_get(v, "killed"));
        printf(" of ");
        print_number(json_get(v, "mutants"));
        putchar('\n');
    }
    arena_done(&a);
    return 0;
}

static int lint(const struct sosia_suite *suite, const char *task, bool as_json,
                struct sosia_err *err)
{
    struct bases bases = {0};
    const struct lint_options opt = {.fixture = make_fixture, .arg = &bases, .task = task};
    struct sosia_blob blob;
    bool good = false;
    if (sosia_engine_open(NULL, &bases.engine, err) < 0)
        return -1;
    arena_init(&bases.arena, 0);
    struct runner *runner = NULL; /* of programs that judge; it begins where one is there */
    int rc = runner_open(bases.engine, own_program(), NULL, &runner, err);
    if (rc == 0)
        rc = suite_lint(bases.engine, suite, &opt, &blob, &good, err);
    if (rc == 0) {
        print_lint(&blob, as_json);
        sosia_blob_free(&blob);
    }
    arena_done(&bases.arena);
    runner_close(runner);
    sosia_engine_close(bases.engine);
    return rc < 0 ? -1 : good ? EXIT_OK : EXIT_REFUSED;
}

static int list(const struct sosia_suite *suite, bool reference, struct sosia_err *err)
{
    struct sosia_blob blob;
    if (suite_list(suite, reference, &blob, err) < 0)
        return -1;
    fwrite(blob.data, 1, blob.len, stdout);
    sosia_blob_free(&blob);
    return EXIT_OK;
}

static int run_import(struct suite_import *opt, const char *output)
{
    struct buf suite, seed;
    struct sosia_err err;
    int rc = EXIT_REFUSED;
    buf_init(&suite, 0);
    buf_init(&seed, 0);
    if (read_text(opt->suite_file, &suite) == 0 &&
        (!opt->seed_file || read_text(opt->seed_file, &seed) == 0)) {
        opt->suite = buf_str(&suite);
        opt->seed = opt->seed_file ? buf_str(&seed) : NULL;
        int r = suite_import(opt, output, &err);
        if (r < 0)
            fprintf(stderr, "sosia: %s\n", err.text);
        rc = r ? EXIT_REFUSED : EXIT_OK;
    }
    buf_done(&suite);
    buf_done(&seed);
    return rc;
}

static int run_suite(const struct command *self, int argc, char **argv)
{
    const char *task = NULL, *output = NULL;
    struct suite_import import = {0};
    bool as_json = false, reference = false;
    const struct option_row rows[] = {
        {"task", "ID", "lint: this one alone", .text = &task},
        {"json", NULL, "lint: print JSON", .flag = &as_json},
        {"seed", "FILE", "import: the tables that its world is made of", .text = &import.seed_file},
        {"time", "TIME", "import: what the clock shows at first (default: a minute after the seed)",
         .text = &import.time},
        {"output", "FILE", "import: where it goes (default: standard output)", .text = &output},
        {"reference", NULL, "list: with the reference actions", .flag = &reference},
    };
    struct sosia_suite *suite = NULL;
    struct sosia_err err = {0};
    char name[DOCUMENT_NAME_MAX + 1];
    struct buf text;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n == 2 && strcmp(argv[1], "import") == 0) {
        import.suite_file = argv[2];
        return run_import(&import, output);
    }
    if (n != 2 || (strcmp(argv[1], "lint") != 0 && strcmp(argv[1], "list") != 0))
        return usage(self, "the arguments must be lint, list or import, and a suite's file");
    buf_init(&text, 0);
    if (read_file(argv[2], &text) < 0) {
        buf_done(&text);
        return EXIT_REFUSED;
    }
    int rc = sosia_suite_open(text.data ? text.data : "", text.len, document_name(argv[2], name),
                              &suite, &err);
    if (rc == 0 && task && !suite_task(suite, task))
        rc = sosia_fail(&err, SOSIA_E_NOT_FOUND, "taskNotFound", "task",
                        "%s: the task must be one of the suite's, not \"%.60s\"", name, task);
    if (rc == 0)
        rc = argv[1][2] == 'n' ? lint(suite, task, as_json, &err) : list(suite, reference, &err);
    if (rc < 0) {
        fprintf(stderr, "sosia: %s\n", err.text);
        rc = EXIT_REFUSED;
    }
    sosia_suite_close(suite);
    buf_done(&text);
    return rc;
}

const struct command suite_command = {
    "suite", "lint|list|import FILE", "list or lint a task suite, or import one",
    "lint plays the empty agent, the reference actions and mutants of them. Its exit code is 0 if "
    "the first earns 0 in every task (1 where nothing is to be done), the second 1, no assertion "
    "holds whatever is done, and of "
    "the mutants at least 95 in 100 are not passed. import makes a suite of version 0.1 of one "
    "about tables, with the world that it asks for in "
    "it. Examples:\n  sosia suite lint suites/office.yaml\n  sosia suite import bench.json --seed "
    "tables.json --output mine.json",
    run_suite};

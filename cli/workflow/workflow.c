/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia workflow`: whether a workflow may be promoted, whether it has become worse since, and its
 * policy in another language. */
#include "cli/workflow/workflow.h"
#include "cli/cli.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_PARTIAL = 3 }; /* a policy that its text does not say as a whole */

struct asked {
    struct driver driver;
    const char *seconds, *against, *output, *tolerance;
    bool json, partial;
    const char *file;
    void *local; /* the server that a command speaks to; NULL: none */
};

static int complain(const struct sosia_err *err)
{
    fprintf(stderr, "sosia: %s\n", err->text);
    return EXIT_REFUSED;
}

/* ---- reading ---- */

/* Paths in a workflow are from where it is. */
static const char *beside(struct arena *a, const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    return *path == '/' || !slash ? path
                                  : arena_printf(a, "%.*s/%s", (int)(slash - file), file, path);
}

static int read_part(void *arg, struct arena *a, const char *path, const char **ret_text,
                     size_t *ret_len, struct sosia_err *err)
{
    const struct asked *x = arg;
    struct buf b;
    buf_init(&b, 0);
    int rc = read_file(beside(a, x->file, path), &b);
    *ret_len = b.len;
    *ret_text = rc == 0 ? arena_memdup(a, buf_str(&b), b.len) : NULL;
    buf_done(&b);
    return rc < 0
               ? sosia_fail(err, SOSIA_E_INVALID, "workflow", NULL,
                            "%s: must name files that can be read, not \"%.200s\"", x->file, path)
               : 0;
}

static int open_workflow(struct asked *x, struct workflow **ret, struct sosia_err *err)
{
    char name[DOCUMENT_NAME_MAX + 1];
    struct buf text;
    buf_init(&text, 0);
    int rc = read_file(x->file, &text);
    if (rc < 0)
        sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s: can't be read", x->file);
    else
        rc = workflow_read(x->driver.engine, buf_str(&text), text.len, document_name(x->file, name),
                           read_part, x, ret, err);
    buf_done(&text);
    return rc;
}

/* An engine, and for a command a server around it. */
static int open_engine(struct asked *x, struct sosia_err *err)
{
    const char *key;
    if (!x->driver.command)
        return sosia_engine_open(NULL, &x->driver.engine, err);
    if (local_server_start(NULL, &x->local, &x->driver.url, &key, err) < 0)
        return -1;
    x->driver.engine = local_server_engine(x->local);
    return 0;
}

static void close_engine(struct asked *x)
{
    if (x->local)
        local_server_stop(x->local);
    else
        sosia_engine_close(x->driver.engine);
}

/* ---- evidence for people ---- */

static void show_item(const struct json *item)
{
    const struct json *failed = show_list(item, "failed");
    bool passed = json_get_true(item, "passed");
    printf("%s  %s", passed ? "ok    " : "FAILED", show_text(item, "item"));
    if (json_get(item, "runs"))
        printf("  %lld of %lld runs", (long long)json_get_int(item, "passed_runs", 0),
               (long long)json_get_int(item, "runs", 0));
    if (json_get(item, "to"))
        show_member("  to ", item, "to");
    if (json_get(item, "why"))
        show_member("  ", item, "why");
    putchar('\n');
    for (uint32_t i = 0; failed && i < failed->n; i++) {
        printf("          ");
        show_value(&failed->items[i]);
        putchar('\n');
    }
}

static void show_run(const struct json *run)
{
    const struct json *stopped = show_list(run, "stopped");
    printf("%s  ", json_get_true(run, "passed") ? "ok    " : "FAILED");
    show_name(show_text(run, "run"));
    printf("  %lld calls", (long long)json_get_int(run, "calls", 0));
    if (json_get_true(run, "unchanged"))
        printf(", nothing changed");
    printf("  journal %.12s", show_text(run, "journal"));
    if (json_get(run, "why"))
        show_member("  ", run, "why");
    putchar('\n');
    for (uint32_t i = 0; stopped && i < stopped->n; i++) {
        const struct json *one = &stopped->items[i];
        printf("        call %lld", (long long)json_get_int(one, "seq", 0));
        show_member(" ", one, "method");
        show_member(": ", one, json_get(one, "stop") ? "stop" : "decision");
        if (json_get(one, "rule"))
            show_member(" by ", one, "rule");
        if (json_get(one, "why"))
            show_member(", ", one, "why");
        putchar('\n');
    }
}

static void show_evidence(const struct json *e)
{
    const struct json *items = show_list(e, "checklist"), *runs = show_list(e, "runs"),
                      *figures = json_get(e, "figures"), *hashes = json_get(e, "hashes");
    show_name(show_text(e, "workflow"));
    show_member("  version ", e, "version");
    printf("  by %s\n", show_text(e, "driver"));
    for (uint32_t i = 0; items && i < items->n; i++)
        show_item(&items->items[i]);
    printf("\nruns\n");
    for (uint32_t i = 0; runs && i < runs->n; i++)
        show_run(&runs->items[i]);
    printf("\nfigures\n");
    for (uint32_t i = 0; figures && figures->type == JSON_OBJECT && i < figures->n; i++) {
        printf("  %-24s ", figures->members[i].key);
        show_value(&figures->members[i].value);
        putchar('\n');
    }
    printf("\nhashes\n");
    for (uint32_t i = 0; hashes && hashes->type == JSON_OBJECT && i < hashes->n; i++) {
        printf("  %-24s ", hashes->members[i].key);
        show_value(&hashes->members[i].value);
        putchar('\n');
    }
    printf("\n%s\n", json_get_true(e, "passed") ? "may be promoted" : "may not be promoted");
}

static void show_comparison(const struct json *c)
{
    const struct json *list = show_list(c, "regressions"), *others = show_list(c, "differences");
    show_name(show_text(c, "workflow"));
    show_member("  version ", c, "version");
    show_member(" against ", c, "promoted");
    putchar('\n');
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *one = &list->items[i];
        const char *of = json_get(one, "item") ? "item" : json_get(one, "run") ? "run" : "figure";
        printf("worse  %s ", of);
        show_name(show_text(one, of));
        show_member("  ", one, "how");
        putchar('\n');
    }
    for (uint32_t i = 0; others && i < others->n; i++) {
        printf("other  ");
        show_value(&others->items[i]);
        putchar('\n');
    }
    printf("%s\n", json_get_true(c, "passed") ? "no regressions" : "regressions");
}

static int print(const struct sosia_blob *blob, bool as_json, void (*show)(const struct json *v))
{
    struct sosia_err err;
    const struct json *v;
    struct arena a;
    arena_init(&a, 0);
    if (as_json || json_parse(&a, blob->data, blob->len, NULL, &v, &err) < 0)
        fwrite(blob->data, 1, blob->len, stdout);
    else
        show(v);
    arena_done(&a);
    return EXIT_OK;
}

/* ---- what is done ---- */

static int run_all(struct asked *x, struct sosia_blob *ret, bool *ret_good, struct sosia_err *err)
{
    const struct driver *d = &x->driver;
    const struct workflow_options opt = {.fixture = driver_fixture,
                                         .drive = d->command ? drive_command
                                                  : d->runs  ? drive_recorded
                                                             : NULL,
                                         .keep = driver_keep,
                                         .arg = &x->driver,
                                         .driver = d->command ? "command"
                                                   : d->runs  ? "recorded"
                                                              : "reference"};
    struct workflow *w = NULL;
    int rc = open_engine(x, err);
    if (rc == 0)
        rc = open_workflow(x, &w, err);
    if (rc == 0)
        rc = workflow_check(x->driver.engine, w, &opt, ret, ret_good, err);
    workflow_free(w);
    close_engine(x);
    return rc;
}

/* Where the evidence of the promoted version is: beside the workflow, NAME.promoted.json. */
static const char *promoted_file(struct asked *x)
{
    const char *slash = strrchr(x->file, '/'), *dot = strrchr(x->file, '.');
    int n = dot && dot > (slash ? slash : x->file) ? (int)(dot - x->file) : (int)strlen(x->file);
    return x->against ? x->against
                      : arena_printf(&x->driver.arena, "%.*s.promoted.json", n, x->file);
}

static int write_blob(const char *file, const struct sosia_blob *blob)
{
    struct buf b;
    buf_init(&b, 0);
    buf_add(&b, blob->data, blob->len);
    int rc = write_file(file, &b);
    buf_done(&b);
    return rc < 0 ? EXIT_REFUSED : EXIT_OK;
}

static int check(struct asked *x, bool promote)
{
    struct sosia_blob blob;
    struct sosia_err err = {0};
    bool good;
    if (run_all(x, &blob, &good, &err) < 0)
        return complain(&err);
    print(&blob, x->json, show_evidence);
    int rc = x->output ? write_blob(x->output, &blob) : EXIT_OK;
    if (rc == EXIT_OK && promote && good)
        rc = write_blob(promoted_file(x), &blob);
    else if (promote && !good)
        fprintf(stderr, "sosia: %s: must pass its checklist to be promoted, does not\n", x->file);
    sosia_blob_free(&blob);
    return rc ? rc : good ? EXIT_OK : EXIT_REFUSED;
}

static int compare(struct asked *x)
{
    struct sosia_blob now = {0}, comparison = {0};
    struct sosia_err err = {0};
    struct buf before;
    double tolerance = 0.1;
    bool good = false;
    char *end;
    if (x->tolerance) {
        tolerance = strtod(x->tolerance, &end) / 100;
        if (end == x->tolerance || *end || !isfinite(tolerance) || tolerance < 0) {
            fprintf(stderr, "sosia: --tolerance must be a number of per cent, not \"%s\"\n",
                    x->tolerance);
            return EXIT_USAGE;
        }
    }
    buf_init(&before, 0);
    int rc = read_file(promoted_file(x), &before);
    if (rc < 0) {
        buf_done(&before);
        return EXIT_REFUSED;
    }
    rc = run_all(x, &now, &good, &err);
    if (rc == 0 && x->output)
        write_blob(x->output, &now);
    if (rc == 0)
        rc = workflow_compare(buf_str(&before), before.len, now.data, now.len, tolerance,
                              &comparison, &good, &err);
    if (rc == 0)
        print(&comparison, x->json, show_comparison);
    sosia_blob_free(&now);
    sosia_blob_free(&comparison);
    buf_done(&before);
    return rc < 0 ? complain(&err) : good ? EXIT_OK : EXIT_REFUSED;
}

static int export(struct asked *x)
{
    struct workflow *w = NULL;
    struct sosia_err err = {0};
    struct buf text, left;
    size_t n = 0;
    buf_init(&text, 0);
    buf_init(&left, 0);
    int rc = open_engine(x, &err);
    if (rc == 0)
        rc = open_workflow(x, &w, &err);
    if (rc == 0)
        rc = policy_cedar(w->policy, &text, &left, &n, &err);
    workflow_free(w);
    close_engine(x);
    if (rc == 0 && n)
        fprintf(stderr, "sosia: Cedar has nothing for:\n%s", buf_str(&left));
    int code = rc < 0 ? complain(&err) : n && !x->partial ? EXIT_PARTIAL : EXIT_OK;
    if (code == EXIT_OK)
        code = write_file(x->output ? x->output : "-", &text) < 0 ? EXIT_REFUSED : EXIT_OK;
    buf_done(&text);
    buf_done(&left);
    return code;
}

static int dispatch(const struct command *self, struct asked *x, const char *what)
{
    if (strcmp(what, "check") == 0 || strcmp(what, "promote") == 0)
        return check(x, *what == 'p');
    if (strcmp(what, "compare") == 0)
        return compare(x);
    if (strcmp(what, "export") == 0)
        return export(x);
    return usage(self, "the first argument must be check, promote, compare or export");
}

static int run(const struct command *self, int argc, char **argv)
{
    struct asked x = {.driver = {.most_s = 60}};
    const struct option_row rows[] = {
        {"command", "SHELL",
         "an agent in the place of the reference actions: a line for /bin/sh, with SOSIA_URL, "
         "SOSIA_TOKEN, SOSIA_ACTOR, SOSIA_PROMPT and SOSIA_RUN; its output is its answer",
         .text = &x.driver.command},
        {"seconds", "N", "that the command may take for a run (default 60)", .text = &x.seconds},
        {"record", "DIR", "write a recording of each run there", .text = &x.driver.record},
        {"runs", "DIR", "make the calls of such recordings", .text = &x.driver.runs},
        {"against", "FILE",
         "compare, promote: the evidence of the promoted version (default: the workflow's name "
         "with .promoted.json)",
         .text = &x.against},
        {"tolerance", "PERCENT",
         "compare: by how much calls, retries, approvals and cost may be more (default 10)",
         .text = &x.tolerance},
        {"partial", NULL, "export: also what Cedar can't say as a whole; it is refused there",
         .flag = &x.partial},
        {"output", "FILE", "the evidence, or the exported text, goes there too, or instead",
         .text = &x.output},
        {"json", NULL, "print JSON", .flag = &x.json},
    };
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n != 2)
        return usage(self, "the arguments must be check, promote, compare or export, and a "
                           "workflow's file");
    if (x.driver.command && x.driver.runs)
        return usage(self, "--command and --runs must not be given both, are");
    if (x.seconds && option_int("seconds", x.seconds, 1, 86400, &x.driver.most_s) < 0)
        return EXIT_USAGE;
    x.file = argv[2];
    arena_init(&x.driver.arena, 0);
    int rc = dispatch(self, &x, argv[1]);
    arena_done(&x.driver.arena);
    return rc;
}

const struct command workflow_command = {
    "workflow", "check|promote|compare|export FILE",
    "what a workflow is promoted by: its runs, figures and hashes",
    "check runs the workflow's tasks by kinds, with its policy and budget, and prints the "
    "checklist with its evidence; its exit code is 0 if all of it holds, else 1. promote does so "
    "and keeps the evidence; compare holds a new check against that, and its exit code is 1 where "
    "something has become worse. export prints the policy in the Cedar language; what that can't "
    "say is listed, and without --partial the exit code is 3 and nothing is printed. "
    "Examples:\n  sosia workflow check workflow.yaml\n  sosia workflow check workflow.yaml "
    "--command 'python3 agent.py'\n  sosia workflow compare workflow.yaml",
    run};

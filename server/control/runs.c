/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attempts at tasks that a loop has kept (docs/loops.md): a directory of the operator's with a
 * folder for each, which are read anew for each request. Nothing else of the disk is: names of
 * folders and files are single steps, and symbolic links are not followed.
 */
#include "console/report.h"
#include "server/control/kept.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_RUNS  20000      /* folders that are looked at */
#define MOST_BYTES (64 << 20) /* of a file */
#define MOST_KINDS 50         /* of failures of an attempt */
#define LIST_BYTES (1 << 20)  /* of a file of a run in a list, which says no more than its head */

struct run_name {
    char *name;
    int64_t changed_s;
};
struct run_names {
    struct run_name *list;
    size_t n, room;
};

/* ---- files ---- */

static int open_dir(struct control_call *c)
{
    const char *dir = c->control->options.runs;
    if (!dir)
        return sosia_fail(&c->err, SOSIA_E_NOT_FOUND, "noRuns", NULL,
                          "the server shows no runs: `sosia serve --runs DIR` does");
    return control_kept_open(c, dir);
}

static int open_run(struct control_call *c, const char *id)
{
    int dir = open_dir(c);
    if (dir < 0)
        return -1;
    int fd = control_kept_name(id)
                 ? openat(dir, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                 : -1;
    close(dir);
    return fd >= 0 ? fd
                   : sosia_fail(&c->err, SOSIA_E_NOT_FOUND, "runNotFound", "run",
                                "run must be the id of a run, not \"%.80s\"", id);
}

/* ---- the list ---- */

static int newest_first(const void *a, const void *b)
{
    const struct run_name *x = a, *y = b;
    return x->changed_s != y->changed_s ? (x->changed_s < y->changed_s ? 1 : -1)
                                        : strcmp(x->name, y->name);
}

static void take_name(struct control_call *c, int dir, const char *name, struct run_names *names)
{
    struct stat st;
    if (!control_kept_name(name) || names->n == MOST_RUNS ||
        fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
        return;
    struct run_name *more =
        arena_grow(&c->arena, names->list, names->n, &names->room, sizeof *more);
    if (!more)
        return;
    names->list = more;
    more[names->n++] = (struct run_name){arena_strdup(&c->arena, name), st.st_mtime};
}

static int read_names(struct control_call *c, struct run_names *ret)
{
    int fd = open_dir(c);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir && fd >= 0)
        close(fd);
    if (!dir)
        return fd < 0 ? -1 : sosia_fail_memory(&c->err);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        take_name(c, dirfd(dir), e->d_name, ret);
    closedir(dir);
    if (arena_failed(&c->arena))
        return sosia_fail_memory(&c->err);
    if (ret->n)
        qsort(ret->list, ret->n, sizeof *ret->list, newest_first);
    return 0;
}

/* What a loop counted of an attempt: a number that is there and can be one. */
static void write_figure(struct json_writer *w, const struct json *attempt, const char *name)
{
    const struct json *v = json_get(attempt, name);
    if (v && v->type == JSON_NUMBER)
        json_value(w, name, v);
}

static void write_attempt(struct json_writer *w, const struct json *attempt)
{
    static const char *const figures[] = {"calls", "refused", "cost", "tokens", "seconds"};
    const struct json *kinds = json_get(attempt, "kinds");
    json_str_opt(w, "version", control_kept_str(attempt, "version"));
    for (size_t i = 0; i < SOSIA_LEN(figures); i++)
        write_figure(w, attempt, figures[i]);
    if (!kinds || kinds->type != JSON_ARRAY)
        return;
    json_arr(w, "kinds");
    for (uint32_t i = 0; i < kinds->n && i < MOST_KINDS; i++)
        if (kinds->items[i].type == JSON_STRING && kinds->items[i].n <= KEPT_NAME_MAX)
            json_value(w, NULL, &kinds->items[i]);
    json_end(w);
}

static void write_head(struct json_writer *w, const char *id, int64_t changed_s,
                       const struct json *task, const struct json *verdict,
                       const struct json *attempt)
{
    json_str(w, "id", id);
    json_time(w, "at", changed_s * 1000000, JSON_TIME_S_Z);
    json_str_opt(w, "suite", control_kept_str(task, "suite"));
    json_str_opt(w, "task", control_kept_str(task, "task"));
    const struct json *passed = json_get(verdict, "passed"), *reward = json_get(verdict, "reward");
    if (passed && (passed->type == JSON_BOOL || passed->type == JSON_NULL))
        json_value(w, "passed", passed);
    if (reward && (reward->type == JSON_NUMBER || reward->type == JSON_NULL))
        json_value(w, "reward", reward);
    write_attempt(w, attempt);
}

/* The list goes on without what can't be read of a run: what is wrong with it is said by itself. */
static int read_head(struct control_call *c, struct arena *a, int run, const char *name,
                     const struct json **ret)
{
    if (control_kept_json(c, a, run, name, LIST_BYTES, "run", ret) == 0)
        return 0;
    if (c->err.code != SOSIA_E_TOO_LARGE && c->err.code != SOSIA_E_IO)
        return -1;
    c->err = (struct sosia_err){0};
    return 0;
}

static int write_run(struct control_call *c, const struct run_name *at, struct json_writer *w)
{
    const struct json *task, *verdict, *attempt;
    struct arena a; /* of this run alone */
    int run = open_run(c, at->name);
    if (run < 0)
        return 0; /* it is gone by now */
    arena_init(&a, 0);
    int rc = read_head(c, &a, run, "task.json", &task);
    if (rc == 0)
        rc = read_head(c, &a, run, "verdict.json", &verdict);
    if (rc == 0)
        rc = read_head(c, &a, run, "attempt.json", &attempt);
    close(run);
    if (rc == 0) {
        json_obj(w, NULL);
        write_head(w, at->name, at->changed_s, task, verdict, attempt);
        json_end(w);
    }
    arena_done(&a);
    return rc;
}

static int runs_list(struct call *call)
{
    struct control_call *c = control_of(call);
    struct run_names names = {0};
    size_t from = (size_t)control_number(c, "offset", 0),
           limit = (size_t)control_number(c, "limit", 100);
    struct json_writer w;
    struct buf b;
    if (read_names(c, &names) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_int(&w, "total", (int64_t)names.n);
    json_arr(&w, "runs");
    for (size_t i = from; i < names.n && i - from < limit; i++)
        if (write_run(c, &names.list[i], &w) < 0) {
            buf_done(&b);
            return -1;
        }
    json_end(&w);
    if (names.n > limit && from < names.n - limit)
        json_int(&w, "next", (int64_t)(from + limit));
    json_end(&w);
    return control_answer(c, 200, &b);
}

/* ---- one ---- */

struct run_read {
    const struct json *task, *verdict, *attempt, *diff;
    const char *output, *complaint, *journal;
    size_t output_len, complaint_len, journal_len;
    int64_t changed_s;
};

static int read_run(struct control_call *c, struct run_read *ret)
{
    struct stat st = {0};
    int run = open_run(c, control_text(c, "run"));
    if (run < 0)
        return -1;
    fstat(run, &st);
    ret->changed_s = st.st_mtime;
    int rc = control_kept_json(c, &c->arena, run, "task.json", MOST_BYTES, "run", &ret->task) < 0 ||
                     control_kept_json(c, &c->arena, run, "verdict.json", MOST_BYTES, "run",
                                       &ret->verdict) < 0 ||
                     control_kept_json(c, &c->arena, run, "attempt.json", MOST_BYTES, "run",
                                       &ret->attempt) < 0 ||
                     control_kept_json(c, &c->arena, run, "diff.json", MOST_BYTES, "run",
                                       &ret->diff) < 0 ||
                     control_kept_text(c, &c->arena, run, "output.txt", MOST_BYTES, "run",
                                       &ret->output, &ret->output_len) < 0 ||
                     control_kept_text(c, &c->arena, run, "complaint.txt", MOST_BYTES, "run",
                                       &ret->complaint, &ret->complaint_len) < 0 ||
                     control_kept_text(c, &c->arena, run, "journal.jsonl", MOST_BYTES, "run",
                                       &ret->journal, &ret->journal_len) < 0
                 ? -1
                 : 0;
    close(run);
    return rc;
}

/* Entries of an exported journal. */
static int64_t entries_of(struct control_call *c, const struct run_read *r)
{
    struct report lines = {0};
    struct sosia_err err;
    if (!r->journal || episode_lines(&c->arena, r->journal, r->journal_len, &lines, &err) < 0)
        return 0;
    return (int64_t)lines.n_calls + lines.calls_more;
}

static void write_text(struct json_writer *w, const char *name, const char *text, size_t len)
{
    if (text && len)
        json_strn(w, name, text, len);
}

static int runs_get(struct call *call)
{
    struct control_call *c = control_of(call);
    struct run_read r = {0};
    struct json_writer w;
    struct buf b;
    if (read_run(c, &r) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_head(&w, control_text(c, "run"), r.changed_s, r.task, r.verdict, r.attempt);
    json_int(&w, "entries", entries_of(c, &r));
    if (r.task)
        json_value(&w, "of", r.task);
    if (r.verdict)
        json_value(&w, "verdict", r.verdict);
    if (r.diff)
        json_value(&w, "diff", r.diff);
    write_text(&w, "output", r.output, r.output_len);
    write_text(&w, "complaint", r.complaint, r.complaint_len);
    json_end(&w);
    return control_answer(c, 200, &b);
}

/* What calls changed is not in the folder, and nothing runs again for it here: `sosia report
 * --kept` does that. */
static int runs_report(struct call *call)
{
    struct control_call *c = control_of(call);
    struct run_read read = {0};
    struct report r = {.title = "Report"};
    struct buf b;
    if (read_run(c, &read) < 0 ||
        (read.journal && episode_lines(&c->arena, read.journal, read.journal_len, &r, &c->err) < 0))
        return -1;
    r.task = read.task;
    r.verdict = read.verdict;
    r.diff = read.diff;
    r.output = read.output_len ? read.output : NULL;
    r.output_len = read.output_len;
    episode_fact(&r, "Run", control_text(c, "run"));
    episode_fact(&r, "Suite", json_get_str(read.task, "suite"));
    episode_fact(&r, "Task", json_get_str(read.task, "task"));
    buf_init(&b, 0);
    episode_write(&r, &b);
    if (buf_failed(&b)) {
        buf_done(&b);
        return sosia_fail_memory(&c->err);
    }
    server_answer_buf(c->response, 200, &b);
    c->response->content_type = "text/html; charset=UTF-8";
    return 0;
}

/* ---- rows ---- */

#define RUN                                                                                        \
    {                                                                                              \
        .name = "run", .type = PARAM_STRING, .place = IN_PATH, .required = true, .max = 255,       \
        .summary = "Its \"id\": the folder's name"                                                 \
    }
static const struct param run_params[] = {RUN};
static const struct param runs_params[] = {{.name = "offset",
                                            .place = IN_QUERY,
                                            .type = PARAM_INT,
                                            .max = 1000000,
                                            .summary = "How many newer ones are left out"},
                                           {.name = "limit",
                                            .place = IN_QUERY,
                                            .type = PARAM_INT,
                                            .min = 1,
                                            .max = 500,
                                            .summary = "How many at most; 100 without it"}};

static const struct route routes[] = {
    {ROUTE("runs.list", GET, "/runs"), .outside = true, .risk = RISK_READ,
     .summary = "Attempts at tasks that loops have kept, the newest first", .handler = runs_list,
     .pace = PACE_SLOW, PARAMS(runs_params), .status = 200, .response = "Runs"},
    {ROUTE("runs.get", GET, "/runs/{run}"), .outside = true, .risk = RISK_READ,
     .summary = "An attempt: its task, verdict, diff and output", .handler = runs_get,
     .pace = PACE_SLOW, PARAMS(run_params), .status = 200, .response = "Run"},
    {ROUTE("runs.report", GET, "/runs/{run}/report"), .outside = true, .risk = RISK_READ,
     .secret = true, .summary = "An attempt as one page, with its calls", .handler = runs_report,
     .pace = PACE_SLOW, PARAMS(run_params), .status = 200, .gives = "text/html"},
};

const struct rows control_runs_rows = ROWS(routes);

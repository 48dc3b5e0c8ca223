/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence of workflows, as `sosia workflow check --output` and `promote` write it
 * (docs/guardrails.md): files of one directory of the operator's. NAME.promoted.json is what NAME
 * was promoted by, and each other NAME.json is held against that.
 */
#include "guard/workflow/workflow.h"
#include "server/control/kept.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 2000
#define MOST_BYTES (16 << 20)
#define LIST_BYTES (1 << 20) /* of a file in a list, which says no more than its head */
#define PROMOTED   ".promoted"
#define TOLERANCE  0.1 /* as `sosia workflow compare` has it */

struct evidence_name {
    const char *id; /* without ".json" */
    int64_t changed_s;
};
struct evidence_names {
    struct evidence_name *list;
    size_t n, room;
};

static int open_dir(struct control_call *c)
{
    const char *dir = c->control->options.workflows;
    if (!dir)
        return sosia_fail(&c->err, SOSIA_E_NOT_FOUND, "noWorkflows", NULL,
                          "the server shows no workflows: `sosia serve --workflows DIR` does");
    return control_kept_open(c, dir);
}

static const char *file_of(struct arena *a, const char *id)
{
    return arena_printf(a, "%s.json", id);
}

static bool is_promoted(const char *id)
{
    const size_t n = strlen(id), m = strlen(PROMOTED);
    return n > m && strcmp(id + n - m, PROMOTED) == 0;
}

/* Only files whose member says that they are evidence are shown. */
static bool is_evidence(const struct json *v)
{
    return v && json_get_int(v, "evidence", 0) == 1 && control_kept_str(v, "workflow");
}

/* ---- the list ---- */

static int newest_first(const void *a, const void *b)
{
    const struct evidence_name *x = a, *y = b;
    return x->changed_s != y->changed_s ? (x->changed_s < y->changed_s ? 1 : -1)
                                        : strcmp(x->id, y->id);
}

static void take_name(struct control_call *c, int dir, const char *name,
                      struct evidence_names *names)
{
    const size_t n = strlen(name);
    struct stat st;
    if (!control_kept_name(name) || n < 6 || strcmp(name + n - 5, ".json") != 0 ||
        names->n == MOST_FILES || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        !S_ISREG(st.st_mode))
        return;
    struct evidence_name *more =
        arena_grow(&c->arena, names->list, names->n, &names->room, sizeof *more);
    if (!more)
        return;
    names->list = more;
    more[names->n++] =
        (struct evidence_name){arena_printf(&c->arena, "%.*s", (int)(n - 5), name), st.st_mtime};
}

static int read_names(struct control_call *c, struct evidence_names *ret)
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

static void write_head(struct json_writer *w, const char *id, int64_t changed_s,
                       const struct json *evidence)
{
    const struct json *figures = json_get(evidence, "figures");
    json_str(w, "id", id);
    json_time(w, "at", changed_s * 1000000, JSON_TIME_S_Z);
    json_bool(w, "promoted", is_promoted(id));
    json_str(w, "workflow", control_kept_str(evidence, "workflow"));
    json_str_opt(w, "version", control_kept_str(evidence, "version"));
    json_str_opt(w, "driver", control_kept_str(evidence, "driver"));
    json_bool(w, "passed", json_get_true(evidence, "passed"));
    if (figures && figures->type == JSON_OBJECT)
        json_value(w, "figures", figures);
}

/* The list goes on without what can't be read, and without other files. */
static int write_one(struct control_call *c, int dir, const struct evidence_name *at,
                     struct json_writer *w)
{
    const struct json *v;
    struct arena a; /* of this file alone */
    arena_init(&a, 0);
    int rc = control_kept_json(c, &a, dir, file_of(&c->arena, at->id), LIST_BYTES, "workflow", &v);
    if (rc < 0 && (c->err.code == SOSIA_E_TOO_LARGE || c->err.code == SOSIA_E_IO)) {
        c->err = (struct sosia_err){0};
        rc = 0;
    }
    if (rc == 0 && is_evidence(v)) {
        json_obj(w, NULL);
        write_head(w, at->id, at->changed_s, v);
        json_end(w);
    }
    arena_done(&a);
    return rc;
}

static int workflows_list(struct call *call)
{
    struct control_call *c = control_of(call);
    struct evidence_names names = {0};
    struct json_writer w;
    struct buf b;
    int rc = 0;
    if (read_names(c, &names) < 0)
        return -1;
    int dir = open_dir(c);
    if (dir < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_arr(&w, "workflows");
    for (size_t i = 0; rc == 0 && i < names.n; i++)
        rc = write_one(c, dir, &names.list[i], &w);
    close(dir);
    json_end(&w);
    json_end(&w);
    if (rc == 0)
        return control_answer(c, 200, &b);
    buf_done(&b);
    return -1;
}

/* ---- one ---- */

struct evidence_text {
    const char *text;
    size_t len;
    const struct json *json; /* NULL: there is none */
};

static int read_evidence(struct control_call *c, int dir, const char *id, struct evidence_text *ret)
{
    struct sosia_err err;
    ret->json = NULL;
    if (control_kept_text(c, &c->arena, dir, file_of(&c->arena, id), MOST_BYTES, "workflow",
                          &ret->text, &ret->len) < 0)
        return -1;
    if (ret->text && (json_parse(&c->arena, ret->text, ret->len, NULL, &ret->json, &err) < 0 ||
                      !is_evidence(ret->json)))
        ret->json = NULL;
    return 0;
}

/* What has become worse since the workflow was promoted, and what else is another. */
static void write_comparison(struct json_writer *w, const char *against,
                             const struct evidence_text *promoted, const struct evidence_text *now)
{
    struct sosia_blob comparison = {0};
    struct sosia_err err;
    bool good;
    if (workflow_compare(promoted->text, promoted->len, now->text, now->len, TOLERANCE, &comparison,
                         &good, &err) < 0)
        return;
    json_str(w, "against", against);
    json_bool(w, "worse", !good);
    json_raw(w, "comparison", comparison.data, comparison.len);
    sosia_blob_free(&comparison);
}

static int workflows_get(struct call *call)
{
    struct control_call *c = control_of(call);
    const char *id = control_text(c, "workflow");
    const char *against = is_promoted(id) ? NULL : arena_printf(&c->arena, "%s" PROMOTED, id);
    struct evidence_text now = {0}, promoted = {0};
    struct stat st = {0};
    struct json_writer w;
    struct buf b;
    int dir = open_dir(c);
    if (dir < 0)
        return -1;
    int rc = control_kept_name(id) ? read_evidence(c, dir, id, &now) : 0;
    if (rc == 0 && now.json && against)
        rc = read_evidence(c, dir, against, &promoted);
    if (rc == 0 && now.json)
        (void)fstatat(dir, file_of(&c->arena, id), &st, AT_SYMLINK_NOFOLLOW);
    close(dir);
    if (rc < 0)
        return -1;
    if (!now.json)
        return sosia_fail(&c->err, SOSIA_E_NOT_FOUND, "workflowNotFound", "workflow",
                          "workflow must be the id of evidence, not \"%.80s\"", id);
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_head(&w, id, st.st_mtime, now.json);
    json_value(&w, "evidence", now.json);
    if (promoted.json)
        write_comparison(&w, against, &promoted, &now);
    json_end(&w);
    return control_answer(c, 200, &b);
}

/* ---- rows ---- */

static const struct param one_params[] = {{.name = "workflow",
                                           .type = PARAM_STRING,
                                           .place = IN_PATH,
                                           .required = true,
                                           .max = 250,
                                           .summary = "Its \"id\": the file's name without .json"}};

static const struct route routes[] = {
    {ROUTE("workflows.list", GET, "/workflows"), .outside = true, .risk = RISK_READ,
     .summary = "Evidence of workflows, the newest first", .handler = workflows_list,
     .pace = PACE_SLOW, .status = 200, .response = "Workflows"},
    {ROUTE("workflows.get", GET, "/workflows/{workflow}"), .outside = true, .risk = RISK_READ,
     .summary = "A workflow's checklist, figures and runs, and what has become worse since it was "
                "promoted",
     .handler = workflows_get, .pace = PACE_SLOW, PARAMS(one_params), .status = 200,
     .response = "Workflow"},
};

const struct rows control_workflows_rows = ROWS(routes);

/* SPDX-License-Identifier: Apache-2.0 */
#include "services/workspace/core/program.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/send/program.h"
#include "services/workspace/core/node.h"
#include <stdio.h>

/* ---- bytes in JSON ---- */

void program_put_bytes(struct json_writer *w, const char *text, const char *coded, const char *data,
                       size_t n)
{
    if (workspace_is_text(data, n)) {
        json_strn(w, text, data, n);
        return;
    }
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, data, n);
    json_str(w, coded, buf_str(&b));
    buf_done(&b);
}

/* 0; -1: it is neither, or no base64. Absent: "". */
static int get_bytes(struct arena *a, const struct json *v, const char *text, const char *coded,
                     const char **ret, size_t *ret_len)
{
    const struct json *t = json_get(v, text), *b = json_get(v, coded);
    uint8_t *data;
    *ret = "";
    *ret_len = 0;
    if (t && t->type == JSON_STRING) {
        *ret = t->str;
        *ret_len = t->n;
        return 0;
    }
    if (!b)
        return t && t->type != JSON_NULL ? -1 : 0;
    if (b->type != JSON_STRING || base64_decode(a, b->str, b->n, &data, ret_len) < 0)
        return -1;
    char *copy = arena_alloc(a, *ret_len + 1);
    if (arena_failed(a))
        return -1;
    if (*ret_len)
        memcpy(copy, data, *ret_len);
    copy[*ret_len] = 0;
    *ret = copy;
    return 0;
}

/* ---- the spec ---- */

static void put_list(struct json_writer *w, const char *name, const char *const *list)
{
    json_arr(w, name);
    for (; list && *list; list++)
        json_str(w, NULL, *list);
    json_end(w);
}

static size_t length_of(const char *const *list, size_t *ret_n)
{
    size_t bytes = 0;
    for (*ret_n = 0; list && list[*ret_n]; (*ret_n)++)
        bytes += strlen(list[*ret_n]) + 1;
    return bytes;
}

static bool has_variable(const char *const *list, const char *variable)
{
    size_t n = strcspn(variable, "=") + 1;
    for (; list && *list; list++)
        if (strncmp(*list, variable, n) == 0)
            return true;
    return false;
}

const char *const *program_variables(struct arena *a, const char *const *list,
                                     const char *const *more)
{
    size_t n, m, k = 0;
    length_of(list, &n);
    length_of(more, &m);
    const char **all = arena_calloc(a, n + m + 1, sizeof *all);
    for (size_t i = 0; all && i < n; i++)
        if (!has_variable(list + i + 1, list[i]) && !has_variable(more, list[i]))
            all[k++] = list[i];
    for (size_t i = 0; all && i < m; i++)
        if (!has_variable(more + i + 1, more[i]))
            all[k++] = more[i];
    return all;
}

/* What makes a program's results the same each time: the time is the world's, and git does not
 * compare what a copy of a file can't have. */
static const char *const *environment_of(const struct tx *tx, const struct program_spec *s)
{
    static const char *const git[] = {
        "GIT_CONFIG_COUNT=3",         "GIT_CONFIG_KEY_0=core.checkStat",
        "GIT_CONFIG_VALUE_0=minimal", "GIT_CONFIG_KEY_1=core.trustctime",
        "GIT_CONFIG_VALUE_1=false",   "GIT_CONFIG_KEY_2=safe.directory",
        "GIT_CONFIG_VALUE_2=*",       "GIT_TERMINAL_PROMPT=0"};
    static const char *const times[] = {"GIT_AUTHOR_DATE=%lld +0000",
                                        "GIT_COMMITTER_DATE=%lld +0000", "SOURCE_DATE_EPOCH=%lld"};
    size_t n = 0;
    const char **list =
        arena_calloc(tx->arena, SOSIA_LEN(git) + SOSIA_LEN(times) + 1, sizeof *list);
    if (arena_failed(tx->arena))
        return NULL;
    for (size_t i = 0; i < SOSIA_LEN(git); i++)
        list[n++] = git[i];
    for (size_t i = 0; i < SOSIA_LEN(times); i++) {
        struct buf b;
        buf_init(&b, 64);
        const char *at = strstr(times[i], "%lld");
        buf_printf(&b, "%.*s%lld%s", (int)(at - times[i]), times[i],
                   (long long)(tx->now_us / 1000000), at + 4);
        list[n++] = buf_keep(&b, tx->arena);
    }
    return program_variables(tx->arena, list, s->environment);
}

int program_check(struct tx *tx, const struct program_spec *s)
{
    size_t n_argv, n_variables;
    size_t bytes = length_of(s->argv, &n_argv) + length_of(s->environment, &n_variables);
    if (!n_argv || n_argv > PROGRAM_ARGUMENTS || n_variables > PROGRAM_VARIABLES ||
        bytes > PROGRAM_TEXT)
        return tx_fail(tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                       "a program must have 1 to %d arguments and at most %d variables, with at "
                       "most %zu bytes together, not %zu, %zu and %zu",
                       PROGRAM_ARGUMENTS, PROGRAM_VARIABLES, PROGRAM_TEXT, n_argv, n_variables,
                       bytes);
    for (const char *const *v = s->environment; v && *v; v++)
        if (!strchr(*v, '=') || **v == '=')
            return tx_fail(tx, SOSIA_E_INVALID, "invalid", NULL,
                           "a variable must be \"NAME=VALUE\", not \"%.100s\"", *v);
    if (s->input_len > PROGRAM_INPUT)
        return tx_fail(tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                       "a program's input must have at most %zu bytes, not %zu", PROGRAM_INPUT,
                       s->input_len);
    if (s->timeout_ms < 0 || s->timeout_ms > PROGRAM_SECONDS * INT64_C(1000))
        return tx_fail(tx, SOSIA_E_INVALID, "invalid", NULL,
                       "a program's time must be 1 to %d seconds, not %lld ms", PROGRAM_SECONDS,
                       (long long)s->timeout_ms);
    if (s->keep > PROGRAM_MOST_KEEP)
        return tx_fail(tx, SOSIA_E_INVALID, "invalid", NULL,
                       "a program's output must be kept up to %d bytes, not %zu", PROGRAM_MOST_KEEP,
                       s->keep);
    return 0;
}

/* Numbers of the settings, by their places. */
static const struct {
    const char *name;
    size_t at;
} limit_names[] = {{"memory", offsetof(struct workspace_limits, memory)},
                   {"data", offsetof(struct workspace_limits, data)},
                   {"temporary", offsetof(struct workspace_limits, temporary)},
                   {"home", offsetof(struct workspace_limits, home)},
                   {"files", offsetof(struct workspace_limits, files)},
                   {"processes", offsetof(struct workspace_limits, processes)},
                   {"descriptors", offsetof(struct workspace_limits, descriptors)},
                   {"output", offsetof(struct workspace_limits, output)}};

static int64_t *limit_at(struct workspace_limits *l, size_t i)
{
    return (int64_t *)(void *)((char *)l + limit_names[i].at);
}

static void write_limits(struct json_writer *w, struct workspace_limits l)
{
    json_obj(w, "limits");
    for (size_t i = 0; i < SOSIA_LEN(limit_names); i++)
        if (*limit_at(&l, i))
            json_int(w, limit_names[i].name, *limit_at(&l, i));
    json_end(w);
}

/* A value of git's configuration. */
static void put_value(struct buf *b, const char *name, const char *value)
{
    buf_printf(b, "\t%s = \"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            buf_byte(b, '\\');
        if (*value == '\n')
            buf_puts(b, "\\n");
        else
            buf_byte(b, *value);
    }
    buf_puts(b, "\"\n");
}

/* Takes what the world's settings say into a spec. 0, -1. */
static int add_settings(struct tx *tx, struct program_spec *s)
{
    struct workspace_git git;
    struct buf b;
    if (workspace_limits(tx, &s->limits) < 0 || workspace_git_author(tx, &git) < 0 ||
        workspace_services(tx, &s->services) < 0)
        return -1;
    int64_t most = s->limits.seconds * 1000;
    if (!s->timeout_ms)
        s->timeout_ms = PROGRAM_USUAL_MS;
    if (most && s->timeout_ms > most)
        s->timeout_ms = most;
    buf_init(&b, 0);
    buf_puts(&b, "[user]\n");
    put_value(&b, "name", git.name);
    put_value(&b, "email", git.email);
    s->git = buf_keep(&b, tx->arena);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

static void write_spec(struct json_writer *w, const struct program_spec *s,
                       const char *const *environment)
{
    json_obj(w, NULL);
    put_list(w, "argv", s->argv);
    put_list(w, "environment", environment);
    json_str(w, "directory", s->directory ? s->directory : WORKSPACE_ROOT);
    if (s->input_len)
        program_put_bytes(w, "input", "inputBytes", s->input, s->input_len);
    json_int(w, "timeoutMs", s->timeout_ms);
    json_int(w, "keep", s->keep ? (int64_t)s->keep : PROGRAM_USUAL_KEEP);
    json_bool_opt(w, "home", s->home);
    json_str_opt(w, "carried", s->carried);
    json_str(w, "git", s->git);
    if (*s->services.actor) {
        json_str(w, "actor", s->services.actor);
        json_str(w, "scopes", s->services.scopes);
        json_str(w, "credentials", s->services.credentials);
    }
    write_limits(w, s->limits);
    json_end(w);
}

int program_prepare(struct tx *tx, struct program_spec *s)
{
    struct json_writer w;
    struct buf b;
    if (program_check(tx, s) < 0 || add_settings(tx, s) < 0)
        return -1;
    if (!s->number && program_number(tx, &s->number) < 0)
        return -1;
    const char *const *environment = environment_of(tx, s);
    if (!environment)
        return sosia_fail_memory(tx->err);
    json_start(&w, &b);
    write_spec(&w, s, environment);
    int rc =
        buf_failed(&b) ? sosia_fail_memory(tx->err) : program_add(tx, s->number, b.data, b.len);
    buf_done(&b);
    return rc;
}

static int begin(struct call *c, struct program_spec *s)
{
    if (program_prepare(&c->tx, s) < 0)
        return -1;
    c->outlives = s->carried != NULL;
    call_suspend(c, program_suspends(s->number));
    return 0;
}

static const char *const *read_list(struct arena *a, const struct json *v)
{
    size_t n = v && v->type == JSON_ARRAY ? v->n : 0;
    const char **list = arena_calloc(a, n + 1, sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        list[i] = v->items[i].type == JSON_STRING ? v->items[i].str : "";
    return list;
}

static const char *text_of(const struct json *v, const char *name)
{
    const char *text = json_get_str(v, name);
    return text ? text : "";
}

int program_read(struct arena *a, const char *text, size_t len, struct program_spec *ret,
                 struct sosia_err *err)
{
    const struct json_limits limits = {.max_size = (size_t)1 << 30};
    const struct json *v;
    if (json_parse(a, text, len, &limits, &v, err) < 0)
        return -1;
    *ret = (struct program_spec){
        .argv = read_list(a, json_get(v, "argv")),
        .environment = read_list(a, json_get(v, "environment")),
        .directory = json_get_str(v, "directory"),
        .timeout_ms = json_get_int(v, "timeoutMs", 0),
        .keep = (size_t)json_get_int(v, "keep", 0),
        .home = json_get_true(v, "home"),
        .carried = json_get_str(v, "carried"),
        .git = json_get_str(v, "git"),
        .services = {text_of(v, "actor"), text_of(v, "scopes"), text_of(v, "credentials")}};
    for (size_t i = 0; i < SOSIA_LEN(limit_names); i++)
        *limit_at(&ret->limits, i) = json_get_int(json_get(v, "limits"), limit_names[i].name, 0);
    if (arena_failed(a) || get_bytes(a, v, "input", "inputBytes", &ret->input, &ret->input_len) < 0)
        return sosia_fail_memory(err);
    return 0;
}

/* ---- an outcome's text ---- */

enum { LIST_CHANGED, LIST_REMOVED, LIST_REFUSED, LIST_END };
static const char *const lists[] = {"changed", "removed", "refused"};

static void put_stream(struct json_writer *w, const char *text, const char *coded,
                       const char *total, const struct program_stream *s)
{
    if (s->len)
        program_put_bytes(w, text, coded, s->data, s->len);
    if (s->total > (int64_t)s->len)
        json_int(w, total, s->total);
}

void program_write(struct program_writing *p, struct buf *out, struct arena *a,
                   const struct program_outcome *o)
{
    *p = (struct program_writing){.out = out, .arena = a, .list = -1};
    json_init(&p->w, out, false, NULL);
    json_obj(&p->w, NULL);
    json_int(&p->w, "status", o->status);
    json_bool_opt(&p->w, "timedOut", o->timed_out);
    json_bool_opt(&p->w, "flooded", o->flooded);
    json_int(&p->w, "wallUs", o->wall_us);
    json_int(&p->w, "cpuUs", o->cpu_us);
    put_stream(&p->w, "stdout", "stdoutBytes", "stdoutTotal", &o->out);
    put_stream(&p->w, "stderr", "stderrBytes", "stderrTotal", &o->err);
}

static void go_to(struct program_writing *p, int list)
{
    if (p->list == list)
        return;
    if (p->list >= 0)
        json_end(&p->w);
    p->list = list;
    if (list < LIST_END)
        json_arr(&p->w, lists[list]);
}

int program_changed(struct program_writing *p, const struct workspace_node *n, const char *data,
                    size_t len)
{
    struct tx tx = {.arena = p->arena}; /* nothing else is asked for of members without rows */
    go_to(p, LIST_CHANGED);
    json_obj(&p->w, NULL);
    int rc = workspace_node_write(&tx, &p->w, n, data, len);
    json_end(&p->w);
    return rc;
}

static void put_path(struct program_writing *p, const char *path)
{
    json_obj(&p->w, NULL);
    program_put_bytes(&p->w, "path", "pathBytes", path, strlen(path));
    json_end(&p->w);
}

void program_removed(struct program_writing *p, const char *path)
{
    go_to(p, LIST_REMOVED);
    put_path(p, path);
}

void program_refused(struct program_writing *p, const char *path)
{
    go_to(p, LIST_REFUSED);
    put_path(p, path);
}

void program_beside(struct program_writing *p, const char *text, size_t len)
{
    go_to(p, LIST_END);
    json_raw(&p->w, PROGRAM_BESIDE, text, len);
}

void program_written(struct program_writing *p)
{
    go_to(p, LIST_END);
    json_end(&p->w);
}

/* ---- the outcome comes back ---- */

static int bad_outcome(struct call *c, const char *what)
{
    return call_fail(c, SOSIA_E_INVALID, "badOutcome", NULL, "a program's outcome must have %s",
                     what);
}

/* A path that is a node's, of an object with path or pathBytes; NULL: it is none. */
static const char *removed_path(struct call *c, const struct json *v)
{
    const char *path;
    size_t n;
    if (get_bytes(c->tx.arena, v, "path", "pathBytes", &path, &n) < 0 || n != strlen(path) ||
        !workspace_path_is_valid(path))
        return NULL;
    return path;
}

static int take_removed(struct call *c, const struct json *list, struct program_outcome *ret)
{
    struct workspace_node n;
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *path = removed_path(c, &list->items[i]);
        if (!path)
            return bad_outcome(c, "paths in \"removed\"");
        int r = workspace_find(&c->tx, path, &n);
        if (r < 0 || (r && workspace_remove(&c->tx, path, true) < 0))
            return -1;
        ret->removed += r;
    }
    return 0;
}

/* Directories on the way that are none any more give way, as what is at the place itself. */
static int make_room(struct call *c, const struct workspace_node *n)
{
    struct tx *tx = &c->tx;
    struct workspace_node there;
    for (const char *slash = strchr(n->path, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *dir = arena_printf(tx->arena, "%.*s", (int)(slash - n->path), n->path);
        int r = workspace_find(tx, dir, &there);
        if (r < 0 || (r && there.kind != NODE_DIRECTORY && workspace_remove(tx, dir, true) < 0))
            return -1;
    }
    int r = workspace_find(tx, n->path, &there);
    if (r < 0 || (r && (there.kind == NODE_DIRECTORY) != (n->kind == NODE_DIRECTORY) &&
                  workspace_remove(tx, n->path, true) < 0))
        return -1;
    return workspace_mkdir(tx, workspace_parent(tx->arena, n->path));
}

static int take_changed(struct call *c, struct doc *d, const struct json *list,
                        struct program_outcome *ret)
{
    struct workspace_node n;
    for (uint32_t i = 0; list && i < list->n; i++) {
        if (workspace_node_read(&c->tx, d, &list->items[i], &n) < 0)
            return -1;
        if (make_room(c, &n) < 0 || workspace_put(&c->tx, &n) < 0)
            return -1; /* what it has of a blob goes with the savepoint */
        ret->changed++;
    }
    return 0;
}

static int take_stream(struct call *c, const struct json *v, const char *text, const char *coded,
                       const char *total, struct program_stream *ret)
{
    if (get_bytes(c->tx.arena, v, text, coded, &ret->data, &ret->len) < 0)
        return bad_outcome(c, "texts, or bytes in base64, in its streams");
    ret->total = json_get_int(v, total, (int64_t)ret->len);
    return 0;
}

static int take_outcome(struct call *c, const struct json *v, struct doc *d,
                        struct program_outcome *ret)
{
    if (v->type != JSON_OBJECT)
        return bad_outcome(c, "members");
    *ret = (struct program_outcome){.status = (int)json_get_int(v, "status", 0),
                                    .timed_out = json_get_true(v, "timedOut"),
                                    .flooded = json_get_true(v, "flooded"),
                                    .wall_us = json_get_int(v, "wallUs", 0),
                                    .cpu_us = json_get_int(v, "cpuUs", 0),
                                    .refused = json_get(v, "refused")};
    const char *why = json_get_str(v, "failed");
    if (why)
        return call_fail(c, SOSIA_E_TOO_LARGE, "tooLarge", NULL, "%.200s", why);
    if (take_stream(c, v, "stdout", "stdoutBytes", "stdoutTotal", &ret->out) < 0 ||
        take_stream(c, v, "stderr", "stderrBytes", "stderrTotal", &ret->err) < 0)
        return -1;
    const struct json *changed = json_get(v, "changed"), *removed = json_get(v, "removed");
    if ((changed && changed->type != JSON_ARRAY) || (removed && removed->type != JSON_ARRAY))
        return bad_outcome(c, "lists as \"changed\" and \"removed\"");
    return take_removed(c, removed, ret) < 0 ? -1 : take_changed(c, d, changed, ret);
}

int program_mark(struct call *c, struct program_spec *spec, char ret[9])
{
    if (c->outcome || c->kept)
        spec->number = program_suspended(c->resumed);
    else if (!spec->number && program_number(&c->tx, &spec->number) < 0)
        return -1;
    snprintf(ret, 9, "%08llx", (unsigned long long)spec->number);
    return 0;
}

int program_run(struct call *c, const struct program_spec *spec, struct program_outcome *ret)
{
    const struct json_limits limits = {.max_size = (size_t)1 << 30};
    const struct sosia_outcome *o = c->outcome ? c->outcome : c->kept;
    const struct json *v;
    if (!o) {
        struct program_spec own = *spec;
        return begin(c, &own);
    }
    if (o->status != 200)
        return call_fail(c, SOSIA_E_PRECONDITION, "noPrograms", NULL, "%.250s",
                         o->error ? o->error : "the program was not run");
    if (json_parse(c->tx.arena, o->body ? o->body : "", o->body_len, &limits, &v, c->tx.err) < 0)
        return -1;
    c->ran = v;
    struct doc d = {.arena = c->tx.arena,
                    .text = o->body,
                    .len = o->body_len,
                    .name = "outcome",
                    .err = c->tx.err,
                    .top = v};
    return take_outcome(c, v, &d, ret) < 0 ? -1 : 1;
}

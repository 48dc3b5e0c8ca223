/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that a local sandbox is sent as archives: main.py of one runs in the background, on the
 * sandbox's workspace, as a call of the world that runs a program (services/workspace/core/
 * program.h), so that its journal has it. What it writes and what it leaves in its own directory
 * are here until the sandbox is released.
 */
#include "engine/send/program.h"
#include "hosted/impl.h"
#include "services/workspace/core/program.h"
#include <stdlib.h>
#include <time.h>

#define EXECUTIONS_MOST 100 /* of a tenant, whatever state they are in */
#define RUNNING_MOST    4   /* at a time, of a tenant */
#define TIME_MS         600000

enum state { PENDING, RUNNING, COMPLETED, FAILED };
static const char *const states[] = {"pending", "running", "completed", "failed"};

/* Under the registry's mutex, but for what the thread alone looks at while it runs. */
struct execution {
    struct execution *next;
    struct sandbox *sandbox; /* with a reference */
    char name[EXECUTION_NAME + 1];
    enum state state;
    uint64_t upload; /* a world with its files, which ends by itself; 0: none was sent */
    struct hosted *h;
    pthread_t thread;
    bool has_thread;
    struct buf logs, artifacts; /* of one that has ended */
};

/* ---- the list ---- */

static void execution_free(struct execution *x)
{
    if (x->has_thread)
        pthread_join(x->thread, NULL);
    sandbox_give(x->sandbox);
    buf_done(&x->logs);
    buf_done(&x->artifacts);
    free(x);
}

/* Nobody waits for them any more: what they are at is ended, whenever it begins. */
static void end_all(struct hosted *h)
{
    bool runs;
    do {
        pthread_mutex_lock(&h->lock);
        runs = false;
        for (const struct execution *x = h->executions; x; x = x->next)
            runs |= x->state == RUNNING;
        pthread_mutex_unlock(&h->lock);
        if (runs) {
            program_stop(h->engine, 0, PROGRAM_ANY_ERA);
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        }
    } while (runs);
}

void executions_free(struct hosted *h)
{
    end_all(h);
    while (h->executions) {
        struct execution *x = h->executions;
        h->executions = x->next;
        execution_free(x);
    }
}

/* Those of sandboxes that were released go, unless they run. */
static void tidy(struct hosted *h)
{
    struct execution *gone = NULL;
    pthread_mutex_lock(&h->lock);
    for (struct execution **at = &h->executions; *at;) {
        struct execution *x = *at;
        if (!x->sandbox->released || x->state == RUNNING) {
            at = &x->next;
            continue;
        }
        *at = x->next;
        x->next = gone;
        gone = x;
    }
    pthread_mutex_unlock(&h->lock);
    while (gone) {
        struct execution *x = gone;
        gone = x->next;
        execution_free(x);
    }
}

/* Under the mutex. */
static struct execution *find(struct hosted *h, const struct sandbox *s, const char *name)
{
    struct execution *x = h->executions;
    while (x && (x->sandbox != s || strcmp(x->name, name) != 0))
        x = x->next;
    return x;
}

static size_t count(struct hosted *h, const struct tenant *t, bool running)
{
    size_t n = 0;
    for (const struct execution *x = h->executions; x; x = x->next)
        n += x->sandbox->tenant == t && (!running || x->state == RUNNING);
    return n;
}

int64_t executions_size(struct hosted *h, const struct tenant *of)
{
    uint64_t worlds[EXECUTIONS_MOST];
    struct sosia_world_info info;
    int64_t bytes = 0;
    size_t n = 0;
    pthread_mutex_lock(&h->lock);
    for (const struct execution *x = h->executions; x && n < EXECUTIONS_MOST; x = x->next)
        if (x->sandbox->tenant == of) {
            bytes += (int64_t)(x->logs.len + x->artifacts.len);
            worlds[n++] = x->upload;
        }
    pthread_mutex_unlock(&h->lock);
    for (size_t i = 0; i < n; i++)
        if (worlds[i] && sosia_world_info(h->engine, worlds[i], &info, NULL) == 0)
            bytes += (int64_t)info.size;
    return bytes;
}

/* ---- archives ---- */

/* Letters, digits, and signs within: a name of a directory. */
static bool is_name(const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    return *name && *name != '.' && *name != '-' && !name[strspn(name, plain)];
}

/* Of the body, or of the query. NULL: the answer is there. */
static const char *name_of(struct hosted_call *c, const char *name, const char *where)
{
    const struct place outer = {.name = where}, at = {.outer = &outer, .name = "execution_name"};
    if (name && strlen(name) <= EXECUTION_NAME && is_name(name))
        return name;
    if (!name)
        fault(c, &at, "missing", "Field required", NULL, NULL);
    else
        fault_value(c, &at,
                    &(struct json){.type = JSON_STRING, .str = name, .n = (uint32_t)strlen(name)},
                    "an execution's name must have letters, digits and _.- after the first one");
    hosted_faults(c);
    return NULL;
}

int hosted_execution_url(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!hosted_local_take(c))
        return 0;
    const char *name = name_of(c, json_get_str(c->body, "execution_name"), "body");
    return name ? hosted_local_url(c, "upload_url", ticket_new(c, true, c->sandbox->world, name))
                : 0;
}

int execution_sent(struct hosted_call *c, const char *name, uint64_t world)
{
    struct hosted *h = c->h;
    struct execution *made = calloc(1, sizeof *made), *x;
    uint64_t drop = world;
    struct buf b;
    tidy(h);
    pthread_mutex_lock(&h->lock);
    x = find(h, c->sandbox, name);
    const bool room = x || count(h, c->tenant, false) < EXECUTIONS_MOST,
               runs = x && x->state == RUNNING;
    if (!x && made && room) {
        *made =
            (struct execution){.h = h, .sandbox = sandbox_ref(c->sandbox), .next = h->executions};
        strcpy(made->name, name);
        buf_init(&made->logs, 0);
        buf_init(&made->artifacts, 0);
        h->executions = x = made;
        made = NULL;
    }
    if (x && !runs) {
        drop = x->upload;
        x->upload = world;
        x->state = PENDING;
    }
    pthread_mutex_unlock(&h->lock);
    free(made);
    if (drop)
        sosia_world_drop(h->engine, drop, NULL);
    if (runs)
        return hosted_refuse(c, 409, "Execution %s is running", name);
    if (!x)
        return hosted_refuse(c, 429, "This API key may have %d executions", EXECUTIONS_MOST);
    buf_init(&b, 0);
    return hosted_answer(c, 200, &b);
}

/* ---- running ---- */

/* Standard output is what the program writes; standard error, when it has ended, an archive of its
 * directory, which is its session's own. */
static const char script[] =
    "exec 3>&2 2>&1\n"
    "d=/tmp/executions/$1\n"
    "mkdir -p \"$d\" && cd \"$d\" && tar xzf - || exit 125\n"
    "for f in requirements.txt packages.txt; do\n"
    "    [ ! -s $f ] || echo \"$f: there is no network to install packages from\"\n"
    "done\n"
    "AGENT_WORKSPACE=" WORKSPACE_ROOT " python3 -u main.py 3>&- </dev/null\n"
    "s=$?\n"
    "tar czf - . >&3\n"
    "exit $s\n";

static void write_call(struct json_writer *w, const char *name, const struct buf *archive)
{
    const char *const argv[] = {"/bin/sh", "-c", script, "sh", name};
    struct buf coded;
    json_arr(w, "argv");
    for (size_t i = 0; i < SOSIA_LEN(argv); i++)
        json_str(w, NULL, argv[i]);
    json_end(w);
    buf_init(&coded, 0);
    base64_add(&coded, archive->data, archive->len);
    json_str(w, "inputBytes", buf_str(&coded));
    buf_done(&coded);
    json_int(w, "timeoutMs", TIME_MS);
    json_int(w, "keep", PROGRAM_MOST_KEEP);
}

static void take_stream(struct arena *a, const struct json *v, const char *text, const char *coded,
                        struct buf *to)
{
    const struct json *t = json_get(v, text), *b = json_get(v, coded);
    uint8_t *data;
    size_t n;
    if (t && t->type == JSON_STRING)
        buf_add(to, t->str, t->n);
    else if (b && b->type == JSON_STRING && base64_decode(a, b->str, b->n, &data, &n) == 0)
        buf_add(to, data, n);
}

/* Makes the call, as the sandbox's person. -1: c->err. */
static int call_program(struct hosted_call *c, const char *name, const struct buf *archive,
                        const struct json **ret)
{
    const char *token = sandbox_token(c, c->sandbox);
    struct sosia_response *r;
    struct json_writer w;
    struct buf b;
    if (!token)
        return -1;
    hosted_begin(&b, &w);
    write_call(&w, name, archive);
    json_end(&w);
    const struct sosia_header headers[] = {
        {"Authorization", arena_printf(&c->arena, "Bearer %s", token)},
        {"Content-Type", "application/json"}};
    const struct sosia_request request = {.method = "POST",
                                          .target = PROGRAM_PATH,
                                          .headers = headers,
                                          .n_headers = SOSIA_LEN(headers),
                                          .body = buf_str(&b),
                                          .body_len = b.len};
    int rc = buf_failed(&b) ? sosia_fail_memory(&c->err)
                            : sosia_call(c->h->engine, c->sandbox->world, &request, &r, &c->err);
    if (rc == 0) {
        const struct json_limits limits = {.max_size = (size_t)256 << 20};
        rc = json_parse(&c->arena, r->body, r->body_len, &limits, ret, &c->err);
        sosia_response_free(r);
    }
    buf_done(&b);
    return rc;
}

/* What it came to: logs and artifacts, which are empty. */
static enum state run(struct hosted_call *c, const char *name, uint64_t files, struct buf *logs,
                      struct buf *artifacts)
{
    const struct json *v = NULL;
    struct buf archive;
    buf_init(&archive, 0);
    int rc = archive_write(c, files, &archive);
    if (rc == 0)
        rc = call_program(c, name, &archive, &v);
    buf_done(&archive);
    if (rc < 0) {
        buf_puts(logs, c->err.text);
        return FAILED;
    }
    const struct json *content = json_get(v, "content");
    if (content && content->type == JSON_ARRAY && content->n) { /* a refusal */
        const char *text = json_get_str(&content->items[0], "text");
        buf_puts(logs, text ? text : "");
        return FAILED;
    }
    take_stream(&c->arena, v, "stdout", "stdoutBytes", logs);
    take_stream(&c->arena, v, "stderr", "stderrBytes", artifacts);
    if (json_get_true(v, "timedOut"))
        buf_printf(logs, "\nended after %d seconds\n", TIME_MS / 1000);
    return json_get_int(v, "status", 1) == 0 && !json_get_true(v, "timedOut") ? COMPLETED : FAILED;
}

static void *run_thread(void *arg)
{
    struct execution *x = arg;
    struct hosted_call c = {.h = x->h, .sandbox = x->sandbox};
    struct buf logs, artifacts;
    arena_init(&c.arena, 0);
    buf_init(&logs, 0);
    buf_init(&artifacts, 0);
    const enum state state = run(&c, x->name, x->upload, &logs, &artifacts);
    arena_done(&c.arena);
    make_utf8(logs.len ? (char *)logs.data : NULL, logs.len);
    pthread_mutex_lock(&x->h->lock);
    buf_done(&x->logs);
    buf_done(&x->artifacts);
    x->logs = logs;
    x->artifacts = artifacts;
    x->state = state;
    pthread_mutex_unlock(&x->h->lock);
    return NULL;
}

/* 0: it runs; else the status of a refusal. */
static int begin(struct hosted_call *c, const char *name)
{
    struct hosted *h = c->h;
    pthread_t old;
    bool join = false;
    int status = 0;
    pthread_mutex_lock(&h->lock);
    struct execution *x = find(h, c->sandbox, name);
    if (!x || !x->upload)
        status = 400;
    else if (x->state == RUNNING)
        status = 409;
    else if (count(h, c->tenant, true) >= RUNNING_MOST)
        status = 429;
    if (!status) {
        join = x->has_thread; /* of the run before, which has ended */
        old = x->thread;
        x->state = RUNNING;
        x->has_thread = pthread_create(&x->thread, NULL, run_thread, x) == 0;
        if (!x->has_thread) {
            x->state = FAILED;
            status = 503;
        }
    }
    pthread_mutex_unlock(&h->lock);
    if (join)
        pthread_join(old, NULL);
    return status;
}

int hosted_execute(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct json_writer w;
    struct buf b;
    if (!hosted_local_take(c))
        return 0;
    const char *name = name_of(c, json_get_str(c->body, "execution_name"), "body");
    if (!name)
        return 0;
    if (tenant_full(c->h, c->tenant, false))
        return hosted_full(c);
    const int status = begin(c, name);
    if (status)
        return hosted_refuse(c, status,
                             status == 400   ? "An archive must be sent to an upload_url first"
                             : status == 409 ? "Execution %s is running"
                             : status == 429 ? "This API key may run 4 executions at a time"
                                             : "There is no thread for the execution",
                             name);
    hosted_begin(&b, &w);
    json_str(&w, "message", "Execution started");
    json_str(&w, "execution_name", name);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

/* ---- looking ---- */

/* False: the answer is there. */
static bool look(struct hosted_call *c, const char *name, enum state *ret_state, struct buf *logs,
                 struct buf *artifacts)
{
    pthread_mutex_lock(&c->h->lock);
    const struct execution *x = find(c->h, c->sandbox, name);
    if (x) {
        *ret_state = x->state;
        if (logs)
            buf_add(logs, x->logs.data, x->logs.len);
        if (artifacts)
            buf_add(artifacts, x->artifacts.data, x->artifacts.len);
    }
    pthread_mutex_unlock(&c->h->lock);
    if (!x)
        hosted_refuse(c, 404, "Execution not found");
    return x != NULL;
}

int hosted_execution_status(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    enum state state;
    struct json_writer w;
    struct buf b;
    if (!hosted_local_take(c))
        return 0;
    const char *name = name_of(c, hosted_query(c, "execution_name"), "query");
    if (!name || !look(c, name, &state, NULL, NULL))
        return 0;
    hosted_begin(&b, &w);
    json_str(&w, "status", states[state]);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

int hosted_execution_logs(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *text = hosted_query(c, "cursor");
    int64_t cursor = 0;
    enum state state;
    struct json_writer w;
    struct buf b, logs;
    if (!hosted_local_take(c))
        return 0;
    const char *name = name_of(c, hosted_query(c, "execution_name"), "query");
    if (!name)
        return 0;
    if (text && (parse_i64(text, strlen(text), &cursor) < 0 || cursor < 0)) {
        const struct place query = {.name = "query"}, at = {.outer = &query, .name = "cursor"};
        fault_value(c, &at, NULL, "cursor must be a whole number from 0 on");
        return hosted_faults(c);
    }
    buf_init(&logs, 0);
    if (!look(c, name, &state, &logs, NULL)) {
        buf_done(&logs);
        return 0;
    }
    const size_t from = (uint64_t)cursor < logs.len ? (size_t)cursor : logs.len;
    char *rest = arena_memdup(&c->arena, buf_str(&logs) + from, logs.len - from);
    make_utf8(rest, logs.len - from);
    hosted_begin(&b, &w);
    json_str(&w, "status", states[state]);
    json_strn(&w, "logs", rest, logs.len - from);
    json_int(&w, "cursor", (int64_t)logs.len);
    json_end(&w);
    buf_done(&logs);
    return hosted_answer(c, 200, &b);
}

int hosted_export_artifacts(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    enum state state;
    struct buf artifacts;
    uint64_t world;
    if (!hosted_local_take(c))
        return 0;
    const char *name = name_of(c, json_get_str(c->body, "execution_name"), "body");
    if (!name)
        return 0;
    if (tenant_full(c->h, c->tenant, false))
        return hosted_full(c);
    buf_init(&artifacts, 0);
    bool there = look(c, name, &state, NULL, &artifacts);
    int rc = !there || state < COMPLETED
                 ? 0
                 : archive_read(c, buf_str(&artifacts), artifacts.len, &world);
    buf_done(&artifacts);
    if (!there)
        return 0;
    if (state < COMPLETED)
        return hosted_refuse(c, 409, "Execution %s has not ended", name);
    if (rc < 0)
        return hosted_refuse(c, 404, "Execution %s has left no artifacts: %s", name, c->err.text);
    const char *url = ticket_new(c, false, world, "");
    if (!url)
        sosia_world_drop(c->h->engine, world, NULL);
    return hosted_local_url(c, "download_url", url);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workflow/workflow.h"
#include "cli/cli.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define ANSWER_MAX ((size_t)1 << 20) /* bytes that a command may say */

int driver_fixture(void *arg, const char *name, uint64_t *ret_world, struct sosia_err *err)
{
    struct driver *d = arg;
    struct fixture f;
    for (size_t i = 0; i < d->n_made; i++)
        if (strcmp(d->made[i].name, name) == 0) {
            *ret_world = d->made[i].world;
            return 0;
        }
    if (fixture_load(&d->arena, NULL, name, &f, err) < 0)
        return -1;
    const struct sosia_world_options opt = {
        .seed_doc = f.text, .seed_doc_len = f.len, .seed_doc_name = f.file};
    if (sosia_world_create(d->engine, &opt, ret_world, err) < 0)
        return -1;
    if (d->n_made < SOSIA_LEN(d->made))
        d->made[d->n_made++] = (struct made_fixture){.name = name, .world = *ret_world};
    return 0;
}

static int issue(const struct workflow_start *s, const char *actor, char token[SOSIA_TOKEN_MAX],
                 struct sosia_err *err)
{
    const struct sosia_token_options opt = {.actor = actor};
    return sosia_token_issue(s->engine, s->world, &opt, token, SOSIA_TOKEN_MAX, err);
}

/* ---- a command ---- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The environment without what is of this program, and with what leads to the world. */
static char **environment(const struct driver *d, const struct workflow_start *s, const char *key,
                          const char *token)
{
    size_t n = 0, k = 0;
    int len = (int)strlen(d->url);
    while (environ[n])
        n++;
    char **list = arena_calloc(s->arena, n + 8, sizeof *list);
    for (size_t i = 0; i < n; i++)
        if (!str_starts(environ[i], "SOSIA_"))
            list[k++] = environ[i];
    while (len && d->url[len - 1] == '/')
        len--;
    list[k++] = arena_printf(s->arena, "SOSIA_URL=%.*s/w/%s", len, d->url, key);
    list[k++] = arena_printf(s->arena, "SOSIA_WORLD=%s", key);
    list[k++] = arena_printf(s->arena, "SOSIA_TOKEN=%s", token);
    list[k++] = arena_printf(s->arena, "SOSIA_ACTOR=%s", s->one->task->actor);
    list[k++] = arena_printf(s->arena, "SOSIA_PROMPT=%s", s->prompt ? s->prompt : "");
    list[k++] = arena_printf(s->arena, "SOSIA_RUN=%s", s->one->name);
    return list;
}

static int spawn(const struct driver *d, char **env, int out, pid_t *ret_pid, struct sosia_err *err)
{
    char *arguments[] = {(char *)"/bin/sh", (char *)"-c", (char *)d->command, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    int code = posix_spawnp(ret_pid, arguments[0], &files, &attr, arguments, env);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attr);
    return code ? sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s: %s", arguments[0], strerror(code))
                : 0;
}

/* Reads what it says until it has ended or its time is over; held calls are decided meanwhile. 1:
 * it has ended, 0: it has not. */
static int wait_for(const struct driver *d, const struct workflow_start *s, pid_t pid, int in,
                    struct buf *said, int *ret_status, struct sosia_err *err)
{
    struct pollfd p = {.fd = in, .events = POLLIN};
    double until = now() + (double)d->most_s;
    char chunk[4096];
    size_t decided;
    while (now() < until) {
        ssize_t n = poll(&p, 1, 20) > 0 ? read(in, chunk, sizeof chunk) : -1;
        if (n > 0 && said->len < ANSWER_MAX)
            buf_add(said, chunk, (size_t)n);
        if (n == 0)
            p.fd = -1; /* it says nothing more */
        if (workflow_decide(s->engine, s->workflow, s->world, &decided, err) < 0)
            return -1;
        if (n > 0)
            continue;
        pid_t got = waitpid(pid, ret_status, WNOHANG);
        if (got == pid && p.fd >= 0) { /* what is in the pipe yet */
            while (poll(&p, 1, 0) > 0 && (n = read(in, chunk, sizeof chunk)) > 0)
                if (said->len < ANSWER_MAX)
                    buf_add(said, chunk, (size_t)n);
        }
        if (got == pid)
            return 1;
    }
    return 0;
}

static const char *answer_of(struct arena *a, struct buf *said)
{
    while (said->len && strchr(" \r\n\t", said->data[said->len - 1]))
        said->len--;
    return said->len && utf8_valid(said->data, said->len) && !memchr(said->data, 0, said->len)
               ? arena_memdup(a, said->data, said->len)
               : NULL;
}

int drive_command(void *arg, const struct workflow_start *s, const char **ret_answer,
                  const char **ret_why, struct sosia_err *err)
{
    const struct driver *d = arg;
    struct sosia_world_info info;
    char token[SOSIA_TOKEN_MAX];
    struct buf said;
    int ends[2], status = 0;
    pid_t pid;
    if (sosia_world_info(s->engine, s->world, &info, err) < 0 ||
        issue(s, s->one->task->actor, token, err) < 0)
        return -1;
    if (pipe2(ends, O_CLOEXEC) < 0)
        return sosia_fail(err, SOSIA_E_IO, NULL, NULL, "pipe: %s", strerror(errno));
    buf_init(&said, 0);
    int rc = spawn(d, environment(d, s, info.key, token), ends[1], &pid, err);
    close(ends[1]);
    if (rc == 0) {
        int ended = wait_for(d, s, pid, ends[0], &said, &status, err);
        if (ended != 1) {
            kill(-pid, SIGKILL);
            while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
                ;
        }
        rc = ended < 0 ? -1 : 0;
        *ret_why = ended != 1                                  ? "the command did not end in time"
                   : WIFEXITED(status) && !WEXITSTATUS(status) ? NULL
                                                               : "the command ended with a failure";
        *ret_answer = answer_of(s->arena, &said);
    }
    close(ends[0]);
    buf_done(&said);
    return rc;
}

/* ---- recordings ---- */

/* DIR/KIND/TASK.ndjson: a line with what was said, and one for each entry of the journal. */
static const char *path_of(struct arena *a, const char *dir, const struct workflow_case *one)
{
    return arena_printf(a, "%s/%s.ndjson", dir, one->name);
}

static const char *body_of(struct arena *a, const struct json *request, size_t *ret_len)
{
    const struct json *body = json_get(request, "body");
    const char *coded = json_get_str(body, "base64");
    uint8_t *data;
    *ret_len = 0;
    if (body && body->type == JSON_STRING) {
        *ret_len = body->n;
        return body->str;
    }
    return coded && base64_decode(a, coded, strlen(coded), &data, ret_len) == 0 ? (const char *)data
                                                                                : "";
}

/* A call as it was recorded; one that is held is made again when it was decided. */
static int call_again(const struct workflow_start *s, const struct json *entry,
                      struct sosia_err *err)
{
    const struct json *request = json_get(entry, "request"), *list = json_get(request, "headers");
    const char *actor = json_get_str(entry, "actor"), *type = json_get_str(list, "content-type");
    struct sosia_response *response;
    char token[SOSIA_TOKEN_MAX];
    size_t len, decided;
    if (!actor || !request || json_get_true(request, "part"))
        return 0;
    if (issue(s, actor, token, err) < 0)
        return -1;
    struct sosia_header headers[3] = {
        {"Authorization", arena_printf(s->arena, "Bearer %s", token)}};
    size_t n = 1;
    if (type)
        headers[n++] = (struct sosia_header){"Content-Type", type};
    if (json_get_str(request, "host"))
        headers[n++] = (struct sosia_header){"Host", json_get_str(request, "host")};
    const char *body = body_of(s->arena, request, &len);
    const struct sosia_request call = {.method = json_get_str(request, "verb"),
                                       .target = json_get_str(request, "target"),
                                       .headers = headers,
                                       .n_headers = n,
                                       .body = body,
                                       .body_len = len};
    if (!call.method || !call.target)
        return 0;
    for (int k = 0; k < 2; k++) {
        if (sosia_call(s->engine, s->world, &call, &response, err) < 0)
            return -1;
        bool refused = response->status >= 400;
        sosia_response_free(response);
        if (workflow_decide(s->engine, s->workflow, s->world, &decided, err) < 0)
            return -1;
        if (!refused || !decided)
            break;
    }
    return 0;
}

int drive_recorded(void *arg, const struct workflow_start *s, const char **ret_answer,
                   const char **ret_why, struct sosia_err *err)
{
    const struct driver *d = arg;
    const char *path = path_of(s->arena, d->runs, s->one);
    const struct json *entry;
    struct buf text;
    int rc = 0;
    size_t line = 0;
    buf_init(&text, 0);
    if (access(path, R_OK) < 0) {
        *ret_why = "there is no recording of it";
        return 0;
    }
    if (read_file(path, &text) < 0)
        rc = sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s: can't be read", path);
    for (size_t at = 0; rc == 0 && at < text.len;) {
        const char *end = memchr(text.data + at, '\n', text.len - at);
        size_t n = end ? (size_t)(end - text.data) - at : text.len - at;
        struct sosia_err why;
        line++;
        if (n && json_parse(s->arena, text.data + at, n, NULL, &entry, &why) < 0)
            rc = sosia_fail(err, SOSIA_E_INVALID, NULL, NULL, "%s:%zu: must be JSON: %s", path,
                            line, why.text);
        else if (n && json_get(entry, "recorded"))
            *ret_answer = json_get_str(entry, "answer");
        else if (n)
            rc = call_again(s, entry, err);
        at += n + 1;
    }
    buf_done(&text);
    return rc;
}

int driver_keep(void *arg, const struct workflow_case *one, const char *answer,
                const struct json *journal, struct sosia_err *err)
{
    const struct driver *d = arg;
    struct json_writer w;
    struct arena a;
    struct buf out;
    if (!d->record)
        return 0;
    arena_init(&a, 0);
    json_start(&w, &out);
    json_obj(&w, NULL);
    json_str(&w, "recorded", one->name);
    json_str_opt(&w, "answer", answer);
    json_end(&w);
    buf_byte(&out, '\n');
    for (uint32_t i = 0; i < journal->n; i++) {
        buf_puts(&out, json_to_text(&a, &journal->items[i]));
        buf_byte(&out, '\n');
    }
    char *path = arena_strdup(&a, path_of(&a, d->record, one)), *slash = strrchr(path, '/');
    mkdir(d->record, 0777);
    *slash = 0;
    mkdir(path, 0777);
    *slash = '/';
    int rc = arena_failed(&a) ? sosia_fail_memory(err) : write_file(path, &out);
    if (rc < 0 && !err->text[0])
        sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s: can't be written", path);
    buf_done(&out);
    arena_done(&a);
    return rc;
}

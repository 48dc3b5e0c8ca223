/* SPDX-License-Identifier: Apache-2.0 */
/* For the targets of Slack: a workspace, and a method with any bytes as one of its arguments. */
#ifndef SOSIA_FUZZ_SLACK_H
#define SOSIA_FUZZ_SLACK_H

#include "engine/base/buf.h"
#include "engine/json/json.h"
#include "sosia.h"
#include "fuzz/fuzz.h"

static const char SLACK_DOC[] =
    "{\"sosia\":1,\"time\":\"2026-02-15T20:00:00Z\",\"people\":[{\"email\":\"ada@acme.example\"},"
    "{\"email\":\"bob@acme.example\"}],\"workspaces\":[{\"id\":\"T0ACME\",\"domain\":\"acme\","
    "\"members\":[{\"actor\":\"ada@acme.example\",\"id\":\"U0ADA\",\"name\":\"ada\"},"
    "{\"actor\":\"bob@acme.example\",\"id\":\"U0BOB\",\"name\":\"bob\"}]}],\"channels\":["
    "{\"id\":\"C0DEV\",\"name\":\"dev\",\"members\":[\"U0ADA\",\"U0BOB\"]}],\"messages\":["
    "{\"channel\":\"dev\",\"from\":\"U0ADA\",\"ts\":\"1771100000.000100\",\"text\":\"Hello *bold* "
    "plan <https://x.example|x>\",\"reactions\":[{\"name\":\"eyes\",\"by\":[\"U0BOB\"]}]},"
    "{\"channel\":\"dev\",\"from\":\"U0BOB\",\"ts\":\"1771100001.000100\",\"text\":\"caf\xC3\xA9 "
    "<@U0ADA> foo_bar\"}]}";

struct slack_world {
    struct sosia_engine *engine;
    uint64_t base, world;
    char bearer[SOSIA_TOKEN_MAX + 16];
};

/* Of a document in which there is somebody; app: the client id of that which acts, or NULL. The
 * token is in the document, so that it is good in forks and the world has no pages of its own. */
static inline void slack_world_as(struct slack_world *s, const char *doc, const char *actor,
                                  const char *app)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "{\"tokens\":[{\"token\":\"fixed-fuzz-token\",\"actor\":\"%s\"", actor);
    if (app)
        buf_printf(&b, ",\"app\":\"%s\"", app);
    buf_printf(&b, "}],%s", doc + 1);
    struct sosia_world_options opt = {.seed_doc = buf_str(&b), .seed_doc_len = b.len};
    s->engine = fuzz_engine(NULL);
    MUST(sosia_world_create(s->engine, &opt, &s->base, &why));
    snprintf(s->bearer, sizeof s->bearer, "Bearer fixed-fuzz-token");
    buf_done(&b);
}

static inline void slack_world_of(struct slack_world *s, const char *doc)
{
    slack_world_as(s, doc, "ada@acme.example", NULL);
}

static inline void slack_world_open(struct slack_world *s)
{
    slack_world_of(s, SLACK_DOC);
}

static inline void slack_world_fork(struct slack_world *s)
{
    MUST(sosia_world_fork(s->engine, s->base, NULL, &s->world, &why));
}

static inline void slack_world_drop(struct slack_world *s)
{
    MUST(sosia_world_drop(s->engine, s->world, &why));
}

/* What is dumped is taken, and dumped again as it was. That takes ten times as long as a call, so
 * that one of four is looked at, the first of a process always: what was found is found again. */
static inline void slack_check_dump(struct slack_world *s)
{
    static unsigned n;
    struct sosia_blob text, again;
    uint64_t copy;
    if (n++ % 4)
        return;
    MUST(sosia_world_dump(s->engine, s->world, &text, &why));
    struct sosia_world_options opt = {.seed_doc = text.data, .seed_doc_len = text.len};
    MUST(sosia_world_create(s->engine, &opt, &copy, &why));
    MUST(sosia_world_dump(s->engine, copy, &again, &why));
    CHECK(text.len == again.len && memcmp(text.data, again.data, text.len) == 0);
    MUST(sosia_world_drop(s->engine, copy, &why));
    sosia_blob_free(&again);
    sosia_blob_free(&text);
}

/* A method whose last argument (more ends with its name and =) is any bytes. It is answered with a
 * JSON object that says whether all is well; free. */
static inline struct sosia_response *slack_any(struct slack_world *s, const char *method,
                                               const char *more, const void *data, size_t size,
                                               struct arena *a, const struct json **ret)
{
    struct sosia_header headers[] = {{"Authorization", s->bearer},
                                     {"Content-Type", "application/x-www-form-urlencoded"}};
    struct sosia_response *res;
    struct sosia_err err;
    struct buf b;
    char target[64];
    snprintf(target, sizeof target, "/api/%s", method);
    buf_init(&b, 0);
    buf_puts(&b, more);
    for (size_t i = 0; i < size; i++)
        buf_printf(&b, "%%%02X", ((const uint8_t *)data)[i]);
    struct sosia_request r = {.method = "POST",
                              .target = target,
                              .headers = headers,
                              .n_headers = 2,
                              .body = b.data,
                              .body_len = b.len};
    MUST(sosia_call(s->engine, s->world, &r, &res, &why));
    buf_done(&b);
    CHECK(res->status == 200);
    CHECK(json_parse(a, res->body, res->body_len, NULL, ret, &err) == 0);
    const struct json *ok = json_get(*ret, "ok");
    CHECK(ok && ok->type == JSON_BOOL && (ok->truth || json_get_str(*ret, "error")));
    CHECK(ok->truth || strcmp(json_get_str(*ret, "error"), "internal_error") != 0);
    return res;
}

static inline bool slack_ok_of(const struct json *v)
{
    return json_get(v, "ok")->truth;
}

#endif

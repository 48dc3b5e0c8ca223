/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/draft.h"
#include "engine/api/router.h"
#include "engine/base/codec.h"
#include "engine/base/made.h"
#include "engine/http/draft.h"
#include "engine/http/entry.h"
#include "engine/world/engine.h"
#include "engine/world/take.h"
#include "guard/action.h"
#include "services/drafts.h"

#define LABEL ENTRY_LABEL_OWN "draft"

const char *draft_label(const struct call *c)
{
    return call_request_header(c, LABEL);
}

/* ---- kinds ---- */

/* How many bytes of a path its end has; 0: it has another one. */
static size_t end_of(const char *path, size_t len, const char *end)
{
    size_t n = strlen(end), whole = len;
    if (n > 2 && strcmp(end + n - 2, "{}") == 0) {
        n -= 2;
        while (len && path[len - 1] != '/')
            len--;
        if (len == whole)
            return 0;
    }
    return len >= n && memcmp(path + len - n, end, n) == 0 ? whole - len + n : 0;
}

int64_t draft_kind_of(const struct call *c, const struct judged *j)
{
    if (!j->decision->of || !j->decision->of->policy->drafts || j->found.id || j->rewritten ||
        c->outcome || c->upload || c->form || !c->body || c->body->type != JSON_OBJECT ||
        draft_label(c) || call_draft_of(c) ||
        c->mask || /* an answer in part may lack the draft's id */
        strcmp(verb_name(c->verb), c->request->method) != 0) /* another one is meant */
        return 0;
    for (size_t i = 0; sosia_drafts[i]; i++) {
        const struct draft_kind *k = sosia_drafts[i];
        if (strcmp(k->method, c->route->id) == 0 && end_of(c->path, c->path_len, k->end) &&
            (!k->has || k->has(c->body)))
            return (int64_t)i + 1;
    }
    return 0;
}

bool draft_is_same(const struct call *c)
{
    for (size_t i = 0; draft_is(c, DRAFT_PROPOSE) && sosia_drafts[i]; i++)
        if (strcmp(sosia_drafts[i]->method, c->route->id) == 0)
            return true;
    return false;
}

/* ---- made by calls ---- */

#define HEADERS_MAX 64

/* The caller's headers without those that are about this request alone, with a label; NULL: with
 * none. */
static size_t headers_with(const struct sosia_request *r, const char *label,
                           struct sosia_header ret[HEADERS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_headers && n < HEADERS_MAX - 2; i++)
        if (!str_eq_nocase(r->headers[i].name, "Content-Type") &&
            !str_eq_nocase(r->headers[i].name, "Content-Length"))
            ret[n++] = r->headers[i];
    ret[n++] = (struct sosia_header){"Content-Type", "application/json"};
    if (label)
        ret[n++] = (struct sosia_header){LABEL, label};
    return n;
}

/* What is made now, with the caller's credential: the draft, in the place of draft_of, or with a
 * label what commits it. NULL: it could not be served. */
static struct sosia_response *make(const struct drafting *d, const struct draft *of,
                                   const char *draft_of, const char *label, uint64_t *ticket,
                                   struct sosia_err *err)
{
    struct sosia_header headers[HEADERS_MAX];
    struct served served;
    const struct known_request known = {
        .request = {.method = of->verb,
                    .target = of->target,
                    .headers = headers,
                    .n_headers = headers_with(d->request, label, headers),
                    .body = of->text,
                    .body_len = strlen(of->text),
                    .base_url = d->request->base_url},
        .draft_of = draft_of};
    struct sosia_response *r = call_anew(d->engine, d->world, &known, d->outer, &served, err);
    if (served.ticket > *ticket)
        *ticket = served.ticket;
    return r;
}

static int begin(const struct drafting *d, struct arena *a, struct draft *ret)
{
    const struct sosia_request *r = d->request;
    const struct draft_kind *kind = sosia_drafts[d->kind - 1];
    struct sosia_err ignored;
    size_t n = strcspn(r->target, "?"), end = end_of(r->target, n, kind->end);
    *ret = (struct draft){.arena = a, .query = r->target + n};
    if (!end || !r->body || json_parse(a, r->body, r->body_len, NULL, &ret->body, &ignored) < 0)
        return -1;
    ret->head = arena_printf(a, "%.*s", (int)(n - end), r->target);
    const char *in = strstr(kind->end, "{}");
    if (in)
        ret->id = arena_printf(a, "%.*s", (int)(end - (size_t)(in - kind->end)),
                               r->target + n - end + (in - kind->end));
    kind->draft(ret);
    return arena_failed(a) || !ret->text ? -1 : 0;
}

/* The member of a JSON object, in the arena; NULL: it has none. */
static const char *member(struct arena *a, const char *text, size_t len, const char *name)
{
    const struct json *v;
    struct sosia_err ignored;
    return json_parse(a, text, len, NULL, &v, &ignored) < 0 ? NULL : json_get_str(v, name);
}

/* The answer says what it is, and which action is to be approved. */
static int say(struct arena *a, struct sosia_response *made, const struct sosia_response *proposed,
               const char **ret_action)
{
    const char *text = NULL;
    for (size_t i = 0; proposed && i < proposed->n_headers; i++)
        if (strcmp(proposed->headers[i].name, GUARD_HEADER) == 0)
            text = proposed->headers[i].value;
    const char *action = text ? member(a, text, strlen(text), "action") : NULL;
    *ret_action = action;
    return !action
               ? 0
               : response_add(made, GUARD_HEADER,
                              arena_printf(a, "{\"status\":\"draft\",\"action\":\"%s\"}", action));
}

struct sosia_response *draft_serve(const struct drafting *d, struct sosia_response *r,
                                   struct served *served, struct sosia_err *err)
{
    struct sosia_response *made = NULL, *proposed = NULL;
    struct sosia_err ignored;
    const char *id, *action = NULL;
    struct arena a;
    struct draft of;
    arena_init(&a, 0);
    const char *digest = NULL;
    for (size_t i = 0; i < r->n_headers; i++)
        if (strcmp(r->headers[i].name, DRAFT_HEADER) == 0)
            digest = r->headers[i].value;
    if (!digest || begin(d, &a, &of) < 0) {
        arena_done(&a);
        return r;
    }
    made = make(d, &of, digest, NULL, &served->ticket, err);
    id = made && made->status < 300 ? member(&a, made->body, made->body_len, "id") : NULL;
    if (id) {
        sosia_drafts[d->kind - 1]->commit(&of, id);
        if (!arena_failed(&a) && of.text && of.target)
            proposed = make(d, &of, NULL, DRAFT_PROPOSE, &served->ticket, &ignored);
        if (say(&a, made, proposed, &action) < 0) {
            sosia_response_free(made);
            made = NULL;
            sosia_fail_memory(err);
        }
        if (made && action) /* a script may have decided at once */
            draft_commit(d->engine, d->world, action);
    }
    sosia_response_free(proposed);
    sosia_response_free(r);
    arena_done(&a);
    return made;
}

/* ---- committed ---- */

/* Without the host that the caller sent it to: that is of the server, and a replay has another. */
const char *draft_request(const struct call *c)
{
    bool staged = draft_is(c, DRAFT_STAGE);
    struct json_writer w;
    struct buf b;
    if (!staged && !draft_is(c, DRAFT_PROPOSE))
        return NULL;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "verb", c->request->method);
    json_str(&w, "target",
             arena_printf(c->tx.arena, "%.*s%s%.*s", (int)c->path_len, c->path,
                          c->query_len ? "?" : "", (int)c->query_len, c->query ? c->query : ""));
    json_str_opt(&w, "type", staged ? call_request_header(c, "Content-Type") : NULL);
    json_bool_opt(&w, "staged", staged);
    json_strn(&w, "body", c->request->body ? c->request->body : "", c->request->body_len);
    json_end(&w);
    const char *text = buf_made(&b, c->tx.arena);
    return text;
}

struct approved {
    const char *action;
    struct arena *arena;
    const char *actor, *app, *request; /* NULL: there is nothing to be made */
};

static int read_approved(struct tx *tx, struct json_writer *w, void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select actor, app, request from guard_action where name = :name and state = "
                 "'approved' and request is not null");
    struct approved *a = arg;
    json_raw(w, NULL, "null", 4);
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, a->action), &a->actor, &a->app, &a->request);
    if (r != 1)
        return r;
    return arena_failed(a->arena) ? sosia_fail_memory(tx->err) : 0;
}

static void make_approved(struct sosia_engine *e, uint64_t world, const struct approved *a)
{
    char token[SOSIA_TOKEN_MAX];
    const struct json *v;
    struct sosia_err err;
    struct sosia_response *r;
    const struct sosia_token_options opt = {.actor = a->actor, .app = *a->app ? a->app : NULL};
    if (json_parse(a->arena, a->request, strlen(a->request), NULL, &v, &err) < 0 ||
        json_is_true(json_get(v, "staged")) || /* its caller commits it */
        sosia_token_issue(e, world, &opt, token, sizeof token, &err) < 0)
        return;
    const char *body = json_get_str(v, "body");
    const struct sosia_header headers[] = {
        {"Authorization", arena_printf(a->arena, "Bearer %s", token)},
        {"Content-Type", "application/json"},
        {LABEL, a->action}};
    const struct sosia_request request = {.method = json_get_str(v, "verb"),
                                          .target = json_get_str(v, "target"),
                                          .headers = headers,
                                          .n_headers = SOSIA_LEN(headers),
                                          .body = body,
                                          .body_len = strlen(body)};
    if (!arena_failed(a->arena) && sosia_call(e, world, &request, &r, &err) == 0)
        sosia_response_free(r);
}

void draft_commit(struct sosia_engine *e, uint64_t world, const char *action)
{
    struct arena arena;
    struct sosia_blob blob;
    struct approved a = {.action = action, .arena = &arena};
    arena_init(&arena, 0);
    if (world_read(e, world, false, read_approved, &a, &blob, NULL) == 0) {
        sosia_blob_free(&blob);
        if (a.request)
            make_approved(e, world, &a);
    }
    arena_done(&arena);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The public functions about callers: actors, tokens, credential files. The engine's resolver
 * has the data. */
#include "engine/http/principal.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/http/token.h"
#include "engine/world/engine.h"
#include <stdio.h>
#include <stdlib.h>

const struct resolver *resolver_of(struct tx *tx)
{
    for (const struct sosia_core **c = tx->engine->cores; *c; c++)
        if ((*c)->resolver)
            return (*c)->resolver;
    tx_fail(tx, SOSIA_E_UNAUTHENTICATED, "invalid", NULL, "this engine has no identity service");
    return NULL;
}

/* The actor that a caller of the public interface names. */
static int find(struct tx *tx, const char *name, struct actor *ret)
{
    const struct resolver *resolver = resolver_of(tx);
    int r = resolver ? resolver->find(tx, name, ret) : -1;
    return r == 0 ? tx_fail(tx, SOSIA_E_NOT_FOUND, "actorNotFound", "actor",
                            "there is nobody \"%.80s\"", name)
                  : r;
}

/* ---- in a transaction on a world ---- */

struct visit {
    struct worker *worker;
    struct world *world;
    struct tx tx;
};

static int visit_begin(struct visit *v, struct sosia_engine *e, uint64_t world, bool write,
                       struct sosia_err *err)
{
    v->worker = worker_take(e, err);
    if (!v->worker)
        return -1;
    v->world = world_take(e, world, err);
    if (v->world && write && (v->world->flags & WORLD_SNAPSHOT))
        sosia_fail(err, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be changed");
    else if (v->world &&
             tx_begin(&v->tx, e, v->world, v->worker, write, world_now(v->world), err) == 0)
        return 0;
    if (v->world)
        world_drop(v->world);
    worker_drop(v->worker);
    return -1;
}

/* Commits what succeeded, with an entry of the journal, and waits for the disk. */
static int visit_end(struct visit *v, int rc, void (*note)(struct visit *v, void *arg), void *arg)
{
    struct sosia_engine *e = v->tx.engine;
    struct sosia_err *err = v->tx.err;
    if (rc < 0 || !v->tx.write) {
        tx_rollback(&v->tx);
    } else if ((rc = tx_publish(&v->tx)) == 0) {
        if (note)
            note(v, arg);
        rc = world_changed(e, v->world, err);
        if (rc == 0)
            outbox_notify(&v->tx);
    }
    uint64_t ticket = v->world->ticket;
    world_drop(v->world);
    worker_drop(v->worker);
    return rc < 0 ? -1 : engine_sync(e, ticket, err);
}

/* ---- tokens ---- */

/* A change of the world that is not a call: its entry has no secret, unless all is kept. */
struct token_note {
    const struct sosia_token_options *issued; /* NULL: it was revoked */
    const char *token;
    enum journal_keep keep;
};

static void write_note(struct json_writer *w, void *arg)
{
    const struct token_note *n = arg;
    const struct sosia_token_options *o = n->issued;
    json_obj(w, "control");
    json_str(w, "do", o ? "token" : "revoke");
    if (o) {
        json_str(w, "actor", o->actor);
        json_str_opt(w, "scopes", o->scopes);
        json_str_opt(w, "app", o->app);
        json_str_opt(w, "kind", o->kind);
        json_str_opt(w, "prefix", o->prefix);
        if (o->ttl_us)
            json_int(w, "ttl_us", o->ttl_us);
    }
    if (n->keep == KEEP_FULL)
        json_str_opt(w, "value", n->token);
    json_end(w);
}

static void note_token(struct visit *v, void *arg)
{
    struct token_note *n = arg;
    n->keep = world_journal_keep(v->world);
    world_note(v->tx.engine, v->world, v->tx.now_us, write_note, n);
}

/* 0: never. */
static int64_t expiry(const struct sosia_token_options *opt, int64_t now_us)
{
    int64_t expires;
    return opt->ttl_us > 0 && !__builtin_add_overflow(now_us, opt->ttl_us, &expires) ? expires : 0;
}

static int issue(struct tx *tx, const struct sosia_token_options *opt, char *ret_token, size_t size)
{
    struct actor actor;
    if (find(tx, opt->actor, &actor) < 0)
        return -1;
    return resolver_of(tx)->issue(tx, &actor, opt, tx->write, expiry(opt, tx->now_us), ret_token,
                                  size);
}

/* Whether a token with these options is a row of the world. */
static bool is_stored(const struct sosia_token_options *opt)
{
    return opt->value || (opt->scopes && strlen(opt->scopes) > TOKEN_MAX_SCOPES);
}

int sosia_token_issue(struct sosia_engine *engine, uint64_t world,
                      const struct sosia_token_options *opt, char *ret_token, size_t size,
                      struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(opt, "opt", err) < 0 ||
        taken_pointer(ret_token, "ret_token", err) < 0)
        return -1;
    struct sosia_err local_err;
    struct visit v;
    if (!err)
        err = &local_err;
    struct sosia_token_options taken;
    if (TAKEN(sosia_token_options, &taken, opt, err) < 0 ||
        taken_pointer(taken.actor, "actor", err) < 0)
        return -1;
    opt = &taken;
    if (opt->ttl_us < 0)
        return sosia_fail(err, SOSIA_E_INVALID, "ttl", "ttl", "a time to live can't be negative");
    if (visit_begin(&v, engine, world, is_stored(opt), err) < 0)
        return -1;
    return visit_end(&v, issue(&v.tx, opt, ret_token, size), note_token,
                     &(struct token_note){.issued = opt, .token = opt->value});
}

int sosia_token_revoke(struct sosia_engine *engine, uint64_t world, const char *token,
                       struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(token, "token", err) < 0)
        return -1;
    struct sosia_err local_err;
    const struct token_claims *claims = NULL;
    struct visit v;
    if (!err)
        err = &local_err;
    if (visit_begin(&v, engine, world, true, err) < 0)
        return -1;
    int r = token_read(engine, v.worker, token, strlen(token), &claims);
    const struct resolver *resolver = resolver_of(&v.tx);
    if (r < 0 || (r && claims->world != world))
        r = sosia_fail(err, SOSIA_E_NOT_FOUND, NULL, "token", "there is no such token");
    else
        r = resolver ? resolver->revoke(&v.tx, token, r ? claims : NULL) : -1;
    return visit_end(&v, r, note_token, &(struct token_note){.token = token});
}

/* ---- consent ---- */

#define LINK_US INT64_C(3600000000) /* that a link is good for, where nobody says it */

static void write_link(struct json_writer *w, void *arg)
{
    json_obj(w, "control");
    json_str(w, "do", "link");
    json_str(w, "actor", arg);
    json_end(w);
}

static void note_link(struct visit *v, void *arg)
{
    world_note(v->tx.engine, v->world, v->tx.now_us, write_link, arg);
}

static int make_link(struct tx *tx, const char *name, int64_t expires_us, const char *base_url,
                     char *ret_link, size_t size)
{
    struct actor actor;
    const char *secret;
    char key[17];
    if (find(tx, name, &actor) < 0 || resolver_of(tx)->link(tx, &actor, expires_us, &secret) < 0)
        return -1;
    world_key(tx->world->id, key);
    int n = snprintf(ret_link, size, "%s/w/%s/consent?sosia_link=%s", base_url, key, secret);
    return n < 0 || (size_t)n >= size
               ? tx_fail(tx, SOSIA_E_TOO_LARGE, NULL, NULL, "no room for the link")
               : 0;
}

int sosia_consent_link(struct sosia_engine *engine, uint64_t world, const char *actor,
                       int64_t ttl_us, const char *base_url, char *ret_link, size_t size,
                       int64_t *ret_expires_us, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(actor, "actor", err) < 0 ||
        taken_pointer(base_url, "base_url", err) < 0 ||
        taken_pointer(ret_link, "ret_link", err) < 0)
        return -1;
    struct sosia_err local_err;
    struct visit v;
    int64_t expires;
    if (!err)
        err = &local_err;
    if (visit_begin(&v, engine, world, true, err) < 0)
        return -1;
    int rc = ttl_us < 0 || __builtin_add_overflow(v.tx.now_us, ttl_us ? ttl_us : LINK_US, &expires)
                 ? tx_fail(&v.tx, SOSIA_E_INVALID, "ttl", "ttl", "a time to live can't be so long")
                 : make_link(&v.tx, actor, expires, base_url, ret_link, size);
    if (rc == 0 && ret_expires_us)
        *ret_expires_us = expires;
    return visit_end(&v, rc, note_link, (void *)actor);
}

int sosia_registration(struct sosia_engine *engine, uint64_t world, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0)
        return -1;
    struct sosia_err local_err;
    struct visit v;
    if (!err)
        err = &local_err;
    if (visit_begin(&v, engine, world, false, err) < 0)
        return -1;
    const struct resolver *resolver = resolver_of(&v.tx);
    int r = resolver ? resolver->registration(&v.tx) : -1;
    return visit_end(&v, r < 0 ? -1 : 0, NULL, NULL) < 0 ? -1 : r;
}

/* ---- tokens of many worlds ---- */

struct token_series {
    struct sosia_engine *engine;
    const struct sosia_token_options *opt;
    struct tree tree; /* a reference to the rows that the form is of; base NULL: none */
    struct token_form form;
    bool begun; /* a token was issued: the second one makes the form */
};

int token_series_new(struct sosia_engine *e, const struct sosia_token_options *opt,
                     struct token_series **ret_series, struct sosia_err *err)
{
    struct token_series *s = calloc(1, sizeof *s);
    if (!s)
        return sosia_fail_memory(err);
    s->engine = e;
    s->opt = opt;
    *ret_series = s;
    return 0;
}

static void forget(struct token_series *s)
{
    if (s->tree.base)
        tree_done(&s->tree);
    token_form_done(&s->form);
}

void token_series_free(struct token_series *s)
{
    if (s)
        forget(s);
    free(s);
}

/* In the usual way; what was found out is kept for the next one, from the second one on. */
static int issue_first(struct token_series *s, uint64_t world, char *ret_token, size_t size,
                       struct sosia_err *err)
{
    struct visit v;
    if (s->opt->ttl_us < 0 || is_stored(s->opt))
        return sosia_token_issue(s->engine, world, s->opt, ret_token, size, err);
    forget(s);
    if (visit_begin(&v, s->engine, world, false, err) < 0)
        return -1;
    int rc = issue(&v.tx, s->opt, ret_token, size);
    if (rc == 0 && s->begun &&
        (rc = token_form_init(&s->form, s->engine, v.tx.arena, ret_token, err)) == 0)
        tree_fork(&v.world->now, &s->tree);
    s->begun = true;
    return visit_end(&v, rc, NULL, NULL);
}

int token_series_issue(struct token_series *s, uint64_t world, char *ret_token, size_t size,
                       struct sosia_err *err)
{
    if (!s->tree.base)
        return issue_first(s, world, ret_token, size, err);
    struct world *w = world_take(s->engine, world, err);
    if (!w)
        return -1;
    bool same = w->now.base == s->tree.base && w->now.root == s->tree.root &&
                w->now.n_pages == s->tree.n_pages;
    int64_t now_us = world_now(w);
    uint64_t ticket = w->ticket;
    world_drop(w);
    if (!same)
        return issue_first(s, world, ret_token, size, err);
    if (token_form_sign(&s->form, world, now_us, expiry(s->opt, now_us), ret_token, size, err) < 0)
        return -1;
    return engine_sync(s->engine, ticket, err);
}

/* ---- files of credentials ---- */

/* Whichever core knows the kind writes them. */
static int refuse_kind(struct tx *tx, const char *kind)
{
    char list[160] = "";
    size_t n = 0;
    for (const struct sosia_core **c = tx->engine->cores; *c; c++) {
        for (const char *const *k = (*c)->credential_kinds; k && *k; k++) {
            if (strcmp(*k, kind) == 0)
                return 0;
            int added = snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", *k);
            n += added > 0 && (size_t)added < sizeof list - n ? (size_t)added : 0;
        }
    }
    return tx_fail(tx, SOSIA_E_INVALID, "invalid", "kind", "kind must be one of %s, not \"%.40s\"",
                   list, kind);
}

static int write_credential(struct tx *tx, const char *kind, const char *name, const char *base_url,
                            struct buf *out)
{
    struct actor actor;
    if (refuse_kind(tx, kind) < 0 || find(tx, name, &actor) < 0)
        return -1;
    for (const struct sosia_core **c = tx->engine->cores; *c; c++) {
        int r = (*c)->credential ? (*c)->credential(tx, kind, &actor, base_url, out) : 0;
        if (r)
            return r < 0 ? -1 : 0;
    }
    return tx_fail(tx, SOSIA_E_NOT_FOUND, "credentialNotFound", "kind",
                   "%.80s has no credentials of the kind \"%.40s\"", name, kind);
}

int sosia_credential(struct sosia_engine *engine, uint64_t world, const char *kind,
                     const char *actor, const char *base_url, struct sosia_blob *ret_file,
                     struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(kind, "kind", err) < 0 ||
        taken_pointer(actor, "actor", err) < 0 || taken_pointer(ret_file, "ret_file", err) < 0)
        return -1;
    struct sosia_err local_err;
    struct visit v;
    struct buf out;
    if (!err)
        err = &local_err;
    if (visit_begin(&v, engine, world, false, err) < 0)
        return -1;
    buf_init(&out, 0);
    int rc = write_credential(&v.tx, kind, actor, base_url ? base_url : "", &out);
    if (rc == 0 && arena_failed(v.tx.arena))
        rc = sosia_fail_memory(err);
    rc = visit_end(&v, rc, NULL, NULL) < 0 ? -1 : buf_give(&out, ret_file, err);
    buf_done(&out);
    return rc;
}

/* ---- actors ---- */

struct range {
    int64_t after;
    int limit;
};

static int write_actors(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct range *range = arg;
    const struct resolver *resolver = resolver_of(tx);
    return resolver ? resolver->list(tx, range->after, range->limit, w) : -1;
}

int sosia_actor_list(struct sosia_engine *engine, uint64_t world, int64_t after, int limit,
                     struct sosia_blob *ret_json, struct sosia_err *err)
{
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 ||
        taken_pointer(ret_json, "ret_json", err) < 0)
        return -1;
    struct range range = {.after = after, .limit = limit};
    return world_read(engine, world, true, write_actors, &range, ret_json, err);
}

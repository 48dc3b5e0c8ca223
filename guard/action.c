/* SPDX-License-Identifier: Apache-2.0 */
#include "guard/action.h"
#include "engine/base/codec.h"
#include "engine/base/made.h"
#include "engine/send/program.h"
#include "engine/world/engine.h"
#include "grading/diff.h"
#include "guard/beside.h"
#include "guard/draft.h"
#include "guard/script.h"
#include "services/drafts.h"
#include <gnutls/crypto.h>
#include <stdio.h>
#include <stdlib.h>

#define ANSWER_MAX  65536 /* bytes of an answer that are kept */
#define ACTIONS_MAX 10000 /* of a world */
#define DRAFTS_MAX  500   /* of a caller, that were not asked for yet */

static int sha256(const void *data, size_t len, char ret_hex[65], struct sosia_err *err)
{
    uint8_t sum[32];
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, data, len, sum) < 0)
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "SHA-256 failed");
    hex_encode(ret_hex, sum, sizeof sum);
    return 0;
}

/* ---- canonical ---- */

static int by_key(const void *pa, const void *pb)
{
    const struct json_member *const *a = pa, *const *b = pb;
    return strcmp((*a)->key, (*b)->key);
}

/* Members in the order of their names; of several with one name the last. skip: names that are left
 * out; NULL: none are. */
static void canonical(struct arena *a, struct json_writer *w, const char *key, const struct json *v,
                      const char *const *skip)
{
    if (v->type == JSON_ARRAY) {
        json_arr(w, key);
        for (uint32_t i = 0; i < v->n; i++)
            canonical(a, w, NULL, &v->items[i], skip);
        json_end(w);
        return;
    }
    if (v->type != JSON_OBJECT) {
        json_value(w, key, v);
        return;
    }
    const struct json_member **list = arena_calloc(a, v->n + 1, sizeof(struct json_member *));
    json_obj(w, key);
    if (!arena_failed(a)) {
        for (uint32_t i = 0; i < v->n; i++)
            list[i] = &v->members[i];
        qsort(list, v->n, sizeof(struct json_member *), by_key);
        for (uint32_t i = 0; i < v->n; i++) {
            const char *const *s = skip;
            while (s && *s && strcmp(*s, list[i]->key) != 0)
                s++;
            if (!(s && *s) && (i + 1 == v->n || strcmp(list[i]->key, list[i + 1]->key) != 0))
                canonical(a, w, list[i]->key, &list[i]->value, skip);
        }
    }
    json_end(w);
}

static const char *canonical_text(struct arena *a, const struct json *v)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    canonical(a, &w, NULL, v, NULL);
    const char *text = buf_made(&b, a);
    return text;
}

int action_digest(struct call *c, struct judged *j, char ret_hex[65])
{
    const struct json *arguments = call_arguments(c, j);
    const char *text = arguments ? canonical_text(c->tx.arena, arguments) : NULL;
    bool raw = c->upload || c->route->body == BODY_RAW;
    if (!text || arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (raw && c->content.len && !c->content.data)
        return 1;
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "%s\n%lld\n%lld\n%s\n%s\n", c->actor.handle, (long long)c->app,
               (long long)c->account, c->route->id, text);
    if (draft_is_same(c)) /* the other one was answered with the draft */
        buf_puts(&b, "commit\n");
    if (raw && c->content.len)
        buf_add(&b, c->content.data, (size_t)c->content.len);
    int rc = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                            : sha256(buf_str(&b), b.len, ret_hex, c->tx.err);
    buf_done(&b);
    if (rc == 0 && raw && c->content.len)
        rc = sha256(c->content.data, (size_t)c->content.len, j->content, c->tx.err);
    return rc;
}

/* ---- what it would do ---- */

/* What differs between two runs of the same: names that are given anew, and what they are in. */
static const char *const given_anew[] = {"id",        "iCalUID", "threadId",  "ts",
                                         "key",       "name",    "seq",       "thread",
                                         "createdAt", "created", "inReplyTo", NULL};

static int shape_of(struct call *c, const struct changes *list, char ret_hex[65])
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < list->n; i++)
        buf_printf(&b, "%s %s %s\n", list->list[i].entity->name, change_words[list->list[i].kind],
                   list->list[i].about.person ? list->list[i].about.person : "");
    int rc = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                            : sha256(buf_str(&b), b.len, ret_hex, c->tx.err);
    buf_done(&b);
    return rc;
}

/* In the order of the entities, whatever their new names are. */
static int values_of(struct call *c, const struct changes *list, char ret_hex[65])
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = 0; i < list->n; i++) {
        const struct change *one = &list->list[i];
        json_obj(&w, NULL);
        json_str(&w, "entity", one->entity->name);
        json_str_opt(&w, "person", one->about.person);
        if (one->from)
            canonical(c->tx.arena, &w, "from", one->from, given_anew);
        if (one->to)
            canonical(c->tx.arena, &w, "to", one->to, given_anew);
        json_end(&w);
    }
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                            : sha256(buf_str(&b), b.len, ret_hex, c->tx.err);
    buf_done(&b);
    return rc;
}

int action_outcome(struct call *c, struct judged *j, struct action_outcome *ret)
{
    struct json_writer w;
    struct buf b;
    if (tx_do_later(&c->tx) < 0 || outcome_open(c, j) < 0)
        return -1;
    json_start(&w, &b);
    int rc = diff_write(&j->changes, &w);
    const char *text = buf_made(&b, c->tx.arena);
    ret->text = rc < 0 ? NULL : text;
    if (!ret->text || arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    return shape_of(c, &j->changes, ret->shape) < 0 || values_of(c, &j->changes, ret->hash) < 0 ? -1
                                                                                                : 0;
}

/* ---- rows ---- */

#define FOUND                                                                                      \
    "select id, name, state, edits, hash, outcome_hash, shape, expires_us, status, type, answer, " \
    "program, ran from guard_action where "

static int take_found(struct tx *tx, sqlite3_stmt *st, struct held_action *ret)
{
    *ret = (struct held_action){.id = sqlite3_column_int64(st, 0),
                                .name = tx_string(tx, st, 1),
                                .state = tx_string(tx, st, 2),
                                .edits = tx_string(tx, st, 3),
                                .hash = tx_string(tx, st, 4),
                                .outcome_hash = tx_string(tx, st, 5),
                                .shape = tx_string(tx, st, 6),
                                .expires_us = sqlite3_column_int64(st, 7),
                                .status = sqlite3_column_int(st, 8),
                                .type = tx_string(tx, st, 9),
                                .answer = tx_string(tx, st, 10),
                                .program = sqlite3_column_int64(st, 11),
                                .ran_len = (size_t)sqlite3_column_bytes(st, 12)};
    if (sqlite3_column_type(st, 12) != SQLITE_NULL)
        ret->ran = arena_memdup(tx->arena, sqlite3_column_blob(st, 12), ret->ran_len);
    sql_done(st);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 1;
}

int action_find(struct call *c, const char *digest, struct held_action *ret)
{
    static struct sql_text q =
        SQL_TEXT(FOUND "digest = :digest and actor = :actor and state <> 'drafted' and expires_us "
                       "> :now and held_us <= :now order by id desc limit 1");
    sqlite3_stmt *st;
    int r = TX_ROW(&c->tx, &q, &st, digest, c->actor.handle, c->tx.now_us);
    return r == 1 ? take_found(&c->tx, st, ret) : r;
}

int action_find_named(struct call *c, struct judged *j)
{
    static struct sql_text q =
        SQL_TEXT(FOUND "name = :name and actor = :actor and app = :app and method = :method and "
                       "arguments = :arguments and content = :content and request is not null and "
                       "expires_us > :now and held_us <= :now");
    const char *label = action_labelled(c);
    sqlite3_stmt *st;
    if (!label)
        return 0;
    const char *app = call_app(c, j);
    const char *arguments = canonical_text(c->tx.arena, call_arguments(c, j));
    if (!app || !arguments)
        return -1;
    int r = TX_ROW(&c->tx, &q, &st, label, c->actor.handle, app, c->route->id, arguments,
                   (const char *)j->content, c->tx.now_us);
    return r == 1 ? take_found(&c->tx, st, &j->found) : r;
}

/* The only one of an answer. 0, -1. */
static int number(struct tx *tx, sqlite3_stmt *st, int64_t *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r == 1) {
        *ret = sqlite3_column_int64(st, 0);
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

/* Is there room for one more? Drafts whose time is over go, but for the newest of all: names of
 * actions follow from it; and so does what programs left for actions whose time is over. 1, 0, -1.
 */
static int has_room(struct call *c, bool draft)
{
    static struct sql_text q_over =
        SQL_TEXT("delete from guard_action where state = 'drafted' and expires_us <= :now and "
                 "id < (select max(id) from guard_action)");
    static struct sql_text q_own = SQL_TEXT("select count(*) from guard_action where state = "
                                            "'drafted' and actor = :actor");
    static struct sql_text q = SQL_TEXT("select count(*) from guard_action");
    static struct sql_text q_ran =
        SQL_TEXT("update guard_action set ran = null where ran is not null and expires_us <= :now");
    int64_t n = 0, own = 0;
    if (TX_RUN(&c->tx, &q_ran, c->tx.now_us) < 0)
        return -1;
    if ((draft && (TX_RUN(&c->tx, &q_over, c->tx.now_us) < 0 ||
                   number(&c->tx, TX_QUERY(&c->tx, &q_own, c->actor.handle), &own) < 0)) ||
        number(&c->tx, TX_PLAIN(&c->tx, &q), &n) < 0)
        return -1;
    return n < ACTIONS_MAX && own < DRAFTS_MAX;
}

/* In no stream of ids, as what is held leaves all of them as they were. */
int action_name(struct tx *tx, const char *digest, char ret[ACTION_NAME_MAX])
{
    static struct sql_text q = SQL_TEXT("select coalesce(max(id), 0) from guard_action");
    char text[100], hex[65];
    int64_t n = 0;
    if (number(tx, TX_PLAIN(tx, &q), &n) < 0)
        return -1;
    snprintf(text, sizeof text, "%s %lld", digest, (long long)n);
    if (sha256(text, strlen(text), hex, tx->err) < 0)
        return -1;
    snprintf(ret, ACTION_NAME_MAX, "act_%.16s", hex);
    return 0;
}

static int insert(struct call *c, struct judged *j, const struct policy *p)
{
    static struct sql_text q = SQL_TEXT(
        "insert into guard_action (name, state, digest, actor, app, method, tool, arguments, "
        "policy, "
        "version, hash, rule, why, outcome, outcome_hash, shape, held_us, expires_us, request, "
        "token, content, program, ran, calls) "
        "values (:name, "
        ":state, :digest, :actor, :app, :method, :tool, :arguments, :policy, :version, :hash, "
        ":rule, :why, :outcome, :outcome_hash, :shape, :now, :expires, :request, :token, "
        ":content, nullif(:program, 0), iif(:program, :ran, null), :calls)");
    const struct asked *a = j->decision;
    const int64_t program = c->outcome ? program_suspended(c->resumed) : 0;
    const struct json *calls = program ? json_get(beside_of(c), "calls") : NULL;
    bool staged = draft_is(c, DRAFT_STAGE);
    char token[65];
    bool told = j->asks_token && c->token && call_token_digest(c, token) == 0;
    int64_t expires;
    int room = has_room(c, staged);
    if (room < 0)
        return -1;
    if (!room)
        return call_fail(c, SOSIA_E_FORBIDDEN, NULL, NULL, GUARD_REFUSED);
    if (__builtin_add_overflow(c->tx.now_us, p->expires_us, &expires))
        expires = INT64_MAX;
    const char *app = call_app(c, j);
    const char *arguments = canonical_text(c->tx.arena, call_arguments(c, j));
    if (!app ||
        TX_RUN(&c->tx, &q, (const char *)j->action, staged ? "drafted" : "held",
               (const char *)j->digest, c->actor.handle, app, c->route->id, c->tool, arguments,
               p->name, p->version, (const char *)p->hash, a->rule ? a->rule->id : NULL, a->why,
               j->outcome->text, (const char *)j->outcome->hash, (const char *)j->outcome->shape,
               c->tx.now_us, expires, draft_request(c), told ? (const char *)token : NULL,
               (const char *)j->content, program,
               sql_blob(program ? c->outcome->body : "", program ? c->outcome->body_len : 0),
               calls && calls->n ? json_to_text(c->tx.arena, calls) : NULL) < 0)
        return -1;
    guard_state_of(&c->tx)->actions = true;
    j->found.id = tx_last_id(&c->tx);
    return staged ? 0 : script_begin(c, j, p, j->found.id);
}

/* A draft is asked for: its time begins, and what it would do now is what is decided on. */
static int ask_for(struct call *c, struct judged *j, const struct policy *p)
{
    static struct sql_text q = SQL_TEXT(
        "update guard_action set state = 'held', held_us = :now, expires_us = :expires, outcome = "
        ":outcome, outcome_hash = :outcome_hash, shape = :shape, policy = :policy, version = "
        ":version, hash = :hash, rule = :rule, why = :why where id = :id");
    const struct asked *a = j->decision;
    int64_t expires;
    if (__builtin_add_overflow(c->tx.now_us, p->expires_us, &expires))
        expires = INT64_MAX;
    if (TX_RUN(&c->tx, &q, c->tx.now_us, expires, j->outcome->text, (const char *)j->outcome->hash,
               (const char *)j->outcome->shape, p->name, p->version, (const char *)p->hash,
               a->rule ? a->rule->id : NULL, a->why, j->found.id) < 0)
        return -1;
    return script_begin(c, j, p, j->found.id);
}

/* The world has moved, or the policy has: what was decided was about something else. */
static int show_again(struct call *c, struct judged *j, const struct policy *p)
{
    static struct sql_text q =
        SQL_TEXT("update guard_action set state = 'held', outcome = :outcome, outcome_hash = "
                 ":outcome_hash, shape = :shape, policy = :policy, version = :version, hash = "
                 ":hash, decided_us = null, decided_by = null, via = null where id = :id");
    if (strcmp(j->found.state, "approved") != 0)
        return 0;
    return TX_RUN(&c->tx, &q, j->outcome->text, (const char *)j->outcome->hash,
                  (const char *)j->outcome->shape, p->name, p->version, (const char *)p->hash,
                  j->found.id);
}

int action_hold(struct call *c, struct judged *j)
{
    const struct policy *p = j->decision->of->policy;
    c->tx.undone = false; /* the outcome has ids in it, which are to be the same in a replay */
    if (!j->found.id)
        return insert(c, j, p);
    return strcmp(j->found.state, "drafted") == 0 ? ask_for(c, j, p) : show_again(c, j, p);
}

int action_executed(struct call *c, int64_t id)
{
    static struct sql_text q = SQL_TEXT(
        "update guard_action set state = 'executed', executed_us = :now, status = :status, "
        "type = :type, answer = :answer, ran = null where id = :id");
    const char *type = NULL, *answer = NULL;
    for (size_t i = 0; i < c->n_headers; i++)
        if (str_eq_nocase(c->headers[i].name, "Content-Type"))
            type = c->headers[i].value;
    if (!c->sent.blob.id && !c->stream && c->body_out->len <= ANSWER_MAX)
        answer = buf_str(c->body_out);
    return TX_RUN(&c->tx, &q, c->tx.now_us, (int64_t)c->status, type, answer, id);
}

static int action_drafted(struct call *c, struct judged *j, const char *digest, const char *method)
{
    static struct sql_text q = SQL_TEXT(
        "insert into guard_action (name, state, digest, actor, app, method, tool, arguments, "
        "policy, version, hash, why, outcome, outcome_hash, shape, held_us, expires_us, content) "
        "values "
        "(:name, 'held', :digest, :actor, :app, :method, :tool, :arguments, :policy, :version, "
        ":hash, :why, '{}', '', '', :now, :expires, '')");
    const struct policy *p = j->list[0].of->policy;
    const char *app = call_app(c, j);
    const char *arguments = canonical_text(c->tx.arena, call_arguments(c, j));
    char name[ACTION_NAME_MAX];
    int64_t expires;
    int room = has_room(c, false);
    if (room < 0 || action_name(&c->tx, digest, name) < 0)
        return -1;
    if (!room)
        return call_fail(c, SOSIA_E_FORBIDDEN, NULL, NULL, GUARD_REFUSED);
    if (__builtin_add_overflow(c->tx.now_us, p->expires_us, &expires))
        expires = INT64_MAX;
    if (!app || TX_RUN(&c->tx, &q, (const char *)name, digest, c->actor.handle, app, method,
                       c->tool, arguments, p->name, p->version, (const char *)p->hash,
                       "a draft was made in its place", c->tx.now_us, expires) < 0)
        return -1;
    guard_state_of(&c->tx)->actions = true;
    return action_executed(c, tx_last_id(&c->tx));
}

int draft_made(struct call *c, struct judged *j)
{
    const char *of = call_draft_of(c);
    size_t kind = of && *of >= '1' ? (size_t)(*of - '1') : 0;
    for (size_t i = 0; i < kind; i++)
        if (!sosia_drafts[i])
            return 0;
    if (!of || !sosia_drafts[kind] || *of < '1' || of[1] != '.' || strlen(of) != 66 || !j->n ||
        !c->tx.write || c->status >= 300)
        return 0;
    return action_drafted(c, j, of + 2, sosia_drafts[kind]->method);
}

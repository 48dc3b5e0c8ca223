/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/consent.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/world/evaluation.h"
#include "engine/world/take.h"
#include "identity/internal.h"
#include "identity/page.h"

#define MAX_REGISTERED 100 /* clients of a world that nobody has agreed to */
#define MAX_LINKS      10  /* of a person */

/* ---- registration ---- */

/* As the world's document says. 1, 0, -1. */
static int says_registration(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select 1 from meta where key = :key");
    int64_t one;
    return TX_INT(tx, &q, &one, "registration");
}

int consent_registration(struct tx *tx)
{
    return evaluation_registers_nobody(tx->world) ? 0 : says_registration(tx);
}

int consent_seed_setting(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into meta (key, value) values ('registration', :v)");
    static struct sql_text q_none = SQL_TEXT("delete from meta where key = :key");
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type != JSON_BOOL)
        return doc_fail(d, v, NULL, "must be true or false, not %s", json_to_text(tx->arena, v));
    return v->truth ? TX_RUN(tx, &q, "true") : TX_RUN(tx, &q_none, "registration");
}

int consent_dump_setting(struct tx *tx, struct json_writer *w)
{
    int r = says_registration(tx);
    if (r == 1)
        json_bool(w, "registration", true);
    return r < 0 ? -1 : 0;
}

/* After a new one: ends the one that is too many. Nothing came of it, so that nothing names it. */
static int end_unused(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("delete from ident_app where id = (select id from ident_app a where registered_us "
                 "is not null and not exists (select 1 from ident_token where app = a.id) order by "
                 "registered_us desc, id desc limit 1 offset :max)");
    return TX_RUN(tx, &q, MAX_REGISTERED);
}

int consent_register(struct tx *tx, struct ident_app *app)
{
    app->proven = true;
    app->registered_us = tx->now_us;
    return app_new(tx, app) < 0 ? -1 : end_unused(tx);
}

int consent_registered_used(struct tx *tx, int64_t app)
{
    static struct sql_text q = SQL_TEXT("update ident_app set registered_us = null where id = :id "
                                        "and registered_us is not null");
    return TX_RUN(tx, &q, app);
}

/* ---- links ---- */

int consent_link_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from ident_link where id = :id");
    return due_cancel(tx, IDENT_CORE, CONSENT_DUE, id) < 0 ? -1 : TX_RUN(tx, &q, id);
}

int consent_link_new(struct tx *tx, const struct actor *actor, int64_t expires_us,
                     const char **ret_secret)
{
    static const struct oauth_secret how = {"consent_link", "", 32, true};
    static struct sql_text q = SQL_TEXT("insert into ident_link (secret, actor, expires_us) values "
                                        "(:secret, :actor, :expires)");
    static struct sql_text q_old = SQL_TEXT("select id from ident_link where actor = :actor "
                                            "order by id desc limit 1 offset :max");
    int64_t old;
    if (strcmp(actor->kind, "person") != 0)
        return tx_fail(tx, SOSIA_E_INVALID, "actor", "actor",
                       "who agrees must be a person, \"%.80s\" is of kind %s", actor->handle,
                       actor->kind);
    *ret_secret = oauth_secret_new(tx, &how);
    if (!*ret_secret || TX_RUN(tx, &q, *ret_secret, actor->id, expires_us) < 0 ||
        due_add(tx, expires_us, IDENT_CORE, CONSENT_DUE, tx_last_id(tx)) < 0)
        return -1;
    int r = TX_INT(tx, &q_old, &old, actor->id, MAX_LINKS);
    return r == 1 ? consent_link_drop(tx, old) : r;
}

int consent_link_find(struct tx *tx, const char *secret, struct consent_proof *ret,
                      int64_t *ret_expires_us)
{
    static struct sql_text q = SQL_TEXT("select id, actor, expires_us from ident_link where "
                                        "secret = :secret and expires_us > :now");
    int64_t actor;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, secret, tx->now_us), &ret->link, &actor, ret_expires_us);
    if (r != 1)
        return r;
    return actor_by_id(tx, actor, &ret->who);
}

/* ---- proof ---- */

/* A whole link may be entered, or what is at its end alone. */
static const char *entered(const char *text)
{
    const char *at = strstr(text, CONSENT_LINK "=");
    return at ? at + strlen(CONSENT_LINK "=") : text;
}

static const char *cookie(struct call *c)
{
    static const char name[] = CONSENT_LINK "=";
    const char *p = call_request_header(c, "Cookie");
    while (p) {
        p += strspn(p, "; ");
        if (str_starts(p, name))
            return arena_memdup(c->tx.arena, p + strlen(name), strcspn(p + strlen(name), "; "));
        p = strchr(p, ';');
    }
    return NULL;
}

static bool covers(const struct call *c, const char *scopes)
{
    while (!c->scopes.all && *(scopes += strspn(scopes, " ,"))) {
        size_t n = strcspn(scopes, " ,");
        if (!call_has_scope(c, arena_memdup(c->tx.arena, scopes, n)))
            return false;
        scopes += n;
    }
    return true;
}

/* A person's own token, which no program was given, nor a service account that acts for him. */
static int by_token(struct call *c, const char *scopes)
{
    struct ident_token token;
    if (!c->actor.id || c->app || c->token_kind != TOKEN_USER ||
        strcmp(c->actor.kind, "person") != 0 || !covers(c, scopes))
        return 0;
    int r = c->claims || !c->token ? 0 : ident_token_find(&c->tx, c->token, &token);
    c->by_token |= r > 0;
    return r < 0 ? -1 : r == 0 || !token.service;
}

int consent_proof(struct call *c, const char *scopes, struct consent_proof *ret)
{
    const char *secret = call_query_item(c, CONSENT_LINK);
    int64_t expires;
    *ret = (struct consent_proof){.who = c->actor};
    int r = by_token(c, scopes);
    if (r)
        return r;
    secret = secret && *secret ? entered(secret) : cookie(c);
    return secret ? consent_link_find(&c->tx, secret, ret, &expires) : 0;
}

int consent_proof_used(struct tx *tx, const struct consent_proof *proof)
{
    return proof->link ? consent_link_drop(tx, proof->link) : 0;
}

void consent_show(struct buf *b, const struct consent_proof *proof, bool proven)
{
    if (proven) {
        buf_puts(b, "<p>You are ");
        html_add(b, proof->who.name);
        buf_puts(b, " (");
        html_add(b, proof->who.handle);
        buf_puts(b, ").</p>\n");
    } else {
        buf_puts(b, "<p>This program came by itself, so that who agrees proves who it is: with a "
                    "consent link, which <code>sosia consent PERSON</code> prints.</p>\n"
                    "<label>Consent link: <input name=\"" CONSENT_LINK
                    "\" autocomplete=\"off\" size=\"40\"></label>\n");
    }
}

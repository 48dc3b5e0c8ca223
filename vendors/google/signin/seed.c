/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OAuth in seed documents: the clients that programs are, refresh tokens they have already, service
 * accounts. What the flows keep for minutes (codes, devices, access tokens) is not in dumps.
 */
#include "engine/state/own.h"
#include "identity/sql.h"
#include "vendors/google/signin/internal.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"

/* ---- clients ---- */

static const char *const kinds[] = {"web", "installed", "tv", "any", NULL};
static const struct app_section clients = {
    .name = OAUTH_SECTION, .vendor = "google", .kinds = kinds};

static int seed_client(struct tx *tx, struct doc *d, const struct json *v)
{
    return app_seed(tx, d, v, &clients);
}

static int dump_client(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    return app_dump(tx, rowid, w, &clients);
}

static int seed_clients(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, OAUTH_SECTION, seed_client);
}

static int dump_clients(struct tx *tx, struct json_writer *w)
{
    return app_dump_section(tx, w, &clients);
}

/* After an insert that failed: what has to be alone is there already. */
static int taken(struct tx *tx, struct doc *d, const struct json *v, const char *member)
{
    return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, member), member) : -1;
}

/* ---- refresh tokens ---- */

static const struct member grant_members[] = {
    OWN_NEEDED("token", "The token, of at least 8 bytes"),
    OWN_NEEDED("client_id", "Whose it is"),
    OWN_NEEDED("actor", "For whom the program acts"),
    OWN_NEEDED("scopes", "With which scopes"),
};
static const struct form grant_form =
    FORM("A refresh token that a program has already", grant_members);

static int seed_grant(struct tx *tx, struct doc *d, const struct json *v)
{
    const char *token, *id, *scopes, *normal, *bad;
    struct ident_app client;
    struct actor actor;
    if (form_known(&(struct form_in){tx, d, v}, &grant_form) < 0 ||
        doc_str(d, v, "token", true, &token) < 0 || doc_str(d, v, "client_id", true, &id) < 0 ||
        ident_doc_actor(tx, d, v, "actor", true, &actor) < 0 ||
        doc_str(d, v, "scopes", true, &scopes) < 0)
        return -1;
    if (strlen(token) < 8)
        return doc_fail(d, json_get(v, "token"), "token", "a token has at least 8 bytes");
    if (oauth_scopes_normal(d->arena, scopes_written(d->arena, scopes), &normal, &bad) < 0)
        return doc_fail(d, json_get(v, "scopes"), "scopes", "\"%.80s\" is not a scope", bad);
    int r = app_find(tx, id, &client);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "client_id"), "client_id",
                                "there is no OAuth client \"%.80s\"", id);
    struct oauth_grant grant = {
        .token = token, .app = client.id, .actor = actor.id, .scopes = normal};
    if (oauth_grant_add(tx, &grant) < 0)
        return taken(tx, d, v, "token");
    if (oauth_consent_add(tx, client.id, actor.id, normal) == 0)
        return 0;
    return tx->err->code == SOSIA_E_LIMIT
               ? doc_fail(d, json_get(v, "scopes"), "scopes",
                          "are too many with those of the client's other tokens of this actor")
               : -1;
}

static int dump_grant(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct oauth_grant grant;
    struct ident_app client;
    struct actor actor;
    int r = oauth_grant_get(tx, rowid, &grant);
    if (r != 1 || (r = app_get(tx, grant.app, &client)) != 1 ||
        (r = actor_by_id(tx, grant.actor, &actor)) != 1)
        return r;
    json_str(w, "token", grant.token);
    json_str(w, "client_id", client.client_id);
    json_str(w, "actor", actor.handle);
    json_str(w, "scopes", grant.scopes);
    return 1;
}

/* ---- service accounts ---- */

static const struct member account_members[] = {
    OWN_NEEDED("email", "The address of an actor of kind service"),
    OWN("client_id", "Made from the address without it", "text"),
    OWN("key_id", "Of the public_key", "text"),
    OWN("public_key", "In PEM form; made from the address without it", "text"),
    OWN("delegation", "The scopes with which it may act for people of its organisation", "text"),
};
static const struct form account_form = FORM("A service account", account_members);

static int seed_account(struct tx *tx, struct doc *d, const struct json *v)
{
    struct ident_service s = {0};
    const char *delegation, *bad;
    if (form_known(&(struct form_in){tx, d, v}, &account_form) < 0 ||
        ident_doc_actor(tx, d, v, "email", true, &s.actor) < 0 ||
        doc_str(d, v, "client_id", false, &s.client_id) < 0 ||
        doc_str(d, v, "key_id", false, &s.key_id) < 0 ||
        doc_str(d, v, "public_key", false, &s.public_key) < 0 ||
        doc_str(d, v, "delegation", false, &delegation) < 0)
        return -1;
    if (strcmp(s.actor.kind, "service") != 0)
        return doc_fail(d, json_get(v, "email"), "email", "is of kind \"%s\", not \"service\"",
                        s.actor.kind);
    if (s.public_key && !jwt_key_usable(s.public_key))
        return doc_fail(d, json_get(v, "public_key"), "public_key",
                        "is not an RSA public key in PEM form");
    if (s.key_id && !s.public_key)
        return doc_fail(d, json_get(v, "key_id"), "key_id", "needs a public_key");
    if (delegation && oauth_scopes_normal(d->arena, scopes_written(d->arena, delegation),
                                          &s.delegation, &bad) < 0)
        return doc_fail(d, json_get(v, "delegation"), "delegation", "\"%.80s\" is not a scope",
                        bad);
    if (!s.client_id)
        s.client_id = google_subject(tx, &s.actor);
    return service_new(tx, &s) < 0 ? taken(tx, d, v, "email") : 0;
}

static int dump_account(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ident_service s;
    int r = service_get(tx, rowid, &s);
    if (r != 1)
        return r;
    json_str(w, "email", s.actor.handle);
    json_str(w, "client_id", s.client_id);
    json_str_opt(w, "key_id", s.key_id);
    json_str_opt(w, "public_key", s.public_key);
    json_str_opt(w, "delegation", s.delegation);
    return 1;
}

/* ---- as entities of diffs ---- */

static int grant_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select g.token from " IDENT_SQL_GRANTS " g where g.id = :id");
    return dump_key(tx, w, "token", &q, rowid);
}

static int account_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT(
        "select " IDENT_SQL_HANDLE("s.actor") " from " IDENT_SQL_SERVICES " s where s.id = :id");
    return dump_key(tx, w, "email", &q, rowid);
}

static const struct entity entities[] = {
    {.name = "oauth_client", .table = "ident_app", .key = app_key, .dump = dump_client},
    {.name = "oauth_refresh_token", .table = "ident_grant", .key = grant_key, .dump = dump_grant},
    {.name = "service_account", .table = "ident_service", .key = account_key, .dump = dump_account},
};

static const struct section sections[] = {
    {.name = OAUTH_SECTION,
     .seed = seed_clients,
     .dump = dump_clients,
     .dump_one = dump_client,
     .form = &app_client_form},
    {.name = "oauth_refresh_tokens",
     .seed_one = seed_grant,
     .ids = SECTION_IDS("select g.id from " IDENT_SQL_GRANTS " g order by g.token"),
     .dump_one = dump_grant,
     .form = &grant_form},
    {.name = "service_accounts",
     .seed_one = seed_account,
     .ids = SECTION_IDS("select s.id from " IDENT_SQL_SERVICES
                        " s order by " IDENT_SQL_HANDLE("s.actor")),
     .dump_one = dump_account,
     .form = &account_form},
};

const struct sosia_core google_oauth_core = {
    .name = "google_oauth",
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .credential = oauth_credential,
    .credential_kinds = oauth_credential_kinds,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OAuth in seed documents: the clients that programs are, refresh tokens they have already, service
 * accounts. What the flows keep for minutes (codes, devices, access tokens) is not in dumps.
 */
#include "engine/state/form.h"
#include "identity/shown.h"
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

/* Scopes in their own form, of a member that may be absent; of what is read. */
static int check_scopes(const struct form_in *in, const struct member *m, void *row)
{
    const char *text = member_text(m, row), *normal, *bad;
    if (!text)
        return 0;
    if (oauth_scopes_normal(in->d->arena, scopes_written(in->d->arena, text), &normal, &bad) < 0)
        return doc_refuse(in->d, in->value, m->name, "\"%.80s\" is not a scope", bad);
    member_put_text(m, row, normal);
    return 0;
}

/* ---- refresh tokens ---- */

static int check_token(const struct form_in *in, const struct member *m, void *row)
{
    return strlen(member_text(m, row)) < 8
               ? doc_refuse(in->d, in->value, m->name, "a token has at least 8 bytes")
               : 0;
}

static int read_holder(const struct form_in *in, const struct member *m, void *row)
{
    struct ident_app client;
    const char *id;
    if (doc_str(in->d, in->value, m->name, true, &id) < 0)
        return -1;
    int r = app_find(in->tx, id, &client);
    if (r == 1)
        member_put_number(m, row, client.id);
    return r == 1 ? 0
           : r < 0
               ? -1
               : doc_refuse(in->d, in->value, m->name, "there is no OAuth client \"%.80s\"", id);
}

static int client_name(struct tx *tx, int64_t id, const char **ret)
{
    struct ident_app client;
    int r = app_get(tx, id, &client);
    if (r == 1)
        *ret = client.client_id;
    return r;
}

static const struct reference client_reference = {.noun = "the client id of an OAuth client",
                                                  .name = client_name};

static const struct member grant_members[] = {
    {"token", "The token, of at least 8 bytes", TEXT_AT(struct oauth_grant, token),
     .flags = MEMBER_REQUIRED, .check = check_token},
    {"client_id", "Whose it is", REF_AT(struct oauth_grant, app, &client_reference),
     .flags = MEMBER_REQUIRED, .read = read_holder},
    {"actor", "For whom the program acts", REF_AT(struct oauth_grant, actor, &handle_reference),
     .flags = MEMBER_REQUIRED},
    {"scopes", "With which scopes", TEXT_AT(struct oauth_grant, scopes), .flags = MEMBER_REQUIRED,
     .check = check_scopes},
};
static const struct form grant_form =
    FORM("A refresh token that a program has already", grant_members);

static int seed_grant(struct tx *tx, struct doc *d, const struct json *v)
{
    struct oauth_grant grant = {.id = 0};
    if (form_read(&(struct form_in){tx, d, v}, &grant_form, &grant) < 0)
        return -1;
    if (oauth_grant_add(tx, &grant) < 0)
        return doc_taken(d, v, "token");
    if (oauth_consent_add(tx, grant.app, grant.actor, grant.scopes) == 0)
        return 0;
    return tx->err->code == SOSIA_E_LIMIT
               ? doc_refuse(d, v, "scopes",
                            "are too many with those of the client's other tokens of this actor")
               : -1;
}

static int dump_grant(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct oauth_grant grant;
    int r = oauth_grant_get(tx, rowid, &grant);
    if (r != 1)
        return r;
    return form_write(&(struct form_out){tx, w}, &grant_form, &grant) < 0 ? -1 : 1;
}

/* ---- service accounts ---- */

static int read_account(const struct form_in *in, const struct member *m, void *row)
{
    struct ident_service *s = row;
    if (ident_doc_actor(in->tx, in->d, in->value, m->name, true, &s->actor) < 0)
        return -1;
    return strcmp(s->actor.kind, "service") == 0
               ? 0
               : doc_refuse(in->d, in->value, m->name, "is of kind \"%s\", not \"service\"",
                            s->actor.kind);
}

static int write_account(const struct form_out *out, const struct member *m, const void *row)
{
    json_str(out->w, m->name, ((const struct ident_service *)row)->actor.handle);
    return 0;
}

static int check_key(const struct form_in *in, const struct member *m, void *row)
{
    const struct ident_service *s = row;
    if (s->public_key && !jwt_key_usable(s->public_key))
        return doc_refuse(in->d, in->value, m->name, "is not an RSA public key in PEM form");
    return s->key_id && !s->public_key
               ? doc_refuse(in->d, in->value, "key_id", "needs a public_key")
               : 0;
}

static const struct member account_members[] = {
    {"email", "The address of an actor of kind service", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED, .read = read_account, .write = write_account},
    {"client_id", "Made from the address without it", TEXT_AT(struct ident_service, client_id)},
    {"key_id", "Of the public_key", TEXT_AT(struct ident_service, key_id)},
    {"public_key", "In PEM form; made from the address without it",
     TEXT_AT(struct ident_service, public_key), .check = check_key},
    {"delegation", "The scopes with which it may act for people of its organisation",
     TEXT_AT(struct ident_service, delegation), .check = check_scopes},
};
static const struct form account_form = FORM("A service account", account_members);

static int seed_account(struct tx *tx, struct doc *d, const struct json *v)
{
    struct ident_service s = {.id = 0};
    if (form_read(&(struct form_in){tx, d, v}, &account_form, &s) < 0)
        return -1;
    if (!s.client_id)
        s.client_id = google_subject(tx, &s.actor);
    return service_new(tx, &s) < 0 ? doc_taken(d, v, "email") : 0;
}

static int dump_account(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ident_service s;
    int r = service_get(tx, rowid, &s);
    if (r != 1)
        return r;
    return form_write(&(struct form_out){tx, w}, &account_form, &s) < 0 ? -1 : 1;
}

/* ---- as entities of diffs ---- */

static const struct entity entities[] = {
    {.name = "oauth_client", .table = "ident_app", .key = app_key, .dump = dump_client},
    {.name = "oauth_refresh_token",
     .table = "ident_grant",
     .named = ENTITY_NAMED("token", "select token from " IDENT_SQL_GRANTS " where id = ?1"),
     .dump = dump_grant},
    {.name = "service_account",
     .table = "ident_service",
     .named =
         ENTITY_NAMED("email", "select " IDENT_SQL_HANDLE("s.actor") " from " IDENT_SQL_SERVICES
                                                                     " s where s.id = ?1"),
     .dump = dump_account},
};

static const struct section sections[] = {
    {.name = OAUTH_SECTION,
     .seed_one = seed_client,
     .ids = SECTION_IDS("select a.id from " IDENT_SQL_APPS " a where a.section = '" OAUTH_SECTION
                        "' order by a.client_id"),
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Registrations of apps: rows, and what documents say of them. */
#include "engine/state/own.h"
#include "vendors/microsoft/directory/registration.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "engine/world/take.h"
#include "identity/jwt.h"

enum { MAX_KEYS = 20 };

#define SELECT "select id, app, keys, id_tokens, access_tokens from ms_registration "

static int read_registration(struct tx *tx, sqlite3_stmt *st, struct ms_registration *ret)
{
    return TX_TAKE(tx, st, &ret->id, &ret->app, &ret->keys, &ret->id_tokens, &ret->access_tokens);
}

int ms_registration_of(struct tx *tx, int64_t app, struct ms_registration *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where app = :app");
    *ret = (struct ms_registration){.app = app, .keys = "[]"};
    return read_registration(tx, TX_QUERY(tx, &q, app), ret);
}

static int get_registration(struct tx *tx, int64_t id, struct ms_registration *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id");
    return read_registration(tx, TX_QUERY(tx, &q, id), ret);
}

size_t ms_registration_keys(struct tx *tx, const struct ms_registration *r,
                            const char *const **ret_base64)
{
    const struct json *list;
    struct sosia_err err;
    if (json_parse(tx->arena, r->keys, strlen(r->keys), NULL, &list, &err) < 0 ||
        list->type != JSON_ARRAY)
        return 0;
    const char **keys = arena_calloc(tx->arena, list->n + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < list->n; i++)
        keys[i] = list->items[i].type == JSON_STRING ? list->items[i].str : "";
    *ret_base64 = keys;
    return keys ? list->n : 0;
}

/* ---- documents ---- */

static bool is_certificate(struct arena *a, const char *base64)
{
    uint8_t *der;
    size_t n;
    return jwt_certificate_read(a, base64, &der, &n) == 0 && jwt_certificate_usable(der, n);
}

/* As the JSON that is stored. */
static int read_keys(struct tx *tx, struct doc *d, const struct json *v, const char **ret)
{
    const char **list;
    struct json_writer w;
    struct buf b;
    size_t n;
    if (doc_strings(d, v, "keyCredentials", &list, &n) < 0)
        return -1;
    if (n > MAX_KEYS)
        return doc_refuse(d, v, "keyCredentials", "must have at most %d items, not %zu", MAX_KEYS,
                          n);
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = 0; i < n; i++) {
        if (!is_certificate(tx->arena, list[i])) {
            buf_done(&b);
            return doc_refuse(d, v, "keyCredentials",
                              "must be base64 of X.509 certificates with RSA keys");
        }
        json_str(&w, NULL, list[i]);
    }
    json_end(&w);
    *ret = buf_keep(&b, tx->arena);
    return 0;
}

static const struct member registration_members[] = {
    OWN_NEEDED("app", "Its client id"),
    OWN("keyCredentials", "Its keys, as Graph has them", "list"),
    OWN("enableIdTokenIssuance", "It gets id tokens at once", "true or false"),
    OWN("enableAccessTokenIssuance", "It gets access tokens at once", "true or false"),
};
static const struct form registration_form = FORM("How an app is registered", registration_members);

static int registration_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q =
        SQL_TEXT("insert into ms_registration (app, keys, id_tokens, access_tokens) values (:app, "
                 ":keys, :id_tokens, :access_tokens)");
    struct ms_registration r = {.id = 0};
    struct ident_app app;
    const char *client_id;
    if (form_known(&(struct form_in){tx, d, v}, &registration_form) < 0 ||
        doc_str(d, v, "app", true, &client_id) < 0 ||
        doc_bool(d, v, "enableIdTokenIssuance", false, &r.id_tokens) < 0 ||
        doc_bool(d, v, "enableAccessTokenIssuance", false, &r.access_tokens) < 0 ||
        read_keys(tx, d, v, &r.keys) < 0)
        return -1;
    int found = app_find(tx, client_id, &app);
    if (found != 1 || !app.vendor || strcmp(app.vendor, "microsoft") != 0)
        return found < 0 ? -1
                         : doc_refuse(d, v, "app",
                                      "must be the client id of an app with the vendor microsoft, "
                                      "not \"%.80s\"",
                                      client_id);
    if (TX_RUN(tx, &q, app.id, r.keys, (int64_t)r.id_tokens, (int64_t)r.access_tokens) == 0)
        return 0;
    return doc_taken(d, v, "app");
}

static int registration_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_registration row;
    struct ident_app app;
    int r = get_registration(tx, rowid, &row);
    if (r == 1)
        r = app_get(tx, row.app, &app);
    if (r != 1)
        return r;
    json_str(w, "app", app.client_id);
    if (strcmp(row.keys, "[]") != 0)
        json_raw(w, "keyCredentials", row.keys, strlen(row.keys));
    json_bool_opt(w, "enableIdTokenIssuance", row.id_tokens);
    json_bool_opt(w, "enableAccessTokenIssuance", row.access_tokens);
    return 1;
}

static int registration_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_registration row;
    struct ident_app app;
    int r = get_registration(tx, rowid, &row);
    if (r == 1)
        r = app_get(tx, row.app, &app);
    if (r == 1)
        json_str(w, "app", app.client_id);
    return r < 0 ? -1 : 0;
}

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "microsoftApplications",
     .seed_one = registration_seed,
     .ids = SECTION_IDS("select id from ms_registration order by id"),
     .dump_one = registration_dump,
     .form = &registration_form},
};

static const struct entity entities[] = {
    {.name = "microsoft_application",
     .table = "ms_registration",
     .key = registration_key,
     .dump = registration_dump},
};

static const struct core_rule rules[] = {
    {"ms_registration", "not json_valid(keys) or json_type(keys) <> 'array' or "
                        "json_array_length(keys) > 20"},
    {NULL, NULL},
};

/* A program that has the key of one signs in as the app. */
static int check_registrations(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_registration where id > :after order by id limit 1");
    struct ms_registration row;
    int64_t id = 0;
    int r;
    while ((r = TX_INT(tx, &q, &id, id)) == 1) {
        const char *const *keys;
        if (get_registration(tx, id, &row) != 1)
            return -1;
        size_t n = ms_registration_keys(tx, &row, &keys);
        for (size_t i = 0; i < n; i++)
            if (!is_certificate(tx->arena, keys[i]))
                return tx_fail(tx, SOSIA_E_INVALID, "registration", "ms_registration",
                               "keys of ms_registration must be certificates with RSA keys");
    }
    return r;
}

const struct sosia_core microsoft_registrations_core = {
    .name = "microsoft_registrations",
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
    .check = check_registrations,
};

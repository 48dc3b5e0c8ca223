/* SPDX-License-Identifier: Apache-2.0 */
/* Registrations of apps: rows, and what documents say of them. */
#include "engine/state/stored.h"
#include "vendors/microsoft/directory/registration.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "identity/jwt.h"

enum { MAX_KEYS = 20 };

static struct stored registrations;

int ms_registration_of(struct tx *tx, int64_t app, struct ms_registration *ret)
{
    static struct sql_text q = SQL_TEXT("where app = ?1");
    *ret = (struct ms_registration){.app = app, .keys = "[]"};
    return STORED_ONE(tx, &registrations, &q, ret, app);
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
static int read_keys(const struct form_in *in, const struct member *m, void *row)
{
    const char **list;
    size_t n;
    if (doc_strings(in->d, in->value, m->name, &list, &n) < 0)
        return -1;
    if (n > MAX_KEYS)
        return doc_refuse(in->d, in->value, m->name, "must have at most %d items, not %zu",
                          MAX_KEYS, n);
    for (size_t i = 0; i < n; i++)
        if (!is_certificate(in->tx->arena, list[i]))
            return doc_refuse(in->d, in->value, m->name,
                              "must be base64 of X.509 certificates with RSA keys");
    if (n)
        member_put_text(m, row, json_to_text(in->tx->arena, json_get(in->value, m->name)));
    return 0;
}

static int find_app(struct tx *tx, const char *client_id, int64_t *ret)
{
    struct ident_app app;
    int r = app_find(tx, client_id, &app);
    if (r == 1)
        *ret = app.id;
    return r == 1 ? app.vendor && strcmp(app.vendor, "microsoft") == 0 : r;
}

static int name_app(struct tx *tx, int64_t id, const char **ret)
{
    return app_reference.name(tx, id, ret);
}

static const struct reference own_app = {
    .noun = "the client id of an app with the vendor microsoft",
    .unknown = "must be the client id of an app with the vendor microsoft, not",
    .find = find_app,
    .name = name_app};

static const struct member registration_members[] = {
    STORED_ID(struct ms_registration),
    {"app", "Its client id", REF_AT(struct ms_registration, app, &own_app),
     .flags = MEMBER_REQUIRED},
    {"keyCredentials", "Its keys, as Graph has them",
     KEPT_AT(struct ms_registration, keys, JSON_ARRAY), .usual_text = "[]", .read = read_keys,
     .inner = "*"},
    {"enableIdTokenIssuance", "It gets id tokens at once",
     BOOL_AT(struct ms_registration, id_tokens)},
    {"enableAccessTokenIssuance", "It gets access tokens at once",
     BOOL_AT(struct ms_registration, access_tokens)},
};
STORED_HERE(registrations, "How an app is registered", struct ms_registration, registration_members,
            NULL, .table = "ms_registration", .key = "app");

/* ---- the core ---- */

static const struct section sections[] = {
    {.name = "microsoftApplications",
     .stored = &registrations,
     .ids = SECTION_IDS("select id from ms_registration order by id")},
};

static const struct entity entities[] = {
    {.name = "microsoft_application", .table = "ms_registration", .stored = &registrations},
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
        if (stored_get(tx, &registrations, id, &row) != 1)
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

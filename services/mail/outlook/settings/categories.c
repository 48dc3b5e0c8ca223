/* SPDX-License-Identifier: Apache-2.0 */
/* The list of categories with their colours, and overrides of what is in focus (MG-390, 391). */
#include "engine/base/codec.h"
#include "services/mail/outlook/rows.h"

#define MAX_LISTED 500

static int setting_gone(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorItemNotFound", NULL,
                     "The specified object was not found in the store.");
}

/* A setting by the id in the path. 0, -1. */
static int of_path(struct call *c, const struct outlook_box *b, const char *kind, const char *param,
                   struct kept *ret)
{
    int r = mail_kept_get(&c->tx, &outlook_settings, b->mailbox.id, kind, param_str(c, param), ret);
    return r == 1 ? 0 : r < 0 ? -1 : setting_gone(c);
}

static int new_id(struct call *c, const char *kind, const char **ret)
{
    uint8_t bytes[16];
    char hex[33];
    if (tx_id(&c->tx, kind, bytes, sizeof bytes) < 0)
        return -1;
    hex_encode(hex, bytes, sizeof bytes);
    *ret = graph_guid(c->tx.arena, kind, hex);
    return 0;
}

static int check_room(struct call *c, const struct outlook_box *b, const char *kind)
{
    struct kept *list;
    size_t n;
    if (mail_kept_list(&c->tx, &outlook_settings, b->mailbox.id, kind, &list, &n) < 0)
        return -1;
    return n < MAX_LISTED ? 0
                          : call_fail(c, SOSIA_E_INVALID, "ErrorQuotaExceeded", NULL,
                                      "The mailbox has as many of these as it may.");
}

static void write_stored(struct json_writer *w, const struct kept *s, bool id_last)
{
    if (!id_last)
        json_str(w, "id", s->key);
    for (uint32_t i = 0; i < s->value->n; i++)
        json_value(w, s->value->members[i].key, &s->value->members[i].value);
    if (id_last)
        json_str(w, "id", s->key);
}

static int list_of(struct call *c, const char *kind, const char *at)
{
    struct outlook_box b;
    struct kept *list;
    size_t n;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 ||
        mail_kept_list(&c->tx, &outlook_settings, b.mailbox.id, kind, &list, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s", outlook_root(c, &b), at);
    json_arr(c->out, "value");
    for (size_t i = 0; i < n; i++) {
        json_obj(c->out, NULL);
        write_stored(c->out, &list[i], strcmp(kind, SETTING_OVERRIDE) == 0);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int answer_listed(struct call *c, const struct outlook_box *b, const char *kind,
                         const char *key, const char *at)
{
    struct kept s;
    if (mail_kept_get(&c->tx, &outlook_settings, b->mailbox.id, kind, key, &s) != 1)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s/$entity", outlook_root(c, b), at);
    write_stored(c->out, &s, strcmp(kind, SETTING_OVERRIDE) == 0);
    json_end(c->out);
    return 0;
}

/* ---- categories ---- */

#define CATEGORIES "outlook/masterCategories"

static int check_color(struct call *c, const char *color)
{
    int64_t n;
    if (str_eq_nocase(color, "none") ||
        (strncmp(color, "preset", 6) == 0 && parse_i64(color + 6, strlen(color + 6), &n) == 0 &&
         n >= 0 && n <= 24))
        return 0;
    return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                     "Requested value '%.60s' was not found.", color);
}

static int store_category(struct call *c, const struct outlook_box *b, const char *key,
                          const char *name, const char *color)
{
    struct kept_value text;
    mail_kept_begin(&text);
    json_str(&text.w, "displayName", name);
    json_str(&text.w, "color", color);
    return mail_kept_put(&c->tx, &outlook_settings, b->mailbox.id, SETTING_CATEGORY, key,
                         mail_kept_end(&c->tx, &text));
}

static int categories_list(struct call *c)
{
    return list_of(c, SETTING_CATEGORY, CATEGORIES);
}

static int categories_get(struct call *c)
{
    struct outlook_box b;
    struct kept s;
    return outlook_open(c, OUTLOOK_READ, &b) < 0 ||
                   of_path(c, &b, SETTING_CATEGORY, "category-id", &s) < 0
               ? -1
               : answer_listed(c, &b, SETTING_CATEGORY, s.key, CATEGORIES);
}

static int categories_create(struct call *c)
{
    struct outlook_box b;
    struct kept *list;
    const struct json *body;
    const char *id;
    int64_t folder;
    size_t n;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 || !(body = call_body(c)) ||
        check_room(c, &b, SETTING_CATEGORY) < 0 ||
        mail_kept_list(&c->tx, &outlook_settings, b.mailbox.id, SETTING_CATEGORY, &list, &n) < 0)
        return -1;
    const char *name = json_get_str(body, "displayName"), *color = json_get_str(body, "color");
    if (!name || !*name)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The category's display name is required.");
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(json_get_str(list[i].value, "displayName"), name))
            return call_fail(c, SOSIA_E_CONFLICT, "CategoryNameDuplicate", NULL,
                             "A category with the same display name already exists.");
    if (check_color(c, color ? color : "none") < 0 || new_id(c, "outlook.category", &id) < 0 ||
        store_category(c, &b, id, name, color ? color : "none") < 0)
        return -1;
    if (outlook_category_folder(&c->tx, b.mailbox.id, name, &folder) < 0)
        return outlook_refused(c);
    c->status = 201;
    return answer_listed(c, &b, SETTING_CATEGORY, id, CATEGORIES);
}

/* The name is fixed. */
static int categories_update(struct call *c)
{
    struct outlook_box b;
    struct kept s;
    const struct json *body;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 ||
        of_path(c, &b, SETTING_CATEGORY, "category-id", &s) < 0 || !(body = call_body(c)))
        return -1;
    const char *color = json_get_str(body, "color"), *name = json_get_str(body, "displayName");
    const char *is = json_get_str(s.value, "displayName");
    if (name && strcmp(name, is) != 0)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The display name of a category can't be changed.");
    if (color && (check_color(c, color) < 0 || store_category(c, &b, s.key, is, color) < 0))
        return -1;
    return answer_listed(c, &b, SETTING_CATEGORY, s.key, CATEGORIES);
}

static int categories_delete(struct call *c)
{
    struct outlook_box b;
    struct kept s;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 ||
        of_path(c, &b, SETTING_CATEGORY, "category-id", &s) < 0)
        return -1;
    c->status = 204;
    return mail_kept_remove(&c->tx, &outlook_settings, b.mailbox.id, SETTING_CATEGORY, s.key) < 0
               ? -1
               : 0;
}

/* ---- overrides ---- */

#define OVERRIDES "inferenceClassification/overrides"

static int overrides_list(struct call *c)
{
    return list_of(c, SETTING_OVERRIDE, OVERRIDES);
}

static int store_override(struct call *c, const struct outlook_box *b, const char *key,
                          const struct json *old, const struct json *body)
{
    const struct json *sender = json_get(old ? old : body, "senderEmailAddress");
    const char *as = json_get_str(body, "classifyAs");
    struct kept_value text;
    if (!as)
        as = json_get_str(old, "classifyAs");
    mail_kept_begin(&text);
    json_str(&text.w, "classifyAs", as ? as : "focused");
    json_obj(&text.w, "senderEmailAddress");
    json_str(&text.w, "name", json_get_str(sender, "name"));
    json_str(&text.w, "address", json_get_str(sender, "address"));
    json_end(&text.w);
    return mail_kept_put(&c->tx, &outlook_settings, b->mailbox.id, SETTING_OVERRIDE, key,
                         mail_kept_end(&c->tx, &text));
}

/* A sender has one: another POST changes it. */
static int overrides_create(struct call *c)
{
    struct outlook_box b;
    struct kept *list;
    const struct json *body;
    const char *id = NULL;
    size_t n;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 || !(body = call_body(c)) ||
        check_room(c, &b, SETTING_OVERRIDE) < 0 ||
        mail_kept_list(&c->tx, &outlook_settings, b.mailbox.id, SETTING_OVERRIDE, &list, &n) < 0)
        return -1;
    const char *email = json_get_str(json_get(body, "senderEmailAddress"), "address");
    if (!email || !email_normal(c->tx.arena, email))
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The sender's address is required.");
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(json_get_str(json_get(list[i].value, "senderEmailAddress"), "address"),
                          email))
            id = list[i].key;
    if ((!id && new_id(c, "outlook.override", &id) < 0) ||
        store_override(c, &b, id, NULL, body) < 0)
        return -1;
    c->status = 201;
    return answer_listed(c, &b, SETTING_OVERRIDE, id, OVERRIDES);
}

static int overrides_update(struct call *c)
{
    struct outlook_box b;
    struct kept s;
    const struct json *body;
    return outlook_open(c, OUTLOOK_WRITE, &b) < 0 ||
                   of_path(c, &b, SETTING_OVERRIDE, "override-id", &s) < 0 ||
                   !(body = call_body(c)) || store_override(c, &b, s.key, s.value, body) < 0
               ? -1
               : answer_listed(c, &b, SETTING_OVERRIDE, s.key, OVERRIDES);
}

static int overrides_delete(struct call *c)
{
    struct outlook_box b;
    struct kept s;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 ||
        of_path(c, &b, SETTING_OVERRIDE, "override-id", &s) < 0)
        return -1;
    c->status = 204;
    return mail_kept_remove(&c->tx, &outlook_settings, b.mailbox.id, SETTING_OVERRIDE, s.key) < 0
               ? -1
               : 0;
}

/* ---- the methods ---- */

static const struct param category_params[] = {USER_PARAM, PATH_PARAM("category-id")},
                          override_params[] = {USER_PARAM, PATH_PARAM("override-id")};

#define CATEGORY "/outlook/masterCategories/{category-id}"
#define OVERRIDE "/inferenceClassification/overrides/{override-id}"
#define ROW(name, verb, path, function, how, ...)                                                  \
    {                                                                                              \
        .id = name, .verbs = verb, .paths = PATHS(GRAPH_MY(path)), .handler = function,            \
        .risk = how, __VA_ARGS__                                                                   \
    }

static const struct route category_routes[] = {
    ROW("outlook.masterCategories.list", GET, "/outlook/masterCategories", categories_list,
        RISK_READ, .scopes = SETTINGS, PARAMS(outlook_user_params),
        .response = "microsoft.graph.outlookCategoryCollection",
        .summary = "Lists the categories and their colours"),
    ROW("outlook.masterCategories.create", POST, "/outlook/masterCategories", categories_create,
        RISK_WRITE, .scopes = SET, PARAMS(outlook_user_params), .body = BODY_JSON, .status = 201,
        .request = "microsoft.graph.outlookCategory", .response = "microsoft.graph.outlookCategory",
        .summary = "Makes a category"),
    ROW("outlook.masterCategories.get", GET, CATEGORY, categories_get, RISK_READ,
        .scopes = SETTINGS, PARAMS(category_params), .response = "microsoft.graph.outlookCategory",
        .summary = "A category"),
    ROW("outlook.masterCategories.update", PATCH, CATEGORY, categories_update, RISK_WRITE,
        .scopes = SET, PARAMS(category_params), .body = BODY_JSON, .idempotent = true,
        .request = "microsoft.graph.outlookCategory", .response = "microsoft.graph.outlookCategory",
        .summary = "Changes a category's colour"),
    ROW("outlook.masterCategories.delete", DELETE, CATEGORY, categories_delete, RISK_DESTRUCTIVE,
        .scopes = SET, PARAMS(category_params), .status = 204, .summary = "Removes a category"),
};
const struct rows outlook_category_rows = ROWS(category_routes);

static const struct route override_routes[] = {
    ROW("outlook.overrides.list", GET, "/inferenceClassification/overrides", overrides_list,
        RISK_READ, .scopes = READ, PARAMS(outlook_user_params),
        .response = "microsoft.graph.inferenceClassificationOverrideCollection",
        .summary = "Lists whose mail is always in focus, or never"),
    ROW("outlook.overrides.create", POST, "/inferenceClassification/overrides", overrides_create,
        RISK_WRITE, .scopes = WRITE, PARAMS(outlook_user_params), .body = BODY_JSON, .status = 201,
        .request = "microsoft.graph.inferenceClassificationOverride",
        .response = "microsoft.graph.inferenceClassificationOverride",
        .summary = "Says of a sender whether their mail is in focus"),
    ROW("outlook.overrides.update", PATCH, OVERRIDE, overrides_update, RISK_WRITE, .scopes = WRITE,
        PARAMS(override_params), .body = BODY_JSON, .idempotent = true,
        .request = "microsoft.graph.inferenceClassificationOverride",
        .response = "microsoft.graph.inferenceClassificationOverride",
        .summary = "Changes an override"),
    ROW("outlook.overrides.delete", DELETE, OVERRIDE, overrides_delete, RISK_DESTRUCTIVE,
        .scopes = WRITE, PARAMS(override_params), .status = 204, .summary = "Removes an override"),
};
const struct rows outlook_override_rows = ROWS(override_routes);

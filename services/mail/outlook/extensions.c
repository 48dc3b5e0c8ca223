/* SPDX-License-Identifier: Apache-2.0 */
/* What clients lay beside a message: open extensions, and MAPI properties by their ids. */
#include "engine/base/codec.h"
#include "services/mail/outlook/rows.h"
#include "services/mail/outlook/text.h"

/* ---- handlers ---- */

static const char *name_of_path(const struct call *c)
{
    const char *name = param_str(c, "extension-id");
    return str_starts(name, OUTLOOK_EXTENSION) ? name + strlen(OUTLOOK_EXTENSION) : name;
}

static int open_extended(struct call *c, enum outlook_need need, struct outlook_box *b,
                         struct outlook_item *i)
{
    return outlook_open(c, need, b) < 0 ? -1 : outlook_item_of_path(c, b, i);
}

static int answer_extension(struct call *c, const struct outlook_box *b, const struct kept *e)
{
    json_obj(c->out, NULL);
    graph_context(c, "%s/messages%s/extensions/$entity", outlook_root(c, b),
                  graph_key(c->tx.arena, param_str(c, "message-id")));
    for (uint32_t k = 0; k < e->value->n; k++)
        json_value(c->out, e->value->members[k].key, &e->value->members[k].value);
    json_end(c->out);
    return 0;
}

static int stored(struct call *c, const struct outlook_box *b, struct outlook_item *i,
                  const char *name)
{
    struct kept e;
    int r = mail_kept_get(&c->tx, &outlook_extras, i->message.id, "extension", name, &e);
    if (r == 1)
        return answer_extension(c, b, &e);
    return r < 0 ? -1
                 : call_fail(c, SOSIA_E_NOT_FOUND, "ErrorItemNotFound", NULL,
                             "The specified object was not found in the store.");
}

static int extensions_get(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    return open_extended(c, OUTLOOK_READ, &b, &i) < 0 ? -1 : stored(c, &b, &i, name_of_path(c));
}

static int extensions_create(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    const struct json *body;
    if (open_extended(c, OUTLOOK_WRITE, &b, &i) < 0 || !(body = call_body(c)))
        return -1;
    const char *name = json_get_str(body, "extensionName");
    if (!name || !*name || strlen(name) > 128)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The extension's name is required.");
    if (outlook_extension_put(c, &i, name, body) < 0 || outlook_item_touch(&c->tx, &i) < 0)
        return -1;
    c->status = 201;
    return stored(c, &b, &i, name);
}

/* A member that is null stays as it is (MG-548). */
static int extensions_update(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    struct kept e;
    struct kept_value text;
    const struct json *body;
    const char *name = name_of_path(c);
    if (open_extended(c, OUTLOOK_WRITE, &b, &i) < 0 || !(body = call_body(c)))
        return -1;
    int r = mail_kept_get(&c->tx, &outlook_extras, i.message.id, "extension", name, &e);
    if (r != 1)
        return r < 0 ? -1 : stored(c, &b, &i, name);
    mail_kept_begin(&text);
    for (uint32_t k = 0; k < e.value->n; k++) {
        const char *key = e.value->members[k].key;
        const struct json *v = json_get(body, key);
        const bool fixed =
            key[0] == '@' || strcmp(key, "id") == 0 || strcmp(key, "extensionName") == 0;
        json_value(&text.w, key,
                   !fixed && v && v->type != JSON_NULL ? v : &e.value->members[k].value);
    }
    for (uint32_t k = 0; k < body->n; k++)
        if (body->members[k].key[0] != '@' && !json_get(e.value, body->members[k].key))
            json_value(&text.w, body->members[k].key, &body->members[k].value);
    if (mail_kept_put(&c->tx, &outlook_extras, i.message.id, "extension", name,
                      mail_kept_end(&c->tx, &text)) < 0 ||
        outlook_item_touch(&c->tx, &i) < 0)
        return -1;
    return stored(c, &b, &i, name);
}

static int extensions_delete(struct call *c)
{
    struct outlook_box b;
    struct outlook_item i;
    if (open_extended(c, OUTLOOK_WRITE, &b, &i) < 0)
        return -1;
    int r = mail_kept_remove(&c->tx, &outlook_extras, i.message.id, "extension", name_of_path(c));
    if (r == 0)
        return stored(c, &b, &i, name_of_path(c));
    c->status = 204;
    return r < 0 ? -1 : outlook_item_touch(&c->tx, &i);
}

static const struct param params[] = {USER_PARAM, FOLDER_PARAMS, PATH_PARAM("message-id"),
                                      PATH_PARAM("extension-id")};
static const struct route routes[] = {
    {ROUTE("outlook.messages.extensions.create", POST, MESSAGE_PATHS("/extensions")),
     .handler = extensions_create, .risk = RISK_WRITE, .body = BODY_JSON,
     .scopes = WRITE SHARED_WRITE, PARAMS(outlook_message_params), .status = 201,
     .summary = "Adds an open extension to a message"},
    {ROUTE("outlook.messages.extensions.get", GET, MESSAGE_PATHS("/extensions/{extension-id}")),
     .handler = extensions_get, .risk = RISK_READ, .scopes = READ SHARED, PARAMS(params),
     .summary = "An open extension of a message"},
    {ROUTE("outlook.messages.extensions.update", PATCH,
           MESSAGE_PATHS("/extensions/{extension-id}")),
     .handler = extensions_update, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = WRITE SHARED_WRITE, PARAMS(params),
     .summary = "Changes an open extension of a message"},
    {ROUTE("outlook.messages.extensions.delete", DELETE,
           MESSAGE_PATHS("/extensions/{extension-id}")),
     .handler = extensions_delete, .risk = RISK_DESTRUCTIVE, .scopes = WRITE SHARED_WRITE,
     PARAMS(params), .status = 204, .summary = "Removes an open extension of a message"},
};

const struct rows outlook_extension_rows = ROWS(routes);

/* SPDX-License-Identifier: Apache-2.0 */
/* Message rules as clients see them (MG-52). */
#include "engine/base/codec.h"
#include "services/mail/outlook/acts.h"
#include "services/mail/outlook/rows.h"

#define MAX_RULES 256

/* ---- as clients see them ---- */

static void write_rule(struct json_writer *w, const struct kept *s)
{
    static const char *const parts[] = {"conditions", "actions", "exceptions"};
    const bool fixed = json_get_true(s->value, "isReadOnly");
    json_str(w, "id", s->key);
    json_str(w, "displayName", json_get_str(s->value, "displayName"));
    json_int(w, "sequence", json_get_int(s->value, "sequence", 1));
    json_bool(w, "isEnabled", !json_is_false(json_get(s->value, "isEnabled")));
    json_bool(w, "hasError", false);
    json_bool(w, "isReadOnly", fixed);
    for (size_t i = 0; i < SOSIA_LEN(parts) && !fixed; i++) {
        const struct json *v = json_get(s->value, parts[i]);
        if (v && v->type == JSON_OBJECT)
            json_value(w, parts[i], v);
    }
}

/* Rules are the inbox's alone. */
static int open_rules(struct call *c, enum outlook_need need, struct outlook_box *b)
{
    struct mail_folder f;
    if (outlook_open(c, need, b) < 0 || outlook_folder_of_path(c, b, &f) < 0)
        return -1;
    return f.id == mail_folder_id(b->mailbox.id, FOLDER_INBOX)
               ? 0
               : call_fail(c, SOSIA_E_INVALID, "ErrorUnsupportedOperation", NULL,
                           "Rules can be defined on the Inbox alone.");
}

static const char *rules_context(struct call *c, const struct outlook_box *b)
{
    return ARENA_JOIN(c->tx.arena, outlook_root(c, b), "/", outlook_folder_at(c, "/messageRules"));
}

static int rules_list(struct call *c)
{
    struct outlook_box b;
    struct kept *list;
    size_t n;
    if (open_rules(c, OUTLOOK_READ, &b) < 0 ||
        outlook_rule_list(&c->tx, b.mailbox.id, &list, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s", rules_context(c, &b));
    json_arr(c->out, "value");
    for (size_t i = 0; i < n; i++) {
        json_obj(c->out, NULL);
        write_rule(c->out, &list[i]);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int rule_of_path(struct call *c, const struct outlook_box *b, struct kept *ret)
{
    int r = mail_kept_get(&c->tx, &outlook_settings, b->mailbox.id, SETTING_RULE,
                          param_str(c, "rule-id"), ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_NOT_FOUND, "ErrorItemNotFound", NULL,
                               "The specified object was not found in the store.");
}

static int answer_rule(struct call *c, const struct outlook_box *b, const char *key)
{
    struct kept s;
    if (mail_kept_get(&c->tx, &outlook_settings, b->mailbox.id, SETTING_RULE, key, &s) != 1)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/$entity", rules_context(c, b));
    write_rule(c->out, &s);
    json_end(c->out);
    return 0;
}

static int rules_get(struct call *c)
{
    struct outlook_box b;
    struct kept s;
    return open_rules(c, OUTLOOK_READ, &b) < 0 || rule_of_path(c, &b, &s) < 0
               ? -1
               : answer_rule(c, &b, s.key);
}

/* Folders of actions are kept by their ids (MG-575); categories are there when a message comes. */
static int write_actions(struct call *c, const struct outlook_box *b, const struct json *actions,
                         struct json_writer *w)
{
    json_obj(w, "actions");
    for (uint32_t i = 0; i < actions->n; i++) {
        const char *name = actions->members[i].key;
        const struct json *v = &actions->members[i].value;
        struct mail_folder f;
        int64_t id;
        const bool folder = strcmp(name, "moveToFolder") == 0 || strcmp(name, "copyToFolder") == 0;
        if (v->type == JSON_NULL)
            continue;
        if (folder && v->type == JSON_STRING) {
            if (outlook_folder_named(c, b, v->str, &f) < 0)
                return -1;
            json_str(w, name, outlook_folder_text(c->tx.arena, b, f.id));
            continue;
        }
        for (uint32_t k = 0;
             strcmp(name, "assignCategories") == 0 && v->type == JSON_ARRAY && k < v->n; k++)
            if (v->items[k].type == JSON_STRING &&
                outlook_category_folder(&c->tx, b->mailbox.id, v->items[k].str, &id) < 0)
                return outlook_refused(c);
        json_value(w, name, v);
    }
    json_end(w);
    return 0;
}

static bool acts(const struct json *actions)
{
    for (uint32_t i = 0; actions && actions->type == JSON_OBJECT && i < actions->n; i++)
        if (actions->members[i].value.type != JSON_NULL && actions->members[i].key[0] != '@')
            return true;
    return false;
}

/* old NULL: a new one. */
static int store(struct call *c, const struct outlook_box *b, const char *key,
                 const struct json *old, const struct json *body, int64_t sequence)
{
    static const char *const kept[] = {"conditions", "exceptions"};
    const struct json *v, *actions = json_get(body, "actions");
    struct kept_value text;
    if (!actions)
        actions = json_get(old, "actions");
    const char *name = json_get_str(body, "displayName");
    if (!name && !(name = json_get_str(old, "displayName")))
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The rule's display name is required.");
    if (!acts(actions))
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "A rule must have at least one action.");
    mail_kept_begin(&text);
    json_str(&text.w, "displayName", name);
    json_int(&text.w, "sequence",
             json_get_int(body, "sequence", json_get_int(old, "sequence", sequence)));
    v = json_get(body, "isEnabled") ? json_get(body, "isEnabled") : json_get(old, "isEnabled");
    json_bool(&text.w, "isEnabled", !json_is_false(v));
    for (size_t i = 0; i < SOSIA_LEN(kept); i++)
        if ((v = json_get(body, kept[i]) ? json_get(body, kept[i]) : json_get(old, kept[i])) &&
            v->type == JSON_OBJECT)
            json_value(&text.w, kept[i], v);
    int r = write_actions(c, b, actions, &text.w);
    const char *value = mail_kept_end(&c->tx, &text);
    return r < 0
               ? -1
               : mail_kept_put(&c->tx, &outlook_settings, b->mailbox.id, SETTING_RULE, key, value);
}

static int rules_create(struct call *c)
{
    struct outlook_box b;
    struct kept *list;
    const struct json *body;
    uint8_t bytes[8] = {1};
    int64_t number;
    size_t n;
    if (open_rules(c, OUTLOOK_WRITE, &b) < 0 || !(body = call_body(c)) ||
        outlook_rule_list(&c->tx, b.mailbox.id, &list, &n) < 0)
        return -1;
    if (n >= MAX_RULES)
        return call_fail(c, SOSIA_E_INVALID, "ErrorQuotaExceeded", NULL,
                         "A mailbox has at most %d rules.", MAX_RULES);
    if (tx_number(&c->tx, "outlook.rule", &number) < 0)
        return -1;
    for (int i = 0; i < 4; i++)
        bytes[4 + i] = (uint8_t)(number >> 8 * i);
    const char *id = base64_text(c->tx.arena, NULL, bytes, sizeof bytes);
    const int64_t last = n ? json_get_int(list[n - 1].value, "sequence", 0) : 0;
    if (store(c, &b, id, NULL, body, last + 1) < 0)
        return -1;
    c->status = 201;
    return answer_rule(c, &b, id);
}

static int fixed(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                     "The rule is read-only and can't be changed.");
}

static int rules_update(struct call *c)
{
    struct outlook_box b;
    struct kept s;
    const struct json *body;
    if (open_rules(c, OUTLOOK_WRITE, &b) < 0 || rule_of_path(c, &b, &s) < 0 ||
        !(body = call_body(c)))
        return -1;
    if (json_get_true(s.value, "isReadOnly"))
        return fixed(c);
    return store(c, &b, s.key, s.value, body, 1) < 0 ? -1 : answer_rule(c, &b, s.key);
}

static int rules_delete(struct call *c)
{
    struct outlook_box b;
    struct kept s;
    if (open_rules(c, OUTLOOK_WRITE, &b) < 0 || rule_of_path(c, &b, &s) < 0)
        return -1;
    if (json_get_true(s.value, "isReadOnly"))
        return fixed(c);
    c->status = 204;
    return mail_kept_remove(&c->tx, &outlook_settings, b.mailbox.id, SETTING_RULE, s.key) < 0 ? -1
                                                                                              : 0;
}

/* ---- the methods ---- */

static const struct param params[] = {USER_PARAM, FOLDER_PARAMS, PATH_PARAM("rule-id")};
static const struct route routes[] = {
    {ROUTE("outlook.messageRules.list", GET, FOLDER_PATHS("/messageRules")),
     .response = "microsoft.graph.messageRuleCollection", .handler = rules_list, .risk = RISK_READ,
     .scopes = SETTINGS, PARAMS(outlook_folder_params), .summary = "Lists the rules of the Inbox"},
    {ROUTE("outlook.messageRules.create", POST, FOLDER_PATHS("/messageRules")),
     .response = "microsoft.graph.messageRule", .handler = rules_create, .risk = RISK_WRITE,
     .body = BODY_JSON, .scopes = SET, PARAMS(outlook_folder_params), .status = 201,
     .request = "microsoft.graph.messageRule", .summary = "Makes a rule"},
    {ROUTE("outlook.messageRules.get", GET, FOLDER_PATHS("/messageRules/{rule-id}")),
     .response = "microsoft.graph.messageRule", .handler = rules_get, .risk = RISK_READ,
     .scopes = SETTINGS, PARAMS(params), .summary = "A rule"},
    {ROUTE("outlook.messageRules.update", PATCH, FOLDER_PATHS("/messageRules/{rule-id}")),
     .response = "microsoft.graph.messageRule", .handler = rules_update, .risk = RISK_WRITE,
     .idempotent = true, .body = BODY_JSON, .scopes = SET, PARAMS(params),
     .request = "microsoft.graph.messageRule", .summary = "Changes a rule"},
    {ROUTE("outlook.messageRules.delete", DELETE, FOLDER_PATHS("/messageRules/{rule-id}")),
     .handler = rules_delete, .risk = RISK_DESTRUCTIVE, .scopes = SET, PARAMS(params),
     .status = 204, .summary = "Removes a rule"},
};

const struct rows outlook_rule_rows = ROWS(routes);

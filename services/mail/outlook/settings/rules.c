/* SPDX-License-Identifier: Apache-2.0 */
/* Message rules: as clients see them, and as they act on what comes (MG-52, MG-575, MG-634). */
#include "engine/base/codec.h"
#include "services/mail/core/search.h"
#include "services/mail/outlook/acts.h"
#include "services/mail/outlook/settings/conditions.h"
#include "services/mail/outlook/rows.h"
#include <stdlib.h>

#define MAX_RULES 256

/* ---- as they act ---- */

struct making {
    struct arena *a;
    struct tx *tx;
    const struct mailbox *mb;
};

static const char *address_of(const struct json *v)
{
    const char *email = json_get_str(json_get(v, "emailAddress"), "address");
    return email ? email : "";
}

static int folder_act(struct making *k, const struct json *actions, const char *member,
                      enum mail_act_kind kind, struct mail_act *acts, size_t *n)
{
    const char *id = json_get_str(actions, member);
    struct outlook_box b;
    int64_t place;
    if (!id)
        return 0;
    if (outlook_box_of(k->tx, k->mb, &b) < 0)
        return -1;
    if (outlook_folder_id_parse(k->a, &b, id, &place) == 1 && place >= 0)
        acts[(*n)++] = (struct mail_act){.kind = kind, .folder = mail_folder_id(k->mb->id, place)};
    return 0;
}

static void forward_acts(struct making *k, const struct json *list, bool attached,
                         struct mail_act *acts, size_t *n)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *to = email_normal(k->a, address_of(&list->items[i]));
        if (to)
            acts[(*n)++] = (struct mail_act){.kind = ACT_FORWARD, .to = to, .attached = attached};
    }
}

static int acts_of(struct making *k, const struct json *rule, struct mail_rule *ret)
{
    static const struct {
        const char *name;
        bool attached;
    } forwards[] = {{"forwardTo", false}, {"redirectTo", false}, {"forwardAsAttachmentTo", true}};
    const struct json *actions = json_get(rule, "actions");
    const struct json *names = json_get(actions, "assignCategories");
    const uint32_t n_names = names && names->type == JSON_ARRAY ? names->n : 0;
    const char *importance = json_get_str(actions, "markImportance");
    size_t room = 6 + n_names, n = 0;
    for (size_t i = 0; i < SOSIA_LEN(forwards); i++) {
        const struct json *list = json_get(actions, forwards[i].name);
        room += list && list->type == JSON_ARRAY ? list->n : 0;
    }
    struct mail_act *acts = arena_calloc(k->a, room, sizeof *acts);
    if (arena_failed(k->a))
        return sosia_fail_memory(k->tx->err);
    for (uint32_t i = 0; i < n_names; i++) {
        struct mail_folder f;
        int r = names->items[i].type == JSON_STRING
                    ? mail_folder_by_name(k->tx, k->mb->id,
                                          mail_folder_id(k->mb->id, FOLDER_CATEGORIES),
                                          names->items[i].str, &f)
                    : 0;
        if (r < 0)
            return -1;
        if (r)
            acts[n++] = (struct mail_act){.kind = ACT_ADD, .folder = f.id};
    }
    if (json_get_true(actions, "markAsRead"))
        acts[n++] = (struct mail_act){.kind = ACT_REMOVE,
                                      .folder = mail_folder_id(k->mb->id, KEYWORD_UNSEEN)};
    if (folder_act(k, actions, "moveToFolder", ACT_MOVE, acts, &n) < 0)
        return -1;
    if (folder_act(k, actions, "copyToFolder", ACT_COPY, acts, &n) < 0)
        return -1;
    if (importance)
        acts[n++] = (struct mail_act){.kind = ACT_PROPERTY,
                                      .property = ASKED_IMPORTANCE,
                                      .value = str_eq_nocase(importance, "high")  ? 1
                                               : str_eq_nocase(importance, "low") ? -1
                                                                                  : 0};
    if (json_get_true(actions, "delete"))
        acts[n++] = (struct mail_act){.kind = ACT_DISCARD};
    if (json_get_true(actions, "permanentDelete"))
        acts[n++] = (struct mail_act){.kind = ACT_DELETE};
    for (size_t i = 0; i < SOSIA_LEN(forwards); i++)
        forward_acts(k, json_get(actions, forwards[i].name), forwards[i].attached, acts, &n);
    ret->acts = acts;
    ret->n_acts = n;
    ret->stop = json_get_true(actions, "stopProcessingRules");
    return 0;
}

static int by_sequence(const void *x, const void *y)
{
    const struct outlook_setting *a = x, *b = y;
    const int64_t i = json_get_int(a->value, "sequence", 0);
    const int64_t k = json_get_int(b->value, "sequence", 0);
    return i != k ? (i < k ? -1 : 1) : a->id < b->id ? -1 : a->id > b->id;
}

static int load(struct tx *tx, int64_t mailbox, struct outlook_setting **ret, size_t *ret_n)
{
    if (outlook_settings(tx, mailbox, SETTING_RULE, ret, ret_n) < 0)
        return -1;
    if (*ret_n)
        qsort(*ret, *ret_n, sizeof **ret, by_sequence);
    return 0;
}

/* Overrides classify whatever the rules say. */
static int override_of(struct making *k, const struct outlook_setting *s, struct mail_rule *ret)
{
    struct mail_act *act = arena_calloc(k->a, 1, sizeof *act);
    const char *as = json_get_str(s->value, "classifyAs");
    if (arena_failed(k->a))
        return sosia_fail_memory(k->tx->err);
    *act = (struct mail_act){.kind = ACT_PROPERTY,
                             .property = ASKED_INFERENCE,
                             .value = as && str_eq_nocase(as, "other") ? INFERENCE_OTHER
                                                                       : INFERENCE_FOCUSED};
    *ret = (struct mail_rule){
        .meets = outlook_override_meets, .arg = s->value, .acts = act, .n_acts = 1};
    return 0;
}

int outlook_rules(struct tx *tx, const struct mailbox *mb, struct mail_rule **ret, size_t *ret_n)
{
    struct making k = {.a = tx->arena, .tx = tx, .mb = mb};
    struct outlook_setting *list, *overrides;
    size_t n, n_overrides;
    *ret_n = 0;
    if (outlook_settings(tx, mb->id, SETTING_OVERRIDE, &overrides, &n_overrides) < 0 ||
        load(tx, mb->id, &list, &n) < 0)
        return -1;
    *ret = arena_calloc(tx->arena, n_overrides + n + 1, sizeof **ret);
    struct outlook_conditions *asked = arena_calloc(tx->arena, n + 1, sizeof *asked);
    struct outlook_coming *of = outlook_coming_new(tx->arena);
    if (!of)
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n_overrides; i++)
        if (override_of(&k, &overrides[i], &(*ret)[(*ret_n)++]) < 0)
            return -1;
    for (size_t i = 0; i < n; i++) {
        const struct json *enabled = json_get(list[i].value, "isEnabled");
        if (json_is_false(enabled) || json_get_true(list[i].value, "isReadOnly"))
            continue;
        struct mail_rule *rule = &(*ret)[(*ret_n)++];
        asked[i] = (struct outlook_conditions){.rule = list[i].value, .of = of};
        *rule = (struct mail_rule){.meets = outlook_rule_meets, .arg = &asked[i]};
        if (acts_of(&k, list[i].value, rule) < 0)
            return -1;
    }
    return 0;
}

/* ---- as clients see them ---- */

static void write_rule(struct json_writer *w, const struct outlook_setting *s)
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
    struct outlook_setting *list;
    size_t n;
    if (open_rules(c, OUTLOOK_READ, &b) < 0 || load(&c->tx, b.mailbox.id, &list, &n) < 0)
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

static int rule_of_path(struct call *c, const struct outlook_box *b, struct outlook_setting *ret)
{
    int r = outlook_setting_get(&c->tx, b->mailbox.id, SETTING_RULE, param_str(c, "rule-id"), ret);
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_NOT_FOUND, "ErrorItemNotFound", NULL,
                               "The specified object was not found in the store.");
}

static int answer_rule(struct call *c, const struct outlook_box *b, const char *key)
{
    struct outlook_setting s;
    if (outlook_setting_get(&c->tx, b->mailbox.id, SETTING_RULE, key, &s) != 1)
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
    struct outlook_setting s;
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
    struct outlook_value text;
    if (!actions)
        actions = json_get(old, "actions");
    const char *name = json_get_str(body, "displayName");
    if (!name && !(name = json_get_str(old, "displayName")))
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The rule's display name is required.");
    if (!acts(actions))
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "A rule must have at least one action.");
    outlook_value_begin(&text);
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
    const char *value = outlook_value_end(&c->tx, &text);
    return r < 0 ? -1 : outlook_setting_put(&c->tx, b->mailbox.id, SETTING_RULE, key, value);
}

static int rules_create(struct call *c)
{
    struct outlook_box b;
    struct outlook_setting *list;
    const struct json *body;
    uint8_t bytes[8] = {1};
    struct buf key;
    int64_t number;
    size_t n;
    if (open_rules(c, OUTLOOK_WRITE, &b) < 0 || !(body = call_body(c)) ||
        load(&c->tx, b.mailbox.id, &list, &n) < 0)
        return -1;
    if (n >= MAX_RULES)
        return call_fail(c, SOSIA_E_INVALID, "ErrorQuotaExceeded", NULL,
                         "A mailbox has at most %d rules.", MAX_RULES);
    if (tx_number(&c->tx, "outlook.rule", &number) < 0)
        return -1;
    for (int i = 0; i < 4; i++)
        bytes[4 + i] = (uint8_t)(number >> 8 * i);
    buf_init(&key, 0);
    base64_add(&key, bytes, sizeof bytes);
    const char *id = arena_strdup(c->tx.arena, buf_str(&key));
    buf_done(&key);
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
    struct outlook_setting s;
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
    struct outlook_setting s;
    if (open_rules(c, OUTLOOK_WRITE, &b) < 0 || rule_of_path(c, &b, &s) < 0)
        return -1;
    if (json_get_true(s.value, "isReadOnly"))
        return fixed(c);
    c->status = 204;
    return outlook_setting_remove(&c->tx, b.mailbox.id, SETTING_RULE, s.key) < 0 ? -1 : 0;
}

/* ---- the methods ---- */

static const struct param params[] = {USER_PARAM, FOLDER_PARAMS, PATH_PARAM("rule-id")};
static const struct route routes[] = {
    {.id = "outlook.messageRules.list",
     .response = "microsoft.graph.messageRuleCollection",
     .verbs = GET,
     .paths = PATHS(FOLDER_PATHS("/messageRules")),
     .handler = rules_list,
     .risk = RISK_READ,
     .scopes = SETTINGS,
     PARAMS(outlook_folder_params),
     .summary = "Lists the rules of the Inbox"},
    {.id = "outlook.messageRules.create",
     .response = "microsoft.graph.messageRule",
     .verbs = POST,
     .paths = PATHS(FOLDER_PATHS("/messageRules")),
     .handler = rules_create,
     .risk = RISK_WRITE,
     .body = BODY_JSON,
     .scopes = SET,
     PARAMS(outlook_folder_params),
     .status = 201,
     .request = "microsoft.graph.messageRule",
     .summary = "Makes a rule"},
    {.id = "outlook.messageRules.get",
     .response = "microsoft.graph.messageRule",
     .verbs = GET,
     .paths = PATHS(FOLDER_PATHS("/messageRules/{rule-id}")),
     .handler = rules_get,
     .risk = RISK_READ,
     .scopes = SETTINGS,
     PARAMS(params),
     .summary = "A rule"},
    {.id = "outlook.messageRules.update",
     .response = "microsoft.graph.messageRule",
     .verbs = PATCH,
     .paths = PATHS(FOLDER_PATHS("/messageRules/{rule-id}")),
     .handler = rules_update,
     .risk = RISK_WRITE,
     .idempotent = true,
     .body = BODY_JSON,
     .scopes = SET,
     PARAMS(params),
     .request = "microsoft.graph.messageRule",
     .summary = "Changes a rule"},
    {.id = "outlook.messageRules.delete",
     .verbs = DELETE,
     .paths = PATHS(FOLDER_PATHS("/messageRules/{rule-id}")),
     .handler = rules_delete,
     .risk = RISK_DESTRUCTIVE,
     .scopes = SET,
     PARAMS(params),
     .status = 204,
     .summary = "Removes a rule"},
};
const struct rows outlook_rule_rows = ROWS(routes);

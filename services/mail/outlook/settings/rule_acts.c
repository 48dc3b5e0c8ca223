/* SPDX-License-Identifier: Apache-2.0 */
/* Message rules as they act on what comes (MG-52, MG-575, MG-634). */
#include "engine/base/codec.h"
#include "services/mail/core/search.h"
#include "services/mail/outlook/acts.h"
#include "services/mail/outlook/settings/conditions.h"
#include <stdlib.h>

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
    const struct kept *a = x, *b = y;
    const int64_t i = json_get_int(a->value, "sequence", 0);
    const int64_t k = json_get_int(b->value, "sequence", 0);
    return i != k ? (i < k ? -1 : 1) : a->id < b->id ? -1 : a->id > b->id;
}

int outlook_rule_list(struct tx *tx, int64_t mailbox, struct kept **ret, size_t *ret_n)
{
    if (mail_kept_list(tx, &outlook_settings, mailbox, SETTING_RULE, ret, ret_n) < 0)
        return -1;
    if (*ret_n)
        qsort(*ret, *ret_n, sizeof **ret, by_sequence);
    return 0;
}

/* Overrides classify whatever the rules say. */
static int override_of(struct making *k, const struct kept *s, struct mail_rule *ret)
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
    struct kept *list, *overrides;
    size_t n, n_overrides;
    *ret_n = 0;
    if (mail_kept_list(tx, &outlook_settings, mb->id, SETTING_OVERRIDE, &overrides, &n_overrides) <
            0 ||
        outlook_rule_list(tx, mb->id, &list, &n) < 0)
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

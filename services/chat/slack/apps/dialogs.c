/* SPDX-License-Identifier: Apache-2.0 */
/* dialog.open: forms of the older kind, and what is wrong with one in the method's own words
 * (docs.slack.dev, dialog.open and legacy dialogs). */
#include "engine/base/err.h"
#include "services/chat/slack/apps/interact.h"
#include "services/chat/slack/events/push.h"
#include <stdio.h>

#define MAX_ELEMENTS 10
#define MAX_OPTIONS  100

/* ---- faults ---- */

/* As response_metadata has them, without a mark; what is over its room is left out. */
__attribute__((format(printf, 2, 3))) static void find_wrong(struct call *c, const char *fmt, ...)
{
    struct slack_call *s = slack_of(c);
    va_list ap;
    va_start(ap, fmt);
    if (s->n_messages < SOSIA_LEN(s->messages))
        s->messages[s->n_messages++] = message_text(c->tx.arena, fmt, ap);
    va_end(ap);
}

static const char *filled_text(const struct json *v, const char *member)
{
    const char *text = json_get_str(v, member);
    return text && *text ? text : NULL;
}

static void check_length(struct call *c, const struct json *dialog, const char *member,
                         const char *called, size_t max)
{
    const char *text = filled_text(dialog, member);
    if (text && sl_characters(text) > max)
        find_wrong(c, "The field `%s` cannot be longer than %zu characters", called, max);
}

/* ---- elements ---- */

static void element_length(struct call *c, uint32_t i, const struct json *e, const char *member,
                           size_t max)
{
    const char *text = filled_text(e, member);
    if (text && sl_characters(text) > max)
        find_wrong(c, "Element %u field `%s` cannot be longer than %zu characters", i, member, max);
}

static void element_bound(struct call *c, uint32_t i, const struct json *e, const char *member,
                          int64_t min, int64_t max)
{
    const struct json *v = json_get(e, member);
    int64_t n;
    if (v && v->type != JSON_NULL && (json_i64(v, &n) < 0 || n < min || n > max))
        find_wrong(c, "Element %u field `%s` must be between %lld and %lld (inclusive)", i, member,
                   (long long)min, (long long)max);
}

static bool is_among(const char *text, const char *const *list)
{
    while (*list && strcmp(*list, text) != 0)
        list++;
    return *list != NULL;
}

static void check_written(struct call *c, uint32_t i, const struct json *e, bool area)
{
    static const char *const subtypes[] = {"email", "number", "tel", "url", NULL};
    const char *subtype = filled_text(e, "subtype");
    int64_t max = area ? 3000 : 150;
    if (subtype && !is_among(subtype, subtypes))
        find_wrong(c, "Element %u has an invalid `subtype`", i);
    element_length(c, i, e, "hint", 150);
    element_bound(c, i, e, "min_length", 0, max);
    element_bound(c, i, e, "max_length", 1, max);
    element_length(c, i, e, "value", (size_t)max);
}

static void check_options(struct call *c, uint32_t i, const struct json *list)
{
    static const char *const members[] = {"label", "value"};
    if (!list || list->type != JSON_ARRAY) {
        find_wrong(c, "Element %u field `options` must be a list", i);
        return;
    }
    if (!list->n)
        find_wrong(c, "Element %u field `options` must have at least one option", i);
    if (list->n > MAX_OPTIONS)
        find_wrong(c, "Element %u field `options` must have fewer than %d options", i, MAX_OPTIONS);
    for (uint32_t k = 0; k < list->n && k < MAX_OPTIONS; k++)
        for (size_t m = 0; m < SOSIA_LEN(members); m++) {
            const char *text = filled_text(&list->items[k], members[m]);
            if (!text)
                find_wrong(c, "Element %u `options` item is missing required field `%s`", i,
                           members[m]);
            else if (sl_characters(text) > 75)
                find_wrong(c, "Element %u `options` item `%s` field cannot exceed 75 characters", i,
                           members[m]);
        }
}

static void check_select(struct call *c, uint32_t i, const struct json *e)
{
    static const char *const sources[] = {"static",        "users",    "channels",
                                          "conversations", "external", NULL};
    const char *source = filled_text(e, "data_source");
    const struct json *groups = json_get(e, "option_groups");
    if (source && !is_among(source, sources))
        find_wrong(c, "Element %u has an invalid `data_source`", i);
    else if (source && strcmp(source, "static") != 0)
        return;
    else if (!groups || groups->type != JSON_ARRAY || !groups->n)
        check_options(c, i, json_get(e, "options"));
    else
        for (uint32_t k = 0; k < groups->n && k < MAX_OPTIONS; k++)
            check_options(c, i, json_get(&groups->items[k], "options"));
}

static void check_element(struct call *c, uint32_t i, const struct json *list)
{
    static const char *const types[] = {"text", "textarea", "select", NULL};
    const struct json *e = &list->items[i];
    if (e->type != JSON_OBJECT) {
        find_wrong(c, "Element %u must be an object", i);
        return;
    }
    const char *type = filled_text(e, "type"), *name = filled_text(e, "name");
    if (!type)
        find_wrong(c, "Element %u is missing required field `type`", i);
    else if (!is_among(type, types))
        find_wrong(c, "Element %u has an invalid `type`", i);
    if (!name)
        find_wrong(c, "Element %u is missing required field `name`", i);
    if (!filled_text(e, "label"))
        find_wrong(c, "Element %u is missing required field `label`", i);
    for (uint32_t k = 0; name && k < i; k++) {
        const char *other = filled_text(&list->items[k], "name");
        if (other && strcmp(other, name) == 0) {
            find_wrong(c, "Element %u has a repeated name", i);
            break;
        }
    }
    element_length(c, i, e, "name", 300);
    element_length(c, i, e, "label", 48);
    element_length(c, i, e, "placeholder", 150);
    if (type && strcmp(type, "select") == 0)
        check_select(c, i, e);
    else if (type && is_among(type, types))
        check_written(c, i, e, strcmp(type, "textarea") == 0);
}

/* ---- the whole ---- */

static void check_elements(struct call *c, const struct json *list)
{
    if (!list || list->type == JSON_NULL)
        find_wrong(c, "The field `elements` is required");
    else if (list->type != JSON_ARRAY)
        find_wrong(c, "The field `elements` must be a list");
    else if (!list->n)
        find_wrong(c, "The field `elements` has to include at least one element");
    else if (list->n > MAX_ELEMENTS)
        find_wrong(c, "The field `elements` cannot include more than ten elements");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n && i < MAX_ELEMENTS; i++)
        check_element(c, i, list);
}

static void check_dialog(struct call *c, const struct json *dialog)
{
    const char *submit = filled_text(dialog, "submit_label");
    if (!filled_text(dialog, "title"))
        find_wrong(c, "The field `title` is required");
    if (!filled_text(dialog, "callback_id"))
        find_wrong(c, "The field `callback_id` is required");
    check_length(c, dialog, "title", "title", 24);
    check_length(c, dialog, "submit_label", "submit_button", 24);
    if (submit && strpbrk(submit, " \t\r\n"))
        find_wrong(c, "The field `submit_button` can only be one word");
    check_length(c, dialog, "callback_id", "callback_id", 255);
    check_length(c, dialog, "state", "state", 3000);
    check_elements(c, json_get(dialog, "elements"));
}

/* What the caller's app may answer with a dialog now, and no more. */
static int take_trigger(struct call *c, const char *key, struct chat_trigger *ret)
{
    int r = chat_trigger_find(&c->tx, key, ret);
    if (r < 0)
        return -1;
    if (!r || ret->app != sl_me(c)->app || ret->workspace != sl_me(c)->workspace.id)
        return slack_fail(c, "invalid_trigger");
    if (ret->used)
        return slack_fail(c, "trigger_exchanged");
    if (c->tx.now_us - ret->created_us > CHAT_TRIGGER_US)
        return slack_fail(c, "trigger_expired");
    return chat_trigger_use(&c->tx, ret);
}

/* A dialog is submitted to an address: it must be there. */
static int check_address(struct call *c)
{
    struct sl_settings s;
    struct chat_app app;
    int r = sl_me(c)->app ? chat_app_of(&c->tx, sl_me(c)->app, &app) : 0;
    if (r != 1 || !sl_me(c)->install.id)
        return r < 0 ? -1 : slack_fail(c, "not_allowed_token_type");
    if (sl_settings_of(&c->tx, &app, &s) < 0)
        return -1;
    return s.socket_mode || s.interactivity_url ? 0 : slack_fail(c, "app_missing_action_url");
}

static int dialog_open(struct call *c)
{
    const char *key = param_str(c, "trigger_id"), *text = param_str(c, "dialog");
    const struct json *dialog;
    struct chat_trigger t;
    if (!key || !*key)
        return slack_fail(c, "missing_trigger");
    if (!text || !*text)
        return slack_fail(c, "missing_dialog");
    if (check_address(c) < 0)
        return -1;
    if (slack_value(c, "dialog", &dialog) < 0)
        return -1;
    check_dialog(c, dialog);
    if (slack_of(c)->n_messages)
        return slack_fail(c, "validation_errors");
    if (take_trigger(c, key, &t) < 0)
        return -1;
    struct chat_dialog d = {.workspace = t.workspace,
                            .app = t.app,
                            .user = t.user,
                            .channel = t.channel,
                            .body = json_to_text(c->tx.arena, dialog)};
    return chat_dialog_open(&c->tx, &d) < 0 ? -1 : slack_ok(c);
}

static const struct param open_params[] = {
    SL_ARG("dialog", SL_OBJECT, .fault = "validation_errors"), SL_ARG("trigger_id")};

static const struct route methods[] = {
    {SL_METHOD("dialog.open"), SL_THROUGH_APP, .handler = dialog_open, .risk = RISK_WRITE,
     PARAMS(open_params), .rate = SLACK_TIER_4, .summary = "Show somebody a dialog"},
};

const struct rows sl_dialogs = ROWS(methods);

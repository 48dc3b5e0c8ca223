/* SPDX-License-Identifier: Apache-2.0 */
/* Dialogs, forms of the older kind: people submit and close them, and are suggested options
 * (docs.slack.dev, legacy dialogs). */
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"

/* What is on the screen, its app, and where it came from. */
struct stage {
    struct chat_dialog dialog;
    const struct json *body, *elements;
    struct sl_party party;
    struct chat_channel channel; /* id 0: none */
};

int sl_dialog_here(struct sl_deed *d, struct chat_dialog *ret)
{
    static const char *const elsewhere[] = {"view", "channel", "ts"};
    for (size_t i = 0; i < SOSIA_LEN(elsewhere); i++)
        if (json_get(d->args, elsewhere[i]))
            return 0;
    return chat_dialog_of(&d->c->tx, sl_me(d->c)->user.id, ret);
}

int sl_write_dialog(struct call *c, int64_t user)
{
    struct chat_dialog d;
    int r = chat_dialog_of(&c->tx, user, &d);
    if (r == 1)
        json_raw(c->out, "dialog", d.body, strlen(d.body));
    return r < 0 ? -1 : 0;
}

/* What a world holds may have come from anywhere: each element must have a name and a type. */
static bool is_form(const struct json *elements)
{
    if (!elements || elements->type != JSON_ARRAY)
        return false;
    for (uint32_t i = 0; i < elements->n; i++)
        if (!json_get_str(&elements->items[i], "name") ||
            !json_get_str(&elements->items[i], "type"))
            return false;
    return true;
}

static int open_stage(struct sl_deed *d, const struct chat_dialog *dialog, struct stage *s)
{
    struct call *c = d->c;
    *s = (struct stage){.dialog = *dialog};
    if (json_parse(c->tx.arena, dialog->body, strlen(dialog->body), NULL, &s->body, c->tx.err) < 0)
        return -1;
    s->elements = json_get(s->body, "elements");
    if (!is_form(s->elements))
        return slack_fail(c, "dialog_not_found");
    if (dialog->channel && chat_channel_get(&c->tx, dialog->channel, &s->channel) < 0)
        return -1;
    int r = sl_party_of(c, dialog->app, &s->party);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "app_not_installed");
}

static const struct json *element_named(const struct json *elements, const char *name)
{
    for (uint32_t i = 0; is_form(elements) && i < elements->n; i++) {
        const char *own = json_get_str(&elements->items[i], "name");
        if (strcmp(own, name) == 0)
            return &elements->items[i];
    }
    return NULL;
}

/* ---- payloads ---- */

static void write_stage_head(struct call *c, struct json_writer *w, const char *type,
                             const struct stage *s)
{
    const char *state = json_get_str(s->body, "state");
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, c->tx.now_us);
    json_str(w, "type", type);
    json_str(w, "token", s->party.app.verification);
    json_str(w, "action_ts", ts);
    sl_write_team(w, sl_me(c));
    sl_write_presser(w, sl_me(c), false);
    if (s->channel.id)
        sl_write_place(w, "channel", &s->channel);
    json_bool(w, "is_enterprise_install", false);
    json_null(w, "enterprise");
    json_str(w, "callback_id", json_get_str(s->body, "callback_id"));
    json_str(w, "state", state ? state : "");
}

static int notify(struct sl_deed *d, const struct stage *s, enum sl_push push, const char *kind,
                  struct chat_answer *answer, const char *payload)
{
    return sl_notify_app(d,
                         &(struct sl_notice){.push = push,
                                             .kind = kind,
                                             .to = &s->party,
                                             .channel = s->channel.id ? &s->channel : NULL,
                                             .dialog = &s->dialog,
                                             .answer = answer,
                                             .answers = true},
                         payload);
}

/* ---- what was filled in ---- */

/* The one option of a menu that has this value. */
static bool has_option(const struct json *e, const char *value)
{
    const struct json *groups = json_get(e, "option_groups"), *list = json_get(e, "options");
    uint32_t n = groups && groups->type == JSON_ARRAY ? groups->n : 0;
    for (uint32_t k = 0; k < (n ? n : 1); k++) {
        if (n)
            list = json_get(&groups->items[k], "options");
        for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
            const char *own = json_get_str(&list->items[i], "value");
            if (own && strcmp(own, value) == 0)
                return true;
        }
    }
    return false;
}

/* Somebody or a channel by id or name, as the menus of blocks take them. 1, -1 refused. */
static int resolve(struct call *c, const char *type, const char *name, const struct json *given,
                   const char **ret)
{
    const struct sl_element e = {.type = type, .action_id = name, .block_id = name};
    struct sl_draft draft;
    const struct json *v;
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    int rc = sl_element_value(c, &draft.w, &e, given);
    json_end(&draft.w);
    const char *text = sl_draft_end(&draft);
    if (rc < 0 || !text || json_parse(c->tx.arena, text, strlen(text), NULL, &v, c->tx.err) < 0)
        return -1;
    *ret = v->n && v->members[0].value.type == JSON_STRING ? v->members[0].value.str : NULL;
    return 1;
}

/* The value of an element, NULL: it is empty. 0, -1 refused. */
static int value_of_element(struct call *c, const struct json *e, const struct json *given,
                            const char **ret)
{
    static const char *const menus[][2] = {{"users", "users_select"},
                                           {"channels", "channels_select"},
                                           {"conversations", "conversations_select"}};
    const char *name = json_get_str(e, "name"), *source = json_get_str(e, "data_source");
    const char *type = json_get_str(e, "type");
    const struct json *chosen = json_get(e, "selected_options");
    if (!given) {
        const char *first = chosen && chosen->type == JSON_ARRAY && chosen->n
                                ? json_get_str(&chosen->items[0], "value")
                                : NULL;
        *ret = first ? first : json_get_str(e, "value");
    } else {
        *ret = given->type == JSON_STRING || given->type == JSON_NUMBER ? given->str : NULL;
        if (!*ret && given->type != JSON_NULL)
            return slack_invalid_arguments(c, NULL, "`%.100s` must be a text", name);
    }
    if (*ret && !**ret)
        *ret = NULL;
    if (!*ret || strcmp(type, "select") != 0)
        return 0;
    for (size_t i = 0; given && source && i < SOSIA_LEN(menus); i++)
        if (strcmp(menus[i][0], source) == 0)
            return resolve(c, menus[i][1], name, given, ret) < 0 ? -1 : 0;
    if ((!source || strcmp(source, "static") == 0) && !has_option(e, *ret))
        return slack_invalid_arguments(c, NULL, "`%.100s` has no option \"%.80s\"", name, *ret);
    return 0;
}

/* As the client says it; NULL: nothing is wrong. */
static const char *fault_of_element(struct call *c, const struct json *e, const char *value)
{
    const struct json *optional = json_get(e, "optional");
    const char *type = json_get_str(e, "type");
    int64_t n, length = value ? (int64_t)sl_characters(value) : 0;
    if (!value)
        return optional && optional->truth ? NULL : "Please complete this required field.";
    if (strcmp(type, "select") == 0)
        return NULL;
    if (json_i64(json_get(e, "min_length"), &n) == 0 && length < n)
        return arena_printf(c->tx.arena, "Please enter at least %lld characters.", (long long)n);
    if (json_i64(json_get(e, "max_length"), &n) < 0)
        n = strcmp(type, "textarea") == 0 ? 3000 : 150;
    return length > n ? arena_printf(c->tx.arena, "Please enter no more than %lld characters.",
                                     (long long)n)
                      : NULL;
}

struct filled {
    const char *name, *value, *fault; /* value, fault NULL: none */
};

/* One for each element, in the arena; NULL: refused. */
static struct filled *fill_in(struct sl_deed *d, const struct stage *s, bool *ret_faults)
{
    struct call *c = d->c;
    const struct json *values = json_get(d->args, "values");
    struct filled *f = arena_calloc(c->tx.arena, s->elements->n + 1, sizeof *f);
    for (uint32_t i = 0; values && values->type == JSON_OBJECT && i < values->n; i++)
        if (!element_named(s->elements, values->members[i].key)) {
            slack_invalid_arguments(c, NULL, "there is no element `%.100s`",
                                    values->members[i].key);
            return NULL;
        }
    *ret_faults = false;
    if (arena_failed(c->tx.arena))
        return NULL;
    for (uint32_t i = 0; i < s->elements->n; i++) {
        const struct json *e = &s->elements->items[i];
        f[i].name = json_get_str(e, "name");
        if (value_of_element(c, e, values ? json_get(values, f[i].name) : NULL, &f[i].value) < 0)
            return NULL;
        f[i].fault = fault_of_element(c, e, f[i].value);
        *ret_faults |= f[i].fault != NULL;
    }
    return f;
}

static int show_faults(struct call *c, const struct stage *s, const struct filled *f)
{
    slack_open(c);
    json_obj(c->out, "errors");
    for (uint32_t i = 0; i < s->elements->n; i++)
        json_str_opt(c->out, f[i].name, f[i].fault);
    json_end(c->out);
    json_raw(c->out, "dialog", s->dialog.body, strlen(s->dialog.body));
    slack_close(c);
    return 0;
}

/* ---- the acts ---- */

int sl_dialog_submit(struct sl_deed *d, const struct chat_dialog *dialog)
{
    struct call *c = d->c;
    struct chat_answer a = {0};
    struct sl_draft draft;
    struct stage s;
    bool faults;
    if (open_stage(d, dialog, &s) < 0)
        return -1;
    const struct filled *f = fill_in(d, &s, &faults);
    if (!f)
        return -1;
    if (faults)
        return show_faults(c, &s, f);
    if (s.channel.id && sl_new_answer(c, s.party.app.app, &s.channel, &a) < 0)
        return -1;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    write_stage_head(c, w, "dialog_submission", &s);
    json_obj(w, "submission");
    for (uint32_t i = 0; i < s.elements->n; i++)
        json_str(w, f[i].name, f[i].value);
    json_end(w);
    if (a.id)
        json_str(w, "response_url", sl_answer_url(c, &a, SL_OF_APP));
    json_end(w);
    return notify(d, &s, SL_PUSH_INTERACTIVE, "dialog", a.id ? &a : NULL, sl_draft_end(&draft));
}

/* The app is notified if it wants to be. */
int sl_dialog_close(struct sl_deed *d, const struct chat_dialog *dialog)
{
    struct call *c = d->c;
    struct chat_answer a = {0};
    struct sl_draft draft;
    struct stage s;
    if (open_stage(d, dialog, &s) < 0 || chat_dialog_close(&c->tx, dialog->id) < 0)
        return -1;
    const struct json *wants = json_get(s.body, "notify_on_cancel");
    if (!wants || !wants->truth)
        return slack_ok(c);
    if (s.channel.id && sl_new_answer(c, s.party.app.app, &s.channel, &a) < 0)
        return -1;
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    write_stage_head(c, &draft.w, "dialog_cancellation", &s);
    if (a.id)
        json_str(&draft.w, "response_url", sl_answer_url(c, &a, SL_OF_APP));
    json_end(&draft.w);
    return notify(d, &s, SL_PUSH_INTERACTIVE, "close", a.id ? &a : NULL, sl_draft_end(&draft));
}

int sl_dialog_options(struct sl_deed *d, const struct chat_dialog *dialog)
{
    struct call *c = d->c;
    const char *name = sl_deed_str(d, "name"), *given = json_get_str(d->args, "text");
    const char *text = given ? given : "";
    struct sl_draft draft;
    struct stage s;
    if (!name || open_stage(d, dialog, &s) < 0)
        return -1;
    const struct json *element = element_named(s.elements, name);
    const char *source = json_get_str(element, "data_source");
    if (!source || strcmp(source, "external") != 0)
        return slack_fail(c, "action_not_found");
    if (sl_ask_later(c, element, text, 0))
        return 0;
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    write_stage_head(c, &draft.w, "dialog_suggestion", &s);
    json_str(&draft.w, "name", name);
    json_str(&draft.w, "value", text);
    json_end(&draft.w);
    return notify(d, &s, SL_PUSH_OPTIONS, "options", NULL, sl_draft_end(&draft));
}

/* ---- what the app answers ---- */

/* {"errors": [{"name", "error"}]}, or nothing: then the dialog is over. */
int sl_dialog_answered(struct call *c, int64_t id, const struct json *answer)
{
    const struct json *body, *list = json_get(answer, "errors");
    struct chat_dialog d;
    int r = chat_dialog_get(&c->tx, id, &d);
    if (r != 1)
        return r;
    if (!list || (list->type == JSON_ARRAY && !list->n))
        return chat_dialog_close(&c->tx, id);
    if (json_parse(c->tx.arena, d.body, strlen(d.body), NULL, &body, c->tx.err) < 0)
        return -1;
    if (list->type != JSON_ARRAY)
        return slack_fail(c, "invalid_errors");
    json_obj(c->out, "errors");
    for (uint32_t i = 0; i < list->n; i++) {
        const char *name = json_get_str(&list->items[i], "name");
        const char *error = json_get_str(&list->items[i], "error");
        if (!name || !error || !element_named(json_get(body, "elements"), name))
            return slack_fail(c, "invalid_errors");
        json_str(c->out, name, error);
    }
    json_end(c->out);
    return 0;
}

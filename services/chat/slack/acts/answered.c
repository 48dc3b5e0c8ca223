/* SPDX-License-Identifier: Apache-2.0 */
/* What an app answered to something that a person did, and what he sees of that. */
#include "engine/base/utf8.h"
#include "services/chat/slack/acts/act.h"

/* ---- what apps say ---- */

/* An object, or NULL: the body is none. */
static const struct json *object_in(struct call *c, const struct sl_answer *a)
{
    static const struct json_limits limits = {
        .max_size = 4 << 20, .max_depth = 64, .max_values = 100000};
    const struct json *v;
    struct sosia_err err;
    size_t skip = strspn(a->body, " \t\r\n");
    if (a->body[skip] != '{' || json_parse(c->tx.arena, a->body, a->len, &limits, &v, &err) < 0)
        return NULL;
    return v->type == JSON_OBJECT ? v : NULL;
}

/* A text is a message like {"text": ...}. */
static const struct json *message_in(struct call *c, const struct sl_answer *a)
{
    const struct json *v = object_in(c, a);
    if (v || !a->body[strspn(a->body, " \t\r\n")])
        return v;
    struct json_member *m = arena_calloc(c->tx.arena, 1, sizeof *m);
    struct json *made = arena_calloc(c->tx.arena, 1, sizeof *made);
    if (arena_failed(c->tx.arena))
        return NULL;
    *m = (struct json_member){
        .key = "text",
        .key_len = 4,
        .value = {.type = JSON_STRING, .n = (uint32_t)strlen(a->body), .str = a->body}};
    *made = (struct json){.type = JSON_OBJECT, .n = 1, .members = m};
    return made;
}

static bool has_content(const struct json *v)
{
    static const char *const members[] = {"text", "blocks", "attachments", "delete_original"};
    for (size_t i = 0; v && i < SOSIA_LEN(members); i++)
        if (json_get(v, members[i]))
            return true;
    return false;
}

static int took_message(struct call *c, const struct chat_act *act, const struct sl_answer *a)
{
    const struct json *v = message_in(c, a);
    struct chat_answer address;
    if (!has_content(v))
        return 0;
    int r = chat_answer_get(&c->tx, act->answer, &address);
    return r == 1 ? sl_reply(c, &address, v, strcmp(act->kind, "legacy") == 0) : r;
}

static int took_options(struct call *c, const struct chat_act *act, const struct sl_answer *a)
{
    const struct json *v = object_in(c, a);
    const struct json *options = json_get(v, "options"), *groups = json_get(v, "option_groups");
    const struct json *list = groups ? groups : options;
    (void)act;
    if (!list || list->type != JSON_ARRAY || list->n > 100)
        return slack_fail(c, "invalid_options");
    json_value(c->out, groups ? "option_groups" : "options", list);
    return 0;
}

/* ---- what becomes of a view that was submitted ---- */

static const struct json *block_in(struct call *c, const struct chat_view *v, const char *id)
{
    const struct json *body;
    if (json_parse(c->tx.arena, v->body, strlen(v->body), NULL, &body, c->tx.err) < 0)
        return NULL;
    const struct json *list = json_get(body, "blocks");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *own = json_get_str(&list->items[i], "block_id");
        const char *type = json_get_str(&list->items[i], "type");
        if (own && strcmp(own, id) == 0 && type && strcmp(type, "input") == 0)
            return &list->items[i];
    }
    return NULL;
}

/* Texts under inputs; each must be of one. */
static int show_errors(struct call *c, const struct chat_view *v, const struct json *errors)
{
    if (!errors || errors->type != JSON_OBJECT || !errors->n)
        return slack_fail(c, "invalid_errors");
    for (uint32_t i = 0; i < errors->n; i++)
        if (!block_in(c, v, errors->members[i].key) || errors->members[i].value.type != JSON_STRING)
            return slack_fail(c, "invalid_errors");
    json_value(c->out, "errors", errors);
    return 0;
}

static int update_view(struct call *c, struct chat_view *there, const struct json *given)
{
    struct chat_view v = *there;
    int r = given ? sl_view_check(c, given, &sl_modal_field, &v) : 0;
    if (r == 1 && (r = sl_view_taken(c, &v, there->id)) >= 0)
        r = !r;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_view");
    if (!(v.state = sl_view_kept(c, there, v.body)) ||
        sl_mark_function(c, there->body, &v.body) < 0)
        return -1;
    return chat_view_save(&c->tx, &v);
}

static int push_view(struct call *c, const struct chat_view *on, const struct json *given)
{
    struct chat_view top,
        v = {.workspace = on->workspace, .app = on->app, .user = on->user, .state = "{}"};
    int r = chat_view_top(&c->tx, on->app, on->user, &top);
    if (r == 1 && top.place >= CHAT_VIEW_STACK)
        return slack_fail(c, "push_limit_reached");
    if (r == 1)
        r = given ? sl_view_check(c, given, &sl_modal_field, &v) : 0;
    if (r == 1 && (r = sl_view_taken(c, &v, 0)) >= 0)
        r = !r;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_view");
    v.place = top.place + 1;
    if (sl_mark_function(c, on->body, &v.body) < 0)
        return -1;
    return chat_view_add(&c->tx, &v);
}

/* The view closes if nothing was said; libraries say {} for that over Socket Mode. What else says
 * no response_action is none (clients have seen it). */
static bool says_nothing(const struct json *v, const struct sl_answer *a)
{
    return v ? !v->n : !a->body[strspn(a->body, " \t\r\n")];
}

static int took_submission(struct call *c, const struct chat_act *act, const struct sl_answer *a)
{
    const struct json *v = object_in(c, a);
    const char *action = json_get_str(v, "response_action");
    struct chat_view view;
    int r = chat_view_get(&c->tx, act->view, &view);
    if (r != 1)
        return r; /* it was closed meanwhile */
    if (says_nothing(v, a))
        return chat_view_close(&c->tx, &view);
    if (!action)
        return slack_fail(c, "invalid_response_action");
    if (strcmp(action, "errors") == 0)
        return show_errors(c, &view, json_get(v, "errors"));
    if (strcmp(action, "update") == 0)
        return update_view(c, &view, json_get(v, "view"));
    if (strcmp(action, "push") == 0)
        return push_view(c, &view, json_get(v, "view"));
    if (strcmp(action, "clear") != 0)
        return slack_fail(c, "invalid_response_action");
    view.place = 1;
    return chat_view_close(&c->tx, &view);
}

static int took_dialog(struct call *c, const struct chat_act *act, const struct sl_answer *a)
{
    return sl_dialog_answered(c, act->view, object_in(c, a));
}

/* ---- all of it ---- */

static const struct {
    const char *kind;
    int (*took)(struct call *c, const struct chat_act *act, const struct sl_answer *a);
} kinds[] = {
    {"command", took_message},   {"legacy", took_message}, {"options", took_options},
    {"submit", took_submission}, {"dialog", took_dialog},  {"verify", sl_verify_answered},
};

static int take_answer(struct call *c, const struct chat_act *act, const struct sl_answer *a)
{
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++)
        if (strcmp(kinds[i].kind, act->kind) == 0)
            return utf8_valid(a->body, a->len) ? kinds[i].took(c, act, a)
                                               : slack_fail(c, "invalid_payload");
    return 0;
}

/* The window as it is now. */
static int write_window(struct call *c, const struct chat_act *act)
{
    struct chat_view v;
    int r = chat_view_top(&c->tx, act->app, act->user, &v);
    if (r == 1)
        r = sl_write_view(c, c->out, "view", &v);
    else
        json_null(c->out, "view");
    return r < 0 ? -1 : sl_write_dialog(c, act->user);
}

static int write_result(struct call *c, const struct chat_act *act, const struct sl_answer *a)
{
    struct sl_draft draft;
    const char *failure = a->good ? NULL : a->failure ? a->failure : "unknown_error";
    json_obj(c->out, NULL);
    json_bool(c->out, "ok", true);
    if (!failure) {
        /* What it says may be refused half-way: then none of it is shown. */
        sl_draft_begin(&draft, c);
        json_obj(&draft.w, NULL);
        int rc = take_answer(c, act, a);
        json_end(&draft.w);
        const char *text = sl_draft_end(&draft);
        const struct json *v;
        failure = rc < 0 ? slack_of(c)->error : NULL;
        if (!text || (rc < 0 && !failure) ||
            (rc == 0 && json_parse(c->tx.arena, text, strlen(text), NULL, &v, c->tx.err) < 0))
            return -1;
        for (uint32_t i = 0; rc == 0 && i < v->n; i++)
            json_value(c->out, v->members[i].key, &v->members[i].value);
    }
    if (failure && sl_write_failure(c, act, failure) < 0)
        return -1;
    if (failure && slack_of(c)->n_messages) {
        json_arr(c->out, "messages");
        for (size_t i = 0; i < slack_of(c)->n_messages; i++)
            json_str(c->out, NULL, slack_of(c)->messages[i]);
        json_end(c->out);
    }
    if (strcmp(act->kind, "verify") != 0 && write_window(c, act) < 0) /* done outside of it */
        return -1;
    json_end(c->out);
    return 0;
}

int sl_answered(struct tx *tx, const struct sl_answer *a)
{
    struct chat_act act;
    struct chat_install install;
    struct sl_inside *in = arena_alloc(tx->arena, sizeof *in);
    int r = chat_act_get(tx, a->ref, &act);
    if (r != 1)
        return r;
    if ((r = chat_install_of(tx, act.workspace, act.app, &install)) < 0)
        return -1;
    r = sl_inside_begin(tx, in, r && install.user ? install.user : act.user, r ? act.app : 0);
    if (r != 1)
        return r < 0 ? -1 : chat_act_end(tx, &act, "{\"ok\":true}");
    int rc = write_result(&in->call, &act, a);
    const char *result = sl_inside_end(tx, in);
    return rc < 0 || !result ? -1 : chat_act_end(tx, &act, result);
}

int sl_answer_complete(struct call *c, const struct sl_answer *a)
{
    struct chat_act act;
    int r = chat_act_get(&c->tx, a->ref, &act);
    if (r < 0)
        return -1;
    if (!r || !act.result)
        return slack_ok(c);
    json_raw(c->out, NULL, act.result, strlen(act.result));
    return chat_act_forget(&c->tx, act.id);
}

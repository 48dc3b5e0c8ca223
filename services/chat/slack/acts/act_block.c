/* SPDX-License-Identifier: Apache-2.0 */
/* Acts on blocks: pressing and choosing in messages and views, filling in, submitting and closing
 * views. */
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"

/* Where the act is: in a message (an ephemeral one too) or in a view. */
struct scene {
    struct chat_channel channel; /* id 0: a view */
    struct chat_message message; /* id 0: none */
    struct chat_ephemeral only;  /* id 0: none */
    struct chat_view view;       /* id 0: none */
    struct sl_party party;
    const struct json *blocks, *body; /* body: of a view */
    const struct json *attachments;   /* of a message; NULL: none */
    int64_t app;                      /* whose it is; 0: nobody's */
    const struct json *shown;         /* the attachment that the element is in; NULL: none */
    uint32_t shown_at;
};

static const struct json *parse(struct call *c, const char *text)
{
    const struct json *v;
    return json_parse(c->tx.arena, text, strlen(text), NULL, &v, c->tx.err) < 0 ? NULL : v;
}

/* Is the element in what an app shows of a link? */
static bool is_unfurl(const struct scene *s)
{
    return json_get_true(s->shown, "is_app_unfurl");
}

/* What is shown of a link is the app's that showed it. */
static int find_party(struct sl_deed *d, struct scene *s)
{
    const char *bot = is_unfurl(s) ? json_get_str(s->shown, "bot_id") : NULL;
    struct chat_install install;
    int r = bot ? chat_install_find(&d->c->tx, sl_me(d->c)->workspace.id, bot, &install) : 0;
    if (r == 1)
        s->app = install.app;
    if (r >= 0)
        r = sl_party_of(d->c, s->app, &s->party);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(d->c, "app_not_installed");
}

/* ---- where ---- */

/* The view that "view" names; absent: the topmost one, of any app, else the page of an app's home
 * if there is one alone. */
static int view_scene(struct sl_deed *d, struct scene *s)
{
    struct call *c = d->c;
    const char *key = json_get_str(d->args, "view");
    struct chat_view v = {0}, page = {0};
    size_t pages = 0;
    int r;
    while ((r = chat_view_next(&c->tx, sl_me(c)->user.id, v.id, &v)) == 1) {
        if (key ? strcmp(v.key, key) == 0 : v.place >= s->view.place && v.place > 0)
            s->view = v;
        if (!key && !v.place) {
            page = v;
            pages++;
        }
    }
    if (r < 0)
        return -1;
    if (!s->view.id && pages == 1)
        s->view = page;
    if (!s->view.id)
        return slack_fail(c, "view_not_found");
    if (!(s->body = parse(c, s->view.body)))
        return -1;
    s->blocks = json_get(s->body, "blocks");
    s->app = s->view.app;
    return find_party(d, s);
}

/* The same, with no other view above it: what is covered can only be closed. */
static int open_scene(struct sl_deed *d, struct scene *s)
{
    struct chat_view top = {0};
    if (view_scene(d, s) < 0 ||
        (s->view.place && chat_view_top(&d->c->tx, s->view.app, s->view.user, &top) < 0))
        return -1;
    return top.place > s->view.place ? slack_fail(d->c, "view_is_covered") : 0;
}

/* A list; NULL: what a document gave is none. */
static const struct json *list_alone(const struct json *v)
{
    return v && v->type == JSON_ARRAY ? v : NULL;
}

static int read_content(struct call *c, struct scene *s, const char *blocks,
                        const char *attachments)
{
    if ((blocks && !(s->blocks = parse(c, blocks))) ||
        (attachments && !(s->attachments = parse(c, attachments))))
        return -1;
    s->attachments = list_alone(s->attachments);
    return 0;
}

static int message_scene(struct sl_deed *d, struct scene *s)
{
    struct call *c = d->c;
    const char *ts = sl_deed_str(d, "ts");
    int64_t us;
    if (!ts || sl_deed_channel(d, &s->channel) < 0)
        return -1;
    if (chat_ts_read(ts, &us) < 0)
        return slack_fail(c, "message_not_found");
    int r = chat_message_find(&c->tx, s->channel.id, us, &s->message);
    if (r < 0)
        return -1;
    s->app = s->message.app;
    if (r)
        return read_content(c, s, s->message.blocks, s->message.attachments);
    s->message.id = 0;
    r = chat_ephemeral_find(&c->tx, s->channel.id, sl_me(c)->user.id, us, &s->only);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "message_not_found");
    const struct json *v = parse(c, s->only.message);
    if (!v)
        return -1;
    s->blocks = json_get(v, "blocks");
    s->attachments = list_alone(json_get(v, "attachments"));
    s->app = s->only.app;
    return 0;
}

static int scene_of(struct sl_deed *d, struct scene *s)
{
    *s = (struct scene){0};
    return json_get(d->args, "channel") || json_get(d->args, "ts") ? message_scene(d, s)
                                                                   : open_scene(d, s);
}

/* The element that the act is about, in blocks or those of attachments, and its app. */
static int element_of(struct sl_deed *d, struct scene *s, struct sl_element *ret)
{
    const char *action = sl_deed_str(d, "action_id"), *block = json_get_str(d->args, "block_id");
    if (!action)
        return -1;
    bool found = sl_element_find(s->blocks, block, action, ret);
    for (uint32_t i = 0; !found && s->attachments && i < s->attachments->n; i++) {
        s->shown = &s->attachments->items[i];
        s->shown_at = i;
        found = sl_element_find(json_get(s->shown, "blocks"), block, action, ret);
    }
    if (!found)
        s->shown = NULL;
    if (find_party(d, s) < 0)
        return -1;
    return found ? 0 : slack_fail(d->c, "action_not_found");
}

/* ---- payloads ---- */

static void copy_opt(struct json_writer *w, const struct json *from, const char *member)
{
    if (json_get(from, member))
        json_value(w, member, json_get(from, member));
}

static int64_t attachment_id(const struct scene *s)
{
    int64_t id = (int64_t)s->shown_at + 1;
    json_i64(json_get(s->shown, "id"), &id);
    return id;
}

static void write_container(struct call *c, struct json_writer *w, const struct scene *s)
{
    char ts[CHAT_TS_LEN];
    struct chat_message root;
    json_obj(w, "container");
    if (s->view.id) {
        json_str(w, "type", "view");
        json_str(w, "view_id", s->view.key);
    } else {
        chat_ts_text(ts, s->message.id ? s->message.ts_us : s->only.ts_us);
        json_str(w, "type", s->shown ? "message_attachment" : "message");
        json_str(w, "message_ts", ts);
        if (s->shown)
            json_int(w, "attachment_id", attachment_id(s));
        json_str(w, "channel_id", s->channel.key);
        json_bool(w, "is_ephemeral", s->message.id == 0);
        if (s->shown)
            json_bool(w, "is_app_unfurl", is_unfurl(s));
        if (is_unfurl(s))
            json_str_opt(w, "app_unfurl_url", json_get_str(s->shown, "app_unfurl_url"));
        if (s->message.thread && chat_message_get(&c->tx, s->message.thread, &root) == 1) {
            chat_ts_text(ts, root.ts_us);
            json_str(w, "thread_ts", ts);
        } else if (s->only.thread_us) {
            chat_ts_text(ts, s->only.thread_us);
            json_str(w, "thread_ts", ts);
        }
    }
    json_end(w);
}

/* The message or view itself; one that only the person sees is not kept by the service. Who shows a
 * link of somebody's message sees no more of it than what it shows. */
static int write_scene(struct call *c, struct json_writer *w, const struct scene *s)
{
    static const char *const members[] = {"id", "blocks", "app_unfurl_url", "is_app_unfurl"};
    if (s->view.id)
        return sl_write_view(c, w, "view", &s->view);
    if (is_unfurl(s)) {
        json_obj(w, "app_unfurl");
        for (size_t i = 0; i < SOSIA_LEN(members); i++)
            copy_opt(w, s->shown, members[i]);
        json_end(w);
        return 0;
    }
    return s->message.id ? sl_write_message(c, "message", &s->message, 0) : 0;
}

/* The one of two buttons that has the value that the act gives. NULL: refused. */
static const struct json *feedback_of(struct sl_deed *d, const struct sl_element *e)
{
    static const char *const names[] = {"positive_button", "negative_button"};
    const char *value = json_get_str(d->args, "value");
    for (size_t i = 0; value && i < SOSIA_LEN(names); i++) {
        const struct json *button = json_get(e->element, names[i]);
        const char *own = json_get_str(button, "value");
        if (own && strcmp(own, value) == 0)
            return button;
    }
    slack_invalid_arguments(d->c, NULL, "feedback_buttons must be given the value of one of them");
    return NULL;
}

static int write_pressed(struct sl_deed *d, struct json_writer *w, const struct sl_element *e)
{
    static const char *const members[] = {"text", "value", "url", "style", "confirm"};
    bool feedback = strcmp(e->type, "feedback_buttons") == 0;
    const struct json *button = feedback ? feedback_of(d, e) : e->element;
    if (!button)
        return -1;
    if (strcmp(e->type, "icon_button") == 0)
        copy_opt(w, e->element, "icon");
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        copy_opt(w, button, members[i]);
    json_str(w, "type", e->type);
    return 0;
}

/* What was pressed or chosen, as "actions" says it. */
static int write_action(struct sl_deed *d, struct json_writer *w, const struct sl_element *e)
{
    static const char *const members[] = {"placeholder", "min_query_length", "confirm"};
    char ts[CHAT_TS_LEN];
    bool button = sl_element_is_pressed(e);
    const struct json *value = json_get(d->args, "value");
    chat_ts_text(ts, d->c->tx.now_us);
    json_obj(w, NULL);
    if (!button)
        json_str(w, "type", e->type);
    json_str(w, "action_id", e->action_id);
    json_str(w, "block_id", e->block_id);
    if (button) {
        if (write_pressed(d, w, e) < 0)
            return -1;
    } else {
        if (sl_element_value(d->c, w, e, value ? value : json_get(d->args, "values")) < 0)
            return -1;
        if (!sl_element_is_typed(e) && sl_element_begins(e))
            copy_opt(w, e->element, sl_element_begins(e));
        for (size_t i = 0; !sl_element_is_typed(e) && i < SOSIA_LEN(members); i++)
            copy_opt(w, e->element, members[i]);
    }
    json_str(w, "action_ts", ts);
    json_end(w);
    return 0;
}

/* The value that the act gives the element, by block and action; NULL: the element keeps none. */
static const struct json *given_of(struct sl_deed *d, const struct sl_element *e)
{
    const struct json *value = json_get(d->args, "value");
    struct arena *a = d->c->tx.arena;
    struct json_member *m = arena_calloc(a, 2, sizeof *m);
    struct json *v = arena_calloc(a, 2, sizeof *v);
    static const struct json null = {.type = JSON_NULL};
    if (!value)
        value = json_get(d->args, "values");
    if (!sl_element_keeps(e) || arena_failed(a))
        return NULL;
    m[0] = (struct json_member){.key = e->action_id,
                                .key_len = (uint32_t)strlen(e->action_id),
                                .value = value ? *value : null};
    v[0] = (struct json){.type = JSON_OBJECT, .n = 1, .members = &m[0]};
    m[1] = (struct json_member){
        .key = e->block_id, .key_len = (uint32_t)strlen(e->block_id), .value = v[0]};
    v[1] = (struct json){.type = JSON_OBJECT, .n = 1, .members = &m[1]};
    return &v[1];
}

/* The state as it is with the act; of a view it is kept. NULL: refused. */
static const char *state_with(struct sl_deed *d, struct scene *s, const struct json *given)
{
    const struct json *filled = s->view.id ? parse(d->c, s->view.state) : NULL;
    if (s->view.id && !filled)
        return NULL;
    const struct json *blocks = s->shown ? json_get(s->shown, "blocks") : s->blocks;
    const char *state = sl_state(d->c, blocks, filled, given);
    if (state && s->view.id) {
        s->view.state = state;
        if (chat_view_fill(&d->c->tx, &s->view) < 0)
            return NULL;
    }
    return state;
}

static int block_actions(struct sl_deed *d, struct scene *s, const struct sl_element *e,
                         const char *state)
{
    struct call *c = d->c;
    struct sl_draft draft;
    struct chat_answer a = {.message_us = s->message.id && !is_unfurl(s) ? s->message.ts_us : 0,
                            .ephemeral_us = s->only.ts_us,
                            .thread_us = s->only.thread_us};
    const char *trigger = sl_new_trigger(c, s->party.app.app, s->view.id ? &s->view : NULL,
                                         s->channel.id ? &s->channel : NULL);
    if (!trigger || (s->channel.id && sl_new_answer(c, s->party.app.app, &s->channel, &a) < 0))
        return -1;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    json_str(w, "type", "block_actions");
    sl_write_person(w, sl_me(c));
    json_str(w, "api_app_id", s->party.app.key);
    json_str(w, "token", s->party.app.verification);
    write_container(c, w, s);
    json_str(w, "trigger_id", trigger);
    sl_write_team(w, sl_me(c));
    sl_write_enterprise(w);
    if (s->channel.id)
        sl_write_place(w, "channel", &s->channel);
    int rc = write_scene(c, w, s);
    if (s->channel.id) {
        json_obj(w, "state");
        json_raw(w, "values", state, strlen(state));
        json_end(w);
        json_str(w, "response_url", sl_answer_url(c, &a, SL_OF_ACTIONS));
    }
    json_arr(w, "actions");
    if (rc == 0)
        rc = write_action(d, w, e);
    json_end(w);
    if (rc == 0)
        rc = sl_write_function_data(c, w, &s->party, s->view.id ? s->view.body : s->message.extra,
                                    trigger);
    json_end(w);
    return sl_notify_draft(d, rc, &draft,
                           &(struct sl_notice){.push = SL_PUSH_INTERACTIVE,
                                               .kind = "click",
                                               .to = &s->party,
                                               .channel = s->channel.id ? &s->channel : NULL,
                                               .view = s->view.id ? &s->view : NULL,
                                               .answer = s->channel.id ? &a : NULL,
                                               .answers = true});
}

/* ---- buttons and menus of attachments ---- */

static const struct json *legacy_action(const struct scene *s, const char *name, uint32_t *ret_at)
{
    for (uint32_t i = 0; s->attachments && i < s->attachments->n; i++) {
        const struct json *list = json_get(&s->attachments->items[i], "actions");
        for (uint32_t k = 0; list && list->type == JSON_ARRAY && k < list->n; k++) {
            const char *own = json_get_str(&list->items[k], "name");
            if (own && strcmp(own, name) == 0) {
                *ret_at = i;
                return &list->items[k];
            }
        }
    }
    return NULL;
}

static int write_legacy(struct sl_deed *d, struct json_writer *w, const struct json *action)
{
    const char *type = json_get_str(action, "type"), *value = json_get_str(d->args, "value");
    bool menu = type && strcmp(type, "select") == 0;
    if (menu && !value)
        return slack_invalid_arguments(d->c, NULL, "missing required field: value");
    json_arr(w, "actions");
    json_obj(w, NULL);
    json_str(w, "name", json_get_str(action, "name"));
    json_str(w, "type", type ? type : "button");
    if (menu) {
        json_arr(w, "selected_options");
        json_obj(w, NULL);
        json_str(w, "value", value);
        json_end(w);
        json_end(w);
    } else {
        value = json_get_str(action, "value");
        json_str(w, "value", value ? value : "");
    }
    json_end(w);
    json_end(w);
    return 0;
}

static int interactive_message(struct sl_deed *d, struct scene *s, const struct json *action,
                               uint32_t at)
{
    struct call *c = d->c;
    struct sl_draft draft;
    struct chat_answer a = {.message_us = s->message.id ? s->message.ts_us : 0,
                            .ephemeral_us = s->only.ts_us};
    const char *trigger = sl_new_trigger(c, s->party.app.app, NULL, &s->channel);
    const char *callback = json_get_str(&s->attachments->items[at], "callback_id");
    char ts[CHAT_TS_LEN];
    if (!trigger || sl_new_answer(c, s->party.app.app, &s->channel, &a) < 0)
        return -1;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    json_str(w, "type", "interactive_message");
    int rc = write_legacy(d, w, action);
    json_str(w, "callback_id", callback ? callback : "");
    sl_write_team(w, sl_me(c));
    sl_write_place(w, "channel", &s->channel);
    sl_write_presser(w, sl_me(c), false);
    chat_ts_text(ts, c->tx.now_us);
    json_str(w, "action_ts", ts);
    chat_ts_text(ts, s->message.id ? s->message.ts_us : s->only.ts_us);
    json_str(w, "message_ts", ts);
    json_str(w, "attachment_id", arena_printf(c->tx.arena, "%u", at + 1));
    json_str(w, "token", s->party.app.verification);
    json_bool(w, "is_app_unfurl", is_unfurl(s));
    sl_write_enterprise(w);
    if (rc == 0 && s->message.id)
        rc = sl_write_message(c, "original_message", &s->message, 0);
    json_str(w, "response_url", sl_answer_url(c, &a, SL_OF_ACTIONS));
    json_str(w, "trigger_id", trigger);
    json_end(w);
    return sl_notify_draft(d, rc, &draft,
                           &(struct sl_notice){.push = SL_PUSH_INTERACTIVE,
                                               .kind = "legacy",
                                               .to = &s->party,
                                               .channel = &s->channel,
                                               .answer = &a,
                                               .answers = true});
}

/* ---- the acts ---- */

/* An input block notifies the app of a change if it says so; others always do. */
static bool dispatches(const struct sl_element *e)
{
    const struct json *v = json_get(e->block, "dispatch_action");
    return !e->input || (v && v->truth);
}

static int show_view(struct sl_deed *d, const struct scene *s)
{
    slack_open(d->c);
    if (sl_write_view(d->c, d->c->out, "view", &s->view) < 0)
        return -1;
    slack_close(d->c);
    return 0;
}

int sl_act_click(struct sl_deed *d)
{
    struct scene s;
    struct sl_element e;
    uint32_t at;
    if (scene_of(d, &s) < 0)
        return -1;
    const char *name = json_get_str(d->args, "name");
    const struct json *legacy = name && s.channel.id ? legacy_action(&s, name, &at) : NULL;
    if (legacy) {
        s.shown = &s.attachments->items[at];
        return find_party(d, &s) < 0 ? -1 : interactive_message(d, &s, legacy, at);
    }
    if (element_of(d, &s, &e) < 0)
        return -1;
    const char *state = state_with(d, &s, given_of(d, &e));
    if (!state)
        return -1;
    return dispatches(&e) ? block_actions(d, &s, &e, state) : show_view(d, &s);
}

int sl_ask_later(struct call *c, const struct json *element, const char *text, int64_t usual)
{
    int64_t least = usual;
    json_i64(json_get(element, "min_query_length"), &least);
    if ((int64_t)sl_characters(text) >= least)
        return 0;
    slack_open(c);
    json_arr(c->out, "options");
    json_end(c->out);
    json_str(c->out, "notice",
             arena_printf(c->tx.arena, "Type a minimum of %lld characters to see options.",
                          (long long)least));
    slack_close(c);
    return 1;
}

int sl_act_options(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *given = json_get_str(d->args, "text"), *value = given ? given : "";
    struct sl_draft draft;
    struct scene s;
    struct sl_element e;
    struct chat_dialog dialog;
    int here = sl_dialog_here(d, &dialog);
    if (here)
        return here < 0 ? -1 : sl_dialog_options(d, &dialog);
    if (scene_of(d, &s) < 0 || element_of(d, &s, &e) < 0)
        return -1;
    if (!strstr(e.type, "external_select"))
        return slack_fail(c, "action_not_found");
    if (sl_ask_later(c, e.element, value, 3)) /* unless the element says less */
        return 0;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    json_str(w, "type", "block_suggestion");
    sl_write_person(w, sl_me(c));
    write_container(c, w, &s);
    json_str(w, "api_app_id", s.party.app.key);
    json_str(w, "token", s.party.app.verification);
    json_str(w, "action_id", e.action_id);
    json_str(w, "block_id", e.block_id);
    json_str(w, "value", value);
    sl_write_team(w, sl_me(c));
    sl_write_enterprise(w);
    if (s.channel.id)
        sl_write_place(w, "channel", &s.channel);
    int rc = write_scene(c, w, &s);
    json_end(w);
    return sl_notify_draft(d, rc, &draft,
                           &(struct sl_notice){.push = SL_PUSH_OPTIONS,
                                               .kind = "options",
                                               .to = &s.party,
                                               .view = s.view.id ? &s.view : NULL,
                                               .answers = true});
}

int sl_act_fill(struct sl_deed *d)
{
    const struct json *values = json_get(d->args, "values");
    struct scene s = {0};
    if (open_scene(d, &s) < 0)
        return -1;
    if (!values || values->type != JSON_OBJECT)
        return slack_invalid_arguments(d->c, NULL, "missing required field: values");
    return state_with(d, &s, values) ? show_view(d, &s) : -1;
}

/* ---- submitting ---- */

struct faults {
    struct call *c;
    const struct json *state;
    struct json_writer *w;
    int n;
};

static int find_fault(void *arg, const struct sl_element *e)
{
    struct faults *f = arg;
    const struct json *value = json_get(json_get(f->state, e->block_id), e->action_id);
    const char *fault = sl_element_fault(f->c, e, value);
    if (fault && f->n++ == 0)
        json_obj(f->w, "errors");
    if (fault)
        json_str(f->w, e->block_id, fault);
    return 0;
}

/* As the client does, before anything is sent. 1: there are faults, and the answer is written. */
static int find_faults(struct sl_deed *d, const struct scene *s, const char *state)
{
    struct sl_draft draft;
    struct faults f = {.c = d->c};
    if (!(f.state = parse(d->c, state)))
        return -1;
    sl_draft_begin(&draft, d->c);
    f.w = &draft.w;
    slack_open(d->c);
    sl_elements(s->blocks, find_fault, &f);
    if (f.n)
        json_end(f.w);
    int rc = sl_write_view(d->c, f.w, "view", &s->view);
    slack_close(d->c);
    const char *answer = sl_draft_end(&draft);
    if (rc < 0 || !answer)
        return -1;
    if (f.n)
        json_raw(d->c->out, NULL, answer, strlen(answer));
    return f.n != 0;
}

/* Addresses for the channels that were chosen where the view asks for them. */
static int write_addresses(struct call *c, struct json_writer *w, struct scene *s, const char *text)
{
    const struct json *state = parse(c, text);
    struct sl_element e;
    struct chat_channel ch;
    if (!state)
        return -1;
    json_arr(w, "response_urls");
    for (uint32_t i = 0; i < state->n; i++) {
        const struct json *values = &state->members[i].value;
        for (uint32_t k = 0; k < values->n; k++) {
            const char *action = values->members[k].key, *id;
            struct chat_answer a = {0};
            if (!sl_element_find(s->blocks, state->members[i].key, action, &e) ||
                !json_get(e.element, "response_url_enabled") ||
                !json_get(e.element, "response_url_enabled")->truth)
                continue;
            id = json_get_str(&values->members[k].value, "selected_conversation");
            if (!id)
                id = json_get_str(&values->members[k].value, "selected_channel");
            int r = id ? chat_channel_find(&c->tx, sl_me(c)->workspace.id, id, &ch) : 0;
            if (r == 1 && sl_new_answer(c, s->party.app.app, &ch, &a) < 0)
                r = -1;
            if (r < 0)
                return -1;
            if (!r)
                continue;
            json_obj(w, NULL);
            json_str(w, "response_url", sl_answer_url(c, &a, SL_OF_APP));
            json_str(w, "channel_id", ch.key);
            json_str(w, "action_id", action);
            json_str(w, "block_id", state->members[i].key);
            json_end(w);
        }
    }
    json_end(w);
    return 0;
}

static void write_view_head(struct call *c, struct json_writer *w, const char *type,
                            const struct scene *s)
{
    json_str(w, "type", type);
    sl_write_team(w, sl_me(c));
    sl_write_person(w, sl_me(c));
    json_str(w, "api_app_id", s->party.app.key);
    json_str(w, "token", s->party.app.verification);
}

int sl_act_submit(struct sl_deed *d)
{
    struct call *c = d->c;
    struct sl_draft draft;
    struct chat_dialog dialog;
    struct scene s = {0};
    int here = sl_dialog_here(d, &dialog);
    if (here)
        return here < 0 ? -1 : sl_dialog_submit(d, &dialog);
    if (open_scene(d, &s) < 0)
        return -1;
    if (!s.view.place || !json_get(s.body, "submit"))
        return slack_fail(c, "view_not_submittable");
    const char *state = state_with(d, &s, json_get(d->args, "values"));
    int r = state ? find_faults(d, &s, state) : -1;
    if (r)
        return r < 0 ? -1 : 0;
    const char *trigger = sl_new_trigger(c, s.party.app.app, &s.view, NULL);
    if (!trigger)
        return -1;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    write_view_head(c, w, "view_submission", &s);
    json_str(w, "trigger_id", trigger);
    int rc = sl_write_view(c, w, "view", &s.view);
    if (rc == 0)
        rc = write_addresses(c, w, &s, state);
    json_bool(w, "is_enterprise_install", false);
    json_null(w, "enterprise");
    if (rc == 0)
        rc = sl_write_function_data(c, w, &s.party, s.view.body, trigger);
    json_end(w);
    return sl_notify_draft(d, rc, &draft,
                           &(struct sl_notice){.push = SL_PUSH_INTERACTIVE,
                                               .kind = "submit",
                                               .to = &s.party,
                                               .view = &s.view,
                                               .answers = true});
}

/* ---- closing ---- */

static int notify_closed(struct sl_deed *d, const struct scene *s, bool all)
{
    struct call *c = d->c;
    struct sl_draft draft;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    write_view_head(c, w, "view_closed", s);
    int rc = sl_write_view(c, w, "view", &s->view);
    json_bool(w, "is_cleared", all);
    json_bool(w, "is_enterprise_install", false);
    json_null(w, "enterprise");
    json_end(w);
    const struct sl_notice t = {.push = SL_PUSH_INTERACTIVE, .kind = "close", .to = &s->party};
    return sl_notify_draft(d, rc, &draft, &t);
}

/* The one view, or the whole window; the app is notified if the view that is closed wants it. */
int sl_act_close(struct sl_deed *d)
{
    struct call *c = d->c;
    const struct json *all = json_get(d->args, "all");
    struct chat_dialog dialog;
    struct scene s = {0};
    int here = sl_dialog_here(d, &dialog);
    if (here)
        return here < 0 ? -1 : sl_dialog_close(d, &dialog);
    if (view_scene(d, &s) < 0)
        return -1;
    if (!s.view.place)
        return slack_fail(c, "view_not_found");
    const struct json *notify = json_get(s.body, "notify_on_close");
    const struct json *clears = json_get(s.body, "clear_on_close");
    bool whole = (all && all->truth) || (clears && clears->truth);
    struct chat_view bottom = s.view;
    bottom.place = whole ? 1 : s.view.place;
    if (notify && notify->truth && notify_closed(d, &s, whole) < 0)
        return -1;
    if (chat_view_close(&c->tx, &bottom) < 0)
        return -1;
    return d->entry || (notify && notify->truth) ? 0 : slack_ok(c);
}

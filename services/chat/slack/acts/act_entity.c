/* SPDX-License-Identifier: Apache-2.0 */
/* What people do with work objects: they open them beside the conversation, their comments, and
 * ask for them again (docs.slack.dev, entity_details_requested and entity_comments_requested). */
#include "engine/text/civil.h"
#include "services/chat/slack/acts/act.h"
#include "services/chat/slack/apps/entity.h"

#define PAGE 100 /* comments that are asked for */

/* The work object, the message that it is in, and the app that shows it. */
struct sight {
    struct chat_channel channel;
    struct chat_message message;
    const struct json *entity;
    struct sl_party party;
};

/* The app that showed a link; of a message's own work objects the app that posted it. 0: unknown.
 */
static int app_of(struct call *c, const struct sight *s, int64_t *ret)
{
    const char *url = json_get_str(s->entity, "app_unfurl_url");
    const struct json *list = NULL;
    struct chat_install install;
    *ret = s->message.app;
    if (!url || !s->message.attachments)
        return 0;
    if (!(list = sl_stored_json(c, s->message.attachments)))
        return -1;
    for (uint32_t i = 0; list->type == JSON_ARRAY && i < list->n; i++) {
        const char *own = json_get_str(&list->items[i], "app_unfurl_url");
        const char *bot = json_get_str(&list->items[i], "bot_id");
        if (!own || strcmp(own, url) != 0 || !bot)
            continue;
        int r = chat_install_find(&c->tx, sl_me(c)->workspace.id, bot, &install);
        if (r == 1)
            *ret = install.app;
        return r < 0 ? -1 : 0;
    }
    return 0;
}

static int find_sight(struct sl_deed *d, struct sight *s)
{
    struct call *c = d->c;
    const char *ts = sl_deed_str(d, "ts");
    const struct json *metadata = NULL;
    int64_t us, app;
    if (!ts || sl_deed_channel(d, &s->channel) < 0)
        return -1;
    int r =
        chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(&c->tx, s->channel.id, us, &s->message);
    if (r == 1 && s->message.flags & CHAT_TOMBSTONE)
        r = 0;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "message_not_found");
    if (s->message.metadata && !(metadata = sl_stored_json(c, s->message.metadata)))
        return -1;
    s->entity = sl_entity_find(json_get(metadata, "entities"), json_get_str(d->args, "url"));
    if (!s->entity)
        return slack_fail(c, "entity_not_found");
    if (app_of(c, s, &app) < 0 || (r = sl_party_of(c, app, &s->party)) < 0)
        return -1;
    return r ? 0 : slack_fail(c, "app_not_installed");
}

/* ---- events ---- */

static void write_link(struct json_writer *w, const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    size_t n = strcspn(host, "/?#:");
    json_obj(w, "link");
    json_str(w, "url", url);
    json_strn(w, "domain", host, n);
    json_end(w);
}

/* The message in whose context it was opened. */
static int write_message_context(struct call *c, struct json_writer *w, const struct sight *s)
{
    const struct chat_message *m = &s->message;
    struct chat_message root;
    char ts[CHAT_TS_LEN];
    json_str_opt(w, "app_unfurl_url", json_get_str(s->entity, "app_unfurl_url"));
    json_str(w, "user_locale", sl_me(c)->user.locale ? sl_me(c)->user.locale : "en-US");
    json_str(w, "channel", s->channel.key);
    chat_ts_text(ts, m->ts_us);
    json_str(w, "message_ts", ts);
    int r = m->thread ? chat_message_get(&c->tx, m->thread, &root) : 0;
    if (r == 1) {
        chat_ts_text(ts, root.ts_us);
        json_str(w, "thread_ts", ts);
    }
    return r < 0 ? -1 : 0;
}

static int notify_app(struct sl_deed *d, const struct sight *s, const struct chat_pane *p)
{
    struct call *c = d->c;
    bool details = p->part == CHAT_PANE_DETAILS;
    const char *type = details ? "entity_details_requested" : "entity_comments_requested";
    const char *url = json_get_str(s->entity, "url");
    struct sl_draft draft;
    char ts[CHAT_TS_LEN];
    int r = sl_subscribed(&c->tx, p->app, type, false), rc = 0;
    if (r != 1)
        return r;
    chat_ts_text(ts, c->tx.now_us);
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    json_str(&draft.w, "type", type);
    json_str(&draft.w, "user", sl_me(c)->user.key);
    json_value(&draft.w, "external_ref", json_get(s->entity, "external_ref"));
    json_str(&draft.w, "entity_url", url);
    write_link(&draft.w, url);
    if (details) {
        rc = write_message_context(c, &draft.w, s);
    } else {
        json_str_opt(&draft.w, "cursor", json_get_str(d->args, "cursor"));
        json_int(&draft.w, "limit", PAGE);
        json_str_opt(&draft.w, "thread_root_id", json_get_str(d->args, "thread_root_id"));
    }
    json_str(&draft.w, "event_ts", ts);
    json_str(&draft.w, "trigger_id", p->key);
    json_end(&draft.w);
    struct sl_event e = {.workspace = p->workspace,
                         .channel = s->channel.id,
                         .type = type,
                         .event = sl_draft_end(&draft)};
    if (rc < 0 || !e.event)
        return -1;
    return sl_push_event(&c->tx, &e, p->app, s->party.install.user);
}

/* ---- the act ---- */

/* Which page of comments, or of replies to one. */
static const char *what_is_asked(struct sl_deed *d)
{
    static const char *const members[] = {"cursor", "thread_root_id"};
    struct sl_draft draft;
    sl_draft_begin(&draft, d->c);
    json_obj(&draft.w, NULL);
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        json_str_opt(&draft.w, members[i], json_get_str(d->args, members[i]));
    json_end(&draft.w);
    return sl_draft_end(&draft);
}

/* Comments are there if the message or what the app has shown says so. 1, 0, -1. */
static int has_comments(struct call *c, const struct sight *s)
{
    const struct json *content;
    struct chat_pane p;
    if (json_get(s->entity, "entity_comments"))
        return 1;
    int r = chat_pane_of(&c->tx, sl_me(c)->user.id, CHAT_PANE_DETAILS, &p);
    if (r != 1 || !p.content || p.app != s->party.app.app)
        return r < 0 ? -1 : 0;
    if (!(content = sl_stored_json(c, p.content)))
        return -1;
    return json_get(json_get(content, "metadata"), "entity_comments") != NULL;
}

/* Opens or asks again. The app is notified, and is not waited for: `see` shows what it says. */
int sl_act_entity(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *tab = json_get_str(d->args, "tab");
    bool details = !tab || strcmp(tab, "details") == 0;
    struct sight s = {0};
    if (!details && strcmp(tab, "comments") != 0)
        return slack_invalid_arguments(c, "/do/entity/tab", "must be \"details\" or \"comments\"");
    if (find_sight(d, &s) < 0)
        return -1;
    int r = details ? 1 : has_comments(c, &s);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "entity_comments_not_found");
    struct chat_pane p = {
        .key = sl_new_trigger(c, s.party.app.app, NULL, &s.channel),
        .workspace = sl_me(c)->workspace.id,
        .app = s.party.app.app,
        .user = sl_me(c)->user.id,
        .part = details ? CHAT_PANE_DETAILS : CHAT_PANE_COMMENTS_TAB,
        .url = json_get_str(s.entity, "url"),
        .ref = json_to_text(c->tx.arena, json_get(s.entity, "external_ref")),
        .asked = details ? "{}" : what_is_asked(d),
    };
    if (!p.key || !p.ref || !p.asked || chat_pane_close(&c->tx, p.user, p.part) < 0 ||
        chat_pane_open(&c->tx, &p) < 0)
        return -1;
    int notified = notify_app(d, &s, &p);
    if (notified < 0)
        return -1;
    slack_open(c);
    json_str(c->out, "entity_url", p.url);
    json_raw(c->out, "external_ref", p.ref, strlen(p.ref));
    if (!notified)
        json_str(c->out, "failure", "not_configured");
    slack_close(c);
    return 0;
}

/* ---- its buttons ---- */

/* A button of a work object; NULL: there is none. */
static const struct json *button_of(const struct json *entity, const char *id)
{
    static const char *const kinds[] = {"primary_actions", "overflow_actions"};
    const struct json *actions = json_get(json_get(entity, "entity_payload"), "actions");
    for (size_t k = 0; k < SOSIA_LEN(kinds); k++) {
        const struct json *list = json_get(actions, kinds[k]);
        for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
            const char *own = json_get_str(&list->items[i], "action_id");
            if (own && strcmp(own, id) == 0)
                return &list->items[i];
        }
    }
    return NULL;
}

/* What the app shows of the thing beside the conversation, if it is open there: 1, 0, -1. */
static int details_of(struct call *c, const struct sight *s, const struct json **ret)
{
    const char *url = json_get_str(s->entity, "url");
    const struct json *content;
    struct chat_pane p;
    int r = chat_pane_of(&c->tx, sl_me(c)->user.id, CHAT_PANE_DETAILS, &p);
    if (r != 1 || !p.content || p.app != s->party.app.app || strcmp(p.url, url) != 0)
        return r < 0 ? -1 : 0;
    if (!(content = sl_stored_json(c, p.content)))
        return -1;
    *ret = json_get(content, "metadata");
    return *ret != NULL;
}

/* The attachment that shows the link; NULL: the message shows the thing by itself. */
static const struct json *attachment_of(struct call *c, const struct sight *s, uint32_t *ret_at)
{
    const char *url = json_get_str(s->entity, "app_unfurl_url");
    const struct json *list =
        s->message.attachments && url ? sl_stored_json(c, s->message.attachments) : NULL;
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *own = json_get_str(&list->items[i], "app_unfurl_url");
        *ret_at = i;
        if (own && strcmp(own, url) == 0)
            return &list->items[i];
    }
    *ret_at = 0;
    return NULL;
}

static void write_spot(struct call *c, struct json_writer *w, const struct sight *s, bool pane)
{
    uint32_t at = 0;
    const struct json *shown = pane ? NULL : attachment_of(c, s, &at);
    int64_t id = (int64_t)at + 1;
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, s->message.ts_us);
    json_i64(json_get(shown, "id"), &id);
    json_obj(w, "container");
    json_str(w, "type", pane ? "entity_detail" : "message_attachment");
    json_str(w, "message_ts", ts);
    if (!pane)
        json_int(w, "attachment_id", id);
    json_str(w, "channel_id", s->channel.key);
    if (!pane) {
        json_bool(w, "is_ephemeral", false);
        json_bool(w, "is_app_unfurl", shown != NULL);
    }
    json_str(w, "entity_url", json_get_str(s->entity, "url"));
    json_value(w, "external_ref", json_get(s->entity, "external_ref"));
    if (pane)
        json_str_opt(w, "app_unfurl_url", json_get_str(s->entity, "app_unfurl_url"));
    json_end(w);
    if (shown)
        json_value(w, "app_unfurl", shown);
}

static int write_press(struct call *c, struct json_writer *w, const struct json *button)
{
    const char *block = sl_block_id(&c->tx);
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, c->tx.now_us);
    json_arr(w, "actions");
    json_obj(w, NULL);
    json_str(w, "action_id", json_get_str(button, "action_id"));
    json_str(w, "block_id", block);
    json_obj(w, "text");
    json_str(w, "type", "plain_text");
    json_str_opt(w, "text", json_get_str(button, "text"));
    json_bool(w, "emoji", true);
    json_end(w);
    json_str_opt(w, "value", json_get_str(button, "value"));
    json_str_opt(w, "style", json_get_str(button, "style"));
    json_str_opt(w, "url", json_get_str(button, "url"));
    json_str(w, "type", "button");
    json_str(w, "action_ts", ts);
    json_end(w);
    json_end(w);
    return block ? 0 : -1;
}

/* Presses a button of the thing, in the message or (pane) beside the conversation. */
int sl_act_press(struct sl_deed *d)
{
    struct call *c = d->c;
    const char *id = sl_deed_str(d, "action_id");
    bool pane = json_get_true(d->args, "pane");
    const struct json *shown, *button;
    struct sight s = {0};
    struct chat_answer a = {0};
    struct sl_draft draft;
    if (!id || find_sight(d, &s) < 0)
        return -1;
    shown = s.entity;
    int r = pane ? details_of(c, &s, &shown) : 1;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "entity_not_found");
    if (!(button = button_of(shown, id)))
        return slack_fail(c, "action_not_found");
    const char *trigger = sl_new_trigger(c, s.party.app.app, NULL, &s.channel);
    if (!trigger || sl_new_answer(c, s.party.app.app, &s.channel, &a) < 0)
        return -1;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    json_str(w, "type", "block_actions");
    sl_write_person(w, sl_me(c));
    json_str(w, "api_app_id", s.party.app.key);
    json_str(w, "token", s.party.app.verification);
    write_spot(c, w, &s, pane);
    json_str(w, "trigger_id", trigger);
    sl_write_team(w, sl_me(c));
    sl_write_enterprise(w);
    sl_write_place(w, "channel", &s.channel);
    json_str(w, "response_url", sl_answer_url(c, &a, SL_OF_ACTIONS));
    int rc = write_press(c, w, button);
    json_end(w);
    return sl_notify_draft(d, rc, &draft,
                           &(struct sl_notice){.push = SL_PUSH_INTERACTIVE,
                                               .kind = "click",
                                               .to = &s.party,
                                               .channel = &s.channel,
                                               .answer = &a,
                                               .answers = true});
}

/* ---- what he says to it ---- */

/* The comments that he sees, and the app that showed them. */
struct talk {
    struct chat_pane pane;
    const struct json *content, *comment; /* comment: that the act names; NULL: a new one */
    struct sl_party party;
};

static const struct json *comment_with(const struct json *content, const char *id)
{
    const struct json *list = json_get(content, "comments");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *own = json_get_str(&list->items[i], "id");
        if (own && strcmp(own, id) == 0)
            return &list->items[i];
    }
    return NULL;
}

static int find_talk(struct sl_deed *d, bool delete, struct talk *t)
{
    struct call *c = d->c;
    const char *id = json_get_str(d->args, "comment_id");
    int r = chat_pane_of(&c->tx, sl_me(c)->user.id, CHAT_PANE_COMMENTS_TAB, &t->pane);
    if (r == 1 && !t->pane.content)
        r = 0;
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "entity_comments_not_found");
    if (!(t->content = sl_stored_json(c, t->pane.content)))
        return -1;
    if ((id || delete) && !(t->comment = id ? comment_with(t->content, id) : NULL))
        return slack_fail(c, "comment_not_found");
    if (delete ? !json_get_true(t->comment, "can_delete") ||
                     !json_get_str(t->content, "delete_action_id")
        : id ? !json_get_true(t->comment, "can_edit")
             : !json_get_true(t->content, "can_post_comment"))
        return slack_fail(c, "not_allowed");
    r = sl_party_of(c, t->pane.app, &t->party);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "app_not_installed");
}

static void write_thing(struct json_writer *w, const struct talk *t)
{
    json_str(w, "entity_url", t->pane.url);
    json_raw(w, "external_ref", t->pane.ref, strlen(t->pane.ref));
}

/* The view that was submitted, with what he wrote. */
static int write_comment_view(struct sl_deed *d, struct json_writer *w, const struct talk *t)
{
    struct call *c = d->c;
    const char *blocks = sl_text_blocks(c, json_get_str(d->args, "text"), 0);
    const char *key = chat_key(&c->tx, 'V');
    const struct json *list = blocks ? sl_stored_json(c, blocks) : NULL;
    if (!list || !key)
        return -1;
    if (!list->n)
        return slack_invalid_arguments(c, "/do/comment/text", "must be a text");
    json_obj(w, "view");
    json_str(w, "id", key);
    json_str(w, "team_id", sl_me(c)->workspace.key);
    json_str(w, "type", "entity_comment");
    json_str(w, "callback_id",
             t->comment ? "work-object-edit-comment" : "work-object-post-comment");
    json_str(w, "external_id", t->comment ? json_get_str(t->comment, "id") : "");
    write_thing(w, t);
    json_obj(w, "state");
    json_obj(w, "values");
    json_obj(w, "comment_input_block");
    json_obj(w, "comment_input_action");
    json_str(w, "type", "rich_text_input");
    json_obj(w, "rich_text_value");
    json_str(w, "type", "rich_text");
    json_value(w, "elements", json_get(&list->items[0], "elements"));
    for (int i = 0; i < 6; i++)
        json_end(w);
    return 0;
}

static void write_deletion(struct sl_deed *d, struct json_writer *w, const struct talk *t)
{
    char ts[CHAT_TS_LEN];
    chat_ts_text(ts, d->c->tx.now_us);
    json_obj(w, "container");
    json_str(w, "type", "entity_comment");
    write_thing(w, t);
    json_end(w);
    json_arr(w, "actions");
    json_obj(w, NULL);
    json_str(w, "type", "button");
    json_str(w, "action_id", json_get_str(t->content, "delete_action_id"));
    json_str(w, "value", json_get_str(t->comment, "id"));
    json_str(w, "action_ts", ts);
    json_end(w);
    json_end(w);
}

/* What the app has to acknowledge. */
static int open_comment(struct sl_deed *d, const struct talk *t, bool delete, struct chat_pane *p)
{
    struct call *c = d->c;
    struct sl_draft draft;
    sl_draft_begin(&draft, c);
    json_obj(&draft.w, NULL);
    json_str(&draft.w, "act", delete ? "delete" : t->comment ? "edit" : "post");
    json_str_opt(&draft.w, "comment_id", t->comment ? json_get_str(t->comment, "id") : NULL);
    json_end(&draft.w);
    *p = t->pane;
    p->part = CHAT_PANE_COMMENT;
    p->content = NULL;
    p->asked = sl_draft_end(&draft);
    p->key = sl_new_trigger(c, t->party.app.app, NULL, NULL);
    return p->asked && p->key ? chat_pane_open(&c->tx, p) : -1;
}

/* Writes, changes or deletes a comment, of which the app is notified. */
int sl_act_comment(struct sl_deed *d)
{
    struct call *c = d->c;
    bool delete = json_get_true(d->args, "delete");
    struct talk t = {0};
    struct chat_pane p;
    struct sl_draft draft;
    if ((!delete &&!sl_deed_str(d, "text")) || find_talk(d, delete, &t) < 0 ||
        open_comment(d, &t, delete, &p) < 0)
        return -1;
    sl_draft_begin(&draft, c);
    struct json_writer *w = &draft.w;
    json_obj(w, NULL);
    json_str(w, "type", delete ? "block_actions" : "view_submission");
    sl_write_team(w, sl_me(c));
    sl_write_person(w, sl_me(c));
    json_str(w, "api_app_id", t.party.app.key);
    json_str(w, "token", t.party.app.verification);
    json_str(w, "trigger_id", p.key);
    int rc = delete ? 0 : write_comment_view(d, w, &t);
    if (delete)
        write_deletion(d, w, &t);
    sl_write_enterprise(w);
    json_end(w);
    return sl_notify_draft(
        d, rc, &draft,
        &(struct sl_notice){
            .push = SL_PUSH_INTERACTIVE, .kind = "comment", .to = &t.party, .answers = true});
}

/* ---- what he sees ---- */

int sl_write_panes(struct call *c, int64_t user)
{
    static const char *const tabs[] = {"details", "comments", "comment"};
    struct chat_pane p;
    bool open = false;
    for (int part = 0; part < (int)SOSIA_LEN(tabs); part++) {
        int r = chat_pane_of(&c->tx, user, (enum chat_pane_part)part, &p);
        if (r < 0)
            return -1;
        if (!r)
            continue;
        if (!open)
            json_arr(c->out, "panes");
        open = true;
        json_obj(c->out, NULL);
        json_str(c->out, "tab", tabs[part]);
        json_str(c->out, "entity_url", p.url);
        json_raw(c->out, "external_ref", p.ref, strlen(p.ref));
        json_raw(c->out, "asked", p.asked, strlen(p.asked));
        if (p.content)
            json_raw(c->out, "content", p.content, strlen(p.content));
        else
            json_null(c->out, "content");
        json_end(c->out);
    }
    if (open)
        json_end(c->out);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* entity.*: what an app shows beside a conversation of a thing of its own system, and of comments
 * on it (docs.slack.dev, work objects and their comments). What a person has open is a pane; its
 * trigger is good as long as it is that of the pane (concluded). */
#include "services/chat/slack/apps/entity.h"
#include "services/chat/slack/events/push.h"
#include "engine/base/made.h"

/* ---- the pane that is answered ---- */

/* The pane of the caller's app that waits for this with its trigger. */
static int pane_arg(struct call *c, enum chat_pane_part part, struct chat_pane *ret)
{
    const char *key = param_str(c, "trigger_id");
    if (!sl_me(c)->app)
        return slack_fail(c, "invalid_app_id");
    int r = key ? chat_pane_find(&c->tx, key, ret) : 0;
    if (r < 0)
        return -1;
    return r && ret->part == part && ret->app == sl_me(c)->app &&
                   ret->workspace == sl_me(c)->workspace.id
               ? 0
               : slack_fail(c, "invalid_trigger_id");
}

/* user_auth_required with its address: 1, 0 it is not required, -1 refused. */
static int auth_arg(struct call *c)
{
    const char *url = param_str(c, "user_auth_url");
    if (!slack_flag(c, "user_auth_required"))
        return 0;
    return url && *url ? 1 : slack_fail(c, "user_auth_url_missing");
}

static void write_auth(struct call *c, struct json_writer *w)
{
    json_bool(w, "user_auth_required", true);
    json_str(w, "user_auth_url", param_str(c, "user_auth_url"));
}

/* Keeps what was written as the pane's content. */
static int present(struct call *c, struct chat_pane *p, struct buf *b)
{
    p->content = buf_failed(b) ? NULL : arena_memdup(c->tx.arena, buf_str(b), b->len);
    buf_done(b);
    if (!p->content)
        return sosia_fail_memory(c->tx.err);
    return chat_pane_save(&c->tx, p) < 0 ? -1 : slack_ok(c);
}

/* ---- details ---- */

/* Is there a member of this name anywhere in it with this truth? */
static bool is_on(const struct json *v, const char *member)
{
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++) {
        const struct json *value = &v->members[i].value;
        if ((strcmp(v->members[i].key, member) == 0 && json_is_true(value)) || is_on(value, member))
            return true;
    }
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        if (is_on(&v->items[i], member))
            return true;
    return false;
}

/* Has it fields that can be edited? */
static bool is_edited(const struct json *v)
{
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++) {
        const struct json *value = &v->members[i].value, *on = json_get(value, "enabled");
        if ((strcmp(v->members[i].key, "edit") == 0 && json_is_true(on)) || is_edited(value))
            return true;
    }
    for (uint32_t i = 0; v && v->type == JSON_ARRAY && i < v->n; i++)
        if (is_edited(&v->items[i]))
            return true;
    return false;
}

static bool has_actions(const struct json *payload)
{
    static const char *const kinds[] = {"primary_actions", "overflow_actions"};
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++) {
        const struct json *list = json_get(json_get(payload, "actions"), kinds[i]);
        if (list && list->type == JSON_ARRAY && list->n)
            return true;
    }
    return false;
}

/* What people do with it needs an address of the app. */
static int check_addresses(struct call *c, const struct json *entity)
{
    const struct json *payload = json_get(entity, "entity_payload");
    struct sl_settings s;
    struct chat_app app;
    int r = chat_app_of(&c->tx, sl_me(c)->app, &app);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "invalid_app_id");
    if (sl_settings_of(&c->tx, &app, &s) < 0)
        return -1;
    if (s.socket_mode)
        return 0;
    if (!s.interactivity_url && (has_actions(payload) || is_edited(payload)))
        return slack_fail(c, "missing_interactivity_url");
    if (!s.options_url && is_on(payload, "fetch_options_dynamically"))
        return slack_fail(c, "missing_options_load_url");
    return 0;
}

/* 1, 0 it is absent, -1 refused. */
static int details_arg(struct call *c, const struct chat_pane *p, const struct json **ret)
{
    int r = slack_value(c, "metadata", ret);
    if (r <= 0)
        return r;
    if (sl_entity_is_faulty(c, *ret, "/metadata"))
        return slack_fail(c, "invalid_arguments");
    const struct json *asked = sl_stored_json(c, p->ref), *given = json_get(*ret, "external_ref");
    const char *type = json_get_str(given, "type"), *own = json_get_str(asked, "type");
    if (!asked)
        return -1;
    if (!sl_filled(asked, "id") || strcmp(sl_filled(given, "id"), sl_filled(asked, "id")) != 0 ||
        (type && own && strcmp(type, own) != 0))
        return slack_fail(c, "entity_metadata_does_not_match_trigger");
    return check_addresses(c, *ret) < 0 ? -1 : 1;
}

/* Why there is nothing to show: 1, 0 it is absent, -1 refused. */
static int error_arg(struct call *c, const struct json **ret)
{
    static const char *const all[] = {"restricted", "internal_error",      "not_found",
                                      "custom",     "custom_partial_view", "timeout",
                                      "edit_error"};
    int r = slack_json_arg(c, "error", ret);
    if (r == 0)
        return 0;
    const char *status = r < 0 ? NULL : json_get_str(*ret, "status");
    for (size_t i = 0; status && i < SOSIA_LEN(all); i++)
        if (strcmp(all[i], status) == 0)
            return 1;
    return slack_invalid_arguments(c, "/error/status", "must be one of the allowed values");
}

static int present_details(struct call *c)
{
    const struct json *metadata = NULL, *error = NULL;
    struct chat_pane p;
    struct buf b;
    struct json_writer w;
    if (pane_arg(c, CHAT_PANE_DETAILS, &p) < 0)
        return -1;
    int auth = auth_arg(c), with_error = auth < 0 ? -1 : error_arg(c, &error);
    int shown = with_error < 0 ? -1 : details_arg(c, &p, &metadata);
    if (shown < 0)
        return -1;
    if (!auth && !with_error && !shown)
        return slack_fail(c, "invalid_metadata");
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    if (shown)
        json_value(&w, "metadata", metadata);
    if (auth)
        write_auth(c, &w);
    if (with_error)
        json_value(&w, "error", error);
    json_end(&w);
    return present(c, &p, &b);
}

/* ---- comments ---- */

static bool is_comment(const struct json *v)
{
    const struct json *sender = json_get(v, "sender"), *text = json_get(v, "comment");
    int64_t at;
    return v && v->type == JSON_OBJECT && sl_filled(v, "id") && sender &&
           sender->type == JSON_OBJECT && json_get(v, "timestamp") &&
           json_i64(json_get(v, "timestamp"), &at) == 0 && text && text->type == JSON_OBJECT &&
           (json_get(text, "blocks") || json_get_str(text, "value"));
}

/* 1, 0 it is absent, -1 refused. */
static int comments_arg(struct call *c, const struct json **ret)
{
    const char *action = param_str(c, "delete_action_id");
    int r = slack_value(c, "comments", ret);
    if (r <= 0)
        return r;
    for (uint32_t i = 0; i < (*ret)->n; i++)
        if (!is_comment(&(*ret)->items[i]))
            return slack_invalid_arguments(
                c, arena_printf(c->tx.arena, "/comments/%u", i),
                "must provide an object with an id, a sender, a timestamp and a comment");
    for (uint32_t i = 0; i < (*ret)->n; i++)
        if (json_get_true(&(*ret)->items[i], "can_delete") && !(action && *action))
            return slack_fail(c, "missing_delete_action_id");
    return 1;
}

static int present_comments(struct call *c)
{
    static const char *const texts[] = {"cursor", "delete_action_id", "error"};
    const struct json *comments = NULL;
    struct chat_pane p;
    struct buf b;
    struct json_writer w;
    if (pane_arg(c, CHAT_PANE_COMMENTS_TAB, &p) < 0)
        return -1;
    const char *error = param_str(c, "error");
    int auth = auth_arg(c), shown = auth < 0 ? -1 : comments_arg(c, &comments);
    if (shown < 0)
        return -1;
    if (!shown && !auth && !(error && *error))
        return slack_invalid_arguments(c, NULL, "missing required field: comments");
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    if (shown)
        json_value(&w, "comments", comments);
    json_bool(&w, "can_post_comment", slack_flag(c, "can_post_comment"));
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        const char *text = param_str(c, texts[i]);
        if (text && *text)
            json_str(&w, texts[i], text);
    }
    if (auth)
        write_auth(c, &w);
    json_end(&w);
    return present(c, &p, &b);
}

/* ---- what the app says of a comment that somebody wrote ---- */

/* Somebody of the workspace, or a name. 1, 0, -1. */
static int is_sender(struct call *c, const struct json *v)
{
    const char *id = sl_filled(v, "user_id");
    struct chat_user u;
    return id ? sl_user_find(c, id, &u) : sl_filled(v, "text") != NULL;
}

/* The comment in the list that the person sees: in the place of the one with its id, behind the
 * others, or (NULL) gone. */
static int show_comment(struct call *c, const struct chat_pane *p, const char *id,
                        const struct json *comment)
{
    struct chat_pane tab;
    struct buf b;
    struct json_writer w;
    int r = chat_pane_of(&c->tx, p->user, CHAT_PANE_COMMENTS_TAB, &tab);
    if (r != 1 || !tab.content)
        return r < 0 ? -1 : 0;
    const struct json *content = sl_stored_json(c, tab.content);
    if (!content)
        return -1;
    const struct json *list = json_get(content, "comments");
    bool there = false;
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_arr(&w, "comments");
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *own = json_get_str(&list->items[i], "id");
        bool same = own && strcmp(own, id) == 0;
        there |= same;
        if (!same || comment)
            json_value(&w, NULL, same ? comment : &list->items[i]);
    }
    if (comment && !there)
        json_value(&w, NULL, comment);
    json_end(&w);
    for (uint32_t i = 0; i < content->n; i++)
        if (strcmp(content->members[i].key, "comments") != 0)
            json_value(&w, content->members[i].key, &content->members[i].value);
    json_end(&w);
    tab.content = buf_made(&b, c->tx.arena);
    return tab.content ? chat_pane_save(&c->tx, &tab) : sosia_fail_memory(c->tx.err);
}

/* The comment as it is now, of what the person did. 0, -1 refused. */
static int acknowledged_arg(struct call *c, const struct json *asked, const struct json **ret)
{
    const char *act = json_get_str(asked, "act"), *id = json_get_str(asked, "comment_id");
    bool delete = act && strcmp(act, "delete") == 0;
    int r = slack_json_arg(c, "comment", ret);
    if (r <= 0)
        *ret = NULL;
    if (r < 0 || (!delete &&!is_comment(*ret)))
        return slack_fail(c, "missing_comment_data");
    if (*ret && id && (!sl_filled(*ret, "id") || strcmp(sl_filled(*ret, "id"), id) != 0))
        return slack_fail(c, "invalid_action");
    r = delete ? 1 : is_sender(c, json_get(*ret, "sender"));
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "invalid_sender_schema");
}

static int acknowledge_comment(struct call *c)
{
    const char *error = param_str(c, "error");
    const struct json *asked, *comment = NULL;
    struct chat_pane p;
    struct buf b;
    struct json_writer w;
    if (pane_arg(c, CHAT_PANE_COMMENT, &p) < 0)
        return -1;
    if (!(asked = sl_stored_json(c, p.asked)))
        return -1;
    bool failed = error && *error;
    if (!failed && acknowledged_arg(c, asked, &comment) < 0)
        return -1;
    const char *id = json_get_str(asked, "comment_id");
    if (comment && !id)
        id = json_get_str(comment, "id");
    const char *act = json_get_str(asked, "act");
    bool delete = act && strcmp(act, "delete") == 0;
    if (!failed && id && show_comment(c, &p, id, delete ? NULL : comment) < 0)
        return -1;
    buf_init(&b, 4 << 20);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    if (failed)
        json_str(&w, "error", error);
    else if (comment)
        json_value(&w, "comment", comment);
    json_end(&w);
    return present(c, &p, &b);
}

/* ---- rows ---- */

static const struct param details_params[] = {
    SL_NEEDED("trigger_id"),
    SL_ARG("metadata", SL_OBJECT_OF(sl_entity_field), .fault = "invalid_metadata"),
    SL_ARG("user_auth_required", SL_FLAG), SL_ARG("user_auth_url"),
    SL_ARG("error", SL_OBJECT, .summary = "Error to show, as an object in JSON")};
static const struct param comments_params[] = {
    SL_NEEDED("trigger_id"),
    SL_ARG("comments", SL_ARRAY, .max = CHAT_PANE_COMMENTS, .fault = "must provide an array"),
    SL_ARG("cursor", .summary = "Cursor with which the person asks for more comments"),
    SL_ARG("can_post_comment", SL_FLAG),
    SL_ARG("delete_action_id"),
    SL_ARG("user_auth_required", SL_FLAG),
    SL_ARG("user_auth_url"),
    SL_ARG("error", SL_OBJECT, .summary = "Error to show, as an object in JSON")};

static const struct param acknowledge_params[] = {
    SL_NEEDED("trigger_id"), SL_ARG("comment", SL_OBJECT),
    SL_ARG("error", SL_OBJECT, .summary = "Error to show, as an object in JSON")};

static const struct route methods[] = {
    {SL_METHOD("entity.acknowledgeCommentAction"), SL_PEOPLE, .handler = acknowledge_comment,
     .risk = RISK_WRITE, PARAMS(acknowledge_params), .rate = SLACK_TIER_3,
     .summary = "Say what became of a comment that somebody wrote or deleted"},
    {SL_METHOD("entity.presentComments"), SL_PEOPLE, .handler = present_comments,
     .risk = RISK_WRITE, PARAMS(comments_params), .rate = SLACK_TIER_3,
     .summary = "Show somebody the comments on a work object"},
    {SL_METHOD("entity.presentDetails"), SL_PEOPLE, .handler = present_details, .risk = RISK_WRITE,
     PARAMS(details_params), .rate = SLACK_TIER_3,
     .summary = "Show somebody the details of a work object"},
};

const struct rows sl_entities = ROWS(methods);

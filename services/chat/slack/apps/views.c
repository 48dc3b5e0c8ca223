/* SPDX-License-Identifier: Apache-2.0 */
/* views.*: windows that an app opens for somebody, and the page that it has. */
#include "services/chat/slack/apps/interact.h"

/* ---- triggers ---- */

static bool is_trigger(const char *text)
{
    for (int i = 0; i < 2; i++) {
        size_t n = strspn(text, "0123456789");
        if (!n || text[n] != '.')
            return false;
        text += n + 1;
    }
    return *text && !text[strspn(text, "0123456789abcdef")];
}

/* What the caller's app may answer with a view now, and no more. */
static int use_trigger(struct call *c, struct chat_trigger *ret)
{
    const char *key = param_str(c, "trigger_id"), *name = "trigger_id";
    if (!key || !*key) {
        key = param_str(c, "interactivity_pointer");
        name = "interactivity_pointer";
    }
    if (!key || !*key)
        return slack_invalid_arguments(c, NULL, "missing required field: trigger_id");
    if (!is_trigger(key))
        return slack_invalid_arguments(c, arena_printf(c->tx.arena, "/%s", name), "invalid `%s`",
                                       name);
    int r = chat_trigger_find(&c->tx, key, ret);
    if (r < 0)
        return -1;
    if (!r || ret->app != sl_me(c)->app || ret->workspace != sl_me(c)->workspace.id)
        return slack_fail(c, "invalid_trigger_id");
    if (ret->used)
        return slack_fail(c, "exchanged_trigger_id");
    if (c->tx.now_us - ret->created_us > CHAT_TRIGGER_US)
        return slack_fail(c, "expired_trigger_id");
    return chat_trigger_use(&c->tx, ret);
}

/* ---- methods ---- */

static int answer_view(struct call *c, const struct chat_view *v)
{
    slack_open(c);
    if (sl_write_view(c, c->out, "view", v) < 0)
        return -1;
    slack_close(c);
    return 0;
}

/* The app that the token is of, which is installed here: its views are nobody else's. */
static int own_app(struct call *c, struct chat_view *v)
{
    if (!sl_me(c)->install.id)
        return slack_fail(c, "not_allowed_token_type");
    v->app = sl_me(c)->app;
    v->workspace = sl_me(c)->workspace.id;
    v->state = "{}";
    return 0;
}

static int check_taken(struct call *c, const struct chat_view *v, int64_t but)
{
    int r = sl_view_taken(c, v, but);
    return r > 0 ? slack_fail(c, "duplicate_external_id") : r;
}

static int views_open(struct call *c)
{
    struct chat_trigger t;
    struct chat_view v = {.place = 1};
    if (own_app(c, &v) < 0 || sl_view_arg(c, &v) < 0 || use_trigger(c, &t) < 0)
        return -1;
    v.user = t.user;
    if (check_taken(c, &v, 0) < 0 || sl_mark_function(c, NULL, &v.body) < 0 ||
        chat_view_add(&c->tx, &v) < 0)
        return -1;
    return answer_view(c, &v);
}

static int views_push(struct call *c)
{
    struct chat_trigger t;
    struct chat_view below = {0}, top, v = {0};
    if (own_app(c, &v) < 0 || sl_view_arg(c, &v) < 0 || use_trigger(c, &t) < 0)
        return -1;
    int r = t.view ? chat_view_get(&c->tx, t.view, &below) : 0;
    if (r < 0)
        return -1;
    if (r && !below.place)
        return slack_invalid_arguments(
            c, "/view/type",
            "must match the `type` of the root view whose stack we're pushing onto");
    if (!r)
        return slack_fail(c, "not_found");
    if ((r = chat_view_top(&c->tx, v.app, t.user, &top)) != 1)
        return r < 0 ? -1 : slack_fail(c, "not_found");
    if (top.place >= CHAT_VIEW_STACK)
        return slack_fail(c, "push_limit_reached");
    v.user = t.user;
    v.place = top.place + 1;
    if (check_taken(c, &v, 0) < 0 || sl_mark_function(c, below.body, &v.body) < 0 ||
        chat_view_add(&c->tx, &v) < 0)
        return -1;
    return answer_view(c, &v);
}

/* The view that view_id or external_id names. */
static int named_view(struct call *c, struct chat_view *ret)
{
    const char *id = param_str(c, "view_id"), *external = param_str(c, "external_id");
    if ((!id || !*id) && (!external || !*external))
        return slack_invalid_arguments(c, NULL, "missing required field: view_id");
    int r = id && *id ? chat_view_find(&c->tx, sl_me(c)->app, id, ret)
                      : chat_view_by_external(&c->tx, sl_me(c)->app, external, ret);
    return r == 1 && ret->workspace == sl_me(c)->workspace.id ? 0
           : r < 0                                            ? -1
                                                              : slack_fail(c, "not_found");
}

/* What is there is replaced, if it is still as the app has seen it. */
static int replace(struct call *c, struct chat_view *there, const struct chat_view *v)
{
    const char *hash = param_str(c, "hash"), *body = v->body;
    if (hash && *hash && strcmp(hash, there->hash) != 0)
        return slack_fail(c, "hash_conflict");
    if (check_taken(c, v, there->id) < 0 || !(there->state = sl_view_kept(c, there, v->body)) ||
        sl_mark_function(c, there->body, &body) < 0)
        return -1;
    there->body = body;
    there->external_id = v->external_id;
    return chat_view_save(&c->tx, there);
}

static int views_update(struct call *c)
{
    struct chat_view there, v = {0};
    if (own_app(c, &v) < 0 || sl_view_arg(c, &v) < 0 || named_view(c, &there) < 0)
        return -1;
    if (strcmp(sl_view_type(c, &there), sl_view_type(c, &v)) != 0)
        return slack_invalid_arguments(c, "/view/type",
                                       "must match the `type` of the view being updated");
    return replace(c, &there, &v) < 0 ? -1 : answer_view(c, &there);
}

static int views_publish(struct call *c)
{
    const char *hash = param_str(c, "hash");
    struct chat_view there, v = {0};
    struct chat_user u;
    if (own_app(c, &v) < 0 || sl_view_arg(c, &v) < 0)
        return -1;
    int r = sl_has_tab(c, v.app, true);
    if (r != 1)
        return r < 0 ? -1 : slack_fail(c, "not_enabled");
    if ((r = sl_user_find(c, param_str(c, "user_id"), &u)) < 0)
        return -1;
    if (!r || u.deleted || u.bot || !u.actor)
        return slack_invalid_arguments(c, "/user_id", "invalid `user_id`");
    v.user = u.id;
    if ((r = chat_view_at(&c->tx, v.app, u.id, 0, &there)) < 0)
        return -1;
    if (r)
        return replace(c, &there, &v) < 0 ? -1 : answer_view(c, &there);
    if (hash && *hash)
        return slack_fail(c, "hash_conflict");
    if (check_taken(c, &v, 0) < 0 || sl_mark_function(c, NULL, &v.body) < 0 ||
        chat_view_add(&c->tx, &v) < 0)
        return -1;
    return answer_view(c, &v);
}

/* ---- rows ---- */

static const struct param open_params[] = {SL_ARG("trigger_id"), SL_ARG("interactivity_pointer"),
                                           SL_NEEDED("view", SL_OBJECT_OF(sl_modal_field))};
static const struct param update_params[] = {SL_ARG("view_id"), SL_ARG("external_id"),
                                             SL_NEEDED("view", SL_OBJECT_OF(sl_view_field)),
                                             SL_ARG("hash")};
static const struct param publish_params[] = {SL_NEEDED("user_id"),
                                              SL_NEEDED("view", SL_OBJECT_OF(sl_home_field)),
                                              SL_ARG("hash"), SL_ARG("interactivity_pointer")};

static const struct route methods[] = {
    {SL_METHOD("views.open"), SL_THROUGH_APP, .handler = views_open, .risk = RISK_WRITE,
     PARAMS(open_params), .rate = SLACK_TIER_4, .summary = "Show somebody a window"},
    {SL_METHOD("views.publish"), SL_THROUGH_APP, .handler = views_publish, .risk = RISK_WRITE,
     PARAMS(publish_params), .rate = SLACK_TIER_4, .summary = "Make the app's page for somebody"},
    {SL_METHOD("views.push"), SL_THROUGH_APP, .handler = views_push, .risk = RISK_WRITE,
     PARAMS(open_params), .rate = SLACK_TIER_4,
     .summary = "Put a view onto those of an open window"},
    {SL_METHOD("views.update"), SL_THROUGH_APP, .handler = views_update, .risk = RISK_WRITE,
     PARAMS(update_params), .rate = SLACK_TIER_4, .summary = "Change a view"},
};

const struct rows sl_views = ROWS(methods);

/* SPDX-License-Identifier: Apache-2.0 */
/* Who calls, and what arguments name. */
#include "identity/account.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/vendor.h"
#include "services/chat/slack/sl.h"
#include "services/chat/core/connect.h"
#include "engine/base/codec.h"
#include "engine/store/row.h"
#include "engine/text/civil.h"
#include <stdlib.h>

/* The ids of users that this call has looked up. */
#define KNOWN_USERS   256
#define KNOWN_SENDERS 16
struct known {
    int64_t id;
    const char *key;
    int64_t workspace;
};

struct state {
    struct sl_caller me;
    struct known users[KNOWN_USERS];
    struct sl_sender senders[KNOWN_SENDERS];
    struct chat_message root; /* the one that was asked for last; id 0: none */
};

static struct state *state_of(const struct call *c)
{
    return slack_of(c)->api;
}

const struct sl_caller *sl_me(const struct call *c)
{
    return &state_of(c)->me;
}

/* ---- who calls ---- */

/* The account that a token names says the workspace; else it is the first one the actor is in. */
static int find_user_of(struct call *c, struct chat_user *ret)
{
    struct account account;
    struct chat_workspace w;
    int r = c->account ? account_get(&c->tx, c->account, &account) : 0;
    if (r == 1 && (r = chat_workspace_find(&c->tx, account.tenant, &w)) == 1)
        r = chat_user_find(&c->tx, w.id, account.name, ret);
    return r ? r : chat_user_at(&c->tx, &slack_chat_vendor, c->actor.id, ret);
}

static int find_app(struct call *c, struct sl_caller *me)
{
    struct tx *tx = &c->tx;
    int r = c->app ? chat_install_of(tx, me->workspace.id, c->app, &me->install)
                   : chat_install_by_user(tx, me->user.id, &me->install);
    if (r < 0)
        return -1;
    if (!r)
        me->install.id = 0;
    me->app = c->app ? c->app : r ? me->install.app : 0;
    r = me->app ? chat_app_of(tx, me->app, &me->chat_app) : 0;
    if (r == 0)
        me->chat_app.id = 0;
    return r < 0 ? -1 : 0;
}

/* Fills the state; 1, 0: the actor is in no workspace; -1. */
static int load(struct call *c)
{
    struct slack_call *s = slack_of(c);
    struct state *state = s->api;
    if (state)
        return state->me.user.id != 0;
    state = arena_calloc(c->tx.arena, 1, sizeof *state);
    int r = c->actor.id ? find_user_of(c, &state->me.user) : 0;
    if (r == 1)
        r = chat_workspace_get(&c->tx, state->me.user.workspace, &state->me.workspace);
    if (r < 0 || (r == 1 && find_app(c, &state->me) < 0))
        return -1;
    if (!r)
        state->me.user.id = 0;
    state->me.is_bot = c->token_kind == TOKEN_BOT;
    s->api = state;
    return r;
}

bool sl_is_of_app(const struct call *c)
{
    return c->app || c->token_kind == TOKEN_BOT;
}

int sl_stand_in(struct call *c, const struct chat_user *u, int64_t app)
{
    struct state *state = arena_calloc(c->tx.arena, 1, sizeof *state);
    if (!c->vendor_data)
        c->vendor_data = arena_calloc(c->tx.arena, 1, sizeof(struct slack_call));
    slack_of(c)->api = state;
    state->me.user = *u;
    state->me.is_bot = u->bot;
    int r = chat_workspace_get(&c->tx, u->workspace, &state->me.workspace);
    if (r == 1 && app)
        r = chat_install_of(&c->tx, u->workspace, app, &state->me.install);
    if (r == 1 && app)
        r = chat_app_of(&c->tx, app, &state->me.chat_app);
    state->me.app = app;
    return r == 1 ? 0 : r < 0 ? -1 : call_fail(c, SOSIA_E_INTERNAL, NULL, NULL, "no such app");
}

void sl_in_client(struct call *c)
{
    state_of(c)->me.in_client = true;
}

int sl_granted(struct call *c, const char **ret_scopes)
{
    int r = load(c);
    *ret_scopes = NULL;
    if (r != 1)
        return r;
    const struct sl_caller *me = sl_me(c);
    if (me->install.id && c->token_kind == TOKEN_BOT)
        *ret_scopes = me->install.scopes;
    else if (me->install.id && c->app && c->token_kind == TOKEN_USER)
        *ret_scopes = me->install.user_scopes;
    else if (c->token_kind == TOKEN_APP)
        *ret_scopes = "connections:write,authorizations:read";
    return 0;
}

int sl_check(struct call *c)
{
    if (!c->actor.id)
        return 0; /* the method needs no token */
    int r = load(c);
    if (r < 0)
        return -1;
    if (!r)
        return c->route->anonymous ? 0 : slack_fail(c, "invalid_auth");
    const struct sl_caller *me = sl_me(c);
    if (me->user.deleted || me->install.deleted)
        return slack_fail(c, me->is_bot ? "account_inactive" : "token_revoked");
    c->tx.app = me->app;
    return 0;
}

int sl_stage(struct tx *tx, int64_t workspace, int64_t user, struct json_writer *w,
             struct call *ret)
{
    static const struct sosia_request request = {.method = "POST", .target = "/"};
    struct slack_call *s = arena_calloc(tx->arena, 1, sizeof *s);
    struct state *state = arena_calloc(tx->arena, 1, sizeof *state);
    *ret = (struct call){.tx = *tx, .request = &request, .out = w, .vendor_data = s};
    ret->scopes.all = true;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    s->granted_known = true;
    s->api = state;
    int r = chat_workspace_get(tx, workspace, &state->me.workspace);
    if (r == 1 && user)
        r = chat_user_get(tx, user, &state->me.user);
    return r == 1  ? 0
           : r < 0 ? -1
                   : tx_fail(tx, SOSIA_E_INTERNAL, NULL, NULL, "nobody to render as");
}

int sl_stand_for(struct call *c, int64_t workspace, int64_t user, int64_t app)
{
    struct state *state = arena_calloc(c->tx.arena, 1, sizeof *state);
    struct slack_call *s = slack_of(c);
    c->scopes.all = true;
    s->granted_known = true;
    s->api = state;
    int r = chat_workspace_get(&c->tx, workspace, &state->me.workspace);
    if (r == 1)
        r = chat_user_get(&c->tx, user, &state->me.user);
    if (r == 1)
        r = chat_install_of(&c->tx, workspace, app, &state->me.install);
    if (r == 1)
        r = chat_app_of(&c->tx, app, &state->me.chat_app);
    state->me.app = app;
    return r == 1  ? 0
           : r < 0 ? -1
                   : call_fail(c, SOSIA_E_INTERNAL, NULL, NULL, "the address is nobody's");
}

/* ---- arguments ---- */

int sl_channel_arg(struct call *c, const char *name, bool by_name, struct chat_channel *ret)
{
    const struct sl_caller *me = sl_me(c);
    const char *text = param_str(c, name);
    if (!text || !*text)
        return slack_fail(c, "channel_not_found");
    int r = chat_channel_find(&c->tx, me->workspace.id, text, ret);
    if (!r && by_name)
        r = chat_channel_by_name(&c->tx, me->workspace.id, text + (*text == '#'), ret);
    if (r == 1)
        r = chat_can_see(&c->tx, ret, &me->user);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "channel_not_found");
}

int sl_channel_scope(struct call *c, const struct chat_channel *ch, const char *what)
{
    static const char *const prefixes[] = {"channels", "groups", "im", "mpim"};
    const char *prefix = prefixes[ch->kind];
    const char *scope = arena_printf(c->tx.arena, "%s:%s", prefix, what);
    if (slack_has_scope(c, scope))
        return 0;
    if (str_starts(what, "write")) {
        const char *whole = arena_printf(c->tx.arena, "%s:write", prefix);
        if (slack_has_scope(c, whole) ||
            (ch->kind == CHAT_PUBLIC && slack_has_scope(c, "channels:manage")))
            return 0;
        if (ch->kind == CHAT_PUBLIC && sl_me(c)->is_bot && strcmp(what, "write") == 0)
            scope = "channels:manage";
    }
    return slack_missing_scope(c, scope);
}

int sl_is_member(struct call *c, const struct chat_channel *ch)
{
    struct chat_member m;
    return chat_member_of(&c->tx, ch->id, sl_me(c)->user.id, &m);
}

int sl_user_find(struct call *c, const char *key, struct chat_user *ret)
{
    return key && *key ? chat_user_find(&c->tx, sl_me(c)->workspace.id, key, ret) : 0;
}

int sl_user_find_any(struct call *c, const char *key, struct chat_user *ret)
{
    struct chat_workspace w;
    int64_t after = 0;
    int r = sl_user_find(c, key, ret);
    if (r || !key || !*key)
        return r;
    while ((r = chat_workspace_next(&c->tx, &slack_chat_vendor, after, &w)) == 1) {
        after = w.id;
        if (w.id == sl_me(c)->workspace.id || (r = chat_user_find(&c->tx, w.id, key, ret)) == 0)
            continue;
        return r < 0 ? -1 : chat_connected(&c->tx, sl_me(c)->workspace.id, w.id);
    }
    return r;
}

int sl_sees(struct call *c, const struct chat_user *u)
{
    const struct chat_user *me = &sl_me(c)->user;
    if (me->role < CHAT_GUEST || u->id == me->id || u->bot || !u->actor)
        return 1;
    return chat_users_meet(&c->tx, me->id, u->id);
}

int sl_check_visible(struct call *c, const struct chat_user *u)
{
    int r = sl_sees(c, u);
    return r == 1 ? 0 : r < 0 ? -1 : slack_fail(c, "user_not_visible");
}

const struct json *sl_preference(struct call *c, const char *name)
{
    const char *text = sl_me(c)->workspace.setting;
    const struct json *v;
    struct sosia_err err;
    return json_parse(c->tx.arena, text, strlen(text), NULL, &v, &err) < 0 ? NULL
                                                                           : json_get(v, name);
}

bool sl_may_post_general(struct call *c)
{
    static const struct {
        const char *who;
        enum chat_role last;
    } levels[] = {{"owner", CHAT_COOWNER}, {"admin", CHAT_ADMIN}, {"regular", CHAT_MEMBER}};
    const struct json *who = sl_preference(c, "who_can_post_general");
    for (size_t i = 0; who && who->type == JSON_STRING && i < SOSIA_LEN(levels); i++)
        if (strcmp(who->str, levels[i].who) == 0)
            return sl_me(c)->user.role <= levels[i].last;
    return true;
}

const char *sl_team_of(struct call *c, const struct chat_user *u)
{
    struct chat_workspace w;
    return u->workspace != sl_me(c)->workspace.id &&
                   chat_workspace_get(&c->tx, u->workspace, &w) == 1
               ? w.key
               : sl_me(c)->workspace.key;
}

int sl_ts_arg(struct call *c, const char *name, int64_t *ret_us)
{
    const char *text = param_str(c, name);
    if (!text || !*text)
        return 0;
    return chat_ts_read(text, ret_us) < 0 ? -1 : 1;
}

/* ---- names of things ---- */

/* NULL: it is not there. */
static const struct known *known_user(struct call *c, int64_t user)
{
    static struct row_table table = ROW_TABLE("chat_user", "u", "key, workspace");
    struct record rec = {.arena = c->tx.arena};
    struct state *state = state_of(c);
    struct known *place = &state->users[(uint64_t)user * UINT64_C(0x9E3779B97F4A7C15) >> 56];
    if (!user)
        return NULL;
    if (place->id == user)
        return place;
    if (ROW_BY_ID(&c->tx, &table, user, &rec) != 1)
        return NULL;
    place->key = record_text(&rec, 0);
    place->workspace = record_int(&rec, 1);
    place->id = user;
    return place;
}

const char *sl_user_key(struct call *c, int64_t user)
{
    const struct known *known = known_user(c, user);
    return known ? known->key : "";
}

const char *sl_author_team(struct call *c, int64_t user)
{
    const struct known *known = known_user(c, user);
    struct chat_workspace w;
    return known && known->workspace != sl_me(c)->workspace.id &&
                   chat_workspace_get(&c->tx, known->workspace, &w) == 1
               ? w.key
               : sl_me(c)->workspace.key;
}

int sl_root_of(struct call *c, int64_t thread, const struct chat_message **ret)
{
    struct chat_message *root = &state_of(c)->root;
    int r = root->id == thread ? 1 : chat_message_get(&c->tx, thread, root);
    if (r != 1)
        root->id = 0;
    *ret = root;
    return r;
}

int sl_write_bot(struct call *c, const char *key, int64_t app, bool in_message)
{
    struct tx *tx = &c->tx;
    const struct sl_caller *me = sl_me(c);
    struct chat_install i;
    struct chat_app a;
    struct ident_app ident;
    int r = chat_install_of(tx, me->workspace.id, app, &i);
    if (r == 1)
        r = chat_app_of(tx, app, &a);
    if (r == 1)
        r = app_get(tx, app, &ident);
    if (r != 1)
        return r;
    struct json_writer *w = c->out;
    json_obj(w, key);
    json_str(w, "id", i.key);
    if (!in_message) {
        json_bool(w, "deleted", i.deleted);
        json_str(w, "name", ident.name);
        json_int(w, "updated", i.installed_s);
    }
    json_str(w, "app_id", a.key);
    if (i.user)
        json_str(w, "user_id", sl_user_key(c, i.user));
    if (in_message)
        json_str(w, "name", ident.name);
    json_obj(w, "icons");
    json_str(w, "image_36",
             a.icon ? a.icon : "https://a.slack-edge.com/80588/img/plugins/app/bot_36.png");
    json_str(w, "image_48",
             a.icon ? a.icon : "https://a.slack-edge.com/80588/img/plugins/app/bot_48.png");
    json_str(w, "image_72",
             a.icon ? a.icon : "https://a.slack-edge.com/80588/img/plugins/app/service_72.png");
    json_end(w);
    if (in_message) {
        json_bool(w, "deleted", i.deleted);
        json_int(w, "updated", i.installed_s);
        json_str(w, "team_id", me->workspace.key);
    }
    json_end(w);
    return 1;
}

const struct sl_sender *sl_sender_of(struct call *c, int64_t app)
{
    struct sl_sender *s = &state_of(c)->senders[(uint64_t)app % KNOWN_SENDERS];
    struct json_writer *out = c->out, w;
    struct chat_install i;
    struct chat_app a;
    struct buf b;
    if (s->app == app)
        return s;
    *s = (struct sl_sender){0};
    int r = chat_install_of(&c->tx, sl_me(c)->workspace.id, app, &i);
    if (r == 1)
        r = chat_app_of(&c->tx, app, &a);
    if (r < 0)
        return NULL;
    s->app = app;
    if (!r)
        return s;
    s->user = i.user;
    s->bot = i.key;
    s->app_key = a.key;
    json_start(&w, &b);
    c->out = &w;
    r = sl_write_bot(c, NULL, app, true);
    c->out = out;
    if (r == 1)
        s->profile = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return r < 0 ? NULL : s;
}

const char *sl_team_url(struct call *c, const char *path)
{
    return arena_printf(c->tx.arena, "https://%s." SLACK_HOST "%s", sl_me(c)->workspace.domain,
                        path);
}

const char *sl_permalink(struct call *c, const struct chat_channel *ch,
                         const struct chat_message *m)
{
    char ts[CHAT_TS_LEN], digits[CHAT_TS_LEN], root_ts[CHAT_TS_LEN];
    struct chat_message root;
    size_t n = 0;
    chat_ts_text(ts, m->ts_us);
    for (const char *p = ts; *p; p++)
        if (*p != '.')
            digits[n++] = *p;
    digits[n] = 0;
    const char *url =
        sl_team_url(c, arena_printf(c->tx.arena, "/archives/%s/p%s", ch->key, digits));
    if (!m->thread)
        return url;
    chat_ts_text(root_ts, m->thread != m->id && chat_message_get(&c->tx, m->thread, &root) == 1
                              ? root.ts_us
                              : m->ts_us);
    return arena_printf(c->tx.arena, "%s?thread_ts=%s&cid=%s", url, root_ts, ch->key);
}

#define SHOWN_US (90 * 24 * 3600 * INT64_C(1000000))

int64_t sl_first_shown(struct call *c)
{
    return strcmp(sl_me(c)->workspace.plan, "free") == 0 ? c->tx.now_us - SHOWN_US : 0;
}

const struct json *sl_stored_json(struct call *c, const char *text)
{
    const struct json *v;
    return json_parse(c->tx.arena, text, strlen(text), NULL, &v, c->tx.err) < 0 ? NULL : v;
}

int64_t sl_seconds_arg(struct call *c, const char *name, int64_t otherwise)
{
    int64_t us;
    const char *text = param_str(c, name);
    return text && *text && strcmp(text, "now") != 0 && chat_ts_read(text, &us) == 0
               ? us / US_PER_SECOND
               : otherwise;
}

bool sl_team_says(struct call *c, const char *member)
{
    const struct json *value = sl_preference(c, member);
    return json_is_true(value);
}

int sl_named_channel_arg(struct call *c, const char *what, struct chat_channel *ret)
{
    if (sl_channel_arg(c, "channel", false, ret) < 0)
        return -1;
    if (ret->kind >= CHAT_DIRECT)
        return slack_fail(c, "method_not_supported_for_channel_type");
    return sl_channel_scope(c, ret, what);
}

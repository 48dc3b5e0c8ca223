/* SPDX-License-Identifier: Apache-2.0 */
#include "identity/account.h"
#include "services/chat/slack/apps/install.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/sl.h"
#include <ctype.h>

/* ---- bots ---- */

/* As names of bots are: small letters, digits, and what may be between them. */
static const char *bot_name(struct arena *a, const char *text)
{
    char *name = arena_strdup(a, text);
    size_t n = 0;
    for (const char *p = text; *p && n < 80; p++) {
        unsigned char c = (unsigned char)*p;
        if (isalnum(c) && c < 0x80)
            name[n++] = (char)tolower(c);
        else if (strchr("-_.", c) || (c == ' ' && n && name[n - 1] != '_'))
            name[n++] = (char)(c == ' ' ? '_' : c);
    }
    name[n] = 0;
    return n ? name : "app";
}

static const char *lower(struct arena *a, const char *text)
{
    char *copy = arena_strdup(a, text);
    for (char *p = copy; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return copy;
}

/* The actor that acts for the app, made from its manifest, or from its name if one is needed. 1; 0:
 * it has none. */
static int bot_actor(struct tx *tx, struct ident_app *app, const struct chat_app *a, bool needed,
                     struct actor *ret)
{
    const struct json *m = NULL, *bot;
    struct actor other;
    if (app->bot)
        return actor_by_id(tx, app->bot, ret);
    if (a->manifest &&
        json_parse(tx->arena, a->manifest, strlen(a->manifest), NULL, &m, tx->err) < 0)
        return -1;
    bot = m ? sl_manifest_part(m, "features", "bot_user") : NULL;
    const char *name = bot && bot->type == JSON_OBJECT ? json_get_str(bot, "display_name") : NULL;
    if (!name && !needed)
        return 0;
    if (!name)
        name = app->name;
    const char *handle = bot_name(tx->arena, name);
    int r = actor_find(tx, handle, &other);
    if (r < 0)
        return -1;
    if (r)
        handle = arena_printf(tx->arena, "%s-%s", handle, lower(tx->arena, a->key));
    *ret = (struct actor){.handle = handle,
                          .email = "",
                          .kind = "bot",
                          .name = name,
                          .zone = "America/Los_Angeles",
                          .locale = "en"};
    if (actor_new(tx, ret) < 0)
        return -1;
    app->bot = ret->id;
    return app_save(tx, app) < 0 ? -1 : 1;
}

int sl_app_bot(struct tx *tx, struct ident_app *app, const struct chat_app *a,
               const struct chat_workspace *w, bool needed, struct chat_user *ret)
{
    static const char *const members[] = {"deleted", NULL};
    struct actor actor;
    *ret = (struct chat_user){0};
    int r = bot_actor(tx, app, a, needed, &actor);
    if (r != 1)
        return r;
    r = chat_user_of(tx, actor.id, w->id, ret);
    if (r < 0)
        return -1;
    if (r) {
        if (!ret->deleted)
            return 0;
        ret->deleted = false;
        return chat_user_save(tx, ret, members);
    }
    *ret = (struct chat_user){.workspace = w->id,
                              .actor = actor.id,
                              .name = bot_name(tx->arena, actor.name),
                              .real_name = actor.name,
                              .display_name = "",
                              .title = "",
                              .phone = "",
                              .pronouns = "",
                              .zone = actor.zone,
                              .locale = "en-US",
                              .role = CHAT_MEMBER,
                              .bot = true,
                              .status_text = "",
                              .status_emoji = "",
                              .presence = "auto",
                              .updated_s = tx->now_us / US_PER_SECOND};
    return chat_user_add(tx, ret);
}

/* ---- tokens ---- */

long long sl_digits(const char *key)
{
    return (long long)(1000000000 + chat_hash(key) % 9000000000U);
}

/* The account that says for which workspace a token is. */
static int account_in(struct tx *tx, const struct chat_workspace *w, const struct chat_user *u,
                      struct account *ret)
{
    int r = account_find(tx, "slack", w->key, u->key, ret);
    if (r)
        return r < 0 ? -1 : 0;
    *ret = (struct account){
        .actor = u->actor, .vendor = "slack", .service = "", .tenant = w->key, .name = u->key};
    return account_new(tx, ret);
}

/* "a,b" as identity has them: "a b". */
static const char *with_blanks(struct arena *a, const char *scopes)
{
    char *text = arena_strdup(a, scopes);
    for (char *p = text; *p; p++)
        if (*p == ',')
            *p = ' ';
    return text;
}

const char *sl_scopes_union(struct arena *a, const char *list, const char *more)
{
    const char *both = scopes_union(a, with_blanks(a, list), with_blanks(a, more));
    char *text = arena_strdup(a, both ? both : "");
    for (char *p = text; *p; p++)
        if (*p == ' ')
            *p = ',';
    return text;
}

const char *sl_bot_scopes(struct arena *a, const struct chat_install *i)
{
    struct buf b;
    if (i->scopes)
        return i->scopes;
    buf_init(&b, 1 << 14);
    for (size_t k = 0; slack_scopes[k]; k++)
        if (slack_is_scope(slack_scopes[k], strlen(slack_scopes[k]), true))
            buf_printf(&b, "%s%s", b.len ? "," : "", slack_scopes[k]);
    return buf_keep(&b, a);
}

static int new_access(struct tx *tx, const struct sl_issue *s, const struct chat_user *u,
                      const char *scopes, const char **ret)
{
    struct account account;
    struct actor actor;
    const struct chat_workspace *w = &s->workspace;
    if (account_in(tx, w, u, &account) < 0 || actor_by_id(tx, u->actor, &actor) != 1)
        return -1;
    const char *prefix = s->rotate ? (u->bot ? "xoxe.xoxb-1-" : "xoxe.xoxp-1-")
                         : u->bot
                             ? arena_printf(tx->arena, "xoxb-%lld-%lld-", sl_digits(w->key),
                                            sl_digits(s->install.key))
                             : arena_printf(tx->arena, "xoxp-%lld-%lld-%lld-", sl_digits(w->key),
                                            sl_digits(u->key), sl_digits(s->app.client_id));
    struct oauth_style style = {.access = {"slack_token", prefix, 24, true, true},
                                .access_s = SL_ACCESS_S};
    struct oauth_access access = {.app = s->app.id,
                                  .who = &actor,
                                  .scopes = u->bot ? NULL : with_blanks(tx->arena, scopes),
                                  .kind = u->bot ? TOKEN_BOT : TOKEN_USER,
                                  .account = account.id,
                                  .lasting = !s->rotate};
    struct ident_token known;
    /* Who has one that does not end keeps it. */
    int r = access.lasting
                ? ident_token_of(tx, s->app.id, actor.id, account.id, access.kind, &known)
                : 0;
    if (r < 0)
        return -1;
    if (!r)
        return oauth_access_new(tx, &style, &access, ret);
    *ret = known.value;
    known.scopes = access.scopes;
    return ident_token_store(tx, &known, NULL);
}

int sl_function_token(struct tx *tx, const struct chat_install *i, const char *execution,
                      const char **ret_token)
{
    struct chat_workspace w;
    struct account account;
    struct chat_user bot;
    struct actor actor;
    if (chat_workspace_get(tx, i->workspace, &w) != 1 || chat_user_get(tx, i->user, &bot) != 1 ||
        account_in(tx, &w, &bot, &account) < 0 || actor_by_id(tx, bot.actor, &actor) != 1)
        return -1;
    const char *prefix =
        arena_printf(tx->arena, "xwfp-%lld-%lld-", sl_digits(w.key), sl_digits(execution));
    struct oauth_style style = {.access = {"slack_function", prefix, 24, true, true},
                                .access_s = SL_FUNCTION_S};
    struct oauth_access access = {
        .app = i->app, .who = &actor, .kind = TOKEN_BOT, .account = account.id};
    return oauth_access_new(tx, &style, &access, ret_token);
}

/* One that no dump brought. */
static const char *new_refresh(struct tx *tx)
{
    static const struct oauth_secret refresh = {"slack_refresh", "xoxe-1-", 48, true, true};
    struct chat_grant there;
    const char *token;
    int r;
    do
        r = (token = oauth_secret_new(tx, &refresh)) ? chat_grant_find(tx, token, &there) : -1;
    while (r == 1);
    return r < 0 ? NULL : token;
}

/* What renews it, in the place of what did so before; of the access tokens the one before the last
 * one ends. */
static int new_grant(struct tx *tx, const struct sl_issue *s, const struct chat_user *u,
                     struct sl_token *t)
{
    struct chat_grant g, before;
    int r = chat_grant_of(tx, s->install.id, u->id, &before);
    if (r < 0 || (r && before.before && oauth_access_end(tx, before.before) < 0))
        return -1;
    g = (struct chat_grant){.token = new_refresh(tx),
                            .install = s->install.id,
                            .user = u->id,
                            .scopes = u->bot ? NULL : t->scopes,
                            .access = t->access,
                            .before = r && *before.access ? before.access : NULL,
                            .expires_s =
                                s->pkce ? tx->now_us / US_PER_SECOND + SL_PKCE_REFRESH_S : 0};
    if (!g.token)
        return -1;
    t->refresh = g.token;
    t->expires_in = SL_ACCESS_S;
    return chat_grant_set(tx, &g);
}

int sl_issue_token(struct tx *tx, const struct sl_issue *s, const struct chat_user *u,
                   const char *scopes, struct sl_token *ret)
{
    *ret = (struct sl_token){.scopes = scopes};
    if (new_access(tx, s, u, scopes, &ret->access) < 0)
        return -1;
    return s->rotate ? new_grant(tx, s, u, ret) : 0;
}

/* ---- installing ---- */

/* What a person has granted before: with the token that does not end, or with what renews the
 * other. */
static int granted_before(struct tx *tx, const struct sl_issue *s, const char **ret)
{
    struct account account;
    struct ident_token token;
    struct chat_grant g;
    *ret = "";
    int r = chat_grant_of(tx, s->install.id, s->person.id, &g);
    if (r < 0)
        return -1;
    if (r && g.scopes) {
        *ret = g.scopes;
        return 0;
    }
    r = account_find(tx, "slack", s->workspace.key, s->person.key, &account);
    if (r == 1)
        r = ident_token_of(tx, s->app.id, s->person.actor, account.id, TOKEN_USER, &token);
    if (r == 1 && token.scopes)
        *ret = sl_scopes_union(tx->arena, "", token.scopes);
    return r < 0 ? -1 : 0;
}

static bool is_within(struct arena *a, const char *list, const char *of)
{
    return strcmp(sl_scopes_union(a, of, list), sl_scopes_union(a, of, "")) == 0;
}

/* The app is in the workspace, with what its bot and people's tokens may do besides what they might
 * before. */
static int install_app(struct tx *tx, struct sl_issue *s)
{
    static const char *const members[] = {"scopes", NULL};
    struct chat_install *i = &s->install;
    int r = chat_install_of(tx, s->workspace.id, s->app.id, i);
    if (r < 0 ||
        (r && i->deleted && oauth_tenant_end(tx, s->app.id, "slack", s->workspace.key) < 0))
        return -1;
    bool again = r && i->deleted;
    if ((*s->bot || (r && i->user)) &&
        sl_app_bot(tx, &s->app, &s->chat_app, &s->workspace, *s->bot, &s->bot_user) < 0)
        return -1;
    if (!r || again) {
        int64_t id = r ? i->id : 0;
        const char *key = r ? i->key : NULL;
        *i = (struct chat_install){.id = id,
                                   .workspace = s->workspace.id,
                                   .app = s->app.id,
                                   .user = s->bot_user.id,
                                   .key = key,
                                   .scopes = s->classic ? NULL : s->bot,
                                   .user_scopes = s->people,
                                   .installer = s->person.id,
                                   .installed_s = tx->now_us / US_PER_SECOND};
        return r ? chat_install_save(tx, i, NULL) : chat_install_add(tx, i);
    }
    bool same = !i->user_scopes || is_within(tx->arena, s->people, i->user_scopes);
    if (!same)
        i->user_scopes = sl_scopes_union(tx->arena, i->user_scopes, s->people);
    if (*s->bot) {
        const char *scopes =
            i->scopes && !s->classic ? sl_scopes_union(tx->arena, i->scopes, s->bot) : NULL;
        same = same && i->user == s->bot_user.id &&
               (!scopes || (i->scopes && strcmp(scopes, i->scopes) == 0));
        i->user = s->bot_user.id;
        i->scopes = scopes;
        i->installer = s->person.id;
    }
    return same ? 0 : chat_install_save(tx, i, members);
}

/* A bot has two direct channels from the beginning: with the workspace's helper, and with who
 * brought it. */
static int greet(struct tx *tx, const struct sl_issue *s)
{
    const struct chat_user *bot = &s->bot_user;
    struct chat_channel ch;
    struct chat_user helper;
    int r = bot->id ? chat_user_find(tx, s->workspace.id, SLACKBOT, &helper) : 0;
    if (r < 0 || (r && sl_direct_of(tx, s->workspace.id, helper.id, bot->id, &ch) < 0))
        return -1;
    return bot->id && sl_direct_of(tx, s->workspace.id, bot->id, s->person.id, &ch) < 0 ? -1 : 0;
}

int sl_install(struct tx *tx, struct sl_issue *s)
{
    const char *before;
    if (install_app(tx, s) < 0 || greet(tx, s) < 0)
        return -1;
    s->pkce = s->pkce || sl_setting_truth(tx, &s->chat_app, "pkce");
    s->rotate = s->rotate || sl_setting_truth(tx, &s->chat_app, "token_rotation");
    if (*s->bot && sl_issue_token(tx, s, &s->bot_user, sl_bot_scopes(tx->arena, &s->install),
                                  &s->bot_token) < 0)
        return -1;
    if (!*s->people)
        return 0;
    if (granted_before(tx, s, &before) < 0)
        return -1;
    return sl_issue_token(tx, s, &s->person, sl_scopes_union(tx->arena, before, s->people),
                          &s->user_token);
}

bool sl_setting_truth(struct tx *tx, const struct chat_app *a, const char *member)
{
    const struct json *setting;
    struct sosia_err err;
    return json_parse(tx->arena, a->setting, strlen(a->setting), NULL, &setting, &err) == 0 &&
           sl_manifest_truth(setting, member);
}

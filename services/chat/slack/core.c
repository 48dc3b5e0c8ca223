/* SPDX-License-Identifier: Apache-2.0 */
/* What Slack adds to a world: the helper of every workspace, and the tokens of its programs. */
#include "engine/http/token.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/slack/apps/install.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/events/news.h"
#include "services/chat/slack/events/push.h"
#include "services/chat/core/vendor.h"
#include "services/chat/slack/forms.h"
#include "services/chat/slack/sl.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/events/socket.h"

extern const char chat_slack_sql[], chat_slack_upgrade_sql[];

/* ---- Slackbot ---- */

static int add_helper(struct tx *tx, const struct chat_workspace *w)
{
    struct chat_user u = {.workspace = w->id,
                          .key = SLACKBOT,
                          .name = "slackbot",
                          .real_name = "Slackbot",
                          .display_name = "Slackbot",
                          .title = "",
                          .phone = "",
                          .pronouns = "",
                          .zone = "America/Los_Angeles",
                          .locale = "en-US",
                          .role = CHAT_MEMBER,
                          .status_text = "",
                          .status_emoji = "",
                          .presence = "auto",
                          .active = true,
                          .color = "757575"};
    struct chat_user there;
    int r = chat_user_find(tx, w->id, SLACKBOT, &there);
    return r < 0 ? -1 : r ? 0 : chat_user_add(tx, &u);
}

/* ---- apps with manifests ---- */

/* Where the app is installed without a bot that its manifest has, it gets one. */
static int add_bots(struct tx *tx, struct ident_app *app, const struct chat_app *a)
{
    struct chat_install i = {0};
    struct chat_workspace w;
    struct chat_user bot;
    int r;
    while ((r = chat_install_next(tx, app->id, i.id, &i)) == 1) {
        if (i.user || i.deleted)
            continue;
        if (chat_workspace_get(tx, i.workspace, &w) != 1 ||
            sl_app_bot(tx, app, a, &w, false, &bot) < 0)
            return -1;
        i.user = bot.id;
        if (i.user && chat_install_save(tx, &i, NULL) < 0)
            return -1;
    }
    return r;
}

static int seed_manifest(struct tx *tx, struct doc *doc, struct chat_app *a)
{
    struct sl_faults *faults = arena_alloc(tx->arena, sizeof *faults);
    struct ident_app app;
    const struct json *m;
    if (app_get(tx, a->app, &app) != 1 ||
        json_parse(tx->arena, a->manifest, strlen(a->manifest), NULL, &m, tx->err) < 0)
        return -1;
    sl_manifest_check(tx->arena, m, faults);
    if (faults->n)
        return doc_fail(doc, NULL, NULL, "the manifest of the app %s: %s: %s", a->key,
                        faults->items[0].pointer, faults->items[0].message);
    if (!(a->manifest = sl_manifest_normal(tx, m, NULL)) || sl_manifest_apply(tx, &app, a) < 0)
        return -1;
    return add_bots(tx, &app, a);
}

/* Runs for every document, behind the workspaces and their apps. */
static int seed(struct tx *tx, struct doc *doc, const struct json *value)
{
    struct chat_workspace w = {0};
    struct chat_app a = {0};
    static const char *const members[] = {NULL};
    int r;
    if (value && value->type != JSON_NULL && doc_object(doc, value, members) < 0)
        return -1;
    while ((r = chat_workspace_next(tx, &slack_chat_vendor, w.id, &w)) == 1)
        if (add_helper(tx, &w) < 0)
            return -1;
    while (r == 0 && (r = chat_app_next(tx, a.id, &a)) == 1) {
        r = 0;
        if (a.manifest && seed_manifest(tx, doc, &a) < 0)
            return -1;
    }
    return r;
}

/* Its sections have other names. */
static void section_schema(struct json_writer *w)
{
    json_raw(w, "type", "[\"object\",\"null\"]", 17);
    json_bool(w, "additionalProperties", false);
}

/* ---- tokens ---- */

static int sign(struct tx *tx, struct json_writer *w, const char *member, const char *prefix,
                const struct actor *actor, int64_t app, enum token_kind kind)
{
    char token[SOSIA_TOKEN_MAX];
    struct token_grant grant = {.actor = actor, .app = app, .kind = kind};
    if (token_sign_shaped(tx, prefix, &grant, token, sizeof token) < 0)
        return -1;
    json_str(w, member, token);
    return 0;
}

/* With which somebody makes apps of manifests, and what renews it. */
static int write_configuration(struct tx *tx, struct json_writer *w, const struct actor *actor)
{
    char token[SOSIA_TOKEN_MAX];
    struct token_grant grant = {.actor = actor,
                                .kind = TOKEN_USER,
                                .scopes = SL_CONFIGURATION,
                                .expires_us = tx->now_us + SL_ACCESS_S * US_PER_SECOND};
    if (token_sign_shaped(tx, "xoxe.xoxp-1-", &grant, token, sizeof token) < 0)
        return -1;
    json_str(w, "slack_config", token);
    grant.scopes = SL_RENEWAL;
    grant.expires_us = 0;
    if (token_sign_shaped(tx, SLACK_REFRESH, &grant, token, sizeof token) < 0)
        return -1;
    json_str(w, "slack_config_refresh", token);
    return 0;
}

struct installed {
    struct chat_workspace workspace;
    struct chat_install install;
    struct chat_app app;
    struct ident_app ident;
    struct actor bot;
};

/* Those of a workspace in their order, behind one. 1, 0, -1. */
static int next_installed(struct tx *tx, int64_t after, struct installed *i)
{
    static struct sql_text q =
        SQL_TEXT("select app from slack_install where workspace = :workspace "
                 "and id > :after and not deleted order by id limit 1");
    int64_t app;
    int r = TX_INT(tx, &q, &app, i->workspace.id, after);
    if (r == 1)
        r = chat_install_of(tx, i->workspace.id, app, &i->install);
    if (r == 1)
        r = chat_app_of(tx, app, &i->app);
    if (r == 1)
        r = app_get(tx, app, &i->ident);
    i->bot = (struct actor){0};
    if (r == 1 && i->ident.bot)
        r = actor_by_id(tx, i->ident.bot, &i->bot);
    return r;
}

static const char *bot_prefix(struct tx *tx, const struct installed *i)
{
    return arena_printf(tx->arena, "xoxb-%lld-%lld-", sl_digits(i->workspace.key),
                        sl_digits(i->install.key));
}

static const char *app_prefix(struct tx *tx, const struct installed *i)
{
    return arena_printf(tx->arena, "xapp-1-%s-%lld-", i->app.key, sl_digits(i->app.key));
}

static int write_app(struct tx *tx, struct json_writer *w, const struct installed *i)
{
    json_obj(w, NULL);
    json_str(w, "client_id", i->ident.client_id);
    json_str_opt(w, "client_secret", i->ident.secret);
    json_str_opt(w, "signing_secret", i->ident.signing_secret);
    if (i->bot.id &&
        (sign(tx, w, "bot_token", bot_prefix(tx, i), &i->bot, i->ident.id, TOKEN_BOT) < 0 ||
         sign(tx, w, "app_token", app_prefix(tx, i), &i->bot, i->ident.id, TOKEN_APP) < 0))
        return -1;
    json_end(w);
    return 0;
}

/* For an actor of a workspace: his own token, those of its first app, and all apps. */
static int write_tokens(struct tx *tx, struct json_writer *w, const struct actor *actor,
                        const struct chat_user *u)
{
    struct installed i = {0};
    int r = chat_workspace_get(tx, u->workspace, &i.workspace);
    if (r != 1)
        return r;
    long long team = sl_digits(i.workspace.key), me = sl_digits(u->key);
    if (!u->bot &&
        sign(tx, w, "slack_user", arena_printf(tx->arena, "xoxp-%lld-%lld-%lld-", team, me, me ^ 1),
             actor, 0, TOKEN_USER) < 0)
        return -1;
    if (!u->bot && write_configuration(tx, w, actor) < 0)
        return -1;
    if ((r = next_installed(tx, 0, &i)) < 0)
        return -1;
    if (r && i.bot.id) {
        if (sign(tx, w, "slack_bot", bot_prefix(tx, &i), &i.bot, i.ident.id, TOKEN_BOT) < 0 ||
            sign(tx, w, "slack_app", app_prefix(tx, &i), &i.bot, i.ident.id, TOKEN_APP) < 0)
            return -1;
        json_str_opt(w, "slack_signing_secret", i.ident.signing_secret);
    }
    json_arr(w, "apps");
    for (; r == 1; r = next_installed(tx, i.install.id, &i))
        if (write_app(tx, w, &i) < 0)
            return -1;
    json_end(w);
    json_arr(w, "hosts"); /* where addresses in responses lead, beside the service's own */
    json_str(w, NULL, arena_printf(tx->arena, "%s." SLACK_HOST, i.workspace.domain));
    json_end(w);
    return r < 0 ? -1 : 1;
}

static const char *const kinds[] = {"slack", NULL};

static int credential(struct tx *tx, const char *kind, const struct actor *actor,
                      const char *base_url, struct buf *out)
{
    struct chat_user u;
    struct json_writer w;
    (void)base_url;
    int r = strcmp(kind, "slack") == 0 ? chat_user_at(tx, &slack_chat_vendor, actor->id, &u) : 0;
    if (r != 1)
        return r;
    json_init(&w, out, true, NULL);
    json_obj(&w, NULL);
    r = write_tokens(tx, &w, actor, &u);
    json_end(&w);
    return r;
}

#define REMINDED "reminded"

static int take_events(struct tx *tx, const struct world_event *first)
{
    for (const struct world_event *e = first; e; e = e->next)
        if (strcmp(e->kind, CHAT_EV_REMINDER) == 0 &&
            due_add(tx, tx->now_us, "chat.slack", REMINDED, e->entity) < 0)
            return -1;
    return sl_news_take(tx, first);
}

static int due(struct tx *tx, const char *kind, int64_t ref)
{
    if (strcmp(kind, REMINDED) == 0)
        return sl_remind(tx, ref);
    if (strcmp(kind, SL_STREAM_DUE) == 0)
        return sl_stream_due(tx, ref);
    if (strcmp(kind, SL_SCHEDULED) == 0)
        return chat_scheduled_post(tx, ref);
    if (strcmp(kind, SL_REMINDER) == 0)
        return chat_remind(tx, ref);
    return strcmp(kind, SL_NEWS_DUE) == 0 ? sl_news_due(tx) : sl_socket_due(tx, kind, ref);
}

static const struct section sections[] = {
    {.name = "chatApps",
     .seed_one = chat_app_seed,
     .ids = SECTION_IDS("select id from slack_app order by key"),
     .dump_one = chat_app_dump,
     .form = &chat_app_form},
    {.name = "slack", .seed = seed, .schema = section_schema},
};

static const struct section files[] = {
    {.name = "chatInvites",
     .stored = &slack_invite_stored,
     .ids = SECTION_IDS("select id from slack_invite order by id")},
    {.name = "chatFiles",
     .stored = &slack_file_stored,
     .ids = SECTION_IDS("select id from slack_file where state >= 2 order by id")},
    {.name = "canvases",
     .stored = &slack_canvas_stored,
     .ids = SECTION_IDS("select file from slack_canvas order by file")},
    {.name = "chatLists",
     .stored = &slack_list_stored,
     .ids = SECTION_IDS("select file from slack_list order by file")},
};

static const struct section rest[] = {
    {.name = "assistantThreads",
     .stored = &slack_assist_stored,
     .ids = SECTION_IDS("select id from slack_assist order by id")},
    {.name = "agentChannels",
     .stored = &slack_agent_stored,
     .ids = SECTION_IDS("select channel from slack_agent_channel order by channel")},
    {.name = "chatCalls",
     .stored = &slack_call_stored,
     .ids = SECTION_IDS("select id from slack_call order by id")},
    {.name = "chatLogins",
     .stored = &slack_login_stored,
     .ids = SECTION_IDS("select id from slack_login order by id")},
    {.name = "chatAppLogs",
     .stored = &slack_app_log_stored,
     .ids = SECTION_IDS("select id from slack_app_log order by id")},
    {.name = "profileFields",
     .stored = &slack_field_stored,
     .ids = SECTION_IDS("select id from slack_profile_field order by id")},
    {.name = "chatEmoji",
     .stored = &slack_emoji_stored,
     .ids = SECTION_IDS("select id from slack_emoji order by workspace, name")},
    {.name = "userGroups",
     .stored = &slack_group_stored,
     .ids = SECTION_IDS("select id from slack_group order by id")},
    {.name = "bookmarks",
     .stored = &slack_bookmark_stored,
     .ids = SECTION_IDS("select id from slack_bookmark order by id")},
    {.name = "chatStars",
     .stored = &slack_star_stored,
     .ids = SECTION_IDS("select id from slack_star order by id")},
    {.name = "chatReminders",
     .stored = &slack_reminder_stored,
     .ids = SECTION_IDS("select id from slack_reminder order by id")},
    {.name = "scheduledMessages",
     .stored = &slack_scheduled_stored,
     .ids = SECTION_IDS("select id from slack_scheduled order by id")},
    {.name = "chatQuiet",
     .stored = &slack_quiet_stored,
     .ids = SECTION_IDS("select user from slack_quiet order by user")},
    {.name = "chatGrants",
     .stored = &slack_grant_stored,
     .ids = SECTION_IDS("select id from slack_grant order by id")},
    {.name = "chatWebhooks",
     .stored = &slack_webhook_stored,
     .ids = SECTION_IDS("select id from slack_webhook order by id")},
};

static const struct entity_addition additions[] = {
    {"workspace",
     {"slack_install", ENTITY_OWNER("select workspace from slack_install where id = ?1")}},
    {.entity = NULL},
};

static const struct core_policy policies[] = {
    {CHAT_CORE, "slack", &slack_chat_vendor},
    {.core = NULL},
};

/* A workspace says who its members are: nobody becomes one by having an address. */
static const struct provision provisions[] = {
    {"slack", ACCOUNT_CHAT, NULL, false, NULL},
    {NULL, 0, NULL, false, NULL},
};

static const struct core_upgrade upgrades[] = {
    {.from = "sosia 2", .sql = chat_slack_upgrade_sql},
    {.from = NULL},
};

const struct sosia_core chat_slack_core = {
    .name = "chat.slack",
    .upgrades = upgrades,
    .provisions = provisions,
    .schema = chat_slack_sql,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = slack_file_entities,
    .n_entities = SLACK_FILE_ENTITIES,
    .additions = additions,
    .policies = policies,
    .due = due,
    .events = take_events,
    .deliveries = sl_deliveries,
    .views = slack_views,
    .tables = slack_tables,
    .credential_kinds = kinds,
    .credential = credential,
    .rules = slack_rules,
    .derive = chat_files_derive,
    .secrets =
        "delete from slack_grant; update slack_file set upload = null, public_secret = null; "
        "update slack_webhook set secret = 'withheld' || id;",
};

const struct sosia_core chat_slack_push_core = {
    .name = "chat.slack.push",
    .schema = chat_slack_push_sql,
    .rules = sl_push_rules,
};

const struct sosia_core chat_slack_file_core = {
    .name = "chat.slack.files",
    .schema = "",
    .sections = files,
    .n_sections = SOSIA_LEN(files),
};

const struct sosia_core chat_slack_rest_core = {
    .name = "chat.slack.rest",
    .schema = "",
    .sections = rest,
    .n_sections = SOSIA_LEN(rest),
    .entities = slack_entities,
    .n_entities = SLACK_ENTITIES,
};

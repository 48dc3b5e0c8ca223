/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manifest of an app that was never given one: of what is known of it, its settings and its
 * installation. What a manifest must have and settings need not is filled in, so that it is one
 * that apps.manifest.create takes.
 */
#include "engine/base/codec.h"
#include "services/chat/slack/apps/install.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/sl.h"
#include "vendors/slack/slack.h"

struct known {
    struct tx *tx;
    struct json_writer w;
    const struct chat_app *app;
    struct ident_app ident;
    struct actor bot; /* id 0: it has none */
    struct chat_install install;
    const struct json *setting;
    bool socket;
};

/* The member if it has items. */
static const struct json *with_items(const struct json *v, const char *member)
{
    const struct json *part = json_get(v, member);
    bool list = part && (part->type == JSON_ARRAY || part->type == JSON_OBJECT);
    return list && part->n ? part : NULL;
}

/* Its first characters: names here may be longer than there. */
static const char *shortened(struct arena *a, const char *text, size_t max)
{
    size_t n = 0, at = 0;
    while (text[at] && n < max) {
        at++;
        while (((unsigned char)text[at] & 0xc0) == 0x80)
            at++;
        n++;
    }
    while (at && text[at - 1] == ' ')
        at--;
    return arena_memdup(a, text, at);
}

static void copy(struct known *k, const char *name, const char *member)
{
    const struct json *v = json_get(k->setting, member);
    if (with_items(k->setting, member) || (v && v->type == JSON_STRING && *v->str))
        json_value(&k->w, name, v);
}

static void truth(struct known *k, const char *name, const char *member)
{
    if (sl_manifest_truth(k->setting, member))
        json_bool(&k->w, name, true);
}

/* A tab is there unless the settings say that it isn't. */
static bool tab(const struct known *k, const char *member)
{
    return !json_get(k->setting, member) || sl_manifest_truth(k->setting, member);
}

/* Items of a list, with their name, or another member, for a description where they have none. */
static void write_described(struct known *k, const char *list, const char *member,
                            const char *otherwise)
{
    const struct json *all = with_items(k->setting, member);
    if (!all || all->type != JSON_ARRAY)
        return;
    json_arr(&k->w, list);
    for (uint32_t i = 0; i < all->n; i++) {
        const struct json *item = &all->items[i];
        const char *text = json_get_str(item, "description"), *name = json_get_str(item, otherwise);
        json_obj(&k->w, NULL);
        for (uint32_t m = 0; item->type == JSON_OBJECT && m < item->n; m++)
            if (strcmp(item->members[m].key, "description") != 0)
                json_value(&k->w, item->members[m].key, &item->members[m].value);
        json_str(&k->w, "description", text && *text ? text : name && *name ? name : "-");
        json_end(&k->w);
    }
    json_end(&k->w);
}

static void put_features(struct known *k)
{
    struct json_writer *w = &k->w;
    const char *about = *k->app->description ? k->app->description : k->ident.name;
    json_obj(w, "features");
    json_obj(w, "app_home");
    json_bool(w, "home_tab_enabled", tab(k, "home_tab"));
    json_bool(w, "messages_tab_enabled", tab(k, "messages_tab"));
    json_bool(w, "messages_tab_read_only_enabled",
              sl_manifest_truth(k->setting, "messages_tab_read_only"));
    json_end(w);
    if (k->bot.id) {
        json_obj(w, "bot_user");
        json_str(w, "display_name", shortened(k->tx->arena, k->bot.name, 80));
        json_end(w);
    }
    if (sl_manifest_truth(k->setting, "assistant")) {
        json_obj(w, "assistant_view");
        json_str(w, "assistant_description", shortened(k->tx->arena, about, 300));
        json_end(w);
    }
    if (sl_manifest_truth(k->setting, "agent_channels")) {
        json_obj(w, "code_channels");
        json_bool(w, "enabled", true);
        copy(k, "slash_command_url", "agent_commands_url");
        json_end(w);
    }
    write_described(k, "shortcuts", "shortcuts", "name");
    write_described(k, "slash_commands", "commands", "command");
    copy(k, "unfurl_domains", "unfurl_domains");
    json_end(w);
}

static void write_list(struct json_writer *w, const char *member, const char *scopes)
{
    json_arr(w, member);
    while (*scopes) {
        size_t n = strcspn(scopes, ",");
        json_strn(w, NULL, scopes, n);
        scopes += n + (scopes[n] == ',');
    }
    json_end(w);
}

/* All that people's tokens may have. */
static const char *people_scopes(struct arena *a)
{
    const char *text = "";
    for (size_t i = 0; slack_scopes[i]; i++)
        if (slack_is_scope(slack_scopes[i], strlen(slack_scopes[i]), false))
            text = arena_printf(a, "%s%s%s", text, *text ? "," : "", slack_scopes[i]);
    return text;
}

/* An app that may do everything asks for all that there is. */
static void write_oauth(struct known *k)
{
    struct json_writer *w = &k->w;
    struct arena *a = k->tx->arena;
    bool commands = with_items(k->setting, "commands") || with_items(k->setting, "shortcuts");
    const char *bot = k->bot.id ? sl_bot_scopes(a, &k->install) : "";
    const char *people = k->install.user_scopes                  ? k->install.user_scopes
                         : with_items(k->setting, "user_events") ? people_scopes(a)
                                                                 : "";
    if (commands) /* the service adds it with the first one */
        bot = sl_scopes_union(a, bot, "commands");
    json_obj(w, "oauth_config");
    if (k->ident.redirects->n)
        json_value(w, "redirect_urls", k->ident.redirects);
    if (*bot || *people) {
        json_obj(w, "scopes");
        if (*bot)
            write_list(w, "bot", bot);
        if (*people)
            write_list(w, "user", people);
        json_end(w);
    }
    truth(k, "pkce_enabled", "pkce");
    json_end(w);
}

static void write_events(struct known *k)
{
    struct json_writer *w = &k->w;
    const struct json *events = with_items(k->setting, "bot_events");
    bool functions = with_items(k->setting, "functions"), has = false;
    if (!events && !functions && !with_items(k->setting, "user_events") &&
        !with_items(k->setting, "metadata_events") && !json_get(k->setting, "events_url"))
        return;
    json_obj(w, "event_subscriptions");
    copy(k, "request_url", "events_url");
    if (events || functions) {
        json_arr(w, "bot_events");
        for (uint32_t i = 0; events && events->type == JSON_ARRAY && i < events->n; i++) {
            has |= events->items[i].type == JSON_STRING &&
                   strcmp(events->items[i].str, SL_FUNCTION_EVENT) == 0;
            json_value(w, NULL, &events->items[i]);
        }
        if (functions && !has)
            json_str(w, NULL, SL_FUNCTION_EVENT);
        json_end(w);
    }
    copy(k, "user_events", "user_events");
    copy(k, "metadata_subscriptions", "metadata_events");
    json_end(w);
}

static void write_settings(struct known *k)
{
    struct json_writer *w = &k->w;
    json_obj(w, "settings");
    write_events(k);
    if (k->socket || json_get(k->setting, "interactivity_url")) {
        json_obj(w, "interactivity");
        json_bool(w, "is_enabled", true);
        copy(k, "request_url", "interactivity_url");
        copy(k, "message_menu_options_url", "options_url");
        json_end(w);
    }
    if (sl_manifest_truth(k->setting, "webhooks")) {
        json_obj(w, "incoming_webhooks");
        json_bool(w, "incoming_webhooks_enabled", true);
        json_end(w);
    }
    truth(k, "org_deploy_enabled", "org_deploy");
    truth(k, "socket_mode_enabled", "socket_mode");
    truth(k, "token_rotation_enabled", "token_rotation");
    if (sl_manifest_truth(k->setting, "hosted"))
        json_str(w, "function_runtime", "slack");
    json_end(w);
}

static void write_functions(struct known *k)
{
    static const char *const needed[] = {"input_parameters", "output_parameters"};
    struct json_writer *w = &k->w;
    const struct json *all = with_items(k->setting, "functions");
    if (!all || all->type != JSON_OBJECT)
        return;
    json_obj(w, "functions");
    for (uint32_t i = 0; i < all->n; i++) {
        const struct json *f = &all->members[i].value;
        json_obj(w, all->members[i].key);
        for (uint32_t m = 0; f->type == JSON_OBJECT && m < f->n; m++)
            json_value(w, f->members[m].key, &f->members[m].value);
        if (!json_get(f, "title"))
            json_str(w, "title", all->members[i].key);
        for (size_t m = 0; m < SOSIA_LEN(needed); m++)
            if (!json_get(f, needed[m])) {
                json_obj(w, needed[m]);
                json_end(w);
            }
        json_end(w);
    }
    json_end(w);
}

static int load_known(struct known *k)
{
    const char *text = k->app->setting;
    int r = app_get(k->tx, k->app->app, &k->ident);
    if (r == 1 && k->ident.bot)
        r = actor_by_id(k->tx, k->ident.bot, &k->bot);
    if (r != 1 || chat_install_next(k->tx, k->app->app, 0, &k->install) < 0)
        return -1;
    if (json_parse(k->tx->arena, text, strlen(text), NULL, &k->setting, k->tx->err) < 0)
        return -1;
    k->socket = sl_manifest_truth(k->setting, "socket_mode");
    return 0;
}

const char *sl_manifest_made(struct tx *tx, const struct chat_app *a)
{
    struct known k = {.tx = tx, .app = a};
    struct buf b;
    if (load_known(&k) < 0)
        return NULL;
    buf_init(&b, SL_MANIFEST_MAX);
    json_init(&k.w, &b, false, NULL);
    json_obj(&k.w, NULL);
    json_obj(&k.w, "display_information");
    json_str(&k.w, "name", shortened(tx->arena, k.ident.name, 35));
    if (*a->description)
        json_str(&k.w, "description", shortened(tx->arena, a->description, 140));
    json_end(&k.w);
    put_features(&k);
    write_oauth(&k);
    write_settings(&k);
    write_functions(&k);
    copy(&k, "events", "events");
    copy(&k, "datastores", "datastores");
    copy(&k, "workflows", "workflows");
    copy(&k, "external_auth_providers", "external_auth_providers");
    json_end(&k.w);
    return sl_manifest_take(tx, &b);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What follows from a manifest: the form in which it is kept, and the app's settings. */
#include "services/chat/slack/apps/manifest.h"
#include "engine/base/codec.h"

const struct json *sl_manifest_part(const struct json *manifest, const char *first,
                                    const char *second)
{
    const struct json *part = json_get(manifest, first);
    return part && part->type == JSON_OBJECT ? json_get(part, second) : NULL;
}

bool sl_manifest_truth(const struct json *object, const char *member)
{
    const struct json *v = object && object->type == JSON_OBJECT ? json_get(object, member) : NULL;
    return json_is_true(v);
}

const char *sl_manifest_scopes(struct arena *a, const struct json *manifest, bool bot)
{
    const struct json *scopes = sl_manifest_part(manifest, "oauth_config", "scopes");
    const struct json *list =
        scopes && scopes->type == JSON_OBJECT ? json_get(scopes, bot ? "bot" : "user") : NULL;
    struct buf b;
    buf_init(&b, 1 << 16);
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++)
        if (list->items[i].type == JSON_STRING)
            buf_printf(&b, "%s%s", b.len ? "," : "", list->items[i].str);
    return buf_keep(&b, a);
}

/* ---- as it is kept ---- */

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names;
}

/* The members of an object but for some. */
static void write_rest(struct json_writer *w, const struct json *v, const char *const *without)
{
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++)
        if (!is_one_of(v->members[i].key, without))
            json_value(w, v->members[i].key, &v->members[i].value);
}

/* Truths with false where they are not given. */
static void write_truths(struct json_writer *w, const struct json *v, const char *const *names)
{
    for (; *names; names++)
        json_bool(w, *names, sl_manifest_truth(v, *names));
}

static void write_display(struct json_writer *w, const struct json *v, const struct json *before)
{
    static const char *const none[] = {NULL};
    const struct json *color = sl_manifest_part(before, "display_information", "background_color");
    json_obj(w, "display_information");
    write_rest(w, v, none);
    if (color && !json_get(v, "background_color"))
        json_value(w, "background_color", color);
    json_end(w);
}

static void write_features(struct json_writer *w, const struct json *v)
{
    static const char *const made[] = {"app_home", "bot_user", "slash_commands", NULL};
    static const char *const tabs[] = {"home_tab_enabled", "messages_tab_enabled",
                                       "messages_tab_read_only_enabled", NULL};
    static const char *const online[] = {"always_online", NULL};
    static const char *const escape[] = {"should_escape", NULL};
    const struct json *home = json_get(v, "app_home"), *bot = json_get(v, "bot_user");
    const struct json *commands = json_get(v, "slash_commands");
    json_obj(w, "features");
    if (home) {
        json_obj(w, "app_home");
        write_truths(w, home, tabs);
        json_end(w);
    }
    if (bot) {
        json_obj(w, "bot_user");
        write_rest(w, bot, online);
        write_truths(w, bot, online);
        json_end(w);
    }
    if (commands) {
        json_arr(w, "slash_commands");
        for (uint32_t i = 0; i < commands->n; i++) {
            json_obj(w, NULL);
            write_rest(w, &commands->items[i], escape);
            write_truths(w, &commands->items[i], escape);
            json_end(w);
        }
        json_end(w);
    }
    write_rest(w, v, made);
    json_end(w);
}

static void write_manifest(struct json_writer *w, const struct json *m, const struct json *before)
{
    static const char *const parts[] = {
        "_metadata", "display_information", "features", "oauth_config", "settings", NULL};
    static const char *const oauth[] = {"pkce_enabled", NULL};
    static const char *const settings[] = {
        "org_deploy_enabled",     "socket_mode_enabled",
        "token_rotation_enabled", "app_level_token_rotation_enabled",
        "is_mcp_enabled",         NULL};
    json_obj(w, NULL);
    if (json_get(m, "_metadata"))
        json_value(w, "_metadata", json_get(m, "_metadata"));
    write_display(w, json_get(m, "display_information"), before);
    if (json_get(m, "features"))
        write_features(w, json_get(m, "features"));
    json_obj(w, "oauth_config");
    write_rest(w, json_get(m, "oauth_config"), oauth);
    write_truths(w, json_get(m, "oauth_config"), oauth);
    json_end(w);
    json_obj(w, "settings");
    write_rest(w, json_get(m, "settings"), settings);
    write_truths(w, json_get(m, "settings"), settings);
    json_end(w);
    write_rest(w, m, parts);
    json_end(w);
}

const char *sl_manifest_take(struct tx *tx, struct buf *b)
{
    const char *text = buf_failed(b) ? NULL : arena_strdup(tx->arena, buf_str(b));
    buf_done(b);
    if (!text)
        (void)tx_fail(tx, SOSIA_E_TOO_LARGE, "manifest", NULL, "the manifest is too large");
    return text;
}

const char *sl_manifest_normal(struct tx *tx, const struct json *m, const struct json *before)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, SL_MANIFEST_MAX);
    json_init(&w, &b, false, NULL);
    write_manifest(&w, m, before);
    return sl_manifest_take(tx, &b);
}

/* ---- the setting ---- */

static void write_text(struct json_writer *w, const char *name, const struct json *object,
                       const char *member)
{
    const struct json *v = object && object->type == JSON_OBJECT ? json_get(object, member) : NULL;
    if (v && v->type == JSON_STRING && *v->str)
        json_str(w, name, v->str);
}

static void write_part(struct json_writer *w, const char *name, const struct json *object,
                       const char *member, enum json_type type)
{
    const struct json *v = object && object->type == JSON_OBJECT ? json_get(object, member) : NULL;
    if (v && v->type == type && v->n)
        json_value(w, name, v);
}

const char *sl_manifest_setting(struct tx *tx, const struct json *m)
{
    const struct json *settings = json_get(m, "settings"), *features = json_get(m, "features");
    const struct json *events = sl_manifest_part(m, "settings", "event_subscriptions");
    const struct json *clicks = sl_manifest_part(m, "settings", "interactivity");
    const struct json *home = sl_manifest_part(m, "features", "app_home");
    const struct json *hooks = sl_manifest_part(m, "settings", "incoming_webhooks");
    const struct json *work = sl_manifest_part(m, "features", "code_channels");
    const char *runtime = json_get_str(settings, "function_runtime");
    struct json_writer w;
    struct buf b;
    buf_init(&b, SL_MANIFEST_MAX);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    write_text(&w, "events_url", events, "request_url");
    write_part(&w, "bot_events", events, "bot_events", JSON_ARRAY);
    write_part(&w, "user_events", events, "user_events", JSON_ARRAY);
    write_part(&w, "metadata_events", events, "metadata_subscriptions", JSON_ARRAY);
    if (sl_manifest_truth(clicks, "is_enabled")) {
        json_bool(&w, "interactivity", true);
        write_text(&w, "interactivity_url", clicks, "request_url");
        write_text(&w, "options_url", clicks, "message_menu_options_url");
    }
    write_part(&w, "commands", features, "slash_commands", JSON_ARRAY);
    write_part(&w, "shortcuts", features, "shortcuts", JSON_ARRAY);
    write_part(&w, "unfurl_domains", features, "unfurl_domains", JSON_ARRAY);
    write_part(&w, "functions", m, "functions", JSON_OBJECT);
    write_part(&w, "events", m, "events", JSON_OBJECT);
    write_part(&w, "datastores", m, "datastores", JSON_OBJECT);
    write_part(&w, "workflows", m, "workflows", JSON_OBJECT);
    write_part(&w, "external_auth_providers", m, "external_auth_providers", JSON_OBJECT);
    json_bool_opt(&w, "home_tab", sl_manifest_truth(home, "home_tab_enabled"));
    json_bool_opt(&w, "messages_tab", sl_manifest_truth(home, "messages_tab_enabled"));
    json_bool_opt(&w, "messages_tab_read_only",
                  sl_manifest_truth(home, "messages_tab_read_only_enabled"));
    json_bool_opt(&w, "assistant",
                  sl_manifest_part(m, "features", "assistant_view") ||
                      sl_manifest_part(m, "features", "agent_view"));
    json_bool_opt(&w, "agent_channels", sl_manifest_truth(work, "enabled"));
    write_text(&w, "agent_commands_url", work, "slash_command_url");
    json_bool_opt(&w, "socket_mode", sl_manifest_truth(settings, "socket_mode_enabled"));
    json_bool_opt(&w, "token_rotation", sl_manifest_truth(settings, "token_rotation_enabled"));
    json_bool_opt(&w, "hosted", runtime && strcmp(runtime, "slack") == 0);
    json_bool_opt(&w, "pkce", sl_manifest_truth(json_get(m, "oauth_config"), "pkce_enabled"));
    json_bool_opt(&w, "org_deploy", sl_manifest_truth(settings, "org_deploy_enabled"));
    json_bool_opt(&w, "webhooks", sl_manifest_truth(hooks, "incoming_webhooks_enabled"));
    json_end(&w);
    return sl_manifest_take(tx, &b);
}

int sl_manifest_apply(struct tx *tx, struct ident_app *app, struct chat_app *a)
{
    const struct json *m;
    if (json_parse(tx->arena, a->manifest, strlen(a->manifest), NULL, &m, tx->err) < 0)
        return -1;
    const struct json *display = json_get(m, "display_information");
    const struct json *redirects = sl_manifest_part(m, "oauth_config", "redirect_urls");
    const char *name = display ? json_get_str(display, "name") : NULL;
    const char *description = display ? json_get_str(display, "description") : NULL;
    if (!(a->setting = sl_manifest_setting(tx, m)))
        return -1;
    if (name && *name)
        app->name = name;
    a->description = description ? description : "";
    if (redirects && redirects->type == JSON_ARRAY)
        app->redirects = redirects;
    if (!app->vendor)
        app->vendor = "slack";
    return app_save(tx, app) < 0 || chat_app_save(tx, a) < 0 ? -1 : chat_app_derive(tx, a);
}

/* kind: two letters. */
static const char *id_of_part(struct arena *a, const char *kind, const char *app_key,
                              const char *name)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    uint64_t n = chat_hash(arena_printf(a, "%s %s", app_key, name));
    char *text = arena_printf(a, "%s0000000000", kind);
    for (size_t i = 3; text[i]; i++, n /= 36)
        text[i] = digits[n % 36];
    return text;
}

const char *sl_function_id(struct arena *a, const char *app_key, const char *name)
{
    return id_of_part(a, "Fn", app_key, name);
}

const char *sl_workflow_id(struct arena *a, const char *app_key, const char *name)
{
    return id_of_part(a, "Wf", app_key, name);
}

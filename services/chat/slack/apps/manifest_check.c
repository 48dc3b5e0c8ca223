/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What manifests must keep to: types, members that are required, lengths and numbers of items as
 * docs.slack.dev has them, and what one part of a manifest asks of another. What no document gives
 * the words of is said in those that the service has for blocks.
 */
#include "engine/base/err.h"
#include "engine/base/codec.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/sl.h"
#include <ctype.h>

struct check {
    struct arena *arena;
    struct sl_faults *faults;
};

__attribute__((format(printf, 4, 5))) static void fault(struct check *k, const char *code,
                                                        const char *pointer, const char *fmt, ...)
{
    va_list ap;
    if (k->faults->n == SL_MAX_FAULTS)
        return;
    va_start(ap, fmt);
    k->faults->items[k->faults->n++] = (struct sl_fault){
        .code = code, .message = message_text(k->arena, fmt, ap), .pointer = pointer};
    va_end(ap);
}

/* ---- shapes ---- */

enum kind { TEXT, TRUTH, NUMBER, LIST, OBJECT, MAP, PARAMETERS };

struct shape {
    const char *name; /* NULL: the end of a list */
    enum kind kind;
    bool required;
    unsigned min, max; /* characters of a text, items of a list or map; 0: any */
    const struct shape
        *members; /* of an object; of the items of a list or map. NULL: of a list of texts */
    const char *const *values;      /* of a text; NULL: any */
    bool (*good)(const char *text); /* of a text; NULL: any is */
    const char *words;              /* what it must be */
};

static bool is_color(const char *text)
{
    size_t n = strlen(text);
    return text[0] == '#' && (n == 4 || n == 7) &&
           strspn(text + 1, "0123456789abcdefABCDEF") == n - 1;
}

static bool is_address(const char *text)
{
    return (str_starts(text, "https://") || str_starts(text, "http://")) &&
           text[strcspn(text, "/") + 2] && !text[strcspn(text, " \t\r\n\"<>\\")];
}

static bool is_command(const char *text)
{
    return text[0] == '/' && text[1] && !text[strcspn(text, " \t\r\n")];
}

/* An address that a browser is sent to: a program's own scheme will do. */
static bool is_redirect(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127 || *p == '#' || *p == '\\')
            return false;
    return n && strncmp(text + n, "://", 3) == 0 && text[n + 3];
}

static const struct shape metadata[] = {
    {.name = "major_version", .kind = NUMBER}, {.name = "minor_version", .kind = NUMBER}, {0}};

static const struct shape display[] = {
    {.name = "name", .kind = TEXT, .required = true, .min = 1, .max = 35},
    {.name = "description", .kind = TEXT, .max = 140},
    {.name = "long_description", .kind = TEXT, .max = 4000},
    {.name = "background_color", .kind = TEXT, .good = is_color, .words = "a hex color"},
    {0}};

static const struct shape app_home[] = {{.name = "home_tab_enabled", .kind = TRUTH},
                                        {.name = "messages_tab_enabled", .kind = TRUTH},
                                        {.name = "messages_tab_read_only_enabled", .kind = TRUTH},
                                        {0}};
static const struct shape prompt[] = {{.name = "title", .kind = TEXT, .required = true, .min = 1},
                                      {.name = "message", .kind = TEXT, .required = true, .min = 1},
                                      {0}};
static const struct shape action[] = {
    {.name = "name", .kind = TEXT, .required = true, .min = 1},
    {.name = "description", .kind = TEXT, .required = true, .min = 1},
    {0}};
static const struct shape agent_view[] = {
    {.name = "agent_description", .kind = TEXT, .max = 300},
    {.name = "suggested_prompts", .kind = LIST, .max = 4, .members = prompt},
    {.name = "actions", .kind = LIST, .members = action},
    {0}};
static const struct shape assistant_view[] = {
    {.name = "assistant_description", .kind = TEXT, .required = true, .min = 1, .max = 300},
    {.name = "suggested_prompts", .kind = LIST, .members = prompt},
    {0}};
static const struct shape bot_user[] = {
    {.name = "display_name", .kind = TEXT, .required = true, .min = 1, .max = 80},
    {.name = "always_online", .kind = TRUTH},
    {0}};

static const struct shape code_channels[] = {
    {.name = "enabled", .kind = TRUTH},
    {.name = "slash_command_url", .kind = TEXT, .max = 3000, .good = is_address, .words = "a URL"},
    {0}};

static const char *const shortcut_types[] = {"global", "message", NULL};
static const struct shape shortcut[] = {
    {.name = "type", .kind = TEXT, .required = true, .values = shortcut_types},
    {.name = "name", .kind = TEXT, .required = true, .min = 1, .max = 24},
    {.name = "callback_id", .kind = TEXT, .required = true, .min = 1, .max = 255},
    {.name = "description", .kind = TEXT, .required = true, .min = 1, .max = 150},
    {0}};
static const struct shape command[] = {
    {.name = "command",
     .kind = TEXT,
     .required = true,
     .max = 32,
     .good = is_command,
     .words = "a name that begins with /"},
    {.name = "description", .kind = TEXT, .required = true, .min = 1, .max = 2000},
    {.name = "usage_hint", .kind = TEXT, .max = 1000},
    {.name = "url", .kind = TEXT, .good = is_address, .words = "a URL"},
    {.name = "should_escape", .kind = TRUTH},
    {0}};
static const struct shape workflow_step[] = {
    {.name = "name", .kind = TEXT, .required = true, .min = 1, .max = 50},
    {.name = "callback_id", .kind = TEXT, .required = true, .min = 1, .max = 50},
    {0}};

static const struct shape features[] = {
    {.name = "agent_view", .kind = OBJECT, .members = agent_view},
    {.name = "app_home", .kind = OBJECT, .members = app_home},
    {.name = "assistant_view", .kind = OBJECT, .members = assistant_view},
    {.name = "bot_user", .kind = OBJECT, .members = bot_user},
    {.name = "code_channels", .kind = OBJECT, .members = code_channels},
    {.name = "shortcuts", .kind = LIST, .min = 1, .max = 10, .members = shortcut},
    {.name = "slash_commands", .kind = LIST, .min = 1, .max = 50, .members = command},
    {.name = "unfurl_domains", .kind = LIST, .max = 5},
    {.name = "workflow_steps", .kind = LIST, .max = 10, .members = workflow_step},
    {0}};

static const struct shape scopes[] = {{.name = "bot", .kind = LIST, .max = 255},
                                      {.name = "user", .kind = LIST, .max = 255},
                                      {.name = "bot_optional", .kind = LIST, .max = 255},
                                      {.name = "user_optional", .kind = LIST, .max = 255},
                                      {0}};
static const struct shape oauth_config[] = {
    {.name = "redirect_urls", .kind = LIST, .max = 1000, .good = is_redirect, .words = "a URL"},
    {.name = "scopes", .kind = OBJECT, .members = scopes},
    {.name = "token_management_enabled", .kind = TRUTH},
    {.name = "pkce_enabled", .kind = TRUTH},
    {0}};

static const struct shape metadata_subscription[] = {
    {.name = "app_id", .kind = TEXT, .required = true, .min = 1},
    {.name = "event_type", .kind = TEXT, .required = true, .min = 1},
    {0}};
static const struct shape subscriptions[] = {
    {.name = "request_url", .kind = TEXT, .good = is_address, .words = "a URL"},
    {.name = "bot_events", .kind = LIST, .max = 100},
    {.name = "user_events", .kind = LIST, .max = 100},
    {.name = "metadata_subscriptions",
     .kind = LIST,
     .min = 1,
     .max = 20,
     .members = metadata_subscription},
    {0}};
static const struct shape interactivity[] = {
    {.name = "is_enabled", .kind = TRUTH, .required = true},
    {.name = "request_url", .kind = TEXT, .good = is_address, .words = "a URL"},
    {.name = "message_menu_options_url", .kind = TEXT, .good = is_address, .words = "a URL"},
    {0}};
static const struct shape incoming_webhooks[] = {
    {.name = "incoming_webhooks_enabled", .kind = TRUTH}, {0}};
static const struct shape settings[] = {
    {.name = "allowed_ip_address_ranges", .kind = LIST, .max = 50},
    {.name = "event_subscriptions", .kind = OBJECT, .members = subscriptions},
    {.name = "incoming_webhooks", .kind = OBJECT, .members = incoming_webhooks},
    {.name = "interactivity", .kind = OBJECT, .members = interactivity},
    {.name = "org_deploy_enabled", .kind = TRUTH},
    {.name = "socket_mode_enabled", .kind = TRUTH},
    {.name = "token_rotation_enabled", .kind = TRUTH},
    {.name = "app_level_token_rotation_enabled", .kind = TRUTH},
    {.name = "is_hosted", .kind = TRUTH},
    {.name = "is_mcp_enabled", .kind = TRUTH},
    {.name = "function_runtime", .kind = TEXT},
    {.name = "hermes_app_type", .kind = TEXT},
    {0}};

static const struct shape property[] = {{.name = "type", .kind = TEXT, .required = true, .min = 1},
                                        {.name = "description", .kind = TEXT},
                                        {.name = "title", .kind = TEXT},
                                        {.name = "hint", .kind = TEXT},
                                        {0}};
static const struct shape parameters[] = {
    {.name = "properties", .kind = MAP, .required = true, .max = 50, .members = property},
    {.name = "required", .kind = LIST},
    {0}};
static const struct shape function[] = {
    {.name = "title", .kind = TEXT, .required = true, .min = 1},
    {.name = "description", .kind = TEXT},
    {.name = "input_parameters", .kind = PARAMETERS, .required = true},
    {.name = "output_parameters", .kind = PARAMETERS, .required = true},
    {0}};
static const struct shape event[] = {
    {.name = "title", .kind = TEXT},
    {.name = "description", .kind = TEXT},
    {.name = "type", .kind = TEXT, .required = true, .min = 1},
    {.name = "properties", .kind = MAP, .max = 50, .members = property},
    {.name = "required", .kind = LIST},
    {.name = "additionalProperties", .kind = TRUTH},
    {0}};

static const struct shape datastore[] = {
    {.name = "primary_key", .kind = TEXT, .required = true, .min = 1},
    {.name = "attributes", .kind = MAP, .required = true, .members = property},
    {.name = "time_to_live_attribute", .kind = TEXT, .min = 1},
    {0}};

static const struct shape flow_step[] = {
    {.name = "id", .kind = TEXT, .required = true, .min = 1},
    {.name = "function_id", .kind = TEXT, .required = true, .min = 1},
    {0}};
static const struct shape workflow[] = {{.name = "title", .kind = TEXT, .required = true, .min = 1},
                                        {.name = "description", .kind = TEXT},
                                        {.name = "steps", .kind = LIST, .members = flow_step},
                                        {0}};

static const struct shape whole[] = {
    {.name = "_metadata", .kind = OBJECT, .members = metadata},
    {.name = "display_information", .kind = OBJECT, .required = true, .members = display},
    {.name = "features", .kind = OBJECT, .members = features},
    {.name = "oauth_config", .kind = OBJECT, .members = oauth_config},
    {.name = "settings", .kind = OBJECT, .members = settings},
    {.name = "functions", .kind = MAP, .members = function},
    {.name = "events", .kind = MAP, .members = event},
    {.name = "datastores", .kind = MAP, .members = datastore},
    {.name = "workflows", .kind = MAP, .members = workflow},
    {0}};

static void match_members(struct check *k, const struct shape *shapes, const struct json *v,
                          const char *at);

static void check_text(struct check *k, const struct shape *s, const struct json *v, const char *at)
{
    if (v->type != JSON_STRING) {
        fault(k, NULL, at, "must provide a string");
        return;
    }
    size_t n = sl_characters(v->str);
    if (s->max && n > s->max)
        fault(k, NULL, at, "must be less than %u characters", s->max + 1);
    else if (n < s->min)
        fault(k, NULL, at, "must be more than %u characters", s->min - 1);
    else if (s->good && !s->good(v->str))
        fault(k, NULL, at, "must be %s", s->words);
    for (size_t i = 0; s->values; i++) {
        if (s->values[i] && strcmp(s->values[i], v->str) != 0)
            continue;
        if (!s->values[i])
            fault(k, NULL, at, "must be a valid enum value");
        return;
    }
}

static void check_items(struct check *k, const struct shape *s, const struct json *v,
                        const char *at)
{
    struct shape item = {.name = "", .kind = TEXT, .min = 1, .good = s->good, .words = s->words};
    if (v->type != JSON_ARRAY) {
        fault(k, NULL, at, "must provide an array");
        return;
    }
    if (s->max && v->n > s->max)
        fault(k, NULL, at, "no more than %u items allowed", s->max);
    if (v->n < s->min)
        fault(k, NULL, at, "no less than %u items allowed", s->min);
    for (uint32_t i = 0; i < v->n && k->faults->n < SL_MAX_FAULTS; i++) {
        const char *place = arena_printf(k->arena, "%s/%u", at, i);
        if (s->members)
            match_members(k, s->members, &v->items[i], place);
        else
            check_text(k, &item, &v->items[i], place);
    }
}

static void check_map(struct check *k, const struct shape *s, const struct json *v, const char *at)
{
    if (v->type != JSON_OBJECT) {
        fault(k, NULL, at, "must provide an object");
        return;
    }
    if (s->max && v->n > s->max)
        fault(k, NULL, at, "no more than %u items allowed", s->max);
    for (uint32_t i = 0; i < v->n && k->faults->n < SL_MAX_FAULTS; i++)
        match_members(k, s->members, &v->members[i].value,
                      arena_printf(k->arena, "%s/%s", at, v->members[i].key));
}

/* By their names, or as "properties" with what is required. */
static void check_declared(struct check *k, const struct json *v, const char *at)
{
    static const struct shape flat = {.name = "", .kind = MAP, .max = 50, .members = property};
    const struct json *properties = json_get(v, "properties");
    if (properties && !json_get_str(properties, "type"))
        match_members(k, parameters, v, at);
    else
        check_map(k, &flat, v, at);
}

static void match_value(struct check *k, const struct shape *s, const struct json *v,
                        const char *at)
{
    switch (s->kind) {
    case TEXT:
        check_text(k, s, v, at);
        break;
    case TRUTH:
        if (v->type != JSON_BOOL)
            fault(k, NULL, at, "must provide a boolean");
        break;
    case NUMBER:
        if (v->type != JSON_NUMBER)
            fault(k, NULL, at, "must provide an integer");
        break;
    case LIST:
        check_items(k, s, v, at);
        break;
    case OBJECT:
        match_members(k, s->members, v, at);
        break;
    case MAP:
        check_map(k, s, v, at);
        break;
    case PARAMETERS:
        check_declared(k, v, at);
    }
}

/* Members that no document names are left alone. */
static void match_members(struct check *k, const struct shape *shapes, const struct json *v,
                          const char *at)
{
    if (v->type != JSON_OBJECT) {
        fault(k, NULL, *at ? at : "/", "must provide an object");
        return;
    }
    for (const struct shape *s = shapes; s->name; s++) {
        const struct json *value = json_get(v, s->name);
        if (value)
            match_value(k, s, value, arena_printf(k->arena, "%s/%s", at, s->name));
        else if (s->required)
            fault(k, NULL, *at ? at : "/", "missing required field: %s", s->name);
    }
}

/* ---- what one part asks of another ---- */

static void check_scopes(struct check *k, const struct json *list, bool bot, const char *pointer)
{
    struct buf bad;
    buf_init(&bad, 0);
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *scope = list->items[i].str;
        if (slack_is_scope(scope, strlen(scope), bot))
            continue;
        buf_printf(&bad, "%s%s", bad.len ? "," : "", scope);
    }
    if (bad.len)
        fault(k, bot ? "illegal_bot_scopes" : "illegal_user_scopes", pointer,
              "Illegal %s scopes found `%s`", bot ? "bot" : "user", buf_str(&bad));
    buf_done(&bad);
}

static bool has_text(const struct json *list, const char *text)
{
    for (uint32_t i = 0; list && i < list->n; i++)
        if (strcmp(list->items[i].str, text) == 0)
            return true;
    return false;
}

/* One of the scopes that are separated by spaces. */
static bool has_one(struct check *k, const struct json *list, const char *alternatives)
{
    while (*alternatives) {
        size_t n = strcspn(alternatives, " ");
        if (has_text(list, arena_memdup(k->arena, alternatives, n)))
            return true;
        alternatives += n + strspn(alternatives + n, " ");
    }
    return false;
}

static void check_events(struct check *k, const struct json *events, const struct json *granted,
                         bool bot)
{
    const char *kind = bot ? "bot" : "user", *needed;
    const char *pointer = arena_printf(k->arena, "/settings/event_subscriptions/%s_events", kind);
    for (uint32_t i = 0; events && i < events->n; i++) {
        const char *name = events->items[i].str;
        if (!sl_event_scopes(name, &needed))
            fault(k, "illegal_events", pointer, "Illegal %s events found `%s`", kind, name);
        else if (*needed && !has_one(k, granted, needed))
            fault(k, "missing_scopes", pointer, "Event `%s` requires one of the %s scopes `%s`",
                  name, kind, needed);
    }
}

static void check_subscriptions(struct check *k, const struct json *m, bool socket)
{
    const struct json *events = sl_manifest_part(m, "settings", "event_subscriptions");
    const struct json *granted = sl_manifest_part(m, "oauth_config", "scopes");
    if (!events)
        return;
    const struct json *bot = json_get(events, "bot_events");
    if (!json_get(events, "request_url") && !socket)
        fault(k, NULL, "/settings/event_subscriptions",
              "Event Subscription requires either Request URL or Socket Mode Enabled");
    if (bot && bot->n && !sl_manifest_part(m, "oauth_config", "scopes")) {
        fault(k, "target_component_is_null", "/settings/event_subscriptions",
              "Event Subscription requires scopes");
        return;
    }
    check_events(k, bot, json_get(granted, "bot"), true);
    check_events(k, json_get(events, "user_events"), json_get(granted, "user"), false);
}

static void check_interactivity(struct check *k, const struct json *m, bool socket)
{
    const struct json *v = sl_manifest_part(m, "settings", "interactivity");
    if (!v || !sl_manifest_truth(v, "is_enabled") || json_get(v, "request_url") || socket)
        return;
    fault(k, NULL, "/settings/interactivity", "Interactivity requires a Request URL");
    fault(k, NULL, "/settings/interactivity", "Interactivity requires Socket Mode enabled");
}

static void check_features(struct check *k, const struct json *m, bool socket)
{
    const struct json *bot = json_get(sl_manifest_part(m, "oauth_config", "scopes"), "bot");
    const struct json *commands = sl_manifest_part(m, "features", "slash_commands");
    const struct json *shortcuts = sl_manifest_part(m, "features", "shortcuts");
    if (sl_manifest_part(m, "features", "bot_user") && (!bot || !bot->n))
        fault(k, "requires_a_bot_scope", "/features/bot_user", "Bot user requires a bot scope");
    for (uint32_t i = 0; commands && i < commands->n; i++)
        if (!json_get(&commands->items[i], "url") && !socket)
            fault(k, NULL, arena_printf(k->arena, "/features/slash_commands/%u", i),
                  "Slash Command requires either Request URL or Socket Mode Enabled");
    if (((commands && commands->n) || (shortcuts && shortcuts->n)) && !has_text(bot, "commands"))
        fault(k, "requires_commands_scope",
              commands && commands->n ? "/features/slash_commands" : "/features/shortcuts",
              "%s require the bot scope `commands`",
              commands && commands->n ? "Slash Commands" : "Shortcuts");
}

/* Those of the vendor's own runtime are run by the service itself. */
static void check_functions(struct check *k, const struct json *m)
{
    const struct json *functions = json_get(m, "functions");
    const struct json *events = sl_manifest_part(m, "settings", "event_subscriptions");
    const struct json *runs = sl_manifest_part(m, "settings", "function_runtime");
    const char *runtime = runs ? runs->str : NULL;
    if (functions && functions->n && !(runtime && strcmp(runtime, "slack") == 0) &&
        !has_text(json_get(events, "bot_events"), SL_FUNCTION_EVENT))
        fault(k, NULL, "/functions", "Functions require the bot event `%s`", SL_FUNCTION_EVENT);
}

/* Its key and what says when an item goes are attributes that it has. */
static void check_datastores(struct check *k, const struct json *m)
{
    static const char *const named[] = {"primary_key", "time_to_live_attribute"};
    const struct json *all = json_get(m, "datastores");
    for (uint32_t i = 0; all && i < all->n; i++) {
        const struct json *v = &all->members[i].value;
        for (size_t n = 0; n < SOSIA_LEN(named); n++) {
            const char *name = json_get_str(v, named[n]);
            if (name && !json_get(json_get(v, "attributes"), name))
                fault(k, NULL,
                      arena_printf(k->arena, "/datastores/%s/%s", all->members[i].key, named[n]),
                      "must be one of the attributes");
        }
    }
}

void sl_manifest_check(struct arena *a, const struct json *m, struct sl_faults *ret)
{
    struct check k = {.arena = a, .faults = ret};
    ret->n = 0;
    match_members(&k, whole, m, "");
    if (ret->n) /* what follows relies on types */
        return;
    const struct json *granted = sl_manifest_part(m, "oauth_config", "scopes");
    bool socket = sl_manifest_truth(json_get(m, "settings"), "socket_mode_enabled");
    check_scopes(&k, json_get(granted, "bot"), true, "/oauth_config/scopes/bot");
    check_scopes(&k, json_get(granted, "user"), false, "/oauth_config/scopes/user");
    check_scopes(&k, json_get(granted, "bot_optional"), true, "/oauth_config/scopes/bot_optional");
    check_scopes(&k, json_get(granted, "user_optional"), false,
                 "/oauth_config/scopes/user_optional");
    check_features(&k, m, socket);
    check_subscriptions(&k, m, socket);
    check_interactivity(&k, m, socket);
    check_functions(&k, m);
    check_datastores(&k, m);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What manifests must keep to: types, members that are required, lengths and numbers of items as
 * docs.slack.dev has them, and what one part of a manifest asks of another. What no document gives
 * the words of is said in those that the service has for blocks.
 */
#include "engine/base/err.h"
#include "engine/base/codec.h"
#include "services/chat/slack/apps/manifest.h"
#include "services/chat/slack/fault.h"
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

/* ---- schemas ---- */

#define TEXT          "string", .characters = true
#define FILLED        TEXT, .min = 1
#define TEXTS         FILLED, .list = true
#define TRUTH         "boolean"
#define URL           TEXT, .format = "url", .text = "must be a URL"
#define OBJECT(table) "object", .fields = (table), .n_fields = SOSIA_LEN(table)
#define LIST(table)   OBJECT(table), .list = true
#define MAP(table)    OBJECT(table), .map = true
#define NEEDED        .required = true
enum { DECLARED = 1 }; /* mark of a function's parameters */

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

static const struct field metadata[] = {{"major_version", "number"}, {"minor_version", "number"}};

static const struct field display[] = {
    {"name", FILLED, NEEDED, .max = 35},
    {"description", TEXT, .max = 140},
    {"long_description", TEXT, .max = 4000},
    {"background_color", TEXT, .format = "color", .text = "must be a hex color"}};

static const struct field app_home[] = {{"home_tab_enabled", TRUTH},
                                        {"messages_tab_enabled", TRUTH},
                                        {"messages_tab_read_only_enabled", TRUTH}};
static const struct field prompt[] = {{"title", FILLED, NEEDED}, {"message", FILLED, NEEDED}};
static const struct field action[] = {{"name", FILLED, NEEDED}, {"description", FILLED, NEEDED}};
static const struct field agent_view[] = {{"agent_description", TEXT, .max = 300},
                                          {"suggested_prompts", LIST(prompt), .most = 4},
                                          {"actions", LIST(action)}};
static const struct field assistant_view[] = {{"assistant_description", FILLED, NEEDED, .max = 300},
                                              {"suggested_prompts", LIST(prompt)}};
static const struct field bot_user[] = {{"display_name", FILLED, NEEDED, .max = 80},
                                        {"always_online", TRUTH}};

static const struct field code_channels[] = {{"enabled", TRUTH},
                                             {"slash_command_url", URL, .max = 3000}};

static const char *const shortcut_types[] = {"global", "message", NULL};
static const struct field shortcut[] = {{"type", TEXT, NEEDED, .values = shortcut_types},
                                        {"name", FILLED, NEEDED, .max = 24},
                                        {"callback_id", FILLED, NEEDED, .max = 255},
                                        {"description", FILLED, NEEDED, .max = 150}};
static const struct field command[] = {{"command", TEXT, NEEDED, .max = 32, .format = "command",
                                        .text = "must be a name that begins with /"},
                                       {"description", FILLED, NEEDED, .max = 2000},
                                       {"usage_hint", TEXT, .max = 1000},
                                       {"url", URL},
                                       {"should_escape", TRUTH}};
static const struct field workflow_step[] = {{"name", FILLED, NEEDED, .max = 50},
                                             {"callback_id", FILLED, NEEDED, .max = 50}};

static const struct field features[] = {{"agent_view", OBJECT(agent_view)},
                                        {"app_home", OBJECT(app_home)},
                                        {"assistant_view", OBJECT(assistant_view)},
                                        {"bot_user", OBJECT(bot_user)},
                                        {"code_channels", OBJECT(code_channels)},
                                        {"shortcuts", LIST(shortcut), .least = 1, .most = 10},
                                        {"slash_commands", LIST(command), .least = 1, .most = 50},
                                        {"unfurl_domains", TEXTS, .most = 5},
                                        {"workflow_steps", LIST(workflow_step), .most = 10}};

static const struct field scopes[] = {{"bot", TEXTS, .most = 255},
                                      {"user", TEXTS, .most = 255},
                                      {"bot_optional", TEXTS, .most = 255},
                                      {"user_optional", TEXTS, .most = 255}};
static const struct field oauth_config[] = {
    {"redirect_urls", TEXTS, .most = 1000, .format = "redirect", .text = "must be a URL"},
    {"scopes", OBJECT(scopes)},
    {"token_management_enabled", TRUTH},
    {"pkce_enabled", TRUTH}};

static const struct field metadata_subscription[] = {{"app_id", FILLED, NEEDED},
                                                     {"event_type", FILLED, NEEDED}};
static const struct field subscriptions[] = {
    {"request_url", URL},
    {"bot_events", TEXTS, .most = 100},
    {"user_events", TEXTS, .most = 100},
    {"metadata_subscriptions", LIST(metadata_subscription), .least = 1, .most = 20}};
static const struct field interactivity[] = {
    {"is_enabled", TRUTH, NEEDED}, {"request_url", URL}, {"message_menu_options_url", URL}};
static const struct field incoming_webhooks[] = {{"incoming_webhooks_enabled", TRUTH}};
static const struct field settings[] = {{"allowed_ip_address_ranges", TEXTS, .most = 50},
                                        {"event_subscriptions", OBJECT(subscriptions)},
                                        {"incoming_webhooks", OBJECT(incoming_webhooks)},
                                        {"interactivity", OBJECT(interactivity)},
                                        {"org_deploy_enabled", TRUTH},
                                        {"socket_mode_enabled", TRUTH},
                                        {"token_rotation_enabled", TRUTH},
                                        {"app_level_token_rotation_enabled", TRUTH},
                                        {"is_hosted", TRUTH},
                                        {"is_mcp_enabled", TRUTH},
                                        {"function_runtime", TEXT},
                                        {"hermes_app_type", TEXT}};

static const struct field property[] = {
    {"type", FILLED, NEEDED}, {"description", TEXT}, {"title", TEXT}, {"hint", TEXT}};
static const struct field parameters[] = {{"properties", MAP(property), NEEDED, .most = 50},
                                          {"required", TEXTS}};
static const struct field function[] = {
    {"title", FILLED, NEEDED},
    {"description", TEXT},
    {"input_parameters", OBJECT(parameters), .mark = DECLARED, NEEDED},
    {"output_parameters", OBJECT(parameters), .mark = DECLARED, NEEDED}};
static const struct field event[] = {
    {"title", TEXT},          {"description", TEXT},
    {"type", FILLED, NEEDED}, {"properties", MAP(property), .most = 50},
    {"required", TEXTS},      {"additionalProperties", TRUTH}};

static const struct field datastore[] = {{"primary_key", FILLED, NEEDED},
                                         {"attributes", MAP(property), NEEDED},
                                         {"time_to_live_attribute", FILLED}};

static const struct field flow_step[] = {{"id", FILLED, NEEDED}, {"function_id", FILLED, NEEDED}};
static const struct field workflow[] = {
    {"title", FILLED, NEEDED}, {"description", TEXT}, {"steps", LIST(flow_step)}};

static const struct field whole[] = {
    {"_metadata", OBJECT(metadata)}, {"display_information", OBJECT(display), NEEDED},
    {"features", OBJECT(features)},  {"oauth_config", OBJECT(oauth_config)},
    {"settings", OBJECT(settings)},  {"functions", MAP(function)},
    {"events", MAP(event)},          {"datastores", MAP(datastore)},
    {"workflows", MAP(workflow)}};

const struct field sl_manifest_field = {"manifest", OBJECT(whole)};

static enum body_fault check_scalar(struct call *c, const struct field *f, struct json *v)
{
    static const struct {
        const char *format;
        bool (*is_good)(const char *text);
    } formats[] = {{"color", is_color},
                   {"command", is_command},
                   {"redirect", is_redirect},
                   {"url", is_address}};
    enum body_fault fault = BODY_SOUND;
    if (*f->type == 'n')
        return v->type == JSON_NUMBER ? fault : BODY_TYPE;
    fault = body_scalar(c, f, v);
    for (size_t i = 0; !fault && f->format && i < SOSIA_LEN(formats); i++)
        if (strcmp(formats[i].format, f->format) == 0 && !formats[i].is_good(v->str))
            fault = BODY_FORMAT;
    return fault;
}

/* What the document has other words for than those for blocks. */
static enum body_verdict check_fault(struct call *c, const struct body_report *r)
{
    bool is_type = r->fault == BODY_TYPE || r->fault == BODY_LIST;
    const struct body_place *at;
    struct check *k = r->arg;
    (void)c;
    const char *words = sl_fault_words(k->arena, r, &at);
    if (r->fault == BODY_FEW)
        words = arena_printf(k->arena, "no less than %u items allowed", r->field->least);
    else if (is_type && *r->field->type == 'n')
        words = "must provide an integer";
    else if (is_type && *r->field->type == 'b')
        words = "must provide a boolean";
    fault(k, NULL, at ? sl_pointer(k->arena, "", at, SIZE_MAX) : "/", "%s", words);
    return k->faults->n < SL_MAX_FAULTS ? BODY_TAKE : BODY_REFUSE;
}

static const struct body_rules rules;

/* Parameters by their names, or as "properties" with what is required. */
static bool check_declared(struct call *c, const struct field *f, struct json *v,
                           const struct body_place *at, void *arg)
{
    static const struct field by_name = {"", MAP(property), .most = 50};
    const struct json *properties = json_get(v, "properties");
    if (f->mark != DECLARED || (properties && !json_get_str(properties, "type")))
        return false;
    struct field flat = by_name;
    flat.name = f->name;
    body_check_value(c, &flat, v, &rules, at, arg);
    return true;
}

/* Members that no document names are left alone. */
static const struct body_rules rules = {.scalar = check_scalar,
                                        .fault = check_fault,
                                        .own = check_declared,
                                        .order = BODY_AS_TABLED,
                                        .nulls = true};

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
    body_check_value(NULL, &sl_manifest_field, (struct json *)(uintptr_t)m, &rules, NULL, &k);
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

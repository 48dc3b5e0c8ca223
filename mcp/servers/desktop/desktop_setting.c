/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of "desktop-commander". They are the world's: the member "desktop" of the section
 * "programs" of its document. */
#include "mcp/servers/desktop/desktop.h"
#include "services/workspace/core/setting.h"
#include <strings.h>

static const char *const usual_blocked[] = {
    "mkfs",     "format",   "mount",    "umount",   "fdisk",   "dd",      "parted",
    "diskpart", "sudo",     "su",       "passwd",   "adduser", "useradd", "usermod",
    "groupadd", "chsh",     "visudo",   "shutdown", "reboot",  "halt",    "poweroff",
    "init",     "iptables", "firewall", "netsh",    "sfc",     "bcdedit", "reg",
    "net",      "sc",       "runas",    "cipher",   "takeown"};
static const char *const usual_allowed[] = {WORKSPACE_ROOT};
#define USUAL_SHELL "/bin/bash"
#define VERSION     "0.2.52"

enum kind { LIST, TEXT, NUMBER, TRUTH };
/* In the order in which the original shows them. */
static const struct setting {
    const char *name;
    enum kind kind;
} settings[] = {{"blockedCommands", LIST},      {"defaultShell", TEXT},
                {"allowedDirectories", LIST},   {"telemetryEnabled", TRUTH},
                {"fileWriteLineLimit", NUMBER}, {"fileReadLineLimit", NUMBER}};

/* ---- reading ---- */

/* The texts of a list that is set; else the usual ones. */
static int list_of(struct call *c, const struct json *v, const char *const *usual, size_t n_usual,
                   const char *const **ret, size_t *ret_n)
{
    *ret = usual;
    *ret_n = n_usual;
    if (!v || v->type != JSON_ARRAY)
        return 0;
    const char **list = arena_calloc(c->tx.arena, v->n + 1, sizeof *list);
    for (uint32_t i = 0; list && i < v->n; i++)
        list[i] = v->items[i].type == JSON_STRING ? v->items[i].str : "";
    *ret = list;
    *ret_n = v->n;
    return list ? 0 : sosia_fail_memory(c->tx.err);
}

int desktop_settings(struct call *c, struct desktop_settings *ret)
{
    const struct json *v;
    if (workspace_desktop(&c->tx, &v) < 0)
        return -1;
    const char *shell = json_get_str(v, "defaultShell");
    *ret =
        (struct desktop_settings){.shell = shell && *shell ? shell : USUAL_SHELL,
                                  .written = json_get_int(v, "fileWriteLineLimit", DESKTOP_WRITTEN),
                                  .read = json_get_int(v, "fileReadLineLimit", DESKTOP_LINES)};
    return list_of(c, json_get(v, "blockedCommands"), usual_blocked, SOSIA_LEN(usual_blocked),
                   &ret->blocked, &ret->n_blocked) < 0 ||
                   list_of(c, json_get(v, "allowedDirectories"), usual_allowed,
                           SOSIA_LEN(usual_allowed), &ret->allowed, &ret->n_allowed) < 0
               ? -1
               : 0;
}

static bool is_below(const char *path, const char *dir)
{
    size_t n = strlen(dir);
    while (n && dir[n - 1] == '/')
        n--;
    return strncmp(path, dir, n) == 0 && (!path[n] || path[n] == '/');
}

/* Where what is there really is, behind all links, is looked at; of what is not there its name is,
 * as the original has it. 1: it may be reached; 0; -1. */
static int is_allowed(struct call *c, const struct desktop_settings *set, const char *inside)
{
    struct workspace_place at;
    if (!inside || !set->n_allowed || set->allowed == usual_allowed)
        return inside != NULL;
    int r = workspace_resolve(&c->tx, inside, true, &at);
    if (r < 0 && !c->tx.err->reason)
        return -1;
    *c->tx.err = (struct sosia_err){0};
    const char *path = workspace_absolute(c->tx.arena, r == 1 ? at.path : inside);
    bool allowed = false;
    for (size_t i = 0; !allowed && i < set->n_allowed; i++)
        allowed = is_below(path, workspace_absolute(c->tx.arena, set->allowed[i]));
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : allowed;
}

int desktop_inside(struct call *c, const char *text, const char **ret, const char **ret_why)
{
    const char *absolute = workspace_absolute(c->tx.arena, text);
    struct desktop_settings set;
    struct buf b;
    *ret = workspace_inside(absolute);
    if (desktop_settings(c, &set) < 0)
        return -1;
    int allowed = is_allowed(c, &set, *ret);
    if (allowed)
        return allowed;
    buf_init(&b, 0);
    buf_printf(&b, "Path not allowed: %s. Must be within one of these directories: ", text);
    for (size_t i = 0; i < set.n_allowed; i++)
        buf_printf(&b, "%s%s", i ? ", " : "", set.allowed[i]);
    if (!set.n_allowed)
        buf_puts(&b, WORKSPACE_ROOT);
    *ret_why = buf_keep(&b, c->tx.arena);
    return *ret_why ? 0 : sosia_fail_memory(c->tx.err);
}

/* ---- the tools ---- */

static void put_list(struct json_writer *w, const char *name, const char *const *list, size_t n)
{
    json_arr(w, name);
    for (size_t i = 0; i < n; i++)
        json_str(w, NULL, list[i]);
    json_end(w);
}

static void put_setting(struct json_writer *w, const char *name, const struct json *set)
{
    const struct json *v = json_get(set, name);
    if (v)
        json_value(w, name, v);
    else if (strcmp(name, "blockedCommands") == 0)
        put_list(w, name, usual_blocked, SOSIA_LEN(usual_blocked));
    else if (strcmp(name, "allowedDirectories") == 0)
        put_list(w, name, usual_allowed, SOSIA_LEN(usual_allowed));
    else if (strcmp(name, "defaultShell") == 0)
        json_str(w, name, USUAL_SHELL);
    else if (strcmp(name, "telemetryEnabled") == 0)
        json_bool(w, name, false);
    else
        json_int(w, name, name[4] == 'W' ? DESKTOP_WRITTEN : DESKTOP_LINES);
}

/* All of them as JSON with indentation. */
static int put_settings(struct call *c, struct buf *b)
{
    struct json_writer w;
    const struct json *set;
    if (workspace_desktop(&c->tx, &set) < 0)
        return -1;
    json_init(&w, b, true, NULL);
    json_obj(&w, NULL);
    for (size_t i = 0; i < SOSIA_LEN(settings); i++)
        put_setting(&w, settings[i].name, set);
    json_str(&w, "version", VERSION);
    json_end(&w);
    server_trim(b);
    return 0;
}

int desktop_config(struct call *c)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "Current configuration:\n");
    int r = put_settings(c, &b);
    if (r == 0)
        r = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return r;
}

/* A text that has JSON is that; a list that is one text is a list of it; a truth may be a text. 1;
 * 0: it is not what the setting takes; -1. */
static int value_of(struct call *c, enum kind kind, const struct json *v, const struct json **ret)
{
    struct sosia_err ignored;
    const struct json *parsed = NULL;
    *ret = v;
    if (v->type == JSON_STRING && (*v->str == '[' || *v->str == '{') &&
        json_parse(c->tx.arena, v->str, v->n, NULL, &parsed, &ignored) == 0)
        *ret = parsed;
    if (kind == LIST && (*ret)->type != JSON_ARRAY) {
        struct json *one = arena_calloc(c->tx.arena, 1, sizeof *one),
                    *list = arena_calloc(c->tx.arena, 1, sizeof *list);
        if (!one || !list)
            return sosia_fail_memory(c->tx.err);
        *one = **ret;
        if (one->type != JSON_STRING) {
            const char *text = json_to_text(c->tx.arena, *ret);
            *one = (struct json){.type = JSON_STRING,
                                 .n = (uint32_t)(text ? strlen(text) : 0),
                                 .str = text ? text : ""};
        }
        *list = (struct json){.type = JSON_ARRAY, .n = 1, .items = one};
        *ret = list;
    }
    for (uint32_t i = 0; kind == LIST && i < (*ret)->n; i++)
        if ((*ret)->items[i].type != JSON_STRING)
            return 0;
    if (kind == TRUTH && (*ret)->type == JSON_STRING) {
        static const struct json truths[] = {{.type = JSON_BOOL, .truth = false},
                                             {.type = JSON_BOOL, .truth = true}};
        const bool yes = strcasecmp(v->str, "true") == 0;
        if (yes || strcasecmp(v->str, "false") == 0)
            *ret = &truths[yes];
    }
    return kind != TRUTH || (*ret)->type == JSON_BOOL;
}

/* The object of what is set, with another value of one. NULL: no memory. */
static const char *with(struct call *c, const struct json *set, const char *name,
                        const struct json *v)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (size_t i = 0; i < SOSIA_LEN(settings); i++) {
        const struct json *was = json_get(set, settings[i].name);
        if (strcmp(settings[i].name, name) == 0)
            json_value(&w, name, v);
        else if (was)
            json_value(&w, settings[i].name, was);
    }
    json_end(&w);
    const char *text = buf_failed(&b) ? NULL : arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static int is_set(struct call *c, const char *name, const struct json *v)
{
    struct json_writer w;
    struct buf b, value;
    buf_init(&b, 0);
    buf_init(&value, 0);
    json_init(&w, &value, true, NULL);
    json_value(&w, NULL, v);
    server_trim(&value);
    buf_printf(&b, "Successfully set %s to %s\n\nUpdated configuration:\n", name, buf_str(&value));
    int r = put_settings(c, &b);
    if (r == 0)
        r = run_says(c, false, buf_str(&b), b.len);
    buf_done(&value);
    buf_done(&b);
    return r;
}

static int refuse(struct call *c, const char *why)
{
    return why ? run_says(c, true, why, strlen(why)) : sosia_fail_memory(c->tx.err);
}

int desktop_set_config(struct call *c)
{
    const struct json *args = server_arguments(c), *v = json_get(args, "value"), *set;
    const char *name = json_get_str(args, "key");
    size_t i = 0;
    while (i < SOSIA_LEN(settings) && strcmp(settings[i].name, name) != 0)
        i++;
    if (i == SOSIA_LEN(settings))
        return refuse(c, arena_printf(c->tx.arena,
                                      "Key \"%s\" is not configurable via this tool. Allowed keys: "
                                      "blockedCommands, allowedDirectories, defaultShell, "
                                      "telemetryEnabled, fileReadLineLimit, fileWriteLineLimit",
                                      name));
    int r = value_of(c, settings[i].kind, v, &v);
    if (r < 0 || workspace_desktop(&c->tx, &set) < 0)
        return -1;
    if (r == 0)
        return refuse(c, arena_printf(c->tx.arena,
                                      settings[i].kind == TRUTH
                                          ? "Value for %s must be boolean true/false."
                                          : "Value for %s must be a list of texts.",
                                      name));
    const char *text = with(c, set, name, v);
    if (!text)
        return sosia_fail_memory(c->tx.err);
    if (strlen(text) > WORKSPACE_DESKTOP)
        return refuse(c, "Error setting value: the configuration is too large");
    return workspace_set_desktop(&c->tx, text) < 0 ? -1 : is_set(c, name, v);
}

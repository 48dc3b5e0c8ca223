/* SPDX-License-Identifier: Apache-2.0 */
/* The server "terminal": one command at a time, held to rules of which commands, flags and paths
 * there may be. A text without an operator is run without a shell. */
#include "engine/base/codec.h"
#include "mcp/servers/run.h"
#include "mcp/servers/words.h"
#include "services/workspace/core/setting.h"

/* ---- rules ---- */

/* Refusals of the rules are results that say so, and no failures. */
__attribute__((format(printf, 2, 3))) static int violates(struct call *c, const char *fmt, ...)
{
    struct run_result r;
    va_list ap;
    va_start(ap, fmt);
    char *why = arena_vprintf(c->tx.arena, fmt, ap);
    va_end(ap);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    const char *text = arena_printf(c->tx.arena, "Security violation: %s", why);
    run_begin(&r, c);
    run_text(&r, text, strlen(text), true);
    return run_end(&r);
}

static bool has(const char *const *list, const char *word)
{
    for (; list && *list; list++)
        if (strcmp(*list, word) == 0)
            return true;
    return false;
}

/* The first operator in a text; NULL: it has none. */
static const char *operator_in(const char *text)
{
    static const char *const all[] = {"&&", "||", "|", ">>", ">", "<<", "<", ";"};
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (strstr(text, all[i]))
            return all[i];
    return NULL;
}

/* An argument that a program would take for a path: behind a flag's "=" as well. */
static const char *path_in(const char *word)
{
    const char *equal = *word == '-' ? strchr(word, '=') : NULL;
    const char *path = equal ? equal + 1 : word;
    return strchr(path, '/') || strcmp(path, "..") == 0 || str_starts(path, "~") ? path : NULL;
}

/* 0: it keeps to the rules; 1: it does not, which is answered; -1. */
static int check_words(struct call *c, const struct workspace_terminal *rules,
                       const char *const *words, const char *part)
{
    if (!words[0])
        return violates(c, "Empty command") < 0 ? -1 : 1;
    if (!rules->all_commands && !has(rules->commands, words[0])) {
        const char *said = part
                               ? arena_printf(c->tx.arena,
                                              "Invalid command part '%s': Command '%s' is not "
                                              "allowed",
                                              part, words[0])
                               : arena_printf(c->tx.arena, "Command '%s' is not allowed", words[0]);
        return violates(c, "%s", said) < 0 ? -1 : 1;
    }
    for (size_t i = 1; words[i]; i++) {
        if (*words[i] == '-' && !rules->all_flags && !has(rules->flags, words[i]))
            return violates(c, "Flag '%s' is not allowed", words[i]) < 0 ? -1 : 1;
        const char *path = path_in(words[i]);
        if (!path || strstr(path, "://"))
            continue;
        const char *absolute = *path == '~' ? path : workspace_absolute(c->tx.arena, path);
        if (!workspace_inside(absolute))
            return violates(c, "Path '%s' is outside of allowed directory: " WORKSPACE_ROOT,
                            words[i]) < 0
                       ? -1
                       : 1;
    }
    return 0;
}

/* A command behind another one: each part is one by itself. */
static int check_parts(struct call *c, const struct workspace_terminal *rules, const char *text)
{
    struct arena *a = c->tx.arena;
    while (*text) {
        size_t n = strcspn(text, "&|><;");
        const char *part = arena_printf(a, "%.*s", (int)n, text), *why;
        while (*part == ' ')
            part++;
        const char *const *words = words_split(a, part, &why);
        if (!words)
            return violates(c, "Invalid command format: %s", why) < 0 ? -1 : 1;
        int r = words[0] ? check_words(c, rules, words, part) : 0;
        if (r)
            return r;
        text += n;
        text += strspn(text, "&|><;");
    }
    return 0;
}

/* ---- a command ---- */

/* It was not run to its end. */
static int failed(struct call *c, const char *text)
{
    struct run_result r;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    run_begin(&r, c);
    run_text(&r, text, strlen(text), true);
    return run_end(&r);
}

/* A program that is not there is no command that ran, unless a shell has looked for it. */
static bool is_absent(struct call *c, const char *program, const struct program_outcome *o)
{
    const char *said = arena_printf(c->tx.arena, "%s: No such file or directory\n", program);
    return o->status == 127 && !o->out.len && said && strcmp(o->err.data, said) == 0;
}

/* program: NULL: a shell. */
static int answer(struct call *c, const struct workspace_terminal *rules, const char *program,
                  const struct program_outcome *o)
{
    struct run_result r;
    if (o->timed_out)
        return failed(c, arena_printf(c->tx.arena, "Error: Command timed out after %lld seconds",
                                      (long long)rules->seconds));
    if (program && is_absent(c, program, o))
        return failed(c, arena_printf(c->tx.arena,
                                      "Error: [Errno 2] No such file or directory: '%s'", program));
    int code = program && o->status > 128 ? 128 - o->status : o->status;
    const char *done = arena_printf(c->tx.arena, "\nCommand completed with return code: %d", code);
    run_begin(&r, c);
    if (o->out.len)
        run_text(&r, o->out.data, o->out.len, false);
    if (o->err.len)
        run_text(&r, o->err.data, o->err.len, true);
    run_text(&r, done, strlen(done), false);
    return run_end(&r);
}

static int terminal_run(struct call *c)
{
    const struct json *text = json_get(server_arguments(c), "command");
    const char *command = text->str, *operator= operator_in(command), *why = NULL;
    const char *const shell[] = {"/bin/sh", "-c", command, NULL};
    struct workspace_terminal rules;
    struct program_outcome o;
    if (workspace_terminal_rules(&c->tx, &rules) < 0)
        return -1;
    if (text->n > (size_t)rules.length)
        return violates(c, "Command exceeds maximum length of %lld", (long long)rules.length);
    if (!command[strspn(command, " \t\r\n")])
        return violates(c, "Empty command");
    if (operator&& !rules.operators)
        return violates(c,
                        "Shell operator '%s' is not supported. Set ALLOW_SHELL_OPERATORS=true to "
                        "enable.",
                        operator);
    const char *const *words = operator? shell : words_split(c->tx.arena, command, &why);
    if (!words)
        return violates(c, "Invalid command format: %s", why);
    int r = operator? check_parts(c, &rules, command) : check_words(c, &rules, words, NULL);
    if (r)
        return r < 0 ? -1 : 0;
    const struct program_spec spec = {
        .argv = words, .timeout_ms = rules.seconds * 1000, .keep = (size_t)rules.output};
    r = program_run(c, &spec, &o);
    return r == 1 ? answer(c, &rules, operator? NULL : words[0], &o) : r;
}

/* ---- the rules, shown ---- */

static void put_list(struct buf *b, bool all, const char *every, const char *const *list)
{
    if (all)
        buf_puts(b, every);
    for (size_t i = 0; !all && list[i]; i++)
        buf_printf(b, "%s%s", i ? ", " : "", list[i]);
}

static int terminal_rules(struct call *c)
{
    struct workspace_terminal rules;
    struct buf b;
    if (workspace_terminal_rules(&c->tx, &rules) < 0)
        return -1;
    buf_init(&b, 0);
    buf_puts(&b, "Security Configuration:\n==================\nWorking Directory: " WORKSPACE_ROOT
                 "\n\nAllowed Commands:\n----------------\n");
    put_list(&b, rules.all_commands, "All commands allowed", rules.commands);
    buf_puts(&b, "\n\nAllowed Flags:\n-------------\n");
    put_list(&b, rules.all_flags, "All flags allowed", rules.flags);
    buf_printf(&b,
               "\n\nSecurity Limits:\n---------------\nMax Command Length: %lld characters\n"
               "Command Timeout: %lld seconds\n",
               (long long)rules.length, (long long)rules.seconds);
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

/* ---- rows ---- */

#define TOOL(name)                                                                                 \
    .id = "terminal." name, .verbs = POST, .paths = PATHS("/workspace/v1/terminal/" name),         \
    .body = BODY_JSON_OPTIONAL, .response = "ToolResult"

static const struct route methods[] = {
    {TOOL("run_command"), .handler = terminal_run, .pace = PACE_SLOW, .risk = RISK_WRITE,
     .scopes = "workspace", .request = "Command",
     .summary = "Run one command in the workspace, as far as the rules for commands, flags and "
                "paths let it"},
    {TOOL("show_security_rules"), .handler = terminal_rules, .risk = RISK_READ,
     .scopes = "workspace.readonly workspace",
     .summary = "The commands, flags and limits that commands are held to"},
};
static const struct rows rows = ROWS(methods);

static const struct field command_fields[] = {
    {.name = "command",
     .type = "string",
     .required = true,
     .summary = "A single command, such as 'ls -l' or 'cat file.txt'"}};
static const struct field result_fields[] = {
    {.name = "content", .type = "any", .list = true, .required = true},
    {.name = "isError", .type = "boolean"}};
static const struct schema schemas[] = {
    {.name = "Command", .fields = command_fields, .n_fields = SOSIA_LEN(command_fields)},
    {.name = "ToolResult", .fields = result_fields, .n_fields = SOSIA_LEN(result_fields)},
};
static const char *const prefixes[] = {"/workspace/v1/terminal", NULL};

const struct dialect terminal_dialect = {
    .name = "workspace.terminal",
    .title = "Workspace: terminal",
    .vendor = &server_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Its tools for processes. As the world's setting has it, nothing of a program is left when its
 * call is over, so that none can be read, written to or ended later; or they go on
 * (desktop_live.c). */
#include "engine/base/codec.h"
#include "mcp/servers/desktop/desktop.h"
#include <ctype.h>

/* ---- which commands ---- */

static bool is_blocked(const struct desktop_settings *set, const char *word, size_t n)
{
    for (size_t i = n; i > 0; i--)
        if (word[i - 1] == '/') {
            word += i;
            n -= i;
            break;
        }
    for (size_t i = 0; i < set->n_blocked; i++) {
        const char *blocked = set->blocked[i];
        size_t k = 0;
        while (k < n && blocked[k] == tolower((unsigned char)word[k]))
            k++;
        if ((k == n && !blocked[k]) || strcmp(blocked, "*") == 0)
            return true;
    }
    return false;
}

/* The first word of each command that a shell would find, behind assignments. */
static bool has_blocked(const struct desktop_settings *set, const char *text)
{
    bool first = true;
    while (*text) {
        size_t n = strcspn(text, " \t\n;&|()`$");
        if (n && first && !memchr(text, '=', n)) {
            if (is_blocked(set, text, n))
                return true;
            first = false;
        }
        text += n;
        if (*text && !strchr(" \t", *text))
            first = true;
        text += *text != 0;
    }
    return false;
}

/* ---- what became of it ---- */

static bool has_word(const char *text, size_t n, const char *word)
{
    size_t len = strlen(word);
    for (size_t i = 0; i + len <= n; i++) {
        size_t k = 0;
        while (k < len && tolower((unsigned char)text[i + k]) == tolower((unsigned char)word[k]))
            k++;
        if (k == len)
            return true;
    }
    return false;
}

/* The original reads from the output whether a process has finished. */
bool desktop_looks_finished(const char *text, size_t n)
{
    static const char *const all[] = {"Process finished", "Command completed",
                                      "[Process completed]", "Program terminated", "Exit code:"};
    static const char *const last[] = {"Error:",      "Exception:",    "Traceback", "NameError",
                                       "TypeError",   "ValueError",    "Uncaught",  "at Object.",
                                       "SyntaxError", "ReferenceError"};
    size_t from = n;
    for (int feeds = 0; from > 0 && (text[from - 1] != '\n' || ++feeds < 3); from--)
        ;
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (has_word(text, n, all[i]))
            return true;
    for (size_t i = 0; i < SOSIA_LEN(last); i++)
        if (has_word(text + from, n - from, last[i]))
            return true;
    return false;
}

static int answer(struct call *c, int64_t pid, const char *shell, int64_t timeout_ms,
                  const struct program_outcome *o)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "Process started with PID %lld (shell: %s)\nInitial output:\n", (long long)pid,
               shell);
    buf_add(&b, o->out.data, o->out.len);
    if (o->timed_out)
        buf_printf(&b, "\n⏳ Process was ended after %lld ms.", (long long)timeout_ms);
    else if (desktop_looks_finished(o->out.data, o->out.len))
        buf_printf(&b, "\n✅ Process %lld has finished execution", (long long)pid);
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

int desktop_start(struct call *c)
{
    const struct json *args = server_arguments(c);
    const char *command = json_get_str(args, "command"), *shell = json_get_str(args, "shell");
    int64_t timeout_ms = json_get_int(args, "timeout_ms", PROGRAM_USUAL_MS);
    struct program_spec spec = {0};
    struct program_outcome o;
    char mark[9];
    struct desktop_settings set;
    if (desktop_settings(c, &set) < 0)
        return -1;
    if (has_blocked(&set, command))
        return desktop_fail(c, "Command not allowed: %s", command);
    if (timeout_ms < 1 || timeout_ms > PROGRAM_SECONDS * INT64_C(1000))
        timeout_ms = timeout_ms < 1 ? 1 : PROGRAM_SECONDS * INT64_C(1000);
    if (!shell || !*shell)
        shell = set.shell;
    bool login = strstr(shell, "bash") || strstr(shell, "zsh");
    /* Its output and its messages are one. */
    const char *const argv[] = {
        "/bin/sh", "-c",    login ? "exec \"$0\" -l -c \"$1\" 2>&1" : "exec \"$0\" -c \"$1\" 2>&1",
        shell,     command, NULL};
    const int lasts = workspace_processes(&c->tx);
    if (lasts)
        return lasts < 0 ? -1 : desktop_begin(c, argv, shell, timeout_ms);
    spec.argv = argv;
    spec.timeout_ms = timeout_ms;
    spec.keep = DESKTOP_OUTPUT;
    if (program_mark(c, &spec, mark) < 0)
        return -1;
    int r = program_run(c, &spec, &o);
    return r == 1 ? answer(c, 1000 + spec.number % 31000, shell, timeout_ms, &o) : r;
}

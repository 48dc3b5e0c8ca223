/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of git in a repository of the workspace, and how they fail. */
#include "mcp/servers/git.h"

/* What scripts say by their exit status, which git itself does not use. */
enum {
    NO_PATH = 90,       /* there is no such directory */
    NO_REPOSITORY = 91, /* it has no repository of its own */
    NO_REF = 92,        /* $BAD names nothing */
    NO_COMMIT = 93,     /* the branch has no commit yet: its name is the output */
    NO_ITEM = 94,       /* the last argument names no branch or tag */
    REFUSED = 95        /* the output says why */
};

/* Of GitPython a repository is at the very path. */
#define PRELUDE                                                                                    \
    "cd -- \"$1\" 2>/dev/null || exit 90\n"                                                        \
    "shift\n"                                                                                      \
    "export GIT_CEILING_DIRECTORIES=\"$(cd .. && pwd)\" LC_ALL=C LANGUAGE=C\n"                     \
    "git rev-parse --git-dir >/dev/null 2>&1 || exit 91\n"                                         \
    "need_commit() { git rev-parse -q --verify HEAD >/dev/null || { git symbolic-ref HEAD; exit "  \
    "93; }; "                                                                                      \
    "}\n"                                                                                          \
    "ref() { git rev-parse -q --verify --end-of-options \"$1\" >/dev/null || exit 92; }\n"

/* ---- failures ---- */

int git_says(struct call *c, bool failed, const char *text)
{
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err)
                                     : run_says(c, failed, text, strlen(text));
}

size_t git_stripped(const char *text, size_t n)
{
    while (n && text[n - 1] == '\n')
        n--;
    return n;
}

int git_no_ref(struct call *c, const char *name)
{
    return git_says(c, true,
                    arena_printf(c->tx.arena, "Ref '%s' did not resolve to an object", name));
}

static int failed(struct call *c, const struct git_run *g, const struct program_outcome *o)
{
    struct arena *a = c->tx.arena;
    const int out = (int)git_stripped(o->out.data, o->out.len),
              err = (int)git_stripped(o->err.data, o->err.len);
    const char *last = "";
    for (const char *const *at = g->args; *at; at++)
        last = *at;
    if (o->timed_out)
        return git_says(c, true, "the command was not done in time");
    switch (o->status) {
    case NO_PATH:
        return git_says(c, true, g->repository);
    case NO_REPOSITORY:
        return git_says(c, true, "");
    case NO_REF:
        return git_no_ref(c, last);
    case NO_COMMIT:
        return git_says(c, true,
                        arena_printf(a, "Reference at '%.*s' does not exist", out, o->out.data));
    case REFUSED:
        return git_says(c, true, arena_printf(a, "%.*s", out, o->out.data));
    case NO_ITEM:
        return git_says(c, true, arena_printf(a, "No item found with id '%s'", last));
    default:
        return git_says(
            c, true,
            arena_printf(a, "Cmd('git') failed due to: exit code(%d)\n  cmdline: %s%s%.*s%s",
                         o->status, g->cmdline, err ? "\n  stderr: '" : "", err, o->err.data,
                         err ? "'" : ""));
    }
}

int git_run(struct call *c, struct git_run *g, struct program_outcome *o)
{
    struct arena *a = c->tx.arena;
    const char *argv[GIT_ARGS + 6] = {"sh", "-c", arena_printf(a, PRELUDE "%s", g->script), "sh"};
    size_t n = 4;
    g->repository = json_get_str(server_arguments(c), "repo_path");
    const char *absolute = workspace_absolute(a, g->repository);
    if (arena_failed(a))
        return sosia_fail_memory(c->tx.err);
    if (!workspace_inside(absolute))
        return git_says(c, true, g->repository) < 0 ? -1 : 0; /* nothing is there */
    argv[n++] = absolute;
    for (const char *const *at = g->args; *at; at++)
        argv[n++] = *at;
    argv[n] = NULL;
    const struct program_spec spec = {.argv = argv, .keep = GIT_OUTPUT};
    int r = program_run(c, &spec, o);
    if (r == 1 && (o->status || o->timed_out))
        return failed(c, g, o) < 0 ? -1 : 0;
    return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The server "git": the program itself, on a repository in the workspace, with the texts of a
 * server that uses GitPython. Commits have the world's time and the name of a setting, so that
 * their ids are the same each time. */
#include "engine/base/codec.h"
#include "mcp/servers/git.h"

/* A name that a program would take for a flag. what: "target". */
static int no_flag(struct call *c, const char *what, const char *name)
{
    return git_no_ref(
        c, arena_printf(c->tx.arena, "Invalid %s: '%s' - cannot start with '-'", what, name));
}

/* A program whose output is the text, behind a title. */
static int show(struct call *c, const char *title, const char *script, const char *const *args,
                const char *cmdline)
{
    struct git_run g = {.script = script, .args = args, .cmdline = cmdline};
    struct program_outcome o;
    struct buf b;
    int r = git_run(c, &g, &o);
    if (r != 1)
        return r;
    buf_init(&b, 0);
    buf_puts(&b, title);
    buf_add(&b, o.out.data, git_stripped(o.out.data, o.out.len));
    r = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return r;
}

static const char *argument(struct call *c, const char *name)
{
    return json_get_str(server_arguments(c), name);
}

/* ---- looking ---- */

static int git_status(struct call *c)
{
    static const char *const none[] = {NULL};
    return show(c, "Repository status:\n", "exec git status", none, "git status");
}

static const char *context(struct call *c)
{
    const struct json *v = json_get(server_arguments(c), "context_lines");
    return arena_printf(c->tx.arena, "--unified=%s",
                        v && v->type == JSON_NUMBER ? json_to_text(c->tx.arena, v) : "3");
}

static int git_diff_unstaged(struct call *c)
{
    const char *const args[] = {context(c), NULL};
    return show(c, "Unstaged changes:\n", "exec git diff \"$1\"", args,
                arena_printf(c->tx.arena, "git diff %s", args[0]));
}

static int git_diff_staged(struct call *c)
{
    const char *const args[] = {context(c), NULL};
    return show(c, "Staged changes:\n", "exec git diff \"$1\" --cached", args,
                arena_printf(c->tx.arena, "git diff %s --cached", args[0]));
}

static int git_diff(struct call *c)
{
    const char *target = argument(c, "target");
    const char *const args[] = {context(c), target, NULL};
    if (*target == '-')
        return no_flag(c, "target", target);
    return show(c, arena_printf(c->tx.arena, "Diff with %s:\n", target),
                "ref \"$2\"; exec git diff \"$1\" \"$2\"", args,
                arena_printf(c->tx.arena, "git diff %s %s", args[0], target));
}

static int git_branch(struct call *c)
{
    const char *type = argument(c, "branch_type"), *with = argument(c, "contains"),
               *without = argument(c, "not_contains");
    const char *args[8] = {NULL}, *flag = strcmp(type, "remote") == 0 ? "-r" : "-a";
    size_t n = 0;
    if (strcmp(type, "local") != 0 && strcmp(type, "remote") != 0 && strcmp(type, "all") != 0)
        return git_says(c, false, arena_printf(c->tx.arena, "Invalid branch type: %s", type));
    if ((with && *with == '-') || (without && *without == '-'))
        return no_flag(c, "ref", with && *with == '-' ? with : without);
    if (strcmp(type, "local") != 0)
        args[n++] = flag;
    if (with && *with) {
        args[n++] = "--contains";
        args[n++] = with;
    }
    if (without && *without) {
        args[n++] = "--no-contains";
        args[n++] = without;
    }
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "git branch");
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, " %s", args[i]);
    const char *line = buf_keep(&b, c->tx.arena);
    return show(c, "", "exec git branch \"$@\"", args, line);
}

/* ---- changing ---- */

/* The same as GitPython does: the tree of the index, whatever is in it, with the message as it is.
 */
static int git_commit(struct call *c)
{
    static const char script[] =
        "tree=$(git write-tree) || exit\n"
        "parent=$(git rev-parse -q --verify HEAD); kind=commit\n"
        "[ \"$parent\" ] || kind='commit (initial)'\n"
        "sha=$(printf %s \"$1\" | git commit-tree \"$tree\" ${parent:+-p \"$parent\"}) || exit\n"
        "git update-ref -m \"$kind: $(printf %s \"$1\" | head -n 1)\" HEAD \"$sha\" || exit\n"
        "printf %s \"$sha\"";
    const char *const args[] = {argument(c, "message"), NULL};
    return show(c, "Changes committed successfully with hash ", script, args, "git commit");
}

static int git_add(struct call *c)
{
    const struct json *files = json_get(server_arguments(c), "files");
    const char *repository = workspace_absolute(c->tx.arena, argument(c, "repo_path"));
    const char *args[GIT_ARGS + 1];
    struct buf b;
    size_t n = 0;
    if (files->n > GIT_ARGS)
        return server_fail(c, "There must be at most %d files, not %u", GIT_ARGS, files->n);
    buf_init(&b, 0);
    buf_puts(&b, "git add --");
    for (uint32_t i = 0; repository && i < files->n; i++) {
        const char *file = files->items[i].str;
        const char *at = workspace_absolute(
            c->tx.arena, *file == '/' ? file : workspace_below(c->tx.arena, repository, file));
        size_t len = strlen(repository);
        if (at && (!str_starts(at, repository) || (at[len] && at[len] != '/'))) {
            buf_done(&b);
            return git_says(c, true,
                            arena_printf(c->tx.arena, "Path '%s' is outside the repository '%s'",
                                         file, repository));
        }
        args[n++] = file;
        buf_printf(&b, " %s", file);
    }
    args[n] = NULL;
    const char *line = buf_keep(&b, c->tx.arena);
    return show(c, "Files staged successfully", "exec git add -- \"$@\"", args, line);
}

static int git_reset(struct call *c)
{
    static const char *const none[] = {NULL};
    return show(c, "All staged changes reset", "need_commit; exec git reset -q --mixed HEAD", none,
                "git reset --mixed HEAD");
}

static int git_create_branch(struct call *c)
{
    static const char script[] =
        "name=$1; base=$2\n"
        "if [ \"$base\" ]; then\n"
        "  for at in heads tags remotes; do\n"
        "    from=$(git rev-parse -q --verify \"refs/$at/$base^{commit}\") && break\n"
        "  done\n"
        "  [ \"$from\" ] || exit 94\n"
        "else\n"
        "  base=$(git symbolic-ref --short HEAD) || exit; need_commit; from=HEAD\n"
        "fi\n"
        "old=$(git rev-parse -q --verify \"refs/heads/$name\"); new=$(git rev-parse \"$from\")\n"
        "if [ \"$old\" ] && [ \"$old\" != \"$new\" ]; then\n"
        "  echo \"Reference at 'refs/heads/$name' does already exist, pointing to '$old', "
        "requested was '$new'\"; exit 95\n"
        "fi\n"
        "[ \"$old\" ] || git branch --no-track \"$name\" \"$from\" || exit\n"
        "printf \"'%s' from '%s'\" \"$name\" \"$base\"";
    const char *name = argument(c, "branch_name"), *base = argument(c, "base_branch");
    const char *const args[] = {name, base ? base : "", NULL};
    struct git_run g = {.script = script,
                        .args = args,
                        .cmdline = arena_printf(c->tx.arena, "git branch %s", name)};
    struct program_outcome o;
    if (*name == '-')
        return no_flag(c, "branch name", name);
    int r = git_run(c, &g, &o);
    return r == 1 ? git_says(c, false, arena_printf(c->tx.arena, "Created branch %s", o.out.data))
                  : r;
}

static int git_checkout(struct call *c)
{
    const char *name = argument(c, "branch_name");
    const char *const args[] = {name, NULL};
    struct git_run g = {.script = "ref \"$1\"; exec git checkout -q \"$1\"",
                        .args = args,
                        .cmdline = arena_printf(c->tx.arena, "git checkout %s", name)};
    struct program_outcome o;
    if (*name == '-')
        return no_flag(c, "branch name", name);
    int r = git_run(c, &g, &o);
    return r == 1 ? git_says(c, false, arena_printf(c->tx.arena, "Switched to branch '%s'", name))
                  : r;
}

/* ---- rows ---- */

#define TOOL(name)                                                                                 \
    .id = "git." name, .verbs = POST, .paths = PATHS("/workspace/v1/git/" name),                   \
    .body = BODY_JSON, .response = "ToolResult", .pace = PACE_SLOW, .risk = RISK_WRITE,            \
    .scopes = "workspace"

static const struct route methods[] = {
    {TOOL("git_status"), .handler = git_status, .request = "Repository",
     .summary = "The state of a repository's working tree"},
    {TOOL("git_diff_unstaged"), .handler = git_diff_unstaged, .request = "Diff",
     .summary = "Changes in the working tree that are not staged"},
    {TOOL("git_diff_staged"), .handler = git_diff_staged, .request = "Diff",
     .summary = "Changes that are staged for a commit"},
    {TOOL("git_diff"), .handler = git_diff, .request = "DiffTarget",
     .summary = "Differences from a branch or a commit"},
    {TOOL("git_commit"), .handler = git_commit, .request = "Commit",
     .summary = "Commit what is staged"},
    {TOOL("git_add"), .handler = git_add, .request = "Add",
     .summary = "Stage the contents of files"},
    {TOOL("git_reset"), .handler = git_reset, .request = "Repository",
     .summary = "Take back all that is staged"},
    {TOOL("git_log"), .handler = git_log, .request = "Log", .summary = "The latest commits"},
    {TOOL("git_create_branch"), .handler = git_create_branch, .request = "CreateBranch",
     .summary = "Make a branch from another one"},
    {TOOL("git_checkout"), .handler = git_checkout, .request = "Checkout",
     .summary = "Switch to a branch"},
    {TOOL("git_show"), .handler = git_show, .request = "Show",
     .summary = "A commit with its changes"},
    {TOOL("git_branch"), .handler = git_branch, .request = "Branch",
     .summary = "List the branches of a repository"},
};
const struct rows git_rows = ROWS(methods);

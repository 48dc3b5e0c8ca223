/* SPDX-License-Identifier: Apache-2.0 */
/* Commits as GitPython prints them: fields in the form of Python's repr(). */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "mcp/servers/git.h"
#include <stdio.h>

/* ---- repr() ---- */

static void put_repr(struct buf *b, const char *text)
{
    const char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    const char *const end = text + strlen(text);
    buf_byte(b, quote);
    while (*text) {
        unsigned char ch = (unsigned char)*text;
        unsigned n = ch < 0x80 ? 1 : utf8_sequence(text, (size_t)(end - text));
        if (ch == '\\' || ch == (unsigned char)quote)
            buf_printf(b, "\\%c", ch);
        else if (ch == '\n' || ch == '\r' || ch == '\t')
            buf_puts(b, ch == '\n' ? "\\n" : ch == '\r' ? "\\r" : "\\t");
        else if (ch < ' ' || ch == 0x7f || !n)
            buf_printf(b, "\\x%02x", ch);
        else
            buf_add(b, text, n);
        text += n ? n : 1;
    }
    buf_byte(b, quote);
}

/* ---- commits ---- */

#define FORMAT "%H%x00%an%x00%ae%x00%aI%x00%B%x00"

struct commit {
    const char *sha, *name, *email, *date, *message;
};

/* The next one of git's output, of which each field ends with a NUL. False: there is none. */
static bool next_commit(const char **at, const char *end, struct commit *ret)
{
    const char **const fields[] = {&ret->sha, &ret->name, &ret->email, &ret->date, &ret->message};
    while (*at < end && **at == '\n')
        ++*at;
    for (size_t i = 0; i < SOSIA_LEN(fields); i++) {
        const char *stop = memchr(*at, 0, (size_t)(end - *at));
        if (!stop)
            return false;
        *fields[i] = *at;
        *at = stop + 1;
    }
    return true;
}

static void put_head(struct buf *b, const struct commit *k)
{
    buf_puts(b, "Commit: ");
    put_repr(b, k->sha);
    buf_printf(b, "\nAuthor: <git.Actor \"%s <%s>\">\nDate: ", k->name, k->email);
}

static void put_message(struct buf *b, const struct commit *k)
{
    buf_puts(b, "\nMessage: ");
    put_repr(b, k->message);
    buf_byte(b, '\n');
}

/* "2026-11-23 09:00:00+01:00" of "2026-11-23T09:00:00+01:00" or "...Z". */
static void put_date(struct buf *b, const char *iso)
{
    size_t n = strlen(iso);
    bool utc = n && iso[n - 1] == 'Z';
    buf_printf(b, "%.10s %.*s%s", iso, n > 11 ? (int)(n - 11 - utc) : 0, n > 11 ? iso + 11 : "",
               utc ? "+00:00" : "");
}

/* ---- the log ---- */

static int answer_log(struct call *c, const struct program_outcome *o)
{
    const char *at = o->out.data, *end = at + o->out.len;
    struct commit k;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "Commit history:\n");
    for (bool first = true; next_commit(&at, end, &k); first = false) {
        if (!first)
            buf_byte(&b, '\n');
        put_head(&b, &k);
        put_date(&b, k.date);
        put_message(&b, &k);
    }
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

static int answer_since(struct call *c, const struct program_outcome *o)
{
    static const char *const names[] = {"Commit", "Author", "Date", "Message"};
    const char *at = o->out.data, *const end = at + o->out.len;
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "Commit history:\n");
    for (size_t i = 0; at < end; i++) {
        size_t n = strcspn(at, "\n");
        buf_printf(&b, "%s%s: %.*s\n", i && i % 4 == 0 ? "\n" : "", names[i % 4], (int)n, at);
        at += n + (at[n] == '\n');
    }
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

int git_log(struct call *c)
{
    const struct json *args = server_arguments(c), *max = json_get(args, "max_count");
    const char *since = json_get_str(args, "start_timestamp"),
               *until = json_get_str(args, "end_timestamp");
    const char *words[4] = {max && max->type == JSON_NUMBER ? json_to_text(c->tx.arena, max)
                                                            : "10"};
    size_t n = 1;
    if (since && *since)
        words[n++] = arena_printf(c->tx.arena, "--since=%s", since);
    if (until && *until)
        words[n++] = arena_printf(c->tx.arena, "--until=%s", until);
    const bool limited = n > 1;
    struct git_run g = {
        .script = limited ? "need_commit; n=$1; shift; exec git log --max-count=\"$n\" \"$@\" "
                            "--format=%H%n%an%n%ad%n%s"
                          : "need_commit; exec git log --max-count=\"$1\" --format=" FORMAT,
        .args = words,
        .cmdline = "git log"};
    struct program_outcome o;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    int r = git_run(c, &g, &o);
    return r != 1 ? r : limited ? answer_since(c, &o) : answer_log(c, &o);
}

/* ---- a commit ---- */

/* "datetime.datetime(2026, 11, 23, 9, 0, tzinfo=...)", without seconds where there are none. */
static void put_date_repr(struct buf *b, const char *iso)
{
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    sscanf(iso, "%d-%d-%dT%d:%d:%d", &year, &month, &day, &hour, &minute, &second);
    buf_printf(b, "datetime.datetime(%d, %d, %d, %d, %d", year, month, day, hour, minute);
    if (second)
        buf_printf(b, ", %d", second);
    buf_puts(b, ", tzinfo=<git.objects.util.tzoffset object at 0x7f0000000000>)");
}

/* "a/x" of "--- a/x", and "None" of /dev/null; n bytes. */
static void put_path(struct buf *b, const char *line, size_t n)
{
    bool none = n == 9 && memcmp(line, "/dev/null", 9) == 0;
    if (n && line[n - 1] == '\t')
        n--;
    if (none)
        buf_puts(b, "None");
    else if (n > 2)
        buf_add(b, line + 2, n - 2);
}

/* One file of a patch: its header up to its hunks, and those. */
static void put_file(struct buf *b, const char *text, const char *end)
{
    const char *a = NULL, *z = NULL;
    size_t n_a = 0, n_z = 0;
    const char *names = text + strlen("diff --git ");
    size_t line = strcspn(names, "\n");
    while (text < end && !str_starts(text, "@@") && !str_starts(text, "Binary files ")) {
        size_t n = strcspn(text, "\n");
        if (str_starts(text, "--- ")) {
            a = text + 4;
            n_a = n - 4;
        } else if (str_starts(text, "+++ ")) {
            z = text + 4;
            n_z = n - 4;
        }
        text += n + (text + n < end);
    }
    if (!a || !z) { /* nothing of its content changes: both names are in the first line */
        a = names;
        n_a = line / 2;
        z = names + line / 2 + 1;
        n_z = line - line / 2 - 1;
    }
    buf_puts(b, "\n--- ");
    put_path(b, a, n_a);
    buf_puts(b, "\n+++ ");
    put_path(b, z, n_z);
    buf_byte(b, '\n');
    if (text < end)
        buf_add(b, text, (size_t)(end - text));
}

static void put_patch(struct buf *b, const char *at, const char *end)
{
    while (at < end && !str_starts(at, "diff --git "))
        at += strcspn(at, "\n") + 1;
    while (at < end) {
        const char *next = memmem(at, (size_t)(end - at), "\ndiff --git ", 12);
        put_file(b, at, next ? next + 1 : end);
        at = next ? next + 1 : end;
    }
}

int git_show(struct call *c)
{
    static const char script[] =
        "ref \"$1^{commit}\"\n"
        "git log --max-count=1 --format=" FORMAT " --end-of-options \"$1\" || exit\n"
        "from=$(git rev-parse -q --verify \"$1^1\") || from=--root\n"
        "exec git diff-tree -p -M --full-index --no-ext-diff \"$from\" \"$1^{commit}\"";
    const char *const args[] = {json_get_str(server_arguments(c), "revision"), NULL};
    struct git_run g = {.script = script, .args = args, .cmdline = "git show"};
    struct program_outcome o;
    struct commit k = {0};
    struct buf b;
    int r = git_run(c, &g, &o);
    if (r != 1)
        return r;
    const char *at = o.out.data, *end = at + o.out.len;
    buf_init(&b, 0);
    if (next_commit(&at, end, &k)) {
        put_head(&b, &k);
        put_date_repr(&b, k.date);
        put_message(&b, &k);
        put_patch(&b, at, end);
    }
    r = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Its tools for processes that go on between calls, where the world's setting lets them
 * (services/workspace/core/process.h); where it does not, there are none. */
#include "engine/base/codec.h"
#include "mcp/servers/desktop/desktop.h"
#include "services/workspace/core/process.h"
#include <ctype.h>

enum { WAITS_MS = 5000, ANSWERS_MS = 8000, ENDS_MS = 1000 };

/* ---- asking ---- */

static void begin(struct json_writer *w, struct buf *b, const char *op, int64_t pid)
{
    buf_init(b, 0);
    json_init(w, b, false, NULL);
    json_obj(w, NULL);
    json_str(w, "op", op);
    if (pid)
        json_int(w, "pid", pid);
}

/* 1: ret->error is NULL or "notFound"; 0, -1. Where processes end with their calls there is none.
 */
static int ask(struct call *c, struct json_writer *w, struct buf *b, int64_t ms,
               struct process_answer *ret)
{
    int r = workspace_processes(&c->tx);
    if (r == 1)
        r = process_any(c);
    json_end(w);
    if (r == 0) {
        *ret = (struct process_answer){.error = "notFound"};
        r = 1;
    } else if (r == 1) {
        r = process_ask(c, b, ms, false, NULL, ret);
    }
    buf_done(b);
    return r;
}

static int64_t time_of(const struct json *args, int64_t usual)
{
    const int64_t ms = json_get_int(args, "timeout_ms", usual);
    return ms < 0 ? 0 : ms > PROGRAM_SECONDS * INT64_C(1000) ? PROGRAM_SECONDS * INT64_C(1000) : ms;
}

static int says_printed(struct call *c, bool failed, const char *text)
{
    return text ? run_says(c, failed, text, strlen(text)) : sosia_fail_memory(c->tx.err);
}

/* ---- what an output looks like ---- */

/* The sign of one who waits for input, in the last line; NULL: there is none. */
static const char *prompt_in(const char *text, size_t n)
{
    static const char *const signs[] = {">>> ",    "... ", "> ",  "+ ",     "julia> ", "       ",
                                        "$ ",      "# ",   "% ",  "bash-",  "zsh-",    "mysql> ",
                                        "    -> ", "=# ",  "-# ", "redis> "};
    size_t from = n;
    while (from && text[from - 1] != '\n')
        from--;
    for (size_t i = 0; i < SOSIA_LEN(signs); i++)
        if (memmem(text + from, n - from, signs[i], strlen(signs[i])))
            return signs[i];
    return NULL;
}

static void trim(const char **text, size_t *n)
{
    while (*n && isspace((unsigned char)(*text)[*n - 1]))
        --*n;
    while (*n && isspace((unsigned char)**text)) {
        ++*text;
        --*n;
    }
}

static void put_waiting(struct buf *b, int64_t pid, const char *sign)
{
    size_t n = strlen(sign);
    trim(&sign, &n);
    buf_printf(b, "\n🔄 Process %lld is waiting for input", (long long)pid);
    if (n)
        buf_printf(b, " (detected: \"%.*s\")", (int)n, sign);
}

/* The same of an output; NULL too where nothing but whitespace is in it. */
static const char *sign_of(const struct process_part *out)
{
    const char *text = out->data;
    size_t n = out->len;
    trim(&text, &n);
    return n ? prompt_in(out->data, out->len) : NULL;
}

/* ---- start_process ---- */

static int started(struct call *c, const char *shell, const struct process_answer *a)
{
    const struct process_part *out = &a->parts[PROCESS_OUT];
    const char *sign = a->running ? sign_of(out) : NULL;
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "Process started with PID %lld (shell: %s)\nInitial output:\n",
               (long long)a->pid, shell);
    buf_add(&b, out->data, out->len);
    if (sign)
        put_waiting(&b, a->pid, sign);
    else if (desktop_looks_finished(out->data, out->len))
        buf_printf(&b, "\n✅ Process %lld has finished execution", (long long)a->pid);
    else if (a->running)
        buf_puts(&b, "\n⏳ Process is running. Use read_process_output to get more output.");
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

int desktop_begin(struct call *c, const char *const *argv, const char *shell, int64_t timeout_ms)
{
    const int64_t life_ms = process_life(c, 0);
    struct program_spec bounds = {.argv = argv};
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    if (life_ms < 0 || program_check(&c->tx, &bounds) < 0 || process_first(c) < 0)
        return -1;
    begin(&w, &b, "start", 0);
    json_arr(&w, "argv");
    for (const char *const *arg = argv; *arg; arg++)
        json_str(&w, NULL, *arg);
    json_end(&w);
    json_str(&w, "about", argv[4]);
    json_bool(&w, "stdin", true);
    json_int(&w, "lastsMs", life_ms);
    json_int(&w, "ms", timeout_ms);
    json_str(&w, "until", "prompt");
    json_raw(&w, "from", "[0,0]", 5);
    int r = ask(c, &w, &b, timeout_ms, &a);
    if (r != 1)
        return r;
    return a.error ? desktop_fail(c, "%s", a.error) : started(c, shell, &a);
}

/* ---- read_process_output ---- */

struct lines {
    const char *text; /* n of them, with those that are empty */
    size_t len;
    int64_t n;
};

/* A text without an end of line is a line, and so is what is behind the last one. */
static int64_t count_lines(const char *text, size_t len)
{
    int64_t n = len != 0;
    for (size_t i = 0; i < len; i++)
        n += text[i] == '\n';
    return n;
}

/* So many lines from one on; without the end of the last. */
static struct lines cut(const char *text, size_t len, int64_t from, int64_t most)
{
    size_t at = 0, end;
    struct lines l = {.text = ""};
    for (; from > 0 && at <= len; from--) {
        const char *feed = memchr(text + at, '\n', len - at);
        at = feed ? (size_t)(feed - text) + 1 : len + 1;
    }
    if (at > len || !len)
        return l;
    l.text = text + at;
    for (end = at; l.n < most; end++) {
        const char *feed = memchr(text + end, '\n', len - end);
        end = feed ? (size_t)(feed - text) : len;
        l.n++;
        l.len = end - at;
        if (!feed)
            break;
    }
    return l;
}

static void put_reading(struct buf *b, int64_t offset, int64_t from, int64_t n, int64_t total)
{
    const int64_t left = total - from - n > 0 ? total - from - n : 0;
    if (offset < 0)
        buf_printf(b, "[Reading last %lld lines (total: %lld lines)]", (long long)n,
                   (long long)total);
    else if (offset > 0)
        buf_printf(b, "[Reading %lld lines from line %lld (total: %lld lines, %lld remaining)]",
                   (long long)n, (long long)from, (long long)total, (long long)left);
    else if (left > 0)
        buf_printf(b, "[Reading %lld new lines from line %lld (total: %lld lines, %lld remaining)]",
                   (long long)n, (long long)from, (long long)total, (long long)left);
    else
        buf_printf(b, "[Reading %lld new lines (total: %lld lines)]", (long long)n,
                   (long long)total);
}

static int answer_output(struct call *c, int64_t offset, int64_t length,
                         const struct process_answer *a)
{
    const struct process_part *out = &a->parts[PROCESS_OUT];
    const int64_t total = count_lines(out->data, out->len),
                  place = json_get_int(a->text, "mark", 0),
                  mark = place < 0 || place > PROCESS_PLACE_MAX ? 0 : place - out->from;
    const size_t seen = !a->running || mark < 0   ? 0
                        : (size_t)mark < out->len ? (size_t)mark
                                                  : out->len;
    int64_t from = offset > 0 ? offset : offset < 0 ? total + offset : 0;
    struct lines l;
    struct buf b;
    if (from < 0)
        from = 0;
    if (offset == 0) { /* lines that were given before are not counted again */
        l = cut(out->data + seen, out->len - seen, 0, length);
        from = total - count_lines(out->data + seen, out->len - seen);
    } else {
        l = cut(out->data, out->len, from, length);
    }
    buf_init(&b, 0);
    put_reading(&b, offset, from, l.n, total);
    buf_puts(&b, "\n\n");
    if (l.len)
        buf_add(&b, l.text, l.len);
    else
        buf_puts(&b, "(No output in requested range)");
    const char *sign = sign_of(out);
    if (!a->running)
        buf_printf(&b, "\n✅ Process completed with exit code %s (runtime: %lld.%02llds)",
                   a->signal ? "null" : arena_printf(c->tx.arena, "%d", a->status),
                   (long long)(a->ms / 1000), (long long)(a->ms % 1000 / 10));
    else if (sign)
        put_waiting(&b, a->pid, sign);
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

int desktop_output(struct call *c)
{
    const struct json *args = server_arguments(c);
    const int64_t pid = json_get_int(args, "pid", 0), offset = json_get_int(args, "offset", 0);
    const int64_t ms = offset ? 0 : time_of(args, WAITS_MS);
    struct desktop_settings set;
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    if (desktop_settings(c, &set) < 0)
        return -1;
    int64_t length = json_get_int(args, "length", set.read);
    if (length < 0)
        length = 0;
    begin(&w, &b, "wait", pid);
    json_int(&w, "ms", ms);
    json_str(&w, "until", "output");
    json_int(&w, "lines", offset ? 0 : length);
    json_int(&w, "most", DESKTOP_OUTPUT);
    json_raw(&w, "from", "[0,0]", 5);
    int r = ask(c, &w, &b, ms, &a);
    if (r != 1)
        return r;
    if (a.error)
        return says_printed(
            c, true, arena_printf(c->tx.arena, "No session found for PID %lld", (long long)pid));
    return answer_output(c, offset, length, &a);
}

/* ---- interact_with_process ---- */

/* How many bytes a prompt at the beginning of a line takes, with the whitespace behind it. */
static size_t prompt_length(const char *text, size_t n)
{
    static const char *const signs[] = {">>>", ">", "...", "+"};
    for (size_t i = 0; i < SOSIA_LEN(signs); i++) {
        size_t len = strlen(signs[i]);
        if (n < len || memcmp(text, signs[i], len) != 0)
            continue;
        while (len < n && isspace((unsigned char)text[len]))
            len++;
        return len;
    }
    return 0;
}

/* A line that repeats one of the input goes, once. */
static void drop_echo(struct buf *b, const char *line, size_t n)
{
    trim(&line, &n);
    for (size_t at = 0; n && at + n <= b->len;) {
        const char *feed = memchr(b->data + at, '\n', b->len - at);
        if (memcmp(b->data + at, line, n) == 0) {
            size_t end = at + n;
            while (end < b->len && isspace((unsigned char)b->data[end]))
                end++;
            memmove(b->data + at, b->data + end, b->len - end);
            b->len -= end - at;
            return;
        }
        if (!feed)
            return;
        at = (size_t)(feed - b->data) + 1;
    }
}

/* Without echoes of the input and prompts. */
static void clean(struct buf *ret, const struct process_part *out, const char *input)
{
    struct buf b;
    buf_init(&b, 0);
    buf_add(&b, out->data, out->len);
    for (const char *p = input; *p;) {
        size_t n = strcspn(p, "\n");
        drop_echo(&b, p, n);
        p += n + (p[n] != 0);
    }
    for (size_t i = 0; i < b.len;) {
        size_t n = i == 0 || b.data[i - 1] == '\n' ? prompt_length(b.data + i, b.len - i) : 0;
        if (!n)
            buf_byte(ret, b.data[i++]);
        i += n;
    }
    buf_done(&b);
}

/* most: lines that are shown. */
static int answered(struct call *c, const char *input, const struct process_answer *a, int64_t most)
{
    const struct process_part *out = &a->parts[PROCESS_OUT];
    const char *sign = sign_of(out);
    const bool finished = !sign && desktop_looks_finished(out->data, out->len);
    struct buf b, cleaned;
    buf_init(&b, 0);
    buf_init(&cleaned, 0);
    clean(&cleaned, out, input);
    const char *text = buf_str(&cleaned);
    size_t n = cleaned.len;
    trim(&text, &n);
    const struct lines l = cut(text, n, 0, most);
    const int64_t all = count_lines(text, n);
    buf_printf(&b, "✅ Input executed in process %lld", (long long)a->pid);
    if (n) {
        buf_puts(&b, ":\n\n📤 Output:\n");
        buf_add(&b, l.text, l.len);
    } else {
        buf_puts(&b, ".\n📭 (No output produced)");
    }
    if (n || !sign)
        buf_puts(&b, "\n\n");
    if (sign)
        put_waiting(&b, a->pid, sign);
    else if (finished)
        buf_printf(&b, "\n✅ Process %lld has finished execution", (long long)a->pid);
    else
        buf_puts(&b, "\n⏱️ Response may be incomplete (timeout reached)");
    if (all > l.n)
        buf_printf(&b,
                   "\n\n⚠️ Output truncated: showing %lld of %lld lines (%lld hidden). Use "
                   "read_process_output with offset/length for full output.",
                   (long long)l.n, (long long)all, (long long)(all - l.n));
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&cleaned);
    buf_done(&b);
    return rc;
}

int desktop_interact(struct call *c)
{
    const struct json *args = server_arguments(c);
    const int64_t pid = json_get_int(args, "pid", 0);
    const bool waits = !json_is_false(json_get(args, "wait_for_prompt"));
    const int64_t ms = waits ? time_of(args, ANSWERS_MS) : 0;
    const char *input = json_get_str(args, "input");
    struct desktop_settings set;
    struct process_answer a;
    struct json_writer w;
    struct buf b, coded;
    const size_t n = strlen(input);
    if (desktop_settings(c, &set) < 0)
        return -1;
    buf_init(&coded, 0);
    const char *line = n && input[n - 1] == '\n' ? input : arena_printf(c->tx.arena, "%s\n", input);
    base64_add(&coded, line, strlen(line));
    begin(&w, &b, "input", pid);
    json_str(&w, "data", buf_str(&coded));
    json_int(&w, "ms", ms);
    json_str(&w, "until", "prompt");
    json_int(&w, "most", DESKTOP_OUTPUT);
    json_raw(&w, "from", "[-1,-1]", 7);
    buf_done(&coded);
    int r = ask(c, &w, &b, ms, &a);
    if (r != 1)
        return r;
    if (a.error || json_get_true(a.text, "deaf"))
        return desktop_fail(c,
                            "Failed to send input to process %lld. The process may have exited or "
                            "doesn't accept input.",
                            (long long)pid);
    if (!waits)
        return says_printed(c, false,
                            arena_printf(c->tx.arena,
                                         "✅ Input sent to process %lld. Use read_process_output "
                                         "to get the response.",
                                         (long long)pid));
    return answered(c, input, &a, set.read < 0 ? 0 : set.read);
}

/* ---- the others ---- */

int desktop_terminate(struct call *c)
{
    const int64_t pid = json_get_int(server_arguments(c), "pid", 0);
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    begin(&w, &b, "signal", pid);
    json_int(&w, "signal", 2);
    json_int(&w, "thenMs", ENDS_MS);
    int r = ask(c, &w, &b, ENDS_MS, &a);
    if (r != 1)
        return r;
    return says_printed(c, false,
                        arena_printf(c->tx.arena,
                                     a.error ? "No active session found for PID %lld"
                                             : "Successfully initiated termination of session %lld",
                                     (long long)pid));
}

int desktop_sessions(struct call *c)
{
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    begin(&w, &b, "list", 0);
    int r = ask(c, &w, &b, 0, &a);
    if (r != 1)
        return r;
    const struct json *all = json_get(a.text, "processes");
    buf_init(&b, 0);
    for (uint32_t i = 0; all && i < all->n; i++) {
        const struct json *p = &all->items[i];
        if (json_get_true(p, "running"))
            buf_printf(&b, "%sPID: %lld, Blocked: true, Runtime: %llds", b.len ? "\n" : "",
                       (long long)json_get_int(p, "pid", 0),
                       (long long)((json_get_int(p, "ms", 0) + 500) / 1000));
    }
    if (!b.len)
        buf_puts(&b, "No active sessions");
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

/* ---- processes of the session ---- */

int desktop_processes(struct call *c)
{
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    begin(&w, &b, "list", 0);
    json_bool(&w, "all", true);
    int r = ask(c, &w, &b, 0, &a);
    if (r != 1)
        return r;
    const struct json *all = json_get(a.text, "all");
    buf_init(&b, 0);
    for (uint32_t i = 0; all && i < all->n; i++) {
        const struct json *p = &all->items[i];
        const char *command = json_get_str(p, "command");
        const int64_t cpu = json_get_int(p, "cpu", 0), memory = json_get_int(p, "memory", 0);
        buf_printf(&b, "%sPID: %lld, Command: %s, CPU: %lld.%lld, Memory: %lld.%lld",
                   b.len ? "\n" : "", (long long)json_get_int(p, "pid", 0), command ? command : "",
                   (long long)(cpu / 10), (long long)(cpu % 10), (long long)(memory / 10),
                   (long long)(memory % 10));
    }
    int rc = run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return rc;
}

int desktop_kill(struct call *c)
{
    const int64_t pid = json_get_int(server_arguments(c), "pid", 0);
    struct process_answer a;
    struct json_writer w;
    struct buf b;
    begin(&w, &b, "kill", pid);
    json_int(&w, "signal", 15);
    json_int(&w, "ms", ENDS_MS);
    int r = ask(c, &w, &b, ENDS_MS, &a);
    if (r != 1)
        return r;
    if (a.error)
        return desktop_fail(c, "Failed to kill process: kill %s",
                            strcmp(a.error, "notFound") == 0 ? "ESRCH" : "EPERM");
    return says_printed(
        c, false,
        arena_printf(c->tx.arena, "Successfully terminated process %lld", (long long)pid));
}

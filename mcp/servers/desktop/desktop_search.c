/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server "desktop-commander": its tools that search. The original's searches are processes with
 * sessions, of which results are read while they run. Here a search is done when it is asked for,
 * and its session's id is what was asked, so that reading results is searching again: nothing is
 * kept, and both only read.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "engine/base/codec.h"
#include "mcp/servers/desktop/desktop.h"
#include "mcp/servers/files.h"
#include <ctype.h>
#include <pcre2.h>

enum {
    SHOWN_FIRST = 10,  /* results in the first answer */
    SHOWN_TEXT = 100,  /* characters of each */
    MAX_CONTEXT = 100, /* lines around one */
    MAX_FOUND = 100000 /* results, lines of their surroundings included */
};
#define LOOKED   ((int64_t)64 << 20) /* bytes of files */
#define STEPS    100000              /* of an expression in one line */
#define WORK     INT64_C(300000000)  /* items of an expression that are tried in all lines */
#define HEAP_KIB 4096
#define ID       "search_"
#define TOO_LARGE                                                                                  \
    "⚠️  Output exceeded the size a session keeps; some matches were dropped. Narrow the "     \
    "search to see them."
#define TOO_MANY                                                                                   \
    "⚠️  Stopped at the " DESKTOP_MOST                                                         \
    " limit; there may be more matches. Raise " DESKTOP_MOST " or narrow the search to see them."

struct found {
    const char *path; /* absolute */
    int64_t line;     /* 0: the file itself */
    const char *text;
    bool context;
};

struct search {
    struct call *c;
    const char *path, *pattern, *files;
    bool content, any_case, hidden, literal;
    int64_t most, around;
    struct file_path top;
    pcre2_code *regex;
    pcre2_match_data *data;
    pcre2_match_context *limits;
    const char *why; /* the expression can't be read; NULL: it can */
    struct found *list;
    size_t n, room;
    int64_t matches, looked, tried;
    bool too_many, too_large;
};

/* ---- what is asked ---- */

/* Of a call, or of what the id of a session has. */
static void read_asked(struct search *s, const struct json *v)
{
    const char *type = json_get_str(v, "searchType");
    const struct json *ignore = json_get(v, "ignoreCase");
    s->path = json_get_str(v, "path");
    s->pattern = json_get_str(v, "pattern");
    s->files = json_get_str(v, "filePattern");
    s->content = type && strcmp(type, "content") == 0;
    s->any_case = !ignore || json_get_true(v, "ignoreCase");
    s->hidden = json_get_true(v, "includeHidden");
    s->literal = json_get_true(v, "literalSearch");
    s->most = json_get_int(v, DESKTOP_MOST, 0);
    s->around = json_get_int(v, "contextLines", 5);
    if (s->around > MAX_CONTEXT)
        s->around = MAX_CONTEXT;
}

static const char *id_of(const struct search *s)
{
    struct json_writer w;
    struct buf text, id;
    buf_init(&text, 0);
    buf_init(&id, 0);
    json_init(&w, &text, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "path", s->path);
    json_str(&w, "pattern", s->pattern);
    json_str(&w, "searchType", s->content ? "content" : "files");
    json_str_opt(&w, "filePattern", s->files);
    json_bool(&w, "ignoreCase", s->any_case);
    json_bool_opt(&w, "includeHidden", s->hidden);
    json_bool_opt(&w, "literalSearch", s->literal);
    if (s->most)
        json_int(&w, DESKTOP_MOST, s->most);
    json_int(&w, "contextLines", s->around);
    json_end(&w);
    buf_puts(&id, ID);
    base64url_add(&id, buf_str(&text), text.len, false);
    const char *all = arena_strdup(s->c->tx.arena, buf_str(&id));
    buf_done(&text);
    buf_done(&id);
    return all;
}

/* False: it is not a session's. */
static bool read_id(struct search *s, const char *id)
{
    struct arena *a = s->c->tx.arena;
    const struct json *v;
    struct sosia_err err;
    uint8_t *text;
    size_t n;
    if (!str_starts(id, ID) ||
        base64_decode(a, id + strlen(ID), strlen(id) - strlen(ID), &text, &n) != 0 ||
        json_parse(a, (const char *)text, n, NULL, &v, &err) < 0 || v->type != JSON_OBJECT)
        return false;
    read_asked(s, v);
    return s->path && s->pattern;
}

/* ---- names ---- */

static const char *lower(struct arena *a, const char *text)
{
    char *to = arena_strdup(a, text);
    for (char *p = to; p && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return to;
}

/* As of ripgrep's -g and --iglob: without a slash it is of a name in any directory. */
static bool fits(const struct search *s, const char *glob, const char *path, bool any_case)
{
    struct arena *a = s->c->tx.arena;
    if (any_case) {
        glob = lower(a, glob);
        path = lower(a, path);
    }
    if (!strchr(glob, '/'))
        return glob_matches(a, glob, workspace_name(path));
    while (*glob == '/')
        glob++;
    return glob_matches(a, glob, path) || glob_matches(a, arena_printf(a, "**/%s", glob), path);
}

static bool fits_one_of(const struct search *s, const char *globs, const char *path, bool any_case)
{
    while (*globs) {
        size_t n = strcspn(globs, "|"), from = strspn(globs, " "), to = n;
        while (to > from && globs[to - 1] == ' ')
            to--;
        if (to > from &&
            fits(s, arena_printf(s->c->tx.arena, "%.*s", (int)(to - from), globs + from), path,
                 any_case))
            return true;
        globs += n;
        globs += *globs == '|';
    }
    return false;
}

static bool is_hidden(const char *path)
{
    for (; path; path = strchr(path, '/')) {
        path += *path == '/';
        if (*path == '.')
            return true;
    }
    return false;
}

/* Whether a file's name is what is searched for, or it is to be read. */
static bool is_wanted(const struct search *s, const char *path)
{
    if (!s->hidden && is_hidden(path))
        return false;
    if (s->content)
        return !s->files || !*s->files || fits_one_of(s, s->files, path, false);
    const bool glob = strpbrk(s->pattern, "*?[{]}") != NULL,
               ends = strrchr(s->pattern, '.') != NULL;
    const char *dot = strrchr(s->pattern, '.');
    bool exact = !glob && ends && dot[1];
    for (const char *p = ends ? dot + 1 : ""; *p; p++)
        exact = exact && isalnum((unsigned char)*p);
    const char *wanted =
        glob || exact ? s->pattern : arena_printf(s->c->tx.arena, "*%s*", s->pattern);
    /* The original asks for names that fit any of both. */
    return fits(s, wanted, path, s->any_case) ||
           (s->files && *s->files && fits_one_of(s, s->files, path, s->any_case));
}

/* ---- results ---- */

/* 1; 0: no more are wanted; -1: NO_MEMORY. */
static int add(struct search *s, const char *path, int64_t line, const char *text, bool context)
{
    if (!context && s->most > 0 && s->matches >= s->most) {
        s->too_many = true;
        return 0;
    }
    if (s->n == MAX_FOUND) {
        s->too_large = true;
        return 0;
    }
    struct found *list = arena_grow(s->c->tx.arena, s->list, s->n, &s->room, sizeof *list);
    if (!list)
        return sosia_fail_memory(s->c->tx.err);
    s->list = list;
    s->list[s->n++] = (struct found){path, line, text, context};
    s->matches += !context;
    return 1;
}

struct lines {
    const char *path, *data;
    size_t len;
    int64_t shown; /* number of the last line that is a result */
};

static size_t line_end(const struct lines *l, size_t at)
{
    const char *feed = memchr(l->data + at, '\n', l->len - at);
    return feed ? (size_t)(feed - l->data) : l->len;
}

/* The first characters, without spaces at both ends. */
static const char *part_of(struct arena *a, const char *text, size_t n)
{
    const size_t most = (SHOWN_TEXT + 1) * 4;
    while (n && isspace((unsigned char)*text))
        text++, n--;
    while (n && isspace((unsigned char)text[n - 1]))
        n--;
    return arena_printf(a, "%.*s", (int)(n < most ? n : most), text);
}

/* Lines from number `from` to before `to`, which are around a match; at: where the first one
 * begins. */
static int add_around(struct search *s, struct lines *l, size_t at, int64_t from, int64_t to)
{
    int r = 1;
    for (int64_t i = from; r == 1 && i < to && at < l->len; i++) {
        size_t end = line_end(l, at);
        if (i > l->shown) {
            r = add(s, l->path, i, part_of(s->c->tx.arena, l->data + at, end - at), true);
            l->shown = i;
        }
        at = end + 1;
    }
    return r;
}

/* Where the line begins that is so many before the one at a place, or the first. */
static size_t lines_before(const struct lines *l, size_t at, int64_t *n)
{
    const int64_t most = *n;
    for (*n = 0; *n < most && at > 0; ++*n) {
        at--;
        while (at > 0 && l->data[at - 1] != '\n')
            at--;
    }
    return at;
}

/* Called before each item of the expression that is tried. */
static int count_item(pcre2_callout_block *b, void *arg)
{
    struct search *s = arg;
    (void)b;
    return ++s->tried > WORK ? PCRE2_ERROR_CALLOUT : 0;
}

static int look_in(struct search *s, struct lines *l)
{
    int64_t line = 1, after = 0; /* after: lines behind a match that are shown yet */
    int r = 1;
    for (size_t at = 0; r == 1 && at < l->len; line++) {
        size_t end = line_end(l, at);
        int m =
            pcre2_match(s->regex, (PCRE2_SPTR)(l->data + at), end - at, 0, 0, s->data, s->limits);
        if (m > 0) {
            const size_t *place = pcre2_get_ovector_pointer(s->data);
            const size_t len = place[1] > place[0] ? place[1] - place[0] : 0;
            int64_t before = s->around;
            size_t from = lines_before(l, at, &before);
            r = add_around(s, l, from, line - before, line);
            if (r == 1)
                r = add(s, l->path, line,
                        len ? arena_printf(s->c->tx.arena, "%.*s", (int)(len < 2000 ? len : 2000),
                                           l->data + at + place[0])
                            : part_of(s->c->tx.arena, l->data + at, end - at),
                        false);
            l->shown = line;
            after = s->around;
        } else if (after > 0) {
            after--;
            r = add_around(s, l, at, line, line + 1);
        }
        if (m < 0 && m != PCRE2_ERROR_NOMATCH)
            s->too_large = true;
        if (s->tried > WORK)
            return r < 0 ? -1 : 0;
        at = end + 1;
    }
    return r;
}

static int look_at(struct search *s, const struct workspace_node *n)
{
    struct workspace_node node = *n;
    const char *absolute = arena_printf(s->c->tx.arena, WORKSPACE_ROOT "/%s", n->path);
    if (!s->content)
        return add(s, absolute, 0, NULL, false);
    struct lines l = {.path = absolute};
    if ((s->looked += n->size) > LOOKED) {
        s->too_large = true;
        return 0;
    }
    if (workspace_load(&s->c->tx, &node, &l.data, &l.len) < 0)
        return -1;
    return memchr(l.data, 0, l.len) ? 1 : look_in(s, &l); /* what has such a byte is not a text */
}

/* ---- a search ---- */

static void compile(struct search *s)
{
    const uint32_t how = PCRE2_NEVER_BACKSLASH_C | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF |
                         PCRE2_AUTO_CALLOUT | (s->any_case ? PCRE2_CASELESS : 0) |
                         (s->literal ? PCRE2_LITERAL : 0);
    PCRE2_UCHAR text[200];
    size_t at;
    int code;
    s->regex = pcre2_compile((PCRE2_SPTR)s->pattern, PCRE2_ZERO_TERMINATED,
                             s->literal ? how & ~(uint32_t)PCRE2_NEVER_BACKSLASH_C : how, &code,
                             &at, NULL);
    if (!s->regex) {
        pcre2_get_error_message(code, text, sizeof text);
        s->why = arena_printf(s->c->tx.arena, "rg: regex parse error:\n    %.1000s\nerror: %s",
                              s->pattern, (const char *)text);
        return;
    }
    s->data = pcre2_match_data_create_from_pattern(s->regex, NULL);
    if ((s->limits = pcre2_match_context_create(NULL))) {
        pcre2_set_match_limit(s->limits, STEPS);
        pcre2_set_depth_limit(s->limits, STEPS);
        pcre2_set_heap_limit(s->limits, HEAP_KIB);
        pcre2_set_callout(s->limits, count_item, s);
    }
}

static void search_done(struct search *s)
{
    pcre2_match_data_free(s->data);
    pcre2_match_context_free(s->limits);
    pcre2_code_free(s->regex);
}

static int walk(struct search *s)
{
    struct workspace_node n;
    const char *after = NULL, *dir = s->top.path;
    const size_t head = *dir ? strlen(dir) + 1 : 0;
    int r = 1, found;
    if (s->top.node.kind == NODE_FILE)
        return look_at(s, &s->top.node) < 0 ? -1 : 0;
    while (r == 1 && (found = workspace_walk(&s->c->tx, dir, after, &n)) != 0) {
        if (found < 0)
            return -1;
        after = n.path;
        if (n.kind == NODE_FILE && is_wanted(s, n.path + head))
            r = look_at(s, &n);
    }
    return r < 0 || arena_failed(s->c->tx.arena) ? -1 : 0;
}

/* 1: it is done; 0: refused, which is answered with these words in front; -1. */
static int run_search(struct search *s, const char *what)
{
    const char *inside, *refusal = NULL;
    int r = desktop_inside(s->c, s->path, &inside, &refusal);
    if (r == 1)
        r = file_path(s->c, s->path, &s->top);
    if (r < 0 && !s->c->vendor_data)
        return -1;
    if (r != 1) {
        *s->c->tx.err = (struct sosia_err){0};
        s->c->vendor_data = NULL;
        const char *why = refusal ? arena_printf(s->c->tx.arena, "%s: %s", what, refusal)
                                  : arena_printf(s->c->tx.arena,
                                                 "%s: ENOENT: no such file or directory, stat '%s'",
                                                 what, workspace_absolute(s->c->tx.arena, s->path));
        return arena_failed(s->c->tx.arena) ? sosia_fail_memory(s->c->tx.err)
                                            : run_says(s->c, true, why, strlen(why));
    }
    if (s->content)
        compile(s);
    if (s->why)
        return 1;
    if (s->content && (!s->data || !s->limits))
        return sosia_fail_memory(s->c->tx.err);
    return walk(s) < 0 ? (s->c->tx.err->code ? -1 : sosia_fail_memory(s->c->tx.err)) : 1;
}

/* ---- answers ---- */

/* The first characters of a text, and what says that there are more. */
static void put_part(struct buf *b, const char *text)
{
    size_t n = 0, characters = 0;
    while (text[n] && characters < SHOWN_TEXT) {
        n++;
        while (((unsigned char)text[n] & 0xC0) == 0x80)
            n++;
        characters++;
    }
    server_put_text(b, text, n);
    buf_puts(b, text[n] ? "..." : "");
}

static void put_found(struct buf *b, const struct found *f)
{
    buf_puts(b, f->line ? "📄 " : "📁 ");
    server_put_text(b, f->path, strlen(f->path));
    if (f->line) {
        buf_printf(b, ":%lld - ", (long long)f->line);
        put_part(b, f->text);
    }
    buf_byte(b, '\n');
}

static void put_shortfalls(struct buf *b, const struct search *s)
{
    if (s->too_many)
        buf_puts(b, "\n" TOO_MANY);
    if (s->too_large)
        buf_puts(b, "\n" TOO_LARGE);
}

int desktop_search(struct call *c)
{
    struct search s = {.c = c};
    struct buf b;
    read_asked(&s, server_arguments(c));
    int r = run_search(&s, "Error starting search session");
    if (r == 1) {
        buf_init(&b, 0);
        buf_printf(&b, "Started %s search session: %s\nPattern: \"%s\"\nPath: %s\n",
                   s.content ? "content" : "file", id_of(&s), s.pattern, s.path);
        buf_printf(&b, "Status: COMPLETED\nRuntime: 0ms\nTotal results: %lld\n\n",
                   (long long)s.matches);
        if (s.n)
            buf_puts(&b, "Initial results:\n");
        for (size_t i = 0; i < s.n && i < SHOWN_FIRST; i++)
            put_found(&b, &s.list[i]);
        if (s.n > SHOWN_FIRST)
            buf_printf(&b, "... and %zu more results\n", s.n - SHOWN_FIRST);
        buf_puts(&b, "\n✅ Search completed.");
        put_shortfalls(&b, &s);
        r = run_says(c, false, buf_str(&b), b.len);
        buf_done(&b);
    }
    search_done(&s);
    return r;
}

static int put_results(struct search *s, const char *id, int64_t offset, int64_t length)
{
    int64_t total = (int64_t)s->n, from = offset;
    struct buf b;
    if (length < 0)
        length = 0;
    if (offset < 0)
        from = total + offset > 0 ? total + offset : 0;
    int64_t most = offset < 0 ? total : length;
    from = from > total ? total : from;
    int64_t n = total - from < most ? total - from : most;
    buf_init(&b, 0);
    buf_printf(
        &b,
        "Search session: %s\nStatus: COMPLETED\nRuntime: 0s\nTotal results found: %lld (%lld "
        "matches)\n",
        id, (long long)total, (long long)s->matches);
    if (offset < 0)
        buf_printf(&b, "Showing last %lld results\n\n", (long long)n);
    else
        buf_printf(&b, "Showing results %lld-%lld\n\n", (long long)offset,
                   (long long)(offset + n - 1));
    buf_puts(&b, n ? "Results:\n" : total ? "No results in this range." : "No matches found.");
    for (int64_t i = from; i < from + n; i++)
        put_found(&b, &s->list[i]);
    if (offset >= 0 && from + n < total)
        buf_printf(&b, "\n📖 More results available. Use get_more_search_results with offset: %lld",
                   (long long)(from + n));
    buf_puts(&b, "\n✅ Search completed.");
    put_shortfalls(&b, s);
    int r = run_says(s->c, false, buf_str(&b), b.len);
    buf_done(&b);
    return r;
}

int desktop_search_more(struct call *c)
{
    const struct json *args = server_arguments(c);
    const char *id = json_get_str(args, "sessionId"), *why;
    struct search s = {.c = c};
    int r = 1;
    if (!read_id(&s, id)) {
        why = arena_printf(c->tx.arena, "Error reading search results: Search session %s not found",
                           id);
        return why ? run_says(c, true, why, strlen(why)) : sosia_fail_memory(c->tx.err);
    }
    r = run_search(&s, "Error reading search results");
    if (r == 1 && s.why) {
        why = arena_printf(c->tx.arena, "Search session %s encountered an error: %s", id, s.why);
        r = why ? run_says(c, true, why, strlen(why)) : sosia_fail_memory(c->tx.err);
    } else if (r == 1) {
        r = put_results(&s, id, json_get_int(args, "offset", 0), json_get_int(args, "length", 100));
    }
    search_done(&s);
    return r;
}

/* All have ended. */
int desktop_search_stop(struct call *c)
{
    const char *id = json_get_str(server_arguments(c), "sessionId");
    struct search s = {.c = c};
    const char *text =
        arena_printf(c->tx.arena,
                     read_id(&s, id) ? "Search session %s terminated successfully."
                                     : "Search session %s not found or already completed.",
                     id);
    return text ? run_says(c, false, text, strlen(text)) : sosia_fail_memory(c->tx.err);
}

int desktop_searches(struct call *c)
{
    static const char none[] = "No active searches.";
    return run_says(c, false, none, strlen(none));
}

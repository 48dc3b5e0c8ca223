/* SPDX-License-Identifier: Apache-2.0 */
#include "console/page.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/unified.h"
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

extern const char console_style[], console_script[];

/* ---- frame ---- */

/* The page's policy names its style and its script by their hashes, and nothing else. */
static void add_hash(struct buf *b, const char *text)
{
    struct sha256_ctx ctx;
    uint8_t digest[SHA256_DIGEST_SIZE];
    sha256_init(&ctx);
    sha256_update(&ctx, strlen(text), (const uint8_t *)text);
    sha256_digest(&ctx, sizeof digest, digest);
    buf_puts(b, "'sha256-");
    base64_add(b, digest, sizeof digest);
    buf_puts(b, "'");
}

void page_open(struct buf *b, const char *title)
{
    buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                "style-src ");
    add_hash(b, console_style);
    buf_puts(b, "; script-src ");
    add_hash(b, console_script);
    buf_puts(b, "; base-uri 'none'; form-action 'none'\">\n"
                "<meta name=\"referrer\" content=\"no-referrer\">\n"
                "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    page_str(b, title);
    buf_puts(b, "</title>\n<style>");
    buf_puts(b, console_style);
    buf_puts(b, "</style>\n</head>\n<body>\n<main>\n<h1>");
    page_str(b, title);
    buf_puts(b, "</h1>\n");
}

void page_close(struct buf *b)
{
    if (page_full(b))
        buf_puts(b, "<p class=\"note\">The page ends here: there is more than it has room for.\n");
    buf_puts(b, "</main>\n<script>");
    buf_puts(b, console_script);
    buf_puts(b, "</script>\n</body>\n</html>\n");
}

bool page_full(const struct buf *b)
{
    return b->len > PAGE_FULL;
}

/* ---- text ---- */

/* Controls, what turns the direction of others, and what has neither width nor ink. */
static bool is_odd(unsigned c)
{
    return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0) || c == 0xad ||
           c == 0x61c || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff ||
           (c >= 0xfff9 && c <= 0xfffb) || (c >= 0xe0000 && c <= 0xe007f);
}

static void add_text(struct buf *b, const char *text, size_t n)
{
    size_t from = 0, i = 0;
    while (i < n) {
        unsigned k = utf8_sequence(text + i, n - i);
        unsigned c = k ? utf8_code_point(text + i, k) : 0;
        if (k && !is_odd(c)) {
            i += k;
            continue;
        }
        html_escape(b, text + from, i - from, "\"");
        if (k)
            buf_printf(b, c > 0xffff ? "\\u{%x}" : "\\u%04x", c);
        else
            buf_printf(b, "\\x%02x", (unsigned char)text[i]);
        i += k ? k : 1;
        from = i;
    }
    html_escape(b, text + from, n - from, "\"");
}

/* The start of a text, up to `most` bytes. */
static size_t cut_at(const char *text, size_t n, size_t most)
{
    if (n <= most)
        return n;
    n = most;
    for (unsigned i = 0; i < 3 && n && ((unsigned char)text[n] & 0xc0) == 0x80; i++)
        n--;
    return n;
}

static void add_rest(struct buf *b, size_t n)
{
    buf_printf(b, "<em class=\"note\"> [%zu bytes more are not shown]</em>", n);
}

void page_text(struct buf *b, const char *text, size_t n)
{
    size_t shown = cut_at(text, n, page_full(b) ? 0 : b->len > PAGE_ROOM ? 200 : PAGE_TEXT);
    add_text(b, text, shown);
    if (shown < n)
        add_rest(b, n - shown);
}

void page_str(struct buf *b, const char *text)
{
    if (text)
        page_text(b, text, strlen(text));
}

static void add_json(struct buf *b, const struct json *v, bool pretty)
{
    struct json_writer w;
    struct buf text;
    buf_init(&text, 0);
    json_init(&w, &text, pretty, NULL);
    json_value(&w, NULL, v);
    while (text.len && text.data[text.len - 1] == '\n')
        text.len--;
    page_text(b, buf_str(&text), text.len);
    buf_done(&text);
}

void page_value(struct buf *b, const struct json *v)
{
    if (!v || v->type == JSON_NULL)
        buf_puts(b, "<i>none</i>");
    else if (v->type == JSON_STRING)
        page_text(b, v->str, v->n);
    else
        add_json(b, v, v->type == JSON_OBJECT);
}

void page_member(struct buf *b, const char *before, const struct json *in, const char *name)
{
    const struct json *v = json_get(in, name);
    if (!v || v->type == JSON_NULL)
        return;
    buf_puts(b, before);
    page_value(b, v);
}

#define LAID_OUT 262144 /* bytes of JSON that are read for that */

/* False: it is not an object or a list, or too long. */
static bool lay_out(struct buf *b, const struct json *v)
{
    const struct json_limits limits = {.max_size = LAID_OUT, .max_values = 65536};
    const struct json *doc;
    struct sosia_err err;
    struct arena a;
    bool done = false;
    if (v->n > LAID_OUT || !v->n || !strchr("{[ \n\t", v->str[0]))
        return false;
    arena_init(&a, 0);
    if (json_parse(&a, v->str, v->n, &limits, &doc, &err) == 0 && doc->type >= JSON_ARRAY) {
        add_json(b, doc, true);
        done = true;
    }
    arena_done(&a);
    return done;
}

void page_body(struct buf *b, const struct json *v)
{
    const struct json *bytes = json_get(v, "base64");
    if (!v)
        return;
    buf_puts(b, "<pre>");
    if (bytes && bytes->type == JSON_STRING)
        buf_printf(b, "<em class=\"note\">%u bytes that are not text</em>", bytes->n / 4 * 3);
    else if (v->type != JSON_STRING || !lay_out(b, v))
        page_value(b, v);
    buf_puts(b, "</pre>\n");
}

/* ---- changes ---- */

static uint32_t length_of(const struct json *list)
{
    return list && list->type == JSON_ARRAY ? list->n : 0;
}

size_t causes_count(const struct json *changes)
{
    size_t n = length_of(changes);
    for (uint32_t i = 0; i < length_of(changes); i++)
        n += length_of(json_get(&changes->items[i], "consequences"));
    return n;
}

static void add_cause(struct causes *causes, const struct json *change, int64_t seq)
{
    const char *name = json_get_str(change, "name");
    if (name)
        causes->list[causes->n++] = (struct cause){name, seq};
}

void causes_add_one(struct causes *causes, const struct json *change, int64_t seq)
{
    const struct json *follows = json_get(change, "consequences");
    add_cause(causes, change, seq);
    for (uint32_t k = 0; k < length_of(follows); k++)
        add_cause(causes, &follows->items[k], seq);
}

void causes_add(struct causes *causes, const struct json *changes, int64_t seq)
{
    for (uint32_t i = 0; i < length_of(changes); i++)
        causes_add_one(causes, &changes->items[i], seq);
}

static int by_name(const void *pa, const void *pb)
{
    const struct cause *a = pa, *b = pb;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->seq > b->seq) - (a->seq < b->seq);
}

void causes_order(struct causes *causes)
{
    if (causes->n)
        qsort(causes->list, causes->n, sizeof *causes->list, by_name);
}

size_t causes_place(const struct causes *causes, const char *name)
{
    size_t from = 0, to = causes->n;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (strcmp(causes->list[mid].name, name) < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

int64_t cause_of(const struct causes *causes, const char *name)
{
    size_t from = 0, to = causes && name ? causes->n : 0;
    while (from < to) { /* to the first one behind it */
        size_t mid = from + (to - from) / 2;
        if (strcmp(causes->list[mid].name, name) <= 0)
            from = mid + 1;
        else
            to = mid;
    }
    return from && strcmp(causes->list[from - 1].name, name) == 0 ? causes->list[from - 1].seq : 0;
}

void page_call(struct buf *b, int64_t seq)
{
    buf_printf(b, "<a href=\"#call-%lld\">call %lld</a>", (long long)seq, (long long)seq);
}

static bool same_text(const char *x, const char *y)
{
    return x && y ? strcmp(x, y) == 0 : x == y;
}

/* One of three signs, so that no color has to say it. */
static const char *sign_of(const struct json *change, const char **ret_class)
{
    const char *word = json_get_str(change, "change");
    bool added = same_text(word, "added"), removed = same_text(word, "removed");
    *ret_class = added ? "added" : removed ? "removed" : "changed";
    return added ? "+" : removed ? "-" : "~";
}

static bool is_long(const struct json *v)
{
    return v && v->type == JSON_STRING && (v->n > 120 || memchr(v->str, '\n', v->n));
}

/* Long texts as the lines that differ. False: they are not. */
static bool change_lines(struct buf *b, const struct json *from, const struct json *to)
{
    struct arena a;
    struct buf hunks;
    if (!from || !to || from->type != JSON_STRING || to->type != JSON_STRING ||
        (!is_long(from) && !is_long(to)) || from->n + to->n > LAID_OUT)
        return false;
    arena_init(&a, 0);
    buf_init(&hunks, 0);
    bool done = unified_hunks(&a, (struct unified_text){from->str, from->n},
                              (struct unified_text){to->str, to->n}, 3, &hunks) == 0 &&
                !buf_failed(&hunks);
    const char *p = done ? buf_str(&hunks) : "";
    if (done)
        buf_puts(b, "<td colspan=\"2\"><pre>");
    for (size_t n; done && *p && !page_full(b); p += n + (p[n] == '\n')) {
        const char *tag = *p == '-' ? "del" : *p == '+' ? "ins" : "span";
        n = strcspn(p, "\n");
        buf_printf(b, "<%s>", tag);
        page_text(b, p, n);
        buf_printf(b, "</%s>\n", tag);
    }
    if (done)
        buf_puts(b, "</pre>");
    buf_done(&hunks);
    arena_done(&a);
    return done;
}

static void change_row(struct buf *b, const char *name, const struct json *from,
                       const struct json *to)
{
    buf_puts(b, "<tr><th scope=\"row\">");
    page_str(b, name);
    buf_puts(b, "</th>");
    if (!change_lines(b, from, to)) {
        buf_puts(b, "<td>");
        if (from) {
            buf_puts(b, "<del>");
            page_value(b, from);
            buf_puts(b, "</del>");
        }
        buf_puts(b, "</td><td>");
        if (to) {
            buf_puts(b, "<ins>");
            page_value(b, to);
            buf_puts(b, "</ins>");
        }
        buf_puts(b, "</td>");
    }
    buf_puts(b, "</tr>\n");
}

static void change_table(struct buf *b, const struct json *c, bool removed)
{
    const struct json *fields = json_get(c, "fields"), *value = json_get(c, "value");
    buf_puts(b, "<table>\n");
    for (uint32_t i = 0; fields && fields->type == JSON_OBJECT && i < fields->n; i++)
        change_row(b, fields->members[i].key, json_get(&fields->members[i].value, "from"),
                   json_get(&fields->members[i].value, "to"));
    for (uint32_t i = 0; value && value->type == JSON_OBJECT && i < value->n; i++)
        change_row(b, value->members[i].key, removed ? &value->members[i].value : NULL,
                   removed ? NULL : &value->members[i].value);
    buf_puts(b, "</table>\n");
}

/* Consequences have none of their own, and what a file says may be nested as deep as it likes. */
static void change_at(struct buf *b, const struct json *c, const struct causes *causes, bool open,
                      int depth)
{
    const struct json *list = json_get(c, "consequences");
    const char *kind, *sign = sign_of(c, &kind);
    int64_t seq = json_get_int(c, "seq", cause_of(causes, json_get_str(c, "name")));
    buf_printf(b, "<details class=\"change %s\"%s><summary><b>%s %s</b> ", kind,
               open ? " open" : "", sign, kind);
    page_str(b, json_get_str(c, "entity"));
    page_member(b, " <strong>", c, "title");
    buf_puts(b, json_get(c, "title") ? "</strong> <code>" : " <code>");
    page_str(b, json_get_str(c, "name"));
    buf_puts(b, "</code>");
    if (depth)
        page_member(b, " of ", c, "person");
    if (seq > 0) {
        buf_puts(b, " <span class=\"by\">by ");
        page_call(b, seq);
        page_member(b, " ", c, "method");
        page_member(b, ", ", c, "actor");
        buf_puts(b, "</span>");
    }
    buf_puts(b, "</summary>\n");
    change_table(b, c, strcmp(kind, "removed") == 0);
    if (depth < 4 && list && list->type == JSON_ARRAY && list->n) {
        buf_puts(b, "<p>What follows from it:</p>\n");
        for (uint32_t i = 0; i < list->n && !page_full(b); i++)
            change_at(b, &list->items[i], causes, false, depth + 1);
    }
    buf_puts(b, "</details>\n");
}

void page_change(struct buf *b, const struct json *change, const struct causes *causes, bool open)
{
    change_at(b, change, causes, open, 0);
}

void page_changes(struct buf *b, const struct json *changes, const struct causes *causes, bool open)
{
    const char *person = NULL, *service = NULL;
    uint32_t n = changes && changes->type == JSON_ARRAY ? changes->n : 0;
    for (uint32_t i = 0; i < n && !page_full(b); i++) {
        const struct json *c = &changes->items[i];
        const char *whose = json_get_str(c, "person"), *of = json_get_str(c, "service");
        if (!i || !same_text(whose, person) || !same_text(of, service)) {
            buf_puts(b, "<h3>");
            page_str(b, whose);
            buf_puts(b, whose && of ? ", " : "");
            page_str(b, of);
            buf_puts(b, "</h3>\n");
        }
        person = whose;
        service = of;
        page_change(b, c, causes, open);
    }
    if (!n)
        buf_puts(b, "<p>Nothing.</p>\n");
}

void page_diff(struct buf *b, const struct json *diff)
{
    page_open(b, "What changed");
    page_changes(b, json_get(diff, "changes"), NULL, true);
    page_close(b);
}

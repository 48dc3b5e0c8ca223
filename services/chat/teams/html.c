/* SPDX-License-Identifier: Apache-2.0 */
/* HTML of messages as it is kept: without scripts, styles, event attributes, addresses that run
 * something, and tags that messages don't have (MG-609). What stays, stays byte for byte. */
#include "engine/base/buf.h"
#include "services/chat/teams/teams.h"
#include <ctype.h>
#include <strings.h>

/* Tags that stay. */
static const char *const kept[] = {
    "a",         "at",    "attachment", "b",     "blockquote", "br",    "code",
    "codeblock", "div",   "em",         "emoji", "font",       "h1",    "h2",
    "h3",        "h4",    "h5",         "h6",    "hr",         "i",     "img",
    "li",        "ol",    "p",          "pre",   "s",          "span",  "strike",
    "strong",    "sub",   "sup",        "table", "tbody",      "td",    "tfoot",
    "th",        "thead", "tr",         "u",     "ul",         "video", "systemeventmessage"};
/* Tags that go with all that is in them. */
static const char *const dropped[] = {"script", "style",    "iframe", "object", "embed",
                                      "head",   "template", "svg",    "math",   "noscript"};

static bool is_named(const char *p, size_t n, const char *const *list, size_t n_list)
{
    for (size_t i = 0; i < n_list; i++)
        if (strlen(list[i]) == n && strncasecmp(list[i], p, n) == 0)
            return true;
    return false;
}

static size_t name_length(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && (isalnum((unsigned char)p[n]) || p[n] == '-' || p[n] == ':'))
        n++;
    return n;
}

/* Behind the '>' that ends a tag, quotes minded; NULL: it does not end. */
static const char *tag_end(const char *p, const char *end)
{
    char quote = 0;
    for (; p < end; p++) {
        if (quote)
            quote = *p == quote ? 0 : quote;
        else if ((*p == '"' || *p == '\'') && p[-1] == '=')
            quote = *p;
        else if (*p == '>')
            return p + 1;
    }
    return NULL;
}

/* An address that opens something, and runs nothing. Whitespace and controls in it count as
 * nothing, and so do references of characters: what has such before a colon is refused. */
static bool is_harmless(const char *v, size_t n)
{
    static const char *const schemes[] = {"http", "https", "mailto", "tel", "cid", "msteams"};
    char scheme[16];
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)v[i];
        if (c <= ' ' || c == 0x7f)
            continue;
        if (c == '&')
            return false;
        if (c == '/' || c == '?' || c == '#')
            return true;
        if (c == ':')
            return is_named(scheme, m, schemes, SOSIA_LEN(schemes));
        if (m == sizeof scheme)
            return !memchr(v, ':', n);
        scheme[m++] = (char)c;
    }
    return true;
}

static bool has_word(const char *v, size_t n, const char *word)
{
    const size_t m = strlen(word);
    for (size_t i = 0; i + m <= n; i++)
        if (strncasecmp(v + i, word, m) == 0)
            return true;
    return false;
}

struct attribute {
    const char *name, *value;
    size_t name_len, value_len;
    bool quoted;
    const char *begin, *end; /* of all of it */
};

/* The next one of a tag; false: there are no more. */
static bool next_attribute(const char **at, const char *end, struct attribute *ret)
{
    const char *p = *at;
    while (p < end && (isspace((unsigned char)*p) || *p == '/'))
        p++;
    if (p >= end)
        return false;
    *ret = (struct attribute){.name = p, .begin = p};
    while (p < end && !isspace((unsigned char)*p) && *p != '=' && *p != '/')
        p++;
    if (p == ret->name)
        p++;
    ret->name_len = (size_t)(p - ret->name);
    const char *q = p;
    while (q < end && isspace((unsigned char)*q))
        q++;
    if (q < end && *q == '=') {
        q++;
        while (q < end && isspace((unsigned char)*q))
            q++;
        const char quote = q < end && (*q == '"' || *q == '\'') ? *q++ : 0;
        ret->quoted = quote != 0;
        ret->value = q;
        while (q < end && (quote ? *q != quote : !isspace((unsigned char)*q)))
            q++;
        ret->value_len = (size_t)(q - ret->value);
        p = q + (quote && q < end);
    }
    ret->end = p;
    *at = p;
    return true;
}

static bool is_good(const struct attribute *a)
{
    static const char *const addresses[] = {"href",   "src",        "action",     "background",
                                            "poster", "xlink:href", "formaction", "data"};
    if (a->name_len > 1 && strncasecmp(a->name, "on", 2) == 0)
        return false;
    if (memchr(a->name, '<', a->name_len) || memchr(a->name, '"', a->name_len) ||
        memchr(a->name, '\'', a->name_len))
        return false;
    for (size_t i = 0; i < a->value_len && !a->quoted; i++)
        if (strchr("\"'<`", a->value[i]))
            return false;
    if (is_named(a->name, a->name_len, (const char *const[]){"srcdoc", "srcset"}, 2))
        return false;
    if (is_named(a->name, a->name_len, addresses, SOSIA_LEN(addresses)))
        return is_harmless(a->value ? a->value : "", a->value_len);
    if (is_named(a->name, a->name_len, (const char *const[]){"style"}, 1))
        return a->value && !has_word(a->value, a->value_len, "expression") &&
               !has_word(a->value, a->value_len, "url(") &&
               !has_word(a->value, a->value_len, "import") && !memchr(a->value, '\\', a->value_len);
    return true;
}

/* The tag with the attributes that may stay. */
static void put_tag(struct buf *out, const char *tag, const char *end, size_t name)
{
    const char *p = tag + 1 + (tag[1] == '/') + name, *from = p;
    struct attribute a;
    bool all = true;
    while (next_attribute(&p, end - 1, &a))
        all = all && is_good(&a);
    if (all) {
        buf_add(out, tag, (size_t)(end - tag));
        return;
    }
    buf_add(out, tag, (size_t)(from - tag));
    for (p = from; next_attribute(&p, end - 1, &a);)
        if (is_good(&a)) {
            buf_byte(out, ' ');
            buf_add(out, a.begin, (size_t)(a.end - a.begin));
        }
    buf_puts(out, end[-2] == '/' ? "/>" : ">");
}

/* Behind the end tag of one that goes with its content. */
static const char *skip_content(const char *p, const char *end, const char *name, size_t n)
{
    for (; p < end; p++)
        if (*p == '<' && p + 2 + n < end && p[1] == '/' && strncasecmp(p + 2, name, n) == 0) {
            const char *close = memchr(p, '>', (size_t)(end - p));
            return close ? close + 1 : end;
        }
    return end;
}

/* One '<' and what belongs to it; gives what is behind it. */
static const char *take_tag(struct buf *out, const char *p, const char *end)
{
    const char *name = p + 1 + (p + 1 < end && p[1] == '/');
    const size_t n = name_length(name, end);
    if (p + 4 <= end && memcmp(p, "<!--", 4) == 0) {
        for (const char *q = p + 4; q + 3 <= end; q++)
            if (memcmp(q, "-->", 3) == 0)
                return q + 3;
        return end;
    }
    const char *close = tag_end(name, end);
    if (p + 1 < end && (p[1] == '!' || p[1] == '?'))
        return close ? close : end;
    if (!n) {
        buf_puts(out, "&lt;");
        return p + 1;
    }
    if (!close)
        return end;
    if (is_named(name, n, dropped, SOSIA_LEN(dropped)))
        return p[1] == '/' || close[-2] == '/' ? close : skip_content(close, end, name, n);
    if (is_named(name, n, kept, SOSIA_LEN(kept)))
        put_tag(out, p, close, n);
    return close;
}

const char *teams_clean_html(struct arena *a, const char *html, size_t n)
{
    const char *p = html, *end = html + n;
    struct buf out;
    if (!memchr(html, '<', n))
        return arena_memdup(a, html, n);
    buf_init(&out, 0);
    while (p < end) {
        const char *tag = memchr(p, '<', (size_t)(end - p));
        buf_add(&out, p, (size_t)((tag ? tag : end) - p));
        p = tag ? take_tag(&out, tag, end) : end;
    }
    const char *clean = buf_failed(&out) ? NULL : arena_memdup(a, buf_str(&out), out.len);
    buf_done(&out);
    return clean;
}

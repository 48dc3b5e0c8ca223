/* SPDX-License-Identifier: Apache-2.0 */
/* HTML of messages as it is kept: without scripts, styles, event attributes, addresses that run
 * something, and tags that messages don't have (MG-609). Tags that stay are written anew, with
 * values in double quotes, so that each reader takes them for what this one took them for. */
#include "engine/base/buf.h"
#include "engine/base/made.h"
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

/* Behind a name that a '/', the end of the tag or a space ends. */
static const char *name_end(const char *p, const char *end)
{
    while (p < end && !isspace((unsigned char)*p) && *p != '/' && *p != '>')
        p++;
    return p;
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
    const char *name, *value; /* value NULL: it has none */
    size_t name_len, value_len;
};

/* Where a tag is read; p is at its '>' or at the end of the text when it has no more attributes. */
struct reading {
    const char *p, *end;
    bool closed; /* with "/>" */
};

static void skip_space(struct reading *r)
{
    while (r->p < r->end && isspace((unsigned char)*r->p))
        r->p++;
}

static void read_value(struct reading *r, struct attribute *ret)
{
    skip_space(r);
    const char quote = r->p < r->end && (*r->p == '"' || *r->p == '\'') ? *r->p++ : 0;
    ret->value = r->p;
    while (r->p < r->end &&
           (quote ? *r->p != quote : !isspace((unsigned char)*r->p) && *r->p != '>'))
        r->p++;
    ret->value_len = (size_t)(r->p - ret->value);
    r->p += quote && r->p < r->end;
}

/* The next one of a tag, as HTML's own readers have it; false: there are no more. */
static bool next_attribute(struct reading *r, struct attribute *ret)
{
    for (r->closed = false; r->p < r->end && (isspace((unsigned char)*r->p) || *r->p == '/');
         r->p++)
        r->closed = *r->p == '/';
    if (r->p == r->end || *r->p == '>')
        return false;
    *ret = (struct attribute){.name = r->p++};
    while (r->p < r->end && *r->p != '=' && *r->p != '/' && *r->p != '>' &&
           !isspace((unsigned char)*r->p))
        r->p++;
    ret->name_len = (size_t)(r->p - ret->name);
    skip_space(r);
    if (r->p < r->end && *r->p == '=') {
        r->p++;
        read_value(r, ret);
    }
    return true;
}

/* The value as it is written between double quotes; references of characters stay. */
static void put_value(struct buf *out, const char *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        switch (v[i]) {
        case '"':
            buf_puts(out, "&quot;");
            break;
        case '<':
            buf_puts(out, "&lt;");
            break;
        case '>':
            buf_puts(out, "&gt;");
            break;
        default:
            buf_byte(out, v[i]);
        }
}

/* Letters, digits, '-', '_', '.' and ':', and not the name of an event. */
static bool is_good_name(const char *name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("-_.:", name[i]))
            return false;
    return n < 2 || strncasecmp(name, "on", 2) != 0;
}

/* Style sheets hide words behind references: those that put_value() makes, and '&', hide none. */
static bool is_good_style(const char *v, size_t n)
{
    static const char *const plain[] = {"&quot;", "&lt;", "&gt;", "&amp;"};
    static const char *const words[] = {"expression", "url(", "import", "\\"};
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (has_word(v, n, words[i]))
            return false;
    for (size_t i = 0; i < n; i++) {
        bool known = v[i] != '&';
        for (size_t k = 0; k < SOSIA_LEN(plain) && !known; k++)
            known = n - i >= strlen(plain[k]) && memcmp(v + i, plain[k], strlen(plain[k])) == 0;
        if (!known)
            return false;
    }
    return true;
}

/* May it stay, with its value as it is written? */
static bool is_good(const struct attribute *a, const char *v, size_t n)
{
    static const char *const addresses[] = {"href",   "src",        "action",     "background",
                                            "poster", "xlink:href", "formaction", "data"};
    if (!is_good_name(a->name, a->name_len) ||
        is_named(a->name, a->name_len, (const char *const[]){"srcdoc", "srcset"}, 2))
        return false;
    if (is_named(a->name, a->name_len, addresses, SOSIA_LEN(addresses)))
        return is_harmless(v, n);
    return !is_named(a->name, a->name_len, (const char *const[]){"style"}, 1) ||
           (a->value && is_good_style(v, n));
}

/* Writes the tag at r, behind its name, with the attributes that may stay, or nothing where it does
 * not end; out NULL: passes over it. */
static void put_tag(struct buf *out, const char *tag, struct reading *r)
{
    const size_t before = out ? out->len : 0;
    struct attribute a;
    if (out)
        buf_add(out, tag, (size_t)(r->p - tag));
    while (next_attribute(r, &a)) {
        if (!out)
            continue;
        const size_t at = out->len;
        buf_byte(out, ' ');
        buf_add(out, a.name, a.name_len);
        if (a.value)
            buf_puts(out, "=\"");
        const size_t value = out->len;
        put_value(out, a.value, a.value_len);
        if (!buf_failed(out) && !is_good(&a, buf_str(out) + value, out->len - value))
            out->len = at;
        else if (a.value)
            buf_byte(out, '"');
    }
    if (out && r->p < r->end)
        buf_puts(out, r->closed ? "/>" : ">");
    else if (out && !buf_failed(out))
        out->len = before;
    r->p += r->p < r->end;
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

/* Behind what a '<' of no tag begins: a comment, a declaration. */
static const char *skip_comment(const char *p, const char *end)
{
    const bool comment = end - p >= 4 && memcmp(p, "<!--", 4) == 0;
    const char *close = comment ? NULL : memchr(p, '>', (size_t)(end - p));
    for (const char *q = p + 4; comment && q + 3 <= end; q++)
        if (memcmp(q, "-->", 3) == 0)
            return q + 3;
    return close ? close + 1 : end;
}

/* One '<' and what belongs to it; gives what is behind it. */
static const char *take_tag(struct buf *out, const char *p, const char *end)
{
    const bool ends = p + 1 < end && p[1] == '/';
    const char *name = p + 1 + ends;
    if (p + 1 < end && (p[1] == '!' || p[1] == '?'))
        return skip_comment(p, end);
    if (name == end || !isalpha((unsigned char)*name)) {
        buf_puts(out, "&lt;");
        return p + 1;
    }
    struct reading r = {.p = name_end(name, end), .end = end};
    const size_t n = (size_t)(r.p - name);
    const bool goes = is_named(name, n, dropped, SOSIA_LEN(dropped));
    put_tag(is_named(name, n, kept, SOSIA_LEN(kept)) ? out : NULL, p, &r);
    return goes && !ends && !r.closed ? skip_content(r.p, end, name, n) : r.p;
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
    const char *clean = buf_made(&out, a);
    return clean;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Markdown with HTML in it, as "desktop-commander" makes PDF files of it: what tags say becomes
 * Markdown where that has it, and page breaks become form feeds. */
#include "mcp/servers/desktop/desktop.h"
#include <ctype.h>
#include <strings.h>

#define BLOCK "\n\n"
/* How often as much as the text is may be looked at in vain; behind that all is text, so that a
 * text of tags without ends takes no time of its square. */
#define VAIN_MOST 32

static const struct tag {
    const char *name, *open, *close;
} tags[] = {{"b", "**", "**"},
            {"strong", "**", "**"},
            {"i", "*", "*"},
            {"em", "*", "*"},
            {"code", "`", "`"},
            {"br", "  \n", ""},
            {"hr", "\n\n---\n\n", ""},
            {"h1", "\n\n# ", BLOCK},
            {"h2", "\n\n## ", BLOCK},
            {"h3", "\n\n### ", BLOCK},
            {"h4", "\n\n#### ", BLOCK},
            {"h5", "\n\n##### ", BLOCK},
            {"h6", "\n\n###### ", BLOCK},
            {"p", BLOCK, BLOCK},
            {"div", BLOCK, BLOCK},
            {"section", BLOCK, BLOCK},
            {"ul", BLOCK, BLOCK},
            {"ol", BLOCK, BLOCK},
            {"li", "\n- ", "\n"},
            {"table", BLOCK, BLOCK},
            {"tr", "\n", "\n"},
            {"td", "", " "},
            {"th", "", " "}};
/* What is in these is not text. */
static const char *const silent[] = {"style", "script", "svg", "head", "title"};

/* The length of a line's fence of code with its spaces; 0: it is none. */
static size_t fence(const char *line, size_t n)
{
    size_t at = 0, from;
    while (at < n && at < 3 && line[at] == ' ')
        at++;
    from = at;
    while (at < n && (line[at] == '`' || line[at] == '~') && line[at] == line[from])
        at++;
    return at - from >= 3 ? at : 0;
}

/* Where the tag that begins there ends, behind its bracket; 0: it is none, and *vain grows by what
 * was looked at. */
static size_t tag_end(const char *text, size_t n, size_t *vain)
{
    size_t at = 1 + (n > 1 && text[1] == '/');
    char quote = 0;
    if (at >= n || !isalpha((unsigned char)text[at]))
        return 0;
    while (at < n && (isalnum((unsigned char)text[at]) || text[at] == '-'))
        at++;
    if (at >= n || !strchr(" \t\n/>", text[at])) /* an address */
        return 0;
    for (; at < n; at++) {
        if (quote)
            quote = text[at] == quote ? 0 : quote;
        else if (text[at] == '"' || text[at] == '\'')
            quote = text[at];
        else if (text[at] == '>')
            return at + 1;
    }
    *vain += n;
    return 0;
}

static bool has_word(const char *text, size_t n, const char *word)
{
    const size_t len = strlen(word);
    for (size_t i = 0; i + len <= n; i++)
        if (strncasecmp(text + i, word, len) == 0)
            return true;
    return false;
}

/* Whether a tag's style has a break of pages on one side. */
static bool breaks(const char *tag, size_t n, const char *side)
{
    return has_word(tag, n, side) &&
           (has_word(tag, n, "always") || has_word(tag, n, ": page") || has_word(tag, n, ":page"));
}

/* How much of a text is skipped with an element of which nothing is said, its end included. */
static size_t past_silent(const char *text, size_t n, const char *name, size_t len)
{
    for (size_t i = 0; i + len + 2 <= n; i++)
        if (text[i] == '<' && text[i + 1] == '/' && strncasecmp(text + i + 2, name, len) == 0) {
            const char *end = memchr(text + i, '>', n - i);
            return end ? (size_t)(end - text) + 1 : n;
        }
    return 0;
}

/* Adds what a tag says; gives how many bytes are done with. vain: as of tag_end(), for the end of
 * its element. */
static size_t put_tag(struct buf *b, const char *text, size_t n, size_t end, size_t *vain)
{
    const bool closing = text[1] == '/';
    const char *name = text + 1 + closing;
    size_t len = 0;
    while (isalnum((unsigned char)name[len]) || name[len] == '-')
        len++;
    for (size_t i = 0; i < SOSIA_LEN(silent); i++)
        if (!closing && strlen(silent[i]) == len && strncasecmp(silent[i], name, len) == 0) {
            const size_t past = past_silent(text + end, n - end, name, len);
            *vain += past ? 0 : n - end;
            return end + past;
        }
    if (!closing && breaks(text, end, "break-before"))
        buf_byte(b, '\f');
    for (size_t i = 0; i < SOSIA_LEN(tags); i++)
        if (strlen(tags[i].name) == len && strncasecmp(tags[i].name, name, len) == 0)
            buf_puts(b, closing ? tags[i].close : tags[i].open);
    if (!closing && breaks(text, end, "break-after"))
        buf_byte(b, '\f');
    return end;
}

/* Adds a span of code with its marks; gives its length, or that of its marks where it has no end:
 * then *vain grows as that of tag_end(). */
static size_t put_code(struct buf *b, const char *text, size_t n, size_t *vain)
{
    size_t marks = 0, run = 0, end = 0, i;
    while (marks < n && text[marks] == '`')
        marks++;
    for (i = marks; i < n && !end && !(text[i] == '\n' && i + 1 < n && text[i + 1] == '\n'); i++) {
        run = text[i] == '`' ? run + 1 : 0;
        if (run == marks && (i + 1 == n || text[i + 1] != '`'))
            end = i + 1;
    }
    *vain += end ? 0 : i;
    buf_add(b, text, end ? end : marks);
    return end ? end : marks;
}

/* The lines of what is in front of the text, between two of "---": how many bytes. */
static size_t matter(const char *text, size_t n)
{
    if (n < 4 || strncmp(text, "---\n", 4) != 0)
        return 0;
    const char *end = memmem(text + 3, n - 3, "\n---\n", 5);
    return end ? (size_t)(end - text) + 5 : 0;
}

/* A note in a text's HTML: its length; 0: it is none. */
static size_t note_end(const char *text, size_t n, size_t *vain)
{
    if (n < 4 || memcmp(text, "<!--", 4) != 0)
        return 0;
    const char *end = memmem(text, n, "-->", 3);
    *vain += end ? 0 : n;
    return end ? (size_t)(end - text) + 3 : 0;
}

/* Adds what begins at a place outside of code; gives how many bytes are done with. looks: whether
 * the ends of tags, notes and spans are looked for. */
static size_t put_next(struct buf *b, const char *text, size_t n, bool looks, size_t *vain)
{
    size_t end = 0;
    if (looks && *text == '`')
        return put_code(b, text, n, vain);
    if (looks && *text == '<') {
        if ((end = note_end(text, n, vain)))
            return end;
        if ((end = tag_end(text, n, vain)))
            return put_tag(b, text, n, end, vain);
    }
    buf_byte(b, *text == '\f' ? ' ' : *text);
    return 1;
}

void desktop_put_markdown(struct buf *b, const char *text, size_t n)
{
    bool code = false, begun = true; /* within a fence; at the beginning of a line */
    size_t vain = 0;                 /* bytes in which an end was looked for that is not there */
    for (size_t i = matter(text, n); i < n;) {
        if (begun || code) {
            const char *feed = memchr(text + i, '\n', n - i);
            const size_t line = feed ? (size_t)(feed - text) - i + 1 : n - i;
            const bool is_fence = begun && fence(text + i, line);
            code ^= is_fence;
            if (code || is_fence) {
                buf_add(b, text + i, line);
                i += line;
                continue;
            }
        }
        begun = text[i] == '\n';
        i += put_next(b, text + i, n - i, vain <= VAIN_MOST * (n + 4096), &vain);
    }
}

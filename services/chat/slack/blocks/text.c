/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts as they are stored, and the rich_text block that a text becomes: mrkdwn (docs.slack.dev,
 * formatting message text) read line by line. One pass, no nesting beyond styles, linear in time
 * but for the search of a style's end, which stops at the end of its line.
 */
#include "engine/base/codec.h"
#include "engine/store/rendered.h"
#include "services/chat/core/corpus.h"
#include "services/chat/slack/web/emoji.h"
#include "services/chat/slack/sl.h"
#include <ctype.h>

size_t sl_characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static const char block_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const char *sl_block_id(struct tx *tx)
{
    uint8_t random[6];
    if (tx_id(tx, "chat.block", random, sizeof random) < 0)
        return NULL;
    char *id = arena_alloc(tx->arena, 6);
    size_t n = 3 + random[5] % 3;
    for (size_t i = 0; i < n; i++)
        id[i] = block_digits[random[i] & 63];
    id[n] = 0;
    return id;
}

/* ---- storing ---- */

static bool is_link(const char *text)
{
    return strncmp(text, "http://", 7) == 0 || strncmp(text, "https://", 8) == 0;
}

/* How long a bare link is: up to whitespace or markup, without the full stop behind it. */
static size_t link_len(const char *text)
{
    size_t n = strcspn(text, " \t\r\n<>\"|`");
    const char *escaped = memmem(text, n, "&lt;", 4), *end = memmem(text, n, "&gt;", 4);
    if (escaped)
        n = (size_t)(escaped - text);
    if (end && end < text + n)
        n = (size_t)(end - text);
    while (n && strchr(".,;:!?)'*_~", text[n - 1]))
        n--;
    return n > 8 ? n : 0;
}

/* A reference in angle brackets: its length with them; 0: it is none. */
static size_t reference_len(const char *text)
{
    size_t n = strcspn(text + 1, "<>\n") + 1;
    if (text[n] != '>' || n < 3)
        return 0;
    bool known = strchr("@#!", text[1]) || is_link(text + 1) ||
                 strncmp(text + 1, "mailto:", 7) == 0 || strncmp(text + 1, "tel:", 4) == 0 ||
                 memmem(text + 1, n - 1, "://", 3);
    return known ? n + 1 : 0;
}

static bool is_entity(const char *text)
{
    return strncmp(text, "&amp;", 5) == 0 || strncmp(text, "&lt;", 4) == 0 ||
           strncmp(text, "&gt;", 4) == 0;
}

/* ":wave:", ":wave::skin-tone-2:" or, of two people, ":handshake::skin-tone-2-3:" */
static void add_emoji(struct buf *b, const struct sl_emoji_found *e)
{
    buf_printf(b, ":%s:", e->emoji->name);
    if (e->next)
        buf_printf(b, ":skin-tone-%d-%d:", e->tone, e->next);
    else if (e->tone)
        buf_printf(b, ":skin-tone-%d:", e->tone);
}

const char *sl_text_stored(struct call *c, const char *text, bool links)
{
    struct buf b;
    size_t n;
    buf_init(&b, 4 << 20);
    for (const char *p = text; *p;) {
        struct sl_emoji_found found;
        bool start = p == text || !isalnum((unsigned char)p[-1]);
        if (*p == '<' && (n = reference_len(p))) {
            buf_add(&b, p, n);
            p += n;
        } else if (links && start && is_link(p) && (n = link_len(p))) {
            buf_byte(&b, '<');
            buf_add(&b, p, n);
            buf_byte(&b, '>');
            p += n;
        } else if (sl_emoji_at(p, &found)) {
            add_emoji(&b, &found);
            p += found.len;
        } else if (*p == '<' || *p == '>' || (*p == '&' && !is_entity(p))) {
            buf_puts(&b, *p == '<' ? "&lt;" : *p == '>' ? "&gt;" : "&amp;");
            p++;
        } else {
            buf_byte(&b, *p++);
        }
    }
    const char *stored = buf_failed(&b) ? text : arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return stored;
}

/* ---- blocks ---- */

enum style { BOLD = 1, ITALIC = 2, STRIKE = 4, CODE = 8 };

struct rich {
    struct call *c;
    struct json_writer *w;
    struct buf plain; /* text that is not written yet, without escapes */
    unsigned style;   /* of it */
    bool unmarked;    /* marks are characters: of references and emoji alone are elements */
};

static void write_style(struct json_writer *w, unsigned style)
{
    static const char *const names[] = {"bold", "italic", "strike", "code"};
    if (!style)
        return;
    json_obj(w, "style");
    for (int i = 0; i < 4; i++)
        json_bool_opt(w, names[i], style >> i & 1);
    json_end(w);
}

static void flush(struct rich *r)
{
    if (r->plain.len) {
        json_obj(r->w, NULL);
        json_str(r->w, "type", "text");
        json_strn(r->w, "text", r->plain.data, r->plain.len);
        write_style(r->w, r->style);
        json_end(r->w);
    }
    buf_clear(&r->plain);
}

/* A character of a stored text, with its escape read: how many bytes it took. */
static size_t add_plain(struct rich *r, const char *p)
{
    size_t n;
    buf_byte(&r->plain, sl_unescaped(p, &n));
    return n;
}

static const char *unescaped(struct rich *r, const char *text, size_t n)
{
    struct rich copy = {.c = r->c};
    buf_init(&copy.plain, 0);
    for (const char *p = text; p < text + n;)
        p += add_plain(&copy, p);
    const char *all = arena_memdup(r->c->tx.arena, buf_str(&copy.plain), copy.plain.len);
    buf_done(&copy.plain);
    return all;
}

/* What is between "<!" and ">". */
static void write_special(struct rich *r, const char *in, size_t n, const char *label,
                          size_t label_len)
{
    struct json_writer *w = r->w;
    char *name = arena_memdup(r->c->tx.arena, in, n);
    if (strncmp(name, "subteam^", 8) == 0) {
        json_str(w, "type", "usergroup");
        json_str(w, "usergroup_id", name + 8);
    } else if (strncmp(name, "date^", 5) == 0) {
        char *format = strchr(name + 5, '^');
        char *url = format ? strchr(format + 1, '^') : NULL;
        int64_t at = 0;
        if (format)
            *format++ = 0;
        if (url)
            *url++ = 0;
        parse_i64(name + 5, strlen(name + 5), &at);
        json_str(w, "type", "date");
        json_int(w, "timestamp", at);
        json_str(w, "format", format ? format : "");
        if (url)
            json_str(w, "url", url);
        if (label)
            json_str(w, "fallback", unescaped(r, label, label_len));
    } else {
        json_str(w, "type", "broadcast");
        json_str(w, "range", name);
    }
}

static void write_reference(struct rich *r, const char *in, size_t n)
{
    struct json_writer *w = r->w;
    const char *bar = memchr(in, '|', n);
    size_t k = bar ? (size_t)(bar - in) : n, label_len = bar ? n - k - 1 : 0;
    const char *label = bar && label_len ? bar + 1 : NULL;
    flush(r);
    json_obj(w, NULL);
    if (*in == '@') {
        json_str(w, "type", "user");
        json_strn(w, "user_id", in + 1, k - 1);
    } else if (*in == '#') {
        json_str(w, "type", "channel");
        json_strn(w, "channel_id", in + 1, k - 1);
    } else if (*in == '!') {
        write_special(r, in + 1, k - 1, label, label_len);
    } else {
        json_str(w, "type", "link");
        json_str(w, "url", unescaped(r, in, k));
        if (label)
            json_str(w, "text", unescaped(r, label, label_len));
    }
    write_style(w, r->style);
    json_end(w);
}

/* The tone that follows the name of an emoji, ":skin-tone-2:"; 0: none. */
static int tone_at(const struct sl_emoji *e, const char *p, const char *end)
{
    static const char tone[] = ":skin-tone-";
    size_t n = sizeof tone - 1;
    bool there = e && e->flags & SL_EMOJI_TONES && (size_t)(end - p) >= n + 2 &&
                 memcmp(p, tone, n) == 0 && p[n] >= '2' && p[n] <= '6' && p[n + 1] == ':';
    return there ? p[n] - '0' : 0;
}

/* ":tada:" as an element; 0: it is not an emoji's name. */
static size_t write_emoji(struct rich *r, const char *p, const char *end)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789_+-'";
    size_t n = strspn(p + 1, word);
    const struct sl_emoji *known;
    char code[SL_EMOJI_CODE];
    if (!n || p + 1 + n >= end || p[1 + n] != ':' || n > 100)
        return 0;
    known = sl_emoji_named(p + 1, n);
    if (!known && strspn(p + 1, "0123456789") == n)
        return 0; /* a time: 10:30:00 */
    int tone = tone_at(known, p + n + 2, end);
    flush(r);
    json_obj(r->w, NULL);
    json_str(r->w, "type", "emoji");
    json_strn(r->w, "name", p + 1, n);
    if (known && known->code) {
        sl_emoji_code(known, tone, code);
        json_str(r->w, "unicode", code);
    }
    if (tone)
        json_int(r->w, "skin_tone", tone);
    write_style(r->w, r->style);
    json_end(r->w);
    return n + 2 + (tone ? strlen(":skin-tone-2:") : 0);
}

static unsigned style_of(char mark)
{
    return mark == '*'   ? BOLD
           : mark == '_' ? ITALIC
           : mark == '~' ? STRIKE
           : mark == '`' ? CODE
                         : 0;
}

static bool is_word(char ch)
{
    return isalnum((unsigned char)ch) || (unsigned char)ch >= 0x80;
}

/* Of words that touch, "_a_*b*", one style at most shows: none begins behind another's mark, and
 * none but italic ends before one (as clients have seen it). */
static bool may_end(const char *q, const char *end)
{
    if (q + 1 == end)
        return true;
    return !is_word(q[1]) && (*q == '`' || *q == '_' || !strchr("*_~", q[1]));
}

/* Where the style that begins at p ends; NULL: it is a plain character. */
static const char *style_end(const char *start, const char *p, const char *end)
{
    if (p > start && (is_word(p[-1]) || (*p != '`' && strchr("*_~", p[-1]))))
        return NULL;
    if (p + 2 >= end || p[1] == ' ' || p[1] == *p)
        return NULL;
    for (const char *q = p + 2; q < end; q++)
        if (*q == *p && q[-1] != ' ' && may_end(q, end))
            return q;
    return NULL;
}

/* The elements of a line, or of a part of one with a style. */
static void write_inline(struct rich *r, const char *start, const char *end, unsigned style)
{
    const char *none[128] = {0}; /* marks whose end was looked for in vain */
    r->style = style;
    for (const char *p = start; p < end;) {
        size_t n;
        unsigned mark = style_of(*p);
        const char *stop = NULL;
        if (mark && !r->unmarked && !(style & mark) && !(style & CODE) &&
            !none[(unsigned char)*p]) {
            stop = style_end(start, p, end);
            if (!stop && (p == start || !is_word(p[-1])))
                none[(unsigned char)*p] = p;
        }
        if (stop) {
            flush(r);
            write_inline(r, p + 1, stop, style | mark);
            flush(r);
            r->style = style;
            p = stop + 1;
        } else if (*p == '<' && !(style & CODE) && (n = reference_len(p)) && p + n <= end) {
            write_reference(r, p + 1, n - 2);
            p += n;
        } else if (*p == ':' && !(style & CODE) && (n = write_emoji(r, p, end))) {
            p += n;
        } else {
            p += add_plain(r, p);
        }
    }
}

enum line { LINE_TEXT, LINE_QUOTE, LINE_QUOTES, LINE_BULLET, LINE_NUMBER, LINE_FENCE };

/* What a line is, and where its text begins. */
static enum line line_kind(const struct rich *r, const char *p, const char *end,
                           const char **ret_text)
{
    static const char quotes[] = "&gt;&gt;&gt;";
    size_t n = sizeof quotes - 1;
    *ret_text = p;
    if (r->unmarked)
        return LINE_TEXT;
    if ((size_t)(end - p) > n && memcmp(p, quotes, n) == 0) {
        *ret_text = p + n + (p[n] == ' ');
        return LINE_QUOTES;
    }
    if (end - p >= 3 && strncmp(p, "```", 3) == 0)
        return LINE_FENCE;
    if (end - p >= 4 && strncmp(p, "&gt;", 4) == 0) {
        *ret_text = p + 4 + (p + 4 < end && p[4] == ' ');
        return LINE_QUOTE;
    }
    if (end - p > 4 && strncmp(p, "\xe2\x80\xa2 ", 4) == 0) {
        *ret_text = p + 4;
        return LINE_BULLET;
    }
    if (end - p > 2 && strncmp(p, "- ", 2) == 0) {
        *ret_text = p + 2;
        return LINE_BULLET;
    }
    n = strspn(p, "0123456789");
    if (n && n < 4 && p + n + 2 < end && strncmp(p + n, ". ", 2) == 0) {
        *ret_text = p + n + 2;
        return LINE_NUMBER;
    }
    return LINE_TEXT;
}

static void open_element(struct rich *r, const char *type)
{
    json_obj(r->w, NULL);
    json_str(r->w, "type", type);
}

static void write_section(struct rich *r, const char *from, const char *to)
{
    open_element(r, "rich_text_section");
    json_arr(r->w, "elements");
    write_inline(r, from, to, 0);
    flush(r);
    json_end(r->w);
    json_end(r->w);
}

static const char *line_end(const char *p)
{
    return p + strcspn(p, "\n");
}

/* Text between fences, which may be on one line. Gives where it ends; NULL: no fence closes it.
 */
static const char *write_fence(struct rich *r, const char *p)
{
    const char *from = p + 3, *to = strstr(from, "```");
    if (!to)
        return NULL;
    const char *after = to + 3;
    from += *from == '\n';
    to -= to > from && to[-1] == '\n';
    open_element(r, "rich_text_preformatted");
    json_arr(r->w, "elements");
    r->style = 0;
    for (const char *q = from; q < to;)
        q += add_plain(r, q);
    flush(r);
    json_end(r->w);
    json_int(r->w, "border", 0);
    json_end(r->w);
    return after + (*after == '\n');
}

/* The lines of one kind from p on: a list or a quote. Three signs quote all that follows. */
static const char *write_lines(struct rich *r, const char *p, enum line kind)
{
    const char *text;
    bool all = kind == LINE_QUOTES, list = !all && kind != LINE_QUOTE, first = true;
    open_element(r, list ? "rich_text_list" : "rich_text_quote");
    if (list)
        json_str(r->w, "style", kind == LINE_BULLET ? "bullet" : "ordered");
    json_arr(r->w, "elements");
    while (*p && (line_kind(r, p, line_end(p), &text) == kind || all)) {
        const char *end = line_end(p);
        if (all && !first)
            text = p;
        if (list) {
            write_section(r, text, end);
        } else {
            if (!first)
                buf_byte(&r->plain, '\n');
            write_inline(r, text, end, 0);
        }
        first = false;
        p = end + (*end == '\n');
    }
    flush(r);
    json_end(r->w);
    if (list) {
        json_int(r->w, "indent", 0);
        json_int(r->w, "border", 0);
    }
    json_end(r->w);
    return p;
}

/* A fence within the line that another one closes; NULL: none. */
static const char *inner_fence(const char *p, const char *end)
{
    const char *fence = memmem(p, (size_t)(end - p), "```", 3);
    return fence && strstr(fence + 3, "```") ? fence : NULL;
}

/* Lines of text from p on, until something else begins. */
static const char *write_plain_lines(struct rich *r, const char *p, bool fences)
{
    const char *body;
    open_element(r, "rich_text_section");
    json_arr(r->w, "elements");
    for (;;) {
        const char *end = line_end(p);
        const char *fence = fences && !r->unmarked ? inner_fence(p, end) : NULL;
        write_inline(r, p, fence ? fence : end, 0);
        p = fence ? fence : end;
        if (!*p || fence)
            break;
        enum line kind = line_kind(r, p + 1, line_end(p + 1), &body);
        r->style = 0;
        if ((kind != LINE_TEXT && (kind != LINE_FENCE || fences)) || !p[1]) {
            p++;
            break;
        }
        buf_byte(&r->plain, '\n');
        p++;
    }
    flush(r);
    json_end(r->w);
    json_end(r->w);
    return p;
}

static void write_elements(struct rich *r, const char *text)
{
    const char *body;
    bool fences = true; /* once none closes, none will */
    for (const char *p = text; *p;) {
        enum line kind = line_kind(r, p, line_end(p), &body);
        const char *after = kind == LINE_FENCE && fences ? write_fence(r, p) : NULL;
        if (after) {
            p = after;
            continue;
        }
        fences = fences && kind != LINE_FENCE;
        p = kind == LINE_TEXT || kind == LINE_FENCE ? write_plain_lines(r, p, fences)
                                                    : write_lines(r, p, kind);
    }
}

static const char *blocks_of(struct call *c, const char *text, bool plain, const char *id)
{
    const char *json = NULL;
    struct buf b;
    struct json_writer w;
    struct rich r = {.c = c, .w = &w, .unmarked = plain};
    buf_init(&b, 16 << 20);
    buf_init(&r.plain, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    json_obj(&w, NULL);
    json_str(&w, "type", "rich_text");
    json_str(&w, "block_id", id);
    json_arr(&w, "elements");
    write_elements(&r, text);
    json_end(&w);
    json_end(&w);
    json_end(&w);
    if (!buf_failed(&b) && !buf_failed(&r.plain))
        json = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    else
        sosia_fail_memory(c->tx.err);
    buf_done(&b);
    buf_done(&r.plain);
    return json;
}

const char *sl_text_blocks(struct call *c, const char *text, int64_t flags)
{
    const char *id = sl_block_id(&c->tx);
    return id ? blocks_of(c, text, flags & CHAT_PLAIN, id) : NULL;
}

const char *sl_message_blocks(struct call *c, const struct chat_message *m)
{
    static const char what[] = "slack.blocks";
    char id[7]; /* the last one says whether marks are read */
    const char *made;
    size_t len = strlen(m->text), n_made;
    bool plain = m->flags & CHAT_PLAIN;
    uint64_t n = (uint64_t)m->ts_us * UINT64_C(0x9e3779b97f4a7c15);
    if (m->blocks || !(m->flags & CHAT_MADE_BLOCKS) || !*m->text)
        return m->blocks;
    for (int i = 0; i < 5; i++)
        id[i] = block_digits[n >> (58 - 6 * i) & 63];
    id[5] = 0;
    id[6] = (char)plain;
    /* They follow from these bytes alone. */
    char *of = arena_alloc(c->tx.arena, sizeof id + len);
    uint32_t view = rendered_view(c->tx.db, what, sizeof what);
    memcpy(of, id, sizeof id);
    memcpy(of + sizeof id, m->text, len);
    if (view && rendered_find(c->tx.db, view, of, sizeof id + len, &made, &n_made))
        return arena_memdup(c->tx.arena, made, n_made);
    made = blocks_of(c, m->text, plain, id);
    if (view && made)
        rendered_keep(c->tx.db, view, of, sizeof id + len, made, strlen(made));
    return made;
}

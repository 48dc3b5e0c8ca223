/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Markdown to documents: what CommonMark calls headings, lists, quotes, rules, code, emphasis and
 * links, and the tables and strike-through that editors add to it. In one pass over lines, and in
 * linear time whatever is left open; no library does tables without a registry for the process.
 */
#include "services/drive/core/document/format_impl.h"

enum { LINK_MAX = 2000, BRACKETS = 32 }; /* of a link; in one another */

struct reader {
    struct builder *b;
    const char *text;
    size_t len, at;
    struct buf inline_text; /* of the paragraph that is open */
    struct text_block *block;
    unsigned indent[LIST_LEVELS]; /* of the items of the lists that are open */
    unsigned n_lists;
};

struct line {
    const char *text;
    size_t len;
    unsigned indent;
};

/* ---- within a paragraph ---- */

struct inlines {
    struct builder *b;
    const char *text;
    size_t len;
    unsigned style;
    const char *link;
    size_t none[6]; /* no such delimiter closes behind this place: * ** ~~ _ __ and ` */
};

static bool is_mark(char c)
{
    return c && strchr("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80);
}

static size_t run_of(const struct inlines *in, size_t at)
{
    size_t n = 1;
    while (at + n < in->len && in->text[at + n] == in->text[at])
        n++;
    return n;
}

/* May a run of n at `at` open, may it close (CommonMark 0.30, 6.2)? */
static bool opens_at(const struct inlines *in, size_t at, size_t n)
{
    char before = at ? in->text[at - 1] : ' ', after = at + n < in->len ? in->text[at + n] : ' ';
    return !is_space(after) && (!is_mark(after) || is_space(before) || is_mark(before)) &&
           !(in->text[at] == '_' && is_word(before));
}

static bool closes_at(const struct inlines *in, size_t at, size_t n)
{
    char before = at ? in->text[at - 1] : ' ', after = at + n < in->len ? in->text[at + n] : ' ';
    return !is_space(before) && (!is_mark(before) || is_space(after) || is_mark(after)) &&
           !(in->text[at] == '_' && is_word(after));
}

/* Does a delimiter of n such characters close behind `from`? kind: its place in none[]. */
static bool closes(struct inlines *in, size_t from, char c, size_t n, unsigned kind)
{
    if (from >= in->none[kind])
        return false;
    for (size_t i = from; i < in->len; i++) {
        if (in->text[i] == '\\') {
            i++;
        } else if (in->text[i] == c) {
            size_t run = run_of(in, i);
            if (run >= n && closes_at(in, i, run))
                return true;
            i += run - 1;
        }
    }
    in->none[kind] = from;
    return false;
}

static void md_put(struct inlines *in, const char *text, size_t n)
{
    build_run(in->b, text, n, in->style, in->link);
}

/* Emphasis at `at`; gives how many characters it took, 0: it is text. */
static size_t emphasis(struct inlines *in, size_t at)
{
    char c = in->text[at];
    size_t run = run_of(in, at), take = c == '~' ? 2 : run >= 2 ? 2 : 1;
    unsigned style = c == '~' ? RUN_STRIKE : take == 2 ? RUN_BOLD : RUN_ITALIC;
    if (run < take)
        return 0;
    if ((in->style & style) && closes_at(in, at, run)) {
        in->style &= ~style;
        return take;
    }
    if ((in->style & style) || !opens_at(in, at, run) ||
        !closes(in, at + run, c, take,
                c == '~'   ? 2
                : c == '_' ? (unsigned)take + 2
                           : (unsigned)take - 1))
        return 0;
    in->style |= style;
    return take;
}

static size_t code(struct inlines *in, size_t at)
{
    size_t run = run_of(in, at);
    if (run == 1 && at >= in->none[5])
        return 0;
    for (size_t i = at + run; i < in->len; i++) {
        if (in->text[i] != '`')
            continue;
        size_t close = run_of(in, i);
        if (close == run) {
            in->style |= RUN_CODE;
            md_put(in, in->text + at + run, i - at - run);
            in->style &= ~(unsigned)RUN_CODE;
            return i + run - at;
        }
        i += close - 1;
    }
    if (run == 1)
        in->none[5] = at;
    return 0;
}

/* [text](url) at `at`: its two parts. */
static size_t link_at(const struct inlines *in, size_t at, size_t *ret_text_end, size_t *ret_url,
                      size_t *ret_url_end)
{
    size_t i = at + 1, end = in->len - at > LINK_MAX ? at + LINK_MAX : in->len, depth = 1;
    for (; i < end; i++) {
        if (in->text[i] == '\\')
            i++;
        else if (in->text[i] == '[' && ++depth > BRACKETS)
            return 0;
        else if (in->text[i] == ']' && --depth == 0)
            break;
    }
    if (i + 1 >= end || in->text[i + 1] != '(')
        return 0;
    *ret_text_end = i;
    *ret_url = i + 2;
    for (i += 2; i < end && in->text[i] != ')' && !is_space(in->text[i]); i++)
        ;
    *ret_url_end = i;
    while (i < end && in->text[i] != ')')
        i++;
    return i < end ? i + 1 - at : 0;
}

static void put_inline(struct inlines *in, unsigned depth);

static size_t put_link(struct inlines *in, size_t at, bool image, unsigned depth)
{
    size_t text_end, url, url_end, n = link_at(in, at, &text_end, &url, &url_end);
    if (!n || depth > 1)
        return 0;
    struct inlines below = {.b = in->b,
                            .text = in->text + at + 1,
                            .len = text_end - at - 1,
                            .style = in->style,
                            .link = in->link,
                            .none = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    if (url < url_end && in->text[url] == '<' && in->text[url_end - 1] == '>') {
        url++;
        url_end--;
    }
    if (!image)
        below.link = build_link(in->b, arena_memdup(in->b->arena, in->text + url, url_end - url));
    put_inline(&below, depth + 1);
    return n;
}

static size_t put_address(struct inlines *in, size_t at)
{
    size_t i = at + 1, end = in->len - at > LINK_MAX ? at + LINK_MAX : in->len;
    while (i < end && in->text[i] != '>' && in->text[i] != '<' && !is_space(in->text[i]))
        i++;
    if (i >= end || in->text[i] != '>')
        return 0;
    const char *url = arena_memdup(in->b->arena, in->text + at + 1, i - at - 1);
    const char *outer = in->link;
    if (!build_link(in->b, url))
        return 0;
    in->link = build_link(in->b, url);
    md_put(in, url, i - at - 1);
    in->link = outer;
    return i + 1 - at;
}

/* What a character that may mean something does; gives how many were taken, 0: it is text. */
static size_t meaning(struct inlines *in, size_t at, unsigned depth)
{
    char next = at + 1 < in->len ? in->text[at + 1] : 0;
    size_t n;
    switch (in->text[at]) {
    case '\\':
        if (next != '\n' && !is_mark(next))
            return 0;
        md_put(in, &in->text[at + 1], 1);
        return 2;
    case '*':
    case '_':
    case '~':
        return emphasis(in, at);
    case '`':
        return code(in, at);
    case '[':
        return put_link(in, at, false, depth);
    case '!':
        n = next == '[' ? put_link(in, at + 1, true, depth) : 0;
        return n ? n + 1 : 0;
    case '<':
        return put_address(in, at);
    case '\n':
        md_put(in, at >= 2 && in->text[at - 1] == ' ' && in->text[at - 2] == ' ' ? "\n" : " ", 1);
        return 1;
    default:
        return 0;
    }
}

static void put_inline(struct inlines *in, unsigned depth)
{
    size_t from = 0, i = 0;
    while (i < in->len && !in->b->full) {
        if (!is_mark(in->text[i]) && in->text[i] != '\n') {
            i++;
            continue;
        }
        /* what is in front goes first, as the meaning may change the style */
        size_t end = i;
        while (in->text[i] == '\n' && end > from && in->text[end - 1] == ' ')
            end--;
        md_put(in, in->text + from, end - from);
        from = i;
        size_t n = meaning(in, i, depth);
        if (!n) {
            n = strchr("*_~`", in->text[i]) ? run_of(in, i) : 1;
            md_put(in, in->text + i, n);
        }
        i += n;
        from = i;
    }
    md_put(in, in->text + from, in->len - from);
}

static void put_markdown(struct builder *b, const char *text, size_t len)
{
    struct inlines in = {.b = b,
                         .text = text,
                         .len = len,
                         .none = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}};
    put_inline(&in, 0);
}

/* ---- lines ---- */

static bool next_line(struct reader *r, struct line *l)
{
    if (r->at >= r->len)
        return false;
    const char *p = r->text + r->at, *end = memchr(p, '\n', r->len - r->at);
    size_t n = end ? (size_t)(end - p) : r->len - r->at;
    r->at += n + 1;
    if (n && p[n - 1] == '\r')
        n--;
    l->indent = 0;
    while (n && (*p == ' ' || *p == '\t')) {
        l->indent += *p == '\t' ? 4 - l->indent % 4 : 1;
        p++;
        n--;
    }
    l->text = p;
    l->len = n;
    return true;
}

static void end_paragraph(struct reader *r)
{
    struct buf *t = &r->inline_text;
    if (r->block) {
        while (t->len && is_space(t->data[t->len - 1]))
            t->len--;
        put_markdown(r->b, t->len ? t->data : "", t->len);
        build_end_paragraph(r->b);
    }
    r->block = NULL;
    buf_clear(t);
}

static struct text_block *md_new_paragraph(struct reader *r)
{
    end_paragraph(r);
    return r->block = build_paragraph(r->b);
}

static bool is_rule(const struct line *l)
{
    size_t n = 0;
    if (!l->len || !strchr("-*_", l->text[0]))
        return false;
    for (size_t i = 0; i < l->len; i++) {
        if (l->text[i] == l->text[0])
            n++;
        else if (!is_space(l->text[i]))
            return false;
    }
    return n >= 3;
}

/* The length of the marker of a list's item with its space; 0: it is none. */
static size_t item_marker(const struct line *l, enum list_kind *ret_kind)
{
    size_t n = 0;
    if (l->len && strchr("-*+", l->text[0])) {
        n = 1;
        *ret_kind = LIST_BULLET;
    } else {
        while (n < l->len && n < 9 && l->text[n] >= '0' && l->text[n] <= '9')
            n++;
        if (!n || n >= l->len || (l->text[n] != '.' && l->text[n] != ')'))
            return 0;
        n++;
        *ret_kind = LIST_NUMBER;
    }
    if (n == l->len)
        return n;
    return is_space(l->text[n]) ? n + 1 : 0;
}

static bool is_delimiter_row(const struct line *l)
{
    bool dash = false;
    for (size_t i = 0; i < l->len; i++) {
        if (!strchr("|-: \t", l->text[i]) || !l->text[i])
            return false;
        dash |= l->text[i] == '-';
    }
    return dash && l->len;
}

static void put_row(struct reader *r, const struct line *l)
{
    size_t from = l->len && l->text[0] == '|', i = from;
    build_row(r->b);
    for (; i <= l->len; i++) {
        if (i < l->len && l->text[i] == '\\') {
            i++;
            continue;
        }
        if (i < l->len && l->text[i] != '|')
            continue;
        size_t end = i < l->len ? i : l->len, first = from;
        while (first < end && is_space(l->text[first]))
            first++;
        if (i >= l->len && first >= l->len)
            break; /* behind the last bar */
        while (end > first && is_space(l->text[end - 1]))
            end--;
        build_cell(r->b);
        build_paragraph(r->b);
        put_markdown(r->b, l->text + first, end - first);
        from = i + 1;
    }
}

static bool table(struct reader *r, const struct line *head)
{
    struct line l;
    size_t back = r->at;
    if (!memchr(head->text, '|', head->len) || !next_line(r, &l) || !is_delimiter_row(&l)) {
        r->at = back;
        return false;
    }
    end_paragraph(r);
    build_table(r->b);
    put_row(r, head);
    for (back = r->at; next_line(r, &l) && l.len && memchr(l.text, '|', l.len); back = r->at)
        put_row(r, &l);
    r->at = back;
    build_end_table(r->b);
    return true;
}

static void fenced(struct reader *r, const struct line *open)
{
    struct line l;
    char c = open->text[0];
    md_new_paragraph(r);
    for (bool first = true; next_line(r, &l); first = false) {
        if (l.len >= 3 && l.text[0] == c && l.text[1] == c && l.text[2] == c)
            break;
        if (!first)
            build_run(r->b, "\n", 1, RUN_CODE, NULL);
        for (unsigned i = 0; i < l.indent; i++)
            build_run(r->b, " ", 1, RUN_CODE, NULL);
        build_run(r->b, l.text, l.len, RUN_CODE, NULL);
    }
    build_end_paragraph(r->b);
    r->block = NULL;
}

static void heading(struct reader *r, const struct line *l, unsigned n)
{
    size_t from = n, end = l->len;
    struct text_block *t = md_new_paragraph(r);
    t->heading = n;
    while (from < end && is_space(l->text[from]))
        from++;
    while (end > from && is_space(l->text[end - 1]))
        end--;
    size_t hashes = end;
    while (hashes > from && l->text[hashes - 1] == '#')
        hashes--;
    if (hashes < end && (hashes == from || is_space(l->text[hashes - 1])))
        end = hashes;
    buf_add(&r->inline_text, l->text + from, end - from);
    end_paragraph(r);
    r->n_lists = 0;
}

static void item(struct reader *r, const struct line *l, size_t marker, enum list_kind kind)
{
    struct text_block *t = md_new_paragraph(r);
    while (r->n_lists && r->indent[r->n_lists - 1] > l->indent)
        r->n_lists--;
    if ((!r->n_lists || r->indent[r->n_lists - 1] + 1 < l->indent) && r->n_lists < LIST_LEVELS)
        r->indent[r->n_lists++] = l->indent;
    t->list = kind;
    t->level = r->n_lists - 1;
    buf_add(&r->inline_text, l->text + marker, l->len - marker);
}

static unsigned hashes(const struct line *l)
{
    unsigned n = 0;
    while (n < l->len && n < 7 && l->text[n] == '#')
        n++;
    return n && n < 7 && (n == l->len || is_space(l->text[n])) ? n : 0;
}

static void take_line(struct reader *r, struct line *l)
{
    enum list_kind kind = LIST_NONE;
    size_t marker;
    while (l->len && l->text[0] == '>') { /* quotes are paragraphs */
        l->text++;
        l->len--;
        for (; l->len && is_space(l->text[0]); l->len--)
            l->text++;
    }
    if (!l->len) {
        end_paragraph(r);
    } else if (l->len >= 3 && (!strncmp(l->text, "```", 3) || !strncmp(l->text, "~~~", 3))) {
        fenced(r, l);
    } else if (hashes(l)) {
        heading(r, l, hashes(l));
    } else if (is_rule(l)) {
        end_paragraph(r);
        build_rule(r->b);
    } else if ((marker = item_marker(l, &kind))) {
        item(r, l, marker, kind);
    } else if (!table(r, l)) {
        if (!r->block) {
            if (!l->indent)
                r->n_lists = 0;
            md_new_paragraph(r);
        } else {
            buf_byte(&r->inline_text, '\n');
        }
        buf_add(&r->inline_text, l->text, l->len);
    }
}

int markdown_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    struct reader r = {.b = b, .len = len};
    struct line l;
    if (len >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3)) {
        bytes += 3;
        r.len -= 3;
    }
    r.text = build_text(b->arena, bytes, r.len);
    r.len = strlen(r.text);
    buf_init(&r.inline_text, 0);
    while (next_line(&r, &l) && !b->full)
        take_line(&r, &l);
    end_paragraph(&r);
    bool failed = buf_failed(&r.inline_text);
    buf_done(&r.inline_text);
    return failed ? sosia_fail_memory(err) : 0;
}

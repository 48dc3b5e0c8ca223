/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RTF to documents (Rich Text Format Specification 1.9.1): paragraphs, styles of letters, headings
 * by their level in the outline, links, tables, and letters of any script. In one pass without
 * going down the stack; what is not known is left out, groups that only newer readers know too.
 */
#include "services/drive/core/document/format_impl.h"
#include "engine/base/utf8.h"
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>

enum { GROUPS = 200, FONTS = 256, WORD_MAX = 32, LINK_MAX = 2000, MARK_MAX = 16 };
/* What a group's text is. */
enum place { PLACE_TEXT, PLACE_NOTHING, PLACE_FONTS, PLACE_FIELD, PLACE_MARK };

struct group {
    enum place place;
    unsigned style, fallback; /* letters behind \u for who does not know it */
    bool hidden, mono;
    const char *link;
};

struct reader {
    struct builder *b;
    const char *at, *end;
    struct group groups[GROUPS];
    unsigned depth; /* of the group that is open */
    unsigned skip;  /* letters that stand for one that was read */
    unsigned high;  /* the first half of a pair; 0: none */
    bool star;      /* the next word is for who knows it */
    bool mono[FONTS];
    unsigned font; /* of the table that is read */
    int page;      /* of bytes above 127 */
    int cd_page;   /* that cd is of; 0: it is not open */
    iconv_t cd;    /* (iconv_t)-1: the code page is unknown */
    struct buf bytes, field, mark;
    /* of paragraphs */
    bool open, in_table, line; /* line: one below it */
    unsigned heading, level;
    enum list_kind list;
    /* of tables */
    bool table, row, cell;
};

/* ---- paragraphs and tables ---- */

static void place_cell(struct reader *r)
{
    if (!r->table)
        build_table(r->b);
    if (!r->row)
        build_row(r->b);
    if (!r->cell)
        build_cell(r->b);
    r->table = r->row = r->cell = true;
}

static void leave_table(struct reader *r)
{
    if (r->table)
        build_end_table(r->b);
    r->table = r->row = r->cell = false;
}

static void rtf_open(struct reader *r)
{
    if (r->open)
        return;
    if (r->in_table)
        place_cell(r);
    else
        leave_table(r);
    struct text_block *t = build_paragraph(r->b);
    t->heading = r->heading;
    t->list = r->list;
    t->level = r->level;
    r->open = true;
}

static void rtf_close(struct reader *r)
{
    if (r->open)
        build_end_paragraph(r->b);
    r->open = false;
    r->list = LIST_NONE; /* the next one has a mark of its own */
}

/* ---- letters ---- */

static const struct group *here(const struct reader *r)
{
    return &r->groups[r->depth];
}

static void rtf_put(struct reader *r, const char *text, size_t n)
{
    const struct group *g = here(r);
    if (g->place == PLACE_FIELD && r->field.len < LINK_MAX)
        buf_add(&r->field, text, n);
    if (g->place == PLACE_MARK && r->mark.len < MARK_MAX)
        buf_add(&r->mark, text, n);
    if (g->place != PLACE_TEXT || g->hidden)
        return;
    rtf_open(r);
    build_run(r->b, text, n, g->style | (g->mono ? RUN_CODE : 0), g->link);
}

/* Letters of Windows-1252 that Latin-1 does not have. */
static const uint16_t western[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

static void put_western(struct reader *r, const char *bytes, size_t n)
{
    char out[4];
    for (size_t i = 0; i < n; i++) {
        unsigned c = (unsigned char)bytes[i];
        if (c >= 0x80 && c < 0xA0)
            c = western[c - 0x80];
        if (c)
            rtf_put(r, out, (size_t)(utf8_put(out, c) - out));
    }
}

static void end_page(struct reader *r)
{
    if (r->cd_page && r->cd != (iconv_t)-1)
        iconv_close(r->cd);
    r->cd_page = 0;
}

static bool begin_page(struct reader *r)
{
    char name[16];
    if (r->page == 1252)
        return false;
    if (r->cd_page != r->page) {
        end_page(r);
        snprintf(name, sizeof name, "CP%d", r->page);
        r->cd = iconv_open("UTF-8", name);
        r->cd_page = r->page;
    }
    return r->cd != (iconv_t)-1;
}

/* The bytes that wait, from the file's code page, or from the usual one. */
static void rtf_flush(struct reader *r)
{
    char out[256], *from = r->bytes.data;
    size_t n = r->bytes.len, plain = 0;
    while (plain < n && !(from[plain] & 0x80))
        plain++;
    if (plain == n && n)
        rtf_put(r, from, n);
    else if (n && !begin_page(r))
        put_western(r, from, n);
    else
        while (n) {
            char *to = out;
            size_t room = sizeof out;
            size_t rc = iconv(r->cd, &from, &n, &to, &room);
            rtf_put(r, out, sizeof out - room);
            if (rc == (size_t)-1 && room == sizeof out) { /* no letter begins here */
                from++;
                n--;
            }
        }
    buf_clear(&r->bytes);
}

static void put_byte(struct reader *r, char c)
{
    if (r->skip)
        r->skip--;
    else if (here(r)->place != PLACE_NOTHING && here(r)->place != PLACE_FONTS)
        buf_byte(&r->bytes, c);
}

static void put_letter(struct reader *r, unsigned c)
{
    char out[4];
    rtf_flush(r);
    if (c >= 0xD800 && c < 0xDC00) {
        r->high = c;
        return;
    }
    if (c >= 0xDC00 && c < 0xE000) {
        c = r->high ? 0x10000 + ((r->high - 0xD800) << 10) + (c - 0xDC00) : 0xFFFD;
        r->high = 0;
    }
    if (c && c <= 0x10FFFF)
        rtf_put(r, out, (size_t)(utf8_put(out, c) - out));
}

/* ---- groups ---- */

static int rtf_begin(struct reader *r)
{
    rtf_flush(r);
    if (r->depth + 1 == GROUPS)
        return -1;
    r->groups[r->depth + 1] = r->groups[r->depth];
    r->depth++;
    r->skip = 0;
    r->star = false;
    return 0;
}

/* HYPERLINK "url": where the field around leads. */
static void end_field(struct reader *r)
{
    static const char word[] = "HYPERLINK";
    const char *p = buf_str(&r->field);
    p += strspn(p, " ");
    const char *from = strncmp(p, word, sizeof word - 1) == 0 ? strchr(p, '"') : NULL;
    const char *to = from ? strchr(from + 1, '"') : NULL;
    if (to)
        r->groups[r->depth].link =
            build_link(r->b, arena_memdup(r->b->arena, from + 1, (size_t)(to - from - 1)));
    buf_clear(&r->field);
}

/* "1." is of a list with numbers, and another mark of one without. */
static void end_mark(struct reader *r)
{
    const char *p = buf_str(&r->mark);
    p += strspn(p, " \t(");
    bool number = (*p >= '0' && *p <= '9') || (*p && strchr(".)", p[1]) && p[1]);
    if (*p)
        r->list = number ? LIST_NUMBER : LIST_BULLET;
    buf_clear(&r->mark);
}

static void rtf_end(struct reader *r)
{
    rtf_flush(r);
    enum place was = here(r)->place;
    r->depth--;
    r->skip = 0;
    r->star = false;
    if (was == PLACE_FIELD && here(r)->place != PLACE_FIELD)
        end_field(r);
    if (was == PLACE_MARK && here(r)->place != PLACE_MARK)
        end_mark(r);
}

/* ---- words ---- */

/* Groups whose text does not belong to the document. */
static bool is_aside(const char *word)
{
    static const char *const words[] = {
        "colortbl", "stylesheet", "info",    "pict",    "header",    "headerl",   "headerr",
        "headerf",  "footer",     "footerl", "footerr", "footerf",   "footnote",  "annotation",
        "object",   "listtable",  "xe",      "tc",      "themedata", "datastore", "generator"};
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* A letter that has a word; 0: none. */
static unsigned letter_of(const char *word)
{
    static const struct {
        const char *word;
        unsigned letter;
    } table[] = {{"tab", '\t'},         {"line", '\n'},        {"emdash", 0x2014},
                 {"endash", 0x2013},    {"lquote", 0x2018},    {"rquote", 0x2019},
                 {"ldblquote", 0x201C}, {"rdblquote", 0x201D}, {"bullet", 0x2022},
                 {"emspace", 0x2003},   {"enspace", 0x2002},   {"nestcell", '\t'}};
    for (size_t i = 0; i < SOSIA_LEN(table); i++)
        if (strcmp(table[i].word, word) == 0)
            return table[i].letter;
    return 0;
}

static bool style_word(struct group *g, const char *word, bool on)
{
    static const struct {
        const char *word;
        unsigned style;
    } table[] = {{"b", RUN_BOLD},        {"i", RUN_ITALIC},       {"ul", RUN_UNDERLINE},
                 {"uld", RUN_UNDERLINE}, {"uldb", RUN_UNDERLINE}, {"ulw", RUN_UNDERLINE},
                 {"strike", RUN_STRIKE}, {"striked", RUN_STRIKE}};
    for (size_t i = 0; i < SOSIA_LEN(table); i++)
        if (strcmp(table[i].word, word) == 0) {
            g->style = on ? g->style | table[i].style : g->style & ~table[i].style;
            return true;
        }
    if (strcmp(word, "v") == 0)
        g->hidden = on;
    else if (strcmp(word, "ulnone") == 0)
        g->style &= ~(unsigned)RUN_UNDERLINE;
    else if (strcmp(word, "plain") == 0)
        g->style = g->hidden = g->mono = 0;
    else
        return false;
    return true;
}

static bool place_word(struct reader *r, struct group *g, const char *word)
{
    bool star = r->star;
    r->star = false;
    if (g->place == PLACE_NOTHING)
        return true;
    if (strcmp(word, "fonttbl") == 0)
        g->place = PLACE_FONTS;
    else if (strcmp(word, "fldinst") == 0)
        g->place = PLACE_FIELD;
    else if (strcmp(word, "pntext") == 0 || strcmp(word, "listtext") == 0)
        g->place = PLACE_MARK;
    else if (star || is_aside(word))
        g->place = PLACE_NOTHING;
    else
        return false;
    return true;
}

static void font_word(struct reader *r, struct group *g, int n)
{
    unsigned font = n >= 0 && n < FONTS ? (unsigned)n : 0;
    if (g->place == PLACE_FONTS)
        r->font = font;
    else
        g->mono = r->mono[font];
}

static bool block_word(struct reader *r, const char *word, int n)
{
    if (strcmp(word, "par") == 0 || strcmp(word, "sect") == 0 || strcmp(word, "page") == 0) {
        if (r->line && !r->open && !r->in_table) {
            leave_table(r);
            build_rule(r->b);
            return true;
        }
        rtf_open(r);
        rtf_close(r);
    } else if (strcmp(word, "brdrb") == 0) {
        r->line = true;
    } else if (strcmp(word, "li") == 0) { /* half an inch a level */
        r->level = n >= 1440 && n < 720 * (LIST_LEVELS + 1) ? (unsigned)n / 720 - 1 : 0;
    } else if (strcmp(word, "pard") == 0) {
        r->in_table = r->line = false;
        r->heading = r->level = 0;
        r->list = LIST_NONE;
    } else if (strcmp(word, "intbl") == 0) {
        r->in_table = true;
    } else if (strcmp(word, "outlinelevel") == 0) {
        r->heading = n >= 0 && n < HEADING_MAX ? (unsigned)n + 1 : HEADING_NONE;
    } else if (strcmp(word, "ilvl") == 0) {
        r->level = n >= 0 && n < LIST_LEVELS ? (unsigned)n : 0;
    } else if (strcmp(word, "cell") == 0) {
        rtf_close(r);
        place_cell(r);
        r->cell = false;
    } else if (strcmp(word, "row") == 0) {
        rtf_close(r);
        r->row = r->cell = false;
    } else {
        return false;
    }
    return true;
}

static void rtf_word(struct reader *r, const char *word, bool given, int n)
{
    struct group *g = &r->groups[r->depth];
    rtf_flush(r);
    if (strcmp(word, "bin") == 0) { /* bytes that are not RTF */
        size_t left = (size_t)(r->end - r->at);
        r->at += n > 0 ? ((size_t)n < left ? (size_t)n : left) : 0;
        return;
    }
    if (r->skip && strcmp(word, "u") != 0) {
        r->skip--;
        return;
    }
    if (place_word(r, g, word))
        return;
    unsigned letter = letter_of(word);
    if (letter)
        put_letter(r, letter);
    else if (strcmp(word, "u") == 0 && given) {
        put_letter(r, (unsigned)n & 0xFFFF);
        r->skip = g->fallback;
    } else if (strcmp(word, "uc") == 0)
        g->fallback = n >= 0 && n < 100 ? (unsigned)n : 1;
    else if (strcmp(word, "f") == 0)
        font_word(r, g, n);
    else if (strcmp(word, "fmodern") == 0 && g->place == PLACE_FONTS)
        r->mono[r->font] = true;
    else if (strcmp(word, "ansicpg") == 0 && n > 0 && n < 100000)
        r->page = n;
    else if (!style_word(g, word, !given || n) && g->place == PLACE_TEXT)
        block_word(r, word, n);
}

/* ---- the stream ---- */

static int hex_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* \'41: a byte. */
static void hex_byte(struct reader *r)
{
    int high = r->end - r->at >= 2 ? hex_of(r->at[0]) : -1, low = high < 0 ? -1 : hex_of(r->at[1]);
    if (low < 0)
        return;
    r->at += 2;
    put_byte(r, (char)(high << 4 | low));
}

static void symbol(struct reader *r, char c)
{
    if (c == '\'') {
        hex_byte(r);
    } else if (c == '*') {
        r->star = true;
    } else if (c == '\n' || c == '\r') {
        rtf_word(r, "par", false, 0);
    } else if (c == '\t') {
        rtf_word(r, "tab", false, 0);
    } else if (r->skip) {
        r->skip--;
    } else if (c == '\\' || c == '{' || c == '}') {
        put_byte(r, c);
    } else if (c == '~' || c == '_') {
        put_letter(r, c == '~' ? 0xA0 : 0x2011);
    }
}

/* Behind a backslash. */
static void control(struct reader *r)
{
    char word[WORD_MAX + 1];
    size_t n = 0;
    if (r->at == r->end)
        return;
    if (!is_letter(*r->at)) {
        symbol(r, *r->at++);
        return;
    }
    for (; r->at < r->end && is_letter(*r->at); r->at++)
        if (n < WORD_MAX)
            word[n++] = *r->at;
    word[n] = 0;
    bool minus = r->at < r->end && *r->at == '-', given = false;
    r->at += minus;
    int64_t number = 0;
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        given = true;
        if (number < INT32_MAX)
            number = number * 10 + (*r->at - '0');
    }
    if (number > INT32_MAX)
        number = INT32_MAX;
    if (r->at < r->end && *r->at == ' ')
        r->at++;
    rtf_word(r, word, given, (int)(minus ? -number : number));
}

static int read_all(struct reader *r, struct sosia_err *err)
{
    while (r->at < r->end) {
        char c = *r->at++;
        if (c == '{' && rtf_begin(r) < 0)
            return unreadable(err, "RTF", "groups are too deep");
        if (c == '}') {
            if (r->depth <= 1) /* the end; what is behind it is nothing */
                break;
            rtf_end(r);
        } else if (c == '\\') {
            control(r);
        } else if (c != '{' && c != '\r' && c != '\n' && c) {
            put_byte(r, c);
        }
    }
    rtf_flush(r);
    rtf_close(r);
    leave_table(r);
    return 0;
}

int rtf_import(struct builder *b, const char *bytes, size_t len, struct sosia_err *err)
{
    static const char begin[] = "{\\rtf";
    struct reader *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(err);
    *r = (struct reader){.b = b, .at = bytes, .end = bytes + len, .page = 1252};
    r->groups[0].fallback = 1;
    buf_init(&r->bytes, 0);
    buf_init(&r->field, 0);
    buf_init(&r->mark, 0);
    int rc = len < sizeof begin || memcmp(bytes, begin, sizeof begin - 1) != 0
                 ? unreadable(err, "RTF", "it does not begin as such")
                 : read_all(r, err);
    if (rc == 0 && (buf_failed(&r->bytes) || buf_failed(&r->field) || buf_failed(&r->mark)))
        rc = sosia_fail_memory(err);
    end_page(r);
    buf_done(&r->bytes);
    buf_done(&r->field);
    buf_done(&r->mark);
    free(r);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Documents: Markdown as sections and back, and the rows that keep them. */
#include "services/chat/slack/files/list.h"
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include "engine/world/take.h"
#include "services/chat/slack/store.h"

/* ---- sections ---- */

/* An item of a list: where its words begin. */
struct around {
    size_t content;
    bool numbered;
};

struct reader {
    struct tx *tx;
    struct chat_sections *out;
    size_t room;
    const char *why;
    int line;
    struct around around[32]; /* items that the next one may be within */
    size_t n_around;
};

static int push(struct reader *r, enum chat_section_kind kind, const char *text, size_t n)
{
    struct chat_sections *s = r->out;
    if (s->n == CHAT_SECTIONS_MAX) {
        r->why = arena_printf(r->tx->arena, "line %d: more than %d sections", r->line,
                              CHAT_SECTIONS_MAX);
        return -1;
    }
    struct chat_section *more = arena_grow(r->tx->arena, s->all, s->n, &r->room, sizeof *more);
    if (!more)
        return sosia_fail_memory(r->tx->err);
    s->all = more;
    s->all[s->n++] =
        (struct chat_section){.kind = kind, .text = arena_memdup(r->tx->arena, text, n)};
    return 0;
}

static size_t line_len(const char *p)
{
    return strcspn(p, "\n");
}

static bool is_empty(const char *p)
{
    return !p[strspn(p, " \t\r")] || p[strspn(p, " \t\r")] == '\n';
}

/* "- a", "* a", "+ a", "1. a", "- [ ] a", behind whitespace; *ret_words: bytes before the words. */
static bool is_item(const char *p, enum chat_section_kind *ret, size_t *ret_words)
{
    size_t at = strspn(p, " \t"), digits = strspn(p + at, "0123456789");
    if (strchr("-*+", p[at]) && p[at] && p[at + 1] == ' ') {
        const char *box = p + at + 2;
        bool check = box[0] == '[' && box[1] && strchr(" xX", box[1]) && box[2] == ']';
        *ret = check ? CHAT_CHECK : CHAT_BULLET;
        *ret_words = at + 2 + (check ? 3 + (box[3] == ' ') : 0);
        return true;
    }
    if (digits && digits < 10 && (p[at + digits] == '.' || p[at + digits] == ')') &&
        p[at + digits + 1] == ' ') {
        *ret = CHAT_NUMBER;
        *ret_words = at + digits + 2;
        return true;
    }
    return false;
}

static bool is_divider(const char *p)
{
    size_t n = line_len(p), marks = strspn(p, "-"), stars = strspn(p, "*"), lows = strspn(p, "_");
    while (n && strchr(" \t\r", p[n - 1]))
        n--;
    return n >= 3 && (marks == n || stars == n || lows == n);
}

static size_t heading(const char *p)
{
    size_t n = strspn(p, "#");
    return n && n < 7 && p[n] == ' ' ? n : 0;
}

/* What begins another section than the paragraph before. */
static bool begins(const char *p)
{
    enum chat_section_kind kind;
    size_t n;
    return is_empty(p) || heading(p) || is_item(p, &kind, &n) || is_divider(p) || *p == '>' ||
           *p == '|' || strncmp(p, "```", 3) == 0;
}

/* Lines that begin with the same mark: their end. */
static const char *while_mark(struct reader *r, const char *p, char mark)
{
    while (*p == mark) {
        p += line_len(p);
        p += *p == '\n';
        r->line++;
    }
    return p;
}

static size_t trimmed(const char *from, const char *to)
{
    while (to > from && strchr("\n\r \t", to[-1]))
        to--;
    return (size_t)(to - from);
}

static int check_quote(struct reader *r, const char *from, const char *to, int line)
{
    enum chat_section_kind kind;
    size_t n;
    for (const char *p = from; p < to; p += line_len(p) + 1, line++) {
        const char *words = p + 1 + strspn(p + 1, " ");
        const char *what = is_item(words, &kind, &n) ? "List"
                           : heading(words)          ? "Heading"
                           : *words == '|'           ? "Table"
                                                     : NULL;
        if (what) {
            r->why =
                arena_printf(r->tx->arena,
                             "line %d: Unsupported block type (%s) within block quote", line, what);
            return -1;
        }
    }
    return 0;
}

static int check_table(struct reader *r, const char *from, const char *to, int line)
{
    size_t cells = 0, rows = 0;
    for (const char *p = from; p < to; p += line_len(p) + 1, rows++) {
        size_t n = line_len(p), bars = 0;
        for (size_t i = 1; i < n; i++)
            bars += p[i] == '|' && p[i - 1] != '\\';
        if (rows != 1) /* the second one is of dashes */
            cells += bars;
    }
    if (cells <= CHAT_TABLE_CELLS)
        return 0;
    r->why =
        arena_printf(r->tx->arena, "line %d: table has more than %d cells", line, CHAT_TABLE_CELLS);
    return -1;
}

static const char *read_code(struct reader *r, const char *p)
{
    const char *from = p;
    do {
        p += line_len(p);
        p += *p == '\n';
        r->line++;
    } while (*p && strncmp(p, "```", 3) != 0);
    if (*p) {
        p += line_len(p);
        p += *p == '\n';
        r->line++;
    }
    return push(r, CHAT_CODE, from, trimmed(from, p)) < 0 ? NULL : p;
}

/* An item may be within one of its own kind of list, numbered or not, alone. -1: it is within
 * another, or begins a quote. */
static int check_item(struct reader *r, const char *p, enum chat_section_kind kind, size_t words)
{
    bool numbered = kind == CHAT_NUMBER;
    size_t indent = strspn(p, " \t");
    while (r->n_around && indent < r->around[r->n_around - 1].content)
        r->n_around--;
    const struct around *in = r->n_around ? &r->around[r->n_around - 1] : NULL;
    const char *what = in && in->numbered != numbered ? "List" : p[words] == '>' ? "Quote" : NULL;
    if (what) {
        r->why = arena_printf(r->tx->arena, "line %d: Unsupported block type (%s) within list item",
                              r->line, what);
        return -1;
    }
    if (r->n_around < SOSIA_LEN(r->around))
        r->around[r->n_around++] = (struct around){
            .content = kind == CHAT_CHECK ? indent + 2 : words, .numbered = numbered};
    return 0;
}

/* One section at p, which is not an empty line; NULL: failed, or it can't be. */
static const char *read_one(struct reader *r, const char *p)
{
    enum chat_section_kind kind;
    const char *from = p;
    size_t words, level = heading(p);
    int line = r->line;
    if (!is_item(p, &kind, &words))
        r->n_around = 0;
    if (strncmp(p, "```", 3) == 0)
        return read_code(r, p);
    if (*p == '>' || *p == '|') {
        bool quote = *p == '>';
        p = while_mark(r, p, *p);
        if ((quote ? check_quote(r, from, p, line) : check_table(r, from, p, line)) < 0 ||
            push(r, quote ? CHAT_QUOTE : CHAT_TABLE, from, trimmed(from, p)) < 0)
            return NULL;
        return p;
    }
    bool item = is_item(p, &kind, &words);
    if (item && check_item(r, p, kind, words) < 0)
        return NULL;
    if (level)
        kind = level == 1 ? CHAT_H1 : level == 2 ? CHAT_H2 : CHAT_H3;
    else if (is_divider(p))
        kind = CHAT_DIVIDER;
    else if (!item)
        kind = CHAT_PARAGRAPH;
    do {
        p += line_len(p);
        p += *p == '\n';
        r->line++;
    } while (kind == CHAT_PARAGRAPH && *p && !begins(p));
    return push(r, kind, from, trimmed(from, p)) < 0 ? NULL : p;
}

int chat_sections_of(struct tx *tx, const char *markdown, struct chat_sections *ret,
                     const char **ret_why)
{
    struct reader r = {.tx = tx, .out = ret, .line = 1};
    *ret = (struct chat_sections){0};
    *ret_why = NULL;
    for (const char *p = markdown; *p;) {
        if (is_empty(p)) {
            p += line_len(p);
            p += *p == '\n';
            r.line++;
        } else if (!(p = read_one(&r, p))) {
            *ret_why = r.why;
            return r.why ? 0 : -1;
        }
    }
    return 1;
}

const char *chat_sections_markdown(struct tx *tx, const struct chat_sections *s)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < s->n; i++) {
        bool item = s->all[i].kind >= CHAT_BULLET && s->all[i].kind <= CHAT_CHECK;
        bool before = i && s->all[i - 1].kind >= CHAT_BULLET && s->all[i - 1].kind <= CHAT_CHECK;
        if (i)
            buf_puts(&b, item && before ? "\n" : "\n\n");
        buf_puts(&b, s->all[i].text);
    }
    const char *text = buf_failed(&b) ? "" : arena_memdup(tx->arena, buf_str(&b), b.len);
    buf_done(&b);
    return text;
}

const char *chat_section_words(const struct chat_section *s)
{
    enum chat_section_kind kind;
    size_t words;
    if (s->kind <= CHAT_H3)
        return s->text + strspn(s->text, "# ");
    return is_item(s->text, &kind, &words) ? s->text + words : s->text;
}

#define MAX_SNIPPET 2000 /* bytes that are searched */

void chat_document_measure(struct tx *tx, struct chat_file *f, const struct chat_sections *s)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < s->n && b.len < MAX_SNIPPET; i++)
        buf_printf(&b, "%s%s", i ? "\n" : "", chat_section_words(&s->all[i]));
    size_t n = b.len < MAX_SNIPPET ? b.len : MAX_SNIPPET;
    const char *text = buf_str(&b);
    while (n < b.len && n && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--; /* not in the midst of a character */
    f->snippet = n ? arena_memdup(tx->arena, text, n) : NULL;
    f->size = (int64_t)strlen(chat_sections_markdown(tx, s));
    buf_done(&b);
}

/* ---- rows ---- */

static const char *const kinds[] = {"h1",    "h2",    "h3",   "paragraph", "bullet", "number",
                                    "check", "quote", "code", "table",     "divider"};

/* "temp:C:" with three letters and 25 digits. */
static const char *section_id(struct tx *tx)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    uint8_t random[16];
    char hex[2 * sizeof random + 1], head[4];
    if (tx_id(tx, "chat.section", random, sizeof random) < 0)
        return NULL;
    hex_encode(hex, random, sizeof random);
    for (int i = 0; i < 3; i++)
        head[i] = letters[random[i] % 52];
    head[3] = 0;
    return arena_printf(tx->arena, "temp:C:%s%.25s", head, hex + 6);
}

/* One that no dump brought to the document. */
static const char *new_section_id(struct tx *tx, const struct map *there)
{
    const char *id;
    do
        id = section_id(tx);
    while (id && map_get(there, id));
    return id;
}

static int give_ids(struct tx *tx, struct chat_sections *s)
{
    struct map there;
    int rc = 0;
    map_init(&there);
    for (size_t i = 0; i < s->n && rc == 0; i++)
        if (s->all[i].id && map_set(&there, s->all[i].id, s) < 0)
            rc = sosia_fail_memory(tx->err);
    for (size_t i = 0; i < s->n && rc == 0; i++)
        if (!s->all[i].id && !(s->all[i].id = new_section_id(tx, &there)))
            rc = -1;
    map_done(&there);
    return rc;
}

static int to_text(struct tx *tx, struct chat_sections *s, const char **ret)
{
    struct buf b;
    struct json_writer w;
    if (give_ids(tx, s) < 0)
        return -1;
    json_start(&w, &b);
    json_arr(&w, NULL);
    for (size_t i = 0; i < s->n; i++) {
        const struct chat_section *one = &s->all[i];
        json_obj(&w, NULL);
        json_str(&w, "id", one->id);
        json_str(&w, "kind", kinds[one->kind]);
        json_str(&w, "text", one->text);
        json_end(&w);
    }
    json_end(&w);
    *ret = arena_memdup(tx->arena, buf_str(&b), b.len);
    buf_done(&b);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

static int from_text(struct tx *tx, const char *text, struct chat_sections *ret)
{
    const struct json *list;
    if (json_parse(tx->arena, text, strlen(text), NULL, &list, tx->err) < 0)
        return -1;
    *ret = (struct chat_sections){.all = arena_calloc(tx->arena, list->n + 1, sizeof *ret->all)};
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (uint32_t i = 0; i < list->n; i++) {
        const char *kind = json_get_str(&list->items[i], "kind");
        struct chat_section *one = &ret->all[ret->n];
        one->id = json_get_str(&list->items[i], "id");
        one->text = json_get_str(&list->items[i], "text");
        one->kind = CHAT_PARAGRAPH;
        for (size_t k = 0; kind && k < SOSIA_LEN(kinds); k++)
            if (strcmp(kind, kinds[k]) == 0)
                one->kind = (enum chat_section_kind)k;
        ret->n += one->id && one->text;
    }
    return 0;
}

int chat_document_get(struct tx *tx, int64_t file, struct chat_document *ret)
{
    static struct sql_text q =
        SQL_TEXT("select channel, main, content from slack_canvas where file = :file");
    struct chat_document d = {.file = file};
    const char *text;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, file), &d.channel, &d.main, &text);
    if (r != 1)
        return r;
    *ret = d;
    return from_text(tx, text, &ret->sections) < 0 ? -1 : 1;
}

int chat_document_add(struct tx *tx, struct chat_document *d)
{
    static struct sql_text q = SQL_TEXT("insert into slack_canvas (file, channel, main, content) "
                                        "values (:file, :channel, :main, :content)");
    const char *text;
    return to_text(tx, &d->sections, &text) < 0 ||
                   TX_RUN(tx, &q, d->file, sql_int_or_null(d->channel, 0), d->main, text) < 0
               ? -1
               : 0;
}

int chat_document_save(struct tx *tx, struct chat_document *d)
{
    static struct sql_text q = SQL_TEXT("update slack_canvas set content = :content where file = "
                                        ":file");
    const char *text;
    return to_text(tx, &d->sections, &text) < 0 || TX_RUN(tx, &q, text, d->file) < 0 ? -1 : 0;
}

int chat_documents(struct tx *tx, int64_t channel,
                   int (*fn)(void *arg, const struct chat_file *f, bool main, bool empty),
                   void *arg)
{
    static struct sql_text q = SQL_TEXT("select file, main, content = '[]' from slack_canvas where "
                                        "channel = :channel order by main desc, file");
    sqlite3_stmt *st = TX_QUERY(tx, &q, channel);
    bool main, empty;
    int64_t id;
    int r;
    while ((r = TX_TAKE_NEXT(tx, st, &id, &main, &empty)) == 1) {
        struct chat_file f;
        int rc = chat_file_get(tx, id, &f);
        if (rc == 1)
            rc = fn(arg, &f, main, empty);
        if (rc) {
            sql_done(st);
            return rc < 0 ? -1 : 0;
        }
    }
    return r;
}

int chat_document_gone(struct tx *tx, int64_t file)
{
    static struct sql_text canvas = SQL_TEXT("delete from slack_canvas where file = :file");
    static struct sql_text access = SQL_TEXT("delete from slack_access where file = :file");
    return TX_RUN(tx, &canvas, file) < 0 || TX_RUN(tx, &access, file) < 0
               ? -1
               : chat_list_gone(tx, file);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "services/mail/gmail/query/query_impl.h"
#include <ctype.h>

#define AROUND_DEFAULT 10
#define AROUND_MAX     1000

/* ---- nodes ---- */

struct search *query_node(struct parser *k, enum search_kind kind)
{
    struct search *n = arena_calloc(k->a, 1, sizeof *n);
    if (arena_failed(k->a)) /* what it gives is not cleared then */
        memset(n, 0, sizeof *n);
    n->kind = kind;
    return n;
}

const struct search *query_join(struct parser *k, enum search_kind kind,
                                const struct search *const *kids, size_t n)
{
    if (n == 1)
        return kids[0];
    struct search *node = query_node(k, kind);
    node->kids = kids;
    node->n_kids = n;
    return node;
}

const struct search *query_not(struct parser *k, const struct search *kid)
{
    struct search *node = query_node(k, SEARCH_NOT);
    const struct search **kids = arena_alloc(k->a, sizeof *kids);
    kids[0] = kid;
    node->kids = kids;
    node->n_kids = 1;
    return node;
}

struct list {
    const struct search **items;
    size_t n, room;
};

static void push(struct parser *k, struct list *l, const struct search *n)
{
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 4;
        const struct search **items = arena_alloc(k->a, room * sizeof *items);
        if (arena_failed(k->a))
            return;
        if (l->n)
            memcpy(items, l->items, l->n * sizeof *items);
        l->items = items;
        l->room = room;
    }
    l->items[l->n++] = n;
}

/* ---- lexing ---- */

static bool is_blank(char c)
{
    return c && strchr(" \t\r\n\f\v", c);
}

static void skip_blanks(struct parser *k)
{
    while (is_blank(*k->p))
        k->p++;
}

/* Bytes of the word at p: up to a space, a bracket or a quote. */
static size_t word_len(const char *p)
{
    return strcspn(p, " \t\r\n\f\v(){}\"");
}

/* Is this word next? It is passed over then. */
static bool take_word(struct parser *k, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(k);
    if (strncmp(k->p, word, n) != 0 || word_len(k->p) != n)
        return false;
    k->p += n;
    return true;
}

/* ---- words ---- */

/* A text of signs alone is not a condition. */
static struct search *phrase(struct parser *k, unsigned fields, const char *text, size_t len)
{
    bool any = false;
    for (size_t i = 0; i < len && !any; i++)
        any = isalnum((unsigned char)text[i]) || (unsigned char)text[i] >= 0x80;
    struct search *n = query_node(k, any ? SEARCH_PHRASE : SEARCH_AND);
    n->fields = fields;
    n->text = arena_memdup(k->a, text, len);
    return n;
}

/* A word that is taken apart: what is behind `piece` is not looked at yet. */
struct word {
    const char *piece, *end;
    const char *local; /* up to here, the '@' of an address or what can't be in front of one, it was
                          looked ahead */
};

/* Whether the character at p is part of an address up to its '@'. Then it separates no words. */
static bool in_address(struct word *w, const char *p)
{
    if (p == w->piece || !isalnum((unsigned char)p[-1]))
        return false;
    if (w->local < p)
        w->local = p;
    const char *at = w->local;
    while (at < w->end && (isalnum((unsigned char)*at) || strchr("._+-%~'=&", *at)))
        at++;
    w->local = at;
    return at < w->end && *at == '@' && w->end - at > 1 && isalnum((unsigned char)at[1]);
}

/* These separate words as a space does; the other signs join what is around them. */
static bool parts(struct word *w, const char *p)
{
    return strchr("~#$%^*+;,<>?", *p) && !in_address(w, p);
}

/* A word without quotes: its pieces, all of them. */
const struct search *query_words(struct parser *k, unsigned fields, const char *word, size_t len)
{
    struct word w = {.piece = word, .end = word + len, .local = word};
    struct list kids = {0};
    for (const char *p = word; p < w.end;) {
        w.piece = p;
        while (p < w.end && !parts(&w, p))
            p++;
        if (p > w.piece)
            push(k, &kids, phrase(k, fields, w.piece, (size_t)(p - w.piece)));
        p += p < w.end;
    }
    return query_join(k, SEARCH_AND, kids.items, kids.n);
}

static struct search *near(struct parser *k, unsigned fields, int distance, const char *text,
                           const char *text2)
{
    struct search *n = query_node(k, SEARCH_NEAR);
    n->fields = fields;
    n->distance = distance;
    n->text = text;
    n->text2 = text2;
    return n;
}

/* The number behind AROUND, which may be missing. */
static int distance(const char **p)
{
    int n = 0;
    const char *at = *p;
    while (is_blank(*at))
        at++;
    if (!isdigit((unsigned char)*at))
        return AROUND_DEFAULT;
    for (; isdigit((unsigned char)*at); at++)
        n = n < AROUND_MAX ? n * 10 + (*at - '0') : AROUND_MAX;
    *p = at;
    return n < AROUND_MAX ? n : AROUND_MAX;
}

/* The next AROUND with spaces on both sides. */
static char *find_around(char *text)
{
    for (char *at = text; (at = strstr(at, "AROUND")); at++)
        if (at > text && is_blank(at[-1]) && is_blank(at[6]))
            return at;
    return NULL;
}

/* The text between quotes: a phrase, or phrases in their order with AROUND between them. */
static const struct search *quoted(struct parser *k, unsigned fields, const char *text, size_t len)
{
    char *left = arena_memdup(k->a, text, len), *at;
    struct list kids = {0};
    if (arena_failed(k->a))
        return query_nothing(k);
    for (at = find_around(left); at;) {
        const char *behind = at + 6;
        int n = distance(&behind);
        at[-1] = 0;
        struct search *one = near(k, fields, n, left, NULL);
        left += behind - left;
        at = find_around(left);
        one->text2 = arena_memdup(k->a, left, at ? (size_t)(at - left) : strlen(left));
        one->ordered = true;
        push(k, &kids, one);
    }
    return kids.n ? query_join(k, SEARCH_AND, kids.items, kids.n) : phrase(k, fields, text, len);
}

/* ---- terms ---- */

static const struct search *parse_group(struct parser *k, enum query_op op, char close);

/* A phrase in quotes, which is passed over; a missing quote is at the end. */
static const struct search *parse_quoted(struct parser *k, enum query_op op)
{
    const char *text = ++k->p;
    size_t len = strcspn(text, "\"");
    k->p += len + (text[len] != 0);
    unsigned fields = operator_fields(op);
    return fields ? quoted(k, fields, text, len) : operator_apply(k, op, text, len, true);
}

/* A bracket of either kind opens here. */
static const struct search *parse_bracket(struct parser *k, enum query_op op)
{
    char close = *k->p++ == '(' ? ')' : '}';
    if (++k->depth > QUERY_MAX_DEPTH) {
        tx_fail(k->tx, SOSIA_E_INVALID, "tooComplex", "q", "the question is nested too deeply");
        return NULL;
    }
    const struct search *n = parse_group(k, op, close);
    k->depth--;
    return n;
}

/* The value of an operator: a word, a phrase in quotes, a group. */
static const struct search *parse_value(struct parser *k, enum query_op op)
{
    if (*k->p == '"')
        return parse_quoted(k, op);
    if (*k->p == '(' || *k->p == '{')
        return parse_bracket(k, op);
    const char *word = k->p;
    size_t len = word_len(word);
    k->p += len;
    return operator_apply(k, op, word, len, false);
}

static const struct search *parse_word(struct parser *k, enum query_op op)
{
    const char *word = k->p;
    size_t len = word_len(word), value;
    enum query_op own = operator_of(word, len, &value);
    if (own == OP_WORDS)
        return parse_value(k, op);
    k->p += value;
    if (value == len)
        skip_blanks(k); /* "from: amy" */
    return parse_value(k, own);
}

/* A term with its prefix. */
static const struct search *parse_term(struct parser *k, enum query_op op)
{
    bool negative = false;
    while (*k->p == '-' || *k->p == '+') {
        negative = negative || *k->p == '-';
        k->p++;
    }
    const struct search *n =
        *k->p == '"' || *k->p == '(' || *k->p == '{' ? parse_value(k, op) : parse_word(k, op);
    bool says = n && (n->kind != SEARCH_AND || n->n_kids);
    return negative && says ? query_not(k, n) : n;
}

/* a AROUND n b: the left side is a phrase, and so must be the right one. */
static const struct search *parse_around(struct parser *k, enum query_op op,
                                         const struct search *left)
{
    struct list kids = {0};
    while (left->kind == SEARCH_PHRASE && take_word(k, "AROUND")) {
        int n = distance(&k->p);
        skip_blanks(k);
        if (!*k->p || strchr("(){}", *k->p))
            break;
        const struct search *right = parse_term(k, op);
        if (!right)
            return NULL;
        if (right->kind != SEARCH_PHRASE) { /* then it is not a distance */
            push(k, &kids, left);
            push(k, &kids, right);
            return query_join(k, SEARCH_AND, kids.items, kids.n);
        }
        push(k, &kids, near(k, left->fields, n, left->text, right->text));
        left = right;
    }
    return kids.n ? query_join(k, SEARCH_AND, kids.items, kids.n) : left;
}

/* ---- groups ---- */

/* Does a term begin here? Brackets that close nothing are passed over. */
static bool at_term(struct parser *k, char close)
{
    for (;;) {
        skip_blanks(k);
        if (!*k->p || *k->p == close)
            return false;
        if (*k->p != ')' && *k->p != '}')
            return true;
        k->p++;
    }
}

/* Terms joined by a word that binds tighter than mere sequence. */
static const struct search *parse_chain(struct parser *k, enum query_op op, char close,
                                        const char *word, enum search_kind kind)
{
    struct list kids = {0};
    do {
        if (!at_term(k, close))
            break;
        const struct search *n = parse_term(k, op);
        if (n)
            n = parse_around(k, op, n);
        if (!n)
            return NULL;
        push(k, &kids, n);
    } while (take_word(k, word));
    return query_join(k, kind, kids.items, kids.n);
}

/* Up to the closing bracket, which is passed over, or to the end. */
static const struct search *parse_group(struct parser *k, enum query_op op, char close)
{
    bool either = close == '}';
    struct list kids = {0};
    for (;;) {
        while (take_word(k, "OR") || take_word(k, "AND")) /* of nothing, or implied */
            ;
        if (!at_term(k, close))
            break;
        const struct search *n =
            parse_chain(k, op, close, either ? "AND" : "OR", either ? SEARCH_AND : SEARCH_OR);
        if (!n)
            return NULL;
        push(k, &kids, n);
    }
    k->p += *k->p == close && close;
    if (!kids.n)
        return query_node(k, SEARCH_AND);
    return query_join(k, either ? SEARCH_OR : SEARCH_AND, kids.items, kids.n);
}

int gmail_query_parse(struct tx *tx, const struct mailbox *mailbox, const char *q,
                      struct query *ret)
{
    struct parser k = {.tx = tx, .a = tx->arena, .mailbox = mailbox, .p = q, .ret = ret};
    *ret = (struct query){0};
    ret->tree = parse_group(&k, OP_WORDS, 0);
    if (ret->tree && arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    return ret->tree ? 0 : -1;
}

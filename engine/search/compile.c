/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a question to nodes. What has words alone becomes one expression of FTS5's, which joins
 * lists of words faster than we could; the rest becomes nodes of its own.
 */
#include "engine/search/common.h"
#include "engine/search/impl.h"
#include "engine/search/index.h"
#include "engine/search/words.h"
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* FTS5's parser has room for about 30 levels; deeper expressions are put together here. */
#define TEXT_DEPTH 12

static struct search_node *make(struct arena *a, enum node_kind kind)
{
    struct search_node *n = arena_calloc(a, 1, sizeof *n);
    if (arena_failed(a)) /* what it gives is not cleared then */
        memset(n, 0, sizeof *n);
    n->kind = kind;
    n->lists = kind >= NODE_TEXT;
    return n;
}

/* ---- lists of nodes ---- */

struct list {
    struct search_node **items;
    size_t n, room;
};

static void push(struct arena *a, struct list *l, struct search_node *n)
{
    struct search_node **items = arena_grow(a, l->items, l->n, &l->room, sizeof *items);
    if (!items)
        return;
    l->items = items;
    l->items[l->n++] = n;
}

/* ---- and, or, not ---- */

/* Both lists may be empty: everything. */
static struct search_node *make_and(struct arena *a, const struct list *drivers,
                                    const struct list *tests)
{
    if (drivers->n == 1 && !tests->n)
        return drivers->items[0];
    if (!drivers->n && tests->n == 1)
        return tests->items[0];
    struct search_node *n = make(a, NODE_AND);
    n->kids = drivers->items;
    n->n_kids = drivers->n;
    n->tests = tests->items;
    n->n_tests = tests->n;
    n->lists = drivers->n > 0;
    return n;
}

/* A conjunct; those of a conjunction in it are taken one by one. */
static void conjoin(struct arena *a, struct list *drivers, struct list *tests,
                    struct search_node *n)
{
    if (n->kind != NODE_AND) {
        push(a, n->lists ? drivers : tests, n);
        return;
    }
    for (size_t i = 0; i < n->n_kids; i++)
        push(a, drivers, n->kids[i]);
    for (size_t i = 0; i < n->n_tests; i++)
        push(a, tests, n->tests[i]);
}

static struct search_node *both(struct arena *a, struct search_node *x, struct search_node *y)
{
    struct list drivers = {0}, tests = {0};
    conjoin(a, &drivers, &tests, x);
    conjoin(a, &drivers, &tests, y);
    return make_and(a, &drivers, &tests);
}

static struct search_node *make_or(struct arena *a, const struct list *kids)
{
    struct search_node *n = make(a, NODE_OR);
    if (kids->n == 1)
        return kids->items[0];
    n->kids = kids->items;
    n->n_kids = kids->n;
    n->lists = true;
    for (size_t i = 0; i < kids->n; i++)
        n->lists = n->lists && kids->items[i]->lists;
    return n;
}

static struct search_node *make_not(struct arena *a, struct search_node *kid)
{
    struct search_node *n = make(a, NODE_NOT);
    n->kids = arena_alloc(a, sizeof *n->kids);
    n->kids[0] = kid;
    n->n_kids = 1;
    return n;
}

/* ---- words ---- */

static const char *marked(struct arena *a, const struct buf *words, const char *mark,
                          size_t *ret_len)
{
    struct buf b;
    buf_init(&b, 0);
    search_add_marked(&b, words->data, words->len, mark);
    const char *text = arena_memdup(a, b.data, b.len);
    *ret_len = b.len;
    if (buf_failed(&b) || buf_failed(words))
        a->failed = true;
    buf_done(&b);
    return text;
}

void search_phrase(struct arena *a, const char *text, const char *mark, struct phrase *ret)
{
    struct buf words, addresses, again;
    size_t len = strlen(text);
    buf_init(&words, 0);
    buf_init(&addresses, 0);
    buf_init(&again, 0);
    *ret = (struct phrase){0};
    words_add(&words, text, len);
    if (words_add_wholes(&addresses, text, len) == 1) {
        words_add(&again, addresses.data, addresses.len);
        ret->address = again.len == words.len && memcmp(again.data, words.data, words.len) == 0;
    }
    ret->words = marked(a, &words, mark, &ret->len);
    ret->addresses = marked(a, &addresses, mark, &ret->addresses_len);
    buf_done(&words);
    buf_done(&addresses);
    buf_done(&again);
}

/* "{sender cc} : "; marks make it needless for the fields that have one, and for all the others. */
static void add_columns(struct search_compiler *k, struct buf *out, unsigned which)
{
    const struct corpus *c = k->corpus;
    const char *between = "{";
    if ((which & c->any) == c->any)
        return;
    for (size_t i = 0; i < c->n_fields; i++) {
        if (!(which & c->fields[i].field))
            continue;
        buf_printf(out, "%s%s", between, c->columns[c->fields[i].column]);
        between = " ";
    }
    buf_puts(out, "} : ");
}

static void add_quoted(struct buf *out, const char *text, size_t len)
{
    buf_byte(out, '"');
    buf_add(out, text, len);
    buf_byte(out, '"');
}

/* A phrase and the addresses in it, in columns of one mark. whole: only these. */
static void add_phrase(struct search_compiler *k, struct buf *out, const char *text, bool whole,
                       const char *mark, unsigned which)
{
    struct phrase p;
    search_phrase(k->a, text, mark, &p);
    const char *address = p.addresses, *end = address + p.addresses_len;
    const char *between = "";
    add_columns(k, out, which);
    buf_byte(out, '(');
    if (!p.addresses_len || (p.len && !p.address && !whole)) {
        add_quoted(out, p.words, p.len);
        between = " AND ";
    }
    while (address < end) {
        size_t n = strcspn(address, " ");
        buf_puts(out, between);
        add_quoted(out, address, n);
        between = " AND ";
        address += n + 1;
    }
    buf_byte(out, ')');
}

static void add_near(struct search_compiler *k, struct buf *out, const struct search *q,
                     const char *mark, unsigned which)
{
    struct phrase x, y;
    search_phrase(k->a, q->text, mark, &x);
    search_phrase(k->a, q->text2, mark, &y);
    add_columns(k, out, which);
    buf_puts(out, "NEAR(");
    add_quoted(out, x.words, x.len);
    buf_byte(out, ' ');
    add_quoted(out, y.words, y.len);
    buf_printf(out, ", %d)", q->distance < 0 ? 0 : q->distance);
}

static void add_words(struct search_compiler *k, struct buf *out, const struct search *q,
                      const char *mark, unsigned which)
{
    if (q->kind == SEARCH_NEAR)
        add_near(k, out, q, mark, which);
    else
        add_phrase(k, out, q->text, q->kind == SEARCH_ADDRESS, mark, which);
}

/* In all its fields: those without a mark together, the others one by one. */
static void add_fields(struct search_compiler *k, struct buf *out, const struct search *q)
{
    const struct search_field *fields = k->corpus->fields;
    const char *between = "";
    buf_byte(out, '(');
    if (q->fields & k->corpus->any) {
        add_words(k, out, q, "", q->fields & k->corpus->any);
        between = " OR ";
    }
    for (size_t i = 0; i < k->corpus->n_fields; i++) {
        if (!(q->fields & fields[i].field) || !*fields[i].mark)
            continue;
        buf_puts(out, between);
        add_words(k, out, q, fields[i].mark, fields[i].field);
        between = " OR ";
    }
    if (!*between)
        buf_puts(out, "\"\"");
    buf_byte(out, ')');
}

static bool phrase_has_words(struct search_compiler *k, const char *text)
{
    struct phrase p;
    search_phrase(k->a, text, "", &p);
    return p.len || p.addresses_len;
}

/* ---- what is about words alone ---- */

static bool is_everything(struct search_compiler *k, const struct search *q)
{
    switch (q->kind) {
    case SEARCH_AND:
        for (size_t i = 0; i < q->n_kids; i++)
            if (!is_everything(k, q->kids[i]))
                return false;
        return true;
    case SEARCH_PHRASE:
        return !phrase_has_words(k, q->text);
    case SEARCH_NEAR:
        return !phrase_has_words(k, q->text) && !phrase_has_words(k, q->text2);
    default:
        return false;
    }
}

static bool is_text(struct search_compiler *k, const struct search *q, int depth)
{
    bool positive = false;
    if (depth > TEXT_DEPTH)
        return false;
    switch (q->kind) {
    case SEARCH_PHRASE:
        return phrase_has_words(k, q->text);
    case SEARCH_ADDRESS:
    case SEARCH_HAS:
        return true;
    case SEARCH_NEAR:
        return !q->ordered && phrase_has_words(k, q->text) && phrase_has_words(k, q->text2);
    case SEARCH_OR:
        for (size_t i = 0; i < q->n_kids; i++)
            if (!is_text(k, q->kids[i], depth + 1))
                return false;
        return q->n_kids > 0;
    case SEARCH_AND:
        for (size_t i = 0; i < q->n_kids; i++) {
            bool negative = q->kids[i]->kind == SEARCH_NOT;
            if (!is_text(k, negative ? q->kids[i]->kids[0] : q->kids[i], depth + 1))
                return false;
            positive = positive || !negative;
        }
        return positive;
    default:
        return false;
    }
}

static void add_text(struct search_compiler *k, struct buf *out, const struct search *q);

/* Children of one sign, joined by a word. */
static void add_kids(struct search_compiler *k, struct buf *out, const struct search *const *kids,
                     size_t n, bool negative, const char *word)
{
    const char *between = "";
    buf_byte(out, '(');
    for (size_t i = 0; i < n; i++) {
        if ((kids[i]->kind == SEARCH_NOT) != negative)
            continue;
        buf_puts(out, between);
        add_text(k, out, negative ? kids[i]->kids[0] : kids[i]);
        between = word;
    }
    buf_byte(out, ')');
}

static void add_text_and(struct search_compiler *k, struct buf *out,
                         const struct search *const *kids, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any = any || kids[i]->kind == SEARCH_NOT;
    add_kids(k, out, kids, n, false, " AND ");
    if (any) {
        buf_puts(out, " NOT ");
        add_kids(k, out, kids, n, true, " OR ");
    }
}

static void add_has(struct buf *out, uint32_t bits)
{
    const char *between = "(";
    for (uint32_t bit = 1; bit; bit <<= 1) {
        if (!(bits & bit))
            continue;
        buf_printf(out, "%s\"" SEARCH_MARK_HAS "%u\"", between, (unsigned)bit);
        between = " OR ";
    }
    buf_puts(out, *between == '(' ? "\"\"" : ")");
}

static void add_text(struct search_compiler *k, struct buf *out, const struct search *q)
{
    switch (q->kind) {
    case SEARCH_AND:
        buf_byte(out, '(');
        add_text_and(k, out, q->kids, q->n_kids);
        buf_byte(out, ')');
        break;
    case SEARCH_OR:
        add_kids(k, out, q->kids, q->n_kids, false, " OR ");
        break;
    case SEARCH_HAS:
        add_has(out, q->bits);
        break;
    default:
        add_fields(k, out, q);
    }
}

static struct search_node *text_node(struct search_compiler *k, struct buf *match)
{
    struct search_node *n = make(k->a, NODE_TEXT);
    n->match = arena_strdup(k->a, buf_str(match));
    if (buf_failed(match))
        k->a->failed = true;
    return n;
}

/* ---- the others ---- */

static struct search_node *near_node(struct search_compiler *k, const struct search *q)
{
    struct list kids = {0};
    if (!phrase_has_words(k, q->text) ||
        !phrase_has_words(k, q->text2)) { /* then one is a phrase by itself */
        struct search one = *q;
        one.kind = SEARCH_PHRASE;
        one.text = phrase_has_words(k, q->text) ? q->text : q->text2;
        struct buf b;
        buf_init(&b, 0);
        add_fields(k, &b, &one);
        struct search_node *n = text_node(k, &b);
        buf_done(&b);
        return n;
    }
    const struct search_field *fields = k->corpus->fields;
    for (size_t i = 0; i < k->corpus->n_fields; i++) {
        unsigned which = *fields[i].mark ? q->fields & fields[i].field
                         : i             ? 0
                                         : q->fields & k->corpus->any;
        if (!which)
            continue;
        struct buf b;
        buf_init(&b, 0);
        add_near(k, &b, q, fields[i].mark, which);
        struct search_node *n = text_node(k, &b);
        n->kind = NODE_NEAR;
        n->distance = q->distance < 0 ? 0 : q->distance;
        push(k->a, &kids, n);
        buf_done(&b);
    }
    return make_or(k->a, &kids);
}

/* ---- for the corpus's own kinds ---- */

struct tx *search_compiler_tx(const struct search_compiler *k)
{
    return k->tx;
}

struct arena *search_compiler_arena(const struct search_compiler *k)
{
    return k->a;
}

struct search_node *search_node_list(struct search_compiler *k, unsigned list, int64_t id)
{
    struct search_node *n = make(k->a, NODE_LIST);
    n->list = k->corpus->lists[list];
    n->id = id;
    return n;
}

struct search_node *search_node_range(struct search_compiler *k, int64_t first, int64_t last)
{
    struct search_node *n = make(k->a, NODE_RANGE);
    n->first = first;
    n->last = last;
    return n;
}

struct search_node *search_node_words(struct search_compiler *k, const char *words)
{
    struct buf b;
    buf_init(&b, 0);
    for (const char *word = words, *blank; (blank = strchr(word, ' ')); word = blank + 1) {
        if (b.len)
            buf_puts(&b, " OR ");
        add_quoted(&b, word, (size_t)(blank - word));
    }
    struct search_node *n = b.len ? text_node(k, &b) : NULL;
    buf_done(&b);
    return n;
}

struct search_node *search_node_begins(struct search_compiler *k, unsigned which, const char *text)
{
    struct phrase p;
    struct buf b;
    search_phrase(k->a, text, "", &p);
    if (!p.len)
        return search_node_everything(k);
    buf_init(&b, 0);
    add_columns(k, &b, which);
    add_quoted(&b, p.words, p.len - 1); /* without the space behind the last */
    buf_puts(&b, " *");
    struct search_node *n = text_node(k, &b);
    buf_done(&b);
    return n;
}

struct search_node *search_node_keys(struct search_compiler *k, int64_t *keys, size_t n)
{
    struct search_node *node = make(k->a, NODE_KEYS);
    node->batch.keys = keys;
    node->batch.n = (int)n;
    node->batch.from = INT64_MAX;
    node->batch.filled = node->batch.end = true;
    return node;
}

struct search_node *search_node_test(struct search_compiler *k, const struct search *q,
                                     struct search_node *const *lists, size_t n)
{
    struct search_node *node = make(k->a, NODE_TEST);
    struct list kids = {0};
    for (size_t i = 0; i < n; i++)
        push(k->a, &kids, lists[i]);
    node->test = q;
    node->kids = kids.items;
    node->n_kids = kids.n;
    node->lists = kids.n > 0;
    return node;
}

struct search_node *search_node_everything(struct search_compiler *k)
{
    return make(k->a, NODE_AND);
}

struct search_node *search_node_both(struct search_compiler *k, struct search_node *x,
                                     struct search_node *y)
{
    return both(k->a, x, y);
}

static struct search_node *compile(struct search_compiler *k, const struct search *q);

/* The list of those that lack what a NOT is about, where it is one word of which one is kept. 1, 0,
 * -1. */
static int lacking(struct search_compiler *k, const struct search *negated, int64_t *ret_id)
{
    unsigned any = k->corpus->any;
    struct phrase p;
    if (!k->corpus->common || negated->kind != SEARCH_PHRASE || negated->fields != any)
        return 0;
    search_phrase(k->a, negated->text, "", &p);
    if (p.len < 2 || p.addresses_len || memchr(p.words, ' ', p.len) != p.words + p.len - 1)
        return 0;
    return common_find(k->tx, k->corpus, k->group, p.words, p.len - 1, ret_id);
}

/* Parts of a question that are about words. */
static size_t count_word_nodes(const struct search *q)
{
    size_t n = q->n_kids == 0;
    for (size_t i = 0; i < q->n_kids; i++)
        n += count_word_nodes(q->kids[i]);
    return n;
}

/* The children that have words alone become one node, each once; of a conjunction with such a
 * kid also those that it must not have, if they are few: tests one by one end at the first that
 * fails, while FTS5 goes through all of their lists for each message. */
#define FEW 16

struct texts {
    const struct search **kids;
    uint64_t *places; /* what they look for, by its hash */
    size_t n, room;
    bool positive; /* one of them lists */
};

static bool put_hash(struct texts *t, uint64_t hash)
{
    size_t at = (size_t)hash & (t->room - 1);
    hash |= 1;
    while (t->places[at] && t->places[at] != hash)
        at = (at + 1) & (t->room - 1);
    bool is_new = !t->places[at];
    t->places[at] = hash;
    return is_new;
}

/* Whether the same texts were compiled already. */
static bool again(struct search_compiler *k, struct texts *t, const struct search *kid,
                  bool negative)
{
    struct buf b;
    buf_init(&b, 0);
    buf_byte(&b, negative ? '-' : '+');
    add_text(k, &b, negative ? kid->kids[0] : kid);
    bool is_new = buf_failed(&b) || put_hash(t, XXH3_64bits(b.data, b.len));
    buf_done(&b);
    return !is_new;
}

/* Moves those kids of q from rest to ret. */
static bool sort_texts(struct search_compiler *k, const struct search *q, struct texts *ret,
                       const struct search **rest, size_t *n_rest)
{
    bool all = q->kind == SEARCH_AND;
    size_t negative_words = 0;
    for (size_t i = 0; i < q->n_kids; i++) {
        bool negative = all && q->kids[i]->kind == SEARCH_NOT;
        if (!negative)
            ret->positive = ret->positive || is_text(k, q->kids[i], 1);
        else
            negative_words += count_word_nodes(q->kids[i]);
    }
    for (ret->room = 8; ret->room < 2 * q->n_kids; ret->room *= 2)
        ;
    ret->kids = arena_alloc(k->a, (q->n_kids + 1) * sizeof *ret->kids);
    ret->places = arena_calloc(k->a, ret->room, sizeof *ret->places);
    if (arena_failed(k->a))
        return false;
    for (size_t i = 0; i < q->n_kids; i++) {
        const struct search *kid = q->kids[i];
        bool negative = all && kid->kind == SEARCH_NOT;
        bool text = is_text(k, negative ? kid->kids[0] : kid, 1);
        int64_t id;
        int listed = negative && text ? lacking(k, kid->kids[0], &id) : 0;
        if (listed < 0)
            return false;
        text = text && !listed;
        if (text && again(k, ret, kid, negative))
            continue;
        if (text && (!negative || (ret->positive && negative_words <= FEW)))
            ret->kids[ret->n++] = kid;
        else
            rest[(*n_rest)++] = kid;
    }
    return true;
}

static struct search_node *compile_kids(struct search_compiler *k, const struct search *q)
{
    struct arena *a = k->a;
    bool all = q->kind == SEARCH_AND;
    struct list drivers = {0}, tests = {0};
    struct texts texts = {0};
    const struct search **rest = arena_alloc(a, (q->n_kids + 1) * sizeof *rest);
    size_t n_rest = 0;
    if (arena_failed(a) || !sort_texts(k, q, &texts, rest, &n_rest))
        return NULL;
    for (size_t i = 0; i < n_rest; i++) {
        if (all && is_everything(k, rest[i]))
            continue;
        struct search_node *n = compile(k, rest[i]);
        if (!n)
            return NULL;
        if (all)
            conjoin(a, &drivers, &tests, n);
        else
            push(a, &drivers, n);
    }
    if (texts.n) {
        struct buf b;
        buf_init(&b, 0);
        if (all)
            add_text_and(k, &b, texts.kids, texts.n);
        else
            add_kids(k, &b, texts.kids, texts.n, false, " OR ");
        push(a, &drivers, text_node(k, &b));
        buf_done(&b);
    }
    return all ? make_and(a, &drivers, &tests) : make_or(a, &drivers);
}

/* Not one of several is none of each. */
static struct search_node *compile_none(struct search_compiler *k, const struct search *q)
{
    struct search *nots = arena_calloc(k->a, q->n_kids, sizeof *nots);
    const struct search **kids = arena_alloc(k->a, q->n_kids * sizeof *kids);
    struct search none = {.kind = SEARCH_AND, .kids = kids, .n_kids = q->n_kids};
    if (arena_failed(k->a))
        return NULL;
    for (size_t i = 0; i < q->n_kids; i++) {
        nots[i] = (struct search){.kind = SEARCH_NOT, .kids = &q->kids[i], .n_kids = 1};
        kids[i] = &nots[i];
    }
    return compile_kids(k, &none);
}

static struct search_node *compile_leaf(struct search_compiler *k, const struct search *q)
{
    struct buf b;
    if (q->kind >= SEARCH_OWN)
        return k->corpus->compile(k, q, k->arg);
    if (q->kind == SEARCH_RANGE && q->from >= q->to)
        return search_node_range(k, 1, 0);
    if (q->kind == SEARCH_RANGE)
        return search_node_range(k, q->from, q->to - 1);
    if (q->kind == SEARCH_NEAR &&
        (q->ordered || !phrase_has_words(k, q->text) || !phrase_has_words(k, q->text2)))
        return near_node(k, q);
    buf_init(&b, 0);
    add_text(k, &b, q);
    struct search_node *n = text_node(k, &b);
    buf_done(&b);
    return n;
}

static struct search_node *compile(struct search_compiler *k, const struct search *q)
{
    if (is_everything(k, q))
        return make(k->a, NODE_AND);
    if (q->kind == SEARCH_AND || q->kind == SEARCH_OR)
        return compile_kids(k, q);
    if (q->kind != SEARCH_NOT)
        return compile_leaf(k, q);
    if (q->kids[0]->kind == SEARCH_OR && q->kids[0]->n_kids)
        return compile_none(k, q->kids[0]);
    int64_t id;
    int listed = lacking(k, q->kids[0], &id);
    if (listed) {
        struct search_node *n = listed > 0 ? make(k->a, NODE_LIST) : NULL;
        if (n) {
            n->list = &k->corpus->common->list;
            n->id = id;
        }
        return n;
    }
    struct search_node *kid = compile(k, q->kids[0]);
    return kid ? make_not(k->a, kid) : NULL;
}

/* Conditions on the key that hold for the whole. */
static void narrow(const struct search_node *whole, int64_t *first, int64_t *last)
{
    const struct search_node *const *tests = &whole;
    size_t n = 1;
    if (whole->kind == NODE_AND) {
        tests = (const struct search_node *const *)whole->tests;
        n = whole->n_tests;
    }
    for (size_t i = 0; i < n; i++) {
        if (tests[i]->kind != NODE_RANGE)
            continue;
        if (tests[i]->first > *first)
            *first = tests[i]->first;
        if (tests[i]->last < *last)
            *last = tests[i]->last;
    }
}

struct search_node *search_compile(struct search_compiler *k, const struct search_ask *ask,
                                   int64_t *first, int64_t *last)
{
    static const struct search everything = {.kind = SEARCH_AND};
    const struct search *query = ask->query ? ask->query : &everything;
    struct search_node *n = search_check(k->tx, query) < 0 ? NULL : compile(k, query);
    if (!n)
        return NULL;
    narrow(n, first, last);
    for (size_t i = 0; i < ask->n_within; i++)
        n = both(k->a, n, search_node_list(k, ask->within[i].list, ask->within[i].id));
    if (!n->lists) {
        struct search_node *all = make(k->a, NODE_LIST);
        all->list = k->corpus->all;
        n = both(k->a, all, n);
    }
    return n;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a question to nodes. What is about words alone becomes one expression of FTS5's, which joins
 * lists of words faster than we could; the rest becomes nodes of its own.
 */
#include "services/mail/core/search_impl.h"
#include "services/mail/core/words.h"
#include <stdlib.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* FTS5's parser has room for about 30 levels; deeper expressions are put together here. */
#define TEXT_DEPTH 12

struct compiler {
    struct tx *tx;
    struct arena *a;
    int64_t mailbox;
};

static struct node *make(struct arena *a, enum node_kind kind)
{
    struct node *n = arena_calloc(a, 1, sizeof *n);
    if (arena_failed(a)) /* what it gives is not cleared then */
        memset(n, 0, sizeof *n);
    n->kind = kind;
    n->lists = kind >= NODE_TEXT;
    return n;
}

/* ---- lists of nodes ---- */

struct list {
    struct node **items;
    size_t n, room;
};

static void push(struct arena *a, struct list *l, struct node *n)
{
    if (l->n == l->room) {
        size_t room = l->room ? 2 * l->room : 8;
        struct node **items = arena_alloc(a, room * sizeof *items);
        if (arena_failed(a))
            return;
        if (l->n)
            memcpy(items, l->items, l->n * sizeof *items);
        l->items = items;
        l->room = room;
    }
    l->items[l->n++] = n;
}

/* ---- and, or, not ---- */

/* Both lists may be empty: everything. */
static struct node *make_and(struct arena *a, const struct list *drivers, const struct list *tests)
{
    if (drivers->n == 1 && !tests->n)
        return drivers->items[0];
    if (!drivers->n && tests->n == 1)
        return tests->items[0];
    struct node *n = make(a, NODE_AND);
    n->kids = drivers->items;
    n->n_kids = drivers->n;
    n->tests = tests->items;
    n->n_tests = tests->n;
    n->lists = drivers->n > 0;
    return n;
}

/* A conjunct; those of a conjunction in it are taken one by one. */
static void conjoin(struct arena *a, struct list *drivers, struct list *tests, struct node *n)
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

struct node *search_both(struct arena *a, struct node *x, struct node *y)
{
    struct list drivers = {0}, tests = {0};
    conjoin(a, &drivers, &tests, x);
    conjoin(a, &drivers, &tests, y);
    return make_and(a, &drivers, &tests);
}

struct node *search_listing(struct arena *a, struct node *x)
{
    return x->lists ? x : search_both(a, make(a, NODE_ALL), x);
}

static struct node *make_or(struct arena *a, const struct list *kids)
{
    struct node *n = make(a, NODE_OR);
    if (kids->n == 1)
        return kids->items[0];
    n->kids = kids->items;
    n->n_kids = kids->n;
    n->lists = true;
    for (size_t i = 0; i < kids->n; i++)
        n->lists = n->lists && kids->items[i]->lists;
    return n;
}

static struct node *make_not(struct arena *a, struct node *kid)
{
    struct node *n = make(a, NODE_NOT);
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
    index_mark(&b, words->data, words->len, mark);
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

/* "{sender cc} : "; the marks of "extra" make it needless for that one, and for all the others. */
static void add_columns(struct buf *out, unsigned which)
{
    const char *between = "{";
    if ((which & FIELDS_ANY) == FIELDS_ANY)
        return;
    for (size_t i = 0; i < N_INDEX_FIELDS; i++) {
        if (!(which & index_fields[i].field))
            continue;
        buf_printf(out, "%s%s", between, index_columns[index_fields[i].column]);
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
static void add_phrase(struct compiler *k, struct buf *out, const char *text, bool whole,
                       const char *mark, unsigned which)
{
    struct phrase p;
    search_phrase(k->a, text, mark, &p);
    const char *address = p.addresses, *end = address + p.addresses_len;
    const char *between = "";
    add_columns(out, which);
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

static void add_near(struct compiler *k, struct buf *out, const struct search *q, const char *mark,
                     unsigned which)
{
    struct phrase x, y;
    search_phrase(k->a, q->text, mark, &x);
    search_phrase(k->a, q->text2, mark, &y);
    add_columns(out, which);
    buf_puts(out, "NEAR(");
    add_quoted(out, x.words, x.len);
    buf_byte(out, ' ');
    add_quoted(out, y.words, y.len);
    buf_printf(out, ", %d)", q->distance < 0 ? 0 : q->distance);
}

static void add_words(struct compiler *k, struct buf *out, const struct search *q, const char *mark,
                      unsigned which)
{
    if (q->kind == SEARCH_NEAR)
        add_near(k, out, q, mark, which);
    else
        add_phrase(k, out, q->text, q->kind == SEARCH_ADDRESS, mark, which);
}

/* In all its fields: those without a mark together, the others one by one. */
static void add_fields(struct compiler *k, struct buf *out, const struct search *q)
{
    const char *between = "";
    buf_byte(out, '(');
    if (q->fields & FIELDS_ANY) {
        add_words(k, out, q, "", q->fields & FIELDS_ANY);
        between = " OR ";
    }
    for (size_t i = 0; i < N_INDEX_FIELDS; i++) {
        if (!(q->fields & index_fields[i].field) || !*index_fields[i].mark)
            continue;
        buf_puts(out, between);
        add_words(k, out, q, index_fields[i].mark, index_fields[i].field);
        between = " OR ";
    }
    if (!*between)
        buf_puts(out, "\"\"");
    buf_byte(out, ')');
}

static bool has_words(struct compiler *k, const char *text)
{
    struct phrase p;
    search_phrase(k->a, text, "", &p);
    return p.len || p.addresses_len;
}

/* ---- what is about words alone ---- */

static bool is_everything(struct compiler *k, const struct search *q)
{
    switch (q->kind) {
    case SEARCH_AND:
        for (size_t i = 0; i < q->n_kids; i++)
            if (!is_everything(k, q->kids[i]))
                return false;
        return true;
    case SEARCH_PHRASE:
        return !has_words(k, q->text);
    case SEARCH_NEAR:
        return !has_words(k, q->text) && !has_words(k, q->text2);
    default:
        return false;
    }
}

static bool is_text(struct compiler *k, const struct search *q, int depth)
{
    bool positive = false;
    if (depth > TEXT_DEPTH)
        return false;
    switch (q->kind) {
    case SEARCH_PHRASE:
        return has_words(k, q->text);
    case SEARCH_ADDRESS:
    case SEARCH_HAS:
        return true;
    case SEARCH_NEAR:
        return !q->ordered && has_words(k, q->text) && has_words(k, q->text2);
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

static void add_text(struct compiler *k, struct buf *out, const struct search *q);

/* Kids of one sign, joined by a word. */
static void add_kids(struct compiler *k, struct buf *out, const struct search *const *kids,
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

static void add_text_and(struct compiler *k, struct buf *out, const struct search *const *kids,
                         size_t n)
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
        buf_printf(out, "%s\"" MARK_HAS "%u\"", between, (unsigned)bit);
        between = " OR ";
    }
    buf_puts(out, *between == '(' ? "\"\"" : ")");
}

static void add_text(struct compiler *k, struct buf *out, const struct search *q)
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

static struct node *text_node(struct compiler *k, struct buf *match)
{
    struct node *n = make(k->a, NODE_TEXT);
    n->match = arena_strdup(k->a, buf_str(match));
    if (buf_failed(match))
        k->a->failed = true;
    return n;
}

/* ---- the others ---- */

static struct node *near_node(struct compiler *k, const struct search *q)
{
    struct list kids = {0};
    if (!has_words(k, q->text) || !has_words(k, q->text2)) { /* then one stands alone */
        struct search one = *q;
        one.kind = SEARCH_PHRASE;
        one.text = has_words(k, q->text) ? q->text : q->text2;
        struct buf b;
        buf_init(&b, 0);
        add_fields(k, &b, &one);
        struct node *n = text_node(k, &b);
        buf_done(&b);
        return n;
    }
    for (size_t i = 0; i < N_INDEX_FIELDS; i++) {
        unsigned which = *index_fields[i].mark ? q->fields & index_fields[i].field
                         : i                   ? 0
                                               : q->fields & FIELDS_ANY;
        if (!which)
            continue;
        struct buf b;
        buf_init(&b, 0);
        add_near(k, &b, q, index_fields[i].mark, which);
        struct node *n = text_node(k, &b);
        n->kind = NODE_NEAR;
        n->distance = q->distance < 0 ? 0 : q->distance;
        push(k->a, &kids, n);
        buf_done(&b);
    }
    return make_or(k->a, &kids);
}

struct node *search_label_node(struct arena *a, int64_t label)
{
    struct node *n = make(a, NODE_LABEL);
    n->label = label;
    return n;
}

static struct node *flags_node(struct compiler *k, uint32_t flags)
{
    struct node *n = make(k->a, NODE_FLAGS);
    struct list kids = {0};
    for (int role = 0; role < N_LABEL_ROLES; role++)
        if (flags & FLAG(role))
            push(k->a, &kids, search_label_node(k->a, label_id(k->mailbox, role)));
    if (flags & FLAG_OWN_LABELS)
        push(k->a, &kids, make(k->a, NODE_FILED));
    if (!kids.n)
        return make(k->a, NODE_AND);
    n->flags = flags;
    n->kids = kids.items;
    n->n_kids = kids.n;
    n->lists = true;
    return n;
}

/* Large messages are few: their classes of size list them. */
#define LARGE     (INT64_C(1) << 16)
#define MAX_CLASS 40

static struct node *size_node(struct compiler *k, const struct search *q)
{
    struct node *n = make(k->a, NODE_SIZE);
    n->first = q->from;
    n->last = q->to;
    if (q->from < LARGE || q->from >= q->to)
        return n;
    int to = q->to >= INT64_C(1) << MAX_CLASS ? MAX_CLASS : index_class(q->to - 1);
    struct buf b;
    buf_init(&b, 0);
    for (int class = index_class(q->from); class <= to; class ++)
        buf_printf(&b, "%s\"" MARK_SIZE "%d\"", b.len ? " OR " : "", class);
    n = b.len ? search_both(k->a, text_node(k, &b), n) : n;
    buf_done(&b);
    return n;
}

static struct node *date_node(struct compiler *k, const struct search *q)
{
    struct node *n = make(k->a, NODE_DATE);
    n->first = id_of(k->mailbox, q->from);
    n->last = id_of(k->mailbox, q->to) - 1;
    if (q->from >= q->to)
        n->last = n->first - 1;
    return n;
}

static struct node *message_id_node(struct compiler *k, const struct search *q)
{
    struct node *n = make(k->a, NODE_IDS);
    struct message *list = NULL;
    size_t count = 0;
    if (message_by_message_id(k->tx, k->mailbox, q->text, &list, &count) < 0)
        return NULL;
    n->batch.ids = arena_alloc(k->a, (count + 1) * sizeof *n->batch.ids);
    if (arena_failed(k->a))
        return n;
    for (size_t i = 0; i < count; i++)
        n->batch.ids[i] = list[count - 1 - i].id;
    n->batch.n = (int)count;
    n->batch.from = INT64_MAX;
    n->batch.filled = n->batch.end = true;
    return n;
}

static struct node *compile(struct compiler *k, const struct search *q);

/* Parts of a question that are about words. */
static size_t count_words(const struct search *q)
{
    size_t n = q->n_kids == 0;
    for (size_t i = 0; i < q->n_kids; i++)
        n += count_words(q->kids[i]);
    return n;
}

/* Those kids that are about words alone become one node, each once; of a conjunction with such a
 * kid also those that it must not have, if they are few: tests one by one end at the first that
 * fails, while FTS5 goes through all of their lists for each message. */
#define FEW 16

struct texts {
    const struct search **kids;
    uint64_t *places; /* what they ask for, by its hash */
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

/* Was it asked for already? */
static bool again(struct compiler *k, struct texts *t, const struct search *kid, bool negative)
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
static bool sort_texts(struct compiler *k, const struct search *q, struct texts *ret,
                       const struct search **rest, size_t *n_rest)
{
    bool all = q->kind == SEARCH_AND;
    size_t negative_words = 0;
    for (size_t i = 0; i < q->n_kids; i++) {
        bool negative = all && q->kids[i]->kind == SEARCH_NOT;
        if (!negative)
            ret->positive = ret->positive || is_text(k, q->kids[i], 1);
        else
            negative_words += count_words(q->kids[i]);
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
        if (text && again(k, ret, kid, negative))
            continue;
        if (text && (!negative || (ret->positive && negative_words <= FEW)))
            ret->kids[ret->n++] = kid;
        else
            rest[(*n_rest)++] = kid;
    }
    return true;
}

static struct node *compile_kids(struct compiler *k, const struct search *q)
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
        struct node *n = compile(k, rest[i]);
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
static struct node *compile_none(struct compiler *k, const struct search *q)
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

static struct node *compile_leaf(struct compiler *k, const struct search *q)
{
    struct buf b;
    struct node *n;
    switch (q->kind) {
    case SEARCH_LABEL:
        return search_label_node(k->a, q->label);
    case SEARCH_FLAGS:
        return flags_node(k, q->bits);
    case SEARCH_SIZE:
        return size_node(k, q);
    case SEARCH_DATE:
        return date_node(k, q);
    case SEARCH_MESSAGE_ID:
        return message_id_node(k, q);
    case SEARCH_NEAR:
        if (q->ordered || !has_words(k, q->text) || !has_words(k, q->text2))
            return near_node(k, q);
        break;
    default:
        break;
    }
    buf_init(&b, 0);
    add_text(k, &b, q);
    n = text_node(k, &b);
    buf_done(&b);
    return n;
}

static struct node *compile(struct compiler *k, const struct search *q)
{
    if (is_everything(k, q))
        return make(k->a, NODE_AND);
    if (q->kind == SEARCH_AND || q->kind == SEARCH_OR)
        return compile_kids(k, q);
    if (q->kind != SEARCH_NOT)
        return compile_leaf(k, q);
    if (q->kids[0]->kind == SEARCH_OR && q->kids[0]->n_kids)
        return compile_none(k, q->kids[0]);
    struct node *kid = compile(k, q->kids[0]);
    return kid ? make_not(k->a, kid) : NULL;
}

/* Counts the parts of a tree, up to one too many. */
static size_t count(const struct search *q, int depth)
{
    size_t n = depth > SEARCH_MAX_DEPTH ? SEARCH_MAX_NODES + 1 : 1;
    for (size_t i = 0; i < q->n_kids && n <= SEARCH_MAX_NODES; i++)
        n += count(q->kids[i], depth + 1);
    return n;
}

/* Adds the phrases that have several words, NUL behind each: the places of their words are read one
 * by one, once for each time that the word is asked for. */
static void add_phrases(const struct search *q, struct buf *out)
{
    size_t was = out->len, n = 0;
    for (size_t i = 0; i < q->n_kids; i++)
        add_phrases(q->kids[i], out);
    if (q->kind != SEARCH_PHRASE && q->kind != SEARCH_NEAR)
        return;
    n += q->text ? words_add(out, q->text, strlen(q->text)) : 0;
    n += q->text2 ? words_add(out, q->text2, strlen(q->text2)) : 0;
    if (n > 1)
        buf_byte(out, '\0');
    else if (!buf_failed(out))
        out->len = was;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Does a word stand in different phrases, or in one, more than SEARCH_MAX_REPEATS times? */
static bool repeats(struct arena *a, const struct buf *phrases)
{
    size_t n = 0, n_words = 0, run = 1;
    char *p = arena_memdup(a, phrases->data, phrases->len), *end = p + phrases->len;
    char **list = arena_alloc(a, (phrases->len / 2 + 1) * sizeof *list);
    char **words = arena_alloc(a, (phrases->len / 2 + 1) * sizeof *words);
    if (arena_failed(a))
        return false;
    for (; p < end; p += strlen(p) + 1)
        list[n++] = p;
    qsort(list, n, sizeof *list, by_text);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && strcmp(list[i], list[i + 1]) == 0)
            continue;
        for (char *word = list[i], *blank; (blank = strchr(word, ' ')); word = blank + 1) {
            words[n_words++] = word;
            *blank = '\0';
        }
    }
    qsort(words, n_words, sizeof *words, by_text);
    for (size_t i = 1; i < n_words && run <= SEARCH_MAX_REPEATS; i++)
        run = strcmp(words[i - 1], words[i]) == 0 ? run + 1 : 1;
    return run > SEARCH_MAX_REPEATS;
}

int search_check(struct tx *tx, const struct search *query)
{
    struct buf phrases;
    bool much = count(query, 0) > SEARCH_MAX_NODES;
    buf_init(&phrases, 0);
    if (!much) {
        add_phrases(query, &phrases);
        much = phrases.len > (size_t)2 * SEARCH_MAX_REPEATS && repeats(tx->arena, &phrases);
    }
    buf_done(&phrases);
    return !much ? 0
                 : tx_fail(tx, SOSIA_E_INVALID, "tooComplex", "query",
                           "the question has too many parts");
}

struct node *search_compile(struct tx *tx, int64_t mailbox, const struct search *query,
                            int64_t *first, int64_t *last)
{
    struct compiler k = {.tx = tx, .a = tx->arena, .mailbox = mailbox};
    struct node *n = search_check(tx, query) < 0 ? NULL : compile(&k, query);
    if (!n || arena_failed(tx->arena)) {
        if (n)
            sosia_fail_memory(tx->err);
        return NULL;
    }
    const struct node *one = n;
    size_t n_tests = n->kind == NODE_AND ? n->n_tests : 1;
    for (size_t i = 0; i < n_tests; i++) {
        const struct node *test = n->kind == NODE_AND ? n->tests[i] : one;
        if (test->kind != NODE_DATE)
            continue;
        if (test->first > *first)
            *first = test->first;
        if (test->last < *last)
            *last = test->last;
    }
    return n;
}

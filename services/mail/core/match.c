/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does a message match? Without the index: the columns are texts, in which words stand with blanks
 * around them. What this finds and what the index finds is the same.
 */
#include "services/mail/core/search_impl.h"

struct matcher {
    struct tx *tx;
    const struct search_facts *facts;
    const char *columns[INDEX_COLUMNS];
    size_t len[INDEX_COLUMNS];
};

/* ---- words ---- */

/* Does a column have these words, "w1 w2 ", in a row? */
static bool column_has(const struct matcher *k, int column, const char *words, size_t n)
{
    const char *text = k->columns[column], *p = text, *end = text + k->len[column];
    while (p < end && (p = memmem(p, (size_t)(end - p), words, n))) {
        if (p == text || p[-1] == ' ')
            return true;
        p++;
    }
    return false;
}

/* The same for any of the columns of some fields with this mark. */
static bool fields_have(const struct matcher *k, unsigned which, const char *words, size_t n)
{
    for (size_t i = 0; i < N_INDEX_FIELDS; i++)
        if ((which & index_fields[i].field) && column_has(k, index_fields[i].column, words, n))
            return true;
    return false;
}

static bool has_phrase(const struct matcher *k, unsigned which, const char *mark,
                       const struct search *q)
{
    struct phrase p;
    search_phrase(k->tx->arena, q->text, mark, &p);
    const char *address = p.addresses, *end = address + p.addresses_len;
    bool words = !p.addresses_len || (p.len && !p.address && q->kind != SEARCH_ADDRESS);
    if (words && !fields_have(k, which, p.words, p.len))
        return false;
    while (address < end) {
        size_t n = strcspn(address, " ") + 1;
        if (!fields_have(k, which, address, n))
            return false;
        address += n;
    }
    return true;
}

/* ---- words near each other ---- */

struct places {
    int64_t *at; /* counted in words */
    size_t n, room;
};

static void add_place(struct arena *a, struct places *p, int64_t at)
{
    if (p->n == p->room) {
        size_t room = p->room ? 2 * p->room : 16;
        int64_t *more = arena_alloc(a, room * sizeof *more);
        if (arena_failed(a))
            return;
        if (p->n)
            memcpy(more, p->at, p->n * sizeof *more);
        p->at = more;
        p->room = room;
    }
    p->at[p->n++] = at;
}

static int64_t count_words(const char *words, size_t len)
{
    int64_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += words[i] == ' ';
    return n;
}

/* Is there one of the second at most `most` words behind one of the first? */
static bool follows(const struct places *first, int64_t size, const struct places *second,
                    int64_t most, bool overlap)
{
    size_t i = 0;
    for (size_t j = 0; j < second->n; j++) {
        while (i < first->n && first->at[i] + size <= second->at[j])
            i++;
        if (i && second->at[j] - (first->at[i - 1] + size) <= most)
            return true;
        if (overlap && i < first->n && first->at[i] <= second->at[j])
            return true;
    }
    return false;
}

static bool column_near(const struct matcher *k, int column, const struct search *q,
                        const struct phrase *x, const struct phrase *y)
{
    const char *p = k->columns[column], *end = p + k->len[column];
    struct places first = {0}, second = {0};
    int64_t most = q->distance < 0 ? 0 : q->distance;
    for (int64_t at = 0; p < end; at++) {
        size_t left = (size_t)(end - p);
        if (x->len <= left && memcmp(p, x->words, x->len) == 0)
            add_place(k->tx->arena, &first, at);
        if (y->len <= left && memcmp(p, y->words, y->len) == 0)
            add_place(k->tx->arena, &second, at);
        const char *blank = memchr(p, ' ', left);
        p = blank ? blank + 1 : end;
    }
    if (follows(&first, count_words(x->words, x->len), &second, most, !q->ordered))
        return true;
    return !q->ordered && follows(&second, count_words(y->words, y->len), &first, most, true);
}

static bool has_near(const struct matcher *k, unsigned which, const char *mark,
                     const struct search *q)
{
    struct phrase x, y;
    search_phrase(k->tx->arena, q->text, mark, &x);
    search_phrase(k->tx->arena, q->text2, mark, &y);
    if (!x.len || !y.len) { /* then one stands alone */
        struct search one = *q;
        one.kind = SEARCH_PHRASE;
        one.text = x.len ? q->text : q->text2;
        return has_phrase(k, which, mark, &one);
    }
    for (size_t i = 0; i < N_INDEX_FIELDS; i++)
        if ((which & index_fields[i].field) && column_near(k, index_fields[i].column, q, &x, &y))
            return true;
    return false;
}

/* In one of its fields: those without a mark together, the others one by one. */
static bool has_words(const struct matcher *k, const struct search *q)
{
    bool (*has)(const struct matcher *, unsigned, const char *, const struct search *) =
        q->kind == SEARCH_NEAR ? has_near : has_phrase;
    struct phrase x, y;
    search_phrase(k->tx->arena, q->text, "", &x);
    if (q->kind == SEARCH_NEAR)
        search_phrase(k->tx->arena, q->text2, "", &y);
    if (!x.len && !x.addresses_len && (q->kind != SEARCH_NEAR || (!y.len && !y.addresses_len)))
        return q->kind != SEARCH_ADDRESS; /* nothing is asked for */
    if ((q->fields & FIELDS_ANY) && has(k, q->fields & FIELDS_ANY, "", q))
        return true;
    for (size_t i = 0; i < N_INDEX_FIELDS; i++)
        if (*index_fields[i].mark && (q->fields & index_fields[i].field) &&
            has(k, index_fields[i].field, index_fields[i].mark, q))
            return true;
    return false;
}

/* ---- the rest ---- */

static bool has_label(const struct search_facts *f, int64_t label)
{
    if (label_is_role(label))
        return f->message->flags & FLAG(label_place(label));
    for (size_t i = 0; i < f->n_labels; i++)
        if (f->labels[i] == label)
            return true;
    return false;
}

static bool is_message_id(const char *text, const char *id)
{
    text += strspn(text, " \t<");
    id += strspn(id, " \t<");
    size_t n = strcspn(text, ">"), m = strcspn(id, ">");
    return n == m && memcmp(text, id, n) == 0;
}

static bool matches(const struct matcher *k, const struct search *q)
{
    const struct search_facts *f = k->facts;
    const struct message *m = f->message;
    uint32_t flags = m->flags | (f->n_labels ? FLAG_OWN_LABELS : 0);
    switch (q->kind) {
    case SEARCH_AND:
        for (size_t i = 0; i < q->n_kids; i++)
            if (!matches(k, q->kids[i]))
                return false;
        return true;
    case SEARCH_OR:
        for (size_t i = 0; i < q->n_kids; i++)
            if (matches(k, q->kids[i]))
                return true;
        return false;
    case SEARCH_NOT:
        return !matches(k, q->kids[0]);
    case SEARCH_LABEL:
        return has_label(f, q->label);
    case SEARCH_FLAGS:
        return (flags & q->bits) == q->bits;
    case SEARCH_HAS:
        return f->text->has & q->bits;
    case SEARCH_SIZE:
        return q->from <= m->size && m->size < q->to;
    case SEARCH_DATE:
        return q->from <= m->at_s && m->at_s < q->to;
    case SEARCH_MESSAGE_ID:
        return f->message_id && is_message_id(q->text, f->message_id);
    default:
        return has_words(k, q);
    }
}

int search_matches(struct tx *tx, const struct search *query, const struct search_facts *facts)
{
    struct matcher k = {.tx = tx, .facts = facts};
    if (search_check(tx, query) < 0)
        return -1;
    memcpy(k.columns, facts->text->columns, sizeof k.columns);
    memcpy(k.len, facts->text->len, sizeof k.len);
    if (index_extra(tx->arena, facts->text, facts->delivered, &k.columns[COLUMN_EXTRA],
                    &k.len[COLUMN_EXTRA]) < 0)
        return sosia_fail_memory(tx->err);
    bool found = matches(&k, query);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : found;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching questions with a document: all phrases of all questions are looked for in one pass over
 * its words.
 */
#include "engine/search/match.h"
#include "engine/search/impl.h"
#include "engine/search/phrases.h"
#include "engine/search/words.h"

_Static_assert(SEARCH_FIELDS <= PHRASES_TEXTS, "each field is a text");

#define NO_PHRASE UINT32_MAX

/* A question, with the numbers of its phrases. */
struct asked {
    const struct search *q;
    struct asked *kids;
    unsigned kind; /* as in q, but of a NEAR with one side without words, a PHRASE */
    bool empty;    /* it has no words */
    uint32_t words, words2;
    uint32_t address, n_addresses; /* the first of them; they follow each other */
};

struct matcher {
    struct arena *a;
    const struct corpus *corpus;
    const struct search_facts *facts;
    struct phrases phrases;
    unsigned fields;               /* that questions name */
    struct buf words, wholes, one; /* of the phrase that is looked at */
    bool given_up;                 /* what words are near each other is not known */
};

/* ---- questions ---- */

/* Splits a text into words, and the whole addresses in it. only: it is one, and nothing else. */
static void split_question(struct matcher *k, const char *text, bool *ret_only)
{
    size_t len = strlen(text);
    *ret_only = false;
    buf_clear(&k->words);
    buf_clear(&k->wholes);
    words_add(&k->words, text, len);
    if (memchr(text, '@', len) && words_add_wholes(&k->wholes, text, len) == 1) {
        buf_clear(&k->one);
        words_add(&k->one, k->wholes.data, k->wholes.len);
        *ret_only = k->one.len == k->words.len &&
                    (!k->one.len || memcmp(k->one.data, k->words.data, k->one.len) == 0);
    }
}

static void ask_phrase(struct matcher *k, struct asked *q, const char *text)
{
    bool only;
    split_question(k, text, &only);
    const char *at = k->wholes.data, *end = k->wholes.len ? at + k->wholes.len : at;
    q->empty = !k->words.len && !k->wholes.len;
    if (k->words.len && (at == end || (!only && q->kind != SEARCH_ADDRESS)))
        q->words = phrases_add(&k->phrases, k->words.data, k->words.len);
    q->address = k->phrases.n;
    while (at < end) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        phrases_add(&k->phrases, at, (size_t)(blank - at) + 1);
        q->n_addresses++;
        at = blank + 1;
    }
}

static void ask_near(struct matcher *k, struct asked *q)
{
    bool only;
    split_question(k, q->q->text2, &only);
    if (!k->words.len) { /* then one is a phrase by itself */
        q->kind = SEARCH_PHRASE;
        ask_phrase(k, q, q->q->text);
        return;
    }
    q->words2 = phrases_add(&k->phrases, k->words.data, k->words.len);
    split_question(k, q->q->text, &only);
    if (!k->words.len) {
        q->kind = SEARCH_PHRASE;
        ask_phrase(k, q, q->q->text2);
        return;
    }
    q->words = phrases_add(&k->phrases, k->words.data, k->words.len);
    k->phrases.placed = true;
}

static void ask(struct matcher *k, const struct search *q, struct asked *ret)
{
    *ret = (struct asked){.q = q, .kind = q->kind, .words = NO_PHRASE};
    switch (q->kind) {
    case SEARCH_NEAR:
        ask_near(k, ret);
        k->fields |= q->fields;
        break;
    case SEARCH_PHRASE:
    case SEARCH_ADDRESS:
        ask_phrase(k, ret, q->text);
        k->fields |= q->fields;
        break;
    default:
        if (!q->n_kids)
            break;
        ret->kids = arena_alloc(k->a, q->n_kids * sizeof *ret->kids);
        for (size_t i = 0; i < q->n_kids && !arena_failed(k->a); i++)
            ask(k, q->kids[i], &ret->kids[i]);
    }
}

/* ---- words ---- */

/* Is all of a phrase in these texts? */
static bool has_phrase(const struct matcher *k, const struct asked *q, unsigned texts)
{
    if (q->words != NO_PHRASE && !(phrases_seen(&k->phrases, q->words) & texts))
        return false;
    for (uint32_t i = 0; i < q->n_addresses; i++)
        if (!(phrases_seen(&k->phrases, q->address + i) & texts))
            return false;
    return true;
}

static bool has_near(struct matcher *k, const struct asked *q, unsigned text)
{
    int64_t most = q->q->distance < 0 ? 0 : q->q->distance;
    int r = phrases_near(&k->phrases, q->words, q->words2, text, most, q->q->ordered);
    k->given_up |= r < 0;
    return r > 0;
}

/* In one of its fields: those without a mark together, the others one by one. */
static bool fields_have_words(struct matcher *k, const struct asked *q)
{
    const struct search_field *fields = k->corpus->fields;
    unsigned together = 0;
    if (q->empty)
        return q->kind != SEARCH_ADDRESS; /* there is nothing to look for */
    for (unsigned i = 0; i < k->corpus->n_fields; i++) {
        if (!(q->q->fields & fields[i].field))
            continue;
        if (q->kind == SEARCH_NEAR ? has_near(k, q, i)
                                   : *fields[i].mark && has_phrase(k, q, 1u << i))
            return true;
        if (!*fields[i].mark)
            together |= 1u << i;
    }
    return q->kind != SEARCH_NEAR && together && has_phrase(k, q, together);
}

/* ---- the rest ---- */

static bool matches(struct matcher *k, const struct asked *asked)
{
    const struct search *q = asked->q;
    const struct search_facts *f = k->facts;
    switch (q->kind) {
    case SEARCH_AND:
        for (size_t i = 0; i < q->n_kids; i++)
            if (!matches(k, &asked->kids[i]))
                return false;
        return true;
    case SEARCH_OR:
        for (size_t i = 0; i < q->n_kids; i++)
            if (matches(k, &asked->kids[i]))
                return true;
        return false;
    case SEARCH_NOT:
        return !matches(k, asked->kids);
    case SEARCH_HAS:
        return f->text->has & q->bits;
    case SEARCH_RANGE:
        return q->from <= f->key && f->key < q->to;
    case SEARCH_PHRASE:
    case SEARCH_ADDRESS:
    case SEARCH_NEAR:
        return fields_have_words(k, asked);
    default:
        return f->own(q, f->arg);
    }
}

/* ---- all of it ---- */

/* Looks for the phrases in the fields that questions name. */
static void look_in_all(struct matcher *k)
{
    const struct search_text *t = k->facts->text;
    const struct search_field *fields = k->corpus->fields;
    struct phrases_text texts[SEARCH_FIELDS] = {0};
    for (size_t i = 0; i < k->corpus->n_fields; i++)
        if (k->fields & fields[i].field)
            texts[i] = (struct phrases_text){.words = t->columns[fields[i].column],
                                             .mark = fields[i].mark,
                                             .len = t->len[fields[i].column]};
    phrases_look(&k->phrases, texts, k->corpus->n_fields);
}

int search_match(struct tx *tx, const struct corpus *corpus, const struct search *const *queries,
                 size_t n, const struct search_facts *facts, bool *ret, size_t *ret_steps)
{
    struct arena own;
    struct matcher k = {.a = &own, .corpus = corpus, .facts = facts};
    arena_init(&own, 0);
    phrases_init(&k.phrases, &own);
    buf_init(&k.words, 0);
    buf_init(&k.wholes, 0);
    buf_init(&k.one, 0);
    struct asked *asked = arena_alloc(&own, (n + 1) * sizeof *asked);
    for (size_t i = 0; i < n && !arena_failed(&own); i++)
        ask(&k, queries[i], &asked[i]);
    bool failed =
        arena_failed(&own) || buf_failed(&k.words) || buf_failed(&k.wholes) || buf_failed(&k.one);
    if (k.phrases.n && !failed)
        look_in_all(&k);
    failed = failed || arena_failed(&own);
    for (size_t i = 0; i < n && !failed; i++) {
        k.given_up = false;
        ret[i] = matches(&k, &asked[i]) && !k.given_up;
    }
    failed = failed || arena_failed(&own);
    if (ret_steps)
        *ret_steps = k.phrases.steps;
    buf_done(&k.words);
    buf_done(&k.wholes);
    buf_done(&k.one);
    phrases_done(&k.phrases);
    arena_done(&own);
    return failed ? sosia_fail_memory(tx->err) : 0;
}

int search_matches(struct tx *tx, const struct corpus *corpus, const struct search *query,
                   const struct search_facts *facts)
{
    bool found;
    if (search_check(tx, query) < 0 || search_match(tx, corpus, &query, 1, facts, &found, NULL) < 0)
        return -1;
    return found;
}

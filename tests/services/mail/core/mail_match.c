/* SPDX-License-Identifier: Apache-2.0 */
/* Many questions matched with one message at once: the results are those that each gets by
 * itself from reading all the texts for each of its phrases, and the work does not grow with
 * their product. */
#include "engine/search/impl.h"
#include "services/mail/core/index.h"
#include "tests/support/mail.h"
#define XXH_INLINE_ALL
#include <xxhash.h>

static uint64_t seed = 1;

static uint32_t dice(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

/* ---- by reading ---- */

static size_t word_len(const char *p, const char *end)
{
    const char *blank = memchr(p, ' ', (size_t)(end - p));
    return blank ? (size_t)(blank - p) + 1 : (size_t)(end - p);
}

/* Where a phrase begins in a text, counted in words: the first place from `from` on, or -1. */
static int place(const char *text, size_t len, const char *words, size_t n, int from)
{
    const char *p = text, *end = text + len;
    for (int at = 0; p < end; at++, p += word_len(p, end))
        if (at >= from && (size_t)(end - p) >= n && memcmp(p, words, n) == 0)
            return at;
    return -1;
}

static int count_words(const char *words, size_t len)
{
    int n = 0;
    for (size_t i = 0; i < len; i++)
        n += words[i] == ' ';
    return n;
}

/* What a message is read as. */
struct texts {
    const struct mail_facts *facts;
    struct search_text text;
};

static bool in_fields(const struct texts *t, unsigned fields, const char *words, size_t n)
{
    for (size_t i = 0; i < mail_corpus.n_fields; i++) {
        unsigned c = mail_corpus.fields[i].column;
        if ((fields & mail_corpus.fields[i].field) &&
            place(t->text.columns[c], t->text.len[c], words, n, 0) >= 0)
            return true;
    }
    return false;
}

static bool reads_phrase(const struct texts *t, unsigned fields, const char *mark,
                         const struct search *q, const char *text)
{
    struct phrase p;
    search_phrase(tx.arena, text, mark, &p);
    const char *a = p.addresses, *end = a + p.addresses_len;
    if ((!p.addresses_len || (!p.address && q->kind != SEARCH_ADDRESS)) &&
        !in_fields(t, fields, p.words, p.len))
        return false;
    for (; a < end; a += word_len(a, end))
        if (!in_fields(t, fields, a, word_len(a, end)))
            return false;
    return true;
}

static bool reads_near(const struct texts *t, const struct search_field *f, const struct search *q)
{
    struct phrase x, y;
    const char *text = t->text.columns[f->column];
    size_t len = t->text.len[f->column];
    search_phrase(tx.arena, q->text, f->mark, &x);
    search_phrase(tx.arena, q->text2, f->mark, &y);
    int n_x = count_words(x.words, x.len), n_y = count_words(y.words, y.len);
    for (int a = -1; (a = place(text, len, x.words, x.len, a + 1)) >= 0;)
        for (int b = -1; (b = place(text, len, y.words, y.len, b + 1)) >= 0;) {
            int gap = b >= a + n_x ? b - a - n_x : a >= b + n_y ? a - b - n_y : 0;
            if (gap <= q->distance && (!q->ordered || b >= a + n_x))
                return true;
        }
    return false;
}

static bool has_words(const char *text)
{
    struct phrase p;
    search_phrase(tx.arena, text, "", &p);
    return p.len > 0;
}

static bool reads_words(const struct texts *t, const struct search *q)
{
    const char *one = q->kind != SEARCH_NEAR ? q->text
                      : !has_words(q->text2) ? q->text
                      : !has_words(q->text)  ? q->text2
                                             : NULL;
    if (one && !has_words(one))
        return q->kind != SEARCH_ADDRESS;
    for (size_t i = 0; i < mail_corpus.n_fields; i++) {
        const struct search_field *f = &mail_corpus.fields[i];
        if ((q->fields & f->field) &&
            (one ? *f->mark && reads_phrase(t, f->field, f->mark, q, one) : reads_near(t, f, q)))
            return true;
    }
    return one && (q->fields & FIELDS_ANY) && reads_phrase(t, q->fields & FIELDS_ANY, "", q, one);
}

static bool reads(const struct texts *t, const struct search *q)
{
    bool all = true, any = false;
    for (size_t i = 0; i < q->n_kids; i++) {
        bool one = reads(t, q->kids[i]);
        all = all && one;
        any = any || one;
    }
    return q->kind == SEARCH_AND   ? all
           : q->kind == SEARCH_OR  ? any
           : q->kind == SEARCH_NOT ? !all
                                   : reads_words(t, q);
}

/* ---- messages and questions ---- */

static const char *const words[] = {"a", "b", "a", "b", "c", "d.e", "1.5", "caf\xC3\xA9", "x@y.ex"};

static const char *some_text(uint32_t most)
{
    struct buf b;
    buf_init(&b, 0);
    for (uint32_t n = dice(most + 1); n; n--)
        buf_printf(&b, "%s%s", words[dice(SOSIA_LEN(words))],
                   dice(9)   ? " "
                   : dice(2) ? ", "
                             : "\n");
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void some_message(struct search_text *ret, struct texts *t, struct mail_facts *facts)
{
    struct search_doc doc = {.from = some_text(3),
                             .to = some_text(5),
                             .cc = some_text(3),
                             .reply = some_text(3),
                             .list = some_text(2),
                             .subject = some_text(6),
                             .files = some_text(3),
                             .body = some_text(40)};
    doc.body_len = strlen(doc.body);
    assert_int_equal(mail_text(&tx, &doc, ret), 0);
    facts->delivered = dice(2) ? some_text(3) : NULL;
    facts->text = ret;
    t->facts = facts;
    assert_int_equal(mail_text_delivered(&tx, ret, facts->delivered, 0, &t->text), 0);
}

static const struct search *some_question(int depth)
{
    static const unsigned fields[] = {
        FIELDS_ANY, FIELDS_ANY,      FIELD_FROM,  FIELD_TO | FIELD_CC,        FIELD_BODY,
        FIELD_LIST, FIELD_DELIVERED, FIELD_REPLY, FIELD_SUBJECT | FIELD_REPLY};
    struct search *q = arena_calloc(tx.arena, 1, sizeof *q);
    const struct search **kids = arena_calloc(tx.arena, 4, sizeof *kids);
    uint32_t kind = dice(10);
    *q = (struct search){.kind = kind < 1   ? SEARCH_ADDRESS
                                 : kind < 5 ? SEARCH_NEAR
                                            : SEARCH_PHRASE,
                         .fields = fields[dice(SOSIA_LEN(fields))],
                         .text = some_text(3),
                         .text2 = some_text(2),
                         .distance = (int)dice(4),
                         .ordered = dice(2)};
    if (depth && dice(3)) {
        q->kind = kind < 4 ? SEARCH_AND : kind < 8 ? SEARCH_OR : SEARCH_NOT;
        q->n_kids = q->kind == SEARCH_NOT ? 1 : dice(4);
        q->kids = kids;
        for (size_t i = 0; i < q->n_kids; i++)
            kids[i] = some_question(depth - 1);
    }
    return q;
}

#define ROUNDS    200
#define QUESTIONS 50

static void questions_asked_at_once_have_the_answers_of_each(void **state)
{
    (void)state;
    size_t yes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const struct search *questions[QUESTIONS];
        struct mail_message m = {.id = 1};
        struct mail_facts facts = {.message = &m};
        struct search_text text;
        struct texts t;
        bool found[QUESTIONS];
        arena_reset(tx.arena);
        some_message(&text, &t, &facts);
        size_t n = dice(QUESTIONS + 1);
        for (size_t i = 0; i < n; i++)
            questions[i] = some_question((int)dice(3));
        assert_int_equal(mail_match(&tx, questions, n, &facts, found, NULL), 0);
        for (size_t i = 0; i < n; i++) {
            if (found[i] != reads(&t, questions[i]))
                fail_msg("round %d, question %zu: kind %d, fields %x, [%s] [%s] %d %d: %d", round,
                         i, questions[i]->kind, questions[i]->fields, questions[i]->text,
                         questions[i]->text2, questions[i]->distance, questions[i]->ordered,
                         found[i]);
            yes += found[i];
        }
    }
    assert_in_range(yes, 1000, (uint64_t)ROUNDS * QUESTIONS - 1000);
}

/* ---- much ---- */

/* A body of so many words of a kind, in turn, with others between. */
static const char *body_of(uint32_t n, uint32_t kinds, const char *between)
{
    struct buf b;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < n; i++)
        buf_printf(&b, "x%u %s", (unsigned)(i % kinds), between);
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void body(struct mail_facts *facts, struct search_text *text, const char *words_of_it)
{
    for (int i = 0; i < INDEX_COLUMNS; i++)
        text->columns[i] = "";
    text->columns[COLUMN_BODY] = words_of_it;
    text->len[COLUMN_BODY] = strlen(words_of_it);
    facts->text = text;
}

static const struct search *leaf(unsigned kind, const char *text, const char *text2)
{
    struct search *q = arena_calloc(tx.arena, 1, sizeof *q);
    *q = (struct search){.kind = kind, .fields = FIELD_BODY, .text = text, .text2 = text2};
    return q;
}

static void phrases_times_words_are_not_gone_through(void **state)
{
    (void)state;
    enum { FILTERS = 200, PHRASES = 60, WORDS = 50000 };
    struct mail_message m = {.id = 1};
    struct mail_facts facts = {.message = &m};
    struct search_text text = {0};
    const struct search **kids = arena_alloc(tx.arena, sizeof *kids * FILTERS * PHRASES);
    struct search *filters = arena_calloc(tx.arena, FILTERS, sizeof *filters);
    const struct search *queries[FILTERS];
    bool found[FILTERS];
    size_t steps;
    body(&facts, &text, body_of(WORDS, 7, ""));
    for (unsigned i = 0; i < FILTERS; i++) {
        for (unsigned k = 0; k < PHRASES; k++)
            kids[i * PHRASES + k] =
                leaf(SEARCH_PHRASE, arena_printf(tx.arena, "x0 x1 x2 x3 x4 y%u z%u", k, i), NULL);
        filters[i] =
            (struct search){.kind = SEARCH_OR, .kids = &kids[i * PHRASES], .n_kids = PHRASES};
        queries[i] = &filters[i];
    }
    kids[FILTERS * PHRASES - 1] = leaf(SEARCH_PHRASE, "x5 x6 x0", NULL);
    assert_int_equal(mail_match(&tx, queries, FILTERS, &facts, found, &steps), 0);
    for (unsigned i = 0; i < FILTERS; i++)
        assert_int_equal(found[i], i == FILTERS - 1);
    assert_in_range(steps, WORDS, 4 * (WORDS + FILTERS * PHRASES * 7));
}

/* Words that would all begin their places in a small part of a table, if it was known how they are
 * hashed. */
static void words_chosen_for_their_hashes_are_found_at_once(void **state)
{
    (void)state;
    enum { WORDS = 16000, PLACES = 65536 };
    struct mail_message m = {.id = 1};
    struct mail_facts facts = {.message = &m};
    struct search_text text = {0};
    const struct search **kids = arena_alloc(tx.arena, sizeof *kids * WORDS);
    struct search any = {.kind = SEARCH_OR, .kids = kids, .n_kids = WORDS};
    const struct search *query = &any;
    bool found;
    size_t steps;
    body(&facts, &text, body_of(10, 10, ""));
    for (unsigned i = 0, n = 0; n < WORDS; i++) {
        const char *word = arena_printf(tx.arena, "w%u", i);
        if (XXH3_64bits(word, strlen(word)) % PLACES < PLACES / 64)
            kids[n++] = leaf(SEARCH_PHRASE, word, NULL);
    }
    assert_int_equal(mail_match(&tx, &query, 1, &facts, &found, &steps), 0);
    assert_false(found);
    assert_in_range(steps, WORDS, 10 * WORDS);
}

/* All pairs of many words that are never as near as required, each as often as can be. */
static void looking_for_words_near_each_other_has_an_end(void **state)
{
    (void)state;
    enum { KINDS = 300, WORDS = 150000 };
    struct mail_message m = {.id = 1};
    struct mail_facts facts = {.message = &m};
    struct search_text text = {0};
    const struct search **queries = arena_alloc(tx.arena, sizeof *queries * (KINDS * KINDS + 2));
    bool *found = arena_calloc(tx.arena, KINDS * KINDS + 2, sizeof *found);
    size_t n = 0;
    body(&facts, &text, body_of(WORDS, KINDS, "z z "));
    queries[n++] = leaf(SEARCH_NEAR, "x1", "z");
    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned k = 0; k < i; k++)
            queries[n++] = leaf(SEARCH_NEAR, arena_printf(tx.arena, "x%u", i),
                                arena_printf(tx.arena, "x%u", k));
    struct search not = {.kind = SEARCH_NOT, .kids = &queries[n - 1], .n_kids = 1};
    queries[n++] = &not ;
    queries[n++] = leaf(SEARCH_PHRASE, "z x299", NULL);
    assert_int_equal(mail_match(&tx, queries, n, &facts, found, NULL), 0);
    assert_true(found[0]);
    for (size_t i = 1; i < n - 2; i++)
        assert_false(found[i]);
    assert_false(found[n - 2]); /* what was given up is not a match */
    assert_true(found[n - 1]);
    /* By itself it is known. */
    assert_int_equal(mail_match(&tx, &queries[n - 2], 1, &facts, found, NULL), 0);
    assert_true(found[0]);
}

#define match_test(f) cmocka_unit_test_setup_teardown(f, mail_open_world, mail_close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        match_test(questions_asked_at_once_have_the_answers_of_each),
        match_test(phrases_times_words_are_not_gone_through),
        match_test(words_chosen_for_their_hashes_are_found_at_once),
        match_test(looking_for_words_near_each_other_has_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

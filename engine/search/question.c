/* SPDX-License-Identifier: Apache-2.0 */
/* Questions: how large they may be, and their form as JSON. */
#include "engine/search/question.h"
#include "engine/search/corpus.h"
#include "engine/search/words.h"
#include <stdlib.h>

/* ---- limits ---- */

/* Counts the parts of a tree, up to one too many. */
static size_t count(const struct search *q, int depth)
{
    size_t n = depth > SEARCH_MAX_DEPTH ? SEARCH_MAX_NODES + 1 : 1;
    for (size_t i = 0; i < q->n_kids && n <= SEARCH_MAX_NODES; i++)
        n += count(q->kids[i], depth + 1);
    return n;
}

/* Adds the phrases that have several words, NUL behind each: the places of their words are read
 * one by one, once for each occurrence of the word in them. */
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

/* Whether a word is in different phrases, or in one, more than SEARCH_MAX_REPEATS times. */
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

/* ---- as JSON ---- */

static const char *const kind_words[SEARCH_OWN] = {
    [SEARCH_AND] = "and",       [SEARCH_OR] = "or",       [SEARCH_NOT] = "not",
    [SEARCH_PHRASE] = "phrase", [SEARCH_NEAR] = "near",   [SEARCH_ADDRESS] = "address",
    [SEARCH_HAS] = "has",       [SEARCH_RANGE] = "range",
};

/* NULL: there is no such kind. */
static const char *word_of(const struct corpus *corpus, unsigned kind)
{
    unsigned own = 0;
    if (kind < SEARCH_OWN)
        return kind_words[kind];
    while (corpus->kinds && corpus->kinds[own] && own < kind - SEARCH_OWN)
        own++;
    return corpus->kinds ? corpus->kinds[own] : NULL;
}

void search_write(struct json_writer *w, const char *key, const struct corpus *corpus,
                  const struct search *s)
{
    json_obj(w, key);
    json_str(w, "kind", word_of(corpus, s->kind));
    if (s->n_kids) {
        json_arr(w, "kids");
        for (size_t i = 0; i < s->n_kids; i++)
            search_write(w, NULL, corpus, s->kids[i]);
        json_end(w);
    }
    if (s->fields)
        json_int(w, "fields", s->fields);
    json_str_opt(w, "text", s->text);
    json_str_opt(w, "text2", s->text2);
    if (s->distance)
        json_int(w, "distance", s->distance);
    json_bool_opt(w, "ordered", s->ordered);
    if (s->id)
        json_int(w, "id", s->id);
    if (s->bits)
        json_int(w, "bits", s->bits);
    if (s->from || s->to) {
        json_int(w, "from", s->from);
        json_int(w, "to", s->to);
    }
    json_end(w);
}

static int64_t number(const struct json *v, const char *member)
{
    int64_t n;
    return json_i64(json_get(v, member), &n) == 0 ? n : 0;
}

/* Has it what its kind needs? */
static bool is_whole(const struct corpus *corpus, const struct search *s)
{
    switch (s->kind) {
    case SEARCH_NOT:
        return s->n_kids == 1;
    case SEARCH_NEAR:
        return s->text && s->text2;
    case SEARCH_PHRASE:
    case SEARCH_ADDRESS:
        return s->text != NULL;
    default:
        return s->kind < SEARCH_OWN || !corpus->whole || corpus->whole(s);
    }
}

const struct search *search_read(struct arena *a, const struct corpus *corpus, const struct json *v)
{
    const char *kind = json_get_str(v, "kind"), *word = NULL;
    struct search *s = arena_calloc(a, 1, sizeof *s);
    unsigned k = 0;
    while (kind && (word = word_of(corpus, k)) && strcmp(word, kind) != 0)
        k++;
    if (!kind || !word)
        return NULL;
    const struct json *kids = json_get(v, "kids"), *ordered = json_get(v, "ordered");
    *s = (struct search){.kind = k,
                         .fields = (unsigned)number(v, "fields"),
                         .text = json_get_str(v, "text"),
                         .text2 = json_get_str(v, "text2"),
                         .distance = (int)number(v, "distance"),
                         .ordered = json_is_true(ordered),
                         .id = number(v, "id"),
                         .bits = (uint32_t)number(v, "bits"),
                         .from = number(v, "from"),
                         .to = number(v, "to")};
    if (kids && kids->type == JSON_ARRAY) {
        const struct search **list = arena_calloc(a, kids->n + 1, sizeof *list);
        for (uint32_t i = 0; i < kids->n; i++)
            if (!(list[i] = search_read(a, corpus, &kids->items[i])))
                return NULL;
        s->kids = list;
        s->n_kids = kids->n;
    }
    return is_whole(corpus, s) ? s : NULL;
}

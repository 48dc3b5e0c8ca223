/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a message's text the words of a question are: they are compared as the index has them.
 */
#include "engine/search/words.h"
#include "services/chat/core/corpus.h"
#include "services/chat/slack/web/query.h"

#define HIT_BEGIN "\xee\x80\x80" /* U+E000 */
#define HIT_END   "\xee\x80\x81" /* U+E001 */

const char *sl_folded(struct call *c, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    words_add(&b, text, strlen(text));
    const char *made = buf_failed(&b) ? "" : arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return made;
}

/* A word of a text: where it is there, and in the folded one. */
struct word {
    size_t begin, end, at, to;
};

struct found_text {
    struct word *words;
    size_t n;
    struct buf folded;
};

/* The escapes of a stored text are read; offsets are those of the stored one. */
static int split_stored(struct call *c, const char *stored, struct found_text *t)
{
    size_t n = strlen(stored), plain_len = 0, at = 0, len;
    size_t *where = arena_alloc(c->tx.arena, (n + 1) * sizeof *where);
    char *plain = arena_alloc(c->tx.arena, n + 1);
    t->words = arena_alloc(c->tx.arena, (n + 1) * sizeof *t->words);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < n; i += len) {
        where[plain_len] = i;
        plain[plain_len++] = sl_unescaped(stored + i, &len);
    }
    where[plain_len] = n;
    for (; words_next(plain, plain_len, &at, &len); at += len) {
        struct word *w = &t->words[t->n++];
        *w = (struct word){where[at], where[at + len], t->folded.len, 0};
        words_add(&t->folded, plain + at, len);
        w->to = t->folded.len;
    }
    buf_str(&t->folded);
    return 0;
}

/* The last word of a hit that begins with the word i; t->n: there is none. */
static size_t hit(const struct found_text *t, const struct sl_query *q, size_t i)
{
    const struct word *w = &t->words[i];
    const char *p = t->folded.data + w->at;
    for (size_t k = 0; k < q->n_words; k++) {
        const char *words = q->words[k].folded;
        size_t n = strlen(words), last = i;
        n -= n && q->words[k].begins; /* the space behind it */
        if (!n || strncmp(p, words, n) != 0)
            continue;
        while (last < t->n && t->words[last].to < w->at + n)
            last++;
        if (last < t->n && (q->words[k].begins || t->words[last].to == w->at + n))
            return last;
    }
    return t->n;
}

const char *sl_highlighted(struct call *c, const struct sl_query *q, const char *text)
{
    struct found_text t = {0};
    struct buf b;
    size_t done = 0;
    const char *made = NULL;
    buf_init(&b, 0);
    buf_init(&t.folded, 0);
    if (split_stored(c, text, &t) == 0) {
        for (size_t i = 0; i < t.n; i++) {
            size_t last = hit(&t, q, i);
            if (last == t.n)
                continue;
            buf_add(&b, text + done, t.words[i].begin - done);
            buf_puts(&b, HIT_BEGIN);
            buf_add(&b, text + t.words[i].begin, t.words[last].end - t.words[i].begin);
            buf_puts(&b, HIT_END);
            done = t.words[last].end;
            i = last;
        }
        buf_puts(&b, text + done);
        if (buf_failed(&b) || buf_failed(&t.folded))
            sosia_fail_memory(c->tx.err);
        else
            made = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    }
    buf_done(&t.folded);
    buf_done(&b);
    return made;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Searching events: every word of the question occurs as a word in one of the texts; case and
 * accents don't matter. */
#include "services/calendar/core/list.h"
#include "services/calendar/core/vendor.h"
#include <stdlib.h>
#include <utf8proc.h>

#define MAX_WORDS 32

struct words {
    struct arena *arena;
    const char *word[MAX_WORDS];
    size_t len[MAX_WORDS];
    unsigned n;
    uint32_t found, all; /* bits */
};

static bool is_ascii(const char *s)
{
    for (; *s; s++)
        if (*s & 0x80)
            return false;
    return true;
}

/* Without case and accents; in the arena. ASCII is returned as it is: words are compared without
 * its case. */
static const char *fold(struct arena *a, const char *s)
{
    utf8proc_uint8_t *out = NULL;
    if (is_ascii(s))
        return s;
    utf8proc_ssize_t n =
        utf8proc_map((const utf8proc_uint8_t *)s, 0, &out,
                     (utf8proc_option_t)(UTF8PROC_NULLTERM | UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                                         UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK));
    const char *folded = n >= 0 ? arena_memdup(a, out, (size_t)n) : s;
    free(out);
    return folded;
}

/* Letters, digits and whatever is beyond ASCII make words. */
static bool in_word(char c)
{
    return (c & 0x80) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void compare(struct words *w, const char *word, size_t len)
{
    for (unsigned i = 0; i < w->n; i++)
        if (w->len[i] == len && ((w->word[i][0] ^ word[0]) & 0xdf) == 0 &&
            strncasecmp(w->word[i], word, len) == 0)
            w->found |= UINT32_C(1) << i;
}

static void look(struct words *w, const char *text)
{
    if (!text || w->found == w->all)
        return;
    for (const char *p = text; *p;) {
        const char *start = p;
        char beyond = 0;
        while (in_word(*p))
            beyond |= *p++;
        if (beyond & 0x80) { /* folding may change where words end: once more, folded */
            text = fold(w->arena, start);
            for (p = text; *p;) {
                for (start = p; in_word(*p);)
                    p++;
                if (p > start)
                    compare(w, start, (size_t)(p - start));
                p += *p != 0;
            }
            return;
        }
        if (p > start)
            compare(w, start, (size_t)(p - start));
        p += *p != 0;
    }
}

static void split(struct words *w, const char *text)
{
    for (const char *p = fold(w->arena, text); *p && w->n < MAX_WORDS;) {
        const char *start = p;
        while (in_word(*p))
            p++;
        if (p > start) {
            w->word[w->n] = start;
            w->len[w->n++] = (size_t)(p - start);
        }
        while (*p && !in_word(*p))
            p++;
    }
}

/* The organizer is this calendar unless another one is named; secondary ones have names. */
static int look_at_organizer(struct words *w, struct tx *tx, const struct calendar *cal,
                             const struct cal_event *ev)
{
    const char *end = cal->vendor->calendar_end;
    struct calendar other;
    look(w, ev->organizer ? ev->organizer : cal->address);
    look(w, ev->organizer_name);
    if (!ev->organizer && !cal->main)
        look(w, cal->summary);
    if (!ev->organizer || w->found == w->all || (end && !strstr(ev->organizer, end)))
        return 0;
    int r = calendar_by_address(tx, ev->organizer, &other);
    if (r == 1 && !other.main)
        look(w, other.summary);
    return r < 0 ? -1 : 0;
}

int cal_event_matches(struct tx *tx, const struct calendar *cal, struct cal_event *ev,
                      const char *text)
{
    struct words w = {.arena = tx->arena};
    split(&w, text);
    w.all = w.n == MAX_WORDS ? UINT32_MAX : (UINT32_C(1) << w.n) - 1;
    look(&w, ev->summary);
    look(&w, ev->description);
    look(&w, ev->location);
    look(&w, cal->vendor->kind_words[ev->kind]); /* under which the service shows it */
    if (ev->kind == KIND_PLACE)
        look(&w, ev->place);
    if (look_at_organizer(&w, tx, cal, ev) < 0)
        return -1;
    if (w.found != w.all && ev->n_attendees) {
        if (cal_event_load_attendees(tx, ev) < 0)
            return -1;
        for (int i = 0; i < ev->n_attendees; i++) {
            look(&w, ev->attendees[i].email);
            look(&w, ev->attendees[i].name);
        }
    }
    return w.found == w.all;
}

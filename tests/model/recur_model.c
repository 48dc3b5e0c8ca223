/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrence rules compared with two other results, over thousands of generated rules (a fixed
 * seed, or the seed and number given as arguments):
 *  - libical, for what it can be asked: it does not come back from rules below a day that limit
 * days, so those are not put to it;
 *  - a walk over every unit from DTSTART on, for weeks, months and years over every day of them,
 * that tests each part as the table of RFC 5545, 3.3.10, words it. And our own answers from the
 * middle of a series are compared with those from its start.
 *
 * Where libical differs from RFC 5545, the family is recognised by a predicate over the rule, with
 * the reason beside it, and counted as explained.
 */
#include "tests/model/rules.h"
#include "tests/support/dose.h"
#include "engine/text/civil.h"
#include <libical/ical.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- coming to a verdict ---- */

static int failures;

static void show(const char *what, const struct rule *r, const struct answer *a,
                 const struct answer *b)
{
    int i = 0;
    while (i < a->n && i < b->n && a->at[i] == b->at[i])
        i++;
    char start[STAMP_TEXT], x[STAMP_TEXT] = "end", y[STAMP_TEXT] = "end";
    stamp_format(start, r->dtstart * US_PER_SECOND, 0, 0, false);
    start[19] = 0;
    if (i < a->n)
        stamp_format(x, a->at[i] * US_PER_SECOND, 0, 0, true);
    if (i < b->n)
        stamp_format(y, b->at[i] * US_PER_SECOND, 0, 0, true);
    if (failures++ < 25)
        printf("%s: %s %s %s: no. %d is %s, not %s\n", what, start, r->zone ? r->zone : "-",
               r->text, i + 1, x, y);
}

static bool same(const struct answer *a, const struct answer *b)
{
    return a->n == b->n && (a->ended == b->ended || a->n == INSTANCES) &&
           !memcmp(a->at, b->at, (size_t)a->n * sizeof *a->at);
}

static void check_windows(const struct rule *r, const struct recur *recur, const struct answer *all)
{
    for (int k = 1; k < all->n; k += 5) {
        struct answer part, rest = {.n = all->n - k};
        memcpy(rest.at, all->at + k, (size_t)rest.n * sizeof *rest.at);
        int64_t gap = all->at[k] - all->at[k - 1];
        rule_ours(recur, all->at[k] - (int64_t)(rule_random % (uint64_t)gap), &part);
        if (part.n > rest.n)
            part.n = rest.n;
        if (part.n != rest.n || memcmp(part.at, rest.at, (size_t)rest.n * sizeof *rest.at))
            show("from the middle", r, &part, &rest);
        if (!recur_contains(recur, all->at[k]) ||
            (gap > 1 && recur_contains(recur, all->at[k] - 1)))
            show("contains", r, all, all);
    }
    if (all->ended && recur_last(recur) < all->at[all->n - 1])
        show("last", r, all, all);
}

/* libical's calendar ends with the year 2582. */
static void cut(struct answer *a)
{
    const int64_t end = days_from_civil(2583, 1, 1) * 86400;
    for (; a->n && a->at[a->n - 1] >= end; a->n--)
        a->ended = true;
}

struct tally {
    int walked, gave_up, not_asked, asked, equal, explained, families[N_FAMILIES];
};

static void check(struct tally *t)
{
    struct arena a;
    struct rule r;
    struct answer own, other;
    arena_init(&a, 0);
    rule_generate(&r);
    const struct recur *recur = rule_parse(&a, &r);
    bool whole = rule_ours(recur, RECUR_BEGINNING, &own);
    t->gave_up += !whole;
    if (whole)
        check_windows(&r, recur, &own);
    if (whole && !r.zone && rule_walked(&r, &other)) {
        t->walked++;
        if (!same(&own, &other))
            show("by walking", &r, &own, &other);
    }
    if (!whole || rule_dangerous(&r) || rule_sparse(&r, &own)) {
        t->not_asked++;
    } else {
        t->asked++;
        rule_by_libical(&r, &other);
        cut(&own);
        enum family f = same(&own, &other) ? N_FAMILIES : rule_explained(&r, &own);
        if (f < N_FAMILIES) {
            t->explained++;
            t->families[f]++;
        } else if (same(&own, &other)) {
            t->equal++;
        } else {
            show("libical", &r, &own, &other);
        }
    }
    arena_done(&a);
}

int main(int argc, char **argv)
{
    int n = argc > 2 ? atoi(argv[2]) : dose(3000, 500);
    struct tally t = {0};
    if (argc > 1)
        rule_random ^= strtoull(argv[1], NULL, 10) * 0x9e3779b97f4a7c15u;
    for (int i = 0; i < n; i++)
        check(&t);
    icaltimezone_free_builtin_timezones();
    icalmemory_free_ring();
    for (int f = 0; f < N_FAMILIES; f++)
        printf("explained %4d: %s\n", t.families[f], family_names[f]);
    printf("rules %d: walked %d, gave up %d; libical not asked %d, asked %d, equal %d, explained "
           "%d, unexplained %d\n",
           n, t.walked, t.gave_up, t.not_asked, t.asked, t.equal, t.explained, failures);
    return failures != 0;
}

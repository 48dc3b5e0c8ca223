/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrence rules for tests: generated ones, and what they expand to by our own code and by
 * libical, with what is known about where libical can't be trusted.
 */
#ifndef SOSIA_TESTS_RULES_H
#define SOSIA_TESTS_RULES_H

#include "services/calendar/core/recur/recur.h"

#define INSTANCES 40

/* The generator's numbers: the same state gives the same rules. Not 0. */
extern uint64_t rule_random;
uint32_t random_below(uint32_t n);
bool chance(uint32_t percent);

enum part {
    BYSECOND,
    BYMINUTE,
    BYHOUR,
    BYDAY,
    BYMONTHDAY,
    BYYEARDAY,
    BYWEEKNO,
    BYMONTH,
    BYSETPOS,
    N_PARTS
};

struct list {
    int n, at[12]; /* BYDAY: weekdays */
    int nth[12];   /* of BYDAY; 0: none */
};

struct rule {
    enum rrule_freq freq;
    int interval, week_start, count;
    int64_t until;
    struct list by[N_PARTS];
    bool all_day;
    int64_t dtstart;
    const char *zone; /* NULL: none */
    char text[600];
};

/* A rule with a start, valid and written. */
void rule_generate(struct rule *r);
/* Writes r->text. */
void rule_write(struct rule *r);

struct answer {
    int n;
    int64_t at[INSTANCES]; /* instants; readings where there is no zone */
    bool ended;            /* there are no more */
    bool matches;          /* of rule_walked(): the start is one that the rule gives */
};

/* Read by our own code; in the arena. A refusal ends the program. */
const struct recur *rule_parse(struct arena *a, const struct rule *r);
/* false: gave up before it came to the end. */
bool rule_ours(const struct recur *recur, int64_t from, struct answer *ret);
/* By walking over all days or units, which shares nothing with our own code; without a zone. false:
 * it takes too long to say. */
bool rule_walked(const struct rule *r, struct answer *ret);
/* Not for rules that are dangerous. libical's readings become instants by our zones, so that the
 * rules are compared and not the zones. */
void rule_by_libical(const struct rule *r, struct answer *ret);

/* libical 3.0.16 may not come back from frequencies below a day with BY parts, and reads beyond its
 * arrays with BYWEEKNO from the end or without BYDAY. */
bool rule_dangerous(const struct rule *r);
/* It searches to its last year, 2582, for what does not come: that takes seconds. */
bool rule_sparse(const struct rule *r, const struct answer *own);

/* What libical does otherwise than RFC 5545 says. */
enum family {
    WEEK_OF_START,
    WEEK_START,
    SETPOS_OF_SETS,
    MONTHDAY_FROM_END,
    MONTHDAY_IN_ONE_MONTH,
    YEARDAY_IN_MONTHS,
    SETPOS_IN_WEEKS,
    SETPOS_OF_TIMES,
    WEEKS_AND_DAYS,
    ELAPSED_HOURS,
    SKIPPED_READING,
    N_FAMILIES
};
extern const char *const family_names[];
/* The family of rules that a difference belongs to, or N_FAMILIES. own: our own answer. */
enum family rule_explained(const struct rule *r, const struct answer *own);

#endif

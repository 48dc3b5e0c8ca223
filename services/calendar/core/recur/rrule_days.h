/* SPDX-License-Identifier: Apache-2.0 */
/* Which days of a year a rule selects, as bits, and what the files of rrule.h share. */
#ifndef SOSIA_CALENDAR_RRULE_DAYS_H
#define SOSIA_CALENDAR_RRULE_DAYS_H

#include "services/calendar/core/recur/rrule.h"

#define WORDS 6 /* of a bitmap of at most 371 days: a year, or the weeks of one */

/* Sets days to the days of a year that a rule selects, bit 0 its first. jan1: its days since 1970;
 * length: 365 or 366. phased: only those in periods that INTERVAL leaves. */
void rrule_year_days(const struct rrule *r, int year, bool phased, int64_t jan1, int length,
                     uint64_t days[WORDS]);
/* The first day and the length in days of a week, month or year (see rrule_period()). */
void rrule_span(const struct rrule *r, int64_t period, int64_t *ret_first, int *ret_length);

/* Division that rounds down, and its rest; b is positive. */
static inline int64_t div_floor(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static inline int64_t mod_floor(int64_t a, int64_t b)
{
    int64_t m = a % b;
    return m < 0 ? m + b : m;
}

static inline void set_bit(uint64_t days[WORDS], int at)
{
    days[at >> 6] |= UINT64_C(1) << (at & 63);
}

static inline unsigned count_bits(const uint64_t days[WORDS])
{
    unsigned n = 0;
    for (int i = 0; i < WORDS; i++)
        n += (unsigned)__builtin_popcountll(days[i]);
    return n;
}

/* The first bit at or after one; -1 when there is none. */
static inline int next_bit(const uint64_t days[WORDS], int at)
{
    int word = at >> 6;
    if (word >= WORDS)
        return -1;
    uint64_t bits = days[word] >> (at & 63) << (at & 63);
    while (!bits) {
        if (++word == WORDS)
            return -1;
        bits = days[word];
    }
    return word * 64 + __builtin_ctzll(bits);
}

/* The k-th set bit of a word, from 0. */
static inline int select_in_word(uint64_t bits, unsigned k)
{
    while (k--)
        bits &= bits - 1;
    return __builtin_ctzll(bits);
}

/* The place of the k-th set bit, from 0; there must be so many. */
static inline int select_bit(const uint64_t days[WORDS], unsigned k)
{
    for (int i = 0;; i++) {
        unsigned n = (unsigned)__builtin_popcountll(days[i]);
        if (k < n)
            return i * 64 + select_in_word(days[i], k);
        k -= n;
    }
}

#endif

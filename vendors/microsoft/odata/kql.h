/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of $search over mail and the like: Keyword Query Language between double quotes, as
 * measured (MG-48, MG-560 to 566), read into the engine's questions. Which properties there are and
 * where their words are is the dialect's to say.
 */
#ifndef SOSIA_MICROSOFT_KQL_H
#define SOSIA_MICROSOFT_KQL_H

#include "engine/search/question.h"

enum kql_kind {
    KQL_TEXT, /* words in `fields`, all of them, in any order; in quotes next to each other */
    KQL_FLAG, /* true or false: `own` is asked with from 1 or 0 */
    KQL_TIME, /* a day or an instant: `own` is asked with from <= instant < to, microseconds */
    KQL_SIZE, /* bytes: `own` is asked with from <= size < to */
    KQL_WORD  /* one of `values`: `own` is asked with the place in it */
};

struct kql_property {
    const char *name; /* without regard to case */
    enum kql_kind kind;
    unsigned fields;           /* KQL_TEXT */
    const char *const *values; /* KQL_WORD; NULL ends */
    int id;                    /* the dialect's own */
};

struct kql_language {
    const struct kql_property *properties;
    size_t n;
    unsigned any;   /* fields of words without a property: from, subject, body (MG-48) */
    int64_t now_us; /* "today", "this week" ... */
    /* The question about a property that is not text. In the arena; NULL: failed. */
    const struct search *(*own)(void *arg, struct arena *a, const struct kql_property *p,
                                int64_t from, int64_t to);
    void *arg;
};

/*
 * The question that a $search asks, in the arena. *ret NULL: it asks nothing, and the newest come
 * (an unquoted value of several words, MG-561). Failures: INVALID, BadRequest, Graph's text.
 */
int kql_parse(struct arena *a, const struct kql_language *l, const char *search,
              const struct search **ret, struct sosia_err *err);

#endif

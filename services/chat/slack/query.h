/* SPDX-License-Identifier: Apache-2.0 */
/* What search methods are asked. */
#ifndef SOSIA_SL_QUERY_H
#define SOSIA_SL_QUERY_H

#include "engine/search/question.h"
#include "services/chat/slack/sl.h"

struct sl_query {
    const struct search *search;
    bool empty; /* it asks for nothing */
    struct {
        const char *text;
        bool begins;
    } words[32]; /* that are marked where they are found */
    size_t n_words;
};

/* A text in Slack's search language (query.c), by the caller: what names somebody or something that
 * is not there finds nothing. Terms beyond the 200th are left out. 0, -1. */
int sl_query_read(struct call *c, const char *text, struct sl_query *ret);

#endif

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
        const char *folded; /* "w1 w2 ", as the index has them */
        bool begins;
    } words[32]; /* that are marked where they are found */
    size_t n_words;
};

/* A text in Slack's search language (query.c), by the caller, of the messages that a workspace has:
 * what names somebody or something that is not there finds nothing. Terms beyond the 200th are left
 * out. 0, -1. */
int sl_query_read(struct call *c, const char *text, int64_t workspace, struct sl_query *ret);

/* found.c: the words of a text, "w1 w2 ", as the index has them. */
const char *sl_folded(struct call *c, const char *text);
/* A stored text with marks around what the question found in it. */
const char *sl_highlighted(struct call *c, const struct sl_query *q, const char *text);

#endif

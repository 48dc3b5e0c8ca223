/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drafts in the place of what is held, where the vendor has one: a letter that is not sent, an
 * event without its guests. All is done by calls of the vendor's own: one makes the draft, whose
 * answer the caller is given, and another one that would commit it is held. When that is approved
 * it is made, or the caller makes it. What a label says of such calls makes rules stricter and
 * never laxer, so that it matters to nobody who sends it.
 */
#ifndef SOSIA_GUARD_DRAFT_H
#define SOSIA_GUARD_DRAFT_H

#include "engine/http/hold.h"
#include "guard/judge.h"

/* Of the refusal that a draft replaces: for the calls that make it. */
#define DRAFT_HEADER "X-Sosia-Draft"

/* The kind of draft that takes the place of a call that is held; 0: none does. */
int64_t draft_kind_of(const struct call *c, const struct judged *j);
hold_draft draft_serve;
/* Of a call that is about one, what it is to it; NULL: it is a call like others. */
const char *draft_label(const struct call *c);
/* The label: a vendor's draft would be committed by it; it is kept as a draft, and not asked for
 * yet; that is asked for; it is committed. The last two are an action's name without its head. */
#define DRAFT_PROPOSE "propose"
#define DRAFT_STAGE   "stage"
#define DRAFT_ASK     "ask_"
#define DRAFT_COMMIT  "act_"
static inline bool draft_is(const struct call *c, const char *word)
{
    const char *label = draft_label(c);
    return label && strncmp(label, word, strlen(word)) == 0;
}
/* A call that commits a draft, and is the one in whose place that was made. */
bool draft_is_same(const struct call *c);
/* What makes the call again, for the row of its action; NULL: it is no draft. */
const char *draft_request(const struct call *c);
/* An action may be approved that commits a draft: then it is made. */
void draft_commit(struct sosia_engine *e, uint64_t world, const char *action);

#endif

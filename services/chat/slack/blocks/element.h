/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of blocks that somebody can press or fill in, and the values that they get. */
#ifndef SOSIA_SL_ELEMENT_H
#define SOSIA_SL_ELEMENT_H

#include "services/chat/slack/apps/interact.h"

/* One of a list of blocks, and where it is. */
struct sl_element {
    const struct json *block, *element;
    const char *block_id, *action_id, *type;
    bool input; /* it is that of an input block */
};
/* The first one of that action (NULL: any) and block (NULL: any). */
bool sl_element_find(const struct json *blocks, const char *block_id, const char *action_id,
                     struct sl_element *ret);
/* Calls fn for each that keeps a value, in their order; fn gives -1 to stop. */
int sl_elements(const struct json *blocks, int (*fn)(void *arg, const struct sl_element *e),
                void *arg);
/* Does it keep a value, as what is filled in does? */
bool sl_element_keeps(const struct sl_element *e);
/* Is it pressed, and given nothing? Is its value a text that somebody types? */
bool sl_element_is_pressed(const struct sl_element *e);
bool sl_element_is_typed(const struct sl_element *e);
/* The member that says what it begins with ("initial_option"); NULL: it has none. */
const char *sl_element_begins(const struct sl_element *e);
/* Writes the members that say what somebody gave it, into an open object: "selected_option": {...}.
 * given: an option's value, somebody's id or name, a text...; refused with invalid_arguments if the
 * element takes no such value. 0, -1. */
int sl_element_value(struct call *c, struct json_writer *w, const struct sl_element *e,
                     const struct json *given);
/* The same for what it begins with. */
void sl_element_initial(struct json_writer *w, const struct sl_element *e);
/* What is wrong with a value (an object of a state) for people, as the client says it; NULL:
 * nothing. */
const char *sl_element_fault(struct call *c, const struct sl_element *e, const struct json *value);

/* The values of all elements: those of `filled` (an object by block and action), else what they
 * begin with. given (NULL: none): by action, block or both ("block.action"), over that; each must
 * be of an element. In the arena; NULL: refused. */
const char *sl_state(struct call *c, const struct json *blocks, const struct json *filled,
                     const struct json *given);

#endif

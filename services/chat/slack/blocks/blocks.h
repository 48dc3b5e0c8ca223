/* SPDX-License-Identifier: Apache-2.0 */
/* Block Kit: what blocks and their elements must be like, and what the service fills in. */
#ifndef SOSIA_SL_BLOCKS_H
#define SOSIA_SL_BLOCKS_H

#include "engine/api/schema.h"
#include "services/chat/slack/sl.h"

#define SL_MESSAGE_BLOCKS 50
#define SL_VIEW_BLOCKS    100

/* What rows say of arguments: the blocks of a message (sl_blocks_field), those of a view, and
 * views, of which modals and the home tab are two (blocks_shapes.c). */
extern const struct field sl_view_blocks_field, sl_modal_field, sl_home_field, sl_view_field;

/* Looks at a list of blocks, which the field says; pointer: where it is ("/blocks").
 * What is wrong becomes lines of response_metadata. 1: *ret has it with ids and defaults filled in,
 * as the list has then, NULL for an empty one; 0: it is not good; -1. */
int sl_blocks_check(struct call *c, const struct json *blocks, const char *pointer,
                    const struct field *shape, const char **ret);
/* Where blocks are shown: some are of one surface alone. */
enum sl_surface { SL_MESSAGE = 1, SL_MODAL = 2, SL_HOME = 4 };
/* The schema that the type of a view names, of those that the field has; NULL: none. */
const struct schema *sl_view_schema(const struct field *shape, const char *type);
/* The members of a view, which is an object: what is wrong becomes lines of response_metadata, what
 * the service fills in is in it afterwards. 1, 0: it is not good; -1. */
int sl_view_members_check(struct call *c, const struct json *view, const struct schema *schema);
/* The argument "blocks" of a method: the same; refuses with invalid_blocks_format or
 * invalid_blocks. 1, 0: there is none, -1. */
int sl_blocks_arg(struct call *c, const char **ret);
/* Refuses with msg_blocks_too_long if the argument "blocks" is too much for one message. 0, -1. */
int sl_blocks_fit(struct call *c);
/* The argument "attachments": each gets an id and a fallback. */
int sl_attachments_arg(struct call *c, const char **ret);

#endif

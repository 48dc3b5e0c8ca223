/* SPDX-License-Identifier: Apache-2.0 */
/* Between blocks.c, which walks, and blocks_shapes.c, the schemas that it walks by. */
#ifndef SOSIA_SL_BLOCKS_IMPL_H
#define SOSIA_SL_BLOCKS_IMPL_H

#include "engine/api/schema.h"
#include "services/chat/slack/blocks/blocks.h"

/* Marks of fields: what the value is, and where. */
enum {
    SL_TEXT = 1, /* a text object, plain or mrkdwn */
    SL_PLAIN,    /* a plain one */
    SL_LABEL,    /* the same, of an option */
    SL_PARTS,    /* of a context: text objects and pictures */
    SL_HOSTED,   /* an uploaded picture, by its id or address */
    SL_CHOICE,   /* of the options beside it */
    SL_TASKS,    /* of a plan */
    SL_BLOCKS,   /* of a view */
    SL_KINDS = 0xf
};
/* Marks of fields and schemas: where elements and blocks may be; 0: everywhere. */
enum {
    IN_SECTION = 0x10,
    IN_ACTIONS = 0x20,
    IN_CONTEXT_ACTIONS = 0x40,
    IN_INPUT = 0x80,
    IN_CARD = 0x100,
    IN_CAROUSEL = 0x200,
    IN_CONTAINER = 0x400,
    IN_CELL = 0x800,
    SL_PLACES = 0xff0
};
/* Of schemas: the surfaces (enum sl_surface) that alone have it; none: all. */
#define ONLY(surfaces) ((unsigned)(surfaces) << 16)
/* Beside those of enum sl_surface: no walk is there. */
#define SL_SAID 8

/* Of each type; at their ends is one without a type. */
extern const struct schema sl_block_shapes[];
/* What a list of rich text has in it. */
extern const struct schema sl_list_items[];

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Between blocks.c, which walks, and blocks_shapes.c, the tables that it walks by. */
#ifndef SOSIA_SL_BLOCKS_IMPL_H
#define SOSIA_SL_BLOCKS_IMPL_H

#include "services/chat/slack/blocks.h"

enum kind {
    K_ANY,
    K_STRING,
    K_BOOL,
    K_TEXT,    /* a text object, plain or mrkdwn */
    K_PLAIN,   /* a plain one */
    K_LIST,    /* of shapes */
    K_SHAPE,   /* one of shapes */
    K_TEXTS,   /* a list of text objects */
    K_OPTIONS, /* texts plain or mrkdwn */
    K_MENU,    /* the same with plain ones alone */
    K_GROUPS,  /* of options */
    K_CONFIRM,
    K_RAW,    /* a list of anything */
    K_INT,    /* from inner to max */
    K_DATE,   /* 2026-02-15 */
    K_CLOCK,  /* 20:05 */
    K_STYLE,  /* of a button */
    K_OPTION, /* one of the options beside it */
    K_CHOSEN, /* some of them */
    K_STATUS, /* of a task that is shown alone */
    K_STEP,   /* of one of a plan */
    K_RICH,   /* a block of rich text */
    K_SOURCES,
    K_TASKS /* of a plan */
};

struct member {
    const char *name;
    enum kind kind;
    bool required;
    uint32_t max;   /* characters of a string or text, items of a list; 0: no limit */
    uint32_t inner; /* characters of each text of a list */
};

struct shape {
    const char *type;
    const struct member *members; /* NULL-terminated by name; NULL: whatever there is */
    const char *one_of;           /* members, of which there must be one; "text fields" */
    unsigned only;                /* bits of enum sl_surface; 0: everywhere */
};

/* Of each type; at their ends is one without a type. */
extern const struct shape sl_block_shapes[], sl_element_shapes[];
/* A task of a plan. */
extern const struct shape sl_task_shape;

#endif

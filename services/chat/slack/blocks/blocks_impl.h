/* SPDX-License-Identifier: Apache-2.0 */
/* Between blocks.c, which walks, and blocks_shapes.c, the tables that it walks by. */
#ifndef SOSIA_SL_BLOCKS_IMPL_H
#define SOSIA_SL_BLOCKS_IMPL_H

#include "services/chat/slack/blocks/blocks.h"

enum kind {
    K_ANY,
    K_STRING,
    K_STRINGS, /* a list of strings */
    K_PICTURE, /* the address of a picture */
    K_HOSTED,  /* an uploaded one, by its id or address: of the shape `of` */
    K_BOOL,
    K_INT,    /* from inner to max */
    K_SECOND, /* Unix time, of ten digits */
    K_NUMBER, /* any */
    K_ENUM,   /* one of words */
    K_DATE,   /* 2026-02-15 */
    K_CLOCK,  /* 20:05 */
    K_TEXT,   /* a text object, plain or mrkdwn */
    K_PLAIN,  /* a plain one */
    K_LABEL,  /* the same, of an option */
    K_TEXTS,  /* a list of text objects */
    K_OBJECT, /* of the shape `of` */
    K_LIST,   /* of such */
    K_TYPED,  /* a shape of the list `of`, by its type, if it may be in `place` */
    K_TYPEDS, /* a list of such */
    K_CELLS,  /* a list of lists of such */
    K_PARTS,  /* of a context: text objects and pictures */
    K_CHOICE, /* one of the options beside it */
    K_CHOICES,
    K_TASKS /* of a plan: of the shape `of`, a type may be left out */
};

/* Where elements and blocks may be. */
enum place {
    IN_SECTION = 1,
    IN_ACTIONS = 2,
    IN_CONTEXT_ACTIONS = 4,
    IN_INPUT = 8,
    IN_CARD = 16,
    IN_CAROUSEL = 32,
    IN_CONTAINER = 64,
    IN_CELL = 128
};

struct member {
    const char *name;
    enum kind kind;
    bool required;
    uint32_t max;   /* characters of a string or text, items of a list; 0: no limit */
    uint32_t inner; /* characters of each text of a list; items of a list at least; least number */
    const struct shape *of;
    unsigned place;
    const char *words;  /* with spaces between */
    const char *filled; /* JSON that it has in views where it was not given; NULL: none */
};

struct shape {
    const char *type;             /* NULL: it has none, or is at the end of a list */
    const struct member *members; /* NULL-terminated by name */
    const char *one_of;           /* members, of which there must be one; "text fields" */
    const char *neither;          /* said if there is none; NULL: that the first is missing */
    unsigned only;                /* bits of enum sl_surface; 0: everywhere */
    unsigned places;              /* bits of enum place */
};

/* Of each type; at their ends is one without a type. */
extern const struct shape sl_block_shapes[];
/* What a list of rich text has in it. */
extern const struct shape sl_list_items[];

#endif

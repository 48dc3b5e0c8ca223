/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: their columns, cells and how they are shown. */
#ifndef SOSIA_SL_LISTS_H
#define SOSIA_SL_LISTS_H

#include "services/chat/slack/files/list.h"
#include "services/chat/slack/files/canvas.h"

struct sl_column_type {
    const char *name;   /* of the column's type */
    const char *values; /* the member of a cell that has its values; NULL: nobody sets them */
    int max;            /* values of a cell */
    enum sl_cell {
        SL_CELL_TEXT,
        SL_CELL_NUMBER,
        SL_CELL_BOOL,
        SL_CELL_DATE,
        SL_CELL_SELECT,
        SL_CELL_USER,
        SL_CELL_CHANNEL,
        SL_CELL_FILE,
        SL_CELL_EMAIL,
        SL_CELL_PHONE,
        SL_CELL_LINK,
        SL_CELL_MESSAGE,
        SL_CELL_RATING,
        SL_CELL_OTHER
    } kind;
};
/* NULL: there is no such type. */
const struct sl_column_type *sl_column_type(const char *name);

/* The argument "schema" (NULL: none was given) as columns of the list with that key; refuses. todo:
 * with those for tasks. */
int sl_list_columns(struct call *c, const char *list, const struct json *schema, bool todo,
                    const char **ret);
/* The column of a parsed list of columns; NULL: there is none. */
const struct json *sl_list_column(const struct json *columns, const char *id);
/* The values of a cell as they are kept; item: it is a method's that makes one, whose refusals are
 * fewer. Refuses. */
int sl_list_cell(struct call *c, const struct json *column, const struct json *cell, bool item,
                 const char **ret);

/* ---- list_render.c ---- */

/* A parsed list of columns as `schema` has it; id_first: as files.info orders the members. */
void sl_write_columns(struct json_writer *w, const char *key, const struct json *columns,
                      bool id_first);
/* {"schema", "subtask_schema", ...} of a response of slackLists.create. */
int sl_write_list_schema(struct call *c, const struct chat_list *l, bool whole,
                         const struct chat_file *f);
/* An item with its cells, of a list with these columns. 0, -1. */
int sl_write_item(struct call *c, const char *key, const struct chat_file *f,
                  const struct json *columns, const struct chat_item *i);
/* The members that a list has in files.info beyond those of all files. */
int sl_write_list_parts(struct call *c, const struct chat_file *f);
/* As CSV, in the arena. */
int sl_list_csv(struct call *c, const struct chat_file *f, bool archived, const char **ret);

#endif

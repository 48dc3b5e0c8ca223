/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages that are one file and need no server: their parts. All that worlds hold is put in as text:
 * nothing of it becomes markup, a reference or a script, and the page's own policy refuses every
 * request and every script but its own.
 */
#ifndef SOSIA_CONSOLE_PAGE_H
#define SOSIA_CONSOLE_PAGE_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/json/json.h"

#define PAGE_TEXT 16384           /* bytes of one text that are shown, */
#define PAGE_ROOM (24u << 20)     /* and bytes of a page from which on 200 of each are, */
#define PAGE_FULL (2 * PAGE_ROOM) /* and none */

/* Head and style; then the title as heading. */
void page_open(struct buf *b, const char *title);
/* The script, and the end. */
void page_close(struct buf *b);
/* Whether nothing more has a place. */
bool page_full(const struct buf *b);

/* Text: characters that control, or turn or hide others, are shown by their numbers, and so are
 * bytes that are not UTF-8. What is beyond PAGE_TEXT is left out with a note. */
void page_text(struct buf *b, const char *text, size_t n);
void page_str(struct buf *b, const char *text); /* NULL: nothing */
/* A string as text, everything else as JSON. NULL: "none". */
void page_value(struct buf *b, const struct json *v);
/* before, and the member's value; nothing without it. */
void page_member(struct buf *b, const char *before, const struct json *in, const char *name);
/* A body as a journal keeps it: JSON is laid out, bytes are counted. */
void page_body(struct buf *b, const struct json *v);

/* Which call of a journal changed a thing last, by the name that it has in a diff. */
struct cause {
    const char *name;
    int64_t seq;
};
struct causes {
    struct cause *list; /* by name, then by seq */
    size_t n;
};
/* Has the names of changes, and of what follows from them, as those of the call `seq`; the list has
 * room for them (causes_count()). Then it has to be put in order. */
size_t causes_count(const struct json *changes);
void causes_add(struct causes *causes, const struct json *changes, int64_t seq);
void causes_add_one(struct causes *causes, const struct json *change, int64_t seq); /* of them */
void causes_order(struct causes *causes);
/* Where those of a name begin, or would. */
size_t causes_place(const struct causes *causes, const char *name);
/* 0: not known. causes: may be NULL. */
int64_t cause_of(const struct causes *causes, const char *name);

/* "call 7", as a reference into the page. */
void page_call(struct buf *b, int64_t seq);
/* One change with its fields; open: they are seen at once. Its consequences are in it. */
void page_change(struct buf *b, const struct json *change, const struct causes *causes, bool open);
/* A list of them by person and service; "Nothing." of an empty one. */
void page_changes(struct buf *b, const struct json *changes, const struct causes *causes,
                  bool open);
/* The page of a diff: an answer with `changes`. */
void page_diff(struct buf *b, const struct json *diff);

#endif

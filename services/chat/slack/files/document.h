/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents and lists are files; here is what a document holds, and what people may do with either.
 * A document is a list of sections, each the Markdown of a heading, a paragraph, an item of a list,
 * a quote, a piece of code, a table or a divider, with an id.
 */
#ifndef SOSIA_CHAT_DOCUMENT_H
#define SOSIA_CHAT_DOCUMENT_H

#include "services/chat/slack/things.h"

/* ---- who may do what (level.c) ---- */

enum chat_level { CHAT_MAY_NOTHING, CHAT_MAY_READ, CHAT_MAY_WRITE, CHAT_MAY_ALL };
extern const char *const chat_levels[]; /* read, write, owner; NULL-terminated */

/* What he may do with the file, by himself or through a channel. 0, -1. */
int chat_level_of(struct tx *tx, const struct chat_file *f, const struct chat_user *u,
                  enum chat_level *ret);
/* What was said of a channel or a user (the other is 0) itself. */
int chat_level_said(struct tx *tx, int64_t file, int64_t channel, int64_t user,
                    enum chat_level *ret);
/* Says it; CHAT_MAY_NOTHING takes it back. A channel that may read finds the file in its list. */
int chat_level_set(struct tx *tx, const struct chat_file *f, int64_t channel, int64_t user,
                   enum chat_level level);
/* Who owns the file; 0: nobody. */
int chat_level_owner(struct tx *tx, int64_t file, int64_t *ret_user);
/* Each that was said, in the order in which it was; channel or user is 0; fn gives non-zero to
 * stop. */
int chat_levels_each(struct tx *tx, int64_t file,
                     int (*fn)(void *arg, int64_t channel, int64_t user, enum chat_level level),
                     void *arg);

/* ---- what a document holds ---- */

enum chat_section_kind {
    CHAT_H1,
    CHAT_H2,
    CHAT_H3,
    CHAT_PARAGRAPH,
    CHAT_BULLET,
    CHAT_NUMBER,
    CHAT_CHECK,
    CHAT_QUOTE,
    CHAT_CODE,
    CHAT_TABLE,
    CHAT_DIVIDER
};

struct chat_section {
    const char *id; /* NULL: it has none yet */
    enum chat_section_kind kind;
    const char *text; /* Markdown, without a line feed at its end */
};

#define CHAT_DOCUMENT_MAX ((size_t)1 << 20) /* bytes of a document's Markdown */
#define CHAT_SECTIONS_MAX 20000
#define CHAT_TABLE_CELLS  300

struct chat_sections {
    struct chat_section *all;
    size_t n;
};

/* Markdown as sections without ids, in the arena. 1; 0: it can't be, *ret_why says it ("line 3:
 * ..."); -1. */
int chat_sections_of(struct tx *tx, const char *markdown, struct chat_sections *ret,
                     const char **ret_why);
/* And back. */
const char *chat_sections_markdown(struct tx *tx, const struct chat_sections *s);
/* What a section says, without the marks at its beginning. */
const char *chat_section_words(const struct chat_section *s);

struct chat_document {
    int64_t workspace;     /* of its file, while documents are read; no column has it */
    int64_t file, channel; /* channel 0: it is nobody's tab */
    bool main;             /* the one document of its channel, not a further tab */
    struct chat_sections sections;
};

/* The file's size and what of it is searched: its words. */
void chat_document_measure(struct tx *tx, struct chat_file *f, const struct chat_sections *s);
int chat_document_get(struct tx *tx, int64_t file, struct chat_document *ret);
/* Sections without ids get them. */
int chat_document_add(struct tx *tx, struct chat_document *d);
int chat_document_save(struct tx *tx, struct chat_document *d);
/* Tabs of a channel, the main one first, then by age; fn gives non-zero to stop. */
int chat_documents(struct tx *tx, int64_t channel,
                   int (*fn)(void *arg, const struct chat_file *f, bool main, bool empty),
                   void *arg);
/* Takes away what only a document or a list has, when its file goes. */
int chat_document_gone(struct tx *tx, int64_t file);

#endif

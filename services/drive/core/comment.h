/* SPDX-License-Identifier: Apache-2.0 */
/* What people write about items: comments, and replies that resolve them or open them again. */
#ifndef SOSIA_DRIVE_COMMENT_H
#define SOSIA_DRIVE_COMMENT_H

#include "engine/state/stored.h"
#include "services/drive/core/drive.h"

enum comment_action { ACTION_NONE, ACTION_RESOLVE, ACTION_REOPEN };
enum comment_state { COMMENT_OPEN, COMMENT_RESOLVED, COMMENT_REOPENED };

struct drive_comment {
    int64_t id, item, author;
    const char *key;
    const char *content; /* NULL: it was deleted, or it is a reply that only resolves */
    const char *quoted, *quoted_mime, *anchor; /* NULL: none; of replies never there */
    int64_t created_us, modified_us;
    bool deleted;
    enum comment_state resolved; /* of a comment */
    enum comment_action action;  /* of a reply */
    int64_t comment;             /* of a reply: what it is about; 0: it is a comment */
};

/* 1, 0, -1. */
int drive_comment_find(struct tx *tx, int64_t item, const char *key, struct drive_comment *ret);
int drive_reply_find(struct tx *tx, int64_t comment, const char *key, struct drive_comment *ret);

/* A page of the comments of an item, the last modified first, that were modified at `since` or
 * later; or of the replies to one, in their order. skip: how many come before. At most limit + 1,
 * in the arena. */
int drive_comments(struct tx *tx, int64_t item, bool deleted, int64_t since, int64_t skip,
                   int64_t limit, struct drive_comment **ret, size_t *ret_n);
int drive_replies(struct tx *tx, int64_t comment, bool deleted, int64_t skip, int64_t limit,
                  struct drive_comment **ret, size_t *ret_n);

/* All of an item, also deleted ones, in the order in which they were written. */
int drive_comments_all(struct tx *tx, int64_t item, struct drive_comment **ret, size_t *ret_n);

/* Stores a comment or reply as it is, key NULL: one is made; and what changes of a comment by its
 * replies (modified_us, state). */
int drive_comment_put(struct tx *tx, struct drive_comment *c);
int drive_comment_save(struct tx *tx, const struct drive_comment *c);
/* Stores a new one, with a key of its own, written now. A reply's action is the comment's new
 * state. */
int drive_comment_add(struct tx *tx, struct drive_comment *c);
int drive_reply_add(struct tx *tx, struct drive_comment *comment, struct drive_comment *reply);
/* New content of one that is there; NULL: it is deleted, and what is said of it goes. */
int drive_comment_change(struct tx *tx, struct drive_comment *c, const char *content);
/* What is said of an item is said of its copy too: comments and replies that are not deleted, by
 * whom and when they were written, with keys of their own. */
int drive_comments_copy(struct tx *tx, int64_t from, int64_t to);

/* Their tables of members (comment_seed.c), and a part of an item's: the list of them. */
extern struct stored drive_comment_stored, drive_reply_stored;
extern const struct form drive_comments_form;

#endif

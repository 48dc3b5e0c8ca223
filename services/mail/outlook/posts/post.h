/* SPDX-License-Identifier: Apache-2.0 */
/* Conversations of groups of Microsoft 365: what comes to a group's address is a post of one of its
 * threads, and what is posted goes to the group's members as mail. */
#ifndef SOSIA_OUTLOOK_POST_H
#define SOSIA_OUTLOOK_POST_H

#include "services/mail/outlook/outlook.h"

struct section;
struct entity;

struct outlook_thread {
    int64_t id, key;
    int64_t conversation; /* key of the thread that began it */
    const char *team;     /* the group's address */
    const char *topic;
    bool locked;
    int64_t newest_us;
};
struct outlook_post {
    int64_t id, thread, key, came_us;
    const char *message_id, *sender; /* in brackets, and a name or an address; NULL: none */
    bool files;
    int64_t raw;                   /* blob: head and content as they came */
    struct mail_message_body body; /* opened */
};

/* ---- post.c ---- */

/* Is a number that of a thread or a conversation of another group's? 1, 0, -1. */
int outlook_thread_is_others(struct tx *tx, const char *team, int64_t key);
/* 1, 0, -1. */
int outlook_thread_by_id(struct tx *tx, int64_t id, struct outlook_thread *ret);
int outlook_thread_find(struct tx *tx, const char *team, int64_t key, struct outlook_thread *ret);
/* Of a group's threads, or of one conversation's (0: all), those with the newest post first: the
 * one behind *thread, or the first one if its id is 0. */
int outlook_thread_next(struct tx *tx, const char *team, int64_t conversation,
                        struct outlook_thread *thread);
/* The same of a group's conversations, each as the thread in it that has the newest post. */
int outlook_conversation_next(struct tx *tx, const char *team, struct outlook_thread *thread);
/* That of the key, changed to what is given, or a new one; fills id. conversation 0: its own. */
int outlook_thread_put(struct tx *tx, struct outlook_thread *thread);
int outlook_thread_save(struct tx *tx, const struct outlook_thread *thread);
/* It becomes a thread of another conversation. */
int outlook_thread_move(struct tx *tx, struct outlook_thread *thread, int64_t conversation);
/* Of a world that was imported: posts have references of their blobs. 0, -1. */
int outlook_posts_derive(struct tx *tx);
/* With its posts. */
int outlook_thread_drop(struct tx *tx, int64_t id);
int outlook_post_by_id(struct tx *tx, int64_t id, struct outlook_post *ret);
/* A number that no thread and no post has. */
int outlook_post_new_key(struct tx *tx, int64_t *ret);
/* A letter is put into a thread, whose newest one it is if no other came later. */
int outlook_post_put(struct tx *tx, struct outlook_thread *thread, int64_t key, int64_t came_us,
                     const char *raw, size_t len);
/* Of a thread's posts the first one behind a row, or that row's number alone; one by its key. */
int outlook_post_next_id(struct tx *tx, int64_t thread, int64_t after, int64_t *ret);
int outlook_post_next(struct tx *tx, int64_t thread, int64_t after, struct outlook_post *ret);
int outlook_post_find(struct tx *tx, int64_t thread, int64_t key, struct outlook_post *ret);
/* Whose a thread's posts are, as they are shown, each once and the first ones first (*n of at most
 * `cap`, behind those that are there); *files: has any attachments? 0, -1. */
int outlook_thread_senders(struct tx *tx, int64_t thread, const char **list, size_t cap, size_t *n,
                           bool *files);
/* The one of a thread that came last. */
int outlook_post_newest(struct tx *tx, int64_t thread, struct outlook_post *ret);
/* By the id of its message, in brackets, of a group's. */
int outlook_post_of_message(struct tx *tx, const char *team, const char *message_id,
                            struct outlook_post *ret);
/* A letter has come to a group's address (struct mail_vendor). */
int outlook_group_came(struct tx *tx, const struct group *group, const char *raw, size_t len);
/* For the directory: the group goes. */
struct graph_group_held;
extern const struct graph_group_held outlook_group_held;

/* ---- post_feed.c ---- */

#define CHANGED_CONVERSATIONS "outlook.conversations" /* kind of events; the scope is a group */
struct graph_feed;
extern const struct graph_feed outlook_conversation_feed;

/* ---- post_seed.c ---- */

extern const struct form outlook_post_form;
int outlook_post_seed(struct tx *tx, struct doc *d, const struct json *v);
int outlook_post_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
int outlook_post_key(struct tx *tx, int64_t rowid, struct json_writer *w);

/* ---- post_write.c ---- */

/* Ids of threads name their conversation, too. */
const char *outlook_thread_id(struct arena *a, const struct outlook_box *b,
                              const struct outlook_thread *thread);
/* The keys that an id of a thread names: 1, 0 it is none of the group's. */
int outlook_thread_id_parse(struct arena *a, const struct outlook_box *b, const char *text,
                            int64_t *ret_key);
/* The members, into an open object. A conversation: as its newest thread, with what all of them
 * have. 0, -1. */
int outlook_write_conversation(struct call *c, const struct outlook_box *b,
                               const struct outlook_thread *newest, struct json_writer *w);
int outlook_write_thread(struct call *c, const struct outlook_box *b,
                         const struct outlook_thread *thread, struct json_writer *w);
int outlook_write_post(struct call *c, const struct outlook_box *b,
                       const struct outlook_thread *thread, const struct outlook_post *post,
                       struct json_writer *w);
/* Its attachments, items of an open array. */
int outlook_write_post_files(struct call *c, const struct outlook_box *b,
                             const struct outlook_post *post);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mailboxes without a vendor: messages, threads, drafts, the feed of their changes, and the way of
 * a message from one mailbox to others. Texts that are given out live in the transaction's arena.
 * Functions give 0 (or what is said) and -1 with tx->err filled; reasons of failures are plain
 * words that dialects put into their own.
 *
 * Invariants:
 *  1. A message's bytes never change. What a draft becomes when it is saved is another message.
 *  2. Every change of a message has a number, in the message, its thread, its mailbox and the feed;
 *     numbers rise in the world, and what was done to several messages at once has one. What a
 *     message had when it came is not a change of its own.
 *  3. The counters of folders, threads and mailboxes are right at the end of each function.
 *  4. What a vendor says of places holds: a message has at most one of some, and of an exclusive
 *     vendor it is in exactly one folder.
 */
#ifndef SOSIA_MAIL_H
#define SOSIA_MAIL_H

#include "identity/identity.h"
#include "services/mail/core/folder.h"
#include "services/mail/core/mime/mime.h"

extern const struct sosia_core mail_core;
extern const struct sosia_core mail_respond_core; /* people who answer by themselves */

/* The kind of events (engine/world/event.h) whose scope is a mailbox. */
#define CHANGED_MAIL "mail"
/* The same of its list of folders. */
#define CHANGED_FOLDERS "mail.labels"

#define MAIL_MAX_SIZE                                                                              \
    ((size_t)64 << 20) /* bytes of a message; dialects have limits of their own                    \
                        */
#define MAIL_MAX_RECIPIENTS 500
#define MAIL_MAX_HEAD       500000 /* bytes of the head of what is sent */

struct mailbox {
    int64_t id;
    int64_t actor;
    int64_t account;   /* that owns it */
    const char *email; /* its person's address */
    const char *name;  /* its person's */
    int64_t messages, threads;
    int64_t change; /* the newest in it */
    int64_t floor;  /* the feed knows what came after this one */
};

/* The one that a person's address leads to: 1 found, 0: has none. */
int mailbox_of(struct tx *tx, int64_t actor, struct mailbox *ret);
/* A person's with a vendor; an account's. */
int mailbox_at(struct tx *tx, int64_t actor, const char *vendor, struct mailbox *ret);
int mailbox_of_account(struct tx *tx, int64_t account, struct mailbox *ret);
int mailbox_by_id(struct tx *tx, int64_t id, struct mailbox *ret);
/* The same for an address as people write it: aliases are followed, "+anything" is left out. */
int mailbox_by_address(struct tx *tx, const char *address, struct mailbox *ret);
/* The ids of all, by the addresses of their people. */
int mailbox_list(struct tx *tx, int64_t **ret, size_t *ret_n);
/* Every address of its person: the main one first, aliases by address. */
int mailbox_addresses(struct tx *tx, const struct mailbox *mb, const char ***ret, size_t *ret_n);

/* ---- messages ---- */

struct mail_message {
    int64_t id; /* rises with the time at which it came */
    int64_t mailbox;
    int64_t key;    /* what programs know it by: 63 bits; high ones are the time */
    int64_t thread; /* a thread's id */
    int64_t thread_key;
    uint32_t flags; /* FLAG(place), FLAG_OWN_FOLDERS */
    uint32_t has;   /* enum mail_has bits: search.h */
    int64_t at_s;   /* when it came, seconds since 1970 */
    int64_t size;   /* bytes */
    int64_t change; /* the newest of it */
    int64_t content;
    int64_t folder; /* of an exclusive vendor: the id of the one that it is in; else 0 */
};

/* 1 found, 0 not. */
int mail_message_get(struct tx *tx, int64_t mailbox, int64_t key, struct mail_message *ret);
int mail_message_by_id(struct tx *tx, int64_t id, struct mail_message *ret);
/* 1: a message of the world has this Message-ID (brackets optional); 0, -1. */
int mail_message_id_taken(struct tx *tx, const char *message_id);
/* The messages of a mailbox with this Message-ID (brackets optional), oldest first. */
int mail_message_by_message_id(struct tx *tx, int64_t mailbox, const char *message_id,
                               struct mail_message **ret, size_t *ret_n);
/* Ids of all folders, labels and keywords of a message, fixed ones first. */
int mail_message_folders(struct tx *tx, const struct mail_message *m, int64_t **ret, size_t *ret_n);
/* The member "labels" of a dump, by their names. 0, -1. */
int mail_dump_folders(struct tx *tx, struct json_writer *w, const struct mail_message *m);
int mail_message_snippet(struct tx *tx, const struct mail_message *m, const char **ret);
int mail_message_head(struct tx *tx, const struct mail_message *m, const char **ret,
                      size_t *ret_len);

/* A message as it is read: its head and parts, and its content as far as it is in no blob. */
struct mail_message_body {
    const char *head;
    size_t head_len;
    const char *own; /* of the content, what is in no blob */
    size_t own_len;
    size_t len; /* of the content, blobs included */
    const char *snippet;
    struct mime mime;
};
int mail_message_open(struct tx *tx, const struct mail_message *m, struct mail_message_body *ret);
/* A part's body, decoded, in the arena (or, where nothing had to be decoded, in b). */
int mail_message_part(struct tx *tx, const struct mail_message_body *b, int part, const char **ret,
                      size_t *ret_len);
/* The same as UTF-8. */
int mail_message_part_text(struct tx *tx, const struct mail_message_body *b, int part,
                           const char **ret, size_t *ret_len);
/* The first text and HTML that are not files, as UTF-8, of at most so many bytes; where there is no
 * text it is what the HTML says. NULL: there is none. */
int mail_message_texts(struct tx *tx, const struct mail_message_body *b, size_t most,
                       const char **ret_text, size_t *ret_n, const char **ret_html,
                       size_t *ret_html_n);
/* The UID of the first calendar object in it; NULL: it has none. */
int mail_message_event_uid(struct tx *tx, const struct mail_message_body *b, const char **ret);
/* A part's own head, the root's included. */
void mail_message_part_head(const struct mail_message_body *b, int part, const char **ret,
                            size_t *ret_len);
/* All its bytes are added to out. */
int mail_message_raw(struct tx *tx, const struct mail_message *m, struct buf *out);

/* A message that is put into a mailbox. */
struct mail_message_new {
    const struct mailbox *mailbox;
    const char *raw;
    size_t len;
    uint32_t flags;         /* fixed places */
    const int64_t *folders; /* of its owner's */
    size_t n_folders;
    int64_t at_s; /* INT64_MIN: now */
    int64_t key;  /* 0: one is made */
    /* The key of a thread that it shall join; 0: it goes where it belongs. */
    int64_t thread;
    bool joins;    /* into `thread` whatever it is; one with that key is made if there is none.
                      Else it must be there, and the message fit into it. */
    bool renames;  /* with joins: the thread gets its subject */
    bool alone;    /* without `thread` it begins one, whatever its head names */
    bool incoming; /* it is looked at as one that comes from somewhere: it gets a category, and the
                      owner's rules apply */
    bool quiet;    /* it gets no change of its own: seeds */
};
/* Fails with NOT_FOUND "thread" if there is no such thread, with INVALID "label" for folders of
 * other mailboxes, with TOO_LARGE, and with CONFLICT "key". */
int mail_message_add(struct tx *tx, const struct mail_message_new *in, struct mail_message *ret);

/* A copy in a folder of an exclusive vendor's mailbox: bytes, categories, marks, properties. */
int mail_message_copy(struct tx *tx, const struct mailbox *mb, const struct mail_message *m,
                      int64_t folder, struct mail_message *ret);
/* Adds and takes away folders, labels and keywords (ids; those of other mailboxes fail with INVALID
 * "label"); what it has or lacks already is not a change. Of places of which a message has one, the
 * added one takes the place of the other (struct mail_vendor). What was added is one record of the
 * feed, and what was taken away another behind it. Of an exclusive vendor a folder that is added is
 * the one that it is moved to, which is a record of its own in front of both; none left, or two,
 * fail with INVALID "folder". */
int mail_message_modify(struct tx *tx, struct mail_message *m, const int64_t *add, size_t n_add,
                        const int64_t *remove, size_t n_remove);
/* The same for some of a mailbox, in the same records. */
int mail_messages_modify(struct tx *tx, struct mail_message *list, size_t n, const int64_t *add,
                         size_t n_add, const int64_t *remove, size_t n_remove);
/* Into a folder: of an exclusive vendor out of the one that it is in, else as one that is added. */
int mail_messages_move(struct tx *tx, struct mail_message *list, size_t n, int64_t folder);
/* What deleting is to people: into the trash, in the same records as mail_messages_modify(). Of an
 * exclusive vendor what is in the trash already goes for good. *ret_n: how many are left, in the
 * list's front. */
int mail_messages_discard(struct tx *tx, struct mail_message *list, size_t n, size_t *ret_n);
/* For good. A draft goes with its message. */
int mail_message_delete(struct tx *tx, const struct mail_message *m);
/* The same for some of a mailbox, in one record of the feed. */
int mail_messages_delete(struct tx *tx, const struct mail_message *list, size_t n);

/* ---- what it says of itself besides ---- */

enum mail_flag { FLAG_NONE, FLAG_SET, FLAG_COMPLETE };
enum mail_inference { INFERENCE_NONE, INFERENCE_FOCUSED, INFERENCE_OTHER };
#define RECEIPT_READ      1 /* its sender wants to know that it was read (RFC 8098) */
#define RECEIPT_DELIVERED 2 /* and that it came */

struct mail_property {
    int importance; /* -1 low, 0, 1 high */
    enum mail_flag flag;
    int64_t flag_from_us, flag_due_us, flag_done_us; /* MAIL_NO_TIME: not said */
    enum mail_inference inference;
    unsigned receipts; /* RECEIPT_*; as its head has it: setting leaves it */
};
#define MAIL_NO_TIME INT64_MIN
/* As its head says when it comes (Importance, X-Priority, Priority, Disposition-Notification-To,
 * Return-Receipt-To), or as it was set since. 0, -1. */
int mail_property_get(struct tx *tx, const struct mail_message *m, struct mail_property *ret);
/* Sets it, which is a change of its own; what is as it was is not. FLAG_SET gives it
 * KEYWORD_FLAGGED, and another flag takes it away. INVALID "property". */
int mail_property_set(struct tx *tx, struct mail_message *m, const struct mail_property *p);

/* ---- lists ---- */

struct search;

struct mail_list {
    int64_t mailbox;
    const struct search *query; /* search.h; NULL: everything */
    const int64_t *folders;     /* that it must have, all of them */
    size_t n_folders;
    uint32_t without; /* places that it must not have */
    bool threads;     /* one message a thread: the newest one that matches */
    bool drafts;      /* only those that a draft holds */
    int64_t before;   /* only messages with lower ids: the last of the page before; 0: all */
    size_t limit;
};
/* Newest first. *ret_more: there are others behind them. */
int mail_list(struct tx *tx, const struct mail_list *list, struct mail_message **ret, size_t *ret_n,
              bool *ret_more);

/* ---- threads ---- */

struct mail_thread {
    int64_t id, key, mailbox;
    int64_t newest; /* message */
    int64_t messages;
    int64_t change; /* the newest of its messages */
};
/* 1 found, 0 not. */
int mail_thread_get(struct tx *tx, int64_t mailbox, int64_t key, struct mail_thread *ret);
int mail_thread_by_id(struct tx *tx, int64_t id, struct mail_thread *ret);
/* Oldest first. */
int mail_thread_messages(struct tx *tx, const struct mail_thread *t, struct mail_message **ret,
                         size_t *ret_n);

/* ---- drafts ---- */

struct mail_draft {
    int64_t id;
    int64_t key; /* what programs know it by: any 64 bits but 0 */
    struct mail_message message;
};
/* 1 found, 0 not. */
int mail_draft_get(struct tx *tx, int64_t mailbox, int64_t key, struct mail_draft *ret);
int mail_draft_of_message(struct tx *tx, const struct mail_message *m, struct mail_draft *ret);
/* A new draft. in: as for mail_message_add(); DRAFT is added to the flags. key 0: one is made. */
int mail_draft_add(struct tx *tx, const struct mail_message_new *in, int64_t key,
                   struct mail_draft *ret);
/* Another message takes the place of the draft's; it goes into a thread as any other does, but
 * stays in one that it had for itself if in->thread is 0. */
int mail_draft_save(struct tx *tx, struct mail_draft *d, const struct mail_message_new *in);
/* Deletes it with its message. */
int mail_draft_delete(struct tx *tx, const struct mail_draft *d);

/* ---- sending ---- */

/* A message that a mailbox's person sends. It goes to those in To, Cc and Bcc: to mailboxes of the
 * world, and for addresses outside into the outbox. */
struct mail_send {
    const struct mailbox *from;
    const char *raw; /* as it shall be in the sender's mailbox */
    size_t len;
    const char *head; /* as it goes to the others, but for Bcc; NULL: as it is in raw */
    size_t head_len;
    int64_t thread; /* as in struct mail_message_new; 0: where it belongs */
    bool joins, alone;
    const struct mail_draft *draft; /* that it is the end of; NULL: none */
    const char *daemon;             /* the address that failures are reported from; NULL: one of the
                                       domain that refuses */
};
/* ret: the sender's copy, with SENT; unless the vendor is exclusive it is the only one in the
 * sender's mailbox, with INBOX and UNSEEN too, if the sender is a recipient. Fails with INVALID
 * "noRecipient", "badRecipient" (where "To", "Cc", "Bcc") and with TOO_LARGE "tooManyRecipients"
 * and "headTooLarge". */
int mail_send(struct tx *tx, const struct mail_send *in, struct mail_message *ret);

/* Carries a message to addresses, without a copy for a sender. */
struct mail_carry {
    const char *sender;  /* of the envelope; "": failures are not reported to anybody */
    const char *reports; /* to whom they are; NULL: to the sender */
    const char *raw;     /* its Bcc is left out */
    size_t len;
    const char *const *to; /* addresses, as people write them */
    size_t n_to;
    int hops; /* 0; of a message that came in and goes on: its own, raised by one */
    /* Reports of failures go into this thread of the sender's mailbox; 0: where they belong. */
    int64_t thread;
    int64_t not_to; /* a mailbox that has it already; 0: none */
    bool settled;   /* what its calendar objects say is done in the calendars of this world */
    int *forwards;  /* how often it and what follows from it is forwarded yet; NULL: it is the first
                     */
};
#define MAIL_MAX_HOPS 20 /* a message that came so far goes no farther */
/* So often a message is forwarded in all mailboxes together, besides once for each that it comes to
 * first: mailboxes that forward to each other would pass it on by all ways among them. */
#define MAIL_MAX_FORWARDS 1000
int mail_carry(struct tx *tx, const struct mail_carry *in);

/* Hands the calendar objects (text/calendar) in a message to the core that has calendars, for the
 * mailbox's person, who asks for it. Those in messages that it carries are left out. What is
 * delivered is handed over by itself. */
int mail_take_invitations(struct tx *tx, const struct mailbox *mb, const char *raw, size_t len);

/* A Message-ID (with brackets) of the domain of an address. */
int mail_message_id(struct tx *tx, const char *email, const char **ret);

/* ---- the feed ---- */

enum mail_change_kind {
    MAIL_ADDED = 1,
    MAIL_DELETED,
    MAIL_LABELLED,
    MAIL_UNLABELLED,
    MAIL_MOVED,   /* from one folder into another, of an exclusive vendor */
    MAIL_PROPERTY /* struct mail_property */
};

/* A change of a message. Changes of several messages that were made at once are one record: they
 * follow each other, are of one kind and have one number. */
struct mail_change {
    int64_t number;
    enum mail_change_kind kind;
    int64_t key, thread_key; /* of the message, which may be gone */
    /* MAIL_LABELLED, MAIL_UNLABELLED: which; MAIL_MOVED: into which, and from which. Ids, which may
     * be gone. */
    const int64_t *folders;
    size_t n_folders;
    const int64_t *now; /* the folders that the message had then */
    size_t n_now;
    int64_t folder_before, folder; /* of an exclusive vendor: before the change, and after it; else
                                      and where it was in none: 0 */
};
/* Changes with numbers above `after`, at most `limit` records, in their order; kinds: bits 1 <<
 * kind, 0: all. folder: only messages that had it then, or changes of it; 0: any. *ret_more: there
 * are others. Fails with NOT_FOUND "tooOld" when the feed does not go back so far (it forgets what
 * is older than 30 days), or `after` is above the newest change in the world. */
int mail_changes(struct tx *tx, const struct mailbox *mb, int64_t after, unsigned kinds,
                 int64_t folder, size_t limit, struct mail_change **ret, size_t *ret_n,
                 bool *ret_more);

#endif

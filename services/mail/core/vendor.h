/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policies of mailboxes' vendors. A dialect brings a record (struct core_policy of its core,
 * for the core "mail"); what no hook says is as the core has it.
 */
#ifndef SOSIA_MAIL_VENDOR_H
#define SOSIA_MAIL_VENDOR_H

#include "services/mail/core/mail.h"

struct account;
struct form;
struct mail_incoming;
struct search;

/* ---- what a mailbox does by itself with mail that comes ---- */

enum mail_act_kind {
    ACT_ADD,     /* a folder, label or keyword is added */
    ACT_REMOVE,  /* it is taken away */
    ACT_MOVE,    /* goes into a folder, out of the one that it is in */
    ACT_DISCARD, /* as mail_messages_discard() */
    ACT_FORWARD,
    ACT_COPY,     /* another one is put into a folder, as it is when all rules have acted */
    ACT_PROPERTY, /* one of its properties gets a value */
    ACT_DELETE    /* it is gone when all rules have acted */
};
struct mail_act {
    enum mail_act_kind kind;
    int64_t folder; /* of ACT_ADD, ACT_REMOVE, ACT_MOVE, ACT_COPY; one that is gone is passed over
                     */
    const char *to; /* of ACT_FORWARD: an address */
    bool attached;  /* of ACT_FORWARD: in a new message of the mailbox's person, not as it came */
    unsigned property; /* of ACT_PROPERTY: ASKED_IMPORTANCE or ASKED_INFERENCE (search.h) */
    int value;
};
/* A rule: a question, ordered actions, and whether the rules behind it are looked at. */
struct mail_rule {
    const struct search *query;
    const struct mail_act *acts;
    size_t n_acts;
    bool stop;
    /* Where there is no query: 1, 0, -1. */
    int (*meets)(struct tx *tx, const struct mail_incoming *in, const void *arg);
    const void *arg;
};

/* Everything that comes goes on to an address. */
enum mail_forward_then { THEN_KEEP, THEN_ARCHIVE, THEN_TRASH, THEN_READ };
struct mail_onward {
    const char *to; /* NULL: nothing goes on */
    enum mail_forward_then then;
};

/* The automatic answer. */
struct mail_auto_answer {
    bool on;
    const char *subject;     /* NULL: none; is put before that of the message */
    const char *text, *html; /* NULL: none; html goes before text */
    bool contacts;           /* only to those whom the person has written to */
    bool domain;             /* only to those of the person's own domain */
    bool plain;              /* the subject as it came, without "Re:" */
    bool apart;              /* those of other domains get another one: */
    const char *apart_html;
    bool apart_contacts;    /* and only those whom the person has written to */
    int64_t from_us, to_us; /* 0: no limit */
    int64_t pause_us;       /* a sender has no second answer before that */
};

/* An address that new mail is sent from. */
struct mail_identity {
    const char *email;
    const char *name; /* NULL or "": the person's */
};

/* ---- the record ---- */

/* A folder, keyword or mark that every mailbox has. */
struct mail_fixed {
    enum mail_place place;
    enum mail_folder_kind kind;
    const char *name;
    bool hidden;
};

#define MAIL_OBJECT_MOST ((size_t)256 * 1024) /* bytes of a calendar object */

/* What a link in a message leads to. */
enum mail_link { LINK_OTHER, LINK_FILE, LINK_VIDEO };

/* The words of reports that nobody has an address (RFC 3464). */
struct mail_report {
    const char *name, *local;        /* whom they are from, and what is before the '@' of its
                                        address, which is in the sender's domain */
    const char *subject;             /* in front of the letter's own */
    const char *mark;                /* a header without a value that says what it is */
    const char *status, *diagnostic; /* "5.1.1", "550-5.1.1 ..." */
    const char *says;                /* above the address */
};

struct mail_vendor {
    const char *name;
    /* A message is in exactly one folder, and else in any number of them. */
    bool exclusive;
    /* Folders may be in folders, and be of any kind; without it people have labels alone. */
    bool tree;
    const struct mail_fixed *fixed;
    size_t n_fixed;
    /* The hidden folder in which keywords of an owner's are, so that one may be named as a folder
     * is; 0: at the top, as labels are. */
    enum mail_place keywords;
    uint32_t one_of[2]; /* of these places a message has at most one each; FOLDER_TRASH and then
                           the highest one wins */
    int keep_days;      /* in the trash and in junk; 0: for good */

    /* The places that mail which comes gets by its head. sender: of the envelope. marked: with one
     * of these already it is not asked. NULL: none. */
    uint32_t (*marks)(struct arena *a, const char *sender, const char *head, size_t len);
    uint32_t marked;
    /* What programs know a new message by: 63 bits, not 0; another one is taken if it is in use.
     * NULL: random. */
    int (*message_key)(struct tx *tx, int64_t at_ms, int64_t *ret);
    /* The beginning of what is read in a message. NULL: as the core makes it once for all copies.
     */
    int (*snippet)(struct tx *tx, const struct mail_message *m, const char **ret);
    /* What a link leads to, from its host on; the id of a file. NULL: nothing known. */
    enum mail_link (*link)(const char *host, const char *end, const char **ret_id, size_t *ret_n);

    /* Of reports to its people; NULL: the core's. */
    const struct mail_report *report;
    /* Rules of a mailbox, in their order. NULL: none. All 0, -1. */
    int (*rules)(struct tx *tx, const struct mailbox *mb, struct mail_rule **ret, size_t *ret_n);
    /* May a rule forward to this address? 1, 0, -1. NULL: to any. */
    int (*may_forward)(struct tx *tx, const struct mailbox *mb, const char *to);
    int (*onward)(struct tx *tx, const struct mailbox *mb, struct mail_onward *ret);
    int (*answer)(struct tx *tx, const struct mailbox *mb, struct mail_auto_answer *ret);
    /* NULL: the person's own address. */
    int (*identity)(struct tx *tx, const struct mailbox *mb, struct mail_identity *ret);

    /* What a folder of a seed document has besides the core's members: a row of the vendor's. NULL:
     * nothing. folder_usual: what it is where nobody has said anything, behind form_usual() (NULL:
     * no more than that); the id says which folder it is. folder_get: what it is now, into a row
     * that is as usual. folder_put keeps it; fresh: the folder was not there before. 0, -1. */
    const struct form *folder_form; /* with the size of the struct */
    void (*folder_usual)(const struct mail_folder *f, void *row);
    int (*folder_get)(struct tx *tx, const struct mail_folder *f, void *row);
    int (*folder_put)(struct tx *tx, const struct mail_folder *f, const void *row, bool fresh);
    /* A message has come into a mailbox, or is put there, with a calendar object of at most
     * MAIL_OBJECT_MOST bytes: the first one of it, anybody's bytes. NULL: nothing is kept of it. */
    int (*object_came)(struct tx *tx, const struct mail_message *m, const char *text, size_t len);
    /* A message goes; NULL: nothing is kept of it. */
    int (*message_gone)(struct tx *tx, const struct mail_message *m);
    /* A letter goes to a group's address, or to one that the group is in: the bytes without Bcc,
     * once for each letter. NULL: its members alone have it. */
    int (*group_came)(struct tx *tx, const struct group *group, const char *raw, size_t len);
    /* The folder goes. NULL: nothing is kept of it. */
    int (*folder_gone)(struct tx *tx, const struct mail_folder *f);
};

/* A new account's mailbox, with the places that the vendor gives it. */
int mail_mailbox_make(struct tx *tx, const struct account *account, const struct mail_vendor *v);
/* That of a mailbox; NULL: tx->err says why. */
const struct mail_vendor *mail_vendor_of(struct tx *tx, int64_t mailbox);
/* The nth one of the engine; NULL: there are no more. */
const struct mail_vendor *mail_vendor_nth(const struct tx *tx, size_t n);
/* Its places as bits. */
uint32_t mail_vendor_places(const struct mail_vendor *v);
/* Those of an exclusive vendor that are folders, its own marks among them. */
uint32_t mail_vendor_folders(const struct mail_vendor *v);
/* The place that all drafts have. */
static inline enum mail_place mail_vendor_draft(const struct mail_vendor *v)
{
    return v->exclusive ? KEYWORD_DRAFT : FOLDER_DRAFTS;
}
/* Its name for a place; NULL: it has none. */
const char *mail_vendor_word(const struct mail_vendor *v, int place);
/* Adds places: where a message has one of several, what is added wins. */
uint32_t mail_flags_settle(const struct mail_vendor *v, uint32_t flags, uint32_t add);
/* The address that new mail is sent from. */
int mail_identity_of(struct tx *tx, const struct mailbox *mb, struct mail_identity *ret);
/* As the text of a From header. */
const char *mail_identity_text(struct tx *tx, const struct mailbox *mb,
                               const struct mail_identity *who);
/* Everybody may have an automatic answer again. */
int mail_answered_forget(struct tx *tx, const struct mailbox *mb);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people have set for their mailboxes: addresses they send from, where mail is forwarded,
 * filters, the automatic answer, who else may use the mailbox. Some of it acts (rules.h); what only
 * a dialect understands is kept here too, by a kind of the dialect's. Functions give 0 (or what is
 * said) and -1 with tx->err filled; texts live in the arena.
 */
#ifndef SOSIA_GMAIL_SETTING_H
#define SOSIA_GMAIL_SETTING_H

#include "services/mail/core/kept.h"
#include "services/mail/core/mail.h"
#include "services/mail/core/search.h"
#include "services/mail/core/vendor.h"

/* ---- any kind ---- */

extern struct kept_table gmail_settings;

/* ---- addresses to send from ---- */

struct gmail_sender {
    const char *email;                       /* lower case */
    const char *name, *reply_to, *signature; /* "" or what was said; name "": the person's */
    bool main;                               /* the mailbox's own address */
    bool chosen;                             /* what new mail is sent from; one of a mailbox is */
    bool alias;                              /* counts as the person's own address */
    bool pending;                            /* its owner has not confirmed it */
    const char *asked;  /* by what its owner shows agreement; NULL: nobody was asked */
    const char *server; /* JSON object: through which it goes; NULL: none */
};
/* The main one first, then by age. */
int gmail_sender_list(struct tx *tx, const struct mailbox *mb, struct gmail_sender **ret,
                      size_t *ret_n);
/* 1 found, 0 not. */
int gmail_sender_get(struct tx *tx, const struct mailbox *mb, const char *email,
                     struct gmail_sender *ret);
/* The same of a row that was read: the others are looked at for the main one alone. */
int gmail_sender_of(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                    struct gmail_sender *ret);
/* The one that new mail is sent from. */
int gmail_sender_chosen(struct tx *tx, const struct mailbox *mb, struct gmail_sender *ret);
/* The text of its From header. */
const char *gmail_sender_text(struct tx *tx, const struct mailbox *mb,
                              const struct gmail_sender *s);
/* Stores it, new or not. One that is chosen takes that from the others. */
int gmail_sender_put(struct tx *tx, const struct mailbox *mb, const struct gmail_sender *s);
/* The main one stays; if the chosen one goes, the main one is. 1 gone, 0 not there. */
int gmail_sender_delete(struct tx *tx, const struct mailbox *mb, const char *email);

/* ---- forwarding ---- */

struct gmail_forward {
    const char *email;
    bool pending;
    const char *asked; /* as in struct gmail_sender */
};
/* As for senders: all by age; 1 found, 0 not; stores it, new or not. */
int gmail_forward_list(struct tx *tx, const struct mailbox *mb, struct gmail_forward **ret,
                       size_t *ret_n);
int gmail_forward_get(struct tx *tx, const struct mailbox *mb, const char *email,
                      struct gmail_forward *ret);
int gmail_forward_put(struct tx *tx, const struct mailbox *mb, const struct gmail_forward *f);
/* All mail that is not spam goes on to `to`, if it is confirmed. */
struct gmail_auto_forward {
    bool on;
    const char *to; /* NULL: was never set */
    enum mail_forward_then then;
};
int gmail_auto_forward_get(struct tx *tx, const struct mailbox *mb, struct gmail_auto_forward *ret);
int gmail_auto_forward_put(struct tx *tx, const struct mailbox *mb,
                           const struct gmail_auto_forward *f);

/* ---- filters ---- */

struct gmail_filter {
    const char *key; /* what programs know it by */
    const struct search *query;
    const int64_t *add, *remove; /* folders, roles included */
    size_t n_add, n_remove;
    const char *forward; /* an address; NULL: none */
    const char *said;    /* JSON: the filter as a dialect got it */
};
/* Adds one. INVALID "tooComplex": its query is. */
int gmail_filter_add(struct tx *tx, const struct mailbox *mb, const struct gmail_filter *f);
int gmail_filter_get(struct tx *tx, const struct mailbox *mb, const char *key,
                     struct gmail_filter *ret);
int gmail_filter_list(struct tx *tx, const struct mailbox *mb, struct gmail_filter **ret,
                      size_t *ret_n);
/* The same for rules: without what was said, which takes longer. */
int gmail_filter_rules(struct tx *tx, const struct mailbox *mb, struct gmail_filter **ret,
                       size_t *ret_n);
/* 1 gone, 0 not there. */
int gmail_filter_delete(struct tx *tx, const struct mailbox *mb, const char *key);

/* ---- the automatic answer ---- */

struct gmail_vacation {
    bool on;
    const char *subject;     /* NULL: none; is put before that of the message */
    const char *text, *html; /* NULL: none; html goes before text */
    bool contacts;           /* only to those whom the person has written to */
    bool domain;             /* only to those of the person's own domain */
    int64_t from_us, to_us;  /* 0: no limit */
};
#define VACATION_DAYS 4 /* a sender has no second answer before that */
/* 1, or 0 where it was never set: it is off. */
int gmail_vacation_get(struct tx *tx, const struct mailbox *mb, struct gmail_vacation *ret);
int gmail_vacation_put(struct tx *tx, const struct mailbox *mb, const struct gmail_vacation *v);

/* ---- delegates ---- */

struct gmail_delegate {
    const char *email;
};
/* All by age; adds one. */
int gmail_delegate_list(struct tx *tx, const struct mailbox *mb, struct gmail_delegate **ret,
                        size_t *ret_n);
int gmail_delegate_put(struct tx *tx, const struct mailbox *mb, const char *email);
/* May the address use the mailbox? 1, 0. */
int gmail_delegate_may(struct tx *tx, int64_t mailbox, const char *email);

#define SETTING_SENDER   "sender"
#define SETTING_FORWARD  "forward"
#define SETTING_DELEGATE "delegate"
#define SETTING_FILTER   "filter"
#define SETTING_VACATION "vacation"
#define SETTING_ON       "autoForward"

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What mailboxes do by themselves with mail that comes: filters, forwarding, automatic answers.
 * Delivery calls mail_rules_incoming() for each copy when it is stored and indexed, but before its
 * folders are counted and anybody is notified of it, and mail_rules_after() when it is in the
 * mailbox.
 */
#ifndef SOSIA_MAIL_RULES_H
#define SOSIA_MAIL_RULES_H

#include "engine/json/doc.h"
#include "services/mail/core/search.h"

/* A message that comes into a mailbox. */
struct mail_incoming {
    const struct mail_vendor *vendor; /* of the mailbox */
    const struct mailbox *mailbox;
    struct mail_message *message; /* its flags and folders are not final: see below */
    const char *head;             /* of this copy; all its bytes: mail_message_raw() */
    size_t head_len;
    const char *sender;    /* of the envelope, lower case; "": a report of a failure */
    const char *recipient; /* the address that led here, lower case */
    int hops;              /* how often it was passed on */
    bool settled;          /* of struct mail_carry */
    int *forwards;         /* of struct mail_carry */
    /* What it is found by: for search_match(). */
    const struct search_text *words;
    const char *message_id; /* without brackets; NULL: none */
    /* mail_rules_incoming(), which changes the folders that it gets: */
    int (*decide)(struct tx *tx, struct mail_incoming *in);
    uint32_t flags;
    int64_t *folders; /* its owner's; in the arena */
    size_t n_folders;
    int64_t folder; /* of an exclusive vendor: the folder among them */
    struct mail_property *property;
    void *rules; /* the rules' own, from mail_rules_incoming() to mail_rules_after() */
};

/* Before the message is put into its mailbox: filters change what it gets. 0, -1. */
int mail_rules_incoming(struct tx *tx, struct mail_incoming *in);
/* When it is there: it is passed on and answered. 0, -1. */
int mail_rules_after(struct tx *tx, struct mail_incoming *in);
/* known.c: has the person written to the address? 1, 0, -1. */
int mail_rules_wrote_to(struct tx *tx, const struct mailbox *mb, const char *email);
/* Does a mailbox's person know who has this address: somebody of the own domain, or to whom they
 * have written? 1, 0, -1. */
int mail_rules_knows(struct tx *tx, const struct mailbox *mb, const char *email);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharing links: rows of their own, found by a token that is in an address, each with what it gives
 * at an item and below it to those who open it. Grants (drive.h) are for people whom the item
 * knows; a vendor whose links are the item's own address and a grant for anyone has no links here.
 */
#ifndef SOSIA_DRIVE_LINK_H
#define SOSIA_DRIVE_LINK_H

#include "engine/state/stored.h"
#include "services/drive/core/drive.h"

enum drive_link_scope { LINK_ANONYMOUS = 1, LINK_ORGANIZATION, LINK_USERS };
enum drive_link_type { LINK_VIEW = 1, LINK_EDIT, LINK_EMBED };

struct drive_link {
    int64_t id, item;
    const char *token;
    enum drive_link_scope scope;
    enum drive_link_type type;
    bool no_download;
    const char *password; /* "salt:hash", hexadecimal; NULL: none is asked for */
    int64_t expires_us;   /* 0: never */
    int64_t creator;      /* an actor; 0: none */
    int64_t created_us;
    /* Addresses: of LINK_USERS those of the people and groups that it is for, else of people who
     * have opened it for good. */
    const char **users;
    size_t n_users;
};

enum { LINK_USERS_MAX = 1000 };

extern struct stored drive_link_stored; /* its table of members: link_seed.c */

/* What a link gives. */
enum drive_role drive_link_role(const struct drive_link *l);
/* Those at an item itself, oldest first. 0, -1. */
int drive_links(struct tx *tx, int64_t item, struct drive_link **ret, size_t *ret_n);
/* Are there any in the world? 1, 0, -1. */
int drive_links_any(struct tx *tx);
/* The widest scope of those at an item itself that are good: 1, 0 there are none, -1. */
int drive_links_scope(struct tx *tx, int64_t item, enum drive_link_scope *ret);
/* 1, 0 there is none, or its time is over, or its item is gone; -1. */
int drive_link_by_token(struct tx *tx, const char *token, struct drive_link *ret);
/* The text that is stored of a password. seed: it is known to those who know the document. NULL:
 * failed. */
const char *drive_link_password(struct tx *tx, const char *password, bool seed);
/* A token that no link has. NULL: failed. */
const char *drive_link_token(struct tx *tx, bool seed);
/* Stores a link (id 0: a new one; token NULL: one is made), or takes it away. The item is in the
 * feed. Fails with CONFLICT "tokenInUse", INVALID "users". */
int drive_link_save(struct tx *tx, struct drive_item *it, struct drive_link *l);
int drive_link_remove(struct tx *tx, struct drive_item *it, const struct drive_link *l);

/* The viewer opens a link (password NULL: says none): from now on drive_role() has what it gives,
 * for this viewer. Fails with NOT_FOUND "noLink", FORBIDDEN "password", "organization" (who opens
 * it is of another one), "users" (it is for others). */
int drive_link_open(struct drive_viewer *v, const char *token, const char *password,
                    struct drive_item *ret);

/* Who opened a link for good has what it gives without saying the link again, and the item among
 * what is shared with them: they are among its users from now on, of whom there are LINK_USERS_MAX
 * at most; what is more has it for the call. who: not its owner. 0, -1. */
int drive_link_use(struct tx *tx, struct drive_item *it, const struct drive_link *l,
                   const struct actor *who);
/* The viewer has what all links give whose users have their address: drive_role() has it from now
 * on. 1; 0: there are none, or it was done before; -1. */
int drive_links_used(struct drive_viewer *v);

/* The member links of a file in seed documents. */
struct doc;
int drive_link_seed(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it);
int drive_links_dump(struct tx *tx, struct json_writer *w, const struct drive_item *it);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the methods under users/{userId}/settings share, among themselves and with seeds. */
#ifndef SOSIA_GMAIL_SETTINGS_H
#define SOSIA_GMAIL_SETTINGS_H

#include "services/mail/gmail/settings/setting.h"
#include "services/mail/gmail/gmail.h"

/* Kinds of settings that only this dialect understands. */
#define SETTING_IMAP     "gmail.imap"
#define SETTING_POP      "gmail.pop"
#define SETTING_LANGUAGE "gmail.language"
#define SETTING_SMIME    "gmail.smime" /* keys: address, space, id */
#define SETTING_KEYPAIR  "gmail.keypair"
#define SETTING_IDENTITY "gmail.identity"

/* ---- calls ---- */

/* Opens the mailbox for its settings: they are its person's alone. */
int settings_open(struct call *c, struct mailbox *ret);
/* The same for what only a service account with authority over the domain may do. */
int settings_share(struct call *c, struct mailbox *ret);
/* The answer to a method that gives nothing back. */
int settings_nothing(struct call *c);

/* For rows whose risk depends on an address (NULL: none was given): external if it is outside. */
int settings_risk(struct call *c, const char *email, enum risk *ret);

/* ---- members of objects ---- */

bool settings_bool(const struct json *v, const char *member);
const char *settings_text(const struct json *v, const char *member); /* "" without it */
bool settings_has(const struct json *v, const char *member);
int64_t settings_number(const struct json *v, const char *member); /* 0 without it */
/* One of words (NULL-terminated): its place; -1: absent, or none of them. */
int settings_word(const struct json *v, const char *member, const char *const *words);

/* ---- readers and writers ---- */

/*
 * Objects in the API's shapes, whose members have the types that its schemas say. Readers refuse
 * what makes no sense as the API does: INVALID, invalidArgument. Writers write members into an open
 * object.
 */

/* Such a failure. Gives -1. */
__attribute__((format(printf, 2, 3))) int settings_bad(struct tx *tx, const char *fmt, ...);
/* An address as it is kept. */
int settings_address(struct tx *tx, const char *text, const char *name, const char **ret);
/* As ids of settings look: "ANe1Bm" and 32 characters. */
int settings_new_id(struct tx *tx, const char *stream, const char **ret);

/* Whether the address has agreed is the caller's to ask. */
int settings_read_auto_forward(struct tx *tx, const struct json *v, struct gmail_auto_forward *ret);
void settings_write_auto_forward(struct json_writer *w, const struct gmail_auto_forward *f);

int settings_read_vacation(struct tx *tx, const struct json *v, struct gmail_vacation *ret);
void settings_write_vacation(struct json_writer *w, const struct gmail_vacation *v);

/* What v says of an address to send from, in s, which has its address. whole: what v leaves out is
 * emptied. */
int settings_read_sender(struct tx *tx, const struct json *v, bool whole, struct gmail_sender *s);
void settings_write_sender(struct json_writer *w, const struct gmail_sender *s);
void settings_write_forward(struct json_writer *w, const struct gmail_forward *f);
extern const char *const settings_verification[]; /* "accepted", "pending", NULL */

/* Criteria and action; not its id, nor whether an address to forward to has agreed. names: labels
 * may be named. */
int settings_read_filter(struct tx *tx, const struct mailbox *mb, const struct json *v, bool names,
                         struct gmail_filter *ret);
/* An id that no filter of the mailbox has: a world that was made of a dump counts its ids anew, and
 * has those of the dump. */
int settings_filter_key(struct tx *tx, const struct mailbox *mb, const char **ret);
/* Labels that are gone are left out. */
int settings_write_filter(struct tx *tx, const struct mailbox *mb, struct json_writer *w,
                          const struct gmail_filter *f);

/* Settings that do nothing and are kept as they are said: IMAP, POP, the language. */
struct settings_kept {
    const char *name; /* "imap" */
    const char *kind;
    int (*check)(struct tx *tx, const struct json *v);
    void (*write)(struct json_writer *w, const struct json *v);
};
enum { KEPT_IMAP, KEPT_POP, KEPT_LANGUAGE, N_SETTINGS_KEPT };
extern const struct settings_kept settings_kept[N_SETTINGS_KEPT];
int settings_put_kept(struct tx *tx, const struct mailbox *mb, const struct settings_kept *k,
                      const struct json *v);

/* Rows of certificates: see smime.c and cse.c. */
void settings_write_smime(struct json_writer *w, const struct kept *s);
void settings_write_keypair(struct json_writer *w, const struct kept *s);
void settings_write_identity(struct json_writer *w, const struct kept *s);
/* Keeps a certificate, a key pair; since when the pair is off, 0: it is on. */
int settings_store_smime(struct tx *tx, int64_t mailbox, const char *key, const char *issuer,
                         bool is_default, int64_t expires_ms, const char *pem);
int settings_store_pair(struct tx *tx, const struct mailbox *mb, const char *id, const char *pem,
                        const struct json *emails, const struct json *keys, int64_t disabled);
int64_t settings_disabled_us(const struct json *value);
/* Removes the certificates of an address. */
int settings_forget_smime(struct tx *tx, const struct mailbox *mb, const char *email);
/* Names it one key pair, or one for each use? */
int settings_check_identity(struct tx *tx, const struct json *v);
/* For seeds: rows are stored as they came. */
int settings_put_smime(struct tx *tx, const struct mailbox *mb, const char *key,
                       const struct json *v);
int settings_put_keypair(struct tx *tx, const struct mailbox *mb, const char *key,
                         const struct json *v);
int settings_put_identity(struct tx *tx, const struct mailbox *mb, const char *key,
                          const struct json *v);

/* ---- agreement ---- */

/* What the paths of pages begin with on which people agree (settings_agree.c). */
#define SETTINGS_PAGE_SENDER  "vsa-"
#define SETTINGS_PAGE_FORWARD "vf-"
/* Sends a mail to an address that the mailbox wants to use, with a page by which its owner agrees,
 * and fills in what that page is known by. */
int settings_ask_sender(struct call *c, const struct mailbox *mb, struct gmail_sender *s);
int settings_ask_forward(struct call *c, const struct mailbox *mb, struct gmail_forward *f);

#endif

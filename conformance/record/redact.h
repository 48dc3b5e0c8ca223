/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taking out of exchanges what must not leave an account: credentials, and personal data. What is
 * taken out is replaced by something made up, the same by the same, so that what a value has to do
 * with another can still be seen: an address becomes person3@org1.example, a token
 * redacted-token-1.
 *
 * What nobody owns stays: addresses and names of example domains (RFC 2606, 6761), addresses that a
 * service makes for its own things, loopback and documentation networks, and whatever was made up
 * here before.
 */
#ifndef SOSIA_CONFORMANCE_REDACT_H
#define SOSIA_CONFORMANCE_REDACT_H

#include "conformance/record/wire.h"

enum redact_kind {
    REDACT_TOKEN,  /* Authorization; tokens, codes, secrets and passwords by name or form */
    REDACT_COOKIE, /* values of cookies */
    REDACT_KEY,    /* API keys */
    REDACT_EMAIL,  /* addresses, and the domains of their organisations */
    REDACT_NAME,   /* names and pictures of people */
    REDACT_PHONE,
    REDACT_IP,
    REDACT_TEXT, /* what people wrote: titles, descriptions, messages */
    N_REDACT_KINDS
};
extern const char *const redact_kinds[]; /* "token", ... by kind; NULL-terminated */
/* The kinds that are kept if nobody says otherwise. */
#define REDACT_KEEP_DEFAULT (1u << REDACT_TEXT)
#define REDACT_KEY_SIZE     32

struct redactor_options {
    unsigned keep;                /* bits by kind: left as they are */
    uint8_t key[REDACT_KEY_SIZE]; /* of the tags by which values are known again */
    /* A value was replaced: where ("response.body.items[0].email"), by what. */
    void (*place)(void *arg, enum redact_kind kind, const char *path, const char *with);
    /* Something was made up. tag: hex digits that stand for the value, useless without the key. */
    void (*made)(void *arg, const char *kind, const char *tag, const char *with);
    void *arg;
};

struct redactor;

/* o is copied. -1 without memory. */
int redactor_new(const struct redactor_options *o, struct redactor **ret_redactor,
                 struct sosia_err *err);
void redactor_free(struct redactor *r);
/* What made() said in an earlier run. -1 without memory or when it is not such a thing. */
int redactor_know(struct redactor *r, const char *kind, const char *tag, const char *with);

/* Replaces in e what must be; new texts live in a. Not for several threads at once. -1: out of
 * memory. */
int redact_wire(struct redactor *r, struct arena *a, struct wire *e, struct sosia_err *err);
/* What stands for a token, an address: in a. They are not counted. */
const char *redact_token(struct redactor *r, struct arena *a, const char *token);
const char *redact_address(struct redactor *r, struct arena *a, const char *address);
/* How many places of each kind were replaced. */
void redactor_counts(const struct redactor *r, size_t ret_counts[N_REDACT_KINDS]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by redact.c (what stands for what), redact_text.c (texts) and redact_walk.c (exchanges).
 */
#ifndef SOSIA_CONFORMANCE_REDACT_IMPL_H
#define SOSIA_CONFORMANCE_REDACT_IMPL_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include "conformance/record/redact.h"
#include "engine/base/map.h"
#include <pcre2.h>

struct redactor {
    struct redactor_options o;
    struct map known; /* "kind tag" -> what was made up */
    unsigned persons, domains, made[N_REDACT_KINDS];
    size_t counts[N_REDACT_KINDS];
    pcre2_code *regex;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    /* the exchange at work */
    struct arena *arena;
    struct buf path;
    bool failed; /* no memory */
};

static inline bool redacts(const struct redactor *r, enum redact_kind kind)
{
    return !(r->o.keep >> kind & 1);
}

/* ---- redact.c ---- */

/* What stands for a value, made up if need be; in the arena. NULL: it stays as it is. */
const char *substitute(struct redactor *r, enum redact_kind kind, const char *value);
/* The same for the name of whom an address belongs to; address NULL: not known. */
const char *substitute_name(struct redactor *r, const char *name, const char *address);
/* The same for an organisation's domain. */
const char *substitute_domain(struct redactor *r, const char *domain);
/* An address that nobody owns, or that is a service's own. */
bool is_nobodys_address(const char *address);
/* Counts and reports a replacement at the present path. */
void redacted(struct redactor *r, enum redact_kind kind, const char *with);

/* Names of members and parameters, without regard to case, '-' and '_'. */
bool is_secret_name(const char *name);
bool is_signature_name(const char *name); /* a secret in a query */
bool is_key_name(const char *name);       /* an API key, in a query */
bool is_code_name(const char *name);      /* a secret where OAuth is spoken */
bool is_person_name(const char *name);
bool is_picture_name(const char *name);
bool is_phone_name(const char *name);
bool is_free_text_name(const char *name);
bool is_address_name(const char *name);
bool is_person_place(const char *name); /* what it holds is a person */
bool same_name(const char *a, const char *b);

/* ---- redact_text.c ---- */

/* Compiles the expressions that texts are searched for. */
int redact_text_open(struct redactor *r, struct sosia_err *err);
void redact_text_close(struct redactor *r);
/* A text in which what must not be kept is replaced; NULL: nothing had to be. */
const char *redact_in_text(struct redactor *r, const char *text, size_t len);

#endif

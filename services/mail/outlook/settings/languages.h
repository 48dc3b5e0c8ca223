/* SPDX-License-Identifier: Apache-2.0 */
/* The languages that a mailbox may have. */
#ifndef SOSIA_OUTLOOK_LANGUAGES_H
#define SOSIA_OUTLOOK_LANGUAGES_H

#include <stddef.h>

struct outlook_language {
    const char *locale; /* "de-AT" */
    const char *name;   /* in the language itself */
};
extern const struct outlook_language outlook_languages[];
extern const size_t outlook_n_languages;

/* By its locale, in any case; NULL: there is no such language. */
const struct outlook_language *outlook_language_find(const char *locale);

struct call;
struct json;
/* The members of a localeInfo, into an open object. v: as it was set; NULL: the usual one. */
void outlook_write_language(struct call *c, const struct json *v);

#endif

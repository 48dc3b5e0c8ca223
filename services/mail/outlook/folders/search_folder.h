/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search folders (mailSearchFolder): folders that hold no messages, but show those of other folders
 * that a question finds. What one searches is a setting whose key is the folder's number.
 */
#ifndef SOSIA_OUTLOOK_SEARCH_FOLDER_H
#define SOSIA_OUTLOOK_SEARCH_FOLDER_H

#include "services/mail/outlook/settings/options.h"

#define SEARCH_FOLDER_SOURCES 100 /* folders that are named */

struct outlook_search_folder {
    bool nested;                /* folders in the sources are searched too */
    const struct json *sources; /* ids, as they were given */
    const char *filter;         /* as it was given */
};

/* What a folder searches: 1, 0 it is one that holds messages, -1. */
int outlook_search_folder_of(struct tx *tx, const struct mail_folder *f,
                             struct outlook_search_folder *ret);
/* Is it what a body asks for? */
bool outlook_search_folder_asked(const struct json *body);
/* Reads what a body says, on top of what is there (old NULL: nothing), and keeps it. 0, -1 refused.
 */
int outlook_search_folder_set(struct call *c, const struct outlook_box *b,
                              const struct mail_folder *f, const struct json *body,
                              const struct outlook_search_folder *old);
/* The messages that it shows, of those that a query asks for. 0, -1 refused. */
int outlook_search_folder_list(struct call *c, const struct outlook_box *b,
                               const struct outlook_search_folder *s, const struct odata_query *q,
                               struct outlook_list *ret);
/* The messages of a folder of either kind; f->id 0: of all folders. */
int outlook_folder_list(struct call *c, const struct outlook_box *b, const struct mail_folder *f,
                        const struct odata_query *q, struct outlook_list *ret);
/* How many, and how many of them are unread. */
int outlook_search_folder_count(struct call *c, const struct outlook_box *b,
                                const struct outlook_search_folder *s, int64_t *ret_all,
                                int64_t *ret_unread);
/* A folder can hold what a call would put there. 0; -1: it is a search folder, or is not known. */
int outlook_folder_holds(struct call *c, const struct mail_folder *f);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Google does the same way in all its APIs: global parameters, partial answers, error
 * envelopes, headers, etags and preconditions, page tokens, batches, discovery documents, push
 * channels. A dialect of Google's names google_vendor as its vendor and a struct google_api as its
 * facts.
 */
#ifndef SOSIA_GOOGLE_H
#define SOSIA_GOOGLE_H

#include "engine/http/call.h"
#include "engine/text/http_date.h"

/* How an API's own refusals look. Refusals of the front end (credentials, scopes, unreadable JSON,
 * wrongly typed parameters) look the same in all of them. */
enum google_envelope {
    GOOGLE_LEGACY, /* errors, code, message: Calendar */
    GOOGLE_PLAIN,  /* code, message, errors: Drive */
    GOOGLE_STATUS  /* code, message, errors, status: Gmail */
};

struct google_scope {
    const char *name;    /* the whole URL, as in the rows */
    const char *summary; /* ours */
};

struct google_api {
    const char *name, *version; /* "calendar", "v3" */
    const char *title, *summary;
    const char *service_path;  /* "calendar/v3/"; "" where the methods' paths are whole */
    const char *path_prefix;   /* of all its paths, "gmail/v1/"; NULL: service_path */
    const char *batch_path;    /* "batch/calendar/v3" */
    unsigned batch_max;        /* parts of a batch */
    const char *download_path; /* where a batch sends requests for bytes, "download/drive/v3/";
                                  NULL: its parts have them */
    const char *service;       /* as error details name it: "calendar-json.googleapis.com" */
    const char *method_prefix; /* of methods in error details: "calendar.v3." */
    /* The name of a method behind that prefix, in the arena; NULL: its id behind the API's name,
     * parts in capitals ("Events.Insert"). */
    const char *(*method_name)(struct arena *a, const struct route *r);
    const char *type_prefix; /* of types in messages about values; NULL: none */
    bool strict; /* served by the newer front end: unknown names in query and body are refused */
    bool scope_is_credential; /* a token without the scope is answered as no token is */
    bool cache_headers;  /* answers say whether they may be kept (all recordings of Calendar's do,
                            none of Gmail's does) */
    bool never_kept;     /* with that: reads too (all recordings of Drive's) */
    bool typed_deletes;  /* a 204 to a DELETE has a Content-Type (recorded of Drive's) */
    bool bad_token_info; /* a 401 for what is not a token has details */
    enum google_envelope envelope;
    /* The service that an account must have for it; others are refused as those for whom an
     * administrator turned it off. 0: the API has its own way. */
    unsigned account;
    int channel_days;     /* life of a push channel that asks for none; 0: 7 */
    int channel_max_days; /* the longest; 0: 30 */
    const char
        *bad_page_token; /* message for a page token that is refused; NULL: "Invalid Value" */
    const struct google_scope *scopes;
    size_t n_scopes;
};

/* The number of a program's project, of which a world has one. */
#define GOOGLE_PROJECT "764086051850"

extern const struct vendor google_vendor;
extern const struct guide google_guide;
/* Owns the push channels. */
extern const struct sosia_core google_core;
/* Batches and discovery: the paths that belong to no API. */
extern const struct dialect google_dialect_common;

/* The facts of the call's API; NULL for the paths that belong to no API (batch, discovery, signing
 * in): dialects of Google's with a front of their own have no facts. */
static inline const struct google_api *google_api_of(const struct call *c)
{
    return c->dialect ? c->dialect->facts : NULL;
}

/*
 * Failures. A handler fails with call_fail(c, code, reason, where, text): code gives the status,
 * reason is in the answer and its domain is known here (error.c), text is the message. where
 * becomes the location: the name of a parameter of the row or of a header (NULL: none; names that
 * are neither are left out). Without reason and text the usual ones of the status are written.
 * Reasons that the call path itself reports are put into Google's words here.
 */

/* Before a failure of the handler's: a second thing that is wrong, for the same reason, is named
 * too. The text is in the arena. Only older APIs show it. */
void google_error_also(struct call *c, const char *text);

/* The precondition of a change: If-Match against the present etag, in its quotes; "*" matches what
 * exists (etag not NULL). 0 go on, -1 failed with 412. */
int google_if_match(struct call *c, const char *etag);

/*
 * Page and sync tokens: a short text of the caller's, such as a sort key, sealed so that a token
 * that was made up, altered or made for something else is refused. They hold no secret; who opens
 * one still checks what its text says.
 */
/* The position after a page, for nextPageToken. It is bound to the method, the actor and every
 * parameter but the page's size and token. */
const char *google_page_token(struct call *c, const char *position);
/* Before it in lists of files, as recorded; it says nothing. */
#define GOOGLE_LIST_TOKEN "~!!~"
/* The position that the parameter pageToken stands for: 1 there is one, 0 none was given, -1
 * refused as the API does. */
int google_page_position(struct call *c, const char **ret_position);
/* Both for lists whose positions are numbers, none below least: the member nextPageToken, and what
 * the parameter stands for. */
void google_next_page(struct call *c, int64_t position);
int google_page_number(struct call *c, int64_t least, int64_t *ret_position);
/* The same for other uses. purpose binds a token to what it is for: "sync calendarId". 1 opened, 0
 * it is not such a token. */
const char *google_seal(struct arena *a, const char *purpose, const char *text);
int google_unseal(struct arena *a, const char *purpose, const char *token, const char **ret_text);

/*
 * Push channels: the handlers of an API's watch methods and of channels.stop. What is watched is
 * the kind and scope of the events that the core raises (engine/world/event.h); the caller has
 * checked that the actor may see it. Both read the body; watch writes the answer. (An http address
 * is taken for a receiver on this machine, and a channel may be stopped by its actor through any
 * client: differences from the service.)
 */
int google_channel_watch(struct call *c, const char *kind, int64_t id);
/* The same where a method has its own rules: seconds that a channel lives if it asks for none, and
 * at most. */
int google_channel_watch_for(struct call *c, const char *kind, int64_t id, int64_t life_s,
                             int64_t max_s);
int google_channel_stop(struct call *c);
/* What a channel watches is no more: its rowid may be another's from now on. The channel lives
 * until it ends by itself. 0, -1. */
int google_channel_gone(struct tx *tx, const char *kind, int64_t ref);

/* What the channels of an API watch, for its section of seed documents and dumps; NULL-terminated
 * by kind. */
struct google_watched {
    const char *kind;            /* of the events */
    const char *word;            /* in documents: "events" */
    const char *member;          /* that names the thing: "calendar"; NULL: it is the person's */
    struct sql_text *find, *key; /* the rowid of what is named so; its name, no row if it is gone */
    const char *before, *after;  /* its name in the path of its list; NULL: the path is before */
    int64_t life_s;              /* of a channel that says nothing of it */
};
struct form;
int google_channel_seed(struct tx *tx, struct doc *d, const struct json *v,
                        const struct google_watched *kinds, const struct form *form);
/* The members that channels of all services have: a part of each one's form. */
extern const struct form google_channel_form;
/* Into an open object: 1, 0 there is no such row, -1. */
int google_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w,
                        const struct google_watched *kinds);

/*
 * Media. A row that takes one (struct media) is also reached at /upload and
 * /resumable/upload in front of its path, in one request or in pieces; its handler then finds it in
 * c->medium, whole (but not in memory, where the row takes more than BYTES_VIEW), of a type and a
 * size that the row allows, and the metadata in c->body. A row
 * that can give one (route.download) is asked with alt=media.
 */
bool google_wants_media(const struct call *c);
/* The answer is these bytes, or the range of them that was asked for. data: in the arena. */
int google_media(struct call *c, const char *type, const char *data, size_t len);
/* The same of a blob of the world, which is not in memory. Fails with NOT_FOUND. */
int google_media_blob(struct call *c, const char *type, int64_t blob);

#endif

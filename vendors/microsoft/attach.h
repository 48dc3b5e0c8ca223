/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Upload sessions of attachments (MG-50, MG-991): createUploadSession of a message, an event or a
 * task gives a URL to which the bytes come in ranges, in order; with the last one the dialect makes
 * the attachment. A dialect has a struct graph_attach, a row whose handler finds the thing and
 * calls graph_attach_begin(), and a row for each verb of the URL, with graph_attach_put() and its
 * like. Outlook's URLs are on outlook.office.com and need no token: rows are anonymous, on
 * GRAPH_ATTACH_PATH(kind). A dialect with URLs of its own (at) asks for the user's token there.
 */
#ifndef SOSIA_MICROSOFT_ATTACH_H
#define SOSIA_MICROSOFT_ATTACH_H

#include "vendors/microsoft/graph.h"

#define GRAPH_ATTACH_LEAST                                                                         \
    ((int64_t)3 << 20) /* bytes of an attachment; smaller ones are posted                          \
                        */
#define GRAPH_ATTACH_MOST  ((int64_t)150 << 20)
#define GRAPH_ATTACH_RANGE ((int64_t)60 << 20) /* bytes of one request */

/* Of a session: kind "Messages". */
#define GRAPH_ATTACH_PATH(kind)                                                                    \
    "/api/v2.0/users/{user-id}/" kind "/{thing-id}/AttachmentSessions/{session-id}"

/* What is announced, and the bytes. */
struct graph_upload {
    int64_t id;
    const char *key, *secret;
    int64_t account;   /* whose thing it is */
    int64_t owner;     /* the thing, as the dialect numbers it */
    const char *thing; /* its id */
    const char *name;
    const char *type, *content_id; /* NULL: not said */
    bool inlined;
    int64_t total, size;
    int64_t blob; /* 0: none yet; for made(): finished */
    int64_t expires_us;
};

struct graph_attach {
    const char *kind; /* "Messages", as in the path */
    /* All bytes are there: adds the attachment to the thing, which may have gone since, and gives
     * its id. 0, -1 refused. */
    int (*made)(struct call *c, const struct graph_upload *up, const char **ret_id);
    /* Of URLs of its own; NULL: Outlook's. The URL of the session, or of the attachment that was
     * made (its id; NULL: the session's). */
    const char *(*at)(struct call *c, const struct graph_upload *up, const char *file);
    const char *item;    /* the member of the body; NULL: "AttachmentItem" */
    int64_t least, most; /* bytes of a file; 0: GRAPH_ATTACH_LEAST, GRAPH_ATTACH_MOST */
};

/* Answers createUploadSession for a thing of a user's: the body is read here. 0, -1 refused. */
int graph_attach_begin(struct call *c, const struct graph_attach *how,
                       const struct graph_user *user, int64_t owner, const char *thing);
/* Handlers of the URL. With one of its own the caller has found the thing: graph_attach_of(). */
int graph_attach_put(struct call *c, const struct graph_attach *how);
int graph_attach_get(struct call *c, const struct graph_attach *how);
int graph_attach_delete(struct call *c, const struct graph_attach *how);
/* Is the session of the path ("session-id") one of the thing? 0, -1 refused. */
int graph_attach_of(struct call *c, const struct graph_attach *how, int64_t account, int64_t owner);

#define GRAPH_ATTACH_PARAMS                                                                        \
    {.name = "user-id",                                                                            \
     .place = IN_PATH,                                                                             \
     .required = true,                                                                             \
     .summary = "Whose it is, as the URL has it"},                                                 \
        {.name = "thing-id",                                                                       \
         .place = IN_PATH,                                                                         \
         .required = true,                                                                         \
         .summary = "What gets the attachment, as the URL has it"},                                \
        {.name = "session-id", .place = IN_PATH, .required = true, .summary = "The session"},      \
        {.name = "Content-Range",                                                                  \
         .place = IN_HEADER,                                                                       \
         .summary = "Which bytes they are, of how many"},                                          \
    {                                                                                              \
        .name = "authtoken", .place = IN_QUERY, .summary = "What opens it, as the URL has it"      \
    }

extern const struct sosia_core graph_attach_core;
/* A header Content-Range, "bytes 0-99/100" (NULL: not sent), in which first <= last < total. */
bool graph_range(const char *text, int64_t *first, int64_t *last, int64_t *total);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Microsoft Graph does the same way for all its resources: hosts and versions, /me and
 * /users/{id}, contexts and links of answers, errors by workload, preferences, etags, batches. A
 * dialect of Graph's names microsoft_vendor as its vendor and a struct graph_api as its facts.
 */
#ifndef SOSIA_MICROSOFT_GRAPH_H
#define SOSIA_MICROSOFT_GRAPH_H

#include "engine/http/call.h"

#define GRAPH_HOST "graph.microsoft.com"

/* Services behind the gateway, which word errors and headers each in its own way. */
enum graph_workload {
    GRAPH_GATEWAY,
    GRAPH_DIRECTORY,
    GRAPH_OUTLOOK,
    GRAPH_FILES,
    GRAPH_TEAMS,
    GRAPH_TODO,
    GRAPH_PLANNER
};
struct graph_api {
    enum graph_workload workload;
};

extern const struct vendor microsoft_vendor;
extern const struct guide microsoft_guide;
extern const struct front graph_front;
/* Batches: what belongs to no workload. */
extern const struct dialect graph_common;

/* Limits of workloads (learn.microsoft.com/graph/throttling-limits), for dialects' rates: Outlook's
 * of an app and mailbox, the directory's of an app and tenant of middle size. */
extern const struct rate_class graph_outlook_rates[], graph_directory_rates[];

/* Paths of a row: in both versions; of the caller and of any user. */
#define GRAPH(path)    "/v1.0" path, "/beta" path
#define GRAPH_MY(path) GRAPH("/me" path), GRAPH("/users/{user-id}" path)

/* That of the call's dialect; GRAPH_GATEWAY for paths without one. */
enum graph_workload graph_workload_of(const struct call *c);
bool graph_is_beta(const struct call *c);

/*
 * Failures. A handler fails with call_fail(c, code, reason, NULL, text): the reason is Graph's
 * error code ("ErrorItemNotFound"), the text its message, and the code gives the status. Without
 * reason and text the workload's usual ones are written. These are the usual ones by name; all
 * give -1.
 */
int graph_not_found(struct call *c); /* 404 of the workload */
int graph_denied(struct call *c);    /* 403 of the workload */
/* With a status that none of the engine's codes has (416). */
int graph_fail_status(struct call *c, int status, const char *code, const char *message);
/* With a code that may look like one of the engine's own, or be empty, and the code in innerError
 * (NULL: there is none). */
__attribute__((format(printf, 6, 7))) int graph_fail_own(struct call *c, enum sosia_code kind,
                                                         int status, const char *code,
                                                         const char *inner, const char *fmt, ...);
/* 410 resyncRequired, and where a client begins anew. */
int graph_fail_resync(struct call *c, const char *location, const char *message);
int graph_bad_id(struct call *c); /* 400: an id that none can have */
/* "Could not find a property named 'x' on type 'microsoft.graph.message'." 400 */
int graph_no_property(struct call *c, const char *name, const char *type);
/* The same of a member of a body, in Outlook's words (MG-376). */
int graph_unknown_property(struct call *c, const char *name, const char *type);
/* Of a body's object, below v1.0: a member that the type ("message") has below /beta alone is
 * refused so. 0, -1. */
int graph_check_version(struct call *c, const struct json *v, const char *type);

/* A user of the directory, with the account whose services are meant. */
struct graph_user {
    struct actor actor;
    struct account account;
    const char *oid, *upn, *tenant; /* tenant: its id */
    const char *key;                /* as contexts name the user: the user principal name */
    bool me;                        /* it is the caller */
};
/* Whose path it is, "me" or {user-id}: an object id, a user principal name or an address. service:
 * the one that the account must have; 0: any. Rights are not looked at. 0, -1: MG-305, or there is
 * no such user (404), or no such service of the user's (404 MailboxNotEnabledForRESTAPI). */
int graph_whose(struct call *c, enum account_service service, struct graph_user *ret);
/* The user that a text names; of the caller's tenant. 1, 0, -1. */
int graph_user_find(struct call *c, const char *text, struct graph_user *ret);
/* The same of any tenant, for an app of its own, with an account that has the service. 1, 0, -1. */
int graph_user_with(struct call *c, const char *text, enum account_service service,
                    struct graph_user *ret);
/* The same of an account. 0, -1. */
int graph_user_of(struct tx *tx, const struct account *account, const struct actor *actor,
                  struct graph_user *ret);
/* The tenant whose directory a call sees, by its rowid (directory/directory.h): its user's, or that
 * of its app. 1; 0: none; -1. */
int graph_caller_tenant(struct call *c, int64_t *ret);
/* Does the call act as an app, without a user? */
static inline bool graph_app_only(const struct call *c)
{
    return c->token_kind == TOKEN_APP;
}

/* Is the body text, of a row that takes "text/plain" beside JSON (its accepts)? It is not read. */
bool graph_text_body(const struct call *c);

/* ---- answers ---- */

/* The member "@odata.context" of the object that is open: the URL of $metadata, '#' and this. */
__attribute__((format(printf, 2, 3))) void graph_context(struct call *c, const char *fmt, ...);
void graph_context_of(struct call *c, const char *rest);
/* A key of a context or a path in its quotes, percent-encoded: "('ada%40port.example')". In the
 * arena. */
const char *graph_key(struct arena *a, const char *key);
/* "https://graph.microsoft.com/v1.0" and path, where clients find it: of links they follow. */
const char *graph_url(struct call *c, const char *path);
/* The link to the next page: the call's own path and query, with this option in the place of $skip
 * and $skiptoken (name: "$skip"). Keys of Outlook's paths are in brackets, and its options are
 * percent-encoded (MG-340). In the arena. */
const char *graph_next(struct call *c, const char *name, const char *value);
/* The same with no option of the call's: of deltas, whose tokens hold them (MG-342). */
const char *graph_link(struct call *c, const char *name, const char *value);
/* Headers of a thing that was made: 201 and Location, of the path behind the version ("/users('u')/
 * messages('id')"). */
void graph_created(struct call *c, const char *path);
/* "2026-05-04T08:32:45Z"; digits: of the fraction, 0 or 7 (".0000000" is written). In the arena. */
const char *graph_date(struct arena *a, int64_t us, int digits);

/* ---- preferences and options ---- */

/* The value of a preference ("outlook.timezone"), without quotes; "" of one without a value; NULL:
 * it was not sent. */
const char *graph_prefer(struct call *c, const char *name);
/* It was honoured: Preference-Applied says it, with its value as given here (NULL: without one);
 * quoted: in quotes. */
void graph_applied(struct call *c, const char *name, const char *value, bool quoted);
/* The query option of that name, with or without '$' (MG-09); NULL: not given. */
const char *graph_option(const struct call *c, const char *name);

/* The precondition of a change: If-Match against the present etag with its quotes (W/"..."); "*" is
 * each. 0 go on, -1 failed with the workload's 412. */
int graph_if_match(struct call *c, const char *etag);

/* Sealed tokens, of pages and deltas: a text of the caller's that is of one purpose ("delta
 * messages 12"). The seal has no key: it finds mistakes, and whoever knows how it is made makes any
 * token. So who unseals one checks each part of it as any other input. graph_unseal: 1, 0 it is not
 * such a token. In the arena. */
const char *graph_seal(struct arena *a, const char *purpose, const char *text);
int graph_unseal(struct arena *a, const char *purpose, const char *token, const char **ret_text);

/* Is an answer's body JSON, by its type and, where that is a file's own, by its text? */
bool graph_is_json(const char *type, const char *text, size_t n);

/* A GUID that follows from two texts, always the same one; lower case, in the arena;
 * or its bytes. */
const char *graph_guid(struct arena *a, const char *kind, const char *text);
void graph_guid_bytes(const char *kind, const char *text, uint8_t ret[16]);
/* The id of a MAPI property as it is answered (MG-630): "LONG 0x0E08" is "Long 0xe08". */
const char *graph_property_id(struct arena *a, const char *id);

#endif

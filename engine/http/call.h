/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call: one request to a method, on its way through the one door. A handler gets it when the
 * request is routed, authorised and parsed; it writes its answer with c->out and fails with
 * call_fail(). It never sees a socket, a clock or a transaction's ends.
 */
#ifndef SOSIA_HTTP_CALL_H
#define SOSIA_HTTP_CALL_H

#include "engine/http/bytes.h"
#include "engine/http/fault.h"
#include "engine/http/principal.h"
#include "engine/api/vendor.h"
#include "engine/world/core.h"

struct judged;
struct token_claims;

struct param_value {
    const struct param *def;
    const char *text; /* decoded */
    size_t len;
    int64_t number; /* INT; BOOL 0 or 1; DATETIME microseconds; DATE days; ENUM index into values */
    const char *wrong; /* where parameters are read late: why it is not what the row says, as in
                          params_parse(); NULL: it is */
};

/* What a method is called with beside JSON. */
struct medium {
    const char *type; /* as sent; application/octet-stream if none was */
    bool typed;       /* one was sent */
    const char *data; /* all of it, len bytes, where the row takes no more than BYTES_VIEW; else
                         NULL: it is not in memory */
    size_t len;
    struct bytes bytes; /* wherever it is */
};

/* A blob that is the answer's body (call_send_blob()). */
struct sent {
    struct blob blob; /* id 0: none */
    int64_t first, n; /* which bytes of it */
};

struct call {
    struct tx tx; /* first: a call is a transaction with an HTTP side */
    const struct sosia_request *request;
    const char *host; /* the one in the path ("/@host/..."), else of the request, or NULL */
    size_t host_len;
    const struct vendor *vendor;   /* whose host it came to; NULL: nobody's (localhost) */
    const struct dialect *dialect; /* NULL: none owns the path */
    const struct front *front;     /* of the dialect, else of the host's vendor; NULL: neither */
    const struct route *route;     /* NULL: none matches */
    enum verb verb;                /* after the front's override_verb */
    bool path_known;               /* the path exists, with other verbs */
    bool upload;                   /* the path is one for a medium (struct vendor) */
    bool part;                     /* it came in another call, by call_part() */
    bool batch;                    /* a batch, or a part of one: not all of what has parts is */
    bool admitted; /* it needs no token any more: the vendor's begin knows the actor (an upload
                      under way), or the door has looked at it before */
    bool form;     /* the body was read as arguments: no JSON is expected in it */
    const char *bad_input; /* why the arguments can't be read: "encoding", "parseError"; NULL: they
                              were */
    const struct rate_class *over; /* the failure is this limit; NULL: none */
    int64_t retry_us;              /* and when it would do */
    bool bad_param;   /* the failure is a parameter that is missing or not of its type */
    const char *path; /* raw, without the world's prefix and the query */
    size_t path_len;
    const char *lost; /* without a route: the segment of the path that no row has, lost_len bytes;
                         NULL: none */
    size_t lost_len;
    const char *query; /* raw; NULL: none */
    size_t query_len;
    bool query_is_body; /* the query is the body, which may be in a spool when this is known */
    struct param_value *values; /* the parameters that were given, and those with defaults */
    size_t n_values;
    struct query_item { /* all arguments, decoded: of stronger places first, then in order */
        const char *name, *text;
        size_t len;
        enum param_place place;
        const char *file, *type; /* of IN_PART: file name and type, as sent; NULL: none */
    } * items;
    size_t n_items;
    const char *token;  /* credential as sent; NULL: none */
    struct actor actor; /* id 0: nobody */
    struct scopes scopes;
    const struct token_claims *claims; /* of a token that the engine signed (engine/http/token.h);
                                          NULL: none */
    int64_t app, account;              /* of the token (struct principal); 0: none */
    const char *tenant; /* of which the token is, where nothing else that is kept of it says so;
                           NULL. For the journal, from which it comes again */
    enum token_kind token_kind;
    int64_t token_expires_us;    /* 0: never */
    const struct json *body;     /* parsed JSON; NULL: none. Handlers ask call_body()
                                    (engine/http/body.h) */
    bool body_checked;           /* it keeps to the row's schema */
    struct bytes content;        /* the request's body, wherever it is */
    const struct medium *medium; /* NULL: none */
    const char *base_url;        /* of absolute URLs in answers, with the world's prefix if the
                                    request had one */

    /* The answer. */
    int status;
    struct buf *body_out;
    struct json_writer *out;
    struct sent sent;           /* instead of body_out */
    struct blob_reader *reader; /* of it, when the transaction is over; the door's own */
    struct sosia_header headers[24];
    size_t n_headers;
    const struct json_mask *mask; /* the vendor sets these three before the writer is made */
    bool pretty;
    bool escape_html;
    const char *why;   /* a refusal whose text, the vendor's, says nothing ("Bad Request") */
    const char *etag;  /* of the resource in the answer; vendors' finish makes a header of it */
    void *vendor_data; /* the vendor's own, in the arena */

    enum risk risk;      /* by its arguments (struct route, risk_of) */
    enum risk risk_most; /* what can do more is refused */
    const void *reach;   /* for the row's risk_of: whom the handler has found that the call reaches;
                            NULL: nobody */

    const char *tool;      /* of a model's, by which it came; NULL: by none */
    struct judged *judged; /* what the guard knows of it (engine/world/guard.h); NULL: no rule is
                              asked of it */
    bool tried;            /* the guard's: its answer is given, and what it did is undone */
    bool noted;            /* the guard's: the journal has it, though it keeps no reads */

    bool stopped;      /* it was interrupted, and has no answer (engine/base/stop.h) */
    int64_t suspended; /* the entry of the outbox whose response the answer needs; 0: none */
    uint64_t era;      /* of a call that goes on: the world's when it was suspended */
    const struct call_waiter *waiter; /* who is notified when it is there; NULL: the caller waits */
    int64_t resumed;                  /* the second half of a call that was suspended for it */
    const struct sosia_outcome *outcome; /* and what came back; NULL: it is not a second half */
    const struct sosia_outcome *kept;    /* the guard's: of its program, which has run before as
                                            `resumed` and does not again; NULL: it has not */
    const struct json *ran; /* what its program left, once its handler has read it; NULL: none */
    bool outlives; /* what it begins goes on when the call is over, and can't be undone with it */

    struct sosia_stream *stream; /* the answer goes on (engine/http/stream.h); NULL: it does not */

    const struct fault *fault; /* that it has got into; NULL: none */
    enum sosia_wire wire;      /* what the connection does with the answer */
    size_t whole;              /* of a body that it cuts: bytes that it says there are */
    int64_t delay_ms;          /* of real time, before the answer */
    bool redo;   /* the fault is before the transaction: it begins anew, when guard->between()
                    has done what is to be done there */
    bool redone; /* and it has begun anew */
    const struct tree *stale; /* the state that it reads then; NULL: that of now */
    const char *counts; /* of faults and budgets, as its rows have them now; NULL: they don't */
    const char *rates;  /* what calls without entries took from rate limits (engine/world/rate.h);
                           NULL: it was not asked */
    const char *stop, *note; /* JSON: which budget has stopped it, or is nearly used up; NULL */

    int64_t began_us; /* by the machine's clock; 0: nobody asks how long it takes */

    bool by_token; /* the answer depends on the very token, and not only on whom it stands for */
    const struct replayed *again; /* it runs again as its entry has it (engine/http/entry.h) */
    struct session_offer *offer;  /* it came as a handshake (engine/http/session.h); NULL: it did
                                     not */

    uint64_t world;        /* of a method that is served outside a transaction (struct route) */
    struct worker *worker; /* the same: idle while the method runs */
    bool hurried;          /* the same: others wait for it */
    const char *audience;  /* the same: the service that its credential is for, whose parts act on
                              behalf of who has it, and of each part; NULL: the parts' own */
    bool left;             /* the same: call_leave() */
    uint64_t ticket;       /* of its parts' changes */
};

#define call_fail(c, code, reason, where, ...)                                                     \
    tx_fail(&(c)->tx, (code), (reason), (where), __VA_ARGS__)

/* Says why the call is refused, for the journal and the server's log, where the vendor's text
 * doesn't: what was expected and what came. The first one counts. */
__attribute__((format(printf, 2, 3))) void call_why(struct call *c, const char *fmt, ...);
/* A value as text for that, cut where it is long. NULL: "absent". */
const char *call_quote(struct call *c, const struct json *v);

/* Where the call's world is reached without a credential: base_url, with the world in it. NULL: it
 * came without a URL. */
const char *call_world_url(const struct call *c);
/* A URL that programs must follow, on one of the vendor's hosts; path: "/...", with its query. On
 * that host when the request came to one of the vendor's, else on this server, with the world and
 * the host in the path. In the arena. */
const char *call_follow_url(const struct call *c, const char *host, const char *path);

/* Reads JSON that a client sent into c->body: -1 when it is none, or when it would fill the memory
 * with small values. */
int call_read_json(struct call *c, const char *text, size_t len);
/* The body of the call, an object that keeps to its row's request schema as far as the front's
 * rules insist (struct front); an empty one where the row says that it may be absent.
 * Arguments that came as a form are an object of strings. NULL: the call has failed. Checked once:
 * asking again is free. */
const struct json *call_body(struct call *c);
/* More arguments (c->items), before or behind those that are there. Of a form, or a query: -1 as
 * query_parse() (engine/http/param.h). */
int call_add_form(struct call *c, const char *text, size_t len, enum param_place as, bool before);
/* The members of a JSON object: strings, and other values as their JSON text unless strings_only;
 * null is as absent. */
int call_add_members(struct call *c, const struct json *object, bool strings_only, bool before);
/* The token of an Authorization header of that scheme ("Bearer"); NULL: none. */
const char *call_bearer(const struct call *c);
/* A header of the request, or NULL. */
const char *call_request_header(const struct call *c, const char *name);
/* Adds a header to the answer; value is copied to the arena. */
void call_header(struct call *c, const char *name, const char *value);
/* The same for a value that lives as long as the program. */
void call_header_const(struct call *c, const char *name, const char *value);

/* Parameters by name. Texts are NULL, numbers `otherwise`, when not given and without default. */
const char *param_str(const struct call *c, const char *name);
int64_t param_num(const struct call *c, const char *name, int64_t otherwise);
bool param_bool(const struct call *c, const char *name);
bool param_given(const struct call *c, const char *name);
/* The i-th value of a repeated parameter; NULL when there are no more. */
const struct param_value *param_nth(const struct call *c, const char *name, size_t i);
/* The first item of the query with this name, of those that are not parameters of the method; NULL:
 * not given. */
const char *call_query_item(const struct call *c, const char *name);

/* The answer needs the response to a delivery that the call has made (a handshake): what it has
 * done so far is committed, and when the response is there its kind's complete() writes the answer,
 * or waits for another delivery in the same way. A handler calls it last. */
static inline void call_suspend(struct call *c, int64_t entry)
{
    c->suspended = entry;
}

/* For a method that is `outside` and `brief` (struct route), before its first part, when it sees
 * that it will write, take long or make several calls. True: others wait for it, so it must return;
 * what it has written is dropped, and it is called again where nobody waits. False: it may go
 * on. */
bool call_leave(struct call *c);
/* Serves a part of a batch as a call of its own, on the world of the batch. NULL only without
 * memory, or where the call has left: others wait for it, and somebody keeps the world for long.
 * Free with sosia_response_free(). */
struct sosia_response *call_part(struct call *c, const struct sosia_request *part);

/* A part whose caller knows the row, which reads, and has the arguments as they would be read from
 * the target and the body. All is borrowed for the length of the call. */
struct part_row {
    const struct route *route;
    enum verb verb;
    struct sosia_request request; /* as call_part() takes it; the target is a path and its query */
    struct query_item *items;
    size_t n_items;
};

/* What it came to. */
struct part_answer {
    int status;
    const char *type, *why; /* media type, "": none; as struct sosia_response */
    const char *body;       /* len bytes, NUL-terminated; until the next part */
    size_t len;
    struct sosia_response *response; /* not NULL: all is in it, since the body is pulled; free it */
};

/* Serves it as call_part() does, with the worker of the call, and without an answer for others. 1;
 * 0: its target leads to another row, and nothing was done; -1: as NULL of call_part(). */
int call_part_row(struct call *c, const struct part_row *row, struct part_answer *ret);

/* Of a method that makes calls of its own: whether lists that it gives may have that method, which
 * the tool of that name (NULL: none) calls, by the rules of the world. */
bool call_shows(const struct call *c, const struct dialect *d, const struct route *route,
                const char *tool);
/* The name that a tool has in the world, which may be another one than its own; and the tool that
 * has a name there, NULL: none has. */
const char *call_tool_name(const struct call *c, const char *tool);
const char *call_tool_named(const struct call *c, const char *name);

/* The number of a scope that some route names; -1: unknown. */
int scope_number(const struct sosia_engine *e, const char *name, size_t len);
/* Is the call's token one that the method takes, whatever its scopes? The row says it. */
bool call_takes_token(const struct call *c, const struct route *r);
/* Does the call's token have one of these scopes (separated by spaces)? */
bool call_has_scope(const struct call *c, const char *scopes);
/* The same, of those that the call's method accepts: what a scope opens that it does not accept is
 * nothing to it. */
bool call_uses_scope(const struct call *c, const char *scopes);

#endif

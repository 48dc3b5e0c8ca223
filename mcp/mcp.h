/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Model Context Protocol: an endpoint at which models find the services of a world as tools,
 * resources and prompts. It is a service of the engine like others, whose one method takes a
 * JSON-RPC message and makes calls of its own to the services' methods, so that their scopes,
 * rates and journal count.
 *
 * It speaks the revisions with a handshake (2025-03-26, 2025-06-18, 2025-11-25) and the one
 * without (2026-07-28) on the same endpoint; what it keeps between requests is in mcp/hub.h.
 * Source: modelcontextprotocol.io/specification.
 */
#ifndef SOSIA_MCP_H
#define SOSIA_MCP_H

#include "engine/http/call.h"
#include "engine/service.h"

#define MCP_META      "io.modelcontextprotocol/"
#define MCP_STATELESS "2026-07-28" /* the first revision without a handshake */

/* Codes of JSON-RPC 2.0, and those that the protocol adds. */
enum rpc_code {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_TIMEOUT = -32001,     /* and of a session that is not there */
    RPC_NO_RESOURCE = -32002, /* until 2025-11-25; PARAMS since then */
    RPC_HEADER = -32020,
    RPC_CAPABILITY = -32021,
    RPC_VERSION = -32022
};

struct mcp_call;

/* What an endpoint has to offer: methods that write their result's members, or refuse; 0, -1. NULL:
 * there is no such method. */
struct mcp_face {
    int (*tools_list)(struct mcp_call *m);
    int (*tools_call)(struct mcp_call *m);
    int (*resources_list)(struct mcp_call *m);
    int (*templates_list)(struct mcp_call *m);
    int (*resources_read)(struct mcp_call *m);
    int (*prompts_list)(struct mcp_call *m);
    int (*prompts_get)(struct mcp_call *m);
    int (*complete)(struct mcp_call *m);
    int (*set_level)(struct mcp_call *m);
    int (*subscribe)(struct mcp_call *m);
    int (*unsubscribe)(struct mcp_call *m);
};
extern const struct mcp_face mcp_native; /* tools are the services' own methods */
extern const struct mcp_face mcp_fixture;

/* The dialects of a call's engine whose methods are tools, in the order of lists: the one behind
 * another, NULL: the first; NULL behind the last. */
const struct dialect *mcp_service_next(const struct call *c, const struct dialect *before);
/* By the name of its endpoint, n bytes. NULL: the engine has none. */
const struct dialect_tools *mcp_service_named(const struct call *c, const char *name, size_t n);

/* What a client can be asked for. */
enum client_can { CAN_SAMPLE = 1, CAN_ELICIT = 2, CAN_ROOTS = 4 };

/* A session (mcp/hub.h), as it is for one message. */
#define SESSION_ID 22 /* characters */
struct mcp_session {
    char id[SESSION_ID + 1]; /* "": the message names none */
    unsigned can;            /* enum client_can */
    bool legacy;             /* responses are events of its stream */
    int level;               /* of log messages (mcp/log.c); 0: it gets none */
};

#define MAX_ASKED 8 /* requests to a client that one of its requests waits for */

/* A request to the client. */
struct hub_asked {
    const char *key;    /* the method's name for it */
    const char *method; /* "sampling/createMessage" */
    const char *params; /* JSON */
};

/* A message on its way. */
struct mcp_call {
    struct call *c;
    const struct mcp_face *face;         /* of the endpoint that it came to */
    const struct dialect_tools *service; /* whose endpoint it is; NULL: that of all */
    const char
        *server; /* of a set's servers (struct set_tools), whose endpoint it is; NULL: none's */
    const struct mcp_carried *carried; /* whose endpoint it is (mcp/servers/carried.h); NULL */
    const char *revision;              /* that counts for it */
    bool stateless;                    /* it is MCP_STATELESS or a later one */
    const char *method;
    const struct json *id;     /* NULL: it is a notification */
    const struct json *params; /* an object; NULL: none */
    struct json_writer *w;     /* methods write the members of their result */
    const char *prefer;        /* what the requests of a tool say in Prefer; NULL: nothing */
    const char *consistency;   /* the same in ConsistencyLevel */
    const char *under;         /* they go to paths below it, of methods that have such; NULL: to
                                  the first ones */
    const char *result;        /* what it is if it is not complete ("input_required") */
    struct buf *events;        /* notifications that go before the answer */
    struct mcp_session session;
    bool streams;             /* the answer may be a stream that goes on */
    bool in_batch;            /* the message is one of several */
    const struct json *known; /* what the client has answered, {key: answer}; NULL: nothing */
    struct hub_asked asks[MAX_ASKED]; /* what it is asked */
    size_t n_asks;
    const char *stage; /* what its calls are to a draft (staged.c); NULL: none is about one */
    unsigned wrote;    /* calls of its tool that have changed something */
    bool suspended;    /* the answer waits for that */
    bool listens;      /* there is none: notifications come until it is cancelled */
    struct sosia_stream *stream; /* the answer, which goes on; NULL: it doesn't */
    int status;                  /* of a refusal, over HTTP */
    int code;                    /* of the refusal; 0: there is none */
    const char *text, *data;     /* data: JSON; NULL: none */
};

/* Refuses the message. Gives -1. */
__attribute__((format(printf, 3, 4))) int rpc_fail(struct mcp_call *m, enum rpc_code code,
                                                   const char *fmt, ...);
/* The same with the HTTP status that it has over HTTP (else 200) and with data (JSON; NULL: none).
 */
__attribute__((format(printf, 5, 6))) int rpc_fail_http(struct mcp_call *m, enum rpc_code code,
                                                        int status, const char *data,
                                                        const char *fmt, ...);
/* A string that the message must have among its parameters; NULL: refused. */
const char *rpc_str(struct mcp_call *m, const char *name);
/* There is no such resource; why may be NULL. Gives -1. */
int rpc_no_resource(struct mcp_call *m, const char *uri, const char *why);
/* How long, in milliseconds, what has been answered may be kept, and by whom; for revisions that
 * say so. */
void rpc_cache(struct mcp_call *m, int64_t ttl_ms, bool everybody);

/* Notifies the client before the answer; params: JSON. */
void rpc_notify(struct mcp_call *m, const char *method, const char *params);
/* A member of the request's own data on the protocol, by its name without the prefix; NULL. */
const struct json *rpc_meta(const struct mcp_call *m, const char *name);

/* What a client can be asked for, by the capabilities that it declares: enum client_can. */
unsigned rpc_capabilities(const struct json *capabilities);
/* Can the client be asked for this ("sampling/createMessage")? */
bool rpc_client_can(const struct mcp_call *m, const char *method);
/* What the client has answered to what was asked under this key: NULL: nothing yet. An object with
 * the member "error" alone: it has refused. */
const struct json *rpc_answer(const struct mcp_call *m, const char *key);
/* Asks the client, of a revision with a handshake, for something; the method then gives 1, and is
 * called again when all is answered. 0, -1: refused. */
int rpc_ask(struct mcp_call *m, const char *key, const char *method, const char *params);

/* Refuses what the message that m is of asks for, in the place of an answer. */
void rpc_refuse(struct mcp_call *m);
/* Answers one message of a request's body: into c->body_out, nothing for a notification, nor where
 * the answer is not there yet (m->suspended, m->stream). Of m are
 * set: c, face, service, events, streams, in_batch, session. status: that of the response, if the
 * message is all of it. */
void rpc_serve(struct mcp_call *m, const struct json *message, int *ret_status);

/* ---- the native face, by file ---- */

int mcp_tools_list(struct mcp_call *m);
int mcp_tools_call(struct mcp_call *m);
int mcp_resources_list(struct mcp_call *m);
int mcp_templates_list(struct mcp_call *m);
int mcp_resources_read(struct mcp_call *m);
int mcp_prompts_list(struct mcp_call *m);
int mcp_prompts_get(struct mcp_call *m);
int mcp_complete(struct mcp_call *m);
int mcp_subscribe(struct mcp_call *m);
int mcp_unsubscribe(struct mcp_call *m);

/* For every face. */
int mcp_initialize(struct mcp_call *m);
int mcp_discover(struct mcp_call *m);
int mcp_listen(struct mcp_call *m);
int mcp_set_level(struct mcp_call *m);
/* A new session learns when the list of resources changes. */
void mcp_watch_lists(struct mcp_call *m);

extern const char *const mcp_revisions[]; /* newest first; NULL-terminated */
/* Is the revision one that is spoken here? NULL: none is. */
const char *mcp_revision(const char *text);

/* oauth.c: how a client signs somebody in. */
extern const struct dialect mcp_oauth_dialect;
/* Where a client finds who gives tokens: RFC 9728, section 3. */
#define MCP_PROTECTED_RESOURCE "/.well-known/oauth-protected-resource"

extern const struct sosia_service mcp_endpoint;
/* The protocol's own conformance suite asks for tools, resources and prompts of given names and
 * contents: they are at /mcp/conformance, for everybody, in engines that are opened with this one
 * (struct sosia_engine_options, mcp_fixture). */
extern const struct sosia_service mcp_fixture_endpoint;

#endif

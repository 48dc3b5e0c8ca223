/* SPDX-License-Identifier: Apache-2.0 */
/* Tools: what tools/list shows of one, and what tools/call does with it. */
#ifndef SOSIA_MCP_TOOL_H
#define SOSIA_MCP_TOOL_H

#include "engine/base/map.h"
#include "mcp/mcp.h"

struct sosia_response;

enum tool_set {
    SET_COMMON,    /* those of the native ones that most work is done with; the others can be called
                      all the same */
    SET_NATIVE,    /* one tool a method, made of its row */
    SET_HOSTED,    /* names and shapes of a hosted sandbox's servers */
    SET_REFERENCE, /* of the archived reference servers and the best-known others */
    SET_COMMUNITY, /* of servers that others have published */
    SET_WORKSPACE, /* of one of them that has several services */
    SET_SOFTERIA,  /* of another one of that kind, whose tools are one method each */
    SET_AGENT365,  /* of a vendor's own servers */
    N_SETS
};

#define TOOL_METHODS 6

/* A method that a tool of a set calls. */
struct tool_method {
    const struct route *route;     /* NULL: the end */
    bool optional;                 /* the tool is listed for a token that may not call it */
    bool sometimes;                /* not every call of the tool makes it */
    const struct dialect *dialect; /* whose it is */
};

/* A tool, as it is in an index. */
struct mcp_tool {
    const struct dialect_tools *service; /* the dialect's */
    const struct dialect *dialect;
    enum tool_set set;
    const struct route *route;                /* whose tool it is; NULL: that of a set */
    const struct set_row *row;                /* that of a set (mcp/sets/sets.h); NULL: native */
    struct tool_method methods[TOOL_METHODS]; /* that the row calls, in the order of its steps */
    bool direct;                              /* tool_direct() may serve it */
    const char *fields;                       /* of a native one: tool_fields() */
    enum risk risk;
    bool open;            /* it reaches people, or does with some arguments */
    unsigned token_kinds; /* of a set's tool; 0: any */
    const char *name;
    const char *text; /* what the list shows: len bytes of JSON */
    size_t len;
    const char *common; /* what that of SET_COMMON shows, common_len bytes; NULL: it is not in it */
    size_t common_len;
};

/* All tools of a service. Made once in a process and never changed or freed: rows are constants. */
struct tool_index {
    const struct dialect *dialect;
    const struct mcp_tool *tools; /* of the native set first, in the order of rows */
    size_t n;
    struct map names[N_SETS]; /* of struct mcp_tool */
    struct tool_index *next;
};
/* Of a dialect that has tools. NULL: no memory. */
const struct tool_index *tool_index(const struct dialect *d);
/* The risk that tools may have at most, by the endpoint's URL; -1: it names one that is none. */
int tool_risk_most(const struct call *c);
/* What the endpoint knows of a call, read while its token was looked at (call.vendor_data): the
 * world's set, -1 where the URL names one; and the services that the caller's accounts with a
 * vendor have, for vendors whose dialects ask for them (struct dialect_tools). */
#define TOOL_VENDORS 4
struct tool_caller {
    int set;
    struct {
        const struct vendor *vendor; /* NULL: the end */
        unsigned services;
    } accounts[TOOL_VENDORS];
};
/* May the caller's token use it, at this endpoint? */
bool tool_allowed(const struct mcp_call *m, const struct mcp_tool *t);
/* May lists have it? Not what the world's rules refuse whatever it is called with. */
bool tool_listed(const struct mcp_call *m, const struct mcp_tool *t);
/* Writes what the list shows of a tool: an object. */
void tool_write(struct json_writer *w, const struct mcp_tool *t);
/* The same with the arguments of most calls, and no output schema; in mcp/common.c. */
void tool_write_common(struct json_writer *w, const struct mcp_tool *t);
bool tool_is_common(const struct mcp_tool *t);
/* Parts of it, in mcp/tool_write.c. */
struct json_schema;
bool tool_takes_json(const struct route *r);
void tool_write_required(const struct json_schema *s, const struct mcp_tool *t);
void tool_write_media(struct json_writer *w);
void tool_write_alt(struct json_writer *w);
/* "$defs" of a schema and of those in it, which json_schema_ref() refers to; NULL: nothing. */
void tool_write_defs(const struct json_schema *s, const char *name);
void tool_write_hints(struct json_writer *w, const struct mcp_tool *t, const char *title);

/* The row's parameter of that name (n bytes); NULL: none. */
const struct param *tool_param(const struct route *r, const char *name, size_t n);
/* The schema of its result's structured form; NULL: there is none, as what is downloaded. */
const struct schema *tool_output(const struct mcp_tool *t);
/* The query parameter that selects members of the method's responses, where it is not among its
 * own; NULL: there is none. */
const char *tool_fields(const struct dialect_tools *s, const struct route *r);
/* Does a method reach people, if only with some arguments? */
bool tool_reaches(const struct route *r);
/* Members of a result, by mcp/answer.c: a text among its content; a refusal. */
void tool_text(struct json_writer *w, const char *text, size_t n);
void tool_refused(struct mcp_call *m, const char *why);

/* What a call to a method came to. */
struct mcp_answer {
    struct sosia_response *response; /* free with sosia_response_free(), whatever else; NULL: the
                                        body is there until the next call */
    int status;
    const char *type, *why; /* media type, "": none; as struct sosia_response */
    const char *body;       /* len bytes, NUL-terminated */
    size_t len;
    bool is_json;
    const struct json *json;      /* tool_answer() */
    bool refused;                 /* by the service: body says why */
    const struct schema *request; /* of the body that it was called with; NULL: it had none */
};
/* The tool of that name at this endpoint, if the token may use it: 1, 0, -1. */
int tool_find(struct mcp_call *m, const char *name, const struct mcp_tool **ret);
/* Calls one and writes the members of its result. 0, -1: no memory. */
int tool_serve(struct mcp_call *m, const struct mcp_tool *t, const struct json *arguments);
/* The members of a result of a method. own: the service says it, and it is nobody's file. */
void tool_done(struct mcp_call *m, const struct mcp_tool *t, struct mcp_answer *a, bool own);
/* Calls a method of a tool's service with arguments, as the caller: where each goes is said by the
 * row. A member "body" is the request's body, "media" what comes beside it. 1; 0: an argument is
 * not as it must be, *ret_why says how; -1: no memory. */
int tool_invoke(struct mcp_call *m, const struct mcp_tool *tool, const struct route *route,
                const struct json *arguments, struct mcp_answer *ret, const char **ret_why);
/* The same for a native tool, whose row the call goes to without a request that is written and
 * read again where that can be. */
int tool_call(struct mcp_call *m, const struct mcp_tool *tool, const struct json *arguments,
              struct mcp_answer *ret, const char **ret_why);
/* That way alone, of a tool that is direct: 1; 0: it is not for these arguments; -1: no memory. Its
 * row has at most so many parameters, with names of at most so many bytes, and a path of at most
 * half of DIRECT_TEXT bytes. */
enum { DIRECT_TEXT = 4096, DIRECT_NAME = 64, DIRECT_PARAMS = 64 };
int tool_direct(struct mcp_call *m, const struct mcp_tool *tool, const struct json *arguments,
                struct mcp_answer *ret);
/* The caller's own labels (X-Sosia-Label-*), which go along with each call of a tool: how many. */
#define TOOL_LABELS 8
#define STAGE_LABEL "X-Sosia-Label-draft" /* what a call is to a draft (guard/draft.h) */
size_t tool_labels(const struct mcp_call *m, struct sosia_header *list, size_t room);
/* The caller's credential as a header has it. */
const char *tool_bearer(struct mcp_call *m);
/* The response that was given to the request of this target, read; and what follows from its
 * status, type and body. */
void answer_read(struct mcp_call *m, const char *target, struct mcp_answer *a);
void answer_judge(const struct mcp_call *m, struct mcp_answer *a, const char *target);
/* The same for a GET of a path with its query, for lists of resources. -1: no memory. */
int tool_get(struct mcp_call *m, const char *target, struct mcp_answer *ret);
/* The body parsed; NULL: it is not JSON. */
const struct json *tool_answer(struct mcp_call *m, struct mcp_answer *a);
/* Sends what the call came to as a log message, to a session that asks for them. */
void mcp_log_request(struct mcp_call *m, const struct sosia_request *request,
                     struct mcp_answer *answer);
/* A refusal in words: "404 notFound: Not Found". */
const char *answer_why(struct mcp_call *m, struct mcp_answer *a);

/* Members of a tool's argument "media". */
#define MEDIA "media"
#define BODY  "body"

#endif

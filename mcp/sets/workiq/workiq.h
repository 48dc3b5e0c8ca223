/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work IQ: an endpoint of Microsoft's whose tools take paths of Graph
 * (learn.microsoft.com/microsoft-365/copilot/work-iq). Its tools make calls to Graph's methods as
 * the caller; the files of this folder alone know of them.
 */
#ifndef SOSIA_MCP_WORKIQ_H
#define SOSIA_MCP_WORKIQ_H

#include "mcp/tool.h"

#define WORKIQ_HOST  "workiq.svc.cloud.microsoft"
#define WORKIQ_API   "api://" WORKIQ_HOST
#define WORKIQ_SCOPE "WorkIQAgent.Ask"

/* A call of a tool on its way. */
struct workiq {
    struct mcp_call *m;
    struct arena *arena;
    const struct json *args; /* an object */
    struct json_writer *w;   /* the structured result's members, or a text's value */
    bool refused;            /* isError */
    unsigned needs;          /* operations that the last target is, of workiq_target() */
};

/* What became of a call to Graph. */
struct workiq_answer {
    int status;
    const char *type;
    const char *body; /* len bytes */
    size_t len;
    struct sosia_response *response; /* free with sosia_response_free() */
};

/* ---- paths.c ---- */

/* The kinds of operations, as bits: what a path can be asked for. */
enum workiq_operation {
    WORKIQ_FETCH = 1,
    WORKIQ_CREATE = 2,
    WORKIQ_UPDATE = 4,
    WORKIQ_DELETE = 8,
    WORKIQ_ACTION = 16,
    WORKIQ_FUNCTION = 32
};
extern const char *const workiq_operations[]; /* their names, by bit; NULL-terminated */

/* The target of a path of Graph's ("/me/messages?$top=3"), with what the service adds to it: 1 and
 * *ret; 0: it is refused, *ret_code and *ret_why say how. -1: no memory. What
 * the path leads to counts beside what it is asked for: q->needs has both. */
int workiq_target(struct workiq *q, enum workiq_operation op, const char *path, const char **ret,
                  const char **ret_code, const char **ret_why);
/* Calls it: 0, -1 no memory. body: len bytes of JSON; NULL: none. if_match: NULL: none. */
int workiq_call(struct workiq *q, const char *verb, const char *target, const char *body,
                size_t len, const char *if_match, struct workiq_answer *ret);

/* The i-th row of Graph's with its dialect, NULL behind the last; and which operation it is. */
const struct route *workiq_row(const struct call *c, size_t i, const struct dialect **ret_dialect);
enum workiq_operation workiq_operation_of(const struct call *c, const struct route *r);
/* The paths of a row behind the version, one after the other: "/me/messages/{message-id}"; NULL
 * behind the last. *at: 0 to begin with. */
const char *workiq_path(const struct route *r, size_t *at);

/* ---- schema.c ---- */

/* get_schema and search_paths: 0, -1 no memory. */
int workiq_get_schema(struct workiq *q);
int workiq_search_paths(struct workiq *q);

/* ---- setting.c: the section "workIQ" of seed documents ---- */

extern const struct sosia_core workiq_core;
struct workiq_setting {
    unsigned allowed;                    /* operations besides reading: enum workiq_operation */
    const struct json *agents, *answers; /* lists; NULL: none */
};
/* That of the caller's world. 0, -1. */
int workiq_setting(struct mcp_call *m, struct workiq_setting *ret);
/* For an endpoint's begin: puts it into the call's vendor_data. 0, -1. */
int workiq_read_setting(struct call *c);
/* For an endpoint's caller: is the token for these tools? 0, -1. */
int workiq_caller(struct call *c);

extern const struct mcp_face workiq_face;
extern const struct dialect workiq_dialect;

#endif

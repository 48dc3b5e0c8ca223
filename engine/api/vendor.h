/* SPDX-License-Identifier: Apache-2.0 */
/* What a vendor's APIs have in common, and a dialect: one API of a vendor, a table of methods. */
#ifndef SOSIA_API_VENDOR_H
#define SOSIA_API_VENDOR_H

#include "engine/api/route.h"
#include "engine/api/schema.h"
#include "engine/api/tools.h"

struct sosia_engine;
struct body_rules; /* engine/http/body.h */
struct fault;      /* engine/http/fault.h */
struct guide;      /* engine/api/guide.h */

/* How servers of a vendor take requests and answer them. A company may have several ways: that of
 * its APIs, that of its sign-in. */
struct front {
    /* Where arguments may be, besides the path, the weakest place first; at the end 0 (which is
     * IN_PATH). NULL: in the query alone. */
    const enum param_place *arguments;
    /* Parameters are read when handlers ask for them, since these services look for a resource
     * before they read how it is asked for: a value that is not what its row says is among the
     * values (param_value.wrong), and a default is in the row alone. */
    bool late;
    /* Headers of requests that change what a call means, for the journal; one that ends with '*' is
     * all that begin so; NULL-terminated; NULL: none but those of HTTP. */
    const char *const *headers;
    /* Finds the credential that was sent: c->token. NULL: call_bearer(). Arguments have been read,
     * the world is not known yet. */
    void (*credential)(struct call *c);
    /* A POST that may stand for another verb: changes c->verb, and c->query if the query is
     * elsewhere then. NULL: none does. */
    void (*override_verb)(struct call *c);
    /* What precedes a method's path when the method is called with a medium; NULL-terminated; NULL:
     * no method takes one. */
    const char *const *upload_prefixes;
    /* In the place of the handler on such a path, which it calls when the medium is there. The verb
     * may be any but GET. */
    int (*upload)(struct call *c);
    /* Before the handler, and before credentials are looked at: the vendor's own query parameters
     * and headers. c->route is NULL for unknown paths. NULL: nothing to do. */
    int (*begin)(struct call *c);
    /* It is known whom the credential stands for; its kind and scopes were not looked at yet, so
     * that a vendor may have an order of refusals of its own. May run twice: before a large body is
     * taken too. NULL: nothing to do. */
    int (*caller)(struct call *c);
    /* When credentials, parameters and body are good, before the handler; NULL: nothing to do. */
    int (*check)(struct call *c);
    /* How JSON bodies are checked against the rows' schemas when handlers ask for them; gives NULL
     * where check() has done so. NULL: exactly, and refused in sosia's own words. */
    const struct body_rules *(*body_rules)(const struct call *c);
    /* After a handler that succeeded: headers. NULL: nothing to do. */
    void (*finish)(struct call *c);
    /* Writes c->tx.err as the vendor's answer into c->out, which is begun; c->status is that of the
     * error's code. c->route is NULL for unknown paths. */
    void (*error)(struct call *c);
    /* Fails the call as servers of the vendor do that are in such trouble: -1; 1: no call like this
     * one does. c->fault is the fault, for error(). NULL: in sosia's own words. */
    int (*fault)(struct call *c, const struct fault *f);
};

/* A company, with all that it has in common. */
struct vendor {
    const char *name;          /* as in folders: "acme" */
    const char *title;         /* for people: "Acme" */
    const char *const *hosts;  /* "api.acme.example", "*.acme.example"; lower case;
                                  NULL-terminated; NULL: none. The only place that names them */
    const struct front *front; /* of dialects that name none, and of its hosts' unknown paths */
    bool ignore_case;          /* of literals in paths */
    bool key_brackets;         /* "users('x')" is "users/x"; functions have brackets; empty segments
                                  are passed over (router.h) */
    const char *space;         /* that literals in paths may have in front, in any case:
                                  "acme.api."; with key_brackets; NULL: none */
    const struct tools_signin *signin; /* of clients of the Model Context Protocol, which register
                                          as its apps; NULL: none */
    const struct guide *guide;         /* for programs beside the library (engine/api/guide.h);
                                          NULL: they know nothing of it */
};

/* A rate limit: a bucket that holds `limit` units, and gets as many in each period. */
struct rate_class {
    const char *name; /* NULL: the end of a list */
    bool per_actor;   /* each actor has a bucket; else all of the world share one */
    int64_t limit, period_us;
    bool per_method; /* and each method has one */
    const char *by;  /* and each value of this argument; without it each path; NULL: none has */
    bool per_app;    /* and each app */
    bool together;   /* calls of all the vendor's dialects that have it count in it */
};

/* What parameters of one name are, in all methods of an API. */
struct gloss {
    const char *name, *text;
};

struct dialect {
    const char *name;  /* "calendar.acme" */
    const char *title; /* for people: "Acme Calendar API v3" */
    const struct vendor *vendor;
    const struct front *front;   /* NULL: the vendor's */
    const char *const *prefixes; /* paths that are its own, for unknown methods; NULL-terminated */
    const struct rows *const *tables; /* TABLES(&acme_users, &acme_files): one a resource, beside
                                         its handlers; NULL-terminated; NULL: no methods */
    const struct schema *schemas;     /* in the order of their names */
    size_t n_schemas;
    const struct gloss *glossary; /* of parameters without a summary of their own, in the order of
                                     their names */
    size_t n_glossary;
    const struct rate_class *rates; /* that its documents give; NULL: none */
    const char *scopes;  /* that its tokens may have beside those that rows name, separated by
                            spaces; NULL: none */
    const char *methods; /* ids of all methods that the vendor's API has, one a line; NULL: nobody
                            counted them */
    /* For its OpenAPI document. */
    const char *base;    /* what precedes all paths; NULL: nothing */
    const char *summary; /* NULL: none */
    const char *key;     /* name of the one bearer key that opens it; NULL: OAuth 2 */
    const char *refusal; /* schema of refusals; NULL: as the vendor answers */
    const void *facts;   /* what the vendor's own code knows of this API, of a type of the vendor's;
                            NULL: nothing */
    const struct dialect_tools *tools; /* what models find of it (engine/api/tools.h); NULL: its
                                          methods are not tools */
};

/* The dialect's schema of that name; NULL: none, as of NULL. In engine/api/openapi.c. */
const struct schema *dialect_schema(const struct dialect *d, const char *name);
/* What a parameter of one of d's rows is for: the row's words, else those of the glossary; NULL:
 * none. In engine/api/openapi.c. */
const char *param_summary(const struct dialect *d, const struct param *p);

static inline const struct front *dialect_front(const struct dialect *d)
{
    return d->front ? d->front : d->vendor->front;
}

/* Row i of all tables of d, in their order; NULL past the last one. */
static inline const struct route *dialect_row(const struct dialect *d, size_t i)
{
    for (const struct rows *const *t = d->tables; t && *t; i -= (*t)->n, t++)
        if (i < (*t)->n)
            return &(*t)->rows[i];
    return NULL;
}

/* All dialects of an engine's services, in their order; NULL-terminated. */
const struct dialect *const *engine_dialects(const struct sosia_engine *e);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of tools: rows that tools/sets.py makes of a file (docs/adding.md). A row has a tool's
 * arguments, the methods that it calls one after the other, and templates: of their arguments, and
 * of the result.
 */
#ifndef SOSIA_MCP_SET_H
#define SOSIA_MCP_SET_H

#include "mcp/sets/sets.h"
#include "mcp/sets/value.h"

enum arg_type {
    ARG_STRING,
    ARG_INTEGER,
    ARG_NUMBER,
    ARG_BOOLEAN,
    ARG_STRINGS,
    ARG_TEXTS, /* a string, or a list of them */
    ARG_OBJECT,
    ARG_OBJECTS, /* a list of objects */
    ARG_MAP      /* an object of strings, of any names */
};

struct set_arg {
    const char *name;
    enum arg_type type;
    bool required;             /* with a default: in the schema alone */
    const char *def;           /* as JSON without quotes; NULL: none */
    int64_t min, max;          /* of numbers; how many items of a list; 0: none */
    const char *const *values; /* closed set, of items for ARG_STRINGS; NULL: any */
    const char *summary;
    bool silent_def;               /* the default is not in the schema */
    bool listed_def;               /* it is nowhere else */
    bool unlisted;                 /* nor are values, bounds, and that a number is whole */
    bool zero;                     /* min is 0 */
    bool filled;                   /* a text must not be empty */
    bool json;                     /* a list may be written as a string of JSON */
    bool loose;                    /* an item of that which is another thing is left out */
    bool objects;                  /* items of ARG_STRINGS may be objects too */
    const char *schema;            /* of the dialect, whose shape it is in the schema; NULL: none */
    const struct set_arg *members; /* of ARG_OBJECT(S), which have no others; NULL: any */
    size_t n_members;
};

/* What a tool of the original says that it does; without HINTS it is what its methods do. */
enum {
    HINTS = 1,
    HINT_READS = 2,
    HINT_DESTROYS = 4,
    HINT_REPEATS = 8, /* twice is as once */
    HINT_OPEN = 16,
    HINT_BRIEF = 32 /* only whether it reads, and whether it is open, is said */
};

#define SET_STEPS 6

struct set_step {
    const char *method;    /* the id of a row */
    const char *arguments; /* template of its arguments, as the native tool has them */
    const char *when;      /* a reference: called if it holds; NULL: always */
    const char *each;      /* a reference to a list: called for each of its items, which is "$.";
                              the response is a list. NULL: once */
    bool tries;    /* with each: a refusal is an item {"refused": text}, and the next one goes on */
    bool optional; /* the tool is listed for a token that may not call it; what runs it copes */
};

struct set_run;
struct set_filter;

struct set_tool {
    const char *name;
    const char *summary;
    const struct set_arg *args;
    size_t n_args;
    struct set_step steps[SET_STEPS]; /* up to the first without a method. With run: the methods
                                         that it may call */
    const char *result;               /* template; NULL: the last response as it came */
    const char *prefer; /* template of what all its calls say in Prefer; NULL: nothing */
    const char *under;  /* where the paths are that its calls go to ("/beta"); NULL: anywhere */
    /* In the place of the steps: makes calls and gives the result, for a part of which the row's
     * template may be (r->row->result). 1; 0: refused (set_refuse()); -1. */
    int (*run)(struct set_run *r, const struct json **ret_result);
    const char *path; /* "/me/messages/{message-id}": the tool is its first step's method at that
                         path, whose parameters are its arguments (routed.c); NULL: it is not */
    unsigned routed;  /* bits of enum routed: what it takes beside them */
    unsigned token_kinds; /* bits of enum token_kind; 0: those of the methods */
    bool idempotent;
    const char *title;    /* NULL: it has none */
    const char *category; /* that its server puts it into; NULL: none */
    unsigned hints;
};

/* Further arguments of a tool that is a method at a path. */
enum routed {
    ROUTED_ZONE = 1,     /* timezone: that times are answered in */
    ROUTED_EXTENDED = 2, /* expandExtendedProperties */
    ROUTED_RANGE = 4     /* startDateTime and endDateTime are required */
};

/* The tools of a set for one service. */
struct set_tools {
    enum tool_set set;
    const char *service; /* struct dialect_tools, name */
    bool closed;         /* arguments that a tool does not have are refused, not ignored */
    bool lenient;      /* the schema says so, and they are ignored, in objects too; null is a value,
                          and lists as JSON may have ' for " */
    bool titled_hints; /* the title is among the hints */
    bool casual;       /* a value of another type is none, if its text is not of the right one */
    bool compact;      /* results are printed without whitespace */
    bool loose;        /* names of arguments may have '$' in front, and '-' before a letter in the
                          place of a capital; those that a tool does not have are its body's */
    const char *server; /* the one that has them on an endpoint of several; NULL: none */
    const struct set_filter *filters; /* its own; ends with a name of NULL; NULL: none */
    const struct set_tool *tools;
    size_t n;
};
extern const struct set_tools set_lists[]; /* ends with tools of NULL */

/* A row of a service that has its methods, with its templates, read. */
struct set_row {
    const struct set_tool *tool;
    const struct set_tools *set;
    const struct json *arguments[SET_STEPS], *result, *prefer; /* NULL: none */
    const struct set_arg *args;
    size_t n_args;
    const char *const *natives; /* of a tool that is a method at a path: what the method calls each
                                   argument; NULL: it is none of the method's */
};

/* The arguments of a tool that is a method at a path. 0; -1: the row has no such path. */
int routed_read(struct arena *a, const struct mcp_tool *t, struct set_row *row);

/* ---- one call of a tool ---- */

struct set_run {
    struct mcp_call *m;
    struct arena *arena;
    const struct mcp_tool *tool;
    const struct set_row *row;               /* the tool's */
    const struct json *args;                 /* with defaults */
    const struct json *given;                /* as they came; NULL: none */
    const struct json *responses[SET_STEPS]; /* of the steps so far; NULL: not called */

    const char *why;                                         /* refused */
    bool large;                                              /* a text of it is too large */
    void (*write)(struct set_run *r, struct json_writer *w); /* further content; NULL: none */
    void *extra;                                             /* of write */
};

/* Calls a method that is among the row's steps. 1; 0: it refused, and r->why says why; -1. */
int set_call_method(struct set_run *r, const char *method, const struct json *arguments,
                    const struct json **ret);
/* From now on "$name" of templates is this; the name begins with '_', as no argument's does. */
void set_remember(struct set_run *r, const char *name, const struct json *v);
/* The row's steps and its result, as for a row without run. 1, 0, -1. */
int set_run_steps(struct set_run *r, const struct json **ret);
/* Refuses in words. Gives 0. */
__attribute__((format(printf, 2, 3))) int set_refuse(struct set_run *r, const char *fmt, ...);
/* A buffer's text as a value, whose memory is given back; of one that is too large the tool's call
 * is refused. */
const struct json *set_text(struct set_run *r, struct buf *b);
/* Calls the method of a step with arguments. 1; 0: it refused, and r->why says why; -1: no memory.
 * *ret: the response; an empty object if it has no body or is not JSON. */
int set_call(struct set_run *r, size_t step, const struct json *arguments, const struct json **ret);
/* The same, and the body of what is not JSON; "" if it is not text. */
int set_call_text(struct set_run *r, size_t step, const struct json *arguments, const char **ret);
/* The same of any bytes. */
int set_call_bytes(struct set_run *r, size_t step, const struct json *arguments, const char **ret,
                   size_t *ret_n);
/* A file of the workspace as {path, name, size, data in base64}; the tool has the step files.read.
 * 1, 0, -1. */
int set_file_read(struct set_run *r, const char *path, const struct json **ret);
/* Keeps bytes as one, of which *ret is {path, name, size}; the tool has the step files.save. */
struct set_file {
    const char *path, *name; /* name: in the directory that the path is of */
    const char *data;
    size_t len;
    bool over; /* in the place of one that is there */
};
int set_file_save(struct set_run *r, const struct set_file *f, const struct json **ret);
/* A word between quotes, as the search language of drives has it. */
const char *set_quoted(struct arena *a, const char *text);

/* ---- templates ---- */

/* Reads one, for longer than a call; NULL: no memory. */
const struct json *template_read(struct arena *a, const char *text);
/* What it gives; NULL: nothing. item: of "$."; NULL: none. */
const struct json *template_eval(struct set_run *r, const struct json *t, const struct json *item);
/* What a reference ("$0.items|count") gives; NULL: nothing. */
const struct json *template_ref(struct set_run *r, const char *ref, const struct json *item);

/* A filter: what becomes of a value (NULL: nothing was there); arg: behind ':', or NULL. It may
 * refuse (set_refuse()). */
struct set_filter {
    const char *name;
    const struct json *(*fn)(struct set_run *r, const struct json *v, const char *arg,
                             const struct json *item);
};
extern const struct set_filter set_filters[]; /* ends with a name of NULL */

#endif

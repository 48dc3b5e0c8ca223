/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What models find of a dialect beside its methods: the names of its endpoint, the arguments that
 * the short list of tools shows, its resources and what they follow from, its prompts. mcp/ reads
 * it; a dialect has it in its folder.
 */
#ifndef SOSIA_API_TOOLS_H
#define SOSIA_API_TOOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct call;
struct json;
struct tx;

/* A method of the short list. */
struct tool_common {
    const char *method; /* NULL: the end of a list */
    const char *shown;  /* names of its parameters and, behind "body.", of its body's members and
                           those in them, with spaces between them. What it requires is shown in any
                           case */
};

/* Changes of a world that a client wants to know of, as long as they may read what changes. */
struct watched {
    const char *const *kinds; /* of events (engine/world/event.h); NULL-terminated */
    int64_t scope, entity;    /* 0: any */
    /* May the actor read it now? 1, 0, -1. NULL: what is watched is always their own. */
    int (*may)(struct tx *tx, const struct watched *w, int64_t actor);
    int64_t row; /* that this is asked of */
};

/* A kind of resources. Names in braces are variables of its URIs. */
struct tool_resource {
    const char *name; /* NULL: the end of a list */
    const char *uri;  /* "notes://{noteId}" */
    const char *title, *summary;
    const char *read; /* target with the variables, and {now}; NULL: it depends on what it is */
    /* Of one whose content depends on what it is: the target of what says so, and that of the
     * content then, of the value of its variable as targets have it; NULL: read is enough. */
    const char *look;
    const char *(*target)(struct arena *a, const char *id, const struct json *looked);
    /* Those that there are; NULL: they are too many to be listed. */
    const char *list;                /* target */
    const char *items, *id, *called; /* members: of the response, of an item */
    const char *page, *next;         /* where more are: a parameter, and the member it is from; */
                                     /* NULL: the list has one page */
    /* What its content follows from. values: of the variables, decoded. 1; 0: there is no such
     * resource; -1. */
    int (*watch)(struct tx *tx, const struct call *c, const char *const *values,
                 struct watched *ret);
};

#define PROMPT_ARGUMENTS 3

struct tool_prompt_argument {
    const char *name, *summary;
    bool required;
    const char *kind; /* of the resources that its values are of (struct tool_resource, name) */
};

struct tool_prompt {
    const char *name; /* NULL: the end of a list */
    const char *title, *summary;
    struct tool_prompt_argument arguments[PROMPT_ARGUMENTS]; /* up to a name of NULL */
    const char *text;                                        /* with {name} for an argument */
};

struct dialect_tools {
    const char *name;    /* of its endpoint, /mcp/NAME, and before the names of its tools */
    const char *title;   /* for people */
    int place;           /* in lists of several services, the least first */
    const char *fields;  /* the query parameter that selects members of its responses; NULL: none */
    const char *compact; /* the one that is false for responses without whitespace; NULL: none has
                            any */
    const char *media;   /* the query of a request with a medium beside its body; NULL: none */
    const char *says_ok; /* below which path a refusal is a member "ok"; NULL: it is a status */
    bool by_address;     /* its accounts are addresses: who has none has no account there */
    unsigned services; /* bits of enum account_service (engine/http/principal.h): who has no account
                          with the vendor that has one of them has no account there; 0: any actor
                          may have one */
    const char *scope; /* that the world's authorization server gives for it; NULL: its tokens are
                          those of a sign-in of its own */
    const struct dialect *beside; /* whose methods tools of sets may call as well; NULL: none's */
    const struct tool_common *common;
    const struct tool_resource *resources;
    const struct tool_prompt *prompts;
    /* What the list of the caller's resources follows from. 1; 0: there is none; -1. */
    int (*watch_list)(struct tx *tx, const struct call *c, struct watched *ret);
};

/* Where a vendor signs people in for programs that find out by themselves. */
struct tools_signin {
    const char *authorize, *token, *revoke, *keys; /* paths */
    const char *clients; /* the section of seed documents that has those which register */
};

#endif

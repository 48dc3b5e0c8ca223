/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What programs beside the library know of a vendor: how its clients are pointed at a server here,
 * which credentials they load, and by which traces its secrets are known in traffic that is
 * recorded. cli/ and conformance/ read it; a vendor has it in its folder.
 */
#ifndef SOSIA_API_GUIDE_H
#define SOSIA_API_GUIDE_H

/* Lists are NULL-terminated; a member that is NULL: the vendor has none. */
struct traces {
    /* PCRE alternatives: tokens (no letter, digit, '_' or '-' precedes them), API keys (nor does
     * one of these follow). */
    const char *tokens, *keys;
    /* Names of members and parameters that hold a secret, a signature in a query, an API key;
     * compared without regard to case, '-' and '_'. */
    const char *const *secrets, *const *signatures, *const *key_names;
    /* Hosts of URLs whose last part lets whoever knows it write there. */
    const char *const *hooks;
    /* Domains, with all below them: of addresses that are things of the vendor's and not people,
     * and those that are the vendor's own, which no customer has. */
    const char *const *things, *const *domains;
    /* Headers, those that end with '*' all that begin so: of requests those that name programs and
     * no people, and others that a client sends by itself; of responses those that say something
     * about the service. */
    const char *const *programs, *const *unrecorded, *const *answers;
    const char *uid; /* how UIDs of events end that the vendor makes: "@acme.example" */
    /* The end of addresses as the vendor shortens it where it packs them into links, and what it
     * stands for: {"@a", "@acme.example", NULL}. */
    const char *const *short_ends;
    /* Texts in the bodies of refusals with status 403 by which these are limits of rate. */
    const char *const *limits;
};

struct guide {
    const char *origin;  /* of its APIs: "https://api.acme.example" */
    const char *request; /* the target of a first request: "/v1/notes" */
    const char *token;   /* the member of an actor's credential that it is made with; NULL: it is a
                          * token as tokens are issued */
    /* Lines that point a client of the vendor's at a server: "  Node    new Acme('${url}')\n".
     * "${url}" is the server's; other names are members of an actor's credential, and the lines are
     * for actors who have these. NULL-terminated. */
    const char *const *clients;
    const char *bearer;     /* how `serve --json` calls a token that such a client sends as it is */
    const char *credential; /* the kind of file (struct sosia_core) that has an actor's settings */
    const char
        *variables; /* of these in the environment of a command: "SOSIA_ACME_USER and more" */
    const char *scope_prefix; /* that names of scopes begin with, left out where people read them */
    const struct traces *traces;
};

#endif

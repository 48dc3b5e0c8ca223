/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who makes a call, as far as the door has to know it: an actor of the world, the app it acts
 * through, the kind and the scopes of its token. Who there is in a world, and what a credential
 * stands for, is a matter of the layer above: its core brings a resolver (struct sosia_core), and
 * an engine has that of the first core with one. Without any no credential is good.
 */
#ifndef SOSIA_HTTP_PRINCIPAL_H
#define SOSIA_HTTP_PRINCIPAL_H

#include "engine/world/tx.h"
#include "engine/world/scopes.h"

struct sosia_token_options;
struct token_claims;
struct worker;

struct actor {
    int64_t id;
    const char *handle; /* what documents and journals call it: unique in the world, never empty */
    const char *email;  /* lower case, unique in the world, aliases included; "": it has none */
    const char *kind;   /* person, bot, app, service, resource */
    const char *name;
    const char *zone;   /* IANA name */
    const char *locale; /* "en" */
    int64_t org;        /* 0: none */
};

/* Services that an account may have, as bits. */
enum account_service {
    ACCOUNT_CALENDAR = 1,
    ACCOUNT_MAIL = 2,
    ACCOUNT_DRIVE = 4,
    ACCOUNT_CHAT = 8
};

/* An actor's account with a vendor: it owns a mailbox, calendars, a drive, a chat user. */
struct account {
    int64_t id, actor;
    const char *vendor;
    const char *service; /* the id is for this one alone; "": for all of the vendor's */
    const char *tenant;  /* "": the vendor has none */
    const char *name;    /* the vendor's id; NULL: the dialect makes one of the address */
    unsigned services;   /* enum account_service */
    unsigned made;       /* those of the services that have what a new account gets */
    bool listed;         /* documents say so; it did not just come with the actor */
    bool prime;          /* the actor's address leads to it, whatever the routing of the domain */
};

/* A service that a vendor has for accounts, and what a new account gets: a mailbox with its
 * folders, a calendar. */
struct provision {
    const char *vendor;
    enum account_service service;
    const char *kinds; /* of actors that may have it: "person resource"; NULL: all */
    /* Actors of these kinds with an address have one without a document that says so, as long as it
     * lists no account of theirs with a vendor of this service. */
    bool usual;
    /* Makes it, once for each account that has the service. 0, -1. NULL: there is nothing to make.
     */
    int (*make)(struct tx *tx, const struct account *account, const struct actor *actor);
};

/* Kinds of tokens, as bits: a method's row may ask for some of them (struct route). */
enum token_kind {
    TOKEN_USER = 1, /* acts as a person */
    TOKEN_BOT = 2,  /* as the bot of an app */
    TOKEN_APP = 4   /* as the app itself: a service account, an app's own permissions */
};

/* Whom a credential stands for. Strings live as long as the call. */
struct principal {
    struct actor actor;
    int64_t app;     /* that it acts through; 0: none */
    int64_t account; /* the actor's account that the token is for; 0: none is named */
    enum token_kind kind;
    struct scopes scopes;
    int64_t expires_us; /* 0: never */
};

/* What the door and the public interface ask of whoever keeps the identities of worlds. All run in
 * a transaction; -1 with tx->err filled. */
struct resolver {
    /* Whom a token stands for, before anything is written. claims: what an engine's signature
     * vouches for; NULL: the engine did not sign it. k: may keep what was found in k->known. -1
     * UNAUTHENTICATED with the reason "expired", "revoked" or "invalid" if it is not good. */
    int (*resolve)(struct tx *tx, struct worker *k, const char *token,
                   const struct token_claims *claims, struct principal *ret);
    /* The actor of that handle, address or alias. 1, 0 nobody, -1. */
    int (*find)(struct tx *tx, const char *name, struct actor *ret);
    /* Makes a token for an actor; stored: as a row of the world, else a signed one. */
    int (*issue)(struct tx *tx, const struct actor *actor, const struct sosia_token_options *opt,
                 bool stored, int64_t expires_us, char *ret_token, size_t size);
    /* Ends a token. NOT_FOUND: it was not valid. */
    int (*revoke)(struct tx *tx, const char *token, const struct token_claims *claims);
    /* What a link to agree with proves an actor with, as a row of the world; in the arena. */
    int (*link)(struct tx *tx, const struct actor *actor, int64_t expires_us,
                const char **ret_secret);
    /* May programs register? 1, 0, -1. */
    int (*registration)(struct tx *tx);
    /* Writes the actors behind the id `after` as an array; limit 0: all. */
    int (*list)(struct tx *tx, int64_t after, int limit, struct json_writer *w);
};

/* The resolver of the transaction's engine; NULL with tx->err filled: it has none. */
const struct resolver *resolver_of(struct tx *tx);

/* Tokens of one actor in many worlds, such as forks of one: whom they stand for is looked up in the
 * first world, and anew where the rows are not those of the world before. Each is what
 * sosia_token_issue() gives with these options, which must outlive the series. */
struct token_series;
int token_series_new(struct sosia_engine *e, const struct sosia_token_options *opt,
                     struct token_series **ret_series, struct sosia_err *err);
void token_series_free(struct token_series *s);
int token_series_issue(struct token_series *s, uint64_t world, char *ret_token, size_t size,
                       struct sosia_err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the hosted API share: a call, sandboxes, tenants, services. */
#ifndef SOSIA_HOSTED_IMPL_H
#define SOSIA_HOSTED_IMPL_H

#include "engine/api/router.h"
#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/codec.h"
#include "engine/base/err.h"
#include "engine/base/map.h"
#include "engine/http/call.h"
#include "engine/json/json.h"
#include "engine/text/civil.h"
#include "hosted/hosted.h"
#include "mcp/servers/carried.h"
#include <pthread.h>
#include <stdatomic.h>

struct hosted_call;

#define UUID_TEXT 37 /* with the NUL */

/* ---- services ---- */

/* What a service's payload becomes, and what its state is as a payload. */
struct service {
    const char *name;     /* of its server: "google_calendar" */
    const char *vendor;   /* whose account a sandbox of it has */
    const char *endpoint; /* of tools: "/mcp/calendar" */
    const char *tools;    /* the set of tools there */
    const char *probe; /* a GET that says "ok" to those who have an account; NULL: all have one */
    const struct schema *data;
    const char *defaults; /* a payload: what init_default_data loads */
    /* Writes sections of a seed document into an open object, and counts what they make. -1: the
     * call has faults, or c->err is filled. */
    int (*seed)(struct hosted_call *c, const struct json *data, struct json_writer *w);
    /* Writes the members of a payload into an open object. -1: c->err. */
    int (*dump)(struct hosted_call *c, struct json_writer *w);
    const char *part; /* of its vendor's account: "calendar" (seed.md, accounts); NULL: it needs
                         none */
    bool alone;       /* its tools are those of another: it is a sandbox's only server, never one of
                         several */
};
extern const struct service services[];
extern const size_t n_services;
/* Of a name in any case; NULL: there is no such server here. */
const struct service *service_named(const char *name);

/* ---- tenants ---- */

struct tenant {
    char name[TENANT_NAME_MAX + 1];
    char key[TENANT_KEY_MAX + 1];
    int64_t max_sandboxes, max_bytes, max_calls;
    /* Under the registry's mutex. */
    int64_t n_sandboxes;
    int64_t n_streams;          /* of E2B's (e2b/stream.c) */
    int64_t bytes, bytes_at_us; /* as they were counted, and when */
    int64_t tokens_us;          /* of the bucket of calls: time that they may take */
    int64_t filled_us;
};

/* ---- sandboxes ---- */

enum sandbox_kind { KIND_SANDBOX, KIND_UNIVERSE, KIND_LOCAL, KIND_E2B, KIND_E2B_SNAPSHOT };

/* Never changed but for `updated_us`, and `token`, `upload`, `pause_us` and `released`, which are
 * changed under the registry's mutex, as `named` and `named_token`; all but `released` are read
 * under it too. Freed when the last reference is given back. */
struct sandbox {
    _Atomic int refs;
    enum sandbox_kind kind;
    char id[UUID_TEXT];       /* with the tenant's key: what is done with it */
    char instance[UUID_TEXT]; /* alone: its tools */
    struct tenant *tenant;
    const struct service *service; /* NULL: all of a universe */
    uint64_t world;
    int64_t created_us;
    _Atomic int64_t updated_us;
    _Atomic bool released;
    char token[SOSIA_TOKEN_MAX];                   /* of its person; "": not issued yet */
    char named[255], named_token[SOSIA_TOKEN_MAX]; /* the last other person, and theirs; "": none */
    const char *person;                            /* the address of its account */
    const char *tag, *benchmark, *universe;        /* NULL: none */
    const char *servers; /* of a local one: "filesystem=UUID gmail=UUID" */
    const char *more;    /* of one of E2B's: what it was made with, JSON (e2b/e2b.h) */
    int64_t pause_us;    /* the same: it is paused from then on, by real time; 0: it is not */
    uint64_t upload;     /* a world with the files that it is to be initialized with; 0: none */
    char text[];         /* of these */
};

/* What a new one has; strings are copied. */
struct sandbox_new {
    enum sandbox_kind kind;
    const struct service *service;
    const char *person, *tag, *benchmark, *universe, *servers, *more;
    int64_t pause_us;
    int64_t ttl_us;  /* 0: for ever */
    uint64_t from;   /* the world that it is a fork of */
    bool evaluation; /* all its calls are in the journal */
    bool keep_clock; /* that of `from`; else the server's usual one */
};

/* ---- the service ---- */

struct base {
    uint64_t world;
    int64_t made_us; /* 0: not yet */
};
/* The accounts that a sandbox's person has, as bits; bases are at the place of theirs. */
#define ACCOUNTS_GOOGLE    1u
#define ACCOUNTS_SLACK     2u
#define ACCOUNTS_MICROSOFT 4u
#define ACCOUNTS_BOTH      (ACCOUNTS_GOOGLE | ACCOUNTS_MICROSOFT)
#define ACCOUNTS_ALL       (ACCOUNTS_BOTH | ACCOUNTS_SLACK)
#define N_BASES            8

struct universe;
struct ticket;
struct execution;

struct hosted {
    struct hosted_options options;
    struct sosia_engine *engine;
    bool durable;
    struct router *router;
    struct tenant tenants[TENANTS_MAX];
    size_t n_tenants;
    pthread_mutex_t bases_lock;
    struct base bases[N_BASES];
    pthread_mutex_t lock; /* the registry's: over what follows, and never while an engine works */
    struct map by_id, by_instance; /* of struct sandbox, each with a reference */
    struct ticket *tickets;        /* local.c */
    struct execution *executions;  /* execute.c */
    struct e2b_stream *streams;    /* e2b/stream.c; under lock */
    size_t n_streams;              /* with those that are about to begin; under lock */
    struct e2b_watch *watches;     /* e2b/watch.c; under lock */
    _Atomic bool stopping;
    bool locals_known; /* under bases_lock: which servers of local sandboxes have tools */
    uint64_t locals;
    struct service carried[CARRIED_MAX]; /* local.c */
    struct universe *universes;
    size_t n_universes;
};

struct hosted_call {
    struct call call; /* first: what the row's handler is given */
    struct hosted *h;
    const struct server_request *request;
    struct server_response *response;
    struct arena arena; /* until the handler returns */
    struct match match;
    struct tenant *tenant;
    const struct json *body;       /* NULL: none, or null */
    bool e2b;                      /* refusals are in E2B's form: {"code", "message"} */
    struct sandbox *sandbox;       /* of the path; given back when the handler has returned */
    const struct service *service; /* whose payload is read or written */
    struct buf faults;             /* of the request: items of "detail" */
    struct json_writer fault_writer;
    int n_faults;
    const char *fault_text; /* the first of them, with its place */
    int64_t n_made[4];      /* by the seed of a service, under the names of made[] */
    const char *made[4];
    size_t n_kinds;
    const char *token; /* that dumps read with */
    struct sosia_err err;
};

static inline struct hosted_call *hosted_of(struct call *call)
{
    return (struct hosted_call *)call;
}

/* ---- answer.c: answers in the form of the framework that the service is made with ---- */

/* {"detail": "..."}, or what E2B has in its place; gives 0. */
__attribute__((format(printf, 3, 4))) int hosted_refuse(struct hosted_call *c, int status,
                                                        const char *fmt, ...);
/* 429: so many seconds must pass before the tenant's next call; gives 0. */
int hosted_busy(struct hosted_call *c, int64_t wait_s);
/* 429: the tenant's sandboxes hold too many bytes, or are too many; both give 0. */
int hosted_full(struct hosted_call *c);
int hosted_many(struct hosted_call *c);
/* Answers with the failure of the engine that c->err is; gives 0. */
int hosted_failed(struct hosted_call *c);
/* 422 with the faults of the call; gives 0. */
int hosted_faults(struct hosted_call *c);
int hosted_answer(struct hosted_call *c, int status, struct buf *body);
/* Begins an object that is the answer's body. */
void hosted_begin(struct buf *b, struct json_writer *w);
/* 2026-02-16T12:45:25.770231+00:00 */
void hosted_time(struct json_writer *w, const char *key, int64_t us);

/* ---- check.c: requests held against their models ---- */

/* A place in a request. */
struct place {
    const struct place *outer; /* NULL: the first */
    const char *name;          /* NULL: an item */
    uint32_t item;
};
#define FAULTS_MAX 100 /* that an answer has */
/* Notes a fault: its kind, what is wrong, the value (NULL: none), and of the model what it says of
 * it (JSON of an object; NULL: nothing). */
void fault(struct hosted_call *c, const struct place *at, const char *kind, const char *text,
           const struct json *value, const char *context);
/* A fault of a value that has its type: "Value error, ...". */
__attribute__((format(printf, 4, 5))) void fault_value(struct hosted_call *c,
                                                       const struct place *at,
                                                       const struct json *value, const char *fmt,
                                                       ...);
/* Holds a value against a model, all of it; unknown members are passed over unless strict. */
void check_model(struct hosted_call *c, const struct schema *s, const struct json *value,
                 const struct place *at, bool strict);
/* NAME@HOST.DOMAIN */
bool is_address(const char *text);
/* The call's parameters of path and query; its body, which becomes c->body. -1: c->err. */
int check_request(struct hosted_call *c);
/* Of the path, decoded and in the arena; of the query, NULL: not given. */
const char *hosted_path(struct hosted_call *c, const char *name);
const char *hosted_query(struct hosted_call *c, const char *name);
bool hosted_query_true(struct hosted_call *c, const char *name);
/* What a value that was checked is, however it was written. */
bool lax_true(const struct json *v);
int64_t lax_int(const struct json *v);

/* ---- tenant.c ---- */

int tenants_open(struct hosted *h, struct sosia_err *err);
/* Whose key it is; NULL: nobody's. Takes as long for any. */
struct tenant *tenant_of(struct hosted *h, const char *key);
struct tenant *tenant_named(struct hosted *h, const char *name);
/* One call more. 0, or the seconds after which it may come again. */
int64_t tenant_call(struct hosted *h, struct tenant *t);
/* Whether what its sandboxes hold is beyond its bound. fresh: counted now, else a second ago at
 * most. */
bool tenant_full(struct hosted *h, struct tenant *t, bool fresh);

/* ---- hosted.c ---- */

extern const struct vendor hosted_vendor;
/* A field of the request's head; NULL: absent. */
const char *hosted_header(const struct server_request *request, const char *name);

/* ---- registry.c ---- */

/* From the process's random source. -1: c->err. */
int random_uuid(char ret_text[UUID_TEXT], struct sosia_err *err);
int registry_find_all(struct hosted *h, struct sosia_err *err);
void registry_done(struct hosted *h);
/* A new one, with its world, in the registry. NULL: c->err, or refused (429) and *ret_refused. */
struct sandbox *sandbox_make(struct hosted_call *c, const struct sandbox_new *n, bool *ret_refused);
/* With a reference; NULL: the tenant has none of that id, or its life is over. */
struct sandbox *sandbox_take(struct hosted *h, const struct tenant *t, const char *id);
/* The same of any tenant's by its instance. */
struct sandbox *sandbox_of_instance(struct hosted *h, const char *instance);
void sandbox_give(struct sandbox *s);
struct sandbox *sandbox_ref(struct sandbox *s); /* NULL is fine, also to give back */
/* Ends it. 1; 0: somebody else has; -1: c->err, and it is there still. */
int sandbox_release(struct hosted_call *c, struct sandbox *s);
/* Notes a change, in its record too. */
int sandbox_changed(struct hosted_call *c, struct sandbox *s);
/* The sandboxes of a tenant, oldest first, each with a reference, in the arena. */
size_t sandbox_list(struct hosted_call *c, const struct tenant *t, struct sandbox ***ret);
/* A token of its person, in the arena; NULL: c->err. */
const char *sandbox_token(struct hosted_call *c, struct sandbox *s);
/* The same of another person of its world; kept, so that one who calls again needs no new one. */
const char *sandbox_token_of(struct hosted_call *c, struct sandbox *s, const char *person);
/* Where its tools are, in the arena. service: one of a universe's; NULL: its own. */
const char *sandbox_url(struct hosted_call *c, const struct sandbox *s, const struct service *of);

/* ---- world.c: what sandboxes begin with, and calls to them ---- */

/* The account that a service's vendor gives; 0: it needs none. */
unsigned accounts_of(const struct service *service);
/* The world with a person's accounts that sandboxes are forks of. */
int base_take(struct hosted_call *c, unsigned accounts, uint64_t *ret_world);
/* The same with another address, to be dropped. */
int base_make(struct hosted_call *c, unsigned accounts, const char *email, uint64_t *ret_world);
extern const char usual_person[];
int64_t real_us(void);
/* GETs a target (path and query) of a service as the sandbox's person; the answer is in the arena.
 * ret: JSON; or ret_text: as it is, where it is at most max bytes (NULL else). -1: c->err. */
int world_get(struct hosted_call *c, const char *target, const struct json **ret);
/* The same in the form that the field "Prefer" says. */
int world_get_as(struct hosted_call *c, const char *target, const char *prefer,
                 const struct json **ret);
/* All items of a list of Graph's, page by page, in the arena. */
struct listed {
    const struct json **items;
    size_t n, cap;
};
int world_pages(struct hosted_call *c, const char *target, struct listed *ret);
/* A text as it is in a query, in the arena. */
const char *escaped(struct hosted_call *c, const char *text);
/* The sandbox's own time, in microseconds. */
int world_time(struct hosted_call *c, int64_t *ret_us);
/* The text of a member; NULL: it is absent, null or empty. */
const char *filled(const struct json *obj, const char *name);
/* A copy whose lines end with a line feed alone, in the arena. */
char *plain_lines(struct hosted_call *c, const char *text);
/* Puts '?' in the place of what is no UTF-8. False: there was some. */
bool make_utf8(char *text, size_t len);
/* Items of a member that may be null. */
uint32_t items_of(const struct json *obj, const char *name, const struct json **ret_items);
/* POSTs JSON to a target of a world with a token; the answer, JSON, is in the arena. */
int world_post(struct hosted_call *c, uint64_t world, const char *token, const char *target,
               const char *body, const struct json **ret);
/* Of a world that is no sandbox's, with a token of its own. */
int world_ask(struct hosted_call *c, uint64_t world, const char *token, const char *target,
              const struct json **ret);
int world_text(struct hosted_call *c, const char *target, size_t max, const char **ret_text,
               size_t *ret_len);

/* So many records of a kind are made of the payload. */
static inline void count_made(struct hosted_call *c, const char *kind, int64_t n)
{
    c->made[c->n_kinds] = kind;
    c->n_made[c->n_kinds++] = n;
}

/* ---- handlers ---- */

/* sandbox.c */
extern const struct rows hosted_sandbox_rows;
int hosted_prepare(struct call *call);
int hosted_list(struct call *call);
int hosted_acquire(struct call *call);
int hosted_get(struct call *call);
int hosted_release(struct call *call);
int hosted_reset(struct call *call);
/* payload.c */
int hosted_initialize(struct call *call);
int hosted_dump(struct call *call);
/* tools.c */
int hosted_list_tools(struct call *call);
int hosted_call_tool(struct call *call);
int hosted_tools_of(struct call *call);
/* A message to the tools of an instance: gives SERVER_FORWARD, or 0 with a refusal. */
bool tools_are_for(const char *path);
int tools_forward(struct hosted_call *c);
/* What a world has of tools for a person: *ret, else *ret_why. */
int tools_listed(struct hosted_call *c, uint64_t world, const char *person,
                 const struct service *service, const struct json **ret, const char **ret_why);
/* universe.c */
/* Whether a sandbox is an instance whose universe has this server. */
bool universe_has(struct hosted *h, const struct sandbox *s, const struct service *service);
int universes_open(struct hosted *h, struct sosia_err *err);
void universes_close(struct hosted *h);
int hosted_universes(struct call *call);
int hosted_universe_data(struct call *call);
int hosted_universe_start(struct call *call);
int hosted_universe_task(struct call *call);
int hosted_universe_verify(struct call *call);
int hosted_universe_release(struct call *call);

/* local.c */
#define ARCHIVES       "/local-sandbox/archive/"
#define ARCHIVE_US     (INT64_C(1800) * US_PER_SECOND)
#define EXECUTION_NAME 64 /* bytes of one's name */
/* The local sandbox of the path: c->sandbox. False: 404 is the answer. */
bool hosted_local_take(struct hosted_call *c);
/* An address to send an archive to or fetch one from, in the arena; NULL: c->err. execution: what
 * it is sent for; "": the workspace. */
const char *ticket_new(struct hosted_call *c, bool upload, uint64_t world, const char *execution);
/* Answers with one; NULL: with c->err. */
int hosted_local_url(struct hosted_call *c, const char *name, const char *url);
int hosted_local_acquire(struct call *call);
int hosted_local_list(struct call *call);
int hosted_local_get(struct call *call);
int hosted_local_reset(struct call *call);
int hosted_local_release(struct call *call);
int hosted_local_upload_url(struct call *call);
int hosted_local_initialize(struct call *call);
int hosted_local_dump(struct call *call);
int hosted_archive_put(struct call *call);
int hosted_archive_get(struct call *call);
/* The local sandbox of the path, or the one that has the server of the path's id: c->sandbox, and
 * c->service with a payload. False: 404 is the answer. */
bool hosted_local_take_server(struct hosted_call *c);
/* Whether the accounts of its person are Microsoft's alone, so that mail is in folders. */
bool local_has_folders(struct hosted_call *c, const struct sandbox *s);
/* A server that a local sandbox has; NULL: it has none of that name. */
const struct service *local_server(struct hosted_call *c, const struct sandbox *s,
                                   const char *name);
/* Whether a path is an address that an archive may be sent to. */
bool archive_is_known(struct hosted *h, const char *path);
/* Bytes that what a tenant has asked to be dumped holds, until its addresses end. */
int64_t tickets_size(struct hosted *h, const struct tenant *of);
void tickets_free(struct hosted *h);
/* execute.c */
int hosted_execution_url(struct call *call);
int hosted_execute(struct call *call);
int hosted_execution_status(struct call *call);
int hosted_execution_logs(struct call *call);
int hosted_export_artifacts(struct call *call);
/* Its archive has been sent: a world with the files. */
int execution_sent(struct hosted_call *c, const char *name, uint64_t world);
/* Bytes that a tenant's hold. */
int64_t executions_size(struct hosted *h, const struct tenant *of);
/* Ends those that run. */
void executions_free(struct hosted *h);
/* archive.c */
/* A world with the files of an archive, which ends by itself. -1: c->err, INVALID. */
int archive_read(struct hosted_call *c, const char *data, size_t len, uint64_t *ret_world);
/* Puts the files of one world over those of another. */
int archive_apply(struct hosted_call *c, uint64_t from, uint64_t to);
/* A fork that ends by itself. */
int archive_fork(struct hosted_call *c, uint64_t world, uint64_t *ret_fork);
/* Reads one into the arena, ended by a NUL. */
int archive_file(struct hosted_call *c, uint64_t world, const char *path, const char **ret_text,
                 size_t *ret_len);
/* Writes those of a world as tar.gz. */
int archive_write(struct hosted_call *c, uint64_t world, struct buf *to);

/* schema.c */
extern const struct schema hosted_schemas[];
extern const size_t n_hosted_schemas;
extern const char *const benchmarks[];
extern const struct schema calendar_data, gmail_data, drive_data, slack_data, outlook_calendar_data,
    outlook_mail_data, onedrive_data, teams_data, documents_data, sheets_data, poste_data,
    poste_user;

/* calendar.c, documents.c, gmail.c, drive.c, slack.c, outlook.c, onedrive.c, teams.c */
int payload_to_calendar(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_calendar(struct hosted_call *c, struct json_writer *w);
int payload_to_documents(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_documents(struct hosted_call *c, struct json_writer *w);
int payload_to_sheets(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_sheets(struct hosted_call *c, struct json_writer *w);
int payload_to_gmail(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_gmail(struct hosted_call *c, struct json_writer *w);
int payload_to_drive(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_drive(struct hosted_call *c, struct json_writer *w);
int payload_to_slack(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_slack(struct hosted_call *c, struct json_writer *w);
int payload_to_onedrive(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_onedrive(struct hosted_call *c, struct json_writer *w);
int payload_to_teams(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_teams(struct hosted_call *c, struct json_writer *w);
int payload_to_outlook_calendar(struct hosted_call *c, const struct json *data,
                                struct json_writer *w);
int payload_of_outlook_calendar(struct hosted_call *c, struct json_writer *w);
int payload_to_outlook_mail(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_outlook_mail(struct hosted_call *c, struct json_writer *w);
/* poste.c */
#define POSTE "poste_email_toolathlon"
int payload_to_poste(struct hosted_call *c, const struct json *data, struct json_writer *w);
int payload_of_poste(struct hosted_call *c, struct json_writer *w);
extern const char poste_defaults[];
/* The token with which a message to the server's tools goes on: that of the person whom a field of
 * its head names (config; NULL: absent), else of the sandbox's own. NULL: c->err, or *ret_why. */
const char *poste_token(struct hosted_call *c, const char *config, const char **ret_why);

#endif

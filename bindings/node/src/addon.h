/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Node-API addon: libsosia's functions as functions of JavaScript, without classes. What people
 * use is made of them in lib/ (engine.cjs). An engine is a number there, a world two numbers of 32
 * bits, a stream or a suite an external.
 *
 * Each environment (the main thread, each worker) has its own engines. A function reads its
 * arguments through struct args, which remembers the first that is wrong: it is thrown as a
 * TypeError, and nothing is called.
 */
#ifndef SOSIA_NODE_ADDON_H
#define SOSIA_NODE_ADDON_H

#define NAPI_VERSION 8
#include <node_api.h>
#include <pthread.h>
#include <sosia.h>
#include <stdatomic.h>

/* Of an environment. */
struct engine_slot {
    struct sosia_engine *engine; /* NULL: closed */
    struct inst *inst;
    uint32_t id;
    unsigned busy; /* calls that threads have not finished */
    bool watched;
};

/* What an engine has given out and must get back before it is closed (held.c): the first member of
 * a stream, a session, a spool. */
struct held {
    struct inst *inst; /* NULL: the environment has ended */
    struct engine_slot *slot;
    const struct held_kind *kind;
    struct held *prev, *next;
    uint32_t id;
};

struct held_kind {
    const char *name;
    napi_type_tag tag;
    void (*end)(struct held *held);  /* gives back what is the engine's; may come again */
    void (*free)(struct held *held); /* the rest, when JavaScript has it no more */
};

/* Something that other threads have to say to JavaScript, in the order in which it happened. */
struct note {
    struct note *next;
    enum note_kind { NOTE_DONE, NOTE_OUTBOX, NOTE_WAKE } kind;
    uint32_t id; /* of the engine, or the stream */
    uint64_t world;
    int64_t first, last;
    struct promise *promise;
};

/* Of the last plain call, since most of a program's have the same ones. */
enum { SHORT_FIELDS = 24, KEPT_TEXT = 1024 };
struct kept_fields {
    char text[KEPT_TEXT];
    struct sosia_header list[SHORT_FIELDS];
    size_t n;
    int32_t serial; /* which they are; 0: none */
};

struct inst {
    napi_env env;
    napi_ref error;   /* the class SosiaError */
    napi_ref on_note; /* called with kind, id, world, first, last */
    napi_ref chunk;   /* answers are written into it, one behind the other */
    napi_ref numbers; /* of the last answer and of a plain call: what NUMBER_ names */
    int32_t *number;
    struct kept_fields kept;
    int32_t last_serial;
    char *chunk_data;
    size_t chunk_size, chunk_used;
    struct engine_slot **slots;
    uint32_t n_slots;
    struct held *held;
    uint32_t next_held;
    unsigned waits;     /* for which the process stays */
    atomic_uint queued; /* notes that were not taken */
    bool stays;         /* the process stays for them */
    napi_threadsafe_function notify;
    pthread_mutex_t lock; /* of the rest */
    bool ended;           /* nobody can be notified any more */
};

enum {
    NUMBER_STATUS,
    NUMBER_HEAD,
    NUMBER_AT,
    NUMBER_BODY,
    NUMBER_ROOM,
    NUMBER_FIELDS, /* inst->kept.serial */
    NUMBER_ENGINE, /* of a plain call: an engine, a world as two numbers, a method */
    NUMBER_HIGH,
    NUMBER_LOW,
    NUMBER_METHOD,
    NUMBERS
};

/* ---- arguments (args.c) ---- */

enum { ARGS_MAX = 12 };
struct spool;

struct args {
    napi_env env;
    struct inst *inst;
    napi_value v[ARGS_MAX];
    size_t n;
    void *heap; /* freed by args_done() */
    bool failed;
};

/* How many there are is the caller's concern: those that are missing are undefined. */
void args_begin(struct args *a, napi_env env, napi_callback_info info);
/* Frees what the arguments took; gives back v, or NULL if something was thrown. */
napi_value args_done(struct args *a, napi_value v);
void *args_alloc(struct args *a, size_t size);
/* Throws a TypeError, unless something is thrown already. */
void args_fail(struct args *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Throws a SosiaError of what the library says. */
void args_throw(struct args *a, const struct sosia_err *err);
void throw_err(struct inst *inst, const struct sosia_err *err);
napi_value error_of(struct inst *inst, const struct sosia_err *err);

struct sosia_engine *arg_engine(struct args *a, size_t i);
struct engine_slot *arg_slot(struct args *a, size_t i);
/* The engine of a number, or NULL with something thrown; i: the argument that it is, for what is
 * said. */
struct engine_slot *slot_of(struct args *a, double id, size_t i);
/* A world is two arguments. */
uint64_t arg_world(struct args *a, size_t i);
/* A string without NUL; NULL: undefined or null. ret_len may be NULL. */
const char *arg_text(struct args *a, size_t i, const char *name, size_t *ret_len);
/* Like it, where there must be one. */
const char *arg_need(struct args *a, size_t i, const char *name, size_t *ret_len);
/* A string, in which there may be NUL, or bytes. NULL: undefined or null. */
const char *arg_bytes(struct args *a, size_t i, const char *name, size_t *ret_len);
int64_t arg_int(struct args *a, size_t i, const char *name, int64_t otherwise);
bool arg_bool(struct args *a, size_t i, const char *name);
/* Members of an object, by its index among the arguments. An object that is missing has none. */
const char *opt_text(struct args *a, size_t i, const char *name, size_t *ret_len);
const char *opt_bytes(struct args *a, size_t i, const char *name, size_t *ret_len);
int64_t opt_int(struct args *a, size_t i, const char *name, int64_t otherwise);
bool opt_bool(struct args *a, size_t i, const char *name);
bool opt_has(struct args *a, size_t i, const char *name);
/* Fields "name\nvalue\n..." as headers; NULL: they are malformed, and something is thrown. */
struct sosia_header *split_fields(struct args *a, char *text, size_t *ret_n);

napi_value js_text(struct args *a, const char *text, size_t len);
napi_value js_world(struct args *a, uint64_t world);
napi_value js_int(struct args *a, int64_t value);
napi_value js_bool(struct args *a, bool value);
napi_value js_undefined(struct args *a);
/* The text of a blob, which is freed. */
napi_value js_blob(struct args *a, struct sosia_blob *blob);
void js_set(struct args *a, napi_value object, const char *name, napi_value value);

/* ---- the rest ---- */

/* Puts a note for JavaScript; frees it where nobody can be notified. From any thread. */
void inst_notify(struct inst *inst, struct note *note);
/* Whether the process stays for something that others will say; each stay is ended once. */
void inst_stay(struct inst *inst, bool stay);
/* The process stays for the notes that there are. */
void inst_hold(struct inst *inst);
void promise_settle(struct inst *inst, struct promise *promise);
void promise_free(struct promise *promise);
void engines_end(struct inst *inst);

/* Makes h, which lives as long as the external that is given, one of its engine's. NULL: there is
 * no memory, and h is the caller's still. */
napi_value held_new(struct inst *inst, struct engine_slot *slot, struct held *h,
                    const struct held_kind *kind);
/* Those of an engine; slot NULL: all of the environment. */
void held_end_all(struct inst *inst, struct engine_slot *slot);
bool is_held(struct args *a, size_t i, const struct held_kind *kind);
/* NULL: something else, and it is thrown. */
void *arg_held(struct args *a, size_t i, const struct held_kind *kind);
/* Puts a note NOTE_WAKE with its id. From any thread. */
void held_notify(const struct held *h);

/* An external of what the response still has to give, which is the stream's then; NULL: there is no
 * memory, and the response is freed. */
napi_value stream_new(struct inst *inst, struct engine_slot *slot, struct sosia_response *response);

/* The spool of argument i, of this engine and in no call: NULL: it is none, or, with something
 * thrown, is not good. */
struct spool *arg_spool(struct args *a, size_t i, const struct engine_slot *slot);
struct sosia_spool *spool_inside(const struct spool *s);
/* While another thread makes a call with it, it can't be written or freed. NULL: does nothing. */
void spool_use(struct spool *s, bool use);

/* ---- requests (request.c) ---- */

enum { SHORT_TEXT = 4096 };

/* Of a request the texts that are short, which most are. */
struct shorts {
    char text[SHORT_TEXT], body[SHORT_TEXT];
    struct sosia_header fields[SHORT_FIELDS];
    struct spool *spool; /* where the body is */
    size_t used;
};

/* (engine, world[2], method, target, fields, body, baseUrl): the request borrows from the arguments
 * and from s. NULL: something is thrown. */
struct engine_slot *arg_request(struct args *a, struct shorts *s, struct sosia_request *r);
/* (target, fields), the rest in the numbers; fields undefined: the kept ones. */
struct engine_slot *arg_plain(struct args *a, struct shorts *s, struct sosia_request *r);

/* A session that is about to be opened, as an external: what it is sent is kept for sessionTake(),
 * and a note says so. NULL: something is thrown. */
struct session *session_new(struct inst *inst, struct engine_slot *slot, napi_value *ret_external);
/* Opens it; its answer is the caller's. */
int session_open(struct session *s, uint64_t world, const struct sosia_request *request,
                 struct sosia_response **ret_response, struct sosia_err *err);
/* Its number, which notes have; -1: the service has refused it. */
int64_t session_number(const struct session *s);

struct native {
    const char *name;
    napi_callback fn;
};
extern const struct native engine_natives[], world_natives[], journal_natives[], call_natives[],
    stream_natives[], session_natives[], spool_natives[];

#endif

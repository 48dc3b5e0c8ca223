/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transaction under way in a world: what domain logic works with. It knows no HTTP and no vendor.
 * Functions of the cores take it first and, when they fail, leave the reason in tx->err.
 */
#ifndef SOSIA_WORLD_TX_H
#define SOSIA_WORLD_TX_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/err.h"
#include "engine/json/json.h"
#include "engine/store/sql.h"

struct world;
struct delivered;
struct world_event;
struct later;
struct tx_place;

/* What was read in a transaction that changes nothing and is asked for again: the last few of what
 * several things that are looked at one after another have to do with. */
struct tx_memo {
    const struct arena *arena; /* that the values are in: with another one it is as if empty */
    unsigned n;                /* remembered so far; the oldest are forgotten */
    struct {
        const void *kind; /* whatever the core that asks has one of */
        int64_t id;
        void *value;
        size_t size;
    } known[8];
};

/* A frame for sessions that are open when the transaction is over, and for nobody later: it is kept
 * nowhere. In the arena. */
struct announcement {
    struct announcement *next;
    const char *text;
    const int64_t *numbers; /* of the sessions, in order */
    size_t n;
};

struct tx {
    struct sosia_engine *engine;
    struct world *world;
    struct slot *db;       /* a connection in a transaction on the world */
    struct arena *arena;   /* everything built lives here, until the transaction is over */
    int64_t now_us;        /* the world's time; the same throughout */
    struct sosia_err *err; /* never NULL */
    bool write;
    int64_t actor, app;                      /* on whose behalf; 0: nobody's */
    struct world_event *events, *last_event; /* not delivered yet, oldest first (world/event.h) */
    int64_t n_events;                        /* raised so far */
    struct delivered *delivered;             /* delivered, newest first (world/part.h) */
    struct later *later;                     /* newest first; see tx_later() */
    int64_t outbox_first, outbox_last;       /* of what it put into the outbox; 0: nothing */
    struct announcement *announced, *last_announced; /* oldest first; see session_announce() */
    struct tx_memo *memo;                            /* NULL: nothing is remembered */
    struct tx_taken *taken; /* ids, by it and by copies of it (world/places.h) */
    bool fired;             /* it fell due: before a call, or beside it */
    unsigned n_short;       /* buf_short() when it began */
    bool undone;     /* the work, with what was made for it: what is committed does not need that */
    bool send_twice; /* deliveries that it adds are added twice */
};

/* There was no memory for something that was made in it: texts may be lacking, or be scratch
 * memory of the arena. */
static inline bool tx_is_short(const struct tx *tx)
{
    return arena_failed(tx->arena) || buf_short() != tx->n_short;
}

/* What was remembered under the kind and the id, until something else is; NULL: nothing. */
static inline const void *tx_recall(const struct tx *tx, const void *kind, int64_t id)
{
    const struct tx_memo *m = tx->memo;
    if (!m || m->arena != tx->arena)
        return NULL;
    for (unsigned i = 0; i < SOSIA_LEN(m->known) && i < m->n; i++)
        if (m->known[i].kind == kind && m->known[i].id == id)
            return m->known[i].value;
    return NULL;
}
/* Copies the value; what it points to must live as long as the arena. */
void tx_remember(struct tx *tx, const void *kind, int64_t id, const void *value, size_t size);

/* Fills tx->err, gives -1. */
#define tx_fail(tx, code, reason, where, ...)                                                      \
    sosia_fail((tx)->err, (code), (reason), (where), __VA_ARGS__)

/* n bytes that look random, from the stream of this kind ("event", "channel") of the world: the
 * same for the same seed and the same number of earlier ids of the kind. Needs a write transaction.
 * -1 on failure. */
int tx_id(struct tx *tx, const char *kind, void *ret_bytes, size_t n);
/* The same for a part of something whose own name is unique in the world: no other one's part has
 * them, though a world that was made of a dump counts its streams anew. */
int tx_id_within(struct tx *tx, const char *kind, const char *whole, void *ret_bytes, size_t n);
/* The same for what opens something to whoever knows it: codes, tokens, tickets, sessions of
 * uploads, links. They come from the world's secret too, so that nobody can compute them who knows
 * its document and its seed. */
int tx_secret(struct tx *tx, const char *kind, void *ret_bytes, size_t n);
int tx_secret_within(struct tx *tx, const char *kind, const char *whole, void *ret_bytes, size_t n);
/* At most 32 bytes of that sort that belong to something of the world for good, by its name: in no
 * stream, and in a transaction that reads too. */
int tx_secret_of(struct tx *tx, const char *kind, const char *name, void *ret_bytes, size_t n);
/* What the transaction is at a savepoint, in its arena, and back to that where the savepoint is
 * rolled back: events and ids behind it are not. */
struct tx_mark *tx_mark(struct tx *tx);
void tx_back(struct tx *tx, const struct tx_mark *mark);
/* The number of the next one of a kind, from 1. */
int tx_number(struct tx *tx, const char *kind, int64_t *ret);
/* The same of a kind whose last number the caller has: last + 1, or where the journal's entry that
 * runs again had it. */
int tx_counted(struct tx *tx, const char *kind, int64_t last, int64_t *ret);

/* Something falls due at a time of the world's clock: the core of that name gets it through its due
 * function, in a write transaction at that very time. ref is the core's; due_cancel() forgets every
 * entry with this core, kind and ref. */
int due_add(struct tx *tx, int64_t at_us, const char *core, const char *kind, int64_t ref);
int due_cancel(struct tx *tx, const char *core, const char *kind, int64_t ref);

/* Puts something off until the call is over, which has its effect only if all of it succeeds: work
 * that is less when it is done for many changes at once. arg lives in the arena of the transaction.
 * tx_later_arg() gives the arg of what was put off with this fn and is not done yet; NULL: none. */
void tx_later(struct tx *tx, int (*fn)(struct tx *tx, void *arg), void *arg);
void *tx_later_arg(const struct tx *tx, int (*fn)(struct tx *tx, void *arg));
/* Does it now. */
int tx_do_later(struct tx *tx);
/* Something that would leave the world: kept in its outbox. kind: "mail", "webhook". to:
 * recipients, separated by commas. payload: JSON text. */
int outbox_add(struct tx *tx, const char *kind, const char *from, const char *to,
               const char *payload);

/* A letter that a core writes to people: an invitation, a notice. */
struct letter {
    const char *from, *from_name; /* who writes; name NULL: none */
    const char *to;               /* addresses, separated by commas */
    const char *subject;
    const char *text, *html;       /* UTF-8; NULL: none */
    const char *calendar, *method; /* an iCalendar object and its METHOD; NULL: none */
    bool settled;                  /* what the object says is done in the calendars of this world */
    bool no_file;                  /* the object is not a file of the letter besides */
};
/* Brings it to those who have a mailbox in the world, by the core that has mailboxes; for the
 * others, or without such a core, it goes into the outbox (kind "mail"; JSON with subject, text,
 * method, calendar). */
int letter_send(struct tx *tx, const struct letter *l);
/* What such a letter follows from (struct entity_about): that a calendar is shared with an address.
 * Names it; NULL without memory. */
const char *letter_share(struct arena *a, const char *calendar, const char *address);
/* The same of a letter that was sent: its subject ends with LETTER_SHARE and its text (n bytes)
 * with
 * "(calendar).", as the core of calendars writes them. NULL: it is none. */
#define LETTER_SHARE " has shared a calendar with you"
const char *letter_share_of(struct arena *a, const char *subject, const char *text, size_t n,
                            const char *address);

/* An iCalendar object (RFC 5546) that came to somebody by mail, or that they sent. */
struct invitation {
    const char *text;
    size_t len;
    bool asked; /* a program asked that it be taken, whatever the person has set */
    bool known; /* the person knows the sender */
    bool sent;  /* the person sent it: only an answer to somebody else's invitation is looked at */
    int *left;  /* how many events may be taken yet, counted down; NULL: any number */
    bool missing; /* set: it answers an invitation that the calendar does not have */
};
/* Hands it to the core that has calendars. The bytes are anybody's: what is not an iCalendar
 * object, or is none for this person, changes nothing and is not an error. */
struct actor;
int invitation_take(struct tx *tx, const struct actor *who, struct invitation *in);

/* A file of another core that somebody names: at an event, behind a link in a letter. */
struct file_ref {
    const char *title, *type; /* its media type, or the word of a kind of document */
};
/* The file of that id, by the core that has files, if the person may see it (NULL: nobody, who sees
 * what everybody may see). Anybody's text: 1 found, 0 there is none or it is not shown, -1. */
int file_find(struct tx *tx, const struct actor *who, const char *id, struct file_ref *ret);

/* The rowid that the last insert gave. */
static inline int64_t tx_last_id(const struct tx *tx)
{
    return sqlite3_last_insert_rowid(slot_db(tx->db));
}

/* "event 12", "uid 1@a": a word and what it is of, in the arena. */
const char *tx_numbered(struct tx *tx, const char *word, int64_t n);
const char *tx_named(struct tx *tx, const char *word, const char *name);

/* A column of the row that st is at, in the call's arena; NULL: it is null. */
const char *tx_string(struct tx *tx, sqlite3_stmt *st, int at);

#endif

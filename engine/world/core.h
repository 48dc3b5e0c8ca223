/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a core is to the engine: tables and domain logic of one service, without a vendor. The
 * engine is opened with a list of services (engine/service.h), whose cores it seeds, dumps and
 * notifies of changes in the order of that list.
 */
#ifndef SOSIA_WORLD_CORE_H
#define SOSIA_WORLD_CORE_H

#include "engine/world/tx.h"

struct actor;
struct delivery_kind;
struct world_event;
struct form;
struct stored;
struct doc; /* engine/json/doc.h: the cursor of a seed document */
/* A kind of thing that seed documents, dumps and diffs speak of: "calendar", "event". */
struct entity {
    const char *name;
    const char *table; /* its rows; the rowid is its identity inside the world */
    /* What names it to a person: writes members such as "calendar" and "id" into an open object. 0,
     * -1. */
    int (*key)(struct tx *tx, int64_t rowid, struct json_writer *out);
    /* Writes its members in the form of the seed document into an open object. Nothing may be
     * written for a row that a dump leaves out: 1 written, 0 not there (no such row, a tombstone),
     * -1. */
    int (*dump)(struct tx *tx, int64_t rowid, struct json_writer *out);
    /* Rows of other tables that are part of it: attendees of an event. owner gives the entity's
     * rowid of such a row, 0 or no row for none; several, where the row is part of many.
     * NULL-terminated by table. */
    const struct entity_part {
        const char *table;
        struct sql_text *owner; /* ENTITY_OWNER("select event from attendee where rowid = ?1") */
    } * parts;
    const char *members; /* that dump() can write (engine/world/members.h); NULL: they are not
                            asked for, since a view writes others */
    /* The vendor of the account that has it: its dialect's view shows it. 1, 0 not there, -1. NULL:
     * there is but one view of it. */
    int (*vendor)(struct tx *tx, int64_t rowid, const char **ret);
    /* Its table of members (engine/state/stored.h), which says key, dump and members where they are
     * not here. NULL: they are. */
    struct stored *stored;
    /* Writes its members in its core's own terms into an open object: what accounts with whatever
     * vendor have in common, without the ids and times that it got where it was made, so that what
     * was done in two worlds can be compared (grading/across.h). As dump(); NULL: it has none. */
    int (*plain)(struct tx *tx, int64_t rowid, struct json_writer *out);
    /* In the place of key(), by a query of texts: ENTITY_NAMED("calendar id", "select ... where id
     * = ?1"). */
    const struct entity_name {
        const char *members; /* one for each column; one whose text is null is not written */
        struct sql_text *query;
    } * named;
};

#define ENTITY_OWNER(query)       (&(struct sql_text)SQL_TEXT(query))
#define ENTITY_NAMED(names, text) (&(struct entity_name){names, &(struct sql_text)SQL_TEXT(text)})

/* What a diff knows of an entity besides its members. Texts live in the transaction's arena or
 * longer. */
struct entity_about {
    bool all; /* given: with what changes by itself, as times of changes and counters do */
    const char *person; /* whose it is: an address or a handle; NULL: nobody's */
    const char *title;  /* a summary, a subject, a name: for people; NULL: none */
    /* What others may follow from ("message <1@a>"), and what it follows from itself: if that has
     * changed too, this is its consequence and no change of its own. NULL: nothing. */
    const char *is[4], *follows[2];
    bool part;   /* of what it follows from: the same person's too */
    bool within; /* the same person's too where it changed as what it follows from did */
    bool wholly; /* it says in other words what the other says: whatever changed follows */
    bool trace;  /* nothing but what a delivery leaves behind */
    /* What it is but for its name: one that was added follows from one that was removed and is the
     * same. NULL: it goes on under no other name. */
    const char *again;
};

/* How a dialect shows an entity in diffs and to assertions: in its vendor's terms. */
struct entity_view {
    const char *entity;  /* the name that its core has for it */
    const char *service; /* "calendar" */
    /* Writes its members into an open object and fills *about: 1, 0 not there (no such row, a
     * tombstone), -1. NULL: its members are those that its core dumps, and about() fills *about
     * where they are there (0, -1). */
    int (*write)(struct tx *tx, int64_t rowid, struct json_writer *out, struct entity_about *about);
    /* What stands for the row of another state (there), where it may be no row in this one: an
     * instance that nobody has changed yet. As write(). NULL: what is not a row is not there. */
    int (*twin)(struct tx *tx, struct tx *there, int64_t rowid, struct json_writer *out,
                struct entity_about *about);
    /* What is written depends on the state alone, and not on the time: it may be kept with it. */
    bool timeless;
    /* Members that change by themselves (times of changes), NULL-terminated: they are left out
     * unless about->all. NULL: write() knows. */
    const char *const *noise;
    int (*about)(struct tx *tx, const struct entity *entity, int64_t rowid,
                 struct entity_about *about);
    /* That write() can write where *about does not ask for all (engine/world/members.h). NULL:
     * those of the entity, but for noise. */
    const char *members;
    const char *vendor; /* whose terms these are; NULL: of accounts with any vendor */
};

/* How a dialect shows an entity as rows of tables, to suites in the language of evaluators of diffs
 * by table (docs/grading.md, Version 0.1). */
struct table_view {
    const char *entity; /* the name that its core has for it */
    /* Writes its rows into an open array, objects that begin with the member __table__; nothing
     * where it is in no table. 0, -1. */
    int (*write)(struct tx *tx, int64_t rowid, struct json_writer *out);
    const char *vendor; /* whose tables these are; NULL: of accounts with any vendor */
};

/* A section of a seed document, in the order in which they are applied and dumped. */
struct section {
    const char *name; /* top-level member: "calendars" */
    /* Applies the section's value; it is called for every document, with NULL when the section is
     * absent. doc is the cursor for errors (engine/json/doc.h). NULL: the value is a list, and
     * seed_one() takes its items, as those of seed_list(). */
    int (*seed)(struct tx *tx, struct doc *doc, const struct json *value);
    /* Writes the section as a member of the open top-level object; nothing if it would be empty.
     * NULL: it is the list that dump_list() makes of ids and dump_one(), or without ids nothing. */
    int (*dump)(struct tx *tx, struct json_writer *out);
    int (*seed_one)(struct tx *tx, struct doc *doc, const struct json *item);
    struct sql_text *ids; /* SECTION_IDS("select id from note order by id") */
    int (*dump_one)(struct tx *tx, int64_t rowid, struct json_writer *out);
    const struct form
        *form; /* of its items, for documents (engine/state/form.h); NULL: not known */
    /* The table of members of its items, which says seed_one, dump_one and form. NULL: they are
     * here. */
    struct stored *stored;
    /* Writes the members of its JSON Schema, where there is no form that says it. NULL: it is a
     * list if it is read item by item, else anything. */
    void (*schema)(struct json_writer *out);
    bool names_actors; /* its items, or lists in them, say what else an actor is called: partial
                          dumps */
};

/* Rows of a dialect's table that are part of a core's entity: apps of a workspace. */
struct entity_addition {
    const char *entity; /* the name that its core has for it; NULL ends a list */
    struct entity_part part;
};

/* What a vendor lays down for a core: a record that the core's header declares. */
struct core_policy {
    const char *core;   /* its name; NULL ends a list */
    const char *vendor; /* "acme" */
    const void *policy;
    /* Members that items of the core's documents have besides, for people, and of which list:
     * "mailboxes.labels". NULL: none. */
    const struct form *form;
    const char *list;
};

#define SECTION_IDS(query) (&(struct sql_text)SQL_TEXT(query))

/* For a section's seed(): the value is a list (absent or null: an empty one); one() takes its
 * items, in order, with doc at each ("people[3]"). 0, -1. */
int seed_list(struct tx *tx, struct doc *doc, const struct json *value, const char *section,
              int (*one)(struct tx *tx, struct doc *doc, const struct json *item));
/* For a section's dump: a member that is a list with an object for each id that the query gives, in
 * its order, filled by one(). Nothing if there is none. */
int dump_list(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *ids,
              int (*one)(struct tx *tx, int64_t rowid, struct json_writer *w));
/* The same of a query that has its arguments (TX_QUERY); NULL: it failed. */
int dump_rows(struct tx *tx, struct json_writer *w, const char *member, sqlite3_stmt *ids,
              int (*one)(struct tx *tx, int64_t rowid, struct json_writer *w));

/* For an entity's key(): the member with the text that the query gives for the rowid; nothing if
 * there is no such row. 0, -1. */
int dump_key(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *text,
             int64_t rowid);
/* A member that is the list of the texts that a query (TX_QUERY) gives; where there is none,
 * nothing unless `always`. 0, -1. */
int dump_text_list(struct tx *tx, struct json_writer *w, const char *member, sqlite3_stmt *st,
                   bool always);

/* What every row of a table must keep to besides its constraints, said as SQL that is true for a
 * row that does not: {"event", "kind not between 0 and 5"}. */
struct core_rule {
    const char *table, *broken;
};

/* A table as questions in SQL see it, whatever the tables behind it are: {"people", "email, name",
 * "select email, name from ident_actor"}. */
struct question_view {
    const char *name;
    const char *columns; /* their names, separated by ", " */
    const char *select;  /* gives them in this order */
};

struct provision; /* engine/http/principal.h */
struct resolver;  /* the same */

/* How a core's tables of an earlier release become those of this version (engine/world/upgrade.h).
 * Triggers, views, constraints and indexes need no step: the rows go into a world of this version
 * by the names of tables and columns. */
struct core_upgrade {
    const char *from;   /* the release's format: "sosia 2" */
    const char *schema; /* the core's then; NULL: as releases/ has it */
    const char *sql;    /* renames, drops, fills; NULL: nothing */
    /* The rest, behind the SQL, on a connection of which "main" is the world. NULL: nothing. 0, -1.
     */
    int (*run)(sqlite3 *db, struct sosia_err *err);
};

struct sosia_core {
    const char *name;
    const char *schema; /* SQL: tables, indexes, triggers; STRICT; run once on the empty world */
    const struct core_upgrade *upgrades; /* ended by from NULL; NULL: none */
    const struct section *sections;
    size_t n_sections;
    const struct entity *entities;
    size_t n_entities;
    const struct entity_addition *additions; /* NULL-terminated by entity; NULL: none */
    const struct core_policy *policies;      /* NULL-terminated by core; NULL: none */
    /* Of entities of this core or another one; NULL-terminated by entity. NULL: none. */
    const struct entity_view *views;
    const struct table_view *tables; /* the same; NULL: none */
    /* What questions in SQL about a world may be about; NULL-terminated by name. NULL: nothing. */
    const struct question_view *questions;
    /* Something fell due (due_add). NULL: none do. */
    int (*due)(struct tx *tx, const char *kind, int64_t ref);
    /* Events of the call or the due entry, in order (engine/world/event.h), for those who
     * subscribe: it takes what it cares for. 0, -1: the call fails. NULL: it subscribes to nothing.
     */
    int (*events)(struct tx *tx, const struct world_event *first);
    /* How its messages are delivered (engine/send/delivery.h); NULL-terminated; NULL: it sends
     * none. */
    const struct delivery_kind *const *deliveries;
    /* Takes a letter (letter_send) to those for whom it has mailboxes; gives the addresses that are
     * left, separated by commas. NULL: it has none. */
    int (*letter)(struct tx *tx, const struct letter *l, const char **ret_rest);
    /* Takes an iCalendar object that mail brought to somebody (invitation_take). NULL: it has no
     * calendars. */
    int (*invitation)(struct tx *tx, const struct actor *who, struct invitation *in);
    /* Finds a file for somebody (file_find). NULL: it has no files. */
    int (*file)(struct tx *tx, const struct actor *who, const char *id, struct file_ref *ret);
    /* Writes the credentials of that kind for an actor as the file that a vendor's programs load;
     * base_url is where they shall go. 1 written, 0 it knows no such kind or has none for the
     * actor, -1. NULL: it knows none. credential_kinds: NULL-terminated. */
    const char *const *credential_kinds;
    int (*credential)(struct tx *tx, const char *kind, const struct actor *actor,
                      const char *base_url, struct buf *out);
    /* The rows of a file for import are anybody's: what the core relies on that constraints don't
     * say. The rules come first, NULL-terminated by table; check() looks at what SQL can't and may
     * rely on them: INVALID with what is wrong. NULL: nothing. */
    const struct core_rule *rules;
    int (*check)(struct tx *tx);
    /* Services that its vendor has for accounts; NULL-terminated by vendor. NULL: none. */
    const struct provision *provisions;
    /* It keeps the identities of worlds: what the door asks. NULL: it does not. */
    const struct resolver *resolver;
    /* Makes what no row holds (full-text indexes without content) from the rows, in a world that
     * was imported, and adds a reference to each blob for each row that names it (blob_ref()).
     * NULL: nothing. */
    int (*derive)(struct tx *tx);
    /* Whether whoever has this address, in lower case, has something of the actor's, or with them:
     * they are no stranger then. 1, 0, -1. NULL: the core can't tell. */
    int (*knows)(struct tx *tx, const struct actor *actor, const char *address);
    /* Calls fn with the address of everybody who gets to see a row of one of the core's entities
     * because they are where it is, as members of a channel do. 0, -1. NULL: nobody does. */
    int (*audience)(struct tx *tx, const struct entity *entity, int64_t rowid,
                    void (*fn)(void *arg, const char *address), void *arg);
    /* SQL that takes out of a copy of a world what lets somebody in: tokens, codes, secrets of
     * apps. NULL: it keeps none. */
    const char *secrets;
};

/* What vendors lay down for the core, behind one of them (NULL: the first). NULL: no further one.
 */
const struct core_policy *core_policy_next(const struct sosia_engine *e, const char *core,
                                           const struct core_policy *after);
/* The record of the nth of them (from 0); NULL: there are no more. */
const void *core_policy_nth(const struct tx *tx, const char *core, size_t n);
/* The record of a vendor (NULL: of the first that has one); NULL: none has that name. */
const void *core_policy_named(const struct tx *tx, const char *core, const char *vendor);

extern const struct sosia_core world_core; /* the engine's own tables */

#endif

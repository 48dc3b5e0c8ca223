/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Entities of which a table has a column for each member: the form (form.h) that reads them from
 * documents and dumps them also writes and reads their rows. A field of the struct has the name of
 * its column.
 *
 *     static const struct member note_members[] = {
 *         {"name", "Its name", TEXT_AT(struct note, name), .flags = MEMBER_REQUIRED},
 *         {"url", "Its picture", TEXT_AT(struct note, url)},
 *     };
 *     STORED(notes, "A note", struct note, note_members, NULL, .table = "note_note",
 *            .key = "name");
 *
 *     {.name = "notes", .stored = &notes, .ids = SECTION_IDS(...)}    a section
 *     {.name = "notes", .stored = &notes, .table = "note_note"}     an entity
 *
 *     struct note e;
 *     int r = stored_get(tx, &notes, id, &e);
 *
 *     static struct sql_text q = SQL_TEXT("where workspace = ?1 order by name");
 *     sqlite3_stmt *st = STORED_QUERY(tx, &notes, &q, workspace);
 *     while ((r = stored_next(tx, &notes, st, &e)) == 1) ...
 *
 * References to nothing (0), and numbers with MEMBER_NULL that are as usual, are null in the table.
 * A member without a column has no place in the struct, or is `apart`; one without a name is a
 * column that documents don't have: STORED_ID.
 */
#ifndef SOSIA_STATE_STORED_H
#define SOSIA_STATE_STORED_H

#include "engine/state/form.h"
#include "engine/world/core.h"

struct stored {
    const struct form *form; /* with the size of the struct */
    const char *table;
    const char *id;  /* the column by which a row is found; NULL: "id" */
    const char *key; /* the members that name it in diffs, "app function"; NULL: none */
    /* Columns that no row changes, which stored_save() leaves as they are; NULL: none. */
    const char *stays;
    /* In the place of the insert; conflicts are of the key's last member. NULL: the row is inserted
     * as it is. */
    int (*add)(const struct form_in *in, void *row);
    /* Behind it: what is in other tables. NULL: nothing. */
    int (*added)(const struct form_in *in, void *row, int64_t id);
    struct sql_text insert, select, update;
};

/* A form and its table; checker: behind all members of a document, or NULL. */
#define STORED(name, about_text, type, list, checker, ...)                                         \
    STORED_FORM(name, about_text, type, list, checker);                                            \
    struct stored name = {.form = &name##_form, __VA_ARGS__}
/* The same for one file. */
#define STORED_HERE(name, about_text, type, list, checker, ...)                                    \
    STORED_FORM(name, about_text, type, list, checker);                                            \
    static struct stored name = {.form = &name##_form, __VA_ARGS__}
#define STORED_FORM(name, about_text, type, list, checker)                                         \
    static const struct form name##_form = {.about = (about_text),                                 \
                                            .members = (list),                                     \
                                            .n = SOSIA_LEN(list),                                  \
                                            .size = sizeof(type),                                  \
                                            .check = (checker)}
/* The rowid, in the field id. */
#define STORED_ID(type)                                                                            \
    {                                                                                              \
        .kind = MEMBER_INT, .flags = MEMBER_NULL, MEMBER_TYPED(type, id, int64_t)                  \
    }

/*
 * A list of rows of another table, each of one row of this one:
 *
 *     static struct stored_rows lines = {&note_line, SQL_TEXT("where note = ?1 order by id"),
 *                                        begin_line};
 *     {"lines", "Its lines", MEMBER_ROWS(&note_line_form, &lines)}
 *
 * They are read behind the row that they are of, and left out of dumps where there are none, but
 * with MEMBER_ALWAYS.
 */
struct stored_rows {
    struct stored *of;
    struct sql_text query; /* what follows "select ... from TABLE"; ?1: the id of whose they are */
    /* Before one is read: whose it is. in->of: the row with that id. 0, -1. */
    int (*begin)(const struct form_in *in, void *row, int64_t id);
};
#define MEMBER_ROWS(its_form, its_rows)                                                            \
    .kind = MEMBER_OWN, .form = (its_form), .rows = (its_rows), .added = stored_add_rows,          \
    .write = stored_write_rows

/* What the members of a row with the id have in other tables, read from a document. 0, -1. */
int stored_added(const struct form_in *in, const struct form *form, void *row, int64_t id);
int stored_add_rows(const struct form_in *in, const struct member *m, void *row, int64_t id);
int stored_write_rows(const struct form_out *out, const struct member *m, const void *row);

/* Sections and entities: an item of a document; a row as engine/world/core.h says of dump() and
 * key(). */
int stored_seed(struct tx *tx, struct stored *s, struct doc *d, const struct json *item);
int stored_dump(struct tx *tx, struct stored *s, int64_t id, struct json_writer *w);
int stored_key(struct tx *tx, struct stored *s, int64_t id, struct json_writer *w);

/* What an entity or a section says itself, or its table of members. section_seed() takes the whole
 * section, section_dump() writes it; its form is NULL where it is not known. */
int entity_dump(struct tx *tx, const struct entity *e, int64_t rowid, struct json_writer *w);
int entity_key(struct tx *tx, const struct entity *e, int64_t rowid, struct json_writer *w);
int section_seed(struct tx *tx, const struct section *s, struct doc *d, const struct json *value);
int section_dump(struct tx *tx, const struct section *s, struct json_writer *w);
static inline const struct form *section_form(const struct section *s)
{
    return s->stored ? s->stored->form : s->form;
}

/* Inserts it; the second also gives it its id, the field of STORED_ID. 0, -1. */
int stored_add(struct tx *tx, struct stored *s, const void *row);
int stored_new(struct tx *tx, struct stored *s, void *row);
/* The row with that id becomes as this one, which was read or added, in all columns but those that
 * stay. 0, -1. */
int stored_save(struct tx *tx, struct stored *s, int64_t id, const void *row);
/* Its texts are in the transaction's arena. 1, 0, -1. */
int stored_get(struct tx *tx, struct stored *s, int64_t id, void *row);
/* Rows by a query that has but what follows "select ... from TABLE". */
sqlite3_stmt *stored_query(struct tx *tx, const struct stored *s, struct sql_text *q,
                           const struct sql_value *values, int n);
#define STORED_QUERY(tx, s, q, ...)                                                                \
    stored_query(tx, s, q, SQL_VALUES(__VA_ARGS__), COUNT(__VA_ARGS__))
#define STORED_ONE(tx, s, q, row, ...) stored_only(tx, s, STORED_QUERY(tx, s, q, __VA_ARGS__), row)
/* The next row, and the only one. 1, 0, -1. */
int stored_next(struct tx *tx, const struct stored *s, sqlite3_stmt *st, void *row);
int stored_only(struct tx *tx, const struct stored *s, sqlite3_stmt *st, void *row);
/* All rows, in the arena; where there are none, a list of none. NULL: failed. */
void *stored_list(struct tx *tx, const struct stored *s, sqlite3_stmt *st, size_t *ret_n);

#endif

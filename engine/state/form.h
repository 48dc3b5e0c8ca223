/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The form of an entity: one table of its members, by which it is read from a seed document,
 * checked, dumped and documented. A row is a struct; the table says where each member is in it:
 *
 *     static const struct member note_members[] = {
 *         {"title", "The line on top", TEXT_AT(struct note, title), .flags = MEMBER_REQUIRED},
 *         {"pinned", "It stays on top", BOOL_AT(struct note, pinned)},
 *         {"weight", "Its place among others", INT_AT(struct note, weight, 0, 9), .usual = 1},
 *         {"state", "Where it is", ENUM_AT(struct note, state, state_names)},
 *     };
 *     static const struct form note_form = FORM("A note", note_members);
 *
 *     form_usual(&note_form, &note);
 *     if (form_read(&(struct form_in){tx, d, v}, &note_form, &note) < 0) ...
 *     return form_write(&(struct form_out){tx, w}, &note_form, &note);
 *
 * Reading changes what the document has and leaves the rest as it is, so that one table reads new
 * rows and changes of old ones. Writing leaves out the members in which the row is as its base, or,
 * without one, as usual: what was read into the base gives the row again.
 */
#ifndef SOSIA_STATE_FORM_H
#define SOSIA_STATE_FORM_H

#include "engine/json/doc.h"
#include "engine/world/tx.h"

struct form;
struct member;
struct stored_rows;

/* A row that is read: the object that it is read from, and what hooks want to know besides. */
struct form_in {
    struct tx *tx;
    struct doc *d;
    const struct json *value;
    const void *of;
};

/* A row that is written into an open object; base: what the reader begins with (NULL: the usual
 * row). */
struct form_out {
    struct tx *tx;
    struct json_writer *w;
    const void *base, *of;
    int64_t id; /* the rowid, of a row that is stored (stored.h) */
};

enum member_kind {
    MEMBER_TEXT,   /* const char *; NULL: none */
    MEMBER_WORD,   /* the same, one of names */
    MEMBER_BOOL,   /* bool */
    MEMBER_INT,    /* an integer of 1, 4 or 8 bytes, from min to max */
    MEMBER_ENUM,   /* the same: the place in names, counted from min */
    MEMBER_BITS,   /* unsigned: a list of names, each of them the bit at its place */
    MEMBER_FLAG,   /* unsigned: true or false of the bits `min` */
    MEMBER_TIME,   /* int64_t: microseconds since 1970; 0: none */
    MEMBER_ZONE,   /* const char *: the name of a time zone */
    MEMBER_JSON,   /* const char *: the text of an object; NULL: none, as the empty one is */
    MEMBER_KEPT,   /* const char *: the text of a JSON value of the type `min`, as it is given */
    MEMBER_REF,    /* int64_t: the rowid of what a text names; 0: none */
    MEMBER_OBJECT, /* a struct with a form of its own */
    MEMBER_LIST,   /* a pointer to such structs, their number at `count` */
    MEMBER_PART,   /* no member: those of another form, whose struct is this one or in it */
    MEMBER_OWN,    /* hooks read and write it; without them whoever reads and writes the row does */
};

enum member_flags {
    MEMBER_REQUIRED = 1, /* must be given; a text is not empty */
    MEMBER_CLEARS = 2,   /* of a text: "" takes it away */
    MEMBER_ALWAYS = 4,   /* written even if it is as usual */
    MEMBER_TEXTS = 8,    /* of a JSON object: holds texts alone */
    MEMBER_SHORT = 16,   /* of a list: an item may be a text, which is its first member */
    MEMBER_NULL = 32,    /* of a number: 0 is null in the table */
    MEMBER_SPOKEN = 64,  /* of an enum: its word is in the table */
    MEMBER_GIVEN = 128,  /* of documents that people write: dumps say it in other members */
};

/* What texts of a document name, and rows hold by its rowid. */
struct reference {
    const char *noun;    /* "the client id of an app" */
    const char *unknown; /* "there is no app": the text follows */
    int (*find)(struct tx *tx, const char *text, int64_t *ret); /* 1, 0 there is none, -1 */
    int (*name)(struct tx *tx, int64_t id, const char **ret);   /* the same */
};

struct member {
    const char *name;
    const char *about; /* for people: what it says, without a full stop */
    enum member_kind kind;
    uint16_t at, size, count; /* places in the struct, and the size there */
    unsigned flags;
    int64_t min, max;
    const char *column; /* the field's name, which is that of its column where rows are stored */
    bool apart;         /* it has no column */
    int64_t usual;      /* of numbers; of texts usual_text */
    const char *usual_text;
    const char *const *names; /* NULL-terminated */
    const char *noun;         /* of BITS: "right"; of OWN: its type, for people: "a time" */
    const struct reference *ref;
    const struct form *form;
    /* In the place of the kind's reader, and after it. The reader of documents is in the object
     * that has the member. 0, -1. */
    int (*read)(const struct form_in *in, const struct member *m, void *row);
    int (*check)(const struct form_in *in, const struct member *m, void *row);
    /* In the place of the kind's writer: decides itself if there is something to be written. */
    int (*write)(const struct form_out *out, const struct member *m, const void *row);
    const char *inner;  /* of OWN and KEPT: the paths in it that diffs show: "*" of a list, "**" */
    const char *schema; /* of OWN: JSON Schema in the place of what its form or noun give */
    /* Of rows that are stored: what is in other tables, behind the row with the id. 0, -1. */
    int (*added)(const struct form_in *in, const struct member *m, void *row, int64_t id);
    struct stored_rows *rows; /* rows of another table that are of this one (stored.h) */
};

struct form {
    const char *about; /* "An event": a heading for people */
    const struct member *members;
    size_t n;
    size_t size;                                       /* of the struct, for lists */
    int (*check)(const struct form_in *in, void *row); /* after all members; NULL: none */
    bool open; /* others read members of the object besides: its schema lets them be */
};

#define FORM(about_text, list)                                                                     \
    {                                                                                              \
        .about = (about_text), .members = (list), .n = SOSIA_LEN(list)                             \
    }

/* Where a member is; the compiler refuses one of another type. */
#define MEMBER_PLACE(type, field)                                                                  \
    .column = #field, .at = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define MEMBER_TYPED(type, field, wanted)                                                          \
    .column = #field,                                                                              \
    .at = offsetof(type, field) + 0 * sizeof(_Generic(((type *)0)->field, wanted : 1)),            \
    .size = sizeof(((type *)0)->field)
#define TEXT_AT(type, field) .kind = MEMBER_TEXT, MEMBER_TYPED(type, field, const char *)
#define WORD_AT(type, field, list)                                                                 \
    .kind = MEMBER_WORD, .names = (list), MEMBER_TYPED(type, field, const char *)
#define BOOL_AT(type, field) .kind = MEMBER_BOOL, MEMBER_TYPED(type, field, bool)
#define INT_AT(type, field, low, high)                                                             \
    .kind = MEMBER_INT, .min = (low), .max = (high), MEMBER_PLACE(type, field)
#define ENUM_AT(type, field, list) .kind = MEMBER_ENUM, .names = (list), MEMBER_PLACE(type, field)
#define BITS_AT(type, field, list)                                                                 \
    .kind = MEMBER_BITS, .names = (list), MEMBER_TYPED(type, field, unsigned)
#define FLAG_AT(type, field, bits)                                                                 \
    .kind = MEMBER_FLAG, .min = (bits), MEMBER_TYPED(type, field, unsigned)
#define TIME_AT(type, field) .kind = MEMBER_TIME, MEMBER_TYPED(type, field, int64_t)
#define ZONE_AT(type, field) .kind = MEMBER_ZONE, MEMBER_TYPED(type, field, const char *)
#define JSON_AT(type, field) .kind = MEMBER_JSON, MEMBER_TYPED(type, field, const char *)
#define KEPT_AT(type, field, json)                                                                 \
    .kind = MEMBER_KEPT, .min = (json), MEMBER_TYPED(type, field, const char *)
#define REF_AT(type, field, reference)                                                             \
    .kind = MEMBER_REF, .ref = (reference), MEMBER_TYPED(type, field, int64_t)
#define OBJECT_AT(type, field, its_form)                                                           \
    .kind = MEMBER_OBJECT, .form = (its_form), MEMBER_PLACE(type, field)
#define LIST_AT(type, field, n_field, its_form)                                                    \
    .kind = MEMBER_LIST, .form = (its_form), MEMBER_PLACE(type, field),                            \
    .count = offsetof(type, n_field) + 0 * sizeof(_Generic(((type *)0)->n_field, int : 1))
/* An object whose members are in the struct itself. */
#define OBJECT_HERE(its_form) .kind = MEMBER_OBJECT, .form = (its_form)
#define PART(its_form)                                                                             \
    {                                                                                              \
        .kind = MEMBER_PART, .form = (its_form)                                                    \
    }
#define PART_AT(type, field, its_form)                                                             \
    {                                                                                              \
        .kind = MEMBER_PART, .form = (its_form), .at = offsetof(type, field)                       \
    }

/* A time in as few digits as it has, in UTC. */
void form_time(struct json_writer *w, const char *member, int64_t us);

/* Sets all members as usual; what is of kind OWN stays. */
void form_usual(const struct form *form, void *row);
/* in->value must be an object with the form's members alone; reads it. 0, -1. */
int form_read(const struct form_in *in, const struct form *form, void *row);
/* The two halves, for rows that are found by what the object has: whether it is one, and then its
 * members, all of them or one by itself. 0, -1. */
int form_known(const struct form_in *in, const struct form *form);
int form_read_members(const struct form_in *in, const struct form *form, void *row);
int form_read_member(const struct form_in *in, const struct form *form, const char *name,
                     void *row);
/* Writes the members that are not as in the base. 0, -1. */
int form_write(const struct form_out *out, const struct form *form, const void *row);
/* One member by itself, as it is in the row; nothing for a reference to nothing. 0, -1. */
int form_write_member(const struct form_out *out, const struct form *form, const char *name,
                      const void *row);
/* Whether the row is as the base in all members but those of kind OWN, which have no place. */
bool form_same(const struct form *form, const void *row, const void *base);
/* The member of that name, of a part too; NULL: none. */
const struct member *form_member(const struct form *form, const char *name);

/* For people: a heading and a table of its members, and behind it those of the forms in it. name:
 * "calendars", where it is in a document. */
void form_markdown(struct buf *out, const struct form *form, const char *name);

/* For programs: its members of the open object of a JSON Schema. */
void form_schema(struct json_writer *w, const struct form *form);
/* The same of its members alone: of "properties". */
void form_schema_members(struct json_writer *w, const struct form *form);
/* The paths to its members, separated by spaces (engine/world/members.h). */
void form_paths(struct buf *out, const struct form *form);

/* Where a row has a member. */
static inline const void *member_at(const struct member *m, const void *row)
{
    return (const char *)row + m->at;
}
static inline void *member_place(const struct member *m, void *row)
{
    return (char *)row + m->at;
}

bool member_is_text(const struct member *m);
const char *member_text(const struct member *m, const void *row);
void member_put_text(const struct member *m, void *row, const char *text);
int64_t member_number(const struct member *m, const void *row);
void member_put_number(const struct member *m, void *row, int64_t v);
/* Whether the row is as the base in this member; base NULL: as usual. */
bool member_same(const struct member *m, const void *row, const void *base);

/* Takes the items of a list that are rows of their own, with the reader at each of them
 * ("calendars[0].access[2]"); absent: none. 0, -1. */
int form_each(const struct form_in *in, const char *member, int (*one)(const struct form_in *item));

#endif

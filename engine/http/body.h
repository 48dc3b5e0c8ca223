/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON bodies, checked against the schema that the row names (struct schema) at the point where the
 * handler asks for them: services look for what a request is about before they read what it says.
 *
 * The walk is the engine's. A vendor's rules say which spellings of names and scalars pass for
 * others, and put what is wrong into the vendor's words; without rules the words are sosia's own.
 */
#ifndef SOSIA_HTTP_BODY_H
#define SOSIA_HTTP_BODY_H

#include "engine/http/call.h"

enum body_fault {
    BODY_SOUND,
    BODY_ABSENT,     /* there is no body, where the row wants one */
    BODY_NOT_OBJECT, /* the body is another value */
    BODY_UNKNOWN,   /* the member has no field; reported where the schema or the rules are closed */
    BODY_TYPE,      /* the value is not of its field's type */
    BODY_LIST,      /* a list where its field is not one */
    BODY_WORD,      /* not in the closed set */
    BODY_FORMAT,    /* a string that is not of its format */
    BODY_RANGE,     /* a number out of its bounds */
    BODY_LONG,      /* a string with more bytes, or characters, than allowed */
    BODY_READ_ONLY, /* the member is the service's own */
    BODY_IMMUTABLE, /* the member can't change: in a PUT or PATCH */
    BODY_MISSING,   /* required, and absent or null; with a schema and without a field none of the
                       members is there that the schema needs */
    BODY_SHORT,     /* a string with less */
    BODY_FEW,       /* a list or map with fewer items than it must have */
    BODY_MANY       /* ... with more than it may have */
};

/* What becomes of a member with a fault. */
enum body_verdict {
    BODY_REFUSE = -1, /* the walk ends, the call has failed */
    BODY_TAKE,  /* goes on: a member that is read-only or immutable is checked as others are */
    BODY_LEAVE, /* stays in the body, unchecked */
    BODY_DROP /* is taken out of the body, as if it had not been sent; what is not a member stays */
};

/* Where the walk is; text is made of it only when something is wrong. */
struct body_place {
    const struct body_place *up; /* NULL: the body */
    const char *name;            /* of a member; NULL: an item of the list above */
    uint32_t index;
    const struct json *of; /* the object or list that has the value; NULL: not known */
};

struct body_report {
    enum body_fault fault;
    const struct body_place *at; /* of the value, or of what is missing; NULL: the body */
    const struct field *field;   /* NULL: the body itself, or a name that has no field */
    const struct schema *schema; /* of the object that it is in; NULL: it has no name */
    const struct json *value;    /* NULL: absent */
    uint32_t line_at;            /* byte of the body where it is; 0: not known */
    void *arg;                   /* the caller's */
};

/* Which faults of an object are found first. */
enum body_order {
    BODY_AS_GIVEN,      /* members as they come, then what is missing */
    BODY_AS_TABLED,     /* fields in the order of their table; for objects that take any member */
    BODY_MISSING_FIRST, /* what is missing; members are looked at only where nothing is */
};

struct body_rules {
    /* Is v, which is neither null nor in a wrong place, what a scalar field holds? May make another
     * value of it, the call's own. BODY_TYPE, WORD, FORMAT, RANGE, LONG, or BODY_SOUND. NULL:
     * body_scalar(). */
    enum body_fault (*scalar)(struct call *c, const struct field *f, struct json *v);
    /* The field that is meant by a member whose name no field has; may give the member another key.
     * NULL: there are no other spellings. */
    const struct field *(*spelled)(struct call *c, const struct field *fields, size_t n,
                                   struct json_member *m);
    /* What to do about a fault; fails the call where it gives BODY_REFUSE. NULL: body_refuse(). */
    enum body_verdict (*fault)(struct call *c, const struct body_report *r);
    /* Looks at the value of a field with a mark in the walk's place: true. false: not this one.
     * NULL: at none. */
    bool (*own)(struct call *c, const struct field *f, struct json *v, const struct body_place *at,
                void *arg);
    /* Whether the object of a field may be of a schema that its type names. NULL: of each. */
    bool (*fits)(const struct field *f, const struct schema *s, void *arg);
    /* Before the members of an object of a field are looked at; and when it has been looked at, or
     * a list of such objects: then the fault is BODY_SOUND where its members or items were. May
     * change the members: those of r->value are the call's own. NULL: nothing is done. */
    void (*before)(struct call *c, const struct body_report *r);
    void (*after)(struct call *c, const struct body_report *r);
    enum body_order order;
    bool closed;      /* unknown members are faults in every schema */
    bool worded;      /* what is missing is a fault only where the field has words for it */
    bool one_is_list; /* a single value is taken as a list of one, and becomes it */
    bool null_items;  /* of lists; else faults as values of other types are */
    bool nulls;       /* null is a value like others, and not absent */
};

/* The walk alone. at: where v is (NULL: the body). rules NULL: sosia's own. 0, or -1: the call has
 * failed. Changes v, which must be the call's own. */
int body_check(struct call *c, const struct schema *s, const struct json *v,
               const struct body_rules *rules, const struct body_place *at, void *arg);
/* The same of one value, which the field is about; the report of a fault has at and arg. c may be
 * NULL if the rules say what to do about faults and no schema is named that the dialect has. */
int body_check_value(struct call *c, const struct field *f, struct json *v,
                     const struct body_rules *rules, const struct body_place *at, void *arg);
/* Exact types, closed sets, bounds, and the formats date-time (with an offset), date, int32, uint32
 * and int64. */
enum body_fault body_scalar(struct call *c, const struct field *f, struct json *v);
/* "name: must be one of a, b, not \"c\"" as INVALID with reason "invalid", the member's path as
 * where, and the line. Read-only members are refused, immutable ones taken; an absent body is taken
 * for an empty one if members are required, which are named then. */
enum body_verdict body_refuse(struct call *c, const struct body_report *r);

/* For rules. All in the call's arena. */
/* "items[2].id"; "" for the body. */
const char *body_path(struct call *c, const struct body_place *at);
/* What was expected: "one of a, b", "a whole number from 1 to 5". */
const char *body_expected(struct call *c, const struct body_report *r);
/* The end of such a message, which says what came: ", not 6" (JSON, cut where it is long), ", not
 * absent", ", is missing"; "" of a member that there is not. */
const char *body_found(struct call *c, const struct body_report *r);

#endif

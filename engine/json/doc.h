/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A typed reader of documents that people write (seed documents, fixtures), JSON or YAML: it says
 * which field of which line is wrong. Every failure is err INVALID with err->line, err->where = the
 * field's path ("people[3].zone"; kept in err->text, behind the NUL of the message) and a text such
 * as "office.yaml:12: people[3].zone: unknown time zone \"Mars/Base\"".
 */
#ifndef SOSIA_JSON_DOC_H
#define SOSIA_JSON_DOC_H

#include "engine/json/json.h"

struct doc {
    struct arena *arena;
    const char *text; /* the source, for line numbers */
    size_t len;
    const char *name; /* of the document */
    struct sosia_err *err;
    const struct json *top; /* what was read; NULL: not known */
    char path[256];         /* where the reader is */
    size_t path_len;
    size_t line_at; /* for doc_line() */
    int line;
    void *kept; /* what the reader of the section at hand has for itself meanwhile; NULL: nothing */
};

/* Reads a whole document and sets d at its top. What begins with { or [ is read as JSON, and if
 * that fails, as YAML; if that fails too, the error is the one of JSON. Everything else is YAML.
 * Keys are unique. text, name and err are borrowed for as long as d is used; max_size in bytes, 0:
 * 64 MiB. Failures also with TOO_LARGE and NO_MEMORY. */
int doc_open(struct doc *d, struct arena *a, const char *text, size_t len, const char *name,
             size_t max_size, const struct json **ret_value, struct sosia_err *err);

/* Going into a member (index < 0) or an item of it, and back; member NULL: an item of where it is.
 */
size_t doc_push(struct doc *d, const char *member, int64_t index);
static inline void doc_pop(struct doc *d, size_t mark)
{
    d->path_len = mark;
    d->path[mark] = 0;
}

/* The line of a value. It costs what lies between it and the value that was asked about last. */
int doc_line(struct doc *d, const struct json *at);

/* Gives -1. at: the value at fault (its line is named), or NULL; member: below the present path, or
 * NULL. */
__attribute__((format(printf, 4, 5))) int doc_fail(struct doc *d, const struct json *at,
                                                   const char *member, const char *fmt, ...);

/* The same of a member of an object, at its value. */
__attribute__((format(printf, 4, 5))) int doc_refuse(struct doc *d, const struct json *obj,
                                                     const char *member, const char *fmt, ...);

/* The member of an object with which a path begins: as keys have dots too ("port.example.mail"),
 * the longest one. NULL: none, or it is something else. */
const struct json_member *doc_path_member(const struct json *object, const char *path);

/* Down a path as the reader has them ("[3].zone", "people[3]"), as far as there are values. */
const struct json *doc_walk(const struct json *value, const char *path);

/* An error of what was called in between, which knows no place: gets the one where the reader is.
 * Others stay. Gives -1. */
int doc_place(struct doc *d);

/* "must be EXPECTED, not VALUE": the value, briefly; what has members or items by its kind. */
int doc_expect(struct doc *d, const struct json *value, const char *member, const char *expected);

/* The same of a string that names something (a value of `member`, at the present path) as another
 * one of its kind does: a member of that name at a path that differs in indexes alone. Says where
 * that is, if it is in this document, and before. */
int doc_fail_twice(struct doc *d, const struct json *at, const char *member);
/* The same of a member of an object, where what was called failed since it is there already
 * (CONFLICT). Gives -1. */
int doc_taken(struct doc *d, const struct json *obj, const char *member);

/* value must be an object with no members but these (NULL-terminated), each at most once. */
int doc_object(struct doc *d, const struct json *value, const char *const *members);
/* Members of an object. Absent (or null): 0 with *ret NULL / otherwise, unless required. */
int doc_str(struct doc *d, const struct json *obj, const char *member, bool required,
            const char **ret);
/* A time, or a date, in UTC unless it has an offset: microseconds since 1970. Absent: *ret_us
 * stays. */
int doc_time(struct doc *d, const struct json *obj, const char *member, int64_t *ret_us);
int doc_bool(struct doc *d, const struct json *obj, const char *member, bool otherwise, bool *ret);
int doc_int(struct doc *d, const struct json *obj, const char *member, int64_t min, int64_t max,
            int64_t otherwise, int64_t *ret);
/* One of values (NULL-terminated); *ret its index. */
int doc_enum(struct doc *d, const struct json *obj, const char *member, const char *const *values,
             int otherwise, int *ret);
/* An array; NULL when absent. */
int doc_list(struct doc *d, const struct json *obj, const char *member, const struct json **ret);
/* The items of such an array, with the reader at each of them ("people[3]"):
 *
 *     struct doc_items it;
 *     if (doc_items(d, v, "people", &it) < 0)
 *         return -1;
 *     for (const struct json *one; (one = doc_item(d, &it)) != NULL;)
 *         if (read_person(d, one) < 0)
 *             return -1;
 *
 * it.list is NULL when it is absent. A list that was taken otherwise is {.list, .member}. */
struct doc_items {
    const struct json *list;
    const char *member;
    uint32_t next;
    size_t mark;
};
int doc_items(struct doc *d, const struct json *obj, const char *member, struct doc_items *ret);
/* NULL: there is no other, and the reader is where it was. */
const struct json *doc_item(struct doc *d, struct doc_items *it);
/* An array of strings; *ret_n 0 when absent. */
int doc_strings(struct doc *d, const struct json *obj, const char *member, const char ***ret,
                size_t *ret_n);

#endif

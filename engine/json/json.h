/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON (RFC 8259): an arena reader that keeps order and number text, and a streaming writer with a
 * field mask.
 *
 * Reader: strict UTF-8, no comments, no trailing commas, NUL only as \u0000 (refused: no field here
 * holds one), depth and size limited, not recursive. Duplicate keys: the last one wins for
 * json_get(), as in the vendors' parsers, unless the limits refuse them.
 */
#ifndef SOSIA_JSON_H
#define SOSIA_JSON_H

#include "engine/base/arena.h"
#include "engine/base/buf.h"
#include "engine/base/err.h"

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_member;
struct json_builder; /* build.h */

struct json {
    uint8_t type; /* enum json_type */
    bool truth;   /* of a JSON_BOOL */
    uint32_t n;   /* bytes of a string or of a number's text; items; members */
    uint32_t at;  /* where it starts in the document, in bytes; a string at its quote */
    union {
        const char *str; /* JSON_STRING decoded; JSON_NUMBER as written; NUL-terminated */
        const struct json *items;
        const struct json_member *members;
    };
};

struct json_member {
    const char *key; /* decoded, NUL-terminated */
    uint32_t key_len;
    uint32_t key_at; /* where the key starts in the document */
    struct json value;
};

struct json_limits {
    size_t max_size;     /* bytes; 0: 64 MiB; never more than 4 GiB */
    unsigned max_depth;  /* 0: 100 */
    uint32_t max_values; /* within arrays and objects; 0: as many as there is memory for, which is
                            30 times the document for the smallest ones */
    bool unique_keys;    /* refuse duplicate keys */
    bool last_wins;      /* of members with the same key there is the last value alone, in the place
                            of the first; without both all of them are there */
};

/* Reads a whole document: len bytes, no NUL needed. The values live in the arena, the text may go.
 * On failure err->code is INVALID, err->line is set and err->text says what is wrong and where; a
 * document over max_size gives TOO_LARGE, one that the arena can't hold NO_MEMORY. lim may be NULL.
 */
int json_parse(struct arena *a, const char *text, size_t len, const struct json_limits *lim,
               const struct json **ret_value, struct sosia_err *err);

/* Member of an object; NULL when absent or when obj is NULL or no object. Takes time by the number
 * of members. */
const struct json *json_get(const struct json *obj, const char *key);
/* The text of a string member; NULL when absent or not a string. */
const char *json_get_str(const struct json *obj, const char *key);
/* NULL is neither true nor false. */
static inline bool json_is_true(const struct json *v)
{
    return v && v->type == JSON_BOOL && v->truth;
}
static inline bool json_is_false(const struct json *v)
{
    return v && v->type == JSON_BOOL && !v->truth;
}
/* Is the member there and true? */
static inline bool json_get_true(const struct json *obj, const char *key)
{
    return json_is_true(json_get(obj, key));
}
/* Whole numbers only: no fraction, no exponent, in range. -1 also when v is NULL or no number. */
int json_i64(const struct json *v, int64_t *ret);
int json_double(const struct json *v, double *ret);
/* The whole number of a member; otherwise when there is none. */
static inline int64_t json_get_int(const struct json *obj, const char *key, int64_t otherwise)
{
    int64_t n;
    return json_i64(json_get(obj, key), &n) == 0 ? n : otherwise;
}
/* Line of a byte offset in a document, counted from 1. */
int json_line(const char *text, size_t len, uint32_t at);

/* ---- masks ---- */

/* Which fields to write. A list is looked through: the mask of an array's items is the array's own.
 */
struct json_mask;

/* Making one: begin with the root, which selects nothing, add names below it ("*" is every name),
 * take what is selected whole, and end. begin gives NULL without memory; add and end too, and when
 * there are more than 8192 names (full). */
struct json_mask_builder {
    struct arena *arena;
    struct json_mask *root;
    unsigned nodes;
};
struct json_mask *json_mask_begin(struct json_mask_builder *b, struct arena *a);
struct json_mask *json_mask_add(struct json_mask_builder *b, struct json_mask *m, const char *name,
                                size_t len);
void json_mask_take(struct json_mask *m);
const struct json_mask *json_mask_end(struct json_mask_builder *b);
bool json_mask_full(const struct json_mask_builder *b);
/* The mask below a name: NULL when the name is not selected. */
const struct json_mask *json_mask_child(const struct json_mask *m, const char *name, size_t len);
/* Everything below is selected. */
bool json_mask_all(const struct json_mask *m);
/* Calls fn for every name selected at this level ("*" too), in the order of the text; stops when fn
 * gives non-zero, and gives that. */
int json_mask_each(const struct json_mask *m,
                   int (*fn)(void *arg, const char *name, const struct json_mask *below),
                   void *arg);

/* ---- writer ---- */

#define JSON_DEPTH 128

/* A document nested deeper than JSON_DEPTH, or larger than out may be, fails the buffer. Keys and
 * strings are valid UTF-8. A value whose mask selects names below it is left out unless it is an
 * object or an array. */
struct json_writer {
    struct buf *out;
    bool pretty;      /* two spaces a level, ": " and a newline at the end */
    bool escape_html; /* off after json_init(); see below */
    unsigned depth;
    unsigned skip;              /* > 0: inside a value that the mask leaves out; 1: building */
    struct json_builder *build; /* what takes the values instead; NULL: nothing does */
    struct {
        char close;                   /* '}' or ']' */
        bool filled;                  /* it is not empty */
        const struct json_mask *mask; /* NULL: everything */
    } level[JSON_DEPTH + 1];          /* [0]: outside of the document */
};
/* escape_html writes as \uXXXX what may not be in a page as it is: '<', '>', DEL and the C1
 * controls, and Unicode's format characters and line separators (soft hyphen, U+200B..., U+2028...,
 * U+FEFF, ...). '&', "'" and '=' stay as they are, as does other text beyond ASCII. */

/* mask NULL: everything. */
void json_init(struct json_writer *w, struct buf *out, bool pretty, const struct json_mask *mask);
/* The same into a buffer that begins with it, compact and with everything. */
static inline void json_start(struct json_writer *w, struct buf *out)
{
    buf_init(out, 0);
    json_init(w, out, false, NULL);
}
/* Values go to the builder's arena as if their text had been read again, and no text is written;
 * out, which is empty, is failed when they can't. json_back() and json_again() can't be used. */
void json_init_build(struct json_writer *w, struct json_builder *build, struct buf *out);
/* Every value takes a key inside an object, and NULL inside an array and at the top. A key that is
 * a constant is one of ours and needs no escape. */
static inline void json_obj(struct json_writer *w, const char *key);
static inline void json_arr(struct json_writer *w, const char *key);
/* Of the innermost object or array; at the top, the newline if pretty. */
void json_end(struct json_writer *w);
/* A text that needs no escape whatever the writer's style, since we made it: a word of ours, a
 * time, digits. */
static inline void json_word(struct json_writer *w, const char *key, const char *s);
void json_wordn(struct json_writer *w, const char *key, size_t len, const char *s, size_t n);
/* NULL writes null. */
static inline void json_str(struct json_writer *w, const char *key, const char *s);
static inline void json_strn(struct json_writer *w, const char *key, const char *s, size_t n);
/* A document as a string: JSON that a writer has put out, in which nothing
 * needs an escape but quotes, backslashes and newlines. */
void json_quoted(struct json_writer *w, const char *key, const char *text, size_t n);
/* Omitted when NULL. */
static inline void json_str_opt(struct json_writer *w, const char *key, const char *s);
static inline void json_int(struct json_writer *w, const char *key, int64_t v);
void json_intn(struct json_writer *w, const char *key, size_t len, int64_t v);
void json_int_str(struct json_writer *w, const char *key, int64_t v); /* as a string: "123" */
static inline void json_bool(struct json_writer *w, const char *key, bool v);
/* Omitted when false. */
static inline void json_bool_opt(struct json_writer *w, const char *key, bool v);
static inline void json_null(struct json_writer *w, const char *key);
/* A number's text as it was read. */
static inline void json_number(struct json_writer *w, const char *key, const char *text, size_t n);
/* A value that was read, with order kept. */
void json_value(struct json_writer *w, const char *key, const struct json *v);
/* The same, without a member if it is an object. */
void json_value_without(struct json_writer *w, const char *key, const struct json *v,
                        const char *member);
/* The same as a text of its own, in the arena; "" without memory. */
const char *json_to_text(struct arena *a, const struct json *v);
/* Text that is JSON already and was parsed before it was stored. Compact and without a mask it is
 * copied as it is; else it is written through the mask and the printing style, and text that does
 * not parse writes null. */
void json_raw(struct json_writer *w, const char *key, const char *text, size_t n);
/* True when key would be written at this place: lets a handler skip work for fields nobody asked
 * for. */
bool json_wants(const struct json_writer *w, const char *key);

/* What those are made of: an object or array, a string, and n bytes that are put into the output as
 * they are. len: of the key; with JSON_LITERAL the key is a constant of ours, which needs no
 * escape.
 */
#define JSON_LITERAL ((size_t)1 << 31)
void json_open(struct json_writer *w, const char *key, size_t len, char open, char close);
void json_text(struct json_writer *w, const char *key, size_t len, const char *s, size_t n);
void json_plain(struct json_writer *w, const char *key, size_t len, const char *text, size_t n);

/* Members of an object that this writer, or one of the same style, mask and depth, has written
 * already, not as the first ones: n bytes that it put out then. */
static inline void json_again(struct json_writer *w, const char *text, size_t n)
{
    if (!w->skip)
        buf_add(w->out, text, n);
    else if (w->build)
        w->out->failed = true;
}
/* An item of an array: an object that this writer, or one of the same style, mask and depth, has
 * written before; n bytes from its brace on. */
void json_item_again(struct json_writer *w, const char *text, size_t n);
/* Whether what is written next is the first member or item. */
static inline bool json_is_first(const struct json_writer *w)
{
    return !w->level[w->depth].filled;
}

/* Where a writer is between two values; and back there: what was written since is gone. */
struct json_mark {
    size_t len;
    unsigned depth, skip;
    bool filled;
};
static inline struct json_mark json_mark(const struct json_writer *w)
{
    return (struct json_mark){w->out->len, w->depth, w->skip, w->level[w->depth].filled};
}
static inline void json_back(struct json_writer *w, const struct json_mark *m)
{
    w->out->failed |= w->build != NULL;
    w->out->len = m->len;
    w->depth = m->depth;
    w->skip = m->skip;
    w->level[m->depth].filled = m->filled;
}

enum json_time { JSON_TIME_S_Z, JSON_TIME_MS_Z, JSON_TIME_US_Z };
/* 2026-03-12T07:26:40.173Z; us since 1970; null outside of the years 0001 to 9999. */
void json_time(struct json_writer *w, const char *key, int64_t us, enum json_time form);

/* ---- inline ---- */

static inline __attribute__((always_inline)) size_t json_key_len(const char *key)
{
    if (!key)
        return 0;
    return __builtin_constant_p(strlen(key)) ? strlen(key) | JSON_LITERAL : strlen(key);
}

static inline void json_word(struct json_writer *w, const char *key, const char *s)
{
    json_wordn(w, key, json_key_len(key), s, strlen(s));
}

static inline void json_obj(struct json_writer *w, const char *key)
{
    json_open(w, key, json_key_len(key), '{', '}');
}

static inline void json_arr(struct json_writer *w, const char *key)
{
    json_open(w, key, json_key_len(key), '[', ']');
}

static inline void json_strn(struct json_writer *w, const char *key, const char *s, size_t n)
{
    json_text(w, key, json_key_len(key), s, n);
}

static inline void json_int(struct json_writer *w, const char *key, int64_t v)
{
    json_intn(w, key, json_key_len(key), v);
}

static inline void json_null(struct json_writer *w, const char *key)
{
    json_plain(w, key, json_key_len(key), "null", 4);
}

static inline void json_str(struct json_writer *w, const char *key, const char *s)
{
    if (s)
        json_strn(w, key, s, strlen(s));
    else
        json_null(w, key);
}

static inline void json_str_opt(struct json_writer *w, const char *key, const char *s)
{
    if (s)
        json_strn(w, key, s, strlen(s));
}

static inline void json_bool(struct json_writer *w, const char *key, bool v)
{
    json_plain(w, key, json_key_len(key), v ? "true" : "false", v ? 4 : 5);
}

static inline void json_bool_opt(struct json_writer *w, const char *key, bool v)
{
    if (v)
        json_bool(w, key, v);
}

static inline void json_number(struct json_writer *w, const char *key, const char *text, size_t n)
{
    json_plain(w, key, json_key_len(key), text, n);
}

#endif

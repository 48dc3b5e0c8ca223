/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements with their parameters: a query is asked in one expression, and the type of each
 * argument says how it is bound.
 *
 *     static struct sql_text q = SQL_TEXT("select id from cal_event where calendar = :c and key =
 * :k"); sqlite3_stmt *st; int r = TX_ROW(tx, &q, &st, cal->id, key);         1: st is at a row;
 * sql_done(st) ends it
 *
 *     return TX_RUN(tx, &q, id, email);
 *
 * Arguments are given in the order in which the parameters first appear in the text. Integers of
 * any width, booleans and enums are integers; a char pointer is a string, NULL null; the SQL_...
 * values below say the rest. Strings and blobs are borrowed until the statement is done or used
 * again. At most 48 of them.
 */
#ifndef SOSIA_STORE_SQL_H
#define SOSIA_STORE_SQL_H

#include "engine/base/each.h"
#include "engine/store/slot.h"

struct sql_value {
    enum { SQL_IS_INT, SQL_IS_REAL, SQL_IS_STRING, SQL_IS_BLOB } kind;
    union {
        int64_t number; /* of an int; of a string or blob its length in bytes, -1: up to the NUL */
        double real;
    };
    const void *data; /* NULL: null */
};

static inline struct sql_value sql_of_int(int64_t v)
{
    return (struct sql_value){.kind = SQL_IS_INT, .number = v};
}

static inline struct sql_value sql_of_real(double v)
{
    return (struct sql_value){.kind = SQL_IS_REAL, .real = v};
}

static inline struct sql_value sql_of_string(const char *s)
{
    return (struct sql_value){.kind = SQL_IS_STRING, .number = -1, .data = s};
}

static inline struct sql_value sql_of_value(struct sql_value v)
{
    return v;
}

/* n bytes of a string, which needs no NUL. */
static inline struct sql_value sql_stringn(const char *s, size_t n)
{
    return (struct sql_value){.kind = SQL_IS_STRING, .number = (int64_t)n, .data = s};
}

/* n bytes; none are a blob too. */
static inline struct sql_value sql_blob(const void *data, size_t n)
{
    return (struct sql_value){.kind = SQL_IS_BLOB, .number = (int64_t)n, .data = n ? data : ""};
}

static inline struct sql_value sql_null(void)
{
    return (struct sql_value){.kind = SQL_IS_STRING, .number = -1};
}

/* An integer, or null where it is `null`: 0 for references to nothing. */
static inline struct sql_value sql_int_or_null(int64_t v, int64_t null)
{
    return v == null ? sql_null() : sql_of_int(v);
}

#define SQL_VALUE(x)                                                                               \
    _Generic((x),                                                                                  \
        char *: sql_of_string,                                                                     \
        const char *: sql_of_string,                                                               \
        double: sql_of_real,                                                                       \
        struct sql_value: sql_of_value,                                                            \
        default: sql_of_int)(x)

static inline void sql_bind(sqlite3_stmt *st, int at, struct sql_value v)
{
    if (v.kind == SQL_IS_INT)
        sqlite3_bind_int64(st, at, v.number);
    else if (v.kind == SQL_IS_REAL)
        sqlite3_bind_double(st, at, v.real);
    else if (v.kind == SQL_IS_BLOB)
        sqlite3_bind_blob64(st, at, v.data, (sqlite3_uint64)v.number, SQLITE_STATIC);
    else if (v.number < 0)
        sqlite3_bind_text(st, at, v.data, -1, SQLITE_STATIC);
    else
        sqlite3_bind_text64(st, at, v.data, (sqlite3_uint64)v.number, SQLITE_STATIC, SQLITE_UTF8);
}

/* A statement without parameters; NULL with err when it can't be prepared. */
static inline sqlite3_stmt *sql_plain(struct slot *s, struct sosia_err *why, struct sql_text *q)
{
    sqlite3_stmt *st = sql_use(s, q);
    if (!st)
        slot_fail(s, why);
    return st;
}

static inline sqlite3_stmt *sql_with(struct slot *s, struct sosia_err *why, struct sql_text *q,
                                     const struct sql_value *values, int n)
{
    sqlite3_stmt *st = sql_plain(s, why, q);
    for (int i = 0; st && i < n; i++)
        if (values[i].kind < SQL_IS_STRING || values[i].data) /* all are null so far */
            sql_bind(st, i + 1, values[i]);
    return st;
}

/* A statement that one of the macros below made, to its end: 0, -1. */
static inline int sql_finish(struct slot *s, struct sosia_err *why, sqlite3_stmt *st)
{
    return st ? sql_run(s, st, why) : -1;
}

/* To its first row: 1 with *ret_st at it, 0 none (and reset), -1. */
static inline int sql_first(struct slot *s, struct sosia_err *why, sqlite3_stmt *st,
                            sqlite3_stmt **ret_st)
{
    *ret_st = st;
    return st ? sql_step(s, st, why) : -1;
}

/* The integer in its first row's first column: 1, 0 none (*ret stays), -1. */
static inline int sql_first_int(struct slot *s, struct sosia_err *why, sqlite3_stmt *st,
                                int64_t *ret)
{
    int r = st ? sql_step(s, st, why) : -1;
    if (r == 1) {
        *ret = sqlite3_column_int64(st, 0);
        sql_done(st);
    }
    return r;
}

#define SQL_VALUES(...) ((const struct sql_value[]){EACH(SQL_VALUE, __VA_ARGS__)})

/* In a transaction (or what has .db and .err like one). Without parameters: TX_PLAIN(tx, &q) in the
 * place of TX_QUERY. */
#define TX_PLAIN(tx, q) sql_plain((tx)->db, (tx)->err, q)
/* The statement with its parameters bound; NULL with tx->err. */
#define TX_QUERY(tx, q, ...)                                                                       \
    sql_with((tx)->db, (tx)->err, q, SQL_VALUES(__VA_ARGS__), COUNT(__VA_ARGS__))
/* 0, -1. */
#define TX_RUN(tx, q, ...) sql_finish((tx)->db, (tx)->err, TX_QUERY(tx, q, __VA_ARGS__))
/* 1, 0, -1 as sql_first(), sql_first_int(). */
#define TX_ROW(tx, q, ret_st, ...)                                                                 \
    sql_first((tx)->db, (tx)->err, TX_QUERY(tx, q, __VA_ARGS__), ret_st)
#define TX_INT(tx, q, ret, ...)                                                                    \
    sql_first_int((tx)->db, (tx)->err, TX_QUERY(tx, q, __VA_ARGS__), ret)
/* The next row: 1, 0 (and reset), -1. */
#define TX_STEP(tx, st) sql_step((tx)->db, st, (tx)->err)

#endif

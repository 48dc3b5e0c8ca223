/* SPDX-License-Identifier: Apache-2.0 */
#include "grading/sql.h"
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include <strings.h>

#define STEPS 20000 /* of a thousand instructions of SQLite's each */

/* Behind whitespace and comments. */
static const char *skip(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (p[0] == '-' && p[1] == '-') {
            p += strcspn(p, "\n");
        } else if (p[0] == '/' && p[1] == '*') {
            const char *end = strstr(p + 2, "*/");
            p = end ? end + 2 : p + strlen(p);
        } else {
            return p;
        }
    }
}

static bool word_is(const char *p, const char *word)
{
    size_t n = strlen(word);
    char c = p[0] ? p[n] : 0;
    return strncasecmp(p, word, n) == 0 && !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                             (c >= '0' && c <= '9') || c == '_');
}

bool sql_is_question(const char *sql)
{
    const char *p = skip(sql);
    return word_is(p, "select") || word_is(p, "values") || word_is(p, "with");
}

/* The cores' views in front of it. */
static const char *with_views(struct tx *tx, const char *sql)
{
    struct buf b;
    const char *p = skip(sql);
    bool any = false, own = word_is(p, "with");
    buf_init(&b, 0);
    if (own)
        p = skip(p + 4);
    bool recursive = own && word_is(p, "recursive");
    if (recursive)
        p = skip(p + 9);
    for (const struct sosia_core **c = tx->engine->cores; *c; c++) {
        if (!(*c)->questions)
            continue;
        buf_puts(&b, any ? ", " : recursive ? "with recursive " : "with ");
        buf_puts(&b, (*c)->questions);
        any = true;
    }
    buf_puts(&b, own && any ? ", " : own && recursive ? "with recursive " : own ? "with " : " ");
    buf_puts(&b, p);
    const char *text = arena_memdup(tx->arena, buf_str(&b), b.len);
    buf_done(&b);
    return text;
}

static int count_steps(void *arg)
{
    int *left = arg;
    return --*left < 0;
}

static void write_column(struct json_writer *w, const char *name, sqlite3_stmt *st, int at)
{
    const char *text;
    char number[32];
    size_t n;
    switch (sqlite3_column_type(st, at)) {
    case SQLITE_INTEGER:
        json_int(w, name, sqlite3_column_int64(st, at));
        break;
    case SQLITE_FLOAT:
        sqlite3_snprintf(sizeof number, number, "%!.15g", sqlite3_column_double(st, at));
        if (strspn(number, "0123456789.-+e") == strlen(number))
            json_number(w, name, number, strlen(number));
        else
            json_null(w, name);
        break;
    case SQLITE_TEXT:
        text = (const char *)sqlite3_column_text(st, at);
        n = (size_t)sqlite3_column_bytes(st, at);
        if (text && utf8_valid(text, n) && !memchr(text, 0, n))
            json_strn(w, name, text, n);
        else
            json_null(w, name);
        break;
    default:
        json_null(w, name);
    }
}

static int read_row(struct tx *tx, sqlite3_stmt *st, const struct json **ret)
{
    struct buf b;
    struct json_writer w;
    int n = sqlite3_column_count(st);
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    if (n != 1)
        json_obj(&w, NULL);
    for (int i = 0; i < n; i++)
        write_column(&w, n == 1 ? NULL : sqlite3_column_name(st, i), st, i);
    if (n != 1)
        json_end(&w);
    int rc = json_parse(tx->arena, b.data ? b.data : "", b.len, NULL, ret, tx->err);
    buf_done(&b);
    return rc;
}

int sql_ask(struct tx *tx, const char *sql, const struct json **ret, const char **ret_why)
{
    sqlite3 *db = slot_db(tx->db);
    sqlite3_stmt *st = NULL;
    const char *tail = NULL, *text = with_views(tx, sql);
    int left = STEPS, rc = 0;
    *ret = NULL;
    *ret_why = NULL;
    if (sqlite3_prepare_v3(db, text, -1, 0, &st, &tail) != SQLITE_OK)
        *ret_why = arena_printf(tx->arena, "SQL: %s", sqlite3_errmsg(db));
    else if (!st || *skip(tail + (*tail == ';')) || !sqlite3_stmt_readonly(st))
        *ret_why = "SQL: must be one question that only reads, is not";
    if (!*ret_why) {
        sqlite3_progress_handler(db, 1000, count_steps, &left);
        int r = sqlite3_step(st);
        sqlite3_progress_handler(db, 0, NULL, NULL);
        if (r == SQLITE_ROW)
            rc = read_row(tx, st, ret);
        else if (r == SQLITE_INTERRUPT)
            *ret_why = "SQL: must end within 20 million steps, does not";
        else if (r != SQLITE_DONE)
            *ret_why = arena_printf(tx->arena, "SQL: %s", sqlite3_errmsg(db));
    }
    sqlite3_finalize(st);
    return rc < 0 ? -1 : *ret_why != NULL;
}

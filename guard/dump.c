/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules of a world keep beside its state, which no dump has by itself: for people who look
 * into it. It is not a part of seed documents. */
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "guard/simulate.h"
#include "guard/state.h"

/* A column of a row, as a member: times are microseconds of a world. */
enum column_kind { TEXT_COLUMN, NUMBER_COLUMN, TIME_COLUMN, JSON_COLUMN, HASHES_COLUMN };
struct column {
    const char *name;
    enum column_kind kind;
};

static void write_column(struct json_writer *w, sqlite3_stmt *st, int at, const struct column *c)
{
    if (sqlite3_column_type(st, at) == SQLITE_NULL)
        return;
    switch (c->kind) {
    case TEXT_COLUMN:
        json_str(w, c->name, (const char *)sqlite3_column_text(st, at));
        break;
    case NUMBER_COLUMN:
        json_int(w, c->name, sqlite3_column_int64(st, at));
        break;
    case TIME_COLUMN:
        json_time(w, c->name, sqlite3_column_int64(st, at), JSON_TIME_US_Z);
        break;
    case JSON_COLUMN:
        json_raw(w, c->name, (const char *)sqlite3_column_text(st, at),
                 (size_t)sqlite3_column_bytes(st, at));
        break;
    case HASHES_COLUMN:
        json_int(w, c->name, sqlite3_column_bytes(st, at) / 8);
        break;
    }
}

static int write_rows(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *q,
                      const struct column *columns, int n)
{
    sqlite3_stmt *st = TX_PLAIN(tx, q);
    int r = st ? 0 : -1;
    json_arr(w, member);
    while (st && (r = TX_STEP(tx, st)) == 1) {
        json_obj(w, NULL);
        for (int i = 0; i < n; i++)
            write_column(w, st, i, &columns[i]);
        json_end(w);
    }
    json_end(w);
    return r;
}

/* The columns are in the order of their queries. */
static int write_all(struct tx *tx, struct json_writer *w)
{
    static struct sql_text policies =
        SQL_TEXT("select name, hash, set_us, document from guard_policy order by name");
    static const struct column policy[] = {{"name", TEXT_COLUMN},
                                           {"hash", TEXT_COLUMN},
                                           {"set", TIME_COLUMN},
                                           {"document", TEXT_COLUMN}};
    static struct sql_text limits =
        SQL_TEXT("select policy, place, used, since_us from guard_count order by policy, place");
    static const struct column limit[] = {{"policy", TEXT_COLUMN},
                                          {"place", NUMBER_COLUMN},
                                          {"used", NUMBER_COLUMN},
                                          {"since", TIME_COLUMN}};
    static struct sql_text actions =
        SQL_TEXT("select name, state, actor, app, method, tool, policy, rule, why, held_us, "
                 "expires_us, decided_us, decided_by, via, comment, executed_us, status, asked, "
                 "arguments, edits, outcome from guard_action order by id");
    static const struct column action[] = {
        {"action", TEXT_COLUMN},    {"state", TEXT_COLUMN},    {"actor", TEXT_COLUMN},
        {"app", TEXT_COLUMN},       {"method", TEXT_COLUMN},   {"tool", TEXT_COLUMN},
        {"policy", TEXT_COLUMN},    {"rule", TEXT_COLUMN},     {"why", TEXT_COLUMN},
        {"held", TIME_COLUMN},      {"expires", TIME_COLUMN},  {"decided", TIME_COLUMN},
        {"by", TEXT_COLUMN},        {"via", TEXT_COLUMN},      {"comment", TEXT_COLUMN},
        {"executed", TIME_COLUMN},  {"status", NUMBER_COLUMN}, {"asked", TEXT_COLUMN},
        {"arguments", JSON_COLUMN}, {"edits", JSON_COLUMN},    {"outcome", JSON_COLUMN}};
    static struct sql_text reads = SQL_TEXT("select run, source, author, method, at_us, "
                                            "everything, marked from guard_read order by id");
    static const struct column read[] = {{"run", NUMBER_COLUMN},   {"row", TEXT_COLUMN},
                                         {"author", TEXT_COLUMN},  {"method", TEXT_COLUMN},
                                         {"at", TIME_COLUMN},      {"everything", NUMBER_COLUMN},
                                         {"values", HASHES_COLUMN}};
    static struct sql_text marks = SQL_TEXT("select entity, row, source, author, marked from "
                                            "guard_mark order by entity, row, id");
    static const struct column mark[] = {{"entity", TEXT_COLUMN},
                                         {"id", NUMBER_COLUMN},
                                         {"row", TEXT_COLUMN},
                                         {"author", TEXT_COLUMN},
                                         {"values", HASHES_COLUMN}};
#define ROWS_OF(member, query, columns)                                                            \
    write_rows(tx, w, member, query, columns, (int)SOSIA_LEN(columns))
    return ROWS_OF("policies", &policies, policy) < 0 || ROWS_OF("limits", &limits, limit) < 0 ||
                   ROWS_OF("actions", &actions, action) < 0 || ROWS_OF("reads", &reads, read) < 0 ||
                   ROWS_OF("marks", &marks, mark) < 0
               ? -1
               : 0;
}

static int dump(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct sosia_blob *trouble = arg;
    json_obj(w, NULL);
    int rc = write_all(tx, w);
    json_raw(w, "trouble", trouble->data, trouble->len);
    json_end(w);
    return rc;
}

int guard_dump(struct sosia_engine *e, uint64_t world, struct sosia_blob *ret_json,
               struct sosia_err *err)
{
    struct sosia_blob trouble;
    if (sosia_world_faults_info(e, world, &trouble, err) < 0)
        return -1;
    int rc = world_read(e, world, true, dump, &trouble, ret_json, err);
    sosia_blob_free(&trouble);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `sosia suite import`: a suite about tables, with the seed that is in tables too, as one file of
 * version 0.1 that makes the world it asks for. */
#include "cli/cli.h"
#include "cli/import/import.h"
#include "engine/json/doc.h"
#include "grading/suite.h"
#include "grading/tables.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- tables ---- */

const struct json *import_table(const struct import *im, const char *name)
{
    const struct json *rows = json_get(im->tables, name);
    return rows && rows->type == JSON_ARRAY ? rows : NULL;
}

const char *import_text(const struct import *im, const struct json *row, const char *column)
{
    const struct json *v = json_get(row, column);
    (void)im;
    return v && (v->type == JSON_STRING || v->type == JSON_NUMBER) ? v->str : NULL;
}

const char *import_id(const struct import *im, const char *table, const char *id)
{
    const char *made = id ? map_get(&im->ids, arena_printf(im->arena, "%s %s", table, id)) : NULL;
    return made ? made : id;
}

void import_leave(struct import *im, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    const char *what = arena_vprintf(im->arena, fmt, ap);
    va_end(ap);
    struct import_left **at = &im->left;
    while (*at && strcmp((*at)->what, what) != 0)
        at = &(*at)->next;
    if (!*at) {
        *at = arena_calloc(im->arena, 1, sizeof **at);
        (*at)->what = what;
    }
    (*at)->n++;
}

static bool says_something(const struct json *v)
{
    return !(
        v->type == JSON_NULL || json_is_false(v) ||
        ((v->type == JSON_STRING || v->type == JSON_ARRAY || v->type == JSON_OBJECT) && !v->n));
}

void import_columns(struct import *im, const char *table, const char *const *known)
{
    const struct json *rows = import_table(im, table);
    for (uint32_t i = 0; rows && i < rows->n; i++) {
        const struct json *row = &rows->items[i];
        for (uint32_t k = 0; row->type == JSON_OBJECT && k < row->n; k++) {
            const char *const *name = known;
            while (*name && strcmp(*name, row->members[k].key) != 0)
                name++;
            if (!*name && says_something(&row->members[k].value))
                import_leave(im, "%s.%s", table, row->members[k].key);
        }
    }
}

/* ---- the seed ---- */

static int check_tables(struct import *im, const char *name)
{
    if (im->tables->type != JSON_OBJECT)
        return sosia_fail(im->err, SOSIA_E_INVALID, "seed", NULL, "%s: must be an object of tables",
                          name);
    for (uint32_t i = 0; i < im->tables->n; i++) {
        const struct json_member *t = &im->tables->members[i];
        if (t->value.type != JSON_ARRAY)
            return sosia_fail(im->err, SOSIA_E_INVALID, "seed", NULL,
                              "%s: %.60s: must be a list of rows", name, t->key);
        for (uint32_t k = 0; k < t->value.n; k++)
            if (t->value.items[k].type != JSON_OBJECT)
                return sosia_fail(im->err, SOSIA_E_INVALID, "seed", NULL,
                                  "%s: %.60s[%u]: must be a row, an object", name, t->key, k);
        if (!table_is_known(t->key))
            for (uint32_t k = 0; k < t->value.n; k++)
                import_leave(im, "table %s", t->key);
    }
    return 0;
}

/* The member "seed": what the tables are as a seed document. time: of its clock; NULL: a minute
 * behind the newest thing that is there. */
static int write_seed(struct import *im, const char *time, const char *file)
{
    bool chat = import_table(im, "teams"), calendar = import_table(im, "calendar_users");
    int64_t now = 0;
    if (check_tables(im, file) < 0)
        return -1;
    if (chat == calendar)
        return sosia_fail(im->err, SOSIA_E_INVALID, "seed", NULL,
                          "%s: must have one of the tables teams and calendar_users, has %s", file,
                          chat ? "both" : "neither");
    json_obj(im->w, "seed");
    json_int(im->w, "sosia", 1);
    if ((chat ? import_slack(im, &now) : import_calendar(im, &now)) < 0)
        return -1;
    if (time)
        json_str(im->w, "time", time);
    else if (now)
        json_time(im->w, "time", now + 60 * INT64_C(1000000), JSON_TIME_S_Z);
    json_end(im->w);
    return 0;
}

/* ---- the suite ---- */

#define MENTIONS "" /* in the place of a table: a text in which people are mentioned */

/* Which table's id a column of a table is; NULL: none. */
static const char *table_of_id(const char *table, const char *column)
{
    static const char *const columns[][2] = {{"user_id", "users"},
                                             {"channel_id", "channels"},
                                             {"message_id", "messages"},
                                             {"parent_id", "messages"},
                                             {"team_id", "teams"},
                                             {"reaction_type", "reactions"},
                                             {"message_text", MENTIONS},
                                             {"blocks", MENTIONS},
                                             {"event_id", "calendar_events"},
                                             {"recurring_event_id", "calendar_events"}};
    if (strcmp(table, "calendar_events") == 0 && strcmp(column, "id") == 0)
        return table;
    for (size_t i = 0; i < SOSIA_LEN(columns); i++)
        if (strcmp(columns[i][0], column) == 0)
            return columns[i][1];
    return NULL;
}

/* A condition with the ids of our document in it. */
static void write_value(struct import *im, const char *key, const struct json *v, const char *of)
{
    switch (v->type) {
    case JSON_STRING:
        json_str(im->w, key,
                 strcmp(of, MENTIONS) == 0 ? import_mentions(im, v->str)
                                           : import_id(im, of, v->str));
        break;
    case JSON_ARRAY:
        json_arr(im->w, key);
        for (uint32_t i = 0; i < v->n; i++)
            write_value(im, NULL, &v->items[i], of);
        json_end(im->w);
        break;
    case JSON_OBJECT:
        json_obj(im->w, key);
        for (uint32_t i = 0; i < v->n; i++)
            write_value(im, v->members[i].key, &v->members[i].value, of);
        json_end(im->w);
        break;
    default:
        json_value(im->w, key, v);
    }
}

static void write_columns(struct import *im, const char *key, const struct json *where,
                          const char *table)
{
    if (where->type != JSON_OBJECT || !table) {
        json_value(im->w, key, where);
        return;
    }
    json_obj(im->w, key);
    for (uint32_t i = 0; i < where->n; i++) {
        const struct json_member *m = &where->members[i];
        const char *of = table_of_id(table, m->key);
        if (of)
            write_value(im, m->key, &m->value, of);
        else
            json_value(im->w, m->key, &m->value);
    }
    json_end(im->w);
}

static void write_assertions(struct import *im, const char *key, const struct json *list)
{
    if (list->type == JSON_OBJECT) { /* a whole specification */
        json_obj(im->w, key);
        for (uint32_t i = 0; i < list->n; i++) {
            const struct json_member *m = &list->members[i];
            if (strcmp(m->key, "assertions") == 0)
                write_assertions(im, m->key, &m->value);
            else
                json_value(im->w, m->key, &m->value);
        }
        json_end(im->w);
        return;
    }
    json_arr(im->w, key);
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *a = &list->items[i];
        json_obj(im->w, NULL);
        for (uint32_t k = 0; k < a->n; k++) {
            const struct json_member *m = &a->members[k];
            if (strcmp(m->key, "where") == 0 || strcmp(m->key, "expected_changes") == 0)
                write_columns(im, m->key, &m->value, json_get_str(a, "entity"));
            else
                json_value(im->w, m->key, &m->value);
        }
        json_end(im->w);
    }
    json_end(im->w);
}

/* The address of somebody who is known by an id, or the id of the seed's tables. */
static const char *actor_of(const struct import *im, const char *id)
{
    static const char *const tables[][2] = {{"users", "user_id"}, {"calendar_users", "id"}};
    for (size_t t = 0; im->tables && t < SOSIA_LEN(tables); t++) {
        const struct json *rows = import_table(im, tables[t][0]);
        for (uint32_t i = 0; rows && i < rows->n; i++) {
            const char *own = import_text(im, &rows->items[i], tables[t][1]),
                       *email = import_text(im, &rows->items[i], "email");
            if (own && strcmp(own, id) == 0)
                return email ? email : import_text(im, &rows->items[i], "username");
        }
    }
    return NULL;
}

/* name: where a task has no name of the world it begins in. */
static int write_task(struct import *im, const struct json *t, const char *name)
{
    const char *who = json_get_str(t, "impersonate_user_id"),
               *actor = who ? actor_of(im, who) : NULL;
    json_obj(im->w, NULL);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct json_member *m = &t->members[i];
        if (strcmp(m->key, "actor") == 0 && actor)
            continue;
        if (strcmp(m->key, "impersonate_user_id") == 0 && who)
            json_str(im->w, m->key, import_id(im, "users", who));
        else if ((strcmp(m->key, "assertions") == 0 || strcmp(m->key, "expected_output") == 0) &&
                 (m->value.type == JSON_ARRAY || m->value.type == JSON_OBJECT))
            write_assertions(im, m->key, &m->value);
        else
            json_value(im->w, m->key, &m->value);
    }
    if (actor)
        json_str(im->w, "actor", actor);
    if (im->tables && !json_get(t, "seed_template"))
        json_str(im->w, "seed_template", name);
    json_end(im->w);
    if (who && im->tables && !actor)
        return sosia_fail(im->err, SOSIA_E_INVALID, "seed", NULL,
                          "impersonate_user_id must be of somebody in the seed, \"%.80s\" is not",
                          who);
    return 0;
}

static int write_suite(struct import *im, const struct json *top, const char *time,
                       const char *seed_file, const char *name)
{
    const struct json *tests = json_get(top, "tests");
    if (import_reactions(im) < 0)
        return -1;
    json_obj(im->w, NULL);
    json_str(im->w, "version", "0.1");
    if (im->tables && write_seed(im, time, seed_file) < 0)
        return -1;
    for (uint32_t i = 0; tests && i < top->n; i++) {
        const struct json_member *m = &top->members[i];
        bool ours = strcmp(m->key, "version") == 0 || strcmp(m->key, "tests") == 0 ||
                    (strcmp(m->key, "seed") == 0 && im->tables);
        if (!ours)
            json_value(im->w, m->key, &m->value);
    }
    json_arr(im->w, "tests");
    for (uint32_t i = 0; i < (tests ? tests->n : 1); i++)
        if (write_task(im, tests ? &tests->items[i] : top, name) < 0)
            return -1;
    json_end(im->w);
    json_end(im->w);
    return 0;
}

/* Reads both files, which are JSON or YAML, and writes the suite. */
static int convert(const struct suite_import *opt, struct arena *a, struct buf *out,
                   struct import_left **ret_left, struct sosia_err *err)
{
    char name[DOCUMENT_NAME_MAX + 1], seed_name[DOCUMENT_NAME_MAX + 1];
    const struct json *top, *tables = NULL;
    struct json_writer w;
    struct doc d;
    if (doc_open(&d, a, opt->suite, strlen(opt->suite), document_name(opt->suite_file, name), 0,
                 &top, err) < 0 ||
        (opt->seed && doc_open(&d, a, opt->seed, strlen(opt->seed),
                               document_name(opt->seed_file, seed_name), 0, &tables, err) < 0))
        return -1;
    if (top->type != JSON_OBJECT)
        return sosia_fail(err, SOSIA_E_INVALID, "suite", NULL, "%s: must be a suite, an object",
                          name);
    json_init(&w, out, true, NULL);
    struct import im = {.arena = a, .tables = tables, .w = &w, .err = err};
    map_init(&im.ids);
    int rc = write_suite(&im, top, opt->time, opt->seed ? seed_name : "", name);
    map_done(&im.ids);
    *ret_left = im.left;
    if (rc == 0 && (buf_failed(out) || arena_failed(a)))
        rc = sosia_fail_memory(err);
    return rc;
}

/* The world that the seed makes, and the suite itself, are looked at before anything is written. */
static int check(const struct buf *text, const char *name, struct sosia_err *err)
{
    struct sosia_engine *engine = NULL;
    struct sosia_suite *suite = NULL;
    uint64_t world;
    int rc = sosia_suite_open(buf_str((struct buf *)text), text->len, name, &suite, err);
    if (rc == 0 && suite->tasks[0].seed && (rc = sosia_engine_open(NULL, &engine, err)) == 0) {
        struct arena a;
        arena_init(&a, 0);
        const char *doc = json_to_text(&a, suite->tasks[0].seed);
        const struct sosia_world_options opt = {
            .seed_doc = doc, .seed_doc_len = strlen(doc), .seed_doc_name = "seed"};
        rc = arena_failed(&a) ? sosia_fail_memory(err)
                              : sosia_world_create(engine, &opt, &world, err);
        arena_done(&a);
        sosia_engine_close(engine);
    }
    sosia_suite_close(suite);
    return rc;
}

int suite_import(const struct suite_import *opt, const char *output, struct sosia_err *err)
{
    struct import_left *left = NULL;
    char name[DOCUMENT_NAME_MAX + 1];
    struct sosia_suite *suite = NULL;
    struct arena a;
    struct buf out;
    arena_init(&a, 0);
    buf_init(&out, 0);
    document_name(opt->suite_file, name);
    int rc = sosia_suite_open(opt->suite, strlen(opt->suite), name, &suite, err);
    if (rc == 0 && (!suite->loose || suite->tasks[0].names != NAMES_TABLES))
        rc = sosia_fail(err, SOSIA_E_INVALID, "suite", NULL,
                        "%s: must be of version 0.1 and about tables", name);
    sosia_suite_close(suite);
    if (rc == 0)
        rc = convert(opt, &a, &out, &left, err);
    if (rc == 0)
        rc = check(&out, name, err);
    for (; rc == 0 && left; left = left->next)
        fprintf(stderr, "left out: %s: %zu\n", left->what, left->n);
    if (rc == 0 && write_file(output ? output : "-", &out) < 0)
        rc = 1; /* it was said */
    buf_done(&out);
    arena_done(&a);
    return rc;
}

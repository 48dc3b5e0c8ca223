/* SPDX-License-Identifier: Apache-2.0 */
#include "grading/sql.h"
#include "grading/copies.h"
#include "engine/base/made.h"
#include "engine/base/stop.h"
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include "services/list.h"
#include <strings.h>
#include <time.h>

#define STEPS       20000       /* of a thousand instructions of SQLite's each */
#define OFTEN       10          /* instructions between looks at the clock */
#define LONGEST     (256 << 10) /* bytes of a text */
#define PATTERN     1000        /* bytes of one */
#define CHECK_STEPS 100         /* the same of its parser */
#define COPIES_MAX  1000        /* of what a question names */

const char *sql_skip(const char *p)
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
    const char *p = sql_skip(sql);
    return word_is(p, "select") || word_is(p, "values") || word_is(p, "with");
}

/* ---- views ---- */

enum view_form {
    WITH_ROWS,
    EMPTY, /* without rows, and without tables behind them */
    NAME
};

/* A question with views in front of it, or a list of them. */
struct wording {
    struct buf text;
    const char *next; /* what comes before the next view */
    enum view_form form;
};

static void add_view(struct wording *w, const struct question_view *v)
{
    buf_printf(&w->text, "%s%s", w->next, v->name);
    w->next = ", ";
    if (w->form == NAME)
        return;
    buf_printf(&w->text, " (%s) as (", v->columns);
    if (w->form == EMPTY) {
        buf_puts(&w->text, "select null");
        for (const char *p = v->columns; (p = strchr(p, ',')); p++)
            buf_puts(&w->text, ", null");
    } else {
        buf_puts(&w->text, v->select);
    }
    buf_byte(&w->text, ')');
}

static void add_views(struct wording *w, const struct sosia_core *const *cores)
{
    for (; cores && *cores; cores++)
        for (const struct question_view *v = (*cores)->questions; v && v->name; v++)
            add_view(w, v);
}

static void add_all_views(struct wording *w)
{
    add_views(w, (const struct sosia_core *const[]){&world_core, NULL});
    for (const struct sosia_service *const *s = sosia_services; *s; s++)
        add_views(w, (*s)->cores);
}

static const char *take_text(struct wording *w, struct arena *a, struct sosia_err *err)
{
    const char *text = buf_made(&w->text, a);
    if (!text)
        sosia_fail_memory(err);
    return text;
}

/* In front of it: the views of these cores; NULL: of all that there are, empty. NULL without
 * memory. */
static const char *with_views(struct arena *a, const struct sosia_core *const *cores,
                              const char *sql, struct sosia_err *err)
{
    const char *p = sql_skip(sql);
    bool own = word_is(p, "with");
    if (own)
        p = sql_skip(p + 4);
    bool recursive = own && word_is(p, "recursive");
    if (recursive)
        p = sql_skip(p + 9);
    struct wording w = {.next = recursive ? "with recursive " : "with ",
                        .form = cores ? WITH_ROWS : EMPTY};
    buf_init(&w.text, 0);
    if (cores)
        add_views(&w, cores);
    else
        add_all_views(&w);
    buf_printf(&w.text, "%s%s", own ? w.next : " ", p);
    return take_text(&w, a, err);
}

static const char *name_views(struct arena *a, struct sosia_err *err)
{
    struct wording w = {.next = "", .form = NAME};
    buf_init(&w.text, 0);
    add_all_views(&w);
    return take_text(&w, a, err);
}

/* Whether nothing follows a statement. */
static bool is_last(const char *tail)
{
    return !*sql_skip(tail + (*tail == ';'));
}

static int count_steps(void *arg)
{
    int *left = arg;
    return --*left < 0;
}

/* What a question may take yet. The clock ends what steps don't: a text that is searched for
 * another one is one step, however long they are. Questions that end by the clock are far from
 * those that worlds are asked, so that it does not decide on a busy machine. */
struct bound {
    int64_t steps;
    struct timespec looked; /* by the coarse clock, which costs little */
    int64_t until_ns;       /* of the thread's own time */
    bool late;
};

static int64_t thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int look(void *arg)
{
    struct bound *b = arg;
    struct timespec now;
    if (--b->steps < 0 || stop_wanted())
        return 1;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    if (now.tv_nsec == b->looked.tv_nsec && now.tv_sec == b->looked.tv_sec)
        return 0;
    b->looked = now;
    b->late = thread_ns() > b->until_ns;
    return b->late;
}

/* Limits of a connection that a question has for itself. */
static const struct {
    int id, value;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, LONGEST},
    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, PATTERN},
};

static int ask_bounded(struct slot *slot, sqlite3_stmt *st, int64_t *left_ns, struct bound *b)
{
    sqlite3 *db = slot_db(slot);
    int before[SOSIA_LEN(limits)];
    *b = (struct bound){.steps = (int64_t)STEPS * 1000 / OFTEN, .until_ns = thread_ns() + *left_ns};
    for (size_t i = 0; i < SOSIA_LEN(limits); i++)
        before[i] = sqlite3_limit(db, limits[i].id, limits[i].value);
    sqlite3_progress_handler(db, OFTEN, look, b);
    int r = sqlite3_step(st);
    slot_watch(slot);
    for (size_t i = 0; i < SOSIA_LEN(limits); i++)
        sqlite3_limit(db, limits[i].id, before[i]);
    *left_ns = b->until_ns - thread_ns();
    return r;
}

/* ---- what a question may be about ---- */

/*
 * A question is prepared in a database with nothing in it, in front of it the views without rows.
 * What is found there is a view, a common table expression of its own, or a thing of SQLite's,
 * which the authorizer lets pass or not. In a world the same names mean the same: in front of it
 * are the same views, and names of theirs come before those of tables.
 */

static bool begins(const char *name, const char *prefix)
{
    return sqlite3_strnicmp(name, prefix, (int)strlen(prefix)) == 0;
}

static bool is_function(const char *name, const char *const *list)
{
    while (*list && sqlite3_stricmp(*list, name) != 0)
        list++;
    return *list != NULL;
}

static const char *const table_functions[] = {"json_each", "json_tree", NULL};

/* Before 3.45 a table-valued function is declared where it is named first, by a statement of
 * SQLite's own over its schema, which has the rowids of this: none that a question is about. */
static bool is_declaration(int action, const char *table, const char *column)
{
    return sqlite3_libversion_number() < 3045000 && strcmp(table, "sqlite_master") == 0 &&
           (action == SQLITE_UPDATE || strcmp(column, "ROWID") == 0);
}

static int authorize(void *arg, int action, const char *a, const char *b, const char *db,
                     const char *view)
{
    /* What is not the same whenever it is asked, or wherever. */
    static const char *const unsteady[] = {"random",  "randomblob",    "last_insert_rowid",
                                           "changes", "total_changes", "load_extension",
                                           NULL};
    struct sql_check *k = arg;
    (void)db, (void)view;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_READ:
        /* Of a column that is not empty: of a table, not of a view or an expression in the place of
         * one. The empty column is that of anything of which no column is asked for. */
        if ((*b ? is_function(a, table_functions)
                : !begins(a, "sqlite_") && !begins(a, "pragma_")) ||
            is_declaration(action, a, b))
            return SQLITE_OK;
        k->table = k->table ? k->table : arena_strdup(k->arena, a);
        return SQLITE_DENY;
    case SQLITE_FUNCTION:
        if (!is_function(b, unsteady) && !begins(b, "sqlite_"))
            return SQLITE_OK;
        k->function = k->function ? k->function : arena_strdup(k->arena, b);
        return SQLITE_DENY;
    case SQLITE_UPDATE:
        if (is_declaration(action, a, b))
            return SQLITE_OK;
        k->other = true;
        return SQLITE_DENY;
    default:
        k->other = true;
        return SQLITE_DENY;
    }
}

static int open_empty(struct sql_check *k, struct sosia_err *err)
{
    if (sqlite_start(err) < 0)
        return -1;
    if (sqlite3_open_v2(":memory:", &k->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        sql_check_done(k);
        return sosia_fail_memory(err);
    }
    sqlite3_drop_modules(k->db, (const char **)table_functions);
    sqlite3_db_config(k->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    slot_limit(k->db);
    sqlite3_set_authorizer(k->db, authorize, k);
    return 0;
}

void sql_check_done(struct sql_check *k)
{
    sqlite3_close(k->db);
    k->db = NULL;
}

/* Why it could not be prepared. */
static int refuse(struct sql_check *k, const char **ret_why, struct sosia_err *err)
{
    static const char missing[] = "no such table: ";
    const char *text = sqlite3_errmsg(k->db), *table = k->table;
    if ((sqlite3_errcode(k->db) & 0xff) == SQLITE_NOMEM)
        return sosia_fail_memory(err);
    if (!table && begins(text, missing))
        table = text + strlen(missing);
    if (table) {
        const char *views = name_views(k->arena, err);
        if (!views)
            return -1;
        *ret_why = arena_printf(k->arena, "must be about views, not about \"%.60s\" (views: %s)",
                                table, views);
    } else if (k->function) {
        *ret_why =
            arena_printf(k->arena, "must depend on the world alone, not %.60s()", k->function);
    } else if (k->other) {
        *ret_why = "must be one question that only reads";
    } else {
        *ret_why = arena_printf(k->arena, "must be SQL that can be run: %.200s", text);
    }
    return 1;
}

static double copies(struct arena *a, const char *sql)
{
    struct sql_words words = sql_words_read(a, sql);
    double n = copies_of_own(&words);
    const struct sosia_core *const *cores;
    for (const struct question_view *v = world_core.questions; v->name; v++)
        n *= copies_of(&words, v->name);
    for (const struct sosia_service *const *s = sosia_services; *s; s++)
        for (cores = (*s)->cores; cores && *cores; cores++)
            for (const struct question_view *v = (*cores)->questions; v && v->name; v++)
                n *= copies_of(&words, v->name);
    return n;
}

int sql_check(struct sql_check *k, struct arena *a, const char *sql, const char **ret_why,
              struct sosia_err *err)
{
    sqlite3_stmt *st = NULL;
    const char *tail = NULL, *text = with_views(a, NULL, sql, err);
    int left = CHECK_STEPS;
    if (!text || (!k->db && open_empty(k, err) < 0))
        return -1;
    k->arena = a;
    k->table = k->function = NULL;
    k->other = false;
    double n = copies(a, sql);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    if (n < 0 || n > COPIES_MAX) {
        *ret_why =
            n < 0 ? arena_printf(a, "must have at most %d common table expressions, not more",
                                 COPIES_EXPRESSIONS)
                  : arena_printf(a,
                                 "must name views and common table expressions so that there are "
                                 "at most %d copies of them, has up to %.3g",
                                 COPIES_MAX, n);
        return 1;
    }
    sqlite3_progress_handler(k->db, 1000, count_steps, &left);
    int rc = sqlite3_prepare_v3(k->db, text, -1, 0, &st, &tail);
    if (rc == SQLITE_OK && !(st && is_last(tail) && sqlite3_stmt_readonly(st))) {
        *ret_why = "must be one question that only reads";
        rc = 1;
    } else if (rc != SQLITE_OK) {
        rc = refuse(k, ret_why, err);
    }
    sqlite3_finalize(st);
    return rc;
}

/* ---- asking ---- */

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
    json_start(&w, &b);
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

int sql_ask(struct tx *tx, const char *sql, int64_t *left_ns, const struct json **ret,
            const char **ret_why)
{
    sqlite3 *db = slot_db(tx->db);
    sqlite3_stmt *st = NULL;
    const char *tail = NULL, *text = with_views(tx->arena, tx->engine->cores, sql, tx->err);
    struct bound bound;
    int rc = 0;
    if (!text)
        return -1;
    *ret = NULL;
    *ret_why = NULL;
    if (sqlite3_prepare_v3(db, text, -1, 0, &st, &tail) != SQLITE_OK)
        *ret_why = arena_printf(tx->arena, "SQL: %s", sqlite3_errmsg(db));
    else if (!st || !is_last(tail) || !sqlite3_stmt_readonly(st))
        *ret_why = "SQL: must be one question that only reads";
    if (!*ret_why) {
        int r = ask_bounded(tx->db, st, left_ns, &bound);
        if (r == SQLITE_ROW)
            rc = read_row(tx, st, ret);
        else if (r == SQLITE_INTERRUPT && stop_wanted())
            rc = stop_fail(tx->err);
        else if (r == SQLITE_INTERRUPT)
            *ret_why =
                bound.late
                    ? "SQL: must take a processor no more than 10 seconds, with all that the "
                      "verdict asks in SQL, takes more"
                    : "SQL: must end within 20 million steps, does not";
        else if (r == SQLITE_TOOBIG)
            *ret_why = "SQL: must have texts of at most 256 KiB, not a longer one";
        else if (r != SQLITE_DONE)
            *ret_why = arena_printf(tx->arena, "SQL: %s", sqlite3_errmsg(db));
    }
    sqlite3_finalize(st);
    return rc < 0 ? -1 : *ret_why != NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of what follows from files. */
#include "services/workspace/core/fact.h"
#include "engine/base/map.h"
#include "engine/world/take.h"
#include "services/workspace/core/node.h"

#define REPOSITORIES_MAX 1000 /* that one call makes again */

/* ---- rows ---- */

struct row {
    int64_t id;
    const char *name, *value;
    bool kept;
};

/* The rows of an owner. 0, -1. */
static int read_rows(struct tx *tx, enum fact_kind kind, const char *owner, struct row **ret,
                     size_t *ret_n)
{
    static struct sql_text q[] = {
        SQL_TEXT("select id, name, value from workspace_memory where owner = :owner order by id"),
        SQL_TEXT("select id, name, value from workspace_ref where owner = :owner order by id")};
    struct row row = {0};
    return TX_TAKE_ALL(tx, TX_QUERY(tx, &q[kind], path_value(owner)), &row, ret, ret_n, &row.id,
                       &row.name, &row.value);
}

static int put_row(struct tx *tx, enum fact_kind kind, const char *owner, const struct fact *f,
                   const struct row *old)
{
    static struct sql_text q_new[] = {
        SQL_TEXT("insert into workspace_memory (owner, name, value) values (:owner, :name, "
                 ":value)"),
        SQL_TEXT("insert into workspace_ref (owner, name, value) values (:owner, :name, :value)")};
    static struct sql_text q_change[] = {
        SQL_TEXT("update workspace_memory set value = :value where id = :id"),
        SQL_TEXT("update workspace_ref set value = :value where id = :id")};
    if (!old)
        return TX_RUN(tx, &q_new[kind], path_value(owner), f->name, f->value);
    return strcmp(old->value, f->value) == 0 ? 0 : TX_RUN(tx, &q_change[kind], f->value, old->id);
}

static int drop_rest(struct tx *tx, enum fact_kind kind, const struct row *rows, size_t n)
{
    static struct sql_text q[] = {SQL_TEXT("delete from workspace_memory where id = :id"),
                                  SQL_TEXT("delete from workspace_ref where id = :id")};
    for (size_t i = 0; i < n; i++)
        if (!rows[i].kept && TX_RUN(tx, &q[kind], rows[i].id) < 0)
            return -1;
    return 0;
}

/* The rows of an owner become those; one of the same name stays the same row. */
static int sync_rows(struct tx *tx, enum fact_kind kind, const char *owner, const struct facts *f)
{
    static struct row taken; /* stands for what is new and there already */
    struct row *rows;
    struct map by_name;
    size_t n;
    int r = 0;
    if (read_rows(tx, kind, owner, &rows, &n) < 0)
        return -1;
    map_init(&by_name);
    for (size_t i = 0; r == 0 && i < n; i++)
        r = map_set(&by_name, rows[i].name, &rows[i]);
    for (size_t i = 0; r == 0 && i < f->n; i++) {
        struct row *old = map_get(&by_name, f->list[i].name);
        if (old && (old == &taken || old->kept)) /* the first one of a name counts */
            continue;
        r = put_row(tx, kind, owner, &f->list[i], old);
        if (old)
            old->kept = true;
        else if (r == 0)
            r = map_set(&by_name, f->list[i].name, &taken);
    }
    map_done(&by_name);
    return r < 0 ? -1 : drop_rest(tx, kind, rows, n);
}

/* ---- what has to be made again ---- */

struct touched {
    bool memory, repositories; /* repositories: all that are known */
    const char **trees;        /* and these, "" among them */
    size_t n, cap;
};

/* Where ".git" is a part of a path: its place; NULL: it is none. */
static const char *git_part(const char *path)
{
    for (const char *p = path; (p = strstr(p, ".git")); p += 4)
        if ((p == path || p[-1] == '/') && (!p[4] || p[4] == '/'))
            return p;
    return NULL;
}

bool fact_instead(const struct workspace_node *n)
{
    return git_part(n->path) || (n->kind == NODE_FILE && n->size <= FACT_MEMORY_BYTES &&
                                 strcmp(n->path, WORKSPACE_MEMORY) == 0);
}

static int make_again(struct tx *tx, void *arg);

static struct touched *touched_of(struct tx *tx)
{
    struct touched *t = tx_later_arg(tx, make_again);
    if (t)
        return t;
    t = arena_calloc(tx->arena, 1, sizeof *t);
    if (!arena_failed(tx->arena))
        tx_later(tx, make_again, t);
    return t;
}

static void add_tree(struct tx *tx, struct touched *t, const char *path, size_t len)
{
    for (size_t i = t->n; i-- > 0;) /* the last one first: files of one come together */
        if (strlen(t->trees[i]) == len && memcmp(t->trees[i], path, len) == 0)
            return;
    if (t->n == REPOSITORIES_MAX)
        return;
    const char **list = arena_grow(tx->arena, t->trees, t->n, &t->cap, sizeof *list);
    if (!list)
        return;
    t->trees = list;
    list[t->n++] = arena_memdup(tx->arena, path, len);
}

static bool is_memory(const char *path, bool all)
{
    size_t n = strlen(path);
    return strcmp(path, WORKSPACE_MEMORY) == 0 ||
           (all && strncmp(WORKSPACE_MEMORY, path, n) == 0 && WORKSPACE_MEMORY[n] == '/');
}

void fact_touched(struct tx *tx, const char *path, bool all)
{
    const char *git = git_part(path);
    bool memory = is_memory(path, all);
    const char *rest = git && git[4] ? git + 5 : "";
    /* Objects, the index and logs say nothing by themselves. */
    bool ref = git && (!*rest || strncmp(rest, "refs", 4) == 0 || strcmp(rest, "HEAD") == 0 ||
                       strcmp(rest, "packed-refs") == 0);
    if (!memory && !ref && !all)
        return;
    struct touched *t = touched_of(tx);
    if (arena_failed(tx->arena))
        return;
    t->memory |= memory;
    t->repositories |= all;
    if (ref)
        add_tree(tx, t, path, git == path ? 0 : (size_t)(git - path) - 1);
}

/* ---- making again ---- */

static int again_memory(struct tx *tx)
{
    struct facts f = {.arena = tx->arena};
    return fact_read_memory(tx, &f) < 0 ? -1 : sync_rows(tx, FACT_MEMORY, "", &f);
}

static int again_tree(struct tx *tx, const char *tree)
{
    struct facts f = {.arena = tx->arena};
    return fact_read_git(tx, tree, &f) < 0 ? -1 : sync_rows(tx, FACT_REF, tree, &f);
}

/* Those that have rows. */
static int add_known(struct tx *tx, struct touched *t)
{
    static struct sql_text q = SQL_TEXT("select distinct owner from workspace_ref");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r;
    while ((r = st ? TX_STEP(tx, st) : -1) == 1)
        add_tree(tx, t, sqlite3_column_blob(st, 0) ? sqlite3_column_blob(st, 0) : "",
                 (size_t)sqlite3_column_bytes(st, 0));
    return r;
}

static int make_again(struct tx *tx, void *arg)
{
    struct touched *t = arg;
    if (t->memory && again_memory(tx) < 0)
        return -1;
    if (t->repositories && add_known(tx, t) < 0)
        return -1;
    for (size_t i = 0; i < t->n; i++)
        if (again_tree(tx, t->trees[i]) < 0)
            return -1;
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

int fact_derive(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT(
        "select path from workspace_node where kind = 1 and (path = cast('.git' as blob) or "
        "substr(path, -5) = cast('/.git' as blob)) order by path");
    struct touched t = {.memory = true, .repositories = true};
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r;
    while ((r = st ? TX_STEP(tx, st) : -1) == 1) {
        size_t n = (size_t)sqlite3_column_bytes(st, 0);
        add_tree(tx, &t, sqlite3_column_blob(st, 0), n > 5 ? n - 5 : 0);
    }
    return r < 0 ? -1 : make_again(tx, &t);
}

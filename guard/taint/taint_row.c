/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who wrote what in a row is read from its members in the terms of seed documents, which are the
 * same for all vendors: an object that names its authors is theirs, with all that it holds, but for
 * objects in it that name others.
 */
#include "guard/taint/taint_row.h"
#include "engine/base/heap.h"
#include "engine/json/build.h"
#include "engine/state/change.h"
#include "engine/state/stored.h"
#include "guard/reach.h"
#include <stdlib.h>

#define ROW_ROOM  ((size_t)256 << 20) /* bytes that reading a row may take */
#define TEXT_LOOK ((size_t)4 << 20)   /* bytes of a text that are looked at */
#define DEPTH     64

/* ---- sets ---- */

int taint_values_add(struct taint_values *v, uint64_t value)
{
    void *list = heap_grow(v->list, v->n, &v->cap, sizeof *v->list);
    if (!list)
        return -1;
    v->list = list;
    v->list[v->n++] = value;
    return 0;
}

static int by_value(const void *pa, const void *pb)
{
    const uint64_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

void taint_values_sort(struct taint_values *v)
{
    size_t k = 0;
    if (v->n)
        qsort(v->list, v->n, sizeof *v->list, by_value);
    for (size_t i = 0; i < v->n; i++)
        if (!k || v->list[k - 1] != v->list[i])
            v->list[k++] = v->list[i];
    v->n = k;
}

bool taint_values_have(const uint64_t *list, size_t n, uint64_t value)
{
    return n && bsearch(&value, list, n, sizeof *list, by_value);
}

void taint_row_unref(struct taint_row *r)
{
    if (!r || atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < r->n_segments; i++) {
        free(r->segments[i].author);
        free(r->segments[i].row);
    }
    free(r->segments);
    free(r->inside.list);
    free(r->outside.list);
    free(r);
}

/* ---- authors ---- */

/* Members that say who wrote the object that has them. */
static const char *const author_members[] = {
    "from",   "sender", "creator", "organizer", "owner",     "modifiedBy", "author",
    "editor", "by",     "user",    "requester", "initiator", "actor",
};
/* Members that say whose a row is that names no author: a person's own, a calendar. */
static const char *const owner_members[] = {"email", "person", "mailbox", "calendar", "id"};
/* Members that the world makes for a row, and that name it in calls. */
static const char *const own_members[] = {
    "id",         "thread",  "uid",      "ts",   "messageId", "inReplyTo",
    "references", "created", "modified", "date", "received",  "mailbox",
};

struct reading {
    struct call *c;
    struct taint_index *index;
    struct tx tx;
    struct tx_memo memo;
    struct arena arena;
    struct taint_row *row;
    const char *domain; /* the caller's */
    const char *author; /* of what is being read; NULL: people of the organisation */
    bool letter;        /* what it quotes is not its author's own */
    int rc;
};

/* In lower case, without a name around it. */
static const char *plain(struct reading *r, const char *text)
{
    const char *open = strchr(text, '<'), *close = open ? strchr(open, '>') : NULL;
    char *copy = close ? arena_memdup(&r->arena, open + 1, (size_t)(close - open) - 1)
                       : arena_strdup(&r->arena, text);
    for (char *p = copy; *p; p++)
        if (*p >= 'A' && *p <= 'Z')
            *p |= 32;
    return copy;
}

/* Whether somebody is of another organisation than the caller: 1, 0, -1. */
static int is_outsider(struct reading *r, const char *who)
{
    struct actor found;
    int known = resolver_of(&r->tx)->find(&r->tx, who, &found);
    if (known)
        return known < 0 ? -1 : found.org != r->c->actor.org;
    return strchr(who, '@') && !(*r->domain && strcmp(reach_domain(who), r->domain) == 0);
}

static void find_author(struct reading *r, const struct json *v, const char **ret, bool *any)
{
    if (v->type == JSON_ARRAY) {
        for (uint32_t i = 0; i < v->n; i++)
            find_author(r, &v->items[i], ret, any);
        return;
    }
    if (v->type == JSON_OBJECT) {
        const struct json *address = json_get(v, "email");
        if (address)
            find_author(r, address, ret, any);
        return;
    }
    if (v->type != JSON_STRING || !v->n)
        return;
    const char *who = taint_index_alias(r->index, v->str);
    who = who ? arena_strdup(&r->arena, who) : plain(r, v->str);
    int outsider = is_outsider(r, who);
    if (outsider < 0)
        r->rc = -1;
    if (outsider > 0 && !*ret)
        *ret = who;
    *any = true;
}

/* Whoever an object names as its authors; false: nobody. */
static bool authors_of(struct reading *r, const struct json *v, int depth, const char **ret)
{
    bool any = false;
    *ret = NULL;
    for (size_t i = 0; i < SOSIA_LEN(author_members); i++) {
        const struct json *who = json_get(v, author_members[i]);
        if (who)
            find_author(r, who, ret, &any);
    }
    const struct json *guest = json_get(v, "comment") ? json_get(v, "email") : NULL;
    if (guest)
        find_author(r, guest, ret, &any);
    for (size_t i = 0; !depth && !any && i < SOSIA_LEN(owner_members); i++) {
        const char *who = json_get_str(v, owner_members[i]);
        if (who && strchr(who, '@'))
            find_author(r, json_get(v, owner_members[i]), ret, &any);
    }
    const struct json *revisions = json_get(v, "revisions");
    for (uint32_t i = 0; revisions && revisions->type == JSON_ARRAY && i < revisions->n; i++) {
        const struct json *who = json_get(&revisions->items[i], "modifiedBy");
        if (who)
            find_author(r, who, ret, &any);
    }
    return any;
}

/* An actor's id with a service. */
static void learn_alias(struct reading *r, const struct json *v)
{
    const char *id = json_get_str(v, "id"), *actor = json_get_str(v, "actor");
    if (id && actor && *id && taint_index_add_alias(r->index, id, actor) < 0)
        r->rc = sosia_fail_memory(r->c->tx.err);
}

/* ---- members ---- */

/* What comes next is this author's; row: where a mark has it from, NULL: this one. */
static int begin_segment(struct taint_row *row, const char *author, const char *from)
{
    struct taint_segment *list = realloc(row->segments, (row->n_segments + 1) * sizeof *list);
    if (!list)
        return -1;
    row->segments = list;
    list[row->n_segments] = (struct taint_segment){
        .author = strdup(author), .row = from ? strdup(from) : NULL, .from = row->outside.n};
    const struct taint_segment *s = &list[row->n_segments++];
    return s->author && (s->row || !from) ? 0 : -1;
}

static int add_value(void *arg, const struct value *v)
{
    struct reading *r = arg;
    struct taint_row *row = r->row;
    if (!r->author)
        return taint_values_add(&row->inside, v->hash);
    struct taint_segment *last = row->n_segments ? &row->segments[row->n_segments - 1] : NULL;
    if ((!last || strcmp(last->author, r->author) != 0) && begin_segment(row, r->author, NULL) < 0)
        return -1;
    row->segments[row->n_segments - 1].n++;
    return taint_values_add(&row->outside, v->hash);
}

/* Of a letter, what is its writer's own: no quoted lines, and nothing behind the line that begins
 * what it forwards or answers. */
static size_t own_words(char *out, const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        const char *end = memchr(text + i, '\n', len - i);
        size_t line = end ? (size_t)(end - text) - i + 1 : len - i;
        if (line > 4 && (memcmp(text + i, "----", 4) == 0 || memcmp(text + i, "____", 4) == 0))
            break;
        if (text[i] != '>') {
            memcpy(out + n, text + i, line);
            n += line;
        }
        i += line;
    }
    const char *quote = memmem(out, n, "<blockquote", 11);
    return quote ? (size_t)(quote - out) : n;
}

static void read_text(struct reading *r, const char *text, size_t len)
{
    len = len > TEXT_LOOK ? TEXT_LOOK : len;
    if (r->letter && !r->author) {
        char *own = arena_alloc(&r->arena, len + 1);
        if (arena_failed(&r->arena))
            return;
        len = own_words(own, text, len);
        text = own;
    }
    if (values_each(&r->arena, text, len, add_value, r) < 0 && !arena_failed(&r->arena))
        r->rc = sosia_fail_memory(r->c->tx.err);
}

static bool is_own(const char *member)
{
    for (size_t i = 0; i < SOSIA_LEN(own_members); i++)
        if (strcmp(own_members[i], member) == 0)
            return true;
    return false;
}

static void read_value(struct reading *r, const struct json *v, int depth);

static void read_members(struct reading *r, const struct json *v, int depth)
{
    for (uint32_t i = 0; i < v->n && r->rc == 0; i++) {
        const struct json_member *m = &v->members[i];
        if (!(r->author && is_own(m->key)))
            read_value(r, &m->value, depth + 1);
    }
}

static void read_value(struct reading *r, const struct json *v, int depth)
{
    const char *author, *outer = r->author;
    if (depth > DEPTH || r->rc < 0)
        return;
    if (v->type == JSON_STRING) {
        read_text(r, v->str, v->n);
    } else if (v->type == JSON_ARRAY) {
        for (uint32_t i = 0; i < v->n; i++)
            read_value(r, &v->items[i], depth + 1);
    } else if (v->type == JSON_OBJECT) {
        learn_alias(r, v);
        if (authors_of(r, v, depth, &author))
            r->author = author;
        read_members(r, v, depth);
        r->author = outer;
    }
}

/* ---- marks ---- */

static void sort_segments(struct taint_row *row)
{
    for (size_t i = 0; i < row->n_segments; i++)
        if (row->segments[i].n)
            qsort(row->outside.list + row->segments[i].from, row->segments[i].n,
                  sizeof *row->outside.list, by_value);
}

static int read_mark(struct reading *r, sqlite3_stmt *st)
{
    struct taint_row *row = r->row;
    size_t n = (size_t)sqlite3_column_bytes(st, 0) / sizeof(uint64_t);
    const uint8_t *blob = sqlite3_column_blob(st, 0);
    if (begin_segment(row, (const char *)sqlite3_column_text(st, 2),
                      (const char *)sqlite3_column_text(st, 1)) < 0)
        return sosia_fail_memory(r->c->tx.err);
    struct taint_segment *s = &row->segments[row->n_segments - 1];
    for (size_t i = 0; i < n; i++) {
        uint64_t value;
        memcpy(&value, blob + i * sizeof value, sizeof value);
        if (!taint_values_have(row->inside.list, row->inside.n, value))
            continue;
        if (taint_values_add(&row->outside, value) < 0)
            return sosia_fail_memory(r->c->tx.err);
        s->n++;
    }
    return 0;
}

/* What an agent wrote from outsiders' values, as long as the row has it. */
static int read_marks(struct reading *r)
{
    static struct sql_text q =
        SQL_TEXT("select marked, source, author from guard_mark where entity = :entity and row = "
                 ":row order by id");
    struct taint_row *row = r->row;
    size_t before = row->outside.n, k = 0;
    sqlite3_stmt *st = TX_QUERY(&r->tx, &q, row->kind->entity->name, row->rowid);
    int step = st ? 0 : -1;
    while (st && (step = TX_STEP(&r->tx, st)) == 1)
        if (read_mark(r, st) < 0) {
            sql_done(st);
            return -1;
        }
    if (step < 0 || row->outside.n == before)
        return step;
    sort_segments(row);
    for (size_t i = 0; i < row->inside.n; i++) {
        bool marked = false;
        for (size_t s = 0; s < row->n_segments && !marked; s++)
            marked =
                row->segments[s].row && taint_values_have(row->outside.list + row->segments[s].from,
                                                          row->segments[s].n, row->inside.list[i]);
        if (!marked)
            row->inside.list[k++] = row->inside.list[i];
    }
    row->inside.n = k;
    return 0;
}

/* ---- a row ---- */

int taint_row_read(struct call *c, struct taint_index *x, const struct kind *kind, int64_t rowid,
                   bool marks, struct taint_row **ret)
{
    struct entity_about about = {0};
    const struct json *value = NULL;
    struct reading r = {.c = c,
                        .index = x,
                        .tx = c->tx,
                        .row = calloc(1, sizeof *r.row),
                        .domain = reach_domain(c->actor.email),
                        .letter = strcmp(kind->entity->name, "message") == 0};
    *ret = NULL;
    if (!r.row)
        return sosia_fail_memory(c->tx.err);
    r.row->refs = 1;
    r.row->kind = kind;
    r.row->rowid = rowid;
    arena_init(&r.arena, ROW_ROOM);
    r.memo.arena = &r.arena;
    r.tx.arena = &r.arena;
    r.tx.memo = &r.memo;
    r.rc = entity_read(&r.tx, kind->entity, NULL, rowid, &about, &value);
    if (r.rc == 0 && value)
        read_value(&r, value, 0);
    taint_values_sort(&r.row->inside);
    sort_segments(r.row);
    if (r.rc == 0 && value && marks)
        r.rc = read_marks(&r);
    if (r.rc < 0 && arena_full(&r.arena)) { /* what can't be read says nothing */
        *c->tx.err = (struct sosia_err){0};
        r.rc = 0;
        value = NULL;
    } else if (r.rc == 0 && arena_failed(&r.arena)) {
        r.rc = arena_full(&r.arena) ? 0 : sosia_fail_memory(c->tx.err);
        value = NULL;
    }
    arena_done(&r.arena);
    if (r.rc == 0 && value)
        *ret = r.row;
    else
        taint_row_unref(r.row);
    return r.rc;
}

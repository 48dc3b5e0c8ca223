/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Directories that are watched: by a stream (WatchDir), or by asking again and again
 * (GetWatcherEvents). What has changed is seen by comparing what is there with what was there, in
 * rows of the world and without a call, so that nothing is in its journal. A watcher is in the
 * server's memory, and gone after a restart.
 */
#include "engine/world/engine.h"
#include "hosted/e2b/e2b.h"
#include "services/workspace/core/workspace.h"
#include "services/workspace/e2b/e2b.h"
#include "services/workspace/e2b/frame.h"
#include <stdlib.h>

#define PREFIX "/filesystem.Filesystem/"
/* Of those that are asked again and again: of a sandbox, of a tenant. */
#define MOST_WATCHES   100
#define MOST_OF_TENANT 1000

/* A node, in the order of paths. */
struct seen {
    char *path;
    int64_t id, mtime_ns, size, digest;
    unsigned mode;
    enum workspace_kind kind;
};

struct seen_list {
    struct seen *items;
    size_t n, room;
};

struct e2b_watch {
    struct e2b_watch *next;
    char id[UUID_TEXT];
    struct sandbox *sandbox; /* with a reference; NULL: the stream has it */
    int refs;                /* under the lock of the list: the list's, and of who looks */
    pthread_mutex_t looking; /* held by who looks */
    char *dir;               /* of a row */
    bool recursive;
    bool seen;        /* it was looked at */
    uint64_t version; /* of the world then */
    struct seen_list list;
};

/* ---- what is there ---- */

static void list_free(struct seen_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->items[i].path);
    free(l->items);
    *l = (struct seen_list){0};
}

void e2b_watch_free(struct e2b_watch *w)
{
    if (!w)
        return;
    list_free(&w->list);
    sandbox_give(w->sandbox);
    pthread_mutex_destroy(&w->looking);
    free(w->dir);
    free(w);
}

static int list_add(struct seen_list *l, const struct workspace_node *n)
{
    if (l->n == l->room) {
        size_t room = l->room ? l->room * 2 : 32;
        struct seen *items = realloc(l->items, room * sizeof *items);
        if (!items)
            return -1;
        l->items = items;
        l->room = room;
    }
    char *path = strdup(n->path);
    if (!path)
        return -1;
    l->items[l->n++] =
        (struct seen){path, n->id, n->mtime_ns, n->size, n->digest, n->mode, n->kind};
    return 0;
}

static const struct seen *by_path(const struct seen_list *l, const char *path)
{
    size_t low = 0, high = l->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        int order = strcmp(l->items[mid].path, path);
        if (order == 0)
            return &l->items[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

static int order_of(const void *a, const void *b)
{
    const struct seen *one = *(const struct seen *const *)a,
                      *other = *(const struct seen *const *)b;
    return one->id < other->id ? -1 : one->id > other->id;
}

/* The items by their ids; to be freed. */
static const struct seen **by_id(const struct seen_list *l)
{
    const struct seen **list = calloc(l->n + 1, sizeof *list);
    for (size_t i = 0; list && i < l->n; i++)
        list[i] = &l->items[i];
    if (list)
        qsort(list, l->n, sizeof *list, order_of);
    return list;
}

static const struct seen *find_id(const struct seen **list, size_t n, const struct seen *of)
{
    const struct seen **found = bsearch(&of, list, n, sizeof *list, order_of);
    return found ? *found : NULL;
}

struct looking {
    const char *dir;
    bool recursive;
    const struct e2b_watch *watch;
    bool same; /* nothing of the world has changed since the last look */
    uint64_t version;
    struct seen_list list;
    /* Of those that are not in the directory any more: which are elsewhere. */
    const struct seen_list *before;
    bool *elsewhere;
};

static int order_of_paths(const void *a, const void *b)
{
    return strcmp(((const struct seen *)a)->path, ((const struct seen *)b)->path);
}

static int read_nodes(struct tx *tx, struct looking *k)
{
    struct workspace_list list = {.dir = k->dir};
    struct workspace_node n = {0};
    const char *after = NULL;
    int r;
    while ((r = k->recursive ? workspace_walk(tx, k->dir, after, &n)
                             : workspace_next(tx, &list, &n)) == 1) {
        if (list_add(&k->list, &n) < 0)
            return sosia_fail_memory(tx->err);
        after = n.path;
    }
    if (k->list.n)
        qsort(k->list.items, k->list.n, sizeof *k->list.items, order_of_paths);
    return r;
}

static int look(struct tx *tx, struct json_writer *w, void *arg)
{
    struct looking *k = arg;
    struct workspace_node n;
    json_raw(w, NULL, "null", 4);
    k->version = tx->world->version;
    k->same = k->watch->seen && k->watch->version == k->version;
    if (k->same)
        return 0;
    if (read_nodes(tx, k) < 0)
        return -1;
    const struct seen **now = by_id(&k->list);
    if (!now)
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; k->elsewhere && i < k->before->n; i++)
        if (!find_id(now, k->list.n, &k->before->items[i]))
            k->elsewhere[i] = workspace_get(tx, k->before->items[i].id, &n) == 1;
    free(now);
    return 0;
}

/* ---- what has changed ---- */

typedef void tell_fn(void *arg, const char *name, const char *type);

struct telling {
    const struct e2b_watch *watch;
    tell_fn *tell;
    void *arg;
};

static void tell(const struct telling *t, const struct seen *s, const char *type)
{
    const size_t n = strlen(t->watch->dir);
    t->tell(t->arg, s->path + n + (n != 0), type);
}

/* It is where it was, of a directory that is elsewhere. */
static bool goes_along(const struct seen *from, const struct seen *to, const struct seen_list *old,
                       const struct seen_list *new)
{
    const char *a = strrchr(from->path, '/'), *b = strrchr(to->path, '/');
    char *one = a ? strndup(from->path, (size_t)(a - from->path)) : NULL,
         *other = b ? strndup(to->path, (size_t)(b - to->path)) : NULL;
    const struct seen *x = one ? by_path(old, one) : NULL, *y = other ? by_path(new, other) : NULL;
    free(one);
    free(other);
    return x && y && x->id == y->id && strcmp(a, b) == 0;
}

static void tell_left(const struct telling *t, const struct looking *k, const struct seen **now)
{
    const struct seen_list *before = k->before;
    for (size_t i = 0; i < before->n; i++) {
        const struct seen *s = &before->items[i], *to = find_id(now, k->list.n, s);
        if (to && strcmp(to->path, s->path) != 0 && !goes_along(s, to, before, &k->list))
            tell(t, s, "EVENT_TYPE_RENAME");
        else if (!to && !by_path(&k->list, s->path))
            tell(t, s, k->elsewhere[i] ? "EVENT_TYPE_RENAME" : "EVENT_TYPE_REMOVE");
    }
}

static void tell_there(const struct telling *t, const struct looking *k, const struct seen **then)
{
    for (size_t i = 0; i < k->list.n; i++) {
        const struct seen *s = &k->list.items[i], *was = find_id(then, k->before->n, s);
        if (!was)
            was = by_path(k->before, s->path); /* another one in its place */
        else if (strcmp(was->path, s->path) != 0 && !goes_along(was, s, k->before, &k->list))
            tell(t, s, "EVENT_TYPE_CREATE");
        if (!was)
            tell(t, s, "EVENT_TYPE_CREATE");
        if (s->kind == NODE_FILE &&
            (was ? was->digest != s->digest || was->size != s->size || was->mtime_ns != s->mtime_ns
                 : s->size > 0))
            tell(t, s, "EVENT_TYPE_WRITE");
        if (was && was->mode != s->mode)
            tell(t, s, "EVENT_TYPE_CHMOD");
    }
}

/* 0; -1: the world has gone, or there is no memory. */
static int compare(struct hosted *h, struct sandbox *s, struct e2b_watch *w, tell_fn *fn, void *arg)
{
    struct looking k = {.dir = w->dir,
                        .recursive = w->recursive,
                        .watch = w,
                        .before = &w->list,
                        .elsewhere = calloc(w->list.n + 1, sizeof *k.elsewhere)};
    const struct telling t = {w, fn, arg};
    struct sosia_blob blob = {0};
    struct sosia_err err;
    const struct seen **now = NULL, **then = NULL;
    int rc = k.elsewhere ? world_read(h->engine, s->world, false, look, &k, &blob, &err) : -1;
    sosia_blob_free(&blob);
    if (rc == 0 && k.same) {
        free(k.elsewhere);
        return 0;
    }
    if (rc == 0 && (!(now = by_id(&k.list)) || !(then = by_id(&w->list))))
        rc = -1;
    if (rc == 0 && fn) {
        tell_left(&t, &k, now);
        tell_there(&t, &k, then);
    }
    free(now);
    free(then);
    free(k.elsewhere);
    if (rc < 0) {
        list_free(&k.list);
        return -1;
    }
    list_free(&w->list);
    w->list = k.list;
    w->version = k.version;
    w->seen = true;
    return 0;
}

/* ---- as frames, and as a list ---- */

static void put_event(struct json_writer *w, const char *member, const char *name, const char *type)
{
    json_obj(w, member);
    json_str(w, "name", name);
    json_str(w, "type", type);
    json_end(w);
}

static void add_frame(void *arg, const char *name, const char *type)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    put_event(&w, "filesystem", name, type);
    json_end(&w);
    frame_add(arg, 0, buf_str(&b), b.len);
    buf_done(&b);
}

int e2b_watch_look(struct hosted *h, struct sandbox *s, struct e2b_watch *w, struct buf *frames)
{
    return compare(h, s, w, add_frame, frames);
}

static void add_item(void *arg, const char *name, const char *type)
{
    put_event(arg, NULL, name, type);
}

/* ---- requests ---- */

static bool is_method(const struct hosted_call *c, const char *name)
{
    return strcmp(c->request->path + sizeof PREFIX - 1, name) == 0;
}

bool e2b_is_watching(const char *path)
{
    static const char *const names[] = {"WatchDir", "CreateWatcher", "GetWatcherEvents",
                                        "RemoveWatcher"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (str_starts(path, PREFIX) && strcmp(path + sizeof PREFIX - 1, names[i]) == 0)
            return true;
    return false;
}

/* In the form of the call: a stream says it in its last frame. */
static int refuse(struct hosted_call *c, int status, const char *code, const char *text)
{
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    const bool stream = is_method(c, "WatchDir");
    if (stream)
        json_obj(&w, "error");
    json_str(&w, "code", code);
    json_str(&w, "message", text);
    if (stream)
        json_end(&w);
    json_end(&w);
    if (!stream)
        return hosted_answer(c, status, &b);
    struct buf framed;
    buf_init(&framed, 0);
    frame_add(&framed, FRAME_END, buf_str(&b), b.len);
    buf_done(&b);
    server_answer_buf(c->response, 200, &framed);
    c->response->content_type = E2B_STREAM_TYPE;
    return 0;
}

/* NULL: refused. */
static const struct json *read_body(struct hosted_call *c)
{
    const char *text = c->request->body ? c->request->body : "";
    size_t len = c->request->body_len;
    const struct json *v = NULL;
    struct frame f = {.data = text, .len = len};
    if (is_method(c, "WatchDir") && (frame_next(&text, &len, &f) != 1 || len || f.flags))
        f.len = 0;
    if (!f.len || json_parse(&c->arena, f.data, f.len, NULL, &v, &c->err) < 0 ||
        v->type != JSON_OBJECT) {
        refuse(c, 400, "invalid_argument", "the request must be an object in JSON");
        return NULL;
    }
    return v;
}

struct finding {
    const char *text; /* as it was asked for */
    const char *row;  /* in the arena of the call; NULL: it is no directory of the workspace */
    bool there;
    struct arena *arena;
};

static int find_directory(struct tx *tx, struct json_writer *w, void *arg)
{
    struct finding *k = arg;
    struct workspace_place at;
    const char *row =
        str_starts(k->text, E2B_HOME) ? k->text + sizeof E2B_HOME - 1 : workspace_inside(k->text);
    json_raw(w, NULL, "null", 4);
    if (!row)
        return 0;
    const int r = workspace_resolve(tx, row + (*row == '/'), true, &at);
    k->there = r == 1;
    if (r == 1 && at.node.kind == NODE_DIRECTORY)
        k->row = arena_strdup(k->arena, at.path);
    *tx->err = (struct sosia_err){.code = 0};
    return 0;
}

/* NULL: refused. */
static struct e2b_watch *watch_new(struct hosted_call *c, const struct json *body)
{
    const char *text = json_get_str(body, "path");
    struct finding k = {.arena = &c->arena};
    struct sosia_blob blob = {0};
    if (!text || *text != '/')
        text = arena_printf(&c->arena, E2B_HOME "/%s",
                            !text            ? ""
                            : text[0] == '~' ? text + 1
                                             : text);
    k.text = workspace_absolute(&c->arena, text);
    int rc = world_read(c->h->engine, c->sandbox->world, false, find_directory, &k, &blob, &c->err);
    sosia_blob_free(&blob);
    if (rc < 0 || !k.row) {
        if (rc < 0)
            hosted_failed(c);
        else if (k.there)
            refuse(c, 400, "invalid_argument",
                   arena_printf(&c->arena, "path %s not a directory", k.text));
        else
            refuse(c, 404, "not_found",
                   arena_printf(&c->arena, "path %s not found: stat %s: no such file or directory",
                                k.text, k.text));
        return NULL;
    }
    struct e2b_watch *w = calloc(1, sizeof *w);
    if (w) {
        w->refs = 1;
        pthread_mutex_init(&w->looking, NULL);
        w->dir = strdup(k.row);
        w->recursive = json_get_true(body, "recursive");
    }
    if (!w || !w->dir || compare(c->h, c->sandbox, w, NULL, NULL) < 0) {
        e2b_watch_free(w);
        sosia_fail_memory(&c->err);
        hosted_failed(c);
        return NULL;
    }
    return w;
}

/* One of the sandbox's, with a reference; takes: out of the list, and the reference is the list's.
 * NULL: there is none. */
static struct e2b_watch *find_watch(struct hosted_call *c, const char *id, bool takes)
{
    struct e2b_watch *found = NULL;
    pthread_mutex_lock(&c->h->lock);
    for (struct e2b_watch **at = &c->h->watches; *at && !found;) {
        struct e2b_watch *w = *at;
        if (w->sandbox != c->sandbox || strcmp(w->id, id) != 0) {
            at = &w->next;
            continue;
        }
        found = w;
        if (takes)
            *at = w->next;
        else
            w->refs++;
    }
    pthread_mutex_unlock(&c->h->lock);
    return found;
}

static void give_watch(struct hosted *h, struct e2b_watch *w)
{
    pthread_mutex_lock(&h->lock);
    const bool last = --w->refs == 0;
    pthread_mutex_unlock(&h->lock);
    if (last)
        e2b_watch_free(w);
}

/* Those whose sandboxes were released go. False: there are too many. */
static bool keep_watch(struct hosted *h, struct e2b_watch *w)
{
    struct e2b_watch *gone = NULL;
    size_t n = 0, all = 0;
    pthread_mutex_lock(&h->lock);
    for (struct e2b_watch **at = &h->watches; *at;) {
        struct e2b_watch *other = *at;
        if (!other->sandbox->released) {
            at = &other->next;
            n += other->sandbox == w->sandbox;
            all += other->sandbox->tenant == w->sandbox->tenant;
            continue;
        }
        *at = other->next;
        other->next = gone;
        gone = other;
    }
    const bool free = n < MOST_WATCHES && all < MOST_OF_TENANT;
    if (free) {
        w->next = h->watches;
        h->watches = w;
    }
    pthread_mutex_unlock(&h->lock);
    while (gone) {
        struct e2b_watch *next = gone->next;
        give_watch(h, gone);
        gone = next;
    }
    return free;
}

static int create_watcher(struct hosted_call *c, const struct json *body)
{
    struct json_writer w;
    struct buf b;
    struct e2b_watch *watch = watch_new(c, body);
    if (!watch)
        return 0;
    if (random_uuid(watch->id, &c->err) < 0) {
        e2b_watch_free(watch);
        return hosted_failed(c);
    }
    watch->sandbox = sandbox_ref(c->sandbox);
    hosted_begin(&b, &w);
    json_str(&w, "watcherId", watch->id);
    json_end(&w);
    if (keep_watch(c->h, watch))
        return hosted_answer(c, 200, &b);
    buf_done(&b);
    e2b_watch_free(watch);
    return refuse(c, 429, "resource_exhausted", "too many directories are watched");
}

static int no_watcher(struct hosted_call *c, const char *id)
{
    return refuse(c, 404, "not_found", arena_printf(&c->arena, "watcher with id %s not found", id));
}

static int watcher_events(struct hosted_call *c, const char *id)
{
    struct e2b_watch *watch = find_watch(c, id, false);
    struct json_writer w;
    struct buf b;
    if (!watch)
        return no_watcher(c, id);
    hosted_begin(&b, &w);
    json_arr(&w, "events");
    pthread_mutex_lock(&watch->looking);
    int rc = compare(c->h, c->sandbox, watch, add_item, &w);
    pthread_mutex_unlock(&watch->looking);
    give_watch(c->h, watch);
    json_end(&w);
    json_end(&w);
    if (rc == 0)
        return hosted_answer(c, 200, &b);
    buf_done(&b);
    return refuse(c, 500, "internal", "the directory can't be looked at");
}

int e2b_watching(struct hosted_call *c)
{
    const struct json *body;
    if (!c->request->on_worker)
        return SERVER_SLOW;
    if (!(body = read_body(c)))
        return 0;
    const char *id = json_get_str(body, "watcherId");
    if (is_method(c, "CreateWatcher"))
        return create_watcher(c, body);
    if (is_method(c, "GetWatcherEvents"))
        return watcher_events(c, id ? id : "");
    if (is_method(c, "WatchDir")) {
        struct e2b_watch *watch = watch_new(c, body);
        return watch ? e2b_watch_stream(c, watch) : 0;
    }
    struct e2b_watch *watch = find_watch(c, id ? id : "", true);
    if (!watch)
        return no_watcher(c, id ? id : "");
    give_watch(c->h, watch);
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

void e2b_watches_close(struct hosted *h)
{
    while (h->watches) {
        struct e2b_watch *next = h->watches->next;
        e2b_watch_free(h->watches);
        h->watches = next;
    }
}

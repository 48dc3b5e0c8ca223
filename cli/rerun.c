/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/rerun.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program that was begun, and whose outcome was not met yet. */
struct pending {
    int64_t number, seq;
};

struct rerun {
    struct client *c;
    struct arena page, one; /* of a page of the journal, of one program */
    struct arena *arena;    /* the one in use */
    struct buf report;      /* with --json: what has been written so far */
    struct json_writer w;
    struct pending *begun;
    size_t n_begun, room;
    bool failed; /* there is no memory */
    int64_t ran, different, left_out;
    bool same; /* of the present one: nothing differs yet */
    int64_t seq;
    const char *method;
};

/* ---- asking the server ---- */

/* path: with the world in front; NULL and a message: it was refused. */
static const struct json *ask(struct rerun *r, const char *method, const char *path,
                              const struct buf *body)
{
    const struct json *v = NULL;
    struct buf text;
    buf_init(&text, 0);
    if (client_call(r->c, method, path, body ? body->data : NULL, body ? body->len : 0, &text) ==
            0 &&
        text.len) {
        struct buf copy = text;
        copy.data = (char *)(uintptr_t)arena_memdup(r->arena, text.data, text.len + 1);
        if (!copy.data || client_read(r->c, r->arena, &copy, &v) != 0)
            v = NULL;
    }
    buf_done(&text);
    return v;
}

static const char *path_of(struct rerun *r, const char *rest)
{
    struct buf b;
    buf_init(&b, 0);
    const char *path = NULL;
    if (client_world_path(&b, r->c) == 0)
        path = arena_printf(r->arena, "%s%s", buf_str(&b), rest);
    buf_done(&b);
    return path;
}

static const struct json *entry_of(struct rerun *r, int64_t seq)
{
    const char *path = path_of(r, arena_printf(r->arena, "/journal/%lld", (long long)seq));
    return path ? ask(r, "GET", path, NULL) : NULL;
}

/* ---- what differs ---- */

static const char *shown(struct rerun *r, const struct json *v)
{
    if (!v)
        return "nothing";
    const char *text = json_to_text(r->arena, v);
    return strlen(text) <= 200 ? text : arena_printf(r->arena, "%.200s...", text);
}

static void differs(struct rerun *r, const char *what, const struct json *recorded,
                    const struct json *came)
{
    r->same = false;
    if (!r->c->json) {
        printf("entry %lld  %s  %s: %s -> %s\n", (long long)r->seq, r->method, what,
               shown(r, recorded), shown(r, came));
        return;
    }
    json_obj(&r->w, NULL);
    json_int(&r->w, "seq", r->seq);
    json_str(&r->w, "method", r->method);
    json_str(&r->w, "what", what);
    if (recorded)
        json_value(&r->w, "recorded", recorded);
    if (came)
        json_value(&r->w, "came", came);
    json_end(&r->w);
}

static bool is_same(struct rerun *r, const struct json *a, const struct json *b)
{
    if (!a || !b)
        return a == b;
    return strcmp(json_to_text(r->arena, a), json_to_text(r->arena, b)) == 0;
}

/* The name of a node: its path, or that in base64. */
static const char *name_of(const struct json *node)
{
    const char *path = json_get_str(node, "path"), *coded = json_get_str(node, "pathBytes");
    return path ? path : coded ? coded : "";
}

static int by_name(const void *a, const void *b)
{
    return strcmp(name_of(*(const struct json *const *)a), name_of(*(const struct json *const *)b));
}

/* The nodes of a list in the order of their names, a path in base64 by that text; NULL ends them.
 * NULL: no memory. */
static const struct json **sorted(struct rerun *r, const struct json *list)
{
    size_t n = list ? list->n : 0;
    const struct json **nodes = arena_calloc(r->arena, n + 1, sizeof *nodes);
    for (size_t i = 0; nodes && i < n; i++)
        nodes[i] = &list->items[i];
    if (nodes && n)
        qsort(nodes, n, sizeof *nodes, by_name);
    return nodes;
}

/* A file's time is another one each time. */
static bool is_same_node(struct rerun *r, const struct json *a, const struct json *b)
{
    static const char *const members[] = {"text", "base64", "link", "directory", "mode"};
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        if (!is_same(r, json_get(a, members[i]), json_get(b, members[i])))
            return false;
    return true;
}

static void compare_nodes(struct rerun *r, const char *list, const struct json *recorded,
                          const struct json *came)
{
    const struct json **a = sorted(r, json_get(recorded, list)),
                      **b = sorted(r, json_get(came, list));
    if (!a || !b) {
        r->failed = true;
        return;
    }
    while (*a || *b) {
        int order = !*a ? 1 : !*b ? -1 : by_name(a, b);
        const struct json *was = order <= 0 ? *a++ : NULL, *is = order >= 0 ? *b++ : NULL;
        if (!was || !is || !is_same_node(r, was, is))
            differs(r, arena_printf(r->arena, "%s %s", list, name_of(was ? was : is)), was, is);
    }
}

static void compare(struct rerun *r, const struct json *recorded, const struct json *came)
{
    static const char *const members[] = {"status",      "timedOut",    "flooded",     "failed",
                                          "stdout",      "stdoutBytes", "stdoutTotal", "stderr",
                                          "stderrBytes", "stderrTotal", "error"};
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        if (!is_same(r, json_get(recorded, members[i]), json_get(came, members[i])))
            differs(r, members[i], json_get(recorded, members[i]), json_get(came, members[i]));
    compare_nodes(r, "changed", recorded, came);
    compare_nodes(r, "removed", recorded, came);
}

/* ---- one program ---- */

/* What came of it, of the entry with the second half; where it was not run, {"error": why}. NULL:
 * it is not in the journal as it was. */
static const struct json *outcome_of(struct rerun *r, const struct json *entry)
{
    const struct json *resumed = json_get(entry, "resumed"), *body = json_get(resumed, "body"), *v;
    struct sosia_err none;
    const char *error = json_get_str(resumed, "error"), *text = NULL;
    size_t len = 0;
    if (error) {
        struct json_writer w;
        struct buf b;
        json_start(&w, &b);
        json_obj(&w, NULL);
        json_str(&w, "error", error);
        json_end(&w);
        text = arena_strdup(r->arena, buf_str(&b));
        len = b.len;
        buf_done(&b);
    } else if (body && body->type == JSON_STRING) {
        text = body->str;
        len = body->n;
    }
    if (body && body->type == JSON_OBJECT && !json_get(body, "xxh3"))
        return body;
    return text && json_parse(r->arena, text, len, NULL, &v, &none) == 0 ? v : NULL;
}

static void leave_out(struct rerun *r, const char *why)
{
    r->left_out++;
    if (!r->c->json)
        printf("entry %lld  %s  is not run again: %s\n", (long long)r->seq, r->method, why);
}

/* A world with the state and the time before the entry; NULL and a message. */
static const char *fork_before(struct rerun *r, int64_t seq, const char *at)
{
    const char *path = path_of(r, "/fork");
    struct buf body;
    buf_init(&body, 0);
    buf_printf(&body, "{\"step\":%lld,\"now\":\"%s\",\"journal\":\"writes\"}", (long long)seq - 1,
               at);
    const struct json *v = path ? ask(r, "POST", path, &body) : NULL;
    buf_done(&body);
    return json_get_str(v, "world");
}

/* The call of the first half once more, by whom it was made. False and a message: it can't be. */
static bool call_again(struct rerun *r, const char *world, const struct json *first)
{
    const struct json *request = json_get(first, "request"), *body = json_get(request, "body"), *v;
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "actor", json_get_str(first, "actor"));
    json_end(&w);
    v = ask(r, "POST", arena_printf(r->arena, "/worlds/%s/tokens", world), &b);
    const char *token = json_get_str(v, "token");
    buf_clear(&b);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str_opt(&w, "token", token);
    json_arr(&w, "calls");
    json_obj(&w, NULL);
    json_str(&w, "method", json_get_str(request, "verb"));
    json_str(&w, "target", json_get_str(request, "target"));
    if (body && body->type == JSON_STRING)
        json_value(&w, "text", body);
    else if (body)
        json_value(&w, "body", body);
    json_str(&w, "type", "application/json");
    json_end(&w);
    json_end(&w);
    json_end(&w);
    v = token ? ask(r, "POST", arena_printf(r->arena, "/worlds/%s/calls", world), &b) : NULL;
    buf_done(&b);
    return v != NULL;
}

/* The outcome of the only program that the fork has run; NULL. */
static const struct json *outcome_in(struct rerun *r, const char *world)
{
    const struct json *v = ask(r, "GET", arena_printf(r->arena, "/worlds/%s/journal", world), NULL);
    const struct json *list = json_get(v, "entries");
    int64_t seq = 0;
    for (uint32_t i = 0; list && i < list->n; i++)
        if (json_get_int(json_get(&list->items[i], "resumed"), "entry", 0) < 0)
            seq = json_get_int(&list->items[i], "seq", 0);
    v = seq ? ask(r, "GET",
                  arena_printf(r->arena, "/worlds/%s/journal/%lld", world, (long long)seq), NULL)
            : NULL;
    return v ? outcome_of(r, v) : NULL;
}

static void drop(struct rerun *r, const char *world)
{
    struct buf text;
    buf_init(&text, 0);
    client_call(r->c, "DELETE", arena_printf(r->arena, "/worlds/%s", world), NULL, 0, &text);
    buf_done(&text);
}

/* 0; else an exit code, and a message was printed. */
static int run_one(struct rerun *r, int64_t begun, int64_t ended)
{
    const struct json *first = entry_of(r, begun), *second = first ? entry_of(r, ended) : NULL;
    const struct json *request = json_get(first, "request"), *recorded, *came;
    if (!first || !second)
        return EXIT_REFUSED;
    r->seq = ended;
    const char *method = json_get_str(first, "method");
    r->method = method ? method : "";
    if (!(recorded = outcome_of(r, second))) {
        leave_out(r, "the journal does not have its outcome as it was");
        return 0;
    }
    if (!json_get_str(first, "actor") || json_get(json_get(request, "body"), "xxh3")) {
        leave_out(r, "the journal does not have its request as it was");
        return 0;
    }
    const char *world = fork_before(r, begun, json_get_str(first, "at"));
    if (!world)
        return EXIT_REFUSED;
    came = call_again(r, world, first) ? outcome_in(r, world) : NULL;
    r->same = true;
    if (came) {
        r->ran++;
        compare(r, recorded, came);
        r->different += !r->same;
    }
    drop(r, world);
    if (!came)
        fprintf(stderr, "sosia: the program of entry %lld must run again, has not\n",
                (long long)ended);
    return came ? 0 : EXIT_REFUSED;
}

/* ---- all of them ---- */

static void end_report(struct rerun *r)
{
    bool equal = !r->different;
    if (!r->c->json) {
        printf("ran %lld, left_out %lld, different %lld; %s\n", (long long)r->ran,
               (long long)r->left_out, (long long)r->different, equal ? "equal" : "not equal");
        return;
    }
    json_end(&r->w);
    json_int(&r->w, "ran", r->ran);
    json_int(&r->w, "left_out", r->left_out);
    json_int(&r->w, "different", r->different);
    json_bool(&r->w, "equal", equal);
    json_end(&r->w);
    printf("%s\n", buf_str(&r->report));
}

static int add_begun(struct rerun *r, int64_t number, int64_t seq)
{
    if (r->n_begun == r->room) {
        size_t room = r->room ? r->room * 2 : 64;
        struct pending *more = reallocarray(r->begun, room, sizeof *more);
        if (!more)
            return -1;
        r->begun = more;
        r->room = room;
    }
    r->begun[r->n_begun++] = (struct pending){number, seq};
    return 0;
}

/* Runs the program whose outcome this entry has. 0, -1: a message was printed. */
static int run_begun(struct rerun *r, int64_t number, int64_t seq)
{
    for (size_t k = r->n_begun; k-- > 0;)
        if (r->begun[k].number == number) {
            int rc = run_one(r, r->begun[k].seq, seq);
            arena_reset(r->arena);
            r->begun[k] = r->begun[--r->n_begun];
            return rc == 0 ? 0 : -1;
        }
    return 0; /* its call is not among these entries */
}

/* A page of the journal: the number to go on behind; 0: that was all; -1: a message was printed. */
static int64_t read_page(struct rerun *r, int64_t after, int64_t to, bool first)
{
    r->arena = &r->page;
    arena_reset(r->arena);
    const char *path =
        path_of(r, arena_printf(r->arena, "/journal?after=%lld&limit=200", (long long)after));
    const struct json *v = path ? ask(r, "GET", path, NULL) : NULL, *list = json_get(v, "entries");
    r->arena = &r->one;
    int64_t next = v ? 0 : -1;
    for (uint32_t i = 0; list && next >= 0 && i < list->n; i++) {
        const struct json *e = &list->items[i];
        const int64_t seq = json_get_int(e, "seq", 0), suspended = json_get_int(e, "suspended", 0),
                      resumed = json_get_int(json_get(e, "resumed"), "entry", 0);
        if (to && seq > to) {
            next = 0;
            break;
        }
        next = seq;
        if (suspended < 0 && add_begun(r, suspended, seq) < 0)
            r->failed = true;
        if (resumed < 0 && run_begun(r, resumed, seq) < 0)
            next = -1;
        if (r->failed) {
            fprintf(stderr, "sosia: there is no memory to compare the programs of entry %lld\n",
                    (long long)seq);
            next = -1;
        }
        if (first && r->different) {
            next = 0;
            break;
        }
    }
    return next;
}

int rerun(struct client *c, int64_t from, int64_t to, bool first)
{
    struct rerun r = {.c = c};
    int64_t at = from;
    arena_init(&r.page, 0);
    arena_init(&r.one, 0);
    buf_init(&r.report, 0);
    json_init(&r.w, &r.report, true, NULL);
    json_obj(&r.w, NULL);
    json_arr(&r.w, "differences");
    while ((at = read_page(&r, at, to, first)) > 0)
        ;
    if (at == 0)
        end_report(&r);
    buf_done(&r.report);
    arena_done(&r.page);
    arena_done(&r.one);
    free(r.begun);
    client_close(c);
    return at < 0 || r.different ? EXIT_REFUSED : EXIT_OK;
}

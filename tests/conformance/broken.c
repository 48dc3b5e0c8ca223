/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows that the cassettes can fail. This program is sosia with tables of methods that can be
 * changed, in which one handler after the other is wrong. For each method that the cassettes use,
 * each fault must be found, and be reported with the method's name; one of them for every other
 * method, unless all are requested.
 */
#include "sosia.h"
/* The list of services as it is; what replaces it is made below. */
#define sosia_services    whole_services
#define sosia_engine_open whole_engine_open
int sosia_engine_open(const struct sosia_engine_options *opt, struct sosia_engine **ret_engine,
                      struct sosia_err *err);
#include "services/list.c"
#undef sosia_services
#undef sosia_engine_open
#include "conformance/method.h"
#include "conformance/replay.h"
#include "conformance/report/report.h"
#include "engine/http/call.h"
#include "tests/support/dose.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- sosia, but for one handler ---- */

enum { SERVICES_MAX = 32, DIALECTS_MAX = 64, ROUTES_MAX = 4000 };

enum breakage { BREAK_NOTHING, BREAK_STATUS, BREAK_MEMBER, BREAK_REFUSAL };
static const char *const breakage_names[] = {"nothing", "the status", "a member too many",
                                             "a refusal"};

extern const struct sosia_service *sosia_services[SERVICES_MAX + 1];
const struct sosia_service *sosia_services[SERVICES_MAX + 1]; /* filled by copy_services() */
static struct sosia_service services[SERVICES_MAX];
static const struct dialect *lists[SERVICES_MAX + DIALECTS_MAX];
static struct dialect dialects[DIALECTS_MAX];
static struct route routes[ROUTES_MAX];
static const struct route *whole_routes[ROUTES_MAX]; /* what those are made of */
static size_t n_routes;
static struct rows tables[DIALECTS_MAX];
static const struct rows *table_lists[DIALECTS_MAX][2];
static enum breakage fault;

/* Puts another member behind the last one of an object that was written. */
static void add_member(struct buf *out)
{
    static const char member[] = ", \"wrong\": true";
    const char *end = out->len ? memrchr(out->data, '}', out->len) : NULL;
    if (!end)
        return;
    size_t at = (size_t)(end - out->data), behind = out->len - at;
    buf_add(out, member, sizeof member - 1);
    if (buf_failed(out))
        return;
    memmove(out->data + at + sizeof member - 1, out->data + at, behind);
    memcpy(out->data + at, member, sizeof member - 1);
}

static int break_handler(struct call *c)
{
    if (fault == BREAK_REFUSAL)
        return call_fail(c, SOSIA_E_INTERNAL, "backendError", NULL, "Backend Error");
    int rc = whole_routes[c->route - routes]->handler(c);
    if (rc < 0)
        return rc;
    if (fault == BREAK_STATUS)
        c->status = c->status == 204 ? 205 : 203;
    else if (fault == BREAK_MEMBER)
        add_member(c->body_out);
    return 0;
}

/* Vendors know some of their methods by the handler: so only one at a time is another. */
static void break_route(size_t i, enum breakage which)
{
    fault = which;
    routes[i].handler = which ? break_handler : whole_routes[i]->handler;
}

static void copy_dialect(const struct dialect *whole, size_t at)
{
    const struct route *r;
    tables[at].rows = &routes[n_routes];
    for (; (r = dialect_row(whole, tables[at].n)); tables[at].n++, n_routes++) {
        if (n_routes == ROUTES_MAX)
            abort();
        whole_routes[n_routes] = r;
        routes[n_routes] = *r;
    }
    table_lists[at][0] = &tables[at];
    dialects[at] = *whole;
    dialects[at].tables = table_lists[at];
}

static void copy_services(void)
{
    size_t n_lists = 0, n_dialects = 0;
    for (size_t s = 0; whole_services[s]; s++) {
        if (s == SERVICES_MAX)
            abort();
        services[s] = *whole_services[s];
        services[s].dialects = &lists[n_lists];
        for (const struct dialect *const *d = whole_services[s]->dialects; d && *d; d++) {
            if (n_dialects == DIALECTS_MAX)
                abort();
            copy_dialect(*d, n_dialects);
            lists[n_lists++] = &dialects[n_dialects++];
        }
        n_lists++; /* NULL */
        sosia_services[s] = &services[s];
    }
}

int sosia_engine_open(const struct sosia_engine_options *opt, struct sosia_engine **ret_engine,
                      struct sosia_err *err)
{
    return engine_open(opt, sosia_services, ret_engine, err);
}

/* ---- the suite ---- */

struct suite {
    struct target *target;
    struct cassette **list;
    size_t n, cap;
};

static int read_fixture(struct arena *a, const char *name, const char **ret_text, size_t *ret_len,
                        struct sosia_err *err)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", getenv("SOSIA_FIXTURES"), name);
    FILE *f = fopen(path, "rb");
    char *text = arena_alloc(a, 1 << 20);
    if (!f)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, "fixture", NULL, "%s is not there", path);
    *ret_len = fread(text, 1, 1 << 20, f);
    *ret_text = text;
    fclose(f);
    return 0;
}

static int load_one(void *arg, const char *file, const char *name, struct sosia_err *err)
{
    struct suite *s = arg;
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 64;
        s->list = realloc(s->list, s->cap * sizeof(struct cassette *));
    }
    if (!s->list || cassette_load(file, &s->list[s->n], err) < 0)
        return -1;
    cassette_rename(s->list[s->n++], name);
    return 0;
}

static bool uses(const struct cassette *c, const char *method)
{
    for (size_t i = 0; i < c->n_steps; i++)
        if (c->steps[i].method && strcmp(c->steps[i].method, method) == 0)
            return true;
    return false;
}

/* The tally of a method. */
static bool tally_of(const struct result *r, const char *method, struct tally *ret)
{
    struct arena a;
    struct tallies t;
    bool found = false;
    arena_init(&a, 0);
    if (tally_up(&a, &r, 1, &t) == 0)
        for (size_t i = 0; i < t.n && !found; i++)
            if (strcmp(t.list[i].method, method) == 0) {
                *ret = t.list[i];
                found = true;
            }
    arena_done(&a);
    return found;
}

/* Whether a method is seen to succeed, and with members: one that is only refused can't have
 * another status, and one without a body, or with a number alone, no member too many. Discovery
 * documents may say more: they are in our own words (docs/fidelity.md). A subscription of Graph's
 * is answered by the delivery that it waits for, and not by its handler. A stream of E2B's is
 * refused with status 200, and succeeds only on machines where programs may run; Slack refuses with
 * status 200 and a member `ok`. */
static bool can_break(const struct result *r, const char *method, enum breakage which)
{
    if ((which == BREAK_MEMBER && strncmp(method, "discovery.", 10) == 0) ||
        (which != BREAK_REFUSAL && strcmp(method, "graph.subscriptions.create") == 0) ||
        (which == BREAK_STATUS &&
         (strcmp(method, "e2b.process.Start") == 0 || strcmp(method, "e2b.process.Connect") == 0)))
        return false;
    for (const struct scenario *s = r->first; s; s = s->next)
        for (const struct exchange *x = s->first; x; x = x->next)
            if (x->method && strcmp(x->method, method) == 0 && x->status < 300 &&
                !json_is_false(json_get(x->json, "ok")) &&
                (which != BREAK_MEMBER ||
                 (x->json && (x->json->type == JSON_OBJECT || x->json->type == JSON_ARRAY))))
                return true;
    return false;
}

/* Whether the report names the method at the head of a difference. */
static bool named(const struct result *r, const char *method)
{
    const struct report report = {"", &r, 1, "expected", "got"};
    struct buf out;
    char head[160];
    buf_init(&out, 0);
    report_text(&report, false, &out);
    snprintf(head, sizeof head, "(%s)", method);
    bool ok = strstr(buf_str(&out), head) != NULL;
    buf_done(&out);
    return ok;
}

/* Whether replays say of a method that it is wrong. */
static bool found(const struct result *r, const char *method)
{
    struct tally t;
    return tally_of(r, method, &t) && t.equal < t.exchanges && named(r, method);
}

/* method: only cassettes that use it, until one finds it wrong; NULL: all. */
static struct result *run(struct suite *s, const char *method)
{
    struct sosia_err err = {0};
    struct result *r = result_new();
    for (size_t i = 0; r && i < s->n; i++) {
        if (method && !uses(s->list[i], method))
            continue;
        if (replay_cassette(s->target, s->list[i], r, &err) < 0) {
            fprintf(stderr, "%s: %s\n", s->list[i]->file, err.text);
            exit(1);
        }
        if (method && found(r, method))
            break;
    }
    return r;
}

static void print_result(const struct result *r)
{
    const struct report report = {"", &r, 1, "expected", "got"};
    struct buf out;
    buf_init(&out, 0);
    report_text(&report, false, &out);
    fputs(buf_str(&out), stdout);
    buf_done(&out);
}

static bool check(struct suite *s, size_t i, enum breakage which)
{
    const char *method = routes[i].id;
    break_route(i, which);
    struct result *r = run(s, method);
    bool ok = found(r, method);
    printf("%s %s: %s is %s\n", ok ? "ok    " : "FAILED", method, breakage_names[which],
           ok ? "found" : "not found");
    result_free(r);
    break_route(i, BREAK_NOTHING);
    return ok;
}

int main(int argc, char **argv)
{
    struct suite s = {0};
    struct sosia_err err = {0};
    struct tally t;
    const char *dir = argc > 1 ? argv[1] : "";
    size_t passed = 0, failed = 0;
    copy_services();
    if (cassette_each(&dir, 1, load_one, &s, &err) < 0 ||
        target_open_process(read_fixture, &s.target, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    struct result *whole = run(&s, NULL);
    for (size_t i = 0; i < n_routes; i++) {
        const char *method = routes[i].id;
        if (!tally_of(whole, method, &t) || !t.exchanges)
            continue;
        if (t.equal < t.exchanges) {
            print_result(whole);
            printf("FAILED %s: differs without a fault\n", method);
            failed++;
            continue;
        }
        for (enum breakage f = BREAK_STATUS; f <= BREAK_REFUSAL; f++) {
            if (!can_break(whole, method, f) || !dose(true, i % 6 + 1 == (size_t)f))
                continue;
            bool ok = check(&s, i, f);
            passed += ok;
            failed += !ok;
        }
    }
    printf("%zu passed, %zu failed\n", passed, failed);
    result_free(whole);
    target_close(s.target);
    for (size_t i = 0; i < s.n; i++)
        cassette_free(s.list[i]);
    free(s.list);
    return failed || !passed;
}

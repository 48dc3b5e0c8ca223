/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Can the cassettes fail? This program is sosia with one handler wrong: it has a list of services
 * of its own, in which the routes of the calendar's dialect lead through break_handler(). For each
 * method that the cassettes use, each fault must be found, and be told by the method's name.
 */
#include "conformance/method.h"
#include "conformance/replay.h"
#include "conformance/report.h"
#include "engine/http/call.h"
#include "engine/world/identity.h"
#include "services/calendar/core/calendar.h"
#include "services/calendar/google/gcal.h"
#include "services/google/google.h"
#include "services/identity/google/oauth.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- sosia, but for one handler ---- */

enum fault { FAULT_NONE, FAULT_STATUS, FAULT_MEMBER, FAULT_REFUSAL };
static const char *const fault_names[] = {"nothing", "the status", "a member too many",
                                          "a refusal"};

static struct dialect broken; /* the calendar's, filled by break_routes() */
static struct route broken_routes[128];
static enum fault fault;
static const char *broken_method; /* its id */

const struct sosia_core *const sosia_cores[] = {
    &identity_core, &google_core, &google_oauth_core, &calendar_core, &calendar_google_core, NULL,
};
const struct dialect *const sosia_dialects[] = {
    &google_dialect_common, &google_oauth_dialect, &google_oauth2_dialect, &broken, NULL,
};

static int break_handler(struct call *c)
{
    const struct route *whole = &calendar_google.routes[c->route - broken_routes];
    bool wrong = broken_method && strcmp(whole->id, broken_method) == 0;
    if (wrong && fault == FAULT_REFUSAL)
        return call_fail(c, SOSIA_E_INTERNAL, "backendError", NULL, "Backend Error");
    int rc = whole->handler(c);
    if (rc < 0 || !wrong)
        return rc;
    if (fault == FAULT_STATUS)
        c->status = c->status == 204 ? 205 : 203;
    if (fault == FAULT_MEMBER && c->body_out->len) {
        static const char member[] = ", \"wrong\": true";
        char *end = memrchr(c->body_out->data, '}', c->body_out->len);
        size_t at = (size_t)(end - c->body_out->data), behind = c->body_out->len - at;
        buf_add(c->body_out, member, sizeof member - 1);
        end = c->body_out->data + at;
        memmove(end + sizeof member - 1, end, behind);
        memcpy(end, member, sizeof member - 1);
    }
    return 0;
}

static void break_routes(void)
{
    if (calendar_google.n_routes > SOSIA_LEN(broken_routes))
        abort();
    for (size_t i = 0; i < calendar_google.n_routes; i++) {
        broken_routes[i] = calendar_google.routes[i];
        broken_routes[i].handler = break_handler;
    }
    broken = calendar_google;
    broken.routes = broken_routes;
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

static struct result *run(struct suite *s)
{
    struct sosia_err err = {0};
    struct result *r = result_new();
    for (size_t i = 0; r && i < s->n; i++) {
        if (replay_cassette(s->target, s->list[i], r, &err) < 0) {
            fprintf(stderr, "%s: %s\n", s->list[i]->file, err.text);
            exit(1);
        }
    }
    return r;
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

/* Whether a method is seen to succeed, and with a body: one that is only refused can't have another
 * status, and one without a body no member too many. */
static bool can_break(const struct result *r, const char *method, enum fault which)
{
    for (const struct scenario *s = r->first; s; s = s->next)
        for (const struct exchange *x = s->first; x; x = x->next)
            if (x->method && strcmp(x->method, method) == 0 && x->status < 300 &&
                (x->json || which != FAULT_MEMBER))
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

static bool check(struct suite *s, const char *method, enum fault which)
{
    struct tally t;
    broken_method = method;
    fault = which;
    struct result *r = run(s);
    bool found = tally_of(r, method, &t) && t.equal < t.exchanges && named(r, method);
    printf("%s %s: %s is %s\n", found ? "ok    " : "FAILED", method, fault_names[which],
           found ? "found" : "not found");
    result_free(r);
    broken_method = NULL;
    return found;
}

int main(int argc, char **argv)
{
    struct suite s = {0};
    struct sosia_err err = {0};
    struct tally t;
    const char *dir = argc > 1 ? argv[1] : "";
    size_t passed = 0, failed = 0;
    break_routes();
    if (cassette_each(&dir, 1, load_one, &s, &err) < 0 ||
        target_open_process(read_fixture, &s.target, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    struct result *whole = run(&s);
    for (size_t i = 0; i < broken.n_routes; i++) {
        const char *method = broken.routes[i].id;
        if (!tally_of(whole, method, &t) || !t.exchanges)
            continue;
        if (t.equal < t.exchanges) {
            printf("FAILED %s: differs without a fault\n", method);
            failed++;
            continue;
        }
        for (enum fault f = FAULT_STATUS; f <= FAULT_REFUSAL; f++) {
            if (!can_break(whole, method, f))
                continue;
            bool ok = check(&s, method, f);
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

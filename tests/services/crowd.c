/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thousand worlds at work at the same time: threads make calls of all services in worlds by
 * chance, each writes the number of its world, and nothing that is read may have another one.
 * Tokens of one world are tried in the next. At the end each world has changed by what was written
 * to it and by nothing else, and the world that all are forks of has not changed.
 */
#include "tests/support/dose.h"
#include "tests/support/unit.h"
#include "sosia.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define WORLDS  1000
#define THREADS 8
#define ADA     "ada@acme.example"

static const char doc[] =
    "{sosia: 1, time: '2026-11-23T09:00:00', zone: UTC,"
    " organizations: [{domain: acme.example, name: Acme}],"
    " people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: Bob}],"
    " workspaces: [{id: T0ACME0001, domain: acme, name: Acme}],"
    " channels: [{id: C0GENERAL1, name: general, general: true}]}";

enum kind { EVENT, MAIL, FILE_NEW, POST, KINDS };

/* What is written, with the number of the world and of the writing as its words, where it is read,
 * and what a diff has of it. */
static const struct row {
    const char *target, *head, *tail, *list, *entity;
} rows[KINDS] = {
    {"/calendar/v3/calendars/primary/events", "{\"summary\":\"",
     "\",\"start\":{\"date\":\"2026-11-24\"},\"end\":{\"date\":\"2026-11-25\"}}",
     "/calendar/v3/calendars/primary/events?maxResults=250", "\"event\""},
    {"/gmail/v1/users/me/labels", "{\"name\":\"", "\"}", "/gmail/v1/users/me/labels",
     "\"mailLabel\""},
    {"/drive/v3/files", "{\"name\":\"", "\"}",
     "/drive/v3/files?pageSize=1000&q=name+contains+'mark'", "\"file\""},
    {"/api/chat.postMessage", "{\"channel\":\"C0GENERAL1\",\"text\":\"", "\"}",
     "/api/conversations.history?channel=C0GENERAL1&limit=200", "\"chatMessage\""},
};

static struct sosia_engine *engine;
static uint64_t worlds[WORLDS];
static char tokens[WORLDS][SOSIA_TOKEN_MAX + 8];
static atomic_int written[WORLDS][KINDS];
static atomic_int steps_left, refused;
static _Atomic(const char *) fault;
static char fault_text[512];

/* The first one is kept; threads can't fail a test themselves. */
static void blame(int world, const char *what, const char *text)
{
    static atomic_flag once = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&once))
        return;
    snprintf(fault_text, sizeof fault_text, "world %d: %s: %.400s", world, what, text);
    fault = fault_text;
}

/* How many marks a text has, all of which must be the world's. */
static int marks_in(int world, const char *text)
{
    int n = 0;
    for (const char *p = text; (p = strstr(p, "mark")); p += 4) {
        int number;
        if (sscanf(p, "mark%4d", &number) != 1)
            continue;
        n++;
        if (number != world)
            blame(world, "has what another world wrote", p);
    }
    return n;
}

/* Gives the status, 0 where there was no response; *ret_text is malloc()ed. */
static int request(int world, int whose, const char *method, const char *target, const char *body,
                   char **ret_text)
{
    const struct sosia_header headers[] = {{"Authorization", tokens[whose]},
                                           {"Content-Type", "application/json"}};
    const struct sosia_request r = {.method = method,
                                    .target = target,
                                    .headers = headers,
                                    .n_headers = 2,
                                    .body = body,
                                    .body_len = strlen(body)};
    struct sosia_response *answer;
    struct sosia_err err;
    if (sosia_call(engine, worlds[world], &r, &answer, &err) < 0) {
        blame(world, target, err.text);
        *ret_text = NULL;
        return 0;
    }
    *ret_text = calloc(1, answer->body_len + 1);
    if (*ret_text && answer->body_len)
        memcpy(*ret_text, answer->body, answer->body_len);
    int status = answer->status;
    sosia_response_free(answer);
    return *ret_text ? status : 0;
}

static void write_mark(int world, enum kind kind, int number)
{
    char body[256], *text;
    snprintf(body, sizeof body, "%smark%04d %d%s", rows[kind].head, world, number, rows[kind].tail);
    int status = request(world, world, "POST", rows[kind].target, body, &text);
    if (status && (status >= 300 || strstr(text, "\"ok\":false")))
        blame(world, rows[kind].target, text);
    else if (status && marks_in(world, text) < 1)
        blame(world, "the answer lacks what was written", text);
    else
        written[world][kind]++;
    free(text);
}

static void read_marks(int world, enum kind kind)
{
    int before = written[world][kind];
    char *text;
    int status = request(world, world, "GET", rows[kind].list, "", &text);
    if (status != 200)
        blame(world, rows[kind].list, text ? text : "");
    else if (marks_in(world, text) < before)
        blame(world, "lacks what was written before", text);
    free(text);
}

/* With the token of another world. */
static void trespass(int world, int whose, enum kind kind)
{
    char body[256], *text;
    snprintf(body, sizeof body, "%smark%04d%s", rows[kind].head, world, rows[kind].tail);
    int status = request(world, whose, "POST", rows[kind].target, body, &text);
    if (status && status < 300 && !strstr(text, "\"ok\":false"))
        blame(world, "takes the token of another world", text);
    refused++;
    free(text);
}

static void *work(void *arg)
{
    unsigned seed = *(const unsigned *)arg;
    int step;
    while (!fault && (step = atomic_fetch_sub(&steps_left, 1)) > 0) {
        seed = seed * 1103515245 + 12345;
        int world = (int)(seed >> 8) % WORLDS, what = (int)(seed >> 20) % 8;
        enum kind kind = (enum kind)((seed >> 24) % KINDS);
        if (what < 4)
            write_mark(world, kind, step);
        else if (what < 7)
            read_marks(world, kind);
        else
            trespass(world, (world + 1) % WORLDS, kind);
    }
    return NULL;
}

/* ---- before and after ---- */

/* Gives the world that all are forks of. */
static uint64_t open_worlds(void)
{
    const struct sosia_world_options opt = {
        .seed_doc = doc, .seed_doc_len = sizeof doc - 1, .seed_doc_name = "crowd"};
    const struct sosia_token_options whose = {.actor = ADA};
    struct sosia_err err;
    uint64_t base;
    assert_int_equal(sosia_engine_open(NULL, &engine, &err), 0);
    assert_int_equal(sosia_world_create(engine, &opt, &base, &err), 0);
    for (int i = 0; i < WORLDS; i++) {
        assert_int_equal(sosia_world_fork(engine, base, NULL, &worlds[i], &err), 0);
        memcpy(tokens[i], "Bearer ", 7);
        assert_int_equal(
            sosia_token_issue(engine, worlds[i], &whose, tokens[i] + 7, SOSIA_TOKEN_MAX, &err), 0);
    }
    return base;
}

/* What a world has changed by is what was written to it. */
static void check_world(int world)
{
    struct sosia_blob diff;
    struct sosia_err err;
    int all = 0;
    assert_int_equal(sosia_diff(engine, 0, worlds[world], NULL, &diff, &err), 0);
    marks_in(world, diff.data);
    for (enum kind kind = 0; kind < KINDS; kind++) {
        int n = 0;
        for (const char *p = diff.data; (p = strstr(p, "\"entity\":")); p += 9) {
            const char *value = p + 9 + strspn(p + 9, " ");
            n += strncmp(value, rows[kind].entity, strlen(rows[kind].entity)) == 0;
        }
        assert_int_equal(n, written[world][kind]);
        all += n;
    }
    int changes = 0;
    for (const char *p = diff.data; (p = strstr(p, "\"entity\":")); p += 9)
        changes++;
    assert_int_equal(changes, all);
    sosia_blob_free(&diff);
}

static void no_world_of_a_thousand_sees_another(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    struct sosia_err err;
    char before[65], after[65];
    int all = 0;
    uint64_t base = open_worlds();
    assert_int_equal(sosia_world_hash(engine, base, before, &err), 0);
    steps_left = dose(60000, 3000);
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = 7 * i + 1;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (fault)
        fail_msg("%s", fault);
    for (int i = 0; i < WORLDS; i++) {
        check_world(i);
        for (enum kind kind = 0; kind < KINDS; kind++)
            all += written[i][kind];
    }
    if (fault)
        fail_msg("%s", fault);
    assert_true(all > 1000);
    assert_true(refused > 100);
    assert_int_equal(sosia_world_hash(engine, base, after, &err), 0);
    assert_string_equal(before, after);
    sosia_engine_close(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_world_of_a_thousand_sees_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

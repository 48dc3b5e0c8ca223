/* SPDX-License-Identifier: Apache-2.0 */
/* A test with worlds: a base is made once, and each test gets a fork of it, in which it may do what
 * it likes. */
#include <sosia.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char people[] = "sosia: 1\n"
                             "time: 2026-03-02T09:00:00Z\n"
                             "people:\n"
                             "  - {email: ann@example.com, name: Ann}\n";
#define EVENTS "/calendar/v3/calendars/primary/events"

static struct sosia_engine *engine;
static uint64_t base;

static void check(int rc, const struct sosia_err *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* A request in Ann's name. A fork has tokens of its own. The response is the caller's. */
static struct sosia_response *ask(uint64_t world, const char *method, const char *target,
                                  const char *body)
{
    const struct sosia_token_options ann = {.size = sizeof ann, .actor = "ann@example.com"};
    char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + sizeof "Bearer "];
    struct sosia_response *response;
    struct sosia_err err;
    check(sosia_token_issue(engine, world, &ann, token, sizeof token, &err), &err);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    const struct sosia_header headers[] = {{"Authorization", bearer},
                                           {"Content-Type", "application/json"}};
    const struct sosia_request request = {.size = sizeof request,
                                          .method = method,
                                          .target = target,
                                          .headers = headers,
                                          .n_headers = body ? 2 : 1,
                                          .body = body,
                                          .body_len = body ? strlen(body) : 0};
    check(sosia_call(engine, world, &request, &response, &err), &err);
    return response;
}

static int an_event_is_there_when_it_was_inserted(uint64_t world)
{
    struct sosia_response *r = ask(world, "POST", EVENTS,
                                   "{\"summary\": \"Lunch\", \"start\": {\"dateTime\": "
                                   "\"2026-03-02T12:00:00Z\"}, \"end\": {\"dateTime\": "
                                   "\"2026-03-02T13:00:00Z\"}}");
    int good = r->status == 200;
    sosia_response_free(r);
    r = ask(world, "GET", EVENTS "?q=lunch", NULL);
    good = good && r->status == 200 && strstr(r->body, "\"summary\": \"Lunch\"");
    sosia_response_free(r);
    return good;
}

/* It does not see what the other one did. */
static int a_calendar_is_empty_at_first(uint64_t world)
{
    struct sosia_response *r = ask(world, "GET", EVENTS, NULL);
    int good = r->status == 200 && strstr(r->body, "\"items\": []");
    sosia_response_free(r);
    return good;
}

int main(void)
{
    static const struct {
        const char *name;
        int (*run)(uint64_t world);
    } tests[] = {
        {"an event is there when it was inserted", an_event_is_there_when_it_was_inserted},
        {"a calendar is empty at first", a_calendar_is_empty_at_first},
    };
    const struct sosia_world_options seeded = {
        .size = sizeof seeded, .seed_doc = people, .seed_doc_len = strlen(people)};
    struct sosia_err err;
    int failed = 0;
    check(sosia_engine_open(NULL, &engine, &err), &err);
    check(sosia_world_create(engine, &seeded, &base, &err), &err);
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        uint64_t world;
        check(sosia_world_fork(engine, base, NULL, &world, &err), &err);
        int good = tests[i].run(world);
        printf("%s %s\n", good ? "ok    " : "FAILED", tests[i].name);
        failed += !good;
        check(sosia_world_drop(engine, world, &err), &err);
    }
    sosia_engine_close(engine);
    return failed != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* An episode: somebody gets a task in a world, does something, and what became of it is graded. */
#include <sosia.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char people[] = "sosia: 1\n"
                             "time: 2026-03-02T09:00:00Z\n"
                             "people:\n"
                             "  - {email: ann@example.com, name: Ann}\n";
static const char suite_doc[] = "version: '1'\n"
                                "id: lunch\n"
                                "prompt: Put a lunch at noon into my calendar.\n"
                                "assertions:\n"
                                "  - diff_type: added\n"
                                "    entity: event\n"
                                "    where: {summary: {contains: Lunch}}\n";

static void check(int rc, const struct sosia_err *err)
{
    if (rc == 0)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

/* What stands here for an agent: it makes one call, a good one or a bad one. */
static void act(struct sosia_engine *engine, uint64_t world, const char *summary)
{
    const struct sosia_token_options ann = {.size = sizeof ann, .actor = "ann@example.com"};
    char token[SOSIA_TOKEN_MAX], bearer[SOSIA_TOKEN_MAX + sizeof "Bearer "], body[300];
    struct sosia_response *response;
    struct sosia_err err;
    check(sosia_token_issue(engine, world, &ann, token, sizeof token, &err), &err);
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    snprintf(body, sizeof body,
             "{\"summary\": \"%s\", \"start\": {\"dateTime\": \"2026-03-02T12:00:00Z\"}, \"end\": "
             "{\"dateTime\": \"2026-03-02T13:00:00Z\"}}",
             summary);
    const struct sosia_header headers[] = {{"Authorization", bearer},
                                           {"Content-Type", "application/json"}};
    const struct sosia_request request = {.size = sizeof request,
                                          .method = "POST",
                                          .target = "/calendar/v3/calendars/primary/events",
                                          .headers = headers,
                                          .n_headers = 2,
                                          .body = body,
                                          .body_len = strlen(body)};
    check(sosia_call(engine, world, &request, &response, &err), &err);
    sosia_response_free(response);
}

int main(void)
{
    static const char *const attempts[] = {"Lunch with Bob", "Dinner"};
    const struct sosia_world_options seeded = {
        .size = sizeof seeded, .seed_doc = people, .seed_doc_len = strlen(people)};
    struct sosia_engine *engine;
    struct sosia_suite *suite;
    struct sosia_err err;
    uint64_t base;
    check(sosia_engine_open(NULL, &engine, &err), &err);
    check(sosia_world_create(engine, &seeded, &base, &err), &err);
    check(sosia_suite_open(suite_doc, strlen(suite_doc), "lunch", &suite, &err), &err);
    for (size_t i = 0; i < sizeof attempts / sizeof attempts[0]; i++) {
        struct sosia_blob grade;
        uint64_t world;
        check(sosia_world_fork(engine, base, NULL, &world, &err), &err);
        act(engine, world, attempts[i]);
        /* from 0: since the fork */
        check(sosia_grade(engine, suite, "lunch", 0, world, &grade, &err), &err);
        printf("%s: %s\n", attempts[i],
               strstr(grade.data, "\"passed\": true") ? "passed" : "not passed");
        sosia_blob_free(&grade);
        check(sosia_world_drop(engine, world, &err), &err);
    }
    sosia_suite_close(suite);
    sosia_engine_close(engine);
    return 0;
}

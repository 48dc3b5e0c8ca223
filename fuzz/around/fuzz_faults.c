/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a document of faults, and as one of budgets: refused with a reason, or set in a
 * world, whose calls are answered then, and whose dump is what it was. */
#include "fuzz/fuzz.h"
#include "sosia.h"
#include <string.h>

static struct sosia_engine *engine;
static uint64_t base;
static char bearer[SOSIA_TOKEN_MAX + 16];

static void begin(void)
{
    static const char doc[] = "sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
                              "people: [{email: ada@acme.example, name: Ada}]\n";
    const struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = sizeof doc - 1};
    const struct sosia_token_options token = {.actor = "ada@acme.example"};
    engine = fuzz_engine(NULL);
    MUST(sosia_world_create(engine, &opt, &base, &why));
    memcpy(bearer, "Bearer ", 7);
    MUST(sosia_token_issue(engine, base, &token, bearer + 7, sizeof bearer - 7, &why));
}

static void call(const char *method, const char *target)
{
    const struct sosia_header headers[] = {{"Authorization", bearer}};
    struct sosia_response *response;
    MUST(sosia_call(engine, base,
                    &(struct sosia_request){
                        .method = method, .target = target, .headers = headers, .n_headers = 1},
                    &response, &why));
    CHECK(response->status >= 200 && response->status < 600);
    sosia_response_free(response);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sosia_err err = {0};
    struct sosia_blob before, after, info;
    if (!engine)
        begin();
    bool faults = sosia_world_faults(engine, base, (const char *)data, size, "fuzz", &err) == 0;
    CHECK(faults || (err.code != SOSIA_E_OK && err.text[0]));
    err = (struct sosia_err){0};
    bool budgets = sosia_world_budgets(engine, base, (const char *)data, size, "fuzz", &err) == 0;
    CHECK(budgets || (err.code != SOSIA_E_OK && err.text[0]));
    if (!faults && !budgets)
        return 0;
    MUST(sosia_world_faults_info(engine, base, &info, &why));
    sosia_blob_free(&info);
    MUST(sosia_world_dump(engine, base, &before, &why));
    for (int i = 0; i < 3; i++)
        call("GET", "/calendar/v3/calendars/primary/events?pageToken=x");
    MUST(sosia_world_dump(engine, base, &after, &why));
    /* the clock is in a dump, and a fault may move it, or bring a document */
    CHECK(after.len > 0 && before.len > 0);
    sosia_blob_free(&before);
    sosia_blob_free(&after);
    call("POST", "/calendar/v3/calendars/primary/events/quickAdd?text=Lunch");
    MUST(sosia_world_reset(engine, base, &why));
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a world has with some words, of all people and services. */
#include "engine/world/engine.h"
#include "identity/found.h"
#include "server/control/operation.h"
#include "services/calendar/core/show.h"
#include "services/chat/core/found.h"
#include "services/drive/core/found.h"
#include "services/mail/core/show.h"
#include "services/tasks/core/show.h"
#include <string.h>

static const struct {
    const char *service;
    found_fn *find;
} places[] = {{"identity", people_found}, {"calendar", cal_found}, {"mail", mail_found},
              {"chat", chat_found},       {"drive", drive_found},  {"tasks", task_found}};

struct search_asked {
    const char *text, *service;
    size_t limit; /* of each service */
};

/* How many items an array of an answer that is being written has is not known to its writer. */
static size_t count_items(const char *json, size_t len, struct arena *a, const struct json **ret)
{
    return json_parse(a, json, len, NULL, ret, NULL) == 0 ? (*ret)->n : 0;
}

static int find_in(struct tx *tx, size_t place, const struct search_asked *s, struct json_writer *w,
                   bool *ret_full)
{
    const struct json *hits = NULL;
    struct json_writer own;
    struct buf b;
    json_start(&own, &b);
    json_arr(&own, NULL);
    int rc = places[place].find(tx, s->text, s->limit + 1, &own);
    json_end(&own);
    size_t n = rc == 0 ? count_items(buf_str(&b), b.len, tx->arena, &hits) : 0;
    *ret_full = n > s->limit;
    for (size_t i = 0; hits && i < n && i < s->limit; i++)
        json_value(w, NULL, &hits->items[i]);
    if (rc == 0 && (!hits || buf_failed(&b)))
        rc = sosia_fail_memory(tx->err);
    buf_done(&b);
    return rc;
}

static int search_world(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct search_asked *s = arg;
    bool full[SOSIA_LEN(places)] = {false};
    json_obj(w, NULL);
    json_arr(w, "hits");
    for (size_t i = 0; i < SOSIA_LEN(places); i++)
        if ((!s->service || strcmp(s->service, places[i].service) == 0) &&
            find_in(tx, i, s, w, &full[i]) < 0)
            return -1;
    json_end(w);
    json_arr(w, "full");
    for (size_t i = 0; i < SOSIA_LEN(places); i++)
        if (full[i])
            json_str(w, NULL, places[i].service);
    json_end(w);
    json_end(w);
    return 0;
}

static int search_get(struct call *call)
{
    struct control_call *c = control_of(call);
    const struct control_value *service = control_given(c, "service");
    struct search_asked asked = {.text = control_text(c, "q"),
                                 .service = service ? places[service->number].service : NULL,
                                 .limit = (size_t)control_number(c, "limit", 20)};
    struct sosia_blob json;
    if (!asked.text[strspn(asked.text, " \t\r\n\"")])
        return control_fail(c, "q", "must have a word, has none");
    if (world_read(c->engine, c->world, false, search_world, &asked, &json, &c->err) < 0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

/* ---- rows ---- */

static const char *const service_names[] = {"identity", "calendar", "mail", "chat",
                                            "drive",    "tasks",    NULL};
_Static_assert(SOSIA_LEN(service_names) == SOSIA_LEN(places) + 1, "in the order of places");

static const struct param search_params[] = {
    {.name = "world",
     .type = PARAM_STRING,
     .place = IN_PATH,
     .required = true,
     .max = 200,
     .summary = "A world's key or name, or WORLD@STEP"},
    {.name = "q",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .required = true,
     .max = 400,
     .summary =
         "Mail, chat and files have all of its words (in double quotes, next to each other), "
         "events, tasks and people the text as it is; whatever the case"},
    {.name = "service",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .values = service_names,
     .summary = "Only of this one"},
    {.name = "limit",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .min = 1,
     .max = 200,
     .summary = "How many at most of each service; 20 without it"}};

static const struct route routes[] = {
    {ROUTE("worlds.search", GET, "/worlds/{world}/search"), .outside = true, .risk = RISK_READ,
     .summary = "What has some words, of all people and services: people, events, "
                "messages, files, tasks",
     .handler = search_get, .pace = PACE_SLOW, PARAMS(search_params), .status = 200,
     .response = "Found"},
};

const struct rows control_search_rows = ROWS(routes);

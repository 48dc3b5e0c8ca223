/* SPDX-License-Identifier: Apache-2.0 */
/* What happened in a world and what will: its journal from either end and as a histogram, the calls
 * that changed a thing, what is due. */
#include "console/history.h"
#include "engine/replay/find.h"
#include "engine/world/due.h"
#include "server/control/operation.h"
#include "server/control/parameters.h"

static int answer_page(struct control_call *c, struct sosia_blob *entries, int64_t next)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "{\"entries\":");
    buf_add(&b, entries->data, entries->len);
    if (next)
        buf_printf(&b, ",\"next\":%lld", (long long)next);
    buf_puts(&b, "}");
    sosia_blob_free(entries);
    return control_answer(c, 200, &b);
}

static int add_effects(struct control_call *c, struct sosia_blob *entries)
{
    struct buf b;
    buf_init(&b, 0);
    int rc = history_effects(c->engine, c->world, entries, &b, &c->err);
    sosia_blob_free(entries);
    if (rc == 0)
        rc = buf_give(&b, entries, &c->err);
    buf_done(&b);
    return rc;
}

int control_journal(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    int64_t next;
    const struct journal_search search = {.after = control_number(c, "after", 0),
                                          .before = control_number(c, "before", 0),
                                          .newest = control_number(c, "order", 0) == 1,
                                          .limit = (int)control_number(c, "limit", 100),
                                          .bodies = control_number(c, "bodies", 0) != 0,
                                          .times = control_number(c, "times", 0) != 0,
                                          .method = control_text(c, "method"),
                                          .actor = control_text(c, "actor"),
                                          .text = control_text(c, "text"),
                                          .failed = control_number(c, "failed", 0) != 0,
                                          .label = control_text(c, "label"),
                                          .status = control_text(c, "status"),
                                          .decision = control_text(c, "decision"),
                                          .risk = (int)control_number(c, "risk", 0)};
    if (journal_search(c->engine, c->world, &search, &json, &next, &c->err) < 0)
        return -1;
    if (control_number(c, "effects", 0) && add_effects(c, &json) < 0)
        return -1;
    return answer_page(c, &json, next);
}

static int strip_get(struct call *call)
{
    struct control_call *c = control_of(call);
    struct buf b;
    buf_init(&b, 0);
    if (journal_strip(c->engine, c->world, control_number(c, "after", 0),
                      control_number(c, "to", 0), (int)control_number(c, "buckets", 100), &b,
                      &c->err) < 0) {
        buf_done(&b);
        return -1;
    }
    return control_answer(c, 200, &b);
}

static int history_get(struct call *call)
{
    struct control_call *c = control_of(call);
    struct buf b;
    buf_init(&b, 0);
    if (history_read(c->engine, c->world, control_text(c, "name"), control_number(c, "before", 0),
                     (int)control_number(c, "limit", 100), &b, &c->err) < 0) {
        buf_done(&b);
        return -1;
    }
    return control_answer(c, 200, &b);
}

static int due_get(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (world_due_list(c->engine, c->world, (int)control_number(c, "limit", 100), &json, &c->err) <
        0)
        return -1;
    server_answer_blob(c->response, 200, &json);
    return 0;
}

/* ---- rows ---- */

#define NUMBER(title, says)                                                                        \
    {                                                                                              \
        .name = (title), .place = IN_QUERY, .type = PARAM_INT, .max = INT64_MAX, .summary = (says) \
    }

static const char *const orders[] = {"oldest", "newest", NULL};

static const struct param journal_params[] = {
    WORLD,
    NUMBER("after", "Only entries behind this one's \"seq\""),
    NUMBER("before", "Only entries before this one's \"seq\""),
    LIMIT,
    {.name = "order",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .values = orders,
     .summary = "Without it oldest; newest: the last entry first, and \"next\" is for before"},
    {.name = "bodies",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "With the bodies of requests and responses; without it: no"},
    {.name = "method",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 200,
     .summary = "Only calls of this method, or of those that begin so: \"calendar.*\""},
    {.name = "actor",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 254,
     .summary = "Only calls of this actor, by handle"},
    {.name = "text",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 400,
     .summary = "Only entries that have this in them"},
    {.name = "failed",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "Only calls with a status from 400 on"},
    {.name = "label",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 250,
     .summary = "Only calls with this label: NAME:VALUE, or NAME with any value"},
    {.name = "status",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 3,
     .summary = "Only calls with this status: \"403\", \"4xx\""},
    {.name = "decision",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 40,
     .summary = "Only calls of which a policy decided so, or that became this (\"deny\", "
                "\"approve\", \"executed\", ...), or that got a \"fault\" or a \"stop\""},
    {.name = "times",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary =
         "With took_us of the last 512 calls also where the clock does not follow real time: "
         "kept beside the journal, in memory"},
    {.name = "effects",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "With how many things each call added, changed and removed"},
    {.name = "risk",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .values = risk_names,
     .summary = "Only calls of this risk or more: draft is all that may write"}};
static const struct param strip_params[] = {
    WORLD,
    NUMBER("after", "Only entries behind this one's \"seq\""),
    NUMBER("to", "And up to this one's"),
    {.name = "buckets",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .min = 1,
     .max = 1000,
     .summary = "How many at most; 100 without it"}};
static const struct param history_params[] = {
    WORLD,
    {.name = "name",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .required = true,
     .max = 1000,
     .summary = "Of the thing, as diffs have it: \"event/ada@acme.example/e1\""},
    NUMBER("before", "Only calls before this one's \"seq\""),
    LIMIT};
static const struct param due_params[] = {WORLD, LIMIT};

static const struct route routes[] = {
    {ROUTE("journal.list", GET, "/worlds/{world}/journal"), .outside = true, .risk = RISK_READ,
     .summary = "Lists a world's journal, from either end", .handler = control_journal,
     .pace = PACE_SLOW, PARAMS(journal_params), .status = 200, .response = "Journal"},
    {ROUTE("journal.strip", GET, "/worlds/{world}/journal/strip"), .outside = true,
     .risk = RISK_READ, .summary = "How many calls of which sort there are, along the journal",
     .handler = strip_get, .pace = PACE_SLOW, PARAMS(strip_params), .status = 200,
     .response = "JournalStrip"},
    {ROUTE("worlds.history", GET, "/worlds/{world}/history"), .outside = true, .risk = RISK_READ,
     .summary = "The calls that changed a thing, the last one first", .handler = history_get,
     .pace = PACE_SLOW, PARAMS(history_params), .status = 200, .response = "History"},
    {ROUTE("clock.due", GET, "/worlds/{world}/due"), .outside = true, .risk = RISK_READ,
     .summary = "What is due by a world's clock, the next one first", .handler = due_get,
     .pace = PACE_SLOW, PARAMS(due_params), .status = 200, .response = "Due"},
};

const struct rows control_history_rows = ROWS(routes);

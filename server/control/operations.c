/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations, and the shapes of what goes in and out. To add one: a row here and its
 * handler; routing, checks and the OpenAPI document follow. */
#include "server/control/operation.h"

const char *const control_clocks[] = {"frozen", "step", "real", NULL};
const char *const control_journals[] = {"writes", "none", "all", NULL};
static const char *const expiries[] = {"real", "world", NULL};
static const char *const deliveries[] = {"drop", "inherit", NULL};

/* Spans and times stay within what microseconds in 64 bits can hold. */
#define MAX_SECONDS INT64_C(1000000000000)
#define MAX_US      INT64_C(1000000000000000000)
#define MAX_STEP_MS INT64_C(1000000000000)

#define FIELDS(table) .fields = (table), .n_fields = SOSIA_LEN(table)

/* ---- shapes of requests ---- */

static const struct field create_fields[] = {
    {.name = "fixture",
     .type = "string",
     .max = 200,
     .summary = "The name of a fixture that the server has"},
    {.name = "from",
     .type = "string",
     .max = 200,
     .summary = "Key or name of a snapshot or a world to start from"},
    {.name = "seed_document",
     .type = "string",
     .other = "object",
     .summary = "A seed document: an object, or a string of JSON or YAML"},
    {.name = "document_name",
     .type = "string",
     .max = 80,
     .summary = "What messages call the document"},
    {.name = "name", .type = "string", .max = 63, .summary = "Unique among worlds"},
    {.name = "clock",
     .type = "string",
     .values = control_clocks,
     .summary = "Without it: as in the world it starts from, else the server's default"},
    {.name = "step_ms",
     .type = "number",
     .max = MAX_STEP_MS,
     .summary = "What each call moves a stepping clock by; down to a microsecond"},
    {.name = "now", .type = "string", .format = "date-time", .summary = "The time it starts at"},
    {.name = "seed", .type = "integer", .min = 1, .max = INT64_MAX, .summary = "Of its ids"},
    {.name = "journal",
     .type = "string",
     .values = control_journals,
     .summary = "Which calls the journal keeps"},
    {.name = "ttl_seconds",
     .type = "integer",
     .max = MAX_SECONDS,
     .summary = "Dropped after this much real time; 0: never"},
    {.name = "rates",
     .type = "boolean",
     .summary = "Whether the vendors' documented rate limits hold"},
};

static const struct field fork_fields[] = {
    {.name = "name",
     .type = "string",
     .max = 63,
     .summary = "Unique among worlds; for a single fork"},
    {.name = "seed",
     .type = "integer",
     .min = 1,
     .max = INT64_MAX,
     .summary = "Of its ids; without it the parent's"},
    {.name = "now",
     .type = "string",
     .format = "date-time",
     .summary = "Its time; without it the parent's"},
    {.name = "count",
     .type = "integer",
     .min = 1,
     .max = 1000,
     .summary = "How many forks; the response is the first one with the keys of all"},
    {.name = "actors",
     .type = "string",
     .other = "array",
     .max = 8192,
     .summary = "E-mail addresses of those who get a token for each fork; without it the first one "
                "in the world who can call; an empty list: nobody"},
    {.name = "deliveries",
     .type = "string",
     .values = deliveries,
     .summary =
         "What the parent has not delivered yet: drop (the default) or inherit, to deliver it "
         "for the fork too"},
};

static const struct field reset_fields[] = {
    {.name = "to",
     .type = "string",
     .max = 200,
     .summary = "Key or name of a snapshot or world; without it the state at its creation"},
};

static const struct field snapshot_fields[] = {
    {.name = "name", .type = "string", .max = 63, .summary = "Unique among worlds"},
};

static const struct field ttl_fields[] = {
    {.name = "seconds",
     .type = "integer",
     .required = true,
     .max = MAX_SECONDS,
     .summary = "From now; 0: never"},
    {.name = "by",
     .type = "string",
     .values = expiries,
     .summary = "Real time (the default) or the world's clock"},
};

static const struct field set_rates_fields[] = {
    {.name = "on",
     .type = "boolean",
     .required = true,
     .summary = "Whether the vendors' documented rate limits hold, by the world's clock"},
};

static const struct field set_outcome_fields[] = {
    {.name = "attempt",
     .type = "integer",
     .required = true,
     .min = 1,
     .max = INT64_MAX,
     .summary = "From 1"},
    {.name = "status",
     .type = "integer",
     .min = 100,
     .max = 599,
     .summary = "Of the receiver's response; without it none came"},
    {.name = "error",
     .type = "string",
     .max = 400,
     .summary = "Why no response came; either this or status"},
    {.name = "content_type", .type = "string", .max = 200, .summary = "Of the response's body"},
    {.name = "body", .type = "string", .summary = "Of the response"},
};

static const struct field set_clock_fields[] = {
    {.name = "now",
     .type = "string",
     .format = "date-time",
     .summary = "Sets the time; what would have been due in between is not fired"},
    {.name = "clock", .type = "string", .values = control_clocks},
    {.name = "step_ms",
     .type = "number",
     .max = MAX_STEP_MS,
     .summary = "What each call moves a stepping clock by; down to a microsecond"},
};

static const struct field advance_fields[] = {
    {.name = "seconds", .type = "integer", .max = MAX_SECONDS},
    {.name = "us", .type = "integer", .max = MAX_US, .summary = "Microseconds"},
};

static const char *const token_kinds[] = {"user", "bot", "app", NULL};
static const struct field issue_fields[] = {
    {.name = "actor",
     .type = "string",
     .required = true,
     .max = 254,
     .summary = "Handle or e-mail address of somebody in the world"},
    {.name = "scopes",
     .type = "string",
     .other = "array",
     .max = 8192,
     .summary = "Without it: everything"},
    {.name = "ttl_seconds",
     .type = "integer",
     .max = MAX_SECONDS,
     .summary = "By the world's clock; 0: it never expires"},
    {.name = "value",
     .type = "string",
     .max = 500,
     .summary = "A fixed token, stored in the world; without it one that the server signs"},
    {.name = "app",
     .type = "string",
     .max = 254,
     .summary = "Client id of an app of the world that the token is for"},
    {.name = "kind", .type = "string", .values = token_kinds},
    {.name = "prefix",
     .type = "string",
     .max = 200,
     .summary =
         "Of a signed token, as a vendor's programs expect it; ends with neither a letter nor "
         "a digit"},
};

static const struct field revoke_fields[] = {
    {.name = "token", .type = "string", .required = true, .max = SOSIA_TOKEN_MAX},
};

/* ---- shapes of answers ---- */

#define ALWAYS(...)                                                                                \
    {                                                                                              \
        .required = true, __VA_ARGS__                                                              \
    }

static const struct field token_fields[] = {
    ALWAYS(.name = "token", .type = "string"),
    ALWAYS(.name = "world", .type = "string"),
    ALWAYS(.name = "actor", .type = "string"),
};

static const struct field world_fields[] = {
    ALWAYS(.name = "world", .type = "string", .summary = "Its key, as in URLs"),
    ALWAYS(.name = "name", .type = "string", .nullable = true),
    ALWAYS(.name = "snapshot", .type = "boolean", .summary = "Nobody can write it"),
    ALWAYS(.name = "url", .type = "string", .summary = "Where programs find its services"),
    ALWAYS(.name = "parent", .type = "string", .nullable = true,
           .summary = "Key of what it was made from or reset to"),
    ALWAYS(.name = "now", .type = "string", .format = "date-time"),
    ALWAYS(.name = "clock", .type = "string", .values = control_clocks),
    {.name = "step_ms", .type = "number", .max = INT64_MAX, .summary = "Of a stepping clock"},
    ALWAYS(.name = "journal", .type = "string", .values = control_journals),
    ALWAYS(.name = "seed", .type = "integer", .max = INT64_MAX),
    ALWAYS(.name = "size", .type = "integer", .max = INT64_MAX, .summary = "Bytes of its own"),
    ALWAYS(.name = "base_size", .type = "integer", .max = INT64_MAX,
           .summary = "Bytes of the whole world, shared ones included"),
    ALWAYS(.name = "expires", .type = "string", .format = "date-time", .nullable = true),
    {.name = "expires_by", .type = "string", .values = expiries},
    {.name = "worlds",
     .type = "string",
     .list = true,
     .summary = "After a fork with a count: the keys of all forks"},
    {.name = "tokens",
     .type = "Token",
     .list = true,
     .summary = "After a fork: of each fork, for each of its actors"},
};

static const struct field worlds_fields[] = {
    ALWAYS(.name = "worlds", .type = "World", .list = true),
    ALWAYS(.name = "next", .type = "string", .nullable = true,
           .summary = "What to give as \"after\" for the next page; null: this is the last one"),
};

static const struct field clock_fields[] = {
    ALWAYS(.name = "now", .type = "string", .format = "date-time"),
    ALWAYS(.name = "clock", .type = "string", .values = control_clocks),
    {.name = "step_ms", .type = "number", .max = INT64_MAX, .summary = "Of a stepping clock"},
};

static const struct field outcome_fields[] = {
    ALWAYS(.name = "again", .type = "string", .format = "date-time", .nullable = true,
           .summary = "When the next attempt is due, by the world's clock; null: there is none"),
};

static const struct field hash_fields[] = {
    ALWAYS(.name = "sha256", .type = "string",
           .summary = "Of the dump without its lines \"time\" and \"seed\": equal for equal state"),
};

static const struct field change_fields[] = {
    ALWAYS(.name = "entity", .type = "string"),
    ALWAYS(.name = "change", .type = "string", .summary = "added, removed or changed"),
    ALWAYS(.name = "key", .type = "object"),
    {.name = "fields", .type = "object", .summary = "Of what changed: {\"from\", \"to\"} by name"},
    {.name = "value", .type = "object", .summary = "What was added or removed"},
};
static const struct field diff_fields[] = {
    ALWAYS(.name = "changes", .type = "Change", .list = true),
};

static const struct field dump_fields[] = {
    ALWAYS(.name = "sosia", .type = "integer", .min = 1, .max = 1,
           .summary = "Version of the format"),
    ALWAYS(.name = "time", .type = "string", .format = "date-time"),
};

static const struct field entry_fields[] = {
    ALWAYS(.name = "seq", .type = "integer", .min = 1, .max = INT64_MAX),
    ALWAYS(.name = "at", .type = "string", .format = "date-time"),
    {.name = "actor", .type = "string"},
    {.name = "method", .type = "string", .summary = "The vendor's id of the method"},
    ALWAYS(.name = "request", .type = "object"),
    ALWAYS(.name = "response", .type = "object"),
};
static const struct field journal_fields[] = {
    ALWAYS(.name = "entries", .type = "JournalEntry", .list = true),
};

static const struct field message_fields[] = {
    ALWAYS(.name = "id", .type = "integer", .min = 1, .max = INT64_MAX),
    ALWAYS(.name = "at", .type = "string", .format = "date-time"),
    ALWAYS(.name = "kind", .type = "string"),
    ALWAYS(.name = "from", .type = "string"),
    ALWAYS(.name = "to", .type = "string"),
    ALWAYS(.name = "payload", .type = "object"),
    {.name = "delivery",
     .type = "object",
     .summary = "Of an entry that goes to a receiver: {\"state\", \"attempts\", ...}"},
};
static const struct field outbox_fields[] = {
    ALWAYS(.name = "entries", .type = "OutboxEntry", .list = true),
};

static const struct field actor_fields[] = {
    ALWAYS(.name = "id", .type = "integer", .min = 1, .max = INT64_MAX),
    {.name = "handle", .type = "string", .summary = "Its name, where that is not the email"},
    {.name = "email", .type = "string", .summary = "Absent where it has none"},
    ALWAYS(.name = "kind", .type = "string", .summary = "person, bot, app, service or resource"),
    ALWAYS(.name = "name", .type = "string"),
    ALWAYS(.name = "zone", .type = "string"),
};
static const struct field actors_fields[] = {
    ALWAYS(.name = "actors", .type = "Actor", .list = true),
};

static const struct field limits_fields[] = {
    ALWAYS(.name = "worlds", .type = "integer", .max = INT64_MAX, .summary = "How many there are"),
    ALWAYS(.name = "bytes", .type = "integer", .max = INT64_MAX,
           .summary = "What they hold of their own"),
    ALWAYS(.name = "max_worlds", .type = "integer", .max = INT64_MAX, .nullable = true),
    ALWAYS(.name = "max_bytes", .type = "integer", .max = INT64_MAX, .nullable = true),
    ALWAYS(.name = "max_world_bytes", .type = "integer", .max = INT64_MAX, .nullable = true),
};

static const struct field health_fields[] = {
    ALWAYS(.name = "status", .type = "string"),
    ALWAYS(.name = "version", .type = "string"),
    ALWAYS(.name = "tzdata", .type = "string"),
};

static const struct field fault_fields[] = {
    ALWAYS(.name = "code", .type = "integer", .min = 400, .max = 599, .summary = "The status"),
    ALWAYS(.name = "reason", .type = "string", .summary = "A word for programs"),
    ALWAYS(.name = "message", .type = "string"),
    {.name = "line",
     .type = "integer",
     .min = 1,
     .max = INT32_MAX,
     .summary = "In the body or document at fault"},
    {.name = "field", .type = "string", .summary = "The parameter or member at fault"},
};
static const struct field error_fields[] = {
    ALWAYS(.name = "error", .type = "Fault"),
};

static const struct schema schemas[] = {
    {.name = "Actor", FIELDS(actor_fields)},
    {.name = "Actors", FIELDS(actors_fields)},
    {.name = "AdvanceClock", .summary = "One of them", .closed = true, FIELDS(advance_fields)},
    {.name = "Change", FIELDS(change_fields)},
    {.name = "Clock", FIELDS(clock_fields)},
    {.name = "CreateWorld",
     .summary = "A new world: from at most one of fixture, from and seed_document, else empty",
     .closed = true,
     FIELDS(create_fields)},
    {.name = "Diff", FIELDS(diff_fields)},
    {.name = "Error", FIELDS(error_fields)},
    {.name = "Fault", FIELDS(fault_fields)},
    {.name = "ForkWorld", .closed = true, FIELDS(fork_fields)},
    {.name = "Hash", FIELDS(hash_fields)},
    {.name = "Health", FIELDS(health_fields)},
    {.name = "IssueToken", .closed = true, FIELDS(issue_fields)},
    {.name = "Journal", FIELDS(journal_fields)},
    {.name = "JournalEntry", FIELDS(entry_fields)},
    {.name = "Limits", .summary = "null: no limit", FIELDS(limits_fields)},
    {.name = "Outbox", FIELDS(outbox_fields)},
    {.name = "OutboxEntry", FIELDS(message_fields)},
    {.name = "Outcome", FIELDS(outcome_fields)},
    {.name = "ResetWorld", .closed = true, FIELDS(reset_fields)},
    {.name = "RevokeToken", .closed = true, FIELDS(revoke_fields)},
    {.name = "SeedDocument",
     .summary = "The world in normal form, with a member for each kind of content",
     FIELDS(dump_fields)},
    {.name = "SetClock",
     .summary = "At least one of them",
     .closed = true,
     FIELDS(set_clock_fields)},
    {.name = "SetOutcome", .closed = true, FIELDS(set_outcome_fields)},
    {.name = "SetRates", .closed = true, FIELDS(set_rates_fields)},
    {.name = "SetTimeToLive", .closed = true, FIELDS(ttl_fields)},
    {.name = "SnapshotWorld", .closed = true, FIELDS(snapshot_fields)},
    {.name = "Token", FIELDS(token_fields)},
    {.name = "World", FIELDS(world_fields)},
    {.name = "Worlds", FIELDS(worlds_fields)},
};

/* ---- parameters ---- */

#define WORLD                                                                                      \
    {                                                                                              \
        .name = "world", .type = PARAM_STRING, .place = IN_PATH, .required = true,                 \
        .summary = "A world's key or name"                                                         \
    }
#define LIMIT                                                                                      \
    {                                                                                              \
        .name = "limit", .place = IN_QUERY, .type = PARAM_INT, .min = 1, .max = 1000,              \
        .summary = "How many at most; 100 without it"                                              \
    }
#define AFTER(what)                                                                                \
    {                                                                                              \
        .name = "after", .place = IN_QUERY, .type = PARAM_INT, .max = INT64_MAX, .summary = (what) \
    }
#define DOCUMENT_NAME                                                                              \
    {                                                                                              \
        .name = "document_name", .place = IN_QUERY, .type = PARAM_STRING, .max = 80,               \
        .summary = "What messages call the document"                                               \
    }

static const struct param world_only[] = {WORLD};
static const struct param world_list_params[] = {LIMIT,
                                                 {.name = "after",
                                                  .place = IN_QUERY,
                                                  .type = PARAM_STRING,
                                                  .max = 16,
                                                  .summary = "\"next\" of the page before"}};
static const struct param seed_params[] = {WORLD, DOCUMENT_NAME};
static const struct param import_params[] = {{.name = "name",
                                              .place = IN_QUERY,
                                              .type = PARAM_STRING,
                                              .max = 63,
                                              .summary = "Unique among worlds"}};
static const struct param diff_params[] = {{.name = "from",
                                            .place = IN_QUERY,
                                            .type = PARAM_STRING,
                                            .required = true,
                                            .max = 200,
                                            .summary = "Key or name of a world or snapshot"},
                                           {.name = "to",
                                            .place = IN_QUERY,
                                            .type = PARAM_STRING,
                                            .required = true,
                                            .max = 200,
                                            .summary = "Key or name of a world or snapshot"}};
static const struct param journal_params[] = {
    WORLD,
    AFTER("Only entries behind this one's \"seq\""),
    LIMIT,
    {.name = "bodies",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "With the bodies of requests and responses; without it: no"}};
static const struct param entry_params[] = {WORLD,
                                            {.name = "seq",
                                             .type = PARAM_INT,
                                             .place = IN_PATH,
                                             .required = true,
                                             .min = 1,
                                             .max = INT64_MAX,
                                             .summary = "The entry's number"}};
static const struct param outcome_params[] = {WORLD,
                                              {.name = "entry",
                                               .type = PARAM_INT,
                                               .place = IN_PATH,
                                               .required = true,
                                               .min = 1,
                                               .max = INT64_MAX,
                                               .summary = "The entry's \"id\""}};
static const struct param list_params[] = {WORLD, AFTER("Only entries behind this one's \"id\""),
                                           LIMIT};

/* ---- operations ---- */

#define TYPES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Rows of one path stand together; a path with a name stands before one with a parameter there. */
static const struct param credential_params[] = {
    WORLD,
    {.name = "actor",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 254,
     .summary = "E-mail address of somebody in the world; must be given"},
    {.name = "kind",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 64,
     .summary = "Of the kinds that the services have; must be given"},
};

static const struct route routes[] = {
    {.id = "worlds.create",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds"),
     .summary = "Makes a world",
     .handler = control_worlds_create,
     .pace = PACE_SLOW,
     .body = BODY_JSON_OPTIONAL,
     .request = "CreateWorld",
     .status = 201,
     .response = "World"},
    {.id = "worlds.list",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds"),
     .summary = "Lists worlds and snapshots",
     .handler = control_worlds_list,
     .pace = PACE_SLOW,
     PARAMS(world_list_params),
     .status = 200,
     .response = "Worlds"},
    {.id = "worlds.import",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/import"),
     .summary = "Makes a world of a SQLite file that was exported",
     .handler = control_import,
     .pace = PACE_SLOW,
     PARAMS(import_params),
     .body = BODY_RAW,
     .accepts = TYPES("application/vnd.sqlite3"),
     .status = 201,
     .response = "World"},
    {.id = "worlds.get",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}"),
     .summary = "Describes a world",
     .handler = control_worlds_get,
     PARAMS(world_only),
     .status = 200,
     .response = "World"},
    {.id = "worlds.delete",
     .verbs = DELETE,
     .outside = true,
     .risk = RISK_DESTRUCTIVE,
     .paths = PATHS("/worlds/{world}"),
     .summary = "Drops a world or a snapshot; forks made from it live on",
     .handler = control_worlds_drop,
     .pace = PACE_WRITE,
     PARAMS(world_only),
     .status = 204},
    {.id = "worlds.fork",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/fork"),
     .summary = "Makes a world with the state of another world or snapshot, and tokens for it",
     .handler = control_worlds_fork,
     .pace = PACE_WRITE,
     PARAMS(world_only),
     .body = BODY_JSON_OPTIONAL,
     .request = "ForkWorld",
     .status = 201,
     .response = "World"},
    {.id = "worlds.reset",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/reset"),
     .summary = "Goes back to the state at creation or fork, or to that of a snapshot",
     .handler = control_worlds_reset,
     .pace = PACE_WRITE,
     PARAMS(world_only),
     .body = BODY_JSON_OPTIONAL,
     .request = "ResetWorld",
     .status = 200,
     .response = "World"},
    {.id = "worlds.snapshot",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/snapshot"),
     .summary = "Freezes the present state as a world that nobody can write",
     .handler = control_worlds_snapshot,
     .pace = PACE_WRITE,
     PARAMS(world_only),
     .body = BODY_JSON_OPTIONAL,
     .request = "SnapshotWorld",
     .status = 201,
     .response = "World"},
    {.id = "worlds.ttl",
     .verbs = PUT,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/ttl"),
     .summary = "Says when a world's life ends",
     .handler = control_worlds_ttl,
     .pace = PACE_WRITE,
     PARAMS(world_only),
     .body = BODY_JSON,
     .request = "SetTimeToLive",
     .status = 200,
     .response = "World"},
    {.id = "worlds.rates",
     .verbs = PUT,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/rates"),
     .summary = "Says whether the vendors' rate limits hold in a world",
     .handler = control_worlds_rates,
     .pace = PACE_WRITE,
     PARAMS(world_only),
     .body = BODY_JSON,
     .request = "SetRates",
     .status = 200,
     .response = "World"},
    {.id = "worlds.seed",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/seed"),
     .summary = "Applies a seed document (JSON or YAML): all of it or nothing",
     .handler = control_seed,
     .pace = PACE_SLOW,
     PARAMS(seed_params),
     .body = BODY_RAW,
     .accepts = TYPES("application/json", "application/yaml"),
     .status = 200,
     .response = "World"},
    {.id = "worlds.dump",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}/dump"),
     .summary = "The world as a seed document in normal form",
     .handler = control_dump,
     .pace = PACE_SLOW,
     PARAMS(world_only),
     .status = 200,
     .response = "SeedDocument"},
    {.id = "worlds.hash",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}/hash"),
     .summary = "A hash of the state, without clock and journal",
     .handler = control_hash,
     .pace = PACE_SLOW,
     PARAMS(world_only),
     .status = 200,
     .response = "Hash"},
    {.id = "worlds.export",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}/export"),
     .summary = "The world as a SQLite file",
     .handler = control_export,
     .pace = PACE_SLOW,
     PARAMS(world_only),
     .status = 200,
     .gives = "application/vnd.sqlite3"},
    {.id = "worlds.diff",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/diff"),
     .summary = "What it takes to get from one world to another, entity by entity",
     .handler = control_diff,
     .pace = PACE_SLOW,
     PARAMS(diff_params),
     .status = 200,
     .response = "Diff"},
    {.id = "clock.get",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}/clock"),
     .summary = "The world's clock",
     .handler = control_clock_get,
     PARAMS(world_only),
     .status = 200,
     .response = "Clock"},
    {.id = "clock.set",
     .verbs = PUT,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/clock"),
     .summary = "Sets the time or the way the clock goes",
     .handler = control_clock_put,
     .pace = PACE_WRITE,
     PARAMS(world_only),
     .body = BODY_JSON_OPTIONAL,
     .request = "SetClock",
     .status = 200,
     .response = "Clock"},
    {.id = "clock.advance",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/clock/advance"),
     .summary = "Goes forward and fires, in order and each at its instant, what is due",
     .handler = control_clock_advance,
     .pace = PACE_SLOW,
     PARAMS(world_only),
     .body = BODY_JSON_OPTIONAL,
     .request = "AdvanceClock",
     .status = 200,
     .response = "Clock"},
    {.id = "tokens.issue",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/tokens"),
     .summary = "Gives a token with which a program acts as somebody in the world",
     .handler = control_tokens_issue,
     .pace = PACE_WRITE,
     PARAMS(world_only),
     .body = BODY_JSON,
     .request = "IssueToken",
     .status = 201,
     .response = "Token"},
    {.id = "credentials.get",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}/credentials"),
     .summary = "Credentials of somebody in the world, as the file that a vendor's programs load",
     .handler = control_credential,
     .pace = PACE_SLOW,
     PARAMS(credential_params),
     .status = 200,
     .gives = "application/json"},
    {.id = "tokens.revoke",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/tokens/revoke"),
     .summary = "Ends a token",
     .handler = control_tokens_revoke,
     .pace = PACE_WRITE,
     PARAMS(world_only),
     .body = BODY_JSON,
     .request = "RevokeToken",
     .status = 204},
    {.id = "journal.list",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}/journal"),
     .summary = "What happened in the world, oldest first",
     .handler = control_journal,
     .pace = PACE_SLOW,
     PARAMS(journal_params),
     .status = 200,
     .response = "Journal"},
    {.id = "journal.get",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}/journal/{seq}"),
     .summary = "One entry of the journal, with bodies",
     .handler = control_journal_entry,
     .pace = PACE_SLOW,
     PARAMS(entry_params),
     .status = 200,
     .response = "JournalEntry"},
    {.id = "outbox.list",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}/outbox"),
     .summary = "What would have left the world, oldest first",
     .handler = control_outbox,
     .pace = PACE_SLOW,
     PARAMS(list_params),
     .status = 200,
     .response = "Outbox"},
    {.id = "outbox.outcome",
     .verbs = POST,
     .outside = true,
     .risk = RISK_WRITE,
     .paths = PATHS("/worlds/{world}/outbox/{entry}/outcome"),
     .summary = "Says what came of an attempt to deliver an entry",
     .handler = control_outcome,
     .pace = PACE_SLOW,
     PARAMS(outcome_params),
     .body = BODY_JSON,
     .request = "SetOutcome",
     .status = 200,
     .response = "Outcome"},
    {.id = "actors.list",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/worlds/{world}/actors"),
     .summary = "Who can act in the world",
     .handler = control_actors,
     .pace = PACE_SLOW,
     PARAMS(list_params),
     .status = 200,
     .response = "Actors"},
    {.id = "server.limits",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/limits"),
     .summary = "How much there is and how much there may be",
     .handler = control_limits,
     .status = 200,
     .response = "Limits"},
    {.id = "server.health",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/health"),
     .summary = "Answers when the server does",
     .handler = control_health,
     .anonymous = true,
     .status = 200,
     .response = "Health"},
    {.id = "server.metrics",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/metrics"),
     .summary = "Figures in the text format of Prometheus",
     .handler = control_metrics,
     .status = 200,
     .gives = "text/plain"},
    {.id = "server.describe",
     .verbs = GET,
     .outside = true,
     .risk = RISK_READ,
     .paths = PATHS("/openapi.json"),
     .summary = "This description",
     .handler = control_describe,
     .anonymous = true,
     .status = 200,
     .gives = "application/json"},
};

static const struct rows all_rows = ROWS(routes);
static const struct front front = {0};
static const struct vendor vendor = {.name = "sosia", .title = "sosia", .front = &front};
const struct dialect control_dialect = {
    .name = "sosia.control",
    .title = "sosia control interface",
    .vendor = &vendor,
    .tables = TABLES(&all_rows),
    .schemas = schemas,
    .n_schemas = SOSIA_LEN(schemas),
    .base = CONTROL_PREFIX,
    .summary = "Worlds made, forked, filled, looked into and dropped. It is opened by the server's "
               "control key; tokens of actors in worlds don't open it.",
    .key = "control_key",
    .refusal = "Error"};

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations, and the shapes of what goes in and out. To add one: a row here and its
 * handler; routing, checks and the OpenAPI document follow. */
#include "server/control/operation.h"

const char *const control_clocks[] = {"frozen", "step", "real", NULL};
const char *const control_journals[] = {"writes", "none", "all", NULL};
static const char *const expiries[] = {"real", "world", NULL};

/* Spans and times stay within what microseconds in 64 bits can hold. */
#define MAX_SECONDS INT64_C(1000000000000)
#define MAX_US      INT64_C(1000000000000000000)
#define MAX_STEP_MS INT64_C(1000000000000)

#define FIELDS(table) .fields = (table), .n_fields = SOSIA_LEN(table)

/* ---- shapes of requests ---- */

static const struct control_field create_fields[] = {
    {.name = "fixture",
     .type = CONTROL_STRING,
     .max = 200,
     .summary = "The name of a fixture that the server has"},
    {.name = "from",
     .type = CONTROL_STRING,
     .max = 200,
     .summary = "Key or name of a snapshot or a world to start from"},
    {.name = "seed_document",
     .type = CONTROL_DOCUMENT,
     .summary = "A seed document: an object, or a text of JSON or YAML"},
    {.name = "document_name",
     .type = CONTROL_STRING,
     .max = 80,
     .summary = "What messages call the document"},
    {.name = "name", .type = CONTROL_STRING, .max = 63, .summary = "Unique among worlds"},
    {.name = "clock",
     .type = CONTROL_ENUM,
     .values = control_clocks,
     .summary = "Without it: as in the world it starts from, else the server's default"},
    {.name = "step_ms",
     .type = CONTROL_NUMBER,
     .max = MAX_STEP_MS,
     .summary = "What each call moves a stepping clock by; down to a microsecond"},
    {.name = "now", .type = CONTROL_TIME, .summary = "The time it starts at"},
    {.name = "seed", .type = CONTROL_INTEGER, .min = 1, .max = INT64_MAX, .summary = "Of its ids"},
    {.name = "journal",
     .type = CONTROL_ENUM,
     .values = control_journals,
     .summary = "Which calls the journal keeps"},
    {.name = "ttl_seconds",
     .type = CONTROL_INTEGER,
     .max = MAX_SECONDS,
     .summary = "Dropped after this much real time; 0: never"},
};
static const struct control_schema create_schema = {
    .name = "CreateWorld",
    .summary = "A new world: from at most one of fixture, from and seed_document, else empty",
    FIELDS(create_fields)};

static const struct control_field fork_fields[] = {
    {.name = "name",
     .type = CONTROL_STRING,
     .max = 63,
     .summary = "Unique among worlds; for a single fork"},
    {.name = "seed",
     .type = CONTROL_INTEGER,
     .min = 1,
     .max = INT64_MAX,
     .summary = "Of its ids; without it the parent's"},
    {.name = "now", .type = CONTROL_TIME, .summary = "Its time; without it the parent's"},
    {.name = "count",
     .type = CONTROL_INTEGER,
     .min = 1,
     .max = 1000,
     .summary = "How many forks; the response is the first one with the keys of all"},
    {.name = "actors",
     .type = CONTROL_WORDS,
     .max = 8192,
     .summary = "E-mail addresses of those who get a token for each fork; without it the first one "
                "in the world who can call; an empty list: nobody"},
};
static const struct control_schema fork_schema = {.name = "ForkWorld", FIELDS(fork_fields)};

static const struct control_field reset_fields[] = {
    {.name = "to",
     .type = CONTROL_STRING,
     .max = 200,
     .summary = "Key or name of a snapshot or world; without it the state at its creation"},
};
static const struct control_schema reset_schema = {.name = "ResetWorld", FIELDS(reset_fields)};

static const struct control_field snapshot_fields[] = {
    {.name = "name", .type = CONTROL_STRING, .max = 63, .summary = "Unique among worlds"},
};
static const struct control_schema snapshot_schema = {.name = "SnapshotWorld",
                                                      FIELDS(snapshot_fields)};

static const struct control_field ttl_fields[] = {
    {.name = "seconds",
     .type = CONTROL_INTEGER,
     .required = true,
     .max = MAX_SECONDS,
     .summary = "From now; 0: never"},
    {.name = "by",
     .type = CONTROL_ENUM,
     .values = expiries,
     .summary = "Real time (the default) or the world's clock"},
};
static const struct control_schema ttl_schema = {.name = "SetTimeToLive", FIELDS(ttl_fields)};

static const struct control_field set_clock_fields[] = {
    {.name = "now",
     .type = CONTROL_TIME,
     .summary = "Sets the time; what would have been due in between is not fired"},
    {.name = "clock", .type = CONTROL_ENUM, .values = control_clocks},
    {.name = "step_ms",
     .type = CONTROL_NUMBER,
     .max = MAX_STEP_MS,
     .summary = "What each call moves a stepping clock by; down to a microsecond"},
};
static const struct control_schema set_clock_schema = {
    .name = "SetClock", .summary = "At least one of them", FIELDS(set_clock_fields)};

static const struct control_field advance_fields[] = {
    {.name = "seconds", .type = CONTROL_INTEGER, .max = MAX_SECONDS},
    {.name = "us", .type = CONTROL_INTEGER, .max = MAX_US, .summary = "Microseconds"},
};
static const struct control_schema advance_schema = {
    .name = "AdvanceClock", .summary = "One of them", FIELDS(advance_fields)};

static const char *const token_kinds[] = {"user", "bot", "app", NULL};
static const struct control_field issue_fields[] = {
    {.name = "actor",
     .type = CONTROL_STRING,
     .required = true,
     .max = 254,
     .summary = "Handle or e-mail address of somebody in the world"},
    {.name = "scopes", .type = CONTROL_WORDS, .max = 8192, .summary = "Without it: everything"},
    {.name = "ttl_seconds",
     .type = CONTROL_INTEGER,
     .max = MAX_SECONDS,
     .summary = "By the world's clock; 0: it never expires"},
    {.name = "value",
     .type = CONTROL_STRING,
     .max = 500,
     .summary = "A fixed token, stored in the world; without it one that the server signs"},
    {.name = "app",
     .type = CONTROL_STRING,
     .max = 254,
     .summary = "Client id of an app of the world that the token is for"},
    {.name = "kind", .type = CONTROL_STRING, .values = token_kinds},
    {.name = "prefix",
     .type = CONTROL_STRING,
     .max = 200,
     .summary =
         "Of a signed token, as a vendor's programs expect it; ends with neither a letter nor "
         "a digit"},
};
static const struct control_schema issue_schema = {.name = "IssueToken", FIELDS(issue_fields)};

static const struct control_field revoke_fields[] = {
    {.name = "token", .type = CONTROL_STRING, .required = true, .max = SOSIA_TOKEN_MAX},
};
static const struct control_schema revoke_schema = {.name = "RevokeToken", FIELDS(revoke_fields)};

/* ---- shapes of answers ---- */

#define ALWAYS(...)                                                                                \
    {                                                                                              \
        .required = true, __VA_ARGS__                                                              \
    }

static const struct control_field token_fields[] = {
    ALWAYS(.name = "token", .type = CONTROL_STRING),
    ALWAYS(.name = "world", .type = CONTROL_STRING),
    ALWAYS(.name = "actor", .type = CONTROL_STRING),
};
static const struct control_schema token_schema = {.name = "Token", FIELDS(token_fields)};

static const struct control_field world_fields[] = {
    ALWAYS(.name = "world", .type = CONTROL_STRING, .summary = "Its key, as in URLs"),
    ALWAYS(.name = "name", .type = CONTROL_STRING, .nullable = true),
    ALWAYS(.name = "snapshot", .type = CONTROL_BOOLEAN, .summary = "Nobody can write it"),
    ALWAYS(.name = "url", .type = CONTROL_STRING, .summary = "Where programs find its services"),
    ALWAYS(.name = "parent", .type = CONTROL_STRING, .nullable = true,
           .summary = "Key of what it was made from or reset to"),
    ALWAYS(.name = "now", .type = CONTROL_TIME),
    ALWAYS(.name = "clock", .type = CONTROL_ENUM, .values = control_clocks),
    {.name = "step_ms", .type = CONTROL_NUMBER, .max = INT64_MAX, .summary = "Of a stepping clock"},
    ALWAYS(.name = "journal", .type = CONTROL_ENUM, .values = control_journals),
    ALWAYS(.name = "seed", .type = CONTROL_INTEGER, .max = INT64_MAX),
    ALWAYS(.name = "size", .type = CONTROL_INTEGER, .max = INT64_MAX,
           .summary = "Bytes of its own"),
    ALWAYS(.name = "base_size", .type = CONTROL_INTEGER, .max = INT64_MAX,
           .summary = "Bytes of the whole world, shared ones included"),
    ALWAYS(.name = "expires", .type = CONTROL_TIME, .nullable = true),
    {.name = "expires_by", .type = CONTROL_ENUM, .values = expiries},
    {.name = "worlds",
     .type = CONTROL_STRING,
     .list = true,
     .summary = "After a fork with a count: the keys of all forks"},
    {.name = "tokens",
     .type = CONTROL_SCHEMA,
     .list = true,
     .schema = &token_schema,
     .summary = "After a fork: of each fork, for each of its actors"},
};
static const struct control_schema world_schema = {.name = "World", FIELDS(world_fields)};

static const struct control_field worlds_fields[] = {
    ALWAYS(.name = "worlds", .type = CONTROL_SCHEMA, .list = true, .schema = &world_schema),
    ALWAYS(.name = "next", .type = CONTROL_STRING, .nullable = true,
           .summary = "What to give as \"after\" for the next page; null: this is the last one"),
};
static const struct control_schema worlds_schema = {.name = "Worlds", FIELDS(worlds_fields)};

static const struct control_field clock_fields[] = {
    ALWAYS(.name = "now", .type = CONTROL_TIME),
    ALWAYS(.name = "clock", .type = CONTROL_ENUM, .values = control_clocks),
    {.name = "step_ms", .type = CONTROL_NUMBER, .max = INT64_MAX, .summary = "Of a stepping clock"},
};
static const struct control_schema clock_schema = {.name = "Clock", FIELDS(clock_fields)};

static const struct control_field hash_fields[] = {
    ALWAYS(.name = "sha256", .type = CONTROL_STRING,
           .summary = "Of the dump without its lines \"time\" and \"seed\": equal for equal state"),
};
static const struct control_schema hash_schema = {.name = "Hash", FIELDS(hash_fields)};

static const struct control_field change_fields[] = {
    ALWAYS(.name = "entity", .type = CONTROL_STRING),
    ALWAYS(.name = "change", .type = CONTROL_STRING, .summary = "added, removed or changed"),
    ALWAYS(.name = "key", .type = CONTROL_OBJECT),
    {.name = "fields",
     .type = CONTROL_OBJECT,
     .summary = "Of what changed: {\"from\", \"to\"} by name"},
    {.name = "value", .type = CONTROL_OBJECT, .summary = "What was added or removed"},
};
static const struct control_schema change_schema = {.name = "Change", FIELDS(change_fields)};
static const struct control_field diff_fields[] = {
    ALWAYS(.name = "changes", .type = CONTROL_SCHEMA, .list = true, .schema = &change_schema),
};
static const struct control_schema diff_schema = {.name = "Diff", FIELDS(diff_fields)};

static const struct control_field dump_fields[] = {
    ALWAYS(.name = "sosia", .type = CONTROL_INTEGER, .min = 1, .max = 1,
           .summary = "Version of the format"),
    ALWAYS(.name = "time", .type = CONTROL_TIME),
};
static const struct control_schema dump_schema = {
    .name = "SeedDocument",
    .summary = "The world in normal form, with a member for each kind of content",
    FIELDS(dump_fields)};

static const struct control_field entry_fields[] = {
    ALWAYS(.name = "seq", .type = CONTROL_INTEGER, .min = 1, .max = INT64_MAX),
    ALWAYS(.name = "at", .type = CONTROL_TIME),
    {.name = "actor", .type = CONTROL_STRING},
    {.name = "method", .type = CONTROL_STRING, .summary = "The vendor's id of the method"},
    ALWAYS(.name = "request", .type = CONTROL_OBJECT),
    ALWAYS(.name = "response", .type = CONTROL_OBJECT),
};
static const struct control_schema entry_schema = {.name = "JournalEntry", FIELDS(entry_fields)};
static const struct control_field journal_fields[] = {
    ALWAYS(.name = "entries", .type = CONTROL_SCHEMA, .list = true, .schema = &entry_schema),
};
static const struct control_schema journal_schema = {.name = "Journal", FIELDS(journal_fields)};

static const struct control_field message_fields[] = {
    ALWAYS(.name = "id", .type = CONTROL_INTEGER, .min = 1, .max = INT64_MAX),
    ALWAYS(.name = "at", .type = CONTROL_TIME),
    ALWAYS(.name = "kind", .type = CONTROL_STRING),
    ALWAYS(.name = "from", .type = CONTROL_STRING),
    ALWAYS(.name = "to", .type = CONTROL_STRING),
    ALWAYS(.name = "payload", .type = CONTROL_OBJECT),
};
static const struct control_schema message_schema = {.name = "OutboxEntry", FIELDS(message_fields)};
static const struct control_field outbox_fields[] = {
    ALWAYS(.name = "entries", .type = CONTROL_SCHEMA, .list = true, .schema = &message_schema),
};
static const struct control_schema outbox_schema = {.name = "Outbox", FIELDS(outbox_fields)};

static const struct control_field actor_fields[] = {
    ALWAYS(.name = "id", .type = CONTROL_INTEGER, .min = 1, .max = INT64_MAX),
    {.name = "handle", .type = CONTROL_STRING, .summary = "Its name, where that is not the email"},
    {.name = "email", .type = CONTROL_STRING, .summary = "Absent where it has none"},
    ALWAYS(.name = "kind", .type = CONTROL_STRING,
           .summary = "person, bot, app, service or resource"),
    ALWAYS(.name = "name", .type = CONTROL_STRING),
    ALWAYS(.name = "zone", .type = CONTROL_STRING),
};
static const struct control_schema actor_schema = {.name = "Actor", FIELDS(actor_fields)};
static const struct control_field actors_fields[] = {
    ALWAYS(.name = "actors", .type = CONTROL_SCHEMA, .list = true, .schema = &actor_schema),
};
static const struct control_schema actors_schema = {.name = "Actors", FIELDS(actors_fields)};

static const struct control_field limits_fields[] = {
    ALWAYS(.name = "worlds", .type = CONTROL_INTEGER, .max = INT64_MAX,
           .summary = "How many there are"),
    ALWAYS(.name = "bytes", .type = CONTROL_INTEGER, .max = INT64_MAX,
           .summary = "What they hold of their own"),
    ALWAYS(.name = "max_worlds", .type = CONTROL_INTEGER, .max = INT64_MAX, .nullable = true),
    ALWAYS(.name = "max_bytes", .type = CONTROL_INTEGER, .max = INT64_MAX, .nullable = true),
    ALWAYS(.name = "max_world_bytes", .type = CONTROL_INTEGER, .max = INT64_MAX, .nullable = true),
};
static const struct control_schema limits_schema = {
    .name = "Limits", .summary = "null: no limit", FIELDS(limits_fields)};

static const struct control_field health_fields[] = {
    ALWAYS(.name = "status", .type = CONTROL_STRING),
    ALWAYS(.name = "version", .type = CONTROL_STRING),
    ALWAYS(.name = "tzdata", .type = CONTROL_STRING),
};
static const struct control_schema health_schema = {.name = "Health", FIELDS(health_fields)};

static const struct control_field fault_fields[] = {
    ALWAYS(.name = "code", .type = CONTROL_INTEGER, .min = 400, .max = 599,
           .summary = "The status"),
    ALWAYS(.name = "reason", .type = CONTROL_STRING, .summary = "A word for programs"),
    ALWAYS(.name = "message", .type = CONTROL_STRING),
    {.name = "line",
     .type = CONTROL_INTEGER,
     .min = 1,
     .max = INT32_MAX,
     .summary = "In the body or document at fault"},
    {.name = "field", .type = CONTROL_STRING, .summary = "The parameter or member at fault"},
};
static const struct control_schema fault_schema = {.name = "Fault", FIELDS(fault_fields)};
static const struct control_field error_fields[] = {
    ALWAYS(.name = "error", .type = CONTROL_SCHEMA, .schema = &fault_schema),
};
const struct control_schema control_error_schema = {.name = "Error", FIELDS(error_fields)};

const struct control_schema *const control_schemas[] = {
    &create_schema, &fork_schema,      &reset_schema,         &snapshot_schema,
    &ttl_schema,    &set_clock_schema, &advance_schema,       &issue_schema,
    &revoke_schema, &world_schema,     &worlds_schema,        &clock_schema,
    &token_schema,  &hash_schema,      &change_schema,        &diff_schema,
    &dump_schema,   &entry_schema,     &journal_schema,       &message_schema,
    &outbox_schema, &actor_schema,     &actors_schema,        &limits_schema,
    &health_schema, &fault_schema,     &control_error_schema, NULL};

/* ---- parameters ---- */

#define WORLD                                                                                      \
    {                                                                                              \
        .name = "world", .type = CONTROL_STRING, .in_path = true, .required = true,                \
        .summary = "A world's key or name"                                                         \
    }
#define LIMIT                                                                                      \
    {                                                                                              \
        .name = "limit", .type = CONTROL_INTEGER, .min = 1, .max = 1000,                           \
        .summary = "How many at most; 100 without it"                                              \
    }
#define AFTER(what)                                                                                \
    {                                                                                              \
        .name = "after", .type = CONTROL_INTEGER, .max = INT64_MAX, .summary = (what)              \
    }
#define DOCUMENT_NAME                                                                              \
    {                                                                                              \
        .name = "document_name", .type = CONTROL_STRING, .max = 80,                                \
        .summary = "What messages call the document"                                               \
    }

static const struct control_field world_only[] = {WORLD};
static const struct control_field world_list_params[] = {
    LIMIT,
    {.name = "after", .type = CONTROL_STRING, .max = 16, .summary = "\"next\" of the page before"}};
static const struct control_field seed_params[] = {WORLD, DOCUMENT_NAME};
static const struct control_field import_params[] = {
    {.name = "name", .type = CONTROL_STRING, .max = 63, .summary = "Unique among worlds"}};
static const struct control_field diff_params[] = {
    {.name = "from",
     .type = CONTROL_STRING,
     .required = true,
     .max = 200,
     .summary = "Key or name of a world or snapshot"},
    {.name = "to",
     .type = CONTROL_STRING,
     .required = true,
     .max = 200,
     .summary = "Key or name of a world or snapshot"}};
static const struct control_field journal_params[] = {
    WORLD,
    AFTER("Only entries behind this one's \"seq\""),
    LIMIT,
    {.name = "bodies",
     .type = CONTROL_BOOLEAN,
     .summary = "With the bodies of requests and responses; without it: no"}};
static const struct control_field entry_params[] = {WORLD,
                                                    {.name = "seq",
                                                     .type = CONTROL_INTEGER,
                                                     .in_path = true,
                                                     .required = true,
                                                     .min = 1,
                                                     .max = INT64_MAX,
                                                     .summary = "The entry's number"}};
static const struct control_field list_params[] = {
    WORLD, AFTER("Only entries behind this one's \"id\""), LIMIT};

/* ---- operations ---- */

#define PARAMS(table) .params = (table), .n_params = SOSIA_LEN(table)
#define TAKES(shape)  .body = CONTROL_BODY_JSON, .request = &(shape)

/* Rows of one path stand together; a path with a name stands before one with a parameter there. */
static const struct control_field credential_params[] = {
    WORLD,
    {.name = "actor",
     .type = CONTROL_STRING,
     .max = 254,
     .summary = "E-mail address of somebody in the world; must be given"},
    {.name = "kind",
     .type = CONTROL_STRING,
     .max = 64,
     .summary = "Of the kinds that the services have; must be given"},
};

const struct control_operation control_operations[] = {
    {.id = "worlds.create",
     .method = "POST",
     .path = "/worlds",
     .summary = "Makes a world",
     .handler = control_worlds_create,
     .pace = CONTROL_SLOW,
     TAKES(create_schema),
     .status = 201,
     .response = &world_schema},
    {.id = "worlds.list",
     .method = "GET",
     .path = "/worlds",
     .summary = "Lists worlds and snapshots",
     .handler = control_worlds_list,
     .pace = CONTROL_SLOW,
     PARAMS(world_list_params),
     .status = 200,
     .response = &worlds_schema},
    {.id = "worlds.import",
     .method = "POST",
     .path = "/worlds/import",
     .summary = "Makes a world of a SQLite file that was exported",
     .handler = control_import,
     .pace = CONTROL_SLOW,
     PARAMS(import_params),
     .body = CONTROL_BODY_FILE,
     .status = 201,
     .response = &world_schema},
    {.id = "worlds.get",
     .method = "GET",
     .path = "/worlds/{world}",
     .summary = "Tells about a world",
     .handler = control_worlds_get,
     PARAMS(world_only),
     .status = 200,
     .response = &world_schema},
    {.id = "worlds.delete",
     .method = "DELETE",
     .path = "/worlds/{world}",
     .summary = "Drops a world or a snapshot; forks made from it live on",
     .handler = control_worlds_drop,
     .pace = CONTROL_WRITE,
     PARAMS(world_only),
     .status = 204},
    {.id = "worlds.fork",
     .method = "POST",
     .path = "/worlds/{world}/fork",
     .summary = "Makes a world with the state of another world or snapshot, and tokens for it",
     .handler = control_worlds_fork,
     .pace = CONTROL_WRITE,
     PARAMS(world_only),
     TAKES(fork_schema),
     .status = 201,
     .response = &world_schema},
    {.id = "worlds.reset",
     .method = "POST",
     .path = "/worlds/{world}/reset",
     .summary = "Goes back to the state at creation or fork, or to that of a snapshot",
     .handler = control_worlds_reset,
     .pace = CONTROL_WRITE,
     PARAMS(world_only),
     TAKES(reset_schema),
     .status = 200,
     .response = &world_schema},
    {.id = "worlds.snapshot",
     .method = "POST",
     .path = "/worlds/{world}/snapshot",
     .summary = "Freezes the present state as a world that nobody can write",
     .handler = control_worlds_snapshot,
     .pace = CONTROL_WRITE,
     PARAMS(world_only),
     TAKES(snapshot_schema),
     .status = 201,
     .response = &world_schema},
    {.id = "worlds.ttl",
     .method = "PUT",
     .path = "/worlds/{world}/ttl",
     .summary = "Says when a world's life ends",
     .handler = control_worlds_ttl,
     .pace = CONTROL_WRITE,
     PARAMS(world_only),
     TAKES(ttl_schema),
     .status = 200,
     .response = &world_schema},
    {.id = "worlds.seed",
     .method = "POST",
     .path = "/worlds/{world}/seed",
     .summary = "Applies a seed document (JSON or YAML): all of it or nothing",
     .handler = control_seed,
     .pace = CONTROL_SLOW,
     PARAMS(seed_params),
     .body = CONTROL_BODY_DOCUMENT,
     .status = 200,
     .response = &world_schema},
    {.id = "worlds.dump",
     .method = "GET",
     .path = "/worlds/{world}/dump",
     .summary = "The world as a seed document in normal form",
     .handler = control_dump,
     .pace = CONTROL_SLOW,
     PARAMS(world_only),
     .status = 200,
     .response = &dump_schema},
    {.id = "worlds.hash",
     .method = "GET",
     .path = "/worlds/{world}/hash",
     .summary = "A hash of the state, without clock and journal",
     .handler = control_hash,
     .pace = CONTROL_SLOW,
     PARAMS(world_only),
     .status = 200,
     .response = &hash_schema},
    {.id = "worlds.export",
     .method = "GET",
     .path = "/worlds/{world}/export",
     .summary = "The world as a SQLite file",
     .handler = control_export,
     .pace = CONTROL_SLOW,
     PARAMS(world_only),
     .status = 200,
     .response_type = "application/vnd.sqlite3"},
    {.id = "worlds.diff",
     .method = "GET",
     .path = "/diff",
     .summary = "What it takes to get from one world to another, entity by entity",
     .handler = control_diff,
     .pace = CONTROL_SLOW,
     PARAMS(diff_params),
     .status = 200,
     .response = &diff_schema},
    {.id = "clock.get",
     .method = "GET",
     .path = "/worlds/{world}/clock",
     .summary = "The world's clock",
     .handler = control_clock_get,
     PARAMS(world_only),
     .status = 200,
     .response = &clock_schema},
    {.id = "clock.set",
     .method = "PUT",
     .path = "/worlds/{world}/clock",
     .summary = "Sets the time or the way the clock goes",
     .handler = control_clock_put,
     .pace = CONTROL_WRITE,
     PARAMS(world_only),
     TAKES(set_clock_schema),
     .status = 200,
     .response = &clock_schema},
    {.id = "clock.advance",
     .method = "POST",
     .path = "/worlds/{world}/clock/advance",
     .summary = "Goes forward and fires, in order and each at its instant, what is due",
     .handler = control_clock_advance,
     .pace = CONTROL_SLOW,
     PARAMS(world_only),
     TAKES(advance_schema),
     .status = 200,
     .response = &clock_schema},
    {.id = "tokens.issue",
     .method = "POST",
     .path = "/worlds/{world}/tokens",
     .summary = "Gives a token with which a program acts as somebody in the world",
     .handler = control_tokens_issue,
     .pace = CONTROL_WRITE,
     PARAMS(world_only),
     TAKES(issue_schema),
     .status = 201,
     .response = &token_schema},
    {.id = "credentials.get",
     .method = "GET",
     .path = "/worlds/{world}/credentials",
     .summary = "Credentials of somebody in the world, as the file that a vendor's programs load",
     .handler = control_credential,
     .pace = CONTROL_SLOW,
     PARAMS(credential_params),
     .status = 200,
     .response_type = "application/json"},
    {.id = "tokens.revoke",
     .method = "POST",
     .path = "/worlds/{world}/tokens/revoke",
     .summary = "Ends a token",
     .handler = control_tokens_revoke,
     .pace = CONTROL_WRITE,
     PARAMS(world_only),
     TAKES(revoke_schema),
     .status = 204},
    {.id = "journal.list",
     .method = "GET",
     .path = "/worlds/{world}/journal",
     .summary = "What happened in the world, oldest first",
     .handler = control_journal,
     .pace = CONTROL_SLOW,
     PARAMS(journal_params),
     .status = 200,
     .response = &journal_schema},
    {.id = "journal.get",
     .method = "GET",
     .path = "/worlds/{world}/journal/{seq}",
     .summary = "One entry of the journal, with bodies",
     .handler = control_journal_entry,
     .pace = CONTROL_SLOW,
     PARAMS(entry_params),
     .status = 200,
     .response = &entry_schema},
    {.id = "outbox.list",
     .method = "GET",
     .path = "/worlds/{world}/outbox",
     .summary = "What would have left the world, oldest first",
     .handler = control_outbox,
     .pace = CONTROL_SLOW,
     PARAMS(list_params),
     .status = 200,
     .response = &outbox_schema},
    {.id = "actors.list",
     .method = "GET",
     .path = "/worlds/{world}/actors",
     .summary = "Who can act in the world",
     .handler = control_actors,
     .pace = CONTROL_SLOW,
     PARAMS(list_params),
     .status = 200,
     .response = &actors_schema},
    {.id = "server.limits",
     .method = "GET",
     .path = "/limits",
     .summary = "How much there is and how much there may be",
     .handler = control_limits,
     .status = 200,
     .response = &limits_schema},
    {.id = "server.health",
     .method = "GET",
     .path = "/health",
     .summary = "Answers when the server does",
     .handler = control_health,
     .anyone = true,
     .status = 200,
     .response = &health_schema},
    {.id = "server.metrics",
     .method = "GET",
     .path = "/metrics",
     .summary = "Figures in the text format of Prometheus",
     .handler = control_metrics,
     .status = 200,
     .response_type = "text/plain"},
    {.id = "server.describe",
     .method = "GET",
     .path = "/openapi.json",
     .summary = "This description",
     .handler = control_describe,
     .anyone = true,
     .status = 200,
     .response_type = "application/json"},
};
const size_t control_n_operations = SOSIA_LEN(control_operations);

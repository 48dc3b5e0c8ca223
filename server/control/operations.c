/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations. To add one: a row here, or beside its handler, or in
 * operations_worlds.c, and its handler, and in schema.c the shapes of what goes in and out;
 * routing, checks and the OpenAPI document follow. */
#include "server/control/parameters.h"

/* ---- parameters ---- */

#define AFTER(what)                                                                                \
    {                                                                                              \
        .name = "after", .place = IN_QUERY, .type = PARAM_INT, .max = INT64_MAX, .summary = (what) \
    }
static const struct param journal_info_params[] = {
    WORLD,
    {.name = "head",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "false: without the chain's head, for which all entries are hashed"}};
#define WORKSPACE_PATH_PARAM                                                                       \
    {                                                                                              \
        .name = "path", .place = IN_QUERY, .type = PARAM_STRING, .max = 4096,                      \
        .summary = "Of a file or a directory below /data; without it /data"                        \
    }
static const struct param node_params[] = {WORLD, WORKSPACE_PATH_PARAM};
static const struct param nodes_params[] = {WORLD,
                                            WORKSPACE_PATH_PARAM,
                                            {.name = "recursive",
                                             .place = IN_QUERY,
                                             .type = PARAM_BOOL,
                                             .summary = "With all that is below a directory"}};
#define TRANSFER_PARAMS(place_summary)                                                             \
    WORLD,                                                                                         \
        {.name = "format",                                                                         \
         .place = IN_QUERY,                                                                        \
         .type = PARAM_STRING,                                                                     \
         .required = true,                                                                         \
         .max = 40,                                                                                \
         .summary = "mbox, maildir, eml, ics, vcf, csv, drive, workspace, or what a service "      \
                    "exports"},                                                                    \
        {.name = "person",                                                                         \
         .place = IN_QUERY,                                                                        \
         .type = PARAM_STRING,                                                                     \
         .max = 320,                                                                               \
         .summary = "The address of whose mail, calendar or drive it is"},                         \
        {.name = "vendor",                                                                         \
         .place = IN_QUERY,                                                                        \
         .type = PARAM_STRING,                                                                     \
         .max = 40,                                                                                \
         .summary = "Of a person with accounts of several"},                                       \
    {                                                                                              \
        .name = "place", .place = IN_QUERY, .type = PARAM_STRING, .max = 4096,                     \
        .summary = (place_summary)                                                                 \
    }
static const struct param transfer_in_params[] = {
    TRANSFER_PARAMS("Where it goes: a label or folder of mail, a calendar's or a folder's id, a "
                    "directory of the workspace"),
    {.name = "name",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 80,
     .summary = "What messages call the file"}};
static const struct param transfer_out_params[] = {
    TRANSFER_PARAMS("Where it comes from, likewise")};
static const char *const control_diff_forms[] = {"json", "patch", "seed", "tables", "across", NULL};
static const struct param diff_params[] = {
    {.name = "from",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 200,
     .summary = "Key or name of a world or snapshot; without "
                "it the state that `to` resets to"},
    {.name = "to",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .required = true,
     .max = 200,
     .summary = "Key or name of a world or snapshot"},
    {.name = "form",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .values = control_diff_forms,
     .summary =
         "json (the default): in the vendors' terms, "
         "with consequences; patch: the same as "
         "JSON Patch (RFC 6902); seed: in the terms of "
         "seed documents; tables: as inserts, updates and deletes of "
         "rows, as evaluators of diffs by table have them; across: in the cores' terms where "
         "what was done in `from` differs from what was done in `to`, each since the state "
         "that it resets to"},
    {.name = "all",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "With what changes by itself: etags, "
                "counters, deliveries"},
    {.name = "causes",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "json: each change with the last call that had to do with it, as far as it is "
                "known: \"seq\", \"actor\", \"method\""},
    {.name = "person",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 320,
     .summary = "json: only changes that are somebody's, or from which one of theirs follows"},
    {.name = "entity",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .max = 80,
     .summary = "json: likewise only of this kind"},
    {.name = "offset",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .max = 1000000000,
     .summary = "json: how many changes are left out at first"},
    {.name = "limit",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .min = 1,
     .max = 100000,
     .summary = "json: how many changes at most; all without it"},
    {.name = "summary",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "json: changes without what was and is there, and without what follows"}};
static const struct param export_params[] = {
    WORLD,
    {.name = "format",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .values = control_formats,
     .summary = "jsonl (the default): a line an entry, chained by SHA-256; har: HTTP Archive 1.2; "
                "otlp: OpenTelemetry spans; atif: a trajectory; run: each call with its risk "
                "and what was decided of it"},
    AFTER("Only entries behind this one's \"seq\""),
    {.name = "to",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .min = 1,
     .max = INT64_MAX,
     .summary = "And up to this one's"},
    {.name = "secrets",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "jsonl: with the secret that codes, tokens and links of the world come from"}};
static const struct param entry_params[] = {WORLD,
                                            {.name = "seq",
                                             .type = PARAM_INT,
                                             .place = IN_PATH,
                                             .required = true,
                                             .min = 1,
                                             .max = INT64_MAX,
                                             .summary = "The entry's number"}};
static const struct param one_entry_params[] = {
    WORLD,
    {.name = "seq",
     .type = PARAM_INT,
     .place = IN_PATH,
     .required = true,
     .min = 1,
     .max = INT64_MAX,
     .summary = "The entry's number"},
    {.name = "times",
     .place = IN_QUERY,
     .type = PARAM_BOOL,
     .summary = "With took_us also where the clock does not follow real time, of the last 512"}};
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
static const char *const orders[] = {"oldest", "newest", NULL};
static const struct param outbox_params[] = {
    WORLD,
    AFTER("Only entries behind this one's \"id\""),
    {.name = "before",
     .place = IN_QUERY,
     .type = PARAM_INT,
     .min = 1,
     .max = INT64_MAX,
     .summary = "Only entries before this one's \"id\", in the order newest"},
    {.name = "order",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .values = orders,
     .summary = "Without it oldest; newest: the last entry first"},
    LIMIT};
static const struct param credential_params[] = {
    WORLD,
    {.name = "actor",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .required = true,
     .max = 254,
     .summary = "E-mail address of somebody in the world"},
    {.name = "kind",
     .place = IN_QUERY,
     .type = PARAM_STRING,
     .required = true,
     .max = 64,
     .summary = "Of the kinds that the services have"},
};

/* ---- operations ---- */

/* Rows of one path are together; a path with a name is before one with a parameter there. */
static const struct route routes[] = {
    {ROUTE("workspace.list", GET, "/worlds/{world}/workspace"), .outside = true, .risk = RISK_READ,
     .summary = "A file of the world's workspace, or what is in a directory",
     .handler = control_workspace_list, .pace = PACE_SLOW, PARAMS(nodes_params), .status = 200,
     .response = "WorkspaceList"},
    {ROUTE("workspace.get", GET, "/worlds/{world}/workspace/content"), .outside = true,
     .risk = RISK_READ,
     .summary = "The bytes of a file, or a directory as a tar file with gzip around it",
     .handler = control_workspace_get, .pace = PACE_SLOW, PARAMS(node_params), .status = 200,
     .gives = "application/octet-stream"},
    {ROUTE("workspace.put", PUT, "/worlds/{world}/workspace/content"), .outside = true,
     .risk = RISK_WRITE,
     .summary = "Adds the entries of a tar file below a directory: all of it or nothing",
     .handler = control_workspace_put, .pace = PACE_SLOW, PARAMS(node_params), .body = BODY_RAW,
     .accepts = TYPES("application/gzip", "application/x-tar"), .status = 200,
     .response = "WorkspaceImported"},
    {ROUTE("transfer.import", POST, "/worlds/{world}/transfer"), .outside = true,
     .risk = RISK_WRITE,
     .summary = "Adds what is in a file of another program: all of it or nothing",
     .handler = control_transfer_import, .pace = PACE_SLOW, PARAMS(transfer_in_params),
     .body = BODY_RAW, .accepts = TYPES("application/octet-stream"), .status = 200,
     .response = "Transferred"},
    {ROUTE("transfer.export", GET, "/worlds/{world}/transfer"), .outside = true, .risk = RISK_READ,
     .summary = "A mailbox, a calendar, a drive, the workspace or the people as a file that other "
                "programs read",
     .handler = control_transfer_export, .pace = PACE_SLOW, PARAMS(transfer_out_params),
     .status = 200, .gives = "application/octet-stream"},
    {ROUTE("worlds.diff", GET, "/diff"), .outside = true, .risk = RISK_READ,
     .summary = "What it takes to get from one world to another, entity by entity",
     .handler = control_diff, .pace = PACE_SLOW, PARAMS(diff_params), .status = 200,
     .response = "Diff", .gives = "application/json-patch+json"},
    {ROUTE("clock.get", GET, "/worlds/{world}/clock"), .outside = true, .risk = RISK_READ,
     .summary = "The world's clock", .handler = control_clock_get, PARAMS(world_only),
     .status = 200, .response = "Clock"},
    {ROUTE("clock.set", PUT, "/worlds/{world}/clock"), .outside = true, .risk = RISK_WRITE,
     .summary = "Sets the time or the way the clock goes", .handler = control_clock_put,
     .pace = PACE_WRITE, PARAMS(world_only), .body = BODY_JSON_OPTIONAL, .request = "SetClock",
     .status = 200, .response = "Clock"},
    {ROUTE("clock.advance", POST, "/worlds/{world}/clock/advance"), .outside = true,
     .risk = RISK_WRITE,
     .summary = "Goes forward and fires, in order and each at its instant, what is due",
     .handler = control_clock_advance, .pace = PACE_SLOW, PARAMS(world_only),
     .body = BODY_JSON_OPTIONAL, .request = "AdvanceClock", .status = 200, .response = "Clock"},
    {ROUTE("tokens.issue", POST, "/worlds/{world}/tokens"), .outside = true, .risk = RISK_WRITE,
     .summary = "Gives a token with which a program acts as somebody in the world",
     .handler = control_tokens_issue, .pace = PACE_WRITE, PARAMS(world_only), .body = BODY_JSON,
     .request = "IssueToken", .status = 201, .response = "Token"},
    {ROUTE("consents.link", POST, "/worlds/{world}/consents"), .outside = true, .risk = RISK_WRITE,
     .summary = "Makes a link with which a person proves once who it is, where a program asks for "
                "consent",
     .handler = control_consent_link, .pace = PACE_WRITE, PARAMS(world_only), .body = BODY_JSON,
     .request = "MakeConsentLink", .status = 201, .response = "ConsentLink"},
    {ROUTE("credentials.get", GET, "/worlds/{world}/credentials"), .outside = true,
     .risk = RISK_READ, .secret = true,
     .summary = "Credentials of somebody in the world, as the file that a vendor's programs load",
     .handler = control_credential, .pace = PACE_SLOW, PARAMS(credential_params), .status = 200,
     .gives = "application/json"},
    {ROUTE("tokens.revoke", POST, "/worlds/{world}/tokens/revoke"), .outside = true,
     .risk = RISK_WRITE, .summary = "Ends a token", .handler = control_tokens_revoke,
     .pace = PACE_WRITE, PARAMS(world_only), .body = BODY_JSON, .request = "RevokeToken",
     .status = 204},
    {ROUTE("journal.set", PUT, "/worlds/{world}/journal"), .outside = true, .risk = RISK_WRITE,
     .summary = "Says which calls the journal has, what of them, and how many states",
     .handler = control_journal_keep, .pace = PACE_WRITE, PARAMS(world_only), .body = BODY_JSON,
     .request = "SetJournal", .status = 200, .response = "JournalInfo"},
    {ROUTE("journal.info", GET, "/worlds/{world}/journal/info"), .outside = true, .risk = RISK_READ,
     .summary = "How many entries and states there are, what these cost, and the chain's head",
     .handler = control_journal_info, .pace = PACE_SLOW, PARAMS(journal_info_params), .status = 200,
     .response = "JournalInfo"},
    {ROUTE("journal.export", GET, "/worlds/{world}/journal/export"), .outside = true,
     .risk = RISK_READ, .secret = true, .summary = "The journal in a format",
     .handler = control_journal_export, .pace = PACE_SLOW, PARAMS(export_params), .status = 200,
     .response = "JournalFile", .gives = "application/jsonl"},
    {ROUTE("journal.replay", POST, "/worlds/{world}/journal/replay"), .outside = true,
     .risk = RISK_WRITE, .summary = "Runs the journal again beside the world and says what differs",
     .handler = control_journal_replay, .pace = PACE_SLOW, PARAMS(world_only),
     .body = BODY_JSON_OPTIONAL, .request = "ReplayJournal", .status = 200, .response = "Replay"},
    {ROUTE("journal.get", GET, "/worlds/{world}/journal/{seq}"), .outside = true, .risk = RISK_READ,
     .summary = "One entry of the journal, with bodies", .handler = control_journal_entry,
     .pace = PACE_SLOW, PARAMS(one_entry_params), .status = 200, .response = "JournalEntry"},
    {ROUTE("journal.changes", GET, "/worlds/{world}/journal/{seq}/changes"), .outside = true,
     .risk = RISK_READ, .summary = "What the call of an entry changed",
     .handler = control_journal_changes, .pace = PACE_SLOW, PARAMS(entry_params), .status = 200,
     .response = "Diff"},
    {ROUTE("outbox.list", GET, "/worlds/{world}/outbox"), .outside = true, .risk = RISK_READ,
     .summary = "What would have left the world", .handler = control_outbox, .pace = PACE_SLOW,
     PARAMS(outbox_params), .status = 200, .response = "Outbox"},
    {ROUTE("outbox.outcome", POST, "/worlds/{world}/outbox/{entry}/outcome"), .outside = true,
     .risk = RISK_WRITE, .summary = "Says what came of an attempt to deliver an entry",
     .handler = control_outcome, .pace = PACE_SLOW, PARAMS(outcome_params), .body = BODY_JSON,
     .request = "SetOutcome", .status = 200, .response = "Outcome"},
    {ROUTE("actors.list", GET, "/worlds/{world}/actors"), .outside = true, .risk = RISK_READ,
     .summary = "Who can act in the world", .handler = control_actors, .pace = PACE_SLOW,
     PARAMS(list_params), .status = 200, .response = "Actors"},
    {ROUTE("actors.act", POST, "/worlds/{world}/act"), .outside = true, .risk = RISK_EXTERNAL,
     .summary = "Does in a service what a person does in its client, and gives what he sees",
     .handler = control_act, .pace = PACE_SLOW, PARAMS(world_only), .body = BODY_JSON,
     .request = "Act", .status = 200, .response = "Acted"},
    {ROUTE("worlds.calls", POST, "/worlds/{world}/calls"), .outside = true, .risk = RISK_EXTERNAL,
     .summary =
         "Makes up to 100 calls of the world one after the other, each as if it were sent alone",
     .handler = control_calls, .pace = PACE_WRITE, PARAMS(world_only), .body = BODY_JSON,
     .request = "MakeCalls", .status = 200, .response = "MadeCalls"},
    {ROUTE("server.limits", GET, "/limits"), .outside = true, .risk = RISK_READ,
     .summary = "How much there is and how much there may be", .handler = control_limits,
     .status = 200, .response = "Limits"},
    {ROUTE("server.health", GET, "/health"), .outside = true, .risk = RISK_READ,
     .summary = "Answers when the server does", .handler = control_health, .anonymous = true,
     .status = 200, .response = "Health"},
    {ROUTE("server.metrics", GET, "/metrics"), .outside = true, .risk = RISK_READ,
     .summary = "Figures in the text format of Prometheus", .handler = control_metrics,
     .status = 200, .gives = "text/plain"},
    {ROUTE("server.describe", GET, "/openapi.json"), .outside = true, .risk = RISK_READ,
     .summary = "This description", .handler = control_describe, .anonymous = true, .status = 200,
     .gives = "application/json"},
};

static const struct rows own_rows = ROWS(routes);
static const struct front front = {0};
static const struct vendor vendor = {.name = "sosia", .title = "sosia", .front = &front};
const struct dialect control_dialect = {
    .name = "sosia.control",
    .title = "sosia control interface",
    .vendor = &vendor,
    .tables =
        TABLES(&control_worlds_rows, &own_rows, &control_guard_rows, &control_report_rows,
               &control_look_rows, &control_history_rows, &control_events_rows, &control_mail_rows,
               &control_calendar_rows, &control_tasks_rows, &control_search_rows,
               &control_runs_rows, &control_workflows_rows, &control_console_rows),
    .schemas = control_schemas,
    .n_schemas = CONTROL_SCHEMAS,
    .base = CONTROL_PREFIX,
    .summary = "Worlds made, forked, filled, looked into and dropped. It is opened by the server's "
               "control key; tokens of actors in worlds don't open it.",
    .key = "control_key",
    .refusal = "Error"};

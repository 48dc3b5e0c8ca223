/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of what operations take and give. Bodies are checked against them, and the OpenAPI
 * document is made of them. A list of shapes is one table in the order of their names, so that
 * their members are in this file and in those that it includes. */
#include "mcp/setting.h"
#include "server/control/schema_requests.h"
#include "server/control/schema_views.h"
#include "server/control/schema_worlds.h"

const char *const control_clocks[] = {"frozen", "step", "real", NULL};
const char *const control_journals[] = {"writes", "none", "all", NULL};
const char *const control_keeps[] = {"redacted", "full", "hashes", NULL};
const char *const control_formats[] = {"jsonl", "har", "otlp", "atif", "run", NULL};

static const struct field journal_info_fields[] = {
    ALWAYS(.name = "entries", .type = "integer", .max = INT64_MAX,
           .summary = "Number of the last one"),
    ALWAYS(.name = "first", .type = "integer", .min = 1, .max = INT64_MAX,
           .summary = "Number of the first that is left"),
    ALWAYS(.name = "start", .type = "integer", .max = INT64_MAX,
           .summary = "Number of the last entry before the world's own"),
    ALWAYS(.name = "mode", .type = "string", .values = control_journals),
    ALWAYS(.name = "keep", .type = "string", .values = control_keeps),
    ALWAYS(.name = "steps", .type = "object",
           .summary = "States that are kept: {\"most\", \"kept\", \"first\", \"bytes\", "
                      "\"most_bytes\"}"),
    ALWAYS(.name = "bytes", .type = "integer", .max = INT64_MAX, .summary = "Of its own entries"),
    {.name = "most_bytes",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "That they may have; absent without a bound"},
    ALWAYS(.name = "refused", .type = "object",
           .summary = "Calls of nobody, which have no entry: {\"calls\", \"last\"}"),
    {.name = "head", .type = "string", .summary = "SHA-256 of the chain; absent with head=false"},
    ALWAYS(.name = "versions", .type = "object", .summary = "{\"engine\", \"tzdata\"}"),
};
static const struct field journal_keep_fields[] = {
    {.name = "mode", .type = "string", .values = control_journals, .summary = "Which calls"},
    {.name = "keep", .type = "string", .values = control_keeps, .summary = "What of each"},
    {.name = "steps",
     .type = "integer",
     .max = 16382,
     .summary = "How many states, the latest ones; 1000 without it"},
    {.name = "step_bytes",
     .type = "integer",
     .max = (int64_t)65534 << 20,
     .summary = "What they may hold, in whole MiB; 64 MiB without it"},
    {.name = "bytes",
     .type = "integer",
     .max = (int64_t)65534 << 20,
     .summary = "What the entries may have, in whole MiB, 0 without bound; 64 MiB without it"},
};
static const struct field trouble_fields[] = {
    {.name = "broken", .type = "string", .summary = "Why a document can't be read any more"},
    {.name = "faults", .type = "object", .summary = "The document (docs/faults.md)"},
    {.name = "hash", .type = "string", .summary = "Of that document"},
    {.name = "rules",
     .type = "object",
     .list = true,
     .summary = "{\"name\", \"fault\", \"matched\", \"injected\"}"},
    {.name = "budgets", .type = "object", .summary = "The document of budgets"},
    {.name = "used",
     .type = "object",
     .list = true,
     .summary = "Of each limit what is used up, by whoever has used the most"},
};
static const struct field trouble_report_fields[] = {
    ALWAYS(.name = "faults", .type = "object", .list = true,
           .summary = "Each with the call that was made again"),
    ALWAYS(.name = "injected", .type = "integer", .max = INT64_MAX, .summary = "How many"),
    ALWAYS(.name = "made_again", .type = "integer", .max = INT64_MAX,
           .summary = "Calls that were made again behind a fault"),
    ALWAYS(.name = "retry_after", .type = "object",
           .summary = "{\"honoured\", \"not_honoured\", \"not_known\"}: of those that had "
                      "one"),
    ALWAYS(.name = "made_again_unsafely", .type = "integer", .max = INT64_MAX,
           .summary =
               "Of calls that write and can't be made twice, behind a fault that leaves open "
               "whether they were done"),
    ALWAYS(.name = "done_twice", .type = "integer", .max = INT64_MAX,
           .summary = "Of those, what was done before and again"),
};
static const struct field explore_fields[] = {
    {.name = "faults", .type = "string", .max = 200, .summary = "Kinds, with commas between"},
    {.name = "depth", .type = "integer", .min = 1, .max = 2, .summary = "Faults in a run"},
    {.name = "threads", .type = "integer", .min = 1, .max = 64, .summary = "At once"},
    {.name = "from", .type = "integer", .min = 1, .max = INT64_MAX, .summary = "The first entry"},
    {.name = "to", .type = "integer", .min = 1, .max = INT64_MAX, .summary = "The last one"},
    {.name = "suite",
     .type = "string",
     .other = "object",
     .summary = "What each run is judged by; without it none is"},
    {.name = "suite_name",
     .type = "string",
     .max = 200,
     .summary = "What messages call the suite, until it says its own name"},
    {.name = "task",
     .type = "string",
     .max = 200,
     .summary = "Which of the suite's tasks; without it the only one"},
    {.name = "answer",
     .type = "string",
     .max = 1 << 20,
     .summary = "What was said at the end of the run"},
};
static const struct field explored_fields[] = {
    ALWAYS(.name = "findings", .type = "object", .list = true,
           .summary = "Runs in which something happened twice or not at all, which end "
                      "ungraded, or whose verdict is another"),
    {.name = "verdict",
     .type = "object",
     .summary = "Of the run as it was: task, whether it is passed, and how many others are not so"},
    ALWAYS(.name = "calls", .type = "integer", .max = INT64_MAX, .summary = "Entries of the run"),
    ALWAYS(.name = "branches", .type = "integer", .max = INT64_MAX, .summary = "Runs"),
    ALWAYS(.name = "twice", .type = "integer", .max = INT64_MAX,
           .summary = "Runs in which something happened twice"),
    ALWAYS(.name = "not_at_all", .type = "integer", .max = INT64_MAX,
           .summary = "Runs in which something did not happen"),
    ALWAYS(.name = "refused_later", .type = "integer", .max = INT64_MAX,
           .summary = "Runs in which a later call was refused that was not before"),
    ALWAYS(.name = "ungraded", .type = "integer", .max = INT64_MAX,
           .summary = "Runs that could not go on to the end"),
};

static const struct field replay_fields[] = {
    {.name = "from",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "The entries behind this one; without it those of the world's own"},
    {.name = "to", .type = "integer", .min = 1, .max = INT64_MAX, .summary = "Up to this one"},
    {.name = "first", .type = "boolean", .summary = "Stops at the first difference"},
    {.name = "edits",
     .type = "string",
     .summary = "What is otherwise this time: a list, as text (docs/replay.md)"},
    {.name = "keep", .type = "boolean", .summary = "The end becomes a world"},
    {.name = "name", .type = "string", .max = 63, .summary = "Of that world"},
    {.name = "journal",
     .type = "string",
     .summary = "An exported journal (jsonl), whose entries run on the state that the world resets "
                "to; without it the world's own"},
    {.name = "journal_name",
     .type = "string",
     .max = 80,
     .summary = "What messages call that file"},
};
static const struct field replayed_fields[] = {
    ALWAYS(.name = "equal", .type = "boolean",
           .summary = "All ran as it is recorded, without edits"),
    ALWAYS(.name = "differences", .type = "object", .list = true,
           .summary = "{\"seq\", \"what\", \"recorded\", \"came\"}"),
    ALWAYS(.name = "from", .type = "integer", .max = INT64_MAX,
           .summary = "The entries behind this one"),
    {.name = "why", .type = "string", .summary = "Why nothing ran, though there are entries"},
    {.name = "gone",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "Entries up to this one are gone, as the journal keeps so many bytes"},
    ALWAYS(.name = "to", .type = "integer", .max = INT64_MAX, .summary = "Up to this one"),
    ALWAYS(.name = "ran", .type = "integer", .max = INT64_MAX, .summary = "Entries that ran"),
    ALWAYS(.name = "taken", .type = "integer", .max = INT64_MAX,
           .summary = "Entries that can't be run, whose state was taken as it is kept"),
    ALWAYS(.name = "left_out", .type = "integer", .max = INT64_MAX,
           .summary = "Entries that edits left out, or made impossible"),
    ALWAYS(.name = "different", .type = "integer", .max = INT64_MAX,
           .summary = "Entries that ran otherwise, also those that the list has no room for"),
    {.name = "stopped",
     .type = "integer",
     .min = 1,
     .max = INT64_MAX,
     .summary = "Number of the entry at which it ended, since no state of then is kept"},
    {.name = "pages",
     .type = "boolean",
     .summary = "Of a file: whether the hashes of what was written are the same too"},
    {.name = "world", .type = "string", .summary = "Key of the world that was kept"},
};

static const struct field message_fields[] = {
    ALWAYS(.name = "id", .type = "integer", .min = 1, .max = INT64_MAX),
    ALWAYS(.name = "at", .type = "string", .format = "date-time"),
    ALWAYS(.name = "kind", .type = "string", .summary = "mail, pubsub, webhook or session"),
    ALWAYS(.name = "from", .type = "string", .summary = "Who sends it: an address, a vendor"),
    ALWAYS(.name = "to", .type = "string", .summary = "Where it goes: an address, a URL"),
    ALWAYS(.name = "payload", .type = "object", .summary = "What is sent"),
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

static const struct field act_fields[] = {
    {.name = "actor",
     .type = "string",
     .required = true,
     .max = 254,
     .summary = "Handle or e-mail address of who does it"},
    {.name = "service",
     .type = "string",
     .required = true,
     .max = 40,
     .summary = "Whose client: that of a service which has acts"},
    {.name = "do",
     .type = "object",
     .required = true,
     .summary = "What is done, in the service's terms: an object with one act"},
};
static const struct field acted_fields[] = {
    {.name = "ok",
     .type = "boolean",
     .summary = "And what the person sees, in the service's terms"},
};

static const struct field calls_fields[] = {
    {.name = "calls",
     .type = "any",
     .required = true,
     .summary =
         "A list of up to 100 objects: method, target (path and query), and where they are wanted "
         "token, headers, and body (any JSON) or text, with its media type as type"},
    {.name = "token",
     .type = "string",
     .max = SOSIA_TOKEN_MAX - 1,
     .summary = "Of whom makes those calls that have none of their own"},
};
static const struct field made_fields[] = {
    ALWAYS(.name = "responses", .type = "any", .list = true,
           .summary =
               "One a call, in their order: status, headers, and text, or base64 where it is not "
               "UTF-8, or length alone of what is too long. None of calls that were not made "
               "because there are 16 MiB already"),
};

static const struct field policy_fields[] = {
    ALWAYS(.name = "name", .type = "string"),
    {.name = "version", .type = "string", .summary = "As the document says it"},
    {.name = "hash", .type = "string", .summary = "SHA-256 of the document"},
    {.name = "workflow", .type = "string"},
    {.name = "tenant", .type = "string"},
    {.name = "rules", .type = "integer", .max = INT64_MAX, .summary = "How many it has"},
    {.name = "broken",
     .type = "string",
     .summary = "Why it can't be read: until it is replaced nobody's calls are served"},
    {.name = "document",
     .type = "string",
     .summary = "The document itself, of one that is asked for"},
};
static const struct field simulation_fields[] = {
    ALWAYS(.name = "calls", .type = "integer", .max = INT64_MAX),
    ALWAYS(.name = "allowed", .type = "integer", .max = INT64_MAX),
    ALWAYS(.name = "denied", .type = "integer", .max = INT64_MAX),
    ALWAYS(.name = "held", .type = "integer", .max = INT64_MAX),
    ALWAYS(.name = "tried", .type = "integer", .max = INT64_MAX, .summary = "By dryRun"),
    ALWAYS(.name = "decisions", .type = "any", .list = true,
           .summary = "What was not just allowed: seq, actor, method, target, decision, rule, why"),
};
static const struct field derived_fields[] = {
    ALWAYS(.name = "policy", .type = "string", .summary = "The document"),
    ALWAYS(.name = "methods", .type = "string", .list = true),
    ALWAYS(.name = "scopes", .type = "any",
           .summary = "held (of tokens with scopes), used, unused: lists"),
};
static const struct field policies_fields[] = {
    ALWAYS(.name = "policies", .type = "Policy", .list = true),
};

static const char *const decisions[] = {"approve", "reject", "edit", "escalate", NULL};
static const struct field decide_fields[] = {
    {.name = "decision",
     .type = "string",
     .required = true,
     .values = decisions,
     .summary = "edit approves it with other arguments"},
    {.name = "arguments",
     .type = "object",
     .other = "string",
     .summary = "Of edit: what they are set to, values by path (\"body.summary\")"},
    {.name = "to",
     .type = "string",
     .max = 200,
     .summary = "Of escalate: who is to decide, a name or a class of the policy's approvers"},
    {.name = "by", .type = "string", .max = 200, .summary = "Who decides, for the journal"},
    {.name = "comment", .type = "string", .max = 1000, .summary = "Why"},
};
static const struct field approval_fields[] = {
    ALWAYS(.name = "action", .type = "string"),
    ALWAYS(.name = "state", .type = "string",
           .summary = "drafted, held, approved, rejected, executed, or expired"),
    ALWAYS(.name = "actor", .type = "string", .summary = "Who asks"),
    {.name = "app", .type = "string", .summary = "Through which app"},
    ALWAYS(.name = "method", .type = "string"),
    {.name = "tool", .type = "string", .summary = "Of a model's"},
    ALWAYS(.name = "policy", .type = "string"),
    {.name = "version", .type = "string"},
    ALWAYS(.name = "hash", .type = "string", .summary = "Of the policy"),
    {.name = "rule", .type = "string"},
    {.name = "why", .type = "string"},
    ALWAYS(.name = "held", .type = "string", .format = "date-time"),
    ALWAYS(.name = "expires", .type = "string", .format = "date-time"),
    {.name = "decided", .type = "string", .format = "date-time"},
    {.name = "by", .type = "string"},
    {.name = "comment", .type = "string"},
    {.name = "executed", .type = "string", .format = "date-time"},
    ALWAYS(.name = "arguments", .type = "any", .summary = "What is asked for"),
    {.name = "edits", .type = "any", .summary = "What the approver has set"},
    {.name = "asked", .type = "string", .summary = "Who has to decide, after an escalation"},
    {.name = "outcome", .type = "any", .summary = "What it would do, of one that is asked for"},
    {.name = "calls",
     .type = "any",
     .summary = "And what its program has asked of services, each with method, target and status"},
};
static const struct field approvals_fields[] = {
    ALWAYS(.name = "approvals", .type = "Approval", .list = true),
};

const struct schema control_schemas[CONTROL_SCHEMAS] = {
    {.name = "Act", .closed = true, FIELDS(act_fields)},
    {.name = "Acted", FIELDS(acted_fields)},
    {.name = "Actor", FIELDS(actor_fields)},
    {.name = "Actors", FIELDS(actors_fields)},
    {.name = "AdvanceClock", .summary = "One of them", .closed = true, FIELDS(advance_fields)},
    {.name = "Approval", FIELDS(approval_fields)},
    {.name = "Approvals", FIELDS(approvals_fields)},
    {.name = "CalendarEvents", FIELDS(calendar_events_fields)},
    {.name = "CalendarList", FIELDS(calendars_fields)},
    {.name = "Change", FIELDS(change_fields)},
    {.name = "Clock", FIELDS(clock_fields)},
    {.name = "ConsentLink", FIELDS(link_fields)},
    {.name = "ConsoleCode", FIELDS(console_code_fields)},
    {.name = "ConsoleSession", FIELDS(console_session_fields)},
    {.name = "CreateWorld",
     .summary = "A new world: from at most one of fixture, from and seed_document, else empty",
     .closed = true,
     FIELDS(create_fields)},
    {.name = "Decide", .closed = true, FIELDS(decide_fields)},
    {.name = "DerivedPolicy", FIELDS(derived_fields)},
    {.name = "Diff", FIELDS(diff_fields)},
    {.name = "DropWorlds", .closed = true, FIELDS(drop_all_fields)},
    {.name = "Due", FIELDS(due_fields)},
    {.name = "Error", FIELDS(error_fields)},
    {.name = "Explore", .closed = true, FIELDS(explore_fields)},
    {.name = "Explored", FIELDS(explored_fields)},
    {.name = "Fault", FIELDS(fault_fields)},
    {.name = "ForkWorld", .closed = true, FIELDS(fork_fields)},
    {.name = "Forks", FIELDS(forks_fields)},
    {.name = "Found", FIELDS(found_fields)},
    {.name = "GradeWorlds", .closed = true, FIELDS(grade_fields)},
    {.name = "Grades", FIELDS(grades_fields)},
    {.name = "Hash", FIELDS(hash_fields)},
    {.name = "Health", FIELDS(health_fields)},
    {.name = "Hit", FIELDS(hit_fields)},
    {.name = "History", FIELDS(history_fields)},
    {.name = "IssueToken", .closed = true, FIELDS(issue_fields)},
    {.name = "Journal", FIELDS(journal_fields)},
    {.name = "JournalEntry", FIELDS(entry_fields)},
    {.name = "JournalFile",
     .summary = "Of har, otlp, atif and run: an object as that format has it"},
    {.name = "JournalInfo", FIELDS(journal_info_fields)},
    {.name = "JournalStrip", FIELDS(strip_fields)},
    {.name = "Limits", .summary = "null: no limit", FIELDS(limits_fields)},
    {.name = "MadeCalls", FIELDS(made_fields)},
    {.name = "MailFolders", FIELDS(mail_folders_fields)},
    {.name = "MailMessage", FIELDS(mail_message_fields)},
    {.name = "MailMessages", FIELDS(mail_messages_fields)},
    {.name = "MakeCalls", .closed = true, FIELDS(calls_fields)},
    {.name = "MakeCode", .closed = true, FIELDS(make_code_fields)},
    {.name = "MakeConsentLink", .closed = true, FIELDS(consent_fields)},
    {.name = "MakeSession", .closed = true, FIELDS(make_session_fields)},
    {.name = "Outbox", FIELDS(outbox_fields)},
    {.name = "OutboxEntry", FIELDS(message_fields)},
    {.name = "Outcome", FIELDS(outcome_fields)},
    {.name = "Policies", FIELDS(policies_fields)},
    {.name = "Policy", FIELDS(policy_fields)},
    {.name = "Replay", FIELDS(replayed_fields)},
    {.name = "ReplayJournal", .closed = true, FIELDS(replay_fields)},
    {.name = "ReportWorld", .closed = true, FIELDS(report_fields)},
    {.name = "ResetWorld", .closed = true, FIELDS(reset_fields)},
    {.name = "ResetWorlds", .closed = true, FIELDS(reset_all_fields)},
    {.name = "RevokeToken", .closed = true, FIELDS(revoke_fields)},
    {.name = "Run", FIELDS(run_fields)},
    {.name = "Runs", FIELDS(runs_fields)},
    {.name = "SeedDocument",
     .summary = "The world in normal form, with a member for each kind of content",
     FIELDS(dump_fields)},
    {.name = "SetClock",
     .summary = "At least one of them",
     .closed = true,
     FIELDS(set_clock_fields)},
    {.name = "SetJournal", .closed = true, FIELDS(journal_keep_fields)},
    {.name = "SetOutcome", .closed = true, FIELDS(set_outcome_fields)},
    {.name = "SetTools", .closed = true, FIELDS(set_tools_fields)},
    {.name = "SetRates", .closed = true, FIELDS(set_rates_fields)},
    {.name = "SetTimeToLive", .closed = true, FIELDS(ttl_fields)},
    {.name = "Simulation", FIELDS(simulation_fields)},
    {.name = "SnapshotWorld", .closed = true, FIELDS(snapshot_fields)},
    {.name = "Task", FIELDS(task_row_fields)},
    {.name = "TaskLists", FIELDS(task_lists_fields)},
    {.name = "Tasks", FIELDS(tasks_fields)},
    {.name = "Token", FIELDS(token_fields)},
    {.name = "Transferred", FIELDS(transferred_fields)},
    {.name = "Trouble", FIELDS(trouble_fields)},
    {.name = "TroubleReport", FIELDS(trouble_report_fields)},
    {.name = "UpdateWorld", .closed = true, FIELDS(update_fields)},
    {.name = "Workflow", FIELDS(workflow_fields)},
    {.name = "Workflows", FIELDS(workflows_fields)},
    {.name = "WorkspaceImported", FIELDS(imported_fields)},
    {.name = "WorkspaceList", FIELDS(nodes_fields)},
    {.name = "WorkspaceNode", FIELDS(node_fields)},
    {.name = "World", FIELDS(world_fields)},
    {.name = "Worlds", FIELDS(worlds_fields)},
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The shapes of what operations take and give. Bodies are checked against them, and the OpenAPI
 * document is made of them. */
#include "mcp/setting.h"
#include "server/control/operation.h"

const char *const control_clocks[] = {"frozen", "step", "real", NULL};
const char *const control_journals[] = {"writes", "none", "all", NULL};
const char *const control_keeps[] = {"redacted", "full", "hashes", NULL};
const char *const control_formats[] = {"jsonl", "har", "otlp", "atif", "run", NULL};
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
    {.name = "evaluation",
     .type = "boolean",
     .summary =
         "Somebody is judged in it: no receivers, no registration, closed sign-in, all calls "
         "in the journal; for good"},
    {.name = "ttl_seconds",
     .type = "integer",
     .max = MAX_SECONDS,
     .summary = "Dropped after this much real time; 0: never"},
    {.name = "rates",
     .type = "boolean",
     .summary = "Whether the vendors' documented rate limits hold"},
    {.name = "tools",
     .type = "string",
     .values = tool_sets,
     .summary = "Names and shapes of the tools that models see"},
};

#define ACTORS                                                                                     \
    {                                                                                              \
        .name = "actors", .type = "string", .other = "array", .max = 8192,                         \
        .summary = "E-mail addresses of those who get a token for each fork; without it the "      \
                   "first one in the world who can call; an empty list: nobody"                    \
    }
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
    ACTORS,
    {.name = "deliveries",
     .type = "string",
     .values = deliveries,
     .summary =
         "What the parent has not delivered yet: drop (the default) or inherit, to deliver it "
         "for the fork too"},
    {.name = "evaluation",
     .type = "boolean",
     .summary =
         "Somebody is judged in it: no receivers, no registration, closed sign-in, all calls "
         "in the journal; without it as the parent"},
    {.name = "step",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "With the state after this entry of the journal; without it the present one"},
    {.name = "journal",
     .type = "string",
     .values = control_journals,
     .summary = "Which calls its journal keeps; without it those that the parent's keeps, or all "
                "where the suite asks for calls that only read"},
    {.name = "suite",
     .type = "string",
     .other = "object",
     .summary = "What is to be judged in it: the journal must keep what that asks for"},
    {.name = "suite_name",
     .type = "string",
     .max = 200,
     .summary = "What messages call the suite, until it says its own name"},
    {.name = "task",
     .type = "string",
     .max = 200,
     .summary = "Which of the suite's tasks; without it all of them"},
};

static const struct field update_fields[] = {
    {.name = "name", .type = "string", .max = 63, .summary = "Unique among worlds; empty: none"},
    {.name = "note",
     .type = "string",
     .max = 1000,
     .summary = "Not part of the state: no fork, dump, diff or hash has it, and a reset leaves "
                "it; empty: none"},
};

static const struct field reset_fields[] = {
    {.name = "step",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "To the state after this entry of the journal, in the place of `to`"},
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

static const struct field set_tools_fields[] = {
    {.name = "tools",
     .type = "string",
     .required = true,
     .values = tool_sets,
     .summary = "Names and shapes of the tools that models see"},
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
     .summary = "Separated by spaces or commas. Without it: everything"},
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

#define WORLDS                                                                                     \
    {                                                                                              \
        .name = "worlds", .type = "string", .other = "array", .required = true,                    \
        .summary = "Keys or names, up to 1000"                                                     \
    }
static const struct field grade_fields[] = {
    {.name = "suite",
     .type = "string",
     .other = "object",
     .required = true,
     .summary = "A suite: an object, or a string of JSON or YAML"},
    {.name = "suite_name",
     .type = "string",
     .max = 200,
     .summary = "What messages call it, until it says its own name"},
    {.name = "task",
     .type = "string",
     .max = 200,
     .summary = "Its id; without it the only one of the suite"},
    {.name = "from",
     .type = "string",
     .max = 200,
     .summary = "Key or name of the state before; without it what each world resets to"},
    {.name = "diff", .type = "boolean", .summary = "With the diff of each world"},
    {.name = "answer",
     .type = "string",
     .max = 1 << 20,
     .summary = "What the agent said at the end; of a single world"},
    {.name = "answers",
     .type = "any",
     .summary = "The same of each world, in their order: a list of strings, null where nothing was "
                "said"},
    {.name = "judgements",
     .type = "any",
     .summary = "What others made of it, by the name that a \"judge\" of the task has: an object "
                "of true, false or numbers from 0 to 1; of several worlds a list of such objects, "
                "null where there are none"},
    {.name = "then",
     .type = "string",
     .values = control_afterwards,
     .summary = "What is done with the worlds when all of them are graded: keep (the default), "
                "reset or drop them"},
    {.name = "fork",
     .type = "string",
     .max = 200,
     .summary = "Key or name of a world or snapshot that is forked once for each graded world, "
                "before these are reset or dropped"},
    ACTORS,
    WORLDS,
};
static const struct field report_fields[] = {
    {.name = "suite",
     .type = "string",
     .other = "object",
     .required = true,
     .summary = "A suite: an object, or a string of JSON or YAML"},
    {.name = "suite_name",
     .type = "string",
     .max = 200,
     .summary = "What messages call it, until it says its own name"},
    {.name = "task",
     .type = "string",
     .max = 200,
     .summary = "Its id; without it the only one of the suite"},
    {.name = "from",
     .type = "string",
     .max = 200,
     .summary = "Key or name of the state before; without it what the world resets to"},
    {.name = "answer",
     .type = "string",
     .max = 1 << 20,
     .summary = "What the agent said at the end"},
    {.name = "judgements",
     .type = "any",
     .summary = "What others made of it, by the name that a \"judge\" of the task has: an object "
                "of true, false or numbers from 0 to 1"},
};
static const struct field reset_all_fields[] = {
    WORLDS,
    {.name = "to",
     .type = "string",
     .max = 200,
     .summary = "Key or name of a snapshot or world; without it the state at their creation"},
};
static const struct field drop_all_fields[] = {WORLDS};

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

static const struct field consent_fields[] = {
    {.name = "actor",
     .type = "string",
     .required = true,
     .max = 254,
     .summary = "Handle or e-mail address of a person of the world"},
    {.name = "ttl_seconds",
     .type = "integer",
     .max = MAX_SECONDS,
     .summary = "By the world's clock; an hour without it"},
};

static const struct field link_fields[] = {
    ALWAYS(.name = "link", .type = "string",
           .summary = "Good once, to prove to a program's page of consent who it is"),
    ALWAYS(.name = "world", .type = "string"),
    ALWAYS(.name = "actor", .type = "string"),
    ALWAYS(.name = "expires", .type = "string", .format = "date-time"),
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
    ALWAYS(.name = "evaluation", .type = "boolean", .summary = "Somebody is judged in it"),
    ALWAYS(.name = "seed", .type = "integer", .format = "uint64", .max = INT64_MAX),
    ALWAYS(.name = "size", .type = "integer", .max = INT64_MAX, .summary = "Bytes of its own"),
    ALWAYS(.name = "base_size", .type = "integer", .max = INT64_MAX,
           .summary = "Bytes of the whole world, shared ones included"),
    ALWAYS(.name = "expires", .type = "string", .format = "date-time", .nullable = true),
    {.name = "expires_by", .type = "string", .values = expiries},
    {.name = "parent_name",
     .type = "string",
     .summary = "The parent's name, or its key where it has none; absent: it is gone"},
    {.name = "made", .type = "string", .format = "date-time", .summary = "When, in real time"},
    {.name = "used",
     .type = "string",
     .format = "date-time",
     .summary =
         "When its last call was put down, in real time; absent: none since the server began"},
    {.name = "calls",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "Entries of its journal, without those that it goes on from; absent: the world "
                "is on disk alone for now"},
    {.name = "children",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "How many worlds were made from it, where that was asked for"},
    {.name = "note", .type = "string", .summary = "What people say of it; absent: nothing"},
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
    {.name = "name",
     .type = "string",
     .summary = "The same in every diff: \"event/ada@acme.example/e1\""},
    {.name = "service", .type = "string"},
    {.name = "person", .type = "string", .summary = "Whose it is; absent: nobody's"},
    {.name = "title", .type = "string", .summary = "A summary, a subject, a name: for people"},
    ALWAYS(.name = "key", .type = "object"),
    {.name = "fields",
     .type = "object",
     .summary = "Of what changed: {\"from\", \"to\"} by dotted path; of lists \"removed\" and "
                "\"added\" too"},
    {.name = "value", .type = "object", .summary = "What was added or removed"},
    {.name = "consequences",
     .type = "Change",
     .list = true,
     .summary = "What follows from it: guests' copies, mail of invitations, recipients' copies"},
    {.name = "seq",
     .type = "integer",
     .min = 1,
     .max = INT64_MAX,
     .summary = "With causes: the last call that had to do with it, as an entry of the journal"},
    {.name = "actor", .type = "string", .summary = "Who made that call"},
    {.name = "method", .type = "string", .summary = "And of which method it was"},
};
static const struct field diff_fields[] = {
    ALWAYS(.name = "changes", .type = "Change", .list = true),
    {.name = "total",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "Where a part is asked for: how many changes there are of those that are"},
    {.name = "next", .type = "integer", .max = INT64_MAX, .summary = "The offset to go on with"},
};

static const struct field grades_fields[] = {
    ALWAYS(.name = "results", .type = "any", .list = true,
           .summary = "One a world: passed, reason, reward, score, failures, parts, unexpected, "
                      "unexpected_calls, versions"),
    {.name = "diffs", .type = "any", .list = true, .summary = "One a world, if asked for"},
    {.name = "forks", .type = "Forks", .summary = "What fork has made"},
};
static const struct field forks_fields[] = {
    ALWAYS(.name = "worlds", .type = "string", .list = true, .summary = "Their keys"),
    ALWAYS(.name = "tokens", .type = "Token", .list = true,
           .summary = "Of each fork, for each of its actors"),
};

static const struct field imported_fields[] = {
    ALWAYS(.name = "files", .type = "integer", .summary = "How many came"),
    ALWAYS(.name = "directories", .type = "integer"),
    ALWAYS(.name = "links", .type = "integer"),
    ALWAYS(.name = "skipped", .type = "integer",
           .summary = "Devices, pipes and sockets, which are not kept"),
};
static const struct field transferred_fields[] = {
    ALWAYS(.name = "people", .type = "integer", .summary = "How many came"),
    ALWAYS(.name = "messages", .type = "integer"),
    ALWAYS(.name = "events", .type = "integer"),
    ALWAYS(.name = "files", .type = "integer"),
    ALWAYS(.name = "folders", .type = "integer"),
    ALWAYS(.name = "links", .type = "integer"),
    ALWAYS(.name = "channels", .type = "integer"),
    ALWAYS(.name = "skipped", .type = "integer",
           .summary = "What is there already, or has no place in a world"),
};
static const char *const node_kinds[] = {"file", "directory", "link", NULL};
static const struct field node_fields[] = {
    ALWAYS(.name = "path", .type = "string", .summary = "Below /data"),
    ALWAYS(.name = "kind", .type = "string", .values = node_kinds),
    ALWAYS(.name = "mode", .type = "string", .summary = "Octal digits"),
    ALWAYS(.name = "size", .type = "integer"),
    ALWAYS(.name = "modified", .type = "string", .format = "date-time"),
    {.name = "target", .type = "string", .summary = "Of a link"},
};
static const struct field nodes_fields[] = {
    ALWAYS(.name = "path", .type = "string", .summary = "Below /data; empty: all of it"),
    ALWAYS(.name = "entries", .type = "WorkspaceNode", .list = true),
};

static const struct field dump_fields[] = {
    ALWAYS(.name = "sosia", .type = "integer", .min = 1, .max = 1,
           .summary = "Version of the format"),
    ALWAYS(.name = "time", .type = "string", .format = "date-time"),
};

static const struct field entry_fields[] = {
    ALWAYS(.name = "seq", .type = "integer", .min = 1, .max = INT64_MAX),
    ALWAYS(.name = "at", .type = "string", .format = "date-time"),
    {.name = "actor", .type = "string", .summary = "Handle of whom the credential stood for"},
    {.name = "as",
     .type = "object",
     .summary = "The credential, where it is not the person's for everything: {\"kind\", ...}"},
    {.name = "method", .type = "string", .summary = "The vendor's id of the method"},
    {.name = "risk",
     .type = "string",
     .values = risk_names,
     .summary = "Of a call that may write: by its arguments, where they decide"},
    {.name = "effect",
     .type = "object",
     .summary = "With effects, of a call that wrote: {\"added\", \"changed\", \"removed\"}"},
    {.name = "took_us",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "How long the engine took, where the world's clock is real"},
    {.name = "request", .type = "object", .summary = "Of a call: {\"verb\", \"target\", ...}"},
    {.name = "response",
     .type = "object",
     .summary = "Of a call: {\"status\", ...}, with \"why\" it was refused"},
    {.name = "suspended",
     .type = "integer",
     .min = 1,
     .max = INT64_MAX,
     .summary = "Of a call that waited for a receiver: \"id\" of the outbox's entry"},
    {.name = "resumed", .type = "object", .summary = "Of its second half: what came back"},
    {.name = "outcome", .type = "object", .summary = "What came of a delivery"},
    {.name = "session", .type = "object", .summary = "A frame of a session, its beginning or end"},
    {.name = "control", .type = "object", .summary = "Of what was done to the world itself"},
    {.name = "guard",
     .type = "object",
     .summary = "What policies made of it: {\"decision\", \"policy\", \"rule\", ...}"},
    {.name = "fault",
     .type = "object",
     .summary = "The trouble that it was given: {\"kind\", ...}"},
    {.name = "stop", .type = "object", .summary = "The budget that stopped it"},
    {.name = "labels", .type = "object", .summary = "What the agent said of the call"},
    {.name = "ids", .type = "object", .summary = "Which numbers of the streams of ids it took"},
    {.name = "fired", .type = "object", .summary = "The same of what fell due before it"},
    {.name = "state", .type = "string", .summary = "A hash of the pages that were changed"},
};
static const struct field journal_fields[] = {
    ALWAYS(.name = "entries", .type = "JournalEntry", .list = true),
    {.name = "next",
     .type = "integer",
     .min = 1,
     .max = INT64_MAX,
     .summary = "To go on behind; absent when that was all"},
};
static const struct field strip_fields[] = {
    ALWAYS(.name = "buckets", .type = "object", .list = true,
           .summary = "{\"from\", \"to\", \"at\", \"reads\", \"writes\", \"refused\", "
                      "\"held\", \"errors\"}: the entries that each is of, the time of its "
                      "first, and how many calls of which sort there are"),
};
static const struct field history_fields[] = {
    ALWAYS(.name = "calls", .type = "object", .list = true,
           .summary = "{\"seq\", \"at\", \"actor\", \"method\", \"change\"}: what the call changed "
                      "of it is as in a diff"),
    {.name = "next",
     .type = "integer",
     .min = 1,
     .max = INT64_MAX,
     .summary = "To go on before; absent when that was all that is kept"},
};
static const struct field due_fields[] = {
    ALWAYS(.name = "now", .type = "string", .format = "date-time"),
    ALWAYS(.name = "due", .type = "object", .list = true,
           .summary = "{\"at\", \"core\", \"kind\"}: what it is to the service that waits for it"),
    ALWAYS(.name = "total", .type = "integer", .max = INT64_MAX),
};
static const struct field make_code_fields[] = {
    {.name = "read_only", .type = "boolean", .summary = "The session may only read"},
};
static const struct field make_session_fields[] = {
    {.name = "code", .type = "string", .max = 200},
    {.name = "key", .type = "string", .max = 1000, .summary = "The control key, without a code"},
    {.name = "read_only",
     .type = "boolean",
     .summary = "It may only read, as it may in any case where its code says so"},
};
static const struct field console_code_fields[] = {
    ALWAYS(.name = "code", .type = "string"),
    ALWAYS(.name = "url", .type = "string", .summary = "With the code in its fragment"),
    ALWAYS(.name = "expires", .type = "string", .format = "date-time"),
};
static const struct field console_session_fields[] = {
    ALWAYS(.name = "session", .type = "string", .summary = "Authorization: Bearer SESSION"),
    ALWAYS(.name = "expires", .type = "string", .format = "date-time"),
    ALWAYS(.name = "read_only", .type = "boolean"),
};
static const struct field calendars_fields[] = {
    {.name = "vendor", .type = "string", .summary = "Whose service they are of"},
    ALWAYS(.name = "vendors", .type = "string", .list = true,
           .summary = "With whom the person has some"),
    ALWAYS(.name = "calendars", .type = "object", .list = true,
           .summary = "{\"id\", \"key\", \"name\", \"zone\", \"main\"}"),
};
static const struct field calendar_events_fields[] = {
    ALWAYS(.name = "rows", .type = "object", .list = true,
           .summary = "{\"id\", \"series\", \"calendar\", \"title\", \"start\", \"end\", "
                      "\"zone\", \"all_day\", \"status\", \"me\", \"guests\"}: by calendar and "
                      "start; times are instants, those of all-day events dates"),
    ALWAYS(.name = "more", .type = "boolean", .summary = "Of a calendar there are more than 2500"),
};
static const struct field task_lists_fields[] = {
    ALWAYS(.name = "vendor", .type = "string", .summary = "Whose service they are of"),
    ALWAYS(.name = "vendors", .type = "string", .list = true,
           .summary = "With whom the person has some"),
    ALWAYS(.name = "lists", .type = "object", .list = true,
           .summary =
               "{\"id\", \"name\", \"kind\", \"total\", \"open\"}; kind: own, usual (the one "
               "that everybody has) or flagged"),
    ALWAYS(.name = "plans", .type = "object", .list = true,
           .summary =
               "{\"id\", \"name\", \"team\", \"total\", \"open\", \"buckets\": [{\"id\", "
               "\"name\"}]}: of groups that the person is in, or with something to do for the "
               "person"),
    ALWAYS(.name = "assigned", .type = "integer", .max = INT64_MAX,
           .summary = "How much the person has to do in plans"),
};
static const char *const task_statuses[] = {"open",    "in progress", "completed",
                                            "waiting", "deferred",    NULL};
#define TASK_ROW                                                                                   \
    ALWAYS(.name = "id", .type = "string"), {.name = "list", .type = "string"},                    \
        {.name = "plan", .type = "string", .summary = "In the place of a list"},                   \
        {.name = "bucket", .type = "string"}, ALWAYS(.name = "title", .type = "string"),           \
        ALWAYS(.name = "status", .type = "string", .values = task_statuses),                       \
        ALWAYS(.name = "percent", .type = "integer", .max = 100),                                  \
        ALWAYS(.name = "priority", .type = "integer", .max = 10,                                   \
               .summary = "0 is the most urgent"),                                                 \
        {.name = "start", .type = "string", .format = "date-time"},                                \
        {.name = "due", .type = "string", .format = "date-time"},                                  \
        {.name = "reminder", .type = "string", .format = "date-time"},                             \
        {.name = "completed", .type = "string", .format = "date-time"},                            \
        {.name = "recurrence", .type = "string", .summary = "\"RRULE:...\""},                      \
        ALWAYS(.name = "notes", .type = "boolean", .summary = "It has some"),                      \
        ALWAYS(.name = "steps", .type = "integer", .max = INT64_MAX),                              \
        ALWAYS(.name = "done", .type = "integer", .max = INT64_MAX, .summary = "Of its steps"),    \
        ALWAYS(.name = "links", .type = "integer", .max = INT64_MAX),                              \
        ALWAYS(.name = "people", .type = "string", .list = true,                                   \
               .summary = "Who shall do it; in lists the first eleven")
static const struct field task_row_fields[] = {
    TASK_ROW,
    {.name = "text", .type = "string", .summary = "Its notes; this and what follows in one alone"},
    {.name = "html", .type = "boolean", .summary = "They are HTML, as it is"},
    {.name = "labels", .type = "string", .list = true},
    {.name = "creator", .type = "string"},
    {.name = "created", .type = "string", .format = "date-time"},
    {.name = "changed", .type = "string", .format = "date-time"},
    {.name = "items", .type = "object", .list = true, .summary = "Steps: {\"title\", \"done\"}"},
    {.name = "sources",
     .type = "object",
     .list = true,
     .summary = "Links: {\"title\", \"url\", \"app\"}"},
};
static const struct field tasks_fields[] = {
    ALWAYS(.name = "total", .type = "integer", .max = INT64_MAX),
    ALWAYS(.name = "rows", .type = "Task", .list = true, .summary = "Without their contents"),
    {.name = "next", .type = "integer", .max = INT64_MAX, .summary = "The offset to go on with"},
};
static const struct field mail_folders_fields[] = {
    {.name = "vendor", .type = "string", .summary = "Whose service they are of"},
    ALWAYS(.name = "vendors", .type = "string", .list = true,
           .summary = "With whom the person has some"),
    ALWAYS(.name = "folders", .type = "object", .list = true,
           .summary = "{\"id\", \"name\", \"kind\", \"total\", \"unread\", \"parent\", "
                      "\"hidden\"}; kind: folder, label or keyword"),
};
#define MAIL_ROW                                                                                   \
    ALWAYS(.name = "id", .type = "string"), ALWAYS(.name = "thread", .type = "string"),            \
        ALWAYS(.name = "at", .type = "string", .format = "date-time"),                             \
        {.name = "from", .type = "string"}, {.name = "to", .type = "string"},                      \
        {.name = "subject", .type = "string"}, {.name = "snippet", .type = "string"},              \
        ALWAYS(.name = "folders", .type = "string", .list = true, .summary = "Their ids"),         \
        ALWAYS(.name = "unread", .type = "boolean"),                                               \
        ALWAYS(.name = "files", .type = "boolean", .summary = "It has some"),                      \
        ALWAYS(.name = "size", .type = "integer", .max = INT64_MAX)
static const struct field mail_message_fields[] = {
    MAIL_ROW,
    {.name = "headers",
     .type = "object",
     .list = true,
     .summary = "{\"name\", \"value\"}, decoded; not in lists"},
    {.name = "text",
     .type = "string",
     .summary = "At most 1 MiB; of a message that is HTML alone what that says"},
    {.name = "html", .type = "string", .summary = "As it is: it may hold anything"},
    {.name = "parts",
     .type = "object",
     .list = true,
     .summary = "{\"n\", \"type\", \"name\", \"size\", \"cid\"}"},
};
static const struct field mail_messages_fields[] = {
    ALWAYS(.name = "total", .type = "integer", .max = INT64_MAX,
           .summary = "Of the folder; with q, how many are known so far"),
    ALWAYS(.name = "rows", .type = "MailMessage", .list = true),
    {.name = "next",
     .type = "integer",
     .max = INT64_MAX,
     .summary = "The offset to go on with; absent: that was all"},
};
#define RUN_HEAD                                                                                   \
    ALWAYS(.name = "id", .type = "string"),                                                        \
        ALWAYS(.name = "at", .type = "string", .format = "date-time"),                             \
        {.name = "suite", .type = "string"}, {.name = "task", .type = "string"},                   \
        {.name = "passed", .type = "boolean"}, {.name = "reward", .type = "number"},               \
        {.name = "version",                                                                        \
         .type = "string",                                                                         \
         .summary = "Of the agent, as the loop has it; this and what follows as far as the loop "  \
                    "has written it"},                                                             \
        {.name = "calls", .type = "number"}, {.name = "refused", .type = "number"},                \
        {.name = "cost", .type = "number", .summary = "US dollars"},                               \
        {.name = "tokens", .type = "number"}, {.name = "seconds", .type = "number"},               \
    {                                                                                              \
        .name = "kinds", .type = "string", .list = true, .summary = "Of failures"                  \
    }
static const struct field run_fields[] = {
    RUN_HEAD,
    {.name = "entries", .type = "integer", .max = INT64_MAX, .summary = "Of its journal"},
    {.name = "of", .type = "object", .summary = "The task, with what the world was made of"},
    {.name = "verdict", .type = "object"},
    {.name = "diff", .type = "object"},
    {.name = "output", .type = "string"},
    {.name = "complaint", .type = "string"},
};
static const struct field runs_fields[] = {
    ALWAYS(.name = "total", .type = "integer", .max = INT64_MAX),
    ALWAYS(.name = "runs", .type = "Run", .list = true, .summary = "Without their contents"),
    {.name = "next", .type = "integer", .max = INT64_MAX, .summary = "The offset to go on with"},
};
#define WORKFLOW_HEAD                                                                              \
    ALWAYS(.name = "id", .type = "string"),                                                        \
        ALWAYS(.name = "at", .type = "string", .format = "date-time"),                             \
        ALWAYS(.name = "promoted", .type = "boolean",                                              \
               .summary = "It is what the workflow was promoted by"),                              \
        ALWAYS(.name = "workflow", .type = "string"), {.name = "version", .type = "string"},       \
        {.name = "driver",                                                                         \
         .type = "string",                                                                         \
         .summary = "Who acted: reference, command, recorded"},                                    \
        ALWAYS(.name = "passed", .type = "boolean", .summary = "All of its checklist holds"),      \
    {                                                                                              \
        .name = "figures", .type = "object"                                                        \
    }
static const struct field workflow_fields[] = {
    WORKFLOW_HEAD,
    {.name = "evidence",
     .type = "object",
     .summary = "As `sosia workflow check --json` prints it: checklist, runs, hashes"},
    {.name = "against",
     .type = "string",
     .summary = "The \"id\" of what it was promoted by, where that is another"},
    {.name = "worse", .type = "boolean", .summary = "Something has become worse since"},
    {.name = "comparison", .type = "object", .summary = "\"regressions\" and \"differences\""},
};
static const struct field workflows_fields[] = {
    ALWAYS(.name = "workflows", .type = "Workflow", .list = true,
           .summary = "Without their contents"),
};
static const struct field hit_fields[] = {
    ALWAYS(.name = "service", .type = "string",
           .summary = "The core that has it: mail, calendar, drive, chat, tasks, identity"),
    ALWAYS(.name = "entity", .type = "string"),
    ALWAYS(.name = "name", .type = "string", .summary = "As in diffs and histories"),
    ALWAYS(.name = "key", .type = "object"),
    {.name = "id", .type = "string", .summary = "In lists of the core"},
    {.name = "actor", .type = "string", .summary = "Whose it is, or who wrote it"},
    {.name = "vendor", .type = "string", .summary = "Of the account that has it"},
    {.name = "title", .type = "string"},
    {.name = "snippet", .type = "string"},
    {.name = "place", .type = "string", .summary = "The calendar's or the channel's id"},
    {.name = "at", .type = "string", .format = "date-time"},
    {.name = "day",
     .type = "string",
     .format = "date",
     .summary = "Of what lasts whole days: its first one"},
};
static const struct field found_fields[] = {
    ALWAYS(.name = "hits", .type = "Hit", .list = true),
    ALWAYS(.name = "full", .type = "string", .list = true,
           .summary = "Services of which there are, or may be, more"),
};
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

/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on worlds, journals and workspaces give: tables of schema.c, which alone includes
 * this. */
#ifndef SOSIA_SERVER_CONTROL_SCHEMA_WORLDS_H
#define SOSIA_SERVER_CONTROL_SCHEMA_WORLDS_H

#include "server/control/schema_words.h"

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

#endif

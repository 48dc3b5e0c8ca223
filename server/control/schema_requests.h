/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on worlds take: tables of schema.c, which alone includes this. */
#ifndef SOSIA_SERVER_CONTROL_SCHEMA_REQUESTS_H
#define SOSIA_SERVER_CONTROL_SCHEMA_REQUESTS_H

#include "server/control/schema_words.h"

static const char *const deliveries[] = {"drop", "inherit", NULL};

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

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people who answer by themselves (responders) have in common, whatever it is that they
 * answer: patterns that end, lists of who is meant, and acts with what was found put into them.
 */
#ifndef SOSIA_WORLD_ANSWER_H
#define SOSIA_WORLD_ANSWER_H

#include "engine/json/doc.h"
#include "engine/store/sql.h"
#include "engine/world/tx.h"

#define ANSWER_CAPTURES 10
#define ANSWER_PATTERN  1000 /* bytes of a pattern */
#define ANSWER_ACTS     20   /* of a responder */
#define ANSWER_TIMES    1000000
#define ANSWER_USUAL    100 /* times, unless it is said */

/* What an answer may name, as ${user}: names of whoever answers, and what a pattern found. */
struct answer_found {
    const char *const *names; /* NULL-terminated; NULL: none */
    const char *const *values;
    const char *captures[ANSWER_CAPTURES];
};

/* Whether the text has the pattern (PCRE2, in any case); fills captures. NULL: any text has it. 1,
 * 0: it has not, the pattern is broken or takes more than 100,000 steps; -1. */
int answer_match(struct tx *tx, const char *pattern, const char *text, struct answer_found *f);
/* Is one of the texts (NULL-terminated) an item of the list? Without a list: yes. */
bool answer_lists(const struct json *list, const char *const *texts);
/* "${1} of ${user}" with what was found; in the arena. */
const char *answer_fill(struct tx *tx, const char *text, const struct answer_found *f);
/* Writes a value with all of its texts filled. */
void answer_write(struct tx *tx, struct json_writer *w, const char *key, const struct json *v,
                  const struct answer_found *f);

/* ---- answers that are under way: acts, one after the other, each an entry that falls due ---- */

/* A core's: `rows` is their table (responder, acts, step, at_us), `responders` that of who answers
 * (times, refused). */
struct answer_rows {
    const char *core, *due; /* of what falls due */
    int64_t max_wait;       /* seconds of {"wait": n} */
    struct sql_text less, add, take, on, note, forget, all;
};
#define ANSWER_ROWS(rows, responders)                                                              \
    .less = SQL_TEXT("update " responders " set times = times - 1 where id = :id"),                \
    .add = SQL_TEXT("insert into " rows " (responder, acts, step, at_us) values (:responder, "     \
                    ":acts, 0, :at)"),                                                             \
    .take = SQL_TEXT("select responder, acts, step from " rows " where id = :id"),                 \
    .on = SQL_TEXT("update " rows " set step = :step, at_us = :at where id = :id"),                \
    .note = SQL_TEXT("update " responders " set refused = :refused where id = :id"),               \
    .forget = SQL_TEXT("delete from " rows " where id = :id"),                                     \
    .all = SQL_TEXT("select acts, step, at_us from " rows " where responder = :responder order "   \
                    "by at_us, id")

struct answer {
    int64_t id, responder, step;
    const struct json *acts;
};

/* Adds one, with acts that are filled, which begins at a time. 0, -1. */
int answer_add(struct tx *tx, struct answer_rows *rows, int64_t responder, const char *acts,
               int64_t at_us);
/* The same for what has just come, delay_s from now, of those that a responder may give yet. acts:
 * the responder's own, as JSON; write() writes the member that one becomes (not a wait). */
int answer_begin(struct tx *tx, struct answer_rows *rows, int64_t responder, const char *acts,
                 int64_t delay_s,
                 void (*write)(struct tx *tx, struct json_writer *w, const char *name,
                               const struct json *args, const void *came),
                 const void *came);
/* What has fallen due. 1, 0 it is gone, -1. */
int answer_take(struct tx *tx, struct answer_rows *rows, int64_t id, struct answer *ret);
int answer_forget(struct tx *tx, struct answer_rows *rows, int64_t id);
/* Does the acts up to the next wait. one(): does an act: 1; 0: it was not done, and what it has
 * left behind is taken back here; *ret_refused says why, which ends the answer (NULL: it goes on);
 * -1. 0, -1. */
int answer_go_on(struct tx *tx, struct answer_rows *rows, struct answer *a,
                 int (*one)(struct tx *tx, const void *who, const struct json *act,
                            const char **ret_refused),
                 const void *who);
/* The member "under_way" of a dump: each with the acts that are left. 0, -1. */
int answers_dump(struct tx *tx, struct answer_rows *rows, int64_t responder, struct json_writer *w,
                 void (*write_at)(struct json_writer *w, const char *member, int64_t us));

/* What responders have besides who, when and what they do (engine/state/stored.h); most: seconds.
 */
#define ANSWER_MEMBERS(type, most)                                                                 \
    {"delay", "Seconds before each", INT_AT(type, delay_s, 1, most), .usual = 1},                  \
        {"times", "How often at most", INT_AT(type, times, 0, ANSWER_TIMES),                       \
         .usual = ANSWER_USUAL, .flags = MEMBER_ALWAYS},                                           \
    {                                                                                              \
        "refused", "Why the last one was refused", TEXT_AT(type, refused)                          \
    }

/* What holds for the rows of both tables (struct core_rule): ten thousand years are too long to
 * wait, and lists are as long as documents may have them. */
#define ANSWER_RULES(rows, responders)                                                             \
    {responders, "case when json_valid(rule) then json_type(rule) <> 'object' else 1 end"},        \
        {responders, ANSWER_NO_LIST}, {responders, ANSWER_LONG},                                   \
        {responders, "delay_s not between 1 and 8589934"},                                         \
        {responders, "times not between 0 and 1000000"}, {rows, ANSWER_NO_LIST},                   \
        {rows, ANSWER_LONG},                                                                       \
    {                                                                                              \
        rows, "step not between 0 and 20"                                                          \
    }
#define ANSWER_NO_LIST "case when json_valid(acts) then json_type(acts) <> 'array' else 1 end"
#define ANSWER_LONG    "json_valid(acts) and json_array_length(acts) > 20"

/* For seed documents: a member that is a pattern, or absent. 0, -1. */
int answer_check_pattern(struct doc *d, const struct json *when, const char *member);
/* The member "do": 1 to ANSWER_ACTS objects with one act each, or {wait: 1 to max_wait}; known():
 * whether there is an act of a name. 0, -1. */
int answer_check_acts(struct doc *d, const struct json *v, int64_t max_wait,
                      bool (*known)(const char *name), const struct json **ret);
/* The same of any list of acts, empty ones too. */
int answer_check_each(struct doc *d, const struct json *list, int64_t max_wait,
                      bool (*known)(const char *name));

#endif

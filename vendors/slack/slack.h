/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What all of Slack's APIs have in common: its hosts, how arguments and credentials come, in which
 * order a call is refused, the envelope of responses, cursors. It knows no workspace: what a token
 * may do in one is asked of the API (struct slack_api).
 */
#ifndef SOSIA_SLACK_H
#define SOSIA_SLACK_H

#include "engine/http/call.h"

#define SLACK_HOST    "slack.com"
#define SLACK_FILES   "files.slack.com"
#define SLACK_HOOKS   "hooks.slack.com"
#define SLACK_NO_HOOK "https://slack.com/" /* where a malformed address of one leads */
#define SLACK_SOCKETS "wss-primary.slack.com"

/* What the vendor's code knows of one API (struct dialect, facts). */
struct slack_api {
    /* The scopes that a token which names none has, separated by commas, in the order of the app's
     * settings; NULL: every one. 0, -1. */
    int (*granted)(struct call *c, const char **ret_scopes);
    /* Who calls: whether the token is still good for somebody, before its kind and scopes are
     * looked at; fails with slack_fail(). */
    int (*check)(struct call *c);
};

#define SLACK_REFRESH "xoxe-1-" /* how tokens begin that renew others */

#define SLACK_MAX_NOTES 8

/* A call's own state, c->vendor_data. */
struct slack_call {
    const char *error; /* the code it is refused with; NULL: the door's reason decides */
    const char *needed;
    const char *warnings[SLACK_MAX_NOTES];
    size_t n_warnings;
    const char *messages[2 * SLACK_MAX_NOTES]; /* of response_metadata, as "[ERROR] ..." */
    const char
        *expected[2 * SLACK_MAX_NOTES]; /* JSON of what would have been right; NULL: unknown */
    size_t n_messages;
    bool repeat_messages;       /* and as `errors` at the top, without the mark */
    const char *cursor;         /* next_cursor; NULL: the response has none */
    const struct param *params; /* of which the arguments are, where they came otherwise than as
                                   those of the row; NULL: the row's */
    size_t n_params;
    const char *granted; /* as of struct slack_api; read once */
    bool granted_known;
    void (*more)(struct call *c); /* further members of a refusal; NULL: none */
    const void *more_arg;
    void *api; /* the API's own */
};

static inline struct slack_call *slack_of(const struct call *c)
{
    return c->vendor_data;
}

extern const struct vendor slack_vendor;
extern const struct guide slack_guide;

/* Media types of methods that read no JSON bodies (struct route, accepts). */
extern const char *const slack_form_only[];

/* Of the front: fails a call with the fault. */
int slack_fault(struct call *c, const struct fault *f);

/* ---- responses ---- */

/* Opens the response: {"ok": true, */
void slack_open(struct call *c);
/* Ends it: warnings and response_metadata. */
void slack_close(struct call *c);
/* Both, for methods that have nothing to say. */
int slack_ok(struct call *c);
/* Refuses with a code: "channel_not_found". Gives -1. */
int slack_fail(struct call *c, const char *code);
/* The same for arguments that are not as the method wants them: a line of
 * response_metadata.messages with [ERROR] in front, and a JSON pointer behind (NULL: none). */
void slack_message(struct call *c, const char *pointer, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
int slack_invalid_arguments(struct call *c, const char *pointer, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* missing_scope; needed: separated by commas. */
int slack_missing_scope(struct call *c, const char *needed);
/* Each once; code lives as long as the call. */
void slack_warn(struct call *c, const char *code);
/* The same with a line of response_metadata.messages, with [WARN] in front. */
void slack_warn_with(struct call *c, const char *code, const char *text);

/* ---- scopes ---- */

/* May the token do what one of these scopes says (separated by spaces)? */
bool slack_has_scope(struct call *c, const char *scopes);
/* The same list with commas, without what tokens of the caller's kind can't have; all of it if
 * nothing would be left. */
const char *slack_scope_list(struct call *c, const char *scopes);
/* All scopes that the token has, with commas. */
const char *slack_granted(struct call *c);
/* May an app ask for it, for its bot or (bot: false) of people? */
bool slack_is_scope(const char *scope, size_t len, bool bot);
extern const char *const slack_scopes[]; /* all that methods name; NULL-terminated */

/* ---- arguments ---- */

/* Makes arguments of the members of an object. -1: a required one is missing, or there is no
 * memory.
 */
int slack_take_members(struct call *c, const struct json *object, const struct param *params,
                       size_t n);
/* An argument as JSON: native in a JSON body, or a string that holds JSON. 1, 0: it is absent or
 * empty; -1: it is not JSON (nothing is refused yet). */
int slack_json_arg(struct call *c, const char *name, const struct json **ret);
/* A value of the row's shape, with as many items as the row allows: 1; 0: it is absent, and need
 * not be there; -1: refused in the row's words. */
int slack_value(struct call *c, const char *name, const struct json **ret);
/* What the row says that an argument is, in full; NULL: nothing. */
const struct field *slack_shape(const struct call *c, const char *name);
/* The same as slack_value() where nothing is refused: NULL: it is absent, or of another shape. */
const struct json *slack_given(struct call *c, const char *name);
/* Refuses a value in the row's words. -1. */
int slack_wrong_value(struct call *c, const char *name);
/* A list: separated by commas, or a JSON array of strings. n of them in the arena. */
const char **slack_list_arg(struct call *c, const char *name, size_t *ret_n);

/* Values of arguments are as the rows say (struct front, late), and so is what holds without one:
 * an empty argument is absent. */

/* What is neither true and 1 nor false and 0 is absent. */
bool slack_flag(const struct call *c, const char *name);
/* The same where it depends on the call what holds without one. */
bool slack_bool_arg(const struct call *c, const char *name, bool otherwise);
/* A whole number within its bounds: 1; 0: it is absent, *ret stays; -1: refused in the row's words.
 */
int slack_number(struct call *c, const char *name, int64_t *ret);
/* A number of which more than the most is the most, and anything else out of its bounds absent. */
int64_t slack_count(const struct call *c, const char *name);
/* Was it more than the most? */
bool slack_over(const struct call *c, const char *name);
/* Which word of a closed set it is: 1; 0: it is absent, *ret stays; -1: refused in the row's words.
 * A required one may not be empty. */
int slack_word(struct call *c, const char *name, int *ret);

/* How many a page may have: at most the row's maximum; 0 is absent; refuses with invalid_limit what
 * is not a number. 0, -1. */
int slack_limit(struct call *c, int64_t *ret);
/* The same where it depends on the call. */
int slack_limit_within(struct call *c, int64_t otherwise, int64_t max, int64_t *ret);
/* What a cursor names: base64 of "kind:value". 1 with the value, 0: none was sent; -1: refused with
 * invalid_cursor. */
int slack_cursor(struct call *c, const char *kind, const char **ret_value);
/* The response's next_cursor; value NULL: this is the last page. */
void slack_next(struct call *c, const char *kind, const char *value);

/* ---- rate tiers ---- */

#define SLACK_TIER_1  "Tier 1"
#define SLACK_TIER_2  "Tier 2"
#define SLACK_TIER_3  "Tier 3"
#define SLACK_TIER_4  "Tier 4"
#define SLACK_SPECIAL "Special"
#define SLACK_POSTING "Posting"
extern const struct rate_class slack_rates[];

#endif

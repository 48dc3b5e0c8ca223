/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of Slack: a workspace of three people and a bot, calls in somebody's name. */
#ifndef SOSIA_TESTS_SLACK_H
#define SOSIA_TESTS_SLACK_H

#include "tests/support/world.h"

#define ALICE   "alice@acme.example" /* U0ALICE, the owner, Los Angeles */
#define BOB     "bob@acme.example"   /* U0BOB */
#define CAROL   "carol@acme.example" /* U0CAROL */
#define BOT     "deploybot"          /* the bot U0DEPLOY, B0DEPLOY, of the app A0DEPLOY */
#define GENERAL "C0GENERAL"          /* all but the bot */
#define DEV     "C0DEV"              /* Alice, Bob, the bot */
#define SECRET  "C0SECRET"           /* private: Alice */
#define VAULT   "C0VAULT"            /* private: Carol */

/* A fresh world whose clock is at 2026-02-15T20:00:00Z. */
int slack_open_world(void **state);
int slack_close_world(void **state);
/* Another world instead, of this document; more: sections behind the usual ones. */
void slack_use_with(const char *more);

/* A POST of a form, "channel=C0DEV&text=hi", by somebody (NULL: without a token). Values are sent
 * as they are. */
const struct json *slack(const char *who, const char *method, const char *form, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with a JSON body, which may use ' for ". */
const struct json *slack_json(const char *who, const char *method, const char *body, ...)
    __attribute__((format(printf, 3, 4)));
/* What a person does, "'post':{'channel':'C0DEV','text':'hi'}", which may use ' for ". */
const struct json *slack_does(const char *who, const char *what, ...)
    __attribute__((format(printf, 2, 3)));
/* The world's outbox, and the body of its entry i, parsed. */
const struct json *slack_entries(size_t *ret_n);
const struct json *slack_entry_body(const struct json *entries, size_t i);
/* With a token of only these scopes. */
const struct json *slack_scoped(const char *who, const char *scopes, const char *method,
                                const char *form);
/* Any request. */
const struct json *slack_call(const char *verb, const char *target, const char *type,
                              const char *token, const char *body);
/* A POST of a form with any token; NULL: none. */
const struct json *slack_ask(const char *token, const char *method, const char *form);
/* The same of a JSON body, which may use ' for ", with somebody's token for configurations. */
#define SLACK_CONFIGURATION "app_configurations:read app_configurations:write"
const struct json *slack_configure(const char *who, const char *method, const char *body);
const char *slack_token(const char *who, const char *scopes);
/* A call that is refused. */
struct slack_row {
    const char *who, *method, *form, *error;
    const char *scopes; /* NULL: a token for everything */
};
/* Makes the calls one after the other, and fails the test with all that are not refused so. */
void slack_refuse(const struct slack_row *rows, size_t n);
/* What a form becomes: "{3*x*}" is "x,x,x", "{n3}" as many letters. */
const char *slack_form(const char *form);
/* Fails the test unless the last call was refused with this code, or (NULL) was good. */
void assert_slack(const char *error);
/* A client of a WebSocket, and the frames that it was sent; at: the next one to read. */
struct slack_client {
    struct sosia_session *session;
    const char *got[20];
    int n, at, closed; /* closed: with this code; 0: it is open */
};
/* Opens one from nothing; gives the status of the response. */
int slack_connect(struct slack_client *c, const char *target);
/* The next frame, parsed; the test fails if there is none. */
const struct json *slack_frame(struct slack_client *c);

#define slack_test(f) cmocka_unit_test_setup_teardown(f, slack_open_world, slack_close_world)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of Outlook Mail: people of both vendors in one world, and calls of Graph's. */
#ifndef SOSIA_TESTS_OUTLOOK_H
#define SOSIA_TESTS_OUTLOOK_H

#include "tests/support/world.h"

#define ADA "ada@acme.example" /* at Google */
#define BOB "bob@port.example" /* at Microsoft, as cyd@port.example is */
#define CYD "cyd@port.example"

/* Setup and teardown of one test: a fresh world whose clock is at 2026-11-23T08:00:00Z. */
int ol_open(void **state);
int ol_close(void **state);
/* The head of a seed document with those people, as YAML, for test_use(): append sections. */
extern const char ol_people[];

/* A call by somebody: the target is what follows "/v1.0/me", or a whole path behind '!'; a body may
 * use ' for ". prefer: of the next calls; NULL: none. */
extern const char *ol_prefer, *ol_if_match, *ol_type;
const struct json *ol(const char *who, const char *method, const char *target, const char *body);
/* The same, which must have this status. */
const struct json *ol_do(const char *who, const char *method, const char *target, const char *body,
                         int status);
__attribute__((format(printf, 3, 4))) const struct json *ol_get(const char *who, int status,
                                                                const char *fmt, ...);
__attribute__((format(printf, 1, 2))) const char *ol_text(const char *fmt, ...);
/* Sends {subject, body, toRecipients} by sendMail. */
void ol_send(const char *who, const char *to, const char *subject, const char *text);
/* The id of the newest message in a folder. */
const char *ol_newest(const char *who, const char *folder);
/* The last call was refused so. */
void ol_refused(int status, const char *code, const char *message);

#define ol_test(f) cmocka_unit_test_setup_teardown(f, ol_open, ol_close)

#endif

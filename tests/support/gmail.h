/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of Gmail: a world of three people, calls in somebody's name, and a way into
 * answers. */
#ifndef SOSIA_TESTS_GMAIL_H
#define SOSIA_TESTS_GMAIL_H

#include "tests/support/world.h"

#define ADA "ada@acme.example" /* alias: a.lovelace@acme.example */
#define BOB "bob@acme.example"
#define CYD "cyd@acme.example"
/* group: all@acme.example (Bob and Cyd); a service account without a mailbox: svc@acme.example */

extern const char *gm_scopes; /* of the tokens of the next calls; NULL: all */

/* Setup and teardown of one test: a fresh world whose clock is at 2026-11-23T08:00:00Z. */
int gm_open(void **state);
int gm_close(void **state);
/* The head of a seed document with those people, for test_use(): append sections. */
extern const char gm_people[];

/* A call by somebody. The target is what follows "/gmail/v1/users/me", or a whole path behind '!';
 * a body may use ' for ". Gives the parsed answer (NULL without a body), which lives until the end
 * of the test. */
const struct json *gm(const char *who, const char *method, const char *target, const char *body);
__attribute__((format(printf, 3, 4))) const struct json *gm_get(const char *who, int status,
                                                                const char *fmt, ...);
__attribute__((format(printf, 1, 2))) const char *gm_text(const char *fmt, ...);

/* A message as the member raw of a body: base64url of the text, in which a newline is CRLF. */
const char *gm_raw(const char *text);
/* Sends, inserts: posts {"raw":..., more} and gives the new message's id; fails the test unless
 * the answer is 200. more: further members, "" or ",'threadId':'...'". */
const char *gm_send(const char *who, const char *text, const char *more);
const char *gm_insert(const char *who, const char *text, const char *more);
/* The id of somebody's newest message. */
const char *gm_newest(const char *who);

/* The value of a header of a message, first one; NULL: none. */
const char *header(const struct json *message, const char *name);
/* The decoded data of a part; "" without. */
const char *data_at(const struct json *v, const char *path);
/* Ids of labels of a message, sorted. */
const char *labels_of(const struct json *message);

/* The last answer is this one: the same members in the same order. "*" in the expected one stands
 * for any text, "#" for a text of digits, "@" for 16 hex digits. Both may use '. */
void assert_answer(const char *expected);
/* The last call was refused in this way, in Gmail's envelope. */
void assert_refused(int status, const char *reason, const char *name, const char *message);

#define gm_test(f) cmocka_unit_test_setup_teardown(f, gm_open, gm_close)

#endif

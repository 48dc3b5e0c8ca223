/* SPDX-License-Identifier: Apache-2.0 */
/* One world for each test: an engine, a world from a seed document, requests in somebody's name,
 * the last response. What a vendor's tests add is in a file of their own (gcal.h, gmail.h,
 * gdrive.h, slack.h); mail.h has a transaction on the world in the place of requests. Suites that
 * look at raw responses, or keep one engine for all their tests, use the last section. */
#ifndef SOSIA_TESTS_WORLD_H
#define SOSIA_TESTS_WORLD_H

#include "tests/support/answer.h"

extern struct sosia_engine *test_engine;
extern uint64_t test_world;
extern struct sosia_err test_err;
extern struct sosia_response *test_response; /* to the last request, until the next one */
extern int test_status;                      /* the same */
extern const char *test_body; /* its whole body, until the end of the test; NUL-terminated */
extern size_t test_len;       /* the bytes of it */

/* Answers need not be as rows say: the world holds what no service makes. */
extern bool test_made_up;

/* For set-up and tear-down: an engine and a world of this document. Closing exports the world and
 * imports it again, which must work whatever the test did. 0, -1. */
int test_open(const char *doc);
int test_close(void);
/* Another world in its place. */
void test_use(const char *doc);

/* "Bearer ..." of a token for an actor; scopes NULL: all. */
const char *test_bearer(const char *who, const char *scopes);
/* Makes a request. Gives the body parsed if it is an object (NULL else), which lives until the end
 * of the test, which fails if there is no response, or if it is not what the method's row says. */
const struct json *test_request(const char *method, const char *target,
                                const struct sosia_header *headers, size_t n_headers,
                                const void *body, size_t len);
/* A header of the last response, first one; "" without. */
const char *test_header(const char *name);

/* Exports the world, runs a statement on the file (NULL: none), and imports it beside the world: 0,
 * or -1 with test_err. The test fails where an update, insert or delete changes nothing. */
int test_import_changed(const char *sql, uint64_t *ret_world);

void test_advance(int64_t seconds);
const struct json *test_outbox(void);
const struct json *test_dump(void);

/* ---- one engine for a suite ---- */

struct sosia_service;
/* For the set-up and tear-down of a group: an engine without a world, of these services (NULL: of
 * all). 0, -1. */
int test_open_engine_of(const struct sosia_service *const *services);
int test_open_engine(void **state);
int test_close_engine(void **state);
/* A world from a seed document; test_world stays as it is. */
uint64_t test_world_of(const char *doc);
/* A request to a world (0: the one that the credential names), whose response is test_response and
 * nothing else. Fails the test if there is none. */
void test_call(uint64_t world, const struct sosia_request *r);

#endif

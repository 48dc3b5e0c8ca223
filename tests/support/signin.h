/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of Google's sign-in: a world of people, service accounts and clients of three
 * kinds, and requests as browsers and programs make them. */
#ifndef SOSIA_TESTS_SIGNIN_H
#define SOSIA_TESTS_SIGNIN_H

#include "tests/support/world.h"
#include <stdio.h>

#define CALENDAR "https://www.googleapis.com/auth/calendar"
/* What a request for a code says: of the client "desk", and the whole of it for "auto". */
#define DESK                                                                                       \
    "client_id=desk&redirect_uri=http%3A%2F%2F127.0.0.1%3A4711%2F&response_type=code&scope=email"
#define AUTH                                                                                       \
    "/o/oauth2/v2/auth?client_id=auto&redirect_uri=https%3A%2F%2Fapp.example%2Fcb&response_type="  \
    "code&scope=openid%20email%20profile%20https%3A%2F%2Fwww.googleapis.com%2Fauth%2Fcalendar"     \
    "&state=a%26b"
/* The form that exchanges a code of "auto"; %s: the code. */
#define EXCHANGE                                                                                   \
    "grant_type=authorization_code&client_id=auto&client_secret=s1&redirect_uri=https%%3A%%2F%%2F" \
    "app.example%%2Fcb&code=%s"

extern char test_form[4096];
#define FORM(...) (snprintf(test_form, sizeof test_form, __VA_ARGS__), test_form)

/* Setup of one test: a fresh world, test_world, on the engine of the suite. */
int make_world(void **state);

/* Requests; test_response has what came. type, body, auth (a header's value) may be NULL. */
void send_request(const char *method, const char *target, const char *type, const char *body,
                  const char *auth);
void get(const char *target);
void post(const char *target, const char *form);
/* origin NULL: the browser doesn't say. */
void post_from(const char *target, const char *form, const char *origin);
/* Sends the form of a page, with the mark that the page has. */
void agree(const char *page, const char *target, const char *form);
/* Asks with it who it stands for. Gives the status. */
int use_token(const char *token);

/* A member of the answer; "" when absent. One of a few buffers. */
const char *member(const char *name);
/* A parameter of the address that the browser was sent to; the same. */
const char *location_param(const char *name);
/* Fails the test unless the last request was refused in this way. */
void expect(int status, const char *error, const char *description);

#endif

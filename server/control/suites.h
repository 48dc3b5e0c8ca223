/* SPDX-License-Identifier: Apache-2.0 */
/* Suites of requests, read once for many of them. */
#ifndef SOSIA_SERVER_CONTROL_SUITES_H
#define SOSIA_SERVER_CONTROL_SUITES_H

#include "sosia.h"

struct suites;

struct suites *suites_new(void); /* NULL without memory */
void suites_free(struct suites *s);

/* The suite of a text, as sosia_suite_open() reads it, for as long as it is not given back. From
 * any thread. */
int suites_take(struct suites *s, const char *text, size_t len, const char *name,
                struct sosia_suite **ret, struct sosia_err *err);
/* The same without reading it: NULL if it was not read lately. */
struct sosia_suite *suites_kept(struct suites *s, const char *text, size_t len, const char *name);
void suites_give(struct suites *s, struct sosia_suite *suite);

#endif

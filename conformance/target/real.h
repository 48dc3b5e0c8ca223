/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The real service: accounts of tests whose tokens are in the environment. What a scenario starts
 * from is made through the vendor's own API and taken away afterwards; so an account must be marked
 * as one for tests before anything in it is touched.
 */
#ifndef SOSIA_CONFORMANCE_REAL_H
#define SOSIA_CONFORMANCE_REAL_H

#include "conformance/target/http.h"
#include "conformance/rewrite.h"
#include "conformance/target/target.h"

struct real_account {
    const char *name;  /* of an actor */
    const char *token; /* from the environment */
    const char *email; /* the account's own */
    struct real_account *next;
};

struct real {
    struct target base;
    struct http *http;
    char *url, *marker;
    double rate;          /* requests in a second; 0: as they come */
    int64_t next_us;      /* not before this instant of the monotonic clock */
    struct target *model; /* the scenario's world as it is in sosia */
    struct arena arena;   /* accounts */
    struct real_account *accounts;
    struct arena scenario;
    struct rewrite rewrite; /* of the scenario */
    const struct cassette *cassette;
    bool touched; /* something may have been made */
};

/* One request as an account, with retries; nothing is rewritten. */
int real_call(struct real *r, struct arena *a, const char *token,
              const struct sosia_request *request, struct sosia_response *ret_response,
              struct sosia_err *err);

/* Seconds to wait before a request is sent again, the attempt-th time (from 0); -1: the answer is
 * final. Rate limits are 429, and 403 with one of the texts that a vendor gives for them
 * (engine/api/guide.h). */
int real_retry_after(const struct sosia_response *response, const char *method, unsigned attempt);

/* ---- real_calendar.c: Google Calendar ---- */

/* Finds the account's own address, and whether it is marked: it owns a calendar of that name. */
int real_calendar_identify(struct real *r, struct real_account *account, struct sosia_err *err);
/* Empties the account but for the marker: events, calendars of its own, rules of access. */
int real_calendar_clean(struct real *r, const struct real_account *account, struct sosia_err *err);
/* Makes what the scenario's world has, and notes what it is called there. */
int real_calendar_start(struct real *r, struct sosia_err *err);

/* The real service at a URL (https://api.acme.example). marker: name of the calendar that marks
 * accounts of tests. rate: requests in a second. */
int target_open_real(const char *url, const char *marker, double rate, const char *ca_file,
                     fixture_fn fixtures, struct target **ret_target, struct sosia_err *err);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Two vendors of calendars without a dialect, which are records of policies, and a world of both:
 * ada, bob, cyd and a room have accounts of the one that is tested, dan has one of the other. */
#ifndef SOSIA_TESTS_CAL_VENDORS_H
#define SOSIA_TESTS_CAL_VENDORS_H

#include "engine/world/event.h"
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/event/take.h"
#include "services/calendar/core/freebusy.h"
#include "services/calendar/core/list.h"
#include "services/calendar/core/vendor.h"

#define NOON  INT64_C(1774008000000000) /* 2026-03-20T12:00:00Z */
#define HOUR  (3600 * US_PER_SECOND)
#define ALL   (&(struct cal_event_by){0})
#define EMAIL "@acme.example"

extern bool refuses_mail; /* the person's setting */
extern const struct cal_vendor acme, globex;
extern const struct sosia_service *const services[];
extern const struct cal_vendor *subject, *other; /* of ada, bob, cyd and the room; of dan */

extern struct tx tx;
extern struct calendar ada, bob, cyd, dan, room;

/* Set-up and tear-down: a new world, one transaction, which is rolled back. */
int begin(void **state);
/* The same with further sections of the document. */
void begin_with(const char *more);
/* In the middle of a test, for what looks at the world from outside. */
void commit(void);
void begin_again(void);
/* Is given the events of each transaction; NULL: they are lost. */
extern void (*events_seen)(const struct world_event *first);
/* Is given each letter; NULL: they are lost. */
extern void (*letter_seen)(const struct letter *l);
/* Fails the test unless all rows fulfil what the core says of those that are imported, and what
 * holds for events, their copies, instances and guests. So does end(), unless a test has damaged
 * rows. */
void cal_sound(void);
extern bool damaged;
int end(void **state);
/* What both vendors give a new account. */
struct account;
int make_calendar(struct tx *t, const struct account *account, const struct actor *who);
struct actor actor(const char *name);
struct calendar calendar(const char *name);

/* An hour at noon; guests: names, separated by spaces. */
struct cal_event draft(const char *summary, const char *guests);
struct cal_event added(struct cal_event ev); /* to ada's */
/* What a calendar has of an event of ada's; the test fails without. */
struct cal_event copy_in(const struct calendar *cal, const struct cal_event *ev);
struct cal_event again(const struct cal_event *ev);
int saved(const struct calendar *cal, const struct cal_event *old, struct cal_event *ev);
/* The answer of the calendar's person. */
void answer(const struct calendar *cal, const struct cal_event *copy, enum cal_response response);
struct cal_event_query everything(void);
int count(void *arg, struct cal_event *ev, const struct record *row);
int found(const struct calendar *cal, const char *text);
size_t busy_times(const struct calendar *cal);

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) < 0)                                                                            \
            fail_msg("%s: %s", #call, tx.err->text);                                               \
    } while (0)
#define REFUSED(call, reason)                                                                      \
    do {                                                                                           \
        assert_int_equal(call, -1);                                                                \
        assert_int_equal(cal_reason_of(tx.err), reason);                                           \
        *tx.err = (struct sosia_err){0};                                                           \
    } while (0)

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of Outlook Calendar: people of both vendors in one world, and their calls. */
#ifndef SOSIA_TESTS_OCAL_H
#define SOSIA_TESTS_OCAL_H

#include "tests/support/world.h"

#define ADA "ada@acme.example" /* at Google */
#define BOB "bob@port.example" /* at Microsoft, as cat@port.example is */
#define CAT "cat@port.example"

/* A seed document with those people, with ' for ", and a setup of a test with a world of it. */
extern const char ocal_doc[];
int ocal_test_world(void **state);
/* The document with more sections: what follows its last member. */
const char *ocal_doc_with(const char *sections);

/* A call, of Graph's where the target begins with /v1.0; a body may use ' for ". It must have the
 * status. */
const struct json *as(const char *who, const char *method, const char *target, const char *body,
                      int status);
/* The target with the id in the place of "%s". */
const char *path(const char *target, const char *id);

#define TIMES(from, to)                                                                            \
    "'start':{'dateTime':'" from "','timeZone':'UTC'},'end':{'dateTime':'" to "','timeZone':'UTC'" \
    "}"
#define EVENTS "/v1.0/me/events"
#define WEEK                                                                                       \
    "/v1.0/me/calendarView?startDateTime=2026-11-23T00:00:00Z&endDateTime=2026-11-30T00:00:00Z&"   \
    "$top=50"
#define DAILY                                                                                      \
    "{'subject':'Standup'," TIMES(                                                                 \
        "2026-11-23T09:00:00",                                                                     \
        "2026-11-23T09:15:00") ",'recurrence':{'pattern':{'type':'daily','interval':1},'range':{'" \
                               "type':'numbered','"                                                \
                               "startDate':'2026-11-23','numberOfOccurrences':5}}"
#define WITH_CAT ",'attendees':[{'emailAddress':{'address':'" CAT "'}}]"
/* A new event of the default calendar. */
const struct json *make(const char *who, const char *body);
/* A world of the world's dump is in its place, and has the same dump. */
void ocal_again(void);

#endif

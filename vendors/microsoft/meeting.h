/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Meetings in messages: records by which the dialects of mail and of calendars ask each other,
 * without knowing each other. Each lays down its record as a policy (struct core_policy) for the
 * names below; a world's engine may lack either.
 */
#ifndef SOSIA_MICROSOFT_MEETING_H
#define SOSIA_MICROSOFT_MEETING_H

#include "vendors/microsoft/graph.h"

#define GRAPH_CALENDAR "graph.calendar" /* the name of struct graph_calendar */
#define GRAPH_MAIL     "graph.mail"     /* the name of struct graph_mail */

enum graph_meeting_kind {
    MEETING_NONE,
    MEETING_REQUEST,
    MEETING_CANCELLED,
    MEETING_DECLINED,
    MEETING_TENTATIVE,
    MEETING_ACCEPTED
};

/* What a message says of a meeting. */
struct graph_meeting {
    enum graph_meeting_kind kind;
    const char *uid;
    bool single, original_day; /* it is about one instance of a series: that of original_us */
    int64_t original_us;
    int64_t sequence;
    bool timed; /* it says when the meeting is */
    bool all_day;
    int64_t start_us, end_us;             /* all-day: of midnights as if in UTC */
    const char *zone;                     /* IANA name; NULL: none is said */
    const char *recurrence;               /* lines of iCalendar; NULL: one that is alone */
    const char *location;                 /* NULL: none */
    bool asks;                            /* responseRequested */
    int proposals;                        /* allowNewTimeProposals: 0, 1; -1: not known */
    int64_t proposed_us, proposed_end_us; /* of an answer; 0: no other time is proposed */
};

/* An event that is an online meeting, as who has it in a calendar sees it. */
struct graph_online {
    const char *event;   /* its id */
    const char *url;     /* the address that people join with */
    const char *subject; /* NULL: none */
    int64_t start_us, end_us, created_us;
    const char *const *guests; /* their addresses */
    size_t n_guests;
};

struct odata_query;

struct graph_calendar {
    /* The first event of an iCalendar object that came to somebody, anybody's bytes: 1, 0 it is
     * not about a meeting, -1. */
    int (*read)(struct tx *tx, const struct actor *who, const char *text, size_t len,
                struct graph_meeting *ret);
    /* The members from startDateTime on; before: the state that a request changes, NULL: none. */
    int (*write)(struct call *c, const struct graph_user *user, const struct graph_meeting *m,
                 const struct graph_meeting *before);
    /* The event in the calendar of that user, as a member with its links. 1 written; 0 it is not
     * there, or the caller may not see it; -1. */
    int (*event)(struct call *c, const struct graph_user *user, const struct graph_meeting *m,
                 const char *key, const struct odata_query *q);
    /* The event in one of somebody's calendars whose address to join has this text in it: 1, 0, -1.
     */
    int (*online)(struct tx *tx, const struct actor *who, const char *text,
                  struct graph_online *ret);
};

struct graph_mail {
    /* The meeting that the message of the call's path ("message-id") is about, in the mailbox of
     * *ret_user: 1, 0 it is about none, -1 refused. */
    int (*meeting)(struct call *c, struct graph_user *ret_user, struct graph_meeting *ret);
    /* The person of an account has answered a meeting (single: of a series the instance of
     * original_us): its requests leave the Inbox. 0, -1. */
    int (*answered)(struct tx *tx, int64_t account, const char *uid, bool single,
                    int64_t original_us);
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of calls that are held: a world of two people, whose changes of events are held. */
#ifndef SOSIA_TESTS_HELD_H
#define SOSIA_TESTS_HELD_H

/*
 * Where each invariant of approvals is tested, by the way in which the caller has its answer:
 *
 *                                  refused, asks again     waits              a draft
 *                                  (approvals.c)           (waiting.c)        (drafts.c)
 *   1 canonical arguments          a_decision_is_bound_to  other_words_are    the_same_call_makes
 *   2 the state that was seen      ..._what_the_approver   what_would_do      a_draft_is_bound
 *   3 single use                   an_action_is_executed   the_same_call      a_letter_becomes
 *   4, 5 expires, time over denies time_over_denies        time_over_denies time_over_denies_drafts
 *   6 restart, fork, snapshot      actions_survive         forks_have, and    forks_have_drafts
 *                                                          tests/cli/test_guard.py
 *   7 list and call agree          shown.c, of all ways, since lists don't depend on the way
 *   8 constant refusal             refusals_say_nothing    a_rejection_ends   a_rejected_draft
 *   9 the same id executes once    an_action_is_executed   the_same_call      the_same_call_makes
 *  10 nothing rides along          nothing_unapproved      bundles_wait,      tools_have_drafts
 *                                                          parts_of_a_batch
 *
 * By whom (approvers.c) is the same for all.
 */
#include "tests/support/world.h"
#include <stdio.h>

#define ADA "ada@acme.example"

static const char held_doc[] = "sosia: 1\n"
                               "time: 2026-11-23T08:00:00Z\n"
                               "organizations: [{domain: acme.example, name: Acme}]\n"
                               "people:\n"
                               "  - {email: ada@acme.example, name: Ada}\n"
                               "  - {email: bob@acme.example, name: Bob}\n"
                               "calendars: [{id: ada@acme.example, events: [\n"
                               "  {id: old00, summary: Old, start: '2026-11-24T10:00'}]}]\n";

#define POLICY                                                                                     \
    "policy: 1\nname: p\notherwise: allow\nrules: [{id: hold, effect: approve, call: {method: "    \
    "[calendar.events.insert, calendar.events.delete, calendar.events.patch]}}]\n"

static inline void set(const char *policy)
{
    int rc = sosia_policy_set(test_engine, test_world, policy, strlen(policy), "p.yaml", NULL,
                              &test_err);
    if (rc < 0)
        fail_msg("%s", test_err.text);
}

static inline int open_world(void **state)
{
    if (test_open(held_doc) < 0)
        return -1;
    set(POLICY);
    return 0;
}

static inline int close_world(void **state)
{
    return test_close();
}

#define EVENTS "/calendar/v3/calendars/primary/events"
#define EVENT(title)                                                                               \
    "{'summary':'" title "','start':{'dateTime':'2026-11-25T10:00:00Z'},"                          \
    "'end':{'dateTime':'2026-11-25T11:00:00Z'}}"
/* The same to a reader of JSON. */
#define EVENT_AGAIN                                                                                \
    "{ 'end':{'dateTime':'2026-11-25T11:00:00Z'}, 'start':{'dateTime':'2026-11-25T10:00:00Z'}, "   \
    "'summary':'\\u0041'}"

static inline int ask(const char *who, const char *verb, const char *target, const char *body)
{
    struct sosia_header headers[] = {{"Authorization", test_bearer(who, NULL)},
                                     {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    test_request(verb, target, headers, SOSIA_LEN(headers), text, strlen(text));
    return test_status;
}

static inline int ada(const char *verb, const char *target, const char *body)
{
    return ask(ADA, verb, target, body);
}

/* The action that the last refusal names; "": none. */
static inline const char *held(void)
{
    const char *at = strstr(test_body, "act_");
    return at ? arena_memdup(&test_arena, at, 20) : "";
}

static inline int decide(const char *action, const char *what, const char *arguments)
{
    return sosia_approval_decide(test_engine, test_world, action, what, arguments, "boss", "fine",
                                 &test_err);
}

static inline const struct json *action_of(const char *name)
{
    struct sosia_blob blob;
    if (sosia_approval_list(test_engine, test_world, name, NULL, &blob, &test_err) < 0)
        return NULL;
    const struct json *v = parsed(arena_memdup(&test_arena, blob.data, blob.len), blob.len);
    sosia_blob_free(&blob);
    return value_at(v, "approvals.0");
}

static inline long how_many(void)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, NULL, NULL, &blob, &test_err), 0);
    long n = (long)count_at(parsed(arena_memdup(&test_arena, blob.data, blob.len), blob.len),
                            "approvals");
    sosia_blob_free(&blob);
    return n;
}

static inline long events(void)
{
    ada("GET", EVENTS, NULL);
    return (long)count_at(parsed(test_body, test_len), "items");
}

static inline const char *hash(void)
{
    char hex[65];
    assert_int_equal(sosia_world_hash(test_engine, test_world, hex, &test_err), 0);
    return arena_strdup(&test_arena, hex);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Who decides on what is held: handed on to others, never by who asked, for one world and once. */
#include "tests/guard/held.h"
#include <pthread.h>

#define CLASSES POLICY "approvals: {approvers: {legal: [marta, paul], board: [eve]}"

static int by(const char *who, const char *action, const char *what, const char *arguments)
{
    return sosia_approval_decide(test_engine, test_world, action, what, arguments, who, NULL,
                                 &test_err);
}

static void assert_refused(int rc, const char *reason)
{
    assert_int_equal(rc, -1);
    assert_string_equal(test_err.reason ? test_err.reason : "", reason);
}

/* ---- handed on ---- */

static void an_action_is_handed_to_somebody_else(void **state)
{
    set(CLASSES "}\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_refused(by("boss", action, "escalate", NULL), "arguments");
    assert_int_equal(by("boss", action, "escalate", "{\"to\": \"\"}"), -1);
    assert_int_equal(by("boss", action, "escalate", "{\"who\": \"eve\"}"), -1);
    assert_int_equal(by("boss", action, "escalate", "{\"to\": \"legal\"}"), 0);
    assert_string_equal(text_at(action_of(action), "state"), "held");
    assert_string_equal(text_at(action_of(action), "asked"), "legal");
    assert_refused(by("boss", action, "approve", NULL), "notAsked");
    assert_refused(by(NULL, action, "approve", NULL), "notAsked");
    assert_refused(by("legal", action, "approve", NULL), "notAsked"); /* a class is nobody */
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    /* They may hand it on in their turn, to one person. */
    assert_int_equal(by("paul", action, "escalate", "{\"to\": \"zoe\"}"), 0);
    assert_refused(by("marta", action, "reject", NULL), "notAsked");
    assert_int_equal(by("Zoe", action, "edit", "{\"body.summary\": \"B\"}"), 0);
    assert_refused(by("zoe", action, "escalate", "{\"to\": \"eve\"}"), "decided");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_non_null(strstr(test_body, "\"summary\": \"B\""));
}

static void what_is_handed_on_expires_as_ever(void **state)
{
    set(CLASSES ", expires_seconds: 60}\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    test_advance(59);
    assert_int_equal(by("boss", action, "escalate", "{\"to\": \"eve\"}"), 0);
    test_advance(1);
    assert_refused(by("eve", action, "approve", NULL), "expired");
    assert_refused(by("eve", action, "escalate", "{\"to\": \"paul\"}"), "expired");
    assert_string_equal(text_at(action_of(action), "state"), "expired");
}

/* The state that is shown again is for those whom it was handed to. */
static void what_is_shown_again_stays_with_them(void **state)
{
    set(CLASSES "}\n");
    assert_int_equal(ada("DELETE", EVENTS "/old00", NULL), 403);
    const char *action = held();
    assert_int_equal(by("boss", action, "escalate", "{\"to\": \"board\"}"), 0);
    assert_int_equal(by("eve", action, "approve", NULL), 0);
    assert_int_equal(ada("PUT", EVENTS "/old00", EVENT("Other")), 200);
    assert_int_equal(ada("DELETE", EVENTS "/old00", NULL), 403);
    assert_refused(by("boss", action, "approve", NULL), "notAsked");
    assert_int_equal(by("eve", action, "approve", NULL), 0);
    assert_int_equal(ada("DELETE", EVENTS "/old00", NULL), 204);
    assert_int_equal(ada("DELETE", EVENTS "/old00", NULL), 204); /* the answer of then */
}

static void scripts_hand_on_as_well(void **state)
{
    set(CLASSES ", wait_seconds: 600, script: [\n"
                "  {after_seconds: 10, by: boss, decide: escalate, to: legal},\n"
                "  {after_seconds: 5, by: eve, decide: reject},\n"
                "  {after_seconds: 20, by: marta, decide: approve}]}\n");
    int64_t before, after;
    assert_int_equal(sosia_clock_get(test_engine, test_world, &before, &test_err), 0);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
    assert_int_equal(sosia_clock_get(test_engine, test_world, &after, &test_err), 0);
    assert_int_equal(after - before, 30000000);
    struct sosia_blob blob;
    assert_int_equal(sosia_approval_list(test_engine, test_world, NULL, NULL, &blob, &test_err), 0);
    const struct json *a =
        value_at(parsed(arena_memdup(&test_arena, blob.data, blob.len), blob.len), "approvals.0");
    sosia_blob_free(&blob);
    assert_string_equal(text_at(a, "by"), "marta");
    assert_string_equal(text_at(a, "asked"), "legal");
}

/* A script whose turn has passed to others stays silent, and the world goes on. */
static void a_script_does_not_decide_for_others(void **state)
{
    set(CLASSES ", script: [{after_seconds: 10, decide: approve}]}\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_int_equal(by("boss", action, "escalate", "{\"to\": \"eve\"}"), 0);
    test_advance(20);
    assert_string_equal(text_at(action_of(action), "state"), "held");
    assert_int_equal(events(), 1);
    assert_int_equal(by("eve", action, "approve", NULL), 0);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 200);
}

/* ---- never by who asked ---- */

static void nobody_decides_on_what_they_ask(void **state)
{
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_refused(by("ADA@acme.example", action, "approve", NULL), "ownAction");
    assert_refused(by(ADA, action, "escalate", "{\"to\": \"ada@acme.example\"}"), "ownAction");
    /* Not by a detour either. */
    assert_int_equal(by("boss", action, "escalate", "{\"to\": \"ada@acme.example\"}"), 0);
    assert_refused(by(ADA, action, "approve", NULL), "ownAction");
    assert_string_equal(text_at(action_of(action), "state"), "held");
}

static void refused_with(const char *policy, const char *text)
{
    assert_int_equal(sosia_policy_set(test_engine, test_world, policy, strlen(policy), "p.yaml",
                                      NULL, &test_err),
                     -1);
    if (!strstr(test_err.text, text))
        fail_msg("%s", test_err.text);
}

static void a_script_that_approves_itself_is_refused(void **state)
{
    refused_with("policy: 1\nname: p\napplies: {actor: ada@acme.example}\nrules: []\n"
                 "approvals:\n  script:\n    - {by: Ada@acme.example, decide: approve}\n",
                 "p.yaml:7: approvals.script[0].by: must be another than whose calls it decides on");
    refused_with("policy: 1\nname: p\nrules: []\n"
                 "approvals:\n  script:\n    - by: bob@acme.example\n      decide: approve\n"
                 "      call: {actor: bob@acme.example}\n",
                 "p.yaml:6: approvals.script[0].by: must be another than");
    refused_with("policy: 1\nname: p\nrules: []\napprovals: {script: [{decide: escalate}]}\n",
                 "approvals.script[0].to: must be a name");
    refused_with("policy: 1\nname: p\nrules: []\napprovals: {script: [{decide: approve, to: x}]}\n",
                 "approvals.script[0].to: must be a name");
    refused_with("policy: 1\nname: p\nrules: []\napprovals: {approvers: {legal: marta}}\n",
                 "approvals.approvers.legal: must be a list");
    refused_with("policy: 1\nname: p\nrules: []\napprovals: {wait_seconds: -1}\n",
                 "approvals.wait_seconds");
    /* One that is said of everybody's calls is passed over for its own. */
    set(POLICY "approvals: {script: [{by: ada@acme.example, decide: approve},\n"
               "  {by: eve, after_seconds: 5, decide: reject}]}\n");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_string_equal(text_at(action_of(action), "state"), "held");
    test_advance(5);
    assert_string_equal(text_at(action_of(action), "state"), "rejected");
}

/* ---- for one world, once, and not by another clock ---- */

static void an_approval_is_for_its_world(void **state)
{
    uint64_t own = test_world;
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    test_world = test_world_of(held_doc);
    set(POLICY);
    assert_int_equal(by("boss", action, "approve", NULL), -1);
    assert_int_equal(test_err.code, SOSIA_E_NOT_FOUND);
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    test_world = own;
    assert_string_equal(text_at(action_of(action), "state"), "held");
    assert_int_equal(sosia_approval_decide(test_engine, 0x1234567, action, "approve", NULL, "boss",
                                           NULL, &test_err),
                     -1);
}

struct deciding {
    pthread_t thread;
    const char *action, *what;
    uint64_t world;
    int rc;
    struct sosia_err err;
};

static void *decide_there(void *arg)
{
    struct deciding *d = arg;
    d->rc = sosia_approval_decide(test_engine, d->world, d->action, d->what, NULL, d->what, NULL,
                                  &d->err);
    return NULL;
}

static void of_decisions_at_once_one_counts(void **state)
{
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    struct deciding list[8];
    int decided = 0;
    for (int i = 0; i < 8; i++) {
        list[i] = (struct deciding){
            .action = held(), .what = i % 2 ? "reject" : "approve", .world = test_world};
        assert_int_equal(pthread_create(&list[i].thread, NULL, decide_there, &list[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(list[i].thread, NULL);
        decided += list[i].rc == 0;
        if (list[i].rc < 0)
            assert_int_equal(list[i].err.code, SOSIA_E_CONFLICT);
    }
    assert_int_equal(decided, 1);
    const struct json *a = action_of(held());
    bool approved = strcmp(text_at(a, "state"), "approved") == 0;
    assert_string_equal(text_at(a, "by"), approved ? "approve" : "reject");
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), approved ? 200 : 403);
}

/* What was held at a time that has not come yet is nothing that could be decided or executed. */
static void a_clock_that_is_set_back_opens_nothing(void **state)
{
    int64_t now;
    assert_int_equal(ada("POST", EVENTS, EVENT("A")), 403);
    const char *action = held();
    assert_int_equal(ada("POST", EVENTS, EVENT("B")), 403);
    const char *approved = held();
    assert_int_equal(by("boss", approved, "approve", NULL), 0);
    assert_int_equal(sosia_clock_get(test_engine, test_world, &now, &test_err), 0);
    assert_int_equal(sosia_clock_set(test_engine, test_world, now - 1, &test_err), 0);
    assert_string_equal(text_at(action_of(action), "state"), "expired");
    assert_refused(by("boss", action, "approve", NULL), "expired");
    assert_int_equal(ada("POST", EVENTS, EVENT("B")), 403);
    assert_string_not_equal(held(), approved);
    assert_int_equal(events(), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(an_action_is_handed_to_somebody_else),
        TEST(what_is_handed_on_expires_as_ever),
        TEST(what_is_shown_again_stays_with_them),
        TEST(scripts_hand_on_as_well),
        TEST(a_script_does_not_decide_for_others),
        TEST(nobody_decides_on_what_they_ask),
        TEST(a_script_that_approves_itself_is_refused),
        TEST(an_approval_is_for_its_world),
        TEST(of_decisions_at_once_one_counts),
        TEST(a_clock_that_is_set_back_opens_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/diffs.h"

static const char doc[] =
    "{sosia: 1, time: '2026-11-23T09:00:00', zone: UTC,"
    " organizations: [{domain: acme.example, name: Acme}],"
    " people: [{email: ada@acme.example, name: Ada, zone: Europe/Rome},"
    "          {email: bob@acme.example, name: Bob, zone: America/New_York},"
    "          {handle: helper, kind: bot, name: Helper}],"
    " calendars: [{id: ada@acme.example, primary: true, events: ["
    "   {id: lunch0, summary: Lunch, start: '2026-11-24T12:00', attendees: [bob@acme.example]},"
    "   {id: daily0, summary: Daily, start: '2026-11-23T10:00', end: '2026-11-23T10:30',"
    "    recurrence: ['RRULE:FREQ=DAILY;COUNT=5']}]}],"
    " files: [{id: 1PlanFile0, name: plan.txt, mime: text/plain, owner: ada@acme.example, content: "
    "'a',"
    "   permissions: [{person: bob@acme.example, role: reader, expires: '2026-11-23T12:00:00Z'}]}],"
    " mailboxes: [{person: ada@acme.example, messages: [{id: '1a2072fc1a08096e', from: "
    "bob@acme.example,"
    "   to: ada@acme.example, subject: Plans, text: Here., labels: [INBOX, UNREAD]}]}],"
    " workspaces: [{id: T0ACME0001, domain: acme, name: Acme}],"
    " channels: [{id: C0GENERAL1, name: general, general: true}]}";

int diffs_open(void **state)
{
    (void)state;
    return test_open(doc);
}

int diffs_close(void **state)
{
    (void)state;
    return test_close();
}

const struct json *diffs_act(const char *who, const char *method, const char *target,
                             const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    const struct json *answer = test_request(method, target, headers, 2, text, strlen(text));
    if (test_status >= 300)
        fail_msg("%s %s: %d %s", method, target, test_status, test_body);
    return answer;
}

const struct json *diffs_with(enum sosia_diff_form form, bool all)
{
    const struct sosia_diff_options opt = {.form = form, .all = all};
    struct sosia_blob blob, again;
    assert_int_equal(sosia_diff(test_engine, 0, test_world, &opt, &blob, &test_err), 0);
    for (int i = 0; i < 3; i++) { /* what was there before is kept since the second */
        assert_int_equal(sosia_diff(test_engine, 0, test_world, &opt, &again, &test_err), 0);
        assert_string_equal(blob.data, again.data);
        sosia_blob_free(&again);
    }
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    return v;
}

const struct json *diffs_now(void)
{
    return diffs_with(SOSIA_DIFF_JSON, false);
}

uint64_t diffs_fork(void)
{
    uint64_t fork;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &fork, &test_err), 0);
    return fork;
}

const struct json *diffs_since(uint64_t from)
{
    struct sosia_blob blob;
    assert_int_equal(sosia_diff(test_engine, from, test_world, NULL, &blob, &test_err), 0);
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    return v;
}

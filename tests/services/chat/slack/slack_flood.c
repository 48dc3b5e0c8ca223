/* SPDX-License-Identifier: Apache-2.0 */
/* An app for which there are more events in an hour than the service sends. */
#include "tests/support/slack.h"
#include <string.h>

#define SETTINGS                                                                                   \
    "chatApps:\n  - client_id: '1.2'\n    settings: {events_url: 'https://app.example/events', "   \
    "bot_events: [message.channels]}\n"

/* The world in its place, but for these rows. */
static void change_rows(const char *change)
{
    uint64_t changed;
    assert_int_equal(test_import_changed(change, &changed), 0);
    assert_int_equal(sosia_world_drop(test_engine, test_world, &test_err), 0);
    test_world = changed;
}

static void too_many_events_become_one_that_says_so(void **state)
{
    size_t before, n;
    slack_use_with(SETTINGS);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=one");
    slack_entries(&n);
    change_rows("update slack_notified set n = 29999");
    slack_entries(&before);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=two");
    slack_entries(&n);
    assert_int_equal(n, before + 1);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=three");
    const struct json *v = slack_entry_body(slack_entries(&n), before + 1);
    assert_int_equal(n, before + 2);
    assert_string_equal(text_at(v, "type"), "app_rate_limited");
    assert_string_equal(text_at(v, "team_id"), "T0ACME");
    assert_string_equal(text_at(v, "api_app_id"), "A0DEPLOY");
    assert_int_equal(number_at(v, "minute_rate_limited"), 1771185600);
    assert_null(json_get(v, "event"));
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=four");
    slack_entries(&n);
    assert_int_equal(n, before + 2); /* once a minute */
    test_advance(60);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=five");
    slack_entries(&n);
    assert_int_equal(n, before + 3);
    test_advance(3600);
    slack(BOB, "chat.postMessage", "channel=" DEV "&text=six");
    assert_string_equal(text_at(slack_entry_body(slack_entries(&n), before + 3), "event.text"),
                        "six");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        slack_test(too_many_events_become_one_that_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What was done as rows of tables: which rows an action makes, and which are one and the same. */
#include "tests/support/world.h"
#include "grading/tables.h"

#define NORA "nora@pier.example"
#define IVO  "ivo@pier.example"

static const char doc[] =
    "{sosia: 1, time: '2026-02-02T09:00:00', zone: UTC,"
    " people: [{email: nora@pier.example, name: Nora}, {email: ivo@pier.example, name: Ivo}],"
    " accounts: [{actor: nora@pier.example, vendor: google, id: user_nora}],"
    " calendars: [{id: nora@pier.example, primary: true, events: ["
    "   {id: gull_1, summary: Gull, start: '2026-02-09T12:00', attendees: [ivo@pier.example]},"
    "   {id: round, summary: Round, start: '2026-02-02T10:00', end: '2026-02-02T10:30',"
    "    recurrence: ['RRULE:FREQ=DAILY;COUNT=5']}]},"
    "  {id: cal_berths, owner: nora@pier.example, summary: Berths, access: ["
    "   {role: reader, person: ivo@pier.example}]}],"
    " workspaces: [{id: T0PIER, domain: pier, name: Pier, members: ["
    "   {actor: nora@pier.example, id: U0_NORA}, {actor: ivo@pier.example, id: U0_IVO}]}],"
    " channels: [{id: C0_QUAY, name: quay, members: [nora@pier.example]}],"
    " messages: [{channel: quay, from: nora@pier.example, ts: '1760000000.000100', text: Hi}]}";

static int open_world(void **state)
{
    (void)state;
    return test_open(doc);
}

static int close_world(void **state)
{
    (void)state;
    return test_close();
}

static void as(const char *who, const char *method, const char *target, const char *body)
{
    const struct sosia_header headers[] = {{"Authorization", test_bearer(who, NULL)},
                                           {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : "";
    const struct json *answer = test_request(method, target, headers, 2, text, strlen(text));
    if (test_status >= 300 || (answer && json_is_false(json_get(answer, "ok"))))
        fail_msg("%s %s: %d %s", method, target, test_status, test_body);
}

static const struct json *rows(void)
{
    const struct sosia_diff_options opt = {.form = SOSIA_DIFF_TABLES};
    struct sosia_blob blob, again;
    assert_int_equal(sosia_diff(test_engine, 0, test_world, &opt, &blob, &test_err), 0);
    assert_int_equal(sosia_diff(test_engine, 0, test_world, &opt, &again, &test_err), 0);
    assert_string_equal(blob.data, again.data);
    const struct json *v = parsed(blob.data, blob.len);
    sosia_blob_free(&blob);
    sosia_blob_free(&again);
    return v;
}

/* "+calendars ~calendar_events -messages": what came, changed and went, in this order. */
static void assert_rows(const char *expected)
{
    static const char *const lists[] = {"inserts", "updates", "deletes"};
    const struct json *v = rows();
    struct buf b;
    buf_init(&b, 0);
    for (int k = 0; k < 3; k++)
        for (uint32_t i = 0; i < json_get(v, lists[k])->n; i++) {
            const struct json *row = &json_get(v, lists[k])->items[i];
            buf_printf(&b, "%s%c%s", b.len ? " " : "", "+~-"[k], json_get_str(row, "__table__"));
        }
    assert_string_equal(buf_str(&b), expected);
    buf_done(&b);
}

#define EVENTS "/calendar/v3/calendars/primary/events"

static void nothing_that_was_done_is_no_row(void **state)
{
    (void)state;
    assert_rows("");
    as(NORA, "PATCH", EVENTS "/gull_1", "{'summary':'Heron'}");
    as(NORA, "PATCH", EVENTS "/gull_1", "{'summary':'Gull'}");
    assert_rows("");
}

static void an_event_with_guests_is_one_row(void **state)
{
    (void)state;
    as(NORA, "PATCH", EVENTS "/gull_1?sendUpdates=all", "{'location':'Berth 4'}");
    assert_rows("~calendar_events");
    assert_string_equal(text_at(rows(), "updates.0.after.location"), "Berth 4");
    assert_string_equal(text_at(rows(), "updates.0.after.creator_id"), "user_nora");
    /* who answers changes a row of the guests */
    as(IVO, "PATCH", EVENTS "/gull_1",
       "{'attendees':[{'email':'ivo@pier.example','responseStatus':'declined'}]}");
    assert_rows("~calendar_events ~calendar_event_attendees");
    assert_string_equal(text_at(rows(), "updates.1.after.response_status"), "declined");
}

static void what_is_deleted_stays_and_says_so(void **state)
{
    (void)state;
    as(NORA, "DELETE", EVENTS "/gull_1", NULL);
    as(NORA, "DELETE", "/calendar/v3/calendars/cal_berths/acl/user:" IVO, NULL);
    assert_rows("~calendar_acl_rules ~calendar_events"); /* its guests stay with the event */
    assert_string_equal(text_at(rows(), "updates.1.after.status"), "cancelled");
    assert_string_equal(text_at(rows(), "updates.1.after.summary"), "Gull");
    assert_string_equal(text_at(rows(), "updates.0.after.role"), "reader");
    assert_true(true_at(rows(), "updates.0.after.deleted"));
}

static void a_calendar_comes_with_its_owners_entry_and_rule(void **state)
{
    (void)state;
    as(NORA, "POST", "/calendar/v3/calendars", "{'summary':'Winches'}");
    assert_rows("+calendars +calendar_acl_rules +calendar_list_entries");
    assert_string_equal(text_at(rows(), "inserts.2.user_id"), "user_nora");
    as(NORA, "DELETE", "/calendar/v3/calendars/cal_berths", NULL);
    assert_rows("+calendars +calendar_acl_rules +calendar_list_entries ~calendars");
    assert_true(true_at(rows(), "updates.0.after.deleted"));
}

static void an_instance_is_a_row_of_its_own(void **state)
{
    (void)state;
    as(NORA, "PATCH", EVENTS "/round_20260203T100000Z", "{'summary':'Short round'}");
    assert_rows("+calendar_events");
    assert_string_equal(text_at(rows(), "inserts.0.recurring_event_id"), "round");
    as(NORA, "DELETE", EVENTS "/round_20260204T100000Z", NULL);
    assert_rows("+calendar_events +calendar_events");
}

static void a_channel_is_a_row_and_so_is_each_member(void **state)
{
    (void)state;
    as(NORA, "POST", "/api/conversations.invite", "{'channel':'C0_QUAY','users':'U0_IVO'}");
    assert_rows("+channel_members");
    as(NORA, "POST", "/api/reactions.add",
       "{'channel':'C0_QUAY','timestamp':'1760000000.000100','name':'eyes'}");
    assert_rows("+message_reactions +channel_members");
    as(IVO, "POST", "/api/conversations.leave", "{'channel':'C0_QUAY'}");
    as(NORA, "POST", "/api/chat.delete", "{'channel':'C0_QUAY','ts':'1760000000.000100'}");
    assert_rows("-messages");
}

static void each_table_names_its_rows(void **state)
{
    const char *name;
    (void)state;
    for (size_t i = 0; (name = table_name_at(i)); i++) {
        assert_true(table_is_known(name));
        assert_non_null(table_key(name)[0]);
    }
    assert_false(table_is_known("event"));
    assert_null(table_key("issues"));
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(nothing_that_was_done_is_no_row),
        test(an_event_with_guests_is_one_row),
        test(what_is_deleted_stays_and_says_so),
        test(a_calendar_comes_with_its_owners_entry_and_rule),
        test(an_instance_is_a_row_of_its_own),
        test(a_channel_is_a_row_and_so_is_each_member),
        test(each_table_names_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

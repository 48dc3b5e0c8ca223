/* SPDX-License-Identifier: Apache-2.0 */
/* Who may see what of a calendar: roles, rules, tokens. */
#include "engine/world/engine.h"
#include "tests/support/gcal.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#define ADAS "/calendars/ada@acme.example"

/* Of SQLite's machine since the last time, in statements with this in their text. */
static int64_t steps_of(const char *part)
{
    struct sosia_err err;
    int64_t n = 0;
    struct worker *w = worker_take(test_engine, &err);
    assert_non_null(w);
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(slot_db(w->slot), st));)
        if (strstr(sqlite3_sql(st), part))
            n += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    worker_drop(w);
    return n;
}

/* ---- roles ---- */

static void a_calendar_that_is_not_shared_is_not_found(void **state)
{
    as(BOB, "GET", ADAS, NULL);
    assert_refused(404, "notFound");
    as(BOB, "GET", ADAS "/events", NULL);
    assert_refused(404, "notFound");
}

static void a_free_busy_reader_sees_times_and_nothing_else(void **state)
{
    make_event("abcde", "'location':'L','attendees':[{'email':'cyd@acme.example'}]");
    make_event("fghij", "'visibility':'public'");
    share_with_bob("freeBusyReader");
    const struct json *v = as(BOB, "GET", ADAS "/events", NULL);
    assert_string_equal(text_at(v, "accessRole"), "freeBusyReader");
    assert_string_equal(column(v, "items", "summary"), "- Event fghij");
    assert_null(value_at(v, "items.0.location"));
    assert_null(value_at(v, "items.0.attendees"));
    assert_null(value_at(v, "items.0.creator"));
    assert_string_equal(text_at(v, "items.0.start.dateTime"), "2026-11-24T10:00:00+01:00");
}

static void a_reader_sees_all_but_what_is_private(void **state)
{
    make_event("abcde", "");
    make_event("fghij", "'visibility':'private'");
    share_with_bob("reader");
    const struct json *v = as(BOB, "GET", ADAS "/events", NULL);
    assert_string_equal(column(v, "items", "summary"), "Event abcde -");
    as(BOB, "POST", ADAS "/events", "{}");
    assert_refused(403, "requiredAccessLevel");
    assert_non_null(strstr(test_body, "You need to have writer access to this calendar."));
    as(BOB, "PATCH", ADAS "/events/abcde", "{}");
    assert_refused(403, "requiredAccessLevel");
    as(BOB, "DELETE", ADAS "/events/abcde", NULL);
    assert_refused(403, "requiredAccessLevel");
    as(BOB, "GET", ADAS "/acl", NULL);
    assert_refused(403, "requiredAccessLevel");
}

static void a_writer_writes_in_somebody_elses_name(void **state)
{
    share_with_bob("writer");
    make_event("fghij", "'visibility':'private'");
    const struct json *v =
        as(BOB, "POST", ADAS "/events",
           "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_string_equal(text_at(v, "creator.email"), BOB);
    assert_null(value_at(v, "creator.self"));
    assert_string_equal(text_at(v, "organizer.email"), ADA);
    assert_true(true_at(v, "organizer.self"));
    v = as(BOB, "GET", ADAS "/events/fghij", NULL);
    assert_string_equal(text_at(v, "summary"), "Event fghij");
    as(BOB, "GET", ADAS "/acl", NULL);
    assert_int_equal(test_status, 200);
    as(BOB, "POST", ADAS "/acl", "{'role':'reader','scope':{'type':'default'}}");
    assert_refused(403, "requiredAccessLevel");
    assert_non_null(strstr(test_body, "You need to have owner access to this calendar."));
    as(BOB, "PATCH", ADAS, "{'summary':'x'}");
    assert_refused(403, "requiredAccessLevel");
}

static void groups_domains_and_everybody_can_be_given_access(void **state)
{
    share("reader", "{'type':'group','value':'all@acme.example'}");
    as(BOB, "GET", ADAS "/events", NULL);
    assert_int_equal(test_status, 200);
    as(ADA, "DELETE", ADAS "/acl/group:all@acme.example", NULL);
    as(BOB, "GET", ADAS "/events", NULL);
    assert_refused(404, "notFound");
    share("freeBusyReader", "{'type':'domain','value':'acme.example'}");
    const struct json *v = as(BOB, "GET", ADAS "/events", NULL);
    assert_string_equal(text_at(v, "accessRole"), "freeBusyReader");
    share("reader", "{'type':'default'}");
    v = as(BOB, "GET", ADAS "/events", NULL);
    assert_string_equal(text_at(v, "accessRole"), "reader");
}

/* Groups in groups, which may contain each other. */
static void who_is_in_a_group_of_a_group_is_given_access(void **state)
{
    static const char doc[] =
        "{\"sosia\":1,\"groups\":[{\"email\":\"outer@acme.example\",\"members\":[\"zoe@else."
        "example\","
        "\"all@acme.example\",\"ring@acme.example\"]},{\"email\":\"ring@acme.example\",\"members\":"
        "["
        "\"outer@acme.example\"]},{\"email\":\"others@acme.example\",\"members\":["
        "\"zoe@else.example\"]}]}";
    struct sosia_err err;
    assert_int_equal(sosia_world_seed(test_engine, test_world, doc, sizeof doc - 1, NULL, &err), 0);
    share("reader", "{'type':'group','value':'others@acme.example'}");
    as(BOB, "GET", ADAS "/events", NULL);
    assert_refused(404, "notFound");
    share("reader", "{'type':'group','value':'ring@acme.example'}");
    as(BOB, "GET", ADAS "/events", NULL);
    assert_int_equal(test_status, 200);
}

/* SQLite, which makes tables for a recursion, is not asked for it. */
static void who_is_in_a_group_is_read_from_its_page(void **state)
{
    const char *list = "/users/me/calendarList";
    share("reader", "{'type':'group','value':'all@acme.example'}");
    as(BOB, "POST", list, "{'id':'ada@acme.example'}");
    assert_int_equal(test_status, 200);
    steps_of("recursive");
    as(BOB, "GET", list, NULL);
    assert_non_null(strstr(test_body, "ada@acme.example"));
    assert_int_equal(steps_of("recursive"), 0);
}

static void tokens_see_what_their_scopes_are_good_for(void **state)
{
    struct sosia_token_options opt = {
        .actor = BOB, .scopes = "https://www.googleapis.com/auth/calendar.events.owned"};
    char token[SOSIA_TOKEN_MAX], auth[SOSIA_TOKEN_MAX + 8];
    struct sosia_err err;
    share_with_bob("writer");
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    snprintf(auth, sizeof auth, "Bearer %s", token);
    struct sosia_header header = {"Authorization", auth};
    static const struct {
        const char *target;
        int status;
    } calls[] = {{"/calendar/v3/calendars/primary/events", 200},
                 {"/calendar/v3/calendars/ada@acme.example/events", 403},
                 {"/calendar/v3/calendars/primary", 403}};
    for (size_t i = 0; i < 3; i++) {
        struct sosia_request r = {
            .method = "GET", .target = calls[i].target, .headers = &header, .n_headers = 1};
        struct sosia_response *answer;
        assert_int_equal(sosia_call(test_engine, test_world, &r, &answer, &err), 0);
        assert_int_equal(answer->status, calls[i].status);
        sosia_response_free(answer);
    }
}

static void with_an_api_key_alone_groups_are_of_nobody(void **state)
{
    static const char body[] = "{\"timeMin\":\"2026-11-24T00:00:00Z\","
                               "\"timeMax\":\"2026-11-25T00:00:00Z\","
                               "\"items\":[{\"id\":\"all@acme.example\"}]}";
    struct sosia_header header = {"Content-Type", "application/json"};
    struct sosia_request r = {.method = "POST",
                              .target = "/calendar/v3/freeBusy?key=any",
                              .headers = &header,
                              .n_headers = 1,
                              .body = body,
                              .body_len = sizeof body - 1};
    struct sosia_response *answer;
    struct sosia_err err;
    assert_int_equal(sosia_call(test_engine, test_world, &r, &answer, &err), 0);
    assert_int_equal(answer->status, 200);
    const struct json *v = parsed(answer->body, answer->body_len);
    sosia_response_free(answer);
    assert_null(value_at(v, "groups"));
    assert_string_equal(members(v, "calendars"), "all@acme.example");
    const struct json *all = json_get(value_at(v, "calendars"), "all@acme.example");
    assert_string_equal(text_at(all, "errors.0.reason"), "notFound");
}

static const char *bob_finds(const char *query)
{
    char target[300];
    snprintf(target, sizeof target, ADAS "/events?%s", query);
    return column(as(BOB, "GET", target, NULL), "items", "id");
}

static void what_is_concealed_is_not_found_by_looking_for_it(void **state)
{
    static const char *const queries[] = {"q=harbour", "sharedExtendedProperty=k%3Dv",
                                          "privateExtendedProperty=p%3Dv", "eventTypes=focusTime"};
    static const char secret[] =
        "'visibility':'private','location':'Harbour','eventType':'focusTime','focusTimeProperties':"
        "{},'extendedProperties':{'shared':{'k':'v'},'private':{'p':'v'}}";
    make_event("aaaaa", secret);
    make_event("bbbbb", strchr(secret, ',') + 1); /* the same without the visibility */
    share_with_bob("reader");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_string_equal(bob_finds(queries[i]), "bbbbb");
    assert_string_equal(bob_finds("eventTypes=default"), "aaaaa");
    share_with_bob("freeBusyReader");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_string_equal(bob_finds(queries[i]), "");
    assert_string_equal(bob_finds("orderBy=updated"), "aaaaa bbbbb");
    share_with_bob("writer");
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        assert_string_equal(bob_finds(queries[i]), "aaaaa bbbbb");
}

/* ---- rules ---- */

static void the_list_of_rules_begins_with_the_owners(void **state)
{
    share_with_bob("reader");
    share("freeBusyReader", "{'type':'default'}");
    const struct json *v = as(ADA, "GET", ADAS "/acl", NULL);
    assert_string_equal(column(v, "items", "id"),
                        "user:ada@acme.example user:bob@acme.example default");
    assert_string_equal(text_at(v, "items.0.etag"), "\"00000000000000000000\"");
    assert_string_equal(text_at(v, "items.1.etag"), "\"00001795420800000000\"");
    assert_string_equal(text_at(v, "items.2.scope.value"),
                        "__public_principal__@public.calendar.google.com");
    assert_non_null(text_at(v, "nextSyncToken"));
}

static void a_rule_is_replaced_changed_and_removed(void **state)
{
    share_with_bob("reader");
    share_with_bob("writer");
    const struct json *v = as(ADA, "GET", ADAS "/acl/user:bob@acme.example", NULL);
    assert_string_equal(text_at(v, "role"), "writer");
    v = as(ADA, "PATCH", ADAS "/acl/user:bob@acme.example", "{'role':'reader'}");
    assert_string_equal(text_at(v, "role"), "reader");
    v = as(ADA, "PUT", ADAS "/acl/user:bob@acme.example", "{'role':'owner'}");
    assert_string_equal(text_at(v, "role"), "owner");
    as(ADA, "DELETE", ADAS "/acl/user:bob@acme.example", NULL);
    assert_int_equal(test_status, 204);
    as(ADA, "GET", ADAS "/acl/user:bob@acme.example", NULL);
    assert_refused(404, "notFound");
    as(ADA, "DELETE", ADAS "/acl/user:bob@acme.example", NULL);
    assert_refused(404, "notFound");
    v = as(ADA, "GET", ADAS "/acl?showDeleted=true", NULL);
    assert_string_equal(column(v, "items", "role"), "owner none");
}

static void a_sync_of_rules_has_removed_ones(void **state)
{
    char target[600];
    share_with_bob("reader");
    const struct json *v = as(ADA, "GET", ADAS "/acl", NULL);
    snprintf(target, sizeof target, ADAS "/acl?syncToken=%s", text_at(v, "nextSyncToken"));
    v = as(ADA, "GET", target, NULL);
    assert_int_equal(count_at(v, "items"), 0);
    as(ADA, "DELETE", ADAS "/acl/user:bob@acme.example", NULL);
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "role"), "none");
}

static void pages_of_rules_fit_together(void **state)
{
    char target[600];
    share_with_bob("reader");
    share("reader", "{'type':'default'}");
    const struct json *v = as(ADA, "GET", ADAS "/acl?maxResults=2", NULL);
    assert_string_equal(column(v, "items", "id"), "user:ada@acme.example user:bob@acme.example");
    snprintf(target, sizeof target, ADAS "/acl?maxResults=2&pageToken=%s",
             text_at(v, "nextPageToken"));
    v = as(ADA, "GET", target, NULL);
    assert_string_equal(column(v, "items", "id"), "default");
    assert_null(value_at(v, "nextPageToken"));
}

static void nobody_takes_the_owners_rights(void **state)
{
    share_with_bob("owner");
    as(BOB, "DELETE", ADAS "/acl/user:ada@acme.example", NULL);
    assert_refused(403, "cannotChangeOwnerAcl");
    as(ADA, "DELETE", ADAS "/acl/user:ada@acme.example", NULL);
    assert_refused(403, "cannotChangeOwnAcl");
    as(BOB, "PATCH", ADAS "/acl/user:bob@acme.example", "{'role':'reader'}");
    assert_refused(403, "cannotChangeOwnAcl");
}

static void rules_that_are_none_are_refused(void **state)
{
    as(ADA, "POST", ADAS "/acl", "{'role':'reader'}");
    assert_refused(400, "required");
    as(ADA, "POST", ADAS "/acl", "{'scope':{'type':'default'}}");
    assert_refused(400, "required");
    as(ADA, "POST", ADAS "/acl", "{'role':'king','scope':{'type':'default'}}");
    assert_refused(400, "invalid");
    as(ADA, "POST", ADAS "/acl", "{'role':'reader','scope':{'type':'user','value':'no address'}}");
    assert_refused(400, "invalid");
    as(ADA, "GET", ADAS "/acl/nothing", NULL);
    assert_refused(400, "invalid");
}

static long mails_of_bob(void)
{
    const struct json *boxes = value_at(test_dump(), "mailboxes");
    return boxes ? count_at(boxes, "0.messages") : 0;
}

static void sharing_is_notified_by_mail_unless_it_is_not(void **state)
{
    share_with_bob("reader");
    assert_int_equal(mails_of_bob(), 1);
    as(ADA, "PATCH", ADAS "/acl/user:bob@acme.example?sendNotifications=false",
       "{'role':'writer'}");
    assert_int_equal(mails_of_bob(), 1);
    as(ADA, "POST", ADAS "/acl",
       "{'role':'reader','scope':{'type':'user','value':'eve@else.example'}}");
    assert_string_equal(text_at(test_outbox(), "0.to"), "eve@else.example");
}

static void a_calendar_takes_6000_rules(void **state)
{
    char *doc = malloc(500000), *p = doc;
    p += sprintf(p, "{\"sosia\":1,\"people\":[{\"email\":\"ada@acme.example\",\"name\":\"Ada\"}],"
                    "\"calendars\":[{\"id\":\"ada@acme.example\",\"access\":[");
    for (int i = 0; i < 6000; i++)
        p += sprintf(p, "%s{\"person\":\"p%d@else.example\",\"role\":\"reader\"}", i ? "," : "", i);
    strcpy(p, "]}]}");
    test_use(doc);
    free(doc);
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'reader','scope':{'type':'user','value':'one@else.example'}}");
    assert_refused(403, "quotaExceeded");
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'writer','scope':{'type':'user','value':'p7@else.example'}}");
    assert_int_equal(test_status, 200);
    as(ADA, "DELETE", "/calendars/primary/acl/user:p7@else.example", NULL);
    as(ADA, "POST", "/calendars/primary/acl",
       "{'role':'reader','scope':{'type':'user','value':'one@else.example'}}");
    assert_int_equal(test_status, 200);
}

/* ---- whom a token stands for is found once, and again when the world has changed ---- */

static int status_of(uint64_t world, const char *token)
{
    char bearer[SOSIA_TOKEN_MAX + 8];
    struct sosia_response *answer;
    struct sosia_err err;
    snprintf(bearer, sizeof bearer, "Bearer %s", token);
    struct sosia_header header = {"Authorization", bearer};
    struct sosia_request r = {.method = "GET",
                              .target = "/calendar/v3/calendars/primary",
                              .headers = &header,
                              .n_headers = 1};
    assert_int_equal(sosia_call(test_engine, world, &r, &answer, &err), 0);
    int status = answer->status;
    sosia_response_free(answer);
    return status;
}

static void a_token_known_by_a_worker_ends_when_it_is_revoked(void **state)
{
    static const char *const values[] = {NULL, "a-fixed-token"};
    for (size_t i = 0; i < SOSIA_LEN(values); i++) {
        struct sosia_token_options opt = {.actor = ADA, .value = values[i]};
        struct sosia_err err;
        char token[SOSIA_TOKEN_MAX];
        assert_int_equal(
            sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err), 0);
        assert_int_equal(status_of(test_world, token), 200);
        assert_int_equal(status_of(test_world, token), 200);
        assert_int_equal(sosia_token_revoke(test_engine, test_world, token, &err), 0);
        assert_int_equal(status_of(test_world, token), 401);
        assert_int_equal(status_of(test_world, token), 401);
    }
}

static void a_token_known_by_a_worker_ends_with_its_time(void **state)
{
    struct sosia_token_options opt = {.actor = ADA, .value = "a-short-token", .ttl_us = 60000000};
    struct sosia_err err;
    char token[SOSIA_TOKEN_MAX];
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    assert_int_equal(status_of(test_world, token), 200);
    test_advance(59);
    assert_int_equal(status_of(test_world, token), 200);
    test_advance(1);
    assert_int_equal(status_of(test_world, token), 401);
}

static void a_token_known_in_one_world_is_looked_up_in_another(void **state)
{
    struct sosia_token_options opt = {.actor = ADA, .value = "a-fixed-token"};
    struct sosia_err err;
    char token[SOSIA_TOKEN_MAX];
    uint64_t before, with;
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &before, &err), 0);
    assert_int_equal(sosia_token_issue(test_engine, test_world, &opt, token, sizeof token, &err),
                     0);
    assert_int_equal(sosia_world_fork(test_engine, test_world, NULL, &with, &err), 0);
    assert_int_equal(status_of(test_world, token), 200);
    assert_int_equal(status_of(before, token), 401);
    assert_int_equal(status_of(with, token), 200);
    assert_int_equal(sosia_world_reset(test_engine, test_world, &err), 0);
    assert_int_equal(status_of(test_world, token), 401);
    assert_int_equal(status_of(with, token), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(a_token_known_by_a_worker_ends_when_it_is_revoked),
        gcal_test(a_token_known_by_a_worker_ends_with_its_time),
        gcal_test(a_token_known_in_one_world_is_looked_up_in_another),
        gcal_test(a_calendar_that_is_not_shared_is_not_found),
        gcal_test(a_free_busy_reader_sees_times_and_nothing_else),
        gcal_test(a_reader_sees_all_but_what_is_private),
        gcal_test(a_writer_writes_in_somebody_elses_name),
        gcal_test(groups_domains_and_everybody_can_be_given_access),
        gcal_test(who_is_in_a_group_of_a_group_is_given_access),
        gcal_test(who_is_in_a_group_is_read_from_its_page),
        gcal_test(tokens_see_what_their_scopes_are_good_for),
        gcal_test(with_an_api_key_alone_groups_are_of_nobody),
        gcal_test(the_list_of_rules_begins_with_the_owners),
        gcal_test(a_rule_is_replaced_changed_and_removed),
        gcal_test(a_sync_of_rules_has_removed_ones),
        gcal_test(pages_of_rules_fit_together),
        gcal_test(nobody_takes_the_owners_rights),
        gcal_test(rules_that_are_none_are_refused),
        gcal_test(sharing_is_notified_by_mail_unless_it_is_not),
        gcal_test(a_calendar_takes_6000_rules),
        gcal_test(what_is_concealed_is_not_found_by_looking_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

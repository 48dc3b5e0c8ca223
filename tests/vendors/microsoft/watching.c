/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions to events and messages of people: what is announced of what they do. */
#include "identity/jwt.h"
#include "tests/support/hook.h"
#include <stdio.h>

#define ADA "ada@port.example"
#define BOB "bob@port.example"
#define EVE "eve@acme.example"
#define DOC                                                                                        \
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"handshakes\":\"accepted\",\"people\":["      \
    "{\"email\":\"" ADA "\"},{\"email\":\"" BOB "\"}],\"accounts\":[{\"actor\":\"" ADA             \
    "\",\"vendor\":\"microsoft\"},{\"actor\":\"" BOB "\",\"vendor\":\"microsoft\"}]}"
#define DOC_TENANTS                                                                                \
    "sosia: 1\ntime: 2026-11-23T08:00:00Z\nhandshakes: accepted\n"                                 \
    "people:\n"                                                                                    \
    "  - {email: ada@port.example}\n"                                                              \
    "  - {email: bob@port.example}\n"                                                              \
    "  - {email: eve@acme.example}\n"                                                              \
    "  - {handle: daemon, kind: app}\n"                                                            \
    "accounts:\n"                                                                                  \
    "  - {actor: ada@port.example, vendor: microsoft}\n"                                           \
    "  - {actor: bob@port.example, vendor: microsoft}\n"                                           \
    "  - {actor: eve@acme.example, vendor: microsoft}\n"                                           \
    "microsoftTenants: [{domain: port.example}, {domain: acme.example}]\n"                         \
    "apps: [{client_id: d, client_secret: s, name: D, kind: web, vendor: microsoft, bot: "         \
    "daemon}]\n"                                                                                   \
    "microsoftApps: [{app: d, tenant: port.example, application: Mail.Read Group.Read.All}]\n"     \
    "tokens: [{token: daemon-token, actor: daemon, app: d, kind: app, scopes: Mail.Read "          \
    "Group.Read.All}]\n"

static int begin(void **state)
{
    return test_open(DOC);
}

static int end(void **state)
{
    return test_close();
}

static const struct json *ask(const char *who, const char *method, const char *path,
                              const char *body)
{
    struct sosia_header headers[3] = {{"Host", "graph.microsoft.com"},
                                      {"Authorization", test_bearer(who, NULL)},
                                      {"Content-Type", "application/json"}};
    const char *text = body ? quoted(body) : NULL;
    const struct json *v = test_request(method, arena_printf(&test_arena, "/v1.0%s", path), headers,
                                        3, text, text ? strlen(text) : 0);
    if (test_status >= 300)
        fail_msg("%s %s: %d %s", method, path, test_status, test_body);
    return v;
}

/* Requests a subscription with a token: its status. */
static int watch_with(const char *bearer, const char *resource)
{
    struct sosia_header headers[3] = {{"Host", "graph.microsoft.com"},
                                      {"Authorization", bearer},
                                      {"Content-Type", "application/json"}};
    const char *text =
        quoted(arena_printf(&test_arena,
                            "{'changeType':'created','notificationUrl':'https://hook.example/',"
                            "'resource':'%s','expirationDateTime':'2026-11-25T08:00:00Z'}",
                            resource));
    test_request("POST", "/v1.0/subscriptions", headers, 3, text, strlen(text));
    return test_status;
}

static void watch(const char *who, const char *resource, const char *changes)
{
    ask(who, "POST", "/subscriptions",
        arena_printf(
            &test_arena,
            "{'changeType':'%s','notificationUrl':'https://hook.example/%s','resource':'%s',"
            "'expirationDateTime':'2026-11-25T08:00:00Z'}",
            changes, changes, arena_strdup(&test_arena, resource)));
    assert_int_equal(test_status, 201);
}

/* "created updated": of all notifications behind the nth entry of the outbox. */
static const char *announced(size_t from, const char *member)
{
    const struct json *box = test_outbox();
    const char *all = "";
    for (uint32_t i = (uint32_t)from; i < box->n; i++) {
        const char *body = json_get_str(json_get(&box->items[i], "payload"), "body");
        if (body && *body == '{')
            all = arena_printf(&test_arena, "%s%s%s", all, *all ? " " : "",
                               column(parsed(body, strlen(body)), "value", member));
    }
    return all;
}

#define WHEN                                                                                       \
    "'start':{'dateTime':'2026-11-24T10:00:00','timeZone':'UTC'},"                                 \
    "'end':{'dateTime':'2026-11-24T11:00:00','timeZone':'UTC'}"

static void events_are_announced_with_their_ids(void **state)
{
    watch(ADA, "me/events", "created,updated,deleted");
    assert_string_equal(text_at(ask(ADA, "GET", "/subscriptions", NULL), "value.0.creatorId"),
                        text_at(ask(ADA, "GET", "/me", NULL), "id"));
    size_t before = test_outbox()->n;
    const char *id = text_at(ask(ADA, "POST", "/me/events", "{'subject':'Tea'," WHEN "}"), "id");
    assert_string_equal(announced(before, "changeType"), "created");
    assert_string_equal(announced(before, "resourceData.id"), id);
    assert_non_null(strstr(announced(before, "resource"), "/Events/"));
    test_advance(60);
    before = test_outbox()->n;
    ask(ADA, "PATCH", arena_printf(&test_arena, "/me/events/%s", id), "{'subject':'Coffee'}");
    assert_string_equal(announced(before, "changeType"), "updated");
    before = test_outbox()->n;
    ask(ADA, "DELETE", arena_printf(&test_arena, "/me/events/%s", id), NULL);
    assert_string_equal(announced(before, "changeType"), "deleted");
    assert_string_equal(announced(before, "resourceData.id"), id);
    before = test_outbox()->n;
    ask(BOB, "POST", "/me/events", "{'subject':'Lunch'," WHEN "}");
    assert_string_equal(announced(before, "changeType"), "");
}

static void an_invitation_is_announced_to_the_guest(void **state)
{
    watch(BOB, "/users/" BOB "/events", "created");
    size_t before = test_outbox()->n;
    ask(ADA, "POST", "/me/events",
        "{'subject':'Tea'," WHEN ",'attendees':[{'emailAddress':{'address':'" BOB
        "'},'type':'required'}]}");
    assert_string_equal(announced(before, "changeType"), "created");
}

static void mail_is_announced_in_its_folder(void **state)
{
    watch(BOB, "me/mailFolders(\\'Inbox\\')/messages", "created");
    watch(BOB, "me/mailFolders/deleteditems/messages", "created,updated");
    size_t before = test_outbox()->n;
    ask(ADA, "POST", "/me/sendMail",
        "{'message':{'subject':'Hi','body':{'content':'x'},'toRecipients':[{'emailAddress':"
        "{'address':'" BOB "'}}]}}");
    assert_string_equal(announced(before, "changeType"), "created");
    const struct json *v = ask(BOB, "GET", "/me/mailFolders/inbox/messages", NULL);
    assert_string_equal(announced(before, "resourceData.id"), text_at(v, "value.0.id"));
    before = test_outbox()->n;
    v = ask(BOB, "POST",
            arena_printf(&test_arena, "/me/messages/%s/move", text_at(v, "value.0.id")),
            "{'destinationId':'deleteditems'}");
    assert_string_equal(announced(before, "changeType"), "created");
    assert_string_equal(announced(before, "resourceData.id"), text_at(v, "id"));
}

static void a_token_without_the_right_watches_nothing(void **state)
{
    assert_int_equal(watch_with(test_bearer(ADA, "User.Read"), "me/messages"), 403);
    assert_int_equal(watch_with(test_bearer(ADA, "User.Read"), "me/events"), 403);
    assert_int_equal(watch_with(test_bearer(ADA, "Mail.Read"), "me/events"), 403);
    assert_int_equal(watch_with(test_bearer(ADA, "Mail.Read"), "me/messages"), 201);
    assert_int_equal(watch_with(test_bearer(ADA, "Calendars.Read"), "me/events"), 201);
}

static void an_app_watches_its_tenant_alone(void **state)
{
    test_use(DOC_TENANTS);
    assert_int_equal(watch_with("Bearer daemon-token", "users/" EVE "/messages"), 400);
    assert_int_equal(watch_with("Bearer daemon-token", "users/" BOB "/messages"), 201);
    assert_int_equal(watch_with(test_bearer(EVE, NULL), "users/" BOB "/events"), 400);
}

static void nothing_is_announced_to_who_may_not_read_it_any_more(void **state)
{
    const struct json *v =
        ask(BOB, "POST", "/me/calendar/calendarPermissions",
            "{'emailAddress':{'address':'" ADA "'},'role':'read','isInsideOrganization':true}");
    const char *id = arena_strdup(&test_arena, text_at(v, "id"));
    watch(ADA, "users/" BOB "/events", "created");
    watch(BOB, "me/events", "created,updated");
    size_t before = test_outbox()->n;
    ask(BOB, "POST", "/me/events", "{'subject':'Tea'," WHEN "}");
    assert_string_equal(announced(before, "changeType"), "created created");
    ask(BOB, "DELETE", arena_printf(&test_arena, "/me/calendar/calendarPermissions/%s", id), NULL);
    before = test_outbox()->n;
    ask(BOB, "POST", "/me/events", "{'subject':'Dismissal'," WHEN "}");
    assert_string_equal(announced(before, "changeType"), "created");
    assert_int_equal(count_at(ask(ADA, "GET", "/subscriptions", NULL), "value"), 0);
    assert_int_equal(count_at(ask(BOB, "GET", "/subscriptions", NULL), "value"), 1);
}

static void a_dump_has_what_may_still_be_watched(void **state)
{
    const struct json *v =
        ask(BOB, "POST", "/me/calendar/calendarPermissions",
            "{'emailAddress':{'address':'" ADA "'},'role':'read','isInsideOrganization':true}");
    const char *id = arena_strdup(&test_arena, text_at(v, "id"));
    watch(ADA, "users/" BOB "/events", "created");
    watch(BOB, "me/events", "created");
    assert_int_equal(count_at(test_dump(), "graphSubscriptions"), 2);
    ask(BOB, "DELETE", arena_printf(&test_arena, "/me/calendar/calendarPermissions/%s", id), NULL);
    v = test_dump();
    assert_string_equal(column(v, "graphSubscriptions", "person"), BOB);
    test_world_of(printed_at(v, ""));
    v = ask(BOB, "POST", "/me/mailFolders", "{'displayName':'Gone'}");
    id = arena_strdup(&test_arena, text_at(v, "id"));
    v = ask(BOB, "POST", "/me/mailFolders", "{'displayName':'Kept'}");
    const char *kept = arena_strdup(&test_arena, text_at(v, "id"));
    watch(BOB, arena_printf(&test_arena, "me/mailFolders/%s/messages", id), "created");
    watch(BOB, arena_printf(&test_arena, "me/mailFolders/%s/messages", kept), "created");
    ask(BOB, "POST", arena_printf(&test_arena, "/me/mailFolders/%s/permanentDelete", id), NULL);
    v = test_dump();
    assert_int_equal(count_at(v, "graphSubscriptions"), 2);
    test_world_of(printed_at(v, ""));
}

static void a_deleted_user_is_notified_of_nothing(void **state)
{
    watch(BOB, "me/messages", "created");
    ask(ADA, "DELETE", "/users/" BOB, NULL);
    size_t before = test_outbox()->n;
    ask(ADA, "POST", "/me/sendMail",
        "{'message':{'subject':'Hi','body':{'content':'x'},'toRecipients':[{'emailAddress':"
        "{'address':'" BOB "'}}]}}");
    assert_string_equal(announced(before, "changeType"), "");
}

static void rows_that_no_subscription_has_are_refused(void **state)
{
    static const char *const changes[] = {
        "update graph_subscription set url = 'file:///etc/passwd'",
        "update graph_subscription set url = 'http://metadata.example/'",
        "update graph_subscription set url = 'https://a' || char(13, 10) || 'b: c'",
        "update graph_subscription set lifecycle_url = 'http://metadata.example/'",
        "update graph_subscription set certificate = 'QUJD', certificate_id = 'c'",
        "update graph_subscription set kind = 'other'",
        "update graph_subscription set key = 'a/b'",
        "update graph_subscription set app_only = 2",
        "update graph_subscription set position = -1",
        "update graph_subscription set resource = 'me/messages?$select=nothing'",
        "update graph_subscription set resource = 'me/messages?$top=1'",
    };
    uint64_t w;
    watch(BOB, "me/messages", "created");
    if (test_import_changed("update graph_subscription set missed = 1", &w) < 0)
        fail_msg("%s", test_err.text);
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        if (test_import_changed(changes[i], &w) == 0)
            fail_msg("taken: %s", changes[i]);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
        if (!strstr(test_err.text, "graph_subscription"))
            fail_msg("%s: %s", changes[i], test_err.text);
    }
}

/* A draft is one thing, however often other bytes take its place. */
static void a_draft_that_is_saved_again_is_announced_as_updated(void **state)
{
    watch(ADA, "me/messages", "created,updated,deleted");
    size_t before = test_outbox()->n;
    const char *id = text_at(ask(ADA, "POST", "/me/messages", "{'subject':'One'}"), "id");
    const char *path = arena_printf(&test_arena, "/me/messages/%s", id);
    assert_string_equal(announced(before, "changeType"), "created");
    assert_string_equal(announced(before, "resourceData.id"), id);
    static const char *const saved[] = {"{'subject':'Two'}", "{'subject':'Three'}"};
    for (size_t i = 0; i < SOSIA_LEN(saved); i++) {
        before = test_outbox()->n;
        ask(ADA, "PATCH", path, saved[i]);
        assert_string_equal(announced(before, "changeType"), "updated");
        assert_string_equal(announced(before, "resourceData.id"), id);
    }
    before = test_outbox()->n;
    ask(ADA, "POST", arena_printf(&test_arena, "%s/permanentDelete", path), NULL);
    assert_string_equal(announced(before, "changeType"), "deleted");
    assert_string_equal(announced(before, "resourceData.id"), id);
}

/* ---- resource data ---- */

/* Requests a subscription with resource data for the hook's certificate: its status. */
static int watch_data(const char *bearer, const char *resource, const char *more)
{
    struct sosia_header headers[3] = {{"Host", "graph.microsoft.com"},
                                      {"Authorization", bearer},
                                      {"Content-Type", "application/json"}};
    const char *text = quoted(arena_printf(
        &test_arena,
        "{'changeType':'created,updated,deleted','notificationUrl':'https://hook.example/',"
        "'resource':'%s','includeResourceData':true,'encryptionCertificate':'%s',"
        "'encryptionCertificateId':'mine','expirationDateTime':'2026-11-24T08:00:00Z'%s}",
        resource, hook_certificate(), more));
    test_request("POST", "/v1.0/subscriptions", headers, 3, text, strlen(text));
    return test_status;
}

/* The last notification. */
static const struct json *last(void)
{
    const struct json *box = test_outbox();
    const char *body = NULL;
    for (uint32_t i = 0; i < box->n; i++) {
        const char *text = json_get_str(json_get(&box->items[i], "payload"), "body");
        if (text && *text == '{')
            body = text;
    }
    assert_non_null(body);
    return parsed(body, strlen(body));
}

static const struct json *data_of(const struct json *notification)
{
    const char *text = hook_plain(value_at(notification, "value.0.encryptedContent"));
    return parsed(text, strlen(text));
}

static void mail_is_announced_with_its_data(void **state)
{
    assert_int_equal(watch_data(test_bearer(BOB, NULL), "me/messages/?$select=subject,from", ""),
                     201);
    ask(ADA, "POST", "/me/sendMail",
        "{'message':{'subject':'Hi','body':{'content':'x'},'toRecipients':[{'emailAddress':"
        "{'address':'" BOB "'}}]}}");
    const struct json *v = last(), *thing = data_of(v);
    const char *id = text_at(v, "value.0.resourceData.id");
    assert_string_equal(members(thing, ""), "@odata.etag id subject from");
    assert_string_equal(text_at(thing, "id"), id);
    assert_string_equal(text_at(thing, "subject"), "Hi");
    assert_string_equal(text_at(thing, "from.emailAddress.address"), ADA);
    assert_string_equal(json_get_str(thing, "@odata.etag"),
                        json_get_str(value_at(v, "value.0.resourceData"), "@odata.etag"));
    ask(BOB, "POST", arena_printf(&test_arena, "/me/messages/%s/permanentDelete", id), NULL);
    v = last();
    assert_string_equal(text_at(v, "value.0.changeType"), "deleted");
    assert_null(value_at(v, "value.0.encryptedContent"));
    assert_int_equal(count_at(v, "validationTokens"), 1);
    hook_done();
}

static void events_are_announced_with_their_data(void **state)
{
    assert_int_equal(watch_data(test_bearer(ADA, NULL), "me/events?$select=subject,start", ""),
                     201);
    ask(ADA, "POST", "/me/events", "{'subject':'Tea'," WHEN "}");
    const struct json *thing = data_of(last());
    assert_string_equal(members(thing, ""), "@odata.etag id subject start");
    assert_string_equal(text_at(thing, "subject"), "Tea");
    assert_string_equal(text_at(thing, "start.dateTime"), "2026-11-24T10:00:00.0000000");
    hook_done();
}

/* Notifications show of private events what answers show. */
static void data_have_what_the_watcher_may_see(void **state)
{
    ask(BOB, "POST", "/me/calendar/calendarPermissions",
        "{'emailAddress':{'address':'" ADA "'},'role':'read','isInsideOrganization':true}");
    assert_int_equal(
        watch_data(test_bearer(ADA, NULL), "users/" BOB "/events?$select=subject,bodyPreview", ""),
        201);
    ask(BOB, "POST", "/me/events", "{'subject':'Dismissal','sensitivity':'private'," WHEN "}");
    const struct json *thing = data_of(last());
    assert_string_equal(text_at(thing, "subject"), "Private Appointment");
    assert_null(value_at(thing, "bodyPreview"));
    hook_done();
}

static void notifications_with_data_are_signed(void **state)
{
    struct jwt jwt;
    test_use(DOC_TENANTS);
    assert_int_equal(watch_data("Bearer daemon-token", "users/" BOB "/messages?$select=subject",
                                ",'lifecycleNotificationUrl':'https://hook.example/life'"),
                     201);
    const char *tenant = text_at(ask(BOB, "GET", "/organization", NULL), "value.0.id");
    ask(BOB, "POST", "/me/messages", "{'subject':'Draft'}");
    const struct json *v = last();
    assert_int_equal(count_at(v, "validationTokens"), 1);
    assert_int_equal(jwt_read(&test_arena, text_at(v, "validationTokens.0"), &jwt), 0);
    assert_true(jwt_verify(&jwt, NULL, "microsoft tokens"));
    assert_string_equal(json_get_str(jwt.claims, "aud"), "d");
    assert_string_equal(json_get_str(jwt.claims, "tid"), tenant);
    assert_string_equal(json_get_str(jwt.claims, "iss"),
                        arena_printf(&test_arena, "https://sts.windows.net/%s/", tenant));
    assert_string_equal(json_get_str(jwt.claims, "appid"), "0bf30f3b-4a52-48df-9a82-234910c4a086");
    test_advance(24 * 3600 - 10);
    v = last();
    assert_string_equal(text_at(v, "value.0.lifecycleEvent"), "reauthorizationRequired");
    assert_int_equal(count_at(v, "validationTokens"), 1);
    /* Without data a notification has none. */
    assert_int_equal(watch_with(test_bearer(BOB, NULL), "me/events"), 201);
    ask(BOB, "POST", "/me/events", "{'subject':'Tea'," WHEN "}");
    assert_null(value_at(last(), "validationTokens"));
    hook_done();
}

static void data_that_cant_be_asked_for_are_refused(void **state)
{
    static const struct {
        const char *resource, *scopes, *code;
        int status;
    } cases[] = {
        {"me/messages", NULL, "ExtensionError", 400},
        {"me/events", NULL, "ExtensionError", 400},
        {"me/messages?$select=body", NULL, "ExtensionError", 400},
        {"me/messages?$select=subject,uniqueBody", NULL, "ExtensionError", 400},
        {"me/messages?$select=subject&$top=3", NULL, "ExtensionError", 400},
        {"me/messages?$select=subject&$skip=3", NULL, "ExtensionError", 400},
        {"me/messages?$select=subject&$orderby=subject", NULL, "ExtensionError", 400},
        {"me/messages?$select=subject&$expand=attachments", NULL, "ExtensionError", 400},
        {"me/messages?$select=%%ff", NULL, "ExtensionError", 400},
        {"me/messages?$select=nothing", NULL, "BadRequest", 400},
        {"me/messages?$select=bodyPreview", "Mail.ReadBasic", "ErrorAccessDenied", 403},
        {"me/events?$select=subject", "Calendars.ReadBasic", "ErrorAccessDenied", 403},
        {"me/messages?$select=bodyPreview", "Mail.Read", NULL, 201},
    };
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        int status = watch_data(test_bearer(BOB, cases[i].scopes), cases[i].resource, "");
        const char *code = text_at(parsed(test_body, strlen(test_body)), "error.code");
        if (status != cases[i].status ||
            (code && cases[i].status == 400 && strcmp(code, cases[i].code) != 0))
            fail_msg("%s: %d %s", cases[i].resource, status, test_body);
    }
    assert_int_equal(watch_with(test_bearer(BOB, "Mail.ReadBasic"),
                                "me/messages?$filter=contains(subject,\\'a\\')"),
                     403);
    hook_done();
}

static void a_filter_says_what_is_announced(void **state)
{
    watch(ADA, "me/messages?$filter=importance eq \\'high\\'", "created,updated");
    size_t before = test_outbox()->n;
    ask(ADA, "POST", "/me/messages", "{'subject':'One'}");
    assert_string_equal(announced(before, "changeType"), "");
    ask(ADA, "POST", "/me/messages", "{'subject':'Two','importance':'high'}");
    assert_string_equal(announced(before, "changeType"), "created");
}

/* ---- contacts ---- */

static void contacts_are_announced(void **state)
{
    const char *folder =
        text_at(ask(ADA, "POST", "/me/contactFolders", "{'displayName':'Port'}"), "id");
    watch(ADA, "me/contacts", "created,updated,deleted");
    watch(ADA, arena_printf(&test_arena, "me/contactFolders/%s/contacts", folder), "created");
    watch(ADA, "users/" ADA "/contactFolders(\\'contacts\\')/contacts", "deleted");
    const char *isle = text_at(
        ask(ADA, "POST", arena_printf(&test_arena, "/me/contactFolders/%s/childFolders", folder),
            "{'displayName':'Isle'}"),
        "id");
    watch(ADA,
          arena_printf(&test_arena, "me/contactFolders/%s/childFolders/%s/contacts", folder, isle),
          "created,updated");
    assert_int_equal(
        watch_with(
            test_bearer(ADA, NULL),
            arena_printf(&test_arena, "me/contactFolders/contacts/childFolders/%s/contacts", isle)),
        400);
    assert_int_equal(watch_with(test_bearer(ADA, NULL), "users/" BOB "/contacts"), 403);
    assert_int_equal(watch_with(test_bearer(ADA, "Mail.Read"), "me/contacts"), 403);
    size_t before = test_outbox()->n;
    const char *id = text_at(ask(ADA, "POST", "/me/contacts", "{'givenName':'Eve'}"), "id");
    const char *path = arena_printf(&test_arena, "/me/contacts/%s", id);
    assert_string_equal(announced(before, "changeType"), "created");
    assert_string_equal(announced(before, "resourceData.id"), id);
    before = test_outbox()->n;
    ask(ADA, "PATCH", path, "{'surname':'Adams'}");
    assert_string_equal(announced(before, "changeType"), "updated");
    before = test_outbox()->n;
    ask(ADA, "DELETE", path, NULL);
    assert_string_equal(announced(before, "changeType"), "deleted deleted");
    before = test_outbox()->n;
    path = arena_printf(&test_arena, "/me/contactFolders/%s", folder);
    ask(ADA, "POST", arena_printf(&test_arena, "%s/contacts", path), "{'givenName':'Cyd'}");
    assert_string_equal(announced(before, "changeType"), "created created");
    before = test_outbox()->n;
    ask(ADA, "DELETE", path, NULL);
    assert_string_equal(announced(before, "changeType"), "deleted");
    assert_int_equal(watch_data(test_bearer(ADA, NULL), "me/contacts?$select=surname", ""), 201);
    ask(ADA, "POST", "/me/contacts", "{'surname':'Stone','jobTitle':'Buyer'}");
    assert_string_equal(text_at(data_of(last()), "surname"), "Stone");
    assert_null(value_at(data_of(last()), "jobTitle"));
    before = test_outbox()->n;
    ask(ADA, "POST", arena_printf(&test_arena, "/me/contactFolders/contacts/contacts"),
        "{'surname':'Far'}");
    assert_string_equal(announced(before, "changeType"), "created created");
    hook_done();
}

static void conversations_of_groups_are_announced(void **state)
{
    test_use(DOC_TENANTS "groups: [{email: crew@port.example, name: Crew, members: [" BOB "]}]\n"
                         "microsoftGroups: [{group: crew@port.example, visibility: Private}]\n");
    const char *crew = text_at(ask(BOB, "GET", "/groups", NULL), "value.0.id");
    const char *resource = arena_printf(&test_arena, "/groups/%s/conversations", crew);
    watch(BOB, resource, "created,updated,deleted");
    assert_int_equal(watch_with(test_bearer(ADA, NULL), resource), 403);
    assert_int_equal(watch_with(test_bearer(BOB, "Mail.Read"), resource), 403);
    assert_int_equal(watch_with(test_bearer(EVE, NULL), resource), 400); /* another tenant's */
    assert_int_equal(watch_with("Bearer daemon-token", resource), 403);  /* people's alone */
    size_t before = test_outbox()->n;
    ask(ADA, "POST", "/me/sendMail",
        "{'message':{'subject':'Tea','toRecipients':[{'emailAddress':{'address':"
        "'crew@port.example'}}]}}");
    assert_string_equal(announced(before, "changeType"), "created");
    const struct json *v = ask(BOB, "GET", resource, NULL);
    const char *id = text_at(v, "value.0.id");
    assert_string_equal(announced(before, "resourceData.id"), id);
    v = ask(BOB, "GET", arena_printf(&test_arena, "/groups/%s/threads", crew), NULL);
    before = test_outbox()->n;
    ask(BOB, "POST",
        arena_printf(&test_arena, "/groups/%s/threads/%s/reply", crew, text_at(v, "value.0.id")),
        "{'post':{'body':{'contentType':'text','content':'At four'}}}");
    assert_string_equal(announced(before, "changeType"), "updated");
    before = test_outbox()->n;
    ask(BOB, "POST", arena_printf(&test_arena, "%s/%s/threads", resource, id),
        "{'posts':[{'body':{'contentType':'text','content':'Or five'}}]}");
    assert_string_equal(announced(before, "changeType"), "updated");
    assert_string_equal(announced(before, "resourceData.id"), id);
    before = test_outbox()->n;
    ask(BOB, "DELETE", arena_printf(&test_arena, "%s/%s", resource, id), NULL);
    assert_string_equal(announced(before, "changeType"), "deleted");
}

/* MG-485: what is new or deleted is announced as updated. */
static void users_and_groups_are_announced(void **state)
{
    test_use(DOC_TENANTS "microsoftUsers: [{actor: bob@port.example, admin: true}]\n"
                         "groups: [{email: crew@port.example, name: Crew, members: []}]\n");
    const char *bob = text_at(ask(BOB, "GET", "/me?$select=id", NULL), "id");
    const char *crew = text_at(ask(BOB, "GET", "/groups", NULL), "value.0.id");
    watch(ADA, "users", "updated");
    watch(ADA, arena_printf(&test_arena, "/users/%s", bob), "updated,deleted");
    watch(ADA, "groups", "updated");
    watch(ADA, arena_printf(&test_arena, "groups(\\'%s\\')", crew), "updated");
    watch(EVE, "groups", "updated"); /* of another tenant */
    ask(ADA, "POST", "/subscriptions",
        "{'changeType':'updated','notificationUrl':'https://hook.example/','resource':'users',"
        "'expirationDateTime':'2026-12-22T07:59:00Z'}"); /* 29 days */
    assert_int_equal(watch_with(test_bearer(ADA, "Group.Read.All"), "users"), 403);
    assert_int_equal(watch_with(test_bearer(ADA, NULL), "users"), 400); /* "created" */
    assert_int_equal(watch_with(test_bearer(ADA, NULL), "groups/nobody"), 400);
    assert_int_equal(watch_with(test_bearer(ADA, NULL), "users/" EVE), 400);
    size_t before = test_outbox()->n;
    ask(BOB, "PATCH", "/me", "{'mobilePhone':'+1 555'}");
    assert_string_equal(announced(before, "changeType"), "updated updated updated");
    assert_string_equal(announced(before, "resource"),
                        arena_printf(&test_arena, "Users/%s Users/%s Users/%s", bob, bob, bob));
    assert_non_null(strstr(json_to_text(&test_arena, test_outbox()), "#Microsoft.Graph.User"));
    before = test_outbox()->n;
    const char *id = text_at(ask(BOB, "POST", "/users",
                                 "{'accountEnabled':true,'displayName':'Dan','mailNickname':'dan',"
                                 "'userPrincipalName':'dan@port.example','passwordProfile':{"
                                 "'password':'x'}}"),
                             "id");
    assert_string_equal(announced(before, "changeType"), "updated updated");
    before = test_outbox()->n;
    ask(BOB, "DELETE", arena_printf(&test_arena, "/users/%s", id), NULL);
    assert_string_equal(announced(before, "changeType"), "updated updated");
    before = test_outbox()->n;
    ask(BOB, "PATCH", arena_printf(&test_arena, "/groups/%s", crew), "{'description':'All'}");
    assert_string_equal(announced(before, "resource"),
                        arena_printf(&test_arena, "Groups/%s Groups/%s", crew, crew));
    before = test_outbox()->n;
    ask(BOB, "DELETE", arena_printf(&test_arena, "/groups/%s", crew), NULL);
    assert_string_equal(announced(before, "changeType"), "updated updated");
    const char *dump = json_to_text(&test_arena, test_dump());
    assert_non_null(strstr(dump, "\"resource\":\"users\""));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(events_are_announced_with_their_ids, begin, end),
        cmocka_unit_test_setup_teardown(an_invitation_is_announced_to_the_guest, begin, end),
        cmocka_unit_test_setup_teardown(mail_is_announced_in_its_folder, begin, end),
        cmocka_unit_test_setup_teardown(a_token_without_the_right_watches_nothing, begin, end),
        cmocka_unit_test_setup_teardown(an_app_watches_its_tenant_alone, begin, end),
        cmocka_unit_test_setup_teardown(nothing_is_announced_to_who_may_not_read_it_any_more, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_dump_has_what_may_still_be_watched, begin, end),
        cmocka_unit_test_setup_teardown(a_deleted_user_is_notified_of_nothing, begin, end),
        cmocka_unit_test_setup_teardown(rows_that_no_subscription_has_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_draft_that_is_saved_again_is_announced_as_updated, begin,
                                        end),
        cmocka_unit_test_setup_teardown(mail_is_announced_with_its_data, begin, end),
        cmocka_unit_test_setup_teardown(events_are_announced_with_their_data, begin, end),
        cmocka_unit_test_setup_teardown(data_have_what_the_watcher_may_see, begin, end),
        cmocka_unit_test_setup_teardown(notifications_with_data_are_signed, begin, end),
        cmocka_unit_test_setup_teardown(data_that_cant_be_asked_for_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_filter_says_what_is_announced, begin, end),
        cmocka_unit_test_setup_teardown(contacts_are_announced, begin, end),
        cmocka_unit_test_setup_teardown(users_and_groups_are_announced, begin, end),
        cmocka_unit_test_setup_teardown(conversations_of_groups_are_announced, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Calendar: what is kept beside events and calendars: attachments, groups, what programs
 * lay beside; in dumps and in copies too. */
#include "tests/support/ocal.h"

#define FILE_OF(name)                                                                              \
    "{'@odata.type':'#microsoft.graph.fileAttachment','name':'" name "','contentBytes':'cGxhbg=='" \
    "}"

/* ---- attachments and groups ---- */

static const char *change_of(const char *who, const char *id)
{
    return text_at(as(who, "GET", path(EVENTS "/%s?$select=changeKey", id), NULL, 200),
                   "changeKey");
}

/* An attachment that comes or goes changes the event, for its guests too. */
static void an_attachment_changes_its_event(void **state)
{
    (void)state;
    const struct json *v = make(BOB, DAILY WITH_CAT "}");
    const char *id = text_at(v, "id"), *was = text_at(v, "changeKey");
    v = as(CAT, "GET", EVENTS, NULL, 200);
    const char *copy = text_at(v, "value.0.id"), *had = text_at(v, "value.0.changeKey");
    v = as(CAT, "GET", EVENTS "/delta", NULL, 200);
    const char *link = strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0/");
    for (int round = 0; round < 2; round++) {
        v = as(BOB, "GET", path(EVENTS "/%s/attachments", id), NULL, 200);
        if (!round)
            as(BOB, "POST", path(EVENTS "/%s/attachments", id), FILE_OF("plan.txt"), 201);
        else
            as(BOB, "DELETE",
               arena_printf(&test_arena, EVENTS "/%s/attachments/%s", id, text_at(v, "value.0.id")),
               NULL, 204);
        assert_string_not_equal(change_of(BOB, id), was);
        assert_string_not_equal(change_of(CAT, copy), had);
        was = change_of(BOB, id);
        had = change_of(CAT, copy);
        v = as(CAT, "GET", link, NULL, 200);
        assert_int_equal((int)count_at(v, "value"), 1);
        assert_string_equal(text_at(v, "value.0.id"), copy);
        assert_int_equal(json_is_true(value_at(v, "value.0.hasAttachments")), !round);
        link = strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0/");
    }
}

/* Events hold items and links, too; what a link leads to is answered below /beta alone. */
static void items_and_links_are_attached(void **state)
{
    static const char beta[] = "/beta/me/events/%s/attachments";
    static const char link[] =
        "{'@odata.type':'#microsoft.graph.referenceAttachment','name':'Plan','sourceUrl':"
        "'https://port.example/plan.docx','providerType':'oneDriveBusiness'}";
    (void)state;
    const char *id = text_at(make(BOB, DAILY "}"), "id");
    as(BOB, "POST", path(EVENTS "/%s/attachments", id), link, 400);
    as(BOB, "POST", path(beta, id),
       "{'@odata.type':'#microsoft.graph.referenceAttachment','name':'Plan'}", 400);
    as(BOB, "POST", path(beta, id),
       "{'@odata.type':'#microsoft.graph.itemAttachment','name':'x','item':{'@odata.type':"
       "'#microsoft.graph.event','nonsense':1}}",
       400);
    const struct json *v = as(BOB, "POST", path(beta, id), link, 201);
    const char *at = text_at(v, "id");
    assert_string_equal(text_at(v, "sourceUrl"), "https://port.example/plan.docx");
    assert_string_equal(text_at(v, "permission"), "other");
    v = as(BOB, "GET", path(EVENTS "/%s/attachments", id), NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 1);
    assert_null(value_at(v, "value.0.sourceUrl"));
    as(BOB, "GET", arena_printf(&test_arena, EVENTS "/%s/attachments/%s/$value", id, at), NULL,
       405);
    v = as(BOB, "POST", path(EVENTS "/%s/attachments", id),
           "{'@odata.type':'#microsoft.graph.itemAttachment','name':'x','item':{'@odata.type':"
           "'#microsoft.graph.message','subject':'Hi','body':{'content':'text'}}}",
           201);
    at = text_at(v, "id");
    assert_null(value_at(v, "item"));
    as(BOB, "GET", arena_printf(&test_arena, EVENTS "/%s/attachments/%s/$value", id, at), NULL,
       200);
    assert_non_null(strstr(test_body, "Subject: Hi\r\n"));
    v = as(BOB, "POST", path(EVENTS "/%s/attachments", id), FILE_OF("a.txt"), 201);
    at = text_at(v, "id");
    as(BOB, "GET", arena_printf(&test_arena, EVENTS "/%s/attachments/%s/$value", id, at), NULL,
       200);
    assert_string_equal(test_body, "plan");
    /* The basics of a calendar are without them. */
    const struct sosia_header basic[] = {{"Authorization", test_bearer(BOB, "Calendars.ReadBasic")},
                                         {"Host", "graph.microsoft.com"}};
    test_request("GET", arena_printf(&test_arena, "/v1.0/me/events/%s", id), basic, 2, "", 0);
    assert_int_equal(test_status, 200);
    test_request("GET",
                 arena_printf(&test_arena, "/v1.0/me/events/%s/attachments/%s/$value", id, at),
                 basic, 2, "", 0);
    assert_int_equal(test_status, 403);
}

/* An occurrence that gets one is an exception from then on; the others have none. */
static void an_attachment_of_an_occurrence_is_its_own(void **state)
{
    (void)state;
    make(BOB, DAILY WITH_CAT "}");
    const struct json *v = as(BOB, "GET", WEEK, NULL, 200);
    const char *second = text_at(v, "value.1.id");
    as(BOB, "POST", path(EVENTS "/%s/attachments", second), FILE_OF("one.txt"), 201);
    as(BOB, "POST", path(EVENTS "/%s/attachments", second),
       "{'@odata.type':'#microsoft.graph.itemAttachment','name':'Note','item':{'@odata.type':"
       "'microsoft.graph.event','subject':'Old'}}",
       201);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++) {
            const char *who = i ? CAT : BOB;
            v = as(who, "GET", WEEK, NULL, 200);
            assert_int_equal((int)count_at(v, "value"), 5);
            assert_string_equal(text_at(v, "value.0.type"), "occurrence");
            assert_false(json_is_true(value_at(v, "value.0.hasAttachments")));
            assert_string_equal(text_at(v, "value.1.type"), "exception");
            assert_true(json_is_true(value_at(v, "value.1.hasAttachments")));
            v = as(who, "GET",
                   path(EVENTS "/%s/attachments?$expand=microsoft.graph.itemAttachment/item",
                        text_at(v, "value.1.id")),
                   NULL, 200);
            assert_string_equal(text_at(v, "value.0.name"), "one.txt");
            assert_string_equal(text_at(v, "value.0.contentBytes"), "cGxhbg==");
            assert_string_equal(text_at(v, "value.1.item.subject"), "Old");
        }
        ocal_again();
    }
}

static const struct json *session(const char *method, const char *url, const char *range,
                                  const char *data, size_t n)
{
    const struct sosia_header headers[] = {{"Host", "outlook.office.com"},
                                           {"Content-Type", "application/octet-stream"},
                                           {"Content-Range", range ? range : ""}};
    return test_request(method, strstr(url, "/api/"), headers, range ? 3 : 2, data ? data : "", n);
}

#define SESSION                                                                                    \
    "{'AttachmentItem':{'attachmentType':'file','name':'a.bin','size':3145728,'contentType':"      \
    "'image/png','contentId':'c1','isInline':true}}"
enum { LARGE = 3 << 20 };

static const char *begin(const char *id)
{
    return text_at(
        as(BOB, "POST", path(EVENTS "/%s/attachments/createUploadSession", id), SESSION, 201),
        "uploadUrl");
}

/* MG-50, MG-577 */
static void a_large_attachment_comes_in_ranges(void **state)
{
    (void)state;
    const struct json *v = make(BOB, DAILY WITH_CAT "}");
    const char *id = text_at(v, "id"), *was = text_at(v, "changeKey");
    char *data = arena_calloc(&test_arena, LARGE, 1);
    data[LARGE - 1] = 'x';
    as(CAT, "POST",
       path(EVENTS "/%s/attachments/createUploadSession",
            text_at(as(CAT, "GET", EVENTS, NULL, 200), "value.0.id")),
       SESSION, 403); /* it is the organizer's */
    as(BOB, "POST", path(EVENTS "/%s/attachments/createUploadSession", id),
       "{'AttachmentItem':{'attachmentType':'file','name':'a.bin','size':3145727}}", 400);
    const char *url = begin(id), *other = begin(id);
    assert_non_null(strstr(url, "/Events('"));
    v = session("PUT", url, "bytes 0-1048575/3145728", data, 1 << 20);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "NextExpectedRanges.0"), "1048576");
    v = session("GET", url, NULL, NULL, 0);
    assert_string_equal(text_at(v, "NextExpectedRanges.0"), "1048576");
    session("PUT", url, "bytes 1048576-3145727/3145728", data + (1 << 20), 2 << 20);
    assert_int_equal(test_status, 201);
    assert_int_equal(test_len, 0);
    const char *at = strstr(test_header("Location"), "/Attachments('") + 14;
    at = arena_memdup(&test_arena, at, strlen(at) - 2);
    v = as(BOB, "GET", arena_printf(&test_arena, EVENTS "/%s/attachments/%s", id, at), NULL, 200);
    assert_string_equal(text_at(v, "name"), "a.bin");
    assert_string_equal(text_at(v, "contentType"), "image/png");
    assert_string_equal(text_at(v, "contentId"), "c1");
    assert_true(json_is_true(value_at(v, "isInline")));
    assert_int_equal(number_at(v, "size"), LARGE);
    const char *text = text_at(v, "contentBytes");
    assert_int_equal(strlen(text), LARGE / 3 * 4);
    assert_string_equal(text + strlen(text) - 4, "AAB4");
    assert_string_not_equal(change_of(BOB, id), was);
    v = as(CAT, "GET", EVENTS, NULL, 200); /* a guest sees it */
    assert_true(json_is_true(value_at(v, "value.0.hasAttachments")));
    session("DELETE", other, NULL, NULL, 0);
    assert_int_equal(test_status, 204);
    session("GET", other, NULL, NULL, 0);
    assert_int_equal(test_status, 404);
    v = as(BOB, "GET", WEEK, NULL, 200); /* one occurrence alone */
    const char *second = text_at(v, "value.1.id"), *last = begin(second);
    session("PUT", last, "bytes 0-3145727/3145728", data, LARGE);
    assert_int_equal(test_status, 201);
    v = as(BOB, "GET", path(EVENTS "/%s/attachments?$select=name", second), NULL, 200);
    assert_int_equal(count_at(v, "value"), 2);
    last = begin(id);
    as(BOB, "DELETE", path(EVENTS "/%s", id), NULL, 204);
    session("PUT", last, "bytes 0-3145727/3145728", data, LARGE); /* the event has gone */
    assert_int_equal(test_status, 404);
}

/* All files of an event together. */
static void an_event_holds_so_many_bytes(void **state)
{
    (void)state;
    const char *id = text_at(make(BOB, DAILY "}"), "id"), *url;
    char *data = arena_calloc(&test_arena, LARGE, 1);
    for (int i = 0; i < 11; i++) {
        session("PUT", begin(id), "bytes 0-3145727/3145728", data, LARGE);
        assert_int_equal(test_status, 201);
    }
    url = begin(id);
    session("PUT", url, "bytes 0-3145727/3145728", data, LARGE);
    assert_int_equal(test_status, 413);
    assert_string_equal(text_at(parsed(test_body, test_len), "error.code"),
                        "ErrorMessageSizeExceeded");
    as(BOB, "POST", path(EVENTS "/%s/attachments", id), FILE_OF("small"), 201);
}

static void an_event_has_its_calendar(void **state)
{
    (void)state;
    const char *id = text_at(make(BOB, DAILY "}"), "id");
    const struct json *v = as(BOB, "GET", path(EVENTS "/%s/calendar", id), NULL, 200);
    assert_string_equal(text_at(v, "name"), "Calendar");
    assert_string_equal(text_at(v, "id"),
                        text_at(as(BOB, "GET", "/v1.0/me/calendar?$select=id", NULL, 200), "id"));
    assert_non_null(strstr(json_get_str(v, "@odata.context"), "')/calendar/$entity"));
    v = as(BOB, "POST", "/v1.0/me/calendars", "{'name':'Chess'}", 201);
    v = as(BOB, "POST", path("/v1.0/me/calendars/%s/events", text_at(v, "id")),
           "{'subject':'Game'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}", 201);
    v = as(BOB, "GET", path(EVENTS "/%s/calendar?$select=name", text_at(v, "id")), NULL, 200);
    assert_string_equal(text_at(v, "name"), "Chess");
    assert_null(json_get(v, "color"));
}

static void roles_that_somebody_may_get_are_listed(void **state)
{
    (void)state;
    const struct json *v =
        as(BOB, "GET", "/v1.0/me/calendar/allowedCalendarSharingRoles(User='" CAT "')", NULL, 200);
    assert_string_equal(printed_at(v, "value"),
                        "[\"freeBusyRead\",\"limitedRead\",\"read\",\"write\","
                        "\"delegateWithoutPrivateEventAccess\","
                        "\"delegateWithPrivateEventAccess\"]");
    v = as(BOB, "GET", "/v1.0/me/calendar/allowedCalendarSharingRoles(User='" ADA "')", NULL, 200);
    assert_string_equal(printed_at(v, "value"),
                        "[\"freeBusyRead\",\"limitedRead\",\"read\",\"write\"]");
    as(BOB, "GET", "/v1.0/me/calendar/allowedCalendarSharingRoles(User='" BOB "')", NULL, 400);
    as(CAT, "GET", "/v1.0/users/" BOB "/calendar/allowedCalendarSharingRoles(User='" CAT "')", NULL,
       403);
}

/* Groups of calendars are in dumps, with the calendars in them, and attachments of events that are
 * there; diffs name both. */
static void groups_and_attachments_are_in_dumps(void **state)
{
    struct sosia_blob blob;
    (void)state;
    as(BOB, "POST", "/v1.0/me/calendarGroups", "{'name':'Passing'}", 201);
    const struct json *v = as(BOB, "POST", "/v1.0/me/calendarGroups", "{'name':'Clubs'}", 201);
    const char *clubs = text_at(v, "id");
    v = as(BOB, "POST", path("/v1.0/me/calendarGroups/%s/calendars", clubs), "{'name':'Chess'}",
           201);
    const char *class = text_at(v, "groupClassId"), *chess = text_at(v, "id");
    v = as(BOB, "GET", "/v1.0/me/calendarGroups", NULL, 200);
    as(BOB, "DELETE", path("/v1.0/me/calendarGroups/%s", text_at(v, "value.1.id")), NULL, 204);
    as(BOB, "DELETE", path("/v1.0/me/calendarGroups/%s", clubs), NULL, 400);
    as(BOB, "PATCH", path("/v1.0/me/calendars/%s", chess), "{'color':'lightRed'}", 200);
    as(BOB, "POST", path("/v1.0/me/calendars/%s/events", chess),
       "{'subject':'Game','attachments':[" FILE_OF("rules.txt") "]," TIMES(
           "2026-11-24T10:00:00", "2026-11-24T11:00:00") "}",
       201);
    v = make(BOB, "{'subject':'Gone','attachments':[" FILE_OF("gone.txt") "]," TIMES(
                      "2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    as(BOB, "DELETE", path(EVENTS "/%s", text_at(v, "id")), NULL, 204);
    assert_int_equal(sosia_diff(test_engine, 0, test_world, NULL, &blob, &test_err), 0);
    assert_non_null(strstr(blob.data, "\"calendarGroup\""));
    assert_non_null(strstr(blob.data, "\"eventAttachment\""));
    assert_non_null(strstr(blob.data, "rules.txt"));
    assert_null(strstr(blob.data, "gone.txt"));
    sosia_blob_free(&blob);
    for (int round = 0; round < 2; round++) {
        v = as(BOB, "GET", "/v1.0/me/calendarGroups", NULL, 200);
        assert_int_equal((int)count_at(v, "value"), 2);
        assert_string_equal(text_at(v, "value.1.name"), "Clubs");
        assert_string_equal(text_at(v, "value.1.classId"), class);
        v = as(BOB, "GET", path("/v1.0/me/calendarGroups/%s/calendars", text_at(v, "value.1.id")),
               NULL, 200);
        assert_int_equal((int)count_at(v, "value"), 1);
        assert_string_equal(text_at(v, "value.0.groupClassId"), class);
        assert_string_equal(text_at(v, "value.0.color"), "lightRed");
        v = as(BOB, "GET",
               path("/v1.0/me/calendars/%s/events?$expand=attachments", text_at(v, "value.0.id")),
               NULL, 200);
        assert_string_equal(text_at(v, "value.0.attachments.0.name"), "rules.txt");
        ocal_again();
    }
}

/* A main calendar may have its owner's address as its id, which says of itself nothing here. */
static void a_main_calendar_with_an_address_is_in_dumps(void **state)
{
    static const char doc[] = "{sosia: 1, calendars: [{id: " BOB ", primary: true}]}";
    (void)state;
    assert_int_equal(sosia_world_seed(test_engine, test_world, doc, strlen(doc), NULL, &test_err),
                     0);
    const struct json *v = as(BOB, "GET", "/v1.0/me/calendar", NULL, 200);
    const char *id = text_at(v, "id");
    ocal_again();
    v = as(BOB, "GET", "/v1.0/me/calendar", NULL, 200);
    assert_string_equal(text_at(v, "id"), id);
    v = as(BOB, "GET", "/v1.0/me/calendars", NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 1);
}

static void documents_are_refused_that_say_wrong_things_of_attachments(void **state)
{
    static const char *const wrong[][2] = {
        {"name: a", ".event: is missing"},
        {"event: e9, name: a, content: ''",
         ".event: there is no event \"e9\" of that calendar's person"},
        {"event: e1, content: ''", ".name: is missing"},
        {"event: e1, name: a", ".content: is missing"},
        {"event: e1, name: a, content: '!'", ".content: must be base64, not \"!\""},
        {"event: e1, name: a, value: {a: 1}", ".value: a file has content"},
        {"event: e1, name: a, kind: item", ".value: is missing"},
        {"event: e1, name: a, kind: item, content: ''", ".content: a item has value"},
        {"event: e1, name: a, kind: 1", ".kind: must be a text, not 1"},
        {"event: e1, name: a, kind: x", ".kind: \"x\" is none of file, item, reference"},
        {"event: e1, name: a, content: '', inline: 1", ".inline: must be true or false, not 1"},
        {"event: e1, name: a, content: '', modified: x", ".modified: \"x\" is not a time such as"},
        {"event: e1, name: a, content: 'cGxhbg=='", NULL}, /* this one is good */
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        const char *text = ocal_doc_with(arena_printf(
            &test_arena,
            "calendars: [{id: c1, summary: C, owner: bob@port.example, vendor: microsoft, events: "
            "[{id: e1, summary: E, start: '2026-11-24T10:00'}]}], eventAttachments: [{calendar: "
            "c1, %s}]",
            wrong[i][0]));
        const struct sosia_world_options opt = {.seed_doc = text, .seed_doc_len = strlen(text)};
        const char *why = wrong[i][1];
        uint64_t world;
        if (sosia_world_create(test_engine, &opt, &world, &test_err) != (why ? -1 : 0))
            fail_msg("%s: %s", text, test_err.text);
        if (why && !strstr(test_err.text, arena_printf(&test_arena, "eventAttachments[0]%s", why)))
            fail_msg("%s: %s", wrong[i][0], test_err.text);
    }
}

/* As a text, but for the context. */
static const char *members_of(const struct json *v)
{
    const char *text = "";
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->members[i].key, "@odata.context") != 0)
            text = arena_printf(&test_arena, "%s%s: %s\n", text, v->members[i].key,
                                json_to_text(&test_arena, &v->members[i].value));
    return text;
}

/* An attachment that was just made, read again, and in the list is the same. */
static void attachments_are_the_same_wherever_they_are_read(void **state)
{
    static const char *const all[] = {
        FILE_OF("plan.txt"),
        "{'@odata.type':'#microsoft.graph.fileAttachment','name':'logo.png','contentType':"
        "'image/png','contentId':'logo','isInline':true,'contentBytes':'cGxhbg=='}",
        "{'@odata.type':'#microsoft.graph.itemAttachment','name':'x','item':{'@odata.type':"
        "'#microsoft.graph.message','subject':'Hi'}}"};
    (void)state;
    const char *id = text_at(make(BOB, DAILY "}"), "id");
    const char *made[SOSIA_LEN(all)];
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        const struct json *v = as(BOB, "POST", path(EVENTS "/%s/attachments", id), all[i], 201);
        const char *of =
            arena_printf(&test_arena, EVENTS "/%s/attachments/%s", id, text_at(v, "id"));
        made[i] = members_of(v);
        assert_string_equal(members_of(as(BOB, "GET", of, NULL, 200)), made[i]);
    }
    const struct json *v =
        value_at(as(BOB, "GET", path(EVENTS "/%s/attachments", id), NULL, 200), "value");
    assert_int_equal(v->n, SOSIA_LEN(all));
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        assert_string_equal(members_of(&v->items[i]), made[i]);
}

/* What a dump of it would have, and no document may, is not imported either. */
static void imported_attachments_are_objects(void **state)
{
    static const char *const wrong[] = {
        "update ocal_attachment set content = '[1]'",
        "update ocal_attachment set content = 'x'",
        "update ocal_attachment set kind = 3",
        "update ocal_attachment set kind = 0",
        "update ocal_attachment set kind = 0, content = 'YR=='",
    };
    uint64_t copy;
    (void)state;
    const char *id = text_at(make(BOB, DAILY "}"), "id");
    as(BOB, "POST", path(EVENTS "/%s/attachments", id),
       "{'@odata.type':'#microsoft.graph.itemAttachment','name':'x','item':{'@odata.type':"
       "'#microsoft.graph.message','subject':'Hi'}}",
       201);
    assert_int_equal(test_import_changed("select 1", &copy), 0);
    assert_int_equal(
        test_import_changed("update ocal_attachment set kind = 0, content = 'YQ=='", &copy), 0);
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++)
        if (test_import_changed(wrong[i], &copy) == 0)
            fail_msg("taken: %s", wrong[i]);
}

/* ---- copies ---- */

/* The organizer's change of something else leaves what a guest said of the own copy. */
static void a_guests_own_sensitivity_stays(void **state)
{
    (void)state;
    const struct json *v = make(BOB, "{'subject':'One'" WITH_CAT
                                     "," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    const char *id = text_at(v, "id");
    v = as(CAT, "GET", EVENTS, NULL, 200);
    const char *copy = text_at(v, "value.0.id");
    as(BOB, "PATCH", path(EVENTS "/%s", id), "{'sensitivity':'confidential'}", 200);
    v = as(CAT, "GET", path(EVENTS "/%s", copy), NULL, 200);
    assert_string_equal(text_at(v, "sensitivity"), "confidential");
    as(CAT, "PATCH", path(EVENTS "/%s", copy), "{'sensitivity':'private'}", 200);
    as(BOB, "PATCH", path(EVENTS "/%s", id), "{'subject':'Two'}", 200);
    as(BOB, "PATCH", path(EVENTS "/%s", id), "{'sensitivity':'normal'}", 200);
    v = as(CAT, "GET", path(EVENTS "/%s", copy), NULL, 200);
    assert_string_equal(text_at(v, "subject"), "Two");
    assert_string_equal(text_at(v, "sensitivity"), "private");
    ocal_again();
    v = as(CAT, "GET", EVENTS, NULL, 200);
    assert_string_equal(text_at(v, "value.0.sensitivity"), "private");
}

/* Outlook's organizer makes one change: the copies in calendars of Google follow it. */
static void copies_at_google_follow_in_diffs(void **state)
{
    struct sosia_blob blob;
    (void)state;
    test_use(ocal_doc_with(
        "calendars: [{owner: bob@port.example, primary: true, vendor: microsoft, events: [{id: m1, "
        "summary: Meeting, start: '2026-11-24T10:00', attendees: [ada@acme.example, "
        "cat@port.example]}]}]"));
    const struct json *v = as(BOB, "GET", WEEK, NULL, 200);
    as(BOB, "PATCH", path(EVENTS "/%s", text_at(v, "value.0.id")), "{'subject':'Other'}", 200);
    make(BOB, "{'subject':'New','attendees':[{'emailAddress':{'address':'" ADA
              "'}}]," TIMES("2026-11-25T10:00:00", "2026-11-25T11:00:00") "}");
    for (int own = 0; own < 2; own++) {
        assert_int_equal(sosia_diff(test_engine, 0, test_world, NULL, &blob, &test_err), 0);
        assert_int_equal(json_parse(&test_arena, blob.data, blob.len, NULL, &v, &test_err), 0);
        assert_int_equal((int)count_at(v, "changes"), 2 + own);
        assert_string_equal(text_at(v, "changes.0.person"), own ? ADA : BOB);
        assert_string_equal(text_at(v, "changes.1.person"), BOB);
        sosia_blob_free(&blob);
        /* A colour of the copy alone is the guest's own change. */
        v = as(ADA, "GET", "/calendar/v3/calendars/primary/events?q=Other", NULL, 200);
        as(ADA, "PATCH", path("/calendar/v3/calendars/primary/events/%s", text_at(v, "items.0.id")),
           "{'colorId':'5'}", 200);
    }
}

/* ---- what programs keep ---- */

#define NAMED "String {66f5a359-4659-4830-9070-00047ec6ac6e} Name Color"
#define TAG   "Integer 0x0E07"

static void properties_lie_beside_events_and_calendars(void **state)
{
    (void)state;
    const struct json *v = make(
        BOB, "{'subject':'One','singleValueExtendedProperties':[{'id':'" NAMED "','value':'green'},"
             "{'id':'" TAG "','value':'4'}],'multiValueExtendedProperties':[{'id':'StringArray "
             "{66f5a359-4659-4830-9070-00047ec6ac6e} Name Many','value':['a','b']}]," TIMES(
                 "2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    const char *id = text_at(v, "id");
    assert_null(json_get(v, "singleValueExtendedProperties"));
    v = as(BOB, "GET",
           path(EVENTS "/%s?$expand=singleValueExtendedProperties($filter=id%20eq%20'Integer%20"
                       "0x0E07')",
                id),
           NULL, 200);
    assert_int_equal((int)count_at(v, "singleValueExtendedProperties"), 1);
    assert_string_equal(text_at(v, "singleValueExtendedProperties.0.id"), "Integer 0xe07");
    v = as(
        BOB, "GET",
        path(EVENTS "/%s?$expand=singleValueExtendedProperties,multiValueExtendedProperties", id),
        NULL, 200);
    assert_int_equal((int)count_at(v, "singleValueExtendedProperties"), 2);
    assert_string_equal(text_at(v, "multiValueExtendedProperties.0.value.1"), "b");
    as(BOB, "PATCH", path(EVENTS "/%s", id),
       "{'singleValueExtendedProperties':[{'id':'" NAMED "','value':'red'},{'id':'" TAG
       "','value':null}]}",
       200);
    make(BOB, "{'subject':'Two'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    v = as(BOB, "GET",
           EVENTS "?$filter=singleValueExtendedProperties/any(p:p/id%20eq%20'String%20%7B66f5a359-"
                  "4659-4830-9070-00047ec6ac6e%7D%20Name%20Color'%20and%20p/value%20eq%20'red')&"
                  "$expand=singleValueExtendedProperties",
           NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), id);
    assert_int_equal((int)count_at(v, "value.0.singleValueExtendedProperties"), 1);
    v = as(BOB, "POST", "/v1.0/me/calendars",
           "{'name':'Plans','color':'lightRed','singleValueExtendedProperties':[{'id':'" NAMED
           "','value':'blue'}]}",
           201);
    v = as(BOB, "GET",
           path("/v1.0/me/calendars/%s?$expand=singleValueExtendedProperties", text_at(v, "id")),
           NULL, 200);
    assert_string_equal(text_at(v, "singleValueExtendedProperties.0.value"), "blue");
    assert_string_equal(text_at(v, "color"), "lightRed");
    as(BOB, "PATCH", path(EVENTS "/%s", id),
       "{'singleValueExtendedProperties':[{'id':'" NAMED "'}]}", 400);
    ocal_again();
}

static void extensions_lie_beside_an_event(void **state)
{
    (void)state;
    const struct json *v = make(BOB, DAILY WITH_CAT
                                ",'extensions':[{'@odata.type':'microsoft.graph.openTypeExtension',"
                                "'extensionName':'Com.Port.First','rank':1}]}");
    const char *id = text_at(v, "id"), *was = text_at(v, "changeKey");
    v = as(BOB, "POST", path(EVENTS "/%s/extensions", id),
           "{'@odata.type':'microsoft.graph.openTypeExtension','extensionName':'Com.Port.Deal',"
           "'company':'Wing','value':500}",
           201);
    assert_string_equal(text_at(v, "extensionName"), "Com.Port.Deal");
    assert_string_equal(text_at(v, "company"), "Wing");
    const char *full = text_at(v, "id");
    assert_string_not_equal(change_of(BOB, id), was);
    v = as(BOB, "PATCH", path(EVENTS "/%s/extensions/Com.Port.Deal", id),
           "{'value':600,'company':null,'more':true}", 200);
    assert_string_equal(text_at(v, "company"), "Wing");
    assert_int_equal(number_at(v, "value"), 600);
    v = as(BOB, "GET", arena_printf(&test_arena, EVENTS "/%s/extensions/%s", id, full), NULL, 200);
    assert_true(json_is_true(value_at(v, "more")));
    v = as(BOB, "GET", EVENTS "?$expand=extensions($filter=id%20eq%20'Com.Port.Deal')", NULL, 200);
    assert_int_equal((int)count_at(v, "value.0.extensions"), 1);
    assert_int_equal(number_at(v, "value.0.extensions.0.value"), 600);
    /* The guest's copy has none, and the organizer's dump all. */
    v = as(CAT, "GET", EVENTS "?$expand=extensions", NULL, 200);
    assert_int_equal((int)count_at(v, "value.0.extensions"), 0);
    as(CAT, "POST", path(EVENTS "/%s/extensions", text_at(v, "value.0.id")),
       "{'extensionName':'Com.Port.Own','a':1}", 201);
    ocal_again();
    v = as(CAT, "GET", EVENTS "?$expand=extensions", NULL, 200);
    assert_int_equal(number_at(v, "value.0.extensions.0.a"), 1);
    v = as(BOB, "GET", EVENTS "?$expand=extensions", NULL, 200);
    id = text_at(v, "value.0.id");
    assert_int_equal((int)count_at(v, "value.0.extensions"), 2);
    as(BOB, "DELETE", path(EVENTS "/%s/extensions/Com.Port.Deal", id), NULL, 204);
    as(BOB, "DELETE", path(EVENTS "/%s/extensions/Com.Port.Deal", id), NULL, 404);
    as(BOB, "PATCH", path(EVENTS "/%s/extensions/Com.Port.Deal", id), "{'a':1}", 404);
    as(BOB, "POST", path(EVENTS "/%s/extensions", id), "{'a':1}", 400);
    v = as(BOB, "GET", path(EVENTS "/%s/extensions/com.port.first", id), NULL, 200);
    assert_int_equal(number_at(v, "rank"), 1);
}

/* ---- instances ---- */

/* A series names the occurrences that differ where they are expanded, and its delta those that it
 * lost. */
static void what_became_of_occurrences_is_said(void **state)
{
    (void)state;
    const struct json *v = make(BOB, DAILY "}");
    const char *id = text_at(v, "id");
    v = as(BOB, "GET",
           path(EVENTS "/%s/instances/delta?startDateTime=2026-11-23T00:00:00Z&endDateTime=2026-11-"
                       "30T00:00:00Z",
                id),
           NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 5);
    const char *second = text_at(v, "value.1.id"), *third = text_at(v, "value.2.id");
    const char *link = strstr(json_get_str(v, "@odata.deltaLink"), "/v1.0/");
    v = as(BOB, "GET", link, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 0);
    as(BOB, "PATCH", path(EVENTS "/%s", second), "{'subject':'Other'}", 200);
    as(BOB, "DELETE", path(EVENTS "/%s", third), NULL, 204);
    v = as(BOB, "GET", link, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 5);
    assert_string_equal(text_at(v, "value.1.subject"), "Other");
    assert_string_equal(text_at(v, "value.4.id"), third);
    assert_non_null(json_get(value_at(v, "value.4"), "@removed"));
    /* Pages of it go on where the one before ended. */
    const struct sosia_header headers[] = {{"Authorization", test_bearer(BOB, NULL)},
                                           {"Host", "graph.microsoft.com"},
                                           {"Prefer", "odata.maxpagesize=2"}};
    for (int i = 0; i < 3; i++) {
        v = test_request("GET", link, headers, 3, "", 0);
        assert_int_equal((int)count_at(v, "value"), i < 2 ? 2 : 1);
        link = json_get_str(v, i < 2 ? "@odata.nextLink" : "@odata.deltaLink");
        assert_non_null(link);
        link = strstr(link, "/v1.0/");
    }
    assert_string_equal(text_at(v, "value.0.id"), third);
    v = as(BOB, "GET",
           path(EVENTS "/%s?$select=subject,cancelledOccurrences&$expand=exceptionOccurrences("
                       "$select=subject)",
                id),
           NULL, 200);
    assert_int_equal((int)count_at(v, "cancelledOccurrences"), 1);
    assert_int_equal((int)count_at(v, "exceptionOccurrences"), 1);
    assert_string_equal(text_at(v, "exceptionOccurrences.0.id"), second);
    assert_string_equal(text_at(v, "exceptionOccurrences.0.subject"), "Other");
    assert_null(value_at(v, "exceptionOccurrences.0.body"));
    v = as(BOB, "GET", path(EVENTS "/%s", id), NULL, 200);
    assert_null(json_get(v, "exceptionOccurrences"));
    as(BOB, "GET",
       path(EVENTS "/%s/instances/delta?startDateTime=2026-11-23T00:00:00Z&endDateTime=2026-11-"
                   "30T00:00:00Z",
            second),
       NULL, 400);
    as(CAT, "GET", link, NULL, 404);
}

/* ---- lists ---- */

/* Pages without a filter have the newest events, whatever was changed since, and say what an event
 * is now, however often it was listed before. */
static void the_newest_events_are_listed_as_they_are(void **state)
{
    const char *ids[7];
    (void)state;
    for (int i = 0; i < 7; i++) {
        ids[i] = text_at(
            make(BOB, "{'subject':'One'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}"),
            "id");
        test_advance(60);
    }
    as(BOB, "PATCH", path(EVENTS "/%s", ids[0]), "{'subject':'Changed'}", 200);
    as(BOB, "DELETE", path(EVENTS "/%s", ids[5]), NULL, 204);
    static const int left[] = {6, 4, 3, 2, 1, 0};
    const char *target = EVENTS "?$top=2";
    for (int page = 0; page < 3; page++) {
        const struct json *v = as(BOB, "GET", target, NULL, 200);
        assert_int_equal((int)count_at(v, "value"), 2);
        for (int i = 0; i < 2; i++)
            assert_string_equal(json_get_str(&json_get(v, "value")->items[i], "id"),
                                ids[left[page * 2 + i]]);
        const char *link = json_get_str(v, "@odata.nextLink");
        assert_int_equal(link != NULL, page < 2);
        target = link ? strstr(link, "/v1.0/") : NULL;
        if (page == 2)
            assert_string_equal(text_at(v, "value.1.subject"), "Changed");
    }
    for (int round = 0; round < 2; round++) {
        const struct json *v = as(BOB, "GET", EVENTS "?$top=1", NULL, 200);
        assert_false(json_is_true(value_at(v, "value.0.hasAttachments")));
        v = as(BOB, "GET", EVENTS "?$top=1&$select=subject", NULL, 200);
        assert_null(value_at(v, "value.0.hasAttachments"));
    }
    as(BOB, "POST", path(EVENTS "/%s/attachments", ids[6]), FILE_OF("plan.txt"), 201);
    const struct json *v = as(BOB, "GET", EVENTS "?$top=1", NULL, 200);
    assert_true(json_is_true(value_at(v, "value.0.hasAttachments")));
    as(BOB, "PATCH", path(EVENTS "/%s", ids[6]), "{'subject':'Two'}", 200);
    v = as(BOB, "GET", EVENTS "?$top=1", NULL, 200);
    assert_string_equal(text_at(v, "value.0.subject"), "Two");
}

/* Many events of other people between them, and as many of the calendar's own. */
static void the_newest_events_are_found_among_others(void **state)
{
    const char *own[3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        own[i] = text_at(
            make(BOB, "{'subject':'Own'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}"),
            "id");
        for (int k = 0; k < 150; k++)
            make(CAT, "{'subject':'x'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    }
    const struct json *v = as(BOB, "GET", EVENTS, NULL, 200);
    assert_int_equal((int)count_at(v, "value"), 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(json_get_str(&json_get(v, "value")->items[i], "id"), own[2 - i]);
}

/* One event alone is answered as it is, too, however often it was answered before. */
static void an_event_is_answered_as_it_is(void **state)
{
    (void)state;
    const char *id = text_at(
        make(BOB, "{'subject':'One'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}"),
        "id");
    const char *first = NULL;
    for (int round = 0; round < 3; round++) {
        as(BOB, "GET", path(EVENTS "/%s", id), NULL, 200);
        if (first)
            assert_string_equal(test_body, first);
        first = arena_strdup(&test_arena, test_body);
        const struct json *v = as(BOB, "GET", path(EVENTS "/%s?$select=subject", id), NULL, 200);
        assert_int_equal(v->n, 4); /* context, etag, id, subject */
    }
    as(BOB, "PATCH", path(EVENTS "/%s", id), "{'subject':'Two'}", 200);
    assert_string_equal(text_at(as(BOB, "GET", path(EVENTS "/%s", id), NULL, 200), "subject"),
                        "Two");
    as(BOB, "POST", path(EVENTS "/%s/attachments", id), FILE_OF("plan.txt"), 201);
    const struct json *v = as(BOB, "GET", path(EVENTS "/%s", id), NULL, 200);
    assert_true(json_is_true(value_at(v, "hasAttachments")));
}

/* A world where the same event has another number does not get the item of the other world. */
static void an_item_has_the_id_of_its_own_world(void **state)
{
    static const char *const docs[] = {
        "calendars: [{id: c_x, primary: true, owner: bob@port.example, events: [{id: e1, summary: "
        "One, start: '2026-11-24T10:00'}]}, {id: c_y, summary: Y, owner: bob@port.example, vendor: "
        "microsoft}]",
        "calendars: [{id: c_x, primary: true, owner: bob@port.example, events: [{id: e0, summary: "
        "Zero, start: '2026-11-23T10:00'}, {id: e1, summary: One, start: '2026-11-24T10:00'}]}]"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(docs); i++) {
        test_use(ocal_doc_with(docs[i]));
        const struct json *v = as(BOB, "GET", EVENTS "?$top=1", NULL, 200);
        v = as(BOB, "GET", path(EVENTS "/%s", text_at(v, "value.0.id")), NULL, 200);
        assert_string_equal(text_at(v, "subject"), "One");
    }
}

/* ---- counts ---- */

static void lists_are_counted(void **state)
{
    static const char window[] = "startDateTime=2026-11-23T00:00:00Z&endDateTime=2026-11-30T00:00:"
                                 "00Z";
    (void)state;
    make(BOB, DAILY "}");
    for (int i = 0; i < 12; i++)
        make(BOB, "{'subject':'One'," TIMES("2026-11-24T10:00:00", "2026-11-24T11:00:00") "}");
    as(BOB, "POST", "/v1.0/me/calendars", "{'name':'Plans'}", 201);
    const struct {
        const char *target, *number;
    } all[] = {
        {EVENTS "/$count", "13"},
        {EVENTS "/$count?$filter=subject%20eq%20'One'", "12"},
        {"/v1.0/me/calendar/events/$count", "13"},
        {path("/v1.0/me/calendarView/$count?%s", window), "17"},
        {"/v1.0/me/calendars/$count", "2"},
        {"/v1.0/me/calendars/$count?$filter=name%20eq%20'Plans'", "1"},
    };
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        as(BOB, "GET", all[i].target, NULL, 200);
        assert_string_equal(test_body, all[i].number);
        assert_string_equal(test_header("Content-Type"), "text/plain");
    }
    as(BOB, "GET", "/v1.0/me/calendarView/$count", NULL, 400);
    as(CAT, "GET", "/v1.0/users/" BOB "/events/$count", NULL, 403);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_attachment_changes_its_event, ocal_test_world),
        cmocka_unit_test_setup(items_and_links_are_attached, ocal_test_world),
        cmocka_unit_test_setup(an_attachment_of_an_occurrence_is_its_own, ocal_test_world),
        cmocka_unit_test_setup(a_large_attachment_comes_in_ranges, ocal_test_world),
        cmocka_unit_test_setup(an_event_holds_so_many_bytes, ocal_test_world),
        cmocka_unit_test_setup(an_event_has_its_calendar, ocal_test_world),
        cmocka_unit_test_setup(roles_that_somebody_may_get_are_listed, ocal_test_world),
        cmocka_unit_test_setup(groups_and_attachments_are_in_dumps, ocal_test_world),
        cmocka_unit_test_setup(a_main_calendar_with_an_address_is_in_dumps, ocal_test_world),
        cmocka_unit_test(documents_are_refused_that_say_wrong_things_of_attachments),
        cmocka_unit_test_setup(attachments_are_the_same_wherever_they_are_read, ocal_test_world),
        cmocka_unit_test_setup(imported_attachments_are_objects, ocal_test_world),
        cmocka_unit_test_setup(a_guests_own_sensitivity_stays, ocal_test_world),
        cmocka_unit_test(copies_at_google_follow_in_diffs),
        cmocka_unit_test_setup(properties_lie_beside_events_and_calendars, ocal_test_world),
        cmocka_unit_test_setup(extensions_lie_beside_an_event, ocal_test_world),
        cmocka_unit_test_setup(what_became_of_occurrences_is_said, ocal_test_world),
        cmocka_unit_test_setup(the_newest_events_are_listed_as_they_are, ocal_test_world),
        cmocka_unit_test_setup(the_newest_events_are_found_among_others, ocal_test_world),
        cmocka_unit_test_setup(an_event_is_answered_as_it_is, ocal_test_world),
        cmocka_unit_test(an_item_has_the_id_of_its_own_world),
        cmocka_unit_test_setup(lists_are_counted, ocal_test_world),
    };
    return cmocka_run_group_tests(tests, test_open_engine, test_close_engine);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What an event carries: reminders, properties, attachments, conferences, what its type adds. */
#include "tests/support/gcal.h"
#include <stdio.h>

#define EVENTS "/calendars/primary/events"

#define TIMES                                                                                      \
    "'start':{'dateTime':'2026-11-24T10:00:00Z'},'end':{'dateTime':'2026-11-24T11:00:00Z'}"
#define DAY "'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}"

static void reminders_are_the_calendars_or_the_events_own(void **state)
{
    const struct json *v = make_event(
        "abcde", "'reminders':{'useDefault':false,'overrides':[{'method':'popup','minutes':15}]}");
    assert_false(true_at(v, "reminders.useDefault"));
    assert_int_equal(number_at(v, "reminders.overrides.0.minutes"), 15);
    as(ADA, "PATCH", EVENTS "/abcde",
       "{'reminders':{'useDefault':true,'overrides':[{'method':'popup','minutes':15}]}}");
    assert_refused(400, "cannotUseDefaultRemindersAndSpecifyOverride");
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'reminders':{'useDefault':true}}");
    assert_true(true_at(v, "reminders.useDefault"));
    assert_null(value_at(v, "reminders.overrides"));
    as(ADA, "PATCH", EVENTS "/abcde",
       "{'reminders':{'useDefault':false,'overrides':[{'method':'popup','minutes':40321}]}}");
    assert_refused(400, "invalid");
}

static void other_reminders_are_no_update(void **state)
{
    const struct json *v = make_event("abcde", "");
    const char *updated = text_at(v, "updated"), *etag = text_at(v, "etag");
    test_advance(60);
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'reminders':{'useDefault':false}}");
    assert_string_equal(text_at(v, "updated"), updated);
    assert_string_equal(text_at(v, "etag"), etag);
}

static void extended_properties_are_merged_by_a_patch_and_replaced_by_an_update(void **state)
{
    make_event("abcde", "'extendedProperties':{'private':{'a':'1','b':'2'},'shared':{'c':'3'}}");
    const struct json *v =
        as(ADA, "PATCH", EVENTS "/abcde", "{'extendedProperties':{'private':{'a':null,'d':'4'}}}");
    assert_null(value_at(v, "extendedProperties.private.a"));
    assert_string_equal(text_at(v, "extendedProperties.private.b"), "2");
    assert_string_equal(text_at(v, "extendedProperties.private.d"), "4");
    assert_string_equal(text_at(v, "extendedProperties.shared.c"), "3");
    v = as(ADA, "PUT", EVENTS "/abcde",
           "{'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"
           "'extendedProperties':{'private':{'e':'5'}}}");
    assert_int_equal(count_at(v, "extendedProperties.private"), 1);
    assert_null(value_at(v, "extendedProperties.shared"));
}

static void long_property_keys_are_dropped_and_long_values_cut(void **state)
{
    char body[2400] = "'extendedProperties':{'private':{'"
                      "0123456789012345678901234567890123456789abcde':'x','k':'";
    size_t n = strlen(body);
    memset(body + n, 'v', 1500);
    strcpy(body + n + 1500, "'}}");
    const struct json *v = make_event("abcde", body);
    assert_int_equal(count_at(v, "extendedProperties.private"), 1);
    assert_int_equal(strlen(text_at(v, "extendedProperties.private.k")), 1024);
}

static void attachments_change_only_when_they_are_supported(void **state)
{
    const struct json *v = make_event("abcde", "'attachments':[{'fileUrl':'https://x/'}]");
    assert_null(value_at(v, "attachments"));
    v = as(ADA, "PATCH", EVENTS "/abcde?supportsAttachments=true",
           "{'attachments':[{'fileUrl':'https://x/','title':'X'}]}");
    assert_string_equal(text_at(v, "attachments.0.title"), "X");
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'attachments':[]}");
    assert_int_equal(count_at(v, "attachments"), 1);
}

static void a_conference_is_made_in_the_answer_unless_the_world_says_later(void **state)
{
    static const char request[] =
        "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"
        "'conferenceData':{'createRequest':{'requestId':'r',"
        "'conferenceSolutionKey':{'type':'hangoutsMeet'}}}}";
    const struct json *v = as(ADA, "POST", EVENTS "?conferenceDataVersion=1", request);
    assert_string_equal(text_at(v, "conferenceData.createRequest.status.statusCode"), "success");
    assert_string_equal(text_at(v, "conferenceData.entryPoints.0.uri"), text_at(v, "hangoutLink"));
    assert_string_equal(text_at(v, "created"), text_at(v, "updated"));
    gcal_choose("conference: pending");
    v = as(ADA, "POST", EVENTS "?conferenceDataVersion=1", request);
    assert_string_equal(text_at(v, "conferenceData.createRequest.status.statusCode"), "pending");
    assert_string_equal(text_at(test_dump(), "googleCalendar.conference"), "pending");
}

/* A conference of another system may bring what is left of a request: nothing is due for it. */
static void a_request_without_an_id_is_never_served(void **state)
{
    const struct json *v = as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
                              "{" TIMES ",'conferenceData':{'conferenceId':'x','entryPoints':[{"
                              "'entryPointType':'video','uri':'https://meet.example/x'}],"
                              "'createRequest':{'status':{'statusCode':'pending'}}}}");
    assert_int_equal(test_status, 200);
    char target[200];
    snprintf(target, sizeof target, EVENTS "/%s", text_at(v, "id"));
    v = as(ADA, "GET", target, NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "conferenceData.conferenceId"), "x");
}

static void a_conference_that_is_pending_is_made_before_the_next_call(void **state)
{
    gcal_choose("conference: pending");
    const struct json *v =
        as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
           "{'id':'abcde','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"
           "'conferenceData':{'createRequest':{'requestId':'r',"
           "'conferenceSolutionKey':{'type':'hangoutsMeet'}}}}");
    assert_string_equal(text_at(v, "conferenceData.createRequest.status.statusCode"), "pending");
    assert_null(value_at(v, "hangoutLink"));
    v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "conferenceData.createRequest.status.statusCode"), "success");
    const char *link = text_at(v, "hangoutLink");
    assert_int_equal(strncmp(link, "https://meet.google.com/", 24), 0);
    assert_string_equal(text_at(v, "conferenceData.entryPoints.0.uri"), link);
    /* The same request again makes no other one. */
    v = as(ADA, "PATCH", EVENTS "/abcde?conferenceDataVersion=1",
           "{'conferenceData':{'createRequest':{'requestId':'r','conferenceSolutionKey':{'type':'"
           "hangoutsMeet'}}}}");
    assert_string_equal(text_at(v, "hangoutLink"), link);
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'conferenceData':null}");
    assert_string_equal(text_at(v, "hangoutLink"), link);
    v = as(ADA, "PATCH", EVENTS "/abcde?conferenceDataVersion=1", "{'conferenceData':null}");
    assert_null(value_at(v, "hangoutLink"));
}

static void focus_time_must_be_timed_and_on_the_primary_calendar(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'eventType':'focusTime','focusTimeProperties':{},'start':{'date':'2026-11-24'},'end':{'"
       "date':'2026-11-25'}}");
    assert_refused(400, "malformedFocusTimeEvent");
    const struct json *v = make_event(
        "abcde", "'eventType':'focusTime','focusTimeProperties':{'chatStatus':'doNotDisturb'}");
    assert_string_equal(text_at(v, "eventType"), "focusTime");
    assert_string_equal(text_at(v, "focusTimeProperties.chatStatus"), "doNotDisturb");
    as(ADA, "PATCH", EVENTS "/abcde", "{'eventType':'default'}");
    assert_refused(400, "eventTypeRestriction");
    v = as(ADA, "POST", "/calendars", "{'summary':'Second'}");
    char target[200] = "/calendars/";
    strcat(strcat(target, text_at(v, "id")), "/events");
    as(ADA, "POST", target,
       "{'eventType':'outOfOffice','start':{'dateTime':'2026-11-24T10:00:00Z'},'end':{'dateTime':'"
       "2026-11-24T11:00:00Z'}}");
    assert_refused(400, "eventTypeRestriction");
    as(ADA, "POST", EVENTS,
       "{'eventType':'fromGmail','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_refused(400, "eventTypeRestriction");
}

static void an_all_day_working_location_lasts_one_day(void **state)
{
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent',"
       "'workingLocationProperties':{'type':'homeOffice','homeOffice':{}},"
       "'start':{'date':'2026-11-24'},'end':{'date':'2026-11-26'}}");
    assert_refused(400, "malformedWorkingLocationEvent");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent',"
       "'workingLocationProperties':{'type':'homeOffice','homeOffice':{}},"
       "'start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'}}");
    assert_int_equal(test_status, 200);
}

static void the_source_is_shown_to_the_creator_alone(void **state)
{
    make_event(
        "abcde",
        "'source':{'title':'T','url':'https://x/'},'attendees':[{'email':'bob@acme.example'}]");
    const struct json *v = as(ADA, "GET", EVENTS "/abcde", NULL);
    assert_string_equal(text_at(v, "source.title"), "T");
    v = as(BOB, "GET", EVENTS "/abcde", NULL);
    assert_null(value_at(v, "source"));
}

/* The text of a refusal. */
static void assert_said(const char *message)
{
    assert_non_null(strstr(test_body, message));
}

static void properties_of_a_kind_belong_to_that_kind(void **state)
{
    as(ADA, "POST", EVENTS, "{'eventType':'focusTime'," TIMES "}");
    assert_refused(400, "malformedFocusTimeEvent");
    assert_said("focusTimeProperties requires an event type of focusTime, and vice versa.");
    as(ADA, "POST", EVENTS, "{'eventType':'outOfOffice'," TIMES "}");
    assert_refused(400, "malformedOutOfOfficeEvent");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent'," DAY
       "}");
    assert_refused(400, "malformedWorkingLocationEvent");
    as(ADA, "POST", EVENTS, "{'outOfOfficeProperties':{}," TIMES "}");
    assert_refused(400, "malformedOutOfOfficeEvent");
    as(ADA, "POST", EVENTS, "{'eventType':'focusTime','workingLocationProperties':{}," TIMES "}");
    assert_refused(400, "malformedWorkingLocationEvent");
    make_event("abcde", "");
    as(ADA, "PATCH", EVENTS "/abcde", "{'focusTimeProperties':{}}");
    assert_refused(400, "malformedFocusTimeEvent");
    as(ADA, "PATCH", EVENTS "/abcde", "{'focusTimeProperties':null}");
    assert_int_equal(test_status, 200);
}

static void a_time_of_absence_has_neither_text_nor_guests(void **state)
{
    static const char *const more[][2] = {
        {"'description':'x'", "An out of office event must not have a description."},
        {"'location':'x'", "An out of office event must not have a location."},
        {"'attendees':[{'email':'bob@acme.example'}]",
         "An out of office event must not have attendees."},
        {"'transparency':'transparent'",
         "An out of office event must have a transparency setting of opaque."},
    };
    char body[400];
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        snprintf(body, sizeof body,
                 "{'eventType':'outOfOffice','outOfOfficeProperties':{}," TIMES ",%s}", more[i][0]);
        as(ADA, "POST", EVENTS, body);
        assert_refused(400, "malformedOutOfOfficeEvent");
        assert_said(more[i][1]);
    }
    as(ADA, "POST", EVENTS, "{'eventType':'outOfOffice','outOfOfficeProperties':{}," DAY "}");
    assert_said("An out of office event must not be an all-day event.");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','workingLocationProperties':{}," DAY "}");
    assert_said("A working location event must have a visibility setting of public.");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','workingLocationProperties':{},'visibility':'public'," DAY
       "}");
    assert_said("A working location event must have a transparency setting of transparent.");
    as(ADA, "POST", EVENTS,
       "{'eventType':'focusTime','focusTimeProperties':{},'description':'x','location':'y'," TIMES
       "}");
    assert_int_equal(test_status, 200);
    as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
       "{'eventType':'focusTime','focusTimeProperties':{},'conferenceData':{'createRequest':{"
       "'requestId':'r'}}," TIMES "}");
    assert_refused(400, "malformedFocusTimeEvent");
}

/* n properties whose names begin with this. */
static char *add_properties(char *p, const char *name, int n, size_t len)
{
    p = stpcpy(p, "{");
    for (int i = 0; i < n; i++) {
        p += sprintf(p, "%s'%s%d':'", i ? "," : "", name, i);
        memset(p, 'v', len);
        p = stpcpy(p + len, "'");
    }
    return stpcpy(p, "}");
}

static void insert_properties(const char *id, int own, int shared, size_t len)
{
    static char body[200000];
    char *p = body + sprintf(body,
                             "{'id':'%s','attendees':[{'email':'bob@acme.example'}]," TIMES
                             ",'extendedProperties':{'private':",
                             id);
    p = stpcpy(add_properties(p, "p", own, len), ",'shared':");
    stpcpy(add_properties(p, "s", shared, len), "}}");
    as(ADA, "POST", EVENTS, body);
}

static void properties_of_all_kinds_and_copies_count_together(void **state)
{
    insert_properties("aaaaa", 150, 151, 1);
    assert_refused(400, "invalid");
    insert_properties("bbbbb", 20, 20, 1024);
    assert_refused(400, "invalid");
    insert_properties("ccccc", 150, 149, 1);
    assert_int_equal(test_status, 200);
    as(BOB, "PATCH", EVENTS "/ccccc", "{'extendedProperties':{'private':{'a':'1'}}}");
    assert_int_equal(test_status, 200);
    as(BOB, "PATCH", EVENTS "/ccccc", "{'extendedProperties':{'private':{'b':'1'}}}");
    assert_refused(400, "invalid");
    as(ADA, "PATCH", EVENTS "/ccccc", "{'extendedProperties':{'private':{'one':'1'}}}");
    assert_refused(400, "invalid");
    as(BOB, "PATCH", EVENTS "/ccccc", "{'summary':'other'}");
    assert_int_equal(test_status, 200);
}

static void a_birthday_is_a_private_day_of_every_year(void **state)
{
    const struct json *v = as(ADA, "POST", EVENTS,
                              "{'id':'abcde','summary':'Bob','eventType':'birthday'," DAY
                              ",'recurrence':['RRULE:FREQ=YEARLY']}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "visibility"), "private");
    assert_string_equal(text_at(v, "transparency"), "transparent");
    as(ADA, "PATCH", EVENTS "/abcde", "{'summary':'Bob is 40','colorId':'4'}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", EVENTS "/abcde", "{'description':'x'}");
    assert_refused(400, "eventTypeRestriction");
    as(ADA, "PATCH", EVENTS "/abcde", "{'recurrence':null}");
    assert_refused(400, "eventTypeRestriction");
    static const char *const wrong[] = {"", ",'recurrence':['RRULE:FREQ=DAILY']",
                                        ",'recurrence':['RRULE:FREQ=YEARLY'],'visibility':'public'",
                                        ",'recurrence':['RRULE:FREQ=YEARLY'],'location':'x'",
                                        ",'recurrence':['RRULE:FREQ=YEARLY'],'transparency':"
                                        "'opaque'"};
    char body[400];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(body, sizeof body, "{'eventType':'birthday'," DAY "%s}", wrong[i]);
        as(ADA, "POST", EVENTS, body);
        assert_refused(400, "malformedBirthdayEvent");
    }
}

/* The rest of a response from a member on, without spaces and line ends. */
static const char *tight(const char *from)
{
    static char out[2000];
    char *p = out;
    const char *at = strstr(test_body, from);
    assert_non_null(at);
    for (; *at && p < out + sizeof out - 1; at++)
        if (*at != ' ' && *at != '\n')
            *p++ = *at;
    *p = 0;
    return out;
}

#define assert_notified(text) assert_memory_equal(tight(from), text, strlen(text))

static void objects_are_shown_in_the_services_order_without_unknown_members(void **state)
{
    const char *from = "\"source\"";
    make_event("abcde",
               "'source':{'title':'T','x':1,'url':'https://a.example/'},"
               "'gadget':{'title':'G','preferences':{'b':'1','a':'2'},'type':'t','height':3}");
    assert_notified("\"source\":{\"url\":\"https://a.example/\",\"title\":\"T\"},");
    from = "\"gadget\"";
    assert_notified("\"gadget\":{\"type\":\"t\",\"title\":\"G\",\"height\":3,"
                    "\"preferences\":{\"b\":\"1\",\"a\":\"2\"}},");
    as(ADA, "POST", EVENTS "?supportsAttachments=true",
       "{" TIMES ",'attachments':[{'title':'Plan','fileId':'made-up','junk':{},"
       "'fileUrl':'https://docs.google.com/document/d/1aB-c_9/edit?usp=x'},"
       "{'fileUrl':'https://drive.google.com/open?id=77x&authuser=0'},"
       "{'fileUrl':'https://elsewhere.example/d/1','iconLink':'https://i.example/'}]}");
    from = "\"attachments\"";
    assert_notified("\"attachments\":[{\"fileUrl\":\"https://docs.google.com/document/d/1aB-c_9/"
                    "edit?usp=x\",\"title\":\"Plan\",\"fileId\":\"1aB-c_9\"},"
                    "{\"fileUrl\":\"https://drive.google.com/open?id=77x&authuser=0\",\"fileId\":"
                    "\"77x\"},{\"fileUrl\":\"https://elsewhere.example/d/1\",\"iconLink\":"
                    "\"https://i.example/\"}]");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent'," DAY
       ",'workingLocationProperties':{'customLocation':{'label':'no'},'officeLocation':"
       "{'label':'Pier','buildingId':'B','x':1},'type':'officeLocation'}}");
    from = "\"workingLocationProperties\"";
    assert_notified("\"workingLocationProperties\":{\"type\":\"officeLocation\",\"officeLocation\":"
                    "{\"buildingId\":\"B\",\"label\":\"Pier\"}}");
}

static void a_conference_is_shown_in_the_services_order(void **state)
{
    const char *from = "\"hangoutLink\"";
    as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
       "{'id':'abcde'," TIMES ",'conferenceData':{'notes':'N','conferenceId':'abc-defg-hij','x':1,"
       "'conferenceSolution':{'name':'Google Meet','key':{'type':'hangoutsMeet'}},"
       "'entryPoints':[{'uri':'https://meet.google.com/abc-defg-hij','entryPointType':'video',"
       "'y':2}]}}");
    assert_notified("\"hangoutLink\":\"https://meet.google.com/abc-defg-hij\",\"conferenceData\":{"
                    "\"entryPoints\":[{\"entryPointType\":\"video\",\"uri\":"
                    "\"https://meet.google.com/abc-defg-hij\"}],\"conferenceSolution\":{\"key\":{"
                    "\"type\":\"hangoutsMeet\"},\"name\":\"GoogleMeet\"},\"conferenceId\":"
                    "\"abc-defg-hij\",\"notes\":\"N\"}");
    const struct json *v = as(ADA, "PATCH", EVENTS "/abcde?conferenceDataVersion=1",
                              "{'conferenceData':{'conferenceId':'z','entryPoints':"
                              "[{'entryPointType':'video','uri':'https://z.example/1'}]}}");
    assert_null(value_at(v, "hangoutLink"));
    assert_string_equal(text_at(v, "conferenceData.notes"), "N");
    assert_string_equal(text_at(v, "conferenceData.conferenceId"), "z");
}

static void objects_of_another_shape_are_refused(void **state)
{
    static const char *const bad[] = {
        "'source':{'url':'https://a.example/','title':{}}",
        "'gadget':{'width':'wide'}",
        "'gadget':{'preferences':{'a':[]}}",
        "'gadget':[]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char body[400];
        snprintf(body, sizeof body, "{" TIMES ",%s}", bad[i]);
        as(ADA, "POST", EVENTS, body);
        assert_refused(400, "badRequest");
    }
    as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
       "{" TIMES ",'conferenceData':{'entryPoints':[{'entryPointType':'pigeon'}]}}");
    assert_refused(400, "invalid");
    as(ADA, "POST", EVENTS "?conferenceDataVersion=1",
       "{" TIMES ",'conferenceData':{'entryPoints':['https://x.example']}}");
    assert_refused(400, "badRequest");
    as(ADA, "POST", EVENTS "?supportsAttachments=true",
       "{" TIMES ",'attachments':[{'fileUrl':'https://x.example','title':[]}]}");
    assert_refused(400, "badRequest");
    as(ADA, "POST", EVENTS,
       "{'eventType':'focusTime'," TIMES ",'focusTimeProperties':{'chatStatus':'asleep'}}");
    assert_refused(400, "invalid");
    as(ADA, "POST", EVENTS,
       "{'eventType':'workingLocation','visibility':'public','transparency':'transparent'," DAY
       ",'workingLocationProperties':{'homeOffice':{}}}");
    assert_refused(400, "malformedWorkingLocationEvent");
}

static void a_patch_goes_into_objects(void **state)
{
    make_event("abcde", "'source':{'title':'T','url':'https://a.example/'}");
    const struct json *v = as(ADA, "PATCH", EVENTS "/abcde", "{'source':{'title':'U'}}");
    assert_string_equal(text_at(v, "source.url"), "https://a.example/");
    assert_string_equal(text_at(v, "source.title"), "U");
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'source':{'title':null}}");
    assert_null(value_at(v, "source.title"));
    as(ADA, "PATCH", EVENTS "/abcde", "{'source':{'url':null}}");
    assert_refused(400, "invalid");
    v = as(ADA, "PATCH", EVENTS "/abcde", "{'source':null}");
    assert_null(value_at(v, "source"));
}

static void a_birthday_says_of_what_type_it_is(void **state)
{
#define BIRTHDAY                                                                                   \
    "{'eventType':'birthday','start':{'date':'2026-11-24'},'end':{'date':'2026-11-25'},"           \
    "'recurrence':['RRULE:FREQ=YEARLY'],'visibility':'private','transparency':'transparent'"
    const struct json *v = as(ADA, "POST", EVENTS, BIRTHDAY "}");
    assert_string_equal(text_at(v, "birthdayProperties.type"), "birthday");
    v = as(ADA, "POST", EVENTS, BIRTHDAY ",'birthdayProperties':{'contact':'people/c1'}}");
    assert_string_equal(text_at(v, "birthdayProperties.type"), "birthday");
    assert_null(value_at(v, "birthdayProperties.contact"));
    as(ADA, "POST", EVENTS, BIRTHDAY ",'birthdayProperties':{'type':'anniversary'}}");
    assert_refused(400, "malformedBirthdayEvent");
}

static void a_patch_of_a_conference_that_a_seed_made_up(void **state)
{
    static const char *const points[] = {"{uri: 1}", "{a: {uri: https://meet.google.com/a}}",
                                         "[{uri: 7}, 5, {uri: [1]}]", "text"};
    test_made_up = true;
    for (size_t i = 0; i < SOSIA_LEN(points); i++) {
        test_use(arena_printf(
            &test_arena,
            "sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
            "organizations: [{domain: acme.example, name: Acme}]\n"
            "people: [{email: ada@acme.example, name: Ada}]\n"
            "calendars:\n  - id: ada@acme.example\n    events:\n"
            "      - {id: abcde, start: 2026-11-24, extra: {conferenceData: {entryPoints: %s}}}\n",
            points[i]));
        const struct json *v = as(ADA, "PATCH", EVENTS "/abcde?conferenceDataVersion=1",
                                  "{'conferenceData':{'notes':'N'}}");
        assert_int_equal(test_status, 200);
        assert_null(value_at(v, "hangoutLink"));
    }
    test_made_up = false;
}

static void an_attachment_says_what_its_file_is_to_who_may_see_it(void **state)
{
    (void)state;
    test_use(
        "sosia: 1\n"
        "time: 2026-11-23T08:00:00Z\n"
        "people: [{email: ada@acme.example, name: Ada}, {email: bob@acme.example, name: Bob}]\n"
        "files:\n"
        "  - {id: plan, owner: ada@acme.example, name: Plan, type: document}\n"
        "  - {id: pic, owner: ada@acme.example, name: Pic, mime: image/png, content: x, "
        "permissions: [{person: bob@acme.example, role: reader}]}\n");
    static const char body[] =
        "{" TIMES ",'attachments':[{'fileUrl':'https://docs.google.com/document/d/plan/edit'},"
        "{'fileUrl':'https://drive.google.com/open?id=pic','title':'Mine'},"
        "{'fileUrl':'https://drive.google.com/file/d/gone/view'}]}";
    const struct json *v = as(ADA, "POST", EVENTS "?supportsAttachments=true", body);
    assert_string_equal(members(v, "attachments.0"), "fileUrl title mimeType iconLink fileId");
    assert_string_equal(text_at(v, "attachments.0.title"), "Plan");
    assert_string_equal(text_at(v, "attachments.0.mimeType"),
                        "application/vnd.google-apps.document");
    assert_string_equal(text_at(v, "attachments.1.title"), "Mine");
    assert_string_equal(text_at(v, "attachments.1.mimeType"), "image/png");
    assert_string_equal(members(v, "attachments.2"), "fileUrl fileId");
    /* Of Ada's own document Bob sees nothing. */
    v = as(BOB, "POST", EVENTS "?supportsAttachments=true", body);
    assert_string_equal(members(v, "attachments.0"), "fileUrl fileId");
    assert_string_equal(text_at(v, "attachments.1.mimeType"), "image/png");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(reminders_are_the_calendars_or_the_events_own),
        gcal_test(other_reminders_are_no_update),
        gcal_test(extended_properties_are_merged_by_a_patch_and_replaced_by_an_update),
        gcal_test(long_property_keys_are_dropped_and_long_values_cut),
        gcal_test(attachments_change_only_when_they_are_supported),
        gcal_test(an_attachment_says_what_its_file_is_to_who_may_see_it),
        gcal_test(a_conference_is_made_in_the_answer_unless_the_world_says_later),
        gcal_test(a_conference_that_is_pending_is_made_before_the_next_call),
        gcal_test(a_request_without_an_id_is_never_served),
        gcal_test(focus_time_must_be_timed_and_on_the_primary_calendar),
        gcal_test(an_all_day_working_location_lasts_one_day),
        gcal_test(the_source_is_shown_to_the_creator_alone),
        gcal_test(properties_of_a_kind_belong_to_that_kind),
        gcal_test(a_time_of_absence_has_neither_text_nor_guests),
        gcal_test(properties_of_all_kinds_and_copies_count_together),
        gcal_test(a_birthday_is_a_private_day_of_every_year),
        gcal_test(objects_are_shown_in_the_services_order_without_unknown_members),
        gcal_test(a_conference_is_shown_in_the_services_order),
        gcal_test(objects_of_another_shape_are_refused),
        gcal_test(a_patch_goes_into_objects),
        gcal_test(a_birthday_says_of_what_type_it_is),
        gcal_test(a_patch_of_a_conference_that_a_seed_made_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

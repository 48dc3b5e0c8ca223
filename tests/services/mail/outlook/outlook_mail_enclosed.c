/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: attachments that are events, contacts and links, and mentions. */
#include "engine/base/codec.h"
#include "tests/support/outlook.h"

#define BETA "!/beta/me"
#define EVENT                                                                                      \
    "{'@odata.type':'#microsoft.graph.itemAttachment','name':'Holiday event','item':{"             \
    "'@odata.type':'microsoft.graph.event','subject':'Discuss gifts, for children; "               \
    "\u00e9t\u00e9',"                                                                              \
    "'body':{'contentType':'HTML','content':'Let us look\\nfor funding!'},'location':{"            \
    "'displayName':'Caf\u00e9'},'start':{'dateTime':'2026-12-02T18:00:00','timeZone':"             \
    "'Pacific Standard Time'},'end':{'dateTime':'2026-12-02T19:00:00','timeZone':"                 \
    "'Pacific Standard Time'},'recurrence':{'pattern':{'type':'daily','interval':1},'range':{"     \
    "'type':'noEnd','startDate':'2026-12-02'}}}}"
#define CONTACT                                                                                    \
    "{'@odata.type':'#microsoft.graph.itemAttachment','name':'Alex','item':{'@odata.type':"        \
    "'#microsoft.graph.contact','displayName':'Alex Wilbur','givenName':'Alex','surname':"         \
    "'Wilbur','emailAddresses':[{'address':'alex@port.example'}],'businessPhones':["               \
    "'(425) 555-0100']}}"
#define LINK                                                                                       \
    "{'@odata.type':'#microsoft.graph.referenceAttachment','name':'Pictures','sourceUrl':"         \
    "'https://port.example/personal/bob/Documents/Pics%%20of%%20us','providerType':"               \
    "'oneDriveBusiness','permission':'Edit','isFolder':true}"

static const char *draft(const char *subject)
{
    return arena_strdup(&test_arena,
                        text_at(ol_do(BOB, "POST", "/messages",
                                      ol_text("{'subject':'%s','toRecipients':[{'emailAddress':{"
                                              "'address':'cyd@port.example'}},{'emailAddress':{"
                                              "'address':'ada@acme.example'}}]}",
                                              subject),
                                      201),
                                "id"));
}

static const struct json *attach(const char *id, const char *body, int status)
{
    return ol_do(BOB, "POST", ol_text(BETA "/messages/%s/attachments", id), body, status);
}

static bool has(const char *text)
{
    return strstr(test_body, text) != NULL;
}

/* A line of the answer, as it is unfolded. */
static bool has_line(const char *line)
{
    char *plain = arena_alloc(&test_arena, test_len + 3);
    size_t n = 0;
    plain[n++] = '\n';
    for (size_t i = 0; i < test_len; i++) {
        if (test_body[i] == '\r')
            continue;
        if (test_body[i] == '\n' && i + 1 < test_len && test_body[i + 1] == ' ')
            i++;
        else
            plain[n++] = test_body[i];
    }
    plain[n] = 0;
    return strstr(plain, ol_text("\n%s\n", line)) != NULL;
}

/* Names of members count without regard to case, and each member is said once. */
static void a_member_of_an_item_is_said_once(void **state)
{
    const char *id = draft("Case");
    (void)state;
    const struct json *v =
        attach(id,
               "{'@odata.type':'#microsoft.graph.itemAttachment','name':'x','item':{'@odata.type':"
               "'#microsoft.graph.event','Importance':'high','subject':'one','SUBJECT':'two'}}",
               201);
    v = ol_get(BOB, 200, "/messages/%s/attachments/%s?$expand=microsoft.graph.itemAttachment/item",
               id, text_at(v, "id"));
    const struct json *item = value_at(v, "item");
    for (uint32_t i = 0; i < item->n; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(item->members[i].key, item->members[k].key);
    assert_string_equal(text_at(v, "item.importance"), "high");
    assert_string_equal(text_at(v, "item.subject"), "one");
}

static void an_event_and_a_contact_go_with_a_message(void **state)
{
    const char *id = draft("Items");
    const struct json *v = attach(id, EVENT, 201);
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.itemAttachment");
    assert_string_equal(text_at(v, "name"), "Holiday event");
    assert_int_equal(json_get(v, "contentType")->type, JSON_NULL);
    assert_null(json_get(v, "item"));
    attach(id, CONTACT, 201);
    ol_do(BOB, "POST", ol_text("/messages/%s/send", id), NULL, 202);
    id = ol_newest(CYD, "inbox");
    v = ol_get(CYD, 200, "/messages/%s", id);
    assert_null(json_get(v, "meetingMessageType")); /* it is not an invitation */
    assert_true(true_at(v, "hasAttachments"));
    v = ol_get(CYD, 200, "/messages/%s/attachments?$expand=microsoft.graph.itemAttachment/item",
               id);
    assert_int_equal(count_at(v, "value"), 2);
    assert_string_equal(json_get_str(value_at(v, "value.0.item"), "@odata.type"),
                        "#microsoft.graph.event");
    assert_string_equal(text_at(v, "value.0.item.id"), "");
    assert_string_equal(text_at(v, "value.0.item.subject"),
                        "Discuss gifts, for children; \u00e9t\u00e9");
    assert_string_equal(text_at(v, "value.0.item.body.content"), "Let us look\nfor funding!");
    assert_string_equal(text_at(v, "value.0.item.start.timeZone"), "Pacific Standard Time");
    assert_string_equal(text_at(v, "value.0.item.recurrence.pattern.type"), "daily");
    assert_string_equal(text_at(v, "value.0.item.showAs"), "busy");
    assert_string_equal(json_get_str(value_at(v, "value.1.item"), "@odata.type"),
                        "#microsoft.graph.contact");
    assert_string_equal(text_at(v, "value.1.item.emailAddresses.0.address"), "alex@port.example");
    const char *event = text_at(v, "value.0.id"), *contact = text_at(v, "value.1.id");
    ol_get(CYD, 200, "/messages/%s/attachments/%s/$value", id, event);
    assert_true(str_starts(test_body, "BEGIN:VCALENDAR\r\nMETHOD:PUBLISH\r\n"));
    assert_true(has_line("DTSTART:20261203T020000Z"));
    assert_true(has_line("SUMMARY;LANGUAGE=en-US:Discuss gifts\\, for children\\; \u00e9t\u00e9"));
    assert_true(has_line("LOCATION;LANGUAGE=en-US:Caf\u00e9"));
    ol_get(CYD, 200, "/messages/%s/attachments/%s/$value", id, contact);
    assert_true(str_starts(test_body, "BEGIN:VCARD\r\n"));
    assert_true(has_line("N:Wilbur;Alex;;;"));
    assert_true(has_line("TEL;TYPE=WORK:(425) 555-0100"));
}

/* Lines are folded anywhere, within what is escaped too. */
static void an_item_comes_back_as_it_went(void **state)
{
    char notes[301];
    const char *id = draft("Items");
    for (size_t i = 0; i + 1 < sizeof notes; i++)
        notes[i] = i % 7 == 3 ? 'x' : i % 2 ? ';' : ',';
    notes[sizeof notes - 1] = 0;
    const struct json *v =
        attach(id,
               ol_text("{'@odata.type':'#microsoft.graph.itemAttachment','item':{'@odata.type':"
                       "'#microsoft.graph.contact','displayName':'A','personalNotes':'%s'}}",
                       notes),
               201);
    v = ol_get(BOB, 200, "/messages/%s/attachments/%s?$expand=microsoft.graph.itemAttachment/item",
               id, text_at(v, "id"));
    assert_string_equal(text_at(v, "item.personalNotes"), notes);
}

/* However deep a body's values are, and whatever the case of their names. */
static void an_item_has_each_member_once(void **state)
{
    const char *id = draft("Items"), *deep = "1";
    for (int i = 0; i < 60; i++)
        deep = ol_text("{'x':%s}", deep);
    const struct json *v =
        attach(id,
               ol_text("{'@odata.type':'#microsoft.graph.itemAttachment','name':'x','item':{"
                       "'@odata.type':'#microsoft.graph.event','ShowAs':'free','Subject':'A',"
                       "'subject':'B','location':{'displayName':'Quay','x':%s}}}",
                       deep),
               201);
    v = ol_get(BOB, 200, "/messages/%s/attachments/%s?$expand=microsoft.graph.itemAttachment/item",
               id, text_at(v, "id"));
    assert_string_equal(json_get_str(json_get(v, "item"), "@odata.type"), "#microsoft.graph.event");
    assert_string_equal(text_at(v, "item.location.displayName"), "Quay");
    assert_string_equal(text_at(v, "item.showAs"), "free");
    assert_null(strstr(strstr(test_body, "\"showAs\"") + 1, "\"showAs\""));
    assert_null(strstr(strstr(test_body, "\"subject\"") + 1, "\"subject\""));
}

static void items_are_refused(void **state)
{
    const char *id = draft("Items");
    attach(id, "{'@odata.type':'#microsoft.graph.itemAttachment','name':'x'}", 400);
    ol_refused(400, "ErrorInvalidRequest", "The item of an itemAttachment is required.");
    attach(id, "{'@odata.type':'#microsoft.graph.itemAttachment','item':{'@odata.type':'#x.y'}}",
           400);
    ol_refused(400, "RequestBodyRead", "A type named '#x.y' could not be resolved by the model.");
    attach(id,
           "{'@odata.type':'#microsoft.graph.itemAttachment','item':{'@odata.type':"
           "'#microsoft.graph.drive'}}",
           400);
    ol_refused(400, "ErrorInvalidRequest", NULL);
    attach(id,
           "{'@odata.type':'#microsoft.graph.itemAttachment','item':{'@odata.type':"
           "'#microsoft.graph.event','subject':'x','start':{'dateTime':'soon','timeZone':'UTC'}}}",
           400);
    ol_refused(400, "ErrorPropertyValidationFailure", NULL);
    attach(id,
           "{'@odata.type':'#microsoft.graph.itemAttachment','item':{'@odata.type':"
           "'#microsoft.graph.contact','nonsense':'x'}}",
           400);
    ol_refused(400, "RequestBodyRead", NULL);
    attach(id,
           "{'@odata.type':'#microsoft.graph.itemAttachment','item':{'@odata.type':"
           "'#microsoft.graph.contact','surname':5}}",
           400);
    ol_refused(400, "UnableToDeserializePostBody", NULL);
    assert_int_equal(count_at(ol_get(BOB, 200, "/messages/%s/attachments", id), "value"), 0);
}

static void a_link_is_of_beta(void **state)
{
    const char *id = draft("Link");
    ol_do(BOB, "POST", ol_text("/messages/%s/attachments", id), ol_text(LINK), 400);
    ol_refused(400, "RequestBodyRead",
               "The property 'sourceUrl' does not exist on type "
               "'Microsoft.OutlookServices.ReferenceAttachment'. Make sure to only use property "
               "names that are defined by the type or mark the type as open type.");
    attach(id, "{'@odata.type':'#microsoft.graph.referenceAttachment','name':'x'}", 400);
    ol_refused(400, "ErrorInvalidProperty",
               "The property 'SourceUrl' is required when creating the entity.");
    attach(id,
           "{'@odata.type':'#microsoft.graph.referenceAttachment','name':'x','sourceUrl':'x',"
           "'permission':'none'}",
           400);
    ol_refused(400, "RequestBodyRead", "Requested value 'none' was not found.");
    attach(id,
           "{'@odata.type':'#microsoft.graph.referenceAttachment','name':'x','sourceUrl':'a b'}",
           400);
    ol_refused(400, "ErrorPropertyValidationFailure", NULL);
    const struct json *v = attach(id, ol_text(LINK), 201);
    assert_string_equal(json_get_str(v, "@odata.type"), "#microsoft.graph.referenceAttachment");
    assert_string_equal(text_at(v, "permission"), "edit");
    /* A change of the draft keeps it, and so does sending. */
    ol_do(BOB, "PATCH", ol_text("/messages/%s", id), "{'subject':'Link, again'}", 200);
    ol_do(BOB, "POST", ol_text("/messages/%s/send", id), NULL, 202);
    id = ol_newest(CYD, "inbox");
    v = ol_get(CYD, 200, BETA "/messages/%s/attachments", id);
    assert_string_equal(members(v, "value.0"),
                        "@odata.type id lastModifiedDateTime name contentType size isInline "
                        "sourceUrl providerType thumbnailUrl previewUrl permission isFolder");
    assert_string_equal(text_at(v, "value.0.sourceUrl"),
                        "https://port.example/personal/bob/Documents/Pics%20of%20us");
    assert_string_equal(text_at(v, "value.0.providerType"), "oneDriveBusiness");
    assert_true(true_at(v, "value.0.isFolder"));
    const char *at = text_at(v, "value.0.id");
    v = ol_get(CYD, 200, "/messages/%s/attachments/%s", id, at);
    assert_null(json_get(v, "sourceUrl"));
    ol_get(CYD, 405, "/messages/%s/attachments/%s/$value", id, at);
    ol_get(CYD, 200, "/messages/%s/$value", id);
    assert_true(has("Content-Type: message/external-body; access-type=URL; "
                    "URL=\"https://port.example/personal/bob/Documents/Pics%20of%20us\""));
}

/* ---- mentions ---- */

#define MENTION "{'mentioned':{'name':'%s','address':'%s'}}"

static const char *mentioning(void)
{
    const struct json *v =
        ol_do(BOB, "POST", BETA "/messages",
              ol_text("{'subject':'Kickoff','toRecipients':[{'emailAddress':{'address':"
                      "'cyd@port.example'}},{'emailAddress':{'address':'ada@acme.example'}}],"
                      "'mentions':[" MENTION "," MENTION "]}",
                      "Cyd, the \u00e9lder", CYD, "Ada", ADA),
              201);
    assert_false(true_at(v, "mentionsPreview.isMentioned"));
    assert_null(json_get(v, "mentions"));
    return arena_strdup(&test_arena, text_at(v, "id"));
}

static void who_is_mentioned_finds_the_message(void **state)
{
    const char *id = mentioning();
    ol_send(BOB, CYD, "Other", "x");
    ol_do(BOB, "POST", ol_text("/messages/%s/send", id), NULL, 202);
    const struct json *v =
        ol_get(CYD, 200,
               BETA "/messages?$filter=mentionsPreview/isMentioned%%20eq%%20true&$expand=mentions");
    assert_string_equal(column(v, "value", "subject"), "Kickoff");
    assert_true(true_at(v, "value.0.mentionsPreview.isMentioned"));
    assert_int_equal(count_at(v, "value.0.mentions"), 2);
    assert_string_equal(members(v, "value.0.mentions.0"),
                        "id mentioned mentionText clientReference createdBy createdDateTime "
                        "serverCreatedDateTime deepLink application");
    assert_string_equal(text_at(v, "value.0.mentions.0.mentioned.name"), "Cyd, the \u00e9lder");
    assert_string_equal(text_at(v, "value.0.mentions.0.mentioned.address"), CYD);
    assert_string_equal(text_at(v, "value.0.mentions.0.createdBy.address"), BOB);
    assert_string_equal(text_at(v, "value.0.mentions.0.createdDateTime"), "2026-11-23T08:00:00Z");
    v = ol_get(CYD, 200, BETA "/messages?$filter=subject%%20eq%%20'Other'");
    assert_int_equal(value_at(v, "value.0.mentionsPreview")->type, JSON_NULL);
    /* v1.0 does not have it. */
    v = ol_get(CYD, 200, "/messages/%s", ol_newest(CYD, "inbox"));
    assert_null(json_get(v, "mentionsPreview"));
    ol_get(CYD, 400, "/messages?$filter=mentionsPreview/isMentioned%%20eq%%20true");
    ol_get(CYD, 400, "/messages?$expand=mentions");
    ol_get(CYD, 400, "/messages/%s/mentions", ol_newest(CYD, "inbox"));
    ol_do(BOB, "POST", "/messages", ol_text("{'mentions':[" MENTION "]}", "Ada", ADA), 400);
    ol_refused(400, "RequestBodyRead", NULL);
}

static void a_mention_is_taken_off(void **state)
{
    const char *id = mentioning();
    const struct json *v = ol_get(BOB, 200, BETA "/messages/%s/mentions", id);
    assert_int_equal(count_at(v, "value"), 2);
    const char *first = arena_strdup(&test_arena, text_at(v, "value.0.id")),
               *second = text_at(v, "value.1.id");
    v = ol_get(BOB, 200, BETA "/messages/%s/mentions/%s", id, first);
    assert_string_equal(text_at(v, "mentioned.address"), CYD);
    second = arena_strdup(&test_arena, second);
    ol_do(BOB, "DELETE", ol_text(BETA "/messages/%s/mentions/%s", id, second), NULL, 204);
    ol_get(BOB, 404, BETA "/messages/%s/mentions/%s", id, second);
    ol_do(BOB, "POST", ol_text("/messages/%s/send", id), NULL, 202);
    id = ol_newest(CYD, "inbox");
    assert_int_equal(count_at(ol_get(CYD, 200, BETA "/messages/%s/mentions", id), "value"), 1);
    v = ol_get(CYD, 200, BETA "/messages/%s", id);
    const char *etag = arena_strdup(&test_arena, json_get_str(v, "@odata.etag"));
    ol_do(CYD, "DELETE", ol_text(BETA "/messages/%s/mentions/%s", id, first), NULL, 204);
    v = ol_get(CYD, 200, BETA "/messages/%s?$expand=mentions", id);
    assert_int_equal(count_at(v, "mentions"), 0);
    assert_int_equal(json_get(v, "mentionsPreview")->type, JSON_NULL);
    assert_string_not_equal(json_get_str(v, "@odata.etag"), etag);
    /* The sender's copy is another one. */
    v = ol_get(BOB, 200, BETA "/messages/%s/mentions", ol_newest(BOB, "sentitems"));
    assert_int_equal(count_at(v, "value"), 1);
    ol_do(BOB, "POST", BETA "/messages", "{'mentions':[{'mentioned':{'name':'x'}}]}", 400);
    ol_refused(400, "ErrorInvalidProperty", NULL);
    uint64_t copy;
    assert_int_equal(test_import_changed(NULL, &copy), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(a_member_of_an_item_is_said_once),
        ol_test(an_event_and_a_contact_go_with_a_message),
        ol_test(an_item_comes_back_as_it_went),
        ol_test(an_item_has_each_member_once),
        ol_test(items_are_refused),
        ol_test(a_link_is_of_beta),
        ol_test(who_is_mentioned_finds_the_message),
        ol_test(a_mention_is_taken_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

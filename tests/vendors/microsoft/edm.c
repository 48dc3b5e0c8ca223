/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of types: inheritance, the order of answers, names, shapes of rows, and $metadata. */
#include "engine/base/err.h"
#include "tests/support/unit.h"
#include "vendors/microsoft/types/types.h"
#include <libxml/parser.h>
#include <libxml/tree.h>

static struct arena arena;

static const struct edm_type *type(const char *name)
{
    const struct edm_type *t = edm_type_find(name, strlen(name));
    assert_non_null(t);
    return t;
}

static const struct edm_property *property(const char *of, const char *name)
{
    return edm_property_find(type(of), name, strlen(name));
}

static void types_are_found_by_their_names(void **state)
{
    static const char *const names[] = {"message", "microsoft.graph.message", "graph.message",
                                        "#microsoft.graph.message", "#Microsoft.Graph.Message"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        assert_string_equal(type(names[i])->name, "message");
    assert_null(edm_type_find("messages", 8));
    assert_null(edm_type_find("messag", 6));
    assert_null(edm_type_find("", 0));
    assert_ptr_equal(edm_type_find("messageX", 7), type("message"));
    for (size_t i = 0; i < edm_n_types; i++)
        assert_ptr_equal(type(edm_types[i]->name), edm_types[i]);
    for (size_t i = 0; i < edm_n_enums; i++)
        assert_ptr_equal(edm_enum_find(edm_enums[i]->name, strlen(edm_enums[i]->name)),
                         edm_enums[i]);
    const struct edm_enum *e = edm_enum_find("microsoft.graph.importance", 26);
    assert_int_equal(edm_value_find(e, "NORMAL", 6), 1);
    assert_int_equal(edm_value_find(e, "norma", 5), -1);
    assert_true(edm_enum_find("mailTipsType", 12)->flags);
}

static void properties_are_inherited(void **state)
{
    const struct edm_property *p = property("eventMessageRequest", "ID");
    (void)state;
    assert_ptr_equal(p->owner, type("entity"));
    assert_false(p->nullable);
    assert_true(p->read_only);
    p = property("eventMessageRequest", "toRecipients");
    assert_ptr_equal(p->owner, type("message"));
    assert_ptr_equal(p->type, type("recipient"));
    assert_true(p->collection);
    assert_int_equal(property("message", "importance")->kind, EDM_ENUM);
    assert_true(property("message", "attachments")->navigation);
    assert_true(property("message", "uniqueBody")->asked);
    assert_null(property("message", "meetingMessageType"));
    assert_true(edm_is_a(type("eventMessageRequest"), type("outlookItem")));
    assert_false(edm_is_a(type("message"), type("event")));
    for (size_t i = 0; i < edm_n_types; i++)
        for (size_t k = 0; k < edm_types[i]->n; k++) {
            const struct edm_property *own = edm_types[i]->properties[k];
            assert_ptr_equal(edm_property_find(edm_types[i], own->name, strlen(own->name)), own);
        }
}

/* The names of a type's members that are answered to everybody, " " between them. */
static const char *order_of(const char *name)
{
    const struct edm_type *t = type(name);
    const char *text = "";
    for (size_t i = 0; i < t->n; i++)
        if (!t->properties[i]->navigation && !t->properties[i]->asked && !t->properties[i]->beta)
            text = arena_printf(&arena, "%s%s%s", text, *text ? " " : "", t->properties[i]->name);
    return text;
}

/* As answers of the service have them. */
static void members_are_in_the_vendors_order(void **state)
{
    static const struct {
        const char *type, *want;
    } cases[] = {
        {"message",
         "id createdDateTime lastModifiedDateTime changeKey categories receivedDateTime "
         "sentDateTime hasAttachments internetMessageId subject bodyPreview importance "
         "parentFolderId conversationId conversationIndex isDeliveryReceiptRequested "
         "isReadReceiptRequested isRead isDraft webLink inferenceClassification body sender from "
         "toRecipients ccRecipients bccRecipients replyTo flag"},
        {"eventMessageRequest",
         "id createdDateTime lastModifiedDateTime changeKey categories receivedDateTime "
         "sentDateTime hasAttachments internetMessageId subject bodyPreview importance "
         "parentFolderId conversationId conversationIndex isDeliveryReceiptRequested "
         "isReadReceiptRequested isRead isDraft webLink inferenceClassification "
         "meetingMessageType type isOutOfDate isAllDay isDelegated responseRequested "
         "allowNewTimeProposals meetingRequestType body sender from toRecipients ccRecipients "
         "bccRecipients replyTo flag startDateTime endDateTime location recurrence "
         "previousLocation previousStartDateTime previousEndDateTime"},
        {"event",
         "id createdDateTime lastModifiedDateTime changeKey categories transactionId "
         "originalStartTimeZone originalEndTimeZone iCalUId uid reminderMinutesBeforeStart "
         "isReminderOn hasAttachments subject bodyPreview importance sensitivity isAllDay "
         "isCancelled isOrganizer responseRequested seriesMasterId showAs type webLink "
         "onlineMeetingUrl isOnlineMeeting onlineMeetingProvider allowNewTimeProposals "
         "occurrenceId isDraft hideAttendees originalStart responseStatus body start end location "
         "locations recurrence attendees organizer onlineMeeting"},
        {"calendar",
         "id name color hexColor groupClassId isDefaultCalendar changeKey canShare "
         "canViewPrivateItems canEdit allowedOnlineMeetingProviders defaultOnlineMeetingProvider "
         "isTallyingResponses isRemovable owner"},
        {"mailFolder",
         "id displayName parentFolderId childFolderCount unreadItemCount totalItemCount "
         "sizeInBytes isHidden"},
        {"user", "businessPhones displayName givenName jobTitle mail mobilePhone officeLocation "
                 "preferredLanguage surname userPrincipalName id deletedDateTime"},
        {"mailboxSettings",
         "archiveFolder timeZone delegateMeetingMessageDeliveryOptions dateFormat timeFormat "
         "userPurpose automaticRepliesSetting language workingHours"},
        {"attendee", "type status proposedNewTime emailAddress"},
        {"fileAttachment",
         "id lastModifiedDateTime name contentType size isInline contentId contentLocation "
         "contentBytes"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        assert_string_equal(order_of(cases[i].type), cases[i].want);
}

static void names_of_types_are_written(void **state)
{
    const struct edm_property *p = property("message", "toRecipients");
    (void)state;
    assert_string_equal(edm_name_of(&arena, p->kind, p->type, p->values, p->collection),
                        "Collection(microsoft.graph.recipient)");
    p = property("message", "importance");
    assert_string_equal(edm_name_of(&arena, p->kind, p->type, p->values, false),
                        "microsoft.graph.importance");
    assert_string_equal(edm_name_of(&arena, EDM_DATE_TIME, NULL, NULL, false),
                        "Edm.DateTimeOffset");
}

static const struct schema *shape(const char *name)
{
    for (size_t i = 0; i < GRAPH_SCHEMAS; i++)
        if (strcmp(graph_schemas[i].name, name) == 0)
            return &graph_schemas[i];
    return NULL;
}

static const struct field *member(const char *of, const char *name)
{
    const struct schema *s = shape(of);
    assert_non_null(s);
    for (size_t i = 0; i < s->n_fields; i++)
        if (strcmp(s->fields[i].name, name) == 0)
            return &s->fields[i];
    return NULL;
}

/* Look-ups of shapes halve the list, and members of types that are named must lead to a shape. */
static void rows_have_shapes(void **state)
{
    static const char *const plain[] = {"string", "integer", "number", "boolean", "any"};
    (void)state;
    for (size_t i = 0; i < GRAPH_SCHEMAS; i++) {
        const struct schema *s = &graph_schemas[i];
        assert_true(!i || strcmp(graph_schemas[i - 1].name, s->name) < 0);
        for (size_t k = 0; k < s->n_fields; k++) {
            bool known = shape(s->fields[k].type) != NULL;
            for (size_t j = 0; j < SOSIA_LEN(plain); j++)
                known = known || strcmp(s->fields[k].type, plain[j]) == 0;
            assert_true(known);
            for (size_t j = 0; j < k; j++)
                assert_string_not_equal(s->fields[j].name, s->fields[k].name);
        }
    }
    assert_string_equal(member("microsoft.graph.message", "body")->type,
                        "microsoft.graph.itemBody");
    assert_string_equal(member("microsoft.graph.message", "receivedDateTime")->format, "date-time");
    assert_string_equal(member("microsoft.graph.itemBody", "contentType")->values[1], "html");
    assert_true(member("microsoft.graph.message", "isDraft")->read_only);
    assert_true(member("microsoft.graph.message", "id")->read_only);
    assert_false(member("microsoft.graph.singleValueLegacyExtendedProperty", "id")->read_only);
    assert_true(member("microsoft.graph.message", "attachments")->list);
    assert_non_null(member("microsoft.graph.attachment", "contentBytes"));
    assert_non_null(member("microsoft.graph.attachment", "@odata.type"));
    assert_null(member("microsoft.graph.fileAttachment", "item"));
}

static const xmlNode *element(const xmlNode *in, const char *name, const char *named)
{
    for (const xmlNode *n = in->children; n; n = n->next) {
        if (n->type != XML_ELEMENT_NODE || strcmp((const char *)n->name, name) != 0)
            continue;
        xmlChar *is = xmlGetProp(n, (const xmlChar *)"Name");
        bool same = !named || (is && strcmp((const char *)is, named) == 0);
        xmlFree(is);
        if (same)
            return n;
    }
    return NULL;
}

static void has_attribute(const xmlNode *n, const char *name, const char *want)
{
    assert_non_null(n);
    xmlChar *is = xmlGetProp(n, (const xmlChar *)name);
    assert_non_null(is);
    assert_string_equal((const char *)is, want);
    xmlFree(is);
}

static void metadata_is_a_document(void **state)
{
    static const struct edm_set sets[] = {{"users", "user", false}, {"me", "user", true}};
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    edm_write_csdl(&b, sets, SOSIA_LEN(sets), false);
    xmlDoc *doc = xmlReadMemory(buf_str(&b), (int)b.len, NULL, NULL, XML_PARSE_NONET);
    assert_non_null(doc);
    const xmlNode *services = element(xmlDocGetRootElement(doc), "DataServices", NULL);
    const xmlNode *schema = element(services, "Schema", NULL);
    has_attribute(schema, "Namespace", "microsoft.graph");
    const xmlNode *message = element(schema, "EntityType", "message");
    has_attribute(message, "BaseType", "graph.outlookItem");
    has_attribute(element(message, "Property", "toRecipients"), "Type",
                  "Collection(graph.recipient)");
    has_attribute(element(message, "NavigationProperty", "attachments"), "Type",
                  "Collection(graph.attachment)");
    has_attribute(element(message, "NavigationProperty", "attachments"), "ContainsTarget", "true");
    assert_null(element(message, "NavigationProperty", "mentions")); /* of beta */
    assert_null(element(schema, "EntityType", "mention"));
    const xmlNode *manager =
        element(element(schema, "EntityType", "user"), "NavigationProperty", "manager");
    assert_non_null(manager);
    assert_null(xmlHasProp(manager, (const xmlChar *)"ContainsTarget"));
    assert_null(element(message, "Property", "categories")); /* the base type's */
    has_attribute(element(element(schema, "EntityType", "entity"), "Property", "id"), "Nullable",
                  "false");
    assert_non_null(element(element(schema, "EntityType", "entity"), "Key", NULL));
    has_attribute(element(element(schema, "EnumType", "importance"), "Member", "high"), "Value",
                  "2");
    const xmlNode *container = element(schema, "EntityContainer", NULL);
    has_attribute(element(container, "EntitySet", "users"), "EntityType", "graph.user");
    has_attribute(element(container, "Singleton", "me"), "Type", "graph.user");
    xmlFreeDoc(doc);
    buf_done(&b);
}

static int setup(void **state)
{
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    arena_done(&arena);
    xmlCleanupParser();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_found_by_their_names),
        cmocka_unit_test(properties_are_inherited),
        cmocka_unit_test(members_are_in_the_vendors_order),
        cmocka_unit_test(names_of_types_are_written),
        cmocka_unit_test(rows_have_shapes),
        cmocka_unit_test(metadata_is_a_document),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the hosted tools of Outlook make of Graph's messages, folders and events. */
#include "mcp/sets/hosted/hosted.h"

/* A member of a shape, and where it comes from. */
struct shown {
    const char *name;
    const char *from, *inner; /* a member, and one in that; NULL: the member itself */
    const struct json *(*as)(struct set_run *r, const struct json *v); /* NULL: as it is */
};

static const struct json *shape_of(struct set_run *r, const struct json *v, const struct shown *all,
                                   size_t n)
{
    struct value_object o = {.arena = r->arena};
    if (!v || v->type != JSON_OBJECT)
        return v;
    for (size_t i = 0; i < n; i++) {
        const struct json *value = json_get(v, all[i].from);
        if (value && all[i].inner)
            value = json_get(value, all[i].inner);
        if (value && value->type != JSON_NULL)
            object_put(&o, all[i].name, all[i].as ? all[i].as(r, value) : value);
    }
    return object_value(&o);
}

/* ---- people ---- */

static const struct json *address(struct set_run *r, const struct json *v)
{
    return json_get(json_get(v, "emailAddress"), "address");
}

static const struct json *name(struct set_run *r, const struct json *v)
{
    return json_get(json_get(v, "emailAddress"), "name");
}

static const struct json *recipients(struct set_run *r, const struct json *v)
{
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++) {
        const struct json *of = json_get(&v->items[i], "emailAddress");
        struct value_object o = {.arena = r->arena};
        object_put(&o, "email", json_get(of, "address"));
        object_put(&o, "name", json_get(of, "name"));
        list_add(&l, object_value(&o));
    }
    return list_value(&l);
}

static const struct json *guests(struct set_run *r, const struct json *v)
{
    static const struct shown all[] = {
        {"email", "emailAddress", "address", NULL},
        {"name", "emailAddress", "name", NULL},
        {"type", "type", NULL, NULL},
        {"responseStatus", "status", "response", NULL},
    };
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        list_add(&l, shape_of(r, &v->items[i], all, SOSIA_LEN(all)));
    return list_value(&l);
}

/* ---- shapes ---- */

static const struct json *message(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    static const struct shown all[] = {
        {"id", "id", NULL, NULL},
        {"title", "subject", NULL, NULL},
        {"preview", "bodyPreview", NULL, NULL},
        {"content", "body", "content", NULL},
        {"contentType", "body", "contentType", NULL},
        {"importance", "importance", NULL, NULL},
        {"isRead", "isRead", NULL, NULL},
        {"isDraft", "isDraft", NULL, NULL},
        {"hasAttachments", "hasAttachments", NULL, NULL},
        {"conversationId", "conversationId", NULL, NULL},
        {"conversationIndex", "conversationIndex", NULL, NULL},
        {"internetMessageId", "internetMessageId", NULL, NULL},
        {"webLink", "webLink", NULL, NULL},
        {"created", "createdDateTime", NULL, NULL},
        {"lastModified", "lastModifiedDateTime", NULL, NULL},
        {"received", "receivedDateTime", NULL, NULL},
        {"sent", "sentDateTime", NULL, NULL},
        {"changeKey", "changeKey", NULL, NULL},
        {"categories", "categories", NULL, NULL},
        {"isDeliveryReceiptRequested", "isDeliveryReceiptRequested", NULL, NULL},
        {"isReadReceiptRequested", "isReadReceiptRequested", NULL, NULL},
        {"inferenceClassification", "inferenceClassification", NULL, NULL},
        {"flagStatus", "flag", "flagStatus", NULL},
        {"senderEmail", "sender", NULL, address},
        {"senderName", "sender", NULL, name},
        {"fromEmail", "from", NULL, address},
        {"fromName", "from", NULL, name},
        {"toRecipients", "toRecipients", NULL, recipients},
        {"ccRecipients", "ccRecipients", NULL, recipients},
        {"bccRecipients", "bccRecipients", NULL, recipients},
        {"replyTo", "replyTo", NULL, recipients},
        {"attachments", "attachments", NULL, NULL},
        {"folderId", "parentFolderId", NULL, NULL},
    };
    return shape_of(r, v, all, SOSIA_LEN(all));
}

static const struct json *folder(struct set_run *r, const struct json *v, const char *arg,
                                 const struct json *item)
{
    static const struct shown all[] = {
        {"itemId", "id", NULL, NULL},
        {"name", "displayName", NULL, NULL},
        {"messageCount", "totalItemCount", NULL, NULL},
        {"unreadCount", "unreadItemCount", NULL, NULL},
        {"parentId", "parentFolderId", NULL, NULL},
        {"childCount", "childFolderCount", NULL, NULL},
        {"size", "sizeInBytes", NULL, NULL},
        {"hidden", "isHidden", NULL, NULL},
        {"wellKnownName", "wellKnownName", NULL, NULL},
    };
    return shape_of(r, v, all, SOSIA_LEN(all));
}

static const struct json *event(struct set_run *r, const struct json *v, const char *arg,
                                const struct json *item)
{
    static const struct shown all[] = {
        {"id", "id", NULL, NULL},
        {"title", "subject", NULL, NULL},
        {"preview", "bodyPreview", NULL, NULL},
        {"content", "body", "content", NULL},
        {"contentType", "body", "contentType", NULL},
        {"location", "location", "displayName", NULL},
        {"startTime", "start", "dateTime", NULL},
        {"endTime", "end", "dateTime", NULL},
        {"timezone", "start", "timeZone", NULL},
        {"isAllDay", "isAllDay", NULL, NULL},
        {"isCancelled", "isCancelled", NULL, NULL},
        {"isOrganizer", "isOrganizer", NULL, NULL},
        {"type", "type", NULL, NULL},
        {"showAs", "showAs", NULL, NULL},
        {"sensitivity", "sensitivity", NULL, NULL},
        {"importance", "importance", NULL, NULL},
        {"categories", "categories", NULL, NULL},
        {"hasAttachments", "hasAttachments", NULL, NULL},
        {"organizerEmail", "organizer", NULL, address},
        {"organizerName", "organizer", NULL, name},
        {"responseStatus", "responseStatus", "response", NULL},
        {"attendees", "attendees", NULL, guests},
        {"recurrence", "recurrence", NULL, NULL},
        {"seriesMasterId", "seriesMasterId", NULL, NULL},
        {"isOnlineMeeting", "isOnlineMeeting", NULL, NULL},
        {"meetingLink", "onlineMeeting", "joinUrl", NULL},
        {"link", "webLink", NULL, NULL},
        {"created", "createdDateTime", NULL, NULL},
        {"lastModified", "lastModifiedDateTime", NULL, NULL},
        {"changeKey", "changeKey", NULL, NULL},
    };
    return shape_of(r, v, all, SOSIA_LEN(all));
}

const struct set_filter hosted_outlook_filters[] = {
    {"message", message}, {"folder", folder}, {"event", event}, {NULL, NULL}};

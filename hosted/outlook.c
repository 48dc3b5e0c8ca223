/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook: the events of the account's calendar, and the messages of its mailbox. */
#include "engine/text/tz.h"
#include "hosted/impl.h"
#include "vendors/microsoft/zone.h"
#include <strings.h>

/* ---- calendar: payload to seed ---- */

/* Zones are named as Windows does or by IANA. */
static const struct tz *zone_of(const char *name)
{
    const char *iana = name ? graph_zone_iana(name) : "UTC";
    return tz_find(iana ? iana : name);
}

/* {dateTime, timeZone}: the wall-clock reading, and its zone. NULL: it is absent, or a fault. */
static const char *read_time(struct hosted_call *c, const struct place *outer, const struct json *e,
                             const char *name, const struct tz **ret_zone)
{
    const struct json *when = json_get(e, name);
    const struct place at = {.outer = outer, .name = name};
    if (!when || when->type == JSON_NULL)
        return NULL;
    const char *text = filled(when, "dateTime"), *zone = filled(when, "timeZone");
    struct stamp stamp;
    if (!text || stamp_parse(text, strlen(text), true, &stamp) < 0) {
        fault_value(c, &at, when,
                    "dateTime must be a time such as 2025-12-01T09:00:00, not \"%.40s\"",
                    text ? text : "");
        return NULL;
    }
    const struct tz *z = zone_of(zone);
    if (!z) {
        fault_value(c, &at, when, "timeZone must be a zone of Windows or IANA, not \"%.40s\"",
                    zone);
        return NULL;
    }
    char out[STAMP_TEXT];
    if (stamp.has_offset)
        stamp.local_us +=
            (tz_offset(z, stamp.local_us / US_PER_SECOND - stamp.offset) - (int64_t)stamp.offset) *
            US_PER_SECOND;
    stamp_format(out, stamp.local_us, 0, 0, true);
    out[strlen(out) - 1] = 0; /* the Z */
    *ret_zone = z;
    return arena_strdup(&c->arena, out);
}

static void seed_event(struct hosted_call *c, const struct place *at, const struct json *e,
                       struct json_writer *w)
{
    const struct tz *zone = NULL, *end_zone = NULL;
    const struct json *guests;
    const char *start = read_time(c, at, e, "start_time", &zone),
               *end = read_time(c, at, e, "end_time", &end_zone);
    uint32_t n = items_of(e, "event_attendees", &guests);
    if (!start && !c->n_faults)
        fault_value(c, at, e, "start_time must be given, is missing");
    json_obj(w, NULL);
    json_str(w, "summary", json_get_str(e, "title"));
    json_str(w, "start", start);
    json_str_opt(w, "zone", zone ? tz_name(zone) : NULL);
    json_str_opt(w, "end", end);
    if (zone && end_zone && zone != end_zone)
        json_str(w, "endZone", tz_name(end_zone));
    json_str_opt(w, "location", filled(e, "event_location"));
    if (n) {
        json_arr(w, "attendees");
        for (uint32_t i = 0; i < n; i++)
            json_str(w, NULL, guests[i].str);
        json_end(w);
    }
    json_end(w);
}

int payload_to_outlook_calendar(struct hosted_call *c, const struct json *data,
                                struct json_writer *w)
{
    const struct json *events;
    const struct place body = {.name = "body"}, list = {.outer = &body, .name = "calendar_events"};
    uint32_t n = items_of(data, "calendar_events", &events);
    json_arr(w, "calendars");
    json_obj(w, NULL);
    json_str(w, "owner", c->sandbox->person);
    json_str(w, "vendor", "microsoft");
    json_bool(w, "primary", true);
    json_arr(w, "events");
    for (uint32_t i = 0; i < n; i++)
        seed_event(c, &(struct place){.outer = &list, .item = i}, &events[i], w);
    json_end(w);
    json_end(w);
    json_end(w);
    count_made(c, "calendar_events", n);
    return 0;
}

/* ---- calendar: state to payload ---- */

/* In the zone that the event was made with, which the service shows in UTC. */
static void dump_time(struct json_writer *w, const char *name, const struct json *when,
                      const char *zone)
{
    const char *text = json_get_str(when, "dateTime");
    const struct tz *z = zone_of(zone);
    struct stamp stamp;
    char out[STAMP_TEXT];
    json_obj(w, name);
    if (text && z && stamp_parse(text, strlen(text), true, &stamp) == 0) {
        stamp_format(out,
                     stamp.local_us + tz_offset(z, stamp.local_us / US_PER_SECOND) * US_PER_SECOND,
                     0, 0, true);
        out[strlen(out) - 1] = 0;
        json_str(w, "dateTime", out);
        json_str(w, "timeZone", zone);
    } else {
        json_str(w, "dateTime", text);
        json_str(w, "timeZone", json_get_str(when, "timeZone"));
    }
    json_end(w);
}

static const char *address_of(const struct json *recipient)
{
    return json_get_str(json_get(recipient, "emailAddress"), "address");
}

static void dump_addresses(struct json_writer *w, const char *name, const struct json *of,
                           const char *member)
{
    const struct json *list;
    uint32_t n = items_of(of, member, &list);
    json_arr(w, name);
    for (uint32_t i = 0; i < n; i++)
        if (address_of(&list[i]))
            json_str(w, NULL, address_of(&list[i]));
    json_end(w);
}

static void dump_event(struct json_writer *w, const struct json *e)
{
    const char *title = json_get_str(e, "subject"), *start = filled(e, "originalStartTimeZone"),
               *end = filled(e, "originalEndTimeZone");
    json_obj(w, NULL);
    json_str(w, "event_id", json_get_str(e, "id"));
    json_str(w, "title", title ? title : "");
    dump_time(w, "start_time", json_get(e, "start"), start);
    dump_time(w, "end_time", json_get(e, "end"), end ? end : start);
    json_str(w, "event_location", filled(json_get(e, "location"), "displayName"));
    dump_addresses(w, "event_attendees", e, "attendees");
    json_end(w);
}

int payload_of_outlook_calendar(struct hosted_call *c, struct json_writer *w)
{
    struct listed all;
    if (world_pages(c, "/v1.0/me/events?$top=999", &all) < 0)
        return -1;
    json_arr(w, "calendar_events");
    for (size_t i = all.n; i > 0; i--) /* the newest comes first */
        dump_event(w, all.items[i - 1]);
    json_end(w);
    return 0;
}

/* ---- mail: payload to seed ---- */

static void write_addresses(struct json_writer *w, const char *name, const struct json *m,
                            const char *member)
{
    const struct json *list;
    uint32_t n = items_of(m, member, &list);
    if (!n)
        return;
    json_arr(w, name);
    for (uint32_t i = 0; i < n; i++)
        json_str(w, NULL, list[i].str);
    json_end(w);
}

/* A recipient of the service's, or its name and address alone. */
static const char *sender_of(struct hosted_call *c, const struct place *outer, const struct json *m)
{
    const struct json *from = json_get(m, "from");
    const struct place at = {.outer = outer, .name = "from"};
    if (!from || from->type == JSON_NULL)
        return c->sandbox->person;
    const struct json *inner = json_get(from, "emailAddress");
    const char *address = filled(inner ? inner : from, "address"),
               *name = filled(inner ? inner : from, "name");
    if (!address || strpbrk(address, "<>\r\n") || (name && strpbrk(name, "<>\"\r\n"))) {
        fault_value(c, &at, from, "emailAddress.address must be an address, not \"%.80s\"",
                    address ? address : "");
        return c->sandbox->person;
    }
    return name ? arena_printf(&c->arena, "\"%s\" <%s>", name, address) : address;
}

static void write_content(struct hosted_call *c, const struct place *outer, struct json_writer *w,
                          const struct json *m)
{
    const struct json *content = json_get(m, "content");
    const struct place at = {.outer = outer, .name = "content"};
    const char *type = json_get_str(content, "contentType"),
               *text = json_get_str(content, "content");
    bool html = type && strcasecmp(type, "html") == 0;
    if (type && !html && strcasecmp(type, "text") != 0)
        fault_value(c, &at, content, "contentType must be HTML or Text, not \"%.40s\"", type);
    json_str(w, html ? "html" : "text", text ? text : "");
}

static int64_t received_at(struct hosted_call *c, const struct place *outer, const struct json *m,
                           int64_t usual_us)
{
    const char *text = filled(m, "received_date_time");
    struct stamp stamp;
    if (!text)
        return usual_us;
    if (stamp_parse(text, strlen(text), false, &stamp) == 0)
        return stamp.local_us - stamp.offset * US_PER_SECOND;
    fault_value(c, &(struct place){.outer = outer, .name = "received_date_time"},
                json_get(m, "received_date_time"),
                "received_date_time must be an RFC 3339 time with an offset, not \"%.40s\"", text);
    return usual_us;
}

static void seed_message(struct hosted_call *c, const struct place *at, const struct json *m,
                         int64_t usual_us, struct json_writer *w)
{
    int64_t us = received_at(c, at, m, usual_us);
    json_obj(w, NULL);
    json_str(w, "from", sender_of(c, at, m));
    write_addresses(w, "to", m, "to_addresses");
    write_addresses(w, "cc", m, "cc_addresses");
    json_str(w, "subject", json_get_str(m, "title"));
    write_content(c, at, w, m);
    json_time(w, "date", us, JSON_TIME_MS_Z);
    json_time(w, "received", us, JSON_TIME_MS_Z);
    if (!lax_true(json_get(m, "is_read"))) {
        json_arr(w, "labels");
        json_str(w, NULL, "unread");
        json_end(w);
    }
    json_end(w);
}

int payload_to_outlook_mail(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    const struct json *messages;
    const struct place body = {.name = "body"}, list = {.outer = &body, .name = "messages"};
    uint32_t n = items_of(data, "messages", &messages);
    int64_t now;
    if (world_time(c, &now) < 0)
        return -1;
    now -= (int64_t)n * US_PER_SECOND;
    json_arr(w, "mailboxes");
    json_obj(w, NULL);
    json_str(w, "person", c->sandbox->person);
    json_str(w, "vendor", "microsoft");
    json_arr(w, "messages");
    for (uint32_t i = 0; i < n; i++)
        seed_message(c, &(struct place){.outer = &list, .item = i}, &messages[i],
                     now += US_PER_SECOND, w);
    json_end(w);
    json_end(w);
    json_end(w);
    count_made(c, "messages", n);
    return 0;
}

/* ---- mail: state to payload ---- */

/* What the service puts around a fragment of HTML. */
static const char frame[] = "<html><head>\r\n<meta http-equiv=\"Content-Type\" "
                            "content=\"text/html; charset=utf-8\"></head><body>";
static const char frame_end[] = "</body></html>";

/* A text that the service shows as HTML is asked for as it was written. */
static int dump_content(struct hosted_call *c, struct json_writer *w, const struct json *m)
{
    static const char *const prefer = "outlook.body-content-type=\"text\"";
    const struct json *body = json_get(m, "body"), *again;
    const char *type = json_get_str(body, "contentType"), *text = json_get_str(body, "content");
    bool html = type && strcasecmp(type, "html") == 0;
    if (html && text && strstr(text, "<!-- converted from text -->")) {
        const char *id = escaped(c, json_get_str(m, "id"));
        if (world_get_as(c, arena_printf(&c->arena, "/v1.0/me/messages/%s?$select=body", id),
                         prefer, &again) < 0)
            return -1;
        text = json_get_str(json_get(again, "body"), "content");
        text = text ? plain_lines(c, text) : NULL;
        html = false;
    }
    size_t n = text ? strlen(text) : 0, head = sizeof frame - 1, tail = sizeof frame_end - 1;
    if (html && n >= head + tail && strncmp(text, frame, head) == 0 &&
        strcmp(text + n - tail, frame_end) == 0)
        text = arena_memdup(&c->arena, text + head, n - head - tail);
    json_obj(w, "content");
    json_str(w, "contentType", html ? "HTML" : "Text");
    json_str(w, "content", text ? text : "");
    json_end(w);
    return 0;
}

static void dump_sender(struct json_writer *w, const struct json *from)
{
    const struct json *address = json_get(from, "emailAddress");
    const char *text = json_get_str(address, "address"), *name = filled(address, "name");
    if (!text) {
        json_null(w, "from");
        return;
    }
    json_obj(w, "from");
    json_obj(w, "emailAddress");
    json_str(w, "address", text);
    json_str_opt(w, "name", name && strcmp(name, text) != 0 ? name : NULL);
    json_end(w);
    json_end(w);
}

static int dump_mail(struct hosted_call *c, struct json_writer *w, const struct json *m)
{
    const char *title = json_get_str(m, "subject");
    json_obj(w, NULL);
    json_str(w, "id", json_get_str(m, "id"));
    json_str(w, "title", title ? title : "");
    if (dump_content(c, w, m) < 0)
        return -1;
    dump_sender(w, json_get(m, "from"));
    dump_addresses(w, "to_addresses", m, "toRecipients");
    dump_addresses(w, "cc_addresses", m, "ccRecipients");
    json_bool(w, "is_read", json_get_true(m, "isRead"));
    json_str(w, "received_date_time", json_get_str(m, "receivedDateTime"));
    json_end(w);
    return 0;
}

int payload_of_outlook_mail(struct hosted_call *c, struct json_writer *w)
{
    struct listed all;
    if (world_pages(c,
                    "/v1.0/me/messages?$top=999&$orderby=receivedDateTime%20asc&$select=id,subject,"
                    "body,from,toRecipients,ccRecipients,isRead,receivedDateTime",
                    &all) < 0)
        return -1;
    json_arr(w, "messages");
    for (size_t i = 0; i < all.n; i++)
        if (dump_mail(c, w, all.items[i]) < 0)
            return -1;
    json_end(w);
    return 0;
}

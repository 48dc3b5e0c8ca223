/* SPDX-License-Identifier: Apache-2.0 */
#include "vendors/microsoft/enclosed.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include "vendors/microsoft/types/types.h"
#include "vendors/microsoft/zone.h"
#include <stdio.h>

#define OWN_PROPERTY "X-MICROSOFT-GRAPH-ITEM"
#define FOLD         75 /* bytes of a line (RFC 5545, 3.1; RFC 6350, 3.2) */
#define MAX_URL      4096
#define PROVIDERS    "referenceAttachmentProvider"
#define PERMISSIONS  "referenceAttachmentPermission"

static const char *const types[] = {
    [ENCLOSED_MESSAGE] = "message", [ENCLOSED_EVENT] = "event", [ENCLOSED_CONTACT] = "contact"};

/* ---- which ---- */

static int bad_item(struct call *c, const char *why)
{
    call_why(c, "%s", why);
    return call_fail(c, SOSIA_E_INVALID, "ErrorPropertyValidationFailure", NULL,
                     "At least one property failed validation.");
}

/* The instant of a dateTimeTimeZone, seconds. */
static bool read_time(const struct json *item, const char *member, int64_t *ret)
{
    const struct json *v = json_get(item, member);
    const char *text = json_get_str(v, "dateTime"), *zone = json_get_str(v, "timeZone");
    const char *iana = zone ? graph_zone_iana(zone) : "UTC";
    const struct tz *tz = iana ? tz_find(iana) : NULL;
    struct stamp stamp;
    if (!text || !tz || stamp_parse(text, strlen(text), true, &stamp) < 0)
        return false;
    const int64_t local = stamp.local_us / US_PER_SECOND - (stamp.local_us % US_PER_SECOND < 0);
    *ret = stamp.has_offset ? local - stamp.offset : tz_to_utc(tz, local);
    return true;
}

/* Is a value one that the property may have, by its JSON alone? */
static bool fits(const struct edm_property *p, const struct json *v)
{
    if (v->type == JSON_NULL)
        return true;
    if (p->collection)
        return v->type == JSON_ARRAY;
    switch (p->kind) {
    case EDM_BOOLEAN:
        return v->type == JSON_BOOL;
    case EDM_INT32:
    case EDM_INT64:
    case EDM_DOUBLE:
        return v->type == JSON_NUMBER;
    case EDM_COMPLEX:
    case EDM_ENTITY:
        return v->type == JSON_OBJECT;
    default:
        return v->type == JSON_STRING;
    }
}

/* Members of an item, against its type. 0, -1 refused. */
static int check_members(struct call *c, const struct edm_type *type, const struct json *item)
{
    for (uint32_t i = 0; i < item->n; i++) {
        const struct json_member *m = &item->members[i];
        const struct edm_property *p = edm_property_find(type, m->key, m->key_len);
        if (strchr(m->key, '@'))
            continue;
        if (!p)
            return graph_unknown_property(c, m->key, type->name);
        if (!fits(p, &m->value))
            return call_fail(c, SOSIA_E_INVALID, "UnableToDeserializePostBody", NULL,
                             "were unable to deserialize ");
    }
    return graph_check_version(c, item, type->name);
}

int graph_enclosed_kind(struct call *c, const struct json *item, enum graph_enclosed *ret)
{
    const char *name = json_get_str(item, "@odata.type");
    const struct edm_type *type = name ? edm_type_find(name, strlen(name)) : NULL;
    int64_t start, end;
    if (!item || item->type != JSON_OBJECT)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The item of an itemAttachment is required.");
    if (name && !type)
        return call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                         "A type named '%.100s' could not be resolved by the model.", name);
    for (size_t i = 0; i < SOSIA_LEN(types); i++)
        if (!type || edm_is_a(type, edm_type_find(types[i], strlen(types[i])))) {
            *ret = (enum graph_enclosed)i;
            if (check_members(c, edm_type_find(types[i], strlen(types[i])), item) < 0)
                return -1;
            if (*ret != ENCLOSED_EVENT)
                return 0;
            const bool begins = json_get(item, "start"), ends = json_get(item, "end");
            if ((begins && !read_time(item, "start", &start)) ||
                (ends && !read_time(item, "end", &end)))
                return bad_item(c, "start and end of an event must be times in zones");
            return begins && ends && end < start ? bad_item(c, "end must be behind the start") : 0;
        }
    return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                     "The item of an itemAttachment must be a message, an event or a contact.");
}

const char *graph_enclosed_type(enum graph_enclosed kind)
{
    return kind == ENCLOSED_EVENT     ? "text/calendar; method=PUBLISH"
           : kind == ENCLOSED_CONTACT ? "text/vcard"
                                      : "message/rfc822";
}

/* ---- as text ---- */

static void escape(struct buf *b, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '\n')
            buf_puts(b, "\\n");
        else if (*p == '\r')
            continue;
        else if (strchr("\\;,", *p))
            buf_printf(b, "\\%c", *p);
        else
            buf_byte(b, *p);
    }
}

/* A line, folded between characters. */
static void add_line(struct buf *out, const char *line, size_t n)
{
    size_t column = 0;
    for (size_t i = 0; i < n; i++) {
        const bool begins = ((unsigned char)line[i] & 0xc0) != 0x80;
        if (begins && column >= FOLD - 4) {
            buf_puts(out, "\r\n ");
            column = 1;
        }
        buf_byte(out, line[i]);
        column++;
    }
    buf_puts(out, "\r\n");
}

/* name and a text; NULL: no line. */
static void property(struct buf *out, const char *name, const char *text)
{
    struct buf b;
    if (!text)
        return;
    buf_init(&b, 0);
    buf_printf(&b, "%s:", name);
    escape(&b, text);
    add_line(out, buf_str(&b), b.len);
    out->failed |= buf_failed(&b);
    buf_done(&b);
}

/* name and a value that is not a text. */
static void plain(struct buf *out, const char *name, const char *value)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "%s:%s", name, value);
    add_line(out, buf_str(&b), b.len);
    out->failed |= buf_failed(&b);
    buf_done(&b);
}

static const char *as_json(struct arena *a, const struct json *v)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_value(&w, NULL, v);
    const char *text = arena_strdup(a, buf_str(&b));
    a->failed |= buf_failed(&b);
    buf_done(&b);
    return text;
}

static void date_line(struct buf *out, const char *name, int64_t s, bool day)
{
    struct civil t;
    char text[48];
    civil_from_seconds(s, &t);
    snprintf(text, sizeof text, day ? "%04d%02d%02d" : "%04d%02d%02dT%02d%02d%02dZ", t.year,
             t.month, t.day, t.hour, t.minute, t.second);
    plain(out, name, text);
}

/* A parameter's value: in quotes, without what can't be there. */
static const char *quotable(struct arena *a, const char *text)
{
    char *copy = arena_strdup(a, text);
    for (char *p = copy; p && *p; p++)
        if (*p == '"' || (unsigned char)*p < ' ')
            *p = '\'';
    return copy;
}

static void person_line(struct buf *out, struct arena *a, const char *name, const struct json *v)
{
    const struct json *e = json_get(v, "emailAddress");
    const char *email = json_get_str(e, "address"), *shown = json_get_str(e, "name");
    if (email)
        plain(out,
              arena_printf(a, "%s;CN=\"%s\"", name, quotable(a, shown && *shown ? shown : email)),
              arena_printf(a, "MAILTO:%s", quotable(a, email)));
}

static void attendees(struct buf *out, struct arena *a, const struct json *list)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const char *type = json_get_str(&list->items[i], "type");
        person_line(out, a,
                    type && str_eq_nocase(type, "optional")
                        ? "ATTENDEE;ROLE=OPT-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE"
                    : type && str_eq_nocase(type, "resource")
                        ? "ATTENDEE;CUTYPE=RESOURCE;ROLE=NON-PARTICIPANT"
                        : "ATTENDEE;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE",
                    &list->items[i]);
    }
}

static const char *busy_word(const char *shown)
{
    static const char *const words[][2] = {{"free", "FREE"},
                                           {"tentative", "TENTATIVE"},
                                           {"oof", "OOF"},
                                           {"workingElsewhere", "WORKINGELSEWHERE"}};
    for (size_t i = 0; shown && i < SOSIA_LEN(words); i++)
        if (str_eq_nocase(shown, words[i][0]))
            return words[i][1];
    return "BUSY";
}

static void write_event(struct buf *out, struct arena *a, const struct json *item)
{
    const char *const busy = busy_word(json_get_str(item, "showAs"));
    const char *importance = json_get_str(item, "importance"), *text = as_json(a, item);
    const char *sensitivity = json_get_str(item, "sensitivity");
    const bool day = json_get_true(item, "isAllDay");
    const char *date = day ? "DTSTART;VALUE=DATE" : "DTSTART";
    int64_t start = 0, end = 0;
    plain(out, "BEGIN", "VCALENDAR");
    plain(out, "METHOD", "PUBLISH");
    plain(out, "PRODID", "Microsoft Exchange Server 2010");
    plain(out, "VERSION", "2.0");
    plain(out, "BEGIN", "VEVENT");
    person_line(out, a, "ORGANIZER", json_get(item, "organizer"));
    attendees(out, a, json_get(item, "attendees"));
    property(out, "DESCRIPTION;LANGUAGE=en-US", json_get_str(json_get(item, "body"), "content"));
    plain(out, "UID", graph_guid(a, "enclosed", text ? text : ""));
    property(out, "SUMMARY;LANGUAGE=en-US", json_get_str(item, "subject"));
    if (read_time(item, "start", &start))
        date_line(out, date, start, day);
    if (read_time(item, "end", &end))
        date_line(out, day ? "DTEND;VALUE=DATE" : "DTEND", end, day);
    plain(out, "CLASS",
          !sensitivity || str_eq_nocase(sensitivity, "normal") ? "PUBLIC"
          : str_eq_nocase(sensitivity, "confidential")         ? "CONFIDENTIAL"
                                                               : "PRIVATE");
    plain(out, "PRIORITY",
          importance && str_eq_nocase(importance, "high")  ? "1"
          : importance && str_eq_nocase(importance, "low") ? "9"
                                                           : "5");
    date_line(out, "DTSTAMP", start, false);
    plain(out, "TRANSP", strcmp(busy, "FREE") == 0 ? "TRANSPARENT" : "OPAQUE");
    plain(out, "STATUS", "CONFIRMED");
    plain(out, "SEQUENCE", "0");
    property(out, "LOCATION;LANGUAGE=en-US",
             json_get_str(json_get(item, "location"), "displayName"));
    plain(out, "X-MICROSOFT-CDO-BUSYSTATUS", busy);
    plain(out, "X-MICROSOFT-CDO-ALLDAYEVENT", day ? "TRUE" : "FALSE");
    property(out, OWN_PROPERTY, text);
    plain(out, "END", "VEVENT");
    plain(out, "END", "VCALENDAR");
}

static void add_escaped(struct buf *b, const char *separator, const char *text)
{
    buf_puts(b, separator);
    if (text)
        escape(b, text);
}

static void address_line(struct buf *out, const char *name, const struct json *v)
{
    static const char *const members[] = {"street", "city", "state", "postalCode",
                                          "countryOrRegion"};
    struct buf b;
    if (!v || v->type != JSON_OBJECT)
        return;
    buf_init(&b, 0);
    buf_printf(&b, "%s:;", name);
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        add_escaped(&b, ";", json_get_str(v, members[i]));
    add_line(out, buf_str(&b), b.len);
    out->failed |= buf_failed(&b);
    buf_done(&b);
}

static void each_line(struct buf *out, const char *name, const struct json *list)
{
    for (uint32_t i = 0; list && list->type == JSON_ARRAY && i < list->n; i++) {
        const struct json *v = &list->items[i];
        property(out, name, v->type == JSON_STRING ? v->str : json_get_str(v, "address"));
    }
}

static void write_contact(struct buf *out, struct arena *a, const struct json *item)
{
    const char *given = json_get_str(item, "givenName"), *surname = json_get_str(item, "surname");
    const char *shown = json_get_str(item, "displayName");
    struct buf b;
    if (!shown || !*shown)
        shown = arena_printf(a, "%s%s%s", given ? given : "", given && surname ? " " : "",
                             surname ? surname : "");
    buf_init(&b, 0);
    buf_puts(&b, "N");
    add_escaped(&b, ":", surname);
    add_escaped(&b, ";", given);
    add_escaped(&b, ";", json_get_str(item, "middleName"));
    add_escaped(&b, ";", json_get_str(item, "title"));
    add_escaped(&b, ";", json_get_str(item, "generation"));
    plain(out, "BEGIN", "VCARD");
    plain(out, "PROFILE", "VCARD");
    plain(out, "VERSION", "3.0");
    plain(out, "MAILER", "Microsoft Exchange");
    plain(out, "PRODID", "Microsoft Exchange");
    property(out, "FN", shown);
    add_line(out, buf_str(&b), b.len);
    out->failed |= buf_failed(&b);
    buf_done(&b);
    property(out, "NOTE", json_get_str(item, "personalNotes"));
    property(out, "ORG", json_get_str(item, "companyName"));
    plain(out, "CLASS", "PUBLIC");
    each_line(out, "EMAIL", json_get(item, "emailAddresses"));
    address_line(out, "ADR;TYPE=WORK", json_get(item, "businessAddress"));
    address_line(out, "ADR;TYPE=HOME", json_get(item, "homeAddress"));
    each_line(out, "TEL;TYPE=WORK", json_get(item, "businessPhones"));
    each_line(out, "TEL;TYPE=HOME", json_get(item, "homePhones"));
    property(out, "TEL;TYPE=CELL", json_get_str(item, "mobilePhone"));
    property(out, "TITLE", json_get_str(item, "jobTitle"));
    property(out, OWN_PROPERTY, as_json(a, item));
    plain(out, "END", "VCARD");
}

/* A field of a head; what is not ASCII is an encoded word. */
static void head_field(struct buf *out, const char *name, const char *text)
{
    bool ascii = true;
    for (const char *p = text; *p; p++)
        ascii &= (unsigned char)*p >= ' ' && (unsigned char)*p < 127;
    buf_printf(out, "%s: %s", name, ascii ? text : "=?utf-8?B?");
    if (!ascii) {
        base64_add(out, text, strlen(text));
        buf_puts(out, "?=");
    }
    buf_puts(out, "\r\n");
}

static void people_field(struct buf *out, const char *name, const struct json *v)
{
    const uint32_t n = !v ? 0 : v->type == JSON_ARRAY ? v->n : v->type == JSON_OBJECT;
    for (uint32_t i = 0; i < n; i++) {
        const struct json *p = v->type == JSON_ARRAY ? &v->items[i] : v;
        const char *email = json_get_str(json_get(p, "emailAddress"), "address");
        if (email)
            head_field(out, name, email);
    }
}

/* Where it is in an event, whose dialect composes no mail. */
static void write_message(struct buf *out, const struct json *item)
{
    const struct json *body = json_get(item, "body");
    const char *type = json_get_str(body, "contentType"), *subject = json_get_str(item, "subject");
    const char *content = json_get_str(body, "content");
    people_field(out, "From", json_get(item, "from"));
    people_field(out, "To", json_get(item, "toRecipients"));
    people_field(out, "Cc", json_get(item, "ccRecipients"));
    head_field(out, "Subject", subject ? subject : "");
    buf_printf(out,
               "Content-Type: text/%s; charset=\"utf-8\"\r\nContent-Transfer-Encoding: base64\r\n"
               "MIME-Version: 1.0\r\n\r\n",
               type && str_eq_nocase(type, "html") ? "html" : "plain");
    base64_add(out, content ? content : "", content ? strlen(content) : 0);
    buf_puts(out, "\r\n");
}

const char *graph_enclosed_text(struct arena *a, enum graph_enclosed kind, const struct json *item)
{
    struct buf b;
    buf_init(&b, 0);
    if (kind == ENCLOSED_EVENT)
        write_event(&b, a, item);
    else if (kind == ENCLOSED_MESSAGE)
        write_message(&b, item);
    else
        write_contact(&b, a, item);
    const char *text = arena_strdup(a, buf_str(&b));
    a->failed |= buf_failed(&b);
    buf_done(&b);
    return text;
}

/* ---- and back ---- */

/* The value of the property of our own, unfolded and without its escapes; NULL: there is none. */
static const char *own_value(struct arena *a, const char *text, size_t len)
{
    const size_t name = strlen(OWN_PROPERTY);
    const char *end = text + len, *p = text;
    while (p && p < end &&
           !((size_t)(end - p) > name && memcmp(p, OWN_PROPERTY ":", name + 1) == 0)) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    char *value = p && p < end ? arena_alloc(a, (size_t)(end - p) + 1) : NULL;
    size_t n = 0, to = 0;
    if (!value || arena_failed(a))
        return NULL;
    for (p += name + 1; p < end; p++) { /* a line may end within an escape */
        const bool goes_on = *p == '\n' && p + 1 < end && (p[1] == ' ' || p[1] == '\t');
        if (*p == '\n' && !goes_on)
            break;
        p += goes_on;
        if (!goes_on && *p != '\r')
            value[n++] = *p;
    }
    for (size_t i = 0; i < n; i++) {
        const bool escaped = value[i] == '\\' && i + 1 < n;
        i += escaped;
        value[to++] = escaped && (value[i] == 'n' || value[i] == 'N') ? '\n' : value[i];
    }
    value[to] = 0;
    return value;
}

int graph_enclosed_item(struct arena *a, const char *text, size_t len, enum graph_enclosed *ret,
                        const struct json **ret_item)
{
    /* as deep as bodies of requests may be, of which it was a part */
    const struct json_limits limits = {.max_size = (size_t)4 << 20};
    const char *value = own_value(a, text, len);
    struct sosia_err err;
    if (!value || json_parse(a, value, strlen(value), &limits, ret_item, &err) < 0 ||
        (*ret_item)->type != JSON_OBJECT)
        return 0;
    *ret = len >= 11 && memcmp(text, "BEGIN:VCARD", 11) == 0 ? ENCLOSED_CONTACT : ENCLOSED_EVENT;
    return 1;
}

/* ---- as a member ---- */

/* Whatever the case of its name, as properties are known. */
static const struct json *member_of(const struct json *item, const char *name)
{
    for (uint32_t i = 0; i < item->n; i++)
        if (str_eq_nocase(item->members[i].key, name))
            return &item->members[i].value;
    return NULL;
}

static void or_word(struct call *c, const struct json *item, const char *name, const char *word)
{
    if (!member_of(item, name))
        json_str(c->out, name, word);
}

static void or_truth(struct call *c, const struct json *item, const char *name, bool truth)
{
    if (!member_of(item, name))
        json_bool(c->out, name, truth);
}

void graph_enclosed_write(struct call *c, enum graph_enclosed kind, const struct json *item,
                          int64_t changed_us)
{
    const struct edm_type *type = edm_type_find(types[kind], strlen(types[kind]));
    struct json_writer *w = c->out;
    struct arena *a = c->tx.arena;
    json_obj(w, "item");
    json_str(w, "@odata.type", arena_printf(a, "#microsoft.graph.%s", type->name));
    json_str(w, "id", "");
    json_str(w, "createdDateTime", graph_date(a, changed_us, 0));
    json_str(w, "lastModifiedDateTime", graph_date(a, changed_us, 0));
    for (size_t i = 0; i < type->n; i++) {
        const struct edm_property *p = type->properties[i];
        const bool shown = !p->navigation && !p->read_only && strcmp(p->name, "id") != 0;
        const struct json *v = shown ? member_of(item, p->name) : NULL;
        if (v)
            json_value(w, p->name, v);
    }
    if (kind == ENCLOSED_EVENT) {
        or_word(c, item, "importance", "normal");
        or_word(c, item, "sensitivity", "normal");
        or_word(c, item, "showAs", "busy");
        or_word(c, item, "type", "singleInstance");
        or_truth(c, item, "isAllDay", false);
        or_truth(c, item, "isCancelled", false);
        or_truth(c, item, "hasAttachments", false);
    }
    json_end(w);
}

/* ---- links ---- */

/* Is it one of an enumeration's words, or not said? */
static int check_word(struct call *c, const char *name, const char *word)
{
    const struct edm_enum *e = edm_enum_find(name, strlen(name));
    return !word || edm_value_find(e, word, strlen(word)) >= 0
               ? 0
               : call_fail(c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                           "Requested value '%.100s' was not found.", word);
}

int graph_reference_read(struct call *c, const struct json *v, struct graph_reference *ret)
{
    const struct json *folder = json_get(v, "isFolder");
    const char *url = json_get_str(v, "sourceUrl");
    if (graph_check_version(c, v, "referenceAttachment") < 0)
        return -1;
    if (!url || !*url)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidProperty", NULL,
                         "The property 'SourceUrl' is required when creating the entity.");
    if (strlen(url) > MAX_URL)
        return bad_item(c, "sourceUrl must be shorter");
    for (const char *p = url; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 127 || *p == '"' || *p == '\\')
            return bad_item(c, "sourceUrl must be a URL");
    *ret = (struct graph_reference){.source = url,
                                    .provider = json_get_str(v, "providerType"),
                                    .thumbnail = json_get_str(v, "thumbnailUrl"),
                                    .preview = json_get_str(v, "previewUrl"),
                                    .permission = json_get_str(v, "permission"),
                                    .folder =
                                        folder && folder->type == JSON_BOOL ? folder->truth : -1};
    return check_word(c, PROVIDERS, ret->provider) < 0
               ? -1
               : check_word(c, PERMISSIONS, ret->permission);
}

/* A word of an enumeration as it is spelled. */
static const char *word_of(const char *name, const char *word)
{
    const struct edm_enum *e = edm_enum_find(name, strlen(name));
    const int at = word ? edm_value_find(e, word, strlen(word)) : -1;
    return at < 0 ? "other" : e->values[at];
}

void graph_reference_write(struct call *c, const struct graph_reference *r)
{
    struct json_writer *w = c->out;
    if (!graph_is_beta(c))
        return;
    json_str(w, "sourceUrl", r->source);
    json_str(w, "providerType", word_of(PROVIDERS, r->provider));
    json_str(w, "thumbnailUrl", r->thumbnail);
    json_str(w, "previewUrl", r->preview);
    json_str(w, "permission", word_of(PERMISSIONS, r->permission));
    json_bool(w, "isFolder", r->folder > 0);
}

int graph_no_value(struct call *c)
{
    return graph_fail_status(c, 405, "ErrorInvalidRequest",
                             "'$value' segment is not supported for the given attachment. '$value' "
                             "segment is only supported for File Attachments and Item Attachments");
}

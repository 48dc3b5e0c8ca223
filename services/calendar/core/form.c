/* SPDX-License-Identifier: Apache-2.0 */
/* The members that calendars, events, their guests and access rules have in seed documents. */
#include "engine/base/codec.h"
#include "identity/app.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/vendor.h"

/* ---- times ---- */

static const struct tz *zone_or(const char *name, const struct tz *otherwise)
{
    const struct tz *tz = name ? tz_find(name) : NULL;
    return tz ? tz : otherwise;
}

/* Seconds, rounded down. */
static int64_t second_of(int64_t us)
{
    return us / US_PER_SECOND - (us % US_PER_SECOND < 0);
}

int cal_doc_time(struct doc *d, const struct json *v, const char *member, const struct tz *tz,
                 bool *ret_day, int64_t *ret_us)
{
    const char *text;
    struct stamp s;
    int64_t days;
    if (doc_str(d, v, member, true, &text) < 0)
        return -1;
    size_t n = strlen(text);
    if (date_parse(text, n, &days) == 0) {
        *ret_day = true;
        *ret_us = days * US_PER_DAY;
        return 0;
    }
    /* Seconds may be left out. */
    if (n == 16 && text[10] == 'T') {
        text = arena_printf(d->arena, "%s:00", text);
        n += 3;
    }
    if (stamp_parse(text, n, true, &s) < 0)
        return doc_refuse(d, v, member,
                          "\"%.40s\" is neither a time such as 2026-11-23T10:00 nor a date", text);
    int64_t local = second_of(s.local_us);
    *ret_day = false;
    *ret_us = (s.has_offset ? local - s.offset : tz_to_utc(tz, local)) * US_PER_SECOND;
    return 0;
}

void cal_dump_time(struct json_writer *w, const char *member, bool all_day, const struct tz *tz,
                   int64_t us)
{
    char text[STAMP_TEXT];
    int64_t s = second_of(us);
    if (all_day) {
        date_format(text, us / US_PER_DAY - (us % US_PER_DAY < 0));
    } else {
        int32_t offset = tz_offset(tz, s);
        /* The offset is written only where the local time alone means another instant. */
        bool plain = tz_to_utc(tz, s + offset) == s;
        stamp_format(text, plain ? us + offset * US_PER_SECOND : us, plain ? 0 : offset, 0, false);
        if (plain)
            text[19] = 0;
        if (strcmp(text + 16, ":00") == 0)
            text[16] = 0;
    }
    json_str(w, member, text);
}

const struct tz *cal_event_tz(const struct calendar *cal, const struct cal_event *ev)
{
    return zone_or(ev->zone, cal->tz);
}

static int start_there(const struct form_in *in, const struct member *m, void *row)
{
    const struct cal_event_at *at = in->of;
    return !at->fresh || json_get(in->value, m->name)
               ? 0
               : doc_fail(in->d, in->value, m->name, "is missing");
}

/* Start and end, once both zones are known. Another kind of event has other usual reminders. */
static int read_times(const struct form_in *in, const struct member *m, void *row)
{
    const struct cal_event_at *at = in->of;
    struct cal_event *ev = row;
    const struct json *v = in->value;
    const struct tz *tz = ev->zone ? tz_find(ev->zone) : at->cal->tz;
    bool day, end_day, was_day = ev->all_day;
    int64_t end;
    if (json_get(v, "start")) {
        if (cal_doc_time(in->d, v, "start", tz, &day, &ev->start_us) < 0)
            return -1;
        if (!ev->len_us || day != ev->all_day)
            ev->len_us = day ? US_PER_DAY : 3600 * US_PER_SECOND;
        ev->all_day = day;
    }
    if (was_day != ev->all_day)
        ev->reminders = ev->all_day ? at->cal->vendor->day_reminders : NULL;
    if (!json_get(v, "end"))
        return 0;
    if (cal_doc_time(in->d, v, "end", ev->end_zone ? tz_find(ev->end_zone) : tz, &end_day, &end) <
        0)
        return -1;
    if (end_day != ev->all_day)
        return doc_refuse(in->d, v, "end", "start and end must both be dates or both be times");
    if (end < ev->start_us)
        return doc_refuse(in->d, v, "end", "the end is before the start");
    ev->len_us = end - ev->start_us;
    return 0;
}

static int write_times(const struct form_out *out, const struct member *m, const void *row)
{
    const struct cal_event_at *at = out->of;
    const struct cal_event *ev = row, *base = out->base;
    const struct tz *tz = cal_event_tz(at->cal, ev);
    if (ev->start_us == base->start_us && ev->len_us == base->len_us &&
        ev->all_day == base->all_day)
        return 0;
    cal_dump_time(out->w, "start", ev->all_day, tz, ev->start_us);
    cal_dump_time(out->w, "end", ev->all_day, zone_or(ev->end_zone, tz), event_end(ev));
    return 0;
}

/* ---- reminders ---- */

static const char *const methods[] = {"email", "popup", NULL};

struct reminder {
    int method, minutes;
};
static const struct member reminder_members[] = {
    {"method", "How it reminds", ENUM_AT(struct reminder, method, methods)},
    {"minutes", "Before the start", INT_AT(struct reminder, minutes, 0, 40320)},
};
const struct form cal_reminder_form = FORM("A reminder", reminder_members);

/* A list of them as the text that is stored, in normal form. */
static int list_text(const struct form_in *in, const struct json *list, const char *member,
                     const char **ret)
{
    struct buf b;
    int rc = 0;
    buf_init(&b, 0);
    buf_byte(&b, '[');
    for (uint32_t i = 0; rc == 0 && i < list->n; i++) {
        struct reminder row;
        size_t mark = doc_push(in->d, member, i);
        form_usual(&cal_reminder_form, &row);
        rc = form_read(&(struct form_in){in->tx, in->d, &list->items[i]}, &cal_reminder_form, &row);
        if (rc < 0)
            break;
        buf_printf(&b, "%s{\"method\":\"%s\",\"minutes\":%d}", i ? "," : "", methods[row.method],
                   row.minutes);
        doc_pop(in->d, mark);
    }
    buf_byte(&b, ']');
    if (rc == 0)
        *ret = arena_strdup(in->d->arena, buf_str(&b));
    buf_done(&b);
    return rc;
}

int cal_read_reminders(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *r = json_get(in->value, m->name);
    const char **to = member_place(m, row);
    if (!r || r->type == JSON_NULL)
        return 0;
    if (r->type == JSON_STRING && strcmp(r->str, "default") == 0) {
        *to = NULL;
        return 0;
    }
    if (r->type != JSON_ARRAY)
        return doc_fail(in->d, r, m->name, "must be a list, or \"default\"");
    return list_text(in, r, m->name, to);
}

/* An event that becomes all-day, or timed, has the default of that kind unless it has its own. */
static int write_reminders(const struct form_out *out, const struct member *m, const void *row)
{
    const struct cal_event *ev = row, *base = out->base;
    const struct cal_event_at *at = out->of;
    const char *was = ev->all_day == base->all_day ? base->reminders
                      : ev->all_day                ? at->cal->vendor->day_reminders
                                                   : NULL;
    if (str_same(ev->reminders, was))
        return 0;
    if (ev->reminders)
        json_raw(out->w, m->name, ev->reminders, strlen(ev->reminders));
    else
        json_str(out->w, m->name, "default");
    return 0;
}

/* ---- what the time is ---- */

static int read_free(const struct form_in *in, const struct member *m, void *row)
{
    struct cal_event *ev = row;
    bool was = ev->busy == BUSY_FREE, is;
    if (doc_bool(in->d, in->value, m->name, was, &is) < 0)
        return -1;
    if (is != was)
        ev->busy = is ? BUSY_FREE : BUSY_BUSY;
    return 0;
}

/* Whether free or not says it. */
static bool is_plain(const struct cal_event *ev, const struct cal_event *base)
{
    return ev->busy == BUSY_FREE || (ev->busy == BUSY_BUSY && base->busy == BUSY_FREE);
}

static int write_free(const struct form_out *out, const struct member *m, const void *row)
{
    const struct cal_event *ev = row, *base = out->base;
    if (ev->busy != base->busy && is_plain(ev, base))
        json_bool(out->w, m->name, ev->busy == BUSY_FREE);
    return 0;
}

static int write_busy(const struct form_out *out, const struct member *m, const void *row)
{
    const struct cal_event *ev = row, *base = out->base;
    if (ev->busy != base->busy && !is_plain(ev, base))
        json_str(out->w, m->name, m->names[ev->busy]);
    return 0;
}

/* ---- lists of words ---- */

static int read_categories(const struct form_in *in, const struct member *m, void *row)
{
    struct cal_event *ev = row;
    const char **words;
    size_t n;
    if (doc_strings(in->d, in->value, m->name, &words, &n) < 0)
        return -1;
    if (json_get(in->value, m->name))
        ev->categories = n ? json_to_text(in->d->arena, json_get(in->value, m->name)) : NULL;
    return 0;
}

static int write_categories(const struct form_out *out, const struct member *m, const void *row)
{
    const struct cal_event *ev = row, *base = out->base;
    const char *text = ev->categories ? ev->categories : "[]";
    if (!str_same(ev->categories, base->categories))
        json_raw(out->w, m->name, text, strlen(text));
    return 0;
}

/* ---- what some dialects keep in extra ---- */

static int check_typed(const struct form_in *in, const struct member *m, void *row)
{
    const struct cal_event_at *at = in->of;
    const struct json *v = json_get(in->value, m->name);
    return !v || !at->cal->vendor->read_extra
               ? 0
               : doc_fail(in->d, v, m->name, "this calendar's vendor has it in extra");
}

static bool is_kept(const struct form_out *out)
{
    const struct cal_event_at *at = out->of;
    return !at->cal->vendor->read_extra;
}

static int write_typed(const struct form_out *out, const struct member *m, const void *row)
{
    const char *text = *(const char *const *)member_at(m, row);
    if (is_kept(out) && !str_same(text, *(const char *const *)member_at(m, out->base)))
        json_str(out->w, m->name, text ? text : "");
    return 0;
}

static int write_decline(const struct form_out *out, const struct member *m, const void *row)
{
    const struct cal_event *ev = row, *base = out->base;
    if (is_kept(out) && ev->decline != base->decline)
        json_str(out->w, m->name, m->names[ev->decline]);
    return 0;
}

/* ---- events ---- */

static int check_attendee(const struct form_in *in, void *row)
{
    struct cal_attendee *a = row;
    const char *email = a->email;
    a->response = a->response ? a->response : RESPONSE_NONE;
    a->email = email_normal(in->d->arena, email);
    return a->email ? 0
                    : doc_fail(in->d, in->value, NULL, "\"%.80s\" is not an e-mail address", email);
}

static int check_attendees(const struct form_in *in, const struct member *m, void *row)
{
    const struct cal_event *ev = row;
    const struct json *list = json_get(in->value, m->name);
    for (int i = 1; list && list->type == JSON_ARRAY && i < ev->n_attendees; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(ev->attendees[k].email, ev->attendees[i].email) == 0) {
                doc_push(in->d, m->name, i);
                return doc_fail(in->d, &list->items[i], NULL, "%.80s is here twice",
                                ev->attendees[i].email);
            }
    return 0;
}

static const char *const responses[] = {"",          "needsAction", "declined",
                                        "tentative", "accepted",    NULL};
static const struct member attendee_members[] = {
    {"email", "The guest's address", TEXT_AT(struct cal_attendee, email),
     .flags = MEMBER_REQUIRED | MEMBER_ALWAYS},
    {"name", "The guest's name", TEXT_AT(struct cal_attendee, name), .flags = MEMBER_CLEARS},
    {"response", "The guest's answer", ENUM_AT(struct cal_attendee, response, responses),
     .usual = RESPONSE_NONE},
    {"optional", "The guest need not come", BOOL_AT(struct cal_attendee, optional)},
    {"resource", "The guest is a room or a thing", BOOL_AT(struct cal_attendee, resource)},
    {"guests", "Further people whom the guest brings",
     INT_AT(struct cal_attendee, guests, 0, INT32_MAX)},
    {"comment", "The guest's words to the answer", TEXT_AT(struct cal_attendee, comment),
     .flags = MEMBER_CLEARS},
};
static const struct form attendee_form = {
    .about = "A guest of an event, or the guest's address alone",
    .members = attendee_members,
    .n = SOSIA_LEN(attendee_members),
    .size = sizeof(struct cal_attendee),
    .check = check_attendee,
};

static const char *const statuses[] = {"confirmed", "tentative", "cancelled", NULL};
static const char *const visibilities[] = {"default",      "public",   "private",
                                           "confidential", "personal", NULL};
/* By enum cal_busy, enum cal_importance, enum cal_decline. */
static const char *const busy_words[] = {"busy",      "free",    "tentative", "away",
                                         "elsewhere", "unknown", NULL};
static const char *const importances[] = {"normal", "low", "high", NULL};
static const char *const declines[] = {"none", "new", "all", NULL};
/* By bit of enum cal_event_rights. */
static const char *const rights[] = {"guestsDontInvite",
                                     "guestsDontSeeGuests",
                                     "guestsModify",
                                     "anyoneAddsSelf",
                                     "privateCopy",
                                     "locked",
                                     "noEnd",
                                     NULL};

/* What events, changed instances and changed copies have alike. */
static const struct member shared_members[] = {
    {"summary", "Its title", TEXT_AT(struct cal_event, summary), .flags = MEMBER_CLEARS},
    {"start", "A time on the wall clock of its zone, a time with an offset, or a date",
     .kind = MEMBER_OWN, .noun = "time", .read = start_there, .write = write_times},
    {"end", "The same; an hour, or a day, behind the start without it", .kind = MEMBER_OWN,
     .noun = "time"},
    {"zone", "The time zone of its start; the calendar's without it",
     ZONE_AT(struct cal_event, zone), .flags = MEMBER_CLEARS},
    {"endZone", "The time zone of its end, if that is another one",
     ZONE_AT(struct cal_event, end_zone), .flags = MEMBER_CLEARS, .check = read_times},
    {"description", "Its text", TEXT_AT(struct cal_event, description), .flags = MEMBER_CLEARS},
    {"location", "Its place", TEXT_AT(struct cal_event, location), .flags = MEMBER_CLEARS},
    {"color", "The number of its colour", TEXT_AT(struct cal_event, color), .flags = MEMBER_CLEARS},
    {"status", "Whether it takes place", ENUM_AT(struct cal_event, status, statuses)},
    {"visibility", "Who sees more than a busy time",
     ENUM_AT(struct cal_event, visibility, visibilities)},
    {"free", "It does not block time", .kind = MEMBER_OWN, .noun = "true or false",
     .read = read_free, .write = write_free},
    {"busy", "What its time is, if that is more than free or not",
     ENUM_AT(struct cal_event, busy, busy_words), .write = write_busy},
    {"importance", "How important it is", ENUM_AT(struct cal_event, importance, importances)},
    {"sequence", "How often its time was changed",
     INT_AT(struct cal_event, sequence, 0, INT32_MAX)},
    {"rights", "What guests may do, and others may not", BITS_AT(struct cal_event, rights, rights),
     .noun = "right"},
    {"attendees", "Its guests; those who live in the world get their copies",
     LIST_AT(struct cal_event, attendees, n_attendees, &attendee_form), .flags = MEMBER_SHORT,
     .check = check_attendees},
    {"reminders", "Its reminders; \"default\": those of the calendar",
     MEMBER_PLACE(struct cal_event, reminders), .kind = MEMBER_OWN, .form = &cal_reminder_form,
     .schema = "{\"type\":[\"array\",\"string\",\"null\"],\"items\":{\"type\":\"object\"}}",
     .read = cal_read_reminders, .write = write_reminders},
    {"reminderOn", "Its one reminder, of vendors that have one",
     BOOL_AT(struct cal_event, reminder_on)},
    {"reminderMinutes", "How long before the start that is",
     INT_AT(struct cal_event, reminder_minutes, 0, INT32_MAX)},
    {"categories", "The person's categories", MEMBER_PLACE(struct cal_event, categories),
     .kind = MEMBER_OWN, .noun = "list of texts", .read = read_categories,
     .write = write_categories},
    {"decline", "Which invitations an absence declines",
     ENUM_AT(struct cal_event, decline, declines), .check = check_typed, .write = write_decline},
    {"declineText", "The comment of what it declines", TEXT_AT(struct cal_event, decline_text),
     .flags = MEMBER_CLEARS, .check = check_typed, .write = write_typed},
    {"place", "The names of a place of work, for searches", TEXT_AT(struct cal_event, place),
     .flags = MEMBER_CLEARS, .check = check_typed, .write = write_typed},
    {"conference", "The key of the meeting on the network", TEXT_AT(struct cal_event, conference),
     .flags = MEMBER_CLEARS, .check = check_typed, .write = write_typed},
    {"ownProperties", "Texts that a program keeps with this copy",
     JSON_AT(struct cal_event, own_props), .flags = MEMBER_TEXTS},
    {"properties", "Texts that a program keeps with all copies", JSON_AT(struct cal_event, props),
     .flags = MEMBER_TEXTS},
    {"extra", "What the vendor's API has besides", JSON_AT(struct cal_event, extra)},
};
const struct form cal_shared_form = FORM("What events have alike", shared_members);

static int read_event_id(const struct form_in *in, const struct member *m, void *row)
{
    const char *id;
    if (doc_str(in->d, in->value, m->name, false, &id) < 0)
        return -1;
    size_t n = id ? strlen(id) : 1;
    if (n < 1 || n > 1024 || (id && strpbrk(id, " /?#%\t\r\n")))
        return doc_refuse(in->d, in->value, m->name, "is not an event id");
    ((struct cal_event *)row)->key = id;
    return 0;
}

static int read_recurrence(const struct form_in *in, const struct member *m, void *row)
{
    const char **lines;
    size_t n;
    struct buf b;
    if (doc_strings(in->d, in->value, m->name, &lines, &n) < 0)
        return -1;
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        if (!*lines[i] || strpbrk(lines[i], "\r\n")) {
            buf_done(&b);
            return doc_refuse(in->d, in->value, m->name, "a line must not be empty or broken");
        }
        buf_printf(&b, "%s%s", i ? "\n" : "", lines[i]);
    }
    ((struct cal_event *)row)->recurrence = n ? arena_strdup(in->d->arena, buf_str(&b)) : NULL;
    buf_done(&b);
    return 0;
}

static int write_recurrence(const struct form_out *out, const struct member *m, const void *row)
{
    const char *lines = ((const struct cal_event *)row)->recurrence;
    if (!lines)
        return 0;
    json_arr(out->w, m->name);
    for (const char *p = lines; *p; p += strcspn(p, "\n"), p += *p == '\n')
        json_strn(out->w, NULL, p, strcspn(p, "\n"));
    json_end(out->w);
    return 0;
}

/* Of an instance whose series is not in the calendar: a guest's, who was invited to it alone. */
static int read_original(const struct form_in *in, void *row)
{
    const struct cal_event_at *at = in->of;
    struct cal_event *ev = row;
    const struct json *v = in->value;
    if (!json_get(v, "originalStart"))
        return 0;
    if (!ev->key)
        return doc_fail(in->d, v, "id", "is missing: an instance has its series' id in it");
    if (ev->recurrence)
        return doc_refuse(in->d, v, "recurrence",
                          "an instance has an originalStart, a series has not");
    ev->form = EVENT_INSTANCE;
    return cal_doc_time(in->d, v, "originalStart", cal_event_tz(at->cal, ev), &ev->original_day,
                        &ev->original_us);
}

static int write_original(const struct form_out *out, const struct member *m, const void *row)
{
    const struct cal_event_at *at = out->of;
    const struct cal_event *ev = row;
    if (ev->form == EVENT_INSTANCE)
        cal_dump_time(out->w, m->name, ev->original_day, cal_event_tz(at->cal, ev),
                      ev->original_us);
    return 0;
}

static const struct member instance_members[] = {
    {"originalStart", "When it would be if it were not changed", .kind = MEMBER_OWN, .noun = "time",
     .flags = MEMBER_REQUIRED},
    PART(&cal_shared_form),
};
const struct form cal_instance_form =
    FORM("An instance that differs from its series", instance_members);

static const struct member copy_members[] = {
    {"id", "The id of the event", .kind = MEMBER_OWN, .noun = "text", .flags = MEMBER_REQUIRED},
    {"removed", "The guest has taken it off the calendar", .kind = MEMBER_OWN,
     .noun = "true or false"},
    PART(&cal_shared_form),
};
const struct form cal_copy_form = FORM("What is personal about a guest's copy", copy_members);

static const char *const kinds[] = {"default",  "outOfOffice", "focusTime", "workingLocation",
                                    "birthday", "fromMail",    NULL};

static const struct member event_members[] = {
    {"id", "Made up without it", TEXT_AT(struct cal_event, key), .flags = MEMBER_ALWAYS,
     .read = read_event_id},
    {"uid", "The id that iCalendar has for it; made of the id without it",
     TEXT_AT(struct cal_event, uid), .flags = MEMBER_CLEARS},
    {"originalStart", "Of an instance whose series is elsewhere: its guest was invited to it alone",
     .kind = MEMBER_OWN, .noun = "time", .write = write_original},
    {"kind", "What it is for", ENUM_AT(struct cal_event, kind, kinds)},
    PART(&cal_shared_form),
    {"creator", "The address of who made it; the calendar's owner without it",
     TEXT_AT(struct cal_event, creator), .flags = MEMBER_CLEARS},
    {"organizer", "The address of who invites; the calendar without it",
     TEXT_AT(struct cal_event, organizer), .flags = MEMBER_CLEARS},
    {"organizerName", "The organizer's name, as an invitation from elsewhere has it",
     TEXT_AT(struct cal_event, organizer_name), .flags = MEMBER_CLEARS},
    {"recurrence", "Lines of iCalendar: RRULE, RDATE, EXDATE", .kind = MEMBER_OWN,
     .noun = "list of texts", .read = read_recurrence, .write = write_recurrence},
    {"instances", "Those instances of a series that differ", .kind = MEMBER_OWN,
     .form = &cal_instance_form},
};
const struct form cal_event_form = {
    .about = "An event",
    .members = event_members,
    .n = SOSIA_LEN(event_members),
    .check = read_original,
};

/* ---- access ---- */

static const char *const who_members[] = {"person", "group", "domain", "public"};

static int read_who(const struct form_in *in, void *row)
{
    struct cal_access *rule = row;
    struct doc *d = in->d;
    const struct json *v = in->value;
    bool all;
    int n = 0;
    if (doc_bool(d, v, "public", false, &all) < 0)
        return -1;
    for (int i = 0; i < 3; i++) {
        const char *who;
        if (doc_str(d, v, who_members[i], false, &who) < 0)
            return -1;
        if (!who)
            continue;
        n++;
        rule->kind = (enum cal_access_kind)(ACCESS_PERSON + i);
        rule->who = i == 2 ? domain_normal(d->arena, who) : email_normal(d->arena, who);
        if (!rule->who)
            return doc_fail(d, json_get(v, who_members[i]), who_members[i], "\"%.80s\" is not %s",
                            who, i == 2 ? "a domain" : "an e-mail address");
    }
    if (all) {
        n++;
        rule->kind = ACCESS_ALL;
        rule->who = "";
    }
    if (n != 1)
        return doc_fail(d, v, NULL, "needs one of person, group, domain and public");
    if (rule->beyond & CAL_TITLES && rule->role != CAL_FREEBUSY)
        return doc_refuse(d, v, "beyond", "titles go with the role freebusy");
    if (rule->beyond & (CAL_DELEGATE | CAL_PRIVATE) && rule->role != CAL_WRITE)
        return doc_refuse(d, v, "beyond", "delegate and private go with the role writer");
    return 0;
}

void cal_dump_who(struct json_writer *w, const struct cal_access *rule)
{
    const char *member = who_members[rule->kind - ACCESS_PERSON];
    if (rule->kind == ACCESS_ALL)
        json_bool(w, member, true);
    else
        json_str(w, member, rule->who);
}

static int write_who(const struct form_out *out, const struct member *m, const void *row)
{
    cal_dump_who(out->w, row);
    return 0;
}

static const char *const roles[] = CAL_ROLE_NAMES;
static const char *const beyond[] = {"titles", "delegate", "private", NULL};
static const struct member access_members[] = {
    {"role", "What they may do", ENUM_AT(struct cal_access, role, roles), .usual = CAL_READ,
     .flags = MEMBER_ALWAYS},
    {"beyond",
     "What they may besides: titles (and places) with freebusy; delegate, private (events) with "
     "writer",
     BITS_AT(struct cal_access, beyond, beyond), .noun = "right beyond a role"},
    {"person", "A person's address", .kind = MEMBER_OWN, .noun = "text", .write = write_who},
    {"group", "A group's address", .kind = MEMBER_OWN, .noun = "text"},
    {"domain", "The domain of an organisation", .kind = MEMBER_OWN, .noun = "text"},
    {"public", "Everybody", .kind = MEMBER_OWN, .noun = "true or false"},
};
const struct form cal_access_form = {
    .about = "An access rule",
    .members = access_members,
    .n = SOSIA_LEN(access_members),
    .check = read_who,
};

/* ---- calendars ---- */

static const struct member calendar_members[] = {
    {"id", "Of a primary calendar its owner's address; made up for others without it",
     .kind = MEMBER_OWN, .noun = "text"},
    {"owner", "The address of the person whose it is", .kind = MEMBER_OWN, .noun = "text"},
    {"group", "Of a group's calendar the group's address, which is the id too; it has no owner",
     .kind = MEMBER_OWN, .noun = "text"},
    {"primary", "It is the one that its owner has anyway", .kind = MEMBER_OWN,
     .noun = "true or false"},
    {"vendor",
     "Of an owner with several accounts, the vendor of the one that has it; of a group the one "
     "where it is",
     .kind = MEMBER_OWN, .noun = "text"},
    {"summary", "Its name", TEXT_AT(struct calendar, summary)},
    {"description", "What it is for", TEXT_AT(struct calendar, description),
     .flags = MEMBER_CLEARS},
    {"location", "Where it is", TEXT_AT(struct calendar, location), .flags = MEMBER_CLEARS},
    {"zone", "Its time zone; its owner's without it", ZONE_AT(struct calendar, zone)},
    {"app", "The client id of the app that made it", REF_AT(struct calendar, app, &app_reference)},
    {"extra", "What the vendor's API has besides", JSON_AT(struct calendar, extra)},
    {"access", "Who else may do what", .kind = MEMBER_OWN, .form = &cal_access_form},
    {"lists", "Who has it on the list, and how, as the vendor has it", .kind = MEMBER_OWN,
     .noun = "list"},
    {"events", "Its events", .kind = MEMBER_OWN, .form = &cal_event_form},
    {"copies", "What is personal about copies of events of others", .kind = MEMBER_OWN,
     .form = &cal_copy_form},
};
const struct form calendar_form = FORM("A calendar", calendar_members);

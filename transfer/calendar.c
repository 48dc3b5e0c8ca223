/* SPDX-License-Identifier: Apache-2.0 */
/* Calendars in and out as iCalendar files (RFC 5545), with the words that other programs add. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/core/ical/ical.h"
#include "services/calendar/core/ical/ical_read.h"
#include "services/calendar/core/vendor.h"
#include "transfer/calendar.h"

#define BUSY_NAME "X-MICROSOFT-CDO-BUSYSTATUS"
#define DAYS_NAME "X-MICROSOFT-CDO-ALLDAYEVENT"

/* ---- which calendar ---- */

/* The one that is named, or the person's primary one. 1; 0: there is none of that name. */
static int find_calendar(struct tx *tx, const struct transfer *t, const struct actor *who,
                         struct calendar *ret)
{
    if (t->place)
        return calendar_by_key(tx, t->place, ret);
    int r = calendar_of(tx, who->id, ret);
    if (r == 1 && t->vendor) {
        struct account account;
        r = account_at(tx, who->id, t->vendor, ACCOUNT_CALENDAR, &account);
        if (r == 1)
            r = calendar_of_account(tx, account.id, ret);
    }
    return r == 0 ? tx_fail(tx, SOSIA_E_INVALID, "transfer", "person",
                            "person must have a calendar, %.80s has none", t->person)
                  : r;
}

/* ---- events ---- */

static void write_time(struct json_writer *w, const char *member, bool day, int64_t us)
{
    char text[STAMP_TEXT];
    if (day)
        date_format(text, us / US_PER_DAY);
    else
        stamp_format(text, us, 0, 0, true);
    json_str(w, member, text);
}

static void write_guests(struct json_writer *w, const struct ical_event *ev)
{
    static const char *const responses[] = {NULL, NULL, "declined", "tentative", "accepted"};
    json_arr(w, "attendees");
    for (int i = 0; i < ev->n_guests; i++) {
        const struct cal_attendee *a = &ev->guests[i];
        json_obj(w, NULL);
        json_str(w, "email", a->email);
        json_str_opt(w, "name", a->name);
        json_str_opt(w, "response", responses[a->response]);
        json_bool_opt(w, "optional", a->optional);
        json_bool_opt(w, "resource", a->resource);
        if (a->guests)
            json_int(w, "guests", a->guests);
        json_str_opt(w, "comment", a->comment);
        json_end(w);
    }
    json_end(w);
}

/* Names between commas, with escapes. */
static void write_categories(struct arena *a, struct json_writer *w, const char *text)
{
    char *name = arena_alloc(a, strlen(text) + 1), *to = name;
    json_arr(w, "categories");
    for (const char *p = text;; p++) {
        if (*p && *p != ',') {
            p += *p == '\\' && p[1];
            *to++ = *p;
            continue;
        }
        *to = 0;
        if (to != name)
            json_str(w, NULL, name);
        to = name;
        if (!*p)
            break;
    }
    json_end(w);
}

static void write_reminders(struct json_writer *w, const struct calendar *cal,
                            const struct ical_event *ev)
{
    if (cal->vendor->reminds) {
        json_bool(w, "reminderOn", ev->n_alarms > 0);
        if (ev->n_alarms)
            json_int(w, "reminderMinutes", ev->alarms[0].minutes);
        return;
    }
    if (!ev->n_alarms)
        return;
    json_arr(w, "reminders");
    for (int i = 0; i < ev->n_alarms; i++) {
        json_obj(w, NULL);
        json_str(w, "method", ev->alarms[i].email ? "email" : "popup");
        json_int(w, "minutes", ev->alarms[i].minutes);
        json_end(w);
    }
    json_end(w);
}

/* What series and their instances have alike. */
static void write_shared(struct transfer_in *in, const struct calendar *cal,
                         const struct ical_event *ev)
{
    static const char *const statuses[] = {NULL, "tentative", "cancelled"};
    static const char *const visibilities[] = {NULL, "public", "private", "confidential",
                                               "personal"};
    static const char *const importances[] = {NULL, "low", "high"};
    static const char *const busy[] = {NULL, NULL, "tentative", "away", "elsewhere", NULL};
    struct json_writer *w = in->w;
    json_str(w, "summary", ev->summary ? ev->summary : "");
    if (ev->timed) {
        write_time(w, "start", ev->all_day, ev->start_us);
        if (!ev->no_end)
            write_time(w, "end", ev->all_day, ev->start_us + ev->len_us);
        /* What says nothing of it has the calendar's. */
        if (!ev->all_day && ev->zone &&
            (ev->recurrence || ev->single || strcmp(ev->zone, tz_name(cal->tz)) != 0))
            json_str(w, "zone", ev->zone);
    }
    json_str_opt(w, "description", ev->description);
    json_str_opt(w, "location", ev->location);
    json_str_opt(w, "status", statuses[ev->status]);
    json_str_opt(w, "visibility", visibilities[ev->visibility]);
    if (busy[ev->busy])
        json_str(w, "busy", busy[ev->busy]);
    else
        json_bool_opt(w, "free", ev->free);
    json_str_opt(w, "importance", importances[ev->importance]);
    if (ev->sequence > 0)
        json_int(w, "sequence", ev->sequence);
    if (ev->categories)
        write_categories(in->tx->arena, w, ev->categories);
    write_reminders(w, cal, ev);
}

/* The id that an event with this UID has in the calendar, if it is one of the vendor's own. */
static int write_id(struct transfer_in *in, const struct calendar *cal, const char *uid)
{
    struct cal_event other;
    const char *at = strchr(uid, '@'),
               *key = at ? arena_memdup(in->tx->arena, uid, (size_t)(at - uid)) : uid;
    if (strcmp(cal->vendor->uid(in->tx, key), uid) != 0 || !*key || strlen(key) > 1024 ||
        strpbrk(key, " /?#%\t\r\n"))
        return 0;
    int r = cal_event_find(in->tx, cal, key, &other);
    if (r == 0)
        json_str(in->w, "id", key);
    return r < 0 ? -1 : 0;
}

struct events {
    struct transfer_in *in;
    const struct calendar *cal;
    const struct ical *ical;
    bool *done; /* by event: it is part of another one */
    int *next;  /* the next place + 1 of those of one UID that speak of one instance */
    struct map uids, singles; /* place + 1 of the event, or series, and of the first of those */
};

/* Those of the same UID that speak of one instance alone. */
static void write_instances(struct events *e, int series)
{
    const struct ical_event *of = &e->ical->events[series];
    struct json_writer *w = e->in->w;
    bool any = false;
    for (int i = (int)(uintptr_t)map_get(&e->singles, of->uid); i; i = e->next[i - 1]) {
        const struct ical_event *ev = &e->ical->events[i - 1];
        e->done[i - 1] = true;
        if (!any)
            json_arr(w, "instances");
        any = true;
        json_obj(w, NULL);
        write_time(w, "originalStart", ev->original_day, ev->original_us);
        if (ev->status == EVENT_CANCELLED)
            json_str(w, "status", "cancelled");
        else
            write_shared(e->in, e->cal, ev);
        if (ev->n_guests && ev->status != EVENT_CANCELLED)
            write_guests(w, ev);
        json_end(w);
    }
    if (any)
        json_end(w);
}

/* Those of a series that is there already. */
static void leave_instances(struct events *e, const char *uid)
{
    for (int i = (int)(uintptr_t)map_get(&e->singles, uid); i; i = e->next[i - 1])
        e->done[i - 1] = true;
}

static int write_event(struct events *e, int n)
{
    const struct ical_event *ev = &e->ical->events[n];
    struct json_writer *w = e->in->w;
    json_obj(w, NULL);
    if (!ev->single && write_id(e->in, e->cal, ev->uid) < 0)
        return -1;
    if (!ev->single)
        json_str(w, "uid", ev->uid);
    write_shared(e->in, e->cal, ev);
    if (ev->n_guests)
        write_guests(w, ev);
    if (ev->organizer && strcmp(ev->organizer, e->cal->address) != 0) {
        json_str(w, "organizer", ev->organizer);
        json_str_opt(w, "organizerName", ev->organizer_name);
    }
    if (ev->recurrence) {
        json_arr(w, "recurrence");
        for (const char *p = ev->recurrence; *p; p += strcspn(p, "\n"), p += *p == '\n')
            json_strn(w, NULL, p, strcspn(p, "\n"));
        json_end(w);
        write_instances(e, n);
    }
    json_end(w);
    e->in->done->n[TRANSFER_EVENTS]++;
    return 0;
}

/* Is it in the calendar already, or a second one of the file? 1, 0. */
static int is_there(struct events *e, int n)
{
    const struct ical_event *ev = &e->ical->events[n];
    struct cal_event other;
    if ((int)(uintptr_t)map_get(&e->uids, ev->uid) != n + 1)
        return 1;
    int r = e->cal->id ? cal_event_by_uid(e->in->tx, e->cal, ev->uid, &other) : 0;
    return r == 1 && other.status == EVENT_CANCELLED ? 0 : r;
}

/* From the last one on: so the first one of a UID counts, and lists are in the file's order. */
static int index_uids(struct events *e)
{
    for (int i = e->ical->n_events; i > 0; i--) {
        const struct ical_event *ev = &e->ical->events[i - 1];
        struct map *m = ev->single ? &e->singles : &e->uids;
        if (ev->single)
            e->next[i - 1] = (int)(uintptr_t)map_get(m, ev->uid);
        if (map_set(m, ev->uid, (void *)(uintptr_t)i) < 0)
            return sosia_fail_memory(e->in->tx->err);
    }
    return 0;
}

static int write_events(struct events *e)
{
    int64_t *skipped = &e->in->done->n[TRANSFER_SKIPPED];
    if (index_uids(e) < 0)
        return -1;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < e->ical->n_events; i++) {
            const struct ical_event *ev = &e->ical->events[i];
            if (ev->single != (pass == 1) || e->done[i])
                continue;
            int r = !ev->timed || ev->status == EVENT_CANCELLED ? 1
                    : ev->single                                ? 0
                                                                : is_there(e, i);
            if (r == 0 && write_event(e, i) < 0)
                return -1;
            *skipped += r == 1;
            if (r == 1 && !ev->single)
                leave_instances(e, ev->uid);
            if (r < 0)
                return -1;
        }
    return 0;
}

/* ---- a file ---- */

int transfer_ical(struct transfer_in *in, const struct calendar *cal, const struct ical *ical)
{
    struct events e = {.in = in, .cal = cal, .ical = ical};
    e.done = arena_calloc(in->tx->arena, (size_t)ical->n_events + 1, sizeof *e.done);
    e.next = arena_calloc(in->tx->arena, (size_t)ical->n_events + 1, sizeof *e.next);
    in->done->n[TRANSFER_SKIPPED] += ical->passed_over;
    json_arr(in->w, "events");
    int rc = arena_failed(in->tx->arena) ? sosia_fail_memory(in->tx->err) : write_events(&e);
    json_end(in->w);
    map_done(&e.uids);
    map_done(&e.singles);
    return rc;
}

int transfer_ical_parse(struct transfer_in *in, const struct tz *home, struct ical *ret)
{
    struct ical_file file = {.busy_name = BUSY_NAME, .days_name = DAYS_NAME};
    struct sosia_err why = {0};
    if (ical_read_file(in->tx->arena, in->data, in->len, home, &file, ret, &why) == 0)
        return 0;
    if (why.code != SOSIA_E_INVALID) {
        *in->tx->err = why;
        return -1;
    }
    return transfer_fail(in, file.line,
                         "must be iCalendar, from BEGIN:VCALENDAR to "
                         "END:VCALENDAR: %s",
                         why.text);
}

int read_ics(struct transfer_in *in)
{
    struct calendar cal = {.id = 0};
    struct actor who;
    struct ical ical;
    struct json_writer *w = in->w;
    if (transfer_person(in->tx, in->t, &who) < 0)
        return -1;
    int r = find_calendar(in->tx, in->t, &who, &cal);
    if (r < 0)
        return -1;
    if (r == 0) { /* a new one, as the person's primary one is */
        struct transfer plain = *in->t;
        plain.place = NULL;
        if (find_calendar(in->tx, &plain, &who, &cal) < 0)
            return -1;
        cal.id = 0;
        cal.address = in->t->place;
    }
    if (transfer_ical_parse(in, cal.tz, &ical) < 0)
        return -1;
    json_arr(w, "calendars");
    json_obj(w, NULL);
    if (in->t->place)
        json_str(w, "id", in->t->place);
    else
        json_bool(w, "primary", true);
    if (r == 0)
        json_str(w, "summary", ical.name ? ical.name : in->t->place);
    if (r == 0 || !in->t->place) {
        json_str(w, "owner", in->t->person);
        json_str_opt(w, "vendor", in->t->vendor);
    }
    int rc = transfer_ical(in, &cal, &ical);
    json_end(w);
    json_end(w);
    return rc;
}

int write_ics(struct transfer_out *out)
{
    struct calendar cal;
    struct actor who;
    if (transfer_person(out->tx, out->t, &who) < 0)
        return -1;
    int r = find_calendar(out->tx, out->t, &who, &cal);
    if (r == 0)
        return tx_fail(out->tx, SOSIA_E_INVALID, "transfer", "place",
                       "place must be the id of a calendar, not \"%.80s\"", out->t->place);
    return r < 0 ? -1 : ical_add_file(out->tx, &cal, BUSY_NAME, out->out);
}

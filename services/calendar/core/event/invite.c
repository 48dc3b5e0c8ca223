/* SPDX-License-Identifier: Apache-2.0 */
/* Mails about invitations: who gets which when an event with guests changes. */
#include "services/calendar/core/event/event_impl.h"
#include "services/calendar/core/ical/ical.h"
#include "services/calendar/core/vendor.h"

static bool listed(const struct cal_event *ev, const char *email)
{
    for (int i = 0; ev && i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, email) == 0)
            return true;
    return false;
}

/* "Thu 12 Mar 2026 10:00" on a wall clock, or the date alone. */
static const char *day_text(struct tx *tx, int64_t s, bool with_time)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct civil c;
    civil_from_seconds(s, &c);
    const char *day = arena_printf(tx->arena, "%s %d %s %d",
                                   days[weekday_from_days(days_from_civil(c.year, c.month, c.day))],
                                   c.day, months[c.month - 1], c.year);
    return with_time ? arena_printf(tx->arena, "%s %02d:%02d", day, c.hour, c.minute) : day;
}

static const char *when(struct tx *tx, const struct calendar *cal, const struct cal_event *ev)
{
    const struct tz *tz = ev->zone && tz_find(ev->zone) ? tz_find(ev->zone) : cal->tz;
    int64_t start = ev->start_us / US_PER_SECOND, end = event_end(ev) / US_PER_SECOND;
    if (ev->all_day) {
        const char *first = day_text(tx, start, false), *last = day_text(tx, end - 1, false);
        return strcmp(first, last) == 0 ? first : arena_printf(tx->arena, "%s - %s", first, last);
    }
    return arena_printf(tx->arena, "%s - %s (%s)", day_text(tx, start + tz_offset(tz, start), true),
                        day_text(tx, end + tz_offset(tz, end), true), tz_name(tz));
}

static void text_line(struct buf *b, const char *label, const char *text)
{
    if (text && *text)
        buf_printf(b, "%s: %s\n", label, text);
}

/* What a person reads. */
static const char *letter_text(struct tx *tx, const struct calendar *cal,
                               const struct cal_event *ev, const char *comment)
{
    struct buf b;
    buf_init(&b, 0);
    if (comment && *comment)
        buf_printf(&b, "%s\n\n", comment);
    text_line(&b, "What", ev->summary ? ev->summary : "(No title)");
    text_line(&b, "When", when(tx, cal, ev));
    text_line(&b, "Where", ev->location);
    text_line(&b, "Organizer", ev->organizer ? ev->organizer : cal->address);
    if (ev->description && *ev->description)
        buf_printf(&b, "\n%s\n", ev->description);
    return buf_keep(&b, tx->arena);
}

static int send(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
                const char *from, const char *to, const char *subject, enum cal_letter kind,
                const char *only, const char *comment)
{
    static const char *const methods[] = {"REQUEST", "REQUEST", "CANCEL", "REPLY"};
    const char *method = methods[kind];
    struct actor who;
    struct buf ics;
    int r = actor_by_email(tx, from, &who);
    if (r < 0)
        return -1;
    buf_init(&ics, 0);
    int rc = ical_add(tx, cal, ev, method, only, &ics);
    if (rc == 0) {
        struct letter l = {
            .from = from,
            .from_name = r                         ? who.name
                         : calendar_is_groups(cal) ? cal->summary
                                                   : NULL,
            .to = to,
            .subject = arena_printf(tx->arena, "%s: %s", subject,
                                    ev->summary ? ev->summary : "(No title)"),
            .text = letter_text(tx, cal, ev, comment),
            .calendar = buf_str(&ics),
            .method = method,
            /* An answer to an event that no copy follows reaches its organizer by mail alone. */
            .settled = kind != CAL_LETTER_ANSWERS || ev->origin,
        };
        if (cal->vendor->letter)
            rc = cal->vendor->letter(tx, ev, kind, comment, &l);
        rc = rc < 0 ? -1 : letter_send(tx, &l);
    }
    buf_done(&ics);
    return rc;
}

/* 1: this address gets mail at all. */
static int is_invited(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                      const char *email)
{
    if (strcmp(email, cal->address) == 0 || (by->who && strcmp(email, by->who->email) == 0))
        return 0;
    if (by->mail == MAIL_ALL)
        return 1;
    int r = identity_is_local(tx, email);
    return r < 0 ? -1 : !r;
}

/* Those of ev's guests who are (or are not) among the other's, separated by commas; "" for none. */
static int recipients(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                      const struct cal_event *ev, const struct cal_event *other, bool in_both,
                      const char **ret)
{
    struct buf b;
    int rc = 0;
    buf_init(&b, 0);
    for (int i = 0; ev && rc == 0 && i < ev->n_attendees; i++) {
        const char *email = ev->attendees[i].email;
        if (listed(other, email) != in_both)
            continue;
        int r = is_invited(tx, by, cal, email);
        if (r == 1)
            buf_printf(&b, "%s%s", b.len ? "," : "", email);
        rc = r < 0 ? -1 : 0;
    }
    *ret = buf_keep(&b, tx->arena);
    return rc;
}

int cal_invite_changed(struct tx *tx, const struct cal_event_by *by, const struct calendar *cal,
                       const struct cal_event *old, const struct cal_event *ev, unsigned parts)
{
    const char *added, *kept, *dropped;
    if (by->mail == MAIL_NONE)
        return 0;
    if (parts == PART_RESPONSE) {
        static const char *const words[] = {"Invitation", "Invitation", "Declined",
                                            "Tentatively accepted", "Accepted"};
        const char *to = ev->organizer ? ev->organizer : cal->address;
        struct calendar leader;
        int r = calendar_by_address(tx, to, &leader);
        if (r == 0)
            r = calendar_of_group(tx, to, &leader);
        if (r < 0 || (r == 1 && !leader.main)) /* a calendar has no mailbox */
            return r < 0 ? -1 : 0;
        r = is_invited(tx, by, cal, to);
        return r == 1 ? send(tx, cal, ev, cal->address, to, words[ev->response], CAL_LETTER_ANSWERS,
                             cal->address, by->comment)
                      : r;
    }
    if (recipients(tx, by, cal, ev, old, false, &added) < 0 ||
        recipients(tx, by, cal, ev, old, true, &kept) < 0 ||
        recipients(tx, by, cal, old, ev, false, &dropped) < 0)
        return -1;
    bool gone = ev->status == EVENT_CANCELLED;
    if (*dropped && send(tx, cal, old, cal->address, dropped, "Canceled event", CAL_LETTER_CANCELS,
                         NULL, by->comment) < 0)
        return -1;
    if (gone)
        return *kept ? send(tx, cal, ev, cal->address, kept, "Canceled event", CAL_LETTER_CANCELS,
                            NULL, by->comment)
                     : 0;
    if (*added && send(tx, cal, ev, cal->address, added, "Invitation", CAL_LETTER_INVITES, NULL,
                       by->comment) < 0)
        return -1;
    /* Guests who stay are notified of changes that concern them, not of other guests who are
     * added or removed. */
    if (*kept && parts & (PARTS_SHARED & ~(unsigned)(PART_ATTENDEES | PART_PROPS | PART_SEQUENCE)))
        return send(tx, cal, ev, cal->address, kept, "Updated invitation", CAL_LETTER_UPDATES, NULL,
                    by->comment);
    return 0;
}

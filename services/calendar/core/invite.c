/* SPDX-License-Identifier: Apache-2.0 */
/* Mails about invitations: who is told what when an event with guests changes. They are left in the
 * world's outbox. */
#include "services/calendar/core/event_impl.h"
#include "services/calendar/core/ical.h"

static bool listed(const struct event *ev, const char *email)
{
    for (int i = 0; ev && i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, email) == 0)
            return true;
    return false;
}

/* The mail itself: JSON with a subject, the method and the calendar object. */
static int send(struct tx *tx, const struct calendar *cal, const struct event *ev, const char *from,
                const char *to, const char *subject, const char *method, const char *only)
{
    struct buf ics, body;
    struct json_writer w;
    int rc = -1;
    buf_init(&ics, 0);
    buf_init(&body, 0);
    if (ical_add(tx, cal, ev, method, only, &ics) == 0) {
        json_init(&w, &body, false, NULL);
        json_obj(&w, NULL);
        json_str(
            &w, "subject",
            arena_printf(tx->arena, "%s: %s", subject, ev->summary ? ev->summary : "(No title)"));
        json_str(&w, "method", method);
        json_str(&w, "calendar", buf_str(&ics));
        json_end(&w);
        rc = buf_failed(&body) ? sosia_fail_memory(tx->err)
                               : outbox_add(tx, "mail", from, to, buf_str(&body));
    }
    buf_done(&ics);
    buf_done(&body);
    return rc;
}

/* 1: this address is told at all. */
static int told(struct tx *tx, const struct event_by *by, const struct calendar *cal,
                const char *email)
{
    if (strcmp(email, cal->key) == 0 || (by->who && strcmp(email, by->who->email) == 0))
        return 0;
    if (by->mail == MAIL_ALL)
        return 1;
    int r = identity_is_local(tx, email);
    return r < 0 ? -1 : !r;
}

/* Those of ev's guests who are (or are not) among the other's, separated by commas; "" for none. */
static int recipients(struct tx *tx, const struct event_by *by, const struct calendar *cal,
                      const struct event *ev, const struct event *other, bool in_both,
                      const char **ret)
{
    struct buf b;
    int rc = 0;
    buf_init(&b, 0);
    for (int i = 0; ev && rc == 0 && i < ev->n_attendees; i++) {
        const char *email = ev->attendees[i].email;
        if (listed(other, email) != in_both)
            continue;
        int r = told(tx, by, cal, email);
        if (r == 1)
            buf_printf(&b, "%s%s", b.len ? "," : "", email);
        rc = r < 0 ? -1 : 0;
    }
    *ret = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return rc;
}

int invite_changed(struct tx *tx, const struct event_by *by, const struct calendar *cal,
                   const struct event *old, const struct event *ev, unsigned parts)
{
    const char *added, *kept, *dropped;
    if (by->mail == MAIL_NONE)
        return 0;
    if (parts == PART_RESPONSE) {
        static const char *const words[] = {"Invitation", "Invitation", "Declined",
                                            "Tentatively accepted", "Accepted"};
        const char *to = ev->organizer ? ev->organizer : cal->key;
        int r = told(tx, by, cal, to);
        return r == 1 ? send(tx, cal, ev, cal->key, to, words[ev->response], "REPLY", cal->key) : r;
    }
    if (recipients(tx, by, cal, ev, old, false, &added) < 0 ||
        recipients(tx, by, cal, ev, old, true, &kept) < 0 ||
        recipients(tx, by, cal, old, ev, false, &dropped) < 0)
        return -1;
    bool gone = ev->status == EVENT_CANCELLED;
    if (*dropped && send(tx, cal, old, cal->key, dropped, "Canceled event", "CANCEL", NULL) < 0)
        return -1;
    if (gone)
        return *kept ? send(tx, cal, ev, cal->key, kept, "Canceled event", "CANCEL", NULL) : 0;
    if (*added && send(tx, cal, ev, cal->key, added, "Invitation", "REQUEST", NULL) < 0)
        return -1;
    /* Those who stay are told of what concerns them, not of each other's coming and going. */
    if (*kept && parts & (PARTS_SHARED & ~(unsigned)(PART_ATTENDEES | PART_PROPS | PART_SEQUENCE)))
        return send(tx, cal, ev, cal->key, kept, "Updated invitation", "REQUEST", NULL);
    return 0;
}

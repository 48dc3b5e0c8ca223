/* SPDX-License-Identifier: Apache-2.0 */
/* Events in the core's own terms, which accounts of all vendors have in common. */
#include "engine/state/plain.h"
#include "services/calendar/core/event/event.h"
#include "services/calendar/core/seed_impl.h"
#include <stdlib.h>

#define DAY_S 86400

/* Whose calendar it is in; of another one than the main one its name too. */
static int write_calendar(struct tx *tx, struct json_writer *w, const struct calendar *cal)
{
    struct actor owner;
    int r = cal->owner ? actor_by_id(tx, cal->owner, &owner) : 0;
    if (r < 0)
        return -1;
    json_str(w, "person", r ? owner.email : cal->key);
    if (!cal->main && cal->owner)
        json_str(w, "calendar", cal->summary);
    return 0;
}

static void write_when(struct json_writer *w, const char *member, const struct cal_event *ev,
                       int64_t us)
{
    char text[STAMP_TEXT];
    if (!ev->all_day) {
        json_time(w, member, us, JSON_TIME_S_Z);
        return;
    }
    size_t n = stamp_format(text, us, 0, 0, true);
    json_strn(w, member, text, n < 10 ? n : 10);
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Does a part of a rule say what the rule would say without it? */
static bool is_usual(const char *part, const char *line, const struct cal_event *ev)
{
    static const char days[7][3] = {"TH", "FR", "SA", "SU", "MO", "TU", "WE"}; /* from 1970-01-01 */
    const struct tz *tz = ev->zone && !ev->all_day ? tz_find(ev->zone) : NULL;
    int64_t s = ev->start_us / US_PER_SECOND, local = s + (tz ? tz_offset(tz, s) : 0);
    int64_t day = (local >= 0 ? local : local - DAY_S + 1) / DAY_S % 7;
    if (strcmp(part, "INTERVAL=1") == 0 || strncmp(part, "WKST=", 5) == 0)
        return true;
    return strstr(line, "FREQ=WEEKLY") && strncmp(part, "BYDAY=", 6) == 0 &&
           strcmp(part + 6, days[day < 0 ? day + 7 : day]) == 0;
}

/* A rule with its parts in the order of their names, without those that say nothing, and with the
 * day of its end alone: "FREQ=WEEKLY;COUNT=8". */
static const char *rule_of(struct arena *a, const char *line, size_t len,
                           const struct cal_event *ev)
{
    const char *parts[32];
    size_t n = 0, used = 0;
    char *text = arena_printf(a, "%.*s", (int)len, line), *out = arena_alloc(a, len + 2);
    char *whole = arena_printf(a, "%s", text), *rest = strchr(text, ':');
    if (arena_failed(a) || !rest)
        return text;
    for (char *part = strtok_r(rest + 1, ";", &rest); part && n < SOSIA_LEN(parts);
         part = strtok_r(NULL, ";", &rest)) {
        if (strncmp(part, "UNTIL=", 6) == 0 && strlen(part) > 14)
            part[14] = 0;
        if (!is_usual(part, whole, ev))
            parts[n++] = part;
    }
    qsort(parts, n, sizeof *parts, by_bytes);
    for (size_t i = 0; i < n; i++) {
        size_t part = strlen(parts[i]);
        if (i)
            out[used++] = ';';
        memcpy(out + used, parts[i], part);
        used += part;
    }
    out[used] = 0;
    return out;
}

/* Rules alone: what lines of dates say is said by the instances. */
static void write_rules(struct json_writer *w, struct arena *a, const struct cal_event *ev)
{
    const char *rules[8];
    size_t n = 0;
    for (const char *line = ev->recurrence; line && *line && n < SOSIA_LEN(rules);) {
        size_t len = strcspn(line, "\n");
        if (strncmp(line, "RRULE:", 6) == 0)
            rules[n++] = rule_of(a, line, len, ev);
        line += len + (line[len] == '\n');
    }
    plain_list(w, "recurrence", rules, n);
}

/* The organizer is not a guest, whatever list has them. */
static int write_guests(struct tx *tx, struct json_writer *w, const struct cal_event *ev,
                        const char *organizer)
{
    static const char *const answers[] = {"", "", " declined", " tentative", " accepted"};
    const char **list = arena_calloc(tx->arena, (size_t)ev->n_attendees + 1, sizeof *list);
    size_t n = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (int i = 0; i < ev->n_attendees; i++) {
        const struct cal_attendee *g = &ev->attendees[i];
        if (strcasecmp(g->email, organizer) != 0)
            list[n++] = arena_printf(tx->arena, "%s%s%s", g->email, answers[g->response],
                                     g->optional ? " optional" : "");
    }
    plain_list(w, "guests", list, n);
    return 0;
}

int event_plain(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static const char *const status[] = {"confirmed", "tentative", "cancelled"};
    struct cal_event ev;
    struct calendar cal;
    int r = cal_event_by_id(tx, rowid, &ev);
    if (r == 1)
        r = calendar_by_id(tx, ev.calendar, &cal);
    if (r != 1 || ev.removed || (ev.status == EVENT_CANCELLED && ev.form != EVENT_INSTANCE))
        return r < 0 ? -1 : 0;
    if (cal_event_load_attendees(tx, &ev) < 0 || write_calendar(tx, w, &cal) < 0)
        return -1;
    const char *organizer = ev.organizer ? ev.organizer : cal.address ? cal.address : cal.key;
    plain_text(w, tx->arena, "title", ev.summary);
    if (ev.form == EVENT_INSTANCE)
        write_when(w, "of", &ev, ev.original_us);
    if (ev.status != EVENT_CONFIRMED)
        json_str(w, "status", status[ev.status]);
    write_when(w, "start", &ev, ev.start_us);
    write_when(w, "end", &ev, event_end(&ev));
    write_rules(w, tx->arena, &ev);
    plain_text(w, tx->arena, "location", ev.location);
    plain_text(w, tx->arena, "text", ev.description);
    json_bool_opt(w, "free", !event_blocks(&ev));
    json_bool_opt(w, "private",
                  ev.visibility == VISIBLE_PRIVATE || ev.visibility == VISIBLE_CONFIDENTIAL);
    if (strcasecmp(organizer, cal.address ? cal.address : cal.key) != 0)
        json_str(w, "organizer", organizer);
    return write_guests(tx, w, &ev, organizer) < 0 ? -1 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "services/calendar/core/ical/ical_read.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/calendar/core/ical/ical.h"
#include "services/calendar/core/ical/ical_line.h"
#include "services/calendar/core/ical/ical_zone.h"
#include "services/calendar/core/recur/rrule.h"

#define MAX_DEPTH  16    /* of components */
#define ALARM_MOST 40320 /* minutes before the start */

/* A time before the zones are known. */
struct moment {
    bool given;
    enum rrule_form form;
    int64_t s; /* reading */
    const char *zone;
};

/* A line of a recurrence, likewise. */
struct rule_line {
    struct rule_line *next;
    const char *name, *type, *zone, *value;
};

struct draft {
    struct draft *next;
    struct ical_event ev;
    struct moment start, end, original;
    const char *duration;
    struct rule_line *rules, **rules_end;
    size_t guests_cap;
    bool broken;
    bool whole_days; /* says of itself that its midnights are of days */
};

enum component { ROOT, CALENDAR, EVENT, ALARM, ZONE, OBSERVANCE, OTHER };

struct reader {
    struct arena *a;
    const struct tz *home;
    enum component stack[MAX_DEPTH];
    int depth;
    bool done; /* the first calendar has ended */
    struct ical *ical;
    struct draft *drafts, **drafts_end, *draft;
    struct ical_zone *zones[ICAL_MAX_ZONES], *zone;
    struct zone_found {
        bool looked;
        const struct tz *tz; /* NULL: like none of tzdata */
    } found[ICAL_MAX_ZONES];
    int n_zones;
    int events_max;
    size_t line; /* of the joined ones, from 1 */
    struct ical_alarm alarm;
    bool alarm_counts;
    int unnamed;            /* events without a UID */
    struct ical_file *file; /* NULL: an object of a mail */
    struct sosia_err *err;
};

static int refuse(struct reader *r, const char *why)
{
    return sosia_fail(r->err, SOSIA_E_INVALID, "invalid", NULL, "%s", why);
}

/* ---- properties of an event ---- */

/* The address of a person, in normal form; NULL: none. */
static const char *address(struct reader *r, const struct ical_line *l)
{
    const char *text = l->value, *also = ical_param(l, "EMAIL");
    char scheme[8] = {0};
    memcpy(scheme, text, strnlen(text, 7));
    const char *email = email_normal(r->a, str_eq_nocase(scheme, "mailto:") ? text + 7 : text);
    return email || !also ? email : email_normal(r->a, also);
}

static void read_moment(const struct ical_line *l, struct moment *ret)
{
    struct moment m = {.given = true, .zone = ical_param(l, "TZID")};
    if (!ret->given && rrule_time(l->value, strlen(l->value), &m.form, &m.s) == 0)
        *ret = m;
}

static enum cal_response response_of(const struct ical_line *l)
{
    return ical_param_is(l, "PARTSTAT", "ACCEPTED")    ? RESPONSE_ACCEPTED
           : ical_param_is(l, "PARTSTAT", "DECLINED")  ? RESPONSE_DECLINED
           : ical_param_is(l, "PARTSTAT", "TENTATIVE") ? RESPONSE_TENTATIVE
                                                       : RESPONSE_NONE;
}

static void read_guest(struct reader *r, const struct ical_line *l, struct draft *d)
{
    struct ical_event *ev = &d->ev;
    const char *email = address(r, l), *name = ical_plain_param(ical_param(l, "CN")),
               *more = ical_param(l, "X-NUM-GUESTS");
    int64_t guests = 0;
    if (!email || ev->n_guests == ICAL_MAX_GUESTS)
        return;
    for (int i = 0; i < ev->n_guests; i++)
        if (strcmp(ev->guests[i].email, email) == 0)
            return;
    void *list =
        arena_grow(r->a, ev->guests, (size_t)ev->n_guests, &d->guests_cap, sizeof *ev->guests);
    if (!list)
        return;
    ev->guests = list;
    if (more && (parse_i64(more, strlen(more), &guests) < 0 || guests < 0 || guests > INT32_MAX))
        guests = 0;
    ev->guests[ev->n_guests++] = (struct cal_attendee){
        .email = email,
        .name = name && !str_eq_nocase(name, email) ? name : NULL,
        .comment = ical_plain_param(ical_param(l, "X-RESPONSE-COMMENT")),
        .response = response_of(l),
        .optional = ical_param_is(l, "ROLE", "OPT-PARTICIPANT") ||
                    ical_param_is(l, "ROLE", "NON-PARTICIPANT"),
        .resource = ical_param_is(l, "CUTYPE", "RESOURCE") || ical_param_is(l, "CUTYPE", "ROOM"),
        .guests = (int)guests,
    };
}

static void read_rule(struct reader *r, const struct ical_line *l, const char *name,
                      struct draft *d)
{
    struct rule_line *rule = arena_calloc(r->a, 1, sizeof *rule);
    if (arena_failed(r->a))
        return;
    *rule = (struct rule_line){.name = name, .zone = ical_param(l, "TZID"), .value = l->value};
    rule->type = ical_param_is(l, "VALUE", "DATE")     ? ";VALUE=DATE"
                 : ical_param_is(l, "VALUE", "PERIOD") ? ";VALUE=PERIOD"
                                                       : "";
    *d->rules_end = rule;
    d->rules_end = &rule->next;
}

static bool read_text(const struct ical_line *l, struct ical_event *ev)
{
    const struct {
        const char *name, **at;
    } texts[] = {{"SUMMARY", &ev->summary},
                 {"DESCRIPTION", &ev->description},
                 {"LOCATION", &ev->location},
                 {"COMMENT", &ev->comment}};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        if (!str_eq_nocase(l->name, texts[i].name))
            continue;
        if (!*texts[i].at)
            *texts[i].at = ical_plain(l->value);
        return true;
    }
    return false;
}

static void read_word(const struct ical_line *l, struct draft *d)
{
    struct ical_event *ev = &d->ev;
    const char *name = l->name, *value = l->value;
    int64_t sequence, priority;
    if (str_eq_nocase(name, "STATUS"))
        ev->status = str_eq_nocase(value, "CANCELLED")   ? EVENT_CANCELLED
                     : str_eq_nocase(value, "TENTATIVE") ? EVENT_TENTATIVE
                                                         : EVENT_CONFIRMED;
    else if (str_eq_nocase(name, "CLASS"))
        ev->visibility = str_eq_nocase(value, "PRIVATE")        ? VISIBLE_PRIVATE
                         : str_eq_nocase(value, "CONFIDENTIAL") ? VISIBLE_CONFIDENTIAL
                         : str_eq_nocase(value, "X-PERSONAL")   ? VISIBLE_PERSONAL
                                                                : VISIBLE_DEFAULT;
    else if (str_eq_nocase(name, "TRANSP"))
        ev->free = str_eq_nocase(value, "TRANSPARENT");
    else if (str_eq_nocase(name, "PRIORITY") && parse_i64(value, strlen(value), &priority) == 0)
        ev->importance = priority >= 1 && priority <= 4   ? IMPORTANCE_HIGH
                         : priority >= 6 && priority <= 9 ? IMPORTANCE_LOW
                                                          : IMPORTANCE_NORMAL;
    else if (str_eq_nocase(name, "DURATION"))
        d->duration = value;
    else if (str_eq_nocase(name, "SEQUENCE") && parse_i64(value, strlen(value), &sequence) == 0 &&
             sequence >= 0 && sequence <= INT32_MAX)
        ev->sequence = sequence;
}

/* ---- what files have besides ---- */

static bool read_duration(const char *p, int64_t *ret_days, int64_t *ret_s);

/* "-PT15M" before the start. Others (at an instant, behind the end) have no place in a calendar. */
static void read_alarm(struct reader *r, const struct ical_line *l)
{
    bool before = *l->value == '-';
    int64_t days, s;
    if (str_eq_nocase(l->name, "ACTION"))
        r->alarm.email = str_eq_nocase(l->value, "EMAIL");
    if (!str_eq_nocase(l->name, "TRIGGER") || ical_param_is(l, "VALUE", "DATE-TIME") ||
        ical_param_is(l, "RELATED", "END") || !read_duration(l->value + before, &days, &s))
        return;
    s = (days * SECONDS_PER_DAY + s) / 60;
    r->alarm_counts = (before || !s) && s <= ALARM_MOST;
    r->alarm.minutes = r->alarm_counts ? (int)s : 0;
}

static void end_alarm(struct reader *r)
{
    struct ical_event *ev = &r->draft->ev;
    if (r->alarm_counts && ev->n_alarms < ICAL_MAX_ALARMS)
        ev->alarms[ev->n_alarms++] = r->alarm;
    r->alarm = (struct ical_alarm){0};
    r->alarm_counts = false;
}

/* What programs have added to the format. */
static void read_extension(struct reader *r, const struct ical_line *l, struct draft *d)
{
    static const char *const words[] = ICAL_BUSY;
    struct ical_event *ev = &d->ev;
    if (str_eq_nocase(l->name, "CATEGORIES")) {
        ev->categories =
            ev->categories ? arena_printf(r->a, "%s,%s", ev->categories, l->value) : l->value;
    } else if (str_eq_nocase(l->name, r->file->busy_name)) {
        for (size_t i = 0; words[i]; i++)
            if (str_eq_nocase(l->value, words[i]))
                ev->busy = (enum cal_busy)i;
    } else if (str_eq_nocase(l->name, r->file->days_name)) {
        d->whole_days = str_eq_nocase(l->value, "TRUE");
    }
}

/* ---- and all of them ---- */

static void read_property(struct reader *r, const struct ical_line *l, struct draft *d)
{
    static const char *const rules[] = {"RRULE", "EXRULE", "RDATE", "EXDATE"};
    struct ical_event *ev = &d->ev;
    for (size_t i = 0; i < SOSIA_LEN(rules); i++)
        if (str_eq_nocase(l->name, rules[i])) {
            read_rule(r, l, rules[i], d);
            return;
        }
    if (read_text(l, ev))
        return;
    if (str_eq_nocase(l->name, "UID")) {
        const char *uid = ical_plain(l->value);
        if (!ev->uid && uid && strlen(uid) <= ICAL_MAX_UID && !strpbrk(uid, "\n\t"))
            ev->uid = uid;
        else
            d->broken = true;
    } else if (str_eq_nocase(l->name, "DTSTART")) {
        read_moment(l, &d->start);
    } else if (str_eq_nocase(l->name, "DTEND")) {
        read_moment(l, &d->end);
    } else if (str_eq_nocase(l->name, "RECURRENCE-ID")) {
        /* An instance and all that follow it: not understood, and wrong for the one alone. */
        d->broken = d->broken || ical_param(l, "RANGE");
        read_moment(l, &d->original);
        d->broken = d->broken || !d->original.given;
    } else if (str_eq_nocase(l->name, "ORGANIZER") && !ev->organizer) {
        ev->organizer = address(r, l);
        const char *name = ical_plain_param(ical_param(l, "CN"));
        if (name && ev->organizer && !str_eq_nocase(name, ev->organizer))
            ev->organizer_name = name;
    } else if (str_eq_nocase(l->name, "ATTENDEE")) {
        read_guest(r, l, d);
    } else {
        read_word(l, d);
        if (r->file)
            read_extension(r, l, d);
    }
}

/* ---- zones ---- */

/* "+0100", "-033000": seconds. */
static bool read_offset(const char *text, int32_t *ret)
{
    size_t n = strlen(text);
    int v[3] = {0};
    if ((n != 5 && n != 7) || (*text != '+' && *text != '-'))
        return false;
    for (size_t i = 1; i < n; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        v[(i - 1) / 2] = v[(i - 1) / 2] * 10 + (text[i] - '0');
    }
    if (v[0] > 23 || v[1] > 59 || v[2] > 59)
        return false;
    *ret = v[0] * 3600 + v[1] * 60 + v[2];
    if (*text == '-')
        *ret = -*ret;
    return true;
}

static void read_zone(struct reader *r, const struct ical_line *l)
{
    struct ical_zone *z = r->zone;
    if (z && str_eq_nocase(l->name, "TZID"))
        z->name = l->value;
    else if (z && str_eq_nocase(l->name, "X-LIC-LOCATION"))
        z->location = l->value;
}

static void read_observance(struct reader *r, const struct ical_line *l)
{
    struct ical_zone *z = r->zone;
    struct ical_observance *o = z && z->n ? &z->observances[z->n - 1] : NULL;
    struct moment m = {0};
    if (!o)
        return;
    if (str_eq_nocase(l->name, "DTSTART")) {
        read_moment(l, &m);
        if (m.given)
            o->start_s = m.s;
    } else if (str_eq_nocase(l->name, "TZOFFSETTO")) {
        read_offset(l->value, &o->offset);
    } else if (str_eq_nocase(l->name, "RRULE") && !o->rule && strstr(l->value, "FREQ=YEARLY")) {
        /* Clocks change by the year; what else there is would only take time. */
        o->rule = arena_printf(r->a, "RRULE:%s", l->value);
    }
}

/* 1: a zone of tzdata; 0: offset_s is what is known of the reading; -1: nothing is. */
static int find_zone(struct reader *r, const char *name, int64_t local_s, const struct tz **ret,
                     int32_t *ret_offset)
{
    if ((*ret = ical_zone_named(name)))
        return 1;
    for (int i = 0; i < r->n_zones; i++) {
        struct ical_zone *z = r->zones[i];
        struct zone_found *f = &r->found[i];
        if (!z->name || strcmp(z->name, name) != 0)
            continue;
        if (!f->looked) {
            f->looked = true;
            f->tz = z->location ? ical_zone_named(z->location) : NULL;
            if (!f->tz && z->n) {
                ical_zone_prepare(r->a, z, local_s);
                f->tz = ical_zone_match(z, local_s, r->home);
            }
        }
        *ret = f->tz;
        *ret_offset = f->tz ? 0 : ical_zone_offset(z, local_s);
        return f->tz ? 1 : z->n ? 0 : -1;
    }
    return -1;
}

/* A reading and the zone that it is of become an instant (or a midnight as if in UTC). */
static int64_t instant(struct reader *r, const struct moment *m, int64_t s, const char **ret_zone)
{
    const struct tz *tz;
    int32_t offset = 0;
    *ret_zone = NULL;
    if (m->form == RRULE_FORM_DATE)
        return s * US_PER_SECOND;
    if (m->form == RRULE_FORM_UTC) {
        *ret_zone = "UTC";
        return s * US_PER_SECOND;
    }
    int known = m->zone ? find_zone(r, m->zone, s, &tz, &offset) : -1;
    if (known == 0) {
        *ret_zone = "UTC";
        return (s - offset) * US_PER_SECOND;
    }
    if (known == 1)
        *ret_zone = tz_name(tz);
    return tz_to_utc(known == 1 ? tz : r->home, s) * US_PER_SECOND;
}

/* ---- an event as a whole ---- */

/* P[nW][nD][T[nH][nM][nS]] (3.3.6): days, which are the clock's, and seconds. */
static bool read_duration(const char *p, int64_t *ret_days, int64_t *ret_s)
{
    static const char units[] = "WDHMS";
    static const int64_t sizes[] = {7, 1, 3600, 60, 1};
    bool time = false, any = false;
    int least = -1;
    *ret_days = *ret_s = 0;
    if (*p == '+')
        p++;
    if (*p++ != 'P')
        return false;
    while (*p) {
        if (*p == 'T' && !time) {
            time = true;
            p++;
        }
        size_t n = strspn(p, "0123456789");
        const char *unit = n && n <= 9 && p[n] ? strchr(units, p[n]) : NULL;
        int64_t v = 0;
        int at = unit ? (int)(unit - units) : -1;
        if (at <= least || (at > 1) != time || parse_i64(p, n, &v) < 0)
            return false;
        least = at;
        *(time ? ret_s : ret_days) += v * sizes[at];
        any = true;
        p += n + 1;
    }
    return any && *ret_days <= 10000 * 366;
}

static bool set_length(struct reader *r, struct draft *d)
{
    struct ical_event *ev = &d->ev;
    const char *zone;
    int64_t days, s;
    if (d->end.given) {
        if ((d->end.form == RRULE_FORM_DATE) != ev->all_day)
            return false;
        ev->len_us = instant(r, &d->end, d->end.s, &zone) - ev->start_us;
    } else if (d->duration) {
        if (!read_duration(d->duration, &days, &s) || (ev->all_day && s))
            return false;
        s += (instant(r, &d->start, d->start.s + days * SECONDS_PER_DAY, &zone) - ev->start_us) /
             US_PER_SECOND;
        ev->len_us = s * US_PER_SECOND;
    } else {
        ev->no_end = !ev->all_day;
    }
    if (ev->all_day && !ev->len_us)
        ev->len_us = US_PER_DAY;
    return ev->len_us >= 0 && (ev->start_us + ev->len_us) / US_PER_SECOND <= RRULE_END;
}

/* Dates in a zone that is like none of tzdata, in UTC. So is the series, which has the offset of
 * its start all the year: a date that it leaves out must be one of its own. */
static void add_as_utc(struct buf *b, const char *dates, int32_t offset)
{
    for (const char *p = dates;; p++) {
        size_t n = strcspn(p, ",/"); /* of a period each end */
        enum rrule_form form;
        int64_t s;
        if (rrule_time(p, n, &form, &s) == 0 && form == RRULE_FORM_LOCAL) {
            struct civil c;
            civil_from_seconds(s - offset, &c);
            buf_printf(b, "%04d%02d%02dT%02d%02d%02dZ", c.year, c.month, c.day, c.hour, c.minute,
                       c.second);
        } else {
            buf_add(b, p, n);
        }
        p += n;
        if (!*p)
            return;
        buf_byte(b, *p);
    }
}

static const char *recurrence(struct reader *r, const struct draft *d)
{
    struct buf b;
    buf_init(&b, 2 * ICAL_MAX_BYTES);
    for (const struct rule_line *l = d->rules; l; l = l->next) {
        const struct tz *tz = NULL;
        int32_t offset;
        bool odd = l->zone && find_zone(r, l->zone, d->start.s, &tz, &offset) == 0;
        buf_printf(&b, "%s%s%s", b.len ? "\n" : "", l->name, l->type);
        if (tz)
            buf_printf(&b, ";TZID=%s", tz_name(tz));
        buf_byte(&b, ':');
        if (odd)
            add_as_utc(&b, l->value, offset);
        else
            buf_puts(&b, l->value);
    }
    const char *text = b.len && !buf_failed(&b) ? arena_strdup(r->a, buf_str(&b)) : NULL;
    buf_done(&b);
    return text;
}

static void make_day(struct moment *m)
{
    if (m->given && m->s % SECONDS_PER_DAY == 0)
        *m = (struct moment){.given = true, .form = RRULE_FORM_DATE, .s = m->s};
}

/* Some programs write an event of whole days from midnight to midnight in a zone. */
static void make_days(struct draft *d)
{
    if (d->rules || d->start.form != RRULE_FORM_LOCAL || d->start.s % SECONDS_PER_DAY ||
        d->end.s % SECONDS_PER_DAY)
        return;
    make_day(&d->start);
    make_day(&d->end);
    make_day(&d->original);
}

/* False: it is not an event. */
static bool finish(struct reader *r, struct draft *d)
{
    struct ical_event *ev = &d->ev;
    const char *zone;
    if (r->file && !ev->uid && !d->broken) /* calendars that a program publishes may lack it */
        ev->uid = arena_printf(r->a, "%d", ++r->unnamed);
    if (d->broken || !ev->uid)
        return false;
    if (d->whole_days)
        make_days(d);
    if (d->start.given) {
        ev->timed = true;
        ev->all_day = d->start.form == RRULE_FORM_DATE;
        ev->start_us = instant(r, &d->start, d->start.s, &ev->zone);
        if (ev->start_us < RRULE_START * US_PER_SECOND || !set_length(r, d))
            return false;
    }
    if (d->original.given) {
        ev->single = true;
        ev->original_day = d->original.form == RRULE_FORM_DATE;
        ev->original_us = instant(r, &d->original, d->original.s, &zone);
        if (ev->original_us < RRULE_START * US_PER_SECOND ||
            ev->original_us / US_PER_SECOND > RRULE_END)
            return false;
    } else if (ev->timed) {
        ev->recurrence = recurrence(r, d);
    }
    /* A series and its instances have a zone. */
    if ((ev->recurrence || ev->single) && ev->timed && !ev->all_day && !ev->zone)
        ev->zone = tz_name(r->home);
    return true;
}

/* ---- the text as a whole ---- */

static enum component component_of(enum component in, const char *name)
{
    switch (in) {
    case ROOT:
        return str_eq_nocase(name, "VCALENDAR") ? CALENDAR : OTHER;
    case CALENDAR:
        return str_eq_nocase(name, "VEVENT")      ? EVENT
               : str_eq_nocase(name, "VTIMEZONE") ? ZONE
                                                  : OTHER;
    case EVENT:
        return str_eq_nocase(name, "VALARM") ? ALARM : OTHER;
    case ZONE:
        return str_eq_nocase(name, "STANDARD") || str_eq_nocase(name, "DAYLIGHT") ? OBSERVANCE
                                                                                  : OTHER;
    default:
        return OTHER;
    }
}

static int begin(struct reader *r, const char *name)
{
    enum component in = r->depth ? r->stack[r->depth - 1] : ROOT, c = component_of(in, name);
    if (r->depth == MAX_DEPTH)
        return refuse(r, "components lie too deep");
    r->stack[r->depth++] = c;
    if (c == EVENT) {
        struct draft *d = arena_calloc(r->a, 1, sizeof *d);
        if (r->ical->n_events == r->events_max)
            return refuse(r, "there are too many events");
        if (arena_failed(r->a))
            return sosia_fail_memory(r->err);
        r->ical->n_events++;
        d->ev.sequence = -1;
        d->rules_end = &d->rules;
        *r->drafts_end = r->draft = d;
        r->drafts_end = &d->next;
    } else if (c == ZONE) {
        r->zone = r->n_zones < ICAL_MAX_ZONES ? arena_calloc(r->a, 1, sizeof *r->zone) : NULL;
        if (arena_failed(r->a))
            return sosia_fail_memory(r->err);
        if (r->zone)
            r->zones[r->n_zones++] = r->zone;
    } else if (c == OBSERVANCE && r->zone) {
        if (r->zone->n < ICAL_MAX_OBSERVANCES)
            r->zone->n++;
        else
            r->stack[r->depth - 1] = OTHER;
    }
    return 0;
}

static int end(struct reader *r, const char *name)
{
    if (!r->depth || (r->depth == 1) != str_eq_nocase(name, "VCALENDAR"))
        return refuse(r, "a component ends that did not begin");
    r->depth--;
    if (r->stack[r->depth] == ALARM)
        end_alarm(r);
    r->done = !r->depth;
    return 0;
}

static void read_method(struct reader *r, const char *value)
{
    r->ical->method = str_eq_nocase(value, "REQUEST")  ? ICAL_REQUEST
                      : str_eq_nocase(value, "CANCEL") ? ICAL_CANCEL
                      : str_eq_nocase(value, "REPLY")  ? ICAL_REPLY
                                                       : ICAL_OTHER;
}

/* What a calendar says of itself: its zone is that of times that name none. */
static void read_head(struct reader *r, const struct ical_line *l)
{
    if (str_eq_nocase(l->name, "METHOD"))
        read_method(r, l->value);
    else if (r->file && str_eq_nocase(l->name, "X-WR-CALNAME") && !r->ical->name)
        r->ical->name = ical_plain(l->value);
    else if (r->file && str_eq_nocase(l->name, "X-WR-TIMEZONE") && ical_zone_named(l->value))
        r->home = ical_zone_named(l->value);
}

static int read_line(struct reader *r, const struct ical_line *l)
{
    enum component in = r->depth ? r->stack[r->depth - 1] : ROOT;
    if (str_eq_nocase(l->name, "BEGIN"))
        return begin(r, l->value);
    if (str_eq_nocase(l->name, "END"))
        return end(r, l->value);
    if (in == ROOT || (r->depth == 1 && in != CALENDAR))
        return refuse(r, "it begins with no calendar");
    if (in == CALENDAR)
        read_head(r, l);
    else if (in == EVENT)
        read_property(r, l, r->draft);
    else if (in == ALARM)
        read_alarm(r, l);
    else if (in == ZONE)
        read_zone(r, l);
    else if (in == OBSERVANCE)
        read_observance(r, l);
    return 0;
}

static int read_lines(struct reader *r, char *text)
{
    struct ical_line l;
    for (char *p = text, *next; *p && (!r->done || r->file); p = next) {
        r->line++;
        next = p + strcspn(p, "\n");
        if (*next)
            *next++ = 0;
        if (!ical_split(p, &l))
            continue;
        if (read_line(r, &l) < 0)
            return -1;
        if (arena_failed(r->a))
            return sosia_fail_memory(r->err);
    }
    return r->depth  ? refuse(r, "the calendar does not end")
           : r->done ? 0
                     : refuse(r, "it begins with no calendar");
}

/* ical.n_events and what finishes them. */
static int read_all(struct reader *r, const char *text, size_t len, struct ical *ret)
{
    struct ical *ical = r->ical;
    char *lines = ical_unfold(r->a, text, len);
    if (arena_failed(r->a))
        return sosia_fail_memory(r->err);
    if (strncmp(lines, "\xef\xbb\xbf", 3) == 0)
        lines += 3;
    r->drafts_end = &r->drafts;
    if (read_lines(r, lines) < 0)
        return -1;
    ical->events = arena_calloc(r->a, (size_t)ical->n_events + 1, sizeof *ical->events);
    if (arena_failed(r->a))
        return sosia_fail_memory(r->err);
    int all = ical->n_events;
    ical->n_events = 0;
    for (struct draft *d = r->drafts; d; d = d->next)
        if (finish(r, d))
            ical->events[ical->n_events++] = d->ev;
    ical->passed_over = all - ical->n_events;
    if (arena_failed(r->a))
        return sosia_fail_memory(r->err);
    *ret = *ical;
    return 0;
}

int ical_read(struct arena *a, const char *text, size_t len, const struct tz *home,
              struct ical *ret, struct sosia_err *err)
{
    struct ical ical = {0};
    if (len > ICAL_MAX_BYTES)
        return sosia_fail(err, SOSIA_E_INVALID, "invalid", NULL, "it is larger than %zu bytes",
                          ICAL_MAX_BYTES);
    struct reader *r = arena_calloc(a, 1, sizeof *r);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    *r = (struct reader){
        .a = a, .home = home, .ical = &ical, .events_max = ICAL_MAX_EVENTS, .err = err};
    return read_all(r, text, len, ret);
}

/* The line of the text that the nth joined one begins in. */
static size_t line_in(const char *text, size_t len, size_t nth)
{
    size_t line = 1;
    for (size_t i = 0; i < len && nth > 1; i++)
        if (text[i] == '\n') {
            line++;
            nth -= i + 1 < len && (text[i + 1] == ' ' || text[i + 1] == '\t') ? 0 : 1;
        }
    return line;
}

int ical_read_file(struct arena *a, const char *text, size_t len, const struct tz *home,
                   struct ical_file *file, struct ical *ret, struct sosia_err *err)
{
    struct ical ical = {0};
    struct reader *r = arena_calloc(a, 1, sizeof *r);
    if (arena_failed(a))
        return sosia_fail_memory(err);
    *r = (struct reader){
        .a = a, .home = home, .ical = &ical, .events_max = INT32_MAX, .file = file, .err = err};
    file->line = 0;
    if (read_all(r, text, len, ret) == 0)
        return 0;
    file->line = r->line ? line_in(text, len, r->line) : 0;
    return -1;
}

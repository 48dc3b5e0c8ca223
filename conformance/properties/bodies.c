/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies of generated calls. */
#include "conformance/properties/bodies.h"
#include "engine/text/civil.h"

static const char *const zones[] = {"Europe/Rome", "America/New_York", "Asia/Tokyo"};

struct body {
    struct arena *arena;
    struct buf buf;
    struct json_writer w;
};

static void open_body(struct body *b, struct arena *a)
{
    b->arena = a;
    buf_init(&b->buf, 0);
    json_init(&b->w, &b->buf, false, NULL);
    json_obj(&b->w, NULL);
}

static const char *close_body(struct body *b)
{
    json_end(&b->w);
    return buf_keep(&b->buf, b->arena);
}

/* ---- times ---- */

/* Readings are seconds of a wall clock. */
struct times {
    bool all_day;
    int64_t start, end;
    const char *zone;
};

static void draw_times(struct times *t)
{
    int64_t day = days_from_civil(2026, 11, 23) + random_below(40);
    t->all_day = chance(20);
    t->zone = zones[random_below(SOSIA_LEN(zones))];
    if (t->all_day) {
        t->start = day * SECONDS_PER_DAY;
        t->end = t->start + (1 + random_below(3)) * SECONDS_PER_DAY;
    } else {
        t->start = day * SECONDS_PER_DAY + random_below(46) * 1800;
        t->end = t->start + random_below(7) * 1800;
    }
}

static void write_time(struct body *b, const char *key, const struct times *t, int64_t reading)
{
    char text[STAMP_TEXT];
    json_obj(&b->w, key);
    if (t->all_day) {
        date_format(text, reading / SECONDS_PER_DAY);
        json_str(&b->w, "date", text);
    } else {
        stamp_format(text, reading * US_PER_SECOND, 0, 0, true);
        text[19] = 0; /* a reading: without "Z" */
        json_str(&b->w, "dateTime", text);
        json_str(&b->w, "timeZone", t->zone);
    }
    json_end(&b->w);
}

static void write_times(struct body *b, const struct times *t)
{
    write_time(b, "start", t, t->start);
    write_time(b, "end", t, t->end);
}

/* ---- recurrence ---- */

/* Rules as people make them, near the present. */
static void plain_rule(struct rule *r, const struct times *t)
{
    static const enum rrule_freq freqs[] = {RRULE_DAILY, RRULE_WEEKLY, RRULE_MONTHLY};
    memset(r, 0, sizeof *r);
    r->freq = freqs[random_below(SOSIA_LEN(freqs))];
    r->interval = chance(30) ? 2 : 1;
    r->week_start = 1;
    r->all_day = t->all_day;
    r->dtstart = t->start;
    r->zone = t->all_day ? NULL : t->zone;
    if (chance(70))
        r->count = 2 + (int)random_below(8);
    else if (chance(60))
        r->until = r->dtstart + (5 + random_below(40)) * SECONDS_PER_DAY;
    if (r->freq == RRULE_WEEKLY && chance(40)) {
        r->by[BYDAY].n = 2;
        r->by[BYDAY].at[0] = weekday_from_days(t->start / SECONDS_PER_DAY);
        r->by[BYDAY].at[1] = (r->by[BYDAY].at[0] + 2) % 7;
    }
    rule_write(r);
}

/* A series takes its times from its rule, which may lie anywhere. */
static const struct rule *draw_rule(struct arena *a, struct times *t)
{
    struct rule *r = arena_calloc(a, 1, sizeof *r);
    int64_t length = t->end - t->start;
    if (chance(65)) {
        plain_rule(r, t);
        return r;
    }
    do
        rule_generate(r);
    while (r->freq < RRULE_DAILY);
    if (!r->all_day && !r->zone)
        r->zone = "Asia/Tokyo";
    rule_write(r); /* UNTIL of a rule with a zone ends with Z */
    t->start = r->dtstart;
    t->end = t->start + (r->all_day == t->all_day ? length : r->all_day ? SECONDS_PER_DAY : 3600);
    t->all_day = r->all_day;
    t->zone = r->zone;
    return r;
}

static void write_recurrence(struct body *b, const struct rule *r)
{
    json_arr(&b->w, "recurrence");
    json_str(&b->w, NULL, arena_printf(b->arena, "RRULE:%s", r->text));
    json_end(&b->w);
}

/* ---- other members ---- */

static void write_guests(struct body *b)
{
    json_arr(&b->w, "attendees");
    for (int i = 0; i < N_PEOPLE; i++)
        if (chance(45)) {
            json_obj(&b->w, NULL);
            json_str(&b->w, "email", person_emails[i]);
            json_end(&b->w);
        }
    if (chance(15)) {
        json_obj(&b->w, NULL);
        json_str(&b->w, "email", chance(50) ? "room@acme.example" : "guest@elsewhere.example");
        json_end(&b->w);
    }
    json_end(&b->w);
}

/* A member that may be cleared: by null in a PATCH. */
static void write_text(struct body *b, const char *key, const char *text, bool patch)
{
    if (patch && chance(30))
        json_null(&b->w, key);
    else
        json_str(&b->w, key, text);
}

static void write_properties(struct body *b, uint32_t number, bool patch)
{
    json_obj(&b->w, "extendedProperties");
    json_obj(&b->w, chance(50) ? "private" : "shared");
    write_text(b, chance(50) ? "one" : "two", arena_printf(b->arena, "v%u", number), patch);
    json_end(&b->w);
    json_end(&b->w);
}

static void write_reminders(struct body *b)
{
    bool defaults = chance(40);
    json_obj(&b->w, "reminders");
    json_bool(&b->w, "useDefault", defaults);
    if (!defaults) {
        json_arr(&b->w, "overrides");
        json_obj(&b->w, NULL);
        json_str(&b->w, "method", "popup");
        json_int(&b->w, "minutes", random_below(60));
        json_end(&b->w);
        json_end(&b->w);
    }
    json_end(&b->w);
}

/* Members of any event, some of them. often: of a hundred. */
static void write_members(struct body *b, uint32_t number, uint32_t often, bool patch)
{
    static const char *const visibilities[] = {"default", "public", "private"};
    struct arena *a = b->arena;
    if (chance(often))
        write_text(b, "description", arena_printf(a, "Words of %u", number), patch);
    if (chance(often))
        write_text(b, "location", arena_printf(a, "Room %u", number % 7), patch);
    if (chance(often / 2))
        write_text(b, "colorId", arena_printf(a, "%u", 1 + random_below(11)), patch);
    if (chance(often / 2))
        json_str(&b->w, "transparency", chance(60) ? "transparent" : "opaque");
    if (chance(often / 2))
        json_str(&b->w, "visibility", visibilities[random_below(3)]);
    if (chance(often / 3))
        json_str(&b->w, "status", chance(70) ? "tentative" : "confirmed");
    if (chance(often / 4))
        json_bool(&b->w, "guestsCanModify", chance(60));
    if (chance(often / 4))
        json_bool(&b->w, "guestsCanSeeOtherGuests", chance(50));
    if (chance(often / 2))
        write_properties(b, number, patch);
    if (chance(often / 3))
        write_reminders(b);
    if (chance(often))
        write_guests(b);
}

/* ---- bodies ---- */

const char *body_insert(struct arena *a, const char *id, uint32_t number,
                        const struct rule **ret_rule)
{
    struct body b;
    struct times t;
    *ret_rule = NULL;
    draw_times(&t);
    open_body(&b, a);
    json_str(&b.w, "id", id);
    json_str(&b.w, "summary", arena_printf(a, "Event %u", number));
    if (chance(35)) {
        *ret_rule = draw_rule(a, &t);
        write_recurrence(&b, *ret_rule);
    }
    write_times(&b, &t);
    write_members(&b, number, 30, false);
    return close_body(&b);
}

const char *body_import(struct arena *a, const char *uid, uint32_t number, enum person who)
{
    struct body b;
    struct times t;
    draw_times(&t);
    open_body(&b, a);
    json_str(&b.w, "iCalUID", uid);
    json_str(&b.w, "summary", arena_printf(a, "Import %u", number));
    write_times(&b, &t);
    json_obj(&b.w, "organizer");
    json_str(&b.w, "email", "boss@elsewhere.example");
    json_end(&b.w);
    json_arr(&b.w, "attendees");
    json_obj(&b.w, NULL);
    json_str(&b.w, "email", person_emails[who]);
    json_end(&b.w);
    json_end(&b.w);
    return close_body(&b);
}

const char *body_patch(struct arena *a, uint32_t number, bool master, const struct rule **ret_rule,
                       bool *ret_timed)
{
    struct body b;
    struct times t;
    draw_times(&t);
    *ret_timed = false;
    open_body(&b, a);
    if (chance(40))
        json_str(&b.w, "summary", arena_printf(a, "Patched %u", number));
    if (master && chance(15)) {
        json_null(&b.w, "recurrence");
        *ret_rule = NULL;
    } else if (!master && chance(8)) {
        *ret_rule = draw_rule(a, &t);
        write_recurrence(&b, *ret_rule);
        *ret_timed = true;
    } else {
        *ret_timed = chance(25);
    }
    if (*ret_timed) {
        /* The other kind of time must be taken away. */
        static const char *const keys[] = {"start", "end"};
        for (int i = 0; i < 2; i++) {
            char text[STAMP_TEXT];
            int64_t reading = i ? t.end : t.start;
            json_obj(&b.w, keys[i]);
            if (t.all_day) {
                date_format(text, reading / SECONDS_PER_DAY);
                json_str(&b.w, "date", text);
                json_null(&b.w, "dateTime");
                json_null(&b.w, "timeZone");
            } else {
                stamp_format(text, reading * US_PER_SECOND, 0, 0, true);
                text[19] = 0;
                json_str(&b.w, "dateTime", text);
                json_str(&b.w, "timeZone", t.zone);
                json_null(&b.w, "date");
            }
            json_end(&b.w);
        }
    }
    write_members(&b, number, 22, true);
    return close_body(&b);
}

const char *body_put(struct arena *a, uint32_t number, const struct rule **ret_rule)
{
    struct body b;
    struct times t;
    *ret_rule = NULL;
    draw_times(&t);
    open_body(&b, a);
    json_str(&b.w, "summary", arena_printf(a, "Put %u", number));
    json_int(&b.w, "sequence", 1000 + number);
    if (chance(20)) {
        *ret_rule = draw_rule(a, &t);
        write_recurrence(&b, *ret_rule);
    }
    write_times(&b, &t);
    write_members(&b, number, 25, false);
    return close_body(&b);
}

const char *body_patch_instance(struct arena *a, uint32_t number, const struct json *instance)
{
    struct body b;
    struct stamp at;
    static const char *const keys[] = {"start", "end"};
    const char *start = json_get_str(json_get(instance, "start"), "dateTime");
    open_body(&b, a);
    if (chance(60))
        json_str(&b.w, "summary", arena_printf(a, "Instance %u", number));
    if (chance(20))
        json_str(&b.w, "location", arena_printf(a, "Room %u", number % 7));
    if (chance(15))
        json_str(&b.w, "transparency", chance(60) ? "transparent" : "opaque");
    if (chance(15))
        write_guests(&b);
    if (start && chance(40) && stamp_parse(start, strlen(start), false, &at) == 0) {
        int64_t us = at.local_us + (1 + random_below(5)) * INT64_C(3600) * US_PER_SECOND;
        for (int i = 0; i < 2; i++) {
            char text[STAMP_TEXT];
            stamp_format(text, us - at.offset * US_PER_SECOND + i * 1800 * US_PER_SECOND, 0, 0,
                         true);
            json_obj(&b.w, keys[i]);
            json_str(&b.w, "dateTime", text);
            json_end(&b.w);
        }
    }
    return close_body(&b);
}

const char *body_answer(struct arena *a, enum person who)
{
    static const char *const answers[] = {"accepted", "declined", "tentative", "needsAction"};
    struct body b;
    open_body(&b, a);
    json_bool(&b.w, "attendeesOmitted", true);
    json_arr(&b.w, "attendees");
    json_obj(&b.w, NULL);
    json_str(&b.w, "email", person_emails[who]);
    json_str(&b.w, "responseStatus", answers[random_below(SOSIA_LEN(answers))]);
    json_end(&b.w);
    json_end(&b.w);
    return close_body(&b);
}

const char *body_calendar(struct arena *a, uint32_t number)
{
    struct body b;
    open_body(&b, a);
    if (chance(60))
        write_text(&b, "description", arena_printf(a, "Calendar of %u", number), true);
    if (chance(40))
        write_text(&b, "location", arena_printf(a, "Place %u", number), true);
    if (chance(30))
        json_str(&b.w, "timeZone", zones[random_below(SOSIA_LEN(zones))]);
    return close_body(&b);
}

const char *body_entry(struct arena *a, uint32_t number)
{
    struct body b;
    open_body(&b, a);
    if (chance(50))
        write_text(&b, "summaryOverride", arena_printf(a, "Mine %u", number), true);
    if (chance(40))
        json_str(&b.w, "colorId", arena_printf(a, "%u", 1 + random_below(24)));
    if (chance(30))
        json_bool(&b.w, "hidden", chance(50));
    if (chance(30))
        json_bool(&b.w, "selected", chance(50));
    return close_body(&b);
}

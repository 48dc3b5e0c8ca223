/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses a sentence word by word and takes out dates, times, lengths and repetition, each kind
 * once. What is left is the title, and the place in it the location. Then the pieces are put
 * together.
 */
#include "services/calendar/google/quickadd/quickadd.h"
#include "engine/base/buf.h"
#include "engine/text/civil.h"
#include "identity/identity.h"
#include "services/calendar/google/quickadd/quickadd_words.h"
#include <stdio.h>
#include <string.h>

enum freq { NONE, DAILY, WEEKLY, MONTHLY, YEARLY };

struct repeat {
    enum freq freq;
    int interval;
    unsigned weekdays; /* bit 0 Sunday */
    int nth;           /* of the weekday in a month, -1: the last; 0: none */
    int monthday;      /* 0: that of the start */
};

enum part_of_day { NO_PART, MORNING, AFTERNOON, EVENING, NIGHT };

struct sentence {
    const struct quickadd_how *how;
    char *text;  /* its words are one space apart */
    char *taken; /* per byte of text: it belongs to a piece of time */
    size_t len;
    int64_t today; /* local */
    int second;    /* of today */
    bool has_days, has_clock, has_range, has_until;
    struct qa_days days;
    struct qa_clock from, to;
    enum part_of_day part;
    int minutes; /* of length; 0: absent */
    int span;    /* "for 3 weeks": of the event or of the series; 0: absent */
    enum qa_unit span_unit;
    int count;     /* "5 times"; 0: absent */
    int64_t until; /* day */
    struct repeat repeat;
};

/* ---- times of day ---- */

static const char *part_of_day(const char *p, enum part_of_day *ret)
{
    static const char *const parts[] = {"morning", "afternoon", "evening", "night", NULL};
    int i;
    const char *end = qa_any(p, parts, &i);
    if (end)
        *ret = MORNING + (enum part_of_day)i;
    return end;
}

/* Whether what follows a bare number after "at" lets it be an hour, and not the start of an
 * address. */
static bool goes_on_in_time(const struct sentence *s, const char *p)
{
    static const char *const words[] = {"on",      "for",    "until", "till", "to",    "every",
                                        "each",    "with",   "at",    "in",   "daily", "weekly",
                                        "monthly", "yearly", "and",   "from", "-",     NULL};
    struct qa_days days;
    int i;
    if (*p == ',' || *p == '.')
        return true;
    p = qa_gap(p);
    return !*p || strchr("!?()@", *p) || qa_any(p, words, &i) || qa_days(p, true, s->today, &days);
}

/* "3pm", "at 3", "from 10 to 11:30", "3-4pm", "between 1 and 2". */
static const char *take_clock(struct sentence *s, const char *p)
{
    static const char *const before[] = {"at", "from", "@", "around", "by", "between", NULL};
    struct qa_clock from = {0}, to = {0};
    int lead = -1;
    if (s->has_clock)
        return NULL;
    const char *at = qa_any(p, before, &lead);
    if (!at && *p == '@') /* @3pm */
        at = p + 1, lead = 2;
    at = at ? qa_gap(at) : p;
    const char *end = qa_clock(at, &from);
    if (!end)
        return NULL;
    const char *joined = qa_word(qa_gap(end), "and");
    const char *dash = lead == 5 && joined ? qa_gap(joined) : qa_range(end);
    const char *after = dash ? qa_clock(dash, &to) : NULL;
    bool bare = from.bare && (!after || to.bare);
    if (bare && (lead < 0 || !goes_on_in_time(s, after ? after : end)))
        return NULL;
    s->has_clock = true;
    s->has_range = after != NULL;
    s->from = from;
    s->to = to;
    return after ? after : end;
}

/* "in the morning", where a day or an hour was given. */
static const char *take_part(struct sentence *s, const char *p)
{
    const char *at = qa_word(p, "in the");
    if (!at)
        at = qa_word(p, "at");
    if (!at || s->part || !(s->has_days || s->has_clock))
        return NULL;
    return part_of_day(qa_gap(at), &s->part);
}

/* Gives the hours of a clock face their half of the day. */
static void settle(struct sentence *s)
{
    int from = s->from.minute, to = s->to.minute;
    if (!s->from.sure && s->has_range && s->to.sure) {
        /* the later of the two that is before the end: 11-1pm, 3-4pm, 9:30-11am */
        int late = from % 720 + 720;
        from = late < to ? late : from % 720;
    } else if (!s->from.sure) {
        int hour = from / 60;
        bool pm = s->part == NO_PART ? hour >= 1 && hour < 7
                                     : s->part != MORNING && hour >= 1 && hour < 12;
        from += pm ? 720 : 0;
    }
    if (s->has_range && !s->to.sure && to <= from && to + 720 > from && to < 720)
        to += 720;
    s->from.minute = from;
    s->to.minute = to;
}

/* ---- dates ---- */

/* A weekday is one of this week, which ends with Sunday. */
static void stay_in_week(struct sentence *s)
{
    int64_t sunday = s->today + (7 - weekday_from_days(s->today)) % 7;
    if (s->days.weekday && s->days.first > sunday)
        s->days.first = s->days.last -= 7;
}

static const char *take_days(struct sentence *s, const char *p)
{
    static const char *const before[] = {"on",        "from", "starting on", "starting",
                                         "beginning", "by",   NULL};
    static const char *const this_part[] = {"this morning", "this afternoon", "this evening", NULL};
    int i, mday;
    if (s->has_days)
        return NULL;
    const char *lead = qa_any(p, before, &i), *at = lead ? qa_gap(lead) : p,
               *the = lead ? qa_word(at, "the") : NULL;
    const char *end = the ? qa_ordinal(qa_gap(the), &mday) : NULL;
    if (end && mday > 0) {
        s->days.first = s->days.last = qa_next_monthday(s->today, mday);
        s->days.weekday = false;
    } else if ((end = qa_any(p, this_part, &i)) != NULL) {
        s->days = (struct qa_days){s->today, s->today, false};
        s->part = MORNING + (enum part_of_day)i;
    } else if ((end = qa_days(at, lead != NULL, s->today, &s->days)) == NULL) {
        return NULL;
    }
    s->has_days = true;
    if (!s->how->ahead)
        stay_in_week(s);
    if (qa_word(at, "tonight"))
        s->part = NIGHT;
    if (*end == 'T') { /* 2026-03-14T15:30 */
        struct qa_clock clock = {0};
        const char *after = qa_clock(end + 1, &clock);
        if (after && !clock.bare && !s->has_clock) {
            s->has_clock = true;
            s->from = clock;
            s->from.sure = true;
            return after;
        }
        s->has_days = false; /* no date that we know */
        return NULL;
    }
    const char *part = *end == ' ' && !s->part ? part_of_day(end + 1, &s->part) : NULL;
    return part ? part : end;
}

/* "in 2 hours", "in half an hour", "in 3 days". */
static const char *take_ahead(struct sentence *s, const char *p)
{
    int minutes, count;
    enum qa_unit unit;
    const char *in = qa_word(p, "in");
    const char *end = in ? qa_duration(qa_gap(in), &minutes, &count, &unit) : NULL;
    if (!end || s->has_days || (!count && s->has_clock))
        return NULL;
    int64_t at = s->second / 60 + minutes;
    s->has_days = true;
    s->days.weekday = false;
    s->days.first = s->days.last = count ? qa_add(s->today, count, unit) : s->today + at / 1440;
    if (!count) {
        s->has_clock = true;
        s->from = (struct qa_clock){.minute = (int)(at % 1440), .sure = true};
    }
    return end;
}

/* ---- lengths and ends ---- */

/* "for 90 minutes", "for 3 days", "for 5 times", "5 times". */
static const char *take_length(struct sentence *s, const char *p)
{
    int minutes, count;
    enum qa_unit unit;
    const char *lead = qa_word(p, "for"), *at = lead ? qa_gap(lead) : p;
    const char *end = qa_number(at, &count);
    end = end && *end == ' ' ? qa_word(end + 1, "times") : NULL;
    if (end && !s->count && (lead || s->repeat.freq)) {
        s->count = count;
        return end;
    }
    end = lead ? qa_duration(at, &minutes, &count, &unit) : NULL;
    if (!end || (count ? s->span : s->minutes))
        return NULL;
    if (count) {
        s->span = count;
        s->span_unit = unit;
    } else {
        s->minutes = minutes;
    }
    return end;
}

static const char *take_until(struct sentence *s, const char *p)
{
    static const char *const words[] = {"until",     "till",   "til", "through",
                                        "ending on", "ending", NULL};
    struct qa_days days;
    int i;
    const char *lead = qa_any(p, words, &i);
    const char *end =
        lead ? qa_days(qa_gap(lead), true, s->has_days ? s->days.first : s->today, &days) : NULL;
    if (!end || s->has_until)
        return NULL;
    s->has_until = true;
    s->until = days.last;
    return end;
}

/* ---- repetition ---- */

/* "Monday, Wednesday and Friday"; plural: "Mondays and Wednesdays". */
static const char *weekday_list(const char *p, bool plural, unsigned *ret)
{
    const char *end = NULL;
    for (int n = 0; n < 7; n++) {
        int day;
        bool many;
        const char *at = end ? qa_gap(end) : p;
        const char *joined = end ? (*at == '&' ? at + 1 : qa_word(at, "and")) : NULL;
        at = qa_weekday(joined ? qa_gap(joined) : at, true, &day, &many);
        if (!at || (plural && !many))
            break;
        *ret |= 1u << day;
        end = at;
    }
    return end;
}

/* "2nd Tuesday", "last Friday", "15th", with "of the month" or such behind it; of_month: which must
 * be there. */
static const char *nth_of_month(struct repeat *r, const char *p, bool of_month)
{
    static const char *const tails[] = {"of the month", "of each month", "of every month",
                                        "each month",   "every month",   NULL};
    int i, nth, day;
    bool plural;
    const char *end = qa_ordinal(p, &nth);
    if (!end)
        return NULL;
    const char *weekday = *end == ' ' ? qa_weekday(end + 1, true, &day, &plural) : NULL;
    if (weekday ? nth > 5 : nth < 0)
        return NULL;
    end = weekday ? weekday : end;
    const char *tail = *end == ' ' ? qa_any(end + 1, tails, &i) : NULL;
    if (of_month && !tail)
        return NULL;
    r->freq = MONTHLY;
    if (weekday) {
        r->nth = nth;
        r->weekdays = 1u << day;
    } else {
        r->monthday = nth;
    }
    return tail ? tail : end;
}

/* What follows "every" and its like. */
static const char *every_what(struct repeat *r, const char *p)
{
    static const char *const sets[] = {"weekday", "weekdays", "workday", "workdays",
                                       "weekend", "weekends", NULL};
    static const enum freq freqs[] = {
        [QA_DAY] = DAILY, [QA_WEEK] = WEEKLY, [QA_MONTH] = MONTHLY, [QA_YEAR] = YEARLY};
    int i, n;
    enum qa_unit unit;
    const char *end = qa_any(p, sets, &i);
    if (end)
        r->weekdays = i < 4 ? 0x3e : 0x41;
    else
        end = weekday_list(p, false, &r->weekdays);
    if (end) {
        r->freq = WEEKLY;
        return end;
    }
    end = nth_of_month(r, p, false);
    if (end)
        return end;
    end = qa_number(p, &n);
    n = end && *end == ' ' ? n : 1;
    end = qa_unit(end && *end == ' ' ? end + 1 : p, &unit);
    if (!end || unit < QA_DAY || n > 999)
        return NULL;
    r->freq = freqs[unit];
    r->interval *= n;
    return end;
}

/* "on the 5th", "on the 2nd Tuesday", "on Monday and Friday" behind a repetition that leaves it
 * open. */
static const char *repeat_on(struct repeat *r, const char *p)
{
    const char *on = qa_word(qa_gap(p), "on"), *end = NULL;
    if (!on)
        return p;
    const char *the = qa_word(qa_gap(on), "the"), *at = qa_gap(the ? the : on);
    if (r->freq == MONTHLY && !r->nth && !r->monthday)
        end = nth_of_month(r, at, false);
    else if (r->freq == WEEKLY && !r->weekdays)
        end = weekday_list(at, false, &r->weekdays);
    return end ? end : p;
}

/* "every other week", "daily", "weekly on Tuesday", "Mondays", "the first Monday of every month".
 */
static const char *repetition(struct repeat *r, const char *p)
{
    static const struct {
        const char *word;
        enum freq freq;
        int interval;
        unsigned weekdays;
    } adverbs[] = {
        {"daily", DAILY, 1, 0},      {"weekly", WEEKLY, 1, 0},      {"biweekly", WEEKLY, 2, 0},
        {"bi-weekly", WEEKLY, 2, 0}, {"fortnightly", WEEKLY, 2, 0}, {"monthly", MONTHLY, 1, 0},
        {"yearly", YEARLY, 1, 0},    {"annually", YEARLY, 1, 0},    {"weekdays", WEEKLY, 1, 0x3e}};
    static const char *const every[] = {"every other", "every", "each", NULL};
    int i;
    for (size_t k = 0; k < sizeof adverbs / sizeof *adverbs; k++) {
        const char *end = qa_word(p, adverbs[k].word);
        if (end) {
            *r = (struct repeat){.freq = adverbs[k].freq,
                                 .interval = adverbs[k].interval,
                                 .weekdays = adverbs[k].weekdays};
            return end;
        }
    }
    const char *at = qa_any(p, every, &i);
    r->interval = 1;
    if (at) {
        r->interval = i == 0 ? 2 : 1;
        return every_what(r, qa_gap(at));
    }
    const char *on = qa_word(p, "on"), *the;
    at = on ? qa_gap(on) : p;
    const char *end = weekday_list(at, true, &r->weekdays);
    if (end) {
        r->freq = WEEKLY;
        return end;
    }
    the = qa_word(at, "the");
    return nth_of_month(r, the ? qa_gap(the) : at, true);
}

static const char *take_repeat(struct sentence *s, const char *p)
{
    static const char *const lead[] = {"repeat", "repeats", "repeating", "recurring", NULL};
    struct repeat r = {0};
    int i;
    if (s->repeat.freq)
        return NULL;
    const char *at = qa_any(p, lead, &i), *end = repetition(&r, at ? qa_gap(at) : p);
    if (!end) { /* every June 3 */
        const char *every = qa_word(p, "every");
        struct qa_days days;
        end = every && !s->has_days ? qa_days(qa_gap(every), false, s->today, &days) : NULL;
        if (!end || days.weekday)
            return NULL;
        s->has_days = true;
        s->days = days;
        r = (struct repeat){.freq = YEARLY, .interval = 1};
    }
    end = repeat_on(&r, end);
    s->repeat = r;
    return end;
}

static void take_all(struct sentence *s)
{
    static const char *(*const takers[])(struct sentence *, const char *) = {
        take_repeat, take_until, take_length, take_ahead, take_part, take_clock, take_days};
    for (const char *p = s->text; *p;) {
        const char *from = *p == '(' ? p + 1 : p, *end = NULL;
        for (size_t i = 0; i < sizeof takers / sizeof *takers && !end; i++)
            end = takers[i](s, from);
        if (end) {
            memset(s->taken + (from - s->text), 1, (size_t)(end - from));
            p = end;
        }
        p += strcspn(p, " ");
        p += *p == ' ';
    }
}

/* ---- title and place ---- */

static bool is_punctuation(char c)
{
    return c == ',' || c == ';' || c == ':' || c == '-' || c == '(' || c == ')';
}

/* The end of a word that led to a piece which was taken out: "on", "at", "from" at the end of
 * what is left. */
static size_t without_lead(const char *text, size_t len)
{
    static const char *const words[] = {"on", "at", "from", "@", "and", "the"};
    for (bool again = true; again;) {
        again = false;
        while (len && (text[len - 1] == ' ' || is_punctuation(text[len - 1])))
            len--;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            size_t n = strlen(words[i]);
            if (len >= n && !strncmp(text + len - n, words[i], n) &&
                (len == n || text[len - n - 1] == ' ')) {
                len -= n;
                again = true;
            }
        }
    }
    return len;
}

/* The text without what was taken. */
static char *what_is_left(struct arena *a, const struct sentence *s)
{
    char *out = arena_alloc(a, s->len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s->len; i++) {
        if (s->taken[i]) {
            /* punctuation that set the piece off is removed with it */
            while (n && !s->taken[i ? i - 1 : 0] &&
                   (out[n - 1] == ' ' || is_punctuation(out[n - 1])))
                n--;
            while (i + 1 < s->len && s->taken[i + 1])
                i++;
            while (i + 1 < s->len && is_punctuation(s->text[i + 1]))
                i++;
            if (n && i + 1 < s->len && s->text[i + 1] != ' ')
                out[n++] = ' ';
            continue;
        }
        if (s->text[i] == ' ' && (!n || out[n - 1] == ' '))
            continue;
        out[n++] = s->text[i];
    }
    n = without_lead(out, n);
    out[n] = 0;
    return out;
}

/* Whether a place begins here, after "in": a name, a number, or "the" something. */
static bool names_place(const char *p)
{
    static const char *const words[] = {"the", "room", "office", "building", "conference", NULL};
    int i;
    return (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || (uint8_t)*p >= 0x80 ||
           qa_any(p, words, &i);
}

/* From "at" or "in" to the next piece of time, or "with". */
static const char *place(struct arena *a, const struct sentence *s)
{
    for (size_t i = 0; i < s->len; i++) {
        if (s->taken[i] || (i && s->text[i - 1] != ' '))
            continue;
        const char *p = s->text + i, *at = qa_word(p, "at"), *in = at ? NULL : qa_word(p, "in");
        if (!at && *p == '@' && p[1] != 0)
            at = p + 1;
        const char *from = at ? at : in;
        if (!from)
            continue;
        from += *from == ' ';
        size_t begin = (size_t)(from - s->text), end = begin;
        if (begin >= s->len || s->taken[begin] || (in && !names_place(from)))
            continue;
        while (end < s->len && !s->taken[end] &&
               !(s->text[end] == ' ' && qa_word(s->text + end + 1, "with")))
            end++;
        size_t len = without_lead(from, end - begin);
        while (len && strchr(".!?", from[len - 1]))
            len--;
        if (len)
            return arena_memdup(a, from, len);
        i = end - 1;
    }
    return NULL;
}

/* ---- guests ---- */

/* The address at a place becomes a guest. Gives where another one may be; NULL: there is none. */
static const char *take_guest(struct arena *a, const char *p, struct quickadd *ret)
{
    size_t n = strcspn(p, " ,;"), len = n, i = 0;
    while (len && strchr(".!?)", p[len - 1]))
        len--;
    const char *email = memchr(p, '@', len) ? email_normal(a, arena_memdup(a, p, len)) : NULL;
    if (!email)
        return NULL;
    while (i < ret->n_guests && strcmp(ret->guests[i], email) != 0)
        i++;
    if (i == ret->n_guests && i < QUICKADD_GUESTS)
        ret->guests[ret->n_guests++] = email;
    p += n;
    p += *p == ',' || *p == ';';
    p += *p == ' ';
    const char *joined = *p == '&' ? p + 1 : qa_word(p, "and");
    return joined ? qa_gap(joined) : p;
}

/* "with ann@acme.example, bob@acme.example and eve@else.example" */
static void take_guests(struct arena *a, const struct sentence *s, struct quickadd *ret)
{
    ret->n_guests = 0;
    ret->guests = arena_calloc(a, QUICKADD_GUESTS, sizeof *ret->guests);
    for (const char *p = s->text; *p && !arena_failed(a);) {
        const char *with = qa_word(p, "with"), *at = with ? qa_gap(with) : NULL;
        for (; at && (at = take_guest(a, at, ret));)
            p = at;
        p += strcspn(p, " ");
        p += *p == ' ';
    }
}

/* ---- putting it together ---- */

/* The nth weekday of the month that a day is in; 0 when there is none. */
static int64_t nth_weekday(int64_t day, int nth, unsigned weekdays)
{
    int y, m, d;
    civil_from_days(day, &y, &m, &d);
    int length = days_in_month(y, m), weekday = __builtin_ctz(weekdays);
    int64_t first = day - d + 1;
    int64_t one = first + (weekday - weekday_from_days(first) + 7) % 7;
    if (nth < 0)
        return one + (first + length - 1 - one) / 7 * 7;
    return one + 7 * (nth - 1) < first + length ? one + 7 * (nth - 1) : INT64_MIN;
}

/* The first day of a series at or after one. */
static int64_t first_match(const struct repeat *r, int64_t from)
{
    if (r->freq == WEEKLY && r->weekdays)
        while (!(r->weekdays >> weekday_from_days(from) & 1))
            from++;
    if (r->monthday)
        return qa_next_monthday(from, r->monthday);
    if (r->nth) {
        int64_t day = nth_weekday(from, r->nth, r->weekdays);
        for (int64_t month = from; day < from; day = nth_weekday(month, r->nth, r->weekdays))
            month = qa_next_monthday(month + 1, 1);
        return day;
    }
    return from;
}

static int64_t first_day(const struct sentence *s)
{
    bool past = s->has_clock && s->from.minute * 60 < s->second;
    bool dated = s->has_days && !s->days.weekday;
    int64_t day = s->has_days ? s->days.first : s->today + past;
    if (s->repeat.freq == WEEKLY && s->repeat.weekdays && !dated && !s->how->from_match)
        return s->today;
    if (s->repeat.freq)
        return first_match(&s->repeat, day);
    if (s->how->ahead && s->days.weekday && day == s->today && past)
        day += 7;
    return day;
}

static const char *rule(struct arena *a, const struct sentence *s, bool timed, int64_t first,
                        const struct tz *tz)
{
    static const char *const freqs[] = {"", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"};
    static const char *const days[] = {"SU", "MO", "TU", "WE", "TH", "FR", "SA"};
    const struct repeat *r = &s->repeat;
    unsigned weekdays =
        r->freq == WEEKLY && !r->weekdays ? 1u << weekday_from_days(first) : r->weekdays;
    const char *text = arena_printf(a, "RRULE:FREQ=%s", freqs[r->freq]);
    if (s->count) {
        text = arena_printf(a, "%s;COUNT=%d", text, s->count);
    } else if (s->has_until || s->span) {
        int64_t last = s->has_until ? s->until : qa_add(first, s->span, s->span_unit) - 1;
        int64_t end = last * SECONDS_PER_DAY + SECONDS_PER_DAY - 1;
        struct civil c;
        civil_from_seconds(timed ? tz_to_utc(tz, end) : end, &c);
        text = arena_printf(a, "%s;UNTIL=%04d%02d%02d", text, c.year, c.month, c.day);
        if (timed)
            text = arena_printf(a, "%sT%02d%02d%02dZ", text, c.hour, c.minute, c.second);
    }
    if (r->interval > 1)
        text = arena_printf(a, "%s;INTERVAL=%d", text, r->interval);
    if (r->monthday)
        text = arena_printf(a, "%s;BYMONTHDAY=%d", text, r->monthday);
    for (int i = 0, n = 0; i < 7; i++)
        if (weekdays >> i & 1) {
            text = arena_printf(a, n++ ? "%s," : "%s;BYDAY=", text);
            if (r->nth)
                text = arena_printf(a, "%s%d", text, r->nth);
            text = arena_printf(a, "%s%s", text, days[i]);
        }
    return text;
}

static void finish(struct arena *a, struct sentence *s, const struct tz *tz, struct quickadd *ret)
{
    static const int hours[] = {[MORNING] = 8, [AFTERNOON] = 13, [EVENING] = 18, [NIGHT] = 20};
    if (s->has_clock) {
        settle(s);
    } else if (s->part) {
        s->has_clock = true;
        s->from = (struct qa_clock){.minute = hours[s->part] * 60, .sure = true};
    } else if (s->minutes && !s->has_days) { /* a length alone begins now */
        s->has_clock = true;
        s->from.minute = s->second / 60;
        s->has_days = true;
        s->days.first = s->days.last = s->today;
    }
    if (s->repeat.freq == WEEKLY && !s->repeat.weekdays && s->days.weekday)
        s->repeat.weekdays = 1u << weekday_from_days(s->days.first);
    int64_t first = first_day(s), last = first + (s->days.last - s->days.first);
    if (!s->repeat.freq && s->has_until && s->until > last)
        last = s->until;
    if (!s->repeat.freq && s->span)
        last = qa_add(first, s->span, s->span_unit) - 1;
    ret->all_day = !s->has_clock;
    ret->recurrence = s->repeat.freq ? rule(a, s, s->has_clock, first, tz) : NULL;
    if (ret->all_day) {
        ret->start_s = first * SECONDS_PER_DAY;
        ret->end_s = (last + 1) * SECONDS_PER_DAY;
        return;
    }
    int64_t from = first * SECONDS_PER_DAY + s->from.minute * 60;
    ret->start_s = tz_to_utc(tz, from);
    if (s->has_range) {
        int64_t to = last * SECONDS_PER_DAY + s->to.minute * 60;
        ret->end_s = tz_to_utc(tz, to <= from ? to + SECONDS_PER_DAY : to);
    } else {
        ret->end_s = tz_to_utc(tz, from + (last - first) * SECONDS_PER_DAY) +
                     (s->minutes ? s->minutes : s->how->minutes) * 60;
    }
    if (ret->end_s <= ret->start_s) /* in the hour that a clock skips */
        ret->end_s = ret->start_s + 60;
}

/* Whitespace of any kind and length becomes one space; control characters are removed. */
static void normalise(struct arena *a, const char *text, size_t len, struct sentence *s)
{
    char *out = arena_alloc(a, len + 1);
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        uint8_t c = (uint8_t)text[i];
        bool blank = c <= ' ' || c == 127;
        if (!strncmp("\xC2\xA0", text + i, len - i < 2 ? len - i : 2) && len - i >= 2) {
            blank = true;
            i++;
        }
        if (!blank)
            out[n++] = (char)c;
        else if (n && out[n - 1] != ' ')
            out[n++] = ' ';
    }
    n -= n && out[n - 1] == ' ';
    out[n] = 0;
    s->text = out;
    s->len = n;
    s->taken = arena_calloc(a, n + 1, 1);
}

void quickadd_parse(struct arena *a, const char *text, size_t len, int64_t now_s,
                    const struct tz *tz, const struct quickadd_how *how, struct quickadd *ret)
{
    struct sentence s = {.how = how};
    int64_t now = now_s + tz_offset(tz, now_s);
    s.second = (int)((now % SECONDS_PER_DAY + SECONDS_PER_DAY) % SECONDS_PER_DAY);
    s.today = (now - s.second) / SECONDS_PER_DAY;
    normalise(a, text, len, &s);
    char kept = s.len > QUICKADD_MAX ? s.text[QUICKADD_MAX] : 0;
    if (kept)
        s.text[QUICKADD_MAX] = 0;
    take_all(&s);
    take_guests(a, &s, ret);
    if (kept)
        s.text[QUICKADD_MAX] = kept;
    ret->summary = what_is_left(a, &s);
    ret->location = place(a, &s);
    finish(a, &s, tz, ret);
}

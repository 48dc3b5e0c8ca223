/* SPDX-License-Identifier: Apache-2.0 */
/* Events at the time of another, and those that seem to be the same: how similar two are is by
 * their titles and times, in the original's steps. */
#include "engine/text/utf8.h"
#include "mcp/sets/community/calendar.h"
#include "mcp/sets/times.h"

#define TWIN 0.95 /* the same title at the same time */

struct span {
    int64_t from, to;
    bool day; /* whole days */
};

struct checking {
    struct set_run *r;
    const struct json *event; /* that is made or changed */
    const char *title;        /* its title, folded; "": it has none */
    struct span span;
    double least; /* of duplicates */
    struct value_list conflicts, duplicates;
    const char *twin; /* the title of an event that is the same; NULL: there is none */
};

static const char *when(const struct json *v)
{
    const char *time = json_get_str(v, "dateTime"), *day = json_get_str(v, "date");
    return time ? time : day ? day : "";
}

/* False: its times can't be read. */
static bool read_span(struct set_run *r, const struct json *event, struct span *ret)
{
    static const char *const names[] = {"start", "end"};
    int64_t *const ends[] = {&ret->from, &ret->to};
    ret->day = !json_get_str(json_get(event, "start"), "dateTime");
    for (size_t i = 0; i < 2; i++) {
        const struct json *v = json_get(event, names[i]);
        const char *zone = json_get_str(v, "timeZone");
        const struct tz *z = zone ? tz_find(zone) : NULL;
        if (time_read(r->arena, when(v), z ? z : tz_find("UTC"), ends[i]) < 0)
            return false;
    }
    return true;
}

/* ---- titles ---- */

enum likeness { DIFFERENT, SIMILAR, EQUAL };

static const char *next_word(const char **at, size_t *ret_n)
{
    static const char blanks[] = " \t\r\n\f\v";
    const char *word = *at + strspn(*at, blanks);
    *ret_n = strcspn(word, blanks);
    *at = word + *ret_n;
    return *ret_n ? word : NULL;
}

static bool has_word(const char *text, const char *word, size_t len)
{
    const char *found;
    size_t n;
    while ((found = next_word(&text, &n)) != NULL)
        if (n == len && memcmp(found, word, n) == 0)
            return true;
    return false;
}

static unsigned count_long(const char *text, const char *others, unsigned *ret_common)
{
    const char *word;
    unsigned all = 0;
    size_t n;
    *ret_common = 0;
    while ((word = next_word(&text, &n)) != NULL)
        if (n > 3) {
            all++;
            *ret_common += has_word(others, word, n);
        }
    return all;
}

#define TITLE_MOST 1024 /* bytes that are compared word by word */

static enum likeness compare_titles(struct arena *a, const char *s, const struct json *other)
{
    const char *t = json_get_str(other, "summary");
    unsigned common, ignored;
    if (!t || !*s || !*t)
        return DIFFERENT;
    t = utf8_fold(a, t);
    if (strcmp(s, t) == 0)
        return EQUAL;
    if (strstr(s, t) || strstr(t, s))
        return SIMILAR;
    if (strlen(s) > TITLE_MOST || strlen(t) > TITLE_MOST)
        return DIFFERENT;
    unsigned n = count_long(s, t, &common), m = count_long(t, s, &ignored);
    unsigned fewer = n < m ? n : m;
    return fewer && 2 * common >= fewer ? SIMILAR : DIFFERENT;
}

/* ---- pairs ---- */

static bool overlap(const struct span *a, const struct span *b)
{
    return a->from < b->to && b->from < a->to;
}

static double similarity(struct checking *c, const struct json *other, const struct span *span)
{
    enum likeness like = compare_titles(c->r->arena, c->title, other);
    if (c->span.day != span->day)
        return 0.2;
    bool at_once = overlap(&c->span, span);
    if (like == EQUAL && at_once)
        return TWIN;
    if (like == SIMILAR && at_once)
        return 0.7;
    if (like == EQUAL)
        return c->span.from / US_PER_DAY == span->from / US_PER_DAY ? 0.6 : 0.4;
    return like == SIMILAR ? 0.3 : 0.1;
}

static const char *title_of(const struct json *event)
{
    const char *title = json_get_str(event, "summary");
    return title && *title ? title : "Untitled Event";
}

static void put_event(struct set_run *r, struct value_object *o, const struct json *event)
{
    object_put(o, "id", json_get(event, "id"));
    object_put(o, "title", value_text(r->arena, title_of(event)));
    object_put(o, "start", value_text(r->arena, when(json_get(event, "start"))));
    object_put(o, "end", value_text(r->arena, when(json_get(event, "end"))));
    object_put(o, "url", json_get(event, "htmlLink"));
}

static void add_duplicate(struct checking *c, const struct json *calendar, const struct json *event,
                          double like)
{
    struct set_run *r = c->r;
    struct value_object o = {.arena = r->arena}, of = {.arena = r->arena};
    struct json *number = arena_calloc(r->arena, 1, sizeof *number);
    number->type = JSON_NUMBER;
    number->str = like == TWIN ? "0.95" : arena_printf(r->arena, "%.1f", like);
    number->n = (uint32_t)strlen(number->str);
    put_event(r, &of, event);
    object_put(&of, "similarity", number);
    object_put(&o, "event", object_value(&of));
    object_put(&o, "calendarId", calendar);
    object_put(&o, "suggestion",
               value_text(r->arena, like >= TWIN ? "It is there already: change that one instead."
                                                 : "There is one very much like it."));
    list_add(&c->duplicates, object_value(&o));
    if (like >= TWIN && !c->twin)
        c->twin = title_of(event);
}

static const char *plural(struct arena *a, int64_t n, const char *unit)
{
    return arena_printf(a, "%lld %s%s", (long long)n, unit, n > 1 ? "s" : "");
}

/* "45 minutes", "2 hours 30 minutes", "1 day". */
static const char *duration(struct arena *a, int64_t us)
{
    int64_t minutes = us / US_PER_SECOND / 60, hours = minutes / 60, days = hours / 24;
    int64_t rest = days ? hours % 24 : minutes % 60;
    const char *unit = days ? "day" : "hour", *less = days ? "hour" : "minute";
    if (!hours)
        return arena_printf(a, "%lld minute%s", (long long)minutes, minutes > 1 ? "s" : "");
    return arena_printf(a, "%s%s%s", plural(a, days ? days : hours, unit), rest ? " " : "",
                        rest ? plural(a, rest, less) : "");
}

static void add_conflict(struct checking *c, const struct json *calendar, const struct json *event,
                         const struct span *span)
{
    struct arena *a = c->r->arena;
    struct value_object o = {.arena = a}, of = {.arena = a}, shared = {.arena = a};
    int64_t from = c->span.from > span->from ? c->span.from : span->from;
    int64_t to = c->span.to < span->to ? c->span.to : span->to, all = c->span.to - c->span.from;
    double part = all ? (double)(to - from) / (double)all * 100 : 0;
    put_event(c->r, &of, event);
    object_put(&o, "event", object_value(&of));
    object_put(&o, "calendar", calendar);
    object_put(&shared, "duration", value_text(a, duration(a, to - from)));
    object_put(&shared, "percentage", value_text(a, arena_printf(a, "%d%%", (int)(part + 0.5))));
    object_put(&o, "overlap", object_value(&shared));
    list_add(&c->conflicts, object_value(&o));
}

/* ---- calendars ---- */

static bool is_same(const struct json *x, const struct json *y)
{
    const char *a = json_get_str(x, "id"), *b = json_get_str(y, "id");
    return a && b && strcmp(a, b) == 0;
}

/* One whose events can't be read has none. 1, -1. */
static int check_calendar(struct checking *c, const struct json *calendar)
{
    struct set_run *r = c->r;
    struct value_object o = {.arena = r->arena};
    const struct json *response;
    object_put(&o, "calendarId", calendar);
    object_put(&o, "timeMin", value_text(r->arena, time_utc(r->arena, c->span.from, false)));
    object_put(&o, "timeMax", value_text(r->arena, time_utc(r->arena, c->span.to, false)));
    object_put(&o, "singleEvents", &value_true);
    object_put(&o, "orderBy", value_text(r->arena, "startTime"));
    object_put(&o, "maxResults", value_int(r->arena, 250));
    int rc = set_call_method(r, "calendar.events.list", object_value(&o), &response);
    const struct json *items = rc > 0 ? json_get(response, "items") : NULL;
    r->why = NULL;
    for (uint32_t i = 0; items && items->type == JSON_ARRAY && i < items->n; i++) {
        const struct json *event = &items->items[i];
        struct span span;
        if (is_same(event, c->event) || !read_span(r, event, &span))
            continue;
        double like = c->least <= 1 ? similarity(c, event, &span) : 0;
        if (c->least <= 1 && like >= c->least)
            add_duplicate(c, calendar, event, like);
        if (overlap(&c->span, &span))
            add_conflict(c, calendar, event, &span);
    }
    return rc < 0 ? -1 : 1;
}

static void warn(struct checking *c, struct value_list *l, const char *what, size_t n)
{
    if (n)
        list_add(l, value_text(c->r->arena, arena_printf(c->r->arena, "%s: %zu", what, n)));
}

int ccal_conflicts(struct set_run *r, const struct json *calendar, const struct json *event,
                   double least, const struct json **ret, const char **ret_twin)
{
    const struct json *list = json_get(r->args, "calendarsToCheck");
    const char *title = json_get_str(event, "summary");
    struct value_list warnings = {.arena = r->arena};
    struct value_object o = {.arena = r->arena};
    struct checking c = {.r = r,
                         .event = event,
                         .least = least,
                         .title = title ? utf8_fold(r->arena, title) : "",
                         .conflicts = {.arena = r->arena},
                         .duplicates = {.arena = r->arena}};
    int rc = 1;
    /* Of whole days the original asks for what the service refuses, and takes it for nothing. */
    bool can = read_span(r, event, &c.span) && !c.span.day;
    for (uint32_t i = 0; can && rc > 0 && i < (list ? list->n : 1); i++)
        rc = check_calendar(&c, list ? &list->items[i] : calendar);
    warn(&c, &warnings, "Events that may be the same", c.duplicates.n);
    warn(&c, &warnings, "Events at the same time", c.conflicts.n);
    object_put(&o, "conflicts", c.conflicts.n ? list_value(&c.conflicts) : NULL);
    object_put(&o, "duplicates", c.duplicates.n ? list_value(&c.duplicates) : NULL);
    object_put(&o, "warnings", warnings.n ? list_value(&warnings) : NULL);
    *ret = object_value(&o);
    *ret_twin = c.twin;
    return rc;
}

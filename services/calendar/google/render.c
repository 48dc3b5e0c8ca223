/* SPDX-License-Identifier: Apache-2.0 */
/* Events as the service writes them: members in its order, defaults left out, times in the zone
 * that is looked at. */
#include "engine/store/rendered.h"
#include "services/calendar/google/gcal.h"

int gcal_view(struct call *c, const struct calendar *cal, struct gcal_view *ret)
{
    const char *zone = param_str(c, "timeZone");
    *ret = (struct gcal_view){
        .c = c, .cal = cal, .tz = cal->tz, .max_attendees = param_num(c, "maxAttendees", 0)};
    if (zone) {
        ret->tz = tz_find(zone);
        if (!ret->tz)
            return call_fail(c, SOSIA_E_INVALID, "invalid", "timeZone", "Invalid Value");
    }
    return 0;
}

/* The end of an address as links shorten it. */
static size_t shorten(const char *key, const char **ret_short)
{
    static const struct {
        const char *domain, *word;
    } known[] = {{"@group.calendar.google.com", "@g"},
                 {"@gmail.com", "@m"},
                 {"@group.v.calendar.google.com", "@v"}};
    size_t n = strlen(key);
    *ret_short = "";
    for (size_t i = 0; i < SOSIA_LEN(known); i++) {
        size_t len = strlen(known[i].domain);
        if (n > len && strcmp(key + n - len, known[i].domain) == 0) {
            *ret_short = known[i].word;
            return n - len;
        }
    }
    return n;
}

/* A series' link names its first instance. */
static const char *html_link(struct gcal_view *v, const struct cal_event *ev)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    static const char head[] = "https://www.google.com/calendar/event?eid=";
    struct arena *a = v->c->tx.arena;
    const char *word, *id = ev->key;
    if (ev->form == EVENT_SERIES)
        id = cal_event_instance_key(&v->c->tx, ev->key, ev->all_day, ev->start_us);
    size_t id_len = strlen(id), cal_len = shorten(v->cal->key, &word), word_len = strlen(word);
    size_t n = id_len + 1 + cal_len + word_len;
    char *plain = arena_alloc(a, n + 2), *out = arena_alloc(a, sizeof head + n / 3 * 4 + 4), *p;
    if (arena_failed(a))
        return "";
    memcpy(plain, id, id_len);
    plain[id_len] = ' ';
    memcpy(plain + id_len + 1, v->cal->key, cal_len);
    memcpy(plain + id_len + 1 + cal_len, word, word_len);
    plain[n] = plain[n + 1] = 0;
    memcpy(out, head, sizeof head - 1);
    p = out + sizeof head - 1;
    for (size_t i = 0; i < n; i += 3, p += 4) {
        const unsigned char *b = (const unsigned char *)plain + i;
        p[0] = digits[b[0] >> 2];
        p[1] = digits[(b[0] << 4 | b[1] >> 4) & 63];
        p[2] = digits[(b[1] << 2 | b[2] >> 6) & 63];
        p[3] = digits[b[2] & 63];
    }
    p[-(ptrdiff_t)((3 - n % 3) % 3)] = 0; /* no padding */
    return out;
}

static void write_time(struct gcal_view *v, const char *key, bool all_day, int64_t us,
                       const char *zone)
{
    struct json_writer *w = v->c->out;
    char text[STAMP_TEXT];
    if (!json_wants(w, key))
        return;
    json_obj(w, key);
    if (all_day) {
        date_format(text, us / US_PER_DAY - (us % US_PER_DAY < 0));
        json_word(w, "date", text);
    } else {
        int64_t s = us / US_PER_SECOND - (us % US_PER_SECOND < 0);
        json_wordn(w, "dateTime", 8 | JSON_LITERAL, text,
                   stamp_format(text, us, tz_offset(v->tz, s), 0, true));
        json_str(w, "timeZone", zone ? zone : v->cal->zone);
    }
    json_end(w);
}

static void write_original(struct gcal_view *v, const struct cal_event *ev)
{
    json_str(v->c->out, "recurringEventId", cal_event_series_key(&v->c->tx, ev));
    write_time(v, "originalStartTime", ev->original_day, ev->original_us, ev->zone);
}

/* ---- people ---- */

static bool has_display_name(const char *key)
{
    static const char domain[] = "@group.calendar.google.com";
    size_t n = strlen(key);
    return n >= sizeof domain && strcmp(key + n - (sizeof domain - 1), domain) == 0;
}

static const struct json *extra_of(struct gcal_view *v, const struct cal_event *ev)
{
    const struct json *extra = NULL;
    struct sosia_err err;
    if (ev->extra &&
        json_parse(v->c->tx.arena, ev->extra, strlen(ev->extra), NULL, &extra, &err) < 0)
        return NULL;
    return extra;
}

static bool write_again(struct json_writer *w, const struct gcal_again *g)
{
    if (!g->text || json_is_first(w))
        return false;
    json_again(w, g->text, g->len);
    return true;
}

/* Keeps what was written from `at` on. */
static void keep(struct gcal_view *v, struct gcal_again *g, bool first, size_t at)
{
    const struct buf *b = v->c->out->out;
    if (first || v->c->out->skip || buf_failed(b) || v->etag) /* a single event needs no second */
        return;
    g->len = b->len - at;
    g->text = arena_memdup(v->c->tx.arena, b->data + at, g->len);
}

static int write_people_of(struct gcal_view *v, const struct cal_event *ev)
{
    struct json_writer *w = v->c->out;
    const char *organizer = ev->organizer ? ev->organizer : v->cal->key;
    const char *name = ev->organizer_name;
    json_obj(w, "creator");
    json_str(w, "email", ev->creator ? ev->creator : v->cal->key);
    if (calendar_is_made(v->cal))
        json_str(w, "displayName", v->cal->summary);
    json_bool_opt(w, "self", !ev->creator || strcmp(ev->creator, v->cal->key) == 0);
    json_end(w);
    if (!ev->organizer && !v->cal->main) {
        name = v->cal->summary;
    } else if (!name && has_display_name(organizer)) {
        struct calendar other;
        v->beyond = true;
        int r = calendar_by_key(&v->c->tx, organizer, &other);
        if (r < 0)
            return -1;
        name = r ? other.summary : NULL;
    }
    json_obj(w, "organizer");
    json_str(w, "email", organizer);
    json_str_opt(w, "displayName", name);
    json_bool_opt(w, "self", !ev->organizer);
    json_end(w);
    return 0;
}

static int write_people(struct gcal_view *v, const struct cal_event *ev)
{
    struct json_writer *w = v->c->out;
    bool usual = !ev->creator && !ev->organizer && !ev->organizer_name, first = json_is_first(w);
    size_t at = w->out->len;
    if (usual && write_again(w, &v->people))
        return 0;
    if (write_people_of(v, ev) < 0)
        return -1;
    if (usual)
        keep(v, &v->people, first, at);
    return 0;
}

void gcal_write_answer(struct json_writer *w, const struct cal_attendee *a)
{
    json_bool_opt(w, "resource", a->resource);
    json_bool_opt(w, "optional", a->optional);
    json_str(w, "responseStatus", gcal_responses[a->response]);
    json_str_opt(w, "comment", a->comment);
    if (a->guests)
        json_int(w, "additionalGuests", a->guests);
}

static void write_attendee(struct gcal_view *v, const struct cal_attendee *a, const char *organizer)
{
    struct json_writer *w = v->c->out;
    json_obj(w, NULL);
    json_str(w, "email", a->email);
    json_str_opt(w, "displayName", a->name);
    json_bool_opt(w, "organizer", strcmp(a->email, organizer) == 0);
    json_bool_opt(w, "self", strcmp(a->email, v->cal->key) == 0);
    gcal_write_answer(w, a);
    json_end(w);
}

/* Guests who may not see the others see themselves and the organizer. */
static int write_attendees(struct gcal_view *v, struct cal_event *ev)
{
    struct json_writer *w = v->c->out;
    const char *organizer = ev->organizer ? ev->organizer : v->cal->key;
    bool closed = ev->rights & GUESTS_DONT_SEE_GUESTS && ev->organizer;
    bool omitted = closed || (v->max_attendees && ev->n_attendees > v->max_attendees);
    if (!ev->n_attendees || (!json_wants(w, "attendees") && !json_wants(w, "attendeesOmitted")))
        return 0;
    if (cal_event_load_attendees(&v->c->tx, ev) < 0)
        return -1;
    json_arr(w, "attendees");
    for (int i = 0; i < ev->n_attendees; i++) {
        const struct cal_attendee *a = &ev->attendees[i];
        if (!omitted || strcmp(a->email, v->cal->key) == 0 ||
            (closed && strcmp(a->email, organizer) == 0))
            write_attendee(v, a, organizer);
    }
    json_end(w);
    json_bool_opt(w, "attendeesOmitted", omitted);
    return 0;
}

/* ---- the rest ---- */

void gcal_write_reminders(struct json_writer *w, const char *key, const char *text)
{
    if (text)
        json_raw(w, key, text, strlen(text));
    else {
        json_arr(w, key);
        json_end(w);
    }
}

static void write_member(struct json_writer *w, const struct json *extra, const char *name)
{
    const struct json *v = json_get(extra, name);
    if (v)
        json_value(w, name, v);
}

static void write_properties(struct json_writer *w, const struct cal_event *ev)
{
    if (!ev->own_props && !ev->props)
        return;
    json_obj(w, "extendedProperties");
    if (ev->own_props)
        json_raw(w, "private", ev->own_props, strlen(ev->own_props));
    if (ev->props)
        json_raw(w, "shared", ev->props, strlen(ev->props));
    json_end(w);
}

static void write_rights(struct json_writer *w, const struct cal_event *ev,
                         const struct json *extra)
{
    json_bool_opt(w, "anyoneCanAddSelf", ev->rights & ANYONE_ADDS_SELF);
    if (ev->rights & GUESTS_DONT_INVITE)
        json_bool(w, "guestsCanInviteOthers", false);
    json_bool_opt(w, "guestsCanModify", ev->rights & GUESTS_MODIFY);
    if (ev->rights & GUESTS_DONT_SEE_GUESTS)
        json_bool(w, "guestsCanSeeOtherGuests", false);
    json_bool_opt(w, "privateCopy",
                  ev->rights & EVENT_PRIVATE_COPY && !json_get(extra, GCAL_OWN_IMPORT));
    json_bool_opt(w, "locked", ev->rights & EVENT_LOCKED);
}

static void write_event_reminders(struct gcal_view *v, const struct cal_event *ev)
{
    struct json_writer *w = v->c->out;
    bool first = json_is_first(w);
    size_t at = w->out->len;
    if (!ev->reminders && write_again(w, &v->reminders))
        return;
    json_obj(w, "reminders");
    json_bool(w, "useDefault", !ev->reminders);
    if (ev->reminders && strcmp(ev->reminders, "[]") != 0)
        json_raw(w, "overrides", ev->reminders, strlen(ev->reminders));
    json_end(w);
    if (!ev->reminders)
        keep(v, &v->reminders, first, at);
}

static void write_recurrence(struct gcal_view *v, const struct cal_event *ev)
{
    struct json_writer *w = v->c->out;
    if (ev->recurrence) {
        json_arr(w, "recurrence");
        for (const char *p = ev->recurrence; *p; p += strcspn(p, "\n"), p += *p == '\n')
            json_strn(w, NULL, p, strcspn(p, "\n"));
        json_end(w);
    }
    if (ev->form == EVENT_INSTANCE)
        write_original(v, ev);
}

static void write_head(struct gcal_view *v, const struct cal_event *ev)
{
    struct json_writer *w = v->c->out;
    json_word(w, "kind", "calendar#event");
    json_str(w, "etag", v->etag ? v->etag : gcal_event_etag(v->c->tx.arena, ev));
    json_str(w, "id", ev->key);
    json_word(w, "status", gcal_statuses[ev->status]);
}

static void write_times(struct gcal_view *v, const struct cal_event *ev)
{
    const char *end_zone = ev->end_zone ? ev->end_zone : ev->zone;
    write_time(v, "start", ev->all_day, ev->start_us, ev->zone);
    write_time(v, "end", ev->all_day, event_end(ev), end_zone);
    json_bool_opt(v->c->out, "endTimeUnspecified", ev->rights & EVENT_NO_END);
}

static void write_concealed(struct gcal_view *v, const struct cal_event *ev)
{
    struct json_writer *w = v->c->out;
    write_head(v, ev);
    write_times(v, ev);
    write_recurrence(v, ev);
    if (!event_blocks(ev))
        json_word(w, "transparency", "transparent");
    json_word(w, "visibility", "private");
    json_str(w, "iCalUID", ev->uid);
    json_int(w, "sequence", ev->sequence);
    json_word(w, "eventType", "default");
}

static int write_open(struct gcal_view *v, struct cal_event *ev)
{
    struct json_writer *w = v->c->out;
    const struct json *extra = extra_of(v, ev);
    write_head(v, ev);
    if (json_wants(w, "htmlLink"))
        json_word(w, "htmlLink", html_link(v, ev));
    json_time(w, "created", ev->created_us - (ev->created_us % US_PER_SECOND), JSON_TIME_MS_Z);
    json_time(w, "updated", ev->updated_us, JSON_TIME_MS_Z);
    json_str_opt(w, "summary", ev->summary);
    json_str_opt(w, "description", ev->description);
    json_str_opt(w, "location", ev->location);
    json_str_opt(w, "colorId", ev->color);
    if (write_people(v, ev) < 0)
        return -1;
    write_times(v, ev);
    write_recurrence(v, ev);
    if (!event_blocks(ev))
        json_word(w, "transparency", "transparent");
    if (gcal_visibility(ev))
        json_word(w, "visibility", gcal_visibility(ev));
    json_str(w, "iCalUID", ev->uid);
    json_int(w, "sequence", ev->sequence);
    if (write_attendees(v, ev) < 0)
        return -1;
    write_properties(w, ev);
    write_member(w, extra, "hangoutLink");
    write_member(w, extra, "conferenceData");
    write_member(w, extra, "gadget");
    write_rights(w, ev, extra);
    if (!calendar_is_made(v->cal))
        write_event_reminders(v, ev);
    /* Where an event comes from is its creator's business. */
    if (extra && strcmp(ev->creator ? ev->creator : v->cal->key, v->c->actor.email) == 0)
        write_member(w, extra, "source");
    write_member(w, extra, "workingLocationProperties");
    write_member(w, extra, "outOfOfficeProperties");
    write_member(w, extra, "focusTimeProperties");
    write_member(w, extra, "attachments");
    write_member(w, extra, "birthdayProperties");
    write_member(w, extra, "eventLabelId");
    json_word(w, "eventType", gcal_kinds[ev->kind]);
    return 0;
}

int gcal_write_event(struct gcal_view *v, const char *key, struct cal_event *ev)
{
    struct json_writer *w = v->c->out;
    int rc = 0;
    json_obj(w, key);
    if (v->whole) {
        rc = write_open(v, ev);
    } else if (ev->status == EVENT_CANCELLED && ev->form == EVENT_INSTANCE) {
        write_head(v, ev);
        if (ev->master)
            write_original(v, ev);
    } else if (ev->status == EVENT_CANCELLED && (v->bare || event_is_trace(ev))) {
        write_head(v, ev);
    } else if (cal_event_concealed(v->cal, ev)) {
        write_concealed(v, ev);
    } else {
        rc = write_open(v, ev);
    }
    json_end(w);
    return rc;
}

/* ---- once more ---- */

/* All that items of a list depend on beside what is stored of their events: whatever is read in
 * this file of the view, the calendar, the caller or the writer. */
static uint32_t make_kept_view(const struct gcal_view *v)
{
    const struct call *c = v->c;
    const struct calendar *cal = v->cal;
    const char *zone = param_str(c, "timeZone");
    const int64_t numbers[] = {
        v->max_attendees,      v->bare,   v->whole,       cal->role,     cal->main,
        calendar_is_made(cal), c->pretty, c->escape_html, c->out->depth, c->mask != NULL};
    const char *fields = call_query_item(c, "fields");
    struct rendered_key k;
    k.n = 0;
    rendered_add_text(&k, "calendar#event");
    rendered_add(&k, numbers, sizeof numbers);
    rendered_add_text(&k, zone);
    rendered_add_text(&k, cal->key);
    rendered_add_text(&k, cal->summary);
    rendered_add_text(&k, cal->zone);
    rendered_add_text(&k, c->actor.email);
    rendered_add_text(&k, c->mask ? fields : NULL);
    return rendered_view(c->tx.db, k.bytes, k.n);
}

int gcal_write_item(struct gcal_view *v, struct cal_event *ev, const struct record *row)
{
    struct json_writer *w = v->c->out;
    struct slot *db = v->c->tx.db;
    const void *stored;
    const char *text;
    size_t n, len, at = w->out->len;
    if (!row || w->skip || !cal_event_stored(&v->c->tx, ev, row, &stored, &n))
        return gcal_write_event(v, NULL, ev);
    if (!v->kept_view)
        v->kept_view = make_kept_view(v);
    if (rendered_find(db, v->kept_view, stored, n, &text, &len)) {
        json_item_again(w, text, len);
        return 0;
    }
    v->beyond = false;
    if (gcal_write_event(v, NULL, ev) < 0)
        return -1;
    while (at < w->out->len && w->out->data[at] != '{') /* separators between items */
        at++;
    if (!v->beyond && at < w->out->len && !buf_failed(w->out))
        rendered_keep(db, v->kept_view, stored, n, w->out->data + at, w->out->len - at);
    return 0;
}

int gcal_answer_event(struct call *c, const struct calendar *cal, struct cal_event *ev)
{
    struct gcal_view v;
    if (gcal_view(c, cal, &v) < 0)
        return -1;
    c->etag = v.etag = gcal_event_etag(c->tx.arena, ev);
    return gcal_write_event(&v, NULL, ev);
}

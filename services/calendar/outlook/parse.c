/* SPDX-License-Identifier: Apache-2.0 */
/* Events of bodies. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/calendar/outlook/ocal.h"
#include "vendors/microsoft/zone.h"

struct reader {
    struct ocal_at *at;
    struct call *c;
    struct arena *a;
    const struct json *body;
    const struct cal_event *old; /* NULL: a new one */
    struct cal_event *ev;
};

/* A member that is there; null is one too. */
static const struct json *given(const struct reader *r, const char *member)
{
    return json_get(r->body, member);
}

static bool is_null(const struct json *v)
{
    return v->type == JSON_NULL;
}

static const char *text_or(const struct json *v, const char *otherwise)
{
    return v && v->type == JSON_STRING ? v->str : otherwise;
}

/* ---- words ---- */

/* Sets *ret to the place of a word in any case. */
static int read_word(struct reader *r, const char *member, const char *const *words, int *ret)
{
    const struct json *v = given(r, member);
    if (!v || is_null(v))
        return 0;
    for (int i = 0; v->type == JSON_STRING && words[i]; i++)
        if (str_eq_nocase(words[i], v->str)) {
            *ret = i;
            return 0;
        }
    return ocal_invalid(r->c, member, "one of the service's words");
}

static int read_words(struct reader *r)
{
    int busy = (int)r->ev->busy, sensitivity = (int)r->ev->visibility,
        importance = (int)r->ev->importance;
    const struct json *v = given(r, "sensitivity");
    if (read_word(r, "showAs", ocal_busy_words, &busy) < 0 ||
        read_word(r, "importance", ocal_importances, &importance) < 0 ||
        read_word(r, "sensitivity", ocal_sensitivities, &sensitivity) < 0)
        return -1;
    r->ev->busy = (enum cal_busy)busy;
    r->ev->importance = (enum cal_importance)importance;
    /* "normal" is two of the core's. */
    if (v && !(sensitivity == VISIBLE_DEFAULT && r->ev->visibility == VISIBLE_PUBLIC))
        r->ev->visibility = (enum cal_event_visibility)sensitivity;
    return 0;
}

static void read_rights(struct reader *r)
{
    const struct json *v = given(r, "hideAttendees");
    if (v && v->type == JSON_BOOL)
        r->ev->rights = v->truth ? r->ev->rights | GUESTS_DONT_SEE_GUESTS
                                 : r->ev->rights & ~(unsigned)GUESTS_DONT_SEE_GUESTS;
    static const char *const usual_true[] = {"responseRequested", "allowNewTimeProposals"};
    for (size_t i = 0; i < SOSIA_LEN(usual_true); i++) {
        v = given(r, usual_true[i]);
        if (v && v->type == JSON_BOOL)
            ocal_extra_set(r->a, r->ev, usual_true[i], v->truth ? NULL : "false");
    }
}

static int read_reminder(struct reader *r)
{
    const struct json *on = given(r, "isReminderOn"), *v = given(r, "reminderMinutesBeforeStart");
    int64_t minutes;
    if (on && on->type == JSON_BOOL)
        r->ev->reminder_on = on->truth;
    if (!v || is_null(v))
        return 0;
    if (json_i64(v, &minutes) < 0 || minutes < 0 || minutes > INT32_MAX)
        return ocal_invalid(r->c, "reminderMinutesBeforeStart", "a number of minutes");
    r->ev->reminder_minutes = minutes;
    return 0;
}

static int read_categories(struct reader *r)
{
    const struct json *v = given(r, "categories");
    if (!v)
        return 0;
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        if (v->items[i].type != JSON_STRING)
            return ocal_invalid(r->c, "categories", "a list of texts");
    r->ev->categories = v->type == JSON_ARRAY && v->n ? json_to_text(r->a, v) : NULL;
    return 0;
}

/* ---- text ---- */

/* The text is what all copies have, in calendars of other vendors too; the page is kept beside. */
static void read_body(struct reader *r)
{
    const struct json *v = given(r, "body");
    const char *content, *type;
    if (!v)
        return;
    content = text_or(json_get(v, "content"), "");
    type = text_or(json_get(v, "contentType"), "text");
    if (str_eq_nocase(type, "html")) {
        ocal_extra_set_str(r->a, r->ev, "html", content);
        content = ocal_text_of_html(r->a, content);
    } else {
        ocal_extra_set(r->a, r->ev, "html", NULL);
    }
    r->ev->description = *content ? content : NULL;
}

/* A location as it is kept: with the defaults of what it leaves out. */
static void write_location(struct json_writer *w, const struct json *v)
{
    const char *name = text_or(json_get(v, "displayName"), "");
    json_obj(w, NULL);
    json_str(w, "displayName", name);
    json_str_opt(w, "locationUri", json_get_str(v, "locationUri"));
    json_str_opt(w, "locationEmailAddress", json_get_str(v, "locationEmailAddress"));
    json_str(w, "locationType", text_or(json_get(v, "locationType"), "default"));
    json_str_opt(w, "uniqueId", text_or(json_get(v, "uniqueId"), *name ? name : NULL));
    json_str(w, "uniqueIdType", *name ? "private" : "unknown");
    for (int i = 0; i < 2; i++) {
        const char *member = i ? "coordinates" : "address";
        if (json_get(v, member) && json_get(v, member)->type == JSON_OBJECT)
            json_value(w, member, json_get(v, member));
    }
    json_end(w);
}

static const char *location_text(struct reader *r, const struct json *v)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    if (v->type == JSON_ARRAY) {
        json_arr(&w, NULL);
        for (uint32_t i = 0; i < v->n; i++)
            write_location(&w, &v->items[i]);
        json_end(&w);
    } else {
        write_location(&w, v);
    }
    return buf_keep(&b, r->a);
}

/* A place that says nothing but its name. */
static bool is_plain(const struct json *v)
{
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        if (m->value.type == JSON_NULL || strcmp(m->key, "displayName") == 0 ||
            strcmp(m->key, "uniqueIdType") == 0 || strcmp(m->key, "uniqueId") == 0 ||
            (m->value.type == JSON_STRING && strcasecmp(m->value.str, "default") == 0))
            continue;
        if (m->value.type != JSON_OBJECT || m->value.n)
            return false;
    }
    return true;
}

/* The place and the list of places follow each other (MG-542). */
static void read_places(struct reader *r)
{
    const struct json *one = given(r, "location"), *all = given(r, "locations");
    const bool list = all && all->type == JSON_ARRAY;
    if (!one && !list)
        return;
    if (list && !one) {
        struct buf b;
        buf_init(&b, 0);
        for (uint32_t i = 0; i < all->n; i++)
            buf_printf(&b, "%s%s", i ? "; " : "",
                       text_or(json_get(&all->items[i], "displayName"), ""));
        r->ev->location = b.len ? arena_strdup(r->a, buf_str(&b)) : NULL;
        buf_done(&b);
    } else {
        const char *name = text_or(json_get(one, "displayName"), "");
        r->ev->location = *name ? name : NULL;
    }
    ocal_extra_set(r->a, r->ev, "location",
                   one && one->type == JSON_OBJECT && !is_plain(one) ? location_text(r, one)
                                                                     : NULL);
    const bool usual = list && (all->n == 0 || (all->n == 1 && is_plain(&all->items[0])));
    ocal_extra_set(r->a, r->ev, "locations", list && !usual ? location_text(r, all) : NULL);
}

/* ---- guests ---- */

static const struct cal_attendee *known_guest(const struct cal_event *old, const char *email)
{
    for (int i = 0; old && i < old->n_attendees; i++)
        if (strcmp(old->attendees[i].email, email) == 0)
            return &old->attendees[i];
    return NULL;
}

static int read_attendee(struct reader *r, const struct json *v, struct cal_attendee *ret)
{
    const struct json *who = json_get(v, "emailAddress");
    const char *address = json_get_str(who, "address"), *name = json_get_str(who, "name");
    const char *type = text_or(json_get(v, "type"), "required");
    const char *email = address ? email_normal(r->a, address) : NULL;
    if (!email)
        return call_fail(r->c, SOSIA_E_INVALID, "ErrorInvalidRecipients", NULL,
                         "At least one recipient is not valid., Recipient \"%.100s\" isn't "
                         "resolved. All recipients must be resolved before a message can be "
                         "submitted.",
                         address ? address : "");
    const struct cal_attendee *known = known_guest(r->old, email);
    *ret = known ? *known : (struct cal_attendee){.response = RESPONSE_NONE};
    ret->id = 0;
    ret->email = email;
    if (name && *name && strcmp(name, address) != 0)
        ret->name = name;
    ret->optional = str_eq_nocase(type, "optional");
    ret->resource = str_eq_nocase(type, "resource");
    return 0;
}

static int read_attendees(struct reader *r)
{
    const struct json *v = given(r, "attendees");
    int n = 0;
    if (!v)
        return 0;
    if (v->type != JSON_ARRAY)
        return call_fail(r->c, SOSIA_E_INVALID, "RequestBodyRead", NULL,
                         "The property 'attendees' must be a list.");
    if (v->n > OCAL_MAX_GUESTS)
        return call_fail(r->c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "An event can have no more than %d attendees.", OCAL_MAX_GUESTS);
    struct cal_attendee *list = arena_calloc(r->a, v->n + 1, sizeof *list);
    for (uint32_t i = 0; i < v->n && !arena_failed(r->a); i++) {
        bool twice = false;
        if (read_attendee(r, &v->items[i], &list[n]) < 0)
            return -1;
        for (int k = 0; k < n; k++)
            twice |= strcmp(list[k].email, list[n].email) == 0;
        /* Whose event it is invites nobody to it. */
        if (!twice && !(event_leads(r->ev) && strcmp(list[n].email, r->at->cal.address) == 0))
            n++;
    }
    r->ev->attendees = list;
    r->ev->n_attendees = n;
    return 0;
}

/* ---- times ---- */

static int read_times(struct reader *r)
{
    const struct json *start = given(r, "start"), *end = given(r, "end"),
                      *day = given(r, "isAllDay");
    struct cal_event *ev = r->ev;
    const char *zone = ev->zone, *name = NULL, *end_zone, *end_name = NULL;
    int64_t end_us = event_end(ev);
    bool all_day = day && day->type == JSON_BOOL ? day->truth : ev->all_day;
    if (!r->old && (!start || !end))
        return ocal_invalid(r->c, start ? "end" : "start", "there");
    if (r->old && all_day != ev->all_day && (!start || !end))
        return ocal_invalid(r->c, "start and end", "there where isAllDay changes");
    ev->all_day = all_day;
    if (start && ocal_read_time(r->c, start, "start", all_day, &ev->start_us, &zone, &name) < 0)
        return -1;
    if (end && ocal_read_time(r->c, end, "end", all_day, &end_us, &end_zone, &end_name) < 0)
        return -1;
    if (end_us < ev->start_us || (all_day && end_us == ev->start_us))
        return ocal_invalid(r->c, "end", "behind the start");
    ev->len_us = end_us - ev->start_us;
    /* A series stays in the zone of its recurrence until another one is given (MG-530). */
    if (start && !(r->old && ev->form == EVENT_SERIES && !given(r, "recurrence")))
        ev->zone = zone;
    if (end)
        ev->end_zone = str_same(end_zone, ev->zone) ? NULL : end_zone;
    if (name)
        ocal_extra_set_str(r->a, ev, "originalStartTimeZone", name);
    if (end_name)
        ocal_extra_set_str(r->a, ev, "originalEndTimeZone",
                           str_same(end_name, name) ? NULL : end_name);
    return 0;
}

/* Defaults of a new event that depend on its being all-day (MG-407). */
static void usual(struct reader *r)
{
    const struct json *day = given(r, "isAllDay");
    r->ev->reminder_on = true;
    r->ev->reminder_minutes = r->at->cal.vendor->reminder_minutes;
    if (json_is_true(day)) {
        r->ev->busy = BUSY_FREE;
        r->ev->reminder_minutes = 1080;
    }
}

static int read_recurrence(struct reader *r)
{
    const struct json *v = given(r, "recurrence");
    if (!v)
        return r->old && r->ev->start_us != r->old->start_us ? ocal_keep_rule(r->at, r->old, r->ev)
                                                             : 0;
    if (is_null(v)) {
        r->ev->recurrence = NULL;
        return 0;
    }
    if (r->ev->form == EVENT_INSTANCE)
        return ocal_invalid(r->c, "recurrence", "absent in an occurrence");
    return ocal_read_rule(r->at, v, r->ev);
}

/* ---- meetings on the network ---- */

#define LINE "________________________________________________________________________________"

static const char *join_url(struct reader *r)
{
    const struct graph_user *u = &r->at->user;
    uint8_t id[16];
    char hex[33];
    struct buf b;
    if (tx_id(&r->c->tx, "outlook meeting", id, sizeof id) < 0)
        return NULL;
    hex_encode(hex, id, sizeof id);
    buf_init(&b, 0);
    base64url_add(&b, hex, 32, false);
    const char *url = arena_printf(
        r->a,
        "https://teams.microsoft.com/l/meetup-join/19%%3ameeting_%s%%40thread.v2/0?context=%%7b%%22"
        "Tid%%22%%3a%%22%s%%22%%2c%%22Oid%%22%%3a%%22%s%%22%%7d",
        buf_str(&b), u->tenant, u->oid);
    buf_done(&b);
    return url;
}

/* The block that says how to join goes behind the body (MG-540). */
static void add_block(struct reader *r, const char *url)
{
    struct cal_event *ev = r->ev;
    const char *html = json_get_str(ocal_extra(r->a, ev), "html");
    const char *text = ev->description ? ev->description : "";
    struct buf b;
    buf_init(&b, 0);
    if (html)
        buf_puts(&b, html);
    else
        html_escape_lines(&b, text, "", "<br>\r\n");
    buf_printf(&b,
               "<br>\r\n<div style=\"width:100%%\"><span>" LINE "</span></div>\r\n"
               "<div class=\"me-email-text\"><div><span>Microsoft Teams meeting</span></div>\r\n"
               "<div><a href=\"%s\" id=\"meet_invite_block.action.join_link\">Join the meeting now"
               "</a></div></div>\r\n",
               url);
    ocal_extra_set_str(r->a, ev, "html", buf_str(&b));
    buf_done(&b);
    ev->description = arena_printf(r->a,
                                   "%s%s" LINE "\r\nMicrosoft Teams meeting\r\nJoin the "
                                   "meeting now\r\n<%s>",
                                   text, *text ? "\r\n" : "", url);
}

static int read_meeting(struct reader *r)
{
    static const char teams[] = "teamsForBusiness", place[] = "Microsoft Teams Meeting";
    const struct json *on = given(r, "isOnlineMeeting");
    if (!on && !(r->old && given(r, "body")))
        return 0;
    const struct json *extra = ocal_extra(r->a, r->ev);
    const char *had = json_get_str(json_get(extra, "onlineMeeting"), "joinUrl"), *url;
    const char *html = json_get_str(extra, "html");
    if (had && r->old && given(r, "body") && !(html && strstr(html, had)) &&
        !(r->ev->description && strstr(r->ev->description, had))) {
        /* A body that loses the block ends the meeting. */
        ocal_extra_set(r->a, r->ev, "onlineMeeting", NULL);
        ocal_extra_set(r->a, r->ev, "onlineMeetingProvider", NULL);
        return 0;
    }
    if (!json_is_true(on) || had)
        return 0;
    if (!(url = join_url(r)))
        return -1;
    add_block(r, url);
    ocal_extra_set(r->a, r->ev, "onlineMeeting",
                   arena_printf(r->a, "{\"joinUrl\":%s}", ocal_quoted(r->a, url)));
    ocal_extra_set_str(r->a, r->ev, "onlineMeetingProvider", teams);
    if (!r->ev->location)
        r->ev->location = place; /* MG-640 */
    return 0;
}

/* ---- the whole ---- */

int ocal_read_event(struct ocal_at *at, const struct cal_event *old, struct cal_event *ev)
{
    struct reader r = {at, at->c, at->c->tx.arena, call_body(at->c), old, ev};
    const struct json *v;
    if (!r.body)
        return -1;
    if (old)
        *ev = *old;
    else
        *ev = (struct cal_event){.calendar = at->cal.id};
    if (!old)
        usual(&r);
    if ((v = given(&r, "subject")))
        ev->summary = text_or(v, NULL);
    if (!old && (v = given(&r, "transactionId")))
        ocal_extra_set_str(r.a, ev, "transactionId", text_or(v, NULL));
    read_body(&r);
    read_places(&r);
    read_rights(&r);
    if (read_words(&r) < 0 || read_reminder(&r) < 0 || read_categories(&r) < 0 ||
        read_times(&r) < 0 || read_recurrence(&r) < 0 || read_attendees(&r) < 0 ||
        read_meeting(&r) < 0 || ocal_read_properties(at->c, &ev->own_props) < 0 ||
        (!old && ocal_read_extensions(at->c, &ev->own_props) < 0))
        return -1;
    return arena_failed(r.a) ? sosia_fail_memory(at->c->tx.err) : 0;
}

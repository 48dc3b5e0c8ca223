/* SPDX-License-Identifier: Apache-2.0 */
/* Members of events' bodies that are lists or objects: guests, reminders, properties, attachments,
 * conferences, and what is kept as it comes. */
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include "services/calendar/google/parse.h"

#define MAX_ATTACHMENTS 25
#define MAX_PROPERTIES  300
#define MAX_PROP_BYTES  (32 * 1024)
#define MAX_PROP_SENT   2000 /* in one map of a body, those that are dropped included */
#define MAX_PROP_KEY    44
#define MAX_PROP_VALUE  1024
#define MAX_REMINDERS   5

/* ---- guests ---- */

static const struct cal_attendee *find_guest(const struct cal_event *ev, const char *email)
{
    for (int i = 0; ev && ev->attendees && i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, email) == 0)
            return &ev->attendees[i];
    return NULL;
}

static int read_guest(struct body *b, const struct json *v, struct cal_attendee *ret)
{
    const char *email = parse_text(json_get(v, "email"));
    int64_t guests = 0;
    if (!email)
        return parse_required(b, "Missing attendee email.");
    email = email_normal(b->c->tx.arena, email);
    if (!email)
        return parse_invalid(b, "Invalid attendee email.");
    /* An alias of a person of the world is that person. */
    if (alias_open(&b->c->tx, &email) < 0)
        return -1;
    const struct cal_attendee *was = find_guest(b->old, email);
    const struct json *more = json_get(v, "additionalGuests");
    int response = parse_word(json_get(v, "responseStatus"), gcal_responses + 1, -1);
    ret->name = parse_text(json_get(v, "displayName"));
    ret->comment = parse_text(json_get(v, "comment"));
    ret->optional = parse_bool(json_get(v, "optional"), false);
    ret->resource = parse_bool(json_get(v, "resource"), false);
    if (!parse_null(more))
        json_i64(more, &guests);
    ret->email = email;
    ret->guests = (int)guests;
    /* An entry replaces what there was of the guest; only that it is a resource stays. */
    ret->response = response >= 0 ? (enum cal_response)(response + RESPONSE_NONE) : RESPONSE_NONE;
    if (was)
        ret->resource = was->resource;
    return 0;
}

/* The guests as they were, with the caller's own answer put in: what a list that leaves others out
 * means. */
static void only_own(struct body *b, const struct cal_attendee *list, int n)
{
    const struct cal_event *old = b->old;
    struct cal_attendee *all =
        arena_calloc(b->c->tx.arena, (size_t)old->n_attendees + 1, sizeof *all);
    for (int i = 0; i < old->n_attendees; i++) {
        all[i] = old->attendees[i];
        for (int k = 0; k < n; k++) {
            if (strcmp(list[k].email, all[i].email) != 0 || strcmp(all[i].email, b->cal->key) != 0)
                continue;
            all[i].response = list[k].response;
            if (list[k].comment)
                all[i].comment = list[k].comment;
            if (list[k].guests)
                all[i].guests = list[k].guests;
        }
    }
    b->ev->attendees = all;
    b->ev->n_attendees = old->n_attendees;
}

int gcal_refuse_service(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "forbiddenForServiceAccounts", NULL,
                     "Service accounts cannot invite attendees without Domain-Wide Delegation of "
                     "Authority.");
}

int parse_attendees(struct body *b, const struct json *v)
{
    bool omitted = parse_bool(json_get(b->json, "attendeesOmitted"), false);
    int n = 0;
    if (parse_null(v) || !v->n) {
        b->ev->attendees = arena_calloc(b->c->tx.arena, 1, sizeof *b->ev->attendees);
        b->ev->n_attendees = 0;
        if (omitted && b->old)
            only_own(b, NULL, 0);
        return 0;
    }
    int over = gcal_option_over(b->c, GCAL_GUESTS, v->n);
    if (over)
        return over < 0 ? -1 : parse_invalid(b, "Too many attendees.");
    struct cal_attendee *list = arena_calloc(b->c->tx.arena, v->n, sizeof *list);
    struct map seen;
    int rc = 0;
    map_init(&seen);
    for (uint32_t i = 0; rc == 0 && i < v->n; i++) {
        rc = read_guest(b, &v->items[i], &list[n]);
        if (rc < 0 || map_get(&seen, list[n].email))
            continue; /* named twice: the first one counts */
        rc = map_set(&seen, list[n].email, &list[n]) < 0 ? sosia_fail_memory(b->c->tx.err) : 0;
        n++;
    }
    map_done(&seen);
    if (rc < 0)
        return -1;
    if (strcmp(b->c->actor.kind, "service") == 0 && b->mode != GCAL_IMPORT)
        return gcal_refuse_service(b->c);
    if (omitted && b->old) {
        only_own(b, list, n);
        return 0;
    }
    b->ev->attendees = list;
    b->ev->n_attendees = n;
    return 0;
}

/* ---- reminders ---- */

int gcal_read_reminders(struct call *c, const struct json *list, const char **ret)
{
    struct buf buf;
    *ret = "[]";
    if (parse_null(list))
        return 0;
    if (list->n > MAX_REMINDERS)
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "Too many reminders.");
    buf_init(&buf, 0);
    buf_byte(&buf, '[');
    for (uint32_t i = 0; i < list->n; i++) {
        const struct json *v = &list->items[i];
        int64_t minutes = 0;
        json_i64(json_get(v, "minutes"), &minutes);
        buf_printf(&buf, "%s{\"method\":\"%s\",\"minutes\":%d}", i ? "," : "",
                   json_get_str(v, "method"), (int)minutes);
    }
    buf_byte(&buf, ']');
    *ret = buf_keep(&buf, c->tx.arena);
    return 0;
}

/* Set before the times are known, so the default for the kind of event is put in afterwards. */
int parse_reminders(struct body *b, const struct json *v)
{
    const struct json *overrides = json_get(v, "overrides");
    if (parse_null(v)) {
        b->ev->reminders = b->ev->all_day ? "[]" : NULL;
        return 0;
    }
    bool use_default = parse_bool(json_get(v, "useDefault"),
                                  parse_null(overrides) && b->old && !b->old->reminders);
    if (use_default && !parse_null(overrides) && overrides->n)
        return call_fail(b->c, SOSIA_E_INVALID, "cannotUseDefaultRemindersAndSpecifyOverride", NULL,
                         "Cannot specify both default reminders and overrides at the same time.");
    if (use_default) {
        b->ev->reminders = NULL;
        return 0;
    }
    if (!overrides && b->mode == GCAL_PATCH && b->old->reminders)
        return 0;
    return gcal_read_reminders(b->c, overrides, &b->ev->reminders);
}

/* ---- extended properties ---- */

static size_t cut_utf8(const char *text, size_t n, size_t max)
{
    if (n <= max)
        return n;
    while (max && ((unsigned char)text[max] & 0xc0) == 0x80)
        max--;
    return max;
}

#define TOO_MANY_PROPS "Too many extended properties."

/* One of the two maps: the body's, over the present one (of a patch). Keys that are too long are
 * dropped, values cut. */
static int read_map(struct body *b, const struct json *v, const char **at)
{
    const struct json *old = NULL;
    struct sosia_err err;
    struct json_writer w;
    struct buf buf;
    size_t n = 0;
    if (v->type == JSON_NULL) {
        *at = NULL;
        return 0;
    }
    if (v->n > MAX_PROP_SENT)
        return parse_invalid(b, TOO_MANY_PROPS);
    if (b->mode == GCAL_PATCH && *at)
        json_parse(b->c->tx.arena, *at, strlen(*at), NULL, &old, &err);
    json_start(&w, &buf);
    json_obj(&w, NULL);
    for (uint32_t i = 0; old && i < old->n; i++) {
        if (json_get(v, old->members[i].key))
            continue;
        json_value(&w, old->members[i].key, &old->members[i].value);
        n++;
    }
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        if (m->value.type != JSON_STRING || m->key_len > MAX_PROP_KEY ||
            json_get(v, m->key) != &m->value)
            continue;
        json_strn(&w, m->key, m->value.str, cut_utf8(m->value.str, m->value.n, MAX_PROP_VALUE));
        n++;
    }
    json_end(&w);
    *at = n ? arena_strdup(b->c->tx.arena, buf_str(&buf)) : NULL;
    buf_done(&buf);
    return 0;
}

/* The limits are those of an event with all its copies. */
static int check_properties(struct body *b)
{
    struct arena *a = b->c->tx.arena;
    size_t n = 0, bytes = 0;
    cal_event_count_props(a, b->ev->own_props, &n, &bytes);
    cal_event_count_props(a, b->ev->props, &n, &bytes);
    if (b->old && b->old->id && cal_event_count_other_props(&b->c->tx, b->old, &n, &bytes) < 0)
        return -1;
    return n <= MAX_PROPERTIES && bytes <= MAX_PROP_BYTES ? 0 : parse_invalid(b, TOO_MANY_PROPS);
}

int parse_properties(struct body *b, const struct json *v)
{
    const struct json *own = json_get(v, "private"), *shared = json_get(v, "shared");
    if (b->mode != GCAL_PATCH || parse_null(v))
        b->ev->own_props = b->ev->props = NULL;
    if (parse_null(v))
        return 0;
    if ((own && read_map(b, own, &b->ev->own_props) < 0) ||
        (shared && read_map(b, shared, &b->ev->props) < 0))
        return -1;
    return check_properties(b);
}

/* ---- what is kept as it comes ---- */

static void set_extra(struct body *b, const char *name, const struct json *value)
{
    uint32_t i = 0;
    while (i < b->n_extra && strcmp(b->extra[i].key, name) != 0)
        i++;
    if (parse_null(value)) {
        if (i < b->n_extra) {
            memmove(&b->extra[i], &b->extra[i + 1], (b->n_extra - i - 1) * sizeof *b->extra);
            b->n_extra--;
        }
        return;
    }
    b->extra[i] =
        (struct json_member){.key = name, .key_len = (uint32_t)strlen(name), .value = *value};
    if (i == b->n_extra)
        b->n_extra++;
}

static int read_object(struct body *b, const struct json *v, const char *name, enum shaped what)
{
    set_extra(b, name,
              parse_null(v) ? NULL : parse_shaped(b, what, v, json_get(b->extra_old, name)));
    return 0;
}

int parse_source(struct body *b, const struct json *v)
{
    const struct json *old = b->mode == GCAL_PATCH ? json_get(b->extra_old, "source") : NULL;
    const struct json *sent = json_get(v, "url");
    const char *url = sent ? json_get_str(v, "url") : json_get_str(old, "url");
    if (!parse_null(v) && (!url || (!str_starts(url, "http://") && !str_starts(url, "https://"))))
        return parse_invalid(b, "Invalid source url.");
    return read_object(b, v, "source", SHAPED_SOURCE);
}

int parse_gadget(struct body *b, const struct json *v)
{
    return read_object(b, v, "gadget", SHAPED_GADGET);
}

int parse_label(struct body *b, const struct json *v)
{
    set_extra(b, "eventLabelId", v);
    return 0;
}

int parse_away(struct body *b, const struct json *v)
{
    return b->ev->kind == KIND_AWAY ? read_object(b, v, "outOfOfficeProperties", SHAPED_AWAY) : 0;
}

int parse_focus(struct body *b, const struct json *v)
{
    return b->ev->kind == KIND_FOCUS ? read_object(b, v, "focusTimeProperties", SHAPED_FOCUS) : 0;
}

/* Of the places, the one that the type names counts; another one is passed over. */
int parse_place(struct body *b, const struct json *v)
{
    static const char name[] = "workingLocationProperties";
    if (b->ev->kind != KIND_PLACE)
        return 0;
    if (parse_null(v)) {
        set_extra(b, name, NULL);
        return 0;
    }
    const struct json *kept = parse_shaped(b, SHAPED_PLACE, v, json_get(b->extra_old, name));
    const char *type = json_get_str(kept, "type");
    struct json_member *members = arena_calloc(b->c->tx.arena, 2, sizeof *members);
    struct json *place = arena_calloc(b->c->tx.arena, 1, sizeof *place);
    if (arena_failed(b->c->tx.arena))
        return sosia_fail_memory(b->c->tx.err);
    *place = (struct json){.type = JSON_OBJECT, .members = members};
    for (uint32_t i = 0; type && i < kept->n; i++)
        if (strcmp(kept->members[i].key, "type") == 0 || strcmp(kept->members[i].key, type) == 0)
            members[place->n++] = kept->members[i];
    set_extra(b, name, place);
    return 0;
}

/* Counts when the event is made; only birthdays proper can be made. */
int parse_birthday(struct body *b, const struct json *v)
{
    static const char name[] = "birthdayProperties";
    if (b->ev->kind != KIND_BIRTHDAY || b->old)
        return 0;
    const char *type = json_get_str(v, "type");
    if (type && strcmp(type, "birthday") != 0)
        return call_fail(b->c, SOSIA_E_INVALID, "malformedBirthdayEvent", NULL,
                         "A birthday event must be of the type birthday.");
    set_extra(b, name, parse_value(b, "{\"type\":\"birthday\"}"));
    return 0;
}

/* The id of a file of Drive is in its URL, behind "/d/" or "id=". */
static const char *file_id(struct arena *a, const char *url)
{
    static const char word[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    if (!str_starts(url, "https://drive.google.com/") &&
        !str_starts(url, "https://docs.google.com/"))
        return NULL;
    const char *at = strstr(url, "/d/");
    if (at)
        at += 3;
    else if ((at = strpbrk(url, "?")) && (at = strstr(at, "id=")))
        at += 3;
    size_t n = at ? strspn(at, word) : 0;
    return n ? arena_memdup(a, at, n) : NULL;
}

#define ICON  "https://drive-thirdparty.googleusercontent.com/16/type/"
#define KINDS "application/vnd.google-apps."

/* Of a file that the caller may see, what it is and, unless the body has it, its title; nothing
 * of any other. */
static int write_file(struct body *b, struct json_writer *w, const struct json *kept,
                      const char *id)
{
    struct arena *a = b->c->tx.arena;
    struct file_ref file;
    int r = file_find(&b->c->tx, &b->c->actor, id, &file);
    if (r < 1)
        return r;
    const char *type = strchr(file.type, '/') ? file.type : arena_printf(a, KINDS "%s", file.type);
    if (!json_get(kept, "title"))
        json_str(w, "title", file.title);
    if (!json_get(kept, "mimeType"))
        json_str(w, "mimeType", type);
    if (!json_get(kept, "iconLink"))
        json_str(w, "iconLink", arena_printf(a, ICON "%s", type));
    return 0;
}

static int write_attachment(struct body *b, struct json_writer *w, const struct json *v)
{
    const char *url = parse_text(json_get(v, "fileUrl"));
    if (!url)
        return parse_required(b, "Missing attachment file url.");
    const struct json *kept = parse_shaped(b, SHAPED_ATTACHMENT, v, NULL);
    json_obj(w, NULL);
    for (uint32_t i = 0; kept && i < kept->n; i++)
        json_value(w, kept->members[i].key, &kept->members[i].value);
    const char *id = file_id(b->c->tx.arena, url);
    if (id && write_file(b, w, kept, id) < 0)
        return -1;
    json_str_opt(w, "fileId", id);
    json_end(w);
    return 0;
}

int parse_attachments(struct body *b, const struct json *v)
{
    struct json_writer w;
    struct buf buf;
    int rc = 0;
    if (!param_bool(b->c, "supportsAttachments"))
        return 0;
    if (parse_null(v) || !v->n) {
        set_extra(b, "attachments", NULL);
        return 0;
    }
    if (v->n > MAX_ATTACHMENTS)
        return parse_invalid(b, "Too many attachments.");
    json_start(&w, &buf);
    json_arr(&w, NULL);
    for (uint32_t i = 0; rc == 0 && i < v->n; i++)
        rc = write_attachment(b, &w, &v->items[i]);
    json_end(&w);
    if (rc == 0)
        set_extra(b, "attachments", parse_value(b, arena_strdup(b->c->tx.arena, buf_str(&buf))));
    buf_done(&buf);
    return rc;
}

/* A request for a conference; one that was served before (same requestId) is passed over. */
static int request_conference(struct body *b, const struct json *request)
{
    const struct json *old = json_get(json_get(b->extra_old, "conferenceData"), "createRequest");
    const char *id = json_get_str(request, "requestId"), *was = json_get_str(old, "requestId");
    const char *type = json_get_str(json_get(request, "conferenceSolutionKey"), "type");
    struct buf buf;
    struct json_writer w;
    if (!id)
        return parse_required(b, "Missing conference request id.");
    if (type && strcmp(type, "hangoutsMeet") != 0 && strcmp(type, "addOn") != 0)
        return parse_invalid(b, "Invalid conference type value.");
    if (was && strcmp(was, id) == 0) {
        set_extra(b, "conferenceData", json_get(b->extra_old, "conferenceData"));
        return 0;
    }
    json_start(&w, &buf);
    json_obj(&w, NULL);
    json_obj(&w, "createRequest");
    json_str(&w, "requestId", id);
    json_obj(&w, "conferenceSolutionKey");
    json_str(&w, "type", type ? type : "hangoutsMeet");
    json_end(&w);
    json_obj(&w, "status");
    json_str(&w, "statusCode", "pending");
    json_end(&w);
    json_end(&w);
    json_end(&w);
    const struct json *asked = parse_value(b, arena_strdup(b->c->tx.arena, buf_str(&buf)));
    const struct json *made = NULL;
    int64_t later;
    buf_done(&buf);
    if (gcal_option(&b->c->tx, GCAL_CONFERENCE, &later) < 0)
        return -1;
    if (!later && !(made = gcal_make_conference(&b->c->tx, json_get(asked, "createRequest"))))
        return -1;
    set_extra(b, "conferenceData", made ? json_get(made, "conferenceData") : asked);
    set_extra(b, "hangoutLink", json_get(made, "hangoutLink"));
    return 0;
}

/* The address of a conference of Meet's; NULL: it is another one. What was kept before may have any
 * form. */
static const struct json *meet_link(const struct json *conference)
{
    const struct json *points = json_get(conference, "entryPoints");
    for (uint32_t i = 0; points && points->type == JSON_ARRAY && i < points->n; i++) {
        const struct json *uri = json_get(&points->items[i], "uri");
        if (uri && uri->type == JSON_STRING && str_starts(uri->str, "https://meet.google.com/"))
            return uri;
    }
    return NULL;
}

int parse_conference(struct body *b, const struct json *v)
{
    if (param_num(b->c, "conferenceDataVersion", 0) < 1)
        return 0;
    if (parse_null(v)) {
        set_extra(b, "conferenceData", NULL);
        set_extra(b, "hangoutLink", NULL);
        return 0;
    }
    const struct json *request = json_get(v, "createRequest");
    if (!parse_null(request) && parse_null(json_get(v, "conferenceId")))
        return request_conference(b, request);
    const struct json *kept =
        parse_shaped(b, SHAPED_CONFERENCE, v, json_get(b->extra_old, "conferenceData"));
    set_extra(b, "conferenceData", kept);
    set_extra(b, "hangoutLink", meet_link(kept));
    return 0;
}

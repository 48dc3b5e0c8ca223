/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google Calendar's part of replaying against the real service. The world that a scenario starts
 * from is made in sosia first and read there through the same API; so what is to be made is in the
 * vendor's own form already.
 */
#include "conformance/target/real.h"
#include "engine/base/codec.h"

#define BASE "/calendar/v3"

enum { PAGES_MAX = 100 };

/* Fields of an event that can be written. */
static const char *const event_fields[] = {"summary",
                                           "description",
                                           "location",
                                           "colorId",
                                           "start",
                                           "end",
                                           "recurrence",
                                           "transparency",
                                           "visibility",
                                           "attendees",
                                           "reminders",
                                           "extendedProperties",
                                           "guestsCanInviteOthers",
                                           "guestsCanModify",
                                           "guestsCanSeeOtherGuests",
                                           "anyoneCanAddSelf",
                                           "source",
                                           "eventType",
                                           "focusTimeProperties",
                                           "outOfOfficeProperties",
                                           "workingLocationProperties",
                                           "birthdayProperties",
                                           NULL};

/* ---- calls ---- */

/* A call that must succeed. body NULL: none; gone: 404 and 410 are fine too. */
static int ask(struct real *r, const char *token, const char *method, const char *target,
               const struct buf *body, bool gone, const struct json **ret, struct sosia_err *err)
{
    struct arena *a = &r->scenario;
    struct sosia_header type = {"Content-Type", "application/json"};
    struct sosia_request request = {.method = method,
                                    .target = arena_printf(a, BASE "%s", target),
                                    .headers = &type,
                                    .n_headers = body ? 1 : 0,
                                    .body = body ? body->data : NULL,
                                    .body_len = body ? body->len : 0};
    struct sosia_response answer;
    const struct json *v = NULL;
    int rc = real_call(r, a, token, &request, &answer, err);
    if (rc)
        return rc;
    if (answer.body_len)
        json_parse(a, answer.body, answer.body_len, NULL, &v, NULL);
    if ((answer.status < 200 || answer.status > 299) &&
        !(gone && (answer.status == 404 || answer.status == 410))) {
        const char *message = json_get_str(json_get(v, "error"), "message");
        return sosia_fail(err, SOSIA_E_INVALID, "real", NULL, "%s %s answered %d: %.100s", method,
                          target, answer.status, message ? message : "");
    }
    if (ret)
        *ret = v;
    return 0;
}

/* The same with a body that is written; b is done with. */
static int ask_body(struct real *r, const char *token, const char *method, const char *target,
                    struct buf *b, const struct json **ret, struct sosia_err *err)
{
    size_t len;
    const char *text = rewrite_out(&r->rewrite, b->data ? b->data : "", b->len, &len);
    struct buf out = {.data = (char *)text, .len = len};
    int rc = buf_failed(b) ? sosia_fail_memory(err)
                           : ask(r, token, method, target, &out, false, ret, err);
    buf_done(b);
    return rc;
}

/* Of the scenario's world in sosia. */
static int ask_model(struct real *r, const struct cassette_actor *actor, const char *target,
                     const struct json **ret, struct sosia_err *err)
{
    struct arena *a = &r->scenario;
    const char *token = r->model->ops->token(r->model, actor);
    struct sosia_header auth = {"Authorization", arena_printf(a, "Bearer %s", token ? token : "")};
    struct sosia_request request = {.method = "GET",
                                    .target = arena_printf(a, BASE "%s", target),
                                    .headers = &auth,
                                    .n_headers = 1};
    struct sosia_response answer;
    if (r->model->ops->call(r->model, a, &request, &answer, err) < 0 ||
        json_parse(a, answer.body, answer.body_len, NULL, ret, err) < 0)
        return -1;
    if (answer.status != 200)
        return sosia_fail(err, SOSIA_E_INVALID, "model", NULL, "%s answered %d in sosia", target,
                          answer.status);
    return 0;
}

/* Calls fn for each item of all pages; who: an actor of the model, or NULL and a token. */
struct listing {
    struct real *r;
    const struct cassette_actor *actor;
    const char *token;
    int (*fn)(struct listing *l, const struct json *item, struct sosia_err *err);
    const char *calendar; /* encoded, at the one and at the other */
    const char *calendar_there;
    bool found;
};

static int each_item(struct listing *l, const char *target, struct sosia_err *err)
{
    const char *page = NULL;
    const struct json *answer = NULL;
    int rc = 0;
    for (int n = 0; n < PAGES_MAX && rc == 0; n++) {
        const char *full = arena_printf(&l->r->scenario, "%s%s%s", target,
                                        page ? "&pageToken=" : "", page ? page : "");
        rc = l->actor ? ask_model(l->r, l->actor, full, &answer, err)
                      : ask(l->r, l->token, "GET", full, NULL, false, &answer, err);
        const struct json *items = rc == 0 ? json_get(answer, "items") : NULL;
        for (uint32_t i = 0; items && items->type == JSON_ARRAY && i < items->n && rc == 0; i++)
            rc = l->fn(l, &items->items[i], err);
        page = rc == 0 ? json_get_str(answer, "nextPageToken") : NULL;
        if (!page)
            break;
        struct buf b;
        buf_init(&b, 0);
        percent_add(&b, page, strlen(page));
        page = buf_keep(&b, &l->r->scenario);
    }
    return rc;
}

static const char *encode(struct real *r, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    percent_add(&b, text, strlen(text));
    return buf_keep(&b, &r->scenario);
}

static const char *text_of(const struct json *v, const char *member)
{
    const char *text = json_get_str(v, member);
    return text ? text : "";
}

/* ---- whose account ---- */

static int look_for_marker(struct listing *l, const struct json *item, struct sosia_err *err)
{
    if (strcmp(text_of(item, "summary"), l->r->marker) == 0 && !json_get_true(item, "primary") &&
        strcmp(text_of(item, "accessRole"), "owner") == 0)
        l->found = true;
    return 0;
}

int real_calendar_identify(struct real *r, struct real_account *account, struct sosia_err *err)
{
    const struct json *primary;
    struct listing l = {.r = r, .token = account->token, .fn = look_for_marker};
    int rc = ask(r, account->token, "GET", "/calendars/primary", NULL, false, &primary, err);
    if (rc == 0)
        rc = each_item(&l, "/users/me/calendarList?minAccessRole=owner&maxResults=250", err);
    if (rc)
        return rc;
    const char *email = json_get_str(primary, "id");
    if (!email)
        return sosia_fail(err, SOSIA_E_INVALID, "real", NULL, "%s is not a Google Calendar",
                          r->url),
               TARGET_STOP;
    if (!l.found)
        return sosia_fail(err, SOSIA_E_FORBIDDEN, "notATestAccount", NULL,
                          "%.80s is not marked as an account for tests: it has no calendar of its "
                          "own named \"%.60s\", and would be emptied",
                          email, r->marker),
               TARGET_STOP;
    account->email = arena_strdup(&r->arena, email);
    return 0;
}

/* ---- emptying ---- */

static int delete_calendar(struct listing *l, const struct json *item, struct sosia_err *err)
{
    if (json_get_true(item, "primary") || strcmp(text_of(item, "summary"), l->r->marker) == 0 ||
        strcmp(text_of(item, "accessRole"), "owner") != 0)
        return 0;
    const char *target =
        arena_printf(&l->r->scenario, "/calendars/%s", encode(l->r, text_of(item, "id")));
    return ask(l->r, l->token, "DELETE", target, NULL, true, NULL, err);
}

/* Rules for single people and groups; those of the public and of a domain are the account's. */
static int delete_rule(struct listing *l, const struct json *item, struct sosia_err *err)
{
    const struct json *scope = json_get(item, "scope");
    const char *type = text_of(scope, "type");
    if ((strcmp(type, "user") != 0 && strcmp(type, "group") != 0) ||
        strcmp(text_of(item, "role"), "owner") == 0)
        return 0;
    const char *target = arena_printf(&l->r->scenario, "/calendars/primary/acl/%s",
                                      encode(l->r, text_of(item, "id")));
    return ask(l->r, l->token, "DELETE", target, NULL, true, NULL, err);
}

int real_calendar_clean(struct real *r, const struct real_account *account, struct sosia_err *err)
{
    struct listing calendars = {.r = r, .token = account->token, .fn = delete_calendar};
    struct listing rules = {.r = r, .token = account->token, .fn = delete_rule};
    int rc = ask(r, account->token, "POST", "/calendars/primary/clear", NULL, false, NULL, err);
    if (rc == 0)
        rc =
            each_item(&calendars, "/users/me/calendarList?minAccessRole=owner&maxResults=250", err);
    return rc ? rc : each_item(&rules, "/calendars/primary/acl?maxResults=250", err);
}

/* ---- making ---- */

static void write_fields(struct json_writer *w, const struct json *from, const char *const *fields)
{
    for (; *fields; fields++) {
        const struct json *v = json_get(from, *fields);
        if (v)
            json_value(w, *fields, v);
    }
}

static void begin_body(struct json_writer *w, struct buf *b)
{
    buf_init(b, 0);
    json_init(w, b, false, NULL);
    json_obj(w, NULL);
}

/* A changed or cancelled instance of a series that is there already. */
static int make_exception(struct listing *l, const struct json *event, struct sosia_err *err)
{
    struct buf body;
    struct json_writer w;
    size_t len;
    const char *id = text_of(event, "id");
    const char *there = rewrite_out(&l->r->rewrite, id, strlen(id), &len);
    const char *target = arena_printf(&l->r->scenario, "/calendars/%s/events/%s?sendUpdates=none",
                                      l->calendar_there, encode(l->r, there));
    if (strcmp(text_of(event, "status"), "cancelled") == 0)
        return ask(l->r, l->token, "DELETE", target, NULL, true, NULL, err);
    begin_body(&w, &body);
    write_fields(&w, event, event_fields);
    json_end(&w);
    return ask_body(l->r, l->token, "PATCH", target, &body, NULL, err);
}

static int make_event(struct listing *l, const struct json *event, struct sosia_err *err)
{
    struct buf body;
    struct json_writer w;
    const struct json *made;
    const char *id = text_of(event, "id"), *uid = text_of(event, "iCalUID");
    /* A cancelled instance has only its id and its place in the series. */
    if (json_get(event, "recurringEventId") && !json_get(event, "organizer"))
        return make_exception(l, event, err);
    /* Copies of guests come with the invitation. */
    if (!json_get_true(json_get(event, "organizer"), "self"))
        return 0;
    if (json_get(event, "recurringEventId"))
        return make_exception(l, event, err);
    begin_body(&w, &body);
    write_fields(&w, event, event_fields);
    if (strncmp(uid, id, strlen(id)) != 0)
        json_str(&w, "iCalUID", uid);
    json_end(&w);
    const char *target =
        arena_printf(&l->r->scenario, "/calendars/%s/events?sendUpdates=none", l->calendar_there);
    int rc = ask_body(l->r, l->token, "POST", target, &body, &made, err);
    if (rc == 0)
        rewrite_add(&l->r->rewrite, id, text_of(made, "id"));
    return rc;
}

/* Masters come before their instances in a list only by chance. */
static int make_masters(struct listing *l, const struct json *event, struct sosia_err *err)
{
    return json_get(event, "recurringEventId") ? 0 : make_event(l, event, err);
}

static int make_instances(struct listing *l, const struct json *event, struct sosia_err *err)
{
    return json_get(event, "recurringEventId") ? make_event(l, event, err) : 0;
}

static int make_rule(struct listing *l, const struct json *rule, struct sosia_err *err)
{
    static const char *const fields[] = {"role", "scope", NULL};
    struct buf body;
    struct json_writer w;
    if (strcmp(text_of(rule, "role"), "owner") == 0 || strcmp(text_of(rule, "role"), "none") == 0)
        return 0;
    begin_body(&w, &body);
    write_fields(&w, rule, fields);
    json_end(&w);
    const char *target = arena_printf(&l->r->scenario, "/calendars/%s/acl?sendNotifications=false",
                                      l->calendar_there);
    return ask_body(l->r, l->token, "POST", target, &body, NULL, err);
}

/* Makes a calendar, or gives the primary one its name and zone; its rules and events follow. */
static int make_calendar(struct listing *l, const struct json *item, struct sosia_err *err)
{
    static const char *const fields[] = {"summary", "description", "location", "timeZone", NULL};
    struct real *r = l->r;
    struct buf body;
    struct json_writer w;
    const struct json *made = NULL, *calendar;
    bool primary = json_get_true(item, "primary");
    struct listing inner = *l;
    const char *id = text_of(item, "id");
    int rc = ask_model(r, l->actor, arena_printf(&r->scenario, "/calendars/%s", encode(r, id)),
                       &calendar, err);
    if (rc)
        return rc;
    begin_body(&w, &body);
    write_fields(&w, calendar, fields);
    json_end(&w);
    rc = ask_body(r, l->token, primary ? "PATCH" : "POST",
                  primary ? "/calendars/primary" : "/calendars", &body, &made, err);
    if (rc)
        return rc;
    rewrite_add(&r->rewrite, id, text_of(made, "id"));
    inner.calendar = encode(r, id);
    inner.calendar_there = encode(r, text_of(made, "id"));
    inner.fn = make_rule;
    rc = each_item(&inner,
                   arena_printf(&r->scenario, "/calendars/%s/acl?maxResults=250", inner.calendar),
                   err);
    const char *events =
        arena_printf(&r->scenario, "/calendars/%s/events?maxResults=2500", inner.calendar);
    inner.fn = make_masters;
    if (rc == 0)
        rc = each_item(&inner, events, err);
    inner.fn = make_instances;
    return rc ? rc : each_item(&inner, events, err);
}

/* What a guest has answered by the time the scenario starts. */
static int make_answer(struct listing *l, const struct json *event, struct sosia_err *err)
{
    const struct json *attendees = json_get(event, "attendees");
    struct buf body;
    struct json_writer w;
    size_t len;
    if (json_get_true(json_get(event, "organizer"), "self"))
        return 0;
    for (uint32_t i = 0; attendees && attendees->type == JSON_ARRAY && i < attendees->n; i++) {
        const struct json *a = &attendees->items[i];
        const char *id = text_of(event, "id");
        if (!json_get_true(a, "self") || strcmp(text_of(a, "responseStatus"), "needsAction") == 0)
            continue;
        begin_body(&w, &body);
        json_bool(&w, "attendeesOmitted", true);
        json_arr(&w, "attendees");
        json_obj(&w, NULL);
        json_str(&w, "email", text_of(a, "email"));
        json_str(&w, "responseStatus", text_of(a, "responseStatus"));
        json_end(&w);
        json_end(&w);
        json_end(&w);
        const char *there = rewrite_out(&l->r->rewrite, id, strlen(id), &len);
        const char *target = arena_printf(
            &l->r->scenario, "/calendars/primary/events/%s?sendUpdates=none", encode(l->r, there));
        return ask_body(l->r, l->token, "PATCH", target, &body, NULL, err);
    }
    return 0;
}

static const char *token_of(struct real *r, const struct cassette_actor *actor)
{
    return r->base.ops->token(&r->base, actor);
}

int real_calendar_start(struct real *r, struct sosia_err *err)
{
    int rc = 0;
    for (int round = 0; round < 2 && rc == 0; round++) {
        for (size_t i = 0; i < r->cassette->n_actors && rc == 0; i++) {
            const struct cassette_actor *actor = &r->cassette->actors[i];
            bool again = false;
            for (size_t k = 0; k < i; k++)
                again |= strcmp(r->cassette->actors[k].email, actor->email) == 0;
            struct listing l = {.r = r,
                                .actor = actor,
                                .token = token_of(r, actor),
                                .fn = round ? make_answer : make_calendar};
            if (again)
                continue;
            rc = each_item(&l,
                           round ? "/calendars/primary/events?maxResults=2500"
                                 : "/users/me/calendarList?minAccessRole=owner&maxResults=250",
                           err);
        }
    }
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What methods of calendars share: opening them, failures, etags, sync tokens. */
#include "services/calendar/google/gcal.h"
#include "engine/base/codec.h"
#include "identity/account.h"
#include "identity/app.h"
#include "services/calendar/google/scopes.h"
#include <stdio.h>
#include <xxhash.h>

const char *const gcal_responses[] = {NULL,        "needsAction", "declined",
                                      "tentative", "accepted",    NULL};
const char *const gcal_send_updates[] = {"all", "externalOnly", "none", NULL};
const char *const gcal_statuses[] = {"confirmed", "tentative", "cancelled", NULL};
const char *const gcal_visibilities[] = {"default", "public", "private", "confidential", NULL};
const char *const gcal_kinds[] = {"default",  "outOfOffice", "focusTime", "workingLocation",
                                  "birthday", "fromGmail",   NULL};

/* Other vendors' personal events are as others here (concluded). */
const char *gcal_visibility(const struct cal_event *ev)
{
    return ev->visibility == VISIBLE_DEFAULT || ev->visibility == VISIBLE_PERSONAL
               ? NULL
               : gcal_visibilities[ev->visibility];
}

const char *gcal_role(enum cal_role role)
{
    static const char *const names[] = {"none", "freeBusyReader", "reader", "writer", "owner"};
    return names[role];
}

int gcal_user(struct call *c)
{
    struct account account;
    if (!c->actor.id) { /* with an API key alone: no actor, who sees what is public */
        c->actor.email = c->actor.kind = c->actor.name = "";
        return 0;
    }
    int r = account_at(&c->tx, c->actor.id, google_vendor.name, ACCOUNT_CALENDAR, &account);
    if (r)
        return r < 0 ? -1 : 0;
    return call_fail(c, SOSIA_E_FORBIDDEN, "notACalendarUser", NULL,
                     "The user must be signed up for Google Calendar.");
}

int gcal_mute(struct call *c, const char *member, const struct json *v, const char *expected)
{
    call_why(c, "%s must be %s, not %s", member ? member : "the body", expected, call_quote(c, v));
    return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL, "Bad Request");
}

int gcal_refused(struct call *c)
{
    static const char *const core_names[] = CAL_ROLE_NAMES;
    static const struct {
        const char *reason, *where, *text;
    } words[CAL_REASONS] = {
        [CAL_NO_CALENDAR] = {"notFound", NULL, "Not Found"},
        [CAL_KEY_USED] = {"duplicate", NULL, "The requested identifier already exists."},
        [CAL_NOT_ORGANIZER] = {"forbiddenForNonOrganizer", NULL,
                               "Shared properties can only be changed by the organizer of the "
                               "event."},
        [CAL_MOVED_INSTANCE] = {"cannotChangeOrganizerOfInstance", NULL,
                                "Cannot change the organizer of an instance."},
        [CAL_BAD_RECURRENCE] = {"invalid", "recurrence", "Invalid recurrence rule."},
        [CAL_NO_SUCH_TIME] = {"invalid", "end", "Events lie between the years 1 and 9999."},
        [CAL_DELETED] = {"deleted", NULL, "Resource has been deleted"},
        [CAL_BAD_POSITION] = {"invalid", "pageToken", "the position is not one of this list"},
    };
    const struct sosia_err *e = c->tx.err;
    enum cal_reason reason = cal_reason_of(e);
    if (!reason) /* what its tables refuse */
        reason = e->code == SOSIA_E_NOT_FOUND  ? CAL_NO_CALENDAR
                 : e->code == SOSIA_E_CONFLICT ? CAL_KEY_USED
                 : e->code == SOSIA_E_GONE     ? CAL_DELETED
                                               : CAL_NO_REASON;
    if (reason == CAL_LESSER_ROLE) {
        int role = CAL_OWN;
        while (role > 0 && strcmp(core_names[role], e->where) != 0)
            role--;
        return call_fail(c, e->code, "requiredAccessLevel", NULL,
                         "You need to have %s access to this calendar.",
                         gcal_role((enum cal_role)role));
    }
    return words[reason].reason ? call_fail(c, e->code, words[reason].reason, words[reason].where,
                                            "%s", words[reason].text)
                                : -1;
}

/* Ids are addresses, whose case does not matter. */
static const char *lower(struct arena *a, const char *key)
{
    char *out = arena_strdup(a, key);
    for (char *p = out; *p && !arena_failed(a); p++)
        if (*p >= 'A' && *p <= 'Z')
            *p = (char)(*p + 32);
    return out;
}

/* ---- what a token may see ---- */

int64_t gcal_app(const struct call *c)
{
    return c->app ? c->app : APP_NONE;
}

/* Whether somebody who is nobody in particular may read it: 1, 0, -1. */
static int is_public(struct call *c, const struct calendar *cal)
{
    struct cal_access rule;
    int r = cal_access_find(&c->tx, cal, ACCESS_ALL, "", &rule);
    return r < 0 ? -1 : r && rule.role >= CAL_READ;
}

/* Scopes that hold for some calendars only: whether one that the method accepts holds for this one.
 * What others open is nothing to it. */
static int check_scopes(struct call *c, struct calendar *cal)
{
    static const char any[] =
        CALENDAR " " READONLY " " EVENTS " " EVENTS_READONLY " " CALENDARS " " CALENDARS_READONLY
                 " " CALENDARLIST " " CALENDARLIST_READONLY " " FREEBUSY;
    static const char owned[] = EVENTS_OWNED " " EVENTS_OWNED_READONLY " " ACLS " " ACLS_READONLY;
    if (!c->actor.id || call_uses_scope(c, any))
        return 0;
    if (cal->role == CAL_OWN && call_uses_scope(c, owned))
        return 0;
    if (!cal->main && cal->app == gcal_app(c) && call_uses_scope(c, APP_CREATED))
        return 0;
    int r = call_uses_scope(c, EVENTS_PUBLIC_READONLY) ? is_public(c, cal) : 0;
    if (r)
        return r < 0 ? -1 : 0;
    if (call_uses_scope(c, EVENTS_FREEBUSY)) {
        cal->role = CAL_FREEBUSY;
        return 0;
    }
    return call_fail(c, SOSIA_E_FORBIDDEN, "scope", "Authorization", "the token lacks the scope");
}

int gcal_open_key(struct call *c, const char *key, enum cal_role need, struct calendar *ret)
{
    if (gcal_user(c) < 0)
        return -1;
    if (strcmp(key, "primary") == 0)
        key = c->actor.email; /* an actor without an address has none */
    else if (strpbrk(key, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        key = lower(c->tx.arena, key);
    if (calendar_open(&c->tx, &c->actor, key, need, ret) < 0)
        return gcal_refused(c);
    if (ret->vendor != &gcal_vendor) { /* of an account with another vendor */
        cal_fail(&c->tx, CAL_NO_CALENDAR, "there is no such calendar");
        return gcal_refused(c);
    }
    return check_scopes(c, ret);
}

int gcal_open(struct call *c, enum cal_role need, struct calendar *ret)
{
    return gcal_open_key(c, param_str(c, "calendarId"), need, ret);
}

size_t gcal_limit(const struct call *c, size_t otherwise, size_t max)
{
    int64_t n = param_num(c, "maxResults", (int64_t)otherwise);
    return (size_t)n > max ? max : (size_t)n;
}

enum cal_event_mail gcal_mail(const struct call *c)
{
    const char *mode = param_str(c, "sendUpdates");
    if (mode)
        return strcmp(mode, "all") == 0            ? MAIL_ALL
               : strcmp(mode, "externalOnly") == 0 ? MAIL_OUTSIDE
                                                   : MAIL_NONE;
    return param_bool(c, "sendNotifications") ? MAIL_ALL : MAIL_NONE;
}

/* ---- whom a call reaches ---- */

struct reach {
    const struct cal_event *events;
    int n;
};

int gcal_reaches(struct call *c, const struct cal_event *before, const struct cal_event *after)
{
    struct reach *r = arena_alloc(c->tx.arena, sizeof *r);
    struct cal_event *events = arena_calloc(c->tx.arena, 2, sizeof *events);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    *r = (struct reach){.events = events};
    if (before)
        events[r->n++] = *before;
    events[r->n++] = *after;
    c->reach = r;
    return 0;
}

/* A calendar has an address too. */
static int is_outside(struct call *c, const char *email)
{
    struct calendar cal;
    int r = identity_is_outside(&c->tx, email);
    if (r == 1 && (r = calendar_by_key(&c->tx, email, &cal)) >= 0)
        r = !r;
    return r;
}

static int event_is_outside(struct call *c, const struct cal_event *ev)
{
    int r = ev->organizer ? is_outside(c, ev->organizer) : 0;
    for (int i = 0; r == 0 && ev->attendees && i < ev->n_attendees; i++)
        r = is_outside(c, ev->attendees[i].email);
    return r;
}

int gcal_event_risk(struct call *c, enum risk *ret)
{
    const struct reach *reach = c->reach;
    int r = 0;
    for (int i = 0; reach && r == 0 && i < reach->n; i++)
        r = event_is_outside(c, &reach->events[i]);
    if (r == 1)
        *ret = RISK_EXTERNAL;
    return r < 0 ? -1 : 0;
}

/* ---- etags ---- */

const char *gcal_etag_number(struct arena *a, int64_t v)
{
    char text[24], *p = text + sizeof text;
    uint64_t n = v < 0 ? 0 : (uint64_t)v;
    *--p = 0;
    *--p = '"';
    do
        *--p = (char)('0' + n % 10);
    while (n /= 10);
    *--p = '"';
    return arena_memdup(a, p, (size_t)(text + sizeof text - 1 - p));
}

const char *gcal_etag_padded(struct arena *a, int64_t v)
{
    return arena_printf(a, "\"%020lld\"", (long long)v);
}

/* 20 bytes of hash. */
static void hash20(const char *kind, int64_t id, int64_t v, uint8_t ret[20])
{
    int64_t what[2] = {id, v};
    uint64_t seed = XXH3_64bits(kind, strlen(kind));
    XXH128_hash_t h = XXH3_128bits_withSeed(what, sizeof what, seed);
    uint64_t more = XXH3_64bits_withSeed(&h, sizeof h, seed);
    memcpy(ret, &h, 16);
    memcpy(ret + 16, &more, 4);
}

const char *gcal_etag_hash(struct arena *a, const char *kind, int64_t id, int64_t v)
{
    uint8_t hash[20];
    struct buf b;
    buf_init(&b, 64);
    hash20(kind, id, v, hash);
    buf_byte(&b, '"');
    base64url_add(&b, hash, sizeof hash, false);
    buf_byte(&b, '"');
    return buf_keep(&b, a);
}

const char *gcal_etag_list(struct arena *a, const char *kind, int64_t id, int64_t v)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuv";
    uint8_t hash[20];
    char text[20] = "\"p3";
    hash20(kind, id, v, hash);
    for (int i = 0; i < 11; i++)
        text[3 + i] = digits[hash[i] & 31];
    memcpy(text + 14, "60o\"", 5);
    return arena_strdup(a, text);
}

/* ---- sync tokens ---- */

#define SYNC_LIFE (30 * US_PER_DAY) /* how long the service keeps what was deleted */

const char *gcal_sync_token(struct call *c, const char *what, int64_t change, int role)
{
    const char *text =
        arena_printf(c->tx.arena, "%lld %d %lld", (long long)change, role, (long long)c->tx.now_us);
    return google_seal(c->tx.arena, arena_printf(c->tx.arena, "sync %s", what), text);
}

static int too_old(struct call *c)
{
    return call_fail(c, SOSIA_E_GONE, "fullSyncRequired", "syncToken",
                     "Sync token is no longer valid, a full sync is required.");
}

/* A list has words of its own for it, a watch the usual ones. */
static int unreadable(struct call *c)
{
    bool watch = c->route->response && strcmp(c->route->response, "Channel") == 0;
    return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, "%s",
                     watch ? "Invalid Value" : GCAL_SYNC_UNREADABLE);
}

int gcal_sync_from(struct call *c, const char *what, int role, int64_t *ret_change)
{
    const char *token = param_str(c, "syncToken"), *text;
    long long change, at;
    int was;
    char more;
    if (!token)
        return 0;
    int r = google_unseal(c->tx.arena, arena_printf(c->tx.arena, "sync %s", what), token, &text);
    if (r < 0)
        return -1;
    if (!r || sscanf(text, "%lld %d %lld%c", &change, &was, &at, &more) != 3 || change < 0)
        return unreadable(c);
    if (was != role || c->tx.now_us - at > SYNC_LIFE)
        return too_old(c);
    *ret_change = change;
    return 1;
}

const char *gcal_since_token(struct call *c, int64_t newest_us)
{
    int64_t us = c->tx.now_us > newest_us ? c->tx.now_us : newest_us + 1;
    return arena_printf(c->tx.arena, "%020lld", (long long)us);
}

int gcal_since(struct call *c, int64_t *ret_us)
{
    const char *token = param_str(c, "syncToken");
    if (!token)
        return 0;
    if (strlen(token) != 20 || parse_i64(token, 20, ret_us) < 0 || *ret_us < 0)
        return call_fail(c, SOSIA_E_INVALID, "invalid", NULL, GCAL_SYNC_UNREADABLE);
    return c->tx.now_us - *ret_us > SYNC_LIFE ? too_old(c) : 1;
}

int gcal_sync_alone(struct call *c, const char *const *forbidden)
{
    for (; *forbidden; forbidden++)
        if (param_given(c, *forbidden))
            return call_fail(c, SOSIA_E_INVALID, "badRequest", NULL, "%s",
                             strcmp(*forbidden, "orderBy") == 0
                                 ? "Sync token cannot be used with non-default ordering"
                                 : GCAL_SYNC_RESTRICTED);
    return 0;
}

void gcal_write_conference_properties(struct json_writer *w)
{
    json_obj(w, "conferenceProperties");
    json_arr(w, "allowedConferenceSolutionTypes");
    json_str(w, NULL, "hangoutsMeet");
    json_end(w);
    json_end(w);
}

bool gcal_accepts(const struct json *extra)
{
    return json_get_true(extra, "autoAcceptInvitations");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Statements about single events: what is listed can be got, what is deleted can't, what was
 * written is there, and an etag changes with the event. */
#include "conformance/properties/properties.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"
#include <stdio.h>

static bool is_read_of_one(const char *verb, const char *path)
{
    const char *event = strstr(path, "/events/");
    return strcmp(verb, "GET") == 0 && event && !strchr(event, '?');
}

/* ---- a listed thing can be got ---- */

static bool got_alike(struct run *r, enum person who, enum shelf shelf, const struct json *item)
{
    static const char *const parts[] = {"etag", "status", "id"};
    struct arena *a = &r->arena;
    const char *id = item_id(item), *expect = json_to_text(a, item);
    const char *path = arena_printf(a, "/calendars/%s/events/%s", shelf_ids[shelf], id);
    const struct reply *reply = ask(r, who, "GET", path, NULL);
    bool alike = reply->status == 200;
    if (is_cancelled(item)) { /* lists have less of them */
        for (size_t i = 0; i < SOSIA_LEN(parts) && alike; i++)
            alike = same_json(json_get(item, parts[i]), json_get(reply->body, parts[i]), NULL);
        expect = arena_printf(a, "{\"id\":\"%s\",\"status\":\"cancelled\",\"...\":\"${any}\"}", id);
    } else {
        alike = alike && same_json(item, reply->body, NULL);
    }
    if (alike)
        return true;
    fails(r, &property_listed, "%s is listed, but a get of it gives %d and something else", id,
          reply->status);
    shows(r, r->n_made, who, path, 200, expect);
    return false;
}

static bool check_listed(struct run *r)
{
    static const char *const queries[] = {
        "showDeleted=true",
        "singleEvents=true&timeMin=" RANGE_MIN "&timeMax=" RANGE_MAX,
    };
    const struct json *items;
    for (int who = 0; who < N_PEOPLE; who++)
        for (int shelf = 0; shelf < N_SHELVES; shelf++)
            for (size_t q = 0; q < SOSIA_LEN(queries); q++) {
                const char *path = arena_printf(&r->arena, "/calendars/%s/events?%s",
                                                shelf_ids[shelf], queries[q]);
                if (ask_list(r, (enum person)who, path, 2500, &items, NULL) != 200)
                    continue;
                for (uint32_t i = 0; i < items->n && i < 60; i++)
                    if (!got_alike(r, (enum person)who, (enum shelf)shelf, &items->items[i]))
                        return false;
            }
    return true;
}

static bool after_listed(struct run *r, const struct made *made)
{
    return r->n_made % 10 || check_listed(r);
}

static void spoil_listed(struct run *r, enum person who, const char *verb, const char *path,
                         struct reply *reply)
{
    if (is_read_of_one(verb, path) && r->spoil_count++ % 5 == 4)
        *reply = (struct reply){.status = 404};
}

const struct property property_listed = {
    .name = "listed-is-got",
    .says = "what a list has, a get gives alike",
    .after = after_listed,
    .end = check_listed,
    .spoil = spoil_listed,
};

/* ---- a deleted thing is gone ---- */

static bool is_gone(int status)
{
    return status == 404 || status == 410;
}

static bool not_listed(struct run *r, const struct made *m)
{
    const struct json *items;
    const char *path = arena_printf(&r->arena,
                                    "/calendars/%s/events?singleEvents=true&timeMin=" RANGE_MIN
                                    "&timeMax=" RANGE_MAX,
                                    shelf_ids[m->shelf]);
    if (ask_list(r, m->who, path, 2500, &items, NULL) != 200)
        return true;
    for (uint32_t i = 0; i < items->n; i++) {
        const char *series = json_get_str(&items->items[i], "recurringEventId");
        if (strcmp(item_id(&items->items[i]), m->event) != 0 &&
            (!series || strcmp(series, m->event) != 0))
            continue;
        fails(r, &property_deleted, "%s was deleted and %s is still listed", m->event,
              item_id(&items->items[i]));
        shows(r, r->n_made, m->who,
              arena_printf(&r->arena, "/calendars/%s/events/%s", shelf_ids[m->shelf],
                           item_id(&items->items[i])),
              200, "{\"status\":\"cancelled\",\"...\":\"${any}\"}");
        return false;
    }
    return true;
}

static bool after_deleted(struct run *r, const struct made *m)
{
    if (!m->verb || strcmp(m->verb, "DELETE") != 0 || m->status != 204 || !m->event)
        return true;
    const struct reply *reply = ask(r, m->who, "GET", m->path, NULL);
    if (!is_gone(reply->status) && !(reply->status == 200 && is_cancelled(reply->body))) {
        fails(r, &property_deleted, "%s was deleted, and a get of it gives %d", m->event,
              reply->status);
        shows(r, r->n_made, m->who, m->path, 200, "{\"status\":\"cancelled\",\"...\":\"${any}\"}");
        return false;
    }
    reply = ask(r, m->who, "DELETE", m->path, NULL);
    if (!is_gone(reply->status)) {
        fails(r, &property_deleted, "%s was deleted, and deleting it again gives %d", m->event,
              reply->status);
        shows(r, r->n_made, m->who, m->path, 410, "\"${any}\"");
        r->failure.demos[r->failure.n_demos - 1].verb = "DELETE";
        return false;
    }
    return not_listed(r, m);
}

static void spoil_deleted(struct run *r, enum person who, const char *verb, const char *path,
                          struct reply *reply)
{
    if (is_read_of_one(verb, path) && is_cancelled(reply->body))
        reply->body = with_text(&r->arena, reply->body, "status", "confirmed");
}

const struct property property_deleted = {
    .name = "deleted-is-gone",
    .says = "what was deleted is gone, cancelled or not found, and in no list",
    .after = after_deleted,
    .spoil = spoil_deleted,
};

/* ---- what was written is there ---- */

/* The instant of a start or end that was sent. */
static int64_t sent_instant(const struct json *v)
{
    struct stamp at;
    const char *text = json_get_str(v, "dateTime"), *zone = json_get_str(v, "timeZone");
    if (stamp_parse(text, strlen(text), true, &at) < 0)
        return 0;
    if (at.has_offset)
        return at.local_us / US_PER_SECOND - at.offset;
    return tz_to_utc(tz_find(zone), at.local_us / US_PER_SECOND);
}

static bool time_shown(const struct json *sent, const struct json *event, const char *key)
{
    const struct json *v = json_get(sent, key), *got = json_get(event, key);
    const char *date = json_get_str(v, "date"), *zone = json_get_str(v, "timeZone");
    const char *got_date = json_get_str(got, "date"), *got_zone = json_get_str(got, "timeZone");
    if (date)
        return got_date && strcmp(date, got_date) == 0;
    return !got_date && instant_of(event, key, NULL) == sent_instant(v) &&
           (!zone || (got_zone && strcmp(zone, got_zone) == 0));
}

/* Parts of a rule are in the service's own order. */
static bool rule_shown(const char *sent, const char *got)
{
    char part[600];
    if (strlen(sent) != strlen(got))
        return false;
    for (const char *p = sent; *p; p += strcspn(p, ";"), p += *p == ';') {
        size_t n = strcspn(p, ";");
        snprintf(part, sizeof part, "%.*s", (int)n, p);
        if (!strstr(got, strchr(part, ':') ? strchr(part, ':') + 1 : part))
            return false;
    }
    return true;
}

static bool recurrence_shown(const struct json *v, const struct json *got)
{
    if (v->type == JSON_NULL || !v->n)
        return !got;
    if (!got || got->n != v->n)
        return false;
    for (uint32_t i = 0; i < v->n; i++)
        if (!rule_shown(v->items[i].str, got->items[i].str))
            return false;
    return true;
}

static bool guests_shown(const struct json *v, const struct json *got)
{
    if (!v->n)
        return !got;
    if (!got || got->n != v->n)
        return false;
    for (uint32_t i = 0; i < v->n; i++) {
        const char *email = json_get_str(&v->items[i], "email");
        bool found = false;
        for (uint32_t k = 0; k < got->n; k++) {
            const char *other = json_get_str(&got->items[k], "email");
            found |= other && strcmp(email, other) == 0;
        }
        if (!found)
            return false;
    }
    return true;
}

static bool properties_shown(const struct json *v, const struct json *got)
{
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *kind = &v->members[i].value;
        const struct json *there = json_get(got, v->members[i].key);
        for (uint32_t k = 0; k < kind->n; k++) {
            const struct json *value = json_get(there, kind->members[k].key);
            if (kind->members[k].value.type == JSON_NULL
                    ? value != NULL
                    : !same_json(&kind->members[k].value, value, NULL))
                return false;
        }
    }
    return true;
}

/* A default is left out. */
static bool is_default(const char *key, const struct json *v)
{
    static const struct {
        const char *key, *value;
        bool truth;
    } defaults[] = {{"transparency", "opaque", false},
                    {"visibility", "default", false},
                    {"guestsCanModify", NULL, false},
                    {"guestsCanSeeOtherGuests", NULL, true}};
    for (size_t i = 0; i < SOSIA_LEN(defaults); i++)
        if (strcmp(defaults[i].key, key) == 0)
            return defaults[i].value ? v->type == JSON_STRING && !strcmp(v->str, defaults[i].value)
                                     : json_is_true(v) == defaults[i].truth;
    return v->type == JSON_NULL;
}

static bool member_shown(const struct json_member *sent, const struct json *all,
                         const struct json *event)
{
    const char *key = sent->key;
    const struct json *got = json_get(event, key);
    if (strcmp(key, "start") == 0 || strcmp(key, "end") == 0)
        return time_shown(all, event, key);
    if (strcmp(key, "recurrence") == 0)
        return recurrence_shown(&sent->value, got);
    if (strcmp(key, "attendees") == 0)
        return guests_shown(&sent->value, got);
    if (strcmp(key, "extendedProperties") == 0)
        return properties_shown(&sent->value, got);
    return is_default(key, &sent->value) ? !got : same_json(&sent->value, got, NULL);
}

/* Members that belong to a guest's own copy. */
static bool is_own(const char *key)
{
    return strcmp(key, "colorId") == 0 || strcmp(key, "transparency") == 0 ||
           strcmp(key, "reminders") == 0;
}

/* A member that a PUT did not send. */
static const char *left_over(const struct json *sent, const struct json *event)
{
    static const char *const keys[] = {"description",  "location",           "colorId",
                                       "transparency", "visibility",         "attendees",
                                       "recurrence",   "extendedProperties", "guestsCanModify"};
    for (size_t i = 0; i < SOSIA_LEN(keys); i++)
        if (!json_get(sent, keys[i]) && json_get(event, keys[i]))
            return keys[i];
    return NULL;
}

static const char *not_shown(const struct made *m, const struct json *event)
{
    if (is_cancelled(event))
        return NULL; /* a person who is not a guest any more has nothing of it */
    const struct json *self = json_get(json_get(event, "organizer"), "self");
    bool organizer = self && self->truth;
    for (uint32_t i = 0; i < m->sent->n; i++) {
        const struct json_member *sent = &m->sent->members[i];
        if (strcmp(sent->key, "attendeesOmitted") == 0)
            return NULL; /* an answer: only the own entry was sent */
        if ((organizer || is_own(sent->key)) && !member_shown(sent, m->sent, event))
            return sent->key;
    }
    return organizer && strcmp(m->verb, "PUT") == 0 ? left_over(m->sent, event) : NULL;
}

static bool after_patch(struct run *r, const struct made *m)
{
    if (!m->sent || m->status != 200 || !m->event || strcmp(m->verb, "POST") == 0)
        return true;
    const struct reply *reply = ask(r, m->who, "GET", m->path, NULL);
    const char *key = reply->status == 200 ? not_shown(m, reply->body) : "status";
    if (!key && same_json(m->body, reply->body, NULL))
        return true;
    if (key)
        fails(r, &property_patch, "%s %s was answered with 200, but %s is not as it was sent",
              m->verb, m->path, key);
    else
        fails(r, &property_patch, "%s %s was answered with something else than what is there",
              m->verb, m->path);
    shows(r, r->n_made, m->who, m->path, 200,
          json_to_text(&r->arena,
                       with_text(&r->arena, with_text(&r->arena, m->body, "etag", "${etag}"),
                                 "updated", "${time}")));
    return false;
}

static void spoil_patch(struct run *r, enum person who, const char *verb, const char *path,
                        struct reply *reply)
{
    if (is_read_of_one(verb, path))
        reply->body = with_text(&r->arena, reply->body, "summary", "Something else");
}

const struct property property_patch = {
    .name = "patch-then-get",
    .says = "a get shows what a patch or put sent, and what it was answered with",
    .after = after_patch,
    .spoil = spoil_patch,
};

/* ---- an etag changes exactly when its resource does ---- */

enum { ETAG_LISTS = N_SHELVES * 2 + N_PEOPLE };

struct etag_state {
    const struct json *lists[ETAG_LISTS];
};

static const char *etag_list_path(struct run *r, size_t i, enum person *ret_who)
{
    if (i < N_SHELVES) {
        *ret_who = shelf_owner[i];
        return arena_printf(&r->arena, "/calendars/%s/events?showDeleted=true&timeZone=UTC",
                            shelf_ids[i]);
    }
    if (i < 2 * N_SHELVES) {
        *ret_who = shelf_owner[i - N_SHELVES];
        return arena_printf(&r->arena, "/calendars/%s/acl", shelf_ids[i - N_SHELVES]);
    }
    *ret_who = (enum person)(i - 2 * N_SHELVES);
    return "/users/me/calendarList?showHidden=true";
}

static const struct json *etag_list(struct run *r, size_t i)
{
    const struct json *items;
    enum person who;
    const char *path = etag_list_path(r, i, &who);
    return ask_list(r, who, path, i < N_SHELVES ? 2500 : 250, &items, NULL) == 200 ? items : NULL;
}

static bool begin_etag(struct run *r)
{
    struct etag_state *s = property_state(r, &property_etag, sizeof *s);
    for (size_t i = 0; i < ETAG_LISTS; i++)
        s->lists[i] = etag_list(r, i);
    return true;
}

static bool etag_fails(struct run *r, size_t list, const struct json *item, bool changed)
{
    struct arena *a = &r->arena;
    enum person who;
    const char *path = etag_list_path(r, list, &who), *id = item_id(item);
    path = arena_printf(a, "%.*s/%s", (int)strcspn(path, "?"), path, id);
    fails(r, &property_etag,
          changed ? "%s changed and its etag did not"
                  : "the etag of %s changed and nothing else of it did",
          id);
    shows(r, r->n_made - 1, who, path, 200, "{\"etag\":\"${>etag}\",\"...\":\"${any}\"}");
    shows(r, r->n_made, who, path, 200,
          arena_printf(a, "{\"etag\":\"${%setag}\",\"...\":\"${any}\"}", changed ? "!=" : "="));
    return false;
}

/* All of a series have the etag of what changed last, guests may be hidden, and what is
 * cancelled has few members. */
static bool may_change_unseen(const struct json *event)
{
    const struct json *shown = json_get(event, "guestsCanSeeOtherGuests");
    return json_get(event, "recurrence") || json_get(event, "recurringEventId") ||
           is_cancelled(event) || (shown && !shown->truth);
}

static bool compare_etags(struct run *r, size_t list, const struct json *was, const struct json *is)
{
    /* Reminders belong to a person, and the calendar's own members to the calendar. */
    static const char *const own[] = {"etag",        "updated",  "reminders", "summary",
                                      "description", "location", "timeZone",  "dataOwner",
                                      "accessRole",  NULL};
    static const char *const event_own[] = {"etag", "updated", "reminders", NULL};
    static const char *const tag[] = {"etag", "updated", "reminders", NULL};
    const char *const *but = list < 2 * N_SHELVES ? event_own : own;
    for (uint32_t i = 0; i < is->n; i++) {
        const struct json *now = &is->items[i], *then = find_item(was, item_id(now));
        if (!then)
            continue;
        bool same_tag = same_json(json_get(then, "etag"), json_get(now, "etag"), NULL);
        if (same_tag && !same_json(then, now, but))
            return etag_fails(r, list, now, true);
        if (!same_tag && same_json(then, now, tag) && !may_change_unseen(now))
            return etag_fails(r, list, now, false);
    }
    return true;
}

static bool after_etag(struct run *r, const struct made *made)
{
    struct etag_state *s = property_state(r, &property_etag, sizeof *s);
    for (size_t i = 0; i < ETAG_LISTS; i++) {
        const struct json *was = s->lists[i], *is = etag_list(r, i);
        s->lists[i] = is;
        if (was && is && !compare_etags(r, i, was, is))
            return false;
    }
    return true;
}

static void spoil_etag(struct run *r, enum person who, const char *verb, const char *path,
                       struct reply *reply)
{
    struct buf b;
    struct json_writer w;
    const struct json *items = json_get(reply->body, "items");
    if (!items || !strstr(path, "/events?"))
        return;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_arr(&w, "items");
    for (uint32_t i = 0; i < items->n; i++)
        json_value(&w, NULL, with_text(&r->arena, &items->items[i], "etag", "\"1\""));
    json_end(&w);
    json_end(&w);
    json_parse(&r->arena, buf_str(&b), b.len, NULL, &reply->body, NULL);
    buf_done(&b);
}

const struct property property_etag = {
    .name = "etag-changes",
    .says = "an etag changes when what it is of does, and only then",
    .begin = begin_etag,
    .after = after_etag,
    .spoil = spoil_etag,
};

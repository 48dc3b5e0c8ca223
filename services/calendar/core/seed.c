/* SPDX-License-Identifier: Apache-2.0 */
/* The section calendars of seed documents, applied. Events are made in the
 * way in which people make them, so that guests have their copies; what is personal about a copy is
 * applied last. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "identity/app.h"
#include "identity/account.h"
#include "services/calendar/core/seed_impl.h"
#include "services/calendar/core/vendor.h"

/* A failure of the core, with its place in the document. */
static int refuse_again(struct tx *tx, struct doc *d, const struct json *at, const char *member)
{
    if (tx->err->code != SOSIA_E_INVALID && tx->err->code != SOSIA_E_CONFLICT &&
        tx->err->code != SOSIA_E_GONE)
        return -1;
    char text[sizeof tx->err->text];
    memcpy(text, tx->err->text, sizeof text);
    return doc_fail(d, at, member, "%s", text);
}

/* An address of a person of the world. */
static int person(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                  struct actor *ret)
{
    const char *email;
    if (doc_str(d, v, member, true, &email) < 0)
        return -1;
    int r = actor_by_email(tx, email, ret);
    return r == 1 ? 0 : r < 0 ? -1 : doc_refuse(d, v, member, "there is nobody \"%.80s\"", email);
}

/* ---- calendars ---- */

static int seed_access(const struct form_in *in)
{
    const struct calendar *cal = in->of;
    struct tx *tx = in->tx;
    struct cal_access rule = {0}, known;
    form_usual(&cal_access_form, &rule);
    if (form_read(in, &cal_access_form, &rule) < 0)
        return -1;
    int r = cal_access_find(tx, cal, rule.kind, rule.who, &known);
    if (r == 1 && !known.id) /* the owner's, which is nowhere stored */
        return rule.role == CAL_OWN
                   ? 0
                   : doc_fail(in->d, in->value, "role", "the owner has all rights");
    return r < 0 ? -1 : cal_access_set(tx, cal, &rule);
}

/* The account that a document means with "vendor"; without it *ret_id is 0. */
static int named_account(const struct form_in *in, const struct actor *owner, int64_t *ret_id)
{
    const char *vendor;
    struct account account;
    *ret_id = 0;
    if (doc_str(in->d, in->value, "vendor", false, &vendor) < 0)
        return -1;
    if (!vendor)
        return 0;
    int r = account_at(in->tx, owner->id, vendor, ACCOUNT_CALENDAR, &account);
    if (r == 1)
        *ret_id = account.id;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_refuse(in->d, in->value, "vendor", "the owner has no calendars with %.40s",
                                vendor);
}

static int new_calendar(const struct form_in *in, const char *id, struct calendar *ret)
{
    struct actor owner;
    if (person(in->tx, in->d, in->value, "owner", &owner) < 0)
        return -1;
    *ret = (struct calendar){.owner = owner.id, .key = id, .zone = owner.zone};
    if (named_account(in, &owner, &ret->account) < 0)
        return -1;
    ret->summary = json_get_str(in->value, "summary");
    if (!ret->summary)
        return doc_fail(in->d, in->value, "summary", "is missing");
    if (form_read_member(in, &calendar_form, "zone", ret) < 0)
        return -1;
    return calendar_add(in->tx, ret) < 0
               ? refuse_again(in->tx, in->d, json_get(in->value, "id"), "id")
               : 0;
}

/* A group's calendar, which needs no more than the address of a group. */
static int group_calendar(const struct form_in *in, struct calendar *ret)
{
    const char *email, *vendor, *id;
    if (doc_str(in->d, in->value, "group", true, &email) < 0 ||
        doc_str(in->d, in->value, "vendor", true, &vendor) < 0 ||
        doc_str(in->d, in->value, "id", false, &id) < 0)
        return -1;
    char *address = email_normal(in->tx->arena, email);
    if (!address || (id && strcmp(id, address) != 0))
        return doc_expect(in->d, json_get(in->value, "group"), "group",
                          "the address of a group, which is the calendar's id");
    if (strcmp(cal_vendor_named(in->tx, vendor)->name, vendor) != 0)
        return doc_expect(in->d, json_get(in->value, "vendor"), "vendor",
                          "a vendor that has calendars");
    int r = calendar_of_group(in->tx, address, ret);
    if (r)
        return r < 0 ? -1 : 0;
    *ret = (struct calendar){.key = address, .summary = json_get_str(in->value, "summary")};
    if (!ret->summary)
        return doc_fail(in->d, in->value, "summary", "is missing");
    return calendar_add_group(in->tx, vendor, ret) < 0
               ? refuse_again(in->tx, in->d, json_get(in->value, "group"), "group")
               : 0;
}

/* A primary calendar, with the key that the document has unless it is the owner's address. 1, 0
 * there is none, -1. */
static int find_primary(const struct form_in *in, const char *id, struct calendar *ret)
{
    struct actor owner;
    int64_t account;
    if (person(in->tx, in->d, in->value, json_get(in->value, "owner") ? "owner" : "id", &owner) <
            0 ||
        named_account(in, &owner, &account) < 0)
        return -1;
    int r =
        account ? calendar_of_account(in->tx, account, ret) : calendar_of(in->tx, owner.id, ret);
    if (r != 1 || !id || ret->vendor->address_keys || strcmp(ret->key, id) == 0)
        return r;
    return calendar_rekey(in->tx, ret, id) < 0
               ? refuse_again(in->tx, in->d, json_get(in->value, "id"), "id")
               : 1;
}

/* First pass: the calendars themselves. *ret_id: for the next passes. */
static int seed_calendar(struct tx *tx, struct doc *d, const struct json *v, int64_t *ret_id)
{
    struct form_in in = {tx, d, v};
    const char *id;
    struct calendar cal, old;
    bool primary;
    int r = 0;
    if (form_known(&in, &calendar_form) < 0 || doc_str(d, v, "id", false, &id) < 0 ||
        doc_bool(d, v, "primary", false, &primary) < 0)
        return -1;
    if (id && (!*id || strlen(id) > 254))
        return doc_refuse(d, v, "id", "must have 1 to 254 bytes");
    if (json_get(v, "group"))
        r = group_calendar(&in, &cal) < 0 ? -1 : 1;
    else if (primary)
        r = find_primary(&in, id, &cal);
    else if (id)
        r = calendar_by_key(tx, id, &cal);
    if (r < 0 || (r == 0 && new_calendar(&in, id, &cal) < 0))
        return -1;
    for (uint32_t i = 0; calendar_is_made(&cal) && i < v->n; i++)
        if (strcmp(v->members[i].key, "id") != 0 && strcmp(v->members[i].key, "lists") != 0)
            return doc_fail(d, &v->members[i].value, v->members[i].key,
                            "can't be said of a calendar of public holidays");
    old = cal;
    if (form_read(&in, &calendar_form, &cal) < 0 || calendar_save(tx, &old, &cal) < 0)
        return -1;
    *ret_id = cal.id;
    in.of = &cal;
    const struct cal_lists *lists = cal_lists_of(tx);
    if (form_each(&in, "access", seed_access) < 0)
        return -1;
    if (!lists && json_get(v, "lists"))
        return doc_refuse(d, v, "lists", "no vendor here has lists of calendars");
    return lists ? lists->seed(&in) : 0;
}

/* ---- events ---- */

/* Saves what the document has otherwise. A move increases the sequence, but the document has its
 * value. */
static int save_event(const struct form_in *in, const struct calendar *cal, struct cal_event *old,
                      struct cal_event *ev)
{
    int64_t sequence = old->sequence;
    if (cal_event_save(in->tx, &(struct cal_event_by){0}, cal, old, ev) < 0)
        return refuse_again(in->tx, in->d, in->value, NULL);
    if (ev->sequence == sequence || json_get(in->value, "sequence"))
        return 0;
    *old = *ev;
    ev->sequence = sequence;
    return cal_event_save(in->tx, &(struct cal_event_by){0}, cal, old, ev);
}

static int seed_instance(const struct form_in *in)
{
    const struct cal_event_at *at = in->of;
    const struct json *v = in->value;
    struct cal_event old, ev;
    bool day;
    int64_t us;
    const struct tz *tz = at->series->zone ? tz_find(at->series->zone) : at->cal->tz;
    if (form_known(in, &cal_instance_form) < 0 ||
        cal_doc_time(in->d, v, "originalStart", tz, &day, &us) < 0)
        return -1;
    int r = day == at->series->all_day
                ? cal_event_instance(in->tx, at->cal, at->series, day, us, &old)
                : 0;
    if (r != 1)
        return r < 0 ? -1
                     : doc_refuse(in->d, v, "originalStart", "the series has no instance then");
    if (cal_event_load_attendees(in->tx, &old) < 0)
        return -1;
    ev = old;
    if (form_read(in, &cal_instance_form, &ev) < 0)
        return -1;
    if (!json_get(v, "end") && json_get(v, "start"))
        ev.len_us = at->series->len_us;
    return save_event(in, at->cal, &old, &ev);
}

static int seed_event(const struct form_in *of_calendar)
{
    const struct calendar *cal = of_calendar->of;
    const struct json *v = of_calendar->value;
    struct tx *tx = of_calendar->tx;
    struct doc *d = of_calendar->d;
    struct cal_event ev = {.reminder_on = cal->vendor->reminds,
                           .reminder_minutes = cal->vendor->reminder_minutes};
    struct cal_event_at at = {.cal = cal, .series = &ev, .fresh = true};
    struct form_in in = {tx, d, v, &at};
    if (form_read(&in, &cal_event_form, &ev) < 0)
        return -1;
    if (cal_event_add(tx, &(struct cal_event_by){0}, cal, &ev) < 0)
        return refuse_again(
            tx, d, v, ev.recurrence && tx->err->code == SOSIA_E_INVALID ? "recurrence" : "id");
    if (!json_get(v, "instances"))
        return 0;
    if (ev.form != EVENT_SERIES)
        return doc_refuse(d, v, "instances", "only a series has instances");
    at.fresh = false;
    return form_each(&in, "instances", seed_instance);
}

/* What is personal about a guest's copy, or was changed in it. */
static int seed_copy(const struct form_in *of_calendar)
{
    const struct calendar *cal = of_calendar->of;
    const struct json *v = of_calendar->value;
    struct tx *tx = of_calendar->tx;
    struct doc *d = of_calendar->d;
    struct cal_event_at at = {.cal = cal};
    struct form_in in = {tx, d, v, &at};
    struct cal_event old, ev;
    const char *id;
    bool removed;
    if (form_known(&in, &cal_copy_form) < 0 || doc_str(d, v, "id", true, &id) < 0 ||
        doc_bool(d, v, "removed", false, &removed) < 0)
        return -1;
    int r = cal_event_find(tx, cal, id, &old);
    if (r < 0)
        return -1;
    if (r == 0 || !old.origin)
        return doc_refuse(d, v, "id", "there is no copy of an invitation with this id");
    if (removed)
        return cal_event_cancel(tx, &(struct cal_event_by){0}, cal, &old) < 0
                   ? refuse_again(tx, d, v, "removed")
                   : 0;
    if (json_get(v, "attendees") || json_get(v, "rights"))
        return doc_fail(d, v, NULL, "guests and rights are the organizer's");
    if (cal_event_load_attendees(tx, &old) < 0)
        return -1;
    ev = old;
    return form_read(&in, &cal_copy_form, &ev) < 0 ? -1 : save_event(&in, cal, &old, &ev);
}

/* Two primary calendars can't have one id, which the first of them has lost to the second. */
static int check_key(struct doc *d, const struct json *v, const struct calendar *cal)
{
    const char *id = json_get_str(v, "id");
    return !id || cal->vendor->address_keys || calendar_is_made(cal) || strcmp(id, cal->key) == 0
               ? 0
               : doc_fail_twice(d, json_get(v, "id"), "id");
}

int calendars_seed(struct tx *tx, struct doc *d, const struct json *value)
{
    if (!value || value->type == JSON_NULL)
        return 0;
    if (value->type != JSON_ARRAY)
        return doc_fail(d, value, NULL, "must be a list");
    int64_t *ids = arena_calloc(tx->arena, value->n ? value->n : 1, sizeof *ids);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < value->n; i++) {
            struct calendar cal;
            const struct json *v = &value->items[i];
            struct form_in in = {tx, d, v, &cal};
            doc_pop(d, 0);
            doc_push(d, "calendars", i);
            int rc =
                pass == 0 ? seed_calendar(tx, d, v, &ids[i]) : calendar_by_id(tx, ids[i], &cal);
            if (rc >= 0 && pass == 1 && (rc = check_key(d, v, &cal)) == 0)
                rc = form_each(&in, "events", seed_event);
            if (rc >= 0 && pass == 2)
                rc = form_each(&in, "copies", seed_copy);
            if (rc < 0)
                return -1;
        }
    }
    return 0;
}

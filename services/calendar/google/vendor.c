/* SPDX-License-Identifier: Apache-2.0 */
/* What Google decides about calendars: the forms of its UIDs and keys, what of its members the core
 * reads, what guests may change. */
#include "engine/base/codec.h"
#include "services/calendar/core/vendor.h"
#include "services/calendar/google/gcal.h"
#include "services/calendar/google/holiday.h"

static const char domain[] = "@google.com";

/* Made for every new event: no formatter. */
const char *gcal_uid(struct tx *tx, const char *key)
{
    size_t n = strlen(key);
    char *uid = arena_alloc(tx->arena, n + sizeof domain);
    if (arena_failed(tx->arena))
        return "";
    memcpy(uid, key, n);
    memcpy(uid + n, domain, sizeof domain);
    return uid;
}

const char *gcal_own_uid_key(struct tx *tx, const char *uid)
{
    const size_t n = strspn(uid, "0123456789abcdefghijklmnopqrstuv");
    return n >= GCAL_MIN_KEY && n <= GCAL_MAX_KEY && strcmp(uid + n, domain) == 0
               ? arena_memdup(tx->arena, uid, n)
               : NULL;
}

/* The service's own events are known by their key in all calendars, so that a copy which comes
 * later finds its place taken. */
static const char *uid_key(struct tx *tx, const char *uid)
{
    const char *key = gcal_own_uid_key(tx, uid);
    return key ? key : cal_event_uid_key(tx, uid);
}

/* ---- members that the core reads ---- */

static void read_decline(struct cal_event *ev, const struct json *extra)
{
    static const char *const members[] = {"outOfOfficeProperties", "focusTimeProperties"};
    for (size_t i = 0; i < SOSIA_LEN(members); i++) {
        const struct json *props = json_get(extra, members[i]);
        const char *mode = json_get_str(props, "autoDeclineMode");
        if (!mode || strcmp(mode, "declineNone") == 0)
            continue;
        ev->decline =
            strcmp(mode, "declineAllConflictingInvitations") == 0 ? DECLINE_ALL : DECLINE_NEW;
        ev->decline_text = json_get_str(props, "declineMessage");
    }
}

static void add_name(struct buf *b, const char *name)
{
    if (name)
        buf_printf(b, "%s%s", b->len ? "\n" : "", name);
}

static void read_place(struct tx *tx, struct cal_event *ev, const struct json *extra)
{
    static const char *const labels[] = {"buildingId", "deskId", "label"};
    const struct json *place = json_get(extra, "workingLocationProperties");
    const char *type = json_get_str(place, "type");
    struct buf b;
    if (!place)
        return;
    buf_init(&b, 0);
    if (type && strcmp(type, "homeOffice") == 0)
        add_name(&b, "Home");
    else if (type && strcmp(type, "officeLocation") == 0)
        add_name(&b, "Office");
    for (size_t i = 0; i < SOSIA_LEN(labels); i++)
        add_name(&b, json_get_str(json_get(place, "officeLocation"), labels[i]));
    add_name(&b, json_get_str(json_get(place, "customLocation"), "label"));
    if (b.len)
        ev->place = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
}

/* Documents of former releases have the organizer's name among the members. */
static void read_organizer_name(struct tx *tx, struct cal_event *ev, const struct json *extra)
{
    static const char member[] = "organizerName";
    const char *name = json_get_str(extra, member);
    struct json_writer w;
    struct buf b;
    if (!name)
        return;
    ev->organizer_name = name;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; i < extra->n; i++)
        if (strcmp(extra->members[i].key, member) != 0)
            json_value(&w, extra->members[i].key, &extra->members[i].value);
    json_end(&w);
    ev->extra = extra->n > 1 ? arena_strdup(tx->arena, buf_str(&b)) : NULL;
    buf_done(&b);
}

static int take_extra(struct tx *tx, struct cal_event *ev)
{
    const struct json *extra = NULL;
    struct sosia_err err;
    ev->decline = DECLINE_NONE;
    ev->decline_text = ev->place = ev->conference = NULL;
    if (!ev->extra || json_parse(tx->arena, ev->extra, strlen(ev->extra), NULL, &extra, &err) < 0)
        return 0;
    read_decline(ev, extra);
    read_place(tx, ev, extra);
    ev->conference = json_get_str(json_get(extra, "conferenceData"), "conferenceId");
    read_organizer_name(tx, ev, extra);
    return 0;
}

/* ---- */

static int lets_in(struct tx *tx, const struct actor *who, bool known)
{
    struct gcal_setting s;
    int r = gcal_setting_get(tx, who, "hideInvitationsSetting", &s);
    if (r != 1 || strcmp(s.value, "NONE") == 0)
        return r < 0 ? -1 : 1;
    return strcmp(s.value, "UNKNOWN_SENDERS") == 0 && known;
}

const struct cal_vendor gcal_vendor = {
    .name = "google",
    .uid = gcal_uid,
    .key = uid_key,
    .address_keys = true,
    .calendar_end = "@group.calendar.google.com",
    .read_extra = take_extra,
    .kind_words = {[KIND_AWAY] = "Out of office", [KIND_FOCUS] = "Focus time"},
    .day_reminders = "[]",
    .made = &gcal_holidays,
    .lists = &gcal_lists,
    .guests_never = PART_RIGHTS,
    .guests_all = PARTS_SHARED & ~(unsigned)PART_STATUS,
    .guests_invite = true,
    .copy_time = COPY_BLOCKS,
    .lets_in = lets_in,
};

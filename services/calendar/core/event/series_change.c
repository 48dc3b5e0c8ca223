/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the changed instances of a series when the series changes, or is restored. */
#include "engine/base/codec.h"
#include "services/calendar/core/event/series.h"
#include "services/calendar/core/event/event_impl.h"

static const struct cal_attendee *find_attendee(const struct cal_event *ev, const char *email)
{
    for (int i = 0; i < ev->n_attendees; i++)
        if (strcmp(ev->attendees[i].email, email) == 0)
            return &ev->attendees[i];
    return NULL;
}

/* Guests of the instance, brought up to date with what changed in the series. */
static void merge_attendees(struct tx *tx, const struct cal_event *old, const struct cal_event *ev,
                            struct cal_event *instance)
{
    struct cal_attendee *list = arena_calloc(
        tx->arena, (size_t)instance->n_attendees + (size_t)ev->n_attendees + 1, sizeof *list);
    int n = 0;
    for (int i = 0; i < instance->n_attendees; i++) {
        const struct cal_attendee *a = &instance->attendees[i];
        const struct cal_attendee *was = find_attendee(old, a->email),
                                  *is = find_attendee(ev, a->email);
        if (was && !is)
            continue;
        list[n++] = was && is && a->response == was->response ? *is : *a;
    }
    for (int i = 0; i < ev->n_attendees; i++) {
        const char *email = ev->attendees[i].email;
        if (!find_attendee(old, email) && !find_attendee(instance, email))
            list[n++] = ev->attendees[i];
    }
    instance->attendees = list;
    instance->n_attendees = n;
}

/* What the instance had from the series it still has. */
static void merge(const struct cal_event *old, const struct cal_event *ev,
                  struct cal_event *instance)
{
#define INHERIT(member)                                                                            \
    if (instance->member == old->member)                                                           \
    instance->member = ev->member
#define INHERIT_TEXT(member)                                                                       \
    if (str_same(instance->member, old->member))                                                   \
    instance->member = ev->member
    INHERIT_TEXT(summary);
    INHERIT_TEXT(description);
    INHERIT_TEXT(location);
    INHERIT_TEXT(color);
    INHERIT_TEXT(reminders);
    INHERIT_TEXT(categories);
    INHERIT_TEXT(own_props);
    INHERIT_TEXT(props);
    INHERIT_TEXT(extra);
    INHERIT_TEXT(decline_text);
    INHERIT_TEXT(place);
    INHERIT_TEXT(conference);
    INHERIT_TEXT(zone);
    INHERIT(decline);
    INHERIT(visibility);
    INHERIT(rights);
    INHERIT(busy);
    INHERIT(importance);
    INHERIT(reminder_on);
    INHERIT(reminder_minutes);
    INHERIT(status);
    if (instance->start_us == instance->original_us && instance->len_us == old->len_us)
        instance->len_us = ev->len_us;
}

/* An instance that is none any more, in all calendars. */
static int orphan(struct tx *tx, int64_t id, int64_t updated_us, int64_t change)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set status = 2, span = span | 64, master = null, "
                 "updated_us = max(:updated, updated_us + 1), change = :change "
                 "where id = :id or origin = :id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, updated_us, change, id);
    if (!st)
        return -1;
    return sql_run(tx->db, st, tx->err) < 0 ? -1 : cal_copies_noted(tx, id, change);
}

static int instances_of(struct tx *tx, const struct cal_event *ev, int64_t **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select id from cal_event where master = :series order by original_us");
    size_t n = 0, cap = (size_t)ev->n_instances;
    int64_t *ids = arena_alloc(tx->arena, (cap ? cap : 1) * sizeof *ids);
    sqlite3_stmt *st = TX_QUERY(tx, &q, ev->id);
    if (!st)
        return -1;
    int r = 0;
    while (n < cap && (r = TX_STEP(tx, st)) == 1)
        ids[n++] = sqlite3_column_int64(st, 0);
    if (r < 0)
        return -1;
    sql_done(st);
    *ret = ids;
    *ret_n = n;
    return 0;
}

/* Where an instance would start when the whole series starts at another time of the clock: 1; 0 for
 * a series that has changed in another way. */
static int shifted(const struct calendar *cal, const struct cal_event *old,
                   const struct cal_event *ev, int64_t original_us, int64_t *ret_us)
{
    const struct tz *from = old->zone ? tz_find(old->zone) : cal->tz;
    const struct tz *to = ev->zone ? tz_find(ev->zone) : cal->tz;
    if (old->form != EVENT_SERIES || old->all_day != ev->all_day ||
        !str_same(old->recurrence, ev->recurrence) || !from || !to)
        return 0;
    if (ev->all_day) {
        *ret_us = original_us + ev->start_us - old->start_us;
        return 1;
    }
    int64_t was = old->start_us / US_PER_SECOND, is = ev->start_us / US_PER_SECOND,
            at = original_us / US_PER_SECOND;
    int64_t wall = is + tz_offset(to, is) - (was + tz_offset(from, was));
    *ret_us = tz_to_utc(to, at + tz_offset(from, at) + wall) * US_PER_SECOND;
    return 1;
}

/* Guests' copies of an instance that is carried, with what is personal: the shared part is set
 * by cal_copies_follow(). Their keys have the new stamp behind what the series' key is there: that
 * of another vendor is another one. */
static int carry_copies(struct tx *tx, int64_t from, const struct cal_event *to)
{
#define SAME                                                                                       \
    "calendar, uid, form, span, start_us, end_us, len_us, all_day, zone, end_zone, status, kind, " \
    "visibility, busy, rights, response, removed, sequence, created_us, updated_us, change, "      \
    "n_attendees, n_instances, creator, organizer, summary, description, location, color, "        \
    "reminders, own_props, props, extra, organizer_name, importance, decline, decline_text, "      \
    "place, "                                                                                      \
    "conference, categories, reminder_on, reminder_minutes"
    static struct sql_text q = SQL_TEXT(
        "insert or ignore into cal_event (key, origin, original_us, original_day, " SAME ") "
        "select substr(key, 1, length(key) - length(:stamp)) || :stamp, :to, :original, :day, " SAME
        " from cal_event where origin = :from and (removed or n_attendees > 0)");
    return TX_RUN(tx, &q, strrchr(to->key, '_'), to->id, to->original_us, to->original_day, from);
}

/* A changed instance is carried with its series to another time, under a new key; one that was
 * moved itself keeps its time. 1: done; 0: the series has no such instance. */
static int carry(struct tx *tx, const struct calendar *cal, const struct cal_event *old,
                 const struct cal_event *ev, const struct recur *recur, struct cal_event *instance)
{
    int64_t us;
    if (ev->origin || !shifted(cal, old, ev, instance->original_us, &us) ||
        !recur_contains(recur, us / US_PER_SECOND))
        return 0;
    if (cal_event_load_attendees(tx, instance) < 0)
        return -1;
    struct cal_event carried = *instance;
    bool moved = instance->start_us != instance->original_us;
    merge(old, ev, &carried);
    if (old->attendees && ev->attendees)
        merge_attendees(tx, old, ev, &carried);
    carried.id = 0;
    carried.key = cal_event_instance_key(tx, ev->key, ev->all_day, us);
    carried.original_us = us;
    if (!moved)
        carried.start_us = us;
    carried.last_us = event_end(&carried);
    if (carried.sequence < ev->sequence)
        carried.sequence = ev->sequence;
    carried.updated_us = ev->updated_us;
    carried.change = ev->change;
    if (orphan(tx, instance->id, ev->updated_us, ev->change) < 0 ||
        cal_event_drop_trace(tx, &carried) < 0)
        return -1;
    if (cal_event_insert_row(tx, &carried) < 0) /* another changed instance is there already */
        return tx->err->code == SOSIA_E_CONFLICT ? 1 : -1;
    if (!carried.n_attendees)
        return 1;
    if (cal_event_store_attendees(tx, &carried) < 0)
        return -1;
    if (event_leads(&carried) &&
        (carry_copies(tx, instance->id, &carried) < 0 || cal_copies_follow(tx, &carried) < 0))
        return -1;
    return 1;
}

int series_changed(struct tx *tx, const struct calendar *cal, const struct cal_event *old,
                   const struct cal_event *ev)
{
    const struct recur *recur = NULL;
    int64_t *ids = NULL;
    size_t n = 0;
    struct cal_event before = *old;
    if (!old->n_instances || ev->status == EVENT_CANCELLED)
        return 0;
    if (old->status == EVENT_CANCELLED) /* restored: its instances are what they were */
        before.status = ev->status;
    old = &before;
    /* Who is a guest of the series now may have had an instance alone before. */
    bool guests = !ev->origin && cal_event_compare(old, ev) & PART_ATTENDEES;
    if (ev->form == EVENT_SERIES && series_parse(tx, cal, ev, &recur) < 0)
        return -1;
    if (instances_of(tx, old, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct cal_event instance, was;
        int r = cal_event_by_id(tx, ids[i], &instance);
        if (r < 0)
            return -1;
        if (r == 0)
            continue;
        if (!recur || instance.original_day != ev->all_day ||
            !recur_contains(recur, instance.original_us / US_PER_SECOND)) {
            r = recur ? carry(tx, cal, old, ev, recur, &instance) : 0;
            if (r < 0)
                return -1;
            if (r == 0 && orphan(tx, instance.id, ev->updated_us, ev->change) < 0)
                return -1;
            continue;
        }
        if (cal_event_load_attendees(tx, &instance) < 0)
            return -1;
        was = instance;
        merge(old, ev, &instance);
        if (old->attendees && ev->attendees && !ev->origin)
            merge_attendees(tx, old, ev, &instance);
        unsigned parts = cal_event_compare(&was, &instance);
        instance.last_us = event_end(&instance);
        instance.updated_us = ev->updated_us;
        instance.change = ev->change;
        if (!parts && !guests)
            continue;
        if (parts && cal_event_update_row(tx, &instance, parts) < 0)
            return -1;
        if (parts & PART_ATTENDEES && cal_event_store_attendees(tx, &instance) < 0)
            return -1;
        if (!instance.origin && (instance.n_attendees || was.n_attendees) &&
            cal_copies_follow(tx, &instance) < 0)
            return -1;
    }
    return cal_event_count_instances(tx, ev->id) < 0 ? -1 : cal_event_count_copied(tx, ev->id);
}

int cal_event_wake_instances(struct tx *tx, const struct cal_event *series)
{
    static struct sql_text q =
        SQL_TEXT("update cal_event set status = rights >> 8 & 3, span = iif(rights >> 8 & 3 = 2, "
                 "span, span & ~64), "
                 "rights = rights & (127 | 3072) where master = :series and rights & 128");
    /* Without guests of its own it may be one that guests of the series are left out of. */
    static struct sql_text q_next =
        SQL_TEXT("select id, original_us from cal_event where master = :series and original_us > "
                 ":after and (n_attendees > 0 or :guests) order by original_us limit 1");
    if (TX_RUN(tx, &q, series->id) < 0)
        return -1;
    for (int64_t after = INT64_MIN;;) {
        struct cal_event instance;
        sqlite3_stmt *st = TX_QUERY(tx, &q_next, series->id, after, series->n_attendees > 0);
        if (!st)
            return -1;
        int r = TX_STEP(tx, st);
        if (r != 1)
            return r;
        int64_t id = sqlite3_column_int64(st, 0);
        after = sqlite3_column_int64(st, 1);
        sql_done(st);
        r = cal_event_by_id(tx, id, &instance);
        if (r != 1 || cal_event_load_attendees(tx, &instance) < 0)
            return -1;
        instance.updated_us = series->updated_us;
        instance.change = series->change;
        if (event_leads(&instance) && cal_copies_follow(tx, &instance) < 0)
            return -1;
    }
}

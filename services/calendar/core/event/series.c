/* SPDX-License-Identifier: Apache-2.0 */
/* Series: their rules in normal form, their instances, and what becomes of changed instances when
 * the series changes. */
#include "engine/base/codec.h"
#include "services/calendar/core/event/series.h"
#include "services/calendar/core/event/event_impl.h"

/* ---- rules ---- */

/* The parts of a rule in the order in which they are always shown. */
static const char *const part_order[] = {
    "FREQ",     "WKST",  "UNTIL",  "COUNT",    "INTERVAL", "BYYEARDAY", "BYMONTH", "BYMONTHDAY",
    "BYWEEKNO", "BYDAY", "BYHOUR", "BYMINUTE", "BYSECOND", "BYSETPOS",  NULL};

static bool is_rule(const char *line)
{
    return strncasecmp(line, "RRULE", 5) == 0 || strncasecmp(line, "EXRULE", 6) == 0;
}

/* A rule that recur_parse() has taken. */
static void add_rule(struct buf *b, const char *line)
{
    const char *value = recur_value(line), *first = "";
    for (const char *p = line; p < value; p++)
        buf_byte(b, (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p));
    for (const char *const *name = part_order; *name; name++) {
        size_t n = strlen(*name);
        for (const char *p = value; *p; p += strcspn(p, ";"), p += *p == ';') {
            if (strncasecmp(p, *name, n) != 0 || p[n] != '=')
                continue;
            buf_puts(b, first);
            buf_puts(b, *name);
            for (const char *v = p + n; *v && *v != ';'; v++)
                buf_byte(b, (char)(*v >= 'a' && *v <= 'z' ? *v - 32 : *v));
            first = ";";
        }
    }
}

static size_t split_lines(struct tx *tx, const char *text, const char ***ret)
{
    size_t n = 1, i = 0;
    for (const char *p = text; *p; p++)
        n += *p == '\n';
    const char **lines = arena_calloc(tx->arena, n, sizeof *lines);
    for (const char *p = text; i < n; i++) {
        size_t len = strcspn(p, "\n");
        lines[i] = arena_memdup(tx->arena, p, len);
        p += len + (p[len] == '\n');
    }
    *ret = lines;
    return n;
}

int series_parse(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
                 const struct recur **ret_recur)
{
    const char **lines;
    const struct tz *tz = ev->zone ? tz_find(ev->zone) : cal->tz;
    int64_t utc = ev->start_us / US_PER_SECOND;
    struct recur_start start = {
        .all_day = ev->all_day, .local_s = utc, .has_utc = true, .utc_s = utc};
    if (!ev->all_day) {
        start.tz = tz ? tz : cal->tz;
        start.local_s = utc + tz_offset(start.tz, utc);
    }
    size_t n = split_lines(tx, ev->recurrence, &lines);
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    return recur_parse(tx->arena, lines, n, &start, ret_recur, tx->err);
}

int series_prepare(struct tx *tx, const struct calendar *cal, struct cal_event *ev)
{
    const struct recur *recur;
    const char **lines;
    struct buf b;
    if (series_parse(tx, cal, ev, &recur) < 0)
        return cal_fail(tx, CAL_BAD_RECURRENCE, "Invalid recurrence rule.");
    int64_t last = recur_last(recur);
    ev->last_us = last >= INT64_MAX / US_PER_SECOND - ev->len_us / US_PER_SECOND
                      ? INT64_MAX
                      : last * US_PER_SECOND + ev->len_us;
    size_t n = split_lines(tx, ev->recurrence, &lines);
    buf_init(&b, 0);
    for (size_t i = 0; i < n; i++) {
        if (i)
            buf_byte(&b, '\n');
        if (is_rule(lines[i]))
            add_rule(&b, lines[i]);
        else
            buf_puts(&b, lines[i]);
    }
    ev->recurrence = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return 0;
}

/* ---- instances ---- */

/* Original starts of the changed instances, ascending. */
static int find_changed(struct series *s, int64_t from_us)
{
    static struct sql_text q = SQL_TEXT(
        "select original_us from cal_event where master = :series and original_us >= :from "
        "and original_us < :until order by original_us");
    struct tx *tx = s->tx;
    size_t cap = (size_t)s->ev->n_instances;
    if (!cap)
        return 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, s->ev->id, from_us, s->until_us);
    if (!st)
        return -1;
    s->changed = arena_alloc(tx->arena, cap * sizeof *s->changed);
    int r;
    while ((r = TX_STEP(tx, st)) == 1 && s->n_changed < cap)
        s->changed[s->n_changed++] = sqlite3_column_int64(st, 0);
    if (r == 1)
        sql_done(st);
    return r < 0 ? -1 : 0;
}

/* Rounds down: an instance that starts within the second starts at it. */
static int64_t to_seconds(int64_t us)
{
    return us / US_PER_SECOND - (us % US_PER_SECOND < 0);
}

int series_open(struct tx *tx, const struct calendar *cal, const struct cal_event *ev,
                int64_t from_us, int64_t until_us, struct series *ret)
{
    ret->tx = tx;
    ret->cal = cal;
    ret->ev = ev;
    ret->until_us = until_us;
    ret->changed = NULL;
    ret->n_changed = ret->at = 0;
    if (series_parse(tx, cal, ev, &ret->recur) < 0 || find_changed(ret, from_us) < 0)
        return -1;
    int64_t from = from_us == INT64_MIN ? RECUR_BEGINNING : to_seconds(from_us + US_PER_SECOND - 1);
    recur_iter_init(&ret->it, ret->recur, from);
    return 0;
}

bool series_next(struct series *s, int64_t *ret_start_us)
{
    struct recur_instance at;
    while (recur_next(&s->it, &at)) {
        int64_t us = at.utc_s * US_PER_SECOND;
        if (us >= s->until_us)
            return false;
        while (s->at < s->n_changed && s->changed[s->at] < us)
            s->at++;
        if (s->at < s->n_changed && s->changed[s->at] == us)
            continue;
        *ret_start_us = us;
        return true;
    }
    return false;
}

static void fill_instance(struct tx *tx, const struct cal_event *series, int64_t start_us,
                          struct cal_event *ret)
{
    *ret = *series;
    ret->id = 0;
    ret->master = series->id;
    ret->form = EVENT_INSTANCE;
    ret->key = cal_event_instance_key(tx, series->key, series->all_day, start_us);
    ret->start_us = ret->original_us = start_us;
    ret->last_us = event_end(ret);
    ret->original_day = series->all_day;
    ret->recurrence = NULL;
    ret->n_instances = 0;
}

void series_make(const struct series *s, int64_t start_us, struct cal_event *ret)
{
    fill_instance(s->tx, s->ev, start_us, ret);
}

int series_instance(struct tx *tx, const struct calendar *cal, const struct cal_event *series,
                    int64_t original_us, struct cal_event *ret)
{
    const struct recur *recur;
    if (series_parse(tx, cal, series, &recur) < 0)
        return -1;
    if (!recur_contains(recur, original_us / US_PER_SECOND))
        return 0;
    fill_instance(tx, series, original_us, ret);
    return 1;
}

/* ---- when a series changes ---- */

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
 * by cal_copies_follow(). */
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
        "select :key, :to, :original, :day, " SAME " from cal_event where origin = :from "
        "and (removed or n_attendees > 0)");
    return TX_RUN(tx, &q, to->key, to->id, to->original_us, to->original_day, from);
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
    return cal_event_count_instances(tx, ev->id);
}

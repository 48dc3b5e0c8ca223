/* SPDX-License-Identifier: Apache-2.0 */
/* Series: their rules in normal form, and their instances. */
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
    ev->recurrence = buf_keep(&b, tx->arena);
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/slack/web/quiet.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"

int sl_quiet_read(struct call *c, int64_t user, struct sl_quiet *ret)
{
    static struct sql_text q =
        SQL_TEXT("select enabled, from_minute, to_minute, snooze_s, "
                 "snoozing_forever, skipped_s from slack_quiet where user = :user");
    sqlite3_stmt *st;
    *ret = (struct sl_quiet){0};
    int r = TX_ROW(&c->tx, &q, &st, user);
    if (r == 1) {
        *ret = (struct sl_quiet){.enabled = sqlite3_column_int(st, 0),
                                 .from = sqlite3_column_int64(st, 1),
                                 .to = sqlite3_column_int64(st, 2),
                                 .snooze_s = sqlite3_column_int64(st, 3),
                                 .forever = sqlite3_column_int(st, 4),
                                 .skipped_s = sqlite3_column_int64(st, 5)};
        sql_done(st);
    }
    return r < 0 ? -1 : 0;
}

int sl_quiet_save(struct call *c, int64_t user, const struct sl_quiet *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_quiet (user, enabled, from_minute, to_minute, snooze_s, "
        "snoozing_forever, skipped_s) values (:user, :enabled, :from, :to, :snooze, :forever, "
        ":skipped) on conflict "
        "(user) do update set snooze_s = excluded.snooze_s, "
        "snoozing_forever = excluded.snoozing_forever, enabled = excluded.enabled, "
        "skipped_s = excluded.skipped_s");
    if (TX_RUN(&c->tx, &q, user, v->enabled, v->from, v->to, v->snooze_s, v->forever,
               v->skipped_s) < 0)
        return -1;
    chat_notify(&c->tx, CHAT_EV_QUIET, OP_CHANGED, sl_me(c)->workspace.id, user, NULL,
                &(struct chat_change){.user = user});
    return 0;
}

void sl_quiet_next(struct call *c, const struct chat_user *u, const struct sl_quiet *v,
                   int64_t *ret_from, int64_t *ret_to)
{
    const struct tz *tz = tz_find(u->zone);
    int64_t now = c->tx.now_us / US_PER_SECOND;
    *ret_from = *ret_to = 1;
    if (!v->enabled || !tz)
        return;
    int64_t day = (now + tz_offset(tz, now)) / SECONDS_PER_DAY - 1;
    for (int i = 0; i < 4; i++, day++) {
        int64_t from = tz_to_utc(tz, day * SECONDS_PER_DAY + v->from * 60);
        int64_t to = tz_to_utc(tz, (day + (v->to <= v->from)) * SECONDS_PER_DAY + v->to * 60);
        if (to > now && to != v->skipped_s) {
            *ret_from = from;
            *ret_to = to;
            return;
        }
    }
}

int sl_write_quiet(struct call *c, const struct chat_user *u, bool snooze)
{
    struct sl_quiet v;
    int64_t from, to, now = c->tx.now_us / US_PER_SECOND;
    if (sl_quiet_read(c, u->id, &v) < 0)
        return -1;
    sl_quiet_next(c, u, &v, &from, &to);
    bool snoozing = v.forever || v.snooze_s > now;
    json_bool(c->out, "dnd_enabled", v.enabled);
    json_int(c->out, "next_dnd_start_ts", from);
    json_int(c->out, "next_dnd_end_ts", to);
    if (!snooze)
        return 0;
    json_bool(c->out, "snooze_enabled", snoozing);
    if (snoozing) {
        json_int(c->out, "snooze_endtime", v.snooze_s);
        json_int(c->out, "snooze_remaining", v.snooze_s > now ? v.snooze_s - now : 0);
        json_bool(c->out, "snooze_is_indefinite", v.forever);
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "services/chat/slack/web/quiet.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"

int sl_quiet_read(struct call *c, int64_t user, struct quiet *ret)
{
    *ret = (struct quiet){0};
    return stored_get(&c->tx, &slack_quiet_stored, user, ret) < 0 ? -1 : 0;
}

int sl_quiet_save(struct call *c, int64_t user, struct quiet *v)
{
    const bool there = v->user;
    v->user = user;
    if ((there ? stored_save(&c->tx, &slack_quiet_stored, user, v)
               : stored_add(&c->tx, &slack_quiet_stored, v)) < 0)
        return -1;
    chat_notify(&c->tx, CHAT_EV_QUIET, OP_CHANGED, sl_me(c)->workspace.id, user, NULL,
                &(struct chat_change){.user = user});
    return 0;
}

void sl_quiet_next(struct call *c, const struct chat_user *u, const struct quiet *v,
                   int64_t *ret_from, int64_t *ret_to)
{
    const struct tz *tz = tz_find(u->zone);
    int64_t now = c->tx.now_us / US_PER_SECOND;
    *ret_from = *ret_to = 1;
    if (!v->enabled || !tz)
        return;
    int64_t day = (now + tz_offset(tz, now)) / SECONDS_PER_DAY - 1;
    for (int i = 0; i < 4; i++, day++) {
        int64_t from = tz_to_utc(tz, day * SECONDS_PER_DAY + v->from_minute * 60);
        int64_t to = tz_to_utc(tz, (day + (v->to_minute <= v->from_minute)) * SECONDS_PER_DAY +
                                       v->to_minute * 60);
        if (to > now && to != v->skipped_s) {
            *ret_from = from;
            *ret_to = to;
            return;
        }
    }
}

int sl_write_quiet(struct call *c, const struct chat_user *u, bool snooze)
{
    struct quiet v;
    int64_t from, to, now = c->tx.now_us / US_PER_SECOND;
    if (sl_quiet_read(c, u->id, &v) < 0)
        return -1;
    sl_quiet_next(c, u, &v, &from, &to);
    bool snoozing = v.snoozing_forever || v.snooze_s > now;
    json_bool(c->out, "dnd_enabled", v.enabled);
    json_int(c->out, "next_dnd_start_ts", from);
    json_int(c->out, "next_dnd_end_ts", to);
    if (!snooze)
        return 0;
    json_bool(c->out, "snooze_enabled", snoozing);
    if (snoozing) {
        json_int(c->out, "snooze_endtime", v.snooze_s);
        json_int(c->out, "snooze_remaining", v.snooze_s > now ? v.snooze_s - now : 0);
        json_bool(c->out, "snooze_is_indefinite", v.snoozing_forever);
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Who is in a team, and whom its channels thereby have. */
#include "services/chat/core/impl.h"
#include "services/chat/core/team.h"

const char *const chat_parts[] = {"member", "owner", "guest", NULL};

int chat_team_channels(struct tx *tx, int64_t team,
                       int (*fn)(void *arg, const struct chat_channel *ch), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select id from chat_channel where team = :team order by key");
    sqlite3_stmt *st = TX_QUERY(tx, &q, team);
    struct chat_channel ch;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        int rc = chat_channel_get(tx, sqlite3_column_int64(st, 0), &ch);
        if (rc < 0 || (rc && fn(arg, &ch))) {
            sql_done(st);
            return rc < 0 ? -1 : 0;
        }
    }
    return r;
}

/* ---- members ---- */

int chat_team_member_of(struct tx *tx, int64_t team, int64_t user, struct chat_team_member *ret)
{
    static struct sql_text q =
        SQL_TEXT("select part from chat_team_member where team = :team and user = :user");
    int64_t part;
    int r = TX_INT(tx, &q, &part, team, user);
    if (r == 1)
        *ret = (struct chat_team_member){team, user, (enum chat_part)part};
    return r;
}

int chat_team_member_set(struct tx *tx, const struct chat_team_member *m)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_team_member (team, user, part) values (:team, :user, :part) on "
                 "conflict (team, user) do update set part = excluded.part");
    struct chat_team_member old;
    int r = chat_team_member_of(tx, m->team, m->user, &old);
    if (r < 0 || (r == 1 && old.part == m->part))
        return r < 0 ? -1 : 0;
    if (TX_RUN(tx, &q, m->team, m->user, m->part) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_TEAM_MEMBER, r ? OP_CHANGED : OP_ADDED, m->team, m->user, NULL,
                &(struct chat_change){.user = m->user});
    return 1;
}

struct leaving {
    struct tx *tx;
    int64_t user;
    int rc;
};

/* A private channel whose last owner has left gets the member who came first. */
static int keep_owner(struct tx *tx, int64_t channel)
{
    static struct sql_text q = SQL_TEXT(
        "select user from chat_member where channel = :channel and part = 0 and not exists "
        "(select 1 from chat_member o where o.channel = :channel and o.part = 1) order by "
        "joined_s, id limit 1");
    int64_t user;
    int r = TX_INT(tx, &q, &user, channel);
    return r == 1 ? chat_member_part(tx, channel, user, CHAT_PART_OWNER) : r;
}

static int leave_channel(void *arg, const struct chat_channel *ch)
{
    struct leaving *l = arg;
    struct chat_channel left = *ch;
    struct chat_member m;
    l->rc = chat_member_of(l->tx, ch->id, l->user, &m);
    if (l->rc == 1)
        l->rc = chat_member_remove(l->tx, &left, l->user, 0);
    if (l->rc == 1 && ch->kind == CHAT_PRIVATE && m.part == CHAT_PART_OWNER)
        l->rc = keep_owner(l->tx, ch->id);
    return l->rc < 0;
}

int chat_team_member_remove(struct tx *tx, int64_t team, int64_t user)
{
    static struct sql_text q =
        SQL_TEXT("delete from chat_team_member where team = :team and user = :user");
    struct leaving l = {.tx = tx, .user = user};
    if (TX_RUN(tx, &q, team, user) < 0)
        return -1;
    if (!sqlite3_changes(slot_db(tx->db)))
        return 0;
    if (chat_team_channels(tx, team, leave_channel, &l) < 0 || l.rc < 0)
        return -1;
    chat_notify(tx, CHAT_EV_TEAM_MEMBER, OP_REMOVED, team, user, NULL,
                &(struct chat_change){.user = user});
    return 1;
}

int chat_team_members(struct tx *tx, int64_t team,
                      int (*fn)(void *arg, const struct chat_team_member *m), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select user, part from chat_team_member where team = :team order by id");
    sqlite3_stmt *st = TX_QUERY(tx, &q, team);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        struct chat_team_member m = {team, sqlite3_column_int64(st, 0),
                                     (enum chat_part)sqlite3_column_int(st, 1)};
        if (fn(arg, &m)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

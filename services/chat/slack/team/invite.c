/* SPDX-License-Identifier: Apache-2.0 */
/* Invitations of other workspaces into a channel, and their section of seed documents. */
#include "services/chat/slack/team/invite.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/store.h"

const char *const chat_invite_states[] = {"open",     "accepted", "approved",
                                          "declined", "revoked",  NULL};

int chat_invite_find(struct tx *tx, const char *key, struct chat_invite *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key");
    return STORED_ONE(tx, &slack_invite_stored, &q, ret, key);
}

int chat_invite_waits(struct tx *tx, const struct chat_invite *i)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from slack_invite where channel = :channel and not request and state <= 1 and "
        "expires_s > :now and (email = :email collate nocase or user = :user) limit 1");
    int64_t one;
    return TX_INT(tx, &q, &one, i->channel, tx->now_us / US_PER_SECOND, i->email,
                  sql_int_or_null(i->user, 0));
}

int chat_invite_add(struct tx *tx, struct chat_invite *i)
{
    if (!i->key && !(i->key = chat_secret_key(tx, 'I')))
        return -1;
    return stored_new(tx, &slack_invite_stored, i);
}

int chat_invite_save(struct tx *tx, struct chat_invite *i)
{
    i->updated_s = tx->now_us / US_PER_SECOND;
    return stored_save(tx, &slack_invite_stored, i->id, i);
}

int chat_invites(struct tx *tx, int64_t workspace, bool requests, int64_t from,
                 int (*fn)(void *arg, const struct chat_invite *i), void *arg)
{
    static struct sql_text q = SQL_TEXT("where (" CHAT_SQL_CHANNEL_WORKSPACE(
        "slack_invite.channel") " = :workspace or (team = :workspace and not request)) and request "
                                "= :requests and (:from = 0 or id <= :from) order by id desc");
    struct stored *t = &slack_invite_stored;
    sqlite3_stmt *st = STORED_QUERY(tx, t, &q, workspace, requests, from);
    struct chat_invite i;
    int r;
    while ((r = stored_next(tx, t, st, &i)) == 1)
        if (fn(arg, &i)) {
            sql_done(st);
            return 0;
        }
    return r;
}

/* ---- seed documents ---- */

/* A person of the workspace that is meant. */
static int read_invited(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_invite *i = row;
    struct chat_user u;
    if (chat_doc_user(in->tx, in->d, in->value, m->name, i->team, &u) < 0)
        return -1;
    i->user = u.id;
    return 0;
}

static int check_invite(const struct form_in *in, void *row)
{
    struct chat_invite *i = row;
    chat_unsaid_now(in->tx, &i->created_s);
    if (i->updated_s == CHAT_UNSAID)
        i->updated_s = i->created_s;
    if (i->expires_s == CHAT_UNSAID)
        i->expires_s = i->created_s + CHAT_INVITE_SECONDS;
    return 0;
}

static int add_invite(const struct form_in *in, void *row)
{
    return chat_invite_add(in->tx, row);
}

static const struct member invite_members[] = {
    CHAT_WORKSPACE_BY(struct chat_invite, channel, chat_write_workspace_of_channel),
    STORED_ID(struct chat_invite),
    {"id", "Its id, from I on", CHAT_KEY_AT(struct chat_invite, key, "I")},
    {"channel", "The channel", CHAT_CHANNEL_AT(struct chat_invite, channel),
     .flags = MEMBER_REQUIRED},
    {"by", "The person who invites", CHAT_USER_AT(struct chat_invite, inviter),
     .flags = MEMBER_REQUIRED},
    {"request", "It is asked for, and not sent yet", BOOL_AT(struct chat_invite, request)},
    {"email", "The address that it is for", TEXT_AT(struct chat_invite, email)},
    {"team", "The workspace that is meant", CHAT_OTHER_AT(struct chat_invite, team)},
    {"user", "The person of it who is meant", .kind = MEMBER_REF, .ref = &chat_user_reference,
     .read = read_invited, .write = chat_write_user,
     MEMBER_TYPED(struct chat_invite, user, int64_t)},
    {"state", "How it is", ENUM_AT(struct chat_invite, state, chat_invite_states)},
    {"limited", "The other workspace may not invite", BOOL_AT(struct chat_invite, limited)},
    {"host", "The workspace of the channel agrees", BOOL_AT(struct chat_invite, host_agrees)},
    {"guest", "The other one agrees", BOOL_AT(struct chat_invite, guest_agrees)},
    {"name", "The channel's name there", TEXT_AT(struct chat_invite, name)},
    {"created", "Its time; else now", CHAT_SECOND_AT(struct chat_invite, created_s),
     .usual = CHAT_UNSAID},
    {"updated", "Its last change; else as created", CHAT_SECOND_AT(struct chat_invite, updated_s),
     .usual = CHAT_UNSAID},
    {"expires", "Its end; else two weeks later", CHAT_SECOND_AT(struct chat_invite, expires_s),
     .usual = CHAT_UNSAID},
};
STORED(slack_invite_stored, "An invitation into a channel", struct chat_invite, invite_members,
       check_invite, .table = "slack_invite", .key = "id", .add = add_invite);

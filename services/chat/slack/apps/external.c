/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of other systems that people gave to apps. */
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/apps/platform.h"

static const struct member external_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_external),
    {"id", "Its id, from Et on", CHAT_MADE_KEY_AT(struct chat_external, key, "Et")},
    {"app", "The app that has it", CHAT_APP_AT(struct chat_external, app),
     .flags = MEMBER_REQUIRED},
    {"user", "The person who gave it", CHAT_USER_AT(struct chat_external, user),
     .flags = MEMBER_REQUIRED},
    {"provider", "The system's key in the app's manifest", TEXT_AT(struct chat_external, provider),
     .flags = MEMBER_REQUIRED},
    {"token", "The token", TEXT_AT(struct chat_external, token), .flags = MEMBER_REQUIRED},
    {"refresh", "The token that renews it", TEXT_AT(struct chat_external, refresh)},
    {"expires", "Its end", CHAT_SECOND_AT(struct chat_external, expires_s)},
    {"extras", "What the system said besides", KEPT_AT(struct chat_external, extras, JSON_OBJECT)},
};
STORED(slack_external_stored, "A token of another system", struct chat_external, external_members,
       NULL, .table = "slack_external", .key = "id");

int chat_external_find(struct tx *tx, const char *key, struct chat_external *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key");
    return STORED_ONE(tx, &slack_external_stored, &q, ret, key);
}

int chat_external_save(struct tx *tx, const struct chat_external *e)
{
    static struct sql_text q = SQL_TEXT("update slack_external set token = :token, expires_s = "
                                        ":expires where id = :id");
    return TX_RUN(tx, &q, e->token, e->expires_s, e->id);
}

int chat_external_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from slack_external where id = :id");
    return TX_RUN(tx, &q, id);
}

int chat_external_delete(struct tx *tx, int64_t workspace, int64_t app, const char *provider,
                         int64_t *ret_n)
{
#define OF_APP                                                                                     \
    " from slack_external where app = :app and workspace = :workspace and provider = "             \
    "coalesce(:provider, provider)"
    static struct sql_text count = SQL_TEXT("select count(*)" OF_APP);
    static struct sql_text drop = SQL_TEXT("delete" OF_APP);
    *ret_n = 0;
    return TX_INT(tx, &count, ret_n, app, workspace, provider) < 0
               ? -1
               : TX_RUN(tx, &drop, app, workspace, provider);
}

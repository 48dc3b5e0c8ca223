/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What queries of a dialect about its own rows say of the core's: expressions of SQL, so that one
 * statement answers where a call for each row would. Arguments are expressions too: a column with
 * its table's name ("s.channel") or a parameter. The core's tables and columns are named here and
 * nowhere outside of it. For everything else there are functions (ask.h).
 */
#ifndef SOSIA_CHAT_SQL_H
#define SOSIA_CHAT_SQL_H

#define CHAT_SQL_WORKSPACE_KEY(id) "(select o_.key from chat_workspace o_ where o_.id = " id ")"
#define CHAT_SQL_IS_WORKSPACE_KEY(key)                                                             \
    "exists (select 1 from chat_workspace o_ where o_.key = " key ")"
#define CHAT_SQL_WORKSPACES "(select o_.id from chat_workspace o_)"

#define CHAT_SQL_USER_KEY(id)       "(select o_.key from chat_user o_ where o_.id = " id ")"
#define CHAT_SQL_USER_WORKSPACE(id) "(select o_.workspace from chat_user o_ where o_.id = " id ")"
#define CHAT_SQL_USER_IS_BOT(id)    "(select o_.bot from chat_user o_ where o_.id = " id ")"
#define CHAT_SQL_IS_USER_KEY(key)                                                                  \
    "exists (select 1 from chat_user o_ where o_.workspace in " CHAT_SQL_WORKSPACES                \
    " and o_.key = " key ")"
#define CHAT_SQL_IS_USER_NAME(workspace, name)                                                     \
    "exists (select 1 from chat_user o_ where o_.workspace = " workspace " and o_.name = " name ")"
/* Rows of id, workspace, actor, key, bot, deleted: for joins. */
#define CHAT_SQL_USERS "(select id, workspace, actor, key, bot, deleted from chat_user)"

/* NULL of no channel. */
#define CHAT_SQL_CHANNEL_KEY(id) "(select o_.key from chat_channel o_ where o_.id = " id ")"
#define CHAT_SQL_CHANNEL_WORKSPACE(id)                                                             \
    "(select o_.workspace from chat_channel o_ where o_.id = " id ")"
#define CHAT_SQL_CHANNEL_IS_PUBLIC(id)                                                             \
    "(select o_.kind = 0 from chat_channel o_ where o_.id = " id ")"
#define CHAT_SQL_CHANNEL_IS_DIRECT(id)                                                             \
    "(select o_.kind > 1 from chat_channel o_ where o_.id = " id ")"
#define CHAT_SQL_CHANNEL_HAS_PROPERTIES(id)                                                        \
    "(select o_.properties is not null from chat_channel o_ where o_.id = " id ")"
#define CHAT_SQL_IS_CHANNEL_KEY(key)                                                               \
    "exists (select 1 from chat_channel o_ where o_.workspace in " CHAT_SQL_WORKSPACES             \
    " and o_.key = " key ")"
#define CHAT_SQL_IS_CHANNEL_NAME(workspace, name)                                                  \
    "exists (select 1 from chat_channel o_ where o_.workspace = " workspace " and o_.name = " name \
    ")"
#define CHAT_SQL_IS_MEMBER(channel, user)                                                          \
    "exists (select 1 from chat_member o_ where o_.channel = " channel " and o_.user = " user ")"
/* Other workspaces have it too; the ids of these. */
#define CHAT_SQL_IS_SHARED(channel)                                                                \
    "exists (select 1 from chat_connect o_ where o_.channel = " channel ")"
#define CHAT_SQL_SHARED_WITH(channel)                                                              \
    "select o_.workspace from chat_connect o_ where o_.channel = " channel

#define CHAT_SQL_IS_MESSAGE(id) "exists (select 1 from chat_message o_ where o_.id = " id ")"
#define CHAT_SQL_MESSAGE_TS(id) "(select o_.ts_us from chat_message o_ where o_.id = " id ")"

#endif

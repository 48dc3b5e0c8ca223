/* SPDX-License-Identifier: Apache-2.0 */
/* The chat core, as the engine sees it. */
#include "services/chat/core/corpus.h"
#include "services/chat/core/connect.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/team.h"

extern const char chat_sql[], chat_upgrade_sql[];

static int derive(struct tx *tx)
{
    return chat_photos_derive(tx) < 0 ? -1 : chat_derive(tx);
}

static const struct section workspaces[] = {
    {.name = "workspaces",
     .seed_one = chat_workspace_seed,
     .ids = SECTION_IDS("select id from chat_workspace order by id"),
     .names_actors = true,
     .dump_one = chat_workspace_dump,
     .form = &chat_workspace_form},
};

static const struct section channels[] = {
    {.name = "teams",
     .stored = &chat_team_stored,
     .ids = SECTION_IDS("select id from chat_team order by id")},
    {.name = "channels",
     .seed_one = chat_channel_seed,
     .ids = SECTION_IDS("select id from chat_channel order by id"),
     .dump_one = chat_channel_dump,
     .form = &chat_channel_form},
    {.name = "sharedChannels",
     .stored = &chat_shared_stored,
     .ids = SECTION_IDS("select id from chat_connect order by id")},
};

static const struct section messages[] = {
    {.name = "messages",
     .seed = chat_messages_seed,
     .dump = chat_messages_dump,
     .form = &chat_message_form},
};

static const struct question_view questions[] = {
    {"users", "id, email, name, bot", "select key, email, name, bot from chat_user"},
    {"channels", "id, name, archived", "select key, name, archived from chat_channel"},
    {"members", "channel, user",
     "select c.key, u.key from chat_member m join chat_channel c on c.id = m.channel join "
     "chat_user u on u.id = m.user"},
    {"posts", "channel, ts, user, text",
     "select c.key, printf('%d.%06d', m.ts_us / 1000000, m.ts_us % 1000000), u.key, m.text from "
     "chat_message m join chat_channel c on c.id = m.id >> 43 left join chat_user u on "
     "u.id = m.user"},
    {"reactions", "channel, ts, name, user",
     "select c.key, printf('%d.%06d', m.ts_us / 1000000, m.ts_us % 1000000), r.name, u.key from "
     "chat_reaction r join chat_message m on m.id = r.message join chat_channel c on c.id = "
     "m.id >> 43 join chat_user u on u.id = r.user"},
    {NULL, NULL, NULL},
};

static const struct core_upgrade upgrades[] = {
    {.from = "sosia 2", .sql = chat_upgrade_sql},
    {.from = NULL},
};

/* There is a channel that both are in. */
static int chat_knows(struct tx *tx, const struct actor *actor, const char *address)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from chat_user me join chat_member m on m.user = me.id join chat_member t on "
        "t.channel = m.channel join chat_user them on them.id = t.user where me.actor = :actor and "
        "them.actor = :them limit 1");
    struct actor them;
    int64_t one;
    int r = actor_find(tx, address, &them);
    return r == 1 ? TX_INT(tx, &q, &one, actor->id, them.id) : r;
}

const struct sosia_core chat_core = {
    .name = CHAT_CORE,
    .upgrades = upgrades,
    .schema = chat_sql,
    .sections = workspaces,
    .n_sections = SOSIA_LEN(workspaces),
    .entities = chat_entities,
    .n_entities = CHAT_ENTITIES,
    .questions = questions,
    .rules = chat_rules,
    .check = chat_check,
    .derive = derive,
    .knows = chat_knows,
};

const struct sosia_core chat_channel_core = {
    .name = "chat.channels",
    .schema = "",
    .sections = channels,
    .n_sections = SOSIA_LEN(channels),
};

enum { MESSAGE_ENTITY = 1 }; /* its place */
static const struct entity message_entities[] = {
    {.name = "team",
     .table = "chat_team",
     .stored = &chat_team_stored,
     .parts =
         (const struct entity_part[]){
             {"chat_team_member", ENTITY_OWNER("select team from chat_team_member where id = ?1")},
             {NULL, NULL}}},
    {.name = "chatMessage",
     .table = "chat_message",
     .vendor = chat_message_vendor,
     .key = chat_message_key,
     .dump = chat_message_dump,
     .plain = chat_message_plain,
     .parts =
         (const struct entity_part[]){
             {"chat_mention", ENTITY_OWNER("select message from chat_mention where id = ?1")},
             {"chat_drive_file", ENTITY_OWNER("select message from chat_drive_file where id = ?1")},
             {NULL, NULL}}},
    {.name = "sharedChannel", .table = "chat_connect", .stored = &chat_shared_stored},
};

/* Members of the channel that a message is in; apps are not people. */
static int message_audience(struct tx *tx, const struct entity *entity, int64_t rowid,
                            void (*fn)(void *arg, const char *address), void *arg)
{
    static struct sql_text q =
        SQL_TEXT("select u.actor from chat_member m join chat_user u on u.id = m.user where "
                 "m.channel = :channel and u.actor is not null order by u.actor");
    if (entity != &message_entities[MESSAGE_ENTITY])
        return 0;
    sqlite3_stmt *st = TX_QUERY(tx, &q, chat_message_channel(rowid));
    int r = st ? 0 : -1;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        struct actor who;
        int found = actor_by_id(tx, sqlite3_column_int64(st, 0), &who);
        if (found < 0) {
            sql_done(st);
            return -1;
        }
        if (found && who.email && *who.email)
            fn(arg, who.email);
    }
    return r;
}

const struct sosia_core chat_message_core = {
    .name = "chat.messages",
    .schema = "",
    .sections = messages,
    .n_sections = SOSIA_LEN(messages),
    .entities = message_entities,
    .n_entities = SOSIA_LEN(message_entities),
    .audience = message_audience,
};

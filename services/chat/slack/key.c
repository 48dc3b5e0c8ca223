/* SPDX-License-Identifier: Apache-2.0 */
/* New keys, which nothing has yet. */
#include "engine/world/engine.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/files/list.h"
#include "services/chat/slack/things.h"

/* A world that was made of a dump counts its keys anew, and has those of the dump. */
#define IN_ONE "workspace in " CHAT_SQL_WORKSPACES " and key = "
#define BEHIND "substr(:key, 2)"

/* Some keys go on with another letter: "Rm", "Rec", "Ct". */
static struct taken {
    const char *letters;
    struct sql_text q;
} taken[] = {
    {"A", SQL_TEXT("select 1 from slack_app where key = :key")},
    {"B", SQL_TEXT("select 1 from slack_install where " IN_ONE ":key union all "
                   "select 1 from slack_webhook where key = :key union all "
                   "select 1 from slack_bookmark where key = 'Bk' || " BEHIND)},
    {"CD", SQL_TEXT("select 1 where " CHAT_SQL_IS_CHANNEL_KEY(
               ":key") " union all "
                       "select 1 from slack_agent_view where key = 'Ct' || " BEHIND)},
    {"F", SQL_TEXT("select 1 from slack_file where key = :key union all "
                   "select 1 from slack_execution where key = 'Fx' || " BEHIND)},
    {"I", SQL_TEXT("select 1 from slack_invite where key = :key")},
    {"L", SQL_TEXT("select 1 from slack_export where key = 'Le' || " BEHIND)},
    {"Q", SQL_TEXT("select 1 from slack_scheduled where key = :key")},
    {"R", SQL_TEXT("select 1 from slack_call where key = :key union all "
                   "select 1 from slack_reminder where key = 'Rm' || " BEHIND " union all "
                   "select 1 from slack_list_item where key = 'Rec' || " BEHIND)},
    {"S", SQL_TEXT("select 1 from slack_group where key = :key")},
    {"T", SQL_TEXT("select 1 where " CHAT_SQL_IS_WORKSPACE_KEY(":key"))},
    {"U", SQL_TEXT("select 1 where " CHAT_SQL_IS_USER_KEY(":key"))},
    {"V", SQL_TEXT("select 1 from slack_view where key = :key")},
    {"W", SQL_TEXT("select 1 from slack_execution where workflow = 'Wx' || " BEHIND)},
    {"X", SQL_TEXT("select 1 from slack_profile_field where " IN_ONE "'Xf' || " BEHIND)},
};

static int is_taken(struct tx *tx, const char *key)
{
    int64_t one;
    for (size_t i = 0; i < SOSIA_LEN(taken); i++)
        if (strchr(taken[i].letters, key[0]))
            return TX_INT(tx, &taken[i].q, &one, key);
    return 0;
}

typedef int (*key_source)(struct tx *tx, const char *kind, const char *whole, void *ret_bytes,
                          size_t n);

static const char *make_key(struct tx *tx, char letter, const char *whole, key_source source)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char kind[] = "chat.?";
    uint8_t random[CHAT_KEY_LEN - 2];
    char *key = arena_alloc(tx->arena, CHAT_KEY_LEN + 1);
    kind[5] = letter;
    if (source(tx, kind, whole, random, sizeof random) < 0)
        return NULL;
    key[0] = letter;
    key[1] = '0';
    for (size_t i = 0; i < sizeof random; i++)
        key[2 + i] = digits[i ? random[i] % 36 : 10 + random[i] % 26];
    key[CHAT_KEY_LEN] = 0;
    return key;
}

static const char *free_key(struct tx *tx, char letter, key_source source)
{
    const char *key;
    int r;
    do
        r = (key = make_key(tx, letter, NULL, source)) ? is_taken(tx, key) : -1;
    while (r == 1);
    return r < 0 ? NULL : key;
}

const char *chat_key(struct tx *tx, char letter)
{
    return free_key(tx, letter, tx_id_within);
}

const char *chat_secret_key(struct tx *tx, char letter)
{
    return free_key(tx, letter, tx_secret_within);
}

const char *chat_column_key(struct tx *tx, const char *list)
{
    const char *key = make_key(tx, 'C', list, tx_id_within);
    return key ? arena_printf(tx->arena, "Col%s", key + 1) : NULL;
}

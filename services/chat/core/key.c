/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and times as texts. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "services/chat/core/chat.h"
#include "services/chat/slack/files/list.h"
#include <stdio.h>

/* A world that was made of a dump counts its keys anew, and has those of the dump. */
#define IN_ONE "workspace in (select id from chat_workspace) and key = "
#define BEHIND "substr(:key, 2)"

/* Some keys go on with another letter: "Rm", "Rec", "Ct". */
static struct taken {
    const char *letters;
    struct sql_text q;
} taken[] = {
    {"A", SQL_TEXT("select 1 from chat_app where key = :key")},
    {"B", SQL_TEXT("select 1 from chat_install where " IN_ONE ":key union all "
                   "select 1 from chat_webhook where key = :key union all "
                   "select 1 from chat_bookmark where key = 'Bk' || " BEHIND)},
    {"CD", SQL_TEXT("select 1 from chat_channel where " IN_ONE ":key union all "
                    "select 1 from chat_agent_view where key = 'Ct' || " BEHIND)},
    {"F", SQL_TEXT("select 1 from chat_file where key = :key union all "
                   "select 1 from chat_execution where key = 'Fx' || " BEHIND)},
    {"I", SQL_TEXT("select 1 from chat_invite where key = :key")},
    {"L", SQL_TEXT("select 1 from chat_export where key = 'Le' || " BEHIND)},
    {"Q", SQL_TEXT("select 1 from chat_scheduled where key = :key")},
    {"R", SQL_TEXT("select 1 from chat_call where key = :key union all "
                   "select 1 from chat_reminder where key = 'Rm' || " BEHIND " union all "
                   "select 1 from chat_list_item where key = 'Rec' || " BEHIND)},
    {"S", SQL_TEXT("select 1 from chat_group where key = :key")},
    {"T", SQL_TEXT("select 1 from chat_workspace where key = :key")},
    {"U", SQL_TEXT("select 1 from chat_user where " IN_ONE ":key")},
    {"V", SQL_TEXT("select 1 from chat_view where key = :key")},
    {"W", SQL_TEXT("select 1 from chat_execution where workflow = 'Wx' || " BEHIND)},
    {"X", SQL_TEXT("select 1 from chat_profile_field where " IN_ONE "'Xf' || " BEHIND)},
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

void chat_ts_text(char ret_text[CHAT_TS_LEN], int64_t us)
{
    char *p = ret_text + 17;
    int64_t s = us / US_PER_SECOND, rest = us % US_PER_SECOND;
    if (s < 1000000000 || s > 9999999999) {
        snprintf(ret_text, CHAT_TS_LEN, "%010lld.%06lld", (long long)s, (long long)rest);
        return;
    }
    *p = 0;
    for (int i = 0; i < 6; i++, rest /= 10)
        *--p = (char)('0' + rest % 10);
    *--p = '.';
    for (int i = 0; i < 10; i++, s /= 10)
        *--p = (char)('0' + s % 10);
}

int chat_ts_read(const char *text, int64_t *ret_us)
{
    size_t n = strspn(text, "0123456789"), m = 0;
    int64_t s = 0, rest = 0, unit = US_PER_SECOND / 10;
    if (n > 11 || (!n && text[0] != '.'))
        return -1;
    if (n && parse_i64(text, n, &s) < 0)
        return -1;
    if (text[n] == '.') {
        const char *p = text + n + 1;
        m = strspn(p, "0123456789");
        if (p[m] || m > 9 || (!n && !m))
            return -1;
        for (size_t i = 0; i < m && unit; i++, unit /= 10)
            rest += (p[i] - '0') * unit;
    } else if (text[n]) {
        return -1;
    }
    *ret_us = s * US_PER_SECOND + rest;
    return 0;
}

uint64_t chat_hash(const char *text)
{
    return hash_bytes(text, strlen(text)) * UINT64_C(0x9E3779B97F4A7C15);
}

void chat_notify(struct tx *tx, const char *kind, enum event_operation operation, int64_t scope,
                 int64_t entity, const char *const *members, const struct chat_change *detail)
{
    event_raise(tx, &(struct world_event){
                        .kind = kind,
                        .operation = operation,
                        .scope = scope,
                        .entity = entity,
                        .members = members,
                        .detail = detail ? arena_memdup(tx->arena, detail, sizeof *detail) : NULL});
}

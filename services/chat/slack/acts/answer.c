/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that one person alone sees, and addresses at which an app answers what somebody did. */
#include "engine/text/civil.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/acts/interact.h"

/* ---- messages for one person ---- */

/* Low counters behind the second, as the service's ephemeral messages have. */
static int next_ts(struct tx *tx, int64_t *ret_us)
{
    int64_t n;
    if (tx_number(tx, "chat.ephemeral", &n) < 0)
        return -1;
    *ret_us = tx->now_us / US_PER_SECOND * US_PER_SECOND + (n + 1) % 9999 * 100 + n / 9999 % 100;
    return 0;
}

int chat_ephemeral_add(struct tx *tx, struct chat_ephemeral *e)
{
    struct chat_ephemeral there;
    int r;
    do
        r = next_ts(tx, &e->ts_us) < 0
                ? -1
                : chat_ephemeral_find(tx, e->channel, e->user, e->ts_us, &there);
    while (r == 1); /* one that no dump brought */
    return r < 0 ? -1 : stored_new(tx, &slack_ephemeral_stored, e);
}

int chat_ephemeral_find(struct tx *tx, int64_t channel, int64_t user, int64_t ts_us,
                        struct chat_ephemeral *ret)
{
    static struct sql_text q = SQL_TEXT("where "
                                        "channel = :channel and user = :user and ts_us = :ts");
    return STORED_ONE(tx, &slack_ephemeral_stored, &q, ret, channel, user, ts_us);
}

int chat_ephemeral_next(struct tx *tx, int64_t channel, int64_t user, int64_t after_us,
                        struct chat_ephemeral *ret)
{
    static struct sql_text q = SQL_TEXT("where channel = :channel and "
                                        "user = :user and ts_us > :after order by ts_us limit 1");
    return STORED_ONE(tx, &slack_ephemeral_stored, &q, ret, channel, user, after_us);
}

int chat_ephemeral_save(struct tx *tx, const struct chat_ephemeral *e)
{
    static struct sql_text q =
        SQL_TEXT("update slack_ephemeral set message = :message where id = :id");
    return TX_RUN(tx, &q, e->message, e->id);
}

int chat_ephemeral_delete(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from slack_ephemeral where id = :id");
    return TX_RUN(tx, &q, id);
}

/* ---- addresses ---- */

/* A number and 24 letters and digits, which nobody guesses. */
static const char *answer_key(struct tx *tx)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    uint8_t random[32];
    char text[25];
    uint64_t n = 0;
    if (tx_secret(tx, "chat.answer", random, sizeof random) < 0)
        return NULL;
    for (size_t i = 0; i < 24; i++)
        text[i] = digits[random[i] % 62];
    text[24] = 0;
    for (size_t i = 24; i < 32; i++)
        n = n << 8 | random[i];
    return arena_printf(tx->arena, "%llu/%s",
                        (unsigned long long)(UINT64_C(1000000000000) + n % UINT64_C(9000000000000)),
                        text);
}

/* One that no dump brought. */
static int new_answer_key(struct tx *tx, struct chat_answer *a)
{
    struct chat_answer there;
    int r;
    do
        r = (a->key = answer_key(tx)) ? chat_answer_find(tx, a->key, &there) : -1;
    while (r == 1);
    return r;
}

int chat_answer_add(struct tx *tx, struct chat_answer *a)
{
    static struct sql_text old = SQL_TEXT("delete from slack_answer where created_us < :before");
    if (TX_RUN(tx, &old, tx->now_us - 2 * CHAT_ANSWER_US) < 0 || new_answer_key(tx, a) < 0)
        return -1;
    a->created_us = tx->now_us;
    a->uses = 0;
    return stored_new(tx, &slack_answer_stored, a);
}

int chat_answer_find(struct tx *tx, const char *key, struct chat_answer *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key");
    return STORED_ONE(tx, &slack_answer_stored, &q, ret, key);
}

int chat_answer_get(struct tx *tx, int64_t id, struct chat_answer *ret)
{
    return stored_get(tx, &slack_answer_stored, id, ret);
}

int chat_answer_use(struct tx *tx, const struct chat_answer *a)
{
    static struct sql_text q = SQL_TEXT("update slack_answer set uses = uses + 1 where id = :id");
    return TX_RUN(tx, &q, a->id);
}

/* ---- what an app was notified of ---- */

static const struct member act_columns[] = {
    STORED_ID(struct chat_act),
    {TEXT_AT(struct chat_act, kind)},
    {REF_AT(struct chat_act, workspace, NULL)},
    {REF_AT(struct chat_act, app, NULL)},
    {REF_AT(struct chat_act, user, NULL)},
    {REF_AT(struct chat_act, channel, NULL)},
    {REF_AT(struct chat_act, view, NULL)},
    {REF_AT(struct chat_act, answer, NULL)},
    {TEXT_AT(struct chat_act, name)},
    {BOOL_AT(struct chat_act, waits)},
    {TEXT_AT(struct chat_act, result)},
    {TIME_AT(struct chat_act, created_us)},
};
STORED_HERE(act_stored, "An act", struct chat_act, act_columns, NULL, .table = "slack_act");

int chat_act_add(struct tx *tx, struct chat_act *a)
{
    /* What nobody asked for: its call was given up. */
    static struct sql_text old = SQL_TEXT("delete from slack_act where created_us < :before");
    a->created_us = tx->now_us;
    return TX_RUN(tx, &old, tx->now_us - 3600 * US_PER_SECOND) < 0 ? -1
                                                                   : stored_new(tx, &act_stored, a);
}

int chat_act_get(struct tx *tx, int64_t id, struct chat_act *ret)
{
    return stored_get(tx, &act_stored, id, ret);
}

int chat_act_forget(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from slack_act where id = :id");
    return TX_RUN(tx, &q, id);
}

int chat_act_end(struct tx *tx, const struct chat_act *a, const char *result)
{
    static struct sql_text q = SQL_TEXT("update slack_act set result = :result where id = :id");
    return a->waits ? TX_RUN(tx, &q, result, a->id) : chat_act_forget(tx, a->id);
}

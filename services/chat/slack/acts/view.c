/* SPDX-License-Identifier: Apache-2.0 */
/* Views of apps, and the triggers that let an app show one. */
#include "engine/text/civil.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/acts/interact.h"

int chat_view_get(struct tx *tx, int64_t id, struct chat_view *ret)
{
    return stored_get(tx, &slack_view_stored, id, ret);
}

int chat_view_find(struct tx *tx, int64_t app, const char *key, struct chat_view *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key and app = :app");
    return STORED_ONE(tx, &slack_view_stored, &q, ret, key, app);
}

int chat_view_by_external(struct tx *tx, int64_t app, const char *id, struct chat_view *ret)
{
    static struct sql_text q = SQL_TEXT("where app = :app and external_id = :external");
    return STORED_ONE(tx, &slack_view_stored, &q, ret, app, id);
}

int chat_view_at(struct tx *tx, int64_t app, int64_t user, int64_t place, struct chat_view *ret)
{
    static struct sql_text q = SQL_TEXT("where app = :app and user = :user and place = :place");
    return STORED_ONE(tx, &slack_view_stored, &q, ret, app, user, place);
}

int chat_view_top(struct tx *tx, int64_t app, int64_t user, struct chat_view *ret)
{
    static struct sql_text q =
        SQL_TEXT("where app = :app and user = :user and place > 0 order by place desc limit 1");
    return STORED_ONE(tx, &slack_view_stored, &q, ret, app, user);
}

int chat_view_next(struct tx *tx, int64_t user, int64_t after, struct chat_view *ret)
{
    static struct sql_text q = SQL_TEXT("where user = :user and id > :after order by id limit 1");
    return STORED_ONE(tx, &slack_view_stored, &q, ret, user, after);
}

/* before: the hash that it has; NULL: none. */
static const char *new_hash(struct tx *tx, const char *before)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789ab";
    uint8_t random[8];
    char text[9] = "";
    if (tx_id(tx, "chat.hash", random, sizeof random) < 0)
        return NULL;
    for (size_t i = 0; i < 8; i++)
        text[i] = digits[random[i] % 62];
    const char *hash =
        arena_printf(tx->arena, "%lld.%s", (long long)(tx->now_us / US_PER_SECOND), text);
    return before && strcmp(hash, before) == 0 ? new_hash(tx, NULL) : hash;
}

static int close_from(struct tx *tx, int64_t app, int64_t user, int64_t from, int64_t to)
{
    static struct sql_text q = SQL_TEXT("delete from slack_view where app = :app and user = :user "
                                        "and place between :from and :to");
    return TX_RUN(tx, &q, app, user, from, to);
}

int chat_view_add(struct tx *tx, struct chat_view *v)
{
    if (v->place <= 1 && close_from(tx, v->app, v->user, v->place, v->place ? INT32_MAX : 0) < 0)
        return -1;
    if ((!v->key && !(v->key = chat_key(tx, 'V'))) || !(v->hash = new_hash(tx, NULL)) ||
        stored_new(tx, &slack_view_stored, v) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_VIEW, OP_ADDED, v->workspace, v->id, NULL, NULL);
    return 0;
}

int chat_view_save(struct tx *tx, struct chat_view *v)
{
    return (v->hash = new_hash(tx, v->hash)) ? stored_save(tx, &slack_view_stored, v->id, v) : -1;
}

int chat_view_fill(struct tx *tx, struct chat_view *v)
{
    static struct sql_text q = SQL_TEXT("update slack_view set state = :state where id = :id");
    return TX_RUN(tx, &q, v->state, v->id);
}

int chat_view_close(struct tx *tx, const struct chat_view *v)
{
    return close_from(tx, v->app, v->user, v->place, v->place ? INT32_MAX : 0);
}

/* ---- triggers ---- */

/* Three numbers, as programs see them: of the act, of the workspace, and 32 digits that nobody
 * guesses. */
static const char *trigger_key(struct tx *tx, int64_t workspace)
{
    struct chat_workspace w;
    uint8_t random[24];
    char hex[33];
    uint64_t n = 0;
    if (tx_secret(tx, "chat.trigger", random, sizeof random) < 0 ||
        chat_workspace_get(tx, workspace, &w) != 1)
        return NULL;
    for (size_t i = 0; i < 16; i++)
        for (int k = 0; k < 2; k++)
            hex[2 * i + (size_t)k] = "0123456789abcdef"[random[i] >> (k ? 0 : 4) & 15];
    hex[32] = 0;
    for (size_t i = 16; i < 24; i++)
        n = n << 8 | random[i];
    return arena_printf(
        tx->arena, "%llu.%llu.%s",
        (unsigned long long)(UINT64_C(1000000000000) + n % UINT64_C(9000000000000)),
        (unsigned long long)(UINT64_C(1000000000) + chat_hash(w.key) % UINT64_C(9000000000)), hex);
}

/* One that no dump brought. */
static int new_trigger_key(struct tx *tx, struct chat_trigger *t)
{
    struct chat_trigger there;
    int r;
    do
        r = (t->key = trigger_key(tx, t->workspace)) ? chat_trigger_find(tx, t->key, &there) : -1;
    while (r == 1);
    return r;
}

int chat_trigger_add(struct tx *tx, struct chat_trigger *t)
{
    /* What is long over is forgotten; a key is refused as expired for an hour. */
    static struct sql_text old = SQL_TEXT("delete from slack_trigger where created_us < :before");
    if (TX_RUN(tx, &old, tx->now_us - 3600 * US_PER_SECOND) < 0 || new_trigger_key(tx, t) < 0)
        return -1;
    t->created_us = tx->now_us;
    t->used = false;
    return stored_new(tx, &slack_trigger_stored, t);
}

int chat_trigger_find(struct tx *tx, const char *key, struct chat_trigger *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key");
    return STORED_ONE(tx, &slack_trigger_stored, &q, ret, key);
}

int chat_trigger_get(struct tx *tx, int64_t id, struct chat_trigger *ret)
{
    return stored_get(tx, &slack_trigger_stored, id, ret);
}

int chat_trigger_use(struct tx *tx, const struct chat_trigger *t)
{
    static struct sql_text q = SQL_TEXT("update slack_trigger set used = 1 where id = :id");
    return TX_RUN(tx, &q, t->id);
}

/* ---- dialogs ---- */

int chat_dialog_get(struct tx *tx, int64_t id, struct chat_dialog *ret)
{
    return stored_get(tx, &slack_dialog_stored, id, ret);
}

int chat_dialog_of(struct tx *tx, int64_t user, struct chat_dialog *ret)
{
    static struct sql_text q = SQL_TEXT("where user = :user");
    return STORED_ONE(tx, &slack_dialog_stored, &q, ret, user);
}

int chat_dialog_close(struct tx *tx, int64_t id)
{
    static struct sql_text q = SQL_TEXT("delete from slack_dialog where id = :id");
    return TX_RUN(tx, &q, id);
}

int chat_dialog_open(struct tx *tx, struct chat_dialog *d)
{
    struct chat_dialog there;
    int r = chat_dialog_of(tx, d->user, &there);
    if (r < 0 || (r && chat_dialog_close(tx, there.id) < 0) ||
        stored_new(tx, &slack_dialog_stored, d) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_DIALOG, OP_ADDED, d->workspace, d->id, NULL, NULL);
    return 0;
}

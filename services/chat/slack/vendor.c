/* SPDX-License-Identifier: Apache-2.0 */
/* What Slack lays down for the chat core: keys, how texts read, what hangs on messages. */
#include "engine/world/ids.h"
#include "services/chat/core/vendor.h"
#include "engine/base/utf8.h"
#include "services/chat/slack/store.h"
#include "services/chat/slack/web/emoji.h"
#include <stdlib.h>

static const char *key(struct tx *tx, enum chat_thing thing, enum chat_kind kind)
{
    return chat_key(tx, thing == CHAT_THING_WORKSPACE ? 'T'
                        : thing == CHAT_THING_USER    ? 'U'
                        : kind == CHAT_DIRECT         ? 'D'
                                                      : 'C');
}

char sl_unescaped(const char *text, size_t *ret_n)
{
    static const struct {
        const char *escape;
        char is;
    } all[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}};
    for (size_t i = 0; *text == '&' && i < SOSIA_LEN(all); i++) {
        *ret_n = strlen(all[i].escape);
        if (strncmp(text, all[i].escape, *ret_n) == 0)
            return all[i].is;
    }
    *ret_n = 1;
    return *text;
}

static const char *plain(struct arena *a, const char *text)
{
    size_t n = 0, step;
    if (!strchr(text, '&'))
        return text;
    char *read = arena_alloc(a, strlen(text) + 1);
    if (arena_failed(a))
        return NULL;
    for (const char *p = text; *p; p += step)
        read[n++] = sl_unescaped(p, &step);
    read[n] = 0;
    return read;
}

/* What is between < and >: "@U0BOB" and "@U0BOB|bob" are a name, "https://a.example|A" is "A". 1 it
 * is one of these, 0, -1. */
static int add_markup(struct tx *tx, int64_t workspace, const char *inner, struct buf *b,
                      int64_t *ret_users, size_t *ret_n)
{
    const char *label = strchr(inner, '|');
    struct chat_user u;
    if (strncmp(inner, "http", 4) == 0) {
        buf_puts(b, label ? label + 1 : inner);
        return 1;
    }
    if (*inner != '@' || *ret_n == CHAT_SAID_MAX)
        return 0;
    const char *key = arena_printf(tx->arena, "%.*s", (int)strcspn(inner + 1, "|"), inner + 1);
    int r = chat_user_find(tx, workspace, key, &u);
    if (r == 1) {
        buf_puts(b, u.real_name);
        ret_users[(*ret_n)++] = u.id;
    }
    return r;
}

static int said(struct tx *tx, int64_t workspace, const char *text, const char **ret_text,
                int64_t *ret_users, size_t *ret_n)
{
    const char *last = strrchr(text, '>'); /* behind it nothing is marked up */
    struct buf b;
    int r = 0;
    *ret_n = 0;
    buf_init(&b, 0);
    for (const char *p = text, *end; r >= 0 && *p; p = r == 1 ? end + 1 : p + 1) {
        end = *p == '<' && last && p < last ? p + 1 + strcspn(p + 1, "<>") : NULL;
        r = end && *end == '>'
                ? add_markup(tx, workspace,
                             arena_printf(tx->arena, "%.*s", (int)(end - p - 1), p + 1), &b,
                             ret_users, ret_n)
                : 0;
        if (r == 0)
            buf_byte(&b, *p);
    }
    *ret_text = r < 0 ? NULL : plain(tx->arena, arena_printf(tx->arena, "%s", buf_str(&b)));
    const bool failed = buf_failed(&b);
    buf_done(&b);
    return r < 0 ? -1 : failed || !*ret_text ? sosia_fail_memory(tx->err) : 0;
}

/* "+1": 1f44d; with a tone behind it: "+1::skin-tone-2". */
static const char *emoji(struct arena *a, const char *name)
{
    const struct sl_emoji *e = sl_emoji_named(name, strcspn(name, ":"));
    char *text = e && e->code ? arena_alloc(a, 4 * strlen(e->code) + 1) : NULL;
    if (!text || arena_failed(a))
        return name;
    char *put = text, *end;
    for (const char *p = e->code; *p; p = *end == '-' ? end + 1 : end)
        put = utf8_put(put, (unsigned)strtoul(p, &end, 16));
    *put = 0;
    return text;
}

static uint32_t has(const struct chat_message *m)
{
    return (strstr(m->text, "<http") ? CHAT_HAS_LINK : 0) | (m->files ? CHAT_HAS_FILE : 0);
}

/* Its files are shared by it. */
static int came(struct tx *tx, const struct chat_channel *ch, const struct chat_message *m)
{
    const struct json *keys;
    struct chat_file f;
    if (!m->files)
        return 0;
    if (json_parse(tx->arena, m->files, strlen(m->files), NULL, &keys, tx->err) < 0)
        return -1;
    for (uint32_t i = 0; keys->type == JSON_ARRAY && i < keys->n; i++) {
        const char *key = keys->items[i].type == JSON_STRING ? keys->items[i].str : "";
        int r = chat_file_find(tx, ch->workspace, key, &f);
        if (r < 0 ||
            (r && f.state == CHAT_FILE_THERE && chat_file_share(tx, &f, ch->id, m->id) < 0))
            return -1;
    }
    return 0;
}

/* Stars, what its files are shared by, what assistants show in its thread. */
static int gone(struct tx *tx, const struct chat_message *m)
{
    static struct sql_text stars = SQL_TEXT("delete from slack_star where message = :id");
    static struct sql_text shares =
        SQL_TEXT("delete from slack_share where channel = :channel and message = :id");
    static struct sql_text assists =
        SQL_TEXT("delete from slack_assist where channel = :channel and message = :message");
    int64_t channel = chat_message_channel(m->id);
    return TX_RUN(tx, &stars, m->id) < 0 || (m->files && TX_RUN(tx, &shares, channel, m->id) < 0) ||
                   TX_RUN(tx, &assists, channel, m->id) < 0
               ? -1
               : 0;
}

static int saved_by(struct tx *tx, int64_t user, int64_t **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select message from slack_star where user = :user and message is not null");
    return ids_all(tx, TX_QUERY(tx, &q, user), ret, ret_n);
}

const struct chat_vendor slack_chat_vendor = {
    .key = key,
    .letters = {"T", "UW", "CDG"},
    .plain = plain,
    .said = said,
    .emoji = emoji,
    .has = has,
    .came = came,
    .gone = gone,
    .saved_by = saved_by,
    .seed_apps = chat_installs_seed,
    .dump_apps = chat_installs_dump,
};

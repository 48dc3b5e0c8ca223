/* SPDX-License-Identifier: Apache-2.0 */
/* What assistants show in threads, and its section of seed documents. */
#include "services/chat/slack/agents/assist.h"
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"

int chat_assist_of(struct tx *tx, int64_t channel, int64_t message, int64_t app,
                   struct chat_assist *ret)
{
    static struct sql_text q =
        SQL_TEXT("where channel = :channel and message = :message and coalesce(app, 0) = :app");
    int r = STORED_ONE(tx, &slack_assist_stored, &q, ret, channel, message, app);
    if (!r)
        *ret =
            (struct chat_assist){.channel = channel, .message = message, .app = app, .status = ""};
    return r < 0 ? -1 : 0;
}

int chat_assist_save(struct tx *tx, struct chat_assist *a)
{
    return a->id ? stored_save(tx, &slack_assist_stored, a->id, a)
                 : stored_new(tx, &slack_assist_stored, a);
}

/* The message that its thread begins with. */
static int read_thread(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_assist *a = row;
    struct chat_message root = {0};
    const char *ts;
    int64_t us;
    if (doc_str(in->d, in->value, m->name, false, &ts) < 0)
        return -1;
    int r = ts && chat_ts_read(ts, &us) == 0 ? chat_message_find(in->tx, a->channel, us, &root) : 0;
    a->message = root.id;
    return r < 0      ? -1
           : r || !ts ? 0
                      : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                 "there is no message at \"%.40s\"", ts);
}

static int write_thread(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_assist *a = row;
    struct chat_message root;
    int r = a->message ? chat_message_get(out->tx, a->message, &root) : 0;
    if (r == 1)
        chat_dump_ts(out->w, m->name, root.ts_us);
    return r < 0 ? -1 : 0;
}

static int add_assist(const struct form_in *in, void *row)
{
    return chat_assist_save(in->tx, row);
}

static const struct member assist_members[] = {
    CHAT_WORKSPACE_BY(struct chat_assist, channel, chat_write_workspace_of_channel),
    STORED_ID(struct chat_assist),
    {"channel", "The channel", CHAT_CHANNEL_AT(struct chat_assist, channel),
     .flags = MEMBER_REQUIRED},
    {"thread", "The thread; else none", .kind = MEMBER_INT, .noun = "ts of a message",
     .read = read_thread, .write = write_thread,
     MEMBER_TYPED(struct chat_assist, message, int64_t)},
    {"app", "The app", CHAT_APP_AT(struct chat_assist, app)},
    {"status", "Its status", TEXT_AT(struct chat_assist, status), .usual_text = ""},
    {"set", "When it was set", CHAT_TS_AT(struct chat_assist, status_us)},
    {"loading", "Messages that are shown in turns",
     KEPT_AT(struct chat_assist, loading, JSON_ARRAY), .inner = "*"},
    {"prompts", "Suggestions, of title and message",
     KEPT_AT(struct chat_assist, prompts, JSON_ARRAY)},
    {"title", "Their title", TEXT_AT(struct chat_assist, prompts_title)},
};
STORED(slack_assist_stored, "What an assistant shows in a thread", struct chat_assist,
       assist_members, NULL, .table = "slack_assist", .key = "channel thread app",
       .add = add_assist);

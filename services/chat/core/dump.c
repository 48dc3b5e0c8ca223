/* SPDX-License-Identifier: Apache-2.0 */
/* Workspaces, channels and messages in the form of seed documents, and what diffs call them. */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "engine/world/take.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"

/* ---- workspaces ---- */

int chat_user_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_user u;
    int r = chat_user_get(tx, id, &u);
    if (r != 1 || !u.actor) /* the helper is made with it */
        return r < 0 ? -1 : 0;
    return form_write(&(struct form_out){tx, w}, &chat_user_form, &u) < 0 ? -1 : 1;
}

/* A list with what one() writes for each row of the query; left out if it is empty unless kept. */
int chat_dump_rows(struct tx *tx, struct json_writer *w, const char *member, struct sql_text *q,
                   int64_t of, bool keep,
                   int (*one)(struct tx *tx, int64_t id, struct json_writer *w))
{
    sqlite3_stmt *st = TX_QUERY(tx, q, of);
    int r = st ? 1 : -1, n = 0;
    if (keep)
        json_arr(w, member);
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        if (!n++ && !keep)
            json_arr(w, member);
        json_obj(w, NULL);
        int rc = one(tx, sqlite3_column_int64(st, 0), w);
        json_end(w);
        if (rc < 0) {
            sql_done(st);
            return -1;
        }
    }
    if (n || keep)
        json_end(w);
    return r;
}

int chat_workspace_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text users = SQL_TEXT("select id from chat_user where workspace = :workspace "
                                            "and actor is not null order by id");
    struct chat_workspace ws;
    int r = chat_workspace_get(tx, id, &ws);
    if (r != 1)
        return r;
    if (form_write(&(struct form_out){tx, w}, &chat_workspace_form, &ws) < 0)
        return -1;
    const struct chat_vendor *vendor = chat_vendor_of(tx, id);
    return chat_dump_rows(tx, w, "members", &users, id, true, chat_user_dump) < 0 ||
                   (vendor->dump_apps && vendor->dump_apps(tx, w, &ws) < 0)
               ? -1
               : 1;
}

/* ---- channels ---- */

static int member_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select u.key, m.read_us, m.open, m.joined_s, m.part from "
                                        "chat_member m join chat_user u on u.id = m.user where "
                                        "m.id = :id");
    struct chat_who who;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, id), &who.user, &who.read_us, &who.open, &who.joined_s,
                    &who.part);
    return r == 1 && form_write(&(struct form_out){tx, w}, &chat_who_form, &who) < 0 ? -1 : r;
}

int chat_channel_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text members =
        SQL_TEXT("select m.id from chat_member m join chat_user u on u.id = m.user join "
                 "chat_channel c on c.id = m.channel where m.channel = :channel and u.workspace = "
                 "c.workspace order by m.id");
    struct chat_channel ch;
    int r = chat_channel_get(tx, id, &ch);
    if (r != 1)
        return r;
    if (form_write(&(struct form_out){tx, w}, &chat_channel_form, &ch) < 0)
        return -1;
    return chat_dump_rows(tx, w, "members", &members, id, true, member_dump) < 0 ? -1 : 1;
}

/* ---- messages ---- */

int chat_message_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_message m, root;
    struct chat_channel ch;
    int r = chat_message_get(tx, id, &m);
    if (r != 1 || (r = chat_channel_get(tx, chat_message_channel(id), &ch)) != 1)
        return r;
    if (chat_dump_workspace(tx, w, ch.workspace) < 0)
        return -1;
    json_str(w, "channel", ch.key);
    chat_dump_ts(w, "ts", m.ts_us);
    if (m.thread && m.thread != m.id && (r = chat_message_get(tx, m.thread, &root)) == 1)
        chat_dump_ts(w, "thread", root.ts_us);
    const struct chat_post_row post = {.workspace = ch.workspace, .m = m};
    if (form_write(&(struct form_out){tx, w}, &chat_post_form, &post) < 0)
        return -1;
    if (chat_vendor_of(tx, ch.workspace)->parts && chat_dump_parts(tx, w, m.id) < 0)
        return -1;
    if (m.pinned_by)
        json_int(w, "pinned_at", m.pinned_s);
    return chat_dump_user(tx, w, "editor", m.editor) < 0 ||
                   (m.reactions &&
                    chat_dump_reactions(tx, w, m.id, 0, m.ts_us / US_PER_SECOND) < 0) ||
                   chat_dump_user(tx, w, "pinned", m.pinned_by) < 0
               ? -1
               : 1;
}

/* What one of them needs is gone behind it: there may be a million. */
static int message_dump_alone(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct arena *own = tx->arena, scratch;
    arena_init(&scratch, 0);
    tx->arena = &scratch;
    int r = chat_message_dump(tx, id, w);
    if (r >= 0 && arena_failed(&scratch))
        r = sosia_fail_memory(tx->err);
    tx->arena = own;
    arena_done(&scratch);
    return r;
}

int chat_messages_dump(struct tx *tx, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select id from chat_message order by id");
    return dump_list(tx, w, "messages", &q, message_dump_alone);
}

/* ---- entities ---- */

static int workspace_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from chat_workspace where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

int chat_user_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from chat_user where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

static int channel_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from chat_channel where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

int chat_message_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct chat_message m;
    if (channel_key(tx, chat_message_channel(rowid), w) < 0)
        return -1;
    int r = chat_message_get(tx, rowid, &m);
    if (r == 1)
        chat_dump_ts(w, "ts", m.ts_us);
    return r < 0 ? -1 : 0;
}

int chat_channel_vendor(struct tx *tx, int64_t channel, const char **ret)
{
    const struct core_policy *p = core_policy_next(tx->engine, CHAT_CORE, NULL);
    struct chat_workspace w;
    struct chat_channel ch;
    int r = chat_channel_get(tx, channel, &ch);
    if (r == 1)
        r = chat_workspace_get(tx, ch.workspace, &w);
    if (r == 1)
        *ret = *w.vendor ? w.vendor : p ? p->vendor : "";
    return r;
}

int chat_message_vendor(struct tx *tx, int64_t message, const char **ret)
{
    return chat_channel_vendor(tx, chat_message_channel(message), ret);
}

const struct entity chat_entities[CHAT_ENTITIES] = {
    {.name = "workspace",
     .table = "chat_workspace",
     .key = workspace_key,
     .dump = chat_workspace_dump,
     .members = "id domain name email_domain plan vendor created settings.** members.*.actor "
                "members.*.id members.*.name members.*.real_name members.*.display_name "
                "members.*.title members.*.phone members.*.email members.*.pronouns "
                "members.*.zone members.*.locale members.*.role members.*.status.text "
                "members.*.status.emoji members.*.status.expires members.*.presence "
                "members.*.color members.*.active members.*.fields.** members.*.photo "
                "members.*.deleted members.*.updated apps.*.client_id apps.*.id apps.*.bot "
                "apps.*.scopes apps.*.user_scopes apps.*.installer apps.*.installed "
                "apps.*.uninstalled"},
    {.name = "chatMember",
     .table = "chat_user",
     .key = chat_user_key,
     .dump = chat_user_dump,
     .members = "actor id name real_name display_name title phone email pronouns zone locale role "
                "status.text status.emoji status.expires presence color active fields.** photo "
                "deleted updated"},
    {.name = "channel",
     .table = "chat_channel",
     .vendor = chat_channel_vendor,
     .key = channel_key,
     .dump = chat_channel_dump,
     .plain = chat_channel_plain,
     .parts =
         (const struct entity_part[]){
             {"chat_member", ENTITY_OWNER("select channel from chat_member where id = ?1")},
             {NULL, NULL}}},
};

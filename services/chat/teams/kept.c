/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of seed documents that are Teams' own: whether people are there, and pictures in
 * messages. */
#include "engine/json/bytes.h"
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "services/chat/core/form.h"
#include "services/chat/teams/teams.h"

/* ---- presence ---- */

static const struct member presence_members[] = {
    CHAT_WORKSPACE_BY(struct teams_presence, user, chat_write_workspace_of_user),
    {"user", "Whose it is", CHAT_USER_AT(struct teams_presence, user), .flags = MEMBER_REQUIRED},
    {"preferred", "What they prefer to be shown as: availability/activity",
     TEXT_AT(struct teams_presence, preferred)},
    {"preferred_until", "Until then", CHAT_INSTANT_AT(struct teams_presence, preferred_until_us)},
    {"session", "What a program's session says: availability/activity",
     TEXT_AT(struct teams_presence, session)},
    {"session_until", "Until then", CHAT_INSTANT_AT(struct teams_presence, session_until_us)},
    {"status", "Their status message, as the API has it",
     KEPT_AT(struct teams_presence, status, JSON_OBJECT)},
    {"status_at", "When they set it", CHAT_INSTANT_AT(struct teams_presence, status_us)},
};

static int check_presence(const struct form_in *in, void *row)
{
    const struct teams_presence *p = row;
    const char *const words[] = {p->preferred, p->session};
    static const char *const names[] = {"preferred", "session"};
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (words[i] && (!strchr(words[i], '/') || strlen(words[i]) > 80))
            return doc_fail(in->d, json_get(in->value, names[i]), names[i],
                            "\"%.80s\" must be an availability and an activity, as "
                            "\"Busy/InACall\"",
                            words[i]);
    return 0;
}

STORED(teams_presence_stored, "Whether somebody is there", struct teams_presence, presence_members,
       check_presence, .table = "teams_presence", .id = "user", .key = "user");

/* ---- pictures ---- */

static const struct member picture_members[] = {
    OWN("workspace", "Its id or domain; else the first one", "text"),
    OWN_NEEDED("channel", "The channel or chat, by its id or name"),
    OWN_NEEDED("ts", "The message, by its time"),
    OWN_NEEDED("id", "The picture's id, as the message's text has it"),
    OWN_NEEDED("type", "Its media type"),
    OWN_NEEDED("content", "The picture in base64"),
};
const struct form teams_picture_form = FORM("A picture in a message", picture_members);

int teams_picture_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT("insert into teams_hosted (message, key, type, blob) "
                                        "values (:message, :key, :type, :blob)");
    const char *ts, *key, *type, *content;
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_message m;
    int64_t us, blob;
    uint8_t *data;
    size_t n;
    if (form_known(&(struct form_in){tx, d, v}, &teams_picture_form) < 0 ||
        chat_doc_workspace(tx, d, v, &w) < 0 || chat_doc_channel(tx, d, v, w.id, &ch) < 0 ||
        doc_str(d, v, "ts", true, &ts) < 0 || doc_str(d, v, "id", true, &key) < 0 ||
        doc_str(d, v, "type", true, &type) < 0 || doc_str(d, v, "content", true, &content) < 0)
        return -1;
    int r = chat_ts_read(ts, &us) < 0 ? 0 : chat_message_find(tx, ch.id, us, &m);
    if (r != 1)
        return r < 0 ? -1 : doc_fail(d, v, "ts", "there is no message at \"%.40s\"", ts);
    if (base64_decode(tx->arena, content, strlen(content), &data, &n) < 0 || !n)
        return doc_fail(d, json_get(v, "content"), "content", "is not base64");
    if (blob_put(tx, data, n, &blob) < 0)
        return -1;
    return TX_RUN(tx, &q, m.id, key, type, blob) == 0 ? 0 : doc_taken(d, v, "id");
}

int teams_picture_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select message, key, type, blob from teams_hosted where id = :id");
    struct chat_message m;
    struct chat_channel ch;
    sqlite3_stmt *st;
    const char *data;
    size_t n;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    const int64_t message = sqlite3_column_int64(st, 0), blob = sqlite3_column_int64(st, 3);
    const char *key = tx_string(tx, st, 1), *type = tx_string(tx, st, 2);
    sql_done(st);
    if (chat_message_get(tx, message, &m) != 1 ||
        chat_channel_get(tx, chat_message_channel(message), &ch) != 1 ||
        chat_dump_workspace(tx, w, ch.workspace) < 0 || blob_load(tx, blob, &data, &n) < 0)
        return -1;
    json_str(w, "channel", ch.key);
    chat_dump_ts(w, "ts", m.ts_us);
    json_str(w, "id", key);
    json_str(w, "type", type);
    json_base64(w, "content", data, n);
    return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What messages say besides their texts, in seed documents. */
#include "engine/json/doc.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"

/* One of "user", "channel", "team" and "all". */
static int read_mention(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                        struct chat_mention *ret)
{
    static const char *const members[] = {"user", "channel", "team", "all", "text", NULL};
    struct chat_user u;
    struct chat_channel ch;
    bool all;
    if (doc_object(d, v, members) < 0 || chat_doc_user(tx, d, v, "user", workspace, &u) < 0 ||
        chat_doc_team(tx, d, v, workspace, &ret->ref) < 0 ||
        doc_bool(d, v, "all", false, &all) < 0 || doc_str(d, v, "text", true, &ret->text) < 0 ||
        (json_get(v, "channel") && chat_doc_channel(tx, d, v, workspace, &ch) < 0))
        return -1;
    if ((u.id != 0) + (ret->ref != 0) + all + (json_get(v, "channel") != NULL) != 1)
        return doc_fail(d, v, NULL, "needs one of user, channel, team and all");
    ret->kind = u.id       ? CHAT_MENTION_USER
                : ret->ref ? CHAT_MENTION_TEAM
                : all      ? CHAT_MENTION_ALL
                           : CHAT_MENTION_CHANNEL;
    if (ret->kind == CHAT_MENTION_USER)
        ret->ref = u.id;
    if (ret->kind == CHAT_MENTION_CHANNEL)
        ret->ref = ch.id;
    return 0;
}

static int read_file(struct doc *d, const struct json *v, struct chat_drive_file *ret)
{
    static const char *const members[] = {"id", "name", "type", NULL};
    return doc_object(d, v, members) < 0 || doc_str(d, v, "id", true, &ret->file) < 0 ||
                   doc_str(d, v, "name", true, &ret->name) < 0 ||
                   doc_str(d, v, "type", true, &ret->type) < 0
               ? -1
               : 0;
}

int chat_doc_parts(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                   int64_t message)
{
    static const char *const own[] = {"mentions", "driveFiles"};
    struct chat_mention mention;
    struct chat_drive_file file;
    struct doc_items it;
    if (!chat_vendor_of(tx, workspace)->parts) {
        for (size_t i = 0; i < SOSIA_LEN(own); i++)
            if (json_get(v, own[i]))
                return doc_fail(d, json_get(v, own[i]), own[i],
                                "the workspace's vendor has this in the text");
        return 0;
    }
    if (doc_items(d, v, "mentions", &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (read_mention(tx, d, item, workspace, &mention) < 0 ||
            chat_mention_add(tx, message, &mention) < 0)
            return -1;
    if (doc_items(d, v, "driveFiles", &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (read_file(d, item, &file) < 0 || chat_drive_file_put(tx, message, &file) < 0)
            return -1;
    return 0;
}

static int dump_mention(struct tx *tx, struct json_writer *w, const struct chat_mention *m)
{
    struct chat_channel ch;
    int r = 0;
    json_obj(w, NULL);
    if (m->kind == CHAT_MENTION_USER)
        r = chat_dump_user(tx, w, "user", m->ref);
    else if (m->kind == CHAT_MENTION_TEAM)
        r = chat_dump_team(tx, w, m->ref);
    else if (m->kind == CHAT_MENTION_ALL)
        json_bool(w, "all", true);
    else if ((r = chat_channel_get(tx, m->ref, &ch)) == 1)
        json_str(w, "channel", ch.key);
    json_str(w, "text", m->text);
    json_end(w);
    return r < 0 ? -1 : 0;
}

int chat_dump_parts(struct tx *tx, struct json_writer *w, int64_t message)
{
    struct chat_mention *mentions;
    struct chat_drive_file *files;
    size_t n, n_files;
    if (chat_mentions(tx, message, &mentions, &n) < 0 ||
        chat_drive_files(tx, message, &files, &n_files) < 0)
        return -1;
    if (n)
        json_arr(w, "mentions");
    for (size_t i = 0; i < n; i++)
        if (dump_mention(tx, w, &mentions[i]) < 0)
            return -1;
    if (n)
        json_end(w);
    if (n_files)
        json_arr(w, "driveFiles");
    for (size_t i = 0; i < n_files; i++) {
        json_obj(w, NULL);
        json_str(w, "id", files[i].file);
        json_str(w, "name", files[i].name);
        json_str(w, "type", files[i].type);
        json_end(w);
    }
    if (n_files)
        json_end(w);
    return 0;
}

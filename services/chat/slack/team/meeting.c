/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that apps register, and their section of seed documents. */
#include "services/chat/slack/team/meeting.h"
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"

int chat_meeting_find(struct tx *tx, int64_t workspace, int64_t app, const char *key,
                      struct chat_meeting *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key and workspace = :workspace "
                                        "and coalesce(app, 0) = :app");
    return STORED_ONE(tx, &slack_call_stored, &q, ret, key, workspace, app);
}

int chat_meeting_add(struct tx *tx, struct chat_meeting *m)
{
    if (!m->key && !(m->key = chat_key(tx, 'R')))
        return -1;
    return stored_new(tx, &slack_call_stored, m);
}

int chat_meeting_save(struct tx *tx, const struct chat_meeting *m)
{
    return stored_save(tx, &slack_call_stored, m->id, m);
}

/* ---- seed documents ---- */

/* {"user": ...}, or {"external": ..., "name": ..., "image": ...}, as it is kept. */
static int seed_person(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                       struct json_writer *w)
{
    static const char *const members[] = {"user", "external", "name", "image", NULL};
    const char *external, *name, *image;
    struct chat_user u;
    if (doc_object(d, v, members) < 0 || chat_doc_user(tx, d, v, "user", workspace, &u) < 0 ||
        doc_str(d, v, "external", false, &external) < 0 ||
        doc_str(d, v, "name", false, &name) < 0 || doc_str(d, v, "image", false, &image) < 0)
        return -1;
    if (!u.id == !external)
        return doc_fail(d, v, NULL, "expected either \"user\" or \"external\"");
    json_obj(w, NULL);
    if (u.id)
        json_str(w, "user", u.key);
    json_str_opt(w, "external", external);
    json_str_opt(w, "name", name);
    json_str_opt(w, "image", image);
    json_end(w);
    return 0;
}

static int read_people(const struct form_in *in, const struct member *m, void *row)
{
    const struct chat_meeting *meeting = row;
    const struct json *list;
    struct doc_items it;
    struct json_writer w;
    struct buf b;
    int rc = 0;
    if (doc_list(in->d, in->value, m->name, &list) < 0)
        return -1;
    json_start(&w, &b);
    json_arr(&w, NULL);
    it = (struct doc_items){.list = list, .member = m->name};
    for (const struct json *one; rc == 0 && (one = doc_item(in->d, &it)) != NULL;)
        rc = seed_person(in->tx, in->d, one, meeting->workspace, &w);
    json_end(&w);
    member_put_text(m, row, arena_strdup(in->tx->arena, buf_str(&b)));
    buf_done(&b);
    return rc;
}

static int check_meeting(const struct form_in *in, void *row)
{
    return chat_unsaid_now(in->tx, &((struct chat_meeting *)row)->started_s);
}

static int add_meeting(const struct form_in *in, void *row)
{
    return chat_meeting_add(in->tx, row);
}

static const struct member meeting_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_meeting),
    {"id", "Its id, from R on", CHAT_KEY_AT(struct chat_meeting, key, "R")},
    {"app", "The app that registered it", CHAT_APP_AT(struct chat_meeting, app)},
    {"external_id", "The app's own id", TEXT_AT(struct chat_meeting, external_id),
     .flags = MEMBER_REQUIRED},
    {"display_id", "The id that people see", TEXT_AT(struct chat_meeting, display_id)},
    {"url", "Where people join it", TEXT_AT(struct chat_meeting, join_url),
     .flags = MEMBER_REQUIRED},
    {"desktop", "The same, for its program", TEXT_AT(struct chat_meeting, desktop_url)},
    {"title", "Its title", TEXT_AT(struct chat_meeting, title)},
    {"creator", "The person who made it", CHAT_USER_AT(struct chat_meeting, creator)},
    {"start", "Its time; else now", CHAT_SECOND_AT(struct chat_meeting, started_s),
     .usual = CHAT_UNSAID},
    {"end", "When it ended", CHAT_SECOND_AT(struct chat_meeting, ended_s)},
    {"people", "user of each, or external with name and image",
     KEPT_AT(struct chat_meeting, people, JSON_ARRAY), .read = read_people, .inner = "*.**"},
};
STORED(slack_call_stored, "A call that an app registers", struct chat_meeting, meeting_members,
       check_meeting, .table = "slack_call", .key = "id", .add = add_meeting);

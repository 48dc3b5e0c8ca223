/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that apps register, and their section of seed documents. */
#include "services/chat/slack/team/meeting.h"
#include "engine/json/doc.h"
#include "services/chat/slack/store.h"

#define MEETING                                                                                    \
    "id, key, workspace, app, external_id, display_id, join_url, desktop_url, title, creator, "    \
    "started_s, ended_s, people"

static int read_meeting(struct tx *tx, sqlite3_stmt *st, struct chat_meeting *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct chat_meeting){.id = sqlite3_column_int64(st, 0),
                                 .key = tx_string(tx, st, 1),
                                 .workspace = sqlite3_column_int64(st, 2),
                                 .app = sqlite3_column_int64(st, 3),
                                 .external_id = tx_string(tx, st, 4),
                                 .display_id = tx_string(tx, st, 5),
                                 .join_url = tx_string(tx, st, 6),
                                 .desktop_url = tx_string(tx, st, 7),
                                 .title = tx_string(tx, st, 8),
                                 .creator = sqlite3_column_int64(st, 9),
                                 .started_s = sqlite3_column_int64(st, 10),
                                 .ended_s = sqlite3_column_int64(st, 11),
                                 .people = tx_string(tx, st, 12)};
    sql_done(st);
    return 1;
}

int chat_meeting_find(struct tx *tx, int64_t workspace, int64_t app, const char *key,
                      struct chat_meeting *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " MEETING " from slack_call where key = :key and workspace = :workspace "
                 "and coalesce(app, 0) = :app");
    return read_meeting(tx, TX_QUERY(tx, &q, key, workspace, app), ret);
}

int chat_meeting_add(struct tx *tx, struct chat_meeting *m)
{
    static struct sql_text q =
        SQL_TEXT("insert into slack_call (key, workspace, app, external_id, display_id, join_url, "
                 "desktop_url, title, creator, started_s, ended_s, people) values (:key, "
                 ":workspace, :app, :external, :display, :join, :desktop, :title, :creator, "
                 ":started, :ended, :people)");
    if (!m->key && !(m->key = chat_key(tx, 'R')))
        return -1;
    if (TX_RUN(tx, &q, m->key, m->workspace, sql_int_or_null(m->app, 0), m->external_id,
               m->display_id, m->join_url, m->desktop_url, m->title, sql_int_or_null(m->creator, 0),
               m->started_s, m->ended_s, m->people) < 0)
        return -1;
    m->id = chat_last_id(tx);
    return 0;
}

int chat_meeting_save(struct tx *tx, const struct chat_meeting *m)
{
    static struct sql_text q =
        SQL_TEXT("update slack_call set join_url = :join, desktop_url = :desktop, title = :title, "
                 "ended_s = :ended, people = :people where id = :id");
    return TX_RUN(tx, &q, m->join_url, m->desktop_url, m->title, m->ended_s, m->people, m->id);
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

static int seed_people(struct tx *tx, struct doc *d, const struct json *v, int64_t workspace,
                       const char **ret)
{
    const struct json *list;
    struct json_writer w;
    struct buf b;
    int rc = 0;
    if (doc_list(d, v, "people", &list) < 0)
        return -1;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (uint32_t i = 0; list && rc == 0 && i < list->n; i++) {
        size_t mark = doc_push(d, "people", i);
        if ((rc = seed_person(tx, d, &list->items[i], workspace, &w)) == 0)
            doc_pop(d, mark);
    }
    json_end(&w);
    *ret = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return rc;
}

int chat_meeting_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static const char *const members[] = {
        "workspace", "id",      "app",   "external_id", "display_id", "url", "desktop",
        "title",     "creator", "start", "end",         "people",     NULL};
    int64_t now = tx->now_us / 1000000;
    struct chat_workspace w;
    struct chat_user creator;
    struct chat_meeting m = {0};
    if (doc_object(d, v, members) < 0 || chat_doc_workspace(tx, d, v, &w) < 0 ||
        chat_doc_key(d, v, "R", &m.key) < 0 || chat_doc_app(tx, d, v, &m.app) < 0 ||
        doc_str(d, v, "external_id", true, &m.external_id) < 0 ||
        doc_str(d, v, "display_id", false, &m.display_id) < 0 ||
        doc_str(d, v, "url", true, &m.join_url) < 0 ||
        doc_str(d, v, "desktop", false, &m.desktop_url) < 0 ||
        doc_str(d, v, "title", false, &m.title) < 0 ||
        chat_doc_user(tx, d, v, "creator", w.id, &creator) < 0 ||
        chat_doc_second(d, v, "start", now, &m.started_s) < 0 ||
        chat_doc_second(d, v, "end", 0, &m.ended_s) < 0 ||
        seed_people(tx, d, v, w.id, &m.people) < 0)
        return -1;
    m.workspace = w.id;
    m.creator = creator.id;
    return chat_doc_added(tx, d, v, "id", chat_meeting_add(tx, &m));
}

int chat_meeting_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select " MEETING " from slack_call where id = :id");
    struct chat_meeting m;
    int r = read_meeting(tx, TX_QUERY(tx, &q, id), &m);
    if (r != 1)
        return r;
    if (chat_dump_workspace(tx, w, m.workspace) < 0)
        return -1;
    json_str(w, "id", m.key);
    if (chat_dump_app(tx, w, "app", m.app) < 0)
        return -1;
    json_str(w, "external_id", m.external_id);
    json_str_opt(w, "display_id", m.display_id);
    json_str(w, "url", m.join_url);
    json_str_opt(w, "desktop", m.desktop_url);
    json_str_opt(w, "title", m.title);
    if (chat_dump_user(tx, w, "creator", m.creator) < 0)
        return -1;
    json_int(w, "start", m.started_s);
    if (m.ended_s)
        json_int(w, "end", m.ended_s);
    chat_dump_raw(w, "people", m.people);
    return 1;
}

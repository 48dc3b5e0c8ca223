/* SPDX-License-Identifier: Apache-2.0 */
/* What people put on messages: reactions, pins. */
#include "engine/text/civil.h"
#include "services/chat/core/impl.h"

/* [{"name", "users", "count"}] in the order in which the names came. */
static int read_reactions(struct tx *tx, sqlite3_stmt *st, const char **ret)
{
    struct buf b;
    struct json_writer w;
    const char *name = NULL;
    int r = st ? 1 : -1, n = 0;
    json_start(&w, &b);
    json_arr(&w, NULL);
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        const char *next = (const char *)sqlite3_column_text(st, 0);
        if (!name || strcmp(name, next) != 0) {
            if (name) {
                json_end(&w);
                json_int(&w, "count", n);
                json_end(&w);
            }
            name = arena_strdup(tx->arena, next);
            json_obj(&w, NULL);
            json_str(&w, "name", name);
            json_arr(&w, "users");
            n = 0;
        }
        json_str(&w, NULL, (const char *)sqlite3_column_text(st, 1));
        n++;
    }
    if (name) {
        json_end(&w);
        json_int(&w, "count", n);
        json_end(&w);
    }
    json_end(&w);
    *ret = name ? arena_strdup(tx->arena, buf_str(&b)) : NULL;
    buf_done(&b);
    return r;
}

static int collect(struct tx *tx, struct chat_message *m)
{
    static struct sql_text q =
        SQL_TEXT("select r.name, u.key from chat_reaction r join chat_user u on u.id = r.user "
                 "where r.message = :message order by (select min(f.id) from chat_reaction f where "
                 "f.message = r.message and f.name = r.name), r.id");
    return read_reactions(tx, TX_QUERY(tx, &q, m->id), &m->reactions);
}

int chat_file_reactions(struct tx *tx, int64_t file, const char **ret)
{
    static struct sql_text q =
        SQL_TEXT("select r.name, u.key from chat_reaction r join chat_user u on u.id = r.user "
                 "where r.file = :file order by (select min(f.id) from chat_reaction f where "
                 "f.file = r.file and f.name = r.name), r.id");
    return read_reactions(tx, TX_QUERY(tx, &q, file), ret);
}

int chat_react(struct tx *tx, struct chat_message *m, const char *name, const struct chat_user *u,
               int64_t at_s)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into chat_reaction (message, name, user, at_s) values "
                 "(:message, :name, :user, :at)");
    if (TX_RUN(tx, &q, m->id, name, u->id, at_s) < 0)
        return -1;
    if (!sqlite3_changes(slot_db(tx->db)))
        return 0;
    if (collect(tx, m) < 0 || chat_message_save(tx, m, NULL) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_REACTION, OP_ADDED, chat_message_channel(m->id), m->id, NULL,
                &(struct chat_change){.message = *m, .user = u->id, .name = name});
    return 1;
}

int chat_unreact(struct tx *tx, struct chat_message *m, const char *name, const struct chat_user *u)
{
    static struct sql_text q = SQL_TEXT("delete from chat_reaction where message = :message and "
                                        "name = :name and user = :user");
    if (TX_RUN(tx, &q, m->id, name, u->id) < 0)
        return -1;
    if (!sqlite3_changes(slot_db(tx->db)))
        return 0;
    if (collect(tx, m) < 0 || chat_message_save(tx, m, NULL) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_REACTION, OP_REMOVED, chat_message_channel(m->id), m->id, NULL,
                &(struct chat_change){.message = *m, .user = u->id, .name = name});
    return 1;
}

int chat_file_react(struct tx *tx, int64_t file, const char *name, const struct chat_user *u,
                    int64_t at_s)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into chat_reaction (file, name, user, at_s) values "
                 "(:file, :name, :user, :at)");
    return TX_RUN(tx, &q, file, name, u->id, at_s) < 0 ? -1 : sqlite3_changes(slot_db(tx->db)) > 0;
}

int chat_file_unreact(struct tx *tx, int64_t file, const char *name, const struct chat_user *u)
{
    static struct sql_text q =
        SQL_TEXT("delete from chat_reaction where file = :file and name = :name and user = :user");
    return TX_RUN(tx, &q, file, name, u->id) < 0 ? -1 : sqlite3_changes(slot_db(tx->db)) > 0;
}

static int count_pins(struct tx *tx, struct chat_channel *ch, int by)
{
    static struct sql_text q = SQL_TEXT("update chat_channel set pins = pins + :by where id = :id");
    ch->pins += by;
    return TX_RUN(tx, &q, by, ch->id);
}

int chat_pin(struct tx *tx, struct chat_channel *ch, struct chat_message *m, int64_t user,
             int64_t at_s)
{
    static struct sql_text q = SQL_TEXT("insert into chat_pin (channel, message, user, at_s) "
                                        "values (:channel, :message, :user, :at)");
    if (m->pinned_by)
        return 0;
    m->pinned_by = user;
    m->pinned_s = at_s;
    if (TX_RUN(tx, &q, ch->id, m->id, user, at_s) < 0 || chat_message_save(tx, m, NULL) < 0 ||
        count_pins(tx, ch, 1) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_PIN, OP_ADDED, ch->id, m->id, NULL,
                &(struct chat_change){.message = *m, .user = user});
    return 1;
}

int chat_unpin(struct tx *tx, struct chat_channel *ch, struct chat_message *m, int64_t user)
{
    static struct sql_text q = SQL_TEXT("delete from chat_pin where message = :message");
    if (!m->pinned_by)
        return 0;
    m->pinned_by = m->pinned_s = 0;
    if (TX_RUN(tx, &q, m->id) < 0 || chat_message_save(tx, m, NULL) < 0 ||
        count_pins(tx, ch, -1) < 0)
        return -1;
    chat_notify(tx, CHAT_EV_PIN, OP_REMOVED, ch->id, m->id, NULL,
                &(struct chat_change){.message = *m, .user = user});
    return 1;
}

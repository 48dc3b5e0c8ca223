/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as Outlook knows them: their keys, versions and dates, and what clients lay beside. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/store/row.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/core/search.h"
#include "services/mail/outlook/outlook.h"

/* ---- rows ---- */

static struct row_table item_table = ROW_TABLE("outlook_item", "i", "version, modified_us, was");

static void as_it_came(struct outlook_item *i)
{
    i->version = 0;
    i->modified_us = i->message.at_s * US_PER_SECOND;
    i->was = 0;
}

static int read_row(struct tx *tx, struct outlook_item *i)
{
    struct record row = {.arena = tx->arena};
    int r = record_none(tx->db, &item_table.record)
                ? 0
                : ROW_BY_ID(tx, &item_table, i->message.id, &row);
    as_it_came(i);
    if (r == 1) {
        i->version = record_int(&row, 0);
        i->modified_us = record_int(&row, 1);
        i->was = record_int(&row, 2);
    }
    return r < 0 ? -1 : 0;
}

static int write_row(struct tx *tx, const struct outlook_item *i)
{
    static struct sql_text q = SQL_TEXT(
        "insert into outlook_item (message, version, modified_us, was) values (:message, :version, "
        ":modified, :was) on conflict (message) do update set version = excluded.version, "
        "modified_us = excluded.modified_us, was = excluded.was");
    return TX_RUN(tx, &q, i->message.id, i->version, i->modified_us, sql_int_or_null(i->was, 0));
}

bool outlook_items_unchanged(struct tx *tx)
{
    return record_none(tx->db, &item_table.record);
}

/* What is known of it without its row here. */
static int read_message(struct tx *tx, const struct mail_message *m, struct outlook_item *ret)
{
    if (m != &ret->message)
        ret->message = *m;
    m = &ret->message;
    ret->key = m->key;
    ret->meeting = 0;
    ret->draft.id = 0;
    if (m->flags & FLAG(KEYWORD_DRAFT)) {
        int r = mail_draft_of_message(tx, m, &ret->draft);
        if (r < 0)
            return -1;
        if (r)
            ret->key = ret->draft.key;
        else
            ret->draft.id = 0;
    }
    return m->has & HAS_INVITE && (ret->meeting = outlook_meeting_kind(tx, m)) < 0 ? -1 : 0;
}

int outlook_item_of(struct tx *tx, const struct mail_message *m, struct outlook_item *ret)
{
    return read_message(tx, m, ret) < 0 ? -1 : read_row(tx, ret);
}

int outlook_item_unchanged(struct tx *tx, const struct mail_message *m, struct outlook_item *ret)
{
    int r = read_message(tx, m, ret);
    as_it_came(ret);
    return r;
}

/* The message that a draft became, by the draft's key. */
static int sent_of(struct tx *tx, int64_t mailbox, int64_t key, struct mail_message *ret)
{
    static struct sql_text q =
        SQL_TEXT("select message from outlook_item where was = :key order by message");
    sqlite3_stmt *st = TX_QUERY(tx, &q, key);
    int r;
    while (st && (r = TX_STEP(tx, st)) == 1) {
        r = mail_message_by_id(tx, sqlite3_column_int64(st, 0), ret);
        if (r < 0 || (r == 1 && ret->mailbox == mailbox)) {
            sql_done(st);
            return r;
        }
    }
    return st ? r : -1;
}

int outlook_item_get(struct tx *tx, int64_t mailbox, int64_t key, struct outlook_item *ret)
{
    struct mail_message m;
    struct mail_draft d;
    int r = mail_draft_get(tx, mailbox, key, &d);
    if (r == 1)
        m = d.message;
    else if (r == 0)
        r = mail_message_get(tx, mailbox, key, &m);
    if (r == 1)
        r = outlook_item_of(tx, &m, ret) < 0 ? -1 : ret->key == key;
    return r;
}

/* ---- by the text of an id ---- */

static int item_gone(struct call *c)
{
    return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorItemNotFound", NULL,
                     "The specified object was not found in the store.");
}

int outlook_item_named(struct call *c, const struct outlook_box *b, const char *id,
                       struct outlook_item *ret)
{
    int64_t key = 0, place = 0;
    bool immutable;
    int r = outlook_message_id_parse(c->tx.arena, b, id, &key, &place, &immutable);
    if (r == 2)
        return call_fail(c, SOSIA_E_NOT_FOUND, "ErrorInvalidMailboxItemId", NULL,
                         "Item '%.200s' doesn't belong to the targeted mailbox '%s'.", id,
                         b->mailbox.email);
    if (r == 0)
        return graph_bad_id(c);
    r = outlook_item_get(&c->tx, b->mailbox.id, key, ret);
    if (r == 0 && immutable) {
        struct mail_message m;
        r = sent_of(&c->tx, b->mailbox.id, key, &m);
        if (r == 1)
            r = outlook_item_of(&c->tx, &m, ret) < 0 ? -1 : 1;
    }
    if (r == 1 && !immutable && mail_folder_place(ret->message.folder) != place)
        r = 0;
    return r == 1 ? 0 : r < 0 ? -1 : item_gone(c);
}

int outlook_item_of_path(struct call *c, const struct outlook_box *b, struct outlook_item *ret)
{
    const char *folder = param_str(c, "mailFolder-id");
    struct mail_folder f;
    if ((folder && outlook_folder_of_path(c, b, &f) < 0) ||
        outlook_item_named(c, b, param_str(c, "message-id"), ret) < 0)
        return -1;
    if (!folder || ret->message.folder == f.id)
        return 0;
    const char *number = arena_printf(c->tx.arena, "%lld", (long long)mail_folder_number(f.id));
    struct kept s; /* search folders show what is in others */
    int r = mail_folder_is_fixed(f.id) ? 0
                                       : mail_kept_get(&c->tx, &outlook_settings, b->mailbox.id,
                                                       SETTING_SEARCH, number, &s);
    return r < 0 ? -1 : r ? 0 : item_gone(c);
}

const char *outlook_item_id(struct arena *a, const struct outlook_box *b,
                            const struct outlook_item *i)
{
    return b->immutable ? outlook_immutable_id(a, b, i->was ? i->was : i->key)
                        : outlook_message_id(a, b, i->key, i->message.folder);
}

/* Keys may be of any 64 bits (identifiers of seeds), so that the sum wraps around. */
const char *outlook_item_change_key(struct arena *a, const struct outlook_box *b,
                                    const struct outlook_item *i)
{
    const uint64_t counter = 2 * (uint64_t)i->key + (uint64_t)i->version;
    return outlook_change_key(a, b, (int64_t)counter, i->meeting);
}

const char *outlook_item_etag(struct arena *a, const struct outlook_box *b,
                              const struct outlook_item *i)
{
    const char *key = outlook_item_change_key(a, b, i);
    const size_t n = strlen(key);
    char *tag = arena_alloc(a, n + sizeof "W/\"\"");
    memcpy(tag, "W/\"", 3);
    memcpy(tag + 3, key, n);
    memcpy(tag + 3 + n, "\"", 2);
    return tag;
}

int outlook_item_touch(struct tx *tx, struct outlook_item *i)
{
    i->version++;
    i->modified_us = tx->now_us;
    return write_row(tx, i);
}

int outlook_item_again(struct tx *tx, struct outlook_item *i)
{
    struct mail_message m;
    int r = mail_message_by_id(tx, i->message.id, &m);
    if (r != 1)
        return r < 0 ? -1 : sosia_fail(tx->err, SOSIA_E_NOT_FOUND, NULL, NULL, "a message is gone");
    return outlook_item_of(tx, &m, i);
}

int outlook_item_sent(struct tx *tx, const struct mail_message *m, int64_t key)
{
    struct outlook_item i = {.message = *m, .modified_us = m->at_s * US_PER_SECOND, .was = key};
    return key ? write_row(tx, &i) : 0;
}

int outlook_message_gone(struct tx *tx, const struct mail_message *m)
{
    static struct sql_text q = SQL_TEXT("delete from outlook_item where message = :message"),
                           q_extra = SQL_TEXT("delete from outlook_extra where message = :message");
    return TX_RUN(tx, &q, m->id) < 0 || TX_RUN(tx, &q_extra, m->id) < 0 ||
                   (m->has & HAS_INVITE && outlook_meeting_gone(tx, m) < 0)
               ? -1
               : 0;
}

/* ---- extensions and properties, settings ---- */

struct kept_table outlook_settings = KEPT_TABLE("outlook_setting", "mailbox", "key");
struct kept_table outlook_extras = KEPT_TABLE("outlook_extra", "message", "name");

int outlook_extras_put(struct tx *tx, int64_t message, const struct kept *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (mail_kept_put(tx, &outlook_extras, message, list[i].kind, list[i].key, list[i].text) <
            0)
            return -1;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Proposals: requests of people for access. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/world/core.h"
#include "services/drive/google/sharing/ask.h"
#include "services/drive/core/seed_impl.h"

#define COLUMNS "id, item, key, requester, recipient, message, roles, created_us"

static int read_proposal(struct tx *tx, sqlite3_stmt *st, struct gdrive_proposal *ret)
{
    *ret = (struct gdrive_proposal){.id = sqlite3_column_int64(st, 0),
                                    .item = sqlite3_column_int64(st, 1),
                                    .key = tx_string(tx, st, 2),
                                    .requester.id = sqlite3_column_int64(st, 3),
                                    .recipient = tx_string(tx, st, 4),
                                    .message = tx_string(tx, st, 5),
                                    .roles = tx_string(tx, st, 6),
                                    .created_us = sqlite3_column_int64(st, 7)};
    return 0;
}

int gdrive_proposals_of(struct tx *tx, int64_t item, int64_t after, size_t limit,
                        struct gdrive_proposal **ret, size_t *ret_n)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from gdrive_proposal where item = :item "
                 "and id > :after order by id limit :limit");
    struct gdrive_proposal *list = arena_calloc(tx->arena, limit + 1, sizeof *list);
    sqlite3_stmt *st = TX_QUERY(tx, &q, item, after, (int64_t)limit);
    size_t n = 0;
    int r;
    if (!st)
        return -1;
    while ((r = TX_STEP(tx, st)) == 1)
        read_proposal(tx, st, &list[n++]);
    for (size_t i = 0; r == 0 && i < n; i++)
        if (actor_by_id(tx, list[i].requester.id, &list[i].requester) < 0)
            return -1;
    *ret = list;
    *ret_n = n;
    return r;
}

int gdrive_proposal(struct tx *tx, int64_t item, const char *key, struct gdrive_proposal *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " COLUMNS " from gdrive_proposal where item = :item "
                 "and key = :key");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, item, key);
    if (r != 1)
        return r;
    read_proposal(tx, st, ret);
    sql_done(st);
    return actor_by_id(tx, ret->requester.id, &ret->requester) < 0 ? -1 : 1;
}

int gdrive_proposal_by_id(struct tx *tx, int64_t id, struct gdrive_proposal *ret)
{
    static struct sql_text q = SQL_TEXT("select " COLUMNS " from gdrive_proposal where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, id);
    if (r != 1)
        return r;
    read_proposal(tx, st, ret);
    sql_done(st);
    return actor_by_id(tx, ret->requester.id, &ret->requester) < 0 ? -1 : 1;
}

int gdrive_proposal_remove(struct tx *tx, const struct gdrive_proposal *p)
{
    static struct sql_text q = SQL_TEXT("delete from gdrive_proposal where id = :id");
    return TX_RUN(tx, &q, p->id);
}

/* ---- the section accessProposals ---- */

/* For one of the item: that no document brought before. */
static const char *new_key(struct tx *tx, int64_t item)
{
    static struct sql_text q =
        SQL_TEXT("select 1 from gdrive_proposal where item = :item and key = :key");
    uint8_t bytes[9];
    const char *key;
    struct buf b;
    int64_t one;
    int r;
    do {
        if (tx_id(tx, "drive proposal", bytes, sizeof bytes) < 0)
            return NULL;
        buf_init(&b, 64);
        base64url_add(&b, bytes, sizeof bytes, false);
        key = arena_strdup(tx->arena, buf_str(&b));
        buf_done(&b);
    } while ((r = TX_INT(tx, &q, &one, item, key)) == 1);
    return r < 0 ? NULL : key;
}

/* A role that people ask for. */
static bool is_proposed(const char *role)
{
    for (int i = ROLE_READER; i <= ROLE_WRITER; i++)
        if (strcmp(drive_role_names[i], role) == 0)
            return true;
    return false;
}

static const struct member gdrive_proposal_members[] = {
    OWN("id", "Its id; made up without it", "text"),
    OWN_NEEDED("file", "The file"),
    OWN_NEEDED("requester", "Who asks"),
    OWN("recipient", "For whom; themselves without it", "text"),
    OWN("message", "What they say", "text"),
    OWN_TYPED("roles", "reader, commenter, writer", "list of texts",
              "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"string\"}}"),
    OWN("created", "When; the present without it", "time"),
};
const struct form gdrive_proposal_form =
    FORM("A request for access to a file", gdrive_proposal_members);

int gdrive_proposal_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into gdrive_proposal (item, key, requester, recipient, message, roles, created_us) "
        "values (:item, :key, :requester, :recipient, :message, :roles, :created)");
    const char *file, *key, *recipient, *message, **roles;
    struct drive_item it;
    struct actor who;
    struct buf b;
    int64_t created_us = tx->now_us;
    size_t n;
    if (form_known(&(struct form_in){tx, d, v}, &gdrive_proposal_form) < 0 ||
        doc_str(d, v, "file", true, &file) < 0 || doc_str(d, v, "id", false, &key) < 0 ||
        ident_doc_actor(tx, d, v, "requester", true, &who) < 0 ||
        doc_str(d, v, "recipient", false, &recipient) < 0 ||
        doc_str(d, v, "message", false, &message) < 0 ||
        doc_strings(d, v, "roles", &roles, &n) < 0 || doc_time(d, v, "created", &created_us) < 0)
        return -1;
    int r = drive_item_by_key(tx, file, &it);
    if (r < 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "file"), "file", "there is no file \"%.80s\"", file);
    recipient = email_normal(tx->arena, recipient ? recipient : who.email);
    if (!recipient)
        return doc_fail(d, json_get(v, "recipient"), "recipient", "is not an address");
    for (size_t i = 0; i < n; i++)
        if (!is_proposed(roles[i]))
            return doc_fail(d, json_get(v, "roles"), "roles",
                            "must be of reader, commenter, writer, not \"%.40s\"", roles[i]);
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    for (size_t i = 0; i < n; i++)
        json_str(&w, NULL, roles[i]);
    if (!n)
        json_str(&w, NULL, "reader");
    json_end(&w);
    bool failed = buf_failed(&b);
    const char *list = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    if (failed)
        return sosia_fail_memory(tx->err);
    if (!key && !(key = new_key(tx, it.id)))
        return -1;
    if (TX_RUN(tx, &q, it.id, key, who.id, recipient, message, list, created_us) < 0)
        return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "id"), "id") : -1;
    return 0;
}

int gdrive_proposal_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct gdrive_proposal p;
    struct drive_item it;
    int r = gdrive_proposal_by_id(tx, rowid, &p);
    if (r == 1)
        r = drive_item_by_id(tx, p.item, &it);
    if (r != 1)
        return r;
    json_str(w, "id", p.key);
    json_str(w, "file", it.key);
    json_str(w, "requester", p.requester.handle);
    json_str(w, "recipient", p.recipient);
    json_str_opt(w, "message", p.message);
    json_raw(w, "roles", p.roles, strlen(p.roles));
    drive_dump_time(w, "created", p.created_us);
    return 1;
}

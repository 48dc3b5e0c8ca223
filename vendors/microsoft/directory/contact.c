/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts: rows, and what documents say of them. */
#include "engine/state/own.h"
#include "vendors/microsoft/directory/contact.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/directory/photo.h"
#include "vendors/microsoft/subscription.h"

#define SELECT                                                                                     \
    "select id, account, folder, key, data, change, made_us, changed_us, made from ms_contact "

static int read_contact(struct tx *tx, sqlite3_stmt *st, struct ms_contact *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct ms_contact){.id = sqlite3_column_int64(st, 0),
                               .account = sqlite3_column_int64(st, 1),
                               .folder = sqlite3_column_int64(st, 2),
                               .key = tx_string(tx, st, 3),
                               .data = tx_string(tx, st, 4),
                               .change = sqlite3_column_int64(st, 5),
                               .made_us = sqlite3_column_int64(st, 6),
                               .changed_us = sqlite3_column_int64(st, 7),
                               .made = sqlite3_column_int64(st, 8)};
    sql_done(st);
    return 1;
}

int ms_contact_get(struct tx *tx, int64_t id, struct ms_contact *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where id = :id");
    return read_contact(tx, TX_QUERY(tx, &q, id), ret);
}

int ms_contact_find(struct tx *tx, int64_t account, const char *key, struct ms_contact *ret)
{
    static struct sql_text q = SQL_TEXT(SELECT "where key = :key and account = :account");
    return read_contact(tx, TX_QUERY(tx, &q, key, account), ret);
}

#define FOLDER_SELECT "select id, account, parent, key, name, change, made from ms_contact_folder "

static int read_folder(struct tx *tx, sqlite3_stmt *st, struct ms_contact_folder *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    *ret = (struct ms_contact_folder){.id = sqlite3_column_int64(st, 0),
                                      .account = sqlite3_column_int64(st, 1),
                                      .parent = sqlite3_column_int64(st, 2),
                                      .key = tx_string(tx, st, 3),
                                      .name = tx_string(tx, st, 4),
                                      .change = sqlite3_column_int64(st, 5),
                                      .made = sqlite3_column_int64(st, 6)};
    sql_done(st);
    return 1;
}

int ms_contact_folder_get(struct tx *tx, int64_t id, struct ms_contact_folder *ret)
{
    static struct sql_text q = SQL_TEXT(FOLDER_SELECT "where id = :id");
    return read_folder(tx, TX_QUERY(tx, &q, id), ret);
}

int ms_contact_folder_find(struct tx *tx, int64_t account, const char *key,
                           struct ms_contact_folder *ret)
{
    static struct sql_text q = SQL_TEXT(FOLDER_SELECT "where key = :key and account = :account");
    return read_folder(tx, TX_QUERY(tx, &q, key, account), ret);
}

/* As Exchange's ids look; what is in them is not theirs. */
static int new_key(struct tx *tx, const char *stream, const char **ret)
{
    uint8_t bytes[48];
    struct buf b;
    if (tx_id(tx, stream, bytes, sizeof bytes) < 0)
        return -1;
    buf_init(&b, 0);
    buf_puts(&b, "AAMk");
    base64url_add(&b, bytes, sizeof bytes, false);
    *ret = arena_strdup(tx->arena, buf_str(&b));
    buf_done(&b);
    return 0;
}

int ms_contact_new(struct tx *tx, struct ms_contact *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into ms_contact (account, folder, key, data, change, made_us, changed_us, made) "
        "values (:account, :folder, :key, :data, :change, :made_us, :changed, :made)");
    row->made_us = row->changed_us = tx->now_us;
    if ((!row->key && new_key(tx, "contact", &row->key) < 0) ||
        ms_change_next(tx, &row->change) < 0 ||
        TX_RUN(tx, &q, row->account, sql_int_or_null(row->folder, 0), row->key, row->data,
               row->change, row->made_us, row->changed_us, row->change) < 0)
        return -1;
    row->id = tx_last_id(tx);
    row->made = row->change;
    event_note(tx, CHANGED_CONTACTS, OP_ADDED, row->account, row->id);
    return 0;
}

int ms_contact_save(struct tx *tx, struct ms_contact *row)
{
    static struct sql_text q =
        SQL_TEXT("update ms_contact set data = :data, change = :change, changed_us = :changed "
                 "where id = :id");
    row->changed_us = tx->now_us;
    event_note(tx, CHANGED_CONTACTS, OP_CHANGED, row->account, row->id);
    return ms_change_next(tx, &row->change) < 0
               ? -1
               : TX_RUN(tx, &q, row->data, row->change, row->changed_us, row->id);
}

int ms_contact_drop(struct tx *tx, const struct ms_contact *row)
{
    static struct sql_text q_gone =
        SQL_TEXT("insert into ms_contact_gone (account, folder, key, made, change) values "
                 "(:account, :folder, :key, :made, :change)");
    static struct sql_text q = SQL_TEXT("delete from ms_contact where id = :id");
    int64_t change;
    event_note(tx, CHANGED_CONTACTS, OP_REMOVED, row->account, row->id);
    if (ms_photo_drop(tx, &(struct ms_photo){.contact = row->id}) < 0)
        return -1;
    return ms_change_next(tx, &change) < 0 ||
                   TX_RUN(tx, &q_gone, row->account, row->folder, row->key, row->made, change) < 0
               ? -1
               : TX_RUN(tx, &q, row->id);
}

int ms_contact_folder_new(struct tx *tx, struct ms_contact_folder *row)
{
    static struct sql_text q =
        SQL_TEXT("insert into ms_contact_folder (account, parent, key, name, change, made) "
                 "values (:account, :parent, :key, :name, :change, :made)");
    if ((!row->key && new_key(tx, "contact folder", &row->key) < 0) ||
        ms_change_next(tx, &row->change) < 0 ||
        TX_RUN(tx, &q, row->account, sql_int_or_null(row->parent, 0), row->key, row->name,
               row->change, row->change) < 0)
        return -1;
    row->id = tx_last_id(tx);
    row->made = row->change;
    return 0;
}

int ms_contact_folder_rename(struct tx *tx, struct ms_contact_folder *row, const char *name)
{
    static struct sql_text q =
        SQL_TEXT("update ms_contact_folder set name = :name, change = :change where id = :id");
    row->name = name;
    return ms_change_next(tx, &row->change) < 0 ? -1 : TX_RUN(tx, &q, name, row->change, row->id);
}

/* One without folders in it. */
static int drop_leaf(struct tx *tx, int64_t id)
{
    static struct sql_text q_in =
        SQL_TEXT("select id from ms_contact where folder = :id order by id limit 1");
    static struct sql_text q_gone = SQL_TEXT(
        "insert into ms_contact_folder_gone (account, parent, key, made, change) select account, "
        "coalesce(parent, 0), key, made, :change from ms_contact_folder where id = :id");
    static struct sql_text q = SQL_TEXT("delete from ms_contact_folder where id = :id");
    struct ms_contact row;
    int64_t contact, change;
    int r;
    while ((r = TX_INT(tx, &q_in, &contact, id)) == 1)
        if (ms_contact_get(tx, contact, &row) != 1 || ms_contact_drop(tx, &row) < 0)
            return -1;
    return r < 0 || ms_change_next(tx, &change) < 0 || TX_RUN(tx, &q_gone, change, id) < 0
               ? -1
               : TX_RUN(tx, &q, id);
}

int ms_contact_folder_drop(struct tx *tx, int64_t id)
{
    static struct sql_text q =
        SQL_TEXT("select id from ms_contact_folder where parent = :id order by id limit 1");
    int64_t at, child;
    do {
        int r;
        for (at = id; (r = TX_INT(tx, &q, &child, at)) == 1; at = child)
            ;
        if (r < 0 || drop_leaf(tx, at) < 0)
            return -1;
    } while (at != id);
    return 0;
}

/* ---- documents ---- */

/* Whose it is: somebody with an account with Microsoft. */
static int owner_of(struct tx *tx, struct doc *d, const struct json *v, int64_t *ret_account)
{
    struct actor actor;
    struct ms_user user;
    if (ident_doc_actor(tx, d, v, "person", true, &actor) < 0)
        return -1;
    int r = ms_user_of_actor(tx, actor.id, 0, &user);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "person"), "person",
                                "must be somebody with an account with microsoft, not \"%.80s\"",
                                actor.handle);
    *ret_account = user.account;
    return 0;
}

static int contact_taken(struct tx *tx, struct doc *d, const struct json *v)
{
    return tx->err->code == SOSIA_E_CONFLICT ? doc_fail_twice(d, json_get(v, "id"), "id") : -1;
}

/* A folder of the person's that a member of the document names; without it id is 0. 0, -1. */
static int folder_of(struct tx *tx, struct doc *d, const struct json *v, const char *member,
                     int64_t account, int64_t *ret)
{
    struct ms_contact_folder folder = {0};
    const char *key;
    if (doc_str(d, v, member, false, &key) < 0)
        return -1;
    int r = key ? ms_contact_folder_find(tx, account, key, &folder) : 1;
    *ret = folder.id;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(d, json_get(v, member), member,
                              "must be the id of a folder of the person's, not \"%.80s\"", key);
}

static const struct member folder_members[] = {
    OWN_NEEDED("person", "Whose it is"),
    OWN("id", "Its id; made up without it", "text"),
    OWN("parent", "The id of the folder it is in, which comes before", "text"),
    OWN_NEEDED("name", "Its name"),
};
static const struct form folder_form = FORM("A folder of contacts", folder_members);

static int folder_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct ms_contact_folder row = {0};
    if (form_known(&(struct form_in){tx, d, v}, &folder_form) < 0 ||
        owner_of(tx, d, v, &row.account) < 0 || doc_str(d, v, "id", false, &row.key) < 0 ||
        folder_of(tx, d, v, "parent", row.account, &row.parent) < 0 ||
        doc_str(d, v, "name", true, &row.name) < 0)
        return -1;
    return ms_contact_folder_new(tx, &row) < 0 ? contact_taken(tx, d, v) : 0;
}

static const struct member contact_members[] = {
    OWN_NEEDED("person", "Whose it is"),
    OWN("id", "Its id; made up without it", "text"),
    OWN("folder", "The id of its folder", "text"),
    OWN_TYPED("contact", "As Graph has it", "object", OWN_OBJECT),
};
static const struct form contact_form = FORM("A contact", contact_members);

static int contact_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct ms_contact row = {0};
    if (form_known(&(struct form_in){tx, d, v}, &contact_form) < 0 ||
        owner_of(tx, d, v, &row.account) < 0 || doc_str(d, v, "id", false, &row.key) < 0 ||
        folder_of(tx, d, v, "folder", row.account, &row.folder) < 0)
        return -1;
    const struct json *contact = json_get(v, "contact");
    if (!contact || contact->type != JSON_OBJECT)
        return doc_expect(d, contact ? contact : v, "contact", "an object, as Graph has it");
    row.data = json_to_text(tx->arena, contact);
    if (strlen(row.data) > CONTACT_BYTES)
        return doc_fail(d, contact, "contact", "must have at most %d bytes", CONTACT_BYTES);
    return ms_contact_new(tx, &row) < 0 ? contact_taken(tx, d, v) : 0;
}

static int write_owner(struct tx *tx, int64_t account, struct json_writer *w)
{
    struct account row;
    struct actor actor;
    int r = account_get(tx, account, &row);
    if (r == 1)
        r = actor_by_id(tx, row.actor, &actor);
    if (r == 1)
        json_str(w, "person", actor.handle);
    return r;
}

static int folder_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_contact_folder row, parent;
    int r = ms_contact_folder_get(tx, rowid, &row);
    if (r == 1)
        r = write_owner(tx, row.account, w);
    if (r != 1)
        return r;
    json_str(w, "id", row.key);
    if (row.parent && (r = ms_contact_folder_get(tx, row.parent, &parent)) == 1)
        json_str(w, "parent", parent.key);
    json_str(w, "name", row.name);
    return r;
}

static int contact_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct ms_contact_folder folder;
    struct ms_contact row;
    int r = ms_contact_get(tx, rowid, &row);
    if (r == 1)
        r = write_owner(tx, row.account, w);
    if (r != 1)
        return r;
    json_str(w, "id", row.key);
    if (row.folder && (r = ms_contact_folder_get(tx, row.folder, &folder)) == 1)
        json_str(w, "folder", folder.key);
    json_raw(w, "contact", row.data, strlen(row.data));
    return r;
}

static int folder_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from ms_contact_folder where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

static int contact_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q = SQL_TEXT("select key from ms_contact where id = :id");
    return dump_key(tx, w, "id", &q, rowid);
}

static const struct section sections[] = {
    {.name = "contactFolders",
     .seed_one = folder_seed,
     .ids = SECTION_IDS("with recursive t(id, key, depth) as (select id, key, 0 from "
                        "ms_contact_folder where parent is null union all select f.id, f.key, "
                        "t.depth + 1 from t join ms_contact_folder f on f.parent = t.id) select id "
                        "from t order by depth, key"),
     .dump_one = folder_dump,
     .form = &folder_form},
    {.name = "contacts",
     .seed_one = contact_seed,
     .ids = SECTION_IDS("select id from ms_contact order by key"),
     .dump_one = contact_dump,
     .form = &contact_form},
};

static const struct entity entities[] = {
    {.name = "contact_folder",
     .table = "ms_contact_folder",
     .key = folder_key,
     .dump = folder_dump},
    {.name = "contact", .table = "ms_contact", .key = contact_key, .dump = contact_dump},
};

static const struct core_rule rules[] = {
    {"ms_contact", "made_us not between 0 and 253402300799999999 or changed_us not between 0 and "
                   "253402300799999999"},
    {"ms_contact", "not json_valid(data) or json_type(data) <> 'object' or length(data) > 65536"},
    {NULL, NULL},
};

static const struct core_policy policies[] = {{GRAPH_CORE, "microsoft", &contacts_feed}, {0}};

const struct sosia_core microsoft_contacts_core = {
    .name = "microsoft_contacts",
    .policies = policies,
    .sections = sections,
    .n_sections = SOSIA_LEN(sections),
    .entities = entities,
    .n_entities = SOSIA_LEN(entities),
    .rules = rules,
};

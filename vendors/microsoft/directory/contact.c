/* SPDX-License-Identifier: Apache-2.0 */
/* Contacts: rows, and what documents say of them. */
#include "engine/state/stored.h"
#include "vendors/microsoft/directory/contact.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"
#include "vendors/microsoft/directory/directory.h"
#include "vendors/microsoft/directory/photo.h"
#include "vendors/microsoft/subscription.h"

static struct stored contact_stored, folder_stored;

int ms_contact_get(struct tx *tx, int64_t id, struct ms_contact *ret)
{
    return stored_get(tx, &contact_stored, id, ret);
}

int ms_contact_find(struct tx *tx, int64_t account, const char *key, struct ms_contact *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key and account = :account");
    return STORED_ONE(tx, &contact_stored, &q, ret, key, account);
}

int ms_contact_folder_get(struct tx *tx, int64_t id, struct ms_contact_folder *ret)
{
    return stored_get(tx, &folder_stored, id, ret);
}

int ms_contact_folder_find(struct tx *tx, int64_t account, const char *key,
                           struct ms_contact_folder *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key and account = :account");
    return STORED_ONE(tx, &folder_stored, &q, ret, key, account);
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
    *ret = buf_keep(&b, tx->arena);
    return 0;
}

int ms_contact_new(struct tx *tx, struct ms_contact *row)
{
    row->made_us = row->changed_us = tx->now_us;
    if ((!row->key && new_key(tx, "contact", &row->key) < 0) ||
        ms_change_next(tx, &row->change) < 0)
        return -1;
    row->made = row->change;
    if (stored_add(tx, &contact_stored, row) < 0)
        return -1;
    row->id = tx_last_id(tx);
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
    if ((!row->key && new_key(tx, "contact folder", &row->key) < 0) ||
        ms_change_next(tx, &row->change) < 0)
        return -1;
    row->made = row->change;
    if (stored_add(tx, &folder_stored, row) < 0)
        return -1;
    row->id = tx_last_id(tx);
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
static int read_owner(const struct form_in *in, const struct member *m, void *row)
{
    struct actor actor;
    struct ms_user user;
    if (ident_doc_actor(in->tx, in->d, in->value, m->name, true, &actor) < 0)
        return -1;
    int r = ms_user_of_actor(in->tx, actor.id, 0, &user);
    if (r != 1)
        return r < 0 ? -1
                     : doc_refuse(in->d, in->value, m->name,
                                  "must be somebody with an account with microsoft, not \"%.80s\"",
                                  actor.handle);
    member_put_number(m, row, user.account);
    return 0;
}

static int owner_name(struct tx *tx, int64_t id, const char **ret)
{
    struct account account;
    struct actor actor;
    int r = account_get(tx, id, &account);
    if (r == 1)
        r = actor_by_id(tx, account.actor, &actor);
    if (r == 1)
        *ret = actor.handle;
    return r;
}

static const struct reference owner_reference = {.noun = "an actor's handle or address",
                                                 .name = owner_name};

/* A folder of the person's, who is read before. */
static int read_folder(const struct form_in *in, const struct member *m, void *row, int64_t account)
{
    struct ms_contact_folder folder = {0};
    const char *key;
    if (doc_str(in->d, in->value, m->name, false, &key) < 0)
        return -1;
    int r = key ? ms_contact_folder_find(in->tx, account, key, &folder) : 1;
    member_put_number(m, row, folder.id);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_refuse(in->d, in->value, m->name,
                                "must be the id of a folder of the person's, not \"%.80s\"", key);
}

static int key_of_folder(struct tx *tx, int64_t id, const char **ret)
{
    struct ms_contact_folder folder;
    int r = ms_contact_folder_get(tx, id, &folder);
    if (r == 1)
        *ret = folder.key;
    return r;
}

static const struct reference folder_reference = {.noun = "the id of a folder",
                                                  .name = key_of_folder};

static int read_parent(const struct form_in *in, const struct member *m, void *row)
{
    return read_folder(in, m, row, ((struct ms_contact_folder *)row)->account);
}

static int add_folder(const struct form_in *in, void *row)
{
    return ms_contact_folder_new(in->tx, row);
}

static const struct member folder_members[] = {
    STORED_ID(struct ms_contact_folder),
    {"person", "Whose it is", REF_AT(struct ms_contact_folder, account, &owner_reference),
     .flags = MEMBER_REQUIRED, .read = read_owner},
    {"id", "Its id; made up without it", TEXT_AT(struct ms_contact_folder, key)},
    {"parent", "The id of the folder it is in, which comes before",
     REF_AT(struct ms_contact_folder, parent, &folder_reference), .read = read_parent},
    {"name", "Its name", TEXT_AT(struct ms_contact_folder, name), .flags = MEMBER_REQUIRED},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_contact_folder, change, int64_t)},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_contact_folder, made, int64_t)},
};
STORED_HERE(folder_stored, "A folder of contacts", struct ms_contact_folder, folder_members, NULL,
            .table = "ms_contact_folder", .key = "id", .add = add_folder);

static int read_in_folder(const struct form_in *in, const struct member *m, void *row)
{
    return read_folder(in, m, row, ((struct ms_contact *)row)->account);
}

static int read_data(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *contact = json_get(in->value, m->name);
    if (!contact || contact->type != JSON_OBJECT)
        return doc_expect(in->d, contact ? contact : in->value, m->name,
                          "an object, as Graph has it");
    const char *data = json_to_text(in->tx->arena, contact);
    member_put_text(m, row, data);
    return strlen(data) > CONTACT_BYTES
               ? doc_fail(in->d, contact, m->name, "must have at most %d bytes", CONTACT_BYTES)
               : 0;
}

static int add_contact(const struct form_in *in, void *row)
{
    return ms_contact_new(in->tx, row);
}

static const struct member contact_members[] = {
    STORED_ID(struct ms_contact),
    {"person", "Whose it is", REF_AT(struct ms_contact, account, &owner_reference),
     .flags = MEMBER_REQUIRED, .read = read_owner},
    {"id", "Its id; made up without it", TEXT_AT(struct ms_contact, key)},
    {"folder", "The id of its folder", REF_AT(struct ms_contact, folder, &folder_reference),
     .read = read_in_folder},
    {"contact", "As Graph has it", KEPT_AT(struct ms_contact, data, JSON_OBJECT),
     .read = read_data},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_contact, change, int64_t)},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_contact, made_us, int64_t)},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_contact, changed_us, int64_t)},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct ms_contact, made, int64_t)},
};
STORED_HERE(contact_stored, "A contact", struct ms_contact, contact_members, NULL,
            .table = "ms_contact", .key = "id", .add = add_contact);

static const struct section sections[] = {
    {.name = "contactFolders",
     .stored = &folder_stored,
     .ids = SECTION_IDS("with recursive t(id, key, depth) as (select id, key, 0 from "
                        "ms_contact_folder where parent is null union all select f.id, f.key, "
                        "t.depth + 1 from t join ms_contact_folder f on f.parent = t.id) select id "
                        "from t order by depth, key")},
    {.name = "contacts",
     .stored = &contact_stored,
     .ids = SECTION_IDS("select id from ms_contact order by key")},
};

static const struct entity entities[] = {
    {.name = "contact_folder", .table = "ms_contact_folder", .stored = &folder_stored},
    {.name = "contact", .table = "ms_contact", .stored = &contact_stored},
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

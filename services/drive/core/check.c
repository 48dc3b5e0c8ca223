/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the rows of imported worlds, which are hostile input. */
#include "engine/text/utf8.h"
#include "engine/world/take.h"
#include "identity/account.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/find/words.h"

/* Microseconds of the years 1 to 9999. */
#define NO_TIME(column)  column " not between -62135596800000000 and 253402300799999999"
#define NO_COUNT(column) column " not between 0 and 1099511627776"
#define NO_JSON(column, type)                                                                      \
    "case when " column " is null then 0 when json_valid(" column ") then json_type(" column       \
    ") <> '" type "' else 1 end"
#define NO_HEX(column, n)                                                                          \
    column " is not null and (length(" column ") <> " n " or " column " glob '*[^0-9a-f]*')"

const struct core_rule drive_rules[] = {
    {"drive_item", "key = '' or name = '' or mime = ''"},
    {"drive_item", "flags not between 0 and 255"},
    {"drive_item", "(owner is null) = (drive is null)"},
    {"drive_item", "(form = 1) <> (mime = 'folder') or (form = 2) <> (mime = 'shortcut')"},
    {"drive_item", "form = 3 and instr(mime, '/') > 0"},
    {"drive_item", "top > 0 and (parent is not null or form <> 1)"},
    {"drive_item", "top = 2 and drive is not id"},
    {"drive_item", "top = 3 and space = 0 or top in (1, 2) and space <> 0"},
    {"drive_item", "parent is not null and not exists (select 1 from drive_item p where p.id = "
                   "drive_item.parent and p.form = 1 and p.drive is drive_item.drive and p.space = "
                   "drive_item.space)"},
    {"drive_item", "drive is not null and not exists (select 1 from drive_item t where t.id = "
                   "drive_item.drive and t.top = 2)"},
    {"drive_item", "size is not null and (size < 0 or form in (1, 2))"},
    {"drive_item", "(blob is null) <> (md5 is null) or (blob is not null) > (form = 0)"},
    {"drive_item", NO_HEX("md5", "32")},
    {"drive_item", NO_HEX("sha1", "40")},
    {"drive_item", NO_HEX("sha256", "64")},
    {"drive_item", "head is not null and not exists (select 1 from drive_revision r where r.id = "
                   "drive_item.head and r.item = drive_item.id and r.blob is drive_item.blob)"},
    {"drive_item", "blob is not null and head is null"},
    {"drive_item", "form = 2 and (target_key is null or target_mime is null)"},
    {"drive_item", "flags & 1 and trashed_us is null"},
    {"drive_item", "(thumbnail is null) <> (thumbnail_mime is null)"},
    {"drive_item", NO_COUNT("version")},
    {"drive_item", NO_TIME("created_us")},
    {"drive_item", NO_TIME("modified_us")},
    {"drive_item", NO_TIME("trashed_us")},
    {"drive_item", NO_JSON("restrictions", "array")},
    {"drive_item", NO_JSON("download_rules", "object")},
    {"drive_item", NO_JSON("media", "object")},
    {"drive_item", NO_JSON("extra", "object")},
    {"drive_gone", "not exists (select 1 from drive_item i where i.id = drive_gone.item and "
                   "i.parent is null and i.top in (0, 2))"},
    {"drive_mine", NO_TIME("viewed_us")},
    {"drive_mine", NO_TIME("modified_us")},
    {"drive_mine", NO_TIME("shared_us")},
    {"drive_grant", "role in (1, 7) or role > 7"},
    {"drive_grant", "(kind = 4) <> (who = '')"},
    {"drive_grant", NO_TIME("expires_us")},
    {"drive_grant", NO_TIME("created_us")},
    {"drive_link", "token = '' or scope = 3 and not exists (select 1 from drive_link_user u where "
                   "u.link = drive_link.id)"},
    {"drive_link", "password is not null and instr(password, ':') = 0"},
    {"drive_link", NO_TIME("expires_us")},
    {"drive_link", NO_TIME("created_us")},
    {"drive_drive",
     "not exists (select 1 from drive_item t where t.id = drive_drive.item and t.top "
     "= 2)"},
    {"drive_drive", NO_JSON("background", "object")},
    {"drive_property", "name = ''"},
    {"drive_revision", "(blob is null) <> (md5 is null)"},
    {"drive_revision", NO_HEX("md5", "32")},
    {"drive_revision", NO_TIME("modified_us")},
    {"drive_revision", "key = '' or mime = '' or size < 0"},
    {"drive_comment", "key = ''"},
    {"drive_comment", NO_TIME("created_us")},
    {"drive_comment", NO_TIME("modified_us")},
    {"drive_reply", "key = ''"},
    {"drive_reply", NO_TIME("created_us")},
    {"drive_reply", NO_TIME("modified_us")},
    {"drive_change", "number not between 1 and 1099511627776"},
    {"drive_change", "removed and seen_by is null"},
    {"drive_change", NO_JSON("seen_by", "array")},
    {"drive_change", NO_TIME("time_us")},
    {NULL, NULL},
};

/* A top is of an account of its owner. */
static int check_tops(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select t.item, t.account, i.owner, i.top from drive_top t "
                                        "left join drive_item i on i.id = t.item where t.item > "
                                        ":after order by t.item limit 1");
    int64_t item = 0, id, owner;
    int r, top;
    while ((r = TX_TAKE(tx, TX_QUERY(tx, &q, item), &item, &id, &owner, &top)) == 1) {
        struct account account;
        r = account_get(tx, id, &account);
        if (r < 0)
            return -1;
        if (!r || !owner || account.actor != owner || (top != DRIVE_ROOT && top != DRIVE_APP_DATA))
            return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                           "drive_top: item %lld must be a top of its account's actor",
                           (long long)item);
    }
    return r;
}

/* Each item is below a top, or below one that is in no folder: there is no cycle. */
int drive_check(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT(
        "with recursive reached(id) as (select id from drive_item where parent is null union all "
        "select i.id from drive_item i join reached r on i.parent = r.id) select (select count(*) "
        "from drive_item) - count(*) from reached");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int64_t lost = 0;
    if (sql_first_int(tx->db, tx->err, st, &lost) < 0)
        return -1;
    if (lost)
        return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL,
                       "drive_item: %lld items are in folders that are in themselves",
                       (long long)lost);
    return check_tops(tx);
}

/* The flag of items at which something is granted. */
static int note_grants(struct tx *tx)
{
    return sql_exec(tx->db,
                    "update drive_item set flags = (flags & ~4) | (exists (select 1 from "
                    "drive_grant g where g.item = drive_item.id) << 2) where (flags >> 2 & 1) <> "
                    "exists (select 1 from drive_grant g where g.item = drive_item.id)",
                    tx->err);
}

/* Whose folders items of others are in. */
static int note_hosts(struct tx *tx)
{
#define HOST                                                                                       \
    "(select f.owner from drive_item f where f.id = drive_item.parent and f.owner is not "         \
    "drive_item.owner)"
    return sql_exec(tx->db, "update drive_item set host = " HOST " where host is not " HOST,
                    tx->err);
}

/* Names as orders by them compare them. */
static int note_names(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select id, name, folded from drive_item where id > :after order by id limit 1");
    static struct sql_text q_set =
        SQL_TEXT("update drive_item set folded = :folded where id = :id");
    const char *name, *old;
    int64_t id = 0;
    int r;
    while ((r = TX_TAKE(tx, TX_QUERY(tx, &q, id), &id, &name, &old)) == 1) {
        const char *folded = utf8_fold(tx->arena, name);
        if (arena_failed(tx->arena))
            return sosia_fail_memory(tx->err);
        if (strcmp(folded, old) != 0 && TX_RUN(tx, &q_set, folded, id) < 0)
            return -1;
    }
    return r;
}

/* What is not a person's own. */
static int note_guests(struct tx *tx)
{
#define GUEST                                                                                      \
    "(select 1 from drive_item i where i.id = drive_mine.item and i.owner is not "                 \
    "drive_mine.actor)"
    return sql_exec(tx->db, "update drive_mine set guest = " GUEST " where guest is not " GUEST,
                    tx->err);
}

/* Everything that names a blob has a reference of it: revisions, documents, and pictures that
 * writers gave. An item's own content is its head revision's. */
int drive_derive(struct tx *tx)
{
    static struct sql_text q[] = {
        SQL_TEXT("select blob, id from drive_revision where blob is not null and id > :after order "
                 "by id limit 1"),
        SQL_TEXT("select content, revision from drive_document where revision > :after order by "
                 "revision limit 1"),
        SQL_TEXT("select thumbnail, id from drive_item where thumbnail is not null and id > :after "
                 "order by id limit 1"),
    };
    for (size_t i = 0; i < SOSIA_LEN(q); i++) {
        int64_t after = 0;
        int r;
        int64_t blob;
        while ((r = TX_TAKE(tx, TX_QUERY(tx, &q[i], after), &blob, &after)) == 1) {
            if (blob_ref(tx, blob) < 0)
                return -1;
        }
        if (r < 0)
            return -1;
    }
    return note_grants(tx) < 0 || note_hosts(tx) < 0 || note_names(tx) < 0 || note_guests(tx) < 0
               ? -1
               : drive_index_derive(tx);
}

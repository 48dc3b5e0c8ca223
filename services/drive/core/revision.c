/* SPDX-License-Identifier: Apache-2.0 */
/* Revisions: one is deleted thirty days after newer content was written, and earlier when there
 * are a hundred newer ones, unless it is marked to be kept. */
#include "engine/world/take.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/vendor.h"
#include "services/drive/core/drive_impl.h"

int drive_revision_find(struct tx *tx, int64_t item, const char *key, struct drive_revision *ret)
{
    static struct sql_text q = SQL_TEXT("where item = :item and key = :key");
    return STORED_ONE(tx, &drive_revision_stored, &q, ret, item, key);
}

int drive_revisions_size(struct tx *tx, int64_t item, int64_t head, int64_t *ret)
{
    static struct sql_text q = SQL_TEXT("select coalesce(sum(size), 0) from drive_revision where "
                                        "item = :item and keep and id <> :head");
    return TX_INT(tx, &q, ret, item, head) < 0 ? -1 : 0;
}

int drive_revisions(struct tx *tx, int64_t item, int64_t after, int64_t limit,
                    struct drive_revision **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where item = :item and id > :after order by id limit :n");
    *ret = stored_list(tx, &drive_revision_stored,
                       STORED_QUERY(tx, &drive_revision_stored, &q, item, after, limit), ret_n);
    return *ret ? 0 : -1;
}

/* Is there room for one more that is kept? */
static int may_keep(struct tx *tx, const struct drive_item *it, int64_t revision)
{
    static struct sql_text q = SQL_TEXT(
        "select count(*) from drive_revision where item = :item and keep = 1 and id <> :id");
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    int64_t kept = 0;
    if (!vendor || TX_INT(tx, &q, &kept, it->id, revision) < 0)
        return -1;
    return kept < vendor->kept_revisions
               ? 0
               : tx_fail(tx, SOSIA_E_FORBIDDEN, "tooManyKept", "keepForever",
                         "%d revisions are kept already", vendor->kept_revisions);
}

int drive_revision_keep(struct tx *tx, const struct drive_item *it, int64_t revision)
{
    static struct sql_text q = SQL_TEXT("update drive_revision set keep = 1 where id = :id");
    return may_keep(tx, it, revision) < 0 ? -1 : TX_RUN(tx, &q, revision);
}

int drive_revision_save(struct tx *tx, const struct drive_item *it, const struct drive_revision *r)
{
    static struct sql_text q =
        SQL_TEXT("update drive_revision set keep = :keep, published = :published, publish_auto = "
                 ":auto, publish_outside = :outside where id = :id");
    if (r->keep && may_keep(tx, it, r->id) < 0)
        return -1;
    return TX_RUN(tx, &q, r->keep ? 1 : 0, r->published ? 1 : 0, r->publish_auto ? 1 : 0,
                  r->publish_outside ? 1 : 0, r->id);
}

/* The content of a document's revision is deleted with it. */
static int forget_content(struct tx *tx, const struct drive_revision *r)
{
    static struct sql_text q =
        SQL_TEXT("select content from drive_document where revision = :revision");
    static struct sql_text q_delete =
        SQL_TEXT("delete from drive_document where revision = :revision");
    int64_t blob = r->blob;
    if (!blob && TX_INT(tx, &q, &blob, r->id) < 0)
        return -1;
    if (!r->blob && blob && TX_RUN(tx, &q_delete, r->id) < 0)
        return -1;
    return blob ? blob_unref(tx, blob) : 0;
}

static int forget(struct tx *tx, const struct drive_revision *r)
{
    static struct sql_text q = SQL_TEXT("delete from drive_revision where id = :id");
    return forget_content(tx, r) < 0 || due_cancel(tx, DRIVE_CORE, DUE_REVISION, r->id) < 0
               ? -1
               : TX_RUN(tx, &q, r->id);
}

int drive_revision_delete(struct tx *tx, const struct drive_item *it,
                          const struct drive_revision *r)
{
    if (it->head == r->id)
        return tx_fail(tx, SOSIA_E_FORBIDDEN, "headRevision", NULL,
                       "revision %s is the current one", r->key);
    return forget(tx, r);
}

int drive_revision_replaced(struct tx *tx, const struct drive_vendor *vendor, int64_t item,
                            int64_t revision)
{
    static struct sql_text q =
        SQL_TEXT("where item = :item and keep = 0 order by id desc limit 1 offset :most");
    struct drive_revision old;
    if (revision &&
        due_add(tx, tx->now_us + vendor->revision_us, DRIVE_CORE, DUE_REVISION, revision) < 0)
        return -1;
    int r = STORED_ONE(tx, &drive_revision_stored, &q, &old, item, vendor->other_revisions);
    return r == 1 ? forget(tx, &old) : r;
}

int drive_revision_due(struct tx *tx, int64_t revision)
{
    static struct sql_text q =
        SQL_TEXT("as r where id = :id and keep = 0 and not exists (select 1 from drive_item i "
                 "where i.id = r.item and i.head = r.id)");
    struct drive_revision old;
    int r = STORED_ONE(tx, &drive_revision_stored, &q, &old, revision);
    return r == 1 ? forget(tx, &old) : r;
}

int drive_revision_key(struct tx *tx, int64_t revision, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select key from drive_revision where id = :id");
    return TX_TAKE(tx, TX_QUERY(tx, &q, revision), ret);
}

int drive_revisions_marked(struct tx *tx, int64_t item, struct drive_revision **ret, size_t *ret_n)
{
    static struct sql_text q = SQL_TEXT("where item = :item and (keep or published) order by id");
    *ret = stored_list(tx, &drive_revision_stored,
                       STORED_QUERY(tx, &drive_revision_stored, &q, item), ret_n);
    return *ret ? 0 : -1;
}

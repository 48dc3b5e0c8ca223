/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of files, and the revision that each new content is. */
#include "engine/base/codec.h"
#include "services/drive/core/drive_impl.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/vendor.h"

static const char *hex(struct tx *tx, const uint8_t *bytes, size_t n)
{
    char *text = arena_alloc(tx->arena, 2 * n + 1);
    hex_encode(text, bytes, n);
    return text;
}

static int add_revision(struct tx *tx, const struct drive_vendor *vendor, struct drive_item *it)
{
    static struct sql_text q = SQL_TEXT(
        "insert into drive_revision (item, key, blob, mime, size, md5, sha1, sha256, modified_us, "
        "modifier, original, keep, published, publish_auto, publish_outside) values (:item, :key, "
        ":blob, :mime, :size, :md5, :sha1, :sha256, :modified, :modifier, :original, 0, 0, 0, 0)");
    const char *key =
        vendor->revision_key ? vendor->revision_key(tx, it) : drive_revision_number(tx, it->id);
    int64_t before = it->head;
    if (it->form == DRIVE_DOCUMENT && it->size < vendor->document_size)
        it->size = vendor->document_size;
    if (!key || TX_RUN(tx, &q, it->id, key, sql_int_or_null(it->blob, 0), it->mime,
                       sql_int_or_null(it->size, -1), it->md5, it->sha1, it->sha256,
                       it->modified_us, sql_int_or_null(it->modifier, 0), it->original) < 0)
        return -1;
    it->head = sqlite3_last_insert_rowid(slot_db(tx->db));
    return before ? drive_revision_replaced(tx, vendor, it->id, before) : 0;
}

int drive_revision_add(struct tx *tx, struct drive_item *it)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    return vendor ? add_revision(tx, vendor, it) : -1;
}

static int set_content(struct tx *tx, const struct drive_vendor *vendor, struct drive_item *it,
                       const struct blob *blob)
{
    it->blob = blob->id;
    it->size = blob->length;
    it->md5 = hex(tx, blob->md5, sizeof blob->md5);
    it->sha1 = hex(tx, blob->sha1, sizeof blob->sha1);
    it->sha256 = hex(tx, blob->sha256, sizeof blob->sha256);
    return add_revision(tx, vendor, it) < 0 ? -1 : drive_item_save_with(tx, vendor, it);
}

int drive_content_set(struct tx *tx, struct drive_item *it, const struct blob *blob)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    return vendor ? set_content(tx, vendor, it, blob) : -1;
}

int drive_content_put(struct tx *tx, struct drive_item *it, const void *data, size_t len)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    struct blob_writer *w;
    struct blob blob;
    if (!vendor || blob_writer_begin(tx, (int64_t)len, DRIVE_DIGESTS | vendor->digests, &w) < 0)
        return -1;
    if (blob_writer_write(w, data, len) < 0) {
        blob_writer_abort(w);
        return -1;
    }
    return blob_writer_finish(w, &blob) < 0 ? -1 : set_content(tx, vendor, it, &blob);
}

int drive_content_digests(struct tx *tx, const struct drive_item *it, struct blob *ret)
{
    const struct drive_vendor *vendor = drive_vendor_of(tx, it);
    if (!vendor)
        return -1;
    return it->blob ? blob_digests(tx, it->blob, DRIVE_DIGESTS | vendor->digests, ret) : 0;
}

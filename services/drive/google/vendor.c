/* SPDX-License-Identifier: Apache-2.0 */
/* What Google's drives have their own way: names that may repeat, the forms of ids, limits. */
#include "engine/base/codec.h"
#include "services/drive/core/vendor.h"
#include "engine/json/doc.h"
#include "services/drive/google/gdrive.h"
#include "services/drive/google/org/label.h"
#include <xxhash.h>

#define DAY_US (INT64_C(86400) * 1000000)

/* The usual forms: 33 characters of a file, 44 of a document, 19 of a top. The last six of a
 * file's or document's are made of those before, so that an id that was generated and not used
 * yet is distinguished from a forged one. */
enum { FILE_KEY = 33, DOCUMENT_KEY = 44, TOP_RANDOM = 8, CHECK = 6 };

static void key_check(const char *key, size_t len, bool of_shortcut, char ret[CHECK])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint64_t hash = XXH3_64bits_withSeed(key, len, of_shortcut);
    for (int i = 0; i < CHECK; i++, hash >>= 6)
        ret[i] = digits[hash & 63];
}

bool gdrive_key_ours(const char *key, bool of_shortcut)
{
    size_t n = strlen(key);
    char check[CHECK];
    if (n != FILE_KEY && n != DOCUMENT_KEY)
        return false;
    key_check(key, n - CHECK, of_shortcut, check);
    return memcmp(check, key + n - CHECK, CHECK) == 0;
}

static const char *take(struct tx *tx, struct buf *b)
{
    const char *key = buf_failed(b) ? NULL : arena_strdup(tx->arena, buf_str(b));
    buf_done(b);
    if (!key)
        sosia_fail_memory(tx->err);
    return key;
}

/* A link opens a file to all who know its key, and a folder at the top to nobody. */
static const char *new_key(struct tx *tx, enum drive_form form, enum drive_top top, bool secret)
{
    uint8_t bytes[32];
    struct buf b;
    size_t len = form == DRIVE_DOCUMENT ? DOCUMENT_KEY : FILE_KEY;
    if ((secret && !top ? tx_secret : tx_id)(tx, "drive item", bytes, sizeof bytes) < 0)
        return NULL;
    buf_init(&b, 128);
    if (top) {
        buf_puts(&b, "0A");
        base64url_add(&b, bytes, TOP_RANDOM, false);
        buf_puts(&b, "Uk9PVA");
    } else {
        char check[CHECK];
        buf_byte(&b, '1');
        base64url_add(&b, bytes, sizeof bytes, false);
        b.len = len - CHECK;
        key_check(b.data, b.len, form == DRIVE_SHORTCUT, check);
        buf_add(&b, check, CHECK);
    }
    return take(tx, &b);
}

const char *gdrive_new_key(struct tx *tx, enum drive_form form)
{
    return drive_new_key(tx, &gdrive_vendor, form, DRIVE_NO_TOP, true);
}

/* "0B", and random digits behind it; of documents small numbers. */
static const char *revision_key(struct tx *tx, const struct drive_item *it)
{
    uint8_t bytes[36];
    struct buf b;
    if (it->form == DRIVE_DOCUMENT)
        return drive_revision_number(tx, it->id);
    if (tx_id(tx, "drive revision", bytes, sizeof bytes) < 0)
        return NULL;
    buf_init(&b, 128);
    buf_puts(&b, "0B");
    base64url_add(&b, bytes, sizeof bytes, false);
    return take(tx, &b);
}

/* ---- labels of files ---- */

static const char *const item_members[] = {"labels", NULL};

static int item_seed(struct tx *tx, struct doc *d, const struct json *v, struct drive_item *it)
{
    struct doc_items labels;
    if (doc_items(d, v, "labels", &labels) < 0)
        return -1;
    for (const struct json *one; (one = doc_item(d, &labels)) != NULL;)
        if (gdrive_labelled_seed(tx, d, one, it) < 0)
            return -1;
    return 0;
}

const struct drive_vendor gdrive_vendor = {
    .name = "google",
    .root = "My Drive",
    .app_data = "Application Data",
    .new_key = new_key,
    .revision_key = revision_key,
    .digests = BLOB_CRC32C,
    .item_members = item_members,
    .item_seed = item_seed,
    .item_dump = gdrive_labelled_dump,
    .item_drop = gdrive_item_drop,
    .max_depth = 100,
    .trash_us = 30 * DAY_US,
    .revision_us = 30 * DAY_US,
    .kept_revisions = 200,
    .other_revisions = 100,
    .document_size = 1024, /* in recorded responses */
};

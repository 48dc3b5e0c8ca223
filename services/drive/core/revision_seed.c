/* SPDX-License-Identifier: Apache-2.0 */
/* The members of contents that a file had: as documents have them, and their rows. */
#include "engine/base/utf8.h"
#include "engine/json/bytes.h"
#include "engine/state/own.h"
#include "identity/shown.h"
#include "services/drive/core/revision.h"
#include "services/drive/core/seed_impl.h"

/* ---- bytes ---- */

int drive_read_bytes(const struct form_in *in, const char **ret, size_t *ret_n)
{
    const char *text, *coded;
    if (doc_str(in->d, in->value, "content", false, &text) < 0 ||
        doc_str(in->d, in->value, "base64", false, &coded) < 0)
        return -1;
    if (text && coded)
        return doc_fail(in->d, in->value, NULL, "must have one of content, base64");
    *ret = text ? text : "";
    *ret_n = strlen(*ret);
    return coded ? doc_base64(in->d, in->value, "base64", coded, ret, ret_n) : 0;
}

int drive_write_bytes(struct tx *tx, struct json_writer *w, int64_t blob)
{
    const char *data;
    size_t n;
    if (blob_load(tx, blob, &data, &n) < 0)
        return -1;
    if (n && utf8_valid(data, n) && !memchr(data, 0, n))
        json_strn(w, "content", data, n);
    else if (n)
        json_base64(w, "base64", data, n);
    return 0;
}

/* ---- contents before the present one ---- */

static int write_earlier(const struct form_out *out, const struct member *m, const void *row)
{
    (void)m; /* or the other member that it may be in */
    return drive_write_bytes(out->tx, out->w, ((const struct drive_revision *)row)->blob);
}

static const struct member revision_members[] = {
    STORED_ID(struct drive_revision),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct drive_revision, item, int64_t)},
    {.kind = MEMBER_INT, .flags = MEMBER_NULL, MEMBER_TYPED(struct drive_revision, blob, int64_t)},
    {.kind = MEMBER_TEXT, MEMBER_TYPED(struct drive_revision, key, const char *)},
    {.kind = MEMBER_TEXT, MEMBER_TYPED(struct drive_revision, mime, const char *)},
    {.kind = MEMBER_TEXT, MEMBER_TYPED(struct drive_revision, md5, const char *)},
    {.kind = MEMBER_TEXT, MEMBER_TYPED(struct drive_revision, original, const char *)},
    {.kind = MEMBER_INT,
     .flags = MEMBER_NULL,
     .usual = -1,
     MEMBER_TYPED(struct drive_revision, size, int64_t)},
    {"content", "Its bytes, as a text", .kind = MEMBER_OWN, .noun = "text", .write = write_earlier},
    OWN("base64", "The same in base64", "text"),
    {"modified", "When it was put there", TIME_AT(struct drive_revision, modified_us),
     .flags = MEMBER_ALWAYS},
    {"modifiedBy", "Who put it there", REF_AT(struct drive_revision, modifier, &address_reference)},
    {"keep", "It is kept for ever", BOOL_AT(struct drive_revision, keep)},
    {.kind = MEMBER_BOOL, MEMBER_TYPED(struct drive_revision, published, bool)},
    {.kind = MEMBER_BOOL, MEMBER_TYPED(struct drive_revision, publish_auto, bool)},
    {.kind = MEMBER_BOOL, MEMBER_TYPED(struct drive_revision, publish_outside, bool)},
};

static int begin_revision(const struct form_in *in, void *row, int64_t item)
{
    const struct drive_item *it = in->of;
    struct drive_revision *r = row;
    r->item = item;
    r->modified_us = it->modified_us;
    r->modifier = it->modifier;
    return 0;
}

/* The file has it as its content, until a later one comes. */
static int add_earlier(const struct form_in *in, void *row)
{
    static struct sql_text q = SQL_TEXT("update drive_revision set keep = :keep where id = :id");
    struct drive_item *it = (void *)(uintptr_t)in->of, then = *it;
    const struct drive_revision *r = row;
    const char *data;
    size_t n;
    then.modified_us = r->modified_us;
    then.modifier = r->modifier;
    if (drive_read_bytes(in, &data, &n) < 0 || drive_content_put(in->tx, &then, data, n) < 0)
        return -1;
    it->version = then.version;
    return r->keep ? TX_RUN(in->tx, &q, true, then.head) : 0;
}

STORED(drive_revision_stored, "An earlier content", struct drive_revision, revision_members, NULL,
       .table = "drive_revision", .add = add_earlier);

static struct stored_rows revisions = {
    &drive_revision_stored,
    SQL_TEXT("where item = ?1 and blob is not null and id < (select i.head from drive_item i where "
             "i.id = item) order by id"),
    begin_revision};
static const struct member list_members[] = {
    {"revisions", "Earlier contents, oldest first",
     MEMBER_ROWS(&drive_revision_stored_form, &revisions)},
};
const struct form drive_revisions_form = FORM("What a file had before", list_members);

/* ---- the present one ---- */

static const struct member head_members[] = {
    {"keep", "Its content is kept for ever", BOOL_AT(struct drive_revision, keep)},
    {"published", "Of a document: it is on the web", BOOL_AT(struct drive_revision, published)},
    {"publishAuto", "Later contents are, too", BOOL_AT(struct drive_revision, publish_auto)},
    {"publishOutside", "Also outside of its domain",
     BOOL_AT(struct drive_revision, publish_outside)},
};
const struct form drive_head_form =
    FORM("What is said of the content that a file has", head_members);

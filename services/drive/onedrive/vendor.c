/* SPDX-License-Identifier: Apache-2.0 */
/* What OneDrive decides about drives: names that a folder has once, the forms of ids, versions,
 * how long the recycle bin keeps things. */
#include "engine/base/codec.h"
#include "engine/text/utf8.h"
#include "services/drive/onedrive/onedrive.h"

#define DAY_US (INT64_C(86400) * 1000000)

/* The GUID of every root. */
static const uint8_t root_guid[16] = {0xbe, 0xc6, 0x8c, 0xea, 0xdb, 0xff, 0xd7, 0x43,
                                      0x97, 0x6f, 0xbc, 0x7d, 0xa4, 0x45, 0xc6, 0x39};

/* Without regard to case; accents count. */
static bool same_name(struct arena *a, const char *x, const char *y)
{
    (void)a;
    return utf8_same(x, y);
}

/* "plan 1.txt" (MG-91). */
static const char *other_name(struct arena *a, const char *name, enum drive_form form, int64_t n)
{
    const char *dot = form == DRIVE_FOLDER ? NULL : strrchr(name, '.');
    const int len = (int)(dot && dot != name ? (size_t)(dot - name) : strlen(name));
    return arena_printf(a, "%.*s %lld%s", len, name, (long long)n, name + len);
}

static const char *new_key(struct tx *tx, enum drive_form form, enum drive_top top, bool secret)
{
    uint8_t bytes[ONEDRIVE_ID_BYTES];
    (void)form;
    (void)secret; /* an id opens nothing */
    if (tx_id(tx, "onedrive item", bytes, sizeof bytes) < 0)
        return NULL;
    if (top)
        memcpy(bytes + ONEDRIVE_ID_DRIVE, root_guid, sizeof root_guid);
    const char *key = onedrive_id(tx->arena, bytes);
    if (!key)
        sosia_fail_memory(tx->err);
    return key;
}

#define OPENXML "application/vnd.openxmlformats-officedocument."

/* By the name alone, whatever a request says. */
const char *onedrive_type(const char *name)
{
    static const struct {
        const char *end, *type;
    } types[] = {
        {".bmp", "image/bmp"},
        {".c", "text/plain"},
        {".css", "text/css"},
        {".csv", "application/vnd.ms-excel"},
        {".doc", "application/msword"},
        {".docx", OPENXML "wordprocessingml.document"},
        {".eml", "message/rfc822"},
        {".gif", "image/gif"},
        {".htm", "text/html"},
        {".html", "text/html"},
        {".ics", "text/calendar"},
        {".jpeg", "image/jpeg"},
        {".jpg", "image/jpeg"},
        {".js", "application/javascript"},
        {".json", "application/json"},
        {".md", "text/markdown"},
        {".mp3", "audio/mpeg"},
        {".mp4", "video/mp4"},
        {".odp", "application/vnd.oasis.opendocument.presentation"},
        {".ods", "application/vnd.oasis.opendocument.spreadsheet"},
        {".odt", "application/vnd.oasis.opendocument.text"},
        {".pdf", "application/pdf"},
        {".png", "image/png"},
        {".ppt", "application/vnd.ms-powerpoint"},
        {".pptx", OPENXML "presentationml.presentation"},
        {".rtf", "application/rtf"},
        {".svg", "image/svg+xml"},
        {".tif", "image/tiff"},
        {".tiff", "image/tiff"},
        {".txt", "text/plain"},
        {".wav", "audio/wav"},
        {".xls", "application/vnd.ms-excel"},
        {".xlsx", OPENXML "spreadsheetml.sheet"},
        {".xml", "text/xml"},
        {".zip", "application/x-zip-compressed"},
    };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < SOSIA_LEN(types); i++)
        if (str_eq_nocase(dot, types[i].end))
            return types[i].type;
    return "application/octet-stream";
}

const struct drive_vendor onedrive_vendor = {
    .name = "microsoft",
    .root = "root",
    .app_data = "Apps",
    .unique_names = true,
    .same_name = same_name,
    .other_name = other_name,
    .type_of = onedrive_type,
    .links = true,
    .new_key = new_key,
    .digests = BLOB_QUICKXOR,
    .item_members = onedrive_item_members,
    .item_seed = onedrive_item_seed,
    .item_dump = onedrive_item_dump,
    .item_drop = onedrive_item_drop,
    .max_depth = 200,
    .trash_us = 93 * DAY_US,
    .revision_us = 36500 * DAY_US,
    .kept_revisions = 500,
    .other_revisions = 500,
};

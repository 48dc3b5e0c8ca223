/* SPDX-License-Identifier: Apache-2.0 */
/* Ids of drives and items. An item's are "01" and 32 digits of base 32: four bytes of the drive and
 * the GUID of the item; a drive's are "b!" and three GUIDs: site, web and library. */
#include "engine/base/codec.h"
#include "services/drive/onedrive/onedrive.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const char *onedrive_id(struct arena *a, const uint8_t bytes[ONEDRIVE_ID_BYTES])
{
    char text[ONEDRIVE_ID + 1] = "01";
    size_t n = 2;
    uint64_t bits = 0;
    int have = 0;
    for (size_t i = 0; i < ONEDRIVE_ID_BYTES; i++) {
        bits = bits << 8 | bytes[i];
        for (have += 8; have >= 5; have -= 5)
            text[n++] = digits[bits >> (have - 5) & 31];
    }
    text[n] = '\0';
    return arena_strdup(a, text);
}

bool onedrive_id_read(const char *id, uint8_t ret[ONEDRIVE_ID_BYTES])
{
    uint64_t bits = 0;
    size_t n = 0;
    int have = 0;
    if (strlen(id) != ONEDRIVE_ID || !str_starts(id, "01"))
        return false;
    for (const char *p = id + 2; *p; p++) {
        const char *digit = strchr(digits, *p);
        if (!digit)
            return false;
        bits = bits << 5 | (uint64_t)(digit - digits);
        for (have += 5; have >= 8; have -= 8)
            ret[n++] = (uint8_t)(bits >> (have - 8));
    }
    return n == ONEDRIVE_ID_BYTES;
}

/* A GUID's text as .NET's bytes have it: the first three groups end first. */
static void guid_text(const uint8_t b[16], char ret[37], bool upper)
{
    static const int order[] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};
    const char *hex = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char *p = ret;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *p++ = '-';
        *p++ = hex[b[order[i]] >> 4];
        *p++ = hex[b[order[i]] & 15];
    }
    *p = '\0';
}

const char *onedrive_guid(struct arena *a, const char *id)
{
    uint8_t bytes[ONEDRIVE_ID_BYTES];
    char text[37];
    if (!onedrive_id_read(id, bytes))
        graph_guid_bytes("drive item", id, bytes + ONEDRIVE_ID_DRIVE);
    guid_text(bytes + ONEDRIVE_ID_DRIVE, text, true);
    return arena_strdup(a, text);
}

/* ---- drives ---- */

enum { GUID = 16, DRIVE_BYTES = 3 * GUID };

/* A drive's site is that of a person, whose object id is in it behind a mask, so that an id leads
 * to the person without a table. */
static void site_mask(uint8_t ret[GUID])
{
    graph_guid_bytes("drive", "site", ret);
}

static bool guid_bytes(const char *guid, uint8_t ret[GUID])
{
    char hex[2 * GUID + 1];
    size_t n = 0;
    for (const char *p = guid; *p; p++)
        if (*p != '-') {
            if (n == 2 * GUID)
                return false;
            hex[n++] = *p;
        }
    hex[n] = '\0';
    return n == 2 * GUID && hex_decode(ret, hex, GUID) == 0;
}

const char *onedrive_drive_id(struct arena *a, const char *oid)
{
    uint8_t bytes[DRIVE_BYTES], mask[GUID];
    struct buf b;
    if (!guid_bytes(oid, bytes))
        graph_guid_bytes("drive owner", oid, bytes);
    site_mask(mask);
    for (int i = 0; i < GUID; i++)
        bytes[i] ^= mask[i];
    graph_guid_bytes("drive web", oid, bytes + GUID);
    graph_guid_bytes("drive library", oid, bytes + 2 * (size_t)GUID);
    buf_init(&b, 128);
    buf_puts(&b, "b!");
    base64url_add(&b, bytes, sizeof bytes, false);
    return buf_keep(&b, a);
}

/* One of the GUIDs of a drive's id. */
static const char *guid_of_drive(struct arena *a, const char *drive, int which)
{
    uint8_t *bytes;
    char text[37] = "";
    size_t n;
    if (base64_decode(a, drive + 2, strlen(drive + 2), &bytes, &n) == 0 && n == DRIVE_BYTES)
        guid_text(bytes + (ptrdiff_t)which * GUID, text, false);
    return arena_strdup(a, text);
}

const char *onedrive_site_id(struct arena *a, const char *drive)
{
    return guid_of_drive(a, drive, 0);
}

const char *onedrive_web_id(struct arena *a, const char *drive)
{
    return guid_of_drive(a, drive, 1);
}

const char *onedrive_list_id(struct arena *a, const char *drive)
{
    return guid_of_drive(a, drive, 2);
}

const char *onedrive_drive_owner(struct arena *a, const char *drive)
{
    uint8_t *bytes, mask[GUID];
    char hex[2 * GUID + 1];
    size_t n;
    if (!str_starts(drive, "b!") ||
        base64_decode(a, drive + 2, strlen(drive + 2), &bytes, &n) < 0 || n != DRIVE_BYTES)
        return NULL;
    site_mask(mask);
    for (int i = 0; i < GUID; i++)
        bytes[i] ^= mask[i];
    hex_encode(hex, bytes, GUID);
    return arena_printf(a, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
}

bool onedrive_is_personal_id(const char *id)
{
    return strlen(id) == 16 && strspn(id, "0123456789abcdefABCDEF") == 16;
}

const char *onedrive_personal_id(struct arena *a, const char *oid)
{
    const size_t n = strlen(oid);
    return n < 17 ? oid : ARENA_JOIN(a, arena_memdup(a, oid + n - 17, 4), oid + n - 12);
}

/* ---- tags ---- */

const char *onedrive_etag(struct arena *a, const struct drive_item *it)
{
    return arena_printf(a, "\"{%s},%lld\"", onedrive_guid(a, it->key), (long long)it->version);
}

const char *onedrive_ctag(struct arena *a, const struct drive_item *it)
{
    return arena_printf(a, "\"c:{%s},%lld\"", onedrive_guid(a, it->key),
                        (long long)drive_content_version(it));
}

const char *onedrive_step(struct onedrive_at *at, const struct drive_item *it)
{
    struct arena *a = at->c->tx.arena;
    return it->id == at->root.id ? "/root" : ARENA_JOIN(a, "/items", graph_key(a, it->key));
}

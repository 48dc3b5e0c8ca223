/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of files: their types, room for them, and addresses from which they come. */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/drive/onedrive/content/pictures.h"

#define URL_LIFE (INT64_C(3600) * US_PER_SECOND)
#define OCTETS   "application/octet-stream"

/* ---- types ---- */

bool onedrive_convertible(const char *name, enum document_kind *ret_kind, const char **ret_type)
{
    static const struct {
        const char *end, *type;
        enum document_kind kind;
    } files[] = {{".csv", FORMAT_CSV, DOCUMENT_SHEETS},   {".docx", FORMAT_DOCX, DOCUMENT_TEXT},
                 {".htm", FORMAT_HTML, DOCUMENT_TEXT},    {".html", FORMAT_HTML, DOCUMENT_TEXT},
                 {".md", FORMAT_MARKDOWN, DOCUMENT_TEXT}, {".odp", FORMAT_ODP, DOCUMENT_SLIDES},
                 {".ods", FORMAT_ODS, DOCUMENT_SHEETS},   {".odt", FORMAT_ODT, DOCUMENT_TEXT},
                 {".pptx", FORMAT_PPTX, DOCUMENT_SLIDES}, {".rtf", FORMAT_RTF, DOCUMENT_TEXT},
                 {".xlsx", FORMAT_XLSX, DOCUMENT_SHEETS}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < SOSIA_LEN(files); i++)
        if (str_eq_nocase(dot, files[i].end)) {
            *ret_kind = files[i].kind;
            *ret_type = files[i].type;
            return true;
        }
    return false;
}

/* ---- in ---- */

/* Is there room for so many bytes more? 0, -1: 507. */
int onedrive_room(struct onedrive_at *at, int64_t more)
{
    int64_t all, trash;
    if (drive_usage(&at->c->tx, at->owner.id, &all, &trash) < 0)
        return -1;
    return all + more <= at->quota ? 0
                                   : call_fail(at->c, SOSIA_E_FULL, "quotaLimitReached", NULL,
                                               "Insufficient Space Available");
}

/* ---- out ---- */

/* With the lengths of the parts, so that no others have the same text. */
const char *onedrive_stamp(struct tx *tx, const char *site, const char *key, const char *revision,
                           int64_t until_us)
{
    const long long until = until_us / US_PER_SECOND;
    struct arena *a = tx->arena;
    uint8_t mac[16];
    char hex[2 * sizeof mac + 1];
    const char *of = revision ? revision : "";
    const char *text =
        arena_printf(a, "%lld %zu %zu %s %s %s", until, strlen(site), strlen(of), site, of, key);
    if (tx_secret_of(tx, "onedrive address", text, mac, sizeof mac) < 0)
        return NULL;
    hex_encode(hex, mac, sizeof mac);
    return arena_printf(a, "v1.%llx.%s", until, hex);
}

const char *onedrive_download_url(struct onedrive_at *at, const struct drive_item *it,
                                  const char *revision)
{
    struct call *c = at->c;
    struct arena *a = c->tx.arena;
    const char *stamp =
        onedrive_stamp(&c->tx, at->site, it->key, revision, c->tx.now_us + URL_LIFE);
    if (!stamp)
        return NULL;
    return call_follow_url(c, at->host,
                           ARENA_JOIN(a, at->site, "/_layouts/15/download.aspx?UniqueId=", it->key,
                                      revision ? "&Version=" : "", revision ? revision : "",
                                      "&Translate=false&tempauth=", stamp, "&ApiVersion=2.0"));
}

int onedrive_redirect(struct onedrive_at *at, const struct drive_item *it)
{
    struct call *c = at->c;
    if (it->form == DRIVE_FOLDER)
        return onedrive_invalid(c, "You cannot get content for a folder");
    const char *url = onedrive_download_url(at, it, NULL);
    if (!url)
        return -1;
    c->status = 302; /* MG-658 */
    call_header_const(c, "Content-Type", OCTETS);
    call_header(c, "Location", url);
    return 0;
}

/* An address on the site's host of what a purpose says, for an hour. NULL: failed. */
const char *onedrive_translated_url(struct onedrive_at *at, const struct drive_item *it,
                                    const char *page, const char *purpose)
{
    struct call *c = at->c;
    const char *stamp =
        onedrive_stamp(&c->tx, at->site, it->key, purpose, c->tx.now_us + 3600 * US_PER_SECOND);
    return stamp ? call_follow_url(c, at->host,
                                   ARENA_JOIN(c->tx.arena, at->site, "/_layouts/15/", page,
                                              "?UniqueId=", it->key, "&", purpose,
                                              "&tempauth=", stamp, "&ApiVersion=2.0"))
                 : NULL;
}

const char *onedrive_thumbnail_url(struct onedrive_at *at, const struct drive_item *it)
{
    return onedrive_translated_url(at, it, "getpreview.ashx", AS_THUMBNAIL);
}

const char *onedrive_preview_url(struct onedrive_at *at, const struct drive_item *it)
{
    return onedrive_translated_url(at, it, "embed.aspx", SHOWN);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pages that the links of files lead to (webViewLink, webContentLink, thumbnailLink). A browser
 * has no token: it sees what anyone with the link sees. Programs follow them with their token, and
 * see what its person sees.
 */
#include "engine/base/codec.h"
#include "services/drive/google/sharing/can.h"
#include "services/drive/google/gdrive.h"
#include "engine/http/bytes.h"
#include "services/drive/core/access/share.h"
#include "services/drive/core/model.h"
#include "services/drive/core/revision.h"
#include "services/drive/google/scopes.h"

static void add_text(struct buf *b, const char *text)
{
    html_escape(b, text, strlen(text), "\"");
}

static int write_page(struct call *c, int status, const char *title, const char *more)
{
    struct buf *b = c->body_out;
    c->status = status;
    buf_clear(b);
    buf_puts(b, "<!doctype html><meta charset=utf-8><title>");
    add_text(b, title);
    buf_puts(b, "</title><h1>");
    add_text(b, title);
    buf_puts(b, "</h1>");
    buf_puts(b, more);
    buf_puts(b, "\n");
    call_header_const(c, "Content-Type", "text/html; charset=UTF-8");
    return 0;
}

/* What a page is about, and what may be done with it. */
struct paged {
    struct gdrive_view view;
    struct drive_item item;
    struct gdrive_cans cans;
};

/* Where a link needs a key, it is in the link (webViewLink). 1, 0, -1. */
static int key_opens(struct paged *p, const struct drive_access *access)
{
    const char *key = call_query_item(p->view.c, "resourcekey");
    if (key && p->item.resource_key && strcmp(key, p->item.resource_key) == 0)
        return 1;
    return gdrive_link_opens(&p->view, &p->item, access);
}

/* 1: there it is, 0: a page was written, -1. A thumbnail's size is behind the id: "ID=s220". A link
 * that needs a key does not open it without. What an app keeps for itself has no page. */
static int open_page(struct call *c, const char *key, struct paged *ret)
{
    struct drive_access access = {0};
    size_t n = key ? strcspn(key, "=") : 0;
    if (!c->actor.id)
        c->actor = (struct actor){.email = "", .kind = "", .name = ""};
    ret->view = (struct gdrive_view){.c = c};
    drive_viewer(&c->tx, &c->actor, &ret->view.viewer);
    int r = n ? drive_item_by_key(&c->tx, arena_memdup(c->tx.arena, key, n), &ret->item) : 0;
    if (r < 0 || (r && drive_role(&ret->view.viewer, &ret->item, &access) < 0))
        return -1;
    r = r && access.role >= ROLE_READER && !ret->item.space ? key_opens(ret, &access) : 0;
    if (r == 1)
        r = gdrive_may(&ret->view.viewer, &ret->item, &access, &ret->cans) < 0 ? -1 : 1;
    if (r)
        return r;
    return write_page(c, 404, "There is no such file, or you need access to it",
                      "<p>A file that is not shared with everybody is shown with a token.</p>") < 0
               ? -1
               : 0;
}

static int add_children(struct call *c, struct drive_viewer *v, const struct drive_item *folder,
                        struct buf *b)
{
    int64_t *list;
    size_t n;
    if (drive_children(&c->tx, folder->id, &list, &n) < 0)
        return -1;
    buf_puts(b, "<ul>");
    for (size_t i = 0; i < n; i++) {
        struct drive_item it;
        struct drive_access access;
        int r = drive_item_by_id(&c->tx, list[i], &it);
        if (r < 0 || (r && drive_role(v, &it, &access) < 0))
            return -1;
        if (!r || access.role < ROLE_READER)
            continue;
        buf_puts(b, it.form == DRIVE_FOLDER ? "<li><a href=\"/drive/folders/"
                                            : "<li><a href=\"/file/d/");
        add_text(b, it.key);
        buf_puts(b, it.form == DRIVE_FOLDER ? "\">" : "/view\">");
        add_text(b, it.name);
        buf_puts(b, "</a>");
    }
    buf_puts(b, "</ul>");
    return 0;
}

static int page_view(struct call *c)
{
    struct paged p;
    struct buf b;
    int r = open_page(c, param_str(c, "id"), &p);
    if (r != 1)
        return r;
    buf_init(&b, 16 << 20);
    buf_puts(&b, "<p>");
    add_text(&b, gdrive_type(c->tx.arena, &p.item));
    if (p.item.form == DRIVE_FOLDER) {
        r = add_children(c, &p.view.viewer, &p.item, &b);
    } else if (p.item.form == DRIVE_FILE && p.item.blob) {
        buf_puts(&b, "<p><a href=\"/uc?export=download&amp;id=");
        add_text(&b, p.item.key);
        buf_puts(&b, "\">Download</a>");
    }
    if (r >= 0)
        r = write_page(c, 200, p.item.name, buf_str(&b));
    buf_done(&b);
    return r < 0 ? -1 : 0;
}

static int send_bytes(struct call *c, const char *type, int64_t blob)
{
    call_header(c, "Content-Type", type);
    call_header_const(c, "Content-Disposition", "attachment");
    return call_send_blob(c, blob, NULL, NULL);
}

static int page_content(struct call *c)
{
    struct paged p;
    int r = open_page(c, param_str(c, "id"), &p);
    if (r != 1)
        return r;
    if (p.item.form != DRIVE_FILE || !p.item.blob || p.item.flags & DRIVE_ABUSIVE ||
        !can(&p.cans, CAN_DOWNLOAD))
        return write_page(c, 403, "The file can't be downloaded", "");
    return send_bytes(c, p.item.mime, p.item.blob);
}

/* A sheet of 16 by 16: the one icon of all types, of people without a picture and of documents,
 * whose first page is not rendered. */
static int page_icon(struct call *c)
{
    static const unsigned char png[] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
        0x44, 0x52, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x10, 0x01, 0x03, 0x00, 0x00,
        0x00, 0x25, 0x3d, 0x6d, 0x22, 0x00, 0x00, 0x00, 0x06, 0x50, 0x4c, 0x54, 0x45, 0xff,
        0xff, 0xff, 0x42, 0x85, 0xf4, 0xda, 0xf8, 0xd0, 0xdb, 0x00, 0x00, 0x00, 0x02, 0x74,
        0x52, 0x4e, 0x53, 0x00, 0xff, 0x5b, 0x91, 0x22, 0xb5, 0x00, 0x00, 0x00, 0x12, 0x49,
        0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x60, 0x60, 0x60, 0x90, 0xff, 0x41, 0x2c, 0x62,
        0x60, 0x00, 0x00, 0x68, 0x80, 0x0f, 0x43, 0x0c, 0x75, 0x0c, 0x95, 0x00, 0x00, 0x00,
        0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    buf_clear(c->body_out);
    buf_add(c->body_out, png, sizeof png);
    call_header_const(c, "Content-Type", "image/png");
    return 0;
}

static int page_thumbnail(struct call *c)
{
    struct paged p;
    int r = open_page(c, param_str(c, "id"), &p);
    if (r != 1)
        return r;
    if (p.item.thumbnail)
        return send_bytes(c, p.item.thumbnail_mime, p.item.thumbnail);
    /* The picture itself is only for who may download it. */
    if (p.item.form == DRIVE_FILE && p.item.blob && gdrive_has_thumbnail(&p.item) &&
        !(p.item.flags & DRIVE_ABUSIVE) && can(&p.cans, CAN_DOWNLOAD))
        return send_bytes(c, p.item.mime, p.item.blob);
    return gdrive_has_thumbnail(&p.item) ? page_icon(c)
                                         : write_page(c, 404, "There is no picture of it", "");
}

/* What was published is shown to all, or to its readers. */
static int page_published(struct call *c)
{
    struct drive_viewer v;
    struct drive_item it;
    struct drive_access access;
    struct drive_revision *last = NULL;
    struct document *d;
    size_t n = 0;
    if (!c->actor.id)
        c->actor = (struct actor){.email = "", .kind = "", .name = ""};
    drive_viewer(&c->tx, &c->actor, &v);
    int r = drive_item_by_key(&c->tx, param_str(c, "id"), &it);
    if (r < 0 || (r && (drive_role(&v, &it, &access) < 0 ||
                        drive_revisions(&c->tx, it.id, it.head - 1, 1, &last, &n) < 0)))
        return -1;
    bool shown = r && n && last->published && !access.trashed &&
                 (last->publish_outside || access.role >= ROLE_READER);
    r = shown ? drive_document_load(&c->tx, &it, 0, &d) : 0;
    if (r < 0)
        return -1;
    buf_clear(c->body_out);
    if (!r || (format_write(c->tx.arena, d, FORMAT_HTML, c->body_out, c->tx.err) < 0 &&
               format_write(c->tx.arena, d, FORMAT_PDF, c->body_out, c->tx.err) < 0))
        return write_page(c, 404, "There is no such page, or it is not published", "");
    bool html = c->body_out->len && c->body_out->data[0] == '<';
    call_header_const(c, "Content-Type", html ? "text/html; charset=UTF-8" : FORMAT_PDF);
    return 0;
}

static const struct param icon_params[] = {
    {.name = "type", .place = IN_PATH, .required = true, .summary = "Media type, before the /"},
    {.name = "subtype", .place = IN_PATH, .required = true, .summary = "Media type, behind the /"},
};
static const struct param page_params[] = {
    {.name = "id", .place = IN_PATH, .required = true, .summary = "Id of the file"},
};
static const struct param content_params[] = {
    {.name = "id", .place = IN_QUERY, .required = true, .summary = "Id of the file"},
    {.name = "export",
     .place = IN_QUERY,
     .summary = "download: the content, in the place of a page"},
};

static const struct param thumbnail_params[] = {
    {.name = "id", .place = IN_QUERY, .required = true, .summary = "Id of the file"},
    {.name = "sz", .place = IN_QUERY, .summary = "Size of the picture, as w400-h300"},
};

static const struct route pages[] = {
    {ROUTE("drive.page.content", GET, "/uc"), .handler = page_content, .risk = RISK_READ,
     .anonymous = true, .scopes = DRIVE " " READONLY, PARAMS(content_params),
     .summary = "The bytes of a file behind its link"},
    {ROUTE("drive.page.icon", GET, "/16/type/{type}/{subtype}"), .handler = page_icon,
     .risk = RISK_READ, .anonymous = true, PARAMS(icon_params),
     .summary = "The icon of a type of files"},
    {ROUTE("drive.page.photo", GET, "/a/{id}", "/team_drive_themes/{id}"), .handler = page_icon,
     .risk = RISK_READ, .anonymous = true, PARAMS(page_params),
     .summary = "The picture of a person, or of a theme"},
    {ROUTE("drive.page.published", GET, "/document/d/e/{id}/pub", "/spreadsheets/d/e/{id}/pub",
           "/presentation/d/e/{id}/pub", "/drawings/d/e/{id}/pub"),
     .handler = page_published, .risk = RISK_READ, .anonymous = true, .scopes = DRIVE " " READONLY,
     PARAMS(page_params), .summary = "A document that was published"},
    {ROUTE("drive.page.smallThumbnail", GET, "/thumbnail"), .handler = page_thumbnail,
     .risk = RISK_READ, .anonymous = true, .scopes = DRIVE " " READONLY, PARAMS(thumbnail_params),
     .summary = "The picture of a file by its id"},
    {ROUTE("drive.page.thumbnail", GET, "/drive-storage/{id}"), .handler = page_thumbnail,
     .risk = RISK_READ, .anonymous = true, .scopes = DRIVE " " READONLY, PARAMS(page_params),
     .summary = "The picture of a file behind its link"},
    {ROUTE("drive.page.view", GET, "/file/d/{id}/view", "/drive/folders/{id}",
           "/document/d/{id}/edit", "/spreadsheets/d/{id}/edit", "/presentation/d/{id}/edit",
           "/drawings/d/{id}/edit", "/forms/d/{id}/edit", "/videos/d/{id}/edit"),
     .handler = page_view, .risk = RISK_READ, .anonymous = true, .scopes = DRIVE " " READONLY,
     PARAMS(page_params), .summary = "The page of a file behind its link"},
};
static const struct rows page_rows = ROWS(pages);

static const char *const prefixes[] = {
    "/file/d", "/drive/folders", "/drive-storage", "/16/type", "/a", "/team_drive_themes", NULL};

const struct dialect gdrive_pages = {
    .name = "drive.google.pages",
    .title = "Pages of Google Drive",
    .vendor = &google_vendor,
    .prefixes = prefixes,
    .tables = TABLES(&page_rows),
};

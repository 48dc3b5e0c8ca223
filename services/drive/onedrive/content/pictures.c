/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of thumbnails, and of addresses under which a file is shown. */
#include "services/drive/onedrive/content/pictures.h"

/* ---- answers ---- */

static int thumbnails_list(struct call *c)
{
    struct thumb_sizes sizes;
    struct drive_item it;
    struct onedrive_at at;
    if (onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_READER, &it) < 0 ||
        thumb_sizes_open(c, true, &sizes) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/thumbnails%s", at.base, onedrive_step(&at, &it), sizes.context);
    int r = thumb_write_sets(&at, &it, "value", &sizes);
    json_end(c->out);
    return r;
}

/* The item of the path, if it has the thumbnail of the path. 0, -1. */
static int open_thumbnail(struct call *c, struct onedrive_at *at, struct drive_item *it)
{
    unsigned width, height;
    if (onedrive_open(c, at) < 0 || onedrive_item(at, ROLE_READER, it) < 0)
        return -1;
    return strcmp(param_str(c, "thumbnailSet-id"), "0") == 0 &&
                   thumb_picture(c, it, &width, &height)
               ? 0
               : onedrive_not_found(c);
}

static int thumbnails_get(struct call *c)
{
    struct thumb_sizes sizes;
    struct drive_item it;
    struct onedrive_at at;
    if (open_thumbnail(c, &at, &it) < 0 || thumb_sizes_open(c, false, &sizes) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/thumbnails%s/$entity", at.base, onedrive_step(&at, &it), sizes.context);
    int r = thumb_write_set(&at, &it, &sizes);
    json_end(c->out);
    return r;
}

static int thumbnails_size(struct call *c)
{
    struct thumb_frame f;
    struct drive_item it;
    struct onedrive_at at;
    if (open_thumbnail(c, &at, &it) < 0)
        return -1;
    if (!thumb_frame_of(param_str(c, "thumbnail-size"), &f))
        return onedrive_not_found(c);
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/thumbnails('0')/%s", at.base, onedrive_step(&at, &it), f.name);
    int r = thumb_write(&at, &it, NULL, &f);
    json_end(c->out);
    return r;
}

static int thumbnails_content(struct call *c)
{
    struct thumb_frame f;
    struct drive_item it;
    struct onedrive_at at;
    if (open_thumbnail(c, &at, &it) < 0)
        return -1;
    if (!thumb_frame_of(param_str(c, "thumbnail-size"), &f))
        return onedrive_not_found(c);
    const char *url = onedrive_thumbnail_url(&at, &it);
    if (!url)
        return -1;
    c->status = 302;
    call_header_const(c, "Content-Type", "image/jpeg");
    call_header(c, "Location", url);
    return 0;
}

/* ---- shown ---- */

static int items_preview(struct call *c)
{
    struct drive_item it;
    struct onedrive_at at;
    if (onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_READER, &it) < 0)
        return -1;
    if (it.form == DRIVE_FOLDER)
        return onedrive_invalid(c, "The operation is not supported for folders.");
    if (at.personal)
        return call_fail(c, SOSIA_E_INVALID, "notSupported", NULL, "Operation not supported");
    const char *url = onedrive_preview_url(&at, &it);
    if (!url)
        return -1;
    json_obj(c->out, NULL);
    graph_context_of(c, "microsoft.graph.itemPreviewInfo");
    json_str(c->out, "getUrl", url);
    json_null(c->out, "postParameters");
    json_null(c->out, "postUrl");
    json_end(c->out);
    return 0;
}

/* ---- the methods ---- */

#define SET_ID                                                                                     \
    {                                                                                              \
        .name = "thumbnailSet-id", .place = IN_PATH, .required = true                              \
    }
#define SIZE                                                                                       \
    {                                                                                              \
        .name = "thumbnail-size", .place = IN_PATH, .required = true                               \
    }
static const struct param list_params[] = {ONEDRIVE_PATH_PARAMS,
                                           {.name = "$select", .place = IN_QUERY}};
static const struct param set_params[] = {
    ONEDRIVE_PATH_PARAMS, SET_ID, {.name = "$select", .place = IN_QUERY}};
static const struct param size_params[] = {ONEDRIVE_PATH_PARAMS, SET_ID, SIZE};
static const struct param preview_params[] = {ONEDRIVE_PATH_PARAMS};

static const struct route methods[] = {
    {ROUTE("onedrive.items.thumbnails.list", GET, OF_ITEM("/thumbnails")),
     .handler = thumbnails_list, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(list_params),
     .response = "microsoft.graph.thumbnailSetCollectionResponse",
     .summary = "The thumbnails of a picture"},
    {ROUTE("onedrive.items.thumbnails.get", GET, OF_ITEM("/thumbnails/{thumbnailSet-id}")),
     .handler = thumbnails_get, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(set_params),
     .response = "microsoft.graph.thumbnailSet", .summary = "One set of thumbnails of a picture"},
    {ROUTE("onedrive.items.thumbnails.size", GET,
           OF_ITEM("/thumbnails/{thumbnailSet-id}/{thumbnail-size}")),
     .handler = thumbnails_size, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(size_params),
     .response = "microsoft.graph.thumbnail", .summary = "A thumbnail in one size"},
    {ROUTE("onedrive.items.thumbnails.content", GET,
           OF_ITEM("/thumbnails/{thumbnailSet-id}/{thumbnail-size}/content")),
     .handler = thumbnails_content, .risk = RISK_READ, .scopes = ONEDRIVE_READ, PARAMS(size_params),
     .status = 302, .gives = "image/jpeg",
     .summary = "The bytes of a thumbnail: leads to an address that needs no token"},
    {ROUTE("onedrive.items.preview", POST, OF_ITEM("/preview")), .handler = items_preview,
     .risk = RISK_READ, .body = BODY_JSON, .scopes = ONEDRIVE_READ, PARAMS(preview_params),
     .request = "microsoft.graph.driveItem.preview", .response = "microsoft.graph.itemPreviewInfo",
     .summary = "A short-lived address under which a file can be shown"},
};

const struct rows onedrive_pictures = ROWS(methods);

/* SPDX-License-Identifier: Apache-2.0 */
/* Thumbnails of pictures, and addresses under which a file is shown. A thumbnail has the picture's
 * own bytes, or those of the one that its file was given; its size is what the service would make.
 */
#include "services/drive/onedrive/page.h"
#include "services/drive/onedrive/pictures.h"
#include "engine/base/codec.h"
#include <stdio.h>

enum { SIDE_MOST = 4096 }; /* pixels that a caller may ask for */

/* What a size is called, with its longest side or both, and whether it is cut to that. */
struct frame {
    const char *name;
    unsigned width, height;
    bool cut;
};
static const struct frame frames[] = {
    {"large", 800, 800, false}, {"medium", 176, 176, false}, {"small", 96, 96, false}};
static const struct frame squares[] = {{"smallSquare", 96, 96, true},
                                       {"mediumSquare", 176, 176, true},
                                       {"largeSquare", 800, 800, true}};

/* By its name: one of those, "source", or a size of the caller's own, "c300x400" and
 * "c300x400_crop". false: there is no such size. */
static bool frame_of(const char *name, struct frame *ret)
{
    int end = 0;
    for (size_t i = 0; i < SOSIA_LEN(frames); i++)
        if (strcmp(frames[i].name, name) == 0) {
            *ret = frames[i];
            return true;
        }
    for (size_t i = 0; i < SOSIA_LEN(squares); i++)
        if (strcmp(squares[i].name, name) == 0) {
            *ret = squares[i];
            return true;
        }
    *ret = (struct frame){.name = name};
    if (strcmp(name, "source") == 0)
        return true;
    if (sscanf(name, "c%4ux%4u%n", &ret->width, &ret->height, &end) < 2)
        return false;
    ret->cut = strcasecmp(name + end, "_crop") == 0;
    return (!name[end] || ret->cut) && ret->width && ret->height && ret->width <= SIDE_MOST &&
           ret->height <= SIDE_MOST;
}

/* ---- the picture ---- */

/* Its size in pixels; false: there is no picture of the item. */
static bool size_of_picture(struct call *c, const struct drive_item *it, unsigned *ret_width,
                            unsigned *ret_height)
{
    if (it->form != DRIVE_FILE || onedrive_picture(c, it, ret_width, ret_height))
        return it->form == DRIVE_FILE;
    *ret_width = *ret_height = 800; /* of a thumbnail that a document gave */
    return it->thumbnail != 0;
}

/* The size that a picture has in a frame: never more than its own. */
static void fit(const struct frame *f, unsigned *width, unsigned *height)
{
    if (!f->width || (*width <= f->width && *height <= f->height && !f->cut))
        return;
    if (f->cut) {
        *width = *width < f->width ? *width : f->width;
        *height = *height < f->height ? *height : f->height;
        return;
    }
    const uint64_t w = *width, h = *height;
    const bool wide = w * f->height > h * f->width;
    const uint64_t other = wide ? (h * f->width + w / 2) / w : (w * f->height + h / 2) / h;
    *width = wide ? f->width : other ? (unsigned)other : 1;
    *height = !wide ? f->height : other ? (unsigned)other : 1;
}

/* {"height", "url", "width"} of a size, as a member. 0, -1. */
static int write_thumbnail(struct onedrive_at *at, const struct drive_item *it, const char *key,
                           const struct frame *f)
{
    struct json_writer *w = at->c->out;
    unsigned width, height;
    const char *url = onedrive_thumbnail_url(at, it);
    if (!url || !size_of_picture(at->c, it, &width, &height))
        return url ? 0 : -1;
    fit(f, &width, &height);
    if (key)
        json_obj(w, key);
    json_int(w, "height", height);
    json_str(w, "url",
             arena_printf(at->c->tx.arena, "%s&width=%u&height=%u&cropmode=%s", url, width, height,
                          f->cut ? "center" : "none"));
    json_int(w, "width", width);
    if (key)
        json_end(w);
    return 0;
}

/* Sizes that a call asks for: the usual ones, or those of $select, among which may be sizes that no
 * type has. */
struct sizes {
    struct frame list[16];
    size_t n;
    const char *context; /* what contexts say of them */
};

/* The sizes of a $select that names nothing else; false: it does, or there is none. */
static bool read_sizes(struct call *c, struct sizes *ret)
{
    const char *text = graph_option(c, "$select");
    *ret = (struct sizes){.context = ""};
    if (!text || !*text)
        return false;
    ret->context = ARENA_JOIN(c->tx.arena, "(", text, ")");
    for (;; text++) {
        const size_t n = strcspn(text, ",");
        const char *name = arena_memdup(c->tx.arena, text, n);
        if (ret->n == SOSIA_LEN(ret->list) || !name || !frame_of(name, &ret->list[ret->n]))
            return false;
        ret->n++;
        text += n;
        if (!*text)
            return true;
    }
}

/* The sizes that a call asks for. 0, -1 refused. */
static int open_sizes(struct call *c, bool list, struct sizes *ret)
{
    struct odata_query q;
    if (read_sizes(c, ret))
        return 0;
    if (onedrive_options(c, "thumbnailSet", &q) < 0 || graph_select(c, &q, 0, list) < 0)
        return -1;
    memcpy(ret->list, frames, sizeof frames);
    ret->n = SOSIA_LEN(frames);
    ret->context = odata_context(c->tx.arena, &q);
    return 0;
}

static int write_set(struct onedrive_at *at, const struct drive_item *it, const struct sizes *sizes)
{
    int r = 0;
    json_str(at->c->out, "id", "0");
    for (size_t i = 0; r == 0 && i < sizes->n; i++)
        r = write_thumbnail(at, it, sizes->list[i].name, &sizes->list[i]);
    return r;
}

/* The sets of an item, as a list. 0, -1. */
static int write_sets(struct onedrive_at *at, const struct drive_item *it, const char *key,
                      const struct sizes *sizes)
{
    unsigned width, height;
    int r = 0;
    json_arr(at->c->out, key);
    if (size_of_picture(at->c, it, &width, &height)) {
        json_obj(at->c->out, NULL);
        r = write_set(at, it, sizes);
        json_end(at->c->out);
    }
    json_end(at->c->out);
    return r;
}

int onedrive_write_thumbnails(struct onedrive_at *at, const struct drive_item *it)
{
    struct sizes sizes = {.n = SOSIA_LEN(frames)};
    memcpy(sizes.list, frames, sizeof frames);
    return write_sets(at, it, "thumbnails", &sizes);
}

/* ---- answers ---- */

static int thumbnails_list(struct call *c)
{
    struct sizes sizes;
    struct drive_item it;
    struct onedrive_at at;
    if (onedrive_open(c, &at) < 0 || onedrive_item(&at, ROLE_READER, &it) < 0 ||
        open_sizes(c, true, &sizes) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/thumbnails%s", at.base, onedrive_step(&at, &it), sizes.context);
    int r = write_sets(&at, &it, "value", &sizes);
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
                   size_of_picture(c, it, &width, &height)
               ? 0
               : onedrive_not_found(c);
}

static int thumbnails_get(struct call *c)
{
    struct sizes sizes;
    struct drive_item it;
    struct onedrive_at at;
    if (open_thumbnail(c, &at, &it) < 0 || open_sizes(c, false, &sizes) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/thumbnails%s/$entity", at.base, onedrive_step(&at, &it), sizes.context);
    int r = write_set(&at, &it, &sizes);
    json_end(c->out);
    return r;
}

static int thumbnails_size(struct call *c)
{
    struct frame f;
    struct drive_item it;
    struct onedrive_at at;
    if (open_thumbnail(c, &at, &it) < 0)
        return -1;
    if (!frame_of(param_str(c, "thumbnail-size"), &f))
        return onedrive_not_found(c);
    json_obj(c->out, NULL);
    graph_context(c, "%s%s/thumbnails('0')/%s", at.base, onedrive_step(&at, &it), f.name);
    int r = write_thumbnail(&at, &it, NULL, &f);
    json_end(c->out);
    return r;
}

static int thumbnails_content(struct call *c)
{
    struct frame f;
    struct drive_item it;
    struct onedrive_at at;
    if (open_thumbnail(c, &at, &it) < 0)
        return -1;
    if (!frame_of(param_str(c, "thumbnail-size"), &f))
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
    {.id = "onedrive.items.thumbnails.list",
     .verbs = GET,
     .paths = PATHS(OF_ITEM("/thumbnails")),
     .handler = thumbnails_list,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(list_params),
     .response = "microsoft.graph.thumbnailSetCollectionResponse",
     .summary = "The thumbnails of a picture"},
    {.id = "onedrive.items.thumbnails.get",
     .verbs = GET,
     .paths = PATHS(OF_ITEM("/thumbnails/{thumbnailSet-id}")),
     .handler = thumbnails_get,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(set_params),
     .response = "microsoft.graph.thumbnailSet",
     .summary = "One set of thumbnails of a picture"},
    {.id = "onedrive.items.thumbnails.size",
     .verbs = GET,
     .paths = PATHS(OF_ITEM("/thumbnails/{thumbnailSet-id}/{thumbnail-size}")),
     .handler = thumbnails_size,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(size_params),
     .response = "microsoft.graph.thumbnail",
     .summary = "A thumbnail in one size"},
    {.id = "onedrive.items.thumbnails.content",
     .verbs = GET,
     .paths = PATHS(OF_ITEM("/thumbnails/{thumbnailSet-id}/{thumbnail-size}/content")),
     .handler = thumbnails_content,
     .risk = RISK_READ,
     .scopes = ONEDRIVE_READ,
     PARAMS(size_params),
     .status = 302,
     .gives = "image/jpeg",
     .summary = "The bytes of a thumbnail: leads to an address that needs no token"},
    {.id = "onedrive.items.preview",
     .verbs = POST,
     .paths = PATHS(OF_ITEM("/preview")),
     .handler = items_preview,
     .risk = RISK_READ,
     .body = BODY_JSON,
     .scopes = ONEDRIVE_READ,
     PARAMS(preview_params),
     .request = "microsoft.graph.driveItem.preview",
     .response = "microsoft.graph.itemPreviewInfo",
     .summary = "A short-lived address under which a file can be shown"},
};

const struct rows onedrive_pictures = ROWS(methods);

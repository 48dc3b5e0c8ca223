/* SPDX-License-Identifier: Apache-2.0 */
/* Thumbnails of pictures. A thumbnail has the picture's own bytes, or those of the one that its
 * file was given; its size is what the service would make. */
#include "services/drive/onedrive/content/pictures.h"
#include "engine/base/codec.h"
#include <ctype.h>
#include <stdio.h>

enum { SIDE_MOST = 4096 }; /* pixels that a caller may ask for */

static const struct thumb_frame frames[] = {
    {"large", 800, 800, false}, {"medium", 176, 176, false}, {"small", 96, 96, false}};
static const struct thumb_frame squares[] = {{"smallSquare", 96, 96, true},
                                             {"mediumSquare", 176, 176, true},
                                             {"largeSquare", 800, 800, true}};

/* By its name: one of those, "source", or a size of the caller's own, "c300x400" and
 * "c300x400_crop". false: there is no such size. */
bool thumb_frame_of(const char *name, struct thumb_frame *ret)
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
    *ret = (struct thumb_frame){.name = name};
    if (strcmp(name, "source") == 0)
        return true;
    const char *by = strchr(name, 'x');
    if (!by || !isdigit((unsigned char)by[1]) || *name != 'c' || !isdigit((unsigned char)name[1]) ||
        sscanf(name, "c%4ux%4u%n", &ret->width, &ret->height, &end) < 2)
        return false;
    ret->cut = strcasecmp(name + end, "_crop") == 0;
    return (!name[end] || ret->cut) && ret->width && ret->height && ret->width <= SIDE_MOST &&
           ret->height <= SIDE_MOST;
}

/* ---- the picture ---- */

/* Its size in pixels; false: there is no picture of the item. */
bool thumb_picture(struct call *c, const struct drive_item *it, unsigned *ret_width,
                   unsigned *ret_height)
{
    if (it->form != DRIVE_FILE || onedrive_picture(c, it, ret_width, ret_height))
        return it->form == DRIVE_FILE;
    *ret_width = *ret_height = 800; /* of a thumbnail that a document gave */
    return it->thumbnail != 0;
}

/* The size that a picture has in a frame: never more than its own. */
static void fit(const struct thumb_frame *f, unsigned *width, unsigned *height)
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
int thumb_write(struct onedrive_at *at, const struct drive_item *it, const char *key,
                const struct thumb_frame *f)
{
    struct json_writer *w = at->c->out;
    unsigned width, height;
    const char *url = onedrive_thumbnail_url(at, it);
    if (!url || !thumb_picture(at->c, it, &width, &height))
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

static bool has_size(const struct thumb_sizes *sizes, const char *name)
{
    for (size_t i = 0; i < sizes->n; i++)
        if (strcmp(sizes->list[i].name, name) == 0)
            return true;
    return false;
}

/* The sizes of a $select that names nothing else; false: it does, or there is none. */
static bool read_sizes(struct call *c, struct thumb_sizes *ret)
{
    const char *text = graph_option(c, "$select");
    *ret = (struct thumb_sizes){.context = ""};
    if (!text || !*text)
        return false;
    ret->context = ARENA_JOIN(c->tx.arena, "(", text, ")");
    for (;; text++) {
        const size_t n = strcspn(text, ",");
        const char *name = arena_memdup(c->tx.arena, text, n);
        if (ret->n == SOSIA_LEN(ret->list) || !name || !thumb_frame_of(name, &ret->list[ret->n]))
            return false;
        ret->n += !has_size(ret, name);
        text += n;
        if (!*text)
            return true;
    }
}

/* The sizes that a call asks for. 0, -1 refused. */
int thumb_sizes_open(struct call *c, bool list, struct thumb_sizes *ret)
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

int thumb_write_set(struct onedrive_at *at, const struct drive_item *it,
                    const struct thumb_sizes *sizes)
{
    int r = 0;
    json_str(at->c->out, "id", "0");
    for (size_t i = 0; r == 0 && i < sizes->n; i++)
        r = thumb_write(at, it, sizes->list[i].name, &sizes->list[i]);
    return r;
}

/* The sets of an item, as a list. 0, -1. */
int thumb_write_sets(struct onedrive_at *at, const struct drive_item *it, const char *key,
                     const struct thumb_sizes *sizes)
{
    unsigned width, height;
    int r = 0;
    json_arr(at->c->out, key);
    if (thumb_picture(at->c, it, &width, &height)) {
        json_obj(at->c->out, NULL);
        r = thumb_write_set(at, it, sizes);
        json_end(at->c->out);
    }
    json_end(at->c->out);
    return r;
}

int onedrive_write_thumbnails(struct onedrive_at *at, const struct drive_item *it)
{
    struct thumb_sizes sizes = {.n = SOSIA_LEN(frames)};
    memcpy(sizes.list, frames, sizeof frames);
    return thumb_write_sets(at, it, "thumbnails", &sizes);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Files of libraries as items of a list (vendors/microsoft/sites/files.h). A file's number in the
 * list is that of its row, so that it needs no table. */
#include "engine/base/codec.h"
#include "services/drive/onedrive/onedrive.h"
#include <ctype.h>
#include <stdlib.h>

static int open_library(struct call *c, const struct ms_library *library, struct onedrive_at *ret)
{
    struct graph_user user;
    int r = onedrive_library_user(&c->tx, library, &user);
    return r == 1 ? onedrive_open_of(c, &user, ret) : -1;
}

/* What lists have of an item. 0, -1. */
static int fill(struct onedrive_at *at, const struct drive_item *it, struct ms_file *ret)
{
    struct arena *a = at->c->tx.arena;
    const char *upper = onedrive_guid(a, it->key);
    char *guid = upper ? arena_strdup(a, upper) : NULL;
    for (char *p = guid; p && *p; p++)
        *p = (char)tolower((unsigned char)*p);
    *ret = (struct ms_file){.id = it->id,
                            .guid = guid,
                            .name = it->name,
                            .url = onedrive_web_url(at, it),
                            .folder = it->form == DRIVE_FOLDER,
                            .size = it->size > 0 ? it->size : 0,
                            .created_us = it->created_us,
                            .modified_us = it->modified_us,
                            .creator = onedrive_creator(at, it),
                            .modifier = it->modifier ? it->modifier : it->owner,
                            .version = it->version};
    if (!guid || !ret->url)
        return sosia_fail_memory(at->c->tx.err);
    return ret->folder ? drive_child_count(&at->c->tx, it->id, &ret->children) : 0;
}

static int files_of_call(struct call *c, enum site_role need, struct ms_library *ret,
                         struct ms_file *ret_file)
{
    struct drive_item it;
    struct onedrive_at at;
    if (onedrive_open(c, &at) < 0 ||
        onedrive_item(&at, need >= SITE_WRITE ? ROLE_WRITER : ROLE_READER, &it) < 0)
        return -1;
    if (!at.library.id || it.top)
        return onedrive_not_found(c);
    *ret = at.library;
    return fill(&at, &it, ret_file);
}

static int library_of_call(struct call *c, struct ms_library *ret)
{
    struct onedrive_at at;
    if (onedrive_open(c, &at) < 0 || onedrive_may(&at, &at.root, ROLE_READER) < 0)
        return -1;
    *ret = at.library;
    return at.library.id ? 0 : onedrive_not_found(c);
}

static int by_number(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return a < b ? -1 : a > b;
}

static int files_all(struct call *c, const struct ms_library *library, int64_t **ret, size_t *ret_n)
{
    struct drive_walk walk = {.depth = -1};
    struct onedrive_at at;
    size_t n = 0, cap = 0, found_n;
    int64_t *list = NULL, *found;
    int more = 1;
    if (open_library(c, library, &at) < 0)
        return -1;
    while (more == 1) {
        more = drive_walk(&c->tx, at.root.id, &walk, 1000, &found, &found_n);
        for (size_t i = 0; more >= 0 && i < found_n; i++) {
            if (found[i] == at.root.id)
                continue;
            list = arena_grow(c->tx.arena, list, n, &cap, sizeof *list);
            if (arena_failed(c->tx.arena))
                return sosia_fail_memory(c->tx.err);
            list[n++] = found[i];
        }
    }
    if (n)
        qsort(list, n, sizeof *list, by_number);
    *ret = list;
    *ret_n = n;
    return more;
}

static int files_find(struct call *c, const struct ms_library *library, int64_t id,
                      struct ms_file *ret)
{
    struct drive_item it;
    struct onedrive_at at;
    int r = open_library(c, library, &at) < 0 ? -1 : onedrive_item_of_row(&at, id, &it);
    return r == 1 ? (fill(&at, &it, ret) < 0 ? -1 : 1) : r;
}

static int open_to_change(struct call *c, const struct ms_library *library, int64_t id,
                          struct onedrive_at *at, struct drive_item *it)
{
    int r = open_library(c, library, at) < 0 ? -1 : onedrive_item_of_row(at, id, it);
    if (r != 1)
        return r < 0 ? -1 : onedrive_not_found(c);
    return onedrive_may(at, it, ROLE_WRITER) < 0 ? -1 : onedrive_check_free(at, it);
}

static int files_touch(struct call *c, const struct ms_library *library, struct ms_file *file)
{
    struct drive_item it;
    struct onedrive_at at;
    if (open_to_change(c, library, file->id, &at, &it) < 0)
        return -1;
    it.modifier = c->actor.id;
    it.modified_us = c->tx.now_us;
    return drive_item_save(&c->tx, &it) < 0 ? onedrive_refused(c) : fill(&at, &it, file);
}

static int files_remove(struct call *c, const struct ms_library *library, int64_t id)
{
    struct drive_item it;
    struct onedrive_at at;
    return open_to_change(c, library, id, &at, &it) < 0 ? -1 : onedrive_throw_away(&at, &it);
}

static int files_write(struct call *c, const struct ms_library *library, int64_t id,
                       const char *key, const struct odata_query *q)
{
    struct drive_item it;
    struct onedrive_at at;
    int r = open_library(c, library, &at) < 0 ? -1 : onedrive_item_of_row(&at, id, &it);
    if (r != 1)
        return r;
    at.query = q;
    return onedrive_write(&at, key, &it);
}

const struct ms_files onedrive_files = {.of_call = files_of_call,
                                        .library_of_call = library_of_call,
                                        .all = files_all,
                                        .find = files_find,
                                        .touch = files_touch,
                                        .remove = files_remove,
                                        .write = files_write,
                                        .search = onedrive_search};

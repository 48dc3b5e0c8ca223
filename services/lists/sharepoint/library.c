/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries as lists. Their items are files, which another service has (vendors/microsoft/sites/
 * files.h). Columns of their own and the values in them are a list of the core's with the library's
 * key, which is made when the first of them comes; its items have the files' GUIDs as keys.
 */
#include "services/lists/sharepoint/sharepoint.h"

const struct ms_files *sp_files(const struct tx *tx)
{
    return core_policy_nth(tx, SITES_CORE, 0);
}

int sp_of_library(struct tx *tx, const struct ms_site *site, const struct ms_library *library,
                  struct sp_list *ret)
{
    struct lists_list kept;
    int r = lists_by_key(tx, library->key, &kept);
    if (r < 0)
        return -1;
    *ret = (struct sp_list){.is_library = true, .library = *library};
    ret->list = (struct lists_list){.id = r ? kept.id : 0,
                                    .place = site->key,
                                    .key = library->key,
                                    .name = library->name,
                                    .title = library->title,
                                    .template = SP_LIBRARY,
                                    .created_us = library->made_us,
                                    .modified_us = site->changed_us,
                                    .version = r ? kept.version : 1};
    return 0;
}

int sp_keep_library(struct sp_at *at)
{
    struct lists_list *list = &at->of.list;
    if (!at->of.is_library || list->id)
        return 0;
    return lists_new(&at->c->tx, list) < 0 ? sp_refused(at->c) : 0;
}

/* A file as an item of the list, with the values that are kept of it. 0, -1. */
static int as_item(struct sp_at *at, const struct ms_file *file, struct lists_item *ret)
{
    struct lists_item kept = {.id = 0};
    int r = at->of.list.id ? lists_item_by_key(&at->c->tx, at->of.list.id, file->guid, &kept) : 0;
    if (r < 0)
        return -1;
    *ret = (struct lists_item){.id = kept.id,
                               .list = at->of.list.id,
                               .number = file->id,
                               .key = file->guid,
                               .values = r ? kept.values : "{}",
                               .creator = file->creator,
                               .modifier = file->modifier,
                               .created_us = file->created_us,
                               .modified_us = file->modified_us,
                               .version = r ? kept.version : 1,
                               .change = kept.change};
    at->file = *file;
    return 0;
}

int sp_file_item(struct sp_at *at, int64_t number, struct lists_item *ret)
{
    const struct ms_files *files = sp_files(&at->c->tx);
    struct ms_file file;
    int r = files ? files->find(at->c, &at->of.library, number, &file) : 0;
    return r == 1 ? (as_item(at, &file, ret) < 0 ? -1 : 1) : r;
}

int sp_open_drive(struct call *c, struct sp_at *ret)
{
    const struct ms_files *files = sp_files(&c->tx);
    struct ms_library library;
    *ret = (struct sp_at){.c = c};
    if (!files || files->library_of_call(c, &library) < 0)
        return files ? -1 : site_not_found(c);
    if (ms_site_get(&c->tx, library.site, &ret->site) != 1 ||
        sp_of_library(&c->tx, &ret->site, &library, &ret->of) < 0)
        return -1;
    ret->base = ARENA_JOIN(c->tx.arena, site_context(c, &ret->site), "/lists",
                           graph_key(c->tx.arena, ret->of.list.key));
    return 0;
}

int sp_item_of_file(struct call *c, enum site_role need, struct sp_at *ret,
                    struct lists_item *ret_item)
{
    const struct ms_files *files = sp_files(&c->tx);
    struct ms_library library;
    struct ms_file file;
    *ret = (struct sp_at){.c = c};
    if (!files || files->of_call(c, need, &library, &file) < 0)
        return files ? -1 : site_not_found(c);
    if (ms_site_get(&c->tx, library.site, &ret->site) != 1 ||
        sp_of_library(&c->tx, &ret->site, &library, &ret->of) < 0)
        return -1;
    ret->base = ARENA_JOIN(c->tx.arena, site_context(c, &ret->site), "/lists",
                           graph_key(c->tx.arena, ret->of.list.key));
    return as_item(ret, &file, ret_item);
}

int sp_item_next(struct sp_at *at, int64_t after, struct lists_item *ret)
{
    struct call *c = at->c;
    const struct ms_files *files = sp_files(&c->tx);
    int r = 0;
    if (!at->of.is_library)
        return lists_item_next(&c->tx, at->of.list.id, after, ret);
    if (!at->numbers && files && files->all(c, &at->of.library, &at->numbers, &at->n_numbers) < 0)
        return -1;
    size_t low = 0, high = at->n_numbers;
    while (low < high) {
        const size_t half = low + (high - low) / 2;
        if (at->numbers[half] <= after)
            low = half + 1;
        else
            high = half;
    }
    for (; r == 0 && low < at->n_numbers; low++)
        r = sp_file_item(at, at->numbers[low], ret);
    return r;
}

int sp_item_set(struct sp_at *at, struct lists_item *item, const char *values)
{
    struct call *c = at->c;
    if (!at->of.is_library)
        return lists_item_save(&c->tx, item, values, c->actor.id);
    if (sp_files(&c->tx)->touch(c, &at->of.library, &at->file) < 0)
        return -1;
    struct lists_item kept = {.list = at->of.list.id, .key = item->key, .values = values};
    int r = item->id ? lists_item_by_key(&c->tx, at->of.list.id, item->key, &kept) : 0;
    if (r == 1)
        r = lists_item_save(&c->tx, &kept, values, c->actor.id);
    else if (r == 0)
        r = lists_item_new(&c->tx, &kept, c->actor.id);
    const struct ms_file file = at->file;
    return r < 0 ? -1 : as_item(at, &file, item);
}

int sp_item_remove(struct sp_at *at, const struct lists_item *item)
{
    struct call *c = at->c;
    return at->of.is_library ? sp_files(&c->tx)->remove(c, &at->of.library, item->number)
                             : lists_item_drop(&c->tx, item);
}

int sp_open_listed(struct sp_at *at, const struct ms_library *library, int64_t id,
                   struct lists_item *ret)
{
    struct call *c = at->c;
    int r = ms_site_get(&c->tx, library->site, &at->site);
    if (r == 1 && sp_of_library(&c->tx, &at->site, library, &at->of) < 0)
        r = -1;
    if (r != 1)
        return r;
    at->base = ARENA_JOIN(c->tx.arena, site_context(c, &at->site), "/lists",
                          graph_key(c->tx.arena, at->of.list.key));
    return sp_file_item(at, id, ret);
}

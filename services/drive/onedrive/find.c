/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files and drives as /search/query finds them: of the caller's own drive, of what others have
 * shared with them, and of the libraries that they may read; those that changed last first.
 */
#include "engine/base/codec.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/find/find.h"
#include "services/drive/onedrive/onedrive.h"
#include "engine/world/core.h"
#include "vendors/microsoft/sites/files.h"
#include "vendors/microsoft/find.h"
#include <stdlib.h>
#include <strings.h>

enum { MOST_FOUND = 10000, PAGE = 500 };

struct hit {
    struct drive_item item;
    struct onedrive_at *at; /* its drive */
};
struct found_files {
    struct call *c;
    struct graph_find *f;
    struct hit *hits;
    size_t n, cap;
    int64_t seen; /* of drives */
};

/* ---- the question ---- */

static const char *extension(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : "";
}

/* Properties that no index has: text, its name; text2, its value; id: of path, the folder. */
static int is_own(struct tx *tx, const struct find *q, const struct drive_item *it)
{
    struct actor who;
    if (str_eq_nocase(q->text, "filetype") || str_eq_nocase(q->text, "fileextension"))
        return it->form != DRIVE_FOLDER && strcasecmp(extension(it->name), q->text2) == 0;
    if (str_eq_nocase(q->text, "isdocument"))
        return (it->form != DRIVE_FOLDER) ==
               (strcasecmp(q->text2, "true") == 0 || strcmp(q->text2, "1") == 0);
    if (str_eq_nocase(q->text, "path"))
        return q->id ? drive_is_under(tx, it->id, q->id) : 0;
    if (str_eq_nocase(q->text, "author") || str_eq_nocase(q->text, "createdby")) {
        int r = actor_by_id(tx, it->owner, &who);
        return r == 1 ? graph_words_in(who.name, q->text2) || graph_words_in(who.email, q->text2)
                      : r;
    }
    return 0;
}

/* Is the address that of the drive, or of what it is in: its site, the host? */
static bool leads_to_drive(struct call *c, struct onedrive_at *drive, const char *address)
{
    const char *encoded =
        ARENA_JOIN(c->tx.arena, "https://", drive->host, drive->site, drive->folder);
    char *url, *text;
    size_t len, n;
    if (!encoded || percent_decode(c->tx.arena, encoded, strlen(encoded), false, &url, &len) < 0 ||
        percent_decode(c->tx.arena, address, strlen(address), false, &text, &n) < 0)
        return false;
    while (n && text[n - 1] == '/')
        text[--n] = '\0';
    return n && len >= n && str_is_nocase(url, n, text) && (!url[n] || url[n] == '/');
}

/* A single word or property, asked of what is in a drive. 0, -1. */
static int term_of(struct call *c, struct onedrive_at *drive, const struct graph_words *w,
                   struct find *q)
{
    struct onedrive_at at;
    struct drive_item folder;
    if (!w->property || strcmp(w->property, "filename") == 0 || strcmp(w->property, "title") == 0 ||
        strcmp(w->property, "name") == 0) {
        q->kind = w->property || w->begins ? FIND_NAME_HAS : FIND_TEXT;
        q->text =
            w->phrase && !w->property ? arena_printf(c->tx.arena, "\"%s\"", w->text) : w->text;
        return 0;
    }
    q->kind = FIND_OWN;
    q->text = w->property;
    q->text2 = w->text;
    if (strcmp(w->property, "path") == 0) {
        int r = onedrive_by_address(c, w->text, &at, &folder);
        if (r < 0)
            return -1;
        q->id = r ? folder.id : leads_to_drive(c, drive, w->text) ? drive->root.id : 0;
    }
    return 0;
}

static int question_of(struct call *c, struct onedrive_at *drive, const struct graph_words *w,
                       struct find **ret)
{
    struct find *q = *ret = arena_calloc(c->tx.arena, 1, sizeof *q);
    if (!q)
        return sosia_fail_memory(c->tx.err);
    if (w->kind == WORDS_TERM)
        return term_of(c, drive, w, q);
    q->kind = w->kind == WORDS_AND ? FIND_AND : w->kind == WORDS_OR ? FIND_OR : FIND_NOT;
    return question_of(c, drive, w->left, &q->left) < 0 ||
                   (w->right && question_of(c, drive, w->right, &q->right) < 0)
               ? -1
               : 0;
}

/* ---- where is looked ---- */

static int keep(struct found_files *k, const struct drive_item *it, struct onedrive_at *at)
{
    k->hits = arena_grow(k->c->tx.arena, k->hits, k->n, &k->cap, sizeof *k->hits);
    if (!k->hits)
        return sosia_fail_memory(k->c->tx.err);
    k->hits[k->n++] = (struct hit){*it, at};
    return 0;
}

/* The drive that an item of others is in, as it is kept for all of its items. 1, 0, -1. */
static int drive_of_item(struct found_files *k, struct onedrive_at *own,
                         const struct drive_item *it, struct onedrive_at **ret)
{
    int r = drive_is_under(&k->c->tx, it->id, own->root.id);
    if (r) {
        *ret = own;
        return r;
    }
    for (size_t i = 0; i < k->n; i++)
        if (k->hits[i].item.owner == it->owner) {
            *ret = k->hits[i].at;
            return 1;
        }
    *ret = arena_alloc(k->c->tx.arena, sizeof **ret);
    return *ret ? onedrive_drive_of(own, it, *ret) : sosia_fail_memory(k->c->tx.err);
}

/* Items of a drive, and of what is shared with whose it is. 0, -1. */
static int search_in(struct found_files *k, struct onedrive_at *at)
{
    if (!at->library.id && drive_links_used(&at->viewer) < 0)
        return -1;
    struct find trashed = {.kind = FIND_TRASHED}, kept = {.kind = FIND_NOT, .left = &trashed};
    struct find both = {.kind = FIND_AND, .right = &kept};
    const struct find_order order = {ORDER_MODIFIED, true};
    struct drive_finder finder = {.viewer = &at->viewer,
                                  .vendor = &onedrive_vendor,
                                  .question = &kept,
                                  .in_drive = true,
                                  .own = is_own,
                                  .order = &order,
                                  .n_order = 1};
    const char *from = NULL;
    if (k->f->words) {
        if (question_of(k->c, at, k->f->words, &both.left) < 0)
            return -1;
        finder.question = &both;
    }
    do {
        struct drive_access *access;
        struct drive_item *list;
        size_t n;
        if (drive_find(&finder, from, PAGE, &list, &access, &n, &from) < 0)
            return k->c->tx.err->code == SOSIA_E_INVALID
                       ? onedrive_invalid(k->c, "The query is too complex.")
                       : -1;
        for (size_t i = 0; i < n; i++) {
            struct onedrive_at *of;
            int r = list[i].top ? 0 : drive_of_item(k, at, &list[i], &of);
            if (r < 0 || (r == 1 && keep(k, &list[i], of) < 0))
                return -1;
        }
    } while (from && k->n < MOST_FOUND);
    return 0;
}

/* The library of a site. 0, -1. */
static int library_at(struct call *c, const struct ms_library *library, struct onedrive_at **ret)
{
    struct graph_user user;
    *ret = arena_calloc(c->tx.arena, 1, sizeof **ret);
    if (!*ret)
        return sosia_fail_memory(c->tx.err);
    return onedrive_library_user(&c->tx, library, &user) == 1 ? onedrive_open_of(c, &user, *ret)
                                                              : -1;
}

static int search_site(void *arg, const struct ms_site *site)
{
    struct found_files *k = arg;
    struct ms_library library = {.id = 0};
    struct onedrive_at *at;
    int r = 0;
    while (r == 0 && (r = ms_library_next(&k->c->tx, site->id, library.id, &library)) == 1)
        r = library_at(k->c, &library, &at) < 0 || search_in(k, at) < 0 ? -1 : 0;
    return r;
}

/* The caller's own drive. 1, 0 there is none, -1. */
static int own_drive(struct call *c, struct onedrive_at **ret)
{
    struct account account;
    struct graph_user user;
    if (graph_app_only(c))
        return 0;
    *ret = arena_calloc(c->tx.arena, 1, sizeof **ret);
    if (!*ret)
        return sosia_fail_memory(c->tx.err);
    int r = account_at(&c->tx, c->actor.id, "microsoft", ACCOUNT_DRIVE, &account);
    if (r == 1)
        r = graph_user_of(&c->tx, &account, &c->actor, &user) < 0 ? -1 : 1;
    return r == 1 ? onedrive_open_of(c, &user, *ret) < 0 ? -1 : 1 : r;
}

/* The newest first; those of one instant by their keys. */
static int by_time(const void *x, const void *y)
{
    const struct drive_item *a = &((const struct hit *)x)->item,
                            *b = &((const struct hit *)y)->item;
    return a->modified_us != b->modified_us ? a->modified_us < b->modified_us ? 1 : -1
                                            : strcmp(a->key, b->key);
}

/* What is shared with somebody out of a library that they may read is found twice. */
static size_t each_once(struct hit *hits, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || hits[kept - 1].item.id != hits[i].item.id)
            hits[kept++] = hits[i];
    return kept;
}

/* All that the caller may read, in order. 0, -1. */
static int search_all(struct found_files *k)
{
    struct onedrive_at *own;
    int r = own_drive(k->c, &own);
    if (r < 0 || (r == 1 && search_in(k, own) < 0) || sites_seen(k->c, search_site, k) < 0)
        return -1;
    if (k->n)
        qsort(k->hits, k->n, sizeof *k->hits, by_time);
    k->n = each_once(k->hits, k->n);
    return 0;
}

/* Files of libraries that are asked for as items of lists. */
int onedrive_search(struct call *c, const struct graph_words *words,
                    int (*each)(void *arg, const struct ms_library *library, int64_t id), void *arg)
{
    struct graph_find f = {.words = words};
    struct found_files k = {.c = c, .f = &f};
    int r = search_all(&k);
    for (size_t i = 0; r == 0 && i < k.n; i++)
        if (k.hits[i].at->library.id)
            r = each(arg, &k.hits[i].at->library, k.hits[i].item.id);
    return r;
}

struct hit_writing {
    struct hit *hit;
    const struct json *fields; /* of struct graph_find */
};

static int write_hit(struct call *c, void *arg)
{
    const struct hit_writing *w = arg;
    struct onedrive_at *at = w->hit->at;
    const struct ms_lists *lists =
        w->fields && at->library.id ? core_policy_nth(&c->tx, SITES_LISTS, 0) : NULL;
    at->bare = true;
    if (onedrive_write_members(at, &w->hit->item) < 0)
        return -1;
    return lists ? lists->write_found(c, &at->library, w->hit->item.id, w->fields) : 0;
}

#define SHOWN                                                                                      \
    "size,fileSystemInfo,id,createdDateTime,lastModifiedDateTime,name,webUrl,createdBy,"           \
    "lastModifiedBy,parentReference,folder,package,listItem"

static int find_files(struct call *c, struct graph_find *f)
{
    static const struct odata_pair pairs[] = {{"$select", SHOWN}};
    struct found_files k = {.c = c, .f = f};
    const struct json_mask *mask;
    const char *message = NULL;
    struct odata_query q;
    if (search_all(&k) < 0 ||
        odata_parse(c->tx.arena, edm_type_find("driveItem", 9), NULL, pairs, 1, &q, &message,
                    c->tx.err) < 0 ||
        odata_mask(c->tx.arena, &q, 0, &mask, c->tx.err) < 0)
        return -1;
    f->total = (int64_t)k.n;
    for (int64_t i = f->from; i < f->total && i < f->from + f->size; i++) {
        struct hit_writing w = {&k.hits[i], f->fields};
        if (graph_hit(c, f, k.hits[i].item.key, "driveItem", mask, write_hit, &w) < 0)
            return -1;
    }
    return 0;
}

/* ---- drives ---- */

static bool is_drive(void *arg, const struct graph_words *term)
{
    const struct ms_library *l = arg;
    return !term->property && graph_words_in(l->title, term->text);
}

static int write_drive(struct call *c, void *arg)
{
    (void)c;
    return onedrive_write_drive(arg);
}

static int drives_of_site(void *arg, const struct ms_site *site)
{
    struct found_files *k = arg;
    struct graph_find *f = k->f;
    struct ms_library library = {.id = 0};
    struct onedrive_at *at;
    int r = 0;
    while (r == 0 && (r = ms_library_next(&k->c->tx, site->id, library.id, &library)) == 1) {
        r = 0;
        if (!f->words || !graph_words_hold(f->words, is_drive, &library))
            continue; /* "*" finds no drives */
        f->total++;
        if (k->seen++ < f->from || k->seen > f->from + f->size)
            continue;
        if (library_at(k->c, &library, &at) < 0)
            return -1;
        r = graph_hit(k->c, f, at->drive, "drive", NULL, write_drive, at);
    }
    return r;
}

static int find_drives(struct call *c, struct graph_find *f)
{
    struct found_files k = {.c = c, .f = f};
    return sites_seen(c, drives_of_site, &k);
}

/* ---- whether there are any ---- */

static int has_site(void *arg, const struct ms_site *site)
{
    *(bool *)arg |= site->id != 0;
    return 0;
}

static int any(struct call *c)
{
    struct account account;
    bool sites = false;
    int r = account_at(&c->tx, c->actor.id, "microsoft", ACCOUNT_DRIVE, &account);
    if (r == 0 && sites_seen(c, has_site, &sites) < 0)
        return -1;
    return r < 0 ? -1 : r == 1 || sites;
}

#define READ                                                                                       \
    "Files.Read Files.ReadWrite Files.Read.All Files.ReadWrite.All Sites.Read.All "                \
    "Sites.ReadWrite.All"

const struct graph_searched onedrive_any = {.any = any};
const struct graph_finder onedrive_finder = {
    .entity = "driveItem", .scopes = READ, .files = true, .find = find_files};
const struct graph_finder onedrive_drive_finder = {
    .entity = "drive", .scopes = READ, .files = true, .find = find_drives};

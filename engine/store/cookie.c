/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schema cookies and the loading of images.
 *
 * A connection that goes from one database to another re-reads the schema only when the cookie in
 * the header changes. So a cookie must stand for one schema in the whole store: a loaded image gets
 * the one that belongs to the content of its sqlite_schema, and a change of a schema gets a new
 * one.
 */
#include "engine/base/codec.h"
#include "engine/store/page_impl.h"
#include "engine/store/schema.h"
#include <stdio.h>
#include <string.h>

uint32_t cookie_fresh(struct store *s)
{
    return atomic_fetch_add_explicit(&s->next_cookie, 1, memory_order_relaxed) + 1;
}

/* In hex, for the map. */
static int schema_key(uint8_t *image, size_t n, char ret_key[COOKIE_KEY], struct sosia_err *err)
{
    uint8_t sum[SCHEMA_SUM];
    int rc = schema_sum(image, n, sum);
    if ((rc & 0xff) == SQLITE_NOMEM || rc == SQLITE_IOERR_NOMEM)
        return sosia_fail_memory(err);
    if (rc != SQLITE_OK)
        return sosia_fail(err, SOSIA_E_INVALID, "notADatabase", NULL,
                          "the schema can't be read: %s", sqlite3_errstr(rc));
    hex_encode(ret_key, sum, sizeof sum);
    return 0;
}

/* Sets the cookie that belongs to the image's schema (n bytes, header checked). known: what the
 * schema is called by; NULL: it is read. */
static int cookie_fix(struct store *s, uint8_t *image, size_t n, const char *known,
                      struct sosia_err *err)
{
    char key[COOKIE_KEY];
    if (known)
        snprintf(key, sizeof key, "%s", known);
    else if (schema_key(image, n, key, err) < 0)
        return -1;
    pthread_mutex_lock(&s->lock);
    uintptr_t cookie = (uintptr_t)map_get(&s->cookies, key);
    int r = 0;
    if (!cookie) {
        cookie = cookie_fresh(s);
        r = map_set(&s->cookies, key, (void *)cookie);
    }
    pthread_mutex_unlock(&s->lock);
    if (r < 0)
        return sosia_fail_memory(err);
    put4(image + HEADER_COOKIE, (uint32_t)cookie);
    return 0;
}

int cookie_schema(const struct base *b, char ret_key[COOKIE_KEY], struct sosia_err *err)
{
    return schema_key(b->image, (size_t)b->n_pages * STORE_PAGE_SIZE, ret_key, err);
}

int cookie_schema_of(uint8_t *image, size_t n, char ret_key[COOKIE_KEY], struct sosia_err *err)
{
    return schema_key(image, n, ret_key, err);
}

int cookie_set(struct store *s, const char *key, uint32_t cookie, struct sosia_err *err)
{
    pthread_mutex_lock(&s->lock);
    int r = map_set(&s->cookies, key, (void *)(uintptr_t)cookie);
    if (cookie > atomic_load(&s->next_cookie))
        atomic_store(&s->next_cookie, cookie);
    pthread_mutex_unlock(&s->lock);
    return r < 0 ? sosia_fail_memory(err) : 0;
}

int cookie_keep(struct store *s, uint8_t *image, size_t n, struct sosia_err *err)
{
    char key[COOKIE_KEY];
    if (schema_key(image, n, key, err) < 0)
        return -1;
    uintptr_t cookie = get4(image + HEADER_COOKIE);
    pthread_mutex_lock(&s->lock);
    int r = cookie && !map_get(&s->cookies, key) ? map_set(&s->cookies, key, (void *)cookie) : 0;
    pthread_mutex_unlock(&s->lock);
    return r < 0 ? sosia_fail_memory(err) : 0;
}

/* What SQLite would refuse, and what it would take but the store can't: see the file format's
 * header. */
static const char *header_fault(const uint8_t *h, size_t len)
{
    if (len < STORE_PAGE_SIZE || memcmp(h, "SQLite format 3", 16) != 0)
        return "it is not an SQLite database";
    if (get2(h + 16) != STORE_PAGE_SIZE)
        return "its page size is not 2048";
    if (len % STORE_PAGE_SIZE || len / STORE_PAGE_SIZE > (UINT32_C(1) << 30))
        return "it is not whole";
    if (h[18] < 1 || h[18] > 2 || h[19] < 1 || h[19] > 2 || h[20] || h[21] != 64 || h[22] != 32 ||
        h[23] != 32)
        return "its format is unknown";
    if (get4(h + HEADER_CHANGES) == get4(h + HEADER_VALID_FOR) &&
        get4(h + HEADER_SIZE) != len / STORE_PAGE_SIZE)
        return "its size is not what its header says";
    if (get4(h + 44) > 4 || get4(h + 56) > 1)
        return "its format or text encoding is not supported";
    if (get4(h + 52) || get4(h + 64))
        return "it has automatic vacuum";
    return NULL;
}

/* Makes what is written to the base a tree; without it if that can't be. */
static int finish_load(struct store *s, struct tree *t, bool keep_cookie, const char *known,
                       struct tree *ret_tree, struct sosia_err *err)
{
    uint8_t *to = t->base->image;
    to[18] = to[19] =
        1; /* no write-ahead log here; a database that was closed well has none left */
    put4(to + HEADER_SIZE, t->n_pages);
    put4(to + HEADER_VALID_FOR, get4(to + HEADER_CHANGES));
    if (!keep_cookie && cookie_fix(s, to, (size_t)t->n_pages * STORE_PAGE_SIZE, known, err) < 0) {
        tree_done(t);
        return -1;
    }
    base_seal(t->base);
    *ret_tree = *t;
    return 0;
}

static int begin_load(struct store *s, size_t len, struct tree *ret, struct sosia_err *err)
{
    *ret = (struct tree){.n_pages = (uint32_t)(len / STORE_PAGE_SIZE)};
    ret->base = base_new(s, ret->n_pages, &ret->shard);
    return ret->base ? 0 : sosia_fail_memory(err);
}

static int load_image(struct store *s, const void *image, size_t len, bool keep_cookie,
                      struct tree *ret_tree, struct sosia_err *err)
{
    const char *fault = header_fault(image, len);
    struct tree t;
    if (fault)
        return sosia_fail(err, SOSIA_E_INVALID, "notADatabase", NULL,
                          "the image can't be loaded: %s", fault);
    if (begin_load(s, len, &t, err) < 0)
        return -1;
    memcpy(t.base->image, image, len);
    return finish_load(s, &t, keep_cookie, NULL, ret_tree, err);
}

int tree_load(struct store *s, const void *image, size_t len, struct tree *ret_tree,
              struct sosia_err *err)
{
    return load_image(s, image, len, false, ret_tree, err);
}

int tree_load_known(struct store *s, const char *schema, void (*write)(void *to), size_t len,
                    struct tree *ret_tree, struct sosia_err *err)
{
    struct tree t;
    if (begin_load(s, len, &t, err) < 0)
        return -1;
    write(t.base->image);
    return finish_load(s, &t, false, schema, ret_tree, err);
}

int tree_load_rows(struct store *s, const struct tree *from, const void *image, size_t len,
                   struct tree *ret_tree, struct sosia_err *err)
{
    bool same = len >= STORE_PAGE_SIZE && get4((const uint8_t *)image + HEADER_COOKIE) ==
                                              get4(tree_page(from, 0) + HEADER_COOKIE);
    return load_image(s, image, len, same, ret_tree, err);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The page cache against a model, over generated calls as a pager makes them. */
#include "engine/store/pcache.h"
#include "engine/store/page.h"
#include "tests/support/unit.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 700, PAGE = 512, EXTRA = 100, LIMIT = 60, FAR = 1000000 };

static sqlite3_pcache_methods2 methods;

static int setup(void **state)
{
    struct store *s;
    assert_int_equal(store_open(NULL, &s, NULL), 0);
    store_close(s);
    assert_int_equal(sqlite3_shutdown(), SQLITE_OK); /* else it does not say */
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &methods), SQLITE_OK);
    assert_int_equal(sqlite3_initialize(), SQLITE_OK);
    return 0;
}

static uint64_t state_of_draw;

static unsigned draw(unsigned below)
{
    uint64_t z = state_of_draw += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % below);
}

/* What the cache must hold: pinned pages with their content; others it may have dropped. */
struct model {
    sqlite3_pcache_page *page; /* pinned; NULL: not */
    unsigned char fill;        /* of the content when it was last pinned; 0: never */
};

static void check(const sqlite3_pcache_page *p, unsigned char fill)
{
    const unsigned char *b = p->pBuf;
    assert_int_equal(b[0], fill);
    assert_int_equal(b[PAGE - 1], fill);
    assert_int_equal(((unsigned char *)p->pExtra)[EXTRA - 1], fill);
}

static void fill_in(sqlite3_pcache_page *p, unsigned char fill)
{
    memset(p->pBuf, fill, PAGE);
    memset(p->pExtra, fill, EXTRA);
}

static int count_pinned(const struct model *m)
{
    int n = 0;
    for (unsigned k = 1; k < KEYS; k++)
        n += m[k].page != NULL;
    return n;
}

static void fetch(sqlite3_pcache *c, struct model *m, unsigned key, int create)
{
    sqlite3_pcache_page *p = methods.xFetch(c, key, create);
    if (m[key].page)
        assert_ptr_equal(p, m[key].page);
    if (create == 2)
        assert_non_null(p);
    if (!p)
        return;
    void *first;
    memcpy(&first, p->pExtra, sizeof first);
    if (first)
        check(p, m[key].fill);
    else
        assert_null(m[key].page); /* a new one, of zeros: only of what was not pinned */
    m[key].page = p;
    m[key].fill = (unsigned char)(1 + draw(255));
    fill_in(p, m[key].fill);
}

static void truncate_from(sqlite3_pcache *c, struct model *m, unsigned limit)
{
    methods.xTruncate(c, limit);
    for (unsigned k = limit ? limit : 1; k < KEYS; k++) {
        assert_null(methods.xFetch(c, k, 0));
        m[k] = (struct model){0};
    }
}

/* Two pages change their keys by way of a third, as when a b-tree is balanced. */
static void swap(sqlite3_pcache *c, struct model *m, unsigned a, unsigned b)
{
    if (!m[a].page || !m[b].page || a == b)
        return;
    struct model was = m[a];
    methods.xRekey(c, m[a].page, a, FAR);
    methods.xRekey(c, m[b].page, b, a);
    m[a] = m[b];
    methods.xRekey(c, was.page, FAR, b);
    m[b] = was;
}

static void step(sqlite3_pcache *c, struct model *m)
{
    unsigned key = 1 + draw(KEYS - 1), what = draw(100);
    if (what < 55) {
        fetch(c, m, key, (int)draw(3));
    } else if (what < 85) {
        if (m[key].page)
            methods.xUnpin(c, m[key].page, what < 60);
        if (m[key].page && what < 60)
            m[key].fill = 0;
        m[key].page = NULL;
    } else if (what < 95) {
        swap(c, m, key, 1 + draw(KEYS - 1));
    } else if (what < 97) {
        unsigned to = 1 + draw(KEYS - 1);
        if (m[key].page && !m[to].page) {
            methods.xRekey(c, m[key].page, key, to);
            m[to] = m[key];
            m[key] = (struct model){0};
        }
    } else if (what == 97) {
        truncate_from(c, m, KEYS - draw(20));
    } else if (what == 98) {
        truncate_from(c, m, draw(8) ? draw(KEYS) : 0);
    } else {
        methods.xShrink(c);
    }
}

static void a_cache_holds_what_is_pinned(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        static struct model m[KEYS];
        memset(m, 0, sizeof m);
        state_of_draw = seed;
        sqlite3_pcache *c = methods.xCreate(PAGE, EXTRA, 1);
        assert_non_null(c);
        methods.xCachesize(c, LIMIT);
        for (int i = 0; i < 20000; i++) {
            step(c, m);
            if (i % 100 == 0) {
                int pinned = count_pinned(m);
                assert_in_range(methods.xPagecount(c), pinned, pinned > LIMIT ? pinned : LIMIT);
                for (unsigned k = 1; k < KEYS; k++)
                    if (m[k].page)
                        check(m[k].page, m[k].fill);
            }
        }
        methods.xDestroy(c);
    }
}

static void the_pager_is_notified_when_too_much_is_pinned(void **state)
{
    sqlite3_pcache *c = methods.xCreate(PAGE, EXTRA, 1);
    methods.xCachesize(c, LIMIT);
    unsigned key = 1;
    while (methods.xFetch(c, key, 1))
        key++;
    assert_in_range(key, LIMIT / 2, LIMIT);
    sqlite3_pcache_page *p = methods.xFetch(c, key, 2);
    assert_non_null(p);
    assert_ptr_equal(methods.xFetch(c, key, 0), p);
    methods.xDestroy(c);
}

static void databases_in_memory_have_another_cache(void **state)
{
    sqlite3 *db;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "create table t(a integer primary key, b); create index i on t(b);"
                     "insert into t with recursive c(i) as (select 1 union all select i + 1 from c "
                     "where i < 20000) select i, hex(zeroblob(i % 200)) || i from c;"
                     "begin; delete from t where a % 3 = 0; rollback;"
                     "delete from t where a % 7 = 0; vacuum",
                     NULL, NULL, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "pragma integrity_check", -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(st, 0), "ok");
    sqlite3_finalize(st);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_holds_what_is_pinned),
        cmocka_unit_test(the_pager_is_notified_when_too_much_is_pinned),
        cmocka_unit_test(databases_in_memory_have_another_cache),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}

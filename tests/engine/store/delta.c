/* SPDX-License-Identifier: Apache-2.0 */
/* Ways back from a tree to those before it. */
#include "engine/store/delta.h"
#include "tests/engine/store/store_items.h"

static void assert_same(const struct tree *a, const struct tree *b)
{
    assert_int_equal(a->n_pages, b->n_pages);
    for (uint32_t i = 0; i < a->n_pages; i++)
        assert_memory_equal(tree_page(a, i), tree_page(b, i), STORE_PAGE_SIZE);
}

/* Goes back from a tree by so many. */
static struct tree gone_back(struct store *s, const struct tree *from, struct delta *const *by,
                             int n)
{
    struct rewind r;
    struct tree t;
    rewind_begin(&r, s, from);
    while (n)
        assert_int_equal(rewind_by(&r, by[--n]), SOSIA_E_OK);
    rewind_end(&r, &t);
    return t;
}

/* Each statement is a version; the map rises by a level on the way, and pages become free. */
static const char *const steps[] = {
    "insert into item(name, n, body) values ('one', 1, 'of one')",
    "update item set n = n + 1 where id % 50 = 0",
    "delete from item where id between 100 and 400",
    "insert into item(name, n, body) with recursive c(i) as (select 1 union all select i + 1 from "
    "c "
    "where i < 3000) select 'more' || i, i, 'many more words of ' || i from c",
    "delete from item",
    "insert into item(name, n, body) values ('last', 1, hex(zeroblob(9000)))",
};
enum { STEPS = sizeof steps / sizeof steps[0] };

static void each_version_is_reached_from_the_last_one(void **state)
{
    struct fixture *f = *state;
    struct tree was[STEPS + 1];
    struct delta *back[STEPS];
    tree_fork(&f->tree, &was[0]);
    for (int i = 0; i < STEPS; i++) {
        exec_on(f->slot, &f->tree, steps[i]);
        tree_fork(&f->tree, &was[i + 1]);
        back[i] = delta_new(f->store, &was[i], &was[i + 1]);
        assert_non_null(back[i]);
    }
    for (int i = 0; i <= STEPS; i++) {
        struct tree t = gone_back(f->store, &f->tree, back + i, STEPS - i);
        assert_same(&t, &was[i]);
        assert_sound(f->slot, &t);
        tree_done(&t);
    }
    assert_same(&f->tree, &was[STEPS]);
    /* A change of one row costs some hundred bytes a page, and not the page. */
    assert_true(delta_size(back[0]) < 4 * STORE_PAGE_SIZE);
    for (int i = 0; i < STEPS; i++)
        delta_unref(back[i]);
    for (int i = 0; i <= STEPS; i++)
        tree_done(&was[i]);
}

/* What the commit of a slot keeps is the same, over several commits too. */
static void commits_keep_what_leads_back(void **state)
{
    struct fixture *f = *state;
    struct tree was;
    struct sosia_err err;
    tree_fork(&f->tree, &was);
    point(f->slot, &f->tree);
    slot_want_back(f->slot, true);
    assert_int_equal(sql_exec(f->slot, steps[0], &err), 0);
    assert_int_equal(sql_exec(f->slot, steps[2], &err), 0);
    struct delta *back = slot_back(f->slot);
    assert_null(slot_back(f->slot));
    slot_leave(f->slot);
    assert_non_null(back);
    struct tree t = gone_back(f->store, &f->tree, &back, 1);
    assert_same(&t, &was);
    delta_unref(back);
    tree_done(&t);
    tree_done(&was);
}

/* A longer tree than the later one: pages beyond its end are there whole. */
static void pages_beyond_the_end_come_back(void **state)
{
    struct fixture *f = *state;
    struct tree cut;
    exec_on(f->slot, &f->tree, steps[3]);
    tree_fork(&f->tree, &cut);
    struct writer w = {.store = f->store,
                       .base = cut.base,
                       .root = cut.root,
                       .n_pages = cut.base->n_pages / 2,
                       .n_private = cut.n_private,
                       .tag = tag_new(f->store, page_cache(f->store))};
    assert_int_equal(writer_truncate(&w), SOSIA_E_OK);
    cut.root = w.root;
    cut.n_pages = w.n_pages;
    cut.n_private = w.n_private;
    struct delta *longer = delta_new(f->store, &f->tree, &cut),
                 *shorter = delta_new(f->store, &cut, &f->tree);
    struct tree t = gone_back(f->store, &cut, &longer, 1);
    assert_same(&t, &f->tree);
    tree_done(&t);
    t = gone_back(f->store, &f->tree, &shorter, 1);
    assert_same(&t, &cut);
    tree_done(&t);
    delta_unref(longer);
    delta_unref(shorter);
    tree_done(&cut);
}

static void without_memory_nothing_is_kept(void **state)
{
    struct fixture *f = *state;
    struct tree was;
    tree_fork(&f->tree, &was);
    exec_on(f->slot, &f->tree, steps[2]);
    struct delta *back = delta_new(f->store, &was, &f->tree);
    for (int n = 1; n < 20; n++) {
        struct rewind r;
        struct tree t;
        rewind_begin(&r, f->store, &f->tree);
        store_fail_after(f->store, n);
        enum sosia_code code = rewind_by(&r, back);
        store_fail_after(f->store, 0);
        rewind_end(&r, &t);
        if (!code)
            assert_same(&t, &was);
        else
            assert_int_equal(code, SOSIA_E_NO_MEMORY);
        tree_done(&t);
    }
    delta_unref(back);
    tree_done(&was);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(each_version_is_reached_from_the_last_one),
        ON(commits_keep_what_leads_back),
        ON(pages_beyond_the_end_come_back),
        ON(without_memory_nothing_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

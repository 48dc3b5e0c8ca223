/* SPDX-License-Identifier: Apache-2.0 */
/* Ways back from a tree to those before it. */
#include "engine/journal/steps.h"
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
        back[i] = delta_new(f->store, &was[i], &was[i + 1], 0);
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

/* The same of all kinds of changes. shared: somebody else has the version before, whose nodes are
 * borrowed otherwise. */
static void each_commit_leads_back(struct fixture *f, bool shared)
{
    for (int i = 0; i < STEPS; i++) {
        struct tree kept, was = {.n_pages = f->tree.n_pages};
        struct sosia_err err;
        uint32_t shard;
        was.base = base_new(f->store, f->tree.n_pages, &shard);
        assert_non_null(was.base);
        was.shard = shard;
        tree_copy(&f->tree, was.base->image);
        base_seal(was.base);
        if (shared)
            tree_fork(&f->tree, &kept);
        point(f->slot, &f->tree);
        slot_want_back(f->slot, true);
        assert_int_equal(sql_exec(f->slot, steps[i], &err), 0);
        struct delta *back = slot_back(f->slot);
        slot_leave(f->slot);
        assert_non_null(back);
        struct tree t = gone_back(f->store, &f->tree, &back, 1);
        assert_same(&t, &was);
        if (shared) {
            struct delta *all = delta_new(f->store, &kept, &f->tree, 0);
            assert_int_equal(delta_size(back), delta_size(all));
            assert_same(&kept, &was);
            delta_unref(all);
            tree_done(&kept);
        }
        delta_unref(back);
        tree_done(&t);
        tree_done(&was);
    }
}

static void commits_lead_back_where_nobody_has_the_version_before(void **state)
{
    each_commit_leads_back(*state, false);
}

static void commits_lead_back_where_somebody_has_the_version_before(void **state)
{
    each_commit_leads_back(*state, true);
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
    struct delta *longer = delta_new(f->store, &f->tree, &cut, 0),
                 *shorter = delta_new(f->store, &cut, &f->tree, 0);
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
    struct delta *back = delta_new(f->store, &was, &f->tree, 0);
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

/* A page that the earlier tree has of its base is the base's again, and needs no bytes. */
static void what_was_the_bases_is_the_bases_again(void **state)
{
    struct fixture *f = *state;
    struct tree was;
    assert_int_equal(f->tree.n_private, 0);
    tree_fork(&f->tree, &was);
    exec_on(f->slot, &f->tree, steps[1]);
    exec_on(f->slot, &f->tree, steps[3]);
    struct delta *back = delta_new(f->store, &was, &f->tree, 0);
    assert_true(delta_size(back) < 256 + 8 * f->tree.n_private);
    struct tree t = gone_back(f->store, &f->tree, &back, 1);
    assert_same(&t, &was);
    assert_null(t.root);
    assert_int_equal(t.n_private, 0);
    tree_done(&t);
    tree_done(&was);
    delta_unref(back);
}

/* ---- steps, beside forks of the trees that they are of ---- */

enum { MODEL = 160 };

/* A world with its steps, and each of its states as a tree of its own. */
struct model {
    struct fixture *f;
    struct tree now;
    uint64_t version, key;
    struct steps steps;
    struct tree was[MODEL + 1]; /* after an entry; base NULL: there is none */
    int64_t n;                  /* entries */
    uint32_t random;
};

static uint32_t draw(struct model *m, uint32_t below)
{
    m->random = m->random * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)m->random * below >> 32);
}

/* What a transaction does to it, perhaps without an entry. */
static void change(struct model *m)
{
    static const char *const kinds[] = {
        "update item set n = n + 1 where id %% 97 = %u",
        "insert into item(name, n, body) values ('new %u', 1, hex(zeroblob(3000)))",
        "delete from item where id %% 53 = %u",
        "update item set body = 'changed ' || %u where id between 20 and 40",
        "delete from item where id > %u",
        "insert into item(name, n, body) with recursive c(i) as (select 1 union all select i + 1 "
        "from c where i < 700) select %u || ' of ' || i, i, 'words of ' || i from c",
    };
    char sql[300];
    struct sosia_err err;
    uint32_t kind = draw(m, 40);
    static uint32_t unique;
    kind = kind < 34 ? kind % 4 : kind < 37 ? 4 : 5;
    sqlite3_snprintf(sizeof sql, sql, kinds[kind],
                     kind == 1 || kind == 5 ? ++unique : draw(m, 300));
    uint64_t before = m->version;
    slot_point(m->f->slot, &m->now, m->key, &m->version);
    slot_want_back(m->f->slot, m->steps.open);
    assert_int_equal(slot_begin(m->f->slot, true, &err), 0);
    if (sql_exec(m->f->slot, sql, &err) < 0)
        fail_msg("%s: %s", sql, err.text);
    assert_int_equal(slot_commit(m->f->slot, &err), 0);
    if (m->steps.open && m->version != before)
        steps_went_on(&m->steps, slot_back(m->f->slot), &m->now, before, m->version);
    slot_leave(m->f->slot);
}

static void add(struct model *m)
{
    struct step step = {.seq = ++m->n};
    steps_add(&m->steps, &step, &m->now, m->version);
    tree_fork(&m->now, &m->was[m->n]);
}

static void look_at(struct model *m, int64_t seq)
{
    struct step step;
    bool known;
    steps_settle(&m->steps, &m->now, m->version);
    assert_true(steps_find(&m->steps, seq, &step, &known));
    assert_int_equal(step.seq, seq);
    assert_same(&step.tree, &m->was[seq]);
    assert_true(step.tree.n_private <= m->was[seq].n_private);
    step_done(&step);
}

/* Back to an entry, as a reset does it. */
static void go_back(struct model *m, int64_t seq)
{
    steps_settle(&m->steps, &m->now, m->version);
    steps_cut(&m->steps, seq);
    tree_reset(&m->now, &m->was[seq]);
    m->version++;
    for (; m->n > seq; m->n--)
        tree_done(&m->was[m->n]);
}

/* The same list as a copy, which shares what it has. */
static void copy_list(struct model *m)
{
    struct steps copy = {0};
    for (uint32_t i = 0; i < m->steps.n; i++) {
        struct step step;
        step_copy(&m->steps.list[m->steps.first + i], &step);
        steps_append(&copy, &step);
    }
    steps_go_on(&copy, &m->steps);
    assert_int_equal(copy.bytes, m->steps.bytes);
    steps_done(&m->steps);
    m->steps = copy;
}

static int64_t oldest(const struct model *m)
{
    return m->steps.list[m->steps.first].seq;
}

static void turn(struct model *m)
{
    uint32_t what = draw(m, 100);
    int64_t left = m->n - oldest(m) + 1;
    if (what < 45) {
        for (uint32_t k = draw(m, 20) ? 1 + draw(m, 2) : 70; k; k--)
            change(m);
        if (m->n < MODEL && draw(m, 8))
            add(m);
    } else if (what < 80) {
        look_at(m, oldest(m) + draw(m, (uint32_t)left));
    } else if (what < 88) {
        go_back(m, oldest(m) + draw(m, (uint32_t)left));
    } else if (what < 92) {
        copy_list(m);
    } else if (what < 95) {
        steps_settle(&m->steps, &m->now, m->version); /* another base is behind it */
        assert_int_equal(tree_flatten(m->f->store, &m->now, NULL), 0);
        m->version += 2;
    } else if (left > 1) {
        steps_drop_oldest(&m->steps);
    }
}

static void each_state_is_the_one_that_was_whatever_comes_between(void **state)
{
    for (uint32_t seed = 1; seed <= 12; seed++) {
        struct model m = {.f = *state, .key = 1000 + seed, .random = seed};
        uint64_t size = store_size(m.f->store);
        tree_fork(&m.f->tree, &m.now);
        add(&m);
        for (int i = 0; i < 500; i++) {
            uint32_t kept = m.steps.n;
            turn(&m);
            assert_true(kept); /* there is one at least, always */
            assert_int_equal(m.steps.n, m.n - oldest(&m) + 1);
            uint64_t sum = 0;
            for (uint32_t k = 0; k < m.steps.n; k++)
                sum += m.steps.list[m.steps.first + k].bytes;
            assert_int_equal(sum, m.steps.bytes);
        }
        for (int64_t seq = oldest(&m); seq <= m.n; seq++)
            look_at(&m, seq);
        steps_done(&m.steps);
        for (int64_t seq = 1; seq <= m.n; seq++)
            tree_done(&m.was[seq]);
        tree_done(&m.now);
        assert_int_equal(store_size(m.f->store), size);
    }
}

/* Commits without an entry do not lengthen the way back without bound. */
static void many_commits_cost_no_more_than_a_tree(void **state)
{
    struct model m = {.f = *state, .key = 999, .random = 5};
    tree_fork(&m.f->tree, &m.now);
    add(&m);
    for (int i = 0; i < 2000; i++) {
        struct sosia_err err;
        uint64_t before = m.version;
        slot_point(m.f->slot, &m.now, m.key, &m.version);
        slot_want_back(m.f->slot, m.steps.open);
        assert_int_equal(sql_exec(m.f->slot, "update item set n = n + 1 where id = 7", &err), 0);
        if (m.steps.open)
            steps_went_on(&m.steps, slot_back(m.f->slot), &m.now, before, m.version);
        slot_leave(m.f->slot);
    }
    assert_true(store_size(m.f->store) < 64 * 1024);
    look_at(&m, 1);
    add(&m);
    change(&m);
    look_at(&m, 1);
    look_at(&m, 2);
    steps_done(&m.steps);
    for (int64_t seq = 1; seq <= m.n; seq++)
        tree_done(&m.was[seq]);
    tree_done(&m.now);
}

/* Several commits of one transaction's turn are one way. */
static void ways_are_linked_behind_their_ends(void **state)
{
    struct model m = {.f = *state, .key = 998};
    struct sosia_err err;
    tree_fork(&m.f->tree, &m.now);
    add(&m);
    for (int i = 0; i < 2; i++) {
        uint64_t before = m.version;
        slot_point(m.f->slot, &m.now, m.key, &m.version);
        slot_want_back(m.f->slot, true);
        assert_int_equal(sql_exec(m.f->slot, steps[i], &err), 0);
        assert_int_equal(sql_exec(m.f->slot, steps[2 + i], &err), 0);
        steps_went_on(&m.steps, slot_back(m.f->slot), &m.now, before, m.version);
        slot_leave(m.f->slot);
    }
    look_at(&m, 1);
    steps_done(&m.steps);
    tree_done(&m.was[1]);
    tree_done(&m.now);
}

/* Where there is no memory for a state it is not found, and the others are there as before. */
static void a_state_is_not_found_without_memory(void **state)
{
    struct model m = {.f = *state, .key = 997, .random = 3};
    int missed = 0;
    tree_fork(&m.f->tree, &m.now);
    while (m.n < 100) {
        change(&m);
        add(&m);
    }
    steps_settle(&m.steps, &m.now, m.version);
    for (int n = 1; n < 400; n++) {
        struct step step;
        bool known;
        store_fail_after(m.f->store, n);
        bool found = steps_find(&m.steps, 1 + n % 5, &step, &known);
        store_fail_after(m.f->store, 0);
        assert_true(known);
        missed += !found;
        if (found) {
            assert_same(&step.tree, &m.was[1 + n % 5]);
            step_done(&step);
        }
        look_at(&m, 1 + draw(&m, 100));
    }
    assert_true(missed > 3);
    change(&m);
    store_fail_after(m.f->store, 1);
    steps_settle(&m.steps, &m.now, m.version); /* it has its tree already */
    store_fail_after(m.f->store, 0);
    look_at(&m, 100);
    steps_done(&m.steps);
    for (int64_t seq = 1; seq <= m.n; seq++)
        tree_done(&m.was[seq]);
    tree_done(&m.now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON(each_version_is_reached_from_the_last_one),
        ON(commits_keep_what_leads_back),
        ON(commits_lead_back_where_nobody_has_the_version_before),
        ON(commits_lead_back_where_somebody_has_the_version_before),
        ON(pages_beyond_the_end_come_back),
        ON(without_memory_nothing_is_kept),
        ON(what_was_the_bases_is_the_bases_again),
        ON(each_state_is_the_one_that_was_whatever_comes_between),
        ON(many_commits_cost_no_more_than_a_tree),
        ON(ways_are_linked_behind_their_ends),
        ON(a_state_is_not_found_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random calls of three people, beside a model of the permissions: who sees a file is read from a
 * table of owners, places and grants that is independent of the code under test. What is listed can
 * be got and nothing else, pages add up to the list, and a mirror that follows the feed of changes
 * has what the list has.
 */
#include "tests/support/gdrive.h"

enum { PEOPLE = 3, ITEMS = 120, ROUNDS = 12, CALLS = 25 };

static const char *const people[PEOPLE] = {ADA, BOB, CYD};

struct item {
    const char *id;
    int parent, owner; /* parent -1: the owner's folder at the top */
    bool folder, gone, trashed;
    int role[PEOPLE]; /* 0 none, 1 reader, 2 writer */
};

/* A fault that the comparison must find, as if the program under test had it. */
enum fault { NO_FAULT, GRANTS_LEAK, FEED_FORGETS, PAGES_END_EARLY };
static enum fault fault;
static unsigned wrong; /* differences that a fault led to */

static struct item items[ITEMS];
static int n_items;
static uint32_t state;

static int below(int n)
{
    state = state * 1664525u + 1013904223u;
    return (int)((state >> 8) % (uint32_t)n);
}

/* 0 nothing, 1 reads, 2 writes, 3 owns. */
static int role_of(int person, int at)
{
    int best = items[at].owner == person ? 3 : 0;
    for (int i = at; i >= 0; i = items[i].parent) {
        if (items[i].role[person] > best)
            best = items[i].role[person];
        if (i != at && items[i].owner == person && best < 2)
            best = 2;
    }
    return best;
}

static bool is_under(int at, int above)
{
    for (; at >= 0; at = items[at].parent)
        if (at == above)
            return true;
    return false;
}

/* ---- calls ---- */

static int pick(bool folder)
{
    for (int tries = 0; tries < 20 && n_items; tries++) {
        int i = below(n_items);
        if (!items[i].gone && items[i].folder == folder)
            return i;
    }
    return -1;
}

static void create(int who)
{
    bool folder = below(3) == 0;
    int parent = below(2) ? pick(true) : -1;
    if (n_items == ITEMS)
        return;
    const struct json *v =
        as(people[who], "POST", "/files",
           arena_printf(&test_arena, "{'name':'i%d'%s%s%s%s}", n_items,
                        parent < 0 ? "" : ",'parents':['", parent < 0 ? "" : items[parent].id,
                        parent < 0 ? "" : "']",
                        folder ? ",'mimeType':'application/vnd.google-apps.folder'" : ""));
    int role = parent < 0 ? 3 : role_of(who, parent);
    assert_int_equal(test_status, role >= 2 ? 200 : role ? 403 : 404);
    if (test_status == 200)
        items[n_items++] =
            (struct item){.id = text_at(v, "id"), .parent = parent, .owner = who, .folder = folder};
}

/* Folders are shared while they are empty: what is in them would change without an entry. */
static void share(int who)
{
    int at = below(2) ? pick(false) : n_items - 1, with = below(PEOPLE), role = below(2) + 1;
    if (at < 0 || items[at].gone || with == items[at].owner || items[at].role[with])
        return;
    if ((items[at].folder && at != n_items - 1) || role_of(with, at) > role)
        return; /* the second: it would be lowered, which this reading does not know */
    as(people[who], "POST",
       arena_printf(&test_arena, "/files/%s/permissions?sendNotificationEmail=false", items[at].id),
       arena_printf(&test_arena, "{'type':'user','role':'%s','emailAddress':'%s'}",
                    role == 2 ? "writer" : "reader", people[with]));
    int mine = role_of(who, at);
    if (mine < 2) {
        assert_int_equal(test_status, mine ? 403 : 404);
        return;
    }
    assert_int_equal(test_status, 200);
    items[at].role[with] = role;
}

static void unshare(int who)
{
    int at = pick(false), with = below(PEOPLE);
    if (at < 0 || items[at].owner != who || !items[at].role[with])
        return;
    int was = items[at].role[with];
    items[at].role[with] = 0;
    if (role_of(with, at)) { /* has it from above too */
        items[at].role[with] = was;
        return;
    }
    const struct json *v =
        as(people[who], "GET",
           arena_printf(&test_arena, "/files/%s/permissions?fields=permissions(id,emailAddress)",
                        items[at].id),
           NULL);
    for (size_t i = 0; i < count_at(v, "permissions"); i++) {
        const char *email =
            text_at(v, arena_printf(&test_arena, "permissions.%zu.emailAddress", i));
        if (strcmp(email, people[with]) != 0)
            continue;
        as(people[who], "DELETE",
           arena_printf(&test_arena, "/files/%s/permissions/%s", items[at].id,
                        text_at(v, arena_printf(&test_arena, "permissions.%zu.id", i))),
           NULL);
        assert_int_equal(test_status, 204);
        return;
    }
    fail_msg("%s has no permission at %s", people[with], items[at].id);
}

static void move(int who)
{
    int at = pick(false), to = below(3) ? pick(true) : -1;
    if (at < 0 || items[at].owner != who || (to >= 0 && is_under(to, at)))
        return;
    as(people[who], "PATCH",
       arena_printf(&test_arena, "/files/%s?addParents=%s", items[at].id,
                    to < 0 ? "root" : items[to].id),
       "{}");
    int role = to < 0 ? 3 : role_of(who, to);
    assert_int_equal(test_status, role >= 2 ? 200 : role ? 403 : 404);
    if (role >= 2)
        items[at].parent = to;
}

static void change(int who)
{
    int at = pick(false);
    if (at < 0)
        return;
    as(people[who], "PATCH", arena_printf(&test_arena, "/files/%s", items[at].id),
       arena_printf(&test_arena, "{'description':'%d'}", below(1000)));
    int role = role_of(who, at);
    assert_int_equal(test_status, role >= 2 ? 200 : role ? 403 : 404);
}

/* What others own in a deleted folder moves to their own top. */
static void drop(int who)
{
    int at = pick(below(4) == 0);
    if (at < 0)
        return;
    as(people[who], "DELETE", arena_printf(&test_arena, "/files/%s", items[at].id), NULL);
    int role = role_of(who, at);
    assert_int_equal(test_status, role == 3 ? 204 : role ? 403 : 404);
    if (role < 3)
        return;
    items[at].gone = true;
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < n_items; i++) {
            int up = items[i].parent;
            if (items[i].gone || up < 0 || !items[up].gone)
                continue;
            if (items[i].owner == who)
                items[i].gone = more = true;
            else
                items[i].parent = -1;
        }
    }
}

/* ---- what holds ---- */

struct set {
    bool has[ITEMS];
};

static int find(const char *id)
{
    for (int i = 0; i < n_items; i++)
        if (strcmp(items[i].id, id) == 0)
            return i;
    return -1;
}

static void read_list(int who, int page, struct set *ret)
{
    const char *token = "";
    *ret = (struct set){0};
    do {
        const struct json *v =
            as(people[who], "GET",
               arena_printf(&test_arena, "/files?pageSize=%d&pageToken=%s", page, token), NULL);
        assert_int_equal(test_status, 200);
        for (size_t i = 0; i < count_at(v, "files"); i++) {
            int at = find(text_at(v, arena_printf(&test_arena, "files.%zu.id", i)));
            assert_true(at >= 0);
            assert_false(ret->has[at]); /* each once */
            ret->has[at] = true;
        }
        token = text_at(v, "nextPageToken");
    } while (token && (fault != PAGES_END_EARLY || page > 10));
}

static const char *follow(int who, const char *token, struct set *mirror)
{
    for (;;) {
        const struct json *v =
            as(people[who], "GET",
               arena_printf(&test_arena, "/changes?pageSize=7&pageToken=%s", token), NULL);
        assert_int_equal(test_status, 200);
        for (size_t i = 0; i < count_at(v, "changes"); i++) {
            const char *path = arena_printf(&test_arena, "changes.%zu", i);
            int at = find(text_at(value_at(v, path), "fileId"));
            if (at >= 0 && (fault != FEED_FORGETS || !true_at(value_at(v, path), "removed")))
                mirror->has[at] = !true_at(value_at(v, path), "removed");
        }
        token = text_at(v, "nextPageToken");
        if (!token)
            return text_at(v, "newStartPageToken");
    }
}

static void check(int who, const struct set *mirror)
{
    struct set list, paged;
    read_list(who, 1000, &list);
    read_list(who, 7, &paged);
    for (int i = 0; i < n_items; i++) {
        bool sees = !items[i].gone && role_of(who, i) > (fault == GRANTS_LEAK ? 2 : 0);
        as(people[who], "GET", arena_printf(&test_arena, "/files/%s", items[i].id), NULL);
        if (test_status == (sees ? 200 : 404) && list.has[i] == sees && paged.has[i] == sees &&
            mirror->has[i] == sees)
            continue;
        wrong++;
        if (!fault)
            fail_msg("%s and i%d: %s by the permissions, %d by get, list %d, pages %d, mirror %d",
                     people[who], i, sees ? "seen" : "not seen", test_status, list.has[i],
                     paged.has[i], mirror->has[i]);
    }
}

static void nobody_sees_what_no_grant_allows(uint32_t seed)
{
    static void (*const calls[])(int who) = {create,  create, create, share,
                                             unshare, move,   change, drop};
    const char *tokens[PEOPLE];
    struct set mirrors[PEOPLE] = {0};
    state = seed;
    n_items = 0;
    for (int p = 0; p < PEOPLE; p++)
        tokens[p] =
            text_at(as(people[p], "GET", "/changes/startPageToken", NULL), "startPageToken");
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < CALLS; i++)
            calls[below(8)](below(PEOPLE));
        for (int p = 0; p < PEOPLE; p++) {
            tokens[p] = follow(p, tokens[p], &mirrors[p]);
            check(p, &mirrors[p]);
        }
    }
}

static void seed_one(void **unused)
{
    nobody_sees_what_no_grant_allows(1);
}

static void seed_two(void **unused)
{
    nobody_sees_what_no_grant_allows(20261122);
}

/* Each of the statements is found to be broken where it is. */
static void is_caught(enum fault one)
{
    wrong = 0;
    fault = one;
    nobody_sees_what_no_grant_allows(7);
    fault = NO_FAULT;
    assert_true(wrong);
}

static void grants_that_leak_are_caught(void **unused)
{
    is_caught(GRANTS_LEAK);
}

static void a_feed_that_forgets_is_caught(void **unused)
{
    is_caught(FEED_FORGETS);
}

static void pages_that_end_early_are_caught(void **unused)
{
    is_caught(PAGES_END_EARLY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(seed_one),
        gdrive_test(seed_two),
        gdrive_test(grants_that_leak_are_caught),
        gdrive_test(a_feed_that_forgets_is_caught),
        gdrive_test(pages_that_end_early_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

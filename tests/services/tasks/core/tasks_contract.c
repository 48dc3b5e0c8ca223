/* SPDX-License-Identifier: Apache-2.0 */
/* The contract of the core of tasks, in C calls without a dialect, for two vendors: one that says
 * no more than it must, and one with lists of flagged mail and places of its own. */
#include "engine/service.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "engine/world/event.h"
#include "services/tasks/core/vendor.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

/* ---- two vendors ---- */

static const char *numbered(struct tx *t, const char *prefix, enum task_thing thing)
{
    static const char *const kinds[] = {"list", "task",   "item",   "link",
                                        "plan", "bucket", "planned"};
    int64_t n;
    if (tx_number(t, "key", &n) < 0)
        return NULL;
    return arena_printf(t->arena, "%s-%s-%lld", prefix, kinds[thing], (long long)n);
}

static const char *bare_key(struct tx *t, enum task_thing thing)
{
    return numbered(t, "b", thing);
}

static const char *rich_key(struct tx *t, enum task_thing thing)
{
    return numbered(t, "r", thing);
}

static const char *usual_key(struct tx *t, int64_t account, enum task_list_kind kind)
{
    return arena_printf(t->arena, "usual-%lld-%d", (long long)account, (int)kind);
}

static const char *rich_place(struct tx *t)
{
    return arena_printf(t->arena, "%lldz", (long long)(INT64_MAX - t->now_us));
}

static const struct task_vendor bare = {
    .key = bare_key, .usual_key = usual_key, .names = {NULL, "Inbox", NULL}, .plans = true};
static const struct task_vendor rich = {.key = rich_key,
                                        .usual_key = usual_key,
                                        .names = {NULL, "Tasks", "Flagged"},
                                        .place = rich_place,
                                        .plans = true};

static struct core_policy policies[] = {{TASKS_CORE, "acme", NULL}, {NULL, NULL, NULL}};
static const struct sosia_core vendor_core = {.name = "vendor", .schema = "", .policies = policies};
static const struct sosia_service own = {
    .name = "tasks",
    .cores = (const struct sosia_core *const[]){&identity_core, &tasks_core, &vendor_core, NULL}};
static const struct sosia_service *const services[] = {&own, NULL};

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7,"
    "\"organizations\":[{\"domain\":\"acme.example\",\"name\":\"Acme\"}],"
    "\"people\":[{\"email\":\"ada@acme.example\"},{\"email\":\"bob@acme.example\"}],"
    "\"groups\":[{\"email\":\"crew@acme.example\",\"members\":[\"ada@acme.example\"]}]}";

/* ---- one transaction a test ---- */

static struct sosia_err err;
static struct tx tx;
static struct worker *worker;
static struct world *world;
static struct account account;
static struct group crew;
static struct actor ada, bob;

static void ok(int r)
{
    if (r < 0)
        fail_msg("%s: %s", err.reason ? err.reason : "", err.text);
}

static int open_world(void **state)
{
    policies[0].policy = *state;
    if (test_open_engine_of(services) < 0)
        return -1;
    test_world = test_world_of(DOC);
    worker = worker_take(test_engine, &err);
    world = world_take(test_engine, test_world, &err);
    assert_true(worker && world);
    ok(tx_begin(&tx, test_engine, world, worker, true, world_now(world), &err));
    assert_int_equal(actor_by_email(&tx, "ada@acme.example", &ada), 1);
    assert_int_equal(actor_by_email(&tx, "bob@acme.example", &bob), 1);
    assert_int_equal(group_by_email(&tx, "crew@acme.example", &crew), 1);
    account = (struct account){
        .actor = ada.id, .vendor = "acme", .service = "", .tenant = "", .name = "ada"};
    ok(account_put(&tx, &account));
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    ok(tx_do_later(&tx));
    ok(tx_commit(&tx));
    world_drop(world);
    worker_drop(worker);
    return test_close_engine(state);
}

static struct task_list list_of(const char *name)
{
    struct task_list l = {.account = account.id, .name = name};
    ok(task_list_add(&tx, &l));
    return l;
}

static struct task task_in(const struct task_list *l, const char *title)
{
    struct task t = {.list = l->id, .title = title, .notes = "", .priority = TASK_PRIORITY_USUAL};
    ok(task_add(&tx, &t));
    return t;
}

static struct task_plan plan_of(const char *title)
{
    struct task_plan p = {.team = crew.id, .title = title};
    ok(task_plan_add(&tx, &p));
    return p;
}

static struct task planned(const struct task_plan *p, const char *title)
{
    struct task t = {.plan = p->id, .title = title, .notes = "", .priority = TASK_PRIORITY_USUAL};
    ok(task_add(&tx, &t));
    return t;
}

static struct task again(int64_t id)
{
    struct task t;
    assert_int_equal(task_get(&tx, id, &t), 1);
    return t;
}

/* ---- lists ---- */

static void the_usual_list_is_there_before_it_is_written(void **state)
{
    struct task_list l, found;
    assert_int_equal(task_list_usual(&tx, account.id, TASK_LIST_USUAL, &l), 1);
    assert_int_equal(l.id, 0);
    assert_string_equal(l.name, ((const struct task_vendor *)*state)->names[TASK_LIST_USUAL]);
    const char *key = l.key;
    assert_int_equal(task_list_find(&tx, account.id, key, &found), 0);
    ok(task_list_add(&tx, &l));
    assert_int_equal(task_list_find(&tx, account.id, key, &found), 1);
    assert_int_equal(task_list_usual(&tx, account.id, TASK_LIST_USUAL, &found), 1);
    assert_int_equal(found.id, l.id);
    assert_string_equal(found.key, key);
}

static void lists_have_their_tasks_and_take_them_along(void **state)
{
    struct task_list a = list_of("A"), b = list_of("B"), found;
    struct task one = task_in(&a, "one"), two = task_in(&a, "two"), t;
    (void)state;
    task_in(&b, "other");
    assert_int_equal(task_next(&tx, a.id, 0, &t), 1);
    assert_int_equal(t.id, one.id);
    assert_int_equal(task_next(&tx, a.id, t.id, &t), 1);
    assert_int_equal(t.id, two.id);
    assert_int_equal(task_next(&tx, a.id, t.id, &t), 0);
    assert_int_equal(task_count(&tx, a.id), 2);
    assert_int_equal(task_list_count(&tx, account.id), 2);
    a.name = "Aa";
    const int64_t change = a.change;
    ok(task_list_save(&tx, &a));
    assert_true(a.change > change);
    ok(task_list_drop(&tx, &a));
    assert_int_equal(task_list_get(&tx, a.id, &found), 0);
    assert_int_equal(task_get(&tx, one.id, &t), 0);
    assert_int_equal(task_count(&tx, b.id), 1);
    assert_string_equal(tx.last_event->kind, TASK_LIST_CHANGED);
    assert_int_equal(tx.last_event->operation, OP_REMOVED);
    assert_int_equal(tx.last_event->scope, account.id);
}

static void changes_are_said_in_their_order(void **state)
{
    struct task_list a = list_of("A");
    struct task one = task_in(&a, "one"), two = task_in(&a, "two");
    struct task_change c;
    int64_t last;
    (void)state;
    ok(task_last_change(&tx, account.id, &last));
    assert_int_equal(last, two.change);
    one.title = "One";
    ok(task_save(&tx, &one, TASK_ITSELF));
    assert_int_equal(task_next_change(&tx, account.id, a.id, 0, false, &c), 1);
    assert_int_equal(c.id, two.id);
    assert_int_equal(task_next_change(&tx, account.id, a.id, c.change, false, &c), 1);
    assert_int_equal(c.id, one.id);
    assert_true(c.made < c.change);
    assert_int_equal(task_next_change(&tx, account.id, a.id, c.change, false, &c), 0);
    ok(task_drop(&tx, &two));
    assert_int_equal(task_next_change(&tx, account.id, a.id, one.change, true, &c), 0);
    assert_int_equal(task_next_change(&tx, account.id, a.id, one.change, false, &c), 1);
    assert_int_equal(c.id, 0);
    assert_string_equal(c.key, two.key);
}

/* ---- how far ---- */

static void status_and_percent_agree(void **state)
{
    struct task_list a = list_of("A");
    struct task t = task_in(&a, "one");
    (void)state;
    tx.actor = bob.id;
    task_set_percent(&tx, &t, 30);
    assert_int_equal(t.status, TASK_IN_PROGRESS);
    assert_int_equal(t.percent, 30);
    assert_int_equal(t.completed_us, 0);
    task_set_percent(&tx, &t, 100);
    assert_int_equal(t.status, TASK_COMPLETED);
    assert_int_equal(t.completer, bob.id);
    const int64_t at = t.completed_us;
    tx.now_us += US_PER_DAY;
    task_set_status(&tx, &t, TASK_COMPLETED); /* it is so already */
    assert_int_equal(t.completed_us, at);
    task_set_status(&tx, &t, TASK_WAITING);
    assert_int_equal(t.percent, 0);
    assert_int_equal(t.completed_us, 0);
    assert_int_equal(t.completer, 0);
    const int64_t version = t.version, details = t.detail_version;
    ok(task_save(&tx, &t, TASK_DETAILS));
    t = again(t.id);
    assert_int_equal(t.version, version);
    assert_int_equal(t.detail_version, details + 1);
    assert_int_equal(t.status, TASK_WAITING);
}

static void one_that_recurs_is_followed(void **state)
{
    struct task_list a = list_of("A");
    struct task t = task_in(&a, "water"), next, last;
    struct task_item item = {.task = t.id, .title = "fill"}, *items;
    size_t n;
    (void)state;
    item.done_us = tx.now_us;
    ok(task_item_put(&tx, &item));
    t.recurrence = "RRULE:FREQ=DAILY;INTERVAL=2;COUNT=2";
    t.due_us = t.recurs_us = tx.now_us / US_PER_DAY * US_PER_DAY;
    t.reminder_us = t.due_us - US_PER_SECOND * 3600;
    task_set_status(&tx, &t, TASK_COMPLETED);
    ok(task_recur(&tx, &t, &next));
    ok(task_save(&tx, &t, TASK_ITSELF));
    assert_null(again(t.id).recurrence);
    assert_true(next.id && next.id != t.id);
    assert_int_equal(next.due_us, t.due_us + 2 * US_PER_DAY);
    assert_int_equal(next.reminder_us, next.due_us - US_PER_SECOND * 3600);
    assert_int_equal(next.status, TASK_NOT_STARTED);
    ok(task_items(&tx, next.id, &items, &n));
    assert_int_equal(n, 1);
    assert_string_equal(items[0].title, "fill");
    assert_int_equal(items[0].done_us, 0);
    next = again(next.id);
    task_set_status(&tx, &next, TASK_COMPLETED);
    ok(task_recur(&tx, &next, &last)); /* the rule has ended */
    assert_int_equal(last.id, 0);
    assert_null(next.recurrence);
    ok(task_recur(&tx, &next, &last)); /* and it recurs no more */
    assert_int_equal(last.id, 0);
}

/* A reminder in the last year that there is does not go beyond it. */
static void what_follows_is_within_the_calendar(void **state)
{
    struct task_list a = list_of("A");
    struct task t = task_in(&a, "water"), next;
    (void)state;
    t.recurrence = "RRULE:FREQ=WEEKLY";
    t.due_us = t.recurs_us = tx.now_us / US_PER_DAY * US_PER_DAY;
    t.reminder_us = TIME_LAST_US;
    t.start_us = TIME_LAST_US - 7 * US_PER_DAY;
    t.reminds = true;
    task_set_status(&tx, &t, TASK_COMPLETED);
    ok(task_recur(&tx, &t, &next));
    next = again(next.id);
    assert_int_equal(next.due_us, t.due_us + 7 * US_PER_DAY);
    assert_int_equal(next.start_us, TIME_LAST_US);
    assert_int_equal(next.reminder_us, 0);
    assert_false(next.reminds);
}

/* ---- parts ---- */

static void parts_are_in_order_and_go_with_their_task(void **state)
{
    struct task_list a = list_of("A");
    struct task t = task_in(&a, "one");
    struct task_item x = {.task = t.id, .title = "x"}, y = {.task = t.id, .title = "y"}, *items;
    struct task_link link = {.task = t.id, .url = "https://a.example"}, found;
    struct task_assignment who = {.task = t.id, .actor = bob.id}, *people;
    struct task assigned;
    size_t n;
    (void)state;
    ok(task_item_put(&tx, &x));
    ok(task_item_put(&tx, &y));
    ok(task_link_put(&tx, &link));
    ok(task_assignment_put(&tx, &who));
    ok(task_items(&tx, t.id, &items, &n));
    assert_int_equal(n, 2);
    assert_string_equal(items[0].title, "x");
    y.place = task_place_between(tx.arena, "", x.place);
    ok(task_item_put(&tx, &y));
    ok(task_items(&tx, t.id, &items, &n));
    assert_string_equal(items[0].title, "y");
    assert_int_equal(task_link_find(&tx, t.id, link.key, &found), 1);
    ok(task_assignments(&tx, t.id, &people, &n));
    assert_int_equal(n, 1);
    assert_int_equal(task_next_assigned(&tx, bob.id, 0, &assigned), 1);
    assert_int_equal(assigned.id, t.id);
    assert_int_equal(task_next_assigned(&tx, bob.id, t.id, &assigned), 0);
    ok(task_drop(&tx, &t));
    ok(task_items(&tx, t.id, &items, &n));
    assert_int_equal(n, 0);
    assert_int_equal(task_next_assigned(&tx, bob.id, 0, &assigned), 0);
}

/* ---- plans ---- */

static void plans_have_buckets_in_order(void **state)
{
    struct task_plan p = plan_of("Launch"), other = plan_of("Other"), found;
    struct task_bucket a = {.plan = p.id, .name = "a"}, b = {.plan = p.id, .name = "b"}, at;
    int64_t buckets, tasks;
    (void)state;
    ok(task_bucket_add(&tx, &a));
    ok(task_bucket_add(&tx, &b));
    assert_int_equal(task_bucket_next(&tx, p.id, NULL, &at), 1);
    assert_string_equal(at.name, "a");
    assert_int_equal(task_bucket_next(&tx, p.id, &at, &at), 1);
    assert_string_equal(at.name, "b");
    assert_int_equal(task_bucket_next(&tx, p.id, &at, &at), 0);
    struct task in = planned(&p, "in"), out = planned(&p, "out");
    in.bucket = a.id;
    ok(task_save(&tx, &in, TASK_ITSELF));
    assert_int_equal(task_next_in(&tx, a.id, 0, &in), 1);
    assert_true(strcmp(out.place, in.place) < 0); /* what is new comes first */
    ok(task_plan_counts(&tx, p.id, &buckets, &tasks));
    assert_int_equal(buckets, 2);
    assert_int_equal(tasks, 2);
    ok(task_bucket_drop(&tx, &a));
    assert_int_equal(task_get(&tx, in.id, &in), 0);
    assert_int_equal(task_get(&tx, out.id, &out), 1);
    ok(task_plan_save(&tx, &p, true));
    assert_int_equal(p.version, 1);
    assert_int_equal(p.detail_version, 2);
    ok(task_plan_drop(&tx, &p));
    assert_int_equal(task_get(&tx, out.id, &out), 0);
    assert_int_equal(task_plan_next(&tx, crew.id, 0, &found), 1);
    assert_int_equal(found.id, other.id);
    ok(group_drop(&tx, crew.id)); /* a group takes its plans along */
    assert_int_equal(task_plan_get(&tx, other.id, &found), 0);
}

static void boards_begin_with_the_place_of_the_task(void **state)
{
    struct task_plan p = plan_of("Launch");
    struct task t = planned(&p, "one");
    struct task_board b;
    (void)state;
    ok(task_board_get(&tx, &t, TASK_BOARD_BUCKETS, &b));
    assert_string_equal(b.place, t.place);
    assert_int_equal(b.version, 1);
    b.place = "q";
    ok(task_board_put(&tx, &b));
    ok(task_board_get(&tx, &t, TASK_BOARD_BUCKETS, &b));
    assert_string_equal(b.place, "q");
    assert_int_equal(b.version, 2);
    ok(task_board_get(&tx, &t, TASK_BOARD_PROGRESS, &b));
    assert_string_equal(b.place, t.place);
}

/* ---- places ---- */

static void between_two_places_is_another(void **state)
{
    const char *low = "", *high = "";
    (void)state;
    for (int i = 0; i < 200; i++) {
        const char *at = task_place_between(tx.arena, low, high);
        if (strcmp(low, at) >= 0 || (*high && strcmp(at, high) >= 0))
            fail_msg("%s is not between %s and %s", at, low, high);
        for (const char *p = at; *p; p++)
            assert_true(*p >= '"' && *p <= '~');
        *(i * 7 % 5 < 2 ? &low : &high) = at;
    }
    const char *last = "";
    for (int i = 0; i < 100; i++) {
        const char *at = task_place_between(tx.arena, last, "");
        assert_true(strcmp(last, at) < 0);
        last = at;
    }
    assert_true(strlen(last) < 30);
}

#define BOTH(test)                                                                                 \
    {#test " bare", test, open_world, close_world, (void *)&bare},                                 \
    {                                                                                              \
#test " rich", test, open_world, close_world, (void *)&rich                                \
    }

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(the_usual_list_is_there_before_it_is_written),
        BOTH(lists_have_their_tasks_and_take_them_along),
        BOTH(changes_are_said_in_their_order),
        BOTH(status_and_percent_agree),
        BOTH(one_that_recurs_is_followed),
        BOTH(what_follows_is_within_the_calendar),
        BOTH(parts_are_in_order_and_go_with_their_task),
        BOTH(plans_have_buckets_in_order),
        BOTH(boards_begin_with_the_place_of_the_task),
        BOTH(between_two_places_is_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

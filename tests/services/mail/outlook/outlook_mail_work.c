/* SPDX-License-Identifier: Apache-2.0 */
/* Outlook Mail: what lists cost. Work is counted in steps of statements and in bytes of the call's
 * memory, in a mailbox and in one that is five times as large. */
#include "engine/base/buf.h"
#include "engine/world/engine.h"
#include "tests/support/outlook.h"
#include <sqlite3.h>
#include <stdlib.h>

enum { SMALL = 200, LARGE = 1000, RARE = 10 };

static struct sosia_err err;
static int in_world;

/* A mailbox of Bob's with n messages, RARE of which have what most have not. */
static void use(int n)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b,
               "%smailboxes:\n  - person: bob@port.example\n    folders: [{name: Old}]\n"
               "    messages:\n",
               ol_people);
    for (int i = 0; i < n; i++) {
        const bool rare = i % (n / RARE) == 1;
        buf_printf(
            &b,
            "      - {from: '%s', to: bob@port.example, subject: '%s %d', text: Words,\n"
            "         date: '2026-%02d-%02dT%02d:%02d:00Z', messageId: '<m%d@x.example>'%s}\n",
            rare ? "Rare <rare@acme.example>" : CYD, rare ? "Rare" : "Usual", rare ? 1 : i,
            1 + i * 10 / n, 1 + i * 280 / n % 28, i / 60 % 24, i % 60, i,
            !rare ? ""
                  : ", labels: [unread], importance: high, inference: other, categories: "
                    "[Red], flag: {status: complete}, attachments: [{filename: a.txt, "
                    "type: text/plain, text: x}]");
    }
    if (buf_failed(&b))
        abort();
    test_use(arena_strdup(&test_arena, buf_str(&b)));
    buf_done(&b);
    in_world = n;
}

static int64_t steps_until_now(void)
{
    int64_t n = 0;
    struct worker *w = worker_take(test_engine, &err);
    assert_non_null(w);
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(slot_db(w->slot), st));)
        n += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    worker_drop(w);
    return n;
}

/* The steps of a list of so many messages. */
static int64_t steps_of(const char *query, size_t found)
{
    ol_get(BOB, 200, "/messages?$top=20&%s", query); /* statements are prepared */
    steps_until_now();
    const struct json *v = ol_get(BOB, 200, "/messages?$top=20&%s", query);
    const int64_t steps = steps_until_now();
    if (count_at(v, "value") != found)
        fail_msg("%s: %zu of %d messages were found, not %zu", query, count_at(v, "value"),
                 in_world, found);
    return steps;
}

static const char *escaped(const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (; *text; text++)
        buf_printf(&b, *text == ' ' ? "%%20" : *text == '+' ? "%%2B" : "%c", *text);
    const char *ret = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return ret;
}

/* ---- $filter ---- */

static const struct {
    const char *filter;
    size_t found;
} filters[] = {
    {"$filter=isRead eq false", RARE},
    {"$filter=isRead eq false&$count=true", RARE},
    {"$filter=isRead eq false&$orderby=receivedDateTime desc", RARE},
    {"$filter=not (isRead eq true)", RARE},
    {"$filter=receivedDateTime ge 2020-01-01T00:00:00Z and isRead eq false", RARE},
    {"$filter=receivedDateTime ge 2020-01-01T00:00:00Z and from/emailAddress/address eq "
     "'Rare@acme.example'&$orderby=receivedDateTime desc",
     RARE},
    {"$filter=from/emailAddress/address eq 'rare@acme.example'", RARE},
    {"$filter=from/emailAddress/address in ('rare@acme.example','nobody@acme.example')", RARE},
    {"$filter=from/emailAddress/address eq 'rare@acme.example' or importance eq 'high'", RARE},
    {"$filter=from/emailAddress/name eq 'Rare'", RARE},
    {"$filter=subject eq 'Rare 1'", RARE},
    {"$filter=hasAttachments eq true", RARE},
    {"$filter=importance eq 'high'", RARE},
    {"$filter=importance ne 'normal'", RARE},
    {"$filter=importance eq 'low'", 0},
    {"$filter=inferenceClassification eq 'other'", RARE},
    {"$filter=flag/flagStatus eq 'complete'", RARE},
    {"$filter=categories/any(c:c eq 'Red')", RARE},
    {"$filter=internetMessageId eq '<m1@x.example>'", 1},
    {"$filter=parentFolderId eq 'archive'", 0},
    {"$filter=parentFolderId eq 'Inbox' and subject eq 'Rare 1'", RARE},
    {"$filter=hasAttachments eq true and parentFolderId in ('archive','inbox')", RARE},
    {"$filter=subject eq 'Rare 1' and not (parentFolderId ne 'inbox')", RARE},
    {"$filter=isRead eq true", 20},
    {"$filter=importance eq 'normal'&$orderby=receivedDateTime desc", 20},
    {"$count=true&$skip=100", 20},
};

static void a_filter_costs_what_it_finds(void **state)
{
    enum { N = SOSIA_LEN(filters) };
    int64_t small[N + 1];
    for (int large = 0; large < 2; large++) {
        use(large ? LARGE : SMALL);
        const struct json *v = ol_get(BOB, 200, "/messages?$filter=isRead%%20eq%%20false&$top=1");
        const char *conversation =
            ol_text("$filter=conversationId eq '%s'", text_at(v, "value.0.conversationId"));
        for (int i = 0; i <= N; i++) {
            const char *text = i < N ? filters[i].filter : conversation;
            const int64_t steps = steps_of(escaped(text), i < N ? filters[i].found : 1);
            if (large && steps > small[i] * 3 / 2)
                fail_msg("%s took %lld steps in %d messages, and %lld in %d", text,
                         (long long)small[i], SMALL, (long long)steps, LARGE);
            if (!large)
                small[i] = steps;
        }
    }
}

/* ---- numbers ---- */

/* What the mailbox has counted is not counted again. */
static void the_read_and_unread_are_known(void **state)
{
    use(LARGE);
    const struct json *v = ol_get(BOB, 200, "/messages?$filter=isRead%%20eq%%20true&$count=true");
    assert_int_equal(json_get_int(v, "@odata.count", -1), LARGE - RARE);
    v = ol_get(BOB, 200, "/mailFolders/inbox/messages?$filter=isRead%%20eq%%20false&$count=true");
    assert_int_equal(json_get_int(v, "@odata.count", -1), RARE);
    v = ol_get(BOB, 200, "/mailFolders/inbox/messages?$filter=isRead%%20ne%%20false&$count=true");
    assert_int_equal(json_get_int(v, "@odata.count", -1), LARGE - RARE);
    v = ol_get(BOB, 200, "/mailFolders/archive/messages?$filter=isRead%%20eq%%20true&$count=true");
    assert_int_equal(json_get_int(v, "@odata.count", -1), 0);
    v = ol_get(BOB, 200, "/messages?$filter=importance%%20eq%%20'high'&$count=true&$top=3");
    assert_int_equal(json_get_int(v, "@odata.count", -1), RARE);
    assert_int_equal(count_at(v, "value"), 3);
    const int64_t steps = steps_of("$filter=isRead%20eq%20true&$count=true", 20);
    assert_true(steps < 6000);
}

/* ---- memory ---- */

static size_t arena_now(bool fresh)
{
    struct worker *w = worker_take(test_engine, &err);
    assert_non_null(w);
    if (fresh) {
        arena_done(&w->arena);
        arena_init(&w->arena, 0);
    }
    const size_t size = w->arena.size;
    worker_drop(w);
    return size;
}

/* What is looked at and not on the page is not kept: the block that the call's memory keeps is as
 * large as it needed. */
static void another_order_keeps_the_first_ones(void **state)
{
    static const char *const queries[] = {"$orderby=subject", "$orderby=receivedDateTime",
                                          "$filter=contains(subject,'No such subject')",
                                          "$orderby=subject desc&$skip=50"};
    use(LARGE);
    for (size_t i = 0; i < SOSIA_LEN(queries); i++) {
        arena_now(true);
        ol_get(BOB, 200, "/messages?$select=subject&%s", escaped(queries[i]));
        const size_t size = arena_now(false);
        if (size > 64 * 1024)
            fail_msg("%s kept a block of %zu bytes", queries[i], size);
    }
}

/* The page is the one that sorting all would give, whichever way the messages come. */
static void the_first_ones_are_the_right_ones(void **state)
{
    static const struct {
        const char *query, *first;
    } pages[] = {
        {"$orderby=receivedDateTime&$top=3", "Usual 0 Rare 1 Usual 2"},
        {"$orderby=receivedDateTime&$top=2&$skip=998", "Usual 998 Usual 999"},
        {"$orderby=subject desc&$top=2", "Usual 999 Usual 998"},
        {"$orderby=subject&$top=2&$skip=9", "Rare 1 Usual 0"},
        {"$orderby=subject&$top=2&$skip=600", "Usual 636 Usual 637"},
        {"$orderby=from/emailAddress/address desc,subject&$top=2&$skip=9", "Rare 1 Usual 0"},
        {"$orderby=subject&$top=2&$skip=999", "Usual 999"},
        {"$orderby=subject&$top=2&$skip=9223372036854775807", ""},
        {"$orderby=receivedDateTime&$filter=isRead eq true&$top=2", "Usual 0 Usual 2"},
        {"$orderby=receivedDateTime&$filter=contains(subject,'99')&$top=2", "Usual 99 Usual 199"},
    };
    use(LARGE);
    for (size_t i = 0; i < SOSIA_LEN(pages); i++) {
        const struct json *v =
            ol_get(BOB, 200, "/messages?$select=subject&$count=true&%s", escaped(pages[i].query));
        if (strcmp(column(v, "value", "subject"), pages[i].first) != 0)
            fail_msg("%s: %s", pages[i].query, column(v, "value", "subject"));
    }
}

/* ---- instants ---- */

/* Ranges within and beside whole seconds. */
static void instants_are_compared_exactly(void **state)
{
    static const struct {
        const char *filter, *found;
    } cases[] = {
        {"receivedDateTime eq 2026-11-23T08:00:00Z", "One"},
        {"receivedDateTime eq 2026-11-23T08:00:00.5Z", ""},
        {"receivedDateTime ne 2026-11-23T08:00:00Z", "Two"},
        {"receivedDateTime ge 2026-11-23T08:00:00.5Z", "Two"},
        {"receivedDateTime gt 2026-11-23T08:00:00Z", "Two"},
        {"receivedDateTime lt 2026-11-23T08:00:00.5Z", "One"},
        {"receivedDateTime lt 2026-11-23T08:00:00Z", ""},
        {"receivedDateTime le 2026-11-23T08:00:00Z", "One"},
        {"receivedDateTime le 2026-11-23T08:00:01.2Z and createdDateTime gt 2026-11-23T07:00:00Z",
         "Two One"},
        {"receivedDateTime eq 2026-11-23T08:00:01Z or receivedDateTime lt 2026-11-23T08:00:01Z",
         "Two One"},
        {"not (receivedDateTime eq 2026-11-23T08:00:01Z)", "One"},
        {"receivedDateTime lt 1960-01-01T00:00:00.25Z", ""},
        {"receivedDateTime gt 1960-01-01T00:00:00.25Z", "Two One"},
    };
    ol_send(CYD, BOB, "One", "x");
    test_advance(1);
    ol_send(CYD, BOB, "Two", "x");
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct json *v = ol_get(BOB, 200, "/messages?$filter=%s", escaped(cases[i].filter));
        if (strcmp(column(v, "value", "subject"), cases[i].found) != 0)
            fail_msg("%s: %s", cases[i].filter, column(v, "value", "subject"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(a_filter_costs_what_it_finds),       ol_test(the_read_and_unread_are_known),
        ol_test(another_order_keeps_the_first_ones), ol_test(the_first_ones_are_the_right_ones),
        ol_test(instants_are_compared_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

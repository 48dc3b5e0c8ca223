/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a mailbox holds at most and at least, once for each of two vendors: names of folders, their
 * depth and number, seconds that are full, pages; and whose addresses lead to it.
 */
#include "engine/world/event.h"
#include "tests/services/mail/core/mail_vendors.h"
#include "tests/support/unit.h"
#include <stdio.h>

/* ---- set-up ---- */

static void run(const char *sql)
{
    char *text = NULL;
    if (sqlite3_exec(slot_db(tx.db), sql, NULL, NULL, &text) != SQLITE_OK)
        fail_msg("%s: %s", sql, text);
}

static int add_named(int64_t parent, const char *name, struct mail_folder *ret)
{
    const struct mailbox bob = box("bob");
    *ret = (struct mail_folder){
        .mailbox = bob.id, .parent = parent, .kind = KIND_FOLDER, .name = name};
    test_err = (struct sosia_err){0};
    return mail_folder_add(&tx, ret);
}

static struct mail_message kept_at(int64_t at_s)
{
    const struct mailbox bob = box("bob");
    const struct mail_message_new in = {.mailbox = &bob,
                                        .raw = "\r\n",
                                        .len = 2,
                                        .flags = FLAG(FOLDER_INBOX),
                                        .alone = true,
                                        .at_s = at_s};
    struct mail_message m;
    if (mail_message_add(&tx, &in, &m) < 0)
        fail_msg("add: %s", test_err.text);
    return m;
}

/* ---- names of folders ---- */

static void a_folder_has_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *name, *why;
    } wrong[] = {{NULL, "a label has a name"},
                 {"", "a label has a name"},
                 {"a\x1f", "a label's name has no control characters"},
                 {"\tb", "a label's name has no control characters"},
                 {"a\x7f"
                  "b",
                  "a label's name has no control characters"},
                 {"\xff", "a label's name is UTF-8"},
                 {"caf\xc3", "a label's name is UTF-8"}};
    static const char *const fine[] = {" ", "a b", "~", "caf\xc3\xa9", "/", "\xf0\x9f\x93\xac"};
    struct mail_folder f;
    for (size_t i = 0; i < SOSIA_LEN(wrong); i++) {
        refused(add_named(0, wrong[i].name, &f), "labelName");
        assert_string_equal(test_err.text, wrong[i].why);
        assert_string_equal(test_err.where, "name");
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
    }
    for (size_t i = 0; i < SOSIA_LEN(fine); i++)
        assert_int_equal(add_named(0, fine[i], &f), 0);
    char name[1002];
    memset(name, 'n', sizeof name);
    name[1001] = 0;
    refused(add_named(0, name, &f), "labelName");
    name[1000] = 0;
    assert_int_equal(add_named(0, name, &f), 0);
    name[0] = 'N'; /* as long, and folded all the same */
    refused(add_named(0, name, &f), "labelExists");
    const struct mail_folder was = f;
    struct mail_folder to = {.id = 0};
    assert_int_equal(mail_folder_by_name(&tx, box("bob").id, 0, "a B", &to), 1);
    f = to;
    f.name = "a\n";
    refused(mail_folder_save(&tx, &to, &f, false), "labelName");
    f.name = was.name;
    f.id = to.id;
    assert_int_equal(mail_folder_by_name(&tx, box("bob").id, 0, "none", &f), 0);
}

static void names_are_compared_as_people_read_them(void **state)
{
    (void)state;
    struct mail_folder a, f, no;
    assert_int_equal(add_named(0, "Caf\xc3\xa9", &a), 0);
    refused(add_named(0, "cafe\xcc\x81", &no), "labelExists"); /* the other form of it */
    assert_string_equal(test_err.text, "there is a label \"Caf\xc3\xa9\" already");
    refused(add_named(0, "CAF\xc3\x89", &no), "labelExists");
    assert_int_equal(test_err.code, SOSIA_E_CONFLICT);
    assert_int_equal(add_named(0, "Cafe", &f), 0); /* without its accent it is another one */
    assert_int_equal(add_named(a.id, "Caf\xc3\xa9", &f), 0); /* in another folder */
    assert_int_equal(
        add_named(ID_OF(&(struct mailbox){.id = a.mailbox}, FOLDER_INBOX), "Caf\xc3\xa9", &f), 0);
    refused(add_named(0, "DRAFTS", &no), "labelExists");
    const struct mail_folder old = f;
    f.name = "caf\xc3\x89"; /* its own name, written otherwise */
    assert_int_equal(mail_folder_save(&tx, &old, &f, false), 0);
    assert_int_equal(mail_folder_get(&tx, f.mailbox, f.id, &f), 1);
    assert_string_equal(f.name, "caf\xc3\x89");
    f.parent = 0;
    refused(mail_folder_save(&tx, &old, &f, false), "labelExists");
}

static size_t noted;
static int64_t noted_of;
static enum event_operation noted_as;

static void note_events(const struct world_event *first)
{
    for (const struct world_event *e = first; e; e = e->next)
        if (strcmp(e->kind, CHANGED_FOLDERS) == 0) {
            noted++;
            noted_of = e->entity;
            noted_as = e->operation;
        }
}

static size_t events(void)
{
    noted = 0;
    mail_later(0);
    return noted;
}

static void what_changes_is_said(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    struct mail_folder f, was, in;
    events_seen = note_events;
    assert_int_equal(add_named(0, "Work", &f), 0);
    assert_int_equal(events(), 1);
    assert_int_equal(noted_of, f.id);
    assert_int_equal(noted_as, OP_ADDED);
    assert_int_equal(mail_folder_get(&tx, bob.id, f.id, &f), 1);
    was = f;
    assert_int_equal(mail_folder_save(&tx, &was, &f, false), 0); /* nothing differs */
    assert_int_equal(events(), 0);
    f.name = "Work", was.name = "Work";
    assert_int_equal(mail_folder_save(&tx, &was, &f, true), 0); /* what its vendor keeps does */
    assert_int_equal(events(), 1);
    assert_int_equal(noted_as, OP_CHANGED);
    f.name = "Other", was.name = "Work";
    f.hidden = true;
    assert_int_equal(mail_folder_save(&tx, &was, &f, false), 0);
    assert_int_equal(events(), 1);
    assert_int_equal(mail_folder_get(&tx, bob.id, f.id, &f), 1);
    assert_string_equal(f.name, "Other");
    assert_true(f.hidden);
    /* One that every mailbox has keeps its name and place, and may be hidden. */
    assert_int_equal(mail_folder_get(&tx, bob.id, ID_OF(&bob, FOLDER_SENT), &was), 1);
    in = was;
    in.name = "Post";
    in.parent = f.id;
    in.hidden = true;
    assert_int_equal(mail_folder_save(&tx, &was, &in, false), 0);
    assert_int_equal(mail_folder_get(&tx, bob.id, was.id, &in), 1);
    assert_string_equal(in.name, "sent");
    assert_int_equal(in.parent, 0);
    assert_true(in.hidden);
    refused(mail_folder_delete(&tx, &in), "label");
    assert_string_equal(test_err.text, "every mailbox has sent");
    assert_int_equal(mail_folder_delete(&tx, &f), 0);
    assert_int_equal(events(), 2); /* the one that was hidden, and the one that went */
    assert_int_equal(noted_of, f.id);
    assert_int_equal(noted_as, OP_REMOVED);
    events_seen = NULL;
}

/* ---- how deep, and how many ---- */

/* How many names the path has that a folder is shown by. */
static size_t names_in_path(int64_t folder)
{
    struct json_writer w;
    struct buf b;
    size_t n = 1;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    for (size_t i = 0; i < mail_core.n_entities; i++)
        if (strcmp(mail_core.entities[i].table, "mail_folder") == 0)
            assert_int_equal(mail_core.entities[i].plain(&tx, folder, &w), 1);
    json_end(&w);
    for (const char *p = buf_str(&b); (p = strchr(p, '/')); p++)
        n++;
    buf_done(&b);
    return n;
}

static void folders_are_so_deep(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    struct mail_folder f, top, old;
    int64_t up = 0, shown;
    for (int i = 0; i < FOLDER_DEPTH_MAX; i++) {
        assert_int_equal(add_named(up, "deep", &f), 0);
        up = f.id;
    }
    assert_int_equal(add_named(up, "deepest", &f), 0); /* with so many above it */
    assert_int_equal(names_in_path(f.id), FOLDER_DEPTH_MAX + 1);
    assert_int_equal(names_in_path(up), FOLDER_DEPTH_MAX);
    refused(add_named(f.id, "x", &top), "parent");
    assert_string_equal(test_err.where, "parent");
    assert_int_equal(mail_folder_by_name(&tx, bob.id, 0, "deep", &top), 1);
    old = f;
    f.parent = f.id;
    refused(mail_folder_save(&tx, &old, &f, false), "parent");
    old = f = top;
    f.parent = up; /* within itself */
    refused(mail_folder_save(&tx, &old, &f, false), "parent");
    f.parent = ID_OF(&bob, FOLDER_OWN + 999);
    refused(mail_folder_save(&tx, &old, &f, false), "parent");
    f.parent = ID_OF(&bob, KEYWORD_UNSEEN);
    refused(mail_folder_save(&tx, &old, &f, false), "parent");
    /* Those that are shown, and are folders. */
    assert_int_equal(mail_folder_children(&tx, bob.id, top.id, &shown), 0);
    assert_int_equal(shown, 1);
    assert_int_equal(add_named(top.id, "second", &f), 0);
    old = f;
    f.hidden = true;
    assert_int_equal(mail_folder_children(&tx, bob.id, top.id, &shown), 0);
    assert_int_equal(shown, 2);
    assert_int_equal(mail_folder_save(&tx, &old, &f, false), 0);
    struct mail_folder word = {
        .mailbox = bob.id, .parent = top.id, .kind = KIND_KEYWORD, .name = "word"};
    assert_int_equal(mail_folder_add(&tx, &word), 0);
    assert_int_equal(mail_folder_children(&tx, bob.id, top.id, &shown), 0);
    assert_int_equal(shown, 1);
    assert_int_equal(mail_folder_children(&tx, box("ada").id, top.id, &shown), 0);
    assert_int_equal(shown, 0);
}

static void folders_are_so_many(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob"), ada = box("ada");
    struct mail_folder f;
    run(arena_printf(tx.arena,
                     "insert into mail_folder (id, mailbox, name, fold, kind, hidden) with "
                     "recursive n (i) as (select 1 union all select i + 1 from n where i < %d) "
                     "select (%lld << 24) + 64 + i, %lld, 'f' || i, 'f' || i, 1, 0 from n",
                     FOLDERS_MAX - 1, (long long)bob.id, (long long)bob.id));
    run(arena_printf(tx.arena, "update mail_mailbox set folders = %d where id = %lld",
                     FOLDERS_MAX - 1, (long long)bob.id));
    assert_int_equal(add_named(0, "the last", &f), 0);
    refused(add_named(0, "one too many", &f), "tooManyLabels");
    assert_int_equal(test_err.code, SOSIA_E_FULL);
    assert_string_equal(test_err.text, "a mailbox has at most 10000 labels of its own");
    f = (struct mail_folder){.mailbox = ada.id, .kind = KIND_FOLDER, .name = "of another"};
    assert_int_equal(mail_folder_add(&tx, &f), 0);
    assert_int_equal(mail_folder_by_name(&tx, bob.id, 0, "the last", &f), 1);
    assert_int_equal(mail_folder_delete(&tx, &f), 0);
    assert_int_equal(add_named(0, "in its place", &f), 0);
    assert_int_equal(mail_folder_number(f.id), FOLDERS_MAX + 1); /* numbers are used once */
    refused(add_named(0, "one too many", &f), "tooManyLabels");
    run("delete from mail_folder where id & 16777215 > 64");
}

/* ---- seconds that are full ---- */

static void a_full_second_goes_on_in_the_next(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    const int64_t second = INT64_C(1) << SEQ_BITS;
    run("pragma defer_foreign_keys = on");
    struct mail_message m = kept_at(1000);
    assert_int_equal(m.id, mail_message_id_at(bob.id, 1000));
    run(arena_printf(tx.arena, "update mail_message set id = %lld where id = %lld",
                     (long long)(m.id + second - 2), (long long)m.id));
    m = kept_at(1000);
    assert_int_equal(m.id, mail_message_id_at(bob.id, 1000) + second - 1);
    m = kept_at(1000);
    assert_int_equal(m.id, mail_message_id_at(bob.id, 1001));
    assert_int_equal(m.at_s, 1000);
    m = kept_at(1001);
    assert_int_equal(m.id, mail_message_id_at(bob.id, 1001) + 1);
    m = kept_at(AT_MAX);
    assert_int_equal(m.id, mail_message_id_at(bob.id, AT_MAX));
    run(arena_printf(tx.arena, "update mail_message set id = %lld where id = %lld",
                     (long long)(m.id + second - 1), (long long)m.id));
    const struct mail_message_new in = {
        .mailbox = &bob, .raw = "\r\n", .len = 2, .flags = FLAG(FOLDER_INBOX), .at_s = AT_MAX + 5};
    refused(mail_message_add(&tx, &in, &m), "mailboxFull");
    assert_int_equal(test_err.code, SOSIA_E_FULL);
}

/* ---- pages ---- */

static void a_page_has_its_bounds(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    struct mail_message all[5], *list;
    size_t n;
    bool more;
    for (int i = 0; i < 5; i++)
        all[i] = kept_at(1000 + i);
    static const struct {
        int before; /* index of a message; -1: none, 5: behind all */
        size_t limit, n;
        bool more;
    } pages[] = {{-1, 5, 5, false}, {-1, 6, 5, false}, {-1, 4, 4, true},
                 {-1, 0, 0, true},  {4, 4, 4, false},  {4, 3, 3, true},
                 {1, 1, 1, false},  {0, 3, 0, false},  {5, 2, 2, true}};
    for (size_t i = 0; i < SOSIA_LEN(pages); i++)
        for (int threads = 0; threads < 2; threads++) {
            const int before = pages[i].before;
            const struct mail_list q = {.mailbox = bob.id,
                                        .before = before < 0    ? 0
                                                  : before == 5 ? INT64_MAX
                                                                : all[before].id,
                                        .threads = threads,
                                        .limit = pages[i].limit};
            assert_int_equal(mail_list(&tx, &q, &list, &n, &more), 0);
            if (n != pages[i].n || more != pages[i].more)
                fail_msg("page %zu: %zu %d", i, n, more);
            const int newest = before < 0 || before == 5 ? 4 : before - 1;
            for (size_t k = 0; k < n; k++)
                assert_int_equal(list[k].id, all[newest - (int)k].id);
        }
    const int64_t inbox = ID_OF(&bob, FOLDER_INBOX), sent = ID_OF(&bob, FOLDER_SENT),
                  both[] = {inbox, sent};
    const struct {
        const int64_t *folders;
        size_t n_folders;
        uint32_t without;
        size_t n;
    } places[] = {{&inbox, 1, 0, 5},
                  {&sent, 1, 0, 0},
                  {both, 2, 0, 0},
                  {&inbox, 1, FLAG(FOLDER_INBOX), 0},
                  {NULL, 0, FLAG(FOLDER_SENT), 5}};
    for (size_t i = 0; i < SOSIA_LEN(places); i++) {
        const struct mail_list q = {.mailbox = bob.id,
                                    .folders = places[i].folders,
                                    .n_folders = places[i].n_folders,
                                    .without = places[i].without,
                                    .limit = 10};
        assert_int_equal(mail_list(&tx, &q, &list, &n, &more), 0);
        assert_int_equal(n, places[i].n);
    }
}

static void drafts_alone_are_listed(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    const struct mail_message_new in = {
        .mailbox = &bob, .raw = "\r\n", .len = 2, .at_s = INT64_MIN, .alone = true};
    const uint32_t place = FLAG(mail_vendor_draft(vendor));
    struct mail_draft one, two;
    struct mail_message *list, other = kept_at(INT64_MIN);
    size_t n;
    bool more;
    assert_int_equal(mail_draft_add(&tx, &in, 7, &one), 0);
    assert_int_equal(one.key, 7);
    assert_int_equal(mail_draft_add(&tx, &in, 0, &two), 0);
    assert_true(two.key != 0 && two.key != 7);
    const int64_t drafts = ID_OF(&bob, mail_vendor_draft(vendor));
    assert_int_equal(mail_message_modify(&tx, &other, &drafts, 1, NULL, 0), 0);
    assert_true(other.flags & place); /* which no draft holds */
    struct mail_list q = {.mailbox = bob.id, .drafts = true, .limit = 10};
    assert_int_equal(mail_list(&tx, &q, &list, &n, &more), 0);
    assert_int_equal(n, 2);
    assert_int_equal(list[0].id, two.message.id);
    assert_int_equal(list[1].id, one.message.id);
    q.limit = 1;
    assert_int_equal(mail_list(&tx, &q, &list, &n, &more), 0);
    assert_true(n == 1 && more);
    struct mail_draft d;
    assert_int_equal(mail_draft_of_message(&tx, &other, &d), 0);
    assert_int_equal(mail_draft_of_message(&tx, &one.message, &d), 1);
    assert_int_equal(d.key, 7);
    assert_int_equal(d.id, one.id);
    assert_int_equal(mail_draft_get(&tx, bob.id, two.key, &d), 1);
    assert_int_equal(d.message.id, two.message.id);
    assert_int_equal(mail_draft_get(&tx, box("ada").id, two.key, &d), 0);
    assert_int_equal(mail_draft_get(&tx, bob.id, 8, &d), 0);
    assert_int_equal(mail_draft_delete(&tx, &one), 0);
    assert_int_equal(mail_draft_get(&tx, bob.id, 7, &d), 0);
    assert_int_equal(mail_message_delete(&tx, &two.message), 0); /* it goes with its message */
    assert_int_equal(number("select count(*) from mail_draft"), 0);
    check_counters();
}

/* ---- whose it is ---- */

static int open_with_aliases(void **state)
{
    (void)state;
    char doc[1000];
    snprintf(
        doc, sizeof doc,
        "sosia: 1\ntime: 2026-11-23T08:00:00Z\n"
        "organizations: [{domain: acme.example, name: Acme}]\npeople:\n"
        "  - {email: bob@acme.example, name: Bob, aliases: [z@acme.example, "
        "a@acme.example, m@acme.example, c@acme.example, b@acme.example, ada+x@acme.example]}\n"
        "  - {email: ada@acme.example, name: Ada}\n"
        "  - {email: cyd@acme.example, name: Cyd}\naccounts:\n"
        "  - {actor: bob@acme.example, vendor: %s}\n  - {actor: ada@acme.example, vendor: %s}\n",
        vendor->name, vendor->name);
    return open_as(doc);
}

static void addresses_of_a_person(void **state)
{
    (void)state;
    static const char *const want[] = {"bob@acme.example", "a@acme.example", "ada+x@acme.example",
                                       "b@acme.example",   "c@acme.example", "m@acme.example",
                                       "z@acme.example"};
    const struct mailbox bob = box("bob"), ada = box("ada");
    struct mailbox mb;
    const char **list;
    size_t n;
    assert_int_equal(mailbox_addresses(&tx, &bob, &list, &n), 0);
    assert_int_equal(n, SOSIA_LEN(want));
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(list[i], want[i]);
        assert_int_equal(mailbox_by_address(&tx, list[i], &mb), 1);
        assert_int_equal(mb.id, bob.id);
    }
    assert_int_equal(mailbox_addresses(&tx, &ada, &list, &n), 0);
    assert_int_equal(n, 1);
    assert_string_equal(list[0], "ada@acme.example");
    /* An address that is somebody's is theirs, whatever is before its "+". */
    assert_int_equal(mailbox_by_address(&tx, "ada+x@acme.example", &mb), 1);
    assert_int_equal(mb.id, bob.id);
    assert_int_equal(mailbox_by_address(&tx, "ada+y@acme.example", &mb), 1);
    assert_int_equal(mb.id, ada.id);
    assert_int_equal(mailbox_by_address(&tx, "ada+x+y@acme.example", &mb), 1);
    assert_int_equal(mb.id, ada.id);
    assert_int_equal(mailbox_by_address(&tx, "zed+x@acme.example", &mb), 0);
    assert_int_equal(mailbox_at(&tx, bob.actor, vendor->name, &mb), 1);
    assert_int_equal(mb.id, bob.id);
    assert_int_equal(mb.account, bob.account);
    assert_string_equal(mb.email, "bob@acme.example");
    assert_int_equal(mailbox_at(&tx, bob.actor, "bare", &mb), 0);
    assert_int_equal(mailbox_at(&tx, 999, vendor->name, &mb), 0);
    assert_int_equal(mailbox_of(&tx, bob.actor, &mb), 1);
    assert_int_equal(mb.id, bob.id);
    /* Mail to an alias says which one it came by. */
    send_as("ada", "To: m@acme.example, z@acme.example\n\nx\n");
    const struct mail_message m = newest("bob", 0);
    assert_string_equal(header_of(&m, "Delivered-To"), "m@acme.example");
    assert_int_equal(count_of("bob"), 1);
}

/* ---- places in a dump ---- */

static void places_are_dumped_by_name_or_number(void **state)
{
    (void)state;
    const struct mailbox bob = box("bob");
    struct mail_folder work, in, word = {.mailbox = bob.id, .kind = KIND_KEYWORD, .name = "Key"};
    struct mail_message m = kept_at(INT64_MIN);
    struct json_writer w;
    struct buf b;
    assert_int_equal(add_named(0, "Work", &work), 0);
    assert_int_equal(add_named(work.id, "In", &in), 0);
    assert_int_equal(mail_folder_add(&tx, &word), 0);
    const int64_t many[] = {work.id, word.id, in.id, ID_OF(&bob, KEYWORD_UNSEEN)},
                  one[] = {in.id, word.id, ID_OF(&bob, KEYWORD_UNSEEN)};
    assert_int_equal(mail_message_modify(&tx, &m, vendor->exclusive ? one : many,
                                         vendor->exclusive ? 3 : 4, NULL, 0),
                     0);
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    assert_int_equal(mail_dump_folders(&tx, &w, &m), 0);
    json_end(&w);
    assert_string_equal(
        buf_str(&b), vendor->exclusive ? "{\"labels\":[\"unseen\",2,\"Key\"]}"
                                       : "{\"labels\":[\"inbox\",\"unseen\",\"Work\",2,\"Key\"]}");
    buf_done(&b);
}

#define TEST(name)    cmocka_unit_test_setup_teardown(name, open_world, mail_close_world)
#define ALIASES(name) cmocka_unit_test_setup_teardown(name, open_with_aliases, mail_close_world)

int main(void)
{
    static const struct CMUnitTest both[] = {
        TEST(a_folder_has_a_name),
        TEST(names_are_compared_as_people_read_them),
        TEST(what_changes_is_said),
        TEST(folders_are_so_deep),
        TEST(folders_are_so_many),
        TEST(a_full_second_goes_on_in_the_next),
        TEST(a_page_has_its_bounds),
        TEST(drafts_alone_are_listed),
        TEST(places_are_dumped_by_name_or_number),
        ALIASES(addresses_of_a_person),
    };
    int rc = 0;
    for (int i = 0; i < 2; i++) {
        vendor = i ? &folders : &labels;
        rc |= cmocka_run_group_tests_name(vendor->name, both, NULL, NULL);
    }
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people write about items, grants as rows, what an item is to one person, and properties:
 * each function of theirs, and comments in documents.
 */
#include "services/drive/core/comment.h"
#include "engine/world/event.h"
#include "tests/services/drive/core/drive_world.h"
#include "tests/support/world.h"

static void later(int64_t seconds)
{
    end();
    test_advance(seconds);
    begin();
}

/* ---- comments ---- */

static struct drive_comment comment(int64_t item, const struct actor *who, const char *content)
{
    struct drive_comment c = {.item = item, .author = who->id, .content = content};
    done(drive_comment_add(&tx, &c));
    return c;
}

static struct drive_comment found(int64_t item, const char *content)
{
    struct drive_comment *list;
    size_t n;
    done(drive_comments_all(&tx, item, &list, &n));
    for (size_t i = 0; i < n; i++)
        if (list[i].content && strcmp(list[i].content, content) == 0)
            return list[i];
    fail_msg("there is no %s", content);
    return (struct drive_comment){0};
}

static const char *texts(const struct drive_comment *list, size_t n)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++)
        text = arena_printf(tx.arena, "%s%s%s", text, i ? " " : "",
                            list[i].content ? list[i].content : "-");
    return text;
}

static const char *page_of(int64_t item, bool deleted, int64_t since, int64_t skip, int64_t limit)
{
    struct drive_comment *list;
    size_t n;
    done(drive_comments(&tx, item, deleted, since, skip, limit, &list, &n));
    return texts(list, n);
}

static void a_comment_is_stored_as_it_is(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), b = add_in(&root, DRIVE_FILE, "b");
    struct drive_comment c = {.item = a.id,
                              .author = bob.id,
                              .content = "Why?",
                              .quoted = "it",
                              .quoted_mime = "text/plain",
                              .anchor = "{}",
                              .created_us = 5,
                              .modified_us = 6},
                         is, other;
    (void)state;
    done(drive_comment_add(&tx, &c));
    assert_true(c.id && c.created_us == tx.now_us && c.modified_us == tx.now_us);
    assert_int_equal(strlen(c.key), 11);
    assert_int_equal(strncmp(c.key, "AAAB", 4), 0);
    assert_int_equal(drive_comment_find(&tx, a.id, c.key, &is), 1);
    assert_true(is.id == c.id && is.item == a.id && is.author == bob.id && !is.deleted &&
                is.resolved == COMMENT_OPEN && is.action == ACTION_NONE && !is.comment &&
                is.created_us == tx.now_us && is.modified_us == tx.now_us);
    assert_string_equal(is.content, "Why?");
    assert_string_equal(is.quoted, "it");
    assert_string_equal(is.quoted_mime, "text/plain");
    assert_string_equal(is.anchor, "{}");
    assert_int_equal(drive_comment_find(&tx, b.id, c.key, &is), 0);
    assert_int_equal(drive_comment_find(&tx, a.id, "none", &is), 0);
    other = comment(a.id, &ada, "Other");
    assert_string_not_equal(other.key, c.key);
    /* Put as it is, with a key that is given. */
    struct drive_comment put = {.item = a.id,
                                .author = ada.id,
                                .key = "own",
                                .content = "Old",
                                .created_us = 5,
                                .modified_us = 6,
                                .resolved = COMMENT_REOPENED};
    done(drive_comment_put(&tx, &put));
    assert_int_equal(drive_comment_find(&tx, a.id, "own", &is), 1);
    assert_true(is.id == put.id && is.created_us == 5 && is.modified_us == 6 &&
                is.resolved == COMMENT_REOPENED);
    is.resolved = COMMENT_RESOLVED, is.modified_us = 7, is.content = "not this";
    done(drive_comment_save(&tx, &is));
    assert_int_equal(drive_comment_find(&tx, a.id, "own", &is), 1);
    assert_true(is.resolved == COMMENT_RESOLVED && is.modified_us == 7 && is.created_us == 5);
    assert_string_equal(is.content, "Old");
}

static void a_reply_settles_its_comment(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    struct drive_comment c = comment(a.id, &bob, "c"), d = comment(a.id, &bob, "d"), is, *list;
    static const enum comment_action actions[] = {ACTION_NONE, ACTION_RESOLVE, ACTION_NONE,
                                                  ACTION_REOPEN, ACTION_RESOLVE};
    static const enum comment_state states[] = {COMMENT_OPEN, COMMENT_RESOLVED, COMMENT_RESOLVED,
                                                COMMENT_REOPENED, COMMENT_RESOLVED};
    size_t n;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(actions); i++) {
        later(60);
        c = found(a.id, "c");
        struct drive_comment r = {.author = ada.id,
                                  .action = actions[i],
                                  .content = i == 1 ? NULL : arena_printf(tx.arena, "r%zu", i)};
        done(drive_reply_add(&tx, &c, &r));
        assert_true(r.id && r.comment == c.id && r.created_us == tx.now_us &&
                    r.modified_us == tx.now_us);
        assert_int_equal(strlen(r.key), 11);
        assert_int_equal(c.resolved, states[i]);
        is = found(a.id, "c");
        assert_true(is.resolved == states[i] && is.modified_us == tx.now_us &&
                    is.created_us < tx.now_us);
        assert_int_equal(drive_reply_find(&tx, c.id, r.key, &is), 1);
        assert_true(is.id == r.id && is.author == ada.id && is.action == actions[i] &&
                    is.comment == c.id && !is.deleted && is.created_us == tx.now_us);
        assert_int_equal(drive_reply_find(&tx, found(a.id, "d").id, r.key, &is), 0);
    }
    d = found(a.id, "d");
    assert_true(d.resolved == COMMENT_OPEN && d.modified_us == d.created_us);
    done(drive_replies(&tx, c.id, false, 0, 10, &list, &n));
    assert_string_equal(texts(list, n), "r0 - r2 r3 r4");
    done(drive_replies(&tx, c.id, false, 1, 2, &list, &n)); /* one more than is asked for */
    assert_string_equal(texts(list, n), "- r2 r3");
    done(drive_replies(&tx, c.id, false, 5, 2, &list, &n));
    assert_int_equal(n, 0);
    done(drive_replies(&tx, c.id, false, 4, 2, &list, &n));
    done(drive_comment_change(&tx, &list[0], NULL));
    done(drive_replies(&tx, c.id, false, 0, 10, &list, &n));
    assert_string_equal(texts(list, n), "r0 - r2 r3");
    done(drive_replies(&tx, c.id, true, 0, 10, &list, &n));
    assert_string_equal(texts(list, n), "r0 - r2 r3 -");
    assert_true(list[4].deleted && !list[1].deleted);
}

static void the_last_changed_comment_is_first(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), b = add_in(&root, DRIVE_FILE, "b");
    const int64_t first = tx.now_us;
    struct drive_comment *list, c;
    size_t n;
    (void)state;
    comment(a.id, &bob, "1");
    comment(a.id, &bob, "2");
    comment(b.id, &bob, "b");
    later(60);
    comment(a.id, &bob, "3");
    later(60);
    c = found(a.id, "1");
    done(drive_comment_change(&tx, &c, "one"));
    assert_true(c.modified_us == tx.now_us && !c.deleted);
    assert_string_equal(page_of(a.id, false, 0, 0, 10), "one 3 2");
    assert_string_equal(page_of(a.id, false, 0, 0, 1), "one 3");
    assert_string_equal(page_of(a.id, false, 0, 1, 1), "3 2");
    assert_string_equal(page_of(a.id, false, 0, 3, 1), "");
    assert_string_equal(page_of(a.id, false, first, 0, 10), "one 3 2");
    assert_string_equal(page_of(a.id, false, first + 1, 0, 10), "one 3");
    assert_string_equal(page_of(a.id, false, tx.now_us, 0, 10), "one");
    assert_string_equal(page_of(a.id, false, tx.now_us + 1, 0, 10), "");
    c = found(a.id, "2");
    c.quoted = "q", c.quoted_mime = "m";
    done(drive_comment_change(&tx, &c, NULL));
    assert_true(c.deleted && !c.content && !c.quoted && !c.quoted_mime);
    assert_string_equal(page_of(a.id, false, 0, 0, 10), "one 3");
    assert_string_equal(page_of(a.id, true, 0, 0, 10), "one - 3"); /* of one time by age */
    done(drive_comments_all(&tx, a.id, &list, &n));
    assert_string_equal(texts(list, n), "one - 3");
    assert_true(list[1].deleted && !list[0].deleted);
    done(drive_comments_all(&tx, b.id, &list, &n));
    assert_string_equal(texts(list, n), "b");
}

static void a_change_keeps_what_is_quoted(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    struct drive_comment c = {.item = a.id,
                              .author = bob.id,
                              .content = "c",
                              .quoted = "q",
                              .quoted_mime = "m",
                              .anchor = "n"};
    (void)state;
    done(drive_comment_add(&tx, &c));
    done(drive_comment_change(&tx, &c, "d"));
    c = found(a.id, "d");
    assert_string_equal(c.quoted, "q");
    assert_string_equal(c.quoted_mime, "m");
    assert_string_equal(c.anchor, "n");
    done(drive_comment_change(&tx, &c, ""));
    assert_false(c.deleted);
    done(drive_comment_change(&tx, &c, NULL));
    struct drive_comment is;
    assert_int_equal(drive_comment_find(&tx, a.id, c.key, &is), 1);
    assert_true(is.deleted && !is.content && !is.quoted && !is.quoted_mime);
    assert_string_equal(is.anchor, "n");
}

static void a_copy_has_what_is_not_deleted(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), b = add_in(&root, DRIVE_FILE, "b");
    struct drive_comment c = comment(a.id, &bob, "c"), d = comment(a.id, &eve, "d"),
                         e = comment(a.id, &ada, "e"), *list,
                         r = {.author = ada.id, .content = "r", .action = ACTION_RESOLVE},
                         s = {.author = bob.id, .content = "s"},
                         gone = {.author = eve.id, .content = "gone"};
    const int64_t first = tx.now_us;
    size_t n;
    (void)state;
    done(drive_comment_change(&tx, &e, NULL));
    later(60);
    c = found(a.id, "c");
    done(drive_reply_add(&tx, &c, &r));
    done(drive_reply_add(&tx, &c, &s));
    done(drive_reply_add(&tx, &c, &gone));
    done(drive_comment_change(&tx, &gone, NULL));
    const int64_t second = tx.now_us;
    later(60);
    done(drive_comments_copy(&tx, a.id, b.id));
    done(drive_comments_all(&tx, b.id, &list, &n));
    assert_string_equal(texts(list, n), "d c"); /* the oldest first */
    assert_true(list[0].author == eve.id && list[0].created_us == first &&
                list[0].resolved == COMMENT_OPEN);
    assert_true(list[1].author == bob.id && list[1].created_us == first &&
                list[1].modified_us == second && list[1].resolved == COMMENT_RESOLVED);
    c = found(a.id, "c"), d = found(a.id, "d");
    assert_string_not_equal(list[1].key, c.key);
    assert_string_not_equal(list[0].key, d.key);
    done(drive_replies(&tx, list[1].id, true, 0, 10, &list, &n));
    assert_string_equal(texts(list, n), "r s");
    assert_true(list[0].author == ada.id && list[0].action == ACTION_RESOLVE &&
                list[0].created_us == second && list[1].author == bob.id);
    done(drive_replies(&tx, c.id, true, 0, 10, &list, &n));
    assert_int_equal(n, 3);
    done(drive_comments_all(&tx, a.id, &list, &n));
    assert_int_equal(n, 3);
}

/* A key is one comment's of an item, and one reply's of a comment. */
static void a_key_is_there_once(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), b = add_in(&root, DRIVE_FILE, "b");
    struct drive_comment c = {.item = a.id, .author = bob.id, .key = "k", .content = "c"},
                         twice = c, other = c;
    (void)state;
    done(drive_comment_put(&tx, &c));
    assert_int_equal(drive_comment_put(&tx, &twice), -1);
    assert_int_equal(fault.code, SOSIA_E_CONFLICT);
    fault = (struct sosia_err){0};
    other.item = b.id;
    done(drive_comment_put(&tx, &other));
    struct drive_comment r = {.author = bob.id, .key = "k", .content = "r"}, again = r, third = r;
    done(drive_reply_add(&tx, &c, &r));
    assert_int_equal(drive_reply_add(&tx, &c, &again), -1);
    assert_int_equal(fault.code, SOSIA_E_CONFLICT);
    fault = (struct sosia_err){0};
    done(drive_reply_add(&tx, &other, &third));
}

/* ---- comments in documents ---- */

#define NOW   "2026-11-23T08:00:00Z"
#define THEN  "2026-11-20T08:00:00Z"
#define LATER "2026-11-21T08:00:00Z"
#define LAST  "2026-11-22T08:00:00Z"

static void comments_are_as_they_were_said(void **state)
{
#define SAID(members) "{'id':'c','author':'" BOB "','content':'x'," members "}"
    static const struct {
        const char *said, *dumped; /* NULL: as it was said */
    } list[] = {
        {SAID("'created':'" THEN "'"), NULL},
        {"{'id':'c','author':'" BOB "','content':'x'}", SAID("'created':'" NOW "'")},
        {"{'id':'c','author':'" BOB "','deleted':true,'created':'" THEN "'}", NULL},
        {SAID("'deleted':false,'created':'" THEN "'"), SAID("'created':'" THEN "'")},
        {SAID("'created':'" THEN "','quoted':'q','quotedMime':'a/b','anchor':'n'"), NULL},
        {SAID("'created':'" THEN "','modified':'" LATER "'"), NULL},
        {SAID("'created':'" THEN "','modified':'" THEN "'"), SAID("'created':'" THEN "'")},
        {SAID("'created':'" THEN "','modified':null"), SAID("'created':'" THEN "'")},
        {SAID("'created':'1970-01-01T00:00:00Z'"), NULL},
        {SAID("'created':'" THEN "','modified':'1970-01-01T00:00:00Z'"), NULL},
        {SAID("'created':'" THEN "','state':'resolved'"), NULL},
        {SAID("'created':'" THEN "','state':'reopened'"), NULL},
        {SAID("'created':'" THEN "','state':'open'"), SAID("'created':'" THEN "'")},
        {SAID("'created':'" THEN "','state':null"), SAID("'created':'" THEN "'")},
        {SAID("'created':'" THEN "','replies':[]"), SAID("'created':'" THEN "'")},
        /* A reply is as old as its comment, which is as its newest reply and their actions say. */
        {SAID("'created':'" THEN "','replies':[{'id':'r','author':'" EVE "','content':'y'}]"),
         SAID("'created':'" THEN "','replies':[{'id':'r','author':'" EVE "','content':'y',"
              "'created':'" THEN "'}]")},
        {SAID("'created':'" THEN "','replies':[{'id':'r','author':'" EVE
              "','content':'y','created':'" LATER "','action':'resolve'},{'id':'s','author':'" ADA
              "','created':'" LATER "','action':'reopen'}]"),
         NULL},
        {SAID("'created':'" THEN "','replies':[{'id':'r','author':'" EVE
              "','content':'y','created':'" LATER "','modified':'" LAST
              "'},{'id':'s','author':'" ADA "','deleted':true,'created':'" LATER "'}]"),
         NULL},
        {SAID("'created':'" THEN "','modified':'" LAST "','replies':[{'id':'r','author':'" EVE
              "','content':'y','created':'" LATER "'}]"),
         NULL},
        {SAID("'created':'" THEN "','modified':'" LATER "','replies':[{'id':'r','author':'" EVE
              "','content':'y','created':'" LATER "'}]"),
         SAID("'created':'" THEN "','replies':[{'id':'r','author':'" EVE
              "','content':'y','created':'" LATER "'}]")},
        {SAID("'created':'" THEN "','state':'open','replies':[{'id':'r','author':'" EVE
              "','created':'" THEN "','action':'resolve'}]"),
         NULL},
        {SAID("'created':'" THEN "','state':'resolved','replies':[{'id':'r','author':'" EVE
              "','created':'" THEN "','action':'resolve'}]"),
         SAID("'created':'" THEN "','replies':[{'id':'r','author':'" EVE "','created':'" THEN
              "','action':'resolve'}]")},
        {SAID("'created':'" THEN "','replies':[{'id':'r','author':'" EVE
              "','content':'y','created':'" THEN "','modified':'" THEN "','action':'none'}]"),
         SAID("'created':'" THEN "','replies':[{'id':'r','author':'" EVE
              "','content':'y','created':'" THEN "'}]")},
        {SAID("'created':'" THEN "','replies':[{'id':'r','author':'" EVE
              "','content':'y','created':'1970-01-01T00:00:00Z','modified':'" LATER "'}]"),
         NULL},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(list); i++) {
        const char *is =
            said(file_of(arena_printf(&test_arena, "'comments':[%s]", list[i].said)), "comments");
        assert_string_equal(
            is, arena_printf(&test_arena, "[%s]", list[i].dumped ? list[i].dumped : list[i].said));
    }
    assert_string_equal(said(file_of("'comments':[]"), "comments"), "");
    const struct json *v = file_of("'created':'" THEN "','modified':'" LATER "','comments':[{"
                                   "'author':'" BOB "','content':'1'},{'author':'" EVE
                                   "','content':'2','created':'" THEN "'}]");
    assert_string_equal(said(v, "comments.0.created"), LATER); /* as the item was changed */
    assert_string_equal(column(v, "comments", "content"), "1 2");
    assert_int_equal(strlen(said(v, "comments.0.id")), 11);
#undef SAID
}

static void a_comment_has_what_its_replies_say(void **state)
{
    struct drive_comment c, *list;
    struct drive_item it;
    size_t n;
    (void)state;
    seed_more("'files':[{'id':'a','name':'a','owner':'" ADA "','comments':[{'author':'" BOB
              "','content':'c','created':'" THEN "','replies':[{'author':'" EVE
              "','action':'resolve','created':'" LAST "'},{'author':'" ADA
              "','content':'r','created':'" LATER "'}]},{'author':'" BOB
              "','content':'d','created':'" THEN "','modified':'" LATER
              "','state':'reopened','replies':[{'author':'" EVE
              "','action':'resolve','created':'" LAST "'}]}]}]");
    it = item_by("a");
    c = found(it.id, "c");
    assert_true(c.resolved == COMMENT_RESOLVED && c.modified_us == c.created_us + 2 * DAY_US &&
                c.author == bob.id);
    done(drive_replies(&tx, c.id, true, 0, 9, &list, &n));
    assert_true(n == 2 && list[0].modified_us == list[0].created_us &&
                list[1].action == ACTION_NONE);
    c = found(it.id, "d");
    assert_true(c.resolved == COMMENT_REOPENED && c.modified_us == c.created_us + DAY_US);
}

/* ---- grants as rows ---- */

static int64_t n_events;
static int64_t event_scope;

static void see(const struct world_event *first)
{
    for (const struct world_event *e = first; e; e = e->next)
        if (strcmp(e->kind, CHANGED_FILE) == 0 && e->operation == OP_CHANGED && e->members &&
            strcmp(e->members[0], "permissions") == 0 && !e->members[1]) {
            n_events++;
            event_scope = e->scope;
        }
}

static void a_grant_is_stored_as_it_is(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), b = add_in(&root, DRIVE_FILE, "b");
    struct drive_grant g = {.kind = GRANT_PERSON,
                            .who = BOB,
                            .role = ROLE_WRITER,
                            .lowers = true,
                            .discoverable = true,
                            .pending = true,
                            .view = "published",
                            .expires_us = tx.now_us + DAY_US,
                            .created_us = 5},
                       h = {.kind = GRANT_GROUP, .who = BOB, .role = ROLE_READER}, *list;
    size_t n = 7;
    (void)state;
    done(drive_grants(&tx, a.id, &list, &n));
    assert_int_equal(n, 0);
    assert_int_equal(drive_is_offered(&tx, &a, BOB), 0);
    int64_t version = a.version;
    done(drive_grant_set(&tx, &a, &g));
    assert_true(g.id && g.item == a.id && a.version > version && a.flags & DRIVE_GRANTED);
    done(drive_grant_set(&tx, &a, &h)); /* of another kind, though it is called so */
    assert_true(h.created_us == tx.now_us && h.id != g.id);
    done(drive_grants(&tx, a.id, &list, &n));
    assert_int_equal(n, 2);
    assert_true(list[0].id == g.id && list[0].item == a.id && list[0].kind == GRANT_PERSON &&
                list[0].role == ROLE_WRITER && list[0].lowers && list[0].discoverable &&
                list[0].pending && list[0].expires_us == g.expires_us && list[0].created_us == 5);
    assert_string_equal(list[0].who, BOB);
    assert_string_equal(list[0].view, "published");
    assert_true(list[1].id == h.id && list[1].kind == GRANT_GROUP && list[1].role == ROLE_READER &&
                !list[1].lowers && !list[1].discoverable && !list[1].pending && !list[1].view &&
                !list[1].expires_us && list[1].created_us == tx.now_us);
    assert_int_equal(drive_is_offered(&tx, &a, BOB), 1);
    assert_int_equal(drive_is_offered(&tx, &a, EVE), 0);
    assert_int_equal(drive_is_granted(&tx, &a), 1);
    struct drive_grant other = {
        .kind = GRANT_PERSON, .who = BOB, .role = ROLE_READER, .id = 99, .created_us = 9};
    done(drive_grant_set(&tx, &a, &other));
    assert_int_equal(other.id, g.id);
    done(drive_grants(&tx, a.id, &list, &n));
    assert_true(n == 2 && list[0].id == g.id && list[0].role == ROLE_READER && !list[0].lowers &&
                !list[0].discoverable && !list[0].pending && !list[0].view && !list[0].expires_us &&
                list[0].created_us == 5);
    assert_int_equal(drive_is_offered(&tx, &a, BOB), 0);
    version = a.version;
    done(drive_grant_remove(&tx, &a, &list[1]));
    assert_true(a.version > version && a.flags & DRIVE_GRANTED);
    done(drive_grant_remove(&tx, &a, &list[0]));
    assert_false(a.flags & DRIVE_GRANTED);
    assert_false(again(&a).flags & DRIVE_GRANTED);
    assert_int_equal(drive_is_granted(&tx, &a), 0);
    done(drive_grants(&tx, a.id, &list, &n));
    assert_int_equal(n, 0);
    done(drive_grants(&tx, b.id, &list, &n));
    assert_int_equal(n, 0);
}

/* Who watches an item is notified when its permissions changed. */
static void grants_are_events(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a");
    struct drive_grant g = {.kind = GRANT_PERSON, .who = BOB, .role = ROLE_WRITER};
    const int64_t id = a.id;
    (void)state;
    end();
    events_seen = see;
    n_events = 0;
    begin();
    a = again(&(struct drive_item){.id = id});
    done(drive_grant_set(&tx, &a, &g));
    end();
    assert_true(n_events == 1 && event_scope == id);
    begin();
    a = again(&(struct drive_item){.id = id});
    g.who = BOB;
    done(drive_grant_remove(&tx, &a, &g));
    end();
    assert_int_equal(n_events, 2);
    events_seen = NULL;
    begin();
}

/* ---- what it is to one person ---- */

static bool is_nothing(const struct drive_item *it, const struct actor *who)
{
    const struct drive_mine m = mine_of(it, who);
    return !m.starred && !m.hidden && !m.viewed_us && !m.modified_us && !m.shared_us && !m.sharer;
}

static void an_item_is_something_to_each_by_themselves(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), b = add_in(&root, DRIVE_FILE, "b");
    struct drive_mine m = {.starred = true,
                           .hidden = true,
                           .viewed_us = 5,
                           .modified_us = 6,
                           .shared_us = 7,
                           .sharer = bob.id},
                      is;
    int64_t who;
    (void)state;
    a.modifier = bob.id;
    assert_true(is_nothing(&a, &eve));
    assert_int_equal(drive_mine_next(&tx, a.id, 0, &who), 0);
    done(drive_mine_save(&tx, a.id, eve.id, &m));
    is = mine_of(&a, &eve);
    assert_true(is.starred && is.hidden && is.viewed_us == 5 && is.modified_us == 6 &&
                is.shared_us == 7 && is.sharer == bob.id);
    m = (struct drive_mine){.starred = true};
    done(drive_mine_save(&tx, a.id, bob.id, &m));
    is = mine_of(&a, &bob);
    assert_true(is.starred && !is.hidden && !is.viewed_us && !is.modified_us && !is.shared_us &&
                !is.sharer);
    m = (struct drive_mine){.hidden = true};
    done(drive_mine_save(&tx, a.id, bob.id, &m)); /* in its place */
    is = mine_of(&a, &bob);
    assert_true(!is.starred && is.hidden);
    assert_true(is_nothing(&b, &eve));
    assert_true(drive_mine_next(&tx, a.id, 0, &who) == 1 && who == bob.id);
    assert_true(drive_mine_next(&tx, a.id, who, &who) == 1 && who == eve.id);
    assert_int_equal(drive_mine_next(&tx, a.id, who, &who), 0);
    /* Who changed it last did so when it was. */
    a.modified_us = 99;
    done(drive_mine(&tx, &a, bob.id, &is));
    assert_int_equal(is.modified_us, 99);
    done(drive_mine(&tx, &a, eve.id, &is));
    assert_int_equal(is.modified_us, 6);
    a.modifier = 0;
    done(drive_mine(&tx, &a, 0, &is));
    assert_int_equal(is.modified_us, 0);
}

/* ---- properties ---- */

static const char *properties_of(int64_t item, int64_t app)
{
    struct drive_property *list;
    const char *text = "";
    size_t n;
    done(drive_properties(&tx, item, app, &list, &n));
    for (size_t i = 0; i < n; i++)
        text = arena_printf(tx.arena, "%s%s=%s;", text, list[i].name, list[i].value);
    return text;
}

static void properties_are_an_apps_or_everybodys(void **state)
{
    struct drive_item a = add_in(&root, DRIVE_FILE, "a"), b = add_in(&root, DRIVE_FILE, "b");
    int64_t n = 7;
    (void)state;
    done(drive_property_count(&tx, a.id, &n));
    assert_int_equal(n, 0);
    assert_string_equal(properties_of(a.id, 0), "");
    done(drive_property_set(&tx, a.id, 0, &(struct drive_property){"b", "2"}));
    done(drive_property_set(&tx, a.id, 0, &(struct drive_property){"a", "1"}));
    done(drive_property_set(&tx, a.id, 5, &(struct drive_property){"a", "own"}));
    done(drive_property_set(&tx, b.id, 0, &(struct drive_property){"c", ""}));
    assert_string_equal(properties_of(a.id, 0), "a=1;b=2;");
    assert_string_equal(properties_of(a.id, 5), "a=own;");
    assert_string_equal(properties_of(b.id, 0), "c=;");
    done(drive_property_count(&tx, a.id, &n));
    assert_int_equal(n, 3);
    done(drive_property_set(&tx, a.id, 0, &(struct drive_property){"a", "3"}));
    done(drive_property_set(&tx, a.id, 0, &(struct drive_property){"b", NULL}));
    done(drive_property_set(&tx, a.id, 0, &(struct drive_property){"none", NULL}));
    assert_string_equal(properties_of(a.id, 0), "a=3;");
    assert_string_equal(properties_of(a.id, 5), "a=own;");
    done(drive_property_set(&tx, a.id, 5, &(struct drive_property){"a", NULL}));
    assert_string_equal(properties_of(a.id, 0), "a=3;");
    done(drive_property_count(&tx, a.id, &n));
    assert_int_equal(n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_comment_is_stored_as_it_is),
        BOTH(a_reply_settles_its_comment),
        BOTH(the_last_changed_comment_is_first),
        BOTH(a_change_keeps_what_is_quoted),
        BOTH(a_copy_has_what_is_not_deleted),
        BOTH(a_key_is_there_once),
        ONE(comments_are_as_they_were_said, strict),
        BOTH(a_comment_has_what_its_replies_say),
        BOTH(a_grant_is_stored_as_it_is),
        BOTH(grants_are_events),
        BOTH(an_item_is_something_to_each_by_themselves),
        BOTH(properties_are_an_apps_or_everybodys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

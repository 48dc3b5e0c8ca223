/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of the chat core, without a dialect: who follows one and has read up to where, who has
 * replied, what is counted, and what is left of all that when replies and first messages go. Once
 * for each of two vendors.
 */
#include "engine/search/index.h"
#include "services/chat/core/ask.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"

/* "ada 0 read reading, bob 2 ...": who follows the thread, with replies and up to where it is read
 * as the number of a message. */
static const char *followers(int64_t thread, const struct chat_message *all, size_t n)
{
    static const char sql[] = "select u.name, f.replies, f.read_us, f.follows from chat_follower f "
                              "join chat_user u on u.id = f.user where f.message = ?1 order by 1";
    const char *text = "";
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx.db), sql, -1, &st, NULL), SQLITE_OK);
    sqlite3_bind_int64(st, 1, thread);
    while (sqlite3_step(st) == SQLITE_ROW) {
        int read = -1;
        for (size_t i = 0; i < n; i++)
            if (all[i].ts_us == sqlite3_column_int64(st, 2))
                read = (int)i;
        assert_int_equal(sqlite3_column_int(st, 3), 1);
        text =
            arena_printf(tx.arena, "%s%s %d @%d, ", text, (const char *)sqlite3_column_text(st, 0),
                         sqlite3_column_int(st, 1), read);
    }
    sqlite3_finalize(st);
    return text;
}

static const char *keys(const struct chat_user *a, const struct chat_user *b)
{
    return b ? arena_printf(tx.arena, "[\"%s\",\"%s\"]", a->key, b->key)
             : arena_printf(tx.arena, "[\"%s\"]", a->key);
}

static bool gone(struct chat_channel *ch, int64_t id)
{
    struct chat_message m = again(id);
    bool stone;
    ok(chat_message_delete(&tx, ch, &m, &stone));
    return stone;
}

/* ---- who follows ---- */

static void who_began_and_who_wrote_follow(void **state)
{
    struct chat_message all[5] = {post("0")};
    (void)state;
    assert_string_equal(followers(all[0].id, all, 1), "");
    all[1] = post_in(&general, &bob, "1", all[0].id);
    assert_string_equal(followers(all[0].id, all, 2), "ada 0 @0, bob 1 @1, ");
    all[2] = post_in(&general, &bob, "2", all[0].id);
    assert_string_equal(followers(all[0].id, all, 3), "ada 0 @0, bob 2 @2, ");
    all[3] = post_in(&general, &ada, "3", all[0].id);
    assert_string_equal(followers(all[0].id, all, 4), "ada 1 @3, bob 2 @2, ");
    all[4] = (struct chat_message){.text = "4", .thread = all[0].id};
    ok(chat_post(&tx, &general, &all[4])); /* nobody's */
    assert_string_equal(followers(all[0].id, all, 5), "ada 1 @3, bob 2 @2, ");
    struct chat_message root = again(all[0].id);
    assert_int_equal(root.replies, 4);
    assert_int_equal(root.n_repliers, 2);
    assert_int_equal(root.latest_us, all[4].ts_us);
    assert_string_equal(root.repliers, keys(&bob, &ada));
}

static void what_nobody_began_is_followed_by_who_wrote(void **state)
{
    struct chat_message all[2] = {{.text = "note", .flags = CHAT_SYSTEM}};
    (void)state;
    ok(chat_post(&tx, &general, &all[0]));
    all[1] = post_in(&general, &bob, "1", all[0].id);
    assert_string_equal(followers(all[0].id, all, 2), "bob 1 @1, ");
}

static void a_reply_that_goes_is_counted_no_more(void **state)
{
    struct chat_message all[6] = {post("0")}, root;
    (void)state;
    all[1] = post_in(&general, &bob, "1", all[0].id);
    all[2] = post_in(&general, &eve, "2", all[0].id);
    all[3] = post_in(&general, &bob, "3", all[0].id);
    all[4] = post_in(&general, &ada, "4", all[0].id);
    assert_false(gone(&general, all[1].id));
    root = again(all[0].id);
    assert_int_equal(root.replies, 3);
    assert_int_equal(root.n_repliers, 3);
    assert_string_equal(root.repliers, arena_printf(tx.arena, "[\"%s\",\"%s\",\"%s\"]", eve.key,
                                                    bob.key, ada.key)); /* by their first ones */
    assert_string_equal(followers(root.id, all, 5), "ada 1 @4, bob 1 @3, eve 1 @2, ");
    assert_false(gone(&general, all[4].id));
    root = again(all[0].id);
    assert_int_equal(root.latest_us, all[3].ts_us);
    assert_string_equal(root.repliers, keys(&eve, &bob));
    assert_string_equal(followers(root.id, all, 5), "ada 0 @0, bob 1 @3, eve 1 @2, ");
    assert_false(gone(&general, all[3].id));
    assert_string_equal(followers(root.id, all, 5), "ada 0 @0, eve 1 @2, ");
    assert_string_equal(again(root.id).repliers, keys(&eve, NULL));
    assert_int_equal(again(root.id).thread, root.id);
    assert_false(gone(&general, all[2].id));
    root = again(all[0].id);
    assert_int_equal(root.thread + root.replies + root.n_repliers + root.latest_us, 0);
    assert_null(root.repliers);
    assert_string_equal(followers(root.id, all, 5), "ada 0 @0, ");
    assert_false(gone(&general, root.id));
    assert_string_equal(followers(root.id, all, 5), "");
}

static void a_list_of_who_replied_ends_with_the_fifth(void **state)
{
    struct chat_message root = post("root"), replies[7];
    struct chat_user all[7];
    (void)state;
    beyond_documents = true; /* an actor is several members */
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        all[i] = bob;
        all[i].key = NULL;
        ok(chat_user_add(&tx, &all[i]));
        replies[i] = post_in(&general, &all[i], "re", root.id);
    }
    assert_int_equal(again(root.id).n_repliers, 7);
    assert_false(gone(&general, replies[0].id));
    const char *list = "";
    for (size_t i = 1; i < 6; i++)
        list = arena_printf(tx.arena, "%s%s\"%s\"", list, i > 1 ? "," : "", all[i].key);
    root = again(root.id);
    assert_int_equal(root.n_repliers, 6);
    assert_string_equal(root.repliers, arena_printf(tx.arena, "[%s]", list));
}

/* ---- the stone ---- */

static void a_stone_has_its_thread_and_nothing_else(void **state)
{
    struct chat_message root = {.user = ada.id,
                                .text = "word",
                                .subject = "S",
                                .extra = "{}",
                                .importance = CHAT_URGENT,
                                .client = "c"},
                        re;
    const struct search everything = {
        .kind = SEARCH_PHRASE, .fields = CHAT_FIELD_BODY, .text = "word"};
    int64_t n;
    (void)state;
    ok(chat_post(&tx, &general, &root));
    re = post_in(&general, &bob, "re", root.id);
    root = again(root.id);
    assert_int_equal(chat_react(&tx, &root, "eyes", &bob, 5), 1);
    assert_int_equal(chat_pin(&tx, &general, &root, bob.id, 6), 1);
    assert_true(gone(&general, root.id));
    const struct chat_message stone = again(root.id);
    assert_string_equal(stone.subtype, "tombstone");
    assert_string_equal(stone.text, "This message was deleted.");
    assert_int_equal(stone.flags, CHAT_TOMBSTONE);
    assert_int_equal(stone.ts_us, root.ts_us);
    assert_int_equal(stone.thread, root.id);
    assert_int_equal(stone.replies, 1);
    assert_int_equal(stone.n_repliers, 1);
    assert_int_equal(stone.latest_us, re.ts_us);
    assert_string_equal(stone.repliers, keys(&bob, NULL));
    assert_int_equal(stone.user + stone.place + stone.pinned_by + stone.pinned_s, 0);
    assert_int_equal(stone.importance, CHAT_NORMAL);
    assert_true(!stone.subject && !stone.extra && !stone.client && !stone.reactions);
    ok(chat_reactions_by(&tx, root.id, bob.id, &n));
    assert_int_equal(n, 0);
    assert_int_equal(channel_again(general.id).pins, 0);
    assert_string_equal(followers(root.id, &re, 1), "bob 1 @0, ");
    ok(search_settle(&tx));
    const struct search_ask ask = {.corpus = &chat_corpus,
                                   .query = &everything,
                                   .first = chat_place(acme.id, 0),
                                   .last = chat_place(acme.id + 1, 0) - 1,
                                   .arg = &(struct chat_asker){.user = ada}};
    struct search_walk *walk = search_open(&tx, &ask);
    assert_non_null(walk);
    assert_int_equal(search_next(walk, search_last(walk)), 0);
}

static void only_a_first_message_with_replies_leaves_a_stone(void **state)
{
    const struct chat_message alone = post("a"), root = post("b"),
                              re = post_in(&general, &bob, "re", root.id);
    struct chat_message none;
    (void)state;
    assert_false(gone(&general, alone.id));
    assert_int_equal(chat_message_get(&tx, alone.id, &none), 0);
    assert_false(gone(&general, re.id));
    assert_false(gone(&general, root.id));
    assert_int_equal(chat_message_get(&tx, root.id, &none), 0);
}

/* A pin or a reaction of one message is not that of another. */
static void other_messages_stay_as_they_are(void **state)
{
    struct chat_message a = post("a"), b = post("b");
    int64_t n;
    (void)state;
    assert_int_equal(chat_pin(&tx, &general, &a, ada.id, 5), 1);
    assert_int_equal(chat_pin(&tx, &general, &b, ada.id, 5), 1);
    assert_int_equal(chat_react(&tx, &b, "eyes", &bob, 5), 1);
    assert_false(gone(&general, a.id));
    assert_int_equal(channel_again(general.id).pins, 1);
    assert_int_equal(channel_again(closed.id).pins, 0);
    ok(chat_reactions_by(&tx, b.id, bob.id, &n));
    assert_int_equal(n, 1);
    assert_int_equal(again(b.id).pinned_by, ada.id);
}

/* ---- what the channel shows last ---- */

static void a_channels_last_time_is_of_what_it_shows(void **state)
{
    struct chat_message a = post("a"), late, shown;
    (void)state;
    assert_int_equal(general.last_us, a.ts_us);
    post_in(&general, &bob, "re", a.id);
    assert_int_equal(channel_again(general.id).last_us, a.ts_us);
    assert_int_equal(general.last_us, a.ts_us);
    shown =
        (struct chat_message){.user = bob.id, .text = "s", .thread = a.id, .flags = CHAT_BROADCAST};
    ok(chat_post(&tx, &general, &shown));
    assert_int_equal(channel_again(general.id).last_us, shown.ts_us);
    assert_int_equal(general.last_us, shown.ts_us);
    late = (struct chat_message){.user = bob.id, .text = "l", .ts_us = a.ts_us - 7000000};
    ok(chat_post(&tx, &general, &late));
    assert_int_equal(channel_again(general.id).last_us, shown.ts_us);
    assert_int_equal(channel_again(closed.id).last_us, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BOTH(who_began_and_who_wrote_follow),
        BOTH(what_nobody_began_is_followed_by_who_wrote),
        BOTH(a_reply_that_goes_is_counted_no_more),
        BOTH(a_list_of_who_replied_ends_with_the_fifth),
        BOTH(a_stone_has_its_thread_and_nothing_else),
        BOTH(only_a_first_message_with_replies_leaves_a_stone),
        BOTH(other_messages_stay_as_they_are),
        BOTH(a_channels_last_time_is_of_what_it_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the chat core promises, without a dialect: C calls on workspaces, channels, members,
 * messages, reactions, pins, reading and search. Everything runs once for each of two vendors: one
 * that says no more than it must, and one that writes in tags, keeps things beside messages and
 * lets people save them.
 */
#include "engine/search/index.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

/* ---- keys ---- */

static void a_key_has_the_form_of_the_workspaces_vendor(void **state)
{
    struct chat_user other = user(&far, "ada", CHAT_OWNER);
    struct chat_channel there = channel(&far, CHAT_PUBLIC, "general");
    struct chat_channel direct = {.workspace = acme.id,
                                  .kind = CHAT_DIRECT,
                                  .pair = "1,2",
                                  .topic = "",
                                  .purpose = "",
                                  .posting = "all",
                                  .previous_names = "[]"};
    (void)state;
    ok(chat_channel_add(&tx, &direct));
    const char *own_prefix = vendor == &bare ? "B_" : "R_";
    const char *far_prefix = vendor == &bare ? "R_" : "B_";
    assert_int_equal(strncmp(acme.key, own_prefix, 2), 0);
    assert_int_equal(strncmp(ada.key, own_prefix, 2), 0);
    assert_int_equal(strncmp(general.key, own_prefix, 2), 0);
    assert_int_equal(strncmp(other.key, far_prefix, 2), 0);
    assert_int_equal(strncmp(there.key, far_prefix, 2), 0);
    assert_int_equal(strncmp(direct.key, vendor == &bare ? "B_CHANNEL_" : "R1CHANNEL_", 10), 0);
    struct chat_channel found;
    assert_int_equal(chat_channel_find(&tx, acme.id, general.key, &found), 1);
    assert_int_equal(found.id, general.id);
    assert_int_equal(chat_channel_find(&tx, far.id, general.key, &found), 0);
}

static void a_workspace_is_of_a_vendor_that_the_engine_has(void **state)
{
    struct chat_workspace w = {.domain = "new", .vendor = "none"};
    (void)state;
    refused(chat_workspace_add(&tx, &w), "vendor");
}

static void a_key_that_is_given_stays_and_is_the_workspaces_alone(void **state)
{
    struct chat_channel ch = {.workspace = acme.id,
                              .key = "mine",
                              .name = "a",
                              .topic = "",
                              .purpose = "",
                              .posting = "all",
                              .previous_names = "[]"};
    (void)state;
    ok(chat_channel_add(&tx, &ch));
    assert_string_equal(channel_again(ch.id).key, "mine");
    ch.workspace = far.id;
    ch.id = 0;
    ok(chat_channel_add(&tx, &ch));
    struct chat_channel third = ch;
    third.id = 0;
    assert_int_equal(chat_channel_add(&tx, &third), -1);
    assert_int_equal(err.code, SOSIA_E_CONFLICT);
    err = (struct sosia_err){0};
}

/* ---- members ---- */

static void a_channel_counts_its_members_once(void **state)
{
    struct chat_member m;
    (void)state;
    assert_int_equal(chat_member_add(&tx, &general, bob.id, ada.id), 1);
    assert_int_equal(chat_member_add(&tx, &general, bob.id, ada.id), 0);
    assert_int_equal(channel_again(general.id).members, 2);
    assert_int_equal(chat_member_of(&tx, general.id, bob.id, &m), 1);
    assert_int_equal(m.read_us, 0);
    assert_int_equal(chat_member_remove(&tx, &general, bob.id, 0), 1);
    assert_int_equal(chat_member_remove(&tx, &general, bob.id, 0), 0);
    assert_int_equal(channel_again(general.id).members, 1);
    assert_int_equal(chat_member_of(&tx, general.id, bob.id, &m), 0);
}

static void a_channel_is_seen_by_its_kind_and_the_role(void **state)
{
    (void)state;
    assert_int_equal(chat_can_see(&tx, &general, &bob), 1);
    assert_int_equal(chat_can_see(&tx, &general, &eve), 0); /* a guest */
    assert_int_equal(chat_can_see(&tx, &closed, &bob), 0);
    join(&general, &eve);
    join(&closed, &bob);
    assert_int_equal(chat_can_see(&tx, &general, &eve), 1);
    assert_int_equal(chat_can_see(&tx, &closed, &bob), 1);
}

static void a_shared_channel_is_another_workspaces_too(void **state)
{
    struct chat_user other = user(&far, "bob", CHAT_MEMBER);
    struct chat_connect k = {.channel = general.id, .workspace = far.id, .since_s = 5};
    struct chat_channel ch = general, found;
    (void)state;
    assert_int_equal(chat_can_see(&tx, &general, &other), 0);
    assert_int_equal(chat_connected(&tx, acme.id, far.id), 0);
    ok(chat_connect_add(&tx, &k));
    assert_int_equal(chat_can_see(&tx, &general, &other), 1);
    assert_int_equal(chat_connected(&tx, acme.id, far.id), 1);
    assert_int_equal(chat_channel_find(&tx, far.id, general.key, &found), 1);
    join(&ch, &other);
    ok(chat_connect_end(&tx, &ch, far.id));
    assert_int_equal(chat_connected(&tx, acme.id, far.id), 0);
    assert_int_equal(channel_again(general.id).members, 1);
}

static void reading_goes_as_far_as_it_is_said(void **state)
{
    struct chat_message m = post("one");
    struct chat_member in;
    (void)state;
    assert_int_equal(chat_member_of(&tx, general.id, ada.id, &in), 1);
    ok(chat_member_read(&tx, in.id, m.ts_us));
    assert_int_equal(chat_member_of(&tx, general.id, ada.id, &in), 1);
    assert_int_equal(in.read_us, m.ts_us);
}

/* ---- messages ---- */

static void messages_of_one_instant_have_times_in_their_order(void **state)
{
    struct chat_message a = post("a"), b = post("b"), c = post("c");
    (void)state;
    assert_true(a.ts_us < b.ts_us && b.ts_us < c.ts_us);
    assert_true(a.id < b.id && b.id < c.id);
    assert_int_equal(chat_message_channel(b.id), general.id);
    struct chat_message found;
    assert_int_equal(chat_message_find(&tx, general.id, b.ts_us, &found), 1);
    assert_int_equal(found.id, b.id);
    assert_int_equal(chat_message_find(&tx, closed.id, b.ts_us, &found), 0);
    assert_int_equal(channel_again(general.id).last_us, c.ts_us);
}

static void a_message_keeps_what_it_was_given(void **state)
{
    struct chat_message m = {.user = ada.id,
                             .text = "x",
                             .blocks = "[1]",
                             .metadata = "{}",
                             .extra = "{\"a\":1}",
                             .format = "tags",
                             .subject = "Plan",
                             .importance = CHAT_URGENT};
    (void)state;
    ok(chat_post(&tx, &general, &m));
    struct chat_message r = again(m.id);
    assert_string_equal(r.blocks, "[1]");
    assert_string_equal(r.metadata, "{}");
    assert_string_equal(r.extra, "{\"a\":1}");
    assert_string_equal(r.format, "tags");
    assert_string_equal(r.subject, "Plan");
    assert_int_equal(r.importance, CHAT_URGENT);
    assert_null(r.attachments);
}

static void a_message_before_1970_or_behind_the_last_second_is_refused(void **state)
{
    struct chat_message m = {.user = ada.id, .text = "x", .ts_us = -1};
    (void)state;
    refused(chat_post(&tx, &general, &m), "time");
    m.ts_us = CHAT_LAST_INSTANT + 1;
    refused(chat_post(&tx, &general, &m), "time");
    m.ts_us = CHAT_LAST_INSTANT;
    ok(chat_post(&tx, &general, &m));
}

/* ---- threads ---- */

static void a_thread_counts_its_replies_and_who_wrote_them(void **state)
{
    struct chat_message root = post("one");
    (void)state;
    join(&general, &bob);
    post_in(&general, &bob, "two", root.id);
    struct chat_message last = post_in(&general, &bob, "three", root.id);
    struct chat_message r = again(root.id);
    assert_int_equal(r.thread, root.id);
    assert_int_equal(r.replies, 2);
    assert_int_equal(r.n_repliers, 1);
    assert_int_equal(r.latest_us, last.ts_us);
    assert_string_equal(r.repliers, arena_printf(tx.arena, "[\"%s\"]", bob.key));
    post_in(&general, &ada, "four", root.id);
    assert_int_equal(again(root.id).n_repliers, 2);
    /* What the channel shows ends with its own messages. */
    assert_int_equal(channel_again(general.id).last_us, root.ts_us);
}

static void a_thread_of_nothing_is_refused(void **state)
{
    struct chat_message m = {.user = ada.id, .text = "x", .thread = 77};
    (void)state;
    refused(chat_post(&tx, &general, &m), "thread");
}

struct seen {
    int64_t ids[16];
    size_t n, most;
};

static int see(void *arg, const struct chat_message *m, const struct record *row)
{
    struct seen *s = arg;
    (void)row;
    s->ids[s->n++] = m->id;
    return s->n == s->most;
}

static struct seen stretch(const struct chat_range *range, size_t most)
{
    struct seen s = {.most = most};
    ok(chat_messages(&tx, range, see, &s));
    return s;
}

static void a_stretch_has_what_the_channel_shows_within_its_bounds(void **state)
{
    struct chat_message a = post("a"), b = post("b"), c = post("c");
    struct chat_message reply = post_in(&general, &ada, "r", a.id);
    struct chat_message shown = {
        .user = ada.id, .text = "s", .thread = a.id, .flags = CHAT_BROADCAST};
    struct chat_range all = {.channel = general.id, .latest_us = CHAT_LAST_INSTANT};
    (void)state;
    ok(chat_post(&tx, &general, &shown));
    struct seen s = stretch(&all, 16);
    assert_int_equal(s.n, 4);
    assert_int_equal(s.ids[0], shown.id);
    assert_int_equal(s.ids[3], a.id);
    all.ascending = true;
    assert_int_equal(stretch(&all, 16).ids[0], a.id);
    assert_int_equal(stretch(&all, 2).n, 2);
    struct chat_range part = {
        .channel = general.id, .oldest_us = a.ts_us, .latest_us = c.ts_us, .ascending = true};
    s = stretch(&part, 16);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.ids[0], b.id);
    part.inclusive = true;
    assert_int_equal(stretch(&part, 16).n, 3);
    struct chat_range thread = {
        .channel = general.id, .thread = a.id, .latest_us = CHAT_LAST_INSTANT, .ascending = true};
    s = stretch(&thread, 16);
    assert_int_equal(s.n, 3);
    assert_int_equal(s.ids[0], a.id);
    assert_int_equal(s.ids[1], reply.id);
    thread.ascending = false;
    assert_int_equal(stretch(&thread, 16).ids[0], shown.id);
}

/* ---- deleting ---- */

static void a_message_that_goes_takes_what_hangs_on_it(void **state)
{
    struct chat_message m = post("one"), none;
    bool tombstone;
    (void)state;
    assert_int_equal(chat_react(&tx, &m, "eyes", &bob, 5), 1);
    assert_int_equal(chat_pin(&tx, &general, &m, ada.id, 5), 1);
    assert_int_equal(channel_again(general.id).pins, 1);
    int64_t id = m.id;
    ok(chat_message_delete(&tx, &general, &m, &tombstone));
    assert_false(tombstone);
    assert_int_equal(chat_message_get(&tx, id, &none), 0);
    assert_int_equal(channel_again(general.id).pins, 0);
    assert_int_equal(last_gone, vendor == &rich ? id : 0);
}

static void the_first_message_of_a_thread_leaves_a_stone_until_the_last_reply(void **state)
{
    struct chat_message root = post("one"), reply = post_in(&general, &ada, "two", root.id), none;
    bool tombstone;
    (void)state;
    root = again(root.id);
    ok(chat_message_delete(&tx, &general, &root, &tombstone));
    assert_true(tombstone);
    assert_int_equal(again(root.id).flags & CHAT_TOMBSTONE, CHAT_TOMBSTONE);
    assert_int_equal(again(root.id).replies, 1);
    reply = again(reply.id);
    ok(chat_message_delete(&tx, &general, &reply, &tombstone));
    assert_false(tombstone);
    assert_int_equal(chat_message_get(&tx, root.id, &none), 0);
}

static void a_thread_without_replies_is_a_message_again(void **state)
{
    struct chat_message root = post("one"), reply = post_in(&general, &bob, "two", root.id);
    bool tombstone;
    (void)state;
    reply = again(reply.id);
    ok(chat_message_delete(&tx, &general, &reply, &tombstone));
    root = again(root.id);
    assert_int_equal(root.thread, 0);
    assert_int_equal(root.replies, 0);
    assert_null(root.repliers);
}

/* ---- reactions and pins ---- */

static void a_reaction_is_a_persons_once(void **state)
{
    struct chat_message m = post("one");
    (void)state;
    assert_int_equal(chat_react(&tx, &m, "eyes", &ada, 5), 1);
    assert_int_equal(chat_react(&tx, &m, "eyes", &ada, 6), 0);
    assert_int_equal(chat_react(&tx, &m, "eyes", &bob, 6), 1);
    assert_int_equal(chat_react(&tx, &m, "wave", &bob, 7), 1);
    assert_string_equal(again(m.id).reactions,
                        arena_printf(tx.arena,
                                     "[{\"name\":\"eyes\",\"users\":[\"%s\",\"%s\"],\"count\":2},"
                                     "{\"name\":\"wave\",\"users\":[\"%s\"],\"count\":1}]",
                                     ada.key, bob.key, bob.key));
    assert_int_equal(chat_unreact(&tx, &m, "eyes", &ada), 1);
    assert_int_equal(chat_unreact(&tx, &m, "eyes", &ada), 0);
    assert_int_equal(chat_unreact(&tx, &m, "eyes", &bob), 1);
    assert_int_equal(chat_unreact(&tx, &m, "wave", &bob), 1);
    assert_null(again(m.id).reactions);
}

static void a_pin_is_a_messages_once(void **state)
{
    struct chat_message m = post("one");
    (void)state;
    assert_int_equal(chat_pin(&tx, &general, &m, bob.id, 9), 1);
    assert_int_equal(chat_pin(&tx, &general, &m, ada.id, 10), 0);
    assert_int_equal(again(m.id).pinned_by, bob.id);
    assert_int_equal(again(m.id).pinned_s, 9);
    assert_int_equal(chat_unpin(&tx, &general, &m, ada.id), 1);
    assert_int_equal(chat_unpin(&tx, &general, &m, ada.id), 0);
    assert_int_equal(again(m.id).pinned_by, 0);
    assert_int_equal(channel_again(general.id).pins, 0);
}

/* ---- search ---- */

/* The messages of the workspace that match, newest first. */
static struct seen search(const struct search *query)
{
    struct chat_asker asker = {.user = ada};
    struct search_ask ask = {.corpus = &chat_corpus,
                             .query = query,
                             .first = chat_place(acme.id, 0),
                             .last = chat_place(acme.id, CHAT_LAST_INSTANT),
                             .arg = &asker};
    struct seen s = {.n = 0};
    struct chat_message m;
    ok(search_settle(&tx));
    struct search_walk *walk = search_open(&tx, &ask);
    if (!walk)
        fail_msg("%s", err.text);
    for (int64_t at = ask.last; s.n < 16 && (at = search_next(walk, at)) != 0; at--) {
        assert_int_equal(chat_message_by_place(&tx, at, &m), 1);
        s.ids[s.n++] = m.id;
    }
    assert_false(search_failed(walk));
    return s;
}

static struct seen phrase(const char *text)
{
    return search(&(struct search){.kind = SEARCH_PHRASE, .fields = CHAT_FIELD_BODY, .text = text});
}

static void a_text_is_found_as_a_person_reads_it(void **state)
{
    struct chat_message m = post("the <b>red</b> <a x>door</a>");
    struct chat_message other = post("a blue door");
    (void)state;
    struct seen s = phrase("door");
    assert_int_equal(s.n, 2);
    assert_int_equal(s.ids[0], other.id);
    assert_int_equal(s.ids[1], m.id);
    assert_int_equal(phrase("red door").n, vendor == &rich ? 1 : 0);
    assert_int_equal(phrase("x").n, vendor == &rich ? 0 : 1);
    if (vendor == &rich)
        assert_string_equal(again(m.id).plain, "the red door");
    else
        assert_null(again(m.id).plain);
    assert_null(again(other.id).plain);
    struct search has = {.kind = SEARCH_HAS, .bits = CHAT_HAS_LINK};
    assert_int_equal(search(&has).n, vendor == &rich ? 1 : 0);
}

static void a_text_that_changes_is_found_by_its_new_words(void **state)
{
    struct chat_message m = post("the <b>red</b> door"), before = again(m.id), after = before;
    bool tombstone;
    (void)state;
    after.text = "a <i>green</i> gate";
    after.edited_us = m.ts_us + 1;
    ok(chat_message_save(&tx, &after, &before));
    assert_int_equal(phrase("door").n, 0);
    assert_int_equal(phrase("green gate").n, vendor == &rich ? 1 : 0);
    assert_int_equal(phrase("gate").n, 1);
    if (vendor == &rich)
        assert_string_equal(again(m.id).plain, "a green gate");
    before = after = again(m.id);
    after.text = "plain gate";
    ok(chat_message_save(&tx, &after, &before));
    assert_null(again(m.id).plain);
    assert_int_equal(phrase("green").n, 0);
    after = again(m.id);
    ok(chat_message_delete(&tx, &general, &after, &tombstone));
    assert_int_equal(phrase("gate").n, 0);
}

static void what_the_system_notes_is_not_found(void **state)
{
    struct chat_message m = {.user = ada.id, .text = "ada came in", .flags = CHAT_SYSTEM};
    (void)state;
    ok(chat_post(&tx, &general, &m));
    assert_int_equal(again(m.id).place, 0);
    assert_int_equal(phrase("came").n, 0);
}

static void questions_of_the_corpus_look_at_the_message(void **state)
{
    struct chat_message a = post("word one"), b = post_in(&closed, &bob, "word two", 0);
    struct search in = {.kind = CHAT_Q_IN, .id = closed.id};
    struct search from = {.kind = CHAT_Q_FROM, .id = ada.id};
    struct search pinned = {.kind = CHAT_Q_PINNED};
    struct search thread = {.kind = CHAT_Q_THREAD};
    struct search reacted = {.kind = CHAT_Q_REACTED, .text = "eyes", .id = bob.id};
    struct search is_saved = {.kind = CHAT_Q_SAVED, .id = ada.id};
    struct search begins = {.kind = CHAT_Q_BEGINS, .text = "word t"};
    (void)state;
    assert_int_equal(search(&in).ids[0], b.id);
    assert_int_equal(search(&in).n, 1);
    assert_int_equal(search(&from).ids[0], a.id);
    assert_int_equal(search(&from).n, 1);
    assert_int_equal(search(&begins).ids[0], b.id);
    assert_int_equal(search(&pinned).n, 0);
    assert_int_equal(chat_pin(&tx, &general, &a, ada.id, 5), 1);
    assert_int_equal(search(&pinned).ids[0], a.id);
    assert_int_equal(search(&thread).n, 0);
    post_in(&general, &bob, "reply", a.id);
    assert_int_equal(search(&thread).n, 2);
    assert_int_equal(search(&reacted).n, 0);
    assert_int_equal(chat_react(&tx, &b, "eyes", &ada, 5), 1);
    assert_int_equal(search(&reacted).n, 0);
    assert_int_equal(chat_react(&tx, &b, "eyes", &bob, 5), 1);
    assert_int_equal(search(&reacted).ids[0], b.id);
    saved_message = b.id;
    assert_int_equal(search(&is_saved).n, vendor == &rich ? 1 : 0);
}

/* ---- documents ---- */

static void seed(const char *doc)
{
    close_tx();
    err = (struct sosia_err){0};
    (void)sosia_world_seed(test_engine, test_world, doc, strlen(doc), "doc", &err);
    begin();
}

static void a_document_has_keys_of_the_vendor(void **state)
{
    (void)state;
    seed("{\"sosia\":1,\"workspaces\":[{\"id\":\"X123\",\"domain\":\"new\",\"members\":[]}]}");
    if (!strstr(err.text, vendor == &bare ? "begins with one of B" : "begins with one of R"))
        fail_msg("%s", err.text);
    err = (struct sosia_err){0};
    seed(
        vendor == &bare
            ? "{\"sosia\":1,\"workspaces\":[{\"id\":\"B123\",\"domain\":\"new\",\"members\":[]}]}"
            : "{\"sosia\":1,\"workspaces\":[{\"id\":\"R123\",\"domain\":\"new\",\"members\":[]}]}");
    assert_string_equal(err.text, "");
    struct chat_workspace w;
    assert_int_equal(chat_workspace_find(&tx, "new", &w), 1);
    assert_string_equal(w.key, vendor == &bare ? "B123" : "R123");
}

static void a_dump_has_what_a_message_says(void **state)
{
    struct chat_message m = {
        .user = ada.id, .text = "x", .format = "tags", .subject = "Plan", .importance = CHAT_HIGH};
    struct sosia_blob blob;
    (void)state;
    ok(chat_post(&tx, &general, &m));
    close_tx();
    ok(sosia_world_dump(test_engine, test_world, &blob, &err));
    uint64_t other = test_world_of(blob.data), was = test_world;
    sosia_blob_free(&blob);
    test_world = other;
    begin();
    struct chat_message r = again(m.id);
    assert_string_equal(r.format, "tags");
    assert_string_equal(r.subject, "Plan");
    assert_int_equal(r.importance, CHAT_HIGH);
    close_tx();
    test_world = was;
    begin();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_key_has_the_form_of_the_workspaces_vendor),
        BOTH(a_workspace_is_of_a_vendor_that_the_engine_has),
        BOTH(a_key_that_is_given_stays_and_is_the_workspaces_alone),
        BOTH(a_channel_counts_its_members_once),
        BOTH(a_channel_is_seen_by_its_kind_and_the_role),
        BOTH(a_shared_channel_is_another_workspaces_too),
        BOTH(reading_goes_as_far_as_it_is_said),
        BOTH(messages_of_one_instant_have_times_in_their_order),
        BOTH(a_message_keeps_what_it_was_given),
        BOTH(a_message_before_1970_or_behind_the_last_second_is_refused),
        BOTH(a_thread_counts_its_replies_and_who_wrote_them),
        BOTH(a_thread_of_nothing_is_refused),
        BOTH(a_stretch_has_what_the_channel_shows_within_its_bounds),
        BOTH(a_message_that_goes_takes_what_hangs_on_it),
        BOTH(the_first_message_of_a_thread_leaves_a_stone_until_the_last_reply),
        BOTH(a_thread_without_replies_is_a_message_again),
        BOTH(a_reaction_is_a_persons_once),
        BOTH(a_pin_is_a_messages_once),
        BOTH(a_text_is_found_as_a_person_reads_it),
        BOTH(a_text_that_changes_is_found_by_its_new_words),
        BOTH(what_the_system_notes_is_not_found),
        BOTH(questions_of_the_corpus_look_at_the_message),
        BOTH(a_document_has_keys_of_the_vendor),
        BOTH(a_dump_has_what_a_message_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

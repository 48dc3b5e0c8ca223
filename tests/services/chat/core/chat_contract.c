/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the chat core promises, without a dialect: C calls on workspaces, channels, members,
 * messages, reactions, pins, reading and search. Everything runs once for each of two vendors: one
 * that says no more than it must, and one that writes in tags, keeps things beside messages and
 * lets people save them.
 */
#include "engine/state/stored.h"
#include "engine/search/index.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

static struct chat_channel direct_one(void)
{
    return (struct chat_channel){.workspace = acme.id,
                                 .kind = CHAT_DIRECT,
                                 .pair = "1,2",
                                 .topic = "",
                                 .purpose = "",
                                 .posting = "all",
                                 .previous_names = "[]"};
}

/* ---- keys ---- */

static void a_key_has_the_form_of_the_workspaces_vendor(void **state)
{
    struct chat_user other = user(&far, "ada", CHAT_OWNER);
    struct chat_channel there = channel(&far, CHAT_PUBLIC, "general");
    struct chat_channel direct = direct_one();
    (void)state;
    ok(chat_channel_add(&tx, &direct));
    beyond_documents = true; /* nobody is in it */
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
    beyond_documents = true;
    ch.workspace = far.id;
    ch.id = 0;
    ok(chat_channel_add(&tx, &ch));
    struct chat_channel third = ch;
    third.id = 0;
    assert_int_equal(chat_channel_add(&tx, &third), -1);
    assert_int_equal(fault.code, SOSIA_E_CONFLICT);
    fault = (struct sosia_err){0};
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
    begin_try();
    refused(chat_post(&tx, &general, &m), "thread");
    end_try();
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
        fail_msg("%s", fault.text);
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
    fault = (struct sosia_err){0};
    (void)sosia_world_seed(test_engine, test_world, doc, strlen(doc), "doc", &fault);
    begin();
}

static void a_document_has_keys_of_the_vendor(void **state)
{
    (void)state;
    seed("{\"sosia\":1,\"workspaces\":[{\"id\":\"X123\",\"domain\":\"new\",\"members\":[]}]}");
    if (!strstr(fault.text, vendor == &bare ? "begins with one of B" : "begins with one of R"))
        fail_msg("%s", fault.text);
    fault = (struct sosia_err){0};
    seed(
        vendor == &bare
            ? "{\"sosia\":1,\"workspaces\":[{\"id\":\"B123\",\"domain\":\"new\",\"members\":[]}]}"
            : "{\"sosia\":1,\"workspaces\":[{\"id\":\"R123\",\"domain\":\"new\",\"members\":[]}]}");
    assert_string_equal(fault.text, "");
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
    ok(sosia_world_dump(test_engine, test_world, &blob, &fault));
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

/* ---- events ---- */

/* The newest event, which is of this kind and operation. */
static const struct chat_change *newest(const char *kind, enum event_operation op, int64_t scope,
                                        int64_t entity)
{
    const struct world_event *e = tx.last_event;
    assert_non_null(e);
    assert_string_equal(e->kind, kind);
    assert_int_equal(e->operation, op);
    assert_int_equal(e->scope, scope);
    assert_int_equal(e->entity, entity);
    return e->detail;
}

static void every_change_is_an_event(void **state)
{
    struct chat_message root = post("one"), m;
    bool tombstone;
    (void)state;
    assert_int_equal(newest(CHAT_EV_MESSAGE, OP_ADDED, general.id, root.id)->user, ada.id);
    assert_int_equal(chat_react(&tx, &root, "eyes", &bob, 5), 1);
    const struct chat_change *c = newest(CHAT_EV_REACTION, OP_ADDED, general.id, root.id);
    assert_int_equal(c->user, bob.id);
    assert_string_equal(c->name, "eyes");
    assert_int_equal(chat_unreact(&tx, &root, "eyes", &bob), 1);
    newest(CHAT_EV_REACTION, OP_REMOVED, general.id, root.id);
    assert_int_equal(chat_pin(&tx, &general, &root, bob.id, 9), 1);
    assert_int_equal(newest(CHAT_EV_PIN, OP_ADDED, general.id, root.id)->user, bob.id);
    assert_int_equal(general.pins, 1);
    assert_int_equal(chat_unpin(&tx, &general, &root, ada.id), 1);
    assert_int_equal(newest(CHAT_EV_PIN, OP_REMOVED, general.id, root.id)->user, ada.id);
    assert_int_equal(general.pins, 0);
    m = root;
    m.text = "two";
    ok(chat_message_save(&tx, &m, &root));
    c = newest(CHAT_EV_MESSAGE, OP_CHANGED, general.id, root.id);
    assert_string_equal(c->before.text, "one");
    assert_string_equal(c->message.text, "two");
    m = again(root.id);
    ok(chat_message_delete(&tx, &general, &m, &tombstone));
    c = newest(CHAT_EV_MESSAGE, OP_REMOVED, general.id, root.id);
    assert_string_equal(c->before.text, "two");
    assert_int_equal(c->user, ada.id);
    assert_int_equal(chat_member_add(&tx, &general, bob.id, ada.id), 1);
    c = newest(CHAT_EV_MEMBER, OP_ADDED, general.id, bob.id);
    assert_int_equal(c->user, bob.id);
    assert_int_equal(c->by, ada.id);
    assert_int_equal(chat_member_remove(&tx, &general, bob.id, ada.id), 1);
    c = newest(CHAT_EV_MEMBER, OP_REMOVED, general.id, bob.id);
    assert_int_equal(c->by, ada.id);
    assert_int_equal(general.members, 1);
    ok(chat_channel_save(&tx, &general, (const char *const[]){"topic", NULL}));
    newest(CHAT_EV_CHANNEL, OP_CHANGED, acme.id, general.id);
    assert_string_equal(tx.last_event->members[0], "topic");
    ok(chat_user_save(&tx, &bob, (const char *const[]){"name", NULL}));
    newest(CHAT_EV_USER, OP_CHANGED, acme.id, bob.id);
    struct chat_channel ch = channel(&acme, CHAT_PUBLIC, "new");
    newest(CHAT_EV_CHANNEL, OP_ADDED, acme.id, ch.id);
}

static void a_member_shows_the_channel_or_not(void **state)
{
    struct chat_member m;
    (void)state;
    ok(chat_member_open(&tx, general.id, ada.id, false));
    newest(CHAT_EV_MEMBER, OP_CHANGED, general.id, ada.id);
    assert_string_equal(tx.last_event->members[0], "closed");
    assert_int_equal(chat_member_of(&tx, general.id, ada.id, &m), 1);
    assert_false(m.open);
    ok(chat_member_open(&tx, general.id, ada.id, true));
    assert_string_equal(tx.last_event->members[0], "open");
    assert_int_equal(chat_member_of(&tx, general.id, ada.id, &m), 1);
    assert_true(m.open);
    assert_false(m.muted);
}

/* ---- from the pages ---- */

static void next_tx(void)
{
    close_tx();
    begin();
}

static void a_stretch_of(const struct chat_range *range, size_t n, int64_t first, int64_t last)
{
    struct seen s = stretch(range, 16);
    assert_int_equal(s.n, n);
    assert_int_equal(s.ids[0], first);
    assert_int_equal(s.ids[n - 1], last);
}

static void what_is_committed_reads_as_what_is_not(void **state)
{
    struct chat_message a = post("a"), b = post("b"), c = post("c");
    struct chat_message reply = post_in(&general, &ada, "r", a.id),
                        inner = post_in(&closed, &ada, "x", 0);
    struct chat_message late = {.user = ada.id, .text = "l", .ts_us = c.ts_us + 5000000};
    struct chat_range all = {.channel = general.id, .latest_us = CHAT_LAST_INSTANT};
    ok(chat_post(&tx, &general, &late));
    next_tx();
    a_stretch_of(&all, 4, late.id, a.id);
    (void)state;
    struct seen s = stretch(&all, 2);
    assert_int_equal(s.n, 2);
    assert_int_equal(s.ids[1], c.id);
    all.ascending = true;
    a_stretch_of(&all, 4, a.id, late.id);
    struct chat_range part = {.channel = general.id, .oldest_us = b.ts_us, .latest_us = late.ts_us};
    a_stretch_of(&part, 1, c.id, c.id);
    part.inclusive = true;
    a_stretch_of(&part, 3, late.id, b.id);
    struct chat_range thread = {
        .channel = general.id, .thread = a.id, .latest_us = CHAT_LAST_INSTANT, .ascending = true};
    a_stretch_of(&thread, 2, a.id, reply.id);
    assert_int_equal(stretch(&thread, 1).n, 1);
    thread.latest_us = a.ts_us;
    thread.inclusive = true;
    a_stretch_of(&thread, 1, a.id, a.id);
    thread.ascending = false;
    a_stretch_of(&thread, 1, a.id, a.id);
    struct chat_range other = {.channel = closed.id, .latest_us = CHAT_LAST_INSTANT};
    a_stretch_of(&other, 1, inner.id, inner.id);
}

static void a_world_that_is_imported_finds_its_messages(void **state)
{
    struct chat_message m = post("the <b>red</b> door"), n = post("blue");
    uint64_t was = test_world, other;
    (void)state;
    close_tx();
    ok(test_import_changed(NULL, &other));
    test_world = other;
    begin();
    struct seen s = phrase("red door");
    assert_int_equal(s.n, vendor == &rich ? 1 : 0);
    if (s.n)
        assert_int_equal(s.ids[0], m.id);
    assert_int_equal(phrase("blue").ids[0], n.id);
    assert_int_equal(search(&(struct search){.kind = CHAT_Q_FROM, .id = ada.id}).n, 2);
    assert_int_equal(search(&(struct search){.kind = CHAT_Q_IN, .id = closed.id}).n, 0);
    close_tx();
    test_world = was;
    begin();
}

/* What names an entity's row in a diff. */
static const char *key_of(const char *entity, int64_t id)
{
    static const struct sosia_core *const all[] = {&chat_core, &chat_channel_core,
                                                   &chat_message_core};
    struct buf b;
    struct json_writer w;
    const char *text = NULL;
    buf_init(&b, 0);
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        for (size_t k = 0; k < all[i]->n_entities; k++)
            if (strcmp(all[i]->entities[k].name, entity) == 0) {
                json_init(&w, &b, false, NULL);
                json_obj(&w, NULL);
                assert_true(entity_key(&tx, &all[i]->entities[k], id, &w) >= 0);
                json_end(&w);
                text = arena_strdup(tx.arena, buf_str(&b));
            }
    buf_done(&b);
    return text;
}

static void entities_are_named_by_what_people_see(void **state)
{
    struct chat_message m = {.user = ada.id, .text = "x", .ts_us = INT64_C(1773301243651609)};
    struct chat_connect k = {.channel = general.id, .workspace = far.id};
    (void)state;
    ok(chat_post(&tx, &general, &m));
    ok(chat_connect_add(&tx, &k));
    assert_int_equal(chat_connect_of(&tx, general.id, far.id, &k), 1);
    assert_string_equal(
        key_of("chatMessage", m.id),
        arena_printf(tx.arena, "{\"id\":\"%s\",\"ts\":\"1773301243.651609\"}", general.key));
    assert_string_equal(key_of("channel", closed.id),
                        arena_printf(tx.arena, "{\"id\":\"%s\"}", closed.key));
    assert_string_equal(key_of("chatMember", bob.id),
                        arena_printf(tx.arena, "{\"id\":\"%s\"}", bob.key));
    assert_string_equal(key_of("workspace", far.id),
                        arena_printf(tx.arena, "{\"id\":\"%s\"}", far.key));
    assert_string_equal(
        key_of("sharedChannel", k.id),
        arena_printf(tx.arena, "{\"channel\":\"%s\",\"with\":\"%s\"}", general.key, far.key));
}

static void a_direct_message_is_to_the_others(void **state)
{
    struct chat_channel direct = direct_one();
    struct search to = {.kind = CHAT_Q_TO, .id = bob.id};
    (void)state;
    ok(chat_channel_add(&tx, &direct));
    join(&direct, &ada);
    join(&direct, &bob);
    join(&general, &bob);
    post("all");
    struct chat_message m = post_in(&direct, &ada, "you", 0);
    post_in(&direct, &bob, "me", 0);
    struct seen s = search(&to);
    assert_int_equal(s.n, 1);
    assert_int_equal(s.ids[0], m.id);
    to.id = eve.id;
    assert_int_equal(search(&to).n, 0);
}

static void a_file_has_reactions(void **state)
{
    const char *text;
    (void)state;
    assert_int_equal(chat_file_react(&tx, 7, "eyes", &bob, 5), 1);
    assert_int_equal(chat_file_react(&tx, 7, "eyes", &bob, 6), 0);
    assert_int_equal(chat_file_react(&tx, 8, "wave", &bob, 6), 1);
    ok(chat_file_reactions(&tx, 7, &text));
    assert_string_equal(
        text,
        arena_printf(tx.arena, "[{\"name\":\"eyes\",\"users\":[\"%s\"],\"count\":1}]", bob.key));
    assert_int_equal(chat_file_unreact(&tx, 7, "eyes", &ada), 0);
    assert_int_equal(chat_file_unreact(&tx, 7, "eyes", &bob), 1);
    ok(chat_file_reactions(&tx, 7, &text));
    assert_null(text);
}

static void a_thread_lists_five_who_replied(void **state)
{
    struct chat_message root = post("one");
    const char *keys = "";
    (void)state;
    beyond_documents = true; /* an actor is several members */
    for (int i = 0; i < 6; i++) {
        struct chat_user u = bob;
        u.key = NULL;
        ok(chat_user_add(&tx, &u));
        post_in(&general, &u, "re", root.id);
        if (i < 5)
            keys = arena_printf(tx.arena, "%s%s\"%s\"", keys, i ? "," : "", u.key);
    }
    assert_int_equal(again(root.id).n_repliers, 6);
    assert_string_equal(again(root.id).repliers, arena_printf(tx.arena, "[%s]", keys));
    assert_int_equal(general.last_us, root.ts_us);
    struct chat_message old = {.user = ada.id, .text = "old", .ts_us = root.ts_us - 5000000};
    ok(chat_post(&tx, &general, &old));
    assert_int_equal(general.last_us, root.ts_us);
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
        BOTH(every_change_is_an_event),
        BOTH(a_member_shows_the_channel_or_not),
        BOTH(what_is_committed_reads_as_what_is_not),
        BOTH(a_world_that_is_imported_finds_its_messages),
        BOTH(entities_are_named_by_what_people_see),
        BOTH(a_direct_message_is_to_the_others),
        BOTH(a_file_has_reactions),
        BOTH(a_thread_lists_five_who_replied),
        BOTH(a_dump_has_what_a_message_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

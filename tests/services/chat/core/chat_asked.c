/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked of the chat core's rows: counts, names and lists, who meets whom, teams without an
 * owner, who may have seen a message, questions of the index, and seconds that are full. Once for
 * each of two vendors.
 */
#include "engine/search/index.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"

/* ---- set-up ---- */

static struct chat_channel direct(const struct chat_user *a, const struct chat_user *b)
{
    int64_t users[] = {a->id, b->id};
    struct chat_channel ch = {.workspace = acme.id,
                              .kind = CHAT_DIRECT,
                              .pair = chat_pair(&tx, users, 2),
                              .topic = "",
                              .purpose = "",
                              .posting = "all",
                              .previous_names = "[]"};
    ok(chat_channel_add(&tx, &ch));
    join(&ch, a);
    join(&ch, b);
    return ch;
}

static void share(const struct chat_channel *ch, const struct chat_workspace *with)
{
    ok(chat_connect_add(
        &tx, &(struct chat_connect){.channel = ch->id, .workspace = with->id, .since_s = 5}));
}

/* ---- people ---- */

static void people_meet_in_channels(void **state)
{
    (void)state;
    assert_int_equal(chat_users_meet(&tx, ada.id, bob.id), 0);
    assert_int_equal(chat_user_has_channel(&tx, bob.id), 0);
    direct(&bob, &eve);
    assert_int_equal(chat_users_meet(&tx, bob.id, eve.id), 1);
    assert_int_equal(chat_users_meet(&tx, ada.id, eve.id), 0);
    assert_int_equal(chat_user_has_channel(&tx, bob.id), 0); /* a direct one is none */
    join(&closed, &bob);
    assert_int_equal(chat_users_meet(&tx, bob.id, ada.id), 1);
    assert_int_equal(chat_user_has_channel(&tx, bob.id), 1);
}

static void people_are_found_by_their_names(void **state)
{
    struct chat_user u = bob, found;
    (void)state;
    u.display_name = "Bobby", u.real_name = "Robert";
    ok(chat_user_save(&tx, &u, NULL));
    assert_int_equal(chat_user_by_full_name(&tx, acme.id, "BOBBY", &found), 1);
    assert_int_equal(found.id, bob.id);
    assert_int_equal(chat_user_by_full_name(&tx, acme.id, "robert", &found), 1);
    assert_int_equal(chat_user_by_full_name(&tx, acme.id, "bob", &found), 0);
    assert_int_equal(chat_user_by_full_name(&tx, far.id, "robert", &found), 0);
    struct chat_user other = user(&far, "bob", CHAT_MEMBER);
    assert_int_equal(chat_user_sharing(&tx, general.id, other.key, &found), 0);
    share(&general, &far);
    assert_int_equal(chat_user_sharing(&tx, general.id, other.key, &found), 1);
    assert_int_equal(found.id, other.id);
    assert_int_equal(chat_user_sharing(&tx, closed.id, other.key, &found), 0);
    assert_int_equal(chat_user_sharing(&tx, general.id, bob.key, &found), 0);
}

static void an_actor_is_a_user_of_a_vendors_workspace(void **state)
{
    const struct chat_vendor *other = vendor == &bare ? &rich : &bare;
    struct chat_workspace w;
    struct chat_user u;
    (void)state;
    assert_int_equal(chat_workspace_next(&tx, vendor, 0, &w), 1);
    assert_int_equal(w.id, acme.id);
    assert_int_equal(chat_workspace_next(&tx, vendor, acme.id, &w), 0);
    assert_int_equal(chat_workspace_next(&tx, other, 0, &w), 1);
    assert_int_equal(w.id, far.id);
    assert_true(far.id >= CHAT_OTHERS && acme.id < CHAT_OTHERS && far.id < CHAT_WORKSPACES);
    assert_int_equal(chat_user_at(&tx, vendor, bob.actor, &u), 1);
    assert_int_equal(u.id, bob.id);
    assert_int_equal(chat_user_at(&tx, other, bob.actor, &u), 0);
    struct chat_user there = user(&far, "bob", CHAT_MEMBER);
    assert_int_equal(chat_user_at(&tx, other, bob.actor, &u), 1);
    assert_int_equal(u.id, there.id);
    assert_int_equal(chat_user_at(&tx, vendor, bob.actor, &u), 1);
    assert_int_equal(u.id, bob.id);
    assert_int_equal(chat_user_at(&tx, vendor, 999, &u), 0);
    /* Whose rules hold: of channels and messages those of their workspace. */
    const char *is = "?";
    struct chat_channel ch = channel(&far, CHAT_PUBLIC, "there");
    const struct chat_message m = post_in(&ch, &there, "x", 0);
    assert_int_equal(chat_channel_vendor(&tx, ch.id, &is), 1);
    assert_string_equal(is, "other");
    assert_int_equal(chat_message_vendor(&tx, m.id, &is), 1);
    assert_string_equal(is, "other");
    assert_int_equal(chat_channel_vendor(&tx, general.id, &is), 1);
    assert_string_equal(is, "first");
    assert_int_equal(chat_channel_vendor(&tx, 77777, &is), 0);
    assert_ptr_equal(chat_vendor_of(&tx, far.id), other);
    assert_ptr_equal(chat_vendor_of(&tx, acme.id), vendor);
    assert_ptr_equal(chat_vendor_of(&tx, 0), vendor);
    assert_ptr_equal(chat_vendor_of(&tx, far.id + 1), vendor);
    assert_ptr_equal(chat_vendor_named(&tx, "other"), other);
    assert_null(chat_vendor_named(&tx, "nobody"));
}

/* ---- channels ---- */

static void channels_are_asked_for(void **state)
{
    struct chat_channel ch, all = {.workspace = acme.id,
                                   .name = "everybody",
                                   .topic = "",
                                   .purpose = "",
                                   .posting = "all",
                                   .previous_names = "[]",
                                   .properties = "{\"a\":1}",
                                   .general = true};
    int64_t users[] = {bob.id, ada.id, bob.id}, two[] = {ada.id, bob.id};
    (void)state;
    assert_int_equal(chat_channel_general(&tx, acme.id, &ch), 0);
    ok(chat_channel_add(&tx, &all));
    assert_int_equal(chat_channel_general(&tx, acme.id, &ch), 1);
    assert_int_equal(ch.id, all.id);
    assert_int_equal(chat_channel_general(&tx, far.id, &ch), 0);
    ok(chat_channel_set_properties(&tx, all.id, "{\"b\":2}"));
    assert_string_equal(channel_again(all.id).properties, "{\"b\":2}");
    /* A pair is who is in it, each once, in whatever order. */
    assert_string_equal(chat_pair(&tx, users, 3), chat_pair(&tx, two, 2));
    const struct chat_channel pair = direct(&ada, &bob);
    assert_int_equal(chat_channel_by_pair(&tx, acme.id, chat_pair(&tx, two, 2), &ch), 1);
    assert_int_equal(ch.id, pair.id);
    assert_int_equal(chat_channel_by_pair(&tx, far.id, chat_pair(&tx, two, 2), &ch), 0);
    assert_int_equal(chat_channel_by_pair(&tx, acme.id, chat_pair(&tx, two, 1), &ch), 0);
}

static void two_workspaces_have_channels_together(void **state)
{
    struct chat_channel theirs = channel(&far, CHAT_PRIVATE, "theirs");
    int64_t n, s, id, with;
    (void)state;
    assert_int_equal(chat_channel_is_shared(&tx, general.id), 0);
    assert_int_equal(chat_connect_between(&tx, acme.id, far.id, &id, &with), 0);
    ok(chat_active_between(&tx, acme.id, far.id, &s));
    assert_int_equal(s, 0);
    share(&general, &far);
    assert_int_equal(chat_channel_is_shared(&tx, general.id), 1);
    assert_int_equal(chat_channel_is_shared(&tx, closed.id), 0);
    share(&theirs, &acme);
    for (int turned = 0; turned < 2; turned++) {
        const int64_t a = turned ? far.id : acme.id, b = turned ? acme.id : far.id;
        ok(chat_channels_between(&tx, CHAT_PUBLIC, a, b, &n));
        assert_int_equal(n, 1);
        ok(chat_channels_between(&tx, CHAT_PRIVATE, a, b, &n));
        assert_int_equal(n, 1);
        ok(chat_channels_between(&tx, CHAT_DIRECT, a, b, &n));
        assert_int_equal(n, 0);
        assert_int_equal(chat_connect_between(&tx, a, b, &id, &with), 1);
        assert_int_equal(id, general.id);
        assert_int_equal(with, far.id);
    }
    ok(chat_channels_between(&tx, CHAT_PUBLIC, acme.id, acme.id, &n));
    assert_int_equal(n, 1);
    post("now");
    ok(chat_active_between(&tx, far.id, acme.id, &s));
    assert_int_equal(s, tx.now_us / 1000000);
}

/* ---- messages ---- */

static void messages_are_counted_from_a_time_on(void **state)
{
    struct chat_message first = post("1"), reply, second;
    int64_t n, id;
    (void)state;
    ok(chat_messages_since(&tx, general.id, 0, &n));
    assert_int_equal(n, 1);
    ok(chat_messages_since(&tx, general.id, first.ts_us, &n));
    assert_int_equal(n, 0);
    ok(chat_messages_since(&tx, general.id, first.ts_us - 1, &n));
    assert_int_equal(n, 1);
    reply = post_in(&general, &ada, "reply", first.id);
    ok(chat_messages_since(&tx, general.id, 0, &n));
    assert_int_equal(n, 1); /* a reply is the thread's */
    reply.flags |= CHAT_BROADCAST;
    ok(chat_message_save(&tx, &reply, NULL));
    ok(chat_messages_since(&tx, general.id, 0, &n));
    assert_int_equal(n, 2);
    join(&closed, &bob);
    post_in(&closed, &bob, "elsewhere", 0);
    ok(chat_messages_since(&tx, general.id, 0, &n));
    assert_int_equal(n, 2);
    second = (struct chat_message){.user = ada.id, .text = "t", .client = "c-1"};
    assert_int_equal(chat_client_known(&tx, "c-1"), 0);
    ok(chat_post(&tx, &general, &second));
    assert_int_equal(chat_client_known(&tx, "c-1"), 1);
    assert_int_equal(chat_message_at_place(&tx, second.place, &id), 1);
    assert_int_equal(id, second.id);
    assert_int_equal(chat_message_at_place(&tx, second.place + 1000, &id), 0);
    struct chat_message by_place;
    assert_int_equal(chat_message_by_place(&tx, second.place, &by_place), 1);
    assert_int_equal(by_place.id, second.id);
    assert_int_equal(chat_message_by_place(&tx, second.place + 1000, &by_place), 0);
}

/* An id has room for so many messages of a second; then the next one has them. */
static void a_second_that_is_full_goes_on_in_the_next(void **state)
{
    enum { MOST = 1 << CHAT_SEQ_BITS };
    const int64_t at = INT64_C(1700000000) * 1000000;
    struct chat_message m = {.user = 0}, last;
    (void)state;
    for (int i = 0; i < MOST; i++) {
        m = (struct chat_message){.user = ada.id, .text = "x", .ts_us = at};
        ok(chat_post(&tx, &general, &m));
        assert_int_equal(m.ts_us, at + i);
        assert_int_equal(m.id, chat_message_at(general.id, at) + i);
    }
    last = (struct chat_message){.user = ada.id, .text = "x", .ts_us = at};
    ok(chat_post(&tx, &general, &last));
    assert_int_equal(last.ts_us, at + 1000000);
    assert_int_equal(last.id, chat_message_at(general.id, at + 1000000));
    /* The last microsecond of a second is followed by the next one's first. */
    m = (struct chat_message){.user = ada.id, .text = "x", .ts_us = at + 2999999};
    ok(chat_post(&tx, &general, &m));
    assert_int_equal(m.ts_us, at + 2999999);
    m.id = 0, m.ts_us = at + 2999999;
    ok(chat_post(&tx, &general, &m));
    assert_int_equal(m.ts_us, at + 3000000);
    assert_int_equal(m.id, chat_message_at(general.id, at + 3000000));
    /* The last of all has none behind it. */
    m = (struct chat_message){.user = ada.id, .text = "x", .ts_us = CHAT_LAST_INSTANT};
    ok(chat_post(&tx, &general, &m));
    m = (struct chat_message){.user = ada.id, .text = "x", .ts_us = CHAT_LAST_INSTANT};
    refused(chat_post(&tx, &general, &m), "time");
    m = (struct chat_message){.user = ada.id, .text = "x", .ts_us = -1};
    refused(chat_post(&tx, &general, &m), "time");
}

/* What the last event of a message says of it. */
static const struct chat_change *last_change_of(int64_t message, enum event_operation op)
{
    const struct world_event *found = NULL;
    for (const struct world_event *e = tx.events; e; e = e->next)
        if (strcmp(e->kind, CHAT_EV_MESSAGE) == 0 && e->entity == message && e->operation == op)
            found = e;
    assert_non_null(found);
    return found->detail;
}

static void an_event_has_what_a_message_was_before(void **state)
{
    struct chat_message root = post("root"), one = post_in(&general, &ada, "1", root.id),
                        two = post_in(&general, &ada, "2", root.id);
    const struct chat_change *c = last_change_of(root.id, OP_CHANGED);
    bool stone;
    (void)state;
    assert_int_equal(c->before.replies, 1);
    assert_int_equal(c->message.replies, 2);
    ok(chat_message_delete(&tx, &general, &two, &stone));
    assert_false(stone);
    c = last_change_of(root.id, OP_CHANGED);
    assert_int_equal(c->before.replies, 2);
    assert_int_equal(c->before.latest_us, two.ts_us);
    assert_int_equal(c->message.replies, 1);
    assert_int_equal(c->message.n_repliers, 1);
    assert_int_equal(c->message.latest_us, one.ts_us);
    c = last_change_of(two.id, OP_REMOVED);
    assert_string_equal(c->before.text, "2");
    assert_int_equal(c->user, ada.id);
    root = again(root.id);
    ok(chat_message_delete(&tx, &general, &root, &stone));
    assert_true(stone);
    c = last_change_of(root.id, OP_CHANGED);
    assert_string_equal(c->before.text, "root");
    assert_string_equal(c->message.subtype, "tombstone");
    assert_int_equal(c->message.replies, 1);
}

/* ---- reactions and pins ---- */

static void reactions_and_pins_are_listed(void **state)
{
    struct chat_message a = post("a"), b = post("b");
    int64_t n;
    (void)state;
    join(&general, &bob);
    assert_int_equal(chat_react(&tx, &a, "one", &ada, 10), 1);
    assert_int_equal(chat_react(&tx, &a, "one", &bob, 11), 1);
    assert_int_equal(chat_react(&tx, &a, "two", &bob, 12), 1);
    assert_int_equal(chat_react(&tx, &b, "two", &bob, 9), 1);
    assert_int_equal(chat_file_react(&tx, 7, "two", &bob, 11), 1);
    ok(chat_reaction_names(&tx, a.id, "one", &n));
    assert_int_equal(n, 1);
    ok(chat_reaction_names(&tx, a.id, "other", &n));
    assert_int_equal(n, 2);
    ok(chat_reactions_by(&tx, a.id, bob.id, &n));
    assert_int_equal(n, 2);
    ok(chat_reactions_by(&tx, b.id, ada.id, &n));
    assert_int_equal(n, 0);
    sqlite3_stmt *st = chat_reactions_to(&tx, a.id);
    static const char *const names[] = {"one", "one", "two"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(TX_STEP(&tx, st), 1);
        assert_string_equal((const char *)sqlite3_column_text(st, 0), names[i]);
        assert_int_equal(sqlite3_column_int64(st, 1), i ? bob.id : ada.id);
        assert_int_equal(sqlite3_column_int64(st, 2), 10 + i);
    }
    assert_int_equal(TX_STEP(&tx, st), 0);
    st = chat_reacted_to(&tx, bob.id); /* a at 12, the file at 11, b at 9 */
    const int64_t messages[] = {a.id, 0, b.id};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(TX_STEP(&tx, st), 1);
        assert_int_equal(sqlite3_column_int64(st, 0), messages[i]);
        assert_int_equal(sqlite3_column_int64(st, 1), i == 1 ? 7 : 0);
    }
    assert_int_equal(TX_STEP(&tx, st), 0);
    const char *of_file;
    ok(chat_file_reactions(&tx, 7, &of_file));
    assert_non_null(of_file);
    ok(chat_file_reactions_drop(&tx, 7));
    ok(chat_file_reactions(&tx, 7, &of_file));
    assert_true(!of_file || !strstr(of_file, "two"));
    assert_int_equal(chat_pin(&tx, &general, &a, ada.id, 20), 1);
    assert_int_equal(chat_pin(&tx, &general, &b, bob.id, 21), 1);
    struct chat_pinned *pins;
    size_t n_pins;
    ok(chat_pins(&tx, general.id, &pins, &n_pins));
    assert_int_equal(n_pins, 2);
    for (size_t i = 0; i < n_pins; i++) {
        assert_int_equal(pins[i].message, i ? a.id : b.id);
        assert_int_equal(pins[i].user, i ? ada.id : bob.id);
        assert_int_equal(pins[i].at_s, i ? 20 : 21);
    }
}

/* ---- teams ---- */

static struct chat_channel team_channel(const struct chat_team *t, enum chat_kind kind,
                                        const char *name, bool everybody)
{
    struct chat_channel ch = {.workspace = acme.id,
                              .kind = kind,
                              .name = name,
                              .topic = "",
                              .purpose = "",
                              .posting = "all",
                              .previous_names = "[]",
                              .team = t->id,
                              .general = everybody};
    ok(chat_channel_add(&tx, &ch));
    return ch;
}

static void a_team_is_asked_for_its_channels_and_owners(void **state)
{
    struct chat_team t = {.workspace = acme.id, .name = "red", .description = ""};
    struct chat_channel ch;
    (void)state;
    beyond_documents = vendor == &bare;
    ok(chat_team_add(&tx, &t));
    assert_int_equal(chat_team_general(&tx, t.id, &ch), 0);
    struct chat_channel first = team_channel(&t, CHAT_PUBLIC, "First", true),
                        second = team_channel(&t, CHAT_PUBLIC, "second", false);
    assert_int_equal(chat_team_general(&tx, t.id, &ch), 1);
    assert_int_equal(ch.id, first.id);
    assert_int_equal(chat_team_has_channel(&tx, t.id, "FIRST", 0), 1);
    assert_int_equal(chat_team_has_channel(&tx, t.id, "first", first.id), 0);
    assert_int_equal(chat_team_has_channel(&tx, t.id, "first", second.id), 1);
    assert_int_equal(chat_team_has_channel(&tx, t.id, "general", 0), 0);
    assert_int_equal(chat_team_has_owner(&tx, t.id, 0), 0);
    struct chat_team_member m = {t.id, ada.id, CHAT_PART_OWNER};
    assert_int_equal(chat_team_member_set(&tx, &m), 1);
    m = (struct chat_team_member){t.id, bob.id, CHAT_PART_GUEST};
    assert_int_equal(chat_team_member_set(&tx, &m), 1);
    assert_int_equal(chat_team_has_owner(&tx, t.id, 0), 1);
    assert_int_equal(chat_team_has_owner(&tx, t.id, ada.id), 0);
    assert_int_equal(chat_team_has_owner(&tx, t.id, bob.id), 1);
}

static void who_leaves_a_team_leaves_its_channels(void **state)
{
    struct chat_team t = {.workspace = acme.id, .name = "red", .description = ""};
    struct chat_member m;
    (void)state;
    beyond_documents = vendor == &bare;
    ok(chat_team_add(&tx, &t));
    struct chat_channel open = team_channel(&t, CHAT_PUBLIC, "open", false),
                        own = team_channel(&t, CHAT_PRIVATE, "own", false),
                        other = team_channel(&t, CHAT_PRIVATE, "other", false);
    const struct chat_user *all[] = {&ada, &bob, &eve};
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        struct chat_team_member in = {t.id, all[i]->id, CHAT_PART_MEMBER};
        assert_int_equal(chat_team_member_set(&tx, &in), 1);
        join(&open, all[i]);
        join(&own, all[i]);
        if (i)
            join(&other, all[i]);
    }
    ok(chat_member_part(&tx, own.id, ada.id, CHAT_PART_OWNER));
    ok(chat_member_part(&tx, other.id, bob.id, CHAT_PART_OWNER));
    ok(chat_member_part(&tx, open.id, ada.id, CHAT_PART_OWNER));
    assert_int_equal(chat_team_member_remove(&tx, t.id, ada.id), 1);
    assert_int_equal(chat_team_member_remove(&tx, t.id, ada.id), 0);
    assert_int_equal(chat_member_of(&tx, open.id, ada.id, &m), 0);
    assert_int_equal(chat_member_of(&tx, own.id, ada.id, &m), 0);
    assert_int_equal(channel_again(own.id).members, 2);
    assert_int_equal(chat_member_of(&tx, general.id, ada.id, &m), 1); /* not of the team */
    /* The private channel that she owned has another owner, who came first; others are as before.
     */
    assert_int_equal(chat_member_of(&tx, own.id, bob.id, &m), 1);
    assert_int_equal(m.part, CHAT_PART_OWNER);
    assert_int_equal(chat_member_of(&tx, own.id, eve.id, &m), 1);
    assert_int_equal(m.part, CHAT_PART_MEMBER);
    assert_int_equal(chat_member_of(&tx, open.id, bob.id, &m), 1);
    assert_int_equal(m.part, CHAT_PART_MEMBER);
    assert_int_equal(chat_member_of(&tx, other.id, eve.id, &m), 1);
    assert_int_equal(m.part, CHAT_PART_MEMBER);
    /* Who owned nothing leaves no heir. */
    assert_int_equal(chat_team_member_remove(&tx, t.id, eve.id), 1);
    assert_int_equal(chat_member_of(&tx, own.id, bob.id, &m), 1);
    assert_int_equal(m.part, CHAT_PART_OWNER);
    assert_int_equal(chat_team_member_remove(&tx, t.id, bob.id), 1);
    assert_int_equal(channel_again(own.id).members, 0);
}

/* ---- who may have seen a message ---- */

static const char *seen_by;

static void see(void *arg, const char *address)
{
    (void)arg;
    seen_by = arena_printf(tx.arena, "%s%s ", seen_by, address);
}

static void a_message_is_seen_by_the_members_of_its_channel(void **state)
{
    const struct chat_message m = post("x");
    struct chat_user machine = bob;
    struct actor bot;
    (void)state;
    join(&general, &bob);
    assert_int_equal(actor_find(&tx, "machine", &bot), 1);
    machine.key = NULL, machine.actor = bot.id, machine.email = NULL, machine.bot = true;
    ok(chat_user_add(&tx, &machine));
    join(&general, &machine); /* which is nobody who sees anything */
    for (size_t i = 0; i < chat_message_core.n_entities; i++) {
        const struct entity *e = &chat_message_core.entities[i];
        seen_by = "";
        ok(chat_message_core.audience(&tx, e, m.id, see, NULL));
        assert_string_equal(seen_by, strcmp(e->table, "chat_message") == 0
                                         ? "ada@acme.example bob@acme.example "
                                         : "");
    }
}

/* ---- questions ---- */

static const char *found_by(const struct chat_user *who, const struct search *q)
{
    struct chat_asker asker = {.user = *who};
    struct search_ask ask = {.corpus = &chat_corpus,
                             .query = q,
                             .first = chat_place(acme.id, 0),
                             .last = chat_place(acme.id + 1, 0) - 1,
                             .arg = &asker};
    ok(search_settle(&tx));
    struct search_walk *walk = search_open(&tx, &ask);
    const char *text = "";
    int64_t place;
    assert_non_null(walk);
    for (int64_t from = search_last(walk); (place = search_next(walk, from)); from = place - 1) {
        struct chat_message m;
        assert_int_equal(chat_message_by_place(&tx, place, &m), 1);
        text = arena_printf(tx.arena, "%s%s ", text, m.text);
    }
    assert_false(search_failed(walk));
    return text;
}

static void questions_look_at_what_hangs_on_messages(void **state)
{
    struct chat_message a = post("a"), b = post("b"), c = post("c"), d;
    (void)state;
    ok(chat_mention_add(&tx, b.id, &(struct chat_mention){CHAT_MENTION_USER, bob.id, "bob"}));
    ok(chat_mention_add(&tx, c.id, &(struct chat_mention){CHAT_MENTION_USER, eve.id, "eve"}));
    ok(chat_mention_add(&tx, c.id, &(struct chat_mention){CHAT_MENTION_USER, bob.id, "bob"}));
    ok(chat_mention_add(&tx, a.id, &(struct chat_mention){CHAT_MENTION_CHANNEL, bob.id, "x"}));
    const struct search mentions = {.kind = CHAT_Q_MENTIONS, .id = bob.id},
                        attached = {.kind = CHAT_Q_ATTACHED},
                        reacted = {.kind = CHAT_Q_REACTED, .text = "eyes"},
                        by_bob = {.kind = CHAT_Q_REACTED, .text = "eyes", .id = bob.id};
    assert_string_equal(found_by(&ada, &mentions), "c b ");
    d = (struct chat_message){.user = ada.id, .text = "d", .attachments = "[]"};
    ok(chat_post(&tx, &general, &d));
    assert_string_equal(found_by(&ada, &attached), "d ");
    assert_int_equal(chat_react(&tx, &a, "eyes", &ada, 1), 1);
    assert_int_equal(chat_react(&tx, &c, "eyes", &bob, 1), 1);
    assert_int_equal(chat_react(&tx, &b, "ears", &bob, 1), 1);
    assert_string_equal(found_by(&ada, &reacted), "c a ");
    assert_string_equal(found_by(&ada, &by_bob), "c ");
    /* What a message has may change without its text. */
    const struct search has = {.kind = SEARCH_HAS, .bits = CHAT_HAS_FILE};
    struct chat_message before = b;
    assert_string_equal(found_by(&ada, &has), "");
    b.extra = "{}";
    ok(chat_message_save(&tx, &b, &before));
    assert_string_equal(found_by(&ada, &has), vendor == &rich ? "b " : "");
    before = b, b.extra = NULL;
    ok(chat_message_save(&tx, &b, &before));
    assert_string_equal(found_by(&ada, &has), "");
    /* Direct messages to somebody are those of the others. */
    struct chat_channel pair = direct(&ada, &bob);
    post_in(&pair, &ada, "hello", 0);
    post_in(&pair, &bob, "hi", 0);
    const struct search to = {.kind = CHAT_Q_TO, .id = bob.id};
    assert_string_equal(found_by(&bob, &to), "hello ");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BOTH(people_meet_in_channels),
        BOTH(people_are_found_by_their_names),
        BOTH(an_actor_is_a_user_of_a_vendors_workspace),
        BOTH(channels_are_asked_for),
        BOTH(two_workspaces_have_channels_together),
        BOTH(messages_are_counted_from_a_time_on),
        BOTH(a_second_that_is_full_goes_on_in_the_next),
        BOTH(an_event_has_what_a_message_was_before),
        BOTH(reactions_and_pins_are_listed),
        BOTH(a_team_is_asked_for_its_channels_and_owners),
        BOTH(who_leaves_a_team_leaves_its_channels),
        BOTH(a_message_is_seen_by_the_members_of_its_channel),
        BOTH(questions_look_at_what_hangs_on_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

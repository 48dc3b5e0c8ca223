/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the chat core says of channels and messages in its own terms (struct entity, plain), which
 * workspaces of all vendors have in common: who is named how, what is left out. Once for each of
 * two vendors.
 */
#include "engine/state/change.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"

static const char *said_of(const struct sosia_core *core, const char *entity, int64_t id)
{
    const struct json *v = NULL;
    for (size_t i = 0; i < core->n_entities; i++)
        if (strcmp(core->entities[i].name, entity) == 0)
            ok(entity_read_plain(&tx, tx.arena, &core->entities[i], id, &v));
    return v ? json_to_text(tx.arena, v) : "nothing";
}

/* ' is written for ". */
static void says(const char *got, const char *expected)
{
    char *text = arena_strdup(tx.arena, expected);
    for (char *p = text; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    assert_string_equal(got, text);
}

static void message_says(int64_t id, const char *expected)
{
    says(said_of(&chat_message_core, "chatMessage", id), expected);
}

static void channel_says(int64_t id, const char *expected)
{
    says(said_of(&chat_core, "channel", id), expected);
}

static struct chat_channel of_kind(enum chat_kind kind, const char *name, const char *pair)
{
    struct chat_channel ch = {.workspace = acme.id,
                              .kind = kind,
                              .name = name,
                              .pair = pair,
                              .topic = "",
                              .purpose = "",
                              .posting = "all",
                              .previous_names = "[]"};
    ok(chat_channel_add(&tx, &ch));
    return ch;
}

static struct chat_channel between(const struct chat_user *a, const struct chat_user *b)
{
    int64_t users[] = {a->id, b->id};
    struct chat_channel ch = of_kind(CHAT_DIRECT, NULL, chat_pair(&tx, users, 2));
    join(&ch, a);
    join(&ch, b);
    return ch;
}

/* ---- who, and where ---- */

static void a_message_has_its_person_and_channel(void **state)
{
    (void)state;
    message_says(post("  hello\n\n there ").id,
                 "{'person':'ada@acme.example','in':'general','text':'hello\\nthere'}");
    message_says(post_in(&closed, &bob, "x", 0).id,
                 "{'person':'bob@acme.example','in':'closed','text':'x'}");
    struct chat_channel pair = between(&ada, &bob);
    message_says(post_in(&pair, &bob, "x", 0).id,
                 "{'person':'bob@acme.example','with':['ada@acme.example','bob@acme.example'],"
                 "'text':'x'}");
    struct chat_message m = {.text = "", .subject = " A  plan "};
    ok(chat_post(&tx, &general, &m));
    message_says(m.id, "{'in':'general','subject':'A plan'}");
    message_says(m.id + 1, "nothing");
    message_says(chat_message_at(77, 0), "nothing");
}

/* In small letters with hyphens, since vendors differ in what a name may have. */
static void names_of_channels_are_folded(void **state)
{
    struct chat_channel ch = of_kind(CHAT_PUBLIC, "AZ az@[`{ 09", NULL);
    (void)state;
    channel_says(ch.id, "{'title':'az-az@[`{-09','kind':'public'}");
    message_says(post_in(&ch, &ada, "x", 0).id,
                 "{'person':'ada@acme.example','in':'az-az@[`{-09','text':'x'}");
    struct chat_channel hidden = of_kind(CHAT_PRIVATE, "Red Team", NULL);
    join(&hidden, &bob);
    channel_says(hidden.id, "{'title':'red-team','kind':'private','members':['bob@acme.example']}");
}

static void people_are_addresses_handles_or_names(void **state)
{
    struct actor bot;
    struct chat_user helper = bob, machine = bob, mail = bob;
    (void)state;
    beyond_documents = true; /* who has no actor is in no document */
    helper.key = machine.key = mail.key = NULL;
    helper.actor = mail.actor = 0;
    helper.name = "helper", helper.email = NULL;
    mail.name = "mail", mail.email = "m@x.example";
    assert_int_equal(actor_find(&tx, "machine", &bot), 1);
    machine.actor = bot.id;
    machine.email = "no@x.example";
    ok(chat_user_add(&tx, &helper));
    ok(chat_user_add(&tx, &mail));
    ok(chat_user_add(&tx, &machine));
    message_says(post_in(&general, &helper, "x", 0).id,
                 "{'person':'helper','in':'general','text':'x'}");
    message_says(post_in(&general, &mail, "x", 0).id,
                 "{'person':'m@x.example','in':'general','text':'x'}");
    message_says(post_in(&general, &machine, "x", 0).id,
                 "{'person':'machine','in':'general','text':'x'}");
    join(&closed, &machine);
    join(&closed, &helper);
    channel_says(closed.id, "{'title':'closed','kind':'private','members':['ada@acme.example',"
                            "'helper','machine']}");
}

/* ---- what hangs on it ---- */

static void whom_a_message_mentions_is_said_once(void **state)
{
    const struct chat_message m = post("x"), none = post("y");
    const struct chat_mention some[] = {{CHAT_MENTION_USER, eve.id, "Eve"},
                                        {CHAT_MENTION_CHANNEL, closed.id, "c"},
                                        {CHAT_MENTION_USER, bob.id, "Bob"},
                                        {CHAT_MENTION_ALL, 0, "all"},
                                        {CHAT_MENTION_USER, eve.id, "Eve"}};
    (void)state;
    beyond_documents = !vendor->parts;
    for (size_t i = 0; i < SOSIA_LEN(some); i++)
        ok(chat_mention_add(&tx, m.id, &some[i]));
    message_says(m.id, "{'person':'ada@acme.example','in':'general','text':'x','mentions':['bob@"
                       "acme.example','eve@acme.example']}");
    message_says(none.id, "{'person':'ada@acme.example','in':'general','text':'y'}");
}

static void at_most_a_hundred_are_mentioned(void **state)
{
    const struct chat_message m = post("x");
    const char *list = "";
    (void)state;
    beyond_documents = true;
    for (int i = 0; i <= CHAT_SAID_MAX; i++) {
        struct chat_user u = bob;
        u.key = NULL, u.actor = 0, u.email = NULL;
        u.name = arena_printf(tx.arena, "u%03d", i);
        ok(chat_user_add(&tx, &u));
        ok(chat_mention_add(&tx, m.id, &(struct chat_mention){CHAT_MENTION_USER, u.id, "U"}));
        if (i < CHAT_SAID_MAX)
            list = arena_printf(tx.arena, "%s%s'%s'", list, i ? "," : "", u.name);
    }
    message_says(m.id, arena_printf(tx.arena,
                                    "{'person':'ada@acme.example','in':'general','text':'x',"
                                    "'mentions':[%s]}",
                                    list));
}

static void a_reply_has_what_it_answers(void **state)
{
    const struct chat_message root = post("the <b>question</b>"),
                              reply = post_in(&general, &bob, "yes", root.id);
    (void)state;
    message_says(root.id, vendor == &rich
                              ? "{'person':'ada@acme.example','in':'general','text':'the question'}"
                              : "{'person':'ada@acme.example','in':'general','text':'the "
                                "<b>question</b>'}");
    message_says(reply.id, vendor == &rich
                               ? "{'person':'bob@acme.example','in':'general','text':'yes',"
                                 "'answers':'the question'}"
                               : "{'person':'bob@acme.example','in':'general','text':'yes',"
                                 "'answers':'the <b>question</b>'}");
}

static void files_pins_and_reactions_are_said(void **state)
{
    struct chat_message m = post("x");
    struct actor who;
    (void)state;
    beyond_documents = !vendor->parts;
    assert_int_equal(actor_by_email(&tx, "bob@acme.example", &who), 1);
    assert_int_equal(chat_drive_file_add(&tx, m.id, &who, "plan-1"), 1);
    assert_int_equal(chat_pin(&tx, &general, &m, bob.id, 5), 1);
    assert_int_equal(chat_react(&tx, &m, "wave", &bob, 6), 1);
    assert_int_equal(chat_react(&tx, &m, "eyes", &bob, 7), 1);
    assert_int_equal(chat_react(&tx, &m, "wave", &ada, 8), 1);
    message_says(m.id, "{'person':'ada@acme.example','in':'general','text':'x','files':['Plan'],"
                       "'pinned':true,'reactions':['ada@acme.example: wave','bob@acme.example: "
                       "eyes','bob@acme.example: wave']}");
    assert_int_equal(chat_unpin(&tx, &general, &m, bob.id), 1);
    assert_int_equal(chat_unreact(&tx, &m, "wave", &bob), 1);
    assert_int_equal(chat_unreact(&tx, &m, "wave", &ada), 1);
    assert_int_equal(chat_unreact(&tx, &m, "eyes", &bob), 1);
    message_says(m.id, "{'person':'ada@acme.example','in':'general','text':'x','files':['Plan']}");
}

static void what_nobody_wrote_is_not_said(void **state)
{
    struct chat_message root = post("x"), note = {.text = "ada came", .flags = CHAT_SYSTEM};
    bool stone;
    (void)state;
    post_in(&general, &bob, "re", root.id);
    root = again(root.id);
    ok(chat_post(&tx, &general, &note));
    message_says(note.id, "nothing");
    ok(chat_message_delete(&tx, &general, &root, &stone));
    assert_true(stone);
    message_says(root.id, "nothing");
}

/* ---- channels ---- */

static void a_channel_has_what_it_is_about_and_who_is_in_it(void **state)
{
    struct chat_channel ch = channel_again(general.id);
    (void)state;
    channel_says(general.id, "{'title':'general','kind':'public','members':['ada@acme.example']}");
    join(&ch, &bob);
    ch.topic = "T", ch.purpose = "a\r\nb", ch.archived = true;
    ch.topic_s = ch.purpose_s = 1;
    ok(chat_channel_save(&tx, &ch, NULL));
    channel_says(general.id,
                 "{'title':'general','kind':'public','archived':true,'topic':'T','purpose':'a\\nb',"
                 "'members':['ada@acme.example','bob@acme.example']}");
    channel_says(between(&ada, &eve).id,
                 "{'kind':'direct','members':['ada@acme.example','eve@acme.example']}");
    struct chat_channel group =
        of_kind(CHAT_GROUP, "Our Group", arena_printf(tx.arena, "%lld", (long long)bob.id));
    join(&group, &bob);
    channel_says(group.id, "{'title':'Our Group','kind':'group','members':['bob@acme.example']}");
    message_says(post_in(&group, &bob, "x", 0).id,
                 "{'person':'bob@acme.example','with':['bob@acme.example'],'text':'x'}");
    channel_says(77777, "nothing");
}

/* Of a team's public channel all its members are. */
static void who_is_in_a_teams_channel_is_said_of_private_ones(void **state)
{
    struct chat_team t = {.workspace = acme.id, .name = "red", .description = ""};
    (void)state;
    beyond_documents = vendor == &bare;
    ok(chat_team_add(&tx, &t));
    for (int kind = CHAT_PUBLIC; kind <= CHAT_PRIVATE; kind++) {
        struct chat_channel ch = {.workspace = acme.id,
                                  .kind = (enum chat_kind)kind,
                                  .name = kind ? "own" : "open",
                                  .topic = "",
                                  .purpose = "",
                                  .posting = "all",
                                  .previous_names = "[]",
                                  .team = t.id};
        ok(chat_channel_add(&tx, &ch));
        join(&ch, &bob);
        channel_says(ch.id, kind ? "{'title':'own','kind':'private','members':['bob@acme.example']}"
                                 : "{'title':'open','kind':'public'}");
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BOTH(a_message_has_its_person_and_channel),
        BOTH(names_of_channels_are_folded),
        BOTH(people_are_addresses_handles_or_names),
        BOTH(whom_a_message_mentions_is_said_once),
        BOTH(at_most_a_hundred_are_mentioned),
        BOTH(a_reply_has_what_it_answers),
        BOTH(files_pins_and_reactions_are_said),
        BOTH(what_nobody_wrote_is_not_said),
        BOTH(a_channel_has_what_it_is_about_and_who_is_in_it),
        BOTH(who_is_in_a_teams_channel_is_said_of_private_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

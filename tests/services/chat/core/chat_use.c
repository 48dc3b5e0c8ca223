/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story of workspaces in use, without a dialect, once for each of two vendors: what people say
 * and do with what was said, as dumps, as diffs and in the core's own terms, what searches find,
 * what is asked of rows, and changed exports.
 */
#include "services/chat/core/ask.h"
#include "services/chat/core/found.h"
#include "services/chat/core/mention.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdlib.h>

static void result(int r)
{
    if (r < 0)
        story_say("  refused: %s, %s", fault.reason ? fault.reason : "-", fault.text);
    else if (r > 0)
        story_say("  %d", r);
    fault = (struct sosia_err){0};
}

static char *first; /* the world's document at the beginning */

static char *dumped(void)
{
    struct sosia_blob blob;
    ok(sosia_world_dump(test_engine, test_world, &blob, &fault));
    char *text = strdup(blob.data);
    sosia_blob_free(&blob);
    return text;
}

/* Ends the step before and begins another one, a minute later; rows are read again. */
static void step(const char *what)
{
    static const struct sosia_core *const cores[] = {&chat_core, &chat_channel_core,
                                                     &chat_message_core};
    for (size_t i = 0; i < SOSIA_LEN(cores); i++)
        survey_plain(&tx, cores[i]);
    close_tx();
    story_dump(test_engine, test_world);
    test_advance(60);
    begin();
    story_say("== %s", what);
    assert_int_equal(chat_workspace_get(&tx, acme.id, &acme), 1);
    assert_int_equal(chat_user_get(&tx, ada.id, &ada), 1);
    assert_int_equal(chat_user_get(&tx, bob.id, &bob), 1);
    assert_int_equal(chat_user_get(&tx, eve.id, &eve), 1);
    general = channel_again(general.id);
    closed = channel_again(closed.id);
}

static int64_t said[8]; /* messages */

static void talk(void)
{
    bool tombstone;
    step("people talk");
    said[0] = post("the plan for monday").id;
    said[1] = post_in(&general, &bob, "I will be there", 0).id;
    said[2] = post_in(&closed, &bob, "a secret plan", 0).id;
    step("in a thread");
    struct chat_message m;
    said[3] = post_in(&general, &bob, "which plan?", said[0]).id;
    said[4] = post_in(&general, &ada, "the long one", said[0]).id;
    step("and react");
    m = again(said[0]);
    result(chat_react(&tx, &m, "eyes", &bob, tx.now_us / 1000000));
    result(chat_react(&tx, &m, "eyes", &ada, tx.now_us / 1000000));
    result(chat_react(&tx, &m, "plus", &bob, tx.now_us / 1000000));
    result(chat_react(&tx, &m, "plus", &bob, tx.now_us / 1000000));
    step("and take it back");
    m = again(said[0]);
    result(chat_unreact(&tx, &m, "eyes", &ada));
    result(chat_unreact(&tx, &m, "none", &ada));
    result(chat_pin(&tx, &general, &m, ada.id, tx.now_us / 1000000));
    step("a message changes");
    m = again(said[1]);
    const struct chat_message before = m;
    m.text = m.plain = "I will not be there";
    result(chat_message_save(&tx, &m, &before));
    step("an answer is deleted");
    m = again(said[3]);
    result(chat_message_delete(&tx, &general, &m, &tombstone));
    story_say("  leaves a tombstone: %d", tombstone);
    step("and what it answered");
    m = again(said[0]);
    result(chat_unpin(&tx, &general, &m, ada.id));
    result(chat_message_delete(&tx, &general, &m, &tombstone));
    story_say("  leaves a tombstone: %d", tombstone);
}

static void questions(void)
{
    step("asked");
    static const char *const texts[] = {"plan", "secret plan", "there", "nothing"};
    struct chat_channel ch;
    struct chat_user u;
    int64_t n, second;
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        for (size_t limit = 1; limit < 9; limit += 7)
            survey_found(&tx, chat_found, texts[i], limit);
    story_say("  meet: %d %d, has a channel %d %d", chat_users_meet(&tx, ada.id, bob.id),
              chat_users_meet(&tx, bob.id, eve.id), chat_user_has_channel(&tx, bob.id),
              chat_user_has_channel(&tx, eve.id));
    result(chat_user_by_full_name(&tx, acme.id, "BOB", &u));
    result(chat_user_by_full_name(&tx, acme.id, "zed", &u));
    result(chat_user_sharing(&tx, general.id, ada.key, &u));
    result(chat_channel_general(&tx, acme.id, &ch));
    result(chat_channel_is_shared(&tx, general.id));
    result(chat_channels_between(&tx, CHAT_PUBLIC, acme.id, far.id, &n));
    story_say("  between: %lld", (long long)n);
    result(chat_active_between(&tx, acme.id, far.id, &second));
    result(chat_messages_since(&tx, general.id, 0, &n));
    story_say("  messages: %lld", (long long)n);
    result(chat_messages_since(&tx, general.id, tx.now_us, &n));
    story_say("  since now: %lld", (long long)n);
    result(chat_client_known(&tx, "none"));
    result(chat_reaction_names(&tx, said[0], "eyes", &n));
    result(chat_reactions_by(&tx, said[0], bob.id, &n));
    story_say("  by bob: %lld", (long long)n);
    result(chat_channel_set_properties(&tx, general.id, "{\"a\":1}"));
    for (size_t i = 0; i < 3; i++) {
        const struct sosia_core *const cores[] = {&chat_core, &chat_channel_core,
                                                  &chat_message_core};
        static const char *const who[] = {"ada@acme.example", "bob@acme.example",
                                          "zed@acme.example"};
        struct actor a;
        for (size_t k = 0; cores[i]->knows && k < SOSIA_LEN(who); k++)
            if (actor_by_email(&tx, "bob@acme.example", &a) == 1)
                story_say("  %s is known to bob: %d", who[k], cores[i]->knows(&tx, &a, who[k]));
    }
}

static const char *const CHANGED[] = {
    NULL,
    "update chat_message set ts_us = -1",
    "update chat_message set flags = 9999",
    "update chat_message set replies = 77",
    "update chat_channel set members = members + 1",
    "update chat_channel set pins = pins + 1",
    "update chat_channel set name = null where kind < 2",
    "update chat_channel set key = 'x' where name = 'general'",
    "update chat_user set fields = '[]'",
    "update chat_workspace set vendor = 'none'",
};

static void the_story_of_use(void **state)
{
    (void)state;
    close_tx();
    first = dumped();
    begin();
    story_begin();
    events_seen = survey_events;
    talk();
    questions();
    step("the end");
    close_tx();
    events_seen = NULL;
    char *last = dumped();
    story_say("a world of the dump");
    story_dump(test_engine, test_world_of(last));
    free(last);
    survey_diff(first);
    survey_changed(CHANGED, SOSIA_LEN(CHANGED));
    free(first);
    begin();
    story_end(vendor == &bare ? "chat-use-bare" : "chat-use-rich");
}

int main(void)
{
    const struct CMUnitTest tests[] = {BOTH(the_story_of_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the chat core's rows can't have is refused by what writes them: keys that are taken, members
 * that are missing, more workspaces than there is room for. Once for
 * each of two vendors.
 */
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"

static void fails(int r)
{
    assert_int_equal(r, -1);
    assert_int_not_equal(fault.code, SOSIA_E_OK);
    fault = (struct sosia_err){0};
}

static void is_taken(int r)
{
    assert_int_equal(r, -1);
    assert_int_equal(fault.code, SOSIA_E_CONFLICT);
    fault = (struct sosia_err){0};
}

/* ---- keys ---- */

static void a_key_is_one_things_alone(void **state)
{
    struct chat_workspace w = acme;
    struct chat_user u = bob;
    struct chat_channel ch = closed;
    struct chat_team t = {.workspace = acme.id, .name = "red", .description = ""}, same;
    struct chat_connect k = {.channel = general.id, .workspace = far.id};
    int64_t pair[] = {ada.id, bob.id};
    (void)state;
    beyond_documents = true;
    is_taken(chat_workspace_add(&tx, &w));
    w.key = "other";
    is_taken(chat_workspace_add(&tx, &w)); /* the domain */
    is_taken(chat_user_add(&tx, &u));
    is_taken(chat_channel_add(&tx, &ch));
    ch.key = NULL, ch.name = NULL, ch.kind = CHAT_DIRECT, ch.pair = chat_pair(&tx, pair, 2);
    ok(chat_channel_add(&tx, &ch));
    ch.key = NULL;
    is_taken(chat_channel_add(&tx, &ch)); /* the same people */
    ok(chat_team_add(&tx, &t));
    same = t;
    is_taken(chat_team_add(&tx, &same));
    ok(chat_connect_add(&tx, &k));
    is_taken(chat_connect_add(&tx, &k));
    struct chat_message a = post("a"), b = post("b");
    b.place = a.place;
    begin_try();
    is_taken(chat_message_save(&tx, &b, NULL));
    end_try();
}

static void what_a_row_needs_must_be_there(void **state)
{
    struct chat_user u = bob;
    struct chat_channel ch = closed;
    struct chat_team t = {.workspace = acme.id, .name = "red", .description = ""};
    (void)state;
    beyond_documents = true;
    u.name = NULL;
    fails(chat_user_save(&tx, &u, NULL));
    u.key = NULL, u.name = "x", u.zone = NULL;
    fails(chat_user_add(&tx, &u));
    ch.topic = NULL;
    fails(chat_channel_save(&tx, &ch, NULL));
    ch.topic = "", ch.posting = "x";
    fails(chat_channel_save(&tx, &ch, NULL));
    ok(chat_team_add(&tx, &t));
    t.name = NULL;
    fails(chat_team_save(&tx, &t, NULL));
    fails(chat_member_part(&tx, general.id, ada.id, (enum chat_part)3));
}

/* ---- room ---- */

static struct chat_workspace numbered(int n, const char *of)
{
    return (struct chat_workspace){.domain = arena_printf(tx.arena, "%s-%d", of, n),
                                   .name = "n",
                                   .email_domain = "",
                                   .plan = "free",
                                   .setting = "{}",
                                   .vendor = of};
}

/* The first vendor's have ids of their own as long as there are some. */
static void a_world_has_so_many_workspaces(void **state)
{
    struct chat_workspace w;
    (void)state;
    beyond_documents = true;
    assert_int_equal(acme.id, 1);
    assert_int_equal(far.id, CHAT_OTHERS);
    for (int i = 2; i < CHAT_OTHERS; i++) {
        w = numbered(i, "first");
        ok(chat_workspace_add(&tx, &w));
        assert_int_equal(w.id, i);
    }
    w = numbered(CHAT_OTHERS, "first");
    ok(chat_workspace_add(&tx, &w));
    assert_int_equal(w.id, CHAT_OTHERS + 1);
    assert_ptr_equal(chat_vendor_of(&tx, w.id), vendor);
    for (int i = CHAT_OTHERS + 2; i < CHAT_WORKSPACES; i++) {
        w = numbered(i, "other");
        ok(chat_workspace_add(&tx, &w));
        assert_int_equal(w.id, i);
    }
    for (int i = 0; i < 2; i++) {
        w = numbered(CHAT_WORKSPACES, i ? "other" : "first");
        begin_try();
        refused(chat_workspace_add(&tx, &w), "workspaces");
        end_try();
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BOTH(a_key_is_one_things_alone),
        BOTH(what_a_row_needs_must_be_there),
        BOTH(a_world_has_so_many_workspaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

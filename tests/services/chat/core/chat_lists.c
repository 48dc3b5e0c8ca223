/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of the chat core, without a dialect: each goes by its order from where it is asked for,
 * has no others, and ends at once and with success when its caller stops it; and what is asked of a
 * row that is not there. Once for each of two vendors.
 */
#include "engine/blob/blob.h"
#include "services/chat/core/doc.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"

struct names {
    const char *text;
    int stop; /* after so many; 0: never */
};

static int add(void *arg, const char *text)
{
    struct names *n = arg;
    n->text = arena_printf(tx.arena, "%s%s ", n->text, text);
    return n->stop && --n->stop == 0 ? (n->stop = 1) : 0;
}

static int of_user(void *arg, const struct chat_user *u)
{
    return add(arg, u->key);
}

static int of_channel(void *arg, const struct chat_channel *ch)
{
    return add(arg, ch->key);
}

static int of_workspace(void *arg, const struct chat_workspace *w)
{
    return add(arg, w->key);
}

static int of_team(void *arg, const struct chat_team *t)
{
    return add(arg, t->key);
}

static int of_member(void *arg, const struct chat_team_member *m)
{
    struct chat_user u;
    assert_int_equal(chat_user_get(&tx, m->user, &u), 1);
    return add(arg, u.key);
}

static struct names n;

static struct names *stopping(int stop)
{
    n = (struct names){.text = "", .stop = stop};
    return &n;
}

static void lists(int r, const char *expected)
{
    ok(r);
    assert_string_equal(n.text, expected);
}

static struct chat_user keyed_user(const struct chat_workspace *w, const char *key)
{
    struct chat_user u = bob;
    u.workspace = w->id;
    u.key = key;
    u.actor = 0;
    ok(chat_user_add(&tx, &u));
    return u;
}

static struct chat_channel keyed(const struct chat_workspace *w, const char *key, int64_t team)
{
    struct chat_channel ch = {.workspace = w->id,
                              .key = key,
                              .name = key,
                              .topic = "",
                              .purpose = "",
                              .posting = "all",
                              .previous_names = "[]",
                              .team = team};
    ok(chat_channel_add(&tx, &ch));
    return ch;
}

static struct chat_workspace keyed_workspace(const char *key)
{
    struct chat_workspace w = {.key = key,
                               .domain = key,
                               .name = key,
                               .email_domain = "",
                               .plan = "free",
                               .setting = "{}",
                               .vendor = "other"};
    ok(chat_workspace_add(&tx, &w));
    return w;
}

/* ---- people and channels ---- */

static void people_go_by_keys(void **state)
{
    (void)state;
    beyond_documents = true;
    keyed_user(&far, "K3");
    keyed_user(&far, "K1");
    keyed_user(&far, "K2");
    lists(chat_users(&tx, far.id, NULL, of_user, stopping(0)), "K1 K2 K3 ");
    lists(chat_users(&tx, far.id, "K2", of_user, stopping(0)), "K2 K3 ");
    lists(chat_users(&tx, far.id, "K21", of_user, stopping(0)), "K3 ");
    lists(chat_users(&tx, far.id, NULL, of_user, stopping(1)), "K1 ");
    lists(chat_users(&tx, far.id, NULL, of_user, stopping(2)), "K1 K2 ");
    lists(chat_users(&tx, far.id + 1, NULL, of_user, stopping(0)), "");
}

static void channels_go_by_keys(void **state)
{
    struct chat_user u;
    (void)state;
    beyond_documents = true;
    struct chat_channel c3 = keyed(&far, "K3", 0), c1 = keyed(&far, "K1", 0),
                        other = keyed(&acme, "K2", 0);
    lists(chat_channels(&tx, far.id, 0, NULL, of_channel, stopping(0)), "K1 K3 ");
    lists(chat_channels(&tx, far.id, 0, "K2", of_channel, stopping(0)), "K3 ");
    lists(chat_channels(&tx, far.id, 0, NULL, of_channel, stopping(1)), "K1 ");
    u = keyed_user(&far, "U1");
    lists(chat_channels(&tx, far.id, u.id, NULL, of_channel, stopping(0)), "");
    join(&c3, &u);
    join(&c1, &u);
    lists(chat_channels(&tx, far.id, u.id, NULL, of_channel, stopping(0)), "K1 K3 ");
    lists(chat_channels(&tx, far.id, u.id, NULL, of_channel, stopping(1)), "K1 ");
    lists(chat_channels(&tx, far.id, u.id, "K3", of_channel, stopping(0)), "K3 ");
    ok(chat_connect_add(&tx, &(struct chat_connect){.channel = other.id, .workspace = far.id}));
    lists(chat_channels(&tx, far.id, 0, NULL, of_channel, stopping(0)), "K1 K2 K3 ");
    lists(chat_channels(&tx, far.id, 0, NULL, of_channel, stopping(2)), "K1 K2 ");
    lists(chat_channels(&tx, far.id, 0, "K2", of_channel, stopping(0)), "K2 K3 ");
}

static void a_shared_name_is_the_one_that_is_not_archived(void **state)
{
    struct chat_channel first = channel(&acme, CHAT_PUBLIC, "same"), second, found;
    (void)state;
    first.archived = true;
    ok(chat_channel_save(&tx, &first, NULL));
    assert_int_equal(chat_channel_by_name(&tx, acme.id, "same", &found), 1);
    assert_int_equal(found.id, first.id);
    beyond_documents = true;
    second = channel(&acme, CHAT_PRIVATE, "same");
    assert_int_equal(chat_channel_by_name(&tx, acme.id, "same", &found), 1);
    assert_int_equal(found.id, second.id);
    ok(chat_connect_add(&tx, &(struct chat_connect){.channel = first.id, .workspace = far.id}));
    assert_int_equal(chat_channel_shared_by_name(&tx, far.id, "same", &found), 1);
    assert_int_equal(found.id, first.id);
    ok(chat_connect_add(&tx, &(struct chat_connect){.channel = second.id, .workspace = far.id}));
    assert_int_equal(chat_channel_shared_by_name(&tx, far.id, "same", &found), 1);
    assert_int_equal(found.id, second.id);
}

/* ---- shared channels ---- */

static void connected_workspaces_go_by_keys(void **state)
{
    struct chat_workspace w3 = keyed_workspace("K3"), w1 = keyed_workspace("K1"),
                          alone = keyed_workspace("K0");
    const int64_t with[] = {w3.id, w1.id};
    (void)state;
    beyond_documents = true;
    for (size_t i = 0; i < SOSIA_LEN(with); i++)
        ok(chat_connect_add(&tx,
                            &(struct chat_connect){.channel = general.id, .workspace = with[i]}));
    lists(chat_connects(&tx, general.id, of_workspace, stopping(0)), "K1 K3 ");
    lists(chat_connects(&tx, general.id, of_workspace, stopping(1)), "K1 ");
    lists(chat_connects(&tx, closed.id, of_workspace, stopping(0)), "");
    lists(chat_connected_with(&tx, acme.id, of_workspace, stopping(0)), "K1 K3 ");
    lists(chat_connected_with(&tx, acme.id, of_workspace, stopping(1)), "K1 ");
    lists(chat_connected_with(&tx, w1.id, of_workspace, stopping(0)),
          strcmp(acme.key, "K3") < 0 ? arena_printf(tx.arena, "%s K3 ", acme.key)
                                     : arena_printf(tx.arena, "K3 %s ", acme.key));
    lists(chat_connected_with(&tx, alone.id, of_workspace, stopping(0)), "");
    /* Both have another one's channel. */
    assert_int_equal(chat_connected(&tx, w1.id, w3.id), 1);
    assert_int_equal(chat_connected(&tx, w3.id, acme.id), 1);
    assert_int_equal(chat_connected(&tx, alone.id, acme.id), 0);
}

static const struct world_event *last_of(const char *kind)
{
    const struct world_event *found = NULL;
    for (const struct world_event *e = tx.events; e; e = e->next)
        if (strcmp(e->kind, kind) == 0)
            found = e;
    return found;
}

static void who_shares_no_more_leaves_the_channel(void **state)
{
    struct chat_user there = user(&far, "bob", CHAT_MEMBER), also = user(&far, "eve", CHAT_MEMBER);
    struct chat_connect k = {.channel = general.id,
                             .workspace = far.id,
                             .limited = true,
                             .since_s = 7},
                        r;
    struct chat_member m;
    (void)state;
    ok(chat_connect_add(&tx, &k));
    assert_int_equal(chat_connect_of(&tx, general.id, far.id, &r), 1);
    assert_true(r.limited);
    assert_int_equal(r.channel, general.id);
    assert_int_equal(r.workspace, far.id);
    ok(chat_connect_limit(&tx, r.id, false));
    assert_int_equal(chat_connect_of(&tx, general.id, far.id, &r), 1);
    assert_false(r.limited);
    assert_int_equal(chat_connect_of(&tx, closed.id, far.id, &r), 0);
    join(&general, &there);
    join(&general, &bob);
    join(&general, &also);
    ok(chat_connect_end(&tx, &general, far.id));
    assert_int_equal(chat_connect_of(&tx, general.id, far.id, &r), 0);
    assert_int_equal(general.members, 2);
    assert_int_equal(chat_member_of(&tx, general.id, there.id, &m), 0);
    assert_int_equal(chat_member_of(&tx, general.id, also.id, &m), 0);
    assert_int_equal(chat_member_of(&tx, general.id, bob.id, &m), 1);
    const struct world_event *e = last_of(CHAT_EV_MEMBER);
    assert_int_equal(e->operation, OP_REMOVED);
    const struct chat_change *c = e->detail;
    assert_int_equal(c->by, 0);                  /* nobody removed them */
    ok(chat_connect_end(&tx, &general, far.id)); /* nor is there anybody left */
    assert_int_equal(general.members, 2);
}

/* ---- teams ---- */

static void teams_and_their_channels_go_by_keys(void **state)
{
    struct chat_team t2 = {.workspace = far.id, .key = "K2", .name = "b", .description = ""},
                     t1 = {.workspace = far.id, .key = "K1", .name = "a", .description = ""};
    (void)state;
    beyond_documents = true;
    ok(chat_team_add(&tx, &t2));
    ok(chat_team_add(&tx, &t1));
    const struct chat_user a = keyed_user(&far, "U2"), b = keyed_user(&far, "U1");
    lists(chat_teams(&tx, far.id, 0, of_team, stopping(0)), "K1 K2 ");
    lists(chat_teams(&tx, far.id, 0, of_team, stopping(1)), "K1 ");
    lists(chat_teams(&tx, far.id, a.id, of_team, stopping(0)), "");
    const struct chat_team_member members[] = {{t2.id, a.id, CHAT_PART_OWNER},
                                               {t2.id, b.id, CHAT_PART_MEMBER},
                                               {t1.id, a.id, CHAT_PART_GUEST}};
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        assert_int_equal(chat_team_member_set(&tx, &members[i]), 1);
    lists(chat_teams(&tx, far.id, a.id, of_team, stopping(0)), "K1 K2 ");
    lists(chat_teams(&tx, far.id, a.id, of_team, stopping(1)), "K1 ");
    lists(chat_teams(&tx, far.id, b.id, of_team, stopping(0)), "K2 ");
    lists(chat_teams(&tx, acme.id, a.id, of_team, stopping(0)), "");
    lists(chat_team_members(&tx, t2.id, of_member, stopping(0)), "U2 U1 "); /* as they came */
    lists(chat_team_members(&tx, t2.id, of_member, stopping(1)), "U2 ");
    keyed(&far, "C2", t2.id);
    keyed(&far, "C1", t2.id);
    keyed(&far, "C0", t1.id);
    lists(chat_team_channels(&tx, t2.id, of_channel, stopping(0)), "C1 C2 ");
    lists(chat_team_channels(&tx, t2.id, of_channel, stopping(1)), "C1 ");
    lists(chat_team_channels(&tx, 99, of_channel, stopping(0)), "");
}

/* ---- dumps ---- */

static int dumps_id(struct tx *t, int64_t id, struct json_writer *w)
{
    (void)t;
    json_bool(w, "bob", id == bob.id);
    return 0;
}

static int dumps_nothing(struct tx *t, int64_t id, struct json_writer *w)
{
    (void)w;
    return tx_fail(t, SOSIA_E_INVALID, "no", NULL, "not %lld", (long long)id);
}

static const char *rows(bool some, bool keep, int *ret,
                        int (*one)(struct tx *tx, int64_t id, struct json_writer *w))
{
    static struct sql_text first = SQL_TEXT("select id from chat_user where id <= :id order by id"),
                           none = SQL_TEXT("select id from chat_user where id = -:id");
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    *ret = chat_dump_rows(&tx, &w, "list", some ? &first : &none, bob.id, keep, one);
    if (*ret == 0)
        json_end(&w);
    const char *text = arena_strdup(tx.arena, *ret < 0 ? "" : buf_str(&b));
    buf_done(&b);
    return text;
}

static void a_list_of_a_dump_may_be_left_out(void **state)
{
    int r;
    (void)state;
    assert_string_equal(rows(true, true, &r, dumps_id),
                        "{\"list\":[{\"bob\":false},{\"bob\":true}]}");
    assert_int_equal(r, 0);
    assert_string_equal(rows(true, false, &r, dumps_id),
                        "{\"list\":[{\"bob\":false},{\"bob\":true}]}");
    assert_int_equal(r, 0);
    assert_string_equal(rows(false, true, &r, dumps_id), "{\"list\":[]}");
    assert_int_equal(r, 0);
    assert_string_equal(rows(false, false, &r, dumps_id), "{}");
    assert_int_equal(r, 0);
    rows(true, true, &r, dumps_nothing);
    refused(r, "no");
}

/* ---- what is not there ---- */

static void a_row_that_is_not_there_is_neither_named_nor_dumped(void **state)
{
    static const struct sosia_core *const all[] = {&chat_core, &chat_channel_core,
                                                   &chat_message_core};
    struct chat_user helper = bob;
    (void)state;
    beyond_documents = true;
    helper.key = NULL, helper.actor = 0;
    ok(chat_user_add(&tx, &helper));
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        for (size_t k = 0; k < all[i]->n_entities; k++) {
            const struct entity *e = &all[i]->entities[k];
            struct json_writer w;
            struct buf b;
            if (!e->dump)
                continue;
            buf_init(&b, 0);
            json_init(&w, &b, false, NULL);
            json_obj(&w, NULL);
            ok(e->dump(&tx, 77777, &w));
            ok(e->key(&tx, 77777, &w));
            if (strcmp(e->table, "chat_user") == 0) /* nor is one without an actor */
                ok(e->dump(&tx, helper.id, &w));
            json_end(&w);
            assert_string_equal(buf_str(&b), "{}");
            buf_done(&b);
        }
}

static void what_is_found_is_one_and_what_is_not_is_none(void **state)
{
    struct chat_workspace w;
    struct chat_channel ch;
    struct chat_message m;
    struct chat_user u;
    struct chat_team t;
    struct chat_team_member tm;
    struct chat_member cm;
    (void)state;
    assert_int_equal(chat_workspace_find(&tx, "far", &w), 1);
    assert_int_equal(chat_workspace_find(&tx, far.key, &w), 1);
    assert_int_equal(w.id, far.id);
    assert_int_equal(chat_workspace_find(&tx, "none", &w), 0);
    assert_int_equal(chat_workspace_get(&tx, 77, &w), 0);
    assert_int_equal(chat_workspace_first(&tx, 0, &w), 1);
    assert_int_equal(w.id, acme.id);
    assert_int_equal(chat_workspace_first(&tx, acme.id, &w), 1);
    assert_int_equal(w.id, far.id);
    assert_int_equal(chat_workspace_first(&tx, far.id, &w), 0);
    assert_int_equal(chat_user_get(&tx, 77, &u), 0);
    assert_int_equal(chat_user_find(&tx, acme.id, bob.key, &u), 1);
    assert_int_equal(chat_user_by_name(&tx, acme.id, "none", &u), 0);
    assert_int_equal(chat_user_by_name(&tx, far.id, "bob", &u), 0);
    assert_int_equal(chat_user_by_email(&tx, far.id, "bob@acme.example", &u), 0);
    assert_int_equal(chat_user_by_email(&tx, acme.id, "BOB@acme.example", &u), 1);
    assert_int_equal(u.id, bob.id);
    assert_int_equal(chat_channel_get(&tx, 77, &ch), 0);
    assert_int_equal(chat_channel_by_name(&tx, acme.id, "closed", &ch), 1);
    assert_int_equal(ch.id, closed.id);
    assert_int_equal(chat_message_get(&tx, 77, &m), 0);
    assert_int_equal(chat_message_find(&tx, general.id, 77, &m), 0);
    assert_int_equal(chat_team_get(&tx, 77, &t), 0);
    assert_int_equal(chat_team_find(&tx, acme.id, "none", &t), 0);
    assert_int_equal(chat_team_member_of(&tx, 77, bob.id, &tm), 0);
    assert_int_equal(chat_team_member_remove(&tx, 77, bob.id), 0);
    assert_int_equal(chat_member_of(&tx, 77, bob.id, &cm), 0);
    assert_int_equal(chat_connected(&tx, acme.id, 77), 0);
}

/* ---- what is none is null, whatever number something has ---- */

static void a_photo_and_who_set_a_topic_stay(void **state)
{
    struct chat_user u = ada, r;
    struct chat_channel ch = general, c;
    (void)state;
    ok(blob_put(&tx, "hi", 2, &u.photo));
    assert_int_equal(u.photo, 1);
    ok(chat_user_save(&tx, &u, NULL));
    assert_int_equal(chat_user_get(&tx, ada.id, &r), 1);
    assert_int_equal(r.photo, u.photo);
    assert_int_equal(r.bot + r.deleted, 0);
    assert_int_equal(chat_user_get(&tx, bob.id, &r), 1);
    assert_int_equal(r.photo, 0);
    assert_int_equal(ada.id, 1);
    ch.topic = ch.purpose = "x";
    ch.topic_by = ch.purpose_by = ada.id;
    ch.topic_s = ch.purpose_s = 5;
    ok(chat_channel_save(&tx, &ch, NULL));
    c = channel_again(ch.id);
    assert_int_equal(c.topic_by, ada.id);
    assert_int_equal(c.purpose_by, ada.id);
    assert_int_equal(c.creator, 0);
    ch.key = NULL, ch.name = "second", ch.creator = ada.id;
    ok(chat_channel_add(&tx, &ch));
    c = channel_again(ch.id);
    assert_int_equal(c.creator, ada.id);
    assert_int_equal(c.topic_by, ada.id);
    assert_int_equal(c.purpose_by, ada.id);
    assert_int_equal(c.team, 0);
    assert_int_equal(c.members + c.pins + c.last_us, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        BOTH(people_go_by_keys),
        BOTH(channels_go_by_keys),
        BOTH(a_shared_name_is_the_one_that_is_not_archived),
        BOTH(connected_workspaces_go_by_keys),
        BOTH(who_shares_no_more_leaves_the_channel),
        BOTH(teams_and_their_channels_go_by_keys),
        BOTH(a_list_of_a_dump_may_be_left_out),
        BOTH(a_row_that_is_not_there_is_neither_named_nor_dumped),
        BOTH(what_is_found_is_one_and_what_is_not_is_none),
        BOTH(a_photo_and_who_set_a_topic_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

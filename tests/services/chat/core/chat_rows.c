/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the chat core, without a dialect: what is written is what is found, and lists go by keys.
 * Once for each of two vendors. */
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"

/* ---- times ---- */

static void a_time_is_a_text_of_seconds(void **state)
{
    static const struct {
        const char *text;
        int64_t us;
    } good[] = {{"1773301243.651609", INT64_C(1773301243651609)},
                {"0000000001.000002", 1000002},
                {"10000000000.000000", INT64_C(10000000000000000)},
                {"9999999999.999999", INT64_C(9999999999999999)},
                {"1000000000.000000", INT64_C(1000000000000000)},
                {"0999999999.000000", INT64_C(999999999000000)}};
    static const struct {
        const char *text;
        int64_t us;
    } read[] = {{"5", 5000000},
                {"5.", 5000000},
                {".25", 250000},
                {"1.123456789", 1123456},
                {"12345678901", INT64_C(12345678901000000)}};
    static const char *const bad[] = {"",  ".", "x", "1x", "1.x", "1.1234567890", "123456789012",
                                      "-1"};
    char text[CHAT_TS_LEN];
    int64_t us;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(good); i++) {
        chat_ts_text(text, good[i].us);
        assert_string_equal(text, good[i].text);
        assert_int_equal(chat_ts_read(text, &us), 0);
        assert_int_equal(us, good[i].us);
    }
    for (size_t i = 0; i < SOSIA_LEN(read); i++) {
        assert_int_equal(chat_ts_read(read[i].text, &us), 0);
        assert_int_equal(us, read[i].us);
    }
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        assert_int_equal(chat_ts_read(bad[i], &us), -1);
}

/* ---- what is saved is what is read ---- */

static void a_user_is_written_and_found(void **state)
{
    struct chat_user u = bob, r;
    (void)state;
    beyond_documents = true; /* an actor is two members */
    u.name = "bobby", u.real_name = "B", u.display_name = "d", u.title = "t", u.phone = "p";
    u.pronouns = "he", u.email = "b@x.example", u.zone = "Asia/Tokyo", u.locale = "it-IT";
    u.role = CHAT_ADMIN, u.status_text = "s", u.status_emoji = ":e:", u.status_expires_s = 7;
    u.presence = "away", u.active = false, u.fields = "{}";
    ok(chat_user_save(&tx, &u, NULL));
    assert_int_equal(chat_user_by_name(&tx, acme.id, "bobby", &r), 1);
    assert_int_equal(r.id, bob.id);
    assert_int_equal(r.actor, bob.actor);
    assert_string_equal(r.real_name, "B");
    assert_string_equal(r.display_name, "d");
    assert_string_equal(r.title, "t");
    assert_string_equal(r.phone, "p");
    assert_string_equal(r.pronouns, "he");
    assert_string_equal(r.zone, "Asia/Tokyo");
    assert_string_equal(r.locale, "it-IT");
    assert_int_equal(r.role, CHAT_ADMIN);
    assert_string_equal(r.status_text, "s");
    assert_string_equal(r.status_emoji, ":e:");
    assert_int_equal(r.status_expires_s, 7);
    assert_string_equal(r.presence, "away");
    assert_false(r.active);
    assert_false(r.deleted);
    assert_string_equal(r.fields, "{}");
    assert_string_equal(r.color, bob.color);
    assert_int_equal(r.updated_s, tx.now_us / 1000000);
    assert_int_equal(chat_user_by_email(&tx, acme.id, "B@X.example", &r), 1);
    assert_int_equal(r.id, bob.id);
    u = r;
    u.deleted = true;
    ok(chat_user_save(&tx, &u, NULL));
    struct chat_user second = user(&acme, "eve", CHAT_CHANNEL_GUEST);
    second.name = "bobby";
    ok(chat_user_save(&tx, &second, NULL));
    assert_int_equal(chat_user_by_name(&tx, acme.id, "bobby", &r), 1);
    assert_int_equal(r.id, second.id); /* one who is there before one who is deleted */
    assert_int_equal(r.role, CHAT_CHANNEL_GUEST);
    assert_int_equal(chat_user_of(&tx, bob.actor, acme.id, &r), 1);
    assert_int_equal(chat_user_of(&tx, bob.actor, far.id, &r), 0);
    assert_int_equal(chat_user_of(&tx, bob.actor, 0, &r), 1);
    assert_int_equal(chat_user_find(&tx, far.id, bob.key, &r), 0);
}

struct names {
    const char *text;
    size_t stop; /* after so many */
};

static void name(struct names *n, const char *text)
{
    n->text = arena_printf(tx.arena, "%s%s ", n->text ? n->text : "", text);
}

static int channel_name(void *arg, const struct chat_channel *ch)
{
    struct names *n = arg;
    name(n, ch->name);
    return n->stop && --n->stop == 0;
}

static int user_name(void *arg, const struct chat_user *u)
{
    struct names *n = arg;
    name(n, u->name);
    return n->stop && --n->stop == 0;
}

static int domain(void *arg, const struct chat_workspace *w)
{
    name(arg, w->domain);
    return 0;
}

static struct chat_channel keyed(const struct chat_workspace *w, const char *key)
{
    struct chat_channel ch = {.workspace = w->id,
                              .key = key,
                              .name = key,
                              .topic = "",
                              .purpose = "",
                              .posting = "all",
                              .previous_names = "[]"};
    ok(chat_channel_add(&tx, &ch));
    return ch;
}

static const char *channels_of(const struct chat_workspace *w, const struct chat_user *u,
                               const char *from, size_t stop)
{
    struct names n = {.text = "", .stop = stop};
    ok(chat_channels(&tx, w->id, u ? u->id : 0, from, channel_name, &n));
    return n.text;
}

static void lists_go_by_keys(void **state)
{
    struct chat_channel z3 = keyed(&far, "Z3"), z1 = keyed(&far, "Z1"), z2 = keyed(&acme, "Z2");
    struct chat_user u = user(&far, "bob", CHAT_MEMBER);
    struct chat_connect k = {.channel = z2.id, .workspace = far.id, .since_s = 5};
    struct names n = {.text = ""};
    (void)state;
    beyond_documents = true; /* keys are not the vendor's */
    assert_string_equal(channels_of(&far, NULL, NULL, 0), "Z1 Z3 ");
    assert_string_equal(channels_of(&far, NULL, "Z2", 0), "Z3 ");
    assert_string_equal(channels_of(&far, NULL, NULL, 1), "Z1 ");
    ok(chat_connect_add(&tx, &k));
    assert_string_equal(channels_of(&far, NULL, NULL, 0), "Z1 Z2 Z3 ");
    join(&z3, &u);
    join(&z2, &u);
    join(&z1, &u);
    assert_string_equal(channels_of(&far, &u, NULL, 0), "Z1 Z2 Z3 ");
    assert_string_equal(channels_of(&far, &u, "Z2", 1), "Z2 ");
    ok(chat_users(&tx, far.id, NULL, user_name, &n));
    assert_string_equal(n.text, "bob ");
    n = (struct names){.text = "", .stop = 2};
    ok(chat_users(&tx, acme.id, NULL, user_name, &n));
    assert_int_equal(n.stop, 0);
    n = (struct names){.text = ""};
    ok(chat_users(&tx, far.id, "ZZZ", user_name, &n));
    assert_string_equal(n.text, "");
    ok(chat_connects(&tx, z2.id, domain, &n));
    ok(chat_connected_with(&tx, acme.id, domain, &n));
    ok(chat_connected_with(&tx, far.id, domain, &n));
    assert_string_equal(n.text, "far far acme ");
    assert_int_equal(chat_connect_of(&tx, z2.id, far.id, &k), 1);
    assert_int_equal(k.since_s, 5);
    assert_false(k.limited);
    ok(chat_connect_limit(&tx, k.id, true));
    assert_int_equal(chat_connect_of(&tx, z2.id, far.id, &k), 1);
    assert_true(k.limited);
}

static void members_go_by_keys_however_many(void **state)
{
    struct chat_channel ch = keyed(&acme, "MANY");
    int64_t *users;
    size_t n;
    (void)state;
    beyond_documents = true; /* an actor is many members */
    for (int i = 0; i < 70; i++) {
        struct chat_user u = bob;
        u.key = arena_printf(tx.arena, "K%02d", i);
        u.id = 0;
        ok(chat_user_add(&tx, &u));
        join(&ch, &u);
    }
    ok(chat_members(&tx, ch.id, NULL, INT64_MAX, &users, &n));
    assert_int_equal(n, 70);
    for (size_t i = 0; i < n; i++) {
        struct chat_user u;
        assert_int_equal(chat_user_get(&tx, users[i], &u), 1);
        assert_string_equal(u.key, arena_printf(tx.arena, "K%02zu", i));
    }
    ok(chat_members(&tx, ch.id, "K68", INT64_MAX, &users, &n));
    assert_int_equal(n, 2);
    ok(chat_members(&tx, ch.id, NULL, 3, &users, &n));
    assert_int_equal(n, 3);
}

static void a_channel_is_written_and_found(void **state)
{
    struct chat_channel ch = general, r;
    int64_t pair[] = {bob.id, ada.id, bob.id};
    (void)state;
    assert_string_equal(chat_pair(&tx, pair, 3),
                        arena_printf(tx.arena, "%lld,%lld", (long long)ada.id, (long long)bob.id));
    ch.kind = CHAT_PRIVATE, ch.name = "other", ch.topic = "t", ch.topic_by = bob.id, ch.topic_s = 3;
    ch.purpose = "p", ch.purpose_by = ada.id, ch.purpose_s = 4, ch.archived = true;
    ch.posting = "read_only", ch.previous_names = "[\"general\"]", ch.properties = "{}";
    ok(chat_channel_save(&tx, &ch, NULL));
    assert_int_equal(chat_channel_by_name(&tx, acme.id, "other", &r), 1);
    assert_int_equal(r.id, general.id);
    assert_int_equal(r.kind, CHAT_PRIVATE);
    assert_string_equal(r.topic, "t");
    assert_int_equal(r.topic_by, bob.id);
    assert_int_equal(r.topic_s, 3);
    assert_string_equal(r.purpose, "p");
    assert_int_equal(r.purpose_by, ada.id);
    assert_int_equal(r.purpose_s, 4);
    assert_true(r.archived);
    assert_string_equal(r.posting, "read_only");
    assert_string_equal(r.previous_names, "[\"general\"]");
    assert_string_equal(r.properties, "{}");
    assert_int_equal(r.updated_us, tx.now_us);
    assert_int_equal(r.members, 1);
    assert_int_equal(chat_channel_by_name(&tx, acme.id, "general", &r), 0);
    assert_int_equal(chat_channel_by_name(&tx, far.id, "other", &r), 0);
    assert_int_equal(chat_channel_shared_by_name(&tx, far.id, "other", &r), 0);
    ok(chat_connect_add(&tx, &(struct chat_connect){.channel = ch.id, .workspace = far.id}));
    assert_int_equal(chat_channel_shared_by_name(&tx, far.id, "other", &r), 1);
    assert_int_equal(r.id, ch.id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_time_is_a_text_of_seconds),
        BOTH(a_user_is_written_and_found),
        BOTH(lists_go_by_keys),
        BOTH(members_go_by_keys_however_many),
        BOTH(a_channel_is_written_and_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

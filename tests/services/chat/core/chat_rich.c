/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The chat core with a vendor that lays down all that one may: what keys follow from, who belongs
 * to a workspace, steps of times, what is said, deleted, saved, what comes with documents and what
 * goes. Each of these may fail, and then what asked for it does.
 */
#include "engine/json/doc.h"
#include "engine/search/index.h"
#include "engine/state/change.h"
#include "engine/world/engine.h"
#include "services/chat/core/doc.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

/* ---- the vendor ---- */

static const char *broken; /* what of it fails; NULL: nothing */

static bool breaks(struct tx *t, const char *what)
{
    if (!broken || strcmp(broken, what) != 0)
        return false;
    tx_fail(t, SOSIA_E_INVALID, what, NULL, "%s is broken", what);
    return true;
}

static const char *key_of(struct tx *t, enum chat_thing thing, const void *row)
{
    const struct chat_channel *ch = row;
    if (breaks(t, "key_of"))
        return NULL;
    const char *of = thing == CHAT_THING_WORKSPACE ? ((const struct chat_workspace *)row)->domain
                     : thing == CHAT_THING_USER    ? ((const struct chat_user *)row)->name
                     : thing == CHAT_THING_TEAM    ? ((const struct chat_team *)row)->name
                     : ch->name                    ? ch->name
                                                   : ch->pair;
    return arena_printf(t->arena, "%c:%s", "wuct"[thing], of);
}

static bool is_key(enum chat_thing thing, const char *key)
{
    return key[0] == "wuct"[thing] && key[1] == ':' && key[2];
}

static int belongs(struct tx *t, const struct chat_workspace *w, const struct actor *who)
{
    if (breaks(t, "belongs"))
        return -1;
    const char *at = strchr(who->email, '@');
    return (at && strcmp(at + 1, w->domain) == 0) || strcmp(who->kind, "bot") == 0;
}

/* What the vendor has learnt, in order: "team red 2, message root 1 r p". */
static char learnt[1000];

static void learn(const char *text)
{
    strncat(learnt, text, sizeof learnt - strlen(learnt) - 1);
}

static int count_member(void *arg, const struct chat_team_member *m)
{
    (void)m;
    ++*(int *)arg;
    return 0;
}

static int team_came(struct tx *t, const struct chat_team *team)
{
    int n = 0;
    if (breaks(t, "team_came") || chat_team_members(t, team->id, count_member, &n) < 0)
        return -1;
    learn(arena_printf(t->arena, "team %s %d,", team->name, n));
    return 0;
}

static const char *plain(struct arena *a, const char *text)
{
    char *out = arena_strdup(a, text), *to = out;
    for (const char *p = out; *p; p++)
        if (*p != '{' && *p != '}')
            *to++ = *p;
    *to = 0;
    return out;
}

/* {name} is a person of the workspace: "@Real Name". */
static int said(struct tx *t, int64_t workspace, const char *text, const char **ret_text,
                int64_t *ret_users, size_t *ret_n)
{
    const char *out = "";
    size_t n = 0;
    if (breaks(t, "said"))
        return -1;
    for (const char *from = text; *from;) {
        const char *open = strchr(from, '{'), *close = open ? strchr(open, '}') : NULL;
        struct chat_user u;
        if (!close) {
            out = arena_printf(t->arena, "%s%s", out, from);
            break;
        }
        const char *name = arena_memdup(t->arena, open + 1, (size_t)(close - open - 1));
        if (chat_user_by_name(t, workspace, name, &u) == 1)
            ret_users[n++] = u.id;
        out = arena_printf(t->arena, "%s%.*s@%s", out, (int)(open - from), from, name);
        from = close + 1;
    }
    *ret_text = out;
    *ret_n = n;
    return 0;
}

static const char *emoji(struct arena *a, const char *name)
{
    (void)a;
    return strcmp(name, "eyes") == 0 ? "o_o" : name;
}

static bool was_deleted(const struct chat_message *m)
{
    return m->extra && strstr(m->extra, "gone");
}

static bool channel_was_deleted(const struct chat_channel *ch)
{
    return ch->properties && strstr(ch->properties, "gone");
}

static uint32_t has(const struct chat_message *m)
{
    return m->files ? CHAT_HAS_FILE : 0;
}

static int came(struct tx *t, const struct chat_channel *ch, const struct chat_message *m)
{
    struct chat_mention *list;
    size_t n;
    if (breaks(t, "came") || chat_mentions(t, m->id, &list, &n) < 0)
        return -1;
    learn(arena_printf(t->arena, "%s %s %zu%s%s,", ch->name, m->text, n, m->reactions ? " r" : "",
                       m->pinned_by ? " p" : ""));
    return 0;
}

static int gone(struct tx *t, const struct chat_message *m)
{
    if (breaks(t, "gone"))
        return -1;
    learn(arena_printf(t->arena, "%s goes,", m->text));
    return 0;
}

static int64_t saved[8];
static size_t n_saved;

static int saved_by(struct tx *t, int64_t user, int64_t **ret, size_t *ret_n)
{
    if (breaks(t, "saved_by"))
        return -1;
    *ret = arena_alloc(t->arena, sizeof saved);
    memcpy(*ret, saved, sizeof saved);
    *ret_n = user == ada.id ? n_saved : 0;
    return 0;
}

static int seed_apps(struct tx *t, struct doc *d, const struct json *v,
                     const struct chat_workspace *w)
{
    const char **list;
    size_t n;
    if (breaks(t, "seed_apps") || doc_strings(d, v, "apps", &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        learn(arena_printf(t->arena, "%s has %s,", w->domain, list[i]));
    return 0;
}

static int dump_apps(struct tx *t, struct json_writer *out, const struct chat_workspace *w)
{
    if (breaks(t, "dump_apps"))
        return -1;
    json_arr(out, "apps");
    json_str(out, NULL, w->domain);
    json_end(out);
    return 0;
}

static const struct chat_vendor whole = {.key_of = key_of,
                                         .letters = {"w", "u", "c", "t"},
                                         .is_key = is_key,
                                         .parts = true,
                                         .hosts = true,
                                         .groups_repeat = true,
                                         .step_us = 1000,
                                         .belongs = belongs,
                                         .team_came = team_came,
                                         .plain = plain,
                                         .said = said,
                                         .emoji = emoji,
                                         .was_deleted = was_deleted,
                                         .channel_was_deleted = channel_was_deleted,
                                         .has = has,
                                         .came = came,
                                         .gone = gone,
                                         .saved_by = saved_by,
                                         .seed_apps = seed_apps,
                                         .dump_apps = dump_apps};

static int open_whole(void **state)
{
    broken = NULL;
    *learnt = 0;
    n_saved = 0;
    *state = (void *)(uintptr_t)&whole;
    return open_world(state);
}

static int close_whole(void **state)
{
    broken = NULL;
    return close_world(state);
}

/* ---- documents ---- */

#define WORLD                                                                                      \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','people':[{'email':'zed@far.example'},"              \
    "{'handle':'robot','kind':'bot'},{'email':'ada@acme.example'},{'email':'bob@acme.example'}],"

/* ' is written for ". */
static const char *in_quotes(const char *text)
{
    char *doc = arena_strdup(tx.arena, text);
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return doc;
}

static uint64_t world_of(const char *sections)
{
    return test_world_of(in_quotes(arena_printf(tx.arena, WORLD "%s}", sections)));
}

/* The dump from its workspaces on, with ' for " and without whitespace. */
static const char *dump_of(uint64_t world)
{
    struct sosia_blob blob;
    ok(sosia_world_dump(test_engine, world, &blob, &fault));
    char *text = arena_strdup(tx.arena, strstr(blob.data, "\"workspaces\"")), *to = text;
    sosia_blob_free(&blob);
    for (const char *p = text; *p; p++)
        if (*p != '\n' && *p != ' ')
            *to++ = *p == '"' ? '\'' : *p;
    *to = 0;
    return text;
}

static void has_all(const char *dump, const char *const *pieces)
{
    for (; *pieces; pieces++)
        if (!strstr(dump, *pieces))
            fail_msg("%s is not in %s", *pieces, dump);
}
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

static void wrong(const char *sections, const char *text)
{
    const char *doc = in_quotes(arena_printf(tx.arena, WORLD "%s}", sections));
    struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    struct sosia_err why = {0};
    uint64_t made;
    assert_int_equal(sosia_world_create(test_engine, &options, &made, &why), -1);
    if (!strstr(why.text, in_quotes(text)))
        fail_msg("%s: expected %s, got %s", sections, text, why.text);
}

static void keys_follow_from_what_has_them(void **state)
{
    struct chat_team t = {.workspace = acme.id, .name = "red", .description = ""},
                     u = {.workspace = acme.id, .key = "t:x", .name = "blue", .description = ""};
    int64_t pair[] = {ada.id};
    struct chat_channel own = {.workspace = acme.id,
                               .kind = CHAT_DIRECT,
                               .pair = chat_pair(&tx, pair, 1),
                               .topic = "",
                               .purpose = "",
                               .posting = "all",
                               .previous_names = "[]"};
    (void)state;
    assert_string_equal(acme.key, "w:acme");
    assert_string_equal(bob.key, "u:bob");
    assert_string_equal(closed.key, "c:closed");
    assert_int_equal(strncmp(far.key, "B_TENANT", 8), 0);
    ok(chat_team_add(&tx, &t));
    assert_string_equal(t.key, "t:red");
    ok(chat_team_add(&tx, &u));
    assert_string_equal(u.key, "t:x");
    ok(chat_channel_add(&tx, &own));
    join(&own, &ada);
    assert_string_equal(own.key, arena_printf(tx.arena, "c:%s", own.pair));
}

static void ids_of_documents_are_the_vendors(void **state)
{
    const uint64_t world = world_of(
        "'workspaces':[{'id':'w:1','domain':'acme.example','members':[{'actor':'ada@acme.example',"
        "'id':'u:1'}]}],'teams':[{'id':'t:1','name':'Red'}],'channels':[{'id':'c:1','name':'a'}]");
    (void)state;
    has_all(dump_of(world),
            LIST("{'id':'w:1','domain':'acme.example'", "'id':'u:1','name':'ada'",
                 "'teams':[{'workspace':'w:1','id':'t:1'", "'id':'c:1','name':'a'"));
#define NOT_ONE(key) ".id: '" key "' is not an id of the workspace's vendor"
    wrong("'workspaces':[{'domain':'a','id':'X1'}]", "workspaces[0].id: 'X1' is not an id of the");
    wrong("'workspaces':[{'domain':'a','id':1}]", "workspaces[0].id: must be a text, not 1");
    wrong("'workspaces':[{'domain':'a','members':[{'actor':'ada@acme.example','id':'w:1'}]}]",
          "workspaces[0].members[0].id: 'w:1' is not an id");
    wrong("'workspaces':[{'domain':'a'}],'channels':[{'id':'u:1','name':'a'}]",
          "channels[0].id: 'u:1' is not an id");
    wrong("'workspaces':[{'domain':'a'}],'teams':[{'id':'c:1','name':'a'}]",
          "teams[0].id: 'c:1' is not an id");
    wrong("'workspaces':[{'domain':'a!'}]", "workspaces[0].domain: 'a!' has other characters");
}

/* ---- who belongs ---- */

static void without_a_list_who_belongs_is_in(void **state)
{
    const char *dump = dump_of(world_of("'workspaces':[{'domain':'acme.example'}]"));
    (void)state;
    has_all(dump, LIST("'id':'u:robot'", "'id':'u:bob'"));
    assert_null(strstr(dump, "'id':'u:zed'"));
    const char *owner = strstr(dump, "'role':'owner'");
    assert_non_null(owner); /* the first person of those */
    assert_true(owner > strstr(dump, "'id':'u:ada'") && owner < strstr(dump, "'id':'u:bob'"));
    assert_null(strstr(owner + 1, "'role'"));
}

static void who_is_named_and_belongs_comes_in(void **state)
{
    const char *dump = dump_of(
        world_of("'workspaces':[{'domain':'acme.example','created':5,'members':[{'actor':'ada@acme."
                 "example','role':'owner'}]}],'channels':[{'name':'a','members':['bob@acme.example'"
                 "]}],'messages':[{'channel':'a','from':'bob@acme.example','text':'x'}]"));
    (void)state;
    has_all(dump,
            LIST("{'actor':'bob@acme.example','id':'u:bob','name':'bob','real_name':'bob',"
                 "'email':'bob@acme.example','zone':'UTC','locale':'en-US','color':'",
                 "'active':true,'updated':5}]", "'members':[{'user':'u:bob'", "'from':'u:bob'"));
    wrong("'workspaces':[{'domain':'acme.example','members':[]}],'channels':[{'name':'a','members'"
          ":['zed@far.example']}]",
          "channels[0].members[0]: there is nobody 'zed@far.example' in the workspace");
    wrong("'workspaces':[{'domain':'acme.example','members':[]}],'channels':[{'name':'a'}],"
          "'messages':[{'channel':'a','from':'nobody'}]",
          "messages[0].from: there is nobody 'nobody' in the workspace");
}

static void an_actor_comes_in_once(void **state)
{
    struct chat_workspace here = {.domain = "acme.example",
                                  .name = "Here",
                                  .email_domain = "",
                                  .plan = "free",
                                  .setting = "{}",
                                  .vendor = ""};
    struct chat_user first, second;
    (void)state;
    ok(chat_workspace_add(&tx, &here));
    assert_int_equal(chat_user_of(&tx, bob.actor, here.id, &first), 0);
    assert_int_equal(chat_doc_find(&tx, here.id, "bob@acme.example", &first), 1);
    assert_int_equal(first.workspace, here.id);
    assert_int_equal(first.actor, bob.actor);
    assert_int_equal(first.role, CHAT_MEMBER);
    assert_int_equal(chat_doc_find(&tx, here.id, "bob@acme.example", &second), 1);
    assert_int_equal(second.id, first.id);
    assert_int_equal(chat_doc_find(&tx, here.id, "bob", &second), 1); /* by name */
    assert_int_equal(second.id, first.id);
    assert_int_equal(chat_doc_find(&tx, here.id, "machine", &second), 1);
    assert_true(second.bot);
    assert_false(second.active);
    assert_null(second.email);
    assert_int_equal(chat_doc_find(&tx, here.id, "nobody", &second), 0);
    assert_int_equal(chat_doc_find(&tx, acme.id, "machine", &second), 1);
    /* far's vendor does not say who belongs. */
    assert_int_equal(chat_doc_find(&tx, far.id, "bob@acme.example", &second), 0);
    broken = "belongs";
    refused(chat_doc_find(&tx, here.id, "eve@acme.example", &second), "belongs");
}

/* ---- names, groups, times ---- */

static void names_of_hosts_have_dots(void **state)
{
    (void)state;
    has_all(dump_of(world_of("'workspaces':[{'domain':'a.b-c.9','members':[]}]")),
            LIST("'id':'w:a.b-c.9','domain':'a.b-c.9','name':'a.b-c.9'"));
    wrong("'workspaces':[{'domain':'a.b','vendor':'other'}]",
          "workspaces[0].domain: 'a.b' has other characters than small letters");
}

static void the_same_people_have_several_groups(void **state)
{
    const char *dump =
        dump_of(world_of("'workspaces':[{'domain':'acme.example'}],'channels':[{'id':'c:1','kind':"
                         "'group','members':['ada','bob']},{'id':'c:2','kind':'group','members':["
                         "'bob','ada']},{'id':'c:3','kind':'group'}]"));
    (void)state;
    has_all(dump, LIST("'id':'c:1','kind':'group'", "'id':'c:2','kind':'group'",
                       "'id':'c:3','kind':'group'"));
    wrong("'workspaces':[{'domain':'acme.example'}],'channels':[{'id':'c:1','kind':'direct'}]",
          "channels[0].members: a direct channel has one or two members");
    wrong("'workspaces':[{'domain':'acme.example'}],'channels':[{'id':'c:1','kind':'direct',"
          "'members':['ada']},{'id':'c:2','kind':'direct','members':['ada']}]",
          "channels[1].id: ");
}

static int64_t posted_at(int64_t us)
{
    struct chat_message m = {.user = ada.id, .text = "x", .ts_us = us};
    ok(chat_post(&tx, &general, &m));
    assert_int_equal(m.ts_us, again(m.id).ts_us);
    return m.ts_us;
}

static void times_of_messages_are_multiples_of_a_step(void **state)
{
    const int64_t at = INT64_C(1700000000) * 1000000;
    (void)state;
    assert_int_equal(posted_at(at + 1234), at + 1000);
    assert_int_equal(posted_at(at + 1999), at + 2000);
    assert_int_equal(posted_at(at + 2000), at + 3000);
    assert_int_equal(posted_at(at + 5999), at + 5000);
    assert_int_equal(posted_at(at + 5000), at + 6000);
    assert_int_equal(posted_at(at + 999999), at + 999000);
    assert_int_equal(posted_at(at + 999999), at + 1000000);
    assert_int_equal(posted_at(at + 999000), at + 1001000);
    assert_int_equal(posted_at(2999), 2000);
    assert_int_equal(posted_at(0) % 1000, 0);
    const struct chat_message a = post("a"), b = post("b");
    assert_int_equal(a.ts_us, tx.now_us + 1000);
    assert_int_equal(b.ts_us, tx.now_us + 2000);
    assert_int_equal(post_in(&closed, &ada, "c", 0).ts_us, tx.now_us);
}

/* ---- what a vendor learns ---- */

static void the_vendor_learns_what_comes_and_goes(void **state)
{
    bool stone;
    (void)state;
    world_of("'workspaces':[{'domain':'acme.example','apps':['one','two']}],"
             "'teams':[{'name':'red','members':['ada','bob']},{'name':'blue'}],"
             "'channels':[{'name':'a'}],'messages':[{'channel':'a','from':'ada','text':'root',"
             "'reactions':[{'name':'eyes','by':['bob']}],'pinned':'bob','mentions':[{'all':true,"
             "'text':'all'}],'replies':[{'from':'bob','text':'re'}]},{'channel':'a','text':'m'}]");
    assert_string_equal(learnt, "acme.example has one,acme.example has two,team red 2,team blue 0,"
                                "a root 1 r p,a re 0,a m 0,");
    *learnt = 0;
    struct chat_message root = post("root"), re = post_in(&general, &bob, "re", root.id);
    assert_string_equal(learnt, "");
    root = again(root.id);
    ok(chat_message_delete(&tx, &general, &root, &stone));
    assert_true(stone);
    assert_string_equal(learnt, "root goes,");
    re = again(re.id);
    *learnt = 0;
    ok(chat_message_delete(&tx, &general, &re, &stone));
    assert_string_equal(learnt, "re goes,This message was deleted. goes,");
}

/* Whatever of a vendor fails, so does what asked for it. */
static void what_fails_at_the_vendor_fails(void **state)
{
    static const struct {
        const char *what, *sections;
    } all[] = {{"belongs", "'workspaces':[{'domain':'a'}]"},
               {"key_of", "'workspaces':[{'domain':'a','members':[]}]"},
               {"key_of", "'workspaces':[{'id':'w:1','domain':'a','members':[{'actor':'robot'}]}]"},
               {"key_of", "'workspaces':[{'id':'w:1','domain':'a','members':[]}],'channels':[{"
                          "'name':'x'}]"},
               {"key_of", "'workspaces':[{'id':'w:1','domain':'a','members':[]}],'teams':[{"
                          "'name':'x'}]"},
               {"seed_apps", "'workspaces':[{'domain':'a'}]"},
               {"team_came", "'workspaces':[{'domain':'a'}],'teams':[{'name':'x'}]"},
               {"came", "'workspaces':[{'domain':'a'}],'channels':[{'name':'x'}],'messages':[{"
                        "'channel':'x','text':'x'}]"}};
    struct chat_message m = post("x");
    struct sosia_blob blob;
    bool stone;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(all); i++) {
        broken = all[i].what;
        wrong(all[i].sections, arena_printf(tx.arena, "%s is broken", broken));
    }
    close_tx();
    broken = "dump_apps";
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &fault), -1);
    fault = (struct sosia_err){0};
    begin();
    broken = "gone";
    begin_try();
    refused(chat_message_delete(&tx, &general, &m, &stone), "gone");
    end_try();
}

/* ---- what is said ---- */

static const char *plain_of(const struct sosia_core *core, const char *entity, int64_t id)
{
    const struct json *v = NULL;
    for (size_t i = 0; i < core->n_entities; i++)
        if (strcmp(core->entities[i].name, entity) == 0 &&
            entity_read_plain(&tx, tx.arena, &core->entities[i], id, &v) < 0)
            return NULL;
    return v ? json_to_text(tx.arena, v) : "nothing";
}

static void a_message_says_names_in_the_place_of_ids(void **state)
{
    struct chat_message root = post("{bob} and {eve}, come"),
                        re = post_in(&general, &bob, "with {zed}", root.id), lost = post("lost");
    (void)state;
    assert_string_equal(root.plain, "bob and eve, come");
    ok(chat_mention_add(&tx, root.id, &(struct chat_mention){CHAT_MENTION_USER, ada.id, "A"}));
    assert_int_equal(chat_react(&tx, &root, "eyes", &bob, 5), 1);
    assert_int_equal(chat_react(&tx, &root, "ears", &bob, 5), 1);
    assert_string_equal(
        plain_of(&chat_message_core, "chatMessage", root.id),
        in_quotes("{'person':'ada@acme.example','in':'general','text':'@bob and @eve, come',"
                  "'mentions':['ada@acme.example','bob@acme.example','eve@acme.example'],"
                  "'reactions':['bob@acme.example: ears','bob@acme.example: o_o']}"));
    assert_string_equal(plain_of(&chat_message_core, "chatMessage", re.id),
                        in_quotes("{'person':'bob@acme.example','in':'general','text':'with @zed',"
                                  "'answers':'@bob and @eve, come'}"));
    broken = "said";
    assert_null(plain_of(&chat_message_core, "chatMessage", re.id));
    fault = (struct sosia_err){0};
    broken = NULL;
    lost.extra = "{\"gone\":1}";
    ok(chat_message_save(&tx, &lost, NULL));
    assert_string_equal(plain_of(&chat_message_core, "chatMessage", lost.id), "nothing");
    struct chat_channel ch = channel_again(closed.id);
    assert_string_not_equal(plain_of(&chat_core, "channel", ch.id), "nothing");
    ch.properties = "{\"gone\":1}";
    ok(chat_channel_save(&tx, &ch, NULL));
    assert_string_equal(plain_of(&chat_core, "channel", ch.id), "nothing");
}

/* ---- saved messages ---- */

static const char *saved_of(const struct chat_user *who)
{
    const struct search is_saved = {.kind = CHAT_Q_SAVED, .id = who->id};
    struct chat_asker asker = {.user = ada};
    const struct search_ask ask = {.corpus = &chat_corpus,
                                   .query = &is_saved,
                                   .first = chat_place(acme.id, 0),
                                   .last = chat_place(acme.id + 1, 0) - 1,
                                   .arg = &asker};
    const char *text = "";
    int64_t place;
    ok(search_settle(&tx));
    struct search_walk *walk = search_open(&tx, &ask);
    if (!walk)
        return NULL;
    for (int64_t from = search_last(walk); (place = search_next(walk, from)); from = place - 1) {
        struct chat_message m;
        assert_int_equal(chat_message_by_place(&tx, place, &m), 1);
        text = arena_printf(tx.arena, "%s%s ", text, m.text);
    }
    assert_false(search_failed(walk));
    return text;
}

static void saved_messages_are_found_newest_first(void **state)
{
    struct chat_message a = post("a"), b = post("b"), c = post("c"), d = post("d"),
                        note = {.text = "note", .flags = CHAT_SYSTEM};
    (void)state;
    assert_string_equal(saved_of(&ada), "");
    ok(chat_post(&tx, &general, &note));
    const int64_t all[] = {b.id, note.id, d.id, a.id, 77, c.id};
    memcpy(saved, all, sizeof all);
    n_saved = SOSIA_LEN(all);
    assert_string_equal(saved_of(&ada), "d c b a ");
    assert_string_equal(saved_of(&bob), "");
    n_saved = 1;
    assert_string_equal(saved_of(&ada), "b ");
    broken = "saved_by";
    assert_null(saved_of(&ada));
    fault = (struct sosia_err){0};
}

#define WHOLE(test)                                                                                \
    {                                                                                              \
#test, test, open_whole, close_whole, NULL                                                 \
    }

int main(void)
{
    static const struct CMUnitTest tests[] = {
        WHOLE(keys_follow_from_what_has_them),
        WHOLE(ids_of_documents_are_the_vendors),
        WHOLE(without_a_list_who_belongs_is_in),
        WHOLE(who_is_named_and_belongs_comes_in),
        WHOLE(an_actor_comes_in_once),
        WHOLE(names_of_hosts_have_dots),
        WHOLE(the_same_people_have_several_groups),
        WHOLE(times_of_messages_are_multiples_of_a_step),
        WHOLE(the_vendor_learns_what_comes_and_goes),
        WHOLE(what_fails_at_the_vendor_fails),
        WHOLE(a_message_says_names_in_the_place_of_ids),
        WHOLE(saved_messages_are_found_newest_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

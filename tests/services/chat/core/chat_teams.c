/* SPDX-License-Identifier: Apache-2.0 */
/* Teams, mentions and files of a drive in the chat core, without a dialect: of a vendor whose
 * channels belong to teams, beside one that has none. */
#include "engine/world/engine.h"
#include "services/chat/core/mention.h"
#include "services/chat/core/team.h"
#include "tests/services/chat/core/chat_vendors.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"

static struct chat_team team(const char *name)
{
    struct chat_team t = {.workspace = acme.id, .name = name, .description = ""};
    ok(chat_team_add(&tx, &t));
    return t;
}

static struct chat_channel team_channel(const struct chat_team *t, enum chat_kind kind,
                                        const char *name)
{
    struct chat_channel ch = {.workspace = acme.id,
                              .kind = kind,
                              .name = name,
                              .topic = "",
                              .purpose = "",
                              .posting = "all",
                              .previous_names = "[]",
                              .team = t->id};
    ok(chat_channel_add(&tx, &ch));
    return ch;
}

static int put(const struct chat_team *t, const struct chat_user *u, enum chat_part part)
{
    int r = chat_team_member_set(&tx, &(struct chat_team_member){t->id, u->id, part});
    assert_true(r == 0 || r == 1);
    return r;
}

struct names {
    const char *text;
    int stop;
};

static int team_name(void *arg, const struct chat_team *t)
{
    struct names *n = arg;
    n->text = arena_printf(tx.arena, "%s%s ", n->text, t->name);
    return n->stop;
}

static int channel_name(void *arg, const struct chat_channel *ch)
{
    struct names *n = arg;
    n->text = arena_printf(tx.arena, "%s%s ", n->text, ch->name);
    return n->stop;
}

static int member_name(void *arg, const struct chat_team_member *m)
{
    struct names *n = arg;
    struct chat_user u;
    assert_int_equal(chat_user_get(&tx, m->user, &u), 1);
    n->text = arena_printf(tx.arena, "%s%s:%s ", n->text, u.name, chat_parts[m->part]);
    return n->stop;
}

static void newest(const char *kind, enum event_operation op, int64_t scope, int64_t entity)
{
    assert_string_equal(tx.last_event->kind, kind);
    assert_int_equal(tx.last_event->operation, op);
    assert_int_equal(tx.last_event->scope, scope);
    assert_int_equal(tx.last_event->entity, entity);
}

static void a_team_has_channels_and_people(void **state)
{
    struct chat_team red = team("red"), blue = team("blue"), found;
    struct chat_channel ch = team_channel(&red, CHAT_PUBLIC, "a");
    struct names n = {.text = ""};
    (void)state;
    beyond_documents = vendor == &bare;
    team_channel(&red, CHAT_PRIVATE, "b");
    team_channel(&blue, CHAT_PUBLIC, "c");
    assert_int_equal(strncmp(red.key, vendor->letters[0], 1), 0);
    assert_int_equal(chat_team_find(&tx, acme.id, red.key, &found), 1);
    assert_int_equal(found.id, red.id);
    assert_int_equal(chat_team_find(&tx, far.id, red.key, &found), 0);
    assert_int_equal(channel_again(ch.id).team, red.id);
    assert_int_equal(channel_again(general.id).team, 0);
    ok(chat_team_channels(&tx, blue.id, channel_name, &n));
    assert_string_equal(n.text, "c ");
    assert_int_equal(put(&red, &ada, CHAT_PART_OWNER), 1);
    assert_int_equal(put(&red, &bob, CHAT_PART_MEMBER), 1);
    newest(CHAT_EV_TEAM_MEMBER, OP_ADDED, red.id, bob.id);
    assert_int_equal(put(&red, &bob, CHAT_PART_MEMBER), 0);
    assert_int_equal(put(&red, &bob, CHAT_PART_GUEST), 1);
    newest(CHAT_EV_TEAM_MEMBER, OP_CHANGED, red.id, bob.id);
    n.text = "";
    ok(chat_team_members(&tx, red.id, member_name, &n));
    assert_string_equal(n.text, "ada:owner bob:guest ");
    n = (struct names){.text = "", .stop = 1};
    ok(chat_team_members(&tx, red.id, member_name, &n));
    assert_string_equal(n.text, "ada:owner ");
    n = (struct names){.text = ""};
    ok(chat_teams(&tx, acme.id, bob.id, team_name, &n));
    assert_string_equal(n.text, "red ");
    ok(chat_teams(&tx, far.id, 0, team_name, &n));
    assert_string_equal(n.text, "red ");
    n.text = "";
    ok(chat_teams(&tx, acme.id, 0, team_name, &n));
    assert_int_equal(strlen(n.text), 9);
    n = (struct names){.text = "", .stop = 1};
    ok(chat_teams(&tx, acme.id, 0, team_name, &n));
    assert_true(strlen(n.text) < 6);
    red.name = "crimson", red.description = "d", red.archived = true;
    ok(chat_team_save(&tx, &red, NULL));
    newest(CHAT_EV_TEAM, OP_CHANGED, acme.id, red.id);
    assert_int_equal(chat_team_get(&tx, red.id, &found), 1);
    assert_string_equal(found.name, "crimson");
    assert_string_equal(found.description, "d");
    assert_true(found.archived);
}

static void a_teams_channel_is_seen_by_the_team(void **state)
{
    struct chat_team red = team("red");
    struct chat_channel open = team_channel(&red, CHAT_PUBLIC, "a"),
                        own = team_channel(&red, CHAT_PRIVATE, "b");
    struct chat_team_member m;
    (void)state;
    beyond_documents = vendor == &bare;
    assert_int_equal(chat_can_see(&tx, &open, &bob), 0);
    put(&red, &bob, CHAT_PART_MEMBER);
    put(&red, &eve, CHAT_PART_GUEST);
    assert_int_equal(chat_can_see(&tx, &open, &bob), 1);
    assert_int_equal(chat_can_see(&tx, &own, &bob), 0);
    assert_int_equal(chat_can_see(&tx, &open, &eve),
                     0); /* a guest, of the channels of which that one is */
    join(&open, &eve);
    assert_int_equal(chat_can_see(&tx, &open, &eve), 1);
    join(&own, &bob);
    assert_int_equal(chat_can_see(&tx, &own, &bob), 1);
    assert_int_equal(chat_can_see(&tx, &general, &bob), 1);
    assert_int_equal(chat_team_member_remove(&tx, red.id, bob.id), 1);
    newest(CHAT_EV_TEAM_MEMBER, OP_REMOVED, red.id, bob.id);
    assert_int_equal(chat_team_member_remove(&tx, red.id, bob.id), 0);
    assert_int_equal(chat_team_member_of(&tx, red.id, bob.id, &m), 0);
    assert_int_equal(chat_team_member_of(&tx, red.id, eve.id, &m), 1);
    assert_int_equal(m.part, CHAT_PART_GUEST);
    assert_int_equal(chat_can_see(&tx, &own, &bob), 0); /* out of its channels too */
    assert_int_equal(chat_can_see(&tx, &open, &eve), 1);
}

static void a_member_has_a_part_in_a_channel(void **state)
{
    struct chat_member m;
    (void)state;
    assert_int_equal(chat_member_of(&tx, general.id, ada.id, &m), 1);
    assert_int_equal(m.part, CHAT_PART_MEMBER);
    ok(chat_member_part(&tx, general.id, ada.id, CHAT_PART_OWNER));
    newest(CHAT_EV_MEMBER, OP_CHANGED, general.id, ada.id);
    assert_string_equal(tx.last_event->members[0], "part");
    assert_int_equal(chat_member_of(&tx, general.id, ada.id, &m), 1);
    assert_int_equal(m.part, CHAT_PART_OWNER);
}

static void a_message_mentions_people_channels_and_teams(void **state)
{
    struct chat_team red = team("red");
    struct chat_message a = post("a"), b = post("b"), c = post("c");
    const struct chat_mention some[] = {{CHAT_MENTION_TEAM, red.id, "Red"},
                                        {CHAT_MENTION_USER, bob.id, "Bob"},
                                        {CHAT_MENTION_CHANNEL, general.id, "General"},
                                        {CHAT_MENTION_ALL, 0, "all"}};
    struct chat_mention *list;
    int64_t *ids;
    size_t n;
    bool tombstone;
    (void)state;
    beyond_documents = vendor == &bare;
    for (size_t i = 0; i < SOSIA_LEN(some); i++)
        ok(chat_mention_add(&tx, a.id, &some[i]));
    ok(chat_mention_add(&tx, b.id, &some[1]));
    ok(chat_mention_add(&tx, b.id, &some[1]));
    ok(chat_mention_add(&tx, c.id, &some[1]));
    ok(chat_mentions(&tx, a.id, &list, &n));
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(list[i].kind, some[i].kind);
        assert_int_equal(list[i].ref, some[i].ref);
        assert_string_equal(list[i].text, some[i].text);
    }
    ok(chat_messages_mentioning(&tx, bob.id, 0, 10, &ids, &n));
    assert_int_equal(n, 3);
    assert_int_equal(ids[0], c.id);
    assert_int_equal(ids[1], b.id);
    ok(chat_messages_mentioning(&tx, bob.id, c.id, 1, &ids, &n));
    assert_int_equal(n, 1);
    assert_int_equal(ids[0], b.id);
    ok(chat_messages_mentioning(&tx, red.id + 1000, 0, 10, &ids, &n));
    assert_int_equal(n, 0);
    ok(chat_message_delete(&tx, &general, &b, &tombstone));
    ok(chat_mentions(&tx, b.id, &list, &n));
    assert_int_equal(n, vendor->parts ? 0 : 2);
    ok(chat_parts_drop(&tx, b.id));
    ok(chat_mentions(&tx, b.id, &list, &n));
    assert_int_equal(n, 0);
    ok(chat_mentions(&tx, a.id, &list, &n));
    assert_int_equal(n, 4);
}

static void a_file_of_a_drive_goes_with_a_message(void **state)
{
    struct chat_message m = post("a");
    struct actor who, eves;
    struct chat_drive_file *files;
    size_t n;
    bool tombstone;
    (void)state;
    assert_int_equal(actor_by_email(&tx, "bob@acme.example", &who), 1);
    assert_int_equal(actor_by_email(&tx, "eve@acme.example", &eves), 1);
    assert_int_equal(chat_drive_file_add(&tx, m.id, &who, "none"), 0);
    assert_int_equal(chat_drive_file_add(&tx, m.id, &eves, "plan-1"), 0);
    assert_int_equal(chat_drive_file_add(&tx, m.id, &who, "plan-1"), 1);
    assert_int_equal(chat_drive_file_add(&tx, m.id, &who, "plan-1"), 1);
    ok(chat_drive_files(&tx, m.id, &files, &n));
    assert_int_equal(n, 2);
    assert_string_equal(files[0].file, "plan-1");
    assert_string_equal(files[0].name, "Plan");
    assert_string_equal(files[0].type, "text/plain");
    if (!vendor->parts)
        return;
    ok(chat_message_delete(&tx, &general, &m, &tombstone));
    ok(chat_drive_files(&tx, m.id, &files, &n));
    assert_int_equal(n, 0);
}

/* ---- documents ---- */

#define PEOPLE                                                                                     \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','people':[{'email':'ada@acme.example'},"             \
    "{'email':'bob@acme.example'}],'workspaces':[{'domain':'acme'}],"

static const char FULL[] = PEOPLE
    "'teams':[{'id':'RT1','name':'Red','description':'d','archived':true,'created':1700000000,"
    "'members':[{'user':'ada','role':'owner'},'bob']},{'id':'RT2','name':'Blue','members':['bob','"
    "bob',"
    "{'user':'bob'}]}],"
    "'channels':[{'id':'RC1','name':'a','team':'Red','members':[{'user':'ada','role':'owner'},'bob'"
    "]},"
    "{'id':'RC2','name':'a','team':'RT2'},{'id':'RC3','name':'a'}],"
    "'messages':[{'channel':'RC1','from':'ada','ts':'1700000001','text':'x','mentions':["
    "{'user':'bob','text':'Bob'},{'channel':'RC2','text':'a'},{'team':'Red','text':'R'},{'all':"
    "true,"
    "'text':'all'}],'driveFiles':[{'id':'f','name':'n','type':'t'}]},"
    "{'channel':'RC3','from':'bob','ts':'1700000002','text':'y'}]}";

static const char *json(const char *text)
{
    char *doc = arena_strdup(tx.arena, text);
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    return doc;
}

static char *dumped(uint64_t world)
{
    struct sosia_blob blob;
    ok(sosia_world_dump(test_engine, world, &blob, &fault));
    char *text = arena_strdup(tx.arena, blob.data), *to = text;
    sosia_blob_free(&blob);
    for (const char *p = text; *p; p++)
        if (*p != '\n' && *p != ' ')
            *to++ = *p == '"' ? '\'' : *p;
    *to = 0;
    return text;
}

static void a_document_has_teams_mentions_and_files(void **state)
{
    static const char *const pieces[] = {
        "'id':'RT1','name':'Red','description':'d','archived':true,'created':1700000000,'members':["
        "{'user':'",
        "','role':'owner'},{'user':'",
        "'id':'RT2','name':'Blue','created':1795420800,'members':[{'user':'",
        "'id':'RC1','team':'RT1','name':'a'",
        "'id':'RC2','team':'RT2','name':'a'",
        "'id':'RC3','name':'a'",
        ",'text':'Bob'},{'channel':'RC2','text':'a'},{'team':'RT1','text':'R'},{'all':true,'text':'"
        "all'}],"
        "'driveFiles':[{'id':'f','name':'n','type':'t'}]"};
    (void)state;
    if (vendor == &bare)
        return;
    char *dump = dumped(test_world_of(json(FULL)));
    for (size_t i = 0; i < SOSIA_LEN(pieces); i++)
        if (!strstr(dump, pieces[i]))
            fail_msg("%s is not in %s", pieces[i], dump);
    assert_string_equal(dumped(test_world_of(json(dump))), dump);
}

static const struct {
    const char *sections, *text;
} WRONG[] = {
    {"'teams':[{}]", "teams[0].name: is missing"},
    {"'teams':[{'name':'x','id':'X'}]", "teams[0].id: 'X' is not an id"},
    {"'teams':[{'name':'x','x':1}]", "teams[0].x: there is no such field"},
    {"'teams':[{'name':'x','id':'RT'},{'name':'y','id':'RT'}]",
     "teams[1].id: 'RT' is there already"},
    {"'teams':[{'name':'x','members':['zed']}]", "teams[0].members[0]: there is nobody 'zed'"},
    {"'teams':[{'name':'x','members':[{'user':'ada','role':'x'}]}]",
     "teams[0].members[0].role: 'x' is none of"},
    {"'teams':[{'name':'x','members':[{'x':1}]}]", "teams[0].members[0].x: there is no such field"},
    {"'channels':[{'name':'x','team':'zed'}]", "channels[0].team: there is no team 'zed'"},
    {"'teams':[{'name':'t'}],'channels':[{'name':'x','team':'t'},{'name':'x','team':'t'}]",
     "channels[1].name: 'x' is there already"},
    {"'channels':[{'name':'x','members':[{'user':'ada','role':'x'}]}]",
     "channels[0].members[0].role: 'x' is none of"},
#define MESSAGE(members) "'channels':[{'name':'c'}],'messages':[{'channel':'c'," members "}]"
    {MESSAGE("'mentions':[{'text':'x'}]"), "messages[0].mentions[0]: needs one of"},
    {MESSAGE("'mentions':[{'text':'x','all':true,'user':'ada'}]"),
     "messages[0].mentions[0]: needs one of"},
    {MESSAGE("'mentions':[{'text':'x','all':true,'channel':'c'}]"),
     "messages[0].mentions[0]: needs one of"},
    {MESSAGE("'mentions':[{'all':true}]"), "messages[0].mentions[0].text: is missing"},
    {MESSAGE("'mentions':[{'text':'x','user':'zed'}]"),
     "messages[0].mentions[0].user: there is nobody 'zed'"},
    {MESSAGE("'mentions':[{'text':'x','team':'zed'}]"),
     "messages[0].mentions[0].team: there is no team 'zed'"},
    {MESSAGE("'mentions':[{'text':'x','channel':'zed'}]"),
     "messages[0].mentions[0].channel: there is no channel"},
    {MESSAGE("'driveFiles':[{'id':'f','name':'n'}]"), "messages[0].driveFiles[0].type: is missing"},
    {MESSAGE("'driveFiles':[{'x':1}]"), "messages[0].driveFiles[0].x: there is no such field"},
    {MESSAGE("'driveFiles':{}"), "messages[0].driveFiles: "},
    {MESSAGE("'mentions':{}"), "messages[0].mentions: "},
};

static void refuse(const char *sections, const char *text)
{
    const char *doc = json(arena_printf(tx.arena, PEOPLE "%s}", sections));
    uint64_t world;
    struct sosia_err why = {0};
    struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    assert_int_equal(sosia_world_create(test_engine, &options, &world, &why), -1);
    const char *got = strstr(why.text, ": ");
    text = json(text);
    if (!got || strncmp(got + 2, text, strlen(text)) != 0)
        fail_msg("%s: expected %s, got %s", sections, text, why.text);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; vendor == &rich && i < SOSIA_LEN(WRONG); i++)
        refuse(WRONG[i].sections, WRONG[i].text);
    if (vendor == &rich)
        return;
    refuse("'teams':[{'name':'x'}]", "teams[0]: the workspace");
    refuse(MESSAGE("'mentions':[]"), "messages[0].mentions: the workspace");
    refuse(MESSAGE("'driveFiles':[]"), "messages[0].driveFiles: the workspace");
}

static void rows_that_break_a_rule_are_not_imported(void **state)
{
    static const char *const changes[] = {
        "update chat_channel set team = (select id from chat_team) where workspace <>"
        " (select workspace from chat_team)",
        "update chat_team_member set user = (select id from chat_user where workspace <>"
        " (select workspace from chat_team))",
        "update chat_mention set ref = 99",
        "update chat_mention set message = 7",
        "update chat_drive_file set message = 7",
        "update chat_team set key = 'x'",
        "update chat_team set created_s = -1"};
    struct chat_team red = team("red");
    struct chat_message m = post("a");
    struct actor who;
    uint64_t other;
    (void)state;
    beyond_documents = vendor == &bare;
    channel(&far, CHAT_PUBLIC, "there");
    user(&far, "bob", CHAT_MEMBER);
    put(&red, &ada, CHAT_PART_OWNER);
    ok(chat_mention_add(&tx, m.id, &(struct chat_mention){CHAT_MENTION_USER, bob.id, "b"}));
    assert_int_equal(actor_by_email(&tx, "bob@acme.example", &who), 1);
    assert_int_equal(chat_drive_file_add(&tx, m.id, &who, "plan-1"), 1);
    close_tx();
    assert_int_equal(test_import_changed(NULL, &other), 0);
    for (size_t i = 0; i < SOSIA_LEN(changes); i++)
        if (test_import_changed(changes[i], &other) == 0)
            fail_msg("taken: %s", changes[i]);
    begin();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_team_has_channels_and_people),
        BOTH(a_teams_channel_is_seen_by_the_team),
        BOTH(a_member_has_a_part_in_a_channel),
        BOTH(a_message_mentions_people_channels_and_teams),
        BOTH(a_file_of_a_drive_goes_with_a_message),
        BOTH(a_document_has_teams_mentions_and_files),
        BOTH(what_is_wrong_is_refused),
        BOTH(rows_that_break_a_rule_are_not_imported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

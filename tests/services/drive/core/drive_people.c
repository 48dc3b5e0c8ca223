/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Permissions, what items are to people, and shared drives: in documents and dumps, and what
 * follows of what a document says.
 */
#include "services/drive/core/access/shared.h"
#include "tests/services/drive/core/drive_world.h"
#include "tests/support/world.h"

#define NOW "2026-11-23T08:00:00Z"

/* ---- permissions ---- */

static void permissions_are_as_they_were_said(void **state)
{
    static const struct {
        const char *said, *dumped; /* NULL: as it was said */
    } list[] = {
        {"'person':'" BOB "','role':'writer'", NULL},
        {"'group':'all@acme.example','role':'commenter'", NULL},
        {"'domain':'acme.example','role':'reader'", NULL},
        {"'anyone':true,'role':'reader'", NULL},
        {"'person':'" BOB "','role':'fileOrganizer'", NULL},
        {"'person':'" BOB "','role':'organizer'", NULL},
        {"'person':'" BOB "','role':'none'", NULL},
        {"'person':'" BOB "'", "'person':'" BOB "','role':'reader'"},
        {"'person':'" BOB "','role':null", "'person':'" BOB "','role':'reader'"},
        {"'anyone':true,'role':'reader','found':true", NULL},
        {"'anyone':true,'role':'reader','found':false", "'anyone':true,'role':'reader'"},
        {"'person':'" BOB "','role':'reader','lowers':true", NULL},
        {"'person':'" BOB "','role':'reader','lowers':false", "'person':'" BOB "','role':'reader'"},
        {"'person':'" BOB "','role':'none','lowers':false", NULL},
        {"'person':'" BOB "','role':'none','lowers':true", "'person':'" BOB "','role':'none'"},
        {"'person':'" BOB "','role':'none','lowers':null", "'person':'" BOB "','role':'none'"},
        {"'person':'" BOB "','role':'writer','pending':true", NULL},
        {"'anyone':true,'role':'reader','view':'published'", NULL},
        {"'person':'" BOB "','role':'reader','expires':'2026-12-01T00:00:00Z'", NULL},
        {"'person':'Bob@ACME.example','role':'reader'", "'person':'" BOB "','role':'reader'"},
        {"'person':'new@far.example','role':'reader'", NULL},
        {"'group':'All@Acme.Example','role':'reader'",
         "'group':'all@acme.example','role':'reader'"},
        {"'domain':'ACME.example','role':'reader'", "'domain':'acme.example','role':'reader'"},
        {"'domain':'acme.example','anyone':false,'role':'reader'",
         "'domain':'acme.example','role':'reader'"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(list); i++) {
        const char *is =
            said(file_of(arena_printf(&test_arena, "'permissions':[{%s}]", list[i].said)),
                 "permissions");
        assert_string_equal(is, arena_printf(&test_arena, "[{%s}]",
                                             list[i].dumped ? list[i].dumped : list[i].said));
    }
    assert_string_equal(said(file_of("'permissions':[{'person':'" EVE
                                     "'},{'anyone':true},{'person':'" BOB "','role':'writer'}]"),
                             "permissions"),
                        "[{'person':'" EVE "','role':'reader'},{'anyone':true,'role':'reader'},{"
                        "'person':'" BOB "','role':'writer'}]");
    assert_string_equal(said(file_of("'permissions':[]"), "permissions"), "");
}

/* An address that leads to somebody is theirs. */
static void a_permission_has_the_address_of_a_person(void **state)
{
    struct drive_grant *list;
    size_t n;
    (void)state;
    seed_more("'people':[{'email':'cyd@acme.example','aliases':['c@acme.example']}],'files':[{'id':"
              "'a','name':'a','owner':'" ADA "','permissions':[{'person':'C@acme.example','role':"
              "'writer','expires':'2026-11-23T08:01:00Z'},{'anyone':true},{'group':"
              "'c@acme.example'}]}]");
    struct drive_item a = item_by("a");
    done(drive_grants(&tx, a.id, &list, &n));
    assert_int_equal(n, 3);
    assert_true(list[0].kind == GRANT_PERSON && list[0].role == ROLE_WRITER && !list[0].lowers &&
                !list[0].pending && !list[0].discoverable && !list[0].view &&
                list[0].expires_us == list[0].created_us + 60000000);
    assert_string_equal(list[0].who, "cyd@acme.example");
    assert_true(list[1].kind == GRANT_ANYONE && list[1].role == ROLE_READER);
    assert_string_equal(list[1].who, "");
    assert_int_equal(list[2].kind, GRANT_GROUP);
    assert_string_equal(list[2].who, "c@acme.example");
    assert_true(a.flags & DRIVE_GRANTED);
    end(); /* it ends by itself */
    test_advance(60);
    begin();
    done(drive_grants(&tx, a.id, &list, &n));
    assert_int_equal(n, 2);
}

/* ---- people ---- */

static const char *people_of(const char *members)
{
    return said(file_of(members), "people");
}

static void what_it_is_to_people_is_as_it_was_said(void **state)
{
    static const char *const list[] = {
        "'person':'" ADA "'",
        "'person':'" ADA "','starred':true",
        "'person':'" ADA "','hidden':true",
        "'person':'" ADA "','viewed':'2026-11-20T00:00:00Z'",
        "'person':'" ADA "','modified':'2026-11-20T00:00:00Z'",
        "'person':'" BOB "','shared':'2026-11-20T00:00:00Z'",
        "'person':'" BOB "','shared':'2026-11-20T00:00:00Z','by':'" EVE "'",
        "'person':'" BOB "','shared':false",
        "'person':'" BOB "','starred':true,'hidden':true,'viewed':'2026-11-20T00:00:00Z',"
        "'modified':'2026-11-21T00:00:00Z','shared':'2026-11-22T00:00:00Z','by':'" ADA "'",
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(list); i++)
        assert_string_equal(people_of(arena_printf(&test_arena, "'people':[{%s}]", list[i])),
                            arena_printf(&test_arena, "[{%s}]", list[i]));
    assert_string_equal(people_of("'people':[]"), "");
    assert_string_equal(people_of("'people':[{'person':'" BOB "','starred':true}]"),
                        "[{'person':'" BOB "','starred':true,'shared':false}]");
    assert_string_equal(people_of("'people':[{'person':'" ADA "','starred':false,'shared':null}]"),
                        "[{'person':'" ADA "'}]");
    /* By their names; the owner's own time is the item's. */
    assert_string_equal(people_of("'people':[{'person':'" EVE
                                  "','shared':'2026-11-20'},{'person':'" ADA
                                  "','starred':true},{'person':'" BOB "','shared':false}]"),
                        "[{'person':'" ADA "','starred':true},{'person':'" BOB
                        "','shared':false},{'person':'" EVE "','shared':'2026-11-20T00:00:00Z'}]");
}

/* Whom a document grants it to by name has it among what is shared with them, since it was made. */
static void whom_a_document_grants_it_has_it_shared(void **state)
{
#define MADE "'created':'2026-11-01T00:00:00Z',"
#define BY   "[{'person':'" BOB "','shared':'2026-11-01T00:00:00Z','by':'" ADA "'}]"
    static const struct {
        const char *members, *people;
    } list[] = {
        {MADE "'permissions':[{'person':'" BOB "'}]", BY},
        {MADE "'permissions':[{'person':'" ADA "'},{'person':'new@far.example'},{'person':'" BOB
              "','role':'writer'}]",
         "[{'person':'" ADA "'},{'person':'" BOB "','shared':'2026-11-01T00:00:00Z','by':'" ADA
         "'}]"},
        {MADE "'permissions':[{'person':'" BOB "','role':'none'}]", ""},
        {MADE "'permissions':[{'person':'" BOB "','role':'none'},{'person':'" EVE "'}]",
         "[{'person':'" EVE "','shared':'2026-11-01T00:00:00Z','by':'" ADA "'}]"},
        {MADE "'permissions':[{'group':'all@acme.example'},{'domain':'acme.example'},{'anyone':true"
              "}]",
         ""},
        {MADE "'permissions':[{'person':'" BOB "'}],'people':[{'person':'" BOB "','shared':false}]",
         "[{'person':'" BOB "','shared':false}]"},
        {MADE "'permissions':[{'person':'" BOB "'}],'people':[{'person':'" EVE
              "','shared':false},{'person':'" BOB "','shared':false,'starred':true}]",
         "[{'person':'" BOB "','starred':true,'shared':false},{'person':'" EVE
         "','shared':false}]"},
        {MADE "'permissions':[{'person':'" BOB "'}],'people':[{'person':'" EVE "','shared':false}]",
         "[{'person':'" BOB "','shared':'2026-11-01T00:00:00Z','by':'" ADA "'},{'person':'" EVE
         "','shared':false}]"},
        {MADE "'permissions':[{'person':'" BOB "'}],'people':[{'person':'" BOB
              "','shared':'2026-11-09T00:00:00Z','by':'" EVE "'}]",
         "[{'person':'" BOB "','shared':'2026-11-09T00:00:00Z','by':'" EVE "'}]"},
        {MADE "'permissions':[{'person':'" BOB "'}],'people':[{'person':'" BOB "','starred':true,"
              "'viewed':'2026-11-09T00:00:00Z'}]",
         "[{'person':'" BOB "','starred':true,'viewed':'2026-11-09T00:00:00Z','shared':"
         "'2026-11-01T00:00:00Z','by':'" ADA "'}]"},
        {MADE "'modifiedBy':'" BOB "','permissions':[{'person':'" BOB "'}]", BY},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(list); i++)
        assert_string_equal(people_of(list[i].members), list[i].people);
    assert_string_equal(why_not("'permissions':[{'person':'" BOB
                                "'}],'people':[{'person':'none@acme.example',"
                                "'shared':false}]"),
                        "seed:1: files[0].people[0].person: there is nobody \"none@acme.example\"");
#undef MADE
#undef BY
}

/* Each entry has its own, also those without an id, and those that come with what was there. */
static void each_entry_is_settled_by_itself(void **state)
{
    struct drive_item a, b, c, in;
    (void)state;
    add_in(&root, DRIVE_FILE, "before");
    seed_more("'files':[{'id':'a','name':'a','owner':'" ADA "','permissions':[{'person':'" BOB
              "'}]},{'name':'b','owner':'" ADA "','permissions':[{'person':'" EVE
              "'}]},{'id':'c','name':'c','owner':'" BOB "','permissions':[{'person':'" ADA
              "'}],'people':[{'person':'" ADA "','shared':false}]},{'id':'in','name':'in','parent':"
              "'d','permissions':[{'person':'" BOB "'}]}],'sharedDrives':[{'id':'d','name':'D'}]");
    a = item_by("a"), c = item_by("c"), in = item_by("in");
    assert_int_equal(drive_child_by_name(&tx, &root, "b", &b), 1);
    assert_true(mine_of(&a, &bob).shared_us == a.created_us && mine_of(&a, &bob).sharer == ada.id);
    assert_false(mine_of(&a, &eve).shared_us);
    assert_true(mine_of(&b, &eve).shared_us && !mine_of(&b, &bob).shared_us);
    assert_false(mine_of(&c, &ada).shared_us);
    assert_false(mine_of(&in, &bob).shared_us); /* what is in a shared drive is in no list */
    assert_int_equal(role_of(&bob, &in), ROLE_READER);
    seed_more("'files':[{'id':'later','name':'later','owner':'" ADA
              "','permissions':[{'person':'" EVE "'}]}]");
    in = item_by("later");
    assert_true(mine_of(&in, &eve).shared_us);
    assert_false(mine_of(&a, &eve).shared_us);
}

/* ---- shared drives ---- */

static const struct json *drive_of(const char *members)
{
    return entry(dump_of(arena_printf(&test_arena, "'sharedDrives':[{'id':'d','name':'D'%s%s}]",
                                      *members ? "," : "", members)),
                 "sharedDrives", "d");
}

static void shared_drives_are_as_they_were_said(void **state)
{
    static const char *const truths[] = {"adminManaged",     "copyWriters",
                                         "domainOnly",       "membersOnly",
                                         "foldersOrganizer", "readersNoDownload",
                                         "writersNoDownload"},
                             *const list[][2] = {
                                 {"theme", "'sea'"},
                                 {"color", "'#123456'"},
                                 {"request", "'r1'"},
                                 {"background", "{'id':'b','x':[1]}"},
                                 {"created", "'2026-01-02T00:00:00Z'"},
                                 {"creator", "'" ADA "'"},
                                 {"members", "[{'person':'" ADA "','role':'organizer'},{'group':"
                                             "'all@acme.example','role':'reader'}]"},
                                 {"people", "[{'person':'" BOB "','hidden':true}]"},
                             };
    const struct json *v = drive_of("");
    (void)state;
    assert_string_equal(members(v, ""), "id name created");
    assert_string_equal(said(v, "name"), "D");
    assert_string_equal(said(v, "created"), NOW);
    for (size_t i = 0; i < SOSIA_LEN(truths); i++) {
        v = drive_of(arena_printf(&test_arena, "'%s':true", truths[i]));
        assert_string_equal(members(v, ""),
                            arena_printf(&test_arena, "id name created %s", truths[i]));
        assert_string_equal(said(v, truths[i]), "true");
        v = drive_of(arena_printf(&test_arena, "'%s':false", truths[i]));
        assert_string_equal(members(v, ""), "id name created");
    }
    for (size_t i = 0; i < SOSIA_LEN(list); i++) {
        const char *value = list[i][1];
        v = drive_of(arena_printf(&test_arena, "'%s':%s", list[i][0], value));
        if (*value == '\'')
            value = arena_printf(&test_arena, "%.*s", (int)strlen(value) - 2, value + 1);
        assert_string_equal(said(v, list[i][0]), value);
        assert_int_equal(count_at(v, ""), i == 4 ? 3 : i == 6 ? 5 : 4); /* id, name, created */
        v = drive_of(arena_printf(&test_arena, "'%s':null", list[i][0]));
        assert_string_equal(members(v, ""), "id name created");
    }
    v = drive_of("'members':[{'person':'" ADA
                 "','role':'organizer'},{'group':'all@acme.example'}]");
    assert_string_equal(said(v, "members"), "[{'person':'" ADA "','role':'organizer'},{'group':"
                                            "'all@acme.example','role':'reader'}]");
    assert_string_equal(said(v, "people"), "[{'person':'" ADA "'}]");
}

static void each_setting_is_by_itself(void **state)
{
    struct drive_item top = shared_by(NULL, "D");
    struct drive_settings s, is;
    bool *const bits[] = {&s.admin_managed,      &s.copy_writers,      &s.domain_only,
                          &s.members_only,       &s.folders_organizer, &s.readers_no_download,
                          &s.writers_no_download};
    (void)state;
    assert_int_equal(drive_settings(&tx, top.id, &is), 1);
    assert_true(is.item == top.id && !is.creator && !is.org && !is.request && !is.theme &&
                !is.color && !is.background && !is.admin_managed && !is.copy_writers &&
                !is.domain_only && !is.members_only && !is.folders_organizer &&
                !is.readers_no_download && !is.writers_no_download);
    for (size_t i = 0; i < SOSIA_LEN(bits); i++) {
        s = is;
        *bits[i] = true;
        done(drive_settings_save(&tx, &s));
        struct drive_settings now = {0};
        assert_int_equal(drive_settings(&tx, top.id, &now), 1);
        assert_true(now.admin_managed == (i == 0) && now.copy_writers == (i == 1) &&
                    now.domain_only == (i == 2) && now.members_only == (i == 3) &&
                    now.folders_organizer == (i == 4) && now.readers_no_download == (i == 5) &&
                    now.writers_no_download == (i == 6));
    }
    s = is;
    s.readers_no_download = s.writers_no_download = true;
    s.creator = bob.id, s.org = bob.org;
    s.request = "r", s.theme = "t", s.color = "c", s.background = "{}";
    done(drive_settings_save(&tx, &s));
    assert_int_equal(drive_settings(&tx, top.id, &is), 1);
    assert_true(is.readers_no_download && is.writers_no_download && is.creator == bob.id &&
                is.org == bob.org && bob.org);
    assert_string_equal(is.request, "r");
    assert_string_equal(is.theme, "t");
    assert_string_equal(is.color, "c");
    assert_string_equal(is.background, "{}");
    assert_int_equal(drive_settings(&tx, root.id, &is), 0);
}

static void who_makes_a_drive_organizes_it(void **state)
{
    struct drive_settings s = {.request = "r1"}, is;
    struct drive_item top, bare;
    struct drive_grant *list;
    int64_t id = 0;
    size_t n;
    (void)state;
    done(drive_shared_make(&tx, &ada, "dir!d", "D", &s, &top));
    assert_true(s.item == top.id && s.creator == ada.id && s.org == ada.org && ada.org);
    assert_true(top.top == DRIVE_SHARED && top.drive == top.id && !top.owner && !top.parent &&
                top.form == DRIVE_FOLDER && top.modifier == ada.id && top.size == -1);
    assert_string_equal(top.key, "dir!d");
    assert_string_equal(top.mime, DRIVE_MIME_FOLDER);
    assert_int_equal(role_of(&ada, &top), ROLE_ORGANIZER);
    assert_int_equal(role_of(&bob, &top), ROLE_NONE);
    assert_int_equal(again(&top).drive, top.id);
    done(drive_grants(&tx, top.id, &list, &n));
    assert_true(n == 1 && list[0].role == ROLE_ORGANIZER && list[0].kind == GRANT_PERSON);
    s = (struct drive_settings){.request = "r1"};
    done(drive_shared_make(&tx, NULL, NULL, "E", &s, &bare));
    assert_true(!s.creator && !s.org && !bare.modifier);
    assert_int_equal(strncmp(bare.key, "top!", 4), 0);
    done(drive_grants(&tx, bare.id, &list, &n));
    assert_int_equal(n, 0);
    assert_int_equal(drive_settings(&tx, bare.id, &is), 1);
    assert_true(is.item == bare.id && !is.creator && !is.org);
    refused(drive_shared_make(&tx, &ada, "dir!d", "F", &s, &bare), "keyInUse");
    /* A request is one maker's. */
    assert_int_equal(drive_shared_asked(&tx, ada.id, "r1", &id), 1);
    assert_int_equal(id, top.id);
    assert_int_equal(drive_shared_asked(&tx, bob.id, "r1", &id), 0);
    assert_int_equal(drive_shared_asked(&tx, ada.id, "r2", &id), 0);
}

static void drives_come_as_they_were_made(void **state)
{
    struct drive_item first = shared_by(&ada, "z"), second = shared_by(NULL, "a"),
                      third = shared_by(&bob, "m");
    int64_t id;
    (void)state;
    assert_int_equal(drive_shared_next(&tx, 0, &id), 1);
    assert_int_equal(id, first.id);
    assert_int_equal(drive_shared_next(&tx, id, &id), 1);
    assert_int_equal(id, second.id);
    assert_int_equal(drive_shared_next(&tx, id, &id), 1);
    assert_int_equal(id, third.id);
    assert_int_equal(drive_shared_next(&tx, id, &id), 0);
    done(drive_shared_delete(&tx, &second));
    assert_int_equal(drive_shared_next(&tx, first.id, &id), 1);
    assert_int_equal(id, third.id);
}

static void members_are_counted(void **state)
{
    struct drive_item top = shared_by(&ada, "D"), other = shared_by(&bob, "E");
    struct drive_grant g = {
        .kind = GRANT_ANYONE, .who = "", .role = ROLE_READER, .view = "published"};
    int64_t n = 7, organizers = 7;
    (void)state;
    done(drive_shared_count(&tx, root.id, &n, &organizers));
    assert_true(n == 0 && organizers == 0);
    done(drive_shared_count(&tx, top.id, &n, &organizers));
    assert_true(n == 1 && organizers == 1);
    give(&top, GRANT_PERSON, BOB, ROLE_FILE_ORGANIZER, false);
    give(&top, GRANT_GROUP, "all@acme.example", ROLE_ORGANIZER, false);
    give(&top, GRANT_PERSON, EVE, ROLE_NONE, false);
    top = again(&top);
    done(drive_grant_set(&tx, &top, &g));
    done(drive_shared_count(&tx, top.id, &n, &organizers));
    assert_true(n == 3 && organizers == 2);
    done(drive_shared_count(&tx, other.id, &n, &organizers));
    assert_true(n == 1 && organizers == 1);
}

static void a_drive_is_in_use_while_something_is_in_it(void **state)
{
    struct drive_item top = shared_by(&ada, "D"), f, a;
    (void)state;
    assert_int_equal(drive_shared_in_use(&tx, top.id), 0);
    f = add_in(&top, DRIVE_FOLDER, "f");
    a = add_in(&f, DRIVE_FILE, "a");
    assert_int_equal(drive_shared_in_use(&tx, top.id), 1);
    done(drive_trash(&tx, &f, ada.id));
    done(drive_item_save(&tx, &f));
    assert_int_equal(drive_shared_in_use(&tx, top.id), 0);
    assert_int_equal(drive_shared_in_use(&tx, root.id), 0);
    done(drive_shared_delete(&tx, &top));
    struct drive_item gone;
    struct drive_settings s;
    assert_int_equal(drive_item_by_id(&tx, top.id, &gone), 0);
    assert_int_equal(drive_item_by_id(&tx, a.id, &gone), 0);
    assert_int_equal(drive_settings(&tx, top.id, &s), 0);
}

/* What is below the top of a shared drive is in it, also where the document names an owner. */
static void what_is_in_a_drive_has_no_owner(void **state)
{
    struct drive_item d, e, f, a, b, out;
    (void)state;
    seed_more("'sharedDrives':[{'id':'d','name':'D','created':'2026-01-01','creator':'" ADA
              "'},{'id':'e','name':'E'}],'files':[{'id':'a','name':'a','parent':'f','owner':'" BOB
              "','people':[{'person':'" BOB "','starred':true}]},{'id':'f','name':'f','type':"
              "'folder','parent':'d'},{'id':'b','name':'b','parent':'e'},{'id':'out','name':'out',"
              "'owner':'" ADA "','people':[{'person':'" ADA "','starred':true}]}]");
    d = item_by("d"), e = item_by("e"), f = item_by("f"), a = item_by("a"), b = item_by("b"),
    out = item_by("out");
    assert_true(f.drive == d.id && !f.owner && a.drive == d.id && !a.owner && b.drive == e.id &&
                !b.owner && !out.drive && out.owner == ada.id);
    assert_true(d.created_us < tx.now_us && e.created_us == tx.now_us);
    assert_int_equal(asked("select count(*) from drive_mine where guest = 1"), 1);
    struct drive_settings s;
    assert_int_equal(drive_settings(&tx, d.id, &s), 1);
    assert_true(s.creator == ada.id && s.org == ada.org);
    /* Also of what comes in a later document. */
    seed_more("'files':[{'id':'c','name':'c','parent':'f'}]");
    assert_int_equal(item_by("c").drive, d.id);
}

/* Where there is nobody the first item of a world is a shared drive. */
static void a_world_without_people_has_shared_drives(void **state)
{
    const char *doc = quoted("{'sosia':1,'time':'" NOW "','sharedDrives':[{'id':'d','name':'D'},{"
                             "'id':'e','name':'E'}],'files':[{'id':'a','name':'a','parent':'d',"
                             "'content':'x'},{'id':'b','name':'b','parent':'e','content':'y'}]}");
    const uint64_t first = test_world;
    struct sosia_err err;
    (void)state;
    end();
    test_world = test_world_of(doc);
    const struct json *dump = test_dump();
    assert_string_equal(column(dump, "sharedDrives", "id"), "d e");
    assert_string_equal(said(entry(dump, "files", "a"), "parent"), "d");
    assert_string_equal(said(entry(dump, "files", "b"), "parent"), "e");
    assert_string_equal(members(entry(dump, "files", "b"), ""),
                        "id name mime parent created content");
    sosia_world_drop(test_engine, test_world, &err);
    test_world = first;
    begin();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE(permissions_are_as_they_were_said, strict),
        BOTH(a_permission_has_the_address_of_a_person),
        ONE(what_it_is_to_people_is_as_it_was_said, strict),
        ONE(whom_a_document_grants_it_has_it_shared, strict),
        BOTH(each_entry_is_settled_by_itself),
        ONE(shared_drives_are_as_they_were_said, strict),
        BOTH(each_setting_is_by_itself),
        BOTH(who_makes_a_drive_organizes_it),
        BOTH(drives_come_as_they_were_made),
        BOTH(members_are_counted),
        BOTH(a_drive_is_in_use_while_something_is_in_it),
        BOTH(what_is_in_a_drive_has_no_owner),
        BOTH(a_world_without_people_has_shared_drives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

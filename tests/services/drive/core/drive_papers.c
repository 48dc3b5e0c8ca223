/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What documents say of files: each member is in the world's dump as it was said, and left out
 * where it is as if nothing were said. (made_of() compares each dump with that of a world of it,
 * and with that of the world when it was exported and imported.)
 */
#include "services/drive/core/document/document.h"
#include "services/drive/core/model.h"
#include "services/drive/core/revision.h"
#include "tests/services/drive/core/drive_world.h"
#include "tests/support/world.h"

struct member_said {
    const char *members, *name, *value; /* "": it is left out */
};

static void all_said(const struct member_said *list, size_t n,
                     const struct json *(*of)(const char *members))
{
    for (size_t i = 0; i < n; i++) {
        const char *is = said(of(list[i].members), list[i].name);
        if (strcmp(is, list[i].value) != 0)
            fail_msg("%s: %s is %s, not %s", list[i].members, list[i].name, is, list[i].value);
    }
}

#define NOW "2026-11-23T08:00:00Z"

/* ---- a file's own ---- */

static void a_file_of_which_nothing_is_said(void **state)
{
    const struct json *v = file_of("");
    (void)state;
    assert_string_equal(members(v, ""), "id name mime owner created");
    assert_string_equal(said(v, "mime"), "application/octet-stream");
    assert_string_equal(said(v, "owner"), ADA);
    assert_string_equal(said(v, "created"), NOW);
}

static void texts_and_truths_are_as_they_were_said(void **state)
{
    static const char *const texts[] = {"description", "original",   "extension",   "color",
                                        "target",      "targetMime", "resourceKey", "indexText"},
                             *const truths[] = {"needsKey", "limited", "copyLimit", "abusive"},
                             *const others[] = {"created",    "trashed",       "trashedBy",
                                                "properties", "appProperties", "thumbnail",
                                                "space",      "app",           "modifiedBy",
                                                "parent",     "content",       "permissions",
                                                "people",     "comments",      "links",
                                                "revisions",  "type",          "mime"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        const struct json *v = file_of(arena_printf(&test_arena, "'%s':'Some text'", texts[i]));
        assert_string_equal(said(v, texts[i]), "Some text");
        assert_string_equal(members(v, ""),
                            arena_printf(&test_arena, "id name mime owner created %s", texts[i]));
        v = file_of(arena_printf(&test_arena, "'%s':null", texts[i]));
        assert_string_equal(members(v, ""), "id name mime owner created");
    }
    for (size_t i = 0; i < SOSIA_LEN(truths); i++) {
        const struct json *v = file_of(arena_printf(&test_arena, "'%s':true", truths[i]));
        assert_string_equal(members(v, ""),
                            arena_printf(&test_arena, "id name mime owner created %s", truths[i]));
        assert_string_equal(said(v, truths[i]), "true");
        v = file_of(arena_printf(&test_arena, "'%s':false", truths[i]));
        assert_string_equal(members(v, ""), "id name mime owner created");
    }
    for (size_t i = 0; i < SOSIA_LEN(others); i++) { /* null is nothing */
        const struct json *v = file_of(arena_printf(&test_arena, "'%s':null", others[i]));
        assert_string_equal(members(v, ""), "id name mime owner created");
    }
}

static void a_files_members_are_as_they_were_said(void **state)
{
    static const struct member_said list[] = {
        {"'sharing':false", "sharing", "false"},
        {"'sharing':true", "sharing", ""},
        {"'mime':'text/plain'", "mime", "text/plain"},
        {"'type':'folder'", "type", "folder"},
        {"'type':'folder'", "mime", ""},
        {"'type':'file'", "type", ""},
        {"'type':'form'", "type", "form"},
        {"'restrictions':[{'readOnly':true,'x':[1]}]", "restrictions",
         "[{'readOnly':true,'x':[1]}]"},
        {"'restrictions':[]", "restrictions", "[]"},
        {"'downloads':{'a':{'b':1}}", "downloads", "{'a':{'b':1}}"},
        {"'media':{'width':3,'height':4}", "media", "{'width':3,'height':4}"},
        /* times and who */
        {"'created':'2026-01-02T03:04:05Z'", "created", "2026-01-02T03:04:05Z"},
        {"'created':'2026-01-02T03:04:05Z'", "modified", ""},
        {"'created':'2026-01-02T03:04:05.5Z'", "created", "2026-01-02T03:04:05.500Z"},
        {"'created':'2026-01-02T03:04:05+01:00'", "created", "2026-01-02T02:04:05Z"},
        {"'modified':'2026-11-24T03:04:05Z'", "modified", "2026-11-24T03:04:05Z"},
        {"'modified':'2026-11-24T03:04:05Z'", "created", NOW},
        {"'modified':'" NOW "'", "modified", ""},
        {"'modifiedBy':'" BOB "'", "modifiedBy", BOB},
        {"'modifiedBy':'" ADA "'", "modifiedBy", ""},
        {"'trashed':true", "trashed", NOW},
        {"'trashed':true", "trashedBy", ""},
        {"'trashed':false", "trashed", ""},
        {"'trashed':'2026-11-22T00:00:00Z','trashedBy':'" BOB "'", "trashed",
         "2026-11-22T00:00:00Z"},
        {"'trashed':'2026-11-22T00:00:00Z','trashedBy':'" BOB "'", "trashedBy", BOB},
        {"'trashed':true,'trashedBy':'" ADA "'", "trashedBy", ""},
        {"'trashedBy':'" BOB "'", "trashedBy", ""},
        /* apps */
        {"'space':'123.456'", "space", "123.456"},
        {"'app':'123.456'", "app", "123.456"},
        {"'properties':{'b':'2','a':'1'}", "properties", "{'a':'1','b':'2'}"},
        {"'properties':{}", "properties", ""},
        {"'appProperties':{'123.456':{'b':'2','a':'1'},'':{'c':''}}", "appProperties",
         "{'':{'c':''},'123.456':{'a':'1','b':'2'}}"},
        {"'appProperties':{}", "appProperties", ""},
        {"'appProperties':{'123.456':null}", "appProperties", ""},
        {"'appProperties':{'123.456':{'a':'1'}}", "properties", ""},
        {"'thumbnail':{'base64':'iVBORw==','mime':'image/png'}", "thumbnail",
         "{'mime':'image/png','base64':'iVBORw=='}"},
        /* places */
        {"'parent':''", "parent", ""},
    };
    (void)state;
    all_said(list, SOSIA_LEN(list), file_of);
    assert_string_equal(members(file_of("'parent':''"), ""), "id name mime owner parent created");
    assert_string_equal(members(file_of("'trashed':false,'trashedBy':'" BOB "'"), ""),
                        "id name mime owner created");
}

static void a_content_is_as_it_was_said(void **state)
{
    static const struct member_said list[] = {
        {"'content':'caf\xc3\xa9'", "content", "caf\xc3\xa9"},
        {"'content':'caf\xc3\xa9'", "base64", ""},
        {"'base64':'AAE='", "base64", "AAE="},
        {"'base64':'/w=='", "base64", "/w=="},
        {"'base64':'YQ=='", "content", "a"},
        {"'base64':'YQBi'", "base64", "YQBi"},
        {"'content':''", "content", ""},
        {"'keep':true", "keep", "true"},
        {"'keep':false", "keep", ""},
        {"'keep':true", "published", ""},
        {"'type':'document','published':true", "published", "true"},
        {"'type':'document','published':true", "keep", ""},
        {"'type':'document','publishAuto':true", "publishAuto", "true"},
        {"'type':'document','publishAuto':true", "publishOutside", ""},
        {"'type':'document','publishOutside':true", "publishOutside", "true"},
        {"'type':'document','keep':true,'content':'x'", "keep", "true"},
        {"'type':'form','keep':true", "keep", "true"},
    };
    (void)state;
    all_said(list, SOSIA_LEN(list), file_of);
}

/* What a document is made of: of its kind's format, of another one, or as a dump has it. */
static void a_document_is_of_its_format(void **state)
{
    static const struct {
        const char *members, *text;
    } list[] = {
        {"'type':'document','content':'# One\\n\\n*Two*\\n'", "One\nTwo\n"},
        {"'type':'document','format':'text/plain','content':'# One'", "# One\n"},
        {"'type':'document','format':'text/html','content':'<p>One</p><p>Two</p>'", "One\nTwo\n"},
        {"'type':'spreadsheet','content':'a,b\\n1,2\\n'", "Sheet1\na\tb\n1\t2\n"},
        {"'type':'spreadsheet','format':'text/tab-separated-values','content':'a,b\\tc'",
         "Sheet1\na,b\tc\n"},
        {"'type':'presentation','content':'One\\n\\nTwo'", "One\nTwo\n"},
        {"'type':'document'", ""},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(list); i++) {
        struct document *d;
        struct buf b;
        seed_more(arena_printf(&test_arena,
                               "'files':[{'id':'doc!%zu','name':'n%zu','owner':'" ADA "',%s}]", i,
                               i, list[i].members));
        const struct drive_item it = item_by(arena_printf(tx.arena, "doc!%zu", i));
        assert_int_equal(it.form, DRIVE_DOCUMENT);
        assert_int_equal(drive_document_load(&tx, &it, 0, &d), 1);
        buf_init(&b, 0);
        document_text(d, &b);
        const char *text = buf_str(&b);
        while (*text == '\n')
            text++;
        if (strncmp(text, list[i].text, strlen(list[i].text)) != 0)
            fail_msg("%s: %s", list[i].members, buf_str(&b));
        buf_done(&b);
    }
    const struct json *v = file_of("'type':'document','content':'# One'"),
                      *again = file_of(arena_printf(&test_arena, "'type':'document','model':%s",
                                                    said(v, "model")));
    assert_string_not_equal(said(v, "model"), "");
    assert_string_equal(said(again, "model"), said(v, "model"));
    /* What is both is the model. */
    again = file_of(
        arena_printf(&test_arena, "'type':'document','content':'x','model':%s", said(v, "model")));
    assert_string_equal(said(again, "model"), said(v, "model"));
}

static void earlier_contents_are_in_order(void **state)
{
    const struct json *v = file_of(
        "'content':'now','created':'2026-11-01T00:00:00Z','modified':'2026-11-05T00:00:00Z',"
        "'modifiedBy':'" BOB "','revisions':[{'content':'first','modified':'2026-11-02T00:00:00Z',"
        "'modifiedBy':'" EVE "','keep':true},{'base64':'AAE='}]");
    struct drive_revision *list;
    size_t n;
    (void)state;
    assert_string_equal(said(v, "content"), "now");
    assert_int_equal(count_at(v, "revisions"), 2);
    assert_string_equal(said(v, "revisions.0"),
                        "{'content':'first','modified':'2026-11-02T00:00:00Z','modifiedBy':'" EVE
                        "','keep':true}");
    assert_string_equal(said(v, "revisions.1"),
                        "{'base64':'AAE=','modified':'2026-11-05T00:00:00Z','modifiedBy':'" BOB
                        "'}");
    seed_more("'files':[{'id':'doc!r','name':'r','owner':'" ADA "','content':'c','keep':true,"
              "'modified':'2026-11-05T00:00:00Z','revisions':[{'content':'a','keep':true},{"
              "'content':'b','modified':'2026-11-04T00:00:00Z','modifiedBy':'" EVE "'}]}]");
    const struct drive_item it = item_by("doc!r");
    done(drive_revisions(&tx, it.id, 0, 9, &list, &n));
    assert_int_equal(n, 3);
    assert_true(list[0].keep && !list[1].keep && list[2].keep);
    assert_true(list[0].modified_us == it.modified_us && list[0].modifier == ada.id);
    assert_true(list[1].modified_us == it.modified_us - DAY_US && list[1].modifier == eve.id);
    assert_true(list[2].modified_us == it.modified_us && list[2].modifier == ada.id);
    assert_int_equal(list[2].id, it.head);
    assert_true(list[0].size == 1 && it.size == 1);
}

/* ---- what follows of what was said ---- */

static void a_file_has_what_follows_of_its_members(void **state)
{
    struct drive_item it;
    (void)state;
    seed_more("'files':[{'id':'1','name':'a.tar.gz','owner':'" ADA "','restrictions':[{'r':1}]},"
              "{'id':'2','name':'.hidden','owner':'" ADA "','restrictions':[]},"
              "{'id':'3','name':'end.','owner':'" ADA "','sharing':false},"
              "{'id':'4','name':'b.txt','owner':'" ADA "','extension':'doc','abusive':true},"
              "{'id':'5','name':'dir.d','owner':'" ADA "','type':'folder','needsKey':true,"
              "'copyLimit':true}]");
    it = item_by("1");
    assert_string_equal(it.extension, "gz");
    assert_int_equal(it.flags, DRIVE_LOCKED);
    assert_int_equal(it.parent, root.id);
    it = item_by("2");
    assert_true(!it.extension && !it.flags);
    it = item_by("3");
    assert_null(it.extension);
    assert_int_equal(it.flags, DRIVE_WRITERS_DONT_SHARE);
    it = item_by("4");
    assert_string_equal(it.extension, "doc");
    assert_int_equal(it.flags, DRIVE_ABUSIVE);
    it = item_by("5");
    assert_null(it.extension);
    assert_int_equal(it.flags, DRIVE_NEEDS_KEY | DRIVE_COPY_LIMIT);
    seed_more("'files':[{'id':'v','name':'v','owner':'" ADA "','content':'b','keep':true,"
              "'revisions':[{'content':'a'}],'permissions':[{'anyone':true}]}]");
    assert_int_equal(item_by("5").version, 1); /* however much was said */
    assert_int_equal(item_by("v").version, 1);
    /* In dumps an extension that the name has is not said. */
    const struct json *dump = dump_of("'files':[{'id':'a','name':'a.txt','owner':'" ADA "'},{'id':"
                                      "'b','name':'b.txt','owner':'" ADA "','extension':'doc'},{"
                                      "'id':'c','name':'c','owner':'" ADA "','extension':'c'}]");
    assert_string_equal(said(entry(dump, "files", "a"), "extension"), "");
    assert_string_equal(said(entry(dump, "files", "b"), "extension"), "doc");
    assert_string_equal(said(entry(dump, "files", "c"), "extension"), "c");
}

static void a_shortcut_has_its_targets_type(void **state)
{
    struct drive_item it;
    (void)state;
    seed_more("'files':[{'id':'s','name':'s','owner':'" ADA "','type':'shortcut','target':'t'},"
              "{'id':'t','name':'t','owner':'" BOB "','mime':'text/html'},"
              "{'id':'n','name':'n','owner':'" ADA "','type':'shortcut','target':'none'},"
              "{'id':'o','name':'o','owner':'" ADA "','type':'shortcut','target':'t',"
              "'targetMime':'a/b'},{'id':'f','name':'f','owner':'" ADA "','target':'t'}]");
    it = item_by("s");
    assert_int_equal(it.target, item_by("t").id);
    assert_string_equal(it.target_mime, "text/html");
    assert_string_equal(it.target_key, "t");
    it = item_by("n");
    assert_true(!it.target);
    assert_string_equal(it.target_mime, "application/octet-stream");
    assert_string_equal(item_by("o").target_mime, "a/b");
    it = item_by("f"); /* no shortcut */
    assert_true(!it.target && !it.target_mime);
}

/* Files come in any order; those without an id have one of their own. */
static void folders_may_come_behind_what_is_in_them(void **state)
{
    const struct json *dump;
    (void)state;
    seed_more("'files':[{'name':'in','owner':'" BOB
              "','parent':'g'},{'id':'g','name':'g','owner':'" ADA
              "','type':'folder','parent':'f'},{'name':'other','owner':'" BOB
              "'},{'id':'f','name':'f','owner':'" ADA "','type':'folder'}]");
    struct drive_item f = item_by("f"), g = item_by("g"), in, home;
    assert_true(f.parent == root.id && g.parent == f.id);
    assert_int_equal(drive_child_by_name(&tx, &g, "in", &in), 1);
    assert_int_equal(in.owner, bob.id);
    assert_int_equal(strncmp(in.key, "doc!", 4), 0);
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    assert_int_equal(drive_child_by_name(&tx, &home, "other", &in), 1);
    dump = dump_of("'files':[{'id':'b','name':'b','owner':'" BOB "','parent':'f'},{'id':'f','name':"
                   "'f','owner':'" ADA "','type':'folder'},{'id':'a','name':'a','owner':'" ADA
                   "','parent':'f'}]");
    assert_string_equal(column(dump, "files", "id"), "a b f");
    assert_string_equal(said(entry(dump, "files", "b"), "parent"), "f");
    assert_string_equal(said(entry(dump, "files", "f"), "parent"), "");
}

static void an_apps_data_is_in_its_own_folder(void **state)
{
    struct drive_item top;
    (void)state;
    seed_more("'apps':[{'client_id':'123.456','name':'App'}],'files':[{'id':'d','name':'d','owner':"
              "'" ADA "','space':'123.456','content':'x'},{'id':'n','name':'n','owner':'" ADA
              "','space':''}]");
    const struct drive_item d = item_by("d");
    assert_int_equal(drive_app_data(&tx, ada.id, d.space, &top), 1);
    assert_int_equal(d.parent, top.id);
    assert_string_equal(top.name, vendor->app_data);
    assert_int_equal(drive_app_data(&tx, ada.id, 0, &top), 1); /* of no app */
    assert_int_equal(item_by("n").parent, top.id);
}

/* ---- 1970 ---- */

#define FIRST "1970-01-01T00:00:00Z"

/* 0 means none where a time may be missing: what is said to be of that instant is kept all the
 * same. */
static void the_first_instant_of_1970_is_a_time(void **state)
{
    static const char *const types[] = {"", "'type':'folder',", "'type':'document',",
                                        "'type':'form',"};
    static const struct member_said list[] = {
        {"'created':'" FIRST "'", "created", FIRST},
        {"'created':'" FIRST "'", "modified", ""},
        {"'modified':'" FIRST "'", "modified", FIRST},
        {"'modified':'" FIRST "'", "created", NOW},
        {"'created':'" FIRST "','modified':'2026-11-05T00:00:00Z'", "created", FIRST},
        {"'created':'" FIRST "','modified':'2026-11-05T00:00:00Z'", "modified",
         "2026-11-05T00:00:00Z"},
        {"'created':'1970-01-01T00:00:00.000001Z'", "created", "1970-01-01T00:00:00.000001Z"},
        {"'created':'1969-12-31T23:59:59.999999Z'", "created", "1969-12-31T23:59:59.999999Z"},
        {"'created':'" FIRST "','content':'b','revisions':[{'content':'a'}]", "revisions",
         "[{'content':'a','modified':'" FIRST "','modifiedBy':'" ADA "'}]"},
        {"'trashed':'" FIRST "'", "trashed", FIRST},
        {"'created':'" FIRST "','permissions':[{'person':'" BOB "','role':'reader'}]", "created",
         FIRST},
        {"'permissions':[{'anyone':true,'role':'reader','expires':'" FIRST "'}]", "permissions",
         "[{'anyone':true,'role':'reader','expires':'" FIRST "'}]"},
        {"'people':[{'person':'" BOB "','viewed':'" FIRST "','modified':'" FIRST
         "','shared':'" FIRST "','by':'" ADA "'}]",
         "people",
         "[{'person':'" BOB "','viewed':'" FIRST "','modified':'" FIRST "','shared':'" FIRST
         "','by':'" ADA "'}]"},
        {"'people':[{'person':'" BOB "','viewed':'1970-01-01T00:00:00.000002Z','shared':false}]",
         "people", "[{'person':'" BOB "','viewed':'1970-01-01T00:00:00.000002Z','shared':false}]"},
        {"'permissions':[{'anyone':true,'role':'reader','expires':'1969-12-31T00:00:00Z'}]",
         "permissions", "[{'anyone':true,'role':'reader','expires':'1969-12-31T00:00:00Z'}]"},
    };
    (void)state;
    all_said(list, SOSIA_LEN(list), file_of);
    for (size_t i = 0; i < SOSIA_LEN(types); i++) {
        const struct json *v = file_of(
            arena_printf(&test_arena, "%s'created':'" FIRST "','modified':'1970-01-01'", types[i]));
        assert_string_equal(said(v, "created"), FIRST);
        assert_string_equal(said(v, "modified"), "");
    }
    const struct json *dump =
        dump_of("'sharedDrives':[{'id':'d','name':'D','created':'" FIRST "'}]");
    assert_string_equal(said(entry(dump, "sharedDrives", "d"), "created"), FIRST);
    /* Whom such a file is shared with has it among what is shared. */
    seed_more("'files':[{'id':'s','name':'s','owner':'" ADA "','created':'" FIRST
              "','permissions':[{'person':'" BOB "','role':'reader'}]}]");
    const struct drive_item it = item_by("s");
    assert_true(it.created_us == 0 && it.modified_us == 0);
    assert_true(mine_of(&it, &bob).shared_us);
}

static void what_ended_in_1970_is_over(void **state)
{
    struct drive_item it;
    (void)state;
    seed_more("'files':[{'id':'s','name':'s','owner':'" ADA "','permissions':[{'anyone':true,"
              "'role':'reader','expires':'" FIRST "'},{'person':'" BOB "','role':'reader',"
              "'expires':null}]}]");
    it = item_by("s");
    assert_int_equal(role_of(&eve, &it), ROLE_NONE);
    assert_int_equal(role_of(&bob, &it), ROLE_READER);
    assert_false(access_of(&bob, &it).expires);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BOTH(a_file_of_which_nothing_is_said),
        ONE(texts_and_truths_are_as_they_were_said, strict),
        ONE(a_files_members_are_as_they_were_said, strict),
        ONE(a_content_is_as_it_was_said, strict),
        ONE(a_document_is_of_its_format, strict),
        ONE(earlier_contents_are_in_order, strict),
        BOTH(a_file_has_what_follows_of_its_members),
        BOTH(a_shortcut_has_its_targets_type),
        BOTH(folders_may_come_behind_what_is_in_them),
        BOTH(an_apps_data_is_in_its_own_folder),
        ONE(the_first_instant_of_1970_is_a_time, strict),
        BOTH(what_ended_in_1970_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a document may not say of files and shared drives, each with the place and the words with
 * which it is refused. Nothing of such a document is made.
 */
#include "engine/world/engine.h"
#include "tests/services/drive/core/drive_world.h"
#include "tests/support/world.h"

struct wrong {
    const char *members, *why;
};

/* ' is written for " in both. */
static void all_refused(const char *place, const struct wrong *list, size_t n,
                        const char *(*try)(const char *members))
{
    for (size_t i = 0; i < n; i++) {
        const char *expected =
                       quoted(arena_printf(&test_arena, "seed:1: %s%s", place, list[i].why)),
                   *why = try(list[i].members);
        if (strncmp(why, expected, strlen(expected)) != 0)
            fail_msg("%s: expected %s, got %s", list[i].members, expected, why);
    }
}

/* ---- a file ---- */

static void a_files_members_have_their_types(void **state)
{
    static const char *const texts[] = {"id",        "name",        "type",       "mime",
                                        "owner",     "parent",      "content",    "base64",
                                        "created",   "modified",    "modifiedBy", "trashed",
                                        "trashedBy", "description", "original",   "extension",
                                        "color",     "target",      "targetMime", "resourceKey",
                                        "indexText", "space",       "app",        "vendor"},
                             *const truths[] = {"needsKey",  "limited",     "copyLimit",
                                                "sharing",   "abusive",     "keep",
                                                "published", "publishAuto", "publishOutside"},
                             *const lists[] = {"revisions", "restrictions", "permissions",
                                               "people",    "comments",     "links"},
                             *const objects[] = {"downloads", "media"};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(texts); i++) {
        const char *members = arena_printf(&test_arena, "'%s':7", texts[i]);
        const struct json *dump;
        assert_string_equal(
            made_of(arena_printf(&test_arena, "'files':[{%s%s%s}]",
                                 strcmp(texts[i], "name") == 0 ? "" : "'name':'x',",
                                 strcmp(texts[i], "owner") == 0 ? "" : "'owner':'" ADA "',",
                                 members),
                    &dump),
            arena_printf(&test_arena, "seed:1: files[0].%s: must be a text, not 7", texts[i]));
    }
    for (size_t i = 0; i < SOSIA_LEN(truths); i++)
        assert_string_equal(why_not(arena_printf(&test_arena, "'%s':7", truths[i])),
                            arena_printf(&test_arena,
                                         "seed:1: files[0].%s: must be true or false, not 7",
                                         truths[i]));
    for (size_t i = 0; i < SOSIA_LEN(lists); i++) {
        assert_string_equal(
            why_not(arena_printf(&test_arena, "'%s':7", lists[i])),
            arena_printf(&test_arena, "seed:1: files[0].%s: must be a list, not 7", lists[i]));
        if (i != 1)
            assert_string_equal(why_not(arena_printf(&test_arena, "'%s':[7]", lists[i])),
                                arena_printf(&test_arena,
                                             "seed:1: files[0].%s[0]: must be an object, not 7",
                                             lists[i]));
    }
    for (size_t i = 0; i < SOSIA_LEN(objects); i++)
        assert_string_equal(
            why_not(arena_printf(&test_arena, "'%s':7", objects[i])),
            arena_printf(&test_arena, "seed:1: files[0].%s: must be an object, not 7", objects[i]));
}

static void a_files_members_make_sense(void **state)
{
    static const struct wrong list[] = {
        {"'modifiedBy':'none@acme.example'", ".modifiedBy: there is nobody 'none@acme.example'"},
        {"'trashedBy':'none@acme.example'", ".trashedBy: there is nobody 'none@acme.example'"},
        {"'created':'then'", ".created: 'then' is not a time"},
        {"'modified':'then'", ".modified: 'then' is not a time"},
        {"'trashed':'then'", ".trashed: 'then' is not a time"},
        {"'space':'1.2'", ".space: there is no app '1.2'"},
        {"'app':'1.2'", ".app: there is no app '1.2'"},
        {"'vendor':'none'", ".vendor: its owner has no drive with 'none'"},
        {"'nothing':1", ".nothing: there is no such field"},
        /* types */
        {"'mime':'text'", ".mime: 'text' is not a media type"},
        {"'type':'folder','mime':'text/plain'", ".mime: can be said of files only"},
        {"'type':'shortcut','mime':'text/plain'", ".mime: can be said of files only"},
        {"'type':'document','mime':'text/plain'", ".mime: can be said of files only"},
        {"'type':''", ".type: '' is not a kind such as file, folder, document"},
        {"'mime':''", ".mime: '' is not a media type"},
        {"'type':'text/plain'", ".type: 'text/plain' is not a kind such as file, folder, document"},
        /* contents */
        {"'type':'folder','content':''", ".content: can be said of files and documents only"},
        {"'type':'folder','content':7", ".content: must be a text, not 7"},
        {"'type':'document','content':7", ".content: must be a text, not 7"},
        {"'parent':'','vendor':'none'", ".vendor: its owner has no drive with 'none'"},
        {"'type':'shortcut','target':'t','content':'x'",
         ".content: can be said of files and documents only"},
        {"'type':'form','content':'x'", ".content: can\\'t be said of a form"},
        {"'type':'form','model':{}", ".model: can\\'t be said of a form"},
        {"'type':'folder','base64':'AA=='", ".base64: can be said of files with bytes only"},
        {"'type':'document','base64':'AA=='", ".base64: can be said of files with bytes only"},
        {"'base64':'A'", ".base64: is not base64"},
        {"'content':'x','base64':'AA=='", ": must have one of content, base64"},
        {"'type':'document','model':{'kind':'spreadsheet'},'content':'x','format':7",
         ".format: must be a text, not 7"},
        {"'type':'document','content':'x','format':'image/png'",
         ".content: is not image/png: such a document"},
        {"'type':'document','model':7", ".model: is not a document: "},
        {"'type':'document','model':{'kind':'none'}", ".model: is not a document: kind must be"},
        {"'type':'folder','keep':true", ": keep and published can be said of files and documents"},
        {"'type':'folder','published':true", ": keep and published can be said of files and"},
        {"'type':'folder','publishAuto':true", ": keep and published can be said of files and"},
        {"'type':'folder','publishOutside':true", ": keep and published can be said of files"},
        {"'restrictions':{}", ".restrictions: must be a list, not an empty object"},
        {"'downloads':[]", ".downloads: must be an object, not an empty list"},
        {"'media':[]", ".media: must be an object, not an empty list"},
        /* a picture */
        {"'thumbnail':7", ": must be an object, not 7"},
        {"'thumbnail':{'mime':7,'base64':'AA=='}", ".mime: must be a text, not 7"},
        {"'thumbnail':{'base64':'AA=='}", ".mime: is missing"},
        {"'thumbnail':{'mime':'image/png'}", ".base64: is missing"},
        {"'thumbnail':{'mime':'image/png','base64':''}", ".base64: must not be empty"},
        {"'thumbnail':{'mime':'image/png','base64':'A'}", ".thumbnail: is not base64"},
        {"'thumbnail':{'mime':'image/png','base64':'AA==','size':1}", ".size: there is no such"},
        /* properties */
        {"'properties':7", ".properties: must be an object"},
        {"'properties':[]", ".properties: must be an object"},
        {"'properties':{'a':7}", ".properties: must have texts"},
        {"'properties':{'a':'x','b':null}", ".properties: must have texts"},
        {"'properties':{'a':'x','':'y'}", ".properties: must have names that are not empty"},
        {"'appProperties':{'':{'':'y'}}", ".properties: must have names that are not empty"},
        {"'appProperties':[]", ".appProperties: must be an object of client ids"},
        {"'appProperties':{'1.2':{}}", ".appProperties: there is no app '1.2'"},
        {"'appProperties':{'123.456':[]}", ".properties: must be an object"},
        {"'appProperties':{'123.456':{'a':7}}", ".properties: must have texts"},
    };
    (void)state;
    all_refused("files[0]", list, SOSIA_LEN(list), why_not);
}

/* ---- what belongs to it ---- */

static const char *grant_why(const char *members)
{
    return why_not(arena_printf(&test_arena, "'permissions':[{%s}]", members));
}

static void a_permission_names_one_and_a_role(void **state)
{
    static const struct wrong list[] = {
        {"", ": must have one of person, group, domain, anyone"},
        {"'anyone':false", ": must have one of person, group, domain, anyone"},
        {"'person':'" BOB "','group':'all@acme.example'", ": must have one of person, group, "},
        {"'person':'" BOB "','domain':'acme.example'", ": must have one of person, group, domain"},
        {"'group':'all@acme.example','anyone':true", ": must have one of person, group, domain, "},
        {"'domain':'acme.example','anyone':true", ": must have one of person, group, domain, "},
        {"'person':7", ".person: must be a text, not 7"},
        {"'group':7", ".group: must be a text, not 7"},
        {"'domain':7", ".domain: must be a text, not 7"},
        {"'anyone':'yes'", ".anyone: must be true or false, not 'yes'"},
        {"'person':'bob'", ".person: is not an address"},
        {"'group':'all'", ".group: is not an address"},
        {"'domain':'acme'", ".domain: 'acme' is not a domain"},
        {"'domain':'a b.example'", ".domain: 'a b.example' is not a domain"},
        {"'anyone':true,'role':'owner'", ".role: can\\'t be granted"},
        {"'anyone':true,'role':'metadata'", ".role: can\\'t be granted"},
        {"'anyone':true,'role':'none at all'", ".role: 'none at all' is none of none, metadata"},
        {"'anyone':true,'role':7", ".role: must be a text, not 7"},
        {"'anyone':true,'view':'all'", ".view: must be published, not 'all'"},
        {"'anyone':true,'view':7", ".view: must be a text, not 7"},
        {"'anyone':true,'found':7", ".found: must be true or false, not 7"},
        {"'anyone':true,'lowers':7", ".lowers: must be true or false, not 7"},
        {"'anyone':true,'pending':7", ".pending: must be true or false, not 7"},
        {"'anyone':true,'expires':'then'", ".expires: 'then' is not a time"},
        {"'anyone':true,'until':7", ".until: there is no such field"},
    };
    (void)state;
    all_refused("files[0].permissions[0]", list, SOSIA_LEN(list), grant_why);
}

static const char *mine_why(const char *members)
{
    return why_not(arena_printf(&test_arena, "'people':[{'person':'" BOB "'},{%s}]", members));
}

static void what_it_is_to_somebody_names_who(void **state)
{
    static const struct wrong list[] = {
        {"", ".person: is missing"},
        {"'person':7", ".person: must be a text, not 7"},
        {"'person':'none@acme.example'", ".person: there is nobody 'none@acme.example'"},
        {"'person':'" EVE "','starred':7", ".starred: must be true or false, not 7"},
        {"'person':'" EVE "','hidden':7", ".hidden: must be true or false, not 7"},
        {"'person':'" EVE "','viewed':'then'", ".viewed: 'then' is not a time"},
        {"'person':'" EVE "','modified':'then'", ".modified: 'then' is not a time"},
        {"'person':'" EVE "','shared':'then'", ".shared: 'then' is not a time"},
        {"'person':'" EVE "','shared':true", ".shared: must be a text, not true"},
        {"'person':'" EVE "','by':'none@acme.example'", ".by: there is nobody 'none@acme"},
        {"'person':'" EVE "','by':7", ".by: must be a text, not 7"},
        {"'person':'" EVE "','seen':7", ".seen: there is no such field"},
    };
    (void)state;
    all_refused("files[0].people[1]", list, SOSIA_LEN(list), mine_why);
}

static const char *revision_why(const char *members)
{
    return why_not(arena_printf(&test_arena, "'revisions':[{'content':'1'},{%s}]", members));
}

static void an_earlier_content_is_one(void **state)
{
    static const struct wrong list[] = {
        {"'content':7", ".content: must be a text, not 7"},
        {"'base64':7", ".base64: must be a text, not 7"},
        {"'base64':'A'", ".base64: is not base64"},
        {"'content':'a','base64':'AA=='", ": must have one of content, base64"},
        {"'modified':'then'", ".modified: 'then' is not a time"},
        {"'modifiedBy':'none@acme.example'", ".modifiedBy: there is nobody 'none@acme.example'"},
        {"'keep':7", ".keep: must be true or false, not 7"},
        {"'mime':'text/plain'", ".mime: there is no such field"},
    };
    (void)state;
    all_refused("files[0].revisions[1]", list, SOSIA_LEN(list), revision_why);
}

static const char *link_why(const char *members)
{
    return why_not(arena_printf(&test_arena, "'links':[{'token':'t1'},{%s}]", members));
}

static void a_link_is_for_some_and_of_a_kind(void **state)
{
    static const struct wrong list[] = {
        {"'token':'t1'", ".token: 't1' is there already: files[0].links[0].token"},
        {"'token':''", ".token: must not be empty"},
        {"'passwordHash':''", ".passwordHash: must be a salt and a hash, with a colon between"},
        {"'passwordHash':'abc'", ".passwordHash: must be a salt and a hash, with a colon between"},
        {"'token':7", ".token: must be a text, not 7"},
        {"'scope':'all'", ".scope: 'all' is none of anonymous, organization, users"},
        {"'scope':7", ".scope: must be a text, not 7"},
        {"'type':'all'", ".type: 'all' is none of view, edit, embed"},
        {"'type':7", ".type: must be a text, not 7"},
        {"'scope':'users'", ".users: must have from 1 to 1000 addresses in a link for users"},
        {"'scope':'users','users':[]", ".users: must have from 1 to 1000 addresses in a link"},
        {"'scope':'users','users':['" BOB "','bob']", ".users: must have addresses only"},
        {"'users':['bob']", ".users: must have addresses only"},
        {"'users':'" BOB "'", ".users: must be a list"},
        {"'users':['" BOB "',7]", ".users[1]: must be a text, not 7"},
        {"'expires':'then'", ".expires: 'then' is not a time"},
        {"'created':'then'", ".created: 'then' is not a time"},
        {"'password':7", ".password: must be a text, not 7"},
        {"'passwordHash':7", ".passwordHash: must be a text, not 7"},
        {"'password':'a','passwordHash':'0a:0b'", ".password: must not be beside passwordHash"},
        {"'noDownload':7", ".noDownload: must be true or false, not 7"},
        {"'by':'none@acme.example'", ".by: there is no actor 'none@acme.example'"},
        {"'by':7", ".by: must be a text, not 7"},
        {"'for':7", ".for: there is no such field"},
    };
    (void)state;
    all_refused("files[0].links[1]", list, SOSIA_LEN(list), link_why);
}

/* One more than there may be; and as many. */
static void a_link_has_a_thousand_users(void **state)
{
    struct buf b;
    (void)state;
    buf_init(&b, 0);
    for (int i = 0; i < 1000; i++)
        buf_printf(&b, "%s'u%d@far.example'", i ? "," : "", i);
    const char *users = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    for (int scope = 0; scope < 2; scope++) {
        const char *of = scope ? "'scope':'users'," : "";
        assert_string_equal(
            why_not(arena_printf(&test_arena, "'links':[{%s'users':[%s]}]", of, users)), "");
        assert_non_null(
            strstr(why_not(arena_printf(&test_arena, "'links':[{%s'users':[%s,'v@far.example']}]",
                                        of, users)),
                   "files[0].links[0].users: must have from 1 to 1000 addresses"));
    }
}

static void links_are_of_vendors_that_have_them(void **state)
{
    (void)state;
    assert_string_equal(link_why("'token':'t2'"),
                        "seed:1: files[0].links[0]: drives of loose have no links");
    assert_string_equal(why_not("'links':[]"), "");
}

static const char *comment_why(const char *members)
{
    return why_not(arena_printf(
        &test_arena, "'comments':[{'id':'c','author':'" BOB "','content':'1'},{%s}]", members));
}

static const char *reply_why(const char *members)
{
    return why_not(arena_printf(&test_arena,
                                "'comments':[{'author':'" BOB "','content':'1','replies':[{'id':'r'"
                                ",'author':'" BOB "','content':'2'},{%s}]}]",
                                members));
}

static void a_comment_says_something(void **state)
{
    static const struct wrong
        both[] =
            {
                {"", ".author: is missing"},
                {"'author':7", ".author: must be a text, not 7"},
                {"'author':'none@acme.example','content':'x'",
                 ".author: there is nobody 'none@acme.exa"},
                {"'author':'" BOB "'", ": must have content"},
                {"'author':'" BOB "','content':7", ".content: must be a text, not 7"},
                {"'author':'" BOB "','content':'x','deleted':7",
                 ".deleted: must be true or false, not 7"},
                {"'author':'" BOB "','content':'x','deleted':true",
                 ".content: what is deleted has none"},
                {"'author':'" BOB "','content':'x','created':'then'",
                 ".created: 'then' is not a time"},
                {"'author':'" BOB "','content':'x','modified':'then'",
                 ".modified: 'then' is not a time"},
                {"'author':'" BOB "','content':'x','id':7", ".id: must be a text, not 7"},
                {"'author':'" BOB "','content':'x','id':''", ".id: must not be empty"},
                {"'author':'" BOB "','content':'x','said':7", ".said: there is no such field"},
            },
        comments[] =
            {
                {"'author':'" BOB "','content':'x','id':'c'",
                 ".id: 'c' is there already: files[0].comme"},
                {"'author':'" BOB "','content':'x','quoted':7", ".quoted: must be a text, not 7"},
                {"'author':'" BOB "','content':'x','quotedMime':7",
                 ".quotedMime: must be a text, not 7"},
                {"'author':'" BOB "','content':'x','anchor':7", ".anchor: must be a text, not 7"},
                {"'author':'" BOB "','content':'x','state':'shut'",
                 ".state: 'shut' is none of open, reso"},
                {"'author':'" BOB "','content':'x','replies':7", ".replies: must be a list, not 7"},
                {"'author':'" BOB "','content':'x','replies':[7]",
                 ".replies[0]: must be an object, not"},
                {"'author':'" BOB "','content':'x','action':'resolve'",
                 ".action: there is no such field"},
            },
        replies[] = {
            {"'author':'" BOB "','content':'x','id':'r'",
             ".id: 'r' is there already: files[0].comme"},
            {"'author':'" BOB "','action':'none'", ": must have content"},
            {"'author':'" BOB "','action':'shut'",
             ".action: 'shut' is none of none, resolve, reopen"},
            {"'author':'" BOB "','content':'x','state':'open'", ".state: there is no such field"},
            {"'author':'" BOB "','content':'x','quoted':'x'", ".quoted: there is no such field"},
        };
    (void)state;
    all_refused("files[0].comments[1]", both, SOSIA_LEN(both), comment_why);
    all_refused("files[0].comments[1]", comments, SOSIA_LEN(comments), comment_why);
    all_refused("files[0].comments[0].replies[1]", both, SOSIA_LEN(both), reply_why);
    all_refused("files[0].comments[0].replies[1]", replies, SOSIA_LEN(replies), reply_why);
}

/* ---- places ---- */

static const char *files_why(const char *files)
{
    const struct json *dump;
    return made_of(arena_printf(&test_arena, "'files':[%s]", files), &dump);
}

static void an_item_is_in_a_folder_that_is_there(void **state)
{
#define A "'owner':'" ADA "'"
    static const struct wrong list[] = {
        {"{" A ",'name':'x','id':''}", "files[0].id: must not be empty"},
        {"{" A ",'name':''}", "files[0].name: must not be empty"},
        {"{" A "}", "files[0].name: is missing"},
        {"{'name':'x','owner':'none@acme.example'}",
         "files[0].owner: there is nobody 'none@acme.example'"},
        {"{'name':'x'}", "files[0]: must have an owner, or be in a folder of a shared drive"},
        {"{'name':'x','parent':''}", "files[0]: must have an owner, or be in a folder of a shared"},
        {"{'name':'x','parent':'f'},{'id':'f','name':'f','type':'folder'," A "}",
         "files[0]: must have an owner, or be in a folder of a shared drive"},
        {"{'name':'x','vendor':'loose'}", "files[0].vendor: its owner has no drive with 'loose'"},
        {"{" A ",'name':'x','parent':'none'}", "files[0].parent: there is no folder 'none'"},
        {"{" A ",'name':'a','id':'a'},{" A ",'name':'x','parent':'a'}",
         "files[1].parent: there is no folder 'a'"},
        {"{" A ",'name':'a','id':'a','type':'shortcut','target':'t'},{" A
         ",'name':'x','parent':'a'}",
         "files[1].parent: there is no folder 'a'"},
        {"{" A ",'name':'a','id':'a','type':'folder','parent':'a'}",
         "files[0].parent: is in the folder itself"},
        {"{" A ",'name':'a','id':'a','type':'folder','parent':'b'},{" A
         ",'name':'b','id':'b','type':'folder','parent':'c'},{" A
         ",'name':'c','id':'c','type':'folder','parent':'a'}",
         "files[2].parent: is in the folder itself"},
        {"{" A ",'name':'x','space':'123.456','parent':'f'},{" A
         ",'name':'f','id':'f','type':'folder'}",
         "files[0].parent: is of another space"},
        {"{" A ",'name':'x','parent':'f'},{" A
         ",'name':'f','id':'f','type':'folder','space':'123.456'}",
         "files[0].parent: is of another space"},
        {"{" A ",'name':'a','id':'a'},{" A ",'name':'b'},{" A ",'name':'c','id':'a'}",
         "files[2].id: 'a' is there already: files[0].id"},
        {"{" A ",'name':'x','type':'shortcut'}", "files[0]: a shortcut must have a target"},
    };
    (void)state;
    all_refused("", list, SOSIA_LEN(list), files_why);
    const char *why =
        files_why("{" A ",'name':'a','content':'x'},{" A ",'name':'A','content':'y'}");
    assert_string_equal(
        why, vendor->unique_names ? "seed:1: files[1].name: its folder has \"A\" already" : "");
    assert_string_equal(files_why("{" A ",'name':'a'},{" A ",'name':'A','trashed':true}"), "");
#undef A
}

/* ---- shared drives ---- */

static const char *drive_why(const char *members)
{
    const struct json *dump;
    return made_of(arena_printf(&test_arena,
                                "'sharedDrives':[{'id':'d','name':'D'},{'id':'e','name':'E'%s%s}]",
                                *members ? "," : "", members),
                   &dump);
}

static const char *bare_why(const char *members)
{
    const struct json *dump;
    return made_of(arena_printf(&test_arena, "'sharedDrives':[{%s}]", members), &dump);
}

static void a_shared_drive_has_a_name_and_members(void **state)
{
    static const struct wrong
        bare[] =
            {
                {"", ".id: is missing"},
                {"'id':'d'", ".name: is missing"},
                {"'name':'D'", ".id: is missing"},
                {"'id':7,'name':'D'", ".id: must be a text, not 7"},
                {"'id':'d','name':7", ".name: must be a text, not 7"},
                {"'id':'d','name':''", ".name: must not be empty"},
                {"'id':'','name':'D'", ".id: must not be empty"},
            },
        list[] = {
            {"'creator':'none@acme.example'", ".creator: there is nobody 'none@acme.example'"},
            {"'creator':7", ".creator: must be a text, not 7"},
            {"'created':'then'", ".created: 'then' is not a time"},
            {"'created':7", ".created: must be a text, not 7"},
            {"'theme':7", ".theme: must be a text, not 7"},
            {"'color':7", ".color: must be a text, not 7"},
            {"'background':7", ".background: must be an object, not 7"},
            {"'background':[]", ".background: must be an object, not an empty list"},
            {"'request':7", ".request: must be a text, not 7"},
            {"'adminManaged':7", ".adminManaged: must be true or false, not 7"},
            {"'copyWriters':7", ".copyWriters: must be true or false, not 7"},
            {"'domainOnly':7", ".domainOnly: must be true or false, not 7"},
            {"'membersOnly':7", ".membersOnly: must be true or false, not 7"},
            {"'foldersOrganizer':7", ".foldersOrganizer: must be true or false, not 7"},
            {"'readersNoDownload':7", ".readersNoDownload: must be true or false, not 7"},
            {"'writersNoDownload':7", ".writersNoDownload: must be true or false, not 7"},
            {"'members':7", ".members: must be a list, not 7"},
            {"'members':[7]", ".members[0]: must be an object, not 7"},
            {"'members':[{'person':'" BOB "'},{}]",
             ".members[1]: must have one of person, group, do"},
            {"'members':[{'person':'" BOB "','role':'owner'}]",
             ".members[0].role: can\\'t be granted"},
            {"'people':7", ".people: must be a list, not 7"},
            {"'people':[{'person':'none@acme.example'}]",
             ".people[0].person: there is nobody 'none@"},
            {"'owner':'" ADA "'", ".owner: there is no such field"},
        };
    (void)state;
    all_refused("sharedDrives[0]", bare, SOSIA_LEN(bare), bare_why);
    all_refused("sharedDrives[1]", list, SOSIA_LEN(list), drive_why);
    const struct json *dump;
    assert_non_null(
        strstr(made_of("'sharedDrives':[{'id':'d','name':'D'},{'id':'d','name':'E'}]", &dump),
               "sharedDrives[1].id: \"d\" is there already: sharedDrives[0].id"));
    assert_non_null(
        strstr(made_of("'sharedDrives':[{'id':'d','name':'D'}],'files':[{'id':'d','name':'x',"
                       "'owner':'" ADA "'}]",
                       &dump),
               "files[0].id: \"d\" is there already"));
    assert_string_equal(made_of("'sharedDrives':{}", &dump),
                        "seed:1: sharedDrives: must be a list");
    assert_string_equal(made_of("'files':{}", &dump), "seed:1: files: must be a list");
    assert_string_equal(made_of("'files':[],'sharedDrives':[]", &dump), "");
}

/* ---- a world that is there ---- */

/* A document that is refused in its middle leaves the world as it was. */
static void what_is_refused_makes_nothing(void **state)
{
    const char *doc = quoted("{'sosia':1,'sharedDrives':[{'id':'dir!d','name':'D'}],'files':[{"
                             "'id':'doc!a','name':'a','owner':'" ADA "','content':'x'},{'id':"
                             "'doc!b','name':'b','owner':'" ADA "','parent':'none'}]}");
    struct sosia_blob before, after;
    (void)state;
    end();
    done(sosia_world_dump(test_engine, test_world, &before, &fault));
    assert_int_equal(sosia_world_seed(test_engine, test_world, doc, strlen(doc), "more", &fault),
                     -1);
    assert_string_equal(fault.text, "more:1: files[1].parent: there is no folder \"none\"");
    fault = (struct sosia_err){0};
    done(sosia_world_dump(test_engine, test_world, &after, &fault));
    assert_string_equal((const char *)after.data, (const char *)before.data);
    sosia_blob_free(&before);
    sosia_blob_free(&after);
    begin();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ONE(a_files_members_have_their_types, strict),
        ONE(a_files_members_make_sense, strict),
        ONE(a_permission_names_one_and_a_role, strict),
        ONE(what_it_is_to_somebody_names_who, strict),
        ONE(an_earlier_content_is_one, strict),
        ONE(a_link_is_for_some_and_of_a_kind, strict),
        ONE(a_link_has_a_thousand_users, strict),
        ONE(links_are_of_vendors_that_have_them, loose),
        ONE(a_comment_says_something, strict),
        BOTH(an_item_is_in_a_folder_that_is_there),
        ONE(a_shared_drive_has_a_name_and_members, strict),
        ONE(what_is_refused_makes_nothing, strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Hostile bodies, for every method that takes one: the service's refusal, and a world as it was. */
#include "tests/support/gdrive.h"
#include "tests/support/unit.h"

struct hostile {
    const char *body;
    int status; /* 0: 400 */
    const char *reason;
};

static const char *target;

static const char *open_file(const char *rest)
{
    return arena_printf(&test_arena, "/files/doc%s", rest);
}

static void seed(void)
{
    gdrive_seed("files:\n"
                "  - {id: doc, owner: ada@acme.example, name: x.txt, mime: text/plain, content: "
                "hello}\n"
                "  - {id: dir, owner: ada@acme.example, name: D, type: folder}\n");
}

/* Each is refused, and nothing of it stays. */
static void refuse_all(const char *method, const struct hostile *list, size_t n)
{
    char before[65], after[65];
    assert_int_equal(sosia_world_hash(test_engine, test_world, before, &test_err), 0);
    for (size_t i = 0; i < n; i++) {
        as(ADA, method, target, list[i].body);
        assert_refused(list[i].status ? list[i].status : 400, list[i].reason);
        assert_int_equal(sosia_world_hash(test_engine, test_world, after, &test_err), 0);
        assert_string_equal(before, after);
    }
}

#define REFUSE_ALL(method, path, list)                                                             \
    do {                                                                                           \
        target = (path);                                                                           \
        refuse_all((method), (list), SOSIA_LEN(list));                                             \
    } while (0)

/* What every method refuses. */
static const struct hostile no_object[] = {
    {"[]", 0, "badRequest"},
    {"'text'", 0, "badRequest"},
    {"{", 0, "parseError"},
    {"{'name':'a\\u0000b'}", 0, "parseError"},
};

static const struct hostile files[] = {
    {"{'name':['a']}", 0, "badRequest"},
    {"{'name':{}}", 0, "badRequest"},
    {"{'starred':'yes'}", 0, "badRequest"},
    {"{'starred':1}", 0, "badRequest"},
    {"{'trashed':[]}", 0, "badRequest"},
    {"{'writersCanShare':'true'}", 0, "badRequest"},
    {"{'modifiedTime':'yesterday'}", 0, "invalid"},
    {"{'modifiedTime':{}}", 0, "badRequest"},
    {"{'viewedByMeTime':'2026-13-01T00:00:00Z'}", 0, "invalid"},
    {"{'properties':[]}", 0, "badRequest"},
    {"{'properties':'a'}", 0, "badRequest"},
    {"{'properties':{'a':{}}}", 0, "badRequest"},
    {"{'appProperties':{'':'a'}}", 0, "invalid"},
    {"{'contentHints':'a'}", 0, "badRequest"},
    {"{'contentHints':{'thumbnail':[]}}", 0, "badRequest"},
    {"{'contentHints':{'thumbnail':{'image':'AAAA','mimeType':'text/plain'}}}", 0, "invalid"},
    {"{'contentHints':{'thumbnail':{'image':'?','mimeType':'image/png'}}}", 0, "invalid"},
    {"{'contentHints':{'indexableText':{}}}", 0, "badRequest"},
    {"{'contentRestrictions':{'readOnly':true}}", 0, "badRequest"},
    {"{'contentRestrictions':[null]}", 0, "badRequest"},
    {"{'contentRestrictions':['a']}", 0, "badRequest"},
    {"{'contentRestrictions':[{'readOnly':'a'}]}", 0, "badRequest"},
    {"{'contentRestrictions':[{'readOnly':true},{'readOnly':true}]}", 0, "invalid"},
    {"{'downloadRestrictions':'a'}", 0, "badRequest"},
    {"{'downloadRestrictions':{'itemDownloadRestriction':{'restrictedForReaders':3}}}", 0,
     "badRequest"},
    {"{'folderColorRgb':'red'}", 0, "invalid"},
    {"{'folderColorRgb':'#12345678901234567890123456789012345'}", 0, "invalid"},
    {"{'shared':true}", 403, "fieldNotWritable"},
    {"{'capabilities':{}}", 403, "fieldNotWritable"},
    {"{'owners':[]}", 403, "fieldNotWritable"},
    {"{'size':'12'}", 403, "fieldNotWritable"},
    {"{'webViewLink':'http://a'}", 403, "fieldNotWritable"},
};
static const struct hostile files_new[] = {
    {"{'parents':'dir'}", 0, "badRequest"},
    {"{'parents':[1]}", 404, "notFound"},
    {"{'parents':[null]}", 0, "badRequest"},
    {"{'parents':[['dir']]}", 0, "badRequest"},
    {"{'parents':['dir','dir']}", 403, "cannotAddParent"},
    {"{'createdTime':'soon'}", 0, "invalid"},
    {"{'id':'a b'}", 0, "invalid"},
    {"{'id':[]}", 0, "badRequest"},
};
static const struct hostile files_old[] = {
    {"{'parents':['dir']}", 403, "fieldNotWritable"},
    {"{'id':'doc'}", 403, "fieldNotWritable"},
    {"{'createdTime':'2026-01-01T00:00:00Z'}", 403, "fieldNotWritable"},
    {"{'shortcutDetails':{'targetId':'doc'}}", 403, "fieldNotWritable"},
};

static void bodies_of_files(void **state)
{
    (void)state;
    seed();
    REFUSE_ALL("POST", "/files", no_object);
    REFUSE_ALL("POST", "/files", files);
    REFUSE_ALL("POST", "/files", files_new);
    REFUSE_ALL("POST", open_file("/copy"), no_object);
    REFUSE_ALL("POST", open_file("/copy"), files);
    REFUSE_ALL("POST", open_file("/copy"), files_new);
    REFUSE_ALL("PATCH", open_file(""), no_object);
    REFUSE_ALL("PATCH", open_file(""), files);
    REFUSE_ALL("PATCH", open_file(""), files_old);
}

/* Scalars of another type, null, what has no field, and what is empty and read-only. */
static void what_passes(void **state)
{
    (void)state;
    seed();
    const struct json *v = as(ADA, "PATCH", open_file("?fields=*"),
                              "{'name':12,'description':true,'size':null,'parents':null,"
                              "'kind':'drive#file','noSuchMember':{'a':[1]},'starred':null}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "name"), "12");
    assert_string_equal(text_at(v, "description"), "true");
    assert_string_equal(text_at(v, "size"), "5");
}

static void names_have_a_longest_length(void **state)
{
    (void)state;
    static const struct {
        const char *method, *target, *before, *after;
        int most;
    } list[] = {
        {"POST", "/files", "{'name':'", "'}", 32767},
        {"PATCH", "/files/doc", "{'name':'", "'}", 32767},
        {"POST", "/files/doc/copy", "{'name':'", "'}", 32767},
        {"POST", "/drives?requestId=r", "{'name':'", "'}", 1024},
        {"POST", "/files/doc/comments?fields=id", "{'content':'", "'}", 32768},
        {"PATCH", "/files/doc", "{'properties':{'k':'", "'}}", 123},
    };
    seed();
    for (size_t i = 0; i < SOSIA_LEN(list); i++) {
        char *text = arena_alloc(&test_arena, (size_t)list[i].most + 2);
        memset(text, 'n', (size_t)list[i].most + 1);
        text[list[i].most + 1] = 0;
        as(ADA, list[i].method, list[i].target,
           arena_printf(&test_arena, "%s%s%s", list[i].before, text, list[i].after));
        assert_refused(400, "invalid");
        text[list[i].most] = 0;
        as(ADA, list[i].method, list[i].target,
           arena_printf(&test_arena, "%s%s%s", list[i].before, text, list[i].after));
        assert_int_equal(test_status, 200);
    }
}

#define WHOM "'emailAddress':'bob@acme.example'"

static const struct hostile permissions_new[] = {
    {"{}", 0, "required"},
    {"{'type':'user'}", 0, "required"},
    {"{'role':'reader'}", 0, "required"},
    {"{'type':null,'role':'reader'}", 0, "required"},
    {"{'type':'users','role':'reader'," WHOM "}", 0, "invalid"},
    {"{'type':'user','role':'none'," WHOM "}", 0, "invalid"},
    {"{'type':'user','role':'Reader'," WHOM "}", 0, "invalid"},
    {"{'type':['user'],'role':'reader'," WHOM "}", 0, "badRequest"},
    {"{'type':'user','role':{}," WHOM "}", 0, "badRequest"},
    {"{'type':'user','role':'reader','emailAddress':['bob@acme.example']}", 0, "badRequest"},
    {"{'type':'user','role':'reader','emailAddress':'bob'}", 0, "invalid"},
    {"{'type':'user','role':'reader','expirationTime':'soon'," WHOM "}", 0, "invalid"},
    {"{'type':'user','role':'reader','expirationTime':[]," WHOM "}", 0, "badRequest"},
    {"{'type':'user','role':'reader','pendingOwner':'a'," WHOM "}", 0, "badRequest"},
    {"{'type':'user','role':'reader','view':'all'," WHOM "}", 0, "invalid"},
    {"{'type':'anyone','role':'reader','allowFileDiscovery':'no'}", 0, "badRequest"},
    {"{'type':'domain','role':'reader','domain':'a b'}", 0, "invalid"},
};
static const struct hostile permissions_old[] = {
    {"{'type':'user','role':'writer'}", 403, "fieldNotWritable"},
    {"{'emailAddress':'eve@other.example','role':'writer'}", 403, "fieldNotWritable"},
    {"{'id':'1','role':'writer'}", 403, "fieldNotWritable"},
    {"{'displayName':'B','role':'writer'}", 403, "fieldNotWritable"},
    {"{'role':'boss'}", 0, "invalid"},
    {"{'role':[]}", 0, "badRequest"},
    {"{'expirationTime':'soon'}", 0, "invalid"},
    {"{'pendingOwner':7}", 0, "badRequest"},
};

static void bodies_of_permissions(void **state)
{
    (void)state;
    seed();
    const char *id = text_at(as(ADA, "POST", open_file("/permissions?sendNotificationEmail=false"),
                                "{'type':'user','role':'reader'," WHOM "}"),
                             "id");
    const char *one = arena_printf(&test_arena, "/files/doc/permissions/%s", id);
    REFUSE_ALL("POST", open_file("/permissions"), no_object);
    REFUSE_ALL("POST", open_file("/permissions"), permissions_new);
    REFUSE_ALL("PATCH", one, no_object);
    REFUSE_ALL("PATCH", one, permissions_old);
}

static const struct hostile drives[] = {
    {"{'name':''}", 0, "invalid"},
    {"{'name':['D']}", 0, "badRequest"},
    {"{'name':'D','themeId':'none'}", 0, "invalid"},
    {"{'name':'D','themeId':{}}", 0, "badRequest"},
    {"{'name':'D','colorRgb':'red'}", 0, "invalid"},
    {"{'name':'D','backgroundImageFile':'a'}", 0, "badRequest"},
    {"{'name':'D','backgroundImageFile':{'id':'doc','width':'wide'}}", 0, "badRequest"},
    {"{'name':'D','backgroundImageFile':{'id':'doc','width':2}}", 0, "invalid"},
    {"{'name':'D','restrictions':[]}", 0, "badRequest"},
    {"{'name':'D','restrictions':{'domainUsersOnly':'a'}}", 0, "badRequest"},
    {"{'name':'D','restrictions':{'downloadRestriction':1}}", 0, "badRequest"},
};

static void bodies_of_drives(void **state)
{
    (void)state;
    seed();
    const char *id = text_at(as(ADA, "POST", "/drives?requestId=a", "{'name':'D'}"), "id");
    static const char *const paths[] = {"/drives", "/teamdrives"};
    for (size_t i = 0; i < SOSIA_LEN(paths); i++) {
        const char *make_one = arena_printf(&test_arena, "%s?requestId=b", paths[i]);
        const char *one = arena_printf(&test_arena, "%s/%s", paths[i], id);
        REFUSE_ALL("POST", make_one, no_object);
        REFUSE_ALL("POST", make_one, drives);
        REFUSE_ALL("PATCH", one, no_object);
        REFUSE_ALL("PATCH", one, drives);
    }
}

static const struct hostile said[] = {
    {"{}", 0, "required"},
    {"{'content':''}", 0, "required"},
    {"{'content':null}", 0, "required"},
    {"{'content':['a']}", 0, "badRequest"},
    {"{'content':{}}", 0, "badRequest"},
};
static const struct hostile quotes[] = {
    {"{'content':'a','quotedFileContent':'b'}", 0, "badRequest"},
    {"{'content':'a','quotedFileContent':{'value':[]}}", 0, "badRequest"},
    {"{'content':'a','anchor':{}}", 0, "badRequest"},
};
static const struct hostile actions[] = {
    {"{'action':'close'}", 0, "invalid"},
    {"{'action':['resolve']}", 0, "badRequest"},
};

static void bodies_of_comments(void **state)
{
    (void)state;
    seed();
    const char *id =
        text_at(as(ADA, "POST", open_file("/comments?fields=id"), "{'content':'a'}"), "id");
    const char *one = arena_printf(&test_arena, "/files/doc/comments/%s", id);
    const char *replies = arena_printf(&test_arena, "%s/replies?fields=id", one);
    const char *reply = text_at(as(ADA, "POST", replies, "{'content':'b'}"), "id");
    one = arena_printf(&test_arena, "%s?fields=id", one);
    reply = arena_printf(&test_arena, "/files/doc/comments/%s/replies/%s?fields=id", id, reply);
    REFUSE_ALL("POST", open_file("/comments?fields=id"), no_object);
    REFUSE_ALL("POST", open_file("/comments?fields=id"), said);
    REFUSE_ALL("POST", open_file("/comments?fields=id"), quotes);
    REFUSE_ALL("PATCH", one, no_object);
    REFUSE_ALL("PATCH", one, said);
    REFUSE_ALL("POST", replies, no_object);
    REFUSE_ALL("POST", replies, said);
    REFUSE_ALL("POST", replies, actions);
    REFUSE_ALL("PATCH", reply, no_object);
    REFUSE_ALL("PATCH", reply, said);
}

static const struct hostile revisions[] = {
    {"{'keepForever':'yes'}", 0, "badRequest"},
    {"{'keepForever':{}}", 0, "badRequest"},
    {"{'published':1}", 0, "badRequest"},
    {"{'published':true}", 403, "fieldNotWritable"},
};
static const struct hostile channels[] = {
    {"{}", 0, "required"},
    {"{'id':['a'],'type':'web_hook','address':'https://a.example/'}", 0, "badRequest"},
    {"{'id':'a','type':{},'address':'https://a.example/'}", 0, "badRequest"},
    {"{'id':'a','type':'web_hook','address':'https://a.example/','params':[]}", 0, "badRequest"},
};

static void bodies_of_revisions_and_channels(void **state)
{
    (void)state;
    seed();
    const struct json *v = as(ADA, "GET", open_file("/revisions"), NULL);
    const char *one =
        arena_printf(&test_arena, "/files/doc/revisions/%s", text_at(v, "revisions.0.id"));
    v = as(ADA, "GET", "/changes/startPageToken", NULL);
    const char *changes =
        arena_printf(&test_arena, "/changes/watch?pageToken=%s", text_at(v, "startPageToken"));
    REFUSE_ALL("PATCH", one, no_object);
    REFUSE_ALL("PATCH", one, revisions);
    REFUSE_ALL("POST", open_file("/watch"), no_object);
    REFUSE_ALL("POST", open_file("/watch"), channels);
    REFUSE_ALL("POST", changes, no_object);
    REFUSE_ALL("POST", changes, channels);
}

/* The first part of an upload is checked in the same way, and so is the metadata of an upload in
 * pieces, whose last request is a PUT. */
static void bodies_of_uploads(void **state)
{
    (void)state;
    static const char *const type[] = {"Content-Type", "multipart/related; boundary=b", NULL};
    static const char *const json[] = {"Content-Type", "application/json", NULL};
    seed();
    for (size_t i = 0; i < SOSIA_LEN(files); i++) {
        const char *text = quoted(arena_printf(&test_arena,
                                               "--b\r\nContent-Type: application/json\r\n\r\n%s"
                                               "\r\n--b\r\nContent-Type: text/plain\r\n\r\n"
                                               "hello\r\n--b--\r\n",
                                               files[i].body));
        ask(ADA, "POST", "/upload/drive/v3/files?uploadType=multipart", type, text, strlen(text));
        assert_refused(files[i].status ? files[i].status : 400, files[i].reason);
    }
    const char *text = quoted("{'name':'a','parents':['dir']}");
    ask(ADA, "POST", "/upload/drive/v3/files?uploadType=resumable", json, text, strlen(text));
    assert_int_equal(test_status, 200);
    const char *place = strstr(test_header("Location"), "/upload/");
    assert_non_null(place);
    const struct json *v = ask(ADA, "PUT", place, NULL, "hello", 5);
    assert_int_equal(test_status, 200);
    v = as(ADA, "GET", arena_printf(&test_arena, "/files/%s?fields=parents", text_at(v, "id")),
           NULL);
    assert_string_equal(text_at(v, "parents.0"), "dir");
    text = quoted("{'parents':['dir']}");
    ask(ADA, "PATCH", "/upload/drive/v3/files/doc?uploadType=resumable", json, text, strlen(text));
    if (test_status == 200)
        ask(ADA, "PUT", strstr(test_header("Location"), "/upload/"), NULL, "hello", 5);
    assert_refused(403, "fieldNotWritable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(bodies_of_files),
        gdrive_test(what_passes),
        gdrive_test(names_have_a_longest_length),
        gdrive_test(bodies_of_permissions),
        gdrive_test(bodies_of_drives),
        gdrive_test(bodies_of_comments),
        gdrive_test(bodies_of_revisions_and_channels),
        gdrive_test(bodies_of_uploads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

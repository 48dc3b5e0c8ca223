/* SPDX-License-Identifier: Apache-2.0 */
/* OneDrive: people who have one file and not its folder, and what the limits of drives, pages and
 * addresses hold back. */
#include "tests/support/outlook.h"

#define UNIT  327680
#define QUOTA INT64_C(1099511627776)

static const char *keep(const char *text)
{
    assert_non_null(text);
    return arena_strdup(&test_arena, text);
}

static const struct json *put(const char *who, const char *target, const char *text, int status)
{
    ol_type = "text/plain";
    const struct json *v = ol_do(who, "PUT", target, text, status);
    ol_type = NULL;
    return v;
}

static void refused(int status, const char *code, const char *message)
{
    const struct json *v = parsed(test_body, test_len);
    if (test_status != status)
        fail_msg("%d %s", test_status, test_body);
    assert_string_equal(text_at(v, "error.code"), code);
    if (message)
        assert_string_equal(text_at(v, "error.message"), message);
}

/* Bob's file F/a.txt beside F/b.txt, as "drives/id/items/". */
static const char *drive, *a, *b, *folder;

static void make_files(void)
{
    const struct json *v = put(BOB, "/drive/root:/F/a.txt:/content", "a", 201);
    a = keep(text_at(v, "id"));
    drive = keep(text_at(v, "parentReference.driveId"));
    folder = keep(text_at(v, "parentReference.id"));
    b = keep(text_at(put(BOB, "/drive/root:/F/b.txt:/content", "b", 201), "id"));
}

static void invite(const char *item, const char *who, const char *role)
{
    ol_do(BOB, "POST", ol_text("/drive/items/%s/invite", item),
          ol_text("{'recipients':[{'email':'%s'}],'roles':['%s']}", who, role), 200);
}

/* ---- one file ---- */

static void try_the_folder(int status, const char *code)
{
    ol_type = "text/plain";
    ol(CYD, "PUT",
       ol_text("!/v1.0/drives/%s/root:/F/a.txt:/content?@microsoft.graph.conflictBehavior=rename",
               drive),
       "c");
    ol_type = NULL;
    refused(status, code, NULL);
    ol(CYD, "PATCH", ol_text("!/v1.0/drives/%s/items/%s", drive, a),
       "{'name':'b.txt','@microsoft.graph.conflictBehavior':'replace'}");
    refused(status, code, NULL);
    assert_int_equal(count_at(ol_get(BOB, 200, "/drive/items/%s/children", folder), "value"), 2);
    assert_string_equal(text_at(ol_get(BOB, 200, "/drive/root:/F/b.txt"), "id"), b);
}

static void a_writer_of_one_file_has_nothing_beside_it(void **state)
{
    make_files();
    invite(a, CYD, "write");
    try_the_folder(404, "itemNotFound");
    invite(folder, CYD, "read");
    try_the_folder(403, "accessDenied");
    put(CYD, ol_text("!/v1.0/drives/%s/root:/F/a.txt:/content", drive), "new", 200);
    ol_do(CYD, "PATCH", ol_text("!/v1.0/drives/%s/items/%s", drive, a), "{'name':'c.txt'}", 200);
    invite(folder, CYD, "write");
    ol_do(CYD, "PATCH", ol_text("!/v1.0/drives/%s/items/%s", drive, a),
          "{'name':'b.txt','@microsoft.graph.conflictBehavior':'replace'}", 200);
    assert_string_equal(text_at(ol_get(BOB, 200, "/drive/root:/F/b.txt"), "id"), a);
}

/* The permissions that somebody sees at the file. */
static const struct json *seen(const char *who, size_t n)
{
    const struct json *v = ol_get(who, 200, "!/v1.0/drives/%s/items/%s/permissions", drive, a);
    if (count_at(v, "value") != n)
        fail_msg("%zu permissions and not %zu: %s", count_at(v, "value"), n, test_body);
    return v;
}

static const char *link_of(const char *item)
{
    const struct json *v = ol_do(BOB, "POST", ol_text("/drive/items/%s/createLink", item),
                                 "{'type':'view','scope':'organization'}", 201);
    return keep(text_at(v, "id"));
}

static void a_reader_sees_their_own_permission(void **state)
{
    make_files();
    const char *above = link_of(folder), *own;
    invite(folder, "dee@port.example", "read");
    invite(a, CYD, "read");
    assert_non_null(strstr((seen(BOB, 4), test_body), "dee@port.example"));
    const struct json *v = seen(CYD, 1);
    assert_string_equal(text_at(v, "value.0.grantedToV2.user.email"), CYD);
    assert_null(json_get(value_at(v, "value.0"), "shareId"));
    ol(CYD, "GET", ol_text("!/v1.0/drives/%s/items/%s/permissions/%s", drive, a, above), NULL);
    refused(404, "itemNotFound", NULL);
    /* who may write at the file alone may share that, and not the folder */
    invite(a, CYD, "write");
    own = link_of(a);
    v = seen(CYD, 3);
    assert_null(strstr(test_body, "dee@port.example"));
    assert_null(strstr(test_body, above));
    assert_non_null(strstr(test_body, own));
    assert_non_null(json_get(value_at(v, "value.0"), "shareId"));
    ol(CYD, "DELETE", ol_text("!/v1.0/drives/%s/items/%s/permissions/%s", drive, a, above), NULL);
    refused(404, "itemNotFound", NULL);
    seen(BOB, 5);
    invite(folder, CYD, "write");
    seen(CYD, 5);
}

static void what_is_shared_is_paged(void **state)
{
    make_files();
    invite(a, CYD, "read");
    invite(b, CYD, "read");
    const struct json *v = ol_get(CYD, 200, "/drive/sharedWithMe?$top=1");
    assert_int_equal(count_at(v, "value"), 1);
    const char *first = keep(text_at(v, "value.0.id"));
    v = ol_get(CYD, 200, "!%s", keep(strstr(json_get_str(v, "@odata.nextLink"), "/v1.0")));
    assert_int_equal(count_at(v, "value"), 1);
    assert_string_equal(text_at(v, "value.0.id"), strcmp(first, a) == 0 ? b : a);
    assert_null(json_get(v, "@odata.nextLink"));
    ol(CYD, "GET", "/drive/sharedWithMe?$skiptoken=abc", NULL);
    refused(400, "invalidRequest", "Invalid paging token");
}

/* ---- pages ---- */

static void a_delta_gives_parents_first(void **state)
{
    static const char *const names[] = {"root", "F", "z.txt", "late.txt"};
    ol_do(BOB, "POST", "/drive/root/children",
          "{'name':'F','folder':{},'fileSystemInfo':{'createdDateTime':'2030-01-01T00:00:00Z'}}",
          201);
    put(BOB, "/drive/root:/F/late.txt:/content", "a", 201);
    put(BOB, "/drive/root:/z.txt:/content", "a", 201);
    const struct json *v = ol_get(BOB, 200, "/drive/root/delta?$top=1");
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        assert_int_equal(count_at(v, "value"), 1);
        assert_string_equal(text_at(v, "value.0.name"), names[i]);
        const char *next = json_get_str(v, "@odata.nextLink");
        assert_true((next != NULL) == (i + 1 < SOSIA_LEN(names)));
        if (next)
            v = ol_get(BOB, 200, "!%s", keep(strstr(next, "/v1.0")));
    }
    assert_non_null(json_get(v, "@odata.deltaLink"));
    assert_int_equal(count_at(ol_get(BOB, 200, "/drive/root/children?$top=0"), "value"), 2);
}

/* ---- uploads ---- */

static const struct json *session(const char *method, const char *path, const char *range, size_t n)
{
    static char data[UNIT];
    const struct sosia_header headers[] = {{"Host", "port-my.sharepoint.com"},
                                           {"Content-Range", range}};
    return test_request(method, path, headers, range ? 2 : 1, data, n);
}

static const char *begin(const char *name, const char *body)
{
    const struct json *v =
        ol_do(BOB, "POST", ol_text("/drive/root:/%s:/createUploadSession", name), body, 200);
    return keep(strstr(text_at(v, "uploadUrl"), "/personal/"));
}

/* A copy of the world with one change. */
static void use_changed(const char *sql)
{
    uint64_t world;
    if (test_import_changed(sql, &world) < 0)
        fail_msg("import: %s", test_err.text);
    test_world = world;
}

static void bytes_on_the_way_have_room(void **state)
{
    const char *path = begin("a.bin", "{}");
    session("PUT", path, "bytes 0-327679/1099511627777", UNIT);
    refused(507, "quotaLimitReached", NULL);
    session("PUT", path, "bytes 0-327679/655360", UNIT);
    assert_int_equal(test_status, 202);
    ol(BOB, "POST", "/drive/root:/b.bin:/createUploadSession",
       ol_text("{'item':{'fileSize':%lld}}", (long long)QUOTA - UNIT + 1));
    refused(507, "quotaLimitReached", NULL);
    begin("b.bin", ol_text("{'item':{'fileSize':%lld}}", (long long)QUOTA - UNIT));
    path = begin("c.bin", "{}");
    session("PUT", path, "bytes 0-327679/1099511300097", UNIT);
    refused(507, "quotaLimitReached", NULL);
    session("PUT", path, "bytes 0-327679/1099511300096", UNIT);
    assert_int_equal(test_status, 202);
}

static void a_copy_has_room(void **state)
{
    make_files();
    use_changed("update drive_item set size = 600000000000 where name = 'a.txt'");
    ol(BOB, "POST", ol_text("/drive/items/%s/copy", a), "{'name':'c.txt'}");
    refused(507, "quotaLimitReached", NULL);
    ol(BOB, "POST", ol_text("/drive/items/%s/copy", folder), "{'name':'G'}");
    refused(507, "quotaLimitReached", NULL);
    ol_do(BOB, "POST", ol_text("/drive/items/%s/copy", b), "{'name':'c.txt'}", 202);
}

static void a_session_without_its_secret_is_lost(void **state)
{
    const char *path = begin("a.bin", "{}"), *at = strstr(path, "tempauth=");
    session("GET", path, NULL, 0);
    assert_int_equal(test_status, 200);
    use_changed("update onedrive_upload set secret = ''");
    session("GET", path, NULL, 0);
    refused(404, "uploadSessionNotFound", NULL);
    session("GET", ol_text("%.*stempauth=", (int)(at - path), path), NULL, 0);
    refused(404, "uploadSessionNotFound", NULL);
    session("GET", ol_text("%.*s", (int)(at - path) - 1, path), NULL, 0);
    refused(404, "uploadSessionNotFound", NULL);
}

static void a_session_says_which_item_it_makes(void **state)
{
    const char *path = begin("a.bin", "{}");
    const char *id = keep(text_at(session("PUT", path, "bytes 0-9/10", 10), "id"));
    assert_int_equal(test_status, 201);
    assert_non_null(strstr(path, ol_text("/items/%s/uploadSession", id)));
    path = begin("a.bin", "{}");
    assert_non_null(strstr(path, ol_text("/items/%s/uploadSession", id)));
    path = begin("a.bin", "{'item':{'@microsoft.graph.conflictBehavior':'rename'}}");
    assert_null(strstr(path, id));
    id = keep(text_at(session("PUT", path, "bytes 0-9/10", 10), "id"));
    assert_non_null(strstr(path, ol_text("/items/%s/uploadSession", id)));
}

/* ---- places and addresses ---- */

static void a_path_names_its_drive(void **state)
{
    make_files();
    put(CYD, "/drive/root:/F/x.txt:/content", "x", 201);
    const struct json *v = ol_get(CYD, 200, "/drive/root:/F");
    const char *other = keep(text_at(v, "parentReference.driveId"));
    const char *there = keep(text_at(v, "id")), *copy = ol_text("/drive/items/%s/copy", a);
    const char *body = ol_text("{'parentReference':{'path':'/drives/%s/root:/F'}}", other);
    ol(BOB, "POST", copy, body);
    refused(404, "itemNotFound", NULL);
    ol_do(CYD, "POST", ol_text("/drive/items/%s/invite", there),
          "{'recipients':[{'email':'bob@port.example'}],'roles':['write']}", 200);
    ol_do(BOB, "POST", copy, body, 202);
    ol_get(CYD, 200, "/drive/root:/F/a.txt");
    ol(BOB, "PATCH", ol_text("/drive/items/%s", a), body);
    refused(400, "invalidRequest", NULL);
    ol(BOB, "POST", copy,
       ol_text("{'parentReference':{'driveId':'%s','path':'/drives/%s/root:/F'}}", drive, other));
    refused(400, "invalidRequest", NULL);
    ol(BOB, "POST", copy, "{'parentReference':{'path':'/users/cyd@port.example/drive/root:/F'}}");
    refused(400, "invalidRequest", NULL);
    ol_do(BOB, "POST", copy,
          ol_text("{'name':'c.txt','parentReference':{'path':'/drives/%s/root:'}}", drive), 202);
    ol_do(BOB, "POST", copy, "{'name':'d.txt','parentReference':{'path':'/drive/root:/F'}}", 202);
    ol_get(BOB, 200, "/drive/root:/c.txt");
    ol_get(BOB, 200, "/drive/root:/F/d.txt");
}

static void a_name_stays_short(void **state)
{
    char name[252];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    put(BOB, ol_text("/drive/root:/%s.txt:/content", name), "a", 201);
    ol_type = "text/plain";
    ol(BOB, "PUT",
       ol_text("/drive/root:/%s.txt:/content?@microsoft.graph.conflictBehavior=rename", name), "b");
    ol_type = NULL;
    refused(400, "invalidRequest", "The provided name is too long.");
}

/* The address with one part in another's place: refused. */
static void swap(const char *url, const char *part, const char *other)
{
    const struct sosia_header headers[] = {{"Host", "port-my.sharepoint.com"}};
    const char *at = strstr(url, part);
    assert_non_null(at);
    test_request("GET", ol_text("%.*s%s%s", (int)(at - url), url, other, at + strlen(part)),
                 headers, 1, "", 0);
    if (strcmp(part, other) == 0)
        assert_int_equal(test_status, 200);
    else
        refused(403, "accessDenied", NULL);
}

static void an_address_opens_one_content(void **state)
{
    make_files();
    put(BOB, "/drive/root:/F/a.txt:/content", "again", 200);
    put(CYD, "/drive/root:/c.txt:/content", "c", 201);
    ol(BOB, "GET", ol_text("/drive/items/%s/versions/1.0/content", a), NULL);
    const char *url = keep(strstr(test_header("Location"), "/personal/"));
    const char *version = strstr(url, "&Version=");
    assert_non_null(version);
    version = ol_text("%.*s", (int)strcspn(version + 1, "&") + 1, version);
    swap(url, "bob_port", "bob_port");
    swap(url, "bob_port", "cyd_port");
    swap(url, a, b);
    swap(url, version, "");
    swap(url, version, "&Version=2");
    swap(url, "tempauth=v1.", "tempauth=v1.f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ol_test(a_writer_of_one_file_has_nothing_beside_it),
        ol_test(a_reader_sees_their_own_permission),
        ol_test(what_is_shared_is_paged),
        ol_test(a_delta_gives_parents_first),
        ol_test(bytes_on_the_way_have_room),
        ol_test(a_copy_has_room),
        ol_test(a_session_without_its_secret_is_lost),
        ol_test(a_session_says_which_item_it_makes),
        ol_test(a_path_names_its_drive),
        ol_test(a_name_stays_short),
        ol_test(an_address_opens_one_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

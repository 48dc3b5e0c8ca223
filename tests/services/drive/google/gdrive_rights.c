/* SPDX-License-Identifier: Apache-2.0 */
/* What one way to a file refuses, the other ways to it refuse too. */
#include "tests/support/gdrive.h"

#define SCOPE "https://www.googleapis.com/auth/"

static const char *text(const char *format, const char *arg)
{
    const char *at = strstr(format, "%s");
    return arena_printf(&test_arena, "%.*s%s%s", (int)(at - format), format, arg, at + 2);
}

/* ---- scopes ---- */

static void lists_show_what_the_token_is_for(void **state)
{
    (void)state;
    gdrive_seed("files: [{id: old, owner: ada@acme.example, name: Old}]\n");
    const char *token = text_at(as(ADA, "GET", "/changes/startPageToken", NULL), "startPageToken");
    as(ADA, "PATCH", "/files/old", "{'name':'Older'}");
    gdrive_scopes = SCOPE "drive.file";
    const char *own = make(ADA, "{'name':'own'}");
    const struct json *v = as(ADA, "GET", "/files", NULL);
    assert_int_equal(count_at(v, "files"), 1);
    assert_string_equal(text_at(v, "files.0.id"), own);
    v = as(ADA, "GET", "/files?orderBy=name", NULL);
    assert_int_equal(count_at(v, "files"), 1);
    v = as(ADA, "GET", "/files?q=name+contains+'Old'", NULL);
    assert_int_equal(count_at(v, "files"), 0);
    v = as(ADA, "GET", text("/changes?pageToken=%s", token), NULL);
    assert_int_equal(count_at(v, "changes"), 1);
    assert_string_equal(text_at(v, "changes.0.fileId"), own);
    gdrive_scopes = SCOPE "drive.appdata";
    as(ADA, "GET", "/files", NULL);
    assert_refused(403, "insufficientScopes");
    as(ADA, "GET", text("/changes?pageToken=%s", token), NULL);
    assert_refused(403, "insufficientScopes");
    gdrive_scopes = SCOPE "drive.metadata.readonly";
    v = as(ADA, "GET", "/files", NULL);
    assert_int_equal(count_at(v, "files"), 2);
}

static void the_feed_of_an_apps_data_needs_its_scope(void **state)
{
    (void)state;
    make(ADA, "{'name':'x','parents':['appDataFolder']}");
    const struct json *v = as(ADA, "GET", "/changes?pageToken=1&spaces=appDataFolder", NULL);
    assert_int_equal(count_at(v, "changes"), 1);
    gdrive_scopes = SCOPE "drive.readonly";
    as(ADA, "GET", "/changes?pageToken=1&spaces=appDataFolder", NULL);
    assert_refused(403, "insufficientScopes");
}

/* ---- bytes ---- */

#define PICTURE "iVBORw0KGgo="
#define BYTES                                                                                      \
    "files:\n"                                                                                     \
    "  - {id: held, owner: ada@acme.example, name: Held, mime: text/plain, content: hello, "       \
    "downloads: {itemDownloadRestriction: {restrictedForReaders: true, restrictedForWriters: "     \
    "true}}, permissions: [{person: bob@acme.example, role: writer}, {person: cyd@acme.example, "  \
    "role: reader}]}\n"                                                                            \
    "  - {id: picture, owner: ada@acme.example, name: P.png, mime: image/png, base64: " PICTURE    \
    ", downloads: {itemDownloadRestriction: {restrictedForReaders: true}}, permissions: "          \
    "[{person: bob@acme.example, role: reader}]}\n"                                                \
    "  - {id: bad, owner: ada@acme.example, name: Bad, mime: text/plain, content: virus, "         \
    "abusive: true}\n"                                                                             \
    "  - {id: keyed, owner: ada@acme.example, name: Keyed, mime: text/plain, content: secret, "    \
    "resourceKey: K1, needsKey: true, permissions: [{anyone: true}]}\n"                            \
    "  - {id: locket, owner: ada@acme.example, name: L.png, mime: image/png, base64: " PICTURE     \
    ", resourceKey: K1, needsKey: true, permissions: [{anyone: true}]}\n"

static void revisions_are_downloaded_as_files_are(void **state)
{
    (void)state;
    gdrive_seed(BYTES);
    as(ADA, "GET", "/files/held/revisions/head?alt=media", NULL);
    assert_string_equal(test_body, "hello");
    as(BOB, "GET", "/files/held/revisions/head?alt=media", NULL);
    assert_refused(403, "cannotDownloadFile");
    as(ADA, "GET", "/files/bad/revisions/head?alt=media", NULL);
    assert_refused(403, "cannotDownloadAbusiveFile");
    as(ADA, "GET", "/files/bad/revisions/head?alt=media&acknowledgeAbuse=true", NULL);
    assert_string_equal(test_body, "virus");
    gdrive_scopes = SCOPE "drive.metadata.readonly";
    as(ADA, "GET", "/files/held/revisions/head", NULL);
    assert_int_equal(test_status, 200);
    as(ADA, "GET", "/files/held/revisions/head?alt=media", NULL);
    assert_refused(403, "appNotAuthorizedToFile");
}

static void pages_give_no_bytes_that_may_not_be_downloaded(void **state)
{
    (void)state;
    gdrive_seed(BYTES);
    ask(ADA, "GET", "/uc?id=held", NULL, "", 0);
    assert_string_equal(test_body, "hello");
    ask(BOB, "GET", "/uc?id=held", NULL, "", 0);
    assert_int_equal(test_status, 403);
    ask(CYD, "GET", "/uc?id=held", NULL, "", 0);
    assert_int_equal(test_status, 403);
    ask(ADA, "GET", "/drive-storage/picture=s220", NULL, "", 0);
    assert_int_equal(test_len, 8);
    ask(BOB, "GET", "/drive-storage/picture=s220", NULL, "", 0);
    assert_int_equal(test_status, 200);
    assert_true(test_len > 8); /* the icon of all types */
}

static void pages_of_links_with_a_key_need_it(void **state)
{
    (void)state;
    gdrive_seed(BYTES);
    ask(NULL, "GET", "/uc?id=keyed", NULL, "", 0);
    assert_int_equal(test_status, 404);
    ask(NULL, "GET", "/file/d/keyed/view?resourcekey=K2", NULL, "", 0);
    assert_int_equal(test_status, 404);
    ask(NULL, "GET", "/uc?id=keyed&export=download&resourcekey=K1", NULL, "", 0);
    assert_string_equal(test_body, "secret");
    ask(NULL, "GET", "/file/d/keyed/view?resourcekey=K1", NULL, "", 0);
    assert_int_equal(test_status, 200);
    /* nor is a picture given to who knows no more than the id */
    ask(NULL, "GET", "/thumbnail?id=locket", NULL, "", 0);
    assert_int_equal(test_status, 404);
    ask(NULL, "GET", "/drive-storage/locket=s220", NULL, "", 0);
    assert_int_equal(test_status, 404);
    const char *link =
        text_at(as(ADA, "GET", "/files/locket?fields=thumbnailLink", NULL), "thumbnailLink");
    ask(NULL, "GET", strstr(link, "/drive-storage"), NULL, "", 0);
    assert_int_equal(test_len, 8);
}

static void what_an_app_keeps_has_no_page_and_is_not_shared(void **state)
{
    (void)state;
    const char *id = make(ADA, "{'name':'x','parents':['appDataFolder']}");
    ask(ADA, "GET", text("/file/d/%s/view", id), NULL, "", 0);
    assert_int_equal(test_status, 404);
    as(ADA, "POST", text("/files/%s/permissions", id), "{'type':'anyone','role':'reader'}");
    assert_refused(403, "notSupportedForAppDataFolderFiles");
}

/* ---- sharing ---- */

/* A link that gives more takes nothing of what a person was given. */
static void who_was_given_a_file_has_it_whatever_a_link_gives(void **state)
{
    (void)state;
    gdrive_seed(
        "files:\n"
        "  - {id: doc, owner: ada@acme.example, name: Plan, resourceKey: K1, needsKey: true, "
        "permissions: [{person: bob@acme.example, role: reader}, {anyone: true, role: "
        "writer}]}\n");
    const struct json *v = as(BOB, "GET", "/files", NULL);
    assert_int_equal(count_at(v, "files"), 1);
    v = as(BOB, "GET", "/files/doc?fields=capabilities(canEdit)", NULL);
    assert_int_equal(test_status, 200);
    assert_true(json_get_true(json_get(v, "capabilities"), "canEdit"));
    v = as(CYD, "GET", "/files", NULL);
    assert_int_equal(count_at(v, "files"), 0);
    as(CYD, "GET", "/files/doc", NULL);
    assert_refused(404, "notFound");
}

static size_t listed_for(const char *who)
{
    return count_at(as(who, "GET", "/files?q=name%3D'Notes'", NULL), "files");
}

static void what_others_put_into_a_folder_is_among_its_owners_files(void **state)
{
    (void)state;
    gdrive_seed("files:\n"
                "  - {id: ours, owner: ada@acme.example, name: Ours, type: folder, permissions: "
                "[{person: bob@acme.example, role: writer}]}\n"
                "  - {id: his, owner: bob@acme.example, name: His, type: folder, parent: ours}\n"
                "  - {id: deep, owner: bob@acme.example, name: Notes, parent: his}\n"
                "  - {id: home, owner: bob@acme.example, name: Notes}\n");
    assert_int_equal(listed_for(ADA), 1);
    as(BOB, "POST", "/files", "{\"name\":\"Notes\",\"parents\":[\"ours\"]}");
    assert_int_equal(test_status, 200);
    assert_int_equal(listed_for(ADA), 2);
    assert_int_equal(count_at(as(ADA, "GET", "/files?q=sharedWithMe", NULL), "files"), 0);
    as(BOB, "PATCH", "/files/home?addParents=ours", "{}");
    assert_int_equal(test_status, 200);
    assert_int_equal(listed_for(ADA), 3);
    as(ADA, "POST", "/files/ours/permissions?transferOwnership=true",
       "{\"role\":\"owner\",\"type\":\"user\",\"emailAddress\":\"cyd@acme.example\"}");
    assert_int_equal(test_status, 200);
    assert_int_equal(listed_for(CYD), 3);
    as(BOB, "PATCH", "/files/his?addParents=root&removeParents=ours", "{}");
    assert_int_equal(test_status, 200);
    assert_int_equal(listed_for(CYD), 2);
    as(CYD, "DELETE", "/files/ours", NULL);
    assert_int_equal(test_status, 204);
    assert_int_equal(listed_for(CYD), 0);
    assert_int_equal(listed_for(BOB), 3);
}

static void nobody_makes_their_own_access_last(void **state)
{
    (void)state;
    gdrive_seed("files:\n"
                "  - {id: doc, owner: ada@acme.example, name: Plan, permissions: [{person: "
                "bob@acme.example, role: reader, expires: 2026-12-01}]}\n");
    const char *own = text_at(as(BOB, "GET", "/about?fields=user", NULL), "user.permissionId");
    const char *target = text("/files/doc/permissions/%s?removeExpiration=true", own);
    as(BOB, "PATCH", target, "{'role':'reader'}");
    assert_refused(403, "insufficientFilePermissions");
    as(ADA, "PATCH", target, "{'role':'reader'}");
    assert_int_equal(test_status, 200);
    as(BOB, "PATCH", target, "{'role':'reader'}"); /* nothing ends any more */
    assert_int_equal(test_status, 200);
}

static void an_owners_restriction_is_not_replaced(void **state)
{
    (void)state;
    gdrive_seed("files:\n"
                "  - {id: doc, owner: ada@acme.example, name: Plan, permissions: [{person: "
                "bob@acme.example, role: writer}]}\n");
    static const char owners[] = "{'contentRestrictions':[{'readOnly':true,'ownerRestricted':true}]"
                                 "}",
                      writers[] = "{'contentRestrictions':[{'readOnly':true}]}",
                      none[] = "{'contentRestrictions':[{'readOnly':false}]}";
    as(BOB, "PATCH", "/files/doc", owners);
    assert_refused(403, "insufficientFilePermissions");
    as(BOB, "PATCH", "/files/doc", writers);
    assert_int_equal(test_status, 200);
    as(BOB, "PATCH", "/files/doc", none);
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", "/files/doc", owners);
    assert_int_equal(test_status, 200);
    as(BOB, "PATCH", "/files/doc", none);
    assert_refused(403, "insufficientFilePermissions");
    as(BOB, "PATCH", "/files/doc", writers); /* which writers could lift then */
    assert_refused(403, "insufficientFilePermissions");
    as(ADA, "PATCH", "/files/doc", none);
    assert_int_equal(test_status, 200);
}

static void an_accepted_proposal_is_a_share_like_others(void **state)
{
    (void)state;
    gdrive_seed("sharedDrives: [{id: D, name: Team, creator: ada@acme.example, domainOnly: true, "
                "members: [{person: ada@acme.example, role: organizer}]}]\n"
                "files: [{id: doc, name: Plan, parent: D}]\n"
                "accessProposals: [{id: p1, file: doc, requester: eve@other.example}, {id: p2, "
                "file: doc, requester: bob@acme.example}]\n");
    as(ADA, "POST", "/files/doc/accessproposals/p1:resolve", "{'action':'ACCEPT'}");
    assert_refused(403, "teamDriveDomainUsersOnlyRestriction");
    as(ADA, "POST", "/files/doc/accessproposals/p2:resolve", "{'action':'ACCEPT'}");
    assert_int_equal(test_status, 204);
}

/* ---- the rest ---- */

static void what_has_no_page_is_published_without_a_link(void **state)
{
    (void)state;
    gdrive_seed("files:\n"
                "  - {id: map, owner: ada@acme.example, name: M, type: map}\n"
                "  - {id: other, owner: ada@acme.example, name: O, type: fusiontable}\n");
    static const char *const ids[] = {"map", "other"};
    for (size_t i = 0; i < SOSIA_LEN(ids); i++) {
        const struct json *v = as(ADA, "PATCH", text("/files/%s/revisions/head?fields=*", ids[i]),
                                  "{'published':true}");
        assert_int_equal(test_status, 200);
        assert_true(true_at(v, "published"));
        assert_null(json_get(v, "publishedLink"));
    }
}

static void a_field_that_is_modified_twice_is_there_once(void **state)
{
    (void)state;
    gdrive_seed("driveLabels: [{id: L, name: Label, fields: [{id: f}, {id: g}]}]\n"
                "files: [{id: doc, owner: ada@acme.example, name: Plan}]\n");
    const struct json *v =
        as(ADA, "POST", "/files/doc/modifyLabels",
           "{'labelModifications':[{'labelId':'L','fieldModifications':[{'fieldId':'f',"
           "'setTextValues':['one']},{'fieldId':'g','setTextValues':['x']},{'fieldId':'f',"
           "'setTextValues':['two']},{'fieldId':'g','unsetValues':true}]}]}");
    assert_int_equal(test_status, 200);
    assert_string_equal(members(v, "modifiedLabels.0.fields"), "f");
    assert_string_equal(text_at(v, "modifiedLabels.0.fields.f.text.0"), "two");
}

static void what_is_deleted_is_not_written_again(void **state)
{
    (void)state;
    gdrive_seed("files: [{id: doc, owner: ada@acme.example, name: Plan}]\n");
    const struct json *v = as(ADA, "POST", "/files/doc/comments?fields=id", "{'content':'first'}");
    const char *one = text("/files/doc/comments/%s", text_at(v, "id"));
    as(ADA, "DELETE", one, NULL);
    assert_int_equal(test_status, 204);
    as(ADA, "GET", text("%s?fields=*&includeDeleted=true", one), NULL);
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", text("%s?fields=*&includeDeleted=true", one), "{'content':'again'}");
    assert_refused(404, "notFound");
    as(ADA, "POST", text("%s/replies?fields=*&includeDeleted=true", one), "{'content':'too'}");
    assert_refused(404, "notFound");
    as(ADA, "DELETE", text("%s?includeDeleted=true", one), NULL);
    assert_refused(404, "notFound");
}

static void who_loses_sight_by_a_gift_has_it_in_the_feed(void **state)
{
    (void)state;
    gdrive_seed("files:\n"
                "  - {id: f, owner: ada@acme.example, name: F, type: folder, permissions: "
                "[{person: bob@acme.example, role: reader}]}\n"
                "  - {id: doc, owner: ada@acme.example, name: Plan, parent: f}\n"
                "  - {id: his, owner: cyd@acme.example, name: His, parent: f}\n");
    const char *token = text_at(as(BOB, "GET", "/changes/startPageToken", NULL), "startPageToken");
    as(ADA, "POST", "/files/doc/permissions?transferOwnership=true&moveToNewOwnersRoot=true",
       "{'type':'user','role':'owner','emailAddress':'cyd@acme.example'}");
    assert_int_equal(test_status, 200);
    as(BOB, "GET", "/files/doc", NULL);
    assert_refused(404, "notFound");
    const struct json *v = as(BOB, "GET", text("/changes?pageToken=%s", token), NULL);
    assert_int_equal(count_at(v, "changes"), 1);
    assert_true(true_at(v, "changes.0.removed"));
    token = text_at(v, "newStartPageToken");
    as(ADA, "DELETE", "/files/f", NULL); /* Cyd's goes home */
    assert_int_equal(test_status, 204);
    v = as(BOB, "GET", text("/changes?pageToken=%s&fields=changes(fileId,removed)", token), NULL);
    assert_int_equal(count_at(v, "changes"), 2);
    v = as(CYD, "GET", "/files/his", NULL);
    assert_int_equal(test_status, 200);
}

/* Methods that have no parameter for it find what is in shared drives. */
static void methods_without_a_flag_find_shared_drives(void **state)
{
    (void)state;
    gdrive_seed("driveLabels: [{id: L, name: Label, fields: [{id: f}]}]\n"
                "driveKeyServices: [{domain: acme.example, id: 7, name: Keys, url: "
                "'https://keys.acme.example/v1'}]\n"
                "sharedDrives: [{id: D, name: Team, creator: ada@acme.example, members: [{person: "
                "ada@acme.example, role: organizer}]}]\n"
                "files: [{id: doc, name: Plan, parent: D, content: hello}]\n"
                "accessProposals: [{id: p1, file: doc, requester: bob@acme.example}]\n");
    static const struct {
        const char *method, *target, *body;
    } calls[] = {
        {"GET", "/files/doc/listLabels", NULL},
        {"POST", "/files/doc/modifyLabels", "{'labelModifications':[{'labelId':'L'}]}"},
        {"GET", "/files/doc/accessproposals", NULL},
        {"GET", "/files/doc/accessproposals/p1", NULL},
        {"POST", "/files/doc/approvals:start", "{'reviewerEmails':['bob@acme.example']}"},
        {"GET", "/files/doc/approvals", NULL},
        {"POST", "/files/doc/download", NULL},
        {"GET", "/files/generateCseToken?fileId=doc", NULL},
    };
    for (size_t i = 0; i < SOSIA_LEN(calls); i++) {
        as(ADA, calls[i].method, calls[i].target, calls[i].body);
        if (test_status != 200)
            fail_msg("%s: %d %s", calls[i].target, test_status, test_body);
        as(BOB, calls[i].method, calls[i].target, calls[i].body);
        assert_refused(404, "notFound");
    }
}

static void who_sees_no_revisions_downloads_none(void **state)
{
    (void)state;
    gdrive_seed("files: [{id: doc, owner: ada@acme.example, name: Plan, mime: text/plain, content: "
                "two, revisions: [{content: one, keep: true}], permissions: [{person: "
                "bob@acme.example, role: reader}]}]\n");
    const struct json *v = as(ADA, "GET", "/files/doc/revisions", NULL);
    const char *target = text("/files/doc/download?revisionId=%s", text_at(v, "revisions.0.id"));
    as(ADA, "POST", target, NULL);
    assert_int_equal(test_status, 200);
    as(BOB, "POST", target, NULL);
    assert_refused(403, "insufficientFilePermissions");
    as(BOB, "POST", "/files/doc/download?revisionId=none", NULL);
    assert_refused(403, "insufficientFilePermissions");
    as(BOB, "POST", "/files/doc/download", NULL);
    assert_int_equal(test_status, 200);
}

static void about_has_who_may_make_shared_drives(void **state)
{
    static const char *const people[] = {ADA, EVE};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(people); i++) {
        const struct json *v = as(people[i], "GET", "/about?fields=canCreateDrives", NULL);
        bool may = true_at(v, "canCreateDrives");
        as(people[i], "POST", "/drives?requestId=r", "{'name':'D'}");
        assert_int_equal(test_status, may ? 200 : 403);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(lists_show_what_the_token_is_for),
        gdrive_test(the_feed_of_an_apps_data_needs_its_scope),
        gdrive_test(revisions_are_downloaded_as_files_are),
        gdrive_test(pages_give_no_bytes_that_may_not_be_downloaded),
        gdrive_test(pages_of_links_with_a_key_need_it),
        gdrive_test(what_an_app_keeps_has_no_page_and_is_not_shared),
        gdrive_test(who_was_given_a_file_has_it_whatever_a_link_gives),
        gdrive_test(what_others_put_into_a_folder_is_among_its_owners_files),
        gdrive_test(nobody_makes_their_own_access_last),
        gdrive_test(an_owners_restriction_is_not_replaced),
        gdrive_test(an_accepted_proposal_is_a_share_like_others),
        gdrive_test(what_has_no_page_is_published_without_a_link),
        gdrive_test(a_field_that_is_modified_twice_is_there_once),
        gdrive_test(methods_without_a_flag_find_shared_drives),
        gdrive_test(who_sees_no_revisions_downloads_none),
        gdrive_test(about_has_who_may_make_shared_drives),
        gdrive_test(what_is_deleted_is_not_written_again),
        gdrive_test(who_loses_sight_by_a_gift_has_it_in_the_feed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

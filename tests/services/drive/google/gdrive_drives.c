/* SPDX-License-Identifier: Apache-2.0 */
/* Shared drives: their life, their members, who may do what with what is in them. */
#include "tests/support/gdrive.h"
#include <stdio.h>

static const char *text(const char *format, const char *arg)
{
    const char *at = strstr(format, "%s");
    return arena_printf(&test_arena, "%.*s%s%s", (int)(at - format), format, arg, at + 2);
}

/* A shared drive of Ada's; gives its id. */
static const char *make_drive(const char *name)
{
    static int n;
    const struct json *v = as(ADA, "POST", arena_printf(&test_arena, "/drives?requestId=r%d", ++n),
                              text("{'name':'%s'}", name));
    if (test_status != 200)
        fail_msg("drive: %d %s", test_status, test_body);
    return text_at(v, "id");
}

static const char *member(const char *drive, const char *email, const char *role)
{
    const struct json *v = as(
        ADA, "POST", text("/files/%s/permissions?supportsAllDrives=true", drive),
        arena_printf(&test_arena, "{'type':'user','role':'%s','emailAddress':'%s'}", role, email));
    if (test_status != 200)
        fail_msg("member: %d %s", test_status, test_body);
    return text_at(v, "id");
}

static const char *make_in(const char *who, const char *parent, const char *more)
{
    const struct json *v =
        as(who, "POST", "/files?supportsAllDrives=true",
           arena_printf(&test_arena, "{'name':'x','parents':['%s']%s}", parent, more));
    if (test_status != 200)
        fail_msg("file: %d %s", test_status, test_body);
    return text_at(v, "id");
}

static void a_drive_is_made_once_for_a_request(void **state)
{
    (void)state;
    const struct json *v = as(ADA, "POST", "/drives?requestId=one", "{'name':'Plans'}");
    assert_string_equal(members(v, ""), "kind id name");
    const char *id = text_at(v, "id");
    assert_int_equal(strlen(id), 19);
    assert_memory_equal(id, "0A", 2);
    as(ADA, "POST", "/drives?requestId=one", "{'name':'Plans'}");
    assert_refused(409, "teamDriveAlreadyExists");
    as(ADA, "POST", "/drives", "{'name':'Plans'}");
    assert_refused(400, "required");
    as(ADA, "POST", "/drives?requestId=two", "{}");
    assert_refused(400, "required");
    as(ADA, "POST", "/drives?requestId=two",
       "{'name':'P','restrictions':{'domainUsersOnly':true}}");
    assert_refused(403, "fieldNotWritable");
    as(ADA, "POST", "/drives?requestId=two", "{'name':'P','themeId':'nothing'}");
    assert_refused(400, "invalid");
    v = as(ADA, "GET", text("/drives/%s?fields=*", id), NULL);
    assert_string_equal(members(v, ""), "kind id name colorRgb backgroundImageLink capabilities "
                                        "createdTime hidden restrictions");
    assert_true(true_at(v, "capabilities.canManageMembers"));
    assert_false(true_at(v, "restrictions.domainUsersOnly"));
    /* GD-83: it is its own top folder. */
    v = as(ADA, "GET", text("/files/%s?supportsAllDrives=true", id), NULL);
    assert_string_equal(text_at(v, "mimeType"), "application/vnd.google-apps.folder");
    as(BOB, "GET", text("/drives/%s", id), NULL);
    assert_refused(404, "notFound");
    assert_string_equal(text_at(parsed(test_body, test_len), "error.message"),
                        text("Shared drive not found: %s", id));
}

static void members_see_it_and_do_what_they_may(void **state)
{
    (void)state;
    const char *drive = make_drive("D"), *file = make_in(ADA, drive, "");
    as(BOB, "GET", text("/files/%s?supportsAllDrives=true", file), NULL);
    assert_refused(404, "notFound");
    const char *bob = member(drive, BOB, "reader");
    const struct json *v = as(BOB, "GET", "/drives", NULL);
    assert_string_equal(text_at(v, "drives.0.id"), drive);
    v = as(BOB, "GET",
           text("/files/%s?supportsAllDrives=true&fields=capabilities,driveId,owners", file), NULL);
    assert_true(true_at(v, "capabilities.canReadDrive"));
    assert_true(true_at(v, "capabilities.canDownload"));
    assert_false(true_at(v, "capabilities.canEdit"));
    assert_null(value_at(v, "owners"));
    as(BOB, "GET", text("/files/%s", file), NULL);
    assert_refused(404, "notFound"); /* GD-16 */
    as(BOB, "POST", "/files?supportsAllDrives=true", text("{'parents':['%s']}", drive));
    assert_refused(403, "insufficientParentPermissions");
    as(BOB, "PATCH", text("/drives/%s", drive), "{'name':'E'}");
    assert_refused(403, "insufficientFilePermissions");
    as(BOB, "DELETE", text("/drives/%s", drive), NULL);
    assert_refused(403, "insufficientFilePermissions");
    /* An inherited permission stays. */
    v = as(ADA, "GET",
           arena_printf(&test_arena,
                        "/files/%s/permissions/%s?supportsAllDrives=true&fields=permissionDetails",
                        file, bob),
           NULL);
    assert_string_equal(text_at(v, "permissionDetails.0.permissionType"), "member");
    assert_string_equal(text_at(v, "permissionDetails.0.inheritedFrom"), drive);
    assert_true(true_at(v, "permissionDetails.0.inherited"));
    as(ADA, "DELETE",
       arena_printf(&test_arena, "/files/%s/permissions/%s?supportsAllDrives=true", file, bob),
       NULL);
    assert_refused(403, "cannotDeletePermission");
    const char *cyd = member(drive, CYD, "writer");
    const char *grant =
        arena_printf(&test_arena, "/files/%s/permissions/%s?supportsAllDrives=true", file, cyd);
    as(ADA, "PATCH", grant, "{'role':'reader'}");
    assert_refused(403, "cannotModifyInheritedPermission");
    assert_non_null(strstr(test_body, "an inherited permission on a shared drive item."));
    as(ADA, "PATCH", grant, "{'role':'writer'}"); /* what he has */
    assert_int_equal(test_status, 200);
    as(ADA, "DELETE", grant, NULL);
    assert_int_equal(test_status, 204);
    as(ADA, "DELETE", grant, NULL);
    assert_refused(403, "cannotDeletePermission");
    as(ADA, "DELETE",
       arena_printf(&test_arena, "/files/%s/permissions/%s?supportsAllDrives=true", drive, bob),
       NULL);
    assert_int_equal(test_status, 204);
    as(BOB, "GET", text("/drives/%s", drive), NULL);
    assert_refused(404, "notFound");
}

static void roles_of_shared_drives(void **state)
{
    (void)state;
    static const struct {
        const char *body, *reason;
        bool on_file;
        int status;
    } cases[] = {
        {"'type':'user','role':'owner','emailAddress':'bob@acme.example'",
         "ownerOnTeamDriveItemNotSupported", true, 403},
        {"'type':'user','role':'organizer','emailAddress':'bob@acme.example'",
         "organizerOnNonTeamDriveItemNotSupported", true, 403},
        {"'type':'user','role':'fileOrganizer','emailAddress':'bob@acme.example'",
         "fileOrganizerOnFoldersInSharedDriveOnly", true, 403},
        {"'type':'anyone','role':'reader'", "cannotShareTeamDriveTopFolderWithAnyoneOrDomains",
         false, 403},
        {"'type':'user','role':'reader','emailAddress':'bob@acme.example','expirationTime':"
         "'2026-12-01T00:00:00Z'",
         "expirationDateNotAllowedForSharedDriveMembers", false, 403},
    };
    const char *drive = make_drive("D"), *file = make_in(ADA, drive, "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as(ADA, "POST",
           text("/files/%s/permissions?supportsAllDrives=true&transferOwnership=true",
                cases[i].on_file ? file : drive),
           text("{%s}", cases[i].body));
        assert_refused(cases[i].status, cases[i].reason);
    }
    /* A writer gives no more than they have, and shares no folders. */
    member(drive, BOB, "writer");
    const char *folder = make_in(ADA, drive, ",'mimeType':'application/vnd.google-apps.folder'");
    as(BOB, "POST", text("/files/%s/permissions?supportsAllDrives=true", file),
       "{'type':'user','role':'writer','emailAddress':'cyd@acme.example'}");
    assert_int_equal(test_status, 200);
    as(BOB, "POST", text("/files/%s/permissions?supportsAllDrives=true", folder),
       "{'type':'user','role':'reader','emailAddress':'cyd@acme.example'}");
    assert_refused(403, "insufficientFilePermissions");
    /* A grant of one file does not make a member. */
    const struct json *v =
        as(CYD, "GET",
           text("/files/%s?supportsAllDrives=true&fields=capabilities(canEdit,canReadDrive)", file),
           NULL);
    assert_true(true_at(v, "capabilities.canEdit"));
    assert_false(true_at(v, "capabilities.canReadDrive"));
    v = as(CYD, "GET", "/drives", NULL);
    assert_int_equal(count_at(v, "drives"), 0);
}

static void restrictions_hold(void **state)
{
    (void)state;
    const char *drive = make_drive("D"), *file = make_in(ADA, drive, "");
    const struct json *v = as(ADA, "PATCH", text("/drives/%s?fields=restrictions", drive),
                              "{'restrictions':{'domainUsersOnly':true,"
                              "'copyRequiresWriterPermission':true}}");
    assert_true(true_at(v, "restrictions.domainUsersOnly"));
    assert_true(true_at(v, "restrictions.copyRequiresWriterPermission"));
    as(ADA, "POST", text("/files/%s/permissions?supportsAllDrives=true", file),
       "{'type':'user','role':'reader','emailAddress':'eve@other.example'}");
    assert_refused(403, "teamDriveDomainUsersOnlyRestriction");
    as(ADA, "POST", text("/files/%s/permissions?supportsAllDrives=true", file),
       "{'type':'anyone','role':'reader'}");
    assert_refused(403, "teamDriveDomainUsersOnlyRestriction");
    member(drive, BOB, "reader");
    v = as(BOB, "GET",
           text("/files/%s?supportsAllDrives=true&fields=capabilities(canDownload,canCopy)", file),
           NULL);
    assert_false(true_at(v, "capabilities.canDownload"));
    as(ADA, "PATCH", text("/drives/%s", drive), "{'restrictions':{'driveMembersOnly':true}}");
    as(ADA, "POST", text("/files/%s/permissions?supportsAllDrives=true", file),
       "{'type':'user','role':'reader','emailAddress':'cyd@acme.example'}");
    assert_refused(403, "teamDriveTeamMembersOnlyRestriction");
    as(ADA, "PATCH", text("/drives/%s", drive),
       "{'restrictions':{'adminManagedRestrictions':true}}");
    assert_refused(403, "insufficientFilePermissions");
    as(ADA, "PATCH", text("/drives/%s", drive), "{'restrictions':{'domainUsersOnly':'yes'}}");
    assert_refused(400, "badRequest");
}

static void looks(void **state)
{
    (void)state;
    const char *drive = make_drive("D");
    const struct json *v =
        as(ADA, "PATCH", text("/drives/%s?fields=colorRgb,backgroundImageLink", drive),
           "{'themeId':'waves'}");
    assert_string_equal(text_at(v, "colorRgb"), "#ff5722");
    assert_non_null(strstr(text_at(v, "backgroundImageLink"), "waves"));
    v = as(ADA, "PATCH", text("/drives/%s?fields=colorRgb", drive), "{'colorRgb':'#FF0000'}");
    assert_string_equal(text_at(v, "colorRgb"), "#FF0000");
    as(ADA, "PATCH", text("/drives/%s", drive), "{'colorRgb':'red'}");
    assert_refused(400, "invalid");
    as(ADA, "PATCH", text("/drives/%s", drive), "{'themeId':'waves','colorRgb':'#ff0000'}");
    assert_refused(400, "invalid");
    v = as(ADA, "POST", text("/drives/%s/hide?fields=hidden", drive), NULL);
    assert_true(true_at(v, "hidden"));
    v = as(ADA, "GET", "/drives?q=hidden%3Dfalse", NULL);
    assert_int_equal(count_at(v, "drives"), 0);
    v = as(ADA, "POST", text("/drives/%s/unhide?fields=hidden", drive), NULL);
    assert_false(true_at(v, "hidden"));
}

static void questions(void **state)
{
    (void)state;
    gdrive_seed("driveAdministrators: [bob@acme.example]\n");
    const char *plans = make_drive("Plans of Rome"), *other = make_drive("Other"),
               *third = make_drive("planet");
    member(other, CYD, "reader");
    member(other, BOB, "organizer");
    static const struct {
        const char *q, *found; /* by number */
        int status;
    } cases[] = {
        {"name contains 'plan'", "13", 200},
        {"name contains 'rome plan'", "1", 200},
        {"name contains 'ome'", "", 200},
        {"name = 'other'", "2", 200},
        {"name != \"other\"", "13", 200},
        {"not name contains 'plan'", "2", 200},
        {"memberCount > 1", "2", 200},
        {"organizerCount = 1", "13", 200},
        {"name contains 'plan' and (memberCount > 1 or organizerCount = 1)", "13", 200},
        {"name = 'other' or name = 'planet' and memberCount > 1", "2", 200}, /* left to right */
        {"createdTime > '2020-01-01T00:00:00'", "123", 200},
        {"orgUnitId = 'x'", "", 200},
        {"memberCount > '1'", "", 400},
        {"name > 'a'", "", 400},
        {"name = 'a", "", 400},
        {"name = 'a' and", "", 400},
        {"(name = 'a'", "", 400},
        {"title = 'a'", "", 400},
    };
    const char *ids[] = {plans, other, third};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char query[600] = "/drives?useDomainAdminAccess=true&q=", *w = query + strlen(query);
        for (const char *p = cases[i].q; *p; p++)
            w += sprintf(w, "%%%02X", (unsigned)*p);
        const struct json *v = as(BOB, "GET", query, NULL);
        if (cases[i].status != 200) {
            assert_refused(cases[i].status, "invalid");
            continue;
        }
        char found[8] = "", *f = found;
        for (size_t k = 0; k < count_at(v, "drives"); k++)
            for (int d = 0; d < 3; d++)
                if (strcmp(text_at(v, arena_printf(&test_arena, "drives.%zu.id", k)), ids[d]) == 0)
                    *f++ = (char)('1' + d);
        if (strcmp(found, cases[i].found) != 0)
            fail_msg("%s: %s expected, %s found", cases[i].q, cases[i].found, found);
    }
    as(ADA, "GET", "/drives?useDomainAdminAccess=true", NULL);
    assert_refused(403, "noListTeamDrivesAdministratorPrivilege");
    as(ADA, "GET", "/drives?q=memberCount%3E1", NULL);
    assert_refused(403, "queryRequiresAdminCredentials");
    /* An administrator sees what members do not show. */
    as(BOB, "GET", text("/drives/%s", plans), NULL);
    assert_refused(404, "notFound");
    as(BOB, "GET", text("/drives/%s?useDomainAdminAccess=true", plans), NULL);
    assert_int_equal(test_status, 200);
    as(BOB, "GET",
       text("/files/%s/permissions?useDomainAdminAccess=true&supportsAllDrives=true", plans), NULL);
    assert_int_equal(test_status, 200);
    const struct json *page = as(ADA, "GET", "/drives?pageSize=2", NULL);
    assert_int_equal(count_at(page, "drives"), 2);
    page = as(ADA, "GET", text("/drives?pageSize=2&pageToken=%s", text_at(page, "nextPageToken")),
              NULL);
    assert_string_equal(text_at(page, "drives.0.id"), third);
    assert_null(text_at(page, "nextPageToken"));
}

static void a_drive_goes_when_it_is_empty(void **state)
{
    (void)state;
    gdrive_seed("driveAdministrators: [bob@acme.example]\n");
    const char *empty = make_drive("Empty"), *full = make_drive("Full");
    const char *file = make_in(ADA, full, "");
    as(ADA, "DELETE", text("/drives/%s", empty), NULL);
    assert_int_equal(test_status, 204);
    as(ADA, "GET", text("/drives/%s", empty), NULL);
    assert_refused(404, "notFound");
    as(ADA, "DELETE", text("/drives/%s", full), NULL);
    assert_refused(403, "cannotDeleteResourceWithChildren");
    as(ADA, "DELETE", text("/drives/%s?allowItemDeletion=true", full), NULL);
    assert_refused(400, "badRequest");
    as(BOB, "DELETE", text("/drives/%s?allowItemDeletion=true&useDomainAdminAccess=true", full),
       NULL);
    assert_int_equal(test_status, 204);
    as(ADA, "GET", text("/files/%s?supportsAllDrives=true", file), NULL);
    assert_refused(404, "notFound");
}

static void team_drives_are_the_same(void **state)
{
    (void)state;
    const struct json *v = as(ADA, "POST", "/teamdrives?requestId=t", "{'name':'T'}");
    assert_string_equal(text_at(v, "kind"), "drive#teamDrive");
    const char *id = text_at(v, "id");
    v = as(ADA, "GET", text("/drives/%s", id), NULL);
    assert_string_equal(text_at(v, "name"), "T");
    v = as(ADA, "GET", "/teamdrives", NULL);
    assert_string_equal(members(v, ""), "teamDrives kind");
    assert_string_equal(text_at(v, "teamDrives.0.id"), id);
    v = as(ADA, "PATCH", text("/teamdrives/%s?fields=name,restrictions,capabilities", id),
           "{'name':'U','restrictions':{'teamMembersOnly':true}}");
    assert_string_equal(text_at(v, "name"), "U");
    assert_true(true_at(v, "restrictions.teamMembersOnly"));
    assert_true(true_at(v, "capabilities.canRenameTeamDrive"));
    v = as(ADA, "GET", text("/teamdrives/%s?fields=kind,id,name", id), NULL);
    assert_string_equal(members(v, ""), "kind id name");
    as(ADA, "DELETE", text("/teamdrives/%s", id), NULL);
    assert_int_equal(test_status, 204);
}

/* GD-550, GD-551, GD-553: the folder in which the writer sees the file is Eve's. */
static void files_come_in_by_their_owner_or_where_the_owner_is_a_member(void **state)
{
    static const char bob[] = "{'type':'user','role':'writer','emailAddress':'" BOB "'}";
    (void)state;
    const char *drive = make_drive("D");
    member(drive, BOB, "writer");
    const char *folder = make(EVE, "{'name':'f','mimeType':'application/vnd.google-apps.folder'}");
    const char *theirs = make(EVE, text("{'name':'x','parents':['%s']}", folder));
    as(EVE, "POST", text("/files/%s/permissions", folder), bob);
    const char *move = arena_printf(
        &test_arena, "?addParents=%s&removeParents=%s&supportsAllDrives=true", drive, folder);
    as(BOB, "PATCH", arena_printf(&test_arena, "/files/%s%s", theirs, move), "{}");
    assert_refused(403, "fileOwnerNotMemberOfTeamDrive");
    const char *eve = member(drive, EVE, "reader");
    as(BOB, "PATCH", arena_printf(&test_arena, "/files/%s%s", theirs, move), "{}");
    assert_int_equal(test_status, 200);
    as(ADA, "DELETE",
       arena_printf(&test_arena, "/files/%s/permissions/%s?supportsAllDrives=true", drive, eve),
       NULL);
    /* One's own comes in without that, but not out of the trash. */
    const char *own = make(BOB, "{'name':'own'}");
    const char *in = arena_printf(
        &test_arena, "/files/%s?addParents=%s&removeParents=root&supportsAllDrives=true", own,
        drive);
    as(BOB, "PATCH", text("/files/%s", own), "{'trashed':true}");
    as(BOB, "PATCH", in, "{}");
    assert_refused(403, "cannotMoveTrashedItemIntoTeamDrive");
    as(BOB, "PATCH", text("/files/%s", own), "{'trashed':false}");
    as(BOB, "PATCH", in, "{}");
    assert_int_equal(test_status, 200);
    /* Inside, it has exactly one parent. */
    const char *sub = make_in(ADA, drive, ",'mimeType':'application/vnd.google-apps.folder'");
    as(ADA, "PATCH",
       arena_printf(&test_arena, "/files/%s?addParents=%s&supportsAllDrives=true", own, sub), "{}");
    assert_refused(403, "teamDrivesParentLimit");
    as(ADA, "PATCH",
       arena_printf(&test_arena, "/files/%s?addParents=%s&removeParents=%s&supportsAllDrives=true",
                    own, sub, drive),
       "{}");
    assert_int_equal(test_status, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(a_drive_is_made_once_for_a_request),
        gdrive_test(members_see_it_and_do_what_they_may),
        gdrive_test(roles_of_shared_drives),
        gdrive_test(restrictions_hold),
        gdrive_test(looks),
        gdrive_test(questions),
        gdrive_test(a_drive_goes_when_it_is_empty),
        gdrive_test(files_come_in_by_their_owner_or_where_the_owner_is_a_member),
        gdrive_test(team_drives_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Permissions by the Drive API: who sees what, who may change it, and what is refused. */
#include "tests/support/gdrive.h"

#define TREE                                                                                       \
    "files:\n"                                                                                     \
    "  - {id: top, owner: ada@acme.example, name: Top, type: folder}\n"                            \
    "  - {id: sub, owner: ada@acme.example, name: Sub, type: folder, parent: top}\n"               \
    "  - {id: doc, owner: ada@acme.example, name: Plan, mime: text/plain, parent: sub, "           \
    "content: hello}\n"

static const char *text(const char *format, const char *arg)
{
    const char *at = strstr(format, "%s");
    return arena_printf(&test_arena, "%.*s%s%s", (int)(at - format), format, arg, at + 2);
}

/* Shares an item; gives the id of the permission. */
static const char *share(const char *by, const char *item, const char *body)
{
    const struct json *v = as(by, "POST", text("/files/%s/permissions", item), body);
    if (test_status != 200)
        fail_msg("share %s: %d %s", body, test_status, test_body);
    return text_at(v, "id");
}

static const char *reader_of(const char *email)
{
    return text("{'role':'reader','type':'user','emailAddress':'%s'}", email);
}

static const char *writer_of(const char *email)
{
    return text("{'role':'writer','type':'user','emailAddress':'%s'}", email);
}

static const char *of(const char *item, const char *permission)
{
    return arena_printf(&test_arena, "/files/%s/permissions/%s", item, permission);
}

/* 200 or 404 of files.get. */
static int sees(const char *who, const char *item)
{
    as(who, "GET", text("/files/%s", item), NULL);
    if (test_status != 200)
        assert_refused(404, "notFound");
    return test_status;
}

static void a_share_is_made_seen_and_taken_away(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    const struct json *v = as(ADA, "POST", "/files/doc/permissions", reader_of(BOB));
    assert_string_equal(members(v, ""), "kind id type role");
    assert_string_equal(text_at(v, "kind"), "drive#permission");
    const char *id = text_at(v, "id");
    assert_int_equal(strlen(id), 20);
    assert_int_equal(sees(BOB, "doc"), 200);
    assert_int_equal(sees(CYD, "doc"), 404);
    assert_int_equal(sees(BOB, "sub"), 404);
    v = as(ADA, "GET", text("/files/doc/permissions/%s?fields=*", id), NULL);
    assert_string_equal(members(v, ""), "kind id type emailAddress role displayName photoLink "
                                        "deleted pendingOwner permissionDetails");
    assert_string_equal(text_at(v, "displayName"), "Bob");
    as(ADA, "DELETE", of("doc", id), NULL);
    assert_int_equal(test_status, 204);
    assert_int_equal(sees(BOB, "doc"), 404);
    as(ADA, "GET", of("doc", id), NULL);
    assert_refused(404, "notFound");
    assert_string_equal(text_at(parsed(test_body, test_len), "error.message"),
                        text("Permission not found: %s.", id));
}

static void the_same_grantee_has_one_id_everywhere(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    assert_string_equal(share(ADA, "doc", reader_of(BOB)), share(ADA, "top", writer_of(BOB)));
    assert_string_equal(share(ADA, "doc", "{'role':'reader','type':'anyone'}"), "anyoneWithLink");
    assert_string_equal(
        share(ADA, "doc", "{'role':'reader','type':'anyone','allowFileDiscovery':true}"), "anyone");
    /* An alias is the same person. */
    const char *own = share(ADA, "doc", reader_of("a@acme.example"));
    const struct json *v = as(ADA, "GET", of("doc", own), NULL);
    assert_string_equal(text_at(v, "role"), "owner");
}

static void access_comes_from_above_and_stays_below(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    const char *id = share(ADA, "top", writer_of(BOB));
    assert_int_equal(sees(BOB, "doc"), 200);
    const struct json *v =
        as(ADA, "GET", text("/files/doc/permissions/%s?fields=permissionDetails", id), NULL);
    assert_true(true_at(v, "permissionDetails.0.inherited"));
    assert_string_equal(members(v, "permissionDetails.0"), "permissionType role inherited");
    /* GD-520, GD-521: neither lowered on the child nor taken away, whatever is said. */
    static const char *const flags[] = {"", "?enforceExpansiveAccess=true",
                                        "?enforceExpansiveAccess=false"};
    for (size_t i = 0; i < SOSIA_LEN(flags); i++) {
        const char *target = arena_printf(&test_arena, "%s%s", of("doc", id), flags[i]);
        as(ADA, "PATCH", target, "{'role':'reader'}");
        assert_refused(403, "cannotModifyInheritedPermission");
        assert_non_null(strstr(test_body, "less than the inherited access from a direct or "));
        as(ADA, "DELETE", target, NULL);
        assert_refused(403, "cannotDeletePermission");
        assert_non_null(strstr(test_body, "limited access must be leveraged."));
        as(BOB, "DELETE", target, NULL);
        assert_refused(403, "cannotDeletePermission");
    }
    v = as(BOB, "GET", "/files/doc?fields=capabilities(canEdit)", NULL);
    assert_true(true_at(v, "capabilities.canEdit"));
    /* GD-522: as much or more is taken, and goes without what comes from above. */
    share(ADA, "sub", reader_of(CYD));
    const char *cyd = share(ADA, "doc", writer_of(CYD));
    as(ADA, "PATCH", of("doc", cyd), "{'role':'commenter'}");
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", of("doc", cyd), "{'role':'reader'}");
    assert_int_equal(test_status, 200);
    as(ADA, "DELETE", of("doc", cyd), NULL);
    assert_int_equal(test_status, 204);
    assert_int_equal(sees(CYD, "doc"), 200);
    as(ADA, "DELETE", of("doc", cyd), NULL);
    assert_refused(403, "cannotDeletePermission");
    /* Taken away where it was given, it is gone below. */
    as(ADA, "DELETE", of("top", id), NULL);
    assert_int_equal(test_status, 204);
    assert_int_equal(sees(BOB, "doc"), 404);
    const char *link = share(ADA, "top", "{'type':'anyone','role':'reader'}");
    as(ADA, "DELETE", of("doc", link), NULL);
    assert_refused(403, "cannotDeletePermission");
    as(ADA, "DELETE", of("top", link), NULL);
    assert_int_equal(sees(BOB, "doc"), 404);
}

static void only_who_may_share_sees_permissions(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    const char *bob = share(ADA, "doc", reader_of(BOB));
    as(BOB, "GET", "/files/doc/permissions", NULL);
    assert_refused(403, "insufficientFilePermissions");
    as(BOB, "POST", "/files/doc/permissions", reader_of(CYD));
    assert_refused(403, "insufficientFilePermissions");
    as(BOB, "GET", of("doc", bob), NULL);
    assert_int_equal(test_status, 200);
    as(CYD, "GET", "/files/doc/permissions", NULL);
    assert_refused(404, "notFound");
    const char *writer = share(ADA, "doc", writer_of(BOB));
    assert_string_equal(writer, bob);
    const struct json *v = as(BOB, "GET", "/files/doc/permissions", NULL);
    assert_string_equal(members(v, ""), "permissions kind");
    assert_int_equal(count_at(v, "permissions"), 2);
    assert_string_equal(text_at(v, "permissions.1.role"), "owner");
    /* All may remove themselves. */
    as(BOB, "DELETE", of("doc", bob), NULL);
    assert_int_equal(test_status, 204);
    assert_int_equal(sees(BOB, "doc"), 404);
}

static void groups_domains_and_links(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    const char *id =
        share(ADA, "doc", "{'role':'reader','type':'group','emailAddress':'team@acme.example'}");
    assert_int_equal(sees(BOB, "doc"), 200);
    assert_int_equal(sees(EVE, "doc"), 404);
    as(ADA, "DELETE", of("doc", id), NULL);
    assert_int_equal(sees(BOB, "doc"), 404);
    id = share(ADA, "doc", "{'role':'reader','type':'domain','domain':'Acme.Example'}");
    assert_int_equal(sees(CYD, "doc"), 200);
    assert_int_equal(sees(EVE, "doc"), 404);
    const struct json *v = as(ADA, "GET", text("/files/doc/permissions/%s?fields=*", id), NULL);
    assert_string_equal(text_at(v, "displayName"), "Acme");
    assert_string_equal(text_at(v, "domain"), "acme.example");
    assert_false(true_at(v, "allowFileDiscovery"));
    share(ADA, "top", "{'role':'commenter','type':'anyone'}");
    assert_int_equal(sees(EVE, "doc"), 200);
    v = as(EVE, "GET", "/files/doc?fields=capabilities(canComment,canEdit)", NULL);
    assert_true(true_at(v, "capabilities.canComment"));
    assert_false(true_at(v, "capabilities.canEdit"));
}

static void access_ends_by_the_clock(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    as(ADA, "POST", "/files/doc/permissions",
       "{'role':'writer','type':'user','emailAddress':'bob@acme.example','expirationTime':"
       "'2026-11-23T09:00:00Z'}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(BOB, "GET", "/files/doc?fields=capabilities(canEdit,canShare)", NULL);
    assert_true(true_at(v, "capabilities.canEdit"));
    assert_false(true_at(v, "capabilities.canShare")); /* GD-381 */
    test_advance(3500);
    assert_int_equal(sees(BOB, "doc"), 200);
    test_advance(200);
    assert_int_equal(sees(BOB, "doc"), 404);
    v = as(ADA, "GET", "/files/doc/permissions", NULL);
    assert_int_equal(count_at(v, "permissions"), 1);
}

static void what_may_expire(void **state)
{
    (void)state;
    static const struct {
        const char *item, *body, *reason;
        int status;
    } cases[] = {
        {"doc", "'type':'anyone','role':'reader','expirationTime':'2026-12-01T00:00:00Z'",
         "cannotSetExpirationOnAnyoneOrDomain", 403},
        {"top",
         "'type':'user','emailAddress':'bob@acme.example','role':'writer','expirationTime':"
         "'2026-12-01T00:00:00Z'",
         "cannotSetExpiration", 403},
        {"doc",
         "'type':'user','emailAddress':'bob@acme.example','role':'reader','expirationTime':"
         "'2026-11-01T00:00:00Z'",
         "invalid", 400},
        {"doc",
         "'type':'user','emailAddress':'bob@acme.example','role':'reader','expirationTime':"
         "'2028-11-01T00:00:00Z'",
         "invalid", 400},
        {"doc",
         "'type':'user','emailAddress':'bob@acme.example','role':'reader','expirationTime':'soon'",
         "invalid", 400},
    };
    gdrive_seed(TREE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as(ADA, "POST", text("/files/%s/permissions", cases[i].item), text("{%s}", cases[i].body));
        assert_refused(cases[i].status, cases[i].reason);
    }
    assert_int_equal(sees(BOB, "doc"), 404);
}

static void bodies_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *query, *body, *reason, *message;
        int status;
    } cases[] = {
        {"", "'role':'reader'", "required", "The permission type field is required.", 400},
        {"", "'type':'anyone'", "required", "The permission role field is required.", 400},
        {"", "'type':'domain','role':'reader'", "required",
         "The domain field is required for permissions of type 'domain'.", 400},
        {"", "'type':'user','role':'reader'", "required", NULL, 400},
        {"", "'type':'everybody','role':'reader'", "invalid", NULL, 400},
        {"", "'type':'anyone','role':'king'", "invalid", NULL, 400},
        {"", "'type':'anyone','role':7", "invalid", NULL, 400},
        {"", "'type':'user','role':'reader','emailAddress':'bob'", "invalid",
         "The specified emailAddress is invalid or not applicable for the given permission type.",
         400},
        {"", "'type':'anyone','role':'reader','emailAddress':'bob@acme.example'", "invalid", NULL,
         400},
        {"", "'type':'domain','role':'reader','domain':'gmail.com'", "invalid",
         "The specified domain is invalid or not applicable for the given permission type.", 400},
        {"", "'type':'user','role':'owner','emailAddress':'bob@acme.example'", "forbidden",
         "The transferOwnership parameter must be enabled when the permission role is 'owner'.",
         403},
        {"?sendNotificationEmail=true", "'type':'anyone','role':'reader'", "forbidden", NULL, 403},
        {"?sendNotificationEmail=false&transferOwnership=true",
         "'type':'user','role':'owner','emailAddress':'bob@acme.example'", "forbidden", NULL, 403},
        {"", "'type':'user','role':'organizer','emailAddress':'bob@acme.example'",
         "organizerOnNonTeamDriveNotSupported", NULL, 403},
        {"", "'type':'user','role':'fileOrganizer','emailAddress':'bob@acme.example'",
         "fileOrganizerOnNonTeamDriveNotSupported", NULL, 403},
        {"?sendNotificationEmail=false",
         "'type':'user','role':'reader','emailAddress':'out@nowhere.example'",
         "invalidSharingRequest", NULL, 400},
        {"?transferOwnership=true",
         "'type':'user','role':'owner','emailAddress':'eve@other.example'",
         "ownershipChangeAcrossDomainNotPermitted", NULL, 403},
        {"?useDomainAdminAccess=true", "'type':'anyone','role':'reader'", "notFound", NULL, 404},
    };
    gdrive_seed(TREE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as(ADA, "POST", text("/files/doc/permissions%s", cases[i].query),
           text("{%s}", cases[i].body));
        assert_refused(cases[i].status, cases[i].reason);
        if (cases[i].message)
            assert_string_equal(text_at(parsed(test_body, test_len), "error.message"),
                                cases[i].message);
    }
    const struct json *v = as(ADA, "GET", "/files/doc/permissions", NULL);
    assert_int_equal(count_at(v, "permissions"), 1);
    assert_int_equal(count_at(test_outbox(), ""), 0);
}

static void ownership_goes_to_a_colleague(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    const char *bob = share(ADA, "doc", writer_of(BOB));
    as(BOB, "PATCH", text("/files/doc/permissions/%s?transferOwnership=true", bob),
       "{'role':'owner'}");
    assert_refused(403, "insufficientFilePermissions");
    const struct json *v =
        as(ADA, "PATCH", text("/files/doc/permissions/%s?transferOwnership=true", bob),
           "{'role':'owner'}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "role"), "owner");
    v = as(ADA, "GET", "/files/doc?fields=ownedByMe,capabilities(canEdit,canDelete),parents", NULL);
    assert_false(true_at(v, "ownedByMe"));
    assert_true(true_at(v, "capabilities.canEdit"));
    assert_false(true_at(v, "capabilities.canDelete"));
    assert_string_equal(text_at(v, "parents.0"), "sub");
    v = as(BOB, "GET", "/files/doc?fields=ownedByMe,parents", NULL);
    assert_true(true_at(v, "ownedByMe"));
    assert_null(text_at(v, "parents.0"));
    /* Back, and into the root. */
    as(BOB, "POST", "/files/doc/permissions?transferOwnership=true&moveToNewOwnersRoot=true",
       "{'role':'owner','type':'user','emailAddress':'ada@acme.example'}");
    assert_int_equal(test_status, 200);
    v = as(ADA, "GET", "/files/doc?fields=parents", NULL);
    const struct json *root = as(ADA, "GET", "/files/root", NULL);
    assert_string_equal(text_at(v, "parents.0"), text_at(root, "id"));
    v = as(ADA, "GET", "/files/doc/permissions", NULL);
    assert_string_equal(text_at(v, "permissions.0.id"), bob);
    assert_string_equal(text_at(v, "permissions.0.role"), "writer");
    /* An owner is not taken away. */
    as(ADA, "DELETE", of("doc", text_at(v, "permissions.1.id")), NULL);
    assert_refused(403, "cannotRemoveOwner");
}

static void ownership_is_offered_where_nobody_decides(void **state)
{
    (void)state;
    gdrive_seed("files: []\n");
    const char *doc =
        "sosia: 1\ntime: 2026-11-23T08:00:00Z\npeople:\n"
        "  - {email: dan@gmail.com, name: Dan}\n  - {email: fay@gmail.com, name: Fay}\n"
        "files: [{id: d, owner: dan@gmail.com, name: D}]\n";
    struct sosia_err err;
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    assert_int_equal(sosia_world_create(test_engine, &opt, &test_world, &err), 0);
    as("dan@gmail.com", "POST", "/files/d/permissions?transferOwnership=true",
       "{'role':'owner','type':'user','emailAddress':'fay@gmail.com'}");
    assert_refused(403, "consentRequiredForOwnershipTransfer");
    const char *fay = share("dan@gmail.com", "d",
                            "{'role':'writer','type':'user','emailAddress':'fay@gmail.com'}");
    as("fay@gmail.com", "PATCH", of("d", fay), "{'role':'writer','pendingOwner':true}");
    assert_refused(403, "insufficientFilePermissions");
    const struct json *v =
        as("dan@gmail.com", "PATCH", text("/files/d/permissions/%s?fields=pendingOwner", fay),
           "{'role':'writer','pendingOwner':true}");
    assert_true(true_at(v, "pendingOwner"));
    v = as("fay@gmail.com", "GET", "/files/d?fields=capabilities(canAcceptOwnership)", NULL);
    assert_true(true_at(v, "capabilities.canAcceptOwnership"));
    as("fay@gmail.com", "PATCH", text("/files/d/permissions/%s?transferOwnership=true", fay),
       "{'role':'owner'}");
    assert_int_equal(test_status, 200);
    v = as("fay@gmail.com", "GET", "/files/d?fields=ownedByMe", NULL);
    assert_true(true_at(v, "ownedByMe"));
}

static void who_is_invited_has_a_letter(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    as(ADA, "POST", "/files/doc/permissions?emailMessage=Please%20read", reader_of(BOB));
    const struct json *list =
        ask(BOB, "GET", "/gmail/v1/users/me/messages?q=subject:shared", NULL, NULL, 0);
    assert_int_equal(count_at(list, "messages"), 1);
    const struct json *m = ask(
        BOB, "GET",
        arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s", text_at(list, "messages.0.id")),
        NULL, NULL, 0);
    assert_non_null(strstr(test_body, "Item shared with you: \\\"Plan\\\""));
    assert_non_null(m);
    as(ADA, "POST", "/files/doc/permissions?sendNotificationEmail=false", reader_of(CYD));
    list = ask(CYD, "GET", "/gmail/v1/users/me/messages", NULL, NULL, 0);
    assert_int_equal(count_at(list, "messages"), 0);
    /* A person outside of the world. */
    as(ADA, "POST", "/files/doc/permissions", reader_of("out@nowhere.example"));
    assert_int_equal(test_status, 200);
    assert_int_equal(count_at(test_outbox(), ""), 1);
}

/* Who shares with an address of their organisation that nobody has is notified that the letter did
 * not arrive; nothing leaves the world. */
static void a_letter_to_nobody_is_reported_to_who_shares(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    as(ADA, "POST", "/files/doc/permissions", reader_of("nobody@acme.example"));
    assert_int_equal(test_status, 200);
    const struct json *list =
        ask(ADA, "GET", "/gmail/v1/users/me/messages?q=from:mailer-daemon", NULL, NULL, 0);
    assert_int_equal(count_at(list, "messages"), 1);
    ask(ADA, "GET",
        arena_printf(&test_arena, "/gmail/v1/users/me/messages/%s", text_at(list, "messages.0.id")),
        NULL, NULL, 0);
    assert_non_null(strstr(test_body, "nobody@acme.example"));
    assert_int_equal(count_at(test_outbox(), ""), 0);
}

/* GD-370 */
static void a_link_that_needs_a_key_opens_with_it(void **state)
{
    (void)state;
    static const char *const good[] = {"X-Goog-Drive-Resource-Keys", "other/x, doc/0-key", NULL};
    static const char *const bad[] = {"X-Goog-Drive-Resource-Keys", "doc/0-ke,other/0-key", NULL};
    gdrive_seed("files:\n"
                "  - {id: doc, owner: ada@acme.example, name: Plan, mime: text/plain, content: x, "
                "resourceKey: 0-key, needsKey: true, permissions: [{anyone: true, role: reader}, "
                "{person: bob@acme.example, role: reader}]}\n");
    assert_int_equal(sees(EVE, "doc"), 404);
    ask(EVE, "GET", "/drive/v3/files/doc", bad, NULL, 0);
    assert_refused(404, "notFound");
    ask(EVE, "GET", "/drive/v3/files/doc", good, NULL, 0);
    assert_int_equal(test_status, 200);
    assert_int_equal(sees(BOB, "doc"), 200);
    assert_int_equal(sees(ADA, "doc"), 200);
}

/* GD-60 */
static void writers_share_unless_the_owner_says_no(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    share(ADA, "doc", writer_of(BOB));
    as(ADA, "PATCH", "/files/doc", "{'writersCanShare':false}");
    assert_int_equal(test_status, 200);
    as(BOB, "POST", "/files/doc/permissions", reader_of(CYD));
    assert_refused(403, "insufficientFilePermissions");
}

static void updates_that_are_refused(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    const char *id = share(ADA, "doc", writer_of(BOB));
    as(ADA, "PATCH", of("doc", id), "{'type':'user','role':'reader'}");
    assert_refused(403, "fieldNotWritable");
    as(ADA, "PATCH", of("doc", "12345678901234567890"), "{'role':'reader'}");
    assert_refused(404, "notFound");
    const struct json *v = as(ADA, "GET", "/files/doc/permissions", NULL);
    as(BOB, "PATCH", of("doc", text_at(v, "permissions.1.id")), "{'role':'reader'}");
    assert_refused(403, "insufficientFilePermissions");
    as(BOB, "DELETE", of("doc", text_at(v, "permissions.1.id")), NULL);
    assert_refused(403, "insufficientFilePermissions");
    /* Who lowers themselves may. */
    as(BOB, "PATCH", of("doc", id), "{'role':'reader'}");
    assert_int_equal(test_status, 200);
    as(BOB, "PATCH", of("doc", id), "{'role':'writer'}");
    assert_refused(403, "insufficientFilePermissions");
}

/* Whether a link is found belongs to the permission; programs say it again with a new role. */
static void what_an_update_says_again_is_no_change(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    const char *id = share(ADA, "doc", reader_of(BOB));
    as(ADA, "PATCH", of("doc", id), "{'role':'reader','allowFileDiscovery':false}");
    assert_refused(403, "fieldNotWritable");
    id = share(ADA, "doc", "{'role':'reader','type':'anyone'}");
    const struct json *v =
        as(ADA, "PATCH", of("doc", id), "{'role':'writer','allowFileDiscovery':false}");
    assert_int_equal(test_status, 200);
    assert_string_equal(text_at(v, "role"), "writer");
    assert_string_equal(text_at(v, "id"), "anyoneWithLink");
    as(ADA, "PATCH", of("doc", id), "{'role':'reader','allowFileDiscovery':true}");
    assert_refused(403, "fieldNotWritable");
    v = as(ADA, "GET", text("%s?fields=role,allowFileDiscovery", of("doc", id)), NULL);
    assert_string_equal(text_at(v, "role"), "writer");
    assert_false(true_at(v, "allowFileDiscovery"));
}

static void pages(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    share(ADA, "doc", reader_of(BOB));
    share(ADA, "doc", reader_of(CYD));
    const struct json *v = as(ADA, "GET", "/files/doc/permissions?pageSize=2", NULL);
    assert_int_equal(count_at(v, "permissions"), 2);
    v = as(ADA, "GET",
           text("/files/doc/permissions?pageSize=2&pageToken=%s", text_at(v, "nextPageToken")),
           NULL);
    assert_int_equal(count_at(v, "permissions"), 1);
    assert_string_equal(text_at(v, "permissions.0.role"), "owner");
    assert_null(text_at(v, "nextPageToken"));
    as(ADA, "GET", "/files/doc/permissions?pageToken=", NULL);
    assert_refused(403, "pageTokenExpired");
    as(ADA, "GET", "/files/doc/permissions?pageToken=x", NULL);
    assert_refused(400, "invalid");
    as(ADA, "GET", "/files/doc/permissions?pageSize=101", NULL);
    assert_refused(400, "invalidParameter");
    as(ADA, "GET", "/files/doc/permissions?includePermissionsForView=other", NULL);
    assert_refused(400, "invalid");
}

/* corpora=domain has what an organisation may find, and not what it has by a link. */
static void an_organisation_finds_what_is_shared_with_it(void **state)
{
#define OF_ADA ", owner: ada@acme.example, permissions: [{domain: acme.example"
    (void)state;
    gdrive_seed("files:\n"
                "  - {id: found, name: a, mime: text/plain" OF_ADA ", found: true}]}\n"
                "  - {id: link, name: b, mime: text/plain" OF_ADA "}]}\n"
                "  - {id: folder, name: c, type: folder" OF_ADA ", found: true}]}\n"
                "  - {id: below, name: d, mime: text/plain, owner: ada@acme.example, parent: "
                "folder}\n"
                "  - {id: both, name: e, mime: text/plain" OF_ADA ", found: true}, {person: "
                "bob@acme.example, role: writer}]}\n"
                "  - {id: own, name: f, mime: text/plain, owner: bob@acme.example}\n");
    static const char *const orders[] = {"", "&orderBy=name",
                                         "&q=name+contains+'a'+or+name+%3D+'b'"
                                         "+or+trashed+%3D+false&orderBy=name"};
    for (size_t i = 0; i < SOSIA_LEN(orders); i++) {
        const struct json *v =
            as(BOB, "GET", arena_printf(&test_arena, "/files?corpora=domain%s", orders[i]), NULL);
        assert_int_equal(count_at(v, "files"), 4);
        if (i)
            assert_string_equal(column(v, "files", "id"), "found folder below both");
    }
    const struct json *v = as(ADA, "GET", "/files?corpora=domain&orderBy=name", NULL);
    assert_string_equal(column(v, "files", "id"), "found folder below both");
    v = as(BOB, "GET", "/files?corpora=domain&q=name+%3D+'b'", NULL);
    assert_int_equal(count_at(v, "files"), 0);
    assert_int_equal(count_at(as(EVE, "GET", "/files?corpora=domain", NULL), "files"), 0);
}

/* ---- as live answers have it ---- */

static const char *texts_at(const struct json *v, const char *list, const char *member)
{
    const char *all = "";
    for (size_t i = 0; i < count_at(v, list); i++) {
        const char *path = arena_printf(&test_arena, "%s.%zu.%s", list, i, member);
        all = arena_printf(&test_arena, "%s%s%s", all, *all ? " " : "", text_at(v, path));
    }
    return all;
}

/* GD-525: the owner may write what is in a folder of theirs, and owns it. */
static void details_of_an_owner_are_two(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    const struct json *v =
        as(ADA, "GET", "/files/doc/permissions?fields=permissions(permissionDetails)", NULL);
    assert_string_equal(texts_at(v, "permissions.0.permissionDetails", "role"), "writer owner");
    assert_true(true_at(v, "permissions.0.permissionDetails.0.inherited"));
    assert_false(true_at(v, "permissions.0.permissionDetails.1.inherited"));
}

/* GD-526 to GD-528 */
static void a_limited_folder_keeps_what_people_have_above(void **state)
{
    (void)state;
    static const char limits[] = "{'inheritedPermissionsDisabled':true}";
    gdrive_seed(TREE);
    const char *bob = share(ADA, "top", writer_of(BOB));
    const struct json *v =
        as(ADA, "GET", "/files/doc?fields=shared,inheritedPermissionsDisabled", NULL);
    assert_true(true_at(v, "shared"));
    assert_string_equal(members(v, ""), "shared inheritedPermissionsDisabled");
    as(ADA, "PATCH", "/files/sub", limits);
    assert_int_equal(test_status, 200);
    v = as(ADA, "GET", text("/files/sub/permissions/%s?fields=role,view,permissionDetails", bob),
           NULL);
    assert_string_equal(text_at(v, "role"), "reader");
    assert_string_equal(text_at(v, "view"), "metadata");
    assert_string_equal(texts_at(v, "permissionDetails", "role"), "writer");
    assert_true(true_at(v, "permissionDetails.0.inherited"));
    v = as(ADA, "GET", "/files/doc/permissions?fields=permissions(role)", NULL);
    assert_string_equal(texts_at(v, "permissions", "role"), "owner");
    assert_false(true_at(as(ADA, "GET", "/files/sub?fields=shared", NULL), "shared"));
    assert_false(true_at(as(ADA, "GET", "/files/doc?fields=shared", NULL), "shared"));
    assert_true(true_at(as(ADA, "GET", "/files/top?fields=shared", NULL), "shared"));
    v = as(ADA, "GET", "/files?q=visibility='limited'+and+name='Plan'&fields=files(id)", NULL);
    assert_int_equal(count_at(v, "files"), 1);
    /* Named there, they have what is granted there, and that alone. */
    share(ADA, "sub", reader_of(BOB));
    v = as(ADA, "GET", text("/files/sub/permissions/%s?fields=permissionDetails", bob), NULL);
    assert_string_equal(texts_at(v, "permissionDetails", "role"), "reader");
    assert_true(true_at(as(ADA, "GET", "/files/doc?fields=shared", NULL), "shared"));
}

/* GD-529, GD-536, GD-544, GD-556 */
static void items_of_shared_drives_lack_what_is_of_my_drive(void **state)
{
    (void)state;
    static const char all[] = "supportsAllDrives=true&fields=";
    const struct json *v = as(ADA, "POST", "/drives?requestId=r", "{'name':'Plans'}");
    const char *drive = text_at(v, "id");
    const char *file = text_at(as(ADA, "POST", "/files?supportsAllDrives=true",
                                  text("{'name':'x','parents':['%s']}", drive)),
                               "id");
    v = as(ADA, "GET",
           arena_printf(&test_arena,
                        "/files/%s?%sshared,permissionIds,permissions,id,capabilities("
                        "canMoveItemIntoTeamDrive,canEdit)",
                        file, all),
           NULL);
    assert_string_equal(members(v, ""), "id capabilities");
    assert_string_equal(members(v, "capabilities"), "canEdit");
    v = as(ADA, "GET", arena_printf(&test_arena, "/files/%s/permissions?%s*", file, all), NULL);
    assert_null(value_at(v, "permissions.0.pendingOwner"));
    assert_non_null(value_at(v, "permissions.0.permissionDetails"));
    v = as(ADA, "GET", arena_printf(&test_arena, "/files/%s?%sname", drive, all), NULL);
    assert_string_equal(text_at(v, "name"), "Drive");
    assert_string_equal(text_at(as(ADA, "GET", text("/drives/%s", drive), NULL), "name"), "Plans");
    as(ADA, "PATCH", text("/files/%s?supportsAllDrives=true", file), "{'writersCanShare':false}");
    assert_refused(403, "teamDrivesSharingRestrictionNotAllowed");
    as(ADA, "POST", "/files?supportsAllDrives=true",
       text("{'name':'y','writersCanShare':false,'parents':['%s']}", drive));
    assert_refused(403, "teamDrivesSharingRestrictionNotAllowed");
    as(ADA, "POST", text("/files/%s/copy?supportsAllDrives=true", file),
       "{'writersCanShare':false}");
    assert_refused(403, "teamDrivesSharingRestrictionNotAllowed");
    as(ADA, "PATCH", text("/files/%s?supportsAllDrives=true", file), "{'writersCanShare':true}");
    assert_int_equal(test_status, 200);
    /* GD-552 */
    as(ADA, "POST", "/files?supportsAllDrives=true", text("{'parents':['%s','root']}", drive));
    assert_refused(403, "teamDrivesParentLimit");
    as(ADA, "POST", "/files", "{'parents':['root','root']}");
    assert_refused(403, "cannotAddParent");
}

/* GD-530, GD-531, GD-533 */
static void domains_and_links_as_they_are_seen(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    const char *id =
        share(ADA, "doc", "{'role':'reader','type':'domain','domain':'other.example'}");
    assert_int_equal(strlen(id), 20);
    assert_int_equal(strspn(id, "0123456789"), 20);
    as(ADA, "POST", "/files/doc/permissions",
       "{'role':'reader','type':'domain','domain':'nobody.example'}");
    assert_refused(400, "invalid");
    assert_non_null(strstr(test_body, "The specified domain is invalid or not applicable for the "
                                      "given permission type."));
    const char *link = share(ADA, "doc", "{'role':'reader','type':'anyone'}");
    const struct json *v = as(ADA, "GET", of("doc", link), NULL);
    assert_string_equal(members(v, ""), "kind id type role allowFileDiscovery");
    assert_false(true_at(v, "allowFileDiscovery"));
    v = as(ADA, "PATCH", of("doc", link), "{'role':'writer'}");
    assert_string_equal(members(v, ""), "kind id type role allowFileDiscovery");
    v = as(ADA, "GET", "/files/doc/permissions", NULL);
    assert_string_equal(members(v, "permissions.0"), "kind id type role");
}

/* GD-535 */
static void a_new_form_is_published_to_its_link(void **state)
{
    (void)state;
    const char *form = make(ADA, "{'mimeType':'application/vnd.google-apps.form'}");
    const struct json *v = as(ADA, "GET", text("/files/%s/permissions", form), NULL);
    assert_int_equal(count_at(v, "permissions"), 1);
    v = as(ADA, "GET",
           text("/files/%s/permissions?includePermissionsForView=published&fields=*", form), NULL);
    assert_int_equal(count_at(v, "permissions"), 2);
    assert_string_equal(
        texts_at(v, "permissions", "id"),
        arena_printf(&test_arena, "anyoneWithLink %s", text_at(v, "permissions.1.id")));
    assert_string_equal(text_at(v, "permissions.0.view"), "published");
    assert_string_equal(text_at(v, "permissions.0.role"), "reader");
    assert_false(true_at(as(ADA, "GET", text("/files/%s?fields=shared", form), NULL), "shared"));
    assert_int_equal(sees(EVE, form), 404);
    const char *plain = make(ADA, "{'mimeType':'application/vnd.google-apps.document'}");
    v = as(ADA, "GET", text("/files/%s/permissions?includePermissionsForView=published", plain),
           NULL);
    assert_int_equal(count_at(v, "permissions"), 1);
}

/* GD-541, GD-540 */
static void only_owners_change_what_readers_copy(void **state)
{
    (void)state;
    gdrive_seed(TREE);
    share(ADA, "doc", writer_of(BOB));
    as(BOB, "PATCH", "/files/doc", "{'copyRequiresWriterPermission':true}");
    assert_refused(403, "cannotModifyViewersCanCopyContent");
    as(BOB, "PATCH", "/files/doc", "{'viewersCanCopyContent':false}");
    assert_refused(403, "cannotModifyViewersCanCopyContent");
    as(BOB, "PATCH", "/files/doc", "{'copyRequiresWriterPermission':false}"); /* as it is */
    assert_int_equal(test_status, 200);
    as(ADA, "PATCH", "/files/doc", "{'copyRequiresWriterPermission':true}");
    assert_int_equal(test_status, 200);
    const struct json *v = as(BOB, "GET", "/files/doc?fields=capabilities", NULL);
    assert_false(true_at(v, "capabilities.canMoveItemIntoTeamDrive"));
    assert_false(true_at(v, "capabilities.canMoveItemOutOfDrive"));
    assert_false(true_at(v, "capabilities.canChangeCopyRequiresWriterPermission"));
    assert_true(true_at(v, "capabilities.canRemoveMyDriveParent"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(a_share_is_made_seen_and_taken_away),
        gdrive_test(the_same_grantee_has_one_id_everywhere),
        gdrive_test(access_comes_from_above_and_stays_below),
        gdrive_test(only_who_may_share_sees_permissions),
        gdrive_test(groups_domains_and_links),
        gdrive_test(access_ends_by_the_clock),
        gdrive_test(what_may_expire),
        gdrive_test(bodies_that_are_refused),
        gdrive_test(ownership_goes_to_a_colleague),
        gdrive_test(ownership_is_offered_where_nobody_decides),
        gdrive_test(who_is_invited_has_a_letter),
        gdrive_test(a_letter_to_nobody_is_reported_to_who_shares),
        gdrive_test(a_link_that_needs_a_key_opens_with_it),
        gdrive_test(writers_share_unless_the_owner_says_no),
        gdrive_test(updates_that_are_refused),
        gdrive_test(what_an_update_says_again_is_no_change),
        gdrive_test(pages),
        gdrive_test(an_organisation_finds_what_is_shared_with_it),
        gdrive_test(details_of_an_owner_are_two),
        gdrive_test(a_limited_folder_keeps_what_people_have_above),
        gdrive_test(items_of_shared_drives_lack_what_is_of_my_drive),
        gdrive_test(domains_and_links_as_they_are_seen),
        gdrive_test(a_new_form_is_published_to_its_link),
        gdrive_test(only_owners_change_what_readers_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Files in seed documents and dumps, and what scopes show of them. */
#include "tests/support/gdrive.h"

#define DRIVES                                                                                     \
    "sharedDrives:\n"                                                                              \
    "  - {id: SD1, name: Plans, creator: ada@acme.example, members: [{person: ada@acme.example, "  \
    "role: organizer}, {group: team@acme.example, role: reader}], domainOnly: true}\n"             \
    "files:\n"                                                                                     \
    "  - {id: late, name: late.txt, mime: text/plain, owner: ada@acme.example, parent: f1, "       \
    "content: hello, created: 2026-01-02T03:04:05Z}\n"                                             \
    "  - {id: f1, name: F, type: folder, owner: ada@acme.example, permissions: [{person: "         \
    "bob@acme.example, role: writer, expires: 2027-01-01}]}\n"                                     \
    "  - {id: in, name: in.bin, base64: AAEC, parent: SD1}\n"                                      \
    "  - {id: doc, name: Doc, type: document, content: \"# Title\\n\\nText\\n\", owner: "          \
    "bob@acme.example, people: [{person: ada@acme.example, starred: true}], permissions: "         \
    "[{person: ada@acme.example, role: reader}]}\n"                                                \
    "  - {id: s, name: S, type: shortcut, target: late, owner: ada@acme.example}\n"                \
    "  - {id: rev, name: r.txt, mime: text/plain, owner: ada@acme.example, content: two, "         \
    "revisions: [{content: one, keep: true}], trashed: true, properties: {a: b}}\n"

static const struct json *get(const char *who, const char *id)
{
    return as(who, "GET",
              arena_printf(&test_arena, "/files/%s?fields=*&supportsAllDrives=true", id), NULL);
}

static void files_are_as_the_document_says(void **state)
{
    (void)state;
    gdrive_seed(DRIVES);
    const struct json *v = get(BOB, "late");
    assert_string_equal(text_at(v, "parents.0"), "f1");
    assert_string_equal(text_at(v, "createdTime"), "2026-01-02T03:04:05.000Z");
    assert_true(true_at(v, "capabilities.canEdit"));
    v = get(BOB, "in");
    assert_string_equal(text_at(v, "driveId"), "SD1");
    assert_string_equal(text_at(v, "size"), "3");
    assert_null(value_at(v, "owners"));
    assert_false(true_at(v, "capabilities.canEdit"));
    as(BOB, "GET", "/files/in", NULL);
    assert_refused(404, "notFound");
    v = get(ADA, "doc");
    assert_true(true_at(v, "starred"));
    assert_string_equal(text_at(v, "mimeType"), "application/vnd.google-apps.document");
    assert_string_equal(text_at(get(ADA, "s"), "shortcutDetails.targetMimeType"), "text/plain");
    v = get(ADA, "rev");
    assert_true(true_at(v, "trashed"));
    assert_string_equal(text_at(v, "properties.a"), "b");
}

static void what_the_document_of_a_new_world_brings_is_searched(void **state)
{
    (void)state;
    gdrive_seed("files:\n  - {id: minutes, name: Minutes of May, type: document, owner: "
                "ada@acme.example, content: The mast is new.}\n");
    const struct json *v = as(ADA, "GET", "/files?q=name+contains+'minutes'", NULL);
    assert_string_equal(column(v, "files", "id"), "minutes");
    v = as(ADA, "GET", "/files?q=fullText+contains+'mast'", NULL);
    assert_string_equal(column(v, "files", "id"), "minutes");
}

static void many_files_of_a_document_are_searched_and_found_anew(void **state)
{
    (void)state;
    const char *files = "files:\n";
    for (int i = 0; i < 150; i++)
        files = arena_printf(&test_arena,
                             "%s  - {id: many%d, name: berth%d.txt, mime: text/plain, owner: "
                             "ada@acme.example, content: mast %d}\n",
                             files, i, i, i % 3);
    gdrive_seed(files);
    const struct json *v = as(ADA, "GET", "/files?q=name+contains+'berth149'", NULL);
    assert_string_equal(column(v, "files", "id"), "many149");
    v = as(ADA, "GET", "/files?pageSize=200&q=fullText+contains+'\"mast 2\"'", NULL);
    assert_int_equal(count_at(v, "files"), 50);
    as(ADA, "PATCH", "/files/many149", "{'name':'quay.txt'}");
    v = as(ADA, "GET", "/files?q=name+contains+'berth149'", NULL);
    assert_int_equal(count_at(v, "files"), 0);
    v = as(ADA, "GET", "/files?q=name+contains+'quay'", NULL);
    assert_string_equal(column(v, "files", "id"), "many149");
}

static void a_dump_is_a_document_again(void **state)
{
    (void)state;
    gdrive_seed(DRIVES);
    const struct json *dump = test_dump();
    const char *first = json_to_text(&test_arena, value_at(dump, "files"));
    const char *drives = json_to_text(&test_arena, value_at(dump, "sharedDrives"));
    gdrive_seed(arena_printf(&test_arena, "sharedDrives: %s\nfiles: %s\n", drives, first));
    dump = test_dump();
    assert_string_equal(json_to_text(&test_arena, value_at(dump, "files")), first);
    assert_string_equal(json_to_text(&test_arena, value_at(dump, "sharedDrives")), drives);
}

/* Bob has left one of what is shared with him; a file of an app's own data, one in a folder there.
 */
#define OF_APPS                                                                                    \
    "apps: [{client_id: app.one, name: One}]\n"                                                    \
    "files:\n"                                                                                     \
    "  - {id: a1, name: a.txt, mime: text/plain, owner: ada@acme.example, space: app.one, app: "   \
    "app.one, content: own}\n"                                                                     \
    "  - {id: a2, name: F, type: folder, owner: ada@acme.example, space: ''}\n"                    \
    "  - {id: a3, name: b.txt, mime: text/plain, owner: ada@acme.example, space: '', parent: "     \
    "a2}\n"                                                                                        \
    "  - {id: p1, name: p.txt, mime: text/plain, owner: ada@acme.example, appProperties: "         \
    "{app.one: {k: v}, '': {x: y}}, permissions: [{person: bob@acme.example}]}\n"                  \
    "  - {id: p2, name: q.txt, mime: text/plain, owner: ada@acme.example, permissions: [{person: " \
    "bob@acme.example}], people: [{person: bob@acme.example, shared: false}]}\n"

static void what_apps_have_is_in_dumps(void **state)
{
    (void)state;
    gdrive_seed(OF_APPS);
    const struct json *v = get(ADA, "a3");
    assert_string_equal(text_at(v, "spaces.0"), "appDataFolder");
    assert_string_equal(text_at(get(ADA, "p1"), "appProperties.x"), "y");
    get(ADA, "a1"); /* another app's */
    assert_refused(404, "notFound");
    const struct json *dump = test_dump();
    const char *first = json_to_text(&test_arena, value_at(dump, "files"));
    const char *apps = json_to_text(&test_arena, value_at(dump, "apps"));
    assert_int_equal(count_at(dump, "files"), 5);
    assert_non_null(
        strstr(first, "\"appProperties\":{\"\":{\"x\":\"y\"},\"app.one\":{\"k\":\"v\"}}"));
    gdrive_seed(arena_printf(&test_arena, "apps: %s\nfiles: %s\n", apps, first));
    assert_string_equal(json_to_text(&test_arena, value_at(test_dump(), "files")), first);
}

static void what_is_granted_by_name_is_shared_with_them(void **state)
{
    (void)state;
    gdrive_seed(OF_APPS);
    const struct json *v =
        as(BOB, "GET", "/files?q=sharedWithMe&fields=files(id,sharingUser)", NULL);
    assert_int_equal(count_at(v, "files"), 1);
    assert_string_equal(text_at(v, "files.0.id"), "p1");
    assert_string_equal(text_at(v, "files.0.sharingUser.emailAddress"), ADA);
    get(BOB, "p2");
    assert_int_equal(test_status, 200);
    gdrive_seed(DRIVES); /* what is in a shared drive is not among it */
    v = as(BOB, "GET", "/files?q=sharedWithMe&fields=files(id)", NULL);
    assert_int_equal(count_at(v, "files"), 1);
    assert_string_equal(text_at(v, "files.0.id"), "f1");
}

#define ASKED                                                                                      \
    "driveLabels: [{id: L1, name: Contract, revision: r1, fields: [{id: F1, type: text}, {id: "    \
    "F2, type: user, many: true}]}, {id: L2, name: Old, revision: '1', fields: []}]\n"             \
    "files:\n"                                                                                     \
    "  - {id: late, name: late.txt, mime: text/plain, owner: ada@acme.example, permissions: "      \
    "[{person: bob@acme.example, role: reader, expires: 2026-12-01}], labels: [{id: L1, fields: "  \
    "{F1: [Rome], F2: [bob@acme.example]}}, {id: L2}]}\n"                                          \
    "driveApprovals:\n"                                                                            \
    "  - {id: a1, file: late, initiator: ada@acme.example, status: declined, message: Look, "      \
    "created: 2026-11-01, modified: 2026-11-02, due: 2026-11-30, locksFile: true, reviewers: "     \
    "[{email: bob@acme.example, response: declined}, {email: who@nowhere.example}]}\n"             \
    "  - {id: a2, file: late, initiator: ada@acme.example, reviewers: [{email: "                   \
    "bob@acme.example}]}\n"

static void labels_and_approvals_are_there_and_in_dumps(void **state)
{
    (void)state;
    gdrive_seed(ASKED);
    const struct json *v = as(ADA, "GET", "/files/late/listLabels", NULL);
    assert_string_equal(text_at(v, "labels.0.id"), "L1");
    assert_string_equal(text_at(v, "labels.0.fields.F1.text.0"), "Rome");
    assert_string_equal(text_at(v, "labels.0.fields.F2.user.0.emailAddress"), BOB);
    assert_string_equal(text_at(v, "labels.1.id"), "L2");
    v = as(BOB, "GET", "/files/late/approvals?fields=*", NULL);
    assert_string_equal(text_at(v, "items.0.approvalId"), "a2");
    assert_string_equal(text_at(v, "items.0.status"), "IN_PROGRESS");
    assert_string_equal(text_at(v, "items.1.status"), "DECLINED");
    assert_string_equal(text_at(v, "items.1.completeTime"), "2026-11-02T00:00:00.000Z");
    assert_string_equal(text_at(v, "items.1.reviewerResponses.1.reviewer.emailAddress"),
                        "who@nowhere.example");
    static const char *const sections[] = {"driveLabels", "files", "driveApprovals"};
    const struct json *dump = test_dump();
    const char *first[3];
    for (size_t i = 0; i < 3; i++)
        first[i] = json_to_text(&test_arena, value_at(dump, sections[i]));
    assert_string_equal(text_at(dump, "files.0.labels.0.fields.F1.0"), "Rome");
    gdrive_seed(arena_printf(&test_arena, "driveLabels: %s\nfiles: %s\ndriveApprovals: %s\n",
                             first[0], first[1], first[2]));
    dump = test_dump();
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(json_to_text(&test_arena, value_at(dump, sections[i])), first[i]);
}

/* 1970 is a time as others are, not one that nothing was said of. */
static void times_of_1970_are_kept(void **state)
{
    (void)state;
    gdrive_seed("files:\n  - {id: old, name: Old, owner: ada@acme.example, content: x, "
                "revisions: [{content: w, modified: 1970-01-01}], comments: ["
                "{id: c, author: ada@acme.example, content: Hm, created: 1970-01-01, replies: ["
                "{id: r, author: ada@acme.example, content: So, created: 1970-01-01}]}, "
                "{id: d, author: ada@acme.example, content: Ah, modified: 1970-01-01}]}\n"
                "accessProposals: [{id: p, file: old, requester: bob@acme.example, "
                "created: 1970-01-01}]\n"
                "driveChannels: [{id: ch, person: ada@acme.example, watch: changes, "
                "address: 'https://hook.example/x', expires: 1970-01-01}]\n");
    static const char *const times[] = {
        "files.0.revisions.0.modified", "files.0.comments.0.created",
        "files.0.comments.1.modified",  "files.0.comments.0.replies.0.created",
        "accessProposals.0.created",    "driveChannels.0.expires"};
    const struct json *dump = test_dump();
    for (size_t i = 0; i < SOSIA_LEN(times); i++)
        assert_string_equal(text_at(dump, times[i]), "1970-01-01T00:00:00Z");
}

/* A person has seen what they saw as it began. */
static void what_was_viewed_in_1970_was_viewed(void **state)
{
    (void)state;
    gdrive_seed("files:\n  - {id: old, name: Old, owner: ada@acme.example, content: x, people: "
                "[{person: ada@acme.example, viewed: 1970-01-01}]}\n"
                "  - {id: new, name: New, owner: ada@acme.example, content: x}\n");
    as(ADA, "PATCH", "/files/new", "{'viewedByMeTime':'1970-01-01T00:00:00.000Z'}");
    for (unsigned i = 0; i < 2; i++) {
        const struct json *v = get(ADA, i ? "new" : "old");
        assert_true(true_at(v, "viewedByMe"));
        assert_string_equal(text_at(v, "viewedByMeTime"), "1970-01-01T00:00:00.000Z");
    }
}

static const char *many_labels(unsigned n)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "fields=id,labelInfo&includeLabels=");
    for (unsigned i = 0; i < n; i++)
        buf_printf(&b, "%x,", i);
    buf_puts(&b, "L2");
    const char *form = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return form;
}

static void files_are_answered_with_the_labels_that_are_asked_for(void **state)
{
    (void)state;
    gdrive_seed(ASKED);
    const struct json *v =
        as(BOB, "GET", "/files/late?fields=id,labelInfo&includeLabels=L1,L9", NULL);
    assert_int_equal(count_at(v, "labelInfo.labels"), 1);
    assert_string_equal(text_at(v, "labelInfo.labels.0.id"), "L1");
    assert_string_equal(text_at(v, "labelInfo.labels.0.fields.F1.text.0"), "Rome");
    v = as(BOB, "GET", "/files/late?fields=id,labelInfo&includeLabels=L1,L2,L1,L1", NULL);
    assert_int_equal(count_at(v, "labelInfo.labels"), 2);
    const struct sosia_header get[] = {{"Authorization", test_bearer(BOB, NULL)},
                                       {"Content-Type", "application/x-www-form-urlencoded"},
                                       {"X-HTTP-Method-Override", "GET"}};
    const char *form = many_labels(150000); /* as many as a form holds: no list for each of them */
    v = test_request("POST", "/drive/v3/files/late", get, SOSIA_LEN(get), form, strlen(form));
    assert_int_equal(count_at(v, "labelInfo.labels"), 1);
    v = as(ADA, "GET", "/files?fields=files(id,labelInfo)&includeLabels=L2", NULL);
    assert_string_equal(text_at(v, "files.0.labelInfo.labels.0.id"), "L2");
    v = as(ADA, "GET", "/files/late?fields=id,labelInfo", NULL);
    assert_null(value_at(v, "labelInfo"));
}

/* The change feed shows it to the one who loses it. */
static void a_seeded_grant_ends(void **state)
{
    (void)state;
    gdrive_seed(ASKED);
    const char *token = text_at(as(BOB, "GET", "/changes/startPageToken", NULL), "startPageToken");
    test_advance(9 * 86400);
    as(BOB, "GET", "/files/late", NULL);
    assert_refused(404, "notFound");
    const struct json *v =
        as(BOB, "GET", arena_printf(&test_arena, "/changes?pageToken=%s", token), NULL);
    assert_int_equal(count_at(v, "changes"), 1);
    assert_string_equal(text_at(v, "changes.0.fileId"), "late");
    assert_true(true_at(v, "changes.0.removed"));
}

static void a_refused_document(const char *files, const char *expected)
{
    struct sosia_err failure = {0};
    uint64_t world;
    const char *doc = arena_printf(
        &test_arena, "sosia: 1\npeople: [{email: ada@acme.example}]\nfiles: [%s]\n", files);
    struct sosia_world_options opt = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    assert_int_equal(sosia_world_create(test_engine, &opt, &world, &failure), -1);
    if (!strstr(failure.text, expected))
        fail_msg("%s expected: %s", expected, failure.text);
}

#define SAID                                                                                       \
    "files:\n"                                                                                     \
    "  - id: f\n    name: f.txt\n    mime: text/plain\n    owner: ada@acme.example\n    content: " \
    "x\n    created: 2026-01-02T03:04:05Z\n    comments:\n"                                        \
    "      - {id: c1, author: bob@acme.example, content: Why, quoted: x, anchor: '{}', created: "  \
    "2026-01-03T00:00:00Z, replies: [{id: r1, author: ada@acme.example, content: So, created: "    \
    "2026-01-04T00:00:00Z}, {id: r2, author: bob@acme.example, action: resolve, created: "         \
    "2026-01-05T00:00:00Z}]}\n"                                                                    \
    "      - {author: ada@acme.example, deleted: true, created: 2026-01-06T00:00:00Z}\n"

static void comments_are_of_their_file(void **state)
{
    (void)state;
    gdrive_seed(SAID);
    const struct json *v = as(ADA, "GET", "/files/f/comments?fields=*", NULL);
    assert_int_equal(json_get(v, "comments")->n, 1);
    assert_string_equal(text_at(v, "comments.0.id"), "c1");
    assert_true(true_at(v, "comments.0.resolved"));
    assert_string_equal(text_at(v, "comments.0.modifiedTime"), "2026-01-05T00:00:00.000Z");
    assert_string_equal(text_at(v, "comments.0.replies.1.action"), "resolve");
    assert_string_equal(text_at(v, "comments.0.author.displayName"), "Bob");
    const char *first = json_to_text(&test_arena, value_at(test_dump(), "files"));
    assert_non_null(strstr(first, "\"comments\""));
    gdrive_seed(arena_printf(&test_arena, "files: %s\n", first));
    assert_string_equal(json_to_text(&test_arena, value_at(test_dump(), "files")), first);
    /* what is written here is in the dump too, and is a difference of the file */
    as(BOB, "POST", "/files/f/comments?fields=id", "{'content':'Not for Bob'}");
    assert_refused(404, "notFound");
    as(ADA, "POST", "/files/f/comments/c1/replies?fields=id", "{'action':'reopen'}");
    assert_int_equal(test_status, 200);
    assert_non_null(strstr(json_to_text(&test_arena, value_at(test_dump(), "files")), "reopen"));
}

/* Comments on a file, and its revisions, have the same access as the file. */
static void scopes_and_keys_hold_for_what_is_in_a_file(void **state)
{
    static const char *const targets[] = {"comments?fields=*", "comments/c1?fields=*",
                                          "comments/c1/replies?fields=*", "revisions"};
    (void)state;
    gdrive_seed(SAID);
    gdrive_scopes = "https://www.googleapis.com/auth/drive.file";
    for (size_t i = 0; i < SOSIA_LEN(targets); i++) {
        as(ADA, "GET", arena_printf(&test_arena, "/files/f/%s", targets[i]), NULL);
        assert_refused(404, "notFound");
    }
    gdrive_scopes = NULL;
    for (size_t i = 0; i < SOSIA_LEN(targets); i++) {
        as(ADA, "GET", arena_printf(&test_arena, "/files/f/%s", targets[i]), NULL);
        assert_int_equal(test_status, 200);
    }
}

/* What is set of contents and of shared drives, and what people asked for, is in dumps. */
#define WHOLE                                                                                      \
    "sharedDrives:\n"                                                                              \
    "  - {id: SD1, name: Plans, creator: ada@acme.example, members: [{person: ada@acme.example, "  \
    "role: organizer}], readersNoDownload: true, writersNoDownload: true, request: r1}\n"          \
    "files:\n"                                                                                     \
    "  - {id: f1, name: F, mime: text/plain, owner: ada@acme.example, content: x, keep: true, "    \
    "thumbnail: {mime: image/png, base64: AAEC}}\n"                                                \
    "  - {id: f2, name: D, type: document, owner: ada@acme.example, published: true, "             \
    "publishAuto: true, publishOutside: true}\n"                                                   \
    "accessProposals:\n"                                                                           \
    "  - {id: p1, file: f1, requester: eve@other.example, roles: [writer], created: 2026-01-02}\n"

static void settings_and_marks_are_in_dumps(void **state)
{
    static const char *const sections[] = {"sharedDrives", "files", "accessProposals"};
    const char *first[SOSIA_LEN(sections)];
    (void)state;
    gdrive_seed(WHOLE);
    const struct json *v =
        as(ADA, "GET", "/drives/SD1?fields=restrictions(downloadRestriction)", NULL);
    assert_true(true_at(v, "restrictions.downloadRestriction.restrictedForWriters"));
    as(ADA, "POST", "/drives?requestId=r1", "{'name':'again'}");
    assert_refused(409, "teamDriveAlreadyExists");
    v = as(ADA, "GET", "/files/f1/revisions/head?fields=*", NULL);
    assert_true(true_at(v, "keepForever"));
    v = as(ADA, "GET", "/files/f2/revisions/head?fields=*", NULL);
    assert_true(true_at(v, "published"));
    assert_true(true_at(v, "publishedOutsideDomain"));
    v = as(ADA, "GET", "/files/f1/accessproposals", NULL);
    assert_string_equal(text_at(v, "accessProposals.0.createTime"), "2026-01-02T00:00:00.000Z");
    ask(ADA, "GET", "/drive-storage/f1=s220", NULL, "", 0);
    assert_int_equal(test_len, 3);
    const struct json *dump = test_dump();
    for (size_t i = 0; i < SOSIA_LEN(sections); i++)
        first[i] = json_to_text(&test_arena, value_at(dump, sections[i]));
    assert_non_null(strstr(first[0], "writersNoDownload"));
    assert_non_null(strstr(first[1], "\"keep\""));
    assert_non_null(strstr(first[1], "publishAuto"));
    assert_non_null(strstr(first[1], "AAEC"));
    gdrive_seed(arena_printf(&test_arena, "sharedDrives: %s\nfiles: %s\naccessProposals: %s\n",
                             first[0], first[1], first[2]));
    dump = test_dump();
    for (size_t i = 0; i < SOSIA_LEN(sections); i++)
        assert_string_equal(json_to_text(&test_arena, value_at(dump, sections[i])), first[i]);
}

static void proposals_that_are_refused(void **state)
{
    static const char *const cases[][2] = {
        {"{file: f, requester: ada@acme.example, roles: [owner]}", "must be of reader"},
        {"{id: p, file: f, requester: ada@acme.example}, {id: p, file: f, requester: "
         "ada@acme.example}",
         "is there already"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++)
        a_refused_document(arena_printf(&test_arena,
                                        "{id: f, name: F, owner: ada@acme.example}]\n"
                                        "accessProposals: [%s",
                                        cases[i][0]),
                           cases[i][1]);
}

static void rows_that_make_no_sense_are_refused(void **state)
{
    static const char *const changes[] = {
        "update gdrive_labelled set content = '{\"F1\":7}'",
        "update gdrive_labelled set content = '{\"F1\":[7]}'",
        "update gdrive_labelled set content = '{'",
        "update gdrive_label set definition = '[]'",
        "update drive_item set thumbnail_mime = 'image/png' where key = 'late'",
        "update gdrive_approval set due_us = 9223372036854775807",
        "update drive_comment set created_us = -9223372036854775807",
        "update drive_reply set modified_us = 9223372036854775807",
        "update gdrive_proposal set roles = 'reader'",
        "update drive_revision set size = -5",
        "update drive_top set item = (select id from drive_item where key = 'late') where rowid = "
        "(select min(rowid) from drive_top)",
        "update drive_top set account = (select max(id) from ident_account where actor <> (select "
        "owner from drive_item where id = item)) where rowid = (select min(rowid) from drive_top)",
    };
    uint64_t world;
    (void)state;
    gdrive_seed(ASKED "accessProposals: [{file: late, requester: eve@other.example}]\n");
    const struct json *v = as(ADA, "POST", "/files/late/comments?fields=id", "{'content':'so'}");
    as(ADA, "POST",
       arena_printf(&test_arena, "/files/late/comments/%s/replies?fields=id", text_at(v, "id")),
       "{'content':'and so'}");
    assert_int_equal(test_status, 200);
    assert_int_equal(test_import_changed("select 1", &world), 0);
    for (size_t i = 0; i < SOSIA_LEN(changes); i++) {
        if (test_import_changed(changes[i], &world) == 0)
            fail_msg("taken: %s", changes[i]);
        assert_int_equal(test_err.code, SOSIA_E_INVALID);
    }
}

static void faults_are_reported(void **state)
{
    (void)state;
    a_refused_document("{name: a}", "must have an owner");
    a_refused_document("{name: a, owner: ada@acme.example, parent: none}", "there is no folder");
    a_refused_document("{id: a, name: a, owner: ada@acme.example, type: folder, parent: a}",
                       "is in the folder itself");
    a_refused_document("{id: a, name: a, owner: ada@acme.example}, {id: a, name: b, owner: "
                       "ada@acme.example}",
                       "is there already");
    a_refused_document("{name: a, owner: ada@acme.example, permissions: [{role: reader}]}",
                       "must have one of person");
    a_refused_document("{name: a, owner: ada@acme.example, base64: '!'}", "is not base64");
    a_refused_document("{name: a, owner: ada@acme.example, type: folder, content: x}",
                       "can be said of");
    a_refused_document("{name: a, owner: ada@acme.example, labels: [{id: L9}]}",
                       "there is no label");
    a_refused_document("{name: a, parent: ''}", "must have an owner");
    a_refused_document("{id: d, name: d, type: folder, owner: ada@acme.example}, {name: a, parent: "
                       "d}",
                       "must have an owner");
    a_refused_document("{name: a, owner: ada@acme.example, mime: folder}", "is not a media type");
    a_refused_document("{name: a, owner: ada@acme.example, permissions: [{domain: acme}]}",
                       "is not a domain");
    a_refused_document(
        "{name: a, owner: ada@acme.example, permissions: [{anyone: true, view: all}]}",
        "must be published");
    a_refused_document("{name: a, owner: ada@acme.example, type: folder, keep: true}",
                       "can be said of files");
    a_refused_document("{name: a, owner: ada@acme.example, thumbnail: {mime: image/png, base64: "
                       "'!'}}",
                       "is not base64");
    a_refused_document("{id: d, name: d, type: folder, owner: ada@acme.example}, {name: a, owner: "
                       "ada@acme.example, parent: d, space: ''}",
                       "is of another space");
}

static void scopes_show_less(void **state)
{
    (void)state;
    gdrive_seed(DRIVES);
    gdrive_scopes = "https://www.googleapis.com/auth/drive.file";
    const char *own = make(ADA, "{'name':'own'}");
    get(ADA, own);
    assert_int_equal(test_status, 200);
    get(ADA, "late"); /* not of the app */
    assert_refused(404, "notFound");
    gdrive_scopes = "https://www.googleapis.com/auth/drive.appdata";
    get(ADA, "late");
    assert_refused(404, "notFound");
    const char *data = make(ADA, "{'name':'x','parents':['appDataFolder']}");
    gdrive_scopes = "https://www.googleapis.com/auth/drive";
    get(ADA, data);
    assert_refused(403, "insufficientScopes");
    gdrive_scopes = "https://www.googleapis.com/auth/drive.metadata.readonly";
    get(ADA, "late");
    assert_int_equal(test_status, 200);
    as(ADA, "GET", "/files/late?alt=media", NULL);
    assert_refused(403, "appNotAuthorizedToFile");
}

static void what_is_made_in_a_world_of_a_dump_is_new(void **state)
{
    (void)state;
    gdrive_seed(DRIVES);
    const char *first = arena_strdup(&test_arena, make(ADA, "{'name':'first'}"));
    for (int i = 0; i < 3; i++) {
        as(ADA, "POST", arena_printf(&test_arena, "/files/%s/comments?fields=id", first),
           "{'content':'x'}");
        assert_int_equal(test_status, 200);
        make(ADA, "{'name':'fresh'}");
        make(ADA, "{'name':'fresh','mimeType':'application/vnd.google-apps.document'}");
        test_use(json_to_text(&test_arena, test_dump()));
    }
}

static void presentations_are_made_of_text(void **state)
{
    (void)state;
    gdrive_seed("files:\n"
                "  - {id: deck, name: Deck, owner: ada@acme.example, type: presentation, content: "
                "\"Plans\\nfor spring\\nand summer\\n\\n\\nCosts\\n\"}\n"
                "  - {id: none, name: None, owner: ada@acme.example, type: presentation, content: "
                "\"\"}\n");
    as(ADA, "GET", "/files/deck/export?mimeType=text/plain", NULL);
    assert_int_equal(test_status, 200);
    assert_string_equal(test_body,
                        "\xEF\xBB\xBFPlans\r\nfor spring\r\nand summer\r\n\r\nCosts\r\n");
    as(ADA, "GET", "/files/none/export?mimeType=text/plain", NULL);
    assert_int_equal(test_status, 200);
    /* The API makes none of text. */
    as(ADA, "POST", "/files/deck/copy", "{'mimeType':'application/vnd.google-apps.document'}");
    assert_refused(400, "badRequest");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gdrive_test(presentations_are_made_of_text),
        gdrive_test(files_are_as_the_document_says),
        gdrive_test(what_the_document_of_a_new_world_brings_is_searched),
        gdrive_test(many_files_of_a_document_are_searched_and_found_anew),
        gdrive_test(a_dump_is_a_document_again),
        gdrive_test(what_apps_have_is_in_dumps),
        gdrive_test(what_is_granted_by_name_is_shared_with_them),
        gdrive_test(times_of_1970_are_kept),
        gdrive_test(what_was_viewed_in_1970_was_viewed),
        gdrive_test(labels_and_approvals_are_there_and_in_dumps),
        gdrive_test(files_are_answered_with_the_labels_that_are_asked_for),
        gdrive_test(a_seeded_grant_ends),
        gdrive_test(comments_are_of_their_file),
        gdrive_test(scopes_and_keys_hold_for_what_is_in_a_file),
        gdrive_test(settings_and_marks_are_in_dumps),
        gdrive_test(proposals_that_are_refused),
        gdrive_test(rows_that_make_no_sense_are_refused),
        gdrive_test(faults_are_reported),
        gdrive_test(scopes_show_less),
        gdrive_test(what_is_made_in_a_world_of_a_dump_is_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

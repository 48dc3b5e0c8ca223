/* SPDX-License-Identifier: Apache-2.0 */
/* Tools of community servers for drives: each is called with its documented arguments. */
#include "tests/support/mcp.h"
#include "tests/support/unit.h"

#define ADA  "ada@acme.example"
#define PATH "/mcp/drive?tools=community"

static const char doc[] =
    "sosia: 1\n"
    "time: 2026-03-12T08:00:00Z\n"
    "organizations: [{domain: acme.example, name: Acme}]\n"
    "people:\n"
    "  - {email: ada@acme.example, name: Ada Ames}\n"
    "  - {email: bob@acme.example, name: Bob Stone}\n"
    "files:\n"
    "  - {id: work, owner: ada@acme.example, name: Work, type: folder}\n"
    "  - {id: plan, owner: ada@acme.example, name: plan.txt, mime: text/plain, content: the "
    "harbour plan, parent: work}\n"
    "  - {id: photo, owner: ada@acme.example, name: photo.png, mime: image/png, content: abc}\n"
    "  - {id: kept, owner: ada@acme.example, name: k.txt, mime: text/plain, content: new, "
    "revisions: [{content: old, modified: '2026-03-01T10:00', modifiedBy: ada@acme.example, keep: "
    "true}]}\n"
    "  - {id: paper, owner: ada@acme.example, name: Paper, type: document, content: A paper}\n";

static int set_up(void **state)
{
    return test_open(doc);
}

static int tear_down(void **state)
{
    return test_close();
}

static const char *done(const char *tool, const char *arguments)
{
    return mcp_done(ADA, PATH, tool, arguments);
}

static void refuse(const char *tool, const char *arguments, const char *expected)
{
    mcp_refuse(ADA, PATH, tool, arguments, expected);
}

static void says(const char *tool, const char *arguments, const char *expected)
{
    mcp_says(ADA, PATH, tool, arguments, expected);
}

static void files_are_found_and_read(void **state)
{
    says("search", "{'query':'harbour'}",
         "Found 1 files (ordered by relevance):\nplan.txt (text/plain) [id: plan, path: My "
         "Drive/Work]");
    says("search", "{'query':'name = \\u0027Work\\u0027','rawQuery':true}",
         "Found 1 files (ordered by modifiedTime desc):\nWork");
    says("search", "{'query':'trashed = true','rawQuery':true}",
         "Found 0 files (ordered by modifiedTime desc):");
    says("search",
         "{'query':'name contains \\u0027work\\u0027 or name contains \\u0027plan\\u0027',"
         "'rawQuery':true,'orderBy':'name'}",
         "Found 2 files (ordered by name):\nplan.txt");
    refuse("search", "{'query':'x','orderBy':'size'}", "orderBy must be");
    says("readTextFile", "{'fileId':'plan'}",
         "File: plan.txt\nMIME type: text/plain\nLength: 16 characters\nTruncated: no\n---\nthe "
         "harbour plan");
    says("readTextFile", "{'fileId':'plan','maxLength':3}", "yes (showing first 3)\n---\nthe");
    refuse("readTextFile", "{'fileId':'photo'}", "must be a text");
    refuse("readTextFile", "{'fileId':7}", "fileId must be a string, not 7");
    refuse("readTextFile", "{'fileId':'plan','maxLength':'3'}", "maxLength must be a ");
    says("listFolder", "{}", "📁 Work (ID: work)");
    says("listFolder", "{'folderId':'work'}", "Contents of folder:\n\n📄 plan.txt (ID: plan)");
    says("listFolder", "{'pageSize':1}", "More items available. Use pageToken: ");
    says("listSharedDrives", "{}", "No shared drives found.");
    says("gdrive_search", "{'query':'plan'}", "Found 1 files:\nplan plan.txt (text/plain)");
    says("gdrive_search", "{'query':' ','pageSize':1}", "More results available");
    says("gdrive_read_file", "{'fileId':'plan'}", "Contents of plan.txt:\n\nthe harbour plan");
    says("gdrive_read_file", "{'fileId':'photo'}", "Contents of photo.png:\n\nYWJj");
    says("gdrive_read_file", "{'fileId':'paper'}", "Contents of Paper:\n\nA paper");
    refuse("gdrive_read_file", "{'fileId':'none'}", "404 notFound");
    refuse("gdrive_search", "{'query':'x','pageToken':'~'}", "400 invalid");
    refuse("listFolder", "{'folderId':'none'}", "404 notFound");
    refuse("search", "{'query':'x x x','rawQuery':true}", "400 invalid");
    refuse("listSharedDrives", "{'pageSize':0}", "pageSize must be");
}

static void files_are_made_and_changed(void **state)
{
    const char *id = mcp_behind(done("createTextFile", "{'name':'a.md','content':'# One',"
                                                       "'parentFolderId':'/Work/Notes'}"),
                                "ID: ");
    says("search", "{'query':'name = \\u0027a.md\\u0027','rawQuery':true}",
         "path: My Drive/Work/Notes");
    refuse("createTextFile", "{'name':'a.md','content':'x','parentFolderId':'/Work/Notes'}",
           "is there already");
    refuse("createTextFile", "{'name':'a.exe','content':'x'}", "must end in .txt or .md");
    says("updateTextFile", mcp_with("{'fileId':'%','content':'# Two','name':'b.txt'}", id),
         "Updated file: b.txt\nModified: 2026-03-12T08:00");
    refuse("updateTextFile", "{'fileId':'photo','content':'x'}", "must be a text");
    says("readTextFile", mcp_with("{'fileId':'%'}", id), "MIME type: text/plain");
    says("getRevisions", mcp_with("{'fileId':'%'}", id), "by Ada Ames");
    refuse("getRevisions", "{'fileId':'none'}", "404 notFound");
    const char *folder = mcp_behind(done("createFolder", "{'name':'Old'}"), "ID: ");
    refuse("createFolder", "{'name':'Old'}", "is there already");
    says("renameItem", mcp_with("{'itemId':'%','newName':'Older'}", folder),
         "Successfully renamed \"Old\" to \"Older\"");
    refuse("renameItem", "{'itemId':'plan','newName':'plan'}", "must end in");
    refuse("renameItem", "{'itemId':'plan','newName':''}", "newName must be a text, not empty");
    refuse("createFolder", "{'name':''}", "name must be a text, not empty");
    refuse("search", "{'query':''}", "query must be a text, not empty");
    refuse("listFolder", "{'pageSize':101}", "pageSize must be from 1 to 100, not 101");
    says("moveItem", "{'itemId':'plan','destinationFolderId':'/Older'}",
         "Successfully moved \"plan.txt\" to \"Older\"");
    refuse("moveItem", "{'itemId':'work','destinationFolderId':'work'}", "into itself");
    says("copyFile", "{'fileId':'plan'}", "Successfully copied file as \"Copy of plan.txt\"");
    refuse("copyFile", "{'fileId':'none'}", "404 notFound");
    says("createShortcut", "{'targetFileId':'plan'}", "Target: plan.txt (plan)");
    refuse("createShortcut", "{'targetFileId':'none'}", "404 notFound");
    says("deleteItem", "{'itemId':'plan'}", "Successfully moved to trash: plan.txt");
    refuse("deleteItem", "{'itemId':'none'}", "404 notFound");
}

/* Text again and again between two others. */
static const char *many(const char *head, const char *text, int n, const char *end)
{
    char *all = arena_alloc(&test_arena, strlen(head) + strlen(text) * (size_t)n + strlen(end) + 1);
    char *to = stpcpy(all, head);
    while (n-- > 0)
        to = stpcpy(to, text);
    strcpy(to, end);
    return all;
}

static void what_would_take_many_calls_is_refused(void **state)
{
    refuse("createFolder", many("{'name':'x','parent':'", "/a", 51, "'}"), "at most 50 folders");
    mcp_refuse(ADA, "/mcp/gmail?tools=community", "batch_delete_emails",
               many("{'messageIds':['a'", ",'a'", 1000, "]}"), "at most 1000 items");
}

static void content_is_uploaded_locked_and_restored(void **state)
{
    const char *id =
        mcp_behind(done("uploadFile", "{'name':'b.csv','contentBase64':'YSxi'}"), "ID: ");
    says("gdrive_read_file", mcp_with("{'fileId':'%'}", id), "a,b");
    says("uploadFile", mcp_with("{'fileId':'%','contentBase64':'Yyxk'}", id),
         "Updated (new version)");
    says("gdrive_read_file", mcp_with("{'fileId':'%'}", id), "c,d");
    const char *first = mcp_behind(done("getRevisions", "{'fileId':'kept'}"), "- ");
    first = arena_printf(&test_arena, "%.*s", (int)strcspn(first, ":"), first);
    refuse("restoreRevision", mcp_with("{'fileId':'kept','revisionId':'%'}", first), "confirm");
    refuse("restoreRevision", "{'fileId':'kept','revisionId':'none','confirm':true}", "404");
    says("restoreRevision", mcp_with("{'fileId':'kept','revisionId':'%','confirm':true}", first),
         "Restored file kept (k.txt)");
    says("gdrive_read_file", "{'fileId':'kept'}", "old");
    refuse("uploadFile", "{'name':'b','localPath':'/etc/passwd'}", "outside allowed directories");
    refuse("uploadFile", "{'name':'b','localPath':'b','contentBase64':'aGk='}", "must be absent");
    refuse("uploadFile", "{'name':'b','contentBase64':'*'}", "must be base64");
    refuse("uploadFile", "{'name':'b','contentBase64':'aGk'}", "must be base64");
    refuse("uploadFile", "{'name':'b','contentBase64':'a==='}", "must be base64");
    refuse("uploadFile", "{'name':'b','contentBase64':''}", "must be base64");
    refuse("uploadFile", "{'name':'b'}", "contentBase64 is required");
    says("uploadFile", "{'name':'b','contentBase64':' aG\\nk= '}", "Size: 2 bytes");
    /* no content is none to change */
    done("updateTextFile", "{'fileId':'plan','content':'','name':'plan.txt'}");
    says("readTextFile", "{'fileId':'plan'}", "the harbour plan");
    refuse("uploadFile", "{'name':'b.png','contentBase64':'YSxi','convertToGoogleFormat':true}",
           "must be one of an office program");
    says("lockFile", "{'fileId':'plan','reason':'Final'}", "Reason: Final");
    says("lockFile", "{'fileId':'plan'}", "was locked already");
    refuse("updateTextFile", "{'fileId':'plan','content':'x'}", "403");
    says("unlockFile", "{'fileId':'plan'}", "The file is unlocked.");
    says("unlockFile", "{'fileId':'plan'}", "is not locked");
    refuse("lockFile", "{'fileId':'none'}", "404 notFound");
    refuse("unlockFile", "{'fileId':'none'}", "404 notFound");
}

static void files_are_shared(void **state)
{
    /* Of details the first counts, and the first of an owner is inherited (GD-525). */
    says("listPermissions", "{'fileId':'plan'}", "ada@acme.example (user) => owner [inherited]");
    says("shareFile", "{'fileId':'plan','emailAddress':'bob@acme.example'}",
         "Shared file with bob@acme.example as reader");
    says("shareFile", "{'fileId':'plan','emailAddress':'bob@acme.example','role':'writer'}",
         "Updated existing permission for bob@acme.example to writer");
    says("shareFile", "{'fileId':'plan','emailAddress':'BOB@acme.example','role':'writer'}",
         "has the role writer already");
    says("removePermission", "{'fileId':'plan','emailAddress':'bob@acme.example'}",
         "Permission removed: ");
    refuse("removePermission", "{'fileId':'plan','emailAddress':'bob@acme.example'}",
           "has no permission");
    refuse("removePermission", "{'fileId':'plan'}", "is required");
    const char *id = mcp_behind(done("addPermission", "{'fileId':'plan','type':'anyone'}"), ": ");
    id = arena_printf(&test_arena, "%.*s", (int)strcspn(id, " "), id);
    says("updatePermission", mcp_with("{'fileId':'plan','permissionId':'%','role':'writer'}", id),
         "=> writer");
    refuse("addPermission", "{'fileId':'plan'}", "emailAddress is required");
    refuse("updatePermission", "{'fileId':'plan','permissionId':'none','role':'writer'}",
           "404 notFound");
    refuse("shareFile", "{'fileId':'none','emailAddress':'bob@acme.example'}", "404 notFound");
    refuse("listPermissions", "{'fileId':'none'}", "404 notFound");
}

static void the_list_has_what_the_token_may_do(void **state)
{
    const char *some = mcp_names(ADA, PATH "&risk=read");
    assert_non_null(strstr(some, "readTextFile"));
    assert_null(strstr(some, "uploadFile"));
    assert_null(strstr(some, "downloadFile"));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(files_are_found_and_read),
        TEST(files_are_made_and_changed),
        TEST(content_is_uploaded_locked_and_restored),
        TEST(files_are_shared),
        TEST(what_would_take_many_calls_is_refused),
        TEST(the_list_has_what_the_token_may_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

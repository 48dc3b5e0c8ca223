/* SPDX-License-Identifier: Apache-2.0 */
/* Labels. */
#include "engine/world/engine.h"
#include "tests/support/gmail.h"

#define HIDDEN "'messageListVisibility':'hide','labelListVisibility':'labelHide','type':'system'}"
#define SHOWN  "'messageListVisibility':'show','labelListVisibility':'labelShow'"

static const char *make(const char *name)
{
    const struct json *v = gm(ADA, "POST", "/labels", gm_text("{'name':'%s'}", name));
    if (test_status != 200)
        fail_msg("%s: %d %s", name, test_status, test_body);
    return text_at(v, "id");
}

static void the_systems_labels_are_listed_as_recorded(void **state)
{
    make("nango-test");
    make("TestLabel123");
    gm_get(ADA, 200, "/labels");
    assert_answer(
        "{'labels':[{'id':'CHAT','name':'CHAT'," HIDDEN ",{'id':'SENT','name':'SENT',"
        "'type':'system'},{'id':'INBOX','name':'INBOX','type':'system'},"
        "{'id':'IMPORTANT','name':'IMPORTANT'," HIDDEN ",{'id':'TRASH','name':'TRASH'," HIDDEN
        ",{'id':'DRAFT','name':'DRAFT','type':'system'},{'id':'SPAM','name':'SPAM'," HIDDEN
        ",{'id':'CATEGORY_FORUMS','name':'CATEGORY_FORUMS'," HIDDEN
        ",{'id':'CATEGORY_UPDATES','name':'CATEGORY_UPDATES'," HIDDEN
        ",{'id':'CATEGORY_PERSONAL','name':'CATEGORY_PERSONAL'," HIDDEN
        ",{'id':'CATEGORY_PROMOTIONS','name':'CATEGORY_PROMOTIONS'," HIDDEN
        ",{'id':'CATEGORY_SOCIAL','name':'CATEGORY_SOCIAL'," HIDDEN
        ",{'id':'STARRED','name':'STARRED','type':'system'},"
        "{'id':'UNREAD','name':'UNREAD','type':'system'},"
        "{'id':'Label_1','name':'nango-test'," SHOWN ",'type':'user'},"
        "{'id':'Label_2','name':'TestLabel123'," SHOWN ",'type':'user'}]}");
}

static void create_answers_without_type_and_counts(void **state)
{
    gm(ADA, "POST", "/labels",
       "{'name':'NangoActionTest','labelListVisibility':'labelShow',"
       "'messageListVisibility':'show'}");
    assert_answer("{'id':'Label_1','name':'NangoActionTest'," SHOWN "}");
    gm(ADA, "POST", "/labels",
       "{'name':'Hid','labelListVisibility':'labelShowIfUnread','messageListVisibility':'hide'}");
    assert_answer("{'id':'Label_2','name':'Hid','messageListVisibility':'hide',"
                  "'labelListVisibility':'labelShowIfUnread'}");
}

static void get_and_patch_count(void **state)
{
    make("Old");
    gm(ADA, "PATCH", "/labels/Label_1", "{'name':'Updated Test Label Name'}");
    assert_answer("{'id':'Label_1','name':'Updated Test Label Name'," SHOWN
                  ",'type':'user','messagesTotal':0,'messagesUnread':0,'threadsTotal':0,"
                  "'threadsUnread':0}");
    const char *id = gm_insert(ADA, "Subject: a\n\n", ",'labelIds':['INBOX','UNREAD','Label_1']");
    gm_insert(ADA, "Subject: b\n\n", ",'labelIds':['INBOX']");
    gm_get(ADA, 200, "/labels/INBOX");
    assert_answer("{'id':'INBOX','name':'INBOX','type':'system','messagesTotal':2,"
                  "'messagesUnread':1,'threadsTotal':2,'threadsUnread':1}");
    gm(ADA, "POST", gm_text("/messages/%s/modify", id), "{'removeLabelIds':['UNREAD']}");
    const struct json *v = gm_get(ADA, 200, "/labels/Label_1");
    assert_int_equal(number_at(v, "messagesTotal"), 1);
    assert_int_equal(number_at(v, "messagesUnread"), 0);
}

static void unknown_ids_are_not_found(void **state)
{
    static const char *const ids[] = {"Label_1",
                                      "Label_01",
                                      "Label_0",
                                      "label_1",
                                      "inbox",
                                      "x",
                                      "Label_99999999999999999999",
                                      "Label_16777216"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        gm_get(ADA, 404, "/labels/%s", ids[i]);
        assert_refused(404, "notFound", "NOT_FOUND", "Requested entity was not found.");
        gm(ADA, "DELETE", gm_text("/labels/%s", ids[i]), NULL);
        assert_int_equal(test_status, 404);
        gm(ADA, "PATCH", gm_text("/labels/%s", ids[i]), "{}");
        assert_int_equal(test_status, 404);
    }
    make("mine");
    gm_get(BOB, 404, "/labels/Label_1");
}

static void names_that_exist_conflict(void **state)
{
    static const char *const same[] = {"gog/pr-review", "GOG/PR-Review", "gog-pr-review",
                                       "gog pr review", "gog(pr&review", "gog|pr}review"};
    make("gog/pr-review");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        gm(ADA, "POST", "/labels", gm_text("{'name':'%s'}", same[i]));
        assert_refused(409, "aborted", "ABORTED", "Label name exists or conflicts");
    }
    make("gog.pr.review");
    gm(ADA, "PATCH", "/labels/Label_2", "{'name':'GOG/pr review'}");
    assert_refused(409, "aborted", "ABORTED", "Label name exists or conflicts");
    gm(ADA, "PATCH", "/labels/Label_1", "{'name':'Gog/PR-review'}");
    assert_int_equal(test_status, 200);
    gm(BOB, "POST", "/labels", "{'name':'gog/pr-review'}");
    assert_int_equal(test_status, 200);
}

/* Steps of SQLite's machine for the statements of a call. */
static int64_t steps_to_make(const char *name)
{
    struct sosia_err err;
    struct worker *w = worker_take(test_engine, &err);
    assert_non_null(w);
    sqlite3 *db = slot_db(w->slot);
    int64_t n = 0;
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(db, st));)
        sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    worker_drop(w);
    make(name);
    assert_ptr_equal(worker_take(test_engine, &err), w);
    for (sqlite3_stmt *st = NULL; (st = sqlite3_next_stmt(db, st));)
        n += sqlite3_stmt_status(st, SQLITE_STMTSTATUS_VM_STEP, 1);
    worker_drop(w);
    return n;
}

static void other_labels_are_not_looked_through(void **state)
{
    make("a");
    int64_t before = steps_to_make("b");
    for (int i = 0; i < 300; i++)
        make(gm_text("x/%d", i));
    assert_in_range(before, 50, 5000);
    assert_in_range(steps_to_make("c"), before - 50, before + 50);
}

static void some_names_are_nobodys(void **state)
{
    static const char *const names[] = {"",
                                        "INBOX",
                                        "inbox",
                                        "Sent",
                                        "Unread",
                                        "Trash",
                                        "Drafts",
                                        "Archive",
                                        "Arxiv",
                                        "Muted",
                                        "Todo",
                                        "Voicemail",
                                        "Scheduled",
                                        "^x",
                                        " lead",
                                        "trail ",
                                        "cr\\r",
                                        "tab\\tx",
                                        "CATEGORY_SOCIAL",
                                        "a//b",
                                        "/a",
                                        "a/",
                                        "del\\u007f",
                                        "Archived",
                                        "AllMail",
                                        "bin",
                                        "Buzz",
                                        "Migrated",
                                        "todos"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        gm(ADA, "POST", "/labels", gm_text("{'name':'%s'}", names[i]));
        assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label name");
    }
    gm(ADA, "POST", "/labels", "{}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label name");
}

static void a_name_that_is_kept_is_no_fault(void **state)
{
    test_use(gm_text("%smailboxes: [{person: ada@acme.example, labels: [{name: Archive}]}]\n",
                     gm_people));
    gm(ADA, "PATCH", "/labels/Label_1", "{'labelListVisibility':'labelHide'}");
    assert_int_equal(test_status, 200);
    gm(ADA, "PUT", "/labels/Label_1", "{'name':'Archive'}");
    assert_int_equal(test_status, 200);
    gm(ADA, "PATCH", "/labels/Label_1", "{'name':'archive'}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label name");
}

static void a_name_has_225_characters_at_most(void **state)
{
    char name[2 * 226 + 1] = "";
    for (int i = 0; i < 226; i++)
        memcpy(name + 2 * i, "\xC3\xA9", 2);
    gm(ADA, "POST", "/labels", gm_text("{'name':'%s'}", name));
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label name");
    name[450] = 0;
    make(name);
}

static void parents_need_not_exist(void **state)
{
    make("foo/bar");
    make("foo");
    assert_string_equal(text_at(gm_get(ADA, 200, "/labels/Label_1"), "name"), "foo/bar");
}

static void colours_come_from_the_palette(void **state)
{
    gm(ADA, "POST", "/labels",
       "{'name':'c','color':{'backgroundColor':'#16A766','textColor':'#ffffff'}}");
    assert_answer("{'id':'Label_1','name':'c'," SHOWN
                  ",'color':{'textColor':'#ffffff','backgroundColor':'#16a766'}}");
    gm(ADA, "POST", "/labels",
       "{'name':'d','color':{'backgroundColor':'#123456','textColor':'#ffffff'}}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT",
                   "Label color #123456 is not on the allowed color palette");
    gm(ADA, "POST", "/labels", "{'name':'d','color':{'backgroundColor':'#16a766'}}");
    assert_int_equal(test_status, 400);
    gm(ADA, "PATCH", "/labels/Label_1", "{'name':'e'}");
    assert_non_null(value_at(gm_get(ADA, 200, "/labels/Label_1"), "color"));
    gm(ADA, "PUT", "/labels/Label_1", "{'id':'Label_1','name':'e'}");
    assert_null(value_at(gm_get(ADA, 200, "/labels/Label_1"), "color"));
}

static void put_replaces_and_patch_changes(void **state)
{
    gm(ADA, "POST", "/labels", "{'name':'a','labelListVisibility':'labelHide'}");
    gm(ADA, "PATCH", "/labels/Label_1", "{'messageListVisibility':'hide'}");
    const struct json *v = gm_get(ADA, 200, "/labels/Label_1");
    assert_string_equal(text_at(v, "labelListVisibility"), "labelHide");
    assert_string_equal(text_at(v, "messageListVisibility"), "hide");
    v = gm(ADA, "PUT", "/labels/Label_1", "{'name':'b'}");
    assert_string_equal(text_at(v, "labelListVisibility"), "labelShow");
    gm(ADA, "PUT", "/labels/Label_1", "{}");
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid label name");
}

static void the_systems_labels_stay(void **state)
{
    gm(ADA, "DELETE", "/labels/INBOX", NULL);
    assert_refused(400, "invalidArgument", "INVALID_ARGUMENT", "Invalid delete request");
    gm(ADA, "PATCH", "/labels/INBOX", "{'name':'In'}");
    assert_int_equal(test_status, 400);
    gm(ADA, "PATCH", "/labels/STARRED",
       "{'color':{'backgroundColor':'#16a766','textColor':'#ffffff'}}");
    assert_int_equal(test_status, 400);
    gm_get(ADA, 200, "/labels/INBOX");
}

static void a_deleted_label_leaves_its_messages(void **state)
{
    make("gone");
    const char *id = gm_insert(ADA, "Subject: x\n\n", ",'labelIds':['Label_1','INBOX']");
    gm(ADA, "DELETE", "/labels/Label_1", NULL);
    assert_int_equal(test_status, 204);
    assert_string_equal(test_body, "");
    assert_string_equal(labels_of(gm_get(ADA, 200, "/messages/%s", id)), "INBOX");
    assert_string_equal(make("gone"), "Label_2");
}

static void labels_are_a_messages_own(void **state)
{
    make("one");
    const char *a = gm_insert(ADA, "Subject: x\n\n", ",'labelIds':['INBOX']");
    gm(ADA, "POST", gm_text("/messages/%s/modify", a), "{'addLabelIds':['Label_1']}");
    const struct json *v = gm_get(ADA, 200, "/messages?labelIds=Label_1");
    assert_string_equal(column(v, "messages", "id"), a);
    gm(ADA, "POST", gm_text("/messages/%s/modify", a), "{'removeLabelIds':['Label_1']}");
    gm_get(ADA, 200, "/messages?labelIds=Label_1");
    assert_answer("{'resultSizeEstimate':0}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gm_test(the_systems_labels_are_listed_as_recorded),
        gm_test(create_answers_without_type_and_counts),
        gm_test(get_and_patch_count),
        gm_test(unknown_ids_are_not_found),
        gm_test(names_that_exist_conflict),
        gm_test(other_labels_are_not_looked_through),
        gm_test(some_names_are_nobodys),
        gm_test(a_name_that_is_kept_is_no_fault),
        gm_test(a_name_has_225_characters_at_most),
        gm_test(parents_need_not_exist),
        gm_test(colours_come_from_the_palette),
        gm_test(put_replaces_and_patch_changes),
        gm_test(the_systems_labels_stay),
        gm_test(a_deleted_label_leaves_its_messages),
        gm_test(labels_are_a_messages_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story of drives in use, without a dialect, once for each of two vendors: lists that answer
 * questions, who has what, and what each step changes in the world and in everybody's feed.
 */
#include "engine/world/engine.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/comment.h"
#include "services/drive/core/feed.h"
#include "services/drive/core/find/find.h"
#include "services/drive/core/found.h"
#include "services/drive/core/model.h"
#include "services/drive/core/revision.h"
#include "tests/services/drive/core/drive_steps.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

static const char DOCUMENT[] =
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','seed':7,'organizations':[{"
    "'domain':'acme.example','name':'Acme'}],'people':[{'email':'ada@acme.example',"
    "'name':'Ada'},{'email':'bob@acme.example','name':'Bob'},{'email':'eve@far.example',"
    "'name':'Eve'}],'groups':[{'email':'all@acme.example','members':['ada@acme.example',"
    "'bob@acme.example']},{'email':'far@far.example','members':['eve@far.example']}],'apps':[{"
    "'client_id':'123.456','name':'App'}],'sharedDrives':[{'id':'dir!s','name':'Eng',"
    "'creator':'ada@acme.example','members':[{'person':'ada@acme.example','role':'organizer'},{"
    "'group':'all@acme.example','role':'writer'}],'request':'r1',"
    "'created':'2026-11-01T00:00:00Z'},{'id':'dir!t','name':'Team',"
    "'creator':'bob@acme.example','members':[{'person':'bob@acme.example','role':'organizer'}],"
    "'domainOnly':true,'created':'2026-11-02T00:00:00Z'}],'files':[{'id':'dir!a',"
    "'name':'Plans','owner':'ada@acme.example','type':'folder',"
    "'modified':'2026-11-10T10:00:00Z','permissions':[{'person':'bob@acme.example',"
    "'role':'writer'},{'domain':'acme.example','role':'reader','found':true}]},{'id':'doc!1',"
    "'name':'Plan 2.txt','owner':'ada@acme.example','mime':'text/plain','parent':'dir!a',"
    "'content':'budget of the year','created':'2026-11-01T10:00:00Z',"
    "'modified':'2026-11-20T17:00:00Z','modifiedBy':'bob@acme.example',"
    "'description':'The plan','properties':{'site':'north'},'appProperties':{'123.456':{"
    "'state':'open'}},'people':[{'person':'ada@acme.example','starred':true,"
    "'viewed':'2026-11-21T09:00:00Z','modified':'2026-11-19T09:00:00Z'},{"
    "'person':'bob@acme.example','viewed':'2026-11-22T09:00:00Z'}]},{'id':'doc!2',"
    "'name':'plan 10.txt','owner':'ada@acme.example','mime':'text/plain','parent':'dir!a',"
    "'content':'x','modified':'2026-11-20T17:00:00Z','app':'123.456'},{'id':'dir!b',"
    "'name':'Shut','owner':'ada@acme.example','type':'folder','parent':'dir!a','limited':true,"
    "'modified':'2026-11-09T10:00:00Z','permissions':[{'person':'eve@far.example',"
    "'role':'reader'}]},{'id':'doc!3','name':'Secret','owner':'ada@acme.example',"
    "'mime':'text/html','parent':'dir!b','content':'<p>budget</p>',"
    "'modified':'2026-11-08T10:00:00Z'},{'id':'doc!4',"
    "'name':'R\xc3\xa9sum\xc3\xa9 caf\xc3\xa9','owner':'bob@acme.example','mime':'text/plain',"
    "'content':'work history of bob','modified':'2026-11-18T10:00:00Z','permissions':[{"
    "'anyone':true,'role':'reader'}],'people':[{'person':'eve@far.example',"
    "'viewed':'2026-11-19T10:00:00Z'}]},{'id':'doc!5','name':'Notes',"
    "'owner':'ada@acme.example','type':'document','content':'# Notes\\n\\nThe budget text.\\n',"
    "'modified':'2026-11-17T10:00:00Z','permissions':[{'group':'all@acme.example',"
    "'role':'commenter'},{'person':'eve@far.example','role':'writer',"
    "'expires':'2026-11-23T12:00:00Z'}]},{'id':'doc!6','name':'Found',"
    "'owner':'bob@acme.example','mime':'text/plain','content':'open to all','permissions':[{"
    "'anyone':true,'role':'commenter','found':true}],'modified':'2026-11-16T10:00:00Z'},{"
    "'id':'doc!7','name':'Link','owner':'bob@acme.example','type':'shortcut','target':'doc!1',"
    "'modified':'2026-11-15T10:00:00Z'},{'id':'doc!8','name':'Old','owner':'ada@acme.example',"
    "'base64':'AAEC','trashed':'2026-11-22T08:00:00Z','trashedBy':'ada@acme.example',"
    "'modified':'2026-11-14T10:00:00Z'},{'id':'doc!9','name':'Of Bob',"
    "'owner':'bob@acme.example','mime':'text/plain','parent':'dir!a','content':'mine',"
    "'modified':'2026-11-13T10:00:00Z'},{'id':'doc!x','name':'data','owner':'ada@acme.example',"
    "'space':'123.456','content':'z','modified':'2026-11-12T10:00:00Z'},{'id':'doc!w',"
    "'name':'Words','owner':'ada@acme.example','type':'document',"
    "'modified':'2026-11-11T12:00:00Z'},{'id':'doc!s','name':'Numbers','type':'spreadsheet',"
    "'parent':'dir!s','content':'a,b\\n1,2\\n','modified':'2026-11-11T10:00:00Z'},{"
    "'id':'dir!u','name':'Under','type':'folder','parent':'dir!s',"
    "'modified':'2026-11-11T09:00:00Z','permissions':[{'person':'eve@far.example',"
    "'role':'reader'}]},{'id':'doc!u','name':'Deep.txt','mime':'text/plain','parent':'dir!u',"
    "'content':'deep budget','modified':'2026-11-11T08:00:00Z'},{'id':'doc!t',"
    "'name':'Only Bob','mime':'text/plain','parent':'dir!t','content':'own',"
    "'modified':'2026-11-11T07:00:00Z'}]}";

/* A question for one person, and what does not answer it; for all of theirs and shared drives. */
static void ask(const char *what, size_t who, const struct find *q)
{
    struct drive_viewer v;
    for (int not = 0; not < 2; not ++) {
        struct find question = *q, no = {.kind = FIND_NOT, .left = &question};
        drive_viewer(&tx, people[who], &v);
        struct drive_finder f = finder_of(&v, not ? &no : &question);
        f.shared_drives = true;
        say_list(arena_printf(tx.arena, "%s, %s%s", names[who], not ? "not " : "", what), &f, 50);
    }
    drive_viewer(&tx, people[who], &v);
    struct find question = *q, name = {.kind = FIND_NAME_HAS, .text = "plan"},
                both = {.kind = FIND_AND, .left = &question, .right = &name};
    struct drive_finder f = finder_of(&v, &both);
    say_list(arena_printf(tx.arena, "%s, %s and plan", names[who], what), &f, 2);
    question = *q;
    name = (struct find){.kind = FIND_NAME_IS, .text = "NOTES"};
    both = (struct find){.kind = FIND_OR, .left = &name, .right = &question};
    say_list(arena_printf(tx.arena, "%s, notes or %s", names[who], what), &f, 3);
}

static int64_t instant(int day, int hour)
{
    return INT64_C(1793491200000000) + ((day - 1) * INT64_C(24) + hour) * 3600 * 1000000;
}

static void questions(void)
{
    const struct drive_item plans = item_named("dir!a"), drive = item_named("dir!s");
    for (size_t who = 0; who < 3; who++) {
#define ASK(what, ...) ask(what, who, &(struct find){__VA_ARGS__})
        ASK("name is", .kind = FIND_NAME_IS, .text = "plan 2.TXT");
        ASK("name has", .kind = FIND_NAME_HAS, .text = "caf\xc3\xa9 r\xc3\xa9s");
        ASK("name has without accents", .kind = FIND_NAME_HAS, .text = "cafe");
        ASK("name has the end of a word", .kind = FIND_NAME_HAS, .text = "lan");
        ASK("name has nothing", .kind = FIND_NAME_HAS, .text = " - ");
        ASK("text", .kind = FIND_TEXT, .text = "budget");
        ASK("text in a row", .kind = FIND_TEXT, .text = "\"of the year\"");
        ASK("type is", .kind = FIND_TYPE_IS, .text = "Text/Plain");
        ASK("type is one", .kind = FIND_TYPE_IS, .text = "text/html");
        ASK("type is our own", .kind = FIND_TYPE_IS, .text = "own/document");
        ASK("type is a folder", .kind = FIND_TYPE_IS, .text = "own/folder");
        ASK("type is none", .kind = FIND_TYPE_IS, .text = "no/type");
        ASK("type has", .kind = FIND_TYPE_HAS, .text = "own/");
        ASK("type has text", .kind = FIND_TYPE_HAS, .text = "EXT/");
        for (int op = OP_EQ; op <= OP_GE; op++)
            for (int time = TIME_MODIFIED; time <= TIME_SHARED; time++)
                ASK(arena_printf(tx.arena, "time %d op %d", time, op), .kind = FIND_TIME,
                    .time = (enum find_time)time, .op = (enum find_op)op,
                    .at_us = time == TIME_MODIFIED  ? instant(17, 10)
                             : time == TIME_CREATED ? instant(1, 10)
                             : time == TIME_VIEWED  ? instant(21, 9)
                                                    : instant(23, 8));
        ASK("trashed", .kind = FIND_TRASHED);
        ASK("starred", .kind = FIND_STARRED);
        ASK("in a folder", .kind = FIND_PARENT, .id = plans.id);
        ASK("in a drive's top", .kind = FIND_PARENT, .id = drive.id);
        ASK("of ada's", .kind = FIND_OWNER, .id = ada.id);
        ASK("of bob's", .kind = FIND_OWNER, .id = bob.id);
        ASK("ada writes", .kind = FIND_WRITER, .id = ada.id, .text = ADA);
        ASK("bob writes", .kind = FIND_WRITER, .id = bob.id, .text = BOB);
        ASK("bob reads", .kind = FIND_READER, .id = bob.id, .text = BOB);
        ASK("eve reads", .kind = FIND_READER, .id = eve.id, .text = EVE);
        ASK("a group reads", .kind = FIND_READER, .text = "all@acme.example");
        ASK("eve writes", .kind = FIND_WRITER, .id = eve.id, .text = EVE);
        ASK("shared with me", .kind = FIND_SHARED_WITH_ME);
        ASK("property", .kind = FIND_PROPERTY, .text = "site", .text2 = "north");
        ASK("property of another value", .kind = FIND_PROPERTY, .text = "site", .text2 = "x");
        for (int is = VISIBLE_LIMITED; is <= VISIBLE_ANYONE; is++)
            ASK(arena_printf(tx.arena, "visibility %d", is), .kind = FIND_VISIBILITY, .id = is);
        ASK("target", .kind = FIND_TARGET, .text = "doc!1");
        ASK("target's type", .kind = FIND_TARGET_TYPE, .text = "TEXT/plain");
        ASK("the dialect's own", .kind = FIND_OWN, .text = "plan");
    }
}

static void orders(void)
{
    struct drive_viewer v;
    for (size_t who = 0; who < 2; who++)
        for (int key = ORDER_CREATED; key < ORDER_KEYS; key++)
            for (int falling = 0; falling < 2; falling++) {
                const struct find_order by[] = {{(enum find_key)key, falling}, {ORDER_NAME, true}};
                for (size_t n = 1; n <= 2; n++) {
                    drive_viewer(&tx, people[who], &v);
                    struct drive_finder f = finder_of(&v, NULL);
                    f.order = by;
                    f.n_order = n;
                    f.shared_drives = who == 1;
                    say_list(arena_printf(tx.arena, "%s by %d%s%s", names[who], key,
                                          falling ? " falling" : "", n == 2 ? ", name" : ""),
                             &f, 4);
                }
            }
}

static void scopes(void)
{
    const struct drive_item eng = item_named("dir!s"), team = item_named("dir!t");
    struct drive_viewer v;
    for (size_t who = 0; who < 4; who++)
        for (int scope = SCOPE_PERSON; scope <= SCOPE_ALL; scope++)
            for (int shared = 0; shared < 2; shared++) {
                drive_viewer(&tx, people[who], &v);
                struct drive_finder f = finder_of(&v, NULL);
                f.scope = (enum find_scope)scope;
                f.drive = scope == SCOPE_DRIVE ? (shared ? team.id : eng.id) : 0;
                f.shared_drives = shared || scope == SCOPE_DRIVE;
                say_list(arena_printf(tx.arena, "%s, scope %d%s", names[who], scope,
                                      shared ? ", shared drives" : ""),
                         &f, 3);
            }
    drive_viewer(&tx, &ada, &v);
    struct drive_finder f = finder_of(&v, NULL);
    f.in_app = true, f.app = APP;
    say_list("both spaces", &f, 3);
    f.in_drive = false;
    say_list("the app's space", &f, 3);
    f.app = APP + 1;
    say_list("another app's space", &f, 3);
    f = finder_of(&v, NULL);
    f.made_by[0] = APP;
    say_list("what the app made", &f, 3);
    f = finder_of(&v, NULL);
    struct drive_item *items;
    struct drive_access *access;
    const char *position;
    size_t n;
    say_result(drive_find(&f, "x", 3, &items, &access, &n, &position));
    say_result(drive_find(&f, "m1.", 3, &items, &access, &n, &position));
    f.order = &(struct find_order){ORDER_SIZE, false}, f.n_order = 1;
    say_result(drive_find(&f, "m1.1", 3, &items, &access, &n, &position));
    say_result(drive_find(&f, "-1", 3, &items, &access, &n, &position));
}

static void comments(void)
{
    struct drive_item one = item_named("doc!1"), two = item_named("doc!2");
    struct drive_comment c = {.item = one.id,
                              .author = bob.id,
                              .content = "Why?",
                              .quoted = "budget",
                              .quoted_mime = "text/plain",
                              .anchor = "{}"},
                         d = {.item = one.id, .author = ada.id, .content = "Other"}, found, *list;
    size_t n;
    next_step("comments");
    say_result(drive_comment_add(&tx, &c));
    say_result(drive_comment_add(&tx, &d));
    static char c_key[100], d_key[100];
    snprintf(c_key, sizeof c_key, "%s", c.key);
    snprintf(d_key, sizeof d_key, "%s", d.key);
    next_step("replies");
    say_result(drive_comment_find(&tx, one.id, c_key, &c));
    struct drive_comment reply = {.item = one.id, .author = ada.id, .content = "So"},
                         done = {.item = one.id, .author = ada.id, .action = ACTION_RESOLVE},
                         open = {.item = one.id, .author = bob.id, .action = ACTION_REOPEN};
    say_result(drive_reply_add(&tx, &c, &reply));
    say_result(drive_reply_add(&tx, &c, &done));
    story_say("  state %d", c.resolved);
    static char reply_key[100];
    snprintf(reply_key, sizeof reply_key, "%s", reply.key);
    next_step("again");
    say_result(drive_comment_find(&tx, one.id, c_key, &c));
    say_result(drive_comment_find(&tx, one.id, d_key, &d));
    say_result(drive_reply_find(&tx, c.id, reply_key, &reply));
    say_result(drive_reply_add(&tx, &c, &open));
    say_result(drive_comment_change(&tx, &reply, "So it is"));
    say_result(drive_comment_change(&tx, &d, NULL));
    say_result(drive_comment_find(&tx, one.id, c.key, &found));
    say_result(drive_comment_find(&tx, two.id, c.key, &found));
    say_result(drive_reply_find(&tx, c.id, reply.key, &found));
    for (int deleted = 0; deleted < 2; deleted++) {
        ok(drive_comments(&tx, one.id, deleted, 0, 0, 10, &list, &n));
        story_say("  comments %zu, first %s", n, list[0].content ? list[0].content : "-");
        ok(drive_comments(&tx, one.id, deleted, tx.now_us, 0, 10, &list, &n));
        story_say("  since now %zu", n);
        ok(drive_comments(&tx, one.id, deleted, 0, 1, 10, &list, &n));
        story_say("  behind the first %zu", n);
        ok(drive_replies(&tx, c.id, deleted, 0, 1, &list, &n));
        story_say("  replies %zu %s", n, list[0].content);
        ok(drive_replies(&tx, c.id, deleted, 1, 5, &list, &n));
        story_say("  others %zu %d", n, list[0].action);
    }
    next_step("they are copied");
    ok(drive_comments_copy(&tx, one.id, two.id));
}

static void contents(void)
{
    struct drive_item it = item_named("doc!1"), doc = item_named("doc!5"),
                      copy = item_named("doc!2");
    struct drive_revision *list, r;
    struct document *model;
    size_t n;
    int64_t size;
    next_step("contents");
    it = item_named("doc!1");
    it.mime = "text/csv", it.modifier = bob.id, it.modified_us = tx.now_us, it.original = "o.csv";
    say_result(drive_content_put(&tx, &it, "a,b", 3));
    next_step("and others");
    it = item_named("doc!1");
    say_result(drive_content_put(&tx, &it, "a,b,c", 5));
    say_result(drive_revision_keep(&tx, &it, it.head));
    say_result(drive_content_put(&tx, &it, "last", 4));
    ok(drive_revisions(&tx, it.id, 0, 10, &list, &n));
    for (size_t i = 0; i < n; i++)
        story_say("  revision %s %s %lld%s", list[i].key, list[i].mime, (long long)list[i].size,
                  list[i].keep ? " kept" : "");
    ok(drive_revisions(&tx, it.id, list[0].id, 1, &list, &n));
    story_say("  behind the first %zu", n);
    say_result(drive_revision_find(&tx, it.id, list[0].key, &r));
    r.published = r.publish_auto = r.publish_outside = true;
    say_result(drive_revision_save(&tx, &it, &r));
    ok(drive_revisions_marked(&tx, it.id, &list, &n));
    story_say("  marked %zu %s", n, list[0].key);
    ok(drive_revisions_size(&tx, it.id, it.head, &size));
    story_say("  kept %lld bytes", (long long)size);
    next_step("one is forgotten");
    it = item_named("doc!1");
    ok(drive_revisions(&tx, it.id, 0, 10, &list, &n));
    say_result(drive_revision_find(&tx, it.id, "none", &r));
    say_result(drive_revision_delete(&tx, &it, &list[0]));
    say_result(drive_revision_delete(&tx, &it, &list[n - 1]));
    next_step("a document");
    it = item_named("doc!1"), doc = item_named("doc!5");
    say_result(drive_document_load(&tx, &doc, 0, &model));
    say_result(drive_document_put(&tx, &doc, model));
    say_result(drive_document_load(&tx, &it, 0, &model));
    next_step("a copy");
    it = item_named("doc!1"), doc = item_named("doc!5"), copy = item_named("doc!2");
    say_result(drive_copy_content(&tx, &doc, &copy));
    say_result(drive_copy_content(&tx, &it, &copy));
    ok(drive_item_save(&tx, &copy));
    const struct drive_property p[] = {{"site", "south"}, {"new", "x"}, {"site", NULL}};
    struct drive_property *props;
    for (size_t i = 0; i < 3; i++) {
        say_result(drive_property_set(&tx, it.id, 0, &p[i]));
        ok(drive_properties(&tx, it.id, 0, &props, &n));
        ok(drive_property_count(&tx, it.id, &size));
        story_say("  properties %zu of %lld: %s", n, (long long)size, props[0].value);
    }
}

static void texts(void)
{
    static const char *const shown[] = {"doc!1", "doc!5", "doc!s", "doc!8", "dir!a", "doc!7"};
    for (size_t i = 0; i < SOSIA_LEN(shown); i++) {
        const struct drive_item it = item_named(shown[i]);
        struct json_writer w;
        struct buf b;
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        say_result(drive_view_text(&tx, &w, &it));
        json_end(&w);
        story_say("  %s: %s", shown[i], buf_str(&b));
        buf_done(&b);
        const char *key = NULL;
        if (it.head)
            say_result(drive_revision_key(&tx, it.head, &key));
        story_say("  revision %s", key ? key : "-");
    }
}

static void trees(void)
{
    struct drive_item folder = item_named("dir!a"), deep = item_named("doc!3"),
                      mine = item_named("doc!9"), at, team = item_named("dir!t");
    struct drive_walk walk = {-1, 0};
    const char *key = "";
    int64_t *ids;
    size_t n;
    int more;
    next_step("trees");
    folder = item_named("dir!a"), deep = item_named("doc!3"), mine = item_named("doc!9");
    do {
        more = drive_walk(&tx, folder.id, &walk, 2, &ids, &n);
        for (size_t i = 0; i < n; i++) {
            ok(drive_item_key(&tx, ids[i], &key));
            story_say("  walk %s", key);
        }
    } while (more == 1);
    ok(drive_children(&tx, folder.id, &ids, &n));
    story_say("  children %zu", n);
    say_result(drive_is_under(&tx, deep.id, folder.id));
    say_result(drive_is_under(&tx, folder.id, deep.id));
    say_result(drive_made_elsewhere(&tx, folder.id, APP, &key));
    story_say("  made elsewhere %s", key);
    next_step("one moves to a shared drive");
    at = item_named("dir!u"), deep = item_named("doc!3");
    say_result(drive_move(&tx, &deep, &at, ada.id));
    say_result(drive_item_save(&tx, &deep));
    next_step("a folder moves to another");
    folder = item_named("dir!u"), at = item_named("dir!t");
    say_result(drive_move(&tx, &folder, &at, ada.id));
    say_result(drive_item_save(&tx, &folder));
    next_step("and to ada's top");
    folder = item_named("dir!u"), team = item_named("dir!t");
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    say_result(drive_move(&tx, &folder, &root, ada.id));
    say_result(drive_item_save(&tx, &folder));
    say_result(drive_move(&tx, &team, &root, ada.id));
    next_step("the trash");
    folder = item_named("dir!a");
    say_result(drive_trash(&tx, &folder, bob.id));
    say_result(drive_item_save(&tx, &folder));
    next_step("and out of it");
    folder = item_named("dir!a");
    say_result(drive_untrash(&tx, &folder));
    say_result(drive_item_save(&tx, &folder));
    next_step("ada's trash is emptied");
    say_result(drive_empty_trash(&tx, ada.id, 0));
    next_step("a folder is deleted");
    folder = item_named("dir!a");
    say_result(drive_delete(&tx, &folder));
    say_result(drive_item_by_key(&tx, "doc!9", &mine));
    next_step("its rows are gone");
}

static void access_to(void)
{
    struct drive_item it, notes;
    struct drive_mine m;
    next_step("eve's time is over");
    end();
    test_advance(5 * 3600);
    begin();
    next_step("shares");
    share_with("doc!1", GRANT_PERSON, EVE, ROLE_READER);
    share_with("dir!s", GRANT_PERSON, EVE, ROLE_COMMENTER);
    share_with("doc!4", GRANT_GROUP, "far@far.example", ROLE_WRITER);
    share_with("doc!4", GRANT_DOMAIN, "acme.example", ROLE_READER);
    next_step("other roles");
    share_with("doc!1", GRANT_PERSON, EVE, ROLE_WRITER);
    share_with("dir!s", GRANT_GROUP, "all@acme.example", ROLE_READER);
    share_with("doc!4", GRANT_ANYONE, "", ROLE_NONE);
    share_with("doc!4", GRANT_PERSON, BOB, ROLE_NONE);
    next_step("and none");
    share_with("doc!1", GRANT_PERSON, EVE, ROLE_NONE);
    share_with("dir!s", GRANT_PERSON, EVE, ROLE_NONE);
    share_with("doc!4", GRANT_GROUP, "far@far.example", ROLE_NONE);
    next_step("another owner");
    notes = item_named("doc!5");
    say_result(drive_share_give(&tx, &notes, &bob, true));
    say_result(drive_item_save(&tx, &notes));
    next_step("who stays where it is");
    it = item_named("doc!2");
    say_result(drive_share_give(&tx, &it, &bob, false));
    say_result(drive_item_save(&tx, &it));
    say_result(drive_is_granted(&tx, &it));
    say_result(drive_is_offered(&tx, &it, EVE));
    say_result(drive_mine(&tx, &it, ada.id, &m));
    story_say("  shared %d by %lld", m.shared_us != 0, (long long)m.sharer);
    m.starred = m.hidden = true;
    say_result(drive_mine_save(&tx, it.id, ada.id, &m));
    for (int64_t who = 0; drive_mine_next(&tx, it.id, who, &who) == 1;)
        story_say("  something to %lld", (long long)who);
    static const enum drive_role needs[] = {ROLE_READER, ROLE_WRITER, ROLE_OWNER};
    for (size_t i = 0; i < SOSIA_LEN(needs); i++)
        for (size_t who = 0; who < 4; who++) {
            struct drive_viewer v;
            struct drive_access at;
            drive_viewer(&tx, people[who], &v);
            say_result(drive_open(&v, "doc!4", needs[i], &it, &at));
            say_result(drive_open(&v, "doc!none", needs[i], &it, &at));
        }
    struct file_ref ref;
    for (size_t who = 0; who < 4; who++)
        for (int which = 0; which < 2; which++)
            if (drive_core.file(&tx, who < 3 ? people[who] : NULL, which ? "doc!1" : "doc!6",
                                &ref) == 1)
                story_say("  %s: %s %s", names[who], ref.title, ref.type);
    for (size_t i = 0; i < 3; i++)
        story_say("  %s knows eve %d, bob %d", names[i], drive_core.knows(&tx, people[i], EVE),
                  drive_core.knows(&tx, people[i], BOB));
}

static void drives(void)
{
    struct drive_settings s = {.request = "r2",
                               .members_only = true,
                               .theme = "t",
                               .color = "#fff"},
                          is;
    struct drive_item top, it;
    int64_t id;
    next_step("a drive");
    say_result(drive_shared_make(&tx, &eve, NULL, "Far", &s, &top));
    say_result(drive_shared_make(&tx, NULL, "dir!n", "Nobody's", &(struct drive_settings){0}, &it));
    say_result(drive_shared_asked(&tx, eve.id, "r2", &id));
    story_say("  it is that %d", id == top.id);
    say_result(drive_shared_asked(&tx, ada.id, "r2", &id));
    say_result(drive_settings(&tx, top.id, &is));
    is.copy_writers = is.domain_only = is.admin_managed = is.folders_organizer = true;
    is.readers_no_download = is.writers_no_download = true;
    say_result(drive_settings_save(&tx, &is));
    next_step("its settings");
    say_result(drive_settings(&tx, top.id, &is));
    story_say("  %d%d%d%d%d%d%d %s %s %s", is.copy_writers, is.domain_only, is.admin_managed,
              is.folders_organizer, is.readers_no_download, is.writers_no_download, is.members_only,
              is.request, is.theme, is.color);
    say_result(drive_settings(&tx, 1, &is));
    next_step("it goes");
    top = item_named("dir!n");
    say_result(drive_shared_delete(&tx, &top));
    top = item_named("dir!s");
    next_step("one with all that is in it");
    struct drive_item eng = item_named("dir!t");
    say_result(drive_shared_delete(&tx, &eng));
    int64_t newest, since;
    say_result(drive_change_newest(&tx, &newest));
    say_result(drive_change_since(&tx, tx.now_us, &since));
    story_say("  newest %lld, since now %lld", (long long)newest, (long long)since);
    say_result(drive_change_since(&tx, tx.now_us + 1, &since));
    story_say("  later %lld", (long long)since);
}

static void finds(void)
{
    static const char *const texts[] = {"budget", "plan", "caf\xc3\xa9", "nothing", "history bob"};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        for (size_t limit = 1; limit < 9; limit += 7)
            survey_found(&tx, drive_found, texts[i], limit);
}

static const char *const CHANGED[] = {
    NULL,
    "update drive_item set key = '' where name = 'Notes'",
    "update drive_item set parent = id where name = 'Under'",
    "update drive_item set folded = 'zzz', host = null",
    "update drive_item set flags = flags & ~4",
    "update drive_item set flags = flags | 4",
    "update drive_mine set guest = 1 - coalesce(guest, 0)",
    "update drive_item set owner = null where name = 'Notes'",
    "update drive_item set size = -5 where name = 'Notes'",
    "update drive_item set md5 = 'x' where md5 is not null",
    "update drive_top set account = account + 1",
    "update drive_top set item = (select id from drive_item where name = 'Notes') where item = "
    "(select min(item) from drive_top)",
    "update drive_grant set role = 1",
    "update drive_change set number = 0 where number = (select max(number) from drive_change)",
    "update drive_comment set key = ''",
    "update drive_revision set mime = ''",
};

static void the_story_of_use(void **state)
{
    char doc[sizeof DOCUMENT];
    (void)state;
    for (size_t i = 0; i < sizeof doc; i++)
        doc[i] = DOCUMENT[i] == '\'' ? '"' : DOCUMENT[i];
    end();
    test_world = test_world_of(doc);
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    story_begin();
    events_seen = survey_events;
    questions();
    orders();
    scopes();
    finds();
    from_change = 1;
    comments();
    contents();
    texts();
    access_to();
    trees();
    drives();
    next_step("revisions go");
    end();
    test_advance(21 * 86400);
    begin();
    next_step("the end");
    end();
    events_seen = NULL;
    survey_diff(doc);
    survey_changed(CHANGED, SOSIA_LEN(CHANGED));
    begin();
    story_end(vendor == &loose ? "drive-use-loose" : "drive-use-strict");
}

static int close_world(void **state)
{
    end();
    return test_close_engine(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"the_story_of_use (loose)", the_story_of_use, open_world, close_world,
         (void *)(uintptr_t)&loose},
        {"the_story_of_use (strict)", the_story_of_use, open_world, close_world,
         (void *)(uintptr_t)&strict},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

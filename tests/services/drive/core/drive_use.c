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
#include "tests/services/drive/core/drive_vendors.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

#define FILE_OF(id, name, owner, more)                                                             \
    "{'id':'" id "','name':'" name "','owner':'" owner "'," more "}"
#define T(day, time) "'2026-11-" day "T" time "Z'"

static const char DOCUMENT[] =
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','seed':7,"
    "'organizations':[{'domain':'acme.example','name':'Acme'}],"
    "'people':[{'email':'" ADA "','name':'Ada'},{'email':'" BOB "','name':'Bob'},{'email':'" EVE
    "','name':'Eve'}],"
    "'groups':[{'email':'all@acme.example','members':['" ADA "','" BOB "']},"
    "{'email':'far@far.example','members':['" EVE "']}],"
    "'apps':[{'client_id':'123.456','name':'App'}],"
    "'sharedDrives':[{'id':'dir!s','name':'Eng','creator':'" ADA "','members':[{'person':'" ADA
    "','role':'organizer'},{'group':'all@acme.example','role':'writer'}],'request':'r1',"
    "'created':" T(
        "01", "00:00:00") "},"
                          "{'id':'dir!t','name':'Team','creator':'" BOB
                          "','members':[{'person':'" BOB "','role':'organizer'}],'domainOnly':"
                          "true,'created':" T("02",
                                              "00:00:00") "}],"
                                                          "'files':[" FILE_OF("di"
                                                                              "r!"
                                                                              "a",
                                                                              "Pl"
                                                                              "an"
                                                                              "s",
                                                                              ADA,
                                                                              "'t"
                                                                              "yp"
                                                                              "e'"
                                                                              ":'"
                                                                              "fo"
                                                                              "ld"
                                                                              "er"
                                                                              "',"
                                                                              "'m"
                                                                              "od"
                                                                              "if"
                                                                              "ie"
                                                                              "d'"
                                                                              ":" T(
                                                                                  "10", "10:00:00") ",'permissions':[{'person':'" BOB
                                                                                                    "','role':'writer'},{'domain':'acme.example',"
                                                                                                    "'role':'reader','found':true}]") "," FILE_OF("doc!1",
                                                                                                                                                  "Plan 2.txt",
                                                                                                                                                  ADA,
                                                                                                                                                  "'mime':'text/plain','parent':'dir!a','content':"
                                                                                                                                                  "'budget of the year','created':" T("01", "10:00:00") ",'modified':" T("20", "17:00:00") ",'modifiedBy':'" BOB
                                                                                                                                                                                                                                           "','description':'The plan','properties':{'site':'north'},"
                                                                                                                                                                                                                                           "'appProperties':{'123.456':{'state':'open'}},'people':[{'person':'" ADA "','starred':true,'viewed':" T("21", "09:00:00") ",'modified':" T("19", "09:00:00") "},{'person':'" BOB
                                                                                                                                                                                                                                                                                                                                                                                                        "','viewed':" T(
                                                                                                                                                                                                                                                                                                                                                                                                            "22", "09:00:00") "}]") "," FILE_OF("doc!2", "plan 10.txt", ADA,
                                                                                                                                                                                                                                                                                                                                                                                                                                                "'mime':'text/plain','parent':'dir!a','content':'x',"
                                                                                                                                                                                                                                                                                                                                                                                                                                                "'modified':" T(
                                                                                                                                                                                                                                                                                                                                                                                                                                                    "20", "17:00:00") ",'app':'123.456'") "," FILE_OF("dir!b",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "Shut",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      ADA,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "'type':'folder','parent':'dir!a','limited':true,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "'modified':" T(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "09",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "10:00:00") ",'permissions':[{'person':'" EVE "','role':'reader'}]") "," FILE_OF("doc!3",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                           "Secret",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                           ADA,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                           "'mime':'text/html','parent':'dir!b','content':'<p>budget</p>',"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                           "'modified':" T("08", "10:00:00")) "," FILE_OF("doc!4",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "R\xc3\xa9sum\xc3\xa9 caf\xc3\xa9",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          BOB,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "'mime':'text/plain','content':"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "'work history of bob','modified':" T(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "18", "10:00:00") ",'permissions':[{'anyone':true,"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                "'role':'reader'}],'people':[{'person':'" EVE "','viewed':" T(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "19", "10:00:00") "}]") "," FILE_OF("doc!5",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "Notes",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        ADA,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "'type':'document','content':'# Notes\\n\\nThe budget text.\\n',"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "'modified':" T("17",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "10:00:00") ",'permissions':[{'group':'all@acme.example','role':"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "'commenter'},{'person':'" EVE
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "','role':'writer','expires':'2026-11-23T12:00:00Z'}]") "," FILE_OF("doc!6",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "Found",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        BOB,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "'mime':'text/plain','content':'open to all','permissions':"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "[{'anyone':true,'role':'commenter','found':true}],'modified':" T("16",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "10:00:00")) "," FILE_OF("doc!7",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   "Link",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   BOB,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   "'type':'shortcut','target':'doc!1','modified':" T("15", "10:00:00")) "," FILE_OF("doc!8",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     "Old",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     ADA, "'base64':'AAEC','trashed':" T("22", "08:00:00") ",'trashedBy':'" ADA "','modified':" T("14", "10:00:00")) "," FILE_OF("doc!9",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "Of Bob",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 BOB,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "'mime':'text/plain','parent':'dir!a','content':'mine',"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "'modified':" T("13",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "10:00:00")) "," FILE_OF("doc!x",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "data",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          ADA,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "'space':'123.456','content':'z','modified':" T(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "12", "10:00:00")) "," FILE_OF("doc!w",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             "Words", ADA, "'type':'document','modified':" T("11", "12:00:00")) ","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                "{'id':'doc!s','name':'Numbers','type':'spreadsheet','parent':'dir!s','content':'a,b\\n1,2\\n',"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                "'modified':" T(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "11",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "10:00:00") "},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                "{'id':'dir!u','name':'Under','type':'folder','parent':'dir!s','modified':" T("11",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "09:00:00") ",'permissions':[{'person':'" EVE
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "','role':'reader'}]},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "{'id':'doc!u','name':'Deep.txt','mime':'text/plain','parent':'dir!u','content':'deep budget',"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "'modified':" T("11",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "08:00:00") "},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "{'id':'doc!t','name':'Only Bob','mime':'text/plain','parent':'dir!t','content':'own',"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "'modified':" T("11",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "07:00:00") "}]}";

static const struct actor nobody = {.handle = "", .email = "", .kind = "", .name = ""};
static const struct actor *const people[] = {&ada, &bob, &eve, &nobody};
static const char *const names[] = {"ada", "bob", "eve", "nobody"};

static struct drive_item K(const char *key) {
    struct drive_item it = {0};
    if (drive_item_by_key(&tx, key, &it) != 1)
        fail_msg("there is no %s", key);
    return it;
}

static void
result(int r)
{
    if (r < 0)
        story_say("  refused: %s, %s", err.reason ? err.reason : "-", err.text);
    else if (r > 0)
        story_say("  %d", r);
    err = (struct sosia_err){0};
}

enum { APP = 1 }; /* the world's only one */

/* ---- lists ---- */

static const char *shown_type(struct arena *a, const struct drive_item *it)
{
    return strchr(it->mime, '/') ? it->mime : arena_printf(a, "own/%s", it->mime);
}

static size_t stored_types(const char *type, const char *ret[FIND_TYPES])
{
    ret[0] = strncmp(type, "own/", 4) == 0 ? type + 4 : type;
    ret[1] = "text/x-other";
    return strcmp(type, "text/plain") == 0 ? 2 : 1;
}

static int own_question(struct tx *t, const struct find *q, const struct drive_item *it)
{
    (void)t;
    return it->description && q->text && strstr(it->description, q->text) != NULL;
}

/* All pages of a list, of so many items each. */
static void listed(const char *what, struct drive_finder *f, size_t limit)
{
    const char *position = NULL;
    struct buf b;
    buf_init(&b, 0);
    for (int page = 0; page < 20; page++) {
        struct drive_item *items;
        struct drive_access *access;
        size_t n;
        if (drive_find(f, position, limit, &items, &access, &n, &position) < 0) {
            buf_printf(&b, " refused: %s", err.reason);
            err = (struct sosia_err){0};
            break;
        }
        for (size_t i = 0; i < n; i++)
            buf_printf(&b, " %s:%d%s%s%s%s", items[i].key, access[i].role,
                       access[i].trashed ? "t" : "", access[i].link ? "l" : "",
                       access[i].inherited ? "i" : "", access[i].expires ? "e" : "");
        if (!position)
            break;
        buf_puts(&b, " /");
    }
    story_say("  %s:%s", what, b.len ? buf_str(&b) : "");
    buf_done(&b);
}

static struct drive_finder finder(struct drive_viewer *v, struct find *q)
{
    return (struct drive_finder){.viewer = v,
                                 .vendor = vendor,
                                 .question = q,
                                 .scope = SCOPE_PERSON,
                                 .in_drive = true,
                                 .own = own_question,
                                 .type = shown_type,
                                 .stored_types = stored_types};
}

/* A question for one person, and what does not answer it; for all of theirs and shared drives. */
static void ask(const char *what, size_t who, const struct find *q)
{
    struct drive_viewer v;
    for (int not = 0; not < 2; not ++) {
        struct find question = *q, no = {.kind = FIND_NOT, .left = &question};
        drive_viewer(&tx, people[who], &v);
        struct drive_finder f = finder(&v, not ? &no : &question);
        f.shared_drives = true;
        listed(arena_printf(tx.arena, "%s, %s%s", names[who], not ? "not " : "", what), &f, 50);
    }
    drive_viewer(&tx, people[who], &v);
    struct find question = *q, name = {.kind = FIND_NAME_HAS, .text = "plan"},
                both = {.kind = FIND_AND, .left = &question, .right = &name};
    struct drive_finder f = finder(&v, &both);
    listed(arena_printf(tx.arena, "%s, %s and plan", names[who], what), &f, 2);
    question = *q;
    name = (struct find){.kind = FIND_NAME_IS, .text = "NOTES"};
    both = (struct find){.kind = FIND_OR, .left = &name, .right = &question};
    listed(arena_printf(tx.arena, "%s, notes or %s", names[who], what), &f, 3);
}

static int64_t instant(int day, int hour)
{
    return INT64_C(1793491200000000) + ((day - 1) * INT64_C(24) + hour) * 3600 * 1000000;
}

static void questions(void)
{
    const struct drive_item plans = K("dir!a"), drive = K("dir!s");
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
                    struct drive_finder f = finder(&v, NULL);
                    f.order = by;
                    f.n_order = n;
                    f.shared_drives = who == 1;
                    listed(arena_printf(tx.arena, "%s by %d%s%s", names[who], key,
                                        falling ? " falling" : "", n == 2 ? ", name" : ""),
                           &f, 4);
                }
            }
}

static void scopes(void)
{
    const struct drive_item eng = K("dir!s"), team = K("dir!t");
    struct drive_viewer v;
    for (size_t who = 0; who < 4; who++)
        for (int scope = SCOPE_PERSON; scope <= SCOPE_ALL; scope++)
            for (int shared = 0; shared < 2; shared++) {
                drive_viewer(&tx, people[who], &v);
                struct drive_finder f = finder(&v, NULL);
                f.scope = (enum find_scope)scope;
                f.drive = scope == SCOPE_DRIVE ? (shared ? team.id : eng.id) : 0;
                f.shared_drives = shared || scope == SCOPE_DRIVE;
                listed(arena_printf(tx.arena, "%s, scope %d%s", names[who], scope,
                                    shared ? ", shared drives" : ""),
                       &f, 3);
            }
    drive_viewer(&tx, &ada, &v);
    struct drive_finder f = finder(&v, NULL);
    f.in_app = true, f.app = APP;
    listed("both spaces", &f, 3);
    f.in_drive = false;
    listed("the app's space", &f, 3);
    f.app = APP + 1;
    listed("another app's space", &f, 3);
    f = finder(&v, NULL);
    f.made_by[0] = APP;
    listed("what the app made", &f, 3);
    f = finder(&v, NULL);
    struct drive_item *items;
    struct drive_access *access;
    const char *position;
    size_t n;
    result(drive_find(&f, "x", 3, &items, &access, &n, &position));
    result(drive_find(&f, "m1.", 3, &items, &access, &n, &position));
    f.order = &(struct find_order){ORDER_SIZE, false}, f.n_order = 1;
    result(drive_find(&f, "m1.1", 3, &items, &access, &n, &position));
    result(drive_find(&f, "-1", 3, &items, &access, &n, &position));
}

/* ---- who has what ---- */

static const char *share_text(const struct drive_share *s)
{
    const char *text = arena_printf(tx.arena, " %d %s role %d direct %d above %d%s%s%s%s%s%s",
                                    s->kind, s->who, s->role, s->direct, s->above,
                                    s->owns ? " owns" : "", s->discoverable ? " found" : "",
                                    s->pending ? " pending" : "", s->view ? " view" : "",
                                    s->expires_us ? " expires" : "", s->grant ? " here" : "");
    for (const struct drive_share_from *f = s->from; f; f = f->next)
        text = arena_printf(tx.arena, "%s <%d %lld%s>", text, f->role, (long long)f->item,
                            f->top ? " top" : "");
    for (const struct drive_share_from *f = s->beyond; f; f = f->next)
        text = arena_printf(tx.arena, "%s beyond <%d %lld%s>", text, f->role, (long long)f->item,
                            f->top ? " top" : "");
    return text;
}

static void shares(void)
{
    static const char *const keys[] = {"dir!a", "doc!1", "dir!b", "doc!3", "doc!4",
                                       "doc!5", "doc!6", "doc!9", "dir!s", "doc!s",
                                       "dir!u", "doc!u", "dir!t", "doc!t"};
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < SOSIA_LEN(keys); i++) {
        struct drive_item it = {0};
        struct drive_share *list;
        size_t n;
        int64_t rest = 0, size = 0;
        int r = drive_item_by_key(&tx, keys[i], &it);
        ok(r);
        buf_printf(&b, "%s%s\n", keys[i], r ? "" : " is gone");
        if (!r)
            continue;
        ok(drive_shares(&tx, &it, i & 1, &list, &n));
        for (size_t k = 0; k < n; k++)
            buf_printf(&b, " %s%s\n", keys[i], share_text(&list[k]));
        for (size_t who = 0; who < 4; who++) {
            struct drive_viewer v;
            struct drive_access at;
            drive_viewer(&tx, people[who], &v);
            ok(drive_role(&v, &it, &at));
            buf_printf(&b, " %s %s %d%s%s%s%s\n", keys[i], names[who], at.role,
                       at.trashed ? " trashed" : "", at.link ? " link" : "",
                       at.inherited ? " inherited" : "", at.expires ? " expires" : "");
        }
        if (it.form != DRIVE_FOLDER)
            continue;
        ok(drive_child_count(&tx, it.id, &rest));
        ok(drive_size_below(&tx, it.id, &size));
        buf_printf(&b, " %s has %lld, %lld bytes\n", keys[i], (long long)rest, (long long)size);
    }
    for (size_t who = 0; who < 3; who++) {
        int64_t all, trash;
        ok(drive_usage(&tx, people[who]->id, &all, &trash));
        buf_printf(&b, "%s uses %lld, in the trash %lld\n", names[who], (long long)all,
                   (long long)trash);
    }
    for (int64_t top = 0, members, organizers; drive_shared_next(&tx, top, &top) == 1;) {
        ok(drive_shared_count(&tx, top, &members, &organizers));
        buf_printf(&b, "drive %lld: %lld members, %lld organizers, in use %d\n", (long long)top,
                   (long long)members, (long long)organizers, drive_shared_in_use(&tx, top));
    }
    story_state("shares", buf_str(&b));
    buf_done(&b);
}

/* ---- feeds ---- */

static void feed_of(struct buf *b, const char *what, const struct drive_feed *q)
{
    int64_t next = q->from;
    for (int page = 0; page < 20; page++) {
        struct drive_feed one = *q;
        struct drive_feed_entry *list;
        size_t n;
        one.from = next;
        ok(drive_feed_read(&one, &list, &n, &next));
        for (size_t i = 0; i < n; i++)
            buf_printf(b, "%s %lld %s%s%s form %d %s\n", what, (long long)list[i].number,
                       list[i].key, list[i].is_drive ? " drive" : "",
                       list[i].removed ? " removed" : "", list[i].form,
                       list[i].item.name ? list[i].item.name : "-");
        if (!next)
            break;
    }
}

static void feeds(int64_t from)
{
    const struct drive_item eng = K("dir!s");
    struct buf b;
    buf_init(&b, 0);
    for (size_t who = 0; who < 4; who++) {
        struct drive_viewer v;
        drive_viewer(&tx, people[who], &v);
        const struct drive_feed all = {
            .viewer = &v, .from = from, .limit = 3, .shared_too = true, .removed = true};
        struct drive_feed q = all;
        feed_of(&b, arena_printf(tx.arena, "%s:", names[who]), &q);
        q.shared_too = false;
        q.removed = false;
        feed_of(&b, arena_printf(tx.arena, "%s's drive:", names[who]), &q);
        q = all;
        q.own_only = true;
        feed_of(&b, arena_printf(tx.arena, "%s's own:", names[who]), &q);
        q = all;
        q.drive = eng.id;
        feed_of(&b, arena_printf(tx.arena, "%s in Eng:", names[who]), &q);
        q = all;
        q.made_by[0] = APP;
        feed_of(&b, arena_printf(tx.arena, "%s, made by an app:", names[who]), &q);
        q = all;
        q.app_space = APP;
        feed_of(&b, arena_printf(tx.arena, "%s, an app's:", names[who]), &q);
    }
    story_state("feeds", buf_str(&b));
    buf_done(&b);
}

/* ---- steps ---- */

static int64_t from_change;

static void step(const char *what)
{
    shares();
    feeds(from_change);
    survey_plain(&tx, &drive_core);
    end();
    story_dump(test_engine, test_world);
    test_advance(60);
    begin();
    story_say("== %s", what);
}

static void share(const char *key, enum drive_grantee kind, const char *who, enum drive_role role)
{
    struct drive_item it = K(key);
    struct drive_share *list, *is = NULL;
    struct drive_grant g = {.kind = kind, .who = who, .role = role};
    size_t n;
    ok(drive_shares(&tx, &it, false, &list, &n));
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == kind && strcmp(list[i].who, who) == 0)
            is = &list[i];
    result(drive_share_set(&tx, &it, is, &g, ada.id));
}

static void comments(void)
{
    struct drive_item one = K("doc!1"), two = K("doc!2");
    struct drive_comment c = {.item = one.id,
                              .author = bob.id,
                              .content = "Why?",
                              .quoted = "budget",
                              .quoted_mime = "text/plain",
                              .anchor = "{}"},
                         d = {.item = one.id, .author = ada.id, .content = "Other"}, found, *list;
    size_t n;
    step("comments");
    result(drive_comment_add(&tx, &c));
    result(drive_comment_add(&tx, &d));
    static char c_key[100], d_key[100];
    snprintf(c_key, sizeof c_key, "%s", c.key);
    snprintf(d_key, sizeof d_key, "%s", d.key);
    step("replies");
    result(drive_comment_find(&tx, one.id, c_key, &c));
    struct drive_comment reply = {.item = one.id, .author = ada.id, .content = "So"},
                         done = {.item = one.id, .author = ada.id, .action = ACTION_RESOLVE},
                         open = {.item = one.id, .author = bob.id, .action = ACTION_REOPEN};
    result(drive_reply_add(&tx, &c, &reply));
    result(drive_reply_add(&tx, &c, &done));
    story_say("  state %d", c.state);
    static char reply_key[100];
    snprintf(reply_key, sizeof reply_key, "%s", reply.key);
    step("again");
    result(drive_comment_find(&tx, one.id, c_key, &c));
    result(drive_comment_find(&tx, one.id, d_key, &d));
    result(drive_reply_find(&tx, c.id, reply_key, &reply));
    result(drive_reply_add(&tx, &c, &open));
    result(drive_comment_change(&tx, &reply, "So it is"));
    result(drive_comment_change(&tx, &d, NULL));
    result(drive_comment_find(&tx, one.id, c.key, &found));
    result(drive_comment_find(&tx, two.id, c.key, &found));
    result(drive_reply_find(&tx, c.id, reply.key, &found));
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
    step("they are copied");
    ok(drive_comments_copy(&tx, one.id, two.id));
}

static void contents(void)
{
    struct drive_item it = K("doc!1"), doc = K("doc!5"), copy = K("doc!2");
    struct drive_revision *list, r;
    struct document *model;
    size_t n;
    int64_t size;
    step("contents");
    it = K("doc!1");
    it.mime = "text/csv", it.modifier = bob.id, it.modified_us = tx.now_us, it.original = "o.csv";
    result(drive_content_put(&tx, &it, "a,b", 3));
    step("and others");
    it = K("doc!1");
    result(drive_content_put(&tx, &it, "a,b,c", 5));
    result(drive_revision_keep(&tx, &it, it.head));
    result(drive_content_put(&tx, &it, "last", 4));
    ok(drive_revisions(&tx, it.id, 0, 10, &list, &n));
    for (size_t i = 0; i < n; i++)
        story_say("  revision %s %s %lld%s", list[i].key, list[i].mime, (long long)list[i].size,
                  list[i].keep ? " kept" : "");
    ok(drive_revisions(&tx, it.id, list[0].id, 1, &list, &n));
    story_say("  behind the first %zu", n);
    result(drive_revision_find(&tx, it.id, list[0].key, &r));
    r.published = r.publish_auto = r.publish_outside = true;
    result(drive_revision_save(&tx, &it, &r));
    ok(drive_revisions_marked(&tx, it.id, &list, &n));
    story_say("  marked %zu %s", n, list[0].key);
    ok(drive_revisions_size(&tx, it.id, it.head, &size));
    story_say("  kept %lld bytes", (long long)size);
    step("one is forgotten");
    it = K("doc!1");
    ok(drive_revisions(&tx, it.id, 0, 10, &list, &n));
    result(drive_revision_find(&tx, it.id, "none", &r));
    result(drive_revision_delete(&tx, &it, &list[0]));
    result(drive_revision_delete(&tx, &it, &list[n - 1]));
    step("a document");
    it = K("doc!1"), doc = K("doc!5");
    result(drive_document_load(&tx, &doc, 0, &model));
    result(drive_document_put(&tx, &doc, model));
    result(drive_document_load(&tx, &it, 0, &model));
    step("a copy");
    it = K("doc!1"), doc = K("doc!5"), copy = K("doc!2");
    result(drive_copy_content(&tx, &doc, &copy));
    result(drive_copy_content(&tx, &it, &copy));
    ok(drive_item_save(&tx, &copy));
    const struct drive_property p[] = {{"site", "south"}, {"new", "x"}, {"site", NULL}};
    struct drive_property *props;
    for (size_t i = 0; i < 3; i++) {
        result(drive_property_set(&tx, it.id, 0, &p[i]));
        ok(drive_properties(&tx, it.id, 0, &props, &n));
        ok(drive_property_count(&tx, it.id, &size));
        story_say("  properties %zu of %lld: %s", n, (long long)size, props[0].value);
    }
}

static void texts(void)
{
    static const char *const shown[] = {"doc!1", "doc!5", "doc!s", "doc!8", "dir!a", "doc!7"};
    for (size_t i = 0; i < SOSIA_LEN(shown); i++) {
        const struct drive_item it = K(shown[i]);
        struct json_writer w;
        struct buf b;
        buf_init(&b, 0);
        json_init(&w, &b, false, NULL);
        json_obj(&w, NULL);
        result(drive_view_text(&tx, &w, &it));
        json_end(&w);
        story_say("  %s: %s", shown[i], buf_str(&b));
        buf_done(&b);
        const char *key = NULL;
        if (it.head)
            result(drive_revision_key(&tx, it.head, &key));
        story_say("  revision %s", key ? key : "-");
    }
}

static void trees(void)
{
    struct drive_item folder = K("dir!a"), deep = K("doc!3"), mine = K("doc!9"), at,
                      team = K("dir!t");
    struct drive_walk walk = {-1, 0};
    const char *key = "";
    int64_t *ids;
    size_t n;
    int more;
    step("trees");
    folder = K("dir!a"), deep = K("doc!3"), mine = K("doc!9");
    do {
        more = drive_walk(&tx, folder.id, &walk, 2, &ids, &n);
        for (size_t i = 0; i < n; i++) {
            ok(drive_item_key(&tx, ids[i], &key));
            story_say("  walk %s", key);
        }
    } while (more == 1);
    ok(drive_children(&tx, folder.id, &ids, &n));
    story_say("  children %zu", n);
    result(drive_is_under(&tx, deep.id, folder.id));
    result(drive_is_under(&tx, folder.id, deep.id));
    result(drive_made_elsewhere(&tx, folder.id, APP, &key));
    story_say("  made elsewhere %s", key);
    step("one moves to a shared drive");
    at = K("dir!u"), deep = K("doc!3");
    result(drive_move(&tx, &deep, &at, ada.id));
    result(drive_item_save(&tx, &deep));
    step("a folder moves to another");
    folder = K("dir!u"), at = K("dir!t");
    result(drive_move(&tx, &folder, &at, ada.id));
    result(drive_item_save(&tx, &folder));
    step("and to ada's top");
    folder = K("dir!u"), team = K("dir!t");
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    result(drive_move(&tx, &folder, &root, ada.id));
    result(drive_item_save(&tx, &folder));
    result(drive_move(&tx, &team, &root, ada.id));
    step("the trash");
    folder = K("dir!a");
    result(drive_trash(&tx, &folder, bob.id));
    result(drive_item_save(&tx, &folder));
    step("and out of it");
    folder = K("dir!a");
    result(drive_untrash(&tx, &folder));
    result(drive_item_save(&tx, &folder));
    step("ada's trash is emptied");
    result(drive_empty_trash(&tx, ada.id, 0));
    step("a folder is deleted");
    folder = K("dir!a");
    result(drive_delete(&tx, &folder));
    result(drive_item_by_key(&tx, "doc!9", &mine));
    step("its rows are gone");
}

static void access_to(void)
{
    struct drive_item it, notes;
    struct drive_mine m;
    step("eve's time is over");
    end();
    test_advance(5 * 3600);
    begin();
    step("shares");
    share("doc!1", GRANT_PERSON, EVE, ROLE_READER);
    share("dir!s", GRANT_PERSON, EVE, ROLE_COMMENTER);
    share("doc!4", GRANT_GROUP, "far@far.example", ROLE_WRITER);
    share("doc!4", GRANT_DOMAIN, "acme.example", ROLE_READER);
    step("other roles");
    share("doc!1", GRANT_PERSON, EVE, ROLE_WRITER);
    share("dir!s", GRANT_GROUP, "all@acme.example", ROLE_READER);
    share("doc!4", GRANT_ANYONE, "", ROLE_NONE);
    share("doc!4", GRANT_PERSON, BOB, ROLE_NONE);
    step("and none");
    share("doc!1", GRANT_PERSON, EVE, ROLE_NONE);
    share("dir!s", GRANT_PERSON, EVE, ROLE_NONE);
    share("doc!4", GRANT_GROUP, "far@far.example", ROLE_NONE);
    step("another owner");
    notes = K("doc!5");
    result(drive_share_give(&tx, &notes, &bob, true));
    result(drive_item_save(&tx, &notes));
    step("who stays where it is");
    it = K("doc!2");
    result(drive_share_give(&tx, &it, &bob, false));
    result(drive_item_save(&tx, &it));
    result(drive_is_granted(&tx, &it));
    result(drive_is_offered(&tx, &it, EVE));
    result(drive_mine(&tx, &it, ada.id, &m));
    story_say("  shared %d by %lld", m.shared_us != 0, (long long)m.sharer);
    m.starred = m.hidden = true;
    result(drive_mine_save(&tx, it.id, ada.id, &m));
    for (int64_t who = 0; drive_mine_next(&tx, it.id, who, &who) == 1;)
        story_say("  something to %lld", (long long)who);
    static const enum drive_role needs[] = {ROLE_READER, ROLE_WRITER, ROLE_OWNER};
    for (size_t i = 0; i < SOSIA_LEN(needs); i++)
        for (size_t who = 0; who < 4; who++) {
            struct drive_viewer v;
            struct drive_access at;
            drive_viewer(&tx, people[who], &v);
            result(drive_open(&v, "doc!4", needs[i], &it, &at));
            result(drive_open(&v, "doc!none", needs[i], &it, &at));
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
    step("a drive");
    result(drive_shared_make(&tx, &eve, NULL, "Far", &s, &top));
    result(drive_shared_make(&tx, NULL, "dir!n", "Nobody's", &(struct drive_settings){0}, &it));
    result(drive_shared_asked(&tx, eve.id, "r2", &id));
    story_say("  it is that %d", id == top.id);
    result(drive_shared_asked(&tx, ada.id, "r2", &id));
    result(drive_settings(&tx, top.id, &is));
    is.copy_writers = is.domain_only = is.admin_managed = is.folders_organizer = true;
    is.readers_no_download = is.writers_no_download = true;
    result(drive_settings_save(&tx, &is));
    step("its settings");
    result(drive_settings(&tx, top.id, &is));
    story_say("  %d%d%d%d%d%d%d %s %s %s", is.copy_writers, is.domain_only, is.admin_managed,
              is.folders_organizer, is.readers_no_download, is.writers_no_download, is.members_only,
              is.request, is.theme, is.color);
    result(drive_settings(&tx, 1, &is));
    step("it goes");
    top = K("dir!n");
    result(drive_shared_delete(&tx, &top));
    top = K("dir!s");
    step("one with all that is in it");
    struct drive_item eng = K("dir!t");
    result(drive_shared_delete(&tx, &eng));
    int64_t newest, since;
    result(drive_change_newest(&tx, &newest));
    result(drive_change_since(&tx, tx.now_us, &since));
    story_say("  newest %lld, since now %lld", (long long)newest, (long long)since);
    result(drive_change_since(&tx, tx.now_us + 1, &since));
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
    step("revisions go");
    end();
    test_advance(21 * 86400);
    begin();
    step("the end");
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

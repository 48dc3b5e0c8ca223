/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A story of a drive whose vendor has all that a vendor may have: sharing links, members of its
 * own, types by name, keys of revisions. Of many items in a folder, questions of two terms, links
 * that were opened for good, limited folders with members above, what ends by itself, and what a
 * document may not say.
 */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/world/engine.h"
#include "services/drive/core/access/link.h"
#include "services/drive/core/access/shared.h"
#include "services/drive/core/document/format.h"
#include "services/drive/core/find/words.h"
#include "services/drive/core/model.h"
#include "services/drive/core/revision.h"
#include "tests/services/drive/core/drive_steps.h"
#include "tests/support/story.h"
#include "tests/support/survey.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- the vendor ---- */

static const char *type_of(const char *name)
{
    return strstr(name, ".csv") ? "text/csv" : "application/x-any";
}

static const char *revision_key(struct tx *t, const struct drive_item *it)
{
    uint8_t bytes[4];
    char hex[2 * sizeof bytes + 1];
    if (tx_id(t, "revision", bytes, sizeof bytes) < 0)
        return NULL;
    hex_encode(hex, bytes, sizeof bytes);
    return arena_printf(t->arena, "%lld.%s", (long long)it->id, hex);
}

static const char *const item_members[] = {"stars", NULL};

static int item_seed(struct tx *t, struct doc *d, const struct json *v, struct drive_item *it)
{
    const struct json *stars = json_get(v, "stars");
    if (!stars)
        return 0;
    if (stars->type != JSON_STRING)
        return doc_fail(d, stars, "stars", "must be a text");
    it->extra = arena_printf(t->arena, "{\"stars\":\"%s\"}", stars->str);
    return drive_item_save(t, it);
}

static int item_dump(struct tx *t, struct json_writer *w, const struct drive_item *it)
{
    const struct json *v;
    struct json_limits limits = {.max_size = 1000};
    if (!it->extra)
        return 0;
    if (json_parse(t->arena, it->extra, strlen(it->extra), &limits, &v, t->err) < 0)
        return -1;
    json_str_opt(w, "stars", json_get_str(v, "stars"));
    return 0;
}

static int item_drop(struct tx *t, int64_t item, int64_t *rows)
{
    (void)t;
    story_say("  rows of %lld go, %d left", (long long)item, *rows > 0);
    return 0;
}

static struct drive_vendor rich;

/* ---- the world ---- */

static const char DOCUMENT[] =
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','seed':7,"
    "'organizations':[{'domain':'acme.example','name':'Acme'}],'people':["
    "{'email':'ada@acme.example','name':'Ada'},{'email':'bob@acme.example','name':'Bob'},"
    "{'email':'eve@far.example','name':'Eve'}],'groups':[{'email':'all@acme.example',"
    "'members':['ada@acme.example','bob@acme.example']},{'email':'far@far.example','members':["
    "'eve@far.example']}],'apps':[{'client_id':'123.456','name':'App'}],"
    "'sharedDrives':[{'id':'dir!s','name':'Eng','creator':'ada@acme.example',"
    "'theme':'sea','color':'#123456','background':{'id':'b'},'copyWriters':true,"
    "'membersOnly':true,'foldersOrganizer':true,'readersNoDownload':true,"
    "'members':[{'person':'ada@acme.example','role':'organizer'},"
    "{'person':'bob@acme.example','role':'fileOrganizer'},{'group':'far@far.example',"
    "'role':'reader'}],'people':[{'person':'bob@acme.example','hidden':true}]}],'files':["
    "{'id':'dir!a','name':'Plans','owner':'ada@acme.example','type':'folder','color':'#fff',"
    "'modified':'2026-11-10T10:00:00Z','permissions':[{'person':'bob@acme.example','role':"
    "'writer'},{'group':'far@far.example','role':'reader','expires':'2026-11-23T09:30:00Z'}]},"
    "{'id':'doc!all','name':'Everything.csv','owner':'ada@acme.example','parent':'dir!a',"
    "'content':'a,b','extension':'tsv','original':'o.csv','description':'All of it',"
    "'restrictions':[{'readOnly':true}],'downloads':{'x':true},'media':{'width':3},"
    "'indexText':'hidden words','resourceKey':'rk','needsKey':true,'copyLimit':true,"
    "'abusive':true,'sharing':false,'stars':'***','keep':true,'published':true,"
    "'publishOutside':true,'thumbnail':{'mime':'image/png','base64':'iVBORw=='},"
    "'revisions':[{'content':'a','keep':true,'modified':'2026-11-02T10:00:00Z',"
    "'modifiedBy':'bob@acme.example'},{'base64':'AAEC','modified':'2026-11-03T10:00:00Z'}],"
    "'links':[{'token':'tok1','scope':'organization','type':'edit','by':'bob@acme.example'},"
    "{'token':'tok2','type':'view','password':'open','noDownload':true},"
    "{'token':'tok3','scope':'users','users':['eve@far.example'],'type':'edit','password':'s'},"
    "{'token':'tok4','scope':'users','users':['far@far.example','bob@acme.example']},"
    "{'token':'tok5','expires':'2026-11-23T09:00:00Z','created':'2026-11-22T09:00:00Z'}],"
    "'comments':[{'id':'c1','author':'bob@acme.example','content':'Why?','quoted':'a',"
    "'replies':[{'id':'r1','author':'ada@acme.example','action':'resolve'},"
    "{'id':'r2','author':'bob@acme.example','deleted':true}]},"
    "{'id':'c2','author':'ada@acme.example','deleted':true}]},"
    "{'id':'doc!cjk','name':'x\xea\xb0\x80\xeb\x82\x98 "
    "y\xed\x9e\xa3','owner':'ada@acme.example','type':'form'},"
    "{'id':'doc!thai','name':'x\xe0\xb8\x81\xe0\xb8\x82','owner':'ada@acme.example','type':'form'},"
    "{'id':'doc!kana','name':'x\xe3\x81\x82\xe4\xb8\x80','owner':'ada@acme.example','type':'form'},"
    "{'id':'doc!own','name':'Own','owner':'ada@acme.example','type':'form'},"
    "{'id':'doc!sheet','name':'Sheet','owner':'ada@acme.example','type':'spreadsheet',"
    "'content':'a,b\\n1,2\\n'},"
    "{'id':'doc!deck','name':'Deck','owner':'bob@acme.example','type':'presentation',"
    "'content':'One\\n\\nTwo'},"
    "{'id':'doc!short','name':'Short','owner':'bob@acme.example','type':'shortcut',"
    "'target':'doc!all'},{'id':'doc!lost','name':'Lost','owner':'bob@acme.example',"
    "'type':'shortcut','target':'none','targetMime':'text/plain'},"
    "{'id':'doc!gone','name':'Gone','owner':'ada@acme.example','content':'x',"
    "'trashed':'2026-11-20T08:00:00Z','trashedBy':'ada@acme.example'},"
    "{'id':'doc!gone2','name':'Gone 2','owner':'bob@acme.example','content':'x','trashed':true},"
    "{'id':'doc!data','name':'Data','owner':'ada@acme.example','space':'123.456','content':'d'},"
    "{'id':'dir!f','name':'Folder','type':'folder','parent':'dir!s'},"
    "{'id':'dir!l','name':'Limited','type':'folder','parent':'dir!f','limited':true,"
    "'permissions':[{'group':'all@acme.example','role':'commenter'},"
    "{'person':'eve@far.example','role':'none'}]},"
    "{'id':'doc!l','name':'In the limited','mime':'text/plain','parent':'dir!l',"
    "'content':'deep words','permissions':[{'person':'bob@acme.example','role':'reader',"
    "'lowers':true,'expires':'2026-11-23T09:30:00Z'}]},"
    "{'id':'doc!b','name':'Of bob','owner':'bob@acme.example','parent':'dir!a','content':'bob',"
    "'mime':'text/plain','people':[{'person':'ada@acme.example','shared':false},"
    "{'person':'eve@far.example','by':'bob@acme.example','shared':'2026-11-21T08:00:00Z'}],"
    "'permissions':[{'person':'ada@acme.example','role':'reader'}]}]}";

/* ---- two terms ---- */

static size_t stored_types(const char *type, const char *ret[FIND_TYPES])
{
    ret[0] = type;
    return 1;
}

static const char *shown_type(struct arena *a, const struct drive_item *it)
{
    (void)a;
    return it->mime;
}

static void two_terms(void)
{
    const struct drive_item plans = item_named("dir!a"), f = item_named("dir!f");
    const struct find terms[] = {
        {.kind = FIND_PARENT, .id = plans.id},
        {.kind = FIND_PARENT, .id = root.id},
        {.kind = FIND_PARENT, .id = f.id},
        {.kind = FIND_STARRED},
        {.kind = FIND_SHARED_WITH_ME},
        {.kind = FIND_NAME_HAS, .text = "many"},
        {.kind = FIND_NAME_IS, .text = "Many 007.txt"},
        {.kind = FIND_TEXT, .text = "words"},
        {.kind = FIND_TEXT, .text = "hidden words"},
        {.kind = FIND_PROPERTY, .text = "even", .text2 = "yes"},
        {.kind = FIND_TARGET, .text = "doc!all"},
        {.kind = FIND_OWNER, .id = bob.id},
        {.kind = FIND_TYPE_IS, .text = "text/plain"},
        {.kind = FIND_WRITER, .id = bob.id, .text = BOB},
        {.kind = FIND_READER, .id = eve.id, .text = EVE},
        {.kind = FIND_TRASHED},
    };
    for (size_t who = 0; who < 3; who++)
        for (size_t i = 0; i < SOSIA_LEN(terms); i++)
            for (size_t k = 0; k < SOSIA_LEN(terms); k++)
                for (int or = 0; or < 2; or ++) {
                    struct find x = terms[i], y = terms[k],
                                q = {.kind = or ? FIND_OR : FIND_AND, .left = &x, .right = &y};
                    struct drive_viewer v;
                    if (or &&k < i)
                        continue;
                    drive_viewer(&tx, people[who], &v);
                    struct drive_finder finder = finder_of(&v, &q);
                    finder.shared_drives = (i + k) & 1;
                    finder.type = shown_type;
                    finder.stored_types = stored_types;
                    struct drive_item *items;
                    struct drive_access *access;
                    const char *position = NULL;
                    size_t n, all = 0, pages = 0;
                    uint64_t sum = 0;
                    do {
                        if (drive_find(&finder, position, 70, &items, &access, &n, &position) < 0)
                            fail_msg("%s", fault.text);
                        for (size_t j = 0; j < n; j++)
                            sum = sum * 31 + (uint64_t)items[j].id * 7 + access[j].role;
                        all += n;
                    } while (position && ++pages < 9);
                    story_say("  %s, %zu %s %zu: %zu, %llx", names[who], i, or ? "or" : "and", k,
                              all, (unsigned long long)sum);
                }
}

static void many(void)
{
    next_step("many in a folder");
    struct drive_item folder = item_named("dir!a");
    for (int i = 0; i < 110; i++) {
        struct drive_item it = {.form = DRIVE_FILE,
                                .name = arena_printf(tx.arena, "Many %03d.txt", i),
                                .mime = i % 3 ? "text/plain" : "text/html",
                                .owner = i % 4 ? ada.id : bob.id,
                                .parent = folder.id,
                                .size = -1,
                                .modified_us = tx.now_us - i / 2 * 1000000};
        struct drive_property p = {"even", "yes"};
        it.modifier = it.owner;
        ok(drive_item_add(&tx, &it));
        ok(drive_content_put(&tx, &it, "some words", i % 11));
        if (i % 2 == 0)
            ok(drive_property_set(&tx, it.id, 0, &p));
        if (i % 5 == 0) {
            struct drive_mine m = {.starred = true};
            ok(drive_mine_save(&tx, it.id, ada.id, &m));
        }
    }
    end();
    begin();
    two_terms();
}

/* Scripts without spaces: each letter of them begins a word. */
static void scripts(void)
{
    static const char *const parts[] = {"\xea\xb0\x80",
                                        "\xeb\x82\x98",
                                        "\xed\x9e\xa3",
                                        "\xe0\xb8\x81",
                                        "\xe0\xb8\x82",
                                        "\xe3\x81\x82",
                                        "\xe4\xb8\x80",
                                        "x",
                                        "y"};
    for (size_t i = 0; i < SOSIA_LEN(parts); i++) {
        struct find q = {.kind = FIND_NAME_HAS, .text = parts[i]};
        struct drive_viewer v;
        drive_viewer(&tx, &ada, &v);
        struct drive_finder f = finder_of(&v, &q);
        say_list(parts[i], &f, 10);
    }
}

/* ---- links ---- */

static void opened(const char *what, size_t who, const char *token, const char *password,
                   bool for_good)
{
    struct drive_viewer v;
    struct drive_item it = {0};
    struct drive_link l;
    struct drive_access at = {0};
    drive_viewer(&tx, people[who], &v);
    int r = drive_link_open(&v, token, password, &it);
    say_result(r);
    if (r < 0)
        return;
    ok(drive_role(&v, &it, &at));
    story_say("  %s opens %s: role %d%s%s", names[who], what, at.role, at.link ? ", link" : "",
              at.no_download ? ", no download" : "");
    if (for_good && people[who]->id && drive_link_by_token(&tx, token, &l) == 1)
        say_result(drive_link_use(&tx, &it, &l, people[who]));
}

static void used(void)
{
    static const char *const keys[] = {"doc!all", "doc!b", "dir!l", "doc!l"};
    for (size_t who = 0; who < 4; who++)
        for (size_t i = 0; i < SOSIA_LEN(keys); i++) {
            struct drive_viewer v;
            struct drive_item it = item_named(keys[i]);
            struct drive_access at = {0};
            drive_viewer(&tx, people[who], &v);
            say_result(drive_links_used(&v));
            say_result(drive_links_used(&v));
            ok(drive_role(&v, &it, &at));
            story_say("  %s has %s: %d%s%s", names[who], keys[i], at.role, at.link ? ", link" : "",
                      at.no_download ? ", no download" : "");
        }
}

static void links(void)
{
    struct drive_item it = item_named("doc!all"), b = item_named("doc!b");
    struct drive_link *list;
    enum drive_link_scope scope = 0;
    size_t n;
    next_step("links");
    it = item_named("doc!all"), b = item_named("doc!b");
    say_result(drive_links_any(&tx));
    ok(drive_links(&tx, it.id, &list, &n));
    for (size_t i = 0; i < n; i++)
        story_say("  %s scope %d type %d role %d, %zu users, %s", list[i].token, list[i].scope,
                  list[i].type, drive_link_role(&list[i]), list[i].n_users,
                  list[i].password ? "password" : "-");
    say_result(drive_links_scope(&tx, it.id, &scope));
    story_say("  widest %d", scope);
    say_result(drive_links_scope(&tx, b.id, &scope));
    static const char *const tokens[] = {"tok1", "tok2", "tok3", "tok4", "tok5", "none"};
    for (size_t i = 0; i < SOSIA_LEN(tokens); i++)
        for (size_t who = 0; who < 4; who++)
            for (int pass = 0; pass < 3; pass++) {
                static const char *const said[] = {NULL, "open", "s"};
                opened(arena_printf(tx.arena, "%s with %s", tokens[i], pass ? said[pass] : "-"),
                       who, tokens[i], said[pass], false);
            }
    used();
    next_step("they are opened for good");
    for (size_t i = 0; i < SOSIA_LEN(tokens); i++)
        for (size_t who = 1; who < 3; who++)
            opened(tokens[i], who, tokens[i], i == 1 ? "open" : "s", true);
    used();
    next_step("and once more");
    opened("tok1", 1, "tok1", NULL, true);
    opened("tok2", 2, "tok2", "open", true);
    next_step("links of a call");
    b = item_named("doc!b");
    struct drive_link l = {.scope = LINK_USERS, .type = LINK_EDIT};
    say_result(drive_link_save(&tx, &b, &l));
    const char *one_user[] = {EVE, BOB};
    l.users = one_user, l.n_users = 1, l.creator = bob.id;
    say_result(drive_link_save(&tx, &b, &l));
    l.n_users = 2, l.type = LINK_VIEW, l.expires_us = tx.now_us + 1800 * INT64_C(1000000);
    say_result(drive_link_save(&tx, &b, &l));
    struct drive_link twice = {.scope = LINK_ANONYMOUS, .type = LINK_EMBED, .token = "tok1"};
    say_result(drive_link_save(&tx, &b, &twice));
    b = item_named("doc!b");
    twice = (struct drive_link){.scope = LINK_ANONYMOUS, .type = LINK_EMBED};
    say_result(drive_link_save(&tx, &b, &twice));
    opened("the embedded one", 3, twice.token, NULL, false);
    opened("bob's own", 2, l.token, NULL, true);
    used();
    next_step("one goes");
    b = item_named("doc!b");
    ok(drive_links(&tx, b.id, &list, &n));
    say_result(drive_link_remove(&tx, &b, &list[n - 1]));
    next_step("their time goes by");
    end();
    test_advance(7200);
    begin();
    used();
    opened("what is over", 0, "tok5", NULL, false);
}

/* ---- contents ---- */

static void contents(void)
{
    struct drive_item all = item_named("doc!all"), sheet = item_named("doc!sheet");
    struct blob_writer *w;
    struct blob blob = {0};
    next_step("bytes of a blob");
    all = item_named("doc!all"), sheet = item_named("doc!sheet");
    ok(blob_writer_begin(&tx, 13, DRIVE_DIGESTS | BLOB_QUICKXOR, &w));
    ok(blob_writer_write(w, "blob of words", 13));
    ok(blob_writer_finish(w, &blob));
    all.mime = "text/plain", all.modified_us = tx.now_us, all.modifier = bob.id;
    say_result(drive_content_set(&tx, &all, &blob));
    next_step("its digests");
    all = item_named("doc!all"), sheet = item_named("doc!sheet");
    struct blob digests = {0};
    say_result(drive_content_digests(&tx, &all, &digests));
    say_result(drive_content_digests(&tx, &sheet, &digests));
    story_say("  %s %s", all.md5 ? all.md5 : "-", all.sha1 ? all.sha1 : "-");
    static const char *const words[] = {"words", "\"blob of\"", "hidden", "every", "nothing", "-"};
    for (size_t i = 0; i < SOSIA_LEN(words); i++) {
        int64_t *ids;
        size_t n;
        say_result(drive_index_has(&tx, words[i], all.id));
        say_result(drive_index_has(&tx, words[i], 99999));
        ok(drive_index_find(&tx, words[i], 2, &ids, &n));
        story_say("  \"%s\" finds %zu", words[i], n);
        ok(drive_index_names(&tx, words[i], 2, &ids, &n));
        story_say("  names %zu", n);
    }
    static const char *const documents[] = {"doc!own", "doc!sheet", "doc!deck", "doc!all"};
    for (size_t i = 0; i < SOSIA_LEN(documents); i++) {
        struct drive_item it = item_named(documents[i]);
        struct document *model;
        enum document_kind kind;
        say_result(drive_document_kind(it.mime, &kind));
        say_result(drive_document_load(&tx, &it, 0, &model));
        const char *key = NULL;
        if (it.head)
            say_result(drive_revision_key(&tx, it.head, &key));
        story_say("  %s %s, %lld bytes", it.mime, key ? key : "-", (long long)it.size);
    }
    struct drive_item picture = item_named("doc!b");
    static const unsigned char gif[] = "GIF89a\x10\x00\x20\x00\x80\x00\x00";
    picture.mime = "image/gif", picture.modified_us = tx.now_us;
    say_result(drive_content_put(&tx, &picture, gif, sizeof gif - 1));
}

/* Office files are shown by their texts. */
static void office(void)
{
    static const char *const types[] = {FORMAT_DOCX, FORMAT_XLSX, FORMAT_PPTX};
    static const char *const ends[] = {"docx", "xlsx", "pptx"};
    for (int i = 0; i < 3; i++) {
        next_step(arena_printf(tx.arena, "a file of office, %d", i));
        struct drive_item doc = item_named(i == 1 ? "doc!sheet" : "doc!deck"),
                          it = item_named("doc!b");
        struct document *model;
        struct buf b;
        buf_init(&b, 0);
        assert_int_equal(drive_document_load(&tx, &doc, 0, &model), 1);
        int r = format_write(tx.arena, model, types[i], &b, &fault);
        fault = (struct sosia_err){0};
        it.mime = types[i], it.modified_us = tx.now_us;
        it.name = arena_printf(tx.arena, "Office.%s", i ? ends[i] : "none");
        say_result(
            drive_content_put(&tx, &it, r < 0 ? "no office" : buf_str(&b), r < 0 ? 9 : b.len));
        buf_done(&b);
    }
}

/* ---- trees ---- */

static void trees(void)
{
    struct drive_item it, to, at;
    next_step("a deep tree");
    for (int i = 0; i < 12; i++) {
        at = (struct drive_item){.form = DRIVE_FOLDER,
                                 .key = arena_printf(tx.arena, "dir!d%d", i),
                                 .name = arena_printf(tx.arena, "Deep %d", i),
                                 .mime = "folder",
                                 .owner = i & 1 ? ada.id : bob.id,
                                 .size = -1};
        to = i ? item_named(arena_printf(tx.arena, "dir!d%d", i - 1)) : root;
        int r = drive_may_hold(&tx, &to, &at);
        say_result(r);
        if (r < 0)
            break;
        at.parent = to.id, at.modifier = at.owner;
        say_result(drive_item_add(&tx, &at));
    }
    at = (struct drive_item){.form = DRIVE_FILE, .owner = ada.id};
    say_result(drive_may_hold(&tx, &to, &at));
    to = item_named("dir!d3"), it = item_named("dir!d1");
    say_result(drive_may_hold(&tx, &to, &it));
    say_result(drive_may_hold(&tx, &to, &to));
    say_result(drive_is_under(&tx, to.id, it.id));
    say_result(drive_is_under(&tx, it.id, it.id));
    next_step("one of them moves into the limited folder and back");
    to = item_named("dir!l"), it = item_named("dir!d2");
    say_result(drive_move(&tx, &it, &to, bob.id));
    say_result(drive_item_save(&tx, &it));
    next_step("back");
    it = item_named("dir!d2");
    assert_int_equal(drive_root(&tx, bob.id, &to), 1);
    say_result(drive_move(&tx, &it, &to, bob.id));
    say_result(drive_item_save(&tx, &it));
    next_step("the trash of others");
    it = item_named("dir!d2");
    say_result(drive_trash(&tx, &it, ada.id));
    say_result(drive_item_save(&tx, &it));
    it = item_named("doc!l");
    say_result(drive_trash(&tx, &it, bob.id));
    say_result(drive_item_save(&tx, &it));
    next_step("of a shared drive is emptied");
    say_result(drive_empty_trash(&tx, 0, item_named("dir!s").id));
    next_step("and bob's");
    say_result(drive_empty_trash(&tx, bob.id, 0));
    next_step("a folder with what others have goes");
    it = item_named("dir!d0");
    say_result(drive_delete(&tx, &it));
    next_step("and one of many");
    it = item_named("dir!a");
    say_result(drive_delete(&tx, &it));
    next_step("what was in it has gone");
    next_step("a day");
    end();
    test_advance(86400);
    begin();
}

static void members_and_ends(void)
{
    next_step("members of a limited folder");
    share_with("dir!l", GRANT_PERSON, EVE, ROLE_COMMENTER);
    share_with("dir!l", GRANT_PERSON, BOB, ROLE_READER);
    share_with("doc!l", GRANT_GROUP, "far@far.example", ROLE_WRITER);
    next_step("roles of the drive");
    share_with("dir!s", GRANT_PERSON, BOB, ROLE_ORGANIZER);
    share_with("dir!s", GRANT_GROUP, "far@far.example", ROLE_FILE_ORGANIZER);
    next_step("and fewer");
    share_with("dir!s", GRANT_PERSON, BOB, ROLE_NONE);
    share_with("doc!l", GRANT_GROUP, "far@far.example", ROLE_NONE);
    next_step("what ends");
    struct drive_item it = item_named("doc!own");
    struct drive_grant g = {.kind = GRANT_PERSON,
                            .who = BOB,
                            .role = ROLE_WRITER,
                            .expires_us = tx.now_us + 600 * INT64_C(1000000)},
                       far = {.kind = GRANT_GROUP,
                              .who = "far@far.example",
                              .role = ROLE_READER,
                              .expires_us = tx.now_us + 900 * INT64_C(1000000)};
    say_result(drive_share_set(&tx, &it, NULL, &g, ada.id));
    it = item_named("doc!own");
    say_result(drive_share_set(&tx, &it, NULL, &far, ada.id));
    next_step("one has ended");
    end();
    test_advance(700);
    begin();
    next_step("both have");
    end();
    test_advance(700);
    begin();
    next_step("to another owner, who had it");
    share_with("doc!own", GRANT_PERSON, BOB, ROLE_READER);
    it = item_named("doc!own");
    say_result(drive_share_give(&tx, &it, &bob, true));
    say_result(drive_item_save(&tx, &it));
}

/* ---- what a document may not say ---- */

#define FILE "'files':[{'name':'x','owner':'ada@acme.example',"
static const char *const TRIED[] = {
    FILE "'thumbnail':{'mime':'image/png','base64':'!'}}]",
    FILE "'thumbnail':{'mime':'image/png','base64':''}}]",
    FILE "'thumbnail':{'mime':'image/png'}}]",
    FILE "'thumbnail':1}]",
    FILE "'stars':1}]",
    FILE "'stars':'*','type':'form'}]",
    FILE "'type':'form','content':'x'}]",
    FILE "'type':'document','content':'x','format':'none/none'}]",
    FILE "'type':'document','model':{'x':1}}]",
    FILE "'type':'document'}]",
    FILE "'type':'folder','content':'x'}]",
    FILE "'type':'folder','base64':'AA=='}]",
    FILE "'type':'folder','keep':true}]",
    FILE "'type':'folder','mime':'text/plain'}]",
    FILE "'type':'a/b'}]",
    FILE "'mime':'x'}]",
    FILE "'content':'x','base64':'AA=='}]",
    FILE "'base64':'!'}]",
    FILE "'restrictions':{}}]",
    FILE "'downloads':[]}]",
    FILE "'properties':[]}]",
    FILE "'properties':{'a':1}}]",
    FILE "'appProperties':[]}]",
    FILE "'appProperties':{'none':{}}}]",
    FILE "'appProperties':{'123.456':[]}}]",
    FILE "'vendor':'none'}]",
    FILE "'parent':'none'}]",
    FILE "'parent':''}]",
    FILE "'space':'123.456','parent':'p'},{'id':'p','name':'p','owner':'ada@acme.example',"
         "'type':'folder'}]",
    FILE "'id':'p','parent':'q','type':'folder'},{'id':'q','name':'q','owner':'ada@acme.example',"
         "'type':'folder','parent':'p'}]",
    FILE "'id':'p'},{'id':'p','name':'q','owner':'ada@acme.example'}]",
    FILE "'type':'shortcut'}]",
    "'files':[{'name':'x'}]",
    "'files':[{'name':'x','parent':''}]",
    FILE "'parent':''},{'name':'X','owner':'ada@acme.example','parent':''}]",
    FILE "'content':'a'},{'name':'X','owner':'ada@acme.example'}]",
    FILE "'permissions':[{'role':'owner','person':'bob@acme.example'}]}]",
    FILE "'permissions':[{'role':'metadata','person':'bob@acme.example'}]}]",
    FILE "'permissions':[{'role':'reader'}]}]",
    FILE "'permissions':[{'role':'reader','person':'bob@acme.example','anyone':true}]}]",
    FILE "'permissions':[{'role':'reader','domain':'acme'}]}]",
    FILE "'permissions':[{'role':'reader','person':'bob'}]}]",
    FILE "'permissions':[{'role':'reader','view':'x','anyone':true}]}]",
    FILE "'permissions':[{'role':'reader','view':'published','anyone':true}]}]",
    FILE "'permissions':[{'role':'reader','person':'BOB@acme.example','pending':true}]}]",
    FILE "'people':[{'person':'none@x.example'}]}]",
    FILE "'trashed':false}]",
    FILE "'trashed':'x'}]",
    FILE "'trashed':true,'trashedBy':'none@x.example'}]",
    FILE "'revisions':[{'base64':'!'}]}]",
    FILE "'revisions':[{'modifiedBy':'none@x.example'}]}]",
    FILE "'revisions':[{'x':1}]}]",
    FILE "'links':[{'scope':'users'}]}]",
    FILE "'links':[{'scope':'users','users':['x']}]}]",
    FILE "'links':[{'users':[1]}]}]",
    FILE "'links':[{'password':'a','passwordHash':'b'}]}]",
    FILE "'links':[{'passwordHash':'0a:0b'}]}]",
    FILE "'links':[{'token':'t'},{'token':'t'}]}]",
    FILE "'links':[{'scope':'x'}]}]",
    FILE "'links':[{'by':'none@x.example'}]}]",
    FILE "'comments':[{'author':'bob@acme.example'}]}]",
    FILE "'comments':[{'author':'bob@acme.example','deleted':true,'content':'x'}]}]",
    FILE "'comments':[{'author':'none@x.example','content':'x'}]}]",
    FILE "'comments':[{'id':'c','author':'bob@acme.example','content':'x'},{'id':'c',"
         "'author':'bob@acme.example','content':'x'}]}]",
    FILE "'comments':[{'author':'bob@acme.example','content':'x','replies':[{'id':'r',"
         "'author':'bob@acme.example','content':'y'},{'id':'r','author':'bob@acme.example',"
         "'content':'z'}]}]}]",
    FILE "'comments':[{'author':'bob@acme.example','content':'x','replies':[{"
         "'author':'bob@acme.example'}]}]}]",
    FILE "'comments':[{'author':'bob@acme.example','content':'x','state':'x'}]}]",
    "'sharedDrives':[{'id':'a','name':'A'},{'id':'a','name':'B'}]",
    "'sharedDrives':[{'id':'a'}]",
    "'sharedDrives':[{'id':'a','name':'A','creator':'none@x.example'}]",
    "'sharedDrives':[{'id':'a','name':'A','created':'x'}]",
    "'sharedDrives':[{'id':'a','name':'A','members':[{'role':'reader'}]}]",
    "'sharedDrives':[{'id':'a','name':'A','people':[{'person':'none@x.example'}]}]",
    "'sharedDrives':[{'id':'a','name':'A','creator':'ada@acme.example','request':'r'}],"
    "'files':[{'id':'f','name':'F','type':'folder','parent':'a'},{'name':'x','parent':'f',"
    "'content':'c','people':[{'person':'bob@acme.example','starred':true}]}]",
    "'sharedDrives':{}",
    "'files':[1]",
    "'files':[{'x':1}]",
};

static const char START[] =
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','people':[{'email':'ada@acme.example'},"
    "{'email':'bob@acme.example'}],'apps':[{'client_id':'123.456','name':'App'}],";

/* What becomes of a document with these sections. */
static void tried(const char *sections)
{
    char *doc = calloc(1, strlen(START) + strlen(sections) + 2);
    struct sosia_err why = {0};
    uint64_t is;
    assert_non_null(doc);
    sprintf(doc, "%s%s}", START, sections);
    struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    for (char *p = doc; *p; p++)
        *p = *p == '\'' ? '"' : *p;
    story_say("tried: %s", sections);
    if (sosia_world_create(test_engine, &options, &is, &why) < 0) {
        story_say("  %s", why.text);
    } else {
        story_dump(test_engine, is);
        sosia_world_drop(test_engine, is, &why);
    }
    free(doc);
}

static void the_story_of_riches(void **state)
{
    static char doc[sizeof DOCUMENT];
    struct sosia_blob blob;
    (void)state;
    for (size_t i = 0; i < sizeof doc; i++)
        doc[i] = DOCUMENT[i] == '\'' ? '"' : DOCUMENT[i];
    end();
    test_world = test_world_of(doc);
    begin();
    assert_int_equal(drive_root(&tx, ada.id, &root), 1);
    story_begin();
    scripts();
    two_terms();
    links();
    contents();
    office();
    members_and_ends();
    many();
    trees();
    next_step("the end");
    end();
    assert_int_equal(sosia_world_dump(test_engine, test_world, &blob, &test_err), 0);
    story_say("a world of the dump");
    story_dump(test_engine, test_world_of(blob.data));
    sosia_blob_free(&blob);
    for (size_t i = 0; i < SOSIA_LEN(TRIED); i++)
        tried(TRIED[i]);
    begin();
    story_end("drive-rich");
}

static int open_rich(void **state)
{
    rich = strict;
    rich.type_of = type_of;
    rich.revision_key = revision_key;
    rich.item_members = item_members;
    rich.item_seed = item_seed;
    rich.item_dump = item_dump;
    rich.item_drop = item_drop;
    rich.document_size = 1024;
    *state = &rich;
    return open_world(state);
}

static int close_world(void **state)
{
    end();
    return test_close_engine(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_story_of_riches, open_rich, close_world)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives of two vendors in one world, each with members of its own: whose drive an item is in, what
 * may be said of it, and how it is shown; and contents that are not what they should be.
 */
#include "engine/world/core.h"
#include "services/drive/core/found.h"
#include "services/drive/core/model.h"
#include "services/drive/core/revision.h"
#include "tests/services/drive/core/drive_world.h"
#include "tests/support/world.h"

/* ---- two vendors with members ---- */

static const char *const star_members[] = {"stars", "moons", NULL}, *const sun_members[] = {"suns",
                                                                                            NULL};

static int seed_texts(struct tx *t, struct doc *d, const struct json *v, struct drive_item *it,
                      const char *const *names)
{
    (void)d;
    for (; *names; names++)
        if (json_get_str(v, *names))
            it->extra = arena_printf(t->arena, "{\"%s\":\"%s\"}", *names, json_get_str(v, *names));
    return it->extra ? drive_item_save(t, it) : 0;
}

static int seed_stars(struct tx *t, struct doc *d, const struct json *v, struct drive_item *it)
{
    return seed_texts(t, d, v, it, star_members);
}

static int seed_suns(struct tx *t, struct doc *d, const struct json *v, struct drive_item *it)
{
    return seed_texts(t, d, v, it, sun_members);
}

static int dump_texts(struct tx *t, struct json_writer *w, const struct drive_item *it)
{
    const struct json *v;
    if (!it->extra)
        return 0;
    if (json_parse(t->arena, it->extra, strlen(it->extra), NULL, &v, t->err) < 0)
        return -1;
    for (uint32_t i = 0; i < v->n; i++)
        json_str(w, v->members[i].key, v->members[i].value.str);
    return 0;
}

static const char *type_of(const char *name)
{
    return strstr(name, ".txt") ? "text/plain" : "application/x-any";
}

static struct drive_vendor first, second;

#define TWO                                                                                        \
    ",\"accounts\":[{\"actor\":\"" ADA "\",\"vendor\":\"loose\"},{\"actor\":\"" ADA                \
    "\",\"vendor\":\"strict\"},{\"actor\":\"" BOB "\",\"vendor\":\"strict\"},{\"actor\":\"" EVE    \
    "\",\"vendor\":\"loose\",\"services\":[]}]"

static int open_two(void **state)
{
    (void)state;
    first = loose;
    first.item_members = star_members;
    first.item_seed = seed_stars;
    first.item_dump = dump_texts;
    second = strict;
    second.item_members = sun_members;
    second.item_seed = seed_suns;
    second.item_dump = dump_texts;
    second.type_of = type_of;
    return open_pair(&first, &second,
                     "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"seed\":7," PEOPLE TWO "}");
}

static const struct json *world_dump(void)
{
    end();
    const struct json *dump = test_dump();
    begin();
    return dump;
}

static const char *seed_why(const char *files)
{
    const char *doc = quoted(arena_printf(&test_arena, "{'sosia':1,'files':[%s]}", files));
    end();
    int r = sosia_world_seed(test_engine, test_world, doc, strlen(doc), "more", &fault);
    const char *why = r < 0 ? arena_strdup(&test_arena, fault.text) : "";
    fault = (struct sosia_err){0};
    begin();
    return why;
}

static void a_file_is_in_a_drive_of_its_owner(void **state)
{
    struct drive_item a, b, c, home;
    (void)state;
    seed_more("'files':[{'id':'a','name':'a.txt','owner':'" ADA
              "'},{'id':'b','name':'b.txt','owner':'" ADA
              "','vendor':'strict'},{'id':'c','name':'c','owner':'" BOB
              "','vendor':'strict'},{'id':'f','name':'f','owner':'" ADA
              "','vendor':'strict','type':'folder'},{'id':'in','name':'in','owner':'" ADA
              "','vendor':'strict','parent':'f'},{'id':'m','name':'m','owner':'" ADA
              "','vendor':'strict','mime':'image/png'}]");
    a = item_by("a"), b = item_by("b"), c = item_by("c");
    assert_string_equal(drive_vendor_of(&tx, &a)->name, "loose");
    assert_string_equal(drive_vendor_of(&tx, &b)->name, "strict");
    assert_string_equal(drive_vendor_of(&tx, &c)->name, "strict");
    assert_int_equal(a.parent, root.id);
    assert_int_not_equal(b.parent, root.id);
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
    assert_int_equal(c.parent, home.id);
    assert_int_equal(item_by("in").parent, item_by("f").id);
    /* Types by name are the vendor's, where nothing is said. */
    assert_string_equal(a.mime, "application/octet-stream");
    assert_string_equal(b.mime, "text/plain");
    assert_string_equal(c.mime, "application/x-any");
    assert_string_equal(item_by("m").mime, "image/png");
    assert_string_equal(item_by("f").mime, "folder");
    const struct json *dump = world_dump();
    assert_string_equal(said(entry(dump, "files", "a"), "vendor"), "");
    assert_string_equal(said(entry(dump, "files", "b"), "vendor"), "strict");
    assert_string_equal(said(entry(dump, "files", "c"), "vendor"), ""); /* the usual one */
    assert_string_equal(said(entry(dump, "files", "in"), "vendor"), "");
    assert_string_equal(said(entry(dump, "files", "in"), "parent"), "f");
}

/* Also while the usual drive of its owner has not been asked for. */
static void a_drive_that_is_not_the_usual_one_is_said(void **state)
{
    (void)state;
    seed_more("'files':[{'id':'b','name':'b','owner':'" ADA "','vendor':'strict'}]");
    run_sql(arena_printf(tx.arena, "delete from drive_top where item = %lld", (long long)root.id));
    run_sql(arena_printf(tx.arena, "delete from drive_item where id = %lld", (long long)root.id));
    assert_string_equal(said(entry(world_dump(), "files", "b"), "vendor"), "strict");
}

static void members_are_those_of_the_drives_vendor(void **state)
{
    (void)state;
    assert_string_equal(seed_why("{'id':'a','name':'a','owner':'" ADA "','stars':'***'},{'id':'b',"
                                 "'name':'b','owner':'" ADA "','vendor':'strict','suns':'*'},{'id':"
                                 "'m','name':'m','owner':'" ADA "','moons':'('}"),
                        "");
    const struct json *dump = world_dump();
    assert_string_equal(said(entry(dump, "files", "a"), "stars"), "***");
    assert_string_equal(said(entry(dump, "files", "b"), "suns"), "*");
    assert_string_equal(said(entry(dump, "files", "m"), "moons"), "(");
    assert_string_equal(seed_why("{'name':'x','owner':'" ADA "','suns':'*'}"),
                        "more:1: files[0].suns: can't be said of a drive of loose");
    assert_string_equal(seed_why("{'name':'x','owner':'" ADA "','vendor':'strict','stars':'*'}"),
                        "more:1: files[0].stars: can't be said of a drive of strict");
    assert_string_equal(seed_why("{'name':'x','owner':'" BOB "','moons':'*'}"),
                        "more:1: files[0].moons: can't be said of a drive of strict");
    assert_int_equal(strncmp(seed_why("{'name':'x','owner':'" ADA "','comets':'*'}"),
                             "more:1: files[0].comets: there is no such field", 47),
                     0);
}

static void who_has_no_drive_gets_none(void **state)
{
    struct drive_item home;
    (void)state;
    assert_int_equal(asked("select count(*) from drive_item where top = 1"), 3); /* Ada's, Bob's */
    assert_int_equal(
        asked(arena_printf(tx.arena, "select count(*) from drive_item where owner = %lld",
                           (long long)eve.id)),
        0);
    assert_string_equal(seed_why("{'name':'x','owner':'" EVE "','vendor':'loose'}"),
                        "more:1: files[0].vendor: its owner has no drive with \"loose\"");
    assert_string_equal(seed_why("{'name':'x','owner':'" EVE "','vendor':'strict'}"),
                        "more:1: files[0].vendor: its owner has no drive with \"strict\"");
    assert_int_equal(drive_root(&tx, bob.id, &home), 1);
}

/* ---- how it is shown ---- */

static const char *shown(int (*way)(struct tx *, int64_t, struct json_writer *), int64_t id, int *r)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    *r = way(&tx, id, &w);
    json_end(&w);
    const char *text = arena_strdup(tx.arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static void a_file_is_shown_in_its_vendors_terms(void **state)
{
    const struct entity *file = &drive_core.entities[0];
    const char *name = "";
    struct drive_item a, b, top, app;
    int r;
    (void)state;
    seed_more("'files':[{'id':'a','name':'a','owner':'" ADA
              "','content':'x'},{'id':'b','name':'b','owner':'" ADA "','vendor':'strict'}]");
    a = item_by("a"), b = item_by("b");
    top = shared_by(&ada, "D");
    assert_int_equal(drive_app_data(&tx, ada.id, 0, &app), 1);
    assert_string_equal(file->name, "file");
    assert_string_equal(file->table, "drive_item");
    assert_int_equal(file->vendor(&tx, a.id, &name), 1);
    assert_string_equal(name, "loose");
    assert_int_equal(file->vendor(&tx, b.id, &name), 1);
    assert_string_equal(name, "strict");
    assert_int_equal(file->vendor(&tx, 99999, &name), 0);
    assert_string_equal(shown(file->key, a.id, &r), "{\"id\":\"a\"}");
    const char *text = shown(file->dump, a.id, &r);
    assert_int_equal(r, 1);
    assert_non_null(
        strstr(text, "{\"id\":\"a\",\"name\":\"a\",\"mime\":\"application/octet-stream\""));
    assert_non_null(strstr(text, "\"content\":\"x\"}"));
    text = shown(file->dump, top.id, &r);
    assert_int_equal(r, 1);
    assert_non_null(strstr(text,
                           "\"name\":\"D\",\"created\":\"2026-11-23T08:00:00Z\",\"creator\":\"" ADA
                           "\",\"members\":[{\"person\":\"" ADA "\",\"role\":\"organizer\"}]"));
    /* Folders at the top are not files; nor is what is gone. */
    assert_string_equal(shown(file->dump, root.id, &r), "{}");
    assert_int_equal(r, 0);
    assert_string_equal(shown(file->dump, app.id, &r), "{}");
    assert_int_equal(r, 0);
    done(drive_delete(&tx, &a));
    assert_string_equal(shown(file->dump, a.id, &r), "{}");
    assert_int_equal(r, 0);
    assert_int_equal(file->vendor(&tx, a.id, &name), 0);
    run_sql(arena_printf(tx.arena, "delete from drive_drive where item = %lld", (long long)top.id));
    assert_string_equal(shown(file->dump, top.id, &r), "{}");
    assert_int_equal(r, 0);
}

/* ---- found in the whole world ---- */

static const struct json *found(const char *text, size_t limit)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    done(drive_found(&tx, text, limit, &w));
    json_end(&w);
    const char *list = arena_strdup(&test_arena, buf_str(&b));
    buf_done(&b);
    return parsed(list, strlen(list));
}

/* The newest first, of all owners; of each whose it is, and with which vendor. */
static void files_are_found_in_all_drives(void **state)
{
    const struct json *list;
    struct drive_item a;
    (void)state;
    seed_more("'sharedDrives':[{'id':'d','name':'Budgets of all'}],'files':[{'id':'a','name':"
              "'budget','owner':'" ADA "','description':'About it','modified':"
              "'2026-11-20T00:00:00Z'},{'id':'b','name':'b','owner':'" ADA
              "','vendor':'strict','mime':'text/plain','content':'the budget'},{'id':'c','name':"
              "'Budget','parent':'d'},{'id':'t','name':'budget','owner':'" BOB
              "','trashed':true},{'id':'o','name':'other','owner':'" ADA "'}]");
    list = found("budget", 9);
    assert_string_equal(column(list, "", "id"), "t c b a");
    assert_string_equal(said(list, "3.actor"), ADA);
    assert_string_equal(said(list, "3.vendor"), "loose");
    assert_string_equal(said(list, "3.title"), "budget");
    assert_string_equal(said(list, "3.snippet"), "About it");
    assert_string_equal(said(list, "3.entity"), "file");
    assert_string_equal(said(list, "2.vendor"), "strict");
    assert_string_equal(said(list, "1.actor"), "");
    assert_string_equal(said(list, "0.actor"), BOB);
    assert_string_equal(column(found("budget", 2), "", "id"), "t c");
    assert_int_equal(count_at(found("budget", 0), ""), 0);
    assert_int_equal(count_at(found("nothing", 9), ""), 0);
    a = item_by("t");
    done(drive_delete(&tx, &a));
    assert_string_equal(column(found("budget", 9), "", "id"), "c b a");
}

/* ---- documents ---- */

static void a_document_begins_empty(void **state)
{
    struct drive_item it = {.owner = ada.id,
                            .modifier = ada.id,
                            .parent = root.id,
                            .form = DRIVE_DOCUMENT,
                            .name = "d",
                            .mime = "document",
                            .size = -1},
                      f = add_in(&root, DRIVE_FILE, "f");
    static const char *const kinds[] = {"document", "spreadsheet", "presentation", "drawing"};
    static const enum document_kind are[] = {DOCUMENT_TEXT, DOCUMENT_SHEETS, DOCUMENT_SLIDES,
                                             DOCUMENT_DRAWING};
    struct document *d = NULL;
    enum document_kind kind;
    struct buf b;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++) {
        assert_int_equal(drive_document_kind(kinds[i], &kind), 1);
        assert_int_equal(kind, are[i]);
    }
    assert_int_equal(drive_document_kind("form", &kind), 0);
    assert_int_equal(drive_document_kind("text/plain", &kind), 0);
    done(drive_item_add(&tx, &it));
    assert_int_equal(drive_document_load(&tx, &it, 0, &d), 1);
    assert_int_equal(d->kind, DOCUMENT_TEXT);
    buf_init(&b, 0);
    document_text(d, &b);
    assert_string_equal(buf_str(&b), "");
    buf_done(&b);
    assert_int_equal(drive_document_load(&tx, &f, 0, &d), 0);
}

/* A new content is a revision, each with its own; damage in the place of one is refused. */
static void each_revision_of_a_document_has_its_content(void **state)
{
    struct document *one, *two, *is;
    struct drive_item it;
    struct sosia_err err = {0};
    struct buf b;
    (void)state;
    seed_more("'files':[{'id':'d','name':'d','owner':'" ADA
              "','type':'document','content':'zero'},{'id':'s','name':'s','owner':'" ADA
              "','type':'spreadsheet','content':'a'},{'id':'t','name':'t','owner':'" ADA
              "','content':'[1'},{'id':'u','name':'u','owner':'" ADA "','content':'[1]'}]");
    it = item_by("d");
    const int64_t zero = it.head, version = it.version;
    done(format_read(tx.arena, DOCUMENT_TEXT, FORMAT_TEXT, "one", 3, "d", &one, &err));
    done(format_read(tx.arena, DOCUMENT_TEXT, FORMAT_TEXT, "second", 6, "d", &two, &err));
    done(drive_document_put(&tx, &it, one));
    const int64_t first_head = it.head, size = it.size;
    assert_true(it.head != zero && !it.blob && !it.md5 && !it.sha1 && !it.sha256 &&
                it.version > version && size > 0);
    done(drive_document_put(&tx, &it, two));
    assert_true(it.head != first_head && it.size == size + 3);
    it = item_by("d");
    static const char *const texts[] = {"second", "zero", "one", "second"};
    const int64_t heads[] = {0, zero, first_head, it.head};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(drive_document_load(&tx, &it, heads[i], &is), 1);
        buf_init(&b, 0);
        document_text(is, &b);
        assert_int_equal(strncmp(buf_str(&b), texts[i], strlen(texts[i])), 0);
        buf_done(&b);
    }
    /* Damage: no JSON, no document, one of another kind. */
    static const char *const others[] = {"t", "u", "s"};
    const int64_t own = asked(arena_printf(
        tx.arena, "select content from drive_document where revision = %lld", (long long)it.head));
    for (size_t i = 0; i < 3; i++) {
        run_sql(arena_printf(tx.arena,
                             i == 2
                                 ? "update drive_document set content = (select content from "
                                   "drive_document where item = (select id from drive_item where "
                                   "key = '%s')) where revision = %lld"
                                 : "update drive_document set content = (select blob from "
                                   "drive_item where key = '%s') where revision = %lld",
                             others[i], (long long)it.head));
        assert_int_equal(drive_document_load(&tx, &it, 0, &is), -1);
        if (i == 2) {
            assert_int_equal(fault.code, SOSIA_E_INTERNAL);
            assert_string_equal(fault.text, "the content of d is not of its kind");
        }
        fault = (struct sosia_err){0};
        assert_int_equal(drive_document_load(&tx, &it, first_head, &is), 1);
    }
    run_sql(arena_printf(tx.arena, "update drive_document set content = %lld where revision = %lld",
                         (long long)own, (long long)it.head));
}

int main(void)
{
#define TWO_OF(test) cmocka_unit_test_setup_teardown(test, open_two, close_world)
    const struct CMUnitTest tests[] = {
        TWO_OF(a_file_is_in_a_drive_of_its_owner),
        TWO_OF(a_drive_that_is_not_the_usual_one_is_said),
        TWO_OF(members_are_those_of_the_drives_vendor),
        TWO_OF(who_has_no_drive_gets_none),
        TWO_OF(a_file_is_shown_in_its_vendors_terms),
        TWO_OF(files_are_found_in_all_drives),
        BOTH(a_document_begins_empty),
        BOTH(each_revision_of_a_document_has_its_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

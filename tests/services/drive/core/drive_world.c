/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/services/drive/core/drive_world.h"
#include "engine/world/engine.h"
#include "services/drive/core/access/shared.h"
#include "tests/support/world.h"
#include <stdio.h>

void done(int r)
{
    ok(r);
    assert_int_equal(r, 0);
}

/* ---- items ---- */

struct drive_item item_in(const struct drive_item *folder, enum drive_form form, const char *name)
{
    return (struct drive_item){.owner = folder->owner,
                               .modifier = folder->owner,
                               .parent = folder->id,
                               .drive = folder->drive,
                               .form = form,
                               .name = name,
                               .mime = form == DRIVE_FOLDER ? DRIVE_MIME_FOLDER : "text/plain",
                               .size = -1};
}

struct drive_item add_in(const struct drive_item *folder, enum drive_form form, const char *name)
{
    struct drive_item it = item_in(folder, form, name);
    done(drive_item_add(&tx, &it));
    return it;
}

struct drive_item add_of(const struct drive_item *folder, enum drive_form form, const char *name,
                         const struct actor *owner)
{
    struct drive_item it = item_in(folder, form, name);
    it.owner = it.modifier = owner->id;
    done(drive_item_add(&tx, &it));
    return it;
}

struct drive_item again(const struct drive_item *it)
{
    struct drive_item now;
    assert_int_equal(drive_item_by_id(&tx, it->id, &now), 1);
    return now;
}

struct drive_item item_by(const char *key)
{
    struct drive_item now;
    if (drive_item_by_key(&tx, key, &now) != 1)
        fail_msg("there is no %s", key);
    return now;
}

struct drive_item shared_by(const struct actor *creator, const char *name)
{
    struct drive_settings set = {0};
    struct drive_item top;
    done(drive_shared_make(&tx, creator, NULL, name, &set, &top));
    return top;
}

void run_sql(const char *sql)
{
    char *text = NULL;
    if (sqlite3_exec(slot_db(tx.db), sql, NULL, NULL, &text) != SQLITE_OK)
        fail_msg("%s: %s", sql, text);
}

int64_t asked(const char *sql)
{
    sqlite3_stmt *st;
    if (sqlite3_prepare_v2(slot_db(tx.db), sql, -1, &st, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(slot_db(tx.db)));
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t v = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return v;
}

/* ---- who may do what ---- */

void give(struct drive_item *it, enum drive_grantee kind, const char *who, enum drive_role role,
          bool lowers)
{
    struct drive_grant g = {.kind = kind, .who = who, .role = role, .lowers = lowers};
    *it = again(it);
    done(drive_grant_set(&tx, it, &g));
}

struct drive_access access_of(const struct actor *who, const struct drive_item *it)
{
    struct drive_viewer v;
    struct drive_access at;
    struct drive_item now = again(it);
    drive_viewer(&tx, who, &v);
    done(drive_role(&v, &now, &at));
    return at;
}

enum drive_role role_of(const struct actor *who, const struct drive_item *it)
{
    return access_of(who, it).role;
}

struct drive_share *share_of(const struct drive_item *it, enum drive_grantee kind, const char *who,
                             size_t *ret_n)
{
    struct drive_item now = again(it);
    struct drive_share *list, *found = NULL;
    size_t n;
    done(drive_shares(&tx, &now, true, &list, &n));
    for (size_t i = 0; i < n; i++)
        if (list[i].kind == kind && strcmp(list[i].who, who) == 0) {
            assert_null(found); /* each once */
            found = &list[i];
        }
    if (ret_n)
        *ret_n = n;
    return found;
}

struct drive_mine mine_of(const struct drive_item *it, const struct actor *who)
{
    struct drive_item plain = {.id = it->id};
    struct drive_mine m;
    done(drive_mine(&tx, &plain, who->id, &m));
    return m;
}

/* ---- documents ---- */

#define START                                                                                      \
    "{'sosia':1,'time':'2026-11-23T08:00:00Z','seed':7,'organizations':[{'domain':"                \
    "'acme.example','name':'Acme'}],'people':[{'email':'" ADA "'},{'email':'" BOB                  \
    "'},{'email':'" EVE "'}],'groups':[{'email':'all@acme.example','members':['" ADA "','" BOB     \
    "']}],'apps':[{'client_id':'123.456','name':'App'}],%s}"

static const struct json *whole_dump(uint64_t world)
{
    struct sosia_blob text, twice;
    struct sosia_err err;
    done(sosia_world_dump(test_engine, world, &text, &fault));
    const uint64_t second = test_world_of((const char *)text.data);
    done(sosia_world_dump(test_engine, second, &twice, &fault));
    assert_string_equal((const char *)twice.data, (const char *)text.data);
    const char *kept = arena_strdup(&test_arena, (const char *)text.data);
    sosia_blob_free(&text);
    sosia_blob_free(&twice);
    sosia_world_drop(test_engine, second, &err);
    return parsed(kept, strlen(kept));
}

/* What was made can be taken out and in again, as it is. */
static void goes_out_and_in(uint64_t world, const char *sections)
{
    const uint64_t first = test_world;
    struct sosia_blob text, twice;
    struct sosia_err err;
    uint64_t copy;
    test_world = world;
    if (test_import_changed(NULL, &copy) < 0)
        fail_msg("%s: import: %s", sections, test_err.text);
    test_world = first;
    done(sosia_world_dump(test_engine, world, &text, &fault));
    done(sosia_world_dump(test_engine, copy, &twice, &fault));
    assert_string_equal((const char *)twice.data, (const char *)text.data);
    sosia_blob_free(&text);
    sosia_blob_free(&twice);
    sosia_world_drop(test_engine, copy, &err);
}

const char *made_of(const char *sections, const struct json **ret)
{
    static char why[600];
    const char *doc = quoted(arena_printf(&test_arena, START, sections));
    struct sosia_world_options options = {.seed_doc = doc, .seed_doc_len = strlen(doc)};
    struct sosia_err err = {0};
    uint64_t world;
    *ret = NULL;
    if (sosia_world_create(test_engine, &options, &world, &err) < 0) {
        snprintf(why, sizeof why, "%s", err.text);
        return why;
    }
    *ret = whole_dump(world);
    goes_out_and_in(world, sections);
    sosia_world_drop(test_engine, world, &err);
    return "";
}

const struct json *dump_of(const char *sections)
{
    const struct json *dump;
    const char *why = made_of(sections, &dump);
    if (*why)
        fail_msg("%s: %s", sections, why);
    return dump;
}

const struct json *entry(const struct json *dump, const char *list, const char *id)
{
    for (size_t i = 0; i < count_at(dump, list); i++) {
        const struct json *v = value_at(dump, arena_printf(&test_arena, "%s.%zu", list, i));
        if (strcmp(text_at(v, "id"), id) == 0)
            return v;
    }
    fail_msg("%s has no %s", list, id);
    return NULL;
}

const char *said(const struct json *v, const char *member)
{
    char *text = arena_strdup(&test_arena, printed_at(v, member));
    for (char *p = text; *p; p++)
        *p = *p == '"' ? '\'' : *p;
    return text;
}

static const char *one_file(const char *members)
{
    return arena_printf(&test_arena, "'files':[{'id':'doc!x','name':'x','owner':'" ADA "'%s%s}]",
                        *members ? "," : "", members);
}

const struct json *file_of(const char *members)
{
    return entry(dump_of(one_file(members)), "files", "doc!x");
}

const char *why_not(const char *members)
{
    const struct json *dump;
    return made_of(one_file(members), &dump);
}

void seed_more(const char *sections)
{
    const char *doc = quoted(arena_printf(&test_arena, "{'sosia':1,%s}", sections));
    end();
    if (sosia_world_seed(test_engine, test_world, doc, strlen(doc), "more", &fault) < 0)
        fail_msg("%s: %s", sections, fault.text);
    begin();
}

const char *import_of(const char *sql, const struct json **ret)
{
    struct sosia_err err;
    uint64_t world;
    test_err = (struct sosia_err){0};
    *ret = NULL;
    if (test_import_changed(sql, &world) < 0)
        return test_err.text;
    *ret = whole_dump(world);
    sosia_world_drop(test_engine, world, &err);
    return "";
}

int close_world(void **state)
{
    end();
    return test_close_engine(state);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/survey.h"
#include "engine/state/change.h"
#include "tests/support/story.h"
#include "tests/support/unit.h"
#include "tests/support/world.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static void plain_of(struct tx *tx, const struct entity *entity, struct buf *out)
{
    char query[200];
    sqlite3_stmt *st;
    snprintf(query, sizeof query, "select rowid from %s order by rowid", entity->table);
    assert_int_equal(sqlite3_prepare_v2(slot_db(tx->db), query, -1, &st, NULL), SQLITE_OK);
    while (sqlite3_step(st) == SQLITE_ROW) {
        const int64_t row = sqlite3_column_int64(st, 0);
        const struct json *v;
        if (entity_read_plain(tx, tx->arena, entity, row, &v) < 0)
            fail_msg("%s %lld: %s", entity->name, (long long)row, tx->err->text);
        buf_printf(out, "%s %lld: %s\n", entity->name, (long long)row,
                   v ? json_to_text(tx->arena, v) : "nothing");
    }
    sqlite3_finalize(st);
}

void survey_plain(struct tx *tx, const struct sosia_core *core)
{
    struct buf b;
    buf_init(&b, 0);
    for (size_t i = 0; i < core->n_entities; i++)
        if (core->entities[i].plain)
            plain_of(tx, &core->entities[i], &b);
    story_state("plain", buf_str(&b));
    buf_done(&b);
}

void survey_found(struct tx *tx, found_fn *fn, const char *text, size_t limit)
{
    struct json_writer w;
    struct buf b;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_arr(&w, NULL);
    if (fn(tx, text, limit, &w) < 0)
        fail_msg("%s: %s", text, tx->err->text);
    json_end(&w);
    story_say("  found \"%s\", %zu: %s", text, limit, buf_str(&b));
    buf_done(&b);
}

void survey_events(const struct world_event *first)
{
    static const char *const words[] = {
        [OP_ADDED] = "added", [OP_CHANGED] = "changed", [OP_REMOVED] = "removed"};
    for (const struct world_event *e = first; e; e = e->next) {
        struct buf b;
        buf_init(&b, 0);
        for (size_t i = 0; e->members && e->members[i]; i++)
            buf_printf(&b, " %s", e->members[i]);
        story_say("  event %s %s, scope %lld, of %lld:%s", e->kind, words[e->operation],
                  (long long)e->scope, (long long)e->entity, b.len ? buf_str(&b) : " -");
        buf_done(&b);
    }
}

void survey_diff(const char *doc)
{
    const uint64_t first = test_world_of(doc);
    struct sosia_blob blob;
    struct buf b;
    if (sosia_world_diff(test_engine, first, test_world, &blob, &test_err) < 0)
        fail_msg("diff: %s", test_err.text);
    buf_init(&b, 0);
    for (const char *p = blob.data; *p; p++) { /* an entity a line */
        if (p[0] == '{' && strncmp(p, "{\"entity\"", 9) == 0)
            buf_byte(&b, '\n');
        buf_byte(&b, *p);
    }
    story_state("diff", buf_str(&b));
    buf_done(&b);
    sosia_blob_free(&blob);
    sosia_world_drop(test_engine, first, &test_err);
}

void survey_changed(const char *const *sql, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t world;
        story_say("changed: %s", sql[i] ? sql[i] : "nothing");
        if (test_import_changed(sql[i], &world) == 0) {
            story_dump(test_engine, world);
            sosia_world_drop(test_engine, world, &test_err);
        } else {
            story_say("  %s", test_err.text);
        }
        test_err = (struct sosia_err){0};
    }
}

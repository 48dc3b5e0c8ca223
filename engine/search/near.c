/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FTS5 finds phrases near each other in any order; this function for it, in_order(mail_index, n),
 * gives whether the first one is before the second, with at most n words between.
 */
#include "engine/search/near.h"
#include <stdbool.h>
#include <stddef.h>

struct place {
    int column, at;
};

static bool is_before(struct place a, struct place b)
{
    return a.column < b.column || (a.column == b.column && a.at < b.at);
}

static void in_order(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *ctx, int n,
                     sqlite3_value **args)
{
    Fts5PhraseIter first_iter, second_iter;
    struct place first, second, end = {-1, 0}; /* end: behind the last first one before second */
    bool found = false;
    if (n != 1 || api->xPhraseCount(fts) != 2) {
        sqlite3_result_error(ctx, "in_order() wants two phrases", -1);
        return;
    }
    int size = api->xPhraseSize(fts, 0), most = sqlite3_value_int(args[0]);
    int rc = api->xPhraseFirst(fts, 0, &first_iter, &first.column, &first.at);
    if (rc == SQLITE_OK)
        rc = api->xPhraseFirst(fts, 1, &second_iter, &second.column, &second.at);
    while (rc == SQLITE_OK && !found && second.column >= 0) {
        while (first.column >= 0) {
            struct place behind = {first.column, first.at + size};
            if (is_before(second, behind))
                break;
            end = behind;
            api->xPhraseNext(fts, &first_iter, &first.column, &first.at);
        }
        found = end.column == second.column && second.at - end.at <= most;
        api->xPhraseNext(fts, &second_iter, &second.column, &second.at);
    }
    if (rc == SQLITE_OK)
        sqlite3_result_int(ctx, found);
    else
        sqlite3_result_error_code(ctx, rc);
}

int near_register(sqlite3 *db)
{
    fts5_api *api = NULL;
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(db, "select fts5(?1)", -1, &st, NULL);
    if (rc == SQLITE_OK) {
        sqlite3_bind_pointer(st, 1, &api, "fts5_api_ptr", NULL);
        sqlite3_step(st);
        rc = sqlite3_finalize(st);
    }
    if (rc == SQLITE_OK && !api)
        rc = SQLITE_ERROR;
    return rc == SQLITE_OK ? api->xCreateFunction(api, "in_order", NULL, in_order, NULL) : rc;
}

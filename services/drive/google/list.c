/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of files. */
#include "services/drive/google/gdrive.h"
#include "services/drive/google/scopes.h"
#include "engine/base/codec.h"
#include <stdio.h>

/* One after another, last changed first: what the caller owns. */
static int next_owned(struct call *c, int64_t modified_us, int64_t id, struct drive_item *ret)
{
    static struct sql_text q = SQL_TEXT(
        "select id from drive_item where owner = :owner and (modified_us, -id) < (:modified, "
        ":id) and top = 0 and space = 0 order by modified_us desc, id limit 1");
    int64_t found;
    int r = TX_INT(&c->tx, &q, &found, c->actor.id, modified_us, -id);
    return r == 1 ? drive_item_by_id(&c->tx, found, ret) : r;
}

static int files_list(struct call *c)
{
    struct gdrive_view v;
    struct json_writer *w = c->out;
    const char *position;
    long long us = INT64_MAX, id = 0;
    int64_t limit = param_num(c, "pageSize", 100);
    struct drive_item *page = arena_calloc(c->tx.arena, (size_t)limit + 1, sizeof *page);
    int64_t n = 0;
    int r = 1, token = google_page_position(c, &position);
    if (token < 0 || gdrive_view(c, &v) < 0)
        return -1;
    v.list = true;
    if (token && sscanf(position, "%lld %lld", &us, &id) != 2)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "pageToken", "Invalid Value");
    while (n <= limit && (r = next_owned(c, us, id, &page[n])) == 1) {
        us = page[n].modified_us;
        id = page[n++].id;
    }
    if (r < 0)
        return -1;
    json_obj(w, NULL);
    if (n > limit) {
        n = limit;
        json_str(w, "nextPageToken",
                 google_page_token(c, arena_printf(c->tx.arena, "%lld %lld",
                                                   (long long)page[n - 1].modified_us,
                                                   (long long)page[n - 1].id)));
    }
    json_word(w, "kind", "drive#fileList");
    json_bool(w, "incompleteSearch", false);
    json_arr(w, "files");
    for (int64_t i = 0; i < n; i++)
        if (gdrive_write_file(&v, NULL, &page[i], NULL) < 0)
            return -1;
    json_end(w);
    json_end(w);
    return 0;
}

static const char *const corpus_values[] = {"domain", "user", NULL};

static const struct param files_list_params[] = {
    {.name = "corpora", .place = IN_QUERY},
    {.name = "corpus",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .values = corpus_values,
     .deprecated = true},
    {.name = "driveId", .place = IN_QUERY},
    GDRIVE_FLAG("includeItemsFromAllDrives"),
    GDRIVE_INCLUDE,
    GDRIVE_OLD_FLAG("includeTeamDriveItems"),
    {.name = "orderBy", .place = IN_QUERY},
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .def = "100", .min = 1, .max = 1000},
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "q", .place = IN_QUERY},
    {.name = "spaces", .place = IN_QUERY, .def = "drive"},
    GDRIVE_ALL_DRIVES,
    {.name = "teamDriveId", .place = IN_QUERY, .deprecated = true},
};

static const struct route methods[] = {
    {.id = "drive.files.list",
     .verbs = GET,
     .paths = PATHS("/drive/v3/files"),
     .handler = files_list,
     .risk = RISK_READ,
     .scopes = DRIVE " " APPDATA " " FILE_SCOPE " " MEET_READONLY " " METADATA " " METADATA_READONLY
                     " " PHOTOS_READONLY " " READONLY,
     PARAMS(files_list_params),
     .response = "FileList",
     .summary = "Files, by what is known of them"},
};

const struct rows gdrive_list = ROWS(methods);

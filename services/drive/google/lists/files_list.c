/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of files, and searching them. */
#include "services/drive/google/org/label.h"
#include "services/drive/google/lists/query.h"
#include "services/drive/google/scopes.h"
#include <strings.h>

enum { ORDERS = 32 };

struct asked {
    struct drive_finder finder;
    struct find_order order[ORDERS];
    bool star_is_late; /* "starred" behind another key, which the service fails at */
    bool has_text;
};

/* ---- orderBy ---- */

static const char *const keys[ORDER_KEYS] = {"createdTime",    "folder",        "modifiedByMeTime",
                                             "modifiedTime",   "name",          "name_natural",
                                             "quotaBytesUsed", "recency",       "sharedWithMeTime",
                                             "starred",        "viewedByMeTime"};

static int read_key(struct call *c, const char *text, size_t len, struct asked *a)
{
    struct find_order o = {.key = ORDER_KEYS};
    size_t n = strcspn(text, " ");
    n = n > len ? len : n;
    const char *rest = text + n;
    size_t left = len - n;
    for (; left && *rest == ' '; left--)
        rest++;
    for (unsigned i = 0; i < ORDER_KEYS; i++)
        if (strlen(keys[i]) == n && memcmp(keys[i], text, n) == 0)
            o.key = (enum find_key)i;
    o.falling = left == 4 && strncasecmp(rest, "desc", 4) == 0;
    if (o.key == ORDER_KEYS || (left && !o.falling && !(left == 3 && !strncasecmp(rest, "asc", 3))))
        return call_fail(c, SOSIA_E_INVALID, "invalid", "orderBy", "Invalid Value");
    for (size_t i = 0; i < a->finder.n_order; i++) {
        enum find_key x = a->order[i].key == ORDER_NAME_NATURAL ? ORDER_NAME : a->order[i].key;
        if (x == (o.key == ORDER_NAME_NATURAL ? ORDER_NAME : o.key))
            return call_fail(c, SOSIA_E_FORBIDDEN, "orderByContainsDuplicateSortKeys", NULL,
                             "The orderBy parameter cannot contain duplicate sort keys.");
    }
    a->star_is_late |= o.key == ORDER_STARRED && a->finder.n_order > 0;
    a->order[a->finder.n_order++] = o; /* each key once: there is room */
    return 0;
}

static int read_order(struct call *c, struct asked *a)
{
    const char *text = param_str(c, "orderBy");
    a->finder.order = a->order;
    while (text && *text) {
        size_t n = strcspn(text, ","), from = strspn(text, " "), to = n;
        while (to > from && text[to - 1] == ' ')
            to--;
        if (from < to && read_key(c, text + from, to - from, a) < 0)
            return -1;
        text += n + (text[n] == ',');
    }
    return 0;
}

/* ---- where it is looked for ---- */

static int find_drive(struct gdrive_view *v, const char *key, int64_t *ret)
{
    struct call *c = v->c;
    struct drive_item top;
    struct drive_access access;
    int r = drive_item_by_key(&c->tx, key, &top);
    if (r < 0 || (r == 1 && drive_role(&v->viewer, &top, &access) < 0))
        return -1;
    if (!r || top.top != DRIVE_SHARED || access.role == ROLE_NONE)
        return call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "driveId", "Shared drive not found: %s",
                         key);
    *ret = top.id;
    return 0;
}

static int read_scope(struct gdrive_view *v, struct asked *a)
{
    struct call *c = v->c;
    struct drive_finder *f = &a->finder;
    const char *corpora = param_str(c, "corpora"), *drive = param_str(c, "driveId");
    bool all =
        gdrive_flag(c, "includeItemsFromAllDrives") || gdrive_flag(c, "includeTeamDriveItems");
    if (!drive)
        drive = param_str(c, "teamDriveId");
    if (!corpora && (corpora = param_str(c, "corpus")) && strcmp(corpora, "domain") != 0)
        corpora = NULL;
    if (all && !gdrive_all_drives(c))
        return call_fail(c, SOSIA_E_FORBIDDEN, "supportsTeamDrivesRequired", NULL,
                         "The supportsAllDrives parameter was not set to true.");
    bool one = corpora && (!strcmp(corpora, "drive") || !strcmp(corpora, "teamDrive"));
    bool every = corpora && (!strcmp(corpora, "allDrives") || !strcmp(corpora, "allTeamDrives"));
    if (corpora && !one && !every && strcmp(corpora, "user") != 0 && strcmp(corpora, "domain") != 0)
        return call_fail(c, SOSIA_E_INVALID, "invalid", "corpora", "Invalid Value");
    if (one != (drive != NULL))
        return call_fail(c, SOSIA_E_INVALID, "invalid", "driveId",
                         "The driveId parameter must be specified if and only if corpora is set to "
                         "drive.");
    if ((one || every) && !all)
        return call_fail(c, SOSIA_E_FORBIDDEN, "teamDrivesRequired", "includeItemsFromAllDrives",
                         "The includeItemsFromAllDrives parameter must be set to true when corpora "
                         "is drive or allDrives.");
    f->scope = one                                         ? SCOPE_DRIVE
               : every                                     ? SCOPE_ALL
               : corpora && strcmp(corpora, "domain") == 0 ? SCOPE_DOMAIN
                                                           : SCOPE_PERSON;
    f->shared_drives = all;
    return one ? find_drive(v, drive, &f->drive) : 0;
}

/* What the scopes show of the spaces that are looked at. */
static int read_reach(struct call *c, struct drive_finder *f)
{
    f->app = gdrive_app(c);
    return gdrive_spaces(c, &f->in_drive, &f->in_app) < 0 ? -1 : gdrive_makers(c, f->made_by);
}

/* ---- the method ---- */

/* Refusals come in the service's order: flags after orderBy, q after flags, then what q and orderBy
 * say together, the page's token, and what the service fails at. */
static int read_question(struct gdrive_view *v, struct asked *a, const char **ret_position)
{
    struct call *c = v->c;
    const char *q = param_str(c, "q");
    if (read_order(c, a) < 0 || read_scope(v, a) < 0 || read_reach(c, &a->finder) < 0 ||
        gdrive_query(v, q ? q : "", &a->finder.question, &a->has_text) < 0)
        return -1;
    if (a->has_text && a->finder.n_order)
        return call_fail(c, SOSIA_E_FORBIDDEN, "forbidden", "orderBy",
                         "Sorting is not supported for queries with fullText terms. Results are "
                         "always in descending relevance order.");
    if (google_page_position(c, ret_position) < 0)
        return -1;
    if (a->star_is_late)
        return call_fail(c, SOSIA_E_INTERNAL, "internalError", NULL, "Internal Error");
    return 0;
}

/* Items of the service's own kinds have a word in place of the type, others whole types. */
static size_t stored_types(const char *type, const char *ret[FIND_TYPES])
{
    size_t n = strlen(GDRIVE_TYPE);
    ret[0] = type;
    if (strncasecmp(type, GDRIVE_TYPE, n) != 0)
        return 1;
    ret[1] = type + n;
    return 2;
}

static int files_list(struct call *c)
{
    struct gdrive_view v;
    struct asked a = {0};
    struct json_writer *w = c->out;
    struct drive_item *list;
    struct drive_access *access;
    const char *position = NULL, *next;
    size_t n;
    if (gdrive_view(c, &v) < 0 || read_question(&v, &a, &position) < 0)
        return -1;
    a.finder.viewer = &v.viewer;
    a.finder.type = gdrive_type;
    a.finder.stored_types = stored_types;
    a.finder.own = gdrive_find_label;
    a.finder.vendor = &gdrive_vendor;
    if (drive_find(&a.finder, position, (size_t)param_num(c, "pageSize", 100), &list, &access, &n,
                   &next) < 0) {
        if (c->tx.err->code != SOSIA_E_INVALID)
            return -1;
        bool place = c->tx.err->reason && strcmp(c->tx.err->reason, "position") == 0;
        return call_fail(c, SOSIA_E_INVALID, "invalid", place ? "pageToken" : "q", "Invalid Value");
    }
    v.list = true;
    json_obj(w, NULL);
    json_arr(w, "files");
    for (size_t i = 0; i < n; i++)
        if (gdrive_write_file(&v, NULL, &list[i], &access[i]) < 0)
            return -1;
    json_end(w);
    json_word(w, "kind", "drive#fileList");
    json_bool(w, "incompleteSearch", false);
    if (next)
        json_str(w, "nextPageToken",
                 arena_printf(c->tx.arena, GOOGLE_LIST_TOKEN "%s", google_page_token(c, next)));
    json_end(w);
    return 0;
}

static const struct param files_list_params[] = {
    {.name = "corpora", .place = IN_QUERY},
    {.name = "corpus", .place = IN_QUERY, .deprecated = true},
    {.name = "driveId", .place = IN_QUERY},
    GDRIVE_FLAG("includeItemsFromAllDrives"),
    {.name = "includeLabels", .place = IN_QUERY},
    {.name = "includePermissionsForView", .place = IN_QUERY},
    GDRIVE_OLD_FLAG("includeTeamDriveItems"),
    {.name = "orderBy", .place = IN_QUERY},
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .def = "100", .min = 1, .max = 1000},
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "q", .place = IN_QUERY},
    {.name = "spaces", .place = IN_QUERY},
    GDRIVE_ALL_DRIVES,
    {.name = "teamDriveId", .place = IN_QUERY, .deprecated = true},
};

static const struct route methods[] = {
    {.id = "drive.files.list",
     .verbs = GET,
     .paths = PATHS("/drive/v3/files"),
     .handler = files_list,
     .risk = RISK_READ,
     .anonymous = true, /* of a folder that anyone with the link has, with an API key */
     .scopes = DRIVE " " APPDATA " " FILE_SCOPE " " MEET_READONLY " " METADATA " " METADATA_READONLY
                     " " PHOTOS_READONLY " " READONLY,
     PARAMS(files_list_params),
     .response = "FileList",
     .summary = "Files that answer a question"},
};

const struct rows gdrive_files_list = ROWS(methods);

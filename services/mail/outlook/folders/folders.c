/* SPDX-License-Identifier: Apache-2.0 */
/* Mail folders: the tree, with its well-known names. */
#include "engine/base/codec.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/rows.h"
#include "services/mail/outlook/folders/search_folder.h"
#include <stdlib.h>
#include <strings.h>

/* ---- writing ---- */

static bool is_child(const struct mail_folder *f, int64_t parent)
{
    return f->kind == KIND_FOLDER && f->parent == parent &&
           mail_folder_place(f->id) != FOLDER_CATEGORIES &&
           mail_folder_place(f->id) != FOLDER_SEARCHES;
}

/* ---- lists ---- */

static int by_name(const void *x, const void *y)
{
    const struct mail_folder *a = x, *b = y;
    int r = strcasecmp(a->name, b->name);
    return r ? r : a->id < b->id ? -1 : a->id > b->id;
}

static int get_member(void *arg, struct arena *a, const void *thing, const struct odata_path *path,
                      struct odata_value *ret)
{
    const struct mail_folder *f = thing;
    const struct outlook_box *b = arg;
    if (strcmp(path->text, "displayName") == 0)
        *ret = odata_string(f->name);
    else if (strcmp(path->text, "id") == 0)
        *ret = odata_string(outlook_folder_text(a, b, f->id));
    else if (strcmp(path->text, "parentFolderId") == 0)
        *ret = odata_string(outlook_folder_text(a, b, f->parent));
    else if (strcmp(path->text, "unreadItemCount") == 0)
        *ret = odata_int(f->unread);
    else if (strcmp(path->text, "totalItemCount") == 0)
        *ret = odata_int(f->messages);
    else if (strcmp(path->text, "isHidden") == 0)
        *ret = odata_bool(f->hidden);
    else
        return 0;
    return 1;
}

/* Those in a folder that are shown and match, by name. */
static int children_of(struct call *c, const struct outlook_box *b, int64_t parent, bool hidden,
                       const struct odata_query *q, struct mail_folder **ret, size_t *ret_n)
{
    struct odata_ctx ctx = {.arena = c->tx.arena,
                            .get = get_member,
                            .arg = (void *)(uintptr_t)b,
                            .now_us = c->tx.now_us};
    struct mail_folder *list;
    size_t n, kept = 0;
    if (mail_folder_list(&c->tx, b->mailbox.id, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int r = is_child(&list[i], parent) && (hidden || !list[i].hidden);
        if (r && q && q->filter)
            r = odata_matches(&ctx, q->filter, &list[i]);
        if (r < 0)
            return -1;
        if (r)
            list[kept++] = list[i];
    }
    if (kept)
        qsort(list, kept, sizeof *list, by_name);
    *ret = list;
    *ret_n = kept;
    return 0;
}

static bool shows_hidden(const struct call *c)
{
    const char *text = param_str(c, "includeHiddenFolders");
    return text && str_eq_nocase(text, "true");
}

/* The member childFolders, as $expand has it. */
static int write_children(struct call *c, const struct outlook_box *b, const struct mail_folder *f,
                          bool hidden, const struct odata_expand *expand)
{
    const size_t most = expand->query->top > 0 ? (size_t)expand->query->top : SIZE_MAX;
    struct mail_folder *list;
    size_t n;
    if (children_of(c, b, f->id, hidden, expand->query, &list, &n) < 0)
        return -1;
    json_arr(c->out, "childFolders");
    for (size_t i = 0; i < n && i < most; i++)
        if (outlook_write_folder(c, NULL, b, &list[i]) < 0)
            return -1;
    json_end(c->out);
    return 0;
}

static int write_listed(struct call *c, const struct outlook_box *b, const struct mail_folder *f,
                        bool hidden, const struct odata_expand *expand)
{
    json_obj(c->out, NULL);
    if (outlook_write_folder_members(c, b, f, false) < 0 ||
        (expand && write_children(c, b, f, hidden, expand) < 0))
        return -1;
    json_end(c->out);
    return 0;
}

/* One folder as the answer; at: behind the user, "mailFolders". */
static int answer_folder(struct call *c, const struct outlook_box *b, const struct mail_folder *f,
                         const struct odata_query *q, const char *at)
{
    if (q && outlook_select(c, q, false) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s%s/$entity", outlook_root(c, b), at,
                  q ? odata_context(c->tx.arena, q) : "");
    int r = outlook_write_folder_members(c, b, f, false);
    if (r == 0 && q && odata_expands(q, "childFolders"))
        r = write_children(c, b, f, shows_hidden(c), odata_expands(q, "childFolders"));
    json_end(c->out);
    return r;
}

static int answer_list(struct call *c, const struct outlook_box *b, int64_t parent, const char *at)
{
    struct odata_query q;
    struct mail_folder *list;
    size_t n, from, page;
    bool hidden = shows_hidden(c);
    if (outlook_options(c, "mailFolder", &q) < 0 ||
        outlook_page(c, &q, OUTLOOK_PAGE, &from, &page) < 0 ||
        children_of(c, b, parent, hidden, &q, &list, &n) < 0 || outlook_select(c, &q, true) < 0)
        return -1;
    const struct odata_expand *expand = odata_expands(&q, "childFolders");
    json_obj(c->out, NULL);
    graph_context(c, "%s/%s%s", outlook_root(c, b), at, odata_context(c->tx.arena, &q));
    if (q.count)
        json_int(c->out, "@odata.count", (int64_t)n);
    json_arr(c->out, "value");
    for (size_t i = from; i < n && i - from < page; i++)
        if (write_listed(c, b, &list[i], hidden, expand) < 0)
            return -1;
    json_end(c->out);
    if (from < n && n - from > page)
        json_str(c->out, "@odata.nextLink",
                 graph_next(c, "$skip", arena_printf(c->tx.arena, "%zu", from + page)));
    json_end(c->out);
    return 0;
}

static int folders_list(struct call *c)
{
    struct outlook_box b;
    return outlook_open(c, OUTLOOK_READ, &b) < 0 ? -1 : answer_list(c, &b, 0, "mailFolders");
}

/* How many folders are in one, hidden ones left out unless they are asked for. */
static int folders_count(struct call *c)
{
    struct outlook_box b;
    struct odata_query q;
    struct mail_folder f = {.id = 0}, *list;
    size_t n;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 || outlook_options(c, "mailFolder", &q) < 0 ||
        (param_str(c, "mailFolder-id") && outlook_folder_of_path(c, &b, &f) < 0) ||
        children_of(c, &b, f.id, shows_hidden(c), &q, &list, &n) < 0)
        return -1;
    buf_clear(c->body_out);
    buf_i64(c->body_out, (int64_t)n);
    call_header_const(c, "Content-Type", "text/plain");
    return 0;
}

static int children_list(struct call *c)
{
    struct outlook_box b;
    struct mail_folder f;
    return outlook_open(c, OUTLOOK_READ, &b) < 0 || outlook_folder_of_path(c, &b, &f) < 0
               ? -1
               : answer_list(c, &b, f.id, outlook_folder_at(c, "/childFolders"));
}

static int folders_get(struct call *c)
{
    struct odata_query q;
    struct outlook_box b;
    struct mail_folder f;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0 || outlook_options(c, "mailFolder", &q) < 0 ||
        outlook_folder_of_path(c, &b, &f) < 0)
        return -1;
    return answer_folder(c, &b, &f, &q, "mailFolders");
}

/* ---- changes ---- */

static int make_folder(struct call *c, const struct outlook_box *b, int64_t parent, const char *at)
{
    const struct json *body = call_body(c);
    if (!body)
        return -1;
    struct mail_folder f = {.mailbox = b->mailbox.id,
                            .name = json_get_str(body, "displayName"),
                            .kind = KIND_FOLDER,
                            .parent = parent,
                            .hidden = json_get_true(body, "isHidden")};
    if (!f.name || !*f.name)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidRequest", NULL,
                         "The folder's display name is required.");
    if (mail_folder_add(&c->tx, &f) < 0)
        return outlook_refused(c);
    if (outlook_search_folder_asked(body) && outlook_search_folder_set(c, b, &f, body, NULL) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/users('%s')/mailFolders('%s')", b->user.key,
                                  outlook_folder_text(c->tx.arena, b, f.id)));
    return answer_folder(c, b, &f, NULL, at);
}

static int folders_create(struct call *c)
{
    struct outlook_box b;
    return outlook_open(c, OUTLOOK_WRITE, &b) < 0 ? -1 : make_folder(c, &b, 0, "mailFolders");
}

static int children_create(struct call *c)
{
    struct outlook_box b;
    struct mail_folder f;
    return outlook_open(c, OUTLOOK_WRITE, &b) < 0 || outlook_folder_of_path(c, &b, &f) < 0 ||
                   outlook_folder_holds(c, &f) < 0
               ? -1
               : make_folder(c, &b, f.id, outlook_folder_at(c, "/childFolders"));
}

static int distinguished(struct call *c)
{
    return call_fail(c, SOSIA_E_FORBIDDEN, "ErrorDeleteDistinguishedFolder", NULL,
                     "Distinguished folders cannot be deleted.");
}

static int folders_update(struct call *c)
{
    struct outlook_box b;
    struct mail_folder old, f;
    const struct json *body;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 || outlook_folder_of_path(c, &b, &old) < 0 ||
        !(body = call_body(c)))
        return -1;
    f = old;
    if (json_get_str(body, "displayName"))
        f.name = json_get_str(body, "displayName");
    if (json_get(body, "isHidden"))
        f.hidden = json_get_true(body, "isHidden");
    if (mail_folder_is_fixed(old.id) && strcmp(f.name, old.name) != 0)
        return call_fail(c, SOSIA_E_FORBIDDEN, "ErrorAccessDenied", NULL,
                         "Access is denied. Check credentials and try again.");
    if (old.id && mail_folder_save(&c->tx, &old, &f, false) < 0)
        return outlook_refused(c);
    struct outlook_search_folder s;
    int r = outlook_search_folder_of(&c->tx, &f, &s);
    if (r < 0 || (r && outlook_search_folder_set(c, &b, &f, body, &s) < 0))
        return -1;
    return answer_folder(c, &b, &f, NULL, "mailFolders");
}

/* Is it in the trash, or in a folder that is? 1, 0, -1. */
static int in_trash(struct tx *tx, const struct mail_folder *f)
{
    int64_t id = f->parent;
    for (int depth = 0; id && depth < FOLDER_DEPTH_MAX; depth++) {
        struct mail_folder up;
        if (id == mail_folder_id(f->mailbox, FOLDER_TRASH))
            return 1;
        int r = mail_folder_get(tx, f->mailbox, id, &up);
        if (r != 1)
            return r;
        id = up.parent;
    }
    return 0;
}

/* A name that is free in a folder: "Plans", "Plans 1". */
static int free_name(struct tx *tx, struct mail_folder *f)
{
    const char *base = f->name;
    struct mail_folder other;
    int r = 1;
    for (int i = 1; i < FOLDERS_MAX; i++) {
        r = mail_folder_by_name(tx, f->mailbox, f->parent, f->name, &other);
        if (r != 1 || other.id == f->id)
            break;
        f->name = arena_printf(tx->arena, "%s %d", base, i);
    }
    return r < 0 ? -1 : 0;
}

static int take_away(struct call *c, bool for_good)
{
    struct outlook_box b;
    struct mail_folder old, f;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 || outlook_folder_of_path(c, &b, &old) < 0)
        return -1;
    if (!old.id || mail_folder_is_fixed(old.id))
        return distinguished(c);
    int trashed = in_trash(&c->tx, &old);
    if (trashed < 0)
        return -1;
    c->status = 204;
    if (for_good || trashed)
        return mail_folder_delete(&c->tx, &old) < 0 ? outlook_refused(c) : 0;
    f = old;
    f.parent = mail_folder_id(b.mailbox.id, FOLDER_TRASH);
    return free_name(&c->tx, &f) < 0 || mail_folder_save(&c->tx, &old, &f, false) < 0
               ? outlook_refused(c)
               : 0;
}

static int folders_delete(struct call *c)
{
    return take_away(c, false);
}

static int folders_permanent_delete(struct call *c)
{
    return take_away(c, true);
}

/* ---- moving and copying ---- */

static int folders_move(struct call *c)
{
    struct outlook_box b;
    struct mail_folder old, f, to;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 || outlook_folder_of_path(c, &b, &old) < 0 ||
        outlook_destination(c, &b, &to) < 0 || outlook_folder_holds(c, &to) < 0)
        return -1;
    if (!old.id || mail_folder_is_fixed(old.id))
        return call_fail(c, SOSIA_E_INVALID, "ErrorMoveDistinguishedFolder", NULL,
                         "Distinguished folders cannot be moved.");
    f = old;
    f.parent = to.id;
    if (mail_folder_save(&c->tx, &old, &f, false) < 0)
        return outlook_refused(c);
    return answer_folder(c, &b, &f, NULL, "mailFolders");
}

static int copy_messages(struct call *c, const struct outlook_box *b, int64_t from, int64_t to)
{
    struct mail_list list = {
        .mailbox = b->mailbox.id, .folders = &from, .n_folders = 1, .limit = OUTLOOK_MAX_PAGE};
    struct mail_message *found, copy;
    bool more = true;
    size_t n;
    while (more) {
        if (mail_list(&c->tx, &list, &found, &n, &more) < 0)
            return -1;
        for (size_t i = 0; i < n; i++)
            if (outlook_copy(&c->tx, b, &found[i], to, &copy) < 0)
                return -1;
        list.before = n ? found[n - 1].id : 0;
        more = more && n;
    }
    return 0;
}

/* The folder with all that is in it, at most so deep. */
static int copy_tree(struct call *c, const struct outlook_box *b, const struct mail_folder *from,
                     int64_t parent, int depth, struct mail_folder *ret)
{
    struct mail_folder *list, copy;
    size_t n;
    *ret = (struct mail_folder){.mailbox = from->mailbox,
                                .name = from->name,
                                .parent = parent,
                                .kind = KIND_FOLDER,
                                .hidden = from->hidden};
    if (depth > FOLDER_DEPTH_MAX || children_of(c, b, from->id, true, NULL, &list, &n) < 0 ||
        mail_folder_add(&c->tx, ret) < 0 || copy_messages(c, b, from->id, ret->id) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct outlook_search_folder s;
        int r = outlook_search_folder_of(&c->tx, &list[i], &s);
        if (r < 0 || (r == 0 && copy_tree(c, b, &list[i], ret->id, depth + 1, &copy) < 0))
            return -1;
    }
    return mail_folder_get(&c->tx, ret->mailbox, ret->id, ret) < 0 ? -1 : 0;
}

/* Is a folder the other one, or in it? 1, 0, -1. */
static int is_within(struct tx *tx, int64_t id, const struct mail_folder *f)
{
    for (int depth = 0; id && depth <= FOLDER_DEPTH_MAX; depth++) {
        struct mail_folder up;
        if (id == f->id)
            return 1;
        int r = mail_folder_get(tx, f->mailbox, id, &up);
        if (r != 1)
            return r;
        id = up.parent;
    }
    return 0;
}

static int folders_copy(struct call *c)
{
    struct outlook_box b;
    struct mail_folder f, to, copy;
    if (outlook_open(c, OUTLOOK_WRITE, &b) < 0 || outlook_folder_of_path(c, &b, &f) < 0 ||
        outlook_destination(c, &b, &to) < 0 || outlook_folder_holds(c, &to) < 0 ||
        outlook_folder_holds(c, &f) < 0)
        return -1;
    int r = f.id ? is_within(&c->tx, to.id, &f) : 1;
    if (r)
        return r < 0 ? -1
                     : call_fail(c, SOSIA_E_INVALID, "ErrorMoveCopyFailed", NULL,
                                 "The folder can't be copied there.");
    if (copy_tree(c, &b, &f, to.id, 0, &copy) < 0)
        return outlook_refused(c);
    return answer_folder(c, &b, &copy, NULL, "mailFolders");
}

/* ---- the methods ---- */

static const struct route routes[] = {
    {ROUTE("outlook.mailFolders.list", GET, GRAPH_MY("/mailFolders")),
     .response = "microsoft.graph.mailFolderCollection", .handler = folders_list, .risk = RISK_READ,
     .scopes = READ_BASIC SHARED, PARAMS(outlook_folder_list_params),
     .summary = "Lists the mail folders at the top"},
    {ROUTE("outlook.mailFolders.count", GET, GRAPH_MY("/mailFolders/$count"),
           FOLDER_PATHS("/childFolders/$count")),
     .handler = folders_count, .risk = RISK_READ, .gives = "text/plain",
     .scopes = READ_BASIC SHARED, PARAMS(outlook_folder_list_params),
     .summary = "How many mail folders there are at the top, or in a folder"},
    {ROUTE("outlook.mailFolders.create", POST, GRAPH_MY("/mailFolders")),
     .response = "microsoft.graph.mailFolder", .handler = folders_create, .risk = RISK_WRITE,
     .body = BODY_JSON, .scopes = WRITE SHARED_WRITE, PARAMS(outlook_user_params), .status = 201,
     .request = "microsoft.graph.mailFolder", .summary = "Makes a mail folder at the top"},
    {ROUTE("outlook.mailFolders.get", GET, FOLDER_PATHS("")),
     .response = "microsoft.graph.mailFolder", .handler = folders_get, .risk = RISK_READ,
     .scopes = READ_BASIC SHARED, PARAMS(outlook_get_folder_params), .summary = "A mail folder"},
    {ROUTE("outlook.mailFolders.update", PATCH, FOLDER_PATHS("")),
     .response = "microsoft.graph.mailFolder", .handler = folders_update, .risk = RISK_WRITE,
     .idempotent = true, .body = BODY_JSON, .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_folder_params), .request = "microsoft.graph.mailFolder",
     .summary = "Renames or hides a mail folder"},
    {ROUTE("outlook.mailFolders.delete", DELETE, FOLDER_PATHS("")), .handler = folders_delete,
     .risk = RISK_DESTRUCTIVE, .scopes = WRITE SHARED_WRITE, PARAMS(outlook_folder_params),
     .status = 204,
     .summary = "Puts a mail folder into Deleted Items; one that is there already goes"},
    {ROUTE("outlook.mailFolders.permanentDelete", POST, FOLDER_PATHS("/permanentDelete")),
     .handler = folders_permanent_delete, .risk = RISK_DESTRUCTIVE, .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_folder_params), .status = 204,
     .summary = "Deletes a mail folder for good, with all that is in it"},
    {ROUTE("outlook.mailFolders.childFolders.list", GET, FOLDER_PATHS("/childFolders")),
     .response = "microsoft.graph.mailFolderCollection", .handler = children_list,
     .risk = RISK_READ, .scopes = READ_BASIC SHARED, PARAMS(outlook_folder_list_params),
     .summary = "Lists the folders in a folder"},
    {ROUTE("outlook.mailFolders.childFolders.create", POST, FOLDER_PATHS("/childFolders")),
     .response = "microsoft.graph.mailFolder", .handler = children_create, .risk = RISK_WRITE,
     .body = BODY_JSON, .scopes = WRITE SHARED_WRITE, PARAMS(outlook_folder_params), .status = 201,
     .request = "microsoft.graph.mailFolder", .summary = "Makes a folder in a folder"},
    {ROUTE("outlook.mailFolders.move", POST, FOLDER_PATHS("/move")),
     .response = "microsoft.graph.mailFolder", .handler = folders_move, .risk = RISK_WRITE,
     .body = BODY_JSON, .request = "microsoft.graph.destination", .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_folder_params), .summary = "Moves a folder into another one"},
    {ROUTE("outlook.mailFolders.copy", POST, FOLDER_PATHS("/copy")),
     .response = "microsoft.graph.mailFolder", .handler = folders_copy, .risk = RISK_WRITE,
     .body = BODY_JSON, .request = "microsoft.graph.destination", .scopes = WRITE SHARED_WRITE,
     PARAMS(outlook_folder_params), .summary = "Copies a folder with all that is in it"},
};
const struct rows outlook_folder_rows = ROWS(routes);

/* SPDX-License-Identifier: Apache-2.0 */
/* The hosted tools of a drive, and the one of the archived reference server. Source of names,
 * arguments and shapes: their published code. Documents are read by exporting them. */
#include "mcp/sets/hosted/hosted.h"
#include <stdlib.h>

#define DOCUMENT   "application/vnd.google-apps.document"
#define MAX_PAGES  1000
#define MAX_READ   1000 /* documents */
#define MAX_NESTED 60   /* folders; a result has no more levels */

/* ---- questions ---- */

const char *set_quoted(struct arena *a, const char *text)
{
    char *quoted = arena_alloc(a, 2 * strlen(text) + 3), *to = quoted;
    if (arena_failed(a))
        return "";
    *to++ = '\'';
    for (; *text; text++) {
        if (*text == '\'' || *text == '\\')
            *to++ = '\\';
        *to++ = *text;
    }
    *to++ = '\'';
    *to = 0;
    return quoted;
}

static void add_words(struct arena *a, struct buf *b, const struct json *words, bool absent)
{
    for (uint32_t i = 0; words && i < words->n; i++) {
        const char *word = words->items[i].str;
        buf_puts(b, absent ? " and (not name contains " : " and (name contains ");
        buf_puts(b, set_quoted(a, word));
        buf_puts(b, absent ? " and not fullText contains " : " or fullText contains ");
        buf_puts(b, set_quoted(a, word));
        buf_byte(b, ')');
    }
}

static const struct json *question(struct set_run *r)
{
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_puts(&b, "(mimeType = '" DOCUMENT "' and trashed = false)");
    add_words(r->arena, &b, json_get(r->args, "document_contains"), false);
    add_words(r->arena, &b, json_get(r->args, "document_not_contains"), true);
    return set_text(r, &b);
}

/* What is searched: the own files, a shared drive, those of the organisation. */
static void put_corpus(struct set_run *r, struct value_object *o, const char *drive_arg)
{
    const struct json *drive = json_get(r->args, drive_arg);
    bool domain = value_holds(json_get(r->args, "include_organization_domain_documents"));
    if (value_holds(drive) || domain || value_holds(json_get(r->args, "include_shared_drives"))) {
        object_put(o, "includeItemsFromAllDrives", &value_true);
        object_put(o, "supportsAllDrives", &value_true);
    }
    if (value_holds(drive)) {
        object_put(o, "driveId", drive);
        object_put(o, "corpora", value_text(r->arena, "drive"));
    }
    if (domain)
        object_put(o, "corpora", value_text(r->arena, "domain"));
}

/* What has words comes by relevance: the service refuses another order for it. */
static void put_order(struct set_run *r, struct value_object *o)
{
    const struct json *order = template_ref(r, "order_by|join", NULL);
    if (!value_holds(json_get(r->args, "document_contains")) &&
        !value_holds(json_get(r->args, "document_not_contains")))
        object_put(o, "orderBy", order ? order : value_text(r->arena, "modifiedTime desc"));
}

/* Documents of all pages, up to the limit. */
static int search(struct set_run *r, struct value_list *ret)
{
    struct value_object o = {.arena = r->arena};
    const struct json *response, *token = json_get(r->args, "pagination_token");
    int64_t limit = 10;
    json_i64(json_get(r->args, "limit"), &limit);
    if (limit < 1)
        return set_refuse(r, "limit must be at least 1, not %lld", (long long)limit);
    object_put(&o, "q", question(r));
    object_put(&o, "pageSize", value_int(r->arena, limit < 10 ? limit : 10));
    object_put(&o, "fields", value_text(r->arena, "nextPageToken,files(id,name,mimeType)"));
    put_corpus(r, &o, "search_only_in_shared_drive_id");
    put_order(r, &o);
    for (int page = 0; page < MAX_PAGES && (int64_t)ret->n < limit; page++) {
        object_put(&o, "pageToken", value_holds(token) ? token : NULL);
        int rc = set_call(r, 0, object_value(&o), &response);
        if (rc <= 0)
            return rc;
        const struct json *files = json_get(response, "files");
        for (uint32_t i = 0; files && i < files->n && (int64_t)ret->n < limit; i++)
            list_add(ret, &files->items[i]);
        if (!value_holds(token = json_get(response, "nextPageToken")))
            break;
    }
    return 1;
}

static const struct json *documents(struct set_run *r, const struct value_list *l)
{
    struct value_object o = {.arena = r->arena};
    object_put(&o, "documents_count", value_int(r->arena, (int64_t)l->n));
    object_put(&o, "documents", list_value(l));
    return object_value(&o);
}

int hosted_search_documents(struct set_run *r, const struct json **ret)
{
    struct value_list found = {.arena = r->arena};
    int rc = search(r, &found);
    *ret = documents(r, &found);
    return rc;
}

/* ---- documents ---- */

/* {title, body, documentId}; step: of the export. title NULL: it is asked for, one step before. */
static int read_document(struct set_run *r, size_t step, const struct json *id,
                         const struct json *title, const struct json **ret)
{
    struct value_object o = {.arena = r->arena}, export = {.arena = r->arena},
                        get = {.arena = r->arena};
    const char *format = json_get_str(r->args, "return_format"), *body;
    const struct json *file;
    if (!title) {
        object_put(&get, "fileId", id);
        object_put(&get, "fields", value_text(r->arena, "name"));
        object_put(&get, "supportsAllDrives", &value_true);
        int rc = set_call(r, step - 1, object_value(&get), &file);
        if (rc <= 0)
            return rc;
        title = json_get(file, "name");
    }
    bool html = format && strcmp(format, "html") == 0;
    object_put(&export, "fileId", id);
    object_put(&export, "mimeType", value_text(r->arena, html ? "text/html" : "text/markdown"));
    int rc = set_call_text(r, step, object_value(&export), &body);
    object_put(&o, "title", title);
    object_put(&o, "body", value_text(r->arena, body));
    object_put(&o, "documentId", id);
    *ret = object_value(&o);
    return rc;
}

int hosted_retrieve_documents(struct set_run *r, const struct json **ret)
{
    struct value_list found = {.arena = r->arena}, read = {.arena = r->arena};
    int rc = search(r, &found);
    if (rc > 0 && found.n > MAX_READ)
        return set_refuse(r, "limit must be at most %d where there are so many, not %s", MAX_READ,
                          value_words(r->arena, json_get(r->args, "limit")));
    for (size_t i = 0; rc > 0 && i < found.n; i++) {
        const struct json *document, *file = &found.items[i];
        rc = read_document(r, 1, json_get(file, "id"), json_get(file, "name"), &document);
        if (rc > 0)
            list_add(&read, document);
    }
    *ret = documents(r, &read);
    return rc;
}

int hosted_get_document(struct set_run *r, const struct json **ret)
{
    return read_document(r, 1, json_get(r->args, "document_id"), NULL, ret);
}

/* ---- the tree ---- */

struct node {
    const struct json *file;
    struct node *first, *last, *next; /* children, and the next one of the parent's */
    const char *parent, *drive;       /* drive NULL: the user's own */
    bool placed;
};

struct file_tree {
    struct set_run *r;
    struct node *nodes;
    size_t n, cap;
    struct map by_id;
};

static const struct json *owners_of(struct set_run *r, const struct json *file)
{
    const struct json *list = json_get(file, "owners");
    struct value_list l = {.arena = r->arena};
    for (uint32_t i = 0; list && i < list->n; i++) {
        struct value_object o = {.arena = r->arena};
        const struct json *name = json_get(&list->items[i], "displayName");
        object_put(&o, "name", name ? name : value_text(r->arena, ""));
        object_put(&o, "email", json_get(&list->items[i], "emailAddress"));
        list_add(&l, object_value(&o));
    }
    return l.n ? list_value(&l) : NULL;
}

/* Every file is the child of one, and nothing is its own ancestor: the walk ends. */
static const struct json *write_node(struct file_tree *t, const struct node *n, int depth)
{
    static const char *const members[] = {"id", "name", "mimeType", "createdTime", "modifiedTime"};
    struct value_object o = {.arena = t->r->arena}, size = {.arena = t->r->arena};
    struct value_list children = {.arena = t->r->arena};
    for (size_t i = 0; i < SOSIA_LEN(members); i++)
        object_put(&o, members[i], json_get(n->file, members[i]));
    const char *bytes = json_get_str(n->file, "size");
    if (bytes) {
        object_put(&size, "value", value_int(t->r->arena, strtoll(bytes, NULL, 10)));
        object_put(&size, "unit", value_text(t->r->arena, "bytes"));
        object_put(&o, "size", object_value(&size));
    }
    object_put(&o, "owners", owners_of(t->r, n->file));
    for (const struct node *c = n->first; c && depth < MAX_NESTED; c = c->next)
        list_add(&children, write_node(t, c, depth + 1));
    if (children.n)
        object_put(&o, "children", list_value(&children));
    return object_value(&o);
}

static int list_files(struct file_tree *t)
{
    struct set_run *r = t->r;
    struct value_object o = {.arena = r->arena};
    const struct json *response, *token = NULL;
    object_put(&o, "q", value_text(r->arena, "trashed = false"));
    object_put(&o, "corpora", value_text(r->arena, "user"));
    object_put(&o, "fields",
               value_text(r->arena, "nextPageToken,files(id,name,parents,mimeType,driveId,size,"
                                    "createdTime,modifiedTime,owners)"));
    object_put(&o, "pageSize", template_ref(r, "limit|most:1000", NULL));
    put_corpus(r, &o, "restrict_to_shared_drive_id");
    put_order(r, &o);
    for (int page = 0; page < MAX_PAGES; page++) {
        object_put(&o, "pageToken", token);
        int rc = set_call(r, 0, object_value(&o), &response);
        if (rc <= 0)
            return rc;
        const struct json *files = json_get(response, "files");
        for (uint32_t i = 0; files && i < files->n; i++) {
            struct node *nodes = arena_grow(r->arena, t->nodes, t->n, &t->cap, sizeof *nodes);
            const struct json *parents = json_get(&files->items[i], "parents");
            if (!nodes)
                return -1;
            t->nodes = nodes;
            t->nodes[t->n++] =
                (struct node){.file = &files->items[i],
                              .parent = parents && parents->n ? parents->items[0].str : NULL,
                              .drive = json_get_str(&files->items[i], "driveId")};
        }
        token = json_get(response, "nextPageToken");
        if (!value_holds(token))
            break;
    }
    return 1;
}

/* Each file becomes the child of its folder, if that is there. */
static int put_in_folders(struct file_tree *t)
{
    for (size_t i = 0; i < t->n; i++) {
        const char *id = json_get_str(t->nodes[i].file, "id");
        if (id && map_set(&t->by_id, id, &t->nodes[i]) < 0)
            return -1;
    }
    for (size_t i = 0; i < t->n; i++) {
        struct node *n = &t->nodes[i], *parent = n->parent ? map_get(&t->by_id, n->parent) : NULL;
        if (!parent)
            continue;
        n->placed = true;
        if (parent->last)
            parent->last->next = n;
        else
            parent->first = n;
        parent->last = n;
    }
    return 1;
}

static bool same_drive(const struct node *a, const struct node *b)
{
    return !a->drive || !b->drive ? a->drive == b->drive : strcmp(a->drive, b->drive) == 0;
}

/* The drive of the node, with all that is at its top. 1, 0, -1. */
static int add_drive(struct file_tree *t, struct node *first, struct value_list *drives)
{
    struct set_run *r = t->r;
    struct value_object o = {.arena = r->arena}, get = {.arena = r->arena};
    struct value_list top = {.arena = r->arena};
    const struct json *drive;
    if (first->drive) {
        const struct json *id = value_text(r->arena, first->drive);
        object_put(&get, "driveId", id);
        int rc = set_call(r, 1, object_value(&get), &drive);
        if (rc < 0)
            return -1;
        object_put(&o, "name", rc ? json_get(drive, "name") : value_text(r->arena, "Shared drive"));
        object_put(&o, "id", id);
        r->why = NULL; /* who sees a file may not see its drive */
    } else {
        object_put(&o, "name", value_text(r->arena, "My Drive"));
    }
    for (struct node *n = first; n < t->nodes + t->n; n++)
        if (!n->placed && same_drive(n, first)) {
            n->placed = true;
            list_add(&top, write_node(t, n, 0));
        }
    object_put(&o, "children", list_value(&top));
    list_add(drives, object_value(&o));
    return 1;
}

int hosted_get_tree(struct set_run *r, const struct json **ret)
{
    struct file_tree t = {.r = r};
    struct value_list drives = {.arena = r->arena};
    struct value_object o = {.arena = r->arena};
    map_init(&t.by_id);
    int rc = list_files(&t);
    if (rc > 0)
        rc = put_in_folders(&t);
    for (size_t i = 0; rc > 0 && i < t.n; i++)
        if (!t.nodes[i].placed)
            rc = add_drive(&t, &t.nodes[i], &drives);
    map_done(&t.by_id);
    object_put(&o, "drives", list_value(&drives));
    *ret = object_value(&o);
    return rc;
}

/* ---- the archived reference server ---- */

/* Files by words in their text, as lines. */
int hosted_search_files(struct set_run *r, const struct json **ret)
{
    struct value_object o = {.arena = r->arena};
    const struct json *response;
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_puts(&b, "fullText contains ");
    buf_puts(&b, set_quoted(r->arena, json_get_str(r->args, "query")));
    object_put(&o, "q", set_text(r, &b));
    object_put(&o, "pageSize", value_int(r->arena, 10));
    object_put(&o, "fields", value_text(r->arena, "files(id,name,mimeType,modifiedTime,size)"));
    int rc = set_call(r, 0, object_value(&o), &response);
    const struct json *files = json_get(response, "files");
    buf_init(&b, 0);
    buf_printf(&b, "Found %u files:\n", files ? files->n : 0);
    for (uint32_t i = 0; files && i < files->n; i++)
        buf_printf(&b, "%s%s (%s)", i ? "\n" : "",
                   value_words(r->arena, json_get(&files->items[i], "name")),
                   value_words(r->arena, json_get(&files->items[i], "mimeType")));
    *ret = set_text(r, &b);
    return rc;
}

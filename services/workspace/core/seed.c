/* SPDX-License-Identifier: Apache-2.0 */
/* The section "workspace" of documents: nodes, of which missing directories are made. */
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/json/doc.h"
#include "engine/state/form.h"
#include "services/workspace/core/node.h"

/* A node as documents have it. */
struct file {
    const char *path, *path_bytes, *text, *base64, *link, *link_bytes, *mode;
    bool directory;
    int64_t modified_us, nanoseconds;
};

static const struct member file_members[] = {
    {"path", "Where it is, below " WORKSPACE_ROOT, TEXT_AT(struct file, path)},
    {"pathBytes", "The same in base64, of a path that is not UTF-8",
     TEXT_AT(struct file, path_bytes)},
    {"directory", "It is a directory", BOOL_AT(struct file, directory)},
    {"link", "It is a link, and leads there", TEXT_AT(struct file, link)},
    {"linkBytes", "The same in base64, of a target that is not UTF-8",
     TEXT_AT(struct file, link_bytes)},
    {"text", "Content of a file", TEXT_AT(struct file, text)},
    {"base64", "The same in base64, of a content that is not a text", TEXT_AT(struct file, base64)},
    {"mode", "Octal digits; without it 0644, 0755 of a directory, 0777 of a link",
     TEXT_AT(struct file, mode)},
    {"modified", "Without it the world's time", TIME_AT(struct file, modified_us),
     .usual = INT64_MIN},
    {"nanoseconds", "Of the time, behind its microseconds",
     INT_AT(struct file, nanoseconds, 0, 999)},
};
const struct form workspace_form = FORM("A file, a directory or a link", file_members);

bool workspace_is_text(const char *data, size_t n)
{
    return utf8_valid(data, n) && !memchr(data, 0, n);
}

/* ---- reading ---- */

struct reading {
    struct tx *tx;
    struct doc *d;
    const struct json *v;
    const struct file *file;
};

static int given_bytes(struct reading *r, const char *member, const char *text, const char *coded,
                       const char **ret, size_t *ret_len)
{
    uint8_t *data;
    *ret = text ? text : "";
    *ret_len = text ? json_get(r->v, member)->n : 0;
    if (!coded)
        return 0;
    if (base64_decode(r->tx->arena, coded, strlen(coded), &data, ret_len) < 0)
        return arena_failed(r->tx->arena) ? sosia_fail_memory(r->tx->err)
                                          : doc_refuse(r->d, r->v, member, "is not base64");
    *ret = arena_memdup(r->tx->arena, data, *ret_len);
    return 0;
}

static int too_long(struct reading *r, const char *member)
{
    return doc_refuse(r->d, r->v, member, "must have at most %lld bytes",
                      (long long)WORKSPACE_FILE);
}

/* The content of one file at a time is decoded: those of a document can be more than a transaction
 * has memory for. */
static int read_coded(struct reading *r, struct workspace_node *n)
{
    const struct json *v = json_get(r->v, "base64");
    struct arena own;
    uint8_t *data;
    size_t len;
    if (v->n / 4 > WORKSPACE_FILE / 3 + 1)
        return too_long(r, "base64");
    arena_init(&own, 0);
    int rc = base64_decode(&own, v->str, v->n, &data, &len);
    if (rc < 0)
        rc = arena_failed(&own) ? sosia_fail_memory(r->tx->err)
                                : doc_fail(r->d, v, "base64", "is not base64");
    else if (len > (size_t)WORKSPACE_FILE)
        rc = too_long(r, "base64");
    else {
        rc = workspace_set_content(
            r->tx, n, len > WORKSPACE_SMALL ? (char *)data : arena_memdup(r->tx->arena, data, len),
            len);
    }
    arena_done(&own);
    return rc;
}

static int read_path(struct reading *r, const char **ret)
{
    const struct file *f = r->file;
    const char *member = f->path ? "path" : "pathBytes", *text;
    size_t n;
    if (!f->path == !f->path_bytes)
        return doc_fail(r->d, r->v, NULL, "must have one of path, pathBytes");
    if (given_bytes(r, member, f->path, f->path_bytes, &text, &n) < 0)
        return -1;
    if (strcmp(text, WORKSPACE_ROOT) == 0)
        text = ".";
    *ret = strncmp(text, WORKSPACE_ROOT "/", sizeof WORKSPACE_ROOT) == 0
               ? text + sizeof WORKSPACE_ROOT
               : text;
    if (n != strlen(text) || !workspace_path_is_valid(*ret))
        return doc_refuse(r->d, r->v, member,
                          "must be a path below " WORKSPACE_ROOT
                          " without \"..\", with at most %d bytes, %d of a name, and %d parts",
                          WORKSPACE_PATH, WORKSPACE_NAME, WORKSPACE_DEPTH);
    return 0;
}

static int read_mode(struct reading *r, unsigned *ret)
{
    const char *text = r->file->mode;
    if (!text)
        return 0;
    size_t n = strspn(text, "01234567");
    *ret = 0;
    for (size_t i = 0; i < n; i++)
        *ret = (*ret * 8 + (unsigned)(text[i] - '0')) & 0xfff;
    return !n || n > 4 || text[n] || *ret > 0777
               ? doc_expect(r->d, json_get(r->v, "mode"), "mode", "octal digits up to \"0777\"")
               : 0;
}

/* The kind follows from the members. */
static int read_kind(struct reading *r, struct workspace_node *n)
{
    const struct file *f = r->file;
    int content = (f->text != NULL) + (f->base64 != NULL);
    int link = (f->link != NULL) + (f->link_bytes != NULL);
    if (content + link + f->directory > 1)
        return doc_fail(r->d, r->v, NULL,
                        "must have one of directory, link, linkBytes, text, base64");
    n->kind = f->directory ? NODE_DIRECTORY : link ? NODE_LINK : NODE_FILE;
    return 0;
}

static int read_content(struct reading *r, struct workspace_node *n)
{
    const struct file *f = r->file;
    if (n->kind == NODE_LINK) {
        const char *member = f->link ? "link" : "linkBytes";
        if (given_bytes(r, member, f->link, f->link_bytes, &n->target, &n->target_len) < 0)
            return -1;
        if (!n->target_len || n->target_len > WORKSPACE_PATH || strlen(n->target) != n->target_len)
            return doc_refuse(r->d, r->v, member, "must have 1 to %d bytes", WORKSPACE_PATH);
        return 0;
    }
    if (n->kind == NODE_DIRECTORY)
        return 0;
    if (f->base64)
        return read_coded(r, n);
    const size_t len = f->text ? json_get(r->v, "text")->n : 0;
    return len > (size_t)WORKSPACE_FILE ? too_long(r, "text")
                                        : workspace_set_content(r->tx, n, f->text, len);
}

int workspace_node_read(struct tx *tx, struct doc *d, const struct json *v,
                        struct workspace_node *n)
{
    struct file file;
    struct reading r = {tx, d, v, &file};
    *n = (struct workspace_node){.mtime_ns = 0};
    form_usual(&workspace_form, &file);
    if (form_read(&(struct form_in){tx, d, v, NULL}, &workspace_form, &file) < 0 ||
        read_path(&r, &n->path) < 0 || read_kind(&r, n) < 0)
        return -1;
    n->mode = workspace_mode(n->kind);
    if (read_mode(&r, &n->mode) < 0)
        return -1;
    int64_t us = file.modified_us == INT64_MIN ? tx->now_us : file.modified_us;
    if (us < 0 || us / 1000000 > WORKSPACE_YEARS)
        return doc_refuse(d, v, "modified", "must be from 1970 to 2242");
    n->mtime_ns = us * 1000 + file.nanoseconds;
    return read_content(&r, n);
}

static int seed_node(struct tx *tx, struct doc *d, const struct json *v)
{
    struct workspace_node n;
    if (workspace_node_read(tx, d, v, &n) < 0)
        return -1;
    if (workspace_mkdir(tx, workspace_parent(tx->arena, n.path)) < 0) {
        struct sosia_err why = *tx->err;
        if (n.blob)
            blob_unref(tx, n.blob);
        *tx->err = why;
    } else if (workspace_put(tx, &n) == 0) {
        return 0;
    }
    return d->err->line ? -1 : doc_fail(d, v, NULL, "%s", arena_strdup(d->arena, d->err->text));
}

int workspace_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    return seed_list(tx, d, v, "workspace", seed_node);
}

/* ---- writing ---- */

static const char *coded(struct tx *tx, const char *data, size_t n)
{
    struct buf b;
    buf_init(&b, 0);
    base64_add(&b, data, n);
    return buf_keep(&b, tx->arena);
}

/* A text where it is one. */
static void put_bytes(struct tx *tx, const char *data, size_t n, const char **text,
                      const char **bytes)
{
    if (workspace_is_text(data, n))
        *text = data;
    else
        *bytes = coded(tx, data, n);
}

int workspace_node_write(struct tx *tx, struct json_writer *w, const struct workspace_node *n,
                         const char *data, size_t len)
{
    struct file f;
    form_usual(&workspace_form, &f);
    put_bytes(tx, n->path, strlen(n->path), &f.path, &f.path_bytes);
    f.directory = n->kind == NODE_DIRECTORY;
    if (n->kind == NODE_LINK)
        put_bytes(tx, n->target, n->target_len, &f.link, &f.link_bytes);
    if (len && len <= WORKSPACE_TEXT)
        put_bytes(tx, data, len, &f.text, &f.base64);
    else if (len)
        f.base64 = coded(tx, data, len);
    if (n->mode != workspace_mode(n->kind))
        f.mode = arena_printf(tx->arena, "%04o", n->mode);
    f.modified_us = n->mtime_ns / 1000;
    f.nanoseconds = n->mtime_ns % 1000;
    return form_write(&(struct form_out){.tx = tx, .w = w}, &workspace_form, &f);
}

int workspace_node_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct workspace_node n;
    const char *data = NULL;
    size_t len = 0;
    int r = workspace_get(tx, rowid, &n);
    if (r != 1)
        return r;
    if (n.size && workspace_load(tx, &n, &data, &len) < 0)
        return -1;
    return workspace_node_write(tx, w, &n, data, len) < 0 ? -1 : 1;
}

int workspace_dump(struct tx *tx, struct json_writer *w)
{
    return dump_list(tx, w, "workspace", SECTION_IDS("select id from workspace_node order by path"),
                     workspace_node_dump);
}

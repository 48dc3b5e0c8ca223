/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Google Drive: the files that the account owns. The payload's files have no ids, so that a file
 * names its folder by the name of one of the same payload, or by the id of one that is there; a
 * dump names it by its name where that says which.
 */
#include "hosted/impl.h"
#include <strings.h>
#include <sys/random.h>

#define APPS        "application/vnd.google-apps."
#define CONTENT_MAX (1u << 20) /* bytes of a file that a dump shows */

/* The kinds of the service's own, and in which form their content is a text. */
static const struct kind {
    const char *mime, *type, *format, *export;
} kinds[] = {{APPS "folder", "folder", NULL, NULL},
             {APPS "document", "document", "text/plain", "text/plain"},
             {APPS "spreadsheet", "spreadsheet", NULL, "text/csv"},
             {APPS "presentation", "presentation", NULL, "text/plain"}};

static const struct kind *kind_of(const char *mime)
{
    for (size_t i = 0; mime && i < SOSIA_LEN(kinds); i++)
        if (strcmp(kinds[i].mime, mime) == 0)
            return &kinds[i];
    return NULL;
}

static bool is_folder(const char *mime)
{
    return str_same(mime, kinds[0].mime);
}

/* ---- payload to seed ---- */

/* In the shape that files have. */
static const char *make_id(struct hosted_call *c)
{
    uint8_t bytes[24];
    struct buf b;
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        sosia_fail(&c->err, SOSIA_E_IO, NULL, NULL, "there are no random numbers");
        return NULL;
    }
    buf_init(&b, 0);
    base64url_add(&b, bytes, sizeof bytes, false);
    const char *id = arena_printf(&c->arena, "1%s", buf_str(&b));
    buf_done(&b);
    return id;
}

/* Folders by their names. A name that several have leads to `doubled`. */
static const char doubled[] = "";

static int add_folder(struct hosted_call *c, struct map *names, const char *name, const char *id)
{
    const char *value = map_get(names, name) ? doubled : id;
    return map_set(names, name, (char *)(uintptr_t)value) < 0 ? sosia_fail_memory(&c->err) : 0;
}

/* The id of a file's folder; NULL: it is at the top, or a fault. */
static const char *parent_of(struct hosted_call *c, const struct place *at, const struct map *names,
                             const struct json *file)
{
    const struct json *parents;
    uint32_t k = items_of(file, "parents", &parents);
    const struct place list = {.outer = at, .name = "parents"};
    if (!k || strcmp(parents[0].str, "root") == 0)
        return NULL;
    if (k > 1) {
        fault_value(c, &list, json_get(file, "parents"),
                    "parents must name at most one folder, not %u", k);
        return NULL;
    }
    const char *id = map_get(names, parents[0].str);
    if (id == doubled)
        fault_value(c, &(struct place){.outer = &list}, &parents[0],
                    "parents must name one folder of the payload, not several with the name "
                    "\"%.80s\"",
                    parents[0].str);
    return id ? id : parents[0].str;
}

static void seed_file(struct hosted_call *c, const struct place *at, const struct json *f,
                      const char *id, const char *parent, int64_t created_us, struct json_writer *w)
{
    const char *mime = json_get_str(f, "mimeType"), *content = json_get_str(f, "content");
    const struct kind *kind = kind_of(mime);
    const struct place inner = {.outer = at, .name = "mimeType"};
    if (!kind && strncmp(mime, APPS, sizeof APPS - 1) == 0)
        fault_value(c, &inner, json_get(f, "mimeType"),
                    "mimeType must be a folder's, a document's, a spreadsheet's, a presentation's "
                    "or a file's, not \"%.80s\"",
                    mime);
    json_obj(w, NULL);
    json_str_opt(w, "id", id);
    json_str(w, "name", json_get_str(f, "name"));
    json_str(w, kind ? "type" : "mime", kind ? kind->type : mime);
    json_str(w, "owner", c->sandbox->person);
    json_str_opt(w, "parent", parent);
    json_time(w, "created", created_us, JSON_TIME_MS_Z);
    json_str_opt(w, "description", filled(f, "description"));
    if (!is_folder(mime) && (content || !kind))
        json_str(w, "content", content ? content : "");
    if (kind && content)
        json_str_opt(w, "format", kind->format);
    json_end(w);
}

static int seed_files(struct hosted_call *c, const struct json *files, uint32_t n,
                      struct map *names, struct json_writer *w)
{
    const struct place body = {.name = "body"}, list = {.outer = &body, .name = "files"};
    const char **ids = arena_calloc(&c->arena, n + 1, sizeof *ids);
    int64_t now;
    if (!ids)
        return sosia_fail_memory(&c->err);
    if (world_time(c, &now) < 0)
        return -1;
    now -= (int64_t)n * 1000;
    for (uint32_t i = 0; i < n; i++)
        if (is_folder(json_get_str(&files[i], "mimeType")) &&
            (!(ids[i] = make_id(c)) ||
             add_folder(c, names, json_get_str(&files[i], "name"), ids[i]) < 0))
            return -1;
    for (uint32_t i = 0; i < n; i++) {
        const struct place at = {.outer = &list, .item = i};
        seed_file(c, &at, &files[i], ids[i], parent_of(c, &at, names, &files[i]), now += 1000, w);
    }
    return 0;
}

int payload_to_drive(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    const struct json *files;
    struct map names;
    uint32_t n = items_of(data, "files", &files);
    map_init(&names);
    json_arr(w, "files");
    int rc = seed_files(c, files, n, &names, w);
    json_end(w);
    map_done(&names);
    count_made(c, "files", n);
    return rc;
}

/* ---- state to payload ---- */

static bool is_text(const char *mime)
{
    static const char *const texts[] = {"text/", "application/json", "application/xml"};
    return mime && str_starts_in_nocase(mime, texts, SOSIA_LEN(texts));
}

/* NULL: it has none that is a text. */
static int content_of(struct hosted_call *c, const struct json *f, const char **ret)
{
    const char *mime = json_get_str(f, "mimeType"), *id = json_get_str(f, "id"), *text = NULL;
    const struct kind *kind = kind_of(mime);
    size_t len = 0;
    *ret = NULL;
    if (kind ? !kind->export : !is_text(mime))
        return 0;
    const char *target =
        kind ? arena_printf(&c->arena, "/drive/v3/files/%s/export?mimeType=%s", id, kind->export)
             : arena_printf(&c->arena, "/drive/v3/files/%s?alt=media", id);
    if (world_text(c, target, CONTENT_MAX, &text, &len) < 0)
        return -1;
    char *copy = text ? arena_memdup(&c->arena, text, len) : NULL;
    if (!copy || memchr(copy, 0, len) || !make_utf8(copy, len))
        return 0;
    /* An export begins with the mark of its encoding, and its lines end as on the web. */
    if (kind) {
        copy = plain_lines(c, copy + (strncmp(copy, "\xef\xbb\xbf", 3) == 0 ? 3 : 0));
        size_t n = strlen(copy);
        if (strcmp(kind->type, "presentation") == 0 && n && copy[n - 1] == '\n')
            copy[n - 1] = 0; /* behind the last slide */
    }
    *ret = copy;
    return 0;
}

/* How a payload names a folder: by its name, where only one has it. */
struct folders {
    struct map by_id, by_name; /* names; ids, or `doubled` */
};

static const char *folder_name(const struct folders *f, const char *id)
{
    const char *name = map_get(&f->by_id, id);
    return name && map_get(&f->by_name, name) != doubled ? name : id;
}

static int dump_file(struct hosted_call *c, const struct folders *folders, const struct json *f,
                     const char *root, struct json_writer *w)
{
    const struct json *parents;
    const char *content;
    uint32_t k = items_of(f, "parents", &parents);
    if (content_of(c, f, &content) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "name", json_get_str(f, "name"));
    json_str(w, "mimeType", json_get_str(f, "mimeType"));
    json_str(w, "description", json_get_str(f, "description"));
    if (k && strcmp(parents[0].str, root) != 0) {
        json_arr(w, "parents");
        json_str(w, NULL, folder_name(folders, parents[0].str));
        json_end(w);
    } else {
        json_null(w, "parents");
    }
    json_str(w, "content", content);
    json_end(w);
    return 0;
}

static int dump_files(struct hosted_call *c, const struct json **files, size_t n, const char *root,
                      struct json_writer *w)
{
    struct folders f;
    int rc = 0;
    map_init(&f.by_id);
    map_init(&f.by_name);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        const char *id = json_get_str(files[i], "id"), *name = json_get_str(files[i], "name");
        if (!is_folder(json_get_str(files[i], "mimeType")))
            continue;
        rc = add_folder(c, &f.by_name, name, id);
        if (rc == 0 && map_set(&f.by_id, id, (char *)(uintptr_t)name) < 0)
            rc = sosia_fail_memory(&c->err);
    }
    json_arr(w, "files");
    for (size_t i = 0; rc == 0 && i < n; i++)
        rc = dump_file(c, &f, files[i], root, w);
    json_end(w);
    map_done(&f.by_id);
    map_done(&f.by_name);
    return rc;
}

int payload_of_drive(struct hosted_call *c, struct json_writer *w)
{
    static const char target[] =
        "/drive/v3/files?pageSize=1000&orderBy=createdTime&q=trashed%3Dfalse%20and%20%27me%27%20in%"
        "20owners&fields=nextPageToken,files(id,name,mimeType,description,parents)";
    const struct json **files = NULL, *v, *items;
    size_t n = 0, cap = 0;
    const char *page = NULL, *root;
    if (world_get(c, "/drive/v3/files/root?fields=id", &v) < 0)
        return -1;
    root = json_get_str(v, "id");
    do {
        if (world_get(c,
                      page ? arena_printf(&c->arena, "%s&pageToken=%s", target, escaped(c, page))
                           : target,
                      &v) < 0)
            return -1;
        uint32_t k = items_of(v, "files", &items);
        for (uint32_t i = 0; i < k; i++) {
            if (!(files = arena_grow(&c->arena, files, n, &cap, sizeof(*files))))
                return sosia_fail_memory(&c->err);
            files[n++] = &items[i];
        }
        page = json_get_str(v, "nextPageToken");
    } while (page);
    return dump_files(c, files, n, root, w);
}

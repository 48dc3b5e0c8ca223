/* SPDX-License-Identifier: Apache-2.0 */
/* OneDrive: the folders of the account's drive, one in the other, with files that are texts. */
#include "hosted/impl.h"
#include <sys/random.h>

#define CONTENT_MAX (1u << 20) /* bytes of a file that a dump shows */
#define NESTED_MAX  64         /* folders in each other */
#define NAME_MAX_   255        /* characters, as the service has it */

/* ---- payload to seed ---- */

struct seeding {
    struct hosted_call *c;
    struct json_writer *w;
    int64_t at_us, n_files, n_folders;
};

/* "01" and 32 digits of base 32, as the service's ids of items. NULL: c->err. */
static const char *make_id(struct hosted_call *c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    uint8_t bytes[32];
    char id[35] = "01";
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        sosia_fail(&c->err, SOSIA_E_IO, NULL, NULL, "there are no random numbers");
        return NULL;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        id[2 + i] = digits[bytes[i] & 31];
    id[34] = 0;
    return arena_strdup(&c->arena, id);
}

/* Names that the service refuses: they are a fault. */
static void check_name(struct hosted_call *c, const struct place *outer, const struct json *v)
{
    const struct place at = {.outer = outer, .name = "name"};
    const char *name = json_get_str(v, "name");
    size_t n = strlen(name), chars = 0;
    for (const char *p = name; *p; p++)
        chars += (*p & 0xc0) != 0x80;
    if (!n || chars > NAME_MAX_ || strpbrk(name, "\"*:<>?/\\|") || strcmp(name, ".") == 0 ||
        strcmp(name, "..") == 0 || name[0] == ' ' || name[n - 1] == ' ' || name[n - 1] == '.')
        fault_value(c, &at, json_get(v, "name"),
                    "name must be one that a drive takes, not \"%.80s\"", name);
}

static void begin_item(struct seeding *s, const struct json *v, const char *id, const char *parent)
{
    struct json_writer *w = s->w;
    json_obj(w, NULL);
    json_str_opt(w, "id", id);
    json_str(w, "name", json_get_str(v, "name"));
    json_str_opt(w, "type", id ? "folder" : NULL);
    json_str(w, "owner", s->c->sandbox->person);
    json_str(w, "vendor", "microsoft");
    json_str_opt(w, "parent", parent);
    json_time(w, "created", s->at_us += 1000, JSON_TIME_MS_Z);
}

static void seed_file(struct seeding *s, const struct place *at, const struct json *f,
                      const char *parent)
{
    const char *content = json_get_str(f, "content");
    check_name(s->c, at, f);
    begin_item(s, f, NULL, parent);
    json_str(s->w, "content", content ? content : "");
    json_end(s->w);
    s->n_files++;
}

/* What is in a folder; parent NULL: in the root. */
static int seed_inside(struct seeding *s, const struct place *outer, const struct json *folder,
                       const char *parent, int depth)
{
    const struct place folders_at = {.outer = outer, .name = "folders"},
                       files_at = {.outer = outer, .name = "files"};
    const struct json *list;
    uint32_t n = items_of(folder, "folders", &list);
    if (n && depth == NESTED_MAX) {
        fault_value(s->c, &folders_at, NULL, "folders must be at most %d deep", NESTED_MAX);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct place at = {.outer = &folders_at, .item = i};
        const char *id = make_id(s->c);
        if (!id)
            return -1;
        check_name(s->c, &at, &list[i]);
        begin_item(s, &list[i], id, parent);
        json_end(s->w);
        s->n_folders++;
        if (seed_inside(s, &at, &list[i], id, depth + 1) < 0)
            return -1;
    }
    n = items_of(folder, "files", &list);
    for (uint32_t i = 0; i < n; i++)
        seed_file(s, &(struct place){.outer = &files_at, .item = i}, &list[i], parent);
    return 0;
}

int payload_to_onedrive(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    const struct place body = {.name = "body"}, list = {.outer = &body, .name = "root"};
    struct seeding s = {.c = c, .w = w};
    const struct json *roots;
    uint32_t n = items_of(data, "root", &roots);
    if (!n) {
        fault_value(c, &list, json_get(data, "root"), "root must have a folder");
        return 0;
    }
    if (world_time(c, &s.at_us) < 0)
        return -1;
    s.at_us -= US_PER_SECOND;
    json_arr(w, "files");
    int rc = 0;
    for (uint32_t i = 0; rc == 0 && i < n; i++) /* all of them are the drive's one root */
        rc = seed_inside(&s, &(struct place){.outer = &list, .item = i}, &roots[i], NULL, 0);
    json_end(w);
    count_made(c, "folders", s.n_folders);
    count_made(c, "files", s.n_files);
    return rc;
}

/* ---- state to payload ---- */

/* NULL: it is no text. By the address that needs no token. */
static int content_of(struct hosted_call *c, const struct json *item, const char **ret)
{
    const char *url = json_get_str(item, "@microsoft.graph.downloadUrl"), *text = NULL;
    const char *host = url ? strstr(url, "://") : NULL;
    size_t len = 0;
    *ret = NULL;
    if (!host || json_get_int(item, "size", 0) > CONTENT_MAX)
        return 0;
    if (world_text(c, arena_printf(&c->arena, "/@%s", host + 3), CONTENT_MAX, &text, &len) < 0)
        return -1;
    char *copy = text ? arena_memdup(&c->arena, text, len) : NULL;
    if (copy && !memchr(copy, 0, len) && make_utf8(copy, len))
        *ret = copy;
    return 0;
}

static int list_inside(struct hosted_call *c, const char *id, struct listed *ret)
{
    return world_pages(c, arena_printf(&c->arena, "/v1.0/me/drive/items/%s/children?$top=999", id),
                       ret);
}

static int dump_folder(struct hosted_call *c, struct json_writer *w, const char *id,
                       const char *name, int depth)
{
    struct listed inside;
    const char *content;
    if (list_inside(c, id, &inside) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "id", id);
    json_str(w, "name", name);
    json_arr(w, "folders");
    for (size_t i = 0; i < inside.n && depth < NESTED_MAX; i++)
        if (json_get(inside.items[i], "folder") &&
            dump_folder(c, w, json_get_str(inside.items[i], "id"),
                        json_get_str(inside.items[i], "name"), depth + 1) < 0)
            return -1;
    json_end(w);
    json_arr(w, "files");
    for (size_t i = 0; i < inside.n; i++) {
        if (!json_get(inside.items[i], "file"))
            continue;
        if (content_of(c, inside.items[i], &content) < 0)
            return -1;
        json_obj(w, NULL);
        json_str(w, "id", json_get_str(inside.items[i], "id"));
        json_str(w, "name", json_get_str(inside.items[i], "name"));
        json_str(w, "content", content);
        json_end(w);
    }
    json_end(w);
    json_end(w);
    return 0;
}

int payload_of_onedrive(struct hosted_call *c, struct json_writer *w)
{
    const struct json *root;
    if (world_get(c, "/v1.0/me/drive/root", &root) < 0)
        return -1;
    json_arr(w, "root");
    int rc = dump_folder(c, w, json_get_str(root, "id"), "root", 0);
    json_end(w);
    return rc;
}

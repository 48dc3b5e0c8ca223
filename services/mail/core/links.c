/* SPDX-License-Identifier: Apache-2.0 */
/* Links to files in messages. A link is resolved when a copy is stored, for its owner: a file
 * that they can't see then is left out. */
#include "services/mail/core/mail_impl.h"
#include <ctype.h>
#include <strings.h>

enum { LINKS_MAX = 100, ID_MAX = 128, HOST_LEN = 16 };

static bool ends_link(char c)
{
    return (unsigned char)c <= ' ' || strchr("\"'<>()[]{}\\^`|", c);
}

static size_t id_length(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && (isalnum((unsigned char)p[n]) || p[n] == '-' || p[n] == '_'))
        n++;
    return n;
}

/* The id in a path such as /file/d/ID/view, /drive/folders/ID, /open?id=ID; NULL: there is none. */
static const char *id_of_path(const char *path, const char *end, size_t *ret_n)
{
    static const char *const before[] = {"/d/", "/folders/", "?id=", "&id=", ";id="};
    for (size_t i = 0; i < SOSIA_LEN(before); i++) {
        size_t n = strlen(before[i]);
        const char *at = memmem(path, (size_t)(end - path), before[i], n);
        if (!at)
            continue;
        *ret_n = id_length(at + n, end);
        if (*ret_n && *ret_n <= ID_MAX)
            return at + n;
    }
    return NULL;
}

static int add_link(struct tx *tx, const char *id, size_t n, const char **list, size_t *ret_n)
{
    for (size_t i = 0; i < *ret_n; i++)
        if (strlen(list[i]) == n && memcmp(list[i], id, n) == 0)
            return 0;
    list[(*ret_n)++] = arena_memdup(tx->arena, id, n);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

static int add_links(struct tx *tx, const char *text, size_t len, const char **list, size_t *ret_n)
{
    const char *p = text, *end = text + len;
    while (*ret_n < LINKS_MAX && p < end && (p = memmem(p, (size_t)(end - p), "://", 3))) {
        size_t n;
        p += 3;
        if ((size_t)(end - p) <= HOST_LEN || (strncasecmp(p, "drive.google.com", HOST_LEN) != 0 &&
                                              strncasecmp(p, "docs.google.com/", HOST_LEN) != 0))
            continue;
        const char *to = p;
        while (to < end && to - p < 2048 && !ends_link(*to))
            to++;
        const char *id = id_of_path(p, to, &n);
        if (id && add_link(tx, id, n, list, ret_n) < 0)
            return -1;
        p = to;
    }
    return 0;
}

int mail_links(struct tx *tx, const struct search_doc *doc, const char ***ret, size_t *ret_n)
{
    const char *list[LINKS_MAX];
    *ret_n = 0;
    if ((doc->body && add_links(tx, doc->body, doc->body_len, list, ret_n) < 0) ||
        (doc->html && add_links(tx, doc->html, doc->html_len, list, ret_n) < 0))
        return -1;
    *ret = NULL;
    if (*ret_n)
        *ret = (const char **)(void *)arena_memdup(tx->arena, (const char *)list,
                                                   *ret_n * sizeof *list);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

static uint32_t has_file(const struct file_ref *file)
{
    static const struct {
        const char *type;
        uint32_t has;
    } kinds[] = {{"document", HAS_DOCUMENT},
                 {"spreadsheet", HAS_SPREADSHEET},
                 {"presentation", HAS_PRESENTATION}};
    for (size_t i = 0; i < SOSIA_LEN(kinds); i++)
        if (strcmp(file->type, kinds[i].type) == 0)
            return HAS_DRIVE | kinds[i].has;
    return HAS_DRIVE;
}

int mail_links_seen(struct tx *tx, int64_t actor, const struct mail_letter_text *text,
                    uint32_t *ret)
{
    struct actor who;
    *ret = 0;
    if (!text->n_links)
        return 0;
    int r = actor_by_id(tx, actor, &who);
    for (size_t i = 0; r == 1 && i < text->n_links; i++) {
        struct file_ref file;
        int found = file_find(tx, &who, text->links[i], &file);
        if (found < 0)
            return -1;
        if (found)
            *ret |= has_file(&file);
    }
    return r < 0 ? -1 : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Links in messages, which vendors know, and events that they are about. A link to a file is
 * resolved when a copy is stored, for its owner: a file that they can't see then is left out. */
#include "services/mail/core/mail_impl.h"
#include <ctype.h>
#include <strings.h>

enum { LINKS_MAX = 100, URL_MAX = 2048, HOST_MAX = 256, ID_MAX = 128, VENDORS_MAX = 8 };

static bool ends_link(char c)
{
    static const bool ends[256] = {
        ['"'] = true,  ['\''] = true, ['<'] = true, ['>'] = true, ['('] = true,
        [')'] = true,  ['['] = true,  [']'] = true, ['{'] = true, ['}'] = true,
        ['\\'] = true, ['^'] = true,  ['`'] = true, ['|'] = true};
    return (unsigned char)c <= ' ' || ends[(unsigned char)c];
}

/* The vendors that know links. */
struct knowing {
    const struct mail_vendor *list[VENDORS_MAX];
    size_t n;
};

static struct knowing find_knowing(const struct tx *tx)
{
    struct knowing all = {.n = 0};
    const struct mail_vendor *v;
    for (size_t i = 0; all.n < VENDORS_MAX && (v = mail_vendor_nth(tx, i)); i++)
        if (v->link)
            all.list[all.n++] = v;
    return all;
}

/* What some vendor knows of a link, from its host on; the id of a file. */
static enum mail_link look_at(const struct knowing *all, const char *host, const char *end,
                              const char **ret_id, size_t *ret_n)
{
    enum mail_link is = LINK_OTHER;
    for (size_t i = 0; i < all->n && is == LINK_OTHER; i++)
        is = all->list[i]->link(host, end, ret_id, ret_n);
    return is;
}

static int add_link(struct tx *tx, const char *id, size_t n, const char **list, size_t *ret_n)
{
    for (size_t i = 0; i < *ret_n; i++)
        if (strlen(list[i]) == n && memcmp(list[i], id, n) == 0)
            return 0;
    list[(*ret_n)++] = arena_memdup(tx->arena, id, n);
    return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : 0;
}

/* The links of a text: ids of files are added to the list as long as it has room. */
static int add_links(struct tx *tx, const struct knowing *all, const char *text, size_t len,
                     struct mail_links *ret)
{
    const char *p = text, *end = text + len, *past = text; /* a file's link has no other in it */
    const char *to = text;
    while (p < end && (p = memmem(p, (size_t)(end - p), "://", 3))) {
        const char *id = NULL;
        size_t n = 0;
        p += 3;
        if (to < p)
            to = p;
        while (to < end && to - p < URL_MAX && !ends_link(*to)) /* behind what was looked at */
            to++;
        const char *until = p < past && to - p > HOST_MAX ? p + HOST_MAX : to;
        enum mail_link is = look_at(all, p, until, &id, &n);
        if (is == LINK_VIDEO)
            ret->has |= HAS_VIDEO;
        if (is != LINK_FILE || p < past)
            continue;
        past = to;
        if (ret->n < LINKS_MAX && n && n <= ID_MAX && add_link(tx, id, n, ret->ids, &ret->n) < 0)
            return -1;
    }
    return 0;
}

int mail_links(struct tx *tx, const struct search_doc *doc, struct mail_links *ret)
{
    const char *list[LINKS_MAX];
    const struct knowing all = find_knowing(tx);
    *ret = (struct mail_links){.ids = list};
    if ((doc->body && add_links(tx, &all, doc->body, doc->body_len, ret) < 0) ||
        (doc->html && add_links(tx, &all, doc->html, doc->html_len, ret) < 0))
        return -1;
    ret->ids = ret->n ? (const char **)(void *)arena_memdup(tx->arena, (const char *)list,
                                                            ret->n * sizeof *list)
                      : NULL;
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
    if (!text->links.n)
        return 0;
    int r = actor_by_id(tx, actor, &who);
    for (size_t i = 0; r == 1 && i < text->links.n; i++) {
        struct file_ref file;
        int found = file_find(tx, &who, text->links.ids[i], &file);
        if (found < 0)
            return -1;
        if (found)
            *ret |= has_file(&file);
    }
    return r < 0 ? -1 : 0;
}

/* ---- invitations ---- */

#define CALENDAR_MOST (256 * 1024) /* bytes of a calendar object that is looked into */

int mail_message_event_uid(struct tx *tx, const struct mail_message_body *b, const char **ret)
{
    *ret = NULL;
    for (int i = 0; i < b->mime.n; i++) {
        const char *text, *p, *end;
        size_t n;
        if (strcmp(b->mime.parts[i].type, "text/calendar") != 0 ||
            b->mime.parts[i].size > CALENDAR_MOST)
            continue;
        if (mail_message_part_text(tx, b, i, &text, &n) < 0)
            return -1;
        for (p = text, end = text + n; p && p < end;
             p = memchr(p, '\n', (size_t)(end - p)), p += p != NULL) {
            struct buf uid;
            if ((size_t)(end - p) < 4 || strncmp(p, "UID:", 4) != 0)
                continue;
            buf_init(&uid, 0);
            for (p += 4; p < end && *p; p++) {
                if (*p == '\n' && (p + 1 == end || p[1] != ' '))
                    break;
                if (*p == '\n')
                    p++; /* folded */
                else if (*p != '\r')
                    buf_byte(&uid, *p);
            }
            *ret = buf_keep(&uid, tx->arena);
            return 0;
        }
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The mailbox that the tools for a person's mail work on: its folders under other names, and the
 * numbers that messages have in them. */
#include "engine/base/utf8.h"
#include "mcp/servers/email/email.h"
#include <ctype.h>
#include <strings.h>

#define FOLDER_NAME 255 /* characters */

/* ---- results and refusals ---- */

int email_say(struct call *c, struct buf *b)
{
    int r = buf_failed(b) ? tx_fail(&c->tx, SOSIA_E_TOO_LARGE, "tooLarge", NULL,
                                    "the result must have at most 1 GiB")
                          : 0;
    if (r == 0) {
        struct buf text;
        buf_init(&text, 0);
        server_put_text(&text, buf_str(b), b->len);
        json_obj(c->out, NULL);
        json_arr(c->out, "content");
        tool_text(c->out, buf_str(&text), text.len);
        json_end(c->out);
        json_obj(c->out, "structuredContent");
        json_strn(c->out, "result", buf_str(&text), text.len);
        json_end(c->out);
        json_end(c->out);
        if (buf_failed(&text))
            r = sosia_fail_memory(c->tx.err);
        buf_done(&text);
    }
    buf_done(b);
    return r;
}

int email_text(struct call *c, const char *fmt, ...)
{
    struct buf b;
    va_list ap;
    va_start(ap, fmt);
    const char *text = arena_vprintf(c->tx.arena, fmt, ap);
    va_end(ap);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    buf_init(&b, 0);
    buf_puts(&b, text);
    return email_say(c, &b);
}

int email_refuse(struct call *c, enum sosia_code code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    c->vendor_data = arena_vprintf(c->tx.arena, fmt, ap);
    va_end(ap);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    c->tx.err->code = code;
    return -1;
}

static const char *reason_of(struct call *c)
{
    return c->vendor_data ? c->vendor_data : c->tx.err->text;
}

int email_within(struct call *c, const char *words)
{
    if (arena_failed(c->tx.arena))
        return -1;
    const char *why = arena_printf(c->tx.arena, "%s: %s", words, reason_of(c));
    return email_refuse(c, c->tx.err->code, "%s", why);
}

int email_end(struct call *c, const char *doing, int r)
{
    enum sosia_code code = c->tx.err->code;
    if (r >= 0 || code == SOSIA_E_NO_MEMORY || code == SOSIA_E_INTERNAL || code == SOSIA_E_IO ||
        arena_failed(c->tx.arena))
        return r < 0 ? -1 : 0;
    char *why = arena_printf(c->tx.arena, "Error %s: %s", doing, reason_of(c));
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    utf8_scrub(why);
    c->vendor_data = why;
    return call_fail(c, code ? code : SOSIA_E_INVALID, SERVER_SAID, NULL, "%.200s", why);
}

const char *email_arg(struct call *c, const char *name)
{
    const char *text = json_get_str(server_arguments(c), name);
    return text && *text ? text : NULL;
}

int64_t email_number(struct call *c, const char *name, int64_t usual)
{
    int64_t n;
    const struct json *v = json_get(server_arguments(c), name);
    return v && json_i64(v, &n) == 0 ? n : usual;
}

/* ---- the mailbox ---- */

int email_open(struct call *c, struct email_box *ret)
{
    int r = mailbox_of(&c->tx, c->actor.id, &ret->mailbox);
    if (r == 0)
        return email_refuse(c, SOSIA_E_INVALID, "IMAP login failed: %s has no mailbox",
                            c->actor.email ? c->actor.email : "the caller");
    if (r < 0)
        return -1;
    ret->vendor = mail_vendor_of(&c->tx, ret->mailbox.id);
    return ret->vendor ? 0 : -1;
}

/* ---- folders ---- */

/* Folders that each mailbox has, under the original's names, in the order of its list. */
static const struct {
    enum mail_place place;
    const char *name;
} fixed[] = {{FOLDER_INBOX, "INBOX"}, {FOLDER_SENT, "Sent"}, {FOLDER_DRAFTS, "Drafts"},
             {FOLDER_TRASH, "Trash"}, {FOLDER_JUNK, "Spam"}, {FOLDER_ARCHIVE, "Archive"}};

static bool is_shown(const struct mail_folder *f)
{
    return !mail_folder_is_fixed(f->id) && f->kind != KIND_KEYWORD;
}

static const struct mail_folder *folder_by_id(const struct mail_folder *list, size_t n, int64_t id)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].id == id)
            return &list[i];
    return NULL;
}

/* The name with those of the folders that it is in. */
static const char *name_of(struct arena *a, const struct mail_folder *list, size_t n,
                           const struct mail_folder *f)
{
    const char *name = f->name;
    const struct mail_folder *up = f;
    for (int depth = 0; up->parent && depth < FOLDER_DEPTH_MAX; depth++) {
        up = folder_by_id(list, n, up->parent);
        if (!up)
            break;
        const char *outer = up->name;
        for (size_t i = 0; i < SOSIA_LEN(fixed); i++)
            if (mail_folder_place(up->id) == fixed[i].place)
                outer = fixed[i].name;
        name = arena_printf(a, "%s/%s", outer, name);
    }
    return name;
}

int email_folders(struct call *c, const struct email_box *b, struct email_folder **ret,
                  size_t *ret_n)
{
    struct mail_folder *list;
    size_t n, k = 0;
    if (mail_folder_list(&c->tx, b->mailbox.id, &list, &n) < 0)
        return -1;
    struct email_folder *out = arena_calloc(c->tx.arena, n + SOSIA_LEN(fixed), sizeof *out);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < SOSIA_LEN(fixed); i++) {
        const struct mail_folder *f =
            folder_by_id(list, n, mail_folder_id(b->mailbox.id, fixed[i].place));
        if (f)
            out[k++] = (struct email_folder){f->id, fixed[i].name, f->messages, f->unread};
    }
    for (size_t i = 0; i < n; i++)
        if (is_shown(&list[i]))
            out[k++] = (struct email_folder){list[i].id, name_of(c->tx.arena, list, n, &list[i]),
                                             list[i].messages, list[i].unread};
    *ret = out;
    *ret_n = k;
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

/* Whether a name in any case, or the vendor's, is the folder's. */
static bool is_called(const struct email_box *b, const struct email_folder *f, const char *name)
{
    const char *word = mail_folder_is_fixed(f->id)
                           ? mail_vendor_word(b->vendor, (int)mail_folder_place(f->id))
                           : NULL;
    return strcasecmp(f->name, name) == 0 || (word && strcasecmp(word, name) == 0);
}

int email_folder(struct call *c, const struct email_box *b, const char *name,
                 struct email_folder *ret)
{
    struct email_folder *list;
    size_t n;
    if (email_folders(c, b, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0) {
            *ret = list[i];
            return 1;
        }
    for (size_t i = 0; i < n; i++)
        if (is_called(b, &list[i], name)) {
            *ret = list[i];
            return 1;
        }
    return 0;
}

int email_folder_of(struct call *c, const struct email_box *b, const char *argument,
                    struct email_folder *ret)
{
    const char *name = argument ? email_arg(c, argument) : NULL;
    if (!name)
        name = fixed[0].name;
    int r = email_folder(c, b, name, ret);
    return r ? r < 0 ? -1 : 0
             : email_refuse(c, SOSIA_E_NOT_FOUND,
                            "Error selecting folder '%s': Failed to select folder '%s': NO", name,
                            name);
}

const char *email_folder_fault(struct arena *a, const char *name)
{
    static const char *const bad[] = {"\\", "..", "<", ">", ":", "\"", "|", "?", "*"};
    if (!*name)
        return "Folder name cannot be empty";
    for (size_t i = 0; i < SOSIA_LEN(bad); i++)
        if (strstr(name, bad[i]))
            return arena_printf(a, "Folder name contains invalid character: %s", bad[i]);
    return utf8_count(name, strlen(name)) > FOLDER_NAME
               ? "Folder name too long (max 255 characters)"
               : NULL;
}

/* One folder, in another (0: at the top). */
static int make_one(struct call *c, const struct email_box *b, int64_t parent, const char *name,
                    int64_t *ret)
{
    struct mail_folder f = {.mailbox = b->mailbox.id,
                            .name = name,
                            .parent = parent,
                            .kind = b->vendor->exclusive ? KIND_FOLDER : KIND_LABEL};
    struct mail_folder there;
    int r = mail_folder_by_name(&c->tx, b->mailbox.id, parent, name, &there);
    if (r < 0 || (r == 0 && mail_folder_add(&c->tx, &f) < 0))
        return -1;
    *ret = r ? there.id : f.id;
    return 0;
}

int email_folder_make(struct call *c, const struct email_box *b, const char *name,
                      struct email_folder *ret)
{
    int64_t parent = 0;
    *ret = (struct email_folder){.name = name};
    if (!b->vendor->tree) {
        if (make_one(c, b, 0, name, &ret->id) < 0)
            return -1;
        return 0;
    }
    for (const char *at = name; *at;) {
        size_t n = strcspn(at, "/");
        if (n && make_one(c, b, parent, arena_memdup(c->tx.arena, at, n), &parent) < 0)
            return -1;
        at += n + (at[n] == '/');
    }
    ret->id = parent;
    return 0;
}

/* ---- messages ---- */

int email_items(struct call *c, const struct email_box *b, const struct email_folder *f,
                int64_t most, struct email_item **ret, size_t *ret_n)
{
    const struct mail_list list = {.mailbox = b->mailbox.id,
                                   .folders = &f->id,
                                   .n_folders = 1,
                                   .limit = (size_t)(most < f->messages ? most : f->messages)};
    struct mail_message *found;
    bool more;
    *ret_n = 0;
    *ret = NULL;
    if (most <= 0 || f->messages <= 0)
        return 0;
    if (mail_list(&c->tx, &list, &found, ret_n, &more) < 0)
        return -1;
    struct email_item *items = arena_calloc(c->tx.arena, *ret_n + 1, sizeof *items);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < *ret_n; i++)
        items[i] = (struct email_item){found[i], f->messages - (int64_t)i};
    *ret = items;
    return 0;
}

int64_t email_id(const char *text)
{
    int64_t n = 0;
    if (!*text || strlen(text) > 15)
        return 0;
    for (; *text; text++) {
        if (!isdigit((unsigned char)*text))
            return 0;
        n = 10 * n + (*text - '0');
    }
    return n;
}

int email_item_of(struct call *c, const struct email_box *b, const char *folder,
                  struct email_folder *ret_folder, struct email_item *ret)
{
    const char *text = json_get_str(server_arguments(c), "email_id");
    struct email_item *items;
    size_t n;
    if (email_folder_of(c, b, folder, ret_folder) < 0)
        return -1;
    int64_t id = email_id(text);
    if (id < 1 || id > ret_folder->messages)
        return email_refuse(c, SOSIA_E_NOT_FOUND, "No email content found for email %s", text);
    if (email_items(c, b, ret_folder, ret_folder->messages - id + 1, &items, &n) < 0)
        return -1;
    if (!n || items[n - 1].number != id)
        return email_refuse(c, SOSIA_E_NOT_FOUND, "No email content found for email %s", text);
    *ret = items[n - 1];
    return 0;
}

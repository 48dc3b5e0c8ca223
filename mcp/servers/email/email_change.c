/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that move, mark and delete a person's mail, and those for folders. */
#include "mcp/servers/email/email.h"
#include <stdlib.h>

#define FAILED_SHOWN 5 /* numbers that a result names */

/* ---- what is done to one message ---- */

/* A draft is a draft wherever it is, and what was sent was sent: a label of that is not taken away.
 */
static bool stays(const struct email_box *b, const struct email_folder *f)
{
    int64_t place = mail_folder_place(f->id);
    return !b->vendor->exclusive && (place == FOLDER_SENT || place == FOLDER_DRAFTS);
}

/* Out of a folder, which is all that an original knows of the message: where it has another one it
 * stays there. */
static int take_out(struct call *c, struct mail_message *m, const struct email_box *b,
                    const struct email_folder *f)
{
    struct email_folder *list;
    int64_t *ids;
    size_t n, n_ids;
    if (b->vendor->exclusive || stays(b, f))
        return mail_message_delete(&c->tx, m);
    if (email_folders(c, b, &list, &n) < 0 || mail_message_folders(&c->tx, m, &ids, &n_ids) < 0)
        return -1;
    for (size_t i = 0; i < n_ids; i++)
        for (size_t k = 0; k < n; k++)
            if (ids[i] == list[k].id && list[k].id != f->id)
                return mail_message_modify(&c->tx, m, NULL, 0, &f->id, 1);
    return mail_message_delete(&c->tx, m);
}

static int move_to(struct call *c, struct mail_message *m, const struct email_box *b,
                   const struct email_folder *from, const struct email_folder *to)
{
    if (from->id == to->id)
        return 0;
    return mail_message_modify(&c->tx, m, &to->id, 1, &from->id,
                               b->vendor->exclusive || stays(b, from) ? 0 : 1);
}

/* Seen, or flagged. */
static int mark_one(struct call *c, struct mail_message *m, const struct email_box *b,
                    const char *status)
{
    const int64_t unseen = mail_folder_id(m->mailbox, KEYWORD_UNSEEN),
                  flagged = mail_folder_id(m->mailbox, KEYWORD_FLAGGED);
    bool on = strcmp(status, "unread") == 0 || strcmp(status, "important") == 0;
    struct mail_property p;
    if (strstr(status, "read"))
        return mail_message_modify(&c->tx, m, &unseen, on, &unseen, !on);
    if (!b->vendor->exclusive)
        return mail_message_modify(&c->tx, m, &flagged, on, &flagged, !on);
    if (mail_property_get(&c->tx, m, &p) < 0)
        return -1;
    p.flag = on ? FLAG_SET : FLAG_NONE;
    p.flag_from_us = p.flag_due_us = p.flag_done_us = MAIL_NO_TIME;
    return mail_property_set(&c->tx, m, &p);
}

static int delete_one(struct call *c)
{
    struct email_box b;
    struct email_folder f;
    struct email_item item;
    if (email_open(c, &b) < 0 || email_item_of(c, &b, "folder", &f, &item) < 0)
        return email_within(c, "Failed to delete email");
    if (take_out(c, &item.message, &b, &f) < 0)
        return -1;
    return email_text(c, "Email %lld deleted successfully", (long long)item.number);
}

int email_delete(struct call *c)
{
    return email_end(c, "deleting email", delete_one(c));
}

/* The folder that mail is moved to. */
static int target_of(struct call *c, const struct email_box *b, struct email_folder *ret)
{
    const char *name = json_get_str(server_arguments(c), "target_folder");
    int r = email_folder(c, b, name, ret);
    return r ? r < 0 ? -1 : 0
             : email_refuse(c, SOSIA_E_NOT_FOUND,
                            "Failed to copy email to %s: [TRYCREATE] Mailbox doesn't exist: %s",
                            name, name);
}

static int move_one(struct call *c)
{
    struct email_box b;
    struct email_folder from, to;
    struct email_item item;
    if (email_open(c, &b) < 0 || email_item_of(c, &b, "source_folder", &from, &item) < 0 ||
        target_of(c, &b, &to) < 0)
        return email_within(c, "Failed to move email: Failed to move email");
    if (move_to(c, &item.message, &b, &from, &to) < 0)
        return -1;
    return email_text(c, "Email %lld moved to %s successfully", (long long)item.number,
                      json_get_str(server_arguments(c), "target_folder"));
}

int email_move(struct call *c)
{
    return email_end(c, "moving email", move_one(c));
}

/* ---- what is done to several ---- */

/* The messages that the argument "email_ids" names. */
struct some {
    struct email_box box;
    struct email_folder folder;
    struct email_item *items; /* of the folder, newest first */
    size_t n_items;
    const struct json *ids;
    bool *done; /* of the items */
};

static int open_some(struct call *c, const char *folder, struct some *s)
{
    if (email_open(c, &s->box) < 0 || email_folder_of(c, &s->box, folder, &s->folder) < 0 ||
        email_items(c, &s->box, &s->folder, s->folder.messages, &s->items, &s->n_items) < 0)
        return -1;
    s->ids = json_get(server_arguments(c), "email_ids");
    s->done = arena_calloc(c->tx.arena, s->n_items + 1, sizeof *s->done);
    return arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
}

/* The message of a number that was not done yet; NULL: there is none. */
static struct mail_message *take(struct some *s, const char *text)
{
    int64_t id = email_id(text);
    if (id < 1 || id > s->folder.messages)
        return NULL;
    size_t i = (size_t)(s->folder.messages - id);
    if (i >= s->n_items || s->done[i])
        return NULL;
    s->done[i] = true;
    return &s->items[i].message;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = email_id(*(const char *const *)a), y = email_id(*(const char *const *)b);
    return x < y ? 1 : x > y ? -1 : 0;
}

/* The numbers from the highest on, as the original goes through them. */
static const char **sorted(struct call *c, const struct json *ids)
{
    const char **list = arena_calloc(c->tx.arena, ids->n + 1, sizeof *list);
    for (uint32_t i = 0; !arena_failed(c->tx.arena) && i < ids->n; i++)
        list[i] = ids->items[i].str;
    if (!arena_failed(c->tx.arena))
        qsort(list, ids->n, sizeof *list, by_number);
    return list;
}

/* Moves them (to), or deletes them (NULL). "Successfully deleted 1/2 emails (1 failed: 7)" */
static int do_some(struct call *c, struct some *s, const struct email_folder *to, struct buf *b)
{
    const char **list = sorted(c, s->ids);
    struct buf failed;
    uint32_t n = s->ids->n, bad = 0;
    int r = arena_failed(c->tx.arena) ? sosia_fail_memory(c->tx.err) : 0;
    buf_init(&failed, 0);
    for (uint32_t i = 0; r == 0 && i < n; i++) {
        struct mail_message *m = take(s, list[i]);
        if (m)
            r = to ? move_to(c, m, &s->box, &s->folder, to) : take_out(c, m, &s->box, &s->folder);
        else if (bad++ < FAILED_SHOWN)
            buf_printf(&failed, "%s%s", bad > 1 ? ", " : "", list[i]);
    }
    buf_printf(b, "Successfully %s %u/%u emails", to ? "moved" : "deleted", n - bad, n);
    if (to)
        buf_printf(b, " to %s", json_get_str(server_arguments(c), "target_folder"));
    if (bad > FAILED_SHOWN)
        buf_printf(&failed, " and %u more", bad - FAILED_SHOWN);
    if (bad)
        buf_printf(b, " (%u failed: %s)", bad, buf_str(&failed));
    buf_done(&failed);
    return r;
}

static int say_some(struct call *c, struct some *s, const struct email_folder *to)
{
    struct buf out;
    buf_init(&out, 0);
    if (do_some(c, s, to, &out) < 0) {
        buf_done(&out);
        return -1;
    }
    return email_say(c, &out);
}

int email_delete_some(struct call *c)
{
    struct some s = {0};
    int r = open_some(c, "folder", &s) < 0 ? -1 : say_some(c, &s, NULL);
    return email_end(c, "deleting emails", r);
}

int email_move_some(struct call *c)
{
    struct some s = {0};
    struct email_folder to;
    int r = open_some(c, "source_folder", &s) < 0 || target_of(c, &s.box, &to) < 0
                ? -1
                : say_some(c, &s, &to);
    return email_end(c, "moving emails", r);
}

static bool is_status(const char *status)
{
    static const char *const all[] = {"read", "unread", "important", "not_important"};
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (strcmp(all[i], status) == 0)
            return true;
    return false;
}

static int mark_some(struct call *c)
{
    const char *status = json_get_str(server_arguments(c), "status");
    struct some s = {0};
    uint32_t n = 0;
    if (open_some(c, "folder", &s) < 0)
        return -1;
    for (uint32_t i = 0; i < s.ids->n; i++) {
        struct mail_message *m = take(&s, s.ids->items[i].str);
        if (m && mark_one(c, m, &s.box, status) < 0)
            return -1;
        n += m != NULL;
    }
    return email_text(c, "Successfully marked %u/%u emails as %s", n, s.ids->n, status);
}

int email_mark(struct call *c)
{
    if (!is_status(json_get_str(server_arguments(c), "status"))) {
        c->vendor_data =
            (void *)"Error: Status must be 'read', 'unread', 'important', or 'not_important'";
        return call_fail(c, SOSIA_E_INVALID, SERVER_SAID, NULL, "%s", (char *)c->vendor_data);
    }
    return email_end(c, "marking emails", mark_some(c));
}

/* ---- folders ---- */

static int list_folders(struct call *c)
{
    struct email_box b;
    struct email_folder *list;
    struct buf out;
    size_t n;
    if (email_open(c, &b) < 0 || email_folders(c, &b, &list, &n) < 0)
        return email_within(c, "Failed to get folders");
    buf_init(&out, 0);
    buf_puts(&out, "Available folders:\n");
    for (size_t i = 0; i < n; i++)
        buf_printf(&out, "%zu. %s (%lld total, %lld unread)\n", i + 1, list[i].name,
                   (long long)list[i].messages, (long long)list[i].unread);
    return email_say(c, &out);
}

int email_list_folders(struct call *c)
{
    return email_end(c, "getting folders", list_folders(c));
}

static const char *folder_name(struct call *c)
{
    return json_get_str(server_arguments(c), "folder_name");
}

/* Only names of this tool's have no "/", since a vendor's own may. */
static int check_name(struct call *c, const char *name)
{
    const char *fault = strchr(name, '/') ? "Folder name contains invalid character: /"
                                          : email_folder_fault(c->tx.arena, name);
    return fault ? email_refuse(c, SOSIA_E_INVALID, "%s", fault) : 0;
}

static int make_folder(struct call *c)
{
    struct email_box b;
    struct email_folder f;
    const char *name = folder_name(c);
    if (check_name(c, name) < 0)
        return -1;
    if (email_open(c, &b) < 0)
        return email_within(c, "Failed to create folder");
    int r = email_folder(c, &b, name, &f);
    if (r < 0 || (r == 0 && email_folder_make(c, &b, name, &f) < 0))
        return email_within(c, "Failed to create folder");
    return email_text(c, "Folder '%s' created successfully", name);
}

int email_create_folder(struct call *c)
{
    return email_end(c, "creating folder", make_folder(c));
}

/* What was in it alone goes with it. */
static int drop_folder(struct call *c, const struct email_box *b, const struct email_folder *f)
{
    struct email_item *items;
    struct mail_folder folder;
    size_t n;
    if (!b->vendor->exclusive) {
        if (email_items(c, b, f, f->messages, &items, &n) < 0)
            return -1;
        for (size_t i = 0; i < n; i++)
            if (take_out(c, &items[i].message, b, f) < 0)
                return -1;
    }
    int r = mail_folder_get(&c->tx, b->mailbox.id, f->id, &folder);
    return r <= 0 ? -1 : mail_folder_delete(&c->tx, &folder);
}

static int delete_folder(struct call *c)
{
    struct email_box b;
    struct email_folder f;
    const char *name = folder_name(c), *fault = email_folder_fault(c->tx.arena, name);
    if (fault)
        return email_refuse(c, SOSIA_E_INVALID, "%s", fault);
    if (email_open(c, &b) < 0)
        return email_within(c, "Failed to delete folder");
    int r = email_folder(c, &b, name, &f);
    if (r < 0)
        return -1;
    if (r && mail_folder_is_fixed(f.id))
        return email_refuse(c, SOSIA_E_FORBIDDEN, "Cannot delete system folder: %s", name);
    if (!r)
        return email_refuse(c, SOSIA_E_NOT_FOUND,
                            "Failed to delete folder: Failed to delete folder '%s': NO", name);
    if (drop_folder(c, &b, &f) < 0)
        return email_within(c, "Failed to delete folder");
    return email_text(c, "Folder '%s' deleted successfully", name);
}

int email_delete_folder(struct call *c)
{
    return email_end(c, "deleting folder", delete_folder(c));
}

/* ---- numbers ---- */

static int all_stats(struct call *c, const struct email_box *b)
{
    struct email_folder *list;
    struct buf out;
    int64_t messages = 0, unread = 0;
    size_t n;
    if (email_folders(c, b, &list, &n) < 0)
        return -1;
    buf_init(&out, 0);
    buf_puts(&out, "Mailbox Statistics:\n");
    for (size_t i = 0; i < n; i++) {
        buf_printf(&out, "  %s: %lld total, %lld unread\n", list[i].name,
                   (long long)list[i].messages, (long long)list[i].unread);
        messages += list[i].messages;
        unread += list[i].unread;
    }
    buf_printf(&out, "\nOverall Total: %lld messages, %lld unread\n", (long long)messages,
               (long long)unread);
    return email_say(c, &out);
}

static int stats(struct call *c)
{
    struct email_box b;
    struct email_folder f;
    struct mail_folder folder;
    int64_t size;
    const char *name = email_arg(c, "folder_name");
    if (email_open(c, &b) < 0 || (name && email_folder_of(c, &b, "folder_name", &f) < 0))
        return email_within(c, "Failed to get folder stats");
    if (!name)
        return all_stats(c, &b);
    if (mail_folder_get(&c->tx, b.mailbox.id, f.id, &folder) < 0 ||
        mail_folder_size(&c->tx, &folder, &size) < 0)
        return -1;
    return email_text(
        c,
        "Folder Statistics for '%s':\nTotal messages: %lld\nUnread messages: "
        "%lld\n%s",
        name, (long long)f.messages, (long long)f.unread,
        size ? arena_printf(c->tx.arena, "Total size: %.2f MB\n", (double)size / (1 << 20)) : "");
}

int email_stats(struct call *c)
{
    return email_end(c, "getting mailbox stats", stats(c));
}

static int unread(struct call *c)
{
    struct email_box b;
    struct email_folder f, *list;
    int64_t sum = 0;
    size_t n;
    const char *name = email_arg(c, "folder_name");
    if (email_open(c, &b) < 0 || (name && email_folder_of(c, &b, "folder_name", &f) < 0))
        return email_within(c, "Failed to get unread count");
    if (name)
        return email_text(c, "Unread messages in '%s': %lld", name, (long long)f.unread);
    if (email_folders(c, &b, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        sum += list[i].unread;
    return email_text(c, "Total unread messages: %lld", (long long)sum);
}

int email_unread(struct call *c)
{
    return email_end(c, "getting unread count", unread(c));
}

int email_check(struct call *c)
{
    struct email_box b;
    if (email_open(c, &b) == 0)
        return email_text(c, "Connection Status:\nIMAP: ✓ Connected\nSMTP: ✓ Connected\n\nAll "
                             "connections are working properly");
    if (!c->vendor_data)
        return -1;
    c->vendor_data = NULL;
    *c->tx.err = (struct sosia_err){.code = 0};
    return email_text(c, "Connection Status:\nIMAP: ✗ Failed\nSMTP: ✗ Failed\n\nError: Both "
                         "connections failed - check configuration");
}

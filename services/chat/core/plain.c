/* SPDX-License-Identifier: Apache-2.0 */
/* Channels and messages in the core's own terms, which workspaces of all vendors have in common. */
#include "engine/state/plain.h"
#include "identity/shown.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/impl.h"
#include "services/chat/core/mention.h"

/* A person by address, else by handle or by name. */
static int user_name(struct tx *tx, int64_t id, const char **ret)
{
    struct chat_user u;
    *ret = NULL;
    int r = id ? chat_user_get(tx, id, &u) : 0;
    if (r != 1)
        return r < 0 ? -1 : 0;
    if (actor_shown(tx, u.actor, ret) < 0)
        return -1;
    *ret = *ret ? *ret : u.email ? u.email : u.name;
    return 0;
}

static int write_users(struct tx *tx, struct json_writer *w, const char *member,
                       const int64_t *users, size_t n)
{
    const char **names = arena_calloc(tx->arena, n + 1, sizeof *names);
    size_t used = 0;
    if (arena_failed(tx->arena))
        return sosia_fail_memory(tx->err);
    for (size_t i = 0; i < n; i++) {
        if (user_name(tx, users[i], &names[used]) < 0)
            return -1;
        used += names[used] != NULL;
    }
    plain_list(w, member, names, used);
    return 0;
}

/* In lower case, with hyphens for spaces: vendors differ in what a name may have. */
static const char *folded(struct arena *a, const char *name)
{
    char *out = arena_strdup(a, name);
    for (char *p = out; !arena_failed(a) && *p; p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p == ' ' ? '-' : *p;
    return out;
}

static bool is_named(const struct chat_channel *ch)
{
    return ch->kind == CHAT_PUBLIC || ch->kind == CHAT_PRIVATE;
}

#define MEMBERS_SHOWN 10000

static int write_members(struct tx *tx, struct json_writer *w, const struct chat_channel *ch,
                         const char *member)
{
    int64_t *users;
    size_t n;
    return chat_members(tx, ch->id, "", MEMBERS_SHOWN, &users, &n) < 0 ||
                   write_users(tx, w, member, users, n) < 0
               ? -1
               : 0;
}

int chat_channel_plain(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct chat_channel ch;
    int r = chat_channel_get(tx, rowid, &ch);
    const struct chat_vendor *vendor = r == 1 ? chat_vendor_of(tx, ch.workspace) : NULL;
    if (r != 1 || (vendor->channel_was_deleted && vendor->channel_was_deleted(&ch)))
        return r < 0 ? -1 : 0;
    if (is_named(&ch))
        json_str(w, "title", folded(tx->arena, ch.name ? ch.name : ""));
    else
        json_str_opt(w, "title", ch.name);
    json_str(w, "kind", chat_kinds[ch.kind]);
    json_bool_opt(w, "archived", ch.archived);
    plain_text(w, tx->arena, "topic", ch.topic);
    plain_text(w, tx->arena, "purpose", ch.purpose);
    /* Of a team's public channel all its members are: who is in it is not said of itself. */
    return (!ch.team || ch.kind != CHAT_PUBLIC) && write_members(tx, w, &ch, "members") < 0 ? -1
                                                                                            : 1;
}

/* ---- messages ---- */

/* What it says to a person, and whom its text names: at most CHAT_SAID_MAX. */
static int read_said(struct tx *tx, const struct chat_channel *ch, const struct chat_message *m,
                     const char **ret_text, int64_t *ret_users, size_t *ret_n)
{
    const struct chat_vendor *vendor = chat_vendor_of(tx, ch->workspace);
    *ret_n = 0;
    if (vendor->said)
        return vendor->said(tx, ch->workspace, m->text, ret_text, ret_users, ret_n);
    *ret_text = m->plain ? m->plain : vendor->plain(tx->arena, m->text);
    return *ret_text ? 0 : sosia_fail_memory(tx->err);
}

static int write_said(struct tx *tx, struct json_writer *w, const struct chat_channel *ch,
                      const struct chat_message *m)
{
    int64_t users[CHAT_SAID_MAX];
    struct chat_mention *kept;
    const char *text;
    size_t n, n_kept;
    if (read_said(tx, ch, m, &text, users, &n) < 0)
        return -1;
    if (chat_mentions(tx, m->id, &kept, &n_kept) < 0)
        return -1;
    for (size_t i = 0; i < n_kept && n < CHAT_SAID_MAX; i++)
        if (kept[i].kind == CHAT_MENTION_USER)
            users[n++] = kept[i].ref;
    plain_text(w, tx->arena, "text", text);
    return write_users(tx, w, "mentions", users, n);
}

/* "ada@acme.example: +1" */
static int write_reactions(struct tx *tx, struct json_writer *w, const struct chat_vendor *vendor,
                           const struct chat_message *m)
{
    const char **list = NULL;
    size_t n = 0, cap = 0;
    sqlite3_stmt *st = m->reactions ? chat_reactions_to(tx, m->id) : NULL;
    int r = m->reactions ? st ? 1 : -1 : 0;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        const char *name = tx_string(tx, st, 0), *who;
        int64_t user = sqlite3_column_int64(st, 1);
        if (!(list = arena_grow(tx->arena, list, n, &cap, sizeof *list)) ||
            user_name(tx, user, &who) < 0) {
            sql_done(st);
            return arena_failed(tx->arena) ? sosia_fail_memory(tx->err) : -1;
        }
        list[n++] = arena_printf(tx->arena, "%s: %s", who ? who : "?",
                                 vendor->emoji ? vendor->emoji(tx->arena, name) : name);
    }
    plain_list(w, "reactions", list, n);
    return r < 0 ? -1 : 0;
}

/* Of a reply the text that it answers. */
static int write_thread(struct tx *tx, struct json_writer *w, const struct chat_channel *ch,
                        const struct chat_message *m)
{
    struct chat_message root;
    int64_t users[CHAT_SAID_MAX];
    const char *text;
    size_t n;
    if (!m->thread || m->thread == m->id)
        return 0;
    int r = chat_message_get(tx, m->thread, &root);
    if (r == 1)
        r = read_said(tx, ch, &root, &text, users, &n) < 0 ? -1 : 1;
    if (r == 1)
        plain_text(w, tx->arena, "answers", text);
    return r < 0 ? -1 : 0;
}

static int write_files(struct tx *tx, struct json_writer *w, const struct chat_message *m)
{
    struct chat_drive_file *list;
    size_t n;
    if (chat_drive_files(tx, m->id, &list, &n) < 0)
        return -1;
    const char **names = arena_calloc(tx->arena, n + 1, sizeof *names);
    for (size_t i = 0; !arena_failed(tx->arena) && i < n; i++)
        names[i] = list[i].name;
    plain_list(w, "files", names, n);
    return 0;
}

int chat_message_plain(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    struct chat_message m;
    struct chat_channel ch;
    const char *who;
    int r = chat_message_get(tx, rowid, &m);
    if (r == 1)
        r = chat_channel_get(tx, chat_message_channel(rowid), &ch);
    if (r != 1 || m.flags & (CHAT_SYSTEM | CHAT_TOMBSTONE))
        return r < 0 ? -1 : 0;
    const struct chat_vendor *vendor = chat_vendor_of(tx, ch.workspace);
    if (vendor->was_deleted && vendor->was_deleted(&m))
        return 0;
    if (user_name(tx, m.user, &who) < 0)
        return -1;
    json_str_opt(w, "person", who);
    if (is_named(&ch))
        json_str(w, "in", folded(tx->arena, ch.name ? ch.name : ""));
    else if (write_members(tx, w, &ch, "with") < 0)
        return -1;
    plain_text(w, tx->arena, "subject", m.subject);
    if (write_said(tx, w, &ch, &m) < 0 || write_thread(tx, w, &ch, &m) < 0 ||
        write_files(tx, w, &m) < 0)
        return -1;
    json_bool_opt(w, "pinned", m.pinned_by);
    return write_reactions(tx, w, vendor, &m) < 0 ? -1 : 1;
}

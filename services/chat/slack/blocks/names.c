/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain names in texts. A name stays what it is, unless "link_names" asks for user groups, or
 * "parse" is full: then channels and the words for everybody become references, too, and what is
 * written as a reference is none (docs.slack.dev, Formatting message text). People are not linked
 * by their names any more (chat.postMessage).
 */
#include "engine/base/codec.h"
#include "services/chat/slack/web/compose.h"

#define MAX_NAMES 100 /* of a text that are looked up */

/* The reference to a group in use of that handle. 1, 0, -1. */
static int group_reference(struct call *c, const char *handle, const char **ret)
{
    static struct sql_text q = SQL_TEXT("select key from slack_group where workspace = :workspace "
                                        "and handle = :handle and deleted_s = 0 limit 1");
    sqlite3_stmt *st;
    int r = TX_ROW(&c->tx, &q, &st, sl_me(c)->workspace.id, handle);
    if (r != 1)
        return r;
    const char *key = tx_string(&c->tx, st, 0);
    sql_done(st);
    *ret = arena_printf(c->tx.arena, "<!subteam^%s|@%s>", key, handle);
    return 1;
}

/* That to a channel; a private one's has no name in it. 1, 0: the caller sees none, -1. */
static int channel_reference(struct call *c, const char *name, const char **ret)
{
    struct chat_channel ch;
    int r = chat_channel_by_name(&c->tx, sl_me(c)->workspace.id, name, &ch);
    if (r == 1)
        r = chat_can_see(&c->tx, &ch, &sl_me(c)->user);
    if (r == 1)
        *ret = arena_printf(c->tx.arena, "<#%s|%s>", ch.key, ch.kind == CHAT_PUBLIC ? name : "");
    return r;
}

static int reference(struct call *c, char sign, const char *name, bool full, const char **ret)
{
    if (sign == '#')
        return full ? channel_reference(c, name, ret) : 0;
    if (full && (!strcmp(name, "here") || !strcmp(name, "channel") || !strcmp(name, "everyone"))) {
        *ret = arena_printf(c->tx.arena, "<!%s>", name);
        return 1;
    }
    return group_reference(c, name, ret);
}

/* How long a name at p is, without the full stop behind it. */
static size_t name_len(const char *p)
{
    size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyz0123456789-_.");
    while (n && strchr(".-", p[n - 1]))
        n--;
    return n;
}

/* The text with references for names; NULL: failed. */
static const char *linked(struct call *c, const char *text, bool full)
{
    const char *made = text, *found;
    struct buf b;
    size_t n;
    int names = 0, r = 0;
    buf_init(&b, 4 << 20);
    for (const char *p = text; *p && r >= 0;) {
        bool begins = p == text || strchr(" \t\r\n([{*_~\"'", p[-1]);
        r = 0;
        if (full && (*p == '<' || *p == '>')) {
            buf_puts(&b, *p++ == '<' ? "&lt;" : "&gt;");
            continue;
        }
        if (*p == '<') { /* a reference already */
            n = strcspn(p, ">");
            buf_add(&b, p, n);
            p += n;
            continue;
        }
        if (begins && (*p == '@' || *p == '#') && (n = name_len(p + 1)) && names++ < MAX_NAMES)
            r = reference(c, *p, arena_memdup(c->tx.arena, p + 1, n), full, &found);
        if (r == 1) {
            buf_puts(&b, found);
            p += n + 1;
        } else {
            buf_byte(&b, *p++);
        }
    }
    if (!buf_failed(&b))
        made = arena_memdup(c->tx.arena, buf_str(&b), b.len);
    buf_done(&b);
    return r < 0 ? NULL : made;
}

bool sl_is_unmarked(struct call *c)
{
    const char *parse = param_str(c, "parse");
    return !slack_bool_arg(c, "mrkdwn", true) || (parse && strcmp(parse, "full") == 0);
}

const char *sl_text_given(struct call *c, const char *text)
{
    const char *parse = param_str(c, "parse");
    bool full = parse && strcmp(parse, "full") == 0, none = parse && strcmp(parse, "none") == 0;
    if ((full || slack_flag(c, "link_names")) && !(text = linked(c, text, full)))
        return NULL;
    return sl_text_stored(c, text, !none);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What Teams lays down for the chat core: ids, how its HTML reads, who is in a tenant. */
#include "engine/base/codec.h"
#include "services/mail/core/mime/mime.h"
#include "services/chat/teams/teams.h"
#include <ctype.h>
#include <stdlib.h>

/* ---- ids (MG-120) ---- */

/* Base64url of bytes that are made up, and a 1: a team's first channel, and private ones. */
const char *teams_new_channel_key(struct tx *tx, bool primary)
{
    uint8_t bytes[32];
    struct buf b;
    if (tx_id(tx, "teams.channel", bytes, primary ? 32 : 16) < 0)
        return NULL;
    buf_init(&b, 0);
    buf_puts(&b, "19:");
    if (primary) {
        base64url_add(&b, bytes, 32, false);
        buf_byte(&b, '1');
    } else {
        for (size_t i = 0; i < 16; i++)
            buf_printf(&b, "%02x", bytes[i]);
    }
    buf_puts(&b, "@thread.tacv2");
    return buf_keep(&b, tx->arena);
}

const char *teams_new_chat_key(struct tx *tx, bool meeting)
{
    uint8_t bytes[36];
    struct buf b;
    if (tx_id(tx, "teams.chat", bytes, meeting ? 36 : 16) < 0)
        return NULL;
    buf_init(&b, 0);
    buf_puts(&b, meeting ? "19:meeting_" : "19:");
    if (meeting)
        base64url_add(&b, bytes, 36, false);
    for (size_t i = 0; i < 16 && !meeting; i++)
        buf_printf(&b, "%02x", bytes[i]);
    buf_puts(&b, "@thread.v2");
    return buf_keep(&b, tx->arena);
}

const char *teams_pair_key(struct tx *tx, const char *a, const char *b)
{
    return arena_printf(tx->arena, "19:%s_%s@unq.gbl.spaces", a, b);
}

/* Of a direct channel, whose pair has the rowids of one or two people. */
static const char *key_of_pair(struct tx *tx, const char *pair)
{
    const char *comma = strchr(pair, ',');
    struct chat_user a, b;
    if (chat_user_get(tx, strtoll(pair, NULL, 10), &a) != 1 ||
        chat_user_get(tx, strtoll(comma ? comma + 1 : pair, NULL, 10), &b) != 1)
        return NULL;
    return teams_pair_key(tx, a.key, b.key);
}

/* MG-467; of chats the second number is 2. */
const char *teams_member_id(struct arena *a, int kind, const char *tenant, const char *of,
                            const char *oid)
{
    const char *text = arena_printf(a, "%d##%d##%s##%s##%s", 0, kind, tenant, of, oid);
    return base64_text(a, NULL, text, strlen(text));
}

const char *teams_member_oid(struct arena *a, const char *id)
{
    uint8_t *bytes;
    size_t n;
    if (base64_decode(a, id, strlen(id), &bytes, &n) < 0)
        return NULL;
    const char *text = arena_memdup(a, (const char *)bytes, n);
    const char *last = NULL;
    for (const char *p = text; p && (p = strstr(p, "##")); p += 2)
        last = p + 2;
    return last;
}

static bool is_guid(const char *text)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (n == 8 || n == 13 || n == 18 || n == 23
                ? text[n] != '-'
                : !isxdigit((unsigned char)text[n]) || isupper((unsigned char)text[n]))
            return false;
    return n == 36;
}

bool teams_is_key(enum chat_thing thing, const char *key)
{
    size_t n = strlen(key);
    if (thing != CHAT_THING_CHANNEL)
        return is_guid(key);
    return n > 4 && n <= 120 && strncmp(key, "19:", 3) == 0 && strchr(key, '@') &&
           strspn(key + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_@.") ==
               n - 3;
}

/* ---- what things are ---- */

static const char *new_guid(struct tx *tx, const char *kind)
{
    uint8_t b[8];
    if (tx_id(tx, kind, b, sizeof b) < 0)
        return NULL;
    return graph_guid(tx->arena, kind,
                      arena_printf(tx->arena, "%02x%02x%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
                                   b[3], b[4], b[5], b[6], b[7]));
}

const char *teams_key(struct tx *tx, enum chat_thing thing, enum chat_kind kind)
{
    if (thing != CHAT_THING_CHANNEL)
        return new_guid(tx, "teams.key");
    return kind >= CHAT_DIRECT ? teams_new_chat_key(tx, false) : teams_new_channel_key(tx, false);
}

/* The tenant whose domain the workspace has. */
static const char *key_of_workspace(struct tx *tx, const struct chat_workspace *w)
{
    struct ms_tenant tenant;
    int r = ms_tenant_find(tx, w->domain, &tenant);
    if (r == 1)
        return tenant.guid;
    if (r == 0)
        tx_fail(tx, SOSIA_E_INVALID, "domain", NULL, "\"%.80s\" must be the domain of a tenant",
                w->domain);
    return NULL;
}

/* The tenant's user that the actor is. 1, 0, -1. */
static int user_of(struct tx *tx, int64_t workspace, int64_t actor, struct ms_user *ret)
{
    struct chat_workspace w;
    struct ms_tenant tenant;
    int r = chat_workspace_get(tx, workspace, &w);
    if (r == 1)
        r = ms_tenant_find(tx, w.key, &tenant);
    return r == 1 ? ms_user_of_actor(tx, actor, tenant.id, ret) : r;
}

static const char *key_of_user(struct tx *tx, const struct chat_user *u)
{
    struct ms_user user;
    int r = user_of(tx, u->workspace, u->actor, &user);
    if (r == 1)
        return user.oid;
    if (r == 0)
        tx_fail(tx, SOSIA_E_INVALID, "actor", NULL, "\"%.80s\" must be a user of the tenant",
                u->name);
    return NULL;
}

/* A group of that name that has no team yet has the team's id. */
static const char *key_of_team(struct tx *tx, const struct chat_team *t)
{
    struct ms_group g = {.id = 0};
    struct chat_workspace w;
    struct ms_tenant tenant;
    struct chat_team other;
    int r = chat_workspace_get(tx, t->workspace, &w);
    if (r == 1)
        r = ms_tenant_find(tx, w.key, &tenant);
    while (r == 1 && (r = ms_group_next(tx, tenant.id, g.id, &g)) == 1) {
        if (!g.unified || strcmp(g.name, t->name) != 0)
            continue;
        int taken = chat_team_find(tx, t->workspace, g.oid, &other);
        if (taken <= 0)
            return taken < 0 ? NULL : g.oid;
    }
    return r < 0 ? NULL : new_guid(tx, "teams.key");
}

const char *teams_key_of(struct tx *tx, enum chat_thing thing, const void *row)
{
    const struct chat_channel *ch = row;
    switch (thing) {
    case CHAT_THING_WORKSPACE:
        return key_of_workspace(tx, row);
    case CHAT_THING_USER:
        return key_of_user(tx, row);
    case CHAT_THING_TEAM:
        return key_of_team(tx, row);
    default:
        break;
    }
    if (ch->kind >= CHAT_DIRECT)
        return ch->pair ? key_of_pair(tx, ch->pair)
                        : teams_new_chat_key(tx, ch->properties &&
                                                     strstr(ch->properties, "\"meeting\""));
    return teams_new_channel_key(tx, ch->general || ch->kind == CHAT_PRIVATE);
}

int teams_belongs(struct tx *tx, const struct chat_workspace *w, const struct actor *who)
{
    struct ms_user user;
    return user_of(tx, w->id, who->id, &user);
}

/* ---- how texts read ---- */

const char *teams_preview(struct arena *a, const struct chat_message *m, size_t most)
{
    const char *plain = m->format ? m->text : teams_plain(a, m->text);
    size_t n = plain ? strlen(plain) : 0;
    if (n > most)
        for (n = most; n && ((unsigned char)plain[n] & 0xc0) == 0x80;)
            n--;
    while (n && strchr(" \t\r\n", plain[n - 1]))
        n--;
    return plain ? arena_memdup(a, plain, n) : NULL;
}

const char *teams_plain(struct arena *a, const char *text)
{
    size_t n;
    return strpbrk(text, "<&") ? mime_html_text(a, text, strlen(text), &n) : text;
}

uint32_t teams_has(const struct chat_message *m)
{
    return (strstr(m->text, "<a ") ? CHAT_HAS_LINK : 0) | (m->attachments ? CHAT_HAS_FILE : 0);
}

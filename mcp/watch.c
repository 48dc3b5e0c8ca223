/* SPDX-License-Identifier: Apache-2.0 */
/* An event of a core says what changed by its kind and the row that it is in
 * (engine/world/event.h): a resource is watched by these. Where an event says less than the
 * resource is, its clients are notified once too often, which the protocol allows: they read again.
 */
#include "mcp/watch.h"
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "identity/identity.h"
#include "services/calendar/core/calendar.h"
#include "services/calendar/core/event/event.h"
#include "services/chat/core/chat.h"
#include "services/drive/core/drive.h"
#include "services/mail/core/mail.h"

static const char *const events[] = {CHANGED_EVENTS, NULL};
static const char *const calendars[] = {CHANGED_LIST, NULL};
static const char *const mails[] = {CHANGED_MAIL, NULL};
static const char *const labels[] = {CHANGED_FOLDERS, NULL};
static const char *const file[] = {CHANGED_FILE, NULL};
static const char *const feed[] = {CHANGED_FEED, NULL};
static const char *const channel[] = {CHAT_EV_MESSAGE, CHAT_EV_REACTION, NULL};
static const char *const channels[] = {CHAT_EV_CHANNEL, NULL};

/* ---- who may read ---- */

static int may_read_calendar(struct tx *tx, const struct watched *w, int64_t actor)
{
    struct calendar cal;
    struct actor who;
    int r = calendar_by_id(tx, w->row, &cal);
    if (r == 1)
        r = actor_by_id(tx, actor, &who);
    if (r == 1 && calendar_role(tx, &cal, &who, &cal.role) < 0)
        return -1;
    return r == 1 ? cal.role >= CAL_FREEBUSY : r;
}

static int may_read_file(struct tx *tx, const struct watched *w, int64_t actor)
{
    struct drive_viewer viewer;
    struct drive_access access;
    struct drive_item it;
    struct actor who;
    int r = drive_item_by_id(tx, w->row, &it);
    if (r == 1)
        r = actor_by_id(tx, actor, &who);
    if (r != 1)
        return r;
    drive_viewer(tx, &who, &viewer);
    return drive_role(&viewer, &it, &access) < 0 ? -1 : access.role >= ROLE_READER;
}

/* People may read public channels that they are not in; bots may not. */
static int may_read_channel(struct tx *tx, const struct watched *w, int64_t actor)
{
    struct chat_channel ch;
    struct chat_user user;
    struct chat_member member;
    int r = chat_channel_get(tx, w->row, &ch);
    if (r == 1)
        r = chat_user_of(tx, actor, 0, &user);
    if (r != 1 || user.deleted)
        return r < 0 ? -1 : 0;
    return user.bot ? chat_member_of(tx, ch.id, user.id, &member) : chat_can_see(tx, &ch, &user);
}

/* ---- what a resource follows from ---- */

struct asking {
    const struct call *c;
    const char *const *values;
    struct watched *ret;
    int (*find)(struct tx *tx, struct asking *a); /* 1, 0, -1 */
};

static int find_calendar(struct tx *tx, struct asking *a)
{
    struct calendar cal;
    bool own = strcmp(a->values[0], "primary") == 0;
    int r = calendar_by_key(tx, own ? a->c->actor.email : a->values[0], &cal);
    struct cal_event ev = {0};
    if (r == 1 && a->values[1])
        r = cal_event_find(tx, &cal, a->values[1], &ev);
    if (r == 1) /* an instance that nobody changed has no row of its own: its series has */
        *a->ret = (struct watched){.kinds = events,
                                   .scope = cal.id,
                                   .entity = ev.master ? 0 : ev.id,
                                   .may = may_read_calendar,
                                   .row = cal.id};
    return r;
}

static int find_mailbox(struct tx *tx, struct asking *a)
{
    struct mailbox mb;
    int r = mailbox_of(tx, a->c->actor.id, &mb);
    if (r == 1)
        *a->ret = (struct watched){.kinds = mails, .scope = mb.id};
    return r;
}

/* What is in a folder is in the feed of those who see it. */
static int find_file(struct tx *tx, struct asking *a)
{
    struct drive_item it;
    int r = drive_item_by_key(tx, a->values[0], &it);
    if (r == 1 && strcmp(it.mime, DRIVE_MIME_FOLDER) == 0)
        *a->ret = (struct watched){.kinds = feed, .scope = a->c->actor.id};
    else if (r == 1)
        *a->ret = (struct watched){.kinds = file, .scope = it.id};
    a->ret->may = may_read_file;
    a->ret->row = r == 1 ? it.id : 0;
    return r;
}

static int find_channel(struct tx *tx, struct asking *a)
{
    struct chat_channel ch;
    struct chat_user user;
    int r = chat_user_of(tx, a->c->actor.id, 0, &user);
    if (r == 1)
        r = chat_channel_find(tx, user.workspace, a->values[0], &ch);
    if (r == 1)
        *a->ret = (struct watched){
            .kinds = channel, .scope = ch.id, .may = may_read_channel, .row = ch.id};
    return r;
}

static int find(struct tx *tx, struct json_writer *w, void *arg)
{
    struct asking *a = arg;
    int r = a->find(tx, a);
    json_bool(w, NULL, r == 1);
    return r < 0 ? -1 : 0;
}

/* Asks the world. */
static int ask(struct mcp_call *m, struct asking *a)
{
    struct sosia_blob blob;
    a->c = m->c;
    a->ret->kinds = NULL;
    if (world_read(m->c->tx.engine, m->c->world, false, find, a, &blob, m->c->tx.err) < 0)
        return -1;
    sosia_blob_free(&blob);
    return a->ret->kinds != NULL;
}

int watch_resource(struct mcp_call *m, const struct resource_kind *k, const char *const *values,
                   struct watched *ret)
{
    static const struct {
        const char *service;
        int (*find)(struct tx *tx, struct asking *a);
    } finders[] = {{"calendar", find_calendar},
                   {"gmail", find_mailbox},
                   {"drive", find_file},
                   {"slack", find_channel}};
    struct asking a = {.values = values, .ret = ret};
    for (size_t i = 0; i < SOSIA_LEN(finders); i++)
        if (strcmp(finders[i].service, k->service) == 0)
            a.find = finders[i].find;
    return a.find ? ask(m, &a) : 0;
}

size_t watch_lists(struct mcp_call *m, struct watched *ret)
{
    int64_t actor = m->c->actor.id;
    struct watched mailbox = {0};
    struct asking a = {.ret = &mailbox, .find = find_mailbox};
    const struct {
        const char *service;
        struct watched of;
    } lists[] = {{"calendar", {.kinds = calendars, .scope = actor}},
                 {"drive", {.kinds = feed, .scope = actor}},
                 {"slack", {.kinds = channels}}};
    size_t n = 0;
    for (size_t i = 0; i < SOSIA_LEN(lists); i++)
        if (!m->service || strcmp(m->service->name, lists[i].service) == 0)
            ret[n++] = lists[i].of;
    if ((!m->service || strcmp(m->service->name, "gmail") == 0) && ask(m, &a) == 1)
        ret[n++] = (struct watched){.kinds = labels, .scope = mailbox.scope};
    return n;
}

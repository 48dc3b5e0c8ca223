/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of a folder's messages since a token (MG-53 to 56, 76, 322, 342, 345): first all that are
 * there, newest first, then what the mail core's feed has. A token says how far it is, and which
 * options the first request had.
 */
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/rows.h"
#include "services/mail/outlook/folders/search_folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define MOST_CHANGES 500 /* records that are looked at together */

/* How far a sync is. */
struct state {
    int64_t folder; /* id; 0: all of the mailbox */
    int64_t change; /* the feed is read from here on */
    int64_t before; /* of the first round: only messages below this one; 0: it is over, -1: it has
                       not begun */
    const char *select, *filter, *expand, *kind;
    int64_t top;
};

/* ---- tokens ---- */

static const char *purpose(struct call *c, const struct outlook_box *b)
{
    return arena_printf(c->tx.arena, "outlook delta %lld", (long long)b->mailbox.id);
}

static const char *token_of(struct call *c, const struct outlook_box *b, const struct state *s)
{
    struct odata_pair pairs[8];
    size_t n = 0;
    const char *const texts[][2] = {
        {"s", s->select}, {"f", s->filter}, {"e", s->expand}, {"k", s->kind}};
    pairs[n++] = (struct odata_pair){"p", arena_printf(c->tx.arena, "%lld %lld %lld %lld",
                                                       (long long)s->folder, (long long)s->change,
                                                       (long long)s->before, (long long)s->top)};
    for (size_t i = 0; i < SOSIA_LEN(texts); i++)
        if (texts[i][1])
            pairs[n++] = (struct odata_pair){texts[i][0], texts[i][1]};
    return graph_seal(c->tx.arena, purpose(c, b), odata_pack(c->tx.arena, pairs, n));
}

static int stale(struct call *c)
{
    return call_fail(c, SOSIA_E_GONE, "SyncStateNotFound", NULL,
                     "The sync state generation is not found.");
}

static int read_token(struct call *c, const struct outlook_box *b, const char *token,
                      struct state *ret)
{
    const struct odata_pair *pairs;
    const char *text;
    long long folder, change, before, top;
    if (graph_unseal(c->tx.arena, purpose(c, b), token, &text) != 1)
        return stale(c);
    const size_t n = odata_unpack(c->tx.arena, text, &pairs);
    const char *place = n ? odata_packed(pairs, n, "p") : NULL;
    if (!place || sscanf(place, "%lld %lld %lld %lld", &folder, &change, &before, &top) != 4)
        return stale(c);
    *ret = (struct state){.folder = folder,
                          .change = change,
                          .before = before,
                          .top = top,
                          .select = odata_packed(pairs, n, "s"),
                          .filter = odata_packed(pairs, n, "f"),
                          .expand = odata_packed(pairs, n, "e"),
                          .kind = odata_packed(pairs, n, "k")};
    return 0;
}

/* The options of the first request, again. */
static int options_of(struct call *c, const struct state *s, struct odata_query *ret)
{
    const struct odata_pair pairs[] = {{s->select ? "$select" : "a", s->select},
                                       {s->filter ? "$filter" : "a", s->filter},
                                       {s->expand ? "$expand" : "a", s->expand}};
    const struct odata_rules rules = {.known = outlook_paths};
    const char *message;
    return odata_parse(c->tx.arena, edm_type_find("message", strlen("message")), &rules, pairs,
                       SOSIA_LEN(pairs), ret, &message, c->tx.err);
}

/* ---- answers ---- */

static int begin(struct call *c, const struct odata_query *q)
{
    if (outlook_select(c, q, true) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(message)");
    json_arr(c->out, "value");
    return 0;
}

/* MG-342: the links are not encoded. */
static int end(struct call *c, const struct outlook_box *b, const struct state *s, bool more)
{
    json_end(c->out);
    json_str(c->out, more ? "@odata.nextLink" : "@odata.deltaLink",
             graph_link(c, more ? "$skiptoken" : "$deltatoken", token_of(c, b, s)));
    json_end(c->out);
    return 0;
}

static int write_changed(struct call *c, const struct outlook_box *b, const struct outlook_item *i,
                         const struct odata_query *q)
{
    int r = outlook_matches(c, b, i, q->filter);
    return r == 1 ? outlook_write_item(c, NULL, b, i, q, true) : r;
}

/* ---- the first round ---- */

static int first_round(struct call *c, const struct outlook_box *b, struct state *s,
                       const struct odata_query *q)
{
    struct mail_list list = {.mailbox = b->mailbox.id,
                             .folders = s->folder ? &s->folder : NULL,
                             .n_folders = s->folder != 0,
                             .before = s->before < 0 ? 0 : s->before,
                             .limit = (size_t)s->top};
    struct mail_message *found;
    size_t n;
    bool more;
    if (mail_list(&c->tx, &list, &found, &n, &more) < 0)
        return outlook_refused(c);
    if (begin(c, q) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct outlook_item item;
        if (outlook_item_of(&c->tx, &found[i], &item) < 0 || write_changed(c, b, &item, q) < 0)
            return -1;
    }
    s->before = more && n ? found[n - 1].id : 0;
    return end(c, b, s, s->before != 0);
}

/* ---- later ones ---- */

/* What happened to one message, in the order of its last change. */
struct event {
    int64_t key, at;
    bool came; /* into the folder */
    bool there;
    struct outlook_item item;
};

static int by_last(const void *x, const void *y)
{
    const struct event *a = x, *b = y;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int note(struct call *c, const struct outlook_box *b, const struct state *s,
                const struct mail_change *ch, size_t at, struct event *list, size_t *n)
{
    struct outlook_item item;
    if (s->folder && ch->folder != s->folder && ch->folder_before != s->folder)
        return 0;
    int r = outlook_item_of_change(&c->tx, b->mailbox.id, ch->key, &item);
    const int64_t key = item.key;
    if (r < 0 || !key)
        return r < 0 ? -1 : 0;
    size_t i = 0;
    while (i < *n && list[i].key != key)
        i++;
    if (i == *n)
        list[(*n)++] = (struct event){.key = key};
    list[i].at = (int64_t)at;
    list[i].came |= ch->kind == MAIL_ADDED || (ch->kind == MAIL_MOVED && ch->folder == s->folder);
    list[i].there = r == 1 && (!s->folder || item.message.folder == s->folder);
    if (r == 1)
        list[i].item = item;
    return 0;
}

static int write_gone(struct call *c, const struct outlook_box *b, const struct state *s,
                      const struct event *e)
{
    struct arena *a = c->tx.arena;
    json_obj(c->out, NULL);
    json_str(c->out, "@odata.type", "#microsoft.graph.message");
    json_str(c->out, "id",
             b->immutable
                 ? outlook_immutable_id(a, b, e->key)
                 : outlook_message_id(a, b, e->key,
                                      s->folder ? s->folder
                                                : mail_folder_id(b->mailbox.id, FOLDER_INBOX)));
    json_obj(c->out, "@removed");
    json_str(c->out, "reason", "deleted");
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static bool is_wanted(const struct state *s, const struct event *e)
{
    const char *kind = !e->there ? "deleted" : e->came ? "created" : "updated";
    return !s->kind || strcasecmp(s->kind, kind) == 0;
}

static int later_round(struct call *c, const struct outlook_box *b, struct state *s,
                       const struct odata_query *q)
{
    struct mail_change *changes;
    size_t n, n_events = 0;
    bool more;
    if (mail_changes(&c->tx, &b->mailbox, s->change, 0, s->folder, MOST_CHANGES, &changes, &n,
                     &more) < 0)
        return outlook_refused(c);
    struct event *events = arena_calloc(c->tx.arena, n + 1, sizeof *events);
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    for (size_t i = 0; i < n; i++)
        if (note(c, b, s, &changes[i], i, events, &n_events) < 0)
            return -1;
    if (n_events)
        qsort(events, n_events, sizeof *events, by_last);
    if (begin(c, q) < 0)
        return -1;
    for (size_t i = 0; i < n_events; i++)
        if (is_wanted(s, &events[i]) && (events[i].there ? write_changed(c, b, &events[i].item, q)
                                                         : write_gone(c, b, s, &events[i])) < 0)
            return -1;
    s->change = more && n ? changes[n - 1].number : b->mailbox.change;
    return end(c, b, s, more && n);
}

/* ---- the methods ---- */

static int first_state(struct call *c, const struct outlook_box *b, struct state *s)
{
    const char *folder = param_str(c, "mailFolder-id");
    struct odata_query q;
    struct mail_folder f = {.id = 0};
    size_t from, top;
    if (folder && (outlook_folder_of_path(c, b, &f) < 0 || outlook_folder_holds(c, &f) < 0))
        return -1;
    if (outlook_options(c, "message", &q) < 0 || outlook_page(c, &q, OUTLOOK_PAGE, &from, &top) < 0)
        return -1;
    if (q.search)
        return call_fail(c, SOSIA_E_INVALID, "ErrorInvalidUrlQuery", NULL,
                         "The query parameter '$search' is not supported with change tracking.");
    *s = (struct state){.folder = f.id,
                        .change = b->mailbox.change,
                        .before = -1,
                        .top = top > OUTLOOK_MAX_PAGE ? OUTLOOK_MAX_PAGE : (int64_t)top,
                        .select = graph_option(c, "$select"),
                        .filter = q.filter_text,
                        .expand = graph_option(c, "$expand"),
                        .kind = call_query_item(c, "changeType")};
    return 0;
}

static int messages_delta(struct call *c)
{
    const char *token = graph_option(c, "$skiptoken");
    const char *folder = param_str(c, "mailFolder-id");
    const char *latest = graph_option(c, "$deltatoken");
    struct outlook_box b;
    struct odata_query q;
    struct mail_folder f;
    struct state s;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0)
        return -1;
    if (!token && latest && strcasecmp(latest, "latest") != 0)
        token = latest;
    if ((token ? read_token(c, &b, token, &s) : first_state(c, &b, &s)) < 0 ||
        options_of(c, &s, &q) < 0)
        return -1;
    if (token && folder) { /* a token is its folder's */
        if (outlook_folder_of_path(c, &b, &f) < 0)
            return -1;
        if (f.id != s.folder)
            return stale(c);
    }
    if (!token && latest) {
        s.before = 0;
        return begin(c, &q) < 0 ? -1 : end(c, &b, &s, false);
    }
    return s.before ? first_round(c, &b, &s, &q) : later_round(c, &b, &s, &q);
}

static const struct param params[] = {
    USER_PARAM,
    FOLDER_PARAMS,
    {.name = "changeType", .place = IN_QUERY, .summary = "Only what was created, updated, deleted"},
    {.name = "$deltatoken", .place = IN_QUERY, .summary = "Of the deltaLink of the sync before"},
    {.name = "$filter", .place = IN_QUERY},
    {.name = "$select", .place = IN_QUERY},
    {.name = "$skiptoken", .place = IN_QUERY, .summary = "Of the nextLink of the page before"},
};
static const struct route routes[] = {
    {ROUTE("outlook.messages.delta", GET, FOLDER_PATHS("/messages/delta()"),
           GRAPH_MY("/messages/delta()")),
     .response = "microsoft.graph.messageCollection", .handler = messages_delta, .risk = RISK_READ,
     .scopes = READ_BASIC SHARED, PARAMS(params),
     .summary = "What has changed in a folder since a token"},
};
const struct rows outlook_delta_rows = ROWS(routes);

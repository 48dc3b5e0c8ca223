/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of a mailbox's folders since a token: first all that are there, then those that were
 * made, renamed, moved or deleted, and those of which the counts have changed, as the mail core's
 * feed says. A token says how far it is, and which members the first request selected.
 */
#include "engine/base/codec.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/folders/folder_change.h"
#include "services/mail/outlook/rows.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#define MOST_RECORDS 500 /* of the feed, that are looked at together */

struct sync {
    int64_t number; /* folders changed behind this one */
    int64_t change; /* the feed is read from here on */
    int64_t after;  /* of the first round: only folders behind this one; -1: it is over */
    int64_t top;
    const char *select; /* NULL: none */
};

/* ---- tokens ---- */

static const char *token_purpose(struct call *c, const struct outlook_box *b)
{
    return arena_printf(c->tx.arena, "outlook folders %lld", (long long)b->mailbox.id);
}

static const char *token_text(struct call *c, const struct outlook_box *b, const struct sync *s)
{
    const struct odata_pair pairs[] = {
        {"p", arena_printf(c->tx.arena, "%lld %lld %lld %lld", (long long)s->number,
                           (long long)s->change, (long long)s->after, (long long)s->top)},
        {"s", s->select}};
    return graph_seal(c->tx.arena, token_purpose(c, b),
                      odata_pack(c->tx.arena, pairs, s->select ? 2 : 1));
}

static int lost_state(struct call *c)
{
    return call_fail(c, SOSIA_E_GONE, "SyncStateNotFound", NULL,
                     "The sync state generation is not found.");
}

static int open_token(struct call *c, const struct outlook_box *b, const char *token,
                      struct sync *ret)
{
    const struct odata_pair *pairs;
    const char *text;
    long long number, change, after, top;
    if (graph_unseal(c->tx.arena, token_purpose(c, b), token, &text) != 1)
        return lost_state(c);
    const size_t n = odata_unpack(c->tx.arena, text, &pairs);
    const char *place = n ? odata_packed(pairs, n, "p") : NULL;
    if (!place || sscanf(place, "%lld %lld %lld %lld", &number, &change, &after, &top) != 4 ||
        number < 0 || top < 1 || top > OUTLOOK_MAX_PAGE)
        return lost_state(c);
    *ret = (struct sync){.number = number,
                         .change = change,
                         .after = after,
                         .top = top,
                         .select = odata_packed(pairs, n, "s")};
    return 0;
}

static int select_again(struct call *c, const struct sync *s)
{
    const struct odata_pair pair = {"$select", s->select};
    const struct odata_rules rules = {0};
    struct odata_query q;
    const char *message;
    return odata_parse(c->tx.arena, edm_type_find("mailFolder", strlen("mailFolder")), &rules,
                       &pair, s->select != NULL, &q, &message, c->tx.err) < 0
               ? -1
               : outlook_select(c, &q, true);
}

/* ---- answers ---- */

static void end_round(struct call *c, const struct outlook_box *b, const struct sync *s, bool more)
{
    json_end(c->out);
    json_str(c->out, more ? "@odata.nextLink" : "@odata.deltaLink",
             graph_link(c, more ? "$skiptoken" : "$deltatoken", token_text(c, b, s)));
    json_end(c->out);
}

static bool is_shown(const struct mail_folder *f)
{
    return f->kind == KIND_FOLDER && !f->hidden;
}

static int write_present(struct call *c, const struct outlook_box *b, const struct mail_folder *f)
{
    json_obj(c->out, NULL);
    int r = outlook_write_folder_members(c, b, f, true);
    json_end(c->out);
    return r;
}

static void write_removed(struct call *c, const struct outlook_box *b, int64_t id)
{
    json_obj(c->out, NULL);
    json_str(c->out, "@odata.type", "#microsoft.graph.mailFolder");
    json_str(c->out, "id", outlook_folder_text(c->tx.arena, b, id));
    json_obj(c->out, "@removed");
    json_str(c->out, "reason", "deleted");
    json_end(c->out);
    json_end(c->out);
}

/* ---- the first round ---- */

static int by_id(const void *x, const void *y)
{
    const struct mail_folder *a = x, *b = y;
    return a->id < b->id ? -1 : a->id > b->id;
}

static int first_folders(struct call *c, const struct outlook_box *b, struct sync *s)
{
    struct mail_folder *list;
    size_t n, written = 0;
    bool more = false;
    if (mail_folder_list(&c->tx, b->mailbox.id, &list, &n) < 0)
        return -1;
    if (n)
        qsort(list, n, sizeof *list, by_id);
    for (size_t i = 0; i < n && !more; i++) {
        if (!is_shown(&list[i]) || list[i].id <= s->after)
            continue;
        more = written == (size_t)s->top;
        if (more)
            break;
        if (write_present(c, b, &list[i]) < 0)
            return -1;
        s->after = list[i].id;
        written++;
    }
    s->after = more ? s->after : -1;
    end_round(c, b, s, more);
    return 0;
}

/* ---- later ones ---- */

/* Ids, each once, in the order in which they were added. */
struct touched {
    int64_t *ids;
    size_t n, cap;
};

static int touch(struct call *c, struct touched *t, int64_t id)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->ids[i] == id)
            return 0;
    if (!(t->ids = arena_grow(c->tx.arena, t->ids, t->n, &t->cap, sizeof *t->ids)))
        return sosia_fail_memory(c->tx.err);
    t->ids[t->n++] = id;
    return 0;
}

/* Both feeds from the token on; *ret_more: that of messages has more. */
static int gather_touched(struct call *c, const struct outlook_box *b, struct sync *s,
                          struct touched *t, bool *ret_more)
{
    struct mail_change *changes;
    int64_t *ids;
    size_t n;
    if (outlook_folders_changed(&c->tx, b->mailbox.id, s->number, &ids, &n) < 0 ||
        outlook_folder_number(&c->tx, b->mailbox.id, &s->number) < 0)
        return -1;
    *t = (struct touched){.ids = ids, .n = n, .cap = n};
    if (mail_changes(&c->tx, &b->mailbox, s->change, 0, 0, MOST_RECORDS, &changes, &n, ret_more) <
        0)
        return outlook_refused(c);
    for (size_t i = 0; i < n; i++)
        if ((changes[i].folder && touch(c, t, changes[i].folder) < 0) ||
            (changes[i].folder_before && touch(c, t, changes[i].folder_before) < 0))
            return -1;
    *ret_more = *ret_more && n;
    s->change = *ret_more ? changes[n - 1].number : b->mailbox.change;
    return 0;
}

static int changed_folders(struct call *c, const struct outlook_box *b, struct sync *s,
                           const struct touched *t, bool more)
{
    for (size_t i = 0; i < t->n; i++) {
        struct mail_folder f;
        int r = mail_folder_get(&c->tx, b->mailbox.id, t->ids[i], &f);
        if (r < 0 || (r && is_shown(&f) && write_present(c, b, &f) < 0))
            return -1;
        if (!r || !is_shown(&f))
            write_removed(c, b, t->ids[i]);
    }
    end_round(c, b, s, more);
    return 0;
}

/* ---- the method ---- */

static int begin_sync(struct call *c, const struct outlook_box *b, struct sync *ret)
{
    struct odata_query q;
    size_t from, top;
    if (outlook_options(c, "mailFolder", &q) < 0 ||
        outlook_page(c, &q, OUTLOOK_PAGE, &from, &top) < 0)
        return -1;
    *ret = (struct sync){.change = b->mailbox.change,
                         .top = top > OUTLOOK_MAX_PAGE ? OUTLOOK_MAX_PAGE : (int64_t)top,
                         .select = graph_option(c, "$select")};
    return outlook_folder_number(&c->tx, b->mailbox.id, &ret->number);
}

static int folders_delta(struct call *c)
{
    const char *token = graph_option(c, "$skiptoken"), *latest = graph_option(c, "$deltatoken");
    struct touched touched = {0};
    struct outlook_box b;
    struct sync s;
    bool more = false;
    if (outlook_open(c, OUTLOOK_READ, &b) < 0)
        return -1;
    if (!token && latest && strcasecmp(latest, "latest") != 0)
        token = latest;
    if ((token ? open_token(c, &b, token, &s) : begin_sync(c, &b, &s)) < 0)
        return -1;
    if (!token && latest)
        s.after = -1;
    if ((s.after < 0 && token && gather_touched(c, &b, &s, &touched, &more) < 0) ||
        select_again(c, &s) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(mailFolder)");
    json_arr(c->out, "value");
    return s.after < 0 ? changed_folders(c, &b, &s, &touched, more) : first_folders(c, &b, &s);
}

static const struct param params[] = {
    USER_PARAM,
    {.name = "$deltatoken", .place = IN_QUERY, .summary = "Of the deltaLink of the sync before"},
    {.name = "$select", .place = IN_QUERY},
    {.name = "$skiptoken", .place = IN_QUERY, .summary = "Of the nextLink of the page before"},
};
static const struct route routes[] = {
    {ROUTE("outlook.mailFolders.delta", GET, GRAPH_MY("/mailFolders/delta()")),
     .response = "microsoft.graph.mailFolderCollection", .handler = folders_delta,
     .risk = RISK_READ, .scopes = READ_BASIC SHARED, PARAMS(params),
     .summary = "Which mail folders have changed since a token"},
};
const struct rows outlook_folder_delta_rows = ROWS(routes);

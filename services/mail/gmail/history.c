/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a mailbox: one record for what was done at once. */
#include "services/mail/gmail/rows.h"
#include "engine/base/codec.h"

/* historyTypes as bits of enum mail_change_kind; 0: all. */
static unsigned wanted_kinds(struct call *c)
{
    static const enum mail_change_kind kinds[] = {MAIL_ADDED, MAIL_DELETED, MAIL_LABELLED,
                                                  MAIL_UNLABELLED};
    const struct param_value *v;
    unsigned bits = 0;
    for (size_t i = 0; (v = param_nth(c, "historyTypes", i)); i++)
        bits |= 1U << kinds[v->number];
    return bits;
}

static int start(struct call *c, int64_t *ret_after)
{
    const char *text = param_str(c, "startHistoryId");
    uint64_t id;
    if (!text || parse_u64(text, strlen(text), &id) < 0)
        return gmail_invalid(c, "Missing/invalid parameter: startHistoryId");
    if (!id || id > INT64_MAX)
        return gmail_not_found(c);
    *ret_after = (int64_t)id - 1;
    return 0;
}

static void write_change(struct call *c, const struct mail_change *ch)
{
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_obj(w, "message");
    json_str(w, "id", gmail_key(c->tx.arena, ch->key));
    json_str(w, "threadId", gmail_key(c->tx.arena, ch->thread_key));
    gmail_write_labels(c, "labelIds", ch->now, ch->n_now);
    json_end(w);
    if (ch->kind == MAIL_LABELLED || ch->kind == MAIL_UNLABELLED)
        gmail_write_labels(c, "labelIds", ch->folders, ch->n_folders);
    json_end(w);
}

/* A record: the changes of one number, which are of one kind. */
static void write_record(struct call *c, const struct mail_change *list, size_t n)
{
    static const char *const lists[] = {
        [MAIL_ADDED] = "messagesAdded",
        [MAIL_DELETED] = "messagesDeleted",
        [MAIL_LABELLED] = "labelsAdded",
        [MAIL_UNLABELLED] = "labelsRemoved",
    };
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_int_str(w, "id", gmail_history(list->number));
    json_arr(w, "messages");
    for (size_t i = 0; i < n; i++) {
        struct mail_message m = {.key = list[i].key, .thread_key = list[i].thread_key};
        gmail_write_ids(c, NULL, &m);
    }
    json_end(w);
    json_arr(w, lists[list->kind]);
    for (size_t i = 0; i < n; i++)
        write_change(c, &list[i]);
    json_end(w);
    json_end(w);
}

static int gmail_history_list(struct call *c)
{
    struct mailbox mb;
    struct gmail_label label = {0};
    struct mail_change *changes;
    int64_t after, position;
    size_t n;
    bool more;
    const char *name = param_str(c, "labelId");
    if (gmail_open(c, &mb) < 0 || start(c, &after) < 0)
        return -1;
    int r = name ? gmail_label_find(c, &mb, name, &label) : 1;
    if (r != 1)
        return r < 0 ? -1 : gmail_not_found(c);
    int paged = gmail_page_position(c, &mb, &position);
    if (paged < 0)
        return -1;
    if (mail_changes(&c->tx, &mb, paged ? position : after, wanted_kinds(c), label.folder.id,
                     gmail_limit(c), &changes, &n, &more) < 0)
        return gmail_refused(c);
    json_obj(c->out, NULL);
    if (n)
        json_arr(c->out, "history");
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && changes[end].number == changes[i].number; end++)
            ;
        write_record(c, &changes[i], end - i);
    }
    if (n)
        json_end(c->out);
    if (more && n)
        json_str(c->out, "nextPageToken", gmail_page_token(c, &mb, changes[n - 1].number));
    json_int_str(c->out, "historyId", gmail_history(mb.change));
    json_end(c->out);
    return 0;
}

/* ---- the methods ---- */

static const char *const history_types[] = {"messageAdded", "messageDeleted", "labelAdded",
                                            "labelRemoved", NULL};

static const struct param history_list_params[] = {
    USER_ID,
    {.name = "historyTypes",
     .place = IN_QUERY,
     .type = PARAM_ENUM,
     .repeated = true,
     .values = history_types},
    {.name = "labelId", .place = IN_QUERY},
    MAX_RESULTS,
    {.name = "pageToken", .place = IN_QUERY},
    {.name = "startHistoryId", .place = IN_QUERY, .format = "uint64"},
};

static const struct route routes[] = {
    {ROUTE("gmail.users.history.list", GET, "/gmail/v1/users/{userId}/history"), .cost = 2,
     .handler = gmail_history_list, .risk = RISK_READ,
     .scopes = MAIL " " METADATA " " MODIFY " " READONLY, PARAMS(history_list_params),
     .response = "ListHistoryResponse", .summary = "Lists what has changed"},
};
const struct rows gmail_history_rows = ROWS(routes);

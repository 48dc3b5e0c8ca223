/* SPDX-License-Identifier: Apache-2.0 */
/* Mentions of a message one by one, below /beta alone. */
#include "engine/base/codec.h"
#include "services/mail/outlook/letter.h"
#include "services/mail/outlook/rows.h"

/* ---- handlers ---- */

static int open_message(struct call *c, enum outlook_need need, struct outlook_box *b,
                        struct outlook_item *i)
{
    return outlook_open(c, need, b) < 0 ? -1 : outlook_item_of_path(c, b, i);
}

static void context(struct call *c, const struct outlook_box *b, const char *rest)
{
    graph_context(c, "%s/messages%s/mentions%s", outlook_root(c, b),
                  graph_key(c->tx.arena, param_str(c, "message-id")), rest);
}

static int mentions_list(struct call *c)
{
    struct outlook_item i;
    struct outlook_box b;
    if (open_message(c, OUTLOOK_READ, &b, &i) < 0)
        return -1;
    json_obj(c->out, NULL);
    context(c, &b, "");
    int r = outlook_write_mentions(c, &i, "value");
    json_end(c->out);
    return r;
}

/* That of the path, among those of its message: 0 with its place, -1 refused. */
static int find_mention(struct call *c, const struct outlook_item *i,
                        struct outlook_mention **ret_list, size_t *ret_at)
{
    const char *id = param_str(c, "mention-id");
    size_t n;
    if (outlook_item_mentions(&c->tx, i, ret_list, &n) < 0)
        return -1;
    for (size_t k = 0; k < n; k++)
        if (str_eq_nocase((*ret_list)[k].id, id)) {
            *ret_at = k;
            return 0;
        }
    return graph_not_found(c);
}

static int mentions_get(struct call *c)
{
    struct outlook_mention *list;
    struct outlook_item i;
    struct outlook_box b;
    size_t at;
    if (open_message(c, OUTLOOK_READ, &b, &i) < 0 || find_mention(c, &i, &list, &at) < 0)
        return -1;
    json_obj(c->out, NULL);
    context(c, &b, "/$entity");
    outlook_write_mention(c, &list[at]);
    json_end(c->out);
    return 0;
}

static int mentions_delete(struct call *c)
{
    struct outlook_mention *list;
    struct outlook_letter l;
    struct outlook_item i;
    struct outlook_box b;
    size_t at, kept = 0;
    if (open_message(c, OUTLOOK_WRITE, &b, &i) < 0 || find_mention(c, &i, &list, &at) < 0)
        return -1;
    c->status = 204;
    if (!i.draft.id)
        return mail_kept_put(&c->tx, &outlook_extras, i.message.id, MENTION_KIND, list[at].id,
                             "{\"removed\":true}") < 0
                   ? -1
                   : outlook_item_touch(&c->tx, &i);
    if (outlook_letter_of(c, &b, &i.message, &l) < 0)
        return -1;
    for (size_t k = 0; k < l.n_mentions; k++)
        if (strcmp(l.mentions[k].id, list[at].id) != 0)
            l.mentions[kept++] = l.mentions[k];
    l.n_mentions = kept;
    return outlook_draft_save(c, &b, &l, &i);
}

/* ---- the methods ---- */

static const struct param params[] = {USER_PARAM, PATH_PARAM("mailFolder-id"),
                                      PATH_PARAM("message-id"), PATH_PARAM("mention-id")};
static const struct route routes[] = {
    {ROUTE("outlook.messages.mentions.list", GET, BETA_MESSAGE_PATHS("/mentions")),
     .response = "microsoft.graph.mentionCollection", .handler = mentions_list, .risk = RISK_READ,
     .scopes = READ SHARED, PARAMS(outlook_message_params),
     .summary = "Lists who is mentioned in a message"},
    {ROUTE("outlook.messages.mentions.get", GET, BETA_MESSAGE_PATHS("/mentions/{mention-id}")),
     .response = "microsoft.graph.mention", .handler = mentions_get, .risk = RISK_READ,
     .scopes = READ SHARED, PARAMS(params), .summary = "A mention of a message"},
    {ROUTE("outlook.messages.mentions.delete", DELETE,
           BETA_MESSAGE_PATHS("/mentions/{mention-id}")),
     .handler = mentions_delete, .risk = RISK_WRITE, .scopes = WRITE SHARED_WRITE, PARAMS(params),
     .status = 204, .summary = "Takes a mention off a message"},
};
const struct rows outlook_mention_rows = ROWS(routes);

/* SPDX-License-Identifier: Apache-2.0 */
/* What a person does in the client, as a method that only the person has. */
#include "services/chat/teams/act.h"
#include "services/chat/teams/rows.h"

static int answer_act(struct teams_at *at)
{
    struct chat_message root;
    struct teams_writing g;
    const struct chat_message *m = &at->message;
    const bool in = m->thread && m->thread != m->id;
    if ((in && chat_message_get(&at->c->tx, m->thread, &root) != 1) || teams_writing(at, &g) < 0)
        return -1;
    json_obj(at->c->out, NULL);
    int r = teams_write_message(&g, m, in ? &root : NULL);
    json_end(at->c->out);
    return r;
}

static int people_act(struct call *c)
{
    struct teams_at at;
    const struct json *body;
    /* What a client can do no scopes are for: a token that has some is not the person. */
    if (c->app || !c->scopes.all || teams_open_write(c, &at) < 0 || !at.me.id)
        return c->app || !c->scopes.all || !c->tx.err->code ? graph_denied(c) : -1;
    if (!(body = call_body(c)))
        return -1;
    struct teams_deed d = {.tx = &c->tx, .me = &at.me};
    int r = teams_deed(&d, json_get(body, "do"));
    if (r != 1)
        return r < 0 ? -1 : teams_bad(c, d.refused);
    at.channel = d.channel;
    if (d.channel.team && chat_team_get(&c->tx, d.channel.team, &at.team) != 1)
        return -1;
    if (chat_message_get(&c->tx, d.message.id, &at.message) != 1)
        return -1;
    return answer_act(&at);
}

static const struct route methods[] = {
    {ROUTE("teams/people.act", POST, "/_act/teams"), .token_kinds = TOKEN_USER,
     .handler = people_act, .risk = RISK_EXTERNAL, .body = BODY_JSON,
     .response = "microsoft.graph.chatMessage", .summary = "Do what a person does in the client"},
};

const struct rows teams_act_rows = ROWS(methods);

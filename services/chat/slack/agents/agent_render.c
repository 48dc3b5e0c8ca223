/* SPDX-License-Identifier: Apache-2.0 */
/* What a code channel shows of its agents: members of its properties, and tabs. */
#include "services/chat/slack/agents/agents.h"
#include "services/chat/slack/files/document.h"

static int write_agent(void *arg, int64_t user)
{
    struct call *c = arg;
    json_str(c->out, NULL, sl_user_key(c, user));
    return 0;
}

struct tabs {
    struct call *c;
    int64_t channel;
    bool failed, any;
};

/* A diff is not among the tabs, and documents of the channel's own are there already. */
static int is_tab(struct tabs *t, const struct chat_agent_view *v)
{
    struct chat_document d;
    if (v->type == CHAT_VIEW_DIFF)
        return 0;
    int r = v->type == CHAT_VIEW_DOCUMENT ? chat_document_get(&t->c->tx, v->file, &d) : 0;
    return r < 0 ? -1 : !r || d.channel != t->channel;
}

static int write_agent_tab(void *arg, const struct chat_agent_view *v)
{
    struct tabs *t = arg;
    struct json_writer *w = t->c->out;
    struct chat_file f = {.key = NULL};
    int r = is_tab(t, v);
    if (r == 1 && v->file)
        r = chat_file_get(&t->c->tx, v->file, &f);
    t->failed = r < 0;
    if (r != 1)
        return t->failed;
    json_obj(w, NULL);
    json_str(w, "id", v->key);
    json_str(w, "type", v->type == CHAT_VIEW_DOCUMENT ? "canvas" : "agent_view");
    json_str(w, "label", v->label);
    json_obj(w, "data");
    json_str_opt(w, "file_id", f.key);
    json_end(w);
    json_end(w);
    return 0;
}

static int find_tab(void *arg, const struct chat_agent_view *v)
{
    struct tabs *t = arg;
    int r = is_tab(t, v);
    t->failed = r < 0;
    t->any = r == 1;
    return r != 0;
}

int sl_has_agent_tabs(struct call *c, int64_t channel)
{
    struct tabs t = {.c = c, .channel = channel};
    return chat_agent_views(&c->tx, channel, find_tab, &t) < 0 || t.failed ? -1 : t.any;
}

int sl_write_agent_tabs(struct call *c, int64_t channel)
{
    struct tabs t = {.c = c, .channel = channel};
    return chat_agent_views(&c->tx, channel, write_agent_tab, &t) < 0 || t.failed ? -1 : 0;
}

int sl_write_agent_properties(struct call *c, const struct chat_agent_channel *a)
{
    struct json_writer *w = c->out;
    struct chat_channel origin;
    char ts[CHAT_TS_LEN];
    int r = a->origin ? chat_channel_get(&c->tx, a->origin, &origin) : 0;
    if (r < 0)
        return -1;
    json_obj(w, "agent_session");
    json_str(w, "status", a->status);
    json_arr(w, "encoded_agent_bot_user_ids");
    if (chat_agents(&c->tx, a->channel, write_agent, c) < 0)
        return -1;
    json_end(w);
    json_str(w, "title", a->title);
    if (r == 1) {
        chat_ts_text(ts, a->origin_us);
        json_obj(w, "origin_link");
        json_str(w, "channel_id", origin.key);
        json_str(w, "ts", ts);
        json_end(w);
    }
    json_end(w);
    json_raw(w, "code_channel", a->about, strlen(a->about));
    if (a->resource)
        json_raw(w, "agent_resource", a->resource, strlen(a->resource));
    json_obj(w, "record_channel");
    json_str(w, "record_type", "agent_channel");
    json_end(w);
    return 0;
}

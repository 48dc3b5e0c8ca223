/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of agents in the form of seed documents. */
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "services/chat/slack/agents/agent.h"
#include "services/chat/slack/store.h"

static int check_agent(const struct form_in *in, int64_t channel, int64_t user)
{
    int r = user ? chat_is_agent(in->tx, channel, user) : 0;
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_fail(in->d, in->value, "agent", "must be one of the channel's agents");
}

/* ---- views ---- */

static int read_file(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_agent_view *view = row;
    struct chat_file f;
    const char *file;
    if (doc_str(in->d, in->value, m->name, false, &file) < 0)
        return -1;
    if (!file != (view->type == CHAT_VIEW_LINK))
        return doc_fail(in->d, in->value, m->name, file ? "a link has no file" : "is missing");
    int r = file ? chat_file_find(in->tx, view->workspace, file, &f) : 1;
    if (r == 1 && file)
        r = f.state == CHAT_FILE_THERE &&
            (view->type != CHAT_VIEW_DOCUMENT || strcmp(f.mode, "document") == 0);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                "there is no such file \"%.80s\"", file);
    view->file = file ? f.id : 0;
    return 0;
}

static int write_file(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_agent_view *view = row;
    struct chat_file f;
    if (!view->file)
        return 0;
    if (chat_file_get(out->tx, view->file, &f) != 1)
        return -1;
    json_str(out->w, m->name, f.key);
    return 0;
}

static int check_view(const struct form_in *in, void *row)
{
    struct chat_agent_view *view = row;
    if (!view->name && view->type != CHAT_VIEW_DIFF && view->type != CHAT_VIEW_LINK)
        return doc_fail(in->d, in->value, "name", "is missing");
    return check_agent(in, view->channel, view->user) < 0 ? -1
                                                          : chat_unsaid_now(in->tx, &view->added_s);
}

static const struct reference file_reference = {.noun = "the id of a file"};
static const struct member view_members[] = {
    STORED_ID(struct chat_agent_view),
    {.kind = MEMBER_INT, MEMBER_TYPED(struct chat_agent_view, channel, int64_t)},
    {"id", "Its id; made up without it", CHAT_MADE_KEY_AT(struct chat_agent_view, key, "Ct")},
    {"agent", "Which agent", CHAT_USER_AT(struct chat_agent_view, user)},
    {"name", "Its name", TEXT_AT(struct chat_agent_view, name)},
    {"type", "What it is", ENUM_AT(struct chat_agent_view, type, chat_agent_view_types),
     .flags = MEMBER_SPOKEN | MEMBER_ALWAYS},
    {"label", "Its words", TEXT_AT(struct chat_agent_view, label), .flags = MEMBER_REQUIRED},
    {"file", "The id of the file that it shows", .kind = MEMBER_REF, .ref = &file_reference,
     .read = read_file, .write = write_file, MEMBER_TYPED(struct chat_agent_view, file, int64_t)},
    {"version", "Which version", INT_AT(struct chat_agent_view, version, 1, INT64_C(1) << 31),
     .usual = 1, .flags = MEMBER_ALWAYS},
    {"added", "When it was put there", CHAT_SECOND_AT(struct chat_agent_view, added_s),
     .usual = CHAT_UNSAID},
    {"detail", "As the API has it", KEPT_AT(struct chat_agent_view, detail, JSON_OBJECT)},
};
STORED(slack_agent_view_stored, "What an agent shows beside a channel", struct chat_agent_view,
       view_members, check_view, .table = "slack_agent_view", .key = "id");

static int begin_view(const struct form_in *in, void *row, int64_t channel)
{
    struct chat_agent_view *view = row;
    view->workspace = ((const struct chat_agent_channel *)in->of)->workspace;
    view->channel = channel;
    return 0;
}

static struct stored_rows views = {&slack_agent_view_stored,
                                   SQL_TEXT("where channel = ?1 order by id"), begin_view};

/* ---- commands ---- */

static int check_command(const struct form_in *in, void *row)
{
    const struct chat_agent_command *one = row;
    if (!*one->name || strlen(one->name) > 31)
        return doc_fail(in->d, json_get(in->value, "name"), "name", "must have 1 to 31 characters");
    return check_agent(in, one->channel, one->user);
}

static int add_command(const struct form_in *in, void *row);

static const struct member command_members[] = {
    {.kind = MEMBER_INT, MEMBER_TYPED(struct chat_agent_command, channel, int64_t)},
    {.kind = MEMBER_INT, MEMBER_TYPED(struct chat_agent_command, place, int64_t)},
    {"agent", "Which agent", CHAT_USER_AT(struct chat_agent_command, user)},
    {"name", "What is typed", TEXT_AT(struct chat_agent_command, name), .flags = MEMBER_REQUIRED},
    {"description", "What it does", TEXT_AT(struct chat_agent_command, description),
     .flags = MEMBER_REQUIRED},
    {"hint", "What comes behind it", TEXT_AT(struct chat_agent_command, hint)},
    {"escape", "Mentions come as ids", BOOL_AT(struct chat_agent_command, escapes)},
};
STORED(slack_command_stored, "A command of an agent", struct chat_agent_command, command_members,
       check_command, .table = "slack_agent_command", .key = "name", .add = add_command);

/* Behind those that are there. */
static int add_command(const struct form_in *in, void *row)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from slack_agent_command where channel = :channel");
    struct chat_agent_command *one = row;
    return TX_INT(in->tx, &q, &one->place, one->channel) < 0
               ? -1
               : stored_add(in->tx, &slack_command_stored, one);
}

static int begin_command(const struct form_in *in, void *row, int64_t channel)
{
    struct chat_agent_command *one = row;
    one->workspace = ((const struct chat_agent_channel *)in->of)->workspace;
    one->channel = channel;
    return 0;
}

static struct stored_rows commands = {
    &slack_command_stored, SQL_TEXT("where channel = ?1 order by user, place, id"), begin_command};

/* ---- channels ---- */

static int check_origin(const struct form_in *in, const struct member *m, void *row)
{
    return member_number(m, row) > 0 ? 0
                                     : doc_fail(in->d, json_get(in->value, m->name), m->name,
                                                "must be the time of a message");
}

static const struct member origin_members[] = {
    {"channel", "A channel", CHAT_CHANNEL_AT(struct chat_agent_channel, origin),
     .flags = MEMBER_REQUIRED},
    {"ts", "The time of a message there", CHAT_TS_AT(struct chat_agent_channel, origin_us),
     .check = check_origin, .flags = MEMBER_REQUIRED},
};
static const struct form origin_form = FORM("Where a channel of agents began", origin_members);

static int add_agents(const struct form_in *in, const struct member *m, void *row, int64_t channel)
{
    const struct json *list;
    struct chat_user u;
    if (doc_list(in->d, in->value, m->name, &list) < 0)
        return -1;
    if (!list || !list->n)
        return doc_fail(in->d, in->value, m->name, "must have at least one");
    for (uint32_t i = 0; i < list->n; i++) {
        const char *name = list->items[i].type == JSON_STRING ? list->items[i].str : "";
        int r = chat_doc_find(in->tx, ((struct chat_agent_channel *)row)->workspace, name, &u);
        if (r < 0)
            return -1;
        if (!r || !u.bot)
            return doc_fail(in->d, &list->items[i], m->name, "there is no bot \"%.80s\"", name);
        if (chat_agent_add(in->tx, channel, u.id) < 0)
            return doc_taken(in->d, in->value, m->name);
    }
    return 0;
}

struct writing {
    const struct form_out *out;
    bool failed;
};

static int write_agent_key(void *arg, int64_t user)
{
    struct writing *w = arg;
    w->failed = chat_dump_user(w->out->tx, w->out->w, NULL, user) < 0;
    return w->failed;
}

static int write_agents(const struct form_out *out, const struct member *m, const void *row)
{
    struct writing w = {out};
    json_arr(out->w, m->name);
    if (chat_agents(out->tx, ((const struct chat_agent_channel *)row)->channel, write_agent_key,
                    &w) < 0 ||
        w.failed)
        return -1;
    json_end(out->w);
    return 0;
}

static int check_channel(const struct form_in *in, void *row)
{
    struct chat_agent_channel *a = row;
    struct chat_channel ch;
    if (chat_channel_get(in->tx, a->channel, &ch) != 1)
        return -1;
    if (ch.kind > CHAT_PRIVATE || ch.workspace != a->workspace)
        return doc_fail(in->d, json_get(in->value, "channel"), "channel",
                        "must be a public or a private channel of the workspace");
    if (a->session && (!*a->session || strlen(a->session) > 64))
        return doc_fail(in->d, json_get(in->value, "session"), "session",
                        "must have 1 to 64 characters");
    a->title = a->title ? a->title : ch.name;
    return 0;
}

static int add_channel(const struct form_in *in, void *row)
{
    const struct chat_agent_channel *a = row;
    struct chat_channel ch;
    return chat_channel_get(in->tx, a->channel, &ch) != 1 ? -1
                                                          : chat_agent_channel_add(in->tx, &ch, a);
}

static const struct member agent_members[] = {
    CHAT_WORKSPACE,
    {"channel", "The channel", CHAT_CHANNEL_AT(struct chat_agent_channel, channel),
     .flags = MEMBER_REQUIRED},
    {"app", "The client id of the app", CHAT_APP_AT(struct chat_agent_channel, app),
     .flags = MEMBER_REQUIRED},
    {"session", "What the app calls it", TEXT_AT(struct chat_agent_channel, session)},
    {"title", "Its title; the name without it", TEXT_AT(struct chat_agent_channel, title)},
    {"status", "How far it is", WORD_AT(struct chat_agent_channel, status, chat_agent_statuses),
     .usual_text = "active", .flags = MEMBER_ALWAYS},
    {"origin", "The message that it began with", OBJECT_HERE(&origin_form)},
    {"agents", "Users who are agents there", .kind = MEMBER_OWN, .noun = "list of texts",
     .added = add_agents, .write = write_agents, .inner = "*",
     .schema = "{\"type\":\"array\",\"minItems\":1,\"items\":{\"type\":\"string\"}}",
     .flags = MEMBER_REQUIRED},
    {"about", "As the API has it", KEPT_AT(struct chat_agent_channel, about, JSON_OBJECT),
     .usual_text = "{}"},
    {"resource", "The same", KEPT_AT(struct chat_agent_channel, resource, JSON_OBJECT)},
    {"views", "What agents show beside it", MEMBER_ROWS(&slack_agent_view_stored_form, &views)},
    {"commands", "Commands of agents", MEMBER_ROWS(&slack_command_stored_form, &commands)},
};
STORED(slack_agent_stored, "A channel in which agents work", struct chat_agent_channel,
       agent_members, check_channel, .table = "slack_agent_channel", .id = "channel",
       .key = "channel", .add = add_channel);

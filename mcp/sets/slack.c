/* SPDX-License-Identifier: Apache-2.0 */
/* The hosted tools of a workspace, and those of the archived reference server. Source of names,
 * arguments and shapes: their published code. */
#include "mcp/sets/set.h"
#include <strings.h>

/* ---- filters ---- */

static bool has_text(const struct json *v, const char *member, const char *part)
{
    const char *text = json_get_str(v, member);
    return text && strcasestr(text, part);
}

/* Conversations whose name has channel_name, and direct ones with user_id; all where neither is
 * said. */
static const struct json *conversations(struct set_run *r, const struct json *v, const char *arg,
                                        const struct json *item)
{
    const char *name = json_get_str(r->args, "channel_name");
    const char *user = json_get_str(r->args, "user_id");
    struct value_list l = {.arena = r->arena};
    if (!v || ((!name || !*name) && (!user || !*user)))
        return v;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *c = &v->items[i];
        bool direct = json_is_true(json_get(c, "is_im"));
        const char *with = json_get_str(c, "user");
        if (direct ? user && with && strcmp(with, user) == 0
                   : name && *name &&
                         (has_text(c, "name", name) || has_text(c, "name_normalized", name)))
            list_add(&l, c);
    }
    return list_value(&l);
}

/* Members with user_id, or whose names have name; all where neither is said. */
static const struct json *members(struct set_run *r, const struct json *v, const char *arg,
                                  const struct json *item)
{
    const char *name = json_get_str(r->args, "name"), *user = json_get_str(r->args, "user_id");
    struct value_list l = {.arena = r->arena};
    if (!v || ((!name || !*name) && (!user || !*user)))
        return v;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *m = &v->items[i];
        const char *id = json_get_str(m, "id");
        if ((user && id && strcmp(id, user) == 0) ||
            (name && *name && (has_text(m, "name", name) || has_text(m, "real_name", name))))
            list_add(&l, m);
    }
    return list_value(&l);
}

/* "wave * 2, eyes * 1"; nothing of none. */
static const struct json *reactions(struct set_run *r, const struct json *v, const char *arg,
                                    const struct json *item)
{
    struct buf b;
    if (!value_holds(v) || v->type != JSON_ARRAY)
        return NULL;
    buf_init(&b, 0);
    for (uint32_t i = 0; i < v->n; i++)
        buf_printf(&b, "%s%s * %s", i ? ", " : "",
                   value_words(r->arena, json_get(&v->items[i], "name")),
                   value_words(r->arena, json_get(&v->items[i], "count")));
    return set_text(r, &b);
}

/* The question with what other arguments add to it. */
static const struct json *question(struct set_run *r, const struct json *v, const char *arg,
                                   const struct json *item)
{
    const struct json *channels = json_get(r->args, "channel_ids");
    const char *to_me = json_get_str(r->args, "to_me");
    const char *me = json_get_str(r->responses[0], "user_id");
    struct buf b;
    buf_init(&b, 1 << 20);
    buf_puts(&b, value_words(r->arena, v));
    if (me && to_me && strcmp(to_me, "dm") == 0)
        buf_printf(&b, " to:<@%s>", me);
    else if (me)
        buf_printf(&b, " <@%s>", me);
    for (uint32_t i = 0; channels && i < channels->n; i++)
        buf_printf(&b, " in:%s", channels->items[i].str);
    return set_text(r, &b);
}

/* Where there are more: how to get them. */
static const struct json *more(struct set_run *r, const struct json *v, const char *arg,
                               const struct json *item)
{
    return value_text(r->arena,
                      value_holds(v) ? " There are more: pass next_cursor as cursor." : "");
}

static const struct set_filter filters[] = {
    {"conversations", conversations}, {"members", members}, {"reactions", reactions},
    {"question", question},           {"more", more},       {NULL, NULL},
};

/* ---- rows of the hosted set ---- */

static const char *const formats[] = {"concise", "detailed", NULL};
static const char *const to_me[] = {"dm", "mention", "off", NULL};
static const char *const sorts[] = {"score", "timestamp", NULL};
static const char *const directions[] = {"asc", "desc", NULL};

#define CURSOR                                                                                     \
    {                                                                                              \
        .name = "cursor", .summary = "next_cursor of the page before"                              \
    }
#define CHANNEL                                                                                    \
    {                                                                                              \
        .name = "channel_id", .required = true, .summary = "Id of the conversation"                \
    }
#define FORMAT                                                                                     \
    {                                                                                              \
        .name = "response_format", .def = "concise", .values = formats,                            \
        .summary = "concise: what matters of each; detailed: all that the service gives"           \
    }
#define THREAD                                                                                     \
    {                                                                                              \
        .name = "thread_ts", .required = true, .summary = "ts of the first message"                \
    }
#define TEXT                                                                                       \
    {                                                                                              \
        .name = "text", .required = true, .summary = "What is written"                             \
    }
#define STAMP                                                                                      \
    {                                                                                              \
        .name = "timestamp", .required = true, .summary = "ts of the message"                      \
    }
#define REACTION                                                                                   \
    {                                                                                              \
        .name = "reaction", .required = true, .summary = "Name of the emoji, as wave"              \
    }
#define RANGE                                                                                      \
    {.name = "oldest", .summary = "Messages after this ts"},                                       \
        {.name = "latest", .summary = "Messages before this ts"},                                  \
    {                                                                                              \
        .name = "inclusive", .type = ARG_BOOLEAN, .summary = "With those at the bounds"            \
    }
#define MESSAGES_LIMIT                                                                             \
    {                                                                                              \
        .name = "limit", .type = ARG_NUMBER, .def = "10", .summary = "Messages on a page"          \
    }

static const struct set_arg channels_args[] = {
    {.name = "limit", .type = ARG_NUMBER, .def = "100", .summary = "Conversations on a page"},
    CURSOR,
    {.name = "types",
     .def = "public_channel",
     .summary = "Some of public_channel, private_channel, mpim, im, with commas between"},
    {.name = "channel_name", .summary = "Part of the name"},
    {.name = "user_id", .summary = "Whom a direct conversation is with"},
    FORMAT,
};
static const struct set_arg history_args[] = {CHANNEL, MESSAGES_LIMIT, CURSOR, RANGE, FORMAT};
static const struct set_arg replies_args[] = {CHANNEL, THREAD, MESSAGES_LIMIT,
                                              CURSOR,  RANGE,  FORMAT};
static const struct set_arg invite_args[] = {
    CHANNEL,
    {.name = "user_ids", .type = ARG_STRINGS, .required = true, .summary = "Ids of who is added"},
};
static const struct set_arg users_args[] = {
    CURSOR,
    {.name = "limit", .type = ARG_INTEGER, .def = "100", .summary = "Members on a page"},
    {.name = "team_id", .summary = "Workspace, in an organisation of several"},
    {.name = "include_locale", .type = ARG_BOOLEAN, .summary = "With the language of each"},
    {.name = "user_id", .summary = "The one member with this id"},
    {.name = "name", .summary = "Part of a name"},
    FORMAT,
};
static const struct set_arg user_args[] = {
    {.name = "user_id", .required = true, .summary = "Id of the member"},
    {.name = "include_locale", .type = ARG_BOOLEAN, .summary = "With the member's language"},
};
static const struct set_arg search_args[] = {
    {.name = "query", .required = true, .summary = "As in the search field: from:@ada has:link"},
    {.name = "channel_ids", .type = ARG_STRINGS, .summary = "Only in these conversations"},
    {.name = "to_me",
     .def = "off",
     .values = to_me,
     .summary = "dm: sent to the caller; mention: that name the caller"},
    {.name = "sort", .def = "score", .values = sorts, .summary = "By relevance or by time"},
    {.name = "sort_dir", .def = "desc", .values = directions, .summary = "Which end is first"},
    {.name = "count", .type = ARG_NUMBER, .def = "20", .summary = "Messages on a page, up to 100"},
    CURSOR,
    {.name = "highlight", .type = ARG_BOOLEAN, .def = "true", .summary = "With marks at matches"},
    FORMAT,
};
static const struct set_arg post_args[] = {CHANNEL, TEXT};
static const struct set_arg reply_args[] = {CHANNEL, THREAD, TEXT};
static const struct set_arg react_args[] = {CHANNEL, STAMP, REACTION};

#define DETAILED(concise) "{'$if':'$response_format|is:detailed','$then':'$.','$else':" concise "}"
#define PAGE              "'response_metadata':'$0.response_metadata|filled'"
#define POST              "{'channel':'$channel_id','text':'$text'}"
#define REPLY             "{'channel':'$channel_id','thread_ts':'$thread_ts','text':'$text'}"
#define REACT             "{'channel':'$channel_id','timestamp':'$timestamp','name':'$reaction'}"
#define RANGE_OF                                                                                   \
    "'cursor':'$cursor|filled','oldest':'$oldest|filled','latest':'$latest|filled',"               \
    "'inclusive':'$inclusive'"

static const struct set_tool tools[] = {
    {.name = "slack_user_list_channels",
     .category = "SLACK_CHANNEL",
     .summary = "Conversations that the user is in, by name or by whom they are with if asked",
     SET_ARGS(channels_args),
     .steps = {{"users.conversations",
                "{'exclude_archived':true,'limit':'$limit|or:100|most:200',"
                "'cursor':'$cursor|filled','types':'$types|or:public_channel'}"}},
     .result = "{'ok':true,'channels':{'$each':'$0.channels|conversations','$as':" DETAILED(
         "{'$if':'$.is_im','$then':{'id':'$.id','user':'$.user'},"
         "'$else':{'id':'$.id','name':'$.name'}}") "},"
                                                   "'summary':{'total_returned':'$0.channels|"
                                                   "conversations|count',"
                                                   "'message':'{0.channels|conversations|count} "
                                                   "conversations."
                                                   "{0.response_metadata.next_cursor|more}'}," PAGE
                                                   "}",
     .token_kinds = TOKEN_USER},
    {.name = "slack_get_channel_history",
     .category = "SLACK_CHANNEL",
     .summary = "Messages of a conversation, newest first; one of them by its ts as latest, with "
                "inclusive and a limit of 1",
     SET_ARGS(history_args),
     .steps = {{"conversations.history",
                "{'channel':'$channel_id','limit':'$limit|or:10|most'," RANGE_OF "}"}},
     .result = "{'ok':true,'messages':{'$each':'$0.messages','$as':" DETAILED(
         "{'user_id':'$.user|null','ts':'$.ts','text':'$.text|null',"
         "'thread_ts':'$.thread_ts',"
         "'reply_count':{'$if':'$.thread_ts|same:.ts','$then':'$.reply_count|or:0'},"
         "'is_thread_parent':'$.thread_ts|same:.ts','reactions':'$.reactions|reactions'}") "},"
                                                                                           "'has_"
                                                                                           "more':'"
                                                                                           "$0.has_"
                                                                                           "more|"
                                                                                           "or:"
                                                                                           "false',"
                                                                                           "'summar"
                                                                                           "y':'{0."
                                                                                           "message"
                                                                                           "s|"
                                                                                           "count} "
                                                                                           "message"
                                                                                           "s.{0."
                                                                                           "has_"
                                                                                           "more|"
                                                                                           "more}'"
                                                                                           "," PAGE
                                                                                           "}"},
    {.name = "slack_get_thread_replies",
     .category = "SLACK_THREAD",
     .summary = "The first message of a thread and its replies",
     SET_ARGS(replies_args),
     .steps =
         {{"conversations.replies",
           "{'channel':'$channel_id','ts':'$thread_ts','limit':'$limit|or:10|most:1000'," RANGE_OF
           "}"}},
     .result = "{'ok':true,'messages':{'$each':'$0.messages','$as':" DETAILED(
         "{'user_id':'$.user|null','ts':'$.ts','text':'$.text|null',"
         "'thread_ts':'$.thread_ts|null','is_parent':'$.ts|same:thread_ts',"
         "'reply_count':{'$if':'$.ts|same:thread_ts','$then':'$.reply_count|or:0'},"
         "'parent_user_id':{'$if':'$.ts|same:thread_ts','$else':'$.parent_user_id|null'},"
         "'reactions':'$.reactions|reactions'}") "},"
                                                 "'has_more':'$0.has_more|or:false',"
                                                 "'summary':'{0.messages|count} messages of the "
                                                 "thread.{0.has_more|more}'," PAGE "}"},
    {.name = "slack_invite_users_to_channel",
     .category = "SLACK_CHANNEL",
     .summary = "Add people or bots to a channel",
     SET_ARGS(invite_args),
     .steps = {{"conversations.invite", "{'channel':'$channel_id','users':'$user_ids|join|or'}"}}},
    {.name = "slack_list_users",
     .category = "SLACK_USER",
     .summary = "Members of the workspace, by id or part of a name if asked",
     SET_ARGS(users_args),
     .steps = {{"users.list", "{'limit':'$limit|or:100|most:200','cursor':'$cursor|filled',"
                              "'team_id':'$team_id|filled','include_locale':'$include_locale'}"}},
     .result = "{'ok':true,'members':{'$each':'$0.members|members','$as':" DETAILED(
         "{'id':'$.id','name':'$.name|null','real_name':'$.real_name|null'}") "},"
                                                                              "'summary':{'total_"
                                                                              "returned':'$0."
                                                                              "members|members|"
                                                                              "count',"
                                                                              "'message':'{0."
                                                                              "members|members|"
                                                                              "count} members."
                                                                              "{0.response_"
                                                                              "metadata.next_"
                                                                              "cursor|more}'}," PAGE
                                                                              "}"},
    {.name = "slack_user_get_info",
     .category = "SLACK_USER",
     .summary = "One member of the workspace",
     SET_ARGS(user_args),
     .steps = {{"users.info", "{'user':'$user_id','include_locale':'$include_locale'}"}},
     .token_kinds = TOKEN_USER},
    {.name = "slack_user_search_messages",
     .category = "SLACK_MESSAGE",
     .summary = "Messages that a query of the search field finds, in all that the user may read",
     SET_ARGS(search_args),
     .steps = {{"auth.test", .when = "to_me|not:off"},
               {"search.messages",
                "{'query':'$query|question','count':'$count|or:20|most:100',"
                "'cursor':'$cursor|filled','highlight':'$highlight','sort':'$sort',"
                "'sort_dir':'$sort_dir'}"}},
     .result =
         "{'ok':true,'query':'$query|question','messages':{'total':'$1.messages.total|or:0',"
         "'matches':{'$each':'$1.messages.matches','$as':" DETAILED(
             "{'channel_id':'$.channel.id|null','channel_name':'$.channel.name|null',"
             "'user_id':'$.user|null','username':'$.username|null','ts':'$.ts','text':'$.text|null'"
             ","
             "'permalink':'$.permalink|null','thread_ts':'$.thread_ts'}") "}},"
                                                                          "'summary':'{1.messages."
                                                                          "matches|count} of "
                                                                          "{1.messages.total|or:0} "
                                                                          "messages."
                                                                          "{1.response_metadata."
                                                                          "next_cursor|more}',"
                                                                          "'response_metadata':'$1."
                                                                          "response_metadata|"
                                                                          "filled'}",
     .token_kinds = TOKEN_USER},
    {.name = "slack_user_post_message",
     .category = "SLACK_MESSAGE",
     .summary = "Write into a conversation as the user",
     SET_ARGS(post_args),
     .steps = {{"chat.postMessage", POST}},
     .token_kinds = TOKEN_USER},
    {.name = "slack_user_reply_to_thread",
     .category = "SLACK_MESSAGE",
     .summary = "Write into a thread as the user",
     SET_ARGS(reply_args),
     .steps = {{"chat.postMessage", REPLY}},
     .token_kinds = TOKEN_USER},
    {.name = "slack_user_add_reaction",
     .category = "SLACK_REACTION",
     .summary = "React to a message with an emoji as the user",
     SET_ARGS(react_args),
     .steps = {{"reactions.add", REACT}},
     .token_kinds = TOKEN_USER},
    {.name = "slack_bot_post_message",
     .category = "SLACK_MESSAGE",
     .summary = "Write into a conversation as the bot",
     SET_ARGS(post_args),
     .steps = {{"chat.postMessage", POST}},
     .token_kinds = TOKEN_BOT},
    {.name = "slack_bot_reply_to_thread",
     .category = "SLACK_MESSAGE",
     .summary = "Write into a thread as the bot",
     SET_ARGS(reply_args),
     .steps = {{"chat.postMessage", REPLY}},
     .token_kinds = TOKEN_BOT},
    {.name = "slack_bot_add_reaction",
     .category = "SLACK_REACTION",
     .summary = "React to a message with an emoji as the bot",
     SET_ARGS(react_args),
     .steps = {{"reactions.add", REACT}},
     .token_kinds = TOKEN_BOT},
};

const struct set_tools hosted_slack = {.set = SET_HOSTED,
                                       .service = "slack",
                                       .filters = filters,
                                       .tools = tools,
                                       .n = SOSIA_LEN(tools)};

/* ---- rows of the archived reference server ---- */

static const struct set_arg list_args[] = {
    {.name = "limit", .type = ARG_NUMBER, .def = "100", .summary = "Channels on a page, up to 200"},
    CURSOR,
};
static const struct set_arg latest_args[] = {CHANNEL, MESSAGES_LIMIT};
static const struct set_arg thread_args[] = {CHANNEL, THREAD};
static const struct set_arg people_args[] = {
    CURSOR,
    {.name = "limit", .type = ARG_NUMBER, .def = "100", .summary = "Members on a page, up to 200"},
};
static const struct set_arg profile_args[] = {
    {.name = "user_id", .required = true, .summary = "Id of the member"}};

static const struct set_tool reference_tools[] = {
    {.name = "slack_list_channels",
     .summary = "Public channels of the workspace",
     SET_ARGS(list_args),
     .steps = {{"conversations.list", "{'types':'public_channel','exclude_archived':true,"
                                      "'limit':'$limit|capped:200','cursor':'$cursor|filled'}"}}},
    {.name = "slack_post_message",
     .summary = "Write into a channel",
     SET_ARGS(post_args),
     .steps = {{"chat.postMessage", POST}}},
    {.name = "slack_reply_to_thread",
     .summary = "Write into a thread",
     SET_ARGS(reply_args),
     .steps = {{"chat.postMessage", REPLY}}},
    {.name = "slack_add_reaction",
     .summary = "React to a message with an emoji",
     SET_ARGS(react_args),
     .steps = {{"reactions.add", REACT}}},
    {.name = "slack_get_channel_history",
     .summary = "The latest messages of a channel",
     SET_ARGS(latest_args),
     .steps = {{"conversations.history", "{'channel':'$channel_id','limit':'$limit'}"}}},
    {.name = "slack_get_thread_replies",
     .summary = "The messages of a thread",
     SET_ARGS(thread_args),
     .steps = {{"conversations.replies", "{'channel':'$channel_id','ts':'$thread_ts'}"}}},
    {.name = "slack_get_users",
     .summary = "Members of the workspace",
     SET_ARGS(people_args),
     .steps = {{"users.list", "{'limit':'$limit|capped:200','cursor':'$cursor|filled'}"}}},
    {.name = "slack_get_user_profile",
     .summary = "The profile of a member",
     SET_ARGS(profile_args),
     .steps = {{"users.profile.get", "{'user':'$user_id','include_labels':true}"}}},
};

const struct set_tools reference_slack = {.set = SET_REFERENCE,
                                          .service = "slack",
                                          .compact = true,
                                          .tools = reference_tools,
                                          .n = SOSIA_LEN(reference_tools)};

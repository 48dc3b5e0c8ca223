/* SPDX-License-Identifier: Apache-2.0 */
/* Slack's Web API over the chat core: what its methods have in common. */
#ifndef SOSIA_SL_H
#define SOSIA_SL_H

#include "services/chat/slack/things.h"
#include "vendors/slack/slack.h"

#define SLACKBOT "USLACKBOT"

/* Who calls. Filled before every handler of a method that needs a token. */
struct sl_caller {
    struct chat_workspace workspace;
    struct chat_user user;       /* the bot, if the token is a bot's or the app's own */
    bool is_bot;                 /* the token's kind is a bot's */
    int64_t app;                 /* ident_app; 0: no app is known */
    struct chat_install install; /* id 0: none */
    struct chat_app chat_app;    /* id 0: none */
    bool in_client;              /* a person acts in the vendor's client: no program calls */
};
const struct sl_caller *sl_me(const struct call *c);
/* Of struct slack_api: fills the caller of a call with a token, and refuses one whose token is good
 * for nobody any more. 0, -1. */
int sl_check(struct call *c);
/* Lets a call be in the name of somebody, through an app (0: none), whoever made it. 0, -1. */
int sl_stand_in(struct call *c, const struct chat_user *u, int64_t app);
/* What is done now is done in the vendor's client. */
void sl_in_client(struct call *c);
/* Of struct slack_api: what the installation says of a token without scopes of its own. */
int sl_granted(struct call *c, const char **ret_scopes);

/* A call that no request made, to render with what is sent to apps: as nobody (user 0), or as
 * somebody of the workspace. It writes to w. 0, -1. */
int sl_stage(struct tx *tx, int64_t workspace, int64_t user, struct json_writer *w,
             struct call *ret);

/* A request without a token whose address shows on whose behalf it is: from now on that user is the
 * caller, through that app. 0, -1. */
int sl_stand_for(struct call *c, int64_t workspace, int64_t user, int64_t app);

/* ---- arguments ---- */

/* The channel that an argument names, by its id (or by its name, if names are taken): refused with
 * channel_not_found if there is none, or none that the caller may see. */
int sl_channel_arg(struct call *c, const char *name, bool by_name, struct chat_channel *ret);
/* Refuses with missing_scope unless the token has the channel's kind of scope: what "read" is
 * channels:read, groups:read, im:read or mpim:read. */
int sl_channel_scope(struct call *c, const struct chat_channel *ch, const char *what);
/* Both of the argument "channel", which must be a channel with a name: direct ones are refused. */
int sl_named_channel_arg(struct call *c, const char *what, struct chat_channel *ret);
/* Is the caller in it? 1, 0, -1. */
int sl_is_member(struct call *c, const struct chat_channel *ch);
/* Somebody by his id: 1, 0, -1. */
int sl_user_find(struct call *c, const char *key, struct chat_user *ret);
/* The same, and people of workspaces that share a channel with the caller's. */
int sl_user_find_any(struct call *c, const char *key, struct chat_user *ret);
/* Guests see those alone with whom they share a channel, and bots: 1, 0, -1. */
int sl_sees(struct call *c, const struct chat_user *u);
/* The same: others are user_not_visible. */
int sl_check_visible(struct call *c, const struct chat_user *u);
/* A preference of the caller's workspace (its `settings`); NULL: they don't give it. */
const struct json *sl_preference(struct call *c, const char *name);
/* Is that member of the workspace's settings true? */
bool sl_team_says(struct call *c, const char *member);
/* Do the preferences let the caller post in the workspace's general channel? */
bool sl_may_post_general(struct call *c);
/* The workspace's id of somebody; failed or none: the caller's. */
const char *sl_team_of(struct call *c, const struct chat_user *u);
/* An argument that is a time, in seconds; `otherwise` if it is absent, "now" or none. */
int64_t sl_seconds_arg(struct call *c, const char *name, int64_t otherwise);
/* The JSON text of a row of the world; NULL: it is none, the call fails. */
const struct json *sl_stored_json(struct call *c, const char *text);
/* An argument that is a ts; absent: *ret stays and 0; 1; -1: it is none (nothing is refused). */
int sl_ts_arg(struct call *c, const char *name, int64_t *ret_us);

/* ---- pages (page.c) ---- */

struct sl_page {
    int64_t count, page; /* items of a page; which one, from 1 */
    bool by_cursor;      /* limit and cursor said so: the response has a next_cursor */
    bool over;           /* more items were asked for than the row allows */
};
/* count and page, or limit and cursor, within the bounds of the row: what is beyond them is brought
 * to them; a limit that is not a number is invalid_limit, another cursor invalid_cursor. 0, -1. */
int sl_page_arg(struct call *c, struct sl_page *ret);
/* "paging" of a list of so many, and its next_cursor; the latter alone. */
void sl_write_paging(struct call *c, const struct sl_page *p, int64_t total);
void sl_next_page(struct call *c, const struct sl_page *p, int64_t total);

/* ---- names of things ---- */

/* The id of somebody; "" for 0. Remembered for the call. */
const char *sl_user_key(struct call *c, int64_t user);
/* The id of somebody's workspace (0: nobody's, which is the caller's). */
const char *sl_author_team(struct call *c, int64_t user);
/* What messages of an app say of their sender, composed once a call. */
struct sl_sender {
    int64_t app;
    int64_t user;                        /* the bot; 0: it has none */
    const char *bot, *app_key, *profile; /* profile: JSON; NULL: the app is not known here */
};
/* NULL: failed. */
const struct sl_sender *sl_sender_of(struct call *c, int64_t app);

/* The first message of a thread, read once for answers to it that are shown one after the other. 1,
 * 0, -1. Its counters may be out of date. */
int sl_root_of(struct call *c, int64_t thread, const struct chat_message **ret);

/* Where people see it: https://DOMAIN.slack.com + path. */
const char *sl_team_url(struct call *c, const char *path);
/* In a thread it says which one. */
const char *sl_permalink(struct call *c, const struct chat_channel *ch,
                         const struct chat_message *m);

/* ---- rendering (render*.c) ---- */

enum sl_channel_part {
    SL_LAST_READ = 1,
    SL_NUM_MEMBERS = 2,
    SL_PRIORITY = 4,
    SL_KINDS_OF_POSTING = 8, /* is_thread_only, is_read_only */
    SL_PROPERTIES = 16,
    SL_NOT_MEMBER = 32, /* is_member: false, whatever is so */
    SL_NO_MEMBER = 64,  /* without is_member */
    SL_OPEN = 128,      /* unread counts and latest of direct ones */
    SL_LOCALE = 256,
    SL_IS_OPEN = 512,     /* is_open of private ones */
    SL_OPEN_GROUPS = 1024 /* and last_read, of those with ids of groups */
};
/* A channel as the caller sees it. 0, -1. */
int sl_write_channel(struct call *c, const char *key, const struct chat_channel *ch,
                     unsigned parts);

enum sl_message_part {
    SL_METADATA = 1,  /* with message metadata */
    SL_PERMALINK = 2, /* with its permalink */
    SL_POSTED = 4,    /* as the answer to posting: without what others see of its thread */
    SL_DELAYED = 8,   /* not posted yet: without a ts */
    SL_MEMBERS = 16,  /* into an object that is open */
    SL_NO_TS = 32,    /* its ts is beside it */
    SL_LISTED = 64    /* of a history or a thread */
};
/* A message as an object of its own. */
int sl_write_message(struct call *c, const char *key, const struct chat_message *m, unsigned parts);

/* The same as an item of a list, and quickly if it was written before from an equal row (as it is
 * stored; NULL: it was not read from its page). key: room that one list's items share. */
int sl_write_listed(struct call *c, const struct chat_message *m, unsigned parts,
                    const struct record *row, struct buf *key);

enum sl_user_part {
    SL_USER_LOCALE = 1,
    SL_PROFILE_FIELDS = 2,
    SL_NO_FIELDS = 4 /* fields: {}, whatever there is */
};
/* Somebody, with a profile; the profile alone (team: with its workspace). An address is shown to
 * who may read it. */
void sl_write_user(struct call *c, const char *key, const struct chat_user *u, unsigned parts);
void sl_write_profile(struct call *c, const char *key, const struct chat_user *u, bool team,
                      unsigned parts);
/* Is it an emoji of all workspaces, with or without a tone of skin, or one that the caller's has
 * made? 1, 0, -1. */
int sl_emoji_here(struct call *c, const char *name);
#define SL_PICTURE_SIDE 5000 /* pixels */
/* Why bytes are no picture that is taken: bad_image, too_large, too_many_frames; NULL: they are. */
const char *sl_picture_fault(const void *data, size_t n);
/* Of the picture that somebody has; NULL: he has none of his own. */
const char *sl_photo_hash(struct call *c, const struct chat_user *u);
/* The members with the addresses of the picture that somebody shows, be it his own or not. */
void sl_write_pictures(struct call *c, const struct chat_user *u);
/* The members with the addresses of his own. */
void sl_write_photos(struct call *c, const struct chat_user *u, const char *hash);
/* The app behind a bot, as in messages: "bot_profile". */
int sl_write_bot(struct call *c, const char *key, int64_t app, bool in_message);

/* What is posted or shown with a function's token belongs to its execution, and what takes its
 * place (before; NULL: nothing was there): a member of *json (extra of a message, body of a view;
 * NULL: nothing yet) that no method shows. function_data.c. 0, -1. */
int sl_mark_function(struct call *c, const char *before, const char **json);

/* "icon" of a workspace: the one that they begin with. */
void sl_write_team_icon(struct call *c);

/* A group of people by its rowid, and the members of somebody's times of quiet, with or without
 * those of a snooze: 0, -1. */
int sl_write_group(struct call *c, const char *key, int64_t group);
/* "active" or "away": as others see it. */
const char *sl_presence(const struct chat_user *u);
int sl_write_quiet(struct call *c, const struct chat_user *u, bool snooze);

/* ---- text ---- */

size_t sl_characters(const char *text); /* of UTF-8 */

/* A text as it is stored: &, <, > escaped where they are no markup; emoji by their names; bare
 * links in brackets, if links says so. */
const char *sl_text_stored(struct call *c, const char *text, bool links);
/* The rich_text blocks that a text becomes: JSON in the arena; with CHAT_PLAIN in flags its marks
 * stay characters. Needs a write transaction: the block gets an id. NULL: failed. */
const char *sl_text_blocks(struct call *c, const char *text, int64_t flags);
/* Those of a message: as it has them, or made of its text if a document brought it without. NULL:
 * none, or failed. */
const char *sl_message_blocks(struct call *c, const struct chat_message *m);
/* A short id of a block or an action; NULL: failed. */
const char *sl_block_id(struct tx *tx);

/* A message of the system: somebody joined. extra: JSON of further members; NULL: none. */
int sl_note(struct call *c, struct chat_channel *ch, const char *subtype, const char *text,
            const char *extra);

/* Workspaces of the free plan show what was written in the last 90 days: from then on; 0: all. */
int64_t sl_first_shown(struct call *c);
/* A string as JSON: a document may have given a channel any name. NULL: failed. */
const char *sl_quoted(struct call *c, const char *text);
/* One of the caller's, who is not in it yet; it has no name. */
struct chat_channel sl_new_channel(struct call *c, enum chat_kind kind);
/* The channel gets another name, which is taken by none, and says so. */
int sl_rename_channel(struct call *c, struct chat_channel *ch, const char *name);
/* The caller archives it. */
int sl_archive_channel(struct call *c, struct chat_channel *ch);
/* Somebody comes into a channel, by whom (0: by himself). */
int sl_joined(struct call *c, struct chat_channel *ch, const struct chat_user *u, int64_t by);
/* The direct channel of these people, in any order, made if there is none and `make` says so: 1
 * there, 2 made, 0, -1. */
int sl_direct_channel(struct call *c, int64_t *users, size_t n, bool make,
                      struct chat_channel *ret);
/* The direct channel of the caller and somebody, made if there is none. */
int sl_direct_with(struct call *c, const struct chat_user *u, struct chat_channel *ret);
/* The channel of two, made by the first one if there is none. 0, -1. */
int sl_direct_of(struct tx *tx, int64_t workspace, int64_t from, int64_t to,
                 struct chat_channel *ret);
/* Does the app show its home page (home), or its messages? 1, 0, -1. */
int sl_has_tab(struct call *c, int64_t app, bool home);
/* A reminder has fallen due: Slackbot says it to whom it is for. */
int sl_remind(struct tx *tx, int64_t reminder);

/* A message has grown long enough: it ends with what it has. */
#define SL_STREAM_DUE "stream"
int sl_stream_due(struct tx *tx, int64_t message);

/* Is it an event that apps may subscribe to? Of the scopes (separated by spaces) one is needed; "":
 * none is. */
bool sl_event_scopes(const char *name, const char **ret_scopes);

/* ---- rows ---- */

/* A parameter among the arguments, wherever they are: its name, then its type and what else its row
 * says of it; without a type it is text. */
#define SL_ARG(...)                                                                                \
    {                                                                                              \
        .place = IN_ARGUMENT, .name = __VA_ARGS__                                                  \
    }
#define SL_NEEDED(...)                                                                             \
    {                                                                                              \
        .place = IN_ARGUMENT, .required = true, .name = __VA_ARGS__                                \
    }
#define SL_FLAG          .type = PARAM_BOOL, .def = "false"
#define SL_FLAG_ON       .type = PARAM_BOOL, .def = "true"
#define SL_FLAG_OPEN     .type = PARAM_BOOL /* absent is neither */
#define SL_WHOLE(lo, hi) .type = PARAM_INT, .min = (lo), .max = (hi)
#define SL_WORDS(...)    .type = PARAM_ENUM, .values = PATHS(__VA_ARGS__)
#define SL_LIST          .type = PARAM_LIST
#define SL_ARRAY         .type = PARAM_JSON, .shape = "array"
#define SL_OBJECT        .type = PARAM_JSON, .shape = "object"
/* An object or array whose members the row knows: handlers hold it against slack_shape(). */
#define SL_OBJECT_OF(field) SL_OBJECT, .of = &(field)
#define SL_ARRAY_OF(field)  SL_ARRAY, .of = &(field)
/* What messages have. */
extern const struct field sl_blocks_field; /* blocks/blocks_shapes.c */
#define SL_BLOCKS_ARG                                                                              \
    SL_ARG("blocks", SL_ARRAY_OF(sl_blocks_field), .fault = "invalid_blocks_format")
#define SL_ATTACHMENTS_ARG SL_ARG("attachments", SL_ARRAY, .fault = "invalid_attachments")
#define SL_METADATA_ARG    SL_ARG("metadata", SL_OBJECT, .fault = "invalid_metadata_format")
#define SL_LAST_PAGE       1000000
/* Its response has the schema of its name (schemas.json). */
#define SL_METHOD(name)                                                                            \
    .id = (name), .verbs = GET | POST, .paths = PATHS("/api/" name), .response = (name)

#define SL_PEOPLE .token_kinds = TOKEN_USER | TOKEN_BOT
/* Of an app, for a person or its bot, and not one that somebody has without an app. */
bool sl_is_of_app(const struct call *c);
#define SL_THROUGH_APP SL_PEOPLE, .takes = sl_is_of_app

/* Scopes of conversations, as the vendor lists them. */
#define SL_READ    "channels:read groups:read mpim:read im:read"
#define SL_HISTORY "channels:history groups:history mpim:history im:history"
#define SL_WRITE   "channels:manage channels:write groups:write mpim:write im:write"
#define SL_KICK    "channels:manage channels:write groups:write"
#define SL_TOPIC                                                                                   \
    "channels:manage channels:write channels:write.topic groups:write groups:write.topic "         \
    "mpim:write mpim:write.topic im:write im:write.topic"
#define SL_INVITE                                                                                  \
    "channels:manage channels:write channels:write.invites groups:write groups:write.invites "     \
    "mpim:write im:write"

extern const struct rows sl_auth, sl_users, sl_team, sl_conversations, sl_conversations_members,
    sl_history, sl_chat, sl_scheduled, sl_stream, sl_marks, sl_search, sl_files, sl_people,
    sl_bookmarks, sl_reminders, sl_remote, sl_views, sl_dialogs, sl_entities, sl_functions,
    sl_act_rows, sl_response_rows;
extern const struct rows sl_connect, sl_connect_teams;
extern const struct rows sl_agents, sl_agent_views, sl_agent_canvas;
extern const struct rows sl_canvas, sl_assistant, sl_calls, sl_lists, sl_logs, sl_photo,
    sl_validate;
extern const struct rows sl_activities, sl_datastores, sl_distributions, sl_external_auth,
    sl_flow_steps, sl_flows;

extern const struct dialect chat_slack;
extern const struct dialect_tools sl_tools;
/* Slack's tables; sections of seed documents before messages (files) and behind them (rest). */
extern const struct sosia_core chat_slack_core, chat_slack_push_core, chat_slack_file_core,
    chat_slack_rest_core;
extern const struct sosia_core chat_respond_core; /* respond.c: people who answer by themselves */
extern const struct entity_view slack_views[];    /* diff_view.c */
extern const struct table_view slack_tables[];    /* table_view.c */

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of teams (MG-120, 136, 466, 473). */
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/chat/teams/rows.h"
#include "vendors/microsoft/query.h"
#include <strings.h>

/* ---- reading ---- */

struct listing {
    struct teams_at *at;
    const struct odata_query *q;
    int64_t n;
    bool counts;
    int rc;
};

static int get_member(void *arg, struct arena *a, const void *thing, const struct odata_path *path,
                      struct odata_value *ret)
{
    const struct chat_channel *ch = thing;
    (void)arg;
    (void)a;
    if (strcmp(path->text, "displayName") == 0)
        *ret = odata_string(ch->name);
    else if (strcmp(path->text, "membershipType") == 0)
        *ret = odata_enum(teams_membership(ch));
    else if (strcmp(path->text, "id") == 0)
        *ret = odata_string(ch->key);
    else if (strcmp(path->text, "createdDateTime") == 0)
        *ret = odata_time(ch->created_s * US_PER_SECOND);
    else
        return 0;
    return 1;
}

/* Does the caller see it in the list? 1, 0, -1. */
static int is_listed(struct listing *l, const struct chat_channel *ch)
{
    struct odata_ctx ctx = {
        .arena = l->at->c->tx.arena, .get = get_member, .now_us = l->at->c->tx.now_us};
    int r = teams_is_deleted(ch) ? 0 : l->at->app ? 1 : chat_can_see(&l->at->c->tx, ch, &l->at->me);
    return r == 1 && l->q->filter ? odata_matches(&ctx, l->q->filter, ch) : r;
}

static int list_channel(void *arg, const struct chat_channel *ch)
{
    struct listing *l = arg;
    int r = is_listed(l, ch);
    l->rc = r < 0 ? -1 : 0;
    if (r != 1)
        return r < 0;
    l->n++;
    if (l->counts)
        return 0;
    json_obj(l->at->c->out, NULL);
    l->rc = teams_write_channel(l->at, &l->at->team, ch);
    json_end(l->at->c->out);
    return l->rc < 0;
}

static int channels_list(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    struct listing l = {.at = &at, .q = &q, .counts = true};
    if (teams_open(c, &at) < 0 || teams_team(&at) < 0 ||
        teams_options(c, "channel", "$select $filter", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID, true) < 0 ||
        chat_team_channels(&c->tx, at.team.id, list_channel, &l) < 0 || l.rc < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "teams('%s')/channels%s", at.team.key, odata_context(c->tx.arena, &q));
    json_int(c->out, "@odata.count", l.n);
    json_arr(c->out, "value");
    l.counts = false;
    if (chat_team_channels(&c->tx, at.team.id, list_channel, &l) < 0 || l.rc < 0)
        return -1;
    json_end(c->out);
    json_end(c->out);
    return 0;
}

static int answer_channel(struct teams_at *at, const struct odata_query *q, const char *where)
{
    struct call *c = at->c;
    json_obj(c->out, NULL);
    graph_context(c, "teams('%s')/%s%s/$entity", at->team.key, where,
                  q ? odata_context(c->tx.arena, q) : "");
    int r = teams_write_channel(at, &at->team, &at->channel);
    json_end(c->out);
    return r;
}

static int channel_get(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    if (teams_open(c, &at) < 0 || teams_channel(&at) < 0 ||
        teams_options(c, "channel", "$select $filter $expand", &q) < 0 ||
        graph_select(c, &q, ODATA_KEEP_ID, false) < 0)
        return -1;
    return answer_channel(&at, &q, "channels");
}

static int primary_get(struct call *c)
{
    struct odata_query q;
    struct teams_at at;
    if (teams_open(c, &at) < 0 || teams_team(&at) < 0 ||
        teams_options(c, "channel", "$select $filter $expand", &q) < 0)
        return -1;
    int r = chat_team_general(&c->tx, at.team.id, &at.channel);
    if (r != 1)
        return r < 0 ? -1 : graph_not_found(c);
    return graph_select(c, &q, ODATA_KEEP_ID, false) < 0
               ? -1
               : answer_channel(&at, &q, "primaryChannel");
}

/* ---- changing ---- */

static int check_channel_name(struct teams_at *at, const char *name)
{
    static const char not_in[] = "~#%&*{}+/\\:<>?|'\"";
    if (!name || !*name || utf8_count(name, strlen(name)) > TEAMS_NAME)
        return teams_bad(at->c, "Channel name must have 1 to 50 characters.");
    if (name[strcspn(name, not_in)] || *name == '_' || *name == '.' ||
        name[strlen(name) - 1] == '.')
        return teams_bad(at->c, "Channel name is not valid.");
    int r = chat_team_has_channel(&at->c->tx, at->team.id, name, at->channel.id);
    return r == 1 ? teams_bad(at->c, "Channel name already existed, please use other name") : r;
}

/* May the caller make or change channels of the team, by its settings? 0, -1. */
static int may(struct teams_at *at, const char *setting)
{
    int r = at->team.archived ? 0 : teams_may(at, setting);
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(at->c);
}

/* Private and shared channels are changed by who owns them, or their team. 0, -1 refused. */
static int may_change_channel(struct teams_at *at, const char *setting)
{
    if (at->channel.kind != CHAT_PRIVATE)
        return may(at, setting);
    int r = at->team.archived ? 0 : teams_owns_channel(at);
    return r == 1 ? 0 : r < 0 ? -1 : graph_denied(at->c);
}

/* Those whom the body of a new private or shared channel names, and who makes it. */
static int add_members(struct teams_at *at, const struct json *body)
{
    const struct json *list = json_get(body, "members");
    bool owned = at->me.id != 0;
    if (at->me.id && (chat_member_add(&at->c->tx, &at->channel, at->me.id, 0) < 0 ||
                      chat_member_part(&at->c->tx, at->channel.id, at->me.id, CHAT_PART_OWNER) < 0))
        return -1;
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *bind = json_get_str(&list->items[i], "user@odata.bind");
        const struct json *roles = json_get(&list->items[i], "roles");
        const bool owner = roles && roles->type == JSON_ARRAY && roles->n &&
                           roles->items[0].type == JSON_STRING &&
                           strcasecmp(roles->items[0].str, "owner") == 0;
        struct chat_team_member in;
        struct ms_user user;
        struct chat_user u;
        int r = bind ? teams_find_user(at, bind, &user) : 0;
        if (r == 1 && teams_person(at, &user, &u) < 0)
            return -1;
        if (r == 1 && !teams_is_shared(&at->channel))
            r = chat_team_member_of(&at->c->tx, at->team.id, u.id, &in);
        if (r != 1)
            return r < 0 ? -1 : teams_bad(at->c, "The user must be a member of the team.");
        if (chat_member_add(&at->c->tx, &at->channel, u.id, 0) < 0 ||
            chat_member_part(&at->c->tx, at->channel.id, u.id,
                             owner || u.id == at->me.id ? CHAT_PART_OWNER : CHAT_PART_MEMBER) < 0)
            return -1;
        owned |= owner;
    }
    return owned
               ? 0
               : teams_bad(at->c, arena_printf(at->c->tx.arena, "A %s channel must have an owner.",
                                               teams_membership(&at->channel)));
}

static const char *channel_detail(struct teams_at *at, const char *more)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "channelId", at->channel.key);
    json_str(&w, "channelDisplayName", at->channel.name);
    json_end(&w);
    const char *text =
        arena_printf(at->c->tx.arena, "%.*s%s", (int)b.len - 2, buf_str(&b) + 1, more);
    buf_done(&b);
    return text;
}

/* What happens to channels is recorded in the team's first one; private ones are for their members
 * alone. */
static int note(struct teams_at *at, const char *type, const char *more)
{
    struct chat_channel primary;
    if (at->channel.kind == CHAT_PRIVATE)
        return 0;
    int r = chat_team_general(&at->c->tx, at->team.id, &primary);
    return r == 1 ? teams_note(at, &primary, type, channel_detail(at, more)) : r;
}

static int channel_create(struct call *c)
{
    const struct json *body;
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_team(&at) < 0 || !(body = call_body(c)))
        return -1;
    const char *type = json_get_str(body, "membershipType");
    const char *about = json_get_str(body, "description");
    const bool shared = type && strcmp(type, "shared") == 0;
    const bool private = shared || (type && strcmp(type, "private") == 0);
    if (type && !private && strcmp(type, "standard") != 0)
        return teams_bad(c, "The membershipType must be standard, private or shared.");
    if (may(&at, private ? "allowCreatePrivateChannels" : "allowCreateUpdateChannels") < 0 ||
        check_channel_name(&at, json_get_str(body, "displayName")) < 0)
        return -1;
    at.channel = (struct chat_channel){.workspace = at.workspace.id,
                                       .kind = private ? CHAT_PRIVATE : CHAT_PUBLIC,
                                       .name = json_get_str(body, "displayName"),
                                       .creator = at.me.id,
                                       .created_s = c->tx.now_us / US_PER_SECOND,
                                       .updated_us = c->tx.now_us,
                                       .topic = "",
                                       .purpose = about ? about : "",
                                       .posting = "all",
                                       .previous_names = "[]",
                                       .properties = shared ? "{\"shared\":true}" : NULL,
                                       .team = at.team.id};
    if (chat_channel_add(&c->tx, &at.channel) < 0 || (private && add_members(&at, body) < 0) ||
        note(&at, "channelAddedEventMessageDetail", "") < 0)
        return -1;
    if (shared) { /* it takes a while at the service, and what is answered is an operation */
        call_header(
            c, "Content-Location",
            arena_printf(c->tx.arena, "/teams('%s')/channels('%s')", at.team.key, at.channel.key));
        return teams_accepted(&at, TEAMS_CREATE_CHANNEL, NULL);
    }
    c->status = 201;
    call_header(c, "Location",
                arena_printf(c->tx.arena,
                             "https://teamsgraph.teams.microsoft.com/v1.0/teams('%s')/"
                             "channels('%s')",
                             at.team.key, at.channel.key));
    return answer_channel(&at, NULL, "channels");
}

static int channel_update(struct call *c)
{
    static const char *const changed[] = {"name", "purpose", NULL};
    const struct json *body;
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_channel(&at) < 0 || !(body = call_body(c)) ||
        may_change_channel(&at, "allowCreateUpdateChannels") < 0)
        return -1;
    const char *name = json_get_str(body, "displayName");
    const char *about = json_get_str(body, "description");
    const bool renamed = name && strcmp(name, at.channel.name) != 0;
    if (name && check_channel_name(&at, name) < 0)
        return -1;
    at.channel.name = name ? name : at.channel.name;
    if (json_get(body, "description"))
        at.channel.purpose = about ? about : "";
    c->status = 204;
    return chat_channel_save(&c->tx, &at.channel, changed) < 0 ||
                   (renamed && note(&at, "channelRenamedEventMessageDetail", "") < 0)
               ? -1
               : 0;
}

static int channel_delete(struct call *c)
{
    static const char *const changed[] = {"archived", "properties", NULL};
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_channel(&at) < 0 ||
        may_change_channel(&at, "allowDeleteChannels") < 0)
        return -1;
    if (at.channel.general)
        return teams_bad(c, "The primary channel of a team cannot be deleted.");
    at.channel.properties = teams_with_text(c->tx.arena, at.channel.properties, "deletedDateTime",
                                            graph_date(c->tx.arena, c->tx.now_us, 0));
    at.channel.archived = true;
    c->status = 204;
    return chat_channel_save(&c->tx, &at.channel, changed) < 0
               ? -1
               : note(&at, "channelDeletedEventMessageDetail", "");
}

static int set_channel_archived(struct call *c, bool archived)
{
    static const char *const changed[] = {"archived", NULL};
    struct teams_at at;
    if (teams_open_write(c, &at) < 0 || teams_channel(&at) < 0)
        return -1;
    int r = teams_owns(&at);
    if (r != 1)
        return r < 0 ? -1 : graph_denied(c);
    if (at.channel.general)
        return teams_bad(c, "The primary channel of a team cannot be archived.");
    at.channel.archived = archived;
    return chat_channel_save(&c->tx, &at.channel, changed) < 0
               ? -1
               : teams_accepted(&at, archived ? TEAMS_ARCHIVE_CHANNEL : TEAMS_UNARCHIVE_CHANNEL,
                                NULL);
}

static int channel_archive(struct call *c)
{
    return set_channel_archived(c, true);
}

static int channel_unarchive(struct call *c)
{
    return set_channel_archived(c, false);
}

/* ---- rows ---- */

static const struct param list_params[] = {PATH_PARAM("team-id"), OPTION("$filter"),
                                           OPTION("$select")};
static const struct param get_params[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id"),
                                          OPTION("$expand"), OPTION("$select")};
static const struct param team_params[] = {PATH_PARAM("team-id")};
static const struct param params[] = {PATH_PARAM("team-id"), PATH_PARAM("channel-id")};

#define BODY .body = BODY_JSON, .request = "microsoft.graph.channel"
#define ONE  .response = "microsoft.graph.channel"

static const struct route routes[] = {
    ROW("teams.channels.list", GET, (GRAPH(TEAM "/channels"), GRAPH(TEAM "/allChannels")),
        channels_list, RISK_READ, .scopes = CHANNEL_READ, PARAMS(list_params),
        .response = "microsoft.graph.channelCollectionResponse",
        .summary = "Lists the channels of a team that the caller sees"),
    ROW("teams.channels.get", GET, (GRAPH(CHANNEL)), channel_get, RISK_READ, .scopes = CHANNEL_READ,
        PARAMS(get_params), ONE, .summary = "A channel"),
    ROW("teams.primaryChannel.get", GET, (GRAPH(TEAM "/primaryChannel")), primary_get, RISK_READ,
        .scopes = CHANNEL_READ, PARAMS(list_params), ONE, .summary = "The first channel of a team"),
    ROW("teams.channels.create", POST, (GRAPH(TEAM "/channels")), channel_create, RISK_WRITE,
        .scopes = CHANNEL_CREATE, PARAMS(team_params), BODY, ONE, .status = 201,
        .summary = "Makes a channel"),
    ROW("teams.channels.update", PATCH, (GRAPH(CHANNEL)), channel_update, RISK_WRITE,
        .scopes = CHANNEL_WRITE, PARAMS(params), BODY, .status = 204, .idempotent = true,
        .summary = "Changes a channel's name or description"),
    ROW("teams.channels.delete", DELETE, (GRAPH(CHANNEL)), channel_delete, RISK_DESTRUCTIVE,
        .scopes = CHANNEL_DELETE, PARAMS(params), .status = 204, .summary = "Deletes a channel"),
    ROW("teams.channels.archive", POST, (GRAPH(CHANNEL "/archive")), channel_archive, RISK_WRITE,
        .scopes = CHANNEL_WRITE, PARAMS(params), .body = BODY_JSON, .needs_body = true,
        .request = "microsoft.graph.team.archive", .status = 202,
        .summary = "Makes a channel read only"),
    ROW("teams.channels.unarchive", POST, (GRAPH(CHANNEL "/unarchive")), channel_unarchive,
        RISK_WRITE, .scopes = CHANNEL_WRITE, PARAMS(params), .status = 202,
        .summary = "Ends a channel's being read only"),
};
const struct rows teams_channel_rows = ROWS(routes);

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Microsoft Teams: the channels of the account's one team, and its chats, with messages that are
 * texts of the account's person. The team comes with the first payload. Whom chats name and the
 * directory does not know becomes a user of the tenant, or a guest.
 */
#include "engine/base/map.h"
#include "hosted/impl.h"
#include "vendors/microsoft/graph.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>

#define MEMBERS_MAX 250 /* of a chat */
#define FIRST       "General"

/* ---- what is there ---- */

/* The account's team; NULL: it is in none. */
static int find_team(struct hosted_call *c, const char **ret)
{
    struct listed teams;
    if (world_pages(c, "/v1.0/me/joinedTeams", &teams) < 0)
        return -1;
    *ret = teams.n ? json_get_str(teams.items[0], "id") : NULL;
    return 0;
}

/* ---- payload to seed ---- */

/* A chat of the payload: its id, and whether the world has it. */
struct chat {
    const char *id;
    bool there, shared; /* shared: an earlier one of the payload is the same */
    const char **emails;
    uint32_t n; /* the account's person first */
};

struct seeding {
    struct hosted_call *c;
    struct json_writer *w;
    struct map users;   /* object ids by address */
    struct map fresh;   /* names of those that come with the payload */
    const char **order; /* their addresses, in the payload's order */
    size_t n_order, cap_order;
    const char *tenant, *domain;
    const char *team;      /* NULL: it comes with the payload */
    const char *general;   /* the id of its first channel, or its name */
    const char **channels; /* ids of the payload's, in its order */
    struct chat *chats;
    int64_t at_us, n_messages;
};

static char *lower(struct hosted_call *c, const char *text)
{
    char *copy = arena_strdup(&c->arena, text);
    for (char *p = copy; *p && !arena_failed(&c->arena); p++)
        if (*p >= 'A' && *p <= 'Z')
            *p += 'a' - 'A';
    return copy;
}

static const char *hex_id(struct hosted_call *c)
{
    uint8_t bytes[16];
    char hex[33];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        sosia_fail(&c->err, SOSIA_E_IO, NULL, NULL, "there are no random numbers");
        return NULL;
    }
    hex_encode(hex, bytes, sizeof bytes);
    return arena_strdup(&c->arena, hex);
}

static int set(struct hosted_call *c, struct map *m, const char *key, const char *value)
{
    return map_set(m, key, (char *)(uintptr_t)value) < 0 ? sosia_fail_memory(&c->err) : 0;
}

static int read_directory(struct seeding *s)
{
    struct hosted_call *c = s->c;
    const struct json *v;
    struct listed users;
    if (world_get(c, "/v1.0/organization", &v) < 0 ||
        world_pages(c, "/v1.0/users?$top=999&$select=id,mail,userPrincipalName", &users) < 0)
        return -1;
    const struct json *all;
    s->tenant = items_of(v, "value", &all) ? json_get_str(&all[0], "id") : "";
    s->domain = strchr(c->sandbox->person, '@') + 1;
    for (size_t i = 0; i < users.n; i++) {
        const char *mail = filled(users.items[i], "mail");
        if (!mail)
            mail = json_get_str(users.items[i], "userPrincipalName");
        if (set(c, &s->users, lower(c, mail), json_get_str(users.items[i], "id")) < 0)
            return -1;
    }
    return find_team(c, &s->team);
}

/* Whoever is not there yet is made: the object id follows from the address. */
static int add_person(struct seeding *s, const char *email, const char *name)
{
    struct hosted_call *c = s->c;
    if (map_get(&s->users, email))
        return 0;
    s->order = arena_grow(&c->arena, s->order, s->n_order, &s->cap_order, sizeof *s->order);
    if (!s->order)
        return sosia_fail_memory(&c->err);
    s->order[s->n_order++] = email;
    const char *oid =
        graph_guid(&c->arena, "user", arena_printf(&c->arena, "%s %s", s->tenant, email));
    return set(c, &s->users, email, oid) < 0 || set(c, &s->fresh, email, name ? name : email) < 0
               ? -1
               : 0;
}

/* Who is in a chat of the payload, each once. 0, -1. */
static int read_members(struct seeding *s, const struct place *outer, const struct json *v,
                        struct chat *ret)
{
    const struct place list = {.outer = outer, .name = "chat_members"};
    struct hosted_call *c = s->c;
    const struct json *members;
    uint32_t n = items_of(v, "chat_members", &members);
    if (n > MEMBERS_MAX) {
        fault_value(c, &list, NULL, "chat_members must be at most %d, not %u", MEMBERS_MAX, n);
        return 0;
    }
    ret->emails = arena_alloc(&c->arena, (n + 1) * sizeof *ret->emails);
    if (!ret->emails)
        return sosia_fail_memory(&c->err);
    ret->emails[ret->n++] = c->sandbox->person;
    for (uint32_t i = 0; i < n; i++) {
        const struct place item = {.outer = &list, .item = i},
                           at = {.outer = &item, .name = "member_email"};
        const char *text = filled(&members[i], "member_email");
        if (!text || !is_address(text)) {
            fault_value(c, &at, json_get(&members[i], "member_email"),
                        "member_email must be an address, not \"%.80s\"", text ? text : "");
            continue;
        }
        const char *email = lower(c, text);
        bool again = false;
        for (uint32_t j = 0; j < ret->n; j++)
            again |= strcmp(ret->emails[j], email) == 0;
        if (again)
            continue;
        ret->emails[ret->n++] = email;
        if (add_person(s, email, filled(&members[i], "member_name")) < 0)
            return -1;
    }
    if (ret->n == 1 && !c->n_faults)
        fault_value(c, &list, json_get(v, "chat_members"),
                    "chat_members must name somebody beside the account");
    return 0;
}

/* Two people have one chat, whose id is made of theirs. */
static int name_chat(struct seeding *s, uint32_t i, const struct listed *chats)
{
    struct hosted_call *c = s->c;
    struct chat *chat = &s->chats[i];
    if (chat->n != 2) {
        const char *hex = hex_id(c);
        chat->id = hex ? arena_printf(&c->arena, "19:%s@thread.v2", hex) : NULL;
        return hex ? 0 : -1;
    }
    const char *mine = map_get(&s->users, chat->emails[0]),
               *other = map_get(&s->users, chat->emails[1]);
    const char *ids[] = {
        arena_printf(&c->arena, "19:%s_%s@unq.gbl.spaces", mine ? mine : "", other),
        arena_printf(&c->arena, "19:%s_%s@unq.gbl.spaces", other, mine ? mine : "")};
    chat->id = ids[0];
    for (size_t k = 0; k < chats->n; k++) {
        const char *id = json_get_str(chats->items[k], "id");
        if (str_same(id, ids[0]) || str_same(id, ids[1])) {
            chat->id = id;
            chat->there = true;
        }
    }
    for (uint32_t k = 0; k < i; k++)
        chat->shared |= s->chats[k].n == 2 && strcmp(s->chats[k].id, chat->id) == 0;
    return 0;
}

static int read_chats(struct seeding *s, const struct json *data)
{
    const struct place body = {.name = "body"}, list = {.outer = &body, .name = "team_chats"};
    struct listed there;
    const struct json *chats;
    uint32_t n = items_of(data, "team_chats", &chats);
    s->chats = arena_calloc(&s->c->arena, n + 1, sizeof *s->chats);
    if (!s->chats)
        return sosia_fail_memory(&s->c->err);
    if (n && world_pages(s->c, "/v1.0/me/chats?$top=50", &there) < 0)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        if (read_members(s, &(struct place){.outer = &list, .item = i}, &chats[i], &s->chats[i]) <
                0 ||
            (!s->c->n_faults && name_chat(s, i, &there) < 0))
            return -1;
    return 0;
}

static bool is_first(const struct json *channel)
{
    return strcasecmp(json_get_str(channel, "name"), FIRST) == 0;
}

static int read_channels(struct seeding *s, const struct json *data)
{
    struct hosted_call *c = s->c;
    const struct json *list, *v;
    uint32_t n = items_of(data, "team_channels", &list);
    s->channels = arena_calloc(&c->arena, n + 1, sizeof *s->channels);
    if (!s->channels)
        return sosia_fail_memory(&c->err);
    s->general = FIRST;
    if (s->team) {
        if (world_get(c, arena_printf(&c->arena, "/v1.0/teams/%s/primaryChannel", s->team), &v) < 0)
            return -1;
        s->general = json_get_str(v, "id");
    }
    for (uint32_t i = 0; i < n; i++) {
        const char *hex = is_first(&list[i]) ? NULL : hex_id(c);
        if (!hex && !is_first(&list[i]))
            return -1;
        s->channels[i] = hex ? arena_printf(&c->arena, "19:%s@thread.tacv2", hex) : s->general;
    }
    return 0;
}

static bool is_inside(const struct seeding *s, const char *email)
{
    return strcmp(strchr(email, '@') + 1, s->domain) == 0;
}

/* New people: users of the tenant where they have its domain, else its guests. */
static void write_people(struct seeding *s)
{
    struct json_writer *w = s->w;
    if (!s->n_order)
        return;
    json_arr(w, "people");
    for (size_t i = 0; i < s->n_order; i++) {
        json_obj(w, NULL);
        json_str(w, "email", s->order[i]);
        json_str(w, "name", map_get(&s->fresh, s->order[i]));
        json_end(w);
    }
    json_end(w);
    json_arr(w, "accounts");
    for (size_t i = 0; i < s->n_order; i++)
        if (is_inside(s, s->order[i])) {
            json_obj(w, NULL);
            json_str(w, "actor", s->order[i]);
            json_str(w, "vendor", "microsoft");
            json_end(w);
        }
    json_end(w);
    json_arr(w, "microsoftUsers");
    for (size_t i = 0; i < s->n_order; i++)
        if (!is_inside(s, s->order[i])) {
            json_obj(w, NULL);
            json_str(w, "actor", s->order[i]);
            json_str(w, "tenant", s->domain);
            json_str(w, "type", "guest");
            json_end(w);
        }
    json_end(w);
}

static void write_team(struct seeding *s)
{
    struct json_writer *w = s->w;
    if (s->team)
        return;
    json_arr(w, "teams");
    json_obj(w, NULL);
    json_str(w, "workspace", s->domain);
    json_str(w, "name", "Sandbox");
    json_arr(w, "members");
    json_obj(w, NULL);
    json_str(w, "user", s->c->sandbox->person);
    json_str(w, "role", "owner");
    json_end(w);
    json_end(w);
    json_end(w);
    json_end(w);
}

/* Each a second behind the one before, so that their order is known again. */
static void write_channels(struct seeding *s, const struct json *data)
{
    struct json_writer *w = s->w;
    const struct json *list, *chats;
    uint32_t n = items_of(data, "team_channels", &list);
    int64_t at_s = s->at_us / US_PER_SECOND - (int64_t)n - items_of(data, "team_chats", &chats);
    json_arr(w, "channels");
    for (uint32_t i = 0; i < n; i++) {
        if (is_first(&list[i]))
            continue;
        json_obj(w, NULL);
        json_str(w, "workspace", s->domain);
        json_str(w, "id", s->channels[i]);
        json_str(w, "name", json_get_str(&list[i], "name"));
        json_str(w, "team", s->team ? s->team : "Sandbox");
        json_str(w, "creator", s->c->sandbox->person);
        json_int(w, "created", at_s++);
        json_str_opt(w, "purpose", filled(&list[i], "channel_description"));
        json_end(w);
    }
    n = items_of(data, "team_chats", &list);
    for (uint32_t i = 0; i < n; i++) {
        const struct chat *chat = &s->chats[i];
        if (chat->there || chat->shared)
            continue;
        json_obj(w, NULL);
        json_str(w, "workspace", s->domain);
        json_str(w, "id", chat->id);
        json_str(w, "kind", chat->n == 2 ? "direct" : "group");
        json_str(w, "creator", s->c->sandbox->person);
        json_int(w, "created", at_s++);
        json_arr(w, "members");
        for (uint32_t k = 0; k < chat->n; k++)
            json_str(w, NULL, chat->emails[k]);
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

static void write_messages(struct seeding *s, const struct json *v, const char *member,
                           const char *channel)
{
    struct json_writer *w = s->w;
    const struct json *list;
    uint32_t n = items_of(v, member, &list);
    char ts[32];
    for (uint32_t i = 0; i < n; i++) {
        s->at_us += 1000;
        s->n_messages++;
        snprintf(ts, sizeof ts, "%lld.%06lld", (long long)(s->at_us / US_PER_SECOND),
                 (long long)(s->at_us % US_PER_SECOND));
        json_obj(w, NULL);
        json_str(w, "workspace", s->domain);
        json_str(w, "channel", channel);
        json_str(w, "from", s->c->sandbox->person);
        json_str(w, "ts", ts);
        json_str(w, "format", "text");
        json_str(w, "text", json_get_str(&list[i], "content"));
        json_end(w);
    }
}

static int64_t count_in(const struct json *data, const char *lists, const char *member)
{
    const struct json *list, *items;
    int64_t all = 0;
    uint32_t n = items_of(data, lists, &list);
    for (uint32_t i = 0; i < n; i++)
        all += items_of(&list[i], member, &items);
    return all;
}

static int write_all(struct seeding *s, const struct json *data)
{
    const struct json *channels, *chats;
    int64_t total = count_in(data, "team_channels", "channel_messages") +
                    count_in(data, "team_chats", "chat_messages");
    if (world_time(s->c, &s->at_us) < 0)
        return -1;
    s->at_us = s->at_us / 1000 * 1000 - (total + 1) * 1000;
    write_people(s);
    write_team(s);
    write_channels(s, data);
    uint32_t n = items_of(data, "team_channels", &channels),
             k = items_of(data, "team_chats", &chats);
    json_arr(s->w, "messages");
    for (uint32_t i = 0; i < n; i++)
        write_messages(s, &channels[i], "channel_messages", s->channels[i]);
    for (uint32_t i = 0; i < k; i++)
        write_messages(s, &chats[i], "chat_messages", s->chats[i].id);
    json_end(s->w);
    count_made(s->c, "team_channels", n);
    count_made(s->c, "team_chats", k);
    count_made(s->c, "messages", s->n_messages);
    return 0;
}

int payload_to_teams(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    struct seeding s = {.c = c, .w = w};
    map_init(&s.users);
    map_init(&s.fresh);
    int rc =
        read_directory(&s) < 0 || read_chats(&s, data) < 0 || read_channels(&s, data) < 0 ? -1 : 0;
    if (rc == 0 && !c->n_faults)
        rc = write_all(&s, data);
    map_done(&s.users);
    map_done(&s.fresh);
    return rc;
}

/* ---- state to payload ---- */

/* Messages that people wrote, the oldest first, with answers behind what they answer. */
static int dump_messages(struct hosted_call *c, struct json_writer *w, const char *member,
                         const char *target)
{
    const struct json *replies;
    struct listed all;
    if (world_pages(c, target, &all) < 0)
        return -1;
    json_arr(w, member);
    for (size_t i = all.n; i > 0; i--) {
        uint32_t k = items_of(all.items[i - 1], "replies", &replies);
        for (uint32_t j = 0; j <= k; j++) { /* the newest answer comes first */
            const struct json *m = j ? &replies[k - j] : all.items[i - 1];
            const char *type = json_get_str(m, "messageType"),
                       *text = json_get_str(json_get(m, "body"), "content");
            if (!type || strcmp(type, "message") != 0 || filled(m, "deletedDateTime"))
                continue;
            json_obj(w, NULL);
            json_str(w, "message_id", json_get_str(m, "id"));
            json_str(w, "content", text ? text : "");
            json_end(w);
        }
    }
    json_end(w);
    return 0;
}

/* The team's first channel comes by itself: it is there where somebody wrote in it. */
static int dump_channel(struct hosted_call *c, struct json_writer *w, const char *team,
                        const struct json *channel)
{
    const char *id = json_get_str(channel, "id"), *key = escaped(c, id);
    const char *name = json_get_str(channel, "displayName");
    const struct json *v, *one;
    if (strcmp(name, FIRST) == 0) {
        const char *target =
            arena_printf(&c->arena, "/v1.0/teams/%s/channels/%s/messages?$top=1", team, key);
        if (world_get(c, target, &v) < 0)
            return -1;
        if (!items_of(v, "value", &one))
            return 0;
    }
    json_obj(w, NULL);
    json_str(w, "channel_id", id);
    json_str(w, "name", name);
    json_str(w, "channel_description", /* that of the first one is the team's */
             strcmp(name, FIRST) == 0 ? NULL : filled(channel, "description"));
    int rc = dump_messages(
        c, w, "channel_messages",
        arena_printf(&c->arena, "/v1.0/teams/%s/channels/%s/messages?$top=50&$expand=replies", team,
                     key));
    json_end(w);
    return rc;
}

static int by_created(const void *x, const void *y)
{
    const struct json *const *a = x, *const *b = y;
    const char *p = json_get_str(*a, "createdDateTime"), *q = json_get_str(*b, "createdDateTime");
    int r = strcmp(p ? p : "", q ? q : "");
    return r ? r : strcmp(json_get_str(*a, "id"), json_get_str(*b, "id"));
}

static int dump_chat(struct hosted_call *c, struct json_writer *w, const struct json *chat)
{
    const char *id = json_get_str(chat, "id"), *key = escaped(c, id);
    struct listed members;
    if (world_pages(c, arena_printf(&c->arena, "/v1.0/chats/%s/members", key), &members) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "chat_id", id);
    json_arr(w, "chat_members");
    for (size_t i = 0; i < members.n; i++) {
        json_obj(w, NULL);
        json_str(w, "member_id", json_get_str(members.items[i], "userId"));
        json_str(w, "member_name", json_get_str(members.items[i], "displayName"));
        json_str(w, "member_email", json_get_str(members.items[i], "email"));
        json_end(w);
    }
    json_end(w);
    int rc = dump_messages(
        c, w, "chat_messages",
        arena_printf(&c->arena,
                     "/v1.0/me/chats/%s/messages?$top=50&$orderby=createdDateTime%%20desc", key));
    json_end(w);
    return rc;
}

int payload_of_teams(struct hosted_call *c, struct json_writer *w)
{
    struct listed channels = {0}, chats;
    const char *team;
    if (find_team(c, &team) < 0 ||
        (team &&
         world_pages(c, arena_printf(&c->arena, "/v1.0/teams/%s/channels", team), &channels) < 0) ||
        world_pages(c, "/v1.0/me/chats?$top=50", &chats) < 0)
        return -1;
    if (channels.n)
        qsort(channels.items, channels.n, sizeof *channels.items, by_created);
    if (chats.n)
        qsort(chats.items, chats.n, sizeof *chats.items, by_created);
    json_arr(w, "team_channels");
    for (size_t i = 0; i < channels.n; i++)
        if (dump_channel(c, w, team, channels.items[i]) < 0)
            return -1;
    json_end(w);
    json_arr(w, "team_chats");
    for (size_t i = 0; i < chats.n; i++)
        if (dump_chat(c, w, chats.items[i]) < 0)
            return -1;
    json_end(w);
    return 0;
}

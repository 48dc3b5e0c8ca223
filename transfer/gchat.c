/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Google Chat of a person's export: a folder for each conversation, with its members
 * (group_info.json) and what was said (messages.json). It becomes a workspace of its own, since
 * that is what holds conversations here: spaces are private channels, and what has no name is a
 * direct conversation.
 */
#include "transfer/gchat.h"
#include "engine/base/codec.h"
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "services/chat/core/chat.h"
#include "services/chat/slack/web/emoji.h"
#include "services/workspace/core/workspace.h"
#include <ctype.h>
#include <stdlib.h>

#define NAME_MAX_BYTES 60    /* of a channel */
#define MEMBERS_MAX    50000 /* of a conversation, as it is given */

static const char info_file[] = "/group_info.json", said_file[] = "/messages.json";

/* Behind "Takeout/Google Chat/Groups/"; NULL: it is none of its files. */
static const char *in_groups(const char *path)
{
    static const char dir[] = "Google Chat/Groups/";
    path += str_starts(path, "Takeout/") ? 8 : 0;
    return str_starts(path, dir) ? path + sizeof dir - 1 : NULL;
}

static bool is_info(const char *path)
{
    return in_groups(path) && transfer_ends(path, info_file);
}

static bool is_said(const char *path)
{
    return in_groups(path) && transfer_ends(path, said_file);
}

bool transfer_is_chat(const char *path)
{
    return is_info(path) || is_said(path);
}

/* ---- its files ---- */

static int parse(struct transfer_in *in, struct arena *a, const struct transfer_entry *e,
                 const struct json **ret)
{
    struct sosia_err why = {0};
    struct transfer_in file = *in;
    file.name = e->path;
    if (json_parse(a, e->data, e->len, NULL, ret, &why) == 0 && (*ret)->type == JSON_OBJECT)
        return 0;
    return transfer_fail(&file, 0, "must be an object in JSON%s%s", *why.text ? ": " : "",
                         why.text);
}

static uint32_t list_in(const struct json *v, const char *member, const struct json **ret)
{
    const struct json *list = json_get(v, member);
    bool is = list && list->type == JSON_ARRAY;
    *ret = is ? list->items : NULL;
    return is ? list->n : 0;
}

/* An address that is known as a member's, as it is kept; NULL: it is none. */
static const char *known(const struct chat_in *c, struct arena *a, const char *email)
{
    const char *normal = email ? email_normal(a, email) : NULL;
    return normal ? map_get(&c->members, normal) : NULL;
}

/* ---- people ---- */

static int add_member(struct chat_in *c, const struct json *who)
{
    struct transfer_in *in = c->people->in;
    struct arena *a = in->tx->arena;
    const char *email = json_get_str(who, "email"), *name = json_get_str(who, "name"),
               *type = json_get_str(who, "user_type");
    struct actor other;
    const char *normal = email ? email_normal(a, email) : NULL;
    if (!normal || map_get(&c->members, normal))
        return 0;
    int r = map_get(&c->people->seen, normal) ? 1 : actor_by_email(in->tx, normal, &other);
    const struct person_in new = {
        .email = normal, .name = name, .kind = type && str_eq_nocase(type, "Bot") ? "bot" : NULL};
    if (r < 0 || (r == 0 && transfer_person_add(c->people, &new, 0) < 0))
        return -1;
    c->list = arena_grow(a, c->list, c->n, &c->cap, sizeof *c->list);
    if (!c->list || map_set(&c->members, normal, (void *)(uintptr_t)normal) < 0)
        return sosia_fail_memory(in->tx->err);
    c->list[c->n++] = normal;
    return 0;
}

static int take_people(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    struct chat_in *c = arg;
    const struct json *v, *items;
    struct arena a;
    arena_init(&a, 0);
    int rc = parse(in, &a, e, &v);
    bool info = is_info(e->path);
    uint32_t n = rc < 0 ? 0 : list_in(v, info ? "members" : "messages", &items);
    for (uint32_t i = 0; rc == 0 && i < n; i++)
        rc = add_member(c, info ? &items[i] : json_get(&items[i], "creator"));
    arena_done(&a);
    return rc;
}

/* "google-chat-ada": of the person who exported it. */
static const char *domain_of(struct arena *a, const char *person)
{
    char *domain = arena_printf(a, "google-chat-%.*s", (int)strcspn(person, "@"), person);
    for (char *p = domain; p && *p; p++)
        *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '-';
    return domain;
}

int transfer_chat_people(struct chat_in *c, struct people_in *people)
{
    struct transfer_in *in = people->in;
    struct chat_workspace there;
    const struct json_member self[] = {{.key = "email",
                                        .value = {.type = JSON_STRING,
                                                  .str = in->t->person,
                                                  .n = (uint32_t)strlen(in->t->person)}}};
    const struct json person = {.type = JSON_OBJECT, .members = self, .n = 1};
    c->people = people;
    c->domain = domain_of(in->tx->arena, in->t->person);
    int r = c->domain ? chat_workspace_find(in->tx, c->domain, &there) : -1;
    if (r != 0) {
        c->there = r == 1;
        return r < 0 ? -1 : 0;
    }
    return add_member(c, &person) < 0 ? -1 : transfer_each(in, transfer_is_chat, take_people, c);
}

/* ---- conversations ---- */

/* As ids are written; the same whenever the same is exported. */
static const char *id_of(struct chat_in *c, char letter, const char *folder)
{
    struct arena *a = c->people->in->tx->arena;
    const char *text = arena_printf(a, "%s/%s", c->domain, folder);
    return text ? arena_printf(a, "%c%016llX", letter, (unsigned long long)chat_hash(text)) : NULL;
}

/* A channel's name of a space's: small letters, digits and hyphens, and what is not ASCII. */
static const char *channel_name(struct chat_in *c, const char *name)
{
    struct arena *a = c->people->in->tx->arena;
    char *text = arena_strdup(a, name), *to = text;
    if (!text)
        return NULL;
    text[utf8_truncate(text, strlen(text), NAME_MAX_BYTES)] = 0;
    for (const char *p = text; *p; p++) {
        const unsigned char ch = (unsigned char)*p;
        if (isalnum(ch) || ch >= 0x80)
            *to++ = (char)(ch < 0x80 ? tolower(ch) : ch);
        else if (to > text && to[-1] != '-')
            *to++ = '-';
    }
    while (to > text && to[-1] == '-')
        to--;
    *to = 0;
    const char *base = *text ? text : "space", *made = base;
    uintptr_t i = (uintptr_t)map_get(&c->names, base);
    while (made && map_get(&c->names, made))
        made = arena_printf(a, "%s-%d", base, (int)++i);
    if (!made || map_set(&c->names, made, (void *)(uintptr_t)1) < 0)
        return NULL;
    return i > 1 && map_set(&c->names, base, (void *)i) < 0 ? NULL : made;
}

static int by_text(const void *pa, const void *pb)
{
    return strcmp(*(const char *const *)pa, *(const char *const *)pb);
}

/* The members who are known, and in *ret_key what tells the conversations of others apart. */
static int members_of(struct chat_in *c, const char *path, const struct json *v, const char ***ret,
                      size_t *ret_n, const char **ret_key)
{
    struct arena *a = c->people->in->tx->arena;
    const struct json *list;
    uint32_t n = list_in(v, "members", &list);
    struct buf key;
    size_t k = 0, m = 0;
    if (n > MEMBERS_MAX) {
        struct transfer_in file = *c->people->in;
        file.name = path;
        return transfer_fail(&file, 0, "must have at most %d members, has %u", MEMBERS_MAX, n);
    }
    const char **out = arena_calloc(a, n + 1, sizeof *out);
    for (uint32_t i = 0; out && i < n; i++)
        if ((out[k] = known(c, a, json_get_str(&list[i], "email"))))
            k++;
    if (k)
        qsort(out, k, sizeof *out, by_text);
    buf_init(&key, 0);
    for (size_t i = 0; i < k; i++) {
        if (m && strcmp(out[m - 1], out[i]) == 0)
            continue;
        buf_byte(&key, ' ');
        buf_puts(&key, out[i]);
        out[m++] = out[i];
    }
    *ret = out;
    *ret_n = m;
    *ret_key = buf_failed(&key) ? NULL : arena_strdup(a, buf_str(&key));
    buf_done(&key);
    return !out || !*ret_key ? sosia_fail_memory(c->people->in->tx->err) : 0;
}

static void write_conversation(struct chat_in *c, const char *id, const char *kind,
                               const char *name, const char *title, const char **members, size_t n)
{
    struct json_writer *w = c->people->in->w;
    json_obj(w, NULL);
    json_str(w, "workspace", c->domain);
    json_str(w, "id", id);
    json_str(w, "kind", kind);
    json_str_opt(w, "name", name);
    json_arr(w, "members");
    for (size_t i = 0; i < n; i++)
        json_str(w, NULL, members[i]);
    json_end(w);
    if (name && strcmp(name, title) != 0) {
        json_obj(w, "purpose");
        json_str(w, "text", title);
        json_end(w);
    }
    json_end(w);
    c->people->in->done->n[TRANSFER_CHANNELS]++;
}

static int take_info(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    struct chat_in *c = arg;
    struct arena a;
    const struct json *v;
    arena_init(&a, 0);
    int rc = parse(in, &a, e, &v);
    const char *key, **members;
    size_t n;
    if (rc == 0)
        rc = members_of(c, e->path, v, &members, &n, &key);
    if (rc == 0) {
        const char *title = json_get_str(v, "name"),
                   *folder = arena_strdup(in->tx->arena, workspace_parent(&a, in_groups(e->path)));
        bool space = title && *title;
        const char *id = space ? NULL : map_get(&c->direct, key);
        if (!id && n) {
            id = id_of(c, space ? 'C' : n > 2 ? 'G' : 'D', folder);
            const char *name = space ? channel_name(c, title) : NULL;
            if (!id || (space && !name) ||
                (!space && map_set(&c->direct, key, (void *)(uintptr_t)id) < 0))
                rc = sosia_fail_memory(in->tx->err);
            else
                write_conversation(c, id,
                                   space   ? "private"
                                   : n > 2 ? "group"
                                           : "direct",
                                   name, title, members, n);
        }
        if (rc == 0 && id && map_set(&c->places, folder, (void *)(uintptr_t)id) < 0)
            rc = sosia_fail_memory(in->tx->err);
        in->done->n[TRANSFER_SKIPPED] += !id;
    }
    arena_done(&a);
    return rc;
}

/* ---- messages ---- */

/* A number at the place, which goes behind it; -1: there is none. */
static int number_at(const char **at)
{
    int n = 0, digits = 0;
    for (; isdigit((unsigned char)**at) && digits < 5; (*at)++, digits++)
        n = 10 * n + (**at - '0');
    return digits ? n : -1;
}

/* Goes behind a text; false: it is not there. */
static bool skip(const char **at, const char *text)
{
    if (!str_starts(*at, text))
        return false;
    *at += strlen(text);
    return true;
}

/* "Tuesday, March 3, 2020 at 4:45:31 PM UTC"; the space in front of PM may be a narrow one. */
static bool read_date(const char *text, int64_t *ret_s)
{
    static const char *const months[] = {"January",   "February", "March",    "April",
                                         "May",       "June",     "July",     "August",
                                         "September", "October",  "November", "December"};
    const char *at = text ? strstr(text, ", ") : NULL;
    int month = 0;
    if (!at)
        return false;
    at += 2;
    while (month < 12 && !skip(&at, months[month]))
        month++;
    if (month == 12 || !skip(&at, " "))
        return false;
    const int day = number_at(&at);
    if (!skip(&at, ", "))
        return false;
    const int year = number_at(&at);
    if (!skip(&at, " at "))
        return false;
    const int hour = number_at(&at);
    const bool colon = skip(&at, ":");
    const int minute = number_at(&at);
    const bool second_colon = skip(&at, ":");
    const int second = number_at(&at);
    if (!skip(&at, "\xe2\x80\xaf") && !skip(&at, "\xc2\xa0"))
        skip(&at, " ");
    const bool pm = str_starts(at, "PM");
    if (year < 1970 || year > 9999 || day < 1 || day > days_in_month(year, month + 1) || hour < 1 ||
        hour > 12 || !colon || minute < 0 || minute > 59 || !second_colon || second < 0 ||
        second > 60 || (!pm && !str_starts(at, "AM")) || strcmp(at + 2, " UTC") != 0)
        return false;
    *ret_s = days_from_civil(year, month + 1, day) * SECONDS_PER_DAY +
             (hour % 12 + (pm ? 12 : 0)) * 3600 + minute * 60 + second;
    return true;
}

/* With what is markup where it is shown written as a text. */
static const char *escaped(struct arena *a, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    for (; *text; text++)
        if (*text == '&')
            buf_puts(&b, "&amp;");
        else if (*text == '<')
            buf_puts(&b, "&lt;");
        else if (*text == '>')
            buf_puts(&b, "&gt;");
        else
            buf_byte(&b, *text);
    const char *out = arena_strdup(a, buf_str(&b));
    if (buf_failed(&b))
        a->failed = true;
    buf_done(&b);
    return out;
}

static void write_reactions(struct chat_in *c, struct arena *a, const struct json *m)
{
    struct json_writer *w = c->people->in->w;
    const struct json *list, *emails;
    uint32_t n = list_in(m, "reactions", &list);
    if (!n)
        return;
    json_arr(w, "reactions");
    for (uint32_t i = 0; i < n; i++) {
        const char *code = json_get_str(json_get(&list[i], "emoji"), "unicode");
        struct sl_emoji_found found;
        uint32_t k = list_in(&list[i], "reactor_emails", &emails), by = 0;
        for (uint32_t j = 0; j < k; j++)
            by += known(c, a, emails[j].type == JSON_STRING ? emails[j].str : NULL) != NULL;
        if (!by || !code || !sl_emoji_at(code, &found))
            continue;
        json_obj(w, NULL);
        json_str(w, "name",
                 found.tone ? arena_printf(a, "%s::skin-tone-%d", found.emoji->name, found.tone)
                            : found.emoji->name);
        json_arr(w, "by");
        for (uint32_t j = 0; j < k; j++)
            if (emails[j].type == JSON_STRING && known(c, a, emails[j].str))
                json_str(w, NULL, known(c, a, emails[j].str));
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

/* 1 written, 0 it has no place, -1. */
static int write_message(struct chat_in *c, struct arena *a, const char *channel,
                         const struct json *m)
{
    struct transfer_in *in = c->people->in;
    struct json_writer *w = in->w;
    const char *from = known(c, a, json_get_str(json_get(m, "creator"), "email")),
               *text = json_get_str(m, "text"), *topic = json_get_str(m, "topic_id");
    int64_t at_s, edited_s;
    if (!from || !text || !*text || !read_date(json_get_str(m, "created_date"), &at_s))
        return 0;
    const char *ts = arena_printf(in->tx->arena, "%lld.%06d", (long long)at_s,
                                  (int)(c->said++ % 1000000)),
               *key = arena_printf(a, "%s %s", channel, topic ? topic : ""), *root;
    if (!ts || !key)
        return sosia_fail_memory(in->tx->err);
    root = topic ? map_get(&c->topics, key) : NULL;
    json_obj(w, NULL);
    json_str(w, "workspace", c->domain);
    json_str(w, "channel", channel);
    json_str(w, "from", from);
    json_str(w, "ts", ts);
    json_str_opt(w, "thread", root);
    json_str(w, "text", escaped(a, text));
    if (read_date(json_get_str(m, "updated_date"), &edited_s))
        json_str(w, "edited", arena_printf(a, "%lld.000000", (long long)edited_s));
    write_reactions(c, a, m);
    json_end(w);
    in->done->n[TRANSFER_MESSAGES]++;
    if (topic && !root && map_set(&c->topics, key, (void *)(uintptr_t)ts) < 0)
        return sosia_fail_memory(in->tx->err);
    return 1;
}

static int take_said(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    struct chat_in *c = arg;
    const struct json *v, *list;
    struct arena a;
    arena_init(&a, 0);
    const char *folder = workspace_parent(&a, in_groups(e->path)),
               *channel = folder ? map_get(&c->places, folder) : NULL;
    int rc = parse(in, &a, e, &v);
    uint32_t n = rc < 0 ? 0 : list_in(v, "messages", &list);
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        rc = channel ? write_message(c, &a, channel, &list[i]) : 0;
        in->done->n[TRANSFER_SKIPPED] += rc == 0;
    }
    if (rc >= 0 && arena_failed(&a))
        rc = sosia_fail_memory(in->tx->err);
    arena_done(&a);
    return rc < 0 ? -1 : 0;
}

/* ---- the whole ---- */

int transfer_chat(struct chat_in *c)
{
    struct transfer_in *in = c->people->in;
    struct json_writer *w = in->w;
    if (c->there) {
        in->done->n[TRANSFER_SKIPPED]++;
        return 0;
    }
    json_arr(w, "workspaces");
    json_obj(w, NULL);
    json_str(w, "domain", c->domain);
    json_str(w, "name", "Google Chat");
    json_arr(w, "members");
    for (size_t i = 0; i < c->n; i++) {
        json_obj(w, NULL);
        json_str(w, "actor", c->list[i]);
        if (!i)
            json_str(w, "role", "owner");
        json_end(w);
    }
    json_end(w);
    json_end(w);
    json_end(w);
    json_arr(w, "channels");
    if (transfer_each(in, is_info, take_info, c) < 0)
        return -1;
    json_end(w);
    json_arr(w, "messages");
    int rc = transfer_each(in, is_said, take_said, c);
    json_end(w);
    return rc;
}

void transfer_chat_end(struct chat_in *c)
{
    map_done(&c->members);
    map_done(&c->places);
    map_done(&c->names);
    map_done(&c->direct);
    map_done(&c->topics);
}

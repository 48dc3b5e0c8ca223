/* SPDX-License-Identifier: Apache-2.0 */
/* Slack: channels with messages, reactions and replies, all by the account's person. */
#include "hosted/impl.h"
#include <stdio.h>

/* ---- payload to seed ---- */

#define REACTIONS_MAX 100 /* of a message */

static void write_reactions(struct hosted_call *c, struct json_writer *w, const struct json *m)
{
    const struct json *list;
    const struct place body = {.name = "body"};
    uint32_t n = items_of(m, "reactions", &list);
    if (n > REACTIONS_MAX)
        fault_value(c, &body, NULL, "a message must have at most %d reactions, not %u",
                    REACTIONS_MAX, n);
    if (!n || n > REACTIONS_MAX)
        return;
    json_arr(w, "reactions");
    for (uint32_t i = 0; i < n; i++) {
        const char *name = json_get_str(&list[i], "name");
        bool again = false;
        for (uint32_t j = 0; j < i; j++)
            again |= strcmp(json_get_str(&list[j], "name"), name) == 0;
        if (again) /* a person has each once */
            continue;
        json_obj(w, NULL);
        json_str(w, "name", name);
        json_arr(w, "by");
        json_str(w, NULL, c->sandbox->person);
        json_end(w);
        json_end(w);
    }
    json_end(w);
}

struct clock {
    int64_t at_us;
    int64_t n_messages;
};

static void write_message(struct hosted_call *c, struct json_writer *w, const struct json *m,
                          struct clock *clock)
{
    char ts[32];
    clock->at_us++;
    clock->n_messages++;
    snprintf(ts, sizeof ts, "%lld.%06lld", (long long)(clock->at_us / US_PER_SECOND),
             (long long)(clock->at_us % US_PER_SECOND));
    json_str(w, "from", c->sandbox->person);
    json_str(w, "ts", ts);
    json_str(w, "text", json_get_str(m, "text"));
    write_reactions(c, w, m);
}

/* A thread has one level: replies to replies follow what they reply to. */
static void write_replies(struct hosted_call *c, struct json_writer *w, const struct json *m,
                          struct clock *clock)
{
    const struct json *list;
    uint32_t n = items_of(m, "replies", &list);
    for (uint32_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        write_message(c, w, &list[i], clock);
        json_end(w);
        write_replies(c, w, &list[i], clock);
    }
}

static int64_t count_messages(const struct json *of, const char *member)
{
    const struct json *list;
    int64_t n = items_of(of, member, &list), all = n;
    for (int64_t i = 0; i < n; i++)
        all += count_messages(&list[i], "replies");
    return all;
}

/* Channels get the ids that lists show them by, in the payload's order. */
static void write_channel(struct hosted_call *c, struct json_writer *w, const struct json *channel,
                          int64_t created_us)
{
    const char *description = filled(channel, "description");
    json_obj(w, NULL);
    json_str(w, "name", json_get_str(channel, "name"));
    if (lax_true(json_get(channel, "is_private")))
        json_str(w, "kind", "private");
    json_str(w, "creator", c->sandbox->person);
    json_int(w, "created", created_us / US_PER_SECOND);
    json_str_opt(w, "purpose", description);
    json_arr(w, "members");
    json_str(w, NULL, c->sandbox->person);
    json_end(w);
    json_end(w);
}

int payload_to_slack(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    const struct json *channels, *messages;
    uint32_t n = items_of(data, "channels", &channels);
    struct clock clock = {0};
    int64_t total = 0;
    if (world_time(c, &clock.at_us) < 0)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        total += count_messages(&channels[i], "messages");
    clock.at_us -= total + 1;
    json_arr(w, "channels");
    for (uint32_t i = 0; i < n; i++)
        write_channel(c, w, &channels[i], clock.at_us);
    json_end(w);
    json_arr(w, "messages");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = items_of(&channels[i], "messages", &messages);
        for (uint32_t j = 0; j < k; j++) {
            json_obj(w, NULL);
            json_str(w, "channel", json_get_str(&channels[i], "name"));
            write_message(c, w, &messages[j], &clock);
            if (json_get(&messages[j], "replies")) {
                json_arr(w, "replies");
                write_replies(c, w, &messages[j], &clock);
                json_end(w);
            }
            json_end(w);
        }
    }
    json_end(w);
    count_made(c, "channels", n);
    count_made(c, "messages", clock.n_messages);
    return 0;
}

/* ---- state to payload ---- */

/* An answer of Slack's, all of whose pages become one list of one member's items. */
static int read_all(struct hosted_call *c, const char *target, const char *member,
                    const struct json ***ret, size_t *ret_n)
{
    const struct json **list = NULL, *v, *items;
    size_t n = 0, cap = 0;
    const char *cursor = NULL;
    do {
        if (world_get(c,
                      cursor ? arena_printf(&c->arena, "%s&cursor=%s", target, escaped(c, cursor))
                             : target,
                      &v) < 0)
            return -1;
        if (!json_get_true(v, "ok"))
            return sosia_fail(&c->err, SOSIA_E_INTERNAL, NULL, NULL, "GET %s answered %s", target,
                              json_get_str(v, "error") ? json_get_str(v, "error") : "nothing");
        uint32_t k = items_of(v, member, &items);
        for (uint32_t i = 0; i < k; i++) {
            if (!(list = arena_grow(&c->arena, list, n, &cap, sizeof(*list))))
                return sosia_fail_memory(&c->err);
            list[n++] = &items[i];
        }
        cursor = filled(json_get(v, "response_metadata"), "next_cursor");
    } while (cursor);
    *ret = list;
    *ret_n = n;
    return 0;
}

/* Its members, but for replies. */
static void dump_message(struct json_writer *w, const struct json *m)
{
    const struct json *list;
    const char *text = json_get_str(m, "text");
    uint32_t n = items_of(m, "reactions", &list);
    json_str(w, "text", text ? text : "");
    json_arr(w, "reactions");
    for (uint32_t i = 0; i < n; i++) {
        json_obj(w, NULL);
        json_str(w, "name", json_get_str(&list[i], "name"));
        json_end(w);
    }
    json_end(w);
}

static int dump_replies(struct hosted_call *c, struct json_writer *w, const char *channel,
                        const struct json *m)
{
    const struct json **list;
    size_t n = 0;
    const char *ts = json_get_str(m, "ts");
    if (json_get_int(m, "reply_count", 0) &&
        read_all(c,
                 arena_printf(&c->arena, "/api/conversations.replies?limit=1000&channel=%s&ts=%s",
                              channel, ts),
                 "messages", &list, &n) < 0)
        return -1;
    json_arr(w, "replies");
    for (size_t i = 0; i < n; i++)
        if (!str_same(json_get_str(list[i], "ts"), ts)) {
            json_obj(w, NULL);
            dump_message(w, list[i]);
            json_arr(w, "replies");
            json_end(w);
            json_end(w);
        }
    json_end(w);
    return 0;
}

/* Who joined and left is not a message that somebody wrote. */
static bool is_written(const struct json *m)
{
    const char *subtype = json_get_str(m, "subtype"), *thread = json_get_str(m, "thread_ts");
    bool reply = thread && !str_same(thread, json_get_str(m, "ts"));
    return !reply && (!subtype || strcmp(subtype, "bot_message") == 0 ||
                      strcmp(subtype, "me_message") == 0 || strcmp(subtype, "file_share") == 0);
}

static int dump_channel(struct hosted_call *c, struct json_writer *w, const struct json *channel)
{
    const char *id = json_get_str(channel, "id");
    const struct json **list = NULL;
    size_t n = 0;
    if (json_get_true(channel, "is_member") &&
        read_all(c, arena_printf(&c->arena, "/api/conversations.history?limit=999&channel=%s", id),
                 "messages", &list, &n) < 0)
        return -1;
    json_obj(w, NULL);
    json_str(w, "name", json_get_str(channel, "name"));
    json_str(w, "description", filled(json_get(channel, "purpose"), "value"));
    json_bool(w, "is_private", json_get_true(channel, "is_private"));
    json_arr(w, "messages");
    for (size_t i = n; i > 0; i--) { /* the newest comes first */
        if (!is_written(list[i - 1]))
            continue;
        json_obj(w, NULL);
        dump_message(w, list[i - 1]);
        if (dump_replies(c, w, id, list[i - 1]) < 0)
            return -1;
        json_end(w);
    }
    json_end(w);
    json_end(w);
    return 0;
}

int payload_of_slack(struct hosted_call *c, struct json_writer *w)
{
    const struct json **list;
    size_t n;
    if (read_all(c,
                 "/api/conversations.list?limit=1000&exclude_archived=true&types="
                 "public_channel,private_channel",
                 "channels", &list, &n) < 0)
        return -1;
    json_arr(w, "channels");
    for (size_t i = n; i > 0; i--) /* the newest comes first */
        if (dump_channel(c, w, list[i - 1]) < 0)
            return -1;
    json_end(w);
    return 0;
}

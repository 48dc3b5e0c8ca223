/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of conformance-talk. Refusals are fine: persons without the right try too. */
#include "conformance/properties/talk.h"
#include <stdio.h>
#include <string.h>

static const char *const words[] = {"anchor", "buoy", "chart", "dock", "eddy", "fender"};
static const char *const emoji[] = {"eyes", "tada", "rocket"};

static const struct room *some_room(const struct rows *r)
{
    return &r->rooms[roll((unsigned)r->n_rooms)];
}

static const struct said *some_message(const struct rows *r)
{
    return r->n_said ? &r->said[roll((unsigned)r->n_said)] : NULL;
}

static void post(int who, const struct rows *r)
{
    const struct said *m = some_message(r);
    const char *text = arena_printf(&arena, "%s %s %u", words[roll(6)], words[roll(6)], roll(100));
    if (!m || roll(3))
        ask(who, "chat.postMessage", "channel=%s&text=%s", some_room(r)->key, text);
    else
        ask(who, "chat.postMessage", "channel=%s&text=%s&thread_ts=%s&reply_broadcast=%s",
            r->rooms[m->channel].key, text, ts_of(m->us), roll(4) ? "false" : "true");
}

static void change_message(int who, const struct rows *r)
{
    const struct said *m = some_message(r);
    if (!m)
        return;
    const char *key = r->rooms[m->channel].key, *ts = ts_of(m->us);
    switch (roll(7)) {
    case 0:
        ask(who, "chat.update", "channel=%s&ts=%s&text=%s+changed", key, ts, words[roll(6)]);
        break;
    case 1:
        ask(who, "chat.delete", "channel=%s&ts=%s", key, ts);
        break;
    case 2:
        ask(who, "pins.add", "channel=%s&timestamp=%s", key, ts);
        break;
    case 3:
        ask(who, "pins.remove", "channel=%s&timestamp=%s", key, ts);
        break;
    case 4:
        ask(who, "reactions.remove", "channel=%s&timestamp=%s&name=%s", key, ts, emoji[roll(3)]);
        break;
    default:
        ask(who, "reactions.add", "channel=%s&timestamp=%s&name=%s", key, ts, emoji[roll(3)]);
    }
}

static void change_room(int who, const struct rows *r)
{
    const struct room *k = some_room(r);
    const char *other = caller_keys[roll(CALLERS)];
    switch (roll(10)) {
    case 0:
        if (r->n_rooms < MAX_ROOMS - 4)
            ask(who, "conversations.create", "name=room-%u&is_private=%s", roll(100000),
                roll(2) ? "true" : "false");
        break;
    case 1:
        ask(who, "conversations.join", "channel=%s", k->key);
        break;
    case 2:
        ask(who, "conversations.leave", "channel=%s", k->key);
        break;
    case 3:
    case 4:
        ask(who, "conversations.invite", "channel=%s&users=%s", k->key, other);
        break;
    case 5:
        ask(who, "conversations.kick", "channel=%s&user=%s", k->key, other);
        break;
    case 6:
        ask(who, roll(3) ? "conversations.unarchive" : "conversations.archive", "channel=%s",
            k->key);
        break;
    case 7:
        ask(who, "conversations.open", "users=%s", other);
        break;
    case 8:
        ask(who, "conversations.open", "users=%s,%s", other, caller_keys[roll(CALLERS)]);
        break;
    default:
        ask(who, "conversations.setTopic", "channel=%s&topic=%s", k->key, words[roll(6)]);
    }
}

static void mark_read(int who, const struct rows *r)
{
    const struct said *m = some_message(r);
    if (m)
        ask(who, "conversations.mark", "channel=%s&ts=%s", r->rooms[m->channel].key, ts_of(m->us));
}

/* Bytes to the address that was given, then it is kept or shared. */
static void upload(int who, const struct rows *r)
{
    const struct json *v =
        ask(who, "files.getUploadURLExternal", "filename=%s.txt&length=5", words[roll(6)]);
    struct sosia_request req = {.method = "POST", .body = "tide\n", .body_len = 5};
    struct sosia_response *res;
    struct sosia_err err;
    const char *id = json_get_str(v, "file_id");
    if (!is_ok(v) || !id)
        return;
    const char *path = strstr(json_get_str(v, "upload_url"), "://");
    if (!path || !(path = strchr(path + 3, '/')))
        stop("an address without a path");
    req.target = path;
    if (sosia_call(engine, world, &req, &res, &err) < 0)
        stop(err.text);
    sosia_response_free(res);
    const char *files = arena_printf(&arena, "[{\"id\":\"%s\"}]", id);
    if (roll(3))
        ask(who, "files.completeUploadExternal", "files=%s&channel_id=%s", files,
            some_room(r)->key);
    else
        ask(who, "files.completeUploadExternal", "files=%s", files);
}

static void change_file(int who, const struct rows *r)
{
    if (r->n_files && roll(3) == 0)
        ask(who, "files.delete", "file=%s", r->files[roll((unsigned)r->n_files)].key);
    else
        upload(who, r);
}

void do_something(const struct rows *r)
{
    struct sosia_err err;
    int who = (int)roll(CALLERS);
    unsigned kind = roll(20);
    if (kind < 9)
        post(who, r);
    else if (kind < 13)
        change_message(who, r);
    else if (kind < 16)
        change_room(who, r);
    else if (kind < 18)
        mark_read(who, r);
    else
        change_file(who, r);
    if (roll(3) == 0 &&
        sosia_clock_advance(engine, world, (int64_t)(1 + roll(90)) * 1000000, &err) < 0)
        stop(err.text);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of the responses of conformance-talk. */
#include "conformance/properties/talk.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BROADCAST = 1, TOMBSTONE = 2, SYSTEM = 32 };

/* Counts that a check was made; true where it is to be given something wrong. */
static bool lies(enum check check)
{
    return ++looked[check] % 7 == 3 && control == (int)check;
}

static int wrong(enum check check, int who, const char *what, const char *got, const char *wanted)
{
    printf("%s, %s, %s: %s, and the rows give %s\n", check_names[check], caller_keys[who], what,
           got, wanted);
    return -1;
}

static int wrong_number(enum check check, int who, const char *what, long long got,
                        long long wanted)
{
    return wrong(check, who, what, arena_printf(&arena, "%lld", got),
                 arena_printf(&arena, "%lld", wanted));
}

static long long number(const struct json *v, const char *member)
{
    int64_t n;
    return json_i64(json_get(v, member), &n) < 0 ? -1 : n;
}

/* ---- the independent reading ---- */

static const struct member *member_of(const struct rows *r, int who, int room)
{
    for (int i = 0; i < r->n_members; i++)
        if (r->members[i].room == room && r->members[i].caller == who)
            return &r->members[i];
    return NULL;
}

static bool sees(const struct rows *r, int who, int room)
{
    return (r->rooms[room].kind == PUBLIC && who != GUEST) || member_of(r, who, room);
}

/* Bots read where they are. */
static bool reads(const struct rows *r, int who, int room)
{
    return sees(r, who, room) && (who != BOT || member_of(r, who, room));
}

static bool is_shown(const struct said *m)
{
    return !m->thread || m->thread == m->id || m->flags & BROADCAST;
}

/* Times of messages, newest first. */
struct times {
    long long us[MAX_SAID];
    int n;
};

static void shown_in(const struct rows *r, int room, long long from, long long to,
                     struct times *ret)
{
    ret->n = 0;
    for (int i = r->n_said - 1; i >= 0; i--) {
        const struct said *m = &r->said[i];
        if (m->channel == room && is_shown(m) && m->us >= from && m->us <= to)
            ret->us[ret->n++] = m->us;
    }
}

static const char *list_of(const struct times *t)
{
    const char *text = "";
    for (int i = 0; i < t->n && i < 40; i++)
        text = arena_printf(&arena, "%s %s", text, ts_of(t->us[i]));
    return text;
}

static bool same(const struct times *a, const struct times *b)
{
    return a->n == b->n && memcmp(a->us, b->us, (size_t)a->n * sizeof a->us[0]) == 0;
}

/* ---- pages ---- */

static long long us_of(const char *ts)
{
    char *end;
    long long s = strtoll(ts, &end, 10);
    return s * 1000000 + (*end == '.' ? strtoll(end + 1, NULL, 10) : 0);
}

static void add_page(const struct json *list, struct times *t)
{
    for (uint32_t i = 0; list && i < list->n && t->n < MAX_SAID; i++)
        t->us[t->n++] = us_of(json_get_str(&list->items[i], "ts"));
}

static const char *escaped(const char *text)
{
    const char *out = "";
    for (; *text; text++)
        out = *text == '=' ? arena_printf(&arena, "%s%%3D", out)
                           : arena_printf(&arena, "%s%c", out, *text);
    return out;
}

/* All pages of a method, of one to eight messages. 0; -1: refused, or pages don't end. */
static int all_pages(int who, const char *method, const char *form, struct times *ret)
{
    unsigned limit = 1 + roll(8);
    const char *cursor = "";
    ret->n = 0;
    for (int page = 0; page < MAX_SAID; page++) {
        const struct json *v = ask(who, method, "%s&limit=%u%s%s", form, limit,
                                   *cursor ? "&cursor=" : "", escaped(cursor));
        if (!is_ok(v))
            return -1;
        add_page(json_get(v, "messages"), ret);
        const char *next = json_get_str(json_get(v, "response_metadata"), "next_cursor");
        bool more = json_get(v, "has_more") && json_get(v, "has_more")->truth;
        if (more != (next && *next))
            return -1;
        if (!more)
            return 0;
        cursor = next;
    }
    return -1;
}

/* ---- lists ---- */

static bool has_text(const struct json *list, const char *text)
{
    for (uint32_t i = 0; list && i < list->n; i++)
        if (list->items[i].type == JSON_STRING && strcmp(list->items[i].str, text) == 0)
            return true;
    return false;
}

/* Of the messages that a list has: by their time. */
static bool has_pin(const struct json *list, const struct said *m)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *ts = json_get_str(json_get(&list->items[i], "message"), "ts");
        if (ts && us_of(ts) == m->us)
            return true;
    }
    return false;
}

static bool has_mark(const struct json *list, const struct mark *mark)
{
    for (uint32_t i = 0; list && i < list->n; i++) {
        const char *name = json_get_str(&list->items[i], "name");
        if (name && strcmp(name, mark->name) == 0)
            return has_text(json_get(&list->items[i], "users"), mark->user);
    }
    return false;
}

/* ---- channels ---- */

static int check_members(const struct rows *r, int who, int room, const struct json *channel)
{
    int wanted = 0;
    for (int i = 0; i < r->n_members; i++)
        wanted += r->members[i].room == room && !r->rooms[room].archived; /* its list of members
                                                                             is empty */
    const char *key = r->rooms[room].key;
    const struct json *list =
        json_get(ask(who, "conversations.members", "channel=%s&limit=100", key), "members");
    int n = list ? (int)list->n : 0;
    if (lies(CHECK_MEMBERS))
        n++;
    if (n != wanted)
        return wrong_number(CHECK_MEMBERS, who, key, n, wanted);
    for (int i = 0; i < r->n_members && wanted; i++)
        if (r->members[i].room == room && !has_text(list, caller_keys[r->members[i].caller]))
            return wrong(CHECK_MEMBERS, who, key, "others", caller_keys[r->members[i].caller]);
    long long got = number(channel, "num_members");
    if (got >= 0 && got != wanted)
        return wrong_number(CHECK_MEMBERS, who, key, got, wanted);
    return 0;
}

static int check_unread(const struct rows *r, int who, int room, const struct json *channel)
{
    const struct member *in = member_of(r, who, room);
    long long got = number(channel, "unread_count"), wanted = 0;
    if (got < 0 || !in)
        return 0;
    for (int i = 0; i < r->n_said; i++)
        wanted +=
            r->said[i].channel == room && is_shown(&r->said[i]) && r->said[i].us > in->read_us;
    if (lies(CHECK_UNREAD))
        got++;
    return got == wanted ? 0 : wrong_number(CHECK_UNREAD, who, r->rooms[room].key, got, wanted);
}

static int check_history(const struct rows *r, int who, int room)
{
    static struct times got, wanted;
    const char *key = r->rooms[room].key;
    int rc = all_pages(who, "conversations.history", arena_printf(&arena, "channel=%s", key), &got);
    if ((rc == 0) != reads(r, who, room))
        return wrong(CHECK_HISTORY, who, key, rc ? "refused" : "given", "otherwise");
    if (rc < 0)
        return 0;
    shown_in(r, room, 0, INT64_MAX, &wanted);
    if (lies(CHECK_HISTORY))
        got.n++;
    if (!same(&got, &wanted))
        return wrong(CHECK_HISTORY, who, key, list_of(&got), list_of(&wanted));
    if (wanted.n < 2)
        return 0;
    bool inclusive = roll(2);
    long long to = wanted.us[roll((unsigned)wanted.n)], from = wanted.us[roll((unsigned)wanted.n)];
    if (all_pages(who, "conversations.history",
                  arena_printf(&arena, "channel=%s&oldest=%s&latest=%s&inclusive=%s", key,
                               ts_of(from), ts_of(to), inclusive ? "true" : "false"),
                  &got) < 0)
        return wrong(CHECK_WINDOW, who, key, "refused", "messages");
    shown_in(r, room, from + !inclusive, to - !inclusive, &wanted);
    if (lies(CHECK_WINDOW))
        got.n++;
    return same(&got, &wanted) ? 0 : wrong(CHECK_WINDOW, who, key, list_of(&got), list_of(&wanted));
}

static int check_pins(const struct rows *r, int who, int room)
{
    long long wanted = 0;
    const char *key = r->rooms[room].key;
    for (int i = 0; i < r->n_said; i++)
        wanted += r->said[i].channel == room && r->said[i].pinned;
    const struct json *list = json_get(ask(who, "pins.list", "channel=%s", key), "items");
    long long got = list ? (long long)list->n : -1;
    if (lies(CHECK_PINS))
        got++;
    if (got != wanted || r->rooms[room].pins != wanted)
        return wrong_number(CHECK_PINS, who, key, got, wanted);
    for (int i = 0; i < r->n_said; i++)
        if (r->said[i].channel == room && r->said[i].pinned && !has_pin(list, &r->said[i]))
            return wrong(CHECK_PINS, who, key, "others", ts_of(r->said[i].us));
    if (!reads(r, who, room))
        return 0;
    got = number(ask(who, "conversations.history", "channel=%s&limit=1", key), "pin_count");
    return got == wanted ? 0 : wrong_number(CHECK_PINS, who, key, got, wanted);
}

static int check_room(const struct rows *r, int who, int room)
{
    const char *key = r->rooms[room].key;
    const struct json *v =
        ask(who, "conversations.info", "channel=%s&include_num_members=true", key);
    bool got = is_ok(v), wanted = sees(r, who, room);
    if (lies(CHECK_SEEN))
        got = !got;
    if (got != wanted)
        return wrong(CHECK_SEEN, who, key, got ? "seen" : "not seen", "otherwise");
    if (check_history(r, who, room) < 0)
        return -1;
    if (!wanted)
        return 0;
    const struct json *channel = json_get(v, "channel");
    return check_members(r, who, room, channel) < 0 || check_unread(r, who, room, channel) < 0 ||
                   check_pins(r, who, room) < 0
               ? -1
               : 0;
}

/* ---- messages ---- */

static int check_reactions(const struct rows *r, int who, const struct said *m,
                           const struct json *shown)
{
    const struct json *list = json_get(shown, "reactions");
    long long got = 0, wanted = 0;
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *users = json_get(&list->items[i], "users");
        if (!users || number(&list->items[i], "count") != users->n)
            return wrong(CHECK_REACTED, who, ts_of(m->us), "a count that is not", "its users");
        got += users->n;
    }
    for (int i = 0; i < r->n_marks; i++) {
        if (r->marks[i].message != m->id)
            continue;
        if (!has_mark(list, &r->marks[i]))
            return wrong(CHECK_REACTED, who, ts_of(m->us), "others", r->marks[i].name);
        wanted++;
    }
    if (wanted && lies(CHECK_REACTED))
        got++;
    return got == wanted ? 0 : wrong_number(CHECK_REACTED, who, ts_of(m->us), got, wanted);
}

/* A thread by its pages, and what its first message counts. */
static int check_thread(const struct rows *r, int who, const struct said *m)
{
    static struct times got, wanted;
    const char *key = r->rooms[m->channel].key, *seen = "";
    long long users = 0;
    wanted.n = 0;
    wanted.us[wanted.n++] = m->us;
    for (int i = 0; i < r->n_said; i++) {
        const struct said *a = &r->said[i];
        if (a->thread != m->id || a->id == m->id)
            continue;
        wanted.us[wanted.n++] = a->us;
        if (!strstr(seen, a->user)) {
            seen = arena_printf(&arena, "%s %s", seen, a->user);
            users++;
        }
    }
    if (all_pages(who, "conversations.replies",
                  arena_printf(&arena, "channel=%s&ts=%s", key, ts_of(m->us)), &got) < 0)
        return wrong(CHECK_REPLIES, who, ts_of(m->us), "refused", list_of(&wanted));
    if (wanted.n > 1 && lies(CHECK_REPLIES))
        got.n--;
    if (!same(&got, &wanted))
        return wrong(CHECK_REPLIES, who, ts_of(m->us), list_of(&got), list_of(&wanted));
    const struct json *v =
        ask(who, "conversations.replies", "channel=%s&ts=%s&limit=1", key, ts_of(m->us));
    const struct json *first = &json_get(v, "messages")->items[0];
    long long replies = number(first, "reply_count");
    if ((replies < 0 ? 0 : replies) != wanted.n - 1)
        return wrong_number(CHECK_REPLIES, who, ts_of(m->us), replies, wanted.n - 1);
    if (wanted.n > 1 && (number(first, "reply_users_count") != users ||
                         us_of(json_get_str(first, "latest_reply")) != wanted.us[wanted.n - 1]))
        return wrong_number(CHECK_REPLIES, who, ts_of(m->us), number(first, "reply_users_count"),
                            users);
    return check_reactions(r, who, m, first);
}

static int check_message(const struct rows *r, int who, const struct said *m)
{
    const char *key = r->rooms[m->channel].key;
    const struct json *v =
        ask(who, "chat.getPermalink", "channel=%s&message_ts=%s", key, ts_of(m->us));
    bool got = is_ok(v), wanted = sees(r, who, m->channel);
    if (lies(CHECK_PERMALINK))
        got = !got;
    if (got != wanted)
        return wrong(CHECK_PERMALINK, who, ts_of(m->us), got ? "given" : "refused", "otherwise");
    if (reads(r, who, m->channel) && (!m->thread || m->thread == m->id))
        return check_thread(r, who, m);
    return 0;
}

/* ---- searches ---- */

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; (p = strstr(p, word)); p += n)
        if ((p == text || p[-1] == ' ') && (!p[n] || p[n] == ' '))
            return true;
    return false;
}

/* Each that the rows give once, and nothing else. */
static int check_search(const struct rows *r, int who, const char *word)
{
    const struct json *v =
        json_get(ask(who, "search.messages", "query=%s&count=100", word), "messages");
    const struct json *found = json_get(v, "matches");
    int wanted = 0, got = 0;
    for (int i = 0; i < r->n_said; i++) {
        const struct said *m = &r->said[i];
        bool there = false;
        for (uint32_t k = 0; found && k < found->n; k++)
            there = there || (us_of(json_get_str(&found->items[k], "ts")) == m->us &&
                              strcmp(json_get_str(json_get(&found->items[k], "channel"), "id"),
                                     r->rooms[m->channel].key) == 0);
        if (there && lies(CHECK_SEARCH))
            there = false;
        bool due = reads(r, who, m->channel) && !(m->flags & (TOMBSTONE | SYSTEM)) && *m->user &&
                   has_word(m->text, word);
        if (there != due)
            return wrong(CHECK_SEARCH, who, m->text, there ? "found" : "not found", "otherwise");
        wanted += due;
        got += there;
    }
    if (wanted <= 100 && found && (int)found->n != got)
        return wrong_number(CHECK_SEARCH, who, word, found->n, got);
    return 0;
}

/* ---- files ---- */

static int check_files(const struct rows *r, int who)
{
    for (int i = 0; i < r->n_files; i++) {
        const struct kept *f = &r->files[i];
        bool wanted = strcmp(f->owner, caller_keys[who]) == 0;
        for (int k = 0; k < r->n_files; k++)
            wanted = wanted || (strcmp(r->files[k].key, f->key) == 0 && r->files[k].room >= 0 &&
                                sees(r, who, r->files[k].room));
        wanted = wanted && f->state == 2;
        bool got = is_ok(ask(who, "files.info", "file=%s", f->key));
        if (lies(CHECK_FILES))
            got = !got;
        if (got != wanted)
            return wrong(CHECK_FILES, who, f->key, got ? "seen" : "not seen", "otherwise");
    }
    return 0;
}

int check_everything(const struct rows *r)
{
    static const char *const searched[] = {"anchor", "dock", "changed"};
    for (int who = 0; who < CALLERS; who++) {
        for (int i = 0; i < r->n_rooms; i++)
            if (check_room(r, who, i) < 0)
                return -1;
        for (int i = 0; i < r->n_said; i++)
            if (roll(4) == 0 && check_message(r, who, &r->said[i]) < 0)
                return -1;
        for (int i = 0; who != BOT && i < 3; i++)
            if (check_search(r, who, searched[i]) < 0)
                return -1;
        if (check_files(r, who) < 0)
            return -1;
    }
    return 0;
}

int check_dump(void)
{
    struct sosia_blob first, second;
    struct sosia_err err = {0};
    uint64_t again;
    if (sosia_world_dump(engine, world, &first, &err) < 0)
        stop(err.text);
    struct sosia_world_options opt = {.seed_doc = first.data, .seed_doc_len = first.len};
    if (sosia_world_create(engine, &opt, &again, &err) < 0) {
        printf("%s: a dump is refused: %s\n", check_names[CHECK_DUMP], err.text);
        sosia_blob_free(&first);
        return -1;
    }
    if (sosia_world_dump(engine, again, &second, &err) < 0)
        stop(err.text);
    size_t n = second.len - lies(CHECK_DUMP);
    int rc = n == first.len && memcmp(first.data, second.data, n) == 0 ? 0 : -1;
    if (rc < 0)
        printf("%s: a dump does not come back\n", check_names[CHECK_DUMP]);
    sosia_blob_free(&first);
    sosia_blob_free(&second);
    sosia_world_drop(engine, again, &err);
    return rc;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What was done with "desktop-commander" before, as its own history and figures have it: they are
 * read from the world's journal, and are as complete as that is. */
#include "engine/base/utf8.h"
#include "engine/text/civil.h"
#include "engine/world/engine.h"
#include "mcp/servers/desktop/desktop.h"
#include <math.h>
#include <stdio.h>

enum { HISTORY = 1000, SHOWN = 50, OUTPUT = 4096, TOOLS = 64, HEAD = 1024 };
#define OWN    "desktopCommander."
#define METHOD "\"method\":\"" OWN
#define RECENT "get_recent_tool_calls"

/* A call of one of the tools, of its entry. */
struct past_call {
    int64_t at_us;
    const char *tool;
    const struct json *arguments, *result; /* the result: NULL where the entry has none */
    int64_t length;                        /* of a result that the journal has not kept; -1 */
    bool failed;
};

/* ---- entries ---- */

/* A body of an entry as JSON; NULL: it has none, or none that can be read. */
static const struct json *body_of(struct arena *a, const struct json *of)
{
    const struct json *v = json_get(of, "body"), *parsed;
    struct sosia_err ignored;
    if (v && v->type == JSON_STRING)
        return json_parse(a, v->str, v->n, NULL, &parsed, &ignored) < 0 ? NULL : parsed;
    return v;
}

/* who: whose calls are meant. 1; 0: it is the first half of a call, somebody else's, or not one of
 * them; -1: no memory. */
static int read_entry(struct arena *a, const char *who, const char *text, size_t len,
                      struct past_call *ret)
{
    static const struct json none = {.type = JSON_OBJECT};
    const struct json *entry;
    struct sosia_err ignored;
    struct stamp at;
    if (json_parse(a, text, len, NULL, &entry, &ignored) < 0)
        return ignored.code == SOSIA_E_NO_MEMORY ? -1 : 0;
    const struct json *response = json_get(entry, "response");
    const char *method = json_get_str(entry, "method"), *actor = json_get_str(entry, "actor"),
               *when = json_get_str(entry, "at");
    if (!actor || strcmp(actor, who) != 0 || json_get(entry, "suspended") || !response || !method ||
        strncmp(method, OWN, sizeof OWN - 1) != 0 || !when ||
        stamp_parse(when, strlen(when), false, &at) < 0)
        return 0;
    *ret = (struct past_call){.at_us = at.local_us,
                              .tool = method + sizeof OWN - 1,
                              .arguments = body_of(a, json_get(entry, "request")),
                              .result = body_of(a, response),
                              .length = -1};
    if (!ret->arguments || ret->arguments->type != JSON_OBJECT)
        ret->arguments = &none;
    if (ret->result && !json_get(ret->result, "content")) {
        ret->length = json_get_int(ret->result, "length", 0);
        ret->result = NULL;
    }
    ret->failed = ret->result ? json_get_true(ret->result, "isError")
                              : json_get_int(response, "status", 200) >= 400;
    return strcmp(ret->tool, RECENT) != 0;
}

static bool is_ours(const char *text, size_t len)
{
    return memmem(text, len < HEAD ? len : HEAD, METHOD, sizeof METHOD - 1) != NULL;
}

/* ---- recent calls ---- */

/* The last ones in the journal, whose texts stay while the world is held. */
struct recent {
    struct {
        const char *text;
        size_t len;
    } all[HISTORY];
    size_t n, next;
    const char *who;
    struct arena arena;
};

static int keep_entry(void *arg, int64_t seq, const char *text, size_t len)
{
    struct recent *r = arg;
    struct past_call call;
    (void)seq;
    if (!is_ours(text, len))
        return 0;
    int is = read_entry(&r->arena, r->who, text, len, &call);
    arena_reset(&r->arena);
    if (is <= 0)
        return is;
    r->all[r->next].text = text;
    r->all[r->next].len = len;
    r->next = (r->next + 1) % HISTORY;
    r->n += r->n < HISTORY;
    return 0;
}

/* As the original's library counts letters. */
static size_t units_in(const char *text, size_t n)
{
    size_t units = 0;
    for (size_t i = 0; i < n; i++)
        units += ((unsigned char)text[i] & 0xC0) != 0x80 ? 1 + ((unsigned char)text[i] >= 0xF0) : 0;
    return units;
}

static void put_output(struct json_writer *w, struct arena *a, const struct past_call *call)
{
    const char *text = call->result ? json_to_text(a, call->result) : NULL;
    const size_t size = text               ? units_in(text, strlen(text))
                        : call->length > 0 ? (size_t)call->length
                                           : 0;
    char omitted[100];
    if (text && size <= OUTPUT) {
        json_value(w, "output", call->result);
        return;
    }
    snprintf(omitted, sizeof omitted,
             "[output omitted from history: %zu bytes, over the %d-byte cap]", size, OUTPUT);
    json_obj(w, "output");
    json_arr(w, "content");
    json_obj(w, NULL);
    json_str(w, "type", "text");
    json_str(w, "text", omitted);
    json_end(w);
    json_end(w);
    if (call->failed)
        json_bool(w, "isError", true);
    json_end(w);
}

/* A call takes no time of the world's clock. */
static void put_call(struct json_writer *w, struct arena *a, const struct past_call *call)
{
    struct civil t;
    char when[40];
    civil_from_seconds(call->at_us / US_PER_SECOND, &t);
    snprintf(when, sizeof when, "%02d/%02d/%04d, %02d:%02d:%02d", t.month, t.day, t.year,
             t.hour ? t.hour : 24, t.minute, t.second);
    json_obj(w, NULL);
    json_str(w, "timestamp", when);
    json_str(w, "toolName", call->tool);
    json_value(w, "arguments", call->arguments);
    put_output(w, a, call);
    json_int(w, "duration", 0);
    json_end(w);
}

struct wanted {
    const char *tool; /* NULL: any */
    int64_t since_us;
    size_t most;
};

static int is_wanted(struct recent *r, size_t i, const struct wanted *want, struct past_call *ret)
{
    const size_t at = (r->next + HISTORY - r->n + i) % HISTORY;
    int is = read_entry(&r->arena, r->who, r->all[at].text, r->all[at].len, ret);
    return is <= 0 ? is
                   : (!want->tool || strcmp(ret->tool, want->tool) == 0) &&
                         ret->at_us >= want->since_us;
}

/* The last ones of those that are wanted. 0, -1. */
static int put_recent(struct recent *r, const struct wanted *want, struct buf *b)
{
    struct json_writer w;
    struct past_call call;
    struct buf list;
    size_t from = r->n, n = 0;
    int is = 0;
    while (from > 0 && n < want->most && (is = is_wanted(r, from - 1, want, &call)) >= 0) {
        from--;
        n += is > 0;
        arena_reset(&r->arena);
    }
    buf_init(&list, 0);
    json_init(&w, &list, true, NULL);
    json_arr(&w, NULL);
    for (size_t i = from; i < r->n && is >= 0; i++) {
        if ((is = is_wanted(r, i, want, &call)) > 0)
            put_call(&w, &r->arena, &call);
        arena_reset(&r->arena);
    }
    json_end(&w);
    server_trim(&list);
    buf_printf(b, "Tool Call History (%zu results, %zu total in memory)\n\n", n, r->n);
    buf_add(b, buf_str(&list), list.len);
    const bool failed = is < 0 || buf_failed(&list);
    buf_done(&list);
    return failed ? -1 : 0;
}

static void put_issue_end(struct json_writer *w, const char *member, const char *message)
{
    json_str(w, "message", message);
    json_arr(w, "path");
    json_str(w, NULL, member);
    json_end(w);
    json_end(w);
}

/* What the arguments ask for. 1; 0: they are refused, which is answered; -1. */
static int read_wanted(struct call *c, struct wanted *ret)
{
    const struct json *args = server_arguments(c), *since = json_get(args, "since"),
                      *most = json_get(args, DESKTOP_MOST);
    const double n = most ? desktop_number(most, SHOWN) : SHOWN;
    struct json_writer w;
    struct stamp at;
    struct buf b;
    *ret = (struct wanted){.tool = json_get_str(args, "toolName"),
                           .since_us = INT64_MIN,
                           .most = (size_t)fmin(fmax(n, 1), HISTORY)};
    if (ret->tool && !*ret->tool)
        ret->tool = NULL;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_arr(&w, NULL);
    if (n < 1 || n > HISTORY) {
        json_obj(&w, NULL);
        json_str(&w, "code", n < 1 ? "too_small" : "too_big");
        json_int(&w, n < 1 ? "minimum" : "maximum", n < 1 ? 1 : HISTORY);
        json_str(&w, "type", "number");
        json_bool(&w, "inclusive", true);
        json_bool(&w, "exact", false);
        put_issue_end(&w, DESKTOP_MOST,
                      n < 1 ? "Number must be greater than or equal to 1"
                            : "Number must be less than or equal to 1000");
    }
    if (since &&
        (stamp_parse(since->str, since->n, false, &at) < 0 || since->str[since->n - 1] != 'Z')) {
        json_obj(&w, NULL);
        json_str(&w, "code", "invalid_string");
        json_str(&w, "validation", "datetime");
        put_issue_end(&w, "since", "Invalid datetime");
    } else if (since) {
        ret->since_us = at.local_us;
    }
    json_end(&w);
    server_trim(&b);
    int r = buf_failed(&b) ? sosia_fail_memory(c->tx.err) : b.len <= 2;
    if (r == 0) {
        const char *why = arena_printf(c->tx.arena, "Error getting tool history: %s", buf_str(&b));
        r = why ? run_says(c, true, why, strlen(why)) : sosia_fail_memory(c->tx.err);
    }
    buf_done(&b);
    return r;
}

int desktop_recent(struct call *c)
{
    struct wanted want;
    struct buf b;
    int r = read_wanted(c, &want);
    if (r != 1)
        return r;
    struct recent *past = arena_calloc(c->tx.arena, 1, sizeof *past);
    if (!past)
        return sosia_fail_memory(c->tx.err);
    past->who = c->actor.handle ? c->actor.handle : "";
    arena_init(&past->arena, 0);
    buf_init(&b, 0);
    r = world_each_entry(c->tx.world, keep_entry, past);
    if (r == 0)
        r = put_recent(past, &want, &b);
    r = r < 0 || buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                                : run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    arena_done(&past->arena);
    return r;
}

/* ---- figures ---- */

enum category { FILESYSTEM, TERMINAL, EDITING, SEARCH, CONFIG, PROCESS, CATEGORIES };

struct figures {
    struct {
        char name[64];
        int64_t n;
    } tools[TOOLS];
    size_t n_tools;
    int64_t calls, failed, sessions, first_us, last_us, of[CATEGORIES];
    const char *who;
    struct arena arena;
};

/* As the original has them: tools that came later are in none. */
static enum category category_of(const char *tool)
{
    static const struct {
        const char *tool;
        enum category in;
    } all[] = {{"read_file", FILESYSTEM},      {"read_multiple_files", FILESYSTEM},
               {"write_file", FILESYSTEM},     {"create_directory", FILESYSTEM},
               {"list_directory", FILESYSTEM}, {"move_file", FILESYSTEM},
               {"get_file_info", FILESYSTEM},  {"force_terminate", TERMINAL},
               {"list_sessions", TERMINAL},    {"edit_block", EDITING},
               {"start_search", SEARCH},       {"get_more_search_results", SEARCH},
               {"stop_search", SEARCH},        {"list_searches", SEARCH},
               {"get_config", CONFIG},         {"set_config_value", CONFIG},
               {"list_processes", PROCESS},    {"kill_process", PROCESS}};
    for (size_t i = 0; i < SOSIA_LEN(all); i++)
        if (strcmp(all[i].tool, tool) == 0)
            return all[i].in;
    return CATEGORIES;
}

/* After half an hour without a call another session begins. */
static void count_call(struct figures *f, const struct past_call *call)
{
    const enum category in = category_of(call->tool);
    size_t i = 0;
    if (!f->calls)
        f->first_us = call->at_us;
    f->sessions += !f->calls || call->at_us - f->last_us > 1800 * US_PER_SECOND;
    f->last_us = call->at_us;
    f->calls++;
    f->failed += call->failed;
    if (in != CATEGORIES)
        f->of[in]++;
    while (i < f->n_tools && strcmp(f->tools[i].name, call->tool) != 0)
        i++;
    if (i == TOOLS)
        return;
    if (i == f->n_tools)
        snprintf(f->tools[f->n_tools++].name, sizeof f->tools[i].name, "%s", call->tool);
    f->tools[i].n++;
}

static int count_entry(void *arg, int64_t seq, const char *text, size_t len)
{
    struct figures *f = arg;
    struct past_call call;
    (void)seq;
    if (!is_ours(text, len))
        return 0;
    int is = read_entry(&f->arena, f->who, text, len, &call);
    if (is > 0)
        count_call(f, &call);
    arena_reset(&f->arena);
    return is < 0 ? -1 : 0;
}

/* The five that were called most, those of the same number in the order of their first calls. */
static void put_most_used(struct figures *f, struct buf *b)
{
    if (!f->n_tools)
        buf_puts(b, "None");
    for (size_t i = 0; i < 5; i++) {
        size_t best = 0;
        for (size_t k = 1; k < f->n_tools; k++)
            if (f->tools[k].n > f->tools[best].n)
                best = k;
        if (!f->tools[best].n)
            return;
        buf_printf(b, "%s%s: %lld", i ? ", " : "", f->tools[best].name,
                   (long long)f->tools[best].n);
        f->tools[best].n = 0;
    }
}

int desktop_usage(struct call *c)
{
    static const char *const names[] = {"Filesystem", "Terminal", "Editing",
                                        "Search",     "Config",   "Process"};
    struct figures *f = arena_calloc(c->tx.arena, 1, sizeof *f);
    struct buf b;
    if (!f)
        return sosia_fail_memory(c->tx.err);
    f->who = c->actor.handle ? c->actor.handle : "";
    arena_init(&f->arena, 0);
    int r = world_each_entry(c->tx.world, count_entry, f);
    arena_done(&f->arena);
    const int64_t good = f->calls - f->failed,
                  days = f->calls ? (c->tx.now_us - f->first_us + US_PER_DAY / 2) / US_PER_DAY : 0;
    buf_init(&b, 0);
    buf_printf(&b,
               "📊 **Usage Summary**\n• Total calls: %lld (%lld successful, %lld failed)\n• "
               "Success rate: %lld%%\n• Days using: %lld\n• Sessions: %lld\n• Unique tools: %zu\n• "
               "Most used: ",
               (long long)f->calls, (long long)good, (long long)f->failed,
               (long long)(f->calls ? (good * 200 + f->calls) / (f->calls * 2) : 0),
               (long long)days, (long long)f->sessions, f->n_tools);
    put_most_used(f, &b);
    buf_puts(&b, "\n• Feedback given: No\n\n**By Category:**");
    for (size_t i = 0; i < CATEGORIES; i++)
        buf_printf(&b, "\n• %s: %lld", names[i], (long long)f->of[i]);
    r = r < 0 || buf_failed(&b) ? sosia_fail_memory(c->tx.err)
                                : run_says(c, false, buf_str(&b), b.len);
    buf_done(&b);
    return r;
}

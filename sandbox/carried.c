/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/carried.h"
#include "engine/json/json.h"
#include <string.h>

#define REVISION "2025-06-18" /* of the protocol, that every server of today speaks */

enum {
    MOST_LINE = 8 << 20, /* bytes of all that a server says in a call */
    MOST_LIST = 1 << 20  /* of a list of tools */
};

enum step { STEP_GREETED = 1, STEP_ASKED };

/* A conversation: greeting, one request after another, answers by their numbers. */
struct talk {
    int64_t number;     /* of the request that waits for its answer; before, of the last one */
    const char *method; /* that is asked for */
    const char *params; /* JSON, len bytes */
    size_t len;
    struct buf greeting; /* its answer to the greeting, a message */
    struct buf answer;   /* the last answer */
};

static void ask(struct buf *reply, int64_t number, const char *method, const char *params, size_t n)
{
    buf_printf(reply,
               "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"%s\",\"params\":", (long long)number,
               method);
    buf_add(reply, params, n);
    buf_puts(reply, "}\n");
}

static void greet(struct buf *reply)
{
    static const char params[] = "{\"protocolVersion\":\"" REVISION "\",\"capabilities\":{},"
                                 "\"clientInfo\":{\"name\":\"sosia\",\"version\":\"1\"}}";
    ask(reply, STEP_GREETED, "initialize", params, sizeof params - 1);
}

/* What a server asks of its client: it is there, and can do nothing. */
static void answer_it(struct buf *reply, const struct json *message)
{
    const char *method = json_get_str(message, "method");
    struct json_writer w;
    json_init(&w, reply, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "jsonrpc", "2.0");
    json_value(&w, "id", json_get(message, "id"));
    if (strcmp(method, "ping") == 0) {
        json_obj(&w, "result");
    } else {
        json_obj(&w, "error");
        json_int(&w, "code", -32601);
        json_str(&w, "message", "Method not found");
    }
    json_end(&w);
    json_end(&w);
    buf_byte(reply, '\n');
}

static int take(struct talk *t, const struct json *message, const char *line, size_t len,
                struct buf *reply)
{
    const struct json *id = json_get(message, "id");
    if (json_get_str(message, "method")) {
        if (id)
            answer_it(reply, message);
        return SAID_MORE;
    }
    if (!id || id->type != JSON_NUMBER || json_get_int(message, "id", 0) != t->number)
        return SAID_MORE;
    if (t->number == STEP_GREETED && !json_get(message, "error")) {
        static const char ready[] =
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
        buf_add(&t->greeting, line, len);
        buf_puts(reply, ready);
        ask(reply, t->number = STEP_ASKED, t->method, t->params, t->len);
        return SAID_MORE;
    }
    buf_clear(&t->answer);
    buf_add(&t->answer, line, len);
    return t->number == STEP_GREETED ? SAID_IN_VAIN : SAID_ALL; /* it has refused to be greeted */
}

/* A line that is no message is a server's chatter. */
static int said(void *arg, const char *line, size_t len, struct buf *reply)
{
    struct talk *t = arg;
    const struct json *message;
    struct sosia_err none;
    struct arena a;
    if (!line && t->number) {
        ask(reply, ++t->number, t->method, t->params, t->len);
        return SAID_MORE;
    }
    if (!line) {
        t->number = STEP_GREETED;
        greet(reply);
        return SAID_MORE;
    }
    arena_init(&a, 0);
    int r = json_parse(&a, line, len, NULL, &message, &none) == 0 && message->type == JSON_OBJECT
                ? take(t, message, line, len, reply)
                : SAID_MORE;
    arena_done(&a);
    return r;
}

static void talk_init(struct talk *t, const char *method, const char *params, size_t len)
{
    *t = (struct talk){.method = method, .params = params, .len = len};
    buf_init(&t->greeting, 0);
    buf_init(&t->answer, 0);
}

static void talk_done(struct talk *t)
{
    buf_done(&t->greeting);
    buf_done(&t->answer);
}

static int converse(struct sandbox_session *s, const struct carried *k,
                    const struct sandbox_command *c, struct talk *t, struct sandbox_outcome *ret,
                    struct sosia_err *err)
{
    struct sandbox_command command = *c;
    command.argv = k->command;
    command.timeout_ms = k->timeout_ms;
    command.keep = MOST_LINE;
    command.flood = MOST_LINE;
    command.said = said;
    command.said_arg = t;
    command.lasts = k->lasts && strcmp(t->method, "tools/call") == 0;
    return sandbox_run(s, &command, ret, err);
}

int carried_call(struct sandbox_session *s, const struct carried *k,
                 const struct sandbox_command *command, const char *params, size_t len,
                 int64_t *number, struct sandbox_outcome *ret, struct sosia_err *err)
{
    struct talk t;
    talk_init(&t, "tools/call", params, len);
    t.number = sandbox_session_holds(s) ? *number : 0;
    int rc = converse(s, k, command, &t, ret, err);
    *number = t.number;
    if (rc == 0) {
        buf_clear(&ret->out.kept);
        buf_add(&ret->out.kept, buf_str(&t.answer), t.answer.len);
        ret->out.total = (int64_t)t.answer.len;
        if (t.answer.len)
            ret->status = 0; /* it was ended, after it has answered */
        if (buf_failed(&ret->out.kept))
            rc = sosia_fail_memory(err);
    }
    talk_done(&t);
    return rc;
}

static int no_answer(const struct carried *k, struct sandbox_outcome *o, struct sosia_err *err)
{
    return sosia_fail(
        err, SOSIA_E_IO, "carried", NULL, "the server %s must list its tools, %s: %.200s", k->name,
        o->timed_out ? "has not answered in its time" : "has not", buf_str(&o->err.kept));
}

static const char *text_of(struct arena *a, const struct json *v, const char *name)
{
    const char *text = json_get_str(v, name);
    return text ? arena_strdup(a, text) : "";
}

static int read_about(const struct carried *k, const struct talk *t, struct sandbox_outcome *o,
                      struct arena *a, struct carried_about *ret, struct sosia_err *err)
{
    const struct json *greeting, *list;
    struct sosia_err none;
    if (!t->answer.len || t->answer.len > MOST_LIST ||
        json_parse(a, arena_memdup(a, t->greeting.data, t->greeting.len), t->greeting.len, NULL,
                   &greeting, &none) < 0 ||
        json_parse(a, arena_memdup(a, t->answer.data, t->answer.len), t->answer.len, NULL, &list,
                   &none) < 0)
        return no_answer(k, o, err);
    const struct json *info = json_get(json_get(greeting, "result"), "serverInfo");
    const struct json *tools = json_get(json_get(list, "result"), "tools");
    if (!tools || tools->type != JSON_ARRAY)
        return no_answer(k, o, err);
    for (uint32_t i = 0; i < tools->n; i++)
        if (!json_get_str(&tools->items[i], "name"))
            return no_answer(k, o, err);
    *ret = (struct carried_about){text_of(a, info, "name"), text_of(a, info, "version"),
                                  json_to_text(a, tools)};
    return arena_failed(a) ? sosia_fail_memory(err) : 0;
}

int carried_ask(struct sandbox_session *s, const struct carried *k, struct arena *a,
                struct carried_about *ret, struct sosia_err *err)
{
    const struct sandbox_command command = {.environment = k->environment};
    struct sandbox_outcome o;
    struct talk t;
    talk_init(&t, "tools/list", "{}", 2);
    int rc = converse(s, k, &command, &t, &o, err);
    if (rc == 0)
        rc = read_about(k, &t, &o, a, ret, err);
    sandbox_outcome_free(&o);
    talk_done(&t);
    return rc;
}

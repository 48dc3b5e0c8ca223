/* SPDX-License-Identifier: Apache-2.0 */
#include "services/workspace/core/process.h"
#include "engine/base/codec.h"
#include "engine/world/take.h"

enum { SPARE_MS = 60000, MOST_ANSWER = 8 << 20 };

static int read_part(struct arena *a, const struct json *v, int i, struct process_part *ret)
{
    static const char *const names[] = {"out", "err"}, *const more[] = {"moreOut", "moreErr"};
    const struct json *from = json_get(v, "from"), *data = json_get(v, names[i]);
    uint8_t *bytes = NULL;
    size_t n = 0;
    *ret = (struct process_part){.data = ""};
    if (!data)
        return 0;
    if (data->type != JSON_STRING || base64_decode(a, data->str, data->n, &bytes, &n) < 0 ||
        !from || from->type != JSON_ARRAY || from->n != PROCESS_STREAMS ||
        json_i64(&from->items[i], &ret->from) < 0 || ret->from < 0 || ret->from > PROCESS_PLACE_MAX)
        return -1;
    char *text = arena_alloc(a, n + 1);
    if (arena_failed(a))
        return -1;
    if (n)
        memcpy(text, bytes, n);
    text[n] = 0;
    ret->data = text;
    ret->len = n;
    ret->more = json_get_true(v, more[i]);
    return 0;
}

static int read_answer(struct call *c, const struct program_outcome *o, struct process_answer *ret)
{
    const struct json *v;
    struct sosia_err none;
    *ret = (struct process_answer){.parts = {{.data = ""}, {.data = ""}}};
    if (!o->out.len || json_parse(c->tx.arena, o->out.data, o->out.len, NULL, &v, &none) < 0) {
        ret->ended = true;
        ret->error = o->timed_out ? "the processes did not answer in their time"
                                  : "the processes were ended";
        return 0;
    }
    *ret = (struct process_answer){.text = v,
                                   .error = json_get_str(v, "error"),
                                   .pid = json_get_int(v, "pid", 0),
                                   .ms = json_get_int(v, "ms", 0),
                                   .running = json_get_true(v, "running"),
                                   .prompt = json_get_true(v, "prompt"),
                                   .timed_out = json_get_true(v, "timedOut"),
                                   .status = (int)json_get_int(v, "status", 0),
                                   .signal = (int)json_get_int(v, "signal", 0)};
    for (int i = 0; i < PROCESS_STREAMS; i++)
        if (read_part(c->tx.arena, v, i, &ret->parts[i]) < 0)
            return call_fail(c, SOSIA_E_INVALID, "badOutcome", NULL,
                             "a process's output must be base64, at a place");
    return 0;
}

int process_ask(struct call *c, struct buf *request, int64_t ms, bool home,
                const char *const *environment, struct process_answer *ret)
{
    const char *const argv[] = {"processes", NULL};
    struct program_spec spec = {.argv = argv,
                                .environment = environment,
                                .carried = home ? PROGRAM_PROCESSES "home" : PROGRAM_PROCESSES,
                                .home = home,
                                .input = buf_str(request),
                                .input_len = request->len,
                                .timeout_ms = ms + SPARE_MS,
                                .keep = MOST_ANSWER};
    struct program_outcome o;
    if (spec.timeout_ms > PROGRAM_SECONDS * INT64_C(1000))
        spec.timeout_ms = PROGRAM_SECONDS * INT64_C(1000);
    int r = buf_failed(request) ? sosia_fail_memory(c->tx.err) : program_run(c, &spec, &o);
    if (r != 1)
        return r;
    return read_answer(c, &o, ret) < 0 ? -1 : 1;
}

int process_any(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select id from workspace_process where id = :id");
    return TX_ANY(&c->tx, TX_QUERY(&c->tx, &q, 1));
}

int process_first(struct call *c)
{
    static struct sql_text q =
        SQL_TEXT("insert into workspace_process (id) values (:id) on conflict (id) do nothing");
    return TX_RUN(&c->tx, &q, 1);
}

int64_t process_life(struct call *c, int64_t ms)
{
    struct workspace_limits l;
    if (workspace_limits(&c->tx, &l) < 0)
        return -1;
    const int64_t most = l.seconds * 1000;
    return most && (!ms || ms > most) ? most : ms;
}

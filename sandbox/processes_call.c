/* SPDX-License-Identifier: Apache-2.0 */
/* The server's side of processes that go on: one request, one answer. */
#include "engine/json/json.h"
#include "sandbox/processes.h"

enum { MOST_ANSWER = 8 << 20 };

struct asking {
    struct buf line;
    bool asked;
    struct buf answer;
};

/* What there is to wait for is over, where others wait. */
static int said(void *arg, const char *line, size_t len, struct buf *reply)
{
    static const char nudge[] = "{\"op\":\"nudge\"}\n";
    struct asking *k = arg;
    if (line) {
        buf_add(&k->answer, line, len);
        return SAID_ALL;
    }
    if (k->asked)
        buf_add(reply, nudge, sizeof nudge - 1);
    else
        buf_add(reply, k->line.data, k->line.len);
    k->asked = true;
    return SAID_MORE;
}

/* The request with the variables, as one line: JSON has no other line feeds than those that may be
 * spaces. */
static void write_line(struct buf *b, const char *request, size_t len,
                       const char *const *environment)
{
    struct json_writer w;
    while (len && request[len - 1] != '}')
        len--;
    const size_t at = b->len;
    buf_add(b, request, len ? len - 1 : 0);
    for (size_t i = at; i < b->len; i++)
        if (b->data[i] == '\n')
            b->data[i] = ' ';
    buf_puts(b, ",\"environment\":");
    json_init(&w, b, false, NULL);
    json_arr(&w, NULL);
    for (const char *const *v = environment; v && *v; v++)
        json_str(&w, NULL, *v);
    json_end(&w);
    buf_puts(b, "}\n");
}

int processes_call(struct sandbox_session *s, const struct sandbox_command *c, const char *request,
                   size_t len, struct sandbox_outcome *ret, struct sosia_err *err)
{
    static const char *const argv[] = {PROCESSES, NULL};
    struct sandbox_command command = *c;
    struct asking k = {.asked = false};
    buf_init(&k.line, 0);
    buf_init(&k.answer, 0);
    write_line(&k.line, request, len, c->environment);
    command.argv = argv;
    command.directory = NULL;
    command.keep = MOST_ANSWER;
    command.flood = MOST_ANSWER;
    command.said = said;
    command.said_arg = &k;
    command.lasts = true;
    int rc = buf_failed(&k.line) ? -1 : sandbox_run(s, &command, ret, err);
    if (rc == 0) {
        buf_clear(&ret->out.kept);
        buf_add(&ret->out.kept, buf_str(&k.answer), k.answer.len);
        ret->out.total = (int64_t)k.answer.len;
    }
    if (buf_failed(&k.line) || buf_failed(&k.answer) || (rc == 0 && buf_failed(&ret->out.kept)))
        rc = sosia_fail_memory(err);
    buf_done(&k.line);
    buf_done(&k.answer);
    return rc;
}

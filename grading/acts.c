/* SPDX-License-Identifier: Apache-2.0 */
#include "grading/acts.h"
#include "engine/base/codec.h"

void acts_init(struct acts *x, struct sosia_engine *e, struct arena *a, struct sosia_err *err)
{
    *x = (struct acts){.engine = e, .arena = a, .err = err};
    x->c = (struct predicate_context){.arena = a, .variables = {.list = x->saved}};
}

/* The headers of a message, and its text, as what a mail service takes: {"raw": base64url}. */
static const char *write_mail(struct arena *a, const struct json *mail, const struct json *body)
{
    struct buf raw, out, coded;
    struct json_writer w;
    buf_init(&raw, 0);
    buf_init(&out, 0);
    buf_init(&coded, 0);
    for (uint32_t i = 0; i < mail->n; i++) {
        const struct json *v = &mail->members[i].value;
        if (strcmp(mail->members[i].key, "text") != 0 && v->type == JSON_STRING)
            buf_printf(&raw, "%s: %s\r\n", mail->members[i].key, v->str);
    }
    buf_printf(&raw, "Content-Type: text/plain; charset=utf-8\r\n\r\n%s\r\n",
               json_get_str(mail, "text") ? json_get_str(mail, "text") : "");
    base64_add(&coded, raw.data, raw.len);
    for (size_t i = 0; i < coded.len; i++)
        coded.data[i] = coded.data[i] == '+' ? '-' : coded.data[i] == '/' ? '_' : coded.data[i];
    json_init(&w, &out, false, NULL);
    json_obj(&w, NULL);
    json_strn(&w, "raw", coded.data ? coded.data : "", coded.len);
    for (uint32_t i = 0; body && body->type == JSON_OBJECT && i < body->n; i++)
        json_value(&w, body->members[i].key, &body->members[i].value);
    json_end(&w);
    const char *text = arena_memdup(a, buf_str(&out), out.len);
    buf_done(&raw);
    buf_done(&out);
    buf_done(&coded);
    return text;
}

int acts_call(struct acts *x, uint64_t world, const struct action *a, const struct json *body,
              const struct json *mail, struct sosia_response **ret)
{
    char token[SOSIA_TOKEN_MAX];
    const struct sosia_token_options who = {.actor = a->who};
    const struct json target = {
        .type = JSON_STRING, .n = (uint32_t)strlen(a->target), .str = a->target};
    const struct json *to = variables_put(&x->c, &target);
    if (body)
        body = variables_put(&x->c, body);
    if (mail)
        mail = variables_put(&x->c, mail);
    if (!to || (a->body && !body) || (a->mail && !mail))
        return 0;
    if (sosia_token_issue(x->engine, world, &who, token, sizeof token, x->err) < 0)
        return -1;
    const char *text = mail   ? write_mail(x->arena, mail, body)
                       : body ? json_to_text(x->arena, body)
                              : "";
    const struct sosia_header headers[] = {
        {"Authorization", arena_printf(x->arena, "Bearer %s", token)},
        {"Content-Type", "application/json"}};
    const struct sosia_request r = {.method = a->method,
                                    .target = to->str,
                                    .headers = headers,
                                    .n_headers = SOSIA_LEN(headers),
                                    .body = text,
                                    .body_len = strlen(text)};
    return sosia_call(x->engine, world, &r, ret, x->err) < 0 ? -1 : 1;
}

bool acts_good(const struct action *a, const struct sosia_response *r)
{
    static const char no[] = "{\"ok\":false"; /* some services refuse with a 200 that says so */
    return a->status ? r->status == a->status
                     : r->status < 300 &&
                           (r->body_len < sizeof no - 1 || memcmp(r->body, no, sizeof no - 1) != 0);
}

void acts_save(struct acts *x, const struct action *a, const struct sosia_response *r)
{
    const struct json *answer;
    struct sosia_err err;
    if (!a->save || !r->body_len ||
        json_parse(x->arena, r->body, r->body_len, NULL, &answer, &err) < 0)
        return;
    for (uint32_t i = 0; i < a->save->n && x->c.variables.n < SAVED_MAX; i++) {
        const struct json_member *m = &a->save->members[i];
        const char *path = m->value.type == JSON_STRING ? m->value.str : "";
        const struct json *v = value_at_path(answer, path, false);
        if (v)
            x->saved[x->c.variables.n++] = (struct variable){.name = m->key, .value = v};
    }
}

static void write_judgements(struct json_writer *w, const struct assertion *a, size_t n,
                             bool wanted)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i].kind == ASSERT_JUDGE)
            json_bool(w, a[i].judge, wanted);
        write_judgements(w, a[i].inner, a[i].n_inner, wanted != (a[i].kind == ASSERT_NOT));
    }
}

const char *task_judgements(struct arena *a, const struct task *t)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    write_judgements(&w, t->assertions, t->n_assertions, true);
    json_end(&w);
    const char *text = arena_memdup(a, buf_str(&b), b.len);
    buf_done(&b);
    return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Replaying against the real service: its rates, accounts and tokens. */
#include "conformance/target/real.h"
#include "engine/api/guide.h"
#include "engine/api/vendor.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "services/list.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

enum { RETRIES = 6, WAIT_MAX = 300 };

/* ---- waiting ---- */

static int64_t monotonic_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * US_PER_SECOND + t.tv_nsec / 1000;
}

static void wait_us(int64_t us)
{
    struct timespec t = {us / US_PER_SECOND, us % US_PER_SECOND * 1000};
    while (us > 0 && nanosleep(&t, &t) < 0)
        ;
}

static void keep_rate(struct real *r)
{
    int64_t now = monotonic_us();
    if (r->rate <= 0)
        return;
    wait_us(r->next_us - now);
    if (r->next_us < now)
        r->next_us = now;
    r->next_us += (int64_t)(1e6 / r->rate);
}

static bool has_one(const struct sosia_response *response, const char *const *texts)
{
    for (; texts && *texts; texts++)
        if (memmem(response->body, response->body_len, *texts, strlen(*texts)))
            return true;
    return false;
}

/* Some vendors' limits come as 403 too, and then the reason decides. */
static bool is_rate_limit(const struct sosia_response *response)
{
    if (response->status == 429)
        return true;
    for (const struct vendor *const *v = sosia_vendors(); response->status == 403 && *v; v++)
        if ((*v)->guide && (*v)->guide->traces && has_one(response, (*v)->guide->traces->limits))
            return true;
    return false;
}

int real_retry_after(const struct sosia_response *response, const char *method, unsigned attempt)
{
    const char *text = http_header(response, "Retry-After");
    int64_t seconds;
    bool again = is_rate_limit(response) || (response->status == 503 && strcmp(method, "GET") == 0);
    if (!again || attempt >= RETRIES)
        return -1;
    if (text && parse_i64(text, strlen(text), &seconds) == 0 && seconds >= 0)
        return (int)(seconds < WAIT_MAX ? seconds : WAIT_MAX);
    return 1 << attempt;
}

int real_call(struct real *r, struct arena *a, const char *token,
              const struct sosia_request *request, struct sosia_response *ret_response,
              struct sosia_err *err)
{
    struct sosia_header *headers = arena_calloc(a, request->n_headers + 1, sizeof *headers);
    struct sosia_request own = *request;
    if (arena_failed(a))
        return sosia_fail_memory(err);
    if (request->n_headers)
        memcpy(headers, request->headers, request->n_headers * sizeof *headers);
    if (token) {
        headers[own.n_headers++] =
            (struct sosia_header){"Authorization", arena_printf(a, "Bearer %s", token)};
    }
    own.headers = headers;
    for (unsigned attempt = 0;; attempt++) {
        keep_rate(r);
        if (http_call(r->http, a, r->url, &own, ret_response, err) < 0)
            return TARGET_STOP;
        int seconds = real_retry_after(ret_response, own.method, attempt);
        if (seconds < 0)
            break;
        wait_us(seconds * US_PER_SECOND);
    }
    if (is_rate_limit(ret_response))
        return sosia_fail(err, SOSIA_E_LIMIT, "rateLimit", NULL,
                          "%s limits the rate; wait, and go on with --resume", r->url),
               TARGET_STOP;
    return 0;
}

/* ---- accounts ---- */

static const char *token_of(struct arena *a, const char *name, const char **ret_variable)
{
    char *variable = arena_printf(a, "SOSIA_CONFORMANCE_TOKEN_%s", name);
    for (char *p = variable; *p; p++)
        *p = *p == '-' ? '_' : *p >= 'a' && *p <= 'z' ? (char)(*p - 32) : *p;
    const char *token = getenv(variable);
    *ret_variable = variable;
    return token && *token && !strpbrk(token, "\r\n") ? token : NULL;
}

static struct real_account *find_account(const struct real *r, const char *name)
{
    for (struct real_account *a = r->accounts; a; a = a->next)
        if (strcmp(a->name, name) == 0)
            return a;
    return NULL;
}

static int open_account(struct real *r, const char *name, struct sosia_err *err)
{
    const char *variable, *token = token_of(&r->arena, name, &variable);
    if (find_account(r, name))
        return 0;
    if (!token)
        return sosia_fail(err, SOSIA_E_UNAUTHENTICATED, "token", NULL, "%s is not set", variable),
               TARGET_SKIP;
    struct real_account *account = arena_calloc(&r->arena, 1, sizeof *account);
    if (arena_failed(&r->arena))
        return sosia_fail_memory(err);
    account->name = arena_strdup(&r->arena, name);
    account->token = arena_strdup(&r->arena, token);
    int rc = real_calendar_identify(r, account, err);
    if (rc)
        return rc;
    account->next = r->accounts;
    r->accounts = account;
    return 0;
}

/* People who are two in the cassette must not be one at the service, nor the other way round. */
static int check_people(struct real *r, const struct cassette *c, struct sosia_err *err)
{
    for (size_t i = 0; i < c->n_actors; i++) {
        for (size_t k = 0; k < i; k++) {
            const struct cassette_actor *a = &c->actors[i], *b = &c->actors[k];
            bool same = strcmp(a->email, b->email) == 0;
            bool same_there =
                strcmp(find_account(r, a->name)->email, find_account(r, b->name)->email) == 0;
            if (same != same_there)
                return sosia_fail(err, SOSIA_E_INVALID, "token", NULL,
                                  "the tokens of %s and %s are of %s", a->name, b->name,
                                  same_there ? "one account" : "two accounts");
        }
    }
    return 0;
}

static int clean_all(struct real *r, struct sosia_err *err)
{
    int worst = 0;
    for (size_t i = 0; i < r->cassette->n_actors; i++) {
        const struct cassette_actor *actor = &r->cassette->actors[i];
        const struct real_account *account = find_account(r, actor->name);
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again |= strcmp(r->cassette->actors[k].email, actor->email) == 0;
        int rc = account && !again ? real_calendar_clean(r, account, err) : 0;
        worst = rc ? rc : worst;
    }
    return worst;
}

/* ---- the target ---- */

static int begin(struct target *t, const struct cassette *c, struct sosia_err *err)
{
    struct real *r = (struct real *)t;
    int rc = 0;
    r->cassette = c;
    if (c->only == ONLY_SOSIA)
        return sosia_fail(err, SOSIA_E_INVALID, "only", NULL, "it is for sosia only"), TARGET_SKIP;
    for (size_t i = 0; i < c->n_actors && rc == 0; i++)
        rc = open_account(r, c->actors[i].name, err);
    if (rc == 0)
        rc = check_people(r, c, err);
    if (rc)
        return rc;
    rewrite_init(&r->rewrite, &r->scenario);
    for (size_t i = 0; i < c->n_actors; i++)
        rewrite_add(&r->rewrite, c->actors[i].email, find_account(r, c->actors[i].name)->email);
    r->touched = true;
    rc = clean_all(r, err);
    if (rc == 0)
        rc = r->model->ops->begin(r->model, c, err);
    return rc ? rc : real_calendar_start(r, err);
}

static void end(struct target *t)
{
    struct real *r = (struct real *)t;
    struct sosia_err err;
    if (r->touched && clean_all(r, &err))
        fprintf(stderr, "sosia: an account could not be emptied: %s\n", err.text);
    r->touched = false;
    r->model->ops->end(r->model);
    arena_reset(&r->scenario);
}

static const char *token(struct target *t, const struct cassette_actor *actor)
{
    const struct real_account *account = find_account((struct real *)t, actor->name);
    return account ? account->token : NULL;
}

static const char *email(struct target *t, const struct cassette_actor *actor)
{
    return actor->email; /* rewritten on the way */
}

static int call(struct target *t, struct arena *a, const struct sosia_request *request,
                struct sosia_response *ret_response, struct sosia_err *err)
{
    struct real *r = (struct real *)t;
    struct sosia_request out = *request;
    struct sosia_header *headers = arena_calloc(a, request->n_headers, sizeof *headers);
    size_t len;
    if (arena_failed(a))
        return sosia_fail_memory(err);
    out.target = rewrite_out(&r->rewrite, request->target, strlen(request->target), &len);
    out.body = rewrite_out(&r->rewrite, request->body ? request->body : "", request->body_len,
                           &out.body_len);
    out.headers = headers;
    for (size_t i = 0; i < request->n_headers; i++) {
        const char *value = request->headers[i].value;
        bool credential = strcasecmp(request->headers[i].name, "Authorization") == 0;
        headers[i].name = request->headers[i].name;
        headers[i].value =
            credential ? value : rewrite_out(&r->rewrite, value, strlen(value), &len);
    }
    int rc = real_call(r, a, NULL, &out, ret_response, err);
    if (rc)
        return rc;
    struct sosia_header *answers = (struct sosia_header *)ret_response->headers;
    for (size_t i = 0; i < ret_response->n_headers; i++)
        answers[i].value =
            rewrite_in(&r->rewrite, answers[i].value, strlen(answers[i].value), &len);
    ret_response->body = rewrite_in(&r->rewrite, ret_response->body, ret_response->body_len,
                                    &ret_response->body_len);
    return arena_failed(&r->scenario) ? sosia_fail_memory(err) : 0;
}

static int now(struct target *t, int64_t *ret_us, struct sosia_err *err)
{
    *ret_us = (int64_t)time(NULL) * US_PER_SECOND;
    return 0;
}

static void close_real(struct target *t)
{
    struct real *r = (struct real *)t;
    http_close(r->http);
    target_close(r->model);
    arena_done(&r->arena);
    arena_done(&r->scenario);
    free(r->url);
    free(r->marker);
    free(r);
}

static const struct target_ops ops = {.begin = begin,
                                      .end = end,
                                      .token = token,
                                      .email = email,
                                      .call = call,
                                      .now = now,
                                      .close = close_real};

int target_open_real(const char *url, const char *marker, double rate, const char *ca_file,
                     fixture_fn fixtures, struct target **ret_target, struct sosia_err *err)
{
    struct real *r = calloc(1, sizeof *r);
    if (!r)
        return sosia_fail_memory(err);
    r->base = (struct target){.ops = &ops, .real = true};
    arena_init(&r->arena, 0);
    arena_init(&r->scenario, 0);
    r->rate = rate;
    r->http = http_open(ca_file);
    r->url = strdup(url);
    r->marker = strdup(marker);
    if (r->url)
        r->url[strlen(url) - (*url && url[strlen(url) - 1] == '/')] = 0;
    if (!r->http || !r->url || !r->marker)
        sosia_fail_memory(err);
    else if (target_open_process(fixtures, &r->model, err) == 0) {
        r->base.name = r->url;
        *ret_target = &r->base;
        return 0;
    }
    close_real(&r->base);
    return -1;
}

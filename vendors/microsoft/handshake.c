/* SPDX-License-Identifier: Apache-2.0 */
/* How a subscription comes to be: its addresses are asked for their consent before it is there
 * (MG-151), the one of notifications first, then the one of life-cycle notifications (MG-482). The
 * call waits for each response. */
#include "engine/base/codec.h"
#include "vendors/microsoft/subscription_impl.h"

/* What an address has to send back. ref: a number of the world's ids; kind: which address. */
static const char *validation_token(struct arena *a, const char *kind, int64_t ref)
{
    return arena_printf(a,
                        "Validation: Testing client application reachability for subscription "
                        "Request-Id: %s",
                        graph_guid(a, kind, arena_printf(a, "%lld", (long long)ref)));
}
#define FOR_CHANGES    "validation"
#define FOR_LIFE_CYCLE "life-cycle validation"

static enum delivery_verdict judge_validation(const struct sosia_outcome *o)
{
    return o->status == 200 ? DELIVERY_GOOD : DELIVERY_BAD;
}

static int imagine(struct tx *tx, const char *kind, int64_t ref, struct sosia_outcome *ret)
{
    const char *token = validation_token(tx->arena, kind, ref);
    ret->status = 200;
    ret->body = token;
    ret->body_len = strlen(token);
    return 0;
}

static int imagine_validation(struct tx *tx, int64_t ref, struct sosia_outcome *ret)
{
    return imagine(tx, FOR_CHANGES, ref, ret);
}

static int imagine_lifecycle(struct tx *tx, int64_t ref, struct sosia_outcome *ret)
{
    return imagine(tx, FOR_LIFE_CYCLE, ref, ret);
}

/* ---- refusals ---- */

static const char *status_word(int status)
{
    static const struct {
        int status;
        const char *word;
    } words[] = {{400, "BadRequest"}, {401, "Unauthorized"},      {403, "Forbidden"},
                 {404, "NotFound"},   {405, "MethodNotAllowed"},  {500, "InternalServerError"},
                 {502, "BadGateway"}, {503, "ServiceUnavailable"}};
    for (size_t i = 0; i < SOSIA_LEN(words); i++)
        if (words[i].status == status)
            return words[i].word;
    return NULL;
}

static int refused(struct call *c, const struct sosia_outcome *o, bool answered)
{
    const char *word = status_word(o->status);
    if (!o->status && o->reason && strcmp(o->reason, "timeout") == 0)
        return call_fail(c, SOSIA_E_INVALID, "ValidationError", NULL,
                         "Subscription validation request timed out.");
    if (answered)
        return call_fail(c, SOSIA_E_INVALID, "ValidationError", NULL,
                         "Subscription validation request failed. Response must exactly match "
                         "validationToken query parameter.");
    return call_fail(c, SOSIA_E_INVALID, "ValidationError", NULL,
                     "Subscription validation request failed. Notification endpoint must respond "
                     "with 200 OK to validation request.%s%s%s",
                     word ? " HTTP status code is '" : "", word ? word : "", word ? "'." : "");
}

/* Has the address sent back its token, but for whitespace behind it? 0, -1 refused. */
static int agreed(struct call *c, const char *kind, int64_t ref, enum delivery_verdict verdict,
                  const struct sosia_outcome *o)
{
    const char *token = validation_token(c->tx.arena, kind, ref);
    size_t n = o->body ? o->body_len : 0;
    while (n && strchr("\r\n \t", o->body[n - 1]))
        n--;
    bool same = n == strlen(token) && memcmp(o->body, token, n) == 0;
    return verdict == DELIVERY_GOOD && same ? 0 : refused(c, o, verdict == DELIVERY_GOOD);
}

/* ---- the two questions ---- */

static int ask(struct call *c, const struct delivery_kind *kind, const char *name, const char *url,
               int64_t ref)
{
    static const struct sosia_header type = {"Content-Type", "text/plain; charset=utf-8"};
    const char *token = validation_token(c->tx.arena, name, ref);
    struct buf b;
    int64_t entry;
    buf_init(&b, 0);
    buf_printf(&b, "%s%cvalidationToken=", url, strchr(url, '?') ? '&' : '?');
    percent_add(&b, token, strlen(token));
    int r = delivery_add(&c->tx,
                         &(struct delivery){.kind = kind,
                                            .ref = ref,
                                            .from = "microsoft",
                                            .method = "POST",
                                            .url = buf_str(&b),
                                            .body = "",
                                            .headers = &type,
                                            .n_headers = 1},
                         &entry);
    buf_done(&b);
    if (r == 0)
        call_suspend(c, entry);
    return r;
}

/* The body was read again, since the world may have changed. */
static int add(struct call *c, struct graph_subscription *s, int64_t ref)
{
    s->key =
        graph_guid(c->tx.arena, "subscription", arena_printf(c->tx.arena, "%lld", (long long)ref));
    if (graph_subscription_add(&c->tx, s) < 0)
        return -1;
    graph_created(c, arena_printf(c->tx.arena, "/subscriptions/%s", s->key));
    return graph_subscription_answer(c, s);
}

static int validated(struct call *c, int64_t ref, enum delivery_verdict verdict,
                     const struct sosia_outcome *o)
{
    struct graph_subscription s;
    if (agreed(c, FOR_CHANGES, ref, verdict, o) < 0 || graph_subscription_read(c, &s) < 0)
        return -1;
    return s.lifecycle_url
               ? ask(c, &graph_lifecycle_validation, FOR_LIFE_CYCLE, s.lifecycle_url, ref)
               : add(c, &s, ref);
}

static int lifecycle_validated(struct call *c, int64_t ref, enum delivery_verdict verdict,
                               const struct sosia_outcome *o)
{
    struct graph_subscription s;
    return agreed(c, FOR_LIFE_CYCLE, ref, verdict, o) < 0 || graph_subscription_read(c, &s) < 0
               ? -1
               : add(c, &s, ref);
}

static const int32_t once[] = {0};
const struct delivery_kind graph_validation = {.name = "graph.validation",
                                               .waits_s = once,
                                               .judge = judge_validation,
                                               .complete = validated,
                                               .imagine = imagine_validation,
                                               .timeout_s = 10};
const struct delivery_kind graph_lifecycle_validation = {.name = "graph.validation.lifecycle",
                                                         .waits_s = once,
                                                         .judge = judge_validation,
                                                         .complete = lifecycle_validated,
                                                         .imagine = imagine_lifecycle,
                                                         .timeout_s = 10};

int graph_subscriptions_create(struct call *c)
{
    struct graph_subscription s;
    int64_t ref;
    if (graph_subscription_read(c, &s) < 0 ||
        tx_id(&c->tx, "graph validation", &ref, sizeof ref) < 0)
        return -1;
    return ask(c, &graph_validation, FOR_CHANGES, s.url, ref & INT64_MAX);
}

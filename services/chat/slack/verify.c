/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an address is an app's: it has to give back what it is asked. */
#include "engine/base/codec.h"
#include "services/chat/slack/push_impl.h"

int sl_push_verify(struct tx *tx, int64_t app, const char *url, int64_t *ret_entry)
{
    static struct sql_text q = SQL_TEXT("insert into chat_check (app, url, challenge) values "
                                        "(:app, :url, :challenge)");
    struct chat_app a;
    uint8_t bytes[26];
    char challenge[53];
    int r = chat_app_of(tx, app, &a);
    if (r != 1 || tx_id(tx, "chat.challenge", bytes, sizeof bytes) < 0)
        return r == 1 ? -1 : r;
    hex_encode(challenge, bytes, sizeof bytes);
    if (TX_RUN(tx, &q, app, url, challenge) < 0)
        return -1;
    const struct delivery d = {.kind = &sl_check_request,
                               .ref = tx_last_id(tx),
                               .from = a.key,
                               .method = "POST",
                               .url = url,
                               .body = ""};
    return delivery_add(tx, &d, ret_entry) < 0 ? -1 : 1;
}

struct check {
    int64_t app;
    const char *url, *challenge;
};

static int load_check(struct tx *tx, int64_t ref, struct check *ret)
{
    static struct sql_text q =
        SQL_TEXT("select app, url, challenge from chat_check where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, ref);
    if (r != 1)
        return r;
    *ret = (struct check){.app = sqlite3_column_int64(st, 0),
                          .url = tx_string(tx, st, 1),
                          .challenge = tx_string(tx, st, 2)};
    sql_done(st);
    return 1;
}

static int request(struct tx *tx, const struct delivery_attempt *a, struct delivery *ret)
{
    struct ident_app ident;
    struct json_writer w;
    struct chat_app app;
    struct check c;
    struct buf b;
    if (load_check(tx, a->ref, &c) != 1 || chat_app_of(tx, c.app, &app) != 1 ||
        app_get(tx, c.app, &ident) != 1)
        return -1;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
    json_obj(&w, NULL);
    json_str(&w, "token", app.verification);
    json_str(&w, "challenge", c.challenge);
    json_str(&w, "type", "url_verification");
    json_end(&w);
    ret->body = buf_failed(&b) ? NULL : arena_memdup(tx->arena, buf_str(&b), b.len);
    buf_done(&b);
    if (!ret->body)
        return sosia_fail_memory(tx->err);
    sl_sign_request(tx, a, ident.signing_secret, "application/json", ret);
    return 0;
}

static enum delivery_verdict judge_check(const struct sosia_outcome *o)
{
    return o->status >= 200 && o->status < 300 ? DELIVERY_GOOD : DELIVERY_BAD;
}

/* Plain text, a form's field or a JSON object's member: the challenge as it is. */
static bool gives_back(const struct sosia_outcome *o, const char *challenge)
{
    size_t n = strlen(challenge);
    for (size_t i = 0; i + n <= o->body_len; i++)
        if (memcmp(o->body + i, challenge, n) == 0)
            return true;
    return false;
}

/* An address that is not the app's leaves the one before. */
static int ended(struct tx *tx, int64_t ref, enum delivery_verdict verdict,
                 const struct sosia_outcome *o)
{
    static struct sql_text q =
        SQL_TEXT("insert into chat_endpoint (app, url, enabled, sent, failed, hour_s) values "
                 "(:app, :url, 1, 0, 0, 0) on conflict (app) do update set url = excluded.url, "
                 "enabled = 1, sent = 0, failed = 0, hour_s = 0");
    static struct sql_text forget = SQL_TEXT("delete from chat_check where id = :id");
    struct check c;
    int r = load_check(tx, ref, &c);
    if (r != 1)
        return r;
    if (verdict == DELIVERY_GOOD && gives_back(o, c.challenge) && TX_RUN(tx, &q, c.app, c.url) < 0)
        return -1;
    return TX_RUN(tx, &forget, ref);
}

static int imagine(struct tx *tx, int64_t ref, struct sosia_outcome *ret)
{
    struct check c;
    if (load_check(tx, ref, &c) != 1)
        return -1;
    ret->body = c.challenge;
    ret->body_len = strlen(c.challenge);
    return 0;
}

const struct delivery_kind sl_check_request = {.name = "slack.check",
                                               .judge = judge_check,
                                               .ended = ended,
                                               .imagine = imagine,
                                               .request = request,
                                               .timeout_s = 3,
                                               .redirects = 2};

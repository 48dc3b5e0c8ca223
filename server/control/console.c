/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way in for a browser: a code, which is good once and for ten minutes, so that a link may
 * have it, becomes a session (server/session.c).
 */
#include "server/control/operation.h"
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CODE_BYTES 24
#define MOST_CODES 32 /* the oldest goes */
#define CODE_S     600
#define SESSION_S  43200
#define TRIES      10 /* a minute that fail, of all clients: a code and the key do not */

struct code {
    char text[2 * CODE_BYTES + 1]; /* "": none */
    time_t expires;
    bool read_only;
};

struct codes {
    pthread_mutex_t lock;
    struct code list[MOST_CODES];
    size_t next;
    time_t minute; /* that the tries are of */
    int tries;
};

struct codes *codes_new(void)
{
    struct codes *v = calloc(1, sizeof *v);
    if (v)
        pthread_mutex_init(&v->lock, NULL);
    return v;
}

void codes_free(struct codes *v)
{
    if (!v)
        return;
    pthread_mutex_destroy(&v->lock);
    gnutls_memset(v->list, 0, sizeof v->list);
    free(v);
}

static int make_code(struct codes *v, bool read_only, struct code *ret, struct sosia_err *err)
{
    uint8_t bytes[CODE_BYTES];
    *ret = (struct code){.expires = time(NULL) + CODE_S, .read_only = read_only};
    if (gnutls_rnd(GNUTLS_RND_KEY, bytes, sizeof bytes) < 0)
        return sosia_fail(err, SOSIA_E_INTERNAL, NULL, NULL, "no code can be made");
    for (size_t i = 0; i < CODE_BYTES; i++)
        snprintf(ret->text + 2 * i, 3, "%02x", bytes[i]);
    pthread_mutex_lock(&v->lock);
    v->list[v->next++ % MOST_CODES] = *ret;
    pthread_mutex_unlock(&v->lock);
    return 0;
}

int control_console_url(struct control *control, const char *base_url, bool read_only,
                        char ret_url[CONTROL_CONSOLE_URL_MAX], struct sosia_err *err)
{
    struct code made;
    if (make_code(control->codes, read_only, &made, err) < 0)
        return -1;
    snprintf(ret_url, CONTROL_CONSOLE_URL_MAX, "%s/#code=%s", base_url, made.text);
    return 0;
}

static int codes_make(struct call *call)
{
    struct control_call *c = control_of(call);
    struct code made;
    struct json_writer w;
    struct buf b;
    if (make_code(c->control->codes, control_number(c, "read_only", 0) != 0, &made, &c->err) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "code", made.text);
    json_str(&w, "url", arena_printf(&c->arena, "%s/#code=%s", c->request->base_url, made.text));
    json_time(&w, "expires", (int64_t)made.expires * 1000000, JSON_TIME_S_Z);
    json_end(&w);
    return control_answer(c, 201, &b);
}

/* Whether one more try is let through. Under the lock. */
static bool may_try(struct codes *v)
{
    time_t minute = time(NULL) / 60;
    if (minute != v->minute)
        v->tries = 0;
    v->minute = minute;
    return v->tries < TRIES && ++v->tries;
}

/* Takes the code out of the list. Under the lock. */
static bool take_code(struct codes *v, const char *text, bool *ret_read_only)
{
    for (size_t i = 0; strlen(text) == 2 * CODE_BYTES && i < MOST_CODES; i++) {
        struct code *one = &v->list[i];
        if (!*one->text || gnutls_memcmp(one->text, text, 2 * CODE_BYTES) != 0)
            continue;
        bool good = time(NULL) < one->expires;
        *ret_read_only = one->read_only;
        *one = (struct code){0};
        return good;
    }
    return false;
}

static int sessions_make(struct call *call)
{
    struct control_call *c = control_of(call);
    struct codes *v = c->control->codes;
    const char *code = control_text(c, "code"), *key = control_text(c, "key");
    bool read_only = control_number(c, "read_only", 0) != 0, coded = false;
    char session[SERVER_SESSION_MAX];
    int64_t expires_s = (int64_t)time(NULL) + SESSION_S;
    struct json_writer w;
    struct buf b;
    if (!code == !key)
        return control_fail(c, "code", "must be given, or key in its place: %s",
                            code ? "both are given" : "neither is given");
    bool good = false, let = true;
    pthread_mutex_lock(&v->lock);
    good = code ? take_code(v, code, &coded) : server_is_key(c->request, key);
    if (!good)
        let = may_try(v);
    pthread_mutex_unlock(&v->lock);
    if (!let)
        return sosia_fail(&c->err, SOSIA_E_LIMIT, "tooManyTries", NULL,
                          "at most %d codes and keys that are not good are looked at in a minute",
                          TRIES);
    if (!good)
        return sosia_fail(&c->err, SOSIA_E_UNAUTHENTICATED, code ? "codeSpent" : "unauthenticated",
                          code ? "code" : "key",
                          code ? "the code is spent, is over, or is none of this server's"
                               : "key must be the control key, is not");
    read_only |= coded;
    if (!server_session_make(c->request, read_only, expires_s, session))
        return sosia_fail(&c->err, SOSIA_E_INTERNAL, NULL, NULL, "no session can be made");
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "session", session);
    json_time(&w, "expires", expires_s * 1000000, JSON_TIME_S_Z);
    json_bool(&w, "read_only", read_only);
    json_end(&w);
    return control_answer(c, 201, &b);
}

/* ---- rows ---- */

static const struct route routes[] = {
    {ROUTE("console.code", POST, "/console/codes"), .outside = true, .risk = RISK_WRITE,
     .summary = "A link with which a browser gets in, once and within ten minutes",
     .handler = codes_make, .body = BODY_JSON_OPTIONAL, .request = "MakeCode", .status = 201,
     .response = "ConsoleCode"},
    {ROUTE("console.session", POST, "/console/sessions"), .outside = true, .risk = RISK_READ,
     .secret = true,
     .summary =
         "Exchanges a code, or the control key, for a session of twelve hours, which is used "
         "in the place of the key",
     .handler = sessions_make, .anonymous = true, .body = BODY_JSON, .request = "MakeSession",
     .status = 201, .response = "ConsoleSession"},
};

const struct rows control_console_rows = ROWS(routes);

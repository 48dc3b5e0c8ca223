/* SPDX-License-Identifier: Apache-2.0 */
/* A workspace with an app, which is notified of what people do, and answers. */
#ifndef SOSIA_TESTS_SERVICES_CHAT_SLACK_ACTED_H
#define SOSIA_TESTS_SERVICES_CHAT_SLACK_ACTED_H

#include "engine/base/codec.h"
#include "tests/support/slack.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- an app ---- */

static const struct json *payload; /* what it got last, or a form's text */
static const char *form;           /* the same, as it came */
static const char *url;            /* where */
static char reply[4096];           /* what it answers */
static int reply_status;           /* 0: nothing comes back */
static int n_posts;
static const char *before_challenge, *behind_challenge; /* NULL: it is not given back */

static inline void on_post(void *arg, uint64_t world, int64_t entry, const char *json, size_t len,
                           struct sosia_outcome *ret)
{
    const struct json *v = parsed(json, len);
    form = text_at(v, "0.payload.body");
    url = text_at(v, "0.payload.url");
    payload = NULL;
    n_posts++;
    if (str_starts(form, "payload=")) {
        char *text;
        size_t n;
        assert_int_equal(percent_decode(&test_arena, form + 8, strlen(form + 8), true, &text, &n),
                         0);
        payload = parsed(text, n);
        assert_non_null(payload);
    }
    if (form[0] == '{' && before_challenge)
        snprintf(reply, sizeof reply, "%s%s%s", before_challenge,
                 text_at(parsed(form, strlen(form)), "challenge"), behind_challenge);
    *ret = (struct sosia_outcome){.status = reply_status,
                                  .error = reply_status ? NULL : "no response",
                                  .reason = reply_status ? NULL : "timeout",
                                  .body = reply,
                                  .body_len = strlen(reply)};
}

static inline void app_says(const char *text)
{
    snprintf(reply, sizeof reply, "%s", text ? quoted(text) : "");
    reply_status = 200;
}

static inline int open_app_world(void **state)
{
    if (slack_open_world(state) < 0)
        return -1;
    sosia_engine_on_handshake(test_engine, on_post, NULL);
    n_posts = 0;
    before_challenge = NULL;
    app_says(NULL);
    return 0;
}

#define act_test(f) cmocka_unit_test_setup_teardown(f, open_app_world, slack_close_world)

static inline const char *last_trigger(void)
{
    return text_at(payload, "trigger_id");
}

/* A message of the app with a button, a menu and a date. */
static inline const char *post_buttons(void)
{
    const struct json *v = slack_json(
        BOT, "chat.postMessage",
        "{'channel':'C0DEV','text':'Deploy?','blocks':[{'type':'actions','block_id':'ask',"
        "'elements':[{'type':'button','action_id':'yes','value':'42','style':'primary','text':"
        "{'type':'plain_text','text':'Yes'}},{'type':'static_select','action_id':'env','options':["
        "{'text':{'type':'plain_text','text':'Test'},'value':'test'},{'text':{'type':'plain_text',"
        "'text':'Live'},'value':'live'}]},{'type':'datepicker','action_id':'day'},{'type':"
        "'external_select','action_id':'who','min_query_length':1}]}]}");
    assert_slack(NULL);
    return text_at(v, "ts");
}

#endif

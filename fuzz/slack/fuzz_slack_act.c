/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as what a person does, where an app has put a message, a view and a dialog before
 * him, and behind its first line as the app's response: it is done or refused, and a dump of the
 * world makes the same world. */
#include "fuzz/slack/slack.h"

static const char DOC[] =
    "{\"sosia\":1,\"time\":\"2026-02-15T20:00:00Z\",\"people\":[{\"email\":\"ada@acme.example\"},"
    "{\"email\":\"bob@acme.example\"},{\"handle\":\"bot\",\"kind\":\"bot\"}],\"apps\":[{\"client_"
    "id\""
    ":\"1.2\",\"name\":\"App\",\"vendor\":\"slack\",\"bot\":\"bot\"}],\"workspaces\":[{\"id\":"
    "\"T0ACME\","
    "\"domain\":\"acme\",\"members\":[{\"actor\":\"ada@acme.example\",\"id\":\"U0ADA\",\"name\":"
    "\"ada\""
    "},{\"actor\":\"bob@acme.example\",\"id\":\"U0BOB\",\"name\":\"bob\"},{\"actor\":\"bot\","
    "\"id\":\"U0"
    "BOT\"}],\"apps\":[{\"client_id\":\"1.2\",\"id\":\"A0APP\",\"bot\":\"B0APP\"}]}],\"chatApps\":["
    "{\"c"
    "lient_id\":\"1.2\",\"settings\":{\"interactivity_url\":\"https://a.example\",\"events_url\""
    ":\"https://a.example\",\"bot_events\":[\"app_home_opened\"],\"commands\":[{\"command\":\"/d"
    "o\",\"url\":\"https://a.example\",\"should_escape\":true}],\"shortcuts\":[{\"type\":\"global"
    "\",\"callback_id\":\"new\"},{\"type\":\"message\",\"callback_id\":\"keep\"}],\"functions\":{"
    "\"f\""
    ":{\"input_parameters\":{\"x\":{\"type\":\"string\"}}}}}}],\"channels\":[{\"id\":\"C0DEV\","
    "\"nam"
    "e\":\"dev\",\"members\":[\"U0ADA\",\"U0BOB\",\"U0BOT\"]}],\"messages\":[{\"channel\":\"dev\","
    "\"fro"
    "m\":\"U0BOT\",\"app\":\"1.2\",\"ts\":\"1771100002.000100\",\"text\":\"x\",\"blocks\":[{"
    "\"type\":\"ac"
    "tions\",\"block_id\":\"b\",\"elements\":[{\"type\":\"button\",\"action_id\":\"yes\",\"text\":{"
    "\"ty"
    "pe\":\"plain_text\",\"text\":\"Y\"}},{\"type\":\"static_select\",\"action_id\":\"pick\","
    "\"option"
    "s\":[{\"text\":{\"type\":\"plain_text\",\"text\":\"A\"},\"value\":\"a\"}]},{\"type\":"
    "\"external_se"
    "lect\",\"action_id\":\"out\"},{\"type\":\"datepicker\",\"action_id\":\"day\"}]}]}],\"chatViews"
    "\":[{\"id\":\"V0VIEW\",\"app\":\"1.2\",\"user\":\"U0ADA\",\"place\":1,\"body\":{\"type\":"
    "\"modal\",\"c"
    "allback_id\":\"c\",\"notify_on_close\":true,\"submit\":{\"type\":\"plain_text\",\"text\":"
    "\"S\"}"
    ",\"title\":{\"type\":\"plain_text\",\"text\":\"T\"},\"blocks\":[{\"type\":\"input\",\"block_"
    "id\":\""
    "i\",\"label\":{\"type\":\"plain_text\",\"text\":\"L\"},\"element\":{\"type\":\"plain_text_"
    "input\""
    ",\"action_id\":\"t\"}}]}}],\"chatDialogs\":[{\"app\":\"1.2\",\"user\":\"U0ADA\",\"channel\":"
    "\"dev"
    "\",\"body\":{\"callback_id\":\"d\",\"title\":\"D\",\"notify_on_cancel\":true,\"elements\":[{"
    "\"ty"
    "pe\":\"text\",\"name\":\"n\",\"label\":\"N\"},{\"type\":\"select\",\"name\":\"s\",\"label\":"
    "\"S\",\"data"
    "_source\":\"users\",\"optional\":true},{\"type\":\"select\",\"name\":\"e\",\"label\":\"E\","
    "\"data_"
    "source\":\"external\",\"optional\":true}]}}]}";

/* The app's response: what is behind the first line. */
struct answer {
    const char *text;
    size_t len;
};

static void on_post(void *arg, uint64_t world, int64_t entry, const char *json, size_t len,
                    struct sosia_outcome *ret)
{
    const struct answer *a = arg;
    *ret = (struct sosia_outcome){.status = 200, .body = a->text, .body_len = a->len};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct slack_world s;
    static struct answer answer;
    static char text[8001];
    struct sosia_header headers[] = {
        {"Host", "slack.com"}, {"Authorization", NULL}, {"Content-Type", "application/json"}};
    struct sosia_response *res;
    struct arena a;
    struct buf b;
    struct sosia_err err;
    const struct json *v;
    if (!s.engine) {
        slack_world_of(&s, DOC);
        sosia_engine_on_handshake(s.engine, on_post, &answer);
    }
    if (size > 8000)
        return 0;
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t n = end ? (size_t)(end - data) : size;
    answer = (struct answer){.text = text, .len = end ? size - n - 1 : 0};
    if (answer.len)
        memcpy(text, end + 1, answer.len);
    text[answer.len] = 0;
    headers[1].value = s.bearer;
    arena_init(&a, 0);
    buf_init(&b, 0);
    buf_puts(&b, "{\"do\":");
    buf_add(&b, data, n);
    buf_puts(&b, "}");
    slack_world_fork(&s);
    struct sosia_request r = {.method = "POST",
                              .target = "/_act/slack",
                              .headers = headers,
                              .n_headers = 3,
                              .body = b.data,
                              .body_len = b.len};
    MUST(sosia_call(s.engine, s.world, &r, &res, &why));
    CHECK(json_parse(&a, res->body, res->body_len, NULL, &v, &err) == 0);
    const char *error = json_get_str(v, "error");
    CHECK(json_get(v, "ok") && (json_get(v, "ok")->truth || error));
    CHECK(!error || strcmp(error, "internal_error") != 0);
    if (!error)
        slack_check_dump(&s);
    sosia_response_free(res);
    slack_world_drop(&s);
    buf_done(&b);
    arena_done(&a);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a workflow: refused with a reason, or run with the same evidence twice, of which one
 * is as good as the other; as a policy whose text for Cedar is made; as evidence. */
#include "guard/workflow/workflow.h"
#include "fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

static const char policy[] =
    "{\"policy\":1,\"name\":\"p\",\"otherwise\":\"allow\",\"rules\":[{\"id\":\"a\",\"effect\":"
    "\"deny\",\"call\":{\"method\":\"calendar.events.delete\"}},{\"id\":\"b\",\"effect\":"
    "\"approve\",\"call\":{\"method\":\"calendar.events.insert\"}}]}";
static const char suite[] =
    "{\"version\":\"1.1\",\"name\":\"s\",\"actor\":\"ada@a.example\",\"seed\":{\"sosia\":1,"
    "\"time\":\"2026-11-23T08:00:00Z\",\"people\":[{\"email\":\"ada@a.example\"},{\"email\":"
    "\"bob@a.example\",\"name\":\"Bob [[name]]\"}]},\"tests\":[{\"id\":\"add\",\"prompt\":\"Add.\","
    "\"actions\":[{\"call\":\"POST /calendar/v3/calendars/primary/events\",\"body\":{\"summary\":"
    "\"Tea\",\"start\":{\"date\":\"2026-12-01\"},\"end\":{\"date\":\"2026-12-02\"}}}],"
    "\"assertions\":[{\"diff_type\":\"added\",\"entity\":\"event\",\"where\":{\"summary\":\"Tea\"}}"
    "]},{\"id\":\"ask\",\"prompt\":\"Ask.\",\"answer\":\"Which?\",\"assertions\":[{\"answer\":{"
    "\"mentions\":\"which\"}}]}]}";

static int file(void *arg, struct arena *a, const char *path, const char **ret_text,
                size_t *ret_len, struct sosia_err *err)
{
    static const char budget[] = "{\"maxToolCalls\":3}", faults[] = "flaky";
    const char *text = strcmp(path, "p") == 0     ? policy
                       : strcmp(path, "s") == 0   ? suite
                       : strcmp(path, "b") == 0   ? budget
                       : strcmp(path, "./f") == 0 ? faults
                                                  : NULL;
    (void)arg;
    if (!text)
        return sosia_fail(err, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no file");
    *ret_text = arena_strdup(a, text);
    *ret_len = strlen(text);
    return 0;
}

static void export_policy(const char *text, size_t len)
{
    struct sosia_err err = {0};
    struct buf out, left;
    struct policy *p;
    size_t n;
    if (policy_read(text, len, "fuzz", &p, &err) < 0)
        return;
    buf_init(&out, 0);
    buf_init(&left, 0);
    CHECK(policy_cedar(p, &out, &left, &n, &err) == 0 || err.code == SOSIA_E_TOO_LARGE);
    CHECK(n > 0 || !left.len);
    buf_done(&out);
    buf_done(&left);
    policy_unref(p);
}

static struct sosia_engine *engine;

static void end(void)
{
    sosia_engine_close(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct workflow_options opt = {.driver = "reference"};
    struct sosia_err err = {0};
    struct sosia_blob one, again, compared;
    struct workflow *w;
    bool good, same, no_worse;
    const char *text = (const char *)data;
    if (!engine) {
        MUST(sosia_engine_open(NULL, &engine, &why));
        CHECK(atexit(end) == 0);
    }
    export_policy(text, size);
    if (workflow_compare(text, size, text, size, 0, &compared, &good, &err) == 0)
        sosia_blob_free(&compared);
    err = (struct sosia_err){0};
    if (workflow_read(engine, text, size, "fuzz", file, NULL, &w, &err) < 0) {
        CHECK(err.code != SOSIA_E_OK && err.text[0]);
        return 0;
    }
    MUST(workflow_check(engine, w, &opt, &one, &good, &why));
    MUST(workflow_check(engine, w, &opt, &again, &same, &why));
    CHECK(good == same && one.len == again.len && memcmp(one.data, again.data, one.len) == 0);
    MUST(workflow_compare(one.data, one.len, again.data, again.len, 0, &compared, &no_worse, &why));
    CHECK(no_worse);
    sosia_blob_free(&one);
    sosia_blob_free(&again);
    sosia_blob_free(&compared);
    workflow_free(w);
    return 0;
}

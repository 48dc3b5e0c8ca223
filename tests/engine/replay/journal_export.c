/* SPDX-License-Identifier: Apache-2.0 */
/* Journals in the forms of others, member by member as these ask for them: HTTP Archive 1.2 (the
 * specification's tables of members), OTLP/JSON with OpenTelemetry's conventions for generative AI,
 * the Agent Trajectory Interchange Format 1.7. */
#include "engine/world/engine.h"
#include "tests/support/gcal.h"
#include <stdio.h>
#include <stdlib.h>

#define EVENTS "/calendars/primary/events"

static const struct json *exported(enum sosia_journal_format format)
{
    struct sosia_blob b;
    assert_int_equal(sosia_journal_export(test_engine, test_world, format, 0, 0, &b, &test_err), 0);
    const struct json *v = parsed(b.data, b.len);
    sosia_blob_free(&b);
    return v;
}

static void request(const char *method, const char *target, const char *type, const char *step,
                    const void *body, size_t len)
{
    struct sosia_header headers[4] = {{"Authorization", test_bearer(ADA, NULL)}};
    size_t n = 1;
    if (type)
        headers[n++] = (struct sosia_header){"Content-Type", type};
    if (step) {
        headers[n++] = (struct sosia_header){"X-Sosia-Step", step};
        headers[n++] = (struct sosia_header){"X-Sosia-Tokens-In", "12"};
    }
    test_request(method, target, headers, n, body, len);
}

/* A call with a query, one with a body, bytes that are not a text, one of which nothing is kept. */
static void work(void)
{
    static const char bytes[] = "\xff\xfe\x01\x02", event[] = "{\"summary\":\"\xc3\xa9\"}";
    assert_int_equal(
        sosia_world_journal_mode(test_engine, test_world, SOSIA_JOURNAL_ALL, &test_err), 0);
    make_event("first", "");
    request("GET", "/calendar/v3" EVENTS "?q=a%20b+c&timeZone=&&%zz=%ff", NULL, NULL, NULL, 0);
    request("PATCH", "/calendar/v3" EVENTS "/first", "application/json", "rename", event,
            sizeof event - 1);
    request("POST", "/calendar/v3" EVENTS, "application/json", NULL, bytes, sizeof bytes - 1);
    assert_int_equal(
        sosia_world_journal_keep(test_engine, test_world, SOSIA_KEEP_HASHES, 10, &test_err), 0);
    request("PATCH", "/calendar/v3" EVENTS "/first", "application/json", NULL, event,
            sizeof event - 1);
}

static void assert_members(const struct json *v, const char *path, const char *expected)
{
    assert_non_null(value_at(v, path));
    assert_string_equal(members(v, path), expected);
}

static void har_has_what_1_2_asks_for(void **state)
{
    work();
    const struct json *log = value_at(exported(SOSIA_JOURNAL_HAR), "log"), *e;
    assert_string_equal(text_at(log, "version"), "1.2");
    assert_members(log, "creator", "name version");
    assert_int_equal(count_at(log, "entries"), 5);
    for (uint32_t i = 0; i < 5; i++) {
        e = value_at(log, quoted(arena_printf(&test_arena, "entries.%u", i)));
        assert_members(e, "", "startedDateTime time request response cache timings _sosia");
        assert_non_null(strchr(text_at(e, "startedDateTime"), 'Z'));
        assert_members(e, "timings", "send wait receive");
        assert_int_equal(number_at(e, "time"), number_at(e, "timings.wait"));
        assert_members(e, "response",
                       "status statusText httpVersion cookies headers content redirectURL "
                       "headersSize bodySize");
        assert_true(number_at(e, "response.content.size") > 0);
        assert_non_null(text_at(e, "response.content.mimeType"));
        assert_non_null(strstr(text_at(e, "request.url"), "://"));
    }
    e = value_at(log, "entries.1.request");
    assert_members(e, "",
                   "method url httpVersion cookies headers queryString headersSize bodySize");
    assert_string_equal(column(e, "queryString", "name"), "q timeZone %zz");
    assert_string_equal(column(e, "queryString", "value"), "a b c  %ff");
    e = value_at(log, "entries.2.request.postData");
    assert_members(e, "", "mimeType text");
    e = value_at(log, "entries.3.request"); /* 1.2 has no encoding in it */
    assert_members(e, "postData", "mimeType text _encoding");
    assert_string_equal(text_at(e, "postData.text"), "//4BAg==");
    assert_int_equal(number_at(e, "bodySize"), 4);
    e = value_at(log, "entries.4");
    assert_members(e, "request.postData", "mimeType text _kept");
    assert_int_equal(number_at(e, "request.bodySize"), 16);
    assert_int_equal(number_at(e, "response.content._kept.length"),
                     number_at(e, "response.content.size"));
}

static const char *attribute_of(const struct json *span, const char *key)
{
    const struct json *list = value_at(span, "attributes");
    for (uint32_t i = 0; i < list->n; i++)
        if (strcmp(text_at(&list->items[i], "key"), key) == 0)
            return text_at(&list->items[i], "value.stringValue")
                       ? text_at(&list->items[i], "value.stringValue")
                       : text_at(&list->items[i], "value.intValue");
    return NULL;
}

static bool is_hex(const char *text, size_t len)
{
    return strlen(text) == len && strspn(text, "0123456789abcdef") == len &&
           strspn(text, "0") < len;
}

static void spans_name_their_schema(void **state)
{
    work();
    const struct json *r = value_at(exported(SOSIA_JOURNAL_OTLP), "resourceSpans.0"),
                      *scope = value_at(r, "scopeSpans.0"), *span;
    assert_members(r, "", "resource scopeSpans schemaUrl");
    assert_members(scope, "", "scope spans schemaUrl");
    assert_string_equal(text_at(r, "schemaUrl"), "https://opentelemetry.io/schemas/1.44.0");
    assert_string_equal(text_at(scope, "schemaUrl"),
                        "https://opentelemetry.io/schemas/gen-ai-dev/1.42.0-dev");
    assert_int_equal(count_at(scope, "spans"), 5);
    for (uint32_t i = 0; i < 5; i++) {
        span = value_at(scope, arena_printf(&test_arena, "spans.%u", i));
        assert_true(is_hex(text_at(span, "traceId"), 32));
        assert_true(is_hex(text_at(span, "spanId"), 16));
        assert_int_equal(number_at(span, "kind"), 1);
        assert_true(strlen(text_at(span, "startTimeUnixNano")) == 19);
        assert_true(strlen(text_at(span, "endTimeUnixNano")) == 19);
        assert_string_equal(attribute_of(span, "gen_ai.operation.name"), "execute_tool");
        assert_non_null(attribute_of(span, "gen_ai.tool.name"));
        /* arguments are an object, whatever the request was */
        const char *arguments = attribute_of(span, "gen_ai.tool.call.arguments");
        assert_non_null(text_at(parsed(arguments, strlen(arguments)), "target"));
    }
    span = value_at(scope, "spans.2");
    assert_string_equal(attribute_of(span, "gen_ai.usage.input_tokens"), "12");
    assert_string_equal(attribute_of(span, "http.response.status_code"), "200");
    span = value_at(scope, "spans.3");
    assert_string_equal(attribute_of(span, "error.type"), "400");
    assert_int_equal(number_at(span, "status.code"), 2);
}

static void trajectories_have_steps(void **state)
{
    const struct json *v = exported(SOSIA_JOURNAL_ATIF);
    assert_members(v, "", "schema_version session_id agent steps final_metrics");
    assert_string_equal(column(v, "steps", "source"), "system");
    assert_members(v, "final_metrics", "total_steps"); /* nothing says what it cost */
    work();
    v = exported(SOSIA_JOURNAL_ATIF);
    assert_members(v, "agent", "name version");
    assert_string_equal(column(v, "steps", "source"), "agent agent agent agent agent");
    for (uint32_t i = 0; i < 5; i++) {
        const struct json *s = value_at(v, arena_printf(&test_arena, "steps.%u", i));
        assert_int_equal(number_at(s, "step_id"), i + 1);
        assert_non_null(text_at(s, "message"));
        assert_members(s, "tool_calls.0", "tool_call_id function_name arguments");
        assert_members(s, "observation.results.0", "source_call_id content");
        assert_string_equal(text_at(s, "observation.results.0.source_call_id"),
                            text_at(s, "tool_calls.0.tool_call_id"));
        assert_true(strlen(text_at(s, "observation.results.0.content")) > 0);
    }
    assert_int_equal(number_at(v, "steps.2.metrics.prompt_tokens"), 12);
    assert_string_equal(text_at(v, "steps.2.tool_calls.0.arguments.body.summary"), "\xc3\xa9");
    assert_int_equal(number_at(v, "final_metrics.total_prompt_tokens"), 12);
    assert_int_equal(number_at(v, "final_metrics.total_steps"), 5);
}

static void runs_say_what_became_of_each_call(void **state)
{
    const struct json *v = exported(SOSIA_JOURNAL_RUN);
    assert_members(v, "", "run_id steps result");
    work();
    v = exported(SOSIA_JOURNAL_RUN);
    assert_string_equal(column(v, "steps", "type"),
                        "tool_call tool_call tool_call tool_call tool_call");
    assert_string_equal(column(v, "steps", "status"), "ok error ok error ok");
    assert_string_equal(column(v, "steps", "risk"), "write read write write write");
    assert_string_equal(text_at(v, "actor_id"), text_at(v, "steps.0.actor_id"));
    assert_string_equal(text_at(v, "result"), "completed");
}

/* Entries as a world from a file may have them. */
static void numbers_beyond_all_measure_leave_the_forms_whole(void **state)
{
    const char *entry = arena_printf(
        &test_arena,
        "{\"at\":\"2026-03-12T08:00:00Z\",\"labels\":{\"tokens_in\":9223372036854775807,"
        "\"tokens_out\":-9223372036854775808,\"cost\":1%0308d,"
        "\"latency_ms\":9223372036854775807},\"request\":{},\"response\":{}}",
        0);
    struct world *w = world_take(test_engine, test_world, &test_err);
    for (int i = 0; i < 2; i++)
        assert_int_equal(journal_append(&world_extra(w)->journal, entry, strlen(entry)), 0);
    world_drop(w);
    const struct json *v = exported(SOSIA_JOURNAL_ATIF);
    assert_members(v, "final_metrics", "total_prompt_tokens total_completion_tokens total_steps");
    assert_true(number_at(v, "final_metrics.total_prompt_tokens") == INT64_MAX);
    assert_true(number_at(v, "final_metrics.total_completion_tokens") == INT64_MIN);
    v = value_at(exported(SOSIA_JOURNAL_OTLP), "resourceSpans.0.scopeSpans.0.spans.0");
    assert_string_equal(text_at(v, "endTimeUnixNano"), text_at(v, "startTimeUnixNano"));
    assert_int_equal(number_at(exported(SOSIA_JOURNAL_HAR), "log.entries.0.time"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        gcal_test(har_has_what_1_2_asks_for),
        gcal_test(spans_name_their_schema),
        gcal_test(trajectories_have_steps),
        gcal_test(runs_say_what_became_of_each_call),
        gcal_test(numbers_beyond_all_measure_leave_the_forms_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

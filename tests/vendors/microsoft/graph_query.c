/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a call: what of its arguments counts, the refusal, and the writer's mask. */
#include "tests/support/unit.h"
#include "engine/http/body.h"
#include "vendors/microsoft/internal.h"
#include "vendors/microsoft/query.h"

static struct arena arena;
static struct sosia_err err;
static struct graph_call own;
static struct buf text;
static struct json_writer writer;

/* A call that has these arguments. */
static struct call with(struct query_item *items, size_t n)
{
    struct call c = {.items = items, .n_items = n, .vendor_data = &own, .out = &writer};
    own = (struct graph_call){0};
    c.tx.arena = &arena;
    c.tx.err = &err;
    buf_clear(&text);
    json_init(&writer, &text, false, NULL);
    return c;
}

static void options_are_those_of_the_query(void **state)
{
    struct query_item items[] = {{.name = "$top", .text = "3", .place = IN_QUERY},
                                 {.name = "$select", .text = "id", .place = IN_PATH},
                                 {.name = "filter", .text = "isRead eq true", .place = IN_QUERY}};
    struct call c = with(items, SOSIA_LEN(items));
    struct odata_query q;
    (void)state;
    assert_int_equal(graph_query(&c, "message", NULL, &q), 0);
    assert_int_equal(q.top, 3);
    assert_false(q.has_select);
    assert_non_null(q.filter);
}

static void a_refusal_is_the_gateways_and_whole(void **state)
{
    char *filter = arena_calloc(&arena, 1, 600);
    struct query_item items[] = {{.name = "$filter", .text = filter, .place = IN_QUERY}};
    const struct odata_rules personal = {.personal = true};
    struct odata_query q;
    (void)state;
    strcpy(filter, "isRead eq true or ");
    for (int i = 0; i < 25; i++)
        strcat(filter, "isDraft eq true or ");
    struct call c = with(items, 1);
    assert_int_equal(graph_query(&c, "message", NULL, &q), -1);
    assert_string_equal(err.reason, "BadRequest");
    assert_true(own.gateway);
    const char *want =
        arena_printf(&arena, "Invalid filter clause: Expression expected at position %zu in '%s'.",
                     strlen(filter), filter);
    assert_string_equal(own.message, want);
    c = with(items, 1);
    assert_int_equal(graph_query(&c, "message", &personal, &q), -1);
    assert_string_equal(err.reason, "RequestBroker--ParseUri");
    assert_false(own.gateway);
}

static void selections_reach_the_writer(void **state)
{
    struct query_item items[] = {{.name = "$select", .text = "subject", .place = IN_QUERY}};
    struct call c = with(items, 1);
    struct odata_query q;
    (void)state;
    assert_int_equal(graph_query(&c, "message", NULL, &q), 0);
    assert_int_equal(graph_select(&c, &q, ODATA_KEEP_ID, true), 0);
    json_obj(&writer, NULL);
    json_str(&writer, "@odata.context", "c");
    json_arr(&writer, "value");
    json_obj(&writer, NULL);
    json_str(&writer, "id", "1");
    json_bool(&writer, "isRead", true);
    json_str(&writer, "subject", "s");
    json_end(&writer);
    json_end(&writer);
    json_end(&writer);
    assert_string_equal(buf_str(&text),
                        "{\"@odata.context\":\"c\",\"value\":[{\"id\":\"1\",\"subject\":\"s\"}]}");
}

static void searches_are_read_or_refused(void **state)
{
    struct query_item items[] = {{.name = "$search", .text = "subject:X", .place = IN_QUERY}};
    const struct kql_language l = {.any = 1};
    const struct search *s = NULL;
    struct call c = with(items, 1);
    struct odata_query q;
    (void)state;
    assert_int_equal(graph_query(&c, "message", NULL, &q), 0);
    assert_int_equal(graph_search(&c, &l, &q, &s), -1);
    assert_true(own.gateway);
    assert_string_equal(err.text,
                        "Syntax error: character ':' is not valid at position 7 in 'subject:X'.");
    q.search = "X";
    assert_int_equal(graph_search(&c, &l, &q, &s), 0);
    assert_int_equal(s->kind, SEARCH_PHRASE);
}

/* A body against the shape of messages: 0, or -1 with the failure in err. */
static int checked(const char *body, const struct json **ret)
{
    static const struct route route = {.id = "x"};
    const struct dialect dialect = {
        .vendor = &microsoft_vendor, .schemas = graph_schemas, .n_schemas = GRAPH_SCHEMAS};
    struct call c = with(NULL, 0);
    c.dialect = &dialect;
    c.route = &route;
    assert_int_equal(json_parse(&arena, body, strlen(body), NULL, ret, &err), 0);
    const struct schema *s = dialect_schema(&dialect, "microsoft.graph.message");
    assert_non_null(s);
    return body_check(&c, s, *ret, graph_body_rules(&c), NULL, NULL);
}

static void words_of_bodies_count_without_their_case(void **state)
{
    const struct json *v;
    (void)state;
    assert_int_equal(checked("{\"Importance\":\"HIGH\",\"body\":{\"ContentType\":\"HTML\"},"
                             "\"attachments\":[{\"@odata.type\":\"#microsoft.graph."
                             "fileAttachment\",\"contentBytes\":\"eA==\"}],\"isDraft\":true}",
                             &v),
                     0);
    assert_string_equal(json_get_str(v, "importance"), "high");
    assert_string_equal(json_get_str(json_get(v, "body"), "contentType"), "html");
    assert_null(json_get(v, "isDraft"));
    assert_int_equal(checked("{\"importance\":\"urgent\"}", &v), -1);
    assert_string_equal(err.text, "Requested value 'urgent' was not found.");
    assert_int_equal(checked("{\"body\":{\"x\":1}}", &v), -1);
    assert_string_equal(err.text,
                        "The property 'x' does not exist on type 'microsoft.graph.itemBody'. Make "
                        "sure to only use property names that are defined by the type.");
    assert_int_equal(checked("{\"toRecipients\":[{\"emailAddress\":7}]}", &v), -1);
}

static int setup(void **state)
{
    arena_init(&arena, 0);
    buf_init(&text, 0);
    return 0;
}

static int teardown(void **state)
{
    arena_done(&arena);
    buf_done(&text);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_those_of_the_query),
        cmocka_unit_test(a_refusal_is_the_gateways_and_whole),
        cmocka_unit_test(selections_reach_the_writer),
        cmocka_unit_test(searches_are_read_or_refused),
        cmocka_unit_test(words_of_bodies_count_without_their_case),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies against the schemas of their rows, with our own rules and with a vendor's. */
#include "engine/http/body.h"
#include "engine/http/param.h"
#include "sosia.h"
#include "tests/support/unit.h"
#include <stdio.h>

/* ---- an API of tasks ---- */

static const char *const states[] = {"open", "done", NULL};

#define FIELDS(table) .fields = (table), .n_fields = SOSIA_LEN(table)
static const struct field person[] = {{.name = "name", .type = "string", .required = true}};
static const struct field where[] = {{.name = "room", .type = "string"},
                                     {.name = "floor", .type = "integer", .min = -1, .max = 9}};
static const struct field task[] = {
    {.name = "id", .type = "string", .read_only = true},
    {.name = "kind", .type = "string", .immutable = true},
    {.name = "title", .type = "string", .max = 8, .required_for = "tasks.add tasks.import"},
    {.name = "state", .type = "string", .values = states},
    {.name = "count", .type = "integer", .min = 1, .max = 5},
    {.name = "weight", .type = "number"},
    {.name = "big", .type = "integer"},
    {.name = "small", .type = "integer", .format = "int32"},
    {.name = "flag", .type = "boolean"},
    {.name = "due", .type = "string", .format = "date-time"},
    {.name = "day", .type = "string", .format = "date"},
    {.name = "owner", .type = "Person"},
    {.name = "helpers", .type = "Person", .list = true},
    {.name = "words", .type = "string", .list = true},
    {.name = "labels", .type = "string", .map = true},
    {.name = "place", .type = "object", FIELDS(where)},
    {.name = "parts", .type = "Task", .list = true},
    {.name = "extra", .type = "any"},
    {.name = "many", .type = "string", .other = "array"},
    {.name = "doc", .type = "string", .other = "object"},
};
static const struct field point[] = {{.name = "x", .type = "integer", .required = true}};
static const struct field ring[] = {{.name = "r", .type = "integer"},
                                    {.name = "d", .type = "integer"}};
static const struct schema shapes[] = {
    {.name = "point", FIELDS(point), .closed = true},
    {.name = "ring", FIELDS(ring), .needs = "r d"},
    {.name = NULL},
};
static const struct field pair = {
    .name = "", .type = "integer", .list = true, .least = 2, .most = 2};
static const struct field sizes[] = {
    {.name = "name", .type = "string", .min = 2, .max = 3, .characters = true},
    {.name = "code", .type = "string", .min = 2, .max = 3},
    {.name = "few", .type = "string", .list = true, .least = 1, .most = 2},
    {.name = "map", .type = "string", .map = true, .most = 1},
    {.name = "pairs", .type = "list", .list = true, .fields = &pair, .n_fields = 1},
    {.name = "shape", .type = "object", .types = shapes},
    {.name = "all", .type = "object", .types = shapes, .list = true},
    {.name = "ring", .type = "object", .of = &shapes[1]},
};
static const struct schema schemas[] = {
    {.name = "Person", FIELDS(person)},
    {.name = "Sizes", FIELDS(sizes)},
    {.name = "Task", FIELDS(task), .closed = true},
};

static const struct param blocks[] = {{.name = "blocks", .place = IN_ARGUMENT}};
static const struct route add = {
    .id = "tasks.add", .body = BODY_JSON, .request = "Task", PARAMS(blocks)};
static const struct route measure = {
    .id = "tasks.measure", .body = BODY_JSON_OPTIONAL, .request = "Sizes"};
static const struct route set = {.id = "tasks.set", .body = BODY_JSON_OPTIONAL, .request = "Task"};

static const struct body_rules *vendor_rules;
static const struct body_rules *rules_of_vendor(const struct call *c)
{
    (void)c;
    return vendor_rules;
}
static const enum param_place places[] = {IN_QUERY, IN_FORM, IN_JSON, 0};
static const struct front plain_front = {.arguments = places};
static const struct front vendor_front = {.body_rules = rules_of_vendor};
static const struct vendor vendor = {.name = "tasks", .front = &plain_front};
static const struct dialect dialect = {
    .name = "tasks", .vendor = &vendor, .schemas = schemas, .n_schemas = SOSIA_LEN(schemas)};

static struct arena arena;
static struct sosia_err err;
static struct sosia_request request;

static void begin(struct call *c, const struct route *r, enum verb verb, const char *text)
{
    arena_reset(&arena);
    err = (struct sosia_err){0};
    request =
        (struct sosia_request){.method = "POST", .body = text, .body_len = text ? strlen(text) : 0};
    *c = (struct call){.tx = {.arena = &arena, .err = &err},
                       .request = &request,
                       .dialect = &dialect,
                       .front = &plain_front,
                       .route = r,
                       .verb = verb};
    if (text)
        assert_int_equal(call_read_json(c, text, strlen(text)), 0);
}

/* The text of the refusal; NULL: it is taken. */
static const char *refusal(const char *text)
{
    struct call c;
    begin(&c, &set, VERB_POST, text);
    return call_body(&c) ? NULL : err.text;
}

#define REFUSED(text, message) assert_string_equal(refusal(text), (message))
#define TAKEN(text)            assert_null(refusal(text))

static void types_are_exact(void **state)
{
    TAKEN("{\"title\":\"a\",\"weight\":1.5,\"flag\":false,\"extra\":[1,{}],\"big\":"
          "9007199254740993}");
    REFUSED("{\"title\":1}", "title: must be a string, not 1");
    REFUSED("{\"flag\":\"true\"}", "flag: must be true or false, not \"true\"");
    REFUSED("{\"weight\":\"1\"}", "weight: must be a number, not \"1\"");
    REFUSED("{\"big\":1.5}", "big: must be a whole number, not 1.5");
    REFUSED("{\"owner\":\"ada\"}", "owner: must be an object, not \"ada\"");
    REFUSED("{\"title\":[\"a\"]}", "title: must be a string, not [\"a\"]");
    REFUSED("[1]", "the body must be a JSON object, not [1]");
    assert_int_equal(err.code, SOSIA_E_INVALID);
    assert_string_equal(err.reason, "invalid");
    assert_null(err.where);
}

static void null_is_as_absent(void **state)
{
    TAKEN("{\"title\":null,\"owner\":null,\"words\":null,\"labels\":{\"a\":null},\"state\":null}");
}

static void lists_maps_and_objects_are_walked(void **state)
{
    TAKEN("{\"words\":[\"a\",\"b\"],\"labels\":{\"x\":\"y\"},\"helpers\":[{\"name\":\"bob\"}],"
          "\"place\":{\"room\":\"1\",\"floor\":-1,\"unknown\":1}}");
    REFUSED("{\"words\":\"a\"}", "words: must be a list, not \"a\"");
    REFUSED("{\"words\":[\"a\",7]}", "words[1]: must be a string, not 7");
    REFUSED("{\"words\":[null]}", "words[0]: must be a string, not null");
    REFUSED("{\"words\":[[\"a\"]]}", "words[0]: must be a string, not [\"a\"]");
    REFUSED("{\"labels\":{\"x\":7}}", "labels.x: must be a string, not 7");
    REFUSED("{\"labels\":[]}", "labels: must be an object, not []");
    REFUSED("{\"place\":{\"floor\":12}}",
            "place.floor: must be a whole number from -1 to 9, not 12");
    REFUSED("{\"parts\":[{\"parts\":[{\"state\":\"shut\"}]}]}",
            "parts[0].parts[0].state: must be one of open, done, not \"shut\"");
    assert_string_equal(err.where, "parts[0].parts[0].state");
}

static void closed_sets_and_bounds_hold(void **state)
{
    TAKEN("{\"state\":\"done\",\"count\":5,\"small\":-2147483648,\"title\":\"12345678\"}");
    REFUSED("{\"state\":\"Open\"}", "state: must be one of open, done, not \"Open\"");
    REFUSED("{\"count\":6}", "count: must be a whole number from 1 to 5, not 6");
    REFUSED("{\"count\":1e0}", "count: must be a whole number from 1 to 5, not 1e0");
    REFUSED("{\"small\":2147483648}",
            "small: must be a whole number from -2147483648 to 2147483647, not 2147483648");
    REFUSED("{\"title\":\"123456789\"}", "title: must be a string of at most 8 bytes, not of 9");
}

static void formats_hold(void **state)
{
    TAKEN("{\"due\":\"2026-11-23T08:00:00+01:00\",\"day\":\"2024-02-29\"}");
    assert_non_null(
        strstr(refusal("{\"due\":\"2026-11-23T08:00:00\"}"), "due: must be an RFC 3339"));
    REFUSED("{\"day\":\"2026-02-29\"}",
            "day: must be a date, such as 2026-11-23, not \"2026-02-29\"");
}

static void a_string_may_be_something_else(void **state)
{
    TAKEN("{\"many\":\"a\",\"doc\":\"x\"}");
    TAKEN("{\"many\":[\"a\",\"b\"],\"doc\":{\"any\":1}}");
    REFUSED("{\"many\":[1]}", "many: must be a string or a list of strings, not [1]");
    REFUSED("{\"many\":{}}", "many: must be a string or a list of strings, not {}");
    REFUSED("{\"doc\":[]}", "doc: must be an object or a string, not []");
}

static void unknown_members_are_refused_where_the_schema_is_closed(void **state)
{
    TAKEN("{\"owner\":{\"name\":\"ada\",\"age\":7}}");
    REFUSED("{\"title\":\"a\",\n\n\"titel\":\"b\"}", "titel: must be a member of Task");
    assert_string_equal(err.where, "titel");
    assert_int_equal(err.line, 3);
    char text[400];
    snprintf(text, sizeof text, "{\"%0300d\":1}", 0);
    assert_non_null(strstr(refusal(text), "000...: must be a member of Task"));
}

static void what_is_required_is_named(void **state)
{
    struct call c;
    REFUSED("{\"owner\":{}}", "owner.name: must be given, is missing");
    REFUSED("{\"owner\":{\"name\":null}}", "owner.name: must be given, is missing");
    begin(&c, &add, VERB_POST, "{}");
    assert_null(call_body(&c));
    assert_string_equal(err.text, "title: must be given, is missing");
    begin(&c, &add, VERB_POST, "{\"title\":\"a\"}");
    assert_non_null(call_body(&c));
}

/* The text of the refusal of a body of sizes. */
static const char *measured(const char *text)
{
    struct call c;
    begin(&c, &measure, VERB_POST, text);
    return call_body(&c) ? "" : err.text;
}

#define MEASURED(text, message) assert_string_equal(measured(text), (message))

static void lengths_and_numbers_of_items_hold(void **state)
{
    MEASURED("{\"name\":\"\u00e9\u00e9\u00e9\",\"code\":\"ab\",\"few\":[\"a\"],\"map\":{}}", "");
    MEASURED("{\"name\":\"\u00e9\"}", "name: must be a string of at least 2 characters, not of 1");
    MEASURED("{\"name\":\"abcd\"}", "name: must be a string of at most 3 characters, not of 4");
    MEASURED("{\"code\":\"a\"}", "code: must be a string of at least 2 bytes, not of 1");
    MEASURED("{\"code\":\"\u00e9\u00e9\"}", "code: must be a string of at most 3 bytes, not of 4");
    MEASURED("{\"few\":[]}", "few: must be a list of at least 1 items, not of 0");
    MEASURED("{\"few\":[\"a\",\"b\",\"c\"]}", "few: must be a list of at most 2 items, not of 3");
    MEASURED("{\"map\":{\"a\":\"\",\"b\":\"\"}}",
             "map: must be an object of at most 1 members, not of 2");
}

static void lists_may_be_of_lists(void **state)
{
    MEASURED("{\"pairs\":[[1,2],[3,4]]}", "");
    MEASURED("{\"pairs\":[[1,2],3]}", "pairs[1]: must be a list, not 3");
    MEASURED("{\"pairs\":[[1,\"2\"]]}", "pairs[0][1]: must be a whole number, not \"2\"");
    MEASURED("{\"pairs\":[[1]]}", "pairs[0]: must be a list of at least 2 items, not of 1");
}

static void an_object_may_be_of_the_schema_that_its_type_names(void **state)
{
    MEASURED("{\"shape\":{\"type\":\"point\",\"x\":1},\"all\":[{\"type\":\"ring\",\"d\":2}]}", "");
    MEASURED("{\"shape\":{\"x\":1}}", "shape.type: must be given, is missing");
    MEASURED("{\"shape\":{\"type\":7}}", "shape.type: must be a string, not 7");
    MEASURED("{\"shape\":{\"type\":\"line\"}}",
             "shape.type: must be one of point, ring, not \"line\"");
    MEASURED("{\"shape\":{\"type\":\"point\"}}", "shape.x: must be given, is missing");
    MEASURED("{\"shape\":{\"type\":\"point\",\"x\":1,\"y\":2}}",
             "shape.y: must be a member of point");
    MEASURED("{\"all\":[{\"type\":\"point\",\"x\":\"1\"}]}",
             "all[0].x: must be a whole number, not \"1\"");
}

static void an_object_may_need_one_of_some_members(void **state)
{
    MEASURED("{\"ring\":{\"d\":1}}", "");
    MEASURED("{\"ring\":{}}", "ring: must be an object with one of: r d, not {}");
    MEASURED("{\"ring\":{\"r\":null}}",
             "ring: must be an object with one of: r d, not {\"r\":null}");
}

static void read_only_members_are_refused_and_immutable_ones_taken(void **state)
{
    struct call c;
    REFUSED("{\"id\":\"1\"}", "id: must be left out: the service sets it, not \"1\"");
    begin(&c, &set, VERB_PATCH, "{\"kind\":\"a\"}");
    assert_string_equal(json_get_str(call_body(&c), "kind"), "a");
}

static void an_absent_body_is_empty_or_missed(void **state)
{
    struct call c;
    begin(&c, &set, VERB_POST, NULL);
    assert_int_equal(call_body(&c)->n, 0);
    begin(&c, &add, VERB_POST, NULL);
    assert_null(call_body(&c));
    assert_string_equal(err.text, "the body must be a JSON object, not absent");
}

/* ---- a vendor's rules ---- */

static int n_reports;

/* Numbers are strings, too. */
static enum body_fault loose_scalar(struct call *c, const struct field *f, struct json *v)
{
    if (v->type == JSON_NUMBER && strcmp(f->type, "string") == 0)
        v->type = JSON_STRING;
    return body_scalar(c, f, v);
}

static const struct field *loose_name(struct call *c, const struct field *fields, size_t n,
                                      struct json_member *m)
{
    (void)c;
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(fields[i].name, m->key) == 0) {
            m->key = fields[i].name;
            m->key_len = (uint32_t)strlen(m->key);
            return &fields[i];
        }
    return NULL;
}

static enum body_verdict loose_fault(struct call *c, const struct body_report *r)
{
    n_reports++;
    switch (r->fault) {
    case BODY_READ_ONLY:
        return BODY_LEAVE;
    case BODY_IMMUTABLE:
    case BODY_UNKNOWN:
        return BODY_DROP;
    case BODY_MISSING:
        return BODY_TAKE;
    default:
        call_fail(c, SOSIA_E_INVALID, "odd", NULL, "%s", body_path(c, r->at));
        return BODY_REFUSE;
    }
}

static const struct body_rules loose = {
    .scalar = loose_scalar, .spelled = loose_name, .fault = loose_fault, .one_is_list = true};

static const struct json *loosely(struct call *c, enum verb verb, const char *text)
{
    begin(c, &set, verb, text);
    c->front = &vendor_front;
    vendor_rules = &loose;
    n_reports = 0;
    return call_body(c);
}

static void a_vendor_takes_scalars_and_names_as_it_likes(void **state)
{
    struct call c;
    const struct json *body = loosely(&c, VERB_POST, "{\"TITLE\":11,\"words\":\"one\"}");
    assert_string_equal(json_get_str(body, "title"), "11");
    assert_int_equal(json_get(body, "words")->type, JSON_ARRAY);
    assert_string_equal(json_get(body, "words")->items[0].str, "one");
    assert_null(loosely(&c, VERB_POST, "{\"count\":\"1\"}"));
    assert_string_equal(err.reason, "odd");
    assert_string_equal(err.text, "count");
}

static void a_vendor_leaves_and_drops_members(void **state)
{
    struct call c;
    const struct json *body =
        loosely(&c, VERB_PUT, "{\"x\":1,\"id\":7,\"y\":{},\"kind\":7,\"title\":\"t\",\"z\":[]}");
    assert_int_equal(body->n, 2);
    assert_int_equal(json_get(body, "id")->type, JSON_NUMBER); /* unchecked */
    assert_string_equal(json_get_str(body, "title"), "t");
    assert_null(json_get(body, "kind"));
    /* What can't change may be given when the thing is made. */
    assert_non_null(json_get(loosely(&c, VERB_POST, "{\"kind\":\"a\"}"), "kind"));
}

static void a_body_is_checked_once(void **state)
{
    struct call c;
    const struct json *body = loosely(&c, VERB_PUT, "{\"x\":1}");
    assert_int_equal(n_reports, 1);
    assert_ptr_equal(call_body(&c), body);
    assert_int_equal(n_reports, 1);
}

static void a_vendor_may_have_checked_it_before(void **state)
{
    struct call c;
    begin(&c, &set, VERB_POST, "{\"title\":1}");
    c.front = &vendor_front;
    vendor_rules = NULL;
    assert_int_equal(json_get(call_body(&c), "title")->type, JSON_NUMBER);
}

/* ---- a vendor that says all that is wrong ---- */

enum { MARK_OWN = 1, MARK_SQUARE = 2 };
static const struct schema figures[] = {
    {.name = "point", FIELDS(point), .mark = MARK_SQUARE},
    {.name = "ring", FIELDS(ring), .needs = "r d"},
    {.name = NULL},
};
static const struct field drawing[] = {
    {.name = "title", .type = "string", .required = true},
    {.name = "own", .type = "object", .mark = MARK_OWN},
    {.name = "list", .type = "object", .types = figures, .list = true, .most = 2},
    {.name = "square", .type = "object", .types = figures, .mark = MARK_SQUARE},
};
static const struct schema picture = {.name = "Picture", FIELDS(drawing)};
static const struct field whole = {.name = "", .type = "object", .of = &picture};

/* "/list/0/x:3 ": places with their faults. */
static char notes[400];

static void note_place(const struct body_place *at)
{
    char index[12];
    if (!at)
        return;
    note_place(at->up);
    snprintf(index, sizeof index, "%u", at->index);
    snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "/%s",
             at->name ? at->name : index);
}

static void note(const char *what, const struct body_place *at)
{
    note_place(at);
    snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "%s ", what);
}

static enum body_verdict noted_fault(struct call *c, const struct body_report *r)
{
    static const char *const names[] = {
        [BODY_UNKNOWN] = "?", [BODY_TYPE] = "!",    [BODY_LIST] = "[",
        [BODY_WORD] = "=",    [BODY_MISSING] = "-", [BODY_MANY] = ">",
    };
    assert_null(c);
    assert_ptr_equal(r->arg, notes);
    note(names[r->fault], r->at);
    return BODY_LEAVE;
}

static bool noted_own(struct call *c, const struct field *f, struct json *v,
                      const struct body_place *at, void *arg)
{
    (void)c, (void)v, (void)arg;
    if (f->mark == MARK_OWN)
        note("*", at);
    return f->mark == MARK_OWN;
}

static bool noted_fits(const struct field *f, const struct schema *s, void *arg)
{
    (void)arg;
    return !f->mark || s->mark == f->mark;
}

static void noted_before(struct call *c, const struct body_report *r)
{
    (void)c;
    note("(", r->at);
}

static void noted_after(struct call *c, const struct body_report *r)
{
    (void)c;
    note(r->fault ? ")!" : ")", r->at);
}

static void expect_notes(const struct body_rules *rules, const char *text, const char *expected)
{
    struct json *v;
    arena_reset(&arena);
    *notes = 0;
    assert_int_equal(json_parse(&arena, text, strlen(text), NULL, (const struct json **)&v, &err),
                     0);
    assert_int_equal(body_check_value(NULL, &whole, v, rules, NULL, notes), 0);
    assert_string_equal(notes, expected);
}

static void faults_come_in_the_order_of_the_rules(void **state)
{
    struct body_rules rules = {.fault = noted_fault, .closed = true};
    static const char text[] = "{\"a\":1,\"square\":{\"type\":\"line\"},\"own\":[],\"list\":[1]}";
    expect_notes(&rules, text, "/a? /square/type= /own[ /list/0! /title- ");
    rules.order = BODY_AS_TABLED;
    expect_notes(&rules, text, "/title- /own[ /list/0! /square/type= ");
    rules.order = BODY_MISSING_FIRST;
    expect_notes(&rules, text, "/title- ");
    expect_notes(&rules, "{\"title\":\"a\",\"list\":[1,{\"type\":\"point\"},{}]}", "/list> ");
    expect_notes(&rules,
                 "{\"title\":\"a\",\"list\":[{\"type\":\"ring\",\"x\":1},{\"type\":\"point\"}]}",
                 "/list/0- /list/1/x- ");
}

static void null_may_be_a_value(void **state)
{
    struct body_rules rules = {.fault = noted_fault, .nulls = true};
    expect_notes(&rules, "{\"title\":null,\"list\":[null],\"own\":null}",
                 "/title! /list/0! /own! ");
    rules.nulls = false;
    expect_notes(&rules, "{\"title\":null,\"list\":[null],\"own\":null}", "/list/0! /title- ");
}

static void a_vendor_looks_at_values_by_itself(void **state)
{
    const struct body_rules rules = {.fault = noted_fault,
                                     .own = noted_own,
                                     .fits = noted_fits,
                                     .before = noted_before,
                                     .after = noted_after,
                                     .order = BODY_MISSING_FIRST};
    expect_notes(&rules, "{\"title\":\"a\",\"own\":[],\"square\":{\"type\":\"ring\",\"r\":1}}",
                 "( /own* /square/type= /square)! ) ");
    expect_notes(&rules,
                 "{\"title\":\"a\",\"list\":[{\"type\":\"ring\",\"r\":1},{\"type\":\"ring\"}]}",
                 "( /list/0( /list/0) /list/1( /list/1- /list/1)! /list) ) ");
}

/* ---- forms and arguments ---- */

static void begin_form(struct call *c, const struct route *r, const char *text)
{
    static const struct match none;
    static struct sosia_header type = {"Content-Type", "application/x-www-form-urlencoded"};
    begin(c, r, VERB_POST, NULL);
    request.body = text;
    request.body_len = strlen(text);
    request.headers = &type;
    request.n_headers = 1;
    assert_int_equal(arguments_read(c), 0);
    assert_int_equal(params_parse(c, &none), 0);
}

static void a_form_is_an_object_of_strings(void **state)
{
    struct call c;
    begin_form(&c, &set, "title=a+b&state=open&title=c");
    assert_string_equal(json_get_str(call_body(&c), "title"), "a b");
    begin_form(&c, &set, "state=shut");
    assert_null(call_body(&c));
    assert_string_equal(err.text, "state: must be one of open, done, not \"shut\"");
}

/* ---- parameters ---- */

static void what_a_row_has_not_is_found(void **state)
{
    struct call c;
    begin_form(&c, &add, "blocks=1&title=a");
    assert_int_equal(params_exact(&c), -1);
    assert_string_equal(err.reason, "unknown");
    assert_string_equal(err.where, "title");
    begin_form(&c, &add, "blocks=1&blocks=2");
    assert_int_equal(params_exact(&c), -1);
    assert_string_equal(err.reason, "repeated");
    begin_form(&c, &add, "blocks=1");
    assert_int_equal(params_exact(&c), 0);
}

static int make_arena(void **state)
{
    arena_init(&arena, 0);
    return 0;
}

static int end_arena(void **state)
{
    arena_done(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_exact),
        cmocka_unit_test(null_is_as_absent),
        cmocka_unit_test(lists_maps_and_objects_are_walked),
        cmocka_unit_test(closed_sets_and_bounds_hold),
        cmocka_unit_test(formats_hold),
        cmocka_unit_test(a_string_may_be_something_else),
        cmocka_unit_test(unknown_members_are_refused_where_the_schema_is_closed),
        cmocka_unit_test(what_is_required_is_named),
        cmocka_unit_test(lengths_and_numbers_of_items_hold),
        cmocka_unit_test(lists_may_be_of_lists),
        cmocka_unit_test(an_object_may_be_of_the_schema_that_its_type_names),
        cmocka_unit_test(an_object_may_need_one_of_some_members),
        cmocka_unit_test(read_only_members_are_refused_and_immutable_ones_taken),
        cmocka_unit_test(an_absent_body_is_empty_or_missed),
        cmocka_unit_test(a_vendor_takes_scalars_and_names_as_it_likes),
        cmocka_unit_test(a_vendor_leaves_and_drops_members),
        cmocka_unit_test(a_body_is_checked_once),
        cmocka_unit_test(a_vendor_may_have_checked_it_before),
        cmocka_unit_test(faults_come_in_the_order_of_the_rules),
        cmocka_unit_test(null_may_be_a_value),
        cmocka_unit_test(a_vendor_looks_at_values_by_itself),
        cmocka_unit_test(a_form_is_an_object_of_strings),
        cmocka_unit_test(what_a_row_has_not_is_found),
    };
    return cmocka_run_group_tests(tests, make_arena, end_arena);
}

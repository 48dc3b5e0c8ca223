/* SPDX-License-Identifier: Apache-2.0 */
/* OData's options: what they are read as, how they are refused, what they find and select. */
#include "tests/support/unit.h"
#include "vendors/microsoft/odata/odata.h"

static struct arena arena;
static struct sosia_err err;

static const struct edm_type *type(const char *name)
{
    const struct edm_type *t = edm_type_find(name, strlen(name));
    assert_non_null(t);
    return t;
}

static const char *printed(const struct odata_expr *e)
{
    struct buf b;
    buf_init(&b, 0);
    odata_print(&b, e);
    const char *text = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return text;
}

static const struct odata_expr *filter(const char *of, const char *text)
{
    const struct odata_expr *e = NULL;
    if (odata_parse_filter(&arena, type(of), NULL, text, &e, NULL, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return e;
}

/* ---- reading ---- */

static void filters_are_read(void **state)
{
    static const struct {
        const char *of, *text, *want;
    } cases[] = {
        {"message", "isRead eq false", "isRead eq false"},
        {"message", "isRead", "isRead"},
        {"message", "not isRead", "not isRead"},
        {"message", "ISREAD EQ FALSE AND Subject NE null",
         "(isRead eq false) and (subject ne null)"},
        {"message", "isRead eq true or isDraft eq true and hasAttachments eq true",
         "(isRead eq true) or ((isDraft eq true) and (hasAttachments eq true))"},
        {"message", "(isRead eq true or isDraft eq true) and hasAttachments eq true",
         "((isRead eq true) or (isDraft eq true)) and (hasAttachments eq true)"},
        {"message", "isRead and isDraft and hasAttachments",
         "isRead and isDraft and hasAttachments"},
        {"message", "subject eq 'it''s'", "subject eq 'it''s'"},
        {"message", "importance eq 'High'", "importance eq microsoft.graph.importance'high'"},
        {"message", "importance eq microsoft.graph.importance'low'",
         "importance eq microsoft.graph.importance'low'"},
        {"message", "receivedDateTime ge 2026-01-02T03:04:05Z",
         "receivedDateTime ge 2026-01-02T03:04:05Z"},
        {"message", "receivedDateTime ge 2026-01-02T03:04:05.25+02:00",
         "receivedDateTime ge 2026-01-02T01:04:05.250000Z"},
        {"message", "receivedDateTime ge 2026-01-02", "receivedDateTime ge 2026-01-02T00:00:00Z"},
        {"message", "from/emailAddress/address eq 'a@b.example'",
         "from/emailAddress/address eq 'a@b.example'"},
        {"message", "startswith(subject,'x') or contains( body/content , 'y' )",
         "startswith(subject,'x') or contains(body/content,'y')"},
        {"message", "microsoft.graph.eventMessage/meetingMessageType ne 'none'",
         "microsoft.graph.eventMessage/meetingMessageType ne "
         "microsoft.graph.meetingMessageType'none'"},
        {"message", "categories/any(c:c eq 'Red') and categories/any()",
         "categories/any(v1:v1 eq 'Red') and categories/any()"},
        {"message",
         "singleValueExtendedProperties/any(ep: ep/id eq 'String 0x007D' and "
         "contains(ep/value,'X'))",
         "singleValueExtendedProperties/any(v1:(v1/id eq 'String 0x007D') and "
         "contains(v1/value,'X'))"},
        {"message", "toRecipients/all(r:r/emailAddress/address ne subject)",
         "toRecipients/all(v1:v1/emailAddress/address ne subject)"},
        {"message", "toRecipients/$count gt 2", "toRecipients/$count gt 2"},
        {"message", "importance in ('low','high')",
         "importance in (microsoft.graph.importance'low',microsoft.graph.importance'high')"},
        {"message", "'Red' in categories", "'Red' in categories"},
        {"message", "length(subject) mul 2 sub 1 gt 3 add 4",
         "((length(subject) mul 2) sub 1) gt (3 add 4)"},
        {"message", "receivedDateTime gt now() sub duration'P1D'",
         "receivedDateTime gt (now() sub duration'P1DT0.000000S')"},
        {"message", "date(receivedDateTime) eq 2026-01-02", "date(receivedDateTime) eq 2026-01-02"},
        {"message", "isof('microsoft.graph.eventMessage')", "isof(microsoft.graph.eventMessage)"},
        {"message", "cast(id,Edm.String) eq 'x'", "cast(id,Edm.String) eq 'x'"},
        {"user", "assignedLicenses/any(s:s/skuId eq 6FD2C87F-B296-42F0-B197-1E91E994B900)",
         "assignedLicenses/any(v1:v1/skuId eq 6fd2c87f-b296-42f0-b197-1e91e994b900)"},
        {"user", "extension_27ae_level gt 3", "extension_27ae_level gt 3"},
        {"user", "mailboxSettings/userPurpose eq 'user'",
         "mailboxSettings/userPurpose eq microsoft.graph.userPurpose'user'"},
        {"event", "start/dateTime ge '2026-01-01T00:00:00' and - 5 lt reminderMinutesBeforeStart",
         "(start/dateTime ge '2026-01-01T00:00:00') and ((- 5) lt reminderMinutesBeforeStart)"},
        {"singleValueLegacyExtendedProperty", "Id eq 'LONG 0x0E08'", "id eq 'LONG 0x0E08'"},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const char *once = printed(filter(cases[i].of, cases[i].text));
        assert_string_equal(once, cases[i].want);
        assert_string_equal(printed(filter(cases[i].of, once)), once);
    }
}

static void faults_have_the_vendors_words(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"isRead eq", "Expression expected at position 9 in 'isRead eq'."},
        {"", "Expression expected at position 0 in ''."},
        {"\xC3\xA9\xF0\x9F\x98\x80 eq 'x' and", "Could not find a property named "
                                                "'\xC3\xA9\xF0\x9F\x98\x80' on type "
                                                "'microsoft.graph.message'."},
        {"subject eq '\xC3\xA9\xF0\x9F\x98\x80' and",
         "Expression expected at position 20 in 'subject eq '\xC3\xA9\xF0\x9F\x98\x80' and'."},
        {"(isRead eq true", "')' or operator expected at position 15 in '(isRead eq true'."},
        {"isRead eq true)", "Syntax error at position 14 in 'isRead eq true)'."},
        {"isRead eq true false", "Syntax error at position 15 in 'isRead eq true false'."},
        {"subject eq 'x",
         "There is an unterminated string literal at position 13 in 'subject eq 'x'."},
        {"subject eq #",
         "Syntax error: character '#' is not valid at position 11 in 'subject eq #'."},
        {"nothing eq 1",
         "Could not find a property named 'nothing' on type 'microsoft.graph.message'."},
        {"meetingMessageType eq 'none'",
         "Could not find a property named 'meetingMessageType' on type 'microsoft.graph.message'."},
        {"from/nothing eq 1",
         "Could not find a property named 'nothing' on type 'microsoft.graph.recipient'."},
        {"isRead eq 'true'",
         "A binary operator with incompatible types was detected. Found operand "
         "types 'Edm.Boolean' and 'Edm.String' for operator kind 'Equal'."},
        {"receivedDateTime ge '2026'",
         "A binary operator with incompatible types was detected. Found operand types "
         "'Edm.DateTimeOffset' and 'Edm.String' for operator kind 'GreaterThanOrEqual'."},
        {"receivedDateTime ge 2026-01-01T00:00:00",
         "Unrecognized 'Edm.DateTimeOffset' literal '2026-01-01T00:00:00' at '20' in "
         "'receivedDateTime ge 2026-01-01T00:00:00'."},
        {"importance eq 'urgent'", "The string 'urgent' is not a valid enumeration type constant."},
        {"not subject", "A unary operator with an incompatible type was detected. Found operand "
                        "type 'Edm.String' for operator kind 'Not'."},
        {"subject", "The $filter expression must evaluate to a single boolean value."},
        {"subject and isRead", "A binary operator with incompatible types was detected. Found "
                               "operand types 'Edm.String' and 'Edm.Boolean' for operator kind "
                               "'And'."},
        {"toRecipients eq null", "The operand for a binary operator 'Equal' is not a single value. "
                                 "Binary operators require both operands to be single values."},
        {"toRecipients/emailAddress eq null",
         "The parent value for a property access of a property 'emailAddress' is not a single "
         "value. "
         "Property access can only be applied to a single value."},
        {"subject/any(s:s eq 'x')", "Any/All may only be used following a collection."},
        {"categories/any(c:c)",
         "The Any/All query expression must evaluate to a single boolean value."},
        {"categories/any(c:categories/any(c:c eq 'x'))",
         "The range variable 'c' has already been declared."},
        {"soundslike(subject,'x')",
         "An unknown function with name 'soundslike' was found. This may also be a function import "
         "or a key lookup on a navigation property, which is not allowed."},
        {"startswith(importance,'n')",
         "No function signature for the function with name 'startswith' matches the specified "
         "arguments. The function signatures considered are: startswith(Edm.String Nullable=true, "
         "Edm.String Nullable=true)."},
        {"contains(categories,'x')",
         "The argument for an invocation of a function with name 'contains' is not a single value. "
         "All arguments for this function must be single values."},
        {"subject in 'x'", "'(' expected at position 11 in 'subject in 'x''."},
        {"subject in (id)", "Expression expected at position 14 in 'subject in (id)'."},
        {"contains(subject;'x')", "')' or ',' expected at position 16 in 'contains(subject;'x')'."},
        {"microsoft.graph.event/subject eq 'x'",
         "Encountered invalid type cast. 'microsoft.graph.event' is not assignable from "
         "'microsoft.graph.message'."},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct odata_expr *e = NULL;
        const char *message;
        const char *want = arena_printf(&arena, "Invalid filter clause: %s", cases[i].want);
        assert_int_equal(
            odata_parse_filter(&arena, type("message"), NULL, cases[i].text, &e, &message, &err),
            -1);
        assert_string_equal(message ? message : err.text, want);
        assert_string_equal(err.reason, "BadRequest");
        assert_null(e);
    }
}

static void a_consumers_account_has_other_codes(void **state)
{
    const struct odata_rules rules = {.personal = true};
    const struct odata_pair select = {"$select", "x"};
    struct odata_query q;
    (void)state;
    assert_int_equal(odata_parse(&arena, type("message"), &rules, &select, 1, &q, NULL, &err), -1);
    assert_string_equal(err.reason, "RequestBroker--ParseUri");
    assert_string_equal(err.text,
                        "Could not find a property named 'x' on type 'microsoft.graph.message'.");
}

/* As deep and as long as can be: refused, and read to the end where it is within the limits. */
static void bombs_are_refused(void **state)
{
    static const struct {
        const char *open, *middle, *close;
        unsigned good, bad;
    } cases[] = {
        {"(", "isRead", ")", 90, 101},
        {"not ", "isRead", "", 90, 101},
        {"", "isRead", " or isRead", 1500, 4000},
        {"", "1", " add 1", 90, 101},
        {"", "isRead", " or contains(subject,'a')", 100, 101},
        {"", "isRead", " or matchesPattern(subject,'a')", 4, 5},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        for (unsigned k = 0; k < 2; k++) {
            struct buf b;
            const struct odata_expr *e;
            unsigned n = k ? cases[i].bad : cases[i].good;
            buf_init(&b, 0);
            for (unsigned j = 0; j < n; j++)
                buf_puts(&b, cases[i].open);
            buf_puts(&b, cases[i].middle);
            for (unsigned j = 0; j < n; j++)
                buf_puts(&b, cases[i].close);
            if (cases[i].middle[0] == '1')
                buf_puts(&b, " eq 1");
            int r = odata_parse_filter(&arena, type("message"), NULL, buf_str(&b), &e, NULL, &err);
            assert_int_equal(r, k ? -1 : 0);
            if (k)
                assert_string_equal(
                    err.text, "Invalid filter clause: Recursion depth exceeded allowed limit.");
            buf_done(&b);
        }
    }
}

/* ---- asking ---- */

static const char document[] =
    "{\"id\":\"m1\",\"@odata.type\":\"#microsoft.graph.eventMessage\",\"subject\":\"Plan "
    "\xC3\x84\","
    "\"isRead\":false,\"importance\":\"high\",\"receivedDateTime\":\"2026-03-04T05:06:07Z\","
    "\"categories\":[\"Red\",\"Blue\"],\"meetingMessageType\":\"meetingRequest\","
    "\"from\":{\"emailAddress\":{\"name\":\"Ada\",\"address\":\"Ada@acme.example\"}},"
    "\"toRecipients\":[{\"emailAddress\":{\"address\":\"bob@acme.example\"}},"
    "{\"emailAddress\":{\"address\":\"eve@port.example\"}}],\"conversationId\":null,"
    "\"startDateTime\":{\"dateTime\":\"2026-03-05T09:00:00.0000000\",\"timeZone\":\"UTC\"}}";

static const struct json *parsed(const char *text)
{
    const struct json *v = NULL;
    assert_int_equal(json_parse(&arena, text, strlen(text), NULL, &v, &err), 0);
    return v;
}

static void filters_find(void **state)
{
    static const struct {
        const char *text;
        int want;
    } cases[] = {
        {"isRead eq false", 1},
        {"isRead", 0},
        {"not isRead", 1},
        {"importance eq 'high'", 1},
        {"importance gt 'normal'", 1},
        {"importance lt 'normal'", 0},
        {"importance in ('low','high')", 1},
        {"importance in ('low')", 0},
        {"subject eq 'plan \xC3\xA4'", 1},
        {"subject eq 'plan a'", 0},
        {"startswith(subject,'PLAN')", 1},
        {"endswith(subject,'\xC3\xA4')", 1},
        {"contains(subject,'LAN')", 1},
        {"contains(subject,'x')", 0},
        {"length(subject) eq 6", 1},
        {"indexof(subject,'n') eq 3", 1},
        {"substring(subject,1,2) eq 'la'", 1},
        {"toupper(subject) eq 'PLAN \xC3\x84'", 1},
        {"concat(subject,'!') eq 'plan \xC3\xA4!'", 1},
        {"trim('  a ') eq 'a'", 1},
        {"matchesPattern(subject,'^pl.n')", 1},
        {"matchesPattern(subject,'(')", 0},
        {"receivedDateTime ge 2026-03-04", 1},
        {"receivedDateTime lt 2026-03-04T05:06:07Z", 0},
        {"receivedDateTime le 2026-03-04T06:06:07+01:00", 1},
        {"year(receivedDateTime) eq 2026 and month(receivedDateTime) eq 3", 1},
        {"hour(receivedDateTime) add 1 eq 6", 1},
        {"date(receivedDateTime) eq 2026-03-04", 1},
        {"time(receivedDateTime) eq 05:06:07", 1},
        {"receivedDateTime gt now() sub duration'P1D'", 1},
        {"receivedDateTime gt now() sub duration'PT30M'", 0},
        {"conversationId eq null", 1},
        {"conversationId ne null", 0},
        {"conversationId eq 'x'", 0},
        {"conversationId ne 'x'", 1},
        {"conversationId gt 'x'", 0},
        {"not (conversationId gt 'x')", 1},
        {"not contains(conversationId,'x')", 0},
        {"contains(conversationId,'x') or isRead eq false", 1},
        {"contains(conversationId,'x') and isRead eq false", 0},
        {"subject ne null", 1},
        {"flag/flagStatus eq 'flagged'", 0},
        {"from/emailAddress/address eq 'ada@ACME.example'", 1},
        {"categories/any(c:c eq 'red')", 1},
        {"categories/any(c:c eq 'green')", 0},
        {"categories/all(c:length(c) ge 3)", 1},
        {"categories/all(c:c eq 'red')", 0},
        {"categories/any()", 1},
        {"ccRecipients/any()", 0},
        {"ccRecipients/all(r:r/emailAddress/name eq 'x')", 1},
        {"'blue' in categories", 1},
        {"categories/$count eq 2", 1},
        {"toRecipients/any(r:r/emailAddress/address eq 'EVE@port.example')", 1},
        {"toRecipients/any(r:categories/any(c:c eq 'Red' and r/emailAddress/address ne 'x'))", 1},
        {"toRecipients/any(r:startswith(r/emailAddress/address,'mal'))", 0},
        {"microsoft.graph.eventMessage/meetingMessageType eq 'meetingRequest'", 1},
        {"microsoft.graph.eventMessageRequest/meetingRequestType eq null", 1},
        {"microsoft.graph.eventMessage/startDateTime/dateTime lt '2026-03-05T10:00'", 1},
        {"microsoft.graph.eventMessage/startDateTime/dateTime lt '2026-03-05T08:59:59Z'", 0},
        {"isof('microsoft.graph.message')", 1},
        {"isof('microsoft.graph.eventMessageRequest')", 0},
        {"isof(subject,Edm.String)", 1},
        {"7 div 2 eq 3 and 7 divby 2 eq 3.5 and 7 mod 4 eq 3 and 2 mul 3 eq 6", 1},
        {"1 div 0 eq 1", 0},
        {"9223372036854775807 add 1 gt 0", 0},
        {"round(2.5) eq 3 and floor(2.5) eq 2 and ceiling(2.1) eq 3", 1},
        {"- length(subject) lt 0", 1},
        {"true", 1},
        {"null", 0},
    };
    const struct json *v = parsed(document);
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct odata_ctx ctx = {.arena = &arena,
                                .get = odata_get_json,
                                .type_of = odata_json_type,
                                .now_us = INT64_C(1772604000000000)};
        int r = odata_matches(&ctx, filter("message", cases[i].text), v);
        if (r != cases[i].want)
            fail_msg("%s: %d", cases[i].text, r);
    }
}

static void case_counts_where_it_is_asked_to(void **state)
{
    struct odata_ctx ctx = {.arena = &arena, .get = odata_get_json, .exact = true};
    const struct json *v = parsed(document);
    (void)state;
    assert_int_equal(odata_matches(&ctx, filter("message", "startswith(subject,'plan')"), v), 0);
    assert_int_equal(odata_matches(&ctx, filter("message", "startswith(subject,'Plan')"), v), 1);
    assert_int_equal(odata_matches(&ctx, filter("message", "'red' in categories"), v), 0);
}

static int no_value(void *arg, struct arena *a, const void *thing, const struct odata_path *path,
                    struct odata_value *ret)
{
    return -1;
}

static void a_getter_may_fail(void **state)
{
    struct odata_ctx ctx = {.arena = &arena, .get = no_value};
    (void)state;
    assert_int_equal(odata_matches(&ctx, filter("message", "not (isRead or isDraft)"), &ctx), -1);
    assert_int_equal(odata_matches(&ctx, NULL, &ctx), 1);
}

static struct odata_query query(const char *of, const struct odata_rules *rules, size_t n,
                                const struct odata_pair *pairs)
{
    struct odata_query q = {0};
    if (odata_parse(&arena, type(of), rules, pairs, n, &q, NULL, &err) < 0)
        fail_msg("%s: %s", pairs[0].value, err.text);
    return q;
}
#define QUERY(of, ...)                                                                             \
    query(of, NULL, SOSIA_LEN(((const struct odata_pair[]){__VA_ARGS__})),                         \
          (const struct odata_pair[]){__VA_ARGS__})

static void directories_are_searched(void **state)
{
    static const struct {
        const char *text;
        int want;
    } cases[] = {
        {"\"displayName:wa\"", 1},
        {"\"DisplayName:ward os\"", 1},
        {"\"displayName:ard\"", 0},
        {"\"displayName:video\"", 1},
        {"\"displayName:42\"", 1},
        {"\"displayName:one 42\"", 1},
        {"\"displayName:one 43\"", 0},
        {"\"mail:osc\"", 1},
        {"\"mail:acme\"", 0},
        {"\"proxyAddresses:SMTP:o\"", 1},
        {"\"jobTitle:x\"", 0},
        {"\"mail:x\" OR \"displayName:wa\"", 1},
        {"\"mail:x\" AND \"displayName:wa\"", 0},
        {"NOT \"mail:x\" AND (\"mail:y\" OR \"mail:o\")", 1},
    };
    static const struct {
        const char *text, *want;
    } faults[] = {
        {"displayName:wa",
         "Syntax error: character 'd' is not valid at position 0 in 'displayName:wa'."},
        {"\"wa\"", "The search term 'wa' must name a property in front of a colon."},
        {"\"x:wa\"", "Could not find a property named 'x' on type 'microsoft.graph.user'."},
        {"\"mail:wa", "There is an unterminated string literal at position 8 in '\"mail:wa'."},
        {"\"mail:wa\" x", "Syntax error at position 10 in '\"mail:wa\" x'."},
        {"(\"mail:wa\"", "')' or operator expected at position 10 in '(\"mail:wa\"'."},
        {"\"mail:wa\" AND", "Expression expected at position 13 in '\"mail:wa\" AND'."},
    };
    const struct json *v =
        parsed("{\"displayName\":\"Oscar Ward-OneVideo42\",\"mail\":\"oscar@acme.example\","
               "\"proxyAddresses\":[\"x:y\",\"smtp:o@acme.example\"]}");
    struct odata_ctx ctx = {.arena = &arena, .get = odata_get_json};
    const struct odata_expr *e;
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        if (odata_parse_search(&arena, type("user"), cases[i].text, &e, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.text);
        if (odata_matches(&ctx, e, v) != cases[i].want)
            fail_msg("%s", cases[i].text);
    }
    for (size_t i = 0; i < SOSIA_LEN(faults); i++) {
        assert_int_equal(odata_parse_search(&arena, type("user"), faults[i].text, &e, &err), -1);
        assert_string_equal(err.text, faults[i].want);
    }
}

static void things_are_ordered(void **state)
{
    static const char *const texts[] = {"{\"subject\":\"b\",\"importance\":\"low\"}",
                                        "{\"subject\":\"A\",\"importance\":\"high\"}",
                                        "{\"subject\":\"a\",\"importance\":\"normal\"}", "{}"};
    struct odata_query q = QUERY("message", {"$orderby", "subject ASC,importance desc"});
    struct odata_ctx ctx = {.arena = &arena, .get = odata_get_json};
    struct odata_value *keys[4];
    (void)state;
    assert_int_equal(q.n_order, 2);
    assert_true(q.order[1].descending && !q.order[0].descending);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(odata_keys(&ctx, &q, parsed(texts[i]), &keys[i]), 0);
    assert_true(odata_order(&ctx, &q, keys[1], keys[2]) < 0);
    assert_true(odata_order(&ctx, &q, keys[2], keys[0]) < 0);
    assert_true(odata_order(&ctx, &q, keys[3], keys[1]) < 0);
    assert_int_equal(odata_order(&ctx, &q, keys[1], keys[1]), 0);
}

/* ---- taking apart ---- */

static void indexes_take_what_they_know(void **state)
{
    static const char *const known[] = {"subject", "receivedDateTime", NULL};
    const struct odata_rules rules = {.known = known};
    const struct odata_pair pair = {
        "$filter",
        "(isRead eq false and 2026-01-02 le receivedDateTime) and receivedDateTime lt "
        "2026-01-03T00:00:00Z and parentFolderId eq 'inbox' and startswith(subject,'x')"};
    struct odata_query q = query("message", &rules, 1, &pair);
    const struct odata_expr *const *terms;
    const struct odata_path *path;
    const char *text;
    enum odata_op op;
    const struct odata_value *v;
    int64_t from, to;
    (void)state;
    assert_int_equal(odata_terms(&arena, q.filter, &terms), 5);
    assert_true(odata_compared(terms[1], &path, &op, &v));
    assert_string_equal(path->text, "receivedDateTime");
    assert_int_equal(path->known, 1);
    assert_int_equal(op, ODATA_GE);
    assert_false(odata_compared(terms[4], NULL, NULL, NULL));
    assert_true(odata_called(terms[4], ODATA_STARTSWITH, &path, &text));
    assert_int_equal(path->known, 0);
    assert_string_equal(text, "x");
    assert_true(odata_range(q.filter, "receivedDateTime", &from, &to));
    assert_int_equal(from, INT64_C(1767312000000000));
    assert_int_equal(to - from, INT64_C(86400000000));
    assert_string_equal(odata_equal(q.filter, "parentFolderId")->text, "inbox");
    assert_null(odata_equal(q.filter, "subject"));
    assert_true(odata_names(q.filter, "subject"));
    assert_false(odata_names(q.filter, "toRecipients"));
    assert_true(odata_names(filter("message", "toRecipients/any(r:r/emailAddress/name eq 'x')"),
                            "toRecipients"));
    assert_false(odata_range(filter("message", "receivedDateTime gt 2026-01-02 and "
                                               "receivedDateTime lt 2026-01-01"),
                             "receivedDateTime", &from, &to));
    assert_true(odata_range(filter("message", "receivedDateTime gt 2026-01-02 or isRead"),
                            "receivedDateTime", &from, &to));
    assert_true(from == INT64_MIN && to == INT64_MAX);
}

static void an_order_leads_its_filter(void **state)
{
    static const struct {
        const char *filter, *order;
        bool want;
    } cases[] = {
        {"receivedDateTime ge 1900-01-01 and isRead eq true", "receivedDateTime desc", true},
        {"(receivedDateTime ge 1900-01-01 and isRead eq true) and isDraft",
         "receivedDateTime,isRead", true},
        {"isRead eq true and receivedDateTime ge 1900-01-01", "receivedDateTime desc", false},
        {"isRead eq true", "receivedDateTime", false},
        {"isRead eq true or receivedDateTime ge 1900-01-01", "receivedDateTime", true},
    };
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        struct odata_query q =
            QUERY("message", {"$filter", cases[i].filter}, {"$orderby", cases[i].order});
        assert_int_equal(odata_order_leads(&arena, &q), cases[i].want);
    }
}

/* ---- options ---- */

static void options_are_read(void **state)
{
    struct odata_query q = QUERY("message", {"$top", "5"}, {"skip", "10"}, {"$COUNT", "true"},
                                 {"$search", "\"a b\""}, {"other", "1"}, {"$skiptoken", "t"});
    (void)state;
    assert_int_equal(q.top, 5);
    assert_int_equal(q.skip, 10);
    assert_true(q.count);
    assert_string_equal(q.search, "\"a b\"");
    assert_string_equal(q.skiptoken, "t");
    q = QUERY("message", {"$select", ""});
    assert_false(q.has_select);
    assert_int_equal(q.top, -1);
    q = QUERY("user", {"$expand", "mailFolders($filter=displayName eq 'a;b)';$top=2;$select=id,"
                                  "displayName;$expand=childFolders($levels=max)),manager/$ref"});
    assert_int_equal(q.n_expand, 2);
    assert_string_equal(q.expand[0].name, "mailFolders");
    assert_int_equal(q.expand[0].query->top, 2);
    assert_int_equal(q.expand[0].query->n_select, 2);
    assert_string_equal(printed(q.expand[0].query->filter), "displayName eq 'a;b)'");
    assert_int_equal(q.expand[0].query->expand[0].query->levels, -1);
    assert_true(q.expand[1].ref);
    assert_ptr_equal(odata_expands(&q, "Manager"), &q.expand[1]);
    assert_null(odata_expands(&q, "events"));
}

static void options_are_refused(void **state)
{
    static const struct {
        const char *of, *name, *value, *want;
    } cases[] = {
        {"message", "$top", "-1",
         "Invalid value '-1' for $top query option found. The $top query option requires a "
         "non-negative integer value."},
        {"message", "$skip", "x",
         "Invalid value 'x' for $skip query option found. The $skip query option requires a "
         "non-negative integer value."},
        {"message", "$top", "1001",
         "The limit of '1000' for Top query has been exceeded. The value from the incoming request "
         "is '1001'."},
        {"message", "$count", "1",
         "Invalid value '1' for $count query option found. Valid values are 'true, false'."},
        {"message", "$levels", "1", "The query parameter '$levels' is not supported."},
        {"message", "$apply", "x", "The query parameter '$apply' is not supported."},
        {"mailFolder", "$select", "x",
         "Parsing OData Select and Expand failed: Could not find a property named 'x' on type "
         "'microsoft.graph.mailFolder'."},
        {"message", "$select", "id,,subject",
         "Parsing OData Select and Expand failed: Term 'id,,subject' is not valid in a $select or "
         "$expand expression."},
        {"attachment", "$select", "contentId",
         "Parsing OData Select and Expand failed: Could not find a property named 'contentId' on "
         "type 'microsoft.graph.attachment'."},
        {"message", "$expand", "subject",
         "Parsing OData Select and Expand failed: Property 'subject' on type "
         "'microsoft.graph.message' is not a navigation property or complex property. Only "
         "navigation properties can be expanded."},
        {"message", "$expand", "attachments($select=x)",
         "Parsing OData Select and Expand failed: Could not find a property named 'x' on type "
         "'microsoft.graph.attachment'."},
        {"message", "$expand", "attachments($top=1",
         "Parsing OData Select and Expand failed: ')' or ',' expected at position 18 in "
         "'attachments($top=1'."},
        {"mailFolder", "$expand",
         "childFolders($expand=childFolders($expand=childFolders($expand=childFolders($expand="
         "childFolders($expand=childFolders($expand=childFolders($expand=childFolders($top=1)))))))"
         ")",
         "Parsing OData Select and Expand failed: The result of parsing $expand was at least 9 "
         "items "
         "deep, but the maximum allowed is 8."},
        {"message", "$expand", "attachments,extensions",
         "Parsing OData Select and Expand failed: Only one relationship can be expanded in a "
         "request."},
        {"message", "$orderby", "from",
         "The $orderby expression must evaluate to a single value of primitive type."},
        {"message", "$orderby", "subject up", "Syntax error at position 8 in 'subject up'."},
        {"message", "$orderby", "subject%2Fx desc",
         "Syntax error: character '%' is not valid at position 7 in 'subject%2Fx desc'."},
    };
    const struct odata_rules rules = {.max_top = 1000, .one_expand = true};
    (void)state;
    for (size_t i = 0; i < SOSIA_LEN(cases); i++) {
        const struct odata_pair pair = {cases[i].name, cases[i].value};
        struct odata_query q;
        const char *message;
        assert_int_equal(
            odata_parse(&arena, type(cases[i].of), &rules, &pair, 1, &q, &message, &err), -1);
        assert_string_equal(message ? message : err.text, cases[i].want);
        assert_string_equal(err.reason, "BadRequest");
    }
    const struct odata_pair twice[] = {{"$top", "1"}, {"top", "2"}};
    struct odata_query q;
    assert_int_equal(odata_parse(&arena, type("message"), NULL, twice, 2, &q, NULL, &err), -1);
    assert_string_equal(err.text,
                        "Query option '$top' was specified more than once, but it must be "
                        "specified at most once.");
    const struct odata_rules exact = {.exact = true};
    const struct odata_pair upper = {"$TOP", "1"};
    assert_int_equal(odata_parse(&arena, type("message"), &exact, &upper, 1, &q, NULL, &err), -1);
    assert_string_equal(err.text, "The query parameter '$TOP' is not supported.");
}

/* ---- selections ---- */

static const char *masked(const struct odata_query *q, unsigned keep, bool list, const char *text)
{
    const struct json_mask *mask;
    struct json_writer w;
    struct buf b;
    assert_int_equal(list ? odata_mask_list(&arena, q, keep, &mask, &err)
                          : odata_mask(&arena, q, keep, &mask, &err),
                     0);
    buf_init(&b, 0);
    json_init(&w, &b, false, mask);
    json_value(&w, NULL, parsed(text));
    const char *out = arena_strdup(&arena, buf_str(&b));
    buf_done(&b);
    return out;
}

static void selections_mask(void **state)
{
    static const char thing[] =
        "{\"@odata.etag\":\"e\",\"id\":\"1\",\"subject\":\"s\",\"body\":{\"contentType\":\"text\","
        "\"content\":\"c\"},\"attachments@odata.context\":\"x\",\"attachments\":[{\"id\":\"a\","
        "\"name\":\"n\",\"size\":1}]}";
    const char *list = arena_printf(&arena, "{\"@odata.context\":\"c\",\"value\":[%s]}", thing);
    struct odata_query q = QUERY("message", {"$select", "Subject,body/content"});
    (void)state;
    assert_string_equal(masked(&q, 0, false, thing),
                        "{\"subject\":\"s\",\"body\":{\"content\":\"c\"}}");
    assert_string_equal(masked(&q, ODATA_KEEP_ID | ODATA_KEEP_ETAG, true, list),
                        "{\"@odata.context\":\"c\",\"value\":[{\"@odata.etag\":\"e\",\"id\":\"1\","
                        "\"subject\":\"s\",\"body\":{\"content\":\"c\"}}]}");
    q = QUERY("message", {"$select", "id"}, {"$expand", "attachments($select=name)"});
    assert_string_equal(masked(&q, 0, false, thing),
                        "{\"id\":\"1\",\"attachments@odata.context\":\"x\",\"attachments\":[{"
                        "\"name\":\"n\"}]}");
    q = QUERY("message", {"$expand", "attachments($select=name)"});
    assert_string_equal(masked(&q, 0, false, thing),
                        "{\"@odata.etag\":\"e\",\"id\":\"1\",\"subject\":\"s\",\"body\":{"
                        "\"contentType\":\"text\",\"content\":\"c\"},\"attachments@odata.context\":"
                        "\"x\",\"attachments\":[{\"name\":\"n\"}]}");
    q = QUERY("message", {"$expand", "attachments"});
    assert_string_equal(masked(&q, 0, false, thing), thing);
    q = QUERY("message", {"$select", "*"});
    assert_string_equal(masked(&q, ODATA_KEEP_ID, false, thing),
                        "{\"id\":\"1\",\"subject\":\"s\",\"body\":{\"contentType\":\"text\","
                        "\"content\":\"c\"}}");
}

static void contexts_name_selections(void **state)
{
    struct odata_query q = QUERY("message", {"$select", "sender,Subject"});
    (void)state;
    assert_string_equal(odata_context(&arena, &q), "(sender,subject)");
    q = QUERY("message", {"$expand", "singleValueExtendedProperties($filter=id eq 'Long 0xe08')"},
              {"$select", "internetMessageHeaders"});
    assert_string_equal(odata_context(&arena, &q),
                        "(internetMessageHeaders,singleValueExtendedProperties())");
    q = QUERY("message", {"$expand", "microsoft.graph.eventMessage/event"});
    assert_string_equal(odata_context(&arena, &q), "(microsoft.graph.eventMessage/event())");
    assert_ptr_equal(q.expand[0].cast, type("eventMessage"));
    q = QUERY("mailFolder", {"$expand", "childFolders($expand=childFolders($select=id))"});
    assert_string_equal(odata_context(&arena, &q), "(childFolders(childFolders(id)))");
    q = QUERY("message", {"$top", "1"});
    assert_string_equal(odata_context(&arena, &q), "");
}

static void what_is_asked_for_is_known(void **state)
{
    struct odata_query q = QUERY("message", {"$top", "1"});
    (void)state;
    assert_true(odata_selects(&q, "subject"));
    assert_true(odata_selects(&q, "meetingMessageType"));
    assert_false(odata_selects(&q, "uniqueBody"));
    assert_false(odata_selects(&q, "attachments"));
    q = QUERY("message", {"$select", "uniquebody,from/emailAddress"});
    assert_true(odata_selects(&q, "uniqueBody"));
    assert_true(odata_selects(&q, "from"));
    assert_false(odata_selects(&q, "subject"));
    q = QUERY("message", {"$select", "*"});
    assert_true(odata_selects(&q, "subject"));
    assert_false(odata_selects(&q, "uniqueBody"));
}

/* ---- tokens ---- */

static void pairs_are_packed(void **state)
{
    const struct odata_pair pairs[] = {{"$select", "a,b&c=d"}, {"at", ""}, {"n", "1 2%"}};
    const struct odata_pair *back;
    const char *text = odata_pack(&arena, pairs, 3);
    (void)state;
    assert_int_equal(odata_unpack(&arena, text, &back), 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(odata_packed(back, 3, pairs[i].name), pairs[i].value);
    assert_null(odata_packed(back, 3, "m"));
    assert_int_equal(odata_unpack(&arena, "a=1&b", &back), 0);
    assert_int_equal(odata_unpack(&arena, "a=%0", &back), 0);
}

static int setup(void **state)
{
    arena_init(&arena, 0);
    return 0;
}

static int teardown(void **state)
{
    arena_done(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_are_read),
        cmocka_unit_test(faults_have_the_vendors_words),
        cmocka_unit_test(a_consumers_account_has_other_codes),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(filters_find),
        cmocka_unit_test(case_counts_where_it_is_asked_to),
        cmocka_unit_test(a_getter_may_fail),
        cmocka_unit_test(directories_are_searched),
        cmocka_unit_test(things_are_ordered),
        cmocka_unit_test(indexes_take_what_they_know),
        cmocka_unit_test(an_order_leads_its_filter),
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(options_are_refused),
        cmocka_unit_test(selections_mask),
        cmocka_unit_test(contexts_name_selections),
        cmocka_unit_test(what_is_asked_for_is_known),
        cmocka_unit_test(pairs_are_packed),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.validate: what is wrong with blocks, a message or a view, without sending it. */
#include "services/chat/slack/blocks/blocks.h"
#include "services/chat/slack/apps/interact.h"
#include "engine/base/codec.h"

#define MAX_TEXT 100000 /* characters of each argument */

/* What a line is about, by how it begins and ends: the words of the service's own validator
 * (github.com/slackhq/hack-json-schema). more: what is added to the number in it. */
static const struct {
    const char *begin, *end, *type;
    int more;
} constraints[] = {
    {"must be less than ", " characters", "max_length", -1},
    {"must be more than ", " characters", "min_length", 1},
    {"no more than ", " items allowed", "max_items", 0},
    {"must provide at least ", " items", "min_items", 0},
    {"must be less than ", "", "maximum", 0},
    {"must be greater than ", "", "minimum", 0},
};

static bool write_number(struct json_writer *w, const char *text)
{
    for (size_t i = 0; i < SOSIA_LEN(constraints); i++) {
        size_t n = strlen(constraints[i].begin), digits;
        int64_t number;
        if (!str_starts(text, constraints[i].begin))
            continue;
        digits = strspn(text + n, "0123456789");
        if (strcmp(text + n + digits, constraints[i].end) != 0 ||
            parse_i64(text + n, digits, &number) < 0)
            continue;
        json_str(w, "type", constraints[i].type);
        json_int(w, "expected", number + constraints[i].more);
        return true;
    }
    return false;
}

static void write_constraint(struct json_writer *w, const char *text, const char *expected)
{
    static const char additional[] = "invalid additional property: ";
    json_obj(w, "constraint");
    if (expected) {
        json_str(w, "type", "enum");
        json_raw(w, "expected", expected, strlen(expected));
    } else if (str_starts(text, additional)) {
        json_str(w, "type", "additional_properties");
        json_str(w, "got", text + sizeof additional - 1);
    } else if (strcmp(text, "failed to match all allowed schemas") == 0) {
        json_str(w, "type", "all_of");
    } else if (!write_number(w, text)) {
        json_str(w, "type", "schema");
    }
    json_end(w);
}

static bool is_of_type(const char *text)
{
    return (str_starts(text, "must provide a") && !str_starts(text, "must provide at")) ||
           strcmp(text, "must be a boolean") == 0;
}

/* "[ERROR] text [json-pointer:/blocks/0/text]" in its parts; without: what a pointer begins with.
 */
static void write_issue(struct json_writer *w, struct arena *a, const char *line,
                        const char *expected, const char *without)
{
    static const char begin[] = "[ERROR] ", mark[] = " [json-pointer:";
    static const char missing[] = "missing required field: ";
    if (str_starts(line, begin))
        line += strlen(begin);
    const char *at = strstr(line, mark), *pointer = at ? at + strlen(mark) : "";
    size_t n = at ? (size_t)(at - line) : strlen(line), k = strcspn(pointer, "]");
    size_t skip = str_starts(pointer, without) ? strlen(without) : 0;
    const char *text = arena_memdup(a, line, n);
    bool lacks = str_starts(text, missing), type = is_of_type(text);
    json_obj(w, NULL);
    json_str(w, "code", lacks ? "missing_field" : type ? "invalid_type" : "failed_constraint");
    json_str(w, "message", text);
    if (lacks)
        json_str(w, "field", text + sizeof missing - 1);
    json_strn(w, "pointer", pointer + skip, k > skip ? k - skip : 0);
    if (!lacks && !type)
        write_constraint(w, text, expected);
    json_end(w);
}

static void write_issues(struct call *c)
{
    struct slack_call *s = slack_of(c);
    json_arr(c->out, "errors");
    for (size_t i = 0; i < s->n_messages; i++)
        write_issue(c->out, c->tx.arena, s->messages[i], s->expected[i], s->more_arg);
    json_end(c->out);
    s->n_messages = 0; /* they have been said */
}

static int refuse_issues(struct call *c, const char *code, const char *without)
{
    slack_of(c)->more = write_issues;
    slack_of(c)->more_arg = without;
    return slack_fail(c, code);
}

static int validate_message(struct call *c, const struct json *v)
{
    const struct json *blocks = json_get(v, "blocks");
    const char *text = json_get_str(v, "text"), *made;
    if (v->type != JSON_OBJECT) {
        slack_message(c, "", "must provide an object");
        return refuse_issues(c, "invalid_message", "");
    }
    if (!blocks && !json_get(v, "attachments") && (!text || !*text)) {
        slack_message(c, "", "missing required field: text");
        return refuse_issues(c, "invalid_message", "");
    }
    int r = blocks ? sl_blocks_check(c, blocks, "/blocks", &sl_blocks_field, &made) : 1;
    return r == 1 ? slack_ok(c) : r < 0 ? -1 : refuse_issues(c, "invalid_message", "");
}

static int validate(struct call *c)
{
    static const char *const names[] = {"blocks", "message", "view"};
    const struct json *v = NULL;
    const char *name = NULL, *made;
    struct chat_view view = {0};
    int given = 0;
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        const char *text = param_str(c, names[i]);
        if (!text || !*text)
            continue;
        given++;
        name = names[i];
        if (sl_characters(text) > MAX_TEXT)
            return slack_invalid_arguments(c, NULL, "must be less than %d characters",
                                           MAX_TEXT + 1);
        if (slack_json_arg(c, name, &v) < 0)
            return slack_invalid_arguments(c, NULL, "`%s` must be valid JSON", name);
    }
    if (given != 1) {
        slack_of(c)->messages[slack_of(c)->n_messages++] =
            "must provide exactly one of `blocks`, `view`, or `message`";
        return slack_fail(c, "invalid_arguments");
    }
    if (strcmp(name, "message") == 0)
        return validate_message(c, v);
    bool is_view = strcmp(name, "view") == 0;
    int r = is_view ? sl_view_check(c, v, slack_shape(c, name), &view)
                    : sl_blocks_check(c, v, "/blocks", slack_shape(c, name), &made);
    if (r == 1)
        return slack_ok(c);
    return r < 0 ? -1
                 : refuse_issues(c, is_view ? "invalid_view" : "invalid_blocks",
                                 is_view ? "/view" : "/blocks");
}

static const struct param params[] = {
    SL_ARG("blocks", SL_ARRAY_OF(sl_blocks_field)),
    SL_ARG("message", SL_OBJECT, .summary = "Message to check, as an object in JSON"),
    SL_ARG("view", SL_OBJECT_OF(sl_view_field))};

static const struct route methods[] = {
    {SL_METHOD("blocks.validate"), SL_PEOPLE, .handler = validate, .risk = RISK_DRAFT,
     .idempotent = true, PARAMS(params), .rate = SLACK_TIER_3,
     .summary = "What is wrong with blocks"},
};

const struct rows sl_validate = ROWS(methods);

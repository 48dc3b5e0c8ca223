/* SPDX-License-Identifier: Apache-2.0 */
/* blocks.validate: what is wrong with blocks, a message or a view, without sending it. */
#include "services/chat/slack/blocks.h"
#include "services/chat/slack/interact.h"
#include "engine/base/codec.h"

#define MAX_TEXT 100000 /* characters of each argument */

/* "[ERROR] text [json-pointer:/blocks/0/text]" in its parts; without: what a pointer begins with.
 */
static void write_issue(struct json_writer *w, struct arena *a, const char *line,
                        const char *without)
{
    static const char begin[] = "[ERROR] ", mark[] = " [json-pointer:";
    if (str_starts(line, begin))
        line += strlen(begin);
    const char *at = strstr(line, mark), *pointer = at ? at + strlen(mark) : "";
    size_t n = at ? (size_t)(at - line) : strlen(line), k = strcspn(pointer, "]");
    size_t skip = str_starts(pointer, without) ? strlen(without) : 0;
    const char *text = arena_memdup(a, line, n);
    const char *missing = "missing required field: ", *less = "must be less than ";
    const char *more = "no more than ";
    json_obj(w, NULL);
    json_str(w, "code", "failed_constraint");
    json_str(w, "message", text);
    json_strn(w, "pointer", pointer + skip, k > skip ? k - skip : 0);
    json_obj(w, "constraint");
    int64_t limit = 0;
    if (str_starts(text, missing)) {
        json_str(w, "type", "required");
        json_str(w, "expected", text + strlen(missing));
    } else if (str_starts(text, less) &&
               parse_i64(text + strlen(less), strspn(text + strlen(less), "0123456789"), &limit) ==
                   0) {
        json_str(w, "type", "max_length");
        json_int(w, "expected", limit - 1);
    } else if (str_starts(text, more) &&
               parse_i64(text + strlen(more), strspn(text + strlen(more), "0123456789"), &limit) ==
                   0) {
        json_str(w, "type", "max_items");
        json_int(w, "expected", limit);
    } else {
        json_str(w, "type", "schema");
    }
    json_end(w);
    json_end(w);
}

static void write_issues(struct call *c)
{
    struct slack_call *s = slack_of(c);
    json_arr(c->out, "errors");
    for (size_t i = 0; i < s->n_messages; i++)
        write_issue(c->out, c->tx.arena, s->messages[i], s->more_arg);
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
        slack_message(c, "", "must be an object");
        return refuse_issues(c, "invalid_message", "");
    }
    if (!blocks && !json_get(v, "attachments") && (!text || !*text)) {
        slack_message(c, "", "missing required field: text");
        return refuse_issues(c, "invalid_message", "");
    }
    int r = blocks ? sl_blocks_check(c, blocks, "/blocks", SL_MESSAGE_BLOCKS, &made) : 1;
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
    int r = is_view ? sl_view_check(c, v, SL_MODAL | SL_HOME, &view)
                    : sl_blocks_check(c, v, "/blocks", SL_MESSAGE_BLOCKS, &made);
    if (r == 1)
        return slack_ok(c);
    return r < 0 ? -1
                 : refuse_issues(c, is_view ? "invalid_view" : "invalid_blocks",
                                 is_view ? "/view" : "/blocks");
}

static const struct param params[] = {SL_ARG("blocks"), SL_ARG("message"), SL_ARG("view")};

static const struct route methods[] = {
    {SL_METHOD("blocks.validate"), SL_PEOPLE, .handler = validate, .risk = RISK_DRAFT,
     PARAMS(params), .rate = SLACK_TIER_3, .summary = "What is wrong with blocks"},
};

const struct rows sl_validate = ROWS(methods);

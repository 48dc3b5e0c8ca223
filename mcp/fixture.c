/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the protocol's own conformance suite asks of a server: tools, resources and prompts with
 * the names and contents that its scenarios give. Not a service of anybody; it is there to hold
 * the protocol's side of this endpoint to the suite.
 */
#include "mcp/mcp.h"
#include "engine/base/codec.h"
#include "engine/http/token.h"

#define PNG                                                                                        \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJg" \
    "gg=="
#define WAV "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="

#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"
#define IMAGE      "{\"type\":\"image\",\"data\":\"" PNG "\",\"mimeType\":\"image/png\"}"
#define EMBEDDED(u, t, x)                                                                          \
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"" u "\",\"mimeType\":\"" t "\",\"text\":\"" x  \
    "\"}}"
#define NO_ARGUMENTS "{\"type\":\"object\",\"properties\":{}}"

/* What a tool asks its client for before it goes on. */
struct input {
    const char *key, *method, *params; /* JSON */
};
#define ELICIT(k, message, name, type)                                                             \
    {                                                                                              \
        k, "elicitation/create",                                                                   \
            "{\"mode\":\"form\",\"message\":\"" message "\",\"requestedSchema\":{\"type\":"        \
            "\"object\",\"properties\":{\"" name "\":{\"type\":\"" type                            \
            "\"}},\"required\":[\"" name "\"]}}"                                                   \
    }
#define SAMPLE(k, text, max)                                                                       \
    {                                                                                              \
        k, "sampling/createMessage",                                                               \
            "{\"messages\":[{\"role\":\"user\",\"content\":" TEXT(text) "}],\"maxTokens\":" max    \
                                                                        "}"                        \
    }
#define ROOTS(k)                                                                                   \
    {                                                                                              \
        k, "roots/list", "{}"                                                                      \
    }

#define MAX_ROUNDS 2
#define MAX_INPUTS 3

struct fixture_tool {
    const char *name, *summary;
    const char *schema;  /* of its input, JSON; NULL: no arguments */
    const char *content; /* of its result, JSON */
    bool error;
    const char *const *logs; /* messages that go before the result; NULL-terminated; NULL: none */
    bool progress;
    bool stateless;    /* for revisions without a handshake alone */
    bool handshake;    /* for those with one alone */
    const char *said;  /* what it gives: this, and what the client has answered; NULL: content */
    bool state;        /* the state that the client gives back says which round it is */
    const char *needs; /* a capability of the client; NULL: none */
    struct input rounds[MAX_ROUNDS][MAX_INPUTS];
};

static const char *const log_texts[] = {"Tool execution started", "Tool processing data",
                                        "Tool execution completed", NULL};

static const char schema_2020[] =
    "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\",\"$defs\":{"
    "\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":{\"street\":{"
    "\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},\"properties\":{\"name\":{\"type\":"
    "\"string\"},\"address\":{\"$ref\":\"#/$defs/address\"},\"contactMethod\":{\"type\":\"string\","
    "\"enum\":[\"phone\",\"email\"]},\"phone\":{\"type\":\"string\"},\"email\":{\"type\":"
    "\"string\"}},\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"
    "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},\"required\":["
    "\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},\"else\":{\"required\":[\"email\"]},"
    "\"additionalProperties\":false}";

/* %1: the argument, in a JSON string. */
#define ARGUMENT(name)                                                                             \
    "{\"type\":\"object\",\"properties\":{\"" name                                                 \
    "\":{\"type\":\"string\"}},\"required\":[\"" name "\"]}"
#define FORM(message, properties, required)                                                        \
    "{\"message\":\"" message                                                                      \
    "\",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties                      \
    "},\"required\":[" required "]}}"

static const char user_form[] =
    FORM("%1",
         "\"username\":{\"type\":\"string\",\"description\":\"User's response\"},"
         "\"email\":{\"type\":\"string\",\"description\":\"User's email address\"}",
         "\"username\",\"email\"");
static const char defaults_form[] =
    FORM("Please look at these values",
         "\"name\":{\"type\":\"string\",\"description\":\"User name\",\"default\":\"John Doe\"},"
         "\"age\":{\"type\":\"integer\",\"description\":\"User age\",\"default\":30},"
         "\"score\":{\"type\":\"number\",\"description\":\"User score\",\"default\":95.5},"
         "\"status\":{\"type\":\"string\",\"description\":\"User status\",\"enum\":[\"active\","
         "\"inactive\",\"pending\"],\"default\":\"active\"},"
         "\"verified\":{\"type\":\"boolean\",\"description\":\"Verification status\","
         "\"default\":true}",
         "");
#define OPTIONS "[\"option1\",\"option2\",\"option3\"]"
#define TITLED                                                                                     \
    "[{\"const\":\"value1\",\"title\":\"First Option\"},{\"const\":\"value2\",\"title\":\"Second " \
    "Option\"},{\"const\":\"value3\",\"title\":\"Third Option\"}]"
static const char enums_form[] = FORM(
    "Please choose",
    "\"untitledSingle\":{\"type\":\"string\",\"enum\":" OPTIONS "},"
    "\"titledSingle\":{\"type\":\"string\",\"oneOf\":" TITLED "},"
    "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],\"enumNames\":["
    "\"Option One\",\"Option Two\",\"Option Three\"]},"
    "\"untitledMulti\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":3,\"items\":{\"type\":"
    "\"string\",\"enum\":" OPTIONS "}},"
    "\"titledMulti\":{\"type\":\"array\",\"minItems\":1,\"maxItems\":3,\"items\":{\"anyOf\":" TITLED
    "}}",
    "");
#define ASK_FORM(form)                                                                             \
    {                                                                                              \
        "user", "elicitation/create", form                                                         \
    }

#define NAME_INPUT ELICIT("user_name", "What is your name?", "name", "string")

static const struct fixture_tool tools[] = {
    {.name = "test_simple_text",
     .summary = "Gives a text",
     .content = TEXT("This is a simple text response for testing.")},
    {.name = "test_image_content", .summary = "Gives an image", .content = IMAGE},
    {.name = "test_audio_content",
     .summary = "Gives a sound",
     .content = "{\"type\":\"audio\",\"data\":\"" WAV "\",\"mimeType\":\"audio/wav\"}"},
    {.name = "test_embedded_resource",
     .summary = "Gives a resource",
     .content = EMBEDDED("test://embedded-resource", "text/plain",
                         "This is an embedded resource content.")},
    {.name = "test_multiple_content_types",
     .summary = "Gives a text, an image and a resource",
     .content = TEXT("Multiple content types test:") "," IMAGE "," EMBEDDED(
         "test://mixed-content-resource", "application/json",
         "{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}")},
    {.name = "test_tool_with_logging",
     .summary = "Logs three messages",
     .content = TEXT("Three messages were logged."),
     .logs = log_texts},
    {.name = "test_error_handling",
     .summary = "Fails",
     .content = TEXT("This tool intentionally returns an error for testing"),
     .error = true},
    {.name = "test_tool_with_progress",
     .summary = "Reports its progress",
     .content = TEXT("The work is done."),
     .progress = true},
    {.name = "test_sampling",
     .summary = "Asks a model",
     .schema = ARGUMENT("prompt"),
     .said = "LLM response: ",
     .handshake = true,
     .rounds = {{SAMPLE("user", "%1", "100")}}},
    {.name = "test_elicitation",
     .summary = "Asks the user",
     .schema = ARGUMENT("message"),
     .said = "User response: ",
     .handshake = true,
     .rounds = {{ASK_FORM(user_form)}}},
    {.name = "test_elicitation_sep1034_defaults",
     .summary = "Asks the user, with values to begin with",
     .said = "Elicitation completed: ",
     .handshake = true,
     .rounds = {{ASK_FORM(defaults_form)}}},
    {.name = "test_elicitation_sep1330_enums",
     .summary = "Asks the user to choose",
     .said = "Elicitation completed: ",
     .handshake = true,
     .rounds = {{ASK_FORM(enums_form)}}},
    {.name = "json_schema_2020_12_tool",
     .summary = "Has an input schema with all kinds of keywords",
     .schema = schema_2020,
     .content = TEXT("The arguments were taken.")},
    {.name = "test_missing_capability",
     .summary = "Needs a client that can sample",
     .content = TEXT("The client can sample."),
     .stateless = true,
     .needs = "sampling"},
    {.name = "test_logging_tool",
     .summary = "Logs if it is asked to",
     .content = TEXT("Done."),
     .stateless = true,
     .logs = log_texts},
    {.name = "test_streaming_elicitation",
     .summary = "Asks in its result, never by a request of its own",
     .content = TEXT("The client has answered."),
     .stateless = true,
     .rounds = {{NAME_INPUT}}},
    {.name = "test_input_required_result_elicitation",
     .summary = "Asks for a name",
     .content = TEXT("Hello!"),
     .stateless = true,
     .rounds = {{NAME_INPUT}}},
    {.name = "test_input_required_result_sampling",
     .summary = "Asks a model",
     .content = TEXT("The model has answered."),
     .stateless = true,
     .rounds = {{SAMPLE("capital_question", "What is the capital of France?", "100")}}},
    {.name = "test_input_required_result_list_roots",
     .summary = "Asks for roots",
     .content = TEXT("The roots were read."),
     .stateless = true,
     .rounds = {{ROOTS("client_roots")}}},
    {.name = "test_input_required_result_request_state",
     .summary = "Asks for a confirmation, with a state",
     .content = TEXT("state-ok"),
     .stateless = true,
     .state = true,
     .rounds = {{ELICIT("confirm", "Please confirm", "ok", "boolean")}}},
    {.name = "test_input_required_result_multiple_inputs",
     .summary = "Asks for three things at once",
     .content = TEXT("All three are there."),
     .stateless = true,
     .state = true,
     .rounds = {{NAME_INPUT, SAMPLE("greeting", "Generate a greeting", "50"),
                 ROOTS("client_roots")}}},
    {.name = "test_input_required_result_multi_round",
     .summary = "Asks twice",
     .content = TEXT("Both steps are done."),
     .stateless = true,
     .state = true,
     .rounds = {{ELICIT("step1", "Step 1: What is your name?", "name", "string")},
                {ELICIT("step2", "Step 2: What is your favorite color?", "color", "string")}}},
    {.name = "test_input_required_result_tampered_state",
     .summary = "Asks with a state that is signed",
     .content = TEXT("state-ok"),
     .stateless = true,
     .state = true,
     .rounds = {{ELICIT("confirm", "Please confirm", "ok", "boolean")}}},
    {.name = "test_input_required_result_capabilities",
     .summary = "Asks only for what the client can do",
     .content = TEXT("The client has answered."),
     .stateless = true,
     .rounds = {{NAME_INPUT, SAMPLE("greeting", "Generate a greeting", "50")}}},
};

/* ---- asking the client ---- */

/* JSON with %1 and %2, which are parts of strings, as the arguments. */
static const char *fill(struct mcp_call *m, const char *json, const char *const *values)
{
    struct buf b, quoted;
    struct json_writer w;
    buf_init(&b, 0);
    for (const char *p = json; *p; p++) {
        if (*p != '%' || (p[1] != '1' && p[1] != '2')) {
            buf_byte(&b, *p);
            continue;
        }
        json_start(&w, &quoted);
        json_str(&w, NULL, values[*++p - '1']);
        if (quoted.len > 2)
            buf_add(&b, quoted.data + 1, quoted.len - 2);
        buf_done(&quoted);
    }
    return buf_keep(&b, m->c->tx.arena);
}

static bool has_rounds(const struct input *round)
{
    return round[0].key != NULL;
}

static bool is_answered(const struct json *responses, const struct input *round)
{
    for (size_t i = 0; i < MAX_INPUTS && round[i].key; i++) {
        const struct json *v = json_get(responses, round[i].key);
        if (!v || v->type != JSON_OBJECT)
            return false;
    }
    return true;
}

/* "1.signature": the round that the client has been asked. */
static const char *state_of(struct mcp_call *m, const char *name, int round)
{
    char mark[TOKEN_MARK_LEN + 1];
    token_mark(&m->c->tx, arena_printf(m->c->tx.arena, "%s.%d", name, round), mark);
    return arena_printf(m->c->tx.arena, "%d.%s", round, mark);
}

/* The round that a state is of; -1: it is not one of ours. */
static int round_of(struct mcp_call *m, const char *name, const char *state)
{
    for (int round = 0; state && round < MAX_ROUNDS; round++)
        if (strcmp(state, state_of(m, name, round)) == 0)
            return round;
    return -1;
}

static int ask(struct mcp_call *m, const char *name, bool state, const struct input *round, int n)
{
    json_obj(m->w, "inputRequests");
    for (size_t i = 0; i < MAX_INPUTS && round[i].key; i++) {
        if (!rpc_client_can(m, round[i].method))
            continue;
        json_obj(m->w, round[i].key);
        json_str(m->w, "method", round[i].method);
        json_raw(m->w, "params", round[i].params, strlen(round[i].params));
        json_end(m->w);
    }
    json_end(m->w);
    if (state)
        json_str(m->w, "requestState", state_of(m, name, n));
    m->result = "input_required";
    return 1;
}

/* Has all that it asks for been given? 0; 1: it has asked for more; -1: refused. */
static int ask_rounds(struct mcp_call *m, const char *name, bool state,
                      const struct input rounds[MAX_ROUNDS][MAX_INPUTS])
{
    const struct json *responses = json_get(m->params, "inputResponses");
    const struct json *given = json_get(m->params, "requestState");
    int round = 0;
    if (!has_rounds(rounds[0]))
        return 0;
    if (responses && responses->type != JSON_OBJECT)
        return rpc_fail(m, RPC_PARAMS, "params.inputResponses must be an object, not %s",
                        call_quote(m->c, responses));
    if (state && given) {
        round = round_of(m, name, given->type == JSON_STRING ? given->str : NULL);
        if (round < 0)
            return rpc_fail(m, RPC_PARAMS, "params.requestState was not given by this server");
    }
    if (!is_answered(responses, rounds[round]) || (state && !given))
        return ask(m, name, state, rounds[round], round);
    if (round + 1 < MAX_ROUNDS && has_rounds(rounds[round + 1]))
        return ask(m, name, state, rounds[round + 1], round + 1);
    return 0;
}

/* ---- tools ---- */

static bool tool_is_there(const struct mcp_call *m, const struct fixture_tool *t)
{
    return m->stateless ? !t->handshake : !t->stateless;
}

static int tools_list(struct mcp_call *m)
{
    rpc_cache(m, 60000, true);
    json_arr(m->w, "tools");
    for (size_t i = 0; i < SOSIA_LEN(tools); i++) {
        const char *schema = tools[i].schema ? tools[i].schema : NO_ARGUMENTS;
        if (!tool_is_there(m, &tools[i]))
            continue;
        json_obj(m->w, NULL);
        json_str(m->w, "name", tools[i].name);
        json_str(m->w, "description", tools[i].summary);
        json_raw(m->w, "inputSchema", schema, strlen(schema));
        json_end(m->w);
    }
    json_end(m->w);
    return 0;
}

static void notify_logs(struct mcp_call *m, const struct fixture_tool *t)
{
    const struct json *level = rpc_meta(m, "logLevel");
    for (const char *const *text = t->logs; text && *text && (!m->stateless || level); text++)
        rpc_notify(m, "notifications/message",
                   arena_printf(m->c->tx.arena, "{\"level\":\"info\",\"data\":\"%s\"}", *text));
}

static void notify_progress(struct mcp_call *m)
{
    const struct json *token = json_get(json_get(m->params, "_meta"), "progressToken");
    if (!token)
        return;
    for (int done = 0; done <= 100; done += 50)
        rpc_notify(m, "notifications/progress",
                   arena_printf(m->c->tx.arena,
                                "{\"progressToken\":%s,\"progress\":%d,\"total\":100}",
                                json_to_text(m->c->tx.arena, token), done));
}

/* ---- tools that ask in the midst of their work, by requests of the server's own ---- */

static const char *argument(const struct json *arguments)
{
    static const char *const names[] = {"prompt", "message"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (json_get_str(arguments, names[i]))
            return json_get_str(arguments, names[i]);
    return "";
}

/* What the client has answered, in words. */
static const char *words_of(struct mcp_call *m, const struct json *answer, bool *ret_error)
{
    struct arena *a = m->c->tx.arena;
    const struct json *error = json_get(answer, "error"), *content = json_get(answer, "content");
    const char *action = json_get_str(answer, "action"), *text = json_get_str(content, "text");
    *ret_error = error != NULL;
    if (error)
        return arena_printf(a, "the client refused: %s", json_to_text(a, error));
    if (action)
        return arena_printf(a, "action=%s, content=%s", action,
                            content ? json_to_text(a, content) : "{}");
    return text ? text : json_to_text(a, answer);
}

static int tool_asks(struct mcp_call *m, const struct fixture_tool *t)
{
    const struct input *in = &t->rounds[0][0];
    const struct json *answer = rpc_answer(m, in->key);
    const char *value = argument(json_get(m->params, "arguments")), *values[] = {value, ""};
    const char *text;
    bool error = true;
    if (!answer && rpc_client_can(m, in->method))
        return rpc_ask(m, in->key, in->method, fill(m, in->params, values)) < 0 ? -1 : 0;
    text = answer ? words_of(m, answer, &error)
                  : arena_printf(m->c->tx.arena, "the client must be able to do %s", in->method);
    json_arr(m->w, "content");
    json_obj(m->w, NULL);
    json_str(m->w, "type", "text");
    json_str(m->w, "text", arena_printf(m->c->tx.arena, "%s%s", error ? "" : t->said, text));
    json_end(m->w);
    json_end(m->w);
    json_bool_opt(m->w, "isError", error);
    return 0;
}

static int check_capability(struct mcp_call *m, const struct fixture_tool *t)
{
    if (!t->needs || rpc_client_can(m, t->needs))
        return 0;
    return rpc_fail_http(
        m, RPC_CAPABILITY, 400,
        arena_printf(m->c->tx.arena, "{\"requiredCapabilities\":{\"%s\":{}}}", t->needs),
        "the client must have the capability %s", t->needs);
}

static int tools_call(struct mcp_call *m)
{
    const char *name = rpc_str(m, "name");
    size_t i = 0;
    if (!name)
        return -1;
    while (i < SOSIA_LEN(tools) &&
           (strcmp(tools[i].name, name) != 0 || !tool_is_there(m, &tools[i])))
        i++;
    if (i == SOSIA_LEN(tools))
        return rpc_fail(m, RPC_PARAMS, "Unknown tool: %s", name);
    if (check_capability(m, &tools[i]) < 0)
        return -1;
    if (tools[i].said)
        return tool_asks(m, &tools[i]);
    int r = ask_rounds(m, name, tools[i].state, tools[i].rounds);
    if (r)
        return r < 0 ? -1 : 0;
    notify_logs(m, &tools[i]);
    if (tools[i].progress)
        notify_progress(m);
    const char *content = arena_printf(m->c->tx.arena, "[%s]", tools[i].content);
    json_raw(m->w, "content", content, strlen(content));
    json_bool_opt(m->w, "isError", tools[i].error);
    return 0;
}

/* ---- resources ---- */

static const struct {
    const char *uri, *name, *type, *member, *content;
} resources[] = {
    {"test://static-text", "Static text", "text/plain", "text",
     "This is the content of the static text resource."},
    {"test://static-binary", "Static binary", "image/png", "blob", PNG},
    {"test://watched-resource", "Watched resource", "text/plain", "text", "Watched."},
};

static int resources_list(struct mcp_call *m)
{
    rpc_cache(m, 60000, true);
    json_arr(m->w, "resources");
    for (size_t i = 0; i < SOSIA_LEN(resources); i++) {
        json_obj(m->w, NULL);
        json_str(m->w, "uri", resources[i].uri);
        json_str(m->w, "name", resources[i].name);
        json_str(m->w, "mimeType", resources[i].type);
        json_end(m->w);
    }
    json_end(m->w);
    return 0;
}

static int templates_list(struct mcp_call *m)
{
    rpc_cache(m, 60000, true);
    json_arr(m->w, "resourceTemplates");
    json_obj(m->w, NULL);
    json_str(m->w, "uriTemplate", "test://template/{id}/data");
    json_str(m->w, "name", "Template");
    json_str(m->w, "mimeType", "application/json");
    json_end(m->w);
    json_end(m->w);
    return 0;
}

static void write_contents(struct mcp_call *m, const char *uri, const char *type,
                           const char *member, const char *content)
{
    rpc_cache(m, 60000, true);
    json_arr(m->w, "contents");
    json_obj(m->w, NULL);
    json_str(m->w, "uri", uri);
    json_str(m->w, "mimeType", type);
    json_str(m->w, member, content);
    json_end(m->w);
    json_end(m->w);
}

static int read_template(struct mcp_call *m, const char *uri)
{
    static const char head[] = "test://template/", tail[] = "/data";
    const char *id = uri + sizeof head - 1;
    size_t n = strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_");
    if (!n || strcmp(id + n, tail) != 0)
        return 0;
    write_contents(m, uri, "application/json", "text",
                   arena_printf(m->c->tx.arena,
                                "{\"id\":\"%.*s\",\"templateTest\":true,\"data\":\"Data for ID: "
                                "%.*s\"}",
                                (int)n, id, (int)n, id));
    return 1;
}

static int resources_read(struct mcp_call *m)
{
    const char *uri = rpc_str(m, "uri");
    if (!uri)
        return -1;
    if (str_starts(uri, "test://template/") && read_template(m, uri))
        return 0;
    for (size_t i = 0; i < SOSIA_LEN(resources); i++)
        if (strcmp(resources[i].uri, uri) == 0) {
            write_contents(m, uri, resources[i].type, resources[i].member, resources[i].content);
            return 0;
        }
    return rpc_no_resource(m, uri, NULL);
}

/* Nothing here changes, so there is nothing to be notified of. */
static int subscribe(struct mcp_call *m)
{
    return rpc_str(m, "uri") ? 0 : -1;
}

/* ---- prompts ---- */

#define MESSAGE(content) "{\"role\":\"user\",\"content\":" content "}"

static const struct {
    const char *name, *summary;
    const char *arguments[2]; /* all required */
    const char *messages;     /* JSON, in which %1 and %2 are the arguments' */
    struct input rounds[MAX_ROUNDS][MAX_INPUTS];
} prompts[] = {
    {.name = "test_simple_prompt",
     .summary = "Without arguments",
     .messages = MESSAGE(TEXT("This is a simple prompt for testing."))},
    {.name = "test_prompt_with_arguments",
     .summary = "With two arguments",
     .arguments = {"arg1", "arg2"},
     .messages = MESSAGE(TEXT("Prompt with arguments: arg1='%1', arg2='%2'"))},
    {.name = "test_prompt_with_embedded_resource",
     .summary = "With a resource",
     .arguments = {"resourceUri"},
     .messages = MESSAGE(EMBEDDED(
         "%1", "text/plain",
         "Embedded resource content for testing.")) "," MESSAGE(TEXT("Please process the embedded "
                                                                     "resource above."))},
    {.name = "test_prompt_with_image",
     .summary = "With an image",
     .messages = MESSAGE(IMAGE) "," MESSAGE(TEXT("Please analyze the image above."))},
    {.name = "test_input_required_result_prompt",
     .summary = "Asks for a context",
     .messages = MESSAGE(TEXT("The context was given.")),
     .rounds = {{ELICIT("user_context", "What context should the prompt use?", "context",
                        "string")}}},
};

static int prompts_list(struct mcp_call *m)
{
    rpc_cache(m, 60000, true);
    json_arr(m->w, "prompts");
    for (size_t i = 0; i < SOSIA_LEN(prompts); i++) {
        json_obj(m->w, NULL);
        json_str(m->w, "name", prompts[i].name);
        json_str(m->w, "description", prompts[i].summary);
        json_arr(m->w, "arguments");
        for (size_t k = 0; k < 2 && prompts[i].arguments[k]; k++) {
            json_obj(m->w, NULL);
            json_str(m->w, "name", prompts[i].arguments[k]);
            json_bool(m->w, "required", true);
            json_end(m->w);
        }
        json_end(m->w);
        json_end(m->w);
    }
    json_end(m->w);
    return 0;
}

static int prompts_get(struct mcp_call *m)
{
    const char *name = rpc_str(m, "name"), *values[2] = {"", ""};
    const struct json *arguments = json_get(m->params, "arguments");
    size_t i = 0;
    if (!name)
        return -1;
    while (i < SOSIA_LEN(prompts) && strcmp(prompts[i].name, name) != 0)
        i++;
    if (i == SOSIA_LEN(prompts))
        return rpc_fail(m, RPC_PARAMS, "Unknown prompt: %s", name);
    for (size_t k = 0; k < 2 && prompts[i].arguments[k]; k++) {
        values[k] = json_get_str(arguments, prompts[i].arguments[k]);
        if (!values[k])
            return rpc_fail(m, RPC_PARAMS, "%s must have the argument %s", name,
                            prompts[i].arguments[k]);
    }
    int r = m->stateless ? ask_rounds(m, name, false, prompts[i].rounds) : 0;
    if (r)
        return r < 0 ? -1 : 0;
    const char *messages =
        arena_printf(m->c->tx.arena, "[%s]", fill(m, prompts[i].messages, values));
    json_raw(m->w, "messages", messages, strlen(messages));
    return 0;
}

static int complete(struct mcp_call *m)
{
    json_obj(m->w, "completion");
    json_arr(m->w, "values");
    json_end(m->w);
    json_int(m->w, "total", 0);
    json_bool(m->w, "hasMore", false);
    json_end(m->w);
    return 0;
}

const struct mcp_face mcp_fixture = {
    .tools_list = tools_list,
    .tools_call = tools_call,
    .resources_list = resources_list,
    .templates_list = templates_list,
    .resources_read = resources_read,
    .prompts_list = prompts_list,
    .prompts_get = prompts_get,
    .complete = complete,
    .set_level = mcp_set_level,
    .subscribe = subscribe,
    .unsubscribe = subscribe,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of one kind in process, to count their instructions: those that count are made by
 * measured(), so that
 *     valgrind --tool=callgrind --toggle-collect=measured bench-instructions NAME
 * counts them alone, whatever else the machine does. A world of 600 events, 200 messages of mail,
 * 50 files, a file of the workspace and 600 messages of a channel, for one of whose apps subscribes
 * to them; calls that warm up come first; a write is the first one of a fork. With a number of
 * calls behind the name these go one after the other into one world, which grows, after a quarter
 * as many that are not counted; the CPU time of a call is printed.
 */
#include "bench/bench_call.h"
#include "engine/base/buf.h"

enum { EVENTS = 600, MESSAGES = 200, FILES = 50, POSTS = 600, WARM = 5, COUNTED = 20 };

static struct sosia_engine *engine;
static struct sosia_err err;
static char bearer[SOSIA_TOKEN_MAX + 16];

struct kind {
    const char *name, *method, *target, *body;
    bool reads;     /* whatever its method */
    bool microsoft; /* in the world whose mailbox is Microsoft's */
    int rules;      /* in a world with a policy of so many rules on the call, ... */
    bool outcome;   /* and some on its consequences */
};

#define EVENTS_PATH  "/calendar/v3/calendars/primary/events"
#define MAIL_PATH    "/gmail/v1/users/me/messages"
#define FILES_PATH   "/drive/v3/files"
#define FILESYSTEM   "/workspace/v1/filesystem/"
#define GRAPH_MAIL   "/v1.0/me/messages"
#define GRAPH_FOLDER "/v1.0/me/mailFolders('inbox')/messages"
#define GRAPH(rest, path)                                                                          \
    {                                                                                              \
        .name = "graph." rest, .method = "GET", .target = path, .microsoft = true                  \
    }
#define GRAPH_LETTER(to)                                                                           \
    "{\"message\":{\"subject\":\"Plans\",\"body\":{\"contentType\":\"text\",\"content\":\"Hi\"},"  \
    "\"toRecipients\":[{\"emailAddress\":{\"address\":\"" to "\"}}]}}"
#define TOOL(name, arguments)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"" name         \
    "\",\"arguments\":" arguments "}}"

static const struct kind kinds[] = {
    {"guard.events.get", "GET", EVENTS_PATH "/bench00477?prettyPrint=false", NULL, .rules = 100},
    {"guard.events.insert", "POST", EVENTS_PATH,
     "{\"summary\":\"Planning\",\"start\":{\"dateTime\":\"2026-11-25T10:00:00Z\"},"
     "\"end\":{\"dateTime\":\"2026-11-25T11:00:00Z\"}}",
     .rules = 100, .outcome = true},
    {"events.get", "GET", EVENTS_PATH "/bench00477?prettyPrint=false", NULL},
    {"events.list", "GET", EVENTS_PATH "?maxResults=50", NULL},
    {"events.list-start", "GET",
     EVENTS_PATH "?maxResults=50&singleEvents=true&orderBy=startTime"
                 "&timeMin=2026-02-01T00:00:00Z",
     NULL},
    {"events.list-from", "GET", EVENTS_PATH "?maxResults=50&timeMin=2026-02-01T00:00:00Z", NULL},
    {"events.insert", "POST", EVENTS_PATH,
     "{\"summary\":\"New\",\"start\":{\"dateTime\":\"2026-11-23T10:00:00Z\"},"
     "\"end\":{\"dateTime\":\"2026-11-23T11:00:00Z\"}}"},
    {"events.insert-bare", "POST", EVENTS_PATH,
     "{\"start\":{\"dateTime\":\"2026-11-24T10:00:00Z\"},"
     "\"end\":{\"dateTime\":\"2026-11-24T11:00:00Z\"}}"},
    {"events.patch", "PATCH", EVENTS_PATH "/bench00477", "{\"summary\":\"Renamed %d\"}"},
    {"events.delete", "DELETE", EVENTS_PATH "/bench00477", NULL},
    {"freebusy.query", "POST", "/calendar/v3/freeBusy",
     "{\"timeMin\":\"2026-02-01T00:00:00Z\",\"timeMax\":\"2026-02-08T00:00:00Z\","
     "\"items\":[{\"id\":\"primary\"}]}",
     true},
    {"messages.get", "GET", MAIL_PATH "/%s", NULL},
    {"messages.list", "GET", MAIL_PATH "?maxResults=50", NULL},
    {"messages.modify", "POST", MAIL_PATH "/%s/modify", "{\"addLabelIds\":[\"STARRED\"]}"},
    {"files.get", "GET", FILES_PATH "/%s", NULL},
    {"files.create", "POST", FILES_PATH, "{\"name\":\"New\"}"},
    {"files.update", "PATCH", FILES_PATH "/%s", "{\"name\":\"Renamed\"}"},
    {"files.list", "GET", FILES_PATH "?pageSize=50", NULL},
    {"conversations.history", "GET", "/api/conversations.history?channel=C0DEV&limit=100", NULL},
    {"chat.postMessage", "POST", "/api/chat.postMessage",
     "{\"channel\":\"C0DEV\",\"text\":\"The build of today is in the shared folder\"}"},
    {"conversations.list", "GET", "/api/conversations.list", NULL},
    {"users.info", "GET", "/api/users.info?user=U0ADA", NULL},
    {"reactions.add", "POST", "/api/reactions.add",
     "{\"channel\":\"C0DEV\",\"timestamp\":\"1780000000.000100\",\"name\":\"eyes\"}"},
    {"tool.events.get", "POST", "/mcp/calendar",
     TOOL("calendar_events_get", "{\"calendarId\":\"primary\",\"eventId\":\"bench00477\"}"), true},
    {"tool.events.list", "POST", "/mcp/calendar",
     TOOL("calendar_events_list", "{\"calendarId\":\"primary\",\"maxResults\":50}"), true},
    {"tool.messages.list", "POST", "/mcp",
     TOOL("gmail_users_messages_list", "{\"userId\":\"me\",\"maxResults\":1}"), true},
    {"messages.list-1", "GET", MAIL_PATH "?maxResults=1", NULL},
    {"messages.send", "POST", MAIL_PATH "/send",
     /* To: ada@bench.example, Subject: Plans, Hi */
     "{\"raw\":\"VG86IGFkYUBiZW5jaC5leGFtcGxlDQpTdWJqZWN0OiBQbGFucw0KDQpIaQ0K\"}"},
    {"messages.send-out", "POST", MAIL_PATH "/send",
     /* To: bob@example.org, who has no mailbox here */
     "{\"raw\":\"VG86IGJvYkBleGFtcGxlLm9yZw0KU3ViamVjdDogUGxhbnMNCg0KSGkNCg==\"}"},
    {"history.list", "GET", "/gmail/v1/users/me/history?startHistoryId=%s", NULL},
    {"read_text_file", "POST", FILESYSTEM "read_text_file", "{\"path\":\"notes/plan.txt\"}", true},
    {"list_directory", "POST", FILESYSTEM "list_directory", "{\"path\":\"notes\"}", true},
    {"write_file", "POST", FILESYSTEM "write_file",
     "{\"path\":\"notes/plan.txt\",\"content\":\"Plan %d\\n\"}"},
    {"write_file-new", "POST", FILESYSTEM "write_file",
     "{\"path\":\"notes/plan-%d.txt\",\"content\":\"Plan\\n\"}"},
    GRAPH("messages.get", GRAPH_MAIL "/%s"),
    GRAPH("messages.list", GRAPH_MAIL "?$top=50"),
    GRAPH("messages.list-ids", GRAPH_MAIL "?$top=50&$select=id,conversationId"),
    GRAPH("messages.list-unread",
          GRAPH_MAIL "?$top=50&$select=id,conversationId&$filter=isRead%20eq%20false"),
    GRAPH("messages.delta", GRAPH_FOLDER "%s"),
    {.name = "graph.sendMail",
     .method = "POST",
     .target = "/v1.0/me/sendMail",
     .body = GRAPH_LETTER("ada@bench.example"),
     .microsoft = true},
    {.name = "graph.sendMail-out",
     .method = "POST",
     .target = "/v1.0/me/sendMail",
     .body = GRAPH_LETTER("bob@example.org"),
     .microsoft = true},
};

static struct sosia_response *call(uint64_t world, const char *method, const char *target,
                                   const char *body)
{
    return bench_call(engine, world, bearer, method, target, body);
}

__attribute__((noinline)) static void measured(uint64_t world, const char *method,
                                               const char *target, const char *body)
{
    sosia_response_free(call(world, method, target, body));
}

/* Of Ada's things at Google and Slack, or of her mail at Microsoft. */
static uint64_t make_world(bool microsoft)
{
    struct buf b;
    uint64_t world;
    buf_init(&b, 0);
    buf_puts(&b, "{\"sosia\":1,\"time\":\"2026-11-23T08:00:00Z\",\"organizations\":[{\"domain\":"
                 "\"bench.example\"}],\"people\":[{\"email\":\"ada@bench.example\",\"zone\":"
                 "\"Europe/Rome\"}],\"tokens\":[{\"token\":\"bench-token-1\",\"actor\":"
                 "\"ada@bench.example\"}]");
    if (microsoft)
        buf_puts(&b, ",\"accounts\":[{\"actor\":\"ada@bench.example\",\"vendor\":\"microsoft\"}]");
    buf_puts(&b, ",\"mailboxes\":[{\"person\":\"ada@bench.example\",\"messages\":[");
    for (int i = 0; i < MESSAGES; i++)
        buf_printf(&b,
                   "%s{\"from\":\"Bob <bob@example.org>\",\"to\":[\"ada@bench.example\"],"
                   "\"date\":\"2026-%02d-%02dT%02d:00:00Z\",\"subject\":\"Letter %d\","
                   "\"text\":\"What there is to say about the things of day %d.\\n\","
                   "\"labels\":[\"INBOX\"%s]}",
                   i ? "," : "", i / 28 % 10 + 1, i % 28 + 1, i % 24, i, i,
                   microsoft && i % 4 == 0 ? ",\"unread\"" : "");
    buf_puts(
        &b,
        "]}],\"workspace\":[{\"path\":\"notes/plan.txt\",\"text\":\"What there is to say\\n\"}],"
        "\"apps\":[{\"client_id\":\"1.2\",\"name\":\"App\",\"vendor\":\"slack\"}],"
        "\"workspaces\":[{\"id\":\"T0BENCH\",\"domain\":\"bench\",\"name\":\"Bench\","
        "\"members\":[{\"actor\":\"ada@bench.example\",\"id\":\"U0ADA\"}],"
        "\"apps\":[{\"client_id\":\"1.2\",\"id\":\"A0APP\",\"bot\":\"B0APP\","
        "\"installer\":\"U0ADA\"}]}],"
        "\"chatApps\":[{\"client_id\":\"1.2\",\"settings\":{\"socket_mode\":true,"
        "\"user_events\":[\"message.channels\"]}}],"
        "\"channels\":[{\"id\":\"C0DEV\",\"name\":\"dev\",\"members\":[\"U0ADA\"]}],"
        "\"messages\":[");
    for (int i = 0; i < POSTS; i++)
        buf_printf(&b,
                   "%s{\"channel\":\"C0DEV\",\"from\":\"U0ADA\",\"ts\":\"%d.000100\","
                   "\"text\":\"What there is to say about the things of day %d.\"}",
                   i ? "," : "", 1780000000 + i * 777, i);
    buf_puts(&b, "]}");
    struct sosia_world_options opt = {.seed_doc = buf_str(&b), .seed_doc_len = b.len};
    if (sosia_world_create(engine, &opt, &world, &err) < 0)
        bench_die("world", err.text);
    buf_done(&b);
    snprintf(bearer, sizeof bearer, "Bearer bench-token-1");
    return world;
}

static void add_events(uint64_t world)
{
    char body[512];
    for (int i = 0; i < EVENTS; i++) {
        bench_event(body, sizeof body, i);
        sosia_response_free(call(world, "POST", EVENTS_PATH, body));
    }
}

static void add_files(uint64_t world)
{
    char body[64];
    for (int i = 0; i < FILES; i++) {
        snprintf(body, sizeof body, "{\"name\":\"File %d\"}", i);
        sosia_response_free(call(world, "POST", FILES_PATH, body));
    }
}

/* The text behind a mark in an answer, up to a quote. */
static const char *text_behind(uint64_t world, const char *target, const char *mark)
{
    static char text[1024];
    struct sosia_response *res = call(world, "GET", target, NULL);
    const char *at = strstr(res->body, mark);
    if (!at)
        bench_die(target, "the answer has no such member");
    at += strlen(mark);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at, "\""), at);
    sosia_response_free(res);
    return text;
}

/* The target with the id of a message, or a token, where it has a place for one. */
static const char *with_place(const struct kind *k, uint64_t world)
{
    static char text[2048];
    const char *place = strstr(k->target, "%s"), *value;
    if (!place)
        return k->target;
    if (k->microsoft && strstr(k->name, "delta"))
        value = text_behind(world, GRAPH_FOLDER "/delta?$deltatoken=latest",
                            "deltaLink\":\"https://graph.microsoft.com/v1.0/me/mailFolders('inbox')"
                            "/messages");
    else if (k->microsoft)
        value = text_behind(world, GRAPH_MAIL "?$top=1", "\"id\":\"");
    else if (strstr(k->target, "history"))
        value = text_behind(world, "/gmail/v1/users/me/profile", "\"historyId\": \"");
    else if (strstr(k->target, FILES_PATH))
        value = text_behind(world, FILES_PATH "?pageSize=1", "\"id\": \"");
    else
        value = text_behind(world, MAIL_PATH "?maxResults=1", "\"id\": \"");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(place - k->target), k->target, value, place + 2);
    return text;
}

static void add_policy(const struct kind *k, uint64_t world)
{
    struct buf b;
    buf_init(&b, 0);
    buf_puts(&b, "policy: 1\nname: bench\notherwise: allow\nrules:\n");
    for (int i = 0; i < k->rules; i++)
        buf_printf(&b,
                   "  - {effect: deny, call: {method: [gmail.users.messages.send, "
                   "drive.files.delete], arguments: {body.n: %d}}}\n",
                   i);
    if (k->outcome)
        buf_puts(&b, "  - {effect: deny, outcome: {diff_type: removed, entity: message}}\n"
                     "  - {effect: deny, reaches: {outside: {length: {gt: 0}}}}\n");
    if (sosia_policy_set(engine, world, buf_str(&b), b.len, "bench", NULL, &err) < 0)
        bench_die("policy", err.text);
    buf_done(&b);
}

/* A body with the number of its call, where it has a place for one. */
static const char *numbered(const char *body, int i)
{
    static char text[1024];
    const char *place = body ? strstr(body, "%d") : NULL;
    if (!place)
        return body;
    snprintf(text, sizeof text, "%.*s%d%s", (int)(place - body), body, i, place + 2);
    return text;
}

/* So many calls into one world. */
static void count_growing(const struct kind *k, uint64_t world, int calls)
{
    const char *target = with_place(k, world);
    double times[5];
    for (int i = 0; i < calls / 4; i++)
        sosia_response_free(call(world, k->method, target, numbered(k->body, -i)));
    for (int part = 0; part < 5; part++) {
        double begun = bench_cpu();
        for (int i = 0; i < calls / 5; i++)
            measured(world, k->method, target, numbered(k->body, part * calls + i));
        times[part] = (bench_cpu() - begun) / (calls / 5);
    }
    printf("%s: %.2f us, at best %.2f us\n", k->name, bench_percentile(times, 5, 0.5) / 1e3,
           bench_percentile(times, 5, 0) / 1e3);
}

static void count(const struct kind *k, uint64_t world)
{
    const char *target = with_place(k, world);
    bool write = strcmp(k->method, "GET") != 0 && !k->reads;
    for (int i = 0; i < WARM + COUNTED; i++) {
        uint64_t f = world;
        if (write && sosia_world_fork(engine, world, NULL, &f, &err) < 0)
            bench_die("fork", err.text);
        if (i < WARM)
            sosia_response_free(call(f, k->method, target, numbered(k->body, i)));
        else
            measured(f, k->method, target, numbered(k->body, i));
        if (write)
            sosia_world_drop(engine, f, &err);
    }
}

int main(int argc, char **argv)
{
    const struct kind *k = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0)
            k = &kinds[i];
        if (argc == 1)
            puts(kinds[i].name);
    }
    if (argc == 1)
        return 0;
    int calls = argc == 3 ? atoi(argv[2]) : 0;
    if (!k || argc > 3 || calls < 0)
        bench_die("usage: bench-instructions NAME [CALLS]", "without NAME it prints the names");
    if (sosia_engine_open(NULL, &engine, &err) < 0)
        bench_die("engine", err.text);
    uint64_t world = make_world(k->microsoft), snapshot;
    if (!k->microsoft) {
        add_events(world);
        add_files(world);
    }
    if (sosia_world_snapshot(engine, world, "bench", &snapshot, &err) < 0 ||
        sosia_world_reset_to(engine, world, snapshot, &err) < 0)
        bench_die("snapshot", err.text);
    if (k->rules)
        add_policy(k, world);
    if (calls)
        count_growing(k, world, calls);
    else
        count(k, world);
    sosia_engine_close(engine);
    return 0;
}

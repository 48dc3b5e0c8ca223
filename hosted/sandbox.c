/* SPDX-License-Identifier: Apache-2.0 */
/* Sandboxes: acquired, looked at, emptied, released. */
#include "hosted/impl.h"
#include <strings.h>

#define TTL_USUAL 7200 /* seconds */

/* ---- services ---- */

static const char calendar_defaults[] =
    "{\"events\":[{\"title\":\"Team meeting\",\"startTime\":\"2025-12-01T10:00:00+00:00\","
    "\"endTime\":\"2025-12-01T11:00:00+00:00\",\"timezone\":\"UTC\",\"location\":\"Room 1\"},"
    "{\"title\":\"Company holiday\",\"startDate\":\"2025-12-25\",\"endDate\":\"2025-12-26\"}]}";
static const char gmail_defaults[] =
    "{\"messages\":[{\"subject\":\"Welcome\",\"to\":\"agent@sandbox.example\",\"from\":"
    "\"team@example.com\",\"body\":\"Your mailbox is ready.\",\"labels\":[\"INBOX\",\"UNREAD\"]}],"
    "\"drafts\":[{\"subject\":\"Minutes\",\"to\":\"team@example.com\",\"body\":\"To be "
    "written.\"}]}";
static const char drive_defaults[] =
    "{\"files\":[{\"name\":\"Projects\",\"mimeType\":\"application/vnd.google-apps.folder\"},"
    "{\"name\":\"Notes\",\"mimeType\":\"application/vnd.google-apps.document\",\"content\":"
    "\"First notes\"}]}";
static const char slack_defaults[] =
    "{\"channels\":[{\"name\":\"general\",\"description\":\"For everybody\",\"messages\":"
    "[{\"text\":\"Welcome\",\"reactions\":[{\"name\":\"wave\"}]}]}]}";
static const char outlook_calendar_defaults[] =
    "{\"calendar_events\":[{\"title\":\"Team meeting\",\"start_time\":{\"dateTime\":"
    "\"2025-12-01T10:00:00\",\"timeZone\":\"UTC\"},\"end_time\":{\"dateTime\":"
    "\"2025-12-01T11:00:00\",\"timeZone\":\"UTC\"},\"event_location\":\"Room 1\"}]}";
static const char outlook_mail_defaults[] =
    "{\"messages\":[{\"title\":\"Welcome\",\"content\":{\"contentType\":\"Text\",\"content\":"
    "\"Your mailbox is ready.\"},\"from\":{\"emailAddress\":{\"address\":\"team@example.com\"}},"
    "\"to_addresses\":[\"agent@sandbox.example\"]}]}";
static const char onedrive_defaults[] =
    "{\"root\":[{\"name\":\"root\",\"folders\":[{\"name\":\"Projects\",\"files\":"
    "[{\"name\":\"notes.txt\",\"content\":\"First notes\"}]}]}]}";
static const char teams_defaults[] =
    "{\"team_channels\":[{\"name\":\"Planning\",\"channel_description\":\"What comes next\","
    "\"channel_messages\":[{\"content\":\"Welcome\"}]}]}";

static const char documents_defaults[] =
    "{\"documents\":[{\"title\":\"Notes\",\"content\":\"First notes\"}]}";
static const char sheets_defaults[] =
    "{\"spreadsheets\":[{\"title\":\"Numbers\",\"sheets\":[{\"title\":\"Sheet1\",\"cells\":"
    "[{\"row\":0,\"col\":0,\"value\":\"Item\"},{\"row\":0,\"col\":1,\"value\":\"Cost\"}]}]}]}";

const struct service services[] = {
    {"google_calendar", "google", "calendar", "hosted", NULL, &calendar_data, calendar_defaults,
     payload_to_calendar, payload_of_calendar, "calendar"},
    {"gmail", "google", "gmail", "hosted", NULL, &gmail_data, gmail_defaults, payload_to_gmail,
     payload_of_gmail, "mail"},
    {"google_drive", "google", "drive", "hosted", NULL, &drive_data, drive_defaults,
     payload_to_drive, payload_of_drive, "drive"},
    {"slack", "slack", "slack", "hosted", "/api/auth.test", &slack_data, slack_defaults,
     payload_to_slack, payload_of_slack, "chat"},
    {"outlook_calendar", "microsoft", "outlook_calendar", "hosted", NULL, &outlook_calendar_data,
     outlook_calendar_defaults, payload_to_outlook_calendar, payload_of_outlook_calendar,
     "calendar"},
    {"outlook_mail", "microsoft", "outlook_mail", "hosted", NULL, &outlook_mail_data,
     outlook_mail_defaults, payload_to_outlook_mail, payload_of_outlook_mail, "mail"},
    {"onedrive", "microsoft", "onedrive", "hosted", NULL, &onedrive_data, onedrive_defaults,
     payload_to_onedrive, payload_of_onedrive, "drive"},
    {"microsoft_teams", "microsoft", "teams", "hosted", NULL, &teams_data, teams_defaults,
     payload_to_teams, payload_of_teams, NULL},
    {"google_docs", "google", "drive", "hosted", NULL, &documents_data, documents_defaults,
     payload_to_documents, payload_of_documents, "drive", true},
    {"google_sheets", "google", "drive", "hosted", NULL, &sheets_data, sheets_defaults,
     payload_to_sheets, payload_of_sheets, "drive", true},
};
const size_t n_services = SOSIA_LEN(services);

/* "Google Calendar" is google_calendar: clients of tools write servers' names so. */
const struct service *service_named(const char *name)
{
    for (size_t i = 0; i < n_services; i++) {
        const char *p = services[i].name, *q = name;
        while (*p && (*p == (*q | 0x20) || (*p == '_' && (*q == '_' || *q == ' ')))) {
            p++;
            q++;
        }
        if (!*p && !*q)
            return &services[i];
    }
    return NULL;
}

/* NULL: 422 with what there is. */
static const struct service *service_in(struct hosted_call *c, const struct place *at,
                                        const char *name)
{
    const struct service *found = service_named(name);
    if (found)
        return found;
    const struct json v = {.type = JSON_STRING, .str = name, .n = (uint32_t)strlen(name)};
    const char *all = "";
    for (size_t i = 0; i < n_services; i++)
        all = arena_printf(&c->arena, "%s%s'%s'", all,
                           !i                   ? ""
                           : i + 1 < n_services ? ", "
                                                : " or ",
                           services[i].name);
    fault(c, at, "enum", arena_printf(&c->arena, "Input should be %s", all), &v,
          arena_printf(&c->arena, "{\"expected\":\"%s\"}", all));
    return NULL;
}

static const struct service *service_of_path(struct hosted_call *c)
{
    const struct place path = {.name = "path"};
    const struct place at = {.outer = &path, .name = "server_name"};
    return service_in(c, &at, hosted_path(c, "server_name"));
}

/* ---- answers ---- */

static void write_texts(struct json_writer *w, const char *name, const char *one)
{
    if (!one) {
        json_null(w, name);
        return;
    }
    json_arr(w, name);
    json_str(w, NULL, one);
    json_end(w);
}

/* A credential with which programs of the service's vendor act in the sandbox, and where. */
static int write_auth(struct hosted_call *c, struct json_writer *w, struct sandbox *s)
{
    const char *token = sandbox_token(c, s);
    char key[17];
    struct sosia_world_info info;
    if (!token || sosia_world_info(c->h->engine, s->world, &info, &c->err) < 0)
        return -1;
    memcpy(key, info.key, sizeof key);
    json_obj(w, "auth_data");
    json_str(w, "access_token", token);
    json_str(w, "token_type", "Bearer");
    json_str(w, "account", s->person);
    json_str(w, "base_url", arena_printf(&c->arena, "%s/w/%s", c->request->base_url, key));
    json_end(w);
    return 0;
}

static int write_info(struct hosted_call *c, struct json_writer *w, struct sandbox *s)
{
    struct sosia_world_info info;
    if (sosia_world_info(c->h->engine, s->world, &info, &c->err) < 0)
        return -1;
    json_str(w, "sandbox_id", s->id);
    json_str(w, "server_url", sandbox_url(c, s, NULL));
    json_str(w, "server_name", s->service->name);
    json_str(w, "status", "occupied");
    json_str(w, "benchmark", s->benchmark);
    hosted_time(w, "updated_at", s->updated_us);
    json_obj(w, "metadata");
    hosted_time(w, "created_at", s->created_us);
    if (info.expires_us)
        hosted_time(w, "expires_at", info.expires_us);
    else
        json_null(w, "expires_at");
    json_str(w, "instance_id", s->instance);
    json_str(w, "test_account_email", s->person);
    json_end(w);
    if (write_auth(c, w, s) < 0)
        return -1;
    write_texts(w, "tags", s->tag);
    return 0;
}

/* The sandbox of the path, which must be of the server that the path names. False: the response is
 * there. */
static bool take(struct hosted_call *c)
{
    const struct service *service = service_of_path(c);
    if (!service) {
        hosted_faults(c);
        return false;
    }
    c->sandbox = sandbox_take(c->h, c->tenant, hosted_path(c, "sandbox_id"));
    if (c->sandbox && c->sandbox->kind == KIND_SANDBOX && c->sandbox->service == service)
        return true;
    hosted_refuse(c, 404, "Sandbox not found");
    return false;
}

static int answer_state(struct hosted_call *c, const char *status, const char *message)
{
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    json_str(&w, "sandbox_id", c->sandbox->id);
    json_str(&w, "status", status);
    json_str(&w, "message", message);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

/* ---- handlers ---- */

int hosted_prepare(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *name = hosted_query(c, "server_name");
    const struct place query = {.name = "query"};
    const struct place at = {.outer = &query, .name = "server_name"};
    const struct service *only = name ? service_in(c, &at, name) : NULL;
    struct json_writer w;
    struct buf b;
    uint64_t world;
    if (name && !only)
        return hosted_faults(c);
    for (size_t i = 0; i < n_services; i++)
        if ((!only || only == &services[i]) && base_take(c, accounts_of(&services[i]), &world) < 0)
            return hosted_failed(c);
    hosted_begin(&b, &w);
    json_str(&w, "message", "Sandboxes are ready to be acquired");
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

int hosted_list(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const char *tag = hosted_query(c, "tag"), *server = hosted_query(c, "server_name");
    struct sandbox **list;
    struct json_writer w;
    struct buf b;
    int64_t total = 0;
    size_t n = sandbox_list(c, c->tenant, &list);
    hosted_begin(&b, &w);
    json_arr(&w, "sandboxes");
    for (size_t i = 0; i < n; i++) {
        const struct sandbox *s = list[i];
        if (s->kind == KIND_SANDBOX && (!tag || str_same(s->tag, tag)) &&
            (!server || service_named(server) == s->service)) {
            json_obj(&w, NULL);
            json_str(&w, "sandbox_id", s->id);
            json_str(&w, "server_name", s->service->name);
            json_str(&w, "status", "occupied");
            json_str(&w, "benchmark", s->benchmark);
            write_texts(&w, "tags", s->tag);
            hosted_time(&w, "updated_at", s->updated_us);
            json_end(&w);
            total++;
        }
        sandbox_give(list[i]);
    }
    json_end(&w);
    json_int(&w, "total_count", total);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

static int answer_acquired(struct hosted_call *c)
{
    struct sandbox *s = c->sandbox;
    const char *url = sandbox_url(c, s, NULL);
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    json_str(&w, "sandbox_id", s->id);
    json_str(&w, "server_url", url);
    json_obj(&w, "server_urls");
    json_str(&w, s->service->name, url);
    json_end(&w);
    json_str(&w, "server_name", s->service->name);
    json_str(&w, "status", "occupied");
    json_str(&w, "message",
             "Sandbox acquired successfully. Use the server_url to connect to the MCP server.");
    json_end(&w);
    return hosted_answer(c, 201, &b);
}

/* In small letters, as worlds have addresses; NULL: none. */
static const char *lower(struct hosted_call *c, const char *email)
{
    char *copy = email ? arena_strdup(&c->arena, email) : NULL;
    for (char *p = copy; p && *p; p++)
        if (*p >= 'A' && *p <= 'Z')
            *p += 'a' - 'A';
    return copy;
}

int hosted_acquire(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const struct service *service = service_of_path(c);
    const struct json *ttl = json_get(c->body, "ttl_seconds");
    const char *email = lower(c, json_get_str(c->body, "test_account_email"));
    bool usual = !email || strcmp(email, usual_person) == 0, refused;
    struct sandbox_new n = {.kind = KIND_SANDBOX,
                            .service = service,
                            .tag = json_get_str(c->body, "tag"),
                            .benchmark = json_get_str(c->body, "benchmark"),
                            .person = usual ? usual_person : email,
                            .ttl_us = (ttl ? lax_int(ttl) : TTL_USUAL) * US_PER_SECOND};
    if (!service)
        return hosted_faults(c);
    if (!usual && !c->request->on_worker)
        return SERVER_SLOW; /* an account of its own is a world of its own */
    if (tenant_full(c->h, c->tenant, false))
        return hosted_full(c);
    const unsigned accounts = accounts_of(service);
    if ((usual ? base_take(c, accounts, &n.from) : base_make(c, accounts, email, &n.from)) < 0)
        return hosted_failed(c);
    c->sandbox = sandbox_make(c, &n, &refused);
    if (!usual)
        sosia_world_drop(c->h->engine, n.from, NULL);
    if (refused)
        return hosted_many(c);
    return c->sandbox ? answer_acquired(c) : hosted_failed(c);
}

int hosted_get(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct json_writer w;
    struct buf b;
    if (!take(c))
        return 0;
    hosted_begin(&b, &w);
    if (write_info(c, &w, c->sandbox) < 0) {
        buf_done(&b);
        return hosted_failed(c);
    }
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

int hosted_release(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!take(c))
        return 0;
    const char *instance = hosted_query(c, "instance_id");
    if (instance && strcasecmp(instance, c->sandbox->instance) != 0)
        return answer_state(c, "occupied",
                            "Sandbox was not released: the instance_id is of another instance");
    int r = sandbox_release(c, c->sandbox);
    if (r < 0)
        return hosted_failed(c);
    if (!r)
        return hosted_refuse(c, 404, "Sandbox not found");
    return answer_state(c, "idle",
                        arena_printf(&c->arena,
                                     "Sandbox %s released successfully and is now available for "
                                     "reuse",
                                     c->sandbox->id));
}

int hosted_reset(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!take(c))
        return 0;
    if (sosia_world_reset(c->h->engine, c->sandbox->world, &c->err) < 0 ||
        sandbox_changed(c, c->sandbox) < 0)
        return hosted_failed(c);
    return answer_state(c, "occupied",
                        arena_printf(&c->arena,
                                     "Sandbox %s reset successfully to its initial empty state",
                                     c->sandbox->id));
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Local sandboxes: several servers in one world, with a workspace whose files come and go as
 * archives. An archive's address is its credential: it opens nothing else, and for half an hour.
 * Older clients ask for the same below "/sandbox/local_dev".
 */
#include "engine/http/multipart.h"
#include "hosted/impl.h"
#include "mcp/servers/carried.h"
#include "services/workspace/core/workspace.h"
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>

#define TTL_USUAL   7200
#define TICKETS_MAX 500 /* of a tenant at a time */
#define MINUTES     30
#define FORM_FILES  1000

/* Servers of a workspace; those of vendors' services are beside them, and those that are carried.
 */
static const struct service locals[] = {
    {.name = "filesystem", .vendor = "local", .endpoint = "filesystem", .tools = "hosted"},
    {.name = "localmemory", .vendor = "local", .endpoint = "localmemory", .tools = "hosted"},
    {.name = "git", .vendor = "local", .endpoint = "git", .tools = "hosted"},
    {.name = "terminal", .vendor = "local", .endpoint = "terminal", .tools = "hosted"},
    {.name = "code-executor", .vendor = "local", .endpoint = "code-executor", .tools = "hosted"},
    {.name = "code-runner", .vendor = "local", .endpoint = "code-runner", .tools = "hosted"},
    {.name = "desktop-commander",
     .vendor = "local",
     .endpoint = "desktop-commander",
     .tools = "hosted"},
    {.name = "pdf-tools", .vendor = "local", .endpoint = "pdf-tools", .tools = "hosted"},
    {.name = POSTE,
     .vendor = "local",
     .endpoint = POSTE,
     .tools = "hosted",
     .data = &poste_data,
     .defaults = poste_defaults,
     .seed = payload_to_poste,
     .dump = payload_of_poste},
};

/* A server that is carried, of which there is its name: its tools are those of the endpoint. */
static const struct service *carried_at(struct hosted *h, size_t i)
{
    const struct mcp_carried *k = mcp_carried_at(i);
    if (!k || i >= CARRIED_MAX)
        return NULL;
    pthread_mutex_lock(&h->bases_lock);
    if (!h->carried[i].name)
        h->carried[i] = (struct service){
            .name = k->name, .vendor = "local", .endpoint = k->name, .tools = "hosted"};
    pthread_mutex_unlock(&h->bases_lock);
    return &h->carried[i];
}

/* The server of a place; NULL: there are no more. */
static const struct service *server_at(struct hosted *h, size_t i)
{
    if (i < SOSIA_LEN(locals))
        return &locals[i];
    i -= SOSIA_LEN(locals);
    for (size_t k = 0; k < n_services; k++)
        if (!services[k].alone && !i--)
            return &services[k];
    return carried_at(h, i);
}

/* Which of them have tools here, as bits of their places. */
static int served(struct hosted_call *c, uint64_t *ret)
{
    uint64_t bits = 0;
    const struct service *s;
    uint64_t base;
    pthread_mutex_lock(&c->h->bases_lock);
    *ret = c->h->locals_known ? c->h->locals : 0;
    bool known = c->h->locals_known;
    pthread_mutex_unlock(&c->h->bases_lock);
    if (known)
        return 0;
    if (base_take(c, ACCOUNTS_ALL, &base) < 0)
        return -1;
    for (size_t i = 0; (s = server_at(c->h, i)); i++) {
        const struct json *list, *tools;
        const char *why;
        if (tools_listed(c, base, usual_person, s, &list, &why) < 0)
            return -1;
        if (list && items_of(list, "tools", &tools))
            bits |= UINT64_C(1) << i;
    }
    pthread_mutex_lock(&c->h->bases_lock);
    c->h->locals = bits;
    c->h->locals_known = true;
    pthread_mutex_unlock(&c->h->bases_lock);
    *ret = bits;
    return 0;
}

/* ---- the servers of one ---- */

/* "filesystem=UUID gmail=UUID": the id of a server, in the arena; NULL: it has none. */
static const char *server_id(struct hosted_call *c, const struct sandbox *s, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = s->servers; at && *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");
        if (len > n && strncmp(at, name, n) == 0 && at[n] == '=')
            return arena_memdup(&c->arena, at + n + 1, len - n - 1);
        at += len;
    }
    return NULL;
}

const struct service *local_server(struct hosted_call *c, const struct sandbox *s, const char *name)
{
    const struct service *server;
    if (s->kind != KIND_E2B && (s->kind != KIND_LOCAL || !server_id(c, s, name)))
        return NULL; /* one of E2B's has all of them */
    for (size_t i = 0; (server = server_at(c->h, i)); i++)
        if (strcmp(server->name, name) == 0)
            return server;
    return NULL;
}

bool local_has_folders(struct hosted_call *c, const struct sandbox *s)
{
    const struct service *server;
    unsigned accounts = 0;
    for (size_t i = 0; (server = server_at(c->h, i)); i++)
        if (server_id(c, s, server->name))
            accounts |= accounts_of(server);
    return (accounts & ACCOUNTS_BOTH) == ACCOUNTS_MICROSOFT;
}

/* The tenant's local sandbox whose server has an id, with a reference; NULL: there is none. */
static struct sandbox *sandbox_of_server(struct hosted_call *c, const char *name, const char *id)
{
    struct sandbox **list, *found = NULL;
    size_t n = sandbox_list(c, c->tenant, &list);
    for (size_t i = 0; i < n; i++) {
        if (!found && list[i]->kind == KIND_LOCAL && str_same(server_id(c, list[i], name), id))
            found = list[i];
        else
            sandbox_give(list[i]);
    }
    return found;
}

bool hosted_local_take_server(struct hosted_call *c)
{
    const char *name = hosted_path(c, "server_name"), *id = hosted_path(c, "sandbox_id");
    struct sandbox *s = sandbox_take(c->h, c->tenant, id);
    c->sandbox = s ? s : sandbox_of_server(c, name, id);
    if (c->sandbox && c->sandbox->kind == KIND_LOCAL)
        c->service = local_server(c, c->sandbox, name);
    if (c->service && c->service->data)
        return true;
    hosted_refuse(c, 404, "Sandbox not found");
    return false;
}

static int add_server(struct hosted_call *c, const char **servers, const struct service *s)
{
    char id[UUID_TEXT];
    if (random_uuid(id, &c->err) < 0)
        return -1;
    *servers = arena_printf(&c->arena, "%s%s%s=%s", *servers ? *servers : "", *servers ? " " : "",
                            s->name, id);
    return 0;
}

/* One of those that were asked for; a fault: it is not served. */
static void ask_server(struct hosted_call *c, uint64_t bits, const struct place *at,
                       const struct json *v, uint64_t *asked)
{
    const struct service *s;
    const char *all = "";
    for (size_t i = 0; (s = server_at(c->h, i)); i++) {
        if (!(bits >> i & 1))
            continue;
        if (v->type == JSON_STRING && strcasecmp(v->str, s->name) == 0) {
            *asked |= UINT64_C(1) << i;
            return;
        }
        all = arena_printf(&c->arena, "%s%s'%s'", all, *all ? ", " : "", s->name);
    }
    fault(c, at, "enum", arena_printf(&c->arena, "Input should be one of %s", all), v,
          arena_printf(&c->arena, "{\"expected\":\"%s\"}", all));
}

/* Those that are asked for, with the accounts that its person has for them. names NULL: all. */
static int choose_servers(struct hosted_call *c, const struct json *names, const char **ret,
                          unsigned *ret_accounts)
{
    const struct place body = {.name = "body"}, at = {.outer = &body, .name = "server_names"};
    const struct service *s;
    uint64_t bits, asked = 0;
    *ret = NULL;
    *ret_accounts = ACCOUNTS_SLACK;
    if (served(c, &bits) < 0)
        return -1;
    if (!names || (names->type == JSON_STRING && strcmp(names->str, "ALL") == 0))
        asked = bits;
    else if (names->type != JSON_ARRAY || !names->n)
        fault(c, &at, "list_type", "Input should be a valid list with servers, or 'ALL'", names,
              NULL);
    else
        for (uint32_t i = 0; i < names->n && c->n_faults < FAULTS_MAX; i++)
            ask_server(c, bits, &(struct place){.outer = &at, .item = i}, &names->items[i], &asked);
    for (size_t i = 0; (s = server_at(c->h, i)) && !c->n_faults; i++) {
        if (!(asked >> i & 1))
            continue;
        *ret_accounts |= accounts_of(s);
        if (add_server(c, ret, s) < 0)
            return -1;
    }
    if (!(*ret_accounts & ACCOUNTS_BOTH))
        *ret_accounts |= ACCOUNTS_GOOGLE; /* its mail is for the tools of files */
    return 0;
}

/* ---- answers ---- */

/* Where the mail server is: it has no ports, as its tools need none. */
static void write_auth(struct json_writer *w, const struct service *server)
{
    if (strcmp(server->name, POSTE) != 0) {
        json_null(w, "auth_data");
        return;
    }
    json_obj(w, "auth_data");
    json_str(w, "ip", "127.0.0.1");
    json_null(w, "smtp_port");
    json_null(w, "imap_port");
    json_end(w);
}

static void write_servers(struct hosted_call *c, struct json_writer *w, const struct sandbox *s)
{
    const struct service *server;
    json_arr(w, "servers");
    for (size_t i = 0; (server = server_at(c->h, i)); i++) {
        const char *id = server_id(c, s, server->name);
        if (!id)
            continue;
        json_obj(w, NULL);
        json_str(w, "server_name", server->name);
        json_str(w, "id", id);
        json_str(w, "mcp_server_url", sandbox_url(c, s, server));
        json_str(w, "status", "occupied");
        json_str(w, "benchmark", s->benchmark);
        hosted_time(w, "updated_at", s->updated_us);
        json_null(w, "metadata");
        write_auth(w, server);
        json_null(w, "tags");
        json_end(w);
    }
    json_end(w);
}

static void write_local(struct hosted_call *c, struct json_writer *w, const struct sandbox *s)
{
    json_str(w, "local_sandbox_id", s->id);
    hosted_time(w, "created_at", s->created_us);
    json_str(w, "status", "occupied");
    json_str(w, "benchmark", s->benchmark);
    write_servers(c, w, s);
}

/* In the shape of the older interface. */
static void write_dev(struct hosted_call *c, struct json_writer *w, const struct sandbox *s)
{
    const struct service *server;
    json_str(w, "sandbox_id", s->id);
    json_obj(w, "server_urls");
    for (size_t i = 0; (server = server_at(c->h, i)); i++)
        if (server_id(c, s, server->name))
            json_str(w, server->name, sandbox_url(c, s, server));
    json_end(w);
    json_str(w, "server_name", "local_dev");
    json_str(w, "status", "occupied");
}

/* Whether the path is that of the older interface. */
static bool is_dev(const struct hosted_call *c)
{
    return str_starts(c->request->path, "/sandbox/");
}

static int answer_message(struct hosted_call *c, const char *status, const char *message)
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

bool hosted_local_take(struct hosted_call *c)
{
    c->sandbox = sandbox_take(c->h, c->tenant, hosted_path(c, "sandbox_id"));
    if (c->sandbox && c->sandbox->kind == KIND_LOCAL)
        return true;
    hosted_refuse(c, 404, "Local sandbox not found");
    return false;
}

/* ---- acquire, list, get, reset, release ---- */

int hosted_local_acquire(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    const struct json *ttl = json_get(c->body, "ttl_seconds"),
                      *names = json_get(c->body, "server_names");
    struct sandbox_new n = {.kind = KIND_LOCAL,
                            .person = usual_person,
                            .benchmark = json_get_str(c->body, "benchmark"),
                            .ttl_us = (ttl ? lax_int(ttl) : TTL_USUAL) * US_PER_SECOND};
    struct json_writer w;
    struct buf b;
    bool refused, dev = is_dev(c);
    unsigned accounts;
    if (!c->request->on_worker)
        return SERVER_SLOW;
    if (!dev && !names) {
        const struct place body = {.name = "body"}, at = {.outer = &body, .name = "server_names"};
        fault(c, &at, "missing", "Field required", c->body, NULL);
        return hosted_faults(c);
    }
    if (tenant_full(c->h, c->tenant, false))
        return hosted_full(c);
    if (choose_servers(c, dev ? NULL : names, &n.servers, &accounts) < 0)
        return hosted_failed(c);
    if (c->n_faults)
        return hosted_faults(c);
    if (base_take(c, accounts, &n.from) < 0)
        return hosted_failed(c);
    c->sandbox = sandbox_make(c, &n, &refused);
    if (refused)
        return hosted_many(c);
    if (!c->sandbox)
        return hosted_failed(c);
    hosted_begin(&b, &w);
    if (dev)
        write_dev(c, &w, c->sandbox);
    else
        write_local(c, &w, c->sandbox);
    json_str(&w, "message", "Local sandbox environment acquired successfully");
    json_end(&w);
    return hosted_answer(c, 201, &b);
}

int hosted_local_list(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct sandbox **list;
    struct json_writer w;
    struct buf b;
    int64_t total = 0;
    size_t n = sandbox_list(c, c->tenant, &list);
    hosted_begin(&b, &w);
    json_arr(&w, "local_sandboxes");
    for (size_t i = 0; i < n; i++) {
        if (list[i]->kind == KIND_LOCAL) {
            json_obj(&w, NULL);
            write_local(c, &w, list[i]);
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

int hosted_local_get(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    struct json_writer w;
    struct buf b;
    if (!hosted_local_take(c))
        return 0;
    hosted_begin(&b, &w);
    if (is_dev(c))
        write_dev(c, &w, c->sandbox);
    else
        write_local(c, &w, c->sandbox);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

int hosted_local_reset(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!hosted_local_take(c))
        return 0;
    if (sosia_world_reset(c->h->engine, c->sandbox->world, &c->err) < 0 ||
        sandbox_changed(c, c->sandbox) < 0)
        return hosted_failed(c);
    return answer_message(c, "occupied", "Local sandbox reset successfully");
}

int hosted_local_release(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!hosted_local_take(c))
        return 0;
    int r = sandbox_release(c, c->sandbox);
    if (r < 0)
        return hosted_failed(c);
    if (!r)
        return hosted_refuse(c, 404, "Local sandbox not found");
    return answer_message(c, "idle",
                          arena_printf(&c->arena,
                                       "Local sandbox release started for %s: it will be released "
                                       "asynchronously in background.",
                                       c->sandbox->id));
}

/* ---- addresses of archives ---- */

/* Where an archive goes, or comes from. */
struct ticket {
    struct ticket *next;
    char name[49];
    bool upload;
    uint64_t world; /* the sandbox's; of a download a fork of it, which ends by itself */
    char execution[EXECUTION_NAME + 1]; /* what an archive is sent for; "": the workspace */
    struct sandbox *sandbox;            /* with a reference */
    int64_t expires_us;
};

static void ticket_free(struct ticket *t)
{
    sandbox_give(t->sandbox);
    free(t);
}

/* Under the registry's mutex: those whose time is over go. How many a tenant has. */
static size_t tickets_tidy(struct hosted *h, const struct tenant *of, int64_t now)
{
    size_t n = 0;
    for (struct ticket **at = &h->tickets; *at;) {
        struct ticket *t = *at;
        if (t->expires_us > now && !t->sandbox->released) {
            n += t->sandbox->tenant == of;
            at = &t->next;
            continue;
        }
        *at = t->next;
        ticket_free(t);
    }
    return n;
}

int64_t tickets_size(struct hosted *h, const struct tenant *of)
{
    uint64_t worlds[TICKETS_MAX];
    struct sosia_world_info info;
    int64_t bytes = 0;
    size_t n = 0;
    pthread_mutex_lock(&h->lock);
    for (const struct ticket *t = h->tickets; t && n < TICKETS_MAX; t = t->next)
        if (!t->upload && t->sandbox->tenant == of)
            worlds[n++] = t->world;
    pthread_mutex_unlock(&h->lock);
    for (size_t i = 0; i < n; i++)
        if (sosia_world_info(h->engine, worlds[i], &info, NULL) == 0)
            bytes += (int64_t)info.size;
    return bytes;
}

void tickets_free(struct hosted *h)
{
    while (h->tickets) {
        struct ticket *t = h->tickets;
        h->tickets = t->next;
        ticket_free(t);
    }
}

const char *ticket_new(struct hosted_call *c, bool upload, uint64_t world, const char *execution)
{
    struct hosted *h = c->h;
    uint8_t bytes[24];
    int64_t now = real_us();
    struct ticket *t = calloc(1, sizeof *t);
    if (!t || getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        free(t);
        sosia_fail_memory(&c->err);
        return NULL;
    }
    hex_encode(t->name, bytes, sizeof bytes);
    t->upload = upload;
    t->world = world;
    snprintf(t->execution, sizeof t->execution, "%s", execution);
    t->expires_us = now + ARCHIVE_US;
    const char *url = arena_printf(&c->arena, "%s" ARCHIVES "%s", c->request->base_url, t->name);
    t->sandbox = sandbox_ref(c->sandbox);
    pthread_mutex_lock(&h->lock);
    bool room = tickets_tidy(h, c->tenant, now) < TICKETS_MAX;
    if (room) {
        t->next = h->tickets;
        h->tickets = t;
    }
    pthread_mutex_unlock(&h->lock);
    if (room)
        return url;
    ticket_free(t);
    sosia_fail(&c->err, SOSIA_E_LIMIT, "tickets", NULL,
               "an API key may have %d addresses of archives at a time", TICKETS_MAX);
    return NULL;
}

/* Its sandbox, with a reference, its world and its execution (NULL: nobody asks); NULL: there is
 * none, or none of this kind. */
static struct sandbox *ticket_take(struct hosted *h, const char *name, bool upload,
                                   uint64_t *ret_world, char ret_execution[EXECUTION_NAME + 1])
{
    struct sandbox *s = NULL;
    pthread_mutex_lock(&h->lock);
    tickets_tidy(h, NULL, real_us());
    for (struct ticket *t = h->tickets; t && !s; t = t->next)
        if (strcmp(t->name, name) == 0 && t->upload == upload) {
            s = sandbox_ref(t->sandbox);
            *ret_world = t->world;
            if (ret_execution)
                strcpy(ret_execution, t->execution);
        }
    pthread_mutex_unlock(&h->lock);
    return s;
}

bool archive_is_known(struct hosted *h, const char *path)
{
    uint64_t world;
    struct sandbox *s = str_starts(path, ARCHIVES)
                            ? ticket_take(h, path + sizeof ARCHIVES - 1, true, &world, NULL)
                            : NULL;
    const bool known = s != NULL;
    sandbox_give(s);
    return known;
}

int hosted_local_url(struct hosted_call *c, const char *name, const char *url)
{
    struct json_writer w;
    struct buf b;
    if (!url)
        return hosted_failed(c);
    hosted_begin(&b, &w);
    json_str(&w, name, url);
    json_int(&w, "expires_in_minutes", MINUTES);
    json_end(&w);
    return hosted_answer(c, 200, &b);
}

int hosted_local_upload_url(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!hosted_local_take(c))
        return 0;
    return hosted_local_url(c, "upload_url", ticket_new(c, true, c->sandbox->world, ""));
}

/* A fork has the state of this moment, whatever is done until it is fetched. */
int hosted_local_dump(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    uint64_t fork;
    if (!hosted_local_take(c))
        return 0;
    if (archive_fork(c, c->sandbox->world, &fork) < 0)
        return hosted_failed(c);
    const char *url = ticket_new(c, false, fork, "");
    if (!url)
        sosia_world_drop(c->h->engine, fork, NULL);
    return hosted_local_url(c, "download_url", url);
}

int hosted_archive_put(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    uint64_t world, before;
    char execution[EXECUTION_NAME + 1];
    c->sandbox = ticket_take(c->h, hosted_path(c, "ticket"), true, &world, execution);
    if (!c->sandbox)
        return hosted_refuse(c, 403, "This address is not valid, or not any more");
    c->tenant = c->sandbox->tenant;
    if (tenant_full(c->h, c->tenant, false))
        return hosted_full(c);
    if (archive_read(c, c->request->body, c->request->body_len, &world) < 0)
        return sosia_code_status(c->err.code) < 500 ? hosted_refuse(c, 400, "%s", c->err.text)
                                                    : hosted_failed(c);
    if (*execution)
        return execution_sent(c, execution, world);
    pthread_mutex_lock(&c->h->lock);
    before = c->sandbox->upload;
    c->sandbox->upload = world;
    pthread_mutex_unlock(&c->h->lock);
    if (before)
        sosia_world_drop(c->h->engine, before, NULL);
    struct buf b;
    buf_init(&b, 0);
    return hosted_answer(c, 200, &b);
}

int hosted_archive_get(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    uint64_t world;
    struct buf b;
    c->sandbox = ticket_take(c->h, hosted_path(c, "ticket"), false, &world, NULL);
    if (!c->sandbox)
        return hosted_refuse(c, 403, "This address is not valid, or not any more");
    buf_init(&b, 0);
    if (archive_write(c, world, &b) < 0) {
        buf_done(&b);
        return hosted_failed(c);
    }
    server_answer_buf(c->response, 200, &b);
    c->response->content_type = "application/gzip";
    return 0;
}

/* ---- initialize ---- */

static const char *content_type(const struct hosted_call *c)
{
    for (size_t i = 0; i < c->request->n_headers; i++)
        if (strcasecmp(c->request->headers[i].name, "Content-Type") == 0)
            return c->request->headers[i].value;
    return "";
}

/* Of a part that is a file, in the arena; NULL: it is none. */
static const char *file_name(struct hosted_call *c, const struct part *p)
{
    static const char mark[] = "filename=\"";
    const char *text = part_header(&c->arena, p, "Content-Disposition");
    const char *name = text ? strcasestr(text, mark) : NULL;
    if (!name)
        return NULL;
    name += sizeof mark - 1;
    char *copy = arena_memdup(&c->arena, name, strcspn(name, "\""));
    make_utf8(copy, strlen(copy));
    return *copy ? copy : NULL;
}

/* Files as parts of a form, as the published Python client sends them. 1: they are applied; 0: it
 * is another body; -1: c->err. */
static int apply_form(struct hosted_call *c)
{
    char boundary[MULTIPART_BOUNDARY];
    struct part *parts;
    size_t n;
    struct json_writer w;
    struct buf b;
    if (multipart_boundary(content_type(c), boundary) < 0)
        return 0;
    if (multipart_parse(&c->arena, c->request->body, c->request->body_len, boundary, FORM_FILES,
                        &parts, &n, &c->err) < 0)
        return -1;
    hosted_begin(&b, &w);
    json_int(&w, "sosia", 1);
    json_arr(&w, WORKSPACE_CORE);
    for (size_t i = 0; i < n; i++) {
        const char *name = file_name(c, &parts[i]);
        struct buf coded;
        if (!name)
            continue;
        buf_init(&coded, 0);
        base64_add(&coded, parts[i].body, parts[i].body_len);
        json_obj(&w, NULL);
        json_str(&w, "path", name);
        json_str(&w, "base64", buf_str(&coded));
        json_end(&w);
        buf_done(&coded);
    }
    json_end(&w);
    json_end(&w);
    int rc = buf_failed(&b) ? sosia_fail_memory(&c->err)
                            : sosia_world_seed(c->h->engine, c->sandbox->world, b.data, b.len,
                                               "the form", &c->err);
    buf_done(&b);
    return rc < 0 ? -1 : 1;
}

int hosted_local_initialize(struct call *call)
{
    struct hosted_call *c = hosted_of(call);
    if (!hosted_local_take(c))
        return 0;
    int r = apply_form(c);
    if (r == 0) {
        pthread_mutex_lock(&c->h->lock);
        uint64_t upload = c->sandbox->upload;
        c->sandbox->upload = 0;
        pthread_mutex_unlock(&c->h->lock);
        if (!upload)
            return hosted_refuse(c, 400, "An archive must be sent to an upload_url first");
        r = archive_apply(c, upload, c->sandbox->world);
        sosia_world_drop(c->h->engine, upload, NULL);
    }
    if (r < 0 && c->err.code == SOSIA_E_INVALID)
        return hosted_refuse(c, 400, "%s", c->err.text);
    if (r < 0 || sandbox_changed(c, c->sandbox) < 0)
        return hosted_failed(c);
    return answer_message(c, "occupied", "Extracted archive to workspace");
}

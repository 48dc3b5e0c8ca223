/* SPDX-License-Identifier: Apache-2.0 */
/* sosia serve: an engine, a world from a fixture, a server, and what a person or a script needs to
 * use them. */
#include "cli/announce.h"
#include "console/files.h"
#include "cli/cli.h"
#include "cli/origin.h"
#include "cli/host.h"
#include "cli/resident.h"
#include "engine/base/codec.h"
#include "server/control/control.h"
#include "server/listen.h"
#include "services/list.h"
#include "services/web/core/web.h"
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_PORT 8787
#define MAX_HOSTS    64 /* of each option that names some */

/* ---- serve ---- */

struct fixed_token {
    const char *value, *actor;
};

/* Of an option that may be repeated. */
struct host_list {
    const char *option;
    const char *list[MAX_HOSTS + 1]; /* NULL-terminated */
    size_t n;
};

struct serve {
    const char *port, *https_port, *listen, *data, *fixture, *fixtures, *runs, *workflows, *clock,
        *step, *seed, *key, *name, *ca, *log, *webhook_ca, *world_secret, *faults;
    const char *max_worlds, *max_world_size, *max_size, *park_after, *park_over, *max_body,
        *spool_over, *spool_dir, *oauth, *journal, *api_key;
    bool json, log_requests, log_json, key_from_environment, make_key, rates, mcp_fixture,
        evaluation, web;
    bool registration; /* programs register in the world that is served */
    bool loopback;     /* only this machine reaches the server */
    struct tenant_options tenants;
    struct carry carry;
    struct fixed_token tokens[64];
    size_t n_tokens;
    struct host_list named, webhooks;
    int denied[MAX_HOSTS + 1]; /* ports of none of them; ends with 0 */
    size_t n_denied;
    enum sosia_clock_mode mode;
    int64_t step_us;
    uint64_t seed_number;
    struct host host;
    uint64_t world;
    struct sosia_world_info info;
};

static int add_token(void *arg, const char *value)
{
    struct serve *s = arg;
    const char *equals = strrchr(value, '=');
    if (!equals || equals == value || !equals[1] || s->n_tokens == SOSIA_LEN(s->tokens)) {
        fprintf(stderr, "sosia serve: --token must be VALUE=ACTOR, %zu times at most, not \"%s\"\n",
                SOSIA_LEN(s->tokens), value);
        return -1;
    }
    s->tokens[s->n_tokens].value = strndup(value, (size_t)(equals - value));
    s->tokens[s->n_tokens++].actor = equals + 1;
    return 0;
}

static int add_host(void *arg, const char *value)
{
    struct host_list *h = arg;
    if (h->n == MAX_HOSTS) {
        fprintf(stderr, "sosia serve: --%s must be given %d times at most, is more often\n",
                h->option, MAX_HOSTS);
        return -1;
    }
    h->list[h->n++] = value;
    return 0;
}

static int add_denied(void *arg, const char *value)
{
    struct serve *s = arg;
    int64_t port;
    if (option_int("webhook-deny", value, 1, 65535, &port) < 0)
        return -1;
    if (s->n_denied == MAX_HOSTS) {
        fprintf(stderr,
                "sosia serve: --webhook-deny must be given %d times at most, is more often\n",
                MAX_HOSTS);
        return -1;
    }
    s->denied[s->n_denied++] = (int)port;
    return 0;
}

/* A fixture's name without its options, or a path's last part without its ending, as a world may be
 * called: letters and digits of ASCII, dashes for everything else but '_' and '.', a letter or a
 * digit in front. */
static void fixture_name(const char *fixture, char ret_name[64])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const char *last = strrchr(fixture, '/');
    bool path = fixture_is_path(fixture);
    if (path && last)
        fixture = last + 1;
    const char *dot = path ? strrchr(fixture, '.') : NULL;
    size_t n = dot && dot > fixture ? (size_t)(dot - fixture) : strcspn(fixture, path ? "" : ":");
    for (; n && !strchr(plain, *fixture); n--)
        fixture++;
    snprintf(ret_name, 64, "%.*s", n < 63 ? (int)n : 63, fixture);
    if (!n)
        strcpy(ret_name, "default");
    for (char *p = ret_name; *p; p++)
        if (!strchr(plain, *p) && !strchr("-_.", *p))
            *p = '-';
}

static int make_from_file(struct serve *s, const char *name, struct sosia_err *err)
{
    struct arena a;
    struct fixture f;
    arena_init(&a, 0);
    int rc = fixture_load(&a, s->fixtures, s->fixture, &f, err);
    if (rc == 0) {
        struct sosia_world_options opt = {.name = name,
                                          .clock = s->mode,
                                          .step_us = s->step_us,
                                          .seed = s->seed_number,
                                          .seed_doc = f.text,
                                          .seed_doc_len = f.len,
                                          .seed_doc_name = f.file};
        rc = sosia_world_create(s->host.engine, &opt, &s->world, err);
        if (rc < 0)
            origins_mend(f.origins, err);
    }
    arena_done(&a);
    return rc;
}

/* The world that is served: the one of this name in the data directory, or a new one. */
static int make_world(struct serve *s, struct sosia_err *err)
{
    char fixture[64];
    if (s->fixture)
        fixture_name(s->fixture, fixture);
    const char *name = s->name ? s->name : s->fixture ? fixture : "default";
    struct sosia_engine *e = s->host.engine;
    uint64_t snapshot;
    if (sosia_world_find(e, name, &s->world, NULL) == 0)
        return 0;
    if (s->fixture && fixture_is_path(s->fixture))
        return make_from_file(s, name, err);
    if (!s->fixture) {
        struct sosia_world_options opt = {
            .name = name, .clock = s->mode, .step_us = s->step_us, .seed = s->seed_number};
        return sosia_world_create(e, &opt, &s->world, err);
    }
    struct sosia_fork_options fork = {.name = name,
                                      .seed = s->seed_number,
                                      .set_clock = true,
                                      .clock = s->mode,
                                      .step_us = s->step_us};
    if (host_snapshot(&s->host.fixtures, s->fixture, s->mode, &snapshot, err) < 0)
        return -1;
    return sosia_world_fork(e, snapshot, &fork, &s->world, err);
}

/* A world out of a data directory may have them already, even for another actor. */
static int fix_tokens(struct serve *s, struct sosia_err *err)
{
    char token[4096];
    for (size_t i = 0; i < s->n_tokens; i++) {
        struct sosia_token_options t = {.actor = s->tokens[i].actor, .value = s->tokens[i].value};
        sosia_token_revoke(s->host.engine, s->world, t.value, NULL);
        if (sosia_token_issue(s->host.engine, s->world, &t, token, sizeof token, err) < 0)
            return -1;
    }
    return 0;
}

static int read_numbers(struct serve *s, struct sosia_engine_options *eo, struct server_options *so)
{
    int64_t port = DEFAULT_PORT, https = -1, worlds = 0, world = 0, all = 0, seed = 0, step = 1000,
            body = 0, spool = 0, after = 0, over = 0;
    const struct {
        const char *name, *text;
        int64_t min, max, *to;
    } numbers[] = {{"port", s->port, 0, 65535, &port},
                   {"https-port", s->https_port, 0, 65535, &https},
                   {"max-worlds", s->max_worlds, 0, 1 << 24, &worlds},
                   {"max-world-size", s->max_world_size, 0, INT64_MAX, &world},
                   {"max-size", s->max_size, 0, INT64_MAX, &all},
                   {"park-after", s->park_after, 0, 1000000000, &after},
                   {"park-over", s->park_over, 0, INT64_MAX, &over},
                   {"max-body", s->max_body, 1, 1 << 30, &body},
                   {"spool-over", s->spool_over, 1, 1 << 30, &spool},
                   {"seed", s->seed, 1, INT64_MAX, &seed},
                   {"step", s->step, 1, INT64_C(86400000000), &step}};
    for (size_t i = 0; i < SOSIA_LEN(numbers); i++)
        if (numbers[i].text && option_int(numbers[i].name, numbers[i].text, numbers[i].min,
                                          numbers[i].max, numbers[i].to) < 0)
            return -1;
    if (s->https_port && !s->ca) {
        fprintf(stderr, "sosia serve: --https-port must be given with --ca, is given alone\n");
        return -1;
    }
    if (https < 0 && s->ca)
        https = port ? port + 1 : 0; /* a named authority implies HTTPS */
    so->port = (int)port;
    so->https_port = https > 65535 ? 0 : (int)https;
    eo->max_worlds = (uint64_t)worlds;
    eo->max_world_size = (uint64_t)world;
    eo->max_size = (uint64_t)all;
    eo->park_after_us = after * 1000000;
    eo->park_over = (uint64_t)over;
    so->max_body = (size_t)body;
    so->spool_over = (size_t)spool;
    eo->spool_over = (uint64_t)spool;
    s->seed_number = (uint64_t)seed;
    s->step_us = step * 1000;
    return 0;
}

/* "1000", "64M", "1000/64M": how many states, and what they may hold. Nothing is none of either. */
static int read_steps(char *text, struct sosia_journal_settings *ret)
{
    char *size = strchr(text, '/');
    if (size)
        *size++ = 0;
    else if (*text && strchr("KMG", text[strlen(text) - 1]))
        size = text;
    if (size && option_bytes("journal", size, &ret->step_bytes) < 0)
        return -1;
    if (size && !ret->step_bytes)
        ret->step_bytes = -1;
    if (size == text || !*text)
        return 0;
    if (option_int("journal", text, 0, 32766, &ret->steps) < 0)
        return -1;
    ret->steps = ret->steps ? ret->steps : -1;
    return 0;
}

/* MODE,KEEP,STEPS,BYTES, each of which may be empty or left out. */
static int read_journal(const char *option, struct sosia_journal_settings *ret)
{
    static const char *const modes[] = {"writes", "none", "all", NULL};
    static const char *const keeps[] = {"redacted", "full", "hashes", NULL};
    char text[100], *rest = text, none[] = "", *part[5];
    snprintf(text, sizeof text, "%s", option);
    for (int i = 0; i < 5; i++)
        part[i] = rest ? strsep(&rest, ",") : none;
    if (strlen(option) >= sizeof text || rest || *part[4]) {
        fprintf(stderr, "sosia serve: --journal must be MODE,KEEP,STEPS,BYTES, not \"%s\"\n",
                option);
        return -1;
    }
    int mode = *part[0] ? option_word("journal", part[0], modes) : 0,
        keep = *part[1] ? option_word("journal", part[1], keeps) : 0;
    if (mode < 0 || keep < 0 || read_steps(part[2], ret) < 0 ||
        (*part[3] && option_bytes("journal", part[3], &ret->bytes) < 0))
        return -1;
    ret->mode = (enum sosia_journal_mode)mode;
    ret->keep = (enum sosia_journal_keep)keep;
    if (*part[3] && !ret->bytes)
        ret->bytes = -1;
    return 0;
}

static int read_clock(struct serve *s)
{
    int mode = s->clock ? option_word("clock", s->clock, host_clocks) : SOSIA_CLOCK_REAL;
    if (mode < 0)
        return -1;
    if (s->step && mode != SOSIA_CLOCK_STEP) {
        fprintf(stderr, "sosia serve: --step must be given with --clock step, not with %s\n",
                host_clocks[mode]);
        return -1;
    }
    s->mode = (enum sosia_clock_mode)mode;
    return 0;
}

/* What is built in would be served without a word. */
static bool fixtures_good(const char *dir)
{
    if (!dir || access(dir, X_OK) == 0)
        return true;
    fprintf(stderr, "sosia serve: --fixtures must be a directory, not \"%s\": %s\n", dir,
            strerror(errno));
    return false;
}

static bool shown_good(const char *option, const char *dir)
{
    if (!dir || access(dir, R_OK | X_OK) == 0)
        return true;
    fprintf(stderr, "sosia serve: --%s must be a directory, not \"%s\": %s\n", option, dir,
            strerror(errno));
    return false;
}

/* Where nothing can be written, the first large body would be refused. */
static bool spool_good(const char *dir)
{
    if (!dir || access(dir, W_OK | X_OK) == 0)
        return true;
    fprintf(stderr, "sosia serve: --spool-dir must be a directory to write in, not \"%s\": %s\n",
            dir, strerror(errno));
    return false;
}

static int read_oauth(const char *text, enum sosia_oauth *ret)
{
    static const char *const modes[] = {"open", "listed", NULL};
    int mode = text ? option_word("oauth", text, modes) : 0;
    *ret = !text ? SOSIA_OAUTH_BY_WORLD : mode == 0 ? SOSIA_OAUTH_OPEN : SOSIA_OAUTH_LISTED;
    return mode < 0 ? -1 : 0;
}

/* Where anybody may sign in as anybody, nobody else may reach the server, and nothing is kept. */
static int check_open(struct serve *s, enum sosia_oauth *mode)
{
    struct sosia_err err;
    bool loopback;
    if (listener_is_loopback(s->listen, &loopback, &err) < 0) {
        fprintf(stderr, "sosia serve: %s\n", err.text);
        return EXIT_REFUSED;
    }
    s->loopback = loopback;
    if ((loopback && !s->data) || *mode == SOSIA_OAUTH_LISTED)
        return EXIT_OK;
    if (*mode == SOSIA_OAUTH_OPEN) {
        fprintf(stderr,
                "sosia serve: --oauth open must be given on loopback and without --data, is given "
                "with %s: any program could sign in as anybody\n",
                loopback ? "--data" : "--listen");
        return EXIT_USAGE;
    }
    *mode = SOSIA_OAUTH_NEVER_OPEN;
    return EXIT_OK;
}

static int read_log_level(const char *text, enum server_log_level *ret)
{
    static const char *const names[] = {"off", "error", "warn", "info", "debug", NULL};
    static const enum server_log_level levels[] = {
        SERVER_LOG_OFF, SERVER_LOG_ERROR, SERVER_LOG_WARN, SERVER_LOG_INFO, SERVER_LOG_DEBUG};
    int level = text ? option_word("log", text, names) : 0;
    if (text && level >= 0)
        *ret = levels[level];
    return level < 0 ? -1 : 0;
}

/* The web of the world for programs that have no token: in the name of its first person. */
static int serve_web(struct serve *s, struct server_options *so, char token[SOSIA_TOKEN_MAX],
                     struct sosia_err *err)
{
    int r = s->web ? announce_first(s->host.engine, s->world, token, err) : 0;
    if (r <= 0)
        return r;
    so->web_path = WEB_PATH;
    so->web_token = token;
    return 0;
}

/* Makes the world and serves it. */
static int start(struct serve *s, struct server_options *so, struct sosia_err *err)
{
    if (make_world(s, err) < 0 || fix_tokens(s, err) < 0 ||
        (s->rates && sosia_world_rates(s->host.engine, s->world, true, err) < 0) ||
        (s->faults && sosia_world_faults(s->host.engine, s->world, s->faults, strlen(s->faults),
                                         "--faults", err) < 0) ||
        sosia_world_info(s->host.engine, s->world, &s->info, err) < 0)
        return -1;
    int r = sosia_registration(s->host.engine, s->world, err);
    if (r < 0)
        return -1;
    s->registration = r;
    sosia_engine_default_world(s->host.engine, s->world);
    char web_token[SOSIA_TOKEN_MAX];
    if (serve_web(s, so, web_token, err) < 0 || host_serve(&s->host, so, err) < 0)
        return -1;
    server_catch_signals(s->host.server); /* before a client can know of the server */
    char console_url[CONTROL_CONSOLE_URL_MAX] = "";
    if (console_n_files && control_console_url(s->host.control, server_url(s->host.server), false,
                                               console_url, err) < 0)
        return -1;
    const struct serving a = {.engine = s->host.engine,
                              .server = s->host.server,
                              .world = s->world,
                              .name = s->info.name,
                              .key = s->info.key,
                              .registration = s->registration,
                              .key_from_environment = s->key_from_environment,
                              .api_key = hosted_key(s->host.hosted, 0),
                              .kept = s->data,
                              .console_url = console_url,
                              .reached = !s->loopback,
                              .web = s->web};
    /* The start is over: the document that the world was made of is freed, and half of the pages of
     * code and constants that were touched are of no more use. */
    malloc_trim(0);
    resident_let_go();
    return s->json ? announce_json(&a, err) : announce(&a, err);
}

static int serve(struct serve *s)
{
    struct sosia_engine_options eo = {
        .data_dir = s->data, .world_secret = s->world_secret, .random_secrets = !s->world_secret};
    struct server_options so = SERVER_OPTIONS_INIT;
    struct sosia_err err = {0};
    if ((s->journal && read_journal(s->journal, &eo.journal) < 0) || read_clock(s) < 0 ||
        read_oauth(s->oauth, &eo.oauth) < 0 || read_numbers(s, &eo, &so) < 0 ||
        read_log_level(s->log, &so.log_level) < 0)
        return EXIT_USAGE;
    if (s->name && !*s->name) {
        fprintf(stderr, "sosia serve: --world must be a name, not \"\"\n");
        return EXIT_USAGE;
    }
    int rc = check_open(s, &eo.oauth);
    if (rc != EXIT_OK)
        return rc;
    if (!spool_good(s->spool_dir) || !fixtures_good(s->fixtures) || !shown_good("runs", s->runs) ||
        !shown_good("workflows", s->workflows))
        return EXIT_REFUSED;
    eo.spool_dir = s->spool_dir;
    eo.mcp_fixture = s->mcp_fixture;
    eo.evaluation = s->evaluation;
    so.listen = s->listen;
    so.control_key = s->key ? s->key : getenv(KEY_VARIABLE);
    if (!s->key && so.control_key && !*so.control_key)
        so.control_key = NULL;
    s->key_from_environment = !s->key && so.control_key;
    so.make_key = s->make_key;
    so.data_dir = s->data;
    so.ca_dir = s->ca;
    so.vendor_hosts = sosia_hosts();
    so.hosts = s->named.list;
    so.webhook_hosts = s->webhooks.n ? s->webhooks.list : NULL;
    so.webhook_denied = s->denied;
    so.webhook_ca = s->webhook_ca;
    so.log_requests = s->log_requests;
    so.log_json = s->log_json;
    so.hello = true;
    /* Worlds of the control interface step only on request, and by the requested amount. */
    enum sosia_clock_mode others = s->mode == SOSIA_CLOCK_STEP ? SOSIA_CLOCK_FROZEN : s->mode;
    tenant_usual(&s->tenants, s->api_key);
    rc = host_open(&s->host, &eo, s->fixtures, s->runs, s->workflows, others, &err);
    s->host.carry = &s->carry;
    if (rc == 0 &&
        ((rc = host_tenants(&s->host, &s->tenants, &so, s->loopback, others, &err)) < 0 ||
         (rc = start(s, &so, &err)) < 0))
        host_stop(&s->host);
    if (rc < 0) {
        fprintf(stderr, "sosia serve: %s\n", err.text);
        return EXIT_REFUSED;
    }
    server_run_until_signal(s->host.server);
    s->host.server = NULL; /* it has stopped and is freed */
    host_stop(&s->host);
    return EXIT_OK;
}

static struct serve serving = {.named = {.option = "host"}, .webhooks = {.option = "webhook-host"}};

static const struct option_row serve_rows[] = {
    {"port", "N", "of HTTP (default 8787; 0: a free one)", .text = &serving.port},
    {"https-port", "N", "of HTTPS, with --ca (default: the one after --port; 0: a free one)",
     .text = &serving.https_port},
    {"listen", "ADDRESS",
     "to listen on (default: loopback; another one needs a key of 16 characters)",
     .text = &serving.listen},
    {"host", "NAME", "answer for this host too, or *.NAME for those below it; may be repeated",
     .each = add_host, .arg = &serving.named},
    {"webhook-host", "HOST",
     "send webhooks to this host: NAME or *.NAME, with :PORT or :* behind it or nothing; "
     "localhost is this machine (default: localhost:*); may be repeated",
     .each = add_host, .arg = &serving.webhooks},
    {"webhook-deny", "PORT",
     "send none to this port of this machine, as to the server's own; may be repeated",
     .each = add_denied, .arg = &serving},
    {"webhook-ca", "FILE", "authorities that are trusted there besides the system's, for HTTPS",
     .text = &serving.webhook_ca},
    {"ca", "DIR", "serve HTTPS too, with the authority that `sosia ca` made there",
     .text = &serving.ca},
    {"fixture", "NAME", "begin with this fixture: office, small, large, ..., or a file's path",
     .text = &serving.fixture},
    {"fixtures", "DIR", "where to look for fixtures first ($SOSIA_FIXTURES)",
     .text = &serving.fixtures},
    {"world", "NAME", "of the world that is served (default: the fixture's)",
     .text = &serving.name},
    {"data", "DIR", "keep the worlds in this directory", .text = &serving.data},
    {"runs", "DIR", "show the attempts that loops have kept there (docs/loops.md)",
     .text = &serving.runs},
    {"workflows", "DIR", "show the evidence of workflows that is there (docs/guardrails.md)",
     .text = &serving.workflows},
    {"clock", "MODE", "real (default), frozen at the fixture's own time, or step",
     .text = &serving.clock},
    {"step", "MS", "milliseconds a call, for --clock step (default 1000)", .text = &serving.step},
    {"seed", "N", "seed of the world's ids", .text = &serving.seed},
    {"world-secret", "TEXT",
     "what codes, tokens and links of new worlds come from, so that the same calls give the "
     "same ones (default: random)",
     .text = &serving.world_secret},
    {"rates", NULL, "the vendors' rate limits hold in the world", .flag = &serving.rates},
    {"faults", "SETS",
     "the world has these faults: rate-limited, flaky, slow, lost-answers (docs/faults.md)",
     .text = &serving.faults},
    {"token", "VALUE=ACTOR", "a fixed token for an address; may be repeated", .each = add_token,
     .arg = &serving},
    {"web", NULL,
     "answer for hosts of the world's web too, and for others that are not --host, in the name "
     "of its first person",
     .flag = &serving.web},
    {"mcp-fixture", NULL, "serve what MCP's conformance suite asks for, at /mcp/conformance",
     .flag = &serving.mcp_fixture},
    {"oauth", "MODE",
     "open: programs with any client id and refresh token may sign in; listed: only those that "
     "the world knows (default: as the world's seed document says)",
     .text = &serving.oauth},
    {"key", "KEY", "the control key (default: $SOSIA_CONTROL_KEY, else a random one)",
     .text = &serving.key},
    {"make-key", NULL,
     "where no key is given: make and print a random one on any address, as in a container",
     .flag = &serving.make_key},
    {"api-key", "KEY",
     "the key of the tenant \"default\" of hosted sandboxes (default: $SOSIA_API_KEY, else a "
     "random one)",
     .text = &serving.api_key},
    {"tenant", "NAME=KEY",
     "a tenant of hosted sandboxes, with limits behind the key or none: "
     ",sandboxes=N,bytes=N,calls=N (a second); may be repeated",
     .each = tenant_add, .arg = &serving.tenants},
    {"universe", "SUITE",
     "a suite's file that is served as a universe of hosted sandboxes; may be repeated",
     .each = universe_add, .arg = &serving.tenants},
    {"carry", "FILE",
     "tool servers of others, whose programs run on the workspace (docs/workspace.md); may be "
     "repeated",
     .each = carry_add, .arg = &serving.carry},
    {"max-worlds", "N", "worlds at most", .text = &serving.max_worlds},
    {"max-world-size", "BYTES", "limit for one world's unshared pages, in bytes",
     .text = &serving.max_world_size},
    {"max-size", "BYTES", "all worlds may hold of their own", .text = &serving.max_size},
    {"park-after", "SECONDS",
     "with --data: a world that nobody used for so long leaves memory until somebody does",
     .text = &serving.park_after},
    {"park-over", "BYTES",
     "with --data: while more is in memory, worlds leave it, those unused the longest first",
     .text = &serving.park_over},
    {"journal", "MODE,KEEP,STEPS,BYTES",
     "what journals of new worlds keep: writes, all or none; redacted, full or hashes; how "
     "many "
     "states and what they hold (1000/64M); bytes of entries (64M; 0: no bound)",
     .text = &serving.journal},
    {"max-body", "BYTES",
     "of a request whose method does not take more (default 64 MiB; at most 1 GiB)",
     .text = &serving.max_body},
    {"spool-over", "BYTES", "of a request's body in memory; beyond, on disk (default 1 MiB)",
     .text = &serving.spool_over},
    {"spool-dir", "PATH", "where such bodies lie (default: the data directory, or $TMPDIR)",
     .text = &serving.spool_dir},
    {"evaluation", NULL,
     "whoever works in its worlds is judged: no receivers, no registration, closed sign-in, "
     "all "
     "calls in the journal",
     .flag = &serving.evaluation},
    {"log", "LEVEL", "off, error, warn (default), info or debug; to standard error",
     .text = &serving.log},
    {"log-requests", NULL, "a line for every request", .flag = &serving.log_requests},
    {"log-json", NULL, "lines of JSON", .flag = &serving.log_json},
    {"json", NULL, "print one line of JSON when ready, and nothing else", .flag = &serving.json},
};

static int run_serve(const struct command *self, int argc, char **argv)
{
    arena_init(&serving.tenants.arena, 0);
    arena_init(&serving.carry.arena, 0);
    int n = options_parse(self, serve_rows, SOSIA_LEN(serve_rows), argc, argv);
    int rc = n < 0   ? n == -2 ? EXIT_OK : EXIT_USAGE
             : n > 0 ? usage(self, "there must be no arguments but options, there are some")
                     : serve(&serving);
    arena_done(&serving.tenants.arena);
    arena_done(&serving.carry.arena);
    for (size_t i = 0; i < serving.n_tokens; i++)
        free((char *)serving.tokens[i].value);
    return rc;
}

const struct command serve_command = {"serve", "[OPTION ...]",
                                      "serve a world over HTTP, until Ctrl-C",
                                      "Example:\n  sosia serve --fixture office\n  sosia serve "
                                      "--port 0 --fixture small --clock frozen --json",
                                      run_serve};

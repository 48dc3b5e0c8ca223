/* SPDX-License-Identifier: Apache-2.0 */
/* sosia conformance record, import, export: traffic becomes cassettes, and is read and written
 * as HAR. */
#include "cli/conformance/conformance.h"
#include "cli/examples.h"
#include "cli/guides.h"
#include "conformance/record/compose.h"
#include "conformance/record/har.h"
#include "conformance/proxy/proxy.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_PORT = 8788, ACTORS_MAX = 32, STOP_PATIENCE_S = 30, HOSTS_MAX = 32 };

/* ---- options that the commands share ---- */

/* What a cassette is made with. */
struct making {
    const char *dir, *world, *title, *name;
    unsigned keep;
    bool redact_text;
    struct {
        const char *email, *token; /* token NULL: of the next caller */
    } actors[ACTORS_MAX];
    size_t n_actors;
};

static int add_actor(void *arg, const char *value)
{
    struct making *m = arg;
    char *equals = strchr((char *)value, '='); /* of argv, which is the program's own */
    const char *at = strchr(value, '@');
    if (!at || (equals && (equals < at || !equals[1])) || m->n_actors == ACTORS_MAX) {
        fprintf(stderr, "sosia: --actor must be EMAIL or EMAIL=TOKEN, %d times at most\n",
                ACTORS_MAX);
        return -1;
    }
    if (equals)
        *equals = 0;
    const char *token = equals ? equals + 1 : NULL;
    if (token && str_starts(token, "env:") && !(token = getenv(token + 4))) {
        fprintf(stderr, "sosia: --actor: %s must be set in the environment\n", equals + 5);
        return -1;
    }
    m->actors[m->n_actors].email = value;
    m->actors[m->n_actors++].token = token;
    return 0;
}

static int keep_kind(void *arg, const char *value)
{
    struct making *m = arg;
    for (unsigned i = 0; i < N_REDACT_KINDS; i++) {
        if (i != REDACT_TEXT && strcmp(redact_kinds[i], value) == 0) {
            m->keep |= 1u << i;
            return 0;
        }
    }
    fprintf(
        stderr,
        "sosia: --keep must be one of token, cookie, key, email, name, phone and ip, not \"%s\"\n",
        value);
    return -1;
}

#define MAKING_OPTIONS(m)                                                                          \
    {"world", "NAME", "the world it starts from: a fixture, or a file (a seed document)",          \
     .text = &(m)->world},                                                                         \
        {"actor", "EMAIL",                                                                         \
         "EMAIL[=TOKEN|=env:NAME]: who calls with that token, or with the next new one; may be "   \
         "repeated",                                                                               \
         .each = add_actor, .arg = (m)},                                                           \
        {"keep", "KIND",                                                                           \
         "don't redact token, cookie, key, email, name, phone or ip; may be repeated",             \
         .each = keep_kind, .arg = (m)},                                                           \
        {"redact-text", NULL, "redact what people wrote, too", .flag = &(m)->redact_text},         \
        {"title", "TITLE", "of the cassette", .text = &(m)->title},                                \
    {                                                                                              \
        "name", "NAME", "of the cassette (default: the directory's)", .text = &(m)->name           \
    }

static unsigned kept(const struct making *m)
{
    return m->keep | (m->redact_text ? 0 : 1u << REDACT_TEXT);
}

static int fail(const struct sosia_err *err)
{
    fprintf(stderr, "sosia: %s\n", err->text);
    return EXIT_REFUSED;
}

/* ---- making the cassette ---- */

/* The world's seed document; o->fixture if it is one that sosia knows. */
static int find_world(struct arena *a, const char *world, struct compose_options *o,
                      struct sosia_err *err)
{
    struct stat st;
    struct doc *d = arena_calloc(a, 1, sizeof *d);
    const char *text;
    size_t len;
    if (!world)
        return 0;
    if (strchr(world, '/') || strchr(world, '.') || stat(world, &st) == 0) {
        struct buf b;
        if (file_read(world, 0, &b, err) < 0)
            return -1;
        text = arena_memdup(a, b.data ? b.data : "", b.len);
        len = b.len;
        buf_done(&b);
    } else {
        if (conformance_fixture(a, world, &text, &len, err) < 0)
            return -1;
        o->fixture = world;
    }
    return doc_open(d, a, text, len, world, 0, &o->seed, err);
}

/* "DIR/NAME.json". */
static const char *cassette_file(struct arena *a, const struct making *m)
{
    size_t n = strlen(m->dir);
    while (n > 1 && m->dir[n - 1] == '/')
        n--;
    const char *dir = arena_memdup(a, m->dir, n), *slash = strrchr(dir, '/');
    const char *base = slash && slash[1] ? slash + 1 : dir;
    char *name = arena_strdup(a, m->name                             ? m->name
                                 : strspn(base, "./") < strlen(base) ? base
                                                                     : "recording");
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && !strchr("-_.", *p))
            *p = '-';
    while (*name == '_' ||
           *name == '.') /* directories of cassettes are not looked through for them */
        name++;
    return arena_printf(a, "%s/%s.json", dir, *name ? name : "recording");
}

static void print_notes(const struct buf *notes)
{
    for (const char *p = notes->data, *end = p ? p + notes->len : p; p < end;) {
        size_t n = strcspn(p, "\n");
        fprintf(stderr, "sosia: %.*s\n", (int)n, p);
        p += n + 1;
    }
}

/* Makes the cassette of what was recorded so far. */
static int make_cassette(const struct making *m, struct sosia_err *err)
{
    struct arena a;
    struct recorded *r = NULL;
    struct cassette *c = NULL;
    struct compose_options o = {.title = m->title};
    struct buf notes, text;
    arena_init(&a, 0);
    buf_init(&notes, 0);
    buf_init(&text, 0);
    const char *file = cassette_file(&a, m);
    int rc = recorded_load(m->dir, &r, err);
    if (rc == 0 && r->torn)
        fprintf(stderr, "sosia: the last exchange is incomplete and left out\n");
    if (rc == 0)
        rc = find_world(&a, m->world ? m->world : r->world, &o, err);
    if (rc == 0)
        rc = compose_cassette(r, &o, &c, &notes, err);
    buf_str(&notes);
    print_notes(&notes);
    if (rc == 0)
        rc = compose_check(c, file, &text, err);
    if (rc == 0)
        rc = file_write(file, &text, err);
    if (rc == 0)
        fprintf(stderr, "sosia: %zu exchanges in %s\n", c->n_steps, file);
    buf_done(&notes);
    buf_done(&text);
    cassette_free(c);
    recorded_free(r);
    arena_done(&a);
    return rc;
}

static void print_redacted(struct recording *r, const char *dir)
{
    size_t counts[N_REDACT_KINDS], all = 0;
    recording_redacted(r, counts);
    for (size_t i = 0; i < N_REDACT_KINDS; i++)
        all += counts[i];
    if (!all)
        return;
    fprintf(stderr, "sosia: redacted:");
    for (size_t i = 0, n = 0; i < N_REDACT_KINDS; i++)
        if (counts[i])
            fprintf(stderr, "%s %s %zu", n++ ? "," : "", redact_kinds[i], counts[i]);
    fprintf(stderr, " (%s/redacted.jsonl lists where)\n", dir);
}

static int open_recording(const struct making *m, const char *target, bool resume, bool lazy,
                          struct recording **ret, struct sosia_err *err)
{
    struct recording_options o = {.dir = m->dir,
                                  .target = target,
                                  .world = m->world,
                                  .title = m->title,
                                  .keep = kept(m),
                                  .resume = resume,
                                  .lazy = lazy};
    struct recording *r;
    if (recording_open(&o, &r, err) < 0)
        return -1;
    for (size_t i = 0; i < m->n_actors; i++) {
        if (recording_actor(r, m->actors[i].email, m->actors[i].token, err) < 0) {
            recording_close(r);
            return -1;
        }
    }
    *ret = r;
    return 0;
}

/* ---- record ---- */

struct record {
    struct making making;
    const char *target, *listen, *ca, *max_body, *finish;
    bool resume, json, quiet;
    char text[256]; /* of the address */
    const char *address;
    int64_t port, body; /* body: bytes that are kept; 0: as many as usual */
    _Atomic size_t lost;
    sigset_t signals;
    struct timespec stop;
};

/* "8788", "127.0.0.1:8788", "[::1]:0", "::1". */
static int read_listen(struct record *c)
{
    const char *text = c->listen, *colon = text ? strrchr(text, ':') : NULL;
    c->port = DEFAULT_PORT;
    if (!text)
        return 0;
    if (parse_i64(text, strlen(text), &c->port) == 0) {
        c->address = NULL;
    } else if (!colon || (strchr(text, ':') != colon && text[0] != '[')) {
        c->address = text;
        c->port = DEFAULT_PORT;
    } else {
        bool bracket = text[0] == '[';
        size_t n = (size_t)(colon - text);
        snprintf(c->text, sizeof c->text, "%.*s", (int)(n - (bracket ? 2 : 0)), text + bracket);
        c->address = c->text;
        if (parse_i64(colon + 1, strlen(colon + 1), &c->port) < 0)
            c->port = -1;
    }
    if (c->port >= 0 && c->port <= 65535)
        return 0;
    fprintf(stderr, "sosia: --listen must be ADDRESS:PORT, not \"%s\"\n", text);
    return -1;
}

/* A line for each exchange; from any thread. */
static void done(void *arg, const struct wire *e, const struct sosia_err *err)
{
    struct record *c = arg;
    if (err) {
        c->lost++;
        fprintf(stderr, "sosia: exchange %lld is not recorded: %s\n", (long long)e->n, err->text);
    } else if (!c->quiet) {
        fprintf(stderr, "%6lld %s %s %d%s%s\n", (long long)e->n, e->verb, e->target, e->status,
                e->error ? " " : "", e->error ? e->error : "");
    }
}

/* A second signal ends the wait, and so does its limit. */
static bool hurry(void *arg)
{
    struct record *c = arg;
    static const struct timespec none;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return sigtimedwait(&c->signals, NULL, &none) > 0 ||
           now.tv_sec - c->stop.tv_sec > STOP_PATIENCE_S;
}

static int announce(const struct record *c, const struct proxy *p, const char *origin)
{
    struct buf lines;
    buf_init(&lines, 0);
    guide_client(&lines, origin, proxy_url(p));
    if (c->json)
        printf("{\"url\": \"%s\"}\n", proxy_url(p));
    else
        printf("%s records the responses of %s; Ctrl-C ends it.\n\n%s", proxy_url(p), origin,
               buf_str(&lines));
    buf_done(&lines);
    return fflush(stdout) == 0 ? 0 : -1;
}

static int serve(struct record *c, struct recording *r, struct sosia_err *err)
{
    struct proxy *p;
    struct arena a;
    const char *origin = c->target;
    int got;
    struct proxy_options o = {.target = c->target,
                              .address = c->address,
                              .port = (int)c->port,
                              .ca_file = c->ca,
                              .max_body = (size_t)c->body,
                              .recording = r,
                              .done = done,
                              .arg = c};
    /* threads that are started from here on leave signals to this one */
    sigemptyset(&c->signals);
    sigaddset(&c->signals, SIGINT);
    sigaddset(&c->signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &c->signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (proxy_start(&o, &p, err) < 0)
        return -1;
    arena_init(&a, 0);
    proxy_target(&a, c->target, &origin, NULL);
    if (announce(c, p, origin) == 0)
        while (sigwait(&c->signals, &got) != 0)
            ;
    clock_gettime(CLOCK_MONOTONIC, &c->stop);
    proxy_stop(p, hurry, c);
    arena_done(&a);
    return 0;
}

static int record(struct record *c)
{
    struct sosia_err err = {0};
    struct recording *r;
    struct arena a;
    struct compose_options o = {0};
    const char *origin = NULL;
    /* what can be wrong is found before anything is recorded */
    if (c->ca && access(c->ca, R_OK) < 0) {
        sosia_fail(&err, SOSIA_E_NOT_FOUND, NULL, NULL, "%s: %s", c->ca, strerror(errno));
        return fail(&err);
    }
    arena_init(&a, 0);
    int rc = find_world(&a, c->making.world, &o, &err);
    if (rc == 0)
        rc = proxy_target(&a, c->target, &origin, &err);
    if (rc == 0)
        rc = open_recording(&c->making, origin, c->resume, false, &r, &err);
    if (rc == 0) {
        rc = serve(c, r, &err);
        print_redacted(r, c->making.dir);
        bool any = recording_count(r) > 0 || c->resume;
        recording_close(r);
        if (rc == 0 && any)
            rc = make_cassette(&c->making, &err);
        else if (rc == 0)
            fprintf(stderr, "sosia: nothing was recorded\n");
    }
    arena_done(&a);
    if (rc < 0)
        return fail(&err);
    return c->lost ? EXIT_REFUSED : EXIT_OK;
}

static int finish(struct record *c)
{
    struct sosia_err err = {0};
    c->making.dir = c->finish;
    if (make_cassette(&c->making, &err) < 0 || recording_seal(c->making.dir, &err) < 0)
        return fail(&err);
    return EXIT_OK;
}

static int run_record(const struct command *self, int argc, char **argv)
{
    struct record c = {0};
    const struct option_row rows[] = {
        {"target", "URL", "the service, or a running sosia", .text = &c.target},
        {"out", "DIR", "where the recording goes", .text = &c.making.dir},
        {"listen", "ADDRESS", "ADDRESS:PORT where clients find it (default: 127.0.0.1:8788)",
         .text = &c.listen},
        MAKING_OPTIONS(&c.making),
        {"ca", "FILE", "authorities that are trusted for HTTPS", .text = &c.ca},
        {"max-body", "BYTES", "of a body that are kept (default: 16 MiB)", .text = &c.max_body},
        {"resume", NULL, "go on with the recording that is there", .flag = &c.resume},
        {"finish", "DIR", "make the cassette of what was recorded, and end the recording",
         .text = &c.finish},
        {"json", NULL, "print one line of JSON when it is ready", .flag = &c.json},
        {"quiet", NULL, "no line for each exchange", .flag = &c.quiet}};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n)
        return usage(self, "there must be no arguments but options, there are some");
    if (c.finish)
        return c.target || c.resume
                   ? usage(
                         self,
                         "--finish must be given without --target and --resume, is given with one")
                   : finish(&c);
    if (!c.target || !c.making.dir)
        return usage(self, "--target and --out must be given, one is not");
    if (read_listen(&c) < 0 ||
        (c.max_body && option_int("max-body", c.max_body, 1, 1 << 30, &c.body) < 0))
        return EXIT_USAGE;
    return record(&c);
}

const struct command conformance_record_command = {
    "conformance record", "--target URL --out DIR",
    "record what a service responds to a client, as a cassette",
    "A proxy before the service: point the client at it. Credentials and personal data are\n"
    "replaced before anything is written; each exchange is written at once. Example:\n"
    "  sosia conformance record --target " EXAMPLE_ORIGIN " --out lunch\n"
    "  sosia conformance record --target http://localhost:8787 --out try --world office\n"
    "  sosia conformance record --finish lunch     # after a crash",
    run_record};

/* ---- import ---- */

struct import {
    struct making making;
    const char *hosts[HOSTS_MAX];
    size_t n_hosts;
};

static int add_host(void *arg, const char *value)
{
    struct import *i = arg;
    if (i->n_hosts == HOSTS_MAX) {
        fprintf(stderr, "sosia: --host must be given %d times at most, is given more often\n",
                HOSTS_MAX);
        return -1;
    }
    i->hosts[i->n_hosts++] = value;
    return 0;
}

/* The cassette that a file of sosia's own brings. */
static int import_cassette(struct import *i, const struct json *cassette, struct sosia_err *err)
{
    struct arena a;
    struct cassette *c = NULL;
    struct json_writer w;
    struct buf text, neat;
    arena_init(&a, 0);
    buf_init(&text, 0);
    buf_init(&neat, 0);
    json_init(&w, &text, false, NULL);
    json_value(&w, NULL, cassette);
    const char *file = cassette_file(&a, &i->making);
    int rc = mkdir(i->making.dir, 0777) < 0 && errno != EEXIST
                 ? sosia_fail(err, SOSIA_E_IO, NULL, NULL, "%s: %s", i->making.dir, strerror(errno))
                 : 0;
    if (rc == 0)
        rc = buf_failed(&text) ? sosia_fail_memory(err)
                               : cassette_parse(file, text.data, text.len, &c, err);
    if (rc == 0) {
        cassette_write(c, &neat);
        rc = buf_failed(&neat) ? sosia_fail_memory(err) : file_write(file, &neat, err);
    }
    if (rc == 0)
        fprintf(stderr, "sosia: the cassette that was in it is in %s\n", file);
    cassette_free(c);
    buf_done(&text);
    buf_done(&neat);
    arena_done(&a);
    return rc;
}

static int import_exchanges(struct import *i, struct har *h, struct sosia_err *err)
{
    struct recording *r;
    struct arena a;
    const char *origin = h->n ? h->list[0].origin : NULL;
    for (size_t k = 0; k < h->n && origin; k++)
        if (strcmp(h->list[k].origin, origin) != 0)
            origin = NULL;
    if (open_recording(&i->making, origin, false, true, &r, err) < 0)
        return -1;
    int rc = 0;
    for (size_t k = 0; k < h->n && rc == 0; k++) {
        arena_init(&a, (size_t)4 << 30);
        h->list[k].n = recording_number(r);
        rc = recording_add(r, &a, &h->list[k], err);
        arena_done(&a);
    }
    print_redacted(r, i->making.dir);
    recording_close(r);
    if (rc == 0)
        rc = make_cassette(&i->making, err);
    return rc == 0 ? recording_seal(i->making.dir, err) : rc;
}

static int import_file(struct import *i, const char *file)
{
    struct sosia_err err = {0};
    struct buf text;
    struct har *h = NULL;
    struct har_options o = {i->hosts, i->n_hosts};
    if (file_read(file, HAR_SIZE_MAX, &text, &err) < 0)
        return fail(&err);
    int rc = har_parse(file, text.data ? text.data : "", text.len, &o, &h, &err);
    if (rc == 0) {
        buf_str(&h->notes);
        print_notes(&h->notes);
        rc = h->cassette && !i->n_hosts ? import_cassette(i, h->cassette, &err)
                                        : import_exchanges(i, h, &err);
    }
    har_free(h);
    buf_done(&text);
    return rc < 0 ? fail(&err) : EXIT_OK;
}

static int run_import(const struct command *self, int argc, char **argv)
{
    struct import i = {0};
    const struct option_row rows[] = {
        {"out", "DIR", "where the recording and its cassette go", .text = &i.making.dir},
        {"host", "NAME", "only exchanges with it; *.NAME: with those below it; may be repeated",
         .each = add_host, .arg = &i},
        MAKING_OPTIONS(&i.making)};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n != 1 || !i.making.dir)
        return usage(self, "a HAR file must be the argument, and --out be given");
    return import_file(&i, argv[1]);
}

const struct command conformance_import_command = {
    "conformance import", "FILE.har --out DIR",
    "make a cassette of a HAR file, as browsers and other proxies keep traffic",
    "What record would redact is redacted. A file that sosia exported gives its cassette again. "
    "Example:\n"
    "  sosia conformance import session.har --host " EXAMPLE_HOST " --out session",
    run_import};

/* ---- export ---- */

/* Exchanges to be written, of one or more cassettes. */
struct outgoing {
    struct arena arena;
    const char *origin, *title;
    struct wire *list;
    size_t n;
    struct buf cassette; /* that is written to the file at once */
};

static int append(struct outgoing *x, const struct wire *list, size_t n, struct sosia_err *err)
{
    struct wire *all = arena_calloc(&x->arena, x->n + n + 1, sizeof *all);
    if (arena_failed(&x->arena))
        return sosia_fail_memory(err);
    if (x->n)
        memcpy(all, x->list, x->n * sizeof *all);
    if (n)
        memcpy(all + x->n, list, n * sizeof *all);
    x->list = all;
    x->n += n;
    for (size_t i = 0; i < x->n; i++)
        all[i].n = (int64_t)i + 1;
    return 0;
}

static const char *origin_of(const struct outgoing *x, const struct cassette *c, const char *said)
{
    const char *method = NULL;
    for (size_t i = 0; i < c->n_steps && !method; i++)
        method = c->steps[i].method;
    return x->origin ? x->origin
           : said && (str_starts(said, "http://") || str_starts(said, "https://"))
               ? said
               : guide_origin(method);
}

static int export_cassette(struct outgoing *x, const char *file, const struct scenario *answers,
                           const char *target, struct sosia_err *err)
{
    struct cassette *c;
    struct wire *list;
    size_t n;
    if (cassette_load(file, &c, err) < 0)
        return -1;
    const char *said = target ? target : c->source.kind == SOURCE_RECORDED ? c->source.id : NULL;
    const char *origin = arena_strdup(&x->arena, origin_of(x, c, said));
    int rc = har_of_cassette(&x->arena, c, answers, origin, &list, &n, err);
    if (rc == 0)
        rc = append(x, list, n, err);
    if (rc == 0 && !answers) {
        x->title = arena_strdup(&x->arena, c->title);
        cassette_write(c, &x->cassette);
    }
    /* what the exchanges borrow from it stays */
    if (rc == 0)
        rc = wire_own(&x->arena, x->list + x->n - n, n, err);
    cassette_free(c);
    return rc;
}

static int export_result(struct outgoing *x, const char *file, struct sosia_err *err)
{
    struct result *r;
    if (result_load(file, &r, err) < 0)
        return -1;
    int rc = 0;
    x->title = arena_printf(&x->arena, "Replay against %s", r->target);
    for (const struct scenario *s = r->first; s && rc == 0; s = s->next)
        if (s->first)
            rc = export_cassette(x, s->first->file, s, r->target, err);
    if (rc == 0)
        rc = wire_own(&x->arena, x->list, x->n, err);
    result_free(r);
    return rc;
}

static int export_recording(struct outgoing *x, const char *dir, struct sosia_err *err)
{
    struct recorded *r;
    if (recorded_load(dir, &r, err) < 0)
        return -1;
    x->title = arena_strdup(&x->arena, r->title ? r->title : "A recording");
    int rc = append(x, r->exchanges, r->n, err);
    if (rc == 0)
        rc = wire_own(&x->arena, x->list, x->n, err);
    recorded_free(r);
    return rc;
}

static bool is_recording(const char *file)
{
    struct stat st;
    size_t n = strlen(file);
    return (stat(file, &st) == 0 && S_ISDIR(st.st_mode)) ||
           (n > 6 && strcmp(file + n - 6, ".jsonl") == 0);
}

/* 1: a result; 0: a cassette, or something that its reader will complain of; -1. */
static int is_result(const char *file, struct sosia_err *err)
{
    struct arena a;
    struct buf text;
    const struct json *v;
    if (file_read(file, 0, &text, err) < 0)
        return -1;
    arena_init(&a, (size_t)4 << 30);
    bool result = json_parse(&a, text.data ? text.data : "", text.len, NULL, &v, NULL) == 0 &&
                  !json_get(v, "cassette") && !json_get(v, "steps");
    arena_done(&a);
    buf_done(&text);
    return result;
}

static int export_file(struct outgoing *x, const char *file, const char *har)
{
    struct sosia_err err = {0};
    struct buf out;
    int rc, result;
    if (is_recording(file))
        rc = export_recording(x, file, &err);
    else if ((result = is_result(file, &err)) < 0)
        rc = -1;
    else
        rc = result ? export_result(x, file, &err) : export_cassette(x, file, NULL, NULL, &err);
    if (rc < 0)
        return fail(&err);
    buf_init(&out, 0);
    har_write(&out, x->list, x->n, x->title, x->cassette.len ? buf_str(&x->cassette) : NULL);
    rc = write_file(har, &out) < 0 ? EXIT_REFUSED : EXIT_OK;
    buf_done(&out);
    return rc;
}

static int run_export(const struct command *self, int argc, char **argv)
{
    struct outgoing x = {0};
    const char *har = NULL;
    const struct option_row rows[] = {
        {"har", "FILE", "the file to write (-: standard output)", .text = &har},
        {"origin", "URL", "where exchanges are said to have been sent", .text = &x.origin}};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n != 1 || !har)
        return usage(
            self, "a cassette, a result or a recording must be the argument, and --har be given");
    arena_init(&x.arena, (size_t)4 << 30);
    buf_init(&x.cassette, 0);
    int rc = export_file(&x, argv[1], har);
    buf_done(&x.cassette);
    arena_done(&x.arena);
    return rc;
}

const struct command conformance_export_command = {
    "conformance export", "CASSETTE|RESULT|RECORDING --har FILE",
    "write a cassette, a replay's result or a recording as a HAR file",
    "A result is written with the requests that were made: its cassettes must be where they were. "
    "Example:\n"
    "  sosia conformance export lunch/lunch.json --har lunch.har",
    run_export};

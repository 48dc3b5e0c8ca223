/* SPDX-License-Identifier: Apache-2.0 */
/* What `sosia serve` prints when the server is there: for people, or as JSON for programs. */
#include "cli/announce.h"
#include "cli/cli.h"
#include "cli/guides.h"
#include "engine/base/codec.h"
#include "engine/world/engine.h"
#include "services/web/core/web.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_HOSTS 64 /* of worlds' own */

/* Somebody of the world who can call. */
struct caller {
    const char *actor, *kind, *token; /* an address or a handle */
};

/* Calls fn for everybody who can call, in the order of the seed document; stops when it gives
 * non-zero: 1 done, -1 failed. */
static int each_actor(const struct serving *s, int (*fn)(void *arg, const struct caller *who),
                      void *arg, struct sosia_err *err)
{
    struct sosia_blob list;
    struct arena a;
    const struct json *actors;
    if (sosia_actor_list(s->engine, s->world, 0, 0, &list, err) < 0)
        return -1;
    arena_init(&a, 0);
    int rc = json_parse(&a, list.data, list.len, NULL, &actors, err);
    for (uint32_t i = 0; rc == 0 && i < actors->n; i++) {
        char token[SOSIA_TOKEN_MAX];
        const char *email = json_get_str(&actors->items[i], "email");
        struct sosia_token_options t = {.actor = email ? email
                                                       : json_get_str(&actors->items[i], "handle")};
        const char *kind = json_get_str(&actors->items[i], "kind");
        if (strcmp(kind, "resource") == 0)
            continue; /* a room does not call */
        rc = sosia_token_issue(s->engine, s->world, &t, token, sizeof token, err);
        int r = rc == 0 ? fn(arg, &(struct caller){t.actor, kind, token}) : 0;
        if (r) {
            rc = r < 0 ? -1 : 0;
            break;
        }
    }
    arena_done(&a);
    sosia_blob_free(&list);
    return rc;
}

/* Where programs register, each person needs a link to agree with. 1: link is one; 0; -1. */
static int link_of(const struct serving *s, const struct caller *who, char link[SOSIA_LINK_MAX],
                   struct sosia_err *err)
{
    if (!s->registration || strcmp(who->kind, "person") != 0)
        return 0;
    return sosia_consent_link(s->engine, s->world, who->actor, 0, server_url(s->server), link,
                              SOSIA_LINK_MAX, NULL, err) < 0
               ? -1
               : 1;
}

struct announced {
    const struct serving *of;
    struct sosia_err *err;
    struct json_writer *w;
    struct arena *arena;
    const struct json *apps[MAX_HOSTS]; /* of each workspace that was seen */
    const char *hosts[MAX_HOSTS];
    size_t n_apps, n_hosts;
    const struct json *web; /* its hosts; NULL: none */
};

/* Hosts of the workspace that an actor is in, each once. False: it was seen before. */
static bool add_hosts(struct announced *a, const struct json *hosts)
{
    size_t before = a->n_hosts;
    for (uint32_t i = 0; hosts && i < hosts->n && a->n_hosts < MAX_HOSTS; i++)
        if (!str_in_nocase(hosts->items[i].str, (const char *const *)a->hosts, a->n_hosts))
            a->hosts[a->n_hosts++] = hosts->items[i].str;
    return a->n_hosts > before;
}

/* The credential of that kind that an actor has, in the arena; NULL: none. */
static const struct json *credential_of(const struct serving *s, struct arena *a, const char *kind,
                                        const char *actor)
{
    struct sosia_blob file;
    struct sosia_err err;
    const struct json *v;
    if (!kind ||
        sosia_credential(s->engine, s->world, kind, actor, server_url(s->server), &file, &err) < 0)
        return NULL;
    int rc = json_parse(a, arena_memdup(a, file.data, file.len), file.len, NULL, &v, &err);
    sosia_blob_free(&file);
    return rc == 0 ? v : NULL;
}

/* What programs of a vendor need, for those who have it. */
static void write_credential(struct announced *a, const struct json *v)
{
    for (uint32_t i = 0; i < v->n; i++)
        if (v->members[i].value.type == JSON_STRING)
            json_str(a->w, v->members[i].key, v->members[i].value.str);
    if (add_hosts(a, json_get(v, "hosts")) && json_get(v, "apps"))
        a->apps[a->n_apps++] = json_get(v, "apps");
}

static int write_actor(void *arg, const struct caller *who)
{
    struct announced *a = arg;
    char link[SOSIA_LINK_MAX];
    const struct guide *g;
    const struct json *v;
    int r = link_of(a->of, who, link, a->err);
    if (r < 0)
        return -1;
    json_obj(a->w, who->actor);
    json_str(a->w, "token", who->token);
    for (size_t at = 0; (g = guide_next(&at));)
        json_str_opt(a->w, g->bearer, g->bearer ? who->token : NULL);
    if (r)
        json_str(a->w, "consent_link", link);
    for (size_t at = 0; (g = guide_next(&at));)
        if ((v = credential_of(a->of, a->arena, g->credential, who->actor)) != NULL)
            write_credential(a, v);
    json_end(a->w);
    return 0;
}

static int lost_output(struct sosia_err *err)
{
    int why = errno;
    forget_output();
    return sosia_fail(err, SOSIA_E_IO, NULL, NULL, "standard output: %s", strerror(why));
}

/* Hosts of the world's web. */
static int add_web(struct announced *a)
{
    struct sosia_blob list;
    const struct json *hosts;
    if (!a->of->web)
        return 0;
    if (world_read(a->of->engine, a->of->world, false, web_hosts, NULL, &list, a->err) < 0)
        return -1;
    int rc = json_parse(a->arena, arena_memdup(a->arena, list.data, list.len), list.len, NULL,
                        &hosts, a->err);
    sosia_blob_free(&list);
    if (rc == 0)
        a->web = hosts;
    return rc;
}

int announce_json(const struct serving *s, struct sosia_err *err)
{
    struct buf b;
    struct json_writer w;
    struct arena arena;
    struct announced a = {.of = s, .err = err, .w = &w, .arena = &arena};
    arena_init(&arena, 0);
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "url", server_url(s->server));
    json_str_opt(&w, "https_url", server_https_url(s->server));
    json_str(&w, "control_key", server_control_key(s->server));
    if (s->key_from_environment)
        json_str(&w, "control_key_from", KEY_VARIABLE);
    json_str_opt(&w, "console_url", *s->console_url ? s->console_url : NULL);
    json_str(&w, "api_key", s->api_key);
    json_str(&w, "world", s->key);
    json_obj(&w, "actors");
    int rc = each_actor(s, write_actor, &a, err);
    if (rc == 0)
        rc = add_web(&a);
    json_end(&w);
    json_arr(&w, "apps");
    for (size_t i = 0; i < a.n_apps; i++)
        for (uint32_t j = 0; j < a.apps[i]->n; j++)
            json_value(&w, NULL, &a.apps[i]->items[j]);
    json_end(&w);
    json_arr(&w, "hosts");
    for (size_t i = 0; i < a.n_hosts; i++)
        json_str(&w, NULL, a.hosts[i]);
    for (uint32_t i = 0; a.web && i < a.web->n; i++)
        json_str(&w, NULL, a.web->items[i].str);
    json_end(&w);
    json_end(&w);
    if (rc == 0 && (printf("%s\n", buf_str(&b)) < 0 || fflush(stdout) != 0))
        rc = lost_output(err);
    buf_done(&b);
    arena_done(&arena);
    return rc;
}

struct first {
    char email[256], token[SOSIA_TOKEN_MAX];
};

static int keep_first(void *arg, const struct caller *who)
{
    struct first *f = arg;
    snprintf(f->email, sizeof f->email, "%s", who->actor);
    snprintf(f->token, sizeof f->token, "%s", who->token);
    return 1;
}

int announce_first(struct sosia_engine *e, uint64_t world, char ret_token[SOSIA_TOKEN_MAX],
                   struct sosia_err *err)
{
    const struct serving s = {.engine = e, .world = world};
    struct first f = {0};
    if (each_actor(&s, keep_first, &f, err) < 0)
        return -1;
    memcpy(ret_token, f.token, sizeof f.token);
    return *f.email != 0;
}

struct printed {
    const struct serving *of;
    struct sosia_err *err;
};

static int print_link(void *arg, const struct caller *who)
{
    struct printed *p = arg;
    char link[SOSIA_LINK_MAX];
    int r = link_of(p->of, who, link, p->err);
    if (r > 0)
        printf("  %-40s %s\n", who->actor, link);
    return r < 0 ? -1 : 0;
}

/* For clients that register themselves. */
static int print_links(const struct serving *s, struct sosia_err *err)
{
    struct printed p = {s, err};
    if (!s->registration)
        return 0;
    printf("\nPrograms register themselves here. To agree to one, a person opens a link of its own "
           "in the\nbrowser first, which is good once, for an hour (`sosia consent PERSON` makes "
           "more):\n");
    return each_actor(s, print_link, &p, err);
}

/* A token, and a request with it. */
static bool print_request(const struct guide *g, const struct first *f, const char *url,
                          const struct json *credential)
{
    const char *token = g->token ? json_get_str(credential, g->token) : f->token;
    if (!g->request || !token)
        return false;
    printf("\nA token of %s, and a first request:\n"
           "  export TOKEN=%s\n"
           "  curl -H \"Authorization: Bearer $TOKEN\" %s%s\n",
           f->email, token, url, g->request);
    return true;
}

/* A first request, and how clients are pointed here: of the vendors that the person has. */
static int print_clients(const struct serving *s, const struct first *f, struct sosia_err *err)
{
    const struct guide *guides[GUIDES_MAX];
    const char *url = server_url(s->server);
    bool requested = false;
    struct arena a;
    struct buf lines;
    int n = guides_of(s->engine, s->world, f->email, guides, err);
    if (n < 0)
        return -1;
    arena_init(&a, 0);
    buf_init(&lines, 0);
    for (int i = 0; i < n; i++) {
        const struct json *credential = credential_of(s, &a, guides[i]->credential, f->email);
        requested = requested || print_request(guides[i], f, url, credential);
        guide_clients(&lines, guides[i], url, credential);
    }
    if (lines.len)
        printf("\nThe official clients:\n%s", buf_str(&lines));
    buf_done(&lines);
    arena_done(&a);
    return 0;
}

int announce(const struct serving *s, struct sosia_err *err)
{
    struct first f = {{0}, {0}};
    const char *url = server_url(s->server);
    if (each_actor(s, keep_first, &f, err) < 0)
        return -1;
    printf("sosia serves the world \"%s\" (%s) at %s\n", s->name, s->key, url);
    if (server_https_url(s->server))
        printf("and at %s\n", server_https_url(s->server));
    if (*s->console_url)
        printf(
            "\nThe console, to see what happens (a link that is good once, for ten minutes; `sosia "
            "console`\nmakes another):\n  %s\n%s",
            s->console_url,
            s->reached ? "Browsers on other machines open it over HTTPS alone (--ca, --host).\n"
                       : "");
    printf("\nFor commands such as `sosia world list`:\n"
           "  export SOSIA_URL=%s SOSIA_CONTROL_KEY=%s SOSIA_WORLD=%s\n",
           url, server_control_key(s->server), s->name);
    if (s->key_from_environment)
        printf("The control key is the one of the environment: $" KEY_VARIABLE ".\n");
    if (f.token[0] && print_clients(s, &f, err) < 0)
        return -1;
    if (print_links(s, err) < 0)
        return -1;
    printf("\nThe API key of hosted sandboxes, for clients of %s/sandbox: %s\n", url, s->api_key);
    printf("\nCtrl-C ends it.%s\n",
           s->kept ? "" : " Worlds live in memory: give --data DIR to keep them.");
    return fflush(stdout) == 0 ? 0 : lost_output(err);
}

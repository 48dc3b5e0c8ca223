/* SPDX-License-Identifier: Apache-2.0 */
/* What sandboxes begin with: an account of a vendor with nothing in it; and calls as its person. */
#include "engine/base/utf8.h"
#include "engine/world/engine.h"
#include "hosted/impl.h"
#include <stdio.h>

#define BASE_AGE_US (INT64_C(3600) * US_PER_SECOND)

const char usual_person[] = "agent@sandbox.example";

int64_t real_us(void)
{
    return real_now_us();
}

/* Where people write to each other: of each vendor that has it. */
static void write_chat(struct json_writer *w, unsigned accounts, const char *email)
{
    json_arr(w, "workspaces");
    if (accounts & ACCOUNTS_SLACK) {
        json_obj(w, NULL);
        json_str(w, "domain", "sandbox");
        json_str(w, "name", "Sandbox");
        json_arr(w, "members");
        json_obj(w, NULL);
        json_str(w, "actor", email);
        json_str(w, "role", "owner");
        json_end(w);
        json_end(w);
        json_end(w);
    }
    if (accounts & ACCOUNTS_MICROSOFT) {
        json_obj(w, NULL);
        json_str(w, "domain", strchr(email, '@') + 1);
        json_str(w, "vendor", "microsoft");
        json_end(w);
    }
    json_end(w);
}

/* An account with one of two vendors of the same things: those that it is for are named. */
static void write_parts(struct json_writer *w, const char *vendor)
{
    json_arr(w, "services");
    for (size_t i = 0; i < n_services; i++)
        if (strcmp(services[i].vendor, vendor) == 0 && !services[i].alone && services[i].part)
            json_str(w, NULL, services[i].part);
    json_end(w);
}

static void write_vendor(struct json_writer *w, const char *email, const char *vendor, bool parts)
{
    json_obj(w, NULL);
    json_str(w, "actor", email);
    json_str(w, "vendor", vendor);
    if (parts)
        write_parts(w, vendor);
    json_end(w);
}

/* One who lives alone; whoever else a payload names is outside. */
static void write_account(struct json_writer *w, unsigned accounts, const char *email)
{
    const char *domain = strchr(email, '@') + 1;
    const bool both = (accounts & ACCOUNTS_BOTH) == ACCOUNTS_BOTH;
    json_int(w, "sosia", 1);
    json_str(w, "zone", "UTC");
    json_arr(w, "organizations");
    json_obj(w, NULL);
    json_str(w, "domain", domain);
    json_str(w, "name", "Sandbox");
    json_end(w);
    json_end(w);
    json_arr(w, "people");
    json_obj(w, NULL);
    json_str(w, "email", email);
    json_str(w, "name", "Sandbox Agent");
    json_end(w);
    json_end(w);
    json_obj(w, "programs"); /* who may have them run is the one whom they act for */
    json_obj(w, "services");
    json_str(w, "actor", email);
    json_end(w);
    json_str(w, "processes", "session"); /* of the tools of a desktop */
    json_end(w);
    if (accounts & (ACCOUNTS_SLACK | ACCOUNTS_MICROSOFT))
        write_chat(w, accounts, email);
    if (!(accounts & ACCOUNTS_BOTH))
        return;
    json_arr(w, "accounts");
    if (accounts & ACCOUNTS_GOOGLE)
        write_vendor(w, email, "google", both);
    if (accounts & ACCOUNTS_MICROSOFT)
        write_vendor(w, email, "microsoft", both);
    json_end(w);
}

/* The names that bases are kept under. */
static const char *const base_names[N_BASES] = {[ACCOUNTS_GOOGLE] = "google",
                                                [ACCOUNTS_SLACK] = "slack",
                                                [ACCOUNTS_MICROSOFT] = "microsoft",
                                                [ACCOUNTS_GOOGLE | ACCOUNTS_SLACK] = "local",
                                                [ACCOUNTS_MICROSOFT | ACCOUNTS_SLACK] =
                                                    "local-microsoft",
                                                [ACCOUNTS_ALL] = "local-both"};

unsigned accounts_of(const struct service *service)
{
    for (unsigned bit = 1; bit < N_BASES; bit <<= 1)
        if (strcmp(base_names[bit], service->vendor) == 0)
            return bit;
    return 0;
}

int base_make(struct hosted_call *c, unsigned accounts, const char *email, uint64_t *ret_world)
{
    struct json_writer w;
    struct buf b;
    hosted_begin(&b, &w);
    write_account(&w, accounts, email);
    json_end(&w);
    const struct sosia_world_options opt = {.clock = c->h->options.clock,
                                            .seed_doc = buf_str(&b),
                                            .seed_doc_len = b.len,
                                            .seed_doc_name = "the account"};
    int rc = buf_failed(&b) ? sosia_fail_memory(&c->err)
                            : sosia_world_create(c->h->engine, &opt, ret_world, &c->err);
    buf_done(&b);
    return rc;
}

/* The first of its accounts makes it; with a clock that follows real time it is made anew when it
 * has aged, so that an account is never older than its sandbox by much. */
int base_take(struct hosted_call *c, unsigned accounts, uint64_t *ret_world)
{
    struct hosted *h = c->h;
    struct sosia_world_info info;
    struct base *b = &h->bases[accounts];
    char name[64];
    int rc = 0;
    snprintf(name, sizeof name, "fixture.sandbox-%s", base_names[accounts]);
    pthread_mutex_lock(&h->bases_lock);
    int64_t age = real_us() - b->made_us;
    bool old = h->options.clock == SOSIA_CLOCK_REAL && (age > BASE_AGE_US || age < 0);
    if (!b->made_us || old || sosia_world_info(h->engine, b->world, &info, NULL) < 0) {
        uint64_t world, before, snapshot = 0;
        rc = base_make(c, accounts, usual_person, &world);
        if (rc == 0 && sosia_world_find(h->engine, name, &before, NULL) == 0)
            sosia_world_drop(h->engine, before, NULL);
        if (rc == 0) {
            rc = sosia_world_snapshot(h->engine, world, name, &snapshot, &c->err);
            sosia_world_drop(h->engine, world, NULL);
        }
        if (rc == 0)
            *b = (struct base){.world = snapshot, .made_us = real_us()};
    }
    *ret_world = b->world;
    pthread_mutex_unlock(&h->bases_lock);
    return rc;
}

/* ---- calls ---- */

/* GETs, or POSTs a body of JSON. */
static int ask(struct hosted_call *c, uint64_t world, const char *token, const char *target,
               const struct sosia_header *more, const char *body, struct sosia_response **ret)
{
    struct sosia_response *r;
    const struct sosia_header headers[] = {
        {"Authorization", arena_printf(&c->arena, "Bearer %s", token)},
        more ? *more : (struct sosia_header){0}};
    const struct sosia_request request = {.method = body ? "POST" : "GET",
                                          .target = target,
                                          .headers = headers,
                                          .n_headers = more ? 2 : 1,
                                          .body = body,
                                          .body_len = body ? strlen(body) : 0};
    if (sosia_call(c->h->engine, world, &request, &r, &c->err) < 0)
        return -1;
    if (r->status == 200) {
        *ret = r;
        return 0;
    }
    struct sosia_world_info info; /* it may have ended meanwhile */
    if (sosia_world_info(c->h->engine, world, &info, &c->err) == 0)
        sosia_fail(&c->err, SOSIA_E_INTERNAL, NULL, NULL,
                   "the service answered %d to %s %s: %.200s", r->status, request.method, target,
                   r->body);
    sosia_response_free(r);
    return -1;
}

static int get(struct hosted_call *c, uint64_t world, const char *token, const char *target,
               const char *prefer, struct sosia_response **ret)
{
    const struct sosia_header more = {"Prefer", prefer};
    return ask(c, world, token, target, prefer ? &more : NULL, NULL, ret);
}

int world_post(struct hosted_call *c, uint64_t world, const char *token, const char *target,
               const char *body, const struct json **ret)
{
    static const struct sosia_header json = {"Content-Type", "application/json"};
    struct sosia_response *r;
    if (ask(c, world, token, target, &json, body, &r) < 0)
        return -1;
    int rc = json_parse(&c->arena, r->body, r->body_len, NULL, ret, &c->err);
    sosia_response_free(r);
    return rc;
}

static int get_json(struct hosted_call *c, uint64_t world, const char *token, const char *target,
                    const char *prefer, const struct json **ret)
{
    struct sosia_response *r;
    if (get(c, world, token, target, prefer, &r) < 0)
        return -1;
    int rc = json_parse(&c->arena, r->body, r->body_len, NULL, ret, &c->err);
    sosia_response_free(r);
    return rc;
}

int world_get(struct hosted_call *c, const char *target, const struct json **ret)
{
    return get_json(c, c->sandbox->world, c->token, target, NULL, ret);
}

int world_get_as(struct hosted_call *c, const char *target, const char *prefer,
                 const struct json **ret)
{
    return get_json(c, c->sandbox->world, c->token, target, prefer, ret);
}

/* The path and query of a page's address. */
static const char *target_of(const char *url)
{
    const char *host = url ? strstr(url, "://") : NULL;
    return host ? strchr(host + 3, '/') : url;
}

int world_pages(struct hosted_call *c, const char *target, struct listed *ret)
{
    const struct json *v, *items;
    *ret = (struct listed){0};
    while (target) {
        if (world_get(c, target, &v) < 0)
            return -1;
        uint32_t k = items_of(v, "value", &items);
        for (uint32_t i = 0; i < k; i++) {
            ret->items = arena_grow(&c->arena, ret->items, ret->n, &ret->cap, sizeof *ret->items);
            if (!ret->items)
                return sosia_fail_memory(&c->err);
            ret->items[ret->n++] = &items[i];
        }
        target = target_of(json_get_str(v, "@odata.nextLink"));
    }
    return 0;
}

int world_ask(struct hosted_call *c, uint64_t world, const char *token, const char *target,
              const struct json **ret)
{
    return get_json(c, world, token, target, NULL, ret);
}

int world_text(struct hosted_call *c, const char *target, size_t max, const char **ret_text,
               size_t *ret_len)
{
    struct sosia_response *r;
    *ret_text = NULL;
    *ret_len = 0;
    if (get(c, c->sandbox->world, c->token, target, NULL, &r) < 0)
        return -1;
    if (!r->read && r->body_len <= max) {
        *ret_text = arena_memdup(&c->arena, r->body, r->body_len);
        *ret_len = r->body_len;
    } else if (r->read && r->length <= (int64_t)max) {
        char *text = arena_alloc(&c->arena, (size_t)r->length + 1);
        int64_t n, at = 0;
        while (!arena_failed(&c->arena) && at < r->length &&
               (n = r->read(r, at, text + at, (size_t)(r->length - at))) > 0)
            at += n;
        if (at == r->length && !arena_failed(&c->arena)) {
            text[at] = 0;
            *ret_text = text;
            *ret_len = (size_t)at;
        }
    }
    sosia_response_free(r);
    return 0;
}

const char *escaped(struct hosted_call *c, const char *text)
{
    struct buf b;
    buf_init(&b, 0);
    percent_add(&b, text, strlen(text));
    return buf_keep(&b, &c->arena);
}

int world_time(struct hosted_call *c, int64_t *ret_us)
{
    return sosia_clock_get(c->h->engine, c->sandbox->world, ret_us, &c->err);
}

const char *filled(const struct json *obj, const char *name)
{
    const char *text = json_get_str(obj, name);
    return text && *text ? text : NULL;
}

uint32_t items_of(const struct json *obj, const char *name, const struct json **ret_items)
{
    const struct json *list = json_get(obj, name);
    bool is = list && list->type == JSON_ARRAY;
    *ret_items = is ? list->items : NULL;
    return is ? list->n : 0;
}

bool make_utf8(char *text, size_t len)
{
    bool valid = true;
    for (size_t i = 0; i < len;) {
        unsigned k = utf8_sequence(text + i, len - i);
        if (!k) {
            text[i] = '?';
            valid = false;
        }
        i += k ? k : 1;
    }
    return valid;
}

char *plain_lines(struct hosted_call *c, const char *text)
{
    char *copy = arena_strdup(&c->arena, text), *to = copy;
    for (const char *p = text; *p && !arena_failed(&c->arena); p++)
        if (p[0] != '\r' || p[1] != '\n')
            *to++ = *p;
    *to = 0;
    return copy;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls: those of a sequence, and those of checks. */
#include "conformance/properties/bodies.h"
#include "engine/base/codec.h"
#include <stdio.h>
#include <stdlib.h>

static struct sosia_err err;

static void stop(const char *what)
{
    printf("%s: %s\n", what, err.text);
    exit(1);
}

static void call(struct run *r, enum person who, const char *verb, const char *path,
                 const char *if_match, const char *send, struct reply *ret)
{
    struct arena *a = &r->arena;
    struct sosia_header headers[] = {
        {"Authorization", arena_printf(a, "Bearer %s", r->tokens[who])},
        {"Content-Type", "application/json"},
        {"If-Match", if_match},
    };
    struct sosia_request request = {.method = verb,
                                    .target = arena_printf(a, "/calendar/v3%s", path),
                                    .headers = headers,
                                    .n_headers = if_match ? 3 : 2,
                                    .body = send ? send : "",
                                    .body_len = send ? strlen(send) : 0};
    struct sosia_response *answer;
    if (sosia_call(r->engine, r->world, &request, &answer, &err) < 0)
        stop("call");
    *ret = (struct reply){.status = answer->status};
    if (answer->body_len &&
        json_parse(a, answer->body, answer->body_len, NULL, &ret->body, &err) < 0)
        stop(path);
    sosia_response_free(answer);
    if (r->spoilt && r->spoilt->spoil)
        r->spoilt->spoil(r, who, verb, path, ret);
}

const struct reply *ask(struct run *r, enum person who, const char *verb, const char *path,
                        const char *send)
{
    struct reply *reply = arena_calloc(&r->arena, 1, sizeof *reply);
    call(r, who, verb, path, NULL, send, reply);
    return reply;
}

int ask_list(struct run *r, enum person who, const char *path, unsigned page,
             const struct json **ret_items, const struct reply **ret_last)
{
    const struct reply *reply;
    const char *token = NULL;
    struct buf b;
    struct json_writer w;
    struct json *all = arena_calloc(&r->arena, 1, sizeof *all);
    json_start(&w, &b);
    json_arr(&w, NULL);
    do {
        struct buf url;
        buf_init(&url, 0);
        buf_printf(&url, "%s%cmaxResults=%u", path, strchr(path, '?') ? '&' : '?', page);
        if (token) {
            buf_puts(&url, "&pageToken=");
            percent_add(&url, token, strlen(token));
        }
        reply = ask(r, who, "GET", buf_keep(&url, &r->arena), NULL);
        const struct json *items = json_get(reply->body, "items");
        for (uint32_t i = 0; items && i < items->n; i++)
            json_value(&w, NULL, &items->items[i]);
        token = json_get_str(reply->body, "nextPageToken");
    } while (reply->status == 200 && token);
    json_end(&w);
    if (ret_last)
        *ret_last = reply;
    *ret_items = NULL;
    if (reply->status == 200 &&
        json_parse(&r->arena, buf_str(&b), b.len, NULL, ret_items, &err) < 0)
        stop(path);
    buf_done(&b);
    return reply->status;
}

/* ---- operations ---- */

struct plan {
    struct run *r;
    const struct op *op;
    struct made *made;
    struct arena *a;
};

static const struct made *make(struct plan *p, const char *verb, const char *path,
                               const char *if_match, const char *send)
{
    struct made *m = p->made;
    struct reply reply;
    m->who = p->op->who;
    m->verb = verb;
    m->path = path;
    m->if_match = if_match;
    m->send = send;
    if (send && json_parse(p->a, send, strlen(send), NULL, &m->sent, &err) < 0)
        stop("body");
    call(p->r, m->who, verb, path, if_match, send, &reply);
    m->status = reply.status;
    m->body = reply.body;
    return m;
}

static const char *event_path(struct plan *p, const char *id)
{
    p->made->event = id;
    p->made->shelf = p->op->shelf;
    return arena_printf(p->a, "/calendars/%s/events/%s", shelf_ids[p->op->shelf], id);
}

/* The event that an operation is about: one that was not made has an unknown id. */
static struct slot *target(struct plan *p)
{
    struct slot *s = &p->r->slots[p->op->target];
    if (!s->id)
        s->id = "nosuchevent";
    return s;
}

static const struct made *insert(struct plan *p)
{
    struct slot *s = &p->r->slots[p->op->number];
    const char *id = arena_printf(p->a, "prop%05u", p->op->number);
    const struct rule *rule;
    const char *body = body_insert(p->a, id, p->op->number, &rule);
    p->made->event = id;
    p->made->shelf = p->op->shelf;
    make(p, "POST", arena_printf(p->a, "/calendars/%s/events", shelf_ids[p->op->shelf]), NULL,
         body);
    *s = (struct slot){p->made->status == 200, p->op->shelf, id, rule};
    return p->made;
}

static const struct made *import(struct plan *p)
{
    struct slot *s = &p->r->slots[p->op->number];
    const char *uid = arena_printf(p->a, "import%u@elsewhere.example", p->op->number);
    const char *body = body_import(p->a, uid, p->op->number, shelf_owner[p->op->shelf]);
    make(p, "POST", arena_printf(p->a, "/calendars/%s/events/import", shelf_ids[p->op->shelf]),
         NULL, body);
    bool good = p->made->status == 200;
    p->made->event = good ? item_id(p->made->body) : "nosuchevent";
    p->made->shelf = p->op->shelf;
    *s = (struct slot){good, p->op->shelf, p->made->event, NULL};
    return p->made;
}

static const struct made *patch(struct plan *p)
{
    struct slot *s = target(p);
    const struct rule *rule = s->rule;
    bool timed;
    const char *body = body_patch(p->a, p->op->number, s->rule, &rule, &timed);
    make(p, "PATCH", event_path(p, s->id), NULL, body);
    if (p->made->status == 200 && s->shelf == p->op->shelf)
        s->rule = timed && rule == s->rule ? NULL : rule;
    return p->made;
}

static const struct made *put(struct plan *p)
{
    struct slot *s = target(p);
    const struct rule *rule;
    const char *body = body_put(p->a, p->op->number, &rule);
    make(p, "PUT", event_path(p, s->id), NULL, body);
    if (p->made->status == 200 && s->shelf == p->op->shelf)
        s->rule = rule;
    return p->made;
}

/* An instance of the target; NULL: it has none. */
static const struct json *draw_instance(struct plan *p, const char *id)
{
    const char *path =
        arena_printf(p->a, "%s/instances?maxResults=8&timeZone=UTC", event_path(p, id));
    uint32_t dice = random_below(8);
    struct reply reply;
    const struct property *spoilt = p->r->spoilt;
    p->r->spoilt = NULL;
    call(p->r, p->op->who, "GET", path, NULL, NULL, &reply);
    p->r->spoilt = spoilt;
    const struct json *items = json_get(reply.body, "items");
    return items && items->n ? &items->items[dice % items->n] : NULL;
}

static const struct made *patch_instance(struct plan *p)
{
    const struct json *instance = draw_instance(p, target(p)->id);
    if (!instance)
        return NULL;
    return make(p, "PATCH", event_path(p, item_id(instance)), NULL,
                body_patch_instance(p->a, p->op->number, instance));
}

static const struct made *delete_instance(struct plan *p)
{
    const struct json *instance = draw_instance(p, target(p)->id);
    if (!instance)
        return NULL;
    return make(p, "DELETE", event_path(p, item_id(instance)), NULL, NULL);
}

static const struct made *move(struct plan *p)
{
    struct slot *s = target(p);
    enum shelf to = (enum shelf)random_below(N_SHELVES);
    make(p, "POST",
         arena_printf(p->a, "%s/move?destination=%s", event_path(p, s->id), shelf_ids[to]), NULL,
         NULL);
    if (p->made->status == 200)
        s->shelf = to;
    return p->made;
}

static const struct made *share(struct plan *p)
{
    static const char *const roles[] = {"freeBusyReader", "reader", "writer", "owner"};
    enum person whom = (enum person)random_below(N_PEOPLE);
    return make(
        p, "POST",
        arena_printf(p->a, "/calendars/%s/acl?sendNotifications=false", shelf_ids[p->op->shelf]),
        NULL,
        arena_printf(p->a, "{\"role\":\"%s\",\"scope\":{\"type\":\"user\",\"value\":\"%s\"}}",
                     roles[random_below(4)], person_emails[whom]));
}

static const struct made *unshare(struct plan *p)
{
    const char *whom = person_emails[random_below(N_PEOPLE)];
    return make(p, "DELETE",
                arena_printf(p->a, "/calendars/%s/acl/user:%s", shelf_ids[p->op->shelf], whom),
                NULL, NULL);
}

static const char *entry_path(struct plan *p)
{
    return arena_printf(p->a, "/users/me/calendarList/%s", shelf_ids[p->op->shelf]);
}

static const struct made *subscribe(struct plan *p)
{
    static const char *const ids[] = {"ada@acme.example", "bob@acme.example", "cyd@acme.example",
                                      "c_shared@group.calendar.google.com"};
    return make(p, "POST", "/users/me/calendarList", NULL,
                arena_printf(p->a, "{\"id\":\"%s\"}", ids[p->op->shelf]));
}

/* Calls that must be refused, whatever there is. */
static const struct made *wrong(struct plan *p)
{
    static const char *const bodies[] = {
        "{\"summary\":\"x\"}",
        "{\"start\":{\"date\":\"2026-12-02\"},\"end\":{\"date\":\"2026-12-01\"}}",
        "{\"start\":{\"date\":\"2026-12-01\"},\"end\":{\"dateTime\":\"2026-12-01T10:00:00Z\"}}",
        "{\"start\":{\"date\":\"2026-12-01\"},\"end\":{\"date\":\"2026-12-02\"},\"colorId\":"
        "\"99\"}",
        "{\"start\":{\"date\":\"2026-12-01\"},\"end\":{\"date\":\"2026-12-02\"},"
        "\"recurrence\":[\"RRULE:FREQ=NEVER\"]}",
        "{\"start\":{\"date\":\"2026-12-01\"},\"end\":{\"date\":\"2026-12-02\"},"
        "\"attendees\":[{\"email\":\"bob@acme.example\"},{\"displayName\":\"Nobody\"}]}",
        "{\"start\":{\"date\":\"2026-12-01\"},\"end\":{\"date\":\"2026-12-02\"},"
        "\"reminders\":{\"useDefault\":false,\"overrides\":[{\"method\":\"pigeon\",\"minutes\":1}]}"
        "}",
    };
    const char *body = bodies[random_below(SOSIA_LEN(bodies))];
    struct slot *s = target(p);
    switch (random_below(6)) {
    case 0:
        return make(p, "POST", arena_printf(p->a, "/calendars/%s/events", shelf_ids[p->op->shelf]),
                    NULL, body);
    case 1:
        return make(p, "PUT", event_path(p, s->id), NULL, body);
    case 2:
        return make(p, "PATCH", event_path(p, s->id), "\"1\"", "{\"summary\":\"Stale\"}");
    case 3:
        return make(p, "DELETE", event_path(p, s->id), "\"1\"", NULL);
    case 4:
        return make(p, "PATCH", event_path(p, "nosuchevent"), NULL, "{\"summary\":\"x\"}");
    default:
        return make(p, "PATCH", event_path(p, s->id), NULL,
                    "{\"summary\":\"x\",\"attendees\":[{\"email\":\"bob@acme.example\"}],"
                    "\"start\":{\"dateTime\":\"2026-12-01T25:00:00Z\"}}");
    }
}

static const struct made *advance(struct plan *p)
{
    static const int64_t hours[] = {1, 5, 24, 72, 24 * 8};
    p->made->advance_s = hours[random_below(SOSIA_LEN(hours))] * 3600;
    p->made->status = 200;
    if (sosia_clock_advance(p->r->engine, p->r->world, p->made->advance_s * 1000000, &err) < 0)
        stop("clock");
    return p->made;
}

const struct made *op_do(struct run *r, const struct op *op)
{
    struct plan p = {r, op, &r->made[r->n_made], &r->arena};
    const struct made *m = NULL;
    *p.made = (struct made){.op = op};
    rule_random = op->dice;
    random_below(2);
    switch (op->kind) {
    case OP_INSERT:
        m = insert(&p);
        break;
    case OP_IMPORT:
        m = import(&p);
        break;
    case OP_PATCH:
        m = patch(&p);
        break;
    case OP_PUT:
        m = put(&p);
        break;
    case OP_DELETE:
        m = make(&p, "DELETE", event_path(&p, target(&p)->id), NULL, NULL);
        break;
    case OP_ANSWER:
        m = make(&p, "PATCH", event_path(&p, target(&p)->id), NULL, body_answer(p.a, op->who));
        break;
    case OP_PATCH_INSTANCE:
        m = patch_instance(&p);
        break;
    case OP_DELETE_INSTANCE:
        m = delete_instance(&p);
        break;
    case OP_MOVE:
        m = move(&p);
        break;
    case OP_SHARE:
        m = share(&p);
        break;
    case OP_UNSHARE:
        m = unshare(&p);
        break;
    case OP_SUBSCRIBE:
        m = subscribe(&p);
        break;
    case OP_ENTRY:
        m = make(&p, "PATCH", entry_path(&p), NULL, body_entry(p.a, op->number));
        break;
    case OP_UNSUBSCRIBE:
        m = make(&p, "DELETE", entry_path(&p), NULL, NULL);
        break;
    case OP_CALENDAR:
        m = make(&p, "PATCH", arena_printf(p.a, "/calendars/%s", shelf_ids[op->shelf]), NULL,
                 body_calendar(p.a, op->number));
        break;
    case OP_WRONG:
        m = wrong(&p);
        break;
    case OP_ADVANCE:
        m = advance(&p);
        break;
    case N_OPS:
        break;
    }
    if (m)
        r->n_made++;
    return m;
}

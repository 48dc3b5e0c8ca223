/* SPDX-License-Identifier: Apache-2.0 */
/* What is in worlds: put in by seed documents, given out as dumps, diffs and lists. */
#include "server/control/operation.h"
#include "engine/replay/find.h"
#include "engine/send/outbox.h"
#include "engine/state/dump.h"
#include "guard/simulate.h"

int control_seed(struct call *call)
{
    struct control_call *c = control_of(call);
    if (sosia_world_seed(c->engine, c->world, c->request->body, c->request->body_len,
                         control_text(c, "document_name"), &c->err) < 0)
        return -1;
    return control_answer_world(c, 200, c->world);
}

/* A dump, which is an object, with one more member: what the world's rules keep beside it. */
static int dump_with_guard(struct control_call *c, struct sosia_blob *dump)
{
    struct sosia_blob guard;
    struct buf b;
    size_t n = dump->len;
    if (guard_dump(c->engine, c->world, &guard, &c->err) < 0) {
        sosia_blob_free(dump);
        return -1;
    }
    while (n && dump->data[n - 1] != '}')
        n--;
    for (n -= n > 0; n && strchr(" \n", dump->data[n - 1]);)
        n--;
    buf_init(&b, 0);
    buf_add(&b, dump->data, n);
    buf_printf(&b, "%s\n  \"guard\": ", n && dump->data[n - 1] == '{' ? "" : ",");
    buf_add(&b, guard.data, guard.len);
    buf_puts(&b, "\n}\n");
    sosia_blob_free(dump);
    sosia_blob_free(&guard);
    return control_answer(c, 200, &b);
}

int control_dump(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    const struct dump_part part = {.sections = control_text(c, "sections"),
                                   .person = control_text(c, "person"),
                                   .text = control_text(c, "text")};
    if ((part.sections || part.person || part.text
             ? world_dump_part(c->engine, c->world, &part, &json, &c->err)
             : sosia_world_dump(c->engine, c->world, &json, &c->err)) < 0)
        return -1;
    if (control_number(c, "guard", 0))
        return dump_with_guard(c, &json);
    server_answer_blob(c->response, 200, &json);
    return 0;
}

int control_hash(struct call *call)
{
    struct control_call *c = control_of(call);
    char hex[65];
    struct json_writer w;
    struct buf b;
    if (sosia_world_hash(c->engine, c->world, hex, &c->err) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    json_str(&w, "sha256", hex);
    json_end(&w);
    return control_answer(c, 200, &b);
}

/* ---- lists ---- */

static int limit_of(const struct control_call *c)
{
    return (int)control_number(c, "limit", 100);
}

int control_journal_entry(struct call *call)
{
    struct control_call *c = control_of(call);
    int64_t seq = control_number(c, "seq", 0);
    struct sosia_blob json;
    const struct json *list;
    struct json_writer w;
    struct buf b;
    const struct journal_search one = {
        .after = seq - 1, .before = seq + 1, .limit = 1, .bodies = true, .times = true};
    int64_t ignored;
    if ((control_number(c, "times", 0) && seq < INT64_MAX
             ? journal_search(c->engine, c->world, &one, &json, &ignored, &c->err)
             : sosia_journal_list(c->engine, c->world, seq - 1, 1, true, &json, &c->err)) < 0)
        return -1;
    int rc = json_parse(&c->arena, json.data, json.len, NULL, &list, &c->err);
    sosia_blob_free(&json);
    if (rc < 0)
        return -1;
    if (!list->n)
        return sosia_fail(&c->err, SOSIA_E_NOT_FOUND, "entryNotFound", "seq",
                          "must be the number of an entry of the journal, not %lld",
                          (long long)seq);
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_value(&w, NULL, &list->items[0]);
    return control_answer(c, 200, &b);
}

int control_outbox(struct call *call)
{
    struct control_call *c = control_of(call);
    bool newest = control_number(c, "order", 0) == 1;
    struct sosia_blob json;
    if (control_given(c, newest ? "after" : "before"))
        return control_fail(c, newest ? "after" : "before", "%s",
                            newest ? "is for the order oldest" : "is for the order newest");
    int rc = newest ? outbox_newest(c->engine, c->world, control_number(c, "before", 0),
                                    limit_of(c), &json, &c->err)
                    : sosia_outbox_list(c->engine, c->world, control_number(c, "after", 0),
                                        limit_of(c), &json, &c->err);
    return rc < 0 ? -1 : control_answer_member(c, "entries", &json);
}

int control_outcome(struct call *call)
{
    struct control_call *c = control_of(call);
    const char *type = control_text(c, "content_type");
    const struct control_value *body = control_given(c, "body");
    const struct sosia_header header = {.name = "Content-Type", .value = type};
    const struct sosia_outcome outcome = {.status = (int)control_number(c, "status", 0),
                                          .error = control_text(c, "error"),
                                          .headers = &header,
                                          .n_headers = type != NULL,
                                          .body = body ? body->text : "",
                                          .body_len = body ? body->len : 0};
    int64_t again_us;
    struct json_writer w;
    struct buf b;
    if (!outcome.status == !outcome.error)
        return control_fail(c, "status", "must be given, or error in its place: %s",
                            outcome.status ? "both are given" : "neither is given");
    if (!outcome.status && (type || body))
        return control_fail(c, body ? "body" : "content_type",
                            "must be absent where no response came, is given");
    if (sosia_delivery_outcome(c->engine, c->world, control_number(c, "entry", 0),
                               control_number(c, "attempt", 1), &outcome, &again_us, &c->err) < 0)
        return -1;
    json_start(&w, &b);
    json_obj(&w, NULL);
    if (again_us)
        json_time(&w, "again", again_us, JSON_TIME_US_Z);
    else
        json_null(&w, "again");
    json_end(&w);
    return control_answer(c, 200, &b);
}

int control_actors(struct call *call)
{
    struct control_call *c = control_of(call);
    struct sosia_blob json;
    if (sosia_actor_list(c->engine, c->world, control_number(c, "after", 0), limit_of(c), &json,
                         &c->err) < 0)
        return -1;
    return control_answer_member(c, "actors", &json);
}

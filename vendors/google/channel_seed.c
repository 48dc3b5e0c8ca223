/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Push channels in seed documents and dumps. What is watched is of the APIs: each has a section of
 * its own, behind those of what its channels watch, and says how that is named.
 */
#include "engine/state/form.h"
#include "vendors/google/internal.h"
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/text/civil.h"
#include "engine/world/take.h"
#include "identity/shown.h"

#define MAX_COUNT (INT64_C(1) << 40)
#define MAX_WORDS 8

/* A channel as documents have it; read and written with its API's kinds as what it is of. */
struct said {
    struct google_channel channel;
    const struct google_watched *kind;
    int64_t person, ref; /* ref 0: what it watches is gone */
    const char *thing;   /* its name; "": it has none */
};

static int read_person(const struct form_in *in, const struct member *m, void *row)
{
    const char *name;
    if (doc_str(in->d, in->value, m->name, true, &name) < 0)
        return -1;
    int r = m->ref->find(in->tx, name, member_place(m, row));
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_refuse(in->d, in->value, m->name,
                                "nobody has the address or handle \"%.80s\"", name);
}

static int read_kind(const struct form_in *in, const struct member *m, void *row)
{
    const struct google_watched *kinds = in->of;
    const char *words[MAX_WORDS + 1] = {0}, *word;
    struct said *s = row;
    int at;
    for (size_t i = 0; kinds[i].kind && i < MAX_WORDS; i++)
        words[i] = kinds[i].word;
    if (doc_str(in->d, in->value, m->name, true, &word) < 0 ||
        doc_enum(in->d, in->value, m->name, words, 0, &at) < 0)
        return -1;
    s->kind = &kinds[at];
    s->channel.expires_us = (in->tx->now_us / US_PER_SECOND + s->kind->life_s) * US_PER_SECOND;
    return 0;
}

static int write_kind(const struct form_out *out, const struct member *m, const void *row)
{
    json_str(out->w, m->name, ((const struct said *)row)->kind->word);
    return 0;
}

/* What it watches, which its kind's own member names. */
static int read_thing(const struct form_in *in, const struct member *m, void *row)
{
    struct doc *d = in->d;
    struct said *s = row;
    const struct google_watched *k = s->kind;
    bool gone;
    s->ref = k->member ? 0 : s->person;
    s->thing = "";
    for (const struct google_watched *other = in->of; other->kind; other++)
        if (other->member && other->member != k->member && json_get(in->value, other->member))
            return doc_refuse(d, in->value, other->member, "is not a member of what watches %s",
                              k->word);
    if (doc_bool(d, in->value, m->name, false, &gone) < 0)
        return -1;
    if (gone && !k->member)
        return doc_refuse(d, in->value, m->name, "what watches %s is never gone", k->word);
    if (!k->member || gone)
        return 0;
    if (doc_str(d, in->value, k->member, true, &s->thing) < 0)
        return -1;
    int r = TX_INT(in->tx, k->find, &s->ref, s->thing);
    return r == 1  ? 0
           : r < 0 ? -1
                   : doc_refuse(d, in->value, k->member, "there is no %s \"%.80s\"", k->member,
                                s->thing);
}

static int write_thing(const struct form_out *out, const struct member *m, const void *row)
{
    const struct said *s = row;
    const char *thing;
    if (!s->kind->member)
        return 0;
    int r = TX_TAKE(out->tx, TX_QUERY(out->tx, s->kind->key, s->ref), &thing);
    if (r == 1)
        json_str(out->w, s->kind->member, thing);
    if (r == 0)
        json_bool(out->w, m->name, true);
    return r < 0 ? -1 : 0;
}

static const struct member channel_members[] = {
    {"id", "What its program calls it", TEXT_AT(struct said, channel.name),
     .flags = MEMBER_REQUIRED},
    {"person", "Who made it, and may stop it", REF_AT(struct said, person, &address_reference),
     .flags = MEMBER_REQUIRED, .read = read_person},
    {"watch", "Which changes are sent", .kind = MEMBER_OWN, .noun = "text",
     .flags = MEMBER_REQUIRED, .read = read_kind, .write = write_kind},
    {"gone", "What it watches was deleted since", .kind = MEMBER_OWN, .noun = "true or false",
     .read = read_thing, .write = write_thing},
    {"resource", "The id of what it watches; made up without it",
     TEXT_AT(struct said, channel.resource)},
    {"uri", "The list that it watches, as the API names it; made without it",
     TEXT_AT(struct said, channel.uri)},
    {"address", "Where its messages go: https, or http on this machine",
     TEXT_AT(struct said, channel.address), .flags = MEMBER_REQUIRED},
    {"token", "What each message has; none without it", TEXT_AT(struct said, channel.token)},
    {"expires", "When it ends", TIME_AT(struct said, channel.expires_us), .flags = MEMBER_ALWAYS},
    {"messages", "How many it has had", INT_AT(struct said, channel.number, 1, MAX_COUNT),
     .usual = 1},
};
const struct form google_channel_form = FORM("A channel of notifications", channel_members);

/* The list as the service's own servers name it. */
static const char *usual_uri(struct tx *tx, const struct google_watched *k, const char *name)
{
    struct buf b;
    buf_init(&b, 0);
    buf_printf(&b, "https://www.googleapis.com%s", k->before);
    if (k->after)
        percent_add(&b, name, strlen(name));
    buf_printf(&b, "%s?alt=json", k->after ? k->after : "");
    const char *uri = arena_strdup(tx->arena, buf_failed(&b) ? "" : buf_str(&b));
    bool failed = buf_failed(&b);
    buf_done(&b);
    if (failed)
        sosia_fail_memory(tx->err);
    return failed ? NULL : uri;
}

int google_channel_seed(struct tx *tx, struct doc *d, const struct json *v,
                        const struct google_watched *kinds, const struct form *form)
{
    struct said s = {.thing = ""};
    struct google_channel *ch = &s.channel;
    form_usual(form, &s);
    if (form_read(&(struct form_in){tx, d, v, kinds}, form, &s) < 0)
        return -1;
    if (!ch->uri && !(ch->uri = usual_uri(tx, s.kind, s.thing)))
        return -1;
    if (!ch->resource)
        ch->resource = google_channel_resource(tx, s.kind->kind, s.ref);
    const char *fault = google_channel_fault(ch);
    if (fault)
        return doc_refuse(d, v, fault,
                          strcmp(fault, "address") == 0
                              ? "must be an https URL, or an http URL of this machine"
                              : "is too long or has characters that no channel has there");
    if (google_channel_add(tx, s.person, s.kind->kind, s.ref, ch) == 0)
        return 0;
    return doc_taken(d, v, "id");
}

int google_channel_dump(struct tx *tx, int64_t rowid, struct json_writer *w,
                        const struct google_watched *kinds)
{
    static struct sql_text q =
        SQL_TEXT("select name, actor, kind, ref, resource, uri, address, token, expires_us, number "
                 "from google_channel where id = :id");
    struct said s = {.kind = kinds};
    struct google_channel *ch = &s.channel;
    const char *kind;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &ch->name, &s.person, &kind, &s.ref, &ch->resource,
                    &ch->uri, &ch->address, &ch->token, &ch->expires_us, &ch->number);
    if (r != 1)
        return r;
    while (s.kind->kind && strcmp(s.kind->kind, kind) != 0)
        s.kind++;
    if (!s.kind->kind)
        return 0;
    return form_write(&(struct form_out){tx, w}, &google_channel_form, &s) < 0 ? -1 : 1;
}

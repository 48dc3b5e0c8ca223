/* SPDX-License-Identifier: Apache-2.0 */
/* Rows read from documents and written into them by the table of their members. */
#include "engine/state/form.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"
#include "engine/text/tz.h"

int64_t member_number(const struct member *m, const void *row)
{
    const void *at = member_at(m, row);
    switch (m->size) {
    case sizeof(int64_t):
        return *(const int64_t *)at;
    case sizeof(int32_t):
        return *(const int32_t *)at;
    default:
        return *(const uint8_t *)at;
    }
}

void member_put_number(const struct member *m, void *row, int64_t v)
{
    void *at = member_place(m, row);
    switch (m->size) {
    case sizeof(int64_t):
        *(int64_t *)at = v;
        break;
    case sizeof(int32_t):
        *(int32_t *)at = (int32_t)v;
        break;
    default:
        *(uint8_t *)at = (uint8_t)v;
    }
}

const char *member_text(const struct member *m, const void *row)
{
    return *(const char *const *)member_at(m, row);
}

void member_put_text(const struct member *m, void *row, const char *text)
{
    *(const char **)member_place(m, row) = text;
}

bool member_is_text(const struct member *m)
{
    return m->kind == MEMBER_TEXT || m->kind == MEMBER_WORD || m->kind == MEMBER_ZONE ||
           m->kind == MEMBER_JSON || m->kind == MEMBER_KEPT;
}

/* Lists are of structs of any type: their pointers are copied as bytes. */
static const void *list_at(const struct member *m, const void *row, int *ret_n)
{
    const void *items;
    memcpy(&items, member_at(m, row), sizeof items);
    *ret_n = *(const int *)((const char *)row + m->count);
    return items;
}

static void list_put(const struct member *m, void *row, void *items, int n)
{
    memcpy(member_place(m, row), &items, sizeof items);
    *(int *)((char *)row + m->count) = n;
}

/* *at: the place of the struct that it is in, of that of the form. */
static const struct member *find_member(const struct form *form, const char *name, size_t *at)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i], *in;
        if (m->kind == MEMBER_PART && (in = find_member(m->form, name, at))) {
            *at += m->at;
            return in;
        }
        if (m->name && strcmp(m->name, name) == 0) {
            *at = 0;
            return m;
        }
    }
    return NULL;
}

const struct member *form_member(const struct form *form, const char *name)
{
    size_t at;
    return find_member(form, name, &at);
}

/* ---- the usual row ---- */

void form_usual(const struct form *form, void *row)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        switch (m->kind) {
        case MEMBER_TEXT:
        case MEMBER_WORD:
        case MEMBER_ZONE:
        case MEMBER_JSON:
        case MEMBER_KEPT:
            *(const char **)member_place(m, row) = m->usual_text;
            break;
        case MEMBER_FLAG:
            *(unsigned *)member_place(m, row) &= ~(unsigned)m->min;
            *(unsigned *)member_place(m, row) |= m->usual ? (unsigned)m->min : 0;
            break;
        case MEMBER_LIST:
            list_put(m, row, NULL, 0);
            break;
        case MEMBER_OBJECT:
            form_usual(m->form, member_place(m, row));
            break;
        case MEMBER_PART:
            form_usual(m->form, member_place(m, row));
            break;
        case MEMBER_OWN:
            break;
        default:
            member_put_number(m, row, m->usual);
        }
    }
}

static bool same_list(const struct member *m, const void *row, const void *base)
{
    int n, n_base = 0;
    const char *items = list_at(m, row, &n), *others = base ? list_at(m, base, &n_base) : NULL;
    if (n != n_base || items == others)
        return n == n_base;
    for (int i = 0; i < n; i++)
        if (!form_same(m->form, items + m->form->size * (size_t)i,
                       others + m->form->size * (size_t)i))
            return false;
    return true;
}

bool member_same(const struct member *m, const void *row, const void *base)
{
    switch (m->kind) {
    case MEMBER_TEXT:
    case MEMBER_WORD:
    case MEMBER_ZONE:
    case MEMBER_JSON:
    case MEMBER_KEPT:
        return str_same(member_text(m, row), base ? member_text(m, base) : m->usual_text);
    case MEMBER_FLAG: {
        unsigned bits = (unsigned)m->min, was = m->usual ? bits : 0;
        if (base)
            was = *(const unsigned *)member_at(m, base) & bits;
        return (*(const unsigned *)member_at(m, row) & bits) == was;
    }
    case MEMBER_LIST:
        return same_list(m, row, base);
    case MEMBER_OBJECT:
    case MEMBER_PART:
        return form_same(m->form, member_at(m, row), base ? member_at(m, base) : NULL);
    case MEMBER_OWN:
        return true;
    default:
        return member_number(m, row) == (base ? member_number(m, base) : m->usual);
    }
}

bool form_same(const struct form *form, const void *row, const void *base)
{
    for (size_t i = 0; i < form->n; i++)
        if (!member_same(&form->members[i], row, base))
            return false;
    return true;
}

/* ---- reading ---- */

static void names_of(const struct form *form, struct buf *out)
{
    for (size_t i = 0; i < form->n; i++) {
        if (form->members[i].kind == MEMBER_PART)
            names_of(form->members[i].form, out);
        else if (form->members[i].name)
            buf_printf(out, "%s%s", out->len ? ", " : "", form->members[i].name);
    }
}

static int unknown_member(struct doc *d, const struct json *at, const char *member,
                          const struct form *form)
{
    struct buf b;
    buf_init(&b, 0);
    names_of(form, &b);
    doc_fail(d, at, member, "there is no such field (known: %s)", buf_str(&b));
    buf_done(&b);
    return -1;
}

int form_known(const struct form_in *in, const struct form *form)
{
    const struct json *value = in->value;
    struct doc *d = in->d;
    if (value->type != JSON_OBJECT)
        return doc_expect(d, value, NULL, "an object");
    for (uint32_t i = 0; i < value->n; i++) {
        const struct json_member *m = &value->members[i];
        struct json at = {.at = m->key_at};
        if (!form_member(form, m->key))
            return unknown_member(d, &at, m->key, form);
        if (json_get(value, m->key) != &m->value)
            return doc_fail(d, &at, m->key, "is here twice");
    }
    return 0;
}

static int read_text(const struct form_in *in, const struct member *m, void *row)
{
    const char *text;
    if (doc_str(in->d, in->value, m->name, m->flags & MEMBER_REQUIRED, &text) < 0)
        return -1;
    if (text)
        *(const char **)member_place(m, row) = *text || !(m->flags & MEMBER_CLEARS) ? text : NULL;
    return 0;
}

static int read_word(const struct form_in *in, const struct member *m, void *row)
{
    int at;
    if (doc_enum(in->d, in->value, m->name, m->names, -1, &at) < 0)
        return -1;
    if (at >= 0)
        *(const char **)member_place(m, row) = m->names[at];
    return 0;
}

static int read_number(const struct form_in *in, const struct member *m, void *row)
{
    int64_t v = member_number(m, row);
    bool truth = v;
    int at, rc;
    if (m->kind == MEMBER_BOOL) {
        rc = doc_bool(in->d, in->value, m->name, truth, &truth);
        v = truth;
    } else if (m->kind == MEMBER_ENUM) {
        rc = doc_enum(in->d, in->value, m->name, m->names, (int)(v - m->min), &at);
        v = at + m->min;
    } else if (m->kind == MEMBER_TIME) {
        rc = doc_time(in->d, in->value, m->name, &v);
    } else {
        rc = doc_int(in->d, in->value, m->name, m->min, m->max, v, &v);
    }
    if (rc == 0)
        member_put_number(m, row, v);
    return rc;
}

static int read_bits(const struct form_in *in, const struct member *m, void *row)
{
    const char **list;
    size_t n;
    unsigned bits = 0;
    if (!json_get(in->value, m->name))
        return 0;
    if (doc_strings(in->d, in->value, m->name, &list, &n) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        int bit = str_place(m->names, list[i]);
        if (bit < 0)
            return doc_refuse(in->d, in->value, m->name, "there is no %s \"%.40s\"", m->noun,
                              list[i]);
        bits |= 1u << bit;
    }
    *(unsigned *)member_place(m, row) = bits;
    return 0;
}

static int read_flag(const struct form_in *in, const struct member *m, void *row)
{
    unsigned *bits = member_place(m, row), mask = (unsigned)m->min;
    bool truth;
    if (doc_bool(in->d, in->value, m->name, *bits & mask, &truth) < 0)
        return -1;
    *bits = truth ? *bits | mask : *bits & ~mask;
    return 0;
}

static int read_zone(const struct form_in *in, const struct member *m, void *row)
{
    const char *zone;
    if (doc_str(in->d, in->value, m->name, false, &zone) < 0)
        return -1;
    bool clears = zone && !*zone && (m->flags & MEMBER_CLEARS);
    if (zone && !clears && !tz_find(zone))
        return doc_refuse(in->d, in->value, m->name, "unknown time zone \"%.40s\"", zone);
    if (zone)
        *(const char **)member_place(m, row) = clears ? NULL : zone;
    return 0;
}

static int read_json(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *o = json_get(in->value, m->name);
    if (!o || o->type == JSON_NULL)
        return 0;
    if (o->type != JSON_OBJECT)
        return doc_fail(in->d, o, m->name, "must be an object");
    for (uint32_t i = 0; (m->flags & MEMBER_TEXTS) && i < o->n; i++)
        if (o->members[i].value.type != JSON_STRING)
            return doc_fail(in->d, &o->members[i].value, m->name, "may hold texts only");
    *(const char **)member_place(m, row) = o->n ? json_to_text(in->d->arena, o) : NULL;
    return 0;
}

static int read_kept(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *v = json_get(in->value, m->name);
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type != m->min)
        return doc_expect(in->d, v, m->name, m->min == JSON_ARRAY ? "a list" : "an object");
    member_put_text(m, row, json_to_text(in->d->arena, v));
    return 0;
}

static int read_ref(const struct form_in *in, const struct member *m, void *row)
{
    const char *text;
    if (doc_str(in->d, in->value, m->name, m->flags & MEMBER_REQUIRED, &text) < 0)
        return -1;
    int r = text ? m->ref->find(in->tx, text, member_place(m, row)) : 1;
    if (r == 0)
        return doc_refuse(in->d, in->value, m->name, "%s \"%.80s\"", m->ref->unknown, text);
    return r < 0 ? -1 : 0;
}

static int read_object(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *value = json_get(in->value, m->name);
    if (!value || value->type == JSON_NULL)
        return 0;
    size_t mark = doc_push(in->d, m->name, -1);
    struct form_in own = {in->tx, in->d, value, in->of};
    if (form_read(&own, m->form, member_place(m, row)) < 0)
        return -1;
    doc_pop(in->d, mark);
    return 0;
}

static int read_item(const struct form_in *item, const struct member *m, void *row)
{
    const struct form *form = m->form;
    form_usual(form, row);
    if (item->value->type != JSON_STRING || !(m->flags & MEMBER_SHORT))
        return form_read(item, form, row);
    *(const char **)member_place(form->members, row) = item->value->str;
    return form->check ? form->check(item, row) : 0;
}

static int read_list(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *list;
    if (doc_list(in->d, in->value, m->name, &list) < 0)
        return -1;
    if (!list)
        return 0;
    char *items = arena_calloc(in->d->arena, list->n ? list->n : 1, m->form->size);
    if (arena_failed(in->d->arena))
        return sosia_fail_memory(in->d->err);
    list_put(m, row, items, (int)list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        size_t mark = doc_push(in->d, m->name, i);
        struct form_in item = {in->tx, in->d, &list->items[i], in->of};
        if (read_item(&item, m, items + m->form->size * i) < 0)
            return -1;
        doc_pop(in->d, mark);
    }
    return 0;
}

static int read_member(const struct form_in *in, const struct member *m, void *row)
{
    switch (m->kind) {
    case MEMBER_TEXT:
        return read_text(in, m, row);
    case MEMBER_WORD:
        return read_word(in, m, row);
    case MEMBER_BITS:
        return read_bits(in, m, row);
    case MEMBER_FLAG:
        return read_flag(in, m, row);
    case MEMBER_ZONE:
        return read_zone(in, m, row);
    case MEMBER_JSON:
        return read_json(in, m, row);
    case MEMBER_KEPT:
        return read_kept(in, m, row);
    case MEMBER_REF:
        return read_ref(in, m, row);
    case MEMBER_OBJECT:
        return read_object(in, m, row);
    case MEMBER_LIST:
        return read_list(in, m, row);
    case MEMBER_OWN:
    case MEMBER_PART:
        return 0;
    default:
        return read_number(in, m, row);
    }
}

static int read_checked(const struct form_in *in, const struct member *m, void *row)
{
    const struct json *given = json_get(in->value, m->name);
    if ((m->flags & MEMBER_REQUIRED) && (!given || given->type == JSON_NULL))
        return doc_fail(in->d, in->value, m->name, "is missing");
    if ((m->read ? m->read(in, m, row) : read_member(in, m, row)) < 0)
        return -1;
    return m->check ? m->check(in, m, row) : 0;
}

int form_read_members(const struct form_in *in, const struct form *form, void *row)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        int rc = m->kind == MEMBER_PART ? form_read_members(in, m->form, member_place(m, row))
                 : m->name              ? read_checked(in, m, row)
                                        : 0;
        if (rc < 0)
            return -1;
    }
    return form->check ? form->check(in, row) : 0;
}

int form_read(const struct form_in *in, const struct form *form, void *row)
{
    return form_known(in, form) < 0 ? -1 : form_read_members(in, form, row);
}

int form_read_member(const struct form_in *in, const struct form *form, const char *name, void *row)
{
    size_t at;
    const struct member *m = find_member(form, name, &at);
    return read_checked(in, m, (char *)row + at);
}

int form_each(const struct form_in *in, const char *member, int (*one)(const struct form_in *item))
{
    struct doc_items it;
    if (doc_items(in->d, in->value, member, &it) < 0)
        return -1;
    for (const struct json *item; (item = doc_item(in->d, &it)) != NULL;)
        if (one(&(struct form_in){in->tx, in->d, item, in->of}) < 0)
            return -1;
    return 0;
}

/* ---- writing ---- */

void form_time(struct json_writer *w, const char *member, int64_t us)
{
    json_time(w, member, us,
              us % US_PER_SECOND == 0 ? JSON_TIME_S_Z
              : us % 1000 == 0        ? JSON_TIME_MS_Z
                                      : JSON_TIME_US_Z);
}

static void write_json(struct json_writer *w, const char *name, const char *text)
{
    if (text) {
        json_raw(w, name, text, strlen(text));
    } else {
        json_obj(w, name);
        json_end(w);
    }
}

static void write_bits(struct json_writer *w, const struct member *m, unsigned bits)
{
    json_arr(w, m->name);
    for (unsigned i = 0; m->names[i]; i++)
        if (bits >> i & 1)
            json_str(w, NULL, m->names[i]);
    json_end(w);
}

static int write_ref(const struct form_out *out, const struct member *m, int64_t id)
{
    const char *text = NULL;
    int r = id ? m->ref->name(out->tx, id, &text) : 0;
    if (r == 1)
        json_str(out->w, m->name, text);
    return r < 0 ? -1 : 0;
}

static int write_list(const struct form_out *out, const struct member *m, const void *row)
{
    int n, rc = 0;
    const char *items = list_at(m, row, &n);
    struct form_out item = {out->tx, out->w, NULL, out->of};
    json_arr(out->w, m->name);
    for (int i = 0; rc == 0 && i < n; i++) {
        json_obj(out->w, NULL);
        rc = form_write(&item, m->form, items + m->form->size * (size_t)i);
        json_end(out->w);
    }
    json_end(out->w);
    return rc;
}

/* For a struct in the row. */
static struct form_out inside(const struct form_out *out, const struct member *m)
{
    struct form_out own = *out;
    own.base = out->base ? member_at(m, out->base) : NULL;
    return own;
}

static int write_object(const struct form_out *out, const struct member *m, const void *row)
{
    const struct form_out own = inside(out, m);
    json_obj(out->w, m->name);
    int rc = form_write(&own, m->form, member_at(m, row));
    json_end(out->w);
    return rc;
}

static int write_member(const struct form_out *out, const struct member *m, const void *row)
{
    struct json_writer *w = out->w;
    const char *text;
    switch (m->kind) {
    case MEMBER_TEXT:
    case MEMBER_WORD:
    case MEMBER_ZONE:
        text = member_text(m, row);
        json_str(w, m->name, text ? text : "");
        return 0;
    case MEMBER_JSON:
    case MEMBER_KEPT:
        write_json(w, m->name, member_text(m, row));
        return 0;
    case MEMBER_BOOL:
        json_bool(w, m->name, member_number(m, row));
        return 0;
    case MEMBER_INT:
        json_int(w, m->name, member_number(m, row));
        return 0;
    case MEMBER_ENUM:
        json_str(w, m->name, m->names[member_number(m, row) - m->min]);
        return 0;
    case MEMBER_FLAG:
        json_bool(w, m->name, *(const unsigned *)member_at(m, row) & (unsigned)m->min);
        return 0;
    case MEMBER_BITS:
        write_bits(w, m, *(const unsigned *)member_at(m, row));
        return 0;
    case MEMBER_TIME:
        form_time(w, m->name, member_number(m, row));
        return 0;
    case MEMBER_REF:
        return write_ref(out, m, member_number(m, row));
    case MEMBER_OBJECT:
        return write_object(out, m, row);
    case MEMBER_LIST:
        return write_list(out, m, row);
    case MEMBER_PART:
    case MEMBER_OWN:
        break;
    }
    return 0;
}

int form_write_member(const struct form_out *out, const struct form *form, const char *name,
                      const void *row)
{
    size_t at;
    const struct member *m = find_member(form, name, &at);
    const void *place = (const char *)row + at;
    return m->write ? m->write(out, m, place) : write_member(out, m, place);
}

int form_write(const struct form_out *out, const struct form *form, const void *row)
{
    for (size_t i = 0; i < form->n; i++) {
        const struct member *m = &form->members[i];
        int rc = 0;
        if (m->kind == MEMBER_PART) {
            const struct form_out own = inside(out, m);
            rc = form_write(&own, m->form, member_at(m, row));
        } else if (!m->name)
            continue;
        else if (m->write)
            rc = m->write(out, m, row);
        else if ((m->flags & MEMBER_ALWAYS) || !member_same(m, row, out->base))
            rc = write_member(out, m, row);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A part of a dump: some sections, what is somebody's, what has a text. */
#include "engine/base/codec.h"
#include "engine/base/map.h"
#include "engine/state/dump.h"
#include "engine/state/stored.h"
#include <ctype.h>

#define MAX_WORDS 64

struct choosing {
    struct tx *tx;
    const struct dump_part *part;
    const char *words[MAX_WORDS]; /* of part->sections */
    bool used[MAX_WORDS];
    size_t n_words;
    struct map names; /* what the person is called */
    bool known;       /* something of the world is theirs, or names them */
};

/* ---- sections ---- */

static int read_words(struct choosing *c)
{
    struct arena *a = c->tx->arena;
    for (const char *p = c->part->sections; p && *p;) {
        size_t n = strcspn(p, ", ");
        if (n && c->n_words == MAX_WORDS)
            return tx_fail(c->tx, SOSIA_E_INVALID, "badPart", "sections",
                           "sections must be at most %d names, not more", MAX_WORDS);
        if (n)
            c->words[c->n_words++] = arena_memdup(a, p, n);
        p += n + (p[n] != 0);
    }
    return 0;
}

/* A word is a section's name, or the first part of the name of the core that has it. */
static bool is_chosen(struct choosing *c, const struct sosia_core *core, const struct section *s)
{
    size_t n = strcspn(core->name, "._");
    bool any = !c->n_words;
    for (size_t i = 0; i < c->n_words; i++)
        if (strcmp(c->words[i], s->name) == 0 ||
            (strlen(c->words[i]) == n && strncmp(c->words[i], core->name, n) == 0))
            any = c->used[i] = true;
    return any;
}

static int check_words(struct choosing *c)
{
    for (const struct sosia_core **core = c->tx->engine->cores; *core; core++)
        for (size_t i = 0; i < (*core)->n_sections; i++)
            is_chosen(c, *core, &(*core)->sections[i]);
    for (size_t i = 0; i < c->n_words; i++)
        if (!c->used[i])
            return tx_fail(c->tx, SOSIA_E_INVALID, "badPart", "sections",
                           "sections must be names of sections of seed documents, or of the cores "
                           "that have them, not \"%.40s\"",
                           c->words[i]);
    return 0;
}

/* ---- a person ---- */

/* Members by which items say whose they are. */
static const char *const owners[] = {"person", "owner", "email", "handle",  "actor",
                                     "user",   "from",  "by",    "creator", "id"};

static bool is_name(const struct choosing *c, const struct json *v)
{
    return v && v->type == JSON_STRING && map_get(&c->names, v->str);
}

static bool is_theirs(const struct choosing *c, const struct json *item)
{
    if (item->type != JSON_OBJECT)
        return false;
    for (size_t i = 0; i < SOSIA_LEN(owners); i++)
        if (is_name(c, json_get(item, owners[i])))
            return true;
    return false;
}

/* An item that is the person's has other names of theirs: an address, an id in a workspace. */
static int learn(struct choosing *c, const struct json *v)
{
    static const char *const members[] = {"id", "handle", "email", "actor"};
    const struct json *actor = json_get(v, "actor");
    bool them = v->type == JSON_OBJECT &&
                (is_name(c, actor) || is_name(c, json_get(v, "email")) ||
                 is_name(c, json_get(v, "handle")) || (actor && is_name(c, json_get(v, "id"))));
    c->known |= them;
    for (size_t i = 0; them && i < SOSIA_LEN(members); i++) {
        const char *name = json_get_str(v, members[i]);
        if (name && map_set(&c->names, name, c) < 0)
            return sosia_fail_memory(c->tx->err);
    }
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->n; i++)
        if (learn(c, &v->items[i]) < 0)
            return -1;
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        if (v->members[i].value.type == JSON_ARRAY && learn(c, &v->members[i].value) < 0)
            return -1;
    return 0;
}

/* ---- a text ---- */

static bool has_text(const char *text, size_t n, const char *part)
{
    size_t k = strlen(part);
    for (size_t i = 0; i + k <= n; i++)
        if (str_is_nocase(text + i, k, part))
            return true;
    return false;
}

/* Lists lose the items that don't have it; what says it itself stays whole. The tree is ours to
 * change. */
static bool prune(const struct choosing *c, struct json *v)
{
    const char *text = c->part->text;
    bool any = false;
    uint32_t n = 0;
    if (v->type == JSON_STRING || v->type == JSON_NUMBER)
        return has_text(v->str, v->n, text);
    if (v->type == JSON_ARRAY) {
        struct json *items = (struct json *)v->items;
        for (uint32_t i = 0; i < v->n; i++)
            if (prune(c, &items[i]))
                items[n++] = items[i];
        v->n = n;
        return n > 0;
    }
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < v->n; i++)
        if (v->members[i].value.type != JSON_ARRAY)
            any |= prune(c, (struct json *)&v->members[i].value);
    if (any || v->type != JSON_OBJECT)
        return any;
    for (uint32_t i = 0; i < v->n; i++)
        if (v->members[i].value.type == JSON_ARRAY)
            any |= prune(c, (struct json *)&v->members[i].value);
    return any;
}

/* ---- the whole ---- */

/* What a section has, read again; *ret NULL: nothing. */
static int read_section(struct choosing *c, const struct section *s, const struct json **ret)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_obj(&w, NULL);
    int rc = section_dump(c->tx, s, &w);
    json_end(&w);
    *ret = NULL;
    if (rc >= 0) {
        const char *text = arena_memdup(c->tx->arena, b.data ? b.data : "", b.len);
        rc = buf_failed(&b) || arena_failed(c->tx->arena)
                 ? sosia_fail_memory(c->tx->err)
                 : json_parse(c->tx->arena, text, b.len, NULL, ret, c->tx->err);
    }
    buf_done(&b);
    if (rc == 0)
        *ret = json_get(*ret, s->name);
    return rc;
}

static int write_section(struct choosing *c, const struct section *s, struct json_writer *w)
{
    const struct json *v;
    if (read_section(c, s, &v) < 0)
        return -1;
    if (!v || (c->part->person && v->type != JSON_ARRAY))
        return 0;
    struct json *own = (struct json *)v;
    uint32_t n = 0;
    for (uint32_t i = 0; c->part->person && i < v->n; i++)
        if (is_theirs(c, &v->items[i])) {
            c->known = true;
            ((struct json *)own->items)[n++] = v->items[i];
        }
    if (c->part->person)
        own->n = n;
    if ((c->part->text && !prune(c, own)) || (v->type == JSON_ARRAY && !v->n))
        return 0;
    json_value(w, s->name, v);
    return 0;
}

/* Sections that name people are read once for what the person is called there. */
static int find_names(struct choosing *c)
{
    if (map_set(&c->names, c->part->person, c) < 0)
        return sosia_fail_memory(c->tx->err);
    for (const struct sosia_core **core = c->tx->engine->cores; *core; core++)
        for (size_t i = 0; i < (*core)->n_sections; i++) {
            const struct section *s = &(*core)->sections[i];
            const struct json *v = NULL;
            if (s->names_actors && read_section(c, s, &v) < 0)
                return -1;
            if (v && learn(c, v) < 0)
                return -1;
        }
    return 0;
}

static int write_part(struct tx *tx, struct json_writer *w, void *arg)
{
    struct choosing c = {.tx = tx, .part = arg};
    map_init(&c.names);
    int rc = read_words(&c) < 0 || check_words(&c) < 0 || (c.part->person && find_names(&c) < 0)
                 ? -1
                 : 0;
    json_obj(w, NULL);
    if (rc == 0)
        rc = dump_head(tx, w, true);
    for (const struct sosia_core **core = tx->engine->cores; rc >= 0 && *core; core++)
        for (size_t i = 0; rc >= 0 && i < (*core)->n_sections; i++)
            if (is_chosen(&c, *core, &(*core)->sections[i]))
                rc = write_section(&c, &(*core)->sections[i], w);
    if (rc >= 0 && c.part->person && !c.known)
        rc = tx_fail(tx, SOSIA_E_INVALID, "badPart", "person",
                     "person must be an address, a handle or an id that the world knows, not "
                     "\"%.80s\"",
                     c.part->person);
    json_end(w);
    map_done(&c.names);
    return rc < 0 ? -1 : 0;
}

int world_dump_part(struct sosia_engine *engine, uint64_t world, const struct dump_part *part,
                    struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct dump_part p = *part;
    return world_read(engine, world, true, write_part, &p, ret_json, err);
}

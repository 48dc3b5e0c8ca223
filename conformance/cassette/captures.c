/* SPDX-License-Identifier: Apache-2.0 */
/* The values of names during a run. */
#include "conformance/cassette/pattern.h"

void captures_init(struct captures *c, struct arena *arena)
{
    c->arena = arena;
    c->under = NULL;
    map_init(&c->values);
}

void captures_done(struct captures *c)
{
    map_done(&c->values);
}

/* A copy of a value whose document is freed. */
static const struct json *copy(struct arena *a, const struct json *v)
{
    const struct json *out;
    const char *text = json_to_text(a, v);
    return json_parse(a, text, strlen(text), NULL, &out, NULL) < 0 ? NULL : out;
}

int captures_set(struct captures *c, const char *name, const struct json *value)
{
    const struct json *v = copy(c->arena, value);
    return v && map_set(&c->values, name, (void *)v) == 0 ? 0 : -1;
}

const struct json *captures_get(const struct captures *c, const char *name)
{
    for (; c; c = c->under) {
        const struct json *v = map_get(&c->values, name);
        if (v)
            return v;
    }
    return NULL;
}

static int keep_one(void *arg, const char *name, void *value)
{
    struct captures *to = arg;
    return map_set(&to->values, name, value);
}

int captures_keep(const struct captures *c, struct captures *to)
{
    return map_each(&c->values, keep_one, to);
}

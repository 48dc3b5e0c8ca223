/* SPDX-License-Identifier: Apache-2.0 */
/* What rows say by themselves, without a router. */
#include "engine/api/router.h"
#include <string.h>

const char *const risk_names[] = {"read", "draft", "write", "external", "destructive", NULL};

static const char *const verb_names[N_VERBS] = {"GET", "POST", "PUT", "PATCH", "DELETE"};

const char *verb_name(enum verb verb)
{
    return verb_names[verb];
}

int verb_from_name(const char *name, enum verb *ret)
{
    for (int v = 0; v < N_VERBS; v++) {
        if (strcmp(name, verb_names[v]) == 0) {
            *ret = (enum verb)v;
            return 0;
        }
    }
    if (strcmp(name, "HEAD") == 0) {
        *ret = VERB_GET;
        return 0;
    }
    return -1;
}

enum verb route_verb(const struct route *r)
{
    int v = 0;
    while (v < N_VERBS - 1 && !(r->verbs >> v & 1))
        v++;
    return (enum verb)v;
}

bool route_path_has(const char *path, const char *name, size_t n)
{
    for (const char *at = strchr(path, '{'); at; at = strchr(at + 1, '{'))
        if (strncmp(at + 1, name, n) == 0 && strchr("}*", at[1 + n]))
            return true;
    return false;
}

bool route_takes(const struct route *r, const struct param *p)
{
    bool found = p->place != IN_PATH;
    for (size_t i = 0; !found && r->paths[i]; i++)
        found = route_path_has(r->paths[i], p->name, strlen(p->name));
    return found;
}

bool route_requires(const struct route *r, const struct param *p)
{
    bool all = p->required;
    for (size_t i = 0; all && p->place == IN_PATH && r->paths[i]; i++)
        all = route_path_has(r->paths[i], p->name, strlen(p->name));
    return all;
}

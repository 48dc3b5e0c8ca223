/* SPDX-License-Identifier: Apache-2.0 */
/* Messages that wait. */
#include "server/ws/ws.h"
#include <stdlib.h>
#include <string.h>

void ws_list_init(struct ws_list *l)
{
    *l = (struct ws_list){.end = &l->first};
}

bool ws_list_add(struct ws_list *l, const void *data, size_t len, bool binary)
{
    struct ws_message *m = malloc(sizeof *m + len + 1);
    if (!m)
        return false;
    *m = (struct ws_message){.len = len, .binary = binary};
    memcpy(m->data, data, len);
    m->data[len] = 0;
    *l->end = m;
    l->end = &m->next;
    l->len += sizeof *m + len;
    return true;
}

struct ws_message *ws_list_take(struct ws_list *l)
{
    struct ws_message *m = l->first;
    if (!m)
        return NULL;
    l->first = m->next;
    if (!l->first)
        l->end = &l->first;
    l->len -= sizeof *m + m->len;
    return m;
}

void ws_list_clear(struct ws_list *l)
{
    struct ws_message *m;
    while ((m = ws_list_take(l)))
        free(m);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The end of what rowdiff() keeps: with its base, with the root of its tree, and with its users. */
#include "engine/store/parents.h"
#include <stdlib.h>

void parents_free(struct parents *p)
{
    if (!p)
        return;
    if (p->beside)
        p->beside->free(p->beside);
    table_list_done(&p->tables);
    free(p);
}

void parents_release(struct store *s, struct parents *p)
{
    if (!p || !p->root)
        return;
    pthread_mutex_lock(&s->lock);
    bool last = --p->users == 0;
    pthread_mutex_unlock(&s->lock);
    if (last)
        parents_free(p);
}

struct parents *parents_unlink(struct parents **at)
{
    struct parents *p = *at;
    *at = p->next;
    p->root->mapped = false;
    return p;
}

void parents_forget(struct store *s, const struct node *root)
{
    struct parents *gone = NULL;
    pthread_mutex_lock(&s->lock);
    for (struct parents **at = &s->maps; *at && !gone; at = &(*at)->next)
        if ((*at)->root == root) {
            gone = parents_unlink(at);
            break;
        }
    pthread_mutex_unlock(&s->lock);
    parents_release(s, gone);
}

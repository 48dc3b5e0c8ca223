/* SPDX-License-Identifier: Apache-2.0 */
/* What waits for the clients of a world: each text once, and not without end. */
#include "server/ws/ws.h"
#include <stdlib.h>
#include <string.h>

void ws_text_unref(struct ws_text *t)
{
    if (--t->refs)
        return;
    if (t->room)
        t->room->bytes -= sizeof *t + t->len;
    if (t->room && t->room->last == t)
        t->room->last = NULL;
    free(t);
}

static struct ws_text *text_of(struct ws_room *room, const char *data, size_t len)
{
    struct ws_text *t = room ? room->last : NULL;
    if (t && t->len == len && memcmp(t->data, data, len) == 0) {
        t->refs++;
        return t;
    }
    if (!(t = malloc(sizeof *t + len)))
        return NULL;
    *t = (struct ws_text){.refs = 1, .len = len, .room = room};
    memcpy(t->data, data, len);
    if (room) {
        room->bytes += sizeof *t + len;
        room->last = t;
    }
    return t;
}

bool ws_queue_add(struct ws *ws, const char *data, size_t len)
{
    struct ws_waiting *w = malloc(sizeof *w);
    struct ws_text *t = w ? text_of(ws->room, data, len) : NULL;
    if (!t) {
        free(w);
        return false;
    }
    *w = (struct ws_waiting){.text = t};
    *ws->out.end = w;
    ws->out.end = &w->next;
    ws->out.len += sizeof *w + len;
    if (ws->room)
        ws->room->bytes += sizeof *w;
    return true;
}

struct ws_text *ws_queue_take(struct ws *ws)
{
    struct ws_waiting *w = ws->out.first;
    if (!w)
        return NULL;
    struct ws_text *t = w->text;
    ws->out.first = w->next;
    if (!ws->out.first)
        ws->out.end = &ws->out.first;
    ws->out.len -= sizeof *w + t->len;
    if (ws->room)
        ws->room->bytes -= sizeof *w;
    free(w);
    return t;
}

void ws_queue_clear(struct ws *ws)
{
    struct ws_text *t;
    while ((t = ws_queue_take(ws)))
        ws_text_unref(t);
}

/* What was queued before is little (what opening the session sent), and is counted from here on. */
static void count_queued(struct ws *ws)
{
    for (struct ws_waiting *w = ws->out.first; w; w = w->next) {
        ws->room->bytes += sizeof *w;
        if (w->text->room)
            continue;
        w->text->room = ws->room;
        ws->room->bytes += sizeof *w->text + w->text->len;
    }
}

bool ws_enter_room(struct ws *ws, uint64_t world)
{
    struct ws_room *room = ws->all->rooms;
    while (room && room->world != world)
        room = room->next;
    if (!room && (room = calloc(1, sizeof *room))) {
        room->world = world;
        room->next = ws->all->rooms;
        ws->all->rooms = room;
    }
    if (!room)
        return false;
    ws->room = room;
    ws->next_in_room = room->first;
    if (room->first)
        room->first->prev_in_room = ws;
    room->first = ws;
    room->n++;
    count_queued(ws);
    return true;
}

void ws_leave_room(struct ws *ws)
{
    struct ws_room *room = ws->room;
    ws_queue_clear(ws);
    if (!room)
        return;
    *(ws->prev_in_room ? &ws->prev_in_room->next_in_room : &room->first) = ws->next_in_room;
    if (ws->next_in_room)
        ws->next_in_room->prev_in_room = ws->prev_in_room;
    ws->room = NULL;
    if (--room->n)
        return;
    struct ws_room **at = &ws->all->rooms;
    while (*at != room)
        at = &(*at)->next;
    *at = room->next;
    free(room);
}

struct ws *ws_room_worst(const struct ws_room *room)
{
    struct ws *worst = NULL;
    if (!room || room->bytes <= MAX_ROOM)
        return NULL;
    for (struct ws *ws = room->first; ws; ws = ws->next_in_room)
        if (ws->out.first && (!worst || ws->out.len > worst->out.len))
            worst = ws;
    return worst;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What waits for WebSockets' clients: once for all of a world, and within a bound. */
#include "tests/support/unit.h"
#include "server/ws/ws.h"
#include <stdlib.h>

static struct websockets all;

static struct ws *client(uint64_t world)
{
    struct ws *ws = calloc(1, sizeof *ws);
    ws->all = &all;
    ws->out.end = &ws->out.first;
    if (world)
        assert_true(ws_enter_room(ws, world));
    return ws;
}

static void leave(struct ws *ws)
{
    ws_leave_room(ws);
    free(ws);
}

static const char *taken(struct ws *ws, char ret[16])
{
    struct ws_text *t = ws_queue_take(ws);
    assert_non_null(t);
    snprintf(ret, 16, "%.*s", (int)t->len, t->data);
    ws_text_unref(t);
    return ret;
}

static void what_many_are_sent_lies_there_once(void **state)
{
    enum { CLIENTS = 1000, POSTS = 107, LEN = 7500 };
    static struct ws *clients[CLIENTS];
    static char text[LEN];
    for (size_t i = 0; i < CLIENTS; i++)
        clients[i] = client(1);
    struct ws_room *room = clients[0]->room;
    for (int post = 0; post < POSTS; post++) {
        memset(text, 'a' + post % 26, sizeof text);
        for (size_t i = 0; i < CLIENTS; i++)
            assert_true(ws_queue_add(clients[i], text, sizeof text));
    }
    assert_true(room->bytes < POSTS * (LEN + 64) + CLIENTS * POSTS * 32);
    for (size_t i = 0; i < CLIENTS; i++)
        for (int post = 0; post < POSTS; post++) {
            struct ws_text *t = ws_queue_take(clients[i]);
            assert_int_equal(t->len, LEN);
            assert_int_equal(t->data[0], 'a' + post % 26);
            ws_text_unref(t);
        }
    assert_int_equal(room->bytes, 0); /* what was read is gone */
    for (size_t i = 0; i < CLIENTS; i++) {
        assert_null(ws_queue_take(clients[i]));
        leave(clients[i]);
    }
    assert_null(all.rooms);
}

static void each_gets_its_own_in_order(void **state)
{
    struct ws *a = client(1), *b = client(1), *other = client(2), *early = client(0);
    char text[16];
    assert_true(ws_queue_add(early, "hello", 5)); /* before its world is known */
    assert_true(ws_enter_room(early, 1));
    assert_true(ws_queue_add(a, "x", 1) && ws_queue_add(b, "y", 1) && ws_queue_add(a, "y", 1) &&
                ws_queue_add(b, "x", 1) && ws_queue_add(other, "x", 1));
    assert_string_equal(taken(a, text), "x");
    assert_string_equal(taken(a, text), "y");
    assert_string_equal(taken(b, text), "y");
    leave(b); /* with a text that it has not read */
    assert_string_equal(taken(early, text), "hello");
    assert_int_equal(a->room->bytes, 0);
    assert_true(other->room->bytes > 0);
    assert_string_equal(taken(other, text), "x");
    leave(a);
    leave(other);
    leave(early);
    assert_null(all.rooms);
}

static void where_too_much_waits_the_slowest_goes(void **state)
{
    struct ws *fast = client(1), *slow = client(1), *other = client(2);
    size_t len = 1 << 20;
    char *text = malloc(len);
    assert_true(ws_queue_add(fast, "x", 1));
    for (int i = 0; !ws_room_worst(slow->room); i++) {
        assert_in_range(i, 0, 64);
        memset(text, i, len);
        assert_true(ws_queue_add(slow, text, len));
    }
    assert_ptr_equal(ws_room_worst(slow->room), slow);
    assert_null(ws_room_worst(other->room));
    ws_queue_clear(slow);
    assert_null(ws_room_worst(slow->room));
    free(text);
    leave(fast);
    leave(slow);
    leave(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_many_are_sent_lies_there_once),
        cmocka_unit_test(each_gets_its_own_in_order),
        cmocka_unit_test(where_too_much_waits_the_slowest_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

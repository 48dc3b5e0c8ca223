/* SPDX-License-Identifier: Apache-2.0 */
/* Where a task is on boards: by people, by buckets, by progress. */
#include "services/tasks/planner/rows.h"
#include <strings.h>

static const struct board_type {
    const char *type, *path;
    enum planner_thing thing;
} types[] = {
    {"plannerAssignedToTaskBoardTaskFormat", "assignedToTaskBoardFormat", PLANNER_BOARD_PEOPLE},
    {"plannerBucketTaskBoardTaskFormat", "bucketTaskBoardFormat", PLANNER_BOARD_BUCKETS},
    {"plannerProgressTaskBoardTaskFormat", "progressTaskBoardFormat", PLANNER_BOARD_PROGRESS},
};

static int write_people(struct planner_at *at)
{
    struct json_writer *w = at->c->out;
    struct task_assignment *list;
    size_t n;
    if (task_assignments(&at->c->tx, at->task.id, &list, &n) < 0)
        return -1;
    json_obj(w, "orderHintsByAssignee");
    for (size_t i = 0; i < n; i++) {
        const char *oid = planner_oid(at, list[i].actor);
        if (oid)
            json_str(w, oid, list[i].board ? list[i].board : at->task.place);
    }
    json_end(w);
    return 0;
}

static int answer(struct planner_at *at, const struct task_board *b)
{
    const struct board_type *t = &types[b->kind];
    struct call *c = at->c;
    if (planner_select(at, t->type) < 0)
        return -1;
    c->etag = planner_etag(c->tx.arena, t->thing, b->version);
    json_obj(c->out, NULL);
    graph_context(c, "planner/tasks%s/%s%s/$entity", graph_key(c->tx.arena, at->task.key), t->path,
                  odata_context(c->tx.arena, &at->q));
    json_str(c->out, "@odata.etag", c->etag);
    json_str(c->out, b->kind == TASK_BOARD_PEOPLE ? "unassignedOrderHint" : "orderHint", b->place);
    json_str(c->out, "id", at->task.key);
    int r = b->kind == TASK_BOARD_PEOPLE ? write_people(at) : 0;
    json_end(c->out);
    return r;
}

static int open_board(struct call *c, enum task_board_kind kind, struct planner_at *at,
                      struct task_board *ret)
{
    return planner_open(c, at) < 0 || planner_task(at) < 0
               ? -1
               : task_board_get(&c->tx, &at->task, kind, ret);
}

static int get_board(struct call *c, enum task_board_kind kind)
{
    struct planner_at at;
    struct task_board b;
    return open_board(c, kind, &at, &b) < 0 ? -1 : answer(&at, &b);
}

/* Hints of people who shall do it; others are refused. */
static int read_people(struct planner_at *at, const struct json *body)
{
    const struct json *v = json_get(body, "orderHintsByAssignee");
    struct call *c = at->c;
    for (uint32_t i = 0; v && v->type == JSON_OBJECT && i < v->n; i++) {
        const char *oid = v->members[i].key;
        struct task_assignment one;
        struct ms_user user;
        if (strchr(oid, '@'))
            continue;
        int r = ms_user_find(&c->tx, oid, at->tenant, &user);
        if (r == 1)
            r = strcasecmp(user.oid, oid) == 0
                    ? task_assignment_find(&c->tx, at->task.id, user.actor, &one)
                    : 0;
        if (r != 1)
            return r < 0 ? -1
                         : planner_bad(c, "The request is invalid: the user is not assigned to "
                                          "the task.");
        if (v->members[i].value.type != JSON_STRING)
            return planner_bad(c, "The request is invalid: an order hint must be a string.");
        if (planner_hint(c, v->members[i].value.str, &one.board) < 0 ||
            task_assignment_put(&c->tx, &one) < 0)
            return -1;
    }
    return 0;
}

static int update_board(struct call *c, enum task_board_kind kind)
{
    const bool people = kind == TASK_BOARD_PEOPLE;
    const struct json *body;
    struct planner_at at;
    struct task_board b;
    if (open_board(c, kind, &at, &b) < 0 || planner_if_match(c, types[kind].thing, b.version) < 0 ||
        !(body = call_body(c)) ||
        planner_read_hint(c, body, people ? "unassignedOrderHint" : "orderHint", &b.place) < 0 ||
        (people && read_people(&at, body) < 0) || task_board_put(&c->tx, &b) < 0)
        return -1;
    return planner_answers(c) ? answer(&at, &b) : 0;
}

static int people_get(struct call *c)
{
    return get_board(c, TASK_BOARD_PEOPLE);
}

static int people_update(struct call *c)
{
    return update_board(c, TASK_BOARD_PEOPLE);
}

static int buckets_get(struct call *c)
{
    return get_board(c, TASK_BOARD_BUCKETS);
}

static int buckets_update(struct call *c)
{
    return update_board(c, TASK_BOARD_BUCKETS);
}

static int progress_get(struct call *c)
{
    return get_board(c, TASK_BOARD_PROGRESS);
}

static int progress_update(struct call *c)
{
    return update_board(c, TASK_BOARD_PROGRESS);
}

#define PEOPLE   "microsoft.graph.plannerAssignedToTaskBoardTaskFormat"
#define BOARD    "microsoft.graph.plannerBucketTaskBoardTaskFormat"
#define PROGRESS "microsoft.graph.plannerProgressTaskBoardTaskFormat"
static const struct param get_params[] = {KEY("plannerTask-id"), OPTION("select")};
static const struct param params[] = {KEY("plannerTask-id"), IF_MATCH};
#define READS(id_, path, fn, type, text)                                                           \
    ROW(id_, GET, (GRAPH(TASK path)), fn, RISK_READ, get_params, .scopes = READ, .response = type, \
        .summary = text)
#define TAKES(id_, path, fn, type, text)                                                           \
    ROW(id_, PATCH, (GRAPH(TASK path)), fn, RISK_WRITE, params, .scopes = WRITE,                   \
        .body = BODY_JSON, .request = type, .response = type, .summary = text)
static const struct route methods[] = {
    READS("planner.tasks.assignedToTaskBoardFormat.get", "/assignedToTaskBoardFormat", people_get,
          PEOPLE, "Where a task is on a board by people"),
    TAKES("planner.tasks.assignedToTaskBoardFormat.update", "/assignedToTaskBoardFormat",
          people_update, PEOPLE, "Put a task elsewhere on a board by people"),
    READS("planner.tasks.bucketTaskBoardFormat.get", "/bucketTaskBoardFormat", buckets_get, BOARD,
          "Where a task is on a board by buckets"),
    TAKES("planner.tasks.bucketTaskBoardFormat.update", "/bucketTaskBoardFormat", buckets_update,
          BOARD, "Put a task elsewhere on a board by buckets"),
    READS("planner.tasks.progressTaskBoardFormat.get", "/progressTaskBoardFormat", progress_get,
          PROGRESS, "Where a task is on a board by progress"),
    TAKES("planner.tasks.progressTaskBoardFormat.update", "/progressTaskBoardFormat",
          progress_update, PROGRESS, "Put a task elsewhere on a board by progress"),
};
const struct rows planner_board_rows = ROWS(methods);

/* SPDX-License-Identifier: Apache-2.0 */
/* What the service keeps of events beside the core's members: an object with Graph's names. */
#include "services/calendar/outlook/ocal.h"

const struct json *ocal_extra(struct arena *a, const struct cal_event *ev)
{
    const struct json *extra = NULL;
    struct sosia_err err;
    if (!ev->extra || json_parse(a, ev->extra, strlen(ev->extra), NULL, &extra, &err) < 0)
        return NULL;
    return extra->type == JSON_OBJECT ? extra : NULL;
}

void ocal_object_set(struct arena *a, const char **object, const char *member, const char *json)
{
    const struct json *had = NULL;
    struct json_writer w;
    struct sosia_err err;
    struct buf b;
    bool any = json != NULL;
    if (!json && !*object)
        return;
    if (*object && json_parse(a, *object, strlen(*object), NULL, &had, &err) < 0)
        had = NULL;
    json_start(&w, &b);
    json_obj(&w, NULL);
    for (uint32_t i = 0; had && had->type == JSON_OBJECT && i < had->n; i++)
        if (strcmp(had->members[i].key, member) != 0) {
            json_value(&w, had->members[i].key, &had->members[i].value);
            any = true;
        }
    if (json)
        json_raw(&w, member, json, strlen(json));
    json_end(&w);
    *object = any ? arena_strdup(a, buf_str(&b)) : NULL;
    if (buf_failed(&b))
        a->failed = true;
    buf_done(&b);
}

void ocal_extra_set(struct arena *a, struct cal_event *ev, const char *member, const char *json)
{
    if (json || (ev->extra && strstr(ev->extra, member))) /* the names of members are plain */
        ocal_object_set(a, &ev->extra, member, json);
}

const char *ocal_quoted(struct arena *a, const char *text)
{
    struct json_writer w;
    struct buf b;
    json_start(&w, &b);
    json_str(&w, NULL, text);
    return buf_keep(&b, a);
}

void ocal_extra_set_str(struct arena *a, struct cal_event *ev, const char *member, const char *text)
{
    ocal_extra_set(a, ev, member, text ? ocal_quoted(a, text) : NULL);
}

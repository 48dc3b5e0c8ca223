/* SPDX-License-Identifier: Apache-2.0 */
/* A getter over JSON trees, whose values take the kinds of their properties. */
#include "engine/text/civil.h"
#include "vendors/microsoft/odata/impl.h"
#include <strings.h>

static struct odata_value of_string(const struct edm_property *p, const struct json *v)
{
    struct odata_value w = {.kind = ODATA_STRING, .text = v->str};
    int64_t n;
    switch (p ? p->kind : EDM_STRING) {
    case EDM_ENUM:
        w.kind = ODATA_ENUM;
        break;
    case EDM_BINARY:
        w.kind = ODATA_BINARY;
        break;
    case EDM_GUID:
        w.kind = ODATA_GUID;
        break;
    case EDM_DATE_TIME:
        if (read_instant(v->str, v->n, true, &n))
            w = odata_time(n);
        break;
    case EDM_DATE:
        if (date_parse(v->str, v->n, &n) == 0)
            w = (struct odata_value){.kind = ODATA_DATE, .number = n};
        break;
    case EDM_TIME:
        if (read_clock(v->str, v->n, &n))
            w = (struct odata_value){.kind = ODATA_CLOCK, .number = n};
        break;
    case EDM_DURATION:
        if (read_duration(v->str, v->n, &n))
            w = (struct odata_value){.kind = ODATA_DURATION, .number = n};
        break;
    default:
        break;
    }
    return w;
}

static struct odata_value of_json(struct arena *a, const struct edm_property *p,
                                  const struct json *v)
{
    int64_t n;
    double real;
    struct odata_value *items;
    switch (v->type) {
    case JSON_BOOL:
        return odata_bool(v->truth);
    case JSON_NUMBER:
        if (json_i64(v, &n) == 0)
            return odata_int(n);
        return json_double(v, &real) == 0 ? (struct odata_value){.kind = ODATA_DOUBLE, .real = real}
                                          : odata_null();
    case JSON_STRING:
        return of_string(p, v);
    case JSON_OBJECT:
        return odata_thing(v);
    case JSON_ARRAY:
        items = arena_calloc(a, v->n + 1, sizeof *items);
        if (arena_failed(a))
            return odata_null();
        for (uint32_t i = 0; i < v->n; i++)
            items[i] = of_json(a, p, &v->items[i]);
        return odata_list(items, v->n);
    default:
        return odata_null();
    }
}

/* A dateTimeTimeZone in UTC is an instant. */
static bool is_utc_time(const struct edm_property *p, const struct json *thing)
{
    const char *zone = json_get_str(thing, "timeZone");
    return p && p->owner && strcmp(p->owner->name, "dateTimeTimeZone") == 0 &&
           strcmp(p->name, "dateTime") == 0 && zone && strcasecmp(zone, "UTC") == 0;
}

const struct edm_type *odata_json_type(void *arg, const void *thing)
{
    const char *name = json_get_str(thing, "@odata.type");
    (void)arg;
    return name ? edm_type_find(name, strlen(name)) : NULL;
}

static bool is_cast_to(const struct json *v, const struct edm_type *type)
{
    const struct edm_type *is = odata_json_type(NULL, v);
    return !is || edm_is_a(is, type);
}

int odata_get_json(void *arg, struct arena *a, const void *thing, const struct odata_path *path,
                   struct odata_value *ret)
{
    const struct json *v = thing, *in = NULL;
    int64_t us;
    (void)arg;
    for (size_t i = 0; i < path->n; i++) {
        if (path->steps[i].cast) {
            if (!is_cast_to(v, path->steps[i].cast))
                return 0;
            continue;
        }
        in = v;
        if (!(v = json_get(v, path->steps[i].name)) || v->type == JSON_NULL)
            return 0;
    }
    if (is_utc_time(path->property, in) && v->type == JSON_STRING &&
        read_instant(v->str, v->n, true, &us))
        *ret = odata_time(us);
    else
        *ret = of_json(a, path->property, v);
    return arena_failed(a) ? -1 : 1;
}

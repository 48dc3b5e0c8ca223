/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/state/found.h"
#include "engine/base/utf8.h"
#include "engine/json/build.h"
#include "engine/state/change.h"
#include "engine/state/stored.h"
#include "engine/text/civil.h"
#include <string.h>

#define SHOWN 300 /* bytes of a title, of a snippet */

static const struct entity *entity_of(const struct found *f)
{
    for (size_t i = 0; i < f->core->n_entities; i++)
        if (strcmp(f->core->entities[i].name, f->entity) == 0)
            return &f->core->entities[i];
    return NULL;
}

/* In the transaction's arena; NULL: failed. */
static const struct json *key_of(struct tx *tx, const struct entity *entity, int64_t rowid)
{
    struct json_builder build;
    struct json_writer w;
    struct buf failed;
    buf_init(&failed, 0);
    json_build_init(&build, tx->arena);
    json_init_build(&w, &build, &failed);
    json_obj(&w, NULL);
    int rc = entity_key(tx, entity, rowid, &w);
    json_end(&w);
    const struct json *key = rc == 0 || rc == 1 ? json_build_root(&build) : NULL;
    json_build_done(&build);
    if (rc >= 0 && (!key || buf_failed(&failed))) {
        sosia_fail_memory(tx->err);
        key = NULL;
    }
    buf_done(&failed);
    return key;
}

static void write_text(struct json_writer *w, const char *name, const char *text)
{
    if (text)
        json_strn(w, name, text, utf8_truncate(text, strlen(text), SHOWN));
}

int found_write(struct tx *tx, struct json_writer *w, const struct found *f)
{
    const struct entity *entity = entity_of(f);
    const struct json *key = entity ? key_of(tx, entity, f->rowid) : NULL;
    if (!key)
        return -1;
    json_obj(w, NULL);
    json_str(w, "service", f->service ? f->service : f->core->name);
    json_str(w, "entity", entity->name);
    json_str(w, "name", change_name(tx->arena, entity, key));
    json_value(w, "key", key);
    json_str_opt(w, "id", f->id);
    json_str_opt(w, "actor", f->actor);
    json_str_opt(w, "vendor", f->vendor);
    write_text(w, "title", f->title);
    write_text(w, "snippet", f->snippet);
    json_str_opt(w, "place", f->place);
    if (f->at_us)
        json_time(w, "at", f->at_us, JSON_TIME_US_Z);
    if (f->whole_days) {
        int year, month, day;
        civil_from_days(f->at_us / US_PER_DAY, &year, &month, &day);
        json_str(w, "day", arena_printf(tx->arena, "%04d-%02d-%02d", year, month, day));
    }
    json_end(w);
    return 0;
}

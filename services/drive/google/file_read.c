/* SPDX-License-Identifier: Apache-2.0 */
/* The File resource in a request: which members may be written, and their values. */
#include "services/drive/google/write.h"
#include "services/drive/google/schema.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

#define MAX_THUMBNAIL  (2 << 20)
#define MAX_PROPERTY   124 /* bytes of key and value */
#define MAX_PROPERTIES 30
#define MAX_ALL        100

/* ---- failures ---- */

static int bad_value(struct gdrive_change *ch, const char *member, const struct json *v,
                     const char *expected)
{
    call_why(ch->v->c, "%s must be %s, not %s", member, expected, call_quote(ch->v->c, v));
    return call_fail(ch->v->c, SOSIA_E_INVALID, "invalid",
                     arena_printf(ch->v->c->tx.arena, "file.%s", member), "Invalid Value");
}

int gdrive_no_use(struct call *c)
{
    return call_fail(c, SOSIA_E_INVALID, "invalid", "file.id",
                     "The provided file ID is not usable.");
}

/* ---- values ---- */

/* A member that is given; NULL: absent or null. */
static const struct json *given(const struct gdrive_change *ch, const char *member)
{
    const struct json *v = json_get(ch->v->c->body, member);
    return v && v->type != JSON_NULL ? v : NULL;
}

/* A text: *ret stays when it is absent; null and "" are none. true: there is one. */
static bool read_file_text(const struct gdrive_change *ch, const char *member, const char **ret)
{
    const struct json *v = json_get(ch->v->c->body, member);
    if (v)
        *ret = v->type == JSON_STRING && v->n ? v->str : NULL;
    return v != NULL;
}

static void read_truth(const struct gdrive_change *ch, const char *member, int *ret)
{
    const struct json *v = given(ch, member);
    if (v)
        *ret = v->truth;
}

static void read_file_flag(struct gdrive_change *ch, const char *member, enum drive_flag flag,
                           bool means)
{
    int said = -1;
    read_truth(ch, member, &said);
    if (said >= 0) {
        unsigned flags = ch->it->flags & ~(unsigned)flag;
        ch->it->flags = said == means ? flags | flag : flags;
    }
}

/* true: there is one. */
static bool read_file_time(const struct gdrive_change *ch, const char *member, int64_t *ret)
{
    const struct json *v = given(ch, member);
    struct stamp stamp;
    if (!v || stamp_parse(v->str, v->n, false, &stamp) < 0)
        return false;
    *ret = stamp.local_us - stamp.offset * US_PER_SECOND;
    *ret -= *ret % 1000; /* the service keeps milliseconds */
    return true;
}

/* ---- properties ---- */

static int check_properties(struct gdrive_change *ch, const char *member, const struct json **ret)
{
    const struct json *v = given(ch, member);
    if (!v)
        return 0;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *value = &v->members[i].value;
        if (!v->members[i].key_len ||
            (value->type == JSON_STRING && v->members[i].key_len + value->n > MAX_PROPERTY))
            return bad_value(ch, member, value, "of at most 124 bytes with its key");
    }
    *ret = v;
    return 0;
}

static int store_properties(struct gdrive_change *ch, const struct json *list, int64_t app)
{
    struct tx *tx = &ch->v->c->tx;
    struct drive_property *now;
    size_t n;
    int64_t all = 0;
    for (uint32_t i = 0; list && i < list->n; i++) {
        const struct json *value = &list->members[i].value;
        struct drive_property p = {list->members[i].key,
                                   value->type == JSON_STRING ? value->str : NULL};
        if (drive_property_set(tx, ch->it->id, app, &p) < 0)
            return -1;
    }
    if (!list)
        return 0;
    if (drive_properties(tx, ch->it->id, app, &now, &n) < 0 ||
        drive_property_count(tx, ch->it->id, &all) < 0)
        return -1;
    if (n > MAX_PROPERTIES || all > MAX_ALL)
        return call_fail(ch->v->c, SOSIA_E_FORBIDDEN, "propertyLimitExceeded", NULL,
                         "The limit of properties for this file has been exceeded.");
    return 0;
}

/* ---- content hints ---- */

static int read_hints(struct gdrive_change *ch)
{
    const struct json *hints = given(ch, "contentHints");
    const char *text = json_get_str(hints, "indexableText");
    const struct json *picture = json_get(hints, "thumbnail");
    if (text) {
        ch->it->index_text = text;
        ch->touched = true;
    }
    if (!picture || picture->type == JSON_NULL)
        return 0;
    ch->thumbnail = json_get_str(picture, "image");
    ch->thumbnail_type = json_get_str(picture, "mimeType");
    if (!ch->thumbnail || !ch->thumbnail_type || !str_starts(ch->thumbnail_type, "image/"))
        return bad_value(ch, "contentHints.thumbnail", picture, "an image with its mimeType");
    return 0;
}

static int store_thumbnail(struct gdrive_change *ch)
{
    struct tx *tx = &ch->v->c->tx;
    uint8_t *data;
    size_t len;
    if (!ch->thumbnail)
        return 0;
    if (base64_decode(tx->arena, ch->thumbnail, strlen(ch->thumbnail), &data, &len) < 0 || !len ||
        len > MAX_THUMBNAIL)
        return bad_value(ch, "contentHints.thumbnail.image", NULL, "base64url of at most 2 MB");
    if (ch->it->thumbnail && blob_unref(tx, ch->it->thumbnail) < 0)
        return -1;
    if (blob_put(tx, data, len, &ch->it->thumbnail) < 0)
        return -1;
    ch->it->thumbnail_mime = ch->thumbnail_type;
    return 0;
}

/* ---- restrictions ---- */

/* The one restriction that there can be, with who set it. */
static int read_content_restriction(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    const struct json *list = given(ch, "contentRestrictions");
    const struct json *one = list && list->n ? &list->items[0] : NULL;
    const struct json *read_only = json_get(one, "readOnly");
    struct json_writer w;
    struct buf b;
    if (!list)
        return 0;
    if (list->n > 1)
        return bad_value(ch, "contentRestrictions", list, "a list of one restriction");
    ch->it->flags &= ~(unsigned)DRIVE_LOCKED;
    ch->it->restrictions = NULL;
    ch->touched = true;
    if (!read_only || !read_only->truth)
        return 0;
    const struct json *owner = json_get(one, "ownerRestricted");
    ch->owner_restricts = owner && owner->truth;
    ch->it->flags |= DRIVE_LOCKED;
    json_start(&w, &b);
    json_arr(&w, NULL);
    json_obj(&w, NULL);
    json_bool(&w, "readOnly", true);
    json_str_opt(&w, "reason", json_get_str(one, "reason"));
    json_word(&w, "type", "globalContentRestriction");
    json_obj(&w, "restrictingUser");
    json_word(&w, "kind", "drive#user");
    json_str(&w, "displayName", c->actor.name);
    json_bool(&w, "me", false);
    json_str(&w, "permissionId",
             gdrive_permission_id(c->tx.arena, GRANT_PERSON, c->actor.email, false));
    json_str(&w, "emailAddress", c->actor.email);
    json_end(&w);
    json_time(&w, "restrictionTime", c->tx.now_us, JSON_TIME_MS_Z);
    json_bool(&w, "ownerRestricted", ch->owner_restricts);
    json_bool(&w, "systemRestricted", false);
    json_end(&w);
    json_end(&w);
    bool failed = buf_failed(&b);
    ch->it->restrictions = buf_keep(&b, c->tx.arena);
    return failed ? sosia_fail_memory(c->tx.err) : 0;
}

/* The older member takes away all that holds readers and writers back, or holds back readers. */
static void read_copy_limit(struct gdrive_change *ch)
{
    const struct json *viewers = given(ch, "viewersCanCopyContent"),
                      *needs_writer = given(ch, "copyRequiresWriterPermission");
    if (!viewers && !needs_writer)
        return;
    if (needs_writer ? needs_writer->truth : !viewers->truth) {
        ch->it->flags |= DRIVE_COPY_LIMIT;
        return;
    }
    ch->it->flags &= ~(unsigned)DRIVE_COPY_LIMIT;
    ch->it->download_rules = NULL;
}

/* Writers are held back only where readers are. */
static void read_download_rules(struct gdrive_change *ch)
{
    const struct json *rules =
        json_get(given(ch, "downloadRestrictions"), "itemDownloadRestriction");
    const struct json *readers = json_get(rules, "restrictedForReaders");
    const struct json *writers = json_get(rules, "restrictedForWriters");
    if (!rules || rules->type == JSON_NULL)
        return;
    bool no_writer = writers && writers->truth;
    bool no_reader = no_writer || (readers && readers->truth);
    ch->it->flags &= ~(unsigned)DRIVE_COPY_LIMIT; /* the same by another name */
    ch->it->download_rules =
        arena_printf(ch->v->c->tx.arena,
                     "{\"itemDownloadRestriction\":{\"restrictedForReaders\":%s,"
                     "\"restrictedForWriters\":%s}}",
                     no_reader ? "true" : "false", no_writer ? "true" : "false");
}

/* ---- the whole ---- */

static int read_color(struct gdrive_change *ch)
{
    const char *color = NULL;
    if (!read_file_text(ch, "folderColorRgb", &color))
        return 0;
    if (color &&
        (strlen(color) != 7 || color[0] != '#' || strspn(color + 1, "0123456789abcdefABCDEF") != 6))
        return bad_value(ch, "folderColorRgb", json_get(ch->v->c->body, "folderColorRgb"),
                         "a colour such as #f83a22");
    ch->it->color = color ? gdrive_nearest_color(color) : NULL;
    return 0;
}

static void read_name(struct gdrive_change *ch)
{
    const char *name = ch->it->name;
    if (read_file_text(ch, "name", &name) && !name)
        name = ch->mode == GDRIVE_COPY ? ch->it->name : "Untitled";
    ch->renamed = !str_same(name, ch->it->name);
    ch->it->name = name;
}

static int read_texts(struct gdrive_change *ch)
{
    struct drive_item *it = ch->it;
    const char *was = it->description, *key = NULL;
    read_name(ch);
    read_file_text(ch, "description", &it->description);
    read_file_text(ch, "originalFilename", &it->original);
    read_file_text(ch, "mimeType", &ch->type);
    if (read_color(ch) < 0)
        return -1;
    ch->touched = ch->touched || ch->renamed || !str_same(was, it->description);
    if (ch->mode == GDRIVE_UPDATE)
        return 0;
    read_file_text(ch, "id", &key);
    if (key && !gdrive_key_ours(key, false) && !gdrive_key_ours(key, true))
        return gdrive_no_use(ch->v->c);
    it->key = key;
    ch->target = json_get_str(json_get(ch->v->c->body, "shortcutDetails"), "targetId");
    return 0;
}

int gdrive_read_change(struct gdrive_change *ch)
{
    struct drive_item *it = ch->it;
    unsigned flags = it->flags;
    ch->trashed = ch->starred = -1;
    if (!call_body(ch->v->c) || read_texts(ch) < 0)
        return -1;
    read_truth(ch, "trashed", &ch->trashed);
    read_truth(ch, "starred", &ch->starred);
    read_copy_limit(ch);
    read_file_flag(ch, "writersCanShare", DRIVE_WRITERS_DONT_SHARE, false);
    read_file_flag(ch, "inheritedPermissionsDisabled", DRIVE_LIMITED, true);
    if (read_file_time(ch, "viewedByMeTime", &ch->viewed_us))
        ch->viewed_us = drive_when(ch->viewed_us);
    ch->modified_given = read_file_time(ch, "modifiedTime", &it->modified_us);
    if (ch->mode != GDRIVE_UPDATE)
        read_file_time(ch, "createdTime", &it->created_us);
    read_download_rules(ch);
    if (check_properties(ch, "properties", &ch->properties) < 0 ||
        check_properties(ch, "appProperties", &ch->app_properties) < 0 || read_hints(ch) < 0 ||
        read_content_restriction(ch) < 0)
        return -1;
    ch->touched = ch->touched || flags != it->flags || ch->properties || ch->app_properties;
    return 0;
}

int gdrive_store_change(struct gdrive_change *ch)
{
    struct tx *tx = &ch->v->c->tx;
    struct drive_mine mine;
    if (store_properties(ch, ch->properties, 0) < 0 ||
        store_properties(ch, ch->app_properties, gdrive_app(ch->v->c)) < 0 ||
        store_thumbnail(ch) < 0)
        return -1;
    if (ch->mode == GDRIVE_UPDATE && ch->starred < 0 && !ch->viewed_us)
        return 0;
    if (drive_mine(tx, ch->it, ch->v->c->actor.id, &mine) < 0)
        return -1;
    if (ch->starred >= 0)
        mine.starred = ch->starred;
    if (ch->viewed_us)
        mine.viewed_us = ch->viewed_us;
    else if (ch->mode != GDRIVE_UPDATE)
        mine.viewed_us = drive_when(tx->now_us);
    return drive_mine_save(tx, ch->it->id, ch->v->c->actor.id, &mine);
}

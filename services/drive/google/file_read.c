/* SPDX-License-Identifier: Apache-2.0 */
/* The File resource in a request: which members may be written, and what they say. */
#include "services/drive/google/write.h"
#include "services/drive/google/schema.h"
#include "engine/base/codec.h"
#include "engine/text/civil.h"

#define MAX_NAME        32767 /* bytes */
#define MAX_DESCRIPTION 131072
#define MAX_INDEX_TEXT  131072
#define MAX_THUMBNAIL   (2 << 20)
#define MAX_PROPERTY    124 /* bytes of key and value */
#define MAX_PROPERTIES  30
#define MAX_ALL         100

/* ---- failures ---- */

static int bad_value(struct gdrive_change *ch, const char *member, const struct json *v,
                     const char *expected)
{
    call_why(ch->v->c, "%s must be %s, is %s", member, expected, call_quote(ch->v->c, v));
    return call_fail(ch->v->c, SOSIA_E_INVALID, "invalid",
                     arena_printf(ch->v->c->tx.arena, "file.%s", member), "Invalid Value");
}

static int not_writable(struct gdrive_change *ch, const char *member)
{
    struct call *c = ch->v->c;
    if (strcmp(member, "parents") == 0)
        return call_fail(c, SOSIA_E_FORBIDDEN, "fieldNotWritable", NULL,
                         "The parents field is not directly writable in update requests. Use the "
                         "addParents and removeParents parameters instead.");
    call_why(c, "the member %s can't be written", member);
    return call_fail(c, SOSIA_E_FORBIDDEN, "fieldNotWritable", NULL,
                     "The resource body includes fields which are not directly writable.");
}

/* What the schema does not call read-only, and can't be changed later. */
static bool only_at_first(const char *member)
{
    static const char *const names[] = {"parents", "id", "createdTime", "shortcutDetails"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++)
        if (strcmp(names[i], member) == 0)
            return true;
    return false;
}

static int check_members(struct gdrive_change *ch)
{
    const struct json *body = ch->v->c->body;
    const struct schema *file = dialect_schema(ch->v->c->dialect, "File");
    for (uint32_t i = 0; body && i < body->n; i++) {
        const char *name = body->members[i].key;
        if (body->members[i].value.type == JSON_NULL || strcmp(name, "kind") == 0)
            continue;
        for (size_t k = 0; file && k < file->n_fields; k++)
            if (strcmp(file->fields[k].name, name) == 0 && file->fields[k].read_only)
                return not_writable(ch, name);
        if (ch->mode == GDRIVE_UPDATE && only_at_first(name))
            return not_writable(ch, name);
    }
    return 0;
}

/* ---- values ---- */

/* A text: *ret stays when it is absent; null and "" are none. 1 given, 0, -1. */
static int read_file_text(struct gdrive_change *ch, const char *member, size_t max,
                          const char **ret)
{
    const struct json *v = json_get(ch->v->c->body, member);
    if (!v)
        return 0;
    if (v->type == JSON_NULL) {
        *ret = NULL;
        return 1;
    }
    if (v->type != JSON_STRING || v->n > max)
        return bad_value(ch, member, v, "a text that is not too long");
    *ret = v->n ? v->str : NULL;
    return 1;
}

static int read_truth(struct gdrive_change *ch, const char *member, int *ret)
{
    const struct json *v = json_get(ch->v->c->body, member);
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type != JSON_BOOL)
        return bad_value(ch, member, v, "a boolean");
    *ret = v->truth;
    return 0;
}

static int read_file_flag(struct gdrive_change *ch, const char *member, enum drive_flag flag,
                          bool means)
{
    int given = -1;
    if (read_truth(ch, member, &given) < 0)
        return -1;
    if (given >= 0) {
        unsigned flags = ch->it->flags & ~(unsigned)flag;
        ch->it->flags = given == means ? flags | flag : flags;
    }
    return 0;
}

static int read_file_time(struct gdrive_change *ch, const char *member, int64_t *ret,
                          bool *ret_given)
{
    const struct json *v = json_get(ch->v->c->body, member);
    struct stamp stamp;
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type != JSON_STRING || stamp_parse(v->str, v->n, false, &stamp) < 0)
        return bad_value(ch, member, v, "a time (RFC 3339)");
    *ret = stamp.local_us - stamp.offset * US_PER_SECOND;
    *ret -= *ret % 1000; /* the service keeps milliseconds */
    *ret_given = true;
    return 0;
}

/* ---- properties ---- */

static int check_properties(struct gdrive_change *ch, const char *member, const struct json **ret)
{
    const struct json *v = json_get(ch->v->c->body, member);
    if (!v || v->type == JSON_NULL)
        return 0;
    if (v->type != JSON_OBJECT)
        return bad_value(ch, member, v, "an object of texts");
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json *value = &v->members[i].value;
        if (value->type != JSON_STRING && value->type != JSON_NULL)
            return bad_value(ch, member, value, "a text or null");
        if (!v->members[i].key_len ||
            (value->type == JSON_STRING && v->members[i].key_len + value->n > MAX_PROPERTY))
            return bad_value(ch, member, value, "of at most 124 bytes with its key");
    }
    *ret = v;
    return 0;
}

static int store_properties(struct gdrive_change *ch, const struct json *list, int64_t app)
{
    static struct sql_text q_all =
        SQL_TEXT("select count(*) from drive_property where item = :item");
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
        TX_INT(tx, &q_all, &all, ch->it->id) < 0)
        return -1;
    if (n > MAX_PROPERTIES || all > MAX_ALL)
        return call_fail(ch->v->c, SOSIA_E_FORBIDDEN, "propertyLimitExceeded", NULL,
                         "The limit of properties for this file has been exceeded.");
    return 0;
}

/* ---- content hints ---- */

static int read_hints(struct gdrive_change *ch)
{
    const struct json *hints = json_get(ch->v->c->body, "contentHints");
    const struct json *text = json_get(hints, "indexableText");
    const struct json *picture = json_get(hints, "thumbnail");
    if (!hints || hints->type == JSON_NULL)
        return 0;
    if (hints->type != JSON_OBJECT)
        return bad_value(ch, "contentHints", hints, "an object");
    if (text && text->type != JSON_NULL) {
        if (text->type != JSON_STRING || text->n > MAX_INDEX_TEXT)
            return bad_value(ch, "contentHints.indexableText", text, "a text of at most 128 KB");
        ch->it->index_text = text->str;
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
    const struct json *list = json_get(c->body, "contentRestrictions");
    const struct json *one = list && list->type == JSON_ARRAY && list->n ? &list->items[0] : NULL;
    const struct json *read_only = json_get(one, "readOnly");
    struct json_writer w;
    struct buf b;
    if (!list || list->type == JSON_NULL)
        return 0;
    if (list->type != JSON_ARRAY || list->n > 1 || (one && one->type != JSON_OBJECT))
        return bad_value(ch, "contentRestrictions", list, "a list of one restriction");
    ch->it->flags &= ~(unsigned)DRIVE_LOCKED;
    ch->it->restrictions = NULL;
    ch->touched = true;
    if (!one || !read_only || read_only->type != JSON_BOOL || !read_only->truth)
        return 0;
    const struct json *owner = json_get(one, "ownerRestricted");
    ch->it->flags |= DRIVE_LOCKED;
    buf_init(&b, 0);
    json_init(&w, &b, false, NULL);
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
    json_bool(&w, "ownerRestricted", owner && owner->type == JSON_BOOL && owner->truth);
    json_bool(&w, "systemRestricted", false);
    json_end(&w);
    json_end(&w);
    ch->it->restrictions = arena_strdup(c->tx.arena, buf_str(&b));
    buf_done(&b);
    return 0;
}

static int read_download_rules(struct gdrive_change *ch)
{
    struct call *c = ch->v->c;
    const struct json *rules = json_get(c->body, "downloadRestrictions");
    if (!rules || rules->type == JSON_NULL)
        return 0;
    if (rules->type != JSON_OBJECT)
        return bad_value(ch, "downloadRestrictions", rules, "an object");
    ch->it->download_rules = json_to_text(c->tx.arena, rules);
    return 0;
}

/* ---- the whole ---- */

static int read_color(struct gdrive_change *ch)
{
    const char *color = NULL;
    int given = read_file_text(ch, "folderColorRgb", 32, &color);
    if (given <= 0)
        return given;
    if (color &&
        (strlen(color) != 7 || color[0] != '#' || strspn(color + 1, "0123456789abcdefABCDEF") != 6))
        return bad_value(ch, "folderColorRgb", json_get(ch->v->c->body, "folderColorRgb"),
                         "a colour such as #f83a22");
    ch->it->color = color ? gdrive_nearest_color(color) : NULL;
    return 0;
}

static int read_name(struct gdrive_change *ch)
{
    const char *name = ch->it->name;
    int given = read_file_text(ch, "name", MAX_NAME, &name);
    if (given < 0)
        return -1;
    if (given && !name)
        name = ch->mode == GDRIVE_COPY ? ch->it->name : "Untitled";
    ch->renamed = !str_same(name, ch->it->name);
    ch->it->name = name;
    return 0;
}

static int read_texts(struct gdrive_change *ch)
{
    struct drive_item *it = ch->it;
    const char *was = it->description, *key = NULL;
    if (read_name(ch) < 0 ||
        read_file_text(ch, "description", MAX_DESCRIPTION, &it->description) < 0 ||
        read_file_text(ch, "originalFilename", MAX_NAME, &it->original) < 0 ||
        read_file_text(ch, "mimeType", 255, &ch->type) < 0 || read_color(ch) < 0)
        return -1;
    ch->touched = ch->touched || ch->renamed || !str_same(was, it->description);
    if (ch->mode == GDRIVE_UPDATE)
        return 0;
    if (read_file_text(ch, "id", 100, &key) < 0)
        return -1;
    if (key && !drive_key_ours(key))
        return call_fail(ch->v->c, SOSIA_E_INVALID, "invalid", "file.id",
                         "The provided file ID is not usable.");
    it->key = key;
    ch->target = json_get_str(json_get(ch->v->c->body, "shortcutDetails"), "targetId");
    return 0;
}

int gdrive_read_change(struct gdrive_change *ch)
{
    struct drive_item *it = ch->it;
    bool given = false;
    ch->trashed = ch->starred = -1;
    if (!call_body(ch->v->c))
        return -1;
    unsigned flags = it->flags;
    if (check_members(ch) < 0 || read_texts(ch) < 0 ||
        read_truth(ch, "trashed", &ch->trashed) < 0 ||
        read_truth(ch, "starred", &ch->starred) < 0 ||
        read_file_flag(ch, "viewersCanCopyContent", DRIVE_COPY_LIMIT, false) < 0 ||
        read_file_flag(ch, "copyRequiresWriterPermission", DRIVE_COPY_LIMIT, true) < 0 ||
        read_file_flag(ch, "writersCanShare", DRIVE_WRITERS_DONT_SHARE, false) < 0 ||
        read_file_flag(ch, "inheritedPermissionsDisabled", DRIVE_LIMITED, true) < 0 ||
        read_file_time(ch, "viewedByMeTime", &ch->viewed_us, &given) < 0 ||
        read_file_time(ch, "modifiedTime", &it->modified_us, &ch->modified_given) < 0 ||
        check_properties(ch, "properties", &ch->properties) < 0 ||
        check_properties(ch, "appProperties", &ch->app_properties) < 0 || read_hints(ch) < 0 ||
        read_content_restriction(ch) < 0 || read_download_rules(ch) < 0)
        return -1;
    if (ch->mode != GDRIVE_UPDATE && read_file_time(ch, "createdTime", &it->created_us, &given) < 0)
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
        mine.viewed_us = tx->now_us;
    return drive_mine_save(tx, ch->it->id, ch->v->c->actor.id, &mine);
}

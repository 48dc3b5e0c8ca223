/* SPDX-License-Identifier: Apache-2.0 */
/* users.setPhoto and users.deletePhoto, and the pictures at their addresses. */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/blob/picture.h"
#include "engine/http/bytes.h"
#include "services/chat/slack/sl.h"

/* ---- addresses ---- */

/* "T0ACME-U0ALICE-HASH_72": all who have the address may have it, as with any picture there. */
static int avatar(struct call *c)
{
    char *name = arena_strdup(c->tx.arena, param_str(c, "name")), *rest;
    const char *team = strtok_r(name, "-", &rest), *user = strtok_r(NULL, "-", &rest);
    const char *hash = strtok_r(NULL, "_", &rest), *now = NULL;
    struct chat_workspace w;
    struct chat_user u = {0};
    struct blob blob = {0};
    const char *data;
    char hex[13] = "";
    size_t n;
    int r = hash ? chat_workspace_find(&c->tx, team, &w) : 0;
    if (r == 1)
        r = chat_user_find(&c->tx, w.id, user, &u);
    if (r == 1 && u.photo && (r = blob_get(&c->tx, u.photo, &blob)) == 1) {
        hex_encode(hex, blob.sha256, 6);
        now = hex;
    }
    if (r < 0)
        return -1;
    if (!now || strcmp(now, hash) != 0) {
        c->status = 404;
        buf_puts(c->body_out, "Not Found");
        call_header_const(c, "Content-Type", "text/plain; charset=utf-8");
        return 0;
    }
    if (blob_load(&c->tx, u.photo, &data, &n) < 0)
        return -1;
    call_header_const(c, "Content-Type", n > 1 ? picture_type(data) : "image/jpeg");
    return call_send_blob(c, u.photo, NULL, NULL);
}

/* ---- methods ---- */

static const struct query_item *image_part(const struct call *c)
{
    for (size_t i = 0; i < c->n_items; i++)
        if (c->items[i].place == IN_PART && strcmp(c->items[i].name, "image") == 0)
            return &c->items[i];
    return NULL;
}

static int check_crop(struct call *c)
{
    static const char *const names[] = {"crop_x", "crop_y", "crop_w"};
    for (size_t i = 0; i < SOSIA_LEN(names); i++) {
        int64_t n;
        if (slack_number(c, names[i], &n) < 0)
            return -1;
    }
    return 0;
}

static const char *const changed[] = {"photo", NULL};

static int set_photo(struct call *c)
{
    struct chat_user u = sl_me(c)->user;
    const struct query_item *item = image_part(c);
    const char *text = param_str(c, "image"), *why;
    struct blob blob;
    if (!item && (!text || !*text))
        return slack_invalid_arguments(c, NULL, "missing required field: image");
    struct bytes bytes = {.len = (int64_t)(item ? item->len : strlen(text)),
                          .data = item ? item->text : text};
    if ((why = sl_picture_fault((const uint8_t *)bytes.data, (size_t)bytes.len)))
        return slack_fail(c, why);
    int64_t old = u.photo;
    if (check_crop(c) < 0 || bytes_blob(&c->tx, &bytes, 0, &blob) < 0 ||
        (old && blob_unref(&c->tx, old) < 0))
        return -1;
    u.photo = blob.id;
    if (chat_user_save(&c->tx, &u, changed) < 0)
        return -1;
    const char *hash = sl_photo_hash(c, &u);
    slack_open(c);
    json_obj(c->out, "profile");
    json_str(c->out, "avatar_hash", hash);
    sl_write_photos(c, &u, hash);
    json_end(c->out);
    slack_close(c);
    return 0;
}

static int delete_photo(struct call *c)
{
    struct chat_user u = sl_me(c)->user;
    if (!u.photo)
        return slack_ok(c);
    if (blob_unref(&c->tx, u.photo) < 0)
        return -1;
    u.photo = 0;
    return chat_user_save(&c->tx, &u, changed) < 0 ? -1 : slack_ok(c);
}

#define CROP SL_WHOLE(0, SL_PICTURE_SIDE), .fault = "must be a number of pixels"
static const struct param set_params[] = {SL_ARG("image"), SL_ARG("crop_w", CROP),
                                          SL_ARG("crop_x", CROP), SL_ARG("crop_y", CROP)};
static const struct param avatar_params[] = {{.name = "name", .place = IN_PATH, .required = true}};

static const struct route methods[] = {
    {SL_METHOD("users.setPhoto"), .token_kinds = TOKEN_USER, .handler = set_photo,
     .risk = RISK_WRITE, .idempotent = true, .accepts = slack_form_only,
     .scopes = "users.profile:write", PARAMS(set_params), .rate = SLACK_TIER_2,
     .summary = "Have a picture"},
    {SL_METHOD("users.deletePhoto"), .token_kinds = TOKEN_USER, .handler = delete_photo,
     .risk = RISK_WRITE, .idempotent = true, .accepts = slack_form_only,
     .scopes = "users.profile:write", .rate = SLACK_TIER_2,
     .summary = "Have no picture of one's own"},
    {ROUTE("avatars.slack-edge.com", GET, "/avatars/{name}"), .handler = avatar, .risk = RISK_READ,
     .anonymous = true, PARAMS(avatar_params), .rate = SLACK_SPECIAL,
     .summary = "A picture of somebody"},
};

const struct rows sl_photo = ROWS(methods);

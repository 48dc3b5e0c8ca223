/* SPDX-License-Identifier: Apache-2.0 */
/* What the service tells of the caller and of itself. */
#include "services/drive/google/gdrive.h"
#include "services/drive/google/scopes.h"

static int about_get(struct call *c)
{
    struct gdrive_view v;
    struct json_writer *w = c->out;
    if (gdrive_view(c, &v) < 0 || gdrive_need_fields(c) < 0)
        return -1;
    json_obj(w, NULL);
    json_word(w, "kind", "drive#about");
    if (gdrive_write_user(&v, "user", c->actor.id) < 0)
        return -1;
    json_end(w);
    return 0;
}

static const struct route methods[] = {
    {.id = "drive.about.get",
     .verbs = GET,
     .paths = PATHS("/drive/v3/about"),
     .handler = about_get,
     .risk = RISK_READ,
     .scopes = DRIVE " " APPDATA " " FILE_SCOPE " " METADATA " " METADATA_READONLY
                     " " PHOTOS_READONLY " " READONLY,
     .response = "About",
     .summary = "The user, the storage, and what the service can do"},
};

const struct rows gdrive_about = ROWS(methods);

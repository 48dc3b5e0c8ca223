/* SPDX-License-Identifier: Apache-2.0 */
/* Revisions: the earlier contents of a file. */
#include "services/drive/core/revision.h"
#include "services/drive/google/sharing/access.h"
#include "services/drive/google/content/convert.h"
#include "services/drive/google/content/media.h"
#include "services/drive/google/types.h"

struct revised {
    struct gdrive_subject s;
    struct drive_revision revision;
};

/* The file, whose revisions are visible to its writers alone. */
static int open_revised(struct call *c, struct revised *ret)
{
    if (gdrive_any_subject(c, param_str(c, "fileId"), &ret->s) < 0)
        return -1;
    if (ret->s.item.form == DRIVE_FOLDER || ret->s.item.form == DRIVE_SHORTCUT)
        return call_fail(c, SOSIA_E_FORBIDDEN, "revisionsNotSupported", NULL,
                         "The file does not support revisions.");
    return ret->s.access.role >= ROLE_WRITER ? 0 : gdrive_insufficient(c);
}

static int find_revision(struct call *c, struct revised *ret)
{
    const char *key = param_str(c, "revisionId");
    if (open_revised(c, ret) < 0)
        return -1;
    int r = 1;
    if (strcmp(key, "head") != 0)
        r = drive_revision_find(&c->tx, ret->s.item.id, key, &ret->revision);
    else {
        struct drive_revision *last;
        size_t n;
        r = drive_revisions(&c->tx, ret->s.item.id, ret->s.item.head - 1, 1, &last, &n);
        if (r == 0 && n) {
            ret->revision = *last;
            r = 1;
        }
    }
    if (r < 0)
        return -1;
    return r ? 0
             : call_fail(c, SOSIA_E_NOT_FOUND, "notFound", "revisionId", "Revision not found: %s.",
                         key);
}

/* ---- what is written ---- */

static void write_published(struct revised *s, const struct drive_revision *r)
{
    struct json_writer *w = s->s.view.c->out;
    const char *word = gdrive_document(&s->s.item);
    const struct gdrive_kind *kind = gdrive_kind(word);
    json_bool(w, "published", r->published);
    if (!word)
        return;
    json_bool(w, "publishAuto", r->publish_auto);
    json_bool(w, "publishedOutsideDomain", r->publish_outside);
    if (r->published && kind && kind->link)
        json_str(w, "publishedLink",
                 arena_printf(s->s.view.c->tx.arena, "https://docs.google.com/%s/d/e/%s/pub",
                              kind->link, s->s.item.key));
}

static int write_revision(struct revised *s, const struct drive_revision *r)
{
    struct gdrive_view *v = &s->s.view;
    struct json_writer *w = v->c->out;
    struct drive_item as = {.mime = r->mime};
    json_obj(w, NULL);
    json_str(w, "id", r->key);
    json_str(w, "mimeType", gdrive_type(v->c->tx.arena, &as));
    json_word(w, "kind", "drive#revision");
    json_time(w, "modifiedTime", r->modified_us, JSON_TIME_MS_Z);
    if (v->all) {
        if (gdrive_write_user(v, "lastModifyingUser", r->modifier) < 0)
            return -1;
        write_published(s, r);
        if (r->blob) {
            json_bool(w, "keepForever", r->keep);
            json_str_opt(w, "md5Checksum", r->md5);
            json_int_str(w, "size", r->size);
            json_str_opt(w, "originalFilename", r->original);
        } else {
            gdrive_write_export_links(v->c, &s->s.item, r->key);
        }
    }
    json_end(w);
    return 0;
}

/* ---- methods ---- */

static int revisions_get(struct call *c)
{
    struct revised s;
    if (gdrive_flag(c, "acknowledgeAbuse") && !google_wants_media(c))
        return call_fail(
            c, SOSIA_E_FORBIDDEN, "invalidAbuseAcknowledgment", "acknowledgeAbuse",
            "The acknowledgeAbuse parameter is only applicable for download requests.");
    if (find_revision(c, &s) < 0)
        return -1;
    if (!google_wants_media(c))
        return write_revision(&s, &s.revision);
    if (!s.revision.blob)
        return call_fail(c, SOSIA_E_FORBIDDEN, "fileNotDownloadable", "alt",
                         "Only files with binary content can be downloaded. Use Export with Docs "
                         "Editors files.");
    if (gdrive_must_download(&s.s.view, &s.s.item, &s.s.access) < 0)
        return -1;
    if (!s.revision.keep && s.revision.id != s.s.item.head)
        return call_fail(c, SOSIA_E_FORBIDDEN, "download_restricted_for_revision", NULL,
                         "This revision cannot be downloaded by the authenticated user.");
    return google_media_blob(c, s.revision.mime, s.revision.blob);
}

static int revisions_list(struct call *c)
{
    struct revised s;
    struct drive_revision *list;
    int64_t after = 0, limit = param_num(c, "pageSize", 200);
    size_t n;
    if (open_revised(c, &s) < 0 || google_page_number(c, 0, &after) < 0 ||
        drive_revisions(&c->tx, s.s.item.id, after, limit + 1, &list, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_arr(c->out, "revisions");
    for (size_t i = 0; i < n && (int64_t)i < limit; i++)
        if (write_revision(&s, &list[i]) < 0)
            return -1;
    json_end(c->out);
    json_word(c->out, "kind", "drive#revisionList");
    if ((int64_t)n > limit)
        google_next_page(c, list[limit - 1].id);
    json_end(c->out);
    return 0;
}

static bool said_true(const struct json *body, const char *member, bool now)
{
    const struct json *v = json_get(body, member);
    return v && v->type != JSON_NULL ? v->truth : now;
}

static int revisions_update(struct call *c)
{
    struct revised s;
    if (find_revision(c, &s) < 0 || !call_body(c))
        return -1;
    struct drive_revision r = s.revision;
    r.keep = said_true(c->body, "keepForever", r.keep);
    if (s.revision.keep && !r.keep && r.id != s.s.item.head)
        return call_fail(c, SOSIA_E_INVALID, "illegalKeepForeverModification", NULL,
                         "Bad Request. Cannot update a revision to false that is marked as "
                         "keepForever.");
    if (r.blob && (json_get(c->body, "published") || json_get(c->body, "publishAuto") ||
                   json_get(c->body, "publishedOutsideDomain")))
        return gdrive_not_writable(c);
    if (!r.blob && json_get(c->body, "keepForever"))
        return gdrive_not_writable(c);
    r.published = said_true(c->body, "published", r.published);
    r.publish_auto = said_true(c->body, "publishAuto", r.publish_auto) && r.published;
    r.publish_outside =
        said_true(c->body, "publishedOutsideDomain", r.publish_outside) && r.published;
    if (drive_revision_save(&c->tx, &s.s.item, &r) < 0)
        return gdrive_not_kept(c);
    return write_revision(&s, &r);
}

/* What is published can be read by people without an account. */
static int revision_risk(struct call *c, enum risk *ret)
{
    if (said_true(c->body, "published", false) ||
        said_true(c->body, "publishedOutsideDomain", false))
        *ret = RISK_EXTERNAL;
    return 0;
}

static int revisions_delete(struct call *c)
{
    struct revised s;
    if (find_revision(c, &s) < 0)
        return -1;
    if (!s.revision.blob)
        return call_fail(c, SOSIA_E_FORBIDDEN, "revisionDeletionNotSupported", NULL,
                         "The file does not support deleting revisions.");
    if (drive_revision_delete(&c->tx, &s.s.item, &s.revision) < 0)
        return c->tx.err->reason && strcmp(c->tx.err->reason, "headRevision") == 0
                   ? call_fail(c, SOSIA_E_FORBIDDEN, "cannotDeleteOnlyRevision", NULL,
                               "The only revision of a file cannot be deleted.")
                   : -1;
    c->status = 204;
    return 0;
}

/* ---- rows ---- */

#define REVISION_ID                                                                                \
    {                                                                                              \
        .name = "revisionId", .place = IN_PATH, .required = true                                   \
    }
static const struct param revision_params[] = {GDRIVE_FILE_ID, REVISION_ID};
static const struct param revision_get_params[] = {GDRIVE_FLAG("acknowledgeAbuse"), GDRIVE_FILE_ID,
                                                   REVISION_ID};
static const struct param revisions_list_params[] = {
    GDRIVE_FILE_ID,
    {.name = "pageSize", .place = IN_QUERY, .type = PARAM_INT, .def = "200", .min = 1, .max = 1000},
    {.name = "pageToken", .place = IN_QUERY}};

#define REVISIONS "/drive/v3/files/{fileId}/revisions"
#define REVISION  "/drive/v3/files/{fileId}/revisions/{revisionId}"
#define DOWNLOAD                                                                                   \
    "/drive/v3/files/{fileId}/revisions/{revisionId}",                                             \
        "/download/drive/v3/files/{fileId}/revisions/{revisionId}"
#define WRITERS DRIVE " " APPDATA " " FILE_SCOPE
#define READERS                                                                                    \
    WRITERS " " MEET_READONLY " " METADATA " " METADATA_READONLY " " PHOTOS_READONLY " " READONLY

static const struct route methods[] = {
    {ROUTE("drive.revisions.delete", DELETE, REVISION), .handler = revisions_delete,
     .risk = RISK_DESTRUCTIVE, .idempotent = true, .scopes = WRITERS, PARAMS(revision_params),
     .summary = "Forget a revision"},
    {ROUTE("drive.revisions.get", GET, DOWNLOAD), .handler = revisions_get, .risk = RISK_READ,
     .download = true, .scopes = READERS, PARAMS(revision_get_params), .response = "Revision",
     .summary = "A revision, or its content"},
    {ROUTE("drive.revisions.list", GET, REVISIONS), .handler = revisions_list, .risk = RISK_READ,
     .scopes = READERS, PARAMS(revisions_list_params), .response = "RevisionList",
     .summary = "The revisions of a file"},
    {ROUTE("drive.revisions.update", PATCH, REVISION), .handler = revisions_update,
     .risk = RISK_WRITE, .idempotent = true, .risk_of = revision_risk, .body = BODY_JSON,
     .scopes = WRITERS, PARAMS(revision_params), .request = "Revision", .response = "Revision",
     .summary = "Keep a revision, or publish it"},
};

const struct rows gdrive_revisions = ROWS(methods);

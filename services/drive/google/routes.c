/* SPDX-License-Identifier: Apache-2.0 */
/* Google Drive API v3: what all its methods have in common, and the tables of them. */
#include "services/drive/google/glossary.h"
#include "services/drive/google/gdrive.h"
#include "services/drive/google/schema.h"
#include "services/drive/google/scopes.h"

static const struct google_scope scopes[] = {
    {DRIVE, "See, change, make and delete all files"},
    {APPDATA, "See and change the app's own data"},
    {APPS_READONLY, "See the apps"},
    {FILE_SCOPE, "See, change, make and delete the files that the app is used with"},
    {MEET_READONLY, "See files of meetings"},
    {METADATA, "See and change what is known of files"},
    {METADATA_READONLY, "See what is known of files"},
    {PHOTOS_READONLY, "See photos"},
    {READONLY, "See all files"},
    {SCRIPTS, "Change scripts"},
};

static const struct google_api api = {
    .name = "drive",
    .version = "v3",
    .title = "Google Drive API",
    .summary = "Files, their content, and who may see them",
    .service_path = "drive/v3/",
    .batch_path = "batch/drive/v3",
    .batch_max = 100,
    .download_path = "download/drive/v3/",
    .service = "drive.googleapis.com",
    .method_prefix = "google.apps.drive.v3.",
    .envelope = GOOGLE_PLAIN,
    .cache_headers = true,
    .never_kept = true,
    .typed_deletes = true,
    .account = ACCOUNT_DRIVE,
    .scopes = scopes,
    .n_scopes = SOSIA_LEN(scopes),
};

static const char *const prefixes[] = {"/drive/v3", "/download/drive/v3", NULL};

/* The quotas of new projects. */
static const struct rate_class rates[] = {
    {"Queries per minute per user", true, 12000, INT64_C(60000000)},
    {"Queries per minute", false, 12000, INT64_C(60000000)},
    {0},
};

const struct dialect drive_google = {
    .name = "drive.google",
    .title = "Google Drive API v3",
    .vendor = &google_vendor,
    .prefixes = prefixes,
    .tables =
        TABLES(&gdrive_about, &gdrive_apps, &gdrive_approvals, &gdrive_changes, &gdrive_comments,
               &gdrive_drives, &gdrive_encryption, &gdrive_export, &gdrive_files,
               &gdrive_files_list, &gdrive_files_write, &gdrive_labels, &gdrive_operations,
               &gdrive_permissions, &gdrive_proposals, &gdrive_replies, &gdrive_revisions),
    .schemas = drive_google_schemas,
    .n_schemas = SOSIA_LEN(drive_google_schemas),
    .glossary = glossary,
    .n_glossary = SOSIA_LEN(glossary),
    .rates = rates,
    .methods = drive_google_methods,
    .facts = &api,
    .tools = &gdrive_tools,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The scopes of Google Drive, for rows. */
#ifndef SOSIA_DRIVE_GOOGLE_SCOPES_H
#define SOSIA_DRIVE_GOOGLE_SCOPES_H

#define DRIVE             "https://www.googleapis.com/auth/drive"
#define APPDATA           "https://www.googleapis.com/auth/drive.appdata"
#define APPS_READONLY     "https://www.googleapis.com/auth/drive.apps.readonly"
#define FILE_SCOPE        "https://www.googleapis.com/auth/drive.file"
#define MEET_READONLY     "https://www.googleapis.com/auth/drive.meet.readonly"
#define METADATA          "https://www.googleapis.com/auth/drive.metadata"
#define METADATA_READONLY "https://www.googleapis.com/auth/drive.metadata.readonly"
#define PHOTOS_READONLY   "https://www.googleapis.com/auth/drive.photos.readonly"
#define READONLY          "https://www.googleapis.com/auth/drive.readonly"
#define SCRIPTS           "https://www.googleapis.com/auth/drive.scripts"

#endif

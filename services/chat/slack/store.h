/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of Slack's tables: sections of seed documents, read and written, and what falls
 * due. */
#ifndef SOSIA_SLACK_STORE_H
#define SOSIA_SLACK_STORE_H

#include "services/chat/core/form.h"
#include "services/chat/slack/things.h"

static inline int64_t chat_last_id(struct tx *tx)
{
    return sqlite3_last_insert_rowid(slot_db(tx->db));
}

/* ---- file.c ---- */

extern struct stored slack_file_stored;
int chat_file_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
/* References of the blobs of files. */
int chat_files_derive(struct tx *tx);

/* ---- app_seed.c ---- */

int chat_app_seed(struct tx *tx, struct doc *doc, const struct json *item);
int chat_app_dump(struct tx *tx, int64_t rowid, struct json_writer *w);
extern struct stored slack_grant_stored, slack_webhook_stored;
/* The member "apps" of a workspace. */
int chat_installs_seed(struct tx *tx, struct doc *d, const struct json *v,
                       const struct chat_workspace *w);
int chat_installs_dump(struct tx *tx, struct json_writer *w, const struct chat_workspace *ws);
/* The token in payloads of an app that was given none: it follows from its client id. */
const char *chat_made_verification(struct tx *tx, const char *client_id);

/* ---- level.c, document_seed.c ---- */

/* A file of a mode. The row begins with the workspace. */
#define CHAT_FILE_AT(type, field, mode)                                                            \
    .kind = MEMBER_REF, .ref = &chat_file_reference, .names = (const char *const[]){mode, NULL},   \
    .read = chat_read_file, .write = chat_write_file, MEMBER_TYPED(type, field, int64_t)
extern const struct reference chat_file_reference;
int chat_read_file(const struct form_in *in, const struct member *m, void *row);
int chat_write_file(const struct form_out *out, const struct member *m, const void *row);
int chat_write_workspace_of_file(const struct form_out *out, const struct member *m,
                                 const void *row);
/* The member "access", of rows whose id is that of a file and that begin with the workspace;
 * without it the file is its uploader's. */
#define CHAT_ACCESS                                                                                \
    {                                                                                              \
        "access", "Who may do what with it", .kind = MEMBER_OWN, .form = &chat_access_form,        \
                                             .rows = &chat_access_rows, .added = chat_add_access,  \
                                             .write = stored_write_rows, .flags = MEMBER_ALWAYS    \
    }
extern const struct form chat_access_form;
extern struct stored_rows chat_access_rows;
int chat_add_access(const struct form_in *in, const struct member *m, void *row, int64_t id);
extern struct stored slack_canvas_stored;

/* ---- meeting.c, assist.c, log.c, list.c, invite.c ---- */

extern struct stored slack_assist_stored, slack_call_stored, slack_login_stored,
    slack_app_log_stored, slack_invite_stored, slack_list_stored, slack_item_stored,
    slack_export_stored;

/* ---- interact_seed.c, pane.c, execution.c ---- */

extern struct stored slack_view_stored, slack_trigger_stored, slack_answer_stored,
    slack_ephemeral_stored, slack_dialog_stored, slack_pane_stored, slack_execution_stored;

extern struct stored slack_agent_stored, slack_agent_view_stored; /* agent_seed.c */

/* Entities of Slack: those before messages, and those behind them (entities.c). */
extern const struct entity slack_file_entities[];
#define SLACK_FILE_ENTITIES 2
extern const struct entity slack_entities[];
#define SLACK_ENTITIES 18

/* ---- seed_shared.c: what a workspace has besides ---- */

extern struct stored slack_field_stored, slack_emoji_stored, slack_group_stored,
    slack_bookmark_stored;
/* The member "id", two letters and capitals or digits; absent: a new one. */
int chat_doc_made_key(struct tx *tx, struct doc *d, const struct json *v, const char *prefix,
                      const char **ret);
#define CHAT_MADE_KEY_AT(type, field, prefix)                                                      \
    .names = (const char *const[]){prefix, NULL}, .read = chat_read_made_key, TEXT_AT(type, field)
int chat_read_made_key(const struct form_in *in, const struct member *m, void *row);

/* ---- seed_own.c: what people keep for themselves ---- */

extern struct stored slack_star_stored, slack_reminder_stored, slack_scheduled_stored,
    slack_quiet_stored;

int chat_remind(struct tx *tx, int64_t reminder);
int chat_scheduled_post(struct tx *tx, int64_t id); /* schedule.c */

extern const struct core_rule slack_rules[]; /* check.c */

#endif

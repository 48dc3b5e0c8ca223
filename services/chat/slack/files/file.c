/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a workspace: uploads, what they are shared into, deleting them. Their bytes are blobs.
 */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/json/bytes.h"
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/text/civil.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/files/document.h"
#include "services/chat/slack/store.h"

int chat_file_get(struct tx *tx, int64_t id, struct chat_file *ret)
{
    return stored_get(tx, &slack_file_stored, id, ret);
}

int chat_file_find(struct tx *tx, int64_t workspace, const char *key, struct chat_file *ret)
{
    static struct sql_text q = SQL_TEXT("where key = :key and workspace = :workspace");
    return STORED_ONE(tx, &slack_file_stored, &q, ret, key, workspace);
}

int chat_file_by_upload(struct tx *tx, const char *secret, struct chat_file *ret)
{
    static struct sql_text q = SQL_TEXT("where upload = :secret");
    return STORED_ONE(tx, &slack_file_stored, &q, ret, secret);
}

int chat_file_by_external(struct tx *tx, int64_t workspace, const char *id, struct chat_file *ret)
{
    static struct sql_text q = SQL_TEXT("where workspace = :workspace and external_id = :id");
    return STORED_ONE(tx, &slack_file_stored, &q, ret, workspace, id);
}

int chat_file_add(struct tx *tx, struct chat_file *f)
{
    return f->key || (f->key = chat_key(tx, 'F')) ? stored_new(tx, &slack_file_stored, f) : -1;
}

/* channels: keys of those that had it, with commas between; NULL: it is not gone. */
static int save_file(struct tx *tx, struct chat_file *f, enum event_operation operation,
                     const char *channels)
{
    f->updated_s = tx->now_us / US_PER_SECOND;
    if (stored_save(tx, &slack_file_stored, f->id, f) < 0)
        return -1;
    if (f->state >= CHAT_FILE_THERE)
        chat_notify(tx, CHAT_EV_FILE, operation, f->workspace, f->id, NULL,
                    &(struct chat_change){.user = f->user, .name = channels});
    return 0;
}

int chat_file_save(struct tx *tx, struct chat_file *f, enum event_operation operation)
{
    return save_file(tx, f, operation, NULL);
}

int chat_file_share(struct tx *tx, const struct chat_file *f, int64_t channel, int64_t message)
{
    static struct sql_text q =
        SQL_TEXT("insert or ignore into slack_share (file, channel, message, at_s) values (:file, "
                 ":channel, :message, :at)");
    return TX_RUN(tx, &q, f->id, channel, message, tx->now_us / US_PER_SECOND);
}

int chat_file_unshare(struct tx *tx, const struct chat_file *f, int64_t channel, int64_t message)
{
    static struct sql_text q = SQL_TEXT("delete from slack_share where file = :file and "
                                        "channel = :channel and message = :message");
    return TX_RUN(tx, &q, f->id, channel, message);
}

/* Of a document or a list it is said who may do what. */
static bool is_document(const struct chat_file *f)
{
    return strcmp(f->mode, "document") == 0 || strcmp(f->mode, "list") == 0;
}

int chat_file_delete(struct tx *tx, struct chat_file *f)
{
    static struct sql_text where =
        SQL_TEXT("select ifnull(group_concat(key), '') from (select distinct " CHAT_SQL_CHANNEL_KEY(
            "s.channel") " as key from slack_share s where s.file = :file order by s.channel)");
    static struct sql_text shares = SQL_TEXT("delete from slack_share where file = :file");
    static struct sql_text stars = SQL_TEXT("delete from slack_star where file = :file");
    static struct sql_text views = SQL_TEXT("delete from slack_agent_view where file = :file");
    sqlite3_stmt *st;
    if (TX_ROW(tx, &where, &st, f->id) != 1)
        return -1;
    const char *channels = tx_string(tx, st, 0);
    sql_done(st);
    if (TX_RUN(tx, &shares, f->id) < 0 || TX_RUN(tx, &views, f->id) < 0 ||
        TX_RUN(tx, &stars, f->id) < 0 || chat_file_reactions_drop(tx, f->id) < 0 ||
        (f->blob && blob_unref(tx, f->blob) < 0) ||
        (is_document(f) && chat_document_gone(tx, f->id) < 0))
        return -1;
    f->blob = 0;
    f->state = CHAT_FILE_DELETED;
    f->external_id = f->snippet = NULL;
    f->lines = 0;
    f->picture = (struct picture){0};
    return save_file(tx, f, OP_REMOVED, channels);
}

int chat_can_see_file(struct tx *tx, const struct chat_file *f, const struct chat_user *u)
{
    static struct sql_text q = SQL_TEXT(
        "select 1 from slack_share s where s.file = :file and ((" CHAT_SQL_CHANNEL_IS_PUBLIC(
            "s.channel") " and :whole) or " CHAT_SQL_IS_MEMBER("s.channel", ":user") ") limit 1");
    enum chat_level level = CHAT_MAY_NOTHING;
    int64_t seen;
    if (is_document(f) && chat_level_of(tx, f, u, &level) < 0)
        return -1;
    if (level || (f->user == u->id && !is_document(f)))
        return 1;
    return TX_INT(tx, &q, &seen, f->id, u->role < CHAT_GUEST, u->id);
}

int chat_files(struct tx *tx, const struct chat_files_ask *ask,
               int (*fn)(void *arg, const struct chat_file *f), void *arg)
{
    static struct sql_text all =
        SQL_TEXT("where workspace = :workspace and state = 2 and created_s between :from and :to "
                 "order by created_s desc, id desc");
    static struct sql_text his =
        SQL_TEXT("where user = :user and state = 2 and created_s between :from and :to and "
                 "workspace = :workspace order by created_s desc, id desc");
    static struct sql_text shared = SQL_TEXT(
        "where id in (select file from slack_share where channel = :channel) and +workspace = "
        ":workspace and state = 2 and +created_s between :from and :to and (:user = 0 or +user = "
        ":user) order by +created_s desc, id desc");
    struct stored *s = &slack_file_stored;
    sqlite3_stmt *st =
        ask->channel ? STORED_QUERY(tx, s, &shared, ask->channel, ask->workspace, ask->from_s,
                                    ask->to_s, ask->user)
        : ask->user  ? STORED_QUERY(tx, s, &his, ask->user, ask->from_s, ask->to_s, ask->workspace)
                     : STORED_QUERY(tx, s, &all, ask->workspace, ask->from_s, ask->to_s);
    struct chat_file f;
    int r;
    while ((r = stored_next(tx, s, st, &f)) == 1) {
        if (fn(arg, &f)) {
            sql_done(st);
            return 0;
        }
    }
    return r;
}

int chat_shares(struct tx *tx, int64_t file,
                int (*fn)(void *arg, const struct chat_channel *ch, const struct chat_message *m),
                void *arg)
{
    static struct sql_text q = SQL_TEXT("select channel, message from slack_share where "
                                        "file = :file order by channel, message");
    sqlite3_stmt *st = TX_QUERY(tx, &q, file);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        struct chat_channel ch;
        struct chat_message m = {0};
        int64_t message = sqlite3_column_int64(st, 1);
        int rc = chat_channel_get(tx, sqlite3_column_int64(st, 0), &ch);
        if (rc == 1 && message)
            rc = chat_message_get(tx, message, &m);
        if (rc < 0 || (rc == 1 && fn(arg, &ch, &m))) {
            sql_done(st);
            return rc < 0 ? -1 : 0;
        }
    }
    return r;
}

/* ---- seed documents ---- */

/* A snippet is taken for bytes that are not there; the bytes of what is outside are a picture of
 * it.
 */
static void look_at_seed(struct tx *tx, struct chat_file *f, const char *text, size_t len)
{
    const char *said = f->snippet;
    if (f->external_id || strcmp(f->mode, "external") == 0 || is_document(f))
        return;
    if (len || said)
        chat_file_look(tx, f, len ? text : said, len ? len : strlen(said));
    if (!f->snippet)
        f->snippet = said;
}

/* The bytes that a document has; none: NULL. */
static int read_content(const struct form_in *in, const char **ret, size_t *ret_len)
{
    const char *coded;
    if (doc_str(in->d, in->value, "content", false, ret) < 0 ||
        doc_str(in->d, in->value, "base64", false, &coded) < 0)
        return -1;
    *ret_len = *ret ? strlen(*ret) : 0;
    return coded ? doc_base64(in->d, in->value, "base64", coded, ret, ret_len) : 0;
}

static int write_content(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_file *f = row;
    const char *data;
    size_t len;
    if (!f->blob)
        return 0;
    if (blob_load(out->tx, f->blob, &data, &len) < 0)
        return -1;
    json_base64(out->w, m->name, data, len);
    return 0;
}

static int write_updated(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_file *f = row;
    if (f->updated_s != f->created_s)
        json_int(out->w, m->name, f->updated_s);
    return 0;
}

/* Else the bytes say it. */
static int write_snippet(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_file *f = row;
    if (!f->blob || !f->lines)
        json_str_opt(out->w, m->name, f->snippet);
    return 0;
}

/* Of an address that is public, or of one that is not: by the name. */
static bool is_of(const struct member *m, bool is_public)
{
    return (strcmp(m->name, "public") == 0) == is_public;
}

static int read_secret(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_file *f = row;
    const char *secret;
    if (doc_str(in->d, in->value, m->name, false, &secret) < 0)
        return -1;
    if (secret && !f->is_public) {
        f->public_secret = secret;
        f->is_public = is_of(m, true);
    }
    return 0;
}

static int write_secret(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_file *f = row;
    if (is_of(m, f->is_public))
        json_str_opt(out->w, m->name, f->public_secret);
    return 0;
}

static int read_deleted(const struct form_in *in, const struct member *m, void *row)
{
    struct chat_file *f = row;
    bool deleted;
    if (doc_bool(in->d, in->value, m->name, false, &deleted) < 0)
        return -1;
    f->state = deleted ? CHAT_FILE_DELETED : CHAT_FILE_THERE;
    return 0;
}

static int write_deleted(const struct form_out *out, const struct member *m, const void *row)
{
    json_bool_opt(out->w, m->name, ((const struct chat_file *)row)->state == CHAT_FILE_DELETED);
    return 0;
}

static int write_reactions(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_file *f = row;
    (void)m;
    return chat_dump_reactions(out->tx, out->w, 0, f->id, f->created_s);
}

static int check_file(const struct form_in *in, void *row)
{
    struct chat_file *f = row;
    if (chat_unsaid_now(in->tx, &f->created_s) < 0)
        return -1;
    f->updated_s = f->updated_s == CHAT_UNSAID ? f->created_s : f->updated_s;
    f->title = f->title ? f->title : f->name;
    return 0;
}

static int add_file(const struct form_in *in, void *row)
{
    struct chat_file *f = row;
    const char *data;
    size_t len;
    if (read_content(in, &data, &len) < 0 || (len && blob_put(in->tx, data, len, &f->blob) < 0))
        return -1;
    f->size = (int64_t)len;
    look_at_seed(in->tx, f, data, len);
    return chat_file_add(in->tx, f);
}

static int add_reactions(const struct form_in *in, void *row, int64_t id)
{
    const struct chat_file *f = row;
    return chat_doc_reactions(in->tx, in->d, in->value, f->workspace, NULL, id, f->created_s);
}

static const struct member picture_columns[] = {
    {INT_AT(struct picture, width, 0, 65535)},
    {INT_AT(struct picture, height, 0, 65535)},
    {INT_AT(struct picture, frames, 0, INT32_MAX)},
    {BOOL_AT(struct picture, dense)},
};
static const struct form picture_form = FORM("A picture", picture_columns);

static const char *const modes[] = {"hosted", "snippet", "external", "document", "list", NULL};
static const struct member file_members[] = {
    CHAT_WORKSPACE,
    STORED_ID(struct chat_file),
    {ENUM_AT(struct chat_file, state, NULL), .usual = CHAT_FILE_THERE},
    {INT_AT(struct chat_file, size, 0, INT64_MAX)},
    {REF_AT(struct chat_file, blob, NULL)},
    {TEXT_AT(struct chat_file, upload)},
    {TEXT_AT(struct chat_file, public_secret)},
    {BOOL_AT(struct chat_file, is_public)},
    {INT_AT(struct chat_file, lines, 0, INT64_MAX)},
    PART_AT(struct chat_file, picture, &picture_form),
    {"id", "Its id; made up without it", CHAT_KEY_AT(struct chat_file, key, "F")},
    {"user", "Whose it is", CHAT_USER_AT(struct chat_file, user), .flags = MEMBER_REQUIRED},
    {"name", "Its name", TEXT_AT(struct chat_file, name), .flags = MEMBER_REQUIRED},
    {"title", "Its title; the name without it", TEXT_AT(struct chat_file, title)},
    {"mimetype", "Its media type", TEXT_AT(struct chat_file, mimetype), .usual_text = "text/plain",
     .flags = MEMBER_ALWAYS},
    {"filetype", "As Slack calls the type", TEXT_AT(struct chat_file, filetype),
     .usual_text = "text", .flags = MEMBER_ALWAYS},
    {"mode", "What it is", WORD_AT(struct chat_file, mode, modes), .usual_text = "hosted"},
    OWN_GIVEN("content", "Its bytes as a text", "text"),
    {"base64", "The same in base64", .kind = MEMBER_OWN, .noun = "text", .write = write_content},
    {"app", "The client id of the app that made it", CHAT_APP_AT(struct chat_file, app)},
    {"editor", "Who changed it", CHAT_USER_AT(struct chat_file, editor)},
    {"created", "When it was made; now without it", CHAT_SECOND_AT(struct chat_file, created_s),
     .usual = CHAT_UNSAID},
    {"updated", "When it was changed; as created without it", .kind = MEMBER_INT,
     .noun = CHAT_SECOND, .read = chat_read_second, .write = write_updated, .usual = CHAT_UNSAID,
     MEMBER_TYPED(struct chat_file, updated_s, int64_t)},
    {"snippet", "What is shown of it", TEXT_AT(struct chat_file, snippet), .write = write_snippet},
    {"public", "The secret of its public address; it has one", .kind = MEMBER_OWN, .noun = "text",
     .read = read_secret, .write = write_secret},
    {"secret", "Of its public address, which it does not have yet", .kind = MEMBER_OWN,
     .noun = "text", .read = read_secret, .write = write_secret},
    {"external_id", "Of a file elsewhere: its id", TEXT_AT(struct chat_file, external_id)},
    {"external_url", "Where that is", TEXT_AT(struct chat_file, external_url)},
    {"alt_text", "What a picture shows", TEXT_AT(struct chat_file, alt_text)},
    {"deleted", "It is gone", .kind = MEMBER_OWN, .noun = "true or false", .read = read_deleted,
     .write = write_deleted},
    {"reactions", "As those of messages", .kind = MEMBER_OWN, .form = &chat_reaction_form,
     .write = write_reactions},
};
STORED(slack_file_stored, "A file of a workspace", struct chat_file, file_members, check_file,
       .table = "slack_file", .key = "id", .stays = "key workspace user app created_s",
       .add = add_file, .added = add_reactions);

int chat_file_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    struct chat_file f;
    int r = chat_file_get(tx, id, &f);
    if (r != 1 || f.state < CHAT_FILE_THERE)
        return r < 0 ? -1 : 0;
    return form_write(&(struct form_out){tx, w}, &slack_file_stored_form, &f) < 0 ? -1 : 1;
}

/* Each row that names a blob has a reference of it. */
int chat_files_derive(struct tx *tx)
{
    static struct sql_text q =
        SQL_TEXT("select blob from slack_file where blob is not null order by id");
    sqlite3_stmt *st = TX_PLAIN(tx, &q);
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1)
        if (blob_ref(tx, sqlite3_column_int64(st, 0)) < 0) {
            sql_done(st);
            return -1;
        }
    return r;
}

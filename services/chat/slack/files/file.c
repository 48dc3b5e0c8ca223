/* SPDX-License-Identifier: Apache-2.0 */
/* Files of a workspace: uploads, what they are shared into, deleting them. Their bytes are blobs.
 */
#include "engine/base/codec.h"
#include "engine/blob/blob.h"
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/text/civil.h"
#include "services/chat/core/ask.h"
#include "services/chat/core/sql.h"
#include "services/chat/slack/files/document.h"
#include "services/chat/slack/forms.h"
#include "services/chat/slack/store.h"

#define FILE_COLUMNS                                                                               \
    "f.id, f.key, f.workspace, f.user, f.app, f.state, f.mode, f.name, f.title, f.mimetype, "      \
    "f.filetype, f.size, f.blob, f.upload, f.public_secret, f.is_public, f.external_id, "          \
    "f.external_url, f.alt_text, f.snippet, f.created_s, f.updated_s, f.editor, f.lines, "         \
    "f.width, f.height, f.frames, f.dense"

static void take_file(struct tx *tx, sqlite3_stmt *st, struct chat_file *ret)
{
    *ret = (struct chat_file){.id = sqlite3_column_int64(st, 0),
                              .key = tx_string(tx, st, 1),
                              .workspace = sqlite3_column_int64(st, 2),
                              .user = sqlite3_column_int64(st, 3),
                              .app = sqlite3_column_int64(st, 4),
                              .state = (enum chat_file_state)sqlite3_column_int(st, 5),
                              .mode = tx_string(tx, st, 6),
                              .name = tx_string(tx, st, 7),
                              .title = tx_string(tx, st, 8),
                              .mimetype = tx_string(tx, st, 9),
                              .filetype = tx_string(tx, st, 10),
                              .size = sqlite3_column_int64(st, 11),
                              .blob = sqlite3_column_int64(st, 12),
                              .upload = tx_string(tx, st, 13),
                              .public_secret = tx_string(tx, st, 14),
                              .is_public = sqlite3_column_int(st, 15),
                              .external_id = tx_string(tx, st, 16),
                              .external_url = tx_string(tx, st, 17),
                              .alt_text = tx_string(tx, st, 18),
                              .snippet = tx_string(tx, st, 19),
                              .created_s = sqlite3_column_int64(st, 20),
                              .updated_s = sqlite3_column_int64(st, 21),
                              .editor = sqlite3_column_int64(st, 22),
                              .lines = sqlite3_column_int64(st, 23),
                              .picture = {.width = (unsigned)sqlite3_column_int(st, 24),
                                          .height = (unsigned)sqlite3_column_int(st, 25),
                                          .frames = (unsigned)sqlite3_column_int(st, 26),
                                          .dense = sqlite3_column_int(st, 27)}};
}

static int read_file(struct tx *tx, sqlite3_stmt *st, struct chat_file *ret)
{
    int r = st ? TX_STEP(tx, st) : -1;
    if (r != 1)
        return r;
    take_file(tx, st, ret);
    sql_done(st);
    return 1;
}

int chat_file_get(struct tx *tx, int64_t id, struct chat_file *ret)
{
    static struct sql_text q = SQL_TEXT("select " FILE_COLUMNS " from slack_file f where id = :id");
    return read_file(tx, TX_QUERY(tx, &q, id), ret);
}

int chat_file_find(struct tx *tx, int64_t workspace, const char *key, struct chat_file *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " FILE_COLUMNS " from slack_file f where key = :key "
                 "and workspace = :workspace");
    return read_file(tx, TX_QUERY(tx, &q, key, workspace), ret);
}

int chat_file_by_upload(struct tx *tx, const char *secret, struct chat_file *ret)
{
    static struct sql_text q =
        SQL_TEXT("select " FILE_COLUMNS " from slack_file f where upload = :secret");
    return read_file(tx, TX_QUERY(tx, &q, secret), ret);
}

int chat_file_by_external(struct tx *tx, int64_t workspace, const char *id, struct chat_file *ret)
{
    static struct sql_text q = SQL_TEXT("select " FILE_COLUMNS " from slack_file f where "
                                        "workspace = :workspace and external_id = :id");
    return read_file(tx, TX_QUERY(tx, &q, workspace, id), ret);
}

int chat_file_add(struct tx *tx, struct chat_file *f)
{
    static struct sql_text q = SQL_TEXT(
        "insert into slack_file (key, workspace, user, app, state, mode, name, title, mimetype, "
        "filetype, size, blob, upload, public_secret, is_public, external_id, external_url, "
        "alt_text, snippet, created_s, updated_s, editor, lines, width, height, frames, dense) "
        "values (:key, :workspace, :user, :app, :state, :mode, :name, :title, :mimetype, "
        ":filetype, :size, :blob, :upload, :public, :is_public, :external_id, :external_url, :alt, "
        ":snippet, :created, :updated, :editor, :lines, :width, :height, :frames, :dense)");
    if (!f->key && !(f->key = chat_key(tx, 'F')))
        return -1;
    if (TX_RUN(tx, &q, f->key, f->workspace, f->user, sql_int_or_null(f->app, 0), f->state, f->mode,
               f->name, f->title, f->mimetype, f->filetype, f->size, sql_int_or_null(f->blob, 0),
               f->upload, f->public_secret, f->is_public, f->external_id, f->external_url,
               f->alt_text, f->snippet, f->created_s, f->updated_s, sql_int_or_null(f->editor, 0),
               f->lines, f->picture.width, f->picture.height, f->picture.frames,
               f->picture.dense) < 0)
        return -1;
    f->id = chat_last_id(tx);
    return 0;
}

/* channels: keys of those that had it, with commas between; NULL: it is not gone. */
static int save_file(struct tx *tx, struct chat_file *f, enum event_operation operation,
                     const char *channels)
{
    static struct sql_text q = SQL_TEXT(
        "update slack_file set state = :state, mode = :mode, name = :name, title = :title, "
        "mimetype = :mimetype, filetype = :filetype, size = :size, blob = :blob, "
        "upload = :upload, public_secret = :public, is_public = :is_public, "
        "external_id = :external, external_url = :url, alt_text = :alt, snippet = "
        ":snippet, updated_s = :updated, editor = :editor, lines = :lines, width = :width, "
        "height = :height, frames = :frames, dense = :dense where id = :id");
    f->updated_s = tx->now_us / US_PER_SECOND;
    if (TX_RUN(tx, &q, f->state, f->mode, f->name, f->title, f->mimetype, f->filetype, f->size,
               sql_int_or_null(f->blob, 0), f->upload, f->public_secret, f->is_public,
               f->external_id, f->external_url, f->alt_text, f->snippet, f->updated_s,
               sql_int_or_null(f->editor, 0), f->lines, f->picture.width, f->picture.height,
               f->picture.frames, f->picture.dense, f->id) < 0)
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
        SQL_TEXT("select " FILE_COLUMNS " from slack_file f where workspace = :workspace and "
                 "state = 2 and created_s between :from and :to order by created_s desc, id desc");
    static struct sql_text his =
        SQL_TEXT("select " FILE_COLUMNS " from slack_file f where user = :user and state = 2 and "
                 "created_s between :from and :to and workspace = :workspace "
                 "order by created_s desc, id desc");
    static struct sql_text shared = SQL_TEXT(
        "select " FILE_COLUMNS " from slack_file f where id in (select file from slack_share where "
        "channel = :channel) and +workspace = :workspace and state = 2 and +created_s between "
        ":from and :to and (:user = 0 or +user = :user) order by +created_s desc, id desc");
    sqlite3_stmt *st =
        ask->channel
            ? TX_QUERY(tx, &shared, ask->channel, ask->workspace, ask->from_s, ask->to_s, ask->user)
        : ask->user ? TX_QUERY(tx, &his, ask->user, ask->from_s, ask->to_s, ask->workspace)
                    : TX_QUERY(tx, &all, ask->workspace, ask->from_s, ask->to_s);
    struct chat_file f;
    int r = st ? 1 : -1;
    while (r == 1 && (r = TX_STEP(tx, st)) == 1) {
        take_file(tx, st, &f);
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

struct seed_file {
    struct chat_file f;
    const char *data; /* NULL: none are said */
    size_t len;
};

static int read_content(const struct form_in *in, const struct member *m, void *row)
{
    struct seed_file *s = row;
    uint8_t *bytes;
    const char *text;
    if (doc_str(in->d, in->value, m->name, false, &text) < 0)
        return -1;
    if (!text)
        return 0;
    s->data = text;
    s->len = strlen(text);
    if (strcmp(m->name, "content") == 0)
        return 0;
    if (base64_decode(in->tx->arena, text, s->len, &bytes, &s->len) < 0)
        return doc_fail(in->d, json_get(in->value, m->name), m->name, "is not base64");
    s->data = (const char *)bytes;
    return 0;
}

static int write_content(const struct form_out *out, const struct member *m, const void *row)
{
    const struct chat_file *f = row;
    const char *data;
    struct buf b;
    size_t len;
    if (!f->blob)
        return 0;
    if (blob_load(out->tx, f->blob, &data, &len) < 0)
        return -1;
    buf_init(&b, 0);
    base64_add(&b, data, len);
    json_str(out->w, m->name, buf_str(&b));
    buf_done(&b);
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

static const char *const modes[] = {"hosted", "snippet", "external", "document", "list", NULL};
static const struct member file_members[] = {
    CHAT_WORKSPACE,
    {"id", "Its id; made up without it", CHAT_KEY_AT(struct chat_file, key, "F")},
    {"user", "Whose it is", CHAT_USER_AT(struct chat_file, user), .flags = MEMBER_REQUIRED},
    {"name", "Its name", TEXT_AT(struct chat_file, name), .flags = MEMBER_REQUIRED},
    {"title", "Its title; the name without it", TEXT_AT(struct chat_file, title)},
    {"mimetype", "Its media type", TEXT_AT(struct chat_file, mimetype), .usual_text = "text/plain",
     .flags = MEMBER_ALWAYS},
    {"filetype", "As Slack calls the type", TEXT_AT(struct chat_file, filetype),
     .usual_text = "text", .flags = MEMBER_ALWAYS},
    {"mode", "What it is", WORD_AT(struct chat_file, mode, modes), .usual_text = "hosted"},
    {"content", "Its bytes as a text", .kind = MEMBER_OWN, .noun = "text", .read = read_content,
     .flags = MEMBER_GIVEN},
    {"base64", "The same in base64", .kind = MEMBER_OWN, .noun = "text", .read = read_content,
     .write = write_content},
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
const struct form chat_file_form = {.about = "A file of a workspace",
                                    .members = file_members,
                                    .n = SOSIA_LEN(file_members),
                                    .size = sizeof(struct seed_file),
                                    .check = check_file};

int chat_file_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    struct seed_file s = {.f = {.state = CHAT_FILE_THERE}};
    struct chat_file *f = &s.f;
    form_usual(&chat_file_form, &s);
    if (form_read(&(struct form_in){tx, d, v}, &chat_file_form, &s) < 0 ||
        (s.len && blob_put(tx, s.data, s.len, &f->blob) < 0))
        return -1;
    f->size = (int64_t)s.len;
    look_at_seed(tx, f, s.data, s.len);
    if (chat_file_add(tx, f) < 0)
        return chat_doc_added(tx, d, v, "id", -1);
    return chat_doc_reactions(tx, d, v, f->workspace, NULL, f->id, f->created_s);
}

int chat_file_dump(struct tx *tx, int64_t id, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select " FILE_COLUMNS " from slack_file f where id = :id and state >= 2");
    struct chat_file f;
    int r = read_file(tx, TX_QUERY(tx, &q, id), &f);
    if (r != 1)
        return r;
    return form_write(&(struct form_out){tx, w}, &chat_file_form, &f) < 0 ? -1 : 1;
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings in seed documents, dumps and diffs: the section gmail, a list of people's settings in
 * the API's own shapes, and of who is notified of changes (watch.c). Each kind of setting is a row
 * here; its shape is checked against the schemas of the API, and its meaning by what reads the
 * API's bodies.
 */
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/world/take.h"
#include "services/mail/gmail/internal.h"
#include "services/mail/gmail/label.h"
#include "services/mail/gmail/vendor.h"
#include "services/mail/gmail/schema.h"
#include "services/mail/gmail/settings/settings.h"

#define N_SCHEMAS SOSIA_LEN(gmail_schemas)

struct kind {
    const char *kind;   /* of the rows */
    const char *member; /* of the section's objects */
    const char *schema;
    const char *extra; /* a text that such an object may have besides; NULL: none */
    bool list;
    const char *id; /* the member that names one of many; NULL: there is one */
    /* Reads it, and keeps it if it shall. */
    int (*read)(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep);
    int (*write)(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                 struct json_writer *w);
};

/* ---- addresses ---- */

static bool is_pending(const struct json *v)
{
    return strcmp(settings_text(v, "verificationStatus"), settings_verification[1]) == 0;
}

static int read_sender(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    struct gmail_sender s = {.name = "", .reply_to = "", .signature = ""};
    if (settings_address(tx, json_get_str(v, "sendAsEmail"), "sendAsEmail", &s.email) < 0)
        return -1;
    s.main = strcmp(s.email, mb->email) == 0;
    s.pending = !s.main && is_pending(v);
    s.asked = json_get_str(v, "confirmation");
    if (settings_read_sender(tx, v, true, &s) < 0)
        return -1;
    return keep ? gmail_sender_put(tx, mb, &s) : 0;
}

static int write_sender(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                        struct json_writer *w)
{
    struct gmail_sender sender;
    int r = gmail_sender_of(tx, mb, s, &sender);
    if (r != 1)
        return r;
    settings_write_sender(w, &sender);
    json_str_opt(w, "confirmation", sender.asked);
    return 1;
}

static int read_forward(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    struct gmail_forward f = {.pending = is_pending(v), .asked = json_get_str(v, "confirmation")};
    if (settings_address(tx, json_get_str(v, "forwardingEmail"), "forwarding address", &f.email) <
        0)
        return -1;
    return keep ? gmail_forward_put(tx, mb, &f) : 0;
}

static int write_forward(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                         struct json_writer *w)
{
    struct gmail_forward f;
    int r = gmail_forward_get(tx, mb, s->key, &f);
    if (r != 1)
        return r;
    settings_write_forward(w, &f);
    json_str_opt(w, "confirmation", f.asked);
    return 1;
}

static int read_auto_forward(struct tx *tx, const struct mailbox *mb, const struct json *v,
                             bool keep)
{
    struct gmail_auto_forward f;
    if (settings_read_auto_forward(tx, v, &f) < 0)
        return -1;
    return keep ? gmail_auto_forward_put(tx, mb, &f) : 0;
}

static int write_auto_forward(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                              struct json_writer *w)
{
    struct gmail_auto_forward f;
    (void)s;
    int r = gmail_auto_forward_get(tx, mb, &f);
    if (r == 1)
        settings_write_auto_forward(w, &f);
    return r;
}

static int read_delegate(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    struct mailbox other;
    const char *email;
    if (settings_address(tx, json_get_str(v, "delegateEmail"), "delegate", &email) < 0)
        return -1;
    int r = mailbox_by_address(tx, email, &other);
    if (r < 0)
        return -1;
    if (!r || strcmp(other.email, email) != 0 || other.id == mb->id)
        return settings_bad(tx, "Invalid delegate");
    return keep ? gmail_delegate_put(tx, mb, email) : 0;
}

static int write_delegate(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                          struct json_writer *w)
{
    (void)tx;
    (void)mb;
    json_str(w, "delegateEmail", s->key);
    return 1;
}

/* ---- filters and vacation ---- */

static int read_filter(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    struct gmail_filter f;
    const char *id = settings_text(v, "id");
    if (settings_read_filter(tx, mb, v, true, &f) < 0)
        return -1;
    f.key = id;
    if (strlen(id) > 100)
        return settings_bad(tx, "Invalid id value");
    if (!keep)
        return 0;
    if (!*id && settings_filter_key(tx, mb, &f.key) < 0)
        return -1;
    return gmail_filter_add(tx, mb, &f);
}

static int write_filter(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                        struct json_writer *w)
{
    struct gmail_filter f;
    int r = gmail_filter_get(tx, mb, s->key, &f);
    return r == 1 && settings_write_filter(tx, mb, w, &f) < 0 ? -1 : r;
}

static int read_vacation(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    struct gmail_vacation vacation;
    if (settings_read_vacation(tx, v, &vacation) < 0)
        return -1;
    return keep ? gmail_vacation_put(tx, mb, &vacation) : 0;
}

static int write_vacation(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                          struct json_writer *w)
{
    struct gmail_vacation v;
    (void)s;
    int r = gmail_vacation_get(tx, mb, &v);
    if (r == 1)
        settings_write_vacation(w, &v);
    return r;
}

/* ---- settings that are kept as they are given ---- */

static const struct settings_kept *kept(const char *kind)
{
    size_t i = 0;
    while (strcmp(settings_kept[i].kind, kind) != 0)
        i++;
    return &settings_kept[i];
}

static int read_kept(struct tx *tx, const struct mailbox *mb, const struct settings_kept *k,
                     const struct json *v, bool keep)
{
    return keep ? settings_put_kept(tx, mb, k, v) : k->check(tx, v);
}

static int read_imap(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    return read_kept(tx, mb, kept(SETTING_IMAP), v, keep);
}

static int read_pop(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    return read_kept(tx, mb, kept(SETTING_POP), v, keep);
}

static int read_language(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    return read_kept(tx, mb, kept(SETTING_LANGUAGE), v, keep);
}

static int write_imap(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                      struct json_writer *w)
{
    (void)tx;
    (void)mb;
    kept(SETTING_IMAP)->write(w, s->value);
    return 1;
}

static int write_pop(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                     struct json_writer *w)
{
    (void)tx;
    (void)mb;
    kept(SETTING_POP)->write(w, s->value);
    return 1;
}

static int write_language(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                          struct json_writer *w)
{
    (void)tx;
    (void)mb;
    kept(SETTING_LANGUAGE)->write(w, s->value);
    return 1;
}

/* ---- certificates ---- */

/* A member that names the row; it must be there. */
static int name_of(struct tx *tx, const struct json *v, const char *member, const char **ret)
{
    *ret = settings_text(v, member);
    return **ret && strlen(*ret) <= 100 && !strpbrk(*ret, " /")
               ? 0
               : settings_bad(tx, "Invalid %s", member);
}

static int read_smime(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    const char *email, *id;
    if (settings_address(tx, json_get_str(v, "sendAsEmail"), "sendAsEmail", &email) < 0 ||
        name_of(tx, v, "id", &id) < 0)
        return -1;
    return keep ? settings_put_smime(tx, mb, arena_printf(tx->arena, "%s %s", email, id), v) : 0;
}

static int write_smime(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                       struct json_writer *w)
{
    (void)mb;
    json_str(w, "sendAsEmail", arena_memdup(tx->arena, s->key, strcspn(s->key, " ")));
    settings_write_smime(w, s);
    return 1;
}

static int read_keypair(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    const char *id;
    if (name_of(tx, v, "keyPairId", &id) < 0)
        return -1;
    return keep ? settings_put_keypair(tx, mb, id, v) : 0;
}

static int write_keypair(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                         struct json_writer *w)
{
    (void)tx;
    (void)mb;
    settings_write_keypair(w, s);
    return 1;
}

static int read_identity(struct tx *tx, const struct mailbox *mb, const struct json *v, bool keep)
{
    const char *email;
    if (settings_address(tx, json_get_str(v, "emailAddress"), "email address", &email) < 0 ||
        settings_check_identity(tx, v) < 0)
        return -1;
    return keep ? settings_put_identity(tx, mb, email, v) : 0;
}

static int write_identity(struct tx *tx, const struct mailbox *mb, const struct kept *s,
                          struct json_writer *w)
{
    (void)tx;
    (void)mb;
    settings_write_identity(w, s);
    return 1;
}

/* ---- all kinds ---- */

enum {
    KIND_SENDER,
    KIND_FORWARD,
    KIND_ON,
    KIND_DELEGATE,
    KIND_FILTER,
    KIND_VACATION,
    KIND_IMAP,
    KIND_POP,
    KIND_LANGUAGE,
    KIND_SMIME,
    KIND_KEYPAIR,
    KIND_IDENTITY,
    N_KINDS
};

static const struct kind kinds[N_KINDS] = {
    [KIND_SENDER] = {SETTING_SENDER, "sendAs", "SendAs", "confirmation", true, "sendAsEmail",
                     read_sender, write_sender},
    [KIND_FORWARD] = {SETTING_FORWARD, "forwardingAddresses", "ForwardingAddress", "confirmation",
                      true, "forwardingEmail", read_forward, write_forward},
    [KIND_ON] = {SETTING_ON, "autoForwarding", "AutoForwarding", NULL, false, NULL,
                 read_auto_forward, write_auto_forward},
    [KIND_DELEGATE] = {SETTING_DELEGATE, "delegates", "Delegate", NULL, true, "delegateEmail",
                       read_delegate, write_delegate},
    [KIND_FILTER] = {SETTING_FILTER, "filters", "Filter", NULL, true, "id", read_filter,
                     write_filter},
    [KIND_VACATION] = {SETTING_VACATION, "vacation", "VacationSettings", NULL, false, NULL,
                       read_vacation, write_vacation},
    [KIND_IMAP] = {SETTING_IMAP, "imap", "ImapSettings", NULL, false, NULL, read_imap, write_imap},
    [KIND_POP] = {SETTING_POP, "pop", "PopSettings", NULL, false, NULL, read_pop, write_pop},
    [KIND_LANGUAGE] = {SETTING_LANGUAGE, "language", "LanguageSettings", NULL, false, NULL,
                       read_language, write_language},
    [KIND_SMIME] = {SETTING_SMIME, "smimeInfo", "SmimeInfo", "sendAsEmail", true, "id", read_smime,
                    write_smime},
    [KIND_KEYPAIR] = {SETTING_KEYPAIR, "cseKeyPairs", "CseKeyPair", NULL, true, "keyPairId",
                      read_keypair, write_keypair},
    [KIND_IDENTITY] = {SETTING_IDENTITY, "cseIdentities", "CseIdentity", NULL, true, "emailAddress",
                       read_identity, write_identity},
};

/* ---- shapes ---- */

static const struct schema *schema_of(const char *name)
{
    for (size_t i = 0; i < N_SCHEMAS; i++)
        if (strcmp(gmail_schemas[i].name, name) == 0)
            return &gmail_schemas[i];
    return NULL;
}

static int check_object(struct doc *d, const struct json *v, const struct schema *s,
                        const char *extra);

static int check_text(struct doc *d, const struct json *v, const char *member,
                      const struct field *f)
{
    bool number = f->format && strcmp(f->format, "int64") == 0 && v->type == JSON_NUMBER;
    if (v->type != JSON_STRING && !number)
        return doc_fail(d, v, member, "must be a text");
    for (size_t i = 0; f->values && v->type == JSON_STRING; i++) {
        if (!f->values[i])
            return doc_fail(d, v, member, "\"%.40s\" is not a value of it", v->str);
        if (strcmp(f->values[i], v->str) == 0)
            break;
    }
    return 0;
}

static int check_value(struct doc *d, const struct json *v, const char *member,
                       const struct field *f)
{
    const struct schema *s;
    int64_t n;
    if (strcmp(f->type, "string") == 0)
        return check_text(d, v, member, f);
    if (strcmp(f->type, "boolean") == 0)
        return v->type == JSON_BOOL ? 0 : doc_expect(d, v, member, "true or false");
    if (strcmp(f->type, "integer") == 0)
        return v->type == JSON_NUMBER && json_i64(v, &n) == 0
                   ? 0
                   : doc_fail(d, v, member, "must be a whole number");
    s = schema_of(f->type);
    size_t mark = member ? doc_push(d, member, -1) : d->path_len;
    int rc = s ? check_object(d, v, s, NULL) : 0;
    doc_pop(d, mark);
    return rc;
}

static int check_member(struct doc *d, const struct json_member *m, const struct field *f)
{
    if (m->value.type == JSON_NULL)
        return 0;
    if (!f->list)
        return check_value(d, &m->value, m->key, f);
    if (m->value.type != JSON_ARRAY)
        return doc_fail(d, &m->value, m->key, "must be a list");
    struct doc_items it = {.list = &m->value, .member = m->key};
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (check_value(d, item, NULL, f) < 0)
            return -1;
    return 0;
}

static int check_object(struct doc *d, const struct json *v, const struct schema *s,
                        const char *extra)
{
    static const struct field text = {.type = "string"};
    if (v->type != JSON_OBJECT)
        return doc_fail(d, v, NULL, "must be an object");
    for (uint32_t i = 0; i < v->n; i++) {
        const struct json_member *m = &v->members[i];
        const struct field *f = extra && strcmp(extra, m->key) == 0 ? &text : NULL;
        for (size_t k = 0; k < s->n_fields && !f; k++)
            if (strcmp(s->fields[k].name, m->key) == 0)
                f = &s->fields[k];
        if (!f)
            return doc_fail(d, &m->value, m->key, "unknown member");
        if (check_member(d, m, f) < 0)
            return -1;
    }
    return 0;
}

/* ---- the section ---- */

static int seed_one(struct tx *tx, struct doc *d, const struct mailbox *mb, const struct kind *k,
                    const struct json *v)
{
    char text[sizeof tx->err->text];
    if (check_object(d, v, schema_of(k->schema), k->extra) < 0)
        return -1;
    if (k->read(tx, mb, v, true) == 0)
        return 0;
    if (tx->err->code != SOSIA_E_INVALID && tx->err->code != SOSIA_E_TOO_LARGE)
        return -1;
    memcpy(text, tx->err->text, sizeof text);
    return doc_fail(d, v, NULL, "%s", text);
}

static int count_settings(struct tx *tx, const struct mailbox *mb, const char *kind, int64_t *ret)
{
    static struct sql_text q =
        SQL_TEXT("select count(*) from gmail_setting where mailbox = :mailbox and kind = :kind");
    return TX_INT(tx, &q, ret, mb->id, kind) < 0 ? -1 : 0;
}

static int seed_kind(struct tx *tx, struct doc *d, const struct mailbox *mb, const struct kind *k,
                     const struct json *person)
{
    const struct json *v = json_get(person, k->member);
    if (!v || v->type == JSON_NULL)
        return 0;
    if (!k->list) {
        size_t mark = doc_push(d, k->member, -1);
        int rc = seed_one(tx, d, mb, k, v);
        doc_pop(d, mark);
        return rc;
    }
    int64_t before, after;
    if (v->type != JSON_ARRAY)
        return doc_fail(d, v, k->member, "must be a list");
    if (count_settings(tx, mb, k->kind, &before) < 0)
        return -1;
    struct doc_items it = {.list = v, .member = k->member};
    for (const struct json *item; (item = doc_item(d, &it)) != NULL;)
        if (seed_one(tx, d, mb, k, item) < 0)
            return -1;
    if (count_settings(tx, mb, k->kind, &after) < 0)
        return -1;
    /* Those that were there already may be replaced, but not by two. */
    return !before && after < v->n
               ? doc_fail(d, v, k->member, "two of them have the same %s", k->id)
               : 0;
}

/* Behind the person and the watch those of the kinds, in their order. */
static const struct member gmail_members[] = {
    OWN_NEEDED("person", "Who"),
    OWN_TYPED("watch", "Who is notified of changes", "object", OWN_OBJECT),
    OWN("sendAs", "Addresses that the person writes from", "list"),
    OWN("forwardingAddresses", "Where mail may be sent on to", "list"),
    OWN_TYPED("autoForwarding", "Where all of it is sent on to", "object", OWN_OBJECT),
    OWN("delegates", "Who else may use the mailbox", "list"),
    OWN("filters", "What is done with mail that comes", "list"),
    OWN_TYPED("vacation", "The automatic answer", "object", OWN_OBJECT),
    OWN_TYPED("imap", "As the API has it", "object", OWN_OBJECT),
    OWN_TYPED("pop", "The same", "object", OWN_OBJECT),
    OWN_TYPED("language", "The same", "object", OWN_OBJECT),
    OWN("smimeInfo", "Certificates of addresses", "list"),
    OWN("cseKeyPairs", "Key pairs of encryption by the client", "list"),
    OWN("cseIdentities", "Addresses that use them", "list"),
};
const struct form gmail_form = FORM("What a person has set in Gmail", gmail_members);

int gmail_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    const char *name, *email;
    const struct json *watch = json_get(v, "watch");
    struct mailbox mb;
    struct actor who;
    if (form_known(&(struct form_in){tx, d, v}, &gmail_form) < 0 ||
        doc_str(d, v, "person", true, &name) < 0)
        return -1;
    email = email_normal(tx->arena, name);
    int r = email ? actor_by_email(tx, email, &who) : 0;
    if (r == 1)
        r = mailbox_at(tx, who.id, gmail_vendor.name, &mb);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(v, "person"), "person",
                                "nobody with a mailbox has the address \"%.80s\"", name);
    for (size_t i = 0; i < N_KINDS; i++)
        if (seed_kind(tx, d, &mb, &kinds[i], v) < 0)
            return -1;
    if (!watch || watch->type == JSON_NULL)
        return 0;
    size_t mark = doc_push(d, "watch", -1);
    r = gmail_watch_seed(tx, d, &mb, watch);
    doc_pop(d, mark);
    return r;
}

static int dump_kind(struct tx *tx, const struct mailbox *mb, const struct kind *k,
                     struct json_writer *w)
{
    struct kept *all;
    size_t n;
    if (mail_kept_list(tx, &gmail_settings, mb->id, k->kind, &all, &n) < 0)
        return -1;
    if (n && k->list)
        json_arr(w, k->member);
    for (size_t i = 0; i < n; i++) {
        json_obj(w, k->list ? NULL : k->member);
        if (k->write(tx, mb, &all[i], w) < 0)
            return -1;
        json_end(w);
    }
    if (n && k->list)
        json_end(w);
    return 0;
}

/* A person who has set something, or has a watch. 1, 0, -1. */
static int is_dumped(struct tx *tx, const struct mailbox *mb)
{
    static struct sql_text q = SQL_TEXT(
        "select exists (select 1 from gmail_setting where mailbox = :mailbox) or exists (select 1 "
        "from gmail_watch where mailbox = :mailbox)");
    int64_t is;
    return TX_INT(tx, &q, &is, mb->id) < 0 ? -1 : is != 0;
}

static int dump_mailbox(struct tx *tx, const struct mailbox *mb, struct json_writer *w)
{
    json_str(w, "person", mb->email);
    for (size_t i = 0; i < N_KINDS; i++)
        if (dump_kind(tx, mb, &kinds[i], w) < 0)
            return -1;
    return gmail_watch_write(tx, mb, w) < 0 ? -1 : 0;
}

int gmail_section_dump(struct tx *tx, struct json_writer *w)
{
    int64_t *ids;
    size_t n, written = 0;
    int rc = 0;
    if (mailbox_list(tx, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n && rc >= 0; i++) {
        struct mailbox mb;
        rc = mailbox_by_id(tx, ids[i], &mb);
        if (rc == 1)
            rc = is_dumped(tx, &mb);
        if (rc != 1)
            continue;
        if (!written++)
            json_arr(w, "gmail");
        json_obj(w, NULL);
        rc = dump_mailbox(tx, &mb, w);
        json_end(w);
    }
    if (written)
        json_end(w);
    return rc < 0 ? -1 : 0;
}

/* ---- settings in diffs ---- */

/* The row, with its mailbox and kind: 1, 0, -1. */
static int load_setting(struct tx *tx, int64_t rowid, const struct kind **ret_kind,
                        struct mailbox *ret_mb, struct kept *ret)
{
    static struct sql_text q =
        SQL_TEXT("select mailbox, kind, key from gmail_setting where id = :id");
    const char *kind, *key;
    int64_t mailbox;
    int r = TX_TAKE(tx, TX_QUERY(tx, &q, rowid), &mailbox, &kind, &key);
    if (r != 1)
        return r;
    size_t i = 0;
    while (i < N_KINDS && strcmp(kinds[i].kind, kind) != 0)
        i++;
    if (i == N_KINDS)
        return 0;
    *ret_kind = &kinds[i];
    r = mailbox_by_id(tx, mailbox, ret_mb);
    return r == 1 ? mail_kept_get(tx, &gmail_settings, mailbox, kind, key, ret) : r;
}

int gmail_setting_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    const struct kind *k;
    struct mailbox mb;
    struct kept s;
    int r = load_setting(tx, rowid, &k, &mb, &s);
    if (r != 1)
        return r;
    json_str(w, "mailbox", mb.email);
    json_str(w, "setting", k->member);
    if (k->id) {
        const char *blank = strchr(s.key, ' ');
        json_str(w, k->id, blank ? blank + 1 : s.key);
    }
    return 0;
}

int gmail_setting_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    const struct kind *k;
    struct mailbox mb;
    struct kept s;
    int r = load_setting(tx, rowid, &k, &mb, &s);
    return r == 1 ? k->write(tx, &mb, &s, w) : r;
}

/* ---- imported rows ---- */

/* A row must be one that could have been read, so that its dump can be. */
static int check_row(struct tx *tx, const struct mailbox *mb, const struct kind *k,
                     const struct kept *s)
{
    const struct json *v;
    struct json_writer w;
    struct doc d;
    struct buf b;
    if (!k->list && *s->key)
        return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "%s of %s is there twice", k->member,
                       mb->email);
    if (k->kind == kinds[KIND_SMIME].kind && !strchr(s->key, ' '))
        return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "smimeInfo of %s has no address",
                       mb->email);
    json_start(&w, &b);
    json_obj(&w, NULL);
    int rc = k->write(tx, mb, s, &w);
    json_end(&w);
    if (rc == 1)
        rc = doc_open(&d, tx->arena, buf_str(&b), b.len, k->member, 0, &v, tx->err);
    if (rc == 0)
        rc = check_object(&d, v, schema_of(k->schema), k->extra);
    if (rc == 0)
        rc = k->read(tx, mb, v, false);
    buf_done(&b);
    if (rc == 0 || tx->err->code == SOSIA_E_NO_MEMORY)
        return rc;
    const char *text = arena_strdup(tx->arena, tx->err->text);
    return tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "%s of %s: %s", k->member, mb->email, text);
}

int gmail_check(struct tx *tx)
{
    static struct sql_text q = SQL_TEXT("select id from gmail_setting");
    if (gmail_watch_check(tx) < 0 || gmail_label_check(tx) < 0)
        return -1;
    sqlite3_stmt *st = sql_use(tx->db, &q);
    int r;
    if (!st)
        return slot_fail(tx->db, tx->err);
    while ((r = TX_STEP(tx, st)) == 1) {
        const struct kind *k;
        struct mailbox mb;
        struct kept s;
        int rc = load_setting(tx, sqlite3_column_int64(st, 0), &k, &mb, &s);
        if (rc == 1)
            rc = check_row(tx, &mb, k, &s);
        else if (rc == 0)
            rc = tx_fail(tx, SOSIA_E_INVALID, NULL, NULL, "a setting is of no kind");
        if (rc < 0) {
            sql_done(st);
            return -1;
        }
    }
    return r;
}

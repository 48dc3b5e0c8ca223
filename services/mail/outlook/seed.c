/* SPDX-License-Identifier: Apache-2.0 */
/* The section outlook of seed documents and dumps: Graph's own shapes per person. */
#include "engine/base/codec.h"
#include "engine/json/doc.h"
#include "engine/state/own.h"
#include "engine/world/take.h"
#include "services/mail/core/mail_impl.h"
#include "services/mail/outlook/internal.h"

/* Settings that are lists: by which member an item is known, and what makes its key. */
static const struct list {
    const char *member, *kind, *key;
} lists[] = {
    {"messageRules", SETTING_RULE, "id"},    {"masterCategories", SETTING_CATEGORY, "id"},
    {"overrides", SETTING_OVERRIDE, "id"},   {"delegates", SETTING_DELEGATE, "email"},
    {"searchFolders", SETTING_SEARCH, "id"},
};

static int put_setting(struct tx *tx, struct doc *d, const struct json *at, int64_t mailbox,
                       const char *kind, const char *key, const struct json *v)
{
    struct kept_value text;
    if (v->type != JSON_OBJECT)
        return doc_fail(d, at, NULL, "must be an object");
    mail_kept_begin(&text);
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->members[i].key, "id") != 0 &&
            (strcmp(kind, SETTING_DELEGATE) != 0 || strcmp(v->members[i].key, "email") != 0))
            json_value(&text.w, v->members[i].key, &v->members[i].value);
    return mail_kept_put(tx, &outlook_settings, mailbox, kind, key, mail_kept_end(tx, &text));
}

/* A folder's name, or its path from the top with slashes, as the id that rules have. */
static int folder_id(struct tx *tx, const struct mailbox *mb, const char *name, const char **ret)
{
    struct outlook_box b;
    struct mail_folder f = {.id = 0};
    char *path = arena_strdup(tx->arena, name), *save = NULL;
    const int64_t place = outlook_known_place(name);
    int r = 1;
    if (outlook_box_of(tx, mb, &b) < 0)
        return -1;
    if (place >= 0) {
        *ret = outlook_folder_id(tx->arena, &b, place);
        return 1;
    }
    for (char *part = strtok_r(path, "/", &save); part && r == 1; part = strtok_r(NULL, "/", &save))
        r = mail_folder_by_name(tx, mb->id, f.id, part, &f);
    if (r == 1 && f.id)
        *ret = outlook_folder_id(tx->arena, &b, mail_folder_place(f.id));
    return r == 1 && !f.id ? 0 : r;
}

/* Rules name folders as people do, or by ids. */
static int seed_rule(struct tx *tx, struct doc *d, const struct mailbox *mb, const char *key,
                     const struct json *v)
{
    const struct json *actions = json_get(v, "actions");
    struct kept_value text;
    int r = 0;
    mail_kept_begin(&text);
    for (uint32_t i = 0; i < v->n; i++)
        if (strcmp(v->members[i].key, "id") != 0 && strcmp(v->members[i].key, "actions") != 0)
            json_value(&text.w, v->members[i].key, &v->members[i].value);
    if (actions && actions->type == JSON_OBJECT)
        json_obj(&text.w, "actions");
    for (uint32_t i = 0; actions && actions->type == JSON_OBJECT && i < actions->n && r >= 0; i++) {
        const char *name = actions->members[i].key, *id;
        const struct json *to = &actions->members[i].value;
        if (str_eq_nocase(name, "moveToFolder") && to->type == JSON_STRING &&
            (r = folder_id(tx, mb, to->str, &id)) == 1)
            json_str(&text.w, name, id);
        else
            json_value(&text.w, name, to);
    }
    if (actions && actions->type == JSON_OBJECT)
        json_end(&text.w);
    const char *value = mail_kept_end(tx, &text);
    const struct json *names = json_get(actions, "assignCategories");
    for (uint32_t i = 0; names && names->type == JSON_ARRAY && i < names->n; i++) {
        int64_t folder;
        if (names->items[i].type == JSON_STRING &&
            outlook_category_folder(tx, mb->id, names->items[i].str, &folder) < 0)
            return doc_fail(d, v, "assignCategories", "%s", "must be names of categories");
    }
    return r < 0 ? -1 : mail_kept_put(tx, &outlook_settings, mb->id, SETTING_RULE, key, value);
}

/* The folder that searches, of its owner's: its number, which is the key. */
static int seed_search(struct tx *tx, struct doc *d, const struct mailbox *mb, const struct json *v)
{
    const char *key = json_get_str(v, "id"), *id;
    const struct json *sources = json_get(v, "sourceFolderIds");
    struct kept_value text;
    struct mail_folder f = {.id = 0};
    int64_t number;
    int r = key && parse_i64(key, strlen(key), &number) == 0 && number > 0 &&
                    number <= FOLDER_NUMBER_MAX
                ? mail_folder_get(tx, mb->id, mail_folder_id(mb->id, FOLDER_OWN + number), &f)
                : 0;
    if (r < 0)
        return -1;
    if (!r || f.kind != KIND_FOLDER)
        return doc_fail(d, v, "id", "must be the number of a folder of the mailbox, as a text");
    if (!sources || sources->type != JSON_ARRAY || !sources->n || !json_get_str(v, "filterQuery"))
        return doc_fail(d, v, NULL, "must have sourceFolderIds and a filterQuery");
    for (uint32_t i = 0; i < sources->n; i++)
        if (sources->items[i].type != JSON_STRING)
            return doc_fail(d, v, "sourceFolderIds", "must be names or ids of folders");
    mail_kept_begin(&text);
    json_bool(&text.w, "includeNestedFolders", json_get_true(v, "includeNestedFolders"));
    json_arr(&text.w, "sourceFolderIds");
    for (uint32_t i = 0; i < sources->n && r >= 0; i++) {
        const char *name = sources->items[i].str;
        r = folder_id(tx, mb, name, &id);
        json_str(&text.w, NULL, r == 1 ? id : name);
    }
    json_end(&text.w);
    json_str(&text.w, "filterQuery", json_get_str(v, "filterQuery"));
    const char *value = mail_kept_end(tx, &text);
    return r < 0 ? -1 : mail_kept_put(tx, &outlook_settings, mb->id, SETTING_SEARCH, key, value);
}

static int key_of_listed(struct tx *tx, const struct list *l, const struct json *v,
                         const char **ret)
{
    uint8_t bytes[8] = {1};
    char hex[17];
    if ((*ret = json_get_str(v, l->key)))
        return 0;
    if (tx_id(tx, "outlook.seed", bytes + 4, 4) < 0)
        return -1;
    if (strcmp(l->kind, SETTING_RULE) != 0) {
        hex_encode(hex, bytes, sizeof bytes);
        *ret = graph_guid(tx->arena, l->kind, hex);
        return 0;
    }
    *ret = base64_text(tx->arena, NULL, bytes, sizeof bytes);
    return 0;
}

static int seed_listed(struct tx *tx, struct doc *d, const struct mailbox *mb, const struct list *l,
                       const struct json *item)
{
    struct doc_items it;
    if (doc_items(d, item, l->member, &it) < 0)
        return -1;
    for (const struct json *v; (v = doc_item(d, &it)) != NULL;) {
        const char *key;
        if (v->type != JSON_OBJECT)
            return doc_fail(d, v, NULL, "must be an object");
        if (strcmp(l->kind, SETTING_SEARCH) == 0) {
            if (seed_search(tx, d, mb, v) < 0)
                return -1;
            continue;
        }
        if (key_of_listed(tx, l, v, &key) < 0)
            return -1;
        if ((strcmp(l->kind, SETTING_RULE) == 0
                 ? seed_rule(tx, d, mb, key, v)
                 : put_setting(tx, d, v, mb->id, l->kind, key, v)) < 0)
            return -1;
    }
    return 0;
}

static const struct member extra_members[] = {
    OWN_NEEDED("message", "The id of the message"),
    OWN_TYPED("kind", "What it is", "extension, single, multi, mention",
              "{\"enum\":[\"extension\",\"single\",\"multi\",\"mention\",null]}"),
    OWN_NEEDED("name", "Its name"),
    OWN_TYPED("value", "As Graph has it", "object, text or list", "{}"),
};
static const struct form extra_form = FORM("An extension or extended property", extra_members);

/* An extension or a property of a message, which is named by its key. */
static int seed_extra(struct tx *tx, struct doc *d, const struct mailbox *mb, const struct json *v)
{
    static const char *const kinds[] = {"extension", "single", "multi", "mention", NULL};
    const char *message, *name;
    struct kept_value text;
    struct mail_message m;
    uint64_t key = 0;
    int kind;
    if (form_known(&(struct form_in){tx, d, v}, &extra_form) < 0 ||
        doc_str(d, v, "message", true, &message) < 0 || doc_str(d, v, "name", true, &name) < 0 ||
        doc_enum(d, v, "kind", kinds, 0, &kind) < 0)
        return -1;
    const struct json *value = json_get(v, "value");
    if (!value || value->type != JSON_OBJECT)
        return doc_fail(d, v, "value", "must be an object");
    uint8_t bytes[8];
    if (strlen(message) == 16 && hex_decode(bytes, message, sizeof bytes) == 0)
        for (size_t i = 0; i < sizeof bytes; i++)
            key = key << 8 | bytes[i];
    int r = mail_message_get(tx, mb->id, (int64_t)key, &m);
    if (r != 1)
        return r < 0 ? -1 : doc_fail(d, v, "message", "must be the id of a message");
    mail_kept_begin(&text);
    for (uint32_t i = 0; i < value->n; i++)
        json_value(&text.w, value->members[i].key, &value->members[i].value);
    return mail_kept_put(tx, &outlook_extras, m.id, kinds[kind], name, mail_kept_end(tx, &text));
}

static const struct member outlook_members[] = {
    OWN_NEEDED("person", "Who"),
    OWN_TYPED("mailboxSettings", "As Graph has them", "object", OWN_OBJECT),
    OWN("messageRules", "The same", "list"),
    OWN("masterCategories", "The same", "list"),
    OWN("overrides", "The same", "list"),
    OWN("delegates", "Who may read or send for the person", "list"),
    OWN_LIST("properties", "Extensions and extended properties of messages", &extra_form),
    OWN("searchFolders", "Folders that show what they find in others", "list"),
};
const struct form outlook_form = FORM("What a person has set with Microsoft", outlook_members);

int outlook_seed(struct tx *tx, struct doc *d, const struct json *item)
{
    const struct json *settings = json_get(item, "mailboxSettings");
    const char *email;
    struct actor who;
    struct mailbox mb;
    struct doc_items it;
    if (form_known(&(struct form_in){tx, d, item}, &outlook_form) < 0 ||
        doc_str(d, item, "person", true, &email) < 0)
        return -1;
    int r = actor_by_email(tx, email, &who);
    if (r == 1)
        r = mailbox_at(tx, who.id, outlook_vendor.name, &mb);
    if (r != 1)
        return r < 0 ? -1
                     : doc_fail(d, json_get(item, "person"), "person",
                                "\"%.80s\" must have a mailbox with Microsoft", email);
    if (settings && put_setting(tx, d, settings, mb.id, SETTING_MAILBOX, "", settings) < 0)
        return -1;
    for (size_t i = 0; i < SOSIA_LEN(lists); i++)
        if (seed_listed(tx, d, &mb, &lists[i], item) < 0)
            return -1;
    if (doc_items(d, item, "properties", &it) < 0)
        return -1;
    for (const struct json *v; (v = doc_item(d, &it)) != NULL;)
        if (seed_extra(tx, d, &mb, v) < 0)
            return -1;
    return 0;
}

/* ---- writing ---- */

static void write_value(struct json_writer *w, const char *key_member, const char *key,
                        const struct json *v)
{
    json_obj(w, NULL);
    json_str(w, key_member, key);
    for (uint32_t i = 0; i < v->n; i++)
        json_value(w, v->members[i].key, &v->members[i].value);
    json_end(w);
}

static int write_beside(struct tx *tx, struct json_writer *w, int64_t mailbox)
{
    static struct sql_text q = SQL_TEXT(
        "select message, kind, name, value from outlook_extra where message between :first and "
        ":last order by message, kind, name");
    sqlite3_stmt *st =
        TX_QUERY(tx, &q, mail_message_id_at(mailbox, 0), mail_message_id_last(mailbox));
    const char *kind, *name, *text;
    int64_t message;
    int r, n = 0;
    while ((r = TX_TAKE_NEXT(tx, st, &message, &kind, &name, &text)) == 1) {
        struct mail_message m;
        if (mail_message_by_id(tx, message, &m) != 1) {
            sql_done(st);
            return -1;
        }
        if (!n++)
            json_arr(w, "properties");
        json_obj(w, NULL);
        json_str(w, "message", arena_printf(tx->arena, "%016llx", (unsigned long long)m.key));
        json_str(w, "kind", kind);
        json_str(w, "name", name);
        json_raw(w, "value", text, strlen(text));
        json_end(w);
    }
    if (n)
        json_end(w);
    return r;
}

static int write_box(struct tx *tx, struct json_writer *w, const struct mailbox *mb)
{
    struct kept s, *list;
    size_t n;
    json_str(w, "person", mb->email);
    int r = mail_kept_get(tx, &outlook_settings, mb->id, SETTING_MAILBOX, "", &s);
    if (r == 1)
        json_value(w, "mailboxSettings", s.value);
    for (size_t i = 0; i < SOSIA_LEN(lists) && r >= 0; i++) {
        if (mail_kept_list(tx, &outlook_settings, mb->id, lists[i].kind, &list, &n) < 0)
            return -1;
        if (n)
            json_arr(w, lists[i].member);
        for (size_t k = 0; k < n; k++)
            write_value(w, lists[i].key, list[k].key, list[k].value);
        if (n)
            json_end(w);
    }
    return r < 0 ? -1 : write_beside(tx, w, mb->id);
}

/* Has its person set anything, or laid anything beside a message? 1, 0, -1. */
static int is_touched(struct tx *tx, int64_t mailbox)
{
    static struct sql_text q = SQL_TEXT(
        "select exists (select 1 from outlook_setting where mailbox = :mailbox and kind <> "
        "'upload') or exists (select 1 from outlook_extra where message between :first and :last)");
    int64_t is = 0;
    return TX_INT(tx, &q, &is, mailbox, mail_message_id_at(mailbox, 0),
                  mail_message_id_last(mailbox)) < 0
               ? -1
               : is != 0;
}

int outlook_dump(struct tx *tx, struct json_writer *w)
{
    int64_t *ids;
    size_t n, written = 0;
    int r = 0;
    if (mailbox_list(tx, &ids, &n) < 0)
        return -1;
    for (size_t i = 0; i < n && r >= 0; i++) {
        struct mailbox mb;
        if ((r = is_touched(tx, ids[i])) != 1)
            continue;
        if (mailbox_by_id(tx, ids[i], &mb) != 1)
            return -1;
        if (!written++)
            json_arr(w, "outlook");
        json_obj(w, NULL);
        r = write_box(tx, w, &mb);
        json_end(w);
    }
    if (written)
        json_end(w);
    return r < 0 ? -1 : 0;
}

/* ---- entities ---- */

/* The row of a setting: 1, 0, -1. */
static int row_of(struct tx *tx, int64_t rowid, int64_t *ret_mailbox, const char **ret_kind,
                  const char **ret_key, const char **ret_text)
{
    static struct sql_text q =
        SQL_TEXT("select mailbox, kind, key, value from outlook_setting where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r == 1) {
        *ret_mailbox = sqlite3_column_int64(st, 0);
        *ret_kind = tx_string(tx, st, 1);
        *ret_key = tx_string(tx, st, 2);
        *ret_text = tx_string(tx, st, 3);
        sql_done(st);
    }
    return r;
}

static int write_key(struct tx *tx, int64_t mailbox, const char *kind, const char *key,
                     struct json_writer *w)
{
    struct mailbox mb;
    int r = mailbox_by_id(tx, mailbox, &mb);
    if (r == 1)
        json_str(w, "mailbox", mb.email);
    json_str(w, "kind", kind);
    if (*key)
        json_str(w, "id", key);
    return r < 0 ? -1 : 0;
}

int outlook_setting_key(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    const char *kind, *key, *text;
    int64_t mailbox;
    int r = row_of(tx, rowid, &mailbox, &kind, &key, &text);
    return r == 1 ? write_key(tx, mailbox, kind, key, w) : r < 0 ? -1 : 0;
}

int outlook_setting_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    const char *kind, *key, *text;
    int64_t mailbox;
    int r = row_of(tx, rowid, &mailbox, &kind, &key, &text);
    if (r != 1 || strcmp(kind, SETTING_UPLOAD) == 0)
        return r < 0 ? -1 : 0;
    if (write_key(tx, mailbox, kind, key, w) < 0)
        return -1;
    json_raw(w, "value", text, strlen(text));
    return 1;
}

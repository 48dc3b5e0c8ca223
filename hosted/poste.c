/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server for people's mail in a local sandbox: payloads in the form that its tools export and
 * import, {"users": {ADDRESS: {"emails": [...]}}}, and who acts with its tools. Mailboxes are the
 * world's own, so that what is put into them is there for the other servers too.
 */
#include "hosted/impl.h"
#include "services/mail/core/mime/mime.h"
#include <stdlib.h>
#include <strings.h>

const char poste_defaults[] =
    "{\"users\":{\"agent@sandbox.example\":{\"emails\":[{\"email_id\":\"1\",\"subject\":"
    "\"Welcome\","
    "\"from_addr\":\"team@example.com\",\"to_addr\":\"agent@sandbox.example\",\"body_text\":"
    "\"Your mailbox is ready.\",\"is_read\":false,\"folder\":\"INBOX\"}]}}}";

/* Folders that each mailbox has: as the tools name them, as a label, as a folder. */
static const struct {
    const char *name, *label, *folder;
} fixed[] = {{"INBOX", "INBOX", "Inbox"},    {"Sent", "SENT", "Sent Items"},
             {"Drafts", "DRAFT", "Drafts"},  {"Trash", "TRASH", "Deleted Items"},
             {"Spam", "SPAM", "Junk Email"}, {"Archive", NULL, "Archive"}};

/* What a user's messages become. */
struct user {
    const char *person;         /* in small letters */
    bool there;                 /* in the world already */
    bool in_folders;            /* the mailbox has folders and not labels */
    const struct json **emails; /* in the order of their numbers */
    uint32_t n;
    const char *folders; /* that are there, as the tool lists them */
};

/* The place of a folder that each mailbox has; -1: it is its owner's. */
static int fixed_at(const char *name)
{
    for (size_t i = 0; i < SOSIA_LEN(fixed); i++)
        if (strcasecmp(name, fixed[i].name) == 0 || strcasecmp(name, fixed[i].folder) == 0 ||
            (fixed[i].label && strcasecmp(name, fixed[i].label) == 0))
            return (int)i;
    return -1;
}

static const char *folder_of(const struct json *email)
{
    const char *name = filled(email, "folder");
    return name ? name : fixed[0].name;
}

/* ---- payload to seed ---- */

static int64_t number_of(const struct json *email)
{
    const char *text = filled(email, "email_id");
    int64_t n;
    return text && parse_i64(text, strlen(text), &n) == 0 ? n : INT64_MAX;
}

static int by_number(const void *a, const void *b)
{
    const struct json *const *x = a, *const *y = b;
    int64_t i = number_of(*x), k = number_of(*y);
    return i < k ? -1 : i > k ? 1 : *x < *y ? -1 : *x > *y;
}

/* When it was written: as a header says it, or an RFC 3339 time. now_us: without one. */
static int64_t date_of(struct hosted_call *c, const struct place *at, const struct json *email,
                       int64_t now_us)
{
    const char *text = filled(email, "date");
    struct stamp stamp;
    int64_t s;
    if (!text)
        return now_us;
    if (mime_date(text, &s, NULL))
        return s * US_PER_SECOND;
    if (stamp_parse(text, strlen(text), true, &stamp) == 0)
        return stamp.local_us - stamp.offset * US_PER_SECOND;
    fault_value(c, &(struct place){.outer = at, .name = "date"}, json_get(email, "date"),
                "date must be a time such as Mon, 23 Nov 2026 08:00:00 +0000, not \"%.80s\"", text);
    return now_us;
}

static void write_files(struct json_writer *w, const struct json *email)
{
    const struct json *files;
    uint32_t n = items_of(email, "attachments", &files);
    if (!n)
        return;
    json_arr(w, "attachments");
    for (uint32_t i = 0; i < n; i++) {
        const char *content = filled(&files[i], "content");
        json_obj(w, NULL);
        json_str(w, "filename", json_get_str(&files[i], "filename"));
        json_str_opt(w, "type", filled(&files[i], "content_type"));
        json_str(w, "base64", content ? content : "");
        json_end(w);
    }
    json_end(w);
}

/* Where it is, whether it was read, whether it is flagged. */
static void write_place(struct json_writer *w, const struct user *u, const struct json *email)
{
    const char *name = folder_of(email);
    const int place = fixed_at(name);
    const bool flagged = lax_true(json_get(email, "is_important"));
    if (u->in_folders)
        json_str(w, "folder", place < 0 ? name : fixed[place].folder);
    json_arr(w, "labels");
    if (!u->in_folders && (place < 0 || fixed[place].label))
        json_str(w, NULL, place < 0 ? name : fixed[place].label);
    if (!lax_true(json_get(email, "is_read")))
        json_str(w, NULL, u->in_folders ? "unread" : "UNREAD");
    if (flagged && !u->in_folders)
        json_str(w, NULL, "STARRED");
    json_end(w);
    if (flagged && u->in_folders)
        json_str(w, "flag", "flagged");
}

static void write_email(struct hosted_call *c, const struct place *at, const struct user *u,
                        const struct json *email, int64_t now_us, struct json_writer *w)
{
    const char *id = filled(email, "message_id"), *html = filled(email, "body_html"),
               *text = json_get_str(email, "body_text");
    const int64_t at_us = date_of(c, at, email, now_us);
    json_obj(w, NULL);
    json_str(w, "from", json_get_str(email, "from_addr"));
    json_str(w, "to", json_get_str(email, "to_addr"));
    json_str_opt(w, "cc", filled(email, "cc_addr"));
    json_str_opt(w, "bcc", filled(email, "bcc_addr"));
    json_str(w, "subject", json_get_str(email, "subject"));
    json_str_opt(w, "messageId", id);
    if (!html || (text && *text))
        json_str(w, "text", text ? text : "");
    json_str_opt(w, "html", html);
    json_time(w, "date", at_us, JSON_TIME_MS_Z);
    json_time(w, "received", at_us, JSON_TIME_MS_Z);
    write_files(w, email);
    write_place(w, u, email);
    json_end(w);
}

/* Whether the list of a user's folders, "1. NAME (2 total, 1 unread)", has a name. */
static bool has_folder(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; at && *at; at = strchr(at, '\n')) {
        at += *at == '\n';
        const char *dot = strstr(at, ". ");
        if (dot && strncmp(dot + 2, name, n) == 0 && strncmp(dot + 2 + n, " (", 2) == 0)
            return true;
    }
    return false;
}

/* Folders of the user's own that messages are in and the mailbox does not have. */
static int write_folders(struct hosted_call *c, const struct place *at, struct user *u,
                         struct json_writer *w)
{
    struct map seen;
    int rc = 0;
    map_init(&seen);
    json_arr(w, u->in_folders ? "folders" : "labels");
    for (uint32_t i = 0; rc == 0 && i < u->n; i++) {
        const char *name = folder_of(u->emails[i]);
        if (fixed_at(name) >= 0 || map_get(&seen, name))
            continue;
        if (map_set(&seen, name, &seen) < 0)
            rc = sosia_fail_memory(&c->err);
        if (rc == 0 && u->in_folders && strchr(name, '/'))
            fault_value(c, at, json_get(u->emails[i], "folder"),
                        "folder must be one at the top of a mailbox with folders, not \"%.80s\"",
                        name);
        if (has_folder(u->folders, name))
            continue;
        json_obj(w, NULL);
        json_str(w, "name", name);
        json_end(w);
    }
    json_end(w);
    map_done(&seen);
    return rc;
}

/* The folders of one who is in the world. */
static int read_folders(struct hosted_call *c, struct user *u)
{
    const struct json *v;
    const char *token = sandbox_token_of(c, c->sandbox, u->person);
    if (!token ||
        world_post(c, c->sandbox->world, token, "/workspace/v1/email/get_folders", "{}", &v) < 0)
        return -1;
    u->folders = json_get_str(json_get(v, "structuredContent"), "result");
    return 0;
}

static int write_mailbox(struct hosted_call *c, const struct place *at, struct user *u,
                         int64_t *now_us, struct json_writer *w)
{
    const struct place list = {.outer = at, .name = "emails"};
    json_obj(w, NULL);
    json_str(w, "person", u->person);
    if ((u->there && read_folders(c, u) < 0) || write_folders(c, &list, u, w) < 0)
        return -1;
    json_arr(w, "messages");
    for (uint32_t i = 0; i < u->n; i++)
        write_email(c, &(struct place){.outer = &list, .item = i}, u, u->emails[i],
                    *now_us += US_PER_SECOND, w);
    json_end(w);
    json_end(w);
    return 0;
}

/* The people of the world: the answer's list. */
static int read_people(struct hosted_call *c, const struct json **ret)
{
    struct sosia_blob list;
    if (sosia_actor_list(c->h->engine, c->sandbox->world, 0, 0, &list, &c->err) < 0)
        return -1;
    int rc = json_parse(&c->arena, list.data, list.len, NULL, ret, &c->err);
    sosia_blob_free(&list);
    return rc;
}

static const char *person_at(const struct json *people, uint32_t i)
{
    const struct json *p = &people->items[i];
    return str_same(json_get_str(p, "kind"), "person") ? filled(p, "email") : NULL;
}

/* One member of "users": 1, 0 it has faults, -1. */
static int read_user(struct hosted_call *c, const struct place *at, const struct json_member *m,
                     const struct json *people, struct user *ret)
{
    const struct json *emails;
    char *person = arena_strdup(&c->arena, m->key);
    for (char *p = person; p && *p; p++)
        *p += *p >= 'A' && *p <= 'Z' ? 'a' - 'A' : 0;
    if (!person)
        return sosia_fail_memory(&c->err);
    *ret = (struct user){.person = person};
    if (!is_address(m->key))
        fault_value(c, at, NULL, "a user must be an address, not \"%.80s\"", m->key);
    check_model(c, &poste_user, &m->value, at, true);
    if (c->n_faults)
        return 0;
    for (uint32_t i = 0; i < people->n && !ret->there; i++)
        ret->there = str_same(person_at(people, i), person);
    ret->in_folders = strcmp(person, c->sandbox->person) == 0 && local_has_folders(c, c->sandbox);
    ret->n = items_of(&m->value, "emails", &emails);
    ret->emails = arena_calloc(&c->arena, ret->n + 1, sizeof(*ret->emails));
    if (!ret->emails)
        return sosia_fail_memory(&c->err);
    for (uint32_t i = 0; i < ret->n; i++)
        ret->emails[i] = &emails[i];
    qsort(ret->emails, ret->n, sizeof(*ret->emails), by_number);
    return 1;
}

int payload_to_poste(struct hosted_call *c, const struct json *data, struct json_writer *w)
{
    const struct place body = {.name = "body"}, all = {.outer = &body, .name = "users"};
    const struct json *users = json_get(data, "users"), *people;
    uint32_t n = users && users->type == JSON_OBJECT ? users->n : 0, emails = 0;
    struct user *list = arena_calloc(&c->arena, n + 1, sizeof *list);
    int64_t now;
    if (!list)
        return sosia_fail_memory(&c->err);
    if (world_time(c, &now) < 0 || read_people(c, &people) < 0)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        const struct place at = {.outer = &all, .name = users->members[i].key};
        if (read_user(c, &at, &users->members[i], people, &list[i]) < 0)
            return -1;
        emails += list[i].n;
    }
    if (c->n_faults)
        return 0;
    now -= (int64_t)emails * US_PER_SECOND;
    json_arr(w, "people");
    for (uint32_t i = 0; i < n; i++) {
        if (list[i].there)
            continue;
        json_obj(w, NULL);
        json_str(w, "email", list[i].person);
        json_end(w);
    }
    json_end(w);
    json_arr(w, "mailboxes");
    for (uint32_t i = 0; i < n; i++) {
        const struct place at = {.outer = &all, .name = users->members[i].key};
        if (write_mailbox(c, &at, &list[i], &now, w) < 0)
            return -1;
    }
    json_end(w);
    count_made(c, "users", n);
    count_made(c, "emails", emails);
    return 0;
}

/* ---- state to payload ---- */

/* What the tool says of the file that it wrote: "... emails to PATH", on the first line. In the
 * arena; NULL: there was nothing to write. */
static const char *path_in(struct hosted_call *c, const struct json *result)
{
    static const char words[] = " emails to /data/";
    const char *text = json_get_str(json_get(result, "structuredContent"), "result"),
               *at = text ? strstr(text, words) : NULL;
    if (!at)
        return NULL;
    at += sizeof words - 1;
    return arena_memdup(&c->arena, at, strcspn(at, "\n"));
}

/* A user's messages as the tool exports them, from a fork in which it may write its file. */
static int dump_user(struct hosted_call *c, uint64_t fork, const char *person,
                     struct json_writer *w)
{
    const struct sosia_token_options opt = {.actor = person};
    const struct json_limits limits = {.max_size = UINT32_MAX};
    const struct json *result, *v = NULL, *emails = NULL;
    char token[SOSIA_TOKEN_MAX];
    const char *path, *text;
    size_t len;
    if (sosia_token_issue(c->h->engine, fork, &opt, token, sizeof token, &c->err) < 0 ||
        world_post(c, fork, token, "/workspace/v1/email/export_emails",
                   "{\"export_all_folders\":true}", &result) < 0)
        return -1;
    if ((path = path_in(c, result)) && (archive_file(c, fork, path, &text, &len) < 0 ||
                                        json_parse(&c->arena, text, len, &limits, &v, &c->err) < 0))
        return -1;
    uint32_t n = items_of(v, "emails", &emails);
    json_obj(w, person);
    json_arr(w, "emails");
    for (uint32_t i = 0; i < n; i++)
        json_value(w, NULL, &emails[i]);
    json_end(w);
    json_end(w);
    return 0;
}

int payload_of_poste(struct hosted_call *c, struct json_writer *w)
{
    const struct json *people;
    uint64_t fork;
    int rc = 0;
    if (read_people(c, &people) < 0 || archive_fork(c, c->sandbox->world, &fork) < 0)
        return -1;
    json_obj(w, "users");
    for (uint32_t i = 0; rc == 0 && i < people->n; i++)
        if (person_at(people, i))
            rc = dump_user(c, fork, person_at(people, i), w);
    json_end(w);
    sosia_world_drop(c->h->engine, fork, NULL);
    return rc;
}

/* ---- who acts ---- */

const char *poste_token(struct hosted_call *c, const char *config, const char **ret_why)
{
    const struct json *v = NULL;
    struct sosia_err err = {0};
    uint8_t *text;
    size_t len;
    if (!config)
        return sandbox_token(c, c->sandbox);
    if (base64_decode(&c->arena, config, strlen(config), &text, &len) == 0 &&
        json_parse(&c->arena, (const char *)text, len, NULL, &v, &err) < 0)
        v = NULL;
    const char *email = filled(v, "email");
    if (!email) {
        *ret_why = "x-email-config must be the base64 of an object with email";
        return NULL;
    }
    const char *token = sandbox_token_of(c, c->sandbox, email);
    if (!token && c->err.code == SOSIA_E_NOT_FOUND) {
        *ret_why = arena_printf(&c->arena, "IMAP login failed: %.254s has no mailbox here", email);
        c->err = (struct sosia_err){0};
    }
    return token;
}

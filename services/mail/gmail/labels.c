/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Labels. Names are compared without case, and with spaces, slashes and the like as dashes, as
 * queries write them. Colours come from a palette.
 */
#include "services/mail/gmail/rows.h"
#include "engine/base/codec.h"
#include <strings.h>

#define MAX_NAME 225 /* characters */

static const char *const palette[] = {
    "#000000", "#434343", "#666666", "#999999", "#cccccc", "#efefef", "#f3f3f3", "#ffffff",
    "#fb4c2f", "#ffad47", "#fad165", "#16a766", "#43d692", "#4a86e8", "#a479e2", "#f691b3",
    "#f6c5be", "#ffe6c7", "#fef1d1", "#b9e4d0", "#c6f3de", "#c9daf8", "#e4d7f5", "#fcdee8",
    "#efa093", "#ffd6a2", "#fce8b3", "#89d3b2", "#a0eac9", "#a4c2f4", "#d0bcf1", "#fbc8d9",
    "#e66550", "#ffbc6b", "#fcda83", "#44b984", "#68dfa9", "#6d9eeb", "#b694e8", "#f7a7c0",
    "#cc3a21", "#eaa041", "#f2c960", "#149e60", "#3dc789", "#3c78d8", "#8e63ce", "#e07798",
    "#ac2b16", "#cf8933", "#d5ae49", "#0b804b", "#2a9c68", "#285bac", "#653e9b", "#b65775",
    "#822111", "#a46a21", "#aa8831", "#076239", "#1a764d", "#1c4587", "#41236d", "#83334c",
    "#464646", "#e7e7e7", "#0d3472", "#b6cff5", "#0d3b44", "#98d7e4", "#3d188e", "#e3d7ff",
    "#711a36", "#fbd3e0", "#8a1c0a", "#f2b2a8", "#7a2e0b", "#ffc8af", "#7a4706", "#ffdeb5",
    "#594c05", "#fbe983", "#684e07", "#fdedc1", "#0b4f30", "#b3efd3", "#04502e", "#a2dcc1",
    "#c2c2c2", "#4986e7", "#2da2bb", "#b99aff", "#994a64", "#f691b2", "#ff7537", "#ffad46",
    "#662e37", "#ebdbde", "#cca6ac", "#094228", "#42d692", "#16a765",
};

/* Reserved names, besides those of the system's labels. */
static const char *const reserved[] = {
    "allmail",  "archive", "archived",  "arxiv", "bin",   "buzz",      "chats", "drafts",
    "migrated", "muted",   "scheduled", "todo",  "todos", "voicemail", NULL,
};

/* ---- writing ---- */

static const char *const list_views[] = {"labelShow", "labelShowIfUnread", "labelHide", NULL};
static const char *const message_views[] = {"show", "hide", NULL};

/* The system's labels in the order of lists. */
static const enum gmail_system_label role_order[N_SYSTEM_LABELS] = {
    LABEL_CHAT,       LABEL_SENT,   LABEL_INBOX,   LABEL_IMPORTANT, LABEL_TRASH,
    LABEL_DRAFT,      LABEL_SPAM,   LABEL_FORUMS,  LABEL_UPDATES,   LABEL_PERSONAL,
    LABEL_PROMOTIONS, LABEL_SOCIAL, LABEL_STARRED, LABEL_UNREAD,
};

/* These say nothing of how they are shown: always. */
static bool is_always_shown(const struct gmail_label *l)
{
    const uint32_t roles = FLAG(LABEL_SENT) | FLAG(LABEL_INBOX) | FLAG(LABEL_DRAFT) |
                           FLAG(LABEL_STARRED) | FLAG(LABEL_UNREAD);
    return mail_folder_is_fixed(l->folder.id) && (roles & FLAG(mail_folder_place(l->folder.id)));
}

enum label_form { BARE, LISTED, COUNTED };

static void write_label(struct call *c, const struct gmail_label *l, enum label_form form)
{
    struct json_writer *w = c->out;
    json_obj(w, NULL);
    json_str(w, "id", gmail_label_id(c->tx.arena, l->folder.id));
    json_str(w, "name", l->folder.name);
    if (!is_always_shown(l)) {
        json_str(w, "messageListVisibility", message_views[l->message_hidden]);
        json_str(w, "labelListVisibility", list_views[l->list_view]);
    }
    if (form != BARE)
        json_str(w, "type", mail_folder_is_fixed(l->folder.id) ? "system" : "user");
    if (form == COUNTED) {
        json_int(w, "messagesTotal", l->folder.messages);
        json_int(w, "messagesUnread", l->folder.unread);
        json_int(w, "threadsTotal", l->folder.threads);
        json_int(w, "threadsUnread", l->folder.unread_threads);
    }
    if (l->background) {
        json_obj(w, "color");
        json_str(w, "textColor", l->color);
        json_str(w, "backgroundColor", l->background);
        json_end(w);
    }
    json_end(w);
}

/* The label that the parameter id names. */
static int find(struct call *c, struct mailbox *mb, struct gmail_label *ret)
{
    if (gmail_open(c, mb) < 0)
        return -1;
    int r = gmail_label_find(c, mb, param_str(c, "id"), ret);
    return r == 1 ? 0 : r < 0 ? -1 : gmail_not_found(c);
}

static int gmail_labels_get(struct call *c)
{
    struct mailbox mb;
    struct gmail_label l;
    if (find(c, &mb, &l) < 0)
        return -1;
    write_label(c, &l, COUNTED);
    return 0;
}

static int gmail_labels_list(struct call *c)
{
    struct mailbox mb;
    struct gmail_label *all;
    size_t n;
    if (gmail_open(c, &mb) < 0 || gmail_labels_of(&c->tx, mb.id, &all, &n) < 0)
        return -1;
    json_obj(c->out, NULL);
    json_arr(c->out, "labels");
    for (int r = 0; r < N_SYSTEM_LABELS; r++)
        for (size_t i = 0; i < n && mail_folder_is_fixed(all[i].folder.id); i++)
            if (mail_folder_place(all[i].folder.id) == (int64_t)role_order[r])
                write_label(c, &all[i], LISTED);
    for (size_t i = 0; i < n; i++)
        if (!mail_folder_is_fixed(all[i].folder.id))
            write_label(c, &all[i], LISTED);
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- names ---- */

static bool is_reserved(const char *name)
{
    for (int i = 0; i < N_SYSTEM_LABELS; i++)
        if (str_eq_nocase(label_words[i], name))
            return true;
    for (size_t i = 0; reserved[i]; i++)
        if (str_eq_nocase(reserved[i], name))
            return true;
    return false;
}

static size_t characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static bool is_name(const char *name)
{
    size_t n = strlen(name);
    if (!n || characters(name) > MAX_NAME || name[0] == ' ' || name[n - 1] == ' ' ||
        name[0] == '/' || name[n - 1] == '/' || strstr(name, "//") || name[0] == '^')
        return false;
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            return false;
    return !is_reserved(name);
}

static int exists(struct call *c)
{
    return call_fail(c, SOSIA_E_CONFLICT, "aborted", NULL, "Label name exists or conflicts");
}

/* May the label have this name? */
static int check_name(struct call *c, const struct gmail_label *l)
{
    if (!is_name(l->folder.name))
        return gmail_invalid(c, "Invalid label name");
    int taken = gmail_label_taken(&c->tx, l);
    return taken == 1 ? exists(c) : taken;
}

/* A failure of the core about labels. */
static int refused(struct call *c)
{
    switch (c->tx.err->code) {
    case SOSIA_E_CONFLICT:
        return exists(c);
    case SOSIA_E_INVALID:
        return gmail_invalid(c, "Invalid label name");
    case SOSIA_E_FULL:
        return gmail_invalid(c, "Too many labels: a mailbox may have %d", FOLDERS_MAX);
    default:
        return -1;
    }
}

/* ---- reading ---- */

static const char *palette_color(const char *text)
{
    for (size_t i = 0; i < SOSIA_LEN(palette); i++)
        if (str_eq_nocase(palette[i], text))
            return palette[i];
    return NULL;
}

static int read_color(struct call *c, struct gmail_label *l)
{
    const struct json *color = json_get(call_body(c), "color");
    const char *text, *background;
    if (!color || color->type != JSON_OBJECT)
        return 0;
    text = json_get_str(color, "textColor");
    background = json_get_str(color, "backgroundColor");
    if (!text || !background)
        return gmail_invalid(c, "Both text and background color must be set");
    l->color = palette_color(text);
    l->background = palette_color(background);
    if (!l->background || !l->color)
        return gmail_invalid(c, "Label color %.50s is not on the allowed color palette",
                             l->background ? text : background);
    return 0;
}

static int index_of(const char *const *list, const char *text, int otherwise)
{
    for (int i = 0; text && list[i]; i++)
        if (strcmp(list[i], text) == 0)
            return i;
    return otherwise;
}

/* Applies the body to a label. */
static int read_label(struct call *c, struct gmail_label *l)
{
    const char *name = json_get_str(call_body(c), "name");
    if (name)
        l->folder.name = name;
    l->list_view = (enum gmail_list_view)index_of(
        list_views, json_get_str(call_body(c), "labelListVisibility"), (int)l->list_view);
    l->message_hidden = index_of(message_views, json_get_str(call_body(c), "messageListVisibility"),
                                 l->message_hidden);
    return read_color(c, l);
}

static int gmail_labels_create(struct call *c)
{
    struct mailbox mb;
    struct gmail_label l = {.folder.name = ""};
    if (gmail_open(c, &mb) < 0)
        return -1;
    l.folder.mailbox = mb.id;
    if (read_label(c, &l) < 0 || check_name(c, &l) < 0)
        return -1;
    if (gmail_label_add(&c->tx, &l) < 0)
        return refused(c);
    write_label(c, &l, BARE);
    return 0;
}

/* ---- changing ---- */

static int save(struct call *c, const struct gmail_label *old, struct gmail_label *l)
{
    if (mail_folder_is_fixed(old->folder.id) &&
        (strcmp(l->folder.name, old->folder.name) != 0 || l->background))
        return gmail_invalid(c, "Invalid label update request: system labels keep their names");
    /* A name that it has already may be one that nobody could give it, such as a document's. */
    if (strcmp(l->folder.name, old->folder.name) != 0 && check_name(c, l) < 0)
        return -1;
    if (gmail_label_save(&c->tx, old, l) < 0)
        return refused(c);
    write_label(c, l, COUNTED);
    return 0;
}

static int gmail_labels_patch(struct call *c)
{
    struct mailbox mb;
    struct gmail_label old, l;
    if (find(c, &mb, &old) < 0)
        return -1;
    l = old;
    const struct json *color = json_get(call_body(c), "color");
    if (color && color->type == JSON_NULL)
        l.color = l.background = NULL;
    return read_label(c, &l) < 0 ? -1 : save(c, &old, &l);
}

static int gmail_labels_update(struct call *c)
{
    struct mailbox mb;
    struct gmail_label old, l;
    if (find(c, &mb, &old) < 0)
        return -1;
    l = old;
    l.color = l.background = NULL;
    if (!mail_folder_is_fixed(old.folder.id)) {
        l.folder.name = "";
        l.list_view = LIST_SHOW;
        l.message_hidden = false;
    }
    return read_label(c, &l) < 0 ? -1 : save(c, &old, &l);
}

static int gmail_labels_delete(struct call *c)
{
    struct mailbox mb;
    struct gmail_label l;
    if (find(c, &mb, &l) < 0)
        return -1;
    if (mail_folder_is_fixed(l.folder.id))
        return gmail_invalid(c, "Invalid delete request");
    if (mail_folder_delete(&c->tx, &l.folder) < 0)
        return refused(c);
    c->status = 204;
    return 0;
}

/* ---- the methods ---- */

static const struct route routes[] = {
    {ROUTE("gmail.users.labels.create", POST, "/gmail/v1/users/{userId}/labels"), .cost = 5,
     .handler = gmail_labels_create, .risk = RISK_WRITE, .body = BODY_JSON,
     .scopes = MAIL " " LABELS " " MODIFY, PARAMS(gmail_user_params), .request = "Label",
     .response = "Label", .summary = "Creates a label"},
    {ROUTE("gmail.users.labels.delete", DELETE, "/gmail/v1/users/{userId}/labels/{id}"), .cost = 5,
     .handler = gmail_labels_delete, .risk = RISK_DESTRUCTIVE, .idempotent = true,
     .scopes = MAIL " " LABELS " " MODIFY, PARAMS(gmail_id_params),
     .summary = "Deletes a label and takes it from all messages"},
    {ROUTE("gmail.users.labels.get", GET, "/gmail/v1/users/{userId}/labels/{id}"),
     .handler = gmail_labels_get, .risk = RISK_READ,
     .scopes = MAIL " " LABELS " " METADATA " " MODIFY " " READONLY, PARAMS(gmail_id_params),
     .response = "Label", .summary = "A label with its counts"},
    {ROUTE("gmail.users.labels.list", GET, "/gmail/v1/users/{userId}/labels"),
     .handler = gmail_labels_list, .risk = RISK_READ,
     .scopes = MAIL " " LABELS " " METADATA " " MODIFY " " READONLY, PARAMS(gmail_user_params),
     .response = "ListLabelsResponse", .summary = "Lists labels"},
    {ROUTE("gmail.users.labels.patch", PATCH, "/gmail/v1/users/{userId}/labels/{id}"), .cost = 5,
     .handler = gmail_labels_patch, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = MAIL " " LABELS " " MODIFY, PARAMS(gmail_id_params), .request = "Label",
     .response = "Label", .summary = "Changes a label"},
    {ROUTE("gmail.users.labels.update", PUT, "/gmail/v1/users/{userId}/labels/{id}"), .cost = 5,
     .handler = gmail_labels_update, .risk = RISK_WRITE, .idempotent = true, .body = BODY_JSON,
     .scopes = MAIL " " LABELS " " MODIFY, PARAMS(gmail_id_params), .request = "Label",
     .response = "Label", .summary = "Replaces a label"},
};
const struct rows gmail_labels_rows = ROWS(routes);

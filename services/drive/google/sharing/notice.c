/* SPDX-License-Identifier: Apache-2.0 */
/* The letter that notifies a person that a file is shared with them. */
#include "services/drive/google/sharing/access.h"

/* What a file is called in a letter, and where it is. */
static const struct kind {
    const char *mime, *word, *product, *link;
} kinds[] = {
    {"document", "document", "Google Docs",
     "https://docs.google.com/document/d/%s/edit?usp=sharing"},
    {"spreadsheet", "spreadsheet", "Google Sheets",
     "https://docs.google.com/spreadsheets/d/%s/edit?usp=sharing"},
    {"presentation", "presentation", "Google Slides",
     "https://docs.google.com/presentation/d/%s/edit?usp=sharing"},
    {"form", "form", "Google Forms", "https://docs.google.com/forms/d/%s/edit?usp=sharing"},
    {"drawing", "drawing", "Google Drawings",
     "https://docs.google.com/drawings/d/%s/edit?usp=sharing"},
    {"folder", "folder", "Google Drive", "https://drive.google.com/drive/folders/%s?usp=sharing"},
    {NULL, "item", "Google Drive", "https://drive.google.com/file/d/%s/view?usp=sharing"},
};

static const struct kind *kind_of(const struct drive_item *it)
{
    const struct kind *k = kinds;
    while (k->mime && strcmp(k->mime, it->mime) != 0)
        k++;
    return k;
}

/* The one %s of a link. */
static const char *link_of(struct arena *a, const struct kind *k, const char *key)
{
    const char *at = strstr(k->link, "%s");
    return arena_printf(a, "%.*s%s%s", (int)(at - k->link), k->link, key, at + 2);
}

static const char *invited_to(enum drive_role role)
{
    switch (role) {
    case ROLE_READER:
        return "view";
    case ROLE_COMMENTER:
        return "comment on";
    case ROLE_FILE_ORGANIZER:
    case ROLE_ORGANIZER:
        return "manage";
    case ROLE_OWNER:
        return "own";
    default:
        return "edit";
    }
}

static const char *word_of(const struct drive_item *it)
{
    return it->top == DRIVE_SHARED ? "shared drive" : kind_of(it)->word;
}

const char *gdrive_shared_subject(struct arena *a, const struct drive_item *it)
{
    char *title = arena_strdup(a, word_of(it));
    title[0] = (char)(title[0] - 'a' + 'A');
    return arena_printf(a, "%s shared with you: \"%s\"", title, it->name);
}

int gdrive_notify_shared(struct gdrive_subject *s, const char *to, enum drive_role role,
                         const char *message)
{
    struct call *c = s->view.c;
    struct arena *a = c->tx.arena;
    const struct kind *k = kind_of(&s->item);
    const char *word = word_of(&s->item);
    const char *link = link_of(a, k, s->item.key);
    bool said = message && *message;
    struct letter l = {
        .from = GDRIVE_SHARES,
        .from_name = arena_printf(a, "%s (via %s)", c->actor.name, k->product),
        .to = to,
        .subject = gdrive_shared_subject(a, &s->item),
        .text = arena_printf(a, "%s (%s) has invited you to %s the following %s:\n\n%s\n%s\n%s%s%s",
                             c->actor.name, c->actor.email, invited_to(role), word, s->item.name,
                             link, said ? "\n" : "", said ? message : "", said ? "\n" : ""),
    };
    return letter_send(&c->tx, &l);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a person exported with Google Takeout: mail as mbox, calendars as iCalendar, contacts as
 * vCards, the files of the drive, conversations. Folders have names in the person's language, so
 * that what is in one is known by its ending; those of the drive and of conversations are known by
 * their names. */
#include "engine/base/codec.h"
#include "services/calendar/core/vendor.h"
#include "services/workspace/core/workspace.h"
#include "transfer/calendar.h"
#include "transfer/drive.h"
#include "transfer/gchat.h"
#include "transfer/mail.h"
#include "transfer/people.h"

/* Behind "Takeout/Drive/", or the same without the first of these; NULL: it is not in the drive. */
static const char *in_drive(const char *path)
{
    path += str_starts(path, "Takeout/") ? 8 : 0;
    return str_starts(path, "Drive/") ? path + 6 : NULL;
}

static bool is_drive(const char *path)
{
    return in_drive(path) != NULL;
}

static bool is_mail(const char *path)
{
    return !in_drive(path) && transfer_ends(path, ".mbox");
}

static bool is_calendar(const char *path)
{
    return !in_drive(path) && transfer_ends(path, ".ics");
}

static bool is_contacts(const char *path)
{
    return !in_drive(path) && transfer_ends(path, ".vcf");
}

/* What has people. */
static bool is_people(const char *path)
{
    return is_contacts(path) || transfer_is_chat(path);
}

static bool is_other(const char *path)
{
    return !in_drive(path) && !is_mail(path) && !is_calendar(path) && !is_people(path);
}

static int count(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    (void)in;
    (void)e;
    ++*(int64_t *)arg;
    return 0;
}

/* The file in the place of the archive. */
static struct transfer_in inner(const struct transfer_in *in, const struct transfer_entry *e)
{
    struct transfer_in file = *in;
    file.name = e->path;
    file.data = e->data;
    file.len = e->len;
    return file;
}

/* ---- its parts ---- */

static int take_mail(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    struct transfer_in file = inner(in, e);
    return transfer_mbox(arg, &file);
}

static int read_mail(struct transfer_in *in)
{
    struct mail_in m;
    if (transfer_mail_begin(in, &m) < 0)
        return -1;
    json_arr(in->w, "mailboxes");
    json_obj(in->w, NULL);
    json_str(in->w, "person", in->t->person);
    json_str_opt(in->w, "vendor", in->t->vendor);
    json_arr(in->w, "messages");
    int rc = transfer_each(in, is_mail, take_mail, &m);
    json_end(in->w);
    transfer_mail_end(&m);
    json_end(in->w);
    json_end(in->w);
    return rc;
}

/* A calendar that has the person's address for a name is the primary one; others are new. */
static int take_calendar(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    const struct calendar *main = arg;
    struct transfer_in file = inner(in, e);
    struct calendar cal = *main;
    const char *name = workspace_name(e->path);
    struct ical ical;
    if (transfer_ical_parse(&file, main->tz, &ical) < 0)
        return -1;
    name = arena_memdup(in->tx->arena, name, strlen(name) - 4);
    bool primary = str_eq_nocase(name, in->t->person) ||
                   (ical.name && str_eq_nocase(ical.name, in->t->person));
    json_obj(in->w, NULL);
    json_str(in->w, "owner", in->t->person);
    json_str_opt(in->w, "vendor", in->t->vendor);
    if (primary) {
        json_bool(in->w, "primary", true);
    } else {
        json_str(in->w, "summary", ical.name ? ical.name : name);
        cal.id = 0;
        cal.address = "";
    }
    int rc = transfer_ical(&file, &cal, &ical);
    json_end(in->w);
    return rc;
}

static int read_calendars(struct transfer_in *in)
{
    struct calendar main;
    struct actor who;
    if (transfer_person(in->tx, in->t, &who) < 0)
        return -1;
    int r = calendar_of(in->tx, who.id, &main);
    if (r != 1)
        return r < 0 ? -1
                     : tx_fail(in->tx, SOSIA_E_INVALID, "transfer", "person",
                               "person must have a calendar, %.80s has none", in->t->person);
    json_arr(in->w, "calendars");
    int rc = transfer_each(in, is_calendar, take_calendar, &main);
    json_end(in->w);
    return rc;
}

static int take_contacts(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    struct transfer_in file = inner(in, e);
    return transfer_vcards(arg, &file);
}

/* Contacts, and who is in conversations, with what was said there. */
static int read_people(struct transfer_in *in)
{
    struct people_in p = {.in = in};
    struct chat_in c = {.people = NULL};
    int64_t chat = 0;
    json_arr(in->w, "people");
    int rc = transfer_each(in, is_contacts, take_contacts, &p);
    if (rc == 0 && (rc = transfer_each(in, transfer_is_chat, count, &chat)) == 0 && chat)
        rc = transfer_chat_people(&c, &p);
    json_end(in->w);
    if (rc == 0 && chat)
        rc = transfer_chat(&c);
    transfer_chat_end(&c);
    map_done(&p.seen);
    return rc;
}

static int take_drive(struct transfer_in *in, const struct transfer_entry *e, void *arg)
{
    struct transfer_entry file = *e;
    (void)in;
    file.path = in_drive(e->path);
    return transfer_drive_file(arg, &file);
}

static int read_files(struct transfer_in *in)
{
    struct drive_in d;
    if (transfer_drive_begin(in, &d) < 0)
        return -1;
    json_arr(in->w, "files");
    int rc = transfer_each(in, is_drive, take_drive, &d);
    json_end(in->w);
    transfer_drive_end(&d);
    return rc;
}

/* ---- the whole ---- */

int read_takeout(struct transfer_in *in)
{
    static const struct {
        bool (*wanted)(const char *path);
        int (*read)(struct transfer_in *in);
    } parts[] = {{is_mail, read_mail},
                 {is_calendar, read_calendars},
                 {is_people, read_people},
                 {is_drive, read_files}};
    int64_t others = 0, known = 0;
    if (transfer_unpack(in, "") < 0)
        return -1;
    *in->done = (struct transfer_done){.n = {0}};
    if (transfer_each(in, is_other, count, &others) < 0)
        return -1;
    in->done->n[TRANSFER_SKIPPED] = others;
    for (size_t i = 0; i < SOSIA_LEN(parts); i++) {
        int64_t n = 0;
        if (transfer_each(in, parts[i].wanted, count, &n) < 0 || (n && parts[i].read(in) < 0))
            return -1;
        known += n;
    }
    return known ? 0
                 : transfer_fail(in, 0,
                                 "must have files of mail (.mbox), calendars (.ics), contacts "
                                 "(.vcf), a folder Drive or Google Chat, as an export by Google "
                                 "Takeout does, has none of them");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds as files, and files of other programs in and out of worlds. */
#include "transfer/transfer.h"
#include "cli/cli.h"
#include "engine/base/codec.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- what both directions have ---- */

struct file_options {
    struct client c;
    const char *format, *person, *vendor, *place, *name;
    bool secrets;
};
#define FILE_OPTIONS(o)                                                                            \
    {"format", "FORMAT", "of another program's file, one of those below", .text = &(o).format},    \
        {"person", "ADDRESS", "with --format: whose mail, calendar or drive",                      \
         .text = &(o).person},                                                                     \
        {"vendor", "NAME", "with --format: of a person with accounts of several",                  \
         .text = &(o).vendor},                                                                     \
        {"place", "PLACE", "with --format: a label, a calendar's or folder's id, a directory",     \
         .text = &(o).place},                                                                      \
        WORLD_OPTION(&(o).c), CLIENT_OPTIONS(&(o).c)

/* Formats go one way or both. -1: a message was printed. */
static int check_format(const struct command *self, const struct file_options *o, bool out)
{
    for (const struct transfer_format *f = transfer_formats; f->name; f++)
        if (strcmp(f->name, o->format) == 0 && (out ? f->write != NULL : f->read != NULL))
            return 0;
    fprintf(stderr, "sosia %s: --format must be one of", self->name);
    for (const struct transfer_format *f = transfer_formats; f->name; f++)
        if (out ? f->write != NULL : f->read != NULL)
            fprintf(stderr, " %s", f->name);
    fprintf(stderr, ", not \"%.40s\"\n", o->format);
    return -1;
}

static void add_query(struct buf *path, const char *name, const char *value)
{
    if (!value)
        return;
    buf_printf(path, "%s%s=", strchr(buf_str(path), '?') ? "&" : "?", name);
    percent_add(path, value, strlen(value));
}

/* "/worlds/NAME/transfer?format=..." */
static int transfer_path(struct buf *path, const struct file_options *o)
{
    if (client_world_path(path, &o->c) < 0)
        return -1;
    buf_puts(path, "/transfer");
    add_query(path, "format", o->format);
    add_query(path, "person", o->person);
    add_query(path, "vendor", o->vendor);
    add_query(path, "place", o->place);
    return 0;
}

/* What goes with a format alone. -1: a message was printed. */
static int check_plain(const struct command *self, const struct file_options *o)
{
    if (!o->person && !o->vendor && !o->place)
        return 0;
    usage(self, "--person, --vendor and --place must be given with --format, which is missing");
    return -1;
}

/* ---- export ---- */

static int run_export(const struct command *self, int argc, char **argv)
{
    struct file_options o = {.secrets = false};
    const struct option_row rows[] = {
        {"secrets", NULL, "with the secret that codes, tokens and links of the world come from",
         .flag = &o.secrets},
        FILE_OPTIONS(o)};
    struct buf path, image;
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n != 1 && n != 2)
        return usage(self, "the arguments must be a world, if it is named, and a file");
    if (client_world(&o.c, self, n == 2 ? argv[1] : NULL) < 0 ||
        (o.format ? check_format(self, &o, true) : check_plain(self, &o)) < 0)
        return EXIT_USAGE;
    int rc = EXIT_USAGE;
    buf_init(&path, 0);
    buf_init(&image, 0);
    if (o.format ? transfer_path(&path, &o) == 0 : client_world_path(&path, &o.c) == 0) {
        if (!o.format)
            buf_puts(&path, o.secrets ? "/export?secrets=true" : "/export");
        rc = client_call(&o.c, "GET", buf_str(&path), NULL, 0, &image);
    }
    if (rc == 0 && write_file(argv[n], &image) < 0)
        rc = EXIT_REFUSED;
    buf_done(&path);
    buf_done(&image);
    client_close(&o.c);
    return rc;
}

const struct command export_command = {
    "export", "[WORLD] FILE", "write a world as a plain SQLite file, or a part of it for others",
    "FILE - is standard output. With --format it is a file that other programs read: mbox (a "
    "mailbox), ics (a calendar), vcf and csv (people), drive and workspace (a .tar.gz). Example:\n"
    "  sosia export office office.db\n"
    "  sosia export office ada.mbox --format mbox --person ada@acme.example",
    run_export};

/* ---- import ---- */

/* "12 messages, 3 skipped". */
static void show_done(const struct json *answer)
{
    bool any = false;
    for (size_t i = 0; transfer_nouns[i]; i++) {
        long long n = json_get_int(answer, transfer_nouns[i], 0);
        if (n)
            printf("%s%lld %s", any ? ", " : "", n, transfer_nouns[i]);
        any |= n > 0;
    }
    puts(any ? "" : "nothing was in it");
}

/* A directory comes as an archive of what is in it. */
static int read_source(const char *file, struct buf *ret)
{
    struct stat st;
    if (strcmp(file, "-") != 0 && stat(file, &st) == 0 && S_ISDIR(st.st_mode))
        return pack_path(file, ".", ret);
    return read_file(file, ret);
}

static int import_file(struct file_options *o, const char *file)
{
    struct buf path, content;
    char name[DOCUMENT_NAME_MAX + 1];
    int rc = EXIT_REFUSED;
    buf_init(&path, 0);
    buf_init(&content, 0);
    if (transfer_path(&path, o) < 0) {
        rc = EXIT_USAGE;
    } else if (read_source(file, &content) == 0 && some_content(&content, file, "a file")) {
        add_query(&path, "name", document_name(file, name));
        rc = client_show(&o->c, "POST", buf_str(&path), &content, show_done);
    }
    buf_done(&path);
    buf_done(&content);
    client_close(&o->c);
    return rc;
}

static int import_world(struct file_options *o, const char *file)
{
    struct buf path, image;
    int rc = EXIT_REFUSED;
    buf_init(&path, 0);
    buf_init(&image, 0);
    buf_puts(&path, o->secrets ? "/worlds/import?secrets=true" : "/worlds/import");
    add_query(&path, "name", o->name);
    if (read_file(file, &image) == 0 && some_content(&image, file, "an exported world"))
        rc = client_show(&o->c, "POST", buf_str(&path), &image, show_made);
    buf_done(&path);
    buf_done(&image);
    client_close(&o->c);
    return rc;
}

static int run_import(const struct command *self, int argc, char **argv)
{
    struct file_options o = {.secrets = false};
    const struct option_row rows[] = {{"name", "NAME", "of the world", .text = &o.name},
                                      {"secrets", NULL,
                                       "with the file's secret, if it has one (default: a new one)",
                                       .flag = &o.secrets},
                                      FILE_OPTIONS(o)};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (o.format && (n == 1 || n == 2)) {
        if (o.name || o.secrets)
            return usage(self, "--name and --secrets must be given without --format, not with it");
        return client_world(&o.c, self, n == 2 ? argv[1] : NULL) < 0 ||
                       check_format(self, &o, false) < 0
                   ? EXIT_USAGE
                   : import_file(&o, argv[n]);
    }
    if (n != 1)
        return usage(self, "the argument must be one file");
    if (o.c.world)
        return usage(self, "--world must be given with --format, which is missing");
    return check_plain(self, &o) < 0 ? EXIT_USAGE : import_world(&o, argv[1]);
}

const struct command import_command = {
    "import", "[WORLD] FILE",
    "make a world of a file that export wrote, or add what another program's file has",
    "Without --format the file is one that export wrote, and the new world's key is printed. With "
    "it the file comes into a world, all of it or nothing: mbox, maildir and eml (mail), ics (a "
    "calendar), vcf and csv (people), drive and workspace (a zip, a tar file or a directory); "
    "others are exports of services, which an unknown FORMAT lists. FILE may be a directory. "
    "Example:\n"
    "  sosia import office.db --name again\n"
    "  sosia import office inbox.mbox --format mbox --person ada@acme.example",
    run_import};

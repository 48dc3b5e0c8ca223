/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/transfer.h"
#include "engine/base/handle.h"
#include "engine/base/taken.h"
#include "engine/world/engine.h"
#include "transfer/impl.h"

const char *const transfer_nouns[] = {"people", "messages", "events",  "files", "folders",
                                      "links",  "channels", "skipped", NULL};

#define MAIL NEEDS_PERSON | TAKES_VENDOR | TAKES_PLACE
const struct transfer_format transfer_formats[] = {
    {"mbox", "messages of a mailbox in one file", MAIL, "application/mbox", read_mbox, write_mbox},
    {"maildir", "messages of a mailbox as an archive of a Maildir", MAIL, NULL, read_maildir, NULL},
    {"eml", "one message, or an archive of such files", MAIL, NULL, read_eml, NULL},
    {"ics", "events of a calendar", MAIL, "text/calendar; charset=utf-8", read_ics, write_ics},
    {"vcf", "people, as vCards", 0, "text/vcard; charset=utf-8", read_vcf, write_vcf},
    {"csv", "people, as a table", 0, "text/csv; charset=utf-8", read_csv, write_csv},
    {"drive", "files and folders of a drive, as a zip or tar.gz", MAIL, "application/gzip",
     read_drive, write_drive},
    {"workspace", "files of the workspace, as a zip or tar.gz", TAKES_PLACE, "application/gzip",
     read_workspace, write_workspace},
    {"takeout", "what a person exported from Google: mail, calendars, files, contacts",
     NEEDS_PERSON | TAKES_VENDOR, NULL, read_takeout, NULL},
    {"slack", "the export of a Slack workspace, a zip", TAKES_PLACE, NULL, read_slack, NULL},
    {NULL},
};
const char *const transfer_names[] = {"mbox",  "maildir",   "eml",     "ics",   "vcf", "csv",
                                      "drive", "workspace", "takeout", "slack", NULL};

/* ---- in ---- */

static const struct transfer_format *format_of(const char *name)
{
    for (const struct transfer_format *f = transfer_formats; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

/* What is said goes with the format, and it goes that way. NULL: with the error. */
static const struct transfer_format *check(const struct transfer *t, bool out,
                                           struct sosia_err *err)
{
    const struct transfer_format *f = format_of(t->format);
    if (!f || (out ? !f->write : !f->read)) {
        sosia_fail(err, SOSIA_E_INVALID, "transfer", "format", "\"%.40s\" must be a format that %s",
                   t->format, out ? "goes out of worlds" : "comes into worlds");
        return NULL;
    }
    const struct {
        const char *name, *given;
        bool takes;
    } said[] = {{"person", t->person, f->needs & NEEDS_PERSON},
                {"vendor", t->vendor, f->needs & TAKES_VENDOR},
                {"place", t->place, f->needs & TAKES_PLACE}};
    for (size_t i = 0; i < SOSIA_LEN(said); i++)
        if (said[i].given && !said[i].takes) {
            sosia_fail(err, SOSIA_E_INVALID, "transfer", said[i].name,
                       "%s must be absent with the format %s", said[i].name, f->name);
            return NULL;
        }
    if (!t->person && f->needs & NEEDS_PERSON) {
        sosia_fail(err, SOSIA_E_INVALID, "transfer", "person",
                   "person must be the address of whose it is with the format %s, is missing",
                   f->name);
        return NULL;
    }
    return f;
}

static int write_document(struct transfer_in *in, const struct transfer_format *f, struct buf *out)
{
    struct json_writer w;
    json_init(&w, out, false, NULL);
    in->w = &w;
    json_obj(&w, NULL);
    json_int(&w, "sosia", 1);
    if (f->read(in) < 0)
        return -1;
    json_end(&w);
    if (out->full)
        return transfer_fail(in, 0,
                             "must become a document of at most 1 GiB, becomes a larger one");
    return buf_failed(out) || tx_is_short(in->tx) ? sosia_fail_memory(in->tx->err) : 0;
}

int transfer_document(struct sosia_engine *e, uint64_t world, const struct transfer *t,
                      const void *data, size_t len, struct buf *out, struct transfer_done *ret,
                      struct sosia_err *err)
{
    const struct transfer_format *f = check(t, false, err);
    struct worker *k = f ? worker_take(e, err) : NULL;
    struct world *w = k ? world_take(e, world, err) : NULL;
    struct transfer_done done = {{0}};
    struct transfer_in in = {.t = t,
                             .name = t->name ? t->name : "file",
                             .data = len ? data : "",
                             .len = len,
                             .done = &done};
    struct tx tx;
    int rc = -1;
    if (w && w->flags & WORLD_SNAPSHOT)
        sosia_fail(err, SOSIA_E_FORBIDDEN, "readOnly", NULL, "a snapshot can't be changed");
    else if (w && tx_begin(&tx, e, w, k, true, world_now(w), err) == 0) {
        in.tx = &tx;
        rc = write_document(&in, f, out);
        tx_rollback(&tx);
    }
    if (w)
        world_drop(w);
    if (k)
        worker_drop(k);
    if (rc == 0)
        *ret = done;
    return rc;
}

int transfer_import(struct sosia_engine *e, uint64_t world, const struct transfer *t,
                    const void *data, size_t len, struct transfer_done *ret, struct sosia_err *err)
{
    struct buf doc;
    buf_init(&doc, 0);
    int rc = transfer_document(e, world, t, data, len, &doc, ret, err);
    if (rc == 0)
        rc = sosia_world_seed(e, world, buf_str(&doc), doc.len, "the file's document", err);
    buf_done(&doc);
    return rc;
}

/* ---- out ---- */

struct going {
    const struct transfer_format *format;
    const struct transfer *t;
};

static int write_file(struct tx *tx, struct json_writer *w, void *arg)
{
    const struct going *g = arg;
    struct transfer_out out = {.tx = tx, .out = w->out, .t = g->t};
    return g->format->write(&out);
}

int transfer_export(struct sosia_engine *e, uint64_t world, const struct transfer *t,
                    struct sosia_blob *ret, const char **ret_type, struct sosia_err *err)
{
    struct going g = {.format = check(t, true, err), .t = t};
    if (!g.format || world_read(e, world, false, write_file, &g, ret, err) < 0)
        return -1;
    *ret_type = g.format->type;
    return 0;
}

/* ---- the C interface ---- */

/* What a caller gave, as the functions above take it. */
static int take(struct sosia_engine *engine, const struct sosia_transfer *file, const void *ret,
                struct transfer *to, struct sosia_err *err)
{
    struct sosia_transfer taken;
    if (handle_check(HANDLE_ENGINE, engine, err) < 0 || taken_pointer(file, "file", err) < 0 ||
        taken_pointer(ret, "the result", err) < 0 || TAKEN(sosia_transfer, &taken, file, err) < 0 ||
        taken_pointer(taken.format, "format", err) < 0)
        return -1;
    *to = (struct transfer){.format = taken.format,
                            .person = taken.person,
                            .vendor = taken.vendor,
                            .place = taken.place,
                            .name = taken.name};
    return 0;
}

void transfer_counts(struct json_writer *w, const struct transfer_done *done)
{
    json_obj(w, NULL);
    for (int i = 0; i < TRANSFER_NOUNS; i++)
        json_int(w, transfer_nouns[i], done->n[i]);
    json_end(w);
}

int sosia_transfer_import(struct sosia_engine *engine, uint64_t world,
                          const struct sosia_transfer *file, const void *data, size_t len,
                          struct sosia_blob *ret_json, struct sosia_err *err)
{
    struct sosia_err local;
    struct transfer_done done;
    struct transfer t;
    struct json_writer w;
    struct buf b;
    err = err ? err : &local;
    if (take(engine, file, ret_json, &t, err) < 0 ||
        (len && taken_pointer(data, "data", err) < 0) ||
        transfer_import(engine, world, &t, data, len, &done, err) < 0)
        return -1;
    json_start(&w, &b);
    transfer_counts(&w, &done);
    return buf_give(&b, ret_json, err);
}

int sosia_transfer_export(struct sosia_engine *engine, uint64_t world,
                          const struct sosia_transfer *file, struct sosia_blob *ret_file,
                          struct sosia_err *err)
{
    struct sosia_err local;
    struct transfer t;
    const char *type;
    err = err ? err : &local;
    return take(engine, file, ret_file, &t, err) < 0 ||
                   transfer_export(engine, world, &t, ret_file, &type, err) < 0
               ? -1
               : 0;
}

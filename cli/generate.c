/* SPDX-License-Identifier: Apache-2.0 */
/* sosia generate: a seed document of a large company, written as it is made. */
#include "fixtures/generate/generate.h"
#include "cli/cli.h"
#include <stdio.h>
#include <string.h>

#define VENDOR_PLACE "{vendor}"

static int write_out(void *arg, const char *data, size_t len)
{
    return outfile_write(arg, data, len);
}

static void show_progress(void *arg, int64_t done, int64_t all)
{
    (void)arg;
    fprintf(stderr, "\rsosia: %lld of %lld messages", (long long)done, (long long)all);
}

static int write_to(const struct generate_options *o, const char *name, bool progress)
{
    struct sosia_err err = {0};
    struct outfile file;
    struct generate_sink sink = {
        .arg = &file, .write = write_out, .progress = progress ? show_progress : NULL};
    if (outfile_open(&file, name) < 0)
        return EXIT_REFUSED;
    int rc = generate(o, &sink, &err);
    if (progress)
        fputc('\n', stderr);
    if (rc < 0 && !file.failed)
        fprintf(stderr, "sosia: %s\n", err.text);
    return outfile_close(&file, rc == 0) < 0 ? EXIT_REFUSED : EXIT_OK;
}

/* FILE with {vendor} in its name: the same company once with each of them. */
static int write_each(const struct generate_options *o, const char *name, const char *place,
                      bool progress)
{
    int rc = EXIT_OK;
    for (unsigned bit = 1; rc == EXIT_OK && generate_vendor_name(bit); bit <<= 1) {
        struct generate_options one = *o;
        struct buf file;
        if (!(o->vendors & bit))
            continue;
        one.vendors = bit;
        buf_init(&file, 0);
        buf_printf(&file, "%.*s%s%s", (int)(place - name), name, generate_vendor_name(bit),
                   place + strlen(VENDOR_PLACE));
        rc = write_to(&one, buf_str(&file), progress);
        buf_done(&file);
    }
    return rc;
}

static int run_generate(const struct command *self, int argc, char **argv)
{
    struct generate_options o = GENERATE_OPTIONS_INIT;
    const char *out = NULL, *vendors = NULL, *numbers[10] = {NULL};
    bool progress = false;
    struct option_row rows[SOSIA_LEN(numbers) + 3];
    struct sosia_err err = {0};
    size_t n_rows = 0;
    for (; n_rows < n_generate_rows; n_rows++)
        rows[n_rows] = (struct option_row){generate_rows[n_rows].name, "N",
                                           generate_rows[n_rows].help, .text = &numbers[n_rows]};
    rows[n_rows++] =
        (struct option_row){"vendors", "NAMES", generate_vendors_help, .text = &vendors};
    rows[n_rows++] =
        (struct option_row){"out", "FILE",
                            "where to (default: standard output); with {vendor} in it: the same "
                            "company once with each of the vendors",
                            .text = &out};
    rows[n_rows++] = (struct option_row){"progress", NULL, "print how far it is, on standard error",
                                         .flag = &progress};
    int n = options_parse(self, rows, n_rows, argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n > 0)
        return usage(self, "there must be no arguments but options, there are some");
    for (size_t i = 0; i < n_generate_rows; i++) {
        const struct generate_row *row = &generate_rows[i];
        int64_t v;
        if (!numbers[i])
            continue;
        if (option_int(row->name, numbers[i], row->min, row->max, &v) < 0)
            return EXIT_USAGE;
        memcpy((char *)&o + row->at, &v, sizeof v);
    }
    if (vendors && generate_read_vendors(vendors, &o.vendors, &err) < 0)
        return usage(self, err.text);
    const char *place = out ? strstr(out, VENDOR_PLACE) : NULL;
    return place ? write_each(&o, out, place, progress) : write_to(&o, out ? out : "-", progress);
}

const struct command generate_command = {
    "generate", "[OPTION ...]", "write the seed document of a large company, from a number",
    "The same options give the same bytes. The fixture \"large\" is such a world. Example:\n  "
    "sosia "
    "generate --messages 100000 --people 50 --out large.json\n  sosia world create --file "
    "large.json --data DIR",
    run_generate};

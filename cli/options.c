/* SPDX-License-Identifier: Apache-2.0 */
/* Options of commands, from tables, and the values that they share. */
#include "cli/cli.h"
#include "engine/base/codec.h"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int usage(const struct command *self, const char *what)
{
    if (what)
        fprintf(stderr, "sosia %s: %s\n", self->name, what);
    fprintf(stderr, "usage: sosia %s%s%s\n       sosia %s --help\n", self->name,
            *self->arguments ? " " : "", self->arguments, self->name);
    return EXIT_USAGE;
}

static void print_help(const struct command *self, const struct option_row *rows, size_t n)
{
    printf("usage: sosia %s%s%s\n\n%c%s.\n", self->name, *self->arguments ? " " : "",
           self->arguments, self->summary[0] - 32 * (self->summary[0] >= 'a'), self->summary + 1);
    if (self->help)
        printf("\n%s\n", self->help);
    printf("\nOptions:\n");
    for (size_t i = 0; i < n; i++) {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", rows[i].name, rows[i].value ? " " : "",
                 rows[i].value ? rows[i].value : "");
        printf("  %-22s %s\n", left, rows[i].help);
    }
    printf("  %-22s %s\n", "--help", "this help");
}

int options_parse(const struct command *self, const struct option_row *rows, size_t n, int argc,
                  char **argv)
{
    struct option longs[64] = {{0}};
    for (size_t i = 0; i < n; i++)
        longs[i] = (struct option){rows[i].name, rows[i].value ? required_argument : no_argument,
                                   NULL, (int)i + 256};
    longs[n] = (struct option){"help", no_argument, NULL, 'h'};
    int got;
    optind = 0; /* starts anew, with glibc's permutation */
    opterr = 0;
    while ((got = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        if (got == 'h') {
            print_help(self, rows, n);
            return -2;
        }
        if (got < 256) {
            char letter[] = {'-', (char)optopt, 0}; /* getopt may still be at its word */
            fprintf(stderr, "sosia %s: %s %s\n", self->name,
                    got == ':' ? "missing value of" : "unknown option",
                    optopt > 0 && optopt < 256 ? letter : argv[optind - 1]);
            usage(self, NULL);
            return -1;
        }
        const struct option_row *row = &rows[got - 256];
        if (row->text)
            *row->text = optarg;
        if (row->flag)
            *row->flag = true;
        if (row->each && row->each(row->arg, optarg) < 0)
            return -1;
    }
    int count = argc - optind;
    memmove(argv + 1, argv + optind, (size_t)count * sizeof *argv);
    argv[count + 1] = NULL;
    return count;
}

int argument_int(const char *what, const char *text, int64_t min, int64_t max, int64_t *ret)
{
    if (parse_i64(text, strlen(text), ret) == 0 && *ret >= min && *ret <= max)
        return 0;
    fprintf(stderr, "sosia: %s must be a whole number from %lld to %lld, not \"%s\"\n", what,
            (long long)min, (long long)max, text);
    return -1;
}

int option_int(const char *name, const char *text, int64_t min, int64_t max, int64_t *ret)
{
    char what[64];
    snprintf(what, sizeof what, "--%s", name);
    return argument_int(what, text, min, max, ret);
}

int option_bytes(const char *name, const char *text, int64_t *ret)
{
    static const char units[] = "KMG";
    size_t n = strspn(text, "0123456789");
    const char *unit = text[n] ? strchr(units, text[n]) : NULL;
    int shift = unit ? (int)(unit - units + 1) * 10 : 0;
    if (n && (!text[n] || (unit && !text[n + 1])) && parse_i64(text, n, ret) == 0 &&
        *ret <= INT64_MAX >> shift) {
        *ret <<= shift;
        return 0;
    }
    fprintf(stderr,
            "sosia: --%s must be a number of bytes, or with K, M or G behind it, not \"%s\"\n",
            name, text);
    return -1;
}

int option_word(const char *name, const char *text, const char *const *words)
{
    int place = str_place(words, text);
    if (place >= 0)
        return place;
    fprintf(stderr, "sosia: --%s must be", name);
    for (size_t i = 0; words[i]; i++)
        fprintf(stderr, "%s %s", !i ? "" : words[i + 1] ? "," : " or", words[i]);
    fprintf(stderr, ", not \"%s\"\n", text);
    return -1;
}

int argument_span(const char *what, const char *text, int64_t *ret_us)
{
    static const struct {
        char unit;
        int64_t us;
    } units[] = {{'s', 1000000},
                 {'m', 60000000},
                 {'h', INT64_C(3600000000)},
                 {'d', INT64_C(86400000000)},
                 {'w', INT64_C(604800000000)}};
    size_t len = strlen(text);
    int64_t n, unit = 1000000;
    for (size_t i = 0; len && i < SOSIA_LEN(units); i++) {
        if (text[len - 1] == units[i].unit) {
            unit = units[i].us;
            len--;
            break;
        }
    }
    if (parse_i64(text, len, &n) == 0 && n >= 0 && !__builtin_mul_overflow(n, unit, ret_us))
        return 0;
    fprintf(stderr, "sosia: %s must be a time such as 90s, 15m, 2h or 3d, not \"%s\"\n", what,
            text);
    return -1;
}

int option_span(const char *name, const char *text, int64_t *ret_us)
{
    char what[64];
    snprintf(what, sizeof what, "--%s", name);
    return argument_span(what, text, ret_us);
}

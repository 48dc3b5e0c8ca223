/* SPDX-License-Identifier: Apache-2.0 */
/* sosia routes: the tables of methods, as text, JSON or the page docs/coverage.md. */
#include "cli/cli.h"
#include "cli/examples.h"
#include "conformance/report/deviation.h"
#include "engine/api/guide.h"
#include "engine/api/openapi.h"
#include "engine/api/router.h"
#include "grading/entities.h"
#include "hosted/hosted.h"
#include "server/control/control.h"
#include "services/list.h"
#include <stdio.h>
#include <string.h>

static const char *const places[] = {"path", "query", "header", "form", "json", "part", "argument"};

static void print_text(void)
{
    const struct dialect *d;
    const struct route *r;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (r = dialect_row(d, i)); i++)
            for (int v = 0; v < N_VERBS; v++)
                for (const char *const *p = r->paths; (r->verbs >> v & 1) && *p; p++)
                    printf("%-34s %-6s %-11s %s\n", r->id, verb_name((enum verb)v),
                           risk_names[r->risk], *p);
}

/* Verbs and paths of a row that has more than one. */
static void write_others(struct json_writer *w, const struct route *r)
{
    if (r->verbs & (r->verbs - 1)) {
        json_arr(w, "verbs");
        for (int v = 0; v < N_VERBS; v++)
            if (r->verbs >> v & 1)
                json_str(w, NULL, verb_name((enum verb)v));
        json_end(w);
    }
    if (r->paths[1]) {
        json_arr(w, "paths");
        for (const char *const *p = r->paths; *p; p++)
            json_str(w, NULL, *p);
        json_end(w);
    }
}

static void write_route(struct json_writer *w, const struct dialect *d, const struct route *r,
                        const struct deviations *known)
{
    json_obj(w, NULL);
    json_str(w, "id", r->id);
    json_str(w, "dialect", d->name);
    json_str(w, "verb", verb_name(route_verb(r)));
    json_str(w, "path", r->paths[0]);
    write_others(w, r);
    json_str(w, "risk", risk_names[r->risk]);
    json_bool_opt(w, "risk_by_arguments", r->risk_of != NULL);
    json_bool_opt(w, "idempotent", r->risk == RISK_READ || r->idempotent);
    json_str_opt(w, "scopes", r->scopes);
    json_str_opt(w, "summary", r->summary);
    json_int(w, "differences", (int64_t)deviations_of(known, d->name, r->id));
    json_arr(w, "parameters");
    for (size_t i = 0; i < r->n_params; i++) {
        json_obj(w, NULL);
        json_str(w, "name", r->params[i].name);
        json_str(w, "in", places[r->params[i].place]);
        json_bool_opt(w, "required", r->params[i].required || r->params[i].place == IN_PATH);
        json_bool_opt(w, "repeated", r->params[i].repeated);
        json_end(w);
    }
    json_end(w);
    json_end(w);
}

static void print_json(const struct deviations *known)
{
    struct buf b;
    struct json_writer w;
    buf_init(&b, 0);
    json_init(&w, &b, true, NULL);
    json_arr(&w, NULL);
    const struct dialect *d;
    const struct route *r;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++)
        for (size_t i = 0; (r = dialect_row(d, i)); i++)
            write_route(&w, d, r, known);
    json_end(&w);
    fputs(buf_str(&b), stdout);
    buf_done(&b);
}

/* Each verb with each path. */
static void print_requests(const struct route *r)
{
    bool first = true;
    for (int v = 0; v < N_VERBS; v++)
        for (const char *const *p = r->paths; (r->verbs >> v & 1) && *p; p++) {
            printf("%s`%s %s`", first ? "" : "<br>", verb_name((enum verb)v), *p);
            first = false;
        }
}

/* The scopes without what they have in common, for reading. */
static void print_scopes(const struct vendor *v, const char *scopes)
{
    const char *prefix = v->guide && v->guide->scope_prefix ? v->guide->scope_prefix : "";
    size_t common = strlen(prefix);
    bool first = true;
    while (scopes && *scopes) {
        size_t n = strcspn(scopes, " ");
        const char *s = scopes;
        size_t len = n;
        if (len > common && memcmp(s, prefix, common) == 0) {
            s += common;
            len -= common;
        }
        printf("%s%.*s", first ? "" : ", ", (int)len, s);
        first = false;
        scopes += n + strspn(scopes + n, " ");
    }
}

static bool has_method(const struct dialect *d, const char *id, size_t len)
{
    const struct route *r;
    for (size_t i = 0; (r = dialect_row(d, i)); i++)
        if (strlen(r->id) == len && memcmp(r->id, id, len) == 0)
            return true;
    return false;
}

/* "5 of the vendor's 38 methods", and which are missing. */
static void print_totals(const struct dialect *d)
{
    size_t present = 0, total = 0;
    if (!d->methods) {
        size_t n = 0;
        while (dialect_row(d, n))
            n++;
        printf("%zu methods.\n", n);
        return;
    }
    for (const char *id = d->methods; *id;) {
        size_t len = strcspn(id, "\n");
        total += len > 0;
        present += len && has_method(d, id, len);
        id += len + (id[len] == '\n');
    }
    printf("%zu of the vendor's %zu methods.%s", present, total,
           present < total ? " Missing:" : "\n");
    bool first = true;
    for (const char *id = d->methods; *id && present < total;) {
        size_t len = strcspn(id, "\n");
        if (len && !has_method(d, id, len)) {
            printf("%s `%.*s`", first ? "" : ",", (int)len, id);
            first = false;
        }
        id += len + (id[len] == '\n');
    }
    if (!first)
        printf(".\n");
}

/* Their number, as a link to the method's row of docs/fidelity.md. */
static void print_differences(const struct deviations *known, const char *dialect,
                              const char *method)
{
    size_t n = deviations_of(known, dialect, method);
    if (n)
        printf("[%zu](fidelity.md#%s)", n, method);
}

static void print_markdown(const struct deviations *known)
{
    printf(
        "# Coverage\n\nThe methods that sosia serves, from the tables that route them (`sosia "
        "routes --markdown`). "
        "Every other call gets the vendor's response to an unknown method. Which methods the "
        "cassettes hold to the real service, and to what, is in "
        "[conformance-coverage.md](conformance-coverage.md). The last column counts the entries of "
        "[fidelity.md](fidelity.md) that name the method.\n");
    const struct dialect *d;
    for (size_t k = 0; (d = service_dialect(sosia_services, k)); k++) {
        if (!dialect_row(d, 0))
            continue;
        printf("\n## %s\n\n", d->title ? d->title : d->name);
        print_totals(d);
        printf("\n| method | request | risk | scopes (any of) | differences "
               "|\n|---|---|---|---|--:|\n");
        const struct route *r;
        for (size_t i = 0; (r = dialect_row(d, i)); i++) {
            printf("| `%s` | ", r->id);
            print_requests(r);
            printf(" | %s%s | ", risk_names[r->risk], r->risk_of ? " or more" : "");
            print_scopes(d->vendor, r->scopes);
            printf(" | ");
            print_differences(known, d->name, r->id);
            printf(" |\n");
        }
    }
}

/* ---- OpenAPI ---- */

/* Dialects of the services, and at the end the control interface's and those of hosted sandboxes;
 * NULL: there are no more. */
static const struct dialect *documented(size_t i)
{
    size_t n = 0;
    while (service_dialect(sosia_services, n))
        n++;
    return i < n        ? service_dialect(sosia_services, i)
           : i == n     ? &control_dialect
           : i == n + 1 ? &hosted_dialect
           : i == n + 2 ? &e2b_api_dialect
                        : NULL;
}

static int print_openapi(const char *name)
{
    const struct dialect *d;
    for (size_t i = 0; (d = documented(i)); i++) {
        if (strcmp(d->name, name) != 0)
            continue;
        struct buf b;
        struct json_writer w;
        buf_init(&b, 0);
        json_init(&w, &b, true, NULL);
        openapi_write(&w, d, sosia_version());
        int rc = buf_failed(&b) ? EXIT_REFUSED : EXIT_OK;
        fputs(buf_str(&b), stdout);
        buf_done(&b);
        return rc;
    }
    fprintf(stderr, "sosia routes: --openapi must be one of");
    for (size_t i = 0; (d = documented(i)); i++)
        fprintf(stderr, "%s %s", i ? "," : "", d->name);
    fprintf(stderr, ", not \"%.80s\"\n", name);
    return EXIT_USAGE;
}

static void print_page(void (*page)(struct buf *out))
{
    struct buf b;
    buf_init(&b, 0);
    page(&b);
    fputs(buf_str(&b), stdout);
    buf_done(&b);
}

static int run_routes(const struct command *self, int argc, char **argv)
{
    bool json = false, markdown = false, entities = false, schema = false;
    const char *openapi = NULL;
    const struct option_row rows[] = {
        {"json", NULL, "as JSON, with parameters", .flag = &json},
        {"markdown", NULL, "as the page docs/coverage.md", .flag = &markdown},
        {"entities", NULL, "the page docs/entities.md: what diffs and suites speak of",
         .flag = &entities},
        {"seed-schema", NULL, "the page docs/seed.schema.json: a JSON Schema of seed documents",
         .flag = &schema},
        {"openapi", "DIALECT",
         "the OpenAPI 3.1 document of one: " EXAMPLE_DIALECT
         ", ..., sosia.control, sosia.hosted, sosia.e2b",
         .text = &openapi}};
    int n = options_parse(self, rows, SOSIA_LEN(rows), argc, argv);
    if (n < 0)
        return n == -2 ? EXIT_OK : EXIT_USAGE;
    if (n > 0)
        return usage(self, "there must be no arguments but options, there are some");
    if (openapi)
        return print_openapi(openapi);
    if (entities || schema) {
        print_page(entities ? entities_markdown : entities_schema);
        return EXIT_OK;
    }
    if (!json && !markdown) {
        print_text();
        return EXIT_OK;
    }
    struct deviations *known;
    struct sosia_err err;
    if (deviations_open(NULL, &known, &err) < 0) {
        fprintf(stderr, "sosia: %s\n", err.text);
        return EXIT_REFUSED;
    }
    if (json)
        print_json(known);
    else
        print_markdown(known);
    deviations_free(known);
    return EXIT_OK;
}

const struct command routes_command = {"routes", "", "list every method that is served", NULL,
                                       run_routes};

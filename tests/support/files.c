/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/files.h"
#include "engine/base/codec.h"
#include "engine/http/call.h"
#include "identity/identity.h"

static int64_t find(struct call *c)
{
    static struct sql_text q = SQL_TEXT("select blob from kept_file where name = :name");
    int64_t blob = 0;
    return TX_INT(&c->tx, &q, &blob, param_str(c, "name")) < 0 ? -1 : blob;
}

static int keep(struct call *c, struct blob *ret)
{
    static struct sql_text q =
        SQL_TEXT("insert or replace into kept_file (name, blob) values (:name, :blob)");
    int64_t old = find(c);
    if (old < 0 || bytes_blob(&c->tx, &c->content, 0, ret) < 0 ||
        TX_RUN(&c->tx, &q, param_str(c, "name"), ret->id) < 0)
        return -1;
    return old ? blob_unref(&c->tx, old) : 0;
}

static int put(struct call *c)
{
    struct blob b;
    char hex[65];
    if (keep(c, &b) < 0)
        return -1;
    hex_encode(hex, b.sha256, sizeof b.sha256);
    json_obj(c->out, NULL);
    json_int(c->out, "length", b.length);
    json_str(c->out, "sha256", hex);
    json_end(c->out);
    return 0;
}

static int echo(struct call *c)
{
    struct blob b;
    return keep(c, &b) < 0 ? -1 : call_send_blob(c, b.id, NULL, NULL);
}

static int get(struct call *c)
{
    int64_t blob = find(c);
    if (blob <= 0)
        return blob < 0 ? -1 : call_fail(c, SOSIA_E_NOT_FOUND, NULL, NULL, "there is no such file");
    call_header_const(c, "Content-Type", "application/octet-stream");
    call_header_const(c, "ETag", "\"one\"");
    return call_send_blob(c, blob, "\"one\"", NULL);
}

static int memory(struct call *c)
{
    static const char block[1 << 16];
    int64_t n = param_num(c, "bytes", 0);
    buf_clear(c->body_out);
    for (int64_t at = 0; at < n; at += (int64_t)sizeof block)
        buf_add(c->body_out, block,
                (size_t)(n - at < (int64_t)sizeof block ? n - at : (int64_t)sizeof block));
    call_header_const(c, "Content-Type", "application/octet-stream");
    return 0;
}

static int note(struct call *c)
{
    return outbox_add(&c->tx, "mail", "ada@a.example", "bob@b.example", "{}");
}

static void error(struct call *c)
{
    c->status = sosia_code_status(c->tx.err->code);
    buf_puts(c->body_out, c->tx.err->text);
}

static const struct front front = {.error = error};
static const struct vendor vendor = {.name = "test", .front = &front};
static const struct param params[] = {{.name = "name", .place = IN_PATH, .required = true}};
static const struct param memory_params[] = {
    {.name = "bytes", .place = IN_PATH, .type = PARAM_INT, .required = true, .max = 1 << 30}};
static const struct route routes[] = {
    {.id = "files.put",
     .verbs = PUT,
     .paths = PATHS("/files/{name}"),
     .handler = put,
     .risk = RISK_WRITE,
     .anonymous = true,
     .body = BODY_RAW,
     .max_body = FILES_MAX,
     PARAMS(params)},
    {.id = "files.get",
     .verbs = GET,
     .paths = PATHS("/files/{name}"),
     .handler = get,
     .risk = RISK_READ,
     .anonymous = true,
     .download = true,
     PARAMS(params)},
    {.id = "files.memory",
     .verbs = GET,
     .paths = PATHS("/files/memory/{bytes}"),
     .handler = memory,
     .risk = RISK_READ,
     .anonymous = true,
     PARAMS(memory_params)},
    {.id = "files.echo",
     .verbs = POST,
     .paths = PATHS("/files/{name}/echo"),
     .handler = echo,
     .risk = RISK_WRITE,
     .anonymous = true,
     .body = BODY_RAW,
     .max_body = FILES_MAX,
     PARAMS(params)},
    {.id = "files.note",
     .verbs = POST,
     .paths = PATHS("/files/{name}/note"),
     .handler = note,
     .risk = RISK_WRITE,
     .anonymous = true,
     PARAMS(params)},
};
static const struct rows all_rows = ROWS(routes);
static const char *const prefixes[] = {"/files", NULL};
static const struct dialect dialect = {
    .name = "files", .vendor = &vendor, .prefixes = prefixes, .tables = TABLES(&all_rows)};
static const struct sosia_core core = {
    .name = "files",
    .schema = "create table kept_file (name text primary key, blob integer not null) strict;",
};

const struct sosia_service files_service = {
    .name = "files",
    .cores = (const struct sosia_core *const[]){&identity_core, &core, NULL},
    .dialects = (const struct dialect *const[]){&dialect, NULL}};

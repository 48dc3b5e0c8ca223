/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/state/own.h"
#include "services/drive/google/org/key_service.h"
#include "engine/json/doc.h"
#include "engine/world/core.h"

int gdrive_key_service(struct tx *tx, const char *domain, struct gdrive_key_service *ret)
{
    static struct sql_text q =
        SQL_TEXT("select number, name, url from gdrive_key_service where domain = :domain");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, domain);
    if (r != 1)
        return r;
    *ret = (struct gdrive_key_service){sqlite3_column_int64(st, 0), tx_string(tx, st, 1),
                                       tx_string(tx, st, 2)};
    sql_done(st);
    return 1;
}

static const struct member gdrive_key_service_members[] = {
    OWN_NEEDED("domain", "Its domain"),
    OWN_TYPED("id", "A number of the service", "number", OWN_NUMBER),
    OWN_NEEDED("name", "Its name"),
    OWN_NEEDED("url", "Where it is"),
};
const struct form gdrive_key_service_form =
    FORM("An organisation whose people may encrypt files themselves", gdrive_key_service_members);

int gdrive_key_service_seed(struct tx *tx, struct doc *d, const struct json *v)
{
    static struct sql_text q = SQL_TEXT(
        "insert into gdrive_key_service (domain, number, name, url) values (lower(:domain), "
        ":number, :name, :url) on conflict (domain) do update set number = "
        "excluded.number, name = excluded.name, url = excluded.url");
    const char *domain, *name, *url;
    int64_t number;
    if (form_known(&(struct form_in){tx, d, v}, &gdrive_key_service_form) < 0 ||
        doc_str(d, v, "domain", true, &domain) < 0 ||
        doc_int(d, v, "id", 1, INT64_MAX, 1, &number) < 0 ||
        doc_str(d, v, "name", true, &name) < 0 || doc_str(d, v, "url", true, &url) < 0)
        return -1;
    return TX_RUN(tx, &q, domain, number, name, url);
}

int gdrive_key_service_dump(struct tx *tx, int64_t rowid, struct json_writer *w)
{
    static struct sql_text q =
        SQL_TEXT("select domain, number, name, url from gdrive_key_service where id = :id");
    sqlite3_stmt *st;
    int r = TX_ROW(tx, &q, &st, rowid);
    if (r != 1)
        return r;
    json_str(w, "domain", (const char *)sqlite3_column_text(st, 0));
    json_int(w, "id", sqlite3_column_int64(st, 1));
    json_str(w, "name", (const char *)sqlite3_column_text(st, 2));
    json_str(w, "url", (const char *)sqlite3_column_text(st, 3));
    sql_done(st);
    return 1;
}

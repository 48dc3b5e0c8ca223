/* SPDX-License-Identifier: Apache-2.0 */
#include "services/drive/google/org/key_service.h"

int gdrive_key_service(struct tx *tx, const char *domain, struct gdrive_key_service *ret)
{
    static struct sql_text q = SQL_TEXT("where domain = :domain");
    return STORED_ONE(tx, &gdrive_key_service_stored, &q, ret, domain);
}

/* In the place of one that the domain has. */
static int add_service(const struct form_in *in, void *row)
{
    static struct sql_text q = SQL_TEXT(
        "insert into gdrive_key_service (domain, number, name, url) values (lower(:domain), "
        ":number, :name, :url) on conflict (domain) do update set number = "
        "excluded.number, name = excluded.name, url = excluded.url");
    const struct gdrive_key_service *s = row;
    return TX_RUN(in->tx, &q, s->domain, s->number, s->name, s->url);
}

static const struct member members[] = {
    STORED_ID(struct gdrive_key_service),
    {"domain", "Its domain", TEXT_AT(struct gdrive_key_service, domain), .flags = MEMBER_REQUIRED},
    {"id", "A number of the service", INT_AT(struct gdrive_key_service, number, 1, INT64_MAX),
     .usual = 1, .flags = MEMBER_ALWAYS},
    {"name", "Its name", TEXT_AT(struct gdrive_key_service, name), .flags = MEMBER_REQUIRED},
    {"url", "Where it is", TEXT_AT(struct gdrive_key_service, url), .flags = MEMBER_REQUIRED},
};
STORED(gdrive_key_service_stored, "An organisation whose people may encrypt files themselves",
       struct gdrive_key_service, members, NULL, .table = "gdrive_key_service", .key = "domain",
       .add = add_service);

/* SPDX-License-Identifier: Apache-2.0 */
/* Users as they are written, with all their members. */
#include "vendors/microsoft/directory/rows.h"

static void write_text_list(struct json_writer *w, const char *name, const char *json)
{
    json_raw(w, name, json, strlen(json));
}

/* The SKU that stands for a product's name: programs look for its id. */
static void write_licenses(struct call *c, struct json_writer *w, const struct ms_user *user)
{
    const struct json *list;
    json_arr(w, "assignedLicenses");
    if (json_parse(c->tx.arena, user->licenses, strlen(user->licenses), NULL, &list, c->tx.err) ==
        0)
        for (uint32_t i = 0; i < list->n; i++) {
            json_obj(w, NULL);
            json_arr(w, "disabledPlans");
            json_end(w);
            json_str(w, "skuId",
                     graph_guid(c->tx.arena, "sku",
                                list->items[i].type == JSON_STRING ? list->items[i].str : ""));
            json_end(w);
        }
    json_end(w);
}

static void write_proxies(struct call *c, struct json_writer *w, const struct ms_user *user)
{
    json_arr(w, "proxyAddresses");
    if (user->mail)
        json_str(w, NULL, arena_printf(c->tx.arena, "SMTP:%s", user->mail));
    json_end(w);
}

void dir_text_or_null(struct json_writer *w, const char *name, const char *text)
{
    if (text)
        json_str(w, name, text);
    else
        json_null(w, name);
}

static int write_user(struct call *c, int64_t id, struct json_writer *w)
{
    struct arena *a = c->tx.arena;
    struct ms_user u;
    struct actor actor;
    int r = ms_user_get(&c->tx, id, &u);
    if (r != 1 || u.deleted || (r = actor_by_id(&c->tx, u.actor, &actor)) != 1)
        return r < 0 ? -1 : 0;
    write_text_list(w, "businessPhones", u.phones);
    json_str(w, "displayName", u.name ? u.name : actor.name);
    dir_text_or_null(w, "givenName", u.given);
    dir_text_or_null(w, "jobTitle", u.job);
    dir_text_or_null(w, "mail", u.mail);
    dir_text_or_null(w, "mobilePhone", u.mobile);
    dir_text_or_null(w, "officeLocation", u.office);
    dir_text_or_null(w, "preferredLanguage", u.language);
    dir_text_or_null(w, "surname", u.surname);
    json_str(w, "userPrincipalName", u.upn);
    json_str(w, "id", u.oid);
    json_bool(w, "accountEnabled", u.enabled);
    write_licenses(c, w, &u);
    dir_text_or_null(w, "companyName", u.company);
    json_str(w, "createdDateTime", graph_date(a, u.made_us, 0));
    dir_text_or_null(w, "creationType", u.guest ? "Invitation" : NULL);
    dir_text_or_null(w, "department", u.department);
    dir_text_or_null(w, "employeeId", u.employee);
    dir_text_or_null(w, "externalUserState", u.guest ? "Accepted" : NULL);
    json_str(w, "mailNickname", arena_memdup(a, u.upn, strcspn(u.upn, "@")));
    dir_text_or_null(w, "city", u.city);
    dir_text_or_null(w, "country", u.country);
    json_arr(w, "otherMails");
    json_end(w);
    dir_text_or_null(w, "postalCode", u.postal);
    write_proxies(c, w, &u);
    json_str(w, "signInSessionsValidFromDateTime",
             graph_date(a, u.sessions_us ? u.sessions_us : u.made_us, 0));
    dir_text_or_null(w, "state", u.state);
    dir_text_or_null(w, "streetAddress", u.street);
    dir_text_or_null(w, "usageLocation", u.usage);
    json_str(w, "userType", u.guest ? "Guest" : "Member");
    return 1;
}

#define USUAL                                                                                      \
    "businessPhones displayName givenName jobTitle mail mobilePhone officeLocation "               \
    "preferredLanguage surname userPrincipalName id"

const struct dir_kind dir_user = {
    .type = "user", .set = "users", .usual = USUAL, .write = write_user};

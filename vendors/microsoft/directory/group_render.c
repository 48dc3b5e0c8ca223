/* SPDX-License-Identifier: Apache-2.0 */
/* Groups as they are written, with all their members. */
#include "vendors/microsoft/directory/rows.h"
#include <endian.h>

static void no_items(struct json_writer *w, const char *name)
{
    json_arr(w, name);
    json_end(w);
}

static uint32_t hex_at(const char *text, int digits)
{
    uint32_t v = 0;
    for (int i = 0; i < digits; i++)
        v = v << 4 | (uint32_t)(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    return v;
}

/* The object's id as the four numbers of a security identifier, each of four bytes as they lie in
 * memory: the first three fields of a GUID are numbers, the rest is bytes. */
static const char *security_id(struct arena *a, const char *guid)
{
    char hex[33];
    size_t n = 0;
    for (const char *p = guid; *p && n < 32; p++)
        if (*p != '-')
            hex[n++] = *p;
    if (n < 32)
        return "";
    return arena_printf(a, "S-1-12-1-%u-%u-%u-%u", hex_at(hex, 8),
                        hex_at(hex + 8, 4) | hex_at(hex + 12, 4) << 16,
                        be32toh(hex_at(hex + 16, 8)), be32toh(hex_at(hex + 24, 8)));
}

const char *dir_nickname_of(struct arena *a, const struct ms_group *g)
{
    return g->nickname ? g->nickname : arena_memdup(a, g->email, strcspn(g->email, "@"));
}

const struct dir_setting dir_settings[4] = {
    {"allowExternalSenders", offsetof(struct ms_group, outsiders)},
    {"autoSubscribeNewMembers", offsetof(struct ms_group, subscribes)},
    {"hideFromAddressLists", offsetof(struct ms_group, unlisted)},
    {"hideFromOutlookClients", offsetof(struct ms_group, unshown)},
};

bool *dir_setting_of(struct ms_group *g, const struct dir_setting *s)
{
    return (bool *)((char *)g + s->at);
}

static int write_group(struct call *c, int64_t id, struct json_writer *w)
{
    static const char *const nothing[] = {"membershipRule",
                                          "membershipRuleProcessingState",
                                          "onPremisesDomainName",
                                          "onPremisesLastSyncDateTime",
                                          "onPremisesNetBiosName",
                                          "onPremisesSamAccountName",
                                          "onPremisesSecurityIdentifier",
                                          "onPremisesSyncEnabled",
                                          "preferredDataLocation"};
    struct arena *a = c->tx.arena;
    struct ms_group g;
    int r = ms_group_get(&c->tx, dir_rowid(id), &g);
    if (r != 1)
        return r;
    const int team = ms_group_is_team(&c->tx, &g);
    if (team < 0)
        return -1;
    const char *made = graph_date(a, g.made_us, 0);
    json_str(w, "id", g.oid);
    json_null(w, "deletedDateTime");
    dir_text_or_null(w, "classification", g.classification);
    json_str(w, "createdDateTime", made);
    no_items(w, "creationOptions");
    dir_text_or_null(w, "description", g.description);
    json_str(w, "displayName", g.name);
    json_null(w, "expirationDateTime");
    json_arr(w, "groupTypes");
    if (g.unified)
        json_str(w, NULL, "Unified");
    json_end(w);
    no_items(w, "infoCatalogs");
    json_null(w, "isAssignableToRole");
    dir_text_or_null(w, "mail", g.mail ? g.email : NULL);
    json_bool(w, "mailEnabled", g.mail);
    json_str(w, "mailNickname", dir_nickname_of(a, &g));
    for (size_t i = 0; i < SOSIA_LEN(nothing); i++)
        json_null(w, nothing[i]);
    dir_text_or_null(w, "preferredLanguage", g.language);
    json_arr(w, "proxyAddresses");
    if (g.mail)
        json_str(w, NULL, arena_printf(a, "SMTP:%s", g.email));
    json_end(w);
    json_str(w, "renewedDateTime", made);
    no_items(w, "resourceBehaviorOptions");
    json_arr(w, "resourceProvisioningOptions");
    if (team)
        json_str(w, NULL, "Team");
    json_end(w);
    json_bool(w, "securityEnabled", g.security);
    json_str(w, "securityIdentifier", security_id(a, g.oid));
    dir_text_or_null(w, "theme", g.theme);
    json_null(w, "uniqueName");
    dir_text_or_null(w, "visibility", g.unified ? g.visibility : NULL);
    no_items(w, "onPremisesProvisioningErrors");
    no_items(w, "serviceProvisioningErrors");
    for (size_t i = 0; g.unified && i < SOSIA_LEN(dir_settings); i++)
        json_bool(w, dir_settings[i].name, *dir_setting_of(&g, &dir_settings[i]));
    return 1;
}

const struct dir_kind dir_group = {.type = "group", .set = "groups", .write = write_group};

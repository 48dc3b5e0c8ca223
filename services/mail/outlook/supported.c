/* SPDX-License-Identifier: Apache-2.0 */
/* The time zones and languages from which a mailbox's settings are chosen. */
#include "engine/base/codec.h"
#include "services/mail/outlook/settings/languages.h"
#include "services/mail/outlook/rows.h"
#include "vendors/microsoft/zone.h"
#include <stdio.h>
#include <stdlib.h>

/* ---- time zones ---- */

/* Minutes east of UTC, of the "(UTC+05:30)" that a title begins with. */
static int offset_of(const struct graph_zone *z)
{
    int hours = 0, minutes = 0;
    if (sscanf(z->title, "(UTC%3d:%2d)", &hours, &minutes) < 2)
        return 0;
    return hours * 60 + (z->title[4] == '-' ? -minutes : minutes);
}

static int from_west(const void *pa, const void *pb)
{
    const struct graph_zone *a = *(const struct graph_zone *const *)pa,
                            *b = *(const struct graph_zone *const *)pb;
    const int by_offset = offset_of(a) - offset_of(b);
    return by_offset ? by_offset : strcmp(a->title, b->title);
}

/* The parameter, "microsoft.graph.timeZoneStandard'Iana'" or 'Iana': its words have a case
 * (MG-418). 1 IANA's names, 0 those of Windows, -1 refused. */
static int is_iana(struct call *c)
{
    static const char type[] = "microsoft.graph.timeZoneStandard";
    const char *text = param_str(c, "TimeZoneStandard");
    if (text && strncmp(text, type, sizeof type - 1) == 0)
        text += sizeof type - 1;
    if (!text || strcmp(text, "'Windows'") == 0 || strcmp(text, "Windows") == 0)
        return 0;
    if (strcmp(text, "'Iana'") == 0 || strcmp(text, "Iana") == 0)
        return 1;
    return call_fail(c, SOSIA_E_INVALID, "BadRequest", NULL,
                     "The string '%.100s' is not a valid enumeration type constant.", text);
}

static int zones_list(struct call *c)
{
    const struct graph_zone **list =
        arena_calloc(c->tx.arena, graph_n_zones, sizeof(struct graph_zone *));
    struct graph_user user;
    int iana;
    if (arena_failed(c->tx.arena))
        return sosia_fail_memory(c->tx.err);
    if (graph_whose(c, ACCOUNT_MAIL, &user) < 0 || (iana = is_iana(c)) < 0)
        return -1;
    for (size_t i = 0; i < graph_n_zones; i++)
        list[i] = &graph_zones[i];
    qsort(list, graph_n_zones, sizeof(struct graph_zone *), from_west);
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.timeZoneInformation)");
    json_arr(c->out, "value");
    for (size_t i = 0; i < graph_n_zones; i++) {
        json_obj(c->out, NULL);
        json_str(c->out, "alias", iana ? list[i]->iana : list[i]->name);
        json_str(c->out, "displayName", iana ? list[i]->iana : list[i]->title);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- languages ---- */

static int languages_list(struct call *c)
{
    struct graph_user user;
    if (graph_whose(c, ACCOUNT_MAIL, &user) < 0)
        return -1;
    json_obj(c->out, NULL);
    graph_context(c, "Collection(microsoft.graph.localeInfo)");
    json_arr(c->out, "value");
    for (size_t i = 0; i < outlook_n_languages; i++) {
        json_obj(c->out, NULL);
        json_str(c->out, "locale", outlook_languages[i].locale);
        json_str(c->out, "displayName", outlook_languages[i].name);
        json_end(c->out);
    }
    json_end(c->out);
    json_end(c->out);
    return 0;
}

/* ---- the methods ---- */

#define ZONES "/outlook/supportedTimeZones("

static const struct param zone_params[] = {
    USER_PARAM,
    {.name = "TimeZoneStandard",
     .place = IN_PATH,
     .required = true,
     .summary = "Whose names: microsoft.graph.timeZoneStandard'Windows', or 'Iana' in its place"}};
static const struct route routes[] = {
    {ROUTE("outlook.supportedTimeZones", GET, GRAPH_MY(ZONES ")"),
           GRAPH_MY(ZONES "TimeZoneStandard={TimeZoneStandard})")),
     .response = "microsoft.graph.timeZoneInformationCollection", .handler = zones_list,
     .risk = RISK_READ, .scopes = USERS, PARAMS(zone_params),
     .summary = "The time zones that a mailbox may have, from west to east"},
    {ROUTE("outlook.supportedLanguages", GET, GRAPH_MY("/outlook/supportedLanguages()")),
     .response = "microsoft.graph.localeInfoCollection", .handler = languages_list,
     .risk = RISK_READ, .scopes = USERS, PARAMS(outlook_user_params),
     .summary = "The languages that a mailbox may have"},
};
const struct rows outlook_supported_rows = ROWS(routes);

/* SPDX-License-Identifier: Apache-2.0 */
/* Putting open extensions and MAPI properties beside a message. */
#include "services/mail/outlook/outlook.h"

#define MAX_EXTRAS 100 /* of one message */
#define TYPE       "#microsoft.graph.openTypeExtension"

static int check_extras(struct call *c, const struct outlook_item *i)
{
    struct kept *list;
    size_t n;
    if (mail_kept_list(&c->tx, &outlook_extras, i->message.id, NULL, &list, &n) < 0)
        return -1;
    return n < MAX_EXTRAS
               ? 0
               : call_fail(c, SOSIA_E_INVALID, "ErrorQuotaExceeded", NULL,
                           "An item has at most %d properties and extensions.", MAX_EXTRAS);
}

int outlook_property_put(struct call *c, const struct outlook_item *i, const char *kind,
                         const char *name, const struct json *v)
{
    const struct json *value = json_get(v, "value");
    struct kept_value text;
    if (!value || value->type == JSON_NULL)
        return mail_kept_remove(&c->tx, &outlook_extras, i->message.id, kind, name) < 0 ? -1 : 0;
    if (check_extras(c, i) < 0)
        return -1;
    mail_kept_begin(&text);
    json_str(&text.w, "id", name);
    json_value(&text.w, "value", value);
    return mail_kept_put(&c->tx, &outlook_extras, i->message.id, kind, name,
                         mail_kept_end(&c->tx, &text));
}

/* Its members as they came, behind what says what it is. */
int outlook_extension_put(struct call *c, const struct outlook_item *i, const char *name,
                          const struct json *v)
{
    struct kept_value text;
    if (check_extras(c, i) < 0)
        return -1;
    mail_kept_begin(&text);
    json_str(&text.w, "@odata.type", TYPE);
    json_str(&text.w, "id", arena_printf(c->tx.arena, OUTLOOK_EXTENSION "%s", name));
    json_str(&text.w, "extensionName", name);
    for (uint32_t k = 0; k < v->n; k++)
        if (v->members[k].key[0] != '@' && strcmp(v->members[k].key, "extensionName") != 0 &&
            strcmp(v->members[k].key, "id") != 0)
            json_value(&text.w, v->members[k].key, &v->members[k].value);
    return mail_kept_put(&c->tx, &outlook_extras, i->message.id, "extension", name,
                         mail_kept_end(&c->tx, &text));
}
